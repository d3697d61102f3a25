/* system/cartesian.c - maximal coordinates: every body has its pose, every joint is a constraint
 *
 *   q = (r, p) per body (7 numbers, planar too),  v = (rdot, w) per body, 6 or 3 components kept
 *   M = diag(m I, I_body) per body, constant;  f = applied + gravity - w x I w
 *   points (nodes of cables): q = r, v = rdot, M = m (system/layout.h)
 *
 * Constraint blocks are evaluated with all six columns per body by the joints; here the columns of
 * the kept velocity components are picked and rows that are empty for a planar model are left
 * out. Linear algebra: linsolve/kkt.h on the same blocks.
 *
 * Which rows are used, where they are redundant or a position is singular: cartesian_rank.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "linsolve/blas.h"
#include "parallel/pool.h"
#include "system/cartesian.h"
#include "system/parts.h"
#include "system/project.h"

enum { CON_GRAIN = 32 }; /* constraint blocks per chunk of the thread pool */
enum { MOST_DENSE = 2000 }; /* unknowns of models with parts that dense tangents are made for */

/* Room for the full evaluation of one block, six columns per body. It lives on the stack of whoever
 * evaluates: only the picked columns are kept, which is what stays in the cache. */
typedef struct {
  double phi[TNI_CART_ROWS], phi_t[TNI_CART_ROWS], gamma[TNI_CART_ROWS];
  double J[TNI_CART_ROWS*TNI_CART_COLS];
} room;

static tni_con_out room_out(room *r) {
  return (tni_con_out){.phi = r->phi, .phi_t = r->phi_t, .gamma = r->gamma, .J = r->J};
}

/* velocity components of nodes that turn */
static const signed char spatial_part[6] = {0, 1, 2, 3, 4, 5}, planar_part[3] = {0, 1, 5};

static tni_cartesian *self(tni_data *s) { return (tni_cartesian *)s; }
static const tni_cartesian *cself(const tni_data *s) { return (const tni_cartesian *)s; }

/* ---- coordinates --------------------------------------------------------------------------- */

void tni_cart_set_kin(tni_data *s, double t, const double *q, const double *v) {
  self(s)->evaluated++;
  tni_layout_kin(s->layout, q, v, s->kin);
  tni_stands(s, q, v);
  tni_parts_set(s, t, q, v);
}

static void coordinates(const tni_data *s, const tni_kin *kin, double *q, double *v) {
  const tn_model *m = s->model;
  tni_parts_initial(s, q, v);
  if (kin) {
    tni_layout_from_kin(s->layout, kin, q, v);
    return;
  }
  for (int i = 0; i < m->nbody; i++) {
    const tni_body *b = &m->body[i];
    double v6[6];
    vec3_copy(v6, b->v0);
    vec3_copy(v6 + 3, b->w0);
    tni_layout_set_pose(s->layout, i, b->r0, b->p0, q);
    tni_layout_pick(s->layout, i, v6, v);
  }
}

/* ---- constraints --------------------------------------------------------------------------- */

typedef struct {
  tni_cartesian *c;
  tni_env env;
  unsigned what;
} con_job;

/* Phi, Phi_t, gamma and J = dPhi/d(r, theta) of blocks: rows that are kept, columns that the plane leaves */
static void eval_blocks(void *user, int begin, int end) {
  con_job *job = user;
  tni_cartesian *c = job->c;
  const tn_model *m = c->base.model;
  int d = c->d;
  room space;
  tni_con_out out = room_out(&space);
  for (int i = begin; i < end; i++) {
    const tni_con *con = &m->con[i];
    const tni_cart_block *b = &c->blk[i];
    tni_con_eval(con, &job->env, job->what, &out);
    for (int n = 0; n < b->nkeep; n++) {
      int r = b->keep[n];
      if (job->what & TNI_C_POSITION) c->phi[b->row0 + n] = space.phi[r];
      if (job->what & TNI_C_ACCEL) c->gamma[b->row0 + n] = space.gamma[r];
      if (!(job->what & TNI_C_JACOBIAN)) continue;
      c->phi_t[b->row0 + n] = space.phi_t[r];
      for (int e = 0; e < con->nbody; e++) {
        double *J = c->J + c->kkt.jadr[c->kkt.incadr[i] + e] + n*d;
        const double *full = space.J + r*6*con->nbody + 6*e;
        if (d == 6) {
          memcpy(J, full, 6*sizeof(double));
        } else {
          for (int j = 0; j < d; j++) J[j] = full[c->part[j]];
        }
      }
    }
  }
}

void tni_cart_eval(tni_cartesian *c, double t, unsigned what) {
  con_job job = {c, tni_system_env(&c->base, t), what};
  c->evaluated++;
  tni_parallel_for(c->base.ctx, c->base.model->ncon, CON_GRAIN, eval_blocks, &job);
}

