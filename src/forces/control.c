/* forces/control.c - sampled controllers: proportional-derivative, state feedback, the caller's own
 *
 *   at t_k = k sample    y_k = inputs at the state,  u_k = law(t_k, y_k), limited
 *   from t_{k+delay} on  u_k acts along the joint coordinates, held until the next one (zero order)
 *
 * Samples are events: every integrator stops at them exactly, and between them the force is constant
 * along its coordinates. What was measured does not enter the tangents, because it is in the memory.
 *
 * Memory: number of the next sample; outputs that act; outputs under way, oldest first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/control.h"

#include "forces/along.h"

enum { MAX_OUT = 6, MAX_IN = 24, NEXT = 0, ACTING = 1 };

/* what a program may change in an otherwise constant model */
typedef struct {
  tn_controller_fn fn; /* NULL: not attached yet */
  void *user;
} attachment;

typedef struct {
  int nin, nout, delay;
  tni_function *in;      /* [nin]                                     */
  tni_along out[MAX_OUT];
  double *gain;          /* [nout][nin]; NULL: the caller's function  */
  attachment *attached;
  double sample, limit;
  int memory;
} control;

static void control_eval(const tni_force *force, const tni_env *env, unsigned what,
                         tni_force_out *out) {
  const control *d = force->data;
  const double *u = env->memory + d->memory + ACTING;
  double zero[TNI_MAXCOL] = {0};
  tni_force_clear(force, what, out);
  for (int i = 0; i < d->nout; i++) {
    tni_scalar_out o;
    tni_along_eval(&d->out[i], env, what, &o);
    tni_along_add_force(&d->out[i], &o, -u[i], out->f);
    out->input += u[i]*o.rate;
    if (i == 0) out->value = u[0];
    if (what & TNI_F_TANGENT)
      tni_along_add_tangent(&d->out[i], &o, force->nbody, -u[i], zero, zero, out->K, out->D);
  }
}

static void control_events(const tni_force *force, const tni_env *env, double *g) {
  const control *d = force->data;
  g[0] = env->memory[d->memory + NEXT]*d->sample - env->t;
}

static void compute(const control *d, const tni_env *env, double *u) {
  double y[MAX_IN];
  for (int k = 0; k < d->nin; k++) tni_function_eval(&d->in[k], env, &y[k], NULL, NULL, NULL);
  for (int i = 0; i < d->nout; i++) {
    u[i] = 0;
    for (int k = 0; k < d->nin && d->gain; k++) u[i] -= d->gain[i*d->nin + k]*y[k];
  }
  if (!d->gain && d->attached->fn)
    d->attached->fn(d->attached->user, env->t, d->nin, y, d->nout, u);
  for (int i = 0; i < d->nout; i++) {
    if (!isfinite(u[i])) u[i] = 0;
    u[i] = fmin(d->limit, fmax(-d->limit, u[i]));
  }
}

static void control_commit(const tni_force *force, const tni_env *env, bool at_event,
                           double *memory) {
  const control *d = force->data;
  double *m = memory + d->memory, u[MAX_OUT];
  if (!at_event || env->t < m[NEXT]*d->sample) return;
  m[NEXT] = floor(env->t/d->sample) + 1;
  while (m[NEXT]*d->sample <= env->t) m[NEXT]++;
  compute(d, env, u);
  /* the queue moves on by one: what acts now is u of `delay` samples ago */
  double *acting = m + ACTING;
  memmove(acting, acting + d->nout, (size_t)(d->delay*d->nout)*sizeof(double));
  memcpy(acting + d->delay*d->nout, u, (size_t)d->nout*sizeof(double));
}

static const tni_force_ops control_ops = {.name = "controller", .eval = control_eval,
                                          .events = control_events, .commit = control_commit, .samples = true};

/* ---- the caller's function ----------------------------------------------------------------- */

tn_status tni_control_set(tn_model *model, int force, tn_controller_fn fn, void *user) {
  const tni_force *f = &model->force[force];
  const control *d = f->data;
  TN_REQUIRE(model->ctx, f->ops == &control_ops && !d->gain, TN_ERR_ARGUMENT,
             "force '%s' is a %s; only a controller of type sampled takes a function", f->name,
             f->type);
  d->attached->fn = fn;
  d->attached->user = user;
  return TN_OK;
}

