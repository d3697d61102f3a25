/* linsolve/reduced.c - block LDL^T of the reduced matrix B = C M^-1 C^T
 *
 * Eliminating the bodies leaves B lambda = C M^-1 f - g, one block row per constraint block
 * (spec, equations (5) to (8)); then x = M^-1 (f - C^T lambda), body by body.
 *
 * Storage. The block row of the vertex numbered k (its diagonal block and everything right of it,
 * fill included) is one dense panel of c_k rows. Eliminating the panel is c_k steps of symmetric
 * Gaussian elimination on whole rows: it leaves U = D L^T, and no square root, no triangular solve
 * and one division per scalar row. The update of a later panel j is
 *
 *   P_j += (-D^-1 U_j)^T U        for the columns right of and including j
 *
 * and the contribution of body i to the panel of its block j is, with T the transposed Jacobian
 * blocks of the body side by side and V = M_i^-1 T,
 *
 *   P_j += V_j^T T                for the same columns
 *
 * so both are the same small product, c_j x n with inner size c_k or d. All offsets are found in
 * create; contiguous columns are merged to runs. What remains is a loop over a list.
 *
 * Hub bodies (spec 15) may be kept as unknowns. With U_h the Jacobian columns of the hub,
 *
 *   [ B'     -U_h ] [ lambda ]   [ C' M'^-1 f' - g ]
 *   [ -U_h^T -M_h ] [ x_h    ] = [ -f_h            ]
 *
 * where ' leaves the hub out. The matrix is quasi-definite: the same elimination works with
 * negative pivots for the hub, which is numbered last.
 *
 * A pivot is judged against the diagonal entry before elimination, so the scale of a row does not
 * matter.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <limits.h>

#include "linsolve/fill.h"
#include "linsolve/solver.h"

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* P[to + q*ld + c] += sum_p A[p][col+q] B[p][from+c],  q < nq, c < n */
typedef struct {
  int to, ld;   /* first entry and row length of the target    */
  int col, nq;  /* columns of A: the rows of the target        */
  int from, n;  /* columns of B                                */
} product;

/* contiguous columns of a panel and the entries of a vector they belong to */
typedef struct {
  int col, row, n;
} run;

/* block row of the vertex numbered k */
typedef struct {
  int c, ld;               /* rows, columns                              */
  double sign;             /* of the pivots: -1 for a hub                */
  int panel;               /* first entry                                */
  int row;                 /* first row in the numbered vector           */
  int product, end_product;
  int run, end_run;        /* columns right of the diagonal block        */
} column;

/* one constraint block on one body */
typedef struct {
  int J;      /* first entry of its Jacobian block in K->J */
  int c;      /* rows                                      */
  int col;    /* first column in T                         */
  int row;    /* first row of the block in K               */
} incidence;

typedef struct {
  int T;             /* first entry of T and of V                  */
  int n;             /* columns of T                               */
  int inc, end_inc;
  int product, end_product;
  int map;           /* first entry in colrow                      */
} body;

typedef struct {
  int J;       /* first entry of the Jacobian block in K->J */
  int c;       /* rows                                      */
  int to, ld;  /* where its negative goes                   */
  int row;     /* first row of the block in K               */
} hub_copy;

typedef struct {
  tni_fill fill;
  int ncol, nbody, nvec; /* columns; bodies; numbered rows, hubs included           */
  int *hub;              /* [fill.nhub] bodies kept as unknowns                      */
  int *slot;             /* [nbody] index in hub or -1                               */
  column *column;        /* [ncol]                                                   */
  body *body;            /* [nbody] empty for hubs                                   */
  incidence *inc;
  hub_copy *copy;        /* Jacobian blocks of the hubs                              */
  int ncopy;
  product *product;      /* of the bodies, then of the columns                       */
  run *run;
  int *colrow;           /* numbered row of each column of each T                    */
  int *rowof;            /* [nvec] row of K of a numbered row, -1 - i for hub row i  */
  double *P;             /* panels                                                   */
  size_t nP;
  double *T, *V;
  double *dinv;          /* [nvec] inverse pivots                                    */
  double *diagonal;      /* [nvec] before elimination                                */
  double *N;             /* scratch: -D^-1 U of the present panel                    */
  double *y;             /* [nvec] right-hand side and solution                      */
} reduced;

/* growing lists of the analysis, in a scratch arena */
typedef struct {
  tni_arena *arena;
  void *items;
  int n, cap;
} list;

