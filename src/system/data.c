/* system/data.c - systems, which never change, and their data, which do
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/blas.h"
#include "system/parts.h"
#include "system/common.h"

tn_status tni_system_new(tn_ctx *ctx, const tn_model *model, const tni_system_ops *ops, size_t size,
                         tni_system **out) {
  *out = NULL;
  TN_TRY(tni_blas_prepare(ctx));
  tni_system *s = tni_alloc(ctx, 1, sizeof(*s));
  tni_data *shape = s ? tni_alloc(ctx, 1, size) : NULL;
  if (!shape) {
    tni_blas_release();
    tni_free(ctx, s);
    return tni_out_of_memory(ctx);
  }
  shape->ops = ops;
  shape->ctx = ctx;
  shape->model = model;
  shape->nbody = model->nbody;
  shape->coldest = -1;
  shape->pivot = 1;
  tni_arena_init(&shape->arena, ctx);
  *s = (tni_system){.ctx = ctx, .size = size, .shape = shape};
  *out = s;
  return TN_OK;
}

void tni_system_destroy(tni_system **s) {
  if (!s || !*s) return;
  tn_ctx *ctx = (*s)->ctx;
  tni_arena_clear(&(*s)->shape->arena);
  tni_free(ctx, (*s)->shape);
  tni_free(ctx, *s);
  tni_blas_release();
  *s = NULL;
}

/* what every representation works with */
static tn_status make_room(tni_data *d, const tni_kin *kin, const double *memory) {
  const tn_model *model = d->model;
  tni_arena *a = &d->arena;
  TNI_ARENA_NEW(a, d->memory, model->nmemory);
  TNI_ARENA_NEW(a, d->kin, model->nbody + 1);
  TNI_ARENA_NEW(a, d->acc, 6*model->nbody);
  TNI_ARENA_NEW(a, d->load, 6*model->nbody);
  d->stands_nq = d->parts ? d->parts->q0 : d->nq;
  d->stands_nv = d->parts ? d->parts->v0 : d->nv;
  TNI_ARENA_NEW(a, d->stands_q, d->stands_nq);
  TNI_ARENA_NEW(a, d->stands_v, d->stands_nv);
  TNI_ARENA_NEW(a, d->aside_q, d->stands_nq);
  TNI_ARENA_NEW(a, d->aside_v, d->stands_nv);
  TNI_ARENA_NEW(a, d->stands_a, d->nv);
  TNI_ARENA_NEW(a, d->force_value, model->nforce);
  TNI_ARENA_NEW(a, d->force_out, model->nforce);
  tni_memory_restore(d, memory ? memory : model->memory0);
  if (kin) {
    tni_kin *origin;
    TNI_ARENA_NEW(a, origin, model->nbody + 1);
    memcpy(origin, kin, ((size_t)model->nbody + 1)*sizeof(*kin));
    d->origin = origin;
  }
  tni_kin_ground(&d->kin[0]);
  for (int i = 0; i < model->nforce; i++)
    TNI_ARENA_NEW(a, d->force_out[i].f, 6*model->force[i].nbody);
  return TN_OK;
}

/* at the start of the model */
static tn_status place(tni_data *d) {
  double *q, *v;
  TNI_ARENA_NEW(&d->arena, q, d->nq);
  TNI_ARENA_NEW(&d->arena, v, d->nv);
  tni_initial(d, q, v);
  tni_eval_bodies(d, 0, q, v, NULL);
  TN_TRY(tni_update_rank(d, 0, q));
  d->work = (tni_work){0};
  return TN_OK;
}

tn_status tni_data_create(const tni_system *s, tni_data **out) {
  return tni_data_create_at(s, NULL, NULL, out);
}

tn_status tni_data_create_at(const tni_system *s, const tni_kin *kin, const double *memory, tni_data **out) {
  *out = NULL;
  tni_data *d = tni_alloc(s->ctx, 1, s->size);
  if (!d) return tni_out_of_memory(s->ctx);
  memcpy(d, s->shape, s->size);
  d->system = s;
  tni_arena_init(&d->arena, s->ctx);
  tn_status st = make_room(d, kin, memory);
  if (st == TN_OK) st = d->ops->begin(d);
  if (st == TN_OK) st = place(d);
  if (st != TN_OK) tni_data_destroy(&d);
  *out = d;
  return st;
}

