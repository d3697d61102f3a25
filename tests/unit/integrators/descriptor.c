/* implicit methods on the whole system: order on constrained problems, stiff mechanisms
 * SPDX-License-Identifier: BSD-3-Clause */
#include "integrators/descriptor.h"
#include "support/loaded.h"
#include "verify/models.h"

static const struct {
  const char *name;
  double order;
} method[] = {{"infl_sdirk", 4}, {"infl_trap", 2}, {"radau", 5}, {"alpha", 2}, {"hht", 2}};

typedef struct stand {
  loaded l;
  tn_sim *sim; /* assembles and holds the system */
  tni_data *s;
} stand;

static void stand_up(stand *st, const char *file, const char *text, const char *set) {
  memset(st, 0, sizeof(*st));
  if (file) load_file(&st->l, file, set);
  else load_text(&st->l, text);
  tn_run_opts o = {.method = "rk45", .representation = "cartesian", .until = 1, .tolerance = 1e-4};
  CHECK_OK(st->l.ctx, tn_sim_create(st->l.ctx, st->l.model, &o, &st->sim));
  st->s = st->sim->s;
}
static void stand_down(stand *st) {
  tn_sim_destroy(&st->sim);
  unload(&st->l);
}

static tni_integrator *begin(stand *st, const char *name, const tni_integrator_opts *o) {
  tni_integrator *it;
  tn_ctx *ctx = st->l.ctx;
  double *q = calloc((size_t)st->s->nq, sizeof(double));
  double *v = calloc((size_t)st->s->nv, sizeof(double));
  double z[TNI_NZ] = {0};
  tni_initial(st->s, q, v);
  tni_project_opts po = {.position = true, .velocity = true, .tol = 1e-13};
  CHECK_OK(ctx, tni_project(st->s, 0, q, v, &po, NULL));
  CHECK_OK(ctx, tni_integrator_find(name)->create(ctx, st->s, o, &it));
  CHECK_OK(ctx, it->type->start(it, 0, q, v, z));
  free(q);
  free(v);
  return it;
}

static bool verbose(void) { return getenv("TN_TOL_SCALE") != NULL; }

static double distance(const double *x, const double *y, int n) {
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
  return worst;
}

/* ---- order --------------------------------------------------------------------------------- */

/* a top on a ball joint, fast: all three rotations are coupled within a step; with a drive below it
 * whose motion is prescribed, time enters the constraints */
static const char top[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [0.2, 0, 0]}\n"
    "  top: {mass: 2, inertia: [0.03, 0.05, 0.04], at: [0.4, 0.1, 0.3],\n"
    "        angular_velocity: [1, 2, 8]}\n"
    "joints:\n"
    "  hub:  {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: z}\n"
    "  ball: {type: spherical, bodies: [arm, top], at: [0.4, 0, 0]}\n"
    "forces:\n"
    "  wind: {type: torque, body: arm, torque: [0.1, 0.1, \"cos(5*t)\"]}\n";
static const char driven_top[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [0.2, 0, 0], angular_velocity: [0, 0, 1]}\n"
    "  top: {mass: 2, inertia: [0.03, 0.05, 0.04], at: [0.4, 0.1, 0.3], velocity: [0, 0.4, 0],\n"
    "        angular_velocity: [0, 0, 1]}\n"
    "joints:\n"
    "  hub:  {type: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: z}\n"
    "  ball: {type: spherical, bodies: [arm, top], at: [0.4, 0, 0]}\n"
    "drive:\n"
    "  turn: {joint: hub, motion: \"t + 0.3*t*sin(3*t)\"}\n";
