/* what every method must do, whatever its formula
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <suitesparse/SuiteSparse_config.h>

#include "fake.h"

static bool all; /* what make verify asks for */

/* Count the calls of malloc by anybody, SUNDIALS included, but for KLU, which allocates where it chooses pivots. The sanitizers bring their own. */
static size_t nmalloc;
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define EVERYBODYS __attribute__((visibility("default"))) /* else shared libraries would go on with that of the C library */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
EVERYBODYS void *malloc(size_t bytes) {
  nmalloc++;
  return __libc_malloc(bytes);
}
EVERYBODYS void *calloc(size_t n, size_t bytes) {
  nmalloc++;
  return __libc_calloc(n, bytes);
}
static void leave_out_klu(void) {
  struct SuiteSparse_config_struct *its = dlsym(RTLD_DEFAULT, "SuiteSparse_config");
  if (!CHECK(its != NULL)) return;
  its->malloc_func = __libc_malloc;
  its->calloc_func = __libc_calloc;
}
#else
static void leave_out_klu(void) {}
#endif

static tn_ctx *ctx;
enum { MAX_STATE = 64 };
static const double PI2 = 6.283185307179586;

/* those that work on a model, a technique or more data have no fake system: they have tests of their own */
#define FOR_EACH_METHOD(m) \
  for (const tni_integrator_type *const *m = tni_integrator_types; \
       m < tni_integrator_types + tni_integrator_ntype; m++) \
    if (!(*m)->needs_model && !(*m)->needs_technique && !(*m)->needs_data)

/* a tolerance, and for fixed steps a step that gives about 1e-8 on the pendulum */
static tni_integrator_opts options(const tni_integrator_type *m, double tol, double t_end) {
  return (tni_integrator_opts){.rtol = tol, .atol = tol, .t_end = t_end,
                               .h = m->fixed_step ? 0.002 : 0};
}
/* where a method of order 2 needs more steps than a test may take */
static bool too_tight(const tni_integrator_type *m, double tol) {
  return (m->fixed_step && tol < 1e-6) || (m->order == 2 && tol < 0.5e-5);
}
static bool verbose(void) { return getenv("TN_TOL_SCALE") != NULL; }

/* the pendulum of the specification: what the tolerance asks, up to the growth of local errors
 * over ten swings */
static void pendulum_error_follows_the_tolerance(void) {
  FOR_EACH_METHOD(m) {
    for (double tol = 1e-3; tol > 0.5e-10; tol *= 0.1) {
      if (too_tight(*m, tol)) break;
      fake f = fake_pendulum(ctx);
      tni_integrator_opts o = options(*m, tol, 10);
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
      fake_run(ctx, it, 10);
      CHECK_NEAR(it->now.t, 10, 0);
      double err = hypot(it->now.q[0] - pendulum_at_10[0], it->now.q[1] - pendulum_at_10[1]);
      if (verbose()) {
        printf("pendulum %s tol %.0e error %.2e steps %ld rejected %ld accel %ld project %ld\n",
               (*m)->name, tol, err, it->stats.steps, it->stats.rejected, f.s.work.naccel,
               f.s.work.nproject);
      }
      CHECK(err < 100*tol);
      CHECK(it->stats.rejected < it->stats.steps/4 + 5);
      CHECK_NEAR(it->now.q[0]*it->now.q[0] + it->now.q[1]*it->now.q[1], 1, 1e-9);
      CHECK_NEAR(it->now.q[0]*it->now.v[0] + it->now.q[1]*it->now.v[1], 0, 1e-9);
      tni_integrator_destroy(&it);
    }
  }
}

