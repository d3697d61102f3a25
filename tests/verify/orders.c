/* tests/verify/orders.c - observed orders of convergence on constrained mechanisms
 *
 * Fixed steps h, h/2, h/4 over the same interval: positions and velocities converge with the order
 * of the formula although the state is projected after every step, in both representations.
 * Adaptive runs are proportional to their tolerance. The reference is rk8 with steps so small that
 * rounding is left, compared with another small step.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "verify/models.h"

static bool all; /* argument: twice as many tolerances */

typedef struct {
  double *q, *v;
} state;

static state state_create(const tni_data *s) {
  return (state){calloc((size_t)s->nq, sizeof(double)), calloc((size_t)s->nv, sizeof(double))};
}
static void state_free(state *x) { free(x->q), free(x->v); }

/* a system at the assembled state of the model, in cartesian (0) or joint (1) coordinates */
typedef struct {
  loaded l;
  tn_sim *sim;
  tni_data *s;
} machine;

static void machine_create(machine *m, const char *text, int representation) {
  static const char *const names[] = {"cartesian", "joint"};
  tn_run_opts o = {.representation = names[representation]};
  load_text(&m->l, text);
  CHECK_OK(m->l.ctx, tn_sim_create(m->l.ctx, m->l.model, &o, &m->sim));
  m->s = m->sim->s;
}
static void machine_destroy(machine *m) {
  tn_sim_destroy(&m->sim);
  unload(&m->l);
}

/* state at t_end after steps of size h */
static void march(machine *m, const char *method, double h, double t_end, state *out) {
  tni_data *s = m->s;
  tni_integrator *it;
  /* any error passes: the step stays what it is */
  tni_integrator_opts o = {.rtol = 1e6, .atol = 1e6, .h = h, .hmax = h, .t_end = t_end,
                           .project_tol = 1e-13};
  CHECK_OK(m->l.ctx, tni_integrator_find(method)->create(m->l.ctx, s, &o, &it));
  double z[TNI_NZ] = {0};
  tni_initial(s, out->q, out->v);
  CHECK_OK(m->l.ctx, it->type->start(it, 0, out->q, out->v, z));
  while (it->now.t < t_end) CHECK_OK(m->l.ctx, it->type->step(it));
  CHECK_INT(it->stats.steps, lround(t_end/h));
  memcpy(out->q, it->now.q, (size_t)s->nq*sizeof(double));
  memcpy(out->v, it->now.v, (size_t)s->nv*sizeof(double));
  tni_integrator_destroy(&it);
}

/* largest difference of positions and of velocities */
static void distance(const tni_data *s, const state *x, const state *ref, double e[2]) {
  double *dx = calloc((size_t)s->nv, sizeof(double));
  tni_difference(s, ref->q, x->q, dx);
  e[0] = largest_of(dx, s->nv);
  for (int i = 0; i < s->nv; i++) dx[i] = x->v[i] - ref->v[i];
  e[1] = largest_of(dx, s->nv);
  free(dx);
}

static void check_order(const char *text, const char *method, double t_end, int steps, int order) {
  for (int rep = 0; rep < 2; rep++) {
    machine m;
    machine_create(&m, text, rep);
    state ref = state_create(m.s), x = state_create(m.s);
    double e[3][2], noise[2];
    march(&m, "rk8", t_end/(8*steps), t_end, &ref);
    march(&m, "rk8", t_end/(10*steps), t_end, &x);
    distance(m.s, &x, &ref, noise);
    for (int k = 0; k < 3; k++) {
      march(&m, method, t_end/(steps << k), t_end, &x);
      distance(m.s, &x, &ref, e[k]);
    }
    for (int i = 0; i < 2; i++) {
      CHECK(noise[i] < 0.1*e[2][i]);
      double observed = log2(e[0][i]/e[2][i])/2;
      /* at these steps terms of the next order still show, mostly as a faster fall */
      if (!CHECK(observed > order - 0.35 && observed < order + 1.7))
        printf("  %s, %s of %s: order %.2f, errors %.3g %.3g %.3g\n", method,
               i ? "velocities" : "positions", tni_representation(m.s), observed, e[0][i], e[1][i], e[2][i]);
    }
    state_free(&ref), state_free(&x);
    machine_destroy(&m);
  }
}

