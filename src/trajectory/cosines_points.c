/* trajectory/cosines_points.c - direction cosines by collocation: element by element, everything at the k Gauss points
 *
 * Fields y = (q, x, C) are polynomials of degree k on an element that begins at y_0 with velocities u_0 = (w, v); so are velocities,
 * which are the rates of (q, x) at the points; multipliers have values at the points only. Unknown are the increments dy_i to the
 * points, dy to the end and du of the velocities there:
 *
 *   u_i = sum_j d_ij (dq, dx)_j/h,   a_i = sum_j d_ij (u_j - u_0)/h
 *
 *   balances     M a_i + (w x I w) - f + J^T lambda_i = 0
 *   directions   sum_j d_ij dC_j/h - P(C_i) w_i = 0
 *   joints       J u_i + Phi_t = 0
 *   end          dy = sum_j w_j dy_j,   M (du - sum_j w_j (u_j - u_0)) + J^T mu = 0,   J u + Phi_t = 0
 *
 * Gauss points keep what is quadratic: C^T C = 1 and joints that are quadratic in (x, C) hold at ends of elements to rounding, with nothing
 * that asks for it. The last line puts the velocities at the end on the constraints; without it they lose half of their order. All of this is
 * causal: one element after the other has the solution of all of them at once.
 *
 * Increments and not values are unknown, because values that are large would drown in rounding what is divided by h twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/vec.h"
#include "trajectory/cosines_parts.h"

typedef struct tni_cos_points {
  tni_gauss g;
  int nz, nu;          /* unknowns of an element; velocities of a body               */
  int *at;             /* [nloc] unknown of a local row and column, -1: none         */
  int nentry, *entry;  /* of A                                                       */
  int *place;          /* [nentry] in the values of the matrix                       */
  tni_sparsity J;
  double *value, *R;
  tni_sparse_solver *lu;
  double **y, **u;     /* [elements + 1] states at boundaries: [nb nf], [nb nu]      */
  double **z;          /* [elements]                                                 */
  double *room;
} points;

/* nodes of an element: beginning, points, end, velocities at the end, velocities at the beginning */
static int node_end(const tni_cosines *c) { return c->k + 1; }
static int node_u(const tni_cosines *c) { return c->k + 2; }
static int node_u0(const tni_cosines *c) { return c->k + 3; }

/* value of a node in element e */
static double node_value(const tni_cosines *c, int e, int b, int f, int i) {
  const points *p = c->points;
  if (i == 0) return p->y[e][b*c->nf + f];
  if (i == node_u0(c)) return f < p->nu ? p->u[e][b*p->nu + f] : 0;
  int at = p->at[tni_cos_loc_field(c, b, f, i)];
  return at < 0 ? 0 : p->z[e][at];
}

static void read_point(tni_cosines *c, int e, const tni_cos_spot *s) {
  for (int b = 0; b < c->nb; b++) {
    double *x = c->point + b*2*c->nf;
    for (int f = 0; f < c->nf; f++) {
      x[f] = x[c->nf + f] = 0;
      for (int i = 0; i < c->nk; i++) {
        if (s->psi[i] == 0 && s->per_h[i] == 0) continue;
        double v = node_value(c, e, b, f, i);
        x[f] += s->psi[i]*v;
        x[c->nf + f] += s->per_h[i]*v;
      }
    }
  }
  for (int r = 0; r < c->m; r++) {
    double sum = 0;
    for (int i = 0; i < c->np; i++)
      if (s->phi[i] != 0) sum += s->phi[i]*c->points->z[e][c->points->at[tni_cos_loc_force(c, r, i)]];
    c->point[c->nb*2*c->nf + r] = sum;
  }
}

/* sum of what the nodes of a field mean, into rows `row` with weight x: values and columns */
static void add_nodes(tni_cosines *c, int e, int b, int f, const double *shape, int row, const double *test, double x, bool matrix) {
  double sum = 0;
  for (int i = 0; i < c->nk; i++)
    if (shape[i] != 0) sum += shape[i]*node_value(c, e, b, f, i);
  tni_cos_add_value(c, row, c->nk, test, 1, x*sum);
  if (matrix) tni_cos_add(c, row, c->nk, test, 1, tni_cos_loc_field(c, b, f, 0), c->nk, shape, x);
}

