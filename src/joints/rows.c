/* joints/rows.c - the standard constraint block: rows made of scalar functions
 *
 *   row  Phi = sum_k factor_k s_k(q) - motion(t)
 *
 * and, first in the block if present, the three rows of coinciding points
 *
 *   Phi = r1 + A1 s1 - r0 - A0 s0
 *
 * which are written out because most joints have them. gamma = -sum factor bias + motion_tt.
 * For a point with lever rho (ground), Omega = A w, Delta = A delta:
 *   J w = Omega x rho,  D_delta(J w) = Delta x (Omega x rho),  gamma = -W x (W x rho)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/build.h"

/* The commonest row by far, two directions at right angles, is evaluated from this alone: the
 * general form costs three times the work and ten times the memory traffic. */
typedef struct {
  bool yes;
  bool empty; /* z and a direction in the plane, in a planar model: it is zero for ever, and so is all of it */
  int body[2], slot[2];
  double a[2][3]; /* direction in each body */
} normal_row;

typedef struct {
  int nterm;
  const double *factor;
  const tni_scalar *scalar;
  const int (*slot)[2]; /* position of the bodies of the scalar in the block, -1 ground */
  tni_timefn motion;
} row_data;

typedef struct {
  bool point;
  int npoint; /* its rows that mean anything: two in a planar model */
  int body[2], slot[2];
  double s[2][3];
  int nrow; /* rows beside the point */
  const normal_row *normal; /* [nrow] apart from the rest: long chains are read from far memory */
  const row_data *row;      /* [nrow]                                                           */
} rows_data;

/* out (3 x 3 at row stride n) = factor * ~a A */
static void put_skew(double *out, int n, double factor, const double a[3], const double A[9]) {
  double S[9], SA[9];
  mat3_skew(S, a);
  mat3_mul(SA, S, A);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[n*i + j] = factor*SA[3*i+j];
}

static void eval_point(const rows_data *d, const tni_env *env, unsigned what, int nc,
                       tni_con_out *out) {
  double phi[3] = {0, 0, 0}, gamma[3] = {0, 0, 0};
  for (int b = 0; b < 2; b++) {
    const tni_kin *k = &env->kin[d->body[b] + 1];
    double sign = b ? 1 : -1, rho[3], wr[3], wwr[3];
    mat3_vec(rho, k->A, d->s[b]);
    vec3_addmul(phi, sign, k->r);
    vec3_addmul(phi, sign, rho);
    if (what & (TNI_C_ACCEL | TNI_C_TANGENT)) {
      vec3_cross(wr, k->W, rho);
      vec3_cross(wwr, k->W, wr);
      vec3_addmul(gamma, -sign, wwr);
    }
    int c = 6*d->slot[b];
    if (d->slot[b] < 0) continue;
    if (what & TNI_C_JACOBIAN) {
      double *J = out->J + c, t[3];
      vec3_scale(t, sign, d->s[b]);
      for (int i = 0; i < d->npoint; i++, J += nc) {
        vec3_set(J, 0, 0, 0);
        J[i] = sign;
        vec3_cross(J + 3, t, k->A + 3*i); /* row i of -~rho A = -A ~s */
      }
    }
    if (what & TNI_C_TANGENT) {
      /* H = lambda . (Delta x (Omega x rho)) = Omega^T (l x^T - (l.x) I) Delta, body axes */
      double l[3], *H = out->H + (6*d->slot[b] + 3)*nc + c + 3;
      mat3_tvec(l, k->A, out->lambda);
      double lx = vec3_dot(l, d->s[b]);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[nc*i + j] += sign*(l[i]*d->s[b][j] - (i == j)*lx);
      double O[3], Or[3];
      mat3_vec(O, k->A, out->w + c + 3);
      vec3_cross(Or, O, rho);
      put_skew(out->Jw_q + c + 3, nc, -sign, Or, k->A);
      if (out->w2) {
        mat3_vec(O, k->A, out->w2 + c + 3);
        vec3_cross(Or, O, rho);
        put_skew(out->Jw2_q + c + 3, nc, -sign, Or, k->A);
      }
      if (!out->gamma_q) continue;
      put_skew(out->gamma_q + c + 3, nc, sign, wwr, k->A);
      /* d(W x (W x rho))/dw = -(~(W x rho) + ~W ~rho) A */
      double X[9], Y[9], Z[9];
      mat3_skew(X, k->W);
      mat3_skew(Y, rho);
      mat3_mul(Z, X, Y);
      mat3_skew(X, wr);
      for (int i = 0; i < 9; i++) X[i] += Z[i];
      mat3_mul(Y, X, k->A);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out->gamma_v[nc*i + c + 3 + j] = sign*Y[3*i+j];
    }
  }
  if (what & TNI_C_POSITION) memcpy(out->phi, phi, sizeof(phi));
  if (what & TNI_C_JACOBIAN) memset(out->phi_t, 0, 3*sizeof(double));
  if (what & TNI_C_ACCEL) memcpy(out->gamma, gamma, sizeof(gamma));
}

