/* Whatever allocation fails, the answer is TN_ERR_MEMORY, and nothing is lost or broken
 *
 * A whole use of the library is repeated with an allocator that refuses its k-th call, for every k
 * until a use gets through; then with one that refuses everything from the k-th call on. Without the argument all
 * for every seventh k, beginning elsewhere in every use.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "support/check.h"

#include <unistd.h>

#include <tenon/tenon.h>

static bool all;

typedef struct {
  long calls, live, refuse; /* refuse: number of the call that fails, counted from 1; 0: none */
  bool from_there_on;
} heap;

static void *take(void *user, size_t bytes) {
  heap *h = user;
  h->calls++;
  if (h->refuse && (h->calls == h->refuse || (h->from_there_on && h->calls > h->refuse)))
    return NULL;
  void *p = malloc(bytes);
  if (p) h->live++;
  return p;
}

static void give(void *user, void *ptr) {
  heap *h = user;
  if (ptr) h->live--;
  free(ptr);
}

/* nearly everything a model can have, redundant constraints and a loop included */
static const char everything[] =
    "tenon: 1\n"
    "title: everything\n"
    "gravity: [0, 0, -9.81]\n"
    "params: {n: 3, L: 0.5, k: 2*n*L}\n"
    "ground:\n"
    "  points: {hook: [0, 1, 1]}\n"
    "  frames: {f: {at: [1, 0, 0], orientation: {axis: x, angle: 1}}}\n"
    "bodies:\n"
    "  crank: {mass: 1, shape: {box: [0.1, 0.2, 0.3]}, at: [0, 0, 0.1],\n"
    "          points: {tip: [0, 0, 0.1]}}\n"
    "  rod: {mass: 1, shape: {cylinder: [0.05, 1]}, between: [[0, 0, 0.2], [1, 0, 0]]}\n"
    "  block: {mass: 1, shape: {sphere: 0.1}, at: [1, 0, 0]}\n"
    "  ball: {mass: 1, shape: {sphere: 0.1}, at: [0, 5, 0.1]}\n"
    "  bead: {mass: 1, shape: {sphere: 0.1}, at: [1, 6, 0]}\n"
    "repeat:\n"
    "- for: {i: [1, n]}\n"
    "  bodies: {\"link{i}\": {mass: i, shape: {box: [L, 0.1, 0.1]}, at: [L*(i - 0.5), -2, 0]}}\n"
    "- for: {i: [2, n]}\n"
    "  joints:\n"
    "    \"pin{i}\": {type: revolute, bodies: [\"link{i-1}\", \"link{i}\"],\n"
    "              at: [L*(i - 1), -2, 0], axis: y}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
    "  b: {type: revolute, bodies: [crank, rod], at: crank.tip, axis: y}\n"
    "  c: {type: revolute, bodies: [rod, block], at: [1, 0, 0], axis: y}\n"
    "  d: {type: prismatic, bodies: [ground, block], at: [1, 0, 0], axis: x}\n"
    "  anchor: {type: universal, bodies: [ground, link1], at: [0, -2, 0], axis1: z, axis2: y}\n"
    "  tie: {type: gear, joints: [pin2, pin3], ratio: -1}\n"
    "  roll: {type: rolling_sphere, bodies: [ground, ball], radius: 0.1}\n"
    "  rail: {type: curve, bodies: [ground, bead], at2: [0, 0, 0],\n"
    "         points: [[0, 6, 0], [1, 6, 0], [2, 6, 0.5], [3, 6, 0]]}\n"
    "drive:\n"
    "- {joint: a, motion: 0.3*sin(2*t)}\n"
    "forces:\n"
    "  pull: {type: spring, points: [ground.hook, crank.tip], stiffness: 10, damping: 1,\n"
    "         force: 0.1*l, table: [[-1, -5], [0, 0], [1, 7]], interpolation: spline}\n"
    "  turn: {type: torsion_spring, joint: b, stiffness: 3}\n"
    "  push: {type: force, body: ball, force: [\"1 + speed(ball)\", \"table(t, 0, 0, 1, 2)\", 0]}\n"
    "  mount: {type: bushing, bodies: [ground, block], at: [1, 0, 0],\n"
    "          stiffness: [1, 1, 1, 1, 1, 1]}\n"
    "  wheel: {type: tyre, body: bead, stiffness: 10, free_length: 0.2, road: 0.1*sin(x),\n"
    "          unilateral: true}\n"
    "sensors:\n"
    "  height: {type: position, body: rod}\n"
    "  work: {type: expression, value: \"2*angle(a) + distance(ball, bead)\"}\n"
    "analysis: {until: 0.02, tolerance: 1e-4}\n"
    "output: {every: 0.005, record: [rod.position, a.reaction, energy, pull.force]}\n";