void tni_cart_row_name(const tni_data *s, int row, char *out, size_t n) {
  const tni_cartesian *c = cself(s);
  if (row < 0 || row >= s->m) {
    snprintf(out, n, "none");
    return;
  }
  int i = c->con_row[row];
  const tni_con *con = &s->model->con[i];
  snprintf(out, n, "%s.%s", s->model->joint[con->joint].name,
           con->rowname[c->blk[i].keep[row - c->blk[i].row0]]);
}

static void dof_name(const tni_data *s, int dof, char *out, size_t n) {
  static const char *const part[6] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  int owner = tni_parts_owner(s, dof, &dof);
  if (owner >= 0) {
    const tni_part *p = &s->parts->part[owner];
    p->ops->label(p, dof, out, n);
    return;
  }
  owner = tni_layout_owner(s->layout, dof);
  snprintf(out, n, "%s.%s", s->model->body[owner].name, part[(int)s->layout->role[dof]]);
}

/* ---- accelerations ------------------------------------------------------------------------- */

void tni_cart_pick(const tni_cartesian *c, const double *f6, double *f) {
  for (int i = 0; i < c->layout.nnode; i++) tni_layout_pick(&c->layout, i, f6 + 6*i, f);
}

/* c->f of the last evaluation, bodies and parts */
static void pick_forces(tni_cartesian *c) {
  const tni_parts *p = c->base.parts;
  tni_cart_pick(c, c->f6, c->f);
  if (p) memcpy(c->f + p->v0, p->f, (size_t)p->nv*sizeof(double));
}

/* the reactions that the model leaves open, by least norm; good rows count here */
static tn_status share_redundant(tni_cartesian *c, double *a, double *lambda) {
  int n = tni_cart_express_dropped(c, c->now);
  if (c->now == &c->regular && tni_cart_exchange_here(c, n)) {
    pick_forces(c);
    TN_TRY(tni_cart_factor(c, a, lambda));
    if (c->coupled) TN_TRY(tni_coupled_solve(c, a, lambda));
    n = tni_cart_express_dropped(c, c->now);
  }
  tni_cart_least_norm(c, n, lambda);
  return TN_OK;
}

/* M a + C^T lambda = f, C a = gamma; power put in: of forces, and lambda . Phi_t of prescribed motions */
static tn_status accel(tni_data *s, double t, const double *q, const double *v, double *a,
                       double *lambda, double *zdot) {
  tni_cartesian *c = self(s);
  s->work.naccel++;
  tni_cart_set_kin(s, t, q, v);
  tni_system_forces(s, t, c->f6);
  pick_forces(c);
  tni_cart_eval(c, t, TNI_C_JACOBIAN | TNI_C_ACCEL);
  double *l = lambda ? lambda : c->lambda;
  if (c->exchanged) tni_cart_use_rows(c, &c->regular);
  TN_TRY(tni_cart_factor(c, a, l));
  if (c->coupled) TN_TRY(tni_coupled_solve(c, a, l));
  if (lambda && s->m > 0 && c->now->rank.nnull > 0) TN_TRY(share_redundant(c, a, lambda));
  for (int i = 0; i < s->nv; i++)
    if (!isfinite(a[i])) return tni_system_not_finite(s, t, i);
  if (zdot) {
    zdot[TNI_Z_DISSIPATED] = s->dissipated;
    zdot[TNI_Z_INPUT] = s->input;
    /* prescribed motions work with the power lambda . phi_t, the same for all multipliers */
    for (int r = 0; r < s->m; r++) zdot[TNI_Z_INPUT] += l[r]*c->phi_t[r];
  }
  return TN_OK;
}

/* largest |Phi|, |C v + Phi_t|, |C a - gamma| */
static void residuals(tni_data *s, double t, const double *q, const double *v, const double *a,
                      tni_residuals *out) {
  tni_cartesian *c = self(s);
  *out = (tni_residuals){0, 0, 0, -1, -1, -1};
  tni_cart_set_kin(s, t, q, v);
  tni_cart_eval(c, t, TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL);
  for (int r = 0; r < s->m; r++) {
    if (!(fabs(c->phi[r]) <= out->position)) {
      out->position = fabs(c->phi[r]);
      out->position_row = r;
    }
  }
  tni_kkt_apply_C(&c->kkt, v, c->g);
  for (int r = 0; r < s->m; r++) {
    double e = fabs(c->g[r] + c->phi_t[r]);
    if (!(e <= out->velocity)) {
      out->velocity = e;
      out->velocity_row = r;
    }
  }
  if (!a) return;
  tni_kkt_apply_C(&c->kkt, a, c->g);
  for (int r = 0; r < s->m; r++) {
    double e = fabs(c->g[r] - c->gamma[r]);
    if (!(e <= out->acceleration)) {
      out->acceleration = e;
      out->acceleration_row = r;
    }
  }
}

/* ---- projection ---------------------------------------------------------------------------- */

