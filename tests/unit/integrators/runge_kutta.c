/* Runge-Kutta methods with error control and projection
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fake.h"

static tn_ctx *ctx;
static const double PI2 = 6.283185307179586;

/* no error control: steps of size h only */
static tni_integrator_opts fixed(double h, double t_end) {
  return (tni_integrator_opts){.rtol = 1e30, .atol = 1e30, .h = h, .hmax = h, .t_end = t_end,
                               .project_tol = 1e-13};
}
static tni_integrator_opts adaptive(double tol, double t_end) {
  return (tni_integrator_opts){.rtol = tol, .atol = tol, .t_end = t_end};
}

/* error in the orbit after t_end with fixed steps; *inside: largest error between the steps */
static double kepler_error(const char *method, double h, double *inside) {
  double e = 0.3, q[2], v[2], qi[2], vi[2], t_end = 5;
  fake f = fake_kepler(ctx);
  tni_integrator_opts o = fixed(h, t_end);
  kepler_exact(e, 0, q, v);
  tni_integrator *it = fake_start(ctx, method, &f, &o, q, v);
  *inside = 0;
  while (it->t < t_end) {
    CHECK_OK(ctx, it->type->step(it));
    for (int k = 1; k < 8; k++) {
      double t = it->t_old + k*(it->t - it->t_old)/8;
      it->type->interpolate(it, t, qi, vi, NULL);
      kepler_exact(e, t, q, v);
      for (int i = 0; i < 2; i++) *inside = fmax(*inside, fmax(fabs(qi[i] - q[i]), fabs(vi[i] - v[i])));
    }
  }
  kepler_exact(e, t_end, q, v);
  double err = fmax(fmax(fabs(it->q[0] - q[0]), fabs(it->q[1] - q[1])),
                    fmax(fabs(it->v[0] - v[0]), fabs(it->v[1] - v[1])));
  tni_integrator_destroy(&it);
  return err;
}

static void observed_order(const char *method, double h, int order, int order_inside) {
  double in0, in1;
  double e0 = kepler_error(method, h, &in0), e1 = kepler_error(method, h/2, &in1);
  double p = log2(e0/e1), p_in = log2(in0/in1);
  if (!CHECK(fabs(p - order) < 0.35)) printf("%s: order %.3f\n", method, p);
  if (!CHECK(p_in > order_inside - 0.35)) printf("%s: order inside %.3f\n", method, p_in);
}

/* the global error of dense output is that of the solution plus one local term h^(p_dense+1) */
static void steps_have_the_order_of_the_formula(void) {
  observed_order("rk4", 0.05, 4, 4);
  observed_order("rk45", 0.02, 5, 5);
}

/* projection keeps the order: same system with one constraint */
static void projection_keeps_the_order(void) {
  static const struct { const char *method; double h; int order; } c[] = {
      {"rk4", 0.02, 4}, {"rk45", 0.04, 5}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    double err[2];
    for (int half = 0; half < 2; half++) {
      fake f = fake_pendulum(ctx);
      tni_integrator_opts o = fixed(c[k].h/(1 << half), 10);
      tni_integrator *it = fake_start(ctx, c[k].method, &f, &o, pendulum_q0, pendulum_v0);
      fake_run(ctx, it, 10);
      err[half] = hypot(it->q[0] - pendulum_at_10[0], it->q[1] - pendulum_at_10[1]);
      CHECK_NEAR(it->q[0]*it->q[0] + it->q[1]*it->q[1], 1, 1e-12);
      CHECK_NEAR(it->q[0]*it->v[0] + it->q[1]*it->v[1], 0, 1e-12);
      tni_integrator_destroy(&it);
    }
    double p = log2(err[0]/err[1]);
    if (!CHECK(fabs(p - c[k].order) < 0.5)) printf("%s: order %.3f\n", c[k].method, p);
  }
}

/* the pendulum of the specification at the tolerance asked: the global error stays within the
 * growth of local errors over ten swings */
static void pendulum_error_follows_the_tolerance(void) {
  double last = 1;
  for (double tol = 1e-3; tol > 0.5e-10; tol *= 0.1) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = adaptive(tol, 10);
    tni_integrator *it = fake_start(ctx, "rk45", &f, &o, pendulum_q0, pendulum_v0);
    fake_run(ctx, it, 10);
    CHECK_NEAR(it->t, 10, 0);
    double err = hypot(it->q[0] - pendulum_at_10[0], it->q[1] - pendulum_at_10[1]);
    if (getenv("TN_TOL_SCALE")) {
      printf("pendulum rk45 tol %.0e error %.2e steps %ld rejected %ld accel %ld project %ld\n", tol,
             err, it->stats.steps, it->stats.rejected, f.s.work.naccel, f.s.work.nproject);
    }
    CHECK(err < 100*tol);
    CHECK(err < last);
    CHECK(it->stats.rejected < it->stats.steps/4 + 5);
    last = err;
    tni_integrator_destroy(&it);
  }
}

