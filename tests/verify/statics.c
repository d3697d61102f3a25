/* verification of the analysis `statics`: closed forms, sums of loads, minimum of energy, and the
 * end of a damped motion
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "analyses/statics.h"

#include <unistd.h>

#include "nonlinear/equilibrium.h"
#include "support/loaded.h"
#include "verify/models.h"

static bool everything;

static void text_with(loaded *l, const char *model, const char *analysis) {
  char *text = malloc(strlen(model) + strlen(analysis) + 64);
  sprintf(text, "%sanalysis: %s\n", model, analysis);
  load_text(l, text);
  free(text);
}

/* Masses hanging one below the other on springs: spring i carries what hangs below it. */
static void hanging_masses_stretch_their_springs(void) {
  loaded l;
  tn_sim *sim;
  load_text(&l, "gravity: [0, 0, -10]\n"
                "bodies:\n"
                "  m1: {mass: 1, inertia: [1, 1, 1], at: [0, 0, -1]}\n"
                "  m2: {mass: 2, inertia: [1, 1, 1], at: [0, 0, -2]}\n"
                "  m3: {mass: 3, inertia: [1, 1, 1], at: [0, 0, -3]}\n"
                "joints:\n"
                "  g1: {type: prismatic, bodies: [ground, m1], at: [0, 0, -1], axis: z}\n"
                "  g2: {type: prismatic, bodies: [ground, m2], at: [0, 0, -2], axis: z}\n"
                "  g3: {type: prismatic, bodies: [ground, m3], at: [0, 0, -3], axis: z}\n"
                "forces:\n"
                "  s1: {type: spring, bodies: [ground, m1], at1: [0, 0, 0], at2: [0, 0, 0],\n"
                "       stiffness: 1000, damping: 7, free_length: 1}\n"
                "  s2: {type: spring, bodies: [m1, m2], at1: [0, 0, 0], at2: [0, 0, 0],\n"
                "       stiffness: 500, free_length: 1}\n"
                "  s3: {type: spring, bodies: [m2, m3], at1: [0, 0, 0], at2: [0, 0, 0],\n"
                "       stiffness: 100, free_length: 1}\n"
                "analysis: {type: statics}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  double p[3], e[4];
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, p, e));
  CHECK_NEAR(p[2], -1 - 60.0/1000, 1e-12);
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 1, p, e));
  CHECK_NEAR(p[2], -2 - 60.0/1000 - 50.0/500, 1e-12);
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 2, p, e));
  CHECK_NEAR(p[2], -3 - 60.0/1000 - 50.0/500 - 30.0/100, 1e-12);
  CHECK_INT(sim->sum.unstable, 0);
  CHECK_INT(sim->sum.free, 0);
  CHECK(sim->sum.residual_force < 1e-8);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* A distributed load reaches all nodes of its beam, the first as well: the clamp carries all of it and its moment. */
