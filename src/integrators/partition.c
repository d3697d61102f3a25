/* integrators/partition.c - independent coordinates of a step, matrices of implicit methods
 *
 * Rotations (integrators/turn.h): at x = 0 w = x', w' = x'', and to first order in x with x' held
 *
 *   w    = x' + K x,              K = ~w/2
 *   x''  = w' + L x,              L = -~w'/2 + ~w^2/6
 *
 * Linearised constraints, d = dxi = P dy, and dv the change of velocities; r = M a + C^T lambda - f:
 *
 *   C dv + (C v + Phi_t)_q d = 0   ->   dv = P dy' + V dy,   V = P B2 K P - Z (C v + Phi_t)_q P
 *   C da = gamma_q d + gamma_v dv - (C a)_q d
 *   M da + C^T dlambda = -r_q d - r_v dv
 *
 * with C P = 0, C Z = 1, B2 P = 1, B2 Z = 0. Multiplying by P^T removes dlambda:
 *
 *   Mhat = P^T M P
 *   M1   = P^T ( r_v P + M Z gamma_v P )
 *   M2   = P^T ( r_q P + r_v V + M ( Z (gamma_q P + gamma_v V - (C a)_q P) - P B2 L P ) )
 *
 * They are computed row by row from the left, which solves with C_u^T twice and multiplies by every
 * sparse tangent once:
 *
 *   F  = B2^T Mhat,                 D = Z^T M P = C_u^-T (M P - F)_u
 *   R1 = r_v^T P + gamma_v^T D,     M1 = R1^T P
 *   F1 = B2^T M1^T,                 W = Z^T R1  = C_u^-T (R1 - F1)_u
 *   R2 = r_q^T P + (gamma_q - (C a)_q)^T D - (C v + Phi_t)_q^T W - L^T F + K^T F1,  M2 = R2^T P
 *
 * Column k of each of these matrices needs only column k of those before and gives row k of M1, M2.
 *
 * Both parametrizations use one basis. C = (C_u C_v) with C_u regular, and
 *
 *   P = (-C_u^-1 C_v; 1)                      columns: unit changes of the independent components
 *   coordinates     Z = (C_u^-1; 0),               B2 picks the independent components
 *   tangent plane   Z = (1 - P B2)(C_u^-1; 0),     B2 = Mhat^-1 P^T M
 *
 * so that in the tangent plane y only counts along another basis of it than an orthonormal one,
 * which a one-step formula does not notice; C_u is sparse, and eliminated as such. Normal means
 * normal in the metric of the kinetic energy, P^T M Z = 0. That knows no units; D vanishes and with
 * it all terms of gamma; and what rounding does across the constraints next to a singular position,
 * which is along M^-1 C^T, is not seen by y.
 *
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, sections 3 and appendix B; E. J. Haug,
 * R. A. Wehage, J. Mech. Des. 104 (1982).
 *
 * All thin matrices are row-major [n][nd], and every one of their columns is computed by itself, so
 * that columns may be divided among threads without a change of bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/partition.h"

#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "integrators/elim.h"
#include "integrators/panels.h"
#include "integrators/turn.h"
#include "linsolve/pair.h"
#include "parallel/pool.h"

#define REPARTITION 1.25     /* growth of the condition number that asks for other coordinates   */
#define RANK_TOL 1e-10       /* pivot against the largest one                                    */
#define SLOW 0.25            /* contraction above which a new Jacobian pays                      */
#define TRUST 10             /* times a contraction seen before at the same time                 */
#define RESIDUAL_FLOOR 1e-15 /* rounding of constraint equations of unit size                    */
#define MASS_TOL 1e-14       /* of a freedom against those before, relative                      */
#define PI_ROUNDED 3.141592653589793
#define DIFFERENCE 1e-7      /* of numerical matrices: about the root of rounding               */
enum { RECOVER_MAX = 25, REFRESH_MAX = 6 };

struct tni_partition_work {
  tni_sparse_tangent tan;
  double *C;            /* [r][n] rows in use, when dependent components are chosen   */
  int ndep, *dep_from, *dep_to; /* entries of tan.C in the dependent columns, place in Cu */
  int nind, *ind_from, *ind_to; /* in the independent ones, place in an [r][nd] array */
  double *Cu, *may;     /* [r][r] C_u, and where it may have entries                  */
  tni_elim S0, S;       /* factors of C_u: at the beginning, inside the step          */
  bool chosen;          /* S0 has an order                                            */
  bool refreshed;       /* S is in use                                                */
  double *G, *diagonal; /* [nd][nd] factor of Mhat and its transpose, [nd] inverse diagonal */
  double *Pq, *H;       /* [n][nd], [nd][nd] P at a refreshed position, factors of P^T M Pq by columns */
  int *hpivot;
  double *X, *Y, *V, *F, *R, *U, *W, *T; /* [n][nd]                                   */
  double *small;        /* [nd][nd]                                                   */
  int nbody_group, *body_group; /* rows with the same columns, of square tangents     */
  int *mirror;          /* entry (j, i) of square tangents for entry (i, j)           */
  int *index;           /* [n][n] nonzeros of a row, for every thread its own         */
  int nrow_group, *row_group;   /* of the rows in use                                 */
  tni_panels P, MP;     /* nonzeros of P and, in the tangent plane, of M P            */
  double *rows;         /* [m] residuals                                              */
  double *x, *u, *dy, *ux, *guess; /* [n]                                             */
  double *halves;       /* [2 n] scratch of panels                                    */
  double *inverse;      /* [r][r] of C_u, for its condition                           */
  int *perm, *mark;     /* [n] pivoting of columns                                    */
  int *pivot;           /* [m]                                                        */
  double *Cfull;        /* [m][n] scratch                                             */
  tni_turn *turn;       /* [nturn] at xi of the last recovery                         */
  double *y_v, *y_a;    /* [nd] of v and a at the beginning                           */
  bool warm;            /* xi, xid are those of y_last, yd_last at t_last             */
  double contraction;   /* largest of the recoveries at t_last, < 0: not yet seen     */
  double t_last, *y_last, *yd_last;
  double *q, *qd, *vv, *y, *yd, *ydd; /* scratch states                               */
  double *turn_v, *turn_a; /* [n] velocities and accelerations that the matrices belong to */
  double t_at, *q_at;   /* straight: time and [nq] coordinates of them                */
  double g, b;          /* straight: what was factored last                           */
};

/* ---- thin matrices ------------------------------------------------------------------------- */

static void zero(double *x, int n, int k) { memset(x, 0, (size_t)n*(size_t)k*sizeof(double)); }

typedef tni_columns columns;

static void clear_columns(int n, columns c, double *x) {
  for (int i = 0; i < n; i++) {
    memset(x + (size_t)i*(size_t)c.ld + c.c0, 0, (size_t)(c.c1 - c.c0)*sizeof(double));
  }
}

/* out += A X for a sparse A */
WIDE_ROWS
static void add_sparse(const tni_sparsity *pattern, const double *A, int nrow, columns c,
                       const double *X, double *out) {
  int k = c.c1 - c.c0;
  size_t ld = (size_t)c.ld;
  X += c.c0;
  out += c.c0;
  for (int i = 0; i < nrow; i++) {
    int e = pattern->rowptr[i], end = pattern->rowptr[i+1];
    double *restrict o = out + (size_t)i*ld;
    /* blocks of a body have three or six columns */
    for (; e + 2 < end; e += 3) {
      double a = A[e], b = A[e+1], d = A[e+2];
      if (a == 0 && b == 0 && d == 0) continue;
      const double *x = X + (size_t)pattern->col[e]*ld, *y = X + (size_t)pattern->col[e+1]*ld;
      const double *z = X + (size_t)pattern->col[e+2]*ld;
      row_add3(k, a, x, b, y, d, z, o);
    }
    for (; e < end; e++) row_add(k, A[e], X + (size_t)pattern->col[e]*ld, o);
  }
}

/* out += alpha A^T X for rows of a sparse A, row i of X belongs to row[i] of A. Rows group[g] to
 * group[g+1] have their entries in the same columns: those of one body, or of one constraint. */
