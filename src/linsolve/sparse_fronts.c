/* linsolve/sparse_fronts.c - symmetric positive definite matrices by dense fronts, behind linsolve/sparse.h
 *
 *   A = L L^T, unknowns in the order of nested dissections
 *
 * Columns of L with the same rows below them are one front: a dense block whose pivots are eliminated by LAPACK, whose
 * rest, the sum of its own entries and of what its children left, goes on to its parent. Children end before parents begin,
 * so that rests lie on a stack. What is stored of L is a panel a front: its pivots and the rows below.
 *
 * Fronts of subtrees that have nothing to do with each other run on different threads, each subtree on a stack of its own while it
 * runs, of which only the rest of its root is left; large fronts above them are divided into blocks of columns. Neither depends on the number
 * of threads, sums have a fixed order: the same bits. Rests that wait are lower triangles, packed by columns.
 *
 * No pivot is exchanged. TN_SINGULAR: the matrix is not positive definite, or a pivot is not above `least`; who must know
 * more asks mumps.
 *
 * Source: J. W. H. Liu, The multifrontal method for sparse matrix solution: theory and practice, SIAM Review 34 (1992) 82.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

#include "linsolve/dissect.h"
#include "linsolve/lapack.h"
#include "parallel/pool.h"

/* Fronts become one where that adds few zeros: up to this many columns, up to this part of the panel. Wider fronts cost
 * operations on zeros, narrower ones calls and copies. */
static const struct {
  int columns;
  double zeros;
} JOIN[] = {{12, 0.8}, {48, 0.3}, {96, 0.12}, {1 << 30, 0.04}};

enum { SUBTREES = 16, TILE = 192, RIGHT_SIDES = 8 };
static const double WHOLE_TREE = 2e7; /* operations of a matrix that is not worth dividing */

/* what a subtree needs while it is worked on; as many as there are threads */
typedef struct {
  atomic_flag busy;
  double *stack;   /* rests of its fronts                         */
  int *where;      /* [n] place of a row in the front at hand     */
  int *near;       /* [most] places of a child's rows in its parent */
} bench;

typedef struct {
  int begin, end;  /* fronts; the last one is its root            */
  size_t room;     /* of its stack                                */
  double *left;    /* the rest of its root                        */
  bool bad;
  int column;      /* of the pivot that is none                   */
  double least;
} subtree;

typedef struct {
  int nfront, nsub, most;  /* fronts; subtrees; rows below the pivots of a front at most */
  int *place, *back;       /* [n] unknown -> column of L, and back                         */
  int *first;              /* [nfront+1] columns                                          */
  int *parent;             /* [nfront] or -1                                               */
  int *child, *sibling;    /* [nfront] first child, next one; -1                           */
  size_t *row_adr;         /* [nfront+1]                                                   */
  int *row;                /* rows below the pivots, ascending                             */
  size_t *at;              /* [nfront+1] panels in L, by columns                           */
  size_t *rest;            /* [nfront] where its rest lies on the stack of its subtree     */
  int *owner;              /* [nfront] subtree, or nsub: above all of them                 */
  subtree *sub;            /* [nsub + 1] the last one: what is above                       */
  double *L, *work, *x;    /* x [RIGHT_SIDES][n], work [RIGHT_SIDES][most]                 */
  bench *bench;            /* [nbench] the first one also for what is above all subtrees    */
  int nbench;
  double flops, bytes;
  bool used;               /* L, stacks: else they are zero                                */
  const double *value;     /* of the factorization under way                               */
} fronts;

/* ---- which fronts there are -------------------------------------------------------------------- */

typedef struct {
  const tni_node_graph *g;
  int n;
  int *order, *place;   /* nodes by their place, and back */
  int *parent;          /* elimination tree               */
  int *start;           /* [n+1] first unknown of the node at a place */
  long *below;          /* unknowns of the rows below      */
} nodes;

