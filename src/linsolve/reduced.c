/* linsolve/reduced.c - block LDL^T of the reduced matrix B = C M^-1 C^T
 *
 * Eliminating the bodies leaves B lambda = C M^-1 f - g, one block row per constraint block
 * (spec, equations (5) to (8)); then x = M^-1 (f - C^T lambda), body by body.
 *
 * Storage. The block row of the vertex numbered k (its diagonal block and everything right of it,
 * fill included) is one dense panel of c_k rows. One pass over the vertices does, for each,
 *
 *   assemble   W = J M_i^-1 for its bodies i, and P += W J_j^T for the later blocks j on them
 *   eliminate  c_k steps of symmetric Gaussian elimination on whole rows: leaves U = D L^T with
 *              one division per row, no square root and no triangular solve
 *   update     P_j += (-D^-1 U_j)^T U of the later panels j, columns from j on
 *
 * All offsets are found in create, contiguous columns are merged to runs, and the inner loops are
 * compiled for the usual block sizes. W is kept: solve needs C M^-1 f = W f and M^-1 C^T lambda.
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
#include <stddef.h>

#include "linsolve/fill.h"
#include "linsolve/solver.h"

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* The lists hold addresses, not offsets: with blocks of two rows the time goes into bookkeeping. */

/* to[q][i] += sum_p N[p][q] U[p][i],  q < nq, i < n */
typedef struct {
  double *to;           /* in a later panel                             */
  ptrdiff_t ld;         /* its row length                               */
  const double *N, *U;  /* columns of the panel that sends the update   */
  int nq, n;
} product;

/* contiguous columns of a panel and the entries of y they belong to */
typedef struct {
  const double *U;
  double *y;
  ptrdiff_t n;
} run;

/* a later block on the same body: to += W J^T */
typedef struct {
  ptrdiff_t J; /* first entry of its Jacobian block in K->J */
  double *to;  /* in the panel                              */
  ptrdiff_t c; /* rows                                      */
} coupling;

/* one eliminated body of a block */
typedef struct {
  ptrdiff_t J;         /* first entry in K->J                        */
  ptrdiff_t x;         /* first entry of the body in f and x         */
  double *W;           /* J Minv, row-major                          */
  const double *Minv;
  const bool *simple;
  const coupling *couple, *end_couple;
} incidence;

/* one hub body of a block: to = -J */
typedef struct {
  ptrdiff_t J;
  double *to;
} hub_copy;

/* block row of the vertex numbered k */
typedef struct {
  int c;              /* rows                                               */
  ptrdiff_t ld;       /* columns                                            */
  double *panel;
  double *dinv, *y;   /* its entries of these vectors                       */
  ptrdiff_t own;      /* first row in K; for a hub first entry of its x     */
  const incidence *inc, *end_inc;
  const hub_copy *copy, *end_copy;
  const product *product, *end_product;
  const run *run, *end_run;
} column;

typedef struct {
  tni_fill fill;
  int ncol, nvec;  /* columns; numbered rows, hubs included                        */
  int nplain;      /* columns that are constraint blocks; the others are hubs      */
  int *hub;        /* [fill.nhub] bodies kept as unknowns                          */
  int *slot;       /* [nbody] index in hub or -1                                   */
  column *column;  /* [ncol]                                                       */
  double *P;       /* [nP] panels                                                  */
  size_t nP;
  double *Minv;    /* [nbody*d*d] copy: solve may come after the values changed    */
  bool *simple;    /* [nbody] Minv is diagonal (d = 3) or two 3x3 blocks (d = 6)   */
  double *J;       /* copy with the switched-off rows zero; NULL without switches  */
  double *dinv;    /* [nvec] inverse pivots                                        */
  double *N;       /* -D^-1 U of the present panel                                 */
  double *y;       /* [nvec] right-hand side and solution                          */
} reduced;

/* largest block that the inner loops are compiled for */
enum { MAX_ROWS = 6 };

/* The same system with blocks of 1 to MAX_ROWS rows: larger ones are cut, empty ones left out. */
static tn_status split_blocks(const tni_kkt *K, tni_arena *arena, tni_kkt *out) {
  size_t nblock = 0, ninc = 0;
  for (int b = 0; b < K->nblock; b++) {
    int parts = (K->rowadr[b+1] - K->rowadr[b] + MAX_ROWS - 1)/MAX_ROWS;
    nblock += (size_t)parts;
    ninc += (size_t)parts*(size_t)(K->incadr[b+1] - K->incadr[b]);
  }
  int *rowadr, *incadr, *incbody, *jadr;
  TNI_ARENA_NEW(arena, rowadr, nblock + 1);
  TNI_ARENA_NEW(arena, incadr, nblock + 1);
  TNI_ARENA_NEW(arena, incbody, ninc + 1);
  TNI_ARENA_NEW(arena, jadr, ninc + 1);
  int n = 0, i = 0;
  for (int b = 0; b < K->nblock; b++) {
    for (int row = K->rowadr[b]; row < K->rowadr[b+1]; row += MAX_ROWS) {
      for (int a = K->incadr[b]; a < K->incadr[b+1]; a++, i++) {
        incbody[i] = K->incbody[a];
        jadr[i] = K->jadr[a] + (row - K->rowadr[b])*K->d;
      }
      rowadr[n] = row;
      incadr[++n] = i;
    }
  }
  rowadr[n] = K->nrow;
  *out = *K;
  out->nblock = n;
  out->rowadr = rowadr;
  out->incadr = incadr;
  out->incbody = incbody;
  out->jadr = jadr;
  return TN_OK;
}

