/* tests/verify/tangents.c - exact tangents of whole systems, in both representations, against differences
 *
 * At random states (q, v, a, lambda all random; on the constraints only where a joint needs it)
 *
 *   C           against differences of Phi along retract
 *   C v + Phi_t against the time derivative of Phi along the motion
 *   gamma       against minus the time derivative of C v + Phi_t at fixed v
 *   f_q, f_v, f_t, Ctl_q, Cv_q, Ca_q, gamma_q, gamma_v   against differences of what they derive
 *   M           against the kinetic energy, which is quadratic in v; Mv_q is zero, M is constant
 *   the sparse tangents of the residual against the dense ones, and the residual `balance` itself
 *   the matrix of `ida` along the tree against the sparse one
 *
 * for models that together use every joint type, every force type and every measured quantity,
 * which is itself checked. Differences are of fourth order (four points), so that with the step
 * below their error and rounding stay under 1e-7 of the largest entry.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/list.h"
#include "integrators/ida_matrix.h"
#include "joints/list.h"
#include "model/measures.h"
#include "support/loaded.h"
#include "system/common.h"
#include "system/joint.h"
#include "verify/models.h"

static const double agree = 2e-7, step = 1e-3;
enum { STATES = 3, MAXROW = 16 };

static double worst_seen; /* over the whole program, for the last line */

/* ---- a system and what is evaluated at one state ------------------------------------------- */

typedef struct {
  tni_data *s;
  int *row;      /* [sum of nrow of all blocks] row of the system, -1: dropped in the plane */
  bool *nonhol;  /* [m] */
  double t, *q, *v, *a, *lambda; /* the state */
  double *q1, *v1, *dx, *f6;
} rig;

/* plain values, from the blocks and the forces themselves */
typedef struct {
  double *phi, *rate, *gamma, *Ca; /* [m]  rate = C v + Phi_t */
  double *f, *Ctl;                 /* [nv] */
} values;

static double *zeros(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static values values_new(const tni_data *s) {
  return (values){zeros(s->m), zeros(s->m), zeros(s->m), zeros(s->m), zeros(s->nv), zeros(s->nv)};
}
static void values_free(values *x) {
  free(x->phi), free(x->rate), free(x->gamma), free(x->Ca), free(x->f), free(x->Ctl);
}

static void map_rows(rig *g) {
  const tn_model *m = g->s->model;
  int n = 0, found = 0;
  for (int i = 0; i < m->ncon; i++) n += m->con[i].nrow;
  g->row = calloc((size_t)n + 1, sizeof(int));
  g->nonhol = calloc((size_t)g->s->m + 1, sizeof(bool));
  for (int i = 0, at = 0; i < m->ncon; i++)
    for (int r = 0; r < m->con[i].nrow; r++, at++) {
      char name[128], other[128];
      snprintf(name, sizeof(name), "%s.%s", m->joint[m->con[i].joint].name, m->con[i].rowname[r]);
      g->row[at] = -1;
      for (int k = 0; k < g->s->m; k++) {
        tni_row_name(g->s, k, other, sizeof(other));
        if (strcmp(name, other) != 0) continue;
        g->row[at] = k;
        g->nonhol[k] = m->con[i].nonholonomic;
        found++;
      }
    }
  CHECK_INT(found, g->s->m);
}

static void evaluate(rig *g, double t, const double *q, const double *v, values *out) {
  tni_data *s = g->s;
  const tn_model *m = s->model;
  const tni_layout *L = s->layout;
  tni_eval_bodies(s, t, q, v, NULL);
  tni_system_forces(s, t, g->f6);
  for (int i = 0; i < m->nbody; i++)
    for (int k = L->vadr[i]; k < L->vadr[i] + L->size[i]; k++) out->f[k] = g->f6[6*i + L->role[k]];
  memset(out->Ctl, 0, (size_t)s->nv*sizeof(double));
  tni_env env = tni_system_env(s, t);
  for (int i = 0, at = 0; i < m->ncon; at += m->con[i++].nrow) {
    const tni_con *con = &m->con[i];
    double phi[MAXROW], phi_t[MAXROW], gamma[MAXROW], J[MAXROW*6*TNI_MAXBODY];
    tni_con_out o = {.phi = phi, .phi_t = phi_t, .gamma = gamma, .J = J};
    con->ops->eval(con, &env, TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL, &o);
    for (int r = 0; r < con->nrow; r++) {
      int row = g->row[at + r];
      if (row < 0) continue;
      out->phi[row] = phi[r];
      out->gamma[row] = gamma[r];
      out->rate[row] = phi_t[r];
      out->Ca[row] = 0;
      for (int e = 0; e < con->nbody; e++)
        for (int k = L->vadr[con->body[e]]; k < L->vadr[con->body[e]] + L->size[con->body[e]]; k++) {
          double c = J[6*con->nbody*r + 6*e + L->role[k]];
          out->rate[row] += c*v[k];
          out->Ca[row] += c*g->a[k];
          out->Ctl[k] += c*g->lambda[row];
        }
    }
  }
}

/* Derivative of all values along dq, dv, dt, by (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))/(12 h). */
static void differentiate(rig *g, const double *dq, const double *dv, double dt, values *out) {
  static const double at[] = {1, -1, 2, -2}, factor[] = {8, -8, -1, 1};
  tni_data *s = g->s;
  values x = values_new(s);
  double *to[] = {out->phi, out->rate, out->gamma, out->Ca, out->f, out->Ctl};
  double *from[] = {x.phi, x.rate, x.gamma, x.Ca, x.f, x.Ctl};
  int n[] = {s->m, s->m, s->m, s->m, s->nv, s->nv};
  for (int k = 0; k < 6; k++) memset(to[k], 0, (size_t)n[k]*sizeof(double));
  for (int p = 0; p < 4; p++) {
    double h = step*at[p];
    for (int i = 0; i < s->nv; i++) {
      g->dx[i] = dq ? h*dq[i] : 0;
      g->v1[i] = g->v[i] + (dv ? h*dv[i] : 0);
    }
    tni_retract(s, g->q, g->dx, g->q1);
    evaluate(g, g->t + h*dt, g->q1, g->v1, &x);
    for (int k = 0; k < 6; k++)
      for (int i = 0; i < n[k]; i++) to[k][i] += factor[p]*from[k][i]/(12*step);
  }
  values_free(&x);
}

/* ---- comparison ---------------------------------------------------------------------------- */

static void close_to(const double *got, const double *want, int n, const char *model,
                     const char *what) {
  char text[200];
  double off = far_apart(got, want, n, 1);
  worst_seen = fmax(worst_seen, off);
  snprintf(text, sizeof(text), "%s: %s, largest difference", model, what);
  check_near(off, 0, agree, text, __FILE__, __LINE__);
}

typedef struct {
  double *want, *got; /* [nv or m][nv] */
  int rows;
  const char *name;
} table;

static void take_column(const table *x, const double *column, int j, int nv) {
  for (int i = 0; i < x->rows; i++) x->want[i*nv + j] = column[i];
}

static void check_tangents(rig *g, const char *model) {
  tni_data *s = g->s;
  int nv = s->nv, m = s->m;
  enum { C, CV, CA, GQ, GV, FQ, FV, CTL, MVQ, NTABLE };
  table x[NTABLE] = {{.rows = m, .name = "C"},       {.rows = m, .name = "Cv_q"},
                     {.rows = m, .name = "Ca_q"},    {.rows = m, .name = "gamma_q"},
                     {.rows = m, .name = "gamma_v"}, {.rows = nv, .name = "f_q"},
                     {.rows = nv, .name = "f_v"},    {.rows = nv, .name = "Ctl_q"},
                     {.rows = nv, .name = "Mv_q"}};
  for (int k = 0; k < NTABLE; k++) {
    x[k].got = zeros(x[k].rows*nv);
    x[k].want = zeros(x[k].rows*nv);
  }
  double *f_t = zeros(nv), *e = zeros(nv), *M = zeros(nv*nv);
  tni_tangent T = {.M = M, .C = x[C].got, .f_q = x[FQ].got, .f_v = x[FV].got, .f_t = f_t,
                   .Mv_q = x[MVQ].got, .Ctl_q = x[CTL].got, .Cv_q = x[CV].got, .Ca_q = x[CA].got,
                   .gamma_q = x[GQ].got, .gamma_v = x[GV].got};
  CHECK_OK(s->ctx, tni_eval_tangent(s, g->t, g->q, g->v, g->a, g->lambda, &T));
  values d = values_new(s);
  for (int j = 0; j < nv; j++) {
    e[j] = 1;
    differentiate(g, e, NULL, 0, &d);
    take_column(&x[C], d.phi, j, nv);
    take_column(&x[CV], d.rate, j, nv);
    take_column(&x[CA], d.Ca, j, nv);
    take_column(&x[GQ], d.gamma, j, nv);
    take_column(&x[FQ], d.f, j, nv);
    take_column(&x[CTL], d.Ctl, j, nv);
    differentiate(g, NULL, e, 0, &d);
    take_column(&x[GV], d.gamma, j, nv);
    take_column(&x[FV], d.f, j, nv);
    /* nonholonomic rows have no Phi: C is how their rate depends on v */
    for (int r = 0; r < m; r++)
      if (g->nonhol[r]) x[C].want[r*nv + j] = d.rate[r];
    e[j] = 0;
  }
  for (int k = 0; k < NTABLE; k++) {
    for (int r = 0; r < x[k].rows; r++) {
      /* row by row, but not finer than the rounding of a stiff neighbour allows */
      double floor = 1e-3*largest_of(x[k].want, x[k].rows*nv);
      double off = far_apart(x[k].got + r*nv, x[k].want + r*nv, nv, fmax(floor, 1));
      char text[200], row[100];
      if (x[k].rows == m && k <= GV) tni_row_name(s, r, row, sizeof(row));
      else tni_dof_name(s, r, row, sizeof(row));
      snprintf(text, sizeof(text), "%s: %s, row %s, largest difference", model, x[k].name, row);
      check_near(off, 0, agree, text, __FILE__, __LINE__);
      worst_seen = fmax(worst_seen, off);
    }
  }
  differentiate(g, NULL, NULL, 1, &d);
  close_to(f_t, d.f, nv, model, "f_t");
  /* kinetic energy */
  double sum = 0;
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) sum += 0.5*g->v[i]*M[i*nv + j]*g->v[j];
  tni_eval_bodies(s, g->t, g->q, g->v, NULL);
  CHECK_NEAR(sum, tni_system_kinetic(s), 1e-13);
  values_free(&d);
  for (int k = 0; k < NTABLE; k++) free(x[k].got), free(x[k].want);
  free(f_t), free(e), free(M);
}

