/* tests/verify/beam_statics.c - beams at rest: closed forms, published shapes, no locking, orders
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/static_newton.h"

static const double PI = 3.14159265358979323846;
static const char *const kinds[] = {"exact", "quadratic"};

static char text[4096];

/* ---- roll-up by an end moment -------------------------------------------------------------- */

/* turns full circles: moment 2 pi turns EI/L; the tip comes back to the start, halfway nodes sit on
 * the circle of radius L/(2 pi turns) */
static void roll_up(const char *kind, int elements, int turns, double tol) {
  loaded l;
  newton w;
  snprintf(text, sizeof(text),
           "beams: {b: {from: [0, 0, 0], to: [10, 0, 0], elements: %d, element: %s, start: ground,\n"
           "  EA: 1e4, GA: 5e3, EI: 100, GJ: 100, rhoA: 1, rhoI: 1}}\n"
           "forces: {m: {type: torque, body: b.end, torque: [0, 0, \"%.17g*t\"]}}\n",
           elements, kind, 2*PI*turns*100/10);
  load_text(&l, text);
  newton_begin(&w, &l);
  CHECK(newton_path(&w, 12*turns, 1e-11));
  const double *x = w.q + 7*(l.model->nbody - 1);
  for (int i = 0; i < 3; i++) CHECK_NEAR(x[i]/10, 0, tol);
  /* node k at the angle 2 pi turns k/n on the circle */
  double R = 10/(2*PI*turns);
  for (int k = 1; k <= l.model->nbody; k++) {
    double a = 2*PI*turns*k/l.model->nbody;
    const double *y = w.q + 7*(k - 1);
    CHECK_WITHIN(y[0]/10, R*sin(a)/10, tol);
    CHECK_WITHIN(y[1]/10, R*(1 - cos(a))/10, tol);
  }
  newton_end(&w);
  unload(&l);
}

static void beams_roll_up_to_full_circles(void) {
  roll_up("exact", 4, 1, 1e-12);
  roll_up("exact", 8, 2, 1e-12);
  roll_up("quadratic", 24, 1, 1e-6);
  roll_up("quadratic", 48, 2, 1e-6);
}

/* ---- cantilever under an end force --------------------------------------------------------- */

/* inextensible cantilever of length 1 and EI = 1 under the force P along y: EI theta'' = -P
 * cos(theta), theta(0) = 0, theta'(1) = 0, by shooting with many steps of order 4 */
static void elastica(double P, double tip[3]) {
  double lo = 0, hi = P + 1, y[4];
  for (int it = 0; it < 200; it++) {
    double k = 0.5*(lo + hi);
    enum { STEPS = 4000 };
    double h = 1.0/STEPS;
    y[0] = 0, y[1] = k, y[2] = y[3] = 0;
    for (int n = 0; n < STEPS; n++) {
      double s[4][4], z[4];
      for (int i = 0; i < 4; i++) {
        double c = i == 0 ? 0 : i == 3 ? h : 0.5*h;
        for (int j = 0; j < 4; j++) z[j] = y[j] + (i ? c*s[i-1][j] : 0);
        s[i][0] = z[1], s[i][1] = -P*cos(z[0]), s[i][2] = cos(z[0]), s[i][3] = sin(z[0]);
      }
      for (int j = 0; j < 4; j++) y[j] += h/6*(s[0][j] + 2*s[1][j] + 2*s[2][j] + s[3][j]);
    }
    if (y[1] > 0) hi = k;
    else lo = k;
  }
  tip[0] = y[2], tip[1] = y[3], tip[2] = y[0];
}

/* tip of a cantilever, length 1, EI = 1, slenderness L/r with EA = EI (L/r)^2; force P along y */
static void cantilever(const char *kind, int elements, double slender, double P, double tip[2],
                       int *iterations) {
  loaded l;
  newton w;
  snprintf(text, sizeof(text),
           "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, element: %s, start: ground,\n"
           "  EA: %.17g, GA: %.17g, EI: 1, GJ: 1, rhoA: 1, rhoI: 1}}\n"
           "forces: {p: {type: force, body: b.end, force: [0, \"%.17g*t\", 0]}}\n",
           elements, kind, slender*slender, 0.4*slender*slender, P);
  load_text(&l, text);
  newton_begin(&w, &l);
  CHECK(newton_path(&w, 10, 1e-9));
  memcpy(tip, w.q + 7*(l.model->nbody - 1), 2*sizeof(double));
  if (iterations) *iterations = w.iterations;
  newton_end(&w);
  unload(&l);
}

static void large_deflection_converges_to_the_elastica(void) {
  double want[3];
  elastica(10, want);
  for (int n = 0; n < TNI_COUNT(kinds); n++) {
    double error[3], tip[2];
    for (int i = 0; i < 3; i++) {
      cantilever(kinds[n], 8 << i, 1e4, 10, tip, NULL);
      error[i] = hypot(tip[0] - want[0], tip[1] - want[1]);
    }
    double order = log(error[1]/error[2])/log(2);
    printf("elastica, %s: errors %.2e %.2e %.2e, order %.2f\n", kinds[n], error[0], error[1],
           error[2], order);
    bool two = strcmp(kinds[n], "exact") == 0;
    CHECK(error[2] < (two ? 2e-4 : 1e-6));
    CHECK(order > (two ? 1.95 : 3.8));
  }
}

