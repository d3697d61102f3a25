/* tests/verify/unseen.c - errors that an estimate could overlook, against closed forms
 *
 *   drives of velocities   hold no position: it is integrated, and its error is nobody else's business
 *   sudden forces          anywhere in a step, also where the formula has no stage
 *   collapsing steps       a singular law stops the run and is named
 *
 * Every method with error control that takes the model is held to ten tolerances all along the run.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

enum { NTIME = 40 };
static const double accepted = 10;
static bool all; /* argument: every tolerance with every model, the tightest too */

static bool has_error_control(const tni_integrator_type *type) {
  return !type->fixed_step && !type->needs_technique;
}

typedef struct {
  double until, tolerance;
  double (*position)(const void *data, double t), (*velocity)(const void *data, double t);
  const void *data;
  bool turns; /* the joint coordinate of 'j', else x of the body 'b' */
} expected;

static void look(tn_sim *sim, const expected *e, double *x, double *v) {
  double r[3], w[3], p[4];
  if (e->turns) {
    CHECK_OK(sim->ctx, tn_sim_joint_coordinate(sim, 0, 0, x, v));
    return;
  }
  CHECK_OK(sim->ctx, tn_sim_body_pose(sim, 0, r, p));
  *x = r[0];
  CHECK_OK(sim->ctx, tn_sim_body_velocity(sim, 0, r, w));
  *v = r[0];
}

/* largest error along the run in tolerances; < 0: the method does not take the model */
static double run(const loaded *l, const char *method, const expected *e) {
  tn_run_opts o = {.method = method, .representation = "cartesian", .until = e->until,
                   .tolerance = e->tolerance};
  tn_sim *sim;
  tn_status st = tn_sim_create(l->ctx, l->model, &o, &sim);
  if (st == TN_ERR_UNSUPPORTED) return -1;
  CHECK_OK(l->ctx, st);
  double worst = 0;
  for (int k = 1; k <= NTIME && st == TN_OK; k++) {
    double t = e->until*k/NTIME, x, v;
    st = tn_sim_advance(sim, t);
    look(sim, e, &x, &v);
    double want = e->position(e->data, t), rate = e->velocity(e->data, t);
    worst = fmax(worst, fabs(x - want)/(1 + fabs(want)));
    worst = fmax(worst, fabs(v - rate)/(1 + fabs(rate)));
  }
  CHECK_OK(l->ctx, st);
  tn_sim_destroy(&sim);
  return worst/e->tolerance;
}

/* ---- drives of velocities ------------------------------------------------------------------ */

typedef struct {
  double speed, omega;
} drive;

static double drive_position(const void *data, double t) {
  const drive *d = data;
  return d->speed/d->omega*sin(d->omega*t);
}
static double drive_velocity(const void *data, double t) {
  const drive *d = data;
  return d->speed*cos(d->omega*t);
}

static void velocity_drives_lead_to_the_right_place(void) {
  static const drive drives[] = {{0.5, 3}, {2, 11}, {0.03, 0.7}};
  static const char *const type[] = {"prismatic", "revolute"};
  int taken = 0, turn = 0;
  for (int k = 0; k < 2*TNI_COUNT(drives); k++) {
    const drive *d = &drives[k/2];
    char text[512];
    snprintf(text, sizeof(text),
             "planar: true\nbodies: {b: {mass: 1, inertia: 0.1}}\n"
             "joints: {j: {type: %s, bodies: [ground, b], at: [0, 0]%s}}\n"
             "drive: {d: {joint: j, velocity: \"%g*cos(%g*t)\"}}\n",
             type[k%2], k%2 ? "" : ", axis: x", d->speed, d->omega);
    loaded l;
    load_text(&l, text);
    for (int i = 0; i < tni_integrator_ntype; i++) {
      if (!has_error_control(tni_integrator_types[i])) continue;
      const char *method = tni_integrator_types[i]->name;
      for (double tol = 1e-3; tol > 0.9e-6; tol /= 10) {
        if (!all && (k + turn++) % 2) continue;
        expected e = {4/d->omega, tol, drive_position, drive_velocity, d, k%2};
        double error = run(&l, method, &e);
        taken += error >= 0;
        if (!CHECK(error <= accepted))
          printf("  %s, %s at %.0e: %.3g tolerances\n", type[k%2], method, tol, error);
      }
    }
    unload(&l);
  }
  CHECK(taken >= 2*TNI_COUNT(drives)*(all ? 4 : 2)*9); /* all but three methods take them */
}

/* ---- sudden forces ------------------------------------------------------------------------- */

typedef struct {
  double at, force;
} blow;

/* uniform motion until `at`, then constant acceleration */
static double blow_position(const void *data, double t) {
  const blow *b = data;
  double late = fmax(t - b->at, 0);
  return 0.3*t + 0.5*b->force*late*late;
}
static double blow_velocity(const void *data, double t) {
  const blow *b = data;
  return 0.3 + b->force*fmax(t - b->at, 0);
}