typedef struct {
  const tni_kkt *K; /* with split blocks */
  reduced *w;
  tni_body_blocks on;
  tni_arena *arena;   /* of the solver                                                       */
  tni_arena *scratch;
  int *blkcol;        /* [fill.adr[n]] first panel column of each block right of the diagonal */
} builder;

/* rows and panels of every vertex; the numbers are allocated here, so that lists can point at them */
static tn_status lay_out_columns(builder *z) {
  reduced *w = z->w;
  const tni_kkt *K = z->K;
  const tni_fill *f = &w->fill;
  w->ncol = f->n;
  w->nplain = f->n - f->nhub;
  TNI_ARENA_NEW(z->arena, w->column, f->n + 1);
  TNI_ARENA_NEW(z->scratch, z->blkcol, f->adr[f->n] + 1);
  size_t most = 0;
  for (int k = 0; k < f->n; k++) {
    column *c = &w->column[k];
    int v = f->order[k];
    c->c = f->size[k];
    c->own = v < K->nblock ? K->rowadr[v] : w->hub[v-K->nblock]*K->d;
    c->ld = c->c;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) {
      z->blkcol[a] = (int)c->ld;
      c->ld += f->size[f->row[a]];
    }
    size_t size = (size_t)c->c*(size_t)c->ld;
    if (size > most) most = size;
    w->nvec += c->c;
    w->nP += size;
  }
  TNI_ARENA_NEW(z->arena, w->P, w->nP + 1);
  TNI_ARENA_NEW(z->arena, w->N, most + 1);
  TNI_ARENA_NEW(z->arena, w->dinv, w->nvec + 1);
  TNI_ARENA_NEW(z->arena, w->y, w->nvec + 1);
  size_t at = 0, row = 0;
  for (int k = 0; k < f->n; k++) {
    column *c = &w->column[k];
    c->panel = w->P + at;
    c->dinv = w->dinv + row;
    c->y = w->y + row;
    at += (size_t)c->c*(size_t)c->ld;
    row += (size_t)c->c;
  }
  return TN_OK;
}

/* Runs of columns right of the diagonal blocks. out NULL: only count. */
static size_t list_runs(const builder *z, run *out) {
  const tni_fill *f = &z->w->fill;
  size_t n = 0;
  for (int k = 0; k < f->n; k++) {
    column *c = &z->w->column[k];
    double *reached = NULL;
    if (out) c->run = out + n;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) {
      const column *r = &z->w->column[f->row[a]];
      if (r->y == reached) {
        if (out) out[n-1].n += r->c;
      } else {
        if (out) out[n] = (run){.U = c->panel + z->blkcol[a], .y = r->y, .n = r->c};
        n++;
      }
      reached = r->y + r->c;
    }
    if (out) c->end_run = out + n;
  }
  return n;
}

/* Updates from panel k to the panel of its a-th block right of the diagonal, with the columns from
 * there on. A run ends where the target has other columns in between. Returns their number. */
static size_t add_products(const builder *z, int k, int a, product *out) {
  const tni_fill *f = &z->w->fill;
  const column *from = &z->w->column[k], *to = &z->w->column[f->row[a]];
  size_t n = 0;
  int reached = -1, t = f->adr[f->row[a]];
  for (int i = a; i < f->adr[k+1]; i++) {
    int col = 0, size = f->size[f->row[i]];
    if (i > a) {
      while (f->row[t] != f->row[i]) t++;
      col = z->blkcol[t];
    }
    if (col == reached) {
      if (out) out[n-1].n += size;
    } else {
      if (out) {
        out[n] = (product){.to = to->panel + col, .ld = to->ld, .N = z->w->N + z->blkcol[a],
                           .U = from->panel + z->blkcol[i], .nq = to->c, .n = size};
      }
      n++;
    }
    reached = col + size;
  }
  return n;
}

static size_t list_products(const builder *z, product *out) {
  const tni_fill *f = &z->w->fill;
  size_t n = 0;
  for (int k = 0; k < f->n; k++) {
    column *c = &z->w->column[k];
    if (out) c->product = out + n;
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) n += add_products(z, k, a, out ? out + n : NULL);
    if (out) c->end_product = out + n;
  }
  return n;
}

/* the later blocks on body b of the block numbered k; where: panel column of a number */
static size_t add_couplings(const builder *z, int b, int k, const int *where, coupling *out) {
  const tni_body_blocks *on = &z->on;
  const tni_fill *f = &z->w->fill;
  size_t n = 0;
  for (int i = on->adr[b]; i < on->adr[b+1]; i++) {
    int r = f->position[on->block[i]];
    if (r <= k) continue;
    if (out) {
      out[n] = (coupling){.J = z->K->jadr[on->inc[i]], .c = f->size[r],
                          .to = z->w->column[k].panel + where[r]};
    }
    n++;
  }
  return n;
}

typedef struct {
  incidence *inc;
  coupling *couple;
  hub_copy *copy;
  double *W;
  size_t ninc, ncouple, ncopy, nW;
} incidence_lists;