/* a tenth of the tolerance gives about a tenth of the error, over seven decades */
static void error_is_proportional_to_tolerance(void) {
  double first = 0, lastr = 0;
  for (double tol = 1e-3; tol > 0.5e-10; tol *= 0.1) {
    fake f = fake_oscillator(ctx);
    tni_integrator_opts o = adaptive(tol, 20);
    tni_integrator *it = fake_start(ctx, "rk45", &f, &o, oscillator_q0, oscillator_v0);
    fake_run(ctx, it, 20);
    double ratio = hypot(it->q[0] - cos(20.0), it->v[0] + sin(20.0))/tol;
    if (getenv("TN_TOL_SCALE")) printf("oscillator tol %.0e error/tol %.2f\n", tol, ratio);
    if (tol > 0.5e-3) first = ratio;
    lastr = ratio;
    CHECK(ratio < 30);
    tni_integrator_destroy(&it);
  }
  CHECK(lastr < 10*first && lastr > first/10);
}

/* quadratures are integrated with the order of the formula but do not steer the step */
static void quadratures_are_carried_along(void) {
  fake f = fake_oscillator(ctx);
  tni_integrator_opts o = adaptive(1e-9, PI2);
  tni_integrator *it = fake_start(ctx, "rk45", &f, &o, oscillator_q0, oscillator_v0);
  double z[TNI_NZ];
  while (it->t < PI2) {
    CHECK_OK(ctx, it->type->step(it));
    double t = 0.5*(it->t_old + it->t);
    it->type->interpolate(it, t, NULL, NULL, z);
    CHECK_NEAR(z[0], 0.5*t - 0.25*sin(2*t), 1e-8);
    CHECK_NEAR(z[1], 0.5*t + 0.25*sin(2*t), 1e-8);
  }
  CHECK_NEAR(it->z[0], PI2/2, 1e-8);
  tni_integrator_destroy(&it);
}

/* a symmetric top precesses about its angular momentum at |L|/I1 while it spins about its axis */
static void top_orientation_is_exact_to_tolerance(void) {
  fake f = fake_body(ctx);
  double I1 = 2, I3 = 3.5, t = 4, w0[3] = {0.5, -1.2, 3};
  f.I[0] = f.I[1] = I1;
  f.I[2] = I3;
  double v0[6] = {1, 2, -3, w0[0], w0[1], w0[2]};
  double A0[9], Lb[3] = {I1*w0[0], I1*w0[1], I3*w0[2]}, L[3];
  quat_matrix(A0, body_q0 + 3);
  mat3_vec(L, A0, Lb);
  double precession[3], spin[3] = {0, 0, (1 - I3/I1)*w0[2]*t}, pp[4], ps[4], want[7];
  vec3_scale(precession, t/I1, L);
  quat_from_vector(pp, precession);
  quat_from_vector(ps, spin);
  quat_mul(want + 3, pp, body_q0 + 3);
  quat_mul(want + 3, want + 3, ps);
  for (int i = 0; i < 3; i++) want[i] = body_q0[i] + v0[i]*t;

  static const double tol[] = {1e-5, 1e-8, 1e-10};
  for (int k = 0; k < TNI_COUNT(tol); k++) {
    tni_integrator_opts o = adaptive(tol[k], t);
    tni_integrator *it = fake_start(ctx, "rk45", &f, &o, body_q0, v0);
    fake_run(ctx, it, t);
    double dx[6];
    body_difference(&f.s, want, it->q, dx);
    for (int i = 0; i < 6; i++) CHECK_NEAR(dx[i], 0, 50*tol[k]);
    tni_integrator_destroy(&it);
  }
}

