/* Steps allocate nothing: neither through the context nor behind its back (CVODE, LAPACK, KLU)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "support/check.h"
#include "support/count_malloc.h"

#include "analyses/sim.h"
#include <tenon/tenon.h>

typedef struct {
  const char *path;
  double step; /* that the fixed-step methods survive                                            */
  double last; /* no step begins later: the four-bar is singular, and analysed anew, at 1.228 s  */
} example;

static const example examples[] = {
    {"pendulum/pendulum.yaml", 1e-3, 9},         {"pendulum/double_pendulum.yaml", 1e-6, 0.1},
    {"four-bar/n_four_bar.yaml", 1e-3, 1},       {"seven-body/seven_body.yaml", 1e-5, 0.03},
    {"slider-crank/slider_crank.yaml", 1e-3, 1}, {"vehicle/hmmwv14.yaml", 1e-4, 5},
};

/* what a caller does between steps */
static void look_around(tn_ctx *ctx, const tn_model *model, tn_sim *sim) {
  double a[4], b[4];
  for (int i = 0; i < tn_model_nbody(model); i++) {
    CHECK_OK(ctx, tn_sim_body_pose(sim, i, a, b));
    CHECK_OK(ctx, tn_sim_body_velocity(sim, i, a, b));
  }
  for (int i = 0; i < tn_model_njoint(model); i++)
    CHECK_OK(ctx, tn_sim_joint_reaction(sim, i, a, b));
  CHECK_OK(ctx, tn_sim_energy(sim, a));
}

static void step_some(tn_ctx *ctx, const tn_model *model, tn_sim *sim, double last, int n) {
  for (int i = 0; i < n && tn_sim_time(sim) < last; i++) {
    double before = tn_sim_time(sim);
    tn_status st = tn_sim_step(sim);
    if (st == TN_ERR_ARGUMENT && before > 0) return; /* large steps have reached the end */
    CHECK_OK(ctx, st);
    double h = tn_sim_time(sim) - before;
    double after = tn_sim_time(sim);
    if (i % 8 == 0) CHECK_OK(ctx, tn_sim_advance(sim, fmin(after + 0.3*h, fmax(last, after))));
    if (i % 8 == 4) look_around(ctx, model, sim);
  }
}

static void count_steps(const example *e, const tni_integrator_type *method,
                        const char *representation, const char *solver, int threads) {
  enum { WARM = 3, STEPS = 40 };
  char file[600];
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
  tn_ctx_opts co = {.threads = threads};
  tn_run_opts ro = {.method = method->name, .representation = representation, .solver = solver,
                    .step = method->fixed_step ? e->step : 0};
  snprintf(file, sizeof(file), "%s/examples/%s", TENON_SOURCE_DIR, e->path);
  if (!CHECK(tn_ctx_create(&co, &ctx) == TN_OK)) return;
  CHECK_OK(ctx, tn_spec_read_file(ctx, file, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
  CHECK_OK(ctx, tn_sim_create(ctx, model, &ro, &sim));
  step_some(ctx, model, sim, e->last, WARM);
  size_t own = tn_ctx_allocations(ctx);
  long all = malloc_calls, exchanges = sim->s->work.nexchange;
  step_some(ctx, model, sim, e->last, STEPS);
  /* the sparse solver of SUNDIALS chooses pivots anew when it sees fit, which allocates */
  if (strcmp(method->name, "ida") == 0) all = malloc_calls;
  /* and KLU where redundant rows were exchanged in its matrix, which has another pattern then */
  if (method->needs_tangent && sim->s->work.nexchange != exchanges) all = malloc_calls;
  if (tn_ctx_allocations(ctx) != own || malloc_calls != all)
    printf("%s, %s, %s, solver %s, %d threads:\n", e->path, method->name,
           representation ? representation : "auto", solver ? solver : "auto", threads);
  CHECK_INT(tn_ctx_allocations(ctx), own);
  CHECK_INT(malloc_calls, all);
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
}

static bool cartesian_only(const tni_integrator_type *m) {
  return m->needs_model || m->needs_technique;
}

/* without the argument all each in one representation of an example and the other one of the next */
static bool everything;

static void steps_of_every_method_and_example_allocate_nothing(void) {
  static const char *const representation[] = {"cartesian", "joint"};
  for (int e = 0; e < TNI_COUNT(examples); e++)
    for (int i = 0; i < tni_integrator_ntype; i++)
      for (int r = 0; r < 2; r++)
        if (cartesian_only(tni_integrator_types[i]) ? r == 0 : everything || (e + i + r) % 3 == 0)
          count_steps(&examples[e], tni_integrator_types[i], representation[r], NULL, 1);
}

static void steps_with_every_solver_allocate_nothing(void) {
  static const char *const solver[] = {"reduced",   "sparse",    "dense",
                                       "recursive", "composite", "composite_dense"};
  const example *vehicle = &examples[TNI_COUNT(examples) - 1];
  for (int i = 0; i < TNI_COUNT(solver); i++)
    for (int threads = 1; threads <= 2; threads++)
      count_steps(vehicle, tni_integrator_find("rk45"), NULL, solver[i], threads);
}

/* Changes and trials neither; but KLU chooses pivots anew for a method that has forgotten all, behind the
 * back of the context. */
static void trials_and_changes_of_auto_allocate_nothing(void) {
  static const struct {
    const char *path;
    double until;
  } model[] = {{"contact/bouncing_ball.yaml", 5}, {"seven-body/seven_body.yaml", 0.03}};
  for (int k = 0; k < TNI_COUNT(model); k++) {
    char file[600];
    tn_ctx *ctx;
    tn_spec *spec;
    tn_model *m;
    tn_sim *sim;
    tn_run_opts ro = {.method = "auto", .until = model[k].until, .tolerance = 1e-6};
    snprintf(file, sizeof(file), "%s/examples/%s", TENON_SOURCE_DIR, model[k].path);
    if (!CHECK(tn_ctx_create(NULL, &ctx) == TN_OK)) return;
    CHECK_OK(ctx, tn_spec_read_file(ctx, file, NULL, 0, &spec));
    CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
    CHECK_OK(ctx, tn_sim_create(ctx, m, &ro, &sim));
    size_t own = tn_ctx_allocations(ctx);
    CHECK_OK(ctx, tn_sim_advance(sim, model[k].until));
    CHECK(sim->choice->trials > 0);
    CHECK(sim->choice->changes > 0 || k > 0);
  CHECK_INT(tn_ctx_allocations(ctx), own);
    tn_sim_destroy(&sim);
    tn_model_destroy(&m);
    tn_spec_destroy(&spec);
    tn_ctx_destroy(&ctx);
  }
}

/* a counter that counts nothing would let everything pass */
static void the_counter_sees_allocations_of_libraries(void) {
  long before = malloc_calls;
  tn_ctx *ctx;
  if (!CHECK(tn_ctx_create(NULL, &ctx) == TN_OK)) return;
  if (COUNTS_MALLOC) CHECK(malloc_calls > before);
  tn_ctx_destroy(&ctx);
  before = malloc_calls;
  FILE *f = fopen("/dev/null", "r"); /* allocates inside the C library */
  if (COUNTS_MALLOC) CHECK(malloc_calls > before);
  if (f) fclose(f);
}

int main(int argc, char **argv) {
  everything = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(the_counter_sees_allocations_of_libraries);
  RUN(steps_of_every_method_and_example_allocate_nothing);
  RUN(steps_with_every_solver_allocate_nothing);
  RUN(trials_and_changes_of_auto_allocate_nothing);
  return REPORT();
}
