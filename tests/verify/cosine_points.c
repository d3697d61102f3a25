/* tests/verify/cosine_points.c - direction cosines by collocation: orders, gaps, golden numbers, joints of every kind; stability and windows of
 * the weak forms
 *
 * References: minimal coordinates or an explicit method of order 8 at 1e-12, and numbers of prototypes of the same equations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "support/reference_ode.h"
#include "trajectory/cosines_parts.h"

typedef struct {
  loaded l;
  tn_sim *sim;
  tni_cosines *c;
} rig;

static tn_status try_open(rig *g, const char *model, double T, tni_cosine_opts o) {
  char text[6000];
  memset(g, 0, sizeof(*g));
  snprintf(text, sizeof(text), "%sanalysis: {until: %.17g, representation: cartesian, method: rk8, tolerance: 1e-12}\n", model, T);
  load_text(&g->l, text);
  CHECK_OK(g->l.ctx, tn_sim_create(g->l.ctx, g->l.model, NULL, &g->sim));
  o.h = T/o.elements;
  return tni_cosines_create(g->l.ctx, g->sim->s, g->sim->s->kin, &o, &g->c);
}
static void open_rig(rig *g, const char *model, double T, tni_cosine_opts o) { CHECK_OK(g->l.ctx, try_open(g, model, T, o)); }
static void close_rig(rig *g) {
  tni_cosines_destroy(&g->c);
  tn_sim_destroy(&g->sim);
  unload(&g->l);
}
static int solve(rig *g) {
  int it = 0;
  CHECK_OK(g->l.ctx, tni_cosines_solve(g->c, 30, 1e-14, true, &it));
  return it;
}
static tni_cosine_opts points(int k, int n) {
  return (tni_cosine_opts){.order = k, .force_order = k - 1, .elements = n, .rule = TNI_RULE_COLLOCATION};
}

#define SPATIAL_PENDULUM                                                                                               \
  "gravity: [0, 0, -9.81]\n"                                                                                           \
  "bodies:\n"                                                                                                          \
  "  one: {mass: 1, inertia: [[0.09, 0.01, 0], [0.01, 0.08, 0.005], [0, 0.005, 0.02]]}\n"                              \
  "  two: {mass: 0.5, inertia: [[0.04, 0, 0.002], [0, 0.035, 0], [0.002, 0, 0.01]]}\n"                                 \
  "joints:\n"                                                                                                          \
  "  j1: {type: revolute, bodies: [ground, one], at1: [0, 0, 0], at2: [0, 0, 0.5], axis1: x, axis2: x, x1: y, x2: y,\n" \
  "       initial: 0.6, initial_rate: 1}\n"
static const char hinges[] =
    SPATIAL_PENDULUM "  j2: {type: revolute, bodies: [one, two], at1: [0.1, 0, -0.5], at2: [0, 0.05, 0.4], axis1: [0, 0.8, 0.6],\n"
                     "       axis2: [0, 0.8, 0.6], x1: x, x2: x, initial: -0.4, initial_rate: -2}\n";

static void golden_numbers_of_two_hinges(void) {
  static const double want[2][3] = {{-0.0451447551, -0.6505591744, -1.2066100199}, {-0.0451431738, -0.6505653974, -1.2066074609}};
  for (int i = 0; i < 2; i++) {
    rig g;
    double x[3];
    open_rig(&g, hinges, 1, points(2 + i, 16));
    solve(&g);
    tni_cosines_look(g.c, 1, 1, NULL, x, NULL);
    for (int k = 0; k < 3; k++) CHECK_WITHIN(x[k], want[i][k], 1.1e-10);
    close_rig(&g);
  }
}

static bool all; /* argument: longer motions */

/* largest errors over all ends of elements: 0 places, 1 directions, 2 velocities, 4 multipliers that follow from the states there; 3 multipliers
 * where the formulation has them, at the points of collocation, else at the ends; gaps of rows and C^T C - 1 besides */
typedef struct {
  double e[5], gap, skew;
} errors;

static void body_at_end(rig *g, int e, double t, int b, tni_kin *k) {
  bool planar = g->l.model->planar;
  double q[3], x[3] = {0}, C[9], v[3] = {0}, w[3] = {0};
  tni_cosines_look(g->c, t, b, q, x, C);
  tni_cosines_end_velocity(g->c, e, b, v, w);
  memcpy(k->r, x, sizeof(x));
  memcpy(k->v, v, sizeof(v));
  if (planar) {
    const double A[9] = {C[0], -C[1], 0, C[1], C[0], 0, 0, 0, 1};
    memcpy(k->A, A, sizeof(A));
    k->w[0] = k->w[1] = 0, k->w[2] = w[0];
  } else {
    memcpy(k->A, C, sizeof(C));
    memcpy(k->w, w, sizeof(w));
  }
  mat3_vec(k->W, k->A, k->w);
}

/* of the multipliers at t against those of the motion there: the largest, or the sum of squares; the other arguments are room */
static double error_of_forces(rig *g, double t, double *q, double *v, double *a, double *l, bool squares) {
  tni_data *s = g->sim->s;
  double out = 0;
  if (t > 0) {
    CHECK_OK(g->l.ctx, tn_sim_advance(g->sim, t));
    tni_coordinates(s, s->kin, q, v);
  } else { /* where it starts; s->kin is where something was looked at last */
    memcpy(q, g->sim->at.q, (size_t)s->nq*sizeof(double));
    memcpy(v, g->sim->at.v, (size_t)s->nv*sizeof(double));
  }
  CHECK_OK(g->l.ctx, tni_accel(s, t, q, v, a, l, NULL));
  for (int r = 0, kept = 0; r < s->m; r++) {
    if (s->rank && !s->rank->independent[r]) continue;
    double off = tni_cosines_multiplier(g->c, t, kept++) - l[r];
    out = squares ? out + off*off : fmax(out, fabs(off));
  }
  return out;
}

