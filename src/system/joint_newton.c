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

void tni_joint_apply(tni_system *s, const double *dq, const double *dv, const double *da, double *y) {
  tni_jsys *j = (tni_jsys *)s;
  tni_jtan *tan = &j->tan;
  bool moves = dq || dv;
  memset(tan->w, 0, 6*(size_t)j->nlink*sizeof(double));
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    const tni_jlin *lin = &tan->lin[k];
    const double *Xp = tan->X + 18*(l->parent + 1);
    double *X = tan->X + 18*(k + 1), *w = tan->w + 6*k;
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
      add_times(tan->w + 6*l->parent, lin->pair->on_inboard[n], X + 6*n);
    }
  }
  for (int k = j->nlink - 1; k >= 0; k--) {
    const tni_jlink *l = &j->link[k];
    const tni_jlin *lin = &tan->lin[k];
    double *w = tan->w + 6*k;
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
    for (int i = 0; i < 6; i++) tan->w[6*l->parent + i] += w[i];
  }
}

/* ---- factors ------------------------------------------------------------------------------- */

/* dv += K y and da -= L y of rotations: matrices [3][3], for the velocities v0 .. v0 + 2 of a link */
static int turn_matrices(const tni_jsys *j, const tni_jlink *l, double K[9], double L[9]) {
  int first = l->kind == TNI_MOBIL_SPHERICAL ? 0 : l->kind == TNI_MOBIL_FREE ? 3 : -1;
  if (first < 0) return -1;
  const double *w = j->tan.v + l->vadr + first, *a = j->tan.a + l->vadr + first;
  double WW[9];
  mat3_skew(K, w);
  mat3_skew(L, a);
  mat3_mul(WW, K, K);
  for (int i = 0; i < 9; i++) {
    L[i] = WW[i]/6 - 0.5*L[i];
    K[i] *= 0.5;
  }
  return first;
}

/* G of link k */
static void set_motion(const tni_jsys *j, int k, double m, double g, double b, bool local) {
  const tni_jlink *l = &j->link[k];
  double K[9], L[9];
  int first = local ? turn_matrices(j, l, K, L) : -1;
  for (int i = 0; i < l->nv; i++) {
    double *G = j->tan.G + 18*(l->vadr + i);
    memset(G, 0, 18*sizeof(double));
    add_column(&j->tan.column[l->vadr + i], b, g, m, G);
    if (first < 0 || i < first) continue;
    for (int n = 0; n < 3; n++)
      add_column(&j->tan.column[l->vadr + first + n], 0, b*K[3*n + i - first],
                 -b*L[3*n + i - first], G);
  }
}

static double dot18(const double *a, const double *b) {
  return (tni_dot6(a, b) + tni_dot6(a + 6, b + 6)) + tni_dot6(a + 12, b + 12);
}

/* D [n][n] := its LU factors with row exchanges; false: singular */
static bool factor_small(int n, double *D, int *pivot) {
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(D[n*r + c]) > fabs(D[n*best + c])) best = r;
    pivot[c] = best;
    if (!(fabs(D[n*best + c]) > 0) || !isfinite(D[n*best + c])) return false;
    for (int i = 0; i < n && best != c; i++) {
      double x = D[n*c + i];
      D[n*c + i] = D[n*best + i];
      D[n*best + i] = x;
    }
    for (int r = c + 1; r < n; r++) {
      double f = D[n*r + c] /= D[n*c + c];
      for (int i = c + 1; i < n; i++) D[n*r + i] -= f*D[n*c + i];
    }
  }
  return true;
}

/* x := D^-1 x, n rows of `width` numbers */
static void solve_small(int n, const double *D, const int *pivot, int width, double *x) {
  for (int c = 0; c < n; c++)
    for (int i = 0; i < width && pivot[c] != c; i++) {
      double y = x[width*c + i];
      x[width*c + i] = x[width*pivot[c] + i];
      x[width*pivot[c] + i] = y;
    }
  for (int c = 0; c < n; c++)
    for (int r = c + 1; r < n; r++)
      for (int i = 0; i < width; i++) x[width*r + i] -= D[n*r + c]*x[width*c + i];
  for (int r = n - 1; r >= 0; r--) {
    for (int c = r + 1; c < n; c++)
      for (int i = 0; i < width; i++) x[width*r + i] -= D[n*r + c]*x[width*c + i];
    for (int i = 0; i < width; i++) x[width*r + i] /= D[n*r + r];
  }
}

