/* analyses/statics_mesh.c - equilibria of models with structures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/statics_mesh.h"

#include <stdio.h>

#include "analyses/analysis.h"

#include "nonlinear/rest.h"
#include "nonlinear/rest_domains.h"
#include "nonlinear/rest_elements.h"
#include "nonlinear/rest_path.h"
#include "output/results.h"
#include "parallel/comm.h"
#include "solids/cases.h"
#include "system/parts.h"

static tni_rest_opts options(const tn_sim *sim) {
  /* the usual tolerance is one of steps in time, which says nothing here */
  return (tni_rest_opts){.tolerance = fmin(1e-9, sim->set.tolerance)};
}

/* fields of forces along seams in the place of forces at every node */
static tn_status few_forces(const tn_sim *sim, const tni_item *an, tni_rest_cut_opts *c) {
  static const char *const own[] = {"degree", "refinements", "multiplier_tolerance", "multiplier_nodes"};
  const char *word = an ? tni_item_text(an, "multipliers", "all") : "all";
  for (int i = 0; i < TNI_NSEAM_BASIS; i++)
    if (strcmp(word, tni_seam_basis_names[i]) == 0) c->fields = true, c->few.basis = (tni_seam_basis)i;
  for (int i = 0; i < TNI_COUNT(own); i++)
    TN_REQUIRE(sim->ctx, c->fields || !an || !tni_item_has(an, own[i]), TN_ERR_INPUT,
               "analysis: '%s' is for few forces between domains; add 'multipliers: polynomial' or 'piecewise'", own[i]);
  if (!c->fields) return TN_OK;
  TN_REQUIRE(sim->ctx, strcmp(sim->set.solver, "feti") == 0, TN_ERR_INPUT, "analysis: 'multipliers: %s' is for solver feti, not %s", word,
             sim->set.solver);
  c->few.first = tni_item_integer(an, "degree", c->few.basis == TNI_SEAM_PIECEWISE ? 4 : 1);
  TN_REQUIRE(sim->ctx, c->few.basis != TNI_SEAM_PIECEWISE || c->few.first >= 3, TN_ERR_INPUT,
             "analysis: degree = %d, but piecewise forces need 3 points at least", c->few.first);
  c->few.refinements = tni_item_integer(an, "refinements", 8);
  c->few.tolerance = tni_item_number(an, "multiplier_tolerance", 1e-4);
  c->few.gap = 10*c->few.tolerance;
  c->alone = tni_item_text(an, "multiplier_nodes", NULL);
  return TN_OK;
}

