/* analyses/statics.c - equilibrium as an analysis of its own and as the start of others
 *
 * Time is the load parameter: what depends on t (forces, prescribed motions) is taken at the given
 * time, everything is at rest, and load steps follow the equilibrium from `from` to `until`.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/statics.h"

#include <stdio.h>

#include "analyses/run.h"
#include "analyses/statics_mesh.h"
#include "analyses/summary.h"
#include "nonlinear/path.h"
#include "nonlinear/way.h"
#include "solids/cases.h"

enum { NAMED_FREE = 4 }; /* directions without stiffness that the summary names */

static tni_equilibrium_opts search_options(const tn_sim *sim) {
  static const char *const words[] = {"downhill", "nearest", "stable"};
  tni_equilibrium_opts o = {.tolerance = fmin(1e-10, 1e-4*sim->set.tolerance)};
  for (int i = 0; i < TNI_COUNT(words); i++)
    if (strcmp(sim->set.search, words[i]) == 0) o.search = (tni_search)i;
  return o;
}

/* "body 'cart' along x, body 'wheel' about its own y and 2 more" */
static tn_status name_free(tn_sim *sim, const tni_tangent_space *ts) {
  tn_summary *u = &sim->sum;
  double *delta;
  int *component;
  u->free_names[0] = 0;
  if (ts->nzero == 0) return TN_OK;
  TNI_ARENA_NEW(&sim->arena, delta, (size_t)ts->nzero*(size_t)ts->n);
  TNI_ARENA_NEW(&sim->arena, component, ts->nzero);
  tni_tangent_free(ts, delta, component);
  size_t at = 0;
  for (int i = 0; i < ts->nzero && i < NAMED_FREE && at < sizeof(u->free_names); i++) {
    char name[160];
    tni_component_name(ts->s, component[i], name, sizeof(name));
    at += (size_t)snprintf(u->free_names + at, sizeof(u->free_names) - at, "%s%s", i ? ", " : "",
                           name);
  }
  if (ts->nzero > NAMED_FREE && at < sizeof(u->free_names))
    snprintf(u->free_names + at, sizeof(u->free_names) - at, " and %d more",
             ts->nzero - NAMED_FREE);
  return TN_OK;
}

static void doubt_passed(tn_sim *sim, const char *name, double t) {
  if (sim->doubt > 1) return;
  sim->doubt = 2;
  snprintf(sim->why_doubt, sizeof(sim->why_doubt), "bodies pass through each other, contact '%.100s', on the way to the equilibrium at t = %.6g s; take more "
           "load_steps, or run a transient", name, t);
}

static tn_status note_equilibrium(tn_sim *sim, const tni_equilibrium *e,
                                  const tni_equilibrium_report *r) {
  tn_summary *u = &sim->sum;
  const char *passed = r->passed ? r->passed : tni_way_deep(e->ts.s, e->ts.t, e->q, e->v);
  if (passed) doubt_passed(sim, passed, e->ts.t);
  u->iterations += r->iterations;
  u->iterations_rejected += r->rejected;
  u->equilibria++;
  if (r->force >= u->residual_force || r->moment >= u->residual_moment) {
    u->residual_force = fmax(u->residual_force, r->force);
    u->residual_moment = fmax(u->residual_moment, r->moment);
    if (r->node < 0) u->residual_body[0] = 0;
    else tni_node_name(e->ts.s, r->node, u->residual_body, sizeof(u->residual_body));
  }
  /* against the largest forces met: an equilibrium without loads has none to compare with */
  sim->forces_left = fmax(sim->forces_left, e->ts.gnorm);
  sim->forces_met = fmax(sim->forces_met, e->ts.fscale);
  u->residual = sim->forces_met > 0 ? sim->forces_left/sim->forces_met : sim->forces_left;
  u->unstable = r->nnegative;
  u->nonconservative = !e->ts.symmetric;
  u->unstable_left += r->left;
  u->free = r->nfree;
  return name_free(sim, &e->ts);
}

/* beams whose strains are added up from step to step: their equilibria depend on the way there */
static void warn_of_paths(const tn_sim *sim) {
  const tn_model *m = sim->model;
  for (int i = 0; i < m->nbeam; i++) {
    const tni_beam *b = &m->beam[i];
    if (b->nelement > 0 && m->force[b->element0].element->adds_up)
      tni_log(sim->ctx, TN_LOG_WARNING,
              "beam '%s': the strains of 'incremental' elements are added up from one equilibrium to the "
              "next, so that the result depends on load_steps, and closed paths leave stresses; "
              "element: exact or quadratic does not", b->name);
  }
}