/* M times what `shape` makes of (q, x) of a body, in the rows of its balances */
static void add_inertia(tni_cosines *c, int e, int b, const double *shape, const double *test, bool matrix) {
  const tni_inertia *in = &c->model.inertia[b];
  for (int f = 0; f < c->nw; f++)
    for (int j = 0; j < c->nw; j++) {
      double I = c->planar ? in->I[8] : in->I[3*f + j];
      if (I != 0) add_nodes(c, e, b, j, shape, tni_cos_loc_field(c, b, f, 0), test, I, matrix);
    }
  for (int f = c->nw; f < c->nw + c->nx; f++)
    add_nodes(c, e, b, f, shape, tni_cos_loc_field(c, b, f, 0), test, in->mass, matrix);
}

/* gravity and w x I w */
static void add_gyration(tni_cosines *c, const tni_cos_spot *s) {
  for (int b = 0; b < c->nb; b++) {
    const tni_inertia *in = &c->model.inertia[b];
    for (int f = 0; f < c->nx; f++)
      tni_cos_add_value(c, tni_cos_loc_field(c, b, c->nw + f, 0), c->nk, s->test, -1, in->mass*c->model.gravity[f]);
    if (c->planar) continue;
    const double *w = tni_cos_rates(c, b);
    double Iw[3], gyro[3], W[9], H[9], WI[9];
    mat3_vec(Iw, in->I, w);
    vec3_cross(gyro, w, Iw);
    mat3_skew(W, w);
    mat3_skew(H, Iw);
    mat3_mul(WI, W, in->I);
    for (int f = 0; f < 3; f++) {
      int row = tni_cos_loc_field(c, b, f, 0);
      tni_cos_add_value(c, row, c->nk, s->test, 1, gyro[f]);
      for (int j = 0; j < 3 && s->matrix; j++)
        tni_cos_add(c, row, c->nk, s->test, 1, tni_cos_loc_field(c, b, j, 0), c->nk, s->per_h, WI[3*f + j] - H[3*f + j]);
    }
  }
}

static void at_points(tni_cosines *c, int e, bool matrix) {
  const tni_gauss *g = &c->points->g;
  int k = c->k;
  double h = c->o.h;
  for (int i = 0; i < k; i++) {
    double psi[TNI_COS_NODES] = {1}, per_h[TNI_COS_NODES] = {0}, twice[TNI_COS_NODES] = {0}, own[TNI_COS_NODES] = {0};
    double phi[TNI_COS_NODES] = {0};
    psi[i + 1] = own[i + 1] = 1;
    phi[i] = 1;
    for (int j = 0; j < k; j++) {
      per_h[j + 1] = g->d[i][j]/h;
      for (int l = 0; l < k; l++) twice[l + 1] += g->d[i][j]*g->d[j][l]/(h*h);
    }
    twice[node_u0(c)] = -g->d_sum[i]/h;
    tni_cos_spot s = {.psi = psi, .per_h = per_h, .phi = phi, .test = own, .w = 1, .t = c->o.t + (e + g->c[i])*h, .matrix = matrix};
    read_point(c, e, &s);
    for (int b = 0; b < c->nb; b++) add_inertia(c, e, b, twice, own, matrix);
    add_gyration(c, &s);
    tni_cos_reactions(c, &s);
    tni_cos_poisson(c, &s, own, c->nk);
    tni_cos_joints(c, &s);
    if (c->model.nforce) tni_cos_loads(c, &s);
  }
}

static void at_the_end(tni_cosines *c, int e, bool matrix) {
  const points *p = c->points;
  const tni_gauss *g = &p->g;
  double h = c->o.h, psi[TNI_COS_NODES] = {1}, per_h[TNI_COS_NODES] = {0}, phi[TNI_COS_NODES] = {0}, own[TNI_COS_NODES] = {0};
  double on_u[TNI_COS_NODES] = {0}, step[TNI_COS_NODES] = {0}, kick[TNI_COS_NODES] = {0};
  psi[node_end(c)] = own[node_end(c)] = step[node_end(c)] = 1;
  per_h[node_u(c)] = per_h[node_u0(c)] = on_u[node_u(c)] = kick[node_u(c)] = 1;
  kick[node_u0(c)] = g->w_sum;
  phi[c->k] = 1;
  for (int j = 0; j < c->k; j++) {
    step[j + 1] = -g->w[j];
    for (int l = 0; l < c->k; l++) kick[l + 1] -= g->w[j]*g->d[j][l]/h;
  }
  for (int b = 0; b < c->nb; b++) {
    for (int f = 0; f < c->nf; f++) add_nodes(c, e, b, f, step, tni_cos_loc_field(c, b, f, 0), own, 1, matrix);
    add_inertia(c, e, b, kick, on_u, matrix);
  }
  tni_cos_spot s = {.psi = psi, .per_h = per_h, .phi = phi, .test = on_u, .w = 1, .t = c->o.t + (e + 1)*h, .matrix = matrix};
  read_point(c, e, &s);
  if (!c->o.unprojected) {
    tni_cos_reactions(c, &s);
    tni_cos_joints(c, &s);
    return;
  }
  for (int r = 0; r < c->m; r++) {
    int at = tni_cos_loc_force(c, r, c->k);
    c->r[at] = c->point[c->nb*2*c->nf + r];
    if (matrix) c->A[(size_t)at*(size_t)c->nloc + (size_t)at] = 1;
  }
}

