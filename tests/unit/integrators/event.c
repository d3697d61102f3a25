/* sign changes of switching functions on dense output
 * SPDX-License-Identifier: BSD-3-Clause */
#include "integrators/event.h"

#include "fake.h"

static tn_ctx *ctx;
static const double PI = 3.141592653589793;

enum { MAX_G = 4 };
/* g_k = weight_q q + weight_v v + offset + weight_t t */
typedef struct {
  int n;
  double q[MAX_G], v[MAX_G], offset[MAX_G], t[MAX_G];
} linear;

static void linear_fn(void *user, double t, const double *q, const double *v, double *g) {
  const linear *l = user;
  for (int k = 0; k < l->n; k++) g[k] = l->q[k]*q[0] + l->v[k]*v[0] + l->offset[k] + l->t[k]*t;
}

typedef struct {
  double t[100];
  int index[100], n;
} log_of;

/* run the oscillator, start again at every event as an analysis does; nudge shifts the restarted
 * state back in time to play the part of projection and rounding */
static log_of run(const char *method, linear *l, double tol, double h, double t_end, double nudge) {
  fake f = fake_oscillator(ctx);
  tni_integrator_opts o = {.rtol = tol, .atol = tol, .h = h, .t_end = t_end};
  tni_integrator *it = fake_start(ctx, method, &f, &o, oscillator_q0, oscillator_v0);
  tni_event_finder *e;
  log_of log = {.n = 0};
  CHECK_OK(ctx, tni_event_create(ctx, &f.s, l->n, linear_fn, l, &e));
  tni_event_start(e, 0, oscillator_q0, oscillator_v0);
  while (it->t < t_end && log.n < 100) {
    CHECK_OK(ctx, it->type->step(it));
    if (!tni_event_find(e, it)) continue;
    CHECK(e->t > it->t_old && e->t <= it->t);
    log.t[log.n] = e->t;
    log.index[log.n++] = e->index;
    double q[1], v[1], z[TNI_NZ];
    it->type->interpolate(it, e->t, q, v, z);
    q[0] -= nudge*v[0];
    v[0] += nudge*q[0];
    double t = e->t;
    CHECK_OK(ctx, it->type->start(it, t, q, v, z));
    tni_event_restart(e, t, q, v);
  }
  tni_event_destroy(&e);
  tni_integrator_destroy(&it);
  return log;
}

/* zeros of cos and sin at their times, in order, each once, for every method */
static void zeros_are_found_once_and_in_order(void) {
  for (int m = 0; m < tni_integrator_ntype; m++) {
    if (tni_integrator_types[m]->needs_model) continue;
    if (tni_integrator_types[m]->needs_technique) continue;
    linear l = {.n = 2, .q = {1, 0}, .v = {0, 1}};
    double h = tni_integrator_types[m]->fixed_step ? 0.01 : 0;
    log_of log = run(tni_integrator_types[m]->name, &l, 1e-10, h, 20, 0);
    CHECK_INT(log.n, 12);
    for (int k = 0; k < log.n; k++) {
      CHECK_NEAR(log.t[k], (k + 1)*PI/2, 1e-8);
      CHECK_INT(log.index[k], k % 2);
    }
  }
}

/* location is exact on the dense output: two functions with the same zero at different slopes */
static void location_does_not_depend_on_the_scale_of_the_function(void) {
  double t[3];
  for (int k = 0; k < 3; k++) {
    linear l = {.n = 1, .q = {k == 0 ? 1 : k == 1 ? 1e6 : -1e-6}};
    t[k] = run("rk45", &l, 1e-6, 0, 2, 0).t[0];
  }
  CHECK_NEAR(t[1], t[0], 1e-12);
  CHECK_NEAR(t[2], t[0], 1e-12);
}

/* a state that falls back a hair behind the zero does not report the same crossing again */
static void crossing_is_not_reported_twice(void) {
  static const double nudge[] = {0, 1e-13, 1e-10, -1e-10, 1e-8};
  for (int k = 0; k < TNI_COUNT(nudge); k++) {
    linear l = {.n = 2, .q = {1, 0}, .v = {0, 1}};
    log_of log = run("rk45", &l, 1e-8, 0, 20, nudge[k]);
    CHECK_INT(log.n, 12);
  }
}

/* zero at the start has no side: sin(0) is no event, and cos has none before pi/2 */
static void zero_at_the_start_is_no_event(void) {
  linear l = {.n = 1, .v = {1}};
  log_of log = run("rk45", &l, 1e-8, 0, 4, 0);
  CHECK_INT(log.n, 1);
  CHECK_NEAR(log.t[0], PI, 1e-6);
}

/* two zeros between neighbouring samples of one large step */
static void short_visits_beyond_zero_are_seen(void) {
  /* steps of 0.7 are wrong by 1e-2, so the depth is larger than that */
  for (double depth = 0.1; depth > 0.02; depth *= 0.5) {
    linear l = {.n = 1, .q = {1}, .offset = {1 - depth}};
    log_of log = run("rk4", &l, 1e-8, 0.7, 6, 0);
    CHECK_INT(log.n, 2);
    CHECK(log.t[0] < PI + 0.1 && log.t[1] > PI - 0.1 && log.t[1] < PI + 0.6);
  }
  /* with an accurate orbit the visit is seen down to a thousandth of a sample */
  for (double depth = 1e-2; depth > 1e-7; depth *= 0.1) {
    linear l = {.n = 1, .q = {1}, .offset = {1 - depth}};
    log_of log = run("rk45", &l, 1e-11, 0, 6, 0);
    CHECK_INT(log.n, 2);
    CHECK_NEAR(log.t[0], PI - acos(1 - depth), 1e-5);
    CHECK_NEAR(log.t[1], PI + acos(1 - depth), 1e-5);
  }
  /* and a function that only comes near is left alone */
  linear l = {.n = 1, .q = {1}, .offset = {1 + 1e-6}};
  CHECK_INT(run("rk45", &l, 1e-11, 0, 20, 0).n, 0);
}

