/* tests/verify/staggered_beams.c - beams of Downer, Park and Chiou by their own integrator
 *
 * Examples E8 to E11 of the staggered papers as model files, element `incremental`, method `staggered`, at the
 * steps of their specification. Numbers to meet are those of an independent prototype. With an argument the
 * whole length of E8 and E9, and all profiles.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

typedef struct {
  loaded l;
  tn_sim *sim;
  double E0, worst, kinetic, strain; /* energy at the start; largest change, kinetic and strain energy */
} run;

static double energy(run *r) { return tni_system_kinetic(r->sim->s) + r->sim->s->potential; }

static void open_run(run *r, const char *name, const char *const *set, int nset) {
  char path[512];
  *r = (run){0};
  snprintf(path, sizeof(path), "%s/examples/staggered/%s.yaml", TENON_SOURCE_DIR, name);
  load_begin(&r->l, 1);
  CHECK_OK(r->l.ctx, tn_spec_read_file(r->l.ctx, path, set, nset, &r->l.spec));
  load_finish(&r->l);
  CHECK_OK(r->l.ctx, tn_sim_create(r->l.ctx, r->l.model, NULL, &r->sim));
  r->E0 = energy(r);
}

static void close_run(run *r) {
  tn_sim_destroy(&r->sim);
  unload(&r->l);
}

/* on to t, every step looked at */
static void advance(run *r, double t) {
  while (r->sim->t_hi < t - 1e-12) {
    tn_status st = tn_sim_step(r->sim);
    CHECK_OK(r->l.ctx, st);
    if (st != TN_OK) return;
    double strain = 0;
    r->worst = fmax(r->worst, fabs(energy(r) - r->E0));
    r->kinetic = fmax(r->kinetic, tni_system_kinetic(r->sim->s));
    for (int i = 0; i < r->l.model->nelement; i++) strain += r->sim->s->force_out[i].potential;
    r->strain = fmax(r->strain, strain);
  }
}

/* E8: the lag of the tip normal to the root, at whole seconds; its peak and the work of the hub */
static void spin_up(double until) {
  static const double lag[] = {-0.0207, -0.1045, -0.2207, -0.3488, -0.4775, -0.5538, -0.5849, -0.5548,
                               -0.4716, -0.3741, -0.2632, -0.1540, -0.0733, -0.0209, 0.0041};
  run r;
  double peak = 0, at = 0, extension = 0, x[3];
  long n = 0;
  open_run(&r, "spin_up", NULL, 0);
  for (int i = 1; i <= lround(100*until); i++) {
    double t = i/100.0;
    if (tn_sim_advance(r.sim, t) != TN_OK) break;
    sim_point(r.sim, "beam.node[5]", 0, 0, 0, x);
    double a = sim_coordinate(r.sim, "hub"), y = x[1]*cos(a) - x[0]*sin(a);
    if (y < peak) peak = y, at = t;
    if (t > 15) extension += x[0]*cos(a) + x[1]*sin(a) - 10, n++;
    if (i % 100 == 0 && i <= 1500) CHECK(fabs(y - lag[i/100 - 1]) < 2e-4);
  }
  CHECK_NEAR(r.sim->at.t, until, 1e-6);
  tn_summary u;
  tn_sim_summary(r.sim, &u);
  printf("spin-up to %g s: lag %.4f at %.2f s, energy %.1e, %ld steps\n", until, peak, at,
         u.energy_error/u.energy_scale, u.steps);
  CHECK(u.energy_error < 2e-5*u.energy_scale);
  CHECK_INT((int)u.steps, (int)lround(until/1e-5)); /* no crumb of rounding at the end */
  if (until >= 20) {
    CHECK(u.energy_error < 1e-7*u.energy_scale); /* prototype: 5.5e-8 */
    CHECK(fabs(peak + 0.5868) < 1e-4);
    CHECK(fabs(at - 6.80) < 0.015);
    CHECK(fabs(extension/(double)n/5.239e-4 - 1) < 2e-3);
  }
  close_run(&r);
}

static void beams_spin_up(void) { spin_up(1); }
static void beams_spin_up_to_the_end(void) { spin_up(20); }

/* without a step in the model: from rest, where velocities are rounding, the forces choose it */
static void steps_from_rest_are_those_of_the_forces(void) {
  char text[4096], path[512];
  loaded l;
  tn_sim *sim;
  snprintf(path, sizeof(path), "%s/examples/staggered/spin_up.yaml", TENON_SOURCE_DIR);
  FILE *f = fopen(path, "r");
  size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
  text[n] = 0;
  if (f) fclose(f);
  char *at = strstr(text, ", step: 1e-5");
  CHECK(at != NULL);
  if (!at) return;
  memset(at, ' ', strlen(", step: 1e-5"));
  load_begin(&l, 1);
  CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
  load_finish(&l);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 0.01));
  tn_summary u;
  tn_sim_summary(sim, &u);
  double limit = 2/sqrt(1e7/6e-4); /* shear against rotary inertia */
  CHECK(u.h_min > 0.05*limit && u.h_max < 0.5*limit);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* E9: velocities in a rigid spin and bending modes, a revolution or four */
