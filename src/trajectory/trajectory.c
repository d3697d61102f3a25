/* trajectory/trajectory.c - a motion over many elements of time as one system of equations
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "trajectory/trajectory.h"

#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "parallel/pool.h"
#include "parallel/wave.h"

/* changes that do not become smaller any more are rounding below this */
static const double STALLED = 1e-7;
/* a rotation within an element beyond this has left the coordinates it is written in */
static const double LARGEST_TURN = 3.0;
/* new factors cost as much as so many visits of an element with old ones */
static const double PRICE = 4;
/* changes shrink by so much of what an element has strayed from its factors, as long as nothing better is known */
static const double SHRINK = 5;
/* factors that make changes smaller by less are not kept */
static const double POOR = 0.25;
/* changes of a coarse element that are larger than this and grow lead to another motion */
static const double ASTRAY = 0.1;
/* factors of another beginning or of another model count as strayed by this */
static const double FOREIGN = 1e-3;

/* ---- create -------------------------------------------------------------------------------- */

/* between ranks: how an element changed, where it ends, the memory it begins with */
static int message_numbers(const tni_trajectory *tr) { return 3*tr->shape.nv + tr->shape.nq + tr->shape.nmemory; }

static tn_status setup(tni_trajectory *tr, int k, tni_point_kind kind, int capacity) {
  tni_arena *a = &tr->arena;
  tni_data *s = tr->s;
  const tni_slab_shape *p = &tr->shape;
  int threads = tr->ctx->opts.threads;
  tr->capacity = capacity;
  TN_TRY(tni_slab_shape_create(a, s, k, kind, &tr->shape));
  TNI_ARENA_NEW(a, tr->slab, capacity);
  TNI_ARENA_NEW(a, tr->q0, capacity);
  TNI_ARENA_NEW(a, tr->v0, capacity);
  TNI_ARENA_NEW(a, tr->dy, capacity);
  TNI_ARENA_NEW(a, tr->sweep, capacity);
  TNI_ARENA_NEW(a, tr->size, capacity);
  TNI_ARENA_NEW(a, tr->before, capacity);
  TNI_ARENA_NEW(a, tr->last, capacity);
  TNI_ARENA_NEW(a, tr->strayed, capacity);
  TNI_ARENA_NEW(a, tr->trail, capacity);
  TNI_ARENA_NEW(a, tr->made, capacity);
  TNI_ARENA_NEW(a, tr->made_in, capacity);
  TNI_ARENA_NEW(a, tr->far_q, capacity);
  TNI_ARENA_NEW(a, tr->far_v, capacity);
  TNI_ARENA_NEW(a, tr->far_a, capacity);
  TNI_ARENA_NEW(a, tr->span, capacity);
  TNI_ARENA_NEW(a, tr->regular, capacity);
  TNI_ARENA_NEW(a, tr->zero, 2*(size_t)p->nv);
  TNI_ARENA_NEW(a, tr->wave, 3*(size_t)capacity);
  if (tni_comm_of(tr->ctx)) {
    TNI_ARENA_NEW(a, tr->post, message_numbers(tr) + 1);
    TNI_ARENA_NEW(a, tr->all, (size_t)capacity*(size_t)p->nz);
    TNI_ARENA_NEW(a, tr->from, tni_comm_of(tr->ctx)->size + 1);
  }
  TNI_ARENA_NEW(a, tr->unit, p->nv);
  TNI_ARENA_NEW(a, tr->q, p->nq);
  TNI_ARENA_NEW(a, tr->kept, p->nz);
  TNI_ARENA_NEW(a, tr->march_q, p->nq);
  TNI_ARENA_NEW(a, tr->march_v, p->nv);
  TNI_ARENA_NEW(a, tr->march_v0, p->nv);
  TNI_ARENA_NEW(a, tr->room, (size_t)(k + 1)*(size_t)(p->nv + p->m));
  TNI_ARENA_NEW(a, tr->x, p->nv);
  TNI_ARENA_NEW(a, tr->v, p->nv);
  TNI_ARENA_NEW(a, tr->l, p->m);
  TNI_ARENA_NEW(a, tr->y, 2*(size_t)p->nv);
  for (int e = 0; e < capacity; e++) {
    TN_TRY(tni_slab_create(a, p, &tr->slab[e]));
    TNI_ARENA_NEW(a, tr->q0[e], p->nq);
    TNI_ARENA_NEW(a, tr->v0[e], p->nv);
    TNI_ARENA_NEW(a, tr->dy[e], 2*(size_t)p->nv);
    TNI_ARENA_NEW(a, tr->far_q[e], p->nq);
    TNI_ARENA_NEW(a, tr->far_v[e], p->nv);
    TNI_ARENA_NEW(a, tr->far_a[e], 2*(size_t)p->nv);
    tr->strayed[e] = HUGE_VAL;
  }
  TN_TRY(tni_slab_create(a, p, &tr->coarse));
  if (threads < 1) threads = 1;
  TNI_ARENA_NEW(a, tr->desk, threads);
  for (tr->ndesk = 0; tr->ndesk < threads; tr->ndesk++)
    TN_TRY(tni_slab_desk_create(a, p, s, &tr->desk[tr->ndesk]));
  return TN_OK;
}

