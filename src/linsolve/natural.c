/* linsolve/natural.c - natural partitioning: the null space of the constraints by their topology
 *
 * The joint rows of a body j with its parent p in the tree, B_p x_p + B_j x_j = g, are solved for as
 * many columns of the body as there are rows (full pivoting: translations, which have unit entries,
 * come first), the other columns eta of x_j stay free:
 *
 *   x_j = X x_p + H eta + c,     X = -P B^-1 B_p,  H = F - P B^-1 B_F,  c = P B^-1 g
 *
 * with P, F placing pivot and free columns, B the pivot columns. Down a group of bodies that loops tie
 * together this gives x_j = Y x_base + Z eta + e; the rows of the cut joints, C eta + G x_base = s, are
 * solved for columns of eta in the same way and leave xi. With N made of Y and Z the constraints hold
 * by construction; no multiplier is left.
 *
 * Mass in these coordinates, from the leaves to the ground (groups of a level in parallel):
 *   M_j += I of the groups that hang on j
 *   D = sum Z^T M Z,  U = sum Z^T M Y,  I = sum Y^T M Y - U^T D^-1 U
 * which is the block elimination of the arrowhead system in the order of the tree, O(n) for chains
 * and trees. Solution: forces to the ground, f_j += phi of the groups that hang on j,
 *   r = sum Z^T (f - M e),  phi = sum Y^T (f - M e) - U^T D^-1 r
 * then outwards xi = D^-1 (r - U x_base). Multipliers: with F_j = f_j - M x_j plus what hangs on j,
 * C^T lambda = sum Z^T F on the pivot columns, then B^T lambda = F from the leaves of the group.
 *
 * By conjugate gradients instead: I is not reduced (no U^T D^-1 U), so that D are the diagonal blocks
 * of N^T M N, the preconditioner; products with N^T M N go out and back along the tree.
 *
 * Every group writes memory of its own and sums over children have a fixed order: the same bits for
 * any number of threads. A pivot that vanishes hands over to the reduced solver.
 *
 * Source: Chiou, Park, Farhat, A natural partitioning scheme for parallel simulation of multibody
 * systems (1990); signs of its conjugate gradients corrected.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/natural.h"

#include <math.h>

#include "parallel/pool.h"

enum { GRAIN = 4, MAX_ITERATIONS = 5000 }; /* groups per chunk */
static const double CG_TOL = 1e-12;
/* pivot of the child's columns over the largest entry of its rows */
static const double JOINT_PIVOT = 1e-8;
static const double LOOP_PIVOT = 1e-10; /* the same for cut joints: nearer to a singular position the
                                           reduced solver knows better which rows to leave out */

typedef struct {
  tni_kkt_solver *s;
  tni_natural *w;
  int first; /* group of the level */
} job;

/* The work on a group is compiled for body blocks of 3 and of 6, with loops of known length. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- small dense -------------------------------------------------------------------------- */

/* C += A B, sizes n x k and k x m */
ALWAYS_INLINE void add_product(double *restrict C, const double *restrict A,
                               const double *restrict B, int n, int k, int m) {
  for (int i = 0; i < n; i++)
    for (int l = 0; l < k; l++) {
      double a = A[i*k + l];
      for (int j = 0; j < m; j++) C[i*m + j] += a*B[l*m + j];
    }
}

/* C += A^T B, sizes k x n and k x m */
ALWAYS_INLINE void add_transposed(double *restrict C, const double *restrict A,
                                  const double *restrict B, int k, int n, int m) {
  for (int l = 0; l < k; l++)
    for (int i = 0; i < n; i++) {
      double a = A[l*n + i];
      for (int j = 0; j < m; j++) C[i*m + j] += a*B[l*m + j];
    }
}

static inline void clear(double *x, int n) { memset(x, 0, (size_t)n*sizeof(double)); }

bool tni_natural_eliminate(double *A, int r, int n, int *row, int *col, double tol) {
  double largest = 0;
  for (int i = 0; i < r*n; i++)
    if (fabs(A[i]) > largest) largest = fabs(A[i]);
  for (int k = 0; k < r; k++) {
    /* the largest entry that is left becomes pivot k */
    int pr = k, pc = k;
    double best = -1;
    for (int i = k; i < r; i++)
      for (int j = k; j < n; j++)
        if (fabs(A[i*n + j]) > best) best = fabs(A[i*n + j]), pr = i, pc = j;
    if (k >= n || !(best > tol*largest)) return false;
    if (pr != k) {
      for (int j = 0; j < n; j++) {
        double t = A[k*n + j];
        A[k*n + j] = A[pr*n + j], A[pr*n + j] = t;
      }
      int t = row[k];
      row[k] = row[pr], row[pr] = t;
    }
    if (pc != k) {
      for (int i = 0; i < r; i++) {
        double t = A[i*n + k];
        A[i*n + k] = A[i*n + pc], A[i*n + pc] = t;
      }
      int t = col[k];
      col[k] = col[pc], col[pc] = t;
    }
    /* l_ik = a_ik/a_kk, a_ij -= l_ik a_kj */
    double inverse = 1/A[k*n + k];
    for (int i = k + 1; i < r; i++) {
      double f = A[i*n + k] *= inverse;
      if (f == 0) continue;
      for (int j = k + 1; j < n; j++) A[i*n + j] -= f*A[k*n + j];
    }
  }
  return true;
}

