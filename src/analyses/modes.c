/* analyses/modes.c - small motions about an equilibrium or a steady motion
 *
 * The state may move, as long as it is steady in some frame that turns with the constant angular
 * velocity Omega: a = Omega x v of all centres of mass and, for angular velocities W in ground
 * axes, W' = Omega x W. Omega is the shortest vector that meets this best. Displacements are
 * followed in that frame; with delta = Z y in local perturbations, ~Omega acting on translations in
 * ground axes and on rotations in body axes (W below), and G = (0, ~w) with the angular velocity w of
 * the body,
 *
 *   delta v = Z y' + W Z y
 *   delta a = Z y'' + (2 W - G) Z y' + (W^2 - G W) Z y
 *
 * and the equations of motion M a + C^T lambda = f, linearised and projected by Z^T, become
 *
 *   y'' + D y' + K y = 0
 *   D = Z^T (M (2 W - G) - f_v) Z
 *   K = Z^T (M (W^2 - G W) + d(M a)/dq + d(C^T lambda)/dq - f_q - f_v W) Z
 *
 * With D = 0 and K symmetric this is a symmetric eigenproblem (LAPACK dsyev), else that of the
 * first-order system (dgeev).
 *
 * Thin beams: their nodes have next to no rotary inertia, so that the largest eigenvalue of K can be
 * 1e18 times the smallest, which rounding then hides. The directions are measured with a lever
 * instead, which leaves a mass matrix M_y and a K of moderate range, and the lower half of the
 * frequencies comes from the inverse problem M_y x = theta (K + shift M_y) x, theta = 1/(w^2 + shift)
 * (dsygv), with damping from the pencil of the first-order system (dggev).
 *
 * Large models, and those with beams: by analyses/modes_sparse.c.
 *
 * Zero eigenvalues: the null vectors of K are displacements at no cost; each gives one zero, and a
 * second one when the drift along it is free too, U^T D n = 0 with the left null vectors U. Their
 * number is counted so, because rounding splits double zeros to the root of its size.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/modes.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/modes_mesh.h"
#include "analyses/modes_sparse.h"
#include "analyses/run.h"
#include "analyses/statics.h"
#include "analyses/summary.h"
#include "linsolve/lapack.h"
#include "nonlinear/equilibrium.h"
#include "system/parts.h"

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

static const double TWO_PI = 6.283185307179586;
/* damping and gyroscopic terms, asymmetry: below this they are rounding */
static const double NEGLIGIBLE = 1e-11;
/* motion that is not steady by more than this is worth a warning */
static const double UNSTEADY = 1e-6;
/* lever in parts of the size of the model, and the inertia that needs one, in parts of m lever^2 */
static const double LEVER = 0.1, THIN = 1e-3;
/* animation: frames per period, and how far the most moved body goes */
enum { FRAMES = 24, FEW_FRAMES = 2, LARGE_MESH = 5000 }; /* of a large mesh the shape, and the other way */
/* modes computed when nobody says how many: all of small models, these of large ones */
enum { MOST_FOR_ALL = 600, USUAL_MODES = 20 };
static const double SHOWN_TURN = 0.25, SHOWN_MOVE = 0.1;

typedef struct {
  tn_sim *sim;
  tni_arena *arena;
  tni_tangent_space ts;
  int n, nd;
  double *K, *D;        /* [nd][nd] row-major                                                    */
  double *My;           /* [nd][nd] mass along the directions; NULL: 1                           */
  double zero;          /* size of a K that is rounding                                          */
  double *re, *im, *Y;  /* [nd or 2 nd] eigenvalues; [2 nd][2][nd] vectors of those kept         */
  double *rigid;        /* [nrigid][nd] null vectors of K                                        */
  int nvalue;
  double *mass;         /* [n] diagonal of M                                                     */
  double *off_by;       /* [nvalue] of large models                                              */
} work;

/* ---- the frame ----------------------------------------------------------------------------- */

/* Omega of least norm with Omega x x_i = y_i in the least-squares sense, sum of weights: the normal
 * matrix is sum w (x.x 1 - x x^T), right-hand side sum w x x y */
static void solve_spin(const double N[9], const double b[3], double spin[3]) {
  double A[9], value[3], scratch[16];
  memcpy(A, N, sizeof(A));
  memset(spin, 0, 3*sizeof(double));
  if (tni_syev('V', 'L', 3, A, 3, value, scratch, 16) != 0) return;
  for (int k = 0; k < 3; k++) {
    if (!(value[k] > 1e-12*value[2])) continue;
    double c = vec3_dot(A + 3*k, b)/value[k];
    vec3_addmul(spin, c, A + 3*k);
  }
}

