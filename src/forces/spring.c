/* forces/spring.c - translational spring, damper and actuator between two points
 *
 *   l = |p2 - p1|,   d = l - free_length
 *   elastic    Te = k d + preload + table(d)          stored energy  integral of Te
 *   viscous    Td = c l' + damping_table(l')          heat           Td l'
 *   actuator   Ta = force(t, l, dl, measures)         work put in    -Ta l'
 *   tension    T  = Te + Td + Ta, positive pulls the points together
 *
 * One-sided springs (a rope: tension_only; a stop: compression_only) carry Te + Td only while both
 * Te and Te + Td have the allowed sign (one_sided.h). The damper never pulls a rope tight that is
 * slack nor pushes: what the elastic part gives back while it is held off counts as heat.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/along.h"
#include "forces/law.h"
#include "model/one_sided.h"

/* shift of the switching function, relative to k times the initial length: far above the error of
 * locating an event, far below any force of interest */
static const double HYSTERESIS = 1e-10;

typedef struct {
  tni_along along;
  tni_law law;
  bool actuated;
  tni_use use;
  int side;           /* 0: both ways, 1 tension only, -1 compression only         */
  int memory;         /* of one_sided.h                                           */
  double shift;       /* of the switching function [N]                             */
  double slack_energy; /* stored where the elastic force vanishes                  */
} spring;

static void spring_eval(const tni_force *force, const tni_env *env, unsigned what,
                        tni_force_out *out) {
  const spring *d = force->data;
  tni_scalar_out o;
  tni_law_out w;
  tni_along_eval(&d->along, env, what, &o);
  tni_law_eval(&d->law, o.s, o.rate, &w);
  double Ta = d->actuated ? tni_use_eval(&d->use, env, 0, NULL, NULL, NULL) : 0;
  double T = w.Fe + w.Fd, heat = w.Fd*o.rate;
  const double *m = env->memory + d->memory;
  if (d->side && m[TNI_ONE_SIDED_MODE] != TNI_TAUT) {
    T = heat = w.Fe_s = w.Fd_ds = 0;
    w.energy = m[TNI_ONE_SIDED_MODE] == TNI_SLACK ? d->slack_energy : m[TNI_ONE_SIDED_KEPT];
  }
  T += Ta;
  tni_along_apply(force, &d->along, env, what, &o, T, w.Fe_s, w.Fd_ds,
                  d->actuated ? &d->use : NULL, 1, out);
  out->potential = w.energy;
  out->dissipated = heat;
  out->input = -Ta*o.rate;
  out->value = T;
}

static void spring_events(const tni_force *force, const tni_env *env, double *g) {
  const spring *d = force->data;
  if (!d->side) return;
  tni_scalar_out o;
  tni_law_out w;
  tni_along_eval(&d->along, env, TNI_F_FORCE, &o);
  tni_law_eval(&d->law, o.s, o.rate, &w);
  tni_one_sided_events(env->memory + d->memory, d->side*w.Fe, d->side*(w.Fe + w.Fd), d->shift, g);
}

static void spring_commit(const tni_force *force, const tni_env *env, bool at_event,
                          double *memory) {
  const spring *d = force->data;
  if (!d->side || !at_event) return;
  tni_scalar_out o;
  tni_law_out w;
  tni_along_eval(&d->along, env, TNI_F_FORCE, &o);
  tni_law_eval(&d->law, o.s, o.rate, &w);
  tni_one_sided_switch(memory + d->memory, d->side*w.Fe, d->side*(w.Fe + w.Fd), d->shift, w.energy);
}

static int spring_switches(const tni_force *force, const tni_env *env, const double *before,
                           tni_switch *out) {
  const spring *d = force->data;
  tni_scalar_out o;
  if (!d->side) return 0;
  tni_along_eval(&d->along, env, TNI_F_FORCE, &o);
  return tni_one_sided_record(before + d->memory, env->memory + d->memory, d->side*o.rate,
                              d->side > 0 ? TNI_SWITCH_TAUT : TNI_SWITCH_TOUCH, out);
}