/* a sparse matrix is the dense one, entry by entry, and nothing lies outside its pattern */
static void same_matrix(const tni_sparsity *p, const double *value, const double *dense,
                        const char *model, const char *what) {
  double *spread = zeros(p->nrow*p->ncol);
  char text[200];
  for (int i = 0; i < p->nrow; i++)
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++) {
      CHECK(k == p->rowptr[i] || p->col[k-1] < p->col[k]);
      spread[i*p->ncol + p->col[k]] = value[k];
    }
  snprintf(text, sizeof(text), "%s: sparse %s, largest difference", model, what);
  check_near(far_apart(spread, dense, p->nrow*p->ncol, 1), 0, 1e-13, text, __FILE__, __LINE__);
  free(spread);
}

static void check_sparse(rig *g, const char *model) {
  tni_data *s = g->s;
  int nv = s->nv, m = s->m, nn = nv*nv, mn = m*nv;
  const tni_sparsity *sq = s->square, *ro = s->rows;
  enum { M, FQ, FV, CTL, MVQ, C, CV, CA, GQ, GV, N };
  double *x[N], *y[N], *f_t = zeros(nv), *r_t = zeros(nv);
  for (int k = 0; k < N; k++) {
    x[k] = zeros(k < C ? nn : mn);
    y[k] = zeros(k < C ? sq->nnz : ro->nnz);
  }
  tni_tangent T = {.M = x[M], .f_q = x[FQ], .f_v = x[FV], .Ctl_q = x[CTL], .Mv_q = x[MVQ],
                   .f_t = f_t, .C = x[C], .Cv_q = x[CV], .Ca_q = x[CA], .gamma_q = x[GQ],
                   .gamma_v = x[GV]};
  tni_sparse_tangent S = {.M = y[M], .r_q = y[FQ], .r_v = y[FV], .r_t = r_t, .C = y[C],
                          .Cv_q = y[CV], .Ca_q = y[CA], .gamma_q = y[GQ], .gamma_v = y[GV]};
  CHECK_OK(s->ctx, tni_eval_tangent(s, g->t, g->q, g->v, g->a, g->lambda, &T));
  CHECK_OK(s->ctx, tni_eval_sparse_tangent(s, g->t, g->q, g->v, g->a, g->lambda, &S));
  for (int i = 0; i < nn; i++) {
    x[FQ][i] = x[MVQ][i] + x[CTL][i] - x[FQ][i];
    x[FV][i] = -x[FV][i];
  }
  for (int i = 0; i < nv; i++) r_t[i] = -r_t[i];
  static const char *const name[N] = {"M", "r_q", "r_v", "", "", "C", "Cv_q", "Ca_q", "gamma_q",
                                      "gamma_v"};
  for (int k = 0; k < N; k++)
    if (k != CTL && k != MVQ) same_matrix(k < C ? sq : ro, y[k], x[k], model, name[k]);
  close_to(r_t, f_t, nv, model, "r_t");

  values d = values_new(s);
  double *r = zeros(nv), *phi = zeros(m), *rate = zeros(m), *gap = zeros(m);
  evaluate(g, g->t, g->q, g->v, &d);
  for (int i = 0; i < nv; i++) {
    d.f[i] = d.Ctl[i] - d.f[i];
    for (int j = 0; j < nv; j++) d.f[i] += x[M][i*nv + j]*g->a[j];
  }
  for (int i = 0; i < m; i++) d.Ca[i] -= d.gamma[i];
  tni_eval_balance(s, g->t, g->q, g->v, g->a, g->lambda, r, phi, rate, gap);
  close_to(r, d.f, nv, model, "balance of forces");
  close_to(phi, d.phi, m, model, "balance of positions");
  close_to(rate, d.rate, m, model, "balance of velocities");
  close_to(gap, d.Ca, m, model, "balance of accelerations");
  values_free(&d);
  free(r), free(phi), free(rate), free(gap), free(f_t), free(r_t);
  for (int k = 0; k < N; k++) free(x[k]), free(y[k]);
}