tn_status tni_control_check(const tn_model *model) {
  for (int i = 0; i < model->nforce; i++) {
    const tni_force *f = &model->force[i];
    if (f->ops != &control_ops) continue;
    const control *d = f->data;
    if (!d->gain && !d->attached->fn)
      return TN_FAIL(model->ctx, TN_ERR_ARGUMENT,
                     "force '%s' is a sampled controller without a function; attach one with "
                     "tn_model_set_controller before the run", f->name);
  }
  return TN_OK;
}

/* ---- building ------------------------------------------------------------------------------ */

static tn_status close(tni_builder *b, const tni_item *item, tni_force *force, control *d) {
  d->sample = tni_item_number(item, "sample", 0);
  d->delay = (int)tni_item_number(item, "delay", 0);
  d->limit = tni_item_number(item, "limit", HUGE_VAL);
  for (int i = 0; i < ACTING + (d->delay + 1)*d->nout; i++) {
    int slot;
    TN_TRY(tni_build_memory(b, 0, &slot));
    if (i == 0) d->memory = slot;
  }
  force->nevent = 1;
  force->data = d;
  return tni_build_force(b, item, force);
}

/* the coordinates that are acted on: keys joints and coordinates */
static tn_status read_outputs(tni_builder *b, const tni_item *item, tni_force *force, control *d) {
  const tni_value *joints = tni_item_get(item, "joints");
  const tni_value *names = tni_item_get(item, "coordinates");
  d->nout = joints->form == TNI_LIST ? joints->n : 1;
  if (d->nout < 1 || d->nout > MAX_OUT)
    return tni_item_fail(b->ctx, item, "joints", "acts on %d joints, must be 1 to %d", d->nout,
                         MAX_OUT);
  int nname = !names ? 0 : names->form == TNI_LIST ? names->n : 1;
  if (names && nname != d->nout)
    return tni_item_fail(b->ctx, item, "coordinates", "has %d coordinates for %d joints, must be one "
                         "for each", nname, d->nout);
  for (int i = 0; i < d->nout; i++) {
    const tni_value *joint = joints->form == TNI_LIST ? &joints->item[i] : joints;
    const tni_value *name = !names ? NULL : names->form == TNI_LIST ? &names->item[i] : names;
    const tni_coord *coord;
    TN_TRY(tni_build_coord_ref(b, item, names ? "coordinates" : "joints", joint->text,
                               name ? name->text : NULL, &coord));
    TN_TRY(tni_along_build(b, item, force, &coord->scalar, &d->out[i]));
  }
  return TN_OK;
}

static tn_status read_inputs(tni_builder *b, const tni_item *item, control *d) {
  const tni_value *v = tni_item_get(item, "inputs");
  d->nin = v->form == TNI_LIST ? v->n : 1;
  if (d->nin < 1 || d->nin > MAX_IN)
    return tni_item_fail(b->ctx, item, "inputs", "has %d inputs, must be 1 to %d", d->nin, MAX_IN);
  TNI_ARENA_NEW(b->arena, d->in, d->nin);
  for (int k = 0; k < d->nin; k++)
    TN_TRY(tni_build_function(b, item, "inputs", v->form == TNI_LIST ? &v->item[k] : v, 0,
                              &d->in[k]));
  return TN_OK;
}

static tn_status build_pd(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &control_ops};
  control *d;
  const tni_coord *coord;
  const char *name = tni_item_text(item, "coordinate", NULL);
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(tni_build_coord_ref(b, item, name ? "coordinate" : "joint",
                             tni_item_text(item, "joint", ""), name, &coord));
  TN_TRY(tni_along_build(b, item, &force, &coord->scalar, &d->out[0]));
  d->nout = 1;
  d->nin = 4;
  TNI_ARENA_NEW(b->arena, d->in, d->nin);
  TNI_ARENA_NEW(b->arena, d->gain, d->nin);
  tni_measure value = tni_measure_value(&coord->scalar), rate = tni_measure_rate(&coord->scalar);
  double kp = tni_item_number(item, "kp", 0), kd = tni_item_number(item, "kd", 0);
  const double gain[4] = {kp, -kp, kd, -kd};
  memcpy(d->gain, gain, sizeof(gain));
  TN_TRY(tni_build_measure_function(b, &value, &d->in[0]));
  TN_TRY(tni_build_function(b, item, "target", tni_item_get(item, "target"), 0, &d->in[1]));
  TN_TRY(tni_build_measure_function(b, &rate, &d->in[2]));
  TN_TRY(tni_build_function(b, item, "target_rate", tni_item_get(item, "target_rate"), 0,
                            &d->in[3]));
  return close(b, item, &force, d);
}

