/* analyses/settings.c - what the model file and the options of a run ask for
 *
 * Words that came with the options have not been through the reader; settings that are right one by one may be wrong
 * together; sizes that no machine can deliver. All of it is refused here, before anything is built.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdarg.h>
#include <stdio.h>

#include "analyses/analysis.h"
#include "analyses/method.h"
#include "analyses/sim.h"
#include "nonlinear/rest_domains.h"
#include "topology/tree.h"

static double number(const tni_item *item, const char *key, double given, double fallback) {
  if (given > 0) return given;
  return item ? tni_item_number(item, key, fallback) : fallback;
}

static void word(const tni_item *item, const char *key, const char *given, const char *fallback,
                 char out[32]) {
  const char *w = given ? given : item ? tni_item_text(item, key, fallback) : fallback;
  snprintf(out, 32, "%s", w);
}

/* Wrong setting: placed in the model file when it stands there, without place when it came with
 * the options of the call. */
static tn_status refuse(tn_ctx *ctx, const tni_item *an, const char *key, bool by_option,
                        const char *fmt, ...) {
  char text[TNI_MESSAGE_MAX];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof(text), fmt, ap);
  va_end(ap);
  if (an && !by_option) return tni_item_fail(ctx, an, key, "%s", text);
  return TN_FAIL(ctx, TN_ERR_ARGUMENT, "%s", text);
}

static int find_word(const char *word, const char *const *list, int n) {
  for (int i = 0; i < n; i++)
    if (strcmp(word, list[i]) == 0) return i;
  return -1;
}

static const char *const solver_words[] = {"auto",    "reduced",    "sparse",    "dense",
                                           "natural", "natural_cg", "cg", "pieces", "recursive",
                                           "composite", "composite_dense",
                                           "feti", "feti_dp", "schur", "schur_cg",
                                           "fronts", "mumps", "pcg", "skyline", "gamg", "bddc"};
enum { FIRST_JOINT_SOLVER = 8, FIRST_DOMAIN_SOLVER = 11 };
static const char *const ordering_words[] = {"auto", "given", "rcm", "gps", "gk", "md",
                                             "rcm_rows", "gps_rows", "gk_rows", "md_rows"};
static const char *const representation_words[] = {"auto", "cartesian", "joint"};

static tn_status unknown_word(tn_ctx *ctx, const char *what, const char *word,
                              const char *const *list, int n) {
  return TN_FAIL(ctx, TN_ERR_ARGUMENT, "unknown %s '%s'%s", what, word,
                 tni_hint_for(word, list, n).s);
}

/* words that came with the options have not been through the reader */
static tn_status check_words(tn_ctx *ctx, const tni_run_settings *set) {
  if (find_word(set->solver, solver_words, TNI_COUNT(solver_words)) < 0)
    return unknown_word(ctx, "solver", set->solver, solver_words, TNI_COUNT(solver_words));
  if (find_word(set->ordering, ordering_words, TNI_COUNT(ordering_words)) < 0)
    return unknown_word(ctx, "ordering", set->ordering, ordering_words, TNI_COUNT(ordering_words));
  if (find_word(set->representation, representation_words, TNI_COUNT(representation_words)) < 0)
    return unknown_word(ctx, "representation", set->representation, representation_words,
                        TNI_COUNT(representation_words));
  if (!tni_technique_find(set->technique)) {
    const char *known[16] = {"auto"};
    int k = 1;
    for (int i = 0; i < tni_technique_ntype && k < TNI_COUNT(known); i++)
      known[k++] = tni_technique_types[i]->name;
    return unknown_word(ctx, "technique", set->technique, known, k);
  }
  if (strcmp(set->method, "auto") == 0 || tni_integrator_find(set->method)) return TN_OK;
  const char *name[32] = {"auto"};
  int n = 1;
  for (int i = 0; i < tni_integrator_ntype && n < TNI_COUNT(name); i++)
    name[n++] = tni_integrator_types[i]->name;
  return unknown_word(ctx, "method", set->method, name, n);
}

