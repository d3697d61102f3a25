/* integrators/partition.c - independent coordinates of a step, matrices of implicit methods
 *
 * Rotations: A = A_0 exp(~x) for three components x of xi. With T = T(x) the tangent of the
 * exponential in body axes,
 *
 *   w = T x',     T = 1 - a ~x + b ~x^2,   a = (1 - cos|x|)/|x|^2,   b = (|x| - sin|x|)/|x|^3
 *   w' = T x'' + T' x'
 *
 * At x = 0: w = x', w' = x'', and to first order in x with x' held
 *
 *   w    = x' + K x,              K = ~w/2
 *   x''  = w' + L x,              L = -~w'/2 + ~w^2/6
 *
 * Linearised constraints, d = dxi = P dy, and dv the change of velocities:
 *
 *   C dv + (C v + Phi_t)_q d = 0   ->   dv = P dy' + V dy,   V = P B2^T K P - Z (C v + Phi_t)_q P
 *   C da = gamma_q d + gamma_v dv - (C a)_q d
 *   M da + C^T dlambda = (f_q - (M a)_q - (C^T lambda)_q) d + f_v dv
 *
 * with C P = 0, C Z = 1, B2^T P = 1, B2^T Z = 0. Multiplying by P^T removes dlambda:
 *
 *   Mhat = P^T M P
 *   M1   = -P^T ( f_v - M Z gamma_v ) P
 *   M2   = -P^T ( F P + f_v V - M Z (gamma_q P + gamma_v V - (C a)_q P) ) - Mhat B2^T L P
 *
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, sections 3 and appendix B; E. J. Haug,
 * R. A. Wehage, J. Mech. Des. 104 (1982).
 *
 * All matrices are row-major, thin ones [n][nd]: rows of a few numbers, so that the products below
 * run over contiguous memory and skip the zeros of the tangents, which are most of them. BLAS is
 * not used, because its products of small matrices allocate.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/partition.h"

#include <float.h>
#include <math.h>

#include "base/vec.h"

#define REPARTITION 1.25     /* growth of the condition number that asks for other coordinates   */
#define RANK_TOL 1e-10       /* pivot against the largest one                                    */
#define SLOW 0.25            /* contraction above which a new Jacobian pays                      */
#define RESIDUAL_FLOOR 1e-15 /* rounding of constraint equations of ordinary size                */
#define PI_ROUNDED 3.141592653589793
enum { RECOVER_MAX = 25, SERIES_MAX = 20 };

struct tni_partition_work {
  tni_tangent tan;
  double *C;            /* [r][n] rows in use                                        */
  double *F;            /* [n][n] f_q - (M a)_q - (C^T lambda)_q                      */
  double *S, *S0;       /* [r][r] factors of C B1: present, at the beginning          */
  int *pivot, *pivot0;  /* [r]                                                        */
  bool refreshed;       /* S is not S0                                                */
  double *Q;            /* [r][n] Householder vectors of the tangent plane            */
  double *P;            /* [n][nd]                                                    */
  double *X, *Y;        /* [n][nd]                                                    */
  double *V, *R;        /* [n][nd]                                                    */
  double *G;            /* [nd][nd]                                                   */
  double *rows;         /* [m] residuals                                              */
  double *x, *dx;       /* [n]                                                        */
  double *u, *dy;       /* [n]                                                        */
  double *inverse;      /* [r][r] of C B1, for its condition                          */
  int *perm, *mark;     /* [n] pivoting of columns                                    */
  double *Cfull;        /* [m][n] for refreshing                                      */
  double *q, *qd, *vv, *y, *yd, *ydd; /* scratch states                               */
};

/* ---- small dense algebra ------------------------------------------------------------------- */

/* rows are exchanged in place; pivot[k] is the row exchanged with row k */
bool tni_lu_factor(int n, double *A, int *pivot) {
  for (int k = 0; k < n; k++) {
    double *Ak = A + (size_t)k*(size_t)n;
    double *best = Ak;
    pivot[k] = k;
    for (int i = k + 1; i < n; i++) {
      double *Ai = A + (size_t)i*(size_t)n;
      if (!(fabs(Ai[k]) > fabs(best[k]))) continue;
      best = Ai;
      pivot[k] = i;
    }
    for (int j = 0; best != Ak && j < n; j++) {
      double swap = Ak[j];
      Ak[j] = best[j];
      best[j] = swap;
    }
    if (!(fabs(Ak[k]) > 0) || !isfinite(Ak[k])) return false;
    for (int i = k + 1; i < n; i++) {
      double *Ai = A + (size_t)i*(size_t)n, f = Ai[k] = Ai[k]/Ak[k];
      if (f == 0) continue;
      for (int j = k + 1; j < n; j++) Ai[j] -= f*Ak[j];
    }
  }
  return true;
}

