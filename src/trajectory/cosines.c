/* trajectory/cosines.c - trajectories in direction cosines, body by body, as one linear-quadratic system
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "trajectory/cosines.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "linsolve/saddle.h"
#include "trajectory/cosines_parts.h"

/* ---- numbering ----------------------------------------------------------------------------- */

/* Unknowns and equations sorted by time: what happens at about the same time stands together. */
typedef struct {
  double key;
  int at; /* index in the list by kind */
} timed;

static int earlier(const void *a, const void *b) {
  const timed *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

int tni_cos_field(const tni_cosines *c, int b, int f, int node) {
  return node == 0 ? -1 : c->unknown[(node - 1)*c->nb*c->nf + b*c->nf + f];
}
int tni_cos_force(const tni_cosines *c, int r, int node) {
  return c->unknown[c->N*c->nb*c->nf + node*c->m + r];
}

/* equation of body b, component f (q: Euler, x: Newton, C: Poisson), test i of element e; -1: none */
int tni_cos_body_row(const tni_cosines *c, int e, int b, int f, int i) {
  int poisson = f >= c->nw + c->nx;
  if (poisson && c->o.rule != TNI_RULE_LITERAL)
    return i < c->k ? c->equation[(e*c->k + i)*c->nb*c->nf + b*c->nf + f] : -1;
  int node = e*c->k + i;
  return node < c->N ? c->equation[node*c->nb*c->nf + b*c->nf + f] : -1;
}
int tni_cos_joint_row(const tni_cosines *c, int r, int node) {
  return c->equation[c->N*c->nb*c->nf + node*c->m + r];
}

static tn_status number(tni_cosines *c) {
  int fields = c->N*c->nb*c->nf, forces = (c->p*c->o.elements + 1)*c->m;
  timed *order;
  c->n = fields + forces;
  TNI_ARENA_NEW(&c->arena, order, c->n);
  TNI_ARENA_NEW(&c->arena, c->unknown, c->n);
  TNI_ARENA_NEW(&c->arena, c->equation, c->n);
  for (int i = 0; i < c->n; i++) {
    double time = i < fields ? (double)(i/(c->nb*c->nf) + 1)/c->k : (double)((i - fields)/c->m)/c->p;
    order[i] = (timed){time + (i < fields ? 0 : 1e-6), i};
  }
  /* a test of node i belongs to the unknowns of node i + 1, which is what the key of unknown number i says */
  qsort(order, (size_t)c->n, sizeof(*order), earlier);
  for (int i = 0; i < c->n; i++) c->unknown[order[i].at] = c->equation[order[i].at] = i;
  return TN_OK;
}

/* ---- create -------------------------------------------------------------------------------- */

/* values of shape functions at x of [0, 1], as those of point g of a rule */
static void shapes_at(const tni_cosines *c, tni_cos_rule *q, int g, double x) {
  double node[TNI_GAUSS_MAX + 1], force[TNI_GAUSS_MAX + 1], gc[TNI_GAUSS_MAX], gb[TNI_GAUSS_MAX];
  tni_gauss_rule(c->k, gc, gb);
  for (int i = 0; i <= c->k; i++) node[i] = (double)i/c->k;
  for (int i = 0; i <= c->p; i++) force[i] = c->p ? (double)i/c->p : 0;
  for (int i = 0; i <= c->k; i++) {
    q->psi[g][i] = tni_lagrange(c->k + 1, node, i, x);
    q->rate[g][i] = tni_lagrange_rate(c->k + 1, node, i, x);
  }
  for (int i = 0; i <= c->p; i++) q->phi[g][i] = c->p ? tni_lagrange(c->p + 1, force, i, x) : 1;
  for (int i = 0; i < c->k; i++) q->apart[g][i] = tni_lagrange(c->k, gc, i, x);
}

static void tabulate(const tni_cosines *c, int n, tni_cos_rule *q) {
  q->n = n;
  tni_gauss_rule(n, q->c, q->b);
  for (int g = 0; g < n; g++) shapes_at(c, q, g, q->c[g]);
}

/* P(C) w = sum E w C: entries (c, k, c') of the tensor */
static tn_status set_tensor(tni_cosines *c) {
  TNI_ARENA_NEW(&c->arena, c->E, 32);
  TNI_ARENA_NEW(&c->arena, c->E_at, 32);
  int n = 0, nc = c->nc;
  if (c->planar) {
    c->E_at[n] = (0*c->nw + 0)*nc + 1, c->E[n++] = -1;
    c->E_at[n] = (1*c->nw + 0)*nc + 0, c->E[n++] = 1;
  } else {
    /* (C ~w)_im = sum_l C_il ~w_lm, ~w_lm = -eps_lmk w_k */
    for (int i = 0; i < 3; i++)
      for (int m = 0; m < 3; m++)
        for (int l = 0; l < 3; l++) {
          int k = 3 - l - m;
          if (l == m) continue;
          double eps = (m - l + 3) % 3 == 1 ? 1 : -1;
          c->E_at[n] = ((3*i + m)*3 + k)*nc + 3*i + l, c->E[n++] = -eps;
        }
  }
  c->nE = n;
  return TN_OK;
}

static void read_beginning(tni_cosines *c, const tni_kin *kin) {
  for (int b = 0; b < c->nb; b++) {
    const tni_kin *k = &kin[b + 1];
    double *u = c->start + b*c->nf, *v = c->v0 + b*(c->nw + c->nx);
    if (c->planar) {
      u[0] = atan2(k->A[3], k->A[0]);
      u[1] = k->r[0], u[2] = k->r[1];
      u[3] = k->A[0], u[4] = k->A[3];
      v[0] = k->w[2], v[1] = k->v[0], v[2] = k->v[1];
    } else {
      memset(u, 0, 3*sizeof(double));
      vec3_copy(u + 3, k->r);
      memcpy(u + 6, k->A, 9*sizeof(double));
      vec3_copy(v, k->w);
      vec3_copy(v + 3, k->v);
    }
  }
}

static tn_status find_pattern(tni_cosines *c);

static tn_status setup(tni_cosines *c, tni_data *s, const tni_kin *kin, const tni_cosine_opts *o) {
  tni_arena *a = &c->arena;
  c->o = *o;
  c->k = o->order;
  c->p = o->force_order;
  c->N = c->k*o->elements;
  TN_REQUIRE(c->ctx, c->k >= 1 && c->k <= TNI_GAUSS_MAX - 2, TN_ERR_ARGUMENT, "order = %d, must be 1 to %d in formulation "
             "direction_cosines", c->k, TNI_GAUSS_MAX - 2);
  bool points = o->rule == TNI_RULE_COLLOCATION;
  TN_REQUIRE(c->ctx, !points || c->p == c->k - 1, TN_ERR_ARGUMENT, "force_order = %d, must be order - 1 = %d with rule collocation, "
             "whose forces have a value at every Gauss point", c->p, c->k - 1);
  TN_REQUIRE(c->ctx, c->p < c->k, TN_ERR_ARGUMENT, "force_order = %d, must be smaller than order = %d: the matrix would be "
             "singular", c->p, c->k);
  TN_REQUIRE(c->ctx, points || c->p >= 1, TN_ERR_ARGUMENT, "force_order = %d, must be at least 1 in formulation direction_cosines, whose "
             "forces are continuous but with rule collocation", c->p);
  TN_REQUIRE(c->ctx, o->load_points >= 0 && o->load_points <= TNI_COS_POINTS, TN_ERR_ARGUMENT, "load_points = %d, must be 0 to %d",
             o->load_points, (int)TNI_COS_POINTS);
  TN_TRY(tni_cosine_model_create(s, o->t, o->compliance > 0, a, &c->model));
  c->planar = c->model.planar;
  c->nb = c->model.nbody;
  c->m = c->model.m;
  c->nw = c->planar ? 1 : 3;
  c->nx = c->planar ? 2 : 3;
  c->nc = c->planar ? 2 : 9;
  c->nf = c->nw + c->nx + c->nc;
  c->ny = c->nx + c->nc;
  tabulate(c, (3*c->k + 2)/2, &c->exact);
  tabulate(c, c->k, &c->gauss);
  tabulate(c, o->load_points ? o->load_points : c->k, &c->load);
  TN_TRY(set_tensor(c));
  TNI_ARENA_NEW(a, c->start, c->nb*c->nf);
  TNI_ARENA_NEW(a, c->v0, c->nb*(c->nw + c->nx));
  read_beginning(c, kin);
  c->nk = points ? c->k + TNI_COS_EXTRA : c->k + 1;
  c->np = points ? c->k + 1 : c->p + 1;
  c->nloc = c->nb*c->nf*c->nk + c->m*c->np;
  TNI_ARENA_NEW(a, c->r, c->nloc);
  TNI_ARENA_NEW(a, c->A, (size_t)c->nloc*(size_t)c->nloc);
  TNI_ARENA_NEW(a, c->point, c->nb*(2*c->nf) + c->m);
  TNI_ARENA_NEW(a, c->kin, c->nb + 1);
  TNI_ARENA_NEW(a, c->room, tni_cosine_room(s));
  size_t six = 6*(size_t)c->nb;
  TNI_ARENA_NEW(a, c->f6, six);
  TNI_ARENA_NEW(a, c->turned, 9*(size_t)c->nb);
  if (c->model.nforce) {
    TNI_ARENA_NEW(a, c->K6, six*six);
    TNI_ARENA_NEW(a, c->D6, six*six);
  }
  TNI_ARENA_NEW(a, c->general, 1);
  tni_kin_ground(&c->kin[0]);
  c->nmemory = tni_nmemory(s);
  TNI_ARENA_NEW(a, c->memory, ((size_t)o->elements + 1)*(size_t)c->nmemory);
  for (int e = 0; e <= o->elements; e++) tni_memory_keep(s, c->memory + (size_t)e*(size_t)c->nmemory);
  TNI_ARENA_NEW(a, c->q_end, s->nq);
  TNI_ARENA_NEW(a, c->v_end, s->nv);
  if (points) return tni_cos_points_create(c);
  TN_TRY(number(c));
  TNI_ARENA_NEW(a, c->u, c->n);
  TNI_ARENA_NEW(a, c->R, c->n);
  TNI_ARENA_NEW(a, c->du, c->n);
  TNI_ARENA_NEW(a, c->trial, c->n);
  tni_cosines_guess_rest(c);
  return find_pattern(c);
}

tn_status tni_cosines_create(tn_ctx *ctx, tni_data *s, const tni_kin *kin, const tni_cosine_opts *o, tni_cosines **out) {
  *out = NULL;
  tni_cosines *c = tni_alloc(ctx, 1, sizeof(*c));
  if (!c) return tni_out_of_memory(ctx);
  c->ctx = ctx;
  c->s = s;
  tni_arena_init(&c->arena, ctx);
  tn_status st = setup(c, s, kin, o);
  if (st != TN_OK) {
    tni_cosines_destroy(&c);
    return st;
  }
  *out = c;
  return TN_OK;
}

void tni_cosines_destroy(tni_cosines **out) {
  tni_cosines *c = out ? *out : NULL;
  if (!c) return;
  tni_sparse_solver_destroy(&c->lu);
  tni_cos_points_destroy(c);
  tni_arena_clear(&c->arena);
  tni_free(c->ctx, c);
  *out = NULL;
}

tn_status tni_cosines_check_beginning(tni_cosines *c) {
  static const double WITHIN = 1e-6;
  double most = 0, size = 1;
  int worst = -1, n = c->nw + c->nx;
  double *u = c->point;
  memset(c->point, 0, (size_t)(c->nb*2*c->nf + c->m)*sizeof(double));
  for (int b = 0; b < c->nb; b++, u += 2*c->nf) {
    memcpy(u, c->start + b*c->nf, (size_t)c->nf*sizeof(double));
    memcpy(u + c->nf, c->v0 + b*n, (size_t)n*sizeof(double));
    for (int f = 0; f < n; f++) size = fmax(size, fabs(u[c->nf + f]));
  }
  const double zero[TNI_COS_NODES] = {0}, one[TNI_COS_NODES] = {1};
  memset(c->r, 0, (size_t)c->nloc*sizeof(double));
  bool rates = c->o.by_rates;
  c->o.by_rates = false;
  tni_cos_joints(c, &(tni_cos_spot){.psi = zero, .per_h = zero, .phi = one, .test = zero, .w = 1, .t = c->o.t});
  c->o.by_rates = rates;
  for (int r = 0; r < c->m; r++) {
    double x = fabs(c->r[tni_cos_loc_force(c, r, 0)]);
    if (!(x <= most)) most = x, worst = r;
  }
  TN_REQUIRE(c->ctx, most <= WITHIN*size, TN_INCONSISTENT, "state_time: initial velocities violate joint '%s' by %.3g",
             tni_cosine_joint(c->s, &c->model, worst), most);
  return TN_OK;
}

int tni_cosines_n(const tni_cosines *c) { return c->n; }
int tni_cosines_m(const tni_cosines *c) { return c->m; }
double *tni_cosines_unknowns(tni_cosines *c) { return c->u; }

/* ---- places in the arrays of an element ---------------------------------------------------- */

static double nodal(const tni_cosines *c, int b, int f, int node) {
  int at = tni_cos_field(c, b, f, node);
  return at < 0 ? c->start[b*c->nf + f] : c->u[at];
}

/* fields and their rates at a point of element e: point [nb][2][nf], then multipliers */
static void fields_at(tni_cosines *c, int e, const double *psi, const double *rate, const double *phi) {
  for (int b = 0; b < c->nb; b++) {
    double *x = c->point + b*2*c->nf;
    for (int f = 0; f < c->nf; f++) {
      x[f] = x[c->nf + f] = 0;
      for (int i = 0; i <= c->k; i++) {
        double v = nodal(c, b, f, e*c->k + i);
        x[f] += psi[i]*v;
        x[c->nf + f] += rate[i]*v/c->o.h;
      }
    }
  }
  for (int r = 0; r < c->m; r++) {
    double sum = 0;
    for (int i = 0; i <= c->p; i++) sum += phi[i]*c->u[tni_cos_force(c, r, e*c->p + i)];
    c->point[c->nb*2*c->nf + r] = sum;
  }
}

static const double *body_y(const tni_cosines *c, int b) { return c->point + b*2*c->nf + c->nw; }

/* gradient of row r by y of its bodies, at the point */
static void gradient(const tni_cosines *c, const tni_quadratic_row *q, double *g) {
  int n = c->ny*q->nbody;
  for (int i = 0; i < n; i++) {
    g[i] = q->l[i];
    for (int b = 0; b < q->nbody; b++) {
      const double *y = body_y(c, q->body[b]);
      for (int j = 0; j < c->ny; j++) g[i] += q->H[n*i + b*c->ny + j]*y[j];
    }
  }
}

/* what is integrated against a test: value times test + slope times its rate; the same for derivatives by the fields
 * (column: place of the field, and whether by the field or by its rate) */
void tni_cos_add(tni_cosines *c, int row, int ntest, const double *test, double weight, int col, int ncol, const double *shape,
                double x) {
  for (int i = 0; i < ntest; i++)
    for (int j = 0; j < ncol; j++) {
      double y = weight*test[i]*shape[j]*x;
      c->A[(size_t)(row + i)*(size_t)c->nloc + (size_t)(col + j)] += c->sure ? fabs(y) : y;
    }
}
void tni_cos_add_value(tni_cosines *c, int row, int ntest, const double *test, double weight, double x) {
  for (int i = 0; i < ntest; i++) c->r[row + i] += weight*test[i]*x;
}

/* inertia, gravity and multipliers in Newton's and Euler's equations */
static void balance(tni_cosines *c, const tni_cos_spot *s) {
  int k1 = c->nk;
  for (int b = 0; b < c->nb; b++) {
    const double *d = tni_cos_rates(c, b), *w = d, *v = d + c->nw;
    const tni_inertia *in = &c->model.inertia[b];
    for (int f = 0; f < c->nx; f++) {
      int row = tni_cos_loc_field(c, b, c->nw + f, 0);
      tni_cos_add_value(c, row, k1, s->per_h, -s->w, in->mass*v[f]);
      tni_cos_add_value(c, row, k1, s->psi, -s->w, in->mass*c->model.gravity[f]);
      if (s->matrix) tni_cos_add(c, row, k1, s->per_h, -s->w, row, k1, s->per_h, in->mass);
    }
    if (c->planar) {
      int row = tni_cos_loc_field(c, b, 0, 0);
      tni_cos_add_value(c, row, k1, s->per_h, -s->w, in->I[8]*w[0]);
      if (s->matrix) tni_cos_add(c, row, k1, s->per_h, -s->w, row, k1, s->per_h, in->I[8]);
      continue;
    }
    double Iw[3], gyro[3], W[9], H[9], WI[9];
    mat3_vec(Iw, in->I, w);
    vec3_cross(gyro, w, Iw);
    mat3_skew(W, w);
    mat3_skew(H, Iw);
    mat3_mul(WI, W, in->I);
    for (int f = 0; f < 3; f++) {
      int row = tni_cos_loc_field(c, b, f, 0);
      tni_cos_add_value(c, row, k1, s->per_h, -s->w, Iw[f]);
      tni_cos_add_value(c, row, k1, s->psi, s->w, gyro[f]);
      for (int j = 0; j < 3 && s->matrix; j++) {
        int col = tni_cos_loc_field(c, b, j, 0);
        tni_cos_add(c, row, k1, s->per_h, -s->w, col, k1, s->per_h, in->I[3*f + j]);
        tni_cos_add(c, row, k1, s->psi, s->w, col, k1, s->per_h, WI[3*f + j] - H[3*f + j]);
      }
    }
  }
}

/* The rotation R nearest to C, and what its small turns are: turn = G^-1 vee(R^T dC - dC^T R), G = tr(S) 1 - S, S = R^T C */
static void nearest_rotation(const double C[9], double R[9], double inverse[9]) {
  enum { PASSES = 12 };
  double X[9], S[9], G[9];
  memcpy(R, C, 9*sizeof(double));
  for (int pass = 0; pass < PASSES; pass++) {
    double change = 0;
    mat3_inverse(X, R);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double next = 0.5*(R[3*i + j] + X[3*j + i]);
        change = fmax(change, fabs(next - R[3*i + j]));
        S[3*i + j] = next;
      }
    memcpy(R, S, sizeof(S));
    if (change < 1e-16) break;
  }
  mat3_tmul(S, R, C);
  double trace = S[0] + S[4] + S[8];
  for (int i = 0; i < 9; i++) G[i] = (i % 4 == 0)*trace - S[i];
  mat3_inverse(inverse, G);
}