static void find_spin(const tn_sim *sim, const tni_tangent_space *ts, tni_modes *out) {
  const tni_data *s = sim->s;
  const tni_layout *L = s->layout;
  double N[9] = {0}, b[3] = {0}, off = 0, size = 0, mass = 0;
  bool known = vec3_dot(sim->set.spin, sim->set.spin) > 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < L->nnode; i++) {
      tni_inertia node = tni_node_inertia(s, i);
      tni_kin k;
      double a6[6], al[3], inertia = (node.I[0] + node.I[4] + node.I[8])/3;
      tni_layout_node_kin(L, i, sim->at.q, sim->at.v, &k);
      tni_layout_spread(L, i, sim->at.a, a6);
      mat3_vec(al, k.A, a6 + 3);
      for (int part = 0; part < 2; part++) {
        const double *x = part ? k.W : k.v, *y = part ? al : a6;
        double weight = part ? inertia : node.mass, c[3], d[3];
        if (pass == 0) {
          vec3_cross(c, x, y);
          vec3_addmul(b, weight, c);
          for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
              N[3*p + q] += weight*((p == q)*vec3_dot(x, x) - x[p]*x[q]);
        } else {
          vec3_cross(c, out->spin, x);
          vec3_sub(d, y, c);
          off += weight*vec3_dot(d, d);
          size += weight*(vec3_dot(y, y) + vec3_dot(c, c));
        }
      }
    }
    if (pass == 0 && known) vec3_copy(out->spin, sim->set.spin);
    else if (pass == 0) solve_spin(N, b, out->spin);
  }
  /* what rounding of positions makes of the stiffness is no acceleration */
  for (int i = 0; i < L->nnode; i++) {
    tni_inertia node = tni_node_inertia(s, i);
    mass += node.mass + node.I[0] + node.I[8];
  }
  double scale = sqrt(size) + ts->fscale + 1e-8*ts->kscale*sqrt(mass);
  out->unsteady = off > 0 ? sqrt(off)/scale : 0;
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* out = block diagonal B [n][n] times Z^T columns: X [nd][n] row by row; B of body i is (T, R) */
static void apply_turn(const tn_sim *sim, const double T[3], bool own, const double *Z, int nd,
                       double *out) {
  const tni_layout *L = sim->s->layout;
  for (int i = 0; i < L->nnode; i++) {
    tni_kin k;
    double Tb[3], zero[3] = {0, 0, 0};
    tni_layout_node_kin(L, i, sim->at.q, sim->at.v, &k);
    if (own) vec3_copy(Tb, k.w); /* G: nothing for translations, ~w for rotations */
    else mat3_tvec(Tb, k.A, T);
    for (int d = 0; d < nd; d++) {
      size_t at = (size_t)d*(size_t)sim->s->nv;
      double z6[6], o6[6];
      tni_layout_spread(L, i, Z + at, z6);
      vec3_cross(o6, own ? zero : T, z6);
      vec3_cross(o6 + 3, Tb, z6 + 3);
      tni_layout_pick(L, i, o6, out + at);
    }
  }
}

/* out [nd][nd] += factor Z^T A X with X [nd][n] holding columns as rows */
static void add_product(const work *w, double factor, const double *A, const double *X,
                        double *scratch, double *out) {
  int n = w->n, nd = w->nd;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, nd, n, n, 1, X, n, A, n, 0, scratch, n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, nd, nd, n, factor, w->ts.Z, n, scratch, n, 1,
              out, nd);
}

/* is there a node whose rotary inertia is next to nothing on the scale of the model? */
static bool needs_lever(const tn_sim *sim, double *lever) {
  const tni_layout *L = sim->s->layout;
  double a = LEVER*tni_nodes_extent(sim->s, sim->at.q);
  *lever = 0;
  for (int i = 0; i < L->nnode; i++) {
    tni_inertia node = tni_node_inertia(sim->s, i);
    double least = sim->model->planar ? node.I[8] : fmin(node.I[0], fmin(node.I[4], node.I[8]));
    if (least < THIN*node.mass*a*a) *lever = a;
  }
  return *lever > 0;
}

static double norm_of(const double *A, int n) { return cblas_dnrm2(n*n, A, 1); }

static tn_status build(work *w, tni_modes *out) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  size_t n = (size_t)s->nv, m = (size_t)s->m;
  double *f_q, *f_v, *Mv_q, *Ctl_q, *Cv_q, *WZ, *GZ, *X, *S;
  double **square[] = {&f_q, &f_v, &Mv_q, &Ctl_q};
  double **wide[] = {&WZ, &GZ, &X, &S};
  for (int i = 0; i < TNI_COUNT(square); i++) TNI_ARENA_NEW(w->arena, *square[i], n*n);
  for (int i = 0; i < TNI_COUNT(wide); i++) TNI_ARENA_NEW(w->arena, *wide[i], n*n);
  TNI_ARENA_NEW(w->arena, Cv_q, m*n);
  bool thin = needs_lever(sim, &w->ts.lever);
  TN_TRY(tni_tangent_space_update(&w->ts, sim->at.t, sim->at.q));
  w->n = s->nv;
  w->nd = w->ts.nd;
  w->zero = 50*w->ts.kscale*w->n*DBL_EPSILON;
  size_t nd = (size_t)w->nd;
  TNI_ARENA_NEW(w->arena, w->K, nd*nd);
  TNI_ARENA_NEW(w->arena, w->D, nd*nd);
  if (thin) TNI_ARENA_NEW(w->arena, w->My, nd*nd);
  if (thin) add_product(w, 1, w->ts.M, w->ts.Z, S, w->My);
  tni_system_commit(s, sim->at.t, sim->at.q, sim->at.v, true);
  tni_eval_bodies(s, sim->at.t, sim->at.q, sim->at.v, sim->at.a);
  find_spin(sim, &w->ts, out);
  tni_tangent tangent = {.f_q = f_q, .f_v = f_v, .Mv_q = Mv_q, .Ctl_q = Ctl_q,
                         .Cv_q = m ? Cv_q : NULL};
  TN_TRY(tni_eval_tangent(s, sim->at.t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, &tangent));
  tni_eval_bodies(s, sim->at.t, sim->at.q, sim->at.v, sim->at.a);
  const double *Z = w->ts.Z;
  apply_turn(sim, out->spin, false, Z, w->nd, WZ);
  apply_turn(sim, out->spin, true, Z, w->nd, GZ);
  for (size_t i = 0; i < n*n; i++) X[i] = 2*WZ[i] - GZ[i];
  add_product(w, 1, w->ts.M, X, S, w->D);
  add_product(w, -1, f_v, Z, S, w->D);
  /* W^2 Z - G W Z */
  apply_turn(sim, out->spin, false, WZ, w->nd, X);
  apply_turn(sim, out->spin, true, WZ, w->nd, GZ);
  for (size_t i = 0; i < n*n; i++) X[i] -= GZ[i];
  add_product(w, 1, w->ts.M, X, S, w->K);
  add_product(w, -1, f_v, WZ, S, w->K);
  for (size_t i = 0; i < n*n; i++) Mv_q[i] += Ctl_q[i] - f_q[i];
  add_product(w, 1, Mv_q, Z, S, w->K);
  if (m > 0) {
    /* a motion that is steady keeps the constraints under constant y: C W Z + d(C v)/dq Z = 0 */
    double off = 0, size = 0;
    for (size_t d = 0; d < nd; d++)
      for (size_t r = 0; r < m; r++) {
        double a = cblas_ddot((int)n, w->ts.C + r*n, 1, WZ + d*n, 1);
        double b = cblas_ddot((int)n, Cv_q + r*n, 1, Z + d*n, 1);
        off = fmax(off, fabs(a + b));
        size = fmax(size, fabs(a) + fabs(b));
      }
    if (size > 0) out->unsteady = fmax(out->unsteady, off/fmax(size, vec3_norm(out->spin)));
  }
  return TN_OK;
}