/* Bodies of every block: eliminated ones with their couplings, hubs with the place of a copy.
 * First call with the pointers NULL: only count. */
static void list_incidences(const builder *z, int *where, incidence_lists *l) {
  reduced *w = z->w;
  const tni_kkt *K = z->K;
  const tni_fill *f = &w->fill;
  bool write = l->inc != NULL;
  l->ninc = l->ncouple = l->ncopy = l->nW = 0;
  for (int k = 0; k < w->nplain; k++) {
    column *c = &w->column[k];
    int j = f->order[k];
    for (int a = f->adr[k]; a < f->adr[k+1]; a++) where[f->row[a]] = z->blkcol[a];
    c->inc = l->inc + l->ninc;
    c->copy = l->copy + l->ncopy;
    for (int a = K->incadr[j]; a < K->incadr[j+1]; a++) {
      int b = K->incbody[a];
      if (w->slot[b] >= 0) {
        double *to = c->panel + where[w->nplain+w->slot[b]];
        if (write) l->copy[l->ncopy] = (hub_copy){.J = K->jadr[a], .to = to};
        l->ncopy++;
        continue;
      }
      coupling *couple = write ? l->couple + l->ncouple : NULL;
      size_t n = add_couplings(z, b, k, where, couple);
      if (write) {
        l->inc[l->ninc] = (incidence){
          .J = K->jadr[a], .x = (ptrdiff_t)b*K->d, .W = l->W + l->nW,
          .Minv = w->Minv + (ptrdiff_t)b*K->d*K->d, .simple = &w->simple[b],
          .couple = couple, .end_couple = couple + n};
      }
      l->ninc++;
      l->ncouple += n;
      l->nW += (size_t)(c->c*K->d);
    }
    c->end_inc = l->inc + l->ninc;
    c->end_copy = l->copy + l->ncopy;
  }
}

static tn_status build_lists(builder *z) {
  const tni_kkt *K = z->K;
  reduced *w = z->w;
  size_t d = (size_t)K->d, nJ = 0;
  TN_TRY(lay_out_columns(z));
  TNI_ARENA_NEW(z->arena, w->Minv, (size_t)K->nbody*d*d + 1);
  TNI_ARENA_NEW(z->arena, w->simple, K->nbody + 1);
  for (int b = 0; b < K->nblock; b++) {
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      size_t end = (size_t)K->jadr[a] + (size_t)(K->rowadr[b+1] - K->rowadr[b])*d;
      if (end > nJ) nJ = end;
    }
  }
  if (K->active) TNI_ARENA_NEW(z->arena, w->J, nJ + 1);
  run *runs;
  TNI_ARENA_NEW(z->arena, runs, list_runs(z, NULL) + 1);
  list_runs(z, runs);
  product *products;
  TNI_ARENA_NEW(z->arena, products, list_products(z, NULL) + 1);
  list_products(z, products);
  int *where;
  incidence_lists l = {0};
  TNI_ARENA_NEW(z->scratch, where, w->ncol + 1);
  list_incidences(z, where, &l);
  TNI_ARENA_NEW(z->arena, l.couple, l.ncouple + 1);
  TNI_ARENA_NEW(z->arena, l.copy, l.ncopy + 1);
  TNI_ARENA_NEW(z->arena, l.W, l.nW + 1);
  TNI_ARENA_NEW(z->arena, l.inc, l.ninc + 1);
  list_incidences(z, where, &l);
  return TN_OK;
}