/* What a small motion (K) and the velocity (D) of body b, 6 numbers each, mean for the rows `row` */
static void motion_columns(tni_cosines *c, const tni_cos_spot *s, int row, int ntest, const double *test, double w, int b,
                           const double *K, const double *D) {
  int k1 = c->nk, first = c->nw + c->nx;
  const double *C = body_y(c, b) + c->nx, *R = c->kin[b + 1].A;
  for (int j = 0; j < c->nx; j++) {
    if (K[j] != 0) tni_cos_add(c, row, ntest, test, w, tni_cos_loc_field(c, b, c->nw + j, 0), k1, s->psi, K[j]);
    if (D && D[j] != 0) tni_cos_add(c, row, ntest, test, w, tni_cos_loc_field(c, b, c->nw + j, 0), k1, s->per_h, D[j]);
  }
  for (int j = 0; j < c->nw && D; j++) {
    double x = D[c->planar ? 5 : 3 + j];
    if (x != 0) tni_cos_add(c, row, ntest, test, w, tni_cos_loc_field(c, b, j, 0), k1, s->per_h, x);
  }
  if (c->planar) {
    double size = C[0]*C[0] + C[1]*C[1];
    if (K[5] == 0) return;
    tni_cos_add(c, row, ntest, test, w, tni_cos_loc_field(c, b, first, 0), k1, s->psi, -K[5]*C[1]/size);
    tni_cos_add(c, row, ntest, test, w, tni_cos_loc_field(c, b, first + 1, 0), k1, s->psi, K[5]*C[0]/size);
    return;
  }
  for (int k = 0; k < 3; k++) {
    int m = (k + 1) % 3, l = (k + 2) % 3;
    double x = 0;
    for (int j = 0; j < 3; j++) x += K[3 + j]*c->turned[9*b + 3*j + k];
    if (x == 0) continue;
    for (int i = 0; i < 3; i++) {
      tni_cos_add(c, row, ntest, test, w, tni_cos_loc_field(c, b, first + 3*i + m, 0), k1, s->psi, x*R[3*i + l]);
      tni_cos_add(c, row, ntest, test, w, tni_cos_loc_field(c, b, first + 3*i + l, 0), k1, s->psi, -x*R[3*i + m]);
    }
  }
}

