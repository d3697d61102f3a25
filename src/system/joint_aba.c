/* system/joint_aba.c - articulated bodies: the mass matrix factored and solved in O(n)
 *
 * From the leaves to the ground, with the inertia of link k about its P
 *   force = M a + H alpha + p,   torque = H^T a + J alpha + n,
 * the joint of the link lets go of the motion S v':
 *   U = I S,  D = S^T U,  u = r - S^T (p, n)
 *   I <- I - U D^-1 U^T,  (p, n) <- (p, n) + U D^-1 u       passed on to the inboard link:
 *   a1 = a0 + alpha x d:  H0 = H - M ~d,  J0 = J + ~d H0 + (~d H)^T,  n0 = n + d x p
 * and from the ground outwards v' = D^-1 (u - U^T a).
 * The accelerations at v' = 0 are part of (p, n), so the pass is exactly the block factorization
 * M = L^T D L of the mass matrix with the descendants of a link before the link (Lemma 2 of the
 * spec): z = D^-1/2 u solves L^T D^1/2 z = r. That is what lets cut joints use either solver.
 *
 * One velocity: D holds 1/D and root its square root; more: D holds the lower Cholesky factor.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/joint.h"

enum { XX, YY, ZZ, XY, XZ, YZ };

/* S -= s x x^T */
static inline void sym_sub(double S[6], double s, const double x[3]) {
  double a = s*x[0], b = s*x[1], c = s*x[2];
  S[XX] -= a*x[0];
  S[YY] -= b*x[1];
  S[ZZ] -= c*x[2];
  S[XY] -= a*x[1];
  S[XZ] -= a*x[2];
  S[YZ] -= b*x[2];
}

/* inertia of the rigid link about P in ground axes: M = m, H = -m ~c, J */
static inline void add_rigid(tni_jinertia *I, double m, const double c[3], const double J[6]) {
  double x = m*c[0], y = m*c[1], z = m*c[2];
  I->M[XX] += m;
  I->M[YY] += m;
  I->M[ZZ] += m;
  I->H[1] += z;
  I->H[2] -= y;
  I->H[3] -= z;
  I->H[5] += x;
  I->H[6] += y;
  I->H[7] -= x;
  for (int i = 0; i < 6; i++) I->J[i] += J[i];
}

/* I moved by d to the P of the inboard link, stored or added there */
static inline void pass_on(const tni_jinertia *I, const double d[3], bool store,
                           tni_jinertia *out) {
  double H0[9], J0[6], x = d[0], y = d[1], z = d[2];
  const double *M = I->M, *H = I->H, *J = I->J;
  /* H0 = H - M ~d; column j of M ~d is M (column j of ~d) */
  H0[0] = H[0] - (M[XY]*z - M[XZ]*y);
  H0[1] = H[1] - (M[XZ]*x - M[XX]*z);
  H0[2] = H[2] - (M[XX]*y - M[XY]*x);
  H0[3] = H[3] - (M[YY]*z - M[YZ]*y);
  H0[4] = H[4] - (M[YZ]*x - M[XY]*z);
  H0[5] = H[5] - (M[XY]*y - M[YY]*x);
  H0[6] = H[6] - (M[YZ]*z - M[ZZ]*y);
  H0[7] = H[7] - (M[ZZ]*x - M[XZ]*z);
  H0[8] = H[8] - (M[XZ]*y - M[YZ]*x);
  /* J0 = J + ~d H0 + (~d H)^T */
  J0[XX] = J[XX] + (y*(H0[6] + H[6]) - z*(H0[3] + H[3]));
  J0[YY] = J[YY] + (z*(H0[1] + H[1]) - x*(H0[7] + H[7]));
  J0[ZZ] = J[ZZ] + (x*(H0[5] + H[5]) - y*(H0[2] + H[2]));
  J0[XY] = J[XY] + (y*H0[7] - z*H0[4]) + (z*H[0] - x*H[6]);
  J0[XZ] = J[XZ] + (y*H0[8] - z*H0[5]) + (x*H[3] - y*H[0]);
  J0[YZ] = J[YZ] + (z*H0[2] - x*H0[8]) + (x*H[4] - y*H[1]);
  double dp[3];
  vec3_cross(dp, d, I->p);
  if (store) {
    memcpy(out->M, M, sizeof(I->M));
    memcpy(out->H, H0, sizeof(H0));
    memcpy(out->J, J0, sizeof(J0));
    vec3_copy(out->p, I->p);
    vec3_add(out->n, I->n, dp);
    return;
  }
  for (int i = 0; i < 6; i++) out->M[i] += M[i];
  for (int i = 0; i < 9; i++) out->H[i] += H0[i];
  for (int i = 0; i < 6; i++) out->J[i] += J0[i];
  vec3_add(out->p, out->p, I->p);
  vec3_add(out->n, out->n, I->n);
  vec3_add(out->n, out->n, dp);
}