tn_status tni_statics_refuse_samples(const tn_sim *sim, const char *what) {
  for (int i = 0; i < sim->model->nforce; i++) {
    const tni_force *f = &sim->model->force[i];
    TN_REQUIRE(sim->ctx, !f->ops->samples, TN_ERR_UNSUPPORTED, "%s: force '%s' is a sampled controller (%s), which holds what it has measured once; "
               "write its law as a joint_force of value and rate, or leave it out", what, f->name, f->type);
  }
  return TN_OK;
}

static tn_status create_search(tni_arena *arena, const tn_sim *sim, tni_data *s,
                               tni_equilibrium *e) {
  TN_TRY(tni_equilibrium_create(arena, s, TNI_SPACE_AUTO, e));
  memcpy(e->ts.spin, sim->set.spin, sizeof(e->ts.spin));
  memcpy(e->ts.spin_at, sim->set.spin_at, sizeof(e->ts.spin_at));
  return TN_OK;
}

tn_status tni_statics_begin(tn_sim *sim, tni_data *s, double t, double *q, double *v,
                            bool *at_rest) {
  tni_equilibrium e;
  tni_equilibrium_report r;
  tni_arena arena;
  tni_equilibrium_opts o = search_options(sim);
  TN_TRY(tni_statics_refuse_samples(sim, "equilibrium at the start"));
  if (s->parts) return tni_mesh_statics_begin(sim, s, t, q);
  warn_of_paths(sim);
  tni_arena_init(&arena, sim->ctx);
  tn_status st = create_search(&arena, sim, s, &e);
  if (st == TN_OK) st = tni_equilibrium_solve(&e, t, q, &o, &r);
  if (st == TN_OK) st = note_equilibrium(sim, &e, &r);
  *at_rest = *at_rest || (st == TN_OK && e.ts.spinning);
  if (st == TN_OK && *at_rest) memcpy(v, e.ts.v, (size_t)s->nv*sizeof(double));
  tni_equilibrium_destroy(&e);
  tni_arena_clear(&arena);
  return st;
}

tn_status tni_statics_way_begin(tn_sim *sim) {
  if (!tni_system_has_clearance(sim->s)) return TN_OK;
  TNI_ARENA_NEW(&sim->arena, sim->row_q, 2*sim->s->nq);
  TNI_ARENA_NEW(&sim->arena, sim->row_delta, sim->s->nv);
  TNI_ARENA_NEW(&sim->arena, sim->row_part, sim->s->nv);
  TNI_ARENA_NEW(&sim->arena, sim->row_v, sim->s->nv);
  memcpy(sim->row_q, sim->at.q, (size_t)sim->s->nq*sizeof(double));
  return TN_OK;
}

tn_status tni_statics_way_look(tn_sim *sim) {
  tni_data *s = sim->s;
  tni_way way;
  if (!sim->row_q) return TN_OK;
  tni_difference(s, sim->row_q, sim->at.q, sim->row_delta);
  TN_TRY(tni_way_look(s, sim->at.t, sim->row_q, sim->row_delta, tni_nodes_extent(s, sim->at.q), !s->parts, sim->row_q + s->nq, sim->row_v,
                      sim->row_part, &way));
  const char *passed = way.through ? way.name : tni_way_passed(s, sim->at.t, sim->row_q, sim->at.q, sim->row_v);
  if (passed) doubt_passed(sim, passed, sim->at.t);
  memcpy(sim->row_q, sim->at.q, (size_t)s->nq*sizeof(double));
  return TN_OK;
}

/* show the equilibrium: at rest (or in its spin), with its own multipliers */
static void look_at_rest(tn_sim *sim, const tni_tangent_space *ts) {
  tni_data *s = sim->s;
  size_t nv = (size_t)s->nv;
  sim->at.t = sim->t_lo = sim->t_hi = sim->load = ts->t;
  sim->critical = 0;
  memcpy(sim->at.q, ts->q, (size_t)s->nq*sizeof(double));
  memcpy(sim->at.v, ts->v, nv*sizeof(double));
  memcpy(sim->at.a, ts->a, nv*sizeof(double));
  memcpy(sim->at.lambda, ts->lambda, (size_t)s->m*sizeof(double));
  tni_eval_residuals(s, sim->at.t, sim->at.q, sim->at.v, NULL, &sim->residuals);
  /* drives stand still here, whatever their rate */
  sim->residuals.velocity = sim->residuals.acceleration = 0;
  tni_eval_reactions(s, sim->at.t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, sim->wrench);
  tni_look_sensors(s, &sim->at, sim->wrench, sim->sensor);
  tn_summary *u = &sim->sum;
  if (sim->residuals.position >= u->position_error && s->m > 0) {
    u->position_error = sim->residuals.position;
    tni_row_name(s, sim->residuals.position_row, u->worst_constraint,
                     sizeof(u->worst_constraint));
  }
  u->velocity_error = u->acceleration_error = 0;
  tni_at at = tni_at_state(&sim->at);
  tni_energies e;
  tni_look_energies(s, &at, &e);
  sim->energy0 = u->energy_end = e.potential;
  u->t_end = sim->at.t;
}

