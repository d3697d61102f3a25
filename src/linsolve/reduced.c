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
#include "linsolve/reduced.h"

#include "linsolve/pair.h"

/* blocks up to this size get code without loops when their neighbours have the same size */
enum { SMALL = 3 };

/* 0 if n neighbouring numbers are all 0 or -0: one test instead of n branches */
ALWAYS_INLINE uint64_t nonzero_bits(const double *v, int n) {
  uint64_t all = 0, bits;
  for (int i = 0; i < n; i++) {
    memcpy(&bits, v + i, sizeof(bits));
    all |= bits;
  }
  return all << 1; /* without the signs */
}

/* keep the inverse masses of bodies begin to end; those of planar bodies are diagonal, those of spatial bodies
 * a diagonal and a 3x3 block unless the reference point is not the mass centre */
ALWAYS_INLINE void keep_masses(int d, const tni_kkt *K, tni_reduced *w, int begin, int end) {
  size_t at = (size_t)begin*(size_t)(d*d), n = (size_t)(end - begin)*(size_t)(d*d);
  if (n > 0) memcpy(w->Minv + at, K->Minv + at, n*sizeof(double));
  const double *m = w->Minv + at;
  double *small = w->small + (ptrdiff_t)begin*TNI_SMALL;
  for (int b = begin; b < end; b++, m += d*d, small += TNI_SMALL) {
    uint64_t rest = nonzero_bits(m + 1, d - 1);
    if (d == 3) {
      rest |= nonzero_bits(m + 5, 1);
    } else {
      rest |= nonzero_bits(m + 8, 4) | nonzero_bits(m + 15, 3);
      for (int i = 0; i < 3; i++) small[i] = m[7*i];
      for (int i = 0; i < 9; i++) small[3+i] = m[21+6*(i/3)+i%3];
    }
    w->simple[b] = rest == 0;
  }
}

