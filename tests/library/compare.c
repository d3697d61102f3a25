/* Every method against a reference: rows, errors, refusals, limits
 *
 * The pendulum has an independent solution (Jacobi's functions by Gauss' mean), so that the reference
 * itself is judged too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <time.h>

#include "support/loaded.h"
#include "support/xml.h"

static bool all; /* argument */

static const char pendulum[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: 2, shape: {box: [1, 0.05, 0.05]}, at: [0.5, 0, 0]}}\n"
    "joints: {hinge: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
    "analysis: {until: 2}\n";

/* crank and rocker in space: a closed loop with redundant rows, away from singular positions */
static const char four_bar[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  crank:   {mass: 1, shape: {box: [1.0, 0.1, 0.1]}, between: [[0, 0, 0], [0.6, 0, 0.8]]}\n"
    "  coupler: {mass: 2, shape: {box: [1.8, 0.1, 0.1]}, between: [[0.6, 0, 0.8], [2.3, 0, 1.4]]}\n"
    "  rocker:  {mass: 2, shape: {box: [1.4, 0.1, 0.1]}, between: [[2, 0, 0], [2.3, 0, 1.4]]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, crank],   at: [0, 0, 0],     axis: y}\n"
    "  B: {type: revolute, bodies: [crank, coupler],  at: [0.6, 0, 0.8], axis: y}\n"
    "  C: {type: revolute, bodies: [coupler, rocker], at: [2.3, 0, 1.4], axis: y}\n"
    "  D: {type: revolute, bodies: [rocker, ground],  at: [2, 0, 0],     axis: y}\n"
    "analysis: {until: 1}\n";

static const char coin[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {ball: {mass: 1, shape: {sphere: 0.1}, at: [0, 0, 0.1], velocity: [1, 0, 0],\n"
    "                angular_velocity: [0, 10, 0]}}\n"
    "joints: {floor: {type: rolling_sphere, bodies: [ground, ball], at: [0, 0, 0.1], axis: z,\n"
    "                 radius: 0.1}}\n"
    "analysis: {until: 0.5}\n";

static tn_comparison *compare(loaded *l, const tn_compare_opts *o) {
  tn_comparison *c;
  CHECK_OK(l->ctx, tn_compare(l->ctx, l->model, o, &c));
  return c;
}

/* every method that treats the model reaches the end with an error near the tolerance */
static void check_rows(loaded *l, const tn_compare_opts *o, double bound) {
  tn_comparison *c = compare(l, o);
  const tn_compare_reference *ref = tn_comparison_reference(c);
  double tightest = o->tolerances[o->ntolerance - 1];
  CHECK(ref->tolerance <= 0.01*tightest*(1 + 1e-12) && ref->uncertainty < 0.1*tightest);
  int done = 0;
  for (int i = 0; i < tn_comparison_nrow(c); i++) {
    const tn_compare_row *r = tn_comparison_row(c, i);
    if (r->outcome == TN_COMPARE_REFUSED) {
      CHECK(r->why[0] != 0);
      continue;
    }
    done++;
    if (!CHECK(r->outcome == TN_COMPARE_DONE) || !CHECK(r->error <= bound*r->tolerance))
      printf("%s at %g: error %g, %s\n", r->method, r->tolerance, r->error, r->why);
    CHECK(r->error == fmax(r->position_error, r->velocity_error));
    if (!CHECK(r->steps > 0 && r->accelerations > 0 && r->cpu > 0)) printf("%s at %g: %ld steps, %ld accelerations, %g s\n", r->method, r->tolerance, r->steps, r->accelerations, r->cpu);
    if (r->nhistory < r->steps) { /* long ones are thinned out */
      CHECK(r->nhistory > 1000);
      continue;
    }
    CHECK(r->nhistory == r->steps);
    /* the history is the whole way */
    double sum = 0;
    for (long k = 0; k < r->nhistory; k++) sum += r->history_h[k];
    CHECK_NEAR(sum, r->t_end, 1e-9);
    CHECK_NEAR(r->history_t[r->nhistory - 1], r->t_end, 0);
  }
  CHECK(done >= (o->nmethod ? o->nmethod : 6));
  tn_comparison_destroy(&c);
}

/* all methods; methods of order 2 would take minutes at tolerances for the others */
static void errors_obtained_are_near_the_tolerance(void) {
  static const double wide[] = {1e-2, 1e-3}, tight[] = {1e-6};
  static const char *const accurate[] = {"rk45", "rk8", "adams", "rk4", "rosen", "sdirk"};
  static const char *const text[] = {pendulum, four_bar};
  tn_compare_opts a = {.tolerances = wide, .ntolerance = 2};
  tn_compare_opts b = {.tolerances = tight, .ntolerance = 1, .methods = accurate, .nmethod = 6};
  for (int i = 0; i < 2; i++) {
    loaded l;
    load_text(&l, text[i]);
    if (all || i == 0) check_rows(&l, &b, 10);
    a.ntolerance = all || i ? 2 : 1;
    check_rows(&l, &a, 10);
    unload(&l);
  }
}

/* period of a pendulum released at a right angle: 4 K(1/sqrt 2) sqrt(I/(m g l)), by Gauss' mean */
static double pendulum_period(double w0) {
  double a = 1, b = sqrt(0.5);
  for (int i = 0; i < 8; i++) {
    double m = 0.5*(a + b);
    b = sqrt(a*b);
    a = m;
  }
  return 4*acos(-1.0)/(2*a*w0);
}

/* after half a period the rod is at rest on the other side: the error of a known method there
 * is what the comparison says about it, although the comparison knows no closed form */
static void errors_are_those_of_an_independent_solution(void) {
  loaded l;
  double I = 2.0/12*(1 + 0.0025) + 0.5, w0 = sqrt(2*9.81*0.5/I), half = 0.5*pendulum_period(w0);
  load_text(&l, pendulum);
  const char *method[] = {"rk45"};
  double tolerance[] = {1e-3};
  tn_compare_opts o = {.methods = method, .nmethod = 1, .tolerances = tolerance, .ntolerance = 1,
                       .until = half, .ntime = 1};
  tn_comparison *c = compare(&l, &o);
  const tn_compare_row *r = tn_comparison_row(c, 0);
  tn_run_opts ro = {.method = "rk45", .tolerance = 1e-3, .until = half};
  tn_sim *sim;
  double x[3], e[4], v[3], w[3];
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &ro, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, half));
  CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, x, e));
  CHECK_OK(l.ctx, tn_sim_body_velocity(sim, 0, v, w));
  double ep = fmax(fabs(x[0] + 0.5)/1.5, fabs(x[2]));
  ep = fmax(ep, 0.5*fabs(2*acos(fmin(1, fabs(e[0]))) - acos(-1.0))); /* half a turn */
  double ev = fmax(fabs(w[1]), fmax(fabs(v[0]), fabs(v[2])));
  CHECK(ev > 1e-7); /* there is an error to speak of */
  CHECK_NEAR(r->velocity_error/ev, 1, 1e-2);
  CHECK(r->position_error <= 1.1*ep + 1e-6 && r->error == fmax(r->position_error, r->velocity_error));
  tn_sim_destroy(&sim);
  tn_comparison_destroy(&c);
  unload(&l);
}

