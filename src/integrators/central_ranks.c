/* integrators/central_ranks.c - central differences by several ranks
 *
 * Every rank has the system of its pieces (system/pieces.h) and steps it by central.c, which knows nothing of that: what crosses cuts is in
 * forces and sums. The state of the whole is brought together when somebody looks; until then only its time, its energies
 * and the method's own numbers are kept up to date. Checkpoints are those of one process: a run goes on with any number of ranks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "integrators/central.h"
#include "system/parts.h"
#include "system/pieces.h"

typedef struct {
  tni_integrator base;
  tni_pieces *pieces;
  tni_integrator *inner; /* of the pieces                                       */
  double *q, *v, *a;     /* [nv of the pieces]                                  */
  double *state;         /* of inner, for checkpoints                           */
  bool there;            /* the state of the whole is that of the pieces        */
} divided;

extern const tni_integrator_type tni_integrator_central_divided;
static divided *of(tni_integrator *it) { return (divided *)(void *)it; }

bool tni_central_divides(const tni_data *s) { return tni_comm_of(s->ctx) && s->parts && !s->parts->comm; }

tni_pieces *tni_central_pieces(tni_integrator *it) { return it && it->type == &tni_integrator_central_divided ? of(it)->pieces : NULL; }

/* ---- the whole while its pieces move ---------------------------------------------------------------- */

static tn_status bring(tni_integrator *it) {
  divided *w = of(it);
  const tni_state *mine = &w->inner->now;
  if (w->there) return TN_OK;
  w->there = true;
  TN_TRY(tni_integrator_bring(w->inner));
  TN_TRY(tni_pieces_collect(w->pieces, mine->q, it->now.q));
  TN_TRY(tni_pieces_collect(w->pieces, mine->v, it->now.v));
  TN_TRY(tni_pieces_collect(w->pieces, mine->a, it->now.a));
  return tni_pieces_collect_memory(w->pieces);
}

static void bring_parts(void *user) {
  tn_status st = bring(user); /* trouble of the communicator stays: the next step ends with it */
  (void)st;
}

/* energies and powers where the pieces stand, all ranks together */
static void ask_pieces(void *user, tni_energies *energies, double *squares) {
  divided *w = of(user);
  tni_data *mine = w->pieces->s;
  tni_at at = {.t = w->inner->now.t, .q = w->inner->now.q, .v = w->inner->now.v};
  tni_look_energies(mine, &at, energies);
  *squares = mine->parts->squares;
}

/* what everybody may look at without bringing the state */
static void follow(divided *w, bool moved) {
  tni_integrator *it = &w->base;
  const tni_integrator *inner = w->inner;
  tni_parts *p = it->s->parts;
  w->there = w->there && !moved;
  it->t_old = inner->t_old;
  it->now.t = inner->now.t;
  memcpy(it->now.z, inner->now.z, TNI_NZ*sizeof(double));
  it->shift = inner->shift;
  it->shift_old = inner->shift_old;
  it->stats = inner->stats;
  it->has_accel = true;
  double kinetic = tni_parts_kinetic(w->pieces->s);
  if (!w->pieces->s->parts->lent_u) tni_system_sum(w->pieces->s, 1, &kinetic);
  p->t = it->now.t;
  p->lent_u = it->now.q + p->q0;
  p->lent_v = it->now.v + p->v0;
  p->lent_kinetic = kinetic;
  tni_memory_changed(it->s); /* forces were those of the step before */
}

