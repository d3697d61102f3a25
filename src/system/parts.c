/* system/parts.c - the parts of a model within a cartesian system
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/parts.h"

#include <math.h>
#include <stdio.h>

#include "linsolve/sparse.h"
#include "parallel/halo.h"
#include "system/common.h"

tn_status tni_parts_create(tni_arena *arena, const tn_model *m, const tni_layout *L, tni_parts **out) {
  *out = NULL;
  if (m->npart == 0) return TN_OK;
  tni_parts *p;
  int *at;
  TNI_ARENA_NEW(arena, p, 1);
  TNI_ARENA_NEW(arena, at, m->npart + 1);
  TNI_ARENA_NEW(arena, p->places, m->npart);
  for (int i = 0; i < m->npart; i++) at[i+1] = at[i] + m->part[i].nv;
  p->n = m->npart;
  p->part = m->part;
  p->nv = at[m->npart];
  p->at = at;
  p->q0 = L->nq - p->nv;
  p->v0 = L->nv - p->nv;
  p->failed = -1;
  p->linear = true;
  for (int i = 0; i < p->n; i++) {
    p->linear = p->linear && p->part[i].linear;
    p->bodies_coupled = p->bodies_coupled || p->part[i].ops->mass;
  }
  *out = p;
  return TN_OK;
}

tn_status tni_parts_begin(tni_data *s) {
  if (!s->parts) return TN_OK;
  const tni_parts *shared = s->parts;
  tni_parts *p;
  tni_arena *a = &s->arena;
  TNI_ARENA_NEW(a, p, 1);
  *p = *shared;
  TNI_ARENA_NEW(a, p->u, p->nv);
  TNI_ARENA_NEW(a, p->v, p->nv);
  TNI_ARENA_NEW(a, p->f, p->nv);
  TNI_ARENA_NEW(a, p->work, p->n);
  s->parts = p;
  if (tni_parts_coupled(p)) {
    TNI_ARENA_NEW(a, p->masses, p->n);
    TNI_ARENA_NEW(a, p->mass_failed, p->n);
    TNI_ARENA_NEW(a, p->scratch, p->nv);
  }
  for (int i = 0; i < p->n; i++) TN_TRY(p->part[i].ops->begin(&p->part[i], a, &p->work[i]));
  return TN_OK;
}

void tni_parts_initial(const tni_data *s, double *q, double *v) {
  const tni_parts *p = s->parts;
  for (int i = 0; p && i < p->n; i++) {
    size_t bytes = (size_t)p->part[i].nv*sizeof(double);
    if (q) memcpy(q + p->q0 + p->at[i], p->start ? p->start + p->at[i] : p->part[i].u0, bytes);
    if (v) memcpy(v + p->v0 + p->at[i], p->start_v ? p->start_v + p->at[i] : p->part[i].v0, bytes);
  }
}

void tni_parts_set(tni_data *s, double t, const double *q, const double *v) {
  tni_parts *p = s->parts;
  if (!p) return;
  if (p->lent_u && p->lent_u == q + p->q0 && v && p->lent_v == v + p->v0 && p->t == t) return; /* they stand there */
  p->lent_u = p->lent_v = NULL;
  p->t = t;
  size_t bytes = (size_t)p->nv*sizeof(double);
  memcpy(p->u, q + p->q0, bytes);
  if (v) memcpy(p->v, v + p->v0, bytes);
  else memset(p->v, 0, bytes);
}

void tni_parts_settle(const tni_data *s) {
  tni_parts *p = s->parts;
  if (!p || !p->lent_u) return;
  if (p->bring) p->bring(p->away);
  memcpy(p->u, p->lent_u, (size_t)p->nv*sizeof(double));
  memcpy(p->v, p->lent_v, (size_t)p->nv*sizeof(double));
  p->lent_u = p->lent_v = NULL;
}

tni_part_at tni_parts_at(const tni_data *s, int i) {
  const tni_parts *p = s->parts;
  tni_parts_settle(s);
  return (tni_part_at){.t = p->t, .kin = s->kin, .u = p->u + p->at[i], .v = p->still ? NULL : p->v + p->at[i], .memory = s->memory,
                       .unloaded = p->unloaded, .stressed = p->stressed};
}