tn_status tni_trajectory_create(tn_ctx *ctx, tni_data *s, int k, tni_point_kind kind, int capacity, tni_trajectory **out) {
  *out = NULL;
  TN_TRY(tni_prepare_tangent(s));
  TN_TRY(tni_prepare_pattern(s));
  tni_trajectory *tr = tni_alloc(ctx, 1, sizeof(*tr));
  if (!tr) return tni_out_of_memory(ctx);
  tr->ctx = ctx;
  tr->s = s;
  tni_arena_init(&tr->arena, ctx);
  tn_status st = setup(tr, k, kind, capacity);
  if (st != TN_OK) {
    tni_trajectory_destroy(&tr);
    return st;
  }
  *out = tr;
  return TN_OK;
}

void tni_trajectory_destroy(tni_trajectory **out) {
  tni_trajectory *tr = out ? *out : NULL;
  if (!tr) return;
  for (int e = 0; e < tr->capacity && tr->slab; e++) tni_slab_destroy(&tr->slab[e]);
  tni_slab_destroy(&tr->coarse);
  /* one more than was counted may have been begun */
  for (int i = 0; tr->desk && i <= tr->ndesk && i < tr->ctx->opts.threads + (tr->ctx->opts.threads < 1); i++)
    tni_data_destroy(&tr->desk[i].s);
  tni_arena_clear(&tr->arena);
  tni_free(tr->ctx, tr);
  *out = NULL;
}

/* ---- begin --------------------------------------------------------------------------------- */

/* the size of the model: farthest body */
static void measure(tni_trajectory *tr, double t, const double *q, const double *v) {
  tni_data *s = tr->desk[0].s;
  const signed char *role = tr->s->layout->role;
  tni_at at = {.t = t, .q = q, .v = v};
  const tni_kin *kin = tni_look_bodies(s, &at);
  double far = 0;
  for (int i = 1; i <= s->nbody; i++) far = fmax(far, vec3_norm(kin[i].r));
  tr->length = far > 0 ? far : 1;
  for (int j = 0; j < tr->shape.nv; j++)
    tr->unit[j] = role[j] < TNI_ROLE_TURN ? tr->length : role[j] < TNI_ROLE_PLAIN ? 1 : fmin(1, tr->length);
}

void tni_trajectory_begin(tni_trajectory *tr, double t, const double *q, const double *v, int n, double h) {
  const tni_slab_shape *p = &tr->shape;
  tr->n = n;
  tni_slab_shape_rows(&tr->shape, tr->s);
  tni_memory_keep(tr->s, tr->slab[0].memory);
  for (int i = 0; i < tr->ndesk; i++) tni_memory_restore(tr->desk[i].s, tr->slab[0].memory);
  measure(tr, t, q, v);
  for (int e = 0; e < n; e++) {
    tr->slab[e].t = t + e*h;
    tr->slab[e].h = h;
    memset(tr->slab[e].z, 0, (size_t)p->nz*sizeof(double));
    tni_memory_keep(tr->s, tr->slab[e].memory);
    tr->strayed[e] = HUGE_VAL;
    tr->span[e] = 0;
  }
  memcpy(tr->q0[0], q, (size_t)p->nq*sizeof(double));
  memcpy(tr->v0[0], v, (size_t)p->nv*sizeof(double));
}

void tni_trajectory_restart(tni_trajectory *tr, const double *q, const double *v) {
  const tni_slab_shape *p = &tr->shape;
  for (int e = 0; e < tr->n; e++) tr->strayed[e] = fmax(tr->strayed[e], FOREIGN);
  memcpy(tr->q0[0], q, (size_t)p->nq*sizeof(double));
  memcpy(tr->v0[0], v, (size_t)p->nv*sizeof(double));
}