/* c->kin at the point: the rotations nearest to C */
static void set_bodies(tni_cosines *c) {
  for (int b = 0; b < c->nb; b++) {
    tni_kin *k = &c->kin[b + 1];
    const double *y = body_y(c, b), *d = tni_cos_rates(c, b);
    if (c->planar) {
      double size = hypot(y[2], y[3]), A[9] = {y[2]/size, -y[3]/size, 0, y[3]/size, y[2]/size, 0, 0, 0, 1};
      vec3_set(k->r, y[0], y[1], 0);
      memcpy(k->A, A, sizeof(A));
      vec3_set(k->v, d[1], d[2], 0);
      vec3_set(k->w, 0, 0, d[0]);
    } else {
      vec3_copy(k->r, y);
      nearest_rotation(y + 3, k->A, c->turned + 9*b);
      vec3_copy(k->v, d + 3);
      vec3_copy(k->w, d);
    }
    mat3_vec(k->W, k->A, k->w);
  }
}

void tni_cos_enter(tni_cosines *c, int e) { tni_memory_restore(c->s, c->memory + (size_t)e*(size_t)c->nmemory); }
void tni_cos_leave(tni_cosines *c) { tni_cos_enter(c, 0); }

void tni_cos_remember(tni_cosines *c, int e) {
  if (c->nmemory == 0) return;
  set_bodies(c);
  tni_cos_enter(c, e);
  tni_coordinates(c->s, c->kin, c->q_end, c->v_end);
  tni_system_commit(c->s, c->o.t + (e + 1)*c->o.h, c->q_end, c->v_end, false);
  tni_memory_keep(c->s, c->memory + (size_t)(e + 1)*(size_t)c->nmemory);
}

