/* joints/latch.c - a joint coordinate that locks when it reaches a value, or is let go at a time
 *
 *   latch      s(q) - at = 0,    in force only while locked
 *
 * Open, it locks where s passes `at` (in the chosen direction), or at once when it starts there. The
 * velocities then change by an impulse: the analysis projects them on the larger set of constraints,
 * v+ = v- - M^-1 C^T Lambda, and counts the kinetic energy lost as heat. A locked latch may open
 * again at a given time.
 *
 * Memory: locked; side of `at` on which s was at the end of the last step; released for good; s' where it
 * locked; impulses along s, -Lambda.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/compound.h"
#include "joints/parts.h"

static const double SHIFT = 1e-12; /* of the switching function: beyond rounding */
enum { LOCKED, SIDE, RELEASED, SPEED, NMEMORY };
enum { CROSS, RELEASE, NEVENT };

typedef struct {
  int memory;      /* first slot                                        */
  int impulse;     /* of TNI_IMPULSE_NMEMORY                            */
  int direction;   /* 1 rising, -1 falling, 0 both                      */
  double release;  /* time; HUGE_VAL: never                             */
} latch;

static void row(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
                unsigned what, tni_compound_row *out) {
  (void)c, (void)env, (void)ds, (void)what;
  out->f = s[0];
  out->g[0] = 1;
}

static double beyond(const tni_compound *c, const tni_env *env) {
  tni_scalar_out o;
  tni_scalar_at(&c->scalar[0], env, TNI_S_VALUE, &o);
  return o.s;
}

static double speed(const tni_compound *c, const tni_env *env) {
  tni_scalar_out o;
  tni_scalar_at(&c->scalar[0], env, TNI_S_VALUE | TNI_S_RATE, &o);
  return o.rate;
}

static void events(const tni_con *con, const tni_env *env, double *g) {
  const tni_compound *c = con->data;
  const latch *d = c->data;
  const double *m = env->memory + d->memory;
  g[CROSS] = m[LOCKED] || m[RELEASED] ? 1 : m[SIDE]*beyond(c, env) + SHIFT;
  g[RELEASE] = m[RELEASED] || d->release == HUGE_VAL ? 1 : d->release - env->t;
}

static double side_of(double s) { return s > SHIFT ? 1 : s < -SHIFT ? -1 : 0; }

static void commit(const tni_con *con, const tni_env *env, bool at_event, double *memory) {
  const tni_compound *c = con->data;
  const latch *d = c->data;
  double *m = memory + d->memory, s = beyond(c, env);
  const tni_scalar *angle = &c->scalar[0];
  if (angle->memory >= 0) memory[angle->memory] = s;
  if (m[RELEASED]) return;
  if (at_event && env->t >= d->release) {
    m[LOCKED] = 0;
    m[RELEASED] = 1;
    return;
  }
  if (m[LOCKED]) return;
  if (at_event && m[SIDE]*s <= 0) {
    /* it came from the side of the memory, or starts exactly there */
    if (d->direction == 0 || m[SIDE] == 0 || d->direction == -(int)m[SIDE]) m[LOCKED] = 1;
    if (m[LOCKED]) m[SPEED] = speed(c, env);
  }
  if (side_of(s) != 0) m[SIDE] = side_of(s);
}

static int switches(const tni_con *con, const tni_env *env, const double *before, tni_switch *out) {
  const tni_compound *c = con->data;
  const latch *d = c->data;
  const double *m = env->memory + d->memory, *m0 = before + d->memory;
  if (m[LOCKED] == m0[LOCKED]) return 0;
  *out = tni_switch_of(m[LOCKED] ? TNI_SWITCH_LOCKED : TNI_SWITCH_UNLOCKED);
  if (!m[LOCKED]) return 1;
  out->impulse = env->memory[d->impulse + TNI_IMPULSE_LAST];
  out->normal[0] = m[SPEED];
  out->normal[1] = speed(c, env);
  return 1;
}

