/* system/discrete.c - the equations of motion over one step that keep the energy; see discrete.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/discrete.h"

#include "model/part.h"
#include "system/cartesian.h"

/* of the weight of a direction below which it is rounding and takes no correction */
static const double TINY = 1e-24;

struct tni_discrete {
  tni_cartesian *c;
  tni_sparsity pattern;
  int *square_at;          /* [square nnz] place in the matrix                         */
  int *row_at, *column_at; /* [rows nnz] place of C below, and of C^T beside           */
  int *diagonal;           /* [m] of the constraint rows                               */
  double t, h;
  double *q0, *v0;
  tni_kin *k0, *k1, *mid, *mean; /* [nbody+1] ends, halfway, with mean matrices        */
  double *dx6, *f6, *T;    /* [6 nbody], [6 nbody], [9 nbody] derivative of the map    */
  double *potential0;      /* [nforce]                                                 */
  double *q1, *v1;
  double *K, *C;           /* values on the patterns of the system                     */
  double *phi0, *Cdx;      /* [m] residuals at the beginning, C dx                     */
  bool *timed;             /* [m] row with explicit time                               */
  double dissipated, input;
};

/* ---- create -------------------------------------------------------------------------------- */

/* (square, C^T; C, unit places) by rows */
static tn_status build_pattern(tni_discrete *d, tni_arena *a) {
  const tni_data *s = &d->c->base;
  const tni_sparsity *S = s->square, *R = s->rows;
  int nv = s->nv, n = nv + s->m, *rowptr, *col, *next;
  int nnz = S->nnz + 2*R->nnz + s->m;
  TNI_ARENA_NEW(a, rowptr, n + 1);
  TNI_ARENA_NEW(a, next, n + 1);
  TNI_ARENA_NEW(a, col, nnz);
  TNI_ARENA_NEW(a, d->square_at, S->nnz);
  TNI_ARENA_NEW(a, d->row_at, R->nnz);
  TNI_ARENA_NEW(a, d->column_at, R->nnz);
  TNI_ARENA_NEW(a, d->diagonal, s->m);
  for (int i = 0; i < nv; i++) rowptr[i+1] = S->rowptr[i+1] - S->rowptr[i];
  for (int r = 0; r < s->m; r++) {
    rowptr[nv+r+1] = R->rowptr[r+1] - R->rowptr[r] + 1;
    for (int k = R->rowptr[r]; k < R->rowptr[r+1]; k++) rowptr[R->col[k]+1]++;
  }
  for (int i = 0; i < n; i++) rowptr[i+1] += rowptr[i];
  for (int i = 0; i < n; i++) next[i] = rowptr[i];
  for (int i = 0; i < nv; i++)
    for (int k = S->rowptr[i]; k < S->rowptr[i+1]; k++) {
      d->square_at[k] = next[i];
      col[next[i]++] = S->col[k];
    }
  for (int r = 0; r < s->m; r++) {
    for (int k = R->rowptr[r]; k < R->rowptr[r+1]; k++) {
      int c = R->col[k];
      d->row_at[k] = next[nv+r];
      col[next[nv+r]++] = c;
      d->column_at[k] = next[c];
      col[next[c]++] = nv + r;
    }
    d->diagonal[r] = next[nv+r];
    col[next[nv+r]++] = nv + r;
  }
  d->pattern = (tni_sparsity){n, n, nnz, rowptr, col};
  return TN_OK;
}