/* The Jacobian, or a copy with the switched-off rows zero if there are any. Sets w->active. */
static const double *masked_jacobian(const tni_kkt *K, tni_reduced *w) {
  bool all = !K->active || !memchr(K->active, false, (size_t)K->nrow*sizeof(bool));
  w->active = all ? NULL : K->active;
  if (all) return K->J;
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

/* W = J Minv of one block on one body; m: Minv, or what is kept of a simple spatial one. Spatial:
 * w[q][h] are entries 2h, 2h+1 of row q. Planar rows
 * are too short for pairs, there w[h][i] is entry i of rows 2h and 2h+1 (0 for a row too many). In
 * memory the pairs follow each other. */
typedef pair block_rows[MAX_ROWS][3];

ALWAYS_INLINE int block_pairs(int c, int d) { return d == 6 ? c : (c + 1)/2; }

/* pair h of planar rows: entry i */
ALWAYS_INLINE pair two_rows(int c, const double *J, int h, int i) {
  return (pair){J[6*h+i], 2*h + 1 < c ? J[6*h+3+i] : 0};
}

ALWAYS_INLINE void make_W(int c, int d, const double *restrict J, const double *restrict m,
                          bool simple, block_rows w) {
  if (d == 3) {
    for (int h = 0; h < (c + 1)/2; h++) {
      for (int i = 0; i < 3; i++) {
        w[h][i] = simple ? two_rows(c, J, h, i)*both(m[4*i])
                         : two_rows(c, J, h, 0)*both(m[i]) + two_rows(c, J, h, 1)*both(m[3+i]) +
                           two_rows(c, J, h, 2)*both(m[6+i]);
      }
    }
    return;
  }
  for (int q = 0; q < c; q++) {
    const double *j = J + 6*q;
    if (simple) {
      w[q][0] = load(j)*load(m);
      w[q][1] = load(j + 2)*load(m + 2) + (pair){0, j[4]*m[6] + j[5]*m[9]};
      w[q][2] = both(j[3])*load(m + 4) + both(j[4])*load(m + 7) + both(j[5])*load(m + 10);
    } else {
      for (int h = 0; h < 3; h++) {
        w[q][h] = both(j[0])*load(m + 2*h);
        for (int k = 1; k < 6; k++) w[q][h] += both(j[k])*load(m + 6*k + 2*h);
      }
    }
  }
}

/* w[k] times the Jacobian row j: for spatial bodies a pair of partial sums, for planar bodies the
 * results of two rows */
ALWAYS_INLINE pair times_row(int d, const pair w[3], const double *j) {
  if (d == 6) return w[0]*load(j) + w[1]*load(j + 2) + w[2]*load(j + 4);
  return w[0]*both(j[0]) + w[1]*both(j[1]) + w[2]*both(j[2]);
}

/* D += upper triangle of W J^T */
ALWAYS_INLINE void add_diagonal(int c, int d, const block_rows w, const double *restrict J,
                                double D[MAX_ROWS][MAX_ROWS]) {
  for (int k = 0; k < block_pairs(c, d); k++) {
    if (d == 3) {
      const double *j = J + 6*k;
      D[2*k][2*k] += w[k][0][0]*j[0] + w[k][1][0]*j[1] + w[k][2][0]*j[2];
      for (int r = 2*k + 1; r < c; r++) {
        pair sum = times_row(3, w[k], J + 3*r);
        D[2*k][r] += sum[0];
        D[2*k+1][r] += sum[1];
      }
      continue;
    }
    for (int r = k; r < c; r += 2) {
      pair x = times_row(6, w[k], J + 6*r), y = x;
      if (r + 1 < c) y = times_row(6, w[k], J + 6*r + 6);
      pair sum = halves(x, y);
      D[k][r] += sum[0];
      if (r + 1 < c) D[k][r+1] += sum[1];
    }
  }
}

/* to += W J^T, c x n */
ALWAYS_INLINE void couple(int c, int d, const block_rows w, const double *restrict J, ptrdiff_t n,
                          double *restrict to, ptrdiff_t ld) {
  for (; n > 1; n -= 2, J += 2*d, to += 2) {
    for (int k = 0; k < block_pairs(c, d); k++) {
      pair x = times_row(d, w[k], J), y = times_row(d, w[k], J + d);
      if (d == 6) {
        store(to + k*ld, load(to + k*ld) + halves(x, y));
      } else {
        store(to + 2*k*ld, load(to + 2*k*ld) + (pair){x[0], y[0]});
        if (2*k + 1 == c) continue;
        store(to + (2*k+1)*ld, load(to + (2*k+1)*ld) + (pair){x[1], y[1]});
      }
    }
  }
  if (n == 0) return;
  for (int k = 0; k < block_pairs(c, d); k++) {
    pair x = times_row(d, w[k], J);
    if (d == 6) {
      to[k*ld] += x[0] + x[1];
    } else {
      to[2*k*ld] += x[0];
      if (2*k + 1 < c) to[(2*k+1)*ld] += x[1];
    }
  }
}

/* couplings with the hubs; not inlined, for the sake of those without */
static NEVER_INLINE void couple_hubs(int c, int d, const tni_column *k,
                                     const double *restrict Jall) {
  ptrdiff_t ld = k->ld;
  for (const tni_hub_copy *h = k->copy; h < k->end_copy; h++) {
    for (int q = 0; q < c; q++) {
      for (int i = 0; i < d; i++) h->to[q*ld+i] -= Jall[h->J+q*d+i];
    }
  }
}

/* Block row of B: the diagonal block (upper triangle) to D, the rest is added to the panel. */
ALWAYS_INLINE void assemble(int c, int d, const tni_column *k, const double *restrict Jall,
                            double D[MAX_ROWS][MAX_ROWS]) {
  ptrdiff_t ld = k->ld;
  if (k->copy < k->end_copy) couple_hubs(c, d, k, Jall);
  for (int q = 0; q < c; q++) {
    for (int r = q; r < c; r++) D[q][r] = 0;
  }
  for (const tni_incidence *i = k->inc; i < k->end_inc; i++) {
    const double *restrict J = Jall + i->J;
    block_rows w;
    if (*i->simple) {
      make_W(c, d, J, d == 6 ? i->small : i->Minv, true, w);
    } else {
      make_W(c, d, J, i->Minv, false, w);
    }
    for (int q = 0; q < block_pairs(c, d); q++) {
      for (int h = 0; h < 3; h++) store(i->W + 6*q + 2*h, w[q][h]);
    }
    add_diagonal(c, d, w, J, D);
    for (const tni_coupling *o = i->couple; o < i->end_couple; o++) {
      if (c <= SMALL && o->c == c) {
        couple(c, d, w, Jall + o->J, c, o->to, ld);
      } else {
        couple(c, d, w, Jall + o->J, o->c, o->to, ld);
      }
    }
  }
}

ALWAYS_INLINE void add_shift(int c, const double *shift, double D[MAX_ROWS][MAX_ROWS]) {
  for (int q = 0; q < c; q++) D[q][q] += shift[q];
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
ALWAYS_INLINE void update(int c, const tni_product *u, ptrdiff_t ld, int nq, int n) {
  const double *restrict N = u->N;
  double *restrict to = u->to;
  ptrdiff_t ldto = u->ld;
  for (; nq > 1; nq -= 2, N += 2, to += 2*ldto) update_rows(c, 2, N, u->U, ld, to, ldto, n);
  if (nq) update_rows(c, 1, N, u->U, ld, to, ldto, n);
}

/* the updates that panel k sends; between blocks of the same small size without any loop */
ALWAYS_INLINE void run_products(int c, const tni_column *k) {
  ptrdiff_t ld = k->ld;
  for (const tni_product *u = k->product; u < k->end_product; u++) {
    if (c <= SMALL && u->nq == c && u->n == c) {
      update(c, u, ld, c, c);
    } else {
      update(c, u, ld, u->nq, u->n);
    }
  }
}

/* D = L diag(1/inverse) L^T of the diagonal block (upper triangle given, overwritten) */
ALWAYS_INLINE void invert(int c, double D[MAX_ROWS][MAX_ROWS], double l[MAX_ROWS][MAX_ROWS],
                          double inverse[MAX_ROWS]) {
  if (c == 2) {
    /* the second division does not wait for the first */
    inverse[0] = 1/D[0][0];
    inverse[1] = D[0][0]/(D[0][0]*D[1][1] - D[0][1]*D[0][1]);
    l[1][0] = D[0][1]*inverse[0];
    return;
  }
  for (int p = 0; p < c; p++) {
    inverse[p] = 1/D[p][p];
    for (int q = p + 1; q < c; q++) {
      l[q][p] = D[p][q]*inverse[p];
      for (int r = q; r < c; r++) D[q][r] -= l[q][p]*D[p][r];
    }
  }
}

/* c numbers by pairs */
ALWAYS_INLINE void store_row(int c, double *to, const double v[MAX_ROWS]) {
  for (int p = 0; p + 1 < c; p += 2) store(to + p, (pair){v[p], v[p+1]});
  if (c%2) to[c-1] = v[c-1];
}

/* Chains of planar pins spend their time on blocks of two rows with one later neighbour of two
 * rows: the panel is then 2 x 4, and everything is done without loops and in registers. */
enum { LONE_LD = 4 };

/* the update of the neighbour from the rows u and their multiples n = -D^-1 u */
ALWAYS_INLINE void update_lone(const tni_product *p, const pair u[2], const pair n[2]) {
  double *first = p->to, *second = p->to + p->ld;
  store(first, load(first) + both(n[0][0])*u[0] + both(n[1][0])*u[1]);
  store(second, load(second) + both(n[0][1])*u[0] + both(n[1][1])*u[1]);
}

/* Eliminate the panel of c rows and update the later ones. On entry D holds the diagonal block
 * before any update. Leaves l below the diagonal, U = D L^T right of the diagonal block, and the
 * inverse pivots, which are judged at the end of the factorization (smallest_pivot). */
ALWAYS_INLINE void eliminate(int c, bool lone, const tni_column *k, double *restrict N,
                             double D[MAX_ROWS][MAX_ROWS]) {
  ptrdiff_t ld = lone ? LONE_LD : k->ld;
  double *restrict U = k->panel;
  double l[MAX_ROWS][MAX_ROWS], inverse[MAX_ROWS], own[MAX_ROWS];
  for (int p = 0; p < c; p++) {
    own[p] = D[p][p];
    for (int q = p; q < c; q++) D[p][q] += U[p*ld+q];
  }
  invert(c, D, l, inverse);
  store_row(c, k->diagonal, own);
  store_row(c, k->dinv, inverse);
  for (int p = 0; p < c; p++) {
    for (int q = 0; q < p; q++) U[p*ld+q] = l[p][q];
  }
  if (lone) {
    pair u[2] = {load(U + 2), load(U + 6) - both(l[1][0])*load(U + 2)};
    pair n[2] = {both(-inverse[0])*u[0], both(-inverse[1])*u[1]};
    store(U + 6, u[1]);
    update_lone(k->product, u, n);
    return;
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
}

/* Every block size gets functions of its own, which go on while the next block has the same size
 * and return the block where they stopped. One large function with all sizes was slower. */
#define FOR_SIZES(X, d) X(1, d) X(2, d) X(3, d) X(4, d) X(5, d) X(6, d)

typedef const tni_column *(*factor_fn)(tni_factoring *, const tni_column *, const tni_column *);

/* in portions that stay in the nearest cache until they are used */
NEVER_INLINE void tni_reduced_clear(tni_factoring *a, const double *reach) {
  enum { PORTION = 1024 };
  ptrdiff_t n = reach - a->cleared, left = a->end - a->cleared;
  if (n < PORTION) n = PORTION;
  if (n > left) n = left;
  memset(a->cleared, 0, (size_t)n*sizeof(double));
  a->cleared += n;
}

/* forward substitution of columns k to end, below; a factorization that also solves calls it for
 * each column while its numbers are at hand */
#define DECLARE(size, d)                                                                      \
  static const tni_column *forward_##size##_##d(const tni_rhs *, const tni_column *,          \
                                                const tni_column *);
FOR_SIZES(DECLARE, 3)
FOR_SIZES(DECLARE, 6)

#define FACTOR(size, d)                                                                       \
  static const tni_column *factor_##size##_##d(tni_factoring *a, const tni_column *k,         \
                                               const tni_column *end) {                       \
    int kind = k->kind;                                                                       \
    do {                                                                                      \
      double D[MAX_ROWS][MAX_ROWS];                                                           \
      if (k->reach > a->cleared) tni_reduced_clear(a, k->reach);                              \
      assemble(size, d, k, a->J, D);                                                          \
      if (a->shift) add_shift(size, a->shift + k->own, D);                                    \
      if (a->active) switch_off(size, a->active + k->own, D);                                 \
      if (size == 2 && k->lone) {                                                             \
        eliminate(size, true, k, a->N, D);                                                    \
      } else {                                                                                \
        eliminate(size, false, k, a->N, D);                                                   \
      }                                                                                       \
      if (a->rhs) forward_##size##_##d(a->rhs, k, k + 1);                                     \
    } while (++k < end && k->kind == kind);                                                   \
    return k;                                                                                 \
  }
FOR_SIZES(FACTOR, 3)
FOR_SIZES(FACTOR, 6)

#define FACTOR_ENTRY(size, d) [size] = factor_##size##_##d,
static const factor_fn factor_planar[MAX_ROWS+1] = {FOR_SIZES(FACTOR_ENTRY, 3)};
static const factor_fn factor_spatial[MAX_ROWS+1] = {FOR_SIZES(FACTOR_ENTRY, 6)};

/* the block row of a hub is -M and what the others have sent */
#define FACTOR_HUB(d)                                                           \
  static void factor_hub_##d(const tni_column *k, const double *M, double *N) { \
    double D[MAX_ROWS][MAX_ROWS];                                               \
    for (int i = 0; i < d; i++) {                                               \
      for (int j = 0; j < d; j++) D[i][j] = -M[i*d+j];                          \
    }                                                                           \
    eliminate(d, false, k, N, D);                                               \
  }
