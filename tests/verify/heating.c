/* verification of temperatures and supports of meshes that change in time: jumps, fronts, pulses and sources that travel, by every method, against
 * closed forms; the work they put in; rates at any speed
 *
 * A bar of one cell has one freedom: u'' = w^2 (g(t) - u), w^2 = 2 E/(rho L^2), where g is the mean of the temperatures of its ends times alpha L, or
 * the place of its support. A jump of g by d at t0 adds d (1 - cos w(t - t0)).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/statics.h"
#include "mesh/mesh.h"
#include "support/loaded.h"
#include "system/parts.h"

static bool all;

static const double E = 1000, UNTIL = 1.6, FREQUENCY = 44.721359549995796; /* rho = 1, L = 1 */

/* displacement of the free end at the state that sim shows */
static double end_of(const tn_sim *sim) {
  const tni_part *p = &sim->model->part[0];
  tni_part_at at = tni_parts_at(sim->s, 0);
  double x[6] = {0};
  for (int i = 0; i < p->nfield; i++)
    if (strcmp(p->field[i].name, "displacement") == 0) p->ops->fill(p, sim->s->parts->work[0], &at, i, x);
  return x[3];
}

static double after_jump(double t, double t0, double d) { return t > t0 ? d*(1 - cos(FREQUENCY*(t - t0))) : 0; }

static double one_jump(double t) { return after_jump(t, 1, 0.1); }
static double two_jumps(double t) { return after_jump(t, 0.7, 0.1) + after_jump(t, 1.4, 0.1); }
static double ramp(double t) { return t > 1 ? 0.1*((t - 1) - sin(FREQUENCY*(t - 1))/FREQUENCY) : 0; }
static double sine(double t) { return 0.1*FREQUENCY*FREQUENCY/(FREQUENCY*FREQUENCY - 9)*(sin(3*t) - 3/FREQUENCY*sin(FREQUENCY*t)); }
static double front(double t) { return after_jump(t, 1, 0.05) + after_jump(t, 1.25, 0.05); }
static double falls(double t) { return 0.1*(1 - cos(FREQUENCY*t)) + after_jump(t, 1, -0.1); }
/* pulses of 2 ms that pass the ends at 1.01 and 1.26 s */
static double pulse(double t) { return after_jump(t, 1.009, 0.05) + after_jump(t, 1.011, -0.05) + after_jump(t, 1.259, 0.05) + after_jump(t, 1.261, -0.05); }
/* the same area under exp(-(s/w)^2), w = 1 ms; the factor is that of its width */
static double source(double t) {
  double area = 0.05*sqrt(acos(-1))*1e-3, less = exp(-pow(FREQUENCY*1e-3/2, 2));
  return area*FREQUENCY*less*(sin(FREQUENCY*(t - 1.01)) + sin(FREQUENCY*(t - 1.26)));
}

static const struct {
  bool moves; /* the support does, else the temperatures */
  const char *law;
  double (*u)(double t);
  bool jumps; /* g does, or nearly so */
} cases[] = {
    {false, "if(t > 1, 100, 0)", one_jump, true},
    {false, "100*floor(t/0.7)", two_jumps, true},
    {false, "100*max(0, t - 1)", ramp, false},
    {false, "100*sin(3*t)", sine, false},
    {false, "if(t > 1 + x/4, 100, 0)", front, true},
    {false, "if(t > 1, 0, 100)", falls, true},
    {false, "if(abs(t - 1.01 - x/4) < 1e-3, 100, 0)", pulse, true},
    {false, "100*exp(-((t - 1.01 - x/4)/1e-3)^2)", source, true},
    {true, "if(t > 1, 0.1, 0)", one_jump, true},
    {true, "0.1*floor(t/0.7)", two_jumps, true},
    {true, "0.1*max(0, t - 1)", ramp, false},
    {true, "0.1*sin(3*t)", sine, false},
};