/* Equilibrium at t from the last one: along its branch if Newton's method gets there, else *jumped. */
static tn_status follow(tn_sim *sim, tni_equilibrium *e, double t, bool along,
                        const tni_equilibrium_opts *o, tni_equilibrium_report *r, bool *jumped) {
  tni_data *s = sim->s;
  tni_state_keep(&sim->start, s, sim->at.t, sim->at.q, NULL);
  if (!along || o->search == TNI_NEAREST) return tni_equilibrium_solve(e, t, sim->at.q, o, r);
  tni_equilibrium_opts nearest = *o;
  nearest.search = TNI_NEAREST;
  tn_status st = tni_equilibrium_solve(e, t, sim->at.q, &nearest, r);
  if (st < 0 || (st == TN_OK && (o->search != TNI_STABLE || r->nnegative == 0))) return st;
  if (st != TN_OK) {
    memcpy(sim->at.q, sim->start.q, (size_t)s->nq*sizeof(double));
    tni_memory_restore(s, sim->start.memory);
  }
  *jumped = true;
  return tni_equilibrium_solve(e, t, sim->at.q, o, r);
}

static void note_critical(tn_sim *sim, const tni_equilibrium *e, int k, tni_point_kind kind) {
  tn_summary *u = &sim->sum;
  const tni_tangent_space *ts = &e->ts;
  if (u->criticals++ >= TN_SUMMARY_CRITICAL) return;
  tn_critical *c = &u->critical[u->criticals - 1];
  c->load = ts->t;
  c->kind = kind == TNI_POINT_LIMIT ? "limit point" : "bifurcation";
  tni_tangent_vector(ts, k, e->delta);
  tni_tangent_name(ts, e->delta, c->name, sizeof(c->name));
}

/* the eigenvalue nearest to zero */
static int nearest_zero(const tni_tangent_space *ts) {
  int k = 0;
  for (int i = 1; i < ts->nd; i++)
    if (fabs(ts->value[i]) < fabs(ts->value[k])) k = i;
  return k;
}

/* ---- load steps ---------------------------------------------------------------------------- */

/* Between t0 (the last row, eigenvalue v0 at sim->start) and t1 (v1): where eigenvalue k changes its sign,
 * by false position and bisection in turns. Next to a bifurcation Newton's method may not converge: then
 * elsewhere in the interval, and what has been found last stands. Leaves sim->q and e->ts as they were
 * found by solving at t1. */
static tn_status find_critical(tn_sim *sim, tni_equilibrium *e, double t0, double t1, int k, double v0,
                               double v1) {
  enum { MOST = 90, MOST_LOST = 4 };
  size_t nq = (size_t)sim->s->nq*sizeof(double);
  tni_equilibrium_opts o = search_options(sim);
  tni_equilibrium_report r;
  double a = t0, b = t1, scale = isfinite(v0 + v1) ? fmax(fabs(v0), fabs(v1)) : 0;
  int lost = 0;
  o.search = TNI_NEAREST;
  memcpy(sim->before, sim->at.q, nq);
  for (int i = 0; i < MOST && lost <= MOST_LOST; i++) {
    double t = (a*v1 - b*v0)/(v1 - v0);
    if (i % 3 == 2 || !(fmin(a, b) < t && t < fmax(a, b))) t = 0.5*(a + b);
    if (lost) t = a + (b - a)*(lost % 2 ? 0.25 : 0.75);
    memcpy(sim->at.q, sim->before, nq);
    tn_status st = tni_equilibrium_solve(e, t, sim->at.q, &o, &r);
    if (st < 0) return st;
    sim->sum.iterations += r.iterations;
    lost = st == TN_OK ? 0 : lost + 1;
    if (lost) continue;
    double v = e->ts.value[k];
    if (fabs(v) <= 1e-10*scale || v == 0 || fabs(b - a) <= 1e-12*fabs(t1 - t0)) break;
    if ((v < 0) == (v1 < 0)) b = t, v1 = v;
    else a = t, v0 = v, memcpy(sim->before, sim->at.q, nq);
  }
  if (lost) {
    memcpy(sim->at.q, sim->before, nq);
    TN_TRY(tni_equilibrium_solve(e, a, sim->at.q, &o, &r));
  }
  note_critical(sim, e, k, tni_path_kind(e, k));
  memcpy(sim->at.q, sim->end, nq);
  return tni_equilibrium_solve(e, t1, sim->at.q, &o, &r);
}

