/* All techniques solve the same equations of motion: at a consistent state they agree
 * SPDX-License-Identifier: BSD-3-Clause */
#include "techniques/technique.h"

#include "support/loaded.h"
#include "verify/models.h"

enum { MAX = 400 };

typedef struct {
  loaded l;
  tni_data *s;
  double q[MAX], v[MAX], a[MAX], lambda[MAX];
} rig;

/* a consistent, moving state with the system's own accelerations */
static void rig_load(rig *r, const char *text) {
  load_text(&r->l, text);
  CHECK_OK(r->l.ctx, tni_cartesian_create(r->l.ctx, r->l.model, NULL, &r->s));
  tni_data *s = r->s;
  tni_initial(s, r->q, r->v);
  for (int i = 0; i < s->nv; i++) r->v[i] += 0.3*sin(1 + 3*i);
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-12, .polish = true,
                        .max_iterations = 50};
  CHECK_OK(r->l.ctx, tni_project(s, 0, r->q, r->v, &p, NULL));
  CHECK_OK(r->l.ctx, tni_accel(s, 0, r->q, r->v, r->a, r->lambda, NULL));
}
static void rig_unload(rig *r) {
  tni_data_destroy(&r->s);
  unload(&r->l);
}

/* held by a technique, the system books the same heat and work */
static tn_status accel_by(rig *r, const char *name, const tni_technique_opts *o, double *a,
                          double *lambda) {
  tni_technique *tq = NULL;
  double zdot[TNI_NZ] = {0}, own[TNI_NZ] = {0};
  CHECK_OK(r->l.ctx, tni_accel(r->s, 0, r->q, r->v, a, lambda, own));
  tn_status st = tni_technique_find(name)->create(r->l.ctx, r->s, o, &tq);
  if (st != TN_OK) return st;
  tni_technique_install(tq);
  /* native ones leave the system alone: ask them directly */
  if (tq->type->native) {
    tni_terms terms;
    tni_station at = {.v = r->v, .v_before = r->v, .v_lagged = r->v};
    tni_eval_terms(r->s, 0, r->q, r->v, r->v, &terms);
    st = tq->type->solve(tq, &terms, &at, lambda, a);
  } else {
    CHECK(r->s->hold != NULL);
    st = tni_accel(r->s, 0, r->q, r->v, a, lambda, zdot);
    bool exact = strcmp(name, "penalty") != 0 && strcmp(name, "baumgarte") != 0; /* they feed residuals back */
    for (int i = 0; i < TNI_NZ && exact && st == TN_OK; i++) CHECK_WITHIN(zdot[i], own[i], 1e-7*(1 + fabs(own[i])));
  }
  tni_technique_destroy(&tq);
  CHECK(r->s->hold == NULL);
  return st;
}

static const char *const models[] = {planar_four_bar, slider_crank, rssr, gear_train, rolling,
                                     constraint_zoo, floating_ring, binary_tree};

/* residuals are zero, so Baumgarte's feedback is; the proximal iteration leaves 1e-6 cubed */
static void accelerations_agree_at_a_consistent_state(void) {
  for (int k = 0; k < TNI_COUNT(models); k++) {
    rig r;
    rig_load(&r, models[k]);
    for (int t = 0; t < tni_technique_ntype; t++) {
      double a[MAX], lambda[MAX];
      const char *name = tni_technique_types[t]->name;
      if (strcmp(name, "penalty") == 0) continue; /* knows residuals only */
      CHECK_OK(r.l.ctx, accel_by(&r, name, NULL, a, lambda));
      double off = far_apart(a, r.a, r.s->nv, 1), offl = far_apart(lambda, r.lambda, r.s->m, 1);
      if (!CHECK(off < 1e-8 && offl < 1e-7)) printf("%s, model %d: %g %g\n", name, k, off, offl);
    }
    rig_unload(&r);
  }
}