static errors measure(const char *model, double T, tni_cosine_opts o) {
  rig g;
  errors out = {0};
  open_rig(&g, model, T, o);
  solve(&g);
  tni_data *s = g.sim->s;
  int m = s->m, nb = s->nbody;
  tni_kin *kin = calloc((size_t)nb + 1, sizeof(*kin)), *exact = calloc((size_t)nb + 1, sizeof(*exact));
  double *q = calloc((size_t)s->nq, 8), *v = calloc((size_t)s->nv, 8), *a = calloc((size_t)s->nv, 8);
  double *l[2] = {calloc((size_t)m + 1, 8), calloc((size_t)m + 1, 8)};
  bool at_points = o.rule == TNI_RULE_COLLOCATION;
  tni_gauss p;
  tni_gauss_set(o.order, o.kind, &p);
  for (int e = 0; e < o.elements; e++) {
    double t = T*(e + 1)/o.elements;
    for (int i = 0; i < o.order && at_points; i++) out.e[3] = fmax(out.e[3], error_of_forces(&g, T*(e + p.c[i])/o.elements, q, v, a, l[0], false));
    CHECK_OK(g.l.ctx, tn_sim_advance(g.sim, t));
    memcpy(exact, s->kin, ((size_t)nb + 1)*sizeof(*kin));
    tni_kin_ground(&kin[0]);
    for (int b = 0; b < nb; b++) {
      body_at_end(&g, e, t, b, &kin[b + 1]);
      const tni_kin *x = &kin[b + 1], *y = &exact[b + 1];
      for (int i = 0; i < 9; i++) {
        if (i < 3) out.e[0] = fmax(out.e[0], fabs(x->r[i] - y->r[i]));
        if (i < 3) out.e[2] = fmax(out.e[2], fmax(fabs(x->v[i] - y->v[i]), fabs(x->w[i] - y->w[i])));
        out.e[1] = fmax(out.e[1], fabs(x->A[i] - y->A[i]));
      }
    }
    for (int i = 0; i < 2; i++) {
      tni_coordinates(s, i ? exact : kin, q, v);
      CHECK_OK(g.l.ctx, tni_accel(s, t, q, v, a, l[i], NULL));
    }
    for (int r = 0, kept = 0; r < m; r++) {
      if (s->rank && !s->rank->independent[r]) continue;
      if (!at_points) out.e[3] = fmax(out.e[3], fabs(tni_cosines_multiplier(g.c, t - 1e-12, kept++) - l[1][r]));
      out.e[4] = fmax(out.e[4], fabs(l[0][r] - l[1][r]));
    }
  }
  out.gap = tni_cosines_gap(g.c);
  out.skew = tni_cosines_skewness(g.c);
  free(kin), free(exact), free(q), free(v), free(a), free(l[0]), free(l[1]);
  close_rig(&g);
  return out;
}

static double order(double coarse, double fine) { return log2(coarse/fine); }

/* table of the variants with and without projection */
static void orders_are_twice_the_points(void) {
  static const struct {
    int k, n;
    bool unprojected;
    double x[2], v[2], points[2], order[4]; /* places, velocities, multipliers of points (0: not printed), orders of them and of those that follow */
  } want[] = {{1, 16, false, {6.1e-3, 1.5e-3}, {7.9e-2, 2.0e-2}, {0, 0}, {2.0, 2.0, 1.2, 2.0}},
              {2, 8, false, {1.8e-4, 1.2e-5}, {3.8e-3, 2.5e-4}, {1.4e-1, 3.7e-2}, {3.9, 4.0, 1.9, 3.9}},
              {3, 4, false, {1.0e-4, 1.8e-6}, {1.8e-3, 3.4e-5}, {0, 0}, {5.9, 5.8, 2.8, 5.6}},
              {2, 8, true, {1.5e-4, 9.5e-6}, {2.9e-2, 7.1e-3}, {4.8e-1, 2.4e-1}, {4.0, 2.1, 1.0, 2.0}}};
  for (int i = 0; i < TNI_COUNT(want); i++) {
    errors e[2];
    for (int f = 0; f < 2; f++) {
      tni_cosine_opts o = points(want[i].k, want[i].n << f);
      o.unprojected = want[i].unprojected;
      e[f] = measure(hinges, 1, o);
      CHECK_WITHIN(e[f].e[0], want[i].x[f], 0.06*want[i].x[f]);
      CHECK_WITHIN(e[f].e[2], want[i].v[f], 0.06*want[i].v[f]);
      if (want[i].points[f] > 0) CHECK_WITHIN(e[f].e[3], want[i].points[f], 0.04*want[i].points[f]);
      CHECK_WITHIN(e[f].gap, 0, 1e-13);
      CHECK_WITHIN(e[f].skew, 0, 1e-13);
    }
    static const int of[] = {0, 2, 3, 4};
    for (int c = 0; c < 4; c++) CHECK_WITHIN(order(e[0].e[of[c]], e[1].e[of[c]]), want[i].order[c], 0.1);
  }
  errors e = measure(hinges, 1, points(4, 8));
  static const double four[] = {1.4e-8, 0, 2.6e-7, 2.9e-3, 1.7e-7};
  for (int c = 0; c < 5; c++)
    if (four[c] > 0) CHECK_WITHIN(e.e[c], four[c], 0.04*four[c]);
}

/* Radau points: one order less, no quadratic kept */
static void radau_points_have_one_order_less(void) {
  for (int k = 2; k <= 3; k++) {
    errors e[2];
    for (int f = 0; f < 2; f++) {
      tni_cosine_opts o = points(k, (k == 2 ? 16 : 8) << f);
      o.kind = TNI_AT_RADAU;
      e[f] = measure(hinges, 1, o);
      CHECK(e[f].gap > 1e-13);
    }
    CHECK_WITHIN(order(e[0].e[0], e[1].e[0]), 2*k - 1, 0.2);
    CHECK_WITHIN(order(e[0].e[2], e[1].e[2]), 2*k - 1, 0.2);
    CHECK_WITHIN(order(e[0].e[3], e[1].e[3]), k, 0.2);
    CHECK_WITHIN(order(e[0].e[4], e[1].e[4]), 2*k - 1, 0.2);
  }
}

/* ---- without projection, in the plane ------------------------------------------------------ */

static const char rod[] =
    "planar: true\ngravity: [0, -2]\n"
    "bodies: {rod: {mass: 1, inertia: 0.64/12, at: [0.4*sin(1), -0.4*cos(1)], orientation: 1}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, rod], at2: [0, 0.4], x1: x, x2: x, initial_rate: 1}}\n";

static void without_projection_velocities_lose_orders(void) {
  static const double q[] = {2, 4, 6}, w[] = {2, 2, 4};
  for (int k = 1; k <= 3; k++) {
    errors e[2];
    for (int f = 0; f < 2; f++) {
      tni_cosine_opts o = points(k, 8 << f);
      o.unprojected = true;
      e[f] = measure(rod, 1, o);
      CHECK_WITHIN(e[f].gap, 0, 1e-13);
    }
    CHECK_WITHIN(order(e[0].e[0], e[1].e[0]), q[k - 1], 0.2);
    CHECK_WITHIN(order(e[0].e[2], e[1].e[2]), w[k - 1], 0.2);
  }
}

/* ---- weak forms: stability, points of forces, windows --------------------------------------- */