tn_status tni_discrete_create(tni_data *s, tni_arena *a, tni_discrete **out) {
  tni_discrete *d;
  const tn_model *m = s->model;
  if (!tni_has_terms(s))
    return TN_FAIL(s->ctx, TN_ERR_UNSUPPORTED, "the energy-momentum method needs 'representation: "
                   "cartesian'");
  if (s->parts)
    return TN_FAIL(s->ctx, TN_ERR_UNSUPPORTED, "the energy-momentum method knows no meshes (structure '%s'); alpha and "
                   "radau do", m->part[0].name);
  TNI_ARENA_NEW(a, d, 1);
  d->c = (tni_cartesian *)s;
  TN_TRY(build_pattern(d, a));
  tni_kin **kin[] = {&d->k0, &d->k1, &d->mid, &d->mean};
  for (int i = 0; i < TNI_COUNT(kin); i++) {
    TNI_ARENA_NEW(a, *kin[i], m->nbody + 1);
    tni_kin_ground(&(*kin[i])[0]);
  }
  TNI_ARENA_NEW(a, d->q0, s->nq);
  TNI_ARENA_NEW(a, d->q1, s->nq);
  TNI_ARENA_NEW(a, d->v0, s->nv);
  TNI_ARENA_NEW(a, d->v1, s->nv);
  TNI_ARENA_NEW(a, d->dx6, 6*m->nbody);
  TNI_ARENA_NEW(a, d->f6, 6*m->nbody);
  TNI_ARENA_NEW(a, d->T, 9*m->nbody);
  TNI_ARENA_NEW(a, d->potential0, m->nforce);
  TNI_ARENA_NEW(a, d->K, s->square->nnz);
  TNI_ARENA_NEW(a, d->C, s->rows->nnz);
  TNI_ARENA_NEW(a, d->phi0, s->m);
  TNI_ARENA_NEW(a, d->Cdx, s->m);
  TNI_ARENA_NEW(a, d->timed, s->m);
  *out = d;
  return TN_OK;
}

const tni_sparsity *tni_discrete_pattern(const tni_discrete *d) { return &d->pattern; }

/* ---- the states of a step ------------------------------------------------------------------ */

static tni_env env_of(const tni_discrete *d, double t, const tni_kin *kin) {
  return (tni_env){.t = t, .kin = kin, .memory = d->c->base.memory};
}

void tni_discrete_begin(tni_discrete *d, double t, const double *q, const double *v) {
  tni_data *s = &d->c->base;
  const tn_model *m = s->model;
  d->t = t;
  memcpy(d->q0, q, (size_t)s->nq*sizeof(double));
  memcpy(d->v0, v, (size_t)s->nv*sizeof(double));
  tni_cart_set_kin(s, t, q, v);
  memcpy(d->k0, s->kin, ((size_t)m->nbody + 1)*sizeof(tni_kin));
  tni_env env = env_of(d, t, d->k0);
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    if (f->element && f->element->discrete) continue;
    tni_force_out o = s->force_out[i];
    o.potential = 0;
    f->ops->eval(f, &env, TNI_F_FORCE, &o);
    d->potential0[i] = o.potential;
  }
  if (s->m) tni_eval_phi(s, t, q, d->phi0);
}

/* q1 of node i, and its attitudes at the end and halfway, from its turn Theta */
static void turn_node(tni_discrete *d, int i, const double Theta[3]) {
  const tni_layout *L = d->c->base.layout;
  const double *p0 = d->q0 + L->qadr[i] + 3;
  double e[4], half[4], p1[4] = {1, 0, 0, 0};
  if (tni_node_turns(d->c->base.model->body[i].kind)) {
    /* cay: Euler parameters (1, Theta/2) of the whole turn; halfway (1 + |e|, e) */
    e[0] = 1;
    vec3_scale(e + 1, 0.5, Theta);
    quat_normalize(e);
    quat_mul(p1, p0, e);
    quat_normalize(p1);
    half[0] = 1 + e[0];
    vec3_copy(half + 1, e + 1);
    quat_normalize(half);
    quat_mul(half, p0, half);
    quat_matrix(d->k1[i+1].A, p1);
    quat_matrix(d->mid[i+1].A, half);
  } else {
    mat3_identity(d->k1[i+1].A);
    mat3_identity(d->mid[i+1].A);
  }
  tni_layout_set_pose(L, i, d->k1[i+1].r, p1, d->q1);
}