static void what_a_method_cannot_treat_is_a_row_with_the_reason(void) {
  loaded l;
  load_text(&l, coin);
  double tolerance[] = {1e-3, 1e-4};
  tn_compare_opts o = {.tolerances = tolerance, .ntolerance = 2};
  tn_comparison *c = compare(&l, &o);
  int refused = 0, done = 0;
  for (int i = 0; i < tn_comparison_nrow(c); i++) {
    const tn_compare_row *r = tn_comparison_row(c, i);
    done += r->outcome == TN_COMPARE_DONE;
    if (r->outcome != TN_COMPARE_REFUSED) continue;
    refused++;
    if (strcmp(r->method, "rosen") == 0) CHECK(strstr(r->why, "floor") != NULL);
  }
  CHECK(refused >= 1 && done >= 8);
  char *text;
  CHECK_OK(l.ctx, tn_comparison_text(c, &text));
  CHECK(strstr(text, "refused: ") != NULL);
  tn_text_free(l.ctx, &text);
  tn_comparison_destroy(&c);
  unload(&l);
}

/* CPU seconds that rk45 takes for 0.1 s of the model on this machine */
static double explicit_cost(loaded *l) {
  tn_run_opts o = {.method = "rk45", .tolerance = 1e-2, .until = 0.1};
  tn_sim *sim;
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, &o, &sim));
  clock_t begin = clock();
  CHECK_OK(l->ctx, tn_sim_advance(sim, 0.1));
  double cost = (double)(clock() - begin)/CLOCKS_PER_SEC;
  tn_sim_destroy(&sim);
  return cost;
}

