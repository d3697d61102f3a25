/* tests/verify/trajectories.c - what whole trajectories give: derivatives, cycles, two-point problems, parameters from records
 *
 * References of the pendulum: variational equations and shooting, to twelve digits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <unistd.h>

#include "support/loaded.h"
#include "support/reference_ode.h"

#define PENDULUM(Q0)                                                                                                     \
  "planar: true\ngravity: [0, -2]\n"                                                                                     \
  "bodies:\n"                                                                                                            \
  "  rod: {mass: m, inertia: m*l^2/12, at: [\"l/2*sin(q0)\", \"-l/2*cos(q0)\"], orientation: q0}\n"                          \
  "joints: {pin: {type: revolute, bodies: [ground, rod], at2: [0, l/2], x1: x, x2: x, initial_rate: w0}}\n"
static const char pendulum[] = "params: {l: 0.8, m: 1, q0: 1, w0: 1, c: 0}\n" PENDULUM(q0)
    "forces: {d: {type: torsion_spring, joint: pin, stiffness: 0, damping: c}}\n";

static const double *figure(const tn_summary *s, const char *name) {
  for (int i = 0; i < s->figures; i++)
    if (strcmp(s->figure[i].name, name) == 0) return &s->figure[i].value;
  printf("no figure '%s'\n", name);
  check_failures++;
  static const double none = NAN;
  return &none;
}

static bool all;
static const char *results = ""; /* where a run leaves its rows */

/* component of a channel in the first row of `results` */
static double first_of(const char *channel, int component) {
  tn_ctx *ctx;
  tn_results *in = NULL;
  double value = NAN;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, tn_results_open(ctx, results, &in));
  int c = tn_results_find(in, channel);
  if (CHECK(c >= 0)) {
    double *rows = malloc((size_t)tn_results_ntime(in)*(size_t)tn_results_channel_size(in, c)*sizeof(double));
    CHECK_OK(ctx, tn_results_read(in, c, NULL, rows));
    value = rows[component];
    free(rows);
  }
  tn_results_close(&in);
  tn_ctx_destroy(&ctx);
  return value;
}

static tn_status run_text(const char *model, const char *analysis, const char *set, tn_summary *sum, char *message) {
  char text[4000];
  const char *list[1] = {set};
  tn_ctx *ctx;
  tn_spec *spec = NULL;
  tn_model *m = NULL;
  tn_ctx_opts co = {.threads = 1};
  tn_run_opts o = {.results = results};
  CHECK_OK(NULL, tn_ctx_create(&co, &ctx));
  snprintf(text, sizeof(text), "tenon: 1\n%s%s%s", model, analysis,
           strstr(model, "pin:") ? "output: {record: [pin.angle, pin.rate]}\n" : "");
  tn_status st = tn_spec_read_text(ctx, TENON_SOURCE_DIR "/tests/input/test.yaml", text, list, set ? 1 : 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &m);
  if (st == TN_OK) st = tn_run(ctx, m, &o, sum);
  snprintf(message, 600, "%s", tn_ctx_message(ctx));
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
  return st;
}

static void ask(const char *model, const char *analysis, const char *set, tn_summary *sum) {
  char message[600];
  tn_status st = run_text(model, analysis, set, sum, message);
  if (st != TN_OK) printf("%s\n", message);
  CHECK_INT(st, TN_OK);
}

static void derivatives_by_parameters(void) {
  tn_summary s;
  ask(pendulum, "analysis: {type: sensitivity, until: 1, elements: 16, order: 3, free: [l, q0, w0, m]}\n", NULL, &s);
  CHECK_WITHIN(*figure(&s, "d pin.angle/d l at the end"), 1.674919530433, 3e-8);
  CHECK_WITHIN(*figure(&s, "d pin.rate/d l at the end"), 2.094593614422, 3e-8);
  CHECK_WITHIN(*figure(&s, "d pin.angle/d q0 at the end"), 0.232879900992, 3e-8);
  CHECK_WITHIN(*figure(&s, "d pin.angle/d w0 at the end"), 0.700936060500, 3e-8);
  CHECK_WITHIN(*figure(&s, "d pin.angle/d m at the end"), 0, 1e-11);
  ask(pendulum, "analysis: {type: sensitivity, until: 1, elements: 24, order: 5, free: l}\n", NULL, &s);
  CHECK_WITHIN(*figure(&s, "d pin.angle/d l at the end"), 1.674919530433, 1e-11);
}