void tni_lu_solve(int n, const double *A, const int *pivot, int nrhs, double *X) {
  for (int k = 0; k < n; k++) {
    double *x = X + (size_t)k*(size_t)nrhs, *y = X + (size_t)pivot[k]*(size_t)nrhs;
    for (int c = 0; x != y && c < nrhs; c++) {
      double swap = x[c];
      x[c] = y[c];
      y[c] = swap;
    }
  }
  for (int i = 0; i < n; i++) {
    const double *Ai = A + (size_t)i*(size_t)n;
    double *x = X + (size_t)i*(size_t)nrhs;
    for (int k = 0; k < i; k++) {
      const double *y = X + (size_t)k*(size_t)nrhs;
      if (Ai[k] == 0) continue;
      for (int c = 0; c < nrhs; c++) x[c] -= Ai[k]*y[c];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *Ai = A + (size_t)i*(size_t)n;
    double *x = X + (size_t)i*(size_t)nrhs;
    for (int k = i + 1; k < n; k++) {
      const double *y = X + (size_t)k*(size_t)nrhs;
      if (Ai[k] == 0) continue;
      for (int c = 0; c < nrhs; c++) x[c] -= Ai[k]*y[c];
    }
    for (int c = 0; c < nrhs; c++) x[c] /= Ai[i];
  }
}

/* out [m][k] += alpha A [m][n] X [n][k] */
static void add_product(int m, int n, int k, double alpha, const double *A, const double *X,
                        double *out) {
  for (int i = 0; i < m; i++) {
    const double *Ai = A + (size_t)i*(size_t)n;
    double *o = out + (size_t)i*(size_t)k;
    for (int j = 0; j < n; j++) {
      const double *x = X + (size_t)j*(size_t)k;
      double f = alpha*Ai[j];
      if (f == 0) continue;
      for (int c = 0; c < k; c++) o[c] += f*x[c];
    }
  }
}

/* out [k][k] += alpha X^T Y, X, Y [n][k] */
static void add_inner(int n, int k, double alpha, const double *X, const double *Y, double *out) {
  for (int j = 0; j < n; j++) {
    const double *x = X + (size_t)j*(size_t)k, *y = Y + (size_t)j*(size_t)k;
    for (int i = 0; i < k; i++) {
      double f = alpha*x[i], *o = out + (size_t)i*(size_t)k;
      if (f == 0) continue;
      for (int c = 0; c < k; c++) o[c] += f*y[c];
    }
  }
}

static void zero(double *x, int n, int k) { memset(x, 0, (size_t)n*(size_t)k*sizeof(double)); }

/* sum of products with four running sums, which the processor can overlap */
static double dot(int n, const double *x, const double *y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 3 < n; i += 4) {
    s0 += x[i]*y[i];
    s1 += x[i+1]*y[i+1];
    s2 += x[i+2]*y[i+2];
    s3 += x[i+3]*y[i+3];
  }
  for (; i < n; i++) s0 += x[i]*y[i];
  return (s0 + s1) + (s2 + s3);
}

/* ---- rotations ----------------------------------------------------------------------------- */

/* coefficients of T and its rate; power series, which converge fast for all angles up to pi */
typedef struct turn_series {
  double a, b;   /* T = 1 - a ~x + b ~x^2                         */
  double a1, b1; /* da/dt = a1 x.x', db/dt = b1 x.x'              */
  double k;      /* T^-1 = 1 + ~x/2 + k ~x^2                      */
} turn_series;

static turn_series series(const double x[3]) {
  double u = vec3_dot(x, x), term = 0.5;
  turn_series c = {0.5, 1.0/6, 0, 0, 0};
  double a2 = 0; /* (a - 1/2)/|x|^2 */
  /* term = (-1)^k u^(k-1)/(2k+2)! */
  for (int k = 1; k < SERIES_MAX && term != 0; k++) {
    term *= -(k == 1 ? 1 : u)/((2*k + 1)*(2*k + 2));
    a2 += term;
    c.a1 += 2*k*term;
    c.b += u*term/(2*k + 3);
    c.b1 += 2*k*term/(2*k + 3);
  }
  c.a += u*a2;
  c.k = (2*a2 + c.b)/(2*c.a);
  return c;
}