WIDE_ROWS
static void add_transposed(const tni_sparsity *pattern, const double *A, int ngroup,
                           const int *group, const int *row, columns c, double alpha,
                           const double *X, double *out) {
  int k = c.c1 - c.c0;
  size_t ld = (size_t)c.ld;
  X += c.c0;
  out += c.c0;
  for (int g = 0; g < ngroup; g++) {
    int first = row[group[g]];
    int begin = pattern->rowptr[first], n = pattern->rowptr[first + 1] - begin;
    for (int i = group[g]; i < group[g+1]; i += 3) {
      int left = group[g+1] - i < 3 ? group[g+1] - i : 3;
      const double *a[3], *x[3];
      for (int d = 0; d < 3; d++) { /* the last ones stand in for those that are missing */
        int at = i + (d < left ? d : left - 1);
        a[d] = A + pattern->rowptr[row[at]];
        x[d] = X + (size_t)at*ld;
      }
      for (int e = 0; e < n; e++) {
        double f0 = alpha*a[0][e], f1 = left > 1 ? alpha*a[1][e] : 0;
        double f2 = left > 2 ? alpha*a[2][e] : 0;
        if (f0 == 0 && f1 == 0 && f2 == 0) continue;
        row_add3(k, f0, x[0], f1, x[1], f2, x[2], out + (size_t)pattern->col[begin + e]*ld);
      }
    }
  }
}

/* R [n][ld] = A^T X for a square A: row by row of R, so that its sums stay in registers. Where entry e
 * of the pattern is (i, j), mirror[e] is (j, i). value, index [n] scratch. */
WIDE_ROWS
static void multiply_transposed(const tni_sparsity *pattern, const int *mirror, const double *A,
                                int n, columns c, const double *X, double *R, double *value,
                                int *index) {
  size_t ld = (size_t)c.ld;
  for (int j = 0; j < n; j++) {
    int count = 0;
    for (int e = pattern->rowptr[j]; e < pattern->rowptr[j+1]; e++) {
      double a = A[mirror[e]];
      value[count] = a;
      index[count] = pattern->col[e];
      count += a != 0;
    }
    double *o = R + (size_t)j*ld + c.c0;
    memset(o, 0, (size_t)(c.c1 - c.c0)*sizeof(double));
    row_sum(count, index, value, 1, c.c1 - c.c0, X + c.c0, ld, o);
  }
}

/* false: the pattern is not symmetric */
static bool find_mirror(const tni_sparsity *pattern, int n, int *next, int *mirror) {
  memcpy(next, pattern->rowptr, (size_t)n*sizeof(int));
  /* columns ascend: going down the rows meets the entries of a column in the order of its row */
  for (int i = 0; i < n; i++) {
    for (int e = pattern->rowptr[i]; e < pattern->rowptr[i+1]; e++) {
      int j = pattern->col[e], m = next[j]++;
      if (m >= pattern->rowptr[j+1] || pattern->col[m] != i) return false;
      mirror[e] = m;
    }
  }
  return true;
}

/* rows of a pattern that follow each other with the same columns; returns how many groups */
static int find_groups(const tni_sparsity *pattern, int n, const int *row, int *group) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    int r = row ? row[i] : i, begin = pattern->rowptr[r], size = pattern->rowptr[r+1] - begin;
    bool same = i > 0;
    if (same) {
      int before = row ? row[i-1] : i - 1, old = pattern->rowptr[before];
      same = pattern->rowptr[before + 1] - old == size &&
             memcmp(pattern->col + old, pattern->col + begin, (size_t)size*sizeof(int)) == 0;
    }
    if (!same) group[count++] = i;
  }
  group[count] = n;
  return count;
}

/* X := (L L^T)^-1 X for columns of a [nd][ld] matrix; both triangles of G are there */
WIDE_ROWS
static void solve_gram(const tni_partition *p, columns c, double *X) {
  const double *G = p->w->G;
  int nd = p->nd, k = c.c1 - c.c0;
  size_t ld = (size_t)c.ld;
  X += c.c0;
  for (int i = 0; i < nd; i++) {
    double *x = X + (size_t)i*ld, f = -p->w->diagonal[i];
    for (int j = 0; j < k; j++) x[j] = -x[j];
    row_sum(i, NULL, G + (size_t)i*(size_t)nd, 1, k, X, ld, x);
    for (int j = 0; j < k; j++) x[j] *= f;
  }
  for (int i = nd - 1; i >= 0; i--) {
    double *x = X + (size_t)i*ld, f = -p->w->diagonal[i];
    for (int j = 0; j < k; j++) x[j] = -x[j];
    row_sum(nd - 1 - i, NULL, G + (size_t)i*(size_t)nd + i + 1, 1, k, x + ld, ld, x);
    for (int j = 0; j < k; j++) x[j] *= f;
  }
}

static void solve_gram_vector(const tni_partition *p, double *restrict x) {
  const double *G = p->w->G;
  int nd = p->nd;
  for (int i = 0; i < nd; i++) {
    double f = x[i] *= p->w->diagonal[i];
    for (int m = i + 1; m < nd; m++) x[m] -= G[i*nd + m]*f;
  }
  for (int i = nd - 1; i >= 0; i--) {
    double f = x[i] *= p->w->diagonal[i];
    for (int m = 0; m < i; m++) x[m] -= G[i*nd + m]*f;
  }
}

/* x [n] = Z u, u [r], overwritten; scratch [n] */
static void across(const tni_partition *p, double *u, double *x, double *scratch) {
  tni_elim_solve(&p->w->S0, 1, 0, 1, u, scratch);
  zero(x, 1, p->n);
  for (int i = 0; i < p->r; i++) x[p->dep[i]] = u[i];
  if (p->kind == TNI_COORDINATES || p->nd == 0) return;
  tni_panels_inner(&p->w->MP, x, scratch, p->w->halves);
  solve_gram_vector(p, scratch);
  tni_panels_add(&p->w->P, -1, scratch, x);
}

void tni_partition_extract(const tni_partition *p, const double *x, double *y) {
  if (p->straight) {
    memcpy(y, x, (size_t)p->n*sizeof(double));
    return;
  }
  if (p->kind == TNI_TANGENT_PLANE) {
    tni_panels_inner(&p->w->MP, x, y, p->w->halves);
    solve_gram_vector(p, y);
    return;
  }
  for (int i = 0; i < p->nd; i++) y[i] = x[p->ind[i]];
}

void tni_partition_expand(const tni_partition *p, const double *y, double *x) {
  if (p->straight) {
    memcpy(x, y, (size_t)p->n*sizeof(double));
    return;
  }
  zero(x, 1, p->n);
  tni_panels_add(&p->w->P, 1, y, x);
}

/* ---- rotations ----------------------------------------------------------------------------- */

static void find_rates(tni_partition *p) {
  for (int k = 0; k < p->nturn; k++) p->w->turn[k] = tni_turn_at(p->xi + p->turn[k]);
}

/* v = T(xi) xid, T of find_rates */
static void to_velocity(const tni_partition *p, const double *xi, const double *xid, double *v) {
  memcpy(v, xid, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    tni_turn_rate(&p->w->turn[k], xi + j, xid + j, v + j);
  }
}

static void to_local_velocity(const tni_partition *p, const double *xi, const double *v,
                              double *xid) {
  memcpy(xid, v, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    tni_turn_local_rate(&p->w->turn[k], xi + j, v + j, xid + j);
  }
}

static void to_local_acceleration(const tni_partition *p, const double *xi, const double *xid,
                                  const double *a, double *xidd) {
  memcpy(xidd, a, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    tni_turn_local_accel(&p->w->turn[k], xi + j, xid + j, a + j, xidd + j);
  }
}

/* q of xi; false when a rotation exceeds half a turn */
static bool place(const tni_partition *p, const double *xi, double *q) {
  for (int k = 0; k < p->nturn; k++) {
    if (!(vec3_norm(xi + p->turn[k]) <= PI_ROUNDED)) return false;
  }
  p->s->ops->retract(p->s, p->q, xi, q);
  return true;
}