/* settings that are right one by one and wrong together */
static tn_status check_together(tn_ctx *ctx, const tn_model *model, const tni_item *an,
                                const tn_run_opts *o, const tni_run_settings *set) {
  if (!(set->until > set->from))
    return refuse(ctx, an, "until", o->until > 0, "until = %g s, must be after the start at %g s",
                  set->until, set->from);
  if (set->max_step > 0 && set->min_step > set->max_step)
    return refuse(ctx, an, "min_step", false, "min_step = %g s, must be <= max_step = %g s",
                  set->min_step, set->max_step);
  if (model->planar && (set->spin[0] != 0 || set->spin[1] != 0))
    return refuse(ctx, an, "spin", false, "spin = [%g, %g, %g] rad/s, must be about z in a planar model",
                  set->spin[0], set->spin[1], set->spin[2]);
  if (model->npart > 0 && vec3_dot(set->spin, set->spin) > 0)
    return refuse(ctx, an, "spin", false, "spin = [%g, %g, %g] rad/s: steady rotations are found for bodies and beams, not with structures; for a structure "
                  "on supports there is the load 'spin'", set->spin[0], set->spin[1], set->spin[2]);
  const tni_integrator_type *type = tni_integrator_find(set->method);
  if (type && type->fixed_step && !(set->step > 0) && !(type->finds_step && model->npart > 0))
    return refuse(ctx, an, "method", o->method != NULL,
                  "method '%s' has a fixed step: key 'step' is missing", set->method);
  bool joint_asked = strcmp(set->representation, "joint") == 0;
  if (type && an && strcmp(type->name, "state_time") == 0) {
    int order = tni_item_integer(an, "order", set->equal_steps ? 2 : 3), force = tni_item_integer(an, "force_order", order - 1);
    if (tni_item_has(an, "elements") && tni_item_has(an, "step"))
      return refuse(ctx, an, "elements", false, "elements and step: one of them is enough");
    if (force >= order)
      return refuse(ctx, an, "force_order", false, "force_order = %d, must be smaller than order = %d: the matrix would be "
                    "singular", force, order);
    if (strcmp(tni_item_text(an, "orders", "fixed"), "adaptive") == 0) {
      if (set->equal_steps)
        return refuse(ctx, an, "orders", false, "orders: adaptive is for elements that follow the tolerance; leave key '%s' out",
                      tni_item_has(an, "elements") ? "elements" : "step");
      if (order < 2 || order > 4)
        return refuse(ctx, an, "order", false, "order = %d, must be 2 to 4 with orders: adaptive, which begins with it", order);
    }
    bool cosines = strcmp(tni_item_text(an, "formulation", "poses"), "direction_cosines") == 0;
    if (cosines && !(set->step > 0))
      return refuse(ctx, an, "formulation", false, "formulation direction_cosines has equal elements: key 'elements' or 'step' is "
                    "missing");
    if (cosines && joint_asked)
      return refuse(ctx, an, "formulation", o->representation != NULL,
                    "formulation direction_cosines needs the cartesian representation");
    bool points = cosines && strcmp(tni_item_text(an, "rule", "gauss"), "collocation") == 0;
    if (cosines && !points && strcmp(tni_item_text(an, "points", "gauss"), "radau") == 0)
      return refuse(ctx, an, "points", false, "points: radau is for formulation poses and for rule collocation of direction_cosines");
    if (cosines && order > 4)
      return refuse(ctx, an, "order", false, "order = %d, must be 1 to 4 in formulation direction_cosines", order);
    if (points && force != order - 1)
      return refuse(ctx, an, "force_order", false, "force_order = %d, must be order - 1 = %d with rule collocation, whose forces have a "
                    "value at every Gauss point", force, order - 1);
    if (cosines && !points && force < 1)
      return refuse(ctx, an, tni_item_has(an, "force_order") ? "force_order" : "order", false, "force_order = %d, must be at least 1 in "
                    "formulation direction_cosines, whose forces are continuous but with rule collocation", force);
    if (strcmp(tni_item_text(an, "elimination", "sparse"), "tree") == 0 && (!cosines || points))
      return refuse(ctx, an, "elimination", false, "elimination: tree is for formulation direction_cosines with rules but collocation: other "
                    "trajectories follow a front, over threads");
    if (!cosines && force != order - 1)
      return refuse(ctx, an, "force_order", false, "force_order = %d, must be order - 1 = %d in formulation poses, whose "
                    "forces have a value at every Gauss point", force, order - 1);
  }
  if (set->equal_steps && !(type && tni_method_takes_equal_steps(type)))
    return refuse(ctx, an, "steps", o->method != NULL,
                  "steps: equal is for rk4, energy_momentum, staggered and the implicit methods of fixed "
                  "order; '%s' chooses its steps by itself", set->method);
  if (set->equal_steps && !(set->step > 0))
    return refuse(ctx, an, "steps", false, "steps: equal needs the key 'step'");
  bool newmark = type && (strcmp(type->name, "alpha") == 0 || strcmp(type->name, "hht") == 0);
  if (set->growth > 1 && !(set->equal_steps && newmark))
    return refuse(ctx, an, "growth", o->method != NULL, "growth = %g: steps that grow by a plan are for methods alpha and hht with steps: equal", set->growth);
  if (set->soft_start > 0 && !(set->equal_steps && newmark && model->nbody == 0))
    return refuse(ctx, an, "soft_start", o->method != NULL, "soft_start = %g: it is for methods alpha and hht with steps: equal and structures without bodies",
                  set->soft_start);
  const tni_technique_type *technique = tni_technique_find(set->technique);
  bool by_technique = type && type->needs_technique;
  if (technique->needs_past && !by_technique)
    return refuse(ctx, an, "technique", o->technique || o->method,
                  "technique '%s' looks back at the station before: it needs method 'staggered' or "
                  "'trapezoidal', not '%s'", set->technique, set->method);
  if (type && type->needs_tangent && !technique->native)
    return refuse(ctx, an, "technique", o->technique || o->method,
                  "technique '%s' is for explicit methods; '%s' keeps the constraints by itself",
                  set->technique, set->method);
  int k = find_word(set->solver, solver_words, TNI_COUNT(solver_words));
  int own = tni_cut_solver_named(set->solver);
  bool is_own = own >= 0 && own < TNI_NCUT_SOLVER;
  bool steps = set->analysis->motion == TNI_MOTION_STEPS && type && type->domains && is_own;
  bool modes = is_own && strcmp(set->analysis->name, "modes") == 0 && model->npart > 0;
  if (k >= FIRST_DOMAIN_SOLVER && set->analysis->motion != TNI_MOTION_REST && !steps && !modes)
    return refuse(ctx, an, "solver", o->solver != NULL, "solver '%s' is for statics of structures%s", set->solver,
                  is_own ? ", their modes, and their motions by alpha, hht, infl_trap and infl_sdirk" : "");
  if (k >= FIRST_DOMAIN_SOLVER) k = 0;
  bool cartesian = strcmp(set->representation, "cartesian") == 0;
  bool joint = strcmp(set->representation, "joint") == 0;
  bool special = by_technique || strcmp(set->technique, "augmented") != 0;
  if (special && (joint || k >= FIRST_JOINT_SOLVER))
    return refuse(ctx, an, by_technique ? "method" : "technique",
                  o->method || o->technique || o->representation || o->solver,
                  "%s '%s' needs the cartesian representation", by_technique ? "method" : "technique",
                  by_technique ? set->method : set->technique);
  if ((cartesian && k >= FIRST_JOINT_SOLVER) || (joint && k >= 1 && k < FIRST_JOINT_SOLVER))
    return refuse(ctx, an, "solver", o->solver || o->representation,
                  "solver '%s' belongs to the %s representation, not to %s", set->solver,
                  cartesian ? "joint" : "cartesian", set->representation);
  return TN_OK;
}

