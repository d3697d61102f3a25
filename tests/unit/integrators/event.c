/* where switching functions become negative on dense output
 * SPDX-License-Identifier: BSD-3-Clause */
#include "integrators/event.h"

#include "fake.h"

static tn_ctx *ctx;
static const double PI = 3.141592653589793;

enum { MAX_G = 4 };
/* g_k = sign (weight_q q + weight_v v + offset + weight_t t); sign is the memory: +1 or -1, so that g > 0
 * while it is right */
typedef struct {
  int n;
  double q[MAX_G], v[MAX_G], offset[MAX_G], t[MAX_G], sign[MAX_G];
} linear;

static double linear_fn(void *user, double t, const double *q, const double *v, double *g) {
  const linear *l = user;
  for (int k = 0; k < l->n; k++)
    g[k] = l->sign[k]*(l->q[k]*q[0] + l->v[k]*v[0] + l->offset[k] + l->t[k]*t);
  return 0;
}

/* as an analysis does: whatever is negative changes its mode; at the start every mode is set */
static void commit(linear *l, double t, const double *q, const double *v) {
  double g[MAX_G];
  for (int k = 0; k < l->n; k++) l->sign[k] = l->sign[k] == 0 ? 1 : l->sign[k];
  linear_fn(l, t, q, v, g);
  for (int k = 0; k < l->n; k++)
    if (g[k] < 0) l->sign[k] = -l->sign[k];
}

typedef struct {
  double t[100];
  int index[100], n;
} log_of;

/* projection that takes the state a hair back in time: what was beyond the zero is before it again */
static double back;
static tn_status draw_back(tni_data *s, double t, double *q, double *v, const tni_project_opts *o,
                           tni_project_report *r) {
  (void)s, (void)t, (void)o, (void)r;
  double q0 = q[0];
  q[0] -= back*v[0];
  v[0] += back*q0;
  return TN_OK;
}

/* Run the oscillator, start again at every event as an analysis does. */
static log_of run(const char *method, linear *l, double tol, double h, double t_end, double nudge) {
  fake f = fake_oscillator(ctx);
  tni_system_ops ops = *f.s.ops;
  tni_integrator_opts o = {.rtol = tol, .atol = tol, .h = h, .t_end = t_end};
  tni_integrator *it = fake_start(ctx, method, &f, &o, oscillator_q0, oscillator_v0);
  tni_event_finder *e;
  log_of log = {.n = 0};
  commit(l, 0, oscillator_q0, oscillator_v0);
  CHECK_OK(ctx, tni_event_create(ctx, f.s.nq, f.s.nv, l->n, linear_fn, l, &e));
  CHECK_INT(tni_event_start(e, 0, oscillator_q0, oscillator_v0), -1);
  while (it->now.t < t_end && log.n < 100) {
    bool found;
    double g[MAX_G];
    CHECK_OK(ctx, it->type->step(it));
    back = nudge;
    if (nudge != 0) {
      ops.project = draw_back;
      f.s.ops = &ops;
    }
    CHECK_OK(ctx, tni_event_find(e, it, &found));
    back = 0;
    if (!found) {
      CHECK_INT(tni_event_start(e, it->now.t, it->now.q, it->now.v), -1);
      continue;
    }
    CHECK(e->found.t > it->t_old && e->found.t <= it->now.t);
    /* the state that goes on is the one that was judged */
    linear_fn(l, e->found.t, e->found.q, e->found.v, g);
    CHECK(g[e->index] < 0);
    log.t[log.n] = e->found.t;
    log.index[log.n++] = e->index;
    commit(l, e->found.t, e->found.q, e->found.v);
    CHECK_INT(tni_event_start(e, e->found.t, e->found.q, e->found.v), -1);
    CHECK_OK(ctx, it->type->start(it, e->found.t, e->found.q, e->found.v, e->found.z));
  }
  tni_event_destroy(&e);
  tni_integrator_destroy(&it);
  return log;
}

