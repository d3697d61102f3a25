/* base/curve.h - smooth curves in space through points: rails, cams, roads, guides
 *
 * A cubic spline c(s), C2, parametrised by cumulative chord length: |c'| stays near 1. An open
 * curve has no curvature at its ends and goes on straight beyond them; a closed one is periodic.
 *
 * The normal frame (t, n1, n2) is right-handed and continuous. In each piece n2 = t x m/|t x m|
 * and n1 = n2 x t, where m is n1 at the end of the piece before: no twist about t at the start of a
 * piece, little inside it. Pieces are segments, cut where the tangent turns far. A planar curve has
 * n2 constant, and n2 = z in a plane of constant z. On a closed space curve the frame that would
 * come back turned is given an even twist that closes it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CURVE_H
#define TNI_CURVE_H

#include "base/base.h"

/* Constant once created. Segment k covers knot[k] <= s < knot[k+1] and is
 * c0 + c1 d + c2 d^2 + c3 d^3 with d = s - knot[k]. */
typedef struct {
  int nsegment;
  bool closed;
  double length;       /* s runs over [0, length]; the period of a closed curve          */
  const double *knot;  /* [nsegment+1]                                                   */
  const double *coef;  /* [nsegment][4][3]                                               */
  int npiece;          /* of the frame                                                   */
  const double *cut;   /* [npiece+1] where they begin and end                            */
  const double *guide; /* [npiece][3] the vector m                                       */
  double twist;        /* turn of n1, n2 about t per unit of s; 0 unless closed in space */
} tni_curve;

typedef enum {
  TNI_CURVE_CHORD, /* s is chord length, in the unit of the points */
  TNI_CURVE_UNIT   /* s is scaled to [0, 1]                        */
} tni_curve_scale;

/* Create in the arena the curve through n points, xyz[3 n]: n >= 2, neighbours distinct; closed
 * n >= 3, without repeating the first point at the end.
 * Returns TN_ERR_INPUT naming the offending point, TN_ERR_MEMORY. */
tn_status tni_curve_create(tni_arena *arena, int n, const double *xyz, bool closed,
                           tni_curve_scale scale, const tni_curve **out);

/* c, c', ... up to the given order <= 3 into c[0..order]; c''' jumps at the knots */
void tni_curve_eval(const tni_curve *curve, double s, int order, double c[][3]);

/* Frame and its first two derivatives by s: t[k], n1[k], n2[k] for k = 0..order, order <= 2.
 * Derivatives jump where pieces meet. */
void tni_curve_frame(const tni_curve *curve, double s, int order, double t[][3], double n1[][3],
                     double n2[][3]);

/* s of a point of the curve where c - p is normal to it: the local minimum of the distance that
 * steps from the guess reach without ever going farther away. For a closed curve s continues the
 * guess: it is not brought back to [0, length]. */
double tni_curve_project(const tni_curve *curve, const double p[3], double guess);

/* s of a point of the curve nearest to p among all, extensions included; distance may be NULL */
double tni_curve_nearest(const tni_curve *curve, const double p[3], double *distance);

#endif