static tn_status reduced_build(tni_kkt_solver *s, const int *hub, int nhub, reduced **out) {
  const tni_kkt *K = s->K;
  reduced *w;
  TNI_ARENA_NEW(&s->arena, w, 1);
  TNI_ARENA_NEW(&s->arena, w->hub, nhub + 1);
  TNI_ARENA_NEW(&s->arena, w->slot, K->nbody + 1);
  for (int b = 0; b < K->nbody; b++) w->slot[b] = -1;
  for (int h = 0; h < nhub; h++) {
    w->hub[h] = hub[h];
    w->slot[hub[h]] = h;
  }
  tni_arena scratch;
  tni_arena_init(&scratch, s->ctx);
  tni_kkt split = {0};
  builder z = {.K = &split, .w = w, .arena = &s->arena, .scratch = &scratch};
  tn_status st = split_blocks(K, &scratch, &split);
  if (st == TN_OK) st = tni_body_blocks_build(&split, &scratch, &z.on);
  if (st == TN_OK) {
    st = tni_fill_build(&split, &z.on, hub, nhub, s->opts.ordering, &s->arena, &w->fill);
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

/* Two neighbouring numbers at once: what every 64-bit processor can do without asking which one it
 * is, and the same bits as one by one. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

ALWAYS_INLINE pair load(const double *p) { return *(const pair *)p; }
ALWAYS_INLINE void store(double *p, pair v) { *(pair *)p = v; }
ALWAYS_INLINE pair both(double v) { return (pair){v, v}; }

/* a.b for d = 3 or 6; the order of the sum is part of the result */
ALWAYS_INLINE double dot(int d, const double *a, const double *b) {
  if (d == 3) return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
  pair sum = load(a)*load(b) + load(a + 2)*load(b + 2) + load(a + 4)*load(b + 4);
  return sum[0] + sum[1];
}

/* (a.b, a.c) for d = 6 */
ALWAYS_INLINE pair two_dots(const double *a, const double *b, const double *c) {
  pair x = load(a)*load(b) + load(a + 2)*load(b + 2) + load(a + 4)*load(b + 4);
  pair y = load(a)*load(c) + load(a + 2)*load(c + 2) + load(a + 4)*load(c + 4);
  return (pair){x[0], y[0]} + (pair){x[1], y[1]};
}

/* blocks up to this size get code without loops when their neighbours have the same size */
enum { SMALL = 3 };

/* keep the inverse masses; those of planar bodies are diagonal, those of spatial bodies two 3x3
 * blocks unless the reference point is not the mass centre */
ALWAYS_INLINE void keep_masses(int d, const tni_kkt *K, reduced *w) {
  memcpy(w->Minv, K->Minv, (size_t)K->nbody*(size_t)(d*d)*sizeof(double));
  const double *m = w->Minv;
  for (int b = 0; b < K->nbody; b++, m += d*d) {
    if (d == 3) {
      w->simple[b] = m[1] == 0 && m[2] == 0 && m[5] == 0;
    } else {
      w->simple[b] = m[3] == 0 && m[4] == 0 && m[5] == 0 && m[9] == 0 && m[10] == 0 &&
                     m[11] == 0 && m[15] == 0 && m[16] == 0 && m[17] == 0;
    }
  }
}

/* copy of the Jacobian with the switched-off rows zero */
static const double *masked_jacobian(const tni_kkt *K, reduced *w) {
  if (!K->active) return K->J;
  int d = K->d;
  for (int b = 0; b < K->nblock; b++) {
    for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
      const double *from = K->J + K->jadr[a];
      double *to = w->J + K->jadr[a];
      for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++, from += d, to += d) {
        for (int i = 0; i < d; i++) to[i] = K->active[r] ? from[i] : 0;
      }
    }
  }
  return w->J;
}

/* w = j Minv for one row. Stores of whole pairs: a pair loaded from two stores has to wait. */
ALWAYS_INLINE void times_inverse_mass(int d, const double *restrict j, const double *restrict m,
                                      bool simple, double *restrict w) {
  if (simple && d == 3) {
    for (int i = 0; i < 3; i++) w[i] = j[i]*m[4*i];
  } else if (simple) {
    const double *n = m + 21;
    store(w, both(j[0])*load(m) + both(j[1])*load(m + 6) + both(j[2])*load(m + 12));
    double w2 = j[0]*m[2] + j[1]*m[8] + j[2]*m[14];
    double w3 = j[3]*n[0] + j[4]*n[6] + j[5]*n[12];
    store(w + 2, (pair){w2, w3});
    store(w + 4, both(j[3])*load(n + 1) + both(j[4])*load(n + 7) + both(j[5])*load(n + 13));
  } else if (d == 3) {
    for (int i = 0; i < 3; i++) w[i] = j[0]*m[i] + j[1]*m[3+i] + j[2]*m[6+i];
  } else {
    for (int i = 0; i < 6; i += 2) {
      pair sum = both(j[0])*load(m + i);
      for (int k = 1; k < 6; k++) sum += both(j[k])*load(m + 6*k + i);
      store(w + i, sum);
    }
  }
}

/* Layout of W = J Minv: rows of 6 for spatial bodies. Planar bodies have rows too short for pairs,
 * there W is stored by columns and pairs are neighbouring constraint rows. */

/* W of a planar body */
ALWAYS_INLINE void planar_W(int c, const double *restrict J, const double *restrict m, bool simple,
                            double *restrict W) {
  for (int i = 0; i < 3; i++) {
    for (int q = 0; q + 1 < c; q += 2) {
      const double *a = J + 3*q, *b = a + 3;
      if (simple) {
        store(W + i*c + q, (pair){a[i], b[i]}*both(m[4*i]));
      } else {
        store(W + i*c + q, (pair){a[0], b[0]}*both(m[i]) + (pair){a[1], b[1]}*both(m[3+i]) +
                           (pair){a[2], b[2]}*both(m[6+i]));
      }
    }
    if (c%2 == 0) continue;
    const double *a = J + 3*(c - 1);
    W[i*c+c-1] = simple ? a[i]*m[4*i] : a[0]*m[i] + a[1]*m[3+i] + a[2]*m[6+i];
  }
}

/* rows q, q+1 of W times the planar Jacobian row j */
ALWAYS_INLINE pair planar_pair(int c, const double *W, int q, const double *j) {
  return load(W + q)*both(j[0]) + load(W + c + q)*both(j[1]) + load(W + 2*c + q)*both(j[2]);
}

ALWAYS_INLINE double planar_single(int c, const double *W, int q, const double *j) {
  return W[q]*j[0] + W[c+q]*j[1] + W[2*c+q]*j[2];
}

/* W = J Minv for the c rows of a block */
ALWAYS_INLINE void make_W(int c, int d, const double *restrict J, const double *restrict m,
                          bool simple, double *restrict W) {
  if (d == 3) {
    planar_W(c, J, m, simple, W);
  } else {
    for (int q = 0; q < c; q++) times_inverse_mass(6, J + 6*q, m, simple, W + 6*q);
  }
}