/* rows of joint k, their factors, Y and what y does to the inboard link */
static bool eliminate(tni_jsys *j, int k, const double *P) {
  const tni_jlink *l = &j->link[k];
  tni_jtan *tan = &j->tan;
  const tni_jlin *lin = &tan->lin[k];
  double *D = tan->D + 36*k, *Y = tan->Y + 18*l->vadr, *U = tan->U + 6*l->vadr;
  const double *G = tan->G + 18*l->vadr;
  int n = l->nv;
  for (int i = 0; i < n; i++) {
    const tni_jcolumn *c = &tan->column[l->vadr + i];
    double *row = Y + 18*i, e[6];
    for (int a = 0; a < 18; a++)
      row[a] = ((c->s[0]*P[a] + c->s[1]*P[18 + a]) + (c->s[2]*P[36 + a] + c->s[3]*P[54 + a])) +
               (c->s[4]*P[72 + a] + c->s[5]*P[90 + a]);
    turning(c->s, lin->F, e);
    if (c->with_body)
      for (int a = 0; a < 6; a++) row[a] += e[a];
    for (int b = 0; b < n; b++) D[n*i + b] = dot18(row, G + 18*b);
    if (!c->with_body)
      for (int a = 0; a < 6; a++) row[a] += e[a];
    for (int a = 0; a < 3; a++) tni_carry6(row + 6*a, lin->d);
    if (!lin->pair) continue;
    for (int m = 0; m < 2; m++)
      for (int r = 0; r < 6; r++)
        for (int a = 0; a < 6; a++) row[6*m + a] += c->s[r]*lin->pair->by_inboard[m][6*r + a];
  }
  if (n == 1) {
    if (!(fabs(D[0]) > 0) || !isfinite(D[0])) return false;
    D[0] = 1/D[0];
    for (int a = 0; a < 18; a++) Y[a] *= D[0];
  } else {
    if (!factor_small(n, D, tan->pivot + l->vadr)) return false;
    solve_small(n, D, tan->pivot + l->vadr, 18, Y);
  }
  for (int i = 0; i < n; i++)
    for (int r = 0; r < 6; r++) U[6*i + r] = dot18(P + 18*r, G + 18*i);
  return true;
}

/* P of link k without its y, seen from the inboard link, added to P of that */
static void hand_on(tni_jsys *j, int k, double *P) {
  const tni_jlink *l = &j->link[k];
  tni_jtan *tan = &j->tan;
  const tni_jlin *lin = &tan->lin[k];
  const double *d = lin->d, *Y = tan->Y + 18*l->vadr;
  double *U = tan->U + 6*l->vadr, *to = tan->P + 108*l->slot0;
  for (int r = 0; r < 6; r++)
    for (int m = 0; m < 3; m++) tni_carry6(P + 18*r + 6*m, d);
  for (int m = 0; m < 2 && lin->pair; m++)
    for (int r = 0; r < 6; r++)
      for (int a = 0; a < 6; a++) P[18*r + 6*m + a] += lin->pair->by_inboard[m][6*r + a];
  for (int i = 0; i < l->nv; i++)
    for (int r = 0; r < 6; r++) {
      double u = U[6*i + r];
      for (int a = 0; a < 18; a++) P[18*r + a] -= u*Y[18*i + a];
    }
  /* rows about the inboard centre of mass: torque + d x force */
  for (int a = 0; a < 18; a++) {
    double fx = P[a], fy = P[18 + a], fz = P[36 + a];
    P[54 + a] += d[1]*fz - d[2]*fy;
    P[72 + a] += d[2]*fx - d[0]*fz;
    P[90 + a] += d[0]*fy - d[1]*fx;
  }
  if (l->opens) memcpy(to, P, 108*sizeof(double));
  else
    for (int a = 0; a < 108; a++) to[a] += P[a];
  for (int i = 0; i < l->nv; i++) tni_carry6(U + 6*i, d);
  if (!lin->pair) return;
  /* the wrench on the inboard link by this one: by T X_p, and by y */
  for (int m = 0; m < 2; m++) {
    double R[36];
    memcpy(R, lin->pair->on_inboard[m], sizeof(R));
    for (int r = 0; r < 6; r++) {
      tni_carry6(R + 6*r, d);
      for (int a = 0; a < 6; a++) to[18*r + 6*m + a] += R[6*r + a];
    }
  }
  for (int i = 0; i < l->nv; i++) {
    double u[6] = {0};
    const double *G = tan->G + 18*(l->vadr + i);
    for (int m = 0; m < 2; m++) add_times(u, lin->pair->on_inboard[m], G + 6*m);
    for (int r = 0; r < 6; r++) {
      U[6*i + r] += u[r];
      for (int a = 0; a < 18; a++) to[18*r + a] -= u[r]*Y[18*i + a];
    }
  }
}