/* Solvers that take structures in pieces. Several ranks do so without being asked, where they can: *chosen. */
static tn_status cut(const tn_sim *sim, tni_rest *w, const tni_rest_opts *o, bool *chosen) {
  const tni_item *an = tni_spec_single(sim->model->spec, "analysis");
  bool ranks = tni_comm_of(sim->ctx) != NULL;
  int solver, ranked = ranks ? tni_comm_of(sim->ctx)->size : 1;
  tni_cut rule = tni_rest_cut_rule(sim->s, an ? tni_item_text(an, "decomposer", NULL) : NULL);
  *chosen = false;
  solver = tni_cut_solver_named(sim->set.solver);
  bool coarse = an && strcmp(tni_item_text(an, "preconditioner", "diagonal"), "domains") == 0;
  if (!ranks && ((solver == TNI_CUT_PCG && !coarse) || solver == TNI_CUT_MUMPS)) solver = -1;
  if (solver == TNI_CUT_MUMPS && tni_cut_solver_there(sim->ctx, TNI_CUT_MUMPS) != TN_OK) {
    tni_log(sim->ctx, TN_LOG_INFO, "every rank solves for the whole: %s", tn_ctx_message(sim->ctx));
    solver = -1;
  }
  if (solver >= TNI_NCUT_SOLVER) TN_TRY(tni_cut_solver_there(sim->ctx, (tni_cut_solver)solver));
  if (ranks && strcmp(sim->set.solver, "auto") == 0) {
    tni_cut_choice choice = tni_rest_cut_choose(sim->s, TNI_CUT_OF_STATICS, rule, ranked);
    if (choice.solver < 0) tni_log(sim->ctx, TN_LOG_INFO, "every rank solves for the whole: %s", choice.why);
    solver = choice.solver;
    *chosen = solver >= 0;
  }
  enum { UNKNOWNS = 1000 };
  static const double EXACT = 1e-12; /* of the forces: below that solutions by domains are rounding, and Newton's method goes on */
  tni_rest_cut_opts c = {.tolerance = fmax(EXACT, 0.1*o->tolerance), .coarse = coarse, .rule = rule};
  TN_TRY(few_forces(sim, an, &c));
  c.motions = an && strcmp(tni_item_text(an, "coarse", "means"), "motions") == 0;
  TN_REQUIRE(sim->ctx, !an || !tni_item_has(an, "coarse") || (solver == TNI_CUT_FETI && !c.fields), TN_ERR_INPUT,
             "analysis: 'coarse' is for 'solver: feti' with all its forces, not %s", c.fields ? "few of them" : sim->set.solver);
  if (solver < 0) return TN_OK;
  int usual = tni_rest_cut_usual(sim->s, (tni_cut_solver)solver, c.rule, ranked);
  if (coarse) { /* nothing is factored but the matrix of their motions: small domains */
    int cells = 0;
    for (int i = 0; i < sim->s->parts->n; i++) cells += sim->s->parts->part[i].mesh->ncell;
    usual = (int)fmin(fmin(fmax(sim->s->nv/UNKNOWNS, 8), TNI_COARSE_MOST/2), fmax(cells/8, 1));
    usual = (usual + ranked - 1)/ranked*ranked;
  }
  c.solver = (tni_cut_solver)solver;
  c.domains = an ? tni_item_integer(an, "domains", usual) : usual;
  tn_status st = tni_rest_cut_into(w, &c);
  if (st != TN_ERR_UNSUPPORTED || !*chosen) return st;
  *chosen = false;
  tni_log(sim->ctx, TN_LOG_INFO, "every rank solves for the whole: %s", tn_ctx_message(sim->ctx));
  return TN_OK;
}

/* An equilibrium; what domains that nobody asked for cannot do, the whole may. */
static tn_status solve(tn_sim *sim, tni_rest *w, bool chosen, const double *from, double t, const tni_rest_opts *o, tni_rest_report *r) {
  if (chosen) tni_state_keep(&sim->start, sim->s, t, sim->at.q, NULL);
  tn_status st = tni_rest_solve(w, from, t, sim->at.q, sim->at.lambda, o, r);
  if (!chosen || st <= 0 || st == TN_INTERRUPTED || tni_comm_of(sim->ctx)->trouble != TN_OK) return st;
  tni_log(sim->ctx, TN_LOG_INFO, "every rank solves for the whole: %s", tn_ctx_message(sim->ctx));
  tni_rest_cut_into(w, NULL);
  memcpy(sim->at.q, sim->start.q, (size_t)sim->s->nq*sizeof(double));
  tni_memory_restore(sim->s, sim->start.memory);
  return tni_rest_solve(w, from, t, sim->at.q, sim->at.lambda, o, r);
}

const char *tni_mesh_statics_use(const tn_model *m, const char *solver, tni_rest *w) {
  static const char *const whole[] = {"fronts", "mumps", "pcg", "skyline"};
  const tni_item *an = tni_spec_single(m->spec, "analysis");
  const char *asked = NULL;
  for (int i = 0; i < TNI_COUNT(whole); i++)
    if (strcmp(solver, whole[i]) == 0) asked = whole[i];
  const char *matrix = an ? tni_item_text(an, "matrix", "assembled") : "assembled";
  const char *by = an ? tni_item_text(an, "preconditioner", "diagonal") : "diagonal";
  tni_rest_elements_opts o = {.keeps = strcmp(matrix, "elements") == 0, .factors = strcmp(by, "elements") == 0};
  bool elements = strcmp(matrix, "assembled") != 0;
  tni_rest_use(w, asked, an ? 1e6*tni_item_number(an, "memory", 0) : 0, elements ? &o : NULL);
  return asked;
}