/* D += upper triangle of W J^T */
ALWAYS_INLINE void add_diagonal(int c, int d, const double *restrict W, const double *restrict J,
                                double D[MAX_ROWS][MAX_ROWS]) {
  if (d == 3) {
    for (int q = 0; q + 1 < c; q += 2) {
      D[q][q] += planar_single(c, W, q, J + 3*q);
      for (int r = q + 1; r < c; r++) {
        pair sum = planar_pair(c, W, q, J + 3*r);
        D[q][r] += sum[0];
        D[q+1][r] += sum[1];
      }
    }
    if (c%2) D[c-1][c-1] += planar_single(c, W, c - 1, J + 3*(c - 1));
    return;
  }
  for (int q = 0; q < c; q++) {
    int r = q;
    for (; r + 1 < c; r += 2) {
      pair sum = two_dots(W + 6*q, J + 6*r, J + 6*r + 6);
      D[q][r] += sum[0];
      D[q][r+1] += sum[1];
    }
    if (r < c) D[q][r] += dot(6, W + 6*q, J + 6*r);
  }
}

/* to += W J^T, c x n */
ALWAYS_INLINE void couple(int c, int d, const double *restrict W, const double *restrict J,
                          ptrdiff_t n, double *restrict to, ptrdiff_t ld) {
  for (; n > 1; n -= 2, J += 2*d, to += 2) {
    if (d == 6) {
      for (int q = 0; q < c; q++) {
        store(to + q*ld, load(to + q*ld) + two_dots(W + 6*q, J, J + 6));
      }
    } else {
      for (int q = 0; q + 1 < c; q += 2) {
        pair x = planar_pair(c, W, q, J), y = planar_pair(c, W, q, J + 3);
        store(to + q*ld, load(to + q*ld) + (pair){x[0], y[0]});
        store(to + (q+1)*ld, load(to + (q+1)*ld) + (pair){x[1], y[1]});
      }
      if (c%2) {
        pair sum = {planar_single(c, W, c - 1, J), planar_single(c, W, c - 1, J + 3)};
        store(to + (c-1)*ld, load(to + (c-1)*ld) + sum);
      }
    }
  }
  if (n == 0) return;
  for (int q = 0; q < c; q++) {
    to[q*ld] += d == 6 ? dot(6, W + 6*q, J) : planar_single(c, W, q, J);
  }
}

/* Block row of B: the diagonal block (upper triangle) to D, the rest is added to the panel. */
ALWAYS_INLINE void assemble(int c, int d, const column *k, const double *restrict Jall,
                            double D[MAX_ROWS][MAX_ROWS]) {
  ptrdiff_t ld = k->ld;
  for (const hub_copy *h = k->copy; h < k->end_copy; h++) {
    for (int q = 0; q < c; q++) {
      for (int i = 0; i < d; i++) h->to[q*ld+i] = -Jall[h->J+q*d+i];
    }
  }
  for (int q = 0; q < c; q++) {
    for (int r = q; r < c; r++) D[q][r] = 0;
  }
  for (const incidence *i = k->inc; i < k->end_inc; i++) {
    const double *restrict J = Jall + i->J;
    double *restrict W = i->W;
    if (*i->simple) {
      make_W(c, d, J, i->Minv, true, W);
    } else {
      make_W(c, d, J, i->Minv, false, W);
    }
    add_diagonal(c, d, W, J, D);
    for (const coupling *o = i->couple; o < i->end_couple; o++) {
      if (c <= SMALL && o->c == c) {
        couple(c, d, W, Jall + o->J, c, o->to, ld);
      } else {
        couple(c, d, W, Jall + o->J, o->c, o->to, ld);
      }
    }
  }
}

/* switched-off rows become rows of the unit matrix */
ALWAYS_INLINE void switch_off(int c, const bool *active, double D[MAX_ROWS][MAX_ROWS]) {
  for (int q = 0; q < c; q++) {
    if (!active[q]) D[q][q] = 1;
  }
}

/* nq rows of an update: to[q][i] += sum_p N[p][q] U[p][i], i < n; nq is 1 or 2 */
ALWAYS_INLINE void update_rows(int c, int nq, const double *restrict N, const double *restrict U,
                               ptrdiff_t ld, double *restrict to, ptrdiff_t ldto, int n) {
  pair a[2*MAX_ROWS];
  for (int p = 0; p < c; p++) {
    for (int q = 0; q < nq; q++) a[nq*p+q] = both(N[p*ld+q]);
  }
  for (; n > 1; n -= 2, U += 2, to += 2) {
    pair sum[2];
    for (int q = 0; q < nq; q++) sum[q] = load(to + q*ldto);
    for (int p = 0; p < c; p++) {
      pair u = load(U + p*ld);
      for (int q = 0; q < nq; q++) sum[q] += a[nq*p+q]*u;
    }
    for (int q = 0; q < nq; q++) store(to + q*ldto, sum[q]);
  }
  if (n == 0) return;
  for (int q = 0; q < nq; q++) {
    double sum = to[q*ldto];
    for (int p = 0; p < c; p++) sum += a[nq*p+q][0]*U[p*ld];
    to[q*ldto] = sum;
  }
}