/* ---- Newton -------------------------------------------------------------------------------- */

/* the memory with which the next element begins: angles counted on. An element fetches it when it is visited: nobody else may
 * write what it is evaluated with meanwhile. */
static void pass_memory(tni_trajectory *tr, tni_slab_desk *d, const tni_slab *e, tni_slab *next) {
  if (tr->shape.nmemory == 0) return;
  tni_memory_restore(d->s, e->memory);
  tni_system_commit(d->s, e->t + e->h, e->q1, e->v1, false);
  tni_memory_keep(d->s, next->memory);
}

static void set_beginning(tni_trajectory *tr, int e) {
  const tni_slab_shape *p = &tr->shape;
  if (e == 0) return;
  memcpy(tr->q0[e], tr->slab[e-1].q1, (size_t)p->nq*sizeof(double));
  memcpy(tr->v0[e], tr->slab[e-1].v1, (size_t)p->nv*sizeof(double));
}

/* size of a change dz of an element in units of its coordinates; HUGE_VAL: not finite */
static double size_of(const tni_trajectory *tr, const tni_slab *e, const double *dz) {
  const tni_slab_shape *p = &tr->shape;
  double most = 0;
  for (int i = 0; i <= p->g.k; i++) {
    const double *x = dz + tni_slab_x(p, i), *v = dz + tni_slab_v(p, i);
    for (int j = 0; j < p->nv; j++) {
      double c = fmax(fabs(x[j]), e->h*fabs(v[j]))/tr->unit[j];
      if (!isfinite(x[j]) || !isfinite(v[j])) return HUGE_VAL;
      most = fmax(most, c);
    }
  }
  return most;
}

static bool has_turned_too_far(const tni_slab_shape *p, const double *z) {
  for (int i = 0; i <= p->g.k; i++)
    for (int t = 0; t < p->nturn; t++)
      if (!(vec3_norm(z + tni_slab_x(p, i) + p->turn[t]) < LARGEST_TURN)) return true;
  return false;
}

static bool is_same(const tni_sparsity *a, const tni_sparsity *b) {
  return a->nrow == b->nrow && a->nnz == b->nnz &&
         memcmp(a->rowptr, b->rowptr, ((size_t)a->nrow + 1)*sizeof(int)) == 0 &&
         memcmp(a->col, b->col, (size_t)a->nnz*sizeof(int)) == 0;
}

bool tni_trajectory_follow(tni_trajectory *tr, tni_trajectory *other, const double *q, const double *v) {
  const tni_slab_shape *p = &tr->shape, *o = &other->shape;
  if (tr->ctx != other->ctx || other->n > tr->capacity || p->nz != o->nz || p->nmemory != o->nmemory || !is_same(&p->J, &o->J) ||
      !is_same(&p->B, &o->B) || p->g.k != o->g.k || p->g.kind != o->g.kind)
    return false;
  tni_trajectory_begin(tr, other->slab[0].t, q, v, other->n, other->slab[0].h);
  for (int e = 0; e < tr->n; e++) {
    tni_slab *to = &tr->slab[e], *from = &other->slab[e];
    to->t = from->t;
    to->h = from->h;
    memcpy(to->z, from->z, (size_t)p->nz*sizeof(double));
    memcpy(to->memory, from->memory, (size_t)p->nmemory*sizeof(double));
    memcpy(to->B, from->B, (size_t)p->B.nnz*sizeof(double));
    /* factors change hands; each goes on with the pattern of its new owner, which is the same */
    tni_sparse_solver *lu = to->lu;
    to->lu = from->lu;
    from->lu = lu;
    double h = to->h_factor;
    to->h_factor = from->h_factor;
    from->h_factor = h;
    to->lu->ptr = p->J.rowptr, to->lu->ind = p->J.col;
    from->lu->ptr = o->J.rowptr, from->lu->ind = o->J.col;
    tr->strayed[e] = fmax(other->strayed[e], FOREIGN);
    other->strayed[e] = HUGE_VAL;
  }
  return true;
}

typedef struct {
  tni_trajectory *tr;
  const tni_guess *guess;
  int most;
  double tol;
  bool known;   /* guess: there is a coarse element before */
} newton;

/* visits until changes that shrink by `rate` from `size` on are below tol */
static double visits(double size, double rate, double tol) {
  if (!(rate < 1)) return HUGE_VAL;
  return size <= tol ? 1 : 1 + ceil(log(size/tol)/-log(fmax(rate, 1e-16)));
}