/* nonholonomic rows */
static const char coin[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {mass: 2, inertia: [0.02, 0.03, 0.04], at: [0, 0, 0.5], velocity: [0.5, 0, 0],\n"
    "         angular_velocity: [0.3, 1, 0.4]}\n"
    "joints:\n"
    "  floor: {type: rolling_sphere, bodies: [ground, ball], radius: 0.5}\n"
    "forces:\n"
    "  wind: {type: torque, body: ball, torque: [0.1, \"cos(5*t)\", 0.1]}\n";

static const struct {
  const char *name, *text;
  double t_end, h;
} smooth[] = {
  {"four-bar", planar_four_bar, 0.5, 0.02},
  {"spatial four-bar", spatial_four_bar, 0.5, 0.02},
  {"rssr", rssr, 0.4, 0.01},
  {"top", top, 0.5, 0.01},
  {"driven top", driven_top, 0.5, 0.02},
  {"rolling ball", coin, 1, 0.02},
};

/* state after t_end in equal steps: positions, velocities, multipliers */
static void fixed_steps(stand *st, const char *name, double h, double t_end, double *q, double *v,
                        double *lambda) {
  tni_integrator_opts o = {.rtol = 1e-11, .atol = 1e-11, .h = h, .t_end = t_end,
                           .equal_steps = true, .project_tol = 1e-12, .rho = 0.8};
  tni_integrator *it = begin(st, name, &o);
  while (it->now.t < t_end) CHECK_OK(st->l.ctx, it->type->step(it));
  CHECK_OK(st->l.ctx, tni_integrator_accel(it));
  memcpy(q, it->now.q, (size_t)st->s->nq*sizeof(double));
  memcpy(v, it->now.v, (size_t)st->s->nv*sizeof(double));
  memcpy(lambda, it->now.lambda, (size_t)st->s->m*sizeof(double));
  tni_integrator_destroy(&it);
}

/* halving the step divides the error by 2^order, positions, velocities and multipliers alike */
static void order_is_reached_on_constrained_problems(void) {
  enum { MAX = 64 };
  for (int k = 0; k < TNI_COUNT(smooth); k++) {
    stand st;
    stand_up(&st, NULL, smooth[k].text, NULL);
    tni_data *s = st.s;
    double q[MAX], v[MAX], l[MAX], want_q[MAX], want_v[MAX], want_l[MAX];
    tni_integrator_opts fine = {.rtol = 1e-12, .atol = 1e-12, .t_end = smooth[k].t_end};
    tni_integrator *it = begin(&st, "rk8", &fine);
    while (it->now.t < fine.t_end) CHECK_OK(st.l.ctx, it->type->step(it));
    memcpy(want_q, it->now.q, (size_t)s->nq*sizeof(double));
    memcpy(want_v, it->now.v, (size_t)s->nv*sizeof(double));
    memcpy(want_l, it->now.lambda, (size_t)s->m*sizeof(double));
    tni_integrator_destroy(&it);
    for (int i = 0; i < TNI_COUNT(method); i++) {
      double e[2][3], h = smooth[k].h;
      for (int pass = 0; pass < 2; pass++, h *= 0.5) {
        fixed_steps(&st, method[i].name, h, smooth[k].t_end, q, v, l);
        e[pass][0] = distance(q, want_q, s->nq);
        e[pass][1] = distance(v, want_v, s->nv);
        e[pass][2] = distance(l, want_l, s->m);
      }
      for (int level = 0; level < 3; level++) {
        double order = log2(e[0][level]/e[1][level]);
        if (verbose()) {
          printf("%s %s level %d: error %.2e, order %.2f\n", method[i].name, smooth[k].name,
                 level, e[1][level], order);
        }
        if (!CHECK(order > method[i].order - 0.4 || e[1][level] < 1e-10)) {
          printf("%s on %s, level %d: order %.2f\n", method[i].name, smooth[k].name, level, order);
        }
      }
    }
    stand_down(&st);
  }
}

/* ---- parts of a step ----------------------------------------------------------------------- */

/* Two bodies turned by x from where they are: d/dt of the turn by x(t) is v when x' = T^-1(x) v. Differences of retractions, error h^2. */
static void rates_of_rotations_are_those_of_the_retraction(void) {
  enum { MAX = 64 };
  static const char text[] =
      "bodies:\n  a: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [0.2, 0, 0]}\n  b: {mass: 2, inertia: [0.03, 0.05, 0.04], at: [1, 0.1, 0.3]}\n"
      "joints: {ball: {type: spherical, bodies: [a, b], at: [0.4, 0, 0]}}\n";
  const double h = 1e-4;
  stand st;
  stand_up(&st, NULL, text, NULL);
  tni_integrator_opts o = {.rtol = 1e-4, .atol = 1e-4, .h = 0.01, .t_end = 1};
  tni_integrator *it = begin(&st, "infl_trap", &o);
  tni_descriptor *d = (tni_descriptor *)it;
  tni_data *s = st.s;
  CHECK_INT(d->nturn, 2);
  for (int k = 0; k < 6; k++) {
    double x[MAX], v[MAX], xd[MAX], side[2][MAX], change[MAX], moved[MAX];
    for (int i = 0; i < s->nv; i++) x[i] = (k < 2 ? 0.05 : 1)*sin(3*i + k + 1), v[i] = cos(2*i + 5*k);
    tni_descriptor_rate(d, x, v, xd);
    for (int e = 0; e < 2; e++) {
      for (int i = 0; i < s->nv; i++) moved[i] = x[i] + (e ? h : -h)*xd[i];
      tni_retract(s, it->now.q, moved, side[e]);
    }
    tni_difference(s, side[0], side[1], change);
    for (int i = 0; i < s->nv; i++) CHECK_WITHIN(change[i]/(2*h), v[i], 1e-6);
  }
  tni_integrator_destroy(&it);
  stand_down(&st);
}

/* Corrections are across the constraints: C cx = -phi, C cv + (C v)_q cx = -rate (times of the constraints by differences), least by W: what
 * is along the constraints is W-orthogonal to cx. Rows that bind velocities only ask no correction of places. */
static void corrections_are_across_the_constraints(void) {
  enum { MAX = 64 };
  static const char *const text[] = {spatial_four_bar, top, coin};
  const double h = 1e-5;
  for (int k = 0; k < TNI_COUNT(text); k++) {
    stand st;
    stand_up(&st, NULL, text[k], NULL);
    tni_data *s = st.s;
    int n = s->nv, m = s->m;
    tni_integrator_opts o = {.rtol = 1e-4, .atol = 1e-4, .h = 0.01, .t_end = 1};
    tni_integrator *it = begin(&st, "radau", &o);
    tni_descriptor *d = (tni_descriptor *)it;
    double phi[MAX], rate[MAX], cx[MAX], cv[MAX], C[MAX], at[2][MAX], along[MAX], dx[MAX], q[MAX], Wc[MAX] = {0}, x[MAX] = {0};
    const bool *active = s->rank ? s->rank->independent : NULL;
    for (int r = 0; r < m; r++) {
      bool place = d->lu_position ? d->has_position[r] : true;
      phi[r] = place ? 1e-3*cos(r + 1) : 0;
      rate[r] = 1e-2*sin(2*r + 1);
    }
    tni_descriptor_corrections(d, phi, rate, cx, cv);
    memset(C, 0, sizeof(C));
    tni_sparse_add(s->rows, 1, d->C, cx, C);
    /* (C v + Phi_t) along cx */
    for (int e = 0; e < 2; e++) {
      for (int i = 0; i < n; i++) dx[i] = (e ? h : -h)*cx[i]/1e-3;
      tni_retract(s, it->now.q, dx, q);
      tni_eval_rate(s, 0, q, it->now.v, at[e]);
    }
    for (int r = 0; r < m; r++) {
      bool place = d->lu_position ? d->has_position[r] : true;
      if (active && !active[r]) continue;
      if (place) CHECK_WITHIN(C[r], -phi[r], 1e-11);
    }
    memset(C, 0, sizeof(C));
    tni_sparse_add(s->rows, 1, d->C, cv, C);
    for (int r = 0; r < m; r++)
      if (!active || active[r]) CHECK_WITHIN(C[r] + (at[1][r] - at[0][r])/(2*h)*1e-3, -rate[r], 1e-9);
    /* something along the constraints, and its product with cv */
    memset(along, 0, sizeof(along));
    for (int i = 0; i < n; i++) along[i] = sin(7*i + 2);
    tni_descriptor_solve(d, along);
    memset(C, 0, sizeof(C));
    tni_sparse_add(s->rows, 1, d->C, along, C);
    double size = 0, product = 0, most = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(along[i]));
    for (int r = 0; r < m; r++) CHECK_WITHIN(C[r]/size, 0, 1e-7); /* rows give way by 1e-11 of their own units */
    memcpy(x, cv, (size_t)n*sizeof(double));
    tni_sparse_add(s->square, 1, d->W, x, Wc);
    for (int i = 0; i < n; i++) product += along[i]*Wc[i], most += fabs(along[i]*Wc[i]);
    CHECK_WITHIN(product/most, 0, 1e-7);
    tni_integrator_destroy(&it);
    stand_down(&st);
  }
}

/* ---- largest rate -------------------------------------------------------------------------- */

/* Two masses between two springs: vibrations of w^2 = (3 +- sqrt 5)/2 k/m, undamped or damped in proportion, by whose rates
 * method auto decides how to begin. Undamped ones turn (x, v) by a quarter in every round of the power method. */
static void vibrations_have_their_rate(void) {
  static const char text[] =
      "planar: true\n"
      "bodies: {a: {mass: 2, inertia: 0.1, at: [1, 0]}, b: {mass: 2, inertia: 0.1, at: [2, 0]}}\n"
      "joints:\n"
      "  j: {type: prismatic, bodies: [ground, a], at: [1, 0], axis: x}\n"
      "  k: {type: prismatic, bodies: [ground, b], at: [2, 0], axis: x}\n"
      "forces:\n"
      "  s: {type: spring, bodies: [ground, a], at1: [0, 0], at2: [0, 0], stiffness: k, damping: c, free_length: 1}\n"
      "  u: {type: spring, bodies: [a, b], at1: [0, 0], at2: [0, 0], stiffness: k, damping: c, free_length: 1}\n";
  static const double stiffness[] = {1e-3, 2, 1e8, 1e13}, damping[] = {0, 0.02, 20};
  for (int i = 0; i < TNI_COUNT(stiffness); i++)
    for (int j = 0; j < TNI_COUNT(damping); j++) {
      char whole[1200];
      stand st;
      double k = stiffness[i], c = damping[j]*sqrt(2*k), square = (3 + sqrt(5))/2;
      snprintf(whole, sizeof(whole), "params: {k: %.17g, c: %.17g}\n%s", k, c, text);
      stand_up(&st, NULL, whole, NULL);
      tni_integrator_opts o = {.rtol = 1e-4, .atol = 1e-4};
      tni_integrator *it = begin(&st, "radau", &o);
      double w2 = square*k/2, half = 0.5*square*c/2;
      double want = half*half > w2 ? half + sqrt(half*half - w2) : sqrt(w2);
      double got = tni_descriptor_model_rate(it);
      if (!CHECK(got > 0.6*want && got < 1.6*want)) printf("  k %g, c %g: rate %g, not %g\n", k, c, got, want);
      tni_integrator_destroy(&it);
      stand_down(&st);
    }
}

int main(void) {
  RUN(order_is_reached_on_constrained_problems);
  RUN(rates_of_rotations_are_those_of_the_retraction);
  RUN(corrections_are_across_the_constraints);
  RUN(vibrations_have_their_rate);
  return REPORT();
}
