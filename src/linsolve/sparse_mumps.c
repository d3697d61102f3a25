/* linsolve/sparse_mumps.c - MUMPS behind linsolve/sparse.h: real matrices
 *
 * Symmetric: A = L D L^T with pivots of one or two rows. The signs of D are those of the eigenvalues (Sylvester's
 * law): inertia costs nothing. Unsymmetric: A = L U with exchanges of rows inside a front. Order: nested dissection of the graph of the nodes by METIS, which is
 * smaller than that of the unknowns by the square of their number at a node, spread over the unknowns.
 *
 * MUMPS keeps state of its own in the process: one call at a time. Its memory comes from Fortran. It is loaded with the
 * first matrix that it gets, unless the program has it within (mumps_within.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dmumps_c.h>
#include <math.h>
#include <pthread.h>

#include "base/late.h"
#include "linsolve/dissect.h"

enum { ANALYSE = 1, FACTOR = 2, SOLVE = 3, BEGIN = -1, END = -2, WORLD = -987654 };
enum { ROOM = 30, MOST_ROOM = 2000 }; /* percent of work space beyond the estimate */

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

typedef void entry(DMUMPS_STRUC_C *);
extern entry *const tni_mumps_within __attribute__((weak, visibility("hidden"))); /* mumps_within.c, where it is linked */

static void (*function[1])(void); /* dmumps_c */
static tni_late library = {.what = "linear solver mumps", .file = TENON_MUMPS_FILE, .package = "libmumps-seq-dev",
                           .n = 1, .name = (const char *const[]){"dmumps_c"}, .function = function};

typedef struct {
  DMUMPS_STRUC_C id;
  bool begun, analysed;
  int *at;      /* [id.nnz] places in value of the entries in use: symmetric, those below the diagonal */
  double *used; /* [id.nnz] */
} mumps;

static void call(mumps *w, int job) {
  pthread_mutex_lock(&one_at_a_time);
  w->id.job = job;
  (&tni_mumps_within ? tni_mumps_within : (entry *)function[0])(&w->id);
  pthread_mutex_unlock(&one_at_a_time);
}

/* numbers as MUMPS's manual has them */
static int *icntl(mumps *w, int i) { return &w->id.icntl[i - 1]; }
static int infog(const mumps *w, int i) { return w->id.infog[i - 1]; }

static tn_status failed(tni_sparse_solver *s, const char *what) {
  const mumps *w = s->state;
  if (infog(w, 1) == -13 || infog(w, 1) == -7) return tni_out_of_memory(s->ctx);
  if (infog(w, 1) == -10) {
    s->least = 0;
    return TN_FAIL(s->ctx, TN_SINGULAR, "sparse matrix is singular");
  }
  return TN_FAIL(s->ctx, TN_ERR_INTERNAL, "sparse solver mumps: %s of %d rows failed with code %d, %d",
                 what, s->n, infog(w, 1), infog(w, 2));
}

/* ---- order --------------------------------------------------------------------------------- */

/* perm_in [n]: place of each unknown in the elimination, from 1 on */
static tn_status dissect(tni_sparse_solver *s, tni_arena *scratch, int *place) {
  tni_node_graph g = {0};
  int *node, *start;
  TN_TRY(tni_node_graph_of(s, scratch, &g));
  TNI_ARENA_NEW(scratch, node, g.n);
  TNI_ARENA_NEW(scratch, start, g.n + 1);
  TN_TRY(tni_dissect(s->ctx, &g, scratch, node));
  for (int v = 0; v < g.n; v++) start[node[v] + 1] = g.first[v+1] - g.first[v];
  for (int v = 0; v < g.n; v++) start[v+1] += start[v];
  for (int v = 0; v < g.n; v++)
    for (int j = g.first[v]; j < g.first[v+1]; j++) place[j] = 1 + start[node[v]] + j - g.first[v];
  return TN_OK;
}

/* ---- life ---------------------------------------------------------------------------------- */

static tn_status list_entries(tni_sparse_solver *s, mumps *w) {
  int nnz = 0, *irn, *jcn;
  bool half = s->opts.symmetric;
  for (int j = 0; j < s->n; j++)
    for (int k = s->ptr[j]; k < s->ptr[j+1]; k++) nnz += !half || s->ind[k] >= j;
  TNI_ARENA_NEW(&s->arena, irn, nnz);
  TNI_ARENA_NEW(&s->arena, jcn, nnz);
  TNI_ARENA_NEW(&s->arena, w->at, nnz);
  TNI_ARENA_NEW(&s->arena, w->used, nnz);
  for (int j = 0, e = 0; j < s->n; j++)
    for (int k = s->ptr[j]; k < s->ptr[j+1]; k++) {
      if (half && s->ind[k] < j) continue;
      irn[e] = s->ind[k] + 1;
      jcn[e] = j + 1;
      w->at[e++] = k;
    }
  w->id.n = s->n;
  w->id.nnz = nnz;
  w->id.irn = irn;
  w->id.jcn = jcn;
  w->id.a = w->used;
  return TN_OK;
}