/* every node's parent: the first one above it in its column of L */
static void find_parents(nodes *t, int *above) {
  for (int i = 0; i < t->n; i++) {
    int v = t->order[i];
    t->parent[i] = above[i] = -1;
    for (int k = t->g->adr[v]; k < t->g->adr[v+1]; k++)
      for (int r = t->place[t->g->other[k]]; r >= 0 && r < i;) {
        int next = above[r];
        if (next == i) break;
        above[r] = i;
        if (next < 0) t->parent[r] = i;
        r = next;
      }
  }
}

/* children right before their parents */
static void order_by_tree(nodes *t, int *child, int *sibling, int *stack, int *moved) {
  int at = 0, depth = 0;
  for (int i = 0; i < t->n; i++) child[i] = -1;
  for (int i = t->n - 1; i >= 0; i--)
    if (t->parent[i] >= 0) sibling[i] = child[t->parent[i]], child[t->parent[i]] = i;
  for (int i = 0; i < t->n; i++) {
    if (t->parent[i] >= 0) continue;
    stack[depth++] = i;
    while (depth > 0) {
      int top = stack[depth - 1];
      if (child[top] >= 0) {
        stack[depth++] = child[top];
        child[top] = sibling[child[top]];
      } else {
        moved[top] = at++;
        depth--;
      }
    }
  }
  for (int v = 0; v < t->n; v++) t->place[v] = moved[t->place[v]];
  for (int i = 0; i < t->n; i++) sibling[moved[i]] = t->parent[i] < 0 ? -1 : moved[t->parent[i]];
  memcpy(t->parent, sibling, (size_t)t->n*sizeof(int));
  for (int v = 0; v < t->n; v++) t->order[t->place[v]] = v;
  for (int i = 0; i < t->n; i++) t->start[i+1] = t->start[i] + t->g->first[t->order[i] + 1] - t->g->first[t->order[i]];
}

static void count_rows(nodes *t, int *seen) {
  for (int i = 0; i < t->n; i++) t->below[i] = 0, seen[i] = -1;
  for (int i = 0; i < t->n; i++) {
    int v = t->order[i];
    seen[i] = i;
    for (int k = t->g->adr[v]; k < t->g->adr[v+1]; k++)
      for (int r = t->place[t->g->other[k]]; r < i && seen[r] != i; r = t->parent[r]) {
        t->below[r] += t->start[i+1] - t->start[i];
        seen[r] = i;
      }
  }
}

/* Begin of every front [at most n + 1]; returns how many. Node after node; each is a front, that takes in those right before it
 * whose parents are in it as long as they do not bring too many zeros. */
static int make_fronts(const nodes *t, int *begin, double *zeros) {
  int n = 0;
  for (int i = 0; i < t->n; i++) {
    begin[n] = i;
    zeros[n++] = 0;
    while (n > 1) {
      int last = begin[n-1] - 1, rule = 0;
      if (t->parent[last] < 0 || t->parent[last] > i) break;
      double wide = t->start[i+1] - t->start[begin[n-2]], more = t->start[i+1] - t->start[last + 1];
      double all = wide*(wide + 1)/2 + wide*(double)t->below[i];
      double none = zeros[n-2] + zeros[n-1] + (wide - more)*(more + (double)(t->below[i] - t->below[last]));
      while (wide > JOIN[rule].columns) rule++;
      if (none > JOIN[rule].zeros*all) break;
      zeros[--n - 1] = none;
    }
  }
  begin[n] = t->n;
  return n;
}

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* nodes below the pivots of front f, ascending, into list; seen [n]: f marks what is there */
static int rows_of(const nodes *t, const fronts *w, const int *begin, const int *const *rows, const int *nrow, int f,
                   int *seen, int *list) {
  int n = 0, end = begin[f+1];
  for (int i = begin[f]; i < end; i++) {
    int v = t->order[i];
    for (int k = t->g->adr[v]; k < t->g->adr[v+1]; k++) {
      int r = t->place[t->g->other[k]];
      if (r >= end && seen[r] != f) seen[r] = f, list[n++] = r;
    }
  }
  for (int c = w->child[f]; c >= 0; c = w->sibling[c])
    for (int k = 0; k < nrow[c]; k++) {
      int r = rows[c][k];
      if (r >= end && seen[r] != f) seen[r] = f, list[n++] = r;
    }
  qsort(list, (size_t)n, sizeof(int), ascending);
  return n;
}