static void load_bar(loaded *l, bool moves, const char *law, const char *rest) {
  char text[2048];
  snprintf(text, sizeof(text),
           "meshes: {m: {bar: {size: 1, cells: 1}}}\nmaterials: {a: {type: elastic, E: %g, nu: 0.3, density: 1, expansion: 1e-3}}\n"
           "structures: {m: {mesh: m, material: a, area: 0.01}}\n%s%s%s\n"
           "supports: [{group: all, fix: [y, z]}, {group: x0, %s%s%s}]\n%s",
           E, moves ? "" : "nodes: [{group: all, temperature: \"", moves ? "" : law, moves ? "" : "\"}]", moves ? "move: {x: \"" : "fix: x",
           moves ? law : "", moves ? "\"}" : "", rest);
  load_text(l, text);
}

/* displacement of the free end at the end of a run that must be sound */
static void run_is(const loaded *l, const tn_run_opts *o, double want, double tol, bool sound, const char *what) {
  tn_sim *sim = NULL;
  tn_summary u;
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, o, &sim));
  CHECK_OK(l->ctx, tn_sim_advance(sim, UNTIL));
  if (!CHECK(fabs(end_of(sim) - want) <= tol)) printf("  %s, %s: %.9g for %.9g\n", o->method, what, end_of(sim), want);
  tn_sim_destroy(&sim);
  CHECK_OK(l->ctx, tn_run(l->ctx, l->model, o, &u));
  if (sound && !CHECK(u.sound)) printf("  %s, %s: %s\n", o->method, what, u.verdict);
  /* the work of what moves, and none else */
  if (sound) CHECK_WITHIN(u.energy_end + u.dissipated - u.energy_begin, u.input, 1e-3*fabs(u.input) + 1e-6);
}

static void motions_follow_what_changes_in_time(void) {
  for (int k = 0; k < tni_integrator_ntype; k++) {
    const tni_integrator_type *type = tni_integrator_types[k];
    if (type->needs_technique || strcmp(type->name, "energy_momentum") == 0 || strcmp(type->name, "staggered") == 0) continue;
    bool fixed = type->fixed_step || strcmp(type->name, "central") == 0, low = type->order > 0 && type->order < 4;
    for (int i = 0; i < TNI_COUNT(cases); i++) {
      loaded l;
      char every[100];
      if (!all && (i + k) % (low ? 12 : 6) != 0 && !(fixed && (cases[i].u == source || cases[i].u == ramp))) continue;
      snprintf(every, sizeof(every), "analysis: {until: %g}\noutput: {every: 0.05}\n", UNTIL); /* rows at the very instants of jumps */
      load_bar(&l, cases[i].moves, cases[i].law, every);
      tn_run_opts o = {.method = type->name, .tolerance = low ? all ? 1e-4 : 1e-3 : 1e-6, .results = ""};
      if (fixed) o.step = 2.5e-4;
      /* equal steps do not end where something jumps */
run_is(&l, &o, cases[i].u(UNTIL), fixed ? 1e-3 : low ? 5*o.tolerance : 3e-6, !fixed || !cases[i].jumps, cases[i].law);
      unload(&l);
    }
  }
}

/* Load steps know what time does as well. */
static double seen_u[5];
static int nseen;
static tn_status keep_end(void *user) {
  seen_u[nseen++] = end_of(user);
  return TN_OK;
}

static tn_status keep_nothing(void *user) {
  (void)user;
  return TN_OK;
}