static void *list_add(list *l, size_t size) {
  if (l->n == INT_MAX/2 || !tni_arena_grow(l->arena, &l->items, l->n, &l->cap, size)) return NULL;
  return (char *)l->items + size*(size_t)l->n++;
}

/* exact copy of a list that lives as long as the solver */
static void *list_keep(const list *l, size_t size, tni_arena *arena) {
  void *p = tni_arena_alloc(arena, (size_t)l->n + 1, size);
  if (p && l->n) memcpy(p, l->items, size*(size_t)l->n);
  return p;
}

typedef struct {
  const tni_kkt *K;
  reduced *w;
  tni_body_blocks on;
  tni_arena *arena;  /* of the solver          */
  int *blkcol;       /* [fill.adr[n]] first panel column of each block right of the diagonal */
  list products, runs;
} builder;

/* rows, panels and runs of columns of every vertex */
static tn_status lay_out_columns(builder *z) {
  reduced *w = z->w;
  const tni_fill *f = &w->fill;
  TNI_ARENA_NEW(z->arena, w->column, f->n + 1);
  TNI_ARENA_NEW(z->runs.arena, z->blkcol, f->adr[f->n] + 1);
  int row = 0;
  for (int k = 0; k < f->n; k++) {
    w->column[k].row = row;
    row += f->size[k];
  }
  w->nvec = row;
  long at = 0, most = 0;
  for (int k = 0; k < f->n; k++) {
    column *c = &w->column[k];
    c->c = f->size[k];
    c->sign = k < f->n - f->nhub ? 1 : -1;
    long ld = c->c;
    c->run = z->runs.n;
    run *last = NULL;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) {
      const column *r = &w->column[f->row[a]];
      int size = f->size[f->row[a]];
      z->blkcol[a] = (int)ld;
      if (last && last->row + last->n == r->row) {
        last->n += size;
      } else {
        last = list_add(&z->runs, sizeof(run));
        if (!last) return tni_out_of_memory(z->arena->ctx);
        *last = (run){.col = (int)ld, .row = r->row, .n = size};
      }
      ld += size;
    }
    c->end_run = z->runs.n;
    c->ld = (int)ld;
    c->panel = (int)at;
    at += c->c*ld;
    if (c->c*ld > most) most = c->c*ld;
    TN_REQUIRE(z->arena->ctx, at < INT_MAX/2, TN_ERR_UNSUPPORTED,
               "linear system: the factor of %d constraint rows needs more than %d numbers, try "
               "another ordering", z->K->nrow, INT_MAX/2);
  }
  w->ncol = f->n;
  w->nP = (size_t)at;
  TNI_ARENA_NEW(z->arena, w->P, w->nP + 1);
  TNI_ARENA_NEW(z->arena, w->N, most + 1);
  TNI_ARENA_NEW(z->arena, w->dinv, w->nvec + 1);
  TNI_ARENA_NEW(z->arena, w->diagonal, w->nvec + 1);
  TNI_ARENA_NEW(z->arena, w->y, w->nvec + 1);
  return TN_OK;
}

/* Products that send the rows of block j = pos[0] to its panel, with columns pos[0..n): col[i] is
 * the first column of pos[i] in the factors A and B. Runs end where the panel has other columns in
 * between. */
static tn_status add_products(builder *z, const int *pos, const int *col, int n) {
  const tni_fill *f = &z->w->fill;
  int j = pos[0], a = f->adr[j];
  const column *c = &z->w->column[j];
  product *last = NULL;
  int reached = -1; /* panel column after the last run */
  for (int i = 0; i < n; i++) {
    int to = 0;
    if (i > 0) {
      while (f->row[a] != pos[i]) a++;
      to = z->blkcol[a];
    }
    int size = f->size[pos[i]];
    if (last && to == reached && last->from + last->n == col[i]) {
      last->n += size;
    } else if (size > 0) {
      last = list_add(&z->products, sizeof(product));
      if (!last) return tni_out_of_memory(z->arena->ctx);
      *last = (product){.to = c->panel + to, .ld = c->ld, .col = col[0], .nq = c->c,
                        .from = col[i], .n = size};
    }
    reached = to + size;
  }
  return TN_OK;
}

static tn_status list_column_products(builder *z) {
  reduced *w = z->w;
  const tni_fill *f = &w->fill;
  for (int k = 0; k < f->n; k++) {
    w->column[k].product = z->products.n;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) {
      TN_TRY(add_products(z, f->row + a, z->blkcol + a, f->adr[k+1] - a));
    }
    w->column[k].end_product = z->products.n;
  }
  return TN_OK;
}