/* energy and angular momentum in ground axes of a tumbling body */
static void free_body_keeps_energy_and_momentum(void) {
  fake f = fake_body(ctx);
  tni_integrator_opts o = adaptive(1e-10, 20);
  tni_integrator *it = fake_start(ctx, "rk45", &f, &o, body_q0, body_v0);
  double A[9], L0[3], L[3], E0 = 0;
  for (int pass = 0; pass < 2; pass++) {
    double *w = it->v + 3, Iw[3], E = 0;
    for (int i = 0; i < 3; i++) {
      Iw[i] = f.I[i]*w[i];
      E += 0.5*w[i]*Iw[i];
    }
    quat_matrix(A, it->q + 3);
    mat3_vec(pass ? L : L0, A, Iw);
    if (pass) {
      CHECK_NEAR(E, E0, 1e-8);
      for (int i = 0; i < 3; i++) CHECK_NEAR(L[i], L0[i], 1e-8);
    } else {
      E0 = E;
      fake_run(ctx, it, 20);
    }
  }
  double q[7];
  it->type->interpolate(it, 0.5*(it->t_old + it->t), q, NULL, NULL);
  CHECK_NEAR(q[3]*q[3] + q[4]*q[4] + q[5]*q[5] + q[6]*q[6], 1, 1e-15);
  tni_integrator_destroy(&it);
}

/* asking for output between the steps leaves every bit of the run alone */
static void dense_output_does_not_change_steps(void) {
  static const char *methods[] = {"rk4", "rk45"};
  for (int k = 0; k < TNI_COUNT(methods); k++) {
    double q[2][2];
    long steps[2];
    for (int dense = 0; dense < 2; dense++) {
      fake f = fake_pendulum(ctx);
      tni_integrator_opts o = adaptive(1e-6, 3);
      if (k == 0) o.h = 0.01;
      tni_integrator *it = fake_start(ctx, methods[k], &f, &o, pendulum_q0, pendulum_v0);
      while (it->t < 3) {
        double qi[2], vi[2];
        CHECK_OK(ctx, it->type->step(it));
        for (int i = 0; dense && i < 5; i++) {
          it->type->interpolate(it, it->t_old + 0.2*i*(it->t - it->t_old), qi, vi, NULL);
        }
      }
      memcpy(q[dense], it->q, sizeof(q[dense]));
      steps[dense] = it->stats.steps;
      tni_integrator_destroy(&it);
    }
    CHECK_INT(steps[0], steps[1]);
    CHECK(memcmp(q[0], q[1], sizeof(q[0])) == 0);
  }
}

/* dense output meets both ends of the step, with the derivative of the state */
static void dense_output_is_continuous(void) {
  static const char *methods[] = {"rk4", "rk45"};
  for (int k = 0; k < TNI_COUNT(methods); k++) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = adaptive(1e-5, 2);
    if (k == 0) o.h = 0.02;
    tni_integrator *it = fake_start(ctx, methods[k], &f, &o, pendulum_q0, pendulum_v0);
    double q_end[2] = {-1, 0}, q[2], v[2], qd[2];
    while (it->t < 2) {
      CHECK_OK(ctx, it->type->step(it));
      double h = it->t - it->t_old, d = 1e-6*h;
      it->type->interpolate(it, it->t_old, q, v, NULL);
      for (int i = 0; i < 2; i++) CHECK_NEAR(q[i], q_end[i], 1e-15);
      it->type->interpolate(it, it->t, q, v, NULL);
      CHECK(memcmp(q, it->q, sizeof(q)) == 0 && memcmp(v, it->v, sizeof(v)) == 0);
      it->type->interpolate(it, it->t - d, qd, v, NULL);
      for (int i = 0; i < 2; i++) CHECK_NEAR((q[i] - qd[i])/d, it->v[i], 1e-4);
      memcpy(q_end, it->q, sizeof(q_end));
    }
    tni_integrator_destroy(&it);
  }
}

/* a run continued from a saved state in a fresh integrator gives the same bits */
static void restart_continues_bit_for_bit(void) {
  static const char *methods[] = {"rk4", "rk45"};
  for (int k = 0; k < TNI_COUNT(methods); k++) {
    fake f = fake_pendulum(ctx), g = fake_pendulum(ctx);
    tni_integrator_opts o = adaptive(1e-7, 5);
    if (k == 0) o.h = 0.01;
    tni_integrator *it = fake_start(ctx, methods[k], &f, &o, pendulum_q0, pendulum_v0), *again;
    fake_run(ctx, it, 2);
    double state[64];
    CHECK(it->type->nstate(it) <= 64);
    CHECK_OK(ctx, it->type->save(it, state));
    CHECK_OK(ctx, it->type->create(ctx, &g.s, &o, &again));
    CHECK_OK(ctx, again->type->load(again, state));
    CHECK_NEAR(again->lambda[0], it->lambda[0], 0);
    CHECK_NEAR(again->a[1], it->a[1], 0);
    while (it->t < 5) {
      CHECK_OK(ctx, it->type->step(it));
      CHECK_OK(ctx, again->type->step(again));
      CHECK(it->t == again->t && memcmp(it->q, again->q, 6*sizeof(double)) == 0);
      double q[2], q2[2];
      it->type->interpolate(it, 0.5*(it->t_old + it->t), q, NULL, NULL);
      again->type->interpolate(again, 0.5*(it->t_old + it->t), q2, NULL, NULL);
      CHECK(memcmp(q, q2, sizeof(q)) == 0);
    }
    tni_integrator_destroy(&it);
    tni_integrator_destroy(&again);
  }
}

