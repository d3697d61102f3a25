/* tests/verify/beam_modes.c - frequencies and buckling of beams from mass and exact stiffness
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <lapacke.h>
#undef I /* complex.h, through lapacke.h */

#include "support/static_newton.h"

static const double PI = 3.14159265358979323846;
static char text[16384];

/* stiffness -K and mass, dense, over the chosen velocity components (bits vx vy vz wx wy wz) */
static int matrices(newton *w, double t, unsigned mask, double **stiffness, double **mass) {
  tni_data *s = w->s;
  const tn_model *m = s->model;
  int nv = s->nv, n = 0, *dof = calloc((size_t)nv, sizeof(int));
  double *K = calloc((size_t)(nv*nv), sizeof(double));
  tni_tangent T = {.f_q = K};
  CHECK_OK(s->ctx, tni_eval_tangent(s, t, w->q, w->v, NULL, w->lambda, &T));
  for (int i = 0; i < nv; i++)
    if (mask >> s->layout->role[i] & 1) dof[n++] = i;
  double *S = calloc((size_t)(n*n), sizeof(double)), *M = calloc((size_t)(n*n), sizeof(double));
  for (int i = 0; i < n; i++) {
    int c = s->layout->role[dof[i]];
    const tni_body *b = &m->body[tni_layout_owner(s->layout, dof[i])];
    M[i*n + i] = c < 3 ? b->mass : b->I[4*(c - 3)];
    for (int j = 0; j < n; j++)
      S[i*n + j] = -0.5*(K[dof[i]*nv + dof[j]] + K[dof[j]*nv + dof[i]]);
  }
  free(K), free(dof);
  *stiffness = S;
  *mass = M;
  return n;
}

/* Lowest squared frequencies, ascending. M x = mu (S + shift M) x keeps the digits of the lowest
 * ones, which S x = w^2 M x loses beside those of shear; the shift makes rigid motions harmless. */
static void frequencies(newton *w, double t, unsigned mask, double shift, double *value, int max) {
  double *S, *M;
  int n = matrices(w, t, mask, &S, &M);
  double *mu = calloc((size_t)n, sizeof(double));
  for (int i = 0; i < n; i++) S[i*n + i] += shift*M[i*n + i];
  CHECK(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'L', n, M, n, S, n, mu) == 0);
  for (int i = 0; i < max && i < n; i++) value[i] = 1/mu[n-1-i] - shift;
  free(S), free(M), free(mu);
}

static bool is_stable(newton *w, double t) {
  double *S, *M;
  int n = matrices(w, t, 63, &S, &M);
  bool stable = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, S, n) == 0;
  free(S), free(M);
  return stable;
}

enum { FLAP = 1 << 2 | 1 << 4 };

/* ---- natural modes ------------------------------------------------------------------------- */

/* length 1, EI = 1, rhoA = 1, of slenderness L/r */
static void straight_of(const char *element, int elements, bool clamped, double slender) {
  snprintf(text, sizeof(text),
           "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, element: %s, EA: %g, GA: %g,\n"
           "  EI: 1, GJ: 1, rhoA: 1, rhoI: %g%s}}\n", elements, element, slender*slender,
           slender*slender, 1/(slender*slender), clamped ? ", start: ground" : "");
}

/* slender enough for Euler and Bernoulli */
static void straight(const char *element, int elements, bool clamped) {
  straight_of(element, elements, clamped, 1e4);
}

static double frequency(const char *element, int elements, bool clamped, int mode, double slender) {
  loaded l;
  newton w;
  double e[8];
  straight_of(element, elements, clamped, slender);
  load_text(&l, text);
  newton_begin(&w, &l);
  frequencies(&w, 0, FLAP, clamped ? 0 : 100, e, 8);
  double got = sqrt(e[mode + (clamped ? 0 : 2)]); /* two rigid motions first */
  if (!clamped) CHECK(fabs(e[0]) < 1e-3 && fabs(e[1]) < 1e-3);
  newton_end(&w);
  unload(&l);
  return got;
}

static double frequency_error(const char *element, int elements, bool clamped, int mode,
                              double beta) {
  return fabs(frequency(element, elements, clamped, mode, 1e4)/(beta*beta) - 1);
}

/* order seen between n, 2 n and 4 n elements: at a slenderness at which the matrices, which are
 * assembled here, leave ten digits on any processor */
static double order(const char *element, int n, int mode) {
  double w[3];
  for (int i = 0; i < 3; i++) w[i] = frequency(element, n << i, true, mode, 100);
  return log2((w[1] - w[0])/(w[2] - w[1]));
}