/* ---- eigenvalues --------------------------------------------------------------------------- */

/* |sigma|^2 ascending, then the imaginary part */
typedef struct {
  double re, im;
  int index;
} sorted;

static int by_size(const void *a, const void *b) {
  const sorted *x = a, *y = b;
  double u = x->re*x->re + x->im*x->im, v = y->re*y->re + y->im*y->im;
  if (u != v) return u < v ? -1 : 1;
  return x->index - y->index;
}

/* symmetric, undamped: sigma^2 = -Lambda */
static tn_status solve_symmetric(work *w, int *nrigid) {
  int nd = w->nd;
  double *A, *value, *scratch;
  TNI_ARENA_NEW(w->arena, A, nd*nd);
  TNI_ARENA_NEW(w->arena, value, nd);
  TNI_ARENA_NEW(w->arena, scratch, 34*(nd + 2));
  for (int i = 0; i < nd; i++)
    for (int j = 0; j < nd; j++) A[i*nd + j] = 0.5*(w->K[i*nd + j] + w->K[j*nd + i]);
  if (nd > 0 && tni_syev('V', 'L', nd, A, nd, value, scratch,
                                   34*(nd + 2)) != 0)
    return TN_FAIL(w->sim->ctx, TN_NOT_CONVERGED, "the eigenvalues were not found");
  w->nvalue = nd;
  *nrigid = 0;
  for (int i = 0; i < nd; i++) {
    bool rigid = fabs(value[i]) <= w->zero;
    *nrigid += rigid;
    w->re[i] = rigid || value[i] > 0 ? 0 : sqrt(-value[i]); /* the growing one of the two */
    w->im[i] = rigid || value[i] < 0 ? 0 : sqrt(value[i]);
    memcpy(w->Y + (size_t)i*2*(size_t)nd, A + (size_t)i*(size_t)nd, (size_t)nd*sizeof(double));
  }
  return TN_OK;
}

/* eigenvalues and vectors of A x = value B x, both overwritten: x in A, B-normalised */
static tn_status symmetric_pair(work *w, double *A, double *B, double *value, bool *definite) {
  int nd = w->nd, lwork = 34*(nd + 2);
  double *scratch;
  TNI_ARENA_NEW(w->arena, scratch, lwork);
  int info = tni_sygv(1, 'V', 'L', nd, A, nd, B, nd, value, scratch,
                                       lwork);
  *definite = info <= nd;
  if (info != 0 && info <= nd)
    return TN_FAIL(w->sim->ctx, TN_NOT_CONVERGED, "the eigenvalues were not found");
  return TN_OK;
}

/* the same with a mass matrix of a wide range: see the head of the file */
static tn_status solve_thin(work *w, int *nrigid) {
  int nd = w->nd, negative = 0, first = -1;
  size_t size = (size_t)nd*(size_t)nd, bytes = size*sizeof(double);
  double *K, *A, *B, *X, *kappa, *theta, *direct, *scratch, shift = 0, lowest = 0;
  double **square[] = {&K, &A, &B, &X}, **vector[] = {&kappa, &theta, &direct};
  bool definite;
  for (int i = 0; i < TNI_COUNT(square); i++) TNI_ARENA_NEW(w->arena, *square[i], size);
  for (int i = 0; i < TNI_COUNT(vector); i++) TNI_ARENA_NEW(w->arena, *vector[i], nd);
  TNI_ARENA_NEW(w->arena, scratch, 34*(nd + 2));
  for (int i = 0; i < nd; i++)
    for (int j = 0; j < nd; j++) K[i*nd + j] = 0.5*(w->K[i*nd + j] + w->K[j*nd + i]);
  /* K alone: how many are negative or zero, and roughly the lowest frequency */
  memcpy(A, K, bytes);
  if (tni_syev('V', 'L', nd, A, nd, kappa, scratch, 34*(nd + 2)) != 0)
    return TN_FAIL(w->sim->ctx, TN_NOT_CONVERGED, "the eigenvalues were not found");
  *nrigid = 0;
  for (int i = 0; i < nd; i++) {
    negative += kappa[i] < -w->zero;
    *nrigid += fabs(kappa[i]) <= w->zero;
    if (first < 0 && kappa[i] > w->zero) first = i;
  }
  if (first >= 0) {
    const double *x = A + (size_t)first*(size_t)nd;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, nd, nd, 1, w->My, nd, x, 1, 0, scratch, 1);
    lowest = kappa[first]/cblas_ddot(nd, x, 1, scratch, 1);
  }
  if (negative || *nrigid) shift = lowest > 0 ? lowest : 1;
  for (int k = 0; k < 60; k++, shift *= 4) {
    memcpy(X, w->My, bytes);
    for (size_t i = 0; i < size; i++) B[i] = K[i] + shift*w->My[i];
    TN_TRY(symmetric_pair(w, X, B, theta, &definite));
    if (definite) break;
    if (shift == 0) shift = 0.25*lowest;
  }
  memcpy(A, K, bytes);
  memcpy(B, w->My, bytes);
  bool definite_mass;
  TN_TRY(symmetric_pair(w, A, B, direct, &definite_mass));
  if (!definite || !definite_mass)
    return TN_FAIL(w->sim->ctx, TN_SINGULAR, "the mass matrix is not positive definite");
  /* errors are eps max(theta) below and eps max(w^2) above: they meet in the geometric mean */
  double limit = sqrt(fabs(direct[nd - 1])/theta[nd - 1]);
  w->nvalue = nd;
  for (int i = 0; i < nd; i++) {
    double low = 1/theta[nd - 1 - i] - shift;
    bool inverse = theta[nd - 1 - i] > 0 && low + shift <= limit;
    double value = inverse ? low : direct[i];
    const double *x = inverse ? X + (size_t)(nd - 1 - i)*(size_t)nd : A + (size_t)i*(size_t)nd;
    bool rigid = i >= negative && i < negative + *nrigid;
    w->re[i] = rigid || value > 0 ? 0 : sqrt(-value);
    w->im[i] = rigid || value < 0 ? 0 : sqrt(value);
    memcpy(w->Y + (size_t)i*2*(size_t)nd, x, (size_t)nd*sizeof(double));
  }
  return TN_OK;
}

