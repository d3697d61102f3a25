/* method: auto - goes over to the implicit method where the model is stiff, and only there
 * SPDX-License-Identifier: BSD-3-Clause */
#include "integrators/integrator.h"
#include "support/loaded.h"
#include "verify/models.h"

typedef struct stand {
  loaded l;
  tn_sim *sim;
} stand;

static void stand_up(stand *st, const char *file, const char *text, double until, double tol) {
  memset(st, 0, sizeof(*st));
  if (file) load_file(&st->l, file, NULL);
  else load_text(&st->l, text);
  tn_run_opts o = {.method = "auto", .until = until, .tolerance = tol};
  CHECK_OK(st->l.ctx, tn_sim_create(st->l.ctx, st->l.model, &o, &st->sim));
}
static void stand_down(stand *st) {
  tn_sim_destroy(&st->sim);
  unload(&st->l);
}

/* an explicit method would take 1.6e4 steps a second */
static void stiff_models_are_taken_over_by_the_implicit_method(void) {
  static const char *const file[] = {"examples/pendulum/double_pendulum.yaml",
                                     "examples/vehicle/hmmwv14_stiff.yaml"};
  for (int k = 0; k < 2; k++) {
    stand st;
    tn_summary sum;
    stand_up(&st, file[k], NULL, 1, 1e-3);
    CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 1));
    tn_sim_summary(st.sim, &sum);
    CHECK(strstr(sum.method, "rosen from t = ") != NULL && strstr(sum.method, "stiff") != NULL);
    CHECK(sum.steps < 400 && sum.jacobians > 0);
    CHECK(sum.stiffness > 10);
    stand_down(&st);
  }
}

/* 80 links with stiff, strongly damped hinges: too many freedoms for dense matrices */
static void large_stiff_models_are_taken_over_by_the_sparse_method(void) {
  static const char text[] =
      "planar: true\n"
      "gravity: [0, -9.81]\n"
      "repeat:\n"
      "  - for: {i: [1, 80]}\n"
      "    bodies: {\"link{i}\": {mass: 1, between: [[\"{i-1}\", 0], [\"{i}\", 0]]}}\n"
      "    forces: {\"coil{i}\": {type: torsion_spring, joint: \"pin{i}\", stiffness: 3e4,\n"
      "                           damping: 3e3}}\n"
      "  - for: {i: [2, 80]}\n"
      "    joints: {\"pin{i}\": {type: revolute, at: [\"{i-1}\", 0],\n"
      "                         bodies: [\"link{i-1}\", \"link{i}\"]}}\n"
      "joints:\n"
      "  pin1: {type: revolute, bodies: [ground, link1], at: [0, 0]}\n";
  stand st;
  tn_summary sum;
  stand_up(&st, NULL, text, 0.3, 1e-4);
  CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 0.3));
  tn_sim_summary(st.sim, &sum);
  CHECK(strstr(sum.method, "radau from t = ") != NULL);
  CHECK(sum.steps < 400);
  double tip[3], want[3];
  sim_point(st.sim, "link80", 0.5, 0, 0, tip);
  stand_down(&st);

  load_text(&st.l, text);
  tn_run_opts o = {.method = "infl_sdirk", .until = 0.3, .tolerance = 1e-6};
  CHECK_OK(st.l.ctx, tn_sim_create(st.l.ctx, st.l.model, &o, &st.sim));
  CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 0.3));
  sim_point(st.sim, "link80", 0.5, 0, 0, want);
  for (int i = 0; i < 3; i++) CHECK_NEAR(tip[i], want[i], 1e-3*(1 + fabs(want[i])));
  stand_down(&st);
}

static void other_models_stay_explicit(void) {
  static const struct {
    const char *file, *text;
    double until;
  } model[] = {{"examples/four-bar/n_four_bar.yaml", NULL, 5}, {NULL, planar_four_bar, 2},
               {NULL, rssr, 1}, {"examples/seven-body/seven_body.yaml", NULL, 0.03}};
  for (int k = 0; k < TNI_COUNT(model); k++) {
    stand st;
    tn_summary sum;
    stand_up(&st, model[k].file, model[k].text, model[k].until, 1e-6);
    CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, model[k].until));
    tn_sim_summary(st.sim, &sum);
    CHECK_TEXT(sum.method, "rk8 (auto: not stiff)");
    CHECK_INT(sum.jacobians, 0);
    stand_down(&st);
  }
}

/* saved before and after the change of methods, a run goes on bit for bit */
static void a_saved_run_goes_on_bit_for_bit(void) {
  for (int before = 5; before < 60; before += 18) {
    stand a, b;
    stand_up(&a, "examples/pendulum/double_pendulum.yaml", NULL, 1, 1e-3);
    stand_up(&b, "examples/pendulum/double_pendulum.yaml", NULL, 1, 1e-3);
    double *state = calloc((size_t)tni_sim_ncheckpoint(a.sim), sizeof(double));
    for (int i = 0; i < before; i++) CHECK_OK(a.l.ctx, tni_sim_advance_step(a.sim));
    CHECK_OK(a.l.ctx, tni_sim_save(a.sim, state));
    CHECK_OK(b.l.ctx, tni_sim_load(b.sim, state));
    for (int i = 0; i < 40; i++) {
      CHECK_OK(a.l.ctx, tni_sim_advance_step(a.sim));
      CHECK_OK(b.l.ctx, tni_sim_advance_step(b.sim));
      const tni_integrator *x = a.sim->it, *y = b.sim->it;
      CHECK(x->t == y->t);
      CHECK(memcmp(x->q, y->q, (size_t)a.sim->s->nq*sizeof(double)) == 0);
      CHECK(memcmp(x->v, y->v, (size_t)a.sim->s->nv*sizeof(double)) == 0);
    }
    free(state);
    stand_down(&a);
    stand_down(&b);
  }
}

int main(void) {
  RUN(stiff_models_are_taken_over_by_the_implicit_method);
  RUN(large_stiff_models_are_taken_over_by_the_sparse_method);
  RUN(other_models_stay_explicit);
  RUN(a_saved_run_goes_on_bit_for_bit);
  return REPORT();
}