/* ---- sums over ranks ---------------------------------------------------------------------------- */

void tni_system_sum(const tni_data *s, int n, double *x) {
  tni_comm *c = s->parts ? s->parts->comm : NULL;
  if (!c || tni_comm_sum(c, n, x) == TN_OK) return;
  for (int i = 0; i < n; i++) x[i] = NAN; /* whoever uses them sees at once that they mean nothing */
}

/* shares of forces on nodes that several ranks have come together; energies and powers are those of all */
static void add_up(tni_data *s) {
  tni_parts *p = s->parts;
  double sum[] = {p->squares, s->potential, s->dissipated, s->spent, s->input, p->failed >= 0};
  for (int i = 0; i < p->n; i++)
    if (tni_halo_add(&p->halo[i], p->f + p->at[i]) != TN_OK) break;
  tni_system_sum(s, TNI_COUNT(sum), sum);
  p->squares = sum[0], s->potential = sum[1], s->dissipated = sum[2], s->spent = sum[3], s->input = sum[4];
  p->failed_elsewhere = !(sum[5] == 0);
  for (int i = 0; i < p->nv && p->failed_elsewhere; i++) p->f[i] = NAN;
}

void tni_parts_forces(tni_data *s, double *f6) {
  tni_parts *p = s->parts;
  if (!p) return;
  if (p->ask && p->lent_u) {
    tni_energies e;
    p->ask(p->away, &e, &p->squares);
    p->failed = -1;
    s->potential += e.potential;
    s->dissipated += e.dissipated;
    s->spent += e.spent;
    s->input += e.input;
    for (int i = 0; i < p->nv; i++) p->f[i] = NAN;
    return;
  }
  p->failed = -1;
  p->squares = 0;
  for (int i = 0; i < p->n; i++) {
    tni_part_at at = tni_parts_at(s, i);
    tni_part_out out = {.f = p->f + p->at[i], .f6 = f6};
    if (!p->part[i].ops->force(&p->part[i], p->work[i], &at, &out)) {
      /* whoever uses them sees at once that they mean nothing */
      for (int k = 0; k < p->part[i].nv; k++) out.f[k] = NAN;
      p->failed = i;
    }
    p->squares += out.squares;
    s->potential += out.potential;
    s->dissipated += out.dissipated;
    s->spent += out.spent;
    s->input += out.input;
  }
  if (p->comm) add_up(s);
}

/* ---- masses that are not diagonal --------------------------------------------------------------- */

bool tni_parts_coupled(const tni_parts *p) {
  for (int i = 0; p && i < p->n; i++)
    if (p->part[i].coupled) return true;
  return false;
}

void tni_parts_apply_mass(const tni_parts *p, const double *x, double *y) {
  for (int i = 0; p && i < p->n; i++) {
    const tni_part_mass *M = p->part[i].coupled;
    if (!M) continue;
    const double *from = x + p->at[i];
    double *to = y + p->at[i];
    for (int k = 0; k < p->part[i].nv; k++) {
      double sum = 0;
      for (int j = M->ptr[k]; j < M->ptr[k+1]; j++) sum += M->value[j]*from[M->ind[j]];
      to[k] = sum;
    }
  }
}

/* factors when first asked for: statics and modes never do */
static tn_status factor_mass(tni_data *s, int i) {
  const tni_parts *p = s->parts;
  const tni_part_mass *M = p->part[i].coupled;
  tni_sparse_opts o = {.symmetric = true, .scales = true, .least = 1e-14, .relative = true};
  TN_TRY(tni_sparse_solver_create(s->ctx, p->part[i].nv, M->ptr, M->ind, &o, &p->masses[i]));
  return tni_sparse_solver_factor(p->masses[i], M->value);
}