/* Zero eigenvalues of the first-order system: displacements at no cost, and drifts. */
static tn_status count_zeros(work *w, int *displacements, int *all) {
  int nd = w->nd, k = 0;
  size_t size = (size_t)nd*(size_t)nd;
  double *A, *U, *V, *value, *scratch, *B, *DV;
  int lwork = 64*(nd + 2);
  TNI_ARENA_NEW(w->arena, A, size);
  TNI_ARENA_NEW(w->arena, U, size);
  TNI_ARENA_NEW(w->arena, V, size);
  TNI_ARENA_NEW(w->arena, B, size);
  TNI_ARENA_NEW(w->arena, DV, size);
  TNI_ARENA_NEW(w->arena, value, nd);
  TNI_ARENA_NEW(w->arena, scratch, lwork);
  /* row-major K is the transpose for LAPACK: left and right change places */
  memcpy(A, w->K, size*sizeof(double));
  if (tni_gesvd('A', 'A', nd, nd, A, nd, value, V, nd, U, nd, scratch,
                          lwork) != 0)
    return TN_FAIL(w->sim->ctx, TN_NOT_CONVERGED, "the singular values were not found");
  while (k < nd && value[nd - 1 - k] <= w->zero) k++;
  *displacements = *all = k;
  if (k == 0) return TN_OK;
  TNI_ARENA_NEW(w->arena, w->rigid, (size_t)k*(size_t)nd);
  memcpy(w->rigid, V + (size_t)(nd - k)*(size_t)nd, (size_t)k*(size_t)nd*sizeof(double));
  /* null vectors: the last k columns of V (K n = 0), the last k rows of U (u^T K = 0) */
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      double sum = 0;
      for (int p = 0; p < nd; p++)
        for (int q = 0; q < nd; q++)
          sum += U[(size_t)p*(size_t)nd + (size_t)(nd - k + i)]*w->D[p*nd + q]*
                 V[(size_t)(nd - k + j)*(size_t)nd + (size_t)q];
      B[i*k + j] = sum;
    }
  double *small = DV;
  if (tni_gesvd('N', 'N', k, k, B, k, small, U, 1, V, 1, scratch,
                          lwork) != 0)
    return TN_FAIL(w->sim->ctx, TN_NOT_CONVERGED, "the singular values were not found");
  double scale = sqrt(w->zero/(50*w->n*DBL_EPSILON)) + norm_of(w->D, nd);
  for (int i = 0; i < k; i++) *all += small[i] <= 1e-9*scale;
  return TN_OK;
}

static tn_status solve_general(work *w, int *nrigid) {
  int nd = w->nd, N = 2*nd, lwork = 10*N + 8, zeros = 0;
  size_t size = (size_t)N*(size_t)N;
  double *A, *V, *scratch, *re, *im;
  sorted *order;
  TNI_ARENA_NEW(w->arena, A, size);
  TNI_ARENA_NEW(w->arena, V, size);
  TNI_ARENA_NEW(w->arena, scratch, lwork);
  TNI_ARENA_NEW(w->arena, re, N);
  TNI_ARENA_NEW(w->arena, im, N);
  TNI_ARENA_NEW(w->arena, order, N);
  TN_TRY(count_zeros(w, nrigid, &zeros));
  /* time in units in which K is of size 1: (y, y'/c)' = c (0, 1; -K/c^2, -D/c) */
  double c = fmax(sqrt(norm_of(w->K, nd)), norm_of(w->D, nd));
  if (!(c > 0)) c = 1;
  for (int i = 0; i < nd; i++) {
    A[(size_t)(nd + i)*(size_t)N + (size_t)i] = 1;
    for (int j = 0; j < nd; j++) {
      A[(size_t)j*(size_t)N + (size_t)(nd + i)] = -w->K[i*nd + j]/(c*c);
      A[(size_t)(nd + j)*(size_t)N + (size_t)(nd + i)] = -w->D[i*nd + j]/c;
    }
  }
  int info;
  if (w->My) {
    double *B, *beta;
    TNI_ARENA_NEW(w->arena, B, size);
    TNI_ARENA_NEW(w->arena, beta, N);
    for (int i = 0; i < nd; i++) {
      B[(size_t)i*(size_t)N + (size_t)i] = 1;
      for (int j = 0; j < nd; j++) B[(size_t)(nd + j)*(size_t)N + (size_t)(nd + i)] = w->My[i*nd + j];
    }
    info = tni_ggev('N', 'V', N, A, N, B, N, re, im, beta, NULL, 1, V, N,
                              scratch, lwork);
    for (int i = 0; i < N; i++) {
      double b = fmax(fabs(beta[i]), DBL_MIN);
      re[i] /= b;
      im[i] /= b;
    }
  } else {
    info = tni_geev('N', 'V', N, A, N, re, im, NULL, 1, V, N, scratch,
                              lwork);
  }
  if (info != 0) return TN_FAIL(w->sim->ctx, TN_NOT_CONVERGED, "the eigenvalues were not found");
  for (int i = 0; i < N; i++) order[i] = (sorted){c*re[i], c*im[i], i};
  qsort(order, (size_t)N, sizeof(*order), by_size);
  w->nvalue = 0;
  for (int k = 0; k < N; k++) {
    /* of the zeros as many as there are displacements; of a pair the upper one */
    if ((k < zeros && k >= *nrigid) || (k >= zeros && order[k].im < 0)) continue;
    int at = order[k].index;
    bool pair = im[at] != 0;
    const double *x = k < zeros ? w->rigid + (size_t)k*(size_t)nd : V + (size_t)at*(size_t)N;
    double *Y = w->Y + (size_t)w->nvalue*2*(size_t)nd;
    memcpy(Y, x, (size_t)nd*sizeof(double));
    if (pair && k >= zeros) memcpy(Y + nd, x + N, (size_t)nd*sizeof(double));
    w->re[w->nvalue] = k < zeros ? 0 : order[k].re;
    w->im[w->nvalue] = k < zeros ? 0 : order[k].im;
    w->nvalue++;
  }
  return TN_OK;
}