/* the explicit method on the stiff pendulum is cut off, named, and not tried again */
static void a_run_beyond_the_limit_is_cut_off(void) {
  loaded l;
  load_file(&l, "examples/pendulum/double_pendulum.yaml", NULL);
  double limit = 5*explicit_cost(&l); /* about 0.5 s of the 2 s */
  const char *method[] = {"rk45", "rosen"};
  double tolerance[] = {1e-2, 1e-3};
  tn_compare_opts o = {.methods = method, .nmethod = 2, .tolerances = tolerance, .ntolerance = 2,
                       .limit = limit, .until = 2};
  tn_comparison *c = compare(&l, &o);
  CHECK_INT(tn_comparison_nrow(c), 4);
  const tn_compare_row *a = tn_comparison_row(c, 0), *b = tn_comparison_row(c, 1);
  CHECK(a->outcome == TN_COMPARE_CUT && a->steps > 0 && isnan(a->error) && a->t_end < 2);
  CHECK(strstr(a->why, "cut off after ") != NULL && a->cpu >= limit);
  CHECK(b->outcome == TN_COMPARE_CUT && b->steps == 0 && strstr(b->why, "not tried") != NULL);
  CHECK(tn_comparison_row(c, 2)->outcome == TN_COMPARE_DONE);
  CHECK(tn_comparison_row(c, 4) == NULL && tn_comparison_row(c, -1) == NULL);
  tn_comparison_destroy(&c);
  unload(&l);
}

typedef struct {
  tn_ctx *ctx;
  int rows, stop_at;
} watcher;
static void watch_row(void *user, const tn_compare_row *row) {
  watcher *w = user;
  (void)row;
  if (++w->rows == w->stop_at) tn_ctx_interrupt(w->ctx);
}

static void an_interrupt_leaves_the_rows_so_far(void) {
  loaded l;
  load_text(&l, pendulum);
  watcher w = {.ctx = l.ctx, .stop_at = 2};
  tn_compare_opts o = {.row = watch_row, .user = &w};
  tn_comparison *c;
  CHECK(tn_compare(l.ctx, l.model, &o, &c) == TN_INTERRUPTED);
  CHECK(c && tn_comparison_nrow(c) == 2);
  char *text;
  CHECK_OK(l.ctx, tn_comparison_text(c, &text));
  tn_text_free(l.ctx, &text);
  tn_comparison_destroy(&c);
  unload(&l);
}