FACTOR_HUB(3)
FACTOR_HUB(6)

ALWAYS_INLINE void free_motion(int d, const tni_kkt *K, const tni_reduced *w, const double *restrict f,
                               double *restrict x, int begin, int end);

bool tni_reduced_masses_change(const tni_kkt *K, const tni_reduced *w) {
  return !K->constant_mass || w->kept != K->Minv;
}

void tni_reduced_bodies(const tni_kkt *K, tni_reduced *w, bool masses, const tni_rhs *rhs, int begin, int end) {
  if (K->d == 3) {
    if (masses) keep_masses(3, K, w, begin, end);
    if (rhs) free_motion(3, K, w, rhs->f, rhs->x, begin, end);
  } else {
    if (masses) keep_masses(6, K, w, begin, end);
    if (rhs) free_motion(6, K, w, rhs->f, rhs->x, begin, end);
  }
}

void tni_reduced_choose_pins(const tni_kkt *K, tni_reduced *w, bool masses) {
  if (masses) {
    w->kept = K->Minv;
    w->pins_kept = false;
    w->all_simple = !memchr(w->simple, false, (size_t)K->nbody*sizeof(bool));
  }
  w->pins = w->npin > 0 && w->all_simple && !w->active && !K->shift && !w->plain;
  if (w->pins && !w->pins_kept) tni_pins_keep_masses(w);
  w->pins_kept = w->pins;
}