/* zeros of cos and sin at their times, in order, each once, for every method */
static void zeros_are_found_once_and_in_order(void) {
  for (int m = 0; m < tni_integrator_ntype; m++) {
    if (tni_integrator_types[m]->needs_model) continue;
    if (tni_integrator_types[m]->needs_technique || tni_integrator_types[m]->needs_data) continue;
    linear l = {.n = 2, .q = {1, 0}, .v = {0, 1}, .sign = {1, -1}};
    double h = tni_integrator_types[m]->fixed_step ? 0.01 : 0;
    double tol = tni_integrator_types[m]->order <= 2 ? 1e-7 : 1e-10; /* 1e5 steps otherwise */
    log_of log = run(tni_integrator_types[m]->name, &l, tol, h, 20, 0);
    CHECK_INT(log.n, 12);
    for (int k = 0; k < log.n; k++) {
      CHECK_NEAR(log.t[k], (k + 1)*PI/2, h > 0 ? 1e-8 : 100*tol);
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

/* what counts is the state after projection: each crossing is reported once, and after it the mode is
 * right, wherever projection puts the state */
static void location_and_switching_see_the_same_state(void) {
  static const double nudge[] = {0, 1e-13, 1e-10, -1e-10, 1e-8};
  for (int k = 0; k < TNI_COUNT(nudge); k++) {
    linear l = {.n = 2, .q = {1, 0}, .v = {0, 1}, .sign = {1, -1}};
    log_of log = run("rk45", &l, 1e-8, 0, 20, nudge[k]);
    CHECK_INT(log.n, 12);
  }
}

/* zero at the start is right: sin(0) is no event once its mode is set */
static void zero_at_the_start_is_no_event(void) {
  linear l = {.n = 1, .v = {1}, .sign = {-1}};
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

/* of several in one step the first is reported */
static void first_of_several_is_reported(void) {
  fake f = fake_oscillator(ctx);
  tni_integrator_opts o = {.h = 0.5, .t_end = 0.5};
  linear l = {.n = 4, .t = {1, 1, -3, 1}, .offset = {-0.4, -0.1, 0.3, 1}};
  tni_integrator *it = fake_start(ctx, "rk4", &f, &o, oscillator_q0, oscillator_v0);
  tni_event_finder *e;
  bool found;
  commit(&l, 0, oscillator_q0, oscillator_v0);
  CHECK_OK(ctx, tni_event_create(ctx, f.s.nq, f.s.nv, 4, linear_fn, &l, &e));
  CHECK_INT(tni_event_start(e, 0, oscillator_q0, oscillator_v0), -1);
  CHECK_OK(ctx, it->type->step(it));
  CHECK_OK(ctx, tni_event_find(e, it, &found));
  CHECK(found);
  CHECK_WITHIN(e->found.t, 0.1, 1e-12);
  CHECK(e->index == 1 || e->index == 2);
  tni_event_destroy(&e);
  tni_integrator_destroy(&it);
}

/* |t - 0.37| - w: a body that passes another one between two samples, a kink with straight sides. The
 * narrowest visits seen are much narrower than samples are apart. */
static double width;
static double passing(void *user, double t, const double *q, const double *v, double *g) {
  (void)user, (void)q, (void)v;
  g[0] = fabs(t - 0.37) - width;
  return 0;
}

static void bodies_that_pass_each_other_are_seen(void) {
  for (width = 0.1; width > 1e-5; width *= 0.3) {
    fake f = fake_oscillator(ctx);
    tni_integrator_opts o = {.h = 0.8, .t_end = 0.8};
    tni_integrator *it = fake_start(ctx, "rk4", &f, &o, oscillator_q0, oscillator_v0);
    tni_event_finder *e;
    bool found;
    CHECK_OK(ctx, tni_event_create(ctx, f.s.nq, f.s.nv, 1, passing, NULL, &e));
    CHECK_INT(tni_event_start(e, 0, oscillator_q0, oscillator_v0), -1);
    CHECK_OK(ctx, it->type->step(it));
    CHECK_OK(ctx, tni_event_find(e, it, &found));
    CHECK(found);
    CHECK_NEAR(e->found.t, 0.37 - width, 1e-10);
    tni_event_destroy(&e);
    tni_integrator_destroy(&it);
  }
}

/* 0.9 - cos(10 (t - 0.41)) is negative for a twentieth of a turn: a step in which something turns far is looked at as
 * closely as that turn asks for */
static double turning(void *user, double t, const double *q, const double *v, double *g) {
  (void)user, (void)q, (void)v;
  g[0] = 0.9 - cos(10*(t - 0.41));
  return 10;
}

static void turning_bodies_are_looked_at_closely(void) {
  fake f = fake_oscillator(ctx);
  tni_integrator_opts o = {.h = 0.95, .t_end = 0.95};
  tni_integrator *it = fake_start(ctx, "rk4", &f, &o, oscillator_q0, oscillator_v0);
  tni_event_finder *e;
  bool found;
  CHECK_OK(ctx, tni_event_create(ctx, f.s.nq, f.s.nv, 1, turning, NULL, &e));
  CHECK_INT(tni_event_start(e, 0, oscillator_q0, oscillator_v0), -1);
  CHECK_OK(ctx, it->type->step(it));
  CHECK_OK(ctx, tni_event_find(e, it, &found));
  CHECK(found);
  CHECK_NEAR(e->found.t, 0.41 - acos(0.9)/10, 1e-10);
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
  bool found;
  commit(&l, 0, oscillator_q0, oscillator_v0);
  CHECK_OK(ctx, tni_event_create(ctx, f.s.nq, f.s.nv, 0, NULL, NULL, &none));
  CHECK_INT(tni_event_start(none, 0, oscillator_q0, oscillator_v0), -1);
  CHECK_OK(ctx, tni_event_create(ctx, f.s.nq, f.s.nv, 1, linear_fn, &l, &e));
  CHECK_INT(tni_event_start(e, 0, oscillator_q0, oscillator_v0), -1);
  size_t before = tn_ctx_allocations(ctx);
  int n = 0;
  while (it->now.t < 20) {
    CHECK_OK(ctx, it->type->step(it));
    CHECK_OK(ctx, tni_event_find(none, it, &found));
    CHECK(!found);
    CHECK_OK(ctx, tni_event_find(e, it, &found));
    n += found;
    commit(&l, it->now.t, it->now.q, it->now.v);
    CHECK_INT(tni_event_start(e, it->now.t, it->now.q, it->now.v), -1);
  }
  CHECK_INT(tn_ctx_allocations(ctx), before);
  CHECK_INT(n, 6);
  CHECK(e->nevaluate < 6*it->stats.steps + 20*n);
  tni_event_destroy(&e);
  tni_event_destroy(&none);
  tni_integrator_destroy(&it);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(zeros_are_found_once_and_in_order);
  RUN(location_does_not_depend_on_the_scale_of_the_function);
  RUN(location_and_switching_see_the_same_state);
  RUN(zero_at_the_start_is_no_event);
  RUN(short_visits_beyond_zero_are_seen);
  RUN(first_of_several_is_reported);
  RUN(bodies_that_pass_each_other_are_seen);
  RUN(turning_bodies_are_looked_at_closely);
  RUN(finding_is_cheap);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