/* the tree of fronts and their rows */
static tn_status lay_fronts(const nodes *t, const int *begin, tni_arena *a, tni_arena *scratch, fronts *w) {
  int nf = w->nfront, *of, *seen, *list, *nrow;
  const int **rows;
  TNI_ARENA_NEW(a, w->first, nf + 1);
  TNI_ARENA_NEW(a, w->parent, nf);
  TNI_ARENA_NEW(a, w->child, nf);
  TNI_ARENA_NEW(a, w->sibling, nf);
  TNI_ARENA_NEW(a, w->row_adr, nf + 1);
  TNI_ARENA_NEW(a, w->at, nf + 1);
  TNI_ARENA_NEW(scratch, of, t->n);
  TNI_ARENA_NEW(scratch, seen, t->n);
  TNI_ARENA_NEW(scratch, list, t->n);
  TNI_ARENA_NEW(scratch, nrow, nf);
  TNI_ARENA_NEW(scratch, rows, nf);
  for (int f = 0; f < nf; f++) {
    for (int i = begin[f]; i < begin[f+1]; i++) of[i] = f;
    w->first[f] = t->start[begin[f]];
    w->child[f] = -1;
  }
  w->first[nf] = t->start[t->n];
  for (int i = 0; i < t->n; i++) seen[i] = -1;
  for (int f = nf - 1; f >= 0; f--) { /* backwards: children ascending */
    int last = begin[f+1] - 1;
    w->parent[f] = t->parent[last] < 0 ? -1 : of[t->parent[last]];
    if (w->parent[f] < 0) continue;
    w->sibling[f] = w->child[w->parent[f]];
    w->child[w->parent[f]] = f;
  }
  for (int f = 0; f < nf; f++) {
    if (w->parent[f] < 0) w->sibling[f] = -1;
    int n = rows_of(t, w, begin, rows, nrow, f, seen, list), *own;
    TNI_ARENA_NEW(scratch, own, n);
    memcpy(own, list, (size_t)n*sizeof(int));
    rows[f] = own;
    nrow[f] = n;
    w->row_adr[f+1] = w->row_adr[f];
    for (int k = 0; k < n; k++) w->row_adr[f+1] += (size_t)(t->start[own[k] + 1] - t->start[own[k]]);
  }
  TNI_ARENA_NEW(a, w->row, w->row_adr[nf]);
  for (int f = 0; f < nf; f++) {
    int *to = w->row + w->row_adr[f];
    size_t np = (size_t)(w->first[f+1] - w->first[f]), nu = w->row_adr[f+1] - w->row_adr[f];
    for (int k = 0; k < nrow[f]; k++)
      for (int j = t->start[rows[f][k]]; j < t->start[rows[f][k] + 1]; j++) *to++ = j;
    w->at[f+1] = w->at[f] + np*(np + nu);
    w->most = (int)nu > w->most ? (int)nu : w->most;
  }
  return TN_OK;
}

/* ---- subtrees ------------------------------------------------------------------------------------ */

static double operations(const fronts *w, int f) {
  double np = w->first[f+1] - w->first[f], nu = (double)(w->row_adr[f+1] - w->row_adr[f]);
  return np*np*np/3 + nu*np*np + nu*nu*np;
}