/* beyond these nobody waits for the end, and the numbers are a slip of the pen */
static const double MOST_STEPS = 1e10, MOST_ROWS = 1e8;

/* Steps, rows and tolerances that no machine can deliver. */
static tn_status check_sizes(tn_ctx *ctx, const tni_item *an, const tni_item *ou,
                             const tn_run_opts *o, const tni_run_settings *set) {
  const tni_integrator_type *type = tni_integrator_find(set->method);
  double length = set->until - set->from;
  if (!(set->tolerance < 1))
    return refuse(ctx, an, "tolerance", o->tolerance > 0, "tolerance = %g, must be < 1: nothing would be asked for", set->tolerance);
  if (set->tolerance < TNI_TIGHTEST)
    return refuse(ctx, an, "tolerance", o->tolerance > 0,
                  "tolerance = %g, must be >= %g: below that rounding decides", set->tolerance,
                  TNI_TIGHTEST);
  bool fixed = set->equal_steps || (type && (type->fixed_step || type->needs_technique));
  if (fixed && set->step > 0 && !(length/set->step <= MOST_STEPS))
    return refuse(ctx, an, "step", o->step > 0,
                  "step = %g s means %.3g steps up to %g s, at most %g are taken; the step must be >= "
                  "%.3g s", set->step, length/set->step, set->until, MOST_STEPS, length/MOST_STEPS);
  if (set->max_step > 0 && !(length/set->max_step <= MOST_STEPS))
    return refuse(ctx, an, "max_step", false,
                  "max_step = %g s means at least %.3g steps up to %g s, at most %g are taken",
                  set->max_step, length/set->max_step, set->until, MOST_STEPS);
  if (!(length/set->every <= MOST_ROWS))
    return refuse(ctx, ou, "every", o->every > 0,
                  "every = %g s means %.3g rows up to %g s, at most %g are stored; it must be >= %.3g s",
                  set->every, length/set->every, set->until, MOST_ROWS, length/MOST_ROWS);
  if (!(length/set->checkpoint <= MOST_ROWS))
    return refuse(ctx, ou, "checkpoint", false,
                  "checkpoint = %g s means %.3g checkpoints up to %g s, at most %g are stored",
                  set->checkpoint, length/set->checkpoint, set->until, MOST_ROWS);
  return TN_OK;
}