/* a tenth of the tolerance gives about a tenth of the error, over seven decades */
static void error_is_proportional_to_tolerance(void) {
  FOR_EACH_METHOD(m) {
    if ((*m)->fixed_step) continue;
    double least = INFINITY, most = 0;
    for (double tol = 1e-3; tol > 0.5e-10; tol *= 0.1) {
      if (too_tight(*m, tol)) break;
      fake f = fake_oscillator(ctx);
      tni_integrator_opts o = options(*m, tol, 20);
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, oscillator_q0, oscillator_v0);
      fake_run(ctx, it, 20);
      double ratio = hypot(it->now.q[0] - cos(20.0), it->now.v[0] + sin(20.0))/tol;
      if (verbose()) {
        printf("oscillator %s tol %.0e error/tol %.2f steps %ld accel %ld\n", (*m)->name, tol,
               ratio, it->stats.steps, f.s.work.naccel);
      }
      least = fmin(least, ratio);
      most = fmax(most, ratio);
      tni_integrator_destroy(&it);
    }
    CHECK(most < 100);
    CHECK(most < 100*least);
  }
}

/* quadratures follow the exact integrals, between the steps as well */
static void quadratures_are_carried_along(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_oscillator(ctx);
    double end = (*m)->order <= 2 && !all ? PI2/4 : PI2; /* methods of order 2 take 1e4 steps for it */
    tni_integrator_opts o = options(*m, 1e-9, end);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, oscillator_q0, oscillator_v0);
    double z[TNI_NZ];
    while (it->now.t < end) {
      CHECK_OK(ctx, it->type->step(it));
      double t = 0.5*(it->t_old + it->now.t);
      it->type->interpolate(it, t, NULL, NULL, z);
      CHECK_WITHIN(z[0], 0.5*t - 0.25*sin(2*t), 1e-7);
      CHECK_WITHIN(z[1], 0.5*t + 0.25*sin(2*t), 1e-7);
    }
    CHECK_NEAR(it->now.z[0], 0.5*end - 0.25*sin(2*end), 1e-7);
    tni_integrator_destroy(&it);
  }
}

/* but do not steer the steps: the same steps with and without them */
static tn_status silent_accel(tni_data *s, double t, const double *q, const double *v, double *a,
                              double *lambda, double *zdot) {
  TN_TRY(oscillator_accel(s, t, q, v, a, lambda, zdot));
  if (zdot) zdot[0] = zdot[1] = 1e3*cos(50*t);
  return TN_OK;
}
static void quadratures_do_not_steer_the_step(void) {
  FOR_EACH_METHOD(m) {
    double t[2];
    long steps[2];
    for (int k = 0; k < 2; k++) {
      fake f = fake_oscillator(ctx);
      tni_system_ops ops = oscillator_ops;
      if (k) ops.accel = silent_accel;
      f.s.ops = &ops;
      tni_integrator_opts o = options(*m, 1e-7, 10);
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, oscillator_q0, oscillator_v0);
      fake_run(ctx, it, 10);
      t[k] = it->t_old;
      steps[k] = it->stats.steps;
      tni_integrator_destroy(&it);
    }
    CHECK_INT(steps[0], steps[1]);
    CHECK(t[0] == t[1]);
  }
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
  FOR_EACH_METHOD(m) {
    for (int k = 0; k < TNI_COUNT(tol); k++) {
      if (too_tight(*m, tol[k]) && !((*m)->fixed_step && tol[k] >= 1e-8)) break;
      tni_integrator_opts o = options(*m, tol[k], t);
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, body_q0, v0);
      fake_run(ctx, it, t);
      double dx[6];
      tni_difference(&f.s, want, it->now.q, dx);
      for (int i = 0; i < 6; i++) CHECK_NEAR(dx[i], 0, 100*tol[k]);
      tni_integrator_destroy(&it);
    }
  }
}