/* body on a spring with w = 1: the largest deflection over many elements of length h */
static double swings(double h, int elements) {
  rig g;
  double most = 0;
  tni_cosine_opts o = {.order = 2, .force_order = 1, .elements = elements, .rule = TNI_RULE_GAUSS, .load_points = 3};
  open_rig(&g, "planar: true\ngravity: [0, 0]\nbodies: {b: {mass: 1, inertia: 1, at: [1.1, 0]}}\n"
               "forces: {s: {type: spring, bodies: [ground, b], at1: [0, 0], at2: [0, 0], stiffness: 1, free_length: 1}}\n",
           h*elements, o);
  tni_cosines_guess_rest(g.c);
  CHECK_OK(g.l.ctx, tni_cosines_solve(g.c, 30, 1e-9, false, NULL));
  for (int e = 1; e <= elements; e++) {
    double x[2];
    tni_cosines_look(g.c, e*h, 0, NULL, x, NULL);
    most = fmax(most, fabs(x[0] - 1));
  }
  close_rig(&g);
  return most;
}

/* quadratic functions in time: stable below sqrt(10) and from sqrt(12) on, integrals exact */
static void weak_forms_are_stable_in_bands(void) {
  CHECK(swings(3.1, 60) < 0.101);
  CHECK(swings(3.6, 60) < 0.101);
  CHECK(swings(3.3, 60) > 3);
}

static void forces_need_as_many_points_as_the_order(void) {
  static const char model[] =
      "planar: true\ngravity: [0, -2]\n"
      "bodies: {rod: {mass: 1, inertia: 0.64/12, at: [0.4*sin(1), -0.4*cos(1)], orientation: 1}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, rod], at2: [0, 0.4], x1: x, x2: x, initial_rate: 1}}\n"
      "forces: {s: {type: spring, bodies: [ground, rod], at1: [1, -0.5], at2: [0, -0.4], stiffness: 20, damping: 0.5,\n"
      "             free_length: 0.4}}\n";
  static const struct {
    int k, points;
    double error[2]; /* of nodes, 16 and 32 elements */
  } want[] = {{2, 1, {6.7e-3, 1.6e-3}}, {2, 2, {2.6e-5, 1.7e-6}}, {2, 3, {3.4e-5, 1.9e-6}}, {2, 5, {3.4e-5, 1.9e-6}},
              {3, 2, {2.5e-4, 6.0e-5}}, {3, 3, {1.9e-6, 1.4e-7}}, {3, 4, {2.6e-6, 1.8e-7}}};
  for (int i = 0; i < TNI_COUNT(want); i++)
    for (int f = 0; f < 2; f++) {
      rig g;
      int n = 16 << f, k = want[i].k;
      double off = 0;
      tni_cosine_opts o = {.order = k, .force_order = k - 1, .elements = n, .rule = TNI_RULE_GAUSS, .load_points = want[i].points};
      open_rig(&g, model, 1, o);
      solve(&g);
      for (int node = 1; node <= n*k; node++) {
        double t = (double)node/(n*k), q;
        CHECK_OK(g.l.ctx, tn_sim_advance(g.sim, t));
        tni_cosines_look(g.c, t, 0, &q, NULL, NULL);
        const double *A = g.sim->s->kin[1].A;
        off = fmax(off, fabs(remainder(q - atan2(A[3], A[0]), 6.283185307179586)));
      }
      CHECK_WITHIN(off, want[i].error[f], 0.2*want[i].error[f]);
      close_rig(&g);
    }
}

static const char two_rods[] =
    "planar: true\n"
    "gravity: [0, -2]\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: 0.64/12, at: [0.4*sin(1), -0.4*cos(1)], orientation: 1}\n"
    "  two: {mass: 0.5, inertia: 0.5/12, at: [0.8*sin(1) + 0.5*sin(1.2), -0.8*cos(1) - 0.5*cos(1.2)], orientation: 1.2}\n"
    "joints:\n"
    "  top: {type: revolute, bodies: [ground, one], at2: [0, 0.4], x1: x, x2: x, initial_rate: 1}\n"
    "  mid: {type: revolute, bodies: [one, two], at1: [0, -0.4], at2: [0, 0.5], x1: x, x2: x, initial_rate: -2}\n";

/* velocities at the end: from the momenta of order 3, those of the polynomials of order 2 */
static void momenta_end_better_than_polynomials(void) {
  static const double w[] = {-1.785792907770, -0.110243767977}; /* checked below against the reference */
  double by_momentum[3], by_rate[3];
  for (int f = 0; f < 3; f++) {
    rig g;
    int n = 16 << f;
    double T = 1, v[2], spin, q[2];
    tni_cosine_opts o = {.order = 2, .force_order = 1, .elements = n, .rule = TNI_RULE_LITERAL};
    open_rig(&g, two_rods, T, o);
    solve(&g);
    CHECK_OK(g.l.ctx, tn_sim_advance(g.sim, T));
    by_momentum[f] = by_rate[f] = 0;
    for (int b = 0; b < 2; b++) {
      double exact = g.sim->s->kin[b + 1].w[2], h = 1e-4/n;
      CHECK_WITHIN(exact, w[b], 1e-7);
      tni_cosines_end_velocity(g.c, n - 1, b, v, &spin);
      for (int i = 0; i < 2; i++) tni_cosines_look(g.c, T - i*h, b, &q[i], NULL, NULL);
      by_momentum[f] = fmax(by_momentum[f], fabs(spin - exact));
      by_rate[f] = fmax(by_rate[f], fabs((q[0] - q[1])/h - exact));
    }
    close_rig(&g);
  }
  CHECK(order(by_momentum[0], by_momentum[1]) > 2.8 && order(by_momentum[1], by_momentum[2]) > 2.8);
  CHECK_WITHIN(order(by_rate[1], by_rate[2]), 2, 0.2);
  CHECK_WITHIN(by_momentum[2], 7e-6, 1.5e-6);
  CHECK(by_rate[2] > 1e-4);
}

/* runs of 5 s in windows: what the prototype found */
static double angle_after_windows(int elements, int window, const char *rule, const char *more) {
  loaded l;
  char text[3000];
  snprintf(text, sizeof(text), "%sanalysis: {until: 5, method: state_time, formulation: direction_cosines, elements: %d, window: %d, "
           "rule: %s%s}\n", two_rods, elements, window, rule, more);
  load_text(&l, text);
  tn_sim *sim = NULL;
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 5));
  double worst = 0;
  static const double want[] = {0.90291399, 1.40701927};
  for (int b = 0; b < 2; b++) {
    const double *A = sim->s->kin[b + 1].A;
    worst = fmax(worst, fabs(remainder(atan2(A[3], A[0]) - want[b], 6.283185307179586)));
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return worst;
}