static void check_rates(rig *g, const char *model) {
  values here = values_new(g->s), d = values_new(g->s);
  evaluate(g, g->t, g->q, g->v, &here);
  differentiate(g, g->v, NULL, 1, &d);
  for (int r = 0; r < g->s->m; r++) {
    if (g->nonhol[r]) d.phi[r] = here.rate[r];
    d.rate[r] = -d.rate[r];
  }
  close_to(here.rate, d.phi, g->s->m, model, "C v + Phi_t against the rate of Phi");
  close_to(here.gamma, d.rate, g->s->m, model, "gamma against the rate of C v + Phi_t");
  values_free(&here);
  values_free(&d);
}

/* ---- joint coordinates --------------------------------------------------------------------- */

/* residuals at one state: r = M a + C^T lambda - f, phi, rate, gap, and C a */
typedef struct {
  double *x[5];
} joint_values;
enum { JR, JPHI, JRATE, JGAP, JCA };

static int joint_size(const tni_data *s, int k) { return k == JR ? s->nv : s->m; }

static joint_values joint_values_new(const tni_data *s) {
  joint_values v;
  for (int k = 0; k < 5; k++) v.x[k] = zeros(joint_size(s, k));
  return v;
}
static void joint_values_free(joint_values *v) {
  for (int k = 0; k < 5; k++) free(v->x[k]);
}

static void joint_evaluate(rig *g, double t, const double *q, const double *v, joint_values *out) {
  tni_data *s = g->s;
  double *rest = zeros(s->nv), *still = zeros(s->m);
  tni_eval_rate(s, t, q, g->a, out->x[JCA]);
  tni_eval_rate(s, t, q, rest, still);
  for (int r = 0; r < s->m; r++) out->x[JCA][r] -= still[r];
  tni_eval_balance(s, t, q, v, g->a, g->lambda, out->x[JR], out->x[JPHI], out->x[JRATE],
                  out->x[JGAP]);
  free(rest), free(still);
}

/* as differentiate */
static void joint_differentiate(rig *g, const double *dq, const double *dv, double dt,
                                joint_values *out) {
  static const double at[] = {1, -1, 2, -2}, factor[] = {8, -8, -1, 1};
  tni_data *s = g->s;
  joint_values x = joint_values_new(s);
  for (int k = 0; k < 5; k++) memset(out->x[k], 0, (size_t)joint_size(s, k)*sizeof(double));
  for (int p = 0; p < 4; p++) {
    double h = step*at[p];
    for (int i = 0; i < s->nv; i++) {
      g->dx[i] = dq ? h*dq[i] : 0;
      g->v1[i] = g->v[i] + (dv ? h*dv[i] : 0);
    }
    tni_retract(s, g->q, g->dx, g->q1);
    joint_evaluate(g, g->t + h*dt, g->q1, g->v1, &x);
    for (int k = 0; k < 5; k++)
      for (int i = 0; i < joint_size(s, k); i++) out->x[k][i] += factor[p]*x.x[k][i]/(12*step);
  }
  joint_values_free(&x);
}

/* dense [rows][nv] of values on a pattern */
static double *spread(const tni_sparsity *p, const double *value) {
  double *out = zeros(p->nrow*p->ncol);
  for (int i = 0; i < p->nrow; i++)
    for (int k = p->rowptr[i]; k < p->rowptr[i+1]; k++) {
      CHECK(k == p->rowptr[i] || p->col[k-1] < p->col[k]);
      out[i*p->ncol + p->col[k]] = value[k];
    }
  return out;
}

static int ntree; /* how often the elimination was tried */