/* out = y + p x cross y + r x cross (x cross y) */
static void turn_apply(const double x[3], double p, double r, const double y[3], double out[3]) {
  double c[3], cc[3];
  vec3_cross(c, x, y);
  vec3_cross(cc, x, c);
  for (int i = 0; i < 3; i++) out[i] = y[i] + p*c[i] + r*cc[i];
}

/* v = T(xi) xid */
static void to_velocity(const tni_partition *p, const double *xi, const double *xid, double *v) {
  memcpy(v, xid, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    turn_series c = series(xi + j);
    turn_apply(xi + j, -c.a, c.b, xid + j, v + j);
  }
}

static void to_local_velocity(const tni_partition *p, const double *xi, const double *v,
                              double *xid) {
  memcpy(xid, v, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    turn_series c = series(xi + j);
    turn_apply(xi + j, 0.5, c.k, v + j, xid + j);
  }
}

/* xidd = T^-1 (a - T' xid) */
static void to_local_acceleration(const tni_partition *p, const double *xi, const double *xid,
                                  const double *a, double *xidd) {
  memcpy(xidd, a, (size_t)p->n*sizeof(double));
  for (int k = 0; k < p->nturn; k++) {
    int j = p->turn[k];
    const double *x = xi + j, *xd = xid + j;
    turn_series c = series(x);
    double s = vec3_dot(x, xd), e[3], xe[3], de[3], b[3];
    vec3_cross(e, x, xd);
    vec3_cross(xe, x, e);
    vec3_cross(de, xd, e);
    for (int i = 0; i < 3; i++) b[i] = a[j+i] + s*c.a1*e[i] - s*c.b1*xe[i] - c.b*de[i];
    turn_apply(x, 0.5, c.k, b, xidd + j);
  }
}

bool tni_partition_place(const tni_partition *p, const double *xi, const double *xid, double *q,
                         double *v) {
  for (int k = 0; k < p->nturn; k++) {
    if (!(vec3_norm(xi + p->turn[k]) <= PI_ROUNDED)) return false;
  }
  p->s->ops->retract(p->s, p->q, xi, q);
  if (v) to_velocity(p, xi, xid, v);
  return true;
}

void tni_partition_locate(tni_partition *p, const double *q, const double *v, const double *a) {
  p->s->ops->difference(p->s, p->q, q, p->xi);
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
  TN_REQUIRE(s->ctx, s->ops->tangent && (s->m == 0 || (s->ops->phi && s->ops->rate)) &&
             !(s->ops->name && strcmp(s->ops->name, "joint") == 0), TN_ERR_UNSUPPORTED,
             "implicit methods need exact tangents, which the joint representation does not have "
             "yet: set 'representation: cartesian'");
  for (int i = 0; s->model && i < s->model->ncon; i++) {
    const tni_con *con = &s->model->con[i];
    TN_REQUIRE(s->ctx, !con->nonholonomic, TN_ERR_UNSUPPORTED,
               "implicit methods cannot treat the velocity constraint of '%s' yet: use rk45 or rk8",
               s->model->joint[con->joint].name);
  }
  return TN_OK;
}