/* Would new factors pay? */
static bool wants_factors(const tni_trajectory *tr, int e, double tol) {
  double away = tr->strayed[e], last = tr->size[e], seen = tr->before[e] > 0 ? last/tr->before[e] : 0;
  if (!(away < HUGE_VAL)) return true;
  double rate = seen > 0 ? seen : fmin(SHRINK*away, 1);
  if (rate > POOR && last > 0) return true;
  if (last == 0) return SHRINK*away > POOR; /* before the first visit: not known how far it goes */
  double next = rate*last; /* what is still to come */
  return visits(next, rate, tol) > PRICE + visits(next, fmin(SHRINK*next, 1), tol);
}

static void prepare(void *user, int desk, int sweep, int item) {
  const newton *w = user;
  tni_trajectory *tr = w->tr;
  tni_slab *e = &tr->slab[item];
  bool anew = wants_factors(tr, item, w->tol);
  tni_slab_eval(&tr->shape, &tr->desk[desk], e, tr->q0[item], tr->v0[item], anew);
  if (!anew) return;
  tr->made_in[item] = sweep;
  tr->regular[item] = tr->made[item]++ < w->most && tni_slab_factor(&tr->shape, e);
  tr->strayed[item] = tr->before[item] = tr->size[item] = 0;
}

static tni_wave_answer pass(void *user, int desk, int sweep, int item) {
  const newton *w = user;
  tni_trajectory *tr = w->tr;
  const tni_slab_shape *p = &tr->shape;
  tni_slab *e = &tr->slab[item];
  tni_slab_desk *d = &tr->desk[desk];
  double *dz = d->big;
  if (!tr->regular[item]) return TNI_WAVE_FAILED;
  bool moved = item > 0 && tr->sweep[item - 1] == sweep, fresh = tr->strayed[item] == 0;
  const double *y0 = moved ? tr->dy[item - 1] : tr->zero;
  memcpy(dz, e->R, (size_t)p->nz*sizeof(double));
  if (moved) tni_slab_add_B(p, e, y0, dz);
  tni_slab_solve(p, e, dz);
  for (int i = 0; i < p->nz; i++) dz[i] = -dz[i];
  double size = size_of(tr, e, dz);
  tr->trail[item][2] = tr->trail[item][1];
  tr->trail[item][1] = tr->trail[item][0];
  tr->trail[item][0] = size;
  if (!(size < HUGE_VAL)) return TNI_WAVE_FAILED;
  tni_slab_end_change(p, e, dz, y0, tr->dy[item]);
  for (int i = 0; i < p->nz; i++) e->z[i] += dz[i];
  tr->sweep[item] = sweep;
  if (moved) {
    set_beginning(tr, item);
    pass_memory(tr, d, &tr->slab[item - 1], e);
  }
  if (has_turned_too_far(p, e->z)) return TNI_WAVE_FAILED;
  tni_slab_end(p, e, tr->q0[item], d->s);
  double last = tr->last[item], rate = last > 0 ? size/last : 0;
  tr->before[item] = fresh ? 0 : tr->size[item];
  tr->size[item] = tr->last[item] = size;
  tr->strayed[item] += size;
  /* with old factors what is left is not the square of the change */
  bool done = fresh ? size <= w->tol : size*fmax(1, rate < 1 ? rate/(1 - rate) : HUGE_VAL) <= w->tol || size == 0;
  bool stalled = sweep > 1 && size <= STALLED && rate > 0.5;
  if (stalled && !fresh && !done) tr->strayed[item] = HUGE_VAL; /* rounding, or old factors? */
  return done || (stalled && fresh) ? TNI_WAVE_DONE : TNI_WAVE_ON;
}

/* an element takes up where the one before ends */
static void chain_on(tni_trajectory *tr, tni_slab_desk *d, int e) {
  set_beginning(tr, e);
  tni_slab_end(&tr->shape, &tr->slab[e], tr->q0[e], d->s);
  if (e > 0) pass_memory(tr, d, &tr->slab[e - 1], &tr->slab[e]);
}

static tni_wave_answer guess_one(void *user, int desk, int item);