/* the metric of smallest changes: dx^T diag(weight) dx, or dx^T M dx */
static void use_weights(tni_cartesian *c, const double *weight) {
  int d = c->kkt.d, n = c->kkt.nbody;
  if (!weight) {
    c->kkt.M = c->M;
    c->kkt.Minv = c->Minv;
    c->kkt.constant_mass = true;
    return;
  }
  memset(c->Wt, 0, (size_t)(n*d*d)*sizeof(double));
  memset(c->Wtinv, 0, (size_t)(n*d*d)*sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) {
      c->Wt[i*d*d + j*d + j] = weight[i*d + j];
      c->Wtinv[i*d*d + j*d + j] = 1/weight[i*d + j];
    }
  c->kkt.M = c->Wt;
  c->kkt.Minv = c->Wtinv;
  c->kkt.constant_mass = false;
}

static void begin_projection(tni_data *s, const tni_project_opts *o, tni_project_arrays *out) {
  tni_cartesian *c = self(s);
  use_weights(c, o->weight);
  tni_cart_use_rows(c, &c->regular);
  *out = (tni_project_arrays){c->phi, c->g, c->x, c->active};
}

static void end_projection(tni_data *s) { use_weights(self(s), NULL); }

static void project_position(tni_data *s, double t, const double *q) {
  tni_cart_set_kin(s, t, q, NULL);
  tni_cart_eval(self(s), t, TNI_C_POSITION | TNI_C_JACOBIAN);
}

static void project_rates(tni_data *s, double t, const double *q, const double *v, bool evaluate) {
  tni_cartesian *c = self(s);
  if (evaluate) {
    tni_cart_set_kin(s, t, q, v);
    tni_cart_eval(c, t, TNI_C_JACOBIAN);
  }
  tni_kkt_apply_C(&c->kkt, v, c->g);
  for (int r = 0; r < s->m; r++) c->g[r] += c->phi_t[r];
}

static tn_status project_choose(tni_data *s, const tni_project_opts *o) {
  (void)o;
  return tni_cart_choose_here(self(s));
}

/* a factor is cheap beside what it is made of: always a new one */
static tn_status project_change(tni_data *s, const tni_project_opts *o, const double *r, bool again) {
  tni_cartesian *c = self(s);
  (void)o, (void)again;
  for (int i = 0; i < s->m; i++) c->g[i] = -r[i];
  TN_TRY(tni_cart_factor(c, NULL, NULL));
  tni_kkt_solve(c->solver, NULL, c->g, c->x, c->lambda);
  return TN_OK;
}

static bool project_leaves_out(const tni_data *s) {
  const tni_cartesian *c = cself(s);
  return c->now != &c->passing && c->regular.rank.nnull > 0;
}

static const tni_project_ops projection = {begin_projection, end_projection, project_position, project_rates,
                                           project_choose, project_change, project_leaves_out};

static tn_status project(tni_data *s, double t, double *q, double *v, const tni_project_opts *opts,
                         tni_project_report *report) {
  return tni_project_by(s, &projection, t, q, v, opts, report);
}

/* x -= M^-1 C^T (C M^-1 C^T)^-1 C x */
static void tangential(tni_data *s, bool velocity, double *x) {
  tni_cartesian *c = self(s);
  if (s->m == 0) return;
  tni_kkt_apply_C(&c->kkt, x, c->g);
  for (int r = 0; r < s->m; r++) {
    /* no projection of positions heeds nonholonomic rows */
    bool free = !velocity && s->model->con[c->con_row[r]].nonholonomic;
    c->g[r] = free ? 0 : -c->g[r];
  }
  tni_kkt_solve(c->solver, NULL, c->g, c->x, c->lambda);
  for (int i = 0; i < s->nv; i++) x[i] += c->x[i];
}

/* ---- multipliers of a motion that is known --------------------------------------------------- */

/* y := M x [nv] */
static void apply_mass(const tni_cartesian *c, const double *x, double *y) {
  int d = c->d, at = d*c->npose;
  for (int i = 0; i < c->npose; i++)
    for (int j = 0; j < d; j++) {
      double sum = 0;
      for (int k = 0; k < d; k++) sum += c->M[(i*d + j)*d + k]*x[i*d + k];
      y[i*d + j] = sum;
    }
  for (int i = at; i < c->base.nv; i++) y[i] = c->point_mass[i - at]*x[i];
  if (c->base.parts) tni_parts_apply_mass(c->base.parts, x + c->base.parts->v0, y + c->base.parts->v0);
}

/* c->f := f - M a; returns its largest term */
static double lacking_forces(tni_cartesian *c, const double *acc, const double *f6) {
  double most = 0;
  tni_cart_pick(c, f6, c->f);
  tni_cart_pick(c, acc, c->a);
  apply_mass(c, c->a, c->Ma);
  for (int i = 0; i < c->base.nv; i++) {
    most = fmax(most, fmax(fabs(c->Ma[i]), fabs(c->f[i])));
    c->f[i] -= c->Ma[i];
  }
  return most;
}

