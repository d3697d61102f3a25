/* tests/verify/references.c - the tolerance of a run is the error it ends with
 *
 * Every problem of problems.h is run with every adaptive method in both representations at several
 * tolerances; the error at the end, |x - x_ref|/(1 + |x_ref|), is held against the tolerance. What
 * singular.c asks of the four-bars is left out, unless the argument is all. With the argument
 * --table the same figures, at more tolerances, are printed as the table of
 * docs/theory/tolerances.md.
 *
 * Besides: numbers of published models that are not the end of a run.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "verify/problems.h"

static const char *const methods[] = {"rk45", "rk8", "adams"};
static const char *const representations[] = {"cartesian", "joint"};
/* Error obtained over tolerance that a test accepts. The shares of the tolerance that one step may
 * use (tni_integrator_type.share) were chosen such that the worst ratios of these problems are near
 * 1; Adams formulas of varying order scatter more. */
static const double accepted[] = {2.5, 2.5, 5};

/* ---- all problems -------------------------------------------------------------------------- */

typedef struct {
  double ratio; /* error/tolerance */
  long steps;
} outcome;

static outcome try_one(const problem *p, loaded *l, const double *want, int method, int rep,
                       double tol) {
  double got[PROBLEM_MAX];
  tn_summary sum;
  tn_run_opts o = {.method = methods[method], .representation = representations[rep],
                   .tolerance = tol};
  tn_status st = problem_run(p, l, &o, got, &sum);
  if (st != TN_OK) {
    printf("%s, %s, %s, tolerance %g: %s\n", p->name, o.method, o.representation, tol,
           tn_ctx_message(l->ctx));
    return (outcome){NAN, 0};
  }
  return (outcome){problem_error(p, got, want)/tol, sum.steps};
}

static bool all;

static void runs_end_within_their_tolerance(void) {
  int turn = 0;
  for (int k = 0; k < NPROBLEM; k++) {
    const problem *p = &problems[k];
    if (p->get == four_bars_get && !all) continue;
    double want[PROBLEM_MAX];
    loaded l;
    problem_load(p, &l);
    double digits = problem_answer(p, &l, want);
    for (int m = 0; m < 3; m++)
      for (int r = 0; r < 2; r++)
        for (double tol = 1e-4; tol > 0.5e-10; tol *= 1e-2) {
          if (tol < 2*digits || (!all && turn++ % 2)) continue;
          outcome o = try_one(p, &l, want, m, r, tol);
          if (CHECK(o.ratio <= accepted[m])) continue;
          printf("  %s, %s, %s, tolerance %.0e: error %.3g tolerances\n", p->name, methods[m],
                 representations[r], tol, o.ratio);
        }
    unload(&l);
  }
}

/* error/tolerance in cartesian and in joint coordinates; steps at 1e-6 */
static void print_table(void) {
  static const double tols[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  enum { NTOL = sizeof(tols)/sizeof(tols[0]), STEPS_AT = 3 };
  double worst[3] = {0};
  printf("| problem | method |");
  for (int i = 0; i < NTOL; i++) printf(" %.0e |", tols[i]);
  printf(" steps at %.0e |\n|---|---|", tols[STEPS_AT]);
  for (int i = 0; i <= NTOL; i++) printf("---|");
  printf("\n");
  for (int k = 0; k < NPROBLEM; k++) {
    const problem *p = &problems[k];
    double want[PROBLEM_MAX];
    loaded l;
    problem_load(p, &l);
    double digits = problem_answer(p, &l, want);
    for (int m = 0; m < 3; m++) {
      long steps[2] = {0, 0};
      printf("| %s | %s |", m == 0 ? p->name : "", methods[m]);
      for (int i = 0; i < NTOL; i++) {
        for (int r = 0; r < 2 && tols[i] >= 2*digits; r++) {
          outcome o = try_one(p, &l, want, m, r, tols[i]);
          worst[m] = fmax(worst[m], o.ratio);
          if (i == STEPS_AT) steps[r] = o.steps;
          if (o.ratio < 0.01) printf(" <.01");
          else printf(" %.2g", o.ratio);
        }
        printf(" |");
      }
      printf(" %ld, %ld |\n", steps[0], steps[1]);
    }
    unload(&l);
  }
  printf("\nLargest: rk45 %.2g, rk8 %.2g, adams %.2g.\n", worst[0], worst[1], worst[2]);
}

/* ---- published and closed numbers ---------------------------------------------------------- */

static tn_sim *start(loaded *l, const tn_run_opts *o) {
  tn_sim *sim;
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, o, &sim));
  return sim;
}