static void read_equilibrium(const tni_item *an, tni_run_settings *out) {
  snprintf(out->search, sizeof(out->search), "%s",
           an ? tni_item_text(an, "search", "downhill") : "downhill");
  bool statics = out->analysis->motion == TNI_MOTION_REST, modes = out->analysis->motion == TNI_MOTION_SMALL;
  bool spins = an && tni_item_vec3(an, "spin", out->spin);
  if (an) tni_item_vec3(an, "spin_at", out->spin_at);
  out->from_statics = statics || (modes && spins) ||
                      (an && strcmp(tni_item_text(an, "initial", "given"), "statics") == 0);
  out->undecided = modes && !spins && !tni_item_has(an, "initial");
  out->load_steps = an ? (int)tni_item_number(an, "load_steps", 0) : 0;
  out->nmodes = an ? tni_item_integer(an, "modes", 0) : 0;
  out->stressed = strcmp(out->analysis->name, "buckling") == 0 || (an && tni_item_bool(an, "stressed", false));
  out->arc_length = an && tni_item_bool(an, "arc_length", false);
  out->switch_branch = an && strcmp(tni_item_text(an, "branch", "primary"), "switch") == 0;
  if (out->arc_length && out->load_steps == 0) out->load_steps = 20;
  /* tangents are cartesian */
  if ((tni_analysis_rests(out->analysis) || out->analysis->motion == TNI_MOTION_WHOLE) &&
      strcmp(out->representation, "auto") == 0)
    snprintf(out->representation, sizeof(out->representation), "cartesian");
}

const char *tn_technique_name(int index) {
  return index >= 0 && index < tni_technique_ntype ? tni_technique_types[index]->name : NULL;
}

bool tni_settings_by_technique(const tni_run_settings *set) {
  const tni_integrator_type *type = tni_integrator_find(set->method);
  return type && type->needs_technique;
}

static void read_technique(const tni_item *an, tni_run_settings *out) {
  if (strcmp(out->technique, "auto") == 0)
    snprintf(out->technique, sizeof(out->technique), "%s",
             strcmp(out->method, "staggered") == 0 ? "staggered" : "augmented");
  out->technique_opts = (tni_technique_opts){.h = out->step};
  if (!an) return;
  tni_technique_opts *o = &out->technique_opts;
  o->eta = tni_item_number(an, "softness", 0);
  o->epsilon = tni_item_number(an, "epsilon", 0);
  o->acceleration_level = strcmp(tni_item_text(an, "level", "velocity"), "acceleration") == 0;
  out->midpoint_rotation = strcmp(tni_item_text(an, "rotation", "exact"), "midpoint") == 0;
  o->alpha = tni_item_number(an, "alpha", 0);
  o->beta = tni_item_number(an, "beta", 0);
  o->penalty = tni_item_number(an, "penalty", 0);
  if (strcmp(tni_item_text(an, "form", "second"), "integral") == 0)
    o->form = TNI_BAUMGARTE_INTEGRAL;
  out->iterations = tni_item_integer(an, "iterations", 0);
  const char *together = tni_item_text(an, "resynchronize", "auto");
  if (strcmp(together, "off") == 0) out->resynchronize = -1;
  if (strcmp(together, "every") == 0) out->resynchronize = tni_item_integer(an, "stations", 50);
}