/* q1, v1 and the states between from dx */
static void set_states(tni_discrete *d, double h, const double *dx) {
  const tni_data *s = &d->c->base;
  const tn_model *m = s->model;
  d->h = h;
  memset(d->dx6, 0, 6*(size_t)m->nbody*sizeof(double));
  for (int i = 0; i < m->nbody; i++) {
    double *x = d->dx6 + 6*i, w[3];
    tni_layout_spread(s->layout, i, dx, x);
    const tni_kin *a = &d->k0[i+1];
    tni_kin *b = &d->k1[i+1], *mid = &d->mid[i+1], *mean = &d->mean[i+1];
    for (int k = 0; k < 3; k++) {
      b->r[k] = a->r[k] + x[k];
      b->v[k] = 2*x[k]/h - a->v[k];
      b->w[k] = 2*x[3+k]/h - a->w[k];
      mid->r[k] = 0.5*(a->r[k] + b->r[k]);
      mid->v[k] = x[k]/h;
      mid->w[k] = x[3+k]/h;
    }
    turn_node(d, i, x + 3);
    mat3_vec(b->W, b->A, b->w);
    mat3_vec(mid->W, mid->A, mid->w);
    *mean = *mid;
    for (int k = 0; k < 9; k++) mean->A[k] = 0.5*(a->A[k] + b->A[k]);
    double v6[6];
    vec3_copy(v6, b->v);
    vec3_copy(v6 + 3, b->w);
    tni_layout_pick(s->layout, i, v6, d->v1);
    /* dtheta1 = T dTheta */
    vec3_scale(w, 0.5, x + 3);
    double *T = d->T + 9*i, c = 1/(1 + vec3_dot(w, w));
    mat3_skew(T, w);
    for (int k = 0; k < 9; k++) T[k] = c*((k % 4 == 0) - T[k]);
  }
}

/* ---- adding to the matrix ------------------------------------------------------------------ */

/* d->K += factor X, X [6 nb][6 nb] */
static void add_square(tni_discrete *d, int nb, const int *body, double factor, const double *X) {
  const tni_layout *L = d->c->base.layout;
  for (int e = 0; e < nb; e++)
    for (int i = L->vadr[body[e]]; i < L->vadr[body[e]] + L->size[body[e]]; i++)
      for (int g = 0; g < nb; g++) {
        double *to = d->K + tni_sparsity_find(d->c->base.square, i, L->vadr[body[g]]);
        const double *x = X + (6*e + L->role[i])*6*nb + 6*g;
        const signed char *role = L->role + L->vadr[body[g]];
        for (int j = 0; j < L->size[body[g]]; j++) to[j] += factor*x[role[j]];
      }
}

/* X [rows][6 nb]: columns of the turns at the end -> those of Theta */
static void turn_columns(const tni_discrete *d, int rows, int nb, const int *body, double *X) {
  for (int i = 0; i < rows; i++)
    for (int e = 0; e < nb; e++) {
      double *x = X + (size_t)i*6*(size_t)nb + 6*e + 3, y[3];
      mat3_tvec(y, d->T + 9*body[e], x);
      vec3_copy(x, y);
    }
}

/* ---- bodies -------------------------------------------------------------------------------- */

/* r += factor * the components of x6 that node i has */
static void add_node(const tni_discrete *d, int i, double factor, const double x6[6], double *r) {
  const tni_layout *L = d->c->base.layout;
  for (int k = L->vadr[i]; k < L->vadr[i] + L->size[i]; k++) r[k] += factor*x6[(int)L->role[k]];
}

