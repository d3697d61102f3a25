/* integrators/descriptor.c - the engine of implicit one-step methods on the whole system
 *
 * A step from (t_0, q_0, v_0):
 *
 *   tangents M, D, K of the residual r = M a + C^T lambda - f, and C       (when needed again)
 *   W = ( mass M + gamma h D + beta h^2 K   C^T ; C   0 ), sparse LU       (once per h)
 *   x_1, v_1 and their error by the formula, Newton's method with W
 *   projection of the end onto the constraints, accelerations and multipliers there
 *
 * Stages are on the constraints at all three levels. What their positions and velocities lack is
 * corrected along the columns of A^-1 C^T, A the upper left block of W: directions that stay the
 * same for the whole step. Coordinates along the constraints are not changed by that, so the
 * formula acts on them as on an ordinary differential equation and keeps its order: this is the
 * reduction to the tangent plane without ever forming a basis of it.
 *
 * W leaves out how C, gamma and the corrections change with the state; none of that is stiff, and
 * Newton's iteration contracts by O(h).
 *
 * Tangents are kept for the next step while Newton's iteration contracts fast with them, and the
 * step size too when it would change little, which then saves the factorization.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/descriptor.h"

#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "integrators/control.h"
#include "nonlinear/rest_domains.h"

#define FACTOR_MAX 5.0
#define NEAR_ENOUGH 0.3 /* of the tolerance: rounding next to a singular position, when other steps did not help */
#define KEEP 0.05      /* contraction below which tangents serve another step                */
#define SAME_STEP 1.2  /* a larger step by less than this is not worth a factorization       */
#define PI_ROUNDED 3.141592653589793
enum { NEWTON_MAX_EQUAL = 40, TURN_PASSES = 3 };

static tni_descriptor *of(tni_integrator *it) { return (tni_descriptor *)(void *)it; }

/* ---- create -------------------------------------------------------------------------------- */

/* factors by domains where they are asked for and can be */
static tn_status cut_meshes(tni_descriptor *d) {
  static const double EXACT = 1e-12; /* of the forces: Newton's method and error estimates take solutions for exact */
  const tni_integrator_opts *o = &d->base.opts;
  tni_data *s = d->base.s;
  if (o->by_domains <= 0 || d->tree || d->formula->is_complex) return TN_OK;
  tni_cut_solver solver = (tni_cut_solver)(o->by_domains - 1);
  int ranks = tni_comm_of(s->ctx) ? tni_comm_of(s->ctx)->size : 1;
  tni_rest_cut_opts c = {.solver = solver, .domains = o->domains > 0 ? o->domains : tni_rest_cut_usual(s, solver, o->decomposer, ranks), .rule = o->decomposer,
                         .tolerance = EXACT, .moving = true};
  tn_status st = tni_rest_cut_create(s, &c, &d->cut);
  if (st != TN_ERR_UNSUPPORTED || !o->domains_chosen) return st;
  tni_log(s->ctx, TN_LOG_INFO, "every rank factors the whole: %s", tn_ctx_message(s->ctx));
  return TN_OK;
}

static tn_status allocate(tni_descriptor *d) {
  tni_arena *arena = &d->base.arena;
  const tni_data *s = d->base.s;
  const tni_descriptor_formula *f = d->formula;
  size_t n = (size_t)s->nv, m = (size_t)s->m;
  double **vectors[] = {&d->x1, &d->v1, &d->ex, &d->ev, &d->r, &d->size0, &d->size1, &d->dx, &d->dv,
                        &d->bend, &d->alpha, &d->beta};
  double **rows[] = {&d->phi, &d->rate, &d->gap};
  double **square[] = {&d->M, &d->D, &d->K, &d->W};
  for (int i = 0; i < TNI_COUNT(vectors); i++) TNI_ARENA_NEW(arena, *vectors[i], n);
  for (int i = 0; i < TNI_COUNT(rows); i++) TNI_ARENA_NEW(arena, *rows[i], m);
  d->tree = s->recursive;
  d->constant = tni_system_is_linear(s);
  if (!d->tree) TN_TRY(tni_prepare_pattern(d->base.s));
  for (int i = 0; i < TNI_COUNT(square) && !d->tree; i++)
    TNI_ARENA_NEW(arena, *square[i], s->square->nnz);
  TN_TRY(tni_state_create_in(arena, d->base.s, &d->old));
  TN_TRY(tni_state_create_in(arena, d->base.s, &d->next));
  TN_TRY(tni_quadrature_create(arena, s, &d->inside));
  d->inside.points = f->points;
  if (f->points) TNI_ARENA_NEW(arena, d->inside.stiff, n);
  TNI_ARENA_NEW(arena, d->q_stage, s->nq);
  TNI_ARENA_NEW(arena, d->b, n + m);
  TNI_ARENA_NEW(arena, d->scaled, 4*n);
  TNI_ARENA_NEW(arena, d->v_at, n);
  TNI_ARENA_NEW(arena, d->a_at, n);
  TNI_ARENA_NEW(arena, d->q_at, s->nq);
  TNI_ARENA_NEW(arena, d->work, (size_t)f->nwork*n);
  TNI_ARENA_NEW(arena, d->rows, (size_t)f->nrows*m);
  TNI_ARENA_NEW(arena, d->keep, (size_t)f->nkeep*n);
  TNI_ARENA_NEW(arena, d->keep_rows, (size_t)f->nkeep_rows*m);
  TNI_ARENA_NEW(arena, d->turn, n);
  TN_TRY(tni_scale_create(arena, s, &d->scale));
  /* three components that no coordinate follows alone are a rotation */
  for (int j = 0; j + 2 < s->nv; j++) {
    if (d->scale.nrow[j]) continue;
    d->turn[d->nturn++] = j;
    j += 2;
  }
  TNI_ARENA_NEW(arena, d->a_stage, n);
  if (f->is_complex) TNI_ARENA_NEW(arena, d->bz, 2*(n + m));
  if (d->tree) return TN_OK;
  TNI_ARENA_NEW(arena, d->C, s->rows->nnz);
  TNI_ARENA_NEW(arena, d->Cv_q, s->rows->nnz);
  TN_TRY(cut_meshes(d));
  if (d->cut) return TN_OK;
  TN_TRY(tni_saddle_create(d->base.ctx, s->square, s->rows, false, &d->lu));
  if (d->constant) TN_TRY(tni_saddle_expect_definite(d->lu));
  if (s->m > 0) TN_TRY(tni_saddle_create(d->base.ctx, s->square, s->rows, false, &d->across));
  TNI_ARENA_NEW(arena, d->C_stage, s->rows->nnz);
  if (s->velocity_only) {
    TNI_ARENA_NEW(arena, d->has_position, m);
    TN_TRY(tni_saddle_create(d->base.ctx, s->square, s->rows, false, &d->lu_position));
  }
  if (!f->is_complex) return TN_OK;
  TNI_ARENA_NEW(arena, d->Wz, 2*(size_t)s->square->nnz);
  return tni_saddle_create(d->base.ctx, s->square, s->rows, true, &d->luz);
}