bool tni_partition_place(const tni_partition *p, const double *xi, const double *xid, double *q,
                         double *v) {
  if (!place(p, xi, q)) return false;
  memcpy(v, xid, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    tni_turn c = tni_turn_at(xi + j);
    tni_turn_rate(&c, xi + j, xid + j, v + j);
  }
  return true;
}

void tni_partition_locate(tni_partition *p, const double *q, const double *v, const double *a) {
  p->w->warm = false;
  p->s->ops->difference(p->s, p->q, q, p->xi);
  find_rates(p);
  to_local_velocity(p, p->xi, v, p->xid);
  if (a) to_local_acceleration(p, p->xi, p->xid, a, p->xidd);
}

/* A group of three components that no coordinate follows alone is a rotation, if the system moves
 * as the formulas above say: compared with differences of retract along a path. */
static tn_status find_turns(tni_partition *p, const tni_scale *scale) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  int n = p->n;
  bool groups = true;
  for (int j = 0; j < n; j++) {
    if (scale->nrow[j]) continue;
    groups = groups && j + 2 < n && !scale->nrow[j+1] && !scale->nrow[j+2];
    if (!groups) break;
    p->turn[p->nturn++] = j;
    j += 2;
  }
  const double step = 1e-4;
  double worst = 0, *qm = w->q, *qp = p->q, *qd = w->qd;
  for (int i = 0; i < s->nq; i++) qd[i] = 0.3 + fmod(0.6180339887498949*(i + 1), 1.0);
  s->ops->normalize(s, qd);
  memcpy(w->Cfull, qd, (size_t)s->nq*sizeof(double));
  for (int j = 0; j < n; j++) {
    p->xi[j] = 0.4*sin(2.0*j + 1);
    p->xid[j] = cos(3.0*j + 1);
  }
  for (int side = -1; side <= 1; side += 2) {
    for (int j = 0; j < n; j++) w->x[j] = p->xi[j] + side*step*p->xid[j];
    s->ops->retract(s, w->Cfull, w->x, side < 0 ? qm : qp);
  }
  s->ops->retract(s, w->Cfull, p->xi, qd);
  find_rates(p);
  to_velocity(p, p->xi, p->xid, w->x);
  memcpy(w->Cfull, qd, (size_t)s->nq*sizeof(double));
  s->ops->qdot(s, w->Cfull, w->x, qd);
  for (int i = 0; i < s->nq; i++) {
    worst = fmax(worst, fabs((qp[i] - qm[i])/(2*step) - qd[i]));
  }
  TN_REQUIRE(s->ctx, groups && worst < 1e-6, TN_ERR_UNSUPPORTED,
             "implicit methods: the rotations of this system are of an unknown kind");
  return TN_OK;
}

/* ---- create -------------------------------------------------------------------------------- */

static tn_status check_system(const tni_system *s) {
  TN_REQUIRE(s->ctx, s->ops->sparse_tangent && (s->m == 0 || (s->ops->phi && s->ops->rate)),
             TN_ERR_UNSUPPORTED,
             "implicit methods need exact tangents, which this system does not have");
  for (int i = 0; s->model && i < s->model->ncon; i++) {
    const tni_con *con = &s->model->con[i];
    TN_REQUIRE(s->ctx, !con->nonholonomic, TN_ERR_UNSUPPORTED,
               "rosen, sdirk and trap cannot treat the velocity constraint of '%s': use radau, or rk8 "
               "and rk45 if it is not stiff",
               s->model->joint[con->joint].name);
  }
  return TN_OK;
}

/* for a straight one: vectors */
static tn_status allocate_vectors(tni_arena *arena, tni_partition *p) {
  size_t n = (size_t)p->n, nq = (size_t)p->s->nq;
  TNI_ARENA_NEW(arena, p->w, 1);
  struct tni_partition_work *w = p->w;
  double **vectors[] = {&p->v, &p->a, &p->xi, &p->xid, &p->xidd, &p->gt, &w->x, &w->u, &w->ux, &w->vv,
                        &w->y_v, &w->y_a, &w->turn_v, &w->turn_a};
  for (int i = 0; i < TNI_COUNT(vectors); i++) TNI_ARENA_NEW(arena, *vectors[i], n);
  TNI_ARENA_NEW(arena, p->q, nq);
  TNI_ARENA_NEW(arena, w->q, nq);
  TNI_ARENA_NEW(arena, w->qd, nq);
  TNI_ARENA_NEW(arena, w->q_at, nq);
  TNI_ARENA_NEW(arena, w->Cfull, nq);
  TNI_ARENA_NEW(arena, w->turn, n);
  TNI_ARENA_NEW(arena, p->turn, n);
  TNI_ARENA_NEW(arena, p->forced, n);
  return TN_OK;
}

static tn_status allocate(tni_arena *arena, tni_partition *p) {
  size_t n = (size_t)p->n, m = (size_t)p->s->m, nq = (size_t)p->s->nq;
  size_t square = (size_t)p->s->square->nnz, rows = (size_t)p->s->rows->nnz;
  TNI_ARENA_NEW(arena, p->w, 1);
  struct tni_partition_work *w = p->w;
  double **vectors[] = {&p->v, &p->a, &p->xi, &p->xid, &p->xidd, &p->gt, &w->x, &w->u, &w->ux,
                        &w->guess, &w->dy, &w->vv, &w->y, &w->yd, &w->ydd, &w->tan.r_t,
                        &w->diagonal, &w->y_v, &w->y_a, &w->y_last, &w->yd_last};
  double **squares[] = {&p->P, &p->Mhat, &p->M1, &p->M2, &w->V, &w->F, &w->R, &w->X, &w->Y, &w->U, &w->G,
                        &w->Pq, &w->H, &w->W, &w->T, &w->small};
  double **on_square[] = {&w->tan.M, &w->tan.r_q, &w->tan.r_v};
  double **on_rows[] = {&w->tan.C, &w->tan.Cv_q, &w->tan.Ca_q, &w->tan.gamma_q, &w->tan.gamma_v};
  double **of_rows[] = {&w->Cu, &w->may, &w->inverse};
  for (int i = 0; i < TNI_COUNT(vectors); i++) TNI_ARENA_NEW(arena, *vectors[i], n);
  for (int i = 0; i < TNI_COUNT(squares); i++) TNI_ARENA_NEW(arena, *squares[i], n*n);
  for (int i = 0; i < TNI_COUNT(on_square); i++) TNI_ARENA_NEW(arena, *on_square[i], square);
  for (int i = 0; i < TNI_COUNT(on_rows); i++) TNI_ARENA_NEW(arena, *on_rows[i], rows);
  for (int i = 0; i < TNI_COUNT(of_rows); i++) TNI_ARENA_NEW(arena, *of_rows[i], m*m);
  TNI_ARENA_NEW(arena, w->C, m*n);
  int **entries[] = {&w->dep_from, &w->dep_to, &w->ind_from, &w->ind_to};
  for (int i = 0; i < TNI_COUNT(entries); i++) TNI_ARENA_NEW(arena, *entries[i], rows);
  TNI_ARENA_NEW(arena, w->Cfull, m*n + nq);
  TN_TRY(tni_elim_create(arena, p->s->m, &w->S0));
  TN_TRY(tni_elim_create(arena, p->s->m, &w->S));
  TNI_ARENA_NEW(arena, w->rows, m);
  TNI_ARENA_NEW(arena, p->q, nq);
  TNI_ARENA_NEW(arena, w->q, nq);
  TNI_ARENA_NEW(arena, w->qd, nq);
  TNI_ARENA_NEW(arena, w->turn, n);
  int **ints[] = {&p->dep, &p->ind, &p->turn, &w->mark, &w->perm, &w->hpivot};
  for (int i = 0; i < TNI_COUNT(ints); i++) TNI_ARENA_NEW(arena, *ints[i], n);
  TNI_ARENA_NEW(arena, p->forced, n);
  TNI_ARENA_NEW(arena, w->halves, 2*n);
  TNI_ARENA_NEW(arena, w->body_group, n + 1);
  TNI_ARENA_NEW(arena, w->mirror, square);
  TNI_ARENA_NEW(arena, w->index, n*n);
  TNI_ARENA_NEW(arena, w->row_group, m + 1);
  TNI_ARENA_NEW(arena, p->row, m);
  TNI_ARENA_NEW(arena, w->pivot, m);
  return TN_OK;
}

