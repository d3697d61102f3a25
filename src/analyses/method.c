/* analyses/method.c - the integration method of a run and its options
 *
 * auto: where there is a choice, analyses/auto.c makes it, by trials. Otherwise (constraint techniques for
 * explicit methods, fully prescribed motion) rk8, or rk45 for loose tolerances, and energy_momentum for
 * beams with a given step.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/method.h"

#include <float.h>
#include <stdio.h>

#include "analyses/analysis.h"
#include "nonlinear/rest_domains.h"
#include "parallel/comm.h"

#define TIGHT 5e-3       /* measured on the examples: below, the pair of order 8 is as fast or faster */
#define LOCAL_FLOOR 1e-14 /* an error of a step below this is rounding                          */

static const tni_integrator_type *explicit_method(tn_sim *sim) {
  bool tight = sim->set.tolerance < TIGHT;
  snprintf(sim->set.reason, sizeof(sim->set.reason), "auto: %s",
           tight ? "high order" : "cheap steps for a loose tolerance");
  return tni_integrator_find(tight ? "rk8" : "rk45");
}

bool tni_method_names_velocities(const tn_sim *sim) {
  const tni_item *an = tni_spec_single(sim->model->spec, "analysis");
  return an && tni_item_get(an, "independent");
}

/* Joint coordinates for a method by name on an open tree: all but those that need bodies. Elements
 * couple nodes that no joint carries, and `independent` names velocities of bodies: implicit methods
 * then stay with them. */
static bool suits_trees(const tn_sim *sim, const tni_integrator_type *type) {
  if (type->needs_model) return false;
  return !type->needs_tangent || (sim->model->nelement == 0 && !tni_method_names_velocities(sim));
}

tn_status tni_method_choose(tn_sim *sim, bool open_tree, bool *joint, const tni_integrator_type **type) {
  const tni_run_settings *set = &sim->set;
  const tni_data *c = sim->cartesian;
  *type = NULL;
  if (strcmp(set->method, "auto") != 0) {
    *type = tni_integrator_find(set->method);
    *joint = *joint || (open_tree && suits_trees(sim, *type));
    return TN_OK;
  }
  if (sim->model->nelement > 0 && set->step > 0 && !*joint) {
    snprintf(sim->set.reason, sizeof(sim->set.reason), "auto: beams keep their energy at any step");
    *type = tni_integrator_find("energy_momentum");
    return TN_OK;
  }
  bool moves = c->nv > (c->rank ? c->rank->rank : 0), transient = set->analysis->motion == TNI_MOTION_STEPS;
  /* implicit methods keep constraints by themselves */
  if (moves && transient && strcmp(set->technique, "augmented") == 0) return TN_OK;
  *joint = *joint || (open_tree && strcmp(set->technique, "augmented") == 0);
  *type = explicit_method(sim);
  return TN_OK;
}

/* velocity components by name, such as arm.wz */
static tn_status find_independent(tn_sim *sim, const tni_item *an, tni_integrator_opts *out) {
  const tni_value *list = an ? tni_item_get(an, "independent") : NULL;
  tni_data *s = sim->s;
  if (!list) return TN_OK;
  int n = list->n > 0 ? list->n : 1, *index;
  TNI_ARENA_NEW(&sim->arena, index, n);
  for (int i = 0; i < n; i++) {
    const char *want = list->n > 0 ? list->item[i].text : list->text;
    char name[128];
    index[i] = -1;
    for (int j = 0; j < s->nv && index[i] < 0; j++) {
      tni_dof_name(s, j, name, sizeof(name));
      if (strcmp(name, want) == 0) index[i] = j;
    }
    if (index[i] < 0 && s->relative && s->nv > 0) {
      tni_dof_name(s, 0, name, sizeof(name));
      return tni_item_fail(sim->ctx, an, "independent",
                           "'%s' is no velocity component of the joints; one of %d is '%s'", want, s->nv,
                           name);
    }
    if (index[i] < 0)
      return tni_item_fail(sim->ctx, an, "independent",
                           "'%s' is no velocity component; those of a body are %s", want,
                           sim->model->planar ? "body.vx, body.vy, body.wz"
                                              : "body.vx, .vy, .vz, .wx, .wy, .wz");
  }
  out->nindependent = n;
  out->independent = index;
  out->parametrization = TNI_COORDINATES;
  return TN_OK;
}