/* U = I S of one column */
static inline void inertia_times(const tni_jinertia *I, const double S[6], double U[6]) {
  double x[3];
  tni_sym_vec(U, I->M, S);
  mat3_vec(x, I->H, S + 3);
  vec3_add(U, U, x);
  tni_sym_vec(U + 3, I->J, S + 3);
  mat3_tvec(x, I->H, S);
  vec3_add(U + 3, U + 3, x);
}

static void cholesky(double *D, int n) {
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      double x = D[n*i + j];
      for (int k = 0; k < j; k++) x -= D[n*i + k]*D[n*j + k];
      D[n*i + j] = i == j ? sqrt(x) : x/D[n*j + j];
    }
  }
}
static void solve_lower(const double *D, int n, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= D[n*i + k]*x[k];
    x[i] /= D[n*i + i];
  }
}
static void solve_upper(const double *D, int n, double *x) {
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= D[n*k + i]*x[k];
    x[i] /= D[n*i + i];
  }
}

/* release the motion of a joint with any number of velocities; z [nv] */
static void release(const tni_jlink *l, const double *S, tni_jinertia *I, double *U, double *D,
                    double *z) {
  int n = l->nv;
  /* U = I S, D = S^T U, u = -S^T (p, n) */
  for (int i = 0; i < n; i++) {
    inertia_times(I, S + 6*i, U + 6*i);
    for (int j = 0; j <= i; j++)
      D[n*i + j] = vec3_dot(S + 6*j, U + 6*i) + vec3_dot(S + 6*j + 3, U + 6*i + 3);
    z[i] = -(vec3_dot(S + 6*i, I->p) + vec3_dot(S + 6*i + 3, I->n));
  }
  /* D = G G^T, z = G^-1 u */
  cholesky(D, n);
  solve_lower(D, n, z);
  /* V = U G^-T: I - V V^T, (p, n) + V z */
  double V[36];
  for (int i = 0; i < 6; i++) {
    double row[6];
    for (int j = 0; j < n; j++) row[j] = U[6*j + i];
    solve_lower(D, n, row);
    for (int j = 0; j < n; j++) V[6*j + i] = row[j];
  }
  /* M -= Vf Vf^T, J -= Vn Vn^T, H -= Vf Vn^T, (p, n) += V z */
  for (int j = 0; j < n; j++) {
    const double *Vf = V + 6*j, *Vn = Vf + 3;
    sym_sub(I->M, 1, Vf);
    sym_sub(I->J, 1, Vn);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) I->H[3*a+b] -= Vf[a]*Vn[b];
    vec3_addmul(I->p, z[j], Vf);
    vec3_addmul(I->n, z[j], Vn);
  }
}

/* the same for a revolute joint: S = (0; z) */
static inline double release_revolute(const double *S, tni_jinertia *I, double *U, double *Dinv) {
  const double *axis = S + 3;
  double Uf[3], Un[3];
  /* U = (H z, J z), D = z.Un, u = -z.n */
  mat3_vec(Uf, I->H, axis);
  tni_sym_vec(Un, I->J, axis);
  double s = 1/vec3_dot(axis, Un), u = -vec3_dot(axis, I->n);
  /* I -= U D^-1 U^T */
  sym_sub(I->M, s, Uf);
  sym_sub(I->J, s, Un);
  for (int a = 0; a < 3; a++) {
    double x = s*Uf[a];
    for (int b = 0; b < 3; b++) I->H[3*a+b] -= x*Un[b];
  }
  /* (p, n) += U D^-1 u */
  vec3_addmul(I->p, s*u, Uf);
  vec3_addmul(I->n, s*u, Un);
  vec3_copy(U, Uf);
  vec3_copy(U + 3, Un);
  *Dinv = s;
  return u;
}

void tni_joint_aba_factor(tni_jsys *s, const double *f, double *z) {
  const tni_kin *kin = s->base.kin;
  bool closed = s->base.m > 0;
  for (int k = s->nlink - 1; k >= 0; k--) {
    const tni_jlink *l = &s->link[k];
    const tni_jstate *st = &s->state[k + 1];
    tni_jinertia I;
    double J[6];
    tni_joint_fetch_body(s, k - TNI_JOINT_AHEAD);
    if (l->slot >= 0)
      I = s->acc[l->slot];
    else
      memset(&I, 0, sizeof(I));
    /* I = own inertia + what the outboard links have passed on; (p, n) alike */
    tni_joint_turn_inertia(l, kin[l->kin].A, J);
    add_rigid(&I, l->mass, st->c, J);
    if (f) {
      double own[6];
      tni_joint_bias(s, k, J, f, own);
      vec3_add(I.p, I.p, own);
      vec3_add(I.n, I.n, own + 3);
    }
    double *S = s->S + 6*l->vadr, *U = s->U + 6*l->vadr, *D = s->D + l->dadr;
    if (l->kind == TNI_MOBIL_REVOLUTE) {
      double u = release_revolute(S, &I, U, D);
      if (closed) s->root[l->vadr] = sqrt(*D);
      if (z) z[l->vadr] = closed ? u*s->root[l->vadr] : u*(*D);
    } else if (l->nv > 0) {
      double none[6];
      release(l, S, &I, U, D, z ? z + l->vadr : none);
    }
    if (l->slot0 >= 0) pass_on(&I, st->d, l->opens, &s->acc[l->slot0]);
  }
}

