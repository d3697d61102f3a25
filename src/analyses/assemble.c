/* analyses/assemble.c - consistent positions and velocities from approximate input
 *
 * Position: minimise the weighted change of pose subject to Phi = 0. Far from consistency the
 * constraints may look independent although they are not (a spatial four-bar written with four
 * digits), and plain Newton would divide by that accident. The first phase therefore takes damped
 * steps
 *
 *   delta = -W^-1 C^T (C W^-1 C^T + mu D)^-1 Phi,     D = diag(C W^-1 C^T)
 *
 * with mu falling as the residual falls (Levenberg-Marquardt in the dual); the second phase is the
 * Newton projection of the system with the rank taken at the configuration found.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/assemble.h"

#include <lapacke.h>
#include <cblas.h>
#undef I /* complex.h, through lapacke.h */

/* residual accepted as consistent: lengths in m, directions as cosines */
static const double ASSEMBLY_TOL = 1e-10;
/* above this the damped phase is used; below, Newton converges in two steps */
static const double ROUGH = 1e-6;
enum { MAX_DAMPED = 200, MAX_DENSE_ROWS = 3000, MAX_RANK_ROUNDS = 3 };

static double norm2(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i]*x[i];
  return sum;
}

static double largest(const double *x, int n, int *where) {
  double max = 0;
  *where = -1;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= max)) {
      max = fabs(x[i]);
      *where = i;
    }
  return max;
}

typedef struct {
  double *C, *B, *X, *phi, *lambda, *dx, *q;
  const double *weight;
} damped;

/* one damped step from q with damping mu; false: the matrix could not be factored */
static bool damped_step(tni_system *s, damped *w, double mu) {
  int m = s->m, n = s->nv;
  for (int r = 0; r < m; r++)
    for (int j = 0; j < n; j++)
      w->X[(size_t)r*(size_t)n + (size_t)j] =
          w->C[(size_t)r*(size_t)n + (size_t)j]/sqrt(w->weight[j]);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, m, n, 1, w->X, n, 0, w->B, m);
  for (int r = 0; r < m; r++) {
    double *d = &w->B[(size_t)r*(size_t)m + (size_t)r];
    *d += mu**d + 1e-300;
    if (*d < 1e-290) *d = 1; /* empty row: nothing can be done about it here */
    w->lambda[r] = -w->phi[r];
  }
  if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', m, 1, w->B, m, w->lambda, 1) != 0) return false;
  cblas_dgemv(CblasRowMajor, CblasTrans, m, n, 1, w->C, n, w->lambda, 1, 0, w->dx, 1);
  double biggest = 0;
  for (int j = 0; j < n; j++) {
    w->dx[j] /= w->weight[j];
    if (fabs(w->dx[j]) > biggest) biggest = fabs(w->dx[j]);
  }
  /* a step of more than half a radian leaves the region where the tangent means anything */
  if (biggest > 0.5)
    for (int j = 0; j < n; j++) w->dx[j] *= 0.5/biggest;
  return true;
}

static tn_status damped_phase(tni_system *s, double t, double *q, const double *weight,
                              tni_arena *arena, int *iterations) {
  damped w = {.weight = weight};
  size_t m = (size_t)s->m, n = (size_t)s->nv;
  TNI_ARENA_NEW(arena, w.C, m*n);
  TNI_ARENA_NEW(arena, w.X, m*n);
  TNI_ARENA_NEW(arena, w.B, m*m);
  TNI_ARENA_NEW(arena, w.phi, m);
  TNI_ARENA_NEW(arena, w.lambda, m);
  TNI_ARENA_NEW(arena, w.dx, n);
  TNI_ARENA_NEW(arena, w.q, s->nq);
  double mu = 1e-3;
  s->ops->phi(s, t, q, w.phi);
  double size = norm2(w.phi, s->m);
  for (int k = 0; k < MAX_DAMPED && sqrt(size) > 1e-12*sqrt((double)s->m); k++) {
    tni_tangent out = {.C = w.C};
    TN_TRY(s->ops->tangent(s, t, q, w.dx, NULL, NULL, &out));
    bool better = false;
    for (int attempt = 0; attempt < 12 && !better; attempt++) {
      double next = HUGE_VAL;
      if (damped_step(s, &w, mu)) {
        s->ops->retract(s, q, w.dx, w.q);
        s->ops->phi(s, t, w.q, w.lambda);
        next = norm2(w.lambda, s->m);
      }
      if (next < size) {
        better = true;
        bool slow = next > 0.998*size;
        mu = fmax(mu*(next < 0.25*size ? 0.05 : 0.5), 1e-12);
        size = next;
        memcpy(q, w.q, (size_t)s->nq*sizeof(double));
        memcpy(w.phi, w.lambda, m*sizeof(double));
        if (slow && sqrt(size) < 1e-9) return TN_OK;
      } else {
        mu = fmin(10*mu, 1e6);
      }
      ++*iterations;
    }
    if (!better) return TN_OK; /* a minimum of |Phi|: whether it is zero is judged by the caller */
  }
  return TN_OK;
}

static void fill_weights(const tni_system *s, bool velocity, double *weight) {
  const tn_model *m = s->model;
  for (int i = 0; i < m->nbody; i++) {
    const tni_body *b = &m->body[i];
    double hold = velocity ? b->hold_velocity : b->hold_position;
    for (int j = 0; j < m->ndof; j++) {
      int k = m->dof[j];
      weight[m->ndof*i + j] = hold*(k < 3 ? b->mass : b->I[4*(k - 3)]);
    }
  }
}

