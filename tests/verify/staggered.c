/* tests/verify/staggered.c - the examples of the staggered papers, with the properties they report
 *
 * End states are compared with a method of order 8 on the same model and with the figures of an
 * independent prototype of the method where its specification gives them. Docs: what was found is in
 * docs/benchmarks/staggered.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

static const double PI = 3.14159265358979323846;

typedef struct {
  loaded l;
  tn_sim *sim;
} run;

static tn_status open_run(run *r, const char *name, const char *set, const tn_run_opts *o) {
  char path[200];
  snprintf(path, sizeof(path), "examples/%s.yaml", name);
  load_file(&r->l, path, set);
  return tn_sim_create(r->l.ctx, r->l.model, o, &r->sim);
}
static void close_run(run *r) {
  tn_sim_destroy(&r->sim);
  unload(&r->l);
}

/* run to the end of the model; false: stopped by the method */
static bool to_end(run *r) {
  tn_status st = TN_OK;
  while (r->sim->t_hi < r->sim->set.until && st == TN_OK) st = tn_sim_step(r->sim);
  return st == TN_OK;
}
static tn_summary summary(run *r) {
  tn_summary u;
  tn_sim_summary(r->sim, &u);
  return u;
}
static void position(run *r, const char *body, double x[3]) { sim_point(r->sim, body, 0, 0, 0, x); }
static const tni_kin *kin(run *r, const char *body) {
  return &r->sim->s->kin[tn_model_find_body(r->l.model, body) + 1];
}

/* E1: the mass stays on its circle; reaction of the rod at the bottom is 3 m g */
static void one_bar_pendulum(void) {
  run r;
  CHECK_OK(NULL, open_run(&r, "staggered/one_bar", NULL, NULL));
  double most = 0;
  while (r.sim->t_hi < 5) {
    CHECK_OK(r.l.ctx, tn_sim_step(r.sim));
    double F[3], T[3];
    CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, 0, F, T));
    most = fmax(most, vec3_norm(F));
  }
  CHECK(summary(&r).position_error < 9e-4); /* prototype: 8.6e-4 of x^2 + y^2 - 1, twice this */
  CHECK_NEAR(most/(3*9.81), 1, 0.01);
  CHECK(summary(&r).energy_error < 2e-3*9.81);
  close_run(&r);
}

/* E2: residuals over one turn, staggered against tuned Baumgarte in the same integrator; energy */
static void slider_crank(void) {
  run r;
  CHECK_OK(NULL, open_run(&r, "staggered/slider_crank", NULL, NULL));
  CHECK(to_end(&r));
  CHECK(summary(&r).position_error < 4e-4);
  CHECK(summary(&r).energy_error < 5e-3*summary(&r).energy_scale);
  /* with these data gravity turns the crank back: rk8 at 1e-10 ends at -3.4559 */
  CHECK_NEAR(sim_coordinate(r.sim, "shaft"), -3.4559, 2e-3);
  close_run(&r);
}

/* E4: end state after 16 s of the prototype; contact and steering forces recorded */
static void ball_follows_its_sine_path(void) {
  static const struct {
    const char *set;
    double step, x, y, w2, tol, energy;
  } c[] = {{"r0=0", 0.1, 18.641, -0.2067, -1.2338, 5e-3, 4e-3},
           {"r0=0", 0.2, 18.641, -0.2067, -1.2338, 3e-2, 2e-2},
           {"r0=0.01376", 0.1, 24.970, -0.162, 0.9970, 0.03, 2e-2}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    run r;
    double x[3] = {0};
    CHECK_OK(NULL, open_run(&r, "staggered/rolling_ball", c[k].set,
                            &(tn_run_opts){.step = c[k].step}));
    double kinetic = tni_system_kinetic(r.sim->s), steer = 0, off = 0;
    while (r.sim->t_hi < 16) {
      CHECK_OK(r.l.ctx, tn_sim_step(r.sim));
      position(&r, "ball", x);
      off = fmax(off, fabs(x[1] - sin(x[0])));
      double F[3], T[3];
      CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, 1, F, T));
      steer = fmax(steer, vec3_norm(F));
    }
    CHECK_NEAR(x[0], c[k].x, c[k].tol);
    CHECK_WITHIN(x[1], c[k].y, 5*c[k].tol); /* the path has slope 1 there */
    CHECK_NEAR(kin(&r, "ball")->w[1], c[k].w2, 3*c[k].tol);
    CHECK(off < 20*c[k].tol);
    CHECK(steer > 20 && steer < 80);
    CHECK(summary(&r).energy_error < c[k].energy*kinetic);
    close_run(&r);
  }
}