static tn_status find_criticals(tn_sim *sim, tni_equilibrium *e, double t0, int negative, double t1) {
  tni_tangent_space *ts = &e->ts;
  int now = ts->nnegative, first = now < negative ? now : negative;
  int last = now < negative ? negative : now;
  size_t nq = (size_t)sim->s->nq*sizeof(double);
  if (now == negative) return TN_OK;
  memcpy(sim->end, sim->at.q, nq);
  memcpy(sim->value_end, ts->value, (size_t)ts->nd*sizeof(double));
  for (int k = first; k < last; k++) {
    if (sim->value[k]*sim->value_end[k] > 0) continue;
    memcpy(sim->at.q, sim->start.q, nq);
    TN_TRY(find_critical(sim, e, t0, t1, k, sim->value[k], sim->value_end[k]));
  }
  return TN_OK;
}

static tn_status load_path(tn_sim *sim, tni_store_fn store, void *user, tni_equilibrium *e) {
  const tni_run_settings *set = &sim->set;
  tni_equilibrium_opts o = search_options(sim);
  int negative = 0, nd = -1;
  double before = set->from;
  for (int k = 0; k <= set->load_steps; k++) {
    tni_equilibrium_report r;
    double part = set->load_steps > 0 ? (double)k/set->load_steps : 0;
    double t = set->from + part*(set->until - set->from);
    bool jumped = false;
    TN_TRY(follow(sim, e, t, k > 0, &o, &r, &jumped));
    if (e->ts.nd == nd && e->ts.symmetric && !jumped) TN_TRY(find_criticals(sim, e, before, negative, t));
    TN_TRY(note_equilibrium(sim, e, &r));
    look_at_rest(sim, &e->ts);
    if (k == 0) sim->sum.energy_begin = sim->sum.energy_end;
    TN_TRY(store(user));
    if (sim->ctx->interrupted)
      return TN_FAIL(sim->ctx, TN_INTERRUPTED, "stopped at load step %d of %d", k, set->load_steps);
    negative = e->ts.nnegative;
    nd = e->ts.nd;
    before = t;
    memcpy(sim->value, e->ts.value, (size_t)nd*sizeof(double));
  }
  return TN_OK;
}

/* ---- arc length ---------------------------------------------------------------------------- */

typedef struct {
  tn_sim *sim;
  tni_store_fn store;
  void *user;
} arc;

static tn_status arc_point(void *user, const tni_equilibrium *e, const tni_path_point *p) {
  arc *a = user;
  tn_sim *sim = a->sim;
  tni_equilibrium_report r = {.nnegative = p->nnegative, .nfree = e->ts.nzero,
                              .residual = e->ts.fscale > 0 ? e->ts.gnorm/e->ts.fscale : 0};
  if (p->kind != TNI_POINT_PLAIN) note_critical(sim, e, nearest_zero(&e->ts), p->kind);
  r.node = tni_tangent_worst(&e->ts, &r.force, &r.moment);
  if (p->kind == TNI_POINT_PLAIN) TN_TRY(note_equilibrium(sim, e, &r));
  look_at_rest(sim, &e->ts);
  TN_TRY(tni_statics_way_look(sim));
  if (sim->sum.stored == 0) sim->sum.energy_begin = sim->sum.energy_end;
  sim->critical = (double)p->kind;
  sim->counts = true; /* the load turns back */
  sim->row = (double)sim->sum.stored;
  return a->store(a->user);
}