static void a_clamp_carries_the_whole_load(void) {
  static const char *const kind[] = {"exact", "quadratic"};
  for (int k = 0; k < 2; k++) {
    char text[600];
    loaded l;
    tn_sim *sim;
    double F[3], T[3];
    snprintf(text, sizeof(text), "beams: {b: {from: [0, 0, 0], to: [2, 0, 0], elements: 4, element: %s, EA: 1e6, GA: 1e6, EI: 1e3, GJ: 1e3, rhoA: 1, rhoI: 1}}\n"
             "joints: {clamp: {type: fixed, bodies: [ground, b.start], at: [0, 0, 0]}}\n"
             "forces: {q: {type: beam_load, beam: b, force: [0, 2e-3, -3e-3]}}\nanalysis: {type: statics}\n", kind[k]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_joint_reaction(sim, 0, F, T));
    CHECK_WITHIN(F[0], 0, 1e-10);
    CHECK_NEAR(F[1], -2*2e-3, 1e-8);
    CHECK_NEAR(F[2], 2*3e-3, 1e-8);
    CHECK_NEAR(T[1], -2*3e-3, 1e-6); /* L^2/2 times the load */
    CHECK_NEAR(T[2], -2*2e-3, 1e-6);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* Hanging on a redundant pair of hinges; the sum of both reactions is the weight, the moment about
 * the hinge vanishes only below it. */
static void redundant_hinges_share_the_weight(void) {
  loaded l;
  tn_sim *sim;
  double f1[3], f2[3], T[3], p[3], e[4];
  load_text(&l, "gravity: [0, 0, -9.81]\n"
                "bodies:\n  door: {mass: 12, inertia: [1, 1, 1], at: [0.4, 0.1, 0.2]}\n"
                "joints:\n"
                "  h1: {type: revolute, bodies: [ground, door], at: [0, 0, 0], axis: y}\n"
                "  h2: {type: revolute, bodies: [ground, door], at: [0, 1, 0], axis: y}\n"
                "analysis: {type: statics}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_joint_reaction(sim, 0, f1, T));
  CHECK_OK(l.ctx, tn_sim_joint_reaction(sim, 1, f2, T));
  CHECK_NEAR(f1[2] + f2[2], 12*9.81, 1e-10);
  CHECK_NEAR(f1[0] + f2[0], 0, 1e-9);
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, p, e));
  CHECK_NEAR(p[0], 0, 1e-10);
  CHECK_NEAR(p[2], -sqrt(0.2), 1e-10);
  CHECK(sim->sum.redundant > 0);
  tn_sim_destroy(&sim);
  unload(&l);
}

static tn_status no_store(void *user) {
  ++*(int *)user;
  return TN_OK;
}

/* a file by the analysis statics, with another gravity */
static void put_down(loaded *l, const char *file, const char *gravity, tn_sim **sim) {
  int rows = 0;
  load_file(l, file, NULL);
  CHECK_OK(l->ctx, tn_spec_set(l->spec, "analysis", "analysis", "type", "statics"));
  CHECK_OK(l->ctx, tn_spec_set(l->spec, "", "", "gravity", gravity));
  tn_model_destroy(&l->model);
  load_finish(l);
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, NULL, sim));
  CHECK_OK(l->ctx, tni_statics_run(*sim, no_store, &rows));
  CHECK_INT(rows, 1);
}

/* Vehicle, thrown off its design position by another weight: the tyres carry the weight, the moments
 * balance, left equals right. */