/* of several in one step the first is reported, equal ones together */
static void first_of_several_is_reported(void) {
  fake f = fake_oscillator(ctx);
  tni_integrator_opts o = {.h = 0.5, .t_end = 0.5};
  linear l = {.n = 4, .t = {1, 1, -3, 1}, .offset = {-0.4, -0.1, 0.3, 1}};
  tni_integrator *it = fake_start(ctx, "rk4", &f, &o, oscillator_q0, oscillator_v0);
  tni_event_finder *e;
  CHECK_OK(ctx, tni_event_create(ctx, &f.s, 4, linear_fn, &l, &e));
  tni_event_start(e, 0, oscillator_q0, oscillator_v0);
  CHECK_OK(ctx, it->type->step(it));
  CHECK(tni_event_find(e, it));
  CHECK_NEAR(e->t, 0.1, 1e-12);
  CHECK(e->index == 1 || e->index == 2);
  CHECK(!e->fired[0] && e->fired[e->index] && !e->fired[3]);
  /* same step again: the next one */
  CHECK(tni_event_find(e, it));
  if (e->t < 0.2) CHECK(tni_event_find(e, it)); /* the twin, if rounding parted them */
  CHECK_NEAR(e->t, 0.4, 1e-12);
  CHECK_INT(e->index, 0);
  CHECK(!tni_event_find(e, it));
  tni_event_destroy(&e);
  tni_integrator_destroy(&it);
}

/* when switching gives a function a new meaning its new sign counts */
static void new_meaning_sets_the_side(void) {
  fake f = fake_oscillator(ctx);
  tni_integrator_opts o = {.rtol = 1e-9, .atol = 1e-9, .t_end = 6};
  linear l = {.n = 1, .q = {1}};
  tni_integrator *it = fake_start(ctx, "rk45", &f, &o, oscillator_q0, oscillator_v0);
  tni_event_finder *e;
  CHECK_OK(ctx, tni_event_create(ctx, &f.s, 1, linear_fn, &l, &e));
  tni_event_start(e, 0, oscillator_q0, oscillator_v0);
  int n = 0;
  double t[8] = {0};
  while (it->t < 6 && n < 8) {
    CHECK_OK(ctx, it->type->step(it));
    if (!tni_event_find(e, it)) continue;
    double q[1], v[1];
    t[n++] = e->t;
    it->type->interpolate(it, e->t, q, v, NULL);
    CHECK_OK(ctx, it->type->start(it, e->t, q, v, fake_z0));
    /* from now on q + v = cos t - sin t: -1 at pi/2, zero at 5/4 pi */
    l = (linear){.n = 1, .q = {1}, .v = {1}};
    tni_event_restart(e, it->t, q, v);
  }
  CHECK_INT(n, 2);
  CHECK_NEAR(t[0], PI/2, 1e-7);
  CHECK_NEAR(t[1], 5*PI/4, 1e-7);
  tni_event_destroy(&e);
  tni_integrator_destroy(&it);
}

/* no functions, no work; and nothing is allocated while looking */
static void finding_is_cheap(void) {
  fake f = fake_oscillator(ctx);
  tni_integrator_opts o = {.rtol = 1e-6, .atol = 1e-6, .t_end = 20};
  linear l = {.n = 1, .q = {1}};
  tni_integrator *it = fake_start(ctx, "rk45", &f, &o, oscillator_q0, oscillator_v0);
  tni_event_finder *e, *none;
  CHECK_OK(ctx, tni_event_create(ctx, &f.s, 0, NULL, NULL, &none));
  tni_event_start(none, 0, oscillator_q0, oscillator_v0);
  CHECK_OK(ctx, tni_event_create(ctx, &f.s, 1, linear_fn, &l, &e));
  tni_event_start(e, 0, oscillator_q0, oscillator_v0);
  size_t before = tn_ctx_allocations(ctx);
  int n = 0;
  while (it->t < 20) {
    CHECK_OK(ctx, it->type->step(it));
    CHECK(!tni_event_find(none, it));
    n += tni_event_find(e, it);
  }
  CHECK_INT(tn_ctx_allocations(ctx), before);
  CHECK_INT(n, 6);
  CHECK(e->nevaluate < 5*it->stats.steps + 12*n);
  tni_event_destroy(&e);
  tni_event_destroy(&none);
  tni_integrator_destroy(&it);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(zeros_are_found_once_and_in_order);
  RUN(location_does_not_depend_on_the_scale_of_the_function);
  RUN(crossing_is_not_reported_twice);
  RUN(zero_at_the_start_is_no_event);
  RUN(short_visits_beyond_zero_are_seen);
  RUN(first_of_several_is_reported);
  RUN(new_meaning_sets_the_side);
  RUN(finding_is_cheap);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