/* the angle at the end of a run with the same elements */
static double end_angle(double l, int n, int k) {
  char text[4000];
  loaded g;
  tn_sim *sim;
  snprintf(text, sizeof(text), "params: {l: %.17g, m: 1, q0: 1, w0: 1, c: 0}\n%s", l, strchr(pendulum, '\n') + 1);
  snprintf(text + strlen(text), sizeof(text) - strlen(text), "analysis: {until: 1, method: state_time, representation: cartesian, "
           "elements: %d, order: %d}\n", n, k);
  load_text(&g, text);
  CHECK_OK(g.ctx, tn_sim_create(g.ctx, g.model, NULL, &sim));
  CHECK_OK(g.ctx, tn_sim_advance(sim, 1));
  double q = sim_coordinate(sim, "pin");
  tn_sim_destroy(&sim);
  unload(&g);
  return q;
}

/* four elements are 2e-3 off, and the derivative is that of what they give */
static void derivatives_are_those_of_the_discrete_solution(void) {
  tn_summary s;
  double h = 1e-3;
  ask(pendulum, "analysis: {type: sensitivity, until: 1, elements: 4, order: 2, free: l}\n", NULL, &s);
  double want = (8*(end_angle(0.8 + h, 4, 2) - end_angle(0.8 - h, 4, 2)) - (end_angle(0.8 + 2*h, 4, 2) - end_angle(0.8 - 2*h, 4, 2)))/(12*h);
  double got = *figure(&s, "d pin.angle/d l at the end");
  CHECK_WITHIN(got, want, 1e-9);
  CHECK(fabs(got - 1.674919530433) > 1e-4);
}

/* Models with numbers by chance: derivatives of a joint angle against differences of marched runs, whatever the parameter changes: inertia, forces,
 * prescribed motions, the beginning, lengths of a loop that is assembled anew. */
static void write_random(int kind, uint64_t *seed, const char *names[3], double value[3], char *rest) {
  static const char *const name[4][3] = {{"l", "k", "w0"}, {"m", "c", "f"}, {"b", "g", "m"}, {"I", "k", "a"}};
  static const char *const text[4] = {
      /* two rods, the second on a spring */
      "planar: true\ngravity: [0, -9.81]\n"
      "bodies: {one: {mass: 1, inertia: l^2/12, at: [0, -l/2]}, two: {mass: 0.7, inertia: 0.05, at: [0.1, -l - 0.3]}}\n"
      "joints: {top: {type: revolute, bodies: [ground, one], at: [0, 0], initial_rate: w0}, pin: {type: revolute, bodies: [one, two], at: [0, -l]}}\n"
      "forces: {s: {type: torsion_spring, joint: pin, stiffness: k, damping: 0.02*k}}\n",
      /* in space: a driven arm and a body on a ball and a damper */
      "gravity: [0, 0, -9.81]\n"
      "bodies: {one: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [0.3, 0, 0]}, two: {mass: m, inertia: [0.02*m, 0.03*m, 0.01], at: [0.8, 0.1, 0]}}\n"
      "joints: {top: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: z}, pin: {type: revolute, bodies: [one, two], at: [0.6, 0, 0], axis: [0, 1, 0.2]}}\n"
      "forces: {s: {type: torsion_spring, joint: pin, stiffness: 0.5, damping: c}}\ndrive: {d: {joint: top, motion: \"f*t^2 + 0.2*sin(3*f*t)\"}}\n",
      /* four-bar whose coupler has another length */
      "planar: true\ngravity: [0, -g]\nparams: {r2: 1 + 0.09, al: \"atan2(-0.3, 1)\", be: \"al + acos((b^2 + r2 - 0.49)/(2*b*sqrt(r2)))\", qx: b*cos(be), qy: 0.3 + b*sin(be)}\n"
      "bodies: {crank: {mass: m, inertia: 0.01, between: [[0, 0], [0, 0.3]]}, coupler: {mass: 0.9, inertia: 0.06, between: [[0, 0.3], [qx, qy]]},\n"
      "         rocker: {mass: 0.7, inertia: 0.03, between: [[1, 0], [qx, qy]]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, crank], at: [0, 0], initial_rate: 2}, j: {type: revolute, bodies: [crank, coupler], at: [0, 0.3]},\n"
      "         k: {type: revolute, bodies: [coupler, rocker], at: [qx, qy]}, l: {type: revolute, bodies: [ground, rocker], at: [1, 0]}}\n",
      /* a top on a spring in space */
      "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [I, 0.03, 0.02], at: [0, 0.3, 0]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, a], initial_rate: 3}}\n"
      "forces: {s: {type: spring, bodies: [ground, b], at1: [0, 0.5, -1], at2: [0, 0.2, 0.1], stiffness: 10*k, damping: 0.3, free_length: 0.5}}\n"};
  static const double low[4][3] = {{0.5, 1, -2}, {0.3, 0.05, 0.5}, {0.85, 2, 0.3}, {0.02, 1, -0.5}};
  static const double high[4][3] = {{1, 5, 2}, {1, 0.4, 1.5}, {1.1, 9, 2}, {0.06, 3, 0.5}};
  for (int i = 0; i < 3; i++) {
    names[i] = name[kind][i];
    value[i] = low[kind][i] + (high[kind][i] - low[kind][i])*0.5*(1 + check_random(seed));
  }
  snprintf(rest, 3000, "%s", text[kind]);
}

