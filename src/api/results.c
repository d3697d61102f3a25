/* api/results.c - the thin public layer over the results reader
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <tenon/results.h>

#include "output/results.h"

struct tn_results {
  tn_ctx *ctx;
  tni_reader *r;
  const tni_results_info *info;
  tni_arena arena;
  const char **name; /* [nchannel] group/name */
};

tn_status tn_results_open(tn_ctx *ctx, const char *path, tn_results **out) {
  *out = NULL;
  tn_results *s = tni_alloc(ctx, 1, sizeof(*s));
  if (!s) return tni_out_of_memory(ctx);
  s->ctx = ctx;
  tni_arena_init(&s->arena, ctx);
  tn_status st = tni_results_open(ctx, path, &s->r);
  if (st == TN_OK) {
    s->info = tni_results_get_info(s->r);
    s->name = tni_arena_alloc(&s->arena, (size_t)s->info->nchannel, sizeof(*s->name));
    for (int i = 0; s->name && i < s->info->nchannel; i++) {
      s->name[i] = tni_arena_printf(&s->arena, "%s/%s", s->info->channel[i].group,
                                    s->info->channel[i].name);
      if (!s->name[i]) s->name = NULL;
    }
    if (!s->name) st = tni_out_of_memory(ctx);
  }
  if (st != TN_OK) {
    tn_results_close(&s);
    return st;
  }
  *out = s;
  return TN_OK;
}

void tn_results_close(tn_results **results) {
  if (!results || !*results) return;
  tn_ctx *ctx = (*results)->ctx;
  tni_results_close(&(*results)->r);
  tni_arena_clear(&(*results)->arena);
  tni_free(ctx, *results);
  *results = NULL;
}

const char *tn_results_title(const tn_results *s) { return s->info->title; }
const char *tn_results_model_text(const tn_results *s) { return s->info->model_text; }
const char *tn_results_model_name(const tn_results *s) { return s->info->model_name; }
const char *tn_results_created(const tn_results *s) { return s->info->created; }
const char *tn_results_version(const tn_results *s) { return s->info->tenon_version; }
const char *tn_results_settings(const tn_results *s) { return s->info->settings; }
const char *tn_results_outcome(const tn_results *s) { return tni_results_outcome(s->r); }
const char *tn_results_verdict(const tn_results *s) { return tni_results_verdict(s->r); }
const char *tn_results_summary(const tn_results *s) { return tni_results_summary(s->r); }
long tn_results_ntime(const tn_results *s) { return tni_results_ntime(s->r); }
long tn_results_nstep(const tn_results *s) { return tni_results_nstep(s->r); }
long tn_results_ncheckpoint(const tn_results *s) { return tni_results_ncheckpoint(s->r); }
int tn_results_nchannel(const tn_results *s) { return s->info->nchannel; }

static const tni_channel *channel_at(const tn_results *s, int i) {
  return i < 0 || i >= s->info->nchannel ? NULL : &s->info->channel[i];
}

const char *tn_results_channel_name(const tn_results *s, int channel) {
  return channel_at(s, channel) ? s->name[channel] : NULL;
}

const char *tn_results_channel_unit(const tn_results *s, int channel) {
  const tni_channel *c = channel_at(s, channel);
  return c ? c->unit : NULL;
}

const char *tn_results_channel_note(const tn_results *s, int channel) {
  const tni_channel *c = channel_at(s, channel);
  return !c ? NULL : c->note ? c->note : "";
}

int tn_results_channel_size(const tn_results *s, int channel) {
  const tni_channel *c = channel_at(s, channel);
  return c ? c->ncomponent : 0;
}

const char *tn_results_component_name(const tn_results *s, int channel, int component) {
  const tni_channel *c = channel_at(s, channel);
  return c && component >= 0 && component < c->ncomponent && c->component
             ? c->component[component]
             : NULL;
}

int tn_results_find(const tn_results *s, const char *name) {
  for (int i = 0; i < s->info->nchannel; i++)
    if (strcmp(s->name[i], name) == 0) return i;
  return -1;
}

tn_status tn_results_read(tn_results *s, int channel, double *times, double *values) {
  long n = tni_results_ntime(s->r);
  if (!channel_at(s, channel))
    return TN_FAIL(s->ctx, TN_ERR_ARGUMENT, "channel %d does not exist, allowed 0 to %d", channel,
                   s->info->nchannel - 1);
  if (times) TN_TRY(tni_results_read_times(s->r, 0, n, times));
  if (values) TN_TRY(tni_results_read_channel(s->r, channel, 0, n, values));
  return TN_OK;
}

int tn_results_nfield(const tn_results *s) { return s->info->nfield; }

static const tni_field *field_at(const tn_results *s, int i) {
  return i < 0 || i >= s->info->nfield ? NULL : &s->info->field[i];
}

const char *tn_results_field_mesh(const tn_results *s, int field) {
  const tni_field *f = field_at(s, field);
  return f ? s->info->mesh[f->mesh].name : NULL;
}

const char *tn_results_field_name(const tn_results *s, int field) {
  const tni_field *f = field_at(s, field);
  return f ? f->name : NULL;
}