/* energy and angular momentum in ground axes of a tumbling body */
static void free_body_keeps_energy_and_momentum(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_body(ctx);
    double end = (*m)->order <= 2 ? 4 : 20; /* several turns; methods of order 2 take 1e4 steps for each */
    double tol = (*m)->order <= 2 && !(*m)->fixed_step ? 1e-8 : 1e-10;
    tni_integrator_opts o = options(*m, tol, end);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, body_q0, body_v0);
    double A[9], L[2][3], E[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++) {
      double *w = it->now.v + 3, Iw[3];
      for (int i = 0; i < 3; i++) {
        Iw[i] = f.I[i]*w[i];
        E[pass] += 0.5*w[i]*Iw[i];
      }
      quat_matrix(A, it->now.q + 3);
      mat3_vec(L[pass], A, Iw);
      if (pass == 0) fake_run(ctx, it, end);
    }
    CHECK_NEAR(E[1], E[0], 100*tol);
    for (int i = 0; i < 3; i++) CHECK_NEAR(L[1][i], L[0][i], 100*tol);
    double q[7];
    it->type->interpolate(it, 0.5*(it->t_old + it->now.t), q, NULL, NULL);
    CHECK_NEAR(q[3]*q[3] + q[4]*q[4] + q[5]*q[5] + q[6]*q[6], 1, 1e-15);
    tni_integrator_destroy(&it);
  }
}

/* asking for output between the steps leaves every bit of the run alone */
static void dense_output_does_not_change_steps(void) {
  FOR_EACH_METHOD(m) {
    double q[2][2];
    long steps[2];
    for (int dense = 0; dense < 2; dense++) {
      fake f = fake_pendulum(ctx);
      tni_integrator_opts o = options(*m, 1e-6, 3);
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
      while (it->now.t < 3) {
        double qi[2], vi[2];
        CHECK_OK(ctx, it->type->step(it));
        for (int i = 0; dense && i < 5; i++) {
          it->type->interpolate(it, it->t_old + 0.2*i*(it->now.t - it->t_old), qi, vi, NULL);
        }
      }
      memcpy(q[dense], it->now.q, sizeof(q[dense]));
      steps[dense] = it->stats.steps;
      tni_integrator_destroy(&it);
    }
    CHECK_INT(steps[0], steps[1]);
    CHECK(memcmp(q[0], q[1], sizeof(q[0])) == 0);
  }
}

/* dense output is as good as the steps: distance from a fine run at the same times */
static void dense_output_has_the_error_of_the_steps(void) {
  FOR_EACH_METHOD(m) {
    for (double tol = 1e-4; tol > 0.5e-8; tol *= 1e-2) {
      if ((*m)->order == 2 && too_tight(*m, tol)) break;
      double e = 0.3, q[2], v[2], qi[2], vi[2], at_steps = 0, inside = 0;
      fake f = fake_kepler(ctx);
      tni_integrator_opts o = options(*m, tol, 6);
      kepler_exact(e, 0, q, v);
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, q, v);
      while (it->now.t < 6) {
        CHECK_OK(ctx, it->type->step(it));
        for (int k = 1; k <= 8; k++) {
          double t = k == 8 ? it->now.t : it->t_old + k*(it->now.t - it->t_old)/8;
          double *worst = k == 8 ? &at_steps : &inside;
          it->type->interpolate(it, t, qi, vi, NULL);
          kepler_exact(e, t, q, v);
          for (int i = 0; i < 2; i++) {
            *worst = fmax(*worst, fmax(fabs(qi[i] - q[i]), fabs(vi[i] - v[i])));
          }
        }
      }
      if (verbose()) {
        printf("kepler %s tol %.0e error at steps %.2e inside %.2e\n", (*m)->name, tol, at_steps,
               inside);
      }
      CHECK(inside < 2*at_steps + 10*tol);
      tni_integrator_destroy(&it);
    }
  }
}

/* dense output meets both ends of the step */
static void dense_output_meets_the_ends(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = options(*m, 1e-5, 2);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
    double q_end[2] = {-1, 0}, q[2], v[2];
    while (it->now.t < 2) {
      CHECK_OK(ctx, it->type->step(it));
      it->type->interpolate(it, it->t_old, q, v, NULL);
      for (int i = 0; i < 2; i++) CHECK_WITHIN(q[i], q_end[i], 1e-15);
      it->type->interpolate(it, it->now.t, q, v, NULL);
      CHECK(memcmp(q, it->now.q, sizeof(q)) == 0 && memcmp(v, it->now.v, sizeof(v)) == 0);
      memcpy(q_end, it->now.q, sizeof(q_end));
    }
    tni_integrator_destroy(&it);
  }
}

