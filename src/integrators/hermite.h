/* integrators/hermite.h - dense output of methods whose steps have two ends
 *
 * Hermite polynomials of degree three through the ends of the step, positions along the way from one to the other:
 * of fourth order, above that of the methods that use it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_HERMITE_H
#define TNI_HERMITE_H

#include "integrators/common.h"

typedef struct tni_hermite {
  tni_state old;         /* at t_old                                          */
  double *way, *dx;      /* [nv] from one end to the other, once asked for; scratch */
  double zdot_old[TNI_NZ], zdot[TNI_NZ];
  bool has_way;
} tni_hermite;

static inline tn_status tni_hermite_create(tni_integrator *it, tni_hermite *out) {
  TN_TRY(tni_state_create_in(&it->arena, it->s, &out->old));
  TNI_ARENA_NEW(&it->arena, out->way, it->s->nv);
  TNI_ARENA_NEW(&it->arena, out->dx, it->s->nv);
  return TN_OK;
}

/* a step begins at the state of it */
static inline void tni_hermite_begin(const tni_integrator *it, tni_hermite *h) {
  tni_state_copy(&h->old, it->s, &it->now);
  memcpy(h->zdot_old, h->zdot, sizeof(h->zdot));
  h->has_way = false;
}

static inline void tni_hermite_interpolate(const tni_integrator *it, tni_hermite *e, double t, double *q, double *v,
                                           double *z) {
  const tni_data *s = it->s;
  const tni_state *old = &e->old;
  double h = it->now.t - it->t_old, x = h > 0 ? (t - it->t_old)/h : 1;
  double to = x*x*(3 - 2*x), from_v = h*x*(1 - x)*(1 - x), to_v = h*x*x*(x - 1);
  if (!e->has_way) tni_difference(s, old->q, it->now.q, e->way);
  e->has_way = true;
  for (int i = 0; i < s->nv; i++) {
    e->dx[i] = to*e->way[i] + from_v*old->v[i] + to_v*it->now.v[i];
    if (v) v[i] = (1 - to)*old->v[i] + to*it->now.v[i] + from_v*old->a[i] + to_v*it->now.a[i];
  }
  if (q) tni_retract(s, old->q, e->dx, q);
  for (int i = 0; i < TNI_NZ && z; i++)
    z[i] = (1 - to)*old->z[i] + to*it->now.z[i] + from_v*e->zdot_old[i] + to_v*e->zdot[i];
}

#endif