static void methods_have_their_order_in_a_planar_loop(void) {
  check_order(planar_four_bar, "rk4", 0.8, 40, 4);
  check_order(planar_four_bar, "rk45", 0.8, 20, 5);
  check_order(planar_four_bar, "rk8", 0.8, 4, 8);
}

static void methods_have_their_order_in_a_spatial_loop(void) {
  check_order(rssr, "rk4", 0.3, 40, 4);
  check_order(rssr, "rk45", 0.3, 20, 5);
}

static void methods_have_their_order_with_redundant_rows(void) {
  check_order(spatial_four_bar, "rk4", 0.8, 40, 4);
  check_order(spatial_four_bar, "rk45", 0.8, 20, 5);
}

static void methods_have_their_order_when_rolling(void) {
  check_order(rolling, "rk4", 0.5, 40, 4);
  check_order(rolling, "rk45", 0.5, 20, 5);
}

/* slope of log(error) against log(tolerance) over six decades; the largest error of four times, since
 * that of a single one is small now and then by chance */
static void errors_of_adaptive_runs_are_proportional_to_the_tolerance(void) {
  static const char *const names[] = {"rk45", "rk8", "adams"};
  enum { TIMES = 4 };
  const double t_end = 2;
  for (int rep = 0; rep < 2; rep++) {
    machine m;
    machine_create(&m, rssr, rep);
    state ref[TIMES], x = state_create(m.s);
    for (int i = 0; i < TIMES; i++) {
      ref[i] = state_create(m.s);
      march(&m, "rk8", t_end/2000, t_end*(i + 1)/TIMES, &ref[i]);
    }
    for (int k = 0; k < 3; k++) {
      double sx = 0, sy = 0, sxx = 0, sxy = 0;
      int n = 0;
      for (double tol = 1e-4; tol > 0.5e-10; tol *= all ? sqrt(0.1) : 0.1, n++) {
        static const char *const words[] = {"cartesian", "joint"};
        tn_run_opts o = {.method = names[k], .representation = words[rep], .tolerance = tol,
                         .until = t_end};
        tn_sim *sim;
        double e[2], most = 0;
        CHECK_OK(m.l.ctx, tn_sim_create(m.l.ctx, m.l.model, &o, &sim));
        for (int i = 0; i < TIMES; i++) {
          CHECK_OK(m.l.ctx, tn_sim_advance(sim, t_end*(i + 1)/TIMES));
          memcpy(x.q, sim->at.q, (size_t)m.s->nq*sizeof(double));
          memcpy(x.v, sim->at.v, (size_t)m.s->nv*sizeof(double));
          distance(m.s, &x, &ref[i], e);
          most = fmax(most, e[0]);
        }
        double X = log(tol), Y = log(most);
        sx += X, sy += Y, sxx += X*X, sxy += X*Y;
        tn_sim_destroy(&sim);
      }
      double slope = (n*sxy - sx*sy)/(n*sxx - sx*sx);
      if (!CHECK(slope > 0.85 && slope < 1.25))
        printf("  %s, %s: error ~ tolerance^%.2f\n", names[k], tni_representation(m.s), slope);
    }
    for (int i = 0; i < TIMES; i++) state_free(&ref[i]);
    state_free(&x);
    machine_destroy(&m);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(methods_have_their_order_in_a_planar_loop);
  RUN(methods_have_their_order_in_a_spatial_loop);
  RUN(methods_have_their_order_with_redundant_rows);
  RUN(methods_have_their_order_when_rolling);
  RUN(errors_of_adaptive_runs_are_proportional_to_the_tolerance);
  return REPORT();
}