/* incidences of body b by increasing number of their blocks: pos, and inc in the same order */
static int sorted_blocks(const builder *z, int b, int *pos, int *inc) {
  const tni_body_blocks *on = &z->on;
  int n = 0;
  for (int k = on->adr[b]; k < on->adr[b+1]; k++) {
    int p = z->w->fill.position[on->block[k]], i = n++;
    for (; i > 0 && pos[i-1] > p; i--) {
      pos[i] = pos[i-1];
      inc[i] = inc[i-1];
    }
    pos[i] = p;
    inc[i] = on->inc[k];
  }
  return n;
}

/* T, V and the products of every body that is eliminated */
static tn_status list_body_products(builder *z) {
  reduced *w = z->w;
  const tni_kkt *K = z->K;
  int ninc = K->nblock ? K->incadr[K->nblock] : 0, most = 0, at = 0, nmap = 0;
  for (int b = 0; b < K->nbody; b++) {
    int n = z->on.adr[b+1] - z->on.adr[b];
    if (n > most) most = n;
  }
  int *pos, *inc, *col;
  TNI_ARENA_NEW(z->runs.arena, pos, most + 1);
  TNI_ARENA_NEW(z->runs.arena, inc, most + 1);
  TNI_ARENA_NEW(z->runs.arena, col, most + 1);
  TNI_ARENA_NEW(z->arena, w->body, K->nbody + 1);
  TNI_ARENA_NEW(z->arena, w->inc, ninc + 1);
  int total = 0;
  for (int j = 0; j < K->nblock; j++) {
    total += (K->rowadr[j+1] - K->rowadr[j])*(K->incadr[j+1] - K->incadr[j]);
  }
  TNI_ARENA_NEW(z->arena, w->colrow, total + 1);
  int used = 0;
  for (int b = 0; b < K->nbody; b++) {
    body *e = &w->body[b];
    e->inc = e->end_inc = used;
    e->product = e->end_product = z->products.n;
    e->T = at;
    e->map = nmap;
    if (w->slot[b] >= 0) continue;
    int n = sorted_blocks(z, b, pos, inc);
    for (int i = 0; i < n; i++) {
      int j = w->fill.order[pos[i]];
      col[i] = e->n;
      w->inc[used++] = (incidence){.J = K->jadr[inc[i]], .c = w->fill.size[pos[i]], .col = e->n,
                                   .row = K->rowadr[j]};
      for (int r = 0; r < w->fill.size[pos[i]]; r++) {
        w->colrow[nmap++] = w->column[pos[i]].row + r;
      }
      e->n += w->fill.size[pos[i]];
    }
    e->end_inc = used;
    for (int i = 0; i < n; i++) TN_TRY(add_products(z, pos + i, col + i, n - i));
    e->end_product = z->products.n;
    at += K->d*e->n;
  }
  TNI_ARENA_NEW(z->arena, w->T, at + 1);
  TNI_ARENA_NEW(z->arena, w->V, at + 1);
  return TN_OK;
}

/* where the Jacobian blocks of the hubs go */
static tn_status list_hub_copies(builder *z) {
  reduced *w = z->w;
  const tni_kkt *K = z->K;
  const tni_fill *f = &w->fill;
  int n = 0;
  for (int h = 0; h < f->nhub; h++) n += z->on.adr[w->hub[h]+1] - z->on.adr[w->hub[h]];
  TNI_ARENA_NEW(z->arena, w->copy, n + 1);
  for (int h = 0; h < f->nhub; h++) {
    int k = f->n - f->nhub + h;
    for (int i = z->on.adr[w->hub[h]]; i < z->on.adr[w->hub[h]+1]; i++) {
      int j = f->position[z->on.block[i]], a = f->adr[j];
      while (f->row[a] != k) a++;
      const column *c = &w->column[j];
      w->copy[w->ncopy++] = (hub_copy){.J = K->jadr[z->on.inc[i]], .c = c->c,
                                       .to = c->panel + z->blkcol[a], .ld = c->ld,
                                       .row = K->rowadr[z->on.block[i]]};
    }
  }
  return TN_OK;
}

