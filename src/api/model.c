/* api/model.c - the thin public layer over spec, input and compile
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <tenon/model.h>

#include "api/language.h"
#include "compile/compile.h"
#include "forces/callback.h"
#include "forces/control.h"
#include "input/input.h"

tn_status tn_spec_read_file(tn_ctx *ctx, const char *path, const char *const *overrides,
                            int noverride, tn_spec **out) {
  const tni_schema *schema;
  *out = NULL;
  TN_TRY(tni_language(ctx, &schema));
  return tni_input_read_file(ctx, schema, path, overrides, noverride, out);
}

tn_status tn_spec_read_text(tn_ctx *ctx, const char *name, const char *text,
                            const char *const *overrides, int noverride, tn_spec **out) {
  const tni_schema *schema;
  *out = NULL;
  TN_TRY(tni_language(ctx, &schema));
  return tni_input_read_text(ctx, schema, name, text, overrides, noverride, out);
}

tn_status tn_spec_create(tn_ctx *ctx, tn_spec **out) {
  const tni_schema *schema;
  *out = NULL;
  TN_TRY(tni_language(ctx, &schema));
  return tni_spec_create(ctx, schema, out);
}

static tn_status find_section(const tn_spec *spec, const char *name, const tni_section **out) {
  const tni_schema *s = spec->schema;
  const char *names[32];
  int n = s->nsection < 32 ? s->nsection : 32;
  for (int i = 0; i < n; i++) {
    names[i] = s->section[i].name;
    if (strcmp(names[i], name) == 0) {
      *out = &s->section[i];
      return TN_OK;
    }
  }
  int near = tni_nearest(name, names, n);
  return TN_FAIL(spec->ctx, TN_ERR_INPUT, "unknown section '%s'%s%s%s", name,
                 near < 0 ? "" : "; did you mean '", near < 0 ? "" : names[near],
                 near < 0 ? "" : "'?");
}

tn_status tn_spec_add(tn_spec *spec, const char *section, const char *name, const char *type) {
  const tni_section *s;
  const tni_place nowhere = {"", 0};
  const tni_type *t = NULL;
  tni_item *item;
  TN_TRY(find_section(spec, section, &s));
  if (!s->single) TN_TRY(tni_name_check(spec->ctx, nowhere, s, name ? name : ""));
  TN_REQUIRE(spec->ctx, !type || s->types, TN_ERR_INPUT, "%s '%s': a %s has no type, got '%s'",
             s->item, s->single ? s->name : name, s->item, type);
  for (int i = 0; type && i < s->ntype; i++)
    if (strcmp(s->types[i]->name, type) == 0) t = s->types[i];
  if (s->types && !t) {
    const char *names[64];
    int n = s->ntype < 64 ? s->ntype : 64;
    for (int i = 0; i < n; i++) names[i] = s->types[i]->name;
    return TN_FAIL(spec->ctx, TN_ERR_INPUT, "%s '%s': %s%s%s%s", s->item, name,
                   type ? "unknown type '" : "the type is missing", type ? type : "",
                   type ? "'" : "", tni_hint_for(type ? type : "", names, n).s);
  }
  return tni_spec_add(spec, s, s->single ? s->name : name, t, nowhere, &item);
}

tn_status tn_spec_set(tn_spec *spec, const char *section, const char *name, const char *key,
                      const char *yaml) {
  const tni_section *s;
  if (section[0] == 0) return tni_input_set(spec, &spec->top, key, yaml);
  TN_TRY(find_section(spec, section, &s));
  tni_item *item = tni_spec_find(spec, section, s->single ? s->name : name);
  if (!item && s->single) {
    const tni_place nowhere = {"", 0};
    TN_TRY(tni_spec_add(spec, s, s->name, NULL, nowhere, &item));
  }
  if (!item)
    return TN_FAIL(spec->ctx, TN_ERR_INPUT, "no %s named '%s'; add it before setting '%s'", s->item,
                   name, key);
  return tni_input_set(spec, item, key, yaml);
}

void tn_spec_destroy(tn_spec **spec) { tni_spec_destroy(spec); }

/* hand the text over to the caller, who frees it with tn_text_free */
static tn_status hand_over(tn_ctx *ctx, tn_status st, tni_text *t, char **out) {
  if (st == TN_OK && t->failed) st = tni_out_of_memory(ctx);
  if (st != TN_OK) {
    tni_text_free(t);
    return st;
  }
  *out = t->s;
  return TN_OK;
}

tn_status tn_input_schema(tn_ctx *ctx, char **out) {
  const tni_schema *schema;
  tni_text t;
  *out = NULL;
  TN_TRY(tni_language(ctx, &schema));
  tni_text_init(&t, ctx);
  return hand_over(ctx, tni_input_json_schema(ctx, schema, &t), &t, out);
}

tn_status tn_input_reference(tn_ctx *ctx, char **out) {
  const tni_schema *schema;
  tni_text t;
  *out = NULL;
  TN_TRY(tni_language(ctx, &schema));
  tni_text_init(&t, ctx);
  return hand_over(ctx, tni_input_reference(ctx, schema, &t), &t, out);
}