/* residual p->R and with matrix p->value of element e */
static void evaluate(tni_cosines *c, int e, bool matrix) {
  points *p = c->points;
  tni_cos_enter(c, e);
  memset(c->r, 0, (size_t)c->nloc*sizeof(double));
  for (int i = 0; i < p->nentry && matrix; i++) c->A[p->entry[i]] = 0;
  at_points(c, e, matrix);
  at_the_end(c, e, matrix);
  for (int i = 0; i < c->nloc; i++)
    if (p->at[i] >= 0) p->R[p->at[i]] = c->r[i];
  for (int i = 0; i < p->nentry && matrix; i++)
    if (p->place[i] >= 0) p->value[p->place[i]] = c->A[p->entry[i]];
}

/* ---- create -------------------------------------------------------------------------------- */

static void number_unknowns(tni_cosines *c) {
  points *p = c->points;
  p->nz = 0;
  for (int i = 0; i < c->nloc; i++) p->at[i] = -1;
  for (int i = 1; i <= node_u(c); i++) {
    for (int b = 0; b < c->nb; b++)
      for (int f = 0; f < (i == node_u(c) ? p->nu : c->nf); f++) p->at[tni_cos_loc_field(c, b, f, i)] = p->nz++;
    if (i == node_end(c)) continue;
    for (int r = 0; r < c->m; r++) p->at[tni_cos_loc_force(c, r, i <= c->k ? i - 1 : c->k)] = p->nz++;
  }
}

/* from two states without symmetries, and all that forces and rows may have */
static tn_status find_pattern(tni_cosines *c) {
  points *p = c->points;
  tni_arena *a = &c->arena;
  int L = c->nloc, *ptr, *col, n = 0;
  bool *mark;
  size_t all = (size_t)L*(size_t)L;
  TNI_ARENA_NEW(a, mark, all);
  c->marking = true;
  for (int state = 0; state < 2; state++) {
    for (int i = 0; i < p->nz; i++) p->z[0][i] = 0.3 + 0.2*sin(2.3*i + state);
    memset(c->A, 0, all*sizeof(double));
    memset(c->r, 0, (size_t)L*sizeof(double));
    at_points(c, 0, true);
    at_the_end(c, 0, true);
    for (size_t i = 0; i < all; i++) mark[i] = mark[i] || c->A[i] != 0;
  }
  c->marking = false;
  memset(p->z[0], 0, (size_t)p->nz*sizeof(double));
  for (size_t i = 0; i < all; i++) p->nentry += mark[i];
  TNI_ARENA_NEW(a, p->entry, p->nentry);
  TNI_ARENA_NEW(a, p->place, p->nentry);
  TNI_ARENA_NEW(a, ptr, p->nz + 1);
  TNI_ARENA_NEW(a, col, p->nentry);
  for (size_t i = 0; i < all; i++)
    if (mark[i]) p->entry[n++] = (int)i;
  int *of_row; /* local row of an unknown */
  TNI_ARENA_NEW(a, of_row, p->nz);
  for (int i = 0; i < L; i++)
    if (p->at[i] >= 0) of_row[p->at[i]] = i;
  int *begin;
  TNI_ARENA_NEW(a, begin, L + 1);
  for (int i = 0; i < n; i++) begin[p->entry[i]/L + 1]++;
  for (int i = 0; i < L; i++) begin[i + 1] += begin[i];
  n = 0;
  for (int r = 0; r < p->nz; r++) {
    for (int i = begin[of_row[r]]; i < begin[of_row[r] + 1]; i++) {
      int to = p->at[p->entry[i] % L];
      p->place[i] = to < 0 ? -1 : n;
      if (to >= 0) col[n++] = to;
    }
    ptr[r + 1] = n;
  }
  for (int i = 0; i < L; i++)
    for (int j = begin[i]; j < begin[i + 1] && p->at[i] < 0; j++) p->place[j] = -1;
  p->J = (tni_sparsity){p->nz, p->nz, n, ptr, col};
  TNI_ARENA_NEW(a, p->value, n);
  tni_sparse_opts o = {.backend = "klu", .scales = true, .relative = true, .least = 1e-20, .threshold = 1, .unlike = true};
  return tni_sparse_solver_create(c->ctx, p->nz, ptr, col, &o, &p->lu);
}

