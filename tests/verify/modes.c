/* verification of the analysis `modes`: closed forms of frequencies, damping, gyroscopic and
 * geometric terms, and frequencies seen in small motions
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "analyses/modes.h"

#include <stdarg.h>
#include <unistd.h>

#include "support/loaded.h"
#include "verify/models.h"

static const double PI = 3.14159265358979323846;

typedef struct {
  loaded l;
  tn_sim *sim;
  tni_modes modes;
} bench;

static void bench_open(bench *b, const char *text) {
  load_text(&b->l, text);
  CHECK_OK(b->l.ctx, tn_sim_create(b->l.ctx, b->l.model, NULL, &b->sim));
  CHECK_OK(b->l.ctx, tni_modes_compute(b->sim, &b->modes));
}

static void bench_close(bench *b) {
  tn_sim_destroy(&b->sim);
  unload(&b->l);
}

/* text that grows */
static void put(char *text, size_t size, const char *fmt, ...) {
  size_t at = strlen(text);
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text + at, size - at, fmt, ap);
  va_end(ap);
}

/* n equal masses on a line of equal springs, one or both ends fixed; two rails each, so that the
 * guides are redundant */
static void chain_text(char *text, size_t size, int n, bool both, double k, double m, double c) {
  text[0] = 0;
  put(text, size, "bodies:\n");
  for (int i = 1; i <= n; i++)
    put(text, size, "  m%d: {mass: %g, inertia: [1, 1, 1], at: [%d, 0, 0]}\n", i, m, i);
  put(text, size, "joints:\n");
  for (int i = 1; i <= n; i++)
    put(text, size,
        "  a%d: {type: prismatic, bodies: [ground, m%d], at: [%d, 0, 0], axis: x}\n"
        "  b%d: {type: prismatic, bodies: [ground, m%d], at: [%d, 1, 0], axis: x}\n",
        i, i, i, i, i, i);
  put(text, size, "forces:\n");
  for (int i = 0; i < n + both; i++) {
    char first[16], second[16];
    snprintf(first, sizeof(first), i == 0 ? "ground" : "m%d", i);
    snprintf(second, sizeof(second), i == n ? "ground" : "m%d", i + 1);
    put(text, size,
        "  s%d: {type: spring, bodies: [%s, %s], at1: [0, 0, 0], at2: [%d, 0, 0],\n"
        "       stiffness: %g, damping: %g}\n",
        i, first, second, i == n ? n + 1 : 0, k, c);
  }
  put(text, size, "analysis: {type: modes}\n");
}

static void chains_have_their_closed_form(void) {
  enum { N = 7 };
  const double k = 700, m = 3;
  static char text[16384];
  for (int both = 0; both < 2; both++) {
    bench b;
    chain_text(text, sizeof(text), N, both, k, m, 0);
    bench_open(&b, text);
    CHECK(b.modes.symmetric);
    CHECK_INT(b.modes.nmode, N);
    CHECK_INT(b.modes.nrigid, 0);
    CHECK_INT(b.modes.nunstable, 0);
    for (int j = 1; j <= N; j++) {
      double w = both ? 2*sqrt(k/m)*sin(j*PI/(2*(N + 1)))
                      : 2*sqrt(k/m)*sin((2*j - 1)*PI/(2*(2*N + 1)));
      CHECK_NEAR(b.modes.mode[j-1].im, w, 1e-12);
      CHECK_NEAR(b.modes.mode[j-1].frequency, w/(2*PI), 1e-12);
      /* shape: sin(j pi i/(n+1)) or sin((2j-1) pi i/(2n+1)) */
      double want[N], scale = 0;
      for (int i = 0; i < N; i++) {
        want[i] = both ? sin(j*PI*(i + 1)/(N + 1)) : sin((2*j - 1)*PI*(i + 1)/(2*N + 1));
        scale += want[i]*b.modes.mode[j-1].shape[6*i];
      }
      double norm = 0;
      for (int i = 0; i < N; i++) norm += want[i]*want[i];
      for (int i = 0; i < N; i++)
        CHECK_WITHIN(b.modes.mode[j-1].shape[6*i], want[i]*scale/norm, 1e-11);
      CHECK_NEAR(fabs(scale)*m/sqrt(norm*m), 1, 1e-11); /* unit mass */
    }
    bench_close(&b);
  }
}