static int word_of(const tni_item *an, const char *key, const char *const *words, int n) {
  const char *word = an ? tni_item_text(an, key, words[0]) : words[0];
  for (int i = 0; i < n; i++) {
    if (strcmp(word, words[i]) == 0) return i;
  }
  return 0;
}

bool tni_method_takes_equal_steps(const tni_integrator_type *type) {
  return type->fixed_step || type->needs_technique || (type->needs_tangent && type->order > 0);
}

/* keys of the reduced implicit methods that the others do not heed */
static void mention_idle_keys(const tn_sim *sim, const tni_integrator_type *type,
                              const tni_item *an) {
  static const char *const key[] = {"parametrization", "independent", "jacobian", "error_filter",
                                     "repartition"};
  if (!an || type->variants || sim->choice) return;
  for (int i = 0; i < TNI_COUNT(key); i++) {
    if (!tni_item_has(an, key[i])) continue;
    tni_log(sim->ctx, TN_LOG_WARNING,
            "method '%s' has no independent coordinates to choose: '%s' is for rosen, sdirk and trap",
            type->name, key[i]);
  }
}

/* Factors of meshes by domains: as the model says, and on several ranks without being asked. Where `auto` tries methods by their time,
 * ranks may not choose the same, and each factors for itself. */
static void choose_domains(const tn_sim *sim, const tni_integrator_type *type, const tni_item *an, tni_integrator_opts *out) {
  int named = tni_cut_solver_named(sim->set.solver);
  if (named >= TNI_NCUT_SOLVER) named = -1;
  bool alone = !tni_comm_of(sim->ctx), tried = strcmp(sim->set.method, "auto") == 0;
  if (!type->domains || (named < 0 && (alone || tried || strcmp(sim->set.solver, "auto") != 0))) return;
  if (named < 0 && (!sim->s->parts || sim->s->nbody > 0)) return;
  out->domains_chosen = named < 0;
  if (named < 0) {
    tni_cut_choice choice = tni_rest_cut_choose(sim->s, TNI_CUT_OF_MOTIONS, TNI_CUT_BEST, tni_comm_of(sim->ctx)->size);
    if (choice.solver < 0) tni_log(sim->ctx, TN_LOG_INFO, "every rank factors the whole: %s", choice.why);
    if (choice.solver < 0) return;
    named = choice.solver;
  }
  out->by_domains = 1 + named;
  out->domains = an ? tni_item_integer(an, "domains", 0) : 0;
}

/* Newmark's family, and what stops Newton's method */
static tn_status iteration_options(tn_sim *sim, const tni_integrator_type *type, const tni_item *an,
                                   tni_integrator_opts *out) {
  if (!an) return TN_OK;
  out->repartition = tni_item_number(an, "repartition", 0);
  out->kappa = tni_item_number(an, "kappa", 0);
  out->max_iterations = tni_item_integer(an, "max_iterations", 0);
  if (!tni_item_has(an, "newmark_beta") && !tni_item_has(an, "newmark_gamma")) return TN_OK;
  bool chosen = strcmp(sim->set.method, "auto") != 0;
  if (!type->newmark) {
    if (!chosen) return TN_OK; /* auto tries others beside it */
    const char *key = tni_item_has(an, "newmark_beta") ? "newmark_beta" : "newmark_gamma";
    return tni_item_fail(sim->ctx, an, key, "'%s' is for method trap, not for %s", key, type->name);
  }
  double gamma = out->newmark_gamma = tni_item_number(an, "newmark_gamma", 0.5), least = 0.25*(gamma + 0.5)*(gamma + 0.5);
  out->newmark_beta = tni_item_number(an, "newmark_beta", least);
  if (out->newmark_beta < least*(1 - 1e-12))
    return tni_item_fail(sim->ctx, an, "newmark_beta", "newmark_beta %g is below (newmark_gamma + 1/2)^2/4 = %g, where large "
                         "steps are not stable", out->newmark_beta, least);
  return TN_OK;
}