static const tni_force_ops spring_ops = {.name = "spring", .eval = spring_eval,
                                         .events = spring_events, .commit = spring_commit,
                                         .switches = spring_switches};

/* the two points: `points: [a.tip, ground.o]`, or `bodies:` with at1 and at2 */
static tn_status spring_points(tni_builder *b, const tni_item *item, int body[2], double s[2][3]) {
  static const char *const at[2] = {"at1", "at2"};
  const tni_value *points = tni_item_get(item, "points"), *bodies = tni_item_get(item, "bodies");
  if (points) {
    if (bodies || tni_item_has(item, "at1") || tni_item_has(item, "at2"))
      return tni_item_fail(b->ctx, item, "points",
                           "has 'points' beside 'bodies', 'at1' or 'at2'; give one or the other");
    for (int i = 0; i < 2; i++)
      TN_TRY(tni_build_point(b, item, "points", &points->item[i], TNI_GROUND, false, &body[i],
                             s[i]));
    return TN_OK;
  }
  if (!bodies)
    return tni_item_fail(b->ctx, item, NULL,
                         "has no ends; give points: [rod.tip, ground.hook] or bodies, at1 and at2");
  for (int i = 0; i < 2; i++) {
    const tni_value *v = tni_item_get(item, at[i]);
    int on;
    TN_TRY(tni_build_body(b, item, "bodies", bodies->item[i].text, &body[i]));
    if (!v) return tni_item_fail(b->ctx, item, NULL, "has 'bodies' but no '%s': where on "
                                 "'%s'?", at[i], tni_body_name(b->model, body[i]));
    TN_TRY(tni_build_point(b, item, at[i], v, body[i], true, &on, s[i]));
    if (on != body[i])
      return tni_item_fail(b->ctx, item, at[i], "%s = '%s' is not on body '%s'", at[i], v->text,
                           tni_body_name(b->model, body[i]));
  }
  return TN_OK;
}

static tn_status spring_one_sided(tni_builder *b, const tni_item *item, spring *d, double length,
                                  double rate) {
  bool tension = tni_item_bool(item, "tension_only", false);
  bool compression = tni_item_bool(item, "compression_only", false);
  const char *key = tension ? "tension_only" : "compression_only";
  if (!tension && !compression) return TN_OK;
  if (tension && compression)
    return tni_item_fail(b->ctx, item, "compression_only",
                         "is tension_only and compression_only: it could never act");
  if (!(d->law.k > 0) || d->law.table)
    return tni_item_fail(b->ctx, item, key, "%s needs stiffness > 0 and no table; write a table "
                         "that is zero on one side instead", key);
  d->side = tension ? 1 : -1;
  d->shift = HYSTERESIS*d->law.k*length;
  d->slack_energy = -0.5*d->law.preload*d->law.preload/d->law.k; /* at d = -preload/k */
  tni_law_out w;
  tni_law_eval(&d->law, length, rate, &w);
  return tni_one_sided_build(b, d->side*w.Fe, d->side*(w.Fe + w.Fd), w.energy, &d->memory);
}

