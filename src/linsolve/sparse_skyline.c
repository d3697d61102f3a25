/* linsolve/sparse_skyline.c - active columns: the solver of the classical programs, as a reference, behind linsolve/sparse.h
 *
 *   A = L D L^T, column j stored from its first number to the diagonal; unknowns in reverse Cuthill-McKee order of the nodes
 *
 * No pivot is exchanged; the signs of D are those of the eigenvalues (Sylvester). Addresses have 64 bits. Slow on purpose beside fronts
 * and mumps: what it says does not depend on either.
 *
 * Source: E. L. Wilson, H. H. Dovey, Adv. Eng. Software 1 (1978) 19.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "linsolve/dissect.h"

typedef struct {
  int *place;       /* [n] unknown -> column                                 */
  int *top;         /* [n] first row of a column                             */
  size_t *at;       /* [n+1] of row top[j] of column j                       */
  double *a, *d, *x; /* columns without the diagonal; [n]; [n]               */
} skyline;

/* nodes level by level from one at the edge of the graph, in the order of their neighbours, backwards */
static tn_status cuthill_mckee(const tni_node_graph *g, tni_arena *scratch, int *place) {
  int *queue, *level, n = 0;
  TNI_ARENA_NEW(scratch, queue, g->n);
  TNI_ARENA_NEW(scratch, level, g->n);
  for (int v = 0; v < g->n; v++) place[v] = -1;
  for (int root = 0; root < g->n; root++) {
    if (place[root] >= 0) continue;
    int begin = n, start = root;
    for (int round = 0; round < 4; round++) { /* the last one reached is far from the first */
      for (int i = begin; i < n; i++) place[queue[i]] = -1;
      n = begin;
      queue[n++] = start;
      place[start] = 0;
      for (int i = begin; i < n; i++)
        for (int k = g->adr[queue[i]]; k < g->adr[queue[i] + 1]; k++)
          if (place[g->other[k]] < 0) place[g->other[k]] = 0, queue[n++] = g->other[k];
      if (round < 3) start = queue[n-1];
    }
  }
  for (int i = 0; i < n; i++) place[queue[i]] = g->n - 1 - i;
  return TN_OK;
}

static tn_status create(tni_sparse_solver *s) {
  skyline *w;
  TN_REQUIRE(s->ctx, s->opts.symmetric && !s->opts.is_complex, TN_ERR_ARGUMENT,
             "sparse solver skyline is for real symmetric matrices; use klu or mumps");
  tni_arena *a = &s->arena, scratch;
  TNI_ARENA_NEW(a, w, 1);
  s->state = w;
  s->order = "rcm";
  TNI_ARENA_NEW(a, w->place, s->n);
  TNI_ARENA_NEW(a, w->top, s->n);
  TNI_ARENA_NEW(a, w->at, s->n + 1);
  TNI_ARENA_NEW(a, w->d, s->n);
  TNI_ARENA_NEW(a, w->x, s->n);
  tni_arena_init(&scratch, s->ctx);
  tni_node_graph g = {0};
  int *node = NULL, *start = NULL;
  tn_status st = tni_node_graph_of(s, &scratch, &g);
  if (st == TN_OK) {
    node = tni_arena_alloc(&scratch, (size_t)g.n, sizeof(int));
    start = tni_arena_alloc(&scratch, (size_t)g.n + 1, sizeof(int));
    st = node && start ? cuthill_mckee(&g, &scratch, node) : tni_out_of_memory(s->ctx);
  }
  if (st == TN_OK) {
    for (int v = 0; v < g.n; v++) start[node[v] + 1] = g.first[v+1] - g.first[v];
    for (int v = 0; v < g.n; v++) start[v+1] += start[v];
    for (int v = 0; v < g.n; v++)
      for (int j = g.first[v]; j < g.first[v+1]; j++) w->place[j] = start[node[v]] + j - g.first[v];
  }
  tni_arena_clear(&scratch);
  TN_TRY(st);
  for (int j = 0; j < s->n; j++) w->top[j] = j;
  for (int j = 0; j < s->n; j++)
    for (int k = s->ptr[j]; k < s->ptr[j+1]; k++) {
      int r = w->place[s->ind[k]], c = w->place[j];
      if (r < w->top[c]) w->top[c] = r;
    }
  for (int j = 0; j < s->n; j++) {
    double height = j - w->top[j];
    w->at[j+1] = w->at[j] + (size_t)(j - w->top[j]);
    s->flops += height*height;
  }
  s->nnz = (long)w->at[s->n] + s->n;
  s->bytes = 8.0*(double)w->at[s->n];
  return TN_OK;
}