/* products with the matrices, and solutions along the tree, also in local coordinates of a step */
static void check_elimination(rig *g, const char *model, const double *M, const double *r_q,
                              const double *r_v) {
  tni_data *s = g->s;
  int nv = s->nv;
  const double m = 0.9, gh = 0.03, bhh = 0.002;
  double *x[4], *want = zeros(nv), *got = zeros(nv);
  uint64_t seed = 4711;
  for (int k = 0; k < 4; k++) {
    x[k] = zeros(nv);
    for (int i = 0; i < nv; i++) x[k][i] = check_random(&seed);
  }
  bool tree = s->m == 0 && ((tni_jsys *)s)->tan.nfar == 0; /* few freedoms or not */
  CHECK(!s->recursive || tree);
  ntree += tree;
  if (tree) {
    tni_newton_at(s, g->t, g->q, g->v, g->a, NULL);
    for (int i = 0; i < nv; i++)
      for (int k = 0; k < nv; k++)
        want[i] += (r_q[i*nv + k]*x[0][k] + r_v[i*nv + k]*x[1][k]) + M[i*nv + k]*x[2][k];
    tni_newton_apply(s, x[0], x[1], x[2], got);
    close_to(got, want, nv, model, "product along the tree");
    memset(want, 0, (size_t)nv*sizeof(double));
    for (int i = 0; i < nv; i++)
      for (int k = 0; k < nv; k++) want[i] += M[i*nv + k]*x[2][k];
    tni_newton_apply(s, NULL, NULL, x[2], got);
    close_to(got, want, nv, model, "product with M along the tree");
  }
  /* with local coordinates: dq = b y, dv = (g + b K) y, da = (m - b L) y */
  for (int local = 0; tree && local < 2; local++) {
    const double *y = x[3];
    for (int i = 0; i < nv; i++) {
      x[0][i] = bhh*y[i];
      x[1][i] = gh*y[i];
      x[2][i] = m*y[i];
    }
    const tni_jsys *j = (const tni_jsys *)s;
    for (int k = 0; k < j->nlink && local; k++) {
      const tni_jlink *l = &j->link[k];
      int at = l->kind == TNI_MOBIL_SPHERICAL ? 0 : l->kind == TNI_MOBIL_FREE ? 3 : -1;
      double c[3], cc[3];
      if (at < 0) continue;
      at += l->vadr;
      vec3_cross(c, g->v + at, y + at);
      vec3_addmul(x[1] + at, 0.5*bhh, c);
      vec3_cross(cc, g->v + at, c);
      vec3_addmul(x[2] + at, -bhh/6, cc);
      vec3_cross(c, g->a + at, y + at);
      vec3_addmul(x[2] + at, 0.5*bhh, c);
    }
    tni_newton_apply(s, x[0], x[1], x[2], got);
    CHECK(tni_newton_factor(s, m, gh, bhh, local ? TNI_TURNS_LOCAL : TNI_TURNS_NONE));
    tni_newton_solve(s, got);
    close_to(got, y, nv, model, "solution along the tree");
  }
  /* the complex one: y = x2 + i x3 */
  if (tree) {
    const double gz[2] = {0.03, -0.02}, bz[2] = {0.002, 0.001};
    double *z = zeros(2*nv), *wz = zeros(2*nv);
    for (int i = 0; i < nv; i++) {
      x[2][i] = check_random(&seed);
      wz[2*i] = x[2][i];
      wz[2*i + 1] = x[3][i];
    }
    for (int i = 0; i < nv; i++)
      for (int k = 0; k < nv; k++) {
        double m0 = M[i*nv + k], d0 = r_v[i*nv + k], k0 = r_q[i*nv + k];
        double re = m0 + gz[0]*d0 + bz[0]*k0, im = gz[1]*d0 + bz[1]*k0;
        z[2*i] += re*x[2][k] - im*x[3][k];
        z[2*i + 1] += re*x[3][k] + im*x[2][k];
      }
    CHECK(tni_newton_factor_complex(s, gz, bz));
    tni_newton_solve_complex(s, z);
    close_to(z, wz, 2*nv, model, "complex solution along the tree");
    free(z), free(wz);
  }
  for (int k = 0; k < 4; k++) free(x[k]);
  free(want), free(got);
}

/* The matrix of IDA solved along the tree and as a sparse one: the same corrections of q and v, whatever the right side. */
static int nida;
static void check_ida(rig *g, const char *model) {
  tni_data *s = g->s;
  if (s->m > 0 || ((tni_jsys *)s)->tan.nfar > 0) return; /* few freedoms or not */
  int n = s->nq + s->nv;
  double *x[2] = {zeros(n), zeros(n)}, cj = 30;
  tni_arena arena;
  tni_scale scale;
  uint64_t seed = 77;
  tni_arena_init(&arena, s->ctx);
  CHECK_OK(s->ctx, tni_scale_create(&arena, s, &scale));
  for (int i = 0; i < n; i++) x[0][i] = x[1][i] = check_random(&seed);
  for (int tree = 0; tree < 2; tree++) {
    tni_ida_matrix *m;
    tni_at at = {g->t, g->q, g->v, g->a, NULL};
    CHECK_OK(s->ctx, tni_ida_matrix_create(&arena, s, &scale, tree, &m));
    CHECK_OK(s->ctx, tni_ida_matrix_at(m, &at));
    CHECK_OK(s->ctx, tni_ida_matrix_fill(m, cj, NULL));
    CHECK_OK(s->ctx, tni_ida_matrix_factor(m));
    if (tree) { /* somebody else was here */
      CHECK(tni_newton_factor(s, 2, 1, 0, TNI_TURNS_NONE));
      s->newton_owner = NULL;
    }
    tni_ida_matrix_solve(m, x[tree]);
    for (int i = 0; i < s->nv; i++) CHECK(tni_ida_matrix_rounding(m)[i] >= 0 && tni_ida_matrix_rounding(m)[i] < 1e-12);
    tni_ida_matrix_destroy(m);
  }
  double size = largest_of(x[0], n);
  for (int i = 0; i < n; i++) check_near((x[1][i] - x[0][i])/size, 0, 1e-10, model, __FILE__, __LINE__);
  nida++;
  tni_arena_clear(&arena);
  free(x[0]), free(x[1]);
}

static void check_joint_tangents(rig *g, const char *model) {
  tni_data *s = g->s;
  int nv = s->nv, m = s->m;
  enum { M, RQ, RV, C, CV, CA, GQ, GV, NTABLE };
  static const char *const name[NTABLE] = {"M", "r_q", "r_v", "C", "Cv_q", "Ca_q", "gamma_q",
                                           "gamma_v"};
  double *y[NTABLE], *want[NTABLE], *got[NTABLE], *r_t = zeros(nv), *e = zeros(nv);
  for (int k = 0; k < NTABLE; k++) {
    int n = k < C ? s->square->nnz : s->rows->nnz;
    y[k] = zeros(n);
    for (int i = 0; i < n; i++) y[k][i] = 777; /* what was there before does not matter */
    want[k] = zeros((k < C ? nv : m)*nv);
  }
  tni_sparse_tangent T = {.M = y[M], .r_q = y[RQ], .r_v = y[RV], .r_t = r_t, .C = y[C], .Cv_q = y[CV],
                          .Ca_q = y[CA], .gamma_q = y[GQ], .gamma_v = y[GV]};
  CHECK_OK(s->ctx, tni_eval_sparse_tangent(s, g->t, g->q, g->v, g->a, g->lambda, &T));
  joint_values d = joint_values_new(s), b = joint_values_new(s);
  for (int j = 0; j < nv; j++) {
    e[j] = 1;
    joint_differentiate(g, e, NULL, 0, &d);
    for (int i = 0; i < nv; i++) want[RQ][i*nv + j] = d.x[JR][i];
    for (int i = 0; i < m; i++) {
      want[C][i*nv + j] = d.x[JPHI][i];
      want[CV][i*nv + j] = d.x[JRATE][i];
      want[CA][i*nv + j] = d.x[JCA][i];
      want[GQ][i*nv + j] = d.x[JCA][i] - d.x[JGAP][i];
    }
    joint_differentiate(g, NULL, e, 0, &d);
    for (int i = 0; i < nv; i++) want[RV][i*nv + j] = d.x[JR][i];
    for (int i = 0; i < m; i++) {
      want[GV][i*nv + j] = -d.x[JGAP][i];
      if (s->velocity_only && s->velocity_only[i]) want[C][i*nv + j] = d.x[JRATE][i];
    }
    /* the residual is linear in a */
    joint_evaluate(g, g->t, g->q, g->v, &b);
    g->a[j] += 1;
    joint_evaluate(g, g->t, g->q, g->v, &d);
    g->a[j] -= 1;
    for (int i = 0; i < nv; i++) want[M][i*nv + j] = d.x[JR][i] - b.x[JR][i];
    e[j] = 0;
  }
  for (int k = 0; k < NTABLE; k++) {
    int rows = k < C ? nv : m;
    got[k] = spread(k < C ? s->square : s->rows, y[k]);
    double floor = 1e-3*largest_of(want[k], rows*nv);
    for (int r = 0; r < rows; r++) {
      double off = far_apart(got[k] + r*nv, want[k] + r*nv, nv, fmax(floor, 1));
      char text[200], row[100];
      if (k >= C) tni_row_name(s, r, row, sizeof(row));
      else tni_dof_name(s, r, row, sizeof(row));
      snprintf(text, sizeof(text), "%s in joint coordinates: %s, row %s, largest difference", model,
               name[k], row);
      check_near(off, 0, agree, text, __FILE__, __LINE__);
      worst_seen = fmax(worst_seen, off);
    }
  }
  check_elimination(g, model, got[M], got[RQ], got[RV]);
  check_ida(g, model);
  joint_differentiate(g, NULL, NULL, 1, &d);
  close_to(r_t, d.x[JR], nv, model, "r_t in joint coordinates");
  /* the accelerations of the recursive solvers leave no residual */
  tn_status st = tni_accel(s, g->t, g->q, g->v, g->a, g->lambda, NULL);
  if (st == TN_OK && (!s->rank || s->rank->nnull == 0)) {
    joint_evaluate(g, g->t, g->q, g->v, &b);
    double size = 1 + largest_of(g->a, nv) + largest_of(g->lambda, m);
    for (int i = 0; i < nv; i++) check_near(b.x[JR][i]/size, 0, 1e-9, model, __FILE__, __LINE__);
    for (int i = 0; i < m; i++) check_near(b.x[JGAP][i]/size, 0, 1e-9, model, __FILE__, __LINE__);
  }
  joint_values_free(&d);
  joint_values_free(&b);
  for (int k = 0; k < NTABLE; k++) free(y[k]), free(want[k]), free(got[k]);
  free(r_t), free(e);
}

