/* system/joint_tangent.c - exact tangents in joint coordinates
 *
 * Let the coordinates change by dq, dv, da. Link k is then displaced by a twist eta (velocity of the
 * place in space where its centre of mass is now; rotation, both in ground axes), and eta, its first
 * and its second derivative by time are three vectors that are carried along the tree like rigid
 * motions. A joint adds to them, column by column,
 *
 *   eta    s dq
 *   eta'   s' dq + s dv
 *   eta''  s" dq + z dv + s da
 *
 * where s is the twist of the column and s' = V x s, s" = V' x s + V x s' its derivatives, V the twist
 * of the body that it is fixed in: the inboard one or, for a second axis, the body itself. z = 2 s';
 * Euler parameters, whose velocities are no derivatives of coordinates, have their own.
 *
 * The wrench that the body needs, less what is applied, changes by B0 eta + B1 eta' + B2 eta'':
 *
 *   force    m (eta" + 2 theta' x v + theta x a) - dF
 *   torque   J theta" + W x J theta' - J (W x theta') + theta' x J W + theta x N + eta x R - A dn
 *
 * R, N force and torque of the residual. dF, dn by K, D of forces and H of cut joints, with
 * dv = eta' + theta x v and dw = A^T theta'. Forces between a body and its inboard one couple just
 * these two; all others are far blocks.
 *
 * The residual r = s^T F, F the wrench of a link and all outboard of it, changes by s^T dF and by
 * (eta x s)^T F. Summed over what is outboard, B gives for each column three wrenches, and for each row
 * three covectors, that are carried to the ground: the cost is one per entry.
 *
 * Source: J. Carpentier, N. Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS
 * 2018; S. Singh, R. P. Russell, P. M. Wensing, IEEE Robot. Autom. Lett. 7 (2022).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/build.h"
#include "parallel/pool.h"
#include "system/joint.h"

enum { MAXROW = TNI_MAXROW };
enum { FEW = 8 }; /* freedoms below which a dense matrix is cheaper than the tree */

/* ---- twists, wrenches, blocks -------------------------------------------------------------- */

static void times6(double y[6], const double B[36], const double x[6]) {
  for (int i = 0; i < 6; i++) y[i] = tni_dot6(B + 6*i, x);
}
static void add_times6(double y[6], const double B[36], const double x[6]) {
  for (int i = 0; i < 6; i++) y[i] += tni_dot6(B + 6*i, x);
}
/* y = B^T x */
static void times6_t(double y[6], const double B[36], const double x[6]) {
  for (int i = 0; i < 6; i++) y[i] = 0;
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 6; i++) y[i] += x[k]*B[6*k + i];
}

/* columns of B at the point where d begins instead of at its end */
static void columns_inboard(double B[36], const double d[3]) {
  for (int r = 0; r < 6; r++) tni_carry6(B + 6*r, d);
}
/* rows likewise */
static void rows_inboard(double B[36], const double d[3]) {
  for (int c = 0; c < 6; c++) {
    double F[3] = {B[c], B[6 + c], B[12 + c]}, x[3];
    vec3_cross(x, d, F);
    for (int i = 0; i < 3; i++) B[18 + 6*i + c] += x[i];
  }
}