static tn_status allocate(tni_arena *arena, tni_partition *p) {
  size_t n = (size_t)p->n, m = (size_t)p->s->m, nq = (size_t)p->s->nq;
  TNI_ARENA_NEW(arena, p->w, 1);
  struct tni_partition_work *w = p->w;
  double **vectors[] = {&p->v, &p->a, &p->xi, &p->xid, &p->xidd, &p->gt, &w->x, &w->dx, &w->u,
                        &w->dy, &w->vv, &w->y, &w->yd, &w->ydd, &w->tan.f_t};
  double **squares[] = {&p->P, &p->Mhat, &p->M1, &p->M2, &w->F, &w->V, &w->R, &w->X, &w->Y, &w->P,
                        &w->G, &w->tan.M, &w->tan.f_q, &w->tan.f_v, &w->tan.Mv_q,
                        &w->tan.Ctl_q};
  double **tall[] = {&w->C, &w->Q, &w->tan.C, &w->tan.Cv_q, &w->tan.Ca_q, &w->tan.gamma_q,
                     &w->tan.gamma_v};
  for (int i = 0; i < TNI_COUNT(vectors); i++) TNI_ARENA_NEW(arena, *vectors[i], n);
  for (int i = 0; i < TNI_COUNT(squares); i++) TNI_ARENA_NEW(arena, *squares[i], n*n);
  for (int i = 0; i < TNI_COUNT(tall); i++) TNI_ARENA_NEW(arena, *tall[i], m*n);
  TNI_ARENA_NEW(arena, w->Cfull, m*n + nq);
  TNI_ARENA_NEW(arena, w->S, m*m);
  TNI_ARENA_NEW(arena, w->S0, m*m);
  TNI_ARENA_NEW(arena, w->rows, m);
  if (p->kind == TNI_COORDINATES) TNI_ARENA_NEW(arena, w->inverse, m*m);
  TNI_ARENA_NEW(arena, p->q, nq);
  TNI_ARENA_NEW(arena, w->q, nq);
  TNI_ARENA_NEW(arena, w->qd, nq);
  int **ints[] = {&p->dep, &p->ind, &p->turn, &w->mark, &w->perm};
  for (int i = 0; i < TNI_COUNT(ints); i++) TNI_ARENA_NEW(arena, *ints[i], n);
  TNI_ARENA_NEW(arena, p->row, m);
  TNI_ARENA_NEW(arena, w->pivot, m);
  TNI_ARENA_NEW(arena, w->pivot0, m);
  return TN_OK;
}

tn_status tni_partition_create(tni_arena *arena, tni_system *s, const tni_scale *scale,
                               tni_parametrization kind, double tol, tni_partition *p) {
  *p = (tni_partition){.s = s, .kind = kind, .n = s->nv, .r = -1, .tol = tol};
  TN_TRY(check_system(s));
  TN_TRY(allocate(arena, p));
  return find_turns(p, scale);
}

/* ---- choice of coordinates ----------------------------------------------------------------- */

static tn_status singular(const tni_partition *p, int row) {
  char name[128] = "?";
  if (row >= 0) p->s->ops->row_name(p->s, row, name, sizeof(name));
  return TN_FAIL(p->s->ctx, TN_SINGULAR,
                 "singular configuration at t = %.9g s: constraint '%s' leaves no dependent "
                 "coordinate", p->t, name);
}

/* rows in use, copied to w->C; true when they are others than before */
static bool take_rows(tni_partition *p) {
  const tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->n*sizeof(double);
  int r = 0;
  bool changed = p->r < 0;
  for (int i = 0; i < s->m; i++) {
    if (s->rank && !s->rank->independent[i]) continue;
    changed = changed || r >= p->r || p->row[r] != i;
    p->row[r] = i;
    memcpy(w->C + (size_t)r*(size_t)p->n, w->tan.C + (size_t)i*(size_t)p->n, bytes);
    r++;
  }
  changed = changed || r != p->r;
  p->r = r;
  p->nd = p->n - r;
  return changed;
}

