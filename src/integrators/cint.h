/* integrators/cint.h - two interlaced chains of leaps (CINT of the staggered method)
 *
 * Stations are half a step h apart. Every leap goes over a whole step with what the station in its
 * middle knows:
 *
 *   v_{k+1} = v_{k-1} + h a_k,      q_{k+1} = q_{k-1} (+) h v_k
 *
 * (+) turns by the rotation vector, exactly; or, as published, by the mid-point rule for Euler parameters,
 * q_b = (1 + h/2 A)^2 q_a/(1 + |h w|^2/16), which is a turn about the same axis by 4 atan(|h w|/4). Positions at even and velocities at odd stations are
 * one chain, the others the second; each lends the other the velocity that gyroscopic terms and
 * moving constraints need. Nothing but vectors goes in and out: the accelerations come from whoever
 * knows forces and multipliers.
 *
 * Two chains drift apart in the long run (a leap has a parasitic root at -1): begin again from one
 * station now and then.
 *
 * Source: Park, Chiou, Downer, JGCD 13 (1990) 562.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CINT_H
#define TNI_CINT_H

#include "system/system.h"

typedef struct tni_cint {
  const tni_data *s;
  double h;             /* whole step                                  */
  bool midpoint;        /* turn by the mid-point rule of the papers    */
  double *q[3], *v[3];  /* stations k-1, k, and room for k+1           */
  double *a_before, *a; /* [nv] accelerations at stations k-1, k       */
  double *dx;           /* [nv]                                        */
} tni_cint;

tn_status tni_cint_create(tni_arena *arena, const tni_data *s, tni_cint *out);
/* Begin at (q, v) with its accelerations a: that becomes station k-1, and station k, half a step
 * later, is on both chains: v_k = v + h/2 a_m, q_k = q (+) h/2 v_m with velocities and accelerations
 * halfway between the two. */
void tni_cint_begin(tni_cint *c, double h, const double *q, const double *v, const double *a,
                    const double *v_m, const double *a_m);
/* from stations k-1, k and the accelerations at k to stations k, k+1 */
void tni_cint_leap(tni_cint *c, const double *a);
/* velocities for forces that dissipate at station k: those of the chain before, carried on by half a
 * step. With v_k itself the leap would turn damping into growth. */
void tni_cint_lagged(const tni_cint *c, double *v);

#endif