/* rows r0.., columns c0.. of B += f a x (a skew matrix) */
static void add_skew(double B[36], int r0, int c0, double f, const double a[3]) {
  double S[9];
  mat3_skew(S, a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[6*(r0 + i) + c0 + j] += f*S[3*i + j];
}

/* ---- the residual -------------------------------------------------------------------------- */

/* wrench (force; torque about the centre of mass, ground axes) that each body needs for s->acc, less
 * the applied forces and those of the multipliers; lambda may be NULL */
static void body_wrenches(tni_jsys *j, const double *lambda) {
  const tni_data *s = &j->base;
  double *f6 = j->tan.own;
  for (int i = 0; i < s->model->nbody; i++) {
    const tni_body *body = &s->model->body[i];
    const double *acc = s->acc + 6*i, *f = j->f + 6*i;
    double *w = f6 + 6*i;
    mat3_vec(w + 3, body->I, acc + 3);
    for (int a = 0; a < 3; a++) {
      w[a] = body->mass*acc[a] - f[a];
      w[a + 3] -= f[a + 3];
    }
  }
  for (int c = 0; c < j->ncut && lambda; c++) {
    const tni_jcut *cut = &j->cut[c];
    int n = 6*cut->con->nbody;
    for (int r = 0; r < cut->nrow; r++)
      for (int e = 0; e < n; e++)
        f6[6*cut->con->body[e/6] + e%6] += lambda[cut->row0 + r]*cut->out.J[n*cut->used[r] + e];
  }
  for (int i = 0; i < s->model->nbody; i++)
    mat3_vec(f6 + 6*i + 3, s->kin[i + 1].A, f6 + 6*i + 3);
}

/* twist of column v of link k at its centre of mass */
static inline void column_twist(const tni_jsys *j, int k, int v, double s[6]) {
  const double *S = j->S + 6*v;
  double x[3];
  vec3_cross(x, S + 3, j->state[k + 1].c);
  vec3_add(s, S, x);
  vec3_copy(s + 3, S + 3);
}

/* F of every link from the wrenches of the bodies; r may be NULL */
static void gather_wrenches(tni_jsys *j, double *r) {
  const tni_kin *kin = j->base.kin;
  double *F = j->tan.F;
  for (int k = 0; k < j->nlink; k++)
    memcpy(F + 6*k, j->tan.own + 6*(j->link[k].kin - 1), 6*sizeof(double));
  for (int k = j->nlink - 1; k >= 0; k--) {
    const tni_jlink *l = &j->link[k];
    for (int i = 0; i < l->nv && r; i++) {
      double s[6];
      column_twist(j, k, l->vadr + i, s);
      r[l->vadr + i] = tni_dot6(s, F + 6*k);
    }
    if (l->parent < 0) continue;
    double w[6], d[3];
    vec3_sub(d, kin[l->kin].r, kin[l->kin0].r);
    memcpy(w, F + 6*k, sizeof(w));
    tni_carry6(w, d);
    for (int i = 0; i < 6; i++) F[6*l->parent + i] += w[i];
  }
}

/* kinematics with accelerations, a NULL: v' = 0 */
static void set_motion(tni_jsys *j, const double *q, const double *v, const double *a) {
  tni_joint_kin(j, q, v);
  tni_joint_acc(j, a ? a : j->tan.zero);
}

void tni_joint_balance(tni_data *s, const tni_at *at, const tni_want *w) {
  tni_jsys *j = (tni_jsys *)s;
  double *rate = w->rate, *gap = w->gap;
  set_motion(j, at->q, at->v, at->a);
  tni_system_forces(s, at->t, j->f);
  if (s->m > 0)
    tni_joint_cut_eval(j, at->t,
                       TNI_C_JACOBIAN | (w->phi ? TNI_C_POSITION : 0) | (gap ? TNI_C_ACCEL : 0));
  body_wrenches(j, at->lambda);
  gather_wrenches(j, w->balance);
  if (w->phi) memcpy(w->phi, j->phi, (size_t)s->m*sizeof(double));
  for (int i = 0; i < s->m; i++) {
    const tni_jcut *cut = &j->cut[j->row_cut[i]];
    int row = cut->used[i - cut->row0];
    if (rate) rate[i] = tni_joint_cut_times(j, i, NULL, true) + cut->out.phi_t[row];
    if (gap) gap[i] = tni_joint_cut_times(j, i, s->acc, false) - cut->out.gamma[row];
  }
}

/* ---- linearisation: columns and blocks ----------------------------------------------------- */

/* twist and its derivative of a body, both at the point d from its centre of mass */
static void body_twist(const tni_jsys *j, int kin, const double d[3], double V[6], double A[6]) {
  const tni_kin *k = &j->base.kin[kin];
  double x[3];
  memset(V, 0, 6*sizeof(double));
  memset(A, 0, 6*sizeof(double));
  if (kin == 0) return;
  const double *acc = j->base.acc + 6*(kin - 1);
  double own[6];
  vec3_copy(own, k->v);
  vec3_copy(own + 3, k->W);
  tni_shift6(V, own, d);
  vec3_cross(x, k->W, k->v);
  vec3_sub(own, acc, x);
  mat3_vec(own + 3, k->A, acc + 3);
  tni_shift6(A, own, d);
}

/* s' and s" of a column that moves with a body of twist V */
static void fixed_column(const double V[6], const double A[6], tni_jcolumn *c) {
  double x[6];
  tni_twist_cross(c->s1, V, c->s);
  tni_twist_cross(c->s2, A, c->s);
  tni_twist_cross(x, V, c->s1);
  for (int i = 0; i < 6; i++) {
    c->s2[i] += x[i];
    c->z[i] = 2*c->s1[i];
  }
}

/* rotation of a free body: about its centre of mass, which moves by itself */
static void free_column(const double V[6], const double a[3], tni_jcolumn *c) {
  const double *axis = c->s + 3;
  memset(c->s1, 0, sizeof(c->s1));
  memset(c->s2, 0, sizeof(c->s2));
  vec3_cross(c->s1, V, axis);
  vec3_cross(c->s2, a, axis);
  vec3_scale(c->z, 2, c->s1);
  vec3_cross(c->z + 3, V + 3, axis);
}

/* does velocity i of a joint turn about an axis that its own velocities move? */
static bool moves_with_body(const tni_jlink *l, int i) {
  switch (l->kind) {
    case TNI_MOBIL_UNIVERSAL: return i == (l->swapped ? 0 : 1);
    case TNI_MOBIL_PLANAR: return i == 2;
    case TNI_MOBIL_SPHERICAL: return true;
    case TNI_MOBIL_FREE: return i >= 3;
    default: return false;
  }
}

static void set_columns(tni_jsys *j) {
  static const double here[3] = {0};
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    tni_jlin *lin = &j->tan.lin[k];
    double V0[6], A0[6], V1[6], A1[6];
    vec3_sub(lin->d, j->base.kin[l->kin].r, j->base.kin[l->kin0].r);
    body_twist(j, l->kin0, lin->d, V0, A0);
    body_twist(j, l->kin, here, V1, A1);
    for (int i = 0; i < l->nv; i++) {
      tni_jcolumn *c = &j->tan.column[l->vadr + i];
      column_twist(j, k, l->vadr + i, c->s);
      c->with_body = moves_with_body(l, i);
      if (l->kind == TNI_MOBIL_FREE && c->with_body)
        free_column(V1, j->base.acc + 6*(l->kin - 1), c);
      else if (l->kind == TNI_MOBIL_SPHERICAL || !c->with_body)
        fixed_column(V0, A0, c);
      else
        fixed_column(V1, A1, c);
      if (l->kind != TNI_MOBIL_SPHERICAL) continue;
      tni_twist_cross(c->z, V1, c->s);
      for (int a = 0; a < 6; a++) c->z[a] += c->s1[a];
    }
  }
}