const double *tni_reduced_jacobian(const tni_kkt *K, tni_reduced *w) { return masked_jacobian(K, w); }

void tni_reduced_columns(const tni_kkt *K, const tni_reduced *w, tni_factoring *a, const tni_column *k,
                         const tni_column *end) {
  const factor_fn *run = K->d == 3 ? factor_planar : factor_spatial;
  while (k < end) {
    if (w->pins && k->kind == TNI_PIN) k = tni_pins_factor(a, k, end);
    else k = run[k->c](a, k, end);
  }
}

static void factor_columns(const tni_kkt *K, tni_reduced *w, tni_rhs *rhs) {
  const double *J = masked_jacobian(K, w); /* sets w->active */
  tni_factoring a = {.J = J, .shift = K->shift, .active = w->active, .N = w->N,
                     .cleared = w->P, .end = w->P + w->nP, .rhs = rhs};
  const tni_column *plain = w->column + w->nplain, *end = w->column + w->ncol;
  bool masses = tni_reduced_masses_change(K, w);
  if (rhs) {
    rhs->active = w->active;
    memset(w->y, 0, (size_t)w->nvec*sizeof(double));
  }
  tni_reduced_bodies(K, w, masses, rhs, 0, K->nbody);
  tni_reduced_choose_pins(K, w, masses);
  tni_reduced_columns(K, w, &a, w->column, plain);
  if (a.cleared < a.end) tni_reduced_clear(&a, a.end);
  for (const tni_column *k = plain; k < end; k++) {
    if (K->d == 3) {
      factor_hub_3(k, K->M + k->own*3, w->N);
    } else {
      factor_hub_6(k, K->M + k->own*6, w->N);
    }
  }
}