/* ---- states -------------------------------------------------------------------------------- */

static bool seen_joint[TNI_JOINT_NTYPE], seen_force[TNI_FORCE_NTYPE];

static void note_types(const tn_model *m) {
  for (int i = 0; i < m->njoint; i++)
    for (int k = 0; k < tni_joint_ntype; k++)
      seen_joint[k] |= strcmp(m->joint[i].type, tni_joint_types[k]->type.name) == 0;
  for (int i = 0; i < m->nforce; i++)
    for (int k = 0; k < tni_force_ntype; k++)
      seen_force[k] |= strcmp(m->force[i].type, tni_force_types[k]->type.name) == 0;
}

/* random around where the model stands, on the constraints when asked */
static void random_state(rig *g, double reach, bool consistent, uint64_t *seed) {
  tni_data *s = g->s;
  tni_initial(s, g->q, g->v);
  for (int i = 0; i < s->nv; i++) {
    g->dx[i] = reach*check_random(seed);
    g->v[i] += check_random(seed);
    g->a[i] = 3*check_random(seed);
  }
  for (int i = 0; i < s->m; i++) g->lambda[i] = 5*check_random(seed);
  tni_retract(s, g->q, g->dx, g->q);
  tni_project_opts o = {.position = true, .tol = 1e-12, .max_iterations = 60};
  if (consistent) CHECK_OK(s->ctx, tni_project(s, g->t, g->q, g->v, &o, NULL));
  tni_system_commit(s, g->t, g->q, g->v, true); /* branches too */
  g->t += 0.05; /* sliders begin to turn at a switch: away from that kink */
}

static void take_room(rig *g) {
  int nv = g->s->nv;
  g->q = zeros(g->s->nq), g->q1 = zeros(g->s->nq), g->v = zeros(nv), g->v1 = zeros(nv);
  g->a = zeros(nv), g->dx = zeros(nv), g->lambda = zeros(g->s->m);
  g->f6 = zeros(6*g->s->model->nbody);
}
static void free_room(rig *g) {
  free(g->q), free(g->q1), free(g->v), free(g->v1), free(g->a), free(g->dx), free(g->lambda);
  free(g->f6), free(g->row), free(g->nonhol);
  tni_data_destroy(&g->s);
}

static void check_in_joint_coordinates(loaded *l, const char *model, double reach, bool consistent,
                                       int states) {
  uint64_t seed = 77700177;
  rig g = {0};
  CHECK_OK(l->ctx, tni_joint_create(l->ctx, l->model, NULL, &g.s));
  CHECK_OK(l->ctx, tni_prepare_tangent(g.s));
  CHECK_OK(l->ctx, tni_prepare_pattern(g.s));
  take_room(&g);
  for (int k = 0; k < states; k++) {
    g.t = 0.3 + 0.2*k;
    random_state(&g, reach, consistent, &seed);
    check_joint_tangents(&g, model);
  }
  free_room(&g);
}

static void check_loaded(loaded *l, const char *model, double reach, bool consistent) {
  uint64_t seed = 77700177;
  rig g = {0};
  CHECK_OK(l->ctx, tni_cartesian_create(l->ctx, l->model, NULL, &g.s));
  take_room(&g);
  map_rows(&g);
  note_types(l->model);
  for (int k = 0; k < STATES; k++) {
    g.t = 0.3 + 0.2*k;
    random_state(&g, reach, consistent, &seed);
    check_rates(&g, model);
    check_tangents(&g, model);
    check_sparse(&g, model);
  }
  free_room(&g);
  check_in_joint_coordinates(l, model, reach, consistent, STATES);
  unload(l);
}

static void check_model(const char *text, const char *name, double reach, bool consistent) {
  loaded l;
  load_text(&l, text);
  check_loaded(&l, name, reach, consistent);
}

/* ---- models -------------------------------------------------------------------------------- */