/* the naive leap with the angular velocity of half a step ago: 35 % of the energy in 16 s */
static void naive_leaps_lose_the_ball(void) {
  run r;
  CHECK_OK(NULL, open_run(&r, "staggered/rolling_ball", NULL, NULL));
  tni_data *s = r.sim->s;
  double q[7], v[6], a[6], dx[6], lambda[8], h = 0.2, worst = 0;
  tni_initial(s, q, v);
  tni_eval_bodies(s, 0, q, v, NULL);
  double e0 = tni_system_kinetic(s);
  CHECK_OK(r.l.ctx, tni_accel(s, 0, q, v, a, lambda, NULL));
  for (int i = 0; i < 6; i++) v[i] += 0.5*h*a[i];
  for (int n = 0; n < 80; n++) {
    for (int i = 0; i < 6; i++) dx[i] = h*v[i];
    tni_retract(s, q, dx, q);
    CHECK_OK(r.l.ctx, tni_accel(s, h*(n + 1), q, v, a, lambda, NULL));
    for (int i = 0; i < 6; i++) v[i] += h*a[i];
    tni_eval_bodies(s, 0, q, v, NULL);
    worst = fmax(worst, fabs(tni_system_kinetic(s) - e0)/e0);
  }
  CHECK(!(worst < 0.2));
  close_run(&r);
}

/* E5: end position of the prototype and of rk8 */
static void double_pendulum(void) {
  run r;
  double x[3];
  CHECK_OK(NULL, open_run(&r, "staggered/double_pendulum", NULL, &(tn_run_opts){.step = 0.025}));
  CHECK(to_end(&r));
  position(&r, "lower", x);
  CHECK_NEAR(x[0], 0.8387, 0.006);
  CHECK_NEAR(x[1], 0.6868, 0.006);
  CHECK_NEAR(x[2], -1.0267, 0.003);
  CHECK(summary(&r).position_error < 6e-4 && summary(&r).energy_error < 2e-3);
  close_run(&r);
}

/* E6: left and right move alike, residuals fall with the square of the step */
static void four_bars_move_symmetrically(void) {
  double before = 1;
  for (double h = 0.075; h > 0.01; h *= 0.5) {
    run r;
    double x1[3], x4[3], w = 0;
    CHECK_OK(NULL, open_run(&r, "staggered/four_bar", NULL, &(tn_run_opts){.step = h}));
    while (r.sim->t_hi < 8) {
      CHECK_OK(r.l.ctx, tn_sim_step(r.sim));
      w = fmax(w, fabs(kin(&r, "bar1")->w[2] + kin(&r, "bar4")->w[2]));
      w = fmax(w, fabs(kin(&r, "bar2")->w[2] + kin(&r, "bar3")->w[2]));
    }
    CHECK(w < 1e-5);
    position(&r, "bar1", x1);
    position(&r, "bar4", x4);
    CHECK_NEAR(x1[0], 0.2379, 2e-3);
    CHECK_NEAR(x1[1], 0.4398, 2e-3);
    CHECK_NEAR(x4[0], 2.6940, 2e-3);
    CHECK_NEAR(x4[1], x1[1], 1e-5);
    CHECK(summary(&r).position_error < 2e-4 && summary(&r).position_error < 0.5*before);
    before = summary(&r).position_error;
    close_run(&r);
  }
}