/* component f of the fields q, x of a body in its six motions */
static int of_six(const tni_cosines *c, int f) { return f >= c->nw ? f - c->nw : c->planar ? 5 : 3 + f; }

/* everything that such rows may have */
static void mark_general(const tni_general_rows *g, tni_general_out *o) {
  int n = 6*g->con->nbody;
  for (int i = 0; i < n*n; i++) o->H[i] = 1;
  for (int i = 0; i < n*g->n; i++) o->J[i] = o->rate_q[i] = 1;
}

/* multipliers times J on the bodies of a joint */
static void general_reactions(tni_cosines *c, const tni_cos_spot *s, const tni_general_rows *g) {
  const double *lambda = c->point + c->nb*2*c->nf + g->first;
  int n = 6*g->con->nbody;
  tni_general_out *o = c->general;
  tni_cosine_general(c->s, g, s->t, c->kin, lambda, o);
  if (c->marking) mark_general(g, o);
  c->sure = c->marking;
  for (int e = 0; e < g->con->nbody; e++)
    for (int f = 0; f < c->nw + c->nx; f++) {
      int at = 6*e + of_six(c, f), row = tni_cos_loc_field(c, g->con->body[e], f, 0);
      double sum = 0;
      for (int r = 0; r < g->n; r++) sum += o->J[n*r + at]*lambda[r];
      tni_cos_add_value(c, row, c->nk, s->test, s->w, sum);
      if (!s->matrix) continue;
      for (int r = 0; r < g->n; r++)
        if (o->J[n*r + at] != 0)
          tni_cos_add(c, row, c->nk, s->test, s->w, tni_cos_loc_force(c, g->first + r, 0), c->np, s->phi, o->J[n*r + at]);
      for (int b = 0; b < g->con->nbody; b++)
        motion_columns(c, s, row, c->nk, s->test, s->w, g->con->body[b], o->H + n*at + 6*b, NULL);
    }
  c->sure = false;
}

static void general_joints(tni_cosines *c, const tni_cos_spot *s, const tni_general_rows *g) {
  int n = 6*g->con->nbody;
  tni_general_out *o = c->general;
  tni_cosine_general(c->s, g, s->t, c->kin, s->matrix ? c->point + c->nb*2*c->nf + g->first : NULL, o);
  if (c->marking) mark_general(g, o);
  c->sure = c->marking;
  for (int r = 0; r < g->n; r++) {
    int row = tni_cos_loc_force(c, g->first + r, 0);
    tni_cos_add_value(c, row, c->np, s->phi, s->w, o->rate[r]);
    for (int b = 0; b < g->con->nbody && s->matrix; b++)
      motion_columns(c, s, row, c->np, s->phi, s->w, g->con->body[b], o->rate_q + n*r + 6*b, o->J + n*r + 6*b);
  }
  c->sure = false;
}