static void vehicle_stands_on_its_tyres(void) {
  static const char *const files[] = {"examples/vehicle/hmmwv14.yaml",
                                      "examples/vehicle/hmmwv14_stiff.yaml"};
  for (int k = 0; k < 2; k++) {
    loaded l;
    tn_sim *sim;
    put_down(&l, files[k], "[0, 0, -12]", &sim);
    double weight = 0, moment[2] = {0}, load = 0, tyre[4] = {0}, left = 0, right = 0;
    int ntyre = 0;
    for (int i = 0; i < l.model->nbody; i++) {
      const tni_kin *kin = &sim->s->kin[i + 1];
      weight += 12*l.model->body[i].mass;
      moment[0] -= 12*l.model->body[i].mass*kin->r[0];
      moment[1] -= 12*l.model->body[i].mass*kin->r[1];
    }
    for (int i = 0; i < l.model->nforce; i++) {
      if (strcmp(l.model->force[i].type, "tyre") != 0 || ntyre == 4) continue;
      const tni_body *wheel = &l.model->body[l.model->force[i].body[0]];
      /* the tyre stands outside of the centre of mass of wheel and carrier */
      double N = sim->s->force_value[i], at[3];
      sim_point(sim, wheel->name, 0, (wheel->r0[1] > 0 ? 0.91 : -0.91) - wheel->r0[1], 0, at);
      tyre[ntyre++] = N;
      load += N;
      moment[0] += N*at[0];
      moment[1] += N*at[1];
      *(at[1] > 0 ? &left : &right) += N;
    }
    CHECK_INT(ntyre, 4);
    CHECK_NEAR(load/weight, 1, 1e-10);
    CHECK_NEAR(moment[0]/weight, 0, 1e-9);
    CHECK_NEAR(moment[1]/weight, 0, 1e-9);
    CHECK_NEAR(left/right, 1, 1e-9);
    CHECK(tyre[0] > 0 && tyre[1] > 0 && tyre[2] > 0 && tyre[3] > 0);
    /* x, y and the turn about z are free on a flat road */
    CHECK_INT(sim->sum.free, 3);
    CHECK_INT(sim->sum.unstable, 0);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* Potential energy a small way off along random admissible displacements: never lower, and higher by
 * what the stiffness says. */
static void equilibrium_is_a_minimum_of_energy(void) {
  loaded l;
  tn_sim *sim;
  put_down(&l, "examples/vehicle/hmmwv14.yaml", "[0, 0, -8]", &sim);
  tni_arena arena;
  tni_equilibrium e;
  tni_arena_init(&arena, l.ctx);
  CHECK_OK(l.ctx, tni_equilibrium_create(&arena, sim->s, TNI_SPACE_AUTO, &e));
  tni_tangent_space *ts = &e.ts;
  CHECK_OK(l.ctx, tni_tangent_space_update(ts, 0, sim->at.q));
  int n = ts->n, nd = ts->nd;
  double V0 = ts->potential, y[32], Hy[32];
  double *delta = tni_arena_alloc(&arena, (size_t)n, sizeof(double));
  double *moved = tni_arena_alloc(&arena, (size_t)sim->s->nq, sizeof(double));
  double *H = tni_arena_alloc(&arena, (size_t)(nd*nd), sizeof(double));
  double *Z = tni_arena_alloc(&arena, (size_t)(nd*n), sizeof(double));
  memcpy(H, ts->H, (size_t)(nd*nd)*sizeof(double));
  memcpy(Z, ts->Z, (size_t)(nd*n)*sizeof(double));
  CHECK(nd <= 32);
  uint64_t seed = 88172645463325252u;
  for (int trial = 0; trial < 10; trial++) {
    double want = 0;
    for (int i = 0; i < nd; i++) y[i] = 0.02*check_random(&seed);
    for (int i = 0; i < nd; i++) {
      Hy[i] = 0;
      for (int j = 0; j < nd; j++) Hy[i] += H[i*nd + j]*y[j];
      want += 0.5*y[i]*Hy[i];
    }
    /* both signs: the third derivative drops out of their mean */
    double rise = 0;
    for (int side = -1; side <= 1; side += 2) {
      for (int i = 0; i < n; i++) {
        delta[i] = 0;
        for (int j = 0; j < nd; j++) delta[i] += side*y[j]*Z[j*n + i];
      }
      CHECK_OK(l.ctx, tni_equilibrium_move(&e, 0, sim->at.q, delta, moved));
      CHECK_OK(l.ctx, tni_tangent_space_update(ts, 0, moved));
      CHECK(ts->potential > V0);
      rise += 0.5*(ts->potential - V0);
    }
    CHECK_NEAR(rise/want, 1, 1e-4);
  }
  tni_equilibrium_destroy(&e);
  tni_arena_clear(&arena);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* where a damped motion comes to rest is where statics says */
static void damped_motion_ends_in_the_equilibrium(void) {
  loaded l;
  tn_sim *rest, *motion;
  double p[3], q[3], e[4];
  text_with(&l, planar_four_bar, "{type: statics}");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &rest));
  loaded m;
  text_with(&m, planar_four_bar, "{until: 60, tolerance: 1e-8}");
  CHECK_OK(m.ctx, tn_sim_create(m.ctx, m.model, NULL, &motion));
  CHECK_OK(m.ctx, tn_sim_advance(motion, 60));
  for (int i = 0; i < 3; i++) {
    CHECK_OK(l.ctx, tn_sim_body_pose(rest, i, p, e));
    CHECK_OK(m.ctx, tn_sim_body_pose(motion, i, q, e));
    for (int k = 0; k < 3; k++) CHECK_NEAR(p[k], q[k], 1e-6);
  }
  tn_sim_destroy(&rest);
  tn_sim_destroy(&motion);
  unload(&l);
  unload(&m);
}

/* A run that begins at the equilibrium does not move; one with velocities keeps them. */
static void transient_begins_at_the_equilibrium(void) {
  loaded l;
  tn_sim *sim;
  double p[3], q[3], e[4];
  text_with(&l, "gravity: [0, 0, -9.81]\n"
                "bodies:\n"
                "  car: {mass: 100, inertia: [10, 20, 20], at: [0, 0, 0.8], velocity: [3, 0, 0]}\n"
                "joints:\n"
                "  guide: {type: inplane, body: car, point: [0, 0, 0.8], on: ground, axis: y}\n"
                "  level: {type: orientation, bodies: [ground, car]}\n"
                "forces:\n"
                "  tyre: {type: tyre, body: car, stiffness: 5e4, damping: 100, free_length: 0.5}\n",
            "{initial: statics, until: 2, tolerance: 1e-8}");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, p, e));
  CHECK_NEAR(p[2], 0.5 - 100*9.81/5e4, 1e-11);
  CHECK_OK(l.ctx, tn_sim_advance(sim, 2));
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, q, e));
  CHECK_NEAR(q[0], p[0] + 6, 1e-9);
  CHECK_NEAR(q[2], p[2], 1e-9);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* Load steps: t is the load parameter. A rod on a torsion spring loaded by a force F at its tip that
 * keeps its direction: k theta = F l cos(theta); checked by that equation at every step. */
