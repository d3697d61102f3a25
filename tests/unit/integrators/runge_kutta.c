/* Runge-Kutta methods: order with and without projection, work per step
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fake.h"

static tn_ctx *ctx;

/* no error control: steps of size h only */
static tni_integrator_opts fixed(double h, double t_end) {
  return (tni_integrator_opts){.rtol = 1e30, .atol = 1e30, .h = h, .hmax = h, .t_end = t_end,
                               .project_tol = 1e-13};
}
static tni_integrator_opts adaptive(double tol, double t_end) {
  return (tni_integrator_opts){.rtol = tol, .atol = tol, .t_end = t_end};
}

/* error in the orbit after t_end with fixed steps; *inside: largest error between the steps */
static double kepler_error(const char *method, double e, double h, double *inside) {
  double q[2], v[2], qi[2], vi[2], t_end = 5;
  fake f = fake_kepler(ctx);
  tni_integrator_opts o = fixed(h, t_end);
  kepler_exact(e, 0, q, v);
  tni_integrator *it = fake_start(ctx, method, &f, &o, q, v);
  *inside = 0;
  while (it->now.t < t_end) {
    CHECK_OK(ctx, it->type->step(it));
    for (int k = 1; k < 8; k++) {
      double t = it->t_old + k*(it->now.t - it->t_old)/8;
      it->type->interpolate(it, t, qi, vi, NULL);
      kepler_exact(e, t, q, v);
      for (int i = 0; i < 2; i++) {
        *inside = fmax(*inside, fmax(fabs(qi[i] - q[i]), fabs(vi[i] - v[i])));
      }
    }
  }
  kepler_exact(e, t_end, q, v);
  double err = fmax(fmax(fabs(it->now.q[0] - q[0]), fabs(it->now.q[1] - q[1])),
                    fmax(fabs(it->now.v[0] - v[0]), fabs(it->now.v[1] - v[1])));
  tni_integrator_destroy(&it);
  return err;
}

/* e: eccentricity of the orbit */
static void observed_order(const char *method, double e, double h, int order, int order_inside) {
  double in0, in1;
  double e0 = kepler_error(method, e, h, &in0), e1 = kepler_error(method, e, h/2, &in1);
  double p = log2(e0/e1), p_in = log2(in0/in1);
  if (!CHECK(fabs(p - order) < 0.35)) printf("%s: order %.3f\n", method, p);
  if (!CHECK(p_in > order_inside - 0.35)) printf("%s: order inside %.3f\n", method, p_in);
}

/* the global error of dense output is that of the solution plus one local term h^(p_dense+1) */
static void steps_have_the_order_of_the_formula(void) {
  observed_order("rk4", 0.3, 0.05, 4, 4);
  observed_order("rk45", 0.3, 0.02, 5, 5);
  observed_order("rk8", 0.05, 0.2, 8, 8);
}

/* projection keeps the order: same system with one constraint */
static void projection_keeps_the_order(void) {
  static const struct { const char *method; double h; int order; } c[] = {
      {"rk4", 0.02, 4}, {"rk45", 0.04, 5}, {"rk8", 0.1, 8}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    double err[2];
    for (int half = 0; half < 2; half++) {
      fake f = fake_pendulum(ctx);
      tni_integrator_opts o = fixed(c[k].h/(1 << half), 10);
      tni_integrator *it = fake_start(ctx, c[k].method, &f, &o, pendulum_q0, pendulum_v0);
      fake_run(ctx, it, 10);
      err[half] = hypot(it->now.q[0] - pendulum_at_10[0], it->now.q[1] - pendulum_at_10[1]);
      CHECK_NEAR(it->now.q[0]*it->now.q[0] + it->now.q[1]*it->now.q[1], 1, 1e-12);
      CHECK_NEAR(it->now.q[0]*it->now.v[0] + it->now.q[1]*it->now.v[1], 0, 1e-12);
      tni_integrator_destroy(&it);
    }
    double p = log2(err[0]/err[1]);
    /* rk8 does better here: its leading error term only shifts the phase */
    if (!CHECK(p > c[k].order - 0.5)) printf("%s: order %.3f\n", c[k].method, p);
  }
}