/* accelerations at the end of a step are those of the state there */
static void accelerations_belong_to_the_state(void) {
  fake f = fake_pendulum(ctx);
  tni_integrator_opts o = adaptive(1e-4, 3);
  tni_integrator *it = fake_start(ctx, "rk45", &f, &o, pendulum_q0, pendulum_v0);
  while (it->t < 3) {
    double a[2], l[1];
    CHECK_OK(ctx, it->type->step(it));
    CHECK_OK(ctx, pendulum_accel(&f.s, it->t, it->q, it->v, a, l, NULL));
    CHECK(a[0] == it->a[0] && a[1] == it->a[1] && l[0] == it->lambda[0]);
  }
  tni_integrator_destroy(&it);
}

/* six accelerations a step, one at the start, one to choose the first step */
static void evaluations_are_six_a_step(void) {
  fake f = fake_pendulum(ctx);
  tni_integrator_opts o = adaptive(1e-6, 3);
  tni_integrator *it = fake_start(ctx, "rk45", &f, &o, pendulum_q0, pendulum_v0);
  fake_run(ctx, it, 3);
  CHECK_INT(f.s.work.naccel, 6*(it->stats.steps + it->stats.rejected) + 2);
  tni_integrator_destroy(&it);
}

/* accelerations that fail now and then cost smaller steps, not the run */
static void failing_accelerations_are_survived(void) {
  static const char *methods[] = {"rk4", "rk45"};
  for (int k = 0; k < TNI_COUNT(methods); k++) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = adaptive(1e-8, 10);
    if (k == 0) o.h = 0.005;
    tni_integrator *it = fake_start(ctx, methods[k], &f, &o, pendulum_q0, pendulum_v0);
    f.fail_every = 97;
    fake_run(ctx, it, 10);
    CHECK(it->stats.nonconverged > 10);
    CHECK_NEAR(it->q[0], pendulum_at_10[0], 1e-5);
    CHECK_NEAR(it->q[1], pendulum_at_10[1], 1e-5);
    tni_integrator_destroy(&it);
  }
}

/* a wall in time ends the run with the time, the step and the name; the state stays where it was */
static void no_progress_names_the_cause(void) {
  static const struct { int fault; const char *want; } c[] = {
      {0, "matrix singular"}, {1, "'mass.v0' is not finite"}, {2, "'rod.row0'"}};
  for (int k = 0; k < 2*TNI_COUNT(c); k++) {
    int fault = c[k/2].fault;
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = adaptive(1e-6, 3);
    if (k % 2) o.h = 0.01;
    tni_integrator *it = fake_start(ctx, k % 2 ? "rk4" : "rk45", &f, &o, pendulum_q0, pendulum_v0);
    if (fault == 0) f.fail_from = 1.5;
    if (fault == 1) f.nan_from = 1.5;
    if (fault == 2) f.stuck_from = 1.5;
    tn_status st = TN_OK;
    double t = 0, y[6];
    while (st == TN_OK && it->t < 3) {
      t = it->t;
      memcpy(y, it->q, sizeof(y));
      st = it->type->step(it);
    }
    CHECK(st == TN_NO_PROGRESS);
    CHECK(it->t == t && memcmp(y, it->q, sizeof(y)) == 0);
    CHECK(it->t < 1.5 && it->t > 1.5 - 1e-8);
    CHECK(it->stats.nonconverged > 20 && it->stats.nonconverged == it->stats.rejected);
    if (!CHECK(strstr(tn_ctx_message(ctx), c[k/2].want) != NULL)) puts(tn_ctx_message(ctx));
    if (!CHECK(strstr(tn_ctx_message(ctx), "t = 1.5 s") != NULL)) puts(tn_ctx_message(ctx));
    tni_integrator_destroy(&it);
  }
}

/* a step that the tolerance forbids is refused with the component that forbids it */
static void error_below_hmin_names_the_component(void) {
  fake f = fake_kepler(ctx);
  double q[2], v[2];
  kepler_exact(0.9, 0, q, v);
  tni_integrator_opts o = adaptive(1e-10, 10);
  o.h = o.hmin = 0.05;
  tni_integrator *it = fake_start(ctx, "rk45", &f, &o, q, v);
  CHECK(it->type->step(it) == TN_NO_PROGRESS);
  CHECK(strstr(tn_ctx_message(ctx), "largest error in 'mass.v") != NULL);
  CHECK_NEAR(it->q[0], q[0], 0);
  tni_integrator_destroy(&it);
}