/* one update of nq rows and n columns */
ALWAYS_INLINE void update(int c, const product *u, ptrdiff_t ld, int nq, int n) {
  const double *restrict N = u->N;
  double *restrict to = u->to;
  ptrdiff_t ldto = u->ld;
  for (; nq > 1; nq -= 2, N += 2, to += 2*ldto) update_rows(c, 2, N, u->U, ld, to, ldto, n);
  if (nq) update_rows(c, 1, N, u->U, ld, to, ldto, n);
}

/* the updates that panel k sends; between blocks of the same small size without any loop */
ALWAYS_INLINE void run_products(int c, const column *k) {
  ptrdiff_t ld = k->ld;
  for (const product *u = k->product; u < k->end_product; u++) {
    if (c <= SMALL && u->nq == c && u->n == c) {
      update(c, u, ld, c, c);
    } else {
      update(c, u, ld, u->nq, u->n);
    }
  }
}

/* D = L diag(1/inverse) L^T of the diagonal block (upper triangle given, overwritten). own: diagonal
 * before any update; sign: of the pivots. Returns the row whose pivot vanished, or -1. */
ALWAYS_INLINE int invert(int c, double D[MAX_ROWS][MAX_ROWS], const double own[MAX_ROWS],
                         double sign, double tol, double l[MAX_ROWS][MAX_ROWS],
                         double inverse[MAX_ROWS]) {
  for (int p = 0; p < c; p++) {
    if (!(sign*D[p][p] > tol*sign*own[p])) return p;
    inverse[p] = 1/D[p][p];
    for (int q = p + 1; q < c; q++) {
      l[q][p] = D[p][q]*inverse[p];
      for (int r = q; r < c; r++) D[q][r] -= l[q][p]*D[p][r];
    }
  }
  return -1;
}

/* the same for two rows: the second division does not wait for the first */
ALWAYS_INLINE int invert_two(double D[MAX_ROWS][MAX_ROWS], const double own[MAX_ROWS], double sign,
                             double tol, double l[MAX_ROWS][MAX_ROWS], double inverse[MAX_ROWS]) {
  double determinant = D[0][0]*D[1][1] - D[0][1]*D[0][1];
  inverse[0] = 1/D[0][0];
  inverse[1] = D[0][0]/determinant;
  l[1][0] = D[0][1]*inverse[0];
  if (!(sign*D[0][0] > tol*sign*own[0])) return 0;
  return determinant > tol*(own[1]*D[0][0]) ? -1 : 1;
}

/* Eliminate the panel of c rows and update the later ones. On entry D holds the diagonal block
 * before any update. sign: of the pivots, -1 for a hub. Leaves l below the diagonal, U = D L^T
 * right of the diagonal block, and the inverse pivots. Returns the row in the panel whose pivot
 * vanished, or -1. *worst: largest ratio of original diagonal to pivot so far. */
ALWAYS_INLINE int eliminate(int c, const column *k, double *restrict N, double D[MAX_ROWS][MAX_ROWS],
                            double sign, double tol, double *worst) {
  ptrdiff_t ld = k->ld;
  double *restrict U = k->panel, *restrict dinv = k->dinv;
  double l[MAX_ROWS][MAX_ROWS], inverse[MAX_ROWS], own[MAX_ROWS];
  for (int p = 0; p < c; p++) {
    own[p] = D[p][p];
    for (int q = p; q < c; q++) D[p][q] += U[p*ld+q];
  }
  int bad = c == 2 ? invert_two(D, own, sign, tol, l, inverse)
                   : invert(c, D, own, sign, tol, l, inverse);
  if (bad >= 0) return bad;
  for (int p = 0; p < c; p++) {
    double ratio = own[p]*inverse[p];
    *worst = ratio > *worst ? ratio : *worst;
    dinv[p] = inverse[p];
    for (int q = 0; q < p; q++) U[p*ld+q] = l[p][q];
  }
  double *restrict Ui = U + c;
  ptrdiff_t n = ld - c;
  N += c;
  for (; n > 1; n -= 2, Ui += 2, N += 2) {
    pair u[MAX_ROWS];
    for (int p = 0; p < c; p++) {
      u[p] = load(Ui + p*ld);
      for (int q = 0; q < p; q++) u[p] -= both(l[p][q])*u[q];
      if (p > 0) store(Ui + p*ld, u[p]);
      store(N + p*ld, both(-inverse[p])*u[p]);
    }
  }
  if (n) {
    double u[MAX_ROWS];
    for (int p = 0; p < c; p++) {
      u[p] = Ui[p*ld];
      for (int q = 0; q < p; q++) u[p] -= l[p][q]*u[q];
      Ui[p*ld] = u[p];
      N[p*ld] = -inverse[p]*u[p];
    }
  }
  run_products(c, k);
  return -1;
}

/* Compile a loop over neighbouring blocks of one size for every size, 1 to MAX_ROWS. */
#define FOR_SIZE(n, CALL)   \
  switch (n) {              \
    case 1: CALL(1); break; \
    case 2: CALL(2); break; \
    case 3: CALL(3); break; \
    case 4: CALL(4); break; \
    case 5: CALL(5); break; \
    case 6: CALL(6); break; \
  }