static void windows_lose_little(void) {
  CHECK(angle_after_windows(128, 128, "literal", "") < 2e-5);  /* 1e-5 */
  CHECK(angle_after_windows(130, 26, "literal", "") < 9e-4);   /* 6e-4 */
  CHECK(angle_after_windows(140, 7, "literal", "") < 5e-4);    /* 3e-4 */
  /* collocation is causal: windows of any size end alike, to the digits that the reference is printed with */
  CHECK(angle_after_windows(128, 128, "collocation", ", order: 3") < 2e-7);
  CHECK(angle_after_windows(128, 5, "collocation", ", order: 3") < 2e-7);
}

/* ---- joints in space ----------------------------------------------------------------------- */

static const char ball[] =
    "gravity: [0, 0, -9.81]\n"
    "params: {c: cos(0.7), s: sin(0.7)}\n"
    "bodies: {b: {mass: 1, inertia: [[0.4, 0.02, 0], [0.02, 0.3, 0.01], [0, 0.01, 0.15]], orientation: {axis: x, angle: 0.7},\n"
    "             at: [-0.1, 0.05*c + 0.5*s, 0.05*s - 0.5*c], angular_velocity_body: [0.5, -0.3, 2]}}\n"
    "joints: {j: {type: spherical, bodies: [ground, b], at: [0, 0, 0]}}\n";