/* lambda times the gradient of row r, on the bodies it holds */
void tni_cos_reactions(tni_cosines *c, const tni_cos_spot *s) {
  int k1 = c->nk, p1 = c->np, ny = c->ny;
  double g[TNI_COSINES_MAX];
  for (int r = 0; r < c->m; r++) {
    const tni_quadratic_row *q = &c->model.row[r];
    double lambda = c->point[c->nb*2*c->nf + r];
    int n = ny*q->nbody, col_l = tni_cos_loc_force(c, r, 0);
    if (q->nbody == 0) continue;
    gradient(c, q, g);
    for (int e = 0; e < q->nbody; e++) {
      int b = q->body[e];
      const double *C = body_y(c, b) + c->nx;
      for (int f = 0; f < c->nx; f++) {
        int row = tni_cos_loc_field(c, b, c->nw + f, 0);
        tni_cos_add_value(c, row, k1, s->test, s->w, lambda*g[e*ny + f]);
        if (!s->matrix) continue;
        tni_cos_add(c, row, k1, s->test, s->w, col_l, p1, s->phi, g[e*ny + f]);
        for (int o = 0; o < q->nbody; o++)
          for (int j = 0; j < ny; j++) {
            double x = q->H[n*(e*ny + f) + o*ny + j];
            if (x != 0) tni_cos_add(c, row, k1, s->test, s->w, tni_cos_loc_field(c, q->body[o], c->nw + j, 0), k1, s->psi, lambda*x);
          }
      }
      /* couple: P(C)^T g_C */
      for (int t = 0; t < c->nE; t++) {
        int c1 = c->E_at[t] % c->nc, kk = c->E_at[t]/c->nc % c->nw, c0 = c->E_at[t]/(c->nc*c->nw);
        double gc = g[e*ny + c->nx + c0];
        int row = tni_cos_loc_field(c, b, kk, 0);
        tni_cos_add_value(c, row, k1, s->test, s->w, lambda*c->E[t]*gc*C[c1]);
        if (!s->matrix) continue;
        tni_cos_add(c, row, k1, s->test, s->w, col_l, p1, s->phi, c->E[t]*gc*C[c1]);
        tni_cos_add(c, row, k1, s->test, s->w, tni_cos_loc_field(c, b, c->nw + c->nx + c1, 0), k1, s->psi, lambda*c->E[t]*gc);
        for (int o = 0; o < q->nbody; o++)
          for (int j = 0; j < ny; j++) {
            double x = q->H[n*(e*ny + c->nx + c0) + o*ny + j];
            if (x != 0)
              tni_cos_add(c, row, k1, s->test, s->w, tni_cos_loc_field(c, q->body[o], c->nw + j, 0), k1, s->psi, lambda*c->E[t]*C[c1]*x);
          }
      }
    }
  }
  if (c->model.ngeneral) set_bodies(c);
  for (int i = 0; i < c->model.ngeneral; i++) general_reactions(c, s, &c->model.general[i]);
}

void tni_cos_poisson(tni_cosines *c, const tni_cos_spot *s, const double *test, int ntest) {
  int k1 = c->nk, first = c->nw + c->nx;
  for (int b = 0; b < c->nb; b++) {
    const double *d = tni_cos_rates(c, b), *C = body_y(c, b) + c->nx;
    for (int f = 0; f < c->nc; f++) {
      int row = tni_cos_loc_field(c, b, first + f, 0);
      tni_cos_add_value(c, row, ntest, test, s->w, d[first + f]);
      if (s->matrix) tni_cos_add(c, row, ntest, test, s->w, row, k1, s->per_h, 1);
    }
    for (int t = 0; t < c->nE; t++) {
      int c1 = c->E_at[t] % c->nc, kk = c->E_at[t]/c->nc % c->nw, c0 = c->E_at[t]/(c->nc*c->nw);
      int row = tni_cos_loc_field(c, b, first + c0, 0);
      tni_cos_add_value(c, row, ntest, test, -s->w, c->E[t]*d[kk]*C[c1]);
      if (!s->matrix) continue;
      tni_cos_add(c, row, ntest, test, -s->w, tni_cos_loc_field(c, b, first + c1, 0), k1, s->psi, c->E[t]*d[kk]);
      tni_cos_add(c, row, ntest, test, -s->w, tni_cos_loc_field(c, b, kk, 0), k1, s->per_h, c->E[t]*C[c1]);
    }
  }
}

/* rates of rows against the functions of the multipliers */
void tni_cos_joints(tni_cosines *c, const tni_cos_spot *s) {
  int k1 = c->nk, p1 = c->np, ny = c->ny, first = c->nw + c->nx;
  double g[TNI_COSINES_MAX], yd[TNI_COSINES_MAX];
  for (int r = 0; r < c->m; r++) {
    const tni_quadratic_row *q = &c->model.row[r];
    int n = ny*q->nbody, row = tni_cos_loc_force(c, r, 0);
    double sum = -c->o.compliance*c->point[c->nb*2*c->nf + r];
    if (s->matrix && c->o.compliance != 0) tni_cos_add(c, row, p1, s->phi, s->w, row, p1, s->phi, -c->o.compliance);
    if (q->nbody == 0) {
      tni_cos_add_value(c, row, p1, s->phi, s->w, sum);
      continue;
    }
    gradient(c, q, g);
    for (int e = 0; e < q->nbody; e++) {
      const double *d = tni_cos_rates(c, q->body[e]), *C = body_y(c, q->body[e]) + c->nx;
      for (int j = 0; j < ny; j++) yd[e*ny + j] = j < c->nx || c->o.by_rates ? d[c->nw + j] : 0;
      for (int t = 0; t < c->nE && !c->o.by_rates; t++)
        yd[e*ny + c->nx + c->E_at[t]/(c->nc*c->nw)] += c->E[t]*d[c->E_at[t]/c->nc % c->nw]*C[c->E_at[t] % c->nc];
    }
    for (int i = 0; i < n; i++) sum += g[i]*yd[i];
    tni_cos_add_value(c, row, p1, s->phi, s->w, sum);
    if (!s->matrix) continue;
    for (int e = 0; e < q->nbody; e++) {
      int b = q->body[e];
      const double *d = tni_cos_rates(c, b), *C = body_y(c, b) + c->nx;
      for (int j = 0; j < ny; j++) {
        double x = 0;
        for (int i = 0; i < n; i++) x += q->H[n*i + e*ny + j]*yd[i];
        if (x != 0) tni_cos_add(c, row, p1, s->phi, s->w, tni_cos_loc_field(c, b, c->nw + j, 0), k1, s->psi, x);
        if (j < c->nx || c->o.by_rates)
          tni_cos_add(c, row, p1, s->phi, s->w, tni_cos_loc_field(c, b, c->nw + j, 0), k1, s->per_h, g[e*ny + j]);
      }
      for (int t = 0; t < c->nE && !c->o.by_rates; t++) {
        int c1 = c->E_at[t] % c->nc, kk = c->E_at[t]/c->nc % c->nw, c0 = c->E_at[t]/(c->nc*c->nw);
        double gc = g[e*ny + c->nx + c0];
        tni_cos_add(c, row, p1, s->phi, s->w, tni_cos_loc_field(c, b, first + c1, 0), k1, s->psi, gc*c->E[t]*d[kk]);
        tni_cos_add(c, row, p1, s->phi, s->w, tni_cos_loc_field(c, b, kk, 0), k1, s->per_h, gc*c->E[t]*C[c1]);
      }
    }
  }
  if (c->model.ngeneral) set_bodies(c);
  for (int i = 0; i < c->model.ngeneral; i++) general_joints(c, s, &c->model.general[i]);
}