static tn_status build_feedback(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &control_ops};
  control *d;
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(read_outputs(b, item, &force, d));
  TN_TRY(read_inputs(b, item, d));
  const tni_value *K = tni_item_get(item, "gains");
  bool right = K->form == TNI_LIST && K->n == d->nout;
  for (int i = 0; right && i < d->nout; i++) {
    const tni_value *row = &K->item[i];
    right = row->form == TNI_LIST && row->n == d->nin;
    for (int k = 0; right && k < d->nin; k++) right = row->item[k].form == TNI_NUMBER;
  }
  if (!right)
    return tni_item_fail(b->ctx, item, "gains", "gains must be a list of %d row%s (one for each "
                         "joint) of %d number%s (one for each input)", d->nout,
                         d->nout == 1 ? "" : "s", d->nin, d->nin == 1 ? "" : "s");
  TNI_ARENA_NEW(b->arena, d->gain, d->nout*d->nin);
  for (int i = 0; i < d->nout; i++)
    for (int k = 0; k < d->nin; k++) d->gain[i*d->nin + k] = K->item[i].item[k].number;
  return close(b, item, &force, d);
}

static tn_status build_sampled(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &control_ops};
  control *d;
  TNI_ARENA_NEW(b->arena, d, 1);
  TNI_ARENA_NEW(b->arena, d->attached, 1);
  TN_TRY(read_outputs(b, item, &force, d));
  TN_TRY(read_inputs(b, item, d));
  return close(b, item, &force, d);
}

#define COMMON_KEYS                                                                               \
  {.name = "sample", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED | TNI_ABOVE_MIN,              \
   .max = HUGE_VAL, .unit = "s",                                                                  \
   .doc = "Time between samples; they are taken at its multiples, exactly."},                     \
  {.name = "delay", .kind = TNI_KIND_INTEGER, .max = 1000, .initial = "0",                        \
   .doc = "Samples between measuring and acting."},                                               \
  {.name = "limit", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL,             \
   .unit = "N or N m", .initial = "none", .doc = "Largest output of the actuator."}
#define VECTOR_KEYS                                                                               \
  {.name = "joints", .kind = TNI_KIND_NAMES, .flags = TNI_REQUIRED,                               \
   .doc = "Joints whose coordinates it drives, at most 6."},                                      \
  {.name = "coordinates", .kind = TNI_KIND_NAMES, .initial = "the first of each joint",           \
   .doc = "Their coordinates, one for each joint."},                                              \
  {.name = "inputs", .kind = TNI_KIND_ANY, .flags = TNI_REQUIRED,                                 \
   .doc = "What it measures: list of expressions of t and measured quantities, for example "      \
          "[\"angle(pin) - 0.3\", \"rate(pin)\"]; at most 24."}

static const tni_key pd_keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED,
     .doc = "Joint whose coordinate is controlled."},
    {.name = "coordinate", .kind = TNI_KIND_NAME, .initial = "the first of the joint",
     .doc = "Which of its coordinates."},
    {.name = "target", .kind = TNI_KIND_EXPR, .unit = "m or rad", .initial = "0",
     .doc = "What the coordinate should be: expression of t and measured quantities."},
    {.name = "target_rate", .kind = TNI_KIND_EXPR, .unit = "m/s or rad/s", .initial = "0",
     .doc = "What its rate should be."},
    {.name = "kp", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .initial = "0",
     .doc = "Force or torque per deviation of the coordinate."},
    {.name = "kd", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .initial = "0",
     .doc = "Force or torque per deviation of its rate."},
    COMMON_KEYS,
};
static const tni_key feedback_keys[] = {
    VECTOR_KEYS,
    {.name = "gains", .kind = TNI_KIND_ANY, .flags = TNI_REQUIRED,
     .doc = "Matrix K of u = -K y, one row for each joint, one column for each input."},
    COMMON_KEYS,
};
static const tni_key sampled_keys[] = {VECTOR_KEYS, COMMON_KEYS};

const tni_force_type tni_force_pd = {
    {"pd", "Sampled proportional-derivative controller of a joint coordinate.", pd_keys,
     TNI_COUNT(pd_keys)},
    build_pd};
const tni_force_type tni_force_feedback = {
    {"feedback", "Sampled state feedback u = -K y on joint coordinates.", feedback_keys,
     TNI_COUNT(feedback_keys)},
    build_feedback};
const tni_force_type tni_force_sampled = {
    {"sampled",
     "Sampled controller that is a C function of the calling program (tn_model_set_controller).",
     sampled_keys, TNI_COUNT(sampled_keys)},
    build_sampled};