/* Smallest pivot over its diagonal entry before elimination; both are negative for hubs, whose
 * pivots only grow. The inverse ratios are compared by their bits: read as integers, negative
 * numbers, infinity and NaN are all larger than any positive number, and all mean failure. */
static double smallest_pivot(const tni_reduced *w) {
  double worst = 1;
  uint64_t most[2];
  memcpy(&most[0], &worst, sizeof(worst));
  most[1] = most[0];
  for (int i = 0; i < w->nvec; i += 2) {
    pair ratio = load(w->diagonal + i)*load(w->dinv + i);
    uint64_t bits[2];
    memcpy(bits, &ratio, sizeof(bits));
    for (int k = 0; k < 2; k++) most[k] = bits[k] > most[k] ? bits[k] : most[k];
  }
  memcpy(&worst, most[0] > most[1] ? &most[0] : &most[1], sizeof(worst));
  return worst > 0 ? 1/worst : 0;
}

/* first row whose pivot is not above tol: those before it were still good */
static int first_bad_row(const tni_reduced *w, double tol) {
  for (const tni_column *k = w->column; k < w->column + w->nplain; k++) {
    for (int p = 0; p < k->c; p++) {
      double ratio = k->diagonal[p]*k->dinv[p];
      if (!(ratio > 0 && ratio*tol < 1)) return (int)k->own + p;
    }
  }
  return -1;
}

/* Next to a singular position the short formulas of pins lose digits that an integrator at tight
 * tolerances misses: the four-bars at 1e-10 came to a stop there. The general code is taken below this
 * pivot. */
#define PINS_PIVOT 1e-4

bool tni_reduced_judge(const tni_kkt *K, tni_reduced *w, tni_factor_all *factor, tni_rhs *rhs, double tol,
                       double *pivot, int *bad_row) {
  factor(K, w, rhs);
  *pivot = smallest_pivot(w);
  if (w->pins && *pivot < PINS_PIVOT) {
    w->plain = true;
    factor(K, w, rhs);
    w->plain = false;
    *pivot = smallest_pivot(w);
  }
  if (*pivot > tol) return true;
  *bad_row = first_bad_row(w, tol);
  return false;
}