/* a run continued from a saved state in a fresh integrator gives the same bits */
static void restart_continues_bit_for_bit(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx), g = fake_pendulum(ctx);
    tni_integrator_opts o = options(*m, 1e-7, 5);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0), *again;
    for (double until = 1; until < 4; until += 1) {
      fake_run(ctx, it, until);
      double state[MAX_STATE];
      CHECK(it->type->nstate(it) <= MAX_STATE);
      CHECK_OK(ctx, it->type->save(it, state));
      CHECK_OK(ctx, it->type->create(ctx, &g.s, &o, &again));
      CHECK_OK(ctx, again->type->load(again, state));
      CHECK_OK(ctx, tni_integrator_accel(it));
      CHECK_OK(ctx, tni_integrator_accel(again));
      CHECK(again->now.lambda[0] == it->now.lambda[0] && again->now.a[1] == it->now.a[1]);
      for (int k = 0; k < 40 && it->now.t < 5; k++) {
        double q[2], q2[2];
        CHECK_OK(ctx, it->type->step(it));
        CHECK_OK(ctx, again->type->step(again));
        CHECK(it->now.t == again->now.t && memcmp(it->now.q, again->now.q, 6*sizeof(double)) == 0);
        it->type->interpolate(it, 0.5*(it->t_old + it->now.t), q, NULL, NULL);
        again->type->interpolate(again, 0.5*(it->t_old + it->now.t), q2, NULL, NULL);
        CHECK(memcmp(q, q2, sizeof(q)) == 0);
      }
      tni_integrator_destroy(&again);
    }
    tni_integrator_destroy(&it);
  }
}

/* every number of a saved state is taken up and saved again, each by itself: where two stand for each other, or one is lost, runs go on
 * as if they had another past, which no single continuation may show */
static void states_are_taken_up_number_by_number(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx), g = fake_pendulum(ctx);
    tni_integrator_opts o = options(*m, 1e-7, 5);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0), *again;
    double state[MAX_STATE], other[MAX_STATE], got[MAX_STATE];
    int n = it->type->nstate(it);
    fake_run(ctx, it, 1);
    CHECK_OK(ctx, it->type->save(it, state));
    CHECK_OK(ctx, it->type->create(ctx, &g.s, &o, &again));
    for (int i = -1; i < n; i++) {
      memcpy(other, state, sizeof(other));
      double *x = other + i; /* yes or no, a count, a quantity */
      if (i >= 0) *x = *x == 0 ? 1 : *x == 1 ? 0 : *x == floor(*x) ? *x + 1 : 1.125**x;
      CHECK_OK(ctx, again->type->load(again, other));
      CHECK_OK(ctx, again->type->save(again, got));
      for (int k = 0; k < n; k++)
        if (!CHECK(got[k] == other[k])) printf("  %s: number %d is %g after %g when number %d changes\n", (*m)->name, k, got[k], other[k], i);
    }
    tni_integrator_destroy(&again);
    tni_integrator_destroy(&it);
  }
}

/* The same orbit in other units of length and time, powers of two, so that no digit is lost: the same steps, to the last bit but for what
 * takes powers and roots of odd ones. A formula in which a step stands in the wrong place, or twice, is one of a unit. */