static void write_params(const char *const names[3], const double value[3], const char *rest, char *to) {
  char line[300];
  snprintf(line, sizeof(line), "%s: %.17g, %s: %.17g, %s: %.17g", names[0], value[0], names[1], value[1], names[2], value[2]);
  const char *more = strstr(rest, "params: {");
  if (!more) snprintf(to, 3600, "params: {%s}\n%s", line, rest);
  else snprintf(to, 3600, "%.*sparams: {%s, %s", (int)(more - rest), rest, line, more + strlen("params: {"));
}

static double marched(const char *text) {
  char whole[4000];
  loaded g;
  tn_sim *sim;
  snprintf(whole, sizeof(whole), "%sanalysis: {until: 0.5, method: rk8, tolerance: 1e-12}\n", text);
  load_text(&g, whole);
  CHECK_OK(g.ctx, tn_sim_create(g.ctx, g.model, NULL, &sim));
  CHECK_OK(g.ctx, tn_sim_advance(sim, 0.5));
  double q = sim_coordinate(sim, "pin");
  tn_sim_destroy(&sim);
  unload(&g);
  return q;
}

static void derivatives_agree_with_differences_of_marching(void) {
  uint64_t seed = 3;
  for (int round = 0; round < (all ? 40 : 4); round++) {
    const char *names[3];
    double value[3];
    char rest[3000], text[3600], analysis[300];
    tn_summary s;
    write_random(round % 4, &seed, names, value, rest);
    write_params(names, value, rest, text);
    snprintf(analysis, sizeof(analysis), "analysis: {type: sensitivity, until: 0.5, elements: 60, order: 4, free: [%s, %s, %s]}\n", names[0], names[1],
             names[2]);
    ask(text, analysis, NULL, &s);
    for (int i = 0; i < 3; i++) {
      char name[100];
      double q[4], h = 2e-3*fmax(fabs(value[i]), 0.1), keep = value[i];
      static const double at[4] = {1, -1, 2, -2};
      for (int k = 0; k < 4; k++) {
        value[i] = keep + h*at[k];
        write_params(names, value, rest, text);
        q[k] = marched(text);
      }
      value[i] = keep;
      snprintf(name, sizeof(name), "d pin.angle/d %s at the end", names[i]);
      double want = (8*(q[0] - q[1]) - (q[2] - q[3]))/(12*h), got = *figure(&s, name);
      char what[200];
      snprintf(what, sizeof(what), "round %d: %s", round, name);
      check_within((got - want)/(1 + fabs(want)), 0, 1e-6, what, __FILE__, __LINE__);
    }
  }
}