/* as many accelerations a step as stages, one at the start, one to choose the first step */
static void evaluations_are_counted(void) {
  static const struct { const char *method; int each; } c[] = {{"rk45", 6}, {"rk8", 12}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = adaptive(1e-6, 3);
    tni_integrator *it = fake_start(ctx, c[k].method, &f, &o, pendulum_q0, pendulum_v0);
    fake_run(ctx, it, 3);
    CHECK_INT(f.s.work.naccel, c[k].each*(it->stats.steps + it->stats.rejected) + 2);
    tni_integrator_destroy(&it);
  }
}

/* rk8 asks three more when looked inside, once a step; when they fail a cubic is left */
static void extra_stages_come_on_demand(void) {
  fake f = fake_pendulum(ctx);
  tni_integrator_opts o = adaptive(1e-8, 3);
  tni_integrator *it = fake_start(ctx, "rk8", &f, &o, pendulum_q0, pendulum_v0);
  for (int k = 0; k < 5; k++) CHECK_OK(ctx, it->type->step(it));
  long before = f.s.work.naccel;
  double q[2][2];
  for (int k = 0; k < 10; k++) {
    it->type->interpolate(it, it->t_old + 0.1*k*(it->now.t - it->t_old), q[0], NULL, NULL);
  }
  CHECK_INT(f.s.work.naccel, before + 3);
  CHECK_OK(ctx, it->type->step(it));
  double h = it->now.t - it->t_old;
  f.fail_from = it->t_old;
  it->type->interpolate(it, it->t_old + 0.5*h, q[0], NULL, NULL);
  f.fail_from = INFINITY;
  CHECK_NEAR(hypot(q[0][0], q[0][1]), 1, 0.1*h*h*h);
  tni_integrator_destroy(&it);
}

/* accelerations with a singular position at `singular`: squared distance as pivots tell it */
static double singular;
static tn_status passing_accel(tni_data *s, double t, const double *q, const double *v, double *a, double *lambda, double *zdot) {
  double away = (t - singular)/100;
  s->pivot = away*away;
  s->usual = 1;
  return oscillator_accel(s, t, q, v, a, lambda, zdot);
}

/* No step ends next to a singular position, nor does a formula look there but from both sides: one that passes it has it in the middle, those before leave
 * at least as much of the way as half of what they were, and nothing is left of it behind */
static void singular_positions_lie_in_the_middle_of_steps(void) {
  static const char *const method[] = {"rk45", "rk8"};
  int middle = 0;
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < 40; k++) {
      fake f = fake_oscillator(ctx);
      tni_system_ops ops = oscillator_ops;
      tni_integrator_opts o = adaptive(1e-7, 12);
      int passed = 0;
      ops.accel = passing_accel;
      f.s.ops = &ops;
      singular = 6 + 0.037*k;
      tni_integrator *it = fake_start(ctx, method[m], &f, &o, oscillator_q0, oscillator_v0);
      while (it->now.t < 12) {
        long rejected = it->stats.rejected;
        CHECK_OK(ctx, it->type->step(it));
        double h = it->now.t - it->t_old, left = singular - it->now.t;
        if (left < 0 && it->t_old < singular) {
          passed++;
          double before = (singular - it->t_old)/h; /* in the middle, or at most in the first two fifths of a step that is long */
          if (it->stats.rejected > rejected) continue; /* the error wants a shorter one */
          middle += fabs(before - 0.5) < 1e-6;
          if (!CHECK(fabs(before - 0.5) < 1e-6 || before < 0.4 + 1e-6)) printf("  %s, %g: at %g of a step\n", method[m], singular, before);
        } else if (left >= 0 && left < 1) {
          if (!CHECK(left > 0.49*h)) printf("  %s, %g: %g left of a step %g\n", method[m], singular, left, h);
        }
      }
      CHECK_INT(passed, 1);
      tni_integrator_destroy(&it);
    }
  CHECK(middle >= 40);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(steps_have_the_order_of_the_formula);
  RUN(projection_keeps_the_order);
  RUN(evaluations_are_counted);
  RUN(extra_stages_come_on_demand);
  RUN(singular_positions_lie_in_the_middle_of_steps);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