/* proportional damping D = (c/k) K leaves the shapes: sigma^2 + (c/k) w^2 sigma + w^2 = 0 */
static void damped_chain_has_its_closed_form(void) {
  enum { N = 4 };
  const double k = 700, m = 3, c = 20;
  static char text[16384];
  bench b;
  chain_text(text, sizeof(text), N, true, k, m, c);
  bench_open(&b, text);
  CHECK(!b.modes.symmetric);
  CHECK_INT(b.modes.nmode, N);
  for (int j = 1; j <= N; j++) {
    double w = 2*sqrt(k/m)*sin(j*PI/(2*(N + 1))), re = -0.5*c/k*w*w;
    CHECK_NEAR(b.modes.mode[j-1].re, re, 1e-11);
    CHECK_NEAR(b.modes.mode[j-1].im, sqrt(w*w - re*re), 1e-11);
    CHECK_NEAR(b.modes.mode[j-1].damping, 0.5*c/k*w, 1e-11);
    CHECK_NEAR(b.modes.mode[j-1].frequency, w/(2*PI), 1e-11);
  }
  bench_close(&b);
}

/* one mass, damped beyond the limit: two real roots */
static void overdamped_mass_decays_twice(void) {
  bench b;
  const double k = 100, m = 2, c = 40;
  bench_open(&b, "bodies:\n  m: {mass: 2, inertia: [1, 1, 1], at: [1, 0, 0]}\n"
                 "joints:\n  g: {type: prismatic, bodies: [ground, m], at: [1, 0, 0], axis: x}\n"
                 "forces:\n  s: {type: joint_force, joint: g, force: \"-100*value - 40*rate\"}\n"
                 "analysis: {type: modes}\n");
  double root = sqrt(c*c - 4*k*m);
  CHECK_INT(b.modes.nmode, 2);
  CHECK_NEAR(b.modes.mode[0].re, (-c + root)/(2*m), 1e-12);
  CHECK_NEAR(b.modes.mode[1].re, (-c - root)/(2*m), 1e-12);
  CHECK(b.modes.mode[0].kind == TNI_MODE_REAL && b.modes.mode[1].kind == TNI_MODE_REAL);
  CHECK_INT(b.modes.nunstable, 0);
  bench_close(&b);
}

/* All the stiffness of a pendulum is in d(C^T lambda)/dq. Point mass on a massless-looking rod
 * (distance joint): both directions sqrt(g/l); spin of the bob free. */
static void pendulums_have_their_closed_form(void) {
  bench b;
  const double g = 9.81;
  bench_open(&b, "gravity: [0, 0, -9.81]\n"
                 "bodies:\n  bob: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, -0.7]}\n"
                 "joints:\n  rod: {type: distance, bodies: [ground, bob], at1: [0, 0, 0], at2: [0, 0, 0]}\n"
                 "analysis: {type: modes}\n");
  CHECK_INT(b.modes.nmode, 5);
  CHECK_INT(b.modes.nrigid, 3);
  for (int i = 3; i < 5; i++) CHECK_NEAR(b.modes.mode[i].im, sqrt(g/0.7), 1e-12);
  bench_close(&b);
  /* two rods with inertia, length 0.8 and 0.6, centres halfway */
  bench_open(&b, "gravity: [0, -9.81]\nplanar: true\n"
                 "bodies:\n"
                 "  a: {mass: 3, inertia: 0.2, at: [0, -0.4]}\n"
                 "  b: {mass: 2, inertia: 0.1, at: [0, -1.1]}\n"
                 "joints:\n"
                 "  p: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                 "  q: {type: revolute, bodies: [a, b], at: [0, -0.8]}\n"
                 "analysis: {type: modes}\n");
  /* angles from the vertical: M = (Ia + ma 0.16 + mb L^2, mb L d; sym, Ib + mb d^2),
   * K = g (ma 0.4 + mb L, 0; 0, mb d) */
  double L = 0.8, d = 0.3;
  double m11 = 0.2 + 3*0.16 + 2*L*L, m12 = 2*L*d, m22 = 0.1 + 2*d*d;
  double k1 = g*(3*0.4 + 2*L), k2 = g*2*d;
  double A = m11*m22 - m12*m12, B = -(k1*m22 + k2*m11), C = k1*k2, root = sqrt(B*B - 4*A*C);
  CHECK_INT(b.modes.nmode, 2);
  CHECK_NEAR(b.modes.mode[0].im, sqrt((-B - root)/(2*A)), 1e-12);
  CHECK_NEAR(b.modes.mode[1].im, sqrt((-B + root)/(2*A)), 1e-12);
  bench_close(&b);
}