void tni_parts_solve_mass(void *user, const double *f, double *x) {
  tni_data *s = user;
  const tni_parts *p = s->parts;
  for (int i = 0; i < p->n; i++) {
    if (!p->part[i].coupled || p->part[i].coupled->idle) continue;
    size_t bytes = (size_t)p->part[i].nv*sizeof(double);
    double *to = x + p->ahead + p->at[i];
    if (!p->masses[i] && !p->mass_failed[i]) p->mass_failed[i] = factor_mass(s, i) != TN_OK;
    if (p->mass_failed[i]) {
      /* whoever uses them sees at once that they mean nothing */
      for (int k = 0; k < p->part[i].nv; k++) to[k] = NAN;
      continue;
    }
    memcpy(p->scratch, f + p->ahead + p->at[i], bytes);
    tni_sparse_solver_solve(p->masses[i], 1, false, p->scratch);
    memcpy(to, p->scratch, bytes);
  }
}

void tni_parts_end(tni_data *s) {
  tni_parts *p = s->parts;
  for (int i = 0; p && p->masses && i < p->n; i++) tni_sparse_solver_destroy(&p->masses[i]);
}

/* ---- steps as a whole ---------------------------------------------------------------------------- */

tn_status tni_system_march_begin(tni_data *s, tni_arena *arena, bool *can) {
  tni_parts *p = s->parts;
  *can = p && s->nq == p->nv && s->nv == p->nv && s->m == 0 && !s->hold && s->model->nforce == 0;
  for (int i = 0; i < (p ? p->n : 0) && *can; i++) {
    const tni_part *part = &p->part[i];
    *can = part->ops->march != NULL;
    if (*can) TN_TRY(part->ops->march_begin(part, p->work[i], arena, can));
  }
  return TN_OK;
}

void tni_system_march_end(tni_data *s) { tni_parts_settle(s); }

void tni_system_march_set(tni_data *s, const double *q, const double *v, const double *a) {
  const tni_parts *p = s->parts;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)p->at[i];
    p->part[i].ops->march_set(&p->part[i], p->work[i], q + at, v + at, a + at);
  }
}

void tni_system_march_get(tni_data *s, double back, double *q, double *v, double *a) {
  const tni_parts *p = s->parts;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)p->at[i];
    p->part[i].ops->march_get(&p->part[i], p->work[i], back, q + at, v + at, a + at);
  }
}

tni_marched tni_system_march(tni_data *s, tni_march *m) {
  tni_parts *p = s->parts;
  double sum[] = {0, 0, 0, 0, 0, 0}; /* parts without a step, along, kinetic energy, of loads */
  bool loads = true;
  for (int i = 0; i < p->n; i++) loads = p->part[i].ops->march_loads(&p->part[i], p->work[i], m->t) && loads;
  if (!loads && !p->comm) return TNI_MARCH_NOT; /* other ranks go on, and see it in the sums */
  p->lent_u = p->lent_v = NULL;
  s->work.naccel++;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)p->at[i];
    tni_part_march part = {.t = m->t, .h = m->h, .halo = p->halo ? &p->halo[i] : NULL, .f = p->f + at};
    if (!p->part[i].ops->march(&p->part[i], p->work[i], &part)) sum[0]++;
    sum[1] += part.along;
    sum[2] += part.kinetic;
    sum[3] += part.power, sum[4] += part.more, sum[5] += part.less;
  }
  tni_system_sum(s, TNI_COUNT(sum), sum);
  if (!(sum[0] == 0)) return TNI_MARCH_LOST;
  m->along = sum[1];
  p->lent_kinetic = sum[2];
  m->power = sum[3], m->more = sum[4], m->less = sum[5];
  p->t = m->t;
  p->lent_u = m->q, p->lent_v = m->v;
  s->stands = TNI_STANDS_BODIES;
  return TNI_MARCH_DONE;
}

double tni_parts_kinetic(const tni_data *s) {
  const tni_parts *p = s->parts;
  double sum = 0;
  if (p && p->lent_u) return p->lent_kinetic;
  for (int i = 0; p && i < p->n; i++) {
    const tni_part *part = &p->part[i];
    const double *v = p->v + p->at[i];
    const tni_part_mass *M = part->coupled;
    double own = 0;
    const bool *owned = p->owned ? p->owned + p->at[i] : NULL;
    for (int k = 0; k < part->nv && !M; k++)
      if (!owned || owned[k]) own += part->mass[k]*v[k]*v[k];
    for (int k = 0; k < part->nv && M; k++)
      for (int j = M->ptr[k]; j < M->ptr[k+1]; j++) own += v[k]*M->value[j]*v[M->ind[j]];
    sum += 0.5*own;
    if (!part->ops->kinetic) continue;
    tni_part_at at = tni_parts_at(s, i);
    sum += part->ops->kinetic(part, p->work[i], &at);
  }
  return sum;
}