/* compact the rows in use of an [m][n] array in place */
static void compact(const tni_partition *p, double *A) {
  size_t n = (size_t)p->n;
  for (int i = 0; i < p->r; i++) {
    if (p->row[i] != i) memcpy(A + (size_t)i*n, A + (size_t)p->row[i]*n, n*sizeof(double));
  }
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
        double x = fabs(A[row[i]*n + col[j]]);
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

/* x := (1 - v v^T) x for [n][k] columns, v with |v|^2 = 2 and zeros before `first` */
static void reflect(int first, int n, int k, const double *v, double *x, double *sum) {
  zero(sum, 1, k);
  for (int i = first; i < n; i++) {
    const double *xi = x + (size_t)i*(size_t)k;
    for (int c = 0; c < k; c++) sum[c] += v[i]*xi[c];
  }
  for (int i = first; i < n; i++) {
    double *xi = x + (size_t)i*(size_t)k;
    for (int c = 0; c < k; c++) xi[c] -= v[i]*sum[c];
  }
}

static void reflect_row(int first, int n, const double *v, double *x) {
  double sum = dot(n - first, v + first, x + first);
  for (int i = first; i < n; i++) x[i] -= sum*v[i];
}

/* C^T = B1 S^T by Householder reflections, whose vectors are kept: (B1 B2) is their product. S is
 * lower triangular. */
static tn_status choose_tangent_plane(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int n = p->n, r = p->r;
  double largest = 0;
  memcpy(w->Q, w->C, (size_t)r*(size_t)n*sizeof(double));
  zero(w->S0, r, r);
  for (int k = 0; k < r; k++) {
    double *v = w->Q + (size_t)k*(size_t)n, *S = w->S0 + (size_t)k*(size_t)r;
    for (int j = 0; j < k; j++) {
      reflect_row(j, n, w->Q + (size_t)j*(size_t)n, v);
      S[j] = v[j];
      v[j] = 0;
    }
    double length = sqrt(dot(n - k, v + k, v + k));
    largest = fmax(largest, length);
    if (!(length > RANK_TOL*largest)) return singular(p, p->row[k]);
    S[k] = v[k] > 0 ? -length : length;
    v[k] -= S[k];
    double scale = sqrt(2/dot(n - k, v + k, v + k));
    for (int i = k; i < n; i++) v[i] *= scale;
    w->pivot0[k] = k;
  }
  /* as factors: unit lower triangle times diagonal */
  for (int i = 0; i < r; i++) {
    double *S = w->S0 + (size_t)i*(size_t)r;
    for (int k = 0; k < i; k++) S[k] /= w->S0[(size_t)k*(size_t)(r + 1)];
  }
  return TN_OK;
}

/* S [r][r] = C B1; C is overwritten */
static void times_B1(const tni_partition *p, double *C, double *S) {
  int n = p->n, r = p->r;
  for (int i = 0; i < r; i++) {
    double *c = C + (size_t)i*(size_t)n, *s = S + (size_t)i*(size_t)r;
    if (p->kind == TNI_TANGENT_PLANE) {
      for (int k = 0; k < r; k++) reflect_row(k, n, p->w->Q + (size_t)k*(size_t)n, c);
    }
    for (int k = 0; k < r; k++) s[k] = c[p->kind == TNI_COORDINATES ? p->dep[k] : k];
  }
}

/* out [n][k] = B1 U, U [r][k]; sum [k] */
static void B1_times(const tni_partition *p, int k, const double *U, double *out, double *sum) {
  int n = p->n, r = p->r;
  zero(out, n, k);
  for (int i = 0; i < r; i++) {
    int to = p->kind == TNI_COORDINATES ? p->dep[i] : i;
    memcpy(out + (size_t)to*(size_t)k, U + (size_t)i*(size_t)k, (size_t)k*sizeof(double));
  }
  if (p->kind == TNI_COORDINATES) return;
  for (int i = r - 1; i >= 0; i--) reflect(i, n, k, p->w->Q + (size_t)i*(size_t)n, out, sum);
}

/* out [nd][k] = B2^T X, X [n][k]; in the tangent plane B2 = P */
static void B2t_times(const tni_partition *p, int k, const double *X, double *out) {
  int n = p->n, nd = p->nd;
  if (p->kind == TNI_COORDINATES) {
    for (int i = 0; i < nd; i++) {
      memcpy(out + (size_t)i*(size_t)k, X + (size_t)p->ind[i]*(size_t)k, (size_t)k*sizeof(double));
    }
    return;
  }
  zero(out, nd, k);
  add_product(nd, n, k, 1, p->P, X, out);
}

void tni_partition_extract(const tni_partition *p, const double *x, double *y) {
  for (int i = 0; i < p->nd; i++) {
    y[i] = p->kind == TNI_COORDINATES ? x[p->ind[i]]
                                      : dot(p->n, p->P + (size_t)i*(size_t)p->n, x);
  }
}

void tni_partition_expand(const tni_partition *p, const double *y, double *x) {
  zero(x, 1, p->n);
  for (int k = 0; k < p->nd; k++) {
    const double *column = p->P + (size_t)k*(size_t)p->n;
    for (int j = 0; j < p->n; j++) x[j] += y[k]*column[j];
  }
}

/* C_u of the chosen coordinates: its factors and its condition number in the largest row sum */
static bool factor_coordinates(tni_partition *p, double *cond) {
  struct tni_partition_work *w = p->w;
  int r = p->r;
  double norm = 0, inverse = 0;
  times_B1(p, w->C, w->S0);
  for (int i = 0; i < r; i++) {
    double sum = 0;
    for (int k = 0; k < r; k++) sum += fabs(w->S0[(size_t)i*(size_t)r + (size_t)k]);
    norm = fmax(norm, sum);
  }
  if (!tni_lu_factor(r, w->S0, w->pivot0)) return false;
  zero(w->inverse, r, r);
  for (int i = 0; i < r; i++) w->inverse[(size_t)i*(size_t)(r + 1)] = 1;
  tni_lu_solve(r, w->S0, w->pivot0, r, w->inverse);
  for (int i = 0; i < r; i++) {
    double sum = 0;
    for (int k = 0; k < r; k++) sum += fabs(w->inverse[(size_t)i*(size_t)r + (size_t)k]);
    inverse = fmax(inverse, sum);
  }
  *cond = r ? norm*inverse : 1;
  return true;
}

/* P = B2 - B1 S^-1 C B2, in both storages */
static void make_P(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int n = p->n, r = p->r, nd = p->nd;
  if (p->kind == TNI_TANGENT_PLANE) {
    /* C B2 = 0 by construction */
    zero(w->P, n, nd);
    for (int k = 0; k < nd; k++) w->P[(size_t)(r + k)*(size_t)nd + (size_t)k] = 1;
    for (int i = r - 1; i >= 0; i--) reflect(i, n, nd, w->Q + (size_t)i*(size_t)n, w->P, w->u);
  } else {
    for (int i = 0; i < r; i++) {
      for (int k = 0; k < nd; k++) w->X[i*nd + k] = -w->C[i*n + p->ind[k]];
    }
    tni_lu_solve(r, w->S0, w->pivot0, nd, w->X);
    B1_times(p, nd, w->X, w->P, w->u);
    for (int k = 0; k < nd; k++) w->P[p->ind[k]*nd + k] = 1;
  }
  for (int k = 0; k < nd; k++) {
    for (int i = 0; i < n; i++) p->P[k*n + i] = w->P[i*nd + k];
  }
}

static tn_status choose(tni_partition *p, bool new_rows) {
  p->w->refreshed = false;
  if (p->kind == TNI_TANGENT_PLANE) {
    TN_TRY(choose_tangent_plane(p));
  } else {
    double cond;
    bool keep = !new_rows && p->cond0 > 0;
    keep = keep && factor_coordinates(p, &cond) && cond <= REPARTITION*p->cond0;
    if (!keep) {
      TN_TRY(choose_coordinates(p));
      if (!factor_coordinates(p, &cond)) return singular(p, p->r ? p->row[0] : -1);
      p->cond0 = cond;
    }
  }
  make_P(p);
  return TN_OK;
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* out [n][nd] = K P or L P of the rotations, zero elsewhere */
static void turn_terms(const tni_partition *p, bool second, double *out) {
  int nd = p->nd;
  zero(out, p->n, nd);
  for (int i = 0; i < p->nturn; i++) {
    int j = p->turn[i];
    double W[9], WW[9], T[9];
    mat3_skew(W, p->v + j);
    mat3_skew(T, p->a + j);
    mat3_mul(WW, W, W);
    for (int d = 0; d < 9; d++) T[d] = second ? WW[d]/6 - 0.5*T[d] : 0.5*W[d];
    add_product(3, 3, nd, 1, T, p->w->P + (size_t)j*(size_t)nd, out + (size_t)j*(size_t)nd);
  }
}

static void make_V(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int n = p->n, r = p->r, nd = p->nd;
  zero(w->X, r, nd);
  add_product(r, n, nd, -1, w->tan.Cv_q, w->P, w->X);
  tni_lu_solve(r, w->S0, w->pivot0, nd, w->X);
  B1_times(p, nd, w->X, w->V, w->u);
  if (p->nturn == 0) return;
  turn_terms(p, false, w->X);
  B2t_times(p, nd, w->X, w->G);
  add_product(n, nd, nd, 1, w->P, w->G, w->V);
}

/* R -= M Z X for the r x nd matrix in w->X, which is overwritten */
static void subtract_MZ(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  tni_lu_solve(p->r, w->S0, w->pivot0, p->nd, w->X);
  B1_times(p, p->nd, w->X, w->Y, w->u);
  add_product(p->n, p->n, p->nd, -1, w->tan.M, w->Y, w->R);
}

static void make_matrices(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int n = p->n, r = p->r, nd = p->nd;
  const tni_tangent *t = &w->tan;
  for (int i = 0; i < n*n; i++) w->F[i] = t->f_q[i] - t->Mv_q[i] - t->Ctl_q[i];

  zero(w->Y, n, nd);
  zero(p->Mhat, nd, nd);
  add_product(n, n, nd, 1, t->M, w->P, w->Y);
  add_inner(n, nd, 1, w->P, w->Y, p->Mhat);

  zero(w->R, n, nd);
  zero(w->X, r, nd);
  zero(p->M1, nd, nd);
  add_product(n, n, nd, 1, t->f_v, w->P, w->R);
  add_product(r, n, nd, 1, t->gamma_v, w->P, w->X);
  subtract_MZ(p);
  add_inner(n, nd, -1, w->P, w->R, p->M1);

  make_V(p);
  zero(w->R, n, nd);
  zero(w->X, r, nd);
  zero(p->M2, nd, nd);
  add_product(n, n, nd, 1, w->F, w->P, w->R);
  add_product(n, n, nd, 1, t->f_v, w->V, w->R);
  add_product(r, n, nd, 1, t->gamma_q, w->P, w->X);
  add_product(r, n, nd, 1, t->gamma_v, w->V, w->X);
  add_product(r, n, nd, -1, t->Ca_q, w->P, w->X);
  subtract_MZ(p);
  add_inner(n, nd, -1, w->P, w->R, p->M2);
  if (p->nturn) {
    turn_terms(p, true, w->X);
    B2t_times(p, nd, w->X, w->G);
    add_product(nd, nd, nd, -1, p->Mhat, w->G, p->M2);
  }
  for (int k = 0; k < nd; k++) p->gt[k] = dot(n, p->P + (size_t)k*(size_t)n, t->f_t);
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
    TN_TRY(tni_partition_accel(p, t, w->q, w->vv, w->dx, NULL, NULL, side < 0 ? p->gt : w->ydd,
                               &cause));
  }
  for (int k = 0; k < p->nd; k++) w->ydd[k] = (w->ydd[k] - p->gt[k])/(2*step);
  zero(p->gt, 1, p->nd);
  add_product(p->nd, p->nd, 1, 1, p->Mhat, w->ydd, p->gt);
  return TN_OK;
}

tn_status tni_partition_begin(tni_partition *p, double t, const double *q, const double *v,
                              const double *a, const double *lambda, double h, bool rheonomic) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  size_t bytes = (size_t)p->n*sizeof(double);
  p->t = t;
  memcpy(p->q, q, (size_t)s->nq*sizeof(double));
  memcpy(p->v, v, bytes);
  memcpy(p->a, a, bytes);
  TN_TRY(s->ops->tangent(s, t, q, v, a, lambda, &w->tan));
  bool new_rows = take_rows(p);
  if (p->r < s->m) {
    double *rows[] = {w->tan.Cv_q, w->tan.Ca_q, w->tan.gamma_q, w->tan.gamma_v};
    for (int i = 0; i < TNI_COUNT(rows); i++) compact(p, rows[i]);
  }
  TN_TRY(choose(p, new_rows));
  make_matrices(p);
  return rheonomic ? differences_in_time(p, h) : TN_OK;
}