/* a hinge and a Cardan joint; start as prototypes have it */
static const char cardan[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: [[0.09, 0.01, 0], [0.01, 0.08, 0.005], [0, 0.005, 0.02]], orientation: {axis: x, angle: 0.6},\n"
    "        at: [-0, 0.2823212366975177, -0.4126678074548392],\n"
    "        velocity: [-0, 0.4126678074548392, 0.2823212366975177], angular_velocity: [1, 0, 0]}\n"
    "  two: {mass: 0.5, inertia: [[0.04, 0, 0.002], [0, 0.035, 0], [0.002, 0, 0.01]],\n"
    "        orientation: {axis: [0.8246408501318114, -0.3320161801127566, -0.4579658550997192], angle: 0.7177453093530823},\n"
    "        at: [0.2129313192695087, 0.7275556006782926, -1.176342495307823],\n"
    "        velocity: [-0.5758860609540495, 1.617347118152287, 0.746956558385387],\n"
    "        angular_velocity: [2, 1.270791579381745, 0.796924564668734]}\n"
    "joints:\n"
    "  j1: {type: revolute, bodies: [ground, one], at1: [0, 0, 0], at2: [0, 0, 0.5], axis1: x, axis2: x}\n"
    "  j2: {type: universal, bodies: [one, two], at1: [0.1, 0, -0.5], at2: [0, 0.05, 0.4], axis1: x,\n"
    "       axis2: [0.2458876574779299, -0.9692983337961621, 0]}\n";

static void golden_numbers_of_a_cardan_joint(void) {
  static const double x1[] = {0, -0.109988635423, -0.487752498792}, x2[] = {0.223038943683, -0.513348816172, -1.223082368784};
  static const double w2[] = {-2.150477634751, -3.527481233323, 1.054942166805};
  static const double f[] = {1.720207566524, -1.991668271564, -16.103723766212};
  rig g;
  double x[3], v[3], w[3];
  open_rig(&g, cardan, 1, points(4, 64));
  solve(&g);
  for (int b = 0; b < 2; b++) {
    tni_cosines_look(g.c, 1, b, NULL, x, NULL);
    for (int i = 0; i < 3; i++) CHECK_WITHIN(x[i], b ? x2[i] : x1[i], 1e-10);
  }
  tni_cosines_end_velocity(g.c, 63, 1, v, w);
  for (int i = 0; i < 3; i++) CHECK_WITHIN(w[i], w2[i], 1e-9);
  for (int i = 0; i < 3; i++) CHECK_WITHIN(tni_cosines_multiplier(g.c, 1, i), f[i], 1e-4); /* read where they are of order 4 only */
  close_rig(&g);
  errors e[2];
  for (int i = 0; i < 2; i++) e[i] = measure(cardan, 1, points(2, 16 << i));
  CHECK_WITHIN(order(e[0].e[0], e[1].e[0]), 4, 0.2);
  CHECK_WITHIN(order(e[0].e[4], e[1].e[4]), 4, 0.2);
  CHECK_WITHIN(e[1].gap, 0, 1e-13);
}

/* a hinge about z and a slide along (0.8, 0, 0.6) */
static const char arm[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: [0.02, 0.06, 0.07], at: [0.4*cos(0.3), 0.4*sin(0.3), 0], orientation: {axis: z, angle: 0.3}}\n"
    "  two: {mass: 0.5, inertia: [[0.01, 0.001, 0], [0.001, 0.02, 0], [0, 0, 0.015]],\n"
    "        at: [\"(0.4 + 0.24)*cos(0.3)\", \"(0.4 + 0.24)*sin(0.3)\", 0.18], orientation: {axis: z, angle: 0.3}}\n"
    "joints:\n"
    "  j1: {type: revolute, bodies: [ground, one], at1: [0, 0, 0], at2: [-0.4, 0, 0], axis1: z, axis2: z, initial_rate: 2}\n"
    "  j2: {type: prismatic, bodies: [one, two], at1: [0, 0, 0], at2: [0, 0, 0], axis1: [0.8, 0, 0.6], axis2: [0.8, 0, 0.6],\n"
    "       x1: y, x2: y, initial: 0.3, initial_rate: -0.5}\n";

/* Errors of the weak forms over 1 s: places, directions and rows between directions at all ends of elements, multipliers in the mean square and at
 * both ends of the time, velocities that follow from the momenta at the end, C^T C - 1. */
enum { PLACES, DIRECTIONS, FORCES, END_FORCES, END_VELOCITIES, TURN_ROWS, SKEWNESS, NWEAK };

/* rows between directions at time t: those without places */
static double gap_of_turns(const tni_cosines *c, double t) {
  double most = 0;
  for (int r = 0; r < c->m; r++) {
    const tni_quadratic_row *row = &c->model.row[r];
    int n = c->ny*row->nbody;
    double y[TNI_COSINES_MAX], gap = row->g0;
    bool turns = true;
    for (int b = 0; b < row->nbody; b++) tni_cosines_look(c, t, row->body[b], NULL, y + c->ny*b, y + c->ny*b + c->nx);
    for (int i = 0; i < n; i++) {
      double half = row->l[i];
      bool place = i % c->ny < c->nx;
      for (int j = 0; j < n; j++) {
        half += 0.5*row->H[n*i + j]*y[j];
        turns = turns && !(place && row->H[n*i + j] != 0);
      }
      turns = turns && !(place && row->l[i] != 0);
      gap += half*y[i];
    }
    if (turns) most = fmax(most, fabs(gap));
  }
  return most;
}

static void measure_weak(const char *model, tni_cosine_opts o, double out[NWEAK]) {
  enum { POINTS = 4 };
  rig g;
  double c[POINTS], w[POINTS];
  tni_gauss_rule(POINTS, c, w);
  open_rig(&g, model, 1, o);
  solve(&g);
  tni_data *s = g.sim->s;
  double *q = calloc((size_t)s->nq, 8), *v = calloc((size_t)s->nv, 8), *a = calloc((size_t)s->nv, 8), *l = calloc((size_t)s->m, 8);
  memset(out, 0, NWEAK*sizeof(double));
  out[END_FORCES] = error_of_forces(&g, 0, q, v, a, l, false);
  for (int e = 0; e < o.elements; e++) {
    double t = (e + 1.0)/o.elements;
    for (int i = 0; i < POINTS; i++) out[FORCES] += w[i]/o.elements*error_of_forces(&g, (e + c[i])/o.elements, q, v, a, l, true);
    CHECK_OK(g.l.ctx, tn_sim_advance(g.sim, t));
    for (int b = 0; b < s->nbody; b++) {
      double x[3], C[9];
      tni_cosines_look(g.c, t, b, NULL, x, C);
      for (int i = 0; i < 3; i++) out[PLACES] = fmax(out[PLACES], fabs(x[i] - s->kin[b + 1].r[i]));
      for (int i = 0; i < 9; i++) out[DIRECTIONS] = fmax(out[DIRECTIONS], fabs(C[i] - s->kin[b + 1].A[i]));
    }
    out[TURN_ROWS] = fmax(out[TURN_ROWS], gap_of_turns(g.c, t));
  }
  for (int b = 0; b < s->nbody; b++) {
    double x[3], y[3];
    tni_cosines_end_velocity(g.c, o.elements - 1, b, x, y);
    for (int i = 0; i < 3; i++)
      out[END_VELOCITIES] = fmax(out[END_VELOCITIES], fmax(fabs(x[i] - s->kin[b + 1].v[i]), fabs(y[i] - s->kin[b + 1].w[i])));
  }
  out[END_FORCES] = fmax(out[END_FORCES], error_of_forces(&g, 1, q, v, a, l, false));
  out[FORCES] = sqrt(out[FORCES]);
  out[SKEWNESS] = tni_cosines_skewness(g.c);
  free(q), free(v), free(a), free(l);
  close_rig(&g);
}

/* body with three different moments on a ball: orders of the rules, and both defective ones */
static void ball_joint_has_its_orders(void) {
  static const struct {
    tni_cosine_rule rule;
    bool rates;
    int k;
    double x, C, f, skew;
  } want[] = {{TNI_RULE_DISCONTINUOUS, true, 2, 4, 4, 2.07, 4}, {TNI_RULE_LITERAL, false, 2, 4, 2, 2, 2},
              {TNI_RULE_LITERAL, true, 2, 2, 2, 0.46, 2}, {TNI_RULE_DISCONTINUOUS, true, 3, 4, 4, 2.1, 6}};
  for (int i = 0; i < TNI_COUNT(want); i++) {
    double e[2][NWEAK];
    for (int f = 0; f < 2; f++)
      measure_weak(ball, (tni_cosine_opts){.order = want[i].k, .force_order = want[i].k - 1, .elements = 16 << f, .rule = want[i].rule,
                                           .by_rates = want[i].rates}, e[f]);
    if (getenv("SHOW")) for (int c = 0; c < NWEAK; c++) printf("%d %d: %.2f\n", i, c, order(e[0][c], e[1][c]));
    CHECK_WITHIN(order(e[0][PLACES], e[1][PLACES]), want[i].x, 0.2);
    CHECK_WITHIN(order(e[0][DIRECTIONS], e[1][DIRECTIONS]), want[i].C, 0.2);
    CHECK_WITHIN(order(e[0][FORCES], e[1][FORCES]), want[i].f, 0.2);
    CHECK_WITHIN(order(e[0][SKEWNESS], e[1][SKEWNESS]), want[i].skew, 0.2);
  }
}

/* The table of joints in space by rule: orders from 16 to 32 elements (0: errors are rounding). Literal rule with rates: forces at the ends of the time
 * do not converge at all, nor do their mean squares by more than a half in the long run, which 64 elements show. */
static void joints_in_space_have_their_orders_by_rule(void) {
  static const struct {
    const char *model;
    tni_cosine_rule rule;
    bool rates;
    double order[NWEAK], stuck;
  } want[] = {{hinges, TNI_RULE_GAUSS, true, {4.0, 4.2, 2.0, 2.0, 3.1, 4.2, 0}, 0},
              {hinges, TNI_RULE_GAUSS, false, {4.0, 4.2, 2.0, 2.0, 3.1, 4.2, 0}, 0},
              {hinges, TNI_RULE_DISCONTINUOUS, true, {4.0, 4.2, 2.0, 2.0, 3.1, 4.2, 4.0}, 0},
              {hinges, TNI_RULE_DISCONTINUOUS, false, {4.0, 4.2, 2.0, 2.0, 3.1, 4.2, 4.0}, 0},
              {hinges, TNI_RULE_LITERAL, false, {4.1, 2.0, 2.0, 2.0, 3.1, 2.3, 2.0}, 0},
              {hinges, TNI_RULE_LITERAL, true, {2.0, 2.0, 0.7, 0.0, 1.0, 2.3, 2.0}, 0.18},
              {arm, TNI_RULE_GAUSS, true, {4.0, 4.2, 2.1, 2.3, 3.1, 4.2, 0}, 0},
              {arm, TNI_RULE_DISCONTINUOUS, true, {4.2, 4.2, 2.1, 2.3, 3.1, 4.2, 4.0}, 0},
              {arm, TNI_RULE_LITERAL, true, {2.1, 2.0, 0.4, 0.0, 1.0, 2.0, 2.0}, 1.8},
              {cardan, TNI_RULE_GAUSS, true, {5.0, 4.8, 2.4, 3.1, 4.2, 4.8, 0}, 0},
              {cardan, TNI_RULE_LITERAL, true, {2.2, 2.1, 2.1, 0.9, 1.1, 2.3, 2.0}, 0}};
  double formerly[NWEAK] = {0};
  for (int i = 0; i < TNI_COUNT(want); i++) {
    double e[3][NWEAK];
    int n = want[i].stuck > 0 || want[i].rule == TNI_RULE_GAUSS ? 3 : 2;
    for (int f = 0; f < n; f++)
      measure_weak(want[i].model, (tni_cosine_opts){.order = 2, .force_order = 1, .elements = 16 << f, .rule = want[i].rule,
                                                    .by_rates = want[i].rates}, e[f]);
    for (int c = 0; c < NWEAK; c++) {
      bool rounding = c == SKEWNESS && want[i].rule == TNI_RULE_GAUSS;
      double got = c == FORCES && want[i].stuck > 0 ? 0.5*order(e[0][c], e[2][c]) : order(e[0][c], e[1][c]);
      if (rounding) CHECK_WITHIN(e[n-1][c], 0, 1e-13);
      else CHECK_WITHIN(got, want[i].order[c], 0.2);
      if (n == 3 && want[i].stuck == 0 && (c == PLACES || c == DIRECTIONS || c == TURN_ROWS)) CHECK_WITHIN(order(e[1][c], e[2][c]), 4, 0.2);
      if (n == 3 && want[i].stuck == 0 && (c == FORCES || c == END_FORCES)) CHECK_WITHIN(order(e[1][c], e[2][c]), 2, 0.2);
      /* rates of directions are C ~w at the points: both forms of the rows have one solution */
      if (i == 1 && !rounding) CHECK_WITHIN(e[2][c]/formerly[c], 1, 1e-6);
    }
    if (want[i].stuck > 0) CHECK_WITHIN(e[2][END_FORCES], want[i].stuck, 0.05*want[i].stuck);
    if (i == 0) CHECK_WITHIN(e[2][TURN_ROWS], 2.4e-7, 0.05e-7);
    if (i == 0) memcpy(formerly, e[2], sizeof(formerly));
  }
}

/* four-bar: three of twenty rows say nothing new; to give way a little is as good as to leave them out */
static const char four_bar_in_space[] =
    "gravity: [gx, gy, gz]\n"
    "params: {th: 1, px: 0.3*cos(1), py: 0.3*sin(1), r2: (1 - 0.3*cos(1))^2 + (0.3*sin(1))^2, r: sqrt(r2),\n"
    "         be: \"atan2(-py, 1 - px) + acos((0.81 + r2 - 0.49)/(1.8*r))\", qx: px + 0.9*cos(be), qy: py + 0.9*sin(be),\n"
    "         n: sqrt(5.25), ux: 1/n, uy: 2/n, uz: 0.5/n, c: cos(0.8), s: sin(0.8),\n"
    "         a1: c + (1 - c)*ux*ux, a2: (1 - c)*ux*uy - s*uz, a3: (1 - c)*ux*uz + s*uy,\n"
    "         b1: (1 - c)*ux*uy + s*uz, b2: c + (1 - c)*uy*uy, b3: (1 - c)*uy*uz - s*ux,\n"
    "         c1: (1 - c)*ux*uz - s*uy, c2: (1 - c)*uy*uz + s*ux, c3: c + (1 - c)*uz*uz,\n"
    "         gx: -2*a2, gy: -2*b2, gz: -2*c2,\n"
    "         Px: a1*px + a2*py, Py: b1*px + b2*py, Pz: c1*px + c2*py,\n"
    "         Qx: a1*qx + a2*qy, Qy: b1*qx + b2*qy, Qz: c1*qx + c2*qy}\n"
    "bodies:\n"
    "  crank: {mass: 0.3, inertia: [0.3*0.0002, 0.3*0.09/12, 0.3*0.09/12], between: [[0, 0, 0], [Px, Py, Pz]]}\n"
    "  coupler: {mass: 0.9, inertia: [0.9*0.0002, 0.9*0.81/12, 0.9*0.81/12], between: [[Px, Py, Pz], [Qx, Qy, Qz]]}\n"
    "  rocker: {mass: 0.7, inertia: [0.7*0.0002, 0.7*0.49/12, 0.7*0.49/12], between: [[a1, b1, c1], [Qx, Qy, Qz]]}\n"
    "joints:\n"
    "  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [a3, b3, c3], initial_rate: 3}\n"
    "  b: {type: revolute, bodies: [crank, coupler], at: [Px, Py, Pz], axis: [a3, b3, c3]}\n"
    "  c: {type: revolute, bodies: [coupler, rocker], at: [Qx, Qy, Qz], axis: [a3, b3, c3]}\n"
    "  d: {type: revolute, bodies: [ground, rocker], at: [a1, b1, c1], axis: [a3, b3, c3]}\n";

static void redundant_rows_are_dropped_or_give_way(void) {
  static const double eps[] = {1e-6, 1e-8, 1e-10};
  rig kept;
  tni_cosine_opts o = {.order = 2, .force_order = 1, .elements = 32, .rule = TNI_RULE_GAUSS};
  open_rig(&kept, four_bar_in_space, 0.5, o);
  CHECK_INT(kept.sim->s->m, 20);
  CHECK_INT(tni_cosines_m(kept.c), 17);
  solve(&kept);
  for (int i = 0; i < TNI_COUNT(eps); i++) {
    rig g;
    double off = 0;
    tni_cosine_opts with = o;
    with.compliance = eps[i];
    open_rig(&g, four_bar_in_space, 0.5, with);
    CHECK_INT(tni_cosines_m(g.c), 20);
    CHECK_OK(g.l.ctx, tni_cosines_solve(g.c, 30, 1e-12, true, NULL));
    for (int b = 0; b < 3; b++)
      for (int e = 1; e <= 32; e++) {
        double x[3], y[3];
        tni_cosines_look(kept.c, 0.5*e/32, b, NULL, x, NULL);
        tni_cosines_look(g.c, 0.5*e/32, b, NULL, y, NULL);
        for (int j = 0; j < 3; j++) off = fmax(off, fabs(x[j] - y[j]));
      }
    CHECK(off < 100*eps[i] + 1e-9);
    CHECK(off > 0.1*eps[i] || eps[i] < 1e-9); /* it does give way */
    close_rig(&g);
  }
  close_rig(&kept);
  /* collocation: orders of the same loop, gaps none */
  errors e[2];
  for (int f = 0; f < 2; f++) e[f] = measure(four_bar_in_space, 1, points(2, 16 << f));
  CHECK_WITHIN(e[0].e[0], 1.4e-4, 0.1e-4);
  CHECK_WITHIN(e[1].e[0], 8.6e-6, 0.2e-6);
  CHECK_WITHIN(order(e[0].e[0], e[1].e[0]), 4, 0.2);
  CHECK_WITHIN(order(e[0].e[1], e[1].e[1]), 4, 0.2);
  CHECK_WITHIN(order(e[0].e[2], e[1].e[2]), 3.7, 0.2);
  CHECK_WITHIN(e[1].gap, 0, 1e-13);
}

/* fast spin about the axis of the middle moment, under thrust: momenta to rounding */
static void tumbling_body(void) {
  static const char model[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {b: {mass: 1, inertia: [0.01, 0.02, 0.03], angular_velocity_body: [0.1, 20, 0.1]}}\n"
      "forces: {f: {type: force, body: b, point: [0, 0, 0], frame: body, force: [0, 0, 12]}}\n";
  static const double w[] = {-0.410499679708, -19.996036857662, 0.250672420395}, x[] = {0.565143544114, 1.119001933934, -4.987373760057};
  static const double L[] = {0.001, 0.4, 0.003}, I[] = {0.01, 0.02, 0.03};
  static const struct {
    int k, n;
    double w, x;
  } want[] = {{2, 100, 1.2e-6, 3.2e-6}, {2, 200, 7.7e-8, 2.0e-7}, {3, 50, 1.1e-8, 1.2e-7}, {3, 100, 1.7e-10, 1.8e-9}};
  double last = 0;
  for (int i = 0; i < TNI_COUNT(want); i++) {
    rig g;
    double v[3], u[3], y[3], C[9], off_w = 0, off_x = 0;
    open_rig(&g, model, 1, points(want[i].k, want[i].n));
    solve(&g);
    tni_cosines_look(g.c, 1, 0, NULL, y, C);
    tni_cosines_end_velocity(g.c, want[i].n - 1, 0, v, u);
    for (int j = 0; j < 3; j++) {
      off_w = fmax(off_w, fabs(u[j] - w[j]));
      off_x = fmax(off_x, fabs(y[j] - x[j]));
      double spin = 0;
      for (int l = 0; l < 3; l++) spin += C[3*j + l]*I[l]*u[l];
      CHECK_WITHIN(spin, L[j], 2e-13);
    }
    CHECK(off_w < 1.1*want[i].w && off_w > 0.3*want[i].w);
    /* forces take the rotation next to C where the prototype takes C itself: another error of the same order */
    CHECK(off_x < 2*want[i].x && off_x > 0.5*want[i].x);
    if (i % 2) CHECK_WITHIN(order(last, off_x), 2*want[i].k, 0.05);
    last = off_x;
    CHECK_WITHIN(tni_cosines_skewness(g.c), 0, 1e-13);
    close_rig(&g);
  }
}


/* ---- joints that are not quadratic, move with time or hold velocities only ------------------- */

static const struct {
  const char *name, *model;
} others[] = {
    {"screw", "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [0.1, 0, 0]}}\n"
              "joints: {j: {type: screw, bodies: [ground, b], at: [0, 0, 0], axis: z, pitch: 0.3, initial_rate: {angle: 2}}}\n"},
    {"drive", "gravity: [0, -9.81, 0]\nbodies: {a: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [0.3, 0, 0]},\n"
              "         b: {mass: 0.5, inertia: [0.01, 0.02, 0.02], at: [0.9, 0, 0.1]}}\n"
              "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z},\n"
              "         k: {type: universal, bodies: [a, b], at: [0.6, 0, 0], axis1: z, axis2: y}}\n"
              "drive: {m: {joint: j, motion: 0.5*sin(2*t) + t}}\n"},
    {"driven in the plane", "planar: true\ngravity: [0, -9.81]\nbodies: {a: {mass: 1, inertia: 0.1, at: [0.3, 0]},\n"
              "         b: {mass: 0.5, inertia: 0.03, at: [0.9, 0]}}\n"
              "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0]}, k: {type: revolute, bodies: [a, b], at: [0.6, 0]}}\n"
              "drive: {m: {joint: j, motion: t + 0.2*t^2}}\n"},
    {"gear", "planar: true\ngravity: [0, -9.81]\nbodies: {a: {mass: 1, inertia: 0.1, at: [0.05, 0]}, b: {mass: 0.5, inertia: 0.03, at: [0.9, 0.1]}}\n"
             "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0], initial_rate: 1}, k: {type: revolute, bodies: [ground, b], at: [0.9, 0]},\n"
             "         m: {type: gear, joints: [j, k], ratio: -2.5}}\n"},
};

/* along a random line, for an element */
static void matrices_agree_with_differences(void) {
  for (int i = 0; i <= TNI_COUNT(others); i++)
    for (int rule = TNI_RULE_GAUSS; rule <= TNI_RULE_COLLOCATION; rule++) {
      rig g;
      uint64_t seed = 7;
      tni_cosine_opts o = points(2, 1);
      o.rule = (tni_cosine_rule)rule;
      open_rig(&g, i ? others[i - 1].model : hinges, 0.1, o);
      (void)tni_cosines_solve(g.c, 30, 1e-12, true, NULL); /* with multipliers, and C about orthogonal */
      int n = tni_cosines_n(g.c);
      double *u = tni_cosines_unknowns(g.c), *mem = calloc(5*(size_t)n, 8), *u0 = mem, *d = mem + n, *R[2] = {mem + 2*n, mem + 3*n};
      double *y = mem + 4*n, off = 0, size = 0, h = 1e-6;
      for (int j = 0; j < n; j++) u0[j] = u[j] + 0.02*check_random(&seed), d[j] = check_random(&seed);
      for (int s = 0; s < 2; s++) {
        for (int j = 0; j < n; j++) u[j] = u0[j] + (2*s - 1)*h*d[j];
        tni_cosines_eval(g.c, R[s], false);
      }
      memcpy(u, u0, (size_t)n*8);
      tni_cosines_eval(g.c, y, true);
      tni_cosines_apply(g.c, d, y);
      for (int j = 0; j < n; j++) {
        size = fmax(size, fabs(y[j]));
        off = fmax(off, fabs((R[1][j] - R[0][j])/(2*h) - y[j]));
      }
      CHECK_WITHIN(off/size, 0, 1e-8);
      free(mem);
      close_rig(&g);
    }
}

/* places at the end against those of the explicit method */
static double difference_by_rule(const char *model, double T, const char *rule, int elements) {
  double x[2][30], off = 0;
  int n = 0;
  for (int m = 0; m < 2; m++) {
    loaded l;
    char text[3000];
    tn_sim *sim = NULL;
    if (m) snprintf(text, sizeof(text), "%sanalysis: {until: %g, method: rk8, tolerance: 1e-12}\n", model, T);
    else snprintf(text, sizeof(text), "%sanalysis: {until: %g, method: state_time, formulation: direction_cosines, rule: %s, elements: %d}\n",
                  model, T, rule, elements);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, T));
    n = 3*sim->s->nbody;
    for (int i = 0; i < n; i++) x[m][i] = sim->s->kin[i/3 + 1].r[i % 3];
    tn_sim_destroy(&sim);
    unload(&l);
  }
  for (int i = 0; i < n; i++) off = fmax(off, fabs(x[0][i] - x[1][i]));
  return off;
}