static tn_status use(const tn_sim *sim, tni_rest *w) {
  const char *asked = tni_mesh_statics_use(sim->model, sim->set.solver, w);
  bool divided = asked && tni_comm_of(sim->ctx) && tni_cut_solver_named(asked) >= 0; /* joints are around what ranks divide */
  TN_REQUIRE(sim->ctx, !asked || sim->s->m == 0 || divided, TN_ERR_UNSUPPORTED, "solver '%s' is for structures without joints; leave 'solver' away",
             asked);
  const tni_item *an = tni_spec_single(sim->model->spec, "analysis");
  static const char *const own[] = {"matrix", "preconditioner"};
  bool coarse = an && strcmp(tni_item_text(an, "preconditioner", "diagonal"), "domains") == 0;
  TN_REQUIRE(sim->ctx, !coarse || strcmp(sim->set.solver, "pcg") == 0, TN_ERR_INPUT, "analysis: 'preconditioner: domains' is for 'solver: pcg', not %s",
             sim->set.solver);
  TN_REQUIRE(sim->ctx, !coarse || strcmp(tni_item_text(an, "matrix", "assembled"), "assembled") == 0, TN_ERR_INPUT,
             "analysis: 'preconditioner: domains' needs 'matrix: assembled', which domains keep in pieces");
  if (coarse) return TN_OK;
  for (int i = 0; i < TNI_COUNT(own) && an; i++)
    TN_REQUIRE(sim->ctx, !tni_item_has(an, own[i]) || (strcmp(sim->set.solver, "pcg") == 0 && !tni_comm_of(sim->ctx)), TN_ERR_INPUT,
               "analysis: '%s' is for 'solver: pcg' of one process, not %s%s", own[i], sim->set.solver, tni_comm_of(sim->ctx) ? " of several" : "");
  TN_REQUIRE(sim->ctx, !an || strcmp(tni_item_text(an, "preconditioner", "diagonal"), "diagonal") == 0 ||
             strcmp(tni_item_text(an, "matrix", "assembled"), "assembled") != 0, TN_ERR_INPUT,
             "analysis: 'preconditioner: elements' needs 'matrix: elements' or 'free'");
  return TN_OK;
}

static void note(tn_sim *sim, const tni_rest *w, const tni_rest_report *r) {
  tn_summary *u = &sim->sum;
  u->iterations += r->iterations;
  u->iterations_rejected += r->cuts;
  u->equilibria++;
  u->residual = fmax(u->residual, r->residual);
  if (r->largest >= u->residual_force) {
    u->residual_force = r->largest;
    if (r->worst >= 0) tni_dof_name(sim->s ? sim->s : sim->cartesian, r->worst, u->residual_body, sizeof(u->residual_body));
  }
  u->unstable = r->negative < 0 && r->symmetric ? -1 : r->negative > 0 ? r->negative : 0;
  u->nonconservative = !r->symmetric;
  if (r->free > 0) {
    u->free = r->free;
    snprintf(u->free_names, sizeof(u->free_names), "%s", r->free_names);
    if (u->unstable > 0) u->unstable = -1; /* rounding has signs too */
    if (sim->set.analysis->motion != TNI_MOTION_SMALL) sim->doubt = HUGE_VAL; /* modes tell of them as such */
    snprintf(sim->why_doubt, sizeof(sim->why_doubt), "%d motion%s without stiffness (%.200s): how far things have moved along %s is by chance; add supports",
             r->free, r->free == 1 ? "" : "s", r->free_names, r->free == 1 ? "it" : "them");
  }
  char solver[200];
  tni_rest_describe(w, solver, sizeof(solver));
  snprintf(u->system, sizeof(u->system), "cartesian, %d unknowns, %ld numbers in the factor, %s", (int)(sim->s ? sim->s : sim->cartesian)->nv,
           tni_rest_nnz(w), solver);
}