static void a_force_that_sets_in_is_seen_anywhere_in_a_step(void) {
  uint64_t seed = 7;
  int turn = 0;
  for (int k = 0; k < 16; k++) {
    blow b = {0.5 + 0.4*check_random(&seed), 5 + 4*check_random(&seed)};
    char text[512];
    snprintf(text, sizeof(text),
             "bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1], velocity: [0.3, 0, 0]}}\n"
             "forces: {f: {type: force, body: b, force: [\"%.17g*heaviside(t - %.17g)\", 0, 0]}}\n",
             b.force, b.at);
    loaded l;
    load_text(&l, text);
    for (int i = 0; i < tni_integrator_ntype; i++) {
      if (!has_error_control(tni_integrator_types[i])) continue;
      const char *method = tni_integrator_types[i]->name;
      for (double tol = 1e-3; tol > 0.9e-7; tol /= 100) {
        if (tni_integrator_types[i]->order == 2 && tol < 1e-6) continue;
        if (!all && (k + i + turn++) % 2) continue;
        expected e = {1, tol, blow_position, blow_velocity, &b, false};
        double error = run(&l, method, &e);
        if (!CHECK(error >= 0 && error <= accepted))
          printf("  force from %.4f s, %s at %.0e: %.3g tolerances\n", b.at, method, tol, error);
      }
    }
    unload(&l);
  }
}

/* A cable of three elements that fall slack and become taut: with their damping the force jumps, which is
 * an event of each. The reference is a tight run of another family of methods, checked by a second one. */
static void slack_cables_are_followed(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "ground: {points: {o: [0, 0, 0]}}\n"
      "cables:\n"
      "  c: {from: ground.o, to: [0.8, 0, 0.3], elements: 3, EA: 400, rhoA: 0.5, damping: 0.003}\n"
      "analysis: {until: 1}\n";
  loaded l;
  load_text(&l, text);
  const char *methods[32];
  int n = 0;
  for (int i = 0; i < tni_integrator_ntype; i++)
    if (has_error_control(tni_integrator_types[i]) && tni_integrator_types[i]->order != 2)
      methods[n++] = tni_integrator_types[i]->name;
  double tolerances[] = {1e-4, 1e-6, 1e-8};
  tn_compare_opts o = {.methods = methods, .nmethod = n, .tolerances = tolerances + !all,
                       .ntolerance = all ? 3 : 1, .reference = "rk8"};
  tn_comparison *c;
  CHECK_OK(l.ctx, tn_compare(l.ctx, l.model, &o, &c));
  CHECK(tn_comparison_reference(c)->uncertainty < 1e-8);
  CHECK_INT(tn_comparison_nrow(c), n*o.ntolerance);
  for (int i = 0; i < tn_comparison_nrow(c); i++) {
    const tn_compare_row *r = tn_comparison_row(c, i);
    if (!CHECK(r->outcome == TN_COMPARE_DONE && r->error <= accepted*r->tolerance))
      printf("  %s at %.0e: %.3g tolerances\n", r->method, r->tolerance, r->error/r->tolerance);
  }
  tn_comparison_destroy(&c);
  unload(&l);
}

/* ---- collapsing steps ---------------------------------------------------------------------- */

/* Twists of a bushing are not defined at half a turn of the swing, and with damping nothing passes it. */
static void a_singular_law_stops_the_run_and_is_named(void) {
  static const char text[] =
      "bodies: {b: {mass: 1, inertia: [0.1, 0.12, 0.14], angular_velocity: [0, %g, 0.1]}}\n"
      "forces: {rubber: {type: bushing, bodies: [ground, b], at: [0, 0, 0],\n"
      "                  stiffness: [50, 50, 50, 1, 1, 1], damping: [0, 0, 0, 0.05, 0.05, 0.05]}}\n";
  for (double spin = 12; spin < 20; spin += 5) {
    char whole[512];
    loaded l;
    snprintf(whole, sizeof(whole), text, spin);
    load_text(&l, whole);
    for (int i = 0; i < tni_integrator_ntype; i++) {
      if (!has_error_control(tni_integrator_types[i]) || (!all && (i % 2 == (spin > 15) || (tni_integrator_types[i]->order == 2 && i % 4 > 1)))) continue;
      tn_run_opts o = {.method = tni_integrator_types[i]->name, .representation = "cartesian",
                       .until = 1, .tolerance = tni_integrator_types[i]->order == 2 ? 1e-4 : 1e-6};
      tn_sim *sim;
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
      tn_status st = tn_sim_advance(sim, 1);
      const char *message = tn_ctx_message(l.ctx);
      tn_summary sum;
      tn_sim_summary(sim, &sum);
      if (!CHECK(st == TN_NO_PROGRESS && strstr(message, "bushing 'rubber'") && sum.steps < 100000))
        printf("  %s, %g rad/s: status %d, %ld steps: %s\n", o.method, spin, (int)st, sum.steps,
               message);
      tn_sim_destroy(&sim);
    }
    unload(&l);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(velocity_drives_lead_to_the_right_place);
  RUN(a_force_that_sets_in_is_seen_anywhere_in_a_step);
  RUN(slack_cables_are_followed);
  RUN(a_singular_law_stops_the_run_and_is_named);
  return REPORT();
}