static int count_lines(const char *text) {
  int n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

static void figures_and_tables_are_whole(void) {
  loaded l;
  load_text(&l, pendulum);
  const char *method[] = {"rk45", "rk4"};
  double tolerance[] = {1e-4, 3e-3};
  tn_compare_opts o = {.methods = method, .nmethod = 2, .tolerances = tolerance, .ntolerance = 2};
  tn_comparison *c = compare(&l, &o);
  CHECK_INT(tn_comparison_nrow(c), 4);
  CHECK_NEAR(tn_comparison_row(c, 0)->tolerance, 3e-3, 0); /* loose first */
  CHECK(tn_comparison_row(c, 2)->step > 0 && strstr(tn_comparison_row(c, 2)->why, "fixed step"));
  char *text;
  CHECK_OK(l.ctx, tn_comparison_csv(c, &text));
  CHECK_INT(count_lines(text), 5);
  tn_text_free(l.ctx, &text);
  CHECK_OK(l.ctx, tn_comparison_json(c, &text));
  CHECK(strstr(text, "\"rows\"") && strstr(text, "\"uncertainty\""));
  tn_text_free(l.ctx, &text);
  long steps = 0;
  for (int i = 0; i < 4; i++) steps += tn_comparison_row(c, i)->nhistory;
  CHECK_OK(l.ctx, tn_comparison_steps_csv(c, &text));
  CHECK_INT(count_lines(text), steps + 1);
  tn_text_free(l.ctx, &text);
  tn_status (*const make[])(const tn_comparison *, tn_plot **) = {tn_comparison_plot,
                                                                  tn_comparison_plot_steps};
  for (int k = 0; k < 2; k++) {
    tn_plot *p;
    CHECK_OK(l.ctx, make[k](c, &p));
    CHECK_OK(l.ctx, tn_plot_svg(p, &text));
    CHECK(xml_mistake(text) == NULL && strstr(text, ">rk45<") && strstr(text, ">rk4<"));
    tn_text_free(l.ctx, &text);
    tn_plot_destroy(&p);
  }
  tn_comparison_destroy(&c);
  unload(&l);
}

/* The run that is found keeps the tolerance at all its times: judged by another method, at other
 * times than those of the search. */
static void a_tolerance_is_met_over_the_whole_run(void) {
  static const char *const method[] = {"rk8", "rosen", "auto"};
  loaded l;
  load_file(&l, "examples/four-bar/n_four_bar.yaml", NULL);
  bool tightened = false;
  for (int i = 0; i < 3; i++)
    for (double tol = 1e-3; tol > 1e-6; tol *= 0.01) {
      if (!all && i == (tol < 1e-4)) continue; /* rk8 for the tight one, rosen for the loose one, auto for both */
      tn_run_opts o = {.method = method[i], .tolerance = tol, .results = "", .meet_tolerance = true};
      tn_accuracy a;
      tn_summary sum;
      CHECK_OK(l.ctx, tn_meet_tolerance(l.ctx, l.model, &o, &a));
      CHECK(a.met && a.error <= tol && a.working <= tol && a.reference.uncertainty < tol);
      tightened = tightened || a.working < tol;
      CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &o, &sum));
      CHECK_NEAR(sum.tolerance, a.working, 0);
      CHECK_NEAR(sum.run_error, a.error, 0);
      CHECK_NEAR(sum.run_tolerance, tol, 0);
      tn_compare_opts judge = {.methods = &method[i], .nmethod = 1, .tolerances = &a.working,
                               .ntolerance = 1, .reference = "adams", .ntime = 317};
      tn_comparison *c = compare(&l, &judge);
      if (!CHECK(tn_comparison_row(c, 0)->error <= 1.05*tol))
        printf("%s at %g: %g\n", method[i], tol, tn_comparison_row(c, 0)->error);
      tn_comparison_destroy(&c);
    }
  CHECK(tightened); /* else the test asks nothing */
  unload(&l);
}