static tn_status build_lists(builder *z) {
  reduced *w = z->w;
  const tni_kkt *K = z->K;
  TN_TRY(lay_out_columns(z));
  TN_TRY(list_body_products(z));
  TN_TRY(list_column_products(z));
  TN_TRY(list_hub_copies(z));
  w->product = list_keep(&z->products, sizeof(product), z->arena);
  w->run = list_keep(&z->runs, sizeof(run), z->arena);
  if (!w->product || !w->run) return tni_out_of_memory(z->arena->ctx);
  TNI_ARENA_NEW(z->arena, w->rowof, w->nvec + 1);
  for (int k = 0; k < w->ncol; k++) {
    int v = w->fill.order[k], row = w->column[k].row;
    for (int r = 0; r < w->column[k].c; r++) {
      w->rowof[row+r] = v < K->nblock ? K->rowadr[v] + r
                                      : -1 - (w->hub[v-K->nblock]*K->d + r);
    }
  }
  return TN_OK;
}

static tn_status reduced_build(tni_kkt_solver *s, const int *hub, int nhub, reduced **out) {
  const tni_kkt *K = s->K;
  reduced *w;
  TNI_ARENA_NEW(&s->arena, w, 1);
  w->nbody = K->nbody;
  TNI_ARENA_NEW(&s->arena, w->hub, nhub + 1);
  TNI_ARENA_NEW(&s->arena, w->slot, K->nbody + 1);
  for (int b = 0; b < K->nbody; b++) w->slot[b] = -1;
  for (int h = 0; h < nhub; h++) {
    w->hub[h] = hub[h];
    w->slot[hub[h]] = h;
  }
  tni_arena scratch;
  tni_arena_init(&scratch, s->ctx);
  builder z = {.K = K, .w = w, .arena = &s->arena, .products = {.arena = &scratch},
               .runs = {.arena = &scratch}};
  tn_status st = tni_body_blocks_build(K, &scratch, &z.on);
  if (st == TN_OK) {
    st = tni_fill_build(K, &z.on, hub, nhub, s->opts.ordering, &s->arena, &w->fill);
  }
  if (st == TN_OK) st = build_lists(&z);
  tni_arena_clear(&scratch);
  *out = w;
  return st;
}

static tn_status reduced_create(tni_kkt_solver *s) {
  reduced *w = NULL;
  TN_TRY(reduced_build(s, NULL, 0, &w));
  s->state = w;
  s->info.ordering = w->fill.ordering;
  s->info.bandwidth = w->fill.profile.bandwidth;
  s->info.envelope = w->fill.profile.envelope;
  s->info.work_bound = w->fill.profile.work;
  s->info.work = w->fill.work;
  s->info.nnz = (long)w->nP;
  return TN_OK;
}

/* the products of a list whose inner size k is known when compiled */
ALWAYS_INLINE void run_products(int k, const product *u, const product *end,
                                const double *restrict A, const double *restrict B, int ld,
                                double *restrict P) {
  for (; u < end; u++) {
    const double *restrict a = A + u->col, *restrict b = B + u->from;
    double *restrict to = P + u->to;
    int nq = u->nq, n = u->n, ldto = u->ld;
    for (int q = 0; q < nq; q++, to += ldto, a++) {
      for (int c = 0; c < n; c++) {
        double sum = to[c];
        for (int p = 0; p < k; p++) sum += a[p*ld]*b[p*ld+c];
        to[c] = sum;
      }
    }
  }
}

/* T = Jacobian blocks of the body, transposed and side by side */
ALWAYS_INLINE void gather(int d, const reduced *w, const tni_kkt *K, const body *e,
                          double *restrict T) {
  for (int i = e->inc; i < e->end_inc; i++) {
    const incidence *v = &w->inc[i];
    const double *restrict J = K->J + v->J;
    double *restrict t = T + v->col;
    for (int r = 0; r < v->c; r++) {
      for (int p = 0; p < d; p++) t[p*e->n+r] = J[r*d+p];
    }
    if (!K->active) continue;
    for (int r = 0; r < v->c; r++) {
      for (int p = 0; p < d; p++) {
        if (!K->active[v->row+r]) t[p*e->n+r] = 0;
      }
    }
  }
}

/* V = Minv T */
ALWAYS_INLINE void apply_inverse_mass(int d, const double *restrict Minv, int n,
                                      const double *restrict T, double *restrict V) {
  for (int p = 0; p < d; p++) {
    for (int c = 0; c < n; c++) {
      double sum = 0;
      for (int i = 0; i < d; i++) sum += Minv[p*d+i]*T[i*n+c];
      V[p*n+c] = sum;
    }
  }
}

