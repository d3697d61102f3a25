/* tests/verify/direction_cosines.c - trajectories in direction cosines: the published example to all its digits, orders, joints
 *
 * Example and table I of K. S. Anderson and M. Oghbaei (2005); what they leave open (inertias, test functions, the norm of the
 * error and its interval) is as the table says. Other references: Runge-Kutta of order 8 in minimal coordinates.
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

static tn_status try_open(rig *g, const char *model, int n, double T, int k, int p, tni_cosine_rule rule, bool by_rates) {
  char text[4000];
  memset(g, 0, sizeof(*g));
  snprintf(text, sizeof(text), "%sanalysis: {until: %g, representation: cartesian, method: rk8}\n", model, T);
  load_text(&g->l, text);
  CHECK_OK(g->l.ctx, tn_sim_create(g->l.ctx, g->l.model, NULL, &g->sim));
  tni_cosine_opts o = {.order = k, .force_order = p, .elements = n, .rule = rule, .by_rates = by_rates, .h = T/n};
  return tni_cosines_create(g->l.ctx, g->sim->s, g->sim->s->kin, &o, &g->c);
}
static void open_rig(rig *g, const char *model, int n, double T, int k, int p, tni_cosine_rule rule, bool by_rates) {
  CHECK_OK(g->l.ctx, try_open(g, model, n, T, k, p, rule, by_rates));
}
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

/* ---- the published example ----------------------------------------------------------------- */

static const char two_rods[] =
    "planar: true\n"
    "gravity: [0, -2]\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: 0.64/12, at: [0.4*sin(1), -0.4*cos(1)], orientation: 1}\n"
    "  two: {mass: 0.5, inertia: 0.5/12, at: [0.8*sin(1) + 0.5*sin(1.2), -0.8*cos(1) - 0.5*cos(1.2)], orientation: 1.2}\n"
    "joints:\n"
    "  top: {type: revolute, bodies: [ground, one], at2: [0, 0.4], x1: x, x2: x, initial_rate: 1}\n"
    "  mid: {type: revolute, bodies: [one, two], at1: [0, -0.4], at2: [0, 0.5], x1: x, x2: x, initial_rate: -2}\n";

/* angles from the vertical, y = (q1, q2, w1, w2) */
static void rods_rhs(long double t, const long double *y, long double *f, const void *user) {
  const long double m1 = 1, m2 = 0.5L, l1 = 0.8L, l2 = 1, g = 2;
  long double s = sinl(y[0] - y[1]), c = cosl(y[0] - y[1]);
  long double a = (m1/3 + m2)*l1*l1, b = m2*l1*l2*c/2, d = m2*l2*l2/3;
  long double e = -m2*l1*l2/2*s*y[3]*y[3] - (m1/2 + m2)*g*l1*sinl(y[0]);
  long double h = m2*l1*l2/2*s*y[2]*y[2] - m2*g*l2/2*sinl(y[1]);
  (void)t, (void)user;
  f[0] = y[2], f[1] = y[3];
  f[2] = (e*d - b*h)/(a*d - b*b);
  f[3] = (a*h - b*e)/(a*d - b*b);
}

/* 14 functions: q, x, y, cos, sin of both, then f1x, f1y, f2x, f2y: of the ground on 1, of 1 on 2 */
static void exact_at(double t, double out[14]) {
  static const double start[4] = {1, 1.2, 1, -1};
  static double y[4], at = HUGE_VAL; /* most calls ask for the next instant: go on from the last one */
  long double z[4], f[4];
  if (!(at <= t)) at = 0, memcpy(y, start, sizeof(y));
  if (t > at) reference_solve(rods_rhs, NULL, 4, at, t, 2 + (int)ceil(40*(t - at)), y);
  at = t;
  for (int i = 0; i < 4; i++) z[i] = y[i];
  rods_rhs(0, z, f, NULL);
  double s1 = sin(y[0]), c1 = cos(y[0]), s2 = sin(y[1]), c2 = cos(y[1]), a1 = (double)f[2], a2 = (double)f[3];
  double v[10] = {y[0], 0.4*s1, -0.4*c1, c1, s1, y[1], 0.8*s1 + 0.5*s2, -0.8*c1 - 0.5*c2, c2, s2};
  double x1 = 0.4*(c1*a1 - s1*y[2]*y[2]), y1 = 0.4*(s1*a1 + c1*y[2]*y[2]);
  double x2 = 2*x1 + 0.5*(c2*a2 - s2*y[3]*y[3]), y2 = 2*y1 + 0.5*(s2*a2 + c2*y[3]*y[3]);
  memcpy(out, v, sizeof(v));
  out[12] = 0.5*x2, out[13] = 0.5*(y2 + 2);
  out[10] = x1 + out[12], out[11] = y1 + 2 + out[13];
}

/* multipliers act on the first body with +: minus what the second gets */
static void found_at(rig *g, double t, double out[14]) {
  for (int b = 0; b < 2; b++) tni_cosines_look(g->c, t, b, out + 5*b, out + 5*b + 1, out + 5*b + 3);
  for (int r = 0; r < 4; r++) out[10 + r] = -tni_cosines_multiplier(g->c, t, r);
}

/* areas between the curves by the trapezoidal rule on 65 samples; 0: all, 1: places and directions, 2: forces */
static double area_error(rig *g, int part) {
  enum { SAMPLES = 64 };
  double area[14] = {0}, sum = 0;
  for (int i = 0; i <= SAMPLES; i++) {
    double t = (double)i/SAMPLES, a[14], b[14];
    exact_at(t, a);
    found_at(g, t, b);
    for (int k = 0; k < 14; k++) area[k] += fabs(a[k] - b[k])/SAMPLES*(i == 0 || i == SAMPLES ? 0.5 : 1);
  }
  for (int k = part == 2 ? 10 : 0; k < (part == 1 ? 10 : 14); k++) sum += area[k]*area[k];
  return sqrt(sum);
}