tn_status tni_descriptor_create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                                const tni_integrator_type *type,
                                const tni_descriptor_formula *formula, tni_integrator **out) {
  *out = NULL;
  TN_REQUIRE(ctx, tni_has_tangents(s), TN_ERR_UNSUPPORTED,
             "implicit methods need exact tangents, which this system does not have");
  tni_descriptor *d = tni_alloc(ctx, 1, sizeof(*d));
  if (!d) return tni_out_of_memory(ctx);
  d->own = *formula;
  d->formula = &d->own;
  d->kappa = opts->kappa > 0 ? opts->kappa
                             : tni_newton_share(opts->rtol, formula->order, formula->error_order)*
                                   (formula->newton > 0 ? formula->newton : 1);
  tn_status st = tni_integrator_init(&d->base, type, ctx, s, opts);
  if (st == TN_OK && formula->setup) st = formula->setup(d);
  if (st == TN_OK) st = allocate(d);
  if (st != TN_OK) {
    tni_descriptor_destroy(&d->base);
    return st;
  }
  *out = &d->base;
  return TN_OK;
}

void tni_descriptor_destroy(tni_integrator *it) {
  if (!it) return;
  tni_descriptor *d = of(it);
  tni_saddle_destroy(&d->lu);
  tni_saddle_destroy(&d->lu_position);
  tni_saddle_destroy(&d->across);
  tni_saddle_destroy(&d->luz);
  tni_rest_cut_destroy(&d->cut);
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

/* ---- services for the formulas ------------------------------------------------------------- */

/* factors of a tree for a step h; h = 0: of the mass alone */
static bool factor_tree(tni_descriptor *d, double h) {
  tni_data *s = d->base.s;
  const tni_descriptor_formula *f = d->formula;
  double re = f->second[0]*h, im = f->second[1]*h, g[2] = {re, im}, b[2] = {re*re - im*im, 2*re*im};
  if (h == 0) return tni_newton_factor(s, 1, 0, 0, TNI_TURNS_NONE);
  return tni_newton_factor(s, f->mass, f->gamma*h, f->beta*h*h, TNI_TURNS_NONE) &&
         (!f->is_complex || tni_newton_factor_complex(s, g, b));
}

/* The system keeps the matrices of a tree, and others may have asked it for theirs since. */
static void claim(tni_descriptor *d) {
  tni_data *s = d->base.s;
  if (s->newton_owner == d) return;
  tni_newton_at(s, d->t_at, d->q_at, d->v_at, d->a_at, NULL);
  s->newton_owner = d;
  factor_tree(d, d->h_factored);
}

void tni_descriptor_solve(tni_descriptor *d, double *b) {
  tni_data *s = d->base.s;
  if (d->tree) {
    claim(d);
    tni_newton_solve(s, b);
  } else if (d->cut) {
    /* all ranks are told the same: what did not converge is no solution, and the step becomes shorter */
    if (tni_rest_cut_solve(d->cut, b) != TN_OK)
      for (int i = 0; i < s->nv; i++) b[i] = NAN;
  } else {
    tni_saddle_solve(d->lu, 1, b);
  }
}

void tni_descriptor_solve_complex(tni_descriptor *d, double *b) {
  tni_data *s = d->base.s;
  if (d->tree) {
    claim(d);
    tni_newton_solve_complex(s, b);
  } else {
    tni_saddle_solve(d->luz, 1, b);
  }
}

void tni_descriptor_multiply(tni_descriptor *d, double fK, const double *x, double fD, const double *v,
                             double fM, const double *a, double *y) {
  tni_data *s = d->base.s;
  if (!d->tree) {
    if (a) tni_sparse_add(s->square, fM, d->M, a, y);
    if (x) tni_sparse_add(s->square, fK, d->K, x, y);
    if (v) tni_sparse_add(s->square, fD, d->D, v, y);
    return;
  }
  claim(d);
  double *dx = d->scaled, *dv = dx + s->nv, *da = dv + s->nv, *product = da + s->nv;
  for (int i = 0; i < s->nv; i++) {
    dx[i] = x ? fK*x[i] : 0;
    dv[i] = v ? fD*v[i] : 0;
    da[i] = a ? fM*a[i] : 0;
  }
  tni_newton_apply(s, x ? dx : NULL, v ? dv : NULL, a ? da : NULL, product);
  for (int i = 0; i < s->nv; i++) y[i] += product[i];
}

/* T^-1 = 1 + ~x/2 + k ~x^2,  k = (1 - (|x|/2) cot(|x|/2))/|x|^2 */
static double inverse_coefficient(double u) {
  if (u < 0.0625)
    return 1.0/12 + u*(1.0/720 + u*(1.0/30240 + u*(1.0/1209600 + u*(1.0/47900160))));
  double half = 0.5*sqrt(u);
  return (1 - half*cos(half)/sin(half))/u;
}

void tni_descriptor_rate(const tni_descriptor *d, const double *x, const double *v, double *xd) {
  memcpy(xd, v, (size_t)d->base.s->nv*sizeof(double));
  for (int k = 0; k < d->nturn; k++) {
    int j = d->turn[k];
    double c[3], cc[3], f = inverse_coefficient(vec3_dot(x + j, x + j));
    vec3_cross(c, x + j, v + j);
    vec3_cross(cc, x + j, c);
    for (int i = 0; i < 3; i++) xd[j+i] += 0.5*c[i] + f*cc[i];
  }
}

tn_status tni_descriptor_place(tni_descriptor *d, const double *x, tni_cause *cause) {
  const tni_integrator *it = &d->base;
  for (int j = 0; j < it->s->nv; j++) {
    if (isfinite(x[j])) continue;
    *cause = (tni_cause){TNI_CAUSE_NONFINITE, j, 0};
    return TN_STEP_REJECTED;
  }
  for (int k = 0; k < d->nturn; k++) {
    if (vec3_norm(x + d->turn[k]) <= PI_ROUNDED) continue;
    *cause = (tni_cause){TNI_CAUSE_ERROR, d->turn[k], HUGE_VAL};
    return TN_STEP_REJECTED;
  }
  tni_retract(it->s, it->now.q, x, d->q_stage);
  return TN_OK;
}

/* Residual of relative coordinates without constraints: what the accelerations lack, times the mass of the tangents,
 * M_0 (a - a*(t, x, v)), instead of M a - f. Both vanish together. But M is badly conditioned there, because a hinge near
 * the ground carries thousands of times the inertia of the twist of one link; M_0 serves for M of another place only as far
 * as its small eigenvalues stay, and a turn by 1e-3 lets half of a correction come back. Of M_0 M^-1 W that is not true:
 * what is left of M in it are accelerations by forces, which bodies have in any coordinates. It costs more, and is used
 * from where tangents of the same state have not served well (d->lacks). */
static tn_status lacking(tni_descriptor *d, double t, const double *v, const double *a, tni_cause *cause) {
  tni_data *s = d->base.s;
  tn_status st;
  TNI_TIMED(&d->base, TNI_PHASE_ACCEL, st, tni_accel(s, t, d->q_stage, v, d->a_stage, NULL, NULL));
  *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
  TN_TRY(st);
  for (int i = 0; i < s->nv; i++) {
    d->a_stage[i] = a[i] - d->a_stage[i];
    d->r[i] = 0;
  }
  tni_descriptor_multiply(d, 0, NULL, 0, NULL, 1, d->a_stage, d->r);
  return TN_OK;
}

tn_status tni_descriptor_residual(tni_descriptor *d, double t, const double *x, const double *v,
                                  const double *a, const double *lambda, tni_cause *cause) {
  tni_data *s = d->base.s;
  for (int j = 0; j < s->nv; j++) {
    if (isfinite(v[j])) continue;
    *cause = (tni_cause){TNI_CAUSE_NONFINITE, j, 0};
    return TN_STEP_REJECTED;
  }
  TN_TRY(tni_descriptor_place(d, x, cause));
  if (d->lacks) return lacking(d, t, v, a, cause);
  s->work.naccel++;
  double began = tni_wall_time();
  tni_eval_balance(s, t, d->q_stage, v, a, lambda, d->r, d->phi, d->rate, d->gap);
  d->base.stats.seconds[TNI_PHASE_ACCEL] += tni_wall_time() - began;
  return TN_OK;
}

double tni_descriptor_norm(tni_descriptor *d, const double *dx, const double *dv, int *worst) {
  const tni_integrator *it = &d->base;
  tni_norm w = tni_norm_at(it, d->size0, it->now.v);
  return tni_norm_error(&w, it->s->nv, dx, dv, worst);
}

void tni_descriptor_corrections(tni_descriptor *d, const double *phi, const double *rate,
                                double *cx, double *cv) {
  const tni_data *s = d->base.s;
  int n = s->nv, m = s->m;
  size_t bytes = (size_t)n*sizeof(double);
  memset(d->b, 0, bytes);
  for (int r = 0; r < m; r++) d->b[n + r] = -phi[r];
  if (m > 0) tni_saddle_solve(d->lu_position ? d->lu_position : d->lu, 1, d->b);
  memcpy(cx, d->b, bytes);
  memset(d->b, 0, bytes);
  for (int r = 0; r < m; r++) d->b[n + r] = -rate[r];
  if (m > 0) {
    tni_sparse_add(s->rows, -1, d->Cv_q, cx, d->b + n);
    tni_saddle_solve(d->lu, 1, d->b);
  }
  memcpy(cv, d->b, bytes);
}

void tni_descriptor_force(tni_descriptor *d, const double *cx, const double *cv, double *out) {
  const tni_data *s = d->base.s;
  for (int i = 0; i < s->nv; i++) out[i] = -d->r[i];
  if (s->m == 0) return;
  tni_descriptor_multiply(d, -1, cx, -1, cv, 0, NULL, out);
}

tni_newton tni_descriptor_progress(const tni_descriptor *d) {
  return (tni_newton){.share = d->kappa,
                      .rounding = fmax(d->near && d->tired ? NEAR_ENOUGH : TNI_NEWTON_ENOUGH, d->noise),
                      .max = d->base.opts.max_iterations > 0 ? d->base.opts.max_iterations
                             : d->base.opts.equal_steps ? NEWTON_MAX_EQUAL : TNI_NEWTON_MAX};
}

tn_status tni_descriptor_newton(tni_descriptor *d, tni_newton *n, double size, tni_cause *cause) {
  d->base.stats.newton++;
  tn_status st = tni_newton_next(n, size, cause);
  d->contraction = fmax(d->contraction, n->slowest);
  return st;
}

/* the state that belongs to the unknowns of the stage */
static void place_stage(const tni_descriptor *d, double gh, const tni_stage *g) {
  int n = d->base.s->nv;
  for (int i = 0; i < n; i++) g->v[i] = g->v_known[i] + gh*g->a[i] + g->cv[i];
  for (int pass = 0; pass < (d->nturn ? TURN_PASSES : 1); pass++) {
    tni_descriptor_rate(d, g->x, g->v, g->xd);
    for (int i = 0; i < n; i++) g->x[i] = g->x_known[i] + gh*g->xd[i] + g->cx[i];
  }
  tni_descriptor_rate(d, g->x, g->v, g->xd);
}

/* the same with care */
static tn_status near_stage(tni_descriptor *d, double t, double h, const tni_stage *g,
                            tni_cause *cause) {
  int n = d->base.s->nv;
  double gh = d->formula->gamma*h, *b = d->b;
  tni_newton newton = tni_descriptor_progress(d);
  tn_status st = TN_NOT_CONVERGED;
  for (;;) {
    place_stage(d, gh, g);
    TN_TRY(tni_descriptor_settle(d, t, g->x, g->v, d->dx, d->dv, g->lambda, cause));
    for (int i = 0; i < n; i++) {
      g->cx[i] += d->dx[i] - gh*d->dv[i]; /* x follows v by itself */
      g->cv[i] += d->dv[i];
    }
    if (st == TN_OK) break;
    tni_descriptor_lack(d, g->a, b, b + n);
    tni_descriptor_solve(d, b);
    for (int i = 0; i < n; i++) {
      g->a[i] += b[i];
      d->dx[i] = gh*gh*b[i];
      d->dv[i] = gh*b[i];
    }
    tni_descriptor_along(d, d->dx, d->dv);
    double size = tni_descriptor_norm(d, d->dx, d->dv, &cause->index);
    st = tni_descriptor_newton(d, &newton, size, cause);
    if (st == TN_STEP_REJECTED) return st;
  }
  memcpy(g->a, d->a_stage, (size_t)n*sizeof(double));
  tni_descriptor_rate(d, g->x, g->v, g->xd);
  return TN_OK;
}

tn_status tni_descriptor_stage(tni_descriptor *d, double t, double h, const tni_stage *g,
                               tni_cause *cause) {
  if (d->near) return near_stage(d, t, h, g, cause);
  int n = d->base.s->nv, m = d->base.s->m;
  double gh = d->formula->gamma*h, *b = d->b;
  tni_newton newton = tni_descriptor_progress(d);
  for (;;) {
    place_stage(d, gh, g);
    TN_TRY(tni_descriptor_residual(d, t, g->x, g->v, g->a, g->lambda, cause));
    /* the change of a will do its own part across the constraints */
    for (int r = 0; r < m; r++) {
      d->phi[r] -= gh*gh*d->gap[r];
      d->rate[r] -= gh*d->gap[r];
    }
    tni_descriptor_corrections(d, d->phi, d->rate, d->dx, d->dv);
    tni_descriptor_force(d, d->dx, d->dv, b);
    for (int r = 0; r < m; r++) b[n + r] = -d->gap[r];
    tni_descriptor_solve(d, b);
    for (int i = 0; i < n; i++) {
      g->cx[i] += d->dx[i] - gh*d->dv[i]; /* x follows v by itself */
      g->cv[i] += d->dv[i];
      g->a[i] += b[i];
      d->dx[i] += gh*gh*b[i];
      d->dv[i] += gh*b[i];
    }
    for (int r = 0; r < m; r++) g->lambda[r] += b[n + r];
    double size = tni_descriptor_norm(d, d->dx, d->dv, &cause->index);
    tn_status st = tni_descriptor_newton(d, &newton, size, cause);
    if (st == TN_NOT_CONVERGED) continue;
    if (st == TN_OK) place_stage(d, gh, g);
    return st;
  }
}

void tni_descriptor_filter(tni_descriptor *d, double h, double *ex, double *ev) {
  const tni_data *s = d->base.s;
  int n = s->nv;
  double gh = d->formula->gamma*h, *b = d->b;
  memset(b, 0, (size_t)(n + s->m)*sizeof(double));
  tni_descriptor_multiply(d, -gh, ex, 0, NULL, 1, ev, b);
  tni_descriptor_solve(d, b);
  for (int i = 0; i < n; i++) {
    ev[i] = b[i];
    ex[i] += gh*b[i];
  }
}

/* x := its part along the constraints of positions, with the directions of the step. Rows that bind
 * velocities only hold no position: what is wrong across them stays wrong. */
static void take_along(tni_descriptor *d, double *x) {
  const tni_data *s = d->base.s;
  if (s->m == 0) return;
  memset(d->b, 0, (size_t)(s->nv + s->m)*sizeof(double));
  tni_sparse_add(s->square, 1, d->W, x, d->b);
  tni_saddle_solve(d->lu_position ? d->lu_position : d->lu, 1, d->b);
  memcpy(x, d->b, (size_t)s->nv*sizeof(double));
}

void tni_descriptor_first_order(tni_descriptor *d, double h, const double *a0, const double *a1) {
  const tni_integrator *it = &d->base;
  for (int i = 0; i < it->s->nv; i++) {
    d->ex[i] = h/4*(d->v1[i] - it->now.v[i]);
    d->ev[i] = h/4*(a1[i] - a0[i]);
  }
  take_along(d, d->ex);
  if (!d->first) tni_descriptor_filter(d, h, d->ex, d->ev);
}

/* ---- start --------------------------------------------------------------------------------- */

/* As large as the first derivative allows: the second one is huge in a stiff system and says
 * nothing. */
static double first_step(tni_descriptor *d) {
  tni_integrator *it = &d->base;
  double span = it->opts.t_end - it->now.t;
  tni_scale_size(&d->scale, it->now.q, d->size0);
  double d0 = tni_descriptor_norm(d, d->size0, it->now.v, NULL);
  double d1 = tni_descriptor_norm(d, it->now.v, it->now.a, NULL);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6*span : 0.01*d0/d1;
  double h1 = d1 <= 1e-15 ? h0 : pow(0.01/d1, 1.0/(d->formula->order + 1));
  return fmin(fmin(100*h0, h1), span);
}

static tn_status find_tangents(tni_descriptor *d) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  it->stats.jacobians++;
  d->fresh = d->usable = true;
  d->h_factored = 0;
  if (d->tree) {
    d->t_at = it->now.t;
    memcpy(d->q_at, it->now.q, (size_t)s->nq*sizeof(double));
    memcpy(d->v_at, it->now.v, (size_t)s->nv*sizeof(double));
    memcpy(d->a_at, it->now.a, (size_t)s->nv*sizeof(double));
    tni_newton_at(s, it->now.t, it->now.q, it->now.v, it->now.a, NULL);
    s->newton_owner = d;
    return TN_OK;
  }
  if (d->cut) {
    d->t_at = it->now.t;
    memcpy(d->q_at, it->now.q, (size_t)s->nq*sizeof(double));
    memcpy(d->v_at, it->now.v, (size_t)s->nv*sizeof(double));
  }
  tni_sparse_tangent out = {.M = d->M, .r_q = d->K, .r_v = d->D, .C = d->C,
                            .Cv_q = d->Cv_q};
  return tni_eval_sparse_tangent(s, it->now.t, it->now.q, it->now.v, it->now.a, it->now.lambda, &out);
}