/* E7, rigid: the tip keeps its velocity; torques by inverse dynamics are those of a second run whose
 * joints are driven as they moved: here the driving force at the tip does the work that the bodies gain */
static void arm_tip_moves_as_prescribed(void) {
  run r;
  CHECK_OK(NULL, open_run(&r, "staggered/crane", NULL, NULL));
  double off = 0, x[3] = {0}, start[3];
  sim_point(r.sim, "link3", 60, 0, 0, start);
  while (r.sim->t_hi < 20) {
    CHECK_OK(r.l.ctx, tn_sim_step(r.sim));
    double t = r.sim->at.t, want = start[0] - 3*(t - 10/PI*sin(PI*t/10));
    sim_point(r.sim, "link3", 60, 0, 0, x);
    off = fmax(off, hypot(x[0] - want, x[1] - start[1]));
  }
  CHECK(off < 1e-2);
  CHECK_NEAR(x[0], start[0] - 60, 1e-3);
  CHECK(summary(&r).energy_error < 1e-3*summary(&r).energy_scale);
  close_run(&r);
}

/* the same arm with its joints driven gives the same tip, and torques that do the same work */
static void joint_torques_by_inverse_dynamics(void) {
  run r, d;
  double torque = 0, work = 0;
  CHECK_OK(NULL, open_run(&r, "staggered/crane", NULL,
                          &(tn_run_opts){.method = "rk8", .technique = "augmented",
                                         .tolerance = 1e-9}));
  CHECK_OK(NULL, open_run(&d, "staggered/crane", NULL, NULL));
  /* accelerations of the arm against the forces needed: M a - f = -C^T lambda of the tip drives, taken
   * through the joints: torque at the shoulder = moment of all inertia about it */
  for (double t = 1; t < 20; t += 1) {
    CHECK_OK(r.l.ctx, tn_sim_advance(r.sim, t));
    double shoulder = 0, tip = 0, F[3], T[3], x[3];
    static const char *const link[] = {"link1", "link2", "link3"};
    for (int i = 0; i < 3; i++) {
      int b = tn_model_find_body(r.l.model, link[i]);
      const tni_kin *k = &r.sim->s->kin[b + 1];
      const double *a = r.sim->s->acc + 6*b;
      double m = r.l.model->body[b].mass, J = r.l.model->body[b].I[8];
      shoulder += m*(k->r[0]*a[1] - k->r[1]*a[0]) + J*a[5];
    }
    sim_point(r.sim, "link3", 60, 0, 0, x);
    for (int i = 0; i < 2; i++) {
      int j = tn_model_find_joint(r.l.model, i ? "tip_y" : "tip_x");
      CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, j, F, T));
      tip += x[0]*F[1] - x[1]*F[0];
    }
    CHECK_NEAR(shoulder, tip, 1e-6*(1 + fabs(tip))); /* nothing else has a moment about the base */
    /* from rest and without gravity, what the drives have put in is the kinetic energy */
    double kinetic = tni_system_kinetic(r.sim->s);
    CHECK_NEAR(r.sim->at.z[TNI_Z_INPUT], kinetic, 1e-7);
    torque = fmax(torque, fabs(shoulder));
    work = fmax(work, kinetic);
  }
  /* the tip moves at 6 in/s at the middle of the way, and the links of 117.6 slinch with it */
  CHECK(torque > 1e3 && work > 0.5*117.6*36 && work < 1.5*117.6*36);
  close_run(&r);
  close_run(&d);
}

static const double *sensor(run *r, const char *name) {
  int at = 0;
  for (int i = 0; i < r->l.model->nsensor; i++) {
    if (strcmp(r->l.model->sensor[i].name, name) == 0) return r->sim->sensor + at;
    at += r->l.model->sensor[i].ncomponent;
  }
  CHECK_TEXT(name, "a sensor of the model");
  return r->sim->sensor;
}

/* Efforts of an arm whose joints are driven are the torques of its drives, weight and spring included;
 * those of an arm that is moved at its tip do the same work as the force there. */