static void load_steps_follow_the_equilibrium(void) {
  loaded l;
  tn_summary sum;
  char path[64];
  snprintf(path, sizeof(path), "/tmp/tenon-statics-%d.h5", (int)getpid());
  load_text(&l, "planar: true\n"
                "bodies:\n  rod: {mass: 1, inertia: 0.1, between: [[0, 0], [2, 0]]}\n"
                "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                "forces:\n"
                "  s: {type: torsion_spring, joint: pin, stiffness: 30}\n"
                "  push: {type: force, body: rod, point: [2, 0], force: [0, \"50*t\", 0]}\n"
                "analysis: {type: statics, until: 4, load_steps: 8}\n");
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = path, .overwrite = true}, &sum));
  CHECK_INT(sum.equilibria, 9);
  CHECK_INT(sum.stored, 9);
  CHECK_TEXT(sum.analysis, "statics");
  tn_results *r;
  double t[9], angle[18];
  CHECK_OK(l.ctx, tn_results_open(l.ctx, path, &r));
  CHECK_INT(tn_results_ntime(r), 9);
  int c = tn_results_find(r, "joints/pin/angle");
  CHECK(c >= 0);
  CHECK_OK(l.ctx, tn_results_read(r, c, t, angle));
  for (int k = 0; k < 9; k++) {
    CHECK_NEAR(t[k], 0.5*k, 1e-14);
    CHECK_NEAR(30*angle[2*k], 50*t[k]*2*cos(angle[2*k]), 1e-8);
    CHECK_NEAR(angle[2*k + 1], 0, 0);
  }
  CHECK(angle[16] > 1.2);
  tn_results_close(&r);
  remove(path);
  unload(&l);
}

/* A mass between a spring, a rope, a stop and a ball, pushed to and fro: whatever has been pressed lets go again, for any
 * restitution and number of load steps. The place at a load is the zero of a monotonous function. */
static double balance(double x, double load) {
  return load - 50*x - 100*fmax(0, x - 0.5) - 1000*fmax(0, x - 0.6) - 1000*fmin(0, x + 0.6) + 6000*fmax(0, -0.6 - x);
}
static void what_was_pressed_lets_go(void) {
  static const int steps[] = {3, 8, 17};
  static const double restitution[] = {1, 0.3};
  for (int i = 0; i < 6; i++) {
    char text[1500], path[64];
    loaded l;
    tn_summary sum;
    double t[18], x[36];
    int n = steps[i % 3];
    snprintf(path, sizeof(path), "/tmp/tenon-statics-%d.h5", (int)getpid());
    snprintf(text, sizeof(text),
             "planar: true\nparams: {e: %g}\n"
             "ground: {points: {o: [-2, 0]}}\n"
             "bodies: {m: {mass: 1, inertia: 0.1}}\n"
             "joints: {j: {type: prismatic, bodies: [ground, m], at: [0, 0], axis: x}}\n"
             "forces:\n"
             "  soft: {type: spring, points: [m, ground.o], stiffness: 50, free_length: 2}\n"
             "  rope: {type: spring, points: [m, ground.o], stiffness: 100, free_length: 2.5, tension_only: true}\n"
             "  wall: {type: stop, joint: j, min: -0.6, max: 0.6, stiffness: 1000, restitution: e}\n"
             "  ball: {type: contact, bodies: [m, ground], shape2: sphere, radius1: 0.3, radius2: 0.3, at2: [-1.2, 0], stiffness: 6000, restitution: e}\n"
             "  push: {type: force, body: m, force: [\"100*sin(2*pi*t)\", 0, 0]}\n"
             "analysis: {type: statics, until: 1, load_steps: %d}\n", restitution[i/3], n);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = path, .overwrite = true}, &sum));
    tn_results *r;
    CHECK_OK(l.ctx, tn_results_open(l.ctx, path, &r));
    int c = tn_results_find(r, "joints/j/displacement");
    if (CHECK(c >= 0) && CHECK_INT(tn_results_ntime(r), n + 1)) {
      CHECK_OK(l.ctx, tn_results_read(r, c, t, x));
      for (int k = 0; k <= n; k++) {
        double load = 100*sin(2*3.14159265358979324*t[k]), low = -1, high = 1;
        for (int b = 0; b < 60; b++) {
          double middle = 0.5*(low + high);
          if (balance(middle, load) > 0) low = middle;
          else high = middle;
        }
        CHECK_WITHIN(x[2*k], low, 1e-9);
      }
    }
    tn_results_close(&r);
    remove(path);
    unload(&l);
  }
}

