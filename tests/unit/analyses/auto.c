/* method: auto - chooses by trials, changes its mind, leaves no trace, says why
 * SPDX-License-Identifier: BSD-3-Clause */
#include "analyses/auto.h"
#include "support/loaded.h"
#include "verify/models.h"

typedef struct stand {
  loaded l;
  tn_sim *sim;
} stand;

static void stand_up_as(stand *st, const char *file, const char *text, double until, double tol, const char *method,
                        const char *representation) {
  memset(st, 0, sizeof(*st));
  if (file) load_file(&st->l, file, NULL);
  else load_text(&st->l, text);
  tn_run_opts o = {.method = method, .representation = representation, .until = until, .tolerance = tol};
  CHECK_OK(st->l.ctx, tn_sim_create(st->l.ctx, st->l.model, &o, &st->sim));
}
static void stand_up(stand *st, const char *file, const char *text, double until, double tol) {
  stand_up_as(st, file, text, until, tol, "auto", NULL);
}
static bool is_implicit(const stand *st) { return st->sim->it->type->needs_tangent; }

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
    CHECK(is_implicit(&st));
    CHECK(sum.steps < 500 && sum.jacobians > 0);
    CHECK(strstr(sum.method, "(auto: ") != NULL && strstr(sum.method, tni_representation(st.sim->s)) != NULL);
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
  CHECK_TEXT(st.sim->it->type->name, "radau");
  CHECK(sum.steps < 500);
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
    CHECK(!is_implicit(&st));
    CHECK_INT(sum.jacobians, 0);
    stand_down(&st);
  }
}

/* A load on a stiff, strongly damped rope beside a pendulum that turns fast. The rope gets taut after
 * sqrt(2*0.5/10) s; from 1 s on the load is lifted. */
static const char rope_text[] =
    "gravity: [0, 0, -10]\n"
    "ground: {points: {hook: [0, 0, 1]}}\n"
    "bodies:\n"
    "  load: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {eye: [0, 0, 0]}}\n"
    "  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [3, 0, -1], velocity: [9, 0, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, bob], at: [3, 0, 0], axis: y}\n"
    "forces:\n"
    "  rope: {type: spring, points: [ground.hook, load.eye], free_length: 1.5, tension_only: true, stiffness: 1e6,\n"
    "         damping: 1e4}\n"
    "  lift: {type: force, body: load, force: [0, 0, \"10.02*step(t, 1, 0, 1.01, 1)\"]}\n";

static void mind_changes_when_a_rope_gets_taut_and_when_it_goes_slack(void) {
  stand st;
  double x[3], want[3];
  stand_up(&st, NULL, rope_text, 6, 1e-9);
  CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 0.3));
  CHECK(!is_implicit(&st));
  CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 0.95));
  CHECK(is_implicit(&st));
  CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 6));
  CHECK(!is_implicit(&st));
  CHECK(st.sim->choice->changes >= 2);
  sim_point(st.sim, "bob", 0, 0, 0, x);
  stand_down(&st);
  stand_up_as(&st, NULL, rope_text, 6, 1e-10, "rk8", "cartesian");
  CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 6));
  sim_point(st.sim, "bob", 0, 0, 0, want);
  for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], want[i], 1e-7);
  stand_down(&st);
}

/* accelerations are cheaper in cartesian coordinates here, matrices smaller in relative ones */
static void representation_changes_with_the_method(void) {
  stand st;
  stand_up(&st, NULL, rope_text, 1, 1e-7);
  CHECK_TEXT(tni_representation(st.sim->s), "cartesian");
  CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 1));
  CHECK_TEXT(tni_representation(st.sim->s), "joint");
  double x[3], want[3];
  sim_point(st.sim, "bob", 0, 0, 0, x);
  stand_down(&st);
  stand_up_as(&st, NULL, rope_text, 1, 1e-10, "rk8", "cartesian");
  CHECK_OK(st.l.ctx, tn_sim_advance(st.sim, 1));
  sim_point(st.sim, "bob", 0, 0, 0, want);
  for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], want[i], 1e-5);
  stand_down(&st);
}

/* As long as auto does not change its mind it is the method that it began with, bit for bit, whatever it
 * has tried in between. */
