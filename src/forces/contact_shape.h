/* forces/contact_shape.h - distance of a point to a shape, with derivatives
 *
 * In the frame of the shape (origin in its centre, z the axis of a capsule or the normal of a plane)
 *
 *   d(y)        signed distance to the surface, negative inside
 *   n = d_y     unit normal towards the point
 *   H = n_y     = (1 - n n^T - P)/|y - c|, c the closest point of the skeleton (point, segment, box)
 *               and P the projector on the directions in which c slides along with y
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CONTACT_SHAPE_H
#define TNI_CONTACT_SHAPE_H

#include <stdbool.h>

#include "base/vec.h"

typedef enum { TNI_PLANE, TNI_SPHERE, TNI_CAPSULE, TNI_BOX } tni_shape_kind;

typedef struct tni_shape {
  tni_shape_kind kind;
  double radius;  /* sphere, capsule           */
  double half[3]; /* capsule: half[2]; box: all */
} tni_shape;

/* H may be NULL */
double tni_shape_distance(const tni_shape *shape, const double y[3], double n[3], double H[9]);

/* Spheres that stand for the shape against another one: a sphere itself, the two ends of a capsule,
 * the eight corners of a box (radius 0). Returns their number, at most TNI_SHAPE_MAXPROBE. */
enum { TNI_SHAPE_MAXPROBE = 8 };
int tni_shape_probes(const tni_shape *shape, double centre[TNI_SHAPE_MAXPROBE][3]);

#endif