/* A bar of bricks, pulled and pushed at its cap, with and without a rope: the rope acts in the row in which it becomes taut. The bar alone says
 * how stiff it is. */
static void cap_places(const char *rope, const char *steps, int n, double *x) {
  char text[1500], path[64];
  loaded l;
  tn_summary sum;
  double all[3*32];
  snprintf(path, sizeof(path), "/tmp/tenon-statics-%d.h5", (int)getpid());
  snprintf(text, sizeof(text),
           "meshes: {bar: {box: {size: [1, 0.1, 0.1], cells: [4, 1, 1]}}}\n"
           "materials: {soft: {type: elastic, E: 1e6, nu: 0.3, density: 1000}}\n"
           "structures: {s: {mesh: bar, material: soft, hold: {cap: x1}}}\n"
           "supports: [{group: x0, fix: all}]\n"
           "ground: {points: {o: [-1, 0.05, 0.05]}}\n"
           "forces:\n"
           "  pull: {type: force, body: cap, force: [\"300*cos(2*pi*t)\", 0, 0]}\n"
           "%s"
           "analysis: {type: statics, %s}\n", rope, steps);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = path, .overwrite = true}, &sum));
  CHECK_TEXT(sum.verdict, "sound");
  tn_results *r;
  CHECK_OK(l.ctx, tn_results_open(l.ctx, path, &r));
  int c = tn_results_find(r, "bodies/cap/position");
  if (CHECK(c >= 0) && CHECK_INT(tn_results_ntime(r), n)) CHECK_OK(l.ctx, tn_results_read(r, c, NULL, all));
  for (int k = 0; k < n; k++) x[k] = all[3*k] - 1;
  tn_results_close(&r);
  remove(path);
  unload(&l);
}
static void ropes_on_structures_act_where_they_become_taut(void) {
  static const char rope[] = "  rope: {type: spring, points: [cap, ground.o], stiffness: 5e4, free_length: 2.01, tension_only: true}\n";
  double alone[9], held[9];
  cap_places("", "until: 1, load_steps: 8", 9, alone);
  cap_places(rope, "until: 1, load_steps: 8", 9, held);
  double k = 300/alone[0];
  for (int i = 0; i < 9; i++) {
    double load = k*alone[i], want = alone[i] > 0.01 ? (load + 500)/(k + 5e4) : alone[i];
    CHECK_WITHIN(held[i], want, 1e-9);
  }
  cap_places(rope, "from: 0", 1, held); /* at once */
  CHECK_WITHIN(held[0], (300 + 500)/(k + 5e4), 1e-9);
}

/* a latch that would lock or open on the way: the rows of an equilibrium are those of its beginning */
static void latches_do_not_move_in_equilibria(void) {
  static const struct {
    const char *latch, *until, *word;
  } c[] = {{"at: 0.5", "1", "locks on the way"}, {"at: 0.5", "0.45", NULL}, {"at: 0.5, direction: falling", "1", NULL},
           {"locked: true", "1", NULL}, {"locked: true, release: 0.35", "1", "opens on the way"}, {"at: -0.5", "1", NULL},
           {"at: 0.5", "1, arc_length: true", "locks on the way"}};
  for (int i = 0; i < TNI_COUNT(c); i++) {
    char text[800];
    loaded l;
    tn_summary sum;
    snprintf(text, sizeof(text),
             "planar: true\nbodies: {m: {mass: 1, inertia: 0.1, at: [0.5, 0]}}\n"
             "joints:\n  h: {type: revolute, bodies: [ground, m], at: [0, 0]}\n  L: {type: latch, joint: h, %s}\n"
             "forces:\n  s: {type: torsion_spring, joint: h, stiffness: 10}\n  f: {type: torque, body: m, torque: [0, 0, \"10*t\"]}\n"
             "analysis: {type: statics, load_steps: 10, until: %s}\n", c[i].latch, c[i].until);
    load_text(&l, text);
    tn_status st = tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum);
    if (c[i].word) {
      CHECK_INT(st, TN_ERR_UNSUPPORTED);
      if (!CHECK(strstr(tn_ctx_message(l.ctx), c[i].word) != NULL)) printf("  %s: %s\n", c[i].latch, tn_ctx_message(l.ctx));
    } else {
      CHECK_OK(l.ctx, st);
      CHECK_TEXT(sum.verdict, "sound");
    }
    unload(&l);
  }
}

/* ---- bodies in the way --------------------------------------------------------------------- */