/* ---- recovery ------------------------------------------------------------------------------ */

/* x = B1 S^-1 (residuals of the rows in use); returns its largest entry */
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
  tni_lu_solve(p->r, w->refreshed ? w->S : w->S0, w->refreshed ? w->pivot : w->pivot0, 1, w->u);
  double sum;
  B1_times(p, 1, w->u, x, &sum);
  for (int j = 0; j < p->n; j++) {
    if (!(fabs(x[j]) <= largest)) largest = fabs(x[j]);
  }
  return largest;
}

/* Factor C T B1 at the present q, xi: T mixes columns of C, C T e_j = C (T e_j). */
static tn_status refresh(tni_partition *p, double t, const double *q) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  tni_tangent out = {.C = w->Cfull};
  memset(w->vv, 0, (size_t)p->n*sizeof(double));
  TN_TRY(s->ops->tangent(s, t, q, w->vv, NULL, NULL, &out));
  compact(p, w->Cfull);
  for (int k = 0; k < p->nturn; k++) {
    const double *x = p->xi + p->turn[k];
    turn_series c = series(x);
    for (int i = 0; i < p->r; i++) {
      /* row times T: T^T = 1 + a ~x + b ~x^2 */
      double *cx = w->Cfull + i*p->n + p->turn[k], y[3];
      turn_apply(x, c.a, c.b, cx, y);
      vec3_copy(cx, y);
    }
  }
  times_B1(p, w->Cfull, w->S);
  p->nrefresh++;
  w->refreshed = true;
  return tni_lu_factor(p->r, w->S, w->pivot) ? TN_OK : TN_SINGULAR;
}