bool tni_reduced_factor(const tni_kkt *K, tni_reduced *w, double tol, double *pivot,
                        int *bad_row) {
  return tni_reduced_judge(K, w, factor_columns, NULL, tol, pivot, bad_row);
}

/* x = M^-1 f for the bodies begin to end */
ALWAYS_INLINE void free_motion(int d, const tni_kkt *K, const tni_reduced *w, const double *restrict f,
                               double *restrict x, int begin, int end) {
  (void)K;
  x += (ptrdiff_t)begin*d;
  if (!f) {
    memset(x, 0, (size_t)(end - begin)*(size_t)d*sizeof(double));
    return;
  }
  f += (ptrdiff_t)begin*d;
  for (int b = begin; b < end; b++, f += d, x += d) {
    block_rows row;
    const double *m = w->Minv + b*d*d;
    if (w->simple[b]) {
      make_W(1, d, f, d == 6 ? w->small + b*TNI_SMALL : m, true, row);
    } else {
      make_W(1, d, f, m, false, row);
    }
    for (int h = 0; h < 3; h++) {
      if (d == 6) {
        store(x + 2*h, row[0][h]);
      } else {
        x[h] = row[0][h][0];
      }
    }
  }
}

/* v += W f; v in pairs, the last one half used when c is odd */
ALWAYS_INLINE void add_W_f(int c, int d, const double *restrict W, const double *restrict f,
                           pair v[MAX_ROWS/2]) {
  for (int h = 0; h < (c + 1)/2; h++) {
    if (d == 3) {
      pair w[3] = {load(W + 6*h), load(W + 6*h + 2), load(W + 6*h + 4)};
      v[h] += times_row(3, w, f);
    } else {
      pair w[3] = {load(W + 12*h), load(W + 12*h + 2), load(W + 12*h + 4)}, x, y;
      x = y = times_row(6, w, f);
      if (2*h + 1 < c) {
        pair next[3] = {load(W + 12*h + 6), load(W + 12*h + 8), load(W + 12*h + 10)};
        y = times_row(6, next, f);
      }
      v[h] += halves(x, y);
    }
  }
}