tn_status tni_method_options(tn_sim *sim, const tni_integrator_type *type,
                             tni_integrator_opts *out) {
  static const char *const parametrization[] = {"tangent_plane", "coordinates"};
  static const char *const jacobian[] = {"exact", "parallel", "numerical", "blocks", "compact", "augmented"};
  static const char *const filter[] = {"auto", "on", "off"};
  const tni_run_settings *set = &sim->set;
  const tni_item *an = tni_spec_single(sim->model->spec, "analysis");
  /* the tolerance is the error wanted at the end; errors of steps add up on the way there */
  double share = tni_integrator_share(type, sim->s, set->tolerance), base = set->tolerance;
  if (an) base = tni_item_number(an, "tolerance", set->tolerance);
  static const char *const whose[] = {"run", "step"};
  bool of_step = word_of(an, "tolerance_of", whose, 2) == 1;
  if (of_step) share = 1;
  double factor = share*set->tolerance/base, level[2][2];
  for (int v = 0; v < 2; v++) {
    for (int absolute = 0; absolute < 2; absolute++) {
      static const char *const key[2][2] = {
          {"relative_tolerance", "absolute_tolerance"},
          {"relative_velocity_tolerance", "absolute_velocity_tolerance"}};
      double fallback = v ? level[0][absolute] : base;
      level[v][absolute] = an ? tni_item_number(an, key[v][absolute], fallback) : fallback;
    }
  }
  sim->set.cut = 0;
  for (int i = 0; i < 4; i++)
    sim->set.cut = fmax(sim->set.cut, LOCAL_FLOOR/(factor*level[i/2][i % 2]));
  if (type->fixed_step || set->equal_steps) sim->set.cut = 0;
  *out = (tni_integrator_opts){.rtol = fmax(factor*level[0][0], LOCAL_FLOOR),
                               .atol = fmax(factor*level[0][1], LOCAL_FLOOR),
                               .rtol_v = fmax(factor*level[1][0], LOCAL_FLOOR),
                               .atol_v = fmax(factor*level[1][1], LOCAL_FLOOR),
                               .h = set->step, .hmin = set->min_step, .hmax = set->max_step,
                               .t_end = set->until, .run = of_step ? 0 : set->until - set->from, .grid = set->every, .grid_from = set->from,
                               .rho = fmax(set->rho, DBL_MIN)}; /* 0 would be the default */
  out->tolerance = set->tolerance;
  out->equal_steps = set->equal_steps;
  out->soft_start = set->soft_start;
  out->growth = set->growth > 1 ? set->growth : 0;
  out->resynchronize = set->resynchronize;
  out->iterations = set->iterations;
  out->midpoint_rotation = set->midpoint_rotation;
  out->points = an ? tni_item_integer(an, "order", 0) : 0;
  static const char *const formulation[] = {"poses", "direction_cosines"};
  static const char *const rule[] = {"gauss", "literal", "discontinuous", "collocation"};
  static const int rules[] = {2, 0, 1, 3}; /* tni_cosine_rule */
  static const char *const orders[] = {"fixed", "adaptive"};
  static const char *const kinds[] = {"gauss", "radau"};
  out->radau = word_of(an, "points", kinds, 2) == 1;
  out->free_orders = word_of(an, "orders", orders, 2) == 1;
  out->cosines = word_of(an, "formulation", formulation, 2) == 1;
  out->rule = rules[word_of(an, "rule", rule, TNI_COUNT(rule))];
  static const char *const elimination[] = {"sparse", "tree"};
  out->tree = word_of(an, "elimination", elimination, 2) == 1;
  out->force_order = an ? tni_item_integer(an, "force_order", 0) : 0;
  out->window = an ? tni_item_integer(an, "window", 0) : 0;
  out->decomposer = tni_rest_cut_rule(sim->s, an ? tni_item_text(an, "decomposer", NULL) : NULL);
  choose_domains(sim, type, an, out);
  mention_idle_keys(sim, type, an);
  out->parametrization = (tni_parametrization)word_of(an, "parametrization", parametrization, 2);
  out->jacobian = (tni_jacobian)word_of(an, "jacobian", jacobian, TNI_COUNT(jacobian));
  out->error_filter = (tni_error_filter)word_of(an, "error_filter", filter, 3);
  TN_TRY(iteration_options(sim, type, an, out));
  return type->needs_tangent ? find_independent(sim, an, out) : TN_OK;
}