/* with redundant rows multipliers are not unique, the forces C^T lambda are */
static void redundant_rows_need_no_special_case(void) {
  rig r;
  rig_load(&r, spatial_four_bar);
  for (int t = 0; t < tni_technique_ntype; t++) {
    double a[MAX], lambda[MAX];
    if (strcmp(tni_technique_types[t]->name, "penalty") == 0) continue;
    CHECK_OK(r.l.ctx, accel_by(&r, tni_technique_types[t]->name, NULL, a, lambda));
    if (!CHECK(far_apart(a, r.a, r.s->nv, 1) < 1e-8)) printf("%s\n", tni_technique_types[t]->name);
  }
  rig_unload(&r);
}

/* Phi'' = -2 alpha Phi' - beta Phi: measured on the accelerations of a state off the constraints */
static void baumgarte_feeds_back_what_it_says(void) {
  rig r;
  rig_load(&r, rssr);
  tni_data *s = r.s;
  double dx[MAX], phi[MAX], rate[MAX], a[MAX], lambda[MAX], Ca[MAX];
  for (int i = 0; i < s->nv; i++) {
    dx[i] = 1e-3*cos(2.0*i);
    r.v[i] += 1e-2*sin(5.0*i);
  }
  tni_retract(s, r.q, dx, r.q);
  tni_eval_phi(s, 0, r.q, phi);
  tni_eval_rate(s, 0, r.q, r.v, rate);
  static const double given[][3] = {{7, 31, 31}, {0.5, 0.2, 0.2}, {3, 0, 9}}; /* alpha, beta, and the beta meant: alpha^2 */
  for (int i = 0; i < TNI_COUNT(given); i++) {
    tni_technique_opts o = {.alpha = given[i][0], .beta = given[i][1]};
    CHECK_OK(r.l.ctx, accel_by(&r, "baumgarte", &o, a, lambda));
    tni_terms terms;
    tni_eval_terms(s, 0, r.q, r.v, r.v, &terms);
    tni_kkt_apply_C(terms.K, a, Ca);
    for (int k = 0; k < s->m; k++)
      CHECK_NEAR(Ca[k] - terms.gamma[k], -2*given[i][0]*rate[k] - given[i][2]*phi[k], 1e-10);
  }
  rig_unload(&r);
}

/* Phi' + 2 alpha Phi + alpha^2 int Phi dt = 0 at the end of a step of an implicit rule, v = v_known + delta v'; the
 * integral goes on by the trapezoidal rule when the iterate is accepted, and only then */
static void baumgarte_feeds_the_integral_back(void) {
  rig r;
  rig_load(&r, rssr);
  tni_data *s = r.s;
  double dx[MAX], phi[MAX], known[MAX], a[MAX], lambda[MAX], Ca[MAX], delta = 0.01;
  for (int i = 0; i < s->nv; i++) dx[i] = 1e-3*cos(2.0*i);
  tni_retract(s, r.q, dx, r.q);
  tni_eval_phi(s, 0, r.q, phi);
  tni_eval_rate(s, 0, r.q, r.v, known);
  tni_technique_opts o = {.alpha = 7, .form = TNI_BAUMGARTE_INTEGRAL};
  tni_technique *tq = NULL;
  CHECK_OK(r.l.ctx, tni_technique_find("baumgarte")->create(r.l.ctx, s, &o, &tq));
  /* not accepted, accepted, the next step: the integral is delta Phi, the same, 2 delta Phi + delta Phi */
  static const double steps[] = {1, 1, 3};
  for (int pass = 0; pass < 3; pass++) {
    tni_terms terms;
    tni_eval_terms(s, 0, r.q, r.v, r.v, &terms);
    tni_station at = {.delta = delta, .v = r.v, .v_before = r.v, .v_lagged = r.v, .v_known = r.v, .final = pass == 1};
    CHECK_OK(r.l.ctx, tq->type->solve(tq, &terms, &at, lambda, a));
    tni_kkt_apply_C(terms.K, a, Ca);
    for (int k = 0; k < s->m; k++)
      CHECK_WITHIN(known[k] + delta*Ca[k] + 2*7*phi[k] + 49*steps[pass]*delta*phi[k], 0, 1e-12);
  }
  tni_technique_destroy(&tq);
  rig_unload(&r);
}

