/* unit test of integrators/quadrature.c: integrals of known rates, their errors, at ends and inside of steps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/quadrature.h"

#include "fake.h"

static tn_ctx *ctx;

/* rates and their integrals from 0: polynomials of a degree in t, both different */
static int degree;
static double rate_of(int j, double t) {
  double sum = 0;
  for (int k = degree; k >= 0; k--) sum = sum*t + (j ? 1.3 - 0.7*k : 0.4 + k);
  return sum;
}
static double integral_of(int j, double t) {
  double sum = 0;
  for (int k = degree; k >= 0; k--) sum = sum*t + (j ? 1.3 - 0.7*k : 0.4 + k)/(k + 1);
  return sum*t;
}

/* the polynomial through n points of the rate, integrated from a to b by many panels: nothing of quadrature.c in it */
static double through(int j, int n, const double *t, double a, double b) {
  enum { PANELS = 2000 };
  double sum = 0;
  for (int p = 0; p < PANELS; p++) {
    double x = a + (b - a)*(p + 0.5)/PANELS, y = 0;
    for (int i = 0; i < n; i++) {
      double f = rate_of(j, t[i]);
      for (int k = 0; k < n; k++)
        if (k != i) f *= (x - t[k])/(t[i] - t[k]);
      y += f;
    }
    sum += y*(b - a)/PANELS;
  }
  return sum;
}

static void rates(double t, double *z) {
  for (int j = 0; j < TNI_NZ; j++) z[j] = rate_of(j, t);
}

/* A step after n points of the past at unequal distances: a polynomial through the end and at most three of them, cubics exactly; the error is what one
 * point more changes, or the last one did; what is booked are rates of either sign. Then the same inside. */
static void ends_of_steps_give_polynomials(void) {
  static const double past[] = {1.0, 0.8, 0.55, 0.31}, end = 1.27, z0[TNI_NZ] = {3, -5};
  for (degree = 0; degree <= 4; degree++)
    for (int n = 1; n <= 4; n++) {
      tni_quadrature w = {0};
      static tni_quadrature_inside in;
      tni_integrator it = {.t_old = 1, .opts = {.equal_steps = true, .rtol = 1e-6}};
      double z[TNI_NZ], at[5] = {end}, rate1[TNI_NZ], booked = 0, now = 0;
      in = (tni_quadrature_inside){0};
      it.now.t = end;
      it.now.z = z;
      for (int i = n - 1; i >= 0; i--) {
        double r[TNI_NZ];
        rates(past[i], r);
        tni_quadrature_push(&w, past[i], r);
      }
      CHECK_INT(w.n, n);
      for (int i = 0; i < n; i++) at[1 + i] = past[i];
      rates(end, rate1);
      tni_quadrature_book(&w, &in, &it, rate1, z0);
      CHECK_INT(in.panels, 0);
      int count = n + 1 < 4 ? n + 1 : 4;
      for (int j = 0; j < TNI_NZ; j++) {
        double want = through(j, count, at, 1, end), more = through(j, n + 1, at, 1, end), less = through(j, n, at, 1, end);
        CHECK_WITHIN(z[j], z0[j] + want, 1e-6);
        CHECK_WITHIN(w.off[j], more - less, 1e-6);
        if (degree < count) CHECK_WITHIN(z[j] - z0[j], integral_of(j, end) - integral_of(j, 1), 1e-13);
        booked += 0.5*(end - 1)*(fabs(rate_of(j, 1)) + fabs(rate1[j]));
        now += fabs(more - less);
      }
      CHECK_NEAR(w.booked, booked, 1e-14);
      CHECK_WITHIN(w.last_off, now, 1e-6);
      double between[TNI_NZ];
      tni_quadrature_between(&w, &in, &it, rate1, z0, 1.1, between);
      for (int j = 0; j < TNI_NZ; j++) CHECK_WITHIN(between[j], z0[j] + through(j, count, at, 1, 1.1), 1e-6);
      /* errors add up with their signs; that of the next step counts half of this one at least */
      double off[TNI_NZ], last = w.last_off;
      memcpy(off, w.off, sizeof(off));
      double none[TNI_NZ] = {0};
      tni_quadrature same = {.n = 1, .t = {1}, .booked = w.booked, .off = {off[0], off[1]}, .last_off = last};
      tni_quadrature_book(&same, &in, &it, none, z0);
      for (int j = 0; j < TNI_NZ; j++) CHECK_WITHIN(same.off[j], off[j], 1e-15);
      CHECK_NEAR(same.last_off, 0.5*last, 1e-14);
    }
}

/* points of the past that are much closer together than the step is long say nothing about it */
static void points_close_together_are_left_out(void) {
  static const double z0[TNI_NZ] = {0, 0};
  degree = 4;
  for (int far = 0; far < 2; far++) {
    double h = 0.5, at[3] = {1 + h, 1, 1 - (far ? 0.31 : 0.29)*h}, z[TNI_NZ], r[TNI_NZ];
    tni_quadrature w = {0};
    static tni_quadrature_inside in;
    tni_integrator it = {.t_old = 1, .opts = {.equal_steps = true, .rtol = 1e-6}};
    it.now.t = at[0];
    it.now.z = z;
    for (int i = 2; i >= 1; i--) {
      rates(at[i], r);
      tni_quadrature_push(&w, at[i], r);
    }
    rates(at[0], r);
    tni_quadrature_book(&w, &in, &it, r, z0);
    for (int j = 0; j < TNI_NZ; j++) CHECK_WITHIN(z[j], through(j, far ? 3 : 2, at, 1, at[0]), 1e-6);
  }
}

/* ---- inside ---------------------------------------------------------------------------------------------------- */

