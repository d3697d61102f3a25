/* system/joint.c - relative coordinates on the spanning tree, constraints only at cut joints
 *
 *   joint        q                                     v
 *   revolute     angle                                 its rate
 *   prismatic    displacement                          its rate
 *   cylinder     displacement, angle                   their rates
 *   screw        angle                                 its rate
 *   universal    angle about z of frame 0, about y of frame 1     their rates
 *   spherical    Euler parameters                      angular velocity against the inboard body in
 *                                                      the axes of the outboard joint frame
 *   planar       displacements along x, y, angle       their rates
 *   free         centre of mass, Euler parameters      its velocity, angular velocity in body axes
 *
 * Angles and displacements are those of frame 1 against frame 0 of the joint, whichever of its
 * bodies is the inboard one, and angles are not confined to one turn. Ball and planar joints always
 * describe the outboard body against the inboard one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/joint.h"
#include "system/project.h"

#include <stdio.h>

#include "linsolve/blas.h"
#include "linsolve/lapack.h"
#include "model/part.h"

static const double two_pi = 6.283185307179586476925;

static tni_jsys *self(tni_data *s) { return (tni_jsys *)s; }
static const tni_jsys *cself(const tni_data *s) { return (const tni_jsys *)s; }

/* ---- initial state ------------------------------------------------------------------------- */

/* coordinates of a joint from the pose (D, X) of its frame 1 seen from its frame 0 */
static void joint_coordinates(const tni_link *t, const double D[3], const double X[9], double *q) {
  double sign = t->reversed ? -1 : 1, angle = atan2(X[3] - X[1], X[0] + X[4]);
  switch (t->mobilizer) {
    case TNI_MOBIL_REVOLUTE: q[0] = sign*angle; break;
    case TNI_MOBIL_SCREW: /* the displacement tells the turns */
      if (t->pitch != 0) angle += two_pi*round(D[2]/t->pitch - angle/two_pi);
      q[0] = sign*angle;
      break;
    case TNI_MOBIL_PRISMATIC: q[0] = sign*D[2]; break;
    case TNI_MOBIL_CYLINDER:
      q[0] = sign*D[2];
      q[1] = sign*angle;
      break;
    case TNI_MOBIL_UNIVERSAL:
      if (!t->reversed) { /* X = Rz(q0) Ry(q1) */
        q[0] = atan2(-X[1], X[4]);
        q[1] = atan2(-X[6], X[8]);
      } else { /* X = Ry(-q1) Rz(-q0) */
        q[0] = -atan2(X[3], X[4]);
        q[1] = -atan2(X[2], X[8]);
      }
      break;
    case TNI_MOBIL_SPHERICAL: quat_from_matrix(q, X); break;
    case TNI_MOBIL_PLANAR:
      q[0] = D[0];
      q[1] = D[1];
      q[2] = angle;
      break;
    case TNI_MOBIL_FREE:
      vec3_copy(q, D);
      quat_from_matrix(q + 3, X);
      break;
    case TNI_MOBIL_POINT: vec3_copy(q, D); break;
    case TNI_MOBIL_POINT2:
      q[0] = D[0];
      q[1] = D[1];
      break;
    default: break;
  }
}