/* the run lands on the end without crumbs, and the proposal remembers the step it wanted */
static void last_step_lands_on_the_end(void) {
  for (double t_end = 0.7; t_end < 3; t_end += 0.0371) {
    fake f = fake_oscillator(ctx);
    tni_integrator_opts o = adaptive(1e-6, t_end);
    tni_integrator *it = fake_start(ctx, "rk45", &f, &o, oscillator_q0, oscillator_v0);
    double before = 0;
    while (it->t < t_end) {
      before = it->stats.h_next;
      CHECK_OK(ctx, it->type->step(it));
    }
    CHECK(it->t == t_end);
    CHECK(it->stats.h_next > 0.4*before);
    CHECK(it->stats.h_last > 0.2*before);
    tni_integrator_destroy(&it);
  }
  /* steps that do not add up exactly in floating point are still the right number */
  fake f = fake_oscillator(ctx);
  tni_integrator_opts o = {.h = 0.1, .t_end = 10};
  tni_integrator *it = fake_start(ctx, "rk4", &f, &o, oscillator_q0, oscillator_v0);
  fake_run(ctx, it, 10);
  CHECK_INT(it->stats.steps, 100);
  CHECK(it->type->step(it) == TN_ERR_ARGUMENT);
  tni_integrator_destroy(&it);
}

/* steps, restarts and dense output allocate nothing */
static void nothing_is_allocated_after_create(void) {
  static const char *methods[] = {"rk4", "rk45"};
  for (int k = 0; k < TNI_COUNT(methods); k++) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = adaptive(1e-6, 3);
    o.h = 0.01;
    tni_integrator *it = fake_start(ctx, methods[k], &f, &o, pendulum_q0, pendulum_v0);
    size_t before = tn_ctx_allocations(ctx);
    double q[2], v[2], z[TNI_NZ], state[64];
    while (it->t < 3) {
      CHECK_OK(ctx, it->type->step(it));
      it->type->interpolate(it, 0.5*(it->t + it->t_old), q, v, z);
      CHECK_OK(ctx, it->type->save(it, state));
    }
    CHECK_INT(tn_ctx_allocations(ctx), before);
    tni_integrator_destroy(&it);
  }
}

/* wrong options are refused with the value */
static void bad_options_are_refused(void) {
  fake f = fake_oscillator(ctx);
  tni_integrator *it;
  tni_integrator_opts no_step = {.t_end = 1}, no_tol = {.t_end = 1, .rtol = -1, .atol = 1};
  CHECK(tni_integrator_find("rk4")->create(ctx, &f.s, &no_step, &it) == TN_ERR_ARGUMENT);
  CHECK(it == NULL && strstr(tn_ctx_message(ctx), "step") != NULL);
  CHECK(tni_integrator_find("rk45")->create(ctx, &f.s, &no_tol, &it) == TN_ERR_ARGUMENT);
  CHECK(it == NULL && strstr(tn_ctx_message(ctx), "-1") != NULL);
  CHECK(tni_integrator_find("rk7") == NULL);
  tni_integrator_opts few = {.t_end = 1, .h = 0.01, .max_steps = 3};
  it = fake_start(ctx, "rk4", &f, &few, oscillator_q0, oscillator_v0);
  for (int i = 0; i < 3; i++) CHECK_OK(ctx, it->type->step(it));
  CHECK(it->type->step(it) == TN_NO_PROGRESS);
  tni_integrator_destroy(&it);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(steps_have_the_order_of_the_formula);
  RUN(projection_keeps_the_order);
  RUN(pendulum_error_follows_the_tolerance);
  RUN(error_is_proportional_to_tolerance);
  RUN(quadratures_are_carried_along);
  RUN(top_orientation_is_exact_to_tolerance);
  RUN(free_body_keeps_energy_and_momentum);
  RUN(dense_output_does_not_change_steps);
  RUN(dense_output_is_continuous);
  RUN(restart_continues_bit_for_bit);
  RUN(accelerations_belong_to_the_state);
  RUN(evaluations_are_six_a_step);
  RUN(failing_accelerations_are_survived);
  RUN(no_progress_names_the_cause);
  RUN(error_below_hmin_names_the_component);
  RUN(last_step_lands_on_the_end);
  RUN(nothing_is_allocated_after_create);
  RUN(bad_options_are_refused);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