/* ---- modes --------------------------------------------------------------------------------- */

/* sparse: shapes are displacements already */
static void expand(const work *w, const double *Y, double *delta) {
  if (w->ts.sparse) memcpy(delta, Y, (size_t)w->n*sizeof(double));
  else tni_tangent_expand(&w->ts, Y, delta);
}

static void times_mass(const work *w, const double *x, double *Mx) {
  if (w->ts.sparse) {
    memset(Mx, 0, (size_t)w->n*sizeof(double));
    tni_sparse_add(w->ts.s->square, 1, w->ts.sparse->M, x, Mx);
  } else {
    cblas_dgemv(CblasRowMajor, CblasNoTrans, w->n, w->n, 1, w->ts.M, w->n, x, 1, 0, Mx, 1);
  }
}

/* shape of a mode from its y: unit mass, largest component real */
static tn_status fill_shape(const work *w, const double *Y, tni_mode *mode) {
  int n = w->n, nd = w->nd;
  double *shape, most = 0, sum = 0, c = 1, s = 0;
  TNI_ARENA_NEW(w->arena, shape, 2*(size_t)n);
  expand(w, Y, shape);
  expand(w, Y + nd, shape + n);
  for (int part = 0; part < 2; part++) {
    double *Mx = w->ts.a0;
    times_mass(w, shape + part*n, Mx);
    sum += cblas_ddot(n, shape + part*n, 1, Mx, 1);
  }
  const tni_layout *L = w->sim->s->layout;
  double best = -1;
  for (int b = 0; b < L->nnode; b++) {
    double energy = 0, top = -1;
    int at = L->vadr[b];
    for (int i = L->vadr[b]; i < L->vadr[b] + L->size[b]; i++) {
      double size = shape[i]*shape[i] + shape[n + i]*shape[n + i];
      double e = size*w->mass[i];
      energy += e;
      if (e > top*(1 + 1e-9)) top = e, at = i;
      if (e > most*(1 + 1e-9)) {
        double length = sqrt(size);
        most = e;
        c = shape[i]/length;
        s = -shape[n + i]/length;
      }
    }
    if (energy > best*(1 + 1e-9)) {
      best = energy;
      mode->body = b;
      mode->component = at;
    }
  }
  mode->share = sum > 0 ? fmin(1, best/sum) : 0;
  /* |Y| is the length in the measure in which K is exact to n roundings of its size; sum is |Y|^2 by mass */
  double size2 = mode->re*mode->re + mode->im*mode->im;
  if (!w->ts.sparse && size2*sum > 0)
    mode->off_by = 0.5*n*DBL_EPSILON*w->ts.kscale*cblas_ddot(2*nd, Y, 1, Y, 1)/(size2*sum);
  double scale = sum > 0 ? 1/sqrt(sum) : 1;
  for (int i = 0; i < n; i++) {
    double x = shape[i], y = shape[n + i];
    shape[i] = scale*(c*x - s*y);
    shape[n + i] = scale*(s*x + c*y);
  }
  mode->shape = shape;
  return TN_OK;
}

/* rigid modes with a component of their own each, instead of any mixture; they come first */
static tn_status separate_rigid(const work *w, const sorted *order, int nrigid) {
  double *delta;
  int *component;
  TNI_ARENA_NEW(w->arena, delta, (size_t)nrigid*(size_t)w->n);
  TNI_ARENA_NEW(w->arena, component, nrigid);
  for (int i = 0; i < nrigid; i++)
    expand(w, w->Y + (size_t)order[i].index*2*(size_t)w->nd, delta + (size_t)i*(size_t)w->n);
  tni_tangent_separate(&w->ts, nrigid, delta, component);
  for (int i = 0; i < nrigid; i++) {
    double *Y = w->Y + (size_t)order[i].index*2*(size_t)w->nd, *x = delta + (size_t)i*(size_t)w->n;
    if (w->ts.sparse) memcpy(Y, x, (size_t)w->n*sizeof(double));
    else tni_tangent_reduce(&w->ts, x, Y);
  }
  return TN_OK;
}

static tn_status collect(const work *w, int nrigid, tni_modes *out) {
  sorted *order;
  TNI_ARENA_NEW(w->arena, order, w->nvalue);
  TNI_ARENA_NEW(w->arena, out->mode, w->nvalue);
  for (int i = 0; i < w->nvalue; i++) order[i] = (sorted){w->re[i], w->im[i], i};
  qsort(order, (size_t)w->nvalue, sizeof(*order), by_size);
  TN_TRY(separate_rigid(w, order, nrigid));
  /* growth below rounding is none; of a pencil with a wide range, and pairs that nearly meet, the root */
  double least = w->My || w->ts.sparse ? 1e-6 : 1e-9;
  int most = w->sim->set.nmodes > 0 ? w->sim->set.nmodes : w->nvalue;
  for (int i = 0; i < w->nvalue && i < most; i++) {
    tni_mode *mode = &out->mode[out->nmode++];
    double size = hypot(order[i].re, order[i].im);
    mode->re = order[i].re;
    mode->im = order[i].im;
    mode->kind = i < nrigid ? TNI_MODE_RIGID : mode->im > 0 ? TNI_MODE_OSCILLATING : TNI_MODE_REAL;
    mode->frequency = size/TWO_PI;
    mode->damping = size > 0 ? (0 - mode->re)/size : 0;
    if (w->off_by) mode->off_by = w->off_by[order[i].index];
    mode->unstable = mode->re > fmax(least, mode->off_by)*size;
    out->nunstable += mode->unstable;
    TN_TRY(fill_shape(w, w->Y + (size_t)order[i].index*2*(size_t)w->nd, mode));
  }
  out->nrigid = nrigid < out->nmode ? nrigid : out->nmode;
  return TN_OK;
}