/* lumped masses keep the order of the elements: 2 and 4 */
static void frequencies_converge_with_the_order_of_the_element(void) {
  static const double cantilever[3] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
  static const double free_free[2] = {4.730040744862704, 7.853204624095838};
  for (int mode = 0; mode < 3; mode++) {
    double b = frequency_error("exact", 32, true, mode, cantilever[mode]);
    double d = frequency_error("quadratic", 16, true, mode, cantilever[mode]);
    double two = order("exact", 16, mode), four = order("quadratic", 6, mode);
    printf("cantilever mode %d: exact 32: %.1e, order %.2f; quadratic 16: %.1e, order %.2f\n", mode + 1,
           b, two, d, four);
    CHECK(two > 1.9);
    CHECK(four > 3.6);
    CHECK(b < 0.02 && d < 5e-4);
  }
  for (int mode = 0; mode < 2; mode++)
    CHECK(frequency_error("quadratic", 16, false, mode, free_free[mode]) < 5e-4);
}

/* a thick simply supported beam against Timoshenko's closed form */
static void thick_beams_have_timoshenko_frequencies(void) {
  loaded l;
  newton w;
  double e[6];
  /* pinned at both ends by stiff springs: EI = 1, EA = GA/0.4 = 400, rhoI = 1/400 */
  snprintf(text, sizeof(text),
           "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 16, element: quadratic, EA: 400,\n"
           "  GA: 160, EI: 1, GJ: 1, rhoA: 1, rhoI: 0.0025}}\n"
           "forces:\n"
           "  p: {type: bushing, bodies: [ground, b.start], at: [0, 0, 0], stiffness: [1e9, 1e9, 1e9, 0, 0, 0]}\n"
           "  q: {type: bushing, bodies: [ground, b.end], at: [1, 0, 0], stiffness: [1e9, 1e9, 1e9, 0, 0, 0]}\n");
  load_text(&l, text);
  newton_begin(&w, &l);
  frequencies(&w, 0, FLAP, 0, e, 6);
  for (int n = 1; n <= 3; n++) {
    /* (rhoI/GA) w^4 - (1 + k^2 (EI/GA + rhoI)) w^2 + EI k^4 = 0, k = n pi, rhoA = 1 */
    double k2 = pow(n*PI, 2), a = 0.0025/160, b = 1 + k2*(1.0/160 + 0.0025), c = k2*k2;
    double want = (b - sqrt(b*b - 4*a*c))/(2*a);
    printf("Timoshenko mode %d: %.6f, closed form %.6f\n", n, sqrt(e[n-1]), sqrt(want));
    CHECK(fabs(sqrt(e[n-1]/want) - 1) < 1e-4);
  }
  newton_end(&w);
  unload(&l);
}

/* flapping of a spinning cantilever, hub radius 0, EI = rhoA = l = 1: Wright, Smith, Thresher and
 * Wang (Journal of Applied Mechanics 49, 1982), first two frequencies */
static void spinning_beams_stiffen_as_published(void) {
  static const double want[3][3] = {{0, 3.5160, 22.0345}, {2, 4.1373, 22.6149}, {10, 11.2023, 33.6404}};
  enum { N = 24 };
  for (int i = 0; i < 3; i++) {
    loaded l;
    newton w;
    double e[4];
    size_t at = 0;
    straight("quadratic", N, true);
    at = strlen(text);
    at += (size_t)snprintf(text + at, sizeof(text) - at, "forces:\n");
    /* masses by Simpson's weights, the centrifugal force of each */
    for (int k = 1; k <= 2*N; k++)
      at += (size_t)snprintf(text + at, sizeof(text) - at,
                             "  f%d: {type: force, body: 'b.node[%d]', force: [\"%.17g*t\", 0, 0]}\n", k,
                             k, (k == 2*N ? 1.0/6 : k % 2 ? 4.0/6 : 2.0/6)/N*
                                    want[i][0]*want[i][0]*k/(2.0*N));
    load_text(&l, text);
    newton_begin(&w, &l);
    CHECK(newton_path(&w, 1, 1e-10));
    frequencies(&w, 1, FLAP, 0, e, 4);
    printf("spin %g: %.4f %.4f, published %.4f %.4f\n", want[i][0], sqrt(e[0]), sqrt(e[1]), want[i][1],
           want[i][2]);
    CHECK(fabs(sqrt(e[0])/want[i][1] - 1) < 2e-4);
    CHECK(fabs(sqrt(e[1])/want[i][2] - 1) < 2e-4);
    newton_end(&w);
    unload(&l);
  }
}