static tn_status any_orbit_accel(tni_data *s, double t, const double *q, const double *v, double *a, double *lambda, double *zdot) {
  TN_TRY(kepler_accel(s, t, q, v, a, lambda, NULL));
  for (int i = 0; i < 2; i++) a[i] *= fake_of(s)->I[0];
  if (zdot) zdot[0] = v[0]*v[0] + v[1]*v[1], zdot[1] = v[0]*q[1];
  return TN_OK;
}
static tn_status any_orbit_tangent(tni_data *s, double t, const double *q, const double *v, const double *a, const double *lambda,
                                   const tni_tangent *o) {
  TN_TRY(kepler_tangent(s, t, q, v, a, lambda, o));
  for (int i = 0; i < 4 && o->f_q; i++) o->f_q[i] *= fake_of(s)->I[0];
  return TN_OK;
}
FAKE_TANGENTS(any_orbit)
static void units_do_not_matter(void) {
  enum { MOST = 4000 };
  static double seen[MOST][5];
  const struct {
    double length, time;
  } unit[] = {{1, 1}, {ldexp(1, -10), 1}, {1, ldexp(1, 12)}, {ldexp(1, 8), ldexp(1, -9)}};
  tni_system_ops ops = kepler_ops;
  ops.accel = any_orbit_accel;
  ops.tangent = any_orbit_tangents;
  ops.project = plain_project;
  for (int steep = 0; steep < 3; steep++) FOR_EACH_METHOD(m) {
    if (steep && (*m)->fixed_step) continue;
    double tol = (*m)->order == 2 && !(*m)->fixed_step ? 1e-5 : 1e-7, q0[2], v0[2], off = 0;
    long rejected = 0;
    int n = 0;
    kepler_exact(steep == 1 ? 0.9 : 0.5, 0, q0, v0);
    for (int k = 0; k < (steep == 2 ? 2 : TNI_COUNT(unit)); k++) {
      double L = unit[k].length, T = unit[k].time, speed = L/T, q[2], v[2], qi[2], vi[2], z[TNI_NZ];
      fake f = fake_kepler(ctx);
      f.s.ops = &ops;
      f.I[0] = L*L*L/(T*T);
      for (int i = 0; i < 2; i++) q[i] = L*q0[i], v[i] = speed*v0[i];
      tni_integrator_opts o = options(*m, tol, 3*T);
      /* one far too long is cut down; chosen by the method, which is not free of the unit of time there */
      o.h = (steep == 0 ? 0.01 : steep == 1 ? 2 : 0)*T;
      o.atol = L*tol;
      o.rtol_v = tol;
      o.atol_v = speed*tol;
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, q, v);
      int i = 0;
      while (it->now.t < 3*T && i < MOST) {
        CHECK_OK(ctx, it->type->step(it));
        double t = it->t_old + 0.25*(it->now.t - it->t_old);
        it->type->interpolate(it, t, qi, vi, z);
        double now[5] = {it->now.t/T, it->now.q[0]/L, it->now.v[1]/speed, qi[1]/L, z[0]*T/(L*L)};
        if (k == 0) memcpy(seen[i], now, sizeof(now));
        for (int j = 0; j < 5; j++) off = fmax(off, fabs(seen[i][j] - now[j]));
        i++;
      }
      if (k == 0) n = i, rejected = it->stats.rejected;
      CHECK_WITHIN(it->now.q[0]/L, seen[n-1][1], 10*tol);
      if (verbose()) printf("units %d %s: %d steps, %ld rejected, off by %.1e\n", k, (*m)->name, i, it->stats.rejected, off);
      /* Newton's method ends within its tolerance: a digit may decide about a step */
      CHECK_WITHIN(i, n, (*m)->needs_tangent ? 2 : 0);
      CHECK_WITHIN(it->stats.rejected, rejected, (*m)->needs_tangent ? 2 : 0);
      tni_integrator_destroy(&it);
    }
    CHECK(n > 10 && n < MOST && (off <= 1e-12 || (*m)->needs_tangent));
  }
}

/* accelerations at the end of a step are those of the state there */
static void accelerations_belong_to_the_state(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = options(*m, 1e-4, 3);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
    while (it->now.t < 3) {
      double a[2], l[1];
      CHECK_OK(ctx, it->type->step(it));
      CHECK_OK(ctx, tni_integrator_accel(it));
      CHECK_OK(ctx, pendulum_accel(&f.s, it->now.t, it->now.q, it->now.v, a, l, NULL));
      CHECK(a[0] == it->now.a[0] && a[1] == it->now.a[1] && l[0] == it->now.lambda[0]);
    }
    tni_integrator_destroy(&it);
  }
}