static const tni_con_ops ops = {"latch", tni_compound_eval, commit, events, switches};
static const char *const row_name[1] = {"latch"};
static const char *const row_unit[2] = {"rad", "m"};

static const tni_key keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED,
     .doc = "Joint whose coordinate locks, written before this one."},
    {.name = "coordinate", .kind = TNI_KIND_TEXT, .initial = "the first of the joint",
     .doc = "Which of its coordinates."},
    {.name = "at", .kind = TNI_KIND_NUMBER, .unit = "m or rad", .initial = "value at t = 0",
     .doc = "Value at which it locks; needed unless it is locked from the start."},
    {.name = "direction", .kind = TNI_KIND_CHOICE, .choices = "both|rising|falling",
     .initial = "both", .doc = "Passing the value in which direction locks it."},
    {.name = "locked", .kind = TNI_KIND_BOOL, .initial = "false",
     .doc = "Locked from the start, at its value there."},
    {.name = "release", .kind = TNI_KIND_NUMBER, .unit = "s", .initial = "never",
     .doc = "Time at which it opens for good."},
    TNI_TIE_REFUSES,
};

static tn_status build(tni_builder *b, const tni_item *item, tni_joint *joint) {
  const char *name = tni_item_text(item, "joint", "");
  const char *coordinate = tni_item_text(item, "coordinate", NULL);
  const tni_coord *coord;
  int other;
  latch *d;
  bool locked = tni_item_bool(item, "locked", false);
  if (locked == tni_item_has(item, "at"))
    return tni_item_fail(b->ctx, item, locked ? "at" : NULL, locked ?
                         "is locked from the start, at its value there: 'at' means nothing" :
                         "key 'at' is missing: the value at which it locks");
  TN_TRY(tni_build_joint_ref(b, item, "joint", name, &other));
  TN_TRY(tni_build_coord_ref(b, item, coordinate ? "coordinate" : "joint", name, coordinate,
                             &coord));
  tni_compound c = {.nscalar = 1, .scalar = {coord->scalar}, .rows = row};
  bool turning = coord->scalar.kind == TNI_SCALAR_ANGLE;
  for (int i = 0; i < 2; i++) {
    joint->body[i] = b->model->joint[other].body[i];
    joint->frame[i] = b->model->joint[other].frame[i];
  }
  TNI_ARENA_NEW(b->arena, d, 1);
  const char *way = tni_item_text(item, "direction", "both");
  d->direction = strcmp(way, "rising") == 0 ? 1 : strcmp(way, "falling") == 0 ? -1 : 0;
  d->release = tni_item_number(item, "release", HUGE_VAL);

  /* counted from the value at which it locks, turns on its own */
  tni_scalar *s = &c.scalar[0];
  double start = tni_joint_initial(b, s), at = locked ? start : tni_item_number(item, "at", 0);
  s->offset -= at;
  if (s->memory >= 0) TN_TRY(tni_build_memory(b, start - at, &s->memory));
  const double initial[NMEMORY] = {locked, side_of(start - at), 0, 0};
  for (int i = 0; i < NMEMORY; i++) {
    int slot;
    TN_TRY(tni_build_memory(b, initial[i], &slot));
    if (i == 0) d->memory = slot;
  }
  TN_TRY(tni_build_impulse(b, &d->impulse));
  c.data = d;
  TN_TRY(tni_compound_close(b, joint, &ops, &c, false, 1, row_name, &row_unit[!turning]));
  tni_con *con = &b->model->con[b->model->ncon - 1];
  con->mode = 1 + d->memory + LOCKED;
  con->impulse = 1 + d->impulse;
  con->nevent = NEVENT;
  b->model->nevent += NEVENT;
  return TN_OK;
}

const tni_joint_type tni_joint_latch = {
    {"latch", "A joint coordinate locks when it reaches a value; it may be let go at a time.", keys,
     TNI_COUNT(keys)},
    build};