static void pack(void *user, int item, double *to) {
  const tni_trajectory *tr = ((const newton *)user)->tr;
  const tni_slab_shape *p = &tr->shape;
  const tni_slab *e = &tr->slab[item];
  memcpy(to, tr->dy[item], 2*(size_t)p->nv*sizeof(double));
  memcpy(to += 2*p->nv, e->q1, (size_t)p->nq*sizeof(double));
  memcpy(to += p->nq, e->v1, (size_t)p->nv*sizeof(double));
  if (p->nmemory) memcpy(to + p->nv, e->memory, (size_t)p->nmemory*sizeof(double));
}

static void unpack(void *user, int item, int sweep, const double *from) {
  tni_trajectory *tr = ((const newton *)user)->tr;
  const tni_slab_shape *p = &tr->shape;
  tni_slab *e = &tr->slab[item];
  memcpy(tr->dy[item], from, 2*(size_t)p->nv*sizeof(double));
  memcpy(e->q1, from += 2*p->nv, (size_t)p->nq*sizeof(double));
  memcpy(e->v1, from += p->nq, (size_t)p->nv*sizeof(double));
  if (p->nmemory) memcpy(e->memory, from + p->nv, (size_t)p->nmemory*sizeof(double));
  tr->sweep[item] = sweep;
}

/* Each rank its elements, then all of them all. A message that does not arrive stays in comm->trouble: whoever asks for a solution finds it. */
static tn_status solve_ranks(tni_trajectory *tr, tni_comm *comm, tni_wave *w) {
  size_t nz = (size_t)tr->shape.nz;
  TN_TRY(tni_wave_run_ranks(w, &(tni_wave_post){comm, message_numbers(tr), tr->post, pack, unpack}));
  for (int r = 0, end; r < comm->size; r++) {
    tni_wave_range(w, comm->size, r, &tr->from[r], &end);
    if (tr->from[r] > w->done) tr->from[r] = w->done;
    tr->from[r] *= (int)nz;
  }
  tr->from[comm->size] = w->done*(int)nz;
  for (int e = 0; e < w->done; e++) memcpy(tr->all + (size_t)e*nz, tr->slab[e].z, nz*sizeof(double));
  TN_TRY(tni_comm_collect(comm, tr->from, tr->all));
  for (int e = 0; e < w->done; e++) {
    memcpy(tr->slab[e].z, tr->all + (size_t)e*nz, nz*sizeof(double));
    chain_on(tr, &tr->desk[0], e);
  }
  double made[2] = {0, 0}; /* of an element at most, of all */
  for (int e = 0; e < tr->n; e++) made[0] = fmax(made[0], tr->made[e]), made[1] += tr->made[e];
  TN_TRY(tni_comm_max(comm, 1, made));
  TN_TRY(tni_comm_sum(comm, 1, made + 1));
  tr->refreshed = (int)made[0];
  tr->factorizations += (long)made[1];
  return TN_OK;
}

int tni_trajectory_solve(tni_trajectory *tr, const tni_guess *g, int most, double tol) {
  enum { VISITS = 4 };
  newton job = {.tr = tr, .guess = g, .most = most, .tol = tol};
  for (int e = 0; e < tr->n; e++) {
    tr->sweep[e] = -1;
    tr->size[e] = tr->before[e] = tr->last[e] = 0;
    memset(tr->trail[e], 0, sizeof(tr->trail[e]));
    tr->made[e] = 0;
    tr->regular[e] = true;
    if (g) tr->strayed[e] = HUGE_VAL;
  }
  tr->guessed = 0;
  tni_wave w = {.n = tr->n, .max_sweeps = VISITS*most, .ndesk = tr->ndesk, .user = &job, .first = guess_one, .prepare = prepare,
                .pass = pass, .state = tr->wave};
  tni_comm *comm = tni_comm_of(tr->ctx);
  if (comm && tr->n >= comm->size) {
    if (solve_ranks(tr, comm, &w) != TN_OK) return 0;
    tr->iterations += w.work;
    tr->sweeps = w.sweeps;
    return w.done;
  }
  tni_wave_run(tr->ctx, &w);
  tr->iterations += w.work;
  tr->sweeps = w.sweeps;
  tr->refreshed = 0;
  for (int e = 0; e < tr->n; e++) {
    tr->factorizations += tr->made[e];
    if (tr->made[e] > tr->refreshed) tr->refreshed = tr->made[e];
  }
  return w.done;
}

/* ---- guesses ------------------------------------------------------------------------------- */