/* C^T lambda = f - M a by the rows in use, then of least norm; held: what is left of f - M a - C^T lambda is rounding */
tn_status tni_cartesian_share(tni_data *s, double t, const double *q, const double *v,
                              const double *acc, const double *f6, double *lambda, bool *held) {
  enum { ROUNDS = 4 }; /* one is enough unless the mechanism has moved far since the last call */
  static const double enough = 1e-8;
  tni_cartesian *c = self(s);
  int n = 0;
  *held = false;
  tni_cart_set_kin(s, t, q, v);
  tni_cart_eval(c, t, TNI_C_JACOBIAN);
  tni_cart_use_rows(c, &c->regular);
  for (int round = 0; round < ROUNDS; round++) {
    TN_TRY(tni_cart_factor(c, NULL, NULL));
    n = tni_cart_express_dropped(c, c->now);
    if (c->now != &c->regular || !tni_cart_exchange_here(c, n)) break;
  }
  double most = lacking_forces(c, acc, f6);
  tni_kkt_solve(c->solver, c->f, NULL, c->x, lambda);
  tni_cart_least_norm(c, n, lambda);
  /* do the reactions of these rows carry it all? */
  tni_kkt_apply_Ct(&c->kkt, lambda, c->x);
  double left = 0;
  lacking_forces(c, acc, f6);
  for (int i = 0; i < s->nv; i++) left = fmax(left, fabs(c->f[i] - c->x[i]));
  *held = left <= enough*most;
  return TN_OK;
}

/* ---- bodies, reactions ----------------------------------------------------------- */

static void bodies(tni_data *s, double t, const double *q, const double *v, const double *a) {
  const tn_model *m = s->model;
  tni_cart_set_kin(s, t, q, v);
  memset(s->acc, 0, (size_t)(6*m->nbody)*sizeof(double));
  if (!a) return;
  for (int i = 0; i < m->nbody; i++) tni_layout_spread(s->layout, i, a, s->acc + 6*i);
}

/* On body 1 of a joint F, T = -sum lambda J^T over its rows, about the centre of mass; at the joint point T - rho x F. */
static void reactions(tni_data *s, double t, const double *q, const double *v, const double *lambda,
                      double *wrench) {
  tni_cartesian *c = self(s);
  const tn_model *m = s->model;
  tni_cart_set_kin(s, t, q, v);
  tni_cart_eval(c, t, TNI_C_JACOBIAN);
  memset(wrench, 0, (size_t)(6*m->njoint)*sizeof(double));
  for (int n = 0; n < m->njoint; n++) {
    const tni_joint *joint = &m->joint[n];
    /* on body 1; if that is the ground, the opposite of what acts on body 0 */
    int body = joint->body[1], e1 = 1;
    double sign = -1;
    if (body == TNI_GROUND) {
      body = joint->body[0];
      e1 = 0;
      sign = 1;
    }
    if (body == TNI_GROUND) continue;
    const tni_kin *k = &s->kin[body + 1];
    double F[3] = {0}, T[3] = {0};
    for (int i = joint->con0; i < joint->con0 + joint->ncon; i++) {
      const tni_con *con = &m->con[i];
      const tni_cart_block *b = &c->blk[i];
      int slot = -1;
      for (int e = 0; e < con->nbody; e++)
        if (con->body[e] == body) slot = e;
      if (slot < 0) continue;
      for (int r = 0; r < b->nkeep; r++) {
        const double *J = c->J + c->kkt.jadr[c->kkt.incadr[i] + slot] + r*c->d;
        for (int j = 0; j < c->d; j++) {
          double *sum = c->part[j] < 3 ? &F[(int)c->part[j]] : &T[c->part[j] - 3];
          *sum += sign*lambda[b->row0 + r]*J[j];
        }
      }
    }
    /* torque from the centre of mass (body axes) to the joint point (ground axes) */
    double Tg[3], rho[3], x[3];
    mat3_vec(Tg, k->A, T);
    if (e1 == 1) mat3_vec(rho, k->A, joint->frame[1].p);
    else vec3_sub(rho, joint->frame[1].p, k->r); /* frame 1 is fixed in the ground */
    vec3_cross(x, rho, F);
    vec3_copy(wrench + 6*n, F);
    vec3_sub(wrench + 6*n + 3, Tg, x);
  }
}

static void phi(tni_data *s, double t, const double *q, double *out) {
  tni_cartesian *c = self(s);
  tni_cart_set_kin(s, t, q, NULL);
  tni_cart_eval(c, t, TNI_C_POSITION);
  memcpy(out, c->phi, (size_t)s->m*sizeof(double));
}

/* C v + Phi_t; C of the same place is not evaluated again */
static void rate(tni_data *s, double t, const double *q, const double *v, double *out) {
  tni_cartesian *c = self(s);
  size_t bytes = (size_t)s->nq*sizeof(double);
  if (c->evaluated != c->rate_at || t != c->rate_t || memcmp(q, c->rate_q, bytes) != 0) {
    tni_cart_set_kin(s, t, q, v);
    tni_cart_eval(c, t, TNI_C_JACOBIAN);
    c->rate_at = c->evaluated;
    c->rate_t = t;
    memcpy(c->rate_q, q, bytes);
  }
  tni_kkt_apply_C(&c->kkt, v, out);
  for (int r = 0; r < s->m; r++) out[r] += c->phi_t[r];
}