/* inertia of a body, and what turns its residual (R; N) with it */
static void inertia_block(const tni_jsys *j, int k, double B[3][36]) {
  const tni_kin *kin = &j->base.kin[j->link[k].kin];
  int i = j->link[k].kin - 1;
  const tni_body *body = &j->base.model->body[i];
  const double *own = j->tan.own + 6*i, *acc = j->base.acc + 6*i;
  double AI[9], J[9], W[9], WJ[9], JW[9], L[3];
  memset(B, 0, 3*36*sizeof(double));
  mat3_mul(AI, kin->A, body->I);
  mat3_mult(J, AI, kin->A);
  mat3_skew(W, kin->W);
  mat3_mul(WJ, W, J);
  mat3_mul(JW, J, W);
  mat3_vec(L, J, kin->W);
  for (int a = 0; a < 3; a++) {
    B[2][7*a] = body->mass;
    for (int b = 0; b < 3; b++) {
      B[2][6*(3 + a) + 3 + b] = J[3*a + b];
      B[1][6*(3 + a) + 3 + b] = WJ[3*a + b] - JW[3*a + b];
    }
  }
  add_skew(B[1], 0, 3, -2*body->mass, kin->v);
  add_skew(B[1], 3, 3, -1, L);
  add_skew(B[0], 0, 3, -body->mass, acc);
  add_skew(B[0], 3, 0, -1, own);
  add_skew(B[0], 3, 3, -1, own + 3);
}

/* Q += sign times block (e, g) of tangents by (delta_r, delta_theta) and by velocities, as a wrench on
 * body e by the twist of body g. K, D [.][ld] at the block; D NULL: zero */
static void add_block(const tni_kin *e, const tni_kin *g, const double *K, const double *D, int ld,
                      double sign, double Q[2][36]) {
  double R[2][36] = {{0}};
  for (int r = 0; r < 6; r++) {
    double *r0 = R[0] + 6*r, *r1 = R[1] + 6*r, x[3];
    vec3_copy(r0, K + r*ld);
    mat3_vec(r0 + 3, g->A, K + r*ld + 3);
    if (!D) continue;
    vec3_cross(x, g->v, D + r*ld);
    vec3_add(r0 + 3, r0 + 3, x);
    vec3_copy(r1, D + r*ld);
    mat3_vec(r1 + 3, g->A, D + r*ld + 3);
  }
  for (int l = 0; l < (D ? 2 : 1); l++)
    for (int c = 0; c < 6; c++)
      for (int i = 0; i < 3; i++) {
        const double *x = R[l] + 18 + c, *a = e->A + 3*i;
        Q[l][6*i + c] += sign*R[l][6*i + c];
        Q[l][18 + 6*i + c] += sign*(a[0]*x[0] + a[1]*x[6] + a[2]*x[12]);
      }
}

/* all blocks of one force or cut joint */
static void add_group(tni_jsys *j, const tni_jgroup *group, const double *K, const double *D,
                      double sign) {
  const tni_kin *kin = j->base.kin;
  int nb = group->nbody, ld = 6*nb;
  for (int e = 0; e < nb; e++)
    for (int g = 0; g < nb; g++) {
      int at = group->first + nb*e + g, where = j->tan.where[at];
      tni_jlin *lin = &j->tan.lin[j->tan.target[at]];
      double (*Q)[36] = where == TNI_JBLOCK_OWN ? lin->B
                        : where == TNI_JBLOCK_BY_INBOARD ? lin->pair->by_inboard
                        : where == TNI_JBLOCK_ON_INBOARD ? lin->pair->on_inboard
                                                         : j->tan.far[j->tan.target[at]].Q;
      size_t from = (size_t)(6*e*ld + 6*g);
      add_block(&kin[group->body[e] + 1], &kin[group->body[g] + 1], K + from, D ? D + from : NULL,
                ld, sign, Q);
    }
}

typedef struct {
  tni_jsys *j;
  tni_env env;
} force_job;

static void eval_forces(void *user, int begin, int end) {
  const force_job *job = user;
  tni_jsys *j = job->j;
  for (int i = begin; i < end; i++) {
    const tni_force *f = &j->base.model->force[i];
    size_t n = 6*(size_t)f->nbody;
    double *room = j->tan.room + j->tan.room_adr[i];
    tni_force_out o = j->base.force_out[i];
    o.K = room;
    o.D = room + n*n;
    o.f_t = room + 2*n*n;
    f->ops->eval(f, &job->env, TNI_F_FORCE | TNI_F_TANGENT, &o);
  }
}

/* wrenches by twist, and the explicit time dependence of the residual */
static void set_blocks(tni_jsys *j, double t, const double *lambda) {
  enum { GRAIN = 8 };
  const tn_model *model = j->base.model;
  force_job job = {j, tni_system_env(&j->base, t)};
  tni_parallel_for(j->base.ctx, model->nforce, GRAIN, eval_forces, &job);
  for (int k = 0; k < j->nlink; k++) {
    tni_jlin *lin = &j->tan.lin[k];
    inertia_block(j, k, lin->B);
    if (!lin->pair) continue;
    memset(lin->pair, 0, sizeof(*lin->pair));
  }
  for (int i = 0; i < j->tan.nfar; i++) memset(j->tan.far[i].Q, 0, sizeof(j->tan.far[i].Q));
  for (int i = 0; i < model->nforce; i++) {
    size_t n = 6*(size_t)model->force[i].nbody;
    const double *K = j->tan.room + j->tan.room_adr[i];
    add_group(j, &j->tan.group[i], K, K + n*n, -1);
  }
  for (int i = 0; i < j->ncut && lambda; i++) {
    const tni_jcut *cut = &j->cut[i];
    double l[MAXROW] = {0}, w[6*TNI_MAXBODY] = {0};
    double rows[2][MAXROW*6*TNI_MAXBODY];
    tni_con_out o = cut->out;
    for (int r = 0; r < cut->nrow; r++) l[cut->used[r]] = lambda[cut->row0 + r];
    o.lambda = l;
    o.w = w;
    o.w2 = NULL;
    o.H = j->tan.H;
    o.Jw_q = rows[0];
    o.phit_q = rows[1];
    o.gamma_q = NULL;
    tni_con_eval(cut->con, &job.env, TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL | TNI_C_TANGENT, &o);
    add_group(j, &j->tan.group[model->nforce + i], j->tan.H, NULL, 1);
  }
}