/* the same pendulum upside down grows with exp(sqrt(m g l/J) t) */
static void inverted_pendulum_grows(void) {
  bench b;
  bench_open(&b, "gravity: [0, -9.81]\nplanar: true\n"
                 "bodies:\n  rod: {mass: 2, inertia: 0.1, at: [0, 0.5]}\n"
                 "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                 "analysis: {type: modes}\n");
  CHECK_INT(b.modes.nunstable, 1);
  CHECK_NEAR(b.modes.mode[0].re, sqrt(2*9.81*0.5/(0.1 + 2*0.25)), 1e-12);
  CHECK_NEAR(b.modes.mode[0].im, 0, 0);
  bench_close(&b);
}

/* bead between two stretched springs: along them 2k/m, across 2 T/(m l) */
static void tension_stiffens_a_string(void) {
  bench b;
  const double k = 50, l = 1, l0 = 0.6, m = 0.3;
  bench_open(&b, "bodies:\n  bead: {mass: 0.3, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0]}\n"
                 "joints:\n  keep: {type: orientation, bodies: [ground, bead]}\n"
                 "forces:\n"
                 "  l: {type: spring, bodies: [ground, bead], at1: [-1, 0, 0], at2: [0, 0, 0],\n"
                 "      stiffness: 50, free_length: 0.6}\n"
                 "  r: {type: spring, bodies: [ground, bead], at1: [1, 0, 0], at2: [0, 0, 0],\n"
                 "      stiffness: 50, free_length: 0.6}\n"
                 "analysis: {type: modes}\n");
  double across = sqrt(2*k*(l - l0)/(m*l));
  CHECK_INT(b.modes.nmode, 3);
  CHECK_NEAR(b.modes.mode[0].im, across, 1e-12);
  CHECK_NEAR(b.modes.mode[1].im, across, 1e-12);
  CHECK_NEAR(b.modes.mode[2].im, sqrt(2*k/m), 1e-12);
  bench_close(&b);
}

/* Sleeping top: A p^2 - C n p + m g l = 0 for exp(i p t). Fast: two real p. Slow: it falls. */
static void sleeping_top_whirls_or_falls(void) {
  const double m = 0.5, g = 9.81, l = 0.1, C = 4e-4, I = 1e-3, A = I + m*l*l;
  for (int fast = 0; fast < 2; fast++) {
    char text[512];
    double n = fast ? 500 : 100, disc = C*C*n*n - 4*A*m*g*l;
    bench b;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n  top: {mass: 0.5, inertia: [1e-3, 1e-3, 4e-4], at: [0, 0, 0.1],\n"
             "        angular_velocity: [0, 0, %g]}\n"
             "joints:\n  tip: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}\n"
             "analysis: {type: modes}\n",
             n);
    bench_open(&b, text);
    CHECK(b.modes.moving);
    CHECK(b.modes.unsteady < 1e-10);
    CHECK_INT(b.modes.nrigid, 1); /* the spin itself */
    CHECK((disc > 0) == fast);
    if (fast) {
      CHECK_INT(b.modes.nmode, 3);
      CHECK_INT(b.modes.nunstable, 0);
      CHECK_NEAR(b.modes.mode[1].im, (C*n - sqrt(disc))/(2*A), 1e-10);
      CHECK_NEAR(b.modes.mode[2].im, (C*n + sqrt(disc))/(2*A), 1e-10);
      CHECK_NEAR(b.modes.mode[1].re, 0, 1e-9);
    } else {
      CHECK_INT(b.modes.nunstable, 1);
      int up = b.modes.mode[1].unstable ? 1 : 2;
      CHECK_NEAR(b.modes.mode[up].re, sqrt(-disc)/(2*A), 1e-10);
      CHECK_NEAR(b.modes.mode[up].im, C*n/(2*A), 1e-10);
      CHECK_NEAR(b.modes.mode[3 - up].re, -sqrt(-disc)/(2*A), 1e-10);
    }
    bench_close(&b);
  }
}

/* Rotor on two isotropic bearings at +-a: bounce 2k/m, conical whirl Id p^2 - Ip n p - 2 k a^2 = 0 */
static void rotor_whirls(void) {
  const double k = 2e4, a = 0.3, m = 5, Ip = 0.04, Id = 0.06, n = 400;
  bench b;
  bench_open(&b, "bodies:\n"
                 "  rotor: {mass: 5, inertia: [0.06, 0.06, 0.04], at: [0, 0, 0],\n"
                 "          angular_velocity: [0, 0, 400],\n"
                 "          points: {top: [0, 0, 0.3], low: [0, 0, -0.3]}}\n"
                 "forces:\n"
                 "  b1: {type: force, body: rotor, point: [0, 0, 0.3], force:\n"
                 "       [\"-2e4*x(rotor.top)\", \"-2e4*y(rotor.top)\", 0]}\n"
                 "  b2: {type: force, body: rotor, point: [0, 0, -0.3], force:\n"
                 "       [\"-2e4*x(rotor.low)\", \"-2e4*y(rotor.low)\", 0]}\n"
                 "joints: {keep: {type: inplane, body: rotor, point: [0, 0, 0], on: ground, axis: z}}\n"
                 "analysis: {type: modes}\n");
  double root = sqrt(Ip*Ip*n*n + 4*Id*2*k*a*a);
  double want[4] = {(root - Ip*n)/(2*Id), sqrt(2*k/m), sqrt(2*k/m), (root + Ip*n)/(2*Id)};
  CHECK(b.modes.unsteady < 1e-10);
  CHECK_INT(b.modes.nrigid, 1);
  CHECK_INT(b.modes.nmode, 5);
  /* ascending: bounce twice lies below or between the whirls */
  double sorted[4];
  memcpy(sorted, want, sizeof(sorted));
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++)
      if (sorted[j] < sorted[i]) {
        double x = sorted[i];
        sorted[i] = sorted[j];
        sorted[j] = x;
      }
  for (int i = 0; i < 4; i++) CHECK_NEAR(b.modes.mode[1 + i].im, sorted[i], 1e-9);
  bench_close(&b);
}