static tn_status inconsistent(tni_system *s, const tni_assembly *out, double t) {
  char name[128];
  s->ops->row_name(s, out->row, name, sizeof(name));
  return TN_FAIL(s->ctx, TN_INCONSISTENT,
                 "the constraints cannot be met together at t = %g s: '%s' is off by %.3g and "
                 "following it breaks others; check the points and lengths of that joint",
                 t, name, out->residual);
}

/* Newton with the rank of the present configuration, until the rank settles */
static tn_status newton_phase(tni_system *s, double t, double *q, double *v, const double *weight,
                              const double *phi_scratch, tni_assembly *out) {
  tni_project_opts o = {.position = true, .tol = 1e-13, .weight = weight, .max_iterations = 30};
  for (int round = 0; round < MAX_RANK_ROUNDS; round++) {
    tni_project_report rep;
    int before = s->rank ? s->rank->rank : s->m;
    TN_TRY(s->ops->update_rank(s, t, q));
    tn_status st = s->ops->project(s, t, q, v, &o, &rep);
    out->iterations += rep.iterations;
    if (st != TN_OK && st != TN_NOT_CONVERGED && st != TN_SINGULAR) return st;
    s->ops->phi(s, t, q, (double *)phi_scratch);
    out->residual = largest(phi_scratch, s->m, &out->row);
    if (round > 0 && (s->rank ? s->rank->rank : s->m) == before) break;
  }
  return TN_OK;
}

static void note_moves(tni_system *s, const double *q0, const double *v0, const double *q,
                       const double *v, double *dx, tni_assembly *out) {
  const tn_model *m = s->model;
  double most = 1e-9; /* smaller moves are rounding */
  out->most_moved = -1;
  s->ops->difference(s, q0, q, dx);
  for (int i = 0; i < m->nbody; i++) {
    double *moved = out->moved + 4*i;
    for (int j = 0; j < m->ndof; j++) {
      int k = m->dof[j] < 3 ? 0 : 1;
      double dv = v[m->ndof*i + j] - v0[m->ndof*i + j];
      moved[k] = hypot(moved[k], dx[m->ndof*i + j]);
      moved[2 + k] = hypot(moved[2 + k], dv);
    }
    if (fmax(moved[0], moved[1]) > most) {
      most = fmax(moved[0], moved[1]);
      out->most_moved = i;
    }
  }
}

tn_status tni_assemble(tni_system *s, double t, double *q, double *v, tni_arena *arena,
                       tni_assembly *out) {
  memset(out, 0, sizeof(*out));
  double *weight, *q0, *v0, *dx, *phi, *nearest;
  TNI_ARENA_NEW(arena, out->moved, 4*s->model->nbody);
  TNI_ARENA_NEW(arena, weight, s->nv);
  TNI_ARENA_NEW(arena, q0, s->nq);
  TNI_ARENA_NEW(arena, v0, s->nv);
  TNI_ARENA_NEW(arena, dx, s->nv);
  TNI_ARENA_NEW(arena, phi, s->m);
  out->initial_row = out->row = out->most_moved = -1;
  memcpy(q0, q, (size_t)s->nq*sizeof(double));
  memcpy(v0, v, (size_t)s->nv*sizeof(double));
  if (s->m == 0) return TN_OK;
  tni_residuals res;
  s->ops->residuals(s, t, q, v, NULL, &res);
  out->initial_residual = res.position;
  out->initial_row = res.position_row;
  out->velocity_residual = res.velocity;
  fill_weights(s, false, weight);
  if (res.position > ROUGH && s->m <= MAX_DENSE_ROWS)
    TN_TRY(damped_phase(s, t, q, weight, arena, &out->iterations));
  TNI_ARENA_NEW(arena, nearest, s->nq);
  memcpy(nearest, q, (size_t)s->nq*sizeof(double));
  TN_TRY(newton_phase(s, t, q, v, weight, phi, out));
  if (!(out->residual <= ASSEMBLY_TOL)) {
    /* Newton may have run off: what is missing shows where the first phase came nearest */
    s->ops->phi(s, t, nearest, phi);
    int row;
    double residual = largest(phi, s->m, &row);
    if (!(residual >= out->residual)) {
      memcpy(q, nearest, (size_t)s->nq*sizeof(double));
      out->residual = residual;
      out->row = row;
      TN_TRY(s->ops->update_rank(s, t, q));
    }
    return inconsistent(s, out, t);
  }
  fill_weights(s, true, weight);
  tni_project_opts o = {.velocity = true, .tol = 1e-14, .weight = weight};
  tn_status st = s->ops->project(s, t, q, v, &o, NULL);
  if (st != TN_OK && st != TN_NOT_CONVERGED) return st;
  s->ops->residuals(s, t, q, v, NULL, &res);
  if (!(res.velocity <= 1e-8*(1 + out->velocity_residual))) {
    char name[128];
    s->ops->row_name(s, res.velocity_row, name, sizeof(name));
    return TN_FAIL(s->ctx, TN_INCONSISTENT,
                   "the velocities cannot be made consistent: '%s' is off by %.3g; are prescribed "
                   "motions in conflict?",
                   name, res.velocity);
  }
  note_moves(s, q0, v0, q, v, dx, out);
  return TN_OK;
}

void tni_model_with_state(const tn_model *model, const tni_kin *kin, tni_body *bodies,
                          tn_model *out) {
  *out = *model;
  out->body = bodies;
  for (int i = 0; i < model->nbody; i++) {
    bodies[i] = model->body[i];
    vec3_copy(bodies[i].r0, kin[i + 1].r);
    quat_from_matrix(bodies[i].p0, kin[i + 1].A);
    vec3_copy(bodies[i].v0, kin[i + 1].v);
    vec3_copy(bodies[i].w0, kin[i + 1].w);
  }
}