static const char driven[] = "params: {l: 0.8, m: 1, q0: 0, w0: 0, c: 0.1}\n" PENDULUM(q0)
    "forces:\n"
    "  d: {type: torsion_spring, joint: pin, stiffness: 0, damping: c}\n"
    "  u: {type: torque, body: rod, torque: [0, 0, 0.3*cos(2*t)]}\n";

static void cycle_of_a_driven_pendulum(void) {
  tn_summary s;
  results = "verify_trajectories.h5";
  ask(driven, "analysis: {type: periodic, period: pi, elements: 32, order: 4}\n", NULL, &s);
  CHECK_WITHIN(first_of("joints/pin/angle", 0), -0.748060842828, 1e-9);
  CHECK_WITHIN(first_of("joints/pin/angle", 1), 1.688572078846, 1e-9);
  remove(results);
  results = "";
  CHECK(*figure(&s, "Newton steps") < 10);
  CHECK_WITHIN(*figure(&s, "multiplier 1, real"), 0.205190657805, 1e-8);
  CHECK_WITHIN(fabs(*figure(&s, "multiplier 1, imaginary")), 0.432689618450, 1e-8);
  /* their product is what the damper takes away */
  double product = pow(*figure(&s, "largest multiplier"), 2);
  CHECK_WITHIN(product, exp(-0.1*3.14159265358979324/(0.64/3)), 1e-9);
  CHECK(s.sound);
}

/* a method that knows nothing of cycles comes to the same one when the transient has died away, 0.479^40 = 1e-13 of it */
static void marching_ends_in_the_cycle(void) {
  char text[4000];
  loaded g;
  tn_sim *sim;
  snprintf(text, sizeof(text), "%sanalysis: {until: 40*pi, method: rk8, tolerance: 1e-11}\n", driven);
  load_text(&g, text);
  CHECK_OK(g.ctx, tn_sim_create(g.ctx, g.model, NULL, &sim));
  CHECK_OK(g.ctx, tn_sim_advance(sim, 40*3.14159265358979324));
  CHECK_WITHIN(sim_coordinate(sim, "pin"), -0.748060842828, 1e-8);
  tn_sim_destroy(&sim);
  unload(&g);
}

/* constraints, a prescribed motion, four elements of a beam: the rocker of a four-bar with a soft coupler */
static void cycle_of_a_flexible_four_bar(void) {
  static const char model[] =
      "planar: true\ngravity: [0, -9.81]\n"
      "params: {w: 6, px: 0.3, be: \"acos(0.81/(2*0.9*0.7))\", qx: px + 0.9*cos(be), qy: 0.9*sin(be)}\n"
      "bodies:\n"
      "  crank: {mass: 0.3, inertia: 0.3*0.09/12, between: [[0, 0], [px, 0]]}\n"
      "  rocker: {mass: 0.7, inertia: 0.7*0.49/12, between: [[1, 0], [qx, qy]]}\n"
      "beams:\n"
      "  coupler: {from: [px, 0], to: [qx, qy], elements: 4, section: {rectangle: [0.02, 0.006]},\n"
      "            material: {E: 2e8, nu: 0.3, rho: 2700}, damping: 0.01}\n"
      "joints:\n"
      "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
      "  b: {type: revolute, bodies: [crank, coupler.start], at: [px, 0]}\n"
      "  c: {type: revolute, bodies: [coupler.end, rocker], at: [qx, qy]}\n"
      "  pin: {type: revolute, bodies: [ground, rocker], at: [1, 0]}\n"
      "drive: [{name: motor, joint: a, motion: \"w*t\"}]\n";
  tn_summary s;
  results = "verify_trajectories.h5";
  ask(model, "analysis: {type: periodic, period: 2*pi/w, elements: 300, order: 3, cycles: 2}\n", NULL, &s);
  double angle = first_of("joints/pin/angle", 0), rate = first_of("joints/pin/angle", 1);
  remove(results);
  results = "";
  CHECK(*figure(&s, "Newton steps") < 10);
  CHECK(*figure(&s, "gap left") < 1e-9);
  CHECK(*figure(&s, "largest multiplier") < 1);
  CHECK(s.sound);
  /* a method that knows nothing of cycles, when the vibrations of the beginning have died away */
  char text[4000];
  loaded g;
  tn_sim *sim;
  double until = 12*2*3.14159265358979324/6, value, speed;
  snprintf(text, sizeof(text), "%sanalysis: {until: %.17g, method: radau, tolerance: 1e-7}\n", model, until);
  load_text(&g, text);
  CHECK_OK(g.ctx, tn_sim_create(g.ctx, g.model, NULL, &sim));
  CHECK_OK(g.ctx, tn_sim_advance(sim, until));
  CHECK_OK(g.ctx, tn_sim_joint_coordinate(sim, tn_model_find_joint(g.model, "pin"), 0, &value, &speed));
  CHECK_WITHIN(angle, value, 1e-8);
  CHECK_WITHIN(rate, speed, 1e-7);
  CHECK(fabs(angle) > 1e-4); /* a stiff coupler would have it at 0 */
  tn_sim_destroy(&sim);
  unload(&g);
}