/* every force on three free bodies in space; `drum` and `slot` measure angles and displacements */
static const char force_zoo[] =
    "gravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.4, 0.6, 0.02, -0.01, 0.03], com: [0.02, 0.05, -0.03],\n"
    "      at: [0.1, 0, 1], points: {p: [0.2, 0.1, 0], q: [-0.1, 0.3, 0.2]}}\n"
    "  b: {mass: 1, inertia: [0.2, 0.1, 0.25], at: [1, 0.2, 1.3], com: [0, 0.04, 0],\n"
    "      orientation: {euler: [0.4, -0.3, 0.5]}, points: {p: [0.1, -0.2, 0.3]}}\n"
    "  c: {mass: 1.5, inertia: [0.2, 0.3, 0.25], at: [2, -0.3, 0.6],\n"
    "      points: {hub: [0.1, 0, 0.1]}}\n"
    "beams:\n"
    "  mast: {from: a.p, to: [1, 1, 1], elements: 2, damping: 0.1, EA: 90, GA: 40, EI: [2, 3], GJ: 2,\n"
    "         rhoA: 1, rhoI: 0.1}\n"
    "  boom: {points: [[0, 1, 1], [1, 2, 1], [2, 2, 2]], elements: 1, element: quadratic, end: c,\n"
    "         EA: 80, GA: 50, EI: [4, 3], GJ: 5, rhoA: 2, rhoI: 0.2}\n"
    "  old:  {from: [0, -1, 1], to: b.p, elements: 1, element: incremental,\n"
    "         EA: 80, GA: 50, EI: [4, 3], GJ: 5, rhoA: 2, rhoI: 0.2}\n"
    "cables:\n"
    "  guy:  {from: ground, to: mast.end, elements: 2, length: 0.5, EA: 20, rhoA: 1, damping: 0.2}\n"
    "joints:\n"
    "  drum: {type: cylindrical, bodies: [a, b], at: [0.6, 0.1, 1.1], axis: [0.2, 1, 0.3]}\n"
    "  cross: {type: universal, bodies: [b, c], at: [1.5, 0, 1], axis1: [1, 0.1, 0],\n"
    "          axis2: [0, 0, 1]}\n"
    "forces:\n"
    "  push:  {type: force, body: a, point: a.p, frame: body, reaction_on: c,\n"
    "          force: [\"sin(2*t)*x(b.p, a.q)\", \"vy(b.p)*z(c)\", \"0.4*speed(b.p)\"],\n"
    "          torque: [\"wx(a)\", \"wy(b)*t\", \"wz(c)^2\"]}\n"
    "  wind:  {type: force, body: b, point: b.p,\n"
    "          force: [\"-vx(b.p)\", \"y(b.p)*exp(-t)\", \"-0.5*vz(b.p, a)*abs(vz(b.p, a))\"]}\n"
    "  twist: {type: torque, body: c, frame: body, reaction_on: a,\n"
    "          torque: [\"angle(drum)\", \"0.3*rate(drum, displacement)\",\n"
    "                   \"displacement(drum)*rate(drum, angle)\"]}\n"
    "  bend:  {type: torque, body: b, torque: [\"distance(a.p, c.hub)\",\n"
    "          \"distance_rate(a.p, c.hub)*t\", \"coordinate(cross, angle2)\"]}\n"
    "  coil:  {type: spring, points: [a.p, c.hub], stiffness: 40, damping: 3, free_length: 1.2,\n"
    "          preload: 2, table: [[-1, -20], [-0.2, -1], [0, 0], [0.3, 2], [1, 25]],\n"
    "          damping_table: [[-2, -3], [0, 0], [2, 5]], interpolation: spline,\n"
    "          force: \"0.2*l^2*cos(t) + 0.1*dl*wz(b)\"}\n"
    "  rope:  {type: spring, points: [a.q, b.p], stiffness: 30, damping: 1, free_length: 0.2,\n"
    "          tension_only: true}\n"
    "  stop:  {type: spring, points: [b.p, c.hub], stiffness: 30, damping: 1, free_length: 3,\n"
    "          compression_only: true}\n"
    "  wind_up: {type: torsion_spring, joint: drum, stiffness: 4, damping: 0.3, free_angle: 0.2,\n"
    "          preload: 0.4, table: [[-2, -3], [0, 0], [2, 5]], interpolation: monotone,\n"
    "          torque: \"0.1*angle*rate + 0.2*sin(t)\"}\n"
    "  motor: {type: joint_force, joint: drum, coordinate: displacement,\n"
    "          force: \"3*cos(t) - 2*value*rate + vx(c)\"}\n"
    "  bush:  {type: bushing, bodies: [a, c], at: [1.2, 0, 0.9],\n"
    "          orientation: {euler: [0.2, 0.3, 0.1]},\n"
    "          stiffness: [[50, 3, 2, 1, 0.5, 0.4], [3, 60, 1, 0.2, 0.3, 0.6],\n"
    "                      [2, 1, 70, 0.7, 0.1, 0.2], [1, 0.2, 0.7, 9, 0.3, 0.4],\n"
    "                      [0.5, 0.3, 0.1, 0.3, 8, 0.2], [0.4, 0.6, 0.2, 0.4, 0.2, 7]],\n"
    "          damping: [1, 2, 3, 0.1, 0.2, 0.3], preload: [1, -2, 3, 0.1, 0.2, -0.3]}\n"
    "  air:   {type: beam_load, beam: mast, frame: section, force: [\"sin(t)\", \"vx(b.p)\", 2],\n"
    "          moment: [0.1, 0, \"angle(drum)\"]}\n"
    "  ends:  {type: stop, joint: drum, coordinate: displacement, max: -5, stiffness: 40,\n"
    "          restitution: 0.6}\n"
    "  pilot: {type: pd, joint: drum, coordinate: displacement, kp: 3, kd: 1, sample: 0.1}\n"
    "  loop:  {type: feedback, joints: drum, inputs: [\"angle(drum)\"], gains: [[2]],\n"
    "          sample: 0.1}\n"
    "  touch: {type: contact, bodies: [a, b], at1: p, radius1: 2, axis2: [1, 2, 3],\n"
    "          stiffness: 90, friction: 0.3, restitution: 0.7}\n"
    "  press: {type: contact, bodies: [c, ground], shape1: box, size1: [3, 4, 5],\n"
    "          stiffness: 70, friction: 0.2}\n"
    "  wheel: {type: tyre, body: c, point: c.hub, stiffness: 800, damping: 20, free_length: 0.9,\n"
    "          road: \"0.05*sin(3*x + 0.5*t)\"}\n"
    "  hop:   {type: tyre, body: a, point: a.p, stiffness: 500, damping: 10, free_length: 1.6,\n"
    "          road: \"if(x < 5, 0.02*x^2, 0.5)\", road_edges: [5], unilateral: true}\n"
    "  plain: {type: callback, bodies: [a, c]}\n"
    "  exact: {type: callback, bodies: [b]}\n";

/* a nonlinear attraction with drag; the library differentiates it */
static void attraction(void *user, double t, int n, const tn_body_state *s, tn_force_result *out) {
  (void)user;
  for (int b = 0; b < n; b++)
    for (int i = 0; i < 3; i++) {
      double d = s[1 - b].r[i] - s[b].r[i];
      out->f[6*b + i] = (2 + sin(t))*d*vec3_dot(s[1 - b].v, s[b].v);
      out->f[6*b + 3 + i] = -s[b].w[i]*s[b].A[3*i + 1];
    }
}