static void trials_leave_no_trace(void) {
  static const struct {
    const char *file, *text;
    double until;
  } model[] = {{NULL, planar_four_bar, 30},
               {"examples/four-bar/n_four_bar.yaml", NULL, 10},
               {"examples/seven-body/seven_body.yaml", NULL, 0.03},
               {"examples/chain/chain.yaml", NULL, 1}};
  for (int k = 0; k < TNI_COUNT(model); k++) {
    stand a, b;
    stand_up(&a, model[k].file, model[k].text, model[k].until, 1e-6);
    stand_up_as(&b, model[k].file, model[k].text, model[k].until, 1e-6, a.sim->it->type->name,
                tni_representation(a.sim->s));
    CHECK_OK(a.l.ctx, tn_sim_advance(a.sim, model[k].until));
    CHECK_OK(b.l.ctx, tn_sim_advance(b.sim, model[k].until));
    if (!CHECK(a.sim->choice->trials > 0)) printf("model %d, %s\n", k, a.sim->it->type->name);
    if (!CHECK_INT(a.sim->choice->changes, 0)) printf("model %d, %s\n", k, a.sim->it->type->name);
    CHECK_INT(a.sim->it->stats.steps, b.sim->it->stats.steps);
    CHECK(memcmp(a.sim->it->now.q, b.sim->it->now.q, (size_t)a.sim->s->nq*sizeof(double)) == 0);
    CHECK(memcmp(a.sim->it->now.v, b.sim->it->now.v, (size_t)a.sim->s->nv*sizeof(double)) == 0);
    CHECK(memcmp(a.sim->it->now.z, b.sim->it->now.z, TNI_NZ*sizeof(double)) == 0);
    stand_down(&a);
    stand_down(&b);
  }
}

/* counted by themselves, and by the evaluations that they add to those of the method alone */
static void trials_are_a_small_part_of_the_run(void) {
  static const struct {
    const char *file;
    double until;
  } model[] = {{"examples/four-bar/n_four_bar.yaml", 10}, {"examples/seven-body/seven_body.yaml", 0.03},
               {"examples/chain/chain.yaml", 1}};
  for (int k = 0; k < TNI_COUNT(model); k++) {
    stand a, b;
    tn_summary mine, alone;
    stand_up(&a, model[k].file, NULL, model[k].until, 1e-6);
    stand_up_as(&b, model[k].file, NULL, model[k].until, 1e-6, a.sim->it->type->name, tni_representation(a.sim->s));
    CHECK_OK(a.l.ctx, tn_sim_advance(a.sim, model[k].until));
    CHECK_OK(b.l.ctx, tn_sim_advance(b.sim, model[k].until));
    tn_sim_summary(a.sim, &mine);
    tn_sim_summary(b.sim, &alone);
    CHECK(a.sim->choice->trials < 0.15*a.sim->choice->cost);
    CHECK((double)mine.evaluations < 1.15*(double)alone.evaluations + 100);
    stand_down(&a);
    stand_down(&b);
  }
}

static bool same(const tn_sim *a, const tn_sim *b) {
  const tni_integrator *x = a->it, *y = b->it;
  return a->choice->now == b->choice->now && a->choice->cost == b->choice->cost && x->now.t == y->now.t &&
         memcmp(x->now.q, y->now.q, (size_t)a->s->nq*sizeof(double)) == 0 &&
         memcmp(x->now.v, y->now.v, (size_t)a->s->nv*sizeof(double)) == 0;
}

/* the same with a chain */
static const char chain_text[] =
    "gravity: [0, 0, -10]\n"
    "ground: {points: {hook: [0, 0, 1]}}\n"
    "bodies: {load: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {eye: [0, 0, 0]}}}\n"
    "repeat:\n"
    "  - for: {i: [1, 8]}\n"
    "    bodies: {\"link{i}\": {mass: 1, inertia: [0.1, 0.1, 0.1], at: [\"3 + 0.5*{i}\", 0, 0]}}\n"
    "  - for: {i: [2, 8]}\n"
    "    joints: {\"pin{i}\": {type: revolute, at: [\"2.75 + 0.5*{i}\", 0, 0], axis: y,\n"
    "                         bodies: [\"link{i-1}\", \"link{i}\"]}}\n"
    "joints: {pin1: {type: revolute, bodies: [ground, link1], at: [3.25, 0, 0], axis: y}}\n"
    "forces:\n"
    "  rope: {type: spring, points: [ground.hook, load.eye], free_length: 1.5, tension_only: true, stiffness: 1e7,\n"
    "         damping: 1e5}\n";