static void two_point_problem(void) {
  static const char *const start[] = {"w0=1.5", "w0=2", "w0=2.5", "w0=0", "w0=1", "w0=3"};
  for (int i = 0; i < 6; i++) {
    tn_summary s;
    ask(pendulum, "analysis: {type: boundary, until: 1.5, elements: 16, order: 4, free: w0, targets: {pin.angle: 0.25}}\n", start[i],
        &s);
    CHECK_WITHIN(*figure(&s, "w0"), 2.205191242977, 1e-9);
    CHECK_WITHIN(s.energy_error, 0, 1e-6);
    CHECK(s.sound);
  }
  tn_summary s;
  char message[600];
  CHECK_INT(run_text(pendulum, "analysis: {type: boundary, until: 1.5, elements: 16, free: [w0, l], targets: {pin.angle: 0.25}}\n", NULL,
                     &s, message), TN_ERR_INPUT);
  CHECK(strstr(message, "as many 'targets' as 'free'") != NULL);
  /* the mass does not matter: nothing it could do meets the target */
  CHECK_INT(run_text(pendulum, "analysis: {type: boundary, until: 1.5, elements: 16, free: m, targets: {pin.angle: 0.25}}\n", NULL, &s,
                     message) > 0, 1);
}

/* a cycle of a length that the drive does not have is none; lists of parameters that are empty, wrong or say a thing twice */
static void wrong_periods_and_parameters_are_refused(void) {
  static const struct {
    const char *analysis, *says;
  } bad[] = {{"{type: periodic, period: 3}", "does not have the period 3 s"}, {"{type: periodic, until: 1}", "key 'period' is missing"},
             {"{type: sensitivity, until: 1, free: []}", "needs parameters ('free')"}, {"{type: sensitivity, until: 1, free: [l, l]}", "'l' stands there twice"},
             {"{type: sensitivity, until: 1, free: [L]}", "did you mean 'l'?"},
             {"{type: boundary, until: 1, free: [], targets: {pin.angle: 1}}", "as many 'targets' as 'free' parameters: 1 and 0"},
             {"{type: fit, until: 1, free: [], data: none.csv}", "key 'free' is missing"}};
  for (int i = 0; i < TNI_COUNT(bad); i++) {
    tn_summary s;
    char message[600] = "", text[200];
    snprintf(text, sizeof(text), "analysis: %s\n", bad[i].analysis);
    CHECK_INT(run_text(driven, text, NULL, &s, message), TN_ERR_INPUT);
    if (!CHECK(strstr(message, bad[i].says) != NULL)) printf("%s: %s\n", bad[i].analysis, message);
  }
}