/* y -= U^T v for the n entries of a run */
ALWAYS_INLINE void send(int c, const double v[MAX_ROWS], const tni_run *r, ptrdiff_t ld,
                        ptrdiff_t n) {
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
ALWAYS_INLINE void receive(int c, pair sum[MAX_ROWS], const tni_run *r, ptrdiff_t ld, ptrdiff_t n) {
  const double *restrict u = r->U, *restrict from = r->y;
  for (; n > 1; n -= 2, u += 2, from += 2) {
    pair v = load(from);
    for (int p = 0; p < c; p++) sum[p] += load(u + p*ld)*v;
  }
  if (n == 0) return;
  for (int p = 0; p < c; p++) sum[p][0] += u[p*ld]*from[0];
}

/* y = D^-1 L^-1 (W f - g + y) for one panel; y holds what earlier panels sent */
ALWAYS_INLINE void forward(int c, int d, bool lone, const bool *active, const tni_column *k,
                           const double *restrict f, const double *restrict g) {
  const double *restrict U = k->panel, *restrict dinv = k->dinv;
  ptrdiff_t ld = lone ? LONE_LD : k->ld;
  pair sum[MAX_ROWS/2];
  double v[MAX_ROWS];
  for (int p = 0; p < c; p += 2) sum[p/2] = p + 1 < c ? load(k->y + p) : (pair){k->y[p], 0};
  if (f) {
    for (const tni_incidence *i = k->inc; i < k->end_inc; i++) add_W_f(c, d, i->W, f + i->x, sum);
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
  store_row(c, k->y, v);
  if (lone) {
    send(c, v, k->run, ld, c);
    return;
  }
  for (const tni_run *r = k->run; r < k->end_run; r++) {
    if (c <= SMALL && r->n == c) {
      send(c, v, r, ld, c);
    } else {
      send(c, v, r, ld, r->n);
    }
  }
}

/* y = L^-T y for one panel; the result is in v, too */
ALWAYS_INLINE void backward(int c, bool lone, const tni_column *k, double v[MAX_ROWS]) {
  const double *restrict U = k->panel, *restrict dinv = k->dinv;
  ptrdiff_t ld = lone ? LONE_LD : k->ld;
  pair sum[MAX_ROWS];
  for (int p = 0; p < c; p++) sum[p] = both(0);
  if (lone) receive(c, sum, k->run, ld, c);
  for (const tni_run *r = k->run; !lone && r < k->end_run; r++) {
    if (c <= SMALL && r->n == c) {
      receive(c, sum, r, ld, c);
    } else {
      receive(c, sum, r, ld, r->n);
    }
  }
  for (int p = 0; p + 1 < c; p += 2) {
    pair rows = load(k->y + p) - load(dinv + p)*halves(sum[p], sum[p+1]);
    v[p] = rows[0];
    v[p+1] = rows[1];
  }
  if (c%2) v[c-1] = k->y[c-1] - dinv[c-1]*(sum[c-1][0] + sum[c-1][1]);
  for (int p = c - 2; p >= 0; p--) {
    for (int q = p + 1; q < c; q++) v[p] -= U[q*ld+p]*v[q];
  }
  store_row(c, k->y, v);
}

/* x -= W^T lambda for one block */
ALWAYS_INLINE void recover(int c, int d, const tni_column *k, const double lambda[MAX_ROWS],
                           double *restrict x) {
  for (const tni_incidence *i = k->inc; i < k->end_inc; i++) {
    const double *restrict W = i->W;
    double *restrict xb = x + i->x;
    pair sum[3] = {both(0), both(0), both(0)};
    for (int q = 0; q < block_pairs(c, d); q++) {
      pair l = d == 6 ? both(lambda[q])
                      : (pair){lambda[2*q], 2*q + 1 < c ? lambda[2*q+1] : 0};
      for (int h = 0; h < 3; h++) sum[h] += load(W + 6*q + 2*h)*l;
    }
    if (d == 6) {
      for (int h = 0; h < 3; h++) store(xb + 2*h, load(xb + 2*h) - sum[h]);
    } else {
      store(xb, load(xb) - halves(sum[0], sum[1]));
      xb[2] -= sum[2][0] + sum[2][1];
    }
  }
}

typedef const tni_column *(*solve_fn)(const tni_rhs *, const tni_column *, const tni_column *);

#define FORWARD(size, d)                                                                      \
  static const tni_column *forward_##size##_##d(const tni_rhs *a, const tni_column *k,        \
                                                const tni_column *end) {                      \
    const double *f = a->f, *g = a->g;                                                        \
    int kind = k->kind;                                                                       \
    do {                                                                                      \
      if (size == 2 && k->lone) {                                                             \
        forward(size, d, true, a->active, k, f, g);                                           \
      } else {                                                                                \
        forward(size, d, false, a->active, k, f, g);                                          \
      }                                                                                       \
    } while (++k < end && k->kind == kind);                                                   \
    return k;                                                                                 \
  }
FOR_SIZES(FORWARD, 3)
FOR_SIZES(FORWARD, 6)

/* from the block before k down to first */
#define BACKWARD(size, d)                                                                     \
  static const tni_column *backward_##size##_##d(const tni_rhs *a, const tni_column *k,       \
                                                 const tni_column *first) {                   \
    int kind = k[-1].kind;                                                                    \
    do {                                                                                      \
      double v[MAX_ROWS];                                                                     \
      k--;                                                                                    \
      if (size == 2 && k->lone) {                                                             \
        backward(size, true, k, v);                                                           \
      } else {                                                                                \
        backward(size, false, k, v);                                                          \
      }                                                                                       \
      for (int p = 0; p < size; p++) a->lambda[k->own+p] = v[p];                              \
      recover(size, d, k, v, a->x);                                                           \
    } while (k > first && k[-1].kind == kind);                                                \
    return k;                                                                                 \
  }
FOR_SIZES(BACKWARD, 3)
FOR_SIZES(BACKWARD, 6)

#define FORWARD_ENTRY(size, d) [size] = forward_##size##_##d,
#define BACKWARD_ENTRY(size, d) [size] = backward_##size##_##d,
static const solve_fn forward_planar[MAX_ROWS+1] = {FOR_SIZES(FORWARD_ENTRY, 3)};
static const solve_fn forward_spatial[MAX_ROWS+1] = {FOR_SIZES(FORWARD_ENTRY, 6)};
static const solve_fn backward_planar[MAX_ROWS+1] = {FOR_SIZES(BACKWARD_ENTRY, 3)};
static const solve_fn backward_spatial[MAX_ROWS+1] = {FOR_SIZES(BACKWARD_ENTRY, 6)};