/* Test Set for IVP Solvers: angular accelerations of K1 and of K2 against K1 at the start, from the
 * generalized coordinates beta and Theta */
static void seven_bodies_start_as_published(void) {
  loaded l;
  load_file(&l, "examples/seven-body/seven_body.yaml", NULL);
  for (int r = 0; r < 2; r++) {
    tn_run_opts o = {.representation = representations[r]};
    tn_sim *sim = start(&l, &o);
    CHECK_NEAR(sim->s->acc[5], 14222.4439199541138705911625887, 1e-10);
    CHECK_NEAR(sim->s->acc[6 + 5] - sim->s->acc[5], -10666.832939965585, 1e-10);
    tn_sim_destroy(&sim);
  }
  unload(&l);
}

/* Stiff double pendulum (implicit-dae-integration spec, 8.1; D. Negrut, thesis 1998): speed of the
 * first arm at 0.136235 s as implied by its table 22, and all angles against the two equations of
 * the spec. Eigenvalue -1e5 1/s: a short run is all that explicit methods should be asked for. */
static void stiff_double_pendulum_follows_the_thesis(void) {
  static const char *const stiff[] = {"rk45", "rk8"};
  const double springs[4] = {400, 15, 3e5, 5e4}, pi = acos(-1.0), t = 0.136235;
  double y[4] = {2*pi, 23*pi/12, 0, 0};
  CHECK_NEAR(reference_solve(double_pendulum_rhs, springs, 4, 0, t, 12000, y), 0, 1e-11);
  CHECK_NEAR(fabs(y[2]), 8.6084848, 2e-6); /* six decimals of the time are printed */
  loaded l;
  load_file(&l, "examples/pendulum/double_pendulum.yaml", NULL);
  for (int m = all ? 0 : 1; m < 2; m++) {
    tn_run_opts o = {.method = stiff[m], .tolerance = 1e-7, .until = t};
    tn_sim *sim = start(&l, &o);
    double angle, rate;
    CHECK_OK(l.ctx, tn_sim_advance(sim, t));
    CHECK_OK(l.ctx, tn_sim_joint_coordinate(sim, 0, 0, &angle, &rate));
    CHECK_NEAR(angle, y[0] - 2*pi, 1e-7);
    CHECK_NEAR(rate, y[2], 1e-6);
    tn_sim_destroy(&sim);
  }
  unload(&l);
}

/* Vehicle data (model data README): the design position is an equilibrium, the bump lifts the
 * chassis to 0.7217 m at 0.62 s and to 0.7250 m at 1.35 s, then it settles at 0.7089 m */