void tni_joint_aba_half(tni_jsys *s, const int *path, int npath, double *r) {
  for (int i = 0; i < npath; i++) {
    int k = path ? path[i] : npath - 1 - i;
    const tni_jlink *l = &s->link[k];
    double *w = s->work6 + 6*k, p[6];
    memcpy(p, w, sizeof(p));
    memset(w, 0, sizeof(p));
    const double *S = s->S + 6*l->vadr, *U = s->U + 6*l->vadr, *D = s->D + l->dadr;
    double *u = r + l->vadr;
    /* u = r - S^T p */
    for (int j = 0; j < l->nv; j++)
      u[j] -= vec3_dot(S + 6*j, p) + vec3_dot(S + 6*j + 3, p + 3);
    double y[6]; /* D^-1 u, while u becomes D^-1/2 u */
    if (l->kind == TNI_MOBIL_REVOLUTE) {
      y[0] = D[0]*u[0];
      u[0] *= s->root[l->vadr];
    } else {
      solve_lower(D, l->nv, u);
      memcpy(y, u, (size_t)l->nv*sizeof(double));
      solve_upper(D, l->nv, y);
    }
    /* p += U D^-1 u, carried to the inboard link */
    for (int j = 0; j < l->nv; j++)
      for (int a = 0; a < 6; a++) p[a] += y[j]*U[6*j + a];
    if (l->parent >= 0) tni_joint_carry(s, k, p, s->work6 + 6*l->parent);
  }
}

void tni_joint_aba_back(tni_jsys *s, const double *z, double *a) {
  bool closed = s->base.m > 0;
  double *A6 = s->a6;
  memset(A6, 0, 6*sizeof(double));
  for (int k = 0; k < s->nlink; k++) {
    const tni_jlink *l = &s->link[k];
    const double *a0 = A6 + 6*(l->parent + 1), *d = s->state[k + 1].d;
    const double *S = s->S + 6*l->vadr, *U = s->U + 6*l->vadr, *D = s->D + l->dadr;
    double *a1 = A6 + 6*(k + 1), x[3];
    /* a1 = a0 + alpha0 x d, before the joint moves */
    vec3_cross(x, a0 + 3, d);
    vec3_add(a1, a0, x);
    /* v' = D^-1 (u - U^T a1), a1 += S v' */
    if (l->kind == TNI_MOBIL_REVOLUTE) {
      double t = vec3_dot(U, a1) + vec3_dot(U + 3, a0 + 3);
      double scaled = closed ? z[l->vadr]*s->root[l->vadr] : z[l->vadr];
      a[l->vadr] = scaled - D[0]*t;
      for (int i = 0; i < 3; i++) a1[i + 3] = a0[i + 3] + a[l->vadr]*S[i + 3];
      continue;
    }
    vec3_copy(a1 + 3, a0 + 3);
    double *y = a + l->vadr;
    for (int i = 0; i < l->nv; i++)
      y[i] = vec3_dot(U + 6*i, a1) + vec3_dot(U + 6*i + 3, a1 + 3);
    solve_lower(D, l->nv, y);
    for (int i = 0; i < l->nv; i++) y[i] = z[l->vadr + i] - y[i];
    solve_upper(D, l->nv, y);
    for (int i = 0; i < l->nv; i++)
      for (int j = 0; j < 6; j++) a1[j] += y[i]*S[6*i + j];
  }
}

/* accumulators: one is needed from the first child that reaches it until its link takes it */
static tn_status assign_slots(tni_jsys *s) {
  int *spare, nspare = 0;
  TNI_ARENA_NEW(&s->base.arena, spare, s->nlink + 1);
  for (int k = 0; k < s->nlink; k++) s->link[k].slot = s->link[k].slot0 = -1;
  for (int k = s->nlink - 1; k >= 0; k--) {
    tni_jlink *l = &s->link[k];
    if (l->slot >= 0) spare[nspare++] = l->slot; /* read before the inboard one is written */
    if (l->parent < 0) continue;
    tni_jlink *inboard = &s->link[l->parent];
    l->opens = inboard->slot < 0;
    if (l->opens) inboard->slot = nspare > 0 ? spare[--nspare] : s->nslot++;
    l->slot0 = inboard->slot;
  }
  return TN_OK;
}

tn_status tni_joint_aba_setup(tni_jsys *s) {
  for (int k = 0; k < s->nlink; k++) {
    s->link[k].dadr = s->ndiagonal;
    s->ndiagonal += s->link[k].nv*s->link[k].nv;
  }
  return assign_slots(s);
}

tn_status tni_joint_aba_begin(tni_jsys *s) {
  tni_arena *arena = &s->base.arena;
  TNI_ARENA_NEW(arena, s->acc, s->nslot);
  TNI_ARENA_NEW(arena, s->U, 6*s->base.nv);
  TNI_ARENA_NEW(arena, s->D, s->ndiagonal);
  TNI_ARENA_NEW(arena, s->root, s->base.nv);
  return TN_OK;
}