tn_status tni_mesh_statics_begin(tn_sim *sim, tni_data *s, double t, double *q) {
  /* statics finds it anyway; modes of linear structures are the same everywhere, unless stresses count */
  bool modes = sim->set.analysis->motion == TNI_MOTION_SMALL;
  if (sim->set.analysis->motion == TNI_MOTION_REST || (modes && s->parts->linear && s->nbody == 0 && !sim->set.stressed)) return TN_OK;
  tni_rest *w;
  tni_rest_report r;
  tni_rest_opts o = options(sim);
  double *lambda;
  TNI_ARENA_NEW(&sim->arena, lambda, s->m);
  TN_TRY(tni_rest_create(s, &w));
  tn_status st = tni_rest_solve(w, NULL, t, q, lambda, &o, &r);
  if (st == TN_OK) note(sim, w, &r);
  tni_rest_destroy(&w);
  s->parts->still = modes;
  TN_TRY(st);
  double *start;
  TNI_ARENA_NEW(&sim->arena, start, s->parts->nv);
  memcpy(start, q + s->parts->q0, (size_t)s->parts->nv*sizeof(double));
  sim->origin_parts = start;
  return TN_OK;
}

/* show the equilibrium */
static void look(tn_sim *sim, double t) {
  tni_data *s = sim->s;
  tn_summary *u = &sim->sum;
  size_t nv = (size_t)s->nv*sizeof(double);
  sim->at.t = sim->t_lo = sim->t_hi = sim->load = t;
  sim->critical = 0;
  memset(sim->at.v, 0, nv);
  memset(sim->at.a, 0, nv);
  if (s->m > 0) tni_eval_residuals(s, t, sim->at.q, sim->at.v, NULL, &sim->residuals);
  sim->residuals.velocity = sim->residuals.acceleration = 0;
  tni_eval_reactions(s, t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, sim->wrench);
  tni_look_sensors(s, &sim->at, sim->wrench, sim->sensor);
  if (s->m > 0 && sim->residuals.position >= u->position_error) {
    u->position_error = sim->residuals.position;
    tni_row_name(s, sim->residuals.position_row, u->worst_constraint, sizeof(u->worst_constraint));
  }
  u->velocity_error = u->acceleration_error = 0;
  tni_at at = tni_at_state(&sim->at);
  tni_energies e;
  tni_look_energies(s, &at, &e);
  sim->energy0 = u->energy_end = e.potential;
  u->t_end = t;
}

/* ---- load cases: one factorization, one solution each ------------------------------------------------------- */

tn_status tni_mesh_cases_tables(tn_sim *sim, int *ntable, tni_table **out) {
  const tn_spec *spec = sim->model->spec;
  int n = tni_cases_count(spec);
  double *row;
  if (n == 0) return TN_OK;
  TNI_ARENA_NEW(&sim->arena, *out, n);
  TNI_ARENA_NEW(&sim->arena, row, n);
  for (int i = 0; i < n; i++) {
    row[i] = i;
    const char *path = tni_arena_printf(&sim->arena, "cases/%s", tni_cases_name(spec, i));
    if (!path) return tni_out_of_memory(sim->ctx);
    (*out)[i] = (tni_table){path, "", 1, 0, row + i, 0};
  }
  *ntable = n;
  return TN_OK;
}

static tn_status solve_cases(tn_sim *sim, tni_rest *w, bool chosen, tni_rest_opts *o, tni_store_fn store, void *user) {
  const tni_data *s = sim->s;
  int n = tni_cases_count(sim->model->spec);
  if (!s->parts->linear || s->nbody > 0 || s->m > 0)
    return TN_FAIL(sim->ctx, TN_ERR_UNSUPPORTED, "'cases' need a linear model: structures of formulation small and linear materials, no bodies; "
                   "run the cases one by one");
  o->keep_factors = true;
  TNI_ARENA_NEW(&sim->arena, sim->case_energy, n);
  for (int k = 0; k < n; k++) {
    tni_rest_report r;
    TN_TRY(solve(sim, w, chosen, NULL, k, o, &r));
    sim->case_factorizations += r.factorizations;
    note(sim, w, &r);
    look(sim, k);
    if (k == 0) sim->sum.energy_begin = sim->sum.energy_end;
    sim->case_energy[k] = sim->sum.energy_end;
    sim->ncase = k + 1;
    TN_TRY(store(user));
    if (sim->ctx->interrupted) return TN_FAIL(sim->ctx, TN_INTERRUPTED, "stopped at case %d of %d", k + 1, n);
  }
  return TN_OK;
}

/* ---- arc length -------------------------------------------------------------------------------------------- */

typedef struct {
  tn_sim *sim;
  tni_rest *w;
  tni_store_fn store;
  void *user;
} arc;