/* b := B^-1 b for nb columns of row length ldb; B = L U in the first r columns of A. b is in the
 * order of the permuted rows */
static void solve_lu(const double *A, int r, int n, double *b, int nb, int ldb) {
  /* L y = b, then U x = y */
  for (int i = 0; i < r; i++)
    for (int k = 0; k < i; k++) {
      double f = A[i*n + k];
      if (f == 0) continue;
      for (int j = 0; j < nb; j++) b[i*ldb + j] -= f*b[k*ldb + j];
    }
  for (int i = r - 1; i >= 0; i--) {
    double inverse = 1/A[i*n + i];
    for (int k = i + 1; k < r; k++) {
      double f = A[i*n + k];
      if (f == 0) continue;
      for (int j = 0; j < nb; j++) b[i*ldb + j] -= f*b[k*ldb + j];
    }
    for (int j = 0; j < nb; j++) b[i*ldb + j] *= inverse;
  }
}

/* b := B^-T b: U^T y = b, then L^T x = y */
static void solve_lu_transposed(const double *A, int r, int n, double *b) {
  for (int i = 0; i < r; i++) {
    for (int k = 0; k < i; k++) b[i] -= A[k*n + i]*b[k];
    b[i] /= A[i*n + i];
  }
  for (int i = r - 1; i >= 0; i--)
    for (int k = i + 1; k < r; k++) b[i] -= A[k*n + i]*b[k];
}

/* D = L L^T, L in its lower half; false: D is not positive definite */
static bool cholesky(double *D, int n) {
  for (int j = 0; j < n; j++) {
    double sum = D[j*n + j];
    for (int k = 0; k < j; k++) sum -= D[j*n + k]*D[j*n + k];
    if (!(sum > 0)) return false;
    D[j*n + j] = sqrt(sum);
    double inverse = 1/D[j*n + j];
    for (int i = j + 1; i < n; i++) {
      double x = D[i*n + j];
      for (int k = 0; k < j; k++) x -= D[i*n + k]*D[j*n + k];
      D[i*n + j] = x*inverse;
    }
  }
  return true;
}

/* x := D^-1 x: L y = x, then L^T x = y */
static void solve_cholesky(const double *D, int n, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= D[i*n + k]*x[k];
    x[i] /= D[i*n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= D[k*n + i]*x[k];
    x[i] /= D[i*n + i];
  }
}

static const double *mass_of(const tni_kkt *K, int body) {
  return K->M + (size_t)body*(size_t)(K->d*K->d);
}

/* a job for body blocks of 3 or 6 */
#define BOTH_SIZES(name)                                     \
  static void name(void *user, int begin, int end) {         \
    const job *j = user;                                     \
    if (j->s->K->d == 6) name##_d(6, j, begin, end);         \
    else name##_d(3, j, begin, end);                         \
  }

/* ---- factorization ------------------------------------------------------------------------ */