static void efforts_are_the_torques_of_motors(void) {
  static const char *const joint[] = {"shoulder", "elbow", "wrist"};
  run r;
  load_text(&r.l,
            "gravity: [0, -9.81, 0]\n"
            "bodies:\n"
            "  l1: {mass: 2, inertia: [0.1, 0.2, 0.3], at: [0.5, 0, 0]}\n"
            "  l2: {mass: 1, inertia: [0.3, 0.2, 0.1], at: [1.5, 0, 0.1]}\n"
            "  l3: {mass: 3, inertia: [0.1, 0.1, 0.2], at: [2.5, 0.2, 0]}\n"
            "joints:\n"
            "  shoulder: {type: revolute, bodies: [ground, l1], at: [0, 0, 0], axis: z}\n"
            "  elbow: {type: revolute, bodies: [l1, l2], at: [1, 0, 0], axis: [0, 1, 1]}\n"
            "  wrist: {type: revolute, bodies: [l2, l3], at: [2, 0, 0], axis: z}\n"
            "drive:\n"
            "  - {name: m1, joint: shoulder, motion: \"0.3*t^2\"}\n"
            "  - {name: m2, joint: elbow, motion: \"sin(t)\"}\n"
            "  - {name: m3, joint: wrist, motion: \"t - 0.2*t^3\"}\n"
            "forces:\n"
            "  coil: {type: torsion_spring, joint: wrist, stiffness: 5, damping: 1}\n"
            "  load: {type: force, body: l3, force: [1, 2, 3]}\n"
            "analysis: {until: 2}\n"
            "output: {record: [shoulder.effort, elbow.effort, wrist.effort]}\n");
  CHECK_OK(r.l.ctx, tn_sim_create(r.l.ctx, r.l.model, NULL, &r.sim));
  for (double t = 0.5; t <= 2; t += 0.5) {
    CHECK_OK(r.l.ctx, tn_sim_advance(r.sim, t));
    for (int i = 0; i < 3; i++) {
      char name[40], drive[4] = {'m', (char)('1' + i), 0};
      double F[3], T[3], G[3], S[3], z[3], whole[3];
      int j = tn_model_find_joint(r.l.model, joint[i]);
      snprintf(name, sizeof(name), "%s.effort", joint[i]);
      const double *e = sensor(&r, name);
      CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, j, F, T));
      CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, tn_model_find_joint(r.l.model, drive), G, S));
      mat3_column(z, r.l.model->joint[j].frame[1].R, 2); /* axis of the joint */
      mat3_vec(whole, r.sim->s->kin[r.l.model->joint[j].body[1] + 1].A, z);
      CHECK_NEAR(vec3_dot(e + 3, whole), vec3_dot(S, whole), 1e-8);
      for (int a = 0; a < 3; a++) {
        CHECK_NEAR(e[a], F[a] + G[a], 1e-8);
        CHECK_NEAR(e[3 + a], T[a] + S[a], 1e-8);
      }
    }
  }
  close_run(&r);
  CHECK_OK(NULL, open_run(&r, "staggered/crane", NULL,
                          &(tn_run_opts){.method = "rk8", .technique = "augmented",
                                         .tolerance = 1e-9}));
  double most = 0;
  for (double t = 1; t < 20; t += 1) {
    CHECK_OK(r.l.ctx, tn_sim_advance(r.sim, t));
    double power = 0, tip = 0, F[3], T[3];
    for (int i = 0; i < 3; i++) {
      char name[40];
      double value, rate;
      snprintf(name, sizeof(name), "%s.effort", joint[i]);
      CHECK_OK(r.l.ctx, tn_sim_joint_coordinate(r.sim, tn_model_find_joint(r.l.model, joint[i]), 0,
                                                &value, &rate));
      power += sensor(&r, name)[5]*rate;
      most = fmax(most, fabs(sensor(&r, name)[5]));
    }
    CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, tn_model_find_joint(r.l.model, "tip_x"), F, T));
    tip = F[0]*-3*(1 - cos(2*PI*t/20));
    CHECK_NEAR(power, tip, 1e-6*(1 + fabs(tip)));
  }
  CHECK(most > 1e4);
  close_run(&r);
}