tn_status tni_partition_create(tni_arena *arena, tni_system *s, const tni_scale *scale,
                               const tni_integrator_opts *opts, double tol, tni_partition *p) {
  *p = (tni_partition){.s = s, .kind = opts->parametrization, .n = s->nv, .r = -1, .tol = tol,
                       .jacobian = opts->jacobian, .nforced = opts->nindependent};
  TN_TRY(check_system(s));
  p->straight = tni_partition_is_straight(s, opts);
  if (p->straight) {
    p->r = 0;
    p->nd = p->n;
    TN_TRY(allocate_vectors(arena, p));
    return find_turns(p, scale);
  }
  if (s->ops->prepare_pattern) TN_TRY(s->ops->prepare_pattern(s));
  TN_TRY(allocate(arena, p));
  for (int i = 0; i < p->nforced; i++) p->forced[opts->independent[i]] = true;
  struct tni_partition_work *w = p->w;
  w->nbody_group = find_groups(s->square, p->n, NULL, w->body_group);
  TN_REQUIRE(s->ctx, find_mirror(s->square, p->n, w->perm, w->mirror), TN_ERR_UNSUPPORTED,
             "implicit methods: the pattern of the tangents is not symmetric");
  TN_TRY(tni_panels_create(arena, p->n, w->nbody_group, w->body_group, &w->P));
  TN_TRY(tni_panels_create(arena, p->n, w->nbody_group, w->body_group, &w->MP));
  return find_turns(p, scale);
}

bool tni_partition_is_straight(const tni_system *s, const tni_integrator_opts *opts) {
  return s->recursive && s->m == 0 && opts->jacobian != TNI_JACOBIAN_NUMERICAL;
}

/* ---- choice of coordinates ----------------------------------------------------------------- */

static tn_status singular(const tni_partition *p, int row) {
  char name[128] = "?";
  if (row >= 0) p->s->ops->row_name(p->s, row, name, sizeof(name));
  return TN_FAIL(p->s->ctx, TN_SINGULAR,
                 "singular configuration at t = %.9g s: constraint '%s' leaves no dependent "
                 "coordinate", p->t, name);
}

/* dense rows [r][n] of values on the pattern of rows, NULL: the pattern itself */
static void spread_rows(const tni_partition *p, const double *values, double *out) {
  const tni_sparsity *pattern = p->s->rows;
  zero(out, p->r, p->n);
  for (int i = 0; i < p->r; i++) {
    int r = p->row[i];
    for (int e = pattern->rowptr[r]; e < pattern->rowptr[r+1]; e++) {
      out[i*p->n + pattern->col[e]] = values ? values[e] : 1;
    }
  }
}

/* rows in use; true when they are others than before */
static bool take_rows(tni_partition *p) {
  const tni_system *s = p->s;
  int r = 0;
  bool changed = p->r < 0;
  for (int i = 0; i < s->m; i++) {
    if (s->rank && !s->rank->independent[i]) continue;
    changed = changed || r >= p->r || p->row[r] != i;
    p->row[r++] = i;
  }
  changed = changed || r != p->r;
  p->r = r;
  p->nd = p->n - r;
  if (changed) p->w->nrow_group = find_groups(s->rows, r, p->row, p->w->row_group);
  return changed;
}

static tn_status check_forced(const tni_partition *p) {
  if (p->nforced == 0 || p->nforced == p->nd) return TN_OK;
  return TN_FAIL(p->s->ctx, TN_ERR_INPUT,
                 "%d independent coordinates are given, but the mechanism has %d degrees of freedom",
                 p->nforced, p->nd);
}

/* Gaussian elimination with full pivoting on a copy of C: dep and ind, both ascending */
static tn_status choose_coordinates(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int n = p->n, r = p->r, *col = w->perm, *row = w->pivot;
  double *A = w->Cfull, first = 0;
  memcpy(A, w->C, (size_t)r*(size_t)n*sizeof(double));
  for (int j = 0; j < n; j++) col[j] = j;
  for (int i = 0; i < r; i++) row[i] = i;
  for (int k = 0; k < r; k++) {
    int bi = k, bj = k;
    double best = -1;
    for (int i = k; i < r; i++) {
      for (int j = k; j < n; j++) {
        double x = p->forced[col[j]] ? 0 : fabs(A[row[i]*n + col[j]]);
        if (x > best) {
          best = x;
          bi = i;
          bj = j;
        }
      }
    }
    if (k == 0) first = best;
    if (!(best > RANK_TOL*first)) return singular(p, p->row[row[k]]);
    int swap = row[k];
    row[k] = row[bi];
    row[bi] = swap;
    swap = col[k];
    col[k] = col[bj];
    col[bj] = swap;
    const double *pk = A + row[k]*n;
    for (int i = k + 1; i < r; i++) {
      double *pi = A + row[i]*n, f = pi[col[k]]/pk[col[k]];
      if (f == 0) continue;
      for (int j = k; j < n; j++) pi[col[j]] -= f*pk[col[j]];
    }
  }
  int nd = 0, nu = 0;
  for (int k = 0; k < r; k++) w->mark[col[k]] = 1;
  for (int k = r; k < n; k++) w->mark[col[k]] = 0;
  for (int j = 0; j < n; j++) {
    if (w->mark[j]) p->dep[nu++] = j;
    else p->ind[nd++] = j;
  }
  p->nchosen++;
  return TN_OK;
}

/* C_u [r][r] of C [r][n] */
static void dependent_columns(const tni_partition *p, const double *C, double *Cu) {
  for (int i = 0; i < p->r; i++) {
    for (int k = 0; k < p->r; k++) Cu[i*p->r + k] = C[i*p->n + p->dep[k]];
  }
}

static double largest_row_sum(int r, const double *A) {
  double largest = 0;
  for (int i = 0; i < r; i++) {
    double sum = 0;
    for (int k = 0; k < r; k++) sum += fabs(A[i*r + k]);
    largest = fmax(largest, sum);
  }
  return largest;
}

/* condition number of C_u in the largest row sum, from its factors */
static double condition(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int r = p->r;
  if (r == 0) return 1;
  zero(w->inverse, r, r);
  for (int i = 0; i < r; i++) w->inverse[i*(r + 1)] = 1;
  tni_elim_solve(&w->S0, r, 0, r, w->inverse, w->S.W);
  return largest_row_sum(r, w->Cu)*largest_row_sum(r, w->inverse);
}

/* where the entries of tan.C go once coordinates are chosen */
static void find_entries(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  const tni_sparsity *pattern = p->s->rows;
  int *place = w->perm;
  for (int k = 0; k < p->r; k++) place[p->dep[k]] = k;
  for (int k = 0; k < p->nd; k++) place[p->ind[k]] = k;
  w->ndep = w->nind = 0;
  for (int i = 0; i < p->r; i++) {
    for (int e = pattern->rowptr[p->row[i]]; e < pattern->rowptr[p->row[i]+1]; e++) {
      int j = pattern->col[e];
      if (w->mark[j]) {
        w->dep_from[w->ndep] = e;
        w->dep_to[w->ndep++] = i*p->r + place[j];
      } else {
        w->ind_from[w->nind] = e;
        w->ind_to[w->nind++] = i*p->nd + place[j];
      }
    }
  }
  zero(w->Cu, p->r, p->r);
}

/* w->Cu := dependent columns of rows C, on the pattern; the rest of it stays zero */
static void gather_dependent(tni_partition *p, const double *C) {
  const struct tni_partition_work *w = p->w;
  for (int i = 0; i < w->ndep; i++) w->Cu[w->dep_to[i]] = C[w->dep_from[i]];
}

/* P [n][nd] of rows C on the pattern, whose dependent columns e has eliminated */
static void make_basis(const tni_partition *p, const tni_elim *e, const double *C, double *P) {
  struct tni_partition_work *w = p->w;
  int r = p->r, nd = p->nd;
  zero(w->X, r, nd);
  for (int i = 0; i < w->nind; i++) w->X[w->ind_to[i]] = -C[w->ind_from[i]];
  tni_elim_solve(e, nd, 0, nd, w->X, w->Y);
  for (int i = 0; i < r; i++) {
    memcpy(P + p->dep[i]*nd, w->X + i*nd, (size_t)nd*sizeof(double));
  }
  for (int i = 0; i < nd; i++) {
    for (int k = 0; k < nd; k++) P[p->ind[i]*nd + k] = i == k;
  }
}