static void note_modes(tn_sim *sim, const work *w, const tni_modes *modes) {
  tn_summary *u = &sim->sum;
  u->modes = modes->nmode;
  u->modes_rigid = modes->nrigid;
  u->modes_unstable = modes->nunstable;
  u->modes_unsteady = modes->unsteady;
  memcpy(u->modes_spin, modes->spin, sizeof(u->modes_spin));
  snprintf(u->method, sizeof(u->method), "modes: %s eigenvalue problem about %s",
           modes->symmetric ? "symmetric" : "general",
           modes->moving ? "the motion given" : sim->set.from_statics ? "the equilibrium"
                                                                      : "the state given");
  for (int i = 0; i < modes->nmode && i < TN_SUMMARY_MODES; i++) {
    const tni_mode *m = &modes->mode[i];
    tn_mode *o = &u->mode[i];
    *o = (tn_mode){.kind = m->kind == TNI_MODE_RIGID ? "rigid"
                           : m->kind == TNI_MODE_OSCILLATING ? "oscillates"
                           : m->re > 0 ? "grows" : "decays",
                   .frequency = m->frequency, .damping = m->damping, .re = m->re, .im = m->im,
                   .unstable = m->unstable, .share = m->share, .off_by = m->off_by};
    tni_component_name(w->ts.s, m->component, o->name, sizeof(o->name));
  }
}

/* all modes, by dense matrices */
static tn_status solve_dense(work *w, tni_modes *out, int *nrigid) {
  TN_TRY(build(w, out));
  size_t nd = (size_t)w->nd;
  TNI_ARENA_NEW(w->arena, w->re, 2*nd);
  TNI_ARENA_NEW(w->arena, w->im, 2*nd);
  TNI_ARENA_NEW(w->arena, w->Y, 4*nd*nd);
  for (int i = 0; i < w->n; i++) w->mass[i] = w->ts.M[(size_t)i*((size_t)w->n + 1)];
  double asymmetry = 0, size = norm_of(w->K, w->nd);
  for (int i = 0; i < w->nd; i++)
    for (int j = 0; j < i; j++)
      asymmetry = fmax(asymmetry, fabs(w->K[i*w->nd + j] - w->K[j*w->nd + i]));
  /* a state that is no exact equilibrium leaves a trace of asymmetry */
  out->symmetric = norm_of(w->D, w->nd) <= NEGLIGIBLE*sqrt(size) && asymmetry <= 1e-7*size;
  return !out->symmetric ? solve_general(w, nrigid)
         : w->My ? solve_thin(w, nrigid) : solve_symmetric(w, nrigid);
}

/* the lowest ones, by sparse factorizations */
static tn_status solve_lowest(work *w, tni_modes *out, int *nrigid) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  tni_lowest low;
  w->ts.settles = needs_lever(sim, &w->ts.lever) && sim->set.from_statics && !out->moving;
  TN_TRY(tni_tangent_space_update(&w->ts, sim->at.t, sim->at.q));
  tni_system_commit(s, sim->at.t, sim->at.q, sim->at.v, true);
  tni_eval_bodies(s, sim->at.t, sim->at.q, sim->at.v, sim->at.a);
  find_spin(sim, &w->ts, out);
  if (w->ts.settles) out->unsteady = 0; /* what is left is rounding of the stiffest stresses */
  int count = sim->set.nmodes > 0 ? sim->set.nmodes
              : s->nv > MOST_FOR_ALL ? USUAL_MODES : w->ts.nd;
  TN_TRY(tni_modes_lowest(sim, &w->ts, out->spin, count, &low));
  out->symmetric = low.symmetric;
  out->unsteady = fmax(out->unsteady, low.off);
  w->n = w->nd = s->nv;
  w->nvalue = low.nvalue;
  w->re = low.re, w->im = low.im, w->Y = low.shape, w->off_by = low.off_by;
  *nrigid = low.nrigid;
  for (int i = 0; i < w->n; i++)
    for (int k = s->square->rowptr[i]; k < s->square->rowptr[i+1]; k++)
      if (s->square->col[k] == i) w->mass[i] = w->ts.sparse->M[k];
  return TN_OK;
}

static tn_status compute(work *w, tni_modes *out) {
  tn_sim *sim = w->sim;
  int nrigid = 0;
  TNI_ARENA_NEW(w->arena, w->mass, sim->s->nv);
  bool sparse = tni_tangent_is_sparse(sim->s, MOST_FOR_ALL);
  TN_TRY(tni_tangent_space_create(w->arena, sim->s, sparse ? TNI_SPACE_SPARSE : TNI_SPACE_DENSE,
                                  &w->ts));
  TN_TRY(w->ts.sparse ? solve_lowest(w, out, &nrigid) : solve_dense(w, out, &nrigid));
  TN_TRY(collect(w, nrigid, out));
  note_modes(sim, w, out);
  return TN_OK;
}

tn_status tni_modes_compute(tn_sim *sim, tni_modes *out) {
  TN_REQUIRE(sim->ctx, !sim->set.stressed || (sim->s->parts && sim->set.from_statics), TN_ERR_INPUT,
             "analysis: 'stressed' is for structures at their equilibrium");
  if (sim->s->parts) return tni_mesh_modes(sim, true, out);
  work w = {.sim = sim, .arena = &sim->arena};
  memset(out, 0, sizeof(*out));
  out->n = sim->s->nv;
  for (int i = 0; i < sim->s->nv; i++) out->moving |= sim->at.v[i] != 0;
  tn_status st = compute(&w, out);
  tni_tangent_space_destroy(&w.ts);
  if (st == TN_OK && out->unsteady > UNSTEADY)
    tni_log(sim->ctx, TN_LOG_WARNING,
            "the state is not a steady motion (off by %.1e of its accelerations): the modes are "
            "those of the equations frozen at this instant; 'initial: statics' takes the equilibrium",
            out->unsteady);
  return st;
}

/* ---- results ------------------------------------------------------------------------------- */

