/* system/cosines.h - a cartesian system in positions and direction cosines
 *
 * The rows of most joints are quadratic in the positions x of centres of mass and the entries C of the rotation matrices, taken
 * as numbers that nothing holds together:
 *
 *   g = g0 + l.y + y.H y/2        y = (x, C) of the bodies of the row, 12 numbers each (in the plane 4: x, y, cos, sin)
 *
 * H and l are constant. They are read off the values of the row: a quadratic function is known from them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COSINES_SYSTEM_H
#define TNI_COSINES_SYSTEM_H

#include "system/system.h"

enum { TNI_COSINES_PLANE = 4, TNI_COSINES_SPACE = 12, TNI_COSINES_MAX = 2*TNI_COSINES_SPACE };

typedef struct tni_quadratic_row {
  int row;          /* of the system                              */
  int nbody, body[2];
  double g0, l[TNI_COSINES_MAX], H[TNI_COSINES_MAX*TNI_COSINES_MAX];
} tni_quadratic_row;

typedef struct tni_cosine_model {
  bool planar;
  int nbody, m;
  const tni_inertia *inertia; /* [nbody]                           */
  double gravity[3];
  int nforce;
  tni_quadratic_row *row;     /* [m] independent rows              */
} tni_cosine_model;

/* At the state of a cartesian data where it was evaluated last. TN_ERR_UNSUPPORTED names the row that is not quadratic,
 * moves with time or holds velocities only. Leaves s->kin as it was. */
tn_status tni_cosine_model_create(tni_data *s, double t, tni_arena *arena, tni_cosine_model *out);

/* Forces but gravity on all bodies at kin [nbody+1], whose A need not be rotations: f [6 nbody] (force ground, torque body), and
 * unless NULL K, D [6 nbody][6 nbody] by small motions and by velocities. room: tni_cosine_room(s) numbers. */
size_t tni_cosine_room(const tni_data *s);
void tni_cosine_forces(tni_data *s, double t, const tni_kin *kin, double *room, double *f, double *K, double *D);

#endif