static void pinned_beam(const char *const set[3], double until, double E0) {
  run r;
  open_run(&r, "pinned_beam", set, 3);
  if (E0 > 0) CHECK_NEAR(r.E0/E0, 1, 1e-4);
  advance(&r, until);
  printf("pinned beam %s, %g s: energy %.1e, strain energy %.3g\n", set[0], until, r.worst/r.E0, r.strain);
  CHECK(r.worst < 1e-4*r.E0); /* prototype, first mode: 3.6e-5 */
  CHECK(r.strain > 0.005*r.E0);
  if (E0 > 0 && until > 10) CHECK_NEAR(r.strain/1.10e5, 1, 0.02);
  close_run(&r);
}

static const char *const profile[3][3] = {{"first=1", "second=0", "elements=10"},
                                          {"first=0", "second=1", "elements=12"},
                                          {"first=0.5", "second=0.5", "elements=16"}};

static void pinned_beams_keep_their_energy(void) { pinned_beam(profile[0], 17.0/8, 3.2303e6); }
static void pinned_beams_keep_their_energy_in_four_turns(void) {
  for (int k = 0; k < 3; k++) pinned_beam(profile[k], 17, k == 0 ? 3.2303e6 : 0);
}

/* E10: tip after 5 s, energy and strain energy by the kinetic energy; four stiffnesses */
static bool all; /* argument */

static void flexible_double_pendulums_meet_the_prototype(void) {
  static const struct {
    const char *EA;
    double tip[3], energy, strain;
  } c[] = {{"EA=1e4", {1.845, -0.073, -0.761}, 2e-6, 0.0032},
           {"EA=1e3", {1.847, -0.122, -0.753}, 5e-5, 0.028},
           {"EA=2e2", {1.870, -0.278, -0.684}, 9e-4, 0.117},
           {"EA=1e2", {1.899, -0.473, -0.544}, 4e-3, 0.241}};
  for (int k = 0; k < TNI_COUNT(c); k += all ? 1 : TNI_COUNT(c) - 1) {
    run r;
    double x[3];
    open_run(&r, "flexible_pendulum", &c[k].EA, 1);
    advance(&r, 5);
    sim_point(r.sim, "b.node[8]", 0, 0, 0, x);
    for (int i = 0; i < 3; i++) CHECK(fabs(x[i] - c[k].tip[i]) < 0.006);
    if (all) advance(&r, 10);
    printf("double pendulum %s: energy %.1e, strain energy %.4f\n", c[k].EA, r.worst/r.kinetic, r.strain);
    CHECK(r.worst < c[k].energy*r.kinetic);
    if (all) CHECK(fabs(r.strain/c[k].strain - 1) < 0.15);
    close_run(&r);
  }
}

/* E11, and the tip after 1 and 2 s */
static void deforming_double_pendulum_meets_the_prototype(void) {
  static const double tip[2][3] = {{-66.3, 106.7, -199.4}, {-112.9, -205.4, 1.98}};
  run r;
  open_run(&r, "deforming_pendulum", NULL, 0);
  CHECK_NEAR(r.E0/4.8586e6, 1, 1e-4);
  for (int k = 0; k < 2; k++) {
    double x[3];
    advance(&r, k + 1);
    sim_point(r.sim, "b.node[8]", 0, 0, 0, x);
    for (int i = 0; i < 3; i++) CHECK(fabs(x[i] - tip[k][i]) < 0.005*240);
  }
  printf("double pendulum with deformation: energy %.1e\n", r.worst/r.kinetic);
  CHECK(r.worst < 3e-5*r.kinetic); /* prototype: 2.0e-5 */
  CHECK_NEAR(r.strain/5.66e5, 1, 0.02);
  close_run(&r);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (all) {
    RUN(beams_spin_up_to_the_end);
    RUN(pinned_beams_keep_their_energy_in_four_turns);
    RUN(flexible_double_pendulums_meet_the_prototype);
    return REPORT();
  }
  RUN(beams_spin_up);
  RUN(steps_from_rest_are_those_of_the_forces);
  RUN(pinned_beams_keep_their_energy);
  RUN(flexible_double_pendulums_meet_the_prototype);
  RUN(deforming_double_pendulum_meets_the_prototype);
  return REPORT();
}