/* returns the row of K whose pivot vanished, or -1 */
ALWAYS_INLINE int factor_columns(int d, const tni_kkt *K, reduced *w, double tol, double *worst) {
  const double *J = masked_jacobian(K, w);
  const bool *active = K->active;
  keep_masses(d, K, w);
  memset(w->P, 0, w->nP*sizeof(double));
  const column *k = w->column, *plain = k + w->nplain, *end = k + w->ncol;
  while (k < plain) {
    int bad = -1;
#define CALL(size)                                      \
  do {                                               \
    double D[MAX_ROWS][MAX_ROWS];                                  \
    assemble(size, d, k, J, D);                         \
    if (active) switch_off(size, active + k->own, D);   \
    bad = eliminate(size, k, w->N, D, 1, tol, worst);   \
    if (bad >= 0) return (int)k->own + bad;          \
  } while (++k < plain && k->c == size)
    FOR_SIZE(k->c, CALL)
#undef CALL
  }
  for (; k < end; k++) {
    const double *M = K->M + k->own*d;
    double D[MAX_ROWS][MAX_ROWS];
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < d; j++) D[i][j] = -M[i*d+j];
    }
    if (eliminate(d, k, w->N, D, -1, tol, worst) >= 0) return INT_MAX;
  }
  return -1;
}

static tn_status reduced_factor(tni_kkt_solver *s) {
  reduced *w = s->state;
  double worst = 1, tol = s->opts.pivot_tol;
  int bad = s->K->d == 3 ? factor_columns(3, s->K, w, tol, &worst)
                         : factor_columns(6, s->K, w, tol, &worst);
  if (bad >= 0) return tni_kkt_singular(s, bad, 0);
  s->pivot_ratio = 1/worst;
  return TN_OK;
}

/* x = M^-1 f for the eliminated bodies */
ALWAYS_INLINE void free_motion(int d, const tni_kkt *K, const reduced *w, const double *restrict f,
                               double *restrict x) {
  if (!f) {
    memset(x, 0, (size_t)K->nbody*(size_t)d*sizeof(double));
    return;
  }
  const double *m = w->Minv;
  for (int b = 0; b < K->nbody; b++, m += d*d, f += d, x += d) {
    if (w->simple[b]) {
      times_inverse_mass(d, f, m, true, x);
    } else {
      times_inverse_mass(d, f, m, false, x);
    }
  }
}

/* v += W f; v in pairs, the last one half used when c is odd */
ALWAYS_INLINE void add_W_f(int c, int d, const double *restrict W, const double *restrict f,
                           pair v[MAX_ROWS/2]) {
  for (int q = 0; q + 1 < c; q += 2) {
    v[q/2] += d == 6 ? two_dots(f, W + 6*q, W + 6*q + 6) : planar_pair(c, W, q, f);
  }
  if (c%2 == 0) return;
  v[c/2][0] += d == 6 ? dot(6, W + 6*(c - 1), f) : planar_single(c, W, c - 1, f);
}

/* y -= U^T v for the n entries of a run */
ALWAYS_INLINE void send(int c, const double v[MAX_ROWS], const run *r, ptrdiff_t ld, ptrdiff_t n) {
  const double *restrict u = r->U;
  double *restrict to = r->y;
  for (; n > 1; n -= 2, u += 2, to += 2) {
    pair sum = load(to);
    for (int p = 0; p < c; p++) sum -= both(v[p])*load(u + p*ld);
    store(to, sum);
  }
  if (n == 0) return;
  double sum = to[0];
  for (int p = 0; p < c; p++) sum -= v[p]*u[p*ld];
  to[0] = sum;
}

/* sum += U y for the n entries of a run */
ALWAYS_INLINE void receive(int c, pair sum[MAX_ROWS], const run *r, ptrdiff_t ld, ptrdiff_t n) {
  const double *restrict u = r->U, *restrict from = r->y;
  for (; n > 1; n -= 2, u += 2, from += 2) {
    pair v = load(from);
    for (int p = 0; p < c; p++) sum[p] += load(u + p*ld)*v;
  }
  if (n == 0) return;
  for (int p = 0; p < c; p++) sum[p][0] += u[p*ld]*from[0];
}

/* y = D^-1 L^-1 (W f - g + y) for one panel; y holds what earlier panels sent */
ALWAYS_INLINE void forward(int c, int d, const bool *active, const column *k,
                           const double *restrict f, const double *restrict g) {
  const double *restrict U = k->panel, *restrict dinv = k->dinv;
  ptrdiff_t ld = k->ld;
  pair sum[MAX_ROWS/2];
  double v[MAX_ROWS];
  for (int p = 0; p < c; p += 2) sum[p/2] = p + 1 < c ? load(k->y + p) : (pair){k->y[p], 0};
  if (f) {
    for (const incidence *i = k->inc; i < k->end_inc; i++) add_W_f(c, d, i->W, f + i->x, sum);
  }
  for (int p = 0; p < c; p++) v[p] = sum[p/2][p%2];
  if (g && !active) {
    for (int p = 0; p < c; p++) v[p] -= g[k->own+p];
  } else if (g) {
    for (int p = 0; p < c; p++) v[p] -= active[k->own+p] ? g[k->own+p] : 0;
  }
  for (int p = 0; p < c; p++) {
    for (int q = 0; q < p; q++) v[p] -= U[p*ld+q]*v[q];
  }
  for (int p = 0; p < c; p++) v[p] *= dinv[p];
  for (int p = 0; p + 1 < c; p += 2) store(k->y + p, (pair){v[p], v[p+1]});
  if (c%2) k->y[c-1] = v[c-1];
  for (const run *r = k->run; r < k->end_run; r++) {
    if (c <= SMALL && r->n == c) {
      send(c, v, r, ld, c);
    } else {
      send(c, v, r, ld, r->n);
    }
  }
}