/* Bead on a spoke that turns: r0 = k l0/(k - m n^2); driven the radial frequency is k/m - n^2,
 * without drive, with inertia J of the spoke, k/m - n^2 + 4 n^2 m r0^2/(J + m r0^2). */
static void spinning_spoke_has_its_closed_form(void) {
  const double k = 300, l0 = 0.5, m = 2, n = 7, J = 0.8, Ib = 0.05;
  for (int driven = 0; driven < 2; driven++) {
    char text[1024];
    bench b;
    snprintf(text, sizeof(text),
             "planar: true\n"
             "bodies:\n"
             "  spoke: {mass: 1, inertia: 0.8, at: [0, 0]}\n"
             "  bead:  {mass: 2, inertia: 0.05, at: [0.5, 0]}\n"
             "joints:\n"
             "  hub:   {type: revolute, bodies: [ground, spoke], at: [0, 0]}\n"
             "  slide: {type: prismatic, bodies: [spoke, bead], at: [0.5, 0], axis: x}\n"
             "forces:\n"
             "  s: {type: joint_force, joint: slide, force: \"-300*value\"}\n"
             "%s"
             "analysis: {type: modes, spin: [0, 0, 7]}\n",
             driven ? "drive:\n  - {joint: hub, motion: \"7*t\"}\n" : "");
    bench_open(&b, text);
    double r0 = k*l0/(k - m*n*n), w2 = k/m - n*n, at[3];
    sim_point(b.sim, "bead", 0, 0, 0, at);
    CHECK_NEAR(at[0], r0, 1e-10);
    if (!driven) w2 += 4*n*n*m*r0*r0/(J + Ib + m*r0*r0);
    CHECK(b.modes.unsteady < 1e-9);
    CHECK_NEAR(b.modes.spin[2], n, 1e-9);
    CHECK_INT(b.modes.nrigid, driven ? 0 : 1);
    CHECK_NEAR(b.modes.mode[driven ? 0 : 1].im, sqrt(w2), 1e-9);
    bench_close(&b);
  }
}