static tn_status evaluate_tangents(tni_descriptor *d) {
  tn_status st;
  TNI_TIMED(&d->base, TNI_PHASE_MATRICES, st, find_tangents(d));
  return st;
}

static tn_status factor_all(tni_descriptor *d, double h) {
  const tni_data *s = d->base.s;
  const tni_descriptor_formula *f = d->formula;
  double g = f->gamma*h, b = f->beta*h*h;
  const bool *active = s->rank ? s->rank->independent : NULL;
  if (d->tree) {
    claim(d);
    if (!factor_tree(d, h)) return TN_SINGULAR;
    d->base.stats.factorizations += f->is_complex ? 2 : 1;
    d->h_factored = h;
    return TN_OK;
  }
  if (d->cut) {
    tni_part_sum sum = {.K = b, .D = g, .M = f->mass};
    TN_TRY(tni_rest_cut_factor_sum(d->cut, d->t_at, d->q_at, d->v_at, &sum));
    d->base.stats.factorizations++;
    d->h_factored = h;
    return TN_OK;
  }
  for (int k = 0; k < s->square->nnz; k++) d->W[k] = f->mass*d->M[k] + g*d->D[k] + b*d->K[k];
  TN_TRY(tni_saddle_factor(d->lu, d->W, d->C, active, TNI_SADDLE_REGULAR));
  if (d->lu_position) {
    for (int r = 0; r < s->m; r++)
      d->has_position[r] = (!active || active[r]) && !s->velocity_only[r];
    TN_TRY(tni_saddle_factor(d->lu_position, d->W, d->C, d->has_position, TNI_SADDLE_REGULAR));
  }
  if (f->is_complex) {
    double re = f->second[0]*h, im = f->second[1]*h, re2 = re*re - im*im, im2 = 2*re*im;
    for (int k = 0; k < s->square->nnz; k++) {
      d->Wz[2*k] = d->M[k] + re*d->D[k] + re2*d->K[k];
      d->Wz[2*k + 1] = im*d->D[k] + im2*d->K[k];
    }
    TN_TRY(tni_saddle_factor(d->luz, d->Wz, d->C, active, TNI_SADDLE_REGULAR));
  }
  d->base.stats.factorizations += f->is_complex ? 2 : 1;
  d->h_factored = h;
  return TN_OK;
}