/* r = M a + C^T lambda - f; Phi, C v + Phi_t, C a - gamma */
static void balance(tni_data *s, double t, const double *q, const double *v, const double *a,
                    const double *lambda, double *r, double *phi_out, double *rate_out,
                    double *gap) {
  tni_cartesian *c = self(s);
  tni_cart_set_kin(s, t, q, v);
  tni_system_forces(s, t, c->f6);
  pick_forces(c);
  unsigned what = TNI_C_JACOBIAN | (phi_out ? TNI_C_POSITION : 0) | (gap ? TNI_C_ACCEL : 0);
  tni_cart_eval(c, t, what);
  if (lambda) tni_kkt_apply_Ct(&c->kkt, lambda, r);
  else memset(r, 0, (size_t)s->nv*sizeof(double));
  if (a) apply_mass(c, a, c->Ma);
  if (a && c->coupled) tni_coupled_apply(c, a, c->Ma);
  for (int i = 0; i < s->nv; i++) r[i] += (a ? c->Ma[i] : 0) - c->f[i];
  if (phi_out) memcpy(phi_out, c->phi, (size_t)s->m*sizeof(double));
  if (rate_out) {
    tni_kkt_apply_C(&c->kkt, v, rate_out);
    for (int i = 0; i < s->m; i++) rate_out[i] += c->phi_t[i];
  }
  if (gap) {
    tni_kkt_apply_C(&c->kkt, a, gap);
    for (int i = 0; i < s->m; i++) gap[i] -= c->gamma[i];
  }
}

typedef struct {
  tni_data *s;
  const double *v;
  double *f;
} velocity_job;

/* velocities v instead of those of the forces, and their gyroscopic torques: only what forces apply
 * lags */
static void change_velocities(void *user, int begin, int end) {
  const velocity_job *j = user;
  tni_system_gyroscopic(j->s, begin, end, -1, j->f);
  for (int i = begin; i < end; i++) {
    tni_kin *k = &j->s->kin[i + 1];
    double v6[6];
    tni_layout_spread(j->s->layout, i, j->v, v6);
    vec3_copy(k->v, v6);
    vec3_copy(k->w, v6 + 3);
    mat3_vec(k->W, k->A, k->w);
  }
  tni_system_gyroscopic(j->s, begin, end, 1, j->f);
}

/* f(q, v_force) - w x I w, Phi, C, gamma at (q, v) */
static void terms(tni_data *s, double t, const double *q, const double *v, const double *v_force,
                  tni_terms *out) {
  tni_cartesian *c = self(s);
  tni_cart_set_kin(s, t, q, v_force);
  tni_system_forces(s, t, c->f6);
  if (v_force != v) {
    velocity_job j = {.s = s, .v = v, .f = c->f6};
    tni_parallel_for(s->ctx, s->model->nbody, TNI_BODY_GRAIN, change_velocities, &j);
    tni_parts_set(s, t, q, v);
    tni_stands(s, q, v);
    s->stands_t = NAN; /* no time at which the forces are those of this state */
    /* work is force times the way that is gone: with lagging velocities its phase is wrong, which adds up */
    tni_system_input(s, t);
  }
  pick_forces(c);
  tni_cart_eval(c, t, TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL);
  if (c->exchanged) tni_cart_use_rows(c, &c->regular);
  *out = (tni_terms){.K = &c->kkt, .f = c->f, .phi = c->phi, .phi_t = c->phi_t, .gamma = c->gamma,
                     .nonholonomic = c->nonholonomic,
                     .energies = {0, s->potential, s->spent, s->dissipated, s->input}};
}

static void describe(const tni_data *s, char *out, size_t n) {
  const tni_cartesian *c = cself(s);
  tni_kkt_info info;
  tni_kkt_get_info(c->solver, &info);
  snprintf(out, n, "cartesian, %d bodies, %d constraint rows, %s (%s): %s", s->model->nbody, s->m,
           info.method, info.ordering ? info.ordering : "-", info.reason ? info.reason : "chosen");
}

/* ---- create -------------------------------------------------------------------------------- */

static tn_status allocate_full(tni_arena *a, tni_con_out *o) {
  TNI_ARENA_NEW(a, o->phi, TNI_CART_ROWS);
  TNI_ARENA_NEW(a, o->phi_t, TNI_CART_ROWS);
  TNI_ARENA_NEW(a, o->gamma, TNI_CART_ROWS);
  TNI_ARENA_NEW(a, o->J, TNI_CART_ROWS*TNI_CART_COLS);
  TNI_ARENA_NEW(a, o->H, TNI_CART_COLS*TNI_CART_COLS);
  TNI_ARENA_NEW(a, o->Jw_q, TNI_CART_ROWS*TNI_CART_COLS);
  TNI_ARENA_NEW(a, o->Jw2_q, TNI_CART_ROWS*TNI_CART_COLS);
  TNI_ARENA_NEW(a, o->phit_q, TNI_CART_ROWS*TNI_CART_COLS);
  TNI_ARENA_NEW(a, o->gamma_q, TNI_CART_ROWS*TNI_CART_COLS);
  TNI_ARENA_NEW(a, o->gamma_v, TNI_CART_ROWS*TNI_CART_COLS);
  return TN_OK;
}