/* contributions of one scalar term to row r */
static void add_term(const row_data *row, int n, const tni_env *env, unsigned what, int r, int nc,
                     tni_con_out *out) {
  const tni_scalar *s = &row->scalar[n];
  double factor = row->factor[n];
  unsigned level = TNI_S_VALUE;
  if (what & TNI_C_JACOBIAN) level |= TNI_S_JACOBIAN;
  if (what & TNI_C_ACCEL) level |= TNI_S_RATE;
  bool gamma = (what & TNI_C_TANGENT) && out->gamma_q;
  if (what & TNI_C_TANGENT) level |= TNI_S_RATE | TNI_S_SECOND;
  if (gamma) level |= TNI_S_BIAS_Q;
  tni_scalar_out o;
  tni_scalar_at(s, env, level, &o);
  if (what & TNI_C_POSITION) out->phi[r] += factor*o.s;
  if (what & TNI_C_ACCEL) out->gamma[r] -= factor*o.bias;
  for (int b = 0; b < 2; b++) {
    if (row->slot[n][b] < 0) continue;
    int c = 6*row->slot[n][b];
    if (what & TNI_C_JACOBIAN)
      for (int j = 0; j < 6; j++) out->J[nc*r + c + j] += factor*o.J[6*b + j];
    if (!(what & TNI_C_TANGENT)) continue;
    for (int j = 0; j < 6 && gamma; j++) out->gamma_q[nc*r + c + j] -= factor*o.bias_q[6*b + j];
    for (int e = 0; e < 2; e++) {
      if (row->slot[n][e] < 0) continue;
      int ce = 6*row->slot[n][e];
      const tni_kin *k = &env->kin[s->body[e] + 1];
      double v[6];
      vec3_copy(v, k->v);
      vec3_copy(v + 3, k->w);
      double *H = out->H + ce*nc + c, *Jw = out->Jw_q + nc*r + c;
      double *g = gamma ? out->gamma_v + nc*r + c : NULL;
      for (int i = 0; i < 6; i++) {
        const double *B = o.B + 12*(6*e + i) + 6*b, *Bt = o.B + 72*b + 6*e + i;
        double fl = factor*out->lambda[r], fw = factor*out->w[ce + i], fv = factor*v[i];
        for (int j = 0; j < 6; j++) {
          H[i*nc + j] += fl*B[j];
          Jw[j] += fw*B[j];
        }
        for (int j = 0; j < 6 && g; j++) g[j] -= fv*(B[j] + Bt[12*j]);
        if (!out->w2) continue;
        for (int j = 0; j < 6; j++) out->Jw2_q[nc*r + c + j] += factor*out->w2[ce + i]*B[j];
      }
    }
  }
}

