/* tests/verify/coordinates.c - every implicit method in both representations: the same motion
 *
 * Trees on every joint that carries a body, loops through singular positions, redundant loops, a vehicle.
 * Reference: rk8 at a tolerance far below, cartesian; random loops in whichever coordinates hold them best.
 * Error: largest |x - x_ref|/(1 + |x_ref|) of positions, rotations and velocities of all bodies at NTIME
 * times, accepted up to ten tolerances, as tests/verify/every.c does.
 *
 * With the argument all: more mechanisms, tolerances and random loops; with --table the figures.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/integrator.h"
#include "support/loaded.h"
#include "support/random_loops.h"
#include "verify/models.h"

enum { STATE = 18, NTIME = 20, BODIES = 24, LENGTH = NTIME*BODIES*STATE };
static const double accepted = 10;
static bool all, table;
static double reference[LENGTH], obtained[LENGTH];
static const char *const representations[2] = {"cartesian", "joint"};

static tn_status run(loaded *l, const tn_run_opts *o, double *x, long *steps) {
  tn_sim *sim;
  TN_TRY(tn_sim_create(l->ctx, l->model, o, &sim));
  tn_status st = TN_OK;
  for (int k = 1; k <= NTIME && st == TN_OK; k++) {
    st = tn_sim_advance(sim, o->until*k/NTIME);
    for (int i = 0; i < l->model->nbody && st == TN_OK; i++, x += STATE) {
      const tni_kin *b = &sim->s->kin[i + 1];
      vec3_copy(x, b->r);
      memcpy(x + 3, b->A, 9*sizeof(double));
      vec3_copy(x + 12, b->v);
      vec3_copy(x + 15, b->W);
    }
  }
  tn_summary sum;
  tn_sim_summary(sim, &sum);
  *steps = sum.steps;
  tn_sim_destroy(&sim);
  return st;
}

static double error_along(int nbody) {
  double worst = 0;
  for (int i = 0; i < NTIME*nbody*STATE; i++) {
    double e = fabs(obtained[i] - reference[i])/(1 + fabs(reference[i]));
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

static bool is_implicit(const tni_integrator_type *type) {
  return type->needs_tangent && !type->needs_model;
}

/* every implicit method, in both representations where asked */
static void try_all(loaded *l, const char *name, double until, bool both, bool low) {
  long steps;
  tn_run_opts o = {.method = "rk8", .representation = "cartesian", .tolerance = 1e-11, .until = until};
  CHECK(l->model->nbody <= BODIES);
  CHECK_OK(l->ctx, run(l, &o, reference, &steps));
  for (int i = 0; i < tni_integrator_ntype; i++) {
    const tni_integrator_type *type = tni_integrator_types[i];
    if (!is_implicit(type) || type->fixed_step) continue; /* those keep no tolerance: tests of their own */
    o.method = type->name;
    o.tolerance = type->order == 2 || low ? 1e-3 : 1e-6;
    for (int r = both ? 0 : 1; r < 2; r++) {
      o.representation = representations[r];
      tn_status st = run(l, &o, obtained, &steps);
      CHECK_OK(l->ctx, st);
      double ratio = error_along(l->model->nbody)/o.tolerance;
      if (!CHECK(st == TN_OK && ratio <= accepted))
        printf("  %s, %s, %s, tolerance %.0e: error %.3g tolerances\n", name, type->name,
               representations[r], o.tolerance, ratio);
      if (table)
        printf("| %s | %s | %s | %.0e | %.2g | %ld |\n", name, type->name, representations[r],
               o.tolerance, ratio, steps);
    }
  }
}

static void try_text(const char *text, const char *name, double until, bool both) {
  loaded l;
  load_text(&l, text);
  try_all(&l, name, until, both, false);
  unload(&l);
}

static void try_file(const char *file, const char *name, double until, bool both, bool low) {
  loaded l;
  load_file(&l, file, NULL);
  try_all(&l, name, until, both, low);
  unload(&l);
}

/* a stiff hinge, a screw, a universal joint, a ball and a slider, one after the other */
static const char stiff_arm[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.1, 0.2, 0.15], at: [0.3, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.05, 0.06, 0.07], at: [0.8, 0, 0]}\n"
    "  c: {mass: 1, inertia: [0.05, 0.06, 0.07], at: [1.3, 0.1, 0]}\n"
    "  d: {mass: 0.5, inertia: [0.02, 0.03, 0.02], at: [1.8, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n"
    "  thread: {type: screw, bodies: [b, a], at: [0.6, 0, 0], axis: x, pitch: 0.2}\n"
    "  cross: {type: universal, bodies: [b, c], at: [1, 0, 0], axis1: y, axis2: z}\n"
    "  ball: {type: spherical, bodies: [c, d], at: [1.5, 0, 0]}\n"
    "forces:\n"
    "  stiff: {type: torsion_spring, joint: hinge, stiffness: 4000, damping: 400}\n"
    "  soft: {type: spring, bodies: [ground, d], at1: [1.8, 0, 1], at2: [0, 0, 0], stiffness: 30, damping: 2}\n"
    "  grip: {type: bushing, bodies: [c, d], at: [1.5, 0, 0], stiffness: [0, 0, 0, 20, 20, 20],\n"
    "         damping: [0, 0, 0, 1, 1, 1]}\n";