static void counts_are_those_of_the_paper(void) {
  static const int want[] = {28, 52, 100, 196, 388, 772, 1540};
  for (int i = 0; i < 7; i++) {
    rig g;
    open_rig(&g, two_rods, 1 << i, 1, 2, 1, TNI_RULE_LITERAL, false);
    CHECK_INT(tni_cosines_n(g.c), want[i]);
    if (i == 6) {
      int nnz, below, above;
      solve(&g);
      tni_cosines_pattern(g.c, &nnz, &below, &above);
      CHECK_INT(nnz, 20724);
      CHECK_INT(below, 42);
      CHECK_INT(above, 23);
    }
    close_rig(&g);
  }
}

static void table_one_is_met_in_all_its_digits(void) {
  static const double want[] = {0.9038, 0.3502, 0.1273, 0.0272, 0.0062, 0.0024, 0.0008};
  for (int i = 0; i < 7; i++) {
    rig g;
    open_rig(&g, two_rods, 1 << i, 1, 2, 1, TNI_RULE_LITERAL, false);
    int iterations;
    CHECK_OK(g.l.ctx, tni_cosines_solve(g.c, 30, 1e-10, false, &iterations));
    CHECK_INT(iterations, 5);
    solve(&g);
    CHECK_WITHIN(area_error(&g, 0), want[i], 0.5e-4 + 1e-9);
    close_rig(&g);
  }
}

/* prototypes in another language: end of the interval, forces at both ends */
static void golden_numbers_of_the_example(void) {
  static const struct {
    int n;
    double end[10], f0[4], f1[4];
  } gold[] = {
      {1, {0.40420248, 0.15824191, -0.36921596, 0.98115713, 0.46721619, 0.87746393, 0.70115367, -1.05805983, 0.62726432, 0.74964770},
       {-1.13836644, 0.94016663, -0.59955269, 0.15490444}, {-2.15738848, 2.22617707, -0.86821152, 0.73480206}},
      {2, {0.46147597, 0.17812530, -0.35820735, 0.90964041, 0.45290357, 0.80585649, 0.71697321, -1.06266946, 0.68947624, 0.71485484},
       {-1.76239053, 1.59335076, -0.98252002, 0.41327026}, {-3.73949879, 4.83303103, -1.90674726, 1.81325006}},
      {4, {0.45735645, 0.17663382, -0.35889195, 0.90092484, 0.44375554, 0.81129781, 0.71585900, -1.06206318, 0.68784416, 0.72364669},
       {-1.98534872, 1.80999607, -1.11824853, 0.46289898}, {-2.34401623, 5.46491252, -1.51282645, 1.84457502}},
      {64, {0.45653344, 0.17633569, -0.35903443, 0.89759794, 0.44084554, 0.81241605, 0.71564684, -1.06194212, 0.68774406, 0.72594550},
       {-1.94720595, 1.87749010, -1.10240402, 0.45272218}, {-1.80609550, 4.63468316, -1.19216114, 1.51406072}}};
  for (int i = 0; i < TNI_COUNT(gold); i++) {
    rig g;
    double a[14];
    open_rig(&g, two_rods, gold[i].n, 1, 2, 1, TNI_RULE_LITERAL, false);
    solve(&g);
    found_at(&g, 1, a);
    for (int k = 0; k < 10; k++) CHECK_WITHIN(a[k], gold[i].end[k], 1e-7);
    for (int k = 0; k < 4; k++) CHECK_WITHIN(a[10 + k], gold[i].f1[k], 1e-7);
    found_at(&g, 0, a);
    for (int k = 0; k < 4; k++) CHECK_WITHIN(a[10 + k], gold[i].f0[k], 1e-7);
    close_rig(&g);
  }
}

