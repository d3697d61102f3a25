/* tests/verify/descriptor.c - implicit methods on the whole system: the error is near the tolerance
 *
 * Every problem of problems.h (rolling, prescribed motions, redundant constraints, singular
 * positions among them) is run by every method; the error at the end is held against the tolerance.
 * Methods of order 2 go to 1e-2, the others to 1e-4; with the argument `all` one decade further, and
 * with --table to 1e-6, where the figures are printed as the table of docs/theory/tolerances.md. The
 * four-bars and the seven bodies, which every.c looks at all along the run, only with `all`.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "verify/problems.h"

static const struct {
  const char *name;
  double tightest;
} methods[] = {{"radau", 1e-6},      {"infl_sdirk", 1e-6}, {"infl_trap", 1e-4},
               {"alpha", 1e-4},      {"hht", 1e-4},        {"ida", 1e-6}};
static const double accepted = 10;
static bool all;

typedef struct {
  double ratio; /* error/tolerance */
  tn_summary sum;
} outcome;

static outcome try_one(const problem *p, loaded *l, const double *want, const char *method,
                       double tol) {
  double got[PROBLEM_MAX];
  outcome out = {NAN, {0}};
  tn_run_opts o = {.method = method, .tolerance = tol};
  if (problem_run(p, l, &o, got, &out.sum) == TN_OK) {
    out.ratio = problem_error(p, got, want)/tol;
  } else {
    printf("%s, %s, tolerance %g: %s\n", p->name, method, tol, tn_ctx_message(l->ctx));
  }
  return out;
}

static void runs_end_near_their_tolerance(void) {
  for (int k = 0; k < NPROBLEM; k++) {
    const problem *p = &problems[k];
    double want[PROBLEM_MAX];
    loaded l;
    problem_load(p, &l);
    problem_answer(p, &l, want);
    for (int m = 0; m < TNI_COUNT(methods); m++) {
      bool elsewhere = p->get == four_bars_get || p->get == seven_body_get;
      double tightest = fmax(100*methods[m].tightest, 1e-4)*(all ? 0.1 : 1);
      if ((elsewhere || (k + m) % 2) && !all) continue; /* each method on every other problem */
      for (double tol = fmax(1e-3, tightest); tol > 0.5*tightest; tol *= 0.1) {
        outcome o = try_one(p, &l, want, methods[m].name, tol);
        if (CHECK(o.ratio <= accepted)) continue;
        printf("  %s, %s, tolerance %.0e: error %.3g tolerances\n", p->name, methods[m].name, tol,
               o.ratio);
      }
    }
    unload(&l);
  }
}

static void print_table(void) {
  double worst[TNI_COUNT(methods)] = {0};
  printf("| problem | method | 1e-3 | 1e-4 | 1e-5 | 1e-6 | steps, rejected at 1e-4 |\n"
         "|---|---|---|---|---|---|---|\n");
  for (int k = 0; k < NPROBLEM; k++) {
    const problem *p = &problems[k];
    double want[PROBLEM_MAX];
    loaded l;
    problem_load(p, &l);
    problem_answer(p, &l, want);
    for (int m = 0; m < TNI_COUNT(methods); m++) {
      tn_summary at = {0};
      printf("| %s | %s |", m == 0 ? p->name : "", methods[m].name);
      for (int i = 3; i <= 6; i++) {
        double tol = pow(10, -i);
        if (tol < 0.5*methods[m].tightest) {
          printf(" |");
          continue;
        }
        outcome o = try_one(p, &l, want, methods[m].name, tol);
        worst[m] = fmax(worst[m], o.ratio);
        if (i == 4) at = o.sum;
        if (o.ratio < 0.01) printf(" <.01 |");
        else printf(" %.2g |", o.ratio);
      }
      printf(" %ld, %ld |\n", at.steps, at.rejected);
    }
    unload(&l);
  }
  printf("\nLargest:");
  for (int m = 0; m < TNI_COUNT(methods); m++) printf(" %s %.2g", methods[m].name, worst[m]);
  printf(".\n");
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--table") == 0) {
    print_table();
    return 0;
  }
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(runs_end_near_their_tolerance);
  return REPORT();
}