/* X, H and the factors of the rows of one body with its parent */
ALWAYS_INLINE bool carry_body(int d, const tni_kkt *K, tni_natural_body *o) {
  int r = 0;
  double B[36], T[36];
  for (int i = 0; i < d; i++) o->col[i] = i;
  clear(o->Bp, d*d);
  /* the rows in use: B x_j + Bp x_p = g */
  for (int k = 0; k < o->nedge; k++) {
    int b = o->edge[k];
    for (int row = K->rowadr[b]; row < K->rowadr[b+1]; row++) {
      if (K->active && !K->active[row]) continue;
      if (r == d) return false;
      for (int a = K->incadr[b]; a < K->incadr[b+1]; a++) {
        const double *J = K->J + K->jadr[a] + (row - K->rowadr[b])*d;
        memcpy(K->incbody[a] == o->body ? B + r*d : o->Bp + r*d, J, (size_t)d*sizeof(double));
      }
      o->row[r++] = row;
    }
  }
  o->nrow = r;
  o->nfree = d - r;
  /* B = (pivot columns L U, free columns B_F), rows and columns permuted */
  int order[TNI_NATURAL_ROWS];
  double Bp[36];
  for (int i = 0; i < r; i++) order[i] = i;
  if (!tni_natural_eliminate(B, r, d, order, o->col, JOINT_PIVOT)) return false;
  memcpy(o->LU, B, (size_t)(r*d)*sizeof(double));
  /* rows of the parent and their names in the order of the pivots */
  memcpy(Bp, o->Bp, (size_t)(r*d)*sizeof(double));
  int name[TNI_NATURAL_ROWS];
  memcpy(name, o->row, sizeof(name));
  for (int i = 0; i < r; i++) {
    o->row[i] = name[order[i]];
    memcpy(o->Bp + i*d, Bp + order[i]*d, (size_t)d*sizeof(double));
  }
  /* X = -P (L U)^-1 Bp */
  memcpy(T, o->Bp, (size_t)(r*d)*sizeof(double));
  solve_lu(B, r, d, T, d, d);
  clear(o->X, d*d);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < d; j++) o->X[o->col[i]*d + j] = -T[i*d + j];
  /* H = F - P (L U)^-1 B_F; the free columns have gone through L of the elimination already: only U is left */
  int nf = o->nfree;
  clear(o->H, d*nf);
  for (int j = 0; j < nf; j++) {
    double u[6];
    for (int i = r - 1; i >= 0; i--) {
      u[i] = B[i*d + r + j];
      for (int k = i + 1; k < r; k++) u[i] -= B[i*d + k]*u[k];
      u[i] /= B[i*d + i];
      o->H[o->col[i]*nf + j] = -u[i];
    }
    o->H[o->col[r + j]*nf + j] = 1;
  }
  return true;
}

/* rows of the cut joints in terms of eta and of the base; closes the loops of the group */
ALWAYS_INLINE bool close_loops(int d, const tni_kkt *K, tni_natural_group *g) {
  int n = g->n, m = 0;
  for (int c = 0; c < g->ncut; c++)
    for (int row = K->rowadr[g->cut[c]]; row < K->rowadr[g->cut[c]+1]; row++)
      if (!K->active || K->active[row]) g->row[m++] = row;
  g->nrow = m;
  for (int j = 0; j < n; j++) g->col[j] = j;
  g->nxi = n - m;
  if (m > n) return false;
  clear(g->C, m*n);
  clear(g->G, m*d);
  /* C = sum J Z0, G = sum J Y over the bodies that a cut joint touches */
  for (int i = 0; i < g->nbody; i++) {
    const tni_natural_body *o = &g->body[i];
    for (int k = 0; k < o->ncut; k++) {
      int b = g->cut[o->cut[k]];
      for (int q = 0; q < m; q++) {
        if (g->row[q] < K->rowadr[b] || g->row[q] >= K->rowadr[b+1]) continue;
        const double *J = K->J + K->jadr[o->cut_inc[k]] + (g->row[q] - K->rowadr[b])*d;
        add_product(g->C + q*n, J, o->Z0, 1, d, n);
        add_product(g->G + q*d, J, o->Y, 1, d, d);
      }
    }
  }
  /* G += J where the base itself is touched */
  for (int c = 0; c < g->ncut; c++) {
    if (g->base_inc[c] < 0) continue;
    int b = g->cut[c];
    for (int q = 0; q < m; q++) {
      if (g->row[q] < K->rowadr[b] || g->row[q] >= K->rowadr[b+1]) continue;
      const double *J = K->J + K->jadr[g->base_inc[c]] + (g->row[q] - K->rowadr[b])*d;
      for (int j = 0; j < d; j++) g->G[q*d + j] += J[j];
    }
  }
  /* C = (pivot columns L U, free columns C_F) */
  for (int q = 0; q < m; q++) g->order[q] = q;
  if (!tni_natural_eliminate(g->C, m, n, g->order, g->col, LOOP_PIVOT)) return false;
  /* names and columns of the base in the order of the pivots */
  for (int q = 0; q < m; q++) {
    g->order[m + q] = g->row[q];
    memcpy(g->G0 + q*d, g->G + q*d, (size_t)d*sizeof(double));
  }
  for (int q = 0; q < m; q++) {
    g->row[q] = g->order[m + g->order[q]];
    memcpy(g->G + q*d, g->G0 + g->order[q]*d, (size_t)d*sizeof(double));
  }
  /* eta = G x_base + T xi on the pivot columns: G := -(L U)^-1 G, T = -(L U)^-1 C_F */
  solve_lu(g->C, m, n, g->G, d, d);
  for (int q = 0; q < m*d; q++) g->G[q] = -g->G[q];
  int nx = g->nxi;
  for (int j = 0; j < nx; j++)
    for (int i = m - 1; i >= 0; i--) {
      double u = g->C[i*n + m + j];
      for (int k = i + 1; k < m; k++) u += g->C[i*n + k]*g->T[k*nx + j];
      g->T[i*nx + j] = -u/g->C[i*n + i];
    }
  /* Z = Z0_F + Z0_P T, Y += Z0_P G */
  for (int i = 0; i < g->nbody; i++) {
    tni_natural_body *o = &g->body[i];
    for (int a = 0; a < d; a++) {
      const double *z0 = o->Z0 + a*n;
      double *z = o->Z + a*nx, *y = o->Y + a*d;
      for (int j = 0; j < nx; j++) z[j] = z0[g->col[m + j]];
      for (int k = 0; k < m; k++) {
        double f = z0[g->col[k]];
        if (f == 0) continue;
        for (int j = 0; j < nx; j++) z[j] += f*g->T[k*nx + j];
        for (int j = 0; j < d; j++) y[j] += f*g->G[k*d + j];
      }
    }
  }
  return true;
}