/* y = (q, w) of the damped pendulum */
static void swing(long double t, const long double *y, long double *f, const void *user) {
  const double *p = user; /* l, c */
  (void)t;
  f[0] = y[1];
  f[1] = -(p[0]*sinl(y[0]) + p[1]*y[1])/(p[0]*p[0]/3);
}

static void write_record(const char *path, double noise) {
  double p[2] = {0.8, 0.05}, y[2] = {1, 1};
  FILE *f = fopen(path, "w");
  fprintf(f, "t,pin.angle\n");
  for (int i = 1; i <= 20; i++) {
    reference_solve(swing, p, 2, 0.1*(i - 1), 0.1*i, 8, y);
    fprintf(f, "%.17g,%.17g\n", 0.1*i, y[0] + noise*sin(7.0*i));
  }
  fclose(f);
}

static void parameters_from_a_record(void) {
  const char *path = "verify_trajectories.csv";
  char analysis[500], here[200];
  tn_summary s;
  CHECK(getcwd(here, sizeof(here)) != NULL);
  snprintf(analysis, sizeof(analysis), "analysis: {type: fit, until: 2, elements: 20, order: 3, free: [l, c], data: \"%s/%s\"}\n", here,
           path);
  write_record(path, 0);
  ask(pendulum, analysis, "l=1", &s);
  CHECK_WITHIN(*figure(&s, "l"), 0.8, 3e-8);
  CHECK_WITHIN(*figure(&s, "c"), 0.05, 3e-8);
  write_record(path, 0.001);
  ask(pendulum, analysis, "l=1", &s);
  CHECK_WITHIN(*figure(&s, "l"), 0.799877119542, 3e-8);
  CHECK_WITHIN(*figure(&s, "c"), 0.050078636026, 3e-8);
  CHECK_WITHIN(*figure(&s, "residual, root mean square"), 7.1274377e-4, 1e-9);
  CHECK_WITHIN(*figure(&s, "l, deviation"), 1.8e-4, 1e-5);
  CHECK_WITHIN(*figure(&s, "c, deviation"), 9.9e-5, 6e-6);
  CHECK(fabs(*figure(&s, "l") - 0.8) < *figure(&s, "l, 95 % interval +-"));
  CHECK(fabs(*figure(&s, "c") - 0.05) < *figure(&s, "c, 95 % interval +-"));
  CHECK(*figure(&s, "steps") <= 8);
  remove(path);
}

/* numbers with the normal distribution */
static double normal(uint64_t *seed) {
  double sum = 0;
  for (int i = 0; i < 48; i++) sum += check_random(seed); /* each in (-1, 1), variance 1/3 */
  return sum/4;
}

/* Spring and damper of a body that swings, from records with noise: how often the intervals hold the truth, 95 of 100 times if they are right. */
static void intervals_hold_what_they_say(int records, int samples) {
  static const char model[] = "params: {k: 30, c: 0.4}\nplanar: true\ngravity: [0, 0]\n"
                              "bodies: {b: {mass: 1, inertia: 1.5, at: [0, 0], orientation: 0.2}}\n"
                              "joints: {pin: {type: revolute, bodies: [ground, b], at1: [0, 0], at2: [0, 0], x1: x, x2: x}}\n"
                              "forces: {s: {type: torsion_spring, joint: pin, stiffness: k, damping: c, free_angle: 0}}\n";
  char analysis[500], here[200], message[600], path[60];
  int held[2] = {0, 0}, done = 0;
  uint64_t seed = 11;
  snprintf(path, sizeof(path), "verify_trajectories_%ld.csv", (long)getpid());
  CHECK(getcwd(here, sizeof(here)) != NULL);
  snprintf(analysis, sizeof(analysis), "analysis: {type: fit, until: 2, elements: 40, order: 3, free: [k, c], data: \"%s/%s\"}\n", here, path);
  for (int r = 0; r < records; r++) {
    FILE *f = fopen(path, "w");
    fprintf(f, "t,pin.angle\n");
    for (int i = 1; i <= samples; i++) {
      double t = samples > 4 ? 2.0*i/samples : 0.5*i, d = 0.4/3, w = sqrt(20 - d*d);
      fprintf(f, "%.17g,%.17g\n", t, 0.2*exp(-d*t)*(cos(w*t) + d/w*sin(w*t)) + 0.002*normal(&seed));
    }
    fclose(f);
    tn_summary s;
    if (run_text(model, analysis, r % 2 ? "k=25" : "k=36", &s, message) != TN_OK) {
      printf("%s\n", message);
      continue;
    }
    done++;
    held[0] += fabs(*figure(&s, "k") - 30) <= *figure(&s, "k, 95 % interval +-");
    held[1] += fabs(*figure(&s, "c") - 0.4) <= *figure(&s, "c, 95 % interval +-");
  }
  remove(path);
  CHECK_INT(done, records);
  double sd = sqrt(0.95*0.05*records);
  for (int i = 0; i < 2; i++)
    if (!CHECK(fabs(held[i] - 0.95*records) <= 3*sd)) printf("  %d of %d with %d samples\n", held[i], records, samples);
  if (getenv("SHOW")) printf("%d and %d of %d with %d samples\n", held[0], held[1], records, samples);
}