static void trees_of_all_joints(void) {
  try_text(mixed_chain, "mixed chain", 0.3, all);
  try_text(stiff_arm, "stiff arm", 0.5, true);
}
static void seven_bodies(void) {
  try_file("examples/seven-body/seven_body.yaml", "seven bodies", 0.03, all, false);
}
static void four_bars_through_singular_positions(void) {
  try_file("examples/four-bar/n_four_bar.yaml", "four-bars", all ? 10 : 3, all, false);
}
static void spatial_loops(void) {
  try_text(spatial_four_bar, "redundant four-bar", 1, all);
  if (!all) return;
  try_text(rssr, "rssr", 1, true);
  try_text(slider_crank, "slider-crank", 1, true);
  try_text(floating_ring, "floating ring", 1, true);
}
static void a_vehicle(void) {
  if (all) try_file("examples/vehicle/hmmwv14.yaml", "vehicle", 0.5, true, true);
}
static void random_loops(void) {
  static char text[LOOP_TEXT + 400];
  for (int i = 0; i < (all ? 33 : 6); i++) {
    random_loop r;
    loaded l;
    random_loop_text(500 + i, &r, text);
    load_text(&l, text);
    try_all(&l, r.kind, 0.4, false, false);
    unload(&l);
  }
}

/* Links on balls with stiff springs: the inertia that a joint moves differs by a factor of ten thousand between its axes,
 * and turns with it. Newton's iteration must not feel that, or steps get shorter than accuracy asks for. */
static void balls_with_springs_take_the_steps_of_cartesian_coordinates(void) {
  static const char *const method[] = {"radau", "infl_sdirk", "desc_sdirk"};
  static char text[8000];
  enum { LINKS = 20 };
  static const double more = 1.3;
  loaded l;
  char *at = text + sprintf(text, "gravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < LINKS; i++)
    at += sprintf(at, "  b%d: {mass: 1, inertia: [0.01, 0.02, 0.03], at: [%g, 0, 0]}\n", i, 0.2*i + 0.1);
  at += sprintf(at, "joints:\n  j0: {type: spherical, bodies: [ground, b0], at: [0, 0, 0]}\n");
  for (int i = 1; i < LINKS; i++)
    at += sprintf(at, "  j%d: {type: spherical, bodies: [b%d, b%d], at: [%g, 0, 0]}\n", i, i - 1, i, 0.2*i);
  at += sprintf(at, "forces:\n");
  for (int i = 1; i < LINKS; i++)
    at += sprintf(at, "  k%d: {type: spring, bodies: [b%d, b%d], at1: [0, 0.05, 0.02], at2: [0, 0.05, 0.02], "
                      "stiffness: 1e6, damping: 1e4}\n", i, i - 1, i);
  load_text(&l, text);
  for (int i = 0; i < TNI_COUNT(method); i++) {
    long steps[2];
    for (int r = 0; r < 2; r++) {
      tn_run_opts o = {.method = method[i], .representation = representations[r], .tolerance = 1e-3, .until = 0.1};
      CHECK_OK(l.ctx, run(&l, &o, obtained, &steps[r]));
    }
    if (!CHECK((double)steps[1] <= more*(double)steps[0]))
      printf("  %s: %ld steps, %ld in joint coordinates\n", method[i], steps[0], steps[1]);
  }
  unload(&l);
}

/* n steps of method m on a system, q and v at the end of each to x; others step in between if asked */
static void take_steps(loaded *l, tni_data *s, int m, bool company, int n, double *x) {
  static const char *const method[3] = {"trap", "infl_trap", "radau"};
  tni_integrator *it[3];
  double *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc((size_t)s->nv, sizeof(double));
  double z[TNI_NZ] = {0};
  tni_integrator_opts o = {.rtol = 1e-6, .atol = 1e-6, .t_end = 10};
  tni_initial(s, q, v);
  for (int i = 0; i < 3; i++) {
    const tni_integrator_type *type = tni_integrator_find(method[i]);
    CHECK_OK(l->ctx, type->create(l->ctx, s, &o, &it[i]));
    CHECK_OK(l->ctx, type->start(it[i], 0, q, v, z));
  }
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < 3; i++)
      if (i == m || company) CHECK_OK(l->ctx, it[i]->type->step(it[i]));
    memcpy(x, it[m]->now.q, (size_t)s->nq*sizeof(double));
    it[m]->type->interpolate(it[m], 0.5*(it[m]->t_old + it[m]->now.t), q, v, z);
    memcpy(x + s->nq, v, (size_t)s->nv*sizeof(double));
    x += s->nq + s->nv;
  }
  for (int i = 0; i < 3; i++) tni_integrator_destroy(&it[i]);
  free(q), free(v);
}

/* a tree keeps the matrices of its methods: one is not taken for that of another */
static void methods_share_a_tree(void) {
  enum { STEPS = 30 };
  loaded l;
  tni_data *s;
  load_text(&l, mixed_chain);
  CHECK_OK(l.ctx, tni_joint_create(l.ctx, l.model, NULL, &s));
  size_t n = (size_t)(STEPS*(s->nq + s->nv))*sizeof(double);
  double *alone = malloc(n), *beside = malloc(n);
  for (int m = 0; m < 3; m++) {
    take_steps(&l, s, m, false, STEPS, alone);
    take_steps(&l, s, m, true, STEPS, beside);
    CHECK(s->recursive);
    CHECK(memcmp(alone, beside, n) == 0);
  }
  free(alone), free(beside);
  tni_data_destroy(&s);
  unload(&l);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    all = all || strcmp(argv[i], "all") == 0;
    table = table || strcmp(argv[i], "--table") == 0;
  }
  RUN(trees_of_all_joints);
  RUN(seven_bodies);
  RUN(four_bars_through_singular_positions);
  RUN(spatial_loops);
  RUN(random_loops);
  RUN(a_vehicle);
  RUN(balls_with_springs_take_the_steps_of_cartesian_coordinates);
  RUN(methods_share_a_tree);
  return REPORT();
}