static void equilibria_follow_what_jumps(void) {
  for (int moves = 0; moves < 2; moves++) {
    loaded l;
    tn_sim *sim = NULL;
    load_bar(&l, moves, moves ? "if(t >= 0.5, 0.1, 0)" : "if(t >= 0.5, 100, 0)", "analysis: {type: statics, until: 1, load_steps: 4}\n");
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    nseen = 0;
    CHECK_OK(l.ctx, tni_statics_run(sim, keep_end, sim));
    for (int i = 0; i < 5; i++) CHECK_WITHIN(seen_u[i], i < 2 ? 0 : 0.1, 1e-12);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* Analyses that know no supports which move in time say so of jumps too. */
static void jumps_are_motions(void) {
  loaded l;
  tn_summary u;
  load_bar(&l, true, "if(t > 1, 0.1, 0)", "analysis: {type: modal, until: 1, step: 0.1}\n");
  CHECK_INT(tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &u), TN_ERR_UNSUPPORTED);
  CHECK(strstr(tn_ctx_message(l.ctx), "move in time") != NULL);
  unload(&l);
}

/* df/dt where temperatures change within microseconds, against differences over nanoseconds */
static void rates_are_those_of_fast_changes(void) {
  loaded l;
  tn_sim *sim = NULL;
  load_bar(&l, false, "(100 + 30*x)*sin(1e6*t)", "analysis: {until: 1}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &(tn_run_opts){.method = "radau", .results = ""}, &sim));
  tni_data *s = sim->s;
  double q[1] = {0.02}, v[1] = {0.3}, r[2], t = 0.3;
  double *K = calloc((size_t)s->square->nnz, sizeof(double)), *D = calloc((size_t)s->square->nnz, sizeof(double)), r_t[1];
  CHECK_INT(s->nq, 1);
  for (int i = 0; i < 2; i++) tni_eval_balance(s, t + (2*i - 1)*1e-9, q, v, NULL, NULL, &r[i], NULL, NULL, NULL);
  CHECK_OK(l.ctx, tni_eval_sparse_tangent(s, t, q, v, NULL, NULL, &(tni_sparse_tangent){.r_q = K, .r_v = D, .r_t = r_t}));
  CHECK_NEAR(r_t[0], (r[1] - r[0])/2e-9, 1e-5);
  free(K), free(D);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* What warms up freely has no forces to judge the rest by; lengths in millimetres, so that rounding of places is more than a step. */
static void free_bodies_warm_up_at_large_displacements(void) {
  static const struct {
    const char *mesh, *rest;
    double length, T;
  } models[] = {
      {"box: {size: [792.6844068914083, 277.55199954459994, 302.8037482675268], cells: [4, 2, 2], distort: 0.2}", ", element: full", 792.6844068914083, -31.67790988577392},
      {"box: {size: [1137.7546931305571, 257.31105667983604, 454.2644623743063], cells: [2, 2, 2], cell: hex20}", "", 1137.7546931305571, 60},
      {"plate: {size: [569.1811338686607, 191.72489612890675], cells: [3, 2]}", ", thickness: 22.507492835903992", 569.1811338686607, 16.518155686032202}};
  static const char *const solvers[] = {"fronts", "mumps", "skyline"};
  for (int k = 0; k < TNI_COUNT(models)*TNI_COUNT(solvers); k++) {
    int i = k/TNI_COUNT(solvers);
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text), "meshes: {m: {%s}}\nmaterials: {a: {type: elastic, E: 2e5, nu: 0.3, density: 7.8e-9, expansion: 1.2e-5}}\n"
             "structures: {m: {mesh: m, material: a, formulation: large, temperature: %.17g%s}}\nsupports: [{group: x0, fix: x}, {group: y0, fix: y}, {group: %s}]\n"
             "analysis: {type: statics, solver: %s}\n", models[i].mesh, models[i].T, models[i].rest, i == 2 ? "all, fix: [z, rx, ry, rz]" : "z0, fix: z",
             solvers[k % TNI_COUNT(solvers)]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tni_statics_run(sim, keep_nothing, sim));
    const tni_part *p = &l.model->part[0];
    tni_part_at at = tni_parts_at(sim->s, 0);
    const tni_mesh_set *end = tni_mesh_find_set(p->mesh, "x1", TNI_SET_NODES);
    double *x = calloc(3*(size_t)p->mesh->nnode, sizeof(double));
    p->ops->fill(p, sim->s->parts->work[0], &at, 0, x);
    for (int n = 0; n < end->n; n++) CHECK_WITHIN(x[3*end->member[n]], 1.2e-5*models[i].T*models[i].length, 1e-9*models[i].length);
    free(x);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(motions_follow_what_changes_in_time);
  RUN(equilibria_follow_what_jumps);
  RUN(free_bodies_warm_up_at_large_displacements);
  RUN(jumps_are_motions);
  RUN(rates_are_those_of_fast_changes);
  return REPORT();
}