tn_status tni_run_settings_read(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts,
                                tni_run_settings *out) {
  static const tn_run_opts none = {0};
  const tn_run_opts *o = opts ? opts : &none;
  const tni_item *an = tni_spec_single(model->spec, "analysis");
  const tni_item *ou = tni_spec_single(model->spec, "output");
  memset(out, 0, sizeof(*out));
  out->analysis = tni_analysis_of(model->spec);
  word(an, "method", o->method, "auto", out->method);
  word(an, "representation", o->representation, "auto", out->representation);
  word(an, "solver", o->solver, "auto", out->solver);
  word(an, "ordering", o->ordering, "auto", out->ordering);
  word(an, "technique", o->technique, "auto", out->technique);
  out->from = an ? tni_item_number(an, "from", 0) : 0;
  out->until = number(an, "until", o->until, out->from + 1);
  out->tolerance = number(an, "tolerance", o->tolerance, 1e-6);
  out->step = number(an, "step", o->step, 0);
  if (an && !(o->step > 0) && strcmp(out->method, "state_time") == 0 && tni_item_has(an, "elements"))
    out->step = (out->until - out->from)/tni_item_integer(an, "elements", 1);
  out->max_step = number(an, "max_step", 0, 0);
  out->min_step = number(an, "min_step", 0, 0);
  out->soft_start = an ? tni_item_number(an, "soft_start", 0) : 0;
  out->growth = an ? tni_item_number(an, "growth", 1) : 1;
  out->rho = an ? tni_item_number(an, "rho", 0.8) : 0.8;
  if (an && strcmp(out->method, "state_time") == 0 && strcmp(out->representation, "auto") == 0 &&
      strcmp(tni_item_text(an, "formulation", "poses"), "direction_cosines") == 0)
    snprintf(out->representation, sizeof(out->representation), "cartesian");
  read_technique(an, out);
  out->equal_steps = an && strcmp(tni_item_text(an, "steps", "adaptive"), "equal") == 0;
  if (an && out->step > 0 && strcmp(out->method, "state_time") == 0 &&
      (tni_item_has(an, "elements") || strcmp(tni_item_text(an, "formulation", "poses"), "direction_cosines") == 0))
    out->equal_steps = true;
  out->forbid_redundant =
      an && strcmp(tni_item_text(an, "redundant", "allow"), "forbid") == 0;
  read_equilibrium(an, out);
  TN_TRY(check_words(ctx, out));
  TN_TRY(check_together(ctx, model, an, o, out));
  out->every = number(ou, "every", o->every, (out->until - out->from)/100);
  out->checkpoint = number(ou, "checkpoint", 0, (out->until - out->from)/10);
  /* what grows with time would be nothing yet */
  if (out->analysis->motion == TNI_MOTION_REST && an && tni_item_has(an, "until") && out->load_steps == 0 && out->until != out->from && model->ntimed > 0)
    return refuse(ctx, an, "until", false, "statics without 'load_steps' finds the equilibrium at t = %g s alone; write load_steps to go on to t = %g s, or from: %g",
                  out->from, out->until, out->until);
  return check_sizes(ctx, an, ou, o, out);
}

tn_status tni_settings_solver(const tni_run_settings *set, const tn_model *model, tni_arena *arena,
                              tni_system_opts *o, bool *joint, bool *either, bool *open_tree) {
  memset(o, 0, sizeof(*o));
  int k = find_word(set->solver, solver_words, TNI_COUNT(solver_words));
  if (k >= FIRST_DOMAIN_SOLVER) k = 0;
  o->kkt.ordering =
      (tni_ordering)find_word(set->ordering, ordering_words, TNI_COUNT(ordering_words));
  static const tni_kkt_method method[FIRST_JOINT_SOLVER] = {TNI_KKT_AUTO, TNI_KKT_REDUCED,
                                                            TNI_KKT_SPARSE_LU, TNI_KKT_DENSE_LU,
                                                            TNI_KKT_NATURAL, TNI_KKT_NATURAL_CG,
                                                            TNI_KKT_COMPLIANCE_CG, TNI_KKT_PIECES};
  if (k < FIRST_JOINT_SOLVER) o->kkt.method = method[k];
  else o->joint_solver = k == FIRST_JOINT_SOLVER       ? TNI_JOINT_ARTICULATED
                         : k == FIRST_JOINT_SOLVER + 1 ? TNI_JOINT_COMPOSITE_SPARSE
                                                       : TNI_JOINT_COMPOSITE_DENSE;
  if (strcmp(set->technique, "natural") == 0 && k == 0) o->kkt.method = TNI_KKT_NATURAL;
  /* meshes know ground coordinates only */
  bool cartesian = strcmp(set->representation, "cartesian") == 0 || model->npart > 0;
  *joint = strcmp(set->representation, "joint") == 0 || k >= FIRST_JOINT_SOLVER;
  *open_tree = false;
  bool special = tni_settings_by_technique(set) || strcmp(set->technique, "augmented") != 0;
  *either = !*joint && !cartesian && k == 0 && !special;
  if (*either) {
    /* an open tree needs no constraints at all in relative coordinates */
    tni_tree tree;
    TN_TRY(tni_tree_build(model, arena, &tree));
    *open_tree = tree.ncut == 0;
  }
  return TN_OK;
}