const char *tn_results_field_unit(const tn_results *s, int field) {
  const tni_field *f = field_at(s, field);
  return f ? f->unit : NULL;
}

bool tn_results_field_on_cells(const tn_results *s, int field) {
  const tni_field *f = field_at(s, field);
  return f && f->cells;
}

int tn_results_field_count(const tn_results *s, int field) {
  const tni_field *f = field_at(s, field);
  return f ? tni_field_size(s->info, f)/f->ncomponent : 0;
}

int tn_results_field_size(const tn_results *s, int field) {
  const tni_field *f = field_at(s, field);
  return f ? f->ncomponent : 0;
}

const char *tn_results_field_component(const tn_results *s, int field, int component) {
  const tni_field *f = field_at(s, field);
  return f && f->component && component >= 0 && component < f->ncomponent ? f->component[component] : NULL;
}

int tn_results_find_field(const tn_results *s, const char *mesh, const char *name) {
  for (int i = 0; i < s->info->nfield; i++) {
    const tni_field *f = &s->info->field[i];
    if (strcmp(f->name, name) == 0 && strcmp(s->info->mesh[f->mesh].name, mesh) == 0) return i;
  }
  return -1;
}

tn_status tn_results_read_field(tn_results *s, int field, long first, long n, double *values) {
  return tni_results_read_field(s->r, field, first, n, values);
}

tn_status tn_results_read_nodes(tn_results *s, int field, double *x) {
  const tni_field *f = field_at(s, field);
  TN_REQUIRE(s->ctx, f, TN_ERR_ARGUMENT, "field %d does not exist, there are %d", field, s->info->nfield);
  return tni_results_read_mesh(s->r, f->mesh, x);
}

tn_status tn_results_read_numbers(tn_results *s, int field, int64_t *number) {
  const tni_field *f = field_at(s, field);
  TN_REQUIRE(s->ctx, f, TN_ERR_ARGUMENT, "field %d does not exist, there are %d", field, s->info->nfield);
  return tni_results_read_numbers(s->r, f->mesh, number);
}

tn_status tn_results_read_steps(tn_results *s, double *t, double *h) {
  return tni_results_read_steps(s->r, t, h);
}

long tn_results_nevent(const tn_results *s) { return tni_results_nevent(s->r); }

tn_status tn_results_read_events(tn_results *s, long first, long n, tn_event *out) {
  enum { PIECE = 128 };
  double t[PIECE], value[PIECE*TNI_EVENT_NVALUE];
  for (long at = 0, m; at < n || at == 0; at += m) {
    m = n - at < PIECE ? n - at : PIECE;
    TN_TRY(tni_results_read_events(s->r, first + at, m, t, value));
    for (long i = 0; i < m; i++) {
      const double *v = value + i*TNI_EVENT_NVALUE;
      out[at + i] = (tn_event){t[i], s->info->element[(int)v[TNI_EVENT_ELEMENT]],
                               s->info->kind[(int)v[TNI_EVENT_KIND]], v[TNI_EVENT_IMPULSE],
                               {v[TNI_EVENT_NORMAL], v[TNI_EVENT_NORMAL + 1]},
                               {v[TNI_EVENT_TANGENTIAL], v[TNI_EVENT_TANGENTIAL + 1]}};
    }
    if (m == 0) break;
  }
  return TN_OK;
}

void tn_results_component_unit(const tn_results *s, int channel, int component, char *out,
                               size_t n) {
  const tni_channel *c = channel_at(s, channel);
  if (n) out[0] = 0;
  if (c && component >= 0 && component < c->ncomponent)
    tni_results_component_unit(c, component, out, n);
}

tn_status tn_results_select(tn_results *s, const char *pattern, tn_signal *out, int max, int *n) {
  tni_signal *found = tni_alloc(s->ctx, (size_t)(max > 0 ? max : 1), sizeof(*found));
  if (!found) return tni_out_of_memory(s->ctx);
  tn_status st = tni_results_select(s->r, pattern, found, max, n);
  for (int i = 0; st == TN_OK && i < *n; i++)
    out[i] = (tn_signal){found[i].channel, found[i].component};
  tni_free(s->ctx, found);
  return st;
}

tn_status tn_results_export_csv(tn_results *s, const char *const *names, int nname,
                                tn_status (*write)(void *user, const char *text, size_t n),
                                void *user) {
  return tni_results_export_csv(s->r, names, nname, write, user);
}

tn_status tn_results_export_vtk(tn_results *s, const char *path, const double *time) {
  return tni_results_export_vtk(s->r, path, time);
}

tn_status tn_results_export_group(tn_results *s, const char *group, const char *const *names, int nname, const double *time,
                                  tn_status (*write)(void *user, const char *text, size_t n), void *user) {
  TN_REQUIRE(s->ctx, group && group[0], TN_ERR_ARGUMENT, "no group given");
  return tni_results_export_group(s->r, group, names, nname, time, write, user);
}

tn_status tn_results_export_events(tn_results *s, tn_status (*write)(void *user, const char *text, size_t n),
                                   void *user) {
  return tni_results_export_events(s->r, write, user);
}