ALWAYS_INLINE void form(int d, const tni_kkt *K, reduced *w) {
  memset(w->P, 0, w->nP*sizeof(double));
  for (int b = 0; b < w->nbody; b++) {
    const body *e = &w->body[b];
    if (w->slot[b] >= 0) continue;
    double *T = w->T + e->T, *V = w->V + e->T;
    gather(d, w, K, e, T);
    apply_inverse_mass(d, K->Minv + (size_t)b*d*d, e->n, T, V);
    run_products(d, w->product + e->product, w->product + e->end_product, V, T, e->n, w->P);
  }
  for (int i = 0; i < w->ncopy; i++) {
    const hub_copy *h = &w->copy[i];
    for (int r = 0; r < h->c; r++) {
      bool used = !K->active || K->active[h->row+r];
      for (int p = 0; p < d; p++) w->P[h->to+r*h->ld+p] = used ? -K->J[h->J+r*d+p] : 0;
    }
  }
  for (int h = 0; h < w->fill.nhub; h++) {
    const column *c = &w->column[w->ncol-w->fill.nhub+h];
    const double *M = K->M + (size_t)w->hub[h]*d*d;
    for (int p = 0; p < d; p++) {
      for (int i = 0; i < d; i++) w->P[c->panel+p*c->ld+i] = -M[p*d+i];
    }
  }
}

/* rows that are switched off become rows of the unit matrix; remember the diagonal */
static void keep_diagonal(const tni_kkt *K, reduced *w) {
  for (int k = 0; k < w->ncol; k++) {
    const column *c = &w->column[k];
    for (int p = 0; p < c->c; p++) {
      double *d = &w->P[c->panel+p*(c->ld+1)];
      int row = w->rowof[c->row+p];
      if (K->active && row >= 0 && !K->active[row]) *d = 1;
      w->diagonal[c->row+p] = *d;
    }
  }
}

/* Eliminate the panel of c rows and update the later ones. Returns the row in the panel whose pivot
 * vanished, or -1. *worst: largest ratio of original diagonal to pivot so far. */
ALWAYS_INLINE int eliminate(int c, const column *k, reduced *w, double tol, double *worst) {
  int ld = k->ld;
  double sign = k->sign;
  double *restrict U = w->P + k->panel, *restrict N = w->N;
  double *restrict dinv = w->dinv + k->row;
  const double *restrict diagonal = w->diagonal + k->row;
  for (int p = 0; p < c; p++) {
    double pivot = U[p*ld+p], own = diagonal[p];
    if (!(sign*pivot > tol*sign*own)) return p;
    double inverse = 1/pivot;
    dinv[p] = inverse;
    if (own*inverse > *worst) *worst = own*inverse;
    for (int q = p + 1; q < c; q++) {
      double l = U[p*ld+q]*inverse;
      for (int i = q; i < ld; i++) U[q*ld+i] -= l*U[p*ld+i];
    }
    for (int i = c; i < ld; i++) N[p*ld+i] = -inverse*U[p*ld+i];
  }
  run_products(c, w->product + k->product, w->product + k->end_product, N, U, ld, w->P);
  return -1;
}

/* compile the body once for each size in use; other sizes share one loop */
#define FOR_SIZE(n, call) \
  switch (n) {            \
    case 1: call(1); break; \
    case 2: call(2); break; \
    case 3: call(3); break; \
    case 5: call(5); break; \
    case 6: call(6); break; \
    default: call(n); break; \
  }

static int eliminate_all(reduced *w, double tol, double *worst) {
  for (int i = 0; i < w->ncol; i++) {
    const column *k = &w->column[i];
    int bad = -1;
#define CALL(n) bad = eliminate(n, k, w, tol, worst)
    FOR_SIZE(k->c, CALL)
#undef CALL
    if (bad >= 0) return k->row + bad;
  }
  return -1;
}

static tn_status reduced_factor(tni_kkt_solver *s) {
  reduced *w = s->state;
  if (s->K->d == 3) {
    form(3, s->K, w);
  } else {
    form(6, s->K, w);
  }
  keep_diagonal(s->K, w);
  double worst = 1;
  int bad = eliminate_all(w, s->opts.pivot_tol, &worst);
  if (bad < 0) {
    s->pivot_ratio = 1/worst;
    return TN_OK;
  }
  return tni_kkt_singular(s, w->rowof[bad], 0);
}