/* an element that begins at v0 with constant accelerations */
static void fall(const tni_slab_shape *p, tni_slab *e, const double *v0, const double *a, const double *lambda) {
  for (int i = 0; i <= p->g.k; i++) {
    double t = e->h*(i < p->g.k ? p->g.c[i] : 1);
    for (int j = 0; j < p->nv; j++) {
      e->z[tni_slab_x(p, i) + j] = t*(v0[j] + 0.5*t*a[j]);
      e->z[tni_slab_v(p, i) + j] = v0[j] + t*a[j];
    }
    for (int r = 0; r < p->m; r++) e->z[tni_slab_l(p, i) + r] = i < p->g.k ? lambda[r] : 0;
  }
  memset(e->z + tni_slab_l(p, p->g.k), 0, 2*(size_t)p->m*sizeof(double));
}

void tni_trajectory_guess_plain(tni_trajectory *tr, int from, const double *a, const double *lambda) {
  const tni_slab_shape *p = &tr->shape;
  for (int e = from; e < tr->n; e++) {
    set_beginning(tr, e);
    fall(p, &tr->slab[e], tr->v0[e], e == from ? a : tr->zero, lambda);
    tni_slab_end(p, &tr->slab[e], tr->q0[e], tr->desk[0].s);
  }
}

/* Newton's method for the coarse element alone, from q0, v0; its own state is the guess */
static bool march(tni_trajectory *tr, tni_slab_desk *d, const double *q0, const double *v0, double tol) {
  enum { MAX = 24 };
  const tni_slab_shape *p = &tr->shape;
  tni_slab *e = &tr->coarse;
  double last = 0;
  bool anew = true;
  for (int it = 0; it < MAX; it++) {
    tni_slab_eval(p, d, e, q0, v0, anew);
    if (anew) {
      if (!tni_slab_factor(p, e)) return false;
      tr->factorizations++;
    }
    tni_slab_solve(p, e, e->R);
    for (int i = 0; i < p->nz; i++) {
      e->R[i] = -e->R[i];
      e->z[i] += e->R[i];
    }
    double size = size_of(tr, e, e->R), rate = it > 0 ? size/last : HUGE_VAL;
    if (!(size < HUGE_VAL) || has_turned_too_far(p, e->z) || (it > 0 && size > fmax(last, ASTRAY))) return false;
    if (size <= tol && (anew || rate < 0.5)) {
      tni_slab_end(p, e, q0, d->s);
      return true;
    }
    anew = anew ? SHRINK*size > POOR : rate > POOR;
    last = size;
  }
  return false;
}

/* the same polynomial of velocities and multipliers from the end of an element on, in the next one of length h */
static void extrapolate(const tni_slab_shape *p, tni_slab *e, const double *v0, double h, double *room) {
  const tni_gauss *g = &p->g;
  int n = p->nv + p->m;
  for (int i = 0; i <= g->k; i++) {
    double theta = 1 + (i < g->k ? g->c[i] : 1)*h/e->h;
    double *to = room + i*n, node[TNI_GAUSS_MAX + 1] = {0};
    memcpy(node + 1, g->c, (size_t)g->k*sizeof(double));
    for (int j = 0; j < p->nv; j++) {
      to[j] = tni_lagrange(g->k + 1, node, 0, theta)*v0[j];
      for (int c = 0; c < g->k; c++) to[j] += tni_lagrange(g->k + 1, node, c + 1, theta)*e->z[tni_slab_v(p, c) + j];
    }
    for (int r = 0; r < p->m; r++) to[p->nv + r] = e->z[tni_slab_l(p, g->k - 1) + r];
  }
  for (int i = 0; i <= g->k; i++) {
    for (int j = 0; j < p->nv; j++) {
      double x = 0;
      for (int c = 0; c < g->k; c++) x += h*(i < g->k ? g->a[i][c] : g->b[c])*room[c*n + j];
      e->z[tni_slab_x(p, i) + j] = x;
      e->z[tni_slab_v(p, i) + j] = room[i*n + j];
    }
    for (int r = 0; r < p->m && i < g->k; r++) e->z[tni_slab_l(p, i) + r] = room[i*n + p->nv + r];
  }
  memset(e->z + tni_slab_l(p, g->k), 0, 2*(size_t)p->m*sizeof(double));
  e->h = h;
}

