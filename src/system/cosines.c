/* system/cosines.c - a cartesian system in positions and direction cosines
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/cosines.h"

#include <math.h>

#include "system/cartesian.h"

/* body of y: place and matrix */
static void set_body(bool planar, const double *y, tni_kin *k) {
  if (!planar) {
    vec3_copy(k->r, y);
    memcpy(k->A, y + 3, 9*sizeof(double));
    return;
  }
  const double A[9] = {y[2], -y[3], 0, y[3], y[2], 0, 0, 0, 1};
  vec3_set(k->r, y[0], y[1], 0);
  memcpy(k->A, A, sizeof(A));
}

typedef struct {
  tni_data *s;
  const tni_con *con;
  int size; /* numbers of a body */
  double t;
} block;

/* rows of the block at y */
static void values(const block *b, const double *y, double *phi) {
  double none[TNI_CART_ROWS], J[TNI_CART_ROWS*TNI_CART_COLS];
  tni_con_out o = {.phi = phi, .phi_t = none, .gamma = none, .J = J};
  for (int i = 0; i < b->con->nbody; i++) set_body(b->size == TNI_COSINES_PLANE, y + i*b->size, &b->s->kin[b->con->body[i] + 1]);
  tni_env env = tni_system_env(b->s, b->t);
  tni_con_eval(b->con, &env, TNI_C_POSITION, &o);
}

/* differences of values leave rounding where there is nothing */
static void clean(double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  for (int i = 0; i < n; i++)
    if (fabs(x[i]) < 1e-14*fmax(most, 1)) x[i] = 0;
}

/* quadratic forms of all rows of a block: out [nrow] */
static void read_off(const block *b, tni_quadratic_row *out) {
  int n = b->size*b->con->nbody, nr = b->con->nrow;
  double y[TNI_COSINES_MAX] = {0}, g0[TNI_CART_ROWS], up[TNI_COSINES_MAX][TNI_CART_ROWS], g[TNI_CART_ROWS];
  values(b, y, g0);
  for (int i = 0; i < n; i++) {
    y[i] = 1;
    values(b, y, up[i]);
    y[i] = -1;
    values(b, y, g);
    y[i] = 0;
    for (int r = 0; r < nr; r++) {
      out[r].g0 = g0[r];
      out[r].l[i] = 0.5*(up[i][r] - g[r]);
      out[r].H[n*i + i] = up[i][r] + g[r] - 2*g0[r];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      y[i] = y[j] = 1;
      values(b, y, g);
      y[i] = y[j] = 0;
      for (int r = 0; r < nr; r++) out[r].H[n*i + j] = out[r].H[n*j + i] = g[r] - up[i][r] - up[j][r] + g0[r];
    }
  }
  for (int r = 0; r < nr; r++) {
    clean(out[r].l, n);
    clean(out[r].H, n*n);
  }
}

/* do the forms say what the rows say somewhere else, and later? */
static bool are_quadratic(const block *b, const tni_quadratic_row *q) {
  static const double WITHIN = 1e-10;
  int n = b->size*b->con->nbody;
  for (int trial = 0; trial < 3; trial++) {
    block other = *b;
    double y[TNI_COSINES_MAX], g[TNI_CART_ROWS], size = 1;
    for (int i = 0; i < n; i++) y[i] = sin(1.7*i + 3.1*trial + 0.3);
    if (trial == 2) other.t += 0.7;
    values(&other, y, g);
    for (int r = 0; r < b->con->nrow; r++) {
      double want = q[r].g0;
      for (int i = 0; i < n; i++) {
        double half = q[r].l[i];
        for (int j = 0; j < n; j++) half += 0.5*q[r].H[n*i + j]*y[j];
        want += half*y[i];
        size = fmax(size, fabs(half));
      }
      if (!(fabs(g[r] - want) <= WITHIN*size)) return false;
    }
  }
  return true;
}

tn_status tni_cosine_model_create(tni_data *s, double t, bool all_rows, tni_arena *arena, tni_cosine_model *out) {
  const tn_model *m = s->model;
  TN_REQUIRE(s->ctx, !s->relative, TN_ERR_UNSUPPORTED, "formulation direction_cosines needs the cartesian representation");
  TN_REQUIRE(s->ctx, m->npart == 0, TN_ERR_UNSUPPORTED,
             "formulation direction_cosines is for bodies; the model has meshes: take formulation poses");
  const tni_cartesian *c = (const tni_cartesian *)s;
  *out = (tni_cosine_model){.planar = m->planar, .nbody = m->nbody, .inertia = s->inertia, .nforce = m->nforce};
  vec3_copy(out->gravity, m->gravity);
  for (int i = 0; i < m->nbody; i++)
    TN_REQUIRE(s->ctx, tni_node_turns(m->body[i].kind), TN_ERR_UNSUPPORTED,
               "formulation direction_cosines is for bodies; '%s' is a point: take formulation poses", m->body[i].name);
  TNI_ARENA_NEW(arena, out->row, s->m);
  TNI_ARENA_NEW(arena, out->general, m->ncon);
  tni_kin *keep;
  TNI_ARENA_NEW(arena, keep, m->nbody + 1);
  memcpy(keep, s->kin, ((size_t)m->nbody + 1)*sizeof(*keep));
  tni_quadratic_row *all;
  TNI_ARENA_NEW(arena, all, TNI_CART_ROWS);
  for (int k = 0; k < m->ncon; k++) {
    const tni_con *con = &m->con[k];
    block b = {s, con, m->planar ? TNI_COSINES_PLANE : TNI_COSINES_SPACE, t};
    memset(all, 0, TNI_CART_ROWS*sizeof(*all));
    if (!tni_con_in_force(con, s->memory)) continue;
    bool quadratic = con->nbody <= 2 && !con->nonholonomic;
    if (quadratic) read_off(&b, all);
    quadratic = quadratic && are_quadratic(&b, all);
    memcpy(s->kin, keep, ((size_t)m->nbody + 1)*sizeof(*keep));
    int *of_con = NULL, first = out->m;
    if (!quadratic) TNI_ARENA_NEW(arena, of_con, con->nrow);
    for (int r = 0; r < c->blk[k].nkeep; r++) {
      int row = c->blk[k].row0 + r;
      if (s->rank && !s->rank->independent[row] && !all_rows) continue;
      if (of_con) of_con[out->m - first] = c->blk[k].keep[r];
      tni_quadratic_row *to = &out->row[out->m++];
      *to = all[c->blk[k].keep[r]];
      to->row = row;
      to->nbody = quadratic ? con->nbody : 0;
      for (int i = 0; i < to->nbody; i++) to->body[i] = con->body[i];
    }
    if (!quadratic && out->m > first) out->general[out->ngeneral++] = (tni_general_rows){con, first, out->m - first, of_con};
  }
  return TN_OK;
}