/* the velocities that come nearest to the motion (u; w) of a link at its P: (S^T S) v = S^T (u; w) */
static void fit_velocity(const double *S, int n, const double uw[6], double *v) {
  double N[36];
  for (int i = 0; i < n; i++) {
    v[i] = vec3_dot(S + 6*i, uw) + vec3_dot(S + 6*i + 3, uw + 3);
    for (int j = 0; j < n; j++)
      N[n*i + j] = vec3_dot(S + 6*i, S + 6*j) + vec3_dot(S + 6*i + 3, S + 6*j + 3);
  }
  /* elimination; a column without a pivot (universal joint in its lock) gets no velocity */
  bool used[6];
  for (int i = 0; i < n; i++) {
    used[i] = N[n*i + i] > 1e-12;
    for (int r = i + 1; r < n && used[i]; r++) {
      double f = N[n*r + i]/N[n*i + i];
      for (int c = i; c < n; c++) N[n*r + c] -= f*N[n*i + c];
      v[r] -= f*v[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int c = i + 1; c < n; c++) v[i] -= N[n*i + c]*v[c];
    v[i] = used[i] ? v[i]/N[n*i + i] : 0;
  }
}

/* where a body is and how it moves; A is a rotation to the last digit */
static void motion_of(const tn_model *model, const tni_kin *kin, int body, double r[3], double A[9],
                      double v[3], double W[3]) {
  double p[4];
  vec3_set(r, 0, 0, 0);
  vec3_set(v, 0, 0, 0);
  vec3_set(W, 0, 0, 0);
  mat3_identity(A);
  if (body == TNI_GROUND) return;
  const tni_body *b = &model->body[body];
  const tni_kin *k = kin ? &kin[body + 1] : NULL;
  if (k) quat_from_matrix(p, k->A);
  else memcpy(p, b->p0, sizeof(p));
  quat_matrix(A, p);
  vec3_copy(r, k ? k->r : b->r0);
  vec3_copy(v, k ? k->v : b->v0);
  mat3_vec(W, A, k ? k->w : b->w0);
}

static void coordinates(const tni_data *s, const tni_kin *kin, double *q, double *v) {
  const tni_jsys *j = cself(s);
  const tn_model *model = s->model;
  for (int k = 0; k < j->nlink; k++) {
    const tni_link *t = &j->tree.link[k];
    const tni_jlink *l = &j->link[k];
    int inboard = l->kin0 - 1;
    double r0[3], A0[9], r1[3], A1[9], X0[9], X1[9], X[9], e[3], c[3], D[3], y[3];
    double v0[3], W0[3], v1[3], W1[3];
    motion_of(model, kin, inboard, r0, A0, v0, W0);
    motion_of(model, kin, t->body, r1, A1, v1, W1);
    mat3_mul(X0, A0, t->frame[0].R);
    mat3_mul(X1, A1, t->frame[1].R);
    mat3_tmul(X, X0, X1);
    /* D from frame 0 to frame 1 in the axes of frame 0 */
    mat3_vec(c, A1, t->frame[1].p);
    mat3_vec(e, A0, t->frame[0].p);
    for (int i = 0; i < 3; i++) y[i] = (r1[i] + c[i]) - (r0[i] + e[i]);
    mat3_tvec(D, X0, y);
    joint_coordinates(t, D, X, q + l->qadr);

    /* motion of P of this body less that of the inboard body there */
    double S[36] = {0}, m[6], x0[3], x1[3], P[3];
    vec3_add(P, r1, c);
    vec3_sub(P, P, r0);
    vec3_cross(x0, W0, P);
    vec3_cross(x1, W1, c);
    for (int i = 0; i < 3; i++) {
      m[i] = (v1[i] + x1[i]) - (v0[i] + x0[i]);
      m[i + 3] = W1[i] - W0[i];
    }
    tni_joint_axes(l, t->frame, q + l->qadr, A0, S);
    fit_velocity(S, l->nv, m, v + l->vadr);
  }
}

/* ---- dynamics ------------------------------------------------------------------------------ */

static void factor(tni_jsys *j) {
  j->base.work.nfactor++;
  if (j->solver == TNI_JOINT_ARTICULATED)
    tni_joint_aba_factor(j, NULL, NULL);
  else
    tni_joint_crb_factor(j);
}

static void back(tni_jsys *j, const double *z, double *a) {
  if (j->solver == TNI_JOINT_ARTICULATED)
    tni_joint_aba_back(j, z, a);
  else
    tni_joint_crb_back(j, z, a);
}

/* g = T z - tau */
static void residual_at(const tni_jsys *j, const double *z, const double *tau, double *g) {
  for (int i = 0; i < j->ncut; i++) {
    const tni_jcut *cut = &j->cut[i];
    for (int r = cut->row0; r < cut->row0 + cut->nrow; r++) {
      const double *T = j->T + (size_t)r*(size_t)j->base.nv;
      double sum = -tau[r];
      if (j->solver == TNI_JOINT_COMPOSITE_DENSE)
        for (int d = 0; d < j->base.nv; d++) sum += T[d]*z[d];
      else
        for (int e = 0; e < cut->ndof; e++) sum += T[cut->dof[e]]*z[cut->dof[e]];
      g[r] = sum;
    }
  }
}

/* z -= T^T lambda */
static void apply_multipliers(const tni_jsys *j, const double *lambda, double *z) {
  for (int i = 0; i < j->ncut; i++) {
    const tni_jcut *cut = &j->cut[i];
    for (int r = cut->row0; r < cut->row0 + cut->nrow; r++) {
      const double *T = j->T + (size_t)r*(size_t)j->base.nv;
      if (j->solver == TNI_JOINT_COMPOSITE_DENSE)
        for (int d = 0; d < j->base.nv; d++) z[d] -= T[d]*lambda[r];
      else
        for (int e = 0; e < cut->ndof; e++) z[cut->dof[e]] -= T[cut->dof[e]]*lambda[r];
    }
  }
}

static bool is_redundant(const tni_jsys *j) {
  return j->rank.nnull > 0 && j->rank.nnull > tni_system_idle_rows(&j->base);
}

/* Multipliers of the cut joints, and z with their forces. Within a step the rows of its start serve;
 * good ones: the best for this state. */
static void close_loops(tni_jsys *j, double t, bool good, double *lambda) {
  tni_joint_cut_eval(j, t, TNI_C_JACOBIAN | TNI_C_ACCEL);
  tni_joint_cut_jacobian(j, true);
  if (j->exchanged) tni_joint_cut_restore(j);
  tni_joint_cut_factor(j, NULL, true);
  if (good && is_redundant(j) && tni_joint_cut_changed(j)) tni_joint_cut_exchange(j);
  residual_at(j, j->z, j->tau, j->g);
  tni_joint_cut_solve(j, j->g, lambda, true);
  apply_multipliers(j, lambda, j->z);
}

static tn_status accel(tni_data *s, double t, const double *q, const double *v, double *a,
                       double *lambda, double *zdot) {
  tni_jsys *j = self(s);
  double *l = lambda ? lambda : j->lambda;
  s->work.naccel++;
  s->work.nfactor++;
  tni_joint_kin(j, q, v);
  tni_system_forces(s, t, j->f);
  if (j->solver == TNI_JOINT_ARTICULATED) {
    tni_joint_aba_factor(j, j->f, j->z);
  } else {
    tni_joint_generalized(j, j->f, j->z);
    tni_joint_crb_factor(j);
    tni_joint_crb_half(j, NULL, s->nv, j->z);
  }
  if (s->m > 0) close_loops(j, t, lambda != NULL, l);
  back(j, j->z, a);
  double sum = 0;
  for (int i = 0; i < s->nv; i++) sum += a[i] - a[i]; /* NaN when any is not finite */
  if (!(sum == 0)) {
    int bad = 0;
    while (isfinite(a[bad])) bad++;
    return tni_system_not_finite(s, t, bad);
  }
  if (zdot) {
    zdot[TNI_Z_DISSIPATED] = s->dissipated;
    zdot[TNI_Z_INPUT] = s->input;
    /* prescribed motions work with the power lambda . phi_t */
    for (int r = 0; r < s->m; r++) {
      const tni_jcut *cut = &j->cut[j->row_cut[r]];
      zdot[TNI_Z_INPUT] += l[r]*cut->out.phi_t[cut->used[r - cut->row0]];
    }
  }
  return TN_OK;
}

static void bodies(tni_data *s, const double *q, const double *v, const double *a) {
  tni_jsys *j = self(s);
  tni_joint_kin(j, q, v);
  if (a)
    tni_joint_acc(j, a);
  else
    memset(s->acc, 0, (size_t)s->model->nbody*6*sizeof(double));
}

/* larger in size than the largest so far? NaN counts as larger */
static void keep_largest(double x, int row, double *max, int *where) {
  if (fabs(x) <= *max) return;
  *max = fabs(x);
  *where = row;
}

static double phi_t_of(const tni_jsys *j, int row) {
  const tni_jcut *cut = &j->cut[j->row_cut[row]];
  return cut->out.phi_t[cut->used[row - cut->row0]];
}

static void residuals(tni_data *s, double t, const double *q, const double *v, const double *a,
                      tni_residuals *out) {
  tni_jsys *j = self(s);
  *out = (tni_residuals){0, 0, 0, -1, -1, -1};
  bodies(s, q, v, a);
  tni_joint_cut_eval(j, t, TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL);
  for (int r = 0; r < s->m; r++) {
    const tni_jcut *cut = &j->cut[j->row_cut[r]];
    keep_largest(j->phi[r], r, &out->position, &out->position_row);
    keep_largest(tni_joint_cut_times(j, r, NULL, true) + phi_t_of(j, r), r, &out->velocity,
                 &out->velocity_row);
    if (!a) continue;
    double gamma = cut->out.gamma[cut->used[r - cut->row0]];
    keep_largest(tni_joint_cut_times(j, r, s->acc, false) - gamma, r, &out->acceleration,
                 &out->acceleration_row);
  }
}

/* ---- projection ---------------------------------------------------------------------------- */

/* C, T, G and the factors at the last evaluation of the cut joints, with good rows */
static void factor_all(tni_jsys *j, const double *weight) {
  if (!weight) factor(j);
  tni_joint_cut_jacobian(j, false);
  tni_joint_cut_factor(j, weight, false);
  if (is_redundant(j) && tni_joint_cut_changed(j)) tni_joint_cut_exchange(j);
}

/* smallest change dx (in the metric of the factors) with C dx = -g; overwrites lambda */
static void smallest_change(tni_jsys *j, const double *g, const double *weight, double *dx) {
  int nv = j->base.nv;
  tni_joint_cut_solve(j, g, j->lambda, false);
  memset(j->z, 0, (size_t)nv*sizeof(double));
  apply_multipliers(j, j->lambda, j->z);
  if (!weight) {
    back(j, j->z, dx);
    return;
  }
  for (int i = 0; i < nv; i++) dx[i] = j->z[i]/sqrt(weight[i]);
}

static tn_status rank_anew(tni_data *s, double t, const double *q) {
  tni_jsys *j = self(s);
  if (s->m == 0) return TN_OK;
  tni_joint_kin(j, q, NULL);
  tni_joint_cut_eval(j, t, TNI_C_JACOBIAN);
  factor(j);
  tni_joint_cut_jacobian(j, false);
  tni_joint_cut_half(j, NULL);
  TN_TRY(tni_joint_cut_rank(j));
  tni_joint_cut_factor(j, NULL, false);
  j->usual = s->usual = s->pivot;
  return TN_OK;
}

static tn_status follow_rank(tni_data *s, double t, const double *q) {
  tni_jsys *j = self(s);
  if (!is_redundant(j)) return TN_OK;
  tni_joint_kin(j, q, NULL);
  tni_joint_cut_eval(j, t, TNI_C_JACOBIAN);
  tni_joint_cut_jacobian(j, false);
  if (!tni_joint_cut_changed(j)) return TN_OK;
  if (j->exchanged) tni_joint_cut_restore(j);
  factor(j);
  tni_joint_cut_factor(j, NULL, false);
  s->work.nexchange += tni_joint_cut_exchange(j);
  tni_joint_cut_take(j);
  return TN_OK;
}

static void begin_projection(tni_data *s, const tni_project_opts *o, tni_project_arrays *out) {
  tni_jsys *j = self(s);
  (void)o;
  if (j->exchanged) tni_joint_cut_restore(j);
  *out = (tni_project_arrays){j->phi, j->g, j->rhs, j->kept};
}

static void project_position(tni_data *s, double t, const double *q) {
  tni_jsys *j = self(s);
  tni_joint_kin(j, q, NULL);
  tni_joint_cut_eval(j, t, TNI_C_POSITION | TNI_C_JACOBIAN);
}

static void project_rates(tni_data *s, double t, const double *q, const double *v, bool evaluate) {
  tni_jsys *j = self(s);
  tni_joint_kin(j, q, v);
  if (evaluate) tni_joint_cut_eval(j, t, TNI_C_JACOBIAN);
  for (int r = 0; r < s->m; r++) j->g[r] = tni_joint_cut_times(j, r, NULL, true) + phi_t_of(j, r);
}

/* the factors choose the rows to look at */
static tn_status project_choose(tni_data *s, const tni_project_opts *o) {
  factor_all(self(s), o->weight);
  return TN_OK;
}

static tn_status project_change(tni_data *s, const tni_project_opts *o, const double *r, bool again) {
  tni_jsys *j = self(s);
  if (again) factor_all(j, o->weight);
  smallest_change(j, r, o->weight, j->rhs);
  return TN_OK;
}

static bool project_leaves_out(const tni_data *s) { return s->rank->nnull > 0; }

static const tni_project_ops projection = {begin_projection, NULL, project_position, project_rates, project_choose,
                                           project_change, project_leaves_out};

static tn_status project(tni_data *s, double t, double *q, double *v, const tni_project_opts *opts,
                         tni_project_report *report) {
  return tni_project_by(s, &projection, t, q, v, opts, report);
}

static void tangential(tni_data *s, bool velocity, double *x) {
  tni_jsys *j = self(s);
  if (s->m == 0) return;
  for (int r = 0; r < s->m; r++) {
    const tni_jcut *cut = &j->cut[j->row_cut[r]];
    const double *C = j->C + (size_t)r*(size_t)s->nv;
    j->g[r] = 0;
    /* no projection of positions heeds nonholonomic rows */
    for (int e = 0; e < cut->ndof && (velocity || !cut->con->nonholonomic); e++)
      j->g[r] += C[cut->dof[e]]*x[cut->dof[e]];
  }
  smallest_change(j, j->g, NULL, j->rhs);
  for (int i = 0; i < s->nv; i++) x[i] += j->rhs[i];
}

/* ---- reactions ----------------------------------------------------------------------------- */

/* wrench (force; torque about the centre of mass, ground axes) of -J^T lambda of one block on the
 * body in a slot, added to w */
static void block_wrench(const tni_jsys *j, const tni_jcut *cut, int slot, const double *lambda,
                         double w[6]) {
  const tni_con *con = cut->con;
  double F[3] = {0}, T[3] = {0}, n[3];
  for (int r = 0; r < cut->nrow; r++) {
    const double *J = cut->out.J + 6*con->nbody*cut->used[r] + 6*slot;
    vec3_addmul(F, -lambda[cut->row0 + r], J);
    vec3_addmul(T, -lambda[cut->row0 + r], J + 3);
  }
  mat3_vec(n, j->base.kin[con->body[slot] + 1].A, T);
  vec3_add(w, w, F);
  vec3_add(w + 3, w + 3, n);
}

/* on body 1 of a cut joint; if that is the ground, the opposite of what acts on body 0 */
static void cut_reactions(const tni_jsys *j, const double *lambda, double *wrench) {
  const tn_model *model = j->base.model;
  for (int i = 0; i < j->ncut; i++) {
    const tni_jcut *cut = &j->cut[i];
    const tni_joint *joint = &model->joint[cut->con->joint];
    int end = joint->body[1] == TNI_GROUND ? 0 : 1, body = joint->body[end];
    for (int slot = 0; slot < cut->con->nbody; slot++) {
      if (cut->con->body[slot] != body) continue;
      double w[6] = {0}, rho[3], x[3], *out = wrench + 6*cut->con->joint;
      block_wrench(j, cut, slot, lambda, w);
      const tni_kin *k = &j->base.kin[body + 1];
      if (end == 1) mat3_vec(rho, k->A, joint->frame[1].p);
      else vec3_sub(rho, joint->frame[1].p, k->r); /* frame 1 is fixed in the ground */
      vec3_cross(x, rho, w);
      vec3_sub(w + 3, w + 3, x);
      for (int a = 0; a < 6; a++) out[a] += end == 1 ? w[a] : -w[a];
    }
  }
}

/* Newton-Euler from the leaves: what the inboard joint must give to each link */
static void tree_reactions(tni_jsys *j, const double *lambda, double *wrench) {
  const tni_data *s = &j->base;
  double *P = j->work6;
  for (int i = 0; i < j->ncut; i++)
    for (int slot = 0; slot < j->cut[i].con->nbody; slot++) {
      int k = j->tree.of_body[j->cut[i].con->body[slot]];
      double w[6] = {0}, x[3];
      block_wrench(j, &j->cut[i], slot, lambda, w);
      vec3_cross(x, j->state[k + 1].c, w);
      for (int a = 0; a < 3; a++) P[6*k + a] -= w[a], P[6*k + a + 3] -= w[a + 3] + x[a];
    }
  for (int k = j->nlink - 1; k >= 0; k--) {
    const tni_link *t = &j->tree.link[k];
    const tni_body *body = &s->model->body[t->body];
    const double *acc = s->acc + 6*t->body, *f = j->f + 6*t->body, *d = j->state[k + 1].d;
    double *w = P + 6*k, F[3], N[3], n[3], x[3];
    mat3_vec(N, body->I, acc + 3);
    for (int a = 0; a < 3; a++) F[a] = body->mass*acc[a] - f[a], N[a] -= f[a + 3];
    mat3_vec(n, s->kin[t->body + 1].A, N);
    vec3_cross(x, j->state[k + 1].c, F);
    for (int a = 0; a < 3; a++) w[a] += F[a], w[a + 3] += n[a] + x[a];
    if (t->parent >= 0) tni_joint_carry(j, k, w, P + 6*t->parent);
    if (t->joint >= 0) {
      double *out = wrench + 6*t->joint;
      memcpy(out, w, 6*sizeof(double));
      if (t->reversed) {
        /* on the inboard body instead, at the frame that is fixed in it: frame 0 of the link */
        const tni_kin *k0 = &s->kin[j->link[k].kin0];
        const double *c0 = j->state[t->parent + 1].c;
        double e[3], y[3];
        mat3_vec(e, k0->A, t->frame[0].p);
        for (int a = 0; a < 3; a++) y[a] = d[a] - (c0[a] + e[a]); /* from there to P */
        vec3_cross(x, y, w);
        for (int a = 0; a < 3; a++) out[a] = -w[a], out[a + 3] = -(w[a + 3] + x[a]);
      }
    }
    memset(w, 0, 6*sizeof(double));
  }
}

static void reactions(tni_data *s, double t, const double *q, const double *v, const double *a,
                      const double *lambda, double *wrench) {
  tni_jsys *j = self(s);
  memset(wrench, 0, (size_t)s->model->njoint*6*sizeof(double));
  bodies(s, q, v, a);
  tni_system_forces(s, t, j->f);
  tni_joint_cut_eval(j, t, TNI_C_JACOBIAN);
  tree_reactions(j, lambda, wrench);
  cut_reactions(j, lambda, wrench);
  if (!s->model->planar) return;
  /* nothing out of the plane is solved for */
  for (int i = 0; i < s->model->njoint; i++) {
    double *w = wrench + 6*i;
    w[2] = w[3] = w[4] = 0;
  }
}

static tn_status tangent(tni_data *s, const tni_at *at, const tni_tangent *dense,
                         const tni_sparse_tangent *sparse) {
  if (sparse) tni_joint_sparse_tangent(s, at, sparse);
  if (!dense) return TN_OK;
  return TN_FAIL(s->ctx, TN_ERR_UNSUPPORTED,
                 "tangents in parts are available in the cartesian representation only");
}

static void phi(tni_data *s, double t, const double *q, double *out) {
  tni_jsys *j = self(s);
  tni_joint_kin(j, q, NULL);
  tni_joint_cut_eval(j, t, TNI_C_POSITION);
  memcpy(out, j->phi, (size_t)s->m*sizeof(double));
}

static void rate(tni_data *s, double t, const double *q, const double *v, double *out) {
  tni_jsys *j = self(s);
  tni_joint_kin(j, q, v);
  tni_joint_cut_eval(j, t, TNI_C_JACOBIAN);
  for (int r = 0; r < s->m; r++) out[r] = tni_joint_cut_times(j, r, NULL, true) + phi_t_of(j, r);
}

/* ---- names --------------------------------------------------------------------------------- */

static void row_name(const tni_data *s, int row, char *out, size_t n) {
  const tni_jsys *j = cself(s);
  if (row < 0 || row >= s->m) {
    snprintf(out, n, "none");
    return;
  }
  const tni_jcut *cut = &j->cut[j->row_cut[row]];
  snprintf(out, n, "%s.%s", s->model->joint[cut->con->joint].name,
           cut->con->rowname[cut->used[row - cut->row0]]);
}

static void dof_name(const tni_data *s, int dof, char *out, size_t n) {
  static const char *const free_part[6] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  static const char *const planar_part[3] = {"x", "y", "angle"};
  static const char *const cylinder_part[2] = {"displacement", "angle"};
  static const char *const universal_part[2] = {"angle.1", "angle.2"};
  const tni_jsys *j = cself(s);
  int k = 0;
  while (k + 1 < j->nlink && j->link[k + 1].vadr <= dof) k++;
  int i = dof - j->link[k].vadr;
  const tni_link *t = &j->tree.link[k];
  const char *owner = t->joint < 0 ? s->model->body[t->body].name : s->model->joint[t->joint].name;
  const char *part;
  switch (t->mobilizer) {
    case TNI_MOBIL_PRISMATIC: part = "displacement"; break;
    case TNI_MOBIL_CYLINDER: part = cylinder_part[i]; break;
    case TNI_MOBIL_UNIVERSAL: part = universal_part[i]; break;
    case TNI_MOBIL_SPHERICAL: part = free_part[3 + i]; break;
    case TNI_MOBIL_PLANAR: part = planar_part[i]; break;
    case TNI_MOBIL_FREE:
    case TNI_MOBIL_POINT:
    case TNI_MOBIL_POINT2: part = free_part[i]; break;
    default: part = "angle"; break;
  }
  snprintf(out, n, "%s.%s", owner, part);
}

int tni_joint_own_velocity(const tni_data *s, int joint, int coord) {
  const tni_jsys *j = cself(s);
  const tni_joint *of = &s->model->joint[joint];
  const char *name = of->coord[coord].name;
  bool angle = strcmp(name, "angle") == 0, along = strcmp(name, "displacement") == 0;
  for (int e = 0; e < 2; e++) {
    int k = of->body[e] == TNI_GROUND ? -1 : j->tree.of_body[of->body[e]];
    if (k < 0 || j->tree.link[k].joint != joint) continue;
    int v0 = j->link[k].vadr;
    switch (j->tree.link[k].mobilizer) {
      case TNI_MOBIL_REVOLUTE: return angle ? v0 : -1;
      case TNI_MOBIL_PRISMATIC: return along ? v0 : -1;
      case TNI_MOBIL_SCREW: return angle || along ? v0 : -1;
      case TNI_MOBIL_CYLINDER: return along ? v0 : angle ? v0 + 1 : -1;
      case TNI_MOBIL_UNIVERSAL: return v0 + coord;
      /* entered from its second body, its displacements are those along axes that turn */
      case TNI_MOBIL_PLANAR: return angle ? v0 + 2 : j->tree.link[k].reversed ? -1 : v0 + coord;
      default: return -1;
    }
  }
  return -1;
}

static void describe(const tni_data *s, char *out, size_t n) {
  static const char *const name[4] = {"", "composite inertia, sparse", "composite inertia, dense",
                                      "articulated bodies"};
  const tni_jsys *j = cself(s);
  snprintf(out, n, "joint, %d coordinates on a tree of %d bodies, %d cut rows, %s: %s", s->nv,
           j->nlink, s->m, name[j->solver], j->reason);
}

/* ---- create -------------------------------------------------------------------------------- */

static tn_status begin(tni_data *s) {
  tni_jsys *j = self(s);
  tni_arena *arena = &s->arena;
  TNI_ARENA_NEW(arena, j->state, j->nlink + 1);
  TNI_ARENA_NEW(arena, j->work6, 6*j->nlink);
  TNI_ARENA_NEW(arena, j->a6, 6*(j->nlink + 1));
  TNI_ARENA_NEW(arena, j->f, 6*s->model->nbody);
  TNI_ARENA_NEW(arena, j->S, 6*s->nv);
  TNI_ARENA_NEW(arena, j->z, s->nv);
  TNI_ARENA_NEW(arena, j->rhs, s->nv);
  TN_TRY(tni_joint_tangent_begin(j));
  TN_TRY(tni_joint_cut_begin(j));
  return j->solver == TNI_JOINT_ARTICULATED ? tni_joint_aba_begin(j) : tni_joint_crb_begin(j);
}

static tn_status prepare(tni_data *s, tni_prepare what) {
  return what == TNI_PREPARE_TANGENT ? tni_joint_tangent_prepare(s) : what == TNI_PREPARE_PATTERN ? tni_joint_pattern(s) : TN_OK;
}

static void eval(tni_data *s, const tni_at *at, const tni_want *w) {
  if (w->balance) {
    tni_joint_balance(s, at, w);
  } else {
    if (w->phi) phi(s, at->t, at->q, w->phi);
    if (w->rate) rate(s, at->t, at->q, at->v, w->rate);
  }
  if (w->residuals) residuals(s, at->t, at->q, at->v, at->a, w->residuals);
  if (w->wrench) reactions(s, at->t, at->q, at->v, at->a, at->lambda, w->wrench);
  if (w->bodies) bodies(s, at->q, at->v, at->a);
}

static tn_status update_rank(tni_data *s, double t, const double *q, bool follow) {
  return follow ? follow_rank(s, t, q) : rank_anew(s, t, q);
}

static void label(const tni_data *s, tni_name of, int i, char *out, size_t n) {
  if (of == TNI_NAME_ROW) row_name(s, i, out, n);
  else dof_name(s, i, out, n);
}

static const tni_newton_ops newton_ops = {
    .at = tni_joint_newton_at, .apply = tni_joint_apply, .factor = tni_joint_newton_factor,
    .solve = tni_joint_newton_solve, .factor_complex = tni_joint_newton_factor_complex,
    .solve_complex = tni_joint_newton_solve_complex};

static const tni_system_ops joint_ops = {
    .name = "joint", .begin = begin, .prepare = prepare, .coordinates = coordinates, .eval = eval, .accel = accel,
    .project = project, .tangential = tangential, .tangent = tangent, .update_rank = update_rank,
    .label = label, .describe = describe, .newton = &newton_ops};

/* K0 + cos K1 + sin K2 = R0 Rz(sign angle) R1^T; frames themselves for the other joints */
static void set_rotation(tni_jlink *l, const tni_link *t) {
  const double *R0 = t->frame[0].R, *R1 = t->frame[1].R;
  double sign = t->reversed && t->mobilizer != TNI_MOBIL_PLANAR ? -1 : 1;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      double zz = R0[3*a + 2]*R1[3*b + 2];
      double cc = R0[3*a]*R1[3*b] + R0[3*a + 1]*R1[3*b + 1];
      double ss = R0[3*a + 1]*R1[3*b] - R0[3*a]*R1[3*b + 1];
      bool turns = l->kind != TNI_MOBIL_FIXED && l->kind != TNI_MOBIL_PRISMATIC &&
                   l->kind != TNI_MOBIL_POINT && l->kind != TNI_MOBIL_POINT2;
      l->K[0][3*a + b] = turns ? zz : zz + cc;
      l->K[1][3*a + b] = turns ? cc : 0;
      l->K[2][3*a + b] = turns ? sign*ss : 0;
    }
  mat3_column(l->z, l->kind == TNI_MOBIL_PRISMATIC ? R0 : R1, 2);
  vec3_scale(l->z, sign, l->z);
}