static void fits_hold_the_truth_as_often_as_they_say(void) {
  intervals_hold_what_they_say(all ? 400 : 12, 40);
  if (all) intervals_hold_what_they_say(400, 4); /* two freedoms */
  if (all) intervals_hold_what_they_say(400, 3); /* one */
}

/* when the pendulum from rest at 0.5 rad reaches -0.2 rad: Runge and Kutta's formula */
static double reaches_wall(void) {
  double h = 1e-4, t = 0, q = 0.5, w = 0, before = q;
  for (; q > -0.2; t += h) {
    double k[4][2];
    before = q;
    for (int i = 0; i < 4; i++) {
      double c = i == 0 ? 0 : i < 3 ? 0.5*h : h;
      k[i][0] = w + (i ? c*k[i-1][1] : 0);
      k[i][1] = -3*2/(2*0.8)*sin(q + (i ? c*k[i-1][0] : 0));
    }
    q += h/6*(k[0][0] + 2*k[1][0] + 2*k[2][0] + k[3][0]);
    w += h/6*(k[0][1] + 2*k[1][1] + 2*k[2][1] + k[3][1]);
  }
  return t - h + h*(before + 0.2)/(before - q);
}

static void what_switches_is_refused_by_name_and_time(void) {
  tn_summary s;
  char message[600];
  static const char stop[] = "params: {l: 0.8, m: 1, q0: 0.5, w0: 0}\n" PENDULUM(q0)
      "forces: {wall: {type: stop, joint: pin, min: -0.2, max: 1, stiffness: 100}}\n";
  tn_status st = run_text(stop, "analysis: {type: sensitivity, until: 1.5, elements: 32, free: l}\n", NULL, &s, message);
  CHECK_INT(st, TN_ERR_UNSUPPORTED);
  const char *at = strstr(message, "'wall");
  CHECK(at != NULL);
  at = at ? strstr(at, "at t = ") : NULL;
  if (CHECK(at != NULL)) CHECK_WITHIN(atof(at + 7), reaches_wall(), 2e-4);
  /* nothing switches before */
  ask(stop, "analysis: {type: sensitivity, until: 0.4, elements: 16, free: l}\n", NULL, &s);
}

/* a slider that is drawn away until crank and rod are stretched, at t = 1 s */
#define STRETCH                                                                                                         \
  "planar: true\ngravity: [0, -9.81]\n"                                                                                \
  "bodies:\n"                                                                                                           \
  "  crank: {mass: 1, inertia: 0.1, between: [[0, 0], [0.45, sqrt(0.0475)]]}\n"                                         \
  "  rod: {mass: 1, inertia: 0.1, between: [[0.45, sqrt(0.0475)], [0.9, 0]]}\n"                                         \
  "  slider: {mass: 1, inertia: 0.1, at: [0.9, 0]}\n"                                                                   \
  "joints:\n"                                                                                                           \
  "  a: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                                                        \
  "  b: {type: revolute, bodies: [crank, rod], at: [0.45, sqrt(0.0475)]}\n"                                             \
  "  c: {type: revolute, bodies: [rod, slider], at: [0.9, 0]}\n"                                                        \
  "  d: {type: prismatic, bodies: [ground, slider], at: [0.9, 0], axis: x}\n"

