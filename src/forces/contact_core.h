/* forces/contact_core.h - distance of two rounded bodies that changes smoothly with their poses
 *
 * A capsule is a segment, a box with rounded edges a smaller box, a sphere a point, each with a layer
 * of the thickness `radius` around it. This core is x(s) = c + sum e_k s_k, |s_k| <= half_k. Where two
 * cores are parallel their closest points are not unique, and jump from end to end when one of them
 * tilts. So core 1 is divided into 2^n parts, from its middle to each of its corners w, and for each
 *
 *   D^2 = min over s in the part, t in core 2 of  |x1(s) - x2(t)|^2 + rho |s - w|^2
 *
 * takes the place of the distance. The minimum is unique and goes on smoothly; a box that lies on
 * another one touches it at the corners of their common face. D is too long by rho |s - w|^2/(2 D), and
 * because it is a minimum its change has one term only, whatever s and t do:
 *
 *   dD = (d/D) n.(dx1 - dx2),   d n = x1 - x2, |n| = 1,  dx: points fixed on the bodies
 *
 * A force -N dD/dx does exactly the work of a potential of D.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CONTACT_CORE_H
#define TNI_CONTACT_CORE_H

#include <stdbool.h>

#include "base/vec.h"

typedef struct tni_core {
  int n;             /* directions in which it extends: 0 point, 1 segment, 3 box */
  double half[3];
  double axis[3][3]; /* unit, on the body                                         */
  double c[3];       /* centre, on the body                                       */
  double radius;     /* thickness of the layer                                    */
} tni_core;

enum { TNI_CORE_MAX = 6 };

/* closest points of part of core 1 and of core 2; vectors in ground axes */
typedef struct tni_gap {
  int n, n1;                     /* unknowns: s, then t                             */
  double rho;
  double e[TNI_CORE_MAX][3];     /* of x1 - x2 by each                              */
  double lo[TNI_CORE_MAX], hi[TNI_CORE_MAX], want[TNI_CORE_MAX], s[TNI_CORE_MAX];
  int nfree, free[TNI_CORE_MAX]; /* those between their bounds                      */
  double L[TNI_CORE_MAX*TNI_CORE_MAX]; /* Cholesky factor for them                  */
  double x1[3], z[3], n12[3];    /* point on core 1; x1 - x2; its direction         */
  double d, D;
} tni_gap;

/* Small against (thickness/length)^2, so that D stays the distance; the thickness over rho is how far the
 * point of contact of parallel surfaces moves per angle. */
/* How far apart two cores are at least, and the parts of the first from the second: along the axes of both and
 * between the balls around them. Much cheaper than a gap, and enough for most pairs of a heap. */
typedef struct tni_apart {
  double least;             /* of the whole cores                                        */
  bool far;                 /* by more than twice their size: nothing else is known      */
  double z1[3], z2[3];      /* separation of the centres along the axes of the two       */
  double R[3][3];           /* cosines between them                                      */
  double z;                 /* length of the separation                                  */
} tni_apart;
void tni_apart_look(const tni_core core[2], const double *const A[2], const double *const r[2],
                    tni_apart *a);
double tni_apart_part(const tni_core core[2], const tni_apart *a, int part);

double tni_core_rho(const tni_core core[2]);

/* A: orientation, r: place of the two bodies; part 0 .. 2^n - 1 */
void tni_gap_find(const tni_core core[2], double rho, int part, const double *const A[2],
                  const double *const r[2], tni_gap *g);

/* the cores themselves touch: the layers are used up, there is no normal any more */
bool tni_gap_closed(const tni_gap *g);

/* change of (s, t) when x1 - x2 moves by dz at fixed (s, t) while the axes of body b turn by turn[b]
 * [ground axes] */
void tni_gap_vary(const tni_gap *g, const double dz[3], const double turn[2][3],
                  double ds[TNI_CORE_MAX]);

#endif