bool tni_joint_newton_factor(tni_system *s, double m, double g, double b, bool local) {
  tni_jsys *j = (tni_jsys *)s;
  tni_jtan *tan = &j->tan;
  s->work.nfactor++;
  for (int k = j->nlink - 1; k >= 0; k--) {
    double P[108] = {0};
    if (j->link[k].slot >= 0) memcpy(P, tan->P + 108*j->link[k].slot, sizeof(P));
    for (int n = 0; n < 3; n++)
      for (int r = 0; r < 6; r++)
        for (int a = 0; a < 6; a++) P[18*r + 6*n + a] += tan->lin[k].B[n][6*r + a];
    set_motion(j, k, m, g, b, local);
    if (!eliminate(j, k, P)) return false;
    if (j->link[k].parent >= 0) hand_on(j, k, P);
  }
  return true;
}

void tni_joint_newton_solve(tni_system *s, double *x) {
  tni_jsys *j = (tni_jsys *)s;
  tni_jtan *tan = &j->tan;
  memset(tan->w, 0, 6*(size_t)j->nlink*sizeof(double));
  for (int k = j->nlink - 1; k >= 0; k--) {
    const tni_jlink *l = &j->link[k];
    double *w = tan->w + 6*k, *y = x + l->vadr;
    for (int i = 0; i < l->nv; i++) y[i] -= tni_dot6(tan->column[l->vadr + i].s, w);
    if (l->nv == 1) y[0] *= tan->D[36*k];
    else if (l->nv > 1) solve_small(l->nv, tan->D + 36*k, tan->pivot + l->vadr, 1, y);
    if (l->parent < 0) continue;
    double *to = tan->w + 6*l->parent;
    tni_carry6(w, tan->lin[k].d);
    for (int i = 0; i < 6; i++) to[i] += w[i];
    for (int i = 0; i < l->nv; i++) {
      const double *U = tan->U + 6*(l->vadr + i);
      for (int a = 0; a < 6; a++) to[a] += y[i]*U[a];
    }
  }
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    const double *Xp = tan->X + 18*(l->parent + 1);
    double *X = tan->X + 18*(k + 1);
    if (l->parent >= 0) {
      for (int i = 0; i < l->nv; i++) x[l->vadr + i] -= dot18(tan->Y + 18*(l->vadr + i), Xp);
      if (tan->leaf[k]) continue;
      shift_all(X, Xp, tan->lin[k].d);
    } else {
      memset(X, 0, 18*sizeof(double));
    }
    for (int i = 0; i < l->nv; i++) {
      const double *G = tan->G + 18*(l->vadr + i);
      double y = x[l->vadr + i];
      for (int a = 0; a < 18; a++) X[a] += y*G[a];
    }
  }
}

/* ---- a state ------------------------------------------------------------------------------- */

void tni_joint_newton_at(tni_system *s, double t, const double *q, const double *v, const double *a,
                         double *r_t) {
  tni_jsys *j = (tni_jsys *)s;
  memcpy(j->tan.v, v, (size_t)s->nv*sizeof(double));
  memcpy(j->tan.a, a, (size_t)s->nv*sizeof(double));
  tni_joint_linearize(j, t, q, v, a, NULL);
  if (r_t) tni_joint_time_rate(j, r_t);
}

tn_status tni_joint_newton_setup(tni_jsys *j) {
  tni_arena *arena = &j->base.arena;
  tni_jtan *tan = &j->tan;
  size_t nv = (size_t)j->base.nv, nlink = (size_t)j->nlink;
  TNI_ARENA_NEW(arena, tan->v, nv);
  TNI_ARENA_NEW(arena, tan->a, nv);
  TNI_ARENA_NEW(arena, tan->eta, 6*nv);
  TNI_ARENA_NEW(arena, tan->G, 18*nv);
  TNI_ARENA_NEW(arena, tan->Y, 18*nv);
  TNI_ARENA_NEW(arena, tan->U, 6*nv);
  TNI_ARENA_NEW(arena, tan->pivot, nv);
  TNI_ARENA_NEW(arena, tan->P, 108*(size_t)j->nslot);
  TNI_ARENA_NEW(arena, tan->D, 36*nlink);
  TNI_ARENA_NEW(arena, tan->w, 6*nlink);
  TNI_ARENA_NEW(arena, tan->X, 18*(nlink + 1));
  TNI_ARENA_NEW(arena, tan->leaf, nlink);
  for (size_t k = 0; k < nlink; k++) tan->leaf[k] = true;
  for (size_t k = 0; k < nlink; k++)
    if (j->link[k].parent >= 0) tan->leaf[j->link[k].parent] = false;
  return TN_OK;
}