/* false: the motion stops by name (edges of boxes make it grind) */
static bool end_place(const char *text, double until, double x[3]) {
  loaded l;
  tn_sim *sim = NULL;
  bool arrives = true;
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  if (until > 0) {
    tn_status st = tn_sim_advance(sim, until);
    CHECK(st == TN_OK || st == TN_NO_PROGRESS);
    arrives = st == TN_OK;
    sim_point(sim, "a", 0, 0, 0, x);
  } else {
    long rows = 0;
    CHECK_OK(l.ctx, tni_statics_run(sim, no_store, &rows));
    CHECK(sim->doubt <= 1);
    tni_at at = tni_at_state(&sim->at);
    vec3_copy(x, tni_look_bodies(sim->s, &at)[1].r);
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return arrives;
}

/* A ball on springs, pushed against a ball, capsule or box, up to 30 m in up to 20 load steps: it ends where a strongly damped motion
 * does, which slides around what is in the way. Searches stepped over it (13 m off), or found nothing that held the body. */
static void nothing_is_passed_through(void) {
  static const char *const obstacle[] = {"sphere", "capsule", "box"};
  const double slow = 200;
  uint64_t seed = 11;
  int models = everything ? 60 : 8, first = everything ? 0 : 5, compared = 0;
  for (int i = 0; i < models; i++) {
    bool arrives = true;
    char text[900], rest[2000], load[300], damped[300];
    double x[14], u[3], side[3], place[2][3];
    for (int k = 0; k < TNI_COUNT(x); k++) x[k] = check_random(&seed);
    if (i < first) continue;
    vec3_copy(u, x);
    vec3_copy(side, x + 3);
    vec3_scale(u, 1/vec3_norm(u), u);
    vec3_addmul(side, -vec3_dot(side, u), u);
    vec3_scale(side, 1/vec3_norm(side), side);
    double R = 0.125 + 0.075*x[6], R2 = 0.175 + 0.125*x[7], way = pow(10, 0.5 + x[8]), k = 100, at[3];
    double near = (0.55 + 0.35*x[9])*way, off = (0.5 + 0.4*x[10])*(R + R2);
    int steps = (int[]){0, 1, 3, 20}[(int)(2 + 2*x[11])], kind = (int)(1.5 + 1.5*x[12]);
    if (near < R + 2*R2) near = R + 2*R2;
    if (near > way) continue;
    for (int c = 0; c < 3; c++) at[c] = near*u[c] + off*side[c];
    snprintf(text, sizeof(text),
             "bodies:\n  a: {mass: 1, shape: {sphere: 0.1}}\nforces:\n"
             "  hit: {type: contact, bodies: [a, ground], radius1: %.17g, shape2: %s, %s%.17g%s at2: [%.17g, %.17g, %.17g], restitution: 0.5}\n",
             R, obstacle[kind], kind == 2 ? "size2: [0.3, 0.2, " : kind == 1 ? "length2: 0.2, radius2: " : "radius2: ", R2,
             kind == 2 ? "]," : ",", at[0], at[1], at[2]);
    snprintf(load, sizeof(load), "  push: {type: force, body: a, force: [\"%.17g*s\", \"%.17g*s\", \"%.17g*s\"]}\n", k*way*u[0],
             k*way*u[1], k*way*u[2]);
    for (int m = 0; m < 2; m++) {
      char factor[40], held[300];
      size_t n = 0;
      if (steps > 0) snprintf(factor, sizeof(factor), m ? "min(t/%g,1)" : "t", slow/2);
      else snprintf(factor, sizeof(factor), m ? "min(t/0.01,1)" : "1");
      for (const char *c = load; *c && n + 40 < sizeof(damped); c++) {
        if (*c == 's' && c[-1] == '*') n += (size_t)snprintf(damped + n, 40, "%s", factor);
        else damped[n++] = *c;
      }
      damped[n] = 0;
      snprintf(held, sizeof(held), "  s: {type: bushing, bodies: [ground, a], at: [0, 0, 0], stiffness: [100, 100, 100, 1, 1, 1]%s}\n",
               m ? ", damping: [5, 5, 5, 1, 1, 1]" : "");
      char analysis[100];
      if (m) snprintf(analysis, sizeof(analysis), "{until: %g, method: radau, tolerance: 1e-6}", slow);
      else if (steps) snprintf(analysis, sizeof(analysis), "{type: statics, until: 1, load_steps: %d}", steps);
      else snprintf(analysis, sizeof(analysis), "{type: statics}");
      snprintf(rest, sizeof(rest), "%s%s%sanalysis: %s\n", text, damped, held, analysis);
      arrives = end_place(rest, m ? slow : 0, place[m]);
    }
    if (!arrives) continue;
    compared++;
    double d[3];
    vec3_sub(d, place[0], place[1]);
    if (!CHECK(vec3_norm(d) <= 1e-4*(1 + way)))
      printf("  model %d, %s, %d load steps, %g m: ends %.3g m from where the damped motion does\n", i, obstacle[kind], steps, way, vec3_norm(d));
  }
  CHECK(compared >= (models - first)/2); /* some begin too near, or their motion stops */
}

/* What a drive carries through a ball, between two load steps or deep into it and out again, is said; arc lengths and structures likewise. */
static void passing_through_is_said(void) {
  static const struct {
    int steps;
    double beside; /* of the sum of the radii, 0.2 */
    bool passes;
  } c[] = {{3, 0.02, true}, {40, 0.02, true}, {40, 0.19, false}};
  for (int i = 0; i < TNI_COUNT(c); i++) {
    loaded l;
    tn_sim *sim = NULL;
    char text[900];
    long rows = 0;
    snprintf(text, sizeof(text), "bodies:\n  a: {mass: 1, shape: {sphere: 0.1}, at: [-1, 0, %g]}\n"
             "joints:\n  s: {type: prismatic, bodies: [ground, a], at: [-1, 0, %g], axis: x}\n"
             "drive:\n  - {joint: s, motion: \"2*t\"}\n"
             "forces:\n  hit: {type: contact, bodies: [a, ground], radius1: 0.1, shape2: sphere, radius2: 0.1}\n"
             "analysis: {type: statics, until: 1, load_steps: %d}\n", c[i].beside, c[i].beside, c[i].steps);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tni_statics_run(sim, no_store, &rows));
    CHECK_INT(sim->doubt > 1 && strstr(sim->why_doubt, "pass through each other, contact 'hit'"), c[i].passes);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* A slide that is driven past a ball on a spring pushes it ahead as far as steps let it: p_x = 2 t + sqrt(0.2^2 - 0.05^2) less what is pressed in.
 * Steps that put it on the other side of the ball, or onto it, say so. */
static double pushed[101];
static int npushed;
static tn_status keep_ball(void *user) {
  const tn_sim *sim = user;
  pushed[npushed++] = sim->s->kin[2].r[0];
  return TN_OK;
}

static void what_is_pushed_stays_ahead_or_it_is_said(void) {
  static const int steps[] = {1, 2, 4, 8, 10, 20, 40, 100};
  for (int i = 0; i < TNI_COUNT(steps); i++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text),
             "planar: true\nground: {points: {a: [-5, 0.05]}}\n"
             "bodies: {b: {mass: 1, inertia: 1, at: [0, 0]}, p: {mass: 1, inertia: 1, at: [1, 0.05]}}\n"
             "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: x}, k: {type: prismatic, bodies: [ground, p], at: [1, 0.05], axis: x}}\n"
             "forces:\n  c: {type: contact, bodies: [b, p], shape2: sphere, radius1: 0.1, radius2: 0.1, stiffness: 1e5}\n"
             "  s: {type: spring, points: [p, ground.a], stiffness: 100, free_length: 6}\n"
             "drive: [{joint: j, motion: 2*t}]\nanalysis: {type: statics, until: 1, load_steps: %d}\n", steps[i]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    npushed = 0;
    CHECK_OK(l.ctx, tni_statics_run(sim, keep_ball, sim));
    double ahead = pushed[npushed - 1] - 2 - sqrt(0.04 - 0.0025);
    if (steps[i] <= 10) CHECK(sim->doubt > 1 && strstr(sim->why_doubt, "pass through each other, contact 'c'"));
    else if (!CHECK(sim->doubt < 2 && fabs(ahead) < 2e-3)) printf("  %d steps: %g, %s\n", steps[i], ahead, sim->why_doubt);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* each way of passing by itself: onto a ball that gives way sideways, from one side to the other and away, by a load deep into it */
static void every_way_of_passing_is_said(void) {
  static const struct {
    const char *axis, *motion, *load, *steps;
    bool passes;
  } c[] = {
      {"y", "2*t", "0", "until: 0.5, load_steps: 1", true},
      {"x", "table(t, 0, 0, 0.5, 0.81, 1, 1.6)", "0", "until: 1, load_steps: 2", true},
      {"x", "table(t, 0, 0, 0.5, 0.81, 1, 0.83)", "0", "until: 1, load_steps: 2", false},
      {"x", "0.81*t", "-910*t", "until: 1, load_steps: 40", true},
      {"x", "0.81*t", "-150*t", "until: 1, load_steps: 40", false},
  };
  for (int i = 0; i < TNI_COUNT(c); i++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    long rows = 0;
    snprintf(text, sizeof(text),
             "planar: true\nground: {points: {a: [%s]}}\n"
             "bodies: {b: {mass: 1, inertia: 1, at: [0, 0]}, p: {mass: 1, inertia: 1, at: [1, 0.05]}}\n"
             "joints: {j: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: x}, k: {type: prismatic, bodies: [ground, p], at: [1, 0.05], axis: %s}}\n"
             "forces:\n  c: {type: contact, bodies: [b, p], shape2: sphere, radius1: 0.1, radius2: 0.1, stiffness: 1e4}\n"
             "  s: {type: spring, points: [p, ground.a], stiffness: 100, free_length: 6}\n"
             "  f: {type: force, body: p, force: [\"%s\", 0, 0]}\n"
             "drive: [{joint: j, motion: \"%s\"}]\nanalysis: {type: statics, %s}\n",
             c[i].axis[0] == 'x' ? "-5, 0.05" : "1, 6.05", c[i].axis, c[i].load, c[i].motion, c[i].steps);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tni_statics_run(sim, no_store, &rows));
    if (!CHECK((sim->doubt > 1 && strstr(sim->why_doubt, "pass through each other, contact 'c'")) == c[i].passes)) printf("  case %d: %s\n", i, sim->why_doubt);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* A ball comes to rest between two others in whatever units: y^2 = (0.2 - p)^2 - 0.12^2, 2 k p y/(0.2 - p) = m g */
static void a_ball_lies_between_two_in_any_unit(void) {
  static const double unit[][3] = {{1, 1, 1}, {1e3, 1e3, 1e3}, {1e3, 1, 1}, {1e-3, 1, 1}, {1e-6, 1e-18, 1e-3}, {1e6, 1e9, 1e3}, {1, 1e-12, 1}};
  double p = 0;
  for (int i = 0; i < 60; i++) p = 9.81*(0.2 - p)/(2e4*sqrt((0.2 - p)*(0.2 - p) - 0.0144));
  double want = sqrt((0.2 - p)*(0.2 - p) - 0.0144);
  for (int i = 0; i < TNI_COUNT(unit); i++) {
    double L = unit[i][0], M = unit[i][1], T = unit[i][2];
    char text[1200];
    loaded l;
    tn_sim *sim = NULL;
    long rows = 0;
    snprintf(text, sizeof(text),
             "planar: true\ngravity: [0, %.17g]\nbodies: {b: {mass: %.17g, inertia: %.17g, at: [%.17g, %.17g]}}\nforces:\n"
             "  c: {type: contact, bodies: [b, ground], shape2: sphere, radius1: %.17g, radius2: %.17g, at2: [%.17g, 0], stiffness: %.17g}\n"
             "  d: {type: contact, bodies: [b, ground], shape2: sphere, radius1: %.17g, radius2: %.17g, at2: [%.17g, 0], stiffness: %.17g}\n"
             "analysis: {type: statics}\n", -9.81*L/(T*T), M, 0.01*M*L*L, 0.01*L, 0.4*L, 0.1*L, 0.1*L, -0.12*L, 1e4*M/(T*T), 0.1*L, 0.1*L, 0.12*L,
             1e4*M/(T*T));
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tni_statics_run(sim, no_store, &rows));
    CHECK_NEAR(sim->s->kin[1].r[1]/L, want, 1e-6);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

int main(int argc, char **argv) {
  everything = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(nothing_is_passed_through);
  RUN(passing_through_is_said);
  RUN(what_is_pushed_stays_ahead_or_it_is_said);
  RUN(every_way_of_passing_is_said);
  RUN(a_ball_lies_between_two_in_any_unit);
  RUN(what_was_pressed_lets_go);
  RUN(ropes_on_structures_act_where_they_become_taut);
  RUN(latches_do_not_move_in_equilibria);
  RUN(hanging_masses_stretch_their_springs);
  RUN(a_clamp_carries_the_whole_load);
  RUN(redundant_hinges_share_the_weight);
  RUN(vehicle_stands_on_its_tyres);
  RUN(equilibrium_is_a_minimum_of_energy);
  RUN(damped_motion_ends_in_the_equilibrium);
  RUN(transient_begins_at_the_equilibrium);
  RUN(load_steps_follow_the_equilibrium);
  return REPORT();
}