static tn_status factor(tni_descriptor *d, double h) {
  tn_status st;
  TNI_TIMED(&d->base, TNI_PHASE_FACTORS, st, factor_all(d, h));
  return st;
}

tn_status tni_descriptor_follow(tni_descriptor *d, double t, double h, const double *v, const double *a, const double *lambda) {
  tni_sparse_tangent out = {.M = d->M, .r_q = d->K, .r_v = d->D, .C = d->C, .Cv_q = d->Cv_q};
  tn_status st;
  d->base.stats.jacobians++;
  d->followed = true;
  TNI_TIMED(&d->base, TNI_PHASE_MATRICES, st, tni_eval_sparse_tangent(d->base.s, t, d->q_stage, v, a, lambda, &out));
  TN_TRY(st);
  return factor(d, h);
}

tn_status tni_descriptor_soften(tni_descriptor *d, double h, double part, double *a) {
  size_t bytes = (size_t)d->base.s->nv*sizeof(double);
  double gamma = d->own.gamma;
  d->own.gamma = 0;
  tn_status st = factor(d, part*h);
  d->own.gamma = gamma;
  TN_TRY(st);
  memset(d->b, 0, bytes);
  tni_descriptor_multiply(d, 0, NULL, 0, NULL, d->formula->mass, a, d->b);
  tni_descriptor_solve(d, d->b);
  memcpy(a, d->b, bytes);
  return factor(d, h);
}