/* Subtrees of about equal work: the heaviest gives way to its children as long as there are few. What is above belongs to none. */
static tn_status divide(fronts *w, tni_arena *a, tni_arena *scratch) {
  int nf = w->nfront, root[2*SUBTREES + 2], n = 0;
  double *cost;
  TNI_ARENA_NEW(scratch, cost, nf);
  TNI_ARENA_NEW(a, w->owner, nf);
  TNI_ARENA_NEW(a, w->sub, SUBTREES + 1);
  for (int f = 0; f < nf; f++) {
    cost[f] += operations(w, f);
    if (w->parent[f] >= 0) cost[w->parent[f]] += cost[f];
    else w->flops += cost[f];
    w->owner[f] = -1;
  }
  if (w->flops > WHOLE_TREE)
    for (int f = nf - 1; f >= 0 && n < SUBTREES; f--)
      if (w->parent[f] < 0) root[n++] = f;
  while (n > 0) {
    int heavy = 0, children = 0;
    for (int i = 1; i < n; i++)
      if (cost[root[i]] > cost[root[heavy]]) heavy = i;
    for (int c = w->child[root[heavy]]; c >= 0; c = w->sibling[c]) children++;
    if (children == 0 || n - 1 + children > SUBTREES || cost[root[heavy]] < w->flops/(2*SUBTREES)) break;
    int f = root[heavy];
    root[heavy] = root[--n];
    for (int c = w->child[f]; c >= 0; c = w->sibling[c]) root[n++] = c;
  }
  /* a subtree is a row of fronts that ends with its root */
  for (int i = 0; i < n; i++) {
    int begin = root[i];
    while (w->child[begin] >= 0) begin = w->child[begin];
    w->sub[i].begin = begin;
    w->sub[i].end = root[i] + 1;
    for (int f = begin; f <= root[i]; f++) w->owner[f] = i;
  }
  w->nsub = n;
  for (int f = 0; f < nf; f++)
    if (w->owner[f] < 0) w->owner[f] = n;
  w->sub[n].begin = 0;
  w->sub[n].end = nf;
  return TN_OK;
}

static size_t packed(size_t n) { return n*(n + 1)/2; }
static size_t rows_below(const fronts *w, int f) { return w->row_adr[f+1] - w->row_adr[f]; }

/* numbers on the stack of bench k: of the largest subtree, the first one also of what is above them */
static size_t room_of(const fronts *w, int k) {
  size_t room = 0;
  for (int i = 0; i < w->nsub + (k == 0); i++) room = w->sub[i].room > room ? w->sub[i].room : room;
  return room;
}

/* where the rest of every front comes to lie, and how high the stacks become */
static tn_status stack_up(fronts *w, int threads, tni_arena *a) {
  TNI_ARENA_NEW(a, w->rest, w->nfront);
  for (int i = 0; i <= w->nsub; i++) {
    subtree *s = &w->sub[i];
    size_t top = 0;
    for (int f = s->begin; f < s->end; f++) {
      if (w->owner[f] != i) continue;
      size_t nu = rows_below(w, f), base = top;
      for (int c = w->child[f]; c >= 0; c = w->sibling[c])
        if (w->owner[c] == i) base = base < w->rest[c] ? base : w->rest[c];
      if (top + nu*nu > s->room) s->room = top + nu*nu;
      w->rest[f] = base;
      top = base + packed(nu);
    }
    if (i < w->nsub) w->bytes += (double)packed(rows_below(w, s->end - 1))*sizeof(double);
  }
  w->nbench = threads < 1 || w->nsub == 0 ? 1 : threads < w->nsub ? threads : w->nsub;
  TNI_ARENA_NEW(a, w->bench, w->nbench);
  for (int k = 0; k < w->nbench; k++) w->bytes += (double)room_of(w, k)*sizeof(double);
  w->bytes += (double)w->at[w->nfront]*sizeof(double) + 16.0*(double)w->row_adr[w->nfront];
  return TN_OK;
}