/* displacement of the frame origin and rotation vector of a body, both in ground axes */
static void body_motion(const tn_sim *sim, int body, const double *delta, double out[6]) {
  const tn_model *m = sim->model;
  tni_at at = tni_at_state(&sim->at);
  const tni_kin *k = &tni_look_bodies(sim->s, &at)[body + 1];
  double d6[6], c[3], x[3];
  tni_layout_spread(sim->s->layout, body, delta, d6);
  mat3_vec(out + 3, k->A, d6 + 3);
  mat3_vec(c, k->A, m->body[body].com);
  vec3_cross(x, out + 3, c);
  vec3_sub(out, d6, x);
}

/* A field of the beam, /fields/<beam>/mode_shape [mode][node][12]: the sections move with the bodies they sit on. */
static tn_status beam_shapes(tn_sim *sim, const tni_modes *modes, const tni_beam *beam, tni_table *out) {
  double *shape;
  TNI_ARENA_NEW(&sim->arena, shape, 12*(size_t)modes->nmode*(size_t)beam->nnode);
  *out = (tni_table){tni_arena_printf(&sim->arena, "fields/%s/mode_shape", beam->name), "m, rad", modes->nmode,
                     beam->nnode, shape, 12};
  if (!out->path) return tni_out_of_memory(sim->ctx);
  tni_at at = tni_at_state(&sim->at);
  for (int i = 0; i < modes->nmode; i++) {
    for (int k = 0; k < beam->nnode; k++) {
      for (int part = 0; part < 2; part++) {
        int body = beam->node[k];
        double *u = shape + 12*((size_t)i*(size_t)beam->nnode + (size_t)k) + 6*part, p[3], x[3];
        if (body == TNI_GROUND) continue;
        body_motion(sim, body, modes->mode[i].shape + part*modes->n, u);
        vec3_add(x, beam->frame[k].p, sim->model->body[body].com); /* in the frame of the body */
        mat3_vec(p, tni_look_bodies(sim->s, &at)[body + 1].A, x);
        vec3_cross(x, u + 3, p);
        vec3_add(u, u, x);
      }
    }
  }
  return TN_OK;
}

tn_status tni_modes_tables(tn_sim *sim, const tni_modes *modes, int *ntable, tni_table **out) {
  const tn_model *m = sim->model;
  tni_arena *a = &sim->arena;
  int n = modes->nmode, k = 0;
  double *frequency, *damping, *value;
  TNI_ARENA_NEW(a, *out, 3 + m->nbody + m->nbeam);
  TNI_ARENA_NEW(a, frequency, n);
  TNI_ARENA_NEW(a, damping, n);
  TNI_ARENA_NEW(a, value, 2*n);
  for (int i = 0; i < n; i++) {
    frequency[i] = modes->mode[i].frequency;
    damping[i] = modes->mode[i].damping;
    value[2*i] = modes->mode[i].re;
    value[2*i + 1] = modes->mode[i].im;
  }
  (*out)[k++] = (tni_table){"modes/frequency", "Hz", n, 0, frequency, 0};
  (*out)[k++] = (tni_table){"modes/damping", "", n, 0, damping, 0};
  (*out)[k++] = (tni_table){"modes/eigenvalue", "1/s", n, 2, value, 0};
  for (int b = 0; b < m->nbeam; b++) {
    TN_TRY(beam_shapes(sim, modes, &m->beam[b], &(*out)[k]));
    k++;
  }
  for (int b = 0; b < m->nbody; b++) {
    double *shape;
    if (tni_beam_of(m, b)) continue;
    TNI_ARENA_NEW(a, shape, 12*(size_t)n);
    for (int i = 0; i < n; i++)
      for (int part = 0; part < 2; part++)
        body_motion(sim, b, modes->mode[i].shape + part*modes->n, shape + 12*i + 6*part);
    (*out)[k++] = (tni_table){tni_arena_printf(a, "modes/shape/%s", m->body[b].name), "m, rad", n, 12,
                              shape, 0};
    if (!(*out)[k - 1].path) return tni_out_of_memory(sim->ctx);
  }
  *ntable = k;
  return TN_OK;
}

/* factor that makes a shape visible and not absurd */
static double shown(const tn_sim *sim, const double *q0, const tni_mode *mode) {
  double move = 0, turn = 0, size = tni_nodes_extent(sim->s, q0);
  for (int i = 0; i < sim->s->layout->nnode; i++) {
    double d[2] = {0, 0};
    for (int part = 0; part < 2; part++)
      tni_layout_squares(sim->s->layout, i, mode->shape + part*sim->s->nv, d);
    move = fmax(move, sqrt(d[0]));
    turn = fmax(turn, sqrt(d[1]));
  }
  for (int i = sim->s->parts ? sim->s->parts->v0 : sim->s->nv; i < sim->s->nv; i++) {
    double *most = sim->s->layout->role[i] < TNI_ROLE_TURN ? &move : &turn;
    *most = fmax(*most, fabs(mode->shape[i]));
  }
  double factor = HUGE_VAL;
  if (turn > 0) factor = fmin(factor, SHOWN_TURN/turn);
  if (move > 0) factor = fmin(factor, SHOWN_MOVE*size/move);
  return isfinite(factor) ? factor : 0;
}

tn_status tni_modes_animate(tn_sim *sim, const tni_modes *modes, tni_store_fn store, void *user) {
  tni_data *s = sim->s;
  double *q0, *delta;
  TNI_ARENA_NEW(&sim->arena, q0, s->nq);
  TNI_ARENA_NEW(&sim->arena, delta, s->nv);
  memcpy(q0, sim->at.q, (size_t)s->nq*sizeof(double));
  for (int i = 0; i < modes->nmode; i++) {
    const tni_mode *mode = &modes->mode[i];
    double factor = shown(sim, q0, mode);
    int frames = s->parts && s->nv > LARGE_MESH ? FEW_FRAMES : FRAMES;
    for (int k = 0; k < frames; k++) {
      double phase = TWO_PI*k/frames, c = factor*cos(phase), d = factor*sin(phase);
      for (int j = 0; j < s->nv; j++)
        delta[j] = c*mode->shape[j] - d*mode->shape[s->nv + j];
      tni_retract(s, q0, delta, sim->at.q);
      tni_look_sensors(s, &sim->at, sim->wrench, sim->sensor);
      sim->counts = true;
      sim->row = (double)i + (double)k/frames;
      sim->mode = (double)(i + 1);
      sim->phase = phase;
      TN_TRY(store(user));
    }
  }
  memcpy(sim->at.q, q0, (size_t)s->nq*sizeof(double));
  sim->counts = false;
  return TN_OK;
}