static void add_bodies(tni_discrete *d, double h, double *r, bool matrix) {
  const tn_model *m = d->c->base.model;
  for (int i = 0; i < m->nbody; i++) {
    const tni_body *o = &m->body[i];
    const tni_kin *a = &d->k0[i+1], *b = &d->k1[i+1], *mid = &d->mid[i+1];
    double R[9], ha[3], hb[3], ra[3], rb[3], res[6];
    mat3_vec(ha, o->I, a->w);
    mat3_vec(hb, o->I, b->w);
    mat3_tmul(R, mid->A, b->A); /* half the turn */
    mat3_vec(rb, R, hb);
    mat3_tvec(ra, R, ha);
    for (int k = 0; k < 3; k++) {
      res[k] = o->mass*(b->v[k] - a->v[k] - h*m->gravity[k]);
      res[3+k] = rb[k] - ra[k];
    }
    add_node(d, i, 1, res, r);
    if (!matrix) continue;
    double X[36] = {0}, sum[3], G[9], RI[9];
    vec3_add(sum, ha, hb);
    mat3_skew(G, sum);
    mat3_mul(RI, R, o->I);
    for (int j = 0; j < 3; j++) {
      X[7*j] = 2*o->mass/h;
      for (int k = 0; k < 3; k++) X[6*(3 + j) + 3 + k] = 2/h*RI[3*j+k] - 0.5*G[3*j+k];
    }
    add_square(d, 1, &i, 1, X);
  }
}

/* ---- forces -------------------------------------------------------------------------------- */

/* work still missing along dx goes in along M dx */
static void close_balance(const tni_discrete *d, const tni_force *f, double missing, double *out) {
  const tn_model *m = d->c->base.model;
  double weight = 0, y[6*TNI_MAXBODY], size = 0;
  for (int e = 0; e < f->nbody; e++) {
    const double *x = d->dx6 + 6*f->body[e];
    const tni_body *o = &m->body[f->body[e]];
    vec3_scale(y + 6*e, o->mass, x);
    mat3_vec(y + 6*e + 3, o->I, x + 3);
    weight += vec3_dot(y + 6*e, x) + vec3_dot(y + 6*e + 3, x + 3);
    size += o->mass + o->I[0];
  }
  if (!(weight > TINY*size)) return;
  for (int i = 0; i < 6*f->nbody; i++) out[i] += missing/weight*y[i];
}

static void add_forces(tni_discrete *d, double h, double *r, bool matrix) {
  tni_data *s = &d->c->base;
  const tn_model *m = s->model;
  enum { MAX = 6*TNI_MAXBODY };
  static const unsigned force = TNI_F_FORCE, both = TNI_F_FORCE | TNI_F_TANGENT;
  double K[MAX*MAX], D[MAX*MAX], K1[MAX*MAX];
  tni_env env0 = env_of(d, d->t, d->k0), env1 = env_of(d, d->t + h, d->k1);
  tni_env mid = env_of(d, d->t + 0.5*h, d->mid);
  d->dissipated = d->input = 0;
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *f = &m->force[i];
    tni_force_out o = s->force_out[i];
    int n = 6*f->nbody;
    bool own = f->element && f->element->discrete;
    o.K = K, o.D = D;
    if (own) {
      f->element->discrete(f, &env0, &env1, &mid, h, matrix ? both : force, &o, K1);
    } else {
      o.potential = 0;
      f->ops->eval(f, &env1, force, &o);
      double rise = o.potential - d->potential0[i], work = 0;
      o.potential = o.dissipated = o.input = 0;
      f->ops->eval(f, &mid, matrix ? both : force, &o);
      for (int e = 0; e < f->nbody; e++)
        for (int k = 0; k < 6; k++) work += o.f[6*e + k]*d->dx6[6*f->body[e] + k];
      close_balance(d, f, -rise + h*(o.input - o.dissipated) - work, o.f);
    }
    d->dissipated += o.dissipated;
    d->input += o.input;
    for (int e = 0; e < f->nbody; e++)
      add_node(d, f->body[e], -h, o.f + 6*e, r);
    if (!matrix) continue;
    for (int k = 0; k < n*n; k++) K[k] = -0.5*h*K[k] - D[k];
    add_square(d, f->nbody, f->body, 1, K);
    if (!own) continue;
    turn_columns(d, n, f->nbody, f->body, K1);
    add_square(d, f->nbody, f->body, -h, K1);
  }
}