static void vehicle_crosses_the_bump(void) {
  loaded l;
  load_file(&l, "examples/vehicle/hmmwv14.yaml", NULL);
  tn_run_opts o = {.method = "rk8", .tolerance = 1e-6, .until = 4};
  tn_sim *sim = start(&l, &o);
  CHECK_NEAR(largest_of(sim->s->acc, 6*l.model->nbody), 0, 1e-6);
  double peak[2] = {0, 0}, when[2] = {0, 0};
  for (int i = 1; i <= 400; i++) {
    double t = 0.01*i, x[3];
    CHECK_OK(l.ctx, tn_sim_advance(sim, t));
    sim_point(sim, "chassis", 0, 0, 0, x);
    if (t < 0.49) CHECK_NEAR(x[2], 0.7089, 1e-8);
    int k = t < 1 ? 0 : 1;
    if (x[2] > peak[k]) peak[k] = x[2], when[k] = t;
    if (i == 400) CHECK_NEAR(x[2], 0.7089, 1e-4);
  }
  CHECK_NEAR(peak[0], 0.7217, 5e-5);
  CHECK_NEAR(peak[1], 0.7250, 5e-5);
  CHECK_NEAR(when[0], 0.62, 0.0075);
  CHECK_NEAR(when[1], 1.35, 0.0075);
  tn_summary sum;
  tn_sim_summary(sim, &sum);
  CHECK(sum.energy_error <= 1e-5*sum.energy_scale);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* Jacobi elliptic functions by the descending Landen transformation (Abramowitz and Stegun 16.4) */
static void jacobi(double u, double m, double *sn, double *cn, double *dn) {
  double a[12], c[12], phi, last = 0;
  int n = 0;
  a[0] = 1;
  c[0] = sqrt(m);
  for (double b = sqrt(1 - m); fabs(c[n]) > 1e-16 && n < 11; n++) {
    a[n+1] = (a[n] + b)/2;
    c[n+1] = (a[n] - b)/2;
    b = sqrt(a[n]*b);
  }
  phi = ldexp(a[n]*u, n);
  for (; n > 0; n--) {
    last = phi;
    phi = (phi + asin(c[n]/a[n]*sin(phi)))/2;
  }
  *sn = sin(phi);
  *cn = cos(phi);
  *dn = fabs(cos(last - phi)) > 1e-8 ? cos(phi)/cos(last - phi) : sqrt(1 - m**sn**sn);
}

/* Free body I1 < I2 < I3 with omega(0) = (w1, 0, w3) and L^2 < 2 T I2:
 *   omega = (w1 dn, k2 sn, w3 cn)(p t)   (Landau and Lifshitz I, section 37, axes renamed) */
static void free_body_turns_in_elliptic_functions(void) {
  const double I1 = 1, I2 = 2, I3 = 3, w1 = 2, w3 = 0.7, t = 12;
  double T2 = I1*w1*w1 + I3*w3*w3, L2 = I1*I1*w1*w1 + I3*I3*w3*w3;
  CHECK(L2 < T2*I2);
  /* with L^2 < 2 T I2 axis 1 is the one the polhode encircles: exchange of 1 and 3 in the book */
  double rate = sqrt((I2 - I1)*(T2*I3 - L2)/(I1*I2*I3));
  double modulus = (I3 - I2)*(L2 - T2*I1)/((I2 - I1)*(T2*I3 - L2));
  double k2 = sqrt((L2 - T2*I1)/(I2*(I2 - I1))), sn, cn, dn;
  jacobi(rate*t, modulus, &sn, &cn, &dn);
  loaded l;
  load_text(&l, "bodies:\n  book: {mass: 1, inertia: [1, 2, 3], angular_velocity: [2, 0, 0.7]}\n");
  for (int m = 0; m < 3; m++)
    for (double tol = 1e-5; tol > 0.5e-10; tol *= 1e-2) {
      tn_run_opts o = {.method = methods[m], .tolerance = tol, .until = t};
      tn_sim *sim = start(&l, &o);
      CHECK_OK(l.ctx, tn_sim_advance(sim, t));
      const tni_kin *k = &sim->s->kin[1];
      CHECK_NEAR(k->w[0], w1*dn, accepted[m]*tol);
      CHECK_NEAR(fabs(k->w[1]), fabs(k2*sn), accepted[m]*tol);
      CHECK_NEAR(k->w[2], w3*cn, accepted[m]*tol);
      /* energy and angular momentum in space */
      double h[3] = {I1*k->w[0], I2*k->w[1], I3*k->w[2]}, H[3];
      mat3_vec(H, k->A, h);
      CHECK_NEAR(vec3_dot(h, k->w), T2, 10*tol);
      CHECK_NEAR(H[0], I1*w1, 10*tol);
      CHECK_NEAR(H[1], 0, 10*tol);
      CHECK_NEAR(H[2], I3*w3, 10*tol);
      tn_sim_destroy(&sim);
    }
  unload(&l);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--table") == 0) {
    print_table();
    return 0;
  }
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(runs_end_within_their_tolerance);
  RUN(seven_bodies_start_as_published);
  RUN(stiff_double_pendulum_follows_the_thesis);
  RUN(vehicle_crosses_the_bump);
  RUN(free_body_turns_in_elliptic_functions);
  return REPORT();
}