tn_status tn_model_compile(tn_ctx *ctx, const tn_spec *spec, tn_model **out) {
  *out = NULL;
  TN_REQUIRE(ctx, spec, TN_ERR_ARGUMENT, "no spec to compile: was it read?");
  return tni_model_compile(ctx, spec, out);
}

void tn_model_destroy(tn_model **model) { tni_model_destroy(model); }

static tn_status find_force(tn_model *model, const char *name, int *index) {
  const char *near = NULL;
  for (*index = 0; *index < model->nforce; ++*index) {
    const char *const one[1] = {model->force[*index].name};
    if (strcmp(one[0], name) == 0) return TN_OK;
    if (!near && tni_nearest(name, one, 1) == 0) near = one[0];
  }
  return TN_FAIL(model->ctx, TN_ERR_ARGUMENT, "unknown force '%s'%s%s%s", name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

tn_status tn_model_set_callback(tn_model *model, const char *force, tn_force_fn fn, void *user) {
  int index;
  TN_TRY(find_force(model, force, &index));
  return tni_force_set_callback(model, index, fn, user);
}

tn_status tn_model_set_controller(tn_model *model, const char *force, tn_controller_fn fn,
                                  void *user) {
  int index;
  TN_TRY(find_force(model, force, &index));
  return tni_control_set(model, index, fn, user);
}

int tn_model_nbody(const tn_model *model) { return model->nbody; }
int tn_model_njoint(const tn_model *model) { return model->njoint; }
int tn_model_nforce(const tn_model *model) { return model->nforce; }
const char *tn_model_title(const tn_model *model) { return model->title; }

const char *tn_model_body_name(const tn_model *model, int body) {
  return body < 0 || body >= model->nbody ? NULL : model->body[body].name;
}

const char *tn_model_joint_name(const tn_model *model, int joint) {
  return joint < 0 || joint >= model->njoint ? NULL : model->joint[joint].name;
}

int tn_model_find_body(const tn_model *model, const char *name) {
  for (int i = 0; i < model->nbody; i++)
    if (strcmp(model->body[i].name, name) == 0) return i;
  return -1;
}

int tn_model_find_joint(const tn_model *model, const char *name) {
  for (int i = 0; i < model->njoint; i++)
    if (strcmp(model->joint[i].name, name) == 0) return i;
  return -1;
}

const char *tn_model_force_name(const tn_model *model, int force) {
  return force < 0 || force >= model->nforce ? NULL : model->force[force].name;
}

int tn_model_find_force(const tn_model *model, const char *name) {
  for (int i = 0; i < model->nforce; i++)
    if (strcmp(model->force[i].name, name) == 0) return i;
  return -1;
}

int tn_model_nsensor(const tn_model *model) { return model->nsensor; }

const char *tn_model_sensor_name(const tn_model *model, int sensor) {
  return sensor < 0 || sensor >= model->nsensor ? NULL : model->sensor[sensor].name;
}

int tn_model_find_sensor(const tn_model *model, const char *name) {
  for (int i = 0; i < model->nsensor; i++)
    if (strcmp(model->sensor[i].name, name) == 0) return i;
  return -1;
}

int tn_model_sensor_size(const tn_model *model, int sensor) {
  return sensor < 0 || sensor >= model->nsensor ? 0 : model->sensor[sensor].ncomponent;
}

bool tn_model_is_planar(const tn_model *model) { return model->planar; }

bool tn_model_body_com(const tn_model *model, int body, double com[3]) {
  if (body < 0 || body >= model->nbody) return false;
  vec3_copy(com, model->body[body].com);
  return true;
}

int tn_model_nbeam(const tn_model *model) { return model->nbeam; }

bool tn_model_beam_node(const tn_model *model, int beam, int node, int *body, double p[3]) {
  if (beam < 0 || beam >= model->nbeam || node < 0 || node >= model->beam[beam].nnode) return false;
  const tni_beam *b = &model->beam[beam];
  *body = b->node[node];
  vec3_copy(p, b->frame[node].p);
  if (*body != TNI_GROUND) vec3_add(p, p, model->body[*body].com);
  return true;
}

bool tn_model_joint_points(const tn_model *model, int joint, int body[2], double p[2][3]) {
  static const char *const placeless[] = {"gear", "coupler", "rack_pinion"};
  if (joint < 0 || joint >= model->njoint || model->joint[joint].is_drive) return false;
  const tni_joint *j = &model->joint[joint];
  for (int i = 0; i < TNI_COUNT(placeless); i++)
    if (strcmp(j->type, placeless[i]) == 0) return false;
  for (int k = 0; k < 2; k++) {
    bool ground = j->body[k] == TNI_GROUND;
    body[k] = ground ? -1 : j->body[k];
    vec3_copy(p[k], j->frame[k].p);
    if (!ground) vec3_add(p[k], p[k], model->body[j->body[k]].com);
  }
  return true;
}
