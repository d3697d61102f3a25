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

/* Two neighbouring numbers at once: what every 64-bit processor can do without asking which one it
 * is, and the same bits as one by one. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

#define ALWAYS_INLINE static inline __attribute__((always_inline))

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
ALWAYS_INLINE void keep_masses(int d, const tni_kkt *K, tni_reduced *w) {
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
ALWAYS_INLINE void assemble(int c, int d, const tni_column *k, const double *restrict Jall,
                            double D[MAX_ROWS][MAX_ROWS]) {
  ptrdiff_t ld = k->ld;
  for (const tni_hub_copy *h = k->copy; h < k->end_copy; h++) {
    for (int q = 0; q < c; q++) {
      for (int i = 0; i < d; i++) h->to[q*ld+i] -= Jall[h->J+q*d+i];
    }
  }
  for (int q = 0; q < c; q++) {
    for (int r = q; r < c; r++) D[q][r] = 0;
  }
  for (const tni_incidence *i = k->inc; i < k->end_inc; i++) {
    const double *restrict J = Jall + i->J;
    double *restrict W = i->W;
    if (*i->simple) {
      make_W(c, d, J, i->Minv, true, W);
    } else {
      make_W(c, d, J, i->Minv, false, W);
    }
    add_diagonal(c, d, W, J, D);
    for (const tni_coupling *o = i->couple; o < i->end_couple; o++) {
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
ALWAYS_INLINE int eliminate(int c, const tni_column *k, double *restrict N, double D[MAX_ROWS][MAX_ROWS],
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
ALWAYS_INLINE int factor_columns(int d, const tni_kkt *K, tni_reduced *w, double tol,
                                 double *worst) {
  const double *J = masked_jacobian(K, w);
  const bool *active = w->active;
  keep_masses(d, K, w);
  memset(w->P, 0, w->nP*sizeof(double));
  const tni_column *k = w->column, *plain = k + w->nplain, *end = k + w->ncol;
  while (k < plain) {
    int bad = -1;
#define CALL(size)                                    \
  do {                                                \
    double D[MAX_ROWS][MAX_ROWS];                     \
    assemble(size, d, k, J, D);                       \
    if (active) switch_off(size, active + k->own, D); \
    bad = eliminate(size, k, w->N, D, 1, tol, worst); \
    if (bad >= 0) return (int)k->own + bad;           \
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
    /* the pivots of a hub grow, they cannot vanish */
    double grown = 1;
    eliminate(d, k, w->N, D, -1, 0, &grown);
  }
  return -1;
}

int tni_reduced_factor(const tni_kkt *K, tni_reduced *w, double tol, double *pivot) {
  double worst = 1;
  int bad = K->d == 3 ? factor_columns(3, K, w, tol, &worst) : factor_columns(6, K, w, tol, &worst);
  *pivot = 1/worst;
  return bad;
}

/* x = M^-1 f for the eliminated bodies */
ALWAYS_INLINE void free_motion(int d, const tni_kkt *K, const tni_reduced *w, const double *restrict f,
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
ALWAYS_INLINE void send(int c, const double v[MAX_ROWS], const tni_run *r, ptrdiff_t ld, ptrdiff_t n) {
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
ALWAYS_INLINE void forward(int c, int d, const bool *active, const tni_column *k,
                           const double *restrict f, const double *restrict g) {
  const double *restrict U = k->panel, *restrict dinv = k->dinv;
  ptrdiff_t ld = k->ld;
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
  for (int p = 0; p + 1 < c; p += 2) store(k->y + p, (pair){v[p], v[p+1]});
  if (c%2) k->y[c-1] = v[c-1];
  for (const tni_run *r = k->run; r < k->end_run; r++) {
    if (c <= SMALL && r->n == c) {
      send(c, v, r, ld, c);
    } else {
      send(c, v, r, ld, r->n);
    }
  }
}

/* y = L^-T y for one panel; the result is in v, too */
ALWAYS_INLINE void backward(int c, const tni_column *k, double v[MAX_ROWS]) {
  const double *restrict U = k->panel, *restrict dinv = k->dinv;
  ptrdiff_t ld = k->ld;
  pair sum[MAX_ROWS];
  for (int p = 0; p < c; p++) sum[p] = both(0);
  for (const tni_run *r = k->run; r < k->end_run; r++) {
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
ALWAYS_INLINE void recover(int c, int d, const tni_column *k, const double lambda[MAX_ROWS],
                           double *restrict x) {
  for (const tni_incidence *i = k->inc; i < k->end_inc; i++) {
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

ALWAYS_INLINE void solve_columns(int d, const tni_kkt *K, tni_reduced *w, const double *restrict f,
                                 const double *restrict g, double *restrict x,
                                 double *restrict lambda) {
  const tni_column *first = w->column, *plain = first + w->nplain, *end = first + w->ncol, *k;
  const bool *active = w->active;
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

void tni_reduced_solve(const tni_kkt *K, tni_reduced *w, const double *f, const double *g,
                       double *x, double *lambda) {
  if (K->d == 3) {
    solve_columns(3, K, w, f, g, x, lambda);
  } else {
    solve_columns(6, K, w, f, g, x, lambda);
  }
}

static tn_status create(tni_kkt_solver *s) {
  tni_reduced *w = NULL;
  TN_TRY(tni_reduced_build(s, NULL, 0, &w));
  tni_reduced_describe(w, &s->info);
  s->state = w;
  return TN_OK;
}

static tn_status factor(tni_kkt_solver *s) {
  double pivot;
  int bad = tni_reduced_factor(s->K, s->state, s->opts.pivot_tol, &pivot);
  if (bad >= 0) return tni_kkt_singular(s, bad);
  s->pivot_ratio = pivot;
  return TN_OK;
}

static void solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda) {
  tni_reduced_solve(s->K, s->state, f, g, x, lambda);
}

const tni_kkt_ops tni_kkt_reduced = {
  .name = "reduced", .create = create, .factor = factor, .solve = solve,
};