/* keep of every block: rows that are not empty at several planar configurations */
static tn_status sample_rows(tni_cartesian *c, tni_arena *scratch) {
  enum { SAMPLES = 4 };
  const tn_model *m = c->base.model;
  tni_kin *kin;
  tni_con_out out = {0};
  TNI_ARENA_NEW(scratch, kin, m->nbody + 1);
  TN_TRY(allocate_full(scratch, &out));
  tni_kin_ground(&kin[0]);
  for (int n = 0; n < SAMPLES; n++) {
    for (int i = 0; i < m->nbody; i++) {
      double q[7], u[3] = {0, 0, 0.7*n + 0.3*i*(n > 0)}, e[4];
      vec3_copy(q, m->body[i].r0);
      q[0] += 0.1*n*((i*7) % 5);
      q[1] += 0.1*n*((i*3) % 7);
      quat_from_vector(e, u);
      quat_mul(q + 3, m->body[i].p0, e);
      tni_kin *k = &kin[i + 1];
      tni_kin_ground(k);
      vec3_copy(k->r, q);
      quat_matrix(k->A, q + 3);
      vec3_set(k->v, 0.3, 0.7, 0);
      vec3_set(k->w, 0, 0, 1);
      mat3_vec(k->W, k->A, k->w);
    }
    tni_env env = {.kin = kin, .memory = m->memory0};
    for (int i = 0; i < m->ncon; i++) {
      const tni_con *con = &m->con[i];
      tni_cart_block *b = &c->blk[i];
      int *keep = (int *)b->keep;
      con->ops->eval(con, &env, TNI_C_POSITION | TNI_C_JACOBIAN, &out);
      for (int r = 0; r < con->nrow; r++)
        for (int e = 0; e < con->nbody; e++)
          for (int j = 0; j < c->d; j++)
            if (fabs(out.J[r*6*con->nbody + 6*e + c->part[j]]) > 1e-12)
              keep[r] = r;
    }
  }
  return TN_OK;
}

/* Which rows of a block mean anything in the plane: evaluated at several planar configurations, a
 * row whose kept columns are always zero is empty. */