/* section 24 of the method's description: what failed, where, and what to do */
static void failures_say_what_and_where(void) {
  static const struct {
    const char *model, *analysis, *say[3];
  } bad[] = {
      {"bodies: {top: {mass: 1, inertia: [0.02, 0.03, 0.04], angular_velocity: [0, 0, 1e5]}}\n",
       "analysis: {until: 2, method: state_time, elements: 1, representation: cartesian}\n",
       {"window [0,", "first bad element [0,", "elements are too long, take more of them"}},
      {"bodies: {top: {mass: 1, inertia: [0.02, 0.03, 0.04], angular_velocity: [0, 0, 1e5]}}\n",
       "analysis: {until: 2, method: state_time, elements: 1, formulation: direction_cosines}\n", {"coarse run failed at t = 0 s"}},
      {STRETCH "drive: {m: {joint: d, motion: 0.1 - 0.1*(1 - t)^3}}\n",
       "analysis: {until: 3, method: state_time, elements: 30, order: 3, representation: cartesian}\n",
       {"constraint rank dropped from 9 to 8 at t = ", "a singular position"}},
      {STRETCH "drive: {m: {joint: d, motion: 0.1*t}}\n", "analysis: {until: 3, method: state_time, elements: 40, representation: cartesian}\n",
       {"nearly dependent", "near a singular position"}},
      {STRETCH "drive: {m: {joint: d, motion: 0.1 - 0.1*(1 - t)^3}}\n",
       "analysis: {until: 3, method: state_time, elements: 30, formulation: direction_cosines}\n", {"coarse run failed at t = 1 s", "constraint r"}},
      {"params: {l: 0.8, m: 1, q0: 0.5, w0: 0, idle: 1}\n" PENDULUM(q0),
       "analysis: {type: boundary, until: 1, free: idle, targets: {pin.angle: 0.3}}\n",
       {"boundary-value closing singular: the targets do not determine idle"}},
      {"planar: true\nbodies: {b: {mass: 1, inertia: 0.1, velocity: [1, 0]}}\n"
       "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: x}}\n",
       "analysis: {type: periodic, period: 1, elements: 8}\n", {"boundary-value closing singular"}},
      {"params: {l: 0.8, m: 1, q0: 0.5, w0: 0}\n" PENDULUM(q0),
       "analysis: {until: 1, method: state_time, elements: 8, order: 2, force_order: 2}\n", {"must be smaller than order = 2"}},
  };
  for (int i = 0; i < TNI_COUNT(bad); i++) {
    tn_summary s;
    char message[600];
    tn_status st = run_text(bad[i].model, bad[i].analysis, NULL, &s, message);
    CHECK(st != TN_OK);
    const char *when = strstr(message, "dropped from 9 to 8 at t = ");
    if (when) CHECK_WITHIN(atof(when + strlen("dropped from 9 to 8 at t = ")), 1, 1e-3);
    for (int k = 0; k < 3 && bad[i].say[k]; k++)
      if (!CHECK(strstr(message, bad[i].say[k]) != NULL)) printf("  wanted '%s' in: %s\n", bad[i].say[k], message);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(derivatives_by_parameters);
  RUN(derivatives_are_those_of_the_discrete_solution);
  RUN(derivatives_agree_with_differences_of_marching);
  RUN(cycle_of_a_driven_pendulum);
  RUN(marching_ends_in_the_cycle);
  RUN(cycle_of_a_flexible_four_bar);
  RUN(two_point_problem);
  RUN(wrong_periods_and_parameters_are_refused);
  RUN(parameters_from_a_record);
  RUN(fits_hold_the_truth_as_often_as_they_say);
  RUN(what_switches_is_refused_by_name_and_time);
  RUN(failures_say_what_and_where);
  return REPORT();
}