static void destroy(tni_sparse_solver *s) {
  skyline *w = s->state;
  tni_free(s->ctx, w->a);
}

static tn_status factor(tni_sparse_solver *s, const double *value) {
  skyline *w = s->state;
  if (!w->a) w->a = tni_doubles(s->ctx, w->at[s->n] + 1);
  if (!w->a) return tni_out_of_memory(s->ctx);
  memset(w->a, 0, w->at[s->n]*sizeof(double));
  memset(w->d, 0, (size_t)s->n*sizeof(double));
  for (int j = 0; j < s->n; j++)
    for (int k = s->ptr[j]; k < s->ptr[j+1]; k++) {
      int r = w->place[s->ind[k]], c = w->place[j];
      if (r < c) w->a[w->at[c] + (size_t)(r - w->top[c])] += value[k];
      else if (r == c) w->d[c] += value[k];
    }
  s->negative = s->zero = 0;
  s->least = HUGE_VAL;
  for (int j = 0; j < s->n; j++) {
    double *g = w->a + w->at[j] - w->top[j]; /* g[i]: row i */
    for (int i = w->top[j] + 1; i < j; i++) {
      const double *l = w->a + w->at[i] - w->top[i];
      int from = w->top[i] > w->top[j] ? w->top[i] : w->top[j];
      double sum = 0;
      for (int k = from; k < i; k++) sum += l[k]*g[k];
      g[i] -= sum;
    }
    for (int i = w->top[j]; i < j; i++) {
      double l = g[i]/w->d[i];
      w->d[j] -= l*g[i];
      g[i] = l;
    }
    if (fabs(w->d[j]) < s->least) {
      s->least = fabs(w->d[j]);
      for (int i = 0; i < s->n; i++)
        if (w->place[i] == j) s->column = i;
    }
    s->negative += w->d[j] < 0;
    if (!(fabs(w->d[j]) > s->opts.least)) {
      s->negative = s->zero = -1;
      return TN_FAIL(s->ctx, TN_SINGULAR, "sparse matrix is singular at row %d", s->column);
    }
  }
  return TN_OK;
}

static bool refactor(tni_sparse_solver *s, const double *value) { return factor(s, value) == TN_OK; }

static void solve(tni_sparse_solver *s, int nrhs, bool transposed, double *b) {
  const skyline *w = s->state;
  (void)transposed;
  for (int r = 0; r < nrhs; r++) {
    double *x = w->x, *rhs = b + (size_t)r*(size_t)s->n;
    for (int i = 0; i < s->n; i++) x[w->place[i]] = rhs[i];
    for (int j = 0; j < s->n; j++) {
      const double *l = w->a + w->at[j] - w->top[j];
      for (int i = w->top[j]; i < j; i++) x[j] -= l[i]*x[i];
    }
    for (int j = 0; j < s->n; j++) x[j] /= w->d[j];
    for (int j = s->n - 1; j >= 0; j--) {
      const double *l = w->a + w->at[j] - w->top[j];
      for (int i = w->top[j]; i < j; i++) x[i] -= l[i]*x[j];
    }
    for (int i = 0; i < s->n; i++) rhs[i] = x[w->place[i]];
  }
}

const tni_sparse_backend tni_sparse_skyline = {.name = "skyline", .create = create, .destroy = destroy, .factor = factor,
                                               .refactor = refactor, .solve = solve};