static tn_status find_rows(tni_cartesian *c) {
  tni_data *s = &c->base;
  const tn_model *m = s->model;
  for (int i = 0; i < m->ncon; i++) {
    int *keep;
    TNI_ARENA_NEW(&s->arena, keep, m->con[i].nrow);
    c->blk[i].keep = keep;
    c->blk[i].nkeep = m->planar ? 0 : m->con[i].nrow;
    for (int r = 0; r < m->con[i].nrow; r++) keep[r] = m->planar ? -1 : r;
  }
  if (!m->planar) return TN_OK;
  tni_arena scratch;
  tni_arena_init(&scratch, s->ctx);
  tn_status st = sample_rows(c, &scratch);
  tni_arena_clear(&scratch);
  for (int i = 0; i < m->ncon; i++) {
    tni_cart_block *b = &c->blk[i];
    int *keep = (int *)b->keep;
    for (int r = 0; r < m->con[i].nrow; r++)
      if (keep[r] >= 0) keep[b->nkeep++] = keep[r];
  }
  return st;
}
/* pattern arrays of the linear system */
static tn_status build_pattern(tni_cartesian *c) {
  tni_data *s = &c->base;
  const tn_model *m = s->model;
  tni_arena *a = &s->arena;
  int *rowadr, *incadr, *incbody, *jadr, ninc = 0, d = c->d;
  signed char *unit;
  for (int i = 0; i < m->ncon; i++) ninc += m->con[i].nbody;
  TNI_ARENA_NEW(a, rowadr, m->ncon + 1);
  TNI_ARENA_NEW(a, incadr, m->ncon + 1);
  TNI_ARENA_NEW(a, incbody, ninc);
  TNI_ARENA_NEW(a, jadr, ninc);
  TNI_ARENA_NEW(a, unit, ninc);
  int nj = 0;
  for (int i = 0; i < m->ncon; i++) {
    tni_cart_block *b = &c->blk[i];
    b->row0 = rowadr[i];
    rowadr[i+1] = rowadr[i] + b->nkeep;
    incadr[i+1] = incadr[i] + m->con[i].nbody;
    for (int e = 0; e < m->con[i].nbody; e++) {
      incbody[incadr[i] + e] = c->layout.rank[m->con[i].body[e]];
      jadr[incadr[i] + e] = nj;
      /* planar: rows x and y of the point, whose third row is empty */
      bool point = d == 3 ? b->nkeep == 2 && b->keep[0] == 0 && b->keep[1] == 1
                          : b->nkeep >= 3 && b->keep[2] == 2;
      if (point) unit[incadr[i] + e] = m->con[i].unit[e];
      nj += b->nkeep*d;
    }
  }
  s->m = rowadr[m->ncon];
  c->nJ = nj;
  TNI_ARENA_NEW(a, c->con_row, s->m);
  s->row_con = c->con_row;
  bool *velocity_only;
  TNI_ARENA_NEW(a, velocity_only, s->m);
  TNI_ARENA_NEW(a, c->nonholonomic, s->m);
  for (int i = 0; i < m->ncon; i++)
    for (int r = rowadr[i]; r < rowadr[i+1]; r++) {
      c->con_row[r] = i;
      velocity_only[r] = m->con[i].nonholonomic;
      if (velocity_only[r]) s->velocity_only = velocity_only;
      c->nonholonomic[r] = m->con[i].nonholonomic;
    }
  /* M = diag(m 1, I), in the plane diag(m, m, I_zz); points m */
  double *mass, *inverse, *point_mass, *point_minv;
  TNI_ARENA_NEW(a, mass, c->npose*d*d);
  TNI_ARENA_NEW(a, inverse, c->npose*d*d);
  for (int i = 0; i < c->npose; i++) {
    const tni_body *o = &m->body[c->layout.node[i]];
    double *M = mass + i*d*d, *Mi = inverse + i*d*d;
    for (int j = 0; j < d; j++)
      for (int k = 0; k < d; k++) {
        int J = c->part[j], K = c->part[k];
        if (J < 3 || K < 3) {
          M[j*d + k] = J == K ? o->mass : 0;
          Mi[j*d + k] = J == K ? 1/o->mass : 0;
        } else {
          M[j*d + k] = o->I[3*(J - 3) + K - 3];
          Mi[j*d + k] = m->planar ? 1/o->I[8] : o->Iinv[3*(J - 3) + K - 3];
        }
      }
  }
  int nfree = s->nv - d*c->npose;
  TNI_ARENA_NEW(a, point_mass, nfree);
  TNI_ARENA_NEW(a, point_minv, nfree);
  int npoint = nfree - (s->parts ? s->parts->nv : 0);
  for (int i = 0; i < npoint; i++)
    point_mass[i] = m->body[tni_layout_owner(&c->layout, d*c->npose + i)].mass;
  for (int i = 0; i < m->npart; i++)
    memcpy(point_mass + npoint + s->parts->at[i], m->part[i].mass, (size_t)m->part[i].nv*sizeof(double));
  for (int i = 0; i < nfree; i++) point_minv[i] = 1/point_mass[i];
  c->M = mass;
  c->Minv = inverse;
  c->point_mass = point_mass;
  c->point_minv = point_minv;
  c->kkt = (tni_kkt){.nbody = c->npose, .d = d, .nfree = nfree, .free_minv = c->point_minv, .nblock = m->ncon, .nrow = s->m,
                     .rowadr = rowadr, .incadr = incadr, .incbody = incbody, .jadr = jadr,
                     .unit = unit, .M = c->M, .Minv = c->Minv, .constant_mass = true};
  return TN_OK;
}

static tn_status begin(tni_data *s) {
  tni_cartesian *c = self(s);
  tni_arena *a = &s->arena;
  int d = c->d;
  tni_arena_init(&c->regular.arena, s->ctx);
  tni_arena_init(&c->passing.arena, s->ctx);
  TN_TRY(tni_parts_begin(s));
  if (tni_parts_coupled(s->parts)) {
    s->parts->ahead = s->parts->v0 - c->kkt.nbody*c->kkt.d;
    c->kkt.free_solve = tni_parts_solve_mass;
    c->kkt.free_user = s;
  }
  TN_TRY(allocate_full(a, &c->full));
  TNI_ARENA_NEW(a, c->places.room, c->places.nroom);
  TNI_ARENA_NEW(a, c->J, c->nJ);
  TNI_ARENA_NEW(a, c->active, s->m);
  for (int r = 0; r < s->m; r++) c->active[r] = true;
  c->kkt.J = c->J;
  c->kkt.active = c->active;
  TNI_ARENA_NEW(a, c->Wt, c->npose*d*d);
  TNI_ARENA_NEW(a, c->Wtinv, c->npose*d*d);
  TNI_ARENA_NEW(a, c->phi, s->m);
  TNI_ARENA_NEW(a, c->phi_t, s->m);
  TNI_ARENA_NEW(a, c->gamma, s->m);
  TNI_ARENA_NEW(a, c->g, s->m);
  TNI_ARENA_NEW(a, c->lambda, s->m);
  TNI_ARENA_NEW(a, c->f6, 6*s->model->nbody);
  TNI_ARENA_NEW(a, c->f, s->nv);
  TNI_ARENA_NEW(a, c->x, s->nv);
  TNI_ARENA_NEW(a, c->a, s->nv);
  TNI_ARENA_NEW(a, c->Ma, s->nv);
  TNI_ARENA_NEW(a, c->rate_q, s->nq);
  if (s->parts && s->nv <= MOST_DENSE) {
    TNI_ARENA_NEW(a, c->part_K, c->places.square.nnz);
    TNI_ARENA_NEW(a, c->part_D, c->places.square.nnz);
    if (s->parts->bodies_coupled) TNI_ARENA_NEW(a, c->part_M, c->places.square.nnz);
  }
  if (s->parts && s->parts->bodies_coupled) TN_TRY(tni_coupled_begin(c));
  c->rate_at = -1;
  return tni_kkt_create(s->ctx, &c->kkt, &c->kkt_opts, &c->solver);
}

