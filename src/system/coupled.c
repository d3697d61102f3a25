/* system/coupled.c - mass that couples the velocities of bodies and of a part: reduced bodies
 *
 * The mass of a cartesian system is D, block by block, and Z, dense on the few velocities J of the bodies that carry such parts and
 * of the parts themselves. The solvers know D alone. With P the solution for a load without Z,
 *
 *   D a + C^T lambda = f - E Z a_J,   C a = gamma    ->    (1 + P_JJ Z) a_J = a0_J,   then once more with f - E Z a_J,
 *
 * one solution per velocity of such a body: exact, whatever solver serves, and the choice of rows is not touched.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/lapack.h"
#include "system/cartesian.h"
#include "system/parts.h"

struct tni_coupled {
  int n, nbody;      /* velocities in J, of bodies first                                    */
  const int *at;     /* [n] in v                                                            */
  const int *const *place; /* [nparts][6 ncarrier + nv] in J, -1: the layout has no such velocity */
  double *Z, *P, *own; /* [n][n], [n][n], the mass of one part                              */
  double *x, *y, *l, *f; /* [n], [nv], [m], [nv]                                            */
  int *pivot;
};

static int size_of(const tni_part *p) { return 6*p->ncarrier + p->nv; }

/* velocity `role` of a body, -1: it has none */
static int velocity_of(const tni_layout *L, int body, int role) {
  for (int k = L->vadr[body]; k < L->vadr[body] + L->size[body]; k++)
    if (L->role[k] == role) return k;
  return -1;
}

tn_status tni_coupled_create(tni_cartesian *c) {
  const tni_data *s = &c->base;
  const tni_parts *parts = s->parts;
  tni_arena *a = &c->base.arena;
  struct tni_coupled *w;
  int *in, *at, **place;
  TNI_ARENA_NEW(a, w, 1);
  TNI_ARENA_NEW(a, in, s->nv);
  TNI_ARENA_NEW(a, at, s->nv);
  TNI_ARENA_NEW(a, place, parts->n);
  for (int i = 0; i < parts->n; i++) {
    const tni_part *p = &parts->part[i];
    for (int k = 0; k < p->ncarrier && p->ops->mass; k++)
      for (int j = c->layout.vadr[p->carrier[k]]; j < c->layout.vadr[p->carrier[k]] + c->layout.size[p->carrier[k]]; j++)
        in[j] = 1;
  }
  for (int j = 0; j < parts->v0; j++)
    if (in[j]) in[j] = w->n + 1, at[w->n++] = j;
  w->nbody = w->n;
  for (int i = 0; i < parts->n; i++) {
    const tni_part *p = &parts->part[i];
    if (!p->ops->mass) continue;
    TNI_ARENA_NEW(a, place[i], size_of(p));
    for (int k = 0; k < p->ncarrier; k++)
      for (int r = 0; r < 6; r++) {
        int v = velocity_of(&c->layout, p->carrier[k], r);
        place[i][6*k + r] = v < 0 ? -1 : in[v] - 1;
      }
    for (int k = 0; k < p->nv; k++) {
      place[i][6*p->ncarrier + k] = w->n;
      at[w->n++] = parts->v0 + parts->at[i] + k;
    }
  }
  w->at = at;
  w->place = (const int *const *)place;
  c->coupled = w;
  return TN_OK;
}

tn_status tni_coupled_begin(tni_cartesian *c) {
  const struct tni_coupled *shared = c->coupled;
  const tni_parts *parts = c->base.parts;
  tni_arena *a = &c->base.arena;
  struct tni_coupled *w;
  size_t n = (size_t)shared->n, most = 0;
  TNI_ARENA_NEW(a, w, 1);
  *w = *shared;
  for (int i = 0; i < parts->n; i++) {
    size_t own = (size_t)size_of(&parts->part[i]);
    if (parts->part[i].ops->mass && own > most) most = own;
  }
  TNI_ARENA_NEW(a, w->Z, n*n);
  TNI_ARENA_NEW(a, w->P, n*n);
  TNI_ARENA_NEW(a, w->own, most*most);
  TNI_ARENA_NEW(a, w->x, n);
  TNI_ARENA_NEW(a, w->pivot, n);
  TNI_ARENA_NEW(a, w->y, c->base.nv);
  TNI_ARENA_NEW(a, w->f, c->base.nv);
  TNI_ARENA_NEW(a, w->l, c->base.m);
  c->coupled = w;
  return TN_OK;
}