/* G = L L^T of Mhat, in place: L^T above the diagonal, L below */
WIDE_ROWS
static bool factor_gram(int n, double *G, double *diagonal) {
  size_t ld = (size_t)n;
  for (int i = 0; i < n; i++) diagonal[i] = G[(size_t)i*ld + (size_t)i];
  for (int i = 0; i < n; i++) {
    double *row = G + (size_t)i*ld;
    if (!(row[i] > MASS_TOL*diagonal[i])) return false;
    row[i] = sqrt(row[i]);
    diagonal[i] = 1/row[i];
    for (int j = i + 1; j < n; j++) row[j] *= diagonal[i];
    for (int j = i + 1; j < n; j++) row_add(n - j, -row[j], row + j, G + (size_t)j*ld + j);
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) G[(size_t)i*ld + (size_t)j] = G[(size_t)j*ld + (size_t)i];
  }
  return true;
}

/* Columns may be divided among threads; for fewer freedoms waking one up takes longer than its share
 * of the work. No column depends on its company: chunks of even width, one a thread. */
enum { FREEDOMS_FOR_THREADS = 48 };
static void for_columns(tni_partition *p, void (*make)(void *user, int c0, int c1)) {
  if (p->jacobian != TNI_JACOBIAN_PARALLEL || p->nd < FREEDOMS_FOR_THREADS) {
    make(p, 0, p->nd);
    return;
  }
  int threads = p->s->ctx->opts.threads, width = (p->nd + threads - 1)/threads;
  tni_parallel_for(p->s->ctx, p->nd, width + width % 2, make, p);
}

/* columns of V = M P and Mhat = P^T V */
static void gram_columns(void *user, int c0, int c1) {
  tni_partition *p = user;
  struct tni_partition_work *w = p->w;
  columns c = {p->nd, c0, c1};
  clear_columns(p->n, c, w->V);
  add_sparse(p->s->square, w->tan.M, p->n, c, p->P, w->V);
  tni_panels_inner_columns(&w->P, c, w->V, p->Mhat);
}

/* V = M P, Mhat = P^T M P and its Cholesky factor */
static tn_status make_gram(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int nd = p->nd;
  for_columns(p, gram_columns);
  tni_panels_take(&w->MP, nd, w->V);
  memcpy(w->G, p->Mhat, (size_t)nd*(size_t)nd*sizeof(double));
  TN_REQUIRE(p->s->ctx, factor_gram(nd, w->G, w->diagonal), TN_SINGULAR,
             "implicit methods: a freedom of the mechanism moves no mass");
  return TN_OK;
}

/* other dependent components and an order of elimination for them */
static tn_status choose_anew(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  TN_TRY(check_forced(p));
  spread_rows(p, w->tan.C, w->C);
  TN_TRY(choose_coordinates(p));
  find_entries(p);
  gather_dependent(p, w->tan.C);
  spread_rows(p, NULL, w->Cfull);
  dependent_columns(p, w->Cfull, w->may);
  w->chosen = tni_elim_order(&w->S0, p->r, w->Cu, w->may) && tni_elim_factor(&w->S0, w->Cu);
  if (!w->chosen) return singular(p, p->r ? p->row[0] : -1);
  p->cond0 = p->kind == TNI_COORDINATES ? condition(p) : 1;
  return TN_OK;
}

static tn_status choose(tni_partition *p, bool new_rows) {
  struct tni_partition_work *w = p->w;
  w->refreshed = false;
  bool keep = w->chosen && !new_rows && p->cond0 > 0;
  if (keep) {
    gather_dependent(p, w->tan.C);
    keep = tni_elim_factor(&w->S0, w->Cu);
    if (keep && p->kind == TNI_COORDINATES) keep = condition(p) <= REPARTITION*p->cond0;
  }
  if (!keep) TN_TRY(choose_anew(p));
  make_basis(p, &w->S0, w->tan.C, p->P);
  tni_panels_take(&w->P, p->nd, p->P);
  return p->kind == TNI_TANGENT_PLANE ? make_gram(p) : TN_OK;
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* out [n][ld] = B2^T X, X [nd][ld], overwritten */
static void extract_transposed(const tni_partition *p, columns c, double *X, double *out) {
  size_t ld = (size_t)c.ld, bytes = (size_t)(c.c1 - c.c0)*sizeof(double);
  if (p->kind == TNI_TANGENT_PLANE) {
    solve_gram(p, c, X);
    tni_panels_multiply(&p->w->MP, c, X, out);
    return;
  }
  clear_columns(p->n, c, out);
  for (int i = 0; i < p->nd; i++) {
    memcpy(out + (size_t)p->ind[i]*ld + c.c0, X + (size_t)i*ld + c.c0, bytes);
  }
}

/* out [r][ld] = C_u^-T (A - B)_u */
static void across_transposed(const tni_partition *p, columns c, const double *A, const double *B,
                              double *out, double *scratch) {
  size_t ld = (size_t)c.ld;
  for (int i = 0; i < p->r; i++) {
    size_t from = (size_t)p->dep[i]*ld, to = (size_t)i*ld;
    for (int k = c.c0; k < c.c1; k++) out[to + (size_t)k] = A[from + (size_t)k] - B[from + (size_t)k];
  }
  tni_elim_solve_t(&p->w->S0, c.ld, c.c0, c.c1, out, scratch);
}

/* out [n][ld] += K^T F1 - L^T F on the rows of rotations */
static void add_turn_terms(const tni_partition *p, columns c, const double *F, const double *F1,
                           double *out) {
  size_t ld = (size_t)c.ld;
  for (int i = 0; i < p->nturn; i++) {
    size_t j = (size_t)p->turn[i];
    double W[9], WW[9], L[9];
    mat3_skew(W, p->v + j);
    mat3_skew(L, p->a + j);
    mat3_mul(WW, W, W);
    for (int d = 0; d < 9; d++) {
      L[d] = WW[d]/6 - 0.5*L[d];
      W[d] *= 0.5;
    }
    const double *x = F + j*ld, *y = F1 + j*ld;
    for (int d = 0; d < 3; d++) {
      double *restrict o = out + (j + (size_t)d)*ld;
      for (size_t k = (size_t)c.c0; k < (size_t)c.c1; k++) {
        o[k] += (W[d]*y[k] + W[3+d]*y[ld + k] + W[6+d]*y[2*ld + k]) -
                (L[d]*x[k] + L[3+d]*x[ld + k] + L[6+d]*x[2*ld + k]);
      }
    }
  }
}

/* rows first .. of out [nd][nd] = X^T, X [nd][k] */
static void put_rows(int nd, int first, int k, const double *X, double *out) {
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < nd; j++) out[(first + i)*nd + j] = X[j*k + i];
  }
}

static void take_columns(int n, int nd, int c0, int k, const double *X, double *out) {
  for (int i = 0; i < n; i++) {
    memcpy(out + (size_t)i*(size_t)k, X + i*nd + c0, (size_t)k*sizeof(double));
  }
}

/* Rows c0 .. c1 of Mhat, M1, M2. Threads keep their columns together, each in its own part of the
 * buffers: with whole rows they would write to the same cache lines. */