void tni_cosine_general(const tni_data *s, const tni_general_rows *g, double t, const tni_kin *kin, const double *lambda,
                        tni_general_out *out) {
  enum { SIZE = TNI_CART_ROWS*TNI_CART_COLS };
  const tni_con *con = g->con;
  int n = 6*con->nbody;
  double phi[TNI_CART_ROWS], phi_t[TNI_CART_ROWS], gamma[TNI_CART_ROWS], l[TNI_CART_ROWS] = {0}, w[TNI_CART_COLS];
  double J[SIZE], Jw_q[SIZE], phit_q[SIZE];
  tni_env env = {.t = t, .kin = kin, .memory = s->memory};
  tni_con_out o = {.phi = phi, .phi_t = phi_t, .gamma = gamma, .J = J, .lambda = l, .w = w, .H = out->H, .Jw_q = Jw_q, .phit_q = phit_q};
  for (int b = 0; b < con->nbody; b++) {
    vec3_copy(w + 6*b, kin[con->body[b] + 1].v);
    vec3_copy(w + 6*b + 3, kin[con->body[b] + 1].w);
  }
  for (int r = 0; r < g->n && lambda; r++) l[g->keep[r]] = lambda[r];
  tni_con_eval(con, &env, TNI_C_POSITION | TNI_C_JACOBIAN | (lambda ? TNI_C_ACCEL | TNI_C_TANGENT : 0), &o);
  for (int r = 0; r < g->n; r++) {
    int at = n*g->keep[r];
    out->rate[r] = phi_t[g->keep[r]];
    for (int j = 0; j < n; j++) {
      out->J[n*r + j] = J[at + j];
      out->rate[r] += J[at + j]*w[j];
      if (lambda) out->rate_q[n*r + j] = Jw_q[at + j] + phit_q[at + j];
    }
  }
}

size_t tni_cosine_room(const tni_data *s) {
  size_t most = 0;
  for (int i = 0; i < s->model->nforce; i++) {
    size_t n = 6*(size_t)s->model->force[i].nbody;
    most = most > 2*n*n + 2*n ? most : 2*n*n + 2*n;
  }
  return most;
}

void tni_cosine_forces(tni_data *s, double t, const tni_kin *kin, double *room, double *f, double *K, double *D) {
  const tn_model *m = s->model;
  size_t N = 6*(size_t)m->nbody;
  tni_env env = {.t = t, .kin = kin, .memory = s->memory};
  memset(f, 0, N*sizeof(double));
  if (K) memset(K, 0, N*N*sizeof(double));
  if (D) memset(D, 0, N*N*sizeof(double));
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *e = &m->force[i];
    size_t n = 6*(size_t)e->nbody;
    tni_force_out o = {.f = room, .K = room + n, .D = room + n + n*n, .f_t = room + n + 2*n*n};
    e->ops->eval(e, &env, TNI_F_FORCE | (K ? TNI_F_TANGENT : 0), &o);
    for (size_t a = 0; a < n; a++) {
      size_t row = 6*(size_t)e->body[a/6] + a % 6;
      f[row] += o.f[a];
      for (size_t b = 0; b < n && K; b++) {
        size_t at = N*row + 6*(size_t)e->body[b/6] + b % 6;
        K[at] += o.K[n*a + b];
        D[at] += o.D[n*a + b];
      }
    }
  }
}

void tni_cosine_force_pattern(const tni_data *s, double *K, double *D) {
  const tn_model *m = s->model;
  size_t N = 6*(size_t)m->nbody;
  for (int i = 0; i < m->nforce; i++) {
    const tni_force *e = &m->force[i];
    for (int a = 0; a < 6*e->nbody; a++)
      for (int b = 0; b < 6*e->nbody; b++) {
        size_t at = N*(size_t)(6*e->body[a/6] + a % 6) + (size_t)(6*e->body[b/6] + b % 6);
        K[at] = D[at] = 1;
      }
  }
}

const char *tni_cosine_joint(const tni_data *s, const tni_cosine_model *m, int r) {
  const tni_cartesian *c = (const tni_cartesian *)s;
  for (int k = 0; k < s->model->ncon; k++) {
    int first = c->blk[k].row0;
    if (m->row[r].row >= first && m->row[r].row < first + c->blk[k].nkeep) return s->model->joint[s->model->con[k].joint].name;
  }
  return "";
}