/* 3 x 3 blocks of the second derivatives of a0 . a1: B[e][b], w in body e, delta in body b. With
 * l the other direction seen from a body: on the diagonal l a^T - (l.a) 1, beside it
 * (A w x u)_e . (A delta x u)_b = w^T X_e^T X_b delta, X = -~u A = -A ~a. */
static void normal_tangent(const normal_row *d, const tni_kin *const k[2], const double u[2][3],
                           int r, int nc, tni_con_out *out) {
  double B[2][2][9], X[2][9], S[9];
  for (int b = 0; b < 2; b++) {
    double l[3];
    mat3_tvec(l, k[b]->A, u[1-b]);
    double la = vec3_dot(l, d->a[b]);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) B[b][b][3*i+j] = l[i]*d->a[b][j] - (i == j)*la;
    mat3_skew(S, d->a[b]);
    mat3_mul(X[b], k[b]->A, S);
  }
  mat3_tmul(B[0][1], X[0], X[1]);
  mat3_tmul(B[1][0], X[1], X[0]);
  double bias[2][3];
  for (int b = 0; b < 2 && out->gamma_q; b++) {
    /* A^T (rho x e) for each product of second rates, as in kinematics/scalar.c */
    double du[2][3], ddu[2][3], x[3], sum[3];
    for (int e = 0; e < 2; e++) {
      vec3_cross(du[e], k[e]->W, u[e]);
      vec3_cross(ddu[e], k[e]->W, du[e]);
    }
    vec3_cross(sum, ddu[b], u[1-b]);
    vec3_cross(x, du[b], du[1-b]);
    vec3_addmul(sum, 2, x);
    vec3_cross(x, u[b], ddu[1-b]);
    vec3_add(sum, sum, x);
    mat3_tvec(bias[b], k[b]->A, sum);
  }
  for (int b = 0; b < 2; b++) {
    if (d->slot[b] < 0) continue;
    int c = 6*d->slot[b] + 3;
    for (int j = 0; j < 3 && out->gamma_q; j++) out->gamma_q[nc*r + c + j] -= bias[b][j];
    for (int e = 0; e < 2; e++) {
      if (d->slot[e] < 0) continue;
      int ce = 6*d->slot[e] + 3;
      for (int i = 0; i < 3; i++) {
        const double *Bi = B[e][b] + 3*i;
        double lambda = out->lambda[r], w = out->w[ce + i], v = k[e]->w[i];
        for (int j = 0; j < 3; j++) {
          out->H[(ce + i)*nc + c + j] += lambda*Bi[j];
          out->Jw_q[nc*r + c + j] += w*Bi[j];
          if (out->gamma_q) out->gamma_v[nc*r + c + j] -= v*(Bi[j] + B[b][e][3*j+i]);
          if (out->w2) out->Jw2_q[nc*r + c + j] += out->w2[ce + i]*Bi[j];
        }
      }
    }
  }
}

/* Phi = a0 . a1. In body axes: d/dtheta0 = a0 x (A0^T u1), u = A a in ground. */
static void eval_normal(const normal_row *d, const tni_env *env, unsigned what, int r, int nc,
                        tni_con_out *out) {
  const tni_kin *k[2] = {&env->kin[d->body[0] + 1], &env->kin[d->body[1] + 1]};
  double u[2][3], du[2][3], ddu[2][3];
  for (int b = 0; b < 2; b++) mat3_vec(u[b], k[b]->A, d->a[b]);
  if (what & TNI_C_POSITION) out->phi[r] = vec3_dot(u[0], u[1]);
  if (what & TNI_C_JACOBIAN) {
    out->phi_t[r] = 0;
    for (int b = 0; b < 2; b++) {
      if (d->slot[b] < 0) continue;
      double l[3], *J = out->J + nc*r + 6*d->slot[b];
      mat3_tvec(l, k[b]->A, u[1-b]);
      vec3_cross(J + 3, d->a[b], l);
    }
  }
  if (what & TNI_C_ACCEL) {
    for (int b = 0; b < 2; b++) {
      vec3_cross(du[b], k[b]->W, u[b]);
      vec3_cross(ddu[b], k[b]->W, du[b]);
    }
    out->gamma[r] =
        -(vec3_dot(ddu[0], u[1]) + 2*vec3_dot(du[0], du[1]) + vec3_dot(u[0], ddu[1]));
  }
  if (what & TNI_C_TANGENT) normal_tangent(d, k, (const double(*)[3])u, r, nc, out);
}