static tn_status arc_point(void *user, const tni_path_point *p, const tni_rest_report *r, int worst) {
  arc *a = user;
  tn_sim *sim = a->sim;
  tn_summary *u = &sim->sum;
  if (p->kind == TNI_POINT_PLAIN) note(sim, a->w, r);
  else if (u->criticals++ < TN_SUMMARY_CRITICAL) {
    tn_critical *c = &u->critical[u->criticals - 1];
    c->load = p->t;
    c->kind = p->kind == TNI_POINT_LIMIT ? "limit point" : "bifurcation";
    tni_dof_name(sim->s, worst, c->name, sizeof(c->name));
  }
  look(sim, p->t);
  TN_TRY(tni_statics_way_look(sim));
  if (u->stored == 0) u->energy_begin = u->energy_end;
  sim->critical = (double)p->kind;
  sim->counts = true; /* the load turns back */
  sim->row = (double)u->stored;
  return a->store(a->user);
}

static tn_status follow_arc(tn_sim *sim, tni_rest *w, const tni_rest_opts *o, tni_store_fn store, void *user) {
  const tni_run_settings *set = &sim->set;
  arc a = {sim, w, store, user};
  tni_rest_report first;
  tni_path_report r;
  TN_TRY(tni_rest_solve(w, NULL, set->from, sim->at.q, sim->at.lambda, o, &first));
  sim->sum.iterations += first.iterations;
  tni_rest_path_opts p = {.from = set->from, .until = set->until, .steps = set->load_steps, .tolerance = o->tolerance,
                          .switch_branch = set->switch_branch, .point = arc_point, .user = &a};
  tn_status st = tni_rest_path_follow(w, sim->s, sim->at.q, &p, &r);
  sim->sum.iterations += r.iterations;
  sim->sum.iterations_rejected += r.rejected;
  if (st == TN_OK && !r.ended)
    tni_log(sim->ctx, TN_LOG_WARNING, "the path was followed for %d points and did not arrive at load %g; more load_steps make it longer",
            r.points, set->until);
  return st;
}

tn_status tni_mesh_statics_run(tn_sim *sim, tni_store_fn store, void *user) {
  const tni_run_settings *set = &sim->set;
  tni_rest *w;
  tni_rest_opts o = options(sim);
  TN_REQUIRE(sim->ctx, !set->arc_length || !tni_comm_of(sim->ctx), TN_ERR_UNSUPPORTED, "arc_length of meshes is for one process");
  sim->sum.equilibria = 0;
  TN_TRY(tni_rest_create(sim->s, &w));
  tn_status st = use(sim, w);
  if (st == TN_OK) st = tni_statics_way_begin(sim);
  bool chosen = false;
  if (st == TN_OK && tni_comm_of(sim->ctx)) st = tni_state_create(&sim->arena, sim->s, &sim->start);
  if (st == TN_OK && !set->arc_length) st = cut(sim, w, &o, &chosen);
  if (st == TN_OK && set->arc_length) {
    st = follow_arc(sim, w, &o, store, user);
    tni_rest_destroy(&w);
    return st;
  }
  bool cases = tni_cases_count(sim->model->spec) > 0;
  if (st == TN_OK && cases) st = solve_cases(sim, w, chosen, &o, store, user);
  double before = set->from;
  for (int k = 0; k <= set->load_steps && st == TN_OK && !cases; k++) {
    tni_rest_report r;
    double t = set->from + (set->load_steps > 0 ? (double)k/set->load_steps : 0)*(set->until - set->from);
    st = solve(sim, w, chosen, k ? &before : NULL, t, &o, &r);
    if (st != TN_OK) break;
    note(sim, w, &r);
    look(sim, t);
    st = tni_statics_way_look(sim);
    if (st != TN_OK) break;
    if (k == 0) sim->sum.energy_begin = sim->sum.energy_end;
    st = store(user);
    before = t;
    if (st == TN_OK && sim->ctx->interrupted)
      st = TN_FAIL(sim->ctx, TN_INTERRUPTED, "stopped at load step %d of %d", k, set->load_steps);
  }
  tni_rest_destroy(&w);
  return st;
}