/* With four elements the tip of a little bent cantilever is 1/(4 n^2) of itself too low, whatever
 * the slenderness: the error of a curvature that is constant in every element. Locking would make
 * that hundreds of times worse. */
static void slender_beams_do_not_lock(void) {
  for (int n = 0; n < TNI_COUNT(kinds); n++) {
    for (double slender = 1e2; slender < 2e4; slender *= 10) {
      double tip[2];
      cantilever(kinds[n], 4, slender, 0.01, tip, NULL);
      double want = 0.01*(1.0/3 + 1/(0.4*slender*slender)), error = tip[1]/want - 1;
      printf("slenderness %g, %s: tip error %.3e\n", slender, kinds[n], error);
      /* parabolas carry the linear moment of an end force exactly */
      CHECK_WITHIN(error, strcmp(kinds[n], "exact") == 0 ? -1.0/64 : 0, 2e-5);
    }
  }
}

/* near the solution the residual falls with the square: the tangent is exact */
static void newton_converges_quadratically(void) {
  loaded l;
  newton w;
  load_text(&l, "beams: {b: {points: [[0, 0, 0], [1, 0.3, 0.2], [2, 0, 0.4]], elements: 6, twist: 0.5,\n"
                "  EA: 100, GA: 50, EI: [1, 2], GJ: 1, rhoA: 1, rhoI: 1, start: ground}}\n"
                "forces:\n"
                "  p: {type: force, body: b.end, force: [\"-0.2*t\", \"0.5*t\", \"0.6*t\"],\n"
                "      torque: [\"0.3*t\", 0, 0], frame: body}\n");
  newton_begin(&w, &l);
  CHECK(newton_step(&w, 0.5, 1e-12, 40));
  CHECK(newton_step(&w, 1, 1e-13, 40));
  int n = w.iterations;
  CHECK(n <= 10);
  /* r_next <= c r^2 with c of the size of the stiffnesses; 1e-12 is rounding */
  for (int i = 1; i < n; i++)
    if (w.residual[i-1] < 1e-2) CHECK(w.residual[i] <= 200*pow(w.residual[i-1], 2) + 1e-12);
  newton_end(&w);
  unload(&l);
}

/* ---- curved cantilever of 45 degrees ------------------------------------------------------- */

/* Bathe and Bolourchi (1979): radius 100, square section of side 1, E = 1e7, no Poisson's ratio,
 * tip force 600 normal to the plane. Published tip: (15.9, 47.2, 53.4) there, (15.79, 47.23, 53.37)
 * by Simo and Vu-Quoc (1986) with eight elements. */
static void curved_cantilever(const char *kind, int elements, double tip[3]) {
  loaded l;
  newton w;
  double a = PI/8;
  snprintf(text, sizeof(text),
           "beams: {b: {curve: arc, start: ground, elements: %d, element: %s,\n"
           "  points: [[0, 0, 0], [%.17g, %.17g, 0], [%.17g, %.17g, 0]],\n"
           "  EA: 1e7, GA: 5e6, EI: %.17g, GJ: %.17g, rhoA: 1, rhoI: 1}}\n"
           "forces: {p: {type: force, body: b.end, force: [0, 0, \"600*t\"]}}\n", elements, kind,
           100*(1 - cos(a)), 100*sin(a), 100*(1 - cos(2*a)), 100*sin(2*a), 1e7/12, 0.5e7/6);
  load_text(&l, text);
  newton_begin(&w, &l);
  CHECK(newton_path(&w, 6, 1e-8));
  vec3_copy(tip, w.q + 7*(l.model->nbody - 1));
  newton_end(&w);
  unload(&l);
}

static void curved_cantilever_meets_the_published_tip(void) {
  for (int n = 0; n < TNI_COUNT(kinds); n++) {
    double x[3];
    curved_cantilever(kinds[n], 8, x);
    printf("curved cantilever, %s: tip %.4f %.4f %.4f\n", kinds[n], x[0], x[1], x[2]);
    CHECK_NEAR(x[0], 15.79, 0.01);
    CHECK_NEAR(x[1], 47.23, 0.01);
    CHECK_NEAR(x[2], 53.37, 0.01);
  }
}

/* ---- patch tests --------------------------------------------------------------------------- */

/* constant axial force, torsion, bending: the strains are exact in every element of an uneven,
 * inclined beam */