/* the nonholonomic form has the rate alone */
static void baumgarte_damps_nonholonomic_rows(void) {
  rig r;
  rig_load(&r, rolling);
  tni_data *s = r.s;
  double rate[MAX], a[MAX], lambda[MAX], Ca[MAX];
  for (int i = 0; i < s->nv; i++) r.v[i] += 1e-2*sin(5.0*i);
  tni_eval_rate(s, 0, r.q, r.v, rate);
  tni_technique_opts o = {.alpha = 7, .beta = 31};
  CHECK_OK(r.l.ctx, accel_by(&r, "baumgarte", &o, a, lambda));
  tni_terms terms;
  tni_eval_terms(s, 0, r.q, r.v, r.v, &terms);
  tni_kkt_apply_C(terms.K, a, Ca);
  int n = 0;
  for (int k = 0; k < s->m; k++) {
    double factor = terms.nonholonomic[k] ? 7 : 14;
    CHECK_NEAR(Ca[k] - terms.gamma[k], -factor*rate[k], 1e-10);
    n += terms.nonholonomic[k];
  }
  CHECK(n >= 4);
  rig_unload(&r);
}

/* largest eigenvalue of M^-1 C^T D C, by vector iteration */
static double fastest(tni_technique *tq, const tni_terms *terms, const double *D) {
  tni_data *s = tq->s;
  double x[MAX], y[MAX], f[MAX], none[MAX] = {0}, value = 0;
  for (int i = 0; i < s->nv; i++) x[i] = sin(1 + 7*i);
  for (int n = 0; n < 2000; n++) {
    tni_kkt_apply_C(terms->K, x, y);
    for (int r = 0; r < s->m; r++) y[r] *= D[r];
    tni_kkt_apply_Ct(terms->K, y, f);
    tni_technique_accelerate(tq, f, none, x);
    value = 0;
    for (int i = 0; i < s->nv; i++) value = fmax(value, fabs(x[i]));
    for (int i = 0; i < s->nv; i++) x[i] /= value;
  }
  return value;
}

/* Springs in the place of rows, lambda = Phi/soft: the fastest vibration that they make is the one asked for or 0.3/h, at most a tenth
 * in w^2 slower because the iteration that looks for it comes from below; they store Phi^2/(2 soft), and rows on velocities are
 * dampers of that rate. */
static void penalties_have_the_rate_asked_for(void) {
  static const struct {
    const char *text;
    tni_technique_opts o;
    double rate;
  } some[] = {{rssr, {.penalty = 50}, 50}, {rssr, {.h = 0.02}, 15}, {constraint_zoo, {.penalty = 200}, 200}, {rolling, {.penalty = 40}, 40}};
  for (int k = 0; k < TNI_COUNT(some); k++) {
    rig r;
    rig_load(&r, some[k].text);
    tni_data *s = r.s;
    tni_technique *tq = NULL;
    CHECK_OK(r.l.ctx, tni_technique_find("penalty")->create(r.l.ctx, s, &some[k].o, &tq));
    tni_initial(s, r.q, r.v); /* where it looked for its numbers */
    double dx[MAX], q[MAX], v[MAX], a[MAX], lambda[MAX], D[MAX], rate[MAX], before;
    for (int i = 0; i < s->nv; i++) dx[i] = 1e-5*cos(2.0*i), v[i] = sin(5.0*i);
    tni_retract(s, r.q, dx, q);
    tni_eval_rate(s, 0, q, v, rate);
    tni_terms terms;
    tni_eval_terms(s, 0, q, v, v, &terms);
    before = terms.energies.potential;
    double heat = terms.energies.dissipated;
    tni_station at = {.v = v, .v_before = v, .v_lagged = v};
    CHECK_OK(r.l.ctx, tq->type->solve(tq, &terms, &at, lambda, a));
    double springs = 0, dampers = 0, stored = 0;
    int nonholonomic = 0;
    for (int i = 0; i < s->m; i++) {
      bool damper = terms.nonholonomic[i];
      D[i] = damper || terms.phi[i] == 0 ? 0 : lambda[i]/terms.phi[i];
      CHECK(D[i] >= 0);
      if (damper) CHECK(lambda[i]*rate[i] > 0);
      if (damper) dampers += lambda[i]*rate[i];
      else springs += 0.5*lambda[i]*terms.phi[i];
      nonholonomic += damper;
    }
    CHECK_WITHIN(terms.energies.potential - before, springs, 1e-12*(fabs(before) + springs));
    CHECK_WITHIN(terms.energies.dissipated - heat, dampers, 1e-12*(fabs(heat) + dampers));
    tni_at where = {.t = 0, .q = q, .v = v};
    tq->type->store(tq, &where, &stored);
    CHECK_NEAR(stored, springs, 1e-12);
    double w2 = fastest(tq, &terms, D)/(some[k].rate*some[k].rate);
    if (nonholonomic == 0 && !CHECK(w2 > 0.85 && w2 < 1.02)) printf("  model %d: %g\n", k, w2);
    for (int i = 0; i < s->m; i++) D[i] = terms.nonholonomic[i] ? lambda[i]/rate[i] : D[i]/some[k].rate;
    double all = fastest(tq, &terms, D)/some[k].rate;
    if (!CHECK(all > 0.85 && all < 1.02)) printf("  model %d with dampers: %g\n", k, all);
    tni_technique_destroy(&tq);
    rig_unload(&r);
  }
}