/* drag -k(t) v, and a torque u(t) A^T e_z that turns the body towards nothing: K by hand */
static void drag(void *user, double t, int n, const tn_body_state *s, tn_force_result *out) {
  (void)user, (void)n;
  double k = 1 + t*t, u[3] = {s->A[6], s->A[7], s->A[8]}, U[9];
  for (int i = 0; i < 3; i++) {
    out->f[i] = -k*s->v[i];
    out->f[3 + i] = t*u[i];
  }
  out->has_tangent = true;
  if (out->D)
    for (int i = 0; i < 3; i++) out->D[7*i] = -k;
  if (out->K) { /* d(A^T e) = ~(A^T e) dtheta */
    mat3_skew(U, u);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) out->K[6*(3 + i) + 3 + j] = t*U[3*i + j];
  }
  if (out->f_t)
    for (int i = 0; i < 3; i++) {
      out->f_t[i] = -2*t*s->v[i];
      out->f_t[3 + i] = u[i];
    }
}

static void every_force_in_space(void) {
  loaded l;
  load_text(&l, force_zoo);
  CHECK_OK(l.ctx, tn_model_set_callback(l.model, "plain", attraction, NULL));
  CHECK_OK(l.ctx, tn_model_set_callback(l.model, "exact", drag, NULL));
  check_loaded(&l, "force_zoo", 0.2, false);
}

/* the plane keeps three freedoms of each body and drops the empty rows */
static const char planar_zoo[] =
    "planar: true\n"
    "gravity: [0.5, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.2, com: [0.1, 0.02], at: [0, 0.5], points: {p: [0.3, 0.1]}}\n"
    "  b: {mass: 2, inertia: 0.3, at: [1, 0.6], orientation: 0.4, points: {p: [0.1, -0.2]}}\n"
    "  c: {mass: 1.5, inertia: 0.1, at: [2, 0.5], com: [0, 0.03]}\n"
    "  d: {mass: 0.5, inertia: 0.05, at: [3, 1]}\n"
    "  w: {mass: 1, inertia: 0.02, at: [4, 0.3]}\n"
    "joints:\n"
    "  pin:   {type: revolute, bodies: [ground, a], at: [0, 0.6]}\n"
    "  slide: {type: prismatic, bodies: [a, b], at: [0.5, 0.5], axis: [1, 0.3]}\n"
    "  rod:   {type: distance, bodies: [b, c], at1: [0.1, 0], at2: [-0.2, 0.1]}\n"
    "  path:  {type: curve, bodies: [c, d], at2: [0, 0], closed: true,\n"
    "          points: [[0.8, 0.3], [1, 0.5], [1.3, 0.4], [1.2, 0]]}\n"
    "  slot:  {type: inline, bodies: [ground, c], at: [2, 0.5], axis: [1, 0.1]}\n"
    "  hinge: {type: revolute, bodies: [d, w], at: [3.5, 0.6]}\n"
    "  mesh:  {type: gear, joints: [pin, hinge], ratio: -2}\n"
    "  tread: {type: rolling_disk, bodies: [ground, w], at: [4, 0.3], radius: 0.3}\n"
    "drive:\n"
    "  - {name: push, joint: slide, velocity: \"0.3*cos(t)\"}\n"
    "forces:\n"
    "  s: {type: spring, points: [a.p, b.p], stiffness: 20, damping: 1, force: \"l*wz(c)\"}\n"
    "  g: {type: bushing, bodies: [b, c], at: [1.5, 0.5], stiffness: [30, 40, 0, 0, 0, 5],\n"
    "      damping: [1, 2, 0, 0, 0, 0.2]}\n"
    "  k: {type: torsion_spring, joint: pin, stiffness: 3, damping: 0.2}\n"
    "  f: {type: force, body: b, point: b.p, frame: body, force: [\"x(c)*t\", \"-vy(b.p)\", 0],\n"
    "      torque: [0, 0, \"-wz(b)\"]}\n"
    "  m: {type: joint_force, joint: slide, force: \"sin(t) - rate*value\"}\n"
    "  w: {type: contact, bodies: [b, c], shape2: sphere, radius1: 2, radius2: 3,\n"
    "     stiffness: 50, friction: 0.3}\n"
    "  y: {type: tyre, body: d, stiffness: 200, damping: 5, free_length: 1.2,\n"
    "      road: \"0.1*sin(x - t)\"}\n";

/* the second way to place frames and drives that move with a body */
static const char drive_zoo[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.12, 0.15], at: [0, 0, 1], points: {p: [0.1, 0.2, 0]}}\n"
    "  b: {mass: 1.5, inertia: [0.2, 0.12, 0.15], at: [1, 0.2, 1.1], points: {p: [0, 0.2, 0.3]}}\n"
    "joints:\n"
    "  screw: {type: screw, bodies: [a, b], at: [0.5, 0, 1], axis: [1, 0.2, 0.1], pitch: -0.2}\n"
    "  catch: {type: latch, joint: screw, locked: true}\n"
    "  ball:  {type: rolling_sphere, bodies: [ground, a], at: [0, 0, 1], radius: 1}\n"
    "drive:\n"
    "  - {name: thread, joint: screw, velocity: \"1 + sin(t)\"}\n"
    "  - {name: reach, point: b.p, relative_to: a.p, direction: [0.2, 1, 0.3],\n"
    "     motion: \"0.1*t^2\"}\n"
    "  - {name: drift, point: b.p, direction: y, velocity: \"cos(2*t)\"}\n";

static void hinges_in_a_loop(void) { check_model(spatial_four_bar, "four_bar", 0.4, false); }
static void slider_crank_in_space(void) { check_model(slider_crank, "slider_crank", 0.4, false); }
static void balls_and_hinges(void) { check_model(rssr, "rssr", 0.4, false); }
static void joints_of_a_chain(void) { check_model(mixed_chain, "mixed_chain", 0.3, false); }
static void teeth_and_couplers(void) { check_model(gear_train, "gear_train", 0.3, false); }
static void wheels_that_roll(void) { check_model(rolling, "rolling", 0.2, false); }
static void constraints_without_tree(void) { check_model(constraint_zoo, "zoo", 0.05, true); }
static void bodies_in_the_plane(void) { check_model(planar_four_bar, "planar_bar", 0.5, false); }
static void everything_in_the_plane(void) { check_model(planar_zoo, "planar_zoo", 0.05, true); }
static void drives_on_moving_bodies(void) { check_model(drive_zoo, "drive_zoo", 0.1, false); }
static void tyres_of_a_vehicle(void) {
  loaded l;
  load_file(&l, "examples/vehicle/hmmwv14.yaml", NULL);
  check_loaded(&l, "hmmwv14", 0.02, false);
}