tn_status tni_cos_points_create(tni_cosines *c) {
  tni_arena *a = &c->arena;
  points *p;
  TNI_ARENA_NEW(a, p, 1);
  c->points = p;
  c->o.by_rates = false; /* the same at the points, and the end has no rates */
  tni_gauss_set(c->k, c->o.kind, &p->g);
  p->nu = c->nw + c->nx;
  TNI_ARENA_NEW(a, p->at, c->nloc);
  number_unknowns(c);
  c->n = c->o.elements*p->nz;
  TNI_ARENA_NEW(a, c->u, c->n);
  TNI_ARENA_NEW(a, p->R, p->nz);
  TNI_ARENA_NEW(a, p->room, p->nz);
  TNI_ARENA_NEW(a, p->y, c->o.elements + 1);
  TNI_ARENA_NEW(a, p->u, c->o.elements + 1);
  TNI_ARENA_NEW(a, p->z, c->o.elements);
  for (int e = 0; e <= c->o.elements; e++) {
    TNI_ARENA_NEW(a, p->y[e], c->nb*c->nf);
    TNI_ARENA_NEW(a, p->u[e], c->nb*p->nu);
    if (e < c->o.elements) p->z[e] = c->u + (size_t)e*(size_t)p->nz;
  }
  memcpy(p->y[0], c->start, (size_t)(c->nb*c->nf)*sizeof(double));
  memcpy(p->u[0], c->v0, (size_t)(c->nb*p->nu)*sizeof(double));
  return find_pattern(c);
}

void tni_cos_points_destroy(tni_cosines *c) {
  if (c->points) tni_sparse_solver_destroy(&c->points->lu);
}

void tni_cos_points_eval(tni_cosines *c, double *R, bool matrix) {
  memset(R, 0, (size_t)c->n*sizeof(double));
  evaluate(c, 0, matrix);
  tni_cos_leave(c);
  memcpy(R, c->points->R, (size_t)c->points->nz*sizeof(double));
}

void tni_cos_points_apply(const tni_cosines *c, const double *x, double *y) {
  memset(y, 0, (size_t)c->n*sizeof(double));
  tni_sparse_add(&c->points->J, 1, c->points->value, x, y);
}

/* ---- solution ------------------------------------------------------------------------------ */

/* first guess: as it begins, on and on; multipliers of the element before */
static void guess(tni_cosines *c, int e) {
  points *p = c->points;
  for (int i = 1; i <= node_end(c); i++) {
    double t = c->o.h*(i <= c->k ? p->g.c[i - 1] : 1);
    for (int b = 0; b < c->nb; b++) {
      const double *u = p->u[e] + b*p->nu, *C = p->y[e] + b*c->nf + p->nu;
      for (int f = 0; f < p->nu; f++) p->z[e][p->at[tni_cos_loc_field(c, b, f, i)]] = t*u[f];
      if (c->planar) {
        double s = sin(t*u[0]), r = 1 - cos(t*u[0]);
        p->z[e][p->at[tni_cos_loc_field(c, b, p->nu, i)]] = -s*C[1] - r*C[0];
        p->z[e][p->at[tni_cos_loc_field(c, b, p->nu + 1, i)]] = s*C[0] - r*C[1];
        continue;
      }
      double turn[3], q[4], A[9], D[9];
      for (int f = 0; f < 3; f++) turn[f] = t*u[f];
      quat_from_vector(q, turn);
      quat_matrix(A, q);
      mat3_mul(D, C, A);
      for (int f = 0; f < 9; f++) p->z[e][p->at[tni_cos_loc_field(c, b, p->nu + f, i)]] = D[f] - C[f];
    }
  }
  for (int b = 0; b < c->nb; b++)
    for (int f = 0; f < p->nu; f++) p->z[e][p->at[tni_cos_loc_field(c, b, f, node_u(c))]] = 0;
  for (int r = 0; r < c->m; r++)
    for (int i = 0; i <= c->k; i++)
      p->z[e][p->at[tni_cos_loc_force(c, r, i)]] =
          i < c->k && e > 0 ? p->z[e - 1][p->at[tni_cos_loc_force(c, r, c->k - 1)]] : 0;
}