/* saved at any time, a run goes on bit for bit, with the same trials and changes */
static void a_saved_run_goes_on_bit_for_bit(void) {
  static const struct {
    const char *file, *text;
    double until, tol;
    int every, after;
    bool changes;
  } model[] = {{"examples/pendulum/double_pendulum.yaml", NULL, 1, 1e-3, 30, 60, false},
               {NULL, rope_text, 4, 1e-9, 20, 60, true},
               {NULL, chain_text, 1, 1e-5, 20, 60, true},
               {"examples/contact/bouncing_ball.yaml", NULL, 5, 1e-5, 100, 120, true},
               {"examples/beams/pendulum.yaml", NULL, 0.5, 1e-3, 20, 40, false},
               {"examples/vehicle/hmmwv14_stiff.yaml", NULL, 1, 1e-4, 60, 60, false}};
  for (int k = 0; k < TNI_COUNT(model); k++) {
    stand a;
    stand_up(&a, model[k].file, model[k].text, model[k].until, model[k].tol);
    double *state = calloc((size_t)tni_sim_ncheckpoint(a.sim), sizeof(double));
    while (a.sim->t_hi < model[k].until) {
      stand b;
      for (int i = 0; i < model[k].every && a.sim->t_hi < model[k].until; i++)
        CHECK_OK(a.l.ctx, tni_sim_advance_step(a.sim));
      if (a.sim->event || a.sim->t_hi >= model[k].until) continue;
      stand_up(&b, model[k].file, model[k].text, model[k].until, model[k].tol);
      CHECK_OK(a.l.ctx, tni_sim_save(a.sim, state));
      CHECK_OK(b.l.ctx, tni_sim_load(b.sim, state));
      bool agree = true;
      for (int i = 0; i < model[k].after && a.sim->t_hi < model[k].until && agree; i++) {
        CHECK_OK(a.l.ctx, tni_sim_advance_step(a.sim));
        CHECK_OK(b.l.ctx, tni_sim_advance_step(b.sim));
        agree = same(a.sim, b.sim);
      }
      CHECK(agree);
      stand_down(&b);
    }
    CHECK(a.sim->choice->trials > 0 || !model[k].changes);
    CHECK(a.sim->choice->changes > 0 || !model[k].changes);
    free(state);
    stand_down(&a);
  }
}

/* counters decide, not clocks: the same choices and bits with any number of threads, and every time */
static void the_choice_does_not_depend_on_threads(void) {
  static const char *const file[] = {"examples/contact/newtons_cradle.yaml", "examples/vehicle/hmmwv14_stiff.yaml"};
  static const double until[] = {5, 1};
  for (int k = 0; k < 2; k++) {
    stand st[3];
    tn_summary sum[3];
    for (int i = 0; i < 3; i++) {
      memset(&st[i], 0, sizeof(st[i]));
      load_file_threads(&st[i].l, file[k], NULL, i ? 2*i - 1 : 1);
      tn_run_opts o = {.method = "auto", .until = until[k], .tolerance = 1e-5};
      CHECK_OK(st[i].l.ctx, tn_sim_create(st[i].l.ctx, st[i].l.model, &o, &st[i].sim));
      CHECK_OK(st[i].l.ctx, tn_sim_advance(st[i].sim, until[k]));
      tn_sim_summary(st[i].sim, &sum[i]);
    }
    CHECK(st[0].sim->choice->trials > 0);
    for (int i = 1; i < 3; i++) {
      CHECK(same(st[0].sim, st[i].sim));
      CHECK_TEXT(sum[i].method, sum[0].method);
    }
    for (int i = 0; i < 3; i++) stand_down(&st[i]);
  }
}

/* relative coordinates for hinges, none for bodies that fly */
static void representation_follows_the_model(void) {
  static const char flying[] = "bodies:\n  a: {mass: 1, inertia: [1, 2, 3], angular_velocity: [1, 2, 3]}\n"
                               "  b: {mass: 1, inertia: [1, 2, 3], at: [3, 0, 0], angular_velocity: [1, 2, 3]}\n";
  stand st;
  stand_up(&st, NULL, flying, 1, 1e-6);
  CHECK_TEXT(tni_representation(st.sim->s), "cartesian");
  stand_down(&st);
  stand_up(&st, "examples/chain/chain.yaml", NULL, 1, 1e-6);
  CHECK_TEXT(tni_representation(st.sim->s), "joint");
  stand_down(&st);
  stand_up_as(&st, "examples/chain/chain.yaml", NULL, 1, 1e-6, "auto", "cartesian");
  CHECK_INT(st.sim->choice->nsystem, 1);
  CHECK_TEXT(tni_representation(st.sim->s), "cartesian");
  stand_down(&st);
}

int main(void) {
  RUN(stiff_models_are_taken_over_by_the_implicit_method);
  RUN(large_stiff_models_are_taken_over_by_the_sparse_method);
  RUN(other_models_stay_explicit);
  RUN(mind_changes_when_a_rope_gets_taut_and_when_it_goes_slack);
  RUN(representation_changes_with_the_method);
  RUN(trials_leave_no_trace);
  RUN(trials_are_a_small_part_of_the_run);
  RUN(a_saved_run_goes_on_bit_for_bit);
  RUN(the_choice_does_not_depend_on_threads);
  RUN(representation_follows_the_model);
  return REPORT();
}