void tni_joint_linearize(tni_jsys *j, double t, const double *q, const double *v, const double *a,
                         const double *lambda) {
  j->base.newton_owner = NULL;
  set_motion(j, q, v, a);
  set_columns(j);
  tni_system_forces(&j->base, t, j->f);
  if (j->base.m > 0) tni_joint_cut_eval(j, t, TNI_C_JACOBIAN);
  body_wrenches(j, lambda);
  gather_wrenches(j, NULL);
  for (int k = 0; k < j->nlink; k++) memcpy(j->tan.lin[k].F, j->tan.F + 6*k, 6*sizeof(double));
  set_blocks(j, t, lambda);
}

/* ---- entries of the square tangents -------------------------------------------------------- */

/* B of a link and all outboard of it, as far as the twist of the link moves them together */
static void set_composite(tni_jsys *j) {
  tni_jtan *tan = &j->tan;
  for (int k = 0; k < j->nlink; k++) memcpy(tan->composite[k], tan->lin[k].B, sizeof(tan->lin[k].B));
  for (int k = j->nlink - 1; k >= 0; k--) {
    const tni_jlin *lin = &tan->lin[k];
    int parent = j->link[k].parent;
    if (parent < 0) continue;
    for (int l = 0; l < 3; l++) {
      double B[36], *to = tan->composite[parent][l];
      memcpy(B, tan->composite[k][l], sizeof(B));
      columns_inboard(B, lin->d);
      if (lin->pair && l < 2)
        for (int i = 0; i < 36; i++) B[i] += lin->pair->by_inboard[l][i];
      rows_inboard(B, lin->d);
      for (int i = 0; i < 36; i++) to[i] += B[i];
      if (!lin->pair || l == 2) continue;
      memcpy(B, lin->pair->on_inboard[l], sizeof(B));
      columns_inboard(B, lin->d);
      for (int i = 0; i < 36; i++) to[i] += B[i];
    }
  }
}

/* what a velocity does to all before it on the way to the ground, and they to it */
typedef struct {
  double wq[6], wv[6], wm[6];       /* wrenches by dq, dv, da             */
  double y0[6], y1[6], y2[6];       /* r of this velocity by eta, eta', eta'' of inboard links */
} walker;

static void start_walk(const tni_jsys *j, int k, const tni_jcolumn *c, walker *w) {
  const tni_jtan *tan = &j->tan;
  double (*B)[36] = tan->composite[k];
  const double *F = tan->lin[k].F;
  double x[3];
  times6(w->wq, B[0], c->s);
  add_times6(w->wq, B[1], c->s1);
  add_times6(w->wq, B[2], c->s2);
  times6(w->wv, B[1], c->s);
  add_times6(w->wv, B[2], c->z);
  times6(w->wm, B[2], c->s);
  times6_t(w->y0, B[0], c->s);
  times6_t(w->y1, B[1], c->s);
  times6_t(w->y2, B[2], c->s);
  /* (eta x s) . F */
  vec3_cross(x, c->s + 3, F);
  vec3_add(w->y0, w->y0, x);
  vec3_cross(x, c->s, F);
  vec3_add(w->y0 + 3, w->y0 + 3, x);
  vec3_cross(x, c->s + 3, F + 3);
  vec3_add(w->y0 + 3, w->y0 + 3, x);
}

/* from link k to its inboard link; first: k is where the walk began */
static void walk_on(const tni_jsys *j, int k, bool first, const tni_jcolumn *c, walker *w) {
  const tni_jlin *lin = &j->tan.lin[k];
  double *all[] = {w->wq, w->wv, w->wm, w->y0, w->y1, w->y2};
  for (int i = 0; i < 6; i++) tni_carry6(all[i], lin->d);
  if (!first || !lin->pair) return;
  /* forces between the two: the inboard link stays where it is in the column of this one */
  double y[6];
  add_times6(w->wq, lin->pair->on_inboard[0], c->s);
  add_times6(w->wq, lin->pair->on_inboard[1], c->s1);
  add_times6(w->wv, lin->pair->on_inboard[1], c->s);
  times6_t(y, lin->pair->by_inboard[0], c->s);
  for (int i = 0; i < 6; i++) w->y0[i] += y[i];
  times6_t(y, lin->pair->by_inboard[1], c->s);
  for (int i = 0; i < 6; i++) w->y1[i] += y[i];
}

static void put(double *to, int at, double x) {
  if (to) to[at] = x;
}

/* (eta x s) . F */
static double turned(const double eta[6], const double s[6], const double F[6]) {
  double x[6];
  tni_twist_cross(x, eta, s);
  return tni_dot6(x, F);
}