void tni_parts_commit(tni_data *s) {
  tni_parts *p = s->parts;
  for (int i = 0; p && i < p->n && !p->ask; i++) { /* pieces write their own */
    if (p->part[i].nmemory == 0) continue;
    tni_part_at at = tni_parts_at(s, i);
    p->part[i].ops->commit(&p->part[i], p->work[i], &at, s->memory);
  }
}

bool tni_parts_have_path(const tni_data *s) {
  const tni_parts *p = s->parts;
  for (int i = 0; p && i < p->n && !p->ask; i++)
    if (p->part[i].path) return true;
  return false;
}

void tni_parts_increment(tni_data *s, double *memory) {
  tni_parts *p = s->parts;
  for (int i = 0; p && i < p->n; i++) {
    if (!p->part[i].path) continue;
    tni_part_at at = tni_parts_at(s, i);
    at.memory = memory;
    p->part[i].ops->increment(&p->part[i], p->work[i], &at, memory);
  }
}

double tni_parts_norm(const tni_data *s, const double *a) {
  const tni_parts *p = s->parts;
  double sum = 0;
  for (int i = 0; p && i < p->n; i++)
    for (int k = 0; k < p->part[i].nv; k++) {
      double f = p->part[i].mass[k]*a[p->v0 + p->at[i] + k];
      sum += f*f;
    }
  return sqrt(sum);
}

tn_status tni_parts_trouble(const tni_data *s) {
  const tni_parts *p = s->parts;
  if (!p || (p->failed < 0 && !p->failed_elsewhere)) return TN_OK;
  char why[400];
  tn_status own = TN_OK;
  if (p->failed >= 0) {
    const tni_part *part = &p->part[p->failed];
    part->ops->trouble(part, p->work[p->failed], why, sizeof(why));
    own = TN_FAIL(s->ctx, TN_SINGULAR, "structure '%s' at t = %g s: %s", part->name, p->t, why);
  }
  return p->comm ? tni_comm_agree(p->comm, own) : own;
}

int tni_parts_owner(const tni_data *s, int k, int *unknown) {
  const tni_parts *p = s->parts;
  if (!p || k < p->v0) return -1;
  int i = 0;
  while (i + 1 < p->n && p->at[i+1] <= k - p->v0) i++;
  *unknown = k - p->v0 - p->at[i];
  return i;
}

double tni_system_rate(tni_data *s, double *damping) {
  const tni_parts *p = s->parts;
  double most = 0;
  *damping = 0;
  for (int i = 0; p && i < p->n; i++) {
    tni_part_at at = tni_parts_at(s, i);
    double part = 0, rate = p->part[i].ops->rate(&p->part[i], p->work[i], &at, &part);
    most = fmax(most, rate);
    *damping = fmax(*damping, part);
  }
  double all[] = {most, *damping};
  if (p && p->comm && tni_comm_max(p->comm, TNI_COUNT(all), all) != TN_OK) all[0] = NAN;
  *damping = all[1];
  return all[0];
}

double tni_system_loads_along(const tni_data *s, const double *x) {
  const tni_parts *p = s->parts;
  double sum = 0;
  for (int i = 0; p && i < p->n; i++)
    if (p->part[i].ops->along) sum += p->part[i].ops->along(&p->part[i], p->work[i], p->t, x + p->v0 + p->at[i]);
  return sum;
}

double tni_system_forces_along(const tni_data *s, const double *x) {
  const tni_parts *p = s->parts;
  double sum = 0;
  for (int i = 0; p && i < p->nv; i++)
    if (!p->owned || p->owned[i]) sum += p->f[i]*x[p->v0 + i];
  return sum;
}

bool tni_system_rate_changes(const tni_data *s) { return s->parts && !s->parts->linear; }

bool tni_system_is_linear(const tni_data *s) { return s->parts && s->parts->linear && s->m == 0 && s->nbody == 0; }
