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
 * Velocity: what the user wrote comes first, the rest second,
 *
 *   minimise |v - v0|_W over what is written, then |v|_W over the rest,   subject to C v + Phi_t = 0.
 *
 * A projection with weights FOLLOWS for the rest comes near to it; again with the rest found as its
 * target it comes nearer by about that factor each time (proximal point iteration), down to rounding.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/assemble.h"

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

#include "linsolve/lapack.h"

/* residual accepted as consistent: lengths in m, directions as cosines */
static const double ASSEMBLY_TOL = 1e-10;
/* above this the damped phase is used; below, Newton converges in two steps */
static const double ROUGH = 1e-6;
enum { MAX_DAMPED = 200, MAX_DENSE_ROWS = 3000, MAX_RANK_ROUNDS = 3, MAX_PROXIMAL = 40 };
/* weight of velocities that nobody wrote against written ones */
static const double FOLLOWS = 1e-6;

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
static bool damped_step(tni_data *s, damped *w, double mu) {
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
  /* as LAPACK has it, by columns; a matrix or a right-hand side that is not a number is no factor */
  for (int r = 0; r < m; r++) {
    if (isnan(w->lambda[r])) return false;
    for (int c = 0; c <= r; c++) {
      double b = w->B[(size_t)r*(size_t)m + (size_t)c];
      if (isnan(b)) return false;
      w->B[(size_t)c*(size_t)m + (size_t)r] = b;
    }
  }
  if (tni_potrf('L', m, w->B, m) != 0) return false;
  tni_potrs('L', m, 1, w->B, m, w->lambda, m);
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

static tn_status damped_phase(tni_data *s, double t, double *q, const double *weight,
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
  tni_eval_phi(s, t, q, w.phi);
  double size = norm2(w.phi, s->m);
  for (int k = 0; k < MAX_DAMPED && sqrt(size) > 1e-12*sqrt((double)s->m); k++) {
    tni_tangent out = {.C = w.C};
    TN_TRY(tni_eval_tangent(s, t, q, w.dx, NULL, NULL, &out));
    bool better = false;
    for (int attempt = 0; attempt < 12 && !better; attempt++) {
      double next = HUGE_VAL;
      if (damped_step(s, &w, mu)) {
        tni_retract(s, q, w.dx, w.q);
        tni_eval_phi(s, t, w.q, w.lambda);
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

/* velocity k of node i: not held, follows from what is written */
static bool follows(const tn_model *m, const tni_data *s, int i, int k) {
  return i < m->nbody && m->body[i].follows[s->layout->role[k] < TNI_ROLE_TURN ? 0 : 1];
}

bool tni_velocities_follow(const tn_model *m, const tni_data *s) {
  for (int i = 0; i < s->layout->nnode; i++)
    for (int k = s->layout->vadr[i]; k < s->layout->vadr[i] + s->layout->size[i]; k++)
      if (!follows(m, s, i, k)) return false;
  return true;
}

static void fill_weights(const tn_model *m, const tni_data *s, bool velocity, double *weight) {
  const tni_layout *L = s->layout;
  for (int i = 0; i < L->nnode; i++) {
    const tni_body *b = i < m->nbody ? &m->body[i] : NULL;
    tni_inertia node = tni_node_inertia(s, i);
    for (int j = L->vadr[i]; j < L->vadr[i] + L->size[i]; j++) {
      int k = L->role[j];
      double hold = !b ? 1 : !velocity ? b->hold_position : follows(m, s, i, j) ? FOLLOWS : b->hold_velocity;
      weight[j] = hold*(k < 3 ? node.mass : node.I[4*(k - 3)]);
    }
  }
}

static tn_status inconsistent(tni_data *s, const tni_assembly *out, double t, const double *q) {
  char name[128], why[400];
  if (tni_system_conflict(s, t, 0, q, why, sizeof(why)))
    return TN_FAIL(s->ctx, TN_INCONSISTENT, "the constraints cannot be met together: %s", why);
  tni_row_name(s, out->row, name, sizeof(name));
  return TN_FAIL(s->ctx, TN_INCONSISTENT,
                 "the constraints cannot be met together at t = %g s: '%s' is off by %.3g and "
                 "following it breaks others; check the points and lengths of that joint",
                 t, name, out->residual);
}

/* Newton with the rank of the present configuration, until the rank settles */
static tn_status newton_phase(tni_data *s, double t, double *q, double *v, const double *weight,
                              const double *phi_scratch, tni_assembly *out) {
  tni_project_opts o = {.position = true, .tol = 1e-13, .weight = weight, .max_iterations = 30};
  for (int round = 0; round < MAX_RANK_ROUNDS; round++) {
    tni_project_report rep;
    int before = s->rank ? s->rank->rank : s->m;
    TN_TRY(tni_update_rank(s, t, q));
    tn_status st = tni_project(s, t, q, v, &o, &rep);
    out->iterations += rep.iterations;
    if (st != TN_OK && st != TN_NOT_CONVERGED && st != TN_SINGULAR) return st;
    tni_eval_phi(s, t, q, (double *)phi_scratch);
    out->residual = largest(phi_scratch, s->m, &out->row);
    if (round > 0 && (s->rank ? s->rank->rank : s->m) == before) break;
  }
  return TN_OK;
}

/* ---- what changed -------------------------------------------------------------------------- */

/* speeds that differ by less differ by rounding [m/s, rad/s] */
static const double STILL = 1e-12;

/* Extent of the model: all centres of mass and points of joints, as they are, or the largest radius of
 * gyration: a bead on a curve has its points in one place. */
static double model_length(const tn_model *m, const tni_kin *kin) {
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, d[3];
  double radius = 0;
  for (int i = 0; i < m->nbody; i++) {
    const tni_body *b = &m->body[i];
    radius = fmax(radius, sqrt((b->I[0] + b->I[4] + b->I[8])/(2*b->mass)));
  }
  for (int i = 0; i < m->nbody + 2*m->njoint; i++) {
    const tni_joint *j = i < m->nbody ? NULL : &m->joint[(i - m->nbody)/2];
    int e = i < m->nbody ? 0 : (i - m->nbody) % 2;
    const tni_kin *k = &kin[j ? j->body[e] + 1 : i + 1];
    double p[3] = {0, 0, 0};
    if (j) mat3_vec(p, k->A, j->frame[e].p);
    vec3_add(p, p, k->r);
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], p[c]);
      high[c] = fmax(high[c], p[c]);
    }
  }
  vec3_sub(d, high, low);
  double length = fmax(vec3_norm(d), radius);
  return length > 0 ? length : 1;
}

static void note_one(tni_correction *c, int body, double size) {
  c->count += size > 1e-9*c->scale;
  if (!(size > c->size)) return;
  c->size = size;
  c->body = body;
}

/* look through the bodies for changes moved[k] of what the user wrote */
static void note_written(const tn_model *m, int k, double scale, tni_assembly *out) {
  tni_correction *c = &out->written[k];
  *c = (tni_correction){.scale = scale, .body = -1};
  for (int i = 0; i < m->nbody; i++)
    if (m->body[i].wrote[k]) note_one(c, i, out->moved[4*i + k]);
}

/* origin of the frame that the user knows */
static void frame_origin(const tn_model *m, const tni_data *s, const double *q, int body, double x[3]) {
  double A[9], com[3];
  tni_layout_attitude(s->layout, body, q, A);
  mat3_vec(com, A, m->body[body].com);
  vec3_sub(x, q + s->layout->qadr[body], com);
}

/* the same for `at`, which is not where the centre of mass is */
static void note_origins(const tn_model *m, const tni_data *s, const double *q0, const double *q,
                         double scale, tni_correction *c) {
  *c = (tni_correction){.scale = scale, .body = -1};
  for (int i = 0; i < m->nbody; i++) {
    double from[3], to[3], d[3];
    if (!m->body[i].wrote[TNI_AT]) continue;
    frame_origin(m, s, q0, i, from);
    frame_origin(m, s, q, i, to);
    vec3_sub(d, to, from);
    note_one(c, i, vec3_norm(d));
  }
  if (c->body < 0) return;
  frame_origin(m, s, q0, c->body, c->from);
  frame_origin(m, s, q, c->body, c->to);
}

static void note_moves(const tn_model *m, tni_data *s, const double *q0, const double *q, double *dx,
                       tni_assembly *out) {
  const tni_layout *L = s->layout;
  double most = 1e-9; /* smaller moves are rounding */
  tni_difference(s, q0, q, dx);
  for (int i = 0; i < m->nbody; i++) {
    double *moved = out->moved + 4*i;
    for (int j = L->vadr[i]; j < L->vadr[i] + L->size[i]; j++) {
      int k = L->role[j] < TNI_ROLE_TURN ? TNI_AT : TNI_TURN;
      moved[k] = hypot(moved[k], dx[j]);
    }
    if (!(fmax(moved[TNI_AT], moved[TNI_TURN]) > most)) continue;
    most = fmax(moved[TNI_AT], moved[TNI_TURN]);
    out->most_moved = i;
  }
  tni_at at = {.q = q};
  note_origins(m, s, q0, q, model_length(m, tni_look_bodies(s, &at)), &out->written[TNI_AT]);
  note_written(m, TNI_TURN, 1, out);
}

/* v0: as written, in the axes of the bodies at q */
static void note_velocities(const tn_model *m, tni_data *s, const double *q, const double *v0,
                            const double *v, tni_assembly *out) {
  const tni_layout *L = s->layout;
  double fastest[2] = {0, 0};
  for (int i = 0; i < m->nbody; i++) {
    double *moved = out->moved + 4*i, before[2] = {0, 0}, after[2] = {0, 0};
    moved[TNI_VELOCITY] = moved[TNI_SPIN] = 0;
    for (int at = L->vadr[i]; at < L->vadr[i] + L->size[i]; at++) {
      int k = L->role[at] < TNI_ROLE_TURN ? 0 : 1;
      moved[TNI_VELOCITY + k] = hypot(moved[TNI_VELOCITY + k], v[at] - v0[at]);
      before[k] = hypot(before[k], v0[at]);
      after[k] = hypot(after[k], v[at]);
    }
    for (int k = 0; k < 2; k++) fastest[k] = fmax(fastest[k], fmax(before[k], after[k]));
  }
  for (int k = 0; k < 2; k++) {
    tni_correction *c = &out->written[TNI_VELOCITY + k];
    note_written(m, TNI_VELOCITY + k, fmax(fastest[k], STILL), out);
    for (int after = 0; after < 2 && c->body >= 0; after++) {
      tni_at at = {.q = q, .v = after ? v : v0};
      const tni_kin *kin = &tni_look_bodies(s, &at)[c->body + 1];
      vec3_copy(after ? c->to : c->from, k == 0 ? kin->v : kin->W);
    }
  }
}

void tni_assembly_describe(const tni_assembly *a, const tn_model *model, int k, char *out, size_t n) {
  static const char *const what[] = {"at", "orientation", "velocity", "angular_velocity"};
  static const char *const unit[] = {"m", "rad", "m/s", "rad/s"};
  const tni_correction *c = &a->written[k];
  out[0] = 0;
  if (c->body < 0 || !(c->size > TNI_CORRECTION_NOTABLE*c->scale)) return;
  char values[160] = "", others[48] = "";
  if (k != TNI_TURN)
    snprintf(values, sizeof(values), ", from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)", c->from[0],
             c->from[1], c->from[2], c->to[0], c->to[1], c->to[2]);
  if (c->count > 1) snprintf(others, sizeof(others), " (%d bodies in all)", c->count);
  snprintf(out, n, "the written %s of body '%s' was changed by %.3g %s%s%s", what[k],
           model->body[c->body].name, c->size, unit[k], values, others);
}

void tni_assembly_warn(tn_ctx *ctx, const tn_model *model, const tni_assembly *a) {
  char line[400];
  for (int k = 0; k < TNI_NWRITTEN; k++) {
    tni_assembly_describe(a, model, k, line, sizeof(line));
    if (!line[0]) continue;
    const tni_item *item = model->body[a->written[k].body].item;
    tni_log(ctx, TN_LOG_WARNING,
            "%s:%d: %s: joints and drives do not allow it; write values that agree with them%s",
            item->at.file, item->at.line, line, k < TNI_VELOCITY ? "" : ", or leave it out");
  }
}

/* ---- velocities ---------------------------------------------------------------------------- */

/* angular velocities are components in the body: keep their direction in the ground */
static void turn_spins(const tn_model *m, const tni_data *s, const double *q0, const double *q, double *v) {
  if (m->planar) return;
  for (int i = 0; i < m->nbody; i++) {
    double A[9], W[3], *w = v + s->layout->vadr[i] + 3;
    if (m->body[i].spin_in_body || !tni_node_turns(m->body[i].kind)) continue;
    tni_layout_attitude(s->layout, i, q0, A);
    mat3_vec(W, A, w);
    tni_layout_attitude(s->layout, i, q, A);
    mat3_tvec(w, A, W);
  }
}

/* v := nearest consistent velocities to v0 */
static tn_status nearest_velocity(const tn_model *m, tni_data *s, double t, const double *q,
                                  const double *v0, const double *weight, double *target, double *v) {
  const tni_layout *L = s->layout;
  tni_project_opts o = {.velocity = true, .tol = 1e-14, .weight = weight};
  memcpy(target, v0, (size_t)s->nv*sizeof(double));
  for (int k = 0; k < MAX_PROXIMAL; k++) {
    double change = 0, size = 0;
    memcpy(v, target, (size_t)s->nv*sizeof(double));
    tn_status st = tni_project(s, t, (double *)q, v, &o, NULL);
    if (st != TN_OK && st != TN_NOT_CONVERGED) return st;
    for (int i = 0; i < L->nnode; i++)
      for (int at = L->vadr[i]; at < L->vadr[i] + L->size[i]; at++) {
        size = fmax(size, fabs(v[at]));
        if (!follows(m, s, i, at)) continue;
        change = fmax(change, fabs(v[at] - target[at]));
        target[at] = v[at];
      }
    if (!(change > 1e-14*size)) break;
  }
  return TN_OK;
}

tn_status tni_assemble_velocity(const tn_model *m, tni_data *s, double t, const double *q0,
                                const double *q, double *v, const double *guess, tni_arena *arena, tni_assembly *out) {
  double *weight, *v0, *target;
  TNI_ARENA_NEW(arena, weight, s->nv);
  TNI_ARENA_NEW(arena, v0, s->nv);
  TNI_ARENA_NEW(arena, target, s->nv);
  turn_spins(m, s, q0, q, v);
  for (int i = 0; i < s->nv && guess; i++)
    if (follows(m, s, tni_layout_owner(s->layout, i), i)) v[i] = guess[i];
  if (s->m == 0) return TN_OK;
  memcpy(v0, v, (size_t)s->nv*sizeof(double));
  tni_residuals res;
  tni_eval_residuals(s, t, q, v, NULL, &res);
  out->velocity_residual = res.velocity;
  fill_weights(m, s, true, weight);
  TN_TRY(nearest_velocity(m, s, t, q, v0, weight, target, v));
  tni_eval_residuals(s, t, q, v, NULL, &res);
  /* weights that differ by powers of ten leave more than rounding of what was far off; what is left is near */
  for (int again = 0; again < 2 && !(res.velocity <= 1e-8*(1 + out->velocity_residual)); again++) {
    tni_project_opts o = {.velocity = true, .tol = 1e-14, .weight = weight};
    tn_status st = tni_project(s, t, (double *)q, v, &o, NULL);
    if (st != TN_OK && st != TN_NOT_CONVERGED) return st;
    tni_eval_residuals(s, t, q, v, NULL, &res);
  }
  if (!(res.velocity <= 1e-8*(1 + out->velocity_residual))) {
    char name[128], why[400];
    tni_row_name(s, res.velocity_row, name, sizeof(name));
    if (tni_system_conflict(s, t, 0, q, why, sizeof(why)))
      return TN_FAIL(s->ctx, TN_INCONSISTENT, "the velocities cannot be made consistent: %s", why);
    return TN_FAIL(s->ctx, TN_INCONSISTENT,
                   "the velocities cannot be made consistent: '%s' is off by %.3g", name, res.velocity);
  }
  note_velocities(m, s, q, v0, v, out);
  return TN_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

tn_status tni_assemble(const tn_model *m, tni_data *s, double t, double *q, double *v, tni_arena *arena,
                       tni_assembly *out) {
  memset(out, 0, sizeof(*out));
  double *weight, *q0, *dx, *phi, *nearest;
  TNI_ARENA_NEW(arena, out->moved, 4*m->nbody);
  TNI_ARENA_NEW(arena, weight, s->nv);
  TNI_ARENA_NEW(arena, q0, s->nq);
  TNI_ARENA_NEW(arena, dx, s->nv);
  TNI_ARENA_NEW(arena, phi, s->m);
  out->initial_row = out->row = out->most_moved = -1;
  for (int k = 0; k < TNI_NWRITTEN; k++) out->written[k] = (tni_correction){.scale = 1, .body = -1};
  memcpy(q0, q, (size_t)s->nq*sizeof(double));
  if (s->m == 0) return TN_OK;
  tni_residuals res;
  tni_eval_residuals(s, t, q, v, NULL, &res);
  out->initial_residual = res.position;
  out->initial_row = res.position_row;
  out->velocity_residual = res.velocity;
  fill_weights(m, s, false, weight);
  if (res.position > ROUGH && s->m <= MAX_DENSE_ROWS)
    TN_TRY(damped_phase(s, t, q, weight, arena, &out->iterations));
  TNI_ARENA_NEW(arena, nearest, s->nq);
  memcpy(nearest, q, (size_t)s->nq*sizeof(double));
  TN_TRY(newton_phase(s, t, q, v, weight, phi, out));
  if (!(out->residual <= ASSEMBLY_TOL)) {
    /* Newton may have run off: what is missing shows where the first phase came nearest */
    tni_eval_phi(s, t, nearest, phi);
    int row;
    double residual = largest(phi, s->m, &row);
    if (!(residual >= out->residual)) {
      memcpy(q, nearest, (size_t)s->nq*sizeof(double));
      out->residual = residual;
      out->row = row;
      TN_TRY(tni_update_rank(s, t, q));
    }
    return inconsistent(s, out, t, q);
  }
  note_moves(m, s, q0, q, dx, out);
  return tni_assemble_velocity(m, s, t, q0, q, v, NULL, arena, out);
}