/* A tree of bodies at random poses on random joints, written in either order, with forces between bodies
 * next to each other or not, and with further joints that close loops; far from the origin. */
static void random_tree_text(uint64_t seed, char *text, size_t size) {
  static const char *const kind[] = {"revolute", "prismatic", "cylindrical", "screw", "universal",
                                     "spherical", "planar", "fixed", ""};
  static const char *const cut[] = {"spherical", "revolute", "universal", "distance", "inline"};
  enum { KINDS = TNI_COUNT(kind), CUTS = TNI_COUNT(cut), MOST = 7 };
#define DRAW(n) ((int)(0.5*(1 + check_random(&seed))*(n) - 1e-9))
#define R check_random(&seed)
  int n = 2 + DRAW(MOST - 1);
  size_t at = 0;
  int inboard[MOST + 1] = {0};
  double x[MOST + 1][3] = {{0}};
#define PRINT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  PRINT("gravity: [%.3f, %.3f, -9.81]\nbodies:\n", R, R);
  for (int b = 1; b <= n; b++) {
    for (int i = 0; i < 3; i++) x[b][i] = 30 + 2*R;
    PRINT("  b%d: {mass: %.3f, inertia: [0.2, 0.3, %.3f, 0.02, -0.01, 0.03], com: [%.3f, %.3f, %.3f], "
          "at: [%.4f, %.4f, %.4f], orientation: {euler: [%.3f, %.3f, %.3f]}, points: {p: [%.3f, %.3f, "
          "%.3f]}}\n", b, 1.5 + R, 0.35 + 0.05*R, 0.2*R, 0.2*R, 0.2*R, x[b][0], x[b][1], x[b][2], 2*R, R,
          2*R, R, R, R);
  }
  PRINT("joints:\n  base: {type: fixed, bodies: [ground, b1], at: [30, 30, 30]}\n");
  for (int b = 2; b <= n; b++) {
    int to = 1 + DRAW(b - 1), k = DRAW(KINDS);
    inboard[b] = to;
    char names[2][16];
    snprintf(names[0], 16, "b%d", to);
    snprintf(names[1], 16, "b%d", b);
    bool swap = R > 0;
    if (!kind[k][0]) continue;
    PRINT("  j%d: {type: %s, bodies: [%s, %s], at: [%.4f, %.4f, %.4f]", b, kind[k], names[swap],
          names[!swap], 30 + R, 30 + R, 30 + R);
    if (k == 4) PRINT(", axis1: [1, %.3f, 0.2], axis2: [0, 0.2, -1]", -0.0);
    else if (k != 5 && k != 7) PRINT(", axis: [%.3f, %.3f, 1]", R, R);
    PRINT("%s}\n", k == 3 ? ", pitch: 0.3" : "");
  }
  bool tree = R > 0; /* then only neighbours are coupled */
  for (int c = tree ? 0 : DRAW(3); c > 0; c--) {
    int a = 1 + DRAW(n), b = DRAW(n + 1), k = DRAW(CUTS);
    if (a == b) continue;
    char name[16] = "ground";
    if (b > 0) snprintf(name, 16, "b%d", b);
    PRINT("  c%d: {type: %s, bodies: [b%d, %s]", c, cut[k], a, name);
    if (k == 3) PRINT(", at1: [%.3f, %.3f, 0], at2: [%.3f, 0, %.3f]}\n", R, R, R, R);
    else PRINT(", at: [%.4f, %.4f, %.4f]%s}\n", 30 + R, 30 + R, 30 + R,
               k == 2 ? ", axis1: [1, 0, 0.3], axis2: [-0.3, 0, 1]" : k ? ", axis: [0.2, 1, 0.3]" : "");
  }
  PRINT("forces:\n");
  for (int f = 0; f < 3; f++) {
    int a = 1 + DRAW(n), b = 1 + DRAW(n - 1);
    if (b >= a) b++;
    if (tree) {
      a = 2 + DRAW(n - 1);
      b = inboard[a];
    }
    PRINT("  s%d: {type: spring, points: [b%d.p, b%d.p], stiffness: 20, damping: %.3f}\n", f, a, b,
          1 + R);
    PRINT("  u%d: {type: bushing, bodies: [b%d, b%d], at: [30, 30.2, 30.1], stiffness: [3, 4, 5, 6, 7, 8], "
          "damping: [1, 2, 0, 0.3, 0, 0.2]}\n", f, b, a);
  }
  PRINT("  w: {type: force, body: b%d, point: b%d.p, frame: body, force: [\"x(b%d)*t\", \"-vy(b%d.p)\", "
        "0.3], torque: [0, 1, \"-wz(b%d)\"]}\n", n, n, tree ? n : 1, n, n);
#undef PRINT
#undef R
#undef DRAW
}

static void random_trees_in_joint_coordinates(void) {
  enum { MODELS = 150, SIZE = 12000 };
  static char text[SIZE];
  for (int i = 0; i < MODELS; i++) {
    loaded l;
    char name[32];
    random_tree_text(1000 + (uint64_t)i, text, SIZE);
    snprintf(name, sizeof(name), "random tree %d", i);
    load_text(&l, text);
    check_in_joint_coordinates(&l, name, 0.5, false, 1);
    unload(&l);
  }
  CHECK(ntree > MODELS/4 && nida == ntree);
}

static void no_type_was_left_out(void) {
  for (int k = 0; k < tni_joint_ntype; k++)
    check_true(seen_joint[k], tni_joint_types[k]->type.name, __FILE__, __LINE__);
  for (int k = 0; k < tni_force_ntype; k++)
    if (strcmp(tni_force_types[k]->type.name, "sampled") != 0) /* feedback with another law */
      check_true(seen_force[k], tni_force_types[k]->type.name, __FILE__, __LINE__);
  const char *usage, *doc;
  for (int i = 0; tni_measure_describe(i, &usage, &doc); i++) {
    char call[32];
    snprintf(call, sizeof(call), "%.*s", (int)(strcspn(usage, "(") + 1), usage);
    check_true(strstr(force_zoo, call) != NULL, usage, __FILE__, __LINE__);
  }
}

int main(void) {
  RUN(every_force_in_space);
  RUN(hinges_in_a_loop);
  RUN(slider_crank_in_space);
  RUN(balls_and_hinges);
  RUN(joints_of_a_chain);
  RUN(teeth_and_couplers);
  RUN(wheels_that_roll);
  RUN(constraints_without_tree);
  RUN(bodies_in_the_plane);
  RUN(everything_in_the_plane);
  RUN(drives_on_moving_bodies);
  RUN(tyres_of_a_vehicle);
  RUN(random_trees_in_joint_coordinates);
  RUN(no_type_was_left_out);
  printf("largest relative difference %.1e\n", worst_seen);
  return REPORT();
}
