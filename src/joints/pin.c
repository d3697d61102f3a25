/* joints/pin.c - rows that hold coordinates of joints at values and rates while a state is made
 *
 *   initial    s(q) - value = 0,     ds/dt - rate = 0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/pin.h"

#include "joints/compound.h"

static void row(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
                unsigned what, tni_compound_row *out) {
  (void)c, (void)env, (void)ds, (void)what;
  out->f = s[0];
  out->g[0] = 1;
}

static void eval(const tni_con *con, const tni_env *env, unsigned what, tni_con_out *out) {
  const tni_compound *c = con->data;
  const tni_pin *pin = c->data;
  tni_compound_eval(con, env, what, out);
  if (what & TNI_C_POSITION) out->phi[0] -= pin->value;
  if (what & TNI_C_JACOBIAN) out->phi_t[0] = -pin->rate;
}

static const tni_con_ops ops = {.name = "initial", .eval = eval};
static const char *const row_name[1] = {"initial"};
static const char *const row_unit[2] = {"rad", "m"};

tn_status tni_pins_list(const tn_model *model, tni_arena *arena, int *n, tni_pin **out) {
  *n = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) TNI_ARENA_NEW(arena, *out, *n);
    *n = 0;
    for (int i = 0; i < model->njoint; i++)
      for (int k = 0; k < model->joint[i].ncoord; k++) {
        const tni_joint *j = &model->joint[i];
        if (!j->has_initial[k] && !j->has_rate[k]) continue;
        if (pass)
          (*out)[*n] = (tni_pin){.joint = i, .coord = k, .has_value = j->has_initial[k],
                                 .has_rate = j->has_rate[k], .value = j->initial[k],
                                 .rate = j->initial_rate[k]};
        ++*n;
      }
  }
  return TN_OK;
}

static tn_status add_one(tni_builder *b, tni_pin *pin) {
  tn_model *m = b->model;
  const tni_joint *held = &m->joint[pin->joint];
  const tni_coord *coord = &held->coord[pin->coord];
  tni_joint j = {.name = held->name, .type = "initial", .item = held->item, .is_drive = true};
  for (int e = 0; e < 2; e++) {
    j.body[e] = held->body[e];
    j.frame[e] = held->frame[e];
  }
  tni_compound c = {.nscalar = 1, .scalar = {coord->scalar}, .rows = row, .data = pin};
  bool turning = coord->scalar.kind == TNI_SCALAR_ANGLE;
  TN_TRY(tni_build_memory(b, 1, &pin->memory));
  TN_TRY(tni_compound_close(b, &j, &ops, &c, false, 1, row_name, &row_unit[!turning]));
  m->con[m->ncon - 1].mode = 1 + pin->memory;
  void *items = m->joint;
  if (!tni_arena_grow(b->arena, &items, m->njoint, &b->joint_cap, sizeof(tni_joint)))
    return tni_out_of_memory(b->ctx);
  m->joint = items;
  m->joint[m->njoint++] = j;
  return TN_OK;
}

tn_status tni_pins_add(const tn_model *model, tni_arena *arena, int n, tni_pin *pin, tn_model *out) {
  *out = *model;
  /* full arrays: the first addition copies them */
  tni_builder b = {.ctx = model->ctx, .arena = arena, .hot = arena, .spec = model->spec, .model = out,
                   .joint_cap = model->njoint, .con_cap = model->ncon, .force_cap = model->nforce,
                   .sensor_cap = model->nsensor, .memory_cap = model->nmemory,
                   .beam_cap = model->nbeam};
  for (int i = 0; i < n; i++) TN_TRY(add_one(&b, &pin[i]));
  return TN_OK;
}