/* free in space: six rigid modes, counted as such with damping as well */
static void rigid_modes_are_counted(void) {
  for (int damped = 0; damped < 2; damped++) {
    char text[1024];
    bench b;
    snprintf(text, sizeof(text),
             "bodies:\n"
             "  a: {mass: 1, inertia: [0.1, 0.2, 0.25], at: [0, 0, 0]}\n"
             "  b: {mass: 2, inertia: [0.3, 0.4, 0.5], at: [1, 0, 0]}\n"
             "forces:\n"
             "  k: {type: bushing, bodies: [a, b], at: [0.5, 0, 0],\n"
             "      stiffness: [900, 800, 700, 20, 30, 40], damping: [%d, %d, %d, 0, 0, 0]}\n"
             "analysis: {type: modes}\n", 3*damped, 2*damped, damped);
    bench_open(&b, text);
    CHECK_INT(b.modes.nmode, 12);
    CHECK_INT(b.modes.nrigid, 6);
    CHECK_INT(b.modes.nunstable, 0);
    CHECK(b.modes.symmetric == !damped);
    /* stretch along x: reduced mass; twist about x: reduced inertia */
    double mu = 2.0/3, stretch = sqrt(900/mu), twist = sqrt(20/(0.1*0.3/0.4));
    int found = 0;
    for (int i = 6; i < 12; i++) {
      double w = 2*PI*b.modes.mode[i].frequency;
      found += fabs(w - stretch) < 1e-9*w;
      found += fabs(w - twist) < 1e-9*w;
    }
    CHECK_INT(found, 2);
    bench_close(&b);
  }
}

/* Bending of a cantilever with square section: proportional to its thickness however thin it is, and of
 * order 2 towards the beam of Euler and Bernoulli. */
static void thin_beams_lose_no_digits(void) {
  double first[3][2], error[2];
  const double thickness[3] = {1e-2, 1e-3, 1e-4};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      char text[512];
      bench b;
      snprintf(text, sizeof(text),
               "beams:\n"
               "  b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, start: ground,\n"
               "      section: {rectangle: [%g, %g]}, material: {E: 2e11, nu: 0.3, rho: 7800}}\n"
               "analysis: {type: modes}\n", k ? 16 : 8, thickness[i], thickness[i]);
      bench_open(&b, text);
      CHECK_INT(b.modes.nrigid, 0);
      CHECK_INT(b.modes.nunstable, 0);
      first[i][k] = b.modes.mode[0].im/thickness[i];
      /* both planes alike */
      CHECK_NEAR(b.modes.mode[1].im/b.modes.mode[0].im, 1, 1e-8);
      bench_close(&b);
    }
  for (int k = 0; k < 2; k++) {
    /* what rotary inertia and shear take off falls with the square of the thickness */
    CHECK_NEAR(first[2][k]/first[1][k], 1, 1e-5);
    CHECK_NEAR((first[1][k] - first[0][k])/(first[2][k] - first[1][k]), 100, 2);
    error[k] = first[2][k] - 1.8751040687119612*1.8751040687119612*sqrt(2e11/12/7800);
  }
  CHECK(fabs(error[1]/first[2][1]) < 2e-3);
  CHECK_NEAR(log2(error[0]/error[1]), 2, 0.05);
}