/* x = M^-1 f and y = C M^-1 f - g, numbered */
ALWAYS_INLINE void right_side(int d, const tni_kkt *K, reduced *w, const double *f,
                              const double *g, double *x) {
  double *y = w->y;
  for (int i = 0; i < w->nvec; i++) {
    int row = w->rowof[i];
    if (row < 0) {
      y[i] = f ? -f[-1-row] : 0;
    } else {
      y[i] = g && (!K->active || K->active[row]) ? -g[row] : 0;
    }
  }
  if (!f) {
    memset(x, 0, (size_t)w->nbody*(size_t)d*sizeof(double));
    return;
  }
  for (int b = 0; b < w->nbody; b++) {
    const body *e = &w->body[b];
    if (w->slot[b] >= 0) continue;
    const double *Minv = K->Minv + (size_t)b*d*d, *T = w->T + e->T;
    const int *map = w->colrow + e->map;
    double z[6];
    for (int p = 0; p < d; p++) {
      double sum = 0;
      for (int i = 0; i < d; i++) sum += Minv[p*d+i]*f[b*d+i];
      x[b*d+p] = z[p] = sum;
    }
    for (int c = 0; c < e->n; c++) {
      double sum = 0;
      for (int p = 0; p < d; p++) sum += T[p*e->n+c]*z[p];
      y[map[c]] += sum;
    }
  }
}

/* y = D^-1 L^-1 y for one panel: the solution so far stays in place */
ALWAYS_INLINE void forward(int c, const column *k, const reduced *w, double *restrict y) {
  const double *restrict U = w->P + k->panel, *restrict dinv = w->dinv + k->row;
  int ld = k->ld;
  double *own = y + k->row;
  for (int p = 0; p < c; p++) {
    double v = own[p]*dinv[p];
    own[p] = v;
    for (int q = p + 1; q < c; q++) own[q] -= U[p*ld+q]*v;
  }
  for (const run *r = w->run + k->run; r < w->run + k->end_run; r++) {
    for (int i = 0; i < r->n; i++) {
      double sum = 0;
      for (int p = 0; p < c; p++) sum += U[p*ld+r->col+i]*own[p];
      y[r->row+i] -= sum;
    }
  }
}

/* y = L^-T y for one panel */
ALWAYS_INLINE void backward(int c, const column *k, const reduced *w, double *restrict y) {
  const double *restrict U = w->P + k->panel, *restrict dinv = w->dinv + k->row;
  int ld = k->ld;
  double *own = y + k->row;
  for (int p = c - 1; p >= 0; p--) {
    double sum = 0;
    for (const run *r = w->run + k->run; r < w->run + k->end_run; r++) {
      for (int i = 0; i < r->n; i++) sum += U[p*ld+r->col+i]*y[r->row+i];
    }
    for (int q = p + 1; q < c; q++) sum += U[p*ld+q]*own[q];
    own[p] -= dinv[p]*sum;
  }
}

/* lambda from y, x -= M^-1 C^T lambda */
ALWAYS_INLINE void recover(int d, reduced *w, double *x, double *lambda) {
  const double *y = w->y;
  for (int i = 0; i < w->nvec; i++) {
    int row = w->rowof[i];
    if (row < 0) {
      x[-1-row] = y[i];
    } else {
      lambda[row] = y[i];
    }
  }
  for (int b = 0; b < w->nbody; b++) {
    const body *e = &w->body[b];
    if (w->slot[b] >= 0) continue;
    const double *V = w->V + e->T;
    const int *map = w->colrow + e->map;
    for (int c = 0; c < e->n; c++) {
      double l = y[map[c]];
      for (int p = 0; p < d; p++) x[b*d+p] -= V[p*e->n+c]*l;
    }
  }
}

static void reduced_solve(tni_kkt_solver *s, const double *f, const double *g, double *x,
                          double *lambda) {
  reduced *w = s->state;
  if (s->K->d == 3) {
    right_side(3, s->K, w, f, g, x);
  } else {
    right_side(6, s->K, w, f, g, x);
  }
  for (int i = 0; i < w->ncol; i++) {
    const column *k = &w->column[i];
#define CALL(n) forward(n, k, w, w->y)
    FOR_SIZE(k->c, CALL)
#undef CALL
  }
  for (int i = w->ncol - 1; i >= 0; i--) {
    const column *k = &w->column[i];
#define CALL(n) backward(n, k, w, w->y)
    FOR_SIZE(k->c, CALL)
#undef CALL
  }
  if (s->K->d == 3) {
    recover(3, w, x, lambda);
  } else {
    recover(6, w, x, lambda);
  }
}

const tni_kkt_ops tni_kkt_reduced = {
  .name = "reduced", .create = reduced_create, .factor = reduced_factor, .solve = reduced_solve,
};