static tn_status analyse(tni_sparse_solver *s, fronts *w, tni_arena *scratch) {
  tni_arena *a = &s->arena;
  tni_node_graph g = {0};
  int *one, *two, *three, *four, *begin;
  double *zeros;
  TN_TRY(tni_node_graph_of(s, scratch, &g));
  nodes t = {.g = &g, .n = g.n};
  size_t n = (size_t)g.n;
  TNI_ARENA_NEW(scratch, t.order, n);
  TNI_ARENA_NEW(scratch, t.place, n);
  TNI_ARENA_NEW(scratch, t.parent, n);
  TNI_ARENA_NEW(scratch, t.start, n + 1);
  TNI_ARENA_NEW(scratch, t.below, n);
  TNI_ARENA_NEW(scratch, one, n);
  TNI_ARENA_NEW(scratch, two, n);
  TNI_ARENA_NEW(scratch, three, n);
  TNI_ARENA_NEW(scratch, four, n);
  TNI_ARENA_NEW(scratch, begin, n + 1);
  TNI_ARENA_NEW(scratch, zeros, n);
  TN_TRY(tni_dissect(s->ctx, &g, scratch, t.place));
  for (int v = 0; v < g.n; v++) t.order[t.place[v]] = v;
  find_parents(&t, one);
  order_by_tree(&t, one, two, three, four);
  count_rows(&t, one);
  w->nfront = make_fronts(&t, begin, zeros);
  TNI_ARENA_NEW(a, w->place, s->n);
  TNI_ARENA_NEW(a, w->back, s->n);
  for (int v = 0; v < g.n; v++)
    for (int j = g.first[v]; j < g.first[v+1]; j++) w->place[j] = t.start[t.place[v]] + j - g.first[v];
  for (int j = 0; j < s->n; j++) w->back[w->place[j]] = j;
  TN_TRY(lay_fronts(&t, begin, a, scratch, w));
  TN_TRY(divide(w, a, scratch));
  return stack_up(w, s->ctx->opts.threads, a);
}

static tn_status create(tni_sparse_solver *s) {
  fronts *w;
  TN_REQUIRE(s->ctx, s->opts.symmetric && !s->opts.is_complex, TN_ERR_ARGUMENT,
             "sparse solver fronts is for real symmetric matrices; use klu or mumps");
  TNI_ARENA_NEW(&s->arena, w, 1);
  s->state = w;
  s->order = "metis";
  tni_arena scratch;
  tni_arena_init(&scratch, s->ctx);
  tn_status st = analyse(s, w, &scratch);
  tni_arena_clear(&scratch);
  TN_TRY(st);
  TNI_ARENA_NEW(&s->arena, w->work, (size_t)RIGHT_SIDES*(size_t)w->most);
  TNI_ARENA_NEW(&s->arena, w->x, (size_t)RIGHT_SIDES*(size_t)s->n);
  s->nnz = (long)w->at[w->nfront];
  s->flops = w->flops;
  s->bytes = w->bytes;
  return TN_OK;
}

static void give_back(tni_sparse_solver *s, fronts *w) {
  for (int i = 0; w->sub && i <= w->nsub; i++) {
    tni_free(s->ctx, w->sub[i].left);
    w->sub[i].left = NULL;
  }
  for (int k = 0; w->bench && k < w->nbench; k++) {
    tni_free(s->ctx, w->bench[k].stack);
    tni_free(s->ctx, w->bench[k].where);
    tni_free(s->ctx, w->bench[k].near);
    w->bench[k].stack = NULL;
    w->bench[k].where = w->bench[k].near = NULL;
  }
}

static void destroy(tni_sparse_solver *s) {
  fronts *w = s->state;
  tni_free(s->ctx, w->L);
  give_back(s, w);
}

