/* system/joint_newton.c - the matrix of an implicit step on an open tree, eliminated along the tree
 *
 * W = m M + g r_v + b r_q is full in joint coordinates: every velocity moves all that is outboard of it. But
 * it is made of small blocks (joint_tangent.c). With X = (eta, eta', eta'') of a link, 18 numbers,
 *
 *   X_k = T X_p + G y_k                    T shifts three twists from the inboard link p,
 *                                          G = (b s, b s' + g s, b s" + g z + m s)
 *   wrench of k and all outboard   P X_k + Q X_p + p        6 x 18, with all y outboard eliminated
 *   row of joint k                 s^T (P X_k + Q X_p + p) + e (T X_p) = right side,   e eta = (eta x s)^T F
 *
 * so that y_k = y'_k - Y X_p follows from the inboard link, and what is left is handed to it: the
 * recursion of articulated bodies with 6 x 18 in place of 6 x 6, unsymmetric. Q, and a wrench R X_k on the
 * inboard link, belong to forces between the two. Work grows with the number of links.
 *
 * In local coordinates xi of a step (integrators/partition.h) rotations have in addition dv = K y, da = -L y with
 * K = ~w/2, L = -~w'/2 + ~w^2/6.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/joint.h"

#include <complex.h>
#undef I /* the name of the inertia */

/* ---- products ------------------------------------------------------------------------------ */

static inline void add_times(double y[6], const double B[36], const double x[6]) {
  for (int i = 0; i < 6; i++) {
    const double *b = B + 6*i;
    y[i] += ((b[0]*x[0] + b[1]*x[1]) + (b[2]*x[2] + b[3]*x[3])) + (b[4]*x[4] + b[5]*x[5]);
  }
}

/* what velocity c adds to X for given changes */
static inline void add_column(const tni_jcolumn *c, double dq, double dv, double da, double X[18]) {
  for (int i = 0; i < 6; i++) {
    X[i] += c->s[i]*dq;
    X[6 + i] += c->s1[i]*dq + c->s[i]*dv;
    X[12 + i] += (c->s2[i]*dq + c->z[i]*dv) + c->s[i]*da;
  }
}

static inline void shift_all(double out[18], const double in[18], const double d[3]) {
  for (int l = 0; l < 3; l++) tni_shift6(out + 6*l, in + 6*l, d);
}

/* covector of (eta x s) . F on eta */
static void turning(const double s[6], const double F[6], double e[6]) {
  double x[3];
  vec3_cross(e, s + 3, F);
  vec3_cross(e + 3, s, F);
  vec3_cross(x, s + 3, F + 3);
  vec3_add(e + 3, e + 3, x);
}

void tni_joint_apply(tni_data *s, const double *dq, const double *dv, const double *da, double *y) {
  tni_jsys *j = (tni_jsys *)s;
  tni_jtan *tan = &j->tan;
  bool moves = dq || dv;
  memset(tan->real.w, 0, 6*(size_t)j->nlink*sizeof(double));
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    const tni_jlin *lin = &tan->lin[k];
    const double *Xp = tan->real.X + 18*(l->parent + 1);
    double *X = tan->real.X + 18*(k + 1), *w = tan->real.w + 6*k;
    if (l->parent >= 0) shift_all(X, Xp, lin->d);
    else memset(X, 0, 18*sizeof(double));
    for (int i = 0; i < l->nv; i++) {
      int v = l->vadr + i;
      /* columns that stay with the inboard body turn with it alone */
      if (!tan->column[v].with_body) memcpy(tan->eta + 6*v, X, 6*sizeof(double));
    }
    for (int i = 0; i < l->nv; i++) {
      int v = l->vadr + i;
      add_column(&tan->column[v], dq ? dq[v] : 0, dv ? dv[v] : 0, da ? da[v] : 0, X);
    }
    for (int i = 0; i < l->nv; i++)
      if (tan->column[l->vadr + i].with_body) memcpy(tan->eta + 6*(l->vadr + i), X, 6*sizeof(double));
    add_times(w, lin->B[2], X + 12);
    if (!moves) continue;
    add_times(w, lin->B[1], X + 6);
    add_times(w, lin->B[0], X);
    if (!lin->pair) continue;
    for (int n = 0; n < 2; n++) {
      add_times(w, lin->pair->by_inboard[n], Xp + 6*n);
      add_times(tan->real.w + 6*l->parent, lin->pair->on_inboard[n], X + 6*n);
    }
  }
  for (int k = j->nlink - 1; k >= 0; k--) {
    const tni_jlink *l = &j->link[k];
    const tni_jlin *lin = &tan->lin[k];
    double *w = tan->real.w + 6*k;
    for (int i = 0; i < l->nv; i++) {
      int v = l->vadr + i;
      y[v] = tni_dot6(tan->column[v].s, w);
      if (!moves) continue;
      double e[6];
      turning(tan->column[v].s, lin->F, e);
      y[v] += tni_dot6(e, tan->eta + 6*v);
    }
    if (l->parent < 0) continue;
    tni_carry6(w, lin->d);
    for (int i = 0; i < 6; i++) tan->real.w[6*l->parent + i] += w[i];
  }
}

/* ---- factors ------------------------------------------------------------------------------- */