static void what_cannot_be_met_is_refused(void) {
  loaded l;
  tn_accuracy a;
  load_text(&l, pendulum);
  tn_run_opts fixed = {.method = "rk4", .step = 0.01}, restart = {.restart = "x.h5"},
              tight = {.tolerance = 1e-12, .until = all ? 25 : 8}, absurd = {.tolerance = 1e-15};
  CHECK(tn_meet_tolerance(l.ctx, l.model, &fixed, &a) == TN_ERR_ARGUMENT);
  CHECK_TEXT(tn_ctx_message(l.ctx),
             "method 'rk4' with a fixed step knows no tolerance; take one with error control");
  CHECK(tn_meet_tolerance(l.ctx, l.model, &restart, &a) == TN_ERR_ARGUMENT);
  /* near rounding: refused, or met by a reference that is better still */
  tn_status st = tn_meet_tolerance(l.ctx, l.model, &tight, &a);
  if (st == TN_OK) CHECK(a.met && a.error <= tight.tolerance && a.reference.uncertainty < tight.tolerance);
  else CHECK(st == TN_NOT_CONVERGED && strstr(tn_ctx_message(l.ctx), "no reference is that accurate"));
  CHECK(tn_meet_tolerance(l.ctx, l.model, &absurd, &a) == TN_ERR_ARGUMENT);
  CHECK(tn_meet_tolerance(l.ctx, NULL, NULL, &a) == TN_ERR_ARGUMENT);
  unload(&l);
}

static void wrong_arguments_are_refused(void) {
  loaded l;
  load_text(&l, pendulum);
  const char *method[] = {"rk455"};
  double tolerance[] = {1e-3, 2};
  tn_compare_opts a = {.methods = method, .nmethod = 1}, b = {.tolerances = tolerance, .ntolerance = 2},
                  r = {.reference = "rk4"}, n = {.limit = -1};
  tn_comparison *c;
  CHECK(tn_compare(l.ctx, l.model, &a, &c) == TN_ERR_ARGUMENT && !c);
  CHECK_TEXT(tn_ctx_message(l.ctx), "unknown method 'rk455'; did you mean 'rk45'?");
  CHECK(tn_compare(l.ctx, l.model, &b, &c) == TN_ERR_ARGUMENT && !c);
  CHECK_TEXT(tn_ctx_message(l.ctx), "tolerance 2, must be >= 1e-12 and < 1");
  CHECK(tn_compare(l.ctx, l.model, &r, &c) == TN_ERR_ARGUMENT && !c);
  CHECK(strstr(tn_ctx_message(l.ctx), "fixed step") != NULL);
  CHECK(tn_compare(l.ctx, l.model, &n, &c) == TN_ERR_ARGUMENT && !c);
  CHECK(tn_compare(l.ctx, NULL, NULL, &c) == TN_ERR_ARGUMENT && !c);
  unload(&l);
}

/* they would have been compared on a motion that the model does not ask for */
static void other_analyses_are_refused(void) {
  static const char *const type[] = {"statics", "modes", "kinematics", "assemble"};
  for (int i = 0; i < TNI_COUNT(type); i++) {
    char text[1000];
    loaded l;
    tn_comparison *c = NULL;
    tn_compare_opts o = {0};
    snprintf(text, sizeof(text), "%.*s%sanalysis: {until: 2, type: %s}\n", (int)(strstr(pendulum, "analysis") - pendulum), pendulum,
             i == 2 ? "drive: [{joint: hinge, motion: t}]\n" : "", type[i]);
    load_text(&l, text);
    CHECK_INT(tn_compare(l.ctx, l.model, &o, &c), TN_ERR_UNSUPPORTED);
    CHECK(c == NULL && strstr(tn_ctx_message(l.ctx), type[i]) != NULL);
    unload(&l);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(errors_obtained_are_near_the_tolerance);
  RUN(errors_are_those_of_an_independent_solution);
  RUN(what_a_method_cannot_treat_is_a_row_with_the_reason);
  RUN(a_run_beyond_the_limit_is_cut_off);
  RUN(an_interrupt_leaves_the_rows_so_far);
  RUN(figures_and_tables_are_whole);
  RUN(a_tolerance_is_met_over_the_whole_run);
  RUN(what_cannot_be_met_is_refused);
  RUN(wrong_arguments_are_refused);
  RUN(other_analyses_are_refused);
  return REPORT();
}