static tn_status create(tni_sparse_solver *s) {
  mumps *w;
  TN_REQUIRE(s->ctx, !s->opts.is_complex, TN_ERR_ARGUMENT,
             "sparse solver mumps is for real matrices here; use klu");
  if (!&tni_mumps_within) TN_TRY(tni_late_load(s->ctx, &library));
  TNI_ARENA_NEW(&s->arena, w, 1);
  s->state = w;
  s->order = "metis";
  w->id.par = 1;
  w->id.sym = s->opts.symmetric ? 2 : 0; /* 2: pivots of any sign */
  w->id.comm_fortran = WORLD;
  call(w, BEGIN);
  if (infog(w, 1) < 0) return failed(s, "start");
  w->begun = true;
  TN_TRY(list_entries(s, w));
  for (int i = 1; i <= 3; i++) *icntl(w, i) = -1; /* never prints */
  *icntl(w, 4) = 0;
  *icntl(w, 7) = 1;                          /* our order                            */
  *icntl(w, 12) = 1;                         /* no compression by pairs, which needs its own order */
  *icntl(w, 8) = s->opts.scales ? 77 : 0;    /* scaling: automatic, or done          */
  *icntl(w, 6) = 0;                          /* no exchange of columns: the order is ours */
  *icntl(w, 14) = ROOM;
  *icntl(w, 24) = 1;                         /* zero pivots are found, not fatal     */
  w->id.cntl[2] = -s->opts.least;            /* absolute bound of a zero pivot       */
  if (s->opts.threshold > 0) w->id.cntl[0] = s->opts.threshold;
  tni_arena scratch;
  tni_arena_init(&scratch, s->ctx);
  int *place;
  TNI_ARENA_NEW(&s->arena, place, s->n);
  tn_status st = dissect(s, &scratch, place);
  tni_arena_clear(&scratch);
  TN_TRY(st);
  w->id.perm_in = place;
  call(w, ANALYSE);
  return infog(w, 1) < 0 ? failed(s, "analysis") : TN_OK;
}

static void destroy(tni_sparse_solver *s) {
  mumps *w = s->state;
  if (w->begun) call(w, END);
}

static tn_status factor(tni_sparse_solver *s, const double *value) {
  mumps *w = s->state;
  for (MUMPS_INT8 e = 0; e < w->id.nnz; e++) w->used[e] = value[w->at[e]];
  s->negative = s->zero = -1;
  for (;;) {
    call(w, FACTOR);
    /* -8, -9: delayed pivots took more room than was estimated */
    if ((infog(w, 1) != -9 && infog(w, 1) != -8) || *icntl(w, 14) > MOST_ROOM) break;
    *icntl(w, 14) *= 2;
  }
  if (infog(w, 1) < 0) return failed(s, "factorization");
  int zero = infog(w, 28);
  if (s->opts.symmetric) {
    s->negative = infog(w, 12);
    s->zero = zero;
  }
  s->nnz = infog(w, 29) < 0 ? -1000000L*infog(w, 29) : infog(w, 29);
  s->least = zero > 0 ? 0 : 1;
  TN_REQUIRE(s->ctx, zero == 0, TN_SINGULAR, "sparse matrix is singular: %d pivots vanish", zero);
  return TN_OK;
}

static void solve(tni_sparse_solver *s, int nrhs, bool transposed, double *b) {
  mumps *w = s->state;
  *icntl(w, 9) = transposed ? 0 : 1;
  w->id.rhs = b;
  w->id.nrhs = nrhs;
  w->id.lrhs = s->n;
  call(w, SOLVE);
  if (infog(w, 1) >= 0) return;
  for (size_t i = 0; i < (size_t)nrhs*(size_t)s->n; i++) b[i] = NAN; /* seen by whoever looks */
}

static bool null(tni_sparse_solver *s, double *x) {
  mumps *w = s->state;
  if (s->zero < 0) return false;
  if (s->zero == 0) return true;
  w->id.rhs = x;
  w->id.nrhs = s->zero;
  w->id.lrhs = s->n;
  *icntl(w, 25) = -1; /* all of them */
  call(w, SOLVE);
  *icntl(w, 25) = 0;
  return infog(w, 1) >= 0;
}

/* pivots are chosen every time: there is no history to spoil */
static bool refactor(tni_sparse_solver *s, const double *value) { return factor(s, value) == TN_OK; }

const tni_sparse_backend tni_sparse_mumps = {.name = "mumps", .create = create, .destroy = destroy,
                                             .factor = factor, .refactor = refactor, .solve = solve,
                                             .null = null};