void tni_data_destroy(tni_data **data) {
  if (!data || !*data) return;
  tni_data *d = *data;
  tn_ctx *ctx = d->ctx;
  tni_system *owned = d->owned;
  if (d->ops->end) d->ops->end(d);
  tni_arena_clear(&d->arena);
  tni_free(ctx, d);
  tni_system_destroy(&owned);
  *data = NULL;
}

tn_status tni_data_own(tni_system *s, tni_data **out) {
  tn_status st = tni_data_create(s, out);
  if (st == TN_OK) (*out)->owned = s;
  else tni_system_destroy(&s);
  return st;
}

/* ---- asking -------------------------------------------------------------------------------- */

void tni_coordinates(const tni_data *s, const tni_kin *kin, double *q, double *v) {
  s->ops->coordinates(s, kin, q, v);
}

void tni_initial(const tni_data *s, double *q, double *v) { s->ops->coordinates(s, s->origin, q, v); }

tn_status tni_state_create_sized(tni_arena *arena, int nq, int nv, int m, tni_state *out) {
  *out = (tni_state){0};
  TNI_ARENA_NEW(arena, out->q, nq + nv + TNI_NZ);
  out->v = out->q + nq;
  out->z = out->v + nv;
  TNI_ARENA_NEW(arena, out->a, nv);
  TNI_ARENA_NEW(arena, out->lambda, m);
  return TN_OK;
}

tn_status tni_state_create(tni_arena *arena, const tni_data *s, tni_state *out) {
  TN_TRY(tni_state_create_sized(arena, s->nq, s->nv, s->m, out));
  TNI_ARENA_NEW(arena, out->memory, s->model->nmemory);
  return TN_OK;
}

tn_status tni_state_create_in(tni_arena *arena, const tni_data *s, tni_state *out) {
  TN_TRY(tni_state_create_sized(arena, s->nq, s->nv, s->m, out));
  out->memory = s->memory;
  return TN_OK;
}

void tni_state_set(tni_state *st, const tni_data *s, double t, const double *q, const double *v, const double *z) {
  st->t = t;
  memmove(st->q, q, (size_t)s->nq*sizeof(double));
  memmove(st->v, v, (size_t)s->nv*sizeof(double));
  memmove(st->z, z, TNI_NZ*sizeof(double));
}

void tni_state_copy(tni_state *to, tni_data *s, const tni_state *from) {
  tni_state_set(to, s, from->t, from->q, from->v, from->z);
  memcpy(to->a, from->a, (size_t)s->nv*sizeof(double));
  memcpy(to->lambda, from->lambda, (size_t)s->m*sizeof(double));
  if (to->memory == from->memory) return;
  tni_memory_copy(s, to->memory, from->memory);
  if (to->memory == s->memory) tni_memory_changed(s);
}

int tni_state_numbers(const tni_data *s) { return s->nq + s->nv + TNI_NZ + s->model->nmemory; }

double *tni_state_write(const tni_state *st, const tni_data *s, double *to) {
  double *v = to + s->nq, *z = v + s->nv, *memory = z + TNI_NZ;
  memcpy(to, st->q, (size_t)s->nq*sizeof(double));
  memcpy(v, st->v, (size_t)s->nv*sizeof(double));
  memcpy(z, st->z, TNI_NZ*sizeof(double));
  tni_memory_copy(s, memory, st->memory);
  return memory + s->model->nmemory;
}

const double *tni_state_read(tni_state *st, tni_data *s, const double *from) {
  const double *v = from + s->nq, *z = v + s->nv, *memory = z + TNI_NZ;
  tni_state_set(st, s, st->t, from, v, z);
  tni_memory_copy(s, st->memory, memory);
  if (st->memory == s->memory) tni_memory_changed(s);
  return memory + s->model->nmemory;
}