/* E12 to E15 by natural partitioning: the same motion as with augmented multipliers */
static void natural_partitioning_makes_the_same_motion(void) {
  static const struct {
    const char *name, *body;
    double until;
  } c[] = {{"staggered/triple_pendulum", "c", 1},
           {"staggered/tree", "n5", 1},
           {"staggered/arm", "link3", 180},
           {"vehicle/wishbone", "chassis", 1.5}}; /* touches down at 0.45 s */
  for (int k = 0; k < TNI_COUNT(c); k++) {
    double x[3][3];
    static const char *const technique[] = {"natural", "augmented", "natural"};
    for (int i = 0; i < 3; i++) {
      run r;
      tn_run_opts o = {.technique = technique[i], .until = c[k].until, .tolerance = 1e-8};
      if (i == 2) o.solver = "natural_cg";
      CHECK_OK(NULL, open_run(&r, c[k].name, NULL, &o));
      CHECK_OK(r.l.ctx, tn_sim_advance(r.sim, c[k].until));
      position(&r, c[k].body, x[i]);
      close_run(&r);
    }
    for (int a = 0; a < 3; a++) {
      CHECK_WITHIN(x[0][a], x[1][a], 1e-6);
      CHECK_WITHIN(x[2][a], x[1][a], 1e-6);
    }
  }
}

/* E16: six passages of the flat position on the same branch; techniques that need an invertible
 * compliance leave it or stop */
static void parallelogram_passes_its_flat_position(void) {
  run r;
  int passages = 0;
  double before = 1, tilt = 0;
  CHECK_OK(NULL, open_run(&r, "staggered/parallelogram", NULL, NULL));
  while (r.sim->t_hi < 2) {
    CHECK_OK(r.l.ctx, tn_sim_step(r.sim));
    double y = kin(&r, "left")->r[1];
    passages += y*before < 0;
    before = y;
    tilt = fmax(tilt, fabs(kin(&r, "top")->A[3])); /* the top bar stays level */
  }
  CHECK(passages >= 5);
  CHECK(tilt < 2e-3);
  CHECK(summary(&r).position_error < 1.5e-4);
  CHECK(summary(&r).energy_error < 0.05);
  close_run(&r);
}

/* E17: energy and angular momentum of a free body over 200 s, of second order */
static void free_body_keeps_energy_and_momentum(void) {
  double error[2];
  for (int k = 0; k < 2; k++) {
    run r;
    CHECK_OK(NULL, open_run(&r, "staggered/free_body", NULL, &(tn_run_opts){.step = 0.1/(1 + k)}));
    double H0[3] = {1, 0.1, 3}, h[3], H[3];
    CHECK(to_end(&r));
    const tni_kin *b = kin(&r, "body");
    for (int i = 0; i < 3; i++) h[i] = (i + 1)*b->w[i];
    mat3_vec(H, b->A, h);
    vec3_sub(h, H, H0);
    error[k] = summary(&r).energy_error;
    CHECK(error[k] < 9.6e-3*2.0025); /* prototype, without resynchronisation */
    CHECK(vec3_norm(h) < 0.05);
    close_run(&r);
  }
  CHECK(error[1] < 0.4*error[0]);
}