/* Z where the parts stand */
static bool eval_mass(tni_cartesian *c) {
  struct tni_coupled *w = c->coupled;
  tni_parts *parts = c->base.parts;
  memset(w->Z, 0, (size_t)w->n*(size_t)w->n*sizeof(double));
  for (int i = 0; i < parts->n; i++) {
    const tni_part *p = &parts->part[i];
    if (!p->ops->mass) continue;
    tni_part_at at = tni_parts_at(&c->base, i);
    int n = size_of(p);
    if (!p->ops->mass(p, parts->work[i], &at, w->own)) {
      parts->failed = i;
      return false;
    }
    for (int r = 0; r < n; r++)
      for (int k = 0; k < n && w->place[i][r] >= 0; k++)
        if (w->place[i][k] >= 0)
          w->Z[(size_t)w->place[i][r]*(size_t)w->n + (size_t)w->place[i][k]] += w->own[(size_t)r*(size_t)n + (size_t)k];
  }
  return true;
}

/* y [n] := Z x [n] */
static void times(const struct tni_coupled *w, const double *x, double *y) {
  for (int r = 0; r < w->n; r++) {
    const double *row = w->Z + (size_t)r*(size_t)w->n;
    double sum = 0;
    for (int k = 0; k < w->n; k++) sum += row[k]*x[k];
    y[r] = sum;
  }
}

void tni_coupled_apply(tni_cartesian *c, const double *x, double *y) {
  struct tni_coupled *w = c->coupled;
  bool fine = eval_mass(c);
  for (int k = 0; k < w->n; k++) w->x[k] = x[w->at[k]];
  times(w, w->x, w->P);
  for (int k = 0; k < w->n; k++) y[w->at[k]] += fine ? w->P[k] : NAN;
}

tn_status tni_coupled_solve(tni_cartesian *c, double *a, double *lambda) {
  struct tni_coupled *w = c->coupled;
  tni_data *s = &c->base;
  size_t n = (size_t)w->n, nv = (size_t)s->nv*sizeof(double);
  if (!eval_mass(c)) return tni_parts_trouble(s);
  /* columns of P_JJ, then row by row A = 1 + P Z; P is symmetric. A^T by LAPACK's order of columns */
  memset(w->P, 0, n*n*sizeof(double));
  memset(w->f, 0, nv);
  for (int k = 0; k < w->n; k++) {
    double *col = w->P + (size_t)k*n;
    if (k >= w->nbody) {
      col[k] = c->point_minv[w->at[k] - c->d*c->npose];
      continue;
    }
    w->f[w->at[k]] = 1;
    tni_kkt_solve(c->solver, w->f, NULL, w->y, w->l);
    w->f[w->at[k]] = 0;
    for (int i = 0; i < w->nbody; i++) col[i] = w->y[w->at[i]];
  }
  for (size_t i = 0; i < n; i++) {
    double *row = w->P + i*n; /* row i of P becomes row i of 1 + P Z */
    for (size_t k = 0; k < n; k++) w->x[k] = k == i;
    for (size_t j = 0; j < n; j++) {
      const double *z = w->Z + j*n;
      if (row[j] == 0) continue;
      for (size_t k = 0; k < n; k++) w->x[k] += row[j]*z[k];
    }
    memcpy(row, w->x, n*sizeof(double));
  }
  for (size_t k = 0; k < n; k++) w->x[k] = a[w->at[k]];
  if (tni_getrf(w->n, w->n, w->P, w->n, w->pivot) != 0)
    return TN_FAIL(s->ctx, TN_SINGULAR, "the mass of a reduced body is not positive: its interface bodies have no mass of their own");
  tni_getrs('T', w->n, 1, w->P, w->n, w->pivot, w->x, w->n);
  times(w, w->x, w->P);
  memcpy(w->f, c->f, nv);
  for (size_t k = 0; k < n; k++) w->f[w->at[k]] -= w->P[k];
  tni_kkt_solve(c->solver, w->f, c->gamma, a, lambda);
  return TN_OK;
}