tn_status tni_descriptor_start(tni_integrator *it, double t, const double *q, const double *v,
                               const double *z) {
  it->way = it->ways = 0;
  tni_descriptor *d = of(it);
  tni_data *s = it->s;
  tni_state_set(&it->now, s, t, q, v, z);
  tni_normalize(s, it->now.q);
  it->now.t = it->t_old = t;
  if (it->opts.hmin == 0) it->opts.hmin = 1e-12*fabs(it->opts.t_end - t);
  d->first = true;
  d->fresh = d->has_dense = d->lacks = false;
  d->usable = d->usable && d->constant;
  d->work_done.n = 0;
  tni_cause cause = {TNI_CAUSE_ACCEL, -1, 0};
  tn_status st = tni_accel(s, t, it->now.q, it->now.v, it->now.a, it->now.lambda, d->zdot);
  if (st < 0) return st;
  if (st > 0) return tni_no_progress(it, t, 0, &cause);
  it->has_accel = true;
  d->err_old = TNI_ERROR_FLOOR;
  d->h = it->opts.h;
  if (d->h == 0 && it->opts.t_end > t) d->h = first_step(d);
  d->h = fmin(d->h, it->opts.hmax);
  it->stats.h_next = d->h;
  if (d->formula->start) d->formula->start(d);
  /* the factors are made here too, because choosing pivots allocates */
  if (!d->usable) TN_TRY(evaluate_tangents(d));
  st = d->h > 0 && d->h != d->h_factored ? factor(d, d->h) : TN_OK;
  if (st == TN_OK && d->h > 0 && d->across) {
    const bool *active = s->rank ? s->rank->independent : NULL;
    st = tni_saddle_factor_oblique(d->across, d->W, d->C, d->C, active);
  }
  return st < 0 ? st : TN_OK;
}