/* accelerations that fail now and then cost smaller steps, not the run */
static void failing_accelerations_are_survived(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx);
    bool second_order = (*m)->order <= 2 && !(*m)->fixed_step;
    tni_integrator_opts o = options(*m, second_order ? 1e-6 : 1e-8, 10);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
    f.fail_every = 97;
    fake_run(ctx, it, 10);
    CHECK(it->stats.nonconverged > 5 && it->stats.nonconverged <= it->stats.rejected);
    CHECK_NEAR(it->now.q[0], pendulum_at_10[0], second_order ? 1e-4 : 1e-5);
    CHECK_NEAR(it->now.q[1], pendulum_at_10[1], second_order ? 1e-4 : 1e-5);
    tni_integrator_destroy(&it);
  }
}

/* a projection that fails now and then as well */
static int project_calls;
static tn_status shaky_project(tni_data *s, double t, double *q, double *v,
                               const tni_project_opts *o, tni_project_report *report) {
  TN_TRY(pendulum_project(s, t, q, v, o, report));
  if (++project_calls % 23) return TN_OK;
  q[0] = q[1] = v[0] = v[1] = 1e300;
  return TN_NOT_CONVERGED;
}
static void failing_projections_are_survived(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx);
    tni_system_ops ops = pendulum_ops;
    ops.project = shaky_project;
    f.s.ops = &ops;
    tni_integrator_opts o = options(*m, 1e-6, 10);
    if ((*m)->fixed_step) o.h = 0.02;
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
    fake_run(ctx, it, 10);
    CHECK(it->stats.nonconverged > 3);
    CHECK_WITHIN(it->now.q[0], pendulum_at_10[0], 1e-3);
    CHECK_WITHIN(it->now.q[1], pendulum_at_10[1], 1e-3);
    tni_integrator_destroy(&it);
  }
}

/* a wall in time ends the run with the time, the step and the name; the state stays where it was */
static void no_progress_names_the_cause(void) {
  static const char *const want[] = {"matrix singular", "'mass.v0' is not finite", "'rod.row0'"};
  FOR_EACH_METHOD(m) {
    for (int fault = 0; fault < TNI_COUNT(want); fault++) {
      fake f = fake_pendulum(ctx);
      tni_integrator_opts o = options(*m, 1e-6, 3);
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
      if (fault == 0) f.fail_from = 1.5;
      if (fault == 1) f.nan_from = 1.5;
      if (fault == 2) f.stuck_from = 1.5;
      tn_status st = TN_OK;
      double t = 0, y[6];
      while (st == TN_OK && it->now.t < 3) {
        t = it->now.t;
        memcpy(y, it->now.q, sizeof(y));
        st = it->type->step(it);
      }
      CHECK(st == TN_NO_PROGRESS);
      CHECK(it->now.t == t && memcmp(y, it->now.q, sizeof(y)) == 0);
      CHECK(it->now.t < 1.5 && it->now.t > 1.5 - 1e-8);
      CHECK(it->stats.nonconverged > 5);
      if (!CHECK(strstr(tn_ctx_message(ctx), want[fault]) != NULL)) puts(tn_ctx_message(ctx));
      if (!CHECK(strstr(tn_ctx_message(ctx), "t = 1.5 s") != NULL)) puts(tn_ctx_message(ctx));
      double q[2];
      it->type->interpolate(it, it->now.t, q, NULL, NULL);
      CHECK(q[0] == y[0] && q[1] == y[1]);
      tni_integrator_destroy(&it);
    }
  }
}