static void square_entries(tni_jsys *j, const tni_sparse_tangent *out) {
  const tni_jtan *tan = &j->tan;
  const int *at = tan->square_at;
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    for (int b = 0; b < l->nv; b++) {
      const tni_jcolumn *c = &tan->column[l->vadr + b];
      walker w;
      start_walk(j, k, c, &w);
      for (int a = 0; a < l->nv; a++, at++) {
        const tni_jcolumn *r = &tan->column[l->vadr + a];
        put(out->M, *at, tni_dot6(r->s, w.wm));
        put(out->r_v, *at, tni_dot6(r->s, w.wv));
        put(out->r_q, *at,
            tni_dot6(r->s, w.wq) + (r->with_body ? turned(c->s, r->s, tan->lin[k].F) : 0));
      }
      for (int p = k; j->link[p].parent >= 0; p = j->link[p].parent) {
        const tni_jlink *in = &j->link[j->link[p].parent];
        walk_on(j, p, p == k, c, &w);
        for (int a = 0; a < in->nv; a++, at += 2) {
          const tni_jcolumn *r = &tan->column[in->vadr + a];
          double M = tni_dot6(r->s, w.wm);
          put(out->M, at[0], M);
          put(out->M, at[1], M);
          put(out->r_v, at[0], tni_dot6(r->s, w.wv));
          put(out->r_v, at[1], tni_dot6(w.y1, r->s) + tni_dot6(w.y2, r->z));
          put(out->r_q, at[0], tni_dot6(r->s, w.wq));
          put(out->r_q, at[1], tni_dot6(w.y0, r->s) + tni_dot6(w.y1, r->s1) + tni_dot6(w.y2, r->s2));
        }
      }
    }
  }
}

/* wrench on one link by the motion of another that is not next to it */
static void far_entries(tni_jsys *j, const tni_jfar *far, const tni_sparse_tangent *out) {
  const tni_jtan *tan = &j->tan;
  const tni_kin *kin = j->base.kin;
  const int *at = far->at;
  for (int g = far->by; g >= 0; g = j->link[g].parent) {
    double d[3];
    vec3_sub(d, kin[j->link[far->by].kin].r, kin[j->link[g].kin].r);
    for (int b = 0; b < j->link[g].nv; b++) {
      const tni_jcolumn *c = &tan->column[j->link[g].vadr + b];
      double s[6], s1[6], wq[6], wv[6];
      tni_shift6(s, c->s, d);
      tni_shift6(s1, c->s1, d);
      times6(wq, far->Q[0], s);
      add_times6(wq, far->Q[1], s1);
      times6(wv, far->Q[1], s);
      for (int e = far->on; e >= 0; e = j->link[e].parent) {
        for (int a = 0; a < j->link[e].nv; a++, at++) {
          const double *r = tan->column[j->link[e].vadr + a].s;
          if (out->r_q) out->r_q[*at] += tni_dot6(r, wq);
          if (out->r_v) out->r_v[*at] += tni_dot6(r, wv);
        }
        tni_carry6(wq, tan->lin[e].d);
        tni_carry6(wv, tan->lin[e].d);
      }
    }
  }
}

/* explicit time dependence of the residual: minus that of the forces */
void tni_joint_time_rate(tni_jsys *j, double *r_t) {
  const tni_data *s = &j->base;
  double *own = j->tan.own;
  memset(own, 0, 6*(size_t)s->model->nbody*sizeof(double));
  for (int i = 0; i < s->model->nforce; i++) {
    const tni_force *f = &s->model->force[i];
    size_t n = 6*(size_t)f->nbody;
    const double *f_t = j->tan.room + j->tan.room_adr[i] + 2*n*n;
    for (size_t e = 0; e < n; e++) own[6*f->body[e/6] + (int)(e%6)] -= f_t[e];
  }
  for (int i = 0; i < s->model->nbody; i++) mat3_vec(own + 6*i + 3, s->kin[i + 1].A, own + 6*i + 3);
  gather_wrenches(j, r_t);
}

/* ---- entries of rows ----------------------------------------------------------------------- */

/* Covectors of one row on the twists of a body: rate C v + Phi_t, C a, gap C a - gamma. w: the row
 * itself, y0, y1, y2 by eta, eta', eta''. */
typedef struct {
  double w[6], rate[6], Ca[6], gap0[6], gap1[6];
} row_walker;

/* (lin; ang in body axes) to ground axes, plus v x lin of a second one in the rotation */
static void covector(const tni_kin *k, const double *x, const double *v, const double *moved,
                     double out[6]) {
  double y[3];
  vec3_copy(out, x);
  mat3_vec(out + 3, k->A, x + 3);
  if (!v) return;
  vec3_cross(y, v, moved);
  vec3_add(out + 3, out + 3, y);
}

/* evaluated block with the three motions: velocities, J a, all of the acceleration */
typedef struct {
  double J[MAXROW*6*TNI_MAXBODY], Jv_q[MAXROW*6*TNI_MAXBODY], Ja_q[MAXROW*6*TNI_MAXBODY];
  double Jacc_q[MAXROW*6*TNI_MAXBODY], phit_q[MAXROW*6*TNI_MAXBODY];
  double gamma_q[MAXROW*6*TNI_MAXBODY], gamma_v[MAXROW*6*TNI_MAXBODY];
} block_rows;

static void eval_rows(tni_jsys *j, double t, const tni_jcut *cut, bool gamma, block_rows *b) {
  const tni_con *con = cut->con;
  double l[MAXROW] = {0}, v[6*TNI_MAXBODY], a[6*TNI_MAXBODY], acc[6*TNI_MAXBODY];
  double scratch[MAXROW*6*TNI_MAXBODY];
  for (int e = 0; e < con->nbody; e++) {
    const tni_kin *k = &j->base.kin[con->body[e] + 1];
    vec3_copy(v + 6*e, k->v);
    vec3_copy(v + 6*e + 3, k->w);
    memcpy(a + 6*e, j->tan.Ja + 6*con->body[e], 6*sizeof(double));
    memcpy(acc + 6*e, j->base.acc + 6*con->body[e], 6*sizeof(double));
  }
  tni_env env = tni_system_env(&j->base, t);
  unsigned what = TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL | TNI_C_TANGENT;
  tni_con_out o = cut->out;
  o.J = b->J;
  o.lambda = l;
  o.H = j->tan.H;
  o.w = v;
  o.w2 = gamma ? a : NULL;
  o.Jw_q = b->Jv_q;
  o.Jw2_q = b->Ja_q;
  o.phit_q = b->phit_q;
  o.gamma_q = gamma ? b->gamma_q : NULL;
  o.gamma_v = b->gamma_v;
  tni_con_eval(con, &env, what, &o);
  if (!gamma) return;
  o.w = acc;
  o.w2 = NULL;
  o.Jw_q = b->Jacc_q;
  o.phit_q = scratch;
  o.gamma_q = NULL;
  tni_con_eval(con, &env, what, &o);
}

