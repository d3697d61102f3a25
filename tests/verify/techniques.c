/* tests/verify/techniques.c - every technique on holonomic, nonholonomic and mixed constraints
 *
 * The two-stage method with each technique against a method of order 8 at 1e-9: a pendulum, the
 * slider-crank, the rolling ball on its sine path, and a mix: a ball that rolls and steers with a rod on
 * a spherical joint below its middle. Errors fall with the step, those of a penalty because its springs
 * become stiffer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

static const char mixed[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {mass: 3, inertia: [1.2, 1.2, 1.2], at: [0, 0, 1], velocity: [1, 1, 0], "
    "angular_velocity: [-1, 1, 0]}\n"
    "  rod: {mass: 0.5, inertia: [0.05, 0.05, 0.001], at: [0.4, 0, 0.7], velocity: [1, 1, 0]}\n"
    "joints:\n"
    "  skin: {type: rolling_sphere, bodies: [ground, ball], at: [0, 0, 1], radius: 1}\n"
    "  path: {type: steering, bodies: [ground, ball], at1: [0, 0, 0], at2: [0, 0, 0], axis: z, x: x, "
    "slope: cos(t)}\n"
    "  hook: {type: spherical, bodies: [ball, rod], at: [0, 0, 1]}\n";

static const struct {
  const char *file, *text, *body;
  double until, h;
} problems[] = {{"examples/staggered/one_bar.yaml", NULL, "bob", 1.5, 0.01},
                {"examples/staggered/slider_crank.yaml", NULL, "rod", 0.6, 0.005},
                {"examples/staggered/rolling_ball.yaml", NULL, "ball", 4, 0.05},
                {NULL, mixed, "rod", 2, 0.01}};

/* Bounds of the error of the end position at step h, for each problem. A penalty has soft joints, and its
 * damper lets the ball slip: it needs steps a sixteenth as long to be near, and then its springs give by h^2, its
 * dampers by h. */
static const double hard[] = {1e-3, 1e-4, 3e-3, 6e-4}, soft[] = {4e-4, 2e-4, 0.3, 0.05};
static const double falls[] = {0.27, 0.27, 0.55, 0.55};

static const struct {
  const char *name, *analysis;
  const double *error;
  double residual; /* largest position residual */
  int finer;       /* steps in h                */
} techniques[] = {{"augmented", "technique: augmented", hard, 3e-4, 1},
                  {"partitioning", "technique: partitioning", hard, 3e-4, 1},
                  {"natural", "technique: natural", hard, 3e-4, 1},
                  {"staggered", "technique: staggered", hard, 3e-4, 1},
                  {"baumgarte, second order", "technique: baumgarte, form: second", hard, 3e-4, 1},
                  {"baumgarte, integral", "technique: baumgarte, form: integral", hard, 3e-5, 1},
                  {"penalty", "technique: penalty", soft, 0.01, 16}};

static void load_problem(loaded *l, int p, const char *analysis) {
  char text[3000], whole[4096] = "";
  if (problems[p].file) {
    snprintf(text, sizeof(text), "%s/%s", TENON_SOURCE_DIR, problems[p].file);
    FILE *f = fopen(text, "r");
    if (f) {
      size_t n = fread(whole, 1, sizeof(whole) - 1, f);
      whole[n] = 0;
      fclose(f);
    }
    char *end = strstr(whole, "analysis:"); /* its own settings give way */
    CHECK(end != NULL);
    if (end) *end = 0;
  } else {
    snprintf(whole, sizeof(whole), "tenon: 1\n%s", problems[p].text);
  }
  snprintf(text, sizeof(text), "%sanalysis: {until: %g, %s}\n", whole, problems[p].until, analysis);
  load_begin(l, 1);
  CHECK_OK(l->ctx, tn_spec_read_text(l->ctx, "test", text, NULL, 0, &l->spec));
  load_finish(l);
}

/* end position of the body; false: the run stopped */
static bool run_to_end(int p, const char *analysis, double x[3], tn_summary *sum) {
  loaded l;
  tn_sim *sim = NULL;
  load_problem(&l, p, analysis);
  tn_status st = tn_sim_create(l.ctx, l.model, NULL, &sim);
  if (st == TN_OK) st = tn_sim_advance(sim, problems[p].until);
  if (st == TN_OK) {
    sim_point(sim, problems[p].body, 0, 0, 0, x);
    tn_sim_summary(sim, sum);
  } else {
    printf("%s\n", tn_ctx_message(l.ctx));
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return st == TN_OK;
}

static void hold(const char *method) {
  bool rule = strcmp(method, "trapezoidal") == 0;
  for (int p = 0; p < TNI_COUNT(problems); p++) {
    double exact[3], x[3];
    tn_summary sum;
    CHECK(run_to_end(p, "method: rk8, tolerance: 1e-9", exact, &sum));
    for (int k = 0; k < TNI_COUNT(techniques); k++) {
      double error[2], residual[2];
      for (int half = 0; half < 2; half++) {
        char analysis[200];
        snprintf(analysis, sizeof(analysis), "method: %s, step: %g, %s", method,
                 problems[p].h/(techniques[k].finer*(1 + half)), techniques[k].analysis);
        if (!CHECK(run_to_end(p, analysis, x, &sum))) printf("%s\n", techniques[k].name);
        vec3_sub(x, x, exact);
        error[half] = vec3_norm(x);
        residual[half] = sum.position_error;
      }
      bool good = CHECK(error[0] < (rule ? 2 : 1)*techniques[k].error[p]) &
                  CHECK(error[1] < (techniques[k].error == soft ? falls[p] : 0.75)*error[0]);
      good &= CHECK(residual[0] < techniques[k].residual || (rule && residual[1] < 0.5*residual[0]));
      if (!good || getenv("TN_TOL_SCALE"))
        printf("%s, problem %d, %s: error %.2e %.2e, residual %.1e %.1e\n", method, p, techniques[k].name,
               error[0], error[1], residual[0], residual[1]);
    }
  }
}

static void every_technique_holds_every_kind_of_constraint(void) { hold("staggered"); }
static void every_technique_holds_in_the_trapezoidal_rule(void) { hold("trapezoidal"); }

int main(void) {
  RUN(every_technique_holds_every_kind_of_constraint);
  RUN(every_technique_holds_in_the_trapezoidal_rule);
  return REPORT();
}
