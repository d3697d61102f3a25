/* tests/verify/bennett.c - a linkage that moves against the count of its freedoms
 *
 * Bennett's linkage: four hinges in a loop of four bars with lengths a, b, a, b and twists alpha,
 * beta, a/sin alpha = b/sin beta. Three bodies and four hinges leave 18 - 20 freedoms by count; it
 * has one, because three equations depend on the others in every position of the loop, and only
 * there: off the constraints, where the stages of a Runge-Kutta step lie, all twenty are
 * independent and would lock it. Compared with the same linkage whose fourth hinge is a point on a line, which
 * is not redundant.
 *
 * Hinge points and axes from Denavit-Hartenberg frames with alpha = 0.7, beta = 1.3, a = 1,
 * theta_1 = 0.8, tan(theta_1/2) tan(theta_2/2) = sin((beta + alpha)/2)/sin((beta - alpha)/2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

#define P1 "[0.69670670934716539, 0.71735609089952279, 0]"
#define P2 "[-0.53884586192382022, -0.077724333356828934, 0.27997101145131364]"
#define P3 "[-1.49570277951974, 0, 0]"
#define Z1 "[0.46213348180516139, -0.44883078497861312, 0.7648421872844885]"
#define Z2 "[-0.18718358706347407, 0.57207721192345184, 0.79855492505646763]"
#define Z3 "[0, 0.96355818541719307, 0.26749882862458735]"

#define LINKAGE(LAST)                                                                       \
  "gravity: [1, 0.5, -9.81]\n"                                                              \
  "bodies:\n"                                                                               \
  "  b1: {mass: 1, inertia: [0.02, 0.1, 0.11], between: [[0, 0, 0], " P1 "],\n"             \
  "       angular_velocity: [0, 0, 1]}\n"                                                   \
  "  b2: {mass: 1.5, inertia: [0.02, 0.3, 0.31], between: [" P1 ", " P2 "]}\n"              \
  "  b3: {mass: 1.2, inertia: [0.02, 0.15, 0.16], between: [" P2 ", " P3 "]}\n"             \
  "joints:\n"                                                                               \
  "  h0: {type: revolute, bodies: [ground, b1], at: [0, 0, 0], axis: z}\n"                  \
  "  h1: {type: revolute, bodies: [b1, b2], at: " P1 ", axis: " Z1 "}\n"                    \
  "  h2: {type: revolute, bodies: [b2, b3], at: " P2 ", axis: " Z2 "}\n" LAST

static const char redundant[] =
    LINKAGE("  h3: {type: revolute, bodies: [ground, b3], at: " P3 ", axis: " Z3 "}\n");
static const char exact[] =
    LINKAGE("  h3: {type: inline, bodies: [ground, b3], at: " P3 ", axis: " Z3 "}\n");

static const char *const representations[] = {"cartesian", "joint"};

static void the_loop_has_one_freedom(void) {
  static const char *const text[] = {redundant, exact};
  for (int k = 0; k < 2; k++) {
    loaded l;
    tn_report *report;
    load_text(&l, text[k]);
    CHECK_OK(l.ctx, tn_check(l.ctx, l.model, &report));
    const tn_check_info *in = tn_report_info(report);
    CHECK(in->assembled);
    CHECK_INT(in->freedom, 1);
    CHECK_INT(in->redundant, k == 0 ? 3 : 0);
    CHECK(!in->singular);
    tn_report_destroy(&report);
    unload(&l);
  }
}

static void run_to(const char *text, const tn_run_opts *o, double x[9], tn_summary *sum) {
  loaded l;
  tn_sim *sim;
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, o, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, o->until));
  for (int i = 0; i < 3; i++) vec3_copy(x + 3*i, sim->s->kin[i + 1].r);
  tn_sim_summary(sim, sum);
  tn_sim_destroy(&sim);
  unload(&l);
}

static void it_moves_as_without_the_redundant_rows(void) {
  static const char *const methods[] = {"rk45", "rk8", "adams"};
  double want[9], got[9];
  tn_summary tight, sum;
  tn_run_opts o = {.method = "rk8", .representation = "cartesian", .tolerance = 1e-11, .until = 3};
  run_to(exact, &o, want, &tight);
  for (int m = 0; m < 3; m++)
    for (int r = 0; r < 2; r++)
      for (double tol = 1e-4; tol > 0.5e-8; tol *= 1e-2) {
        o = (tn_run_opts){.method = methods[m], .representation = representations[r],
                          .tolerance = tol, .until = 3};
        run_to(redundant, &o, got, &sum);
        for (int i = 0; i < 9; i++) CHECK_WITHIN(got[i], want[i], 5*tol);
        CHECK(sum.position_error < 1e-9);
        CHECK(sum.energy_error <= 10*tol*sum.energy_scale);
        /* the redundant rows cost no steps */
        CHECK(sum.rejected <= 10 + sum.steps/10);
        if (check_failures)
          printf("  %s %s %.0e: steps %ld, rejected %ld, rank changes %ld\n", methods[m],
                 representations[r], tol, sum.steps, sum.rejected, sum.rank_changes);
      }
}

int main(void) {
  RUN(the_loop_has_one_freedom);
  RUN(it_moves_as_without_the_redundant_rows);
  return REPORT();
}
