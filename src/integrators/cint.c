/* integrators/cint.c - two interlaced chains of leaps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/cint.h"

#include <math.h>

tn_status tni_cint_create(tni_arena *arena, const tni_data *s, tni_cint *out) {
  out->s = s;
  for (int i = 0; i < 3; i++) {
    TNI_ARENA_NEW(arena, out->q[i], s->nq);
    TNI_ARENA_NEW(arena, out->v[i], s->nv);
  }
  TNI_ARENA_NEW(arena, out->a_before, s->nv);
  TNI_ARENA_NEW(arena, out->a, s->nv);
  TNI_ARENA_NEW(arena, out->dx, s->nv);
  return TN_OK;
}

/* rotations of the mid-point rule: shorter by |h w|^3/48 */
static void shorten_turns(tni_cint *c) {
  const tni_layout *L = c->s->layout;
  for (int b = 0; b < L->nnode; b++) {
    double sum[2] = {0, 0};
    tni_layout_squares(L, b, c->dx, sum);
    double turn = sqrt(sum[1]);
    if (!(turn > 0)) continue;
    for (int k = L->vadr[b]; k < L->vadr[b] + L->size[b]; k++)
      if (L->role[k] >= TNI_ROLE_TURN) c->dx[k] *= 4*atan(0.25*turn)/turn;
  }
}

void tni_cint_begin(tni_cint *c, double h, const double *q, const double *v, const double *a,
                    const double *v_m, const double *a_m) {
  const tni_data *s = c->s;
  size_t nv = (size_t)s->nv;
  c->h = h;
  memcpy(c->q[0], q, (size_t)s->nq*sizeof(double));
  memcpy(c->v[0], v, nv*sizeof(double));
  memcpy(c->a_before, a, nv*sizeof(double));
  for (size_t i = 0; i < nv; i++) {
    c->v[1][i] = v[i] + 0.5*h*a_m[i];
    c->dx[i] = 0.5*h*v_m[i];
  }
  tni_retract(s, c->q[0], c->dx, c->q[1]);
}

void tni_cint_leap(tni_cint *c, const double *a) {
  const tni_data *s = c->s;
  memcpy(c->a, a, (size_t)s->nv*sizeof(double));
  for (int i = 0; i < s->nv; i++) {
    c->v[2][i] = c->v[0][i] + c->h*a[i];
    c->dx[i] = c->h*c->v[1][i];
  }
  if (c->midpoint) shorten_turns(c);
  tni_retract(s, c->q[0], c->dx, c->q[2]);
  double *q = c->q[0], *v = c->v[0], *old = c->a_before;
  c->q[0] = c->q[1], c->q[1] = c->q[2], c->q[2] = q;
  c->v[0] = c->v[1], c->v[1] = c->v[2], c->v[2] = v;
  c->a_before = c->a, c->a = old;
}

void tni_cint_lagged(const tni_cint *c, double *v) {
  for (int i = 0; i < c->s->nv; i++) v[i] = c->v[0][i] + 0.5*c->h*c->a_before[i];
}