/* N of a group */
ALWAYS_INLINE bool build_group(int d, const tni_kkt *K, tni_natural_group *g) {
  g->n = g->nrow = 0;
  for (int i = 0; i < g->nbody; i++) {
    tni_natural_body *o = &g->body[i];
    if (!carry_body(d, K, o)) return false;
    o->free0 = g->n;
    g->n += o->nfree;
  }
  int n = g->n;
  g->nxi = n;
  if (n > g->room) return false;
  /* Y_j = X Y_p, Z_j = X Z_p + H on its own columns; at the base Y = X, Z = H */
  for (int i = 0; i < g->nbody; i++) {
    tni_natural_body *o = &g->body[i];
    double *Z = g->ncut > 0 ? o->Z0 : o->Z;
    clear(Z, d*n);
    if (o->parent < 0) {
      memcpy(o->Y, o->X, (size_t)(d*d)*sizeof(double));
    } else {
      const tni_natural_body *up = &g->body[o->parent];
      clear(o->Y, d*d);
      add_product(o->Y, o->X, up->Y, d, d, d);
      add_product(Z, o->X, g->ncut > 0 ? up->Z0 : up->Z, d, d, n);
    }
    for (int a = 0; a < d; a++)
      for (int j = 0; j < o->nfree; j++) Z[a*n + o->free0 + j] += o->H[a*o->nfree + j];
  }
  return g->ncut == 0 || close_loops(d, K, g);
}

/* D, U and what the base feels */
ALWAYS_INLINE bool condense_group(int d, const tni_kkt *K, const tni_natural *w, tni_natural_group *g) {
  int nx = g->nxi;
  clear(g->D, nx*nx);
  clear(g->U, nx*d);
  clear(g->I, d*d);
  for (int i = 0; i < g->nbody; i++) {
    tni_natural_body *o = &g->body[i];
    /* M = own mass + I of the groups that hang on it */
    memcpy(o->M, mass_of(K, o->body), (size_t)(d*d)*sizeof(double));
    for (int k = 0; k < o->nhang; k++) {
      const double *I = w->group[o->hang[k]].I;
      for (int a = 0; a < d*d; a++) o->M[a] += I[a];
    }
    /* D += Z^T M Z, U += Z^T M Y, I += Y^T M Y */
    double MY[36];
    clear(g->MZ, d*nx);
    clear(MY, d*d);
    add_product(g->MZ, o->M, o->Z, d, d, nx);
    add_transposed(g->D, o->Z, g->MZ, d, nx, nx);
    if (g->base < 0) continue;
    add_product(MY, o->M, o->Y, d, d, d);
    add_transposed(g->U, o->Z, MY, d, nx, d);
    add_transposed(g->I, o->Y, MY, d, d, d);
  }
  if (!cholesky(g->D, nx)) return false;
  if (g->base < 0 || w->iterative) return true;
  /* I -= U^T D^-1 U, one column of U after the other */
  for (int j = 0; j < d; j++) {
    double *u = g->z;
    for (int i = 0; i < nx; i++) u[i] = g->U[i*d + j];
    solve_cholesky(g->D, nx, u);
    for (int i = 0; i < nx; i++)
      for (int k = 0; k < d; k++) g->I[k*d + j] -= g->U[i*d + k]*u[i];
  }
  return true;
}

ALWAYS_INLINE void factor_groups_d(int d, const job *j, int begin, int end) {
  for (int i = j->first + begin; i < j->first + end; i++) {
    tni_natural_group *g = &j->w->group[i];
    g->by_point = g->point && tni_natural_point_factor(j->s->K, j->w, g);
    g->bad = !g->by_point &&
             (!build_group(d, j->s->K, g) || !condense_group(d, j->s->K, j->w, g));
  }
}
BOTH_SIZES(factor_groups)

typedef void level_work(void *user, int begin, int end);