/* Principal axes of the inertia about P: with the smallest moment j taken out, J - j is the sum of
 * two dyads, which turn with the body at the cost of two vectors. */
static void set_inertia(tni_jlink *l, const tni_body *body) {
  double J[9], moment[3], cc = vec3_dot(l->c, l->c);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      J[3*a + b] = body->I[3*a + b] + body->mass*((a == b)*cc - l->c[a]*l->c[b]);
  tni_syev('V', 'U', 3, J, 3, moment, (double[16]){0}, 16);
  l->j = moment[0];
  vec3_scale(l->j1, sqrt(moment[1] - moment[0]), J + 3);
  vec3_scale(l->j2, sqrt(moment[2] - moment[0]), J + 6);
}

static void set_link(tni_jsys *j, int k) {
  const tni_link *t = &j->tree.link[k];
  const tni_body *body = &j->base.model->body[t->body];
  tni_jlink *l = &j->link[k];
  l->kind = (int)t->mobilizer;
  l->parent = t->parent;
  l->kin = t->body + 1;
  l->kin0 = t->parent < 0 ? 0 : j->tree.link[t->parent].body + 1;
  l->nv = tni_mobilizer_dof(t->mobilizer);
  l->qadr = j->base.nq;
  l->vadr = j->base.nv;
  j->base.nq += tni_mobilizer_ncoord(t->mobilizer);
  j->base.nv += l->nv;
  l->swapped = t->reversed && t->mobilizer == TNI_MOBIL_UNIVERSAL;
  l->h = t->pitch/two_pi;
  vec3_copy(l->s, t->frame[0].p);
  vec3_scale(l->c, -1, t->frame[1].p);
  set_rotation(l, t);
  l->mass = body->mass;
  set_inertia(l, body);
  memcpy(j->frame[k], t->frame, sizeof(t->frame));
}