/* ---- constraints --------------------------------------------------------------------------- */

/* rows that are not quadratic: J dx becomes the change of phi */
static void close_row(const tni_discrete *d, const tni_con *con, double rise, double *J) {
  const tn_model *m = d->c->base.model;
  double weight = 0, size = 0, sum = 0, y[6*TNI_MAXBODY];
  for (int e = 0; e < con->nbody; e++) {
    const double *x = d->dx6 + 6*con->body[e];
    const tni_body *o = &m->body[con->body[e]];
    vec3_scale(y + 6*e, o->mass, x);
    mat3_vec(y + 6*e + 3, o->I, x + 3);
    weight += vec3_dot(y + 6*e, x) + vec3_dot(y + 6*e + 3, x + 3);
    size += o->mass + o->I[0];
    for (int k = 0; k < 6; k++) sum += J[6*e + k]*x[k];
  }
  if (!(weight > TINY*size)) return;
  for (int i = 0; i < 6*con->nbody; i++) J[i] += (rise - sum)/weight*y[i];
}

/* Columns of turns with the axes of one body after the other halfway, all other bodies at the mean: for rows
 * made of points and directions, a x l with the arm a in the body and the force l in the axes halfway.
 * B [rows][6 nb]; only the turns are filled in. */
static void turns_halfway(tni_discrete *d, const tni_con *con, const tni_env *mean, tni_con_out *o,
                          double *B) {
  int cols = 6*con->nbody;
  for (int e = 0; e < con->nbody; e++) {
    tni_kin *k = &d->mean[con->body[e] + 1];
    double keep[9];
    memcpy(keep, k->A, sizeof(keep));
    memcpy(k->A, d->mid[con->body[e] + 1].A, sizeof(keep));
    con->ops->eval(con, mean, TNI_C_POSITION | TNI_C_JACOBIAN, o);
    memcpy(k->A, keep, sizeof(keep));
    for (int r = 0; r < con->nrow; r++) vec3_copy(B + r*cols + 6*e + 3, o->J + r*cols + 6*e + 3);
  }
}

/* The moments that the forces of a row have about mean arms. With the mean matrix A_mid S, S = c 1 + (1 - c)
 * n n^T, the row has a x S l, which does the right work but leaves a moment; S a x l does the same work and,
 * its arms being those of points that coincide, leaves none:
 *   S a x l = (tr S - S) (a x l) - a x S l */
static void balance_moments(const tni_discrete *d, const tni_con *con, const double *B, double *J) {
  for (int e = 0; e < con->nbody; e++) {
    const double *Theta = d->dx6 + 6*con->body[e] + 3, *b = B + 6*e + 3;
    double *j = J + 6*e + 3, q = 0.25*vec3_dot(Theta, Theta), c = 1/sqrt(1 + q);
    /* (1 - c) n n^T = Theta Theta^T/4 c^2/(1 + c), without a division by the turn */
    double along = 0.25*c*c/(1 + c)*vec3_dot(Theta, b);
    for (int k = 0; k < 3; k++) j[k] = (1 + c)*b[k] - along*Theta[k] - j[k];
  }
}