/* all groups of a level, from the leaves or from the ground; without levels that have leaves only */
static void for_some_levels(tni_kkt_solver *s, bool outwards, bool leaves, level_work *work) {
  tni_natural *w = s->state;
  for (int k = 0; k < w->nlevel; k++) {
    int l = outwards ? k : w->nlevel - 1 - k;
    if (!leaves && !w->inner[l]) continue;
    job j = {s, w, w->level[l]};
    tni_parallel_for(s->ctx, w->level[l+1] - w->level[l], GRAIN, work, &j);
  }
}
static void for_levels(tni_kkt_solver *s, bool outwards, level_work *work) {
  for_some_levels(s, outwards, true, work);
}

/* after groups were factored: a single one that could not be takes the other solver for all */
static tn_status look_for_bad(tni_kkt_solver *s) {
  tni_natural *w = s->state;
  w->use_spare = !w->suits;
  for (int i = 0; i < w->ngroup && w->suits; i++) w->use_spare = w->use_spare || w->group[i].bad;
  if (!w->use_spare) return TN_OK;
  tn_status st = tni_kkt_factor(w->spare);
  s->bad_row = tni_kkt_bad_row(w->spare);
  s->pivot_ratio = tni_kkt_pivot_ratio(w->spare);
  return st;
}

static tn_status factor(tni_kkt_solver *s) {
  const tni_natural *w = s->state;
  if (w->suits) for_levels(s, false, factor_groups);
  return look_for_bad(s);
}

/* ---- solution ----------------------------------------------------------------------------- */

/* e of the bodies and s of the loops from the right-hand sides of the rows */
ALWAYS_INLINE void bias_group(int d, const tni_kkt *K, const double *gs, tni_natural_group *g) {
  int m = g->nrow;
  for (int i = 0; i < g->nbody; i++) {
    tni_natural_body *o = &g->body[i];
    /* c = P (L U)^-1 g, e_j = X e_p + c */
    clear(o->e, d);
    if (gs) {
      double c[6];
      for (int q = 0; q < o->nrow; q++) c[q] = gs[o->row[q]];
      solve_lu(o->LU, o->nrow, d, c, 1, 1);
      for (int q = 0; q < o->nrow; q++) o->e[o->col[q]] = c[q];
    }
    if (o->parent >= 0) add_product(o->e, o->X, g->body[o->parent].e, d, d, 1);
  }
  if (g->ncut == 0) return;
  /* s = (L U)^-1 (g - sum J e), which moves the pivot columns of eta: e += Z0_P s */
  for (int q = 0; q < m; q++) g->s[q] = gs ? gs[g->row[q]] : 0;
  for (int i = 0; i < g->nbody; i++) {
    const tni_natural_body *o = &g->body[i];
    for (int k = 0; k < o->ncut; k++) {
      int b = g->cut[o->cut[k]];
      for (int q = 0; q < m; q++) {
        if (g->row[q] < K->rowadr[b] || g->row[q] >= K->rowadr[b+1]) continue;
        const double *J = K->J + K->jadr[o->cut_inc[k]] + (g->row[q] - K->rowadr[b])*d;
        for (int a = 0; a < d; a++) g->s[q] -= J[a]*o->e[a];
      }
    }
  }
  solve_lu(g->C, m, g->n, g->s, 1, 1);
  for (int i = 0; i < g->nbody; i++) {
    tni_natural_body *o = &g->body[i];
    for (int a = 0; a < d; a++)
      for (int q = 0; q < m; q++) o->e[a] += o->Z0[a*g->n + g->col[q]]*g->s[q];
  }
}

/* f_j with what hangs on it */
ALWAYS_INLINE void gather(int d, const tni_natural *w, tni_natural_body *o, const double *own) {
  for (int a = 0; a < d; a++) o->f[a] = own ? own[o->body*d + a] : 0;
  for (int k = 0; k < o->nhang; k++)
    for (int a = 0; a < d; a++) o->f[a] += w->group[o->hang[k]].phi[a];
}

ALWAYS_INLINE void forces_inwards_d(int d, const job *j, int begin, int end) {
  const tni_kkt *K = j->s->K;
  for (int n = j->first + begin; n < j->first + end; n++) {
    tni_natural_group *g = &j->w->group[n];
    if (g->by_point) {
      tni_natural_point_forces(K, j->w, g);
      continue;
    }
    bias_group(d, K, j->w->gs, g);
    clear(g->y, g->nxi);
    clear(g->phi, d);
    for (int i = 0; i < g->nbody; i++) {
      tni_natural_body *o = &g->body[i];
      /* r += Z^T (f - M e), phi += Y^T (f - M e) */
      double me[6] = {0};
      gather(d, j->w, o, j->w->fs);
      add_product(me, o->M, o->e, d, d, 1);
      for (int a = 0; a < d; a++) me[a] = o->f[a] - me[a];
      add_transposed(g->y, o->Z, me, d, g->nxi, 1);
      if (g->base >= 0) add_transposed(g->phi, o->Y, me, d, d, 1);
    }
    /* y = D^-1 r, phi -= U^T y */
    solve_cholesky(g->D, g->nxi, g->y);
    if (g->base < 0) continue;
    for (int i = 0; i < g->nxi; i++)
      for (int a = 0; a < d; a++) g->phi[a] -= g->U[i*d + a]*g->y[i];
  }
}
BOTH_SIZES(forces_inwards)