static tn_status arc_path(tn_sim *sim, tni_store_fn store, void *user, tni_equilibrium *e) {
  const tni_run_settings *set = &sim->set;
  arc a = {sim, store, user};
  tni_path_report r;
  TN_TRY(tni_statics_way_begin(sim));
  tni_path_opts o = {.from = set->from, .until = set->until, .steps = set->load_steps,
                     .tolerance = search_options(sim).tolerance, .switch_branch = set->switch_branch,
                     .point = arc_point, .user = &a};
  tn_status st = tni_path_follow(e, &sim->arena, sim->at.q, &o, &r);
  sim->sum.iterations += r.iterations;
  sim->sum.iterations_rejected += r.rejected;
  if (st == TN_OK && !r.ended)
    tni_log(sim->ctx, TN_LOG_WARNING,
            "the path was followed for %d points and did not arrive at load %g; more load_steps make "
            "it longer", r.points, set->until);
  return st;
}

tn_status tni_statics_run(tn_sim *sim, tni_store_fn store, void *user) {
  tni_equilibrium e;
  TN_TRY(tni_statics_refuse_samples(sim, "statics"));
  if (sim->s->parts) return tni_mesh_statics_run(sim, store, user);
  TN_REQUIRE(sim->ctx, tni_cases_count(sim->model->spec) == 0, TN_ERR_UNSUPPORTED, "'cases' are for structures, and the model has none");
  sim->sum.equilibria = 0; /* the first one is found again, at once */
  TN_TRY(tni_state_create(&sim->arena, sim->s, &sim->start));
  TNI_ARENA_NEW(&sim->arena, sim->end, sim->s->nq);
  TNI_ARENA_NEW(&sim->arena, sim->before, sim->s->nq);
  TNI_ARENA_NEW(&sim->arena, sim->value, sim->s->nv);
  TNI_ARENA_NEW(&sim->arena, sim->value_end, sim->s->nv);
  tn_status st = create_search(&sim->arena, sim, sim->s, &e);
  if (st == TN_OK)
    st = sim->set.arc_length ? arc_path(sim, store, user, &e) : load_path(sim, store, user, &e);
  tni_equilibrium_destroy(&e);
  return st;
}

/* ---- the analysis -------------------------------------------------------------------------- */

static const tni_key keys[] = {
    {"arc_length", TNI_KIND_BOOL, 0, 0, 0, 0, NULL, "false", NULL,
     "Statics: follow the path of equilibria through limit points, where the load turns back."},
    {"branch", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "primary", "primary|switch",
     "With arc_length: stay on the path at a bifurcation, or leave it at the first one."},
    {"search", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "downhill", "downhill|nearest|stable",
     "Equilibrium to look for: the one the forces pull to, the nearest one even if unstable, or a "
     "stable one for certain."},
    {"load_steps", TNI_KIND_INTEGER, 0, 0, 1e6, 0, NULL, "0", NULL,
     "Statics: follow the equilibrium from time `from` to time `until` in so many steps; t is the "
     "load parameter. 0: only at `from`."},
    {"cases", TNI_KIND_ANY, 0, 0, 0, 0, NULL, NULL, NULL,
     "Statics of linear structures: {name: {case of loads: factor, ...}, ...}, or a list of cases of loads. One row and one solution each, with one "
     "factorization for all; t is the number of the case, from 0. Loads without `case` act in all of them."},
    {"matrix", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "assembled", "assembled|elements|free",
     "Solver pcg: the stiffness as one sparse matrix, as the matrices of all elements, which are kept and never put together, or as nothing: "
     "every product evaluates the elements, but for those that are equal: their matrix is kept once. Each takes less memory than the one before; the last "
     "is the fastest where elements are equal, as in boxes, and takes many times as long where they are not."},
    {"preconditioner", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "diagonal", "diagonal|elements|domains",
     "Solver pcg: the diagonal; with matrix: elements or free the product of factors of all elements (EBE): fewer iterations, each dearer; or the diagonal and, solved for at "
     "once, motions of `domains` parts against each other (two levels), for large structures and slender ones."},
    {"domains", TNI_KIND_INTEGER, 0, 1, 1e6, 0, NULL, "1 for 5000 unknowns, at least 4", NULL,
     "Solvers feti, feti_dp, schur, schur_cg and pcg with preconditioner: domains, statics and motions: parts that the structure is cut into."},
    {"decomposer", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "best; file, if a mesh has parts",
     "greedy|frontier|bands|strips|bisect|inertia|metis|scotch|best|file",
     "The rule by which it is cut; also that by which several processes divide the structures of explicit runs. best: bisect or metis, whichever leaves fewer "
     "nodes at cuts; file: as `parts` of the mesh says."},
    {"coarse", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "means", "means|motions",
     "Solver feti: what forces and jumps between domains keep to in every iteration: motions of floating domains, or also means along faces and edges that domains "
     "share, in half as many iterations."},
    {"multipliers", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "all", "all|polynomial|piecewise",
     "Solver feti: forces between domains: one at every shared unknown, or few, as fields along the seams. Few forces give an approximation; the "
     "summary says how good it is."},
    {"degree", TNI_KIND_INTEGER, 0, 1, 60, 0, NULL, "1; 4 points of piecewise forces", NULL,
     "With multipliers: degree of the fields to begin with, of piecewise ones the number of points."},
    {"refinements", TNI_KIND_INTEGER, 0, 1, 60, 0, NULL, "8", NULL, "With multipliers: refinements of the fields at most."},
    {"multiplier_tolerance", TNI_KIND_NUMBER, 0, 1e-14, 1, 0, NULL, "1e-4", NULL,
     "With multipliers: largest displacements may change by this part in the last refinement, energies leave ten times it as a gap."},
    {"multiplier_nodes", TNI_KIND_TEXT, 0, 0, 0, 0, NULL, NULL, NULL,
     "With multipliers: group of nodes that have forces of their own, beside those with loads and supports."},
    {"spin", TNI_KIND_VEC3, 0, 0, 0, 0, "rad/s", "[0, 0, 0]", NULL,
     "Statics and modes: look for a steady rotation with this angular velocity, ground axes."},
    {"spin_at", TNI_KIND_VEC3, 0, 0, 0, 0, "m", "[0, 0, 0]", NULL, "A point of the axis of spin."},
};