/* Newton with the factors of the beginning of the step, or with new ones when that is too slow, on
 * positions (velocity false) or on velocities at given positions. */
static tn_status iterate(tni_partition *p, double t, bool velocity, double *q, double *v,
                         tni_cause *cause) {
  tni_system *s = p->s;
  struct tni_partition_work *w = p->w;
  double *unknown = velocity ? p->xid : p->xi, before = DBL_MAX, scale = 1;
  bool fresh = false;
  if (velocity) {
    for (int j = 0; j < p->n; j++) scale = fmax(scale, fabs(unknown[j]));
  }
  *cause = (tni_cause){TNI_CAUSE_PROJECT, -1, 0};
  for (int k = 0; k < RECOVER_MAX; k++) {
    if (!tni_partition_place(p, p->xi, p->xid, q, velocity ? v : NULL)) return TN_STEP_REJECTED;
    if (p->r == 0) return TN_OK;
    if (velocity) s->ops->rate(s, t, q, v, w->rows);
    else s->ops->phi(s, t, q, w->rows);
    s->work.nnewton++;
    double change = correction(p, w->x, &cause->index);
    if (cause->index >= 0) cause->value = fabs(w->rows[cause->index]);
    if (!isfinite(change)) return TN_STEP_REJECTED;
    for (int j = 0; j < p->n; j++) unknown[j] -= w->x[j];
    if (!tni_partition_place(p, p->xi, p->xid, q, velocity ? v : NULL)) return TN_STEP_REJECTED;
    if (change <= p->tol*scale) return TN_OK;
    if (change > SLOW*before) {
      /* near a singular position residuals of rounding size still ask for larger corrections */
      if (fresh && cause->value <= RESIDUAL_FLOOR*scale) return TN_OK;
      if (fresh && change >= before) return TN_STEP_REJECTED;
      if (refresh(p, t, q) != TN_OK) return TN_STEP_REJECTED;
      fresh = true;
    }
    before = change;
  }
  return TN_STEP_REJECTED;
}