static void any_joint_has_the_order(void) {
  for (int i = 0; i < TNI_COUNT(others); i++) {
    errors e[2];
    for (int f = 0; f < 2; f++) e[f] = measure(others[i].model, 0.8, points(2, 16 << f));
    if (getenv("SHOW")) printf("%s: %g %g %g\n", others[i].name, e[1].e[0], e[1].e[1], e[1].e[2]);
    CHECK(e[1].e[0] < 1e-4 && order(e[0].e[0], e[1].e[0]) > 3.5);
    CHECK(e[1].e[2] < 1e-3 && order(e[0].e[2], e[1].e[2]) > 3.3);
    /* the weak form, in windows that find their own guesses */
    double off[2];
    for (int f = 0; f < 2; f++) off[f] = difference_by_rule(others[i].model, 0.8, "gauss", 32 << f);
    if (getenv("SHOW")) printf("  gauss: %g %g\n", off[0], off[1]);
    CHECK(off[1] < 1e-4 && order(off[0], off[1]) > 2.5);
  }
}

/* Springs and drives of joints that turn many times: angles are counted on from element to element of a window, by any rule, and the work of the
 * drive is in the balance of energy. */
static void turns_are_counted_within_windows(void) {
  static const char model[] =
      "planar: true\ngravity: [0, -9.81]\n"
      "bodies: {w: {mass: 1, inertia: 0.1, at: [0, 0]}, v: {mass: 1, inertia: 0.1, at: [1.05, 0]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, w], at: [0, 0], initial_rate: 20}, pon: {type: revolute, bodies: [ground, v], at: [1, 0]}}\n"
      "forces: {s: {type: torsion_spring, joint: pin, stiffness: 0.2, damping: 0.01}}\n"
      "drive: {m: {joint: pon, motion: 30*t + sin(3*t)}}\n";
  static const char *const how[] = {"elements: 100, order: 3", "elements: 100, formulation: direction_cosines, order: 3, rule: gauss",
                                    "elements: 100, formulation: direction_cosines, order: 3, rule: gauss, elimination: tree",
                                    "elements: 100, formulation: direction_cosines, order: 3, rule: literal",
                                    "elements: 100, formulation: direction_cosines, order: 3, rule: collocation"};
  /* I q'' = -0.2 q - 0.01 q' */
  double d = 0.05, f = sqrt(2 - d*d), want = exp(-d)*20/f*sin(f);
  for (int i = 0; i < TNI_COUNT(how); i++) {
    loaded l;
    char text[2000];
    tn_sim *sim = NULL;
    tn_summary sum;
    snprintf(text, sizeof(text), "%sanalysis: {until: 1, method: state_time, representation: cartesian, window: 50, %s}\n", model, how[i]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 1));
    check_within(sim_coordinate(sim, "pin"), want, 1e-6, how[i], __FILE__, __LINE__);
    tn_sim_summary(sim, &sum);
    check_within(sum.energy_error/sum.energy_scale, 0, 5e-5, how[i], __FILE__, __LINE__);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* Two four-bars in a row that have passed their flat positions twice: what a weak form leaves there of the rates of joints, a fortieth of the speeds, is
 * no part of the velocities that it ends with. */
static void weak_forms_end_on_their_constraints(void) {
  static const char model[] =
      "planar: true\ngravity: [0, -9.81]\n"
      "repeat:\n"
      "  - for: {i: [0, 2]}\n"
      "    bodies: {\"rod{i}\": {mass: 1, between: [[\"{i}\", 0], [\"{i}\", 1]], velocity: [0.5, 0], angular_velocity: [0, 0, -1]}}\n"
      "    joints: {\"a{i}\": {type: revolute, bodies: [ground, \"rod{i}\"], at: [\"{i}\", 0]}}\n"
      "  - for: {i: [1, 2]}\n"
      "    bodies: {\"bar{i}\": {mass: 1, between: [[\"{i-1}\", 1], [\"{i}\", 1]], velocity: [1, 0]}}\n"
      "    joints: {\"l{i}\": {type: revolute, bodies: [\"rod{i-1}\", \"bar{i}\"], at: [\"{i-1}\", 1]},\n"
      "             \"r{i}\": {type: revolute, bodies: [\"bar{i}\", \"rod{i}\"], at: [\"{i}\", 1]}}\n";
  static const char *const how[] = {"method: rk8, tolerance: 1e-10", "method: state_time, formulation: direction_cosines, elements: 200",
                                    "method: state_time, formulation: direction_cosines, rule: literal, elements: 200"};
  double w[TNI_COUNT(how)][5];
  for (int m = 0; m < TNI_COUNT(how); m++) {
    loaded l;
    char text[2000];
    tn_sim *sim = NULL;
    tn_summary sum;
    snprintf(text, sizeof(text), "%sanalysis: {until: %d, %s}\n", model, all ? 2 : 1, how[m]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, all ? 2 : 1));
    tn_sim_summary(sim, &sum);
    check_within(sum.velocity_error, 0, 1e-9, how[m], __FILE__, __LINE__);
    for (int b = 0; b < 5; b++) {
      w[m][b] = sim->s->kin[b + 1].w[2];
      check_within(w[m][b], w[0][b], 5e-3, how[m], __FILE__, __LINE__);
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
  CHECK(fabs(w[0][0]) > 1);
}

/* a joint that the velocities of the beginning do not keep is named */
static void wrong_velocities_are_refused_by_name(void) {
  rig g;
  tni_cosine_opts o = points(2, 4);
  open_rig(&g, hinges, 1, o);
  CHECK_OK(g.l.ctx, tni_cosines_check_beginning(g.c));
  tni_cosines_destroy(&g.c);
  g.sim->s->kin[2].v[1] += 0.25;
  o.h = 0.25;
  CHECK_OK(g.l.ctx, tni_cosines_create(g.l.ctx, g.sim->s, g.sim->s->kin, &o, &g.c));
  CHECK_INT(tni_cosines_check_beginning(g.c), TN_INCONSISTENT);
  CHECK(strstr(tn_ctx_message(g.l.ctx), "initial velocities violate joint 'j2' by 0.25") != NULL);
  close_rig(&g);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(without_projection_velocities_lose_orders);
  RUN(weak_forms_are_stable_in_bands);
  RUN(forces_need_as_many_points_as_the_order);
  RUN(momenta_end_better_than_polynomials);
  RUN(windows_lose_little);
  if (all) RUN(ball_joint_has_its_orders);
  if (all) RUN(joints_in_space_have_their_orders_by_rule);
  if (all) RUN(redundant_rows_are_dropped_or_give_way);
  RUN(matrices_agree_with_differences);
  RUN(any_joint_has_the_order);
  RUN(golden_numbers_of_a_cardan_joint);
  RUN(tumbling_body);
  RUN(turns_are_counted_within_windows);
  RUN(weak_forms_end_on_their_constraints);
  RUN(wrong_velocities_are_refused_by_name);
  RUN(golden_numbers_of_two_hinges);
  RUN(orders_are_twice_the_points);
  RUN(radau_points_have_one_order_less);
  return REPORT();
}