/* what the coordinates of a joint are, for the geometry */
static tni_span span_of(const tni_jlink *l) {
  switch (l->kind) {
    case TNI_MOBIL_SPHERICAL: return (tni_span){.kind = TNI_NODE_BALL, .n = 1};
    case TNI_MOBIL_FREE: return (tni_span){.kind = TNI_NODE_POSE, .n = 1};
    default: return (tni_span){.kind = TNI_NODE_PLAIN, .n = l->nv};
  }
}

static tn_status make_layout(tni_jsys *j) {
  tni_span *span;
  TNI_ARENA_NEW(&j->base.arena, span, j->nlink);
  for (int k = 0; k < j->nlink; k++) span[k] = span_of(&j->link[k]);
  j->base.layout = &j->layout;
  return tni_layout_of_spans(j->base.ctx, span, j->nlink, &j->base.arena, &j->layout);
}

/* the way of each velocity to the ground */
static tn_status set_ways(tni_jsys *j) {
  tni_arena *arena = &j->base.arena;
  int nv = j->base.nv, *last;
  TNI_ARENA_NEW(arena, j->up, nv);
  TNI_ARENA_NEW(arena, j->rowlen, nv);
  TNI_ARENA_NEW(arena, j->rowadr, nv + 1);
  TNI_ARENA_NEW(arena, last, j->nlink); /* last velocity of a link or of those before it */
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    int before = l->parent < 0 ? -1 : last[l->parent];
    for (int i = 0; i < l->nv; i++) {
      int v = l->vadr + i;
      j->up[v] = before;
      j->rowlen[v] = before < 0 ? 1 : j->rowlen[before] + 1;
      j->rowadr[v + 1] = j->rowadr[v] + (size_t)j->rowlen[v];
      before = v;
    }
    last[k] = before;
  }
  return TN_OK;
}