static void constant_strains_are_exact(void) {
  static const struct {
    const char *load;
    int component;
    double strain;
  } cases[] = {{"force: [\"60*t\", 0, \"80*t\"]", 0, 100.0/1000},
               {"torque: [\"0.6*t\", 0, \"0.8*t\"]", 3, 1.0/5},
               {"torque: [0, \"2*t\", 0]", 4, 2.0/7}};
  for (int n = 0; n < TNI_COUNT(kinds); n++)
    for (int i = 0; i < TNI_COUNT(cases); i++) {
      loaded l;
      newton w;
      /* along (0.6, 0, 0.8); y is its own axis */
      snprintf(text, sizeof(text),
               "beams: {b: {from: [0, 0, 0], to: [1.2, 0, 1.6], elements: 3, element: %s,\n"
               "  EA: 1000, GA: 400, EI: [7, 9], GJ: 5, rhoA: 1, rhoI: 1, start: ground, up: z}}\n"
               "forces: {p: {type: force, body: b.end, %s}}\n", kinds[n], cases[i].load);
      /* parabolas do not contain the circle */
      if (i == 2 && strcmp(kinds[n], "exact") != 0) continue;
      load_text(&l, text);
      newton_begin(&w, &l);
      CHECK(newton_path(&w, 2, 1e-12));
      tni_eval_bodies(w.s, 1, w.q, w.v, NULL);
      tni_env env = tni_system_env(w.s, 1);
      for (int e = 0; e < l.model->nelement; e++) {
        double eps[6], N[6];
        const tni_force *f = &l.model->force[e];
        f->element->resultants(f, &env, eps, N);
        for (int c = 0; c < 6; c++)
          CHECK_NEAR(eps[c], c == cases[i].component ? cases[i].strain : 0, 1e-12);
      }
      newton_end(&w);
      unload(&l);
    }
}

/* ---- distributed loads --------------------------------------------------------------------- */

/* small uniform load q: tip q l^4/(8 EI) + q l^2/(2 GA); a moment per length m: tip m l^3/(3 EI) */
static void distributed_loads_bend_as_in_the_handbook(void) {
  for (int n = 0; n < TNI_COUNT(kinds); n++)
    for (int moment = 0; moment < 2; moment++) {
      loaded l;
      newton w;
      snprintf(text, sizeof(text),
               "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 16, element: %s, start: ground,\n"
               "  EA: 1e4, GA: 4e3, EI: 1, GJ: 1, rhoA: 1, rhoI: 1}}\n"
               "forces: {q: {type: beam_load, beam: b, %s}}\n", kinds[n],
               moment ? "moment: [0, 0, 1e-4]" : "force: [0, 1e-4, 0]");
      load_text(&l, text);
      newton_begin(&w, &l);
      CHECK(newton_step(&w, 1, 1e-13, 20));
      const double *x = w.q + 7*(l.model->nbody - 1);
      double want = moment ? 1e-4/3 : 1e-4*(1.0/8 + 1/(2*4e3));
      CHECK(fabs(x[1]/want - 1) < (strcmp(kinds[n], "exact") == 0 ? 2e-3 : 1e-4));
      newton_end(&w);
      unload(&l);
    }
}

/* a follower load normal to the sections turns with them: after a large load the resultant of the
 * root balances the sum of the turned loads */
static void follower_loads_follow_the_sections(void) {
  loaded l;
  newton w;
  load_text(&l, "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 8, start: ground,\n"
                "  EA: 1e4, GA: 4e3, EI: 1, GJ: 1, rhoA: 1, rhoI: 1}}\n"
                "forces: {q: {type: beam_load, beam: b, frame: section, force: [0, \"16*t\", 0]}}\n");
  newton_begin(&w, &l);
  CHECK(newton_path(&w, 10, 1e-10));
  tni_eval_bodies(w.s, 1, w.q, w.v, NULL);
  tni_env env = tni_system_env(w.s, 1);
  double sum[3] = {0}, f[6], y[3];
  /* what the first node beyond the clamp feels of its element is the sum of all loads */
  for (int i = 0; i < l.model->nbody; i++) {
    mat3_column(y, w.s->kin[i+1].A, 1);
    vec3_addmul(sum, 16.0/8*(i == l.model->nbody - 1 ? 0.5 : 1), y);
  }
  tni_force_out o = {.f = f};
  l.model->force[0].ops->eval(&l.model->force[0], &env, TNI_F_FORCE, &o);
  for (int i = 0; i < 3; i++) CHECK_NEAR(f[i], -sum[i], 1e-9);
  mat3_column(y, w.s->kin[l.model->nbody].A, 0);
  CHECK(y[0] < 0); /* the tip has turned by more than a right angle */
  newton_end(&w);
  unload(&l);
}

int main(void) {
  RUN(beams_roll_up_to_full_circles);
  RUN(large_deflection_converges_to_the_elastica);
  RUN(slender_beams_do_not_lock);
  RUN(newton_converges_quadratically);
  RUN(curved_cantilever_meets_the_published_tip);
  RUN(constant_strains_are_exact);
  RUN(distributed_loads_bend_as_in_the_handbook);
  RUN(follower_loads_follow_the_sections);
  return REPORT();
}