/* Power method, (x, v) -> (v, a) with M a + C^T l = -K x - D v, C a = 0: the linearised motion along
 * the constraints, with the tangents of the start. */
double tni_descriptor_model_rate(tni_integrator *it) {
  enum { ROUNDS = 12 };
  tni_descriptor *d = of(it);
  const tni_data *s = it->s;
  int n = s->nv;
  double rate = 1, growth, pair = 1, *x = d->ex, *v = d->ev, *b = d->b;
  const bool *active = s->rank ? s->rank->independent : NULL;
  d->h_factored = 0; /* the factors become those of h = 0 */
  if (d->tree) {
    claim(d);
    if (!factor_tree(d, 0)) return 0;
  } else if (d->cut) {
    /* lumped masses are divided by, below */
  } else if (tni_saddle_factor(d->lu, d->M, d->C, active, TNI_SADDLE_REGULAR) != TN_OK) {
    return 0;
  }
  tni_power_begin(n, x, v);
  for (int k = 0; k < ROUNDS && rate > 0; k++) {
    memset(b, 0, (size_t)(n + s->m)*sizeof(double));
    tni_descriptor_multiply(d, -1, x, -1, v, 0, NULL, b);
    for (int i = 0; i < n && d->cut; i++) b[i] /= d->M[tni_sparsity_find(s->square, i, i)];
    if (!d->cut) tni_descriptor_solve(d, b);
    growth = tni_power_round(n, rate, x, v, b);
    /* Lengths are measured alike in two rounds: a vibration turns (x, v) to (v, x'') and back, and the growth of one round says
     * nothing of its rate unless the weight is that already. */
    pair *= growth;
    if (growth == 0) rate = 0;
    else if (k % 2) rate = sqrt(pair), pair = 1;
  }
  return rate;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* An error of positions along the constraints is one of velocities, too: at another place the
 * constraints ask for other velocities, C dv = -(C v + Phi_t)_q ex. By a difference of states, because
 * the tangents may be old. */
#define APART 1e-6
static void add_error_of_place(tni_descriptor *d, double t_new) {
  tni_data *s = d->base.s;
  int n = s->nv;
  double large = 0, *rate = d->b + n;
  for (int i = 0; i < n; i++) large = fmax(large, fabs(d->ex[i]));
  if (s->m == 0 || !(large > 0) || !isfinite(large)) return;
  double f = APART/large;
  for (int i = 0; i < n; i++) d->dx[i] = f*d->ex[i];
  tni_retract(s, d->next.q, d->dx, d->q_stage);
  tni_eval_rate(s, t_new, d->q_stage, d->v1, rate);
  tni_eval_rate(s, t_new, d->next.q, d->v1, d->rate);
  memset(d->b, 0, (size_t)n*sizeof(double));
  for (int r = 0; r < s->m; r++) rate[r] = (d->rate[r] - rate[r])/f;
  tni_saddle_solve(d->lu, 1, d->b);
  for (int i = 0; i < n; i++) d->ev[i] += d->b[i];
}

/* error of the attempt in units of the tolerance */
static double attempt_error(tni_descriptor *d, double t_new, tni_cause *cause) {
  tni_integrator *it = &d->base;
  cause->kind = TNI_CAUSE_ERROR;
  tni_scale_size(&d->scale, d->next.q, d->size1);
  tni_norm w = tni_norm_at(it, d->size0, it->now.v);
  w.size1 = d->size1;
  w.v1 = d->v1;
  cause->value = tni_norm_error(&w, it->s->nv, d->ex, d->ev, &cause->index);
  cause->value = tni_error_seen(it, t_new, d->next.q, d->v1, d->ex, d->ev, d->formula->bodies, cause->value);
  if (d->formula->adds_up)
    cause->value *= tni_adding_up(it, tni_mean_step(it, t_new - it->now.t), d->formula->error_order, TNI_USUAL_TIMES);
  return cause->value;
}

/* Rates of the quadratures in the middle of the first step, where there is no history to
 * interpolate: at the state of the cubic polynomial of the ends. */
static tn_status middle_rates(tni_descriptor *d, double h) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  double *x = d->alpha, *v = d->beta;
  tni_difference(s, it->now.q, d->next.q, d->x1);
  tni_descriptor_rate(d, d->x1, d->next.v, d->dx);
  for (int j = 0; j < s->nv; j++) {
    x[j] = 0.5*d->x1[j] + h/8*(it->now.v[j] - d->dx[j]);
    v[j] = 1.5*d->x1[j]/h - 0.25*(it->now.v[j] + d->dx[j]);
  }
  tni_retract(s, it->now.q, x, d->q_stage);
  return tni_accel(s, it->now.t + 0.5*h, d->q_stage, v, d->dx, d->phi, d->zdot_middle);
}

/* Where everything is prescribed there is no error along the constraints, steps grow without end, meet the
 * constraints some turns ahead or on another branch, and nothing inside them is right. So where the
 * estimate sees nothing, a component must have moved as its velocities at both ends say. */
static bool is_astray(const tni_descriptor *d, double h, double err, tni_cause *cause) {
  if (err > TNI_ERROR_FLOOR) return false;
  for (int i = 0; i < d->base.s->nv; i++) {
    double v0 = h*d->base.now.v[i], v1 = h*d->next.v[i], x = d->x1[i];
    double off = fabs(x - 0.5*(v0 + v1)), motion = fmax(fabs(x), fmax(fabs(v0), fabs(v1)));
    *cause = (tni_cause){TNI_CAUSE_JUMP, i, off};
    if (tni_is_jump(off, motion)) return true;
  }
  return false;
}