/* fine element e from what the coarse one, which begins at q0, v0, does there */
static void read_off(tni_trajectory *tr, tni_data *s, int e, const double *q0, const double *v0) {
  const tni_slab_shape *p = &tr->shape;
  const tni_slab *c = &tr->coarse;
  tni_slab *f = &tr->slab[e];
  set_beginning(tr, e);
  for (int i = 0; i <= p->g.k; i++) {
    double theta = (f->t + (i < p->g.k ? p->g.c[i] : 1)*f->h - c->t)/c->h;
    tni_slab_look(p, c, v0, theta, tr->x, f->z + tni_slab_v(p, i), i < p->g.k ? f->z + tni_slab_l(p, i) : NULL);
    tni_retract(s, q0, tr->x, tr->q);
    tni_difference(s, tr->q0[e], tr->q, f->z + tni_slab_x(p, i));
  }
  memset(f->z + tni_slab_l(p, p->g.k), 0, 2*(size_t)p->m*sizeof(double));
  tni_slab_end(p, f, tr->q0[e], s);
}

/* The coarse element that begins with element e, and what it says of all that it spans; false: none can be found */
static bool march_on(newton *w, tni_slab_desk *d, int e) {
  tni_trajectory *tr = w->tr;
  const tni_slab_shape *p = &tr->shape;
  const tni_guess *g = w->guess;
  tni_slab *c = &tr->coarse;
  double *q0 = tr->march_q, *v0 = tr->march_v;
  if (e == 0) {
    memcpy(q0, tr->q0[0], (size_t)p->nq*sizeof(double));
    memcpy(v0, tr->v0[0], (size_t)p->nv*sizeof(double));
    memcpy(c->memory, tr->slab[0].memory, (size_t)p->nmemory*sizeof(double));
    w->known = false;
  }
  int last = 0;
  bool done = false;
  memcpy(tr->kept, c->z, (size_t)p->nz*sizeof(double));
  double before = c->h;
  /* where a long element fails, a shorter one; from the element before, then from the state alone */
  for (int r = g->ratio; r >= 1 && !done; r /= 2) {
    last = e + r < tr->n ? e + r : tr->n;
    double h = tr->slab[last - 1].t + tr->slab[last - 1].h - tr->slab[e].t;
    for (int plain = w->known ? 0 : 1; plain < (e == 0 ? 3 : 2) && !done; plain++) {
      if (plain) {
        c->h = h;
        fall(p, c, v0, e == 0 && plain == 1 ? g->a : tr->zero, g->lambda);
      } else {
        memcpy(c->z, tr->kept, (size_t)p->nz*sizeof(double));
        c->h = before;
        extrapolate(p, c, tr->march_v0, h, tr->room);
      }
      c->t = tr->slab[e].t;
      tr->coarse_steps++;
      done = march(tr, d, q0, v0, g->tol);
    }
  }
  if (!done) return false;
  for (int f = e; f < last; f++) read_off(tr, d->s, f, q0, v0);
  pass_memory(tr, d, c, c);
  tni_slab_accelerations(p, c, v0, tr->far_a[last - 1]);
  memcpy(tr->march_v0, v0, (size_t)p->nv*sizeof(double));
  memcpy(q0, c->q1, (size_t)p->nq*sizeof(double));
  memcpy(v0, c->v1, (size_t)p->nv*sizeof(double));
  memcpy(tr->far_q[last - 1], q0, (size_t)p->nq*sizeof(double));
  memcpy(tr->far_v[last - 1], v0, (size_t)p->nv*sizeof(double));
  tr->span[last - 1] = last - e;
  tr->guessed = last;
  w->known = true;
  return true;
}

static tni_wave_answer guess_one(void *user, int desk, int item) {
  newton *w = user;
  tni_trajectory *tr = w->tr;
  tni_slab_desk *d = &tr->desk[desk];
  if (w->guess && item >= tr->guessed && !march_on(w, d, item)) return TNI_WAVE_FAILED;
  chain_on(tr, d, item);
  return TNI_WAVE_ON;
}

int tni_trajectory_guess_march(tni_trajectory *tr, const tni_guess *g) {
  newton w = {.tr = tr, .guess = g};
  tr->guessed = 0;
  for (int e = 0; e < tr->n; e++)
    if (guess_one(&w, 0, e) == TNI_WAVE_FAILED) return e;
  return tr->n;
}

/* ---- looking ------------------------------------------------------------------------------- */

const double *tni_trajectory_q(const tni_trajectory *tr, int e) {
  return e == 0 ? tr->q0[0] : tr->slab[e-1].q1;
}
const double *tni_trajectory_v(const tni_trajectory *tr, int e) {
  return e == 0 ? tr->v0[0] : tr->slab[e-1].v1;
}