/* what is not finite is no acceleration, and is named */
static void forces_without_a_value_are_named(void) {
  rig r;
  load_text(&r.l, "planar: true\nbodies: {a: {mass: 1, inertia: 1, at: [1, 0]}, b: {mass: 1, inertia: 1, at: [1, 1]}}\n"
                  "joints: {p: {type: revolute, bodies: [ground, a], at: [0, 0]}}\nforces: [{type: force, body: b, force: [\"log(y(b))\", 0, 0]}]\n");
  CHECK_OK(r.l.ctx, tni_cartesian_create(r.l.ctx, r.l.model, NULL, &r.s));
  tni_initial(r.s, r.q, r.v);
  r.q[r.s->layout->qadr[1] + 1] = -1;
  for (int t = 0; t < tni_technique_ntype; t++) {
    tni_technique *tq = NULL;
    double a[MAX], lambda[MAX];
    CHECK_OK(r.l.ctx, tni_technique_types[t]->create(r.l.ctx, r.s, NULL, &tq));
    if (!tq->type->native) {
      tni_technique_install(tq);
      CHECK(tni_accel(r.s, 0, r.q, r.v, a, lambda, NULL) != TN_OK);
    }
    tni_technique_destroy(&tq);
  }
  tni_data_destroy(&r.s);
  unload(&r.l);
}

/* every solution counts one factorization where there are rows, be it one, and none where there are not */
static void factorizations_are_counted(void) {
  static const char *const joint[] = {"", "joints: {p: {type: inplane, bodies: [ground, a], at: [0, 0, 0], axis: z}}\n",
                                      "joints: {p: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}}\n"};
  for (int k = 0; k < 3; k++) {
    rig r;
    char text[300];
    snprintf(text, sizeof(text), "bodies: {a: {mass: 1, inertia: [1, 2, 2], at: [0, 0, 0]}}\n%s", joint[k]);
    rig_load(&r, text);
    CHECK_INT(r.s->m, k == 2 ? 3 : k);
    static const char *const names[] = {"augmented", "baumgarte"};
    for (int n = 0; n < 2; n++) {
      tni_technique *tq = NULL;
      double a[MAX], lambda[MAX];
      CHECK_OK(r.l.ctx, tni_technique_find(names[n])->create(r.l.ctx, r.s, NULL, &tq));
      tni_terms terms;
      tni_station at = {.v = r.v, .v_before = r.v, .v_lagged = r.v};
      tni_eval_terms(r.s, 0, r.q, r.v, r.v, &terms);
      long before = r.s->work.nfactor;
      for (int i = 0; i < 3; i++) CHECK_OK(r.l.ctx, tq->type->solve(tq, &terms, &at, lambda, a));
      CHECK_INT(r.s->work.nfactor - before, k > 0 ? 3 : 0);
      tni_technique_destroy(&tq);
    }
    rig_unload(&r);
  }
}