/* Rotating cantilever. First frequency out of the plane of rotation at speed n, both in units of
 * sqrt(EI/(rhoA L^4)): A. D. Wright et al., J. Appl. Mech. 49 (1982) 197; in the plane it is
 * sqrt(w^2 - n^2). */
static void spinning_beam_stiffens(void) {
  static const double table[][2] = {{1, 3.6816}, {2, 4.1373}, {3, 4.7973}, {4, 5.5850}, {6, 7.3604},
                                    {10, 11.2023}};
  for (int i = 0; i < TNI_COUNT(table); i++) {
    char text[1024];
    bench b;
    snprintf(text, sizeof(text),
             "params: {n: %g}\n"
             "bodies:\n  hub: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}\n"
             "joints:\n  axle: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: z}\n"
             "drive:\n  - {joint: axle, motion: \"n*t\"}\n"
             "beams:\n"
             "  b: {from: [0, 0, 0], to: [1, 0, 0], elements: 20, start: hub, EA: 1e8, GA: 1e8, EI: 1,\n"
             "      GJ: 1, rhoA: 1, rhoI: 1e-6}\n"
             "analysis: {type: modes, spin: [0, 0, n]}\n", table[i][0]);
    bench_open(&b, text);
    double n = table[i][0], w = table[i][1];
    CHECK(b.modes.unsteady < 1e-6);
    CHECK_NEAR(b.modes.spin[2], n, 1e-9);
    /* 20 elements of constant curvature are off by 1/(4 20^2); in the plane n^2 takes part of w^2 away */
    CHECK_NEAR(b.modes.mode[1].im/w, 1, 6.25e-4);
    CHECK_NEAR(b.modes.mode[0].im/sqrt(w*w - n*n), 1, 6.25e-4*w*w/(w*w - n*n));
    bench_close(&b);
  }
}

/* Beck's column: a cantilever pushed by a force that follows its end does not buckle, it flutters, at
 * 20.0510 EI/L^2 (M. Beck, Z. angew. Math. Phys. 3 (1952) 225). The stiffness is not symmetric. */
static double flutter_load(int elements) {
  double low = 19, high = 22;
  for (int k = 0; k < 14; k++) {
    char text[512];
    double P = 0.5*(low + high);
    bench b;
    snprintf(text, sizeof(text),
             "planar: true\n"
             "beams:\n"
             "  b: {from: [0, 0], to: [1, 0], elements: %d, start: ground, EA: 1e7, GA: 1e7, EI: 1,\n"
             "      rhoA: 1, rhoI: 1e-6}\n"
             "forces:\n"
             "  tip: {type: force, body: \"b.node[%d]\", frame: body, force: [%.12g, 0, 0]}\n"
             "analysis: {type: modes, search: nearest}\n", elements, elements, -P);
    bench_open(&b, text);
    CHECK(!b.modes.symmetric);
    CHECK(b.sim->sum.nonconservative);
    *(b.modes.nunstable ? &high : &low) = P;
    bench_close(&b);
  }
  return 0.5*(low + high);
}

static void follower_force_makes_a_column_flutter(void) {
  double coarse = flutter_load(8), fine = flutter_load(16);
  CHECK_NEAR((coarse - 20.0510)/(fine - 20.0510), 4, 0.2);
  CHECK_NEAR((4*fine - coarse)/3, 20.0510, 1e-3);
}

