/* linsolve/pieces.c - the reduced solver with pieces of the mechanism eliminated at the same time
 *
 * The blocks are numbered in pieces that share no body, and a border between them (topology/pieces.c; spec 14,
 * subtrees and substructuring in one). A piece is eliminated as in reduced.c; what it sends to the border, panels
 * and right-hand side, goes to a copy of its own. The copies are added in the order of the pieces, the border is
 * eliminated, and the substitution goes back into all pieces at once. The number of pieces follows from the size of
 * the mechanism, never from that of the machine: the same bits on any number of threads.
 *
 * Two pieces make no fill where one made none: a chain is eliminated from both of its ends. From four on the inner ones
 * carry the blocks of a second border along, about twice the arithmetic.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/reduced.h"
#include "parallel/pool.h"

/* what is done at once, by piece */
typedef struct {
  const tni_kkt *K;
  tni_reduced *w;
  const double *J;
  bool masses;
  const tni_rhs *rhs; /* NULL: factor only */
} task;

static void bodies(void *user, int begin, int end) {
  const task *t = user;
  int n = t->K->nbody, pieces = t->w->npiece;
  for (int p = begin; p < end; p++) {
    tni_reduced_bodies(t->K, t->w, t->masses, t->rhs, (int)((long)n*p/pieces), (int)((long)n*(p + 1)/pieces));
  }
}

static void clear_rhs(const tni_reduced *w, const tni_piece *e) {
  const tni_column *k = e->first;
  if (e->end > k) memset(k->y, 0, (size_t)((e->end - 1)->y + (e->end - 1)->c - k->y)*sizeof(double));
  memset(e->y, 0, w->nborder_row*sizeof(double));
}

static void eliminate(void *user, int begin, int end) {
  const task *t = user;
  for (int p = begin; p < end; p++) {
    const tni_piece *e = &t->w->piece[p];
    tni_factoring a = {.J = t->J, .shift = t->K->shift, .active = t->w->active, .N = e->N,
                       .cleared = e->panels, .end = e->end_panels, .rhs = t->rhs};
    memset(e->border, 0, t->w->nborder*sizeof(double));
    if (t->rhs) clear_rhs(t->w, e);
    tni_reduced_columns(t->K, t->w, &a, e->first, e->end);
  }
}

static void forward(void *user, int begin, int end) {
  const task *t = user;
  for (int p = begin; p < end; p++) {
    const tni_piece *e = &t->w->piece[p];
    clear_rhs(t->w, e);
    tni_reduced_forward(t->K, t->w, t->rhs, e->first, e->end);
  }
}

static void backward(void *user, int begin, int end) {
  const task *t = user;
  for (int p = begin; p < end; p++) {
    const tni_piece *e = &t->w->piece[p];
    if (t->w->nborder_row > 0) memcpy(e->y, t->w->border->y, t->w->nborder_row*sizeof(double));
    tni_reduced_backward(t->K, t->w, t->rhs, e->end, e->first);
  }
}

/* what the pieces sent to the right-hand side of the border */
static void gather_rhs(const tni_reduced *w) {
  for (size_t i = 0; i < w->nborder_row; i++) {
    double sum = w->piece[0].y[i];
    for (int p = 1; p < w->npiece; p++) sum += w->piece[p].y[i];
    w->border->y[i] = sum;
  }
}

static void gather_panels(const tni_reduced *w) {
  for (size_t i = 0; i < w->nborder; i++) {
    double sum = w->piece[0].border[i];
    for (int p = 1; p < w->npiece; p++) sum += w->piece[p].border[i];
    w->border->panel[i] = sum;
  }
}

static void each(tn_ctx *ctx, task *t, void (*work)(void *, int, int)) {
  tni_parallel_for(ctx, t->w->npiece, 1, work, t);
}

static void factor_pieces(const tni_kkt *K, tni_reduced *w, tni_rhs *rhs) {
  task t = {.K = K, .w = w, .masses = tni_reduced_masses_change(K, w), .rhs = rhs};
  t.J = tni_reduced_jacobian(K, w);
  if (rhs) rhs->active = w->active;
  if (t.masses || rhs) each(w->ctx, &t, bodies);
  tni_reduced_choose_pins(K, w, t.masses);
  each(w->ctx, &t, eliminate);
  if (w->nborder == 0) return;
  gather_panels(w);
  if (rhs) gather_rhs(w);
  tni_factoring a = {.J = t.J, .shift = K->shift, .active = w->active, .N = w->N,
                     .cleared = w->P + w->nP, .end = w->P + w->nP, .rhs = rhs};
  tni_reduced_columns(K, w, &a, w->border, w->column + w->ncol);
}

static void substitute_back(const tni_kkt *K, tni_reduced *w, const tni_rhs *rhs) {
  task t = {.K = K, .w = w, .rhs = rhs};
  tni_reduced_backward(K, w, rhs, w->column + w->ncol, w->border);
  each(w->ctx, &t, backward);
}

/* below this many blocks a piece is not worth the signals between threads */
enum { BLOCKS_OF_A_PIECE = 24, MAX_PIECES = 64 };

static tn_status create(tni_kkt_solver *s) {
  tni_reduced *w = NULL;
  int pieces = s->opts.pieces > 0 ? s->opts.pieces : s->K->nblock >= 2*BLOCKS_OF_A_PIECE ? 2 : 1;
  TN_REQUIRE(s->ctx, pieces <= MAX_PIECES && (pieces & (pieces - 1)) == 0, TN_ERR_ARGUMENT,
             "linear system: %d pieces, must be a power of 2 up to %d", pieces, MAX_PIECES);
  TN_TRY(tni_reduced_build(s, NULL, 0, pieces, &w));
  w->ctx = s->ctx;
  tni_reduced_describe(w, &s->info);
  s->state = w;
  return TN_OK;
}

static tn_status factor(tni_kkt_solver *s) {
  int bad;
  bool good = tni_reduced_judge(s->K, s->state, factor_pieces, NULL, s->opts.pivot_tol, &s->pivot_ratio, &bad);
  return good ? TN_OK : tni_kkt_singular(s, bad);
}

static tn_status factor_solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda) {
  int bad;
  tni_rhs a = {.f = f, .g = g, .x = x, .lambda = lambda};
  if (!tni_reduced_judge(s->K, s->state, factor_pieces, &a, s->opts.pivot_tol, &s->pivot_ratio, &bad))
    return tni_kkt_singular(s, bad);
  substitute_back(s->K, s->state, &a);
  return TN_OK;
}

static void solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda) {
  tni_reduced *w = s->state;
  tni_rhs a = {.f = f, .g = g, .active = w->active, .x = x, .lambda = lambda};
  task t = {.K = s->K, .w = w, .rhs = &a};
  each(s->ctx, &t, bodies);
  each(s->ctx, &t, forward);
  if (w->nborder_row > 0) gather_rhs(w);
  tni_reduced_forward(s->K, w, &a, w->border, w->column + w->ncol);
  substitute_back(s->K, w, &a);
}

const tni_kkt_ops tni_kkt_pieces = {
  .name = "pieces", .create = create, .factor = factor, .solve = solve, .factor_solve = factor_solve,
};