static void end(tni_data *s) {
  tni_cartesian *c = self(s);
  tni_kkt_destroy(&c->solver);
  tni_mesh_newton_end(s);
  tni_parts_end(s);
  tni_arena_clear(&c->regular.arena);
  tni_arena_clear(&c->passing.arena);
}

static void eval(tni_data *s, const tni_at *at, const tni_want *w) {
  double t = at->t;
  if (w->terms) {
    terms(s, t, at->q, at->v, w->v_force ? w->v_force : at->v, w->terms);
  } else if (w->balance) {
    balance(s, t, at->q, at->v, at->a, at->lambda, w->balance, w->phi, w->rate, w->gap);
  } else {
    if (w->phi) phi(s, t, at->q, w->phi);
    if (w->rate) rate(s, t, at->q, at->v, w->rate);
  }
  if (w->residuals) residuals(s, t, at->q, at->v, at->a, w->residuals);
  if (w->wrench) reactions(s, t, at->q, at->v, at->lambda, w->wrench);
  if (w->bodies) bodies(s, t, at->q, at->v, at->a);
}

static tn_status update_rank(tni_data *s, double t, const double *q, bool follow) {
  return follow ? tni_cart_follow_rank(s, t, q) : tni_cart_rank_anew(s, t, q);
}

static void label(const tni_data *s, tni_name of, int i, char *out, size_t n) {
  if (of == TNI_NAME_ROW) tni_cart_row_name(s, i, out, n);
  else dof_name(s, i, out, n);
}

static tn_status prepare(tni_data *s, tni_prepare what) {
  return what == TNI_PREPARE_STRAIGHT ? tni_mesh_newton_prepare(s) : TN_OK;
}

static const tni_system_ops cartesian_ops = {
    .name = "cartesian", .has_terms = true, .begin = begin, .end = end, .prepare = prepare, .newton = &tni_mesh_newton, .coordinates = coordinates, .eval = eval,
    .accel = accel, .project = project, .tangential = tangential, .tangent = tni_cart_tangent,
    .update_rank = update_rank, .label = label, .describe = describe};

static tn_status setup(tni_cartesian *c, const tni_system_opts *opts) {
  tni_data *s = &c->base;
  const tn_model *m = s->model;
  tni_arena *a = &s->arena;
  TN_TRY(tni_system_common_init(s));
  TN_TRY(tni_layout_of_bodies(s->ctx, m, a, &c->layout));
  s->layout = &c->layout;
  s->nq = c->layout.nq;
  s->nv = c->layout.nv;
  TN_TRY(tni_parts_create(a, m, &c->layout, &s->parts));
  c->d = m->planar ? 3 : 6;
  c->part = m->planar ? planar_part : spatial_part;
  for (int i = 0; i < m->nbody; i++) c->npose += tni_node_turns(m->body[i].kind);
  TNI_ARENA_NEW(a, c->blk, m->ncon);
  TN_TRY(find_rows(c));
  TN_TRY(build_pattern(c));
  s->ode = s->m == 0;
  TN_TRY(tni_cart_tangent_create(c));
  if (s->parts && s->parts->bodies_coupled) TN_TRY(tni_coupled_create(c));
  c->rank_tol = opts ? opts->rank_tol : 0;
  if (opts) c->kkt_opts = opts->kkt;
  if (c->kkt_opts.pivot_tol == 0) c->kkt_opts.pivot_tol = TNI_CART_SINGULAR_PIVOT;
  return TN_OK;
}

tn_status tni_cartesian_system(tn_ctx *ctx, const tn_model *model, const tni_system_opts *opts,
                               tni_system **out) {
  TN_TRY(tni_system_new(ctx, model, &cartesian_ops, sizeof(tni_cartesian), out));
  tn_status st = setup(self((*out)->shape), opts);
  if (st != TN_OK) tni_system_destroy(out);
  return st;
}

tn_status tni_cartesian_create(tn_ctx *ctx, const tn_model *model, const tni_system_opts *opts,
                               tni_data **out) {
  tni_system *s;
  *out = NULL;
  TN_TRY(tni_cartesian_system(ctx, model, opts, &s));
  return tni_data_own(s, out);
}

const tni_kkt *tni_cartesian_kkt(const tni_data *s) { return &cself(s)->kkt; }