static void make_columns(void *user, int c0, int c1) {
  tni_partition *p = user;
  struct tni_partition_work *w = p->w;
  const tni_sparsity *square = p->s->square, *rows = p->s->rows;
  int n = p->n, nd = p->nd, k = c1 - c0;
  columns c = {k, 0, k};
  size_t part = (size_t)c0*(size_t)n;
  bool plane = p->kind == TNI_TANGENT_PLANE; /* Mhat is there, F = V = M P and D = 0 */
  double *MP = w->U + part, *F = plane ? w->V : w->F + part, *D = w->X + part, *R = w->R + part;
  double *W = w->W + part, *scratch = w->Y + part, *small = w->small + c0*nd, *P = p->P, *F1 = MP;

  if (k < nd) {
    P = w->T + part;
    take_columns(n, nd, c0, k, p->P, P);
    if (plane) take_columns(n, nd, c0, k, w->V, F = w->F + part);
  }
  if (!plane) {
    clear_columns(n, c, MP);
    add_sparse(square, w->tan.M, n, c, P, MP);
    tni_panels_inner_columns(&w->P, c, MP, small);
    put_rows(nd, c0, k, small, p->Mhat);
    extract_transposed(p, c, small, F);
    across_transposed(p, c, MP, F, D, scratch);
  }

  int *index = w->index + (size_t)c0*(size_t)n;
  multiply_transposed(square, w->mirror, w->tan.r_v, n, c, P, R, scratch, index);
  if (!plane)
    add_transposed(rows, w->tan.gamma_v, w->nrow_group, w->row_group, p->row, c, 1, D, R);
  tni_panels_inner_columns(&w->P, c, R, small);
  put_rows(nd, c0, k, small, p->M1);
  extract_transposed(p, c, small, F1);
  across_transposed(p, c, R, F1, W, scratch);

  multiply_transposed(square, w->mirror, w->tan.r_q, n, c, P, R, scratch, index);
  if (!plane) {
    add_transposed(rows, w->tan.gamma_q, w->nrow_group, w->row_group, p->row, c, 1, D, R);
    add_transposed(rows, w->tan.Ca_q, w->nrow_group, w->row_group, p->row, c, -1, D, R);
  }
  add_transposed(rows, w->tan.Cv_q, w->nrow_group, w->row_group, p->row, c, -1, W, R);
  add_turn_terms(p, c, F, F1, R);
  tni_panels_inner_columns(&w->P, c, R, small);
  put_rows(nd, c0, k, small, p->M2);
}

static void explicit_time(tni_partition *p) {
  tni_panels_inner(&p->w->P, p->w->tan.r_t, p->gt, p->w->halves);
  for (int k = 0; k < p->nd; k++) p->gt[k] = -p->gt[k];
}

/* out = -Mhat A */
static void times_mass(const tni_partition *p, const double *A, double *out) {
  int nd = p->nd;
  zero(out, nd, nd);
  for (int i = 0; i < nd; i++) {
    for (int k = 0; k < nd; k++) {
      double f = p->Mhat[i*nd + k];
      for (int c = 0; c < nd; c++) out[i*nd + c] -= f*A[k*nd + c];
    }
  }
}

/* g_y, g_y' by differences, column by column: a recovery and an acceleration at a state moved from the
 * beginning of the step. Nothing of one column serves another. */
static tn_status numerical_matrices(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int nd = p->nd;
  columns all = {nd, 0, nd};
  tni_cause cause;
  clear_columns(p->n, all, w->R);
  add_sparse(p->s->square, w->tan.M, p->n, all, p->P, w->R);
  tni_panels_inner_columns(&w->P, all, w->R, p->Mhat);
  for (int c = 0; c < 2*nd; c++) {
    int k = c % nd;
    memset(w->y, 0, (size_t)nd*sizeof(double));
    memcpy(w->yd, w->y_v, (size_t)nd*sizeof(double));
    double *x = c < nd ? w->y : w->yd, step = DIFFERENCE*fmax(1, fabs(x[k])), at = x[k];
    x[k] += step;
    step = x[k] - at;
    w->warm = false;
    TN_TRY(tni_partition_recover(p, p->t, w->y, w->yd, w->q, w->vv, &cause));
    TN_TRY(tni_partition_accel(p, p->t, w->q, w->vv, w->x, NULL, NULL, w->ydd, &cause));
    double *to = c < nd ? w->X : w->Y;
    for (int i = 0; i < nd; i++) to[i*nd + k] = (w->ydd[i] - w->y_a[i])/step;
  }
  times_mass(p, w->X, p->M2);
  times_mass(p, w->Y, p->M1);
  return TN_OK;
}

static tn_status make_matrices(tni_partition *p) {
  if (p->nd == 0) return TN_OK;
  if (p->jacobian == TNI_JACOBIAN_NUMERICAL) return numerical_matrices(p);
  for_columns(p, make_columns);
  return TN_OK;
}

/* Time in constraints: g at (y, y') = (0, y'_0) a little before and after. The distance is a small
 * part of the step, so that its error is far below that of the method at any step. */
static tn_status differences_in_time(tni_partition *p, double h) {
  struct tni_partition_work *w = p->w;
  double step = 1e-3*h;
  tni_cause cause;
  memset(w->y, 0, (size_t)p->n*sizeof(double));
  tni_partition_extract(p, p->v, w->yd);
  for (int side = -1; side <= 1; side += 2) {
    double t = p->t + side*step;
    TN_TRY(tni_partition_recover(p, t, w->y, w->yd, w->q, w->vv, &cause));
    TN_TRY(tni_partition_accel(p, t, w->q, w->vv, w->x, NULL, NULL, side < 0 ? p->gt : w->ydd,
                               &cause));
  }
  for (int k = 0; k < p->nd; k++) w->ydd[k] = (w->ydd[k] - p->gt[k])/(2*step);
  for (int i = 0; i < p->nd; i++) {
    p->gt[i] = 0;
    for (int k = 0; k < p->nd; k++) p->gt[i] += p->Mhat[i*p->nd + k]*w->ydd[k];
  }
  return TN_OK;
}

/* x' = K y and x'' = -L y that a change y of rotations makes at fixed velocities; both are added to */
static void add_turns(const tni_partition *p, double f, const double *y, double *dv, double *da) {
  const struct tni_partition_work *w = p->w;
  for (int i = 0; i < p->nturn; i++) {
    int k = p->turn[i];
    double c[3], cc[3];
    vec3_cross(c, w->turn_v + k, y + k);
    vec3_addmul(dv + k, 0.5*f, c);
    vec3_cross(cc, w->turn_v + k, c);
    vec3_addmul(da + k, -f/6, cc);
    vec3_cross(c, w->turn_a + k, y + k);
    vec3_addmul(da + k, 0.5*f, c);
  }
}

/* out += A x, A [n][n] */
static void add_matrix(int n, double f, const double *A, const double *x, double *out) {
  size_t ld = (size_t)n;
  int i = 0;
  /* four rows at a time: each of their sums waits for its own last addition only */
  for (; i + 3 < n; i += 4) {
    const double *a = A + (size_t)i*ld, *b = a + ld, *c = b + ld, *d = c + ld;
    double sa = 0, sb = 0, sc = 0, sd = 0;
    for (int k = 0; k < n; k++) {
      sa += a[k]*x[k];
      sb += b[k]*x[k];
      sc += c[k]*x[k];
      sd += d[k]*x[k];
    }
    out[i] += f*sa;
    out[i+1] += f*sb;
    out[i+2] += f*sc;
    out[i+3] += f*sd;
  }
  for (; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += A[(size_t)i*ld + (size_t)k]*x[k];
    out[i] += f*sum;
  }
}

/* The system keeps the matrices of a straight one, and others may have asked it for theirs since. */
static void claim(tni_partition *p) {
  tni_system *s = p->s;
  const struct tni_partition_work *w = p->w;
  if (s->newton_owner == p) return;
  s->ops->newton_at(s, w->t_at, w->q_at, w->turn_v, w->turn_a, NULL);
  s->newton_owner = p;
  s->ops->newton_factor(s, 1, w->g, w->b, true);
}

bool tni_partition_factor(tni_partition *p, double g, double b) {
  p->w->g = g;
  p->w->b = b;
  claim(p);
  return p->s->ops->newton_factor(p->s, 1, g, b, true);
}

void tni_partition_solve(tni_partition *p, double *x) {
  claim(p);
  p->s->ops->newton_solve(p->s, x);
}