/* forces but gravity */
void tni_cos_loads(tni_cosines *c, const tni_cos_spot *s) {
  size_t six = 6*(size_t)c->nb;
  set_bodies(c);
  tni_cosine_forces(c->s, s->t, c->kin, c->room, c->f6, s->matrix ? c->K6 : NULL, s->matrix ? c->D6 : NULL);
  if (c->marking) tni_cosine_force_pattern(c->s, c->K6, c->D6);
  c->sure = c->marking;
  for (int b = 0; b < c->nb; b++) {
    for (int f = 0; f < c->nw + c->nx; f++) {
      size_t at = 6*(size_t)b + (size_t)of_six(c, f);
      int row = tni_cos_loc_field(c, b, f, 0);
      tni_cos_add_value(c, row, c->nk, s->test, -s->w, c->f6[at]);
      for (int o = 0; o < c->nb && s->matrix; o++)
        motion_columns(c, s, row, c->nk, s->test, -s->w, o, c->K6 + six*at + 6*(size_t)o, c->D6 + six*at + 6*(size_t)o);
    }
  }
  c->sure = false;
}

/* instants of the weak forms */
typedef struct {
  tni_cos_spot at;
  double per_h[TNI_GAUSS_MAX + 1];
} spot;

static void spot_at(const tni_cosines *c, const tni_cos_rule *q, int e, int g, bool matrix, spot *s) {
  s->at = (tni_cos_spot){.psi = q->psi[g], .per_h = s->per_h, .phi = q->phi[g], .test = q->psi[g], .w = q->b[g]*c->o.h,
                         .t = c->o.t + (e + q->c[g])*c->o.h, .matrix = matrix};
  for (int i = 0; i <= c->k; i++) s->per_h[i] = q->rate[g][i]/c->o.h;
}