static void start_row(const tni_jsys *j, const block_rows *b, int from, int body, bool gamma,
                      row_walker *w) {
  const tni_kin *k = &j->base.kin[body + 1];
  const double *J = b->J + from, *acc = j->base.acc + 6*body;
  double x[6], y[3];
  memset(w, 0, sizeof(*w));
  covector(k, J, NULL, NULL, w->w);
  for (int i = 0; i < 6; i++) x[i] = b->Jv_q[from + i] + b->phit_q[from + i];
  covector(k, x, k->v, J, w->rate);
  if (!gamma) return;
  covector(k, b->Ja_q + from, j->tan.Ja + 6*body, J, w->Ca);
  const double *gv = b->gamma_v + from;
  for (int i = 0; i < 6; i++) x[i] = b->Jacc_q[from + i] - b->gamma_q[from + i];
  covector(k, x, acc, J, w->gap0);
  vec3_cross(y, k->v, gv);
  vec3_sub(w->gap0 + 3, w->gap0 + 3, y);
  for (int i = 0; i < 6; i++) x[i] = -gv[i];
  covector(k, x, NULL, NULL, w->gap1);
  vec3_cross(y, k->v, J);
  vec3_addmul(w->gap1 + 3, 2, y);
  vec3_cross(y, k->W, w->w + 3);
  vec3_add(w->gap1 + 3, w->gap1 + 3, y);
}

static void add(double *to, int at, double x) {
  if (to) to[at] += x;
}

/* velocities J a of the bodies without v, and s' of columns that they would give */
static void set_acceleration_twists(tni_jsys *j) {
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    const tni_jstate *st = &j->state[k + 1];
    double *out = j->tan.Ja + 6*(l->kin - 1), V0[6] = {0}, V1[6];
    /* a6 of tni_joint_acc is at P; here and in V at the centre of mass */
    const double *a1 = j->a6 + 6*(k + 1), *a0 = j->a6 + 6*(l->parent + 1);
    tni_shift6(V1, a1, st->c);
    vec3_copy(out, V1);
    mat3_tvec(out + 3, j->base.kin[l->kin].A, V1 + 3);
    double d[3];
    vec3_add(d, st->d, st->c); /* from P of the inboard link */
    if (l->parent >= 0) tni_shift6(V0, a0, d);
    for (int i = 0; i < l->nv; i++) {
      const tni_jcolumn *c = &j->tan.column[l->vadr + i];
      double *s1 = j->tan.s1a + 6*(l->vadr + i);
      if (l->kind == TNI_MOBIL_FREE) {
        memset(s1, 0, 6*sizeof(double));
        if (c->with_body) vec3_cross(s1, V1, c->s + 3);
      } else {
        tni_twist_cross(s1, c->with_body && l->kind != TNI_MOBIL_SPHERICAL ? V1 : V0, c->s);
      }
    }
  }
}

static void row_entries(tni_jsys *j, double t, const tni_sparse_tangent *out) {
  const tni_jtan *tan = &j->tan;
  double *all[] = {out->C, out->Cv_q, out->Ca_q, out->gamma_q, out->gamma_v};
  bool gamma = out->Ca_q || out->gamma_q || out->gamma_v, any = false;
  for (int i = 0; i < TNI_COUNT(all); i++) {
    if (all[i]) memset(all[i], 0, (size_t)j->base.rows->nnz*sizeof(double));
    any = any || all[i];
  }
  if (!any) return;
  if (gamma) set_acceleration_twists(j);
  for (int i = 0; i < j->ncut; i++) {
    const tni_jcut *cut = &j->cut[i];
    const tni_con *con = cut->con;
    block_rows b;
    eval_rows(j, t, cut, gamma, &b);
    for (int r = 0; r < cut->nrow; r++) {
      const int *place = tan->row_at + tan->row_adr[i];
      int begin = j->base.rows->rowptr[cut->row0 + r];
      for (int e = 0; e < con->nbody; e++) {
        row_walker w;
        start_row(j, &b, 6*con->nbody*cut->used[r] + 6*e, con->body[e], gamma, &w);
        for (int k = j->tree.of_body[con->body[e]]; k >= 0; k = j->link[k].parent) {
          for (int a = 0; a < j->link[k].nv; a++, place++) {
            int at = begin + *place, v = j->link[k].vadr + a;
            const tni_jcolumn *c = &tan->column[v];
            add(out->C, at, tni_dot6(w.w, c->s));
            add(out->Cv_q, at, tni_dot6(w.rate, c->s) + tni_dot6(w.w, c->s1));
            if (!gamma) continue;
            double Ca = tni_dot6(w.Ca, c->s) + tni_dot6(w.w, tan->s1a + 6*v);
            double gap = tni_dot6(w.gap0, c->s) + tni_dot6(w.gap1, c->s1) + tni_dot6(w.w, c->s2);
            add(out->Ca_q, at, Ca);
            add(out->gamma_q, at, Ca - gap);
            add(out->gamma_v, at, -(tni_dot6(w.gap1, c->s) + tni_dot6(w.w, c->z)));
          }
          double *y[] = {w.w, w.rate, w.Ca, w.gap0, w.gap1};
          for (int n = 0; n < (gamma ? 5 : 2); n++) tni_carry6(y[n], tan->lin[k].d);
        }
      }
    }
  }
}