/* forces that act with other velocities: gyroscopic torques stay those of v */
static void terms_let_only_applied_forces_lag(void) {
  rig r;
  rig_load(&r, rssr);
  tni_data *s = r.s;
  tni_terms terms;
  double f[MAX], v2[MAX];
  for (int i = 0; i < s->nv; i++) v2[i] = r.v[i] + 0.5*cos(i);
  tni_eval_terms(s, 0.3, r.q, r.v, r.v, &terms);
  memcpy(f, terms.f, (size_t)s->nv*sizeof(double));
  tni_eval_terms(s, 0.3, r.q, r.v, v2, &terms); /* no force of this model knows velocities */
  CHECK(far_apart(terms.f, f, s->nv, 1) < 1e-14);
  rig_unload(&r);
}

/* parallelogram in its flat position, with equal speeds of the rockers: the rows depend on each other and
 * do not contradict each other */
static const char flat[] =
    "planar: true\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  left: {mass: 1, inertia: 0.1, at: [0.5, 0], velocity: [0, 0.5], angular_velocity: [0, 0, 1]}\n"
    "  top: {mass: 1, inertia: 0.1, at: [2, 0], velocity: [0, 1]}\n"
    "  right: {mass: 1, inertia: 0.1, at: [2.5, 0], velocity: [0, 0.5], angular_velocity: [0, 0, 1]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, left], at: [0, 0]}\n"
    "  b: {type: revolute, bodies: [left, top], at: [1, 0]}\n"
    "  c: {type: revolute, bodies: [top, right], at: [3, 0]}\n"
    "  d: {type: revolute, bodies: [ground, right], at: [2, 0]}\n";

/* By hand: the top bar keeps level, m = 1 each: (2 I_rocker + m) w' = moments of weight, I = 0.1 + 1/4; along
 * the bars every mass has the centripetal acceleration. */
static void dependent_constraints_do_not_stop_a_technique(void) {
  rig r;
  load_text(&r.l, flat);
  CHECK_OK(r.l.ctx, tni_cartesian_create(r.l.ctx, r.l.model, NULL, &r.s));
  tni_initial(r.s, r.q, r.v);
  for (int t = 0; t < tni_technique_ntype; t++) {
    double a[MAX], lambda[MAX];
    const char *name = tni_technique_types[t]->name;
    if (strcmp(name, "penalty") == 0) continue;
    CHECK_OK(r.l.ctx, accel_by(&r, name, NULL, a, lambda));
    double turn = -9.81*(0.5 + 0.5 + 1)/(2*0.35 + 1);
    double *left = a, *top = a + 3, *right = a + 6;
    bool ok = CHECK_NEAR(left[2], turn, 1e-6) & CHECK_NEAR(right[2], turn, 1e-6) &
              CHECK_NEAR(left[0], -0.5, 1e-6) & CHECK_NEAR(top[0], -1, 1e-6) &
              CHECK_NEAR(top[1], turn, 1e-6) & CHECK_WITHIN(top[2], 0, 1e-6);
    if (!ok) printf("%s\n", name);
  }
  rig_unload(&r);
}

/* A lid on two hinges with the same skew axis: five rows of ten are enough. Partitioning gives the others nothing, and what it gives the five,
 * which it chooses by their pivots, is of the size of the forces; the lid turns by its moment of inertia about the axis. */