void tni_state_keep(tni_state *st, const tni_data *s, double t, const double *q, const double *v) {
  st->t = t;
  memcpy(st->q, q, (size_t)s->nq*sizeof(double));
  if (v) memcpy(st->v, v, (size_t)s->nv*sizeof(double));
  else memset(st->v, 0, (size_t)s->nv*sizeof(double));
  tni_memory_keep(s, st->memory);
}

void tni_memory_copy(const tni_data *s, double *to, const double *from) {
  if (s->model->nmemory) memcpy(to, from, (size_t)s->model->nmemory*sizeof(double));
}

void tni_memory_changed(tni_data *s) { s->stands &= ~(unsigned)TNI_STANDS_FORCES; }

void tni_memory_keep(const tni_data *s, double *out) { tni_memory_copy(s, out, s->memory); }

void tni_memory_restore(tni_data *s, const double *memory) {
  tni_memory_copy(s, s->memory, memory);
  tni_memory_changed(s);
}

/* forces that were evaluated at the state stay known where nobody has evaluated them elsewhere meanwhile */
void tni_eval(tni_data *s, const tni_at *at, const tni_want *want) {
  bool known = (s->stands & TNI_STANDS_FORCES) && s->stands_t == at->t && tni_stands_at(s, at);
  s->ops->eval(s, at, want);
  if (known && s->stands_t == at->t && tni_stands_at(s, at)) s->stands |= TNI_STANDS_FORCES;
  if (want->bodies) {
    s->stands_has_a = at->a != NULL;
    if (at->a) memcpy(s->stands_a, at->a, (size_t)s->nv*sizeof(double));
    s->stands |= TNI_STANDS_ACCELERATIONS;
  }
  if (want->energies) tni_look_energies(s, at, want->energies);
}

void tni_eval_bodies(tni_data *s, double t, const double *q, const double *v, const double *a) {
  tni_at at = {.t = t, .q = q, .v = v, .a = a};
  tni_eval(s, &at, &(tni_want){.bodies = true});
}

void tni_eval_phi(tni_data *s, double t, const double *q, double *phi) {
  tni_at at = {.t = t, .q = q};
  tni_eval(s, &at, &(tni_want){.phi = phi});
}

void tni_eval_rate(tni_data *s, double t, const double *q, const double *v, double *rate) {
  tni_at at = {.t = t, .q = q, .v = v};
  tni_eval(s, &at, &(tni_want){.rate = rate});
}

void tni_eval_balance(tni_data *s, double t, const double *q, const double *v, const double *a,
                      const double *lambda, double *r, double *phi, double *rate, double *gap) {
  tni_at at = {t, q, v, a, lambda};
  tni_eval(s, &at, &(tni_want){.balance = r, .phi = phi, .rate = rate, .gap = gap});
}

void tni_eval_residuals(tni_data *s, double t, const double *q, const double *v, const double *a,
                        tni_residuals *out) {
  tni_at at = {.t = t, .q = q, .v = v, .a = a};
  tni_eval(s, &at, &(tni_want){.residuals = out});
}

void tni_eval_reactions(tni_data *s, double t, const double *q, const double *v, const double *a,
                        const double *lambda, double *wrench) {
  tni_at at = {t, q, v, a, lambda};
  tni_eval(s, &at, &(tni_want){.wrench = wrench});
}

/* those who take them apart know M by blocks */
bool tni_has_terms(const tni_data *s) { return s->ops->has_terms && !(s->parts && s->parts->bodies_coupled); }

void tni_eval_terms(tni_data *s, double t, const double *q, const double *v, const double *v_force,
                    tni_terms *out) {
  tni_at at = {.t = t, .q = q, .v = v};
  tni_eval(s, &at, &(tni_want){.terms = out, .v_force = v_force});
}

tn_status tni_accel(tni_data *s, double t, const double *q, const double *v, double *a,
                    double *lambda, double *zdot) {
  return s->hold ? s->hold->accel(s->hold, s, t, q, v, a, lambda, zdot)
                 : s->ops->accel(s, t, q, v, a, lambda, zdot);
}