/* the large memory, with the first factorization */
static tn_status take_memory(tni_sparse_solver *s, fronts *w) {
  if (w->L && w->bench[0].stack) return TN_OK;
  for (int i = 0; i < w->nsub; i++) {
    subtree *b = &w->sub[i];
    if (!b->left) b->left = tni_doubles(s->ctx, packed(rows_below(w, b->end - 1)) + 1);
    if (!b->left) return tni_out_of_memory(s->ctx);
  }
  for (int k = 0; k < w->nbench; k++) {
    bench *b = &w->bench[k];
    atomic_flag_clear(&b->busy);
    if (!b->stack) b->stack = tni_doubles(s->ctx, room_of(w, k) + 1);
    if (!b->where) b->where = tni_alloc(s->ctx, (size_t)s->n, sizeof(int));
    if (!b->near) b->near = tni_alloc(s->ctx, (size_t)w->most + 1, sizeof(int));
    if (!b->stack || !b->where || !b->near) return tni_out_of_memory(s->ctx);
  }
  if (!w->L) w->L = tni_doubles(s->ctx, w->at[w->nfront] + 1);
  return w->L ? TN_OK : tni_out_of_memory(s->ctx);
}

/* ---- factors ------------------------------------------------------------------------------------- */

/* entries of the matrix in the columns of front f */
static void add_entries(const tni_sparse_solver *s, const fronts *w, int f, const int *where, double *panel, size_t nf) {
  for (int j = w->first[f]; j < w->first[f+1]; j++) {
    int col = w->back[j];
    double *to = panel + (size_t)(j - w->first[f])*nf;
    for (int k = s->ptr[col]; k < s->ptr[col + 1]; k++) {
      int r = w->place[s->ind[k]];
      if (r < j) continue;
      to[r < w->first[f+1] ? r - w->first[f] : where[r]] += w->value[k];
    }
  }
}

/* what child c left, a packed triangle, added to panel and rest U of its parent f */
static void add_child(const fronts *w, int f, int c, const double *left, const int *where, int *near, double *panel,
                      size_t nf, double *U, size_t nu) {
  size_t n = rows_below(w, c), np = nf - nu;
  const int *row = w->row + w->row_adr[c];
  for (size_t k = 0; k < n; k++) near[k] = row[k] < w->first[f+1] ? row[k] - w->first[f] : where[row[k]];
  for (size_t a = 0; a < n; a++) {
    size_t to = (size_t)near[a];
    /* the place of row 0 of the front in this column; rows of the rest alone come here for columns of the rest */
    double *restrict o = to < np ? panel + to*nf : U + (to - np)*nu - np;
    const double *x = left + a*n - packed(a); /* of row 0, which is not there for a > 0 */
    for (size_t b = a; b < n;) { /* rows that follow each other in both */
      size_t run = 1;
      double *p = o + near[b];
      while (b + run < n && near[b + run] == near[b] + (int)run) run++;
      for (size_t k = 0; k < run; k++) p[k] += x[b + k];
      b += run;
    }
  }
}

typedef struct {
  const double *panel;
  double *rows, *U;
  int np, nu, nf;
} blocks;

/* rows := rows L^-T, TILE rows at a time */
static void solve_rows(void *user, int begin, int end) {
  const blocks *b = user;
  for (int k = begin; k < end; k++) {
    int first = k*TILE, n = b->nu - first < TILE ? b->nu - first : TILE;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, b->np, 1, b->panel, b->nf,
                b->rows + first, b->nf);
  }
}

/* U -= rows rows^T, TILE columns at a time */
static void subtract_rows(void *user, int begin, int end) {
  const blocks *b = user;
  for (int k = begin; k < end; k++) {
    int first = k*TILE, n = b->nu - first < TILE ? b->nu - first : TILE, below = b->nu - first - n;
    double *U = b->U + (size_t)first*(size_t)b->nu + first;
    const double *own = b->rows + first;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, b->np, -1, own, b->nf, 1, U, b->nu);
    if (below > 0)
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, below, n, b->np, -1, own + n, b->nf, own, b->nf, 1, U + n, b->nu);
  }
}