static const char *const PATH[] = {"load", "negative", "critical"};
static const tni_channel channels[] = {{"statics", "path", "", TNI_COUNT(PATH), PATH, NULL, NULL}};

static void fill(const tn_sim *sim, double *x) {
  x[0] = sim->load;
  x[1] = sim->sum.unstable;
  x[2] = sim->critical;
}

static void summary(const tn_summary *u, tni_json *j) {
  if (u->criticals == 0) return;
  tni_json_open_array(j, "critical");
  for (int i = 0; i < u->criticals && i < TN_SUMMARY_CRITICAL; i++) {
    tni_json_open_object(j, NULL);
    tni_json_add_number(j, "load", u->critical[i].load);
    tni_json_add_text(j, "kind", u->critical[i].kind);
    tni_json_add_text(j, "mostly", u->critical[i].name);
    tni_json_close(j);
  }
  tni_json_close(j);
}

void tni_statics_text(const tn_summary *u, tni_text *t) {
  tni_text_add(t, "%-10s equilibrium at t = %g", u->outcome, u->t_begin);
  if (u->t_end > u->t_begin) tni_text_add(t, " to %g", u->t_end);
  tni_text_add(t, " s in %.3g s (%.3g s CPU)\nmethod     %s\n", u->wall, u->cpu, u->method);
  tni_text_add(t, "system     %s\n", u->system);
  tni_text_equilibrium(u, t);
  tni_text_add(t, "constraint position %.1e", u->position_error);
  if (u->worst_constraint[0]) tni_text_add(t, " (worst %s)", u->worst_constraint);
  tni_text_add(t, "\nenergy     potential %.6g J", u->energy_begin);
  if (u->stored > 1) tni_text_add(t, " to %.6g J", u->energy_end);
  tni_text_add(t, "\n");
}

static tn_status run(tni_run *r) {
  snprintf(r->sim->sum.method, sizeof(r->sim->sum.method), "statics: Newton on exact tangents, %s",
           r->sim->set.search);
  TN_TRY(tni_mesh_cases_tables(r->sim, &r->ntable, &r->table));
  TN_TRY(tni_run_open(r));
  TN_TRY(tni_statics_run(r->sim, tni_run_store_rest, r));
  if (r->sim->ncase > 0) tni_run_add_figure(r, "factorizations", "", r->sim->case_factorizations);
  for (int i = 0; i < r->sim->ncase; i++) {
    char name[48];
    snprintf(name, sizeof(name), "case %d, %.30s", i, tni_cases_name(r->sim->model->spec, i));
    tni_run_add_figure(r, name, "J", r->sim->case_energy[i]);
  }
  return TN_OK;
}

const tni_analysis tni_analysis_statics = {
    .name = "statics", .doc = "find the equilibrium", .motion = TNI_MOTION_REST, .key = keys,
    .nkey = TNI_COUNT(keys), .run = run, .channel = channels, .nchannel = TNI_COUNT(channels), .fill = fill,
    .summary = summary, .text = tni_statics_text};