static void dependent_rows_carry_nothing(void) {
  static const char lid[] =
      "gravity: [0.3, -2, -9.81]\n"
      "bodies:\n  lid: {mass: 3, inertia: [0.2, 0.3, 0.4], at: [0.5, -0.2, 0.3], angular_velocity: [0.5, 1, 1.5]}\n"
      "joints:\n  a: {type: revolute, bodies: [ground, lid], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]}\n"
      "  b: {type: revolute, bodies: [ground, lid], at: [0.45, 0.9, 1.35], axis: [1, 2, 3]}\n";
  rig r;
  rig_load(&r, lid);
  double a[MAX], lambda[MAX], most = 0, least = HUGE_VAL;
  int nothing = 0;
  CHECK_INT(r.s->m, 10);
  CHECK_OK(r.l.ctx, accel_by(&r, "partitioning", NULL, a, lambda));
  for (int i = 0; i < r.s->m; i++) {
    nothing += lambda[i] == 0;
    most = fmax(most, fabs(lambda[i]));
    if (lambda[i] != 0) least = fmin(least, fabs(lambda[i]));
  }
  CHECK_INT(nothing, 5);
  CHECK(most < 1e3 && least > 1e-6);
  CHECK(far_apart(a, r.a, r.s->nv, 1) < 1e-9);
  /* moments about the axis n through p: J w' = n . (d x m g), d from p to the centre */
  double n[3] = {1/sqrt(14), 2/sqrt(14), 3/sqrt(14)}, d[3] = {0.4, -0.4, 0}, g[3] = {0.3, -2, -9.81}, x[3];
  double I = 0.2*n[0]*n[0] + 0.3*n[1]*n[1] + 0.4*n[2]*n[2], dn = vec3_dot(d, n);
  vec3_cross(x, d, g);
  CHECK_NEAR(vec3_dot(n, a + 3), 3*vec3_dot(n, x)/(I + 3*(vec3_dot(d, d) - dn*dn)), 1e-9);
  rig_unload(&r);
}

/* A row in other units is the same constraint: gears of 2:-3, written with factors that differ by 1e14 */
static void units_of_a_row_do_not_matter(void) {
  static const double unit[] = {1, 1e-7, 1e7};
  double first[MAX];
  for (int k = 0; k < TNI_COUNT(unit); k++) {
    char text[900];
    double a[MAX], lambda[MAX];
    rig r;
    snprintf(text, sizeof(text),
             "planar: true\ngravity: [0, -9.81]\n"
             "bodies:\n  a: {mass: 1, inertia: 0.1, at: [0.5, 0], angular_velocity: [0, 0, 3]}\n  b: {mass: 2, inertia: 0.3, at: [2.2, 0.1]}\n"
             "joints:\n  p: {type: revolute, bodies: [ground, a], at: [0, 0]}\n  q: {type: revolute, bodies: [ground, b], at: [2, 0]}\n"
             "  c: {type: coupler, joints: [p, q], factors: [%.17g, %.17g]}\n", 2*unit[k], -3*unit[k]);
    rig_load(&r, text);
    CHECK_OK(r.l.ctx, accel_by(&r, "partitioning", NULL, a, lambda));
    if (k == 0) memcpy(first, a, sizeof(first));
    CHECK_WITHIN(2*a[2] - 3*a[5], 0, 1e-9);
    CHECK(far_apart(a, first, r.s->nv, 1) < 1e-9);
    rig_unload(&r);
  }
}

/* and where a solver gives up, the message has technique, time, row and a way out */
static void dependent_constraints_are_named(void) {
  rig r;
  tni_technique *tq = NULL;
  rig_load(&r, planar_four_bar);
  CHECK_OK(r.l.ctx, tni_technique_find("augmented")->create(r.l.ctx, r.s, NULL, &tq));
  char row[128];
  tni_row_name(r.s, 1, row, sizeof(row));
  CHECK_INT(tni_technique_singular(tq, 0.25, 1), TN_SINGULAR);
  const char *message = tn_ctx_message(r.l.ctx);
  CHECK(strstr(message, "technique 'augmented'") && strstr(message, "depend on each other at t = 0.25 s"));
  CHECK(strstr(message, row) && strstr(message, "technique 'staggered' passes such positions"));
  tni_technique_destroy(&tq);
  rig_unload(&r);
}

int main(void) {
  RUN(accelerations_agree_at_a_consistent_state);
  RUN(redundant_rows_need_no_special_case);
  RUN(baumgarte_feeds_back_what_it_says);
  RUN(baumgarte_feeds_the_integral_back);
  RUN(baumgarte_damps_nonholonomic_rows);
  RUN(penalties_have_the_rate_asked_for);
  RUN(forces_without_a_value_are_named);
  RUN(factorizations_are_counted);
  RUN(terms_let_only_applied_forces_lag);
  RUN(dependent_constraints_do_not_stop_a_technique);
  RUN(dependent_rows_carry_nothing);
  RUN(units_of_a_row_do_not_matter);
  RUN(dependent_constraints_are_named);
  return REPORT();
}