void tni_trajectory_look(tni_trajectory *tr, int e, double t, double *q, double *v, double *l) {
  tni_slab_look(&tr->shape, &tr->slab[e], tr->v0[e], (t - tr->slab[e].t)/tr->slab[e].h, tr->x, v, l);
  tni_retract(tr->s, tr->q0[e], tr->x, q);
}

double tni_trajectory_residual(tni_trajectory *tr, int e, char *name, size_t n) {
  const tni_slab_shape *p = &tr->shape;
  double most = -1;
  int worst = 0, size = 2*p->nv + p->m;
  tni_slab_eval(p, &tr->desk[0], &tr->slab[e], tr->q0[e], tr->v0[e], false);
  for (int i = 0; i < p->nz; i++) {
    if (!(fabs(tr->slab[e].R[i]) <= most)) most = fabs(tr->slab[e].R[i]), worst = i;
  }
  int i = worst % size, end = worst >= p->g.k*size;
  char of[96];
  if (end) i = (worst - p->g.k*size) % (p->nv + p->m) + p->nv;
  if (i < 2*p->nv) tni_dof_name(tr->s, i % p->nv, of, sizeof(of));
  else tni_row_name(tr->s, i - 2*p->nv, of, sizeof(of));
  snprintf(name, n, "%s %s%s", i < p->nv && !end ? "rate of" : i < 2*p->nv ? "balance of" : "constraint", of,
           end ? " at its end" : "");
  return most;
}

/* ---- derivatives --------------------------------------------------------------------------- */

static void factor_one(void *user, int begin, int end) {
  tni_trajectory *tr = user;
  /* desks are taken by chunk: see tni_trajectory_factor */
  for (int c = begin; c < end; c++) {
    for (int e = c; e < tr->n; e += tr->ndesk) {
      tni_slab_eval(&tr->shape, &tr->desk[c], &tr->slab[e], tr->q0[e], tr->v0[e], true);
      tr->regular[e] = tni_slab_factor(&tr->shape, &tr->slab[e]);
      tr->strayed[e] = 0;
    }
  }
}

tn_status tni_trajectory_factor(tni_trajectory *tr) {
  tni_parallel_for(tr->ctx, tr->ndesk, 1, factor_one, tr);
  for (int e = 0; e < tr->n; e++)
    TN_REQUIRE(tr->ctx, tr->regular[e], TN_SINGULAR, "the matrix of the element at t = %.6g s is singular",
               tr->slab[e].t);
  tr->factorizations += tr->n;
  return TN_OK;
}

void tni_trajectory_change(tni_trajectory *tr, int e, int ncol, const double *r, double *y, double *dz) {
  const tni_slab_shape *p = &tr->shape;
  const tni_slab *s = &tr->slab[e];
  int n = 2*p->nv;
  for (int c = 0; c < ncol; c++) {
    double *to = dz ? dz + (size_t)c*(size_t)p->nz : tr->desk[0].big, *of = y + (size_t)c*(size_t)n;
    if (r) memcpy(to, r + (size_t)c*(size_t)p->nz, (size_t)p->nz*sizeof(double));
    else memset(to, 0, (size_t)p->nz*sizeof(double));
    tni_slab_add_B(p, s, of, to);
    tni_slab_solve(p, s, to);
    for (int i = 0; i < p->nz; i++) to[i] = -to[i];
    tni_slab_end_change(p, s, to, of, tr->y);
    memcpy(of, tr->y, (size_t)n*sizeof(double));
  }
}

void tni_trajectory_matter(tni_trajectory *tr, int e, const double *g, double *y, double *mu) {
  const tni_slab_shape *p = &tr->shape;
  const tni_slab *s = &tr->slab[e];
  int n = 2*p->nv;
  if (g) memcpy(mu, g, (size_t)p->nz*sizeof(double));
  else memset(mu, 0, (size_t)p->nz*sizeof(double));
  memset(tr->y, 0, (size_t)n*sizeof(double));
  tni_slab_end_change_t(p, s, y, mu, tr->y);
  tni_slab_solve_t(p, s, mu);
  for (int i = 0; i < p->nz; i++) mu[i] = -mu[i];
  tni_slab_add_Bt(p, s, mu, tr->y);
  for (int i = 0; i < p->nz; i++) mu[i] = -mu[i];
  memcpy(y, tr->y, (size_t)n*sizeof(double));
}