/* y = L^-T y for one panel; the result is in v, too */
ALWAYS_INLINE void backward(int c, const column *k, double v[MAX_ROWS]) {
  const double *restrict U = k->panel, *restrict dinv = k->dinv;
  ptrdiff_t ld = k->ld;
  pair sum[MAX_ROWS];
  for (int p = 0; p < c; p++) sum[p] = both(0);
  for (const run *r = k->run; r < k->end_run; r++) {
    if (c <= SMALL && r->n == c) {
      receive(c, sum, r, ld, c);
    } else {
      receive(c, sum, r, ld, r->n);
    }
  }
  for (int p = 0; p + 1 < c; p += 2) {
    pair total = (pair){sum[p][0], sum[p+1][0]} + (pair){sum[p][1], sum[p+1][1]};
    pair both_rows = load(k->y + p) - load(dinv + p)*total;
    v[p] = both_rows[0];
    v[p+1] = both_rows[1];
  }
  if (c%2) v[c-1] = k->y[c-1] - dinv[c-1]*(sum[c-1][0] + sum[c-1][1]);
  for (int p = c - 2; p >= 0; p--) {
    for (int q = p + 1; q < c; q++) v[p] -= U[q*ld+p]*v[q];
  }
  for (int p = 0; p + 1 < c; p += 2) store(k->y + p, (pair){v[p], v[p+1]});
  if (c%2) k->y[c-1] = v[c-1];
}

/* x -= W^T lambda for one planar body */
ALWAYS_INLINE void planar_recover(int c, const double *restrict W, const double lambda[MAX_ROWS],
                                  double *restrict x) {
  pair sum[3] = {{0, 0}, {0, 0}, {0, 0}};
  if (c == 1) {
    for (int j = 0; j < 3; j++) x[j] -= W[j]*lambda[0];
    return;
  }
  for (int j = 0; j < 3; j++) {
    sum[j] = load(W + j*c)*(pair){lambda[0], lambda[1]};
    for (int p = 2; p + 1 < c; p += 2) sum[j] += load(W + j*c + p)*(pair){lambda[p], lambda[p+1]};
    if (c%2) sum[j][0] += W[j*c+c-1]*lambda[c-1];
  }
  pair first = (pair){sum[0][0], sum[1][0]} + (pair){sum[0][1], sum[1][1]};
  store(x, load(x) - first);
  x[2] -= sum[2][0] + sum[2][1];
}

/* x -= W^T lambda for one block */
ALWAYS_INLINE void recover(int c, int d, const column *k, const double lambda[MAX_ROWS],
                           double *restrict x) {
  for (const incidence *i = k->inc; i < k->end_inc; i++) {
    const double *restrict W = i->W;
    double *restrict xb = x + i->x;
    for (int j = 0; j < d && d == 6; j += 2) {
      pair sum = load(xb + j);
      for (int p = 0; p < c; p++) sum -= load(W + p*d + j)*both(lambda[p]);
      store(xb + j, sum);
    }
    if (d == 3) planar_recover(c, W, lambda, xb);
  }
}

ALWAYS_INLINE void solve_columns(int d, const tni_kkt *K, reduced *w, const double *restrict f,
                                 const double *restrict g, double *restrict x,
                                 double *restrict lambda) {
  const column *first = w->column, *plain = first + w->nplain, *end = first + w->ncol, *k;
  const bool *active = K->active;
  free_motion(d, K, w, f, x);
  memset(w->y, 0, (size_t)w->nvec*sizeof(double));
  for (k = first; k < plain;) {
#define CALL(size)                       \
  do {                                \
    forward(size, d, active, k, f, g);   \
  } while (++k < plain && k->c == size)
    FOR_SIZE(k->c, CALL)
#undef CALL
  }
  for (; k < end; k++) {
    for (int p = 0; p < d && f; p++) k->y[p] -= f[k->own+p];
    forward(d, d, NULL, k, NULL, NULL);
  }
  while (k-- > plain) {
    double v[MAX_ROWS];
    backward(d, k, v);
    for (int p = 0; p < d; p++) x[k->own+p] = v[p];
  }
  for (k = plain; k > first;) {
#define CALL(size)                                        \
  do {                                                    \
    double v[MAX_ROWS];                                   \
    k--;                                                  \
    backward(size, k, v);                                 \
    for (int p = 0; p < size; p++) lambda[k->own+p] = v[p]; \
    recover(size, d, k, v, x);                            \
  } while (k > first && k[-1].c == size)
    FOR_SIZE(k[-1].c, CALL)
#undef CALL
  }
}

static void reduced_solve(tni_kkt_solver *s, const double *f, const double *g, double *x,
                          double *lambda) {
  if (s->K->d == 3) {
    solve_columns(3, s->K, s->state, f, g, x, lambda);
  } else {
    solve_columns(6, s->K, s->state, f, g, x, lambda);
  }
}

const tni_kkt_ops tni_kkt_reduced = {
  .name = "reduced", .create = reduced_create, .factor = reduced_factor, .solve = reduced_solve,
};