static void eval(const tni_con *con, const tni_env *env, unsigned what, tni_con_out *out) {
  const rows_data *d = con->data;
  int nc = 6*con->nbody, nr = con->nrow;
  size_t row_bytes = (size_t)nr*(size_t)nc*sizeof(double);
  if (what & TNI_C_JACOBIAN) memset(out->J, 0, row_bytes);
  if (what & TNI_C_TANGENT) {
    memset(out->H, 0, (size_t)nc*(size_t)nc*sizeof(double));
    memset(out->Jw_q, 0, row_bytes);
    if (out->w2) memset(out->Jw2_q, 0, row_bytes);
    memset(out->phit_q, 0, row_bytes);
    if (out->gamma_q) memset(out->gamma_q, 0, row_bytes);
    if (out->gamma_q) memset(out->gamma_v, 0, row_bytes);
  }
  int first = d->point ? 3 : 0;
  if (d->point) eval_point(d, env, what, nc, out);
  for (int i = 0; i < d->nrow; i++) {
    int r = first + i;
    if (d->normal[i].empty) {
      if (what & TNI_C_POSITION) out->phi[r] = 0;
      if (what & TNI_C_JACOBIAN) out->phi_t[r] = 0;
      if (what & TNI_C_ACCEL) out->gamma[r] = 0;
      continue;
    }
    if (d->normal[i].yes) {
      eval_normal(&d->normal[i], env, what, r, nc, out);
      continue;
    }
    const row_data *row = &d->row[i];
    if (what & TNI_C_POSITION)
      out->phi[r] = row->motion.f ? -tni_expr_eval(row->motion.f, &env->t) : 0;
    if (what & TNI_C_JACOBIAN)
      out->phi_t[r] = row->motion.f ? -tni_expr_eval(row->motion.f_t, &env->t) : 0;
    if (what & TNI_C_ACCEL)
      out->gamma[r] = row->motion.f ? tni_expr_eval(row->motion.f_tt, &env->t) : 0;
    for (int n = 0; n < row->nterm; n++) add_term(row, n, env, what, r, nc, out);
  }
}

/* angles of the terms; a slot shared with a coordinate gets the same value twice */
static void commit(const tni_con *con, const tni_env *env, bool at_event, double *memory) {
  (void)at_event;
  const rows_data *d = con->data;
  for (int i = 0; i < d->nrow; i++) {
    for (int n = 0; n < d->row[i].nterm; n++) {
      const tni_scalar *s = &d->row[i].scalar[n];
      tni_scalar_out o;
      if (s->memory < 0) continue;
      tni_scalar_at(s, env, TNI_S_VALUE, &o);
      memory[s->memory] = o.s;
    }
  }
}

static const tni_con_ops rows_ops = {.name = "rows", .eval = eval};
static const tni_con_ops angle_rows_ops = {.name = "rows", .eval = eval, .commit = commit};

static int new_row(tni_rowset *rows, const char *name, const char *unit) {
  int r = rows->nrow++;
  rows->name[r] = name;
  rows->unit[r] = unit;
  return r;
}

void tni_rows_point(tni_rowset *rows, const tni_joint *joint) {
  static const char *const names[3] = {"x", "y", "z"};
  rows->point = true;
  for (int b = 0; b < 2; b++) vec3_copy(rows->s[b], joint->frame[b].p);
  for (int i = 0; i < 3; i++) new_row(rows, names[i], "m");
}

void tni_rows_scalar(tni_rowset *rows, const tni_scalar *s, const char *name, const char *unit) {
  int r = new_row(rows, name, unit);
  rows->row[r].nterm = 1;
  rows->row[r].factor[0] = 1;
  rows->row[r].scalar[0] = *s;
}