void tni_joint_sparse_tangent(tni_data *s, const tni_at *at, const tni_sparse_tangent *out) {
  tni_jsys *j = (tni_jsys *)s;
  bool square = out->M || out->r_q || out->r_v || out->r_t;
  if (square) {
    double *all[] = {out->M, out->r_q, out->r_v};
    tni_joint_linearize(j, at->t, at->q, at->v, at->a, at->lambda);
    set_composite(j);
    /* what no path to the ground has in common is not written but added to */
    for (int i = 0; i < TNI_COUNT(all) && j->tan.nfar > 0; i++)
      if (all[i]) memset(all[i], 0, (size_t)s->square->nnz*sizeof(double));
    square_entries(j, out);
    for (int i = 0; i < j->tan.nfar; i++) far_entries(j, &j->tan.far[i], out);
  } else {
    s->newton_owner = NULL;
    set_motion(j, at->q, at->v, at->a);
    set_columns(j);
  }
  row_entries(j, at->t, out);
  if (out->r_t) tni_joint_time_rate(j, out->r_t);
}

/* ---- patterns ------------------------------------------------------------------------------ */

/* which links a block couples: their own, next to each other, or neither */
static int block_kind(const tni_jsys *j, int e, int g, int *target) {
  *target = e;
  if (e == g) return TNI_JBLOCK_OWN;
  if (j->link[e].parent == g) return TNI_JBLOCK_BY_INBOARD;
  *target = g;
  if (j->link[g].parent == e) return TNI_JBLOCK_ON_INBOARD;
  return TNI_JBLOCK_FAR;
}

static tn_status find_groups(tni_jsys *j) {
  const tn_model *m = j->base.model;
  tni_arena *arena = &j->base.arena;
  tni_jtan *tan = &j->tan;
  int n = m->nforce + j->ncut, count = 0, largest = 0;
  size_t room = 0;
  TNI_ARENA_NEW(arena, tan->group, n);
  TNI_ARENA_NEW(arena, tan->room_adr, m->nforce);
  for (int i = 0; i < n; i++) {
    const int *body = i < m->nforce ? m->force[i].body : j->cut[i - m->nforce].con->body;
    int nb = i < m->nforce ? m->force[i].nbody : j->cut[i - m->nforce].con->nbody;
    tan->group[i] = (tni_jgroup){nb, body, count};
    count += nb*nb;
    if (nb > largest) largest = nb;
    if (i >= m->nforce) continue;
    size_t size = 6*(size_t)nb;
    tan->room_adr[i] = room;
    room += 2*size*size + size;
  }
  TNI_ARENA_NEW(arena, tan->room, room);
  TNI_ARENA_NEW(arena, tan->H, 36*largest*largest);
  TNI_ARENA_NEW(arena, tan->where, count);
  TNI_ARENA_NEW(arena, tan->target, count);
  for (int i = 0; i < n; i++) {
    const tni_jgroup *g = &tan->group[i];
    for (int e = 0; e < g->nbody*g->nbody; e++) {
      int on = j->tree.of_body[g->body[e/g->nbody]], by = j->tree.of_body[g->body[e%g->nbody]];
      int *target = &tan->target[g->first + e], kind = block_kind(j, on, by, target);
      tan->where[g->first + e] = (signed char)kind;
      if (kind == TNI_JBLOCK_FAR) *target = tan->nfar++;
      else if (kind != TNI_JBLOCK_OWN && !tan->lin[*target].pair)
        TNI_ARENA_NEW(arena, tan->lin[*target].pair, 1);
    }
  }
  TNI_ARENA_NEW(arena, tan->far, tan->nfar);
  for (int i = 0; i < n; i++) {
    const tni_jgroup *g = &tan->group[i];
    for (int e = 0; e < g->nbody*g->nbody; e++) {
      if (tan->where[g->first + e] != TNI_JBLOCK_FAR) continue;
      tni_jfar *far = &tan->far[tan->target[g->first + e]];
      far->on = j->tree.of_body[g->body[e/g->nbody]];
      far->by = j->tree.of_body[g->body[e%g->nbody]];
    }
  }
  return TN_OK;
}

/* Visit the entries in the order in which they are computed: mark them, or note their places. */
typedef struct {
  int n;
  bool *mark;   /* [n][n] */
  int *place;   /* [n][n] */
  int *at;      /* NULL while marking */
  size_t count;
} entries;

static void visit(entries *x, int row, int col) {
  size_t e = (size_t)row*(size_t)x->n + (size_t)col;
  if (x->at) x->at[x->count] = x->place[e];
  else x->mark[e] = x->mark[(size_t)col*(size_t)x->n + (size_t)row] = true;
  x->count++;
}

static void visit_tree(const tni_jsys *j, entries *x) {
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    for (int b = 0; b < l->nv; b++) {
      for (int a = 0; a < l->nv; a++) visit(x, l->vadr + a, l->vadr + b);
      for (int p = l->parent; p >= 0; p = j->link[p].parent)
        for (int a = 0; a < j->link[p].nv; a++) {
          visit(x, j->link[p].vadr + a, l->vadr + b);
          visit(x, l->vadr + b, j->link[p].vadr + a);
        }
    }
  }
}

static void visit_far(const tni_jsys *j, const tni_jfar *far, entries *x) {
  for (int g = far->by; g >= 0; g = j->link[g].parent)
    for (int b = 0; b < j->link[g].nv; b++)
      for (int e = far->on; e >= 0; e = j->link[e].parent)
        for (int a = 0; a < j->link[e].nv; a++)
          visit(x, j->link[e].vadr + a, j->link[g].vadr + b);
}