static double fast; /* of waves; < 0: a polynomial */
static double wave(int j, double t) { return fast < 0 ? rate_of(j, t) : 2 + cos(fast*t + j); }
static double wave_integral(int j, double a, double b) {
  return fast < 0 ? integral_of(j, b) - integral_of(j, a) : 2*(b - a) + (sin(fast*b + j) - sin(fast*a + j))/fast;
}
static tn_status waving(tni_data *s, double t, const double *q, const double *v, double *a, double *lambda, double *zdot) {
  TN_TRY(oscillator_accel(s, t, q, v, a, lambda, zdot));
  for (int j = 0; j < TNI_NZ && zdot; j++) zdot[j] = wave(j, t);
  return TN_OK;
}

/* a step of the oscillator that is looked into: its work is the integral of the rates, to what is allowed, at its end and on the way. Collocation gives it
 * by its own points, and polynomials of their degree exactly. */
static void steps_looked_into_give_integrals(void) {
  static const double node[] = {0.1550510257216822, 0.6449489742783178, 1}, weight[] = {0.3764030627004673, 0.5124858261884216, 0.1111111111111111};
  static const tni_collocation radau = {3, node, weight};
  static const double z0[TNI_NZ] = {7, -2}, speed[] = {-1, 5, 40, 80};
  fake f = fake_oscillator(ctx);
  tni_system_ops ops = oscillator_ops;
  static tni_quadrature_inside in;
  ops.accel = waving;
  f.s.ops = &ops;
  tni_integrator_opts o = {.rtol = 1e-3, .atol = 1e-3, .t_end = 10};
  degree = 4;
  fast = 1;
  tni_integrator *it = fake_start(ctx, "rk45", &f, &o, oscillator_q0, oscillator_v0);
  tni_arena arena;
  tni_arena_init(&arena, ctx);
  for (int k = 0; k < 3; k++) CHECK_OK(ctx, it->type->step(it));
  double a = it->t_old, b = it->now.t, h = b - a, stiff[1] = {0};
  CHECK(h > 0.1);
  CHECK_OK(ctx, tni_quadrature_create(&arena, &f.s, &in));
  for (int points = 0; points < 2; points++)
    for (int k = 0; k < TNI_COUNT(speed); k++) {
      double r0[TNI_NZ], r1[TNI_NZ], z[TNI_NZ];
      fast = speed[k];
      if (points) degree = 2;
      if (points && k) continue;
      for (int j = 0; j < TNI_NZ; j++) r0[j] = wave(j, a), r1[j] = wave(j, b);
      in.points = points ? &radau : NULL;
      in.stiff = stiff;
      in.hidden = 1;
      CHECK(tni_quadrature_look(&in, it, r0, r1, z0, 1e-8));
      CHECK(in.at_points == (points == 1));
      if (!points && !CHECK(in.panels >= 4 && (k > 0 || in.panels <= 8) && in.panels <= TNI_QUADRATURE_PANELS)) printf("  speed %g: %d panels, step %g\n", fast, in.panels, h);
      for (int i = 0; i <= 10; i++) {
        double t = i == 10 ? b : a + 0.1*i*h;
        tni_quadrature_seen(&in, it, z0, t, z);
        for (int j = 0; j < TNI_NZ; j++) CHECK_WITHIN(z[j], z0[j] + wave_integral(j, a, t), fast < 0 ? 1e-13 : i == 10 ? 1e-8 : 1e-6);
      }
      CHECK(z[0] == in.z1[0] || fabs(z[0] - in.z1[0]) < 1e-14);
    }
  /* what is booked looks into the step where rates at ends do not tell, from the rate at its beginning, also where that of its middle is known; errors of
   * earlier steps that it would take away are no reason to look, those that add up are */
  in.points = NULL;
  fast = 40;
  for (int middle = 0; middle < 2; middle++) {
    tni_quadrature w = {0};
    double r[TNI_NZ], at[4] = {a - 0.4, a - 0.2, a, a + 0.5*h};
    for (int i = 0; i < 3 + middle; i++) {
      for (int j = 0; j < TNI_NZ; j++) r[j] = wave(j, at[i]);
      tni_quadrature_push(&w, at[i], r);
    }
    for (int j = 0; j < TNI_NZ; j++) r[j] = wave(j, b);
    tni_quadrature_book(&w, &in, it, r, z0);
    CHECK(in.panels > 0);
    for (int j = 0; j < TNI_NZ; j++) CHECK_WITHIN(it->now.z[j], z0[j] + wave_integral(j, a, b), 0.1*1e-4*w.booked);
    CHECK(w.off[0] == 0 && w.off[1] == 0);
  }
  fast = -1;
  degree = 4;
  for (int sign = -1; sign <= 1; sign += 2) {
    double r[TNI_NZ], off[TNI_NZ], booked = 1;
    for (int looked = 0; looked < 2; looked++) { /* first what the error is, then a share that lies between */
      tni_quadrature w = {.booked = booked};
      it->opts.equal_steps = !looked;
      for (int i = 3; i >= 0; i--) {
        rates(a - 0.1*i, r);
        tni_quadrature_push(&w, a - 0.1*i, r);
      }
      rates(b, r);
      for (int j = 0; j < TNI_NZ && looked; j++) w.off[j] = 3*sign*off[j];
      tni_quadrature_book(&w, &in, it, r, z0);
      if (looked) CHECK_INT(in.panels > 0, sign > 0);
      memcpy(off, w.off, sizeof(off));
      booked = (fabs(off[0]) + fabs(off[1]))*4/1e-4 - (w.booked - 1);
    }
  }
  tni_integrator_destroy(&it);
  tni_arena_clear(&arena);
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(ends_of_steps_give_polynomials);
  RUN(points_close_together_are_left_out);
  RUN(steps_looked_into_give_integrals);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