static void factor_and_forces(void *user, int begin, int end) {
  for (int i = begin; i < end; i++) {
    factor_groups(user, i, i + 1);
    if (!((const job *)user)->w->group[((const job *)user)->first + i].bad)
      forces_inwards(user, i, i + 1);
  }
}

/* x = Y x_base + Z xi + e of the bodies of a group; with_e false: without e */
ALWAYS_INLINE void place_bodies(int d, const tni_natural_group *g, const double *xi,
                         bool with_e, double *x) {
  const double *base = g->base >= 0 ? x + (size_t)g->base*(size_t)d : NULL;
  for (int i = 0; i < g->nbody; i++) {
    const tni_natural_body *o = &g->body[i];
    double *xj = x + (size_t)o->body*(size_t)d;
    for (int a = 0; a < d; a++) {
      double sum = with_e ? o->e[a] : 0;
      for (int k = 0; k < d && base; k++) sum += o->Y[a*d + k]*base[k];
      for (int k = 0; k < g->nxi && xi; k++) sum += o->Z[a*g->nxi + k]*xi[k];
      xj[a] = sum;
    }
  }
}

/* multipliers of a group from F = f - M x and what hangs on its bodies */
ALWAYS_INLINE void multipliers_of(int d, const tni_kkt *K, tni_natural *w, tni_natural_group *g) {
  if (g->by_point) {
    tni_natural_point_multipliers(K, w, g);
    return;
  }
  clear(g->phi, d);
  if (g->ncut > 0) clear(g->z, g->n);
  for (int i = 0; i < g->nbody; i++) {
    tni_natural_body *o = &g->body[i];
    /* F = f - M x + what hangs on it: the joints have to balance it */
    gather(d, w, o, w->fs);
    const double *M = mass_of(K, o->body), *x = w->x + (size_t)o->body*(size_t)d;
    for (int a = 0; a < d; a++)
      for (int k = 0; k < d; k++) o->f[a] -= M[a*d + k]*x[k];
    if (g->base >= 0) add_transposed(g->phi, o->Y, o->f, d, d, 1);
    if (g->ncut > 0) add_transposed(g->z, o->Z0, o->f, d, g->n, 1);
  }
  /* cut joints: C_P^T lambda = sum Z0^T F on the pivot columns */
  for (int q = 0; q < g->nrow; q++) g->s[q] = g->z[g->col[q]];
  if (g->ncut > 0) solve_lu_transposed(g->C, g->nrow, g->n, g->s);
  for (int q = 0; q < g->nrow && g->ncut > 0; q++) w->lambda[g->row[q]] = g->s[q];
  /* from the leaves: F -= J^T lambda of the cut joints, B_P^T lambda = F on the pivot columns, F_p -= Bp^T lambda */
  for (int i = g->nbody - 1; i >= 0; i--) {
    tni_natural_body *o = &g->body[i];
    for (int k = 0; k < o->ncut; k++) {
      int b = g->cut[o->cut[k]];
      for (int row = K->rowadr[b]; row < K->rowadr[b+1]; row++) {
        const double *J = K->J + K->jadr[o->cut_inc[k]] + (row - K->rowadr[b])*d;
        for (int a = 0; a < d; a++) o->f[a] -= J[a]*w->lambda[row];
      }
    }
    double l[6];
    for (int q = 0; q < o->nrow; q++) l[q] = o->f[o->col[q]];
    solve_lu_transposed(o->LU, o->nrow, d, l);
    for (int q = 0; q < o->nrow; q++) {
      w->lambda[o->row[q]] = l[q];
      if (o->parent < 0) continue;
      for (int a = 0; a < d; a++) g->body[o->parent].f[a] -= o->Bp[q*d + a]*l[q];
    }
  }
}

ALWAYS_INLINE void inner_multipliers_d(int d, const job *j, int begin, int end) {
  for (int n = j->first + begin; n < j->first + end; n++)
    if (!j->w->group[n].leaf) multipliers_of(d, j->s->K, j->w, &j->w->group[n]);
}
BOTH_SIZES(inner_multipliers)

ALWAYS_INLINE void leaf_multipliers_d(int d, const job *j, int begin, int end) {
  for (int n = j->first + begin; n < j->first + end; n++)
    if (j->w->group[n].leaf) multipliers_of(d, j->s->K, j->w, &j->w->group[n]);
}
BOTH_SIZES(leaf_multipliers)