static tn_status square_pattern(tni_jsys *j, tni_arena *scratch) {
  tni_jtan *tan = &j->tan;
  tni_arena *arena = &j->base.arena;
  int n = j->base.nv, nnz = 0, *rowptr, *col, *at;
  size_t nn = (size_t)n*(size_t)n;
  entries x = {.n = n};
  TNI_ARENA_NEW(scratch, x.mark, nn);
  TNI_ARENA_NEW(scratch, x.place, nn);
  visit_tree(j, &x);
  size_t tree = x.count;
  for (int i = 0; i < tan->nfar; i++) visit_far(j, &tan->far[i], &x);
  TNI_ARENA_NEW(arena, rowptr, n + 1);
  for (size_t i = 0; i < nn; i++) nnz += x.mark[i];
  TNI_ARENA_NEW(arena, col, nnz);
  nnz = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      size_t e = (size_t)i*(size_t)n + (size_t)k;
      x.place[e] = nnz;
      if (x.mark[e]) col[nnz++] = k;
    }
    rowptr[i + 1] = nnz;
  }
  TNI_ARENA_NEW(arena, at, tree);
  x.at = at;
  x.count = 0;
  visit_tree(j, &x);
  tan->square_at = at;
  for (int i = 0; i < tan->nfar; i++) {
    entries count = {.n = n, .mark = x.mark};
    visit_far(j, &tan->far[i], &count);
    TNI_ARENA_NEW(arena, at, count.count);
    x.at = at;
    x.count = 0;
    visit_far(j, &tan->far[i], &x);
    tan->far[i].at = at;
  }
  tan->square = (tni_sparsity){n, n, nnz, rowptr, col};
  j->base.square = &tan->square;
  return TN_OK;
}

/* columns of a row: the velocities of the paths of its bodies, which cut->dof has falling */
static tn_status row_pattern(tni_jsys *j) {
  tni_jtan *tan = &j->tan;
  tni_arena *arena = &j->base.arena;
  int m = j->base.m, *rowptr, *col, *adr, *place, count = 0;
  TNI_ARENA_NEW(arena, rowptr, m + 1);
  TNI_ARENA_NEW(arena, adr, j->ncut + 1);
  for (int i = 0; i < j->ncut; i++) {
    const tni_jcut *cut = &j->cut[i];
    for (int r = cut->row0; r < cut->row0 + cut->nrow; r++) rowptr[r + 1] = rowptr[r] + cut->ndof;
    for (int e = 0; e < cut->con->nbody; e++)
      for (int k = j->tree.of_body[cut->con->body[e]]; k >= 0; k = j->link[k].parent)
        count += j->link[k].nv;
    adr[i + 1] = count;
  }
  TNI_ARENA_NEW(arena, col, rowptr[m]);
  TNI_ARENA_NEW(arena, place, count);
  count = 0;
  for (int i = 0; i < j->ncut; i++) {
    const tni_jcut *cut = &j->cut[i];
    for (int r = cut->row0; r < cut->row0 + cut->nrow; r++)
      for (int e = 0; e < cut->ndof; e++) col[rowptr[r] + e] = cut->dof[cut->ndof - 1 - e];
    for (int e = 0; e < cut->con->nbody; e++)
      for (int k = j->tree.of_body[cut->con->body[e]]; k >= 0; k = j->link[k].parent)
        for (int a = 0; a < j->link[k].nv; a++) {
          int p = 0;
          while (cut->dof[cut->ndof - 1 - p] != j->link[k].vadr + a) p++;
          place[count++] = p;
        }
  }
  tan->row_adr = adr;
  tan->row_at = place;
  tan->rows = (tni_sparsity){m, j->base.nv, rowptr[m], rowptr, col};
  j->base.rows = &tan->rows;
  return TN_OK;
}

tn_status tni_joint_tangent_begin(tni_jsys *j) {
  tni_arena *arena = &j->base.arena;
  TNI_ARENA_NEW(arena, j->tan.own, 6*j->base.model->nbody);
  TNI_ARENA_NEW(arena, j->tan.F, 6*j->nlink);
  TNI_ARENA_NEW(arena, j->tan.zero, j->base.nv);
  return TN_OK;
}

/* the elimination along the tree is for trees: nothing couples other links than neighbours */
tn_status tni_joint_tangent_prepare(tni_data *s) {
  tni_jsys *j = (tni_jsys *)s;
  tni_arena *arena = &s->arena;
  if (j->tan.column) return TN_OK;
  TNI_ARENA_NEW(arena, j->tan.column, s->nv);
  TNI_ARENA_NEW(arena, j->tan.lin, j->nlink);
  TNI_ARENA_NEW(arena, j->tan.composite, j->nlink);
  TNI_ARENA_NEW(arena, j->tan.Ja, 6*s->model->nbody);
  TNI_ARENA_NEW(arena, j->tan.s1a, 6*s->nv);
  TN_TRY(find_groups(j));
  s->recursive =
      s->m == 0 && j->tan.nfar == 0 && s->nv >= FEW && j->solver == TNI_JOINT_ARTICULATED;
  return tni_joint_newton_setup(j);
}

tn_status tni_joint_pattern(tni_data *s) {
  tni_jsys *j = (tni_jsys *)s;
  if (s->square) return TN_OK;
  TN_TRY(row_pattern(j));
  tni_arena scratch;
  tni_arena_init(&scratch, s->ctx);
  tn_status st = square_pattern(j, &scratch);
  tni_arena_clear(&scratch);
  return st;
}