/* dv += K y and da -= L y of rotations: matrices [3][3], for the velocities v0 .. v0 + 2 of a link; cj: of TNI_TURNS_QUATERNION */
static int turn_matrices(const tni_jsys *j, const tni_jlink *l, tni_newton_turns turns, double cj, double K[9], double L[9]) {
  int first = l->kind == TNI_MOBIL_SPHERICAL ? 0 : l->kind == TNI_MOBIL_FREE ? 3 : -1;
  if (first < 0 || turns == TNI_TURNS_NONE) return -1;
  const double *w = j->tan.v + l->vadr + first, *a = j->tan.a + l->vadr + first;
  double WW[9];
  mat3_skew(K, w);
  if (turns == TNI_TURNS_QUATERNION) {
    for (int i = 0; i < 9; i++) {
      K[i] = 0.5*K[i] + w[i/3]*w[i%3]/(4*cj);
      L[i] = -cj*K[i];
    }
    return first;
  }
  mat3_skew(L, a);
  mat3_mul(WW, K, K);
  for (int i = 0; i < 9; i++) {
    L[i] = WW[i]/6 - 0.5*L[i];
    K[i] *= 0.5;
  }
  return first;
}

#define NUM double
#define NAME(x) real_##x
#define MUL(a, b) ((a)*(b))
#define SIZE(x) fabs(x)
#include "system/joint_newton_kernel.h"

/* products without the care for infinite numbers that C asks for */
static inline double _Complex product(double _Complex a, double _Complex b) {
  return CMPLX(creal(a)*creal(b) - cimag(a)*cimag(b), creal(a)*cimag(b) + cimag(a)*creal(b));
}
#define NUM double _Complex
#define NAME(x) complex_##x
#define MUL(a, b) product(a, b)
#define SIZE(x) (fabs(creal(x)) + fabs(cimag(x)))
#include "system/joint_newton_kernel.h"

bool tni_joint_newton_factor(tni_data *s, double m, double g, double b, tni_newton_turns turns) {
  tni_jsys *j = (tni_jsys *)s;
  real_factor f = real_of(&j->tan.real);
  s->work.nfactor++;
  return real_factor_tree(j, &f, m, g, b, turns);
}

void tni_joint_newton_solve(tni_data *s, double *x) {
  tni_jsys *j = (tni_jsys *)s;
  real_factor f = real_of(&j->tan.real);
  real_solve_tree(j, &f, x);
}

bool tni_joint_newton_factor_complex(tni_data *s, const double g[2], const double b[2]) {
  tni_jsys *j = (tni_jsys *)s;
  complex_factor f = complex_of(&j->tan.complex_);
  s->work.nfactor++;
  return complex_factor_tree(j, &f, 1, CMPLX(g[0], g[1]), CMPLX(b[0], b[1]), TNI_TURNS_NONE);
}

void tni_joint_newton_solve_complex(tni_data *s, double *x) {
  tni_jsys *j = (tni_jsys *)s;
  complex_factor f = complex_of(&j->tan.complex_);
  complex_solve_tree(j, &f, (double _Complex *)(void *)x);
}

/* ---- a state ------------------------------------------------------------------------------- */

void tni_joint_newton_at(tni_data *s, const tni_at *at, double *r_t) {
  tni_jsys *j = (tni_jsys *)s;
  memcpy(j->tan.v, at->v, (size_t)s->nv*sizeof(double));
  memcpy(j->tan.a, at->a, (size_t)s->nv*sizeof(double));
  tni_joint_linearize(j, at->t, at->q, at->v, at->a, NULL);
  if (r_t) tni_joint_time_rate(j, r_t);
}

/* room for one factorization; parts: numbers a value, 2 when it is complex */
static tn_status make_factor(tni_jsys *j, size_t parts, tni_jfactor *f) {
  tni_arena *arena = &j->base.arena;
  size_t nv = parts*(size_t)j->base.nv, nlink = parts*(size_t)j->nlink;
  TNI_ARENA_NEW(arena, f->G, 18*nv);
  TNI_ARENA_NEW(arena, f->Y, 18*nv);
  TNI_ARENA_NEW(arena, f->U, 6*nv);
  TNI_ARENA_NEW(arena, f->pivot, j->base.nv);
  TNI_ARENA_NEW(arena, f->P, 108*parts*(size_t)j->nslot);
  TNI_ARENA_NEW(arena, f->D, 36*nlink);
  TNI_ARENA_NEW(arena, f->w, 6*nlink);
  TNI_ARENA_NEW(arena, f->X, 18*(nlink + parts));
  return TN_OK;
}

tn_status tni_joint_newton_setup(tni_jsys *j) {
  tni_arena *arena = &j->base.arena;
  tni_jtan *tan = &j->tan;
  TNI_ARENA_NEW(arena, tan->v, j->base.nv);
  TNI_ARENA_NEW(arena, tan->a, j->base.nv);
  TNI_ARENA_NEW(arena, tan->eta, 6*j->base.nv);
  TN_TRY(make_factor(j, 1, &tan->real));
  TN_TRY(make_factor(j, 2, &tan->complex_));
  TNI_ARENA_NEW(arena, tan->leaf, j->nlink);
  for (int k = 0; k < j->nlink; k++) tan->leaf[k] = true;
  for (int k = 0; k < j->nlink; k++)
    if (j->link[k].parent >= 0) tan->leaf[j->link[k].parent] = false;
  return TN_OK;
}