tn_status tni_partition_recover(tni_partition *p, double t, const double *y, const double *yd,
                                double *q, double *v, tni_cause *cause) {
  struct tni_partition_work *w = p->w;
  double tau = t - p->t;
  /* start: free flight with the accelerations of the beginning, moved along P to the wanted y */
  for (int j = 0; j < p->n; j++) {
    p->xi[j] = tau*(p->v[j] + 0.5*tau*p->a[j]);
    p->xid[j] = p->v[j] + tau*p->a[j];
  }
  for (int level = 0; level < 2; level++) {
    double *x = level ? p->xid : p->xi;
    tni_partition_extract(p, x, w->dy);
    for (int k = 0; k < p->nd; k++) w->dy[k] = (level ? yd : y)[k] - w->dy[k];
    tni_partition_expand(p, w->dy, w->dx);
    for (int j = 0; j < p->n; j++) x[j] += w->dx[j];
  }
  w->refreshed = false;
  TN_TRY(iterate(p, t, false, q, v, cause));
  return iterate(p, t, true, q, v, cause);
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

/* ---- restart ------------------------------------------------------------------------------- */

void tni_partition_save(const tni_partition *p, double *state) {
  state[0] = p->cond0;
  memset(state + 1, 0, (size_t)p->n*sizeof(double));
  if (p->kind == TNI_TANGENT_PLANE) return;
  for (int i = 0; i < p->r; i++) state[1 + p->dep[i]] = 1;
}

void tni_partition_load(tni_partition *p, const double *state) {
  int nu = 0, nd = 0;
  p->cond0 = state[0];
  for (int j = 0; j < p->n; j++) {
    if (state[1 + j] != 0) p->dep[nu++] = j;
    else p->ind[nd++] = j;
  }
  p->r = nu;
  p->nd = nd;
  for (int i = 0, r = 0; i < p->s->m && r < nu; i++) {
    if (!p->s->rank || p->s->rank->independent[i]) p->row[r++] = i;
  }
}