/* a taut chain of bars with lumped masses: w = 2 sqrt(S/(m l)) sin(n pi/(2 N)) exactly */
static void taut_cables_sound_like_strings(void) {
  enum { N = 12 };
  loaded l;
  newton w;
  double e[3], S = 1000*(1/pow(0.98, 2) - 1)/2;
  load_text(&l, "cables: {c: {from: ground.a, to: ground.b, elements: 12, length: 2.94, EA: 1000,\n"
                "  rhoA: 0.5}}\n"
                "ground: {points: {a: [0, 0, 0], b: [3, 0, 0]}}\n");
  newton_begin(&w, &l);
  frequencies(&w, 0, 1 << 2, 0, e, 3);
  for (int n = 1; n <= 3; n++) {
    double want = 2*sqrt(S/(0.5*3.0/N*2.94/N))*sin(n*PI/(2*N));
    CHECK_NEAR(sqrt(e[n-1]), want, 1e-10);
  }
  newton_end(&w);
  unload(&l);
}

/* ---- buckling ------------------------------------------------------------------------------ */

/* load factor in (lo, hi) at which the loaded, unbuckled state stops being stable */
static double critical(newton *w, double lo, double hi) {
  for (int it = 0; it < 40; it++) {
    double t = 0.5*(lo + hi);
    tni_initial(w->s, w->q, w->v);
    memset(w->v, 0, (size_t)w->n*sizeof(double));
    CHECK(newton_step(w, t, 1e-11, 30));
    if (is_stable(w, t)) lo = t;
    else hi = t;
  }
  return 0.5*(lo + hi);
}

static void columns_buckle_at_eulers_load(void) {
  static const struct {
    const char *element;
    int elements;
    double tol;
  } cases[] = {{"exact", 16, 2e-3}, {"exact", 32, 5e-4}, {"quadratic", 8, 1e-5}};
  for (int i = 0; i < TNI_COUNT(cases); i++) {
    loaded l;
    newton w;
    straight(cases[i].element, cases[i].elements, true);
    size_t at = strlen(text);
    snprintf(text + at, sizeof(text) - at,
             "forces: {p: {type: force, body: b.end, force: [\"-%.17g*t\", 0, 0]}}\n", PI*PI/4);
    load_text(&l, text);
    newton_begin(&w, &l);
    double factor = critical(&w, 0.5, 1.5);
    printf("Euler's column, %s %d: load %.7f of pi^2 EI/(4 l^2)\n", cases[i].element, cases[i].elements,
           factor);
    CHECK(fabs(factor - 1) < cases[i].tol);
    newton_end(&w);
    unload(&l);
  }
}

/* Argyris' right-angle frame, load in its plane at the free end; the legs twist out of the plane at
 * 1.088 (Simo and Vu-Quoc 1986) */
static void frame_text(double load, double side) {
  snprintf(text, sizeof(text),
           "beams:\n"
           "  a: {from: [0, 0, 0], to: [240, 0, 0], elements: 8, element: quadratic, start: ground,\n"
           "      up: z, section: {rectangle: [30, 0.6]}, material: {E: 71240, nu: 0.31, rho: 1}}\n"
           "  b: {from: a.end, to: [240, -240, 0], elements: 8, element: quadratic, up: z,\n"
           "      section: {rectangle: [30, 0.6]}, material: {E: 71240, nu: 0.31, rho: 1}}\n"
           "forces: {p: {type: force, body: b.end, force: [\"%g*t\", 0, %g]}}\n", load, side);
}

static void right_angle_frames_buckle_sideways(void) {
  loaded l;
  newton w;
  frame_text(1, 0);
  load_text(&l, text);
  newton_begin(&w, &l);
  double load = critical(&w, 0.2, 3);
  printf("right-angle frame: lateral buckling at %.4f, published 1.088\n", load);
  CHECK(fabs(load/1.088 - 1) < 0.01);
  newton_end(&w);
  unload(&l);
}

/* beyond the bifurcation, led by a small force to the side: every load step converges, and the frame
 * ends far out of its plane in a stable state */
static void right_angle_frames_go_on_after_buckling(void) {
  loaded l;
  newton w;
  frame_text(2.5, 1e-3);
  load_text(&l, text);
  newton_begin(&w, &l);
  CHECK(newton_path(&w, 40, 1e-8));
  const double *x = newton_place(&w, "b.node[16]");
  printf("right-angle frame at 2.5: tip %.2f %.2f %.2f\n", x[0], x[1], x[2]);
  CHECK(x[2] > 40);
  CHECK(is_stable(&w, 1));
  newton_end(&w);
  unload(&l);
}

int main(void) {
  RUN(frequencies_converge_with_the_order_of_the_element);
  RUN(thick_beams_have_timoshenko_frequencies);
  RUN(spinning_beams_stiffen_as_published);
  RUN(taut_cables_sound_like_strings);
  RUN(columns_buckle_at_eulers_load);
  RUN(right_angle_frames_buckle_sideways);
  RUN(right_angle_frames_go_on_after_buckling);
  return REPORT();
}