void tni_cos_element(tni_cosines *c, int e, bool matrix) {
  bool split = c->o.rule == TNI_RULE_GAUSS;
  spot s;
  tni_cos_enter(c, e);
  memset(c->r, 0, (size_t)c->nloc*sizeof(double));
  if (matrix) memset(c->A, 0, (size_t)c->nloc*(size_t)c->nloc*sizeof(double));
  for (int g = 0; g < c->exact.n; g++) {
    const tni_cos_rule *q = &c->exact;
    spot_at(c, q, e, g, matrix, &s);
    fields_at(c, e, q->psi[g], q->rate[g], q->phi[g]);
    balance(c, &s.at);
    tni_cos_reactions(c, &s.at);
    if (split) continue;
    if (c->o.rule == TNI_RULE_LITERAL) tni_cos_poisson(c, &s.at, q->psi[g], c->k + 1);
    else tni_cos_poisson(c, &s.at, q->apart[g], c->k);
    tni_cos_joints(c, &s.at);
  }
  for (int g = 0; g < c->gauss.n && split; g++) {
    const tni_cos_rule *q = &c->gauss;
    spot_at(c, q, e, g, matrix, &s);
    fields_at(c, e, q->psi[g], q->rate[g], q->phi[g]);
    tni_cos_poisson(c, &s.at, q->apart[g], c->k);
    tni_cos_joints(c, &s.at);
  }
  for (int g = 0; g < c->load.n && c->model.nforce; g++) {
    const tni_cos_rule *q = &c->load;
    spot_at(c, q, e, g, matrix, &s);
    fields_at(c, e, q->psi[g], q->rate[g], q->phi[g]);
    tni_cos_loads(c, &s.at);
  }
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* where rows and columns of an element stand in the whole, -1: nowhere */
void tni_cos_places(const tni_cosines *c, int e, int *row, int *col) {
  for (int b = 0; b < c->nb; b++)
    for (int f = 0; f < c->nf; f++)
      for (int i = 0; i <= c->k; i++) {
        row[tni_cos_loc_field(c, b, f, i)] = tni_cos_body_row(c, e, b, f, i);
        col[tni_cos_loc_field(c, b, f, i)] = tni_cos_field(c, b, f, e*c->k + i);
      }
  for (int r = 0; r < c->m; r++)
    for (int i = 0; i <= c->p; i++) {
      row[tni_cos_loc_force(c, r, i)] = tni_cos_joint_row(c, r, e*c->p + i);
      col[tni_cos_loc_force(c, r, i)] = tni_cos_force(c, r, e*c->p + i);
    }
}

/* Entries of an element that are ever other than zero, from two states without symmetries; then the pattern of the whole by rows. */
static tn_status find_pattern(tni_cosines *c) {
  int L = c->nloc, n = 0;
  TNI_ARENA_NEW(&c->arena, c->entry, (size_t)L*(size_t)L);
  TNI_ARENA_NEW(&c->arena, c->row, L);
  TNI_ARENA_NEW(&c->arena, c->col, L);
  bool *mark;
  TNI_ARENA_NEW(&c->arena, mark, (size_t)L*(size_t)L);
  memcpy(c->trial, c->u, (size_t)c->n*sizeof(double));
  c->marking = true;
  for (int state = 0; state < 2; state++) {
    for (int i = 0; i < c->n; i++) c->u[i] = 0.6 + 0.3*sin(2.3*i + state);
    tni_cos_element(c, 0, true);
    for (int i = 0; i < L*L; i++) mark[i] = mark[i] || c->A[i] != 0;
  }
  c->marking = false;
  memcpy(c->u, c->trial, (size_t)c->n*sizeof(double));
  for (int i = 0; i < L*L; i++)
    if (mark[i]) c->entry[n++] = i;
  c->nentry = n;
  int *ptr, *ind, *next;
  TNI_ARENA_NEW(&c->arena, ptr, c->n + 1);
  TNI_ARENA_NEW(&c->arena, next, c->n + 1);
  TNI_ARENA_NEW(&c->arena, ind, (size_t)n*(size_t)c->o.elements);
  for (int e = 0; e < c->o.elements; e++) {
    tni_cos_places(c, e, c->row, c->col);
    for (int i = 0; i < n; i++)
      if (c->row[c->entry[i]/L] >= 0 && c->col[c->entry[i] % L] >= 0) ptr[c->row[c->entry[i]/L] + 1]++;
  }
  for (int i = 0; i < c->n; i++) ptr[i+1] += ptr[i];
  memcpy(next, ptr, (size_t)c->n*sizeof(int));
  for (int e = 0; e < c->o.elements; e++) {
    tni_cos_places(c, e, c->row, c->col);
    for (int i = 0; i < n; i++) {
      int r = c->row[c->entry[i]/L], k = c->col[c->entry[i] % L];
      if (r >= 0 && k >= 0) ind[next[r]++] = k;
    }
  }
  /* neighbours share entries: each once, ascending */
  int to = 0;
  int *seen = next;
  for (int i = 0; i < c->n; i++) seen[i] = -1;
  for (int r = 0, from = 0; r < c->n; r++) {
    int end = ptr[r+1], begin = to;
    for (; from < end; from++) {
      int k = ind[from];
      if (seen[k] == r) continue;
      seen[k] = r;
      int at = to++;
      while (at > begin && ind[at-1] > k) ind[at] = ind[at-1], at--;
      ind[at] = k;
    }
    ptr[r] = begin;
  }
  /* ptr holds beginnings now; the end of a row is the beginning of the next */
  ptr[c->n] = to;
  c->J = (tni_sparsity){c->n, c->n, to, ptr, ind};
  TNI_ARENA_NEW(&c->arena, c->value, to);
  /* pivots for size rather than for the diagonal, where most of these rows have nothing */
  tni_sparse_opts o = {.backend = "klu", .scales = true, .relative = true, .least = 1e-18, .threshold = 1,
                       .unlike = true};
  return tni_sparse_solver_create(c->ctx, c->n, ptr, ind, &o, &c->lu);
}

void tni_cosines_pattern(const tni_cosines *c, int *nnz, int *below, int *above) {
  *nnz = c->J.nnz;
  *below = *above = 0;
  for (int r = 0; r < c->n; r++)
    for (int k = c->J.rowptr[r]; k < c->J.rowptr[r+1]; k++) {
      int d = r - c->J.col[k];
      if (d > *below) *below = d;
      if (-d > *above) *above = -d;
    }
}

void tni_cosines_eval(tni_cosines *c, double *R, bool matrix) {
  int L = c->nloc;
  if (c->points) {
    tni_cos_points_eval(c, R, matrix);
    return;
  }
  memset(R, 0, (size_t)c->n*sizeof(double));
  if (matrix) memset(c->value, 0, (size_t)c->J.nnz*sizeof(double));
  for (int e = 0; e < c->o.elements; e++) {
    tni_cos_element(c, e, matrix);
    tni_cos_places(c, e, c->row, c->col);
    for (int i = 0; i < L; i++)
      if (c->row[i] >= 0) R[c->row[i]] += c->r[i];
    for (int i = 0; i < c->nentry && matrix; i++) {
      int r = c->row[c->entry[i]/L], k = c->col[c->entry[i] % L];
      if (r >= 0 && k >= 0) c->value[tni_sparsity_find(&c->J, r, k)] += c->A[c->entry[i]];
    }
  }
  tni_cos_leave(c);
  /* momenta at the beginning */
  for (int b = 0; b < c->nb; b++) {
    double P[6];
    tni_cos_momentum(c, b, c->v0 + b*(c->nw + c->nx), P);
    for (int f = 0; f < c->nw + c->nx; f++) R[tni_cos_body_row(c, 0, b, f, 0)] -= P[f];
  }
}

void tni_cos_momentum(const tni_cosines *c, int b, const double *v, double *P) {
  const tni_inertia *in = &c->model.inertia[b];
  if (c->planar) P[0] = in->I[8]*v[0];
  else mat3_vec(P, in->I, v);
  for (int f = 0; f < c->nx; f++) P[c->nw + f] = in->mass*v[c->nw + f];
}

void tni_cosines_apply(const tni_cosines *c, const double *x, double *y) {
  if (c->points) {
    tni_cos_points_apply(c, x, y);
    return;
  }
  memset(y, 0, (size_t)c->n*sizeof(double));
  tni_sparse_add(&c->J, 1, c->value, x, y);
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = isfinite(x[i]) ? fmax(most, fabs(x[i])) : HUGE_VAL;
  return most;
}

/* the memory that every element begins with, from the present unknowns */
static void remember_all(tni_cosines *c) {
  tni_cos_rule at = {.n = 1};
  if (c->nmemory == 0) return;
  shapes_at(c, &at, 0, 1);
  for (int e = 0; e < c->o.elements; e++) {
    fields_at(c, e, at.psi[0], at.rate[0], at.phi[0]);
    tni_cos_remember(c, e);
  }
  tni_cos_leave(c);
}

/* du := J^-1 R */
static tn_status newton_step(tni_cosines *c) {
  tni_comm *ranks = tni_comm_of(c->ctx);
  if (c->o.groups == 0) {
    memcpy(c->du, c->R, (size_t)c->n*sizeof(double));
    TN_REQUIRE(c->ctx, tni_sparse_solver_factor(c->lu, c->value) == TN_OK, TN_SINGULAR,
               "state_time: the matrix of the trajectory is singular");
    tni_sparse_solver_solve(c->lu, 1, true, c->du);
    return TN_OK;
  }
  if (ranks && ranks->size <= c->o.elements) TN_TRY(tni_cosines_chain_step_ranks(c, ranks, c->du));
  else TN_TRY(tni_cosines_chain_step(c, c->o.groups, c->du));
  for (int i = 0; i < c->n; i++) c->du[i] = -c->du[i];
  return TN_OK;
}

tn_status tni_cosines_solve(tni_cosines *c, int max_iterations, double tol, bool damped, int *iterations) {
  enum { MOST_RECALLS = 8 };
  static const double LEAST = 1.0/1024, FIRST_GROWTH = 3;
  if (c->points) return tni_cos_points_solve(c, max_iterations, tol, iterations);
  bool whole = c->o.groups == 0; /* a tree makes the matrices of its elements itself */
  int recalled = 0;
  remember_all(c);
  tni_cosines_eval(c, c->R, whole);
  double now = largest(c->R, c->n), left = now;
  for (int it = 0; it <= max_iterations; it++) {
    if (iterations) *iterations = it;
    if (now <= tol) {
      if (c->nmemory == 0) return TN_OK;
      /* solved with the memory of what was there before: does it still hold with its own? */
      remember_all(c);
      tni_cosines_eval(c, c->R, whole);
      now = largest(c->R, c->n);
      if (now <= fmax(tol, 2*left)) return TN_OK;
      if (++recalled > MOST_RECALLS) break;
    }
    if (it == max_iterations || !(now < HUGE_VAL)) break;
    TN_TRY(newton_step(c));
    memcpy(c->trial, c->u, (size_t)c->n*sizeof(double));
    for (double a = 1;; a *= 0.5) {
      for (int i = 0; i < c->n; i++) c->u[i] = c->trial[i] - a*c->du[i];
      tni_cosines_eval(c, c->R, whole);
      double next = largest(c->R, c->n), limit = it == 0 ? FIRST_GROWTH*now : (1 - 1e-4*a)*now;
      bool small = largest(c->du, c->n)*a < 1e-9;
      if (!damped || next <= limit || small || a <= LEAST) {
        now = left = next;
        if (small && next > tol && next < 1e3*tol) now = tol; /* rounding */
        break;
      }
    }
  }
  return TN_FAIL(c->ctx, TN_NOT_CONVERGED, "state_time: trajectory from t = %.6g s not converged after %d iterations, residual "
                 "%.2g", c->o.t, max_iterations, now);
}

/* ---- guesses and looking ------------------------------------------------------------------- */

void tni_cosines_guess_rest(tni_cosines *c) {
  for (int node = 1; node <= c->N; node++)
    for (int b = 0; b < c->nb; b++)
      for (int f = 0; f < c->nf; f++) c->u[tni_cos_field(c, b, f, node)] = c->start[b*c->nf + f];
  for (int node = 0; node <= c->p*c->o.elements; node++)
    for (int r = 0; r < c->m; r++) c->u[tni_cos_force(c, r, node)] = 0;
}

void tni_cosines_guess_node(tni_cosines *c, int node, const tni_kin *kin, const double *q) {
  if (node < 1 || node > c->N || c->points) return;
  for (int b = 0; b < c->nb; b++) {
    const tni_kin *k = &kin[b + 1];
    for (int f = 0; f < c->nw; f++) c->u[tni_cos_field(c, b, f, node)] = q[b*c->nw + f];
    for (int f = 0; f < c->nx; f++) c->u[tni_cos_field(c, b, c->nw + f, node)] = k->r[f];
    for (int f = 0; f < c->nc; f++) {
      double x = c->planar ? (f ? k->A[3] : k->A[0]) : k->A[f];
      c->u[tni_cos_field(c, b, c->nw + c->nx + f, node)] = x;
    }
  }
}

static int element_at(const tni_cosines *c, double t, double *x) {
  double y = (t - c->o.t)/c->o.h;
  int e = (int)floor(y);
  if (e < 0) e = 0;
  if (e >= c->o.elements) e = c->o.elements - 1;
  *x = y - e;
  return e;
}

void tni_cosines_look(const tni_cosines *c, double t, int b, double *q, double *x, double *C) {
  double node[TNI_GAUSS_MAX + 1], at;
  int e = element_at(c, t, &at);
  for (int i = 0; i <= c->k; i++) node[i] = (double)i/c->k;
  for (int f = 0; f < c->nf; f++) {
    double sum = c->points ? tni_cos_points_field(c, e, at, b, f) : 0;
    for (int i = 0; i <= c->k && !c->points; i++) sum += tni_lagrange(c->k + 1, node, i, at)*nodal(c, b, f, e*c->k + i);
    if (f < c->nw && q) q[f] = sum;
    if (f >= c->nw && f < c->nw + c->nx && x) x[f - c->nw] = sum;
    if (f >= c->nw + c->nx && C) C[f - c->nw - c->nx] = sum;
  }
}

double tni_cosines_multiplier(const tni_cosines *c, double t, int r) {
  double node[TNI_GAUSS_MAX + 1], at, sum = 0;
  int e = element_at(c, t, &at);
  if (c->points) return tni_cos_points_multiplier(c, e, at, r);
  for (int i = 0; i <= c->p; i++) node[i] = (double)i/c->p;
  for (int i = 0; i <= c->p; i++)
    sum += tni_lagrange(c->p + 1, node, i, at)*c->u[tni_cos_force(c, r, e*c->p + i)];
  return sum;
}

void tni_cosines_end_velocity(tni_cosines *c, int e, int b, double *v, double *w) {
  const tni_inertia *in = &c->model.inertia[b];
  if (c->points) {
    const double *u = tni_cos_points_velocity(c, e, b);
    memcpy(w, u, (size_t)c->nw*sizeof(double));
    memcpy(v, u + c->nw, (size_t)c->nx*sizeof(double));
    return;
  }
  tni_cos_element(c, e, false);
  tni_cos_leave(c);
  for (int f = 0; f < c->nx; f++) v[f] = -c->r[tni_cos_loc_field(c, b, c->nw + f, c->k)]/in->mass;
  if (c->planar) {
    w[0] = -c->r[tni_cos_loc_field(c, b, 0, c->k)]/in->I[8];
    return;
  }
  double P[3], inverse[9];
  for (int f = 0; f < 3; f++) P[f] = -c->r[tni_cos_loc_field(c, b, f, c->k)];
  mat3_inverse(inverse, in->I);
  mat3_vec(w, inverse, P);
}

/* field at the end of element e, counted from 1 */
static double at_end(const tni_cosines *c, int e, int b, int f) {
  return c->points ? tni_cos_points_field(c, e - 1, 1, b, f) : nodal(c, b, f, e*c->k);
}

double tni_cosines_skewness(const tni_cosines *c) {
  double most = 0;
  for (int e = 1; e <= c->o.elements; e++)
    for (int b = 0; b < c->nb; b++) {
      double C[9], D[9];
      for (int f = 0; f < c->nc; f++) C[f] = at_end(c, e, b, c->nw + c->nx + f);
      if (c->planar) {
        most = fmax(most, fabs(C[0]*C[0] + C[1]*C[1] - 1));
        continue;
      }
      mat3_tmul(D, C, C);
      for (int i = 0; i < 9; i++) most = fmax(most, fabs(D[i] - (i % 4 == 0)));
    }
  return most;
}

double tni_cosines_gap(const tni_cosines *c) {
  double most = 0;
  for (int e = 1; e <= c->o.elements; e++)
    for (int r = 0; r < c->m; r++) {
      const tni_quadratic_row *q = &c->model.row[r];
      int n = c->ny*q->nbody;
      double y[TNI_COSINES_MAX], g = q->g0;
      for (int b = 0; b < q->nbody; b++)
        for (int j = 0; j < c->ny; j++) y[b*c->ny + j] = at_end(c, e, q->body[b], c->nw + j);
      for (int i = 0; i < n; i++) {
        double half = q->l[i];
        for (int j = 0; j < n; j++) half += 0.5*q->H[n*i + j]*y[j];
        g += half*y[i];
      }
      most = fmax(most, fabs(g));
    }
  return most;
}