static void destroy(tni_integrator *it) {
  if (!it) return;
  divided *w = of(it);
  tni_parts *p = it->s ? it->s->parts : NULL;
  if (p && p->away == w) {
    p->lent_u = p->lent_v = NULL;
    p->bring = NULL;
    p->ask = NULL;
    p->away = NULL;
  }
  tni_integrator_destroy(&w->inner);
  tni_pieces_destroy(&w->pieces);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

static tn_status allocate(divided *w) {
  tni_integrator *it = &w->base;
  TN_TRY(tni_pieces_create(it->s, it->opts.decomposer, &w->pieces));
  tni_data *mine = w->pieces->s;
  TN_TRY(tni_integrator_central.create(it->ctx, mine, &it->opts, &w->inner));
  TNI_ARENA_NEW(&it->arena, w->q, mine->nq);
  TNI_ARENA_NEW(&it->arena, w->v, mine->nv);
  TNI_ARENA_NEW(&it->arena, w->a, mine->nv);
  TNI_ARENA_NEW(&it->arena, w->state, w->inner->type->nstate(w->inner));
  return TN_OK;
}

tn_status tni_central_create_divided(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts, tni_integrator **out) {
  *out = NULL;
  divided *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  tn_status st = tni_integrator_init(&w->base, &tni_integrator_central_divided, ctx, s, opts);
  if (st == TN_OK) st = allocate(w);
  if (st != TN_OK) {
    destroy(&w->base);
    return st;
  }
  s->parts->away = w;
  s->parts->bring = bring_parts;
  s->parts->ask = ask_pieces;
  *out = &w->base;
  return TN_OK;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static tn_status start(tni_integrator *it, double t, const double *q, const double *v, const double *z) {
  divided *w = of(it);
  it->s->parts->lent_u = it->s->parts->lent_v = NULL;
  tni_state_set(&it->now, it->s, t, q, v, z);
  tni_pieces_divide(w->pieces, q, w->q);
  tni_pieces_divide(w->pieces, v, w->v);
  tni_pieces_divide_memory(w->pieces);
  TN_TRY(w->inner->type->start(w->inner, t, w->q, w->v, z));
  w->there = true;
  TN_TRY(tni_pieces_collect(w->pieces, w->inner->now.a, it->now.a));
  follow(w, false);
  return TN_OK;
}

static tn_status step(tni_integrator *it) {
  divided *w = of(it);
  tni_data *mine = w->pieces->s;
  long before = mine->work.naccel;
  w->inner->opts.hmax = it->opts.hmax;
  TN_TRY(w->inner->type->step(w->inner));
  TN_TRY(w->pieces->comm->trouble);
  tni_system_commit(mine, w->inner->now.t, w->inner->now.q, w->inner->now.v, false);
  it->s->work.naccel += mine->work.naccel - before;
  follow(w, true);
  return w->pieces->comm->trouble;
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  divided *w = of(it);
  tn_status st = TN_OK;
  w->inner->type->interpolate(w->inner, t, w->q, w->v, z);
  if (q) st = tni_pieces_collect(w->pieces, w->q, q);
  if (v && st == TN_OK) st = tni_pieces_collect(w->pieces, w->v, v);
  if (st == TN_OK) st = bring(it); /* history */
  if (st != TN_OK && q) q[0] = NAN;
}

/* ---- save, load, describe: states are those of central.c on the whole ------------------------------------ */

static int nhead(const tni_integrator *inner) { return inner->type->nstate(inner) - inner->s->nq - inner->s->nv; }

static int nstate(const tni_integrator *it) {
  const divided *w = (const divided *)(const void *)it;
  return nhead(w->inner) + it->s->nq + it->s->nv;
}

static tn_status save(tni_integrator *it, double *x) {
  divided *w = of(it);
  int n = nhead(w->inner);
  TN_TRY(bring(it));
  tni_pieces_divide_memory(w->pieces); /* what is a sum over pieces begins anew, here and in load alike */
  TN_TRY(w->inner->type->save(w->inner, w->state));
  memcpy(x, w->state, (size_t)n*sizeof(double));
  memcpy(x + n, it->now.q, (size_t)it->s->nq*sizeof(double));
  memcpy(x + n + it->s->nq, it->now.a, (size_t)it->s->nv*sizeof(double));
  return TN_OK;
}

static tn_status load(tni_integrator *it, const double *x) {
  divided *w = of(it);
  const tni_data *mine = w->pieces->s;
  int n = nhead(w->inner);
  memcpy(w->state, x, (size_t)n*sizeof(double));
  tni_pieces_divide(w->pieces, x + n, w->state + n);
  tni_pieces_divide(w->pieces, x + n + it->s->nq, w->state + n + mine->nq);
  TN_TRY(w->inner->type->load(w->inner, w->state));
  memcpy(it->now.q, x + n, (size_t)it->s->nq*sizeof(double));
  memcpy(it->now.a, x + n + it->s->nq, (size_t)it->s->nv*sizeof(double));
  w->there = true;
  follow(w, false);
  return TN_OK;
}

static void explain(const tni_integrator *it, char *out, size_t n) {
  const divided *w = (const divided *)(const void *)it;
  char own[120];
  w->inner->type->explain(w->inner, own, sizeof(own));
  snprintf(out, n, "%s; %d ranks", own, w->pieces->comm->size);
}

const tni_integrator_type tni_integrator_central_divided = {
    .name = "central",
    .summary = "central differences by several ranks",
    .order = 2,
    .fixed_step = true,
    .finds_step = true,
    .own_energy = true,
    .needs_model = true,
    .divided = true,
    .destroy = destroy,
    .start = start,
    .step = step,
    .bring = bring,
    .interpolate = interpolate,
    .nstate = nstate,
    .save = save,
    .load = load,
    .explain = explain,
};