tn_status tni_project(tni_data *s, double t, double *q, double *v, const tni_project_opts *opts,
                      tni_project_report *report) {
  if (tni_projects(s)) return s->ops->project(s, t, q, v, opts, report);
  if (report) *report = (tni_project_report){.worst_row = -1};
  tni_normalize(s, q);
  return TN_OK;
}

tn_status tni_project_anyway(tni_data *s, double t, double *q, double *v, const tni_project_opts *opts,
                             tni_project_report *report) {
  return s->ops->project(s, t, q, v, opts, report);
}

/* the factors of a system that somebody else holds are not kept up to date */
bool tni_has_tangential(const tni_data *s) { return s->ops->tangential && !s->hold; }

void tni_tangential(tni_data *s, bool velocity, double *x) { s->ops->tangential(s, velocity, x); }

static tn_status prepare(tni_data *s, tni_prepare what) {
  return s->ops->prepare ? s->ops->prepare(s, what) : TN_OK;
}

tn_status tni_prepare_tangent(tni_data *s) { return prepare(s, TNI_PREPARE_TANGENT); }
tn_status tni_prepare_pattern(tni_data *s) { return prepare(s, TNI_PREPARE_PATTERN); }
tn_status tni_prepare_straight(tni_data *s) { return prepare(s, TNI_PREPARE_STRAIGHT); }

bool tni_has_tangents(const tni_data *s) { return s->ops->tangent != NULL; }

tn_status tni_eval_tangent(tni_data *s, double t, const double *q, const double *v, const double *a,
                           const double *lambda, const tni_tangent *out) {
  tni_at at = {t, q, v, a, lambda};
  return s->ops->tangent(s, &at, out, NULL);
}

tn_status tni_eval_sparse_tangent(tni_data *s, double t, const double *q, const double *v,
                                  const double *a, const double *lambda,
                                  const tni_sparse_tangent *out) {
  tni_at at = {t, q, v, a, lambda};
  return s->ops->tangent(s, &at, NULL, out);
}

void tni_newton_at(tni_data *s, double t, const double *q, const double *v, const double *a, double *r_t) {
  tni_at at = {.t = t, .q = q, .v = v, .a = a};
  s->ops->newton->at(s, &at, r_t);
}

void tni_newton_apply(tni_data *s, const double *dq, const double *dv, const double *da, double *y) {
  s->ops->newton->apply(s, dq, dv, da, y);
}

bool tni_newton_factor(tni_data *s, double m, double g, double b, tni_newton_turns turns) {
  return s->ops->newton->factor(s, m, g, b, turns);
}

void tni_newton_solve(tni_data *s, double *x) { s->ops->newton->solve(s, x); }

bool tni_newton_factor_complex(tni_data *s, const double g[2], const double b[2]) {
  return s->ops->newton->factor_complex(s, g, b);
}

void tni_newton_solve_complex(tni_data *s, double *x) { s->ops->newton->solve_complex(s, x); }

tn_status tni_update_rank(tni_data *s, double t, const double *q) {
  return s->ops->update_rank ? s->ops->update_rank(s, t, q, false) : TN_OK;
}

tn_status tni_follow_rank(tni_data *s, double t, const double *q) {
  return s->ops->update_rank ? s->ops->update_rank(s, t, q, true) : TN_OK;
}

void tni_row_name(const tni_data *s, int row, char *out, size_t n) {
  s->ops->label(s, TNI_NAME_ROW, row, out, n);
}

void tni_dof_name(const tni_data *s, int dof, char *out, size_t n) {
  s->ops->label(s, TNI_NAME_VELOCITY, dof, out, n);
}

const char *tni_row_owner(const tni_data *s, int row) {
  return s->model->joint[s->model->con[s->row_con[row]].joint].name;
}

const char *tni_name_of_body(const tni_data *s, int i) { return s->model->body[i].name; }

void tni_describe(const tni_data *s, char *out, size_t n) { s->ops->describe(s, out, n); }