/* hubs: right-hand side -f, the solution is x itself */
#define SOLVE_HUB(d)                                                       \
  static void forward_hub_##d(const tni_rhs *a, const tni_column *k) {     \
    for (int p = 0; p < d && a->f; p++) k->y[p] -= a->f[k->own+p];         \
    forward(d, d, false, NULL, k, NULL, NULL);                             \
  }                                                                        \
  static void backward_hub_##d(const tni_rhs *a, const tni_column *k) {    \
    double v[MAX_ROWS];                                                    \
    backward(d, false, k, v);                                              \
    for (int p = 0; p < d; p++) a->x[k->own+p] = v[p];                     \
  }
SOLVE_HUB(3)
SOLVE_HUB(6)

void tni_reduced_forward(const tni_kkt *K, const tni_reduced *w, const tni_rhs *a, const tni_column *k,
                         const tni_column *end) {
  const solve_fn *down = K->d == 3 ? forward_planar : forward_spatial;
  while (k < end) {
    if (w->pins && k->kind == TNI_PIN) k = tni_pins_forward(a, k, end);
    else k = down[k->c](a, k, end);
  }
}

void tni_reduced_backward(const tni_kkt *K, const tni_reduced *w, const tni_rhs *a, const tni_column *k,
                          const tni_column *first) {
  const solve_fn *up = K->d == 3 ? backward_planar : backward_spatial;
  while (k > first) {
    if (w->pins && k[-1].kind == TNI_PIN) k = tni_pins_backward(a, k, first);
    else k = up[k[-1].c](a, k, first);
  }
}

/* what comes after the forward substitution of the columns */
static void end_solve(const tni_kkt *K, tni_reduced *w, const tni_rhs *a) {
  bool planar = K->d == 3;
  const tni_column *plain = w->column + w->nplain, *end = w->column + w->ncol, *k;
  for (k = plain; k < end; k++) planar ? forward_hub_3(a, k) : forward_hub_6(a, k);
  for (k = end; k-- > plain;) planar ? backward_hub_3(a, k) : backward_hub_6(a, k);
  tni_reduced_backward(K, w, a, plain, w->column);
}

void tni_reduced_solve(const tni_kkt *K, tni_reduced *w, const double *f, const double *g,
                       double *x, double *lambda) {
  tni_rhs a = {.f = f, .g = g, .active = w->active, .x = x, .lambda = lambda};
  tni_reduced_bodies(K, w, false, &a, 0, K->nbody);
  memset(w->y, 0, (size_t)w->nvec*sizeof(double));
  tni_reduced_forward(K, w, &a, w->column, w->column + w->nplain);
  end_solve(K, w, &a);
}

static tn_status create(tni_kkt_solver *s) {
  tni_reduced *w = NULL;
  TN_TRY(tni_reduced_build(s, NULL, 0, 0, &w));
  tni_reduced_describe(w, &s->info);
  s->state = w;
  return TN_OK;
}

static tn_status factor(tni_kkt_solver *s) {
  int bad;
  bool good = tni_reduced_factor(s->K, s->state, s->opts.pivot_tol, &s->pivot_ratio, &bad);
  return good ? TN_OK : tni_kkt_singular(s, bad);
}

static tn_status factor_solve(tni_kkt_solver *s, const double *f, const double *g, double *x,
                              double *lambda) {
  int bad;
  tni_rhs a = {.f = f, .g = g, .x = x, .lambda = lambda};
  if (!tni_reduced_judge(s->K, s->state, factor_columns, &a, s->opts.pivot_tol, &s->pivot_ratio, &bad))
    return tni_kkt_singular(s, bad);
  end_solve(s->K, s->state, &a);
  return TN_OK;
}

static void solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda) {
  tni_reduced_solve(s->K, s->state, f, g, x, lambda);
}

const tni_kkt_ops tni_kkt_reduced = {
  .name = "reduced", .create = create, .factor = factor, .solve = solve,
  .factor_solve = factor_solve,
};