void tni_partition_multiply(tni_partition *p, double f, const double *x, double f1, const double *y1,
                            double f2, const double *y2, double *out) {
  struct tni_partition_work *w = p->w;
  int n = p->n;
  if (!p->straight) {
    if (x) add_matrix(p->nd, f, p->Mhat, x, out);
    if (y1) add_matrix(p->nd, f1, p->M1, y1, out);
    if (y2) add_matrix(p->nd, f2, p->M2, y2, out);
    return;
  }
  claim(p);
  double *dq = w->u, *dv = w->x, *da = w->ux, *product = w->vv;
  for (int i = 0; i < n; i++) {
    dq[i] = y2 ? f2*y2[i] : 0;
    dv[i] = y1 ? f1*y1[i] : 0;
    da[i] = x ? f*x[i] : 0;
  }
  if (y2) add_turns(p, f2, y2, dv, da);
  bool turned = y2 && p->nturn > 0;
  p->s->ops->newton_apply(p->s, y2 ? dq : NULL, y1 || turned ? dv : NULL, x || turned ? da : NULL,
                          product);
  for (int i = 0; i < n; i++) out[i] += product[i];
}

/* the same for a straight one */
static tn_status begin_straight(tni_partition *p, tni_time_rate time) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->n*sizeof(double);
  if (p->nforced) TN_TRY(check_forced(p));
  p->fresh = !(p->keep && w->chosen && time == TNI_TIME_NONE);
  w->chosen = true;
  memcpy(w->y_v, p->v, bytes);
  memcpy(w->y_a, p->a, bytes);
  if (!p->fresh) return TN_OK;
  s->ops->newton_at(s, p->t, p->q, p->v, p->a, time == TNI_TIME_EXACT ? p->gt : NULL);
  s->newton_owner = p;
  w->t_at = p->t;
  memcpy(w->q_at, p->q, (size_t)s->nq*sizeof(double));
  memcpy(w->turn_v, p->v, bytes);
  memcpy(w->turn_a, p->a, bytes);
  for (int i = 0; i < p->n && time == TNI_TIME_EXACT; i++) p->gt[i] = -p->gt[i];
  return TN_OK;
}

tn_status tni_partition_begin(tni_partition *p, double t, const double *q, const double *v,
                              const double *a, const double *lambda, double h, tni_time_rate time) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->n*sizeof(double);
  p->t = t;
  memcpy(p->q, q, (size_t)s->nq*sizeof(double));
  memcpy(p->v, v, bytes);
  memcpy(p->a, a, bytes);
  p->size = 1;
  for (int i = 0; i < s->nq; i++) p->size = fmax(p->size, fabs(q[i]));
  if (p->straight) return begin_straight(p, time);
  bool numerical = p->jacobian == TNI_JACOBIAN_NUMERICAL;
  tni_sparse_tangent out = w->tan, few = {.M = out.M, .C = out.C, .Cv_q = out.Cv_q};
  if (p->kind == TNI_TANGENT_PLANE) out.gamma_q = out.gamma_v = out.Ca_q = NULL;
  if (numerical) out = few;
  if (numerical || time != TNI_TIME_EXACT) out.r_t = NULL;
  /* the tangent plane makes Mhat with its basis */
  p->fresh = !(p->keep && w->chosen && p->kind == TNI_TANGENT_PLANE && time == TNI_TIME_NONE);
  long nchosen = p->nchosen;
  TN_TRY(s->ops->sparse_tangent(s, t, q, v, a, lambda, p->fresh ? &out : &few));
  TN_TRY(choose(p, take_rows(p)));
  if (!p->fresh && p->nchosen != nchosen) {
    p->fresh = true;
    TN_TRY(s->ops->sparse_tangent(s, t, q, v, a, lambda, &out));
  }
  w->warm = false;
  tni_partition_extract(p, v, w->y_v);
  tni_partition_extract(p, a, w->y_a);
  if (p->fresh) TN_TRY(make_matrices(p));
  if (time == TNI_TIME_NONE || p->nd == 0) return TN_OK;
  if (time == TNI_TIME_DIFFERENCES || numerical) return differences_in_time(p, h);
  explicit_time(p);
  return TN_OK;
}

/* V = P B2 K P - Z (C v + Phi_t)_q P */
void tni_partition_change(tni_partition *p, const double *dy, const double *dyd, double *dx,
                          double *dv) {
  struct tni_partition_work *w = p->w;
  tni_partition_expand(p, dy, dx);
  if (p->straight) {
    tni_partition_expand(p, dyd, dv);
    for (int i = 0; i < p->nturn; i++) {
      double c[3];
      vec3_cross(c, p->v + p->turn[i], dx + p->turn[i]);
      vec3_addmul(dv + p->turn[i], 0.5, c);
    }
    return;
  }
  const tni_sparsity *pattern = p->s->rows;
  zero(w->x, 1, p->n);
  for (int i = 0; i < p->nturn; i++) {
    int j = p->turn[i];
    vec3_cross(w->x + j, p->v + j, dx + j);
    vec3_scale(w->x + j, 0.5, w->x + j);
  }
  tni_partition_extract(p, w->x, w->dy);
  for (int k = 0; k < p->nd; k++) w->dy[k] += dyd[k];
  for (int i = 0; i < p->r; i++) {
    double sum = 0;
    for (int e = pattern->rowptr[p->row[i]]; e < pattern->rowptr[p->row[i]+1]; e++)
      sum += w->tan.Cv_q[e]*dx[pattern->col[e]];
    w->u[i] = -sum;
  }
  if (p->r > 0) across(p, w->u, dv, w->ux);
  else zero(dv, 1, p->n);
  tni_panels_add(&w->P, 1, w->dy, dv);
}

/* ---- recovery ------------------------------------------------------------------------------ */

/* x = Z (residuals of the rows in use), Z of the beginning or of the refreshed position; returns its
 * largest entry */
static double correction(tni_partition *p, double *x, int *worst_row) {
  struct tni_partition_work *w = p->w;
  double largest = 0, residual = 0;
  for (int i = 0; i < p->r; i++) {
    w->u[i] = w->rows[p->row[i]];
    if (!(fabs(w->u[i]) <= residual)) {
      residual = fabs(w->u[i]);
      *worst_row = p->row[i];
    }
  }
  if (!w->refreshed) {
    across(p, w->u, x, w->ux);
  } else {
    tni_elim_solve(&w->S, 1, 0, 1, w->u, w->ux);
    zero(x, 1, p->n);
    for (int i = 0; i < p->r; i++) x[p->dep[i]] = w->u[i];
    if (p->kind == TNI_TANGENT_PLANE && p->nd > 0) {
      tni_panels_inner(&w->MP, x, w->ux, w->halves);
      tni_lu_solve(p->nd, w->H, w->hpivot, w->ux);
      for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < p->nd; k++) x[i] -= w->Pq[i*p->nd + k]*w->ux[k];
      }
    }
  }
  for (int j = 0; j < p->n; j++) {
    if (!(fabs(x[j]) <= largest)) largest = fabs(x[j]);
  }
  return largest;
}

/* C := C T(xi) on the pattern */
static void mix_columns(const tni_partition *p, double *C) {
  const tni_sparsity *pattern = p->s->rows;
  int *turn = p->w->perm;
  for (int j = 0; j < p->n; j++) turn[j] = -1;
  for (int k = 0; k < p->nturn; k++) {
    turn[p->turn[k]] = k;
    p->w->turn[k] = tni_turn_at(p->xi + p->turn[k]);
  }
  for (int i = 0; i < p->r; i++) {
    for (int e = pattern->rowptr[p->row[i]]; e < pattern->rowptr[p->row[i]+1]; e++) {
      int k = turn[pattern->col[e]];
      double y[3];
      if (k < 0) continue;
      tni_turn_rate_t(&p->w->turn[k], p->xi + p->turn[k], C + e, y);
      vec3_copy(C + e, y);
    }
  }
}

/* Factors at the present q, xi. T mixes columns of C, C T e_j = C (T e_j). In the tangent plane a
 * correction is normal to the plane of the beginning: (C T; P^T M) x = (residual; 0). */