/* a step that the tolerance forbids is refused with the component that forbids it */
static void error_below_hmin_names_the_component(void) {
  FOR_EACH_METHOD(m) {
    if ((*m)->fixed_step) continue;
    fake f = fake_kepler(ctx);
    double q[2], v[2];
    kepler_exact(0.9, 0, q, v);
    tni_integrator_opts o = options(*m, 1e-12, 10);
    o.h = o.hmin = 0.05;
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, q, v);
    CHECK(it->type->step(it) == TN_NO_PROGRESS);
    if (!CHECK(strstr(tn_ctx_message(ctx), "largest error in 'mass.v") != NULL)) {
      puts(tn_ctx_message(ctx));
    }
    CHECK(it->now.t == 0 && it->now.q[0] == q[0] && it->stats.rejected > 0);
    tni_integrator_destroy(&it);
  }
}

/* a failure of the system that is not an outcome ends the step at once */
static tn_status broken_accel(tni_data *s, double t, const double *q, const double *v, double *a,
                              double *lambda, double *zdot) {
  TN_TRY(pendulum_accel(s, t, q, v, a, lambda, zdot));
  return t > 1 ? TN_FAIL(s->ctx, TN_ERR_INTERNAL, "broken") : TN_OK;
}
static void failures_pass_through(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx);
    tni_system_ops ops = pendulum_ops;
    ops.accel = broken_accel;
    f.s.ops = &ops;
    tni_integrator_opts o = options(*m, 1e-6, 3);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
    tn_status st = TN_OK;
    while (st == TN_OK && it->now.t < 3) st = it->type->step(it);
    CHECK(st == TN_ERR_INTERNAL);
    CHECK_TEXT(tn_ctx_message(ctx), "broken");
    tni_integrator_destroy(&it);
  }
}

/* the run lands on the end, and the proposal remembers the step that was wanted */
static void last_step_lands_on_the_end(void) {
  FOR_EACH_METHOD(m) {
    for (double t_end = 0.7; t_end < 3; t_end += (*m)->order <= 2 && !all ? 0.1113 : 0.0371) {
      fake f = fake_oscillator(ctx);
      tni_integrator_opts o = options(*m, 1e-6, t_end);
      tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, oscillator_q0, oscillator_v0);
      double before = 0;
      while (it->now.t < t_end) {
        before = it->stats.h_next;
        CHECK_OK(ctx, it->type->step(it));
      }
      CHECK(it->now.t == t_end);
      CHECK(it->stats.h_next > 0.4*before);
      CHECK(it->type->step(it) == TN_ERR_ARGUMENT);
      tni_integrator_destroy(&it);
    }
  }
}

/* a run may be started again, as after an event, in the same integrator */
static void start_forgets_history(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = options(*m, 1e-6, 3);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
    double q[2][2];
    for (int pass = 0; pass < 2; pass++) {
      if (pass) CHECK_OK(ctx, it->type->start(it, 0, pendulum_q0, pendulum_v0, fake_z0));
      fake_run(ctx, it, 3);
      memcpy(q[pass], it->now.q, sizeof(q[pass]));
    }
    CHECK(memcmp(q[0], q[1], sizeof(q[0])) == 0);
    tni_integrator_destroy(&it);
  }
}

/* steps, restarts and dense output allocate nothing, neither here nor in a library below */
static void nothing_is_allocated_after_create(void) {
  FOR_EACH_METHOD(m) {
    fake f = fake_pendulum(ctx);
    tni_integrator_opts o = options(*m, 1e-6, 3);
    tni_integrator *it = fake_start(ctx, (*m)->name, &f, &o, pendulum_q0, pendulum_v0);
    double q[2], v[2], z[TNI_NZ], state[MAX_STATE];
    CHECK_OK(ctx, it->type->step(it)); /* CVODE completes its workspace in the first */
    size_t before = tn_ctx_allocations(ctx), before_all = nmalloc;
    tn_status st = TN_OK;
    while (st == TN_OK && it->now.t < 3) {
      st = it->type->step(it);
      it->type->interpolate(it, 0.5*(it->now.t + it->t_old), q, v, z);
      if (it->stats.steps % 20 == 0) st = it->type->save(it, state);
    }
    size_t after = tn_ctx_allocations(ctx), after_all = nmalloc;
    CHECK(st == TN_OK);
    CHECK_INT(after, before);
    CHECK_INT(after_all, before_all);
    tni_integrator_destroy(&it);
  }
}