/* largest change of (q, x, C) to the points and to the end, in units of their sizes */
static double size_of(const tni_cosines *c, const double *dz) {
  const points *p = c->points;
  double most = 0;
  for (int b = 0; b < c->nb; b++)
    for (int f = 0; f < c->nf; f++)
      for (int i = 1; i <= node_end(c); i++) {
        double x = fabs(dz[p->at[tni_cos_loc_field(c, b, f, i)]]);
        most = x < HUGE_VAL ? fmax(most, x) : HUGE_VAL;
      }
  return most;
}

/* the next element counts on from where this one ends */
static void pass_memory(tni_cosines *c, int e) {
  double psi[TNI_COS_NODES] = {1}, per_h[TNI_COS_NODES] = {0}, phi[TNI_COS_NODES] = {0};
  if (c->nmemory == 0) return;
  psi[node_end(c)] = per_h[node_u(c)] = per_h[node_u0(c)] = phi[c->k] = 1;
  read_point(c, e, &(tni_cos_spot){.psi = psi, .per_h = per_h, .phi = phi});
  tni_cos_remember(c, e);
}

static tn_status solve_elements(tni_cosines *c, int max_iterations, double tol, int *iterations) {
  points *p = c->points;
  long total = 0;
  for (int e = 0; e < c->o.elements; e++) {
    double last = HUGE_VAL, size = HUGE_VAL;
    bool done = false;
    guess(c, e);
    for (int it = 0; it < max_iterations && !done; it++) {
      evaluate(c, e, true);
      memcpy(p->room, p->R, (size_t)p->nz*sizeof(double));
      TN_REQUIRE(c->ctx, tni_sparse_solver_factor(p->lu, p->value) == TN_OK, TN_SINGULAR,
                 "state_time: the matrix of the element [%.6g, %.6g] s is singular: a singular position, or take more elements",
                 c->o.t + e*c->o.h, c->o.t + (e + 1)*c->o.h);
      tni_sparse_solver_solve(p->lu, 1, true, p->room);
      for (int i = 0; i < p->nz; i++) p->z[e][i] -= p->room[i];
      size = size_of(c, p->room);
      total++;
      /* convergence is quadratic: the change after this one would be far below */
      done = size <= fmax(tol, 1e-14) || (it > 2 && size < 1e-9 && size > 0.3*last);
      last = size;
      if (!(size < HUGE_VAL)) break;
    }
    if (!done)
      return TN_FAIL(c->ctx, TN_NOT_CONVERGED, "state_time: element [%.6g, %.6g] s not converged after %d iterations, last change %.2g; take more elements",
                     c->o.t + e*c->o.h, c->o.t + (e + 1)*c->o.h, max_iterations, size);
    for (int b = 0; b < c->nb; b++) {
      for (int f = 0; f < c->nf; f++)
        p->y[e + 1][b*c->nf + f] = p->y[e][b*c->nf + f] + p->z[e][p->at[tni_cos_loc_field(c, b, f, node_end(c))]];
      for (int f = 0; f < p->nu; f++)
        p->u[e + 1][b*p->nu + f] = p->u[e][b*p->nu + f] + p->z[e][p->at[tni_cos_loc_field(c, b, f, node_u(c))]];
    }
    pass_memory(c, e);
  }
  if (iterations) *iterations = (int)((total + c->o.elements - 1)/c->o.elements);
  return TN_OK;
}

tn_status tni_cos_points_solve(tni_cosines *c, int max_iterations, double tol, int *iterations) {
  tn_status st = solve_elements(c, max_iterations, tol, iterations);
  tni_cos_leave(c);
  return st;
}

/* ---- looking ------------------------------------------------------------------------------- */

double tni_cos_points_field(const tni_cosines *c, int e, double x, int b, int f) {
  const points *p = c->points;
  double node[TNI_GAUSS_MAX + 1] = {0}, sum = p->y[e][b*c->nf + f];
  if (x == 1) return p->y[e + 1][b*c->nf + f];
  memcpy(node + 1, p->g.c, (size_t)c->k*sizeof(double));
  for (int i = 1; i <= c->k; i++)
    sum += tni_lagrange(c->k + 1, node, i, x)*p->z[e][p->at[tni_cos_loc_field(c, b, f, i)]];
  return sum;
}

double tni_cos_points_multiplier(const tni_cosines *c, int e, double x, int r) {
  const points *p = c->points;
  double sum = 0;
  for (int i = 0; i < c->k; i++) sum += tni_lagrange(c->k, p->g.c, i, x)*p->z[e][p->at[tni_cos_loc_force(c, r, i)]];
  return sum;
}

const double *tni_cos_points_velocity(const tni_cosines *c, int e, int b) { return c->points->u[e + 1] + b*c->points->nu; }