static tn_status refresh(tni_partition *p, double t, const double *q) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  int r = p->r, nd = p->nd;
  tni_sparse_tangent out = {.C = w->tan.C}; /* of no use to anybody after begin */
  TN_TRY(s->ops->sparse_tangent(s, t, q, NULL, NULL, NULL, &out));
  mix_columns(p, out.C);
  p->nrefresh++;
  gather_dependent(p, out.C);
  if (!tni_elim_order(&w->S, r, w->Cu, w->may) || !tni_elim_factor(&w->S, w->Cu)) return TN_SINGULAR;
  w->refreshed = true;
  if (p->kind == TNI_COORDINATES || nd == 0) return TN_OK;
  make_basis(p, &w->S, out.C, w->Pq);
  columns all = {nd, 0, nd};
  clear_columns(p->n, all, w->Y);
  add_sparse(s->square, w->tan.M, p->n, all, w->Pq, w->Y);
  tni_panels_inner_columns(&w->P, all, w->Y, w->small);
  put_rows(nd, 0, nd, w->small, w->H); /* by columns */
  return tni_lu_factor(nd, w->H, w->hpivot) ? TN_OK : TN_SINGULAR;
}

/* Newton with the factors of the beginning of the step, on positions (velocity false) or on
 * velocities at given positions. Where they do not serve, as beyond a singular position, it begins
 * again with new ones, and renews them as often as it has to. Converged when what the contraction
 * leaves to be corrected is below the tolerance. The contraction is that of C_0^-1 C(xi) to unity: on
 * both levels about the same, and about the same again when a stage moves its state a little. */
static tn_status iterate(tni_partition *p, double t, bool velocity, double *q, double *v,
                         tni_cause *cause) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->n*sizeof(double);
  double *unknown = velocity ? p->xid : p->xi, before = DBL_MAX, scale = 1;
  int nfresh = 0;
  bool again = false;
  memcpy(w->guess, unknown, bytes);
  if (velocity) {
    for (int j = 0; j < p->n; j++) scale = fmax(scale, fabs(unknown[j]));
  }
  *cause = (tni_cause){TNI_CAUSE_PROJECT, -1, 0};
  for (int k = 0; k < RECOVER_MAX; k++) {
    if (velocity) to_velocity(p, p->xi, p->xid, v);
    else if (!place(p, p->xi, q)) return TN_STEP_REJECTED;
    if (p->r == 0) return TN_OK;
    if (velocity) s->ops->rate(s, t, again ? NULL : q, v, w->rows);
    else s->ops->phi(s, t, q, w->rows);
    again = true;
    s->work.nnewton++;
    double change = correction(p, w->x, &cause->index), theta = change/before, left = change;
    if (cause->index >= 0) cause->value = fabs(w->rows[cause->index]);
    if (!isfinite(change)) return TN_STEP_REJECTED;
    for (int j = 0; j < p->n; j++) unknown[j] -= w->x[j];
    bool slow = theta > SLOW;
    if (before == DBL_MAX && w->contraction >= 0) left = fmin(1, TRUST*w->contraction)*change;
    if (before < DBL_MAX) {
      if (!slow) left = change*theta/(1 - theta);
      w->contraction = fmax(w->contraction, theta);
    }
    /* near a singular position residuals of rounding size still ask for larger corrections */
    if (left <= p->tol*scale || (nfresh && slow && cause->value <= RESIDUAL_FLOOR*p->size*scale)) {
      if (velocity) to_velocity(p, p->xi, p->xid, v);
      return velocity || place(p, p->xi, q) ? TN_OK : TN_STEP_REJECTED;
    }
    before = change;
    if (!slow) continue;
    if (++nfresh > REFRESH_MAX) return TN_STEP_REJECTED;
    if (nfresh == 1) memcpy(unknown, w->guess, bytes);
    if (!velocity && !place(p, p->xi, q)) return TN_STEP_REJECTED;
    if (refresh(p, t, q) != TN_OK) return TN_STEP_REJECTED;
    before = DBL_MAX;
    w->contraction = -1;
    again = false;
  }
  return TN_STEP_REJECTED;
}

/* was the way from the guess to the recovered position no correction of the guess? */
static bool has_jumped(const tni_partition *p, double tau, tni_cause *cause) {
  double way = 0, motion = 0;
  int index = -1;
  for (int j = 0; j < p->n; j++) {
    double change = fabs(p->xi[j] - p->w->guess[j]);
    motion = fmax(motion, fmax(fabs(p->xi[j]), fabs(tau*p->v[j])));
    if (change <= way) continue;
    way = change;
    index = j;
  }
  if (!tni_is_jump(way, motion)) return false;
  *cause = (tni_cause){TNI_CAUSE_JUMP, index, way};
  return true;
}

/* Start of the recovery: the state recovered last, if it was at the same time, or else free flight
 * with the accelerations of the beginning; moved along P to the wanted y. */
static void guess(tni_partition *p, double t, const double *y, const double *yd) {
  struct tni_partition_work *w = p->w;
  bool warm = w->warm && t == w->t_last;
  double tau = t - p->t;
  if (!warm) w->contraction = -1;
  for (int j = 0; j < p->n && !warm; j++) {
    p->xi[j] = tau*(p->v[j] + 0.5*tau*p->a[j]);
    p->xid[j] = p->v[j] + tau*p->a[j];
  }
  for (int k = 0; k < p->nd; k++) {
    w->dy[k] = y[k] - (warm ? w->y_last[k] : tau*(w->y_v[k] + 0.5*tau*w->y_a[k]));
    w->ux[k] = yd[k] - (warm ? w->yd_last[k] : w->y_v[k] + tau*w->y_a[k]);
  }
  tni_panels_add(&w->P, 1, w->dy, p->xi);
  tni_panels_add(&w->P, 1, w->ux, p->xid);
}

tn_status tni_partition_recover(tni_partition *p, double t, const double *y, const double *yd,
                                double *q, double *v, tni_cause *cause) {
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->nd*sizeof(double);
  if (p->straight) {
    memcpy(p->xi, y, bytes);
    memcpy(p->xid, yd, bytes);
    *cause = (tni_cause){TNI_CAUSE_PROJECT, -1, 0};
    if (!place(p, p->xi, q)) return TN_STEP_REJECTED;
    find_rates(p);
    to_velocity(p, p->xi, p->xid, v);
    return TN_OK;
  }
  guess(p, t, y, yd);
  w->warm = w->refreshed = false;
  TN_TRY(iterate(p, t, false, q, v, cause));
  if (has_jumped(p, t - p->t, cause)) return TN_STEP_REJECTED;
  find_rates(p);
  TN_TRY(iterate(p, t, true, q, v, cause));
  w->warm = true;
  w->t_last = t;
  memcpy(w->y_last, y, bytes);
  memcpy(w->yd_last, yd, bytes);
  return TN_OK;
}

tn_status tni_partition_accel(tni_partition *p, double t, const double *q, const double *v,
                              double *a, double *lambda, double *zdot, double *ydd,
                              tni_cause *cause) {
  tni_system *s = p->s;
  tn_status st = s->ops->accel(s, t, q, v, a, lambda, zdot);
  if (st != TN_OK) {
    *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
    return st;
  }
  for (int j = 0; j < p->n; j++) {
    if (isfinite(a[j]) && isfinite(v[j])) continue;
    *cause = (tni_cause){TNI_CAUSE_NONFINITE, j, 0};
    return TN_STEP_REJECTED;
  }
  to_local_acceleration(p, p->xi, p->xid, a, p->xidd);
  if (ydd) tni_partition_extract(p, p->xidd, ydd);
  return TN_OK;
}

void tni_partition_stand(tni_partition *p, const double *q) {
  memcpy(p->q, q, (size_t)p->s->nq*sizeof(double));
  zero(p->xi, 1, p->n);
  find_rates(p);
  p->w->warm = false;
}

void tni_partition_restart(tni_partition *p, const double *q) {
  tni_partition_stand(p, q);
  p->w->chosen = false;
  if (!p->straight) p->r = -1;
}

bool tni_partition_rheonomic(tni_partition *p, double t0, double t1, const double *q) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  enum { SAMPLES = 16 };
  if (s->m == 0) return false;
  memset(w->vv, 0, (size_t)p->n*sizeof(double));
  for (int k = 0; k < SAMPLES; k++) {
    s->ops->rate(s, t0 + (t1 - t0)*fmod(0.6180339887498949*k, 1.0), q, w->vv, w->rows);
    for (int i = 0; i < s->m; i++) {
      if (w->rows[i] != 0) return true;
    }
  }
  return false;
}