static tn_status attempt(tni_descriptor *d, double h, double t_new, double *err,
                         tni_cause *cause) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  size_t bytes = (size_t)s->nv*sizeof(double);
  *err = INFINITY;
  if (d->followed) d->usable = d->followed = false;
  if (!d->usable) TN_TRY(evaluate_tangents(d));
  if (d->h_factored != h) {
    *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
    TN_TRY(factor(d, h));
  }
  d->contraction = 0;
  tni_scale_size(&d->scale, it->now.q, d->size0);
  TN_TRY(d->formula->advance(d, h, cause));
  tni_retract(s, it->now.q, d->x1, d->next.q);
  if (d->near) tni_descriptor_along(d, d->ex, d->ev);
  else if (d->formula->place_error) add_error_of_place(d, t_new);
  *err = attempt_error(d, t_new, cause);
  if (!isfinite(*err)) {
    cause->kind = TNI_CAUSE_NONFINITE;
    return TN_STEP_REJECTED;
  }
  if (*err > 1 && !it->opts.equal_steps) return TN_OK;
  bool moved;
  memcpy(d->next.v, d->v1, bytes);
  tn_status st;
  TNI_TIMED(it, TNI_PHASE_RECOVERY, st, tni_integrator_project(it, t_new, d->next.q, d->next.v, &moved, cause));
  TN_TRY(st);
  if (!it->opts.equal_steps && is_astray(d, h, *err, cause)) return TN_STEP_REJECTED;
  *cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
  if (d->work_done.n == 0) TN_TRY(middle_rates(d, h));
  TNI_TIMED(it, TNI_PHASE_ACCEL, st,
            tni_accel(s, t_new, d->next.q, d->next.v, d->next.a, d->next.lambda, d->zdot_new));
  TN_TRY(st);
  for (int j = 0; j < s->nv; j++) {
    if (isfinite(d->next.a[j])) continue;
    *cause = (tni_cause){TNI_CAUSE_NONFINITE, j, 0};
    return TN_STEP_REJECTED;
  }
  return TN_OK;
}

static bool can_lack(const tni_descriptor *d) { return d->base.s->relative && d->base.s->m == 0; }

static void accept(tni_descriptor *d, double h, double t_new) {
  tni_integrator *it = &d->base;
  tni_data *s = it->s;
  if (d->formula->accepted) d->formula->accepted(d, h);
  tni_state_copy(&d->old, s, &it->now);
  bool middle = d->work_done.n == 0;
  tni_quadrature_push(&d->work_done, it->now.t, d->zdot);
  if (middle) tni_quadrature_push(&d->work_done, it->now.t + 0.5*h, d->zdot_middle);
  memcpy(d->zdot, d->zdot_new, sizeof(d->zdot));
  d->next.t = t_new;
  tni_state_copy(&it->now, s, &d->next);
  tni_difference(s, d->old.q, it->now.q, d->x1);
  it->has_accel = true;
  bool fresh = d->fresh;
  d->first = d->fresh = d->has_dense = false;
  if ((d->contraction > KEEP && !d->constant) || d->near) d->usable = false;
  d->lacks = d->lacks || (fresh && d->contraction > KEEP && can_lack(d));
  d->near = false;
  if (it->careful > 0) it->careful--;
  it->t_old = d->old.t;
  tni_integrator_count_step(it, h, d->formula->order);
  tni_quadrature_book(&d->work_done, &d->inside, it, d->zdot, d->old.z);
}

/* proposal after an accepted step; a step cut at the end leaves no trace */
static void propose(tni_descriptor *d, double h, double wanted, double err, bool after_reject) {
  const tni_integrator_opts *o = &d->base.opts;
  if (o->equal_steps) {
    d->h = !(o->growth > 0) || d->base.ways < 2 ? o->h : fmin(o->growth*wanted, fmax(o->hmax, o->h));
    d->base.stats.h_next = d->h;
    return;
  }
  tni_accepted a = {h, wanted, err, d->formula->error_order, after_reject, FACTOR_MAX,
                    d->usable ? SAME_STEP : 0};
  tni_control_propose(&d->base, &a, &d->h, &d->err_old);
  d->base.stats.h_next = d->h;
}

/* An end or a stage too near to a singular position is full of rounding: other steps, somewhat
 * shorter and longer ones, move it away, while ever shorter ones would only bring it nearer. */
static const double hop[] = {1.5, 0.75, 2, 1.25, 3};

/* At the end of an attempt with care: do two evaluations of its accelerations, before and after a
 * projection that changed nothing, agree to what the tolerance asks? Along the constraints, and with
 * the part of the rest that their turning within a step makes one along them. */
static bool is_clean(tni_descriptor *d, double h, tni_cause *cause) {
  tni_data *s = d->base.s;
  double turn = 0;
  for (int i = 0; i < s->nv; i++) {
    d->dx[i] = 0;
    d->dv[i] = h*(d->next.a[i] - d->a_stage[i]);
    turn = fmax(turn, fabs(d->x1[i])/(1 + d->size0[i]));
  }
  cause->kind = TNI_CAUSE_ERROR;
  double all = tni_descriptor_norm(d, d->dx, d->dv, &cause->index);
  tni_tangential(s, true, d->dv);
  cause->value = fmax(fmin(turn, 1)*all, tni_descriptor_norm(d, d->dx, d->dv, NULL));
  return cause->value <= 1;
}