/* n bodies on balls, one on the other, the first one free or, with `held`, on the ground */
static int unknowns_of_balls(int n, bool held, int elements, int k, int p) {
  char text[3000], *at = text;
  rig g;
  at += sprintf(at, "gravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < n; i++) at += sprintf(at, "  b%d: {mass: 1, inertia: [0.1, 0.2, 0.15], at: [%d, 0, 0]}\n", i, i);
  at += sprintf(at, "joints:\n");
  for (int i = 0; i < n - !held; i++)
    at += sprintf(at, held && i == n - 1 ? "  j%d: {type: spherical, bodies: [ground, b0], at: [-0.5, 0, 0]}\n"
                                         : "  j%d: {type: spherical, bodies: [b%d, b%d], at: [%d.5, 0, 0]}\n", i, i, i + 1, i);
  open_rig(&g, text, elements, 0.1, k, p, TNI_RULE_LITERAL, false);
  int unknowns = tni_cosines_n(g.c);
  close_rig(&g);
  return unknowns;
}

/* equation (16) of the paper, for bodies that balls join */
static void trees_of_balls_have_the_count_of_the_paper(void) {
  static const int joints[] = {1, 2, 5};
  for (int i = 0; i < 3; i++)
    for (int k = 2; k <= 3; k++) {
      int m = joints[i], p = k - 1, n = 4;
      CHECK_INT(unknowns_of_balls(m + 1, false, n, k, p), 15*k*n*(m + 1) + 3*m*(p*n + 1));
      CHECK_INT(unknowns_of_balls(m, true, n, k, p), 15*k*n*m + 3*m*(p*n + 1));
    }
}

/* of a product of up to three functions, in sixtieths */
typedef const double (*functions)[TNI_GAUSS_MAX + 1];
static double integral(const tni_cos_rule *q, functions f, int i, functions g, int j, functions h, int k) {
  double sum = 0;
  for (int x = 0; x < q->n; x++) sum += 60*q->b[x]*f[x][i]*(g ? g[x][j] : 1)*(h ? h[x][k] : 1);
  return sum;
}

/* integrals over the unit element, in sixtieths, with the points and functions of the elements themselves */
static void integrals_of_the_element(void) {
  static const double K[3][3] = {{140, -160, 20}, {-160, 320, -160}, {20, -160, 140}}, M[3][3] = {{8, 4, -2}, {4, 32, 4}, {-2, 4, 8}};
  static const double D[3][3] = {{-30, 40, -10}, {-40, 0, 40}, {10, -40, 30}}, b[3] = {10, 40, 10};
  static const double P[2][3] = {{10, 20, 0}, {0, 20, 10}}, Nn[2][3] = {{-50, 40, 10}, {-10, -40, 50}};
  static const double T1[2][3][3] = {{{7, 4, -1}, {4, 16, 0}, {-1, 0, 1}}, {{1, 0, -1}, {0, 16, 4}, {-1, 4, 7}}};
  static const double T2[3][3][3] = {{{-20, -12, 2}, {-12, -32, 4}, {2, 4, 4}}, {{24, 16, 0}, {16, 0, -16}, {0, -16, -24}},
                                     {{-4, -4, -2}, {-4, 32, 12}, {-2, 12, 20}}};
  static const double T3[3][3][3] = {{{74, 72, -6}, {-88, -64, -8}, {14, -8, 14}}, {{-88, -64, -8}, {96, 128, 96}, {-8, -64, -88}},
                                     {{14, -8, 14}, {-8, -64, -88}, {-6, 72, 74}}};
  static const double T4[2][3][3] = {{{-26, -28, 4}, {32, 16, -8}, {-6, 12, 4}}, {{-4, -12, 6}, {8, -16, -32}, {-4, 28, 26}}};
  const double tol = 60*1e-15;
  rig g;
  open_rig(&g, two_rods, 1, 1, 2, 1, TNI_RULE_LITERAL, false);
  const tni_cos_rule *q = &g.c->exact;
  CHECK(q->n >= 3);
  for (int i = 0; i < 3; i++) {
    CHECK_WITHIN(integral(q, q->psi, i, NULL, 0, NULL, 0), b[i], tol);
    for (int e = 0; e < 2; e++) {
      CHECK_WITHIN(integral(q, q->phi, e, q->psi, i, NULL, 0), P[e][i], tol);
      CHECK_WITHIN(integral(q, q->phi, e, q->rate, i, NULL, 0), Nn[e][i], 4*tol);
    }
    for (int j = 0; j < 3; j++) {
      CHECK_WITHIN(integral(q, q->rate, i, q->rate, j, NULL, 0), K[i][j], 8*tol);
      CHECK_WITHIN(integral(q, q->psi, i, q->psi, j, NULL, 0), M[i][j], tol);
      CHECK_WITHIN(integral(q, q->psi, i, q->rate, j, NULL, 0), D[i][j], 4*tol);
      for (int e = 0; e < 2; e++) {
        CHECK_WITHIN(integral(q, q->phi, e, q->psi, i, q->psi, j), T1[e][i][j], tol);
        CHECK_WITHIN(integral(q, q->phi, e, q->rate, i, q->psi, j), T4[e][i][j], 4*tol);
      }
      for (int a = 0; a < 3; a++) {
        CHECK_WITHIN(integral(q, q->rate, a, q->psi, i, q->psi, j), T2[a][i][j], 4*tol);
        CHECK_WITHIN(integral(q, q->rate, a, q->rate, i, q->psi, j), T3[a][i][j], 8*tol);
      }
    }
  }
  close_rig(&g);
}

/* 5 s in 64 elements: figure 3 of the paper against the marched motion, and the prototype's end */
static void five_seconds_agree_with_marching(void) {
  static const double q[] = {0.90282357, 1.40721448}, w[] = {1.0067966, -0.9037492};
  enum { N = 64 };
  rig g;
  double angle[2] = {1, 1.2}, off = 0, area = 0;
  open_rig(&g, two_rods, N, 5, 2, 1, TNI_RULE_LITERAL, false);
  for (int node = 1; node <= 2*N; node++) { /* the motion as a first guess */
    CHECK_OK(g.l.ctx, tn_sim_advance(g.sim, 2.5*node/N));
    for (int b = 0; b < 2; b++) {
      const double *A = g.sim->s->kin[b + 1].A;
      angle[b] += remainder(atan2(A[3], A[0]) - angle[b], 6.283185307179586);
    }
    tni_cosines_guess_node(g.c, node, g.sim->s->kin, angle);
  }
  CHECK(solve(&g) <= 8);
  for (int i = 1; i <= 5*N; i++) {
    double a[14], b[14];
    exact_at(5.0*(i - 0.5)/(5*N), a);
    found_at(&g, 5.0*(i - 0.5)/(5*N), b);
    for (int k = 10; k < 14; k++) area += (a[k] - b[k])*(a[k] - b[k])*5/(5*N);
    if (i % 5) continue;
    exact_at(5.0*i/(5*N), a);
    found_at(&g, 5.0*i/(5*N), b);
    off = fmax(off, fmax(fabs(a[0] - b[0]), fabs(a[5] - b[5])));
  }
  CHECK_WITHIN(off, 5.1e-4, 0.1e-4);
  CHECK(sqrt(area) < 0.09);
  for (int b = 0; b < 2; b++) {
    double v[2], spin, end;
    tni_cosines_look(g.c, 5, b, &end, NULL, NULL);
    tni_cosines_end_velocity(g.c, N - 1, b, v, &spin);
    CHECK_WITHIN(end, q[b], 1e-7);
    CHECK_WITHIN(spin, w[b], 1e-6);
  }
  close_rig(&g);
}

/* ---- derivatives, structure ---------------------------------------------------------------- */

#define SPATIAL_PENDULUM                                                                                                \
  "gravity: [0, 0, -9.81]\n"                                                                                           \
  "bodies:\n"                                                                                                          \
  "  one: {mass: 1, inertia: [[0.09, 0.01, 0], [0.01, 0.08, 0.005], [0, 0.005, 0.02]]}\n"                               \
  "  two: {mass: 0.5, inertia: [[0.04, 0, 0.002], [0, 0.035, 0], [0.002, 0, 0.01]]}\n"                                  \
  "joints:\n"                                                                                                          \
  "  j1: {type: revolute, bodies: [ground, one], at1: [0, 0, 0], at2: [0, 0, 0.5], axis1: x, axis2: x, x1: y, x2: y,\n"         \
  "       initial: 0.6, initial_rate: 1}\n"
static const char hinges[] =
    SPATIAL_PENDULUM "  j2: {type: revolute, bodies: [one, two], at1: [0.1, 0, -0.5], at2: [0, 0.05, 0.4], axis1: [0, 0.8, 0.6],\n"
                     "       axis2: [0, 0.8, 0.6], x1: x, x2: x, initial: -0.4, initial_rate: -2}\n";
static const char spring_rod[] =
    "planar: true\ngravity: [0, -2]\n"
    "bodies: {rod: {mass: 1, inertia: 0.64/12, at: [0.4*sin(1), -0.4*cos(1)], orientation: 1}}\n"
    "joints: {pin: {type: revolute, bodies: [ground, rod], at2: [0, 0.4], x1: x, x2: x, initial_rate: 1}}\n"
    "forces: {s: {type: spring, bodies: [ground, rod], at1: [1, -0.5], at2: [0, -0.4], stiffness: 20, damping: 0.5,\n"
    "             free_length: 0.4}}\n";

/* along a random line: first differences are the matrix, third ones vanish where forces are at most quadratic */
static void check_matrix(const char *model, tni_cosine_rule rule, bool by_rates, bool quadratic) {
  rig g;
  uint64_t seed = 5;
  open_rig(&g, model, 3, 0.3, 2, 1, rule, by_rates);
  int n = tni_cosines_n(g.c);
  double *u = tni_cosines_unknowns(g.c), *u0 = malloc(sizeof(double)*(size_t)n), *d = malloc(sizeof(double)*(size_t)n);
  double *R[5], *y = malloc(sizeof(double)*(size_t)n), size = 0, off = 0, third = 0;
  for (int i = 0; i < n; i++) {
    u0[i] = u[i] + 0.05*check_random(&seed);
    d[i] = check_random(&seed);
  }
  for (int s = 0; s < 5; s++) {
    R[s] = malloc(sizeof(double)*(size_t)n);
    double h = quadratic ? 0.5 : 1e-4;
    for (int i = 0; i < n; i++) u[i] = u0[i] + h*(s - 2)*d[i];
    tni_cosines_eval(g.c, R[s], false);
  }
  memcpy(u, u0, sizeof(double)*(size_t)n);
  tni_cosines_eval(g.c, y, true);
  tni_cosines_apply(g.c, d, y);
  double h = quadratic ? 0.5 : 1e-4;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(y[i]));
    off = fmax(off, fabs((8*(R[3][i] - R[1][i]) - (R[4][i] - R[0][i]))/(12*h) - y[i]));
    third = fmax(third, fabs(R[4][i] - 2*R[3][i] + 2*R[1][i] - R[0][i]));
  }
  CHECK_WITHIN(off/size, 0, quadratic ? 1e-12 : 1e-7);
  if (quadratic) CHECK_WITHIN(third/size, 0, 1e-12);
  for (int s = 0; s < 5; s++) free(R[s]);
  free(u0), free(d), free(y);
  close_rig(&g);
}