/* a leaf goes on to its multipliers at once */
ALWAYS_INLINE void motion_outwards_d(int d, const job *j, int begin, int end) {
  for (int n = j->first + begin; n < j->first + end; n++) {
    tni_natural_group *g = &j->w->group[n];
    if (g->by_point) {
      tni_natural_point_motion(j->w, g);
    } else {
      /* xi = y - D^-1 U x_base, x_j = Y x_base + Z xi + e */
      clear(g->xi, g->nxi);
      if (g->base >= 0) {
        const double *base = j->w->x + (size_t)g->base*(size_t)d;
        for (int i = 0; i < g->nxi; i++)
          for (int a = 0; a < d; a++) g->xi[i] -= g->U[i*d + a]*base[a];
        solve_cholesky(g->D, g->nxi, g->xi);
      }
      for (int i = 0; i < g->nxi; i++) g->xi[i] += g->y[i];
      place_bodies(d, g, g->xi, true, j->w->x);
    }
    if (g->leaf) multipliers_of(d, j->s->K, j->w, g);
  }
}
BOTH_SIZES(motion_outwards)

/* ---- conjugate gradients -------------------------------------------------------------------- */

/* bias of all bodies: x with xi = 0 */
ALWAYS_INLINE void bias_outwards_d(int d, const job *j, int begin, int end) {
  for (int n = j->first + begin; n < j->first + end; n++) {
    tni_natural_group *g = &j->w->group[n];
    bias_group(d, j->s->K, j->w->gs, g);
    clear(g->xi, g->nxi);
    place_bodies(d, g, NULL, true, j->w->x);
  }
}
BOTH_SIZES(bias_outwards)

/* r = N^T (f - M x) */
ALWAYS_INLINE void residual_inwards_d(int d, const job *j, int begin, int end) {
  const tni_kkt *K = j->s->K;
  for (int n = j->first + begin; n < j->first + end; n++) {
    tni_natural_group *g = &j->w->group[n];
    clear(g->phi, d);
    clear(g->r, g->nxi);
    for (int i = 0; i < g->nbody; i++) {
      tni_natural_body *o = &g->body[i];
      gather(d, j->w, o, j->w->fs);
      const double *M = mass_of(K, o->body), *x = j->w->x + (size_t)o->body*(size_t)d;
      for (int a = 0; a < d; a++)
        for (int k = 0; k < d; k++) o->f[a] -= M[a*d + k]*x[k];
      add_transposed(g->r, o->Z, o->f, d, g->nxi, 1);
      if (g->base >= 0) add_transposed(g->phi, o->Y, o->f, d, d, 1);
    }
  }
}
BOTH_SIZES(residual_inwards)

ALWAYS_INLINE void direction_outwards_d(int d, const job *j, int begin, int end) {
  for (int n = j->first + begin; n < j->first + end; n++) {
    tni_natural_group *g = &j->w->group[n];
    place_bodies(d, g, g->p, false, j->w->A);
  }
}
BOTH_SIZES(direction_outwards)

/* y = N^T M N p for the directions placed in A */
ALWAYS_INLINE void product_inwards_d(int d, const job *j, int begin, int end) {
  const tni_kkt *K = j->s->K;
  for (int n = j->first + begin; n < j->first + end; n++) {
    tni_natural_group *g = &j->w->group[n];
    clear(g->phi, d);
    clear(g->y, g->nxi);
    for (int i = 0; i < g->nbody; i++) {
      tni_natural_body *o = &g->body[i];
      gather(d, j->w, o, NULL);
      add_product(o->f, mass_of(K, o->body), j->w->A + (size_t)o->body*(size_t)d, d, d, 1);
      add_transposed(g->y, o->Z, o->f, d, g->nxi, 1);
      if (g->base >= 0) add_transposed(g->phi, o->Y, o->f, d, d, 1);
    }
  }
}
BOTH_SIZES(product_inwards)

ALWAYS_INLINE void xi_outwards_d(int d, const job *j, int begin, int end) {
  for (int n = j->first + begin; n < j->first + end; n++)
    place_bodies(d, &j->w->group[n], j->w->group[n].xi, true, j->w->x);
}
BOTH_SIZES(xi_outwards)