static void choose_solver(tni_jsys *j, int wanted) {
  if (wanted != 0) {
    j->solver = wanted;
    snprintf(j->reason, sizeof(j->reason), "as asked");
    return;
  }
  if (j->base.m == 0) {
    j->solver = TNI_JOINT_ARTICULATED;
    snprintf(j->reason, sizeof(j->reason), "no loops, work grows with the number of bodies only");
    return;
  }
  /* work of elimination without fill against about this much for the 6 x 6 inertias of a link */
  const double per_link = 400;
  double work = 0;
  for (int v = 0; v < j->base.nv; v++) work += 0.5*j->rowlen[v]*(j->rowlen[v] + 12.0);
  bool sparse = work < per_link*j->nlink;
  j->solver = sparse ? TNI_JOINT_COMPOSITE_SPARSE : TNI_JOINT_ARTICULATED;
  snprintf(j->reason, sizeof(j->reason), "loops on a %s tree", sparse ? "shallow" : "deep");
}

static void note_paths(tni_jsys *j) {
  if (j->solver == TNI_JOINT_ARTICULATED) return;
  for (int v = 0; v < j->base.nv; v++) j->base.paths += (double)j->rowlen[v]*j->rowlen[v];
}

static tn_status setup(tni_jsys *j, const tni_system_opts *opts) {
  tni_data *s = &j->base;
  tni_arena *arena = &s->arena;
  int wanted = opts ? opts->joint_solver : 0;
  TN_REQUIRE(s->ctx, wanted >= 0 && wanted <= TNI_JOINT_ARTICULATED, TN_ERR_ARGUMENT,
             "joint solver %d, must be 0 to %d", wanted, TNI_JOINT_ARTICULATED);
  TN_TRY(tni_system_common_init(s));
  TN_TRY(tni_tree_build(s->model, arena, &j->tree));
  j->nlink = j->tree.nlink;
  TNI_ARENA_NEW(arena, j->link, j->nlink);
  TNI_ARENA_NEW(arena, j->frame, j->nlink);
  for (int k = 0; k < j->nlink; k++) set_link(j, k);
  TN_TRY(make_layout(j));
  TN_TRY(set_ways(j));
  j->rank_tol = opts ? opts->rank_tol : 0;
  TN_TRY(tni_joint_cut_setup(j));
  s->relative = true;
  s->ode = s->m == 0;
  for (int r = 0; r < s->m; r++)
    if (j->nonholonomic[r]) s->velocity_only = j->nonholonomic;
  choose_solver(j, wanted);
  note_paths(j);
  return j->solver == TNI_JOINT_ARTICULATED ? tni_joint_aba_setup(j) : TN_OK;
}

tn_status tni_joint_system(tn_ctx *ctx, const tn_model *model, const tni_system_opts *opts,
                           tni_system **out) {
  *out = NULL;
  if (model->npart > 0)
    return TN_FAIL(ctx, TN_ERR_UNSUPPORTED, "structure '%s': meshes move in ground coordinates only; use "
                   "representation: cartesian", model->part[0].name);
  TN_TRY(tni_system_new(ctx, model, &joint_ops, sizeof(tni_jsys), out));
  tn_status st = setup(self((*out)->shape), opts);
  if (st != TN_OK) tni_system_destroy(out);
  return st;
}

tn_status tni_joint_create(tn_ctx *ctx, const tn_model *model, const tni_system_opts *opts,
                           tni_data **out) {
  tni_system *s;
  *out = NULL;
  TN_TRY(tni_joint_system(ctx, model, opts, &s));
  return tni_data_own(s, out);
}