static tn_status simulate(tn_ctx *ctx, const tn_model *model, const char *method,
                          const char *representation) {
  tn_run_opts o = {.method = method, .representation = representation, .step = 1e-3,
                   .until = 10};
  tn_sim *sim;
  double p[3], e[4];
  tn_status st = tn_sim_create(ctx, model, &o, &sim);
  for (int i = 0; i < 3 && st == TN_OK; i++) st = tn_sim_step(sim);
  if (st == TN_OK) st = tn_sim_advance(sim, tn_sim_time(sim) + 1e-5);
  if (st == TN_OK) st = tn_sim_body_pose(sim, 0, p, e);
  tn_sim_destroy(&sim);
  return st;
}

typedef struct {
  const char *file;   /* NULL: the text above */
  const char *method;
  const char *representation;
} use;

static tn_status read_and_step(tn_ctx *ctx, const use *u) {
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_report *report = NULL;
  char path[600];
  snprintf(path, sizeof(path), "%s/examples/%s", TENON_SOURCE_DIR, u->file ? u->file : "");
  tn_status st = u->file ? tn_spec_read_file(ctx, path, NULL, 0, &spec)
                         : tn_spec_read_text(ctx, "all.yaml", everything, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_check(ctx, model, &report);
  if (st == TN_OK) CHECK(tn_report_text(report)[0] && tn_report_json(report)[0]);
  if (st == TN_OK) st = simulate(ctx, model, u->method, u->representation);
  tn_report_destroy(&report);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

/* one use with a context of its own, the k-th allocation refused; true: it got that far */
static bool attempt(tn_status (*job)(tn_ctx *, const use *), const use *u, long k, bool on) {
  heap h = {.refuse = k, .from_there_on = on};
  tn_ctx_opts o = {.alloc = take, .release = give, .user = &h};
  tn_ctx *ctx = NULL;
  int before = check_failures;
  tn_status st = tn_ctx_create(&o, &ctx);
  if (st == TN_OK) st = job(ctx, u);
  bool reached = k && h.calls >= k;
  if (CHECK_INT(st, reached ? TN_ERR_MEMORY : TN_OK) && st == TN_ERR_MEMORY && ctx)
    CHECK(strstr(tn_ctx_message(ctx), "memory") != NULL);
  if (check_failures != before)
    printf("message: %s\n", tn_ctx_message(ctx));
  tn_ctx_destroy(&ctx);
  CHECK_INT(h.live, 0);
  if (check_failures != before)
    printf("%s, %s, %s, call %ld refused%s\n", u->file ? u->file : "everything",
           u->method ? u->method : "", u->representation ? u->representation : "", k,
           on ? " and all after it" : "");
  return reached;
}

static void attempt_all(tn_status (*job)(tn_ctx *, const use *), const use *u) {
  attempt(job, u, 0, false);
  static long uses;
  for (int on = 0; on < (u->file ? 1 : 2); on++, uses++)
    for (long k = all ? 1 : 1 + uses % 7; attempt(job, u, k, on); k += all ? 1 : 7)
      if (check_failures > 20) return;
}

static void a_refused_allocation_ends_a_simulation_cleanly(void) {
  static const use uses[] = {
      {NULL, "rk45", "cartesian"},
      {NULL, "rk8", "joint"},
      {NULL, "adams", "cartesian"},
      {"vehicle/hmmwv14.yaml", "rk4", "joint"},
      {"four-bar/n_four_bar.yaml", "adams", "joint"},
      {"seven-body/seven_body.yaml", "rk45", NULL},
  };
  for (int i = 0; i < (int)(sizeof(uses)/sizeof(uses[0])); i++)
    attempt_all(read_and_step, &uses[i]);
}

static tn_status make_by_program(tn_ctx *ctx, const use *u) {
  (void)u;
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_status st = tn_spec_create(ctx, &spec);
  if (st == TN_OK) st = tn_spec_set(spec, "", "", "gravity", "[0, 0, -9.81]");
  if (st == TN_OK) st = tn_spec_add(spec, "bodies", "rod", NULL);
  if (st == TN_OK) st = tn_spec_set(spec, "bodies", "rod", "mass", "2");
  if (st == TN_OK) st = tn_spec_set(spec, "bodies", "rod", "shape", "{box: [1, 0.1, 0.1]}");
  if (st == TN_OK) st = tn_spec_add(spec, "joints", "pin", "revolute");
  if (st == TN_OK) st = tn_spec_set(spec, "joints", "pin", "bodies", "[ground, rod]");
  if (st == TN_OK) st = tn_spec_set(spec, "joints", "pin", "axis", "y");
  if (st == TN_OK) st = tn_spec_set(spec, "analysis", "", "until", "0.1");
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = simulate(ctx, model, "rk45", NULL);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static void a_refused_allocation_ends_a_program_made_model_cleanly(void) {
  static const use none = {0};
  attempt_all(make_by_program, &none);
}

static tn_status write_schema(tn_ctx *ctx, const use *u) {
  (void)u;
  char *text = NULL;
  tn_status st = tn_input_schema(ctx, &text);
  tn_text_free(ctx, &text);
  return st;
}

static tn_status write_reference(tn_ctx *ctx, const use *u) {
  (void)u;
  char *text = NULL;
  tn_status st = tn_input_reference(ctx, &text);
  tn_text_free(ctx, &text);
  return st;
}

static void a_refused_allocation_ends_a_description_of_the_input_cleanly(void) {
  static const use none = {0};
  attempt_all(write_schema, &none);
  attempt_all(write_reference, &none);
}

static tn_status draw(tn_ctx *ctx, const use *u) {
  (void)u;
  static const double x[] = {0, 1, 2}, y[] = {1, 3, 2};
  tn_plot_opts o = {.title = "title", .note = "note"};
  tn_plot_panel panel = {.title = "panel", .x_label = "x", .y_label = "y", .y_unit = "m"};
  tn_plot *plot = NULL;
  char *svg = NULL;
  tn_status st = tn_plot_create(ctx, &o, &plot);
  for (int i = 0; i < 5 && st == TN_OK; i++) {
    tn_plot_series s = {.name = "name", .n = 3, .x = x, .y = y, .style = TN_PLOT_LINE_POINTS};
    st = tn_plot_add_panel(plot, &panel);
    for (int k = 0; k < 5 && st == TN_OK; k++) st = tn_plot_add_series(plot, i, &s);
  }
  if (st == TN_OK) st = tn_plot_svg(plot, &svg);
  tn_text_free(ctx, &svg);
  tn_plot_destroy(&plot);
  return st;
}

static tn_status compare(tn_ctx *ctx, const use *u) {
  static const char text[] =
      "tenon: 1\nbodies: {rod: {mass: 2, shape: {sphere: 0.1}, at: [1, 0, 0], velocity: [0, 1, 0]}}\n"
      "joints: {pin: {type: distance, bodies: [ground, rod], at1: [0, 0, 0], at2: [0, 0, 0]}}\n";
  static const char *const method[] = {"rk45"};
  static const double tolerance[] = {1e-2};
  (void)u;
  tn_compare_opts o = {.methods = method, .nmethod = 1, .tolerances = tolerance, .ntolerance = 1,
                       .reference = "rk8", .until = 0.01, .ntime = 2};
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_comparison *c = NULL;
  tn_plot *plot = NULL;
  char *table = NULL, *csv = NULL, *json = NULL;
  tn_status st = tn_spec_read_text(ctx, "pendulum", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_compare(ctx, model, &o, &c);
  if (st == TN_OK) st = tn_comparison_text(c, &table);
  if (st == TN_OK) st = tn_comparison_csv(c, &csv);
  if (st == TN_OK) st = tn_comparison_json(c, &json);
  if (st == TN_OK) st = tn_comparison_plot(c, &plot);
  tn_plot_destroy(&plot);
  if (st == TN_OK) st = tn_comparison_plot_steps(c, &plot);
  tn_plot_destroy(&plot);
  tn_text_free(ctx, &json);
  tn_text_free(ctx, &csv);
  tn_text_free(ctx, &table);
  tn_comparison_destroy(&c);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static void a_refused_allocation_ends_figures_and_comparisons_cleanly(void) {
  static const use none = {0};
  attempt_all(draw, &none);
  attempt_all(compare, &none);
}

static char results_path[600];

static tn_status ignore(void *user, const char *text, size_t n) {
  (void)user, (void)text, (void)n;
  return TN_OK;
}

static tn_status run_and_export(tn_ctx *ctx, const use *u) {
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_results *r = NULL;
  tn_summary sum;
  char *json = NULL;
  tn_run_opts o = {.results = results_path, .overwrite = true, .method = u->method};
  double times[100];
  tn_status st = tn_spec_read_text(ctx, "all.yaml", everything, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_run(ctx, model, &o, &sum);
  if (st == TN_OK) st = tn_summary_json(ctx, &sum, &json);
  if (st == TN_OK) st = tn_results_open(ctx, results_path, &r);
  if (st == TN_OK && CHECK(tn_results_ntime(r) <= 100)) st = tn_results_read(r, 0, times, NULL);
  if (st == TN_OK) st = tn_results_export_csv(r, NULL, 0, ignore, NULL);
  tn_results_close(&r);
  tn_text_free(ctx, &json);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static void a_refused_allocation_ends_a_stored_run_cleanly(void) {
  static const use u = {NULL, "rk45", NULL};
  attempt_all(run_and_export, &u);
  remove(results_path);
}

/* equilibria and modes: results in memory only */
static tn_status run_file(tn_ctx *ctx, const use *u) {
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_summary sum;
  char path[600], *json = NULL;
  snprintf(path, sizeof(path), "%s/examples/%s", TENON_SOURCE_DIR, u->file);
  tn_status st = tn_spec_read_file(ctx, path, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_run(ctx, model, &(tn_run_opts){.results = ""}, &sum);
  if (st == TN_OK) st = tn_summary_json(ctx, &sum, &json);
  tn_text_free(ctx, &json);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static void a_refused_allocation_ends_statics_and_modes_cleanly(void) {
  static const use snap = {"statics/snap_through.yaml", NULL, NULL};
  static const use rotor = {"statics/rotor.yaml", NULL, NULL};
  attempt_all(run_file, &snap);
  attempt_all(run_file, &rotor);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  const char *dir = getenv("TMPDIR");
  snprintf(results_path, sizeof(results_path), "%s/tenon-memory-%ld.h5", dir ? dir : "/tmp",
           (long)getpid());
  RUN(a_refused_allocation_ends_a_simulation_cleanly);
  RUN(a_refused_allocation_ends_a_program_made_model_cleanly);
  RUN(a_refused_allocation_ends_figures_and_comparisons_cleanly);
  RUN(a_refused_allocation_ends_a_description_of_the_input_cleanly);
  RUN(a_refused_allocation_ends_a_stored_run_cleanly);
  RUN(a_refused_allocation_ends_statics_and_modes_cleanly);
  return REPORT();
}