static tn_status take_step(tni_integrator *it) {
  tni_descriptor *d = of(it);
  double remaining = it->opts.t_end - it->now.t;
  TN_TRY(tni_control_may_step(it));
  double hmin = tni_integrator_hmin(it, it->now.t), wanted = fmax(d->h, hmin);
  bool after_reject = false;
  tni_hops hops = {hop, it->opts.equal_steps ? 0 : TNI_COUNT(hop), 0, wanted};
  for (;;) {
    double h = tni_last_step(wanted, remaining, it->opts.equal_steps), err;
    double t_new = h == remaining ? it->opts.t_end : it->now.t + h;
    if (it->opts.equal_steps) h = tni_equal_step(h, wanted);
    tni_cause cause = {TNI_CAUSE_NONFINITE, -1, 0};
    long nrank = it->s->work.nrank;
    d->tired = !tni_hops_left(&hops);
    tn_status st = attempt(d, h, t_new, &err, &cause);
    if (st < 0) return st;
    bool good = st == TN_OK && (err <= 1 || it->opts.equal_steps);
    if (good && it->s->work.nrank > nrank && tni_hops_left(&hops)) {
      good = false; /* so near that rows had to be left out: nothing held their velocities */
      d->near = true;
      cause = (tni_cause){TNI_CAUSE_ACCEL, -1, 0};
    }
    if (good && d->near && tni_hops_left(&hops)) good = is_clean(d, h, &cause);
    if (good) {
      accept(d, h, t_new);
      propose(d, h, wanted, err, after_reject);
      return TN_OK;
    }
    if (st == TN_STEP_REJECTED && cause.kind == TNI_CAUSE_ERROR && !d->fresh && !d->constant) {
      /* Newton's iteration with old tangents: not the fault of the step */
      d->usable = false;
      continue;
    }
    if (st == TN_STEP_REJECTED && cause.kind == TNI_CAUSE_ERROR && can_lack(d) && !d->lacks) {
      d->lacks = true;
      continue;
    }
    it->careful = TNI_CAREFUL_STEPS;
    if (st == TN_STEP_REJECTED && cause.kind == TNI_CAUSE_ERROR && tni_integrator_can_care(it) &&
        !d->near) {
      d->near = true; /* nor is a position that is singular */
      continue;
    }
    after_reject = true;
    it->stats.rejected++;
    if (st != TN_OK) it->stats.nonconverged++;
    bool told = st == TN_OK && err > 1;
    d->near = d->near && tni_hops_left(&hops) && !told;
    wanted = d->near ? fmin(tni_hops_next(&hops), it->opts.hmax)
                     : fmin(h, hops.first)*(told ? tni_control_shorter(err, d->formula->error_order)
                                                 : TNI_FAIL_FACTOR);
    if (wanted < hmin) {
      it->t_old = it->now.t;
      return tni_no_progress(it, it->now.t, wanted, &cause);
    }
  }
}

tn_status tni_descriptor_step(tni_integrator *it) {
  tn_status st;
  TNI_TIMED(it, TNI_PHASE_STEPS, st, take_step(it));
  return st;
}

/* ---- restart ------------------------------------------------------------------------------- */

enum { NSCALAR = 8 };

int tni_descriptor_nstate(const tni_integrator *it) {
  const tni_descriptor *d = (const tni_descriptor *)(const void *)it;
  return NSCALAR + TNI_QUADRATURE_NUMBERS + TNI_NZ + tni_integrator_ny(it) + it->s->nv + it->s->m +
         d->formula->nkeep*it->s->nv + d->formula->nkeep_rows*it->s->m;
}

/* Old tangents and the pivots of the factors are not saved: both runs choose them anew. Those of a linear structure at equal
 * steps are the same wherever they are made: the run keeps them, and the one that goes on from here makes them first of all. */
static bool lasts(const tni_descriptor *d) { return d->constant && d->base.opts.equal_steps && !(d->base.opts.growth > 0); }

static void forget(tni_descriptor *d) {
  d->lacks = false;
  d->usable = d->fresh = false;
  d->h_factored = d->contraction = 0;
  if (d->tree || d->cut) return; /* no pivots are chosen */
  tni_saddle_forget(d->lu);
  if (d->lu_position) tni_saddle_forget(d->lu_position);
  if (d->across) tni_saddle_forget(d->across);
  if (d->luz) tni_saddle_forget(d->luz);
}

void tni_descriptor_forget(tni_integrator *it) {
  forget(of(it));
  of(it)->work_done = (tni_quadrature){0};
  it->opts.hmin = 0;
}

tn_status tni_descriptor_save(tni_integrator *it, double *state) {
  tni_descriptor *d = of(it);
  double scalar[NSCALAR] = {it->now.t, it->opts.hmin, d->h, d->err_old, d->first,
                            it->careful, it->way, it->ways};
  state = tni_put(state, scalar, NSCALAR);
  state = tni_put(state, &d->work_done, TNI_QUADRATURE_NUMBERS);
  state = tni_put(state, d->zdot, TNI_NZ);
  state = tni_put(state, it->now.q, tni_integrator_ny(it));
  state = tni_put(state, it->now.a, it->s->nv);
  state = tni_put(state, it->now.lambda, it->s->m);
  state = tni_put(state, d->keep, d->formula->nkeep*it->s->nv);
  tni_put(state, d->keep_rows, d->formula->nkeep_rows*it->s->m);
  if (!d->has_dense && it->t_old < it->now.t && !d->formula->dense) tni_descriptor_make_dense(d);
  if (!lasts(d)) forget(d);
  return TN_OK;
}

tn_status tni_descriptor_load(tni_integrator *it, const double *state) {
  tni_descriptor *d = of(it);
  it->now.t = it->t_old = state[0];
  it->opts.hmin = state[1];
  d->h = it->stats.h_next = state[2];
  d->err_old = state[3];
  d->first = state[4] != 0;
  it->careful = (int)state[5];
  it->way = state[6];
  it->ways = state[7];
  state = tni_get(state + NSCALAR, &d->work_done, TNI_QUADRATURE_NUMBERS);
  state = tni_get(state, d->zdot, TNI_NZ);
  state = tni_get(state, it->now.q, tni_integrator_ny(it));
  state = tni_get(state, it->now.a, it->s->nv);
  state = tni_get(state, it->now.lambda, it->s->m);
  state = tni_get(state, d->keep, d->formula->nkeep*it->s->nv);
  tni_get(state, d->keep_rows, d->formula->nkeep_rows*it->s->m);
  it->has_accel = true;
  forget(d);
  if (!lasts(d)) return TN_OK;
  TN_TRY(evaluate_tangents(d));
  tn_status st = factor(d, it->opts.h);
  return st < 0 ? st : TN_OK;
}