/* ---- the analysis -------------------------------------------------------------------------- */

static const tni_key keys[] = {
    {"modes", TNI_KIND_INTEGER, 0, 1, 1e5, 0, NULL, "all, or 20 in models of more than 600 velocities",
     NULL, "Modes, or critical loads of buckling: how many, lowest first."},
    {"stressed", TNI_KIND_BOOL, 0, 0, 0, 0, NULL, "false", NULL,
     "Modes of structures with `formulation: small`: at rest under their loads, with what the stresses there do to the stiffness."},
};

static const char *const ANIMATION[] = {"mode", "phase"};
static const tni_channel channels[] = {
    {"animation", "animation", "1, rad", TNI_COUNT(ANIMATION), ANIMATION, NULL, NULL}};

static void fill(const tn_sim *sim, double *x) {
  x[0] = sim->mode;
  x[1] = sim->phase;
}

static void summary(const tn_summary *u, tni_json *j) {
  if (u->modes == 0) return;
  tni_json_add_integer(j, "modes_total", u->modes);
  tni_json_add_integer(j, "modes_rigid", u->modes_rigid);
  tni_json_add_integer(j, "modes_unstable", u->modes_unstable);
  tni_json_add_number(j, "modes_unsteady", u->modes_unsteady);
  tni_json_open_array(j, "modes");
  for (int i = 0; i < u->modes && i < TN_SUMMARY_MODES; i++) {
    const tn_mode *m = &u->mode[i];
    tni_json_open_object(j, NULL);
    tni_json_add_text(j, "kind", m->kind);
    tni_json_add_number(j, "frequency", m->frequency);
    tni_json_add_number(j, "damping", m->damping);
    tni_json_add_number(j, "re", m->re);
    tni_json_add_number(j, "im", m->im);
    tni_json_add_flag(j, "unstable", m->unstable);
    tni_json_add_text(j, "mostly", m->name);
    tni_json_add_number(j, "share", m->share);
    tni_json_add_number(j, "off_by", m->off_by);
    tni_json_close(j);
  }
  tni_json_close(j);
}

/* what rounding leaves of the frequencies, and of which one it leaves little */
static void digits(const tn_summary *u, int shown, tni_text *t) {
  double off = 0;
  int worst = 0;
  for (int i = 0; i < shown; i++)
    if (u->mode[i].off_by > off) off = u->mode[worst = i].off_by;
  if (!(off > 0)) return;
  tni_text_add(t, "digits     %.0f or more of every frequency", fmin(15, fmax(0, floor(-log10(off))))); /* a double has no more */
  if (off > 1e-6) tni_text_add(t, "; rounding leaves fewest of mode %d", worst + 1);
  tni_text_add(t, "\n");
}

static void text(const tn_summary *u, tni_text *t) {
  if (u->modes == 0) { /* stopped on the way to the equilibrium */
    tni_statics_text(u, t);
    return;
  }
  int shown = u->modes < TN_SUMMARY_MODES ? u->modes : TN_SUMMARY_MODES;
  tni_text_add(t, "%-10s %d modes at t = %g s in %.3g s (%.3g s CPU)\nmethod     %s\n", u->outcome, u->modes,
               u->t_begin, u->wall, u->cpu, u->method);
  tni_text_add(t, "system     %s\n", u->system);
  if (u->equilibria) tni_text_equilibrium(u, t);
  if (u->modes_spin[0] != 0 || u->modes_spin[1] != 0 || u->modes_spin[2] != 0)
    tni_text_add(t, "frame      turns with (%g, %g, %g) rad/s\n", u->modes_spin[0], u->modes_spin[1],
                 u->modes_spin[2]);
  tni_text_add(t, "modes      %d without stiffness (rigid), %d others%s\n", u->modes_rigid,
               u->modes - u->modes_rigid, u->modes_unstable ? "" : ", none unstable");
  if (u->modes_unstable) tni_text_add(t, "UNSTABLE   %d mode%s grow%s\n", u->modes_unstable,
                                      u->modes_unstable == 1 ? "" : "s", u->modes_unstable == 1 ? "s" : "");
  digits(u, shown, t);
  if (shown) tni_text_add(t, "     frequency [Hz]  damping [%%]   eigenvalue [1/s]             mostly\n");
  for (int i = 0; i < shown; i++) {
    const tn_mode *m = &u->mode[i];
    char value[64], damping[32] = "-";
    double re = fabs(m->damping) < 1e-12 ? 0 : m->re; /* the rest is rounding */
    if (m->im > 0) snprintf(value, sizeof(value), "%.4g +- %.6g i", re, m->im);
    else snprintf(value, sizeof(value), "%.4g", re);
    if (m->im > 0) snprintf(damping, sizeof(damping), "%.3g", re == 0 ? 0 : 100*m->damping);
    tni_text_add(t, "%3d  %-14.6g  %-12s  %-27s  %s (%.0f %%)%s\n", i + 1, m->im > 0 ? m->frequency : 0,
                 damping, value, m->name, 100*m->share, m->unstable ? "  UNSTABLE" : "");
  }
  if (shown < u->modes) tni_text_add(t, "     %d more in the results\n", u->modes - shown);
}

static tn_status run(tni_run *r) {
  tni_modes modes;
  TN_TRY(tni_statics_refuse_samples(r->sim, "modes"));
  TN_TRY(tni_modes_compute(r->sim, &modes));
  TN_TRY(tni_modes_tables(r->sim, &modes, &r->ntable, &r->table));
  TN_TRY(tni_run_open(r));
  return tni_modes_animate(r->sim, &modes, tni_run_store_rest, r);
}

const tni_analysis tni_analysis_modes = {
    .name = "modes", .doc = "find frequencies and shapes of small motions", .motion = TNI_MOTION_SMALL,
    .key = keys, .nkey = TNI_COUNT(keys), .run = run, .channel = channels, .nchannel = TNI_COUNT(channels),
    .fill = fill, .summary = summary, .text = text};