static bool eliminate(tni_sparse_solver *s, const fronts *w, int f, subtree *t, bench *at) {
  int np = w->first[f+1] - w->first[f], nu = (int)(w->row_adr[f+1] - w->row_adr[f]), nf = np + nu, own = w->owner[f];
  const int *row = w->row + w->row_adr[f];
  double *panel = w->L + w->at[f];
  size_t top = w->rest[f];
  /* above what the children left, moved down when they have been added */
  for (int c = w->child[f]; c >= 0; c = w->sibling[c])
    if (w->owner[c] == own) {
      size_t end = w->rest[c] + packed(rows_below(w, c));
      top = end > top ? end : top;
    }
  double *U = at->stack + top;
  if (w->used) memset(panel, 0, (size_t)nf*(size_t)np*sizeof(double));
  memset(U, 0, (size_t)nu*(size_t)nu*sizeof(double));
  for (int k = 0; k < nu; k++) at->where[row[k]] = np + k;
  add_entries(s, w, f, at->where, panel, (size_t)nf);
  for (int c = w->child[f]; c >= 0; c = w->sibling[c])
    add_child(w, f, c, w->owner[c] == own ? at->stack + w->rest[c] : w->sub[w->owner[c]].left, at->where, at->near, panel, (size_t)nf, U,
              (size_t)nu);
  int info = tni_potrf('L', np, panel, nf);
  for (int j = 0; j < (info > 0 ? info - 1 : np); j++) {
    double d = panel[(size_t)j*(size_t)nf + (size_t)j];
    if (d*d < t->least) t->least = d*d, t->column = w->back[w->first[f] + j];
  }
  if (info != 0) {
    t->least = 0;
    t->column = w->back[w->first[f] + (info > 0 ? info - 1 : 0)];
    return false;
  }
  if (nu == 0) return true;
  blocks b = {panel, panel + np, U, np, nu, nf};
  int ntile = (nu + TILE - 1)/TILE;
  tni_parallel_for(s->ctx, ntile, 1, solve_rows, &b);
  tni_parallel_for(s->ctx, ntile, 1, subtract_rows, &b);
  /* of a root to where its parent will find it; else down, column by column: never above where it was */
  double *to = own < w->nsub && f == t->end - 1 ? t->left : at->stack + w->rest[f];
  for (int k = 0; k < nu; to += nu - k++) memmove(to, U + (size_t)k*(size_t)nu + k, (size_t)(nu - k)*sizeof(double));
  return true;
}

typedef struct {
  tni_sparse_solver *s;
  fronts *w;
} job;

static void factor_subtrees(void *user, int begin, int end) {
  const job *j = user;
  fronts *w = j->w;
  for (int i = begin; i < end; i++) {
    subtree *t = &w->sub[i];
    int k = 0; /* there are as many as can be at work at once: one is free */
    while (i < w->nsub && atomic_flag_test_and_set(&w->bench[k].busy)) k = (k + 1) % w->nbench;
    t->bad = false;
    t->least = HUGE_VAL;
    t->column = -1;
    for (int f = t->begin; f < t->end && !t->bad; f++)
      if (w->owner[f] == i) t->bad = !eliminate(j->s, w, f, t, &w->bench[k]);
    if (i < w->nsub) atomic_flag_clear(&w->bench[k].busy);
  }
}

static tn_status factor(tni_sparse_solver *s, const double *value) {
  fronts *w = s->state;
  job j = {s, w};
  TN_TRY(take_memory(s, w));
  w->value = value;
  s->negative = s->zero = -1;
  tni_parallel_for(s->ctx, w->nsub, 1, factor_subtrees, &j);
  bool bad = false;
  for (int i = 0; i < w->nsub; i++) bad = bad || w->sub[i].bad;
  if (!bad) factor_subtrees(&j, w->nsub, w->nsub + 1);
  w->used = true;
  if (s->opts.once) give_back(s, w);
  s->least = HUGE_VAL;
  for (int i = 0; i <= w->nsub - (bad ? 1 : 0); i++)
    if (w->sub[i].least < s->least) s->least = w->sub[i].least, s->column = w->sub[i].column;
  TN_REQUIRE(s->ctx, s->least > s->opts.least, TN_SINGULAR, "sparse matrix is not positive definite at row %d", s->column);
  s->negative = s->zero = 0;
  return TN_OK;
}