void tni_rows_normal(tni_rowset *rows, const tni_joint *joint, int axis0, int axis1,
                     const char *name) {
  double a[3], b[3];
  mat3_column(a, joint->frame[0].R, axis0);
  mat3_column(b, joint->frame[1].R, axis1);
  tni_scalar s = tni_scalar_dot(joint->body[0], joint->body[1], tni_vecq_direction(0, a),
                                tni_vecq_direction(1, b), 0);
  tni_rows_scalar(rows, &s, name, "1");
}

void tni_rows_inplane(tni_rowset *rows, const tni_joint *joint, int axis0, const char *name) {
  double a[3];
  mat3_column(a, joint->frame[0].R, axis0);
  tni_scalar s =
      tni_scalar_dot(joint->body[0], joint->body[1], tni_vecq_direction(0, a),
                     tni_vecq_separation(joint->frame[0].p, joint->frame[1].p), 0);
  tni_rows_scalar(rows, &s, name, "m");
}

tn_status tni_build_con(tni_builder *b, tni_joint *joint, const tni_con *con) {
  tn_model *m = b->model;
  void *items = m->con;
  if (!tni_arena_grow(b->arena, &items, m->ncon, &b->con_cap, sizeof(tni_con)))
    return tni_out_of_memory(b->ctx);
  m->con = items;
  if (joint->ncon == 0) joint->con0 = m->ncon;
  joint->ncon++;
  m->con[m->ncon] = *con;
  m->con[m->ncon].joint = m->njoint; /* the joint being built is the next one */
  m->ncon++;
  return TN_OK;
}

static bool is_zero(const double a[3]) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

/* u = A_slot x alone */
static bool is_direction(const tni_vecq *u, int slot) {
  return is_zero(u->g) && u->c[0] == 0 && u->c[1] == 0 && is_zero(u->x[1-slot]);
}

/* along z; in the plane: exactly, as frames of planar models are */
static bool is_upright(const double a[3]) { return a[0] == 0 && a[1] == 0; }
static bool is_level(const double a[3]) { return a[2] == 0; }

static void note_normal(const row_data *row, bool planar, normal_row *out) {
  const tni_scalar *s = row->scalar;
  if (row->nterm != 1 || row->factor[0] != 1 || row->motion.f || s->kind != TNI_SCALAR_DOT ||
      s->nterm != 1 || s->term[0].weight != 1 || s->offset != 0)
    return;
  if (!is_direction(&s->term[0].a, 0) || !is_direction(&s->term[0].b, 1)) return;
  out->yes = true;
  vec3_copy(out->a[0], s->term[0].a.x[0]);
  vec3_copy(out->a[1], s->term[0].b.x[1]);
  out->empty = planar && ((is_upright(out->a[0]) && is_level(out->a[1])) ||
                          (is_upright(out->a[1]) && is_level(out->a[0])));
  for (int b = 0; b < 2; b++) {
    out->body[b] = s->body[b];
    out->slot[b] = row->slot[0][b];
  }
}

static tn_status copy_row(tni_builder *b, const tni_rowset *rows, int r, tni_con *con,
                          row_data *out) {
  int n = rows->row[r].nterm;
  double *factor;
  tni_scalar *scalar;
  int(*slot)[2];
  TNI_ARENA_NEW(b->arena, factor, n);
  TNI_ARENA_NEW(b->arena, scalar, n);
  TNI_ARENA_NEW(b->arena, slot, n);
  memcpy(factor, rows->row[r].factor, (size_t)n*sizeof(*factor));
  memcpy(scalar, rows->row[r].scalar, (size_t)n*sizeof(*scalar));
  for (int k = 0; k < n; k++)
    for (int e = 0; e < 2; e++)
      slot[k][e] = tni_body_slot(scalar[k].body[e], &con->nbody, con->body);
  *out = (row_data){.nterm = n, .factor = factor, .scalar = scalar, .slot = (const int(*)[2])slot,
                    .motion = rows->row[r].motion};
  return TN_OK;
}