static tn_status spring_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &spring_ops};
  spring *d;
  int body[2];
  double s[2][3], length, rate;
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(spring_points(b, item, body, s));
  if (body[0] == body[1])
    return tni_item_fail(b->ctx, item, NULL, "has both ends on '%s': it would do nothing",
                         tni_body_name(b->model, body[0]));
  tni_scalar l = tni_scalar_length(body[0], body[1], tni_vecq_separation(s[0], s[1]), 0);
  TN_TRY(tni_along_build(b, item, &force, &l, &d->along));

  /* the rate divides by the length: look at the length alone first */
  tni_scalar_out o;
  tni_kin k[2];
  for (int i = 0; i < 2; i++) tni_build_pose(b, body[i], &k[i]);
  tni_scalar_eval(&l, &k[0], &k[1], 0, TNI_S_VALUE, &o);
  double size = 1 + vec3_norm(k[0].r) + vec3_norm(k[1].r);
  if (!(o.s > 1e-12*size))
    return tni_item_fail(b->ctx, item, NULL, "its ends coincide at t = 0: the direction of its "
                         "force is undefined; move an end or use a bushing");
  tni_along_initial(b, &l, &length, &rate);

  TN_TRY(tni_law_build(b, item, "free_length", length, &l, &d->law));
  TN_TRY(spring_one_sided(b, item, d, length, rate));
  force.nevent = d->side ? TNI_ONE_SIDED_NEVENT : 0;

  const tni_value *actuator = tni_item_get(item, "force");
  if (actuator) {
    const tni_local local[2] = {{"l", tni_measure_value(&l)}, {"dl", tni_measure_rate(&l)}};
    TN_TRY(tni_use_build(b, item, &force, "force", actuator, 0, local, 2, &d->use));
    d->actuated = true;
  }
  force.nend = 2;
  force.central = ~0u;
  for (int i = 0; i < 2; i++) {
    if (d->along.slot[i] >= 0 && vec3_norm(s[i]) > 0) force.central &= ~(1u << d->along.slot[i]);
    force.end_body[i] = body[i];
    vec3_copy(force.end[i], s[i]);
  }
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key spring_keys[] = {
    {.name = "points", .kind = TNI_KIND_NAMES, .count = 2,
     .doc = "The two ends by name, for example [rod.tip, ground.hook]."},
    {.name = "bodies", .kind = TNI_KIND_BODIES,
     .doc = "The two bodies, when the ends are given by at1 and at2."},
    {.name = "at1", .kind = TNI_KIND_POINT, .unit = "m",
     .doc = "End on the first body: coordinates in its frame, or a named point."},
    {.name = "at2", .kind = TNI_KIND_POINT, .unit = "m",
     .doc = "End on the second body: coordinates in its frame, or a named point."},
    {.name = "stiffness", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "N/m", .initial = "0",
     .doc = "Tension per lengthening beyond the free length."},
    {.name = "damping", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "N s/m", .initial = "0",
     .doc = "Tension per rate of lengthening."},
    {.name = "free_length", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "m",
     .initial = "length at t = 0", .doc = "Length at which stiffness and table give no force."},
    {.name = "preload", .kind = TNI_KIND_NUMBER, .unit = "N", .initial = "0",
     .doc = "Tension at the free length."},
    {.name = "table", .kind = TNI_KIND_TABLE, .unit = "m, N",
     .doc = "Tension against lengthening beyond the free length, added to the stiffness."},
    {.name = "damping_table", .kind = TNI_KIND_TABLE, .unit = "m/s, N",
     .doc = "Tension against rate of lengthening, added to the damping."},
    {.name = "interpolation", .kind = TNI_KIND_CHOICE, .initial = "linear",
     .choices = "linear|monotone|spline",
     .doc = "Between the points of the tables: straight, or cubic (monotone keeps the rise and "
            "fall of the points, spline is smoother). Beyond the ends they go on straight."},
    {.name = "force", .kind = TNI_KIND_EXPR, .unit = "N",
     .doc = "Further tension (actuator): expression of t, measured quantities and this spring's "
            "length l and its rate dl."},
    {.name = "tension_only", .kind = TNI_KIND_BOOL, .initial = "false",
     .doc = "Stiffness, damping and preload act as in a rope: never in compression."},
    {.name = "compression_only", .kind = TNI_KIND_BOOL, .initial = "false",
     .doc = "Stiffness, damping and preload act as in a stop: never in tension."},
};

const tni_force_type tni_force_spring = {
    {"spring",
     "Spring, damper and actuator on the line between two points; tension is positive and pulls "
     "them together.",
     spring_keys, TNI_COUNT(spring_keys)},
    spring_build};