static bool refactor(tni_sparse_solver *s, const double *value) { return factor(s, value) == TN_OK; }

/* ---- right sides ----------------------------------------------------------------------------------- */

static void down(const fronts *w, int n, int nrhs) {
  for (int f = 0; f < w->nfront; f++) {
    int np = w->first[f+1] - w->first[f], nu = (int)(w->row_adr[f+1] - w->row_adr[f]), nf = np + nu;
    const int *row = w->row + w->row_adr[f];
    const double *panel = w->L + w->at[f];
    double *x = w->x + w->first[f];
    if (nrhs == 1) {
      cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, np, panel, nf, x, 1);
      if (nu > 0) cblas_dgemv(CblasColMajor, CblasNoTrans, nu, np, 1, panel + np, nf, x, 1, 0, w->work, 1);
    } else {
      cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, np, nrhs, 1, panel, nf, x, n);
      if (nu > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, nu, nrhs, np, 1, panel + np, nf, x, n, 0, w->work, w->most);
    }
    for (int r = 0; r < nrhs; r++)
      for (int k = 0; k < nu; k++) w->x[(size_t)r*(size_t)n + (size_t)row[k]] -= w->work[(size_t)r*(size_t)w->most + (size_t)k];
  }
}

static void up(const fronts *w, int n, int nrhs) {
  for (int f = w->nfront - 1; f >= 0; f--) {
    int np = w->first[f+1] - w->first[f], nu = (int)(w->row_adr[f+1] - w->row_adr[f]), nf = np + nu;
    const int *row = w->row + w->row_adr[f];
    const double *panel = w->L + w->at[f];
    double *x = w->x + w->first[f];
    for (int r = 0; r < nrhs; r++)
      for (int k = 0; k < nu; k++) w->work[(size_t)r*(size_t)w->most + (size_t)k] = w->x[(size_t)r*(size_t)n + (size_t)row[k]];
    if (nrhs == 1) {
      if (nu > 0) cblas_dgemv(CblasColMajor, CblasTrans, nu, np, -1, panel + np, nf, w->work, 1, 1, x, 1);
      cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, np, panel, nf, x, 1);
    } else {
      if (nu > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, np, nrhs, nu, -1, panel + np, nf, w->work, w->most, 1, x, n);
      cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, np, nrhs, 1, panel, nf, x, n);
    }
  }
}

static void solve(tni_sparse_solver *s, int nrhs, bool transposed, double *b) {
  const fronts *w = s->state;
  size_t n = (size_t)s->n;
  (void)transposed; /* symmetric */
  for (int done = 0; done < nrhs; done += RIGHT_SIDES) {
    int many = nrhs - done < RIGHT_SIDES ? nrhs - done : RIGHT_SIDES;
    double *rhs = b + (size_t)done*n;
    for (int r = 0; r < many; r++)
      for (size_t i = 0; i < n; i++) w->x[(size_t)r*n + (size_t)w->place[i]] = rhs[(size_t)r*n + i];
    down(w, s->n, many);
    up(w, s->n, many);
    for (int r = 0; r < many; r++)
      for (size_t i = 0; i < n; i++) rhs[(size_t)r*n + i] = w->x[(size_t)r*n + (size_t)w->place[i]];
  }
}

const tni_sparse_backend tni_sparse_fronts = {.name = "fronts", .create = create, .destroy = destroy, .factor = factor,
                                              .refactor = refactor, .solve = solve};