static void matrices_agree_with_differences(void) {
  static const char ball[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {b: {mass: 1, inertia: [[0.4, 0.02, 0], [0.02, 0.3, 0.01], [0, 0.01, 0.15]], at: [0.1, 0.2, -0.4],\n"
      "             angular_velocity_body: [0.5, -0.3, 2]}}\n"
      "joints: {j: {type: spherical, bodies: [ground, b], at: [0, 0, 0]}}\n";
  for (int rule = TNI_RULE_LITERAL; rule <= TNI_RULE_GAUSS; rule++)
    for (int rates = 0; rates < 2; rates++) {
      check_matrix(two_rods, (tni_cosine_rule)rule, rates, rates == 1);
      check_matrix(ball, (tni_cosine_rule)rule, rates, false);
      check_matrix(hinges, (tni_cosine_rule)rule, rates, false);
    }
  check_matrix(spring_rod, TNI_RULE_GAUSS, false, false);
}

static void forces_must_be_of_lower_order(void) {
  for (int k = 1; k <= 3; k++) {
    rig g;
    CHECK_INT(try_open(&g, two_rods, 4, 1, k, k, TNI_RULE_LITERAL, false), TN_ERR_ARGUMENT);
    CHECK(strstr(tn_ctx_message(g.l.ctx), "must be smaller than order") != NULL);
    close_rig(&g);
  }
}

/* ---- orders -------------------------------------------------------------------------------- */

/* nodal angle, places and directions, forces, |C|: errors of a run of T = 1 s */
/* angles at nodes, all fields, forces, angles (mean squares), C^2 + S^2 - 1 (largest in time) */
enum { NODAL, FIELDS, FORCES, ANGLES, UNIT, NEXAMPLE };
static void errors_of(int n, int k, int p, tni_cosine_rule rule, double out[NEXAMPLE]) {
  rig g;
  open_rig(&g, two_rods, n, 1, k, p, rule, false);
  solve(&g);
  memset(out, 0, NEXAMPLE*sizeof(double));
  for (int e = 1; e <= n; e++) {
    double a[14], b[14];
    exact_at((double)e/n, a);
    found_at(&g, (double)e/n, b);
    out[NODAL] = fmax(out[NODAL], fmax(fabs(a[0] - b[0]), fabs(a[5] - b[5])));
  }
  /* mean squares over all elements, at five points each */
  for (int i = 0; i < 5*n; i++) {
    double t = (i + 0.5)/(5*n), a[14], b[14];
    exact_at(t, a);
    found_at(&g, t, b);
    for (int c = 0; c < 14; c++) {
      double square = (a[c] - b[c])*(a[c] - b[c])/(5*n);
      out[c < 10 ? FIELDS : FORCES] += square;
      if (c == 0 || c == 5) out[ANGLES] += square;
    }
    for (int c = 3; c < 10; c += 5) out[UNIT] = fmax(out[UNIT], fabs(b[c]*b[c] + b[c+1]*b[c+1] - 1));
  }
  for (int c = FIELDS; c <= ANGLES; c++) out[c] = sqrt(out[c]);
  close_rig(&g);
}

static bool all; /* argument */

static void orders_of_the_example(void) {
  static const struct {
    int k, p;
    tni_cosine_rule rule;
    double order[NEXAMPLE];
  } want[] = {{2, 1, TNI_RULE_LITERAL, {4.1, 2.1, 2.06, 3.0, 2.0}}, {2, 1, TNI_RULE_DISCONTINUOUS, {4.1, 3.0, 2.06, 3.0, 3.0}},
              {3, 2, TNI_RULE_LITERAL, {3.9, 4.0, 2.0, 4.0, 4.0}},  {3, 2, TNI_RULE_DISCONTINUOUS, {3.9, 4.0, 2.0, 4.0, 3.9}},
              {3, 1, TNI_RULE_DISCONTINUOUS, {4.1, 4.1, 2.05, 4.1, 3.9}}};
  for (int i = 0; i < TNI_COUNT(want); i += all ? 1 : 2) {
    double a[NEXAMPLE], b[NEXAMPLE];
    errors_of(16, want[i].k, want[i].p, want[i].rule, a);
    errors_of(32, want[i].k, want[i].p, want[i].rule, b);
    for (int c = 0; c < NEXAMPLE; c++) CHECK_WITHIN(log2(a[c]/b[c]), want[i].order[c], 0.2);
  }
}

/* ---- joints in space ----------------------------------------------------------------------- */

static void golden_numbers_of_two_hinges(void) {
  static const struct {
    tni_cosine_rule rule;
    double x[3], f0[3], f1[3];
  } gold[] = {{TNI_RULE_GAUSS, {-0.0451437685, -0.6505631822, -1.2066083558}, {1.2090000160, 5.3188756323, -12.6319313155},
               {-1.1781375352, -5.0405490381, -14.1841445184}},
              {TNI_RULE_DISCONTINUOUS, {-0.0451434145, -0.6505629059, -1.2066085676}, {1.2084396143, 5.3166438877, -12.6280301914},
               {-1.1785433187, -5.0425529105, -14.1830137722}}};
  for (int i = 0; i < 2; i++) {
    rig g;
    double x[3];
    open_rig(&g, hinges, 16, 1, 2, 1, gold[i].rule, true);
    CHECK_INT(tni_cosines_n(g.c), 1130);
    solve(&g);
    tni_cosines_look(g.c, 1, 1, NULL, x, NULL);
    for (int k = 0; k < 3; k++) {
      CHECK_WITHIN(x[k], gold[i].x[k], 1e-7);
      CHECK_WITHIN(tni_cosines_multiplier(g.c, 0, k), gold[i].f0[k], 1e-6);
      CHECK_WITHIN(tni_cosines_multiplier(g.c, 1, k), gold[i].f1[k], 1e-6);
    }
    if (i == 0) CHECK_WITHIN(tni_cosines_skewness(g.c), 0, 1e-13);
    close_rig(&g);
  }
}

/* 0 place, 1 directions, 2 forces at the end, 3 velocity, 4 angular velocity of the last body at T = 1; want: x, C rows, v, w,
 * forces of the first three rows */
typedef struct {
  double x[3], v[3], w[3], f[3];
  int body;
} end_values;

static void end_errors(const char *model, const end_values *want, int n, int k, int p, tni_cosine_rule rule, bool rates,
                       double out[4]) {
  rig g;
  double x[3], v[3], w[3];
  open_rig(&g, model, n, 1, k, p, rule, rates);
  solve(&g);
  tni_cosines_look(g.c, 1, want->body, NULL, x, NULL);
  tni_cosines_end_velocity(g.c, n - 1, want->body, v, w);
  memset(out, 0, 4*sizeof(double));
  for (int i = 0; i < 3; i++) {
    out[0] = fmax(out[0], fabs(x[i] - want->x[i]));
    out[1] = fmax(out[1], fabs(tni_cosines_multiplier(g.c, 1, i) - want->f[i]));
    out[2] = fmax(out[2], fmax(fabs(w[i] - want->w[i]), fabs(v[i] - want->v[i])));
  }
  out[3] = tni_cosines_skewness(g.c);
  close_rig(&g);
}

static const end_values hinges_end = {{-0.045143173025, -0.650565403062, -1.206607458271},
                                      {0.239922613874, -1.660609494404, 0.774527354526},
                                      {-1.211506642745, -0.344265668461, -1.133680512300},
                                      {-1.174380470472, -4.992913556384, -14.174792881417}, 1};

/* revolute about z and a slide along (0.8, 0, 0.6) */
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
static const end_values arm_end = {{1.480885477753, -0.588954686706, -1.495277289766},
                                   {4.788141113872, -0.885800100119, -3.582404237875}, {0, 0, 0.593817050683},
                                   {-2.835391221783, -0.650470533838, -12.814327324248}, 1};

static void joints_in_space_keep_their_orders(void) {
  static const struct {
    const char *model;
    const end_values *end;
    double order[2];
  } cases[] = {{arm, &arm_end, {4.0, 2.3}}, {hinges, &hinges_end, {4.0, 2.0}}};
  for (int i = 0; i < (all ? 2 : 1); i++) {
    double a[4], b[4], other[4];
    end_errors(cases[i].model, cases[i].end, 16, 2, 1, TNI_RULE_GAUSS, true, a);
    end_errors(cases[i].model, cases[i].end, 32, 2, 1, TNI_RULE_GAUSS, true, b);
    end_errors(cases[i].model, cases[i].end, 32, 2, 1, TNI_RULE_GAUSS, false, other);
    CHECK_WITHIN(b[0], other[0], 1e-10);
    CHECK_WITHIN(log2(a[0]/b[0]), cases[i].order[0], 0.2);  /* places */
    CHECK_WITHIN(log2(a[1]/b[1]), cases[i].order[1], 0.2);  /* forces */
    CHECK(log2(a[2]/b[2]) > 2.8);  /* one velocity from momenta: 3.1, or more where its error happens to be small; all of them in cosine_points.c */
    CHECK_WITHIN(b[3], 0, 1e-13);
  }
  if (!all) return;
  /* the paper's own combination in space: forces at the end stay wrong, and so do velocities with them */
  double a[4], b[4];
  end_errors(arm, &arm_end, 16, 2, 1, TNI_RULE_LITERAL, true, a);
  end_errors(arm, &arm_end, 32, 2, 1, TNI_RULE_LITERAL, true, b);
  CHECK(b[1] > 0.9 && fabs(log2(a[1]/b[1])) < 0.2);
  CHECK_WITHIN(log2(a[2]/b[2]), 1, 0.2);
}

/* closed loops in the plane: prototypes of the same equations */
static void golden_numbers_of_loops(void) {
  static const char four_bar[] =
      "planar: true\ngravity: [0, -2]\n"
      "params: {th: 1, px: 0.3*cos(1), py: 0.3*sin(1), r2: (1 - 0.3*cos(1))^2 + (0.3*sin(1))^2, r: sqrt(r2),\n"
      "         be: \"atan2(-py, 1 - px) + acos((0.81 + r2 - 0.49)/(1.8*r))\", qx: px + 0.9*cos(be), qy: py + 0.9*sin(be)}\n"
      "bodies:\n"
      "  crank: {mass: 0.3, inertia: 0.3*0.09/12, between: [[0, 0], [px, py]]}\n"
      "  coupler: {mass: 0.9, inertia: 0.9*0.81/12, between: [[px, py], [qx, qy]]}\n"
      "  rocker: {mass: 0.7, inertia: 0.7*0.49/12, between: [[1, 0], [qx, qy]]}\n"
      "joints:\n"
      "  a: {type: revolute, bodies: [ground, crank], at1: [0, 0], at2: [-0.15, 0], initial_rate: 3}\n"
      "  b: {type: revolute, bodies: [crank, coupler], at1: [0.15, 0], at2: [-0.45, 0]}\n"
      "  c: {type: revolute, bodies: [coupler, rocker], at1: [0.45, 0], at2: [0.35, 0]}\n"
      "  d: {type: revolute, bodies: [ground, rocker], at1: [1, 0], at2: [-0.35, 0]}\n";
  static const char slider[] =
      "planar: true\ngravity: [0, -9.81]\n"
      "params: {px: 0.2*cos(0.8), py: 0.2*sin(0.8), sx: px + sqrt(0.25 - (0.05 - py)^2)}\n"
      "bodies:\n"
      "  crank: {mass: 0.5, inertia: 0.5*0.04/12, between: [[0, 0], [px, py]]}\n"
      "  rod: {mass: 0.8, inertia: 0.8*0.25/12, between: [[px, py], [sx, 0.05]]}\n"
      "  slider: {mass: 0.4, inertia: 0.001, at: [sx, 0.05]}\n"
      "joints:\n"
      "  a: {type: revolute, bodies: [ground, crank], at1: [0, 0], at2: [-0.1, 0], initial_rate: 5}\n"
      "  b: {type: revolute, bodies: [crank, rod], at1: [0.1, 0], at2: [-0.25, 0]}\n"
      "  c: {type: revolute, bodies: [rod, slider], at1: [0.25, 0], at2: [0, 0]}\n"
      "  g: {type: prismatic, bodies: [ground, slider], at1: [0, 0.05], at2: [0, 0], axis: x}\n";
  static const struct {
    const char *model;
    int n;
    double theta;
  } gold[] = {{four_bar, 64, 5.0039690282}, {four_bar, 128, 5.0039688857}, {slider, 64, 7.3904908779},
              {slider, 128, 7.3905350280}};
  for (int i = 0; i < TNI_COUNT(gold); i++) {
    rig g;
    double q;
    open_rig(&g, gold[i].model, gold[i].n, 1, 2, 1, TNI_RULE_GAUSS, false);
    CHECK_INT(tni_cosines_n(g.c), 2440*gold[i].n/64 - (gold[i].n/64 - 1)*8);
    /* the motion as a first guess */
    for (int node = 1; node <= 2*gold[i].n; node++) {
      double angle[3];
      CHECK_OK(g.l.ctx, tn_sim_advance(g.sim, 0.5*node/gold[i].n));
      for (int b = 0; b < 3; b++) {
        const double *A = g.sim->s->kin[b + 1].A;
        double last;
        tni_cosines_look(g.c, 0.5*(node - 1)/gold[i].n, b, &last, NULL, NULL);
        angle[b] = last + remainder(atan2(A[3], A[0]) - last, 6.283185307179586);
      }
      tni_cosines_guess_node(g.c, node, g.sim->s->kin, angle);
    }
    solve(&g);
    tni_cosines_look(g.c, 1, 0, &q, NULL, NULL);
    CHECK_WITHIN(q, gold[i].theta, 1e-7);
    close_rig(&g);
  }
}

/* k points are enough for forces that depend on the state, and give the best result */
static void springs_keep_the_order(void) {
  double off[2];
  for (int i = 0; i < 2; i++) {
    rig g;
    int n = 32 << i;
    double q, v[2], w;
    open_rig(&g, spring_rod, n, 1, 2, 1, TNI_RULE_GAUSS, false);
    solve(&g);
    tni_cosines_look(g.c, 1, 0, &q, NULL, NULL);
    tni_cosines_end_velocity(g.c, n - 1, 0, v, &w);
    off[i] = fabs(q - 0.656583155440);
    if (i) CHECK_WITHIN(off[1], 0, 1.2e-7);
    if (i) CHECK_WITHIN(w, 0.897488674104, 1e-4);
    close_rig(&g);
  }
  CHECK_WITHIN(log2(off[0]/off[1]), 4, 0.3);
}

/* operations as predicted: a merge takes (10/3 + 12) nz^3, to the next power of nz; what was done is that less what zeros of elements save */
static double reflections(double rows, double width, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += 4*(rows - k)*(width - k);
  return sum;
}
static void check_work(tni_chain_work work, int nz, int elements, int inner) {
  double own = elements*reflections(inner + nz, inner + 2*nz + 1, inner), root = reflections(2*nz, 2*nz + 1, 2*nz - 1);
  double merges = work.flops - own - root, n3 = (double)nz*nz*nz;
  CHECK_NEAR(merges, work.merges*(10.0/3 + 12)*n3, 2.5/nz);
  CHECK(work.done <= own + merges && work.done > 0.9*(own + merges));
  CHECK(work.critical < work.flops && work.critical > merges/work.merges*work.levels);
}

/* the hybrid form, eliminated block by block, has the solution of the whole matrix, whatever the tree; and for a given tree the same
 * bits whoever does the work */
static void chains_step_like_the_whole_matrix(void) {
  static const char *const model[] = {two_rods, hinges};
  for (int i = 0; i < 2; i++) {
    for (int rule = TNI_RULE_LITERAL; rule <= TNI_RULE_GAUSS; rule++) {
      for (int k = 2; k <= (i ? 2 : 3); k++) {
        rig g;
        open_rig(&g, model[i], i ? 8 : 16, 1, k, k - 1, (tni_cosine_rule)rule, false);
        int n = tni_cosines_n(g.c);
        double *u = tni_cosines_unknowns(g.c), *whole = malloc(sizeof(double)*(size_t)n), *first = NULL;
        memcpy(whole, u, sizeof(double)*(size_t)n);
        (void)tni_cosines_solve(g.c, 1, 0, false, NULL); /* one step */
        double size = 0;
        for (int j = 0; j < n; j++) {
          double du = u[j] - whole[j];
          u[j] = whole[j];
          whole[j] = du;
          size = fmax(size, fabs(du));
        }
        for (int groups = 1; groups <= (i ? 8 : 16); groups *= i ? 8 : 4) {
          for (int threads = 1; threads <= 4; threads *= 2) {
            double *dz = malloc(sizeof(double)*(size_t)n), off = 0;
            g.l.ctx->opts.threads = threads;
            CHECK_OK(g.l.ctx, tni_cosines_chain_step(g.c, groups, dz));
            for (int j = 0; j < n; j++) off = fmax(off, fabs(dz[j] - whole[j]));
            CHECK_WITHIN(off/size, 0, 1e-9);
            if (threads > 1) CHECK(memcmp(first, dz, sizeof(double)*(size_t)n) == 0);
            if (threads == 1) {
              free(first);
              first = dz;
            } else {
              free(dz);
            }
          }
          if (g.l.ctx->stop_pool) g.l.ctx->stop_pool(g.l.ctx); /* the next has another number of threads */
        }
        CHECK_INT(tni_cosines_chain_work(g.c).levels, i ? 3 : 4);
        tni_chain_work work = tni_cosines_chain_work(g.c);
        CHECK_INT(work.merges, i ? 7 : 15);
        check_work(work, tni_cosines_chain_width(g.c), i ? 8 : 16, i ? 30*(k - 1) + 10*(k - 2) : 10*(k - 1) + 4*(k - 2));
        free(whole), free(first);
        close_rig(&g);
      }
    }
  }
}

/* virtual ranks: the bits of as many groups, one message a merge of groups up and down, and those of the sums */
typedef struct {
  const char *model;
  const double *want;
  int n;
} rank_job;

static tn_status step_on_a_rank(tni_comm *comm, void *user) {
  const rank_job *j = user;
  rig g;
  open_rig(&g, j->model, 16, 1, 2, 1, TNI_RULE_GAUSS, false);
  double *dz = malloc(sizeof(double)*(size_t)j->n);
  tn_status st = tni_cosines_chain_step_ranks(g.c, comm, dz);
  for (int i = 0; i < j->n && st == TN_OK; i++)
    if (dz[i] != j->want[i]) st = TN_INCONSISTENT;
  free(dz);
  close_rig(&g);
  return st;
}

/* what all ranks do together at the end of a step: is it regular, and the sum of the parts */
static tn_status end_of_step(tni_comm *comm, void *user) {
  const rank_job *j = user;
  double wrong = 0, *x = calloc((size_t)j->n, sizeof(double));
  tn_status st = tni_comm_max(comm, 1, &wrong);
  if (st == TN_OK) st = tni_comm_sum(comm, j->n, x);
  free(x);
  return st;
}

static void ranks_step_like_groups(void) {
  static const char *const model[] = {two_rods, hinges};
  for (int i = 0; i < 2; i++) {
    for (int size = 1; size <= 7; size += size < 4 ? 1 : 3) {
      rig g;
      open_rig(&g, model[i], 16, 1, 2, 1, TNI_RULE_GAUSS, false);
      int n = tni_cosines_n(g.c), nz = tni_cosines_chain_width(g.c);
      double *want = malloc(sizeof(double)*(size_t)n);
      CHECK_OK(g.l.ctx, tni_cosines_chain_step(g.c, size, want));
      rank_job job = {model[i], want, n};
      long messages, bytes, others = size - 1;
      CHECK_OK(g.l.ctx, tni_comm_run_local(g.l.ctx, size, step_on_a_rank, &job, &messages, &bytes));
      long ends, end_bytes;
      CHECK_OK(g.l.ctx, tni_comm_run_local(g.l.ctx, size, end_of_step, &job, &ends, &end_bytes));
      CHECK_INT(messages, others*2 + ends);
      CHECK_INT(bytes, others*8*(nz*(2*nz + 1) + 2*nz) + end_bytes);
      free(want);
      close_rig(&g);
    }
  }
}

/* Newton's iterations by length and elements, from a constant guess and from a marched run with forces 0: the claims table in
 * docs/theory/state-time.md */
static void print_iterations(void) {
  static const double T[] = {1, 2.5, 5};
  printf("| T, s | guess | 16 | 32 | 64 | 128 | 256 elements |\n|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < 3; i++)
    for (int coarse = 0; coarse < 2; coarse++) {
      printf("| %g | %s |", T[i], coarse ? "marched" : "constant");
      for (int n = 16; n <= 256; n *= 2) {
        rig g;
        int it = 0;
        open_rig(&g, two_rods, n, T[i], 2, 1, TNI_RULE_LITERAL, false);
        bool guessed = !coarse;
        if (coarse) {
          tn_sim *sim = g.sim;
          tni_data *s = sim->s;
          double t_old = 0, angle[2] = {1, 1.2}, spin[2] = {1, -1};
          guessed = true;
          /* a marched run read at the nodes */
          for (int node = 1; node <= 2*n && guessed; node++) {
            double t = T[i]*node/(2*n);
            guessed = tn_sim_advance(sim, t) == TN_OK;
            for (int b = 0; b < 2; b++) {
              angle[b] += 0.5*(t - t_old)*(spin[b] + s->kin[b + 1].w[2]);
              spin[b] = s->kin[b + 1].w[2];
            }
            tni_cosines_guess_node(g.c, node, s->kin, angle);
            t_old = t;
          }
        }
        tn_status st = guessed ? tni_cosines_solve(g.c, 40, 1e-10, true, &it) : TN_NOT_CONVERGED;
        if (st == TN_OK) printf(" %d |", it);
        else printf(" - |");
        fflush(stdout);
        close_rig(&g);
      }
      printf("\n");
    }
}

/* how many of so many starting vectors lead to the solution: all unknowns by chance in [-1, 1], or the solution with such noise of a size */
static int lead_home(int n, int seeds, double noise, bool damped) {
  rig g;
  int home = 0;
  open_rig(&g, two_rods, n, 1, 2, 1, TNI_RULE_LITERAL, false);
  solve(&g);
  int size = tni_cosines_n(g.c);
  double *u = tni_cosines_unknowns(g.c), *right = malloc(sizeof(double)*(size_t)size);
  memcpy(right, u, sizeof(double)*(size_t)size);
  for (int k = 1; k <= seeds; k++) {
    uint64_t seed = (uint64_t)k;
    double off = 0;
    for (int i = 0; i < size; i++) u[i] = noise > 0 ? right[i] + noise*check_random(&seed) : check_random(&seed);
    if (tni_cosines_solve(g.c, 60, 1e-10, damped, NULL) != TN_OK) continue;
    for (int i = 0; i < size; i++) off = fmax(off, fabs(u[i] - right[i]));
    home += off < 1e-6;
  }
  free(right);
  close_rig(&g);
  return home;
}

static void print_random_guesses(void) {
  printf("\nrandom vectors that lead to the solution, of 20, T = 1 s:");
  for (int n = 1; n <= 64; n *= 4) printf(" %d (%d elements)", lead_home(n, 20, 0, false), n);
  printf("\n| noise on the solution | 16 elements: plain, damped | 64: plain, damped |\n|---|---|---|\n");
  static const double noise[] = {0.03, 0.1, 0.3, 1};
  for (int i = 0; i < 4; i++)
    printf("| %g | %d, %d | %d, %d of 10 |\n", noise[i], lead_home(16, 10, noise[i], false), lead_home(16, 10, noise[i], true),
           lead_home(64, 10, noise[i], false), lead_home(64, 10, noise[i], true));
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (argc > 1 && strcmp(argv[1], "claims") == 0) {
    print_iterations();
    print_random_guesses();
    return 0;
  }
  RUN(ranks_step_like_groups);
  RUN(chains_step_like_the_whole_matrix);
  RUN(counts_are_those_of_the_paper);
  RUN(trees_of_balls_have_the_count_of_the_paper);
  RUN(integrals_of_the_element);
  RUN(five_seconds_agree_with_marching);
  RUN(table_one_is_met_in_all_its_digits);
  RUN(golden_numbers_of_the_example);
  RUN(matrices_agree_with_differences);
  RUN(forces_must_be_of_lower_order);
  RUN(orders_of_the_example);
  RUN(golden_numbers_of_two_hinges);
  RUN(joints_in_space_keep_their_orders);
  RUN(golden_numbers_of_loops);
  RUN(springs_keep_the_order);
  return REPORT();
}