static void add_constraints(tni_discrete *d, double h, const double *lambda, double *r,
                            double *value) {
  tni_cartesian *c = d->c;
  tni_data *s = &c->base;
  const tn_model *m = s->model;
  const tni_sparsity *R = s->rows;
  int nv = s->nv;
  tni_env mean = env_of(d, d->t + 0.5*h, d->mean), env1 = env_of(d, d->t + h, d->k1);
  double w[TNI_CART_COLS] = {0}, J1[TNI_CART_ROWS*TNI_CART_COLS], B[TNI_CART_ROWS*TNI_CART_COLS];
  for (int k = 0; k < m->ncon; k++) {
    const tni_con *con = &m->con[k];
    const tni_cart_block *b = &c->blk[k];
    const int *slot = c->places.slot + c->places.slot_adr[k];
    tni_con_out *o = &c->full;
    int cols = 6*con->nbody;
    double l[TNI_CART_ROWS] = {0}, phi[TNI_CART_ROWS];
    for (int n = 0; n < b->nkeep; n++) l[b->keep[n]] = lambda[b->row0 + n];
    o->lambda = l;
    o->w = w;
    con->ops->eval(con, &env1, TNI_C_POSITION | TNI_C_JACOBIAN, o);
    memcpy(phi, o->phi, (size_t)con->nrow*sizeof(double));
    memcpy(J1, o->J, (size_t)(con->nrow*cols)*sizeof(double));
    if (!con->nonholonomic) turns_halfway(d, con, &mean, o, B);
    con->ops->eval(con, &mean, TNI_C_POSITION | TNI_C_JACOBIAN |
                   (value ? TNI_C_ACCEL | TNI_C_TANGENT : 0), o);
    if (value) {
      add_square(d, con->nbody, con->body, 0.5*h, o->H);
      turn_columns(d, con->nrow, con->nbody, con->body, J1);
    }
    for (int n = 0; n < b->nkeep; n++) {
      int row = b->row0 + n, in = b->keep[n];
      double *J = o->J + in*cols, Jdx = 0;
      bool used = !s->rank || s->rank->independent[row];
      d->timed[row] = o->phi_t[in] != 0;
      if (!con->nonholonomic) balance_moments(d, con, B + in*cols, J);
      if (!con->nonholonomic && !d->timed[row]) close_row(d, con, phi[in] - d->phi0[row], J);
      for (int e = 0; e < con->nbody; e++)
        for (int j = 0; j < 6; j++) Jdx += J[6*e + j]*d->dx6[6*con->body[e] + j];
      d->Cdx[row] = Jdx;
      r[nv + row] = !used ? lambda[row]
                    : con->nonholonomic ? Jdx + h*o->phi_t[in] : phi[in];
      for (int e = 0; e < con->nbody && used; e++)
        for (int j = 0; j < c->d; j++) {
          int at = R->rowptr[row] + slot[e] + j;
          double x = J[6*e + c->part[j]];
          r[c->layout.vadr[con->body[e]] + j] += h*x*lambda[row];
          if (!value) continue;
          value[d->column_at[at]] = h*x;
          value[d->row_at[at]] = con->nonholonomic ? x : J1[in*cols + 6*e + c->part[j]];
        }
      if (value && !used) value[d->diagonal[row]] = 1;
    }
    o->lambda = o->w = NULL;
  }
}

/* ---- the whole ----------------------------------------------------------------------------- */

void tni_discrete_eval(tni_discrete *d, double h, const double *dx, const double *lambda, double *r,
                       double *value) {
  const tni_data *s = &d->c->base;
  memset(r, 0, (size_t)(s->nv + s->m)*sizeof(double));
  if (value) {
    memset(value, 0, (size_t)d->pattern.nnz*sizeof(double));
    memset(d->K, 0, (size_t)s->square->nnz*sizeof(double));
  }
  set_states(d, h, dx);
  add_bodies(d, h, r, value != NULL);
  add_forces(d, h, r, value != NULL);
  add_constraints(d, h, lambda, r, value);
  for (int k = 0; value && k < s->square->nnz; k++) value[d->square_at[k]] = d->K[k];
}

void tni_discrete_end(tni_discrete *d, double h, const double *lambda, double *q1, double *v1,
                      double *z) {
  const tni_data *s = &d->c->base;
  memcpy(q1, d->q1, (size_t)s->nq*sizeof(double));
  memcpy(v1, d->v1, (size_t)s->nv*sizeof(double));
  z[TNI_Z_DISSIPATED] += h*d->dissipated;
  z[TNI_Z_INPUT] += h*d->input;
  for (int r = 0; r < s->m; r++)
    if (d->timed[r]) z[TNI_Z_INPUT] -= lambda[r]*d->Cdx[r];
}