tn_status tni_rows_close(tni_builder *b, tni_joint *joint, const tni_rowset *rows) {
  rows_data *d;
  row_data *row;
  normal_row *normal;
  const char **name, **unit;
  int first = rows->point ? 3 : 0;
  tni_arena *hot = b->hot ? b->hot : b->arena;
  TNI_ARENA_NEW(hot, d, 1);
  TNI_ARENA_NEW(hot, normal, rows->nrow - first);
  TNI_ARENA_NEW(b->arena, row, rows->nrow - first);
  TNI_ARENA_NEW(b->arena, name, rows->nrow);
  TNI_ARENA_NEW(b->arena, unit, rows->nrow);
  tni_con con = {.ops = &rows_ops, .nrow = rows->nrow, .rowname = name, .rowunit = unit, .data = d};
  for (int r = 0; r < rows->nrow; r++) {
    name[r] = rows->name[r];
    unit[r] = rows->unit[r];
  }
  d->point = rows->point;
  d->npoint = b->model->planar ? 2 : 3;
  d->nrow = rows->nrow - first;
  d->row = row;
  d->normal = normal;
  for (int e = 0; e < 2 && d->point; e++) {
    d->body[e] = joint->body[e];
    d->slot[e] = tni_body_slot(joint->body[e], &con.nbody, con.body);
    if (d->slot[e] >= 0) con.unit[d->slot[e]] = e ? 1 : -1;
    vec3_copy(d->s[e], rows->s[e]);
  }
  for (int r = first; r < rows->nrow; r++) {
    TN_TRY(copy_row(b, rows, r, &con, &row[r - first]));
    note_normal(&row[r - first], b->model->planar, &normal[r - first]);
  }
  for (int r = first; r < rows->nrow; r++)
    for (int k = 0; k < row[r - first].nterm; k++) {
      if (row[r - first].scalar[k].memory >= 0) con.ops = &angle_rows_ops;
      for (int e = 0; e < 2; e++)
        if (row[r - first].slot[k][e] == -2)
          return tni_item_fail(b->ctx, joint->item, NULL, "touches more than %d bodies",
                               TNI_MAXBODY);
    }
  return tni_build_con(b, joint, &con);
}

tn_status tni_coord_scalar(tni_builder *b, tni_joint *joint, const tni_scalar *s, const char *name,
                           const char *unit) {
  if (joint->ncoord == TNI_MAXCOORD)
    return TN_FAIL(b->ctx, TN_ERR_INTERNAL, "joint '%s' has too many coordinates", joint->name);
  joint->coord[joint->ncoord++] = (tni_coord){name, unit, *s};
  return TN_OK;
}

tn_status tni_coord_angle(tni_builder *b, tni_joint *joint, const char *name) {
  tni_scalar s = tni_scalar_twist(joint->body[0], joint->body[1], joint->frame[0].R,
                                  joint->frame[1].R, -1);
  tni_kin k[2];
  tni_scalar_out o;
  for (int e = 0; e < 2; e++) tni_build_pose(b, joint->body[e], &k[e]);
  tni_scalar_eval(&s, &k[0], &k[1], 0, TNI_S_VALUE, &o);
  TN_TRY(tni_build_memory(b, o.s, &s.memory));
  return tni_coord_scalar(b, joint, &s, name, "rad");
}

tn_status tni_coord_along(tni_builder *b, tni_joint *joint, int axis0, const char *name) {
  double a[3];
  mat3_column(a, joint->frame[0].R, axis0);
  tni_scalar s =
      tni_scalar_dot(joint->body[0], joint->body[1], tni_vecq_direction(0, a),
                     tni_vecq_separation(joint->frame[0].p, joint->frame[1].p), 0);
  return tni_coord_scalar(b, joint, &s, name, "m");
}