/* zero crossings of a small motion about the equilibrium of the four-bar, against its mode */
static void small_motion_has_the_frequency_of_the_mode(void) {
  char text[4200], quiet[4096];
  loaded l;
  tn_sim *sim;
  bench b;
  /* the same mechanism without damper; pushed off with 2.5e-3 rad/s, or not at all */
  snprintf(quiet, sizeof(quiet), "%s", planar_four_bar);
  memcpy(strstr(quiet, "damping: 3"), "damping: 0", 10);
  char *speed = strstr(quiet, "[0, 0, 0.4832]");
  memcpy(speed, "[0, 0, 0.0000]", 14);
  snprintf(text, sizeof(text), "%sanalysis: {type: modes}\n", quiet);
  bench_open(&b, text);
  CHECK_INT(b.modes.nmode, 1);
  double w = b.modes.mode[0].im, rest = sim_coordinate(b.sim, "a");
  bench_close(&b);
  memcpy(speed, "[0, 0, 0.0025]", 14);
  snprintf(text, sizeof(text),
           "%sanalysis: {initial: statics, until: 20, tolerance: 1e-10, method: rk8}\n", quiet);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  double first = 0, last = 0, before = 0, t_before = 0;
  int crossings = 0;
  for (int i = 0; i <= 20000; i++) {
    double t = 1e-3*i, x;
    CHECK_OK(l.ctx, tn_sim_advance(sim, t));
    x = sim_coordinate(sim, "a") - rest;
    if (i > 1 && before < 0 && x >= 0) {
      last = t_before - before*(t - t_before)/(x - before);
      if (crossings++ == 0) first = last;
    }
    before = x;
    t_before = t;
  }
  CHECK(crossings > 5);
  double period = (last - first)/(crossings - 1);
  CHECK_NEAR(2*PI/period/w, 1, 1e-4);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* Heave, pitch and roll of the vehicle without dampers against a hand model: a rigid chassis on
 * springs whose compliance statics measures under small loads. Wheels and arms are left out: 5 %. */
static void vehicle_moves_like_the_hand_model(void) {
  static const char *const shocks[] = {"shock_FL", "shock_FR", "shock_RL", "shock_RR"};
  static const char *const loads[4][2] = {{"[0, 0, 0]", "[0, 0, 0]"}, {"[0, 0, 100]", "[0, 0, 0]"},
                                          {"[0, 0, 0]", "[0, 100, 0]"}, {"[0, 0, 0]", "[100, 0, 0]"}};
  double z[4], pitch[4], roll[4];
  for (int k = 0; k < 5; k++) {
    loaded l;
    tn_sim *sim;
    load_file(&l, "examples/vehicle/hmmwv14.yaml", "tyre_c=0");
    for (int i = 0; i < 4; i++)
      CHECK_OK(l.ctx, tn_spec_set(l.spec, "forces", shocks[i], "damping", "0"));
    CHECK_OK(l.ctx, tn_spec_set(l.spec, "analysis", "analysis", "type", k < 4 ? "statics" : "modes"));
    CHECK_OK(l.ctx, tn_spec_set(l.spec, "analysis", "analysis", "initial", "statics"));
    if (k < 4) {
      CHECK_OK(l.ctx, tn_spec_add(l.spec, "forces", "extra", "force"));
      CHECK_OK(l.ctx, tn_spec_set(l.spec, "forces", "extra", "body", "chassis"));
      CHECK_OK(l.ctx, tn_spec_set(l.spec, "forces", "extra", "force", loads[k][0]));
      CHECK_OK(l.ctx, tn_spec_set(l.spec, "forces", "extra", "torque", loads[k][1]));
    }
    tn_model_destroy(&l.model);
    load_finish(&l);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    int chassis = tn_model_find_body(l.model, "chassis");
    const tni_kin *kin = &sim->s->kin[chassis + 1];
    const tni_body *body = &l.model->body[chassis];
    if (k < 4) {
      z[k] = kin->r[2];
      pitch[k] = asin(kin->A[2]);
      roll[k] = asin(kin->A[7]);
    } else {
      tni_modes modes;
      CHECK_OK(l.ctx, tni_modes_compute(sim, &modes));
      CHECK(modes.symmetric);
      CHECK_INT(modes.nrigid, 3);
      CHECK_INT(modes.nunstable, 0);
      CHECK_INT(modes.nmode, 10);
      double s11 = (z[1] - z[0])/100, s12 = (z[2] - z[0])/100, s21 = (pitch[1] - pitch[0])/100;
      double s22 = (pitch[2] - pitch[0])/100, s33 = (roll[3] - roll[0])/100;
      CHECK_NEAR(s12/s21, 1, 1e-2); /* Maxwell; the loads are not infinitely small */
      /* det(K - w^2 M) = 0 with K = S^-1 */
      double m = body->mass, J = body->I[4], det = s11*s22 - s12*s21;
      double A = m*J*det, B = -(m*s11 + J*s22), root = sqrt(B*B - 4*A);
      CHECK_NEAR(modes.mode[3].im/sqrt((-B - root)/(2*A)), 1, 0.025);
      CHECK_NEAR(modes.mode[5].im/sqrt((-B + root)/(2*A)), 1, 0.05);
      CHECK_NEAR(modes.mode[4].im/sqrt(1/(s33*body->I[0])), 1, 0.025);
      CHECK_INT(modes.mode[3].component - 6*chassis, 2);
      CHECK_INT(modes.mode[4].component - 6*chassis, 3);
      CHECK_INT(modes.mode[5].component - 6*chassis, 4);
      for (int i = 6; i < 10; i++)
        CHECK(modes.mode[i].frequency > 6 && modes.mode[i].frequency < 20);
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* what the file holds: one period per mode as poses, and the tables */
static void results_animate_the_modes(void) {
  loaded l;
  tn_summary sum;
  char path[64];
  snprintf(path, sizeof(path), "/tmp/tenon-modes-%d.h5", (int)getpid());
  load_text(&l, "gravity: [0, -9.81]\nplanar: true\n"
                "bodies:\n  rod: {mass: 2, inertia: 0.1, at: [0, -0.5]}\n"
                "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                "analysis: {type: modes}\n");
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = path, .overwrite = true}, &sum));
  CHECK_INT(sum.modes, 1);
  CHECK_TEXT(sum.mode[0].kind, "oscillates");
  CHECK_NEAR(sum.mode[0].frequency, sqrt(2*9.81*0.5/0.6)/(2*PI), 1e-12);
  CHECK_NEAR(sum.mode[0].share, 1, 1e-12);
  tn_results *r;
  CHECK_OK(l.ctx, tn_results_open(l.ctx, path, &r));
  long n = tn_results_ntime(r);
  CHECK_INT(n, 24);
  double times[24], place[24*3], show[24*2];
  CHECK_OK(l.ctx, tn_results_read(r, tn_results_find(r, "bodies/rod/position"), times, place));
  CHECK_OK(l.ctx, tn_results_read(r, tn_results_find(r, "animation/animation"), NULL, show));
  for (int i = 0; i < 24; i++) {
    CHECK_NEAR(show[2*i], 1, 0);
    CHECK_NEAR(show[2*i + 1], 2*PI*i/24, 1e-14);
    CHECK_NEAR(place[3*i], place[0]*cos(2*PI*i/24), 1e-12);
  }
  CHECK(fabs(place[0]) > 0.01);
  tn_results_close(&r);
  remove(path);
  unload(&l);
}

int main(void) {
  RUN(chains_have_their_closed_form);
  RUN(damped_chain_has_its_closed_form);
  RUN(overdamped_mass_decays_twice);
  RUN(pendulums_have_their_closed_form);
  RUN(inverted_pendulum_grows);
  RUN(tension_stiffens_a_string);
  RUN(sleeping_top_whirls_or_falls);
  RUN(rotor_whirls);
  RUN(spinning_spoke_has_its_closed_form);
  RUN(rigid_modes_are_counted);
  RUN(thin_beams_lose_no_digits);
  RUN(spinning_beam_stiffens);
  RUN(follower_force_makes_a_column_flutter);
  RUN(small_motion_has_the_frequency_of_the_mode);
  RUN(vehicle_moves_like_the_hand_model);
  RUN(results_animate_the_modes);
  return REPORT();
}