/* N^T M N xi = N^T (f - M e) with the preconditioner D: z = D^-1 r, p = z + beta p, alpha = r.z/p.y with y = N^T M N p */
static void solve_cg(tni_kkt_solver *s) {
  tni_natural *w = s->state;
  double rho = 0, first = 0, norm = 0;
  for_levels(s, true, bias_outwards);
  for_levels(s, false, residual_inwards);
  for (int n = 0; n < w->ngroup; n++)
    for (int i = 0; i < w->group[n].nxi; i++) first += w->group[n].r[i]*w->group[n].r[i];
  for (w->iterations = 0; w->iterations < MAX_ITERATIONS; w->iterations++) {
    double before = rho, curvature = 0;
    norm = rho = 0;
    for (int n = 0; n < w->ngroup; n++) {
      tni_natural_group *g = &w->group[n];
      memcpy(g->z, g->r, (size_t)g->nxi*sizeof(double));
      solve_cholesky(g->D, g->nxi, g->z);
      for (int i = 0; i < g->nxi; i++) {
        rho += g->z[i]*g->r[i];
        norm += g->r[i]*g->r[i];
      }
    }
    if (!(norm > w->tol*w->tol*first)) break;
    double beta = w->iterations > 0 ? rho/before : 0;
    for (int n = 0; n < w->ngroup; n++) {
      tni_natural_group *g = &w->group[n];
      for (int i = 0; i < g->nxi; i++)
        g->p[i] = g->z[i] + (w->iterations > 0 ? beta*g->p[i] : 0);
    }
    for_levels(s, true, direction_outwards);
    for_levels(s, false, product_inwards);
    for (int n = 0; n < w->ngroup; n++)
      for (int i = 0; i < w->group[n].nxi; i++) curvature += w->group[n].p[i]*w->group[n].y[i];
    double alpha = rho/curvature;
    for (int n = 0; n < w->ngroup; n++) {
      tni_natural_group *g = &w->group[n];
      for (int i = 0; i < g->nxi; i++) {
        g->xi[i] += alpha*g->p[i];
        g->r[i] -= alpha*g->y[i];
      }
    }
  }
  s->info.iterations = w->iterations;
  for_levels(s, true, xi_outwards);
}

static void begin_solution(tni_natural *w, const double *f, const double *g, double *x,
                           double *lambda, int nrow) {
  w->fs = f;
  w->gs = g;
  w->x = x;
  w->lambda = lambda;
  memset(lambda, 0, (size_t)nrow*sizeof(double));
}

static void solve(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda) {
  tni_natural *w = s->state;
  if (w->use_spare) {
    tni_kkt_solve(w->spare, f, g, x, lambda);
    return;
  }
  begin_solution(w, f, g, x, lambda, s->K->nrow);
  if (w->iterative) {
    solve_cg(s);
    for_levels(s, false, leaf_multipliers);
  } else {
    for_levels(s, false, forces_inwards);
    for_levels(s, true, motion_outwards);
  }
  for_some_levels(s, false, false, inner_multipliers);
}

/* the way to the ground once: a group is factored and loaded while it is in the cache */
static tn_status factor_solve(tni_kkt_solver *s, const double *f, const double *g, double *x,
                              double *lambda) {
  tni_natural *w = s->state;
  begin_solution(w, f, g, x, lambda, s->K->nrow);
  if (w->suits) for_levels(s, false, factor_and_forces);
  TN_TRY(look_for_bad(s));
  if (w->use_spare) {
    tni_kkt_solve(w->spare, f, g, x, lambda);
    return TN_OK;
  }
  for_levels(s, true, motion_outwards);
  for_some_levels(s, false, false, inner_multipliers);
  return TN_OK;
}

/* ---- create ---------------------------------------------------------------------------------- */

static tn_status create_either(tni_kkt_solver *s, bool iterative) {
  tni_natural *w;
  TNI_ARENA_NEW(&s->arena, w, 1);
  s->state = w;
  w->iterative = iterative;
  w->tol = CG_TOL;
  TN_REQUIRE(s->ctx, !s->K->shift, TN_ERR_UNSUPPORTED,
             "natural partitioning has no multipliers to soften");
  TN_TRY(tni_natural_plan(s, w));
  TNI_ARENA_NEW(&s->arena, w->A, (size_t)s->K->nbody*(size_t)s->K->d + 1);
  tni_kkt_opts o = s->opts;
  o.method = TNI_KKT_AUTO;
  o.refine = 0;
  TN_TRY(tni_kkt_create(s->ctx, s->K, &o, &w->spare));
  s->info.ordering = "tree";
  if (!w->suits) s->info.reason = w->why_not;
  return TN_OK;
}

static tn_status create(tni_kkt_solver *s) { return create_either(s, false); }
static tn_status create_cg(tni_kkt_solver *s) { return create_either(s, true); }

static void destroy(tni_kkt_solver *s) {
  tni_natural *w = s->state;
  if (w) tni_kkt_destroy(&w->spare);
}

const tni_kkt_ops tni_kkt_natural = {
  .name = "natural", .create = create, .destroy = destroy, .factor = factor, .solve = solve,
  .factor_solve = factor_solve,
};
const tni_kkt_ops tni_kkt_natural_cg = {
  .name = "natural-cg", .create = create_cg, .destroy = destroy, .factor = factor, .solve = solve,
};