/* E18: rebound speeds within a tenth of the errors of the prototype, which did not locate the contact */
static void mass_returns_from_a_wall(void) {
  static const struct {
    double e, error[2]; /* 20 and 40 samples a contact */
  } c[] = {{1, {2.5e-4, 3e-5}}, {0.8, {1.8e-3, 4e-4}}, {0.5, {9e-3, 2.3e-3}}, {0.2, {8e-2, 1.9e-2}}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    for (int fine = 0; fine < 2; fine++) {
      char e[20], samples[20];
      const char *set[] = {e, samples};
      run r;
      snprintf(e, sizeof(e), "e=%g", c[k].e);
      snprintf(samples, sizeof(samples), "samples=%d", fine ? 40 : 20);
      load_begin(&r.l, 1);
      CHECK_OK(r.l.ctx, tn_spec_read_file(r.l.ctx, TENON_SOURCE_DIR "/examples/staggered/impact.yaml", set,
                                          2, &r.l.spec));
      load_finish(&r.l);
      CHECK_OK(r.l.ctx, tn_sim_create(r.l.ctx, r.l.model, NULL, &r.sim));
      CHECK(to_end(&r));
      double v = kin(&r, "ball")->v[0];
      CHECK(fabs(-v/(2*c[k].e) - 1) < 0.1*c[k].error[fine]);
      CHECK_NEAR(summary(&r).dissipated, 4*(1 - c[k].e*c[k].e), 5e-3); /* of 4 J */
      CHECK(summary(&r).energy_error < 5e-3);
      close_run(&r);
    }
  }
}

/* E19: one pin or two, the same motion, and the reactions share the load evenly */
static void doubled_pin_changes_nothing(void) {
  run r;
  CHECK_OK(NULL, open_run(&r, "staggered/doubled", NULL, NULL));
  while (r.sim->t_hi < 5) {
    double F[2][3], T[3];
    CHECK_OK(r.l.ctx, tn_sim_step(r.sim));
    for (int i = 0; i < 2; i++) CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, i, F[i], T));
    CHECK_WITHIN(F[0][0], F[1][0], 1e-9); /* of 10 N */
    CHECK_WITHIN(F[0][1], F[1][1], 1e-9);
  }
  CHECK(summary(&r).energy_error < 5e-3);
  close_run(&r);
}

/* natural partitioning: the same bits with one and two threads */
static void threads_do_not_change_a_bit(void) {
  double q[2][2000];
  int n = 0;
  for (int k = 0; k < 2; k++) {
    static const char *const set[] = {"N=20", "drop=0.001"}; /* lands after 14 ms */
    run r;
    load_begin(&r.l, 1 + k);
    CHECK_OK(r.l.ctx, tn_spec_read_file(r.l.ctx, TENON_SOURCE_DIR "/examples/vehicle/wishbone.yaml", set, 2,
                                        &r.l.spec));
    load_finish(&r.l);
    tn_run_opts o = {.method = "staggered", .technique = "natural", .step = 1e-3, .until = 0.05};
    CHECK_OK(r.l.ctx, tn_sim_create(r.l.ctx, r.l.model, &o, &r.sim));
    CHECK(to_end(&r));
    double load = 0;
    for (int i = 0; i < r.l.model->nforce; i++)
      if (strncmp(r.l.model->force[i].name, "tyre", 4) == 0) load += fabs(r.sim->s->force_out[i].potential);
    CHECK(load > 0); /* the tyres carry */
    n = r.sim->s->nv;
    CHECK(n <= 2000);
    memcpy(q[k], r.sim->at.v, (size_t)n*sizeof(double));
    close_run(&r);
  }
  CHECK(memcmp(q[0], q[1], (size_t)n*sizeof(double)) == 0);
}

int main(void) {
  RUN(one_bar_pendulum);
  RUN(slider_crank);
  RUN(ball_follows_its_sine_path);
  RUN(naive_leaps_lose_the_ball);
  RUN(double_pendulum);
  RUN(four_bars_move_symmetrically);
  RUN(arm_tip_moves_as_prescribed);
  RUN(joint_torques_by_inverse_dynamics);
  RUN(efforts_are_the_torques_of_motors);
  RUN(natural_partitioning_makes_the_same_motion);
  RUN(parallelogram_passes_its_flat_position);
  RUN(free_body_keeps_energy_and_momentum);
  RUN(mass_returns_from_a_wall);
  RUN(doubled_pin_changes_nothing);
  RUN(threads_do_not_change_a_bit);
  return REPORT();
}