/* a create that runs out of memory at any allocation gives everything back */
static int live, countdown;
static void *failing_alloc(void *user, size_t bytes) {
  (void)user;
  if (--countdown < 0) return NULL;
  live++;
  return malloc(bytes);
}
static void counting_release(void *user, void *ptr) {
  (void)user;
  live -= ptr != NULL;
  free(ptr);
}
static void allocation_failure_leaks_nothing(void) {
  tn_ctx_opts co = {.alloc = failing_alloc, .release = counting_release};
  FOR_EACH_METHOD(m) {
    tn_status st = TN_ERR_MEMORY;
    for (int k = 1; st != TN_OK && k < 100; k++) {
      tn_ctx *c;
      tni_integrator *it = NULL;
      countdown = k;
      live = 0;
      CHECK(tn_ctx_create(&co, &c) == TN_OK);
      fake f = fake_pendulum(c);
      tni_integrator_opts o = options(*m, 1e-6, 3);
      st = (*m)->create(c, &f.s, &o, &it);
      CHECK(st == TN_OK || (st == TN_ERR_MEMORY && it == NULL));
      tni_integrator_destroy(&it);
      tn_ctx_destroy(&c);
      CHECK_INT(live, 0);
    }
    CHECK(st == TN_OK);
  }
}

/* wrong options are refused with the value */
static void bad_options_are_refused(void) {
  fake f = fake_oscillator(ctx);
  tni_integrator *it;
  FOR_EACH_METHOD(m) {
    tni_integrator_opts good = options(*m, 1e-6, 1), bad[] = {good, good, good};
    bad[0].t_end = NAN;
    bad[1].hmin = 2;
    bad[1].hmax = 1;
    if ((*m)->fixed_step) bad[2].h = 0;
    else bad[2].rtol = -1;
    for (int k = 0; k < TNI_COUNT(bad); k++) {
      CHECK((*m)->create(ctx, &f.s, &bad[k], &it) == TN_ERR_ARGUMENT);
      CHECK(it == NULL && strstr(tn_ctx_message(ctx), (*m)->name) != NULL);
    }
    tni_integrator_opts few = options(*m, 1e-6, 100);
    few.max_steps = 3;
    it = fake_start(ctx, (*m)->name, &f, &few, oscillator_q0, oscillator_v0);
    for (int i = 0; i < 3; i++) CHECK_OK(ctx, it->type->step(it));
    CHECK(it->type->step(it) == TN_NO_PROGRESS);
    tni_integrator_destroy(&it);
  }
  CHECK(tni_integrator_find("rk7") == NULL);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(pendulum_error_follows_the_tolerance);
  RUN(error_is_proportional_to_tolerance);
  RUN(quadratures_are_carried_along);
  RUN(quadratures_do_not_steer_the_step);
  RUN(top_orientation_is_exact_to_tolerance);
  RUN(free_body_keeps_energy_and_momentum);
  RUN(dense_output_does_not_change_steps);
  RUN(dense_output_has_the_error_of_the_steps);
  RUN(dense_output_meets_the_ends);
  RUN(restart_continues_bit_for_bit);
  RUN(states_are_taken_up_number_by_number);
  RUN(units_do_not_matter);
  RUN(accelerations_belong_to_the_state);
  RUN(failing_accelerations_are_survived);
  RUN(failing_projections_are_survived);
  RUN(no_progress_names_the_cause);
  RUN(error_below_hmin_names_the_component);
  RUN(failures_pass_through);
  RUN(last_step_lands_on_the_end);
  RUN(start_forgets_history);
  leave_out_klu();
  RUN(nothing_is_allocated_after_create);
  RUN(allocation_failure_leaks_nothing);
  RUN(bad_options_are_refused);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
