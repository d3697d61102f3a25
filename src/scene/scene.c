/* scene/scene.c - from a results file to the scene format and to a page
 *
 * A scene is meant to be mailed and opened in a browser, so it has a size to keep to. What gives way
 * first, as long as there are fewer frames than are worth watching: velocities of bodies, then joint
 * coordinates and the lesser quantities of beams, then reactions. After that frames are left out evenly. Poses, sensors, energy and
 * residuals always stay.
 *
 * Positions and signals are 32-bit floats, Euler parameters 16-bit integers: half a step of these
 * turns a body by less than 3e-5 rad, a thirtieth of a pixel at the rim of a body that fills a
 * screen of 2000 pixels.
 *
 * Of meshes a scene has the skin (surface.h) and fields at its nodes, as 32-bit floats. Where they are too many for a page,
 * fields go in an order of their own before frames do; or they stay in the results file, and a server hands them out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "scene/scene.h"

#include <math.h>
#include <stdio.h>

#include "output/json.h"
#include "scene/surface.h"

enum {
  BYTES_DEFAULT = 3000000,
  BYTES_FACTOR = 8,      /* many bodies may take this many times the size ...      */
  FRAMES_WORTH = 600,    /* ... for this many frames                               */
  FRAMES_DEFAULT = 4000,
  SIGNALS_WORTH = 1000,  /* signals are left out before there are fewer frames     */
  EVENTS_WORTH = 2000,   /* more than a timeline has room for                      */
  BLOCK = 1 << 20        /* numbers read at a time                                 */
};

typedef enum { KEEP_ALWAYS, KEEP_REACTION, KEEP_COORDINATE, KEEP_VELOCITY, NKEEP } keep;

/* a mesh, and where its arrays are in the data */
typedef struct {
  int mesh;            /* in the results                          */
  tni_surface s;
  size_t point, number, face, edge, group;
} form;

/* a field at the nodes of a form */
typedef struct {
  int field, form;     /* in the results; below                   */
  int ncomponent;
  int rank;            /* the higher ones are left out first      */
  size_t at;           /* byte in the data                        */
} shown;

/* a mode: its frames */
typedef struct {
  long first, n;
  double frequency, damping;
} mode;

enum { RANKS = 4, MODES_MAX = 10000 };

typedef struct {
  int channel, column; /* in the results                          */
  int ncomponent;
  bool turn;           /* Euler parameters: 16-bit integers       */
  size_t at;           /* byte in the data                        */
} track;

struct tn_scene {
  tn_ctx *ctx;
  tni_arena arena;
  tni_reader *r;
  tn_scene_info info;
  bool apart;          /* fields stay in the results file         */
  int ntrack;
  track *track;        /* [ntrack]                                */
  long *row;           /* [frames] rows of the results            */
  int nform, nshown, nmode;
  form *form;
  shown *shown;        /* [nshown]                                */
  mode *mode;
  double *value;       /* a field of a whole mesh                 */
  int nleft;           /* fields left out, and their names        */
  const char *left[8];
  size_t ndata;
  unsigned char *data; /* times, then the tracks                  */
  tni_text head;       /* JSON, padded to a multiple of 8         */
};

/* ---- what to keep -------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *end) {
  size_t n = strlen(name), k = strlen(end);
  return n >= k && strcmp(name + n - k, end) == 0;
}

static bool is_turn(const tni_channel *c) {
  return strcmp(c->group, "bodies") == 0 && c->ncomponent == 4 && ends_in(c->name, "/orientation");
}

static keep keep_class(const tni_channel *c) {
  if (strcmp(c->group, "bodies") == 0)
    return ends_in(c->name, "/position") || is_turn(c) ? KEEP_ALWAYS : KEEP_VELOCITY;
  if (strcmp(c->group, "joints") == 0)
    return ends_in(c->name, "/reaction") ? KEEP_REACTION : KEEP_COORDINATE;
  if (strcmp(c->group, "beams") == 0) /* colours that few ask for */
    return ends_in(c->name, "/shear_force") || ends_in(c->name, "/torque") || ends_in(c->name, "/strain_energy")
               ? KEEP_COORDINATE : KEEP_ALWAYS;
  return KEEP_ALWAYS;
}

static size_t width(const tni_channel *c) { return is_turn(c) ? 2 : 4; }

/* classes above *last are left out, *frames of the stored times are kept */
static void choose(const tn_scene *s, const tn_scene_opts *o, keep *last, long *frames) {
  const tni_results_info *info = tni_results_get_info(s->r);
  size_t cost[NKEEP] = {8}, soft = o && o->max_bytes ? o->max_bytes : BYTES_DEFAULT;
  long stored = s->info.stored, most = o && o->max_frames ? o->max_frames : FRAMES_DEFAULT;
  for (int i = 0; i < info->nchannel; i++)
    cost[keep_class(&info->channel[i])] += width(&info->channel[i])*(size_t)info->channel[i].ncomponent;
  for (int k = 1; k < NKEEP; k++) cost[k] += cost[k-1]; /* of a frame, up to the class */
  if (most > stored) most = stored;
  long worth = most < SIGNALS_WORTH ? most : SIGNALS_WORTH;
  *last = NKEEP - 1;
  while (*last > KEEP_ALWAYS && soft/cost[*last] < (size_t)worth) (*last)--;
  size_t fit = soft/cost[*last], worth_hard = BYTES_FACTOR*soft/cost[*last];
  size_t least = most < FRAMES_WORTH ? (size_t)most : FRAMES_WORTH;
  if (worth_hard > least) worth_hard = least;
  if (fit < worth_hard) fit = worth_hard;
  *frames = fit < (size_t)most ? (long)fit : most;
  if (*frames < 2) *frames = stored < 2 ? stored : 2;
}

static size_t field_bytes(const tn_scene *s, const shown *f) {
  return 4*(size_t)s->form[f->form].s.nnode*(size_t)f->ncomponent;
}

/* Fields in the page must fit into what is left of the size beside the meshes themselves: those of the highest ranks go
 * first, then frames. */
static void choose_fields(tn_scene *s, const tn_scene_opts *o, long *frames) {
  const tni_results_info *info = tni_results_get_info(s->r);
  size_t hard = BYTES_FACTOR*(o && o->max_bytes ? o->max_bytes : BYTES_DEFAULT), cost[RANKS] = {0};
  for (int i = 0; i < s->nshown; i++) cost[s->shown[i].rank] += field_bytes(s, &s->shown[i]);
  for (int k = 1; k < RANKS; k++) cost[k] += cost[k-1];
  s->info.field_bytes = cost[RANKS-1]*(size_t)*frames;
  if (s->nshown == 0 || s->apart) return;
  int last = RANKS - 1, n = 0;
  while (last > 0 && cost[last]*(size_t)*frames > hard) last--;
  for (int i = 0; i < s->nshown; i++) {
    if (s->shown[i].rank <= last) {
      s->shown[n++] = s->shown[i];
    } else if (s->nleft < TNI_COUNT(s->left)) {
      const char *name = info->field[s->shown[i].field].name;
      int seen = 0;
      while (seen < s->nleft && strcmp(s->left[seen], name) != 0) seen++;
      if (seen == s->nleft) s->left[s->nleft++] = name;
    }
  }
  s->nshown = n;
  long fit = cost[last] ? (long)(hard/cost[last]) : *frames;
  if (fit < 2) fit = 2;
  if (fit < *frames) *frames = fit;
}

static int field_rank(const char *name) {
  static const struct {
    const char *name;
    int rank;
  } all[] = {{"displacement", 0}, {"von_mises", 0}, {"plastic_strain", 0}, {"principal_stress", 2}, {"stress", 3},
             {"velocity", 3}};
  for (int i = 0; i < TNI_COUNT(all); i++)
    if (strcmp(all[i].name, name) == 0) return all[i].rank;
  return 1;
}

/* meshes whose nodes are no bodies, and what is stored at their nodes */
static tn_status find_forms(tn_scene *s) {
  const tni_results_info *info = tni_results_get_info(s->r);
  int most = 0;
  TNI_ARENA_NEW(&s->arena, s->form, info->nmesh);
  TNI_ARENA_NEW(&s->arena, s->shown, info->nfield);
  for (int m = 0; m < info->nmesh; m++) {
    if (info->mesh[m].body) continue;
    form *f = &s->form[s->nform];
    f->mesh = m;
    TN_TRY(tni_surface_read(&s->arena, s->r, m, &f->s));
    for (int i = 0; i < info->nfield; i++) {
      const tni_field *field = &info->field[i];
      if (field->mesh != m || field->cells) continue;
      int size = tni_field_size(info, field);
      if (size > most) most = size;
      s->shown[s->nshown++] = (shown){i, s->nform, field->ncomponent, field_rank(field->name), 0};
    }
    s->nform++;
    s->info.faces += f->s.nface;
  }
  s->info.meshes = s->nform;
  s->info.statics = tni_results_find(s->r, "statics/path") >= 0;
  s->value = tni_doubles(s->ctx, (size_t)most);
  return s->value ? TN_OK : tni_out_of_memory(s->ctx);
}

/* The rows of the file that are frames, *frames at most; of modes so many of each that its period is divided evenly. With
 * meshes two of each mode are enough: shapes of theirs are real, what is between is a cosine. */
static tn_status pick_modes(tn_scene *s, int channel, long *frames) {
  long stored = s->info.stored, *first;
  double *x = tni_doubles(s->ctx, 2*(size_t)stored), *table;
  int n = 0, ntable = 0;
  if (!x) return tni_out_of_memory(s->ctx);
  tn_status st = tni_results_read_channel(s->r, channel, 0, stored, x);
  if (st == TN_OK && !(first = tni_arena_alloc(&s->arena, (size_t)stored + 1, sizeof(*first)))) st = tni_out_of_memory(s->ctx);
  for (long i = 0; st == TN_OK && i < stored; i++)
    if (i == 0 || x[2*i] != x[2*i - 2]) first[n++] = i;
  tni_free(s->ctx, x);
  TN_TRY(st);
  first[n] = stored;
  TNI_ARENA_NEW(&s->arena, s->mode, n);
  TNI_ARENA_NEW(&s->arena, table, MODES_MAX);
  long want = *frames/(n ? n : 1), at = 0;
  if (s->nform && want > 2) want = 2;
  for (int k = 0; k < n; k++) {
    long each = first[k+1] - first[k], take = each;
    while (take > 1 && (take > want || each % take)) take--;
    s->mode[k] = (mode){.first = at, .n = take};
    for (long i = 0; i < take; i++) s->row[at++] = first[k] + i*(each/take);
  }
  *frames = at;
  s->nmode = n;
  TN_TRY(tni_results_read_table(s->r, "modes/frequency", MODES_MAX, table, &ntable));
  for (int k = 0; k < n; k++) s->mode[k].frequency = k < ntable ? table[k] : NAN;
  TN_TRY(tni_results_read_table(s->r, "modes/damping", MODES_MAX, table, &ntable));
  for (int k = 0; k < n; k++) s->mode[k].damping = k < ntable ? table[k] : NAN;
  return TN_OK;
}

static tn_status pick_rows(tn_scene *s) {
  const tni_results_info *info = tni_results_get_info(s->r);
  long n = s->info.frames;
  TNI_ARENA_NEW(&s->arena, s->row, s->info.stored);
  int channel = tni_results_find(s->r, "animation/animation");
  if (channel >= 0 && info->channel[channel].ncomponent == 2) return pick_modes(s, channel, &s->info.frames);
  for (long f = 0; f < n; f++)
    s->row[f] = n < 2 ? 0 : (long)floor((double)f*(double)(s->info.stored - 1)/(double)(n - 1) + 0.5);
  return TN_OK;
}

static size_t room_for(size_t *at, size_t bytes) {
  size_t here = *at;
  *at += (bytes + 7) & ~(size_t)7;
  return here;
}

static void place_form(form *f, size_t *at) {
  f->point = room_for(at, 12*(size_t)f->s.nnode);
  f->number = room_for(at, 8*(size_t)f->s.nnode);
  f->face = room_for(at, 12*(size_t)f->s.nface);
  f->edge = room_for(at, 8*(size_t)f->s.nedge);
  f->group = room_for(at, 4*(size_t)f->s.group_first[f->s.ngroup]);
}

static void copy_form(const form *f, unsigned char *data) {
  const tni_surface *u = &f->s;
  memcpy(data + f->point, u->point, 12*(size_t)u->nnode);
  memcpy(data + f->number, u->number, 8*(size_t)u->nnode);
  if (u->nface) memcpy(data + f->face, u->face, 12*(size_t)u->nface);
  if (u->nedge) memcpy(data + f->edge, u->edge, 8*(size_t)u->nedge);
  if (u->ngroup) memcpy(data + f->group, u->group_node, 4*(size_t)u->group_first[u->ngroup]);
}

static void plan_forms(tn_scene *s, size_t *at) {
  for (int i = 0; i < s->nform; i++) place_form(&s->form[i], at);
  for (int i = 0; i < s->nshown && !s->apart; i++)
    s->shown[i].at = room_for(at, field_bytes(s, &s->shown[i])*(size_t)s->info.frames);
}

static tn_status plan(tn_scene *s, keep last) {
  const tni_results_info *info = tni_results_get_info(s->r);
  size_t at = 8*(size_t)s->info.frames;
  TNI_ARENA_NEW(&s->arena, s->track, info->nchannel);
  for (int i = 0; i < info->nchannel; i++) {
    const tni_channel *c = &info->channel[i];
    if (keep_class(c) <= last) {
      s->track[s->ntrack++] = (track){i, info->column[i], c->ncomponent, is_turn(c), at};
      at += (width(c)*(size_t)c->ncomponent*(size_t)s->info.frames + 7) & ~(size_t)7;
      s->info.signals += c->ncomponent;
    } else {
      s->info.left_out += c->ncomponent;
    }
    if (strcmp(c->group, "bodies") == 0 && ends_in(c->name, "/position")) s->info.bodies++;
  }
  plan_forms(s, &at);
  s->ndata = at;
  s->data = tni_alloc(s->ctx, at, 1);
  if (!s->data) return tni_out_of_memory(s->ctx);
  for (int i = 0; i < s->nform; i++) copy_form(&s->form[i], s->data);
  return TN_OK;
}

/* a field in a row of the results at the nodes that are shown */
static tn_status take_field(tn_scene *s, const shown *f, long row, float *to) {
  const tni_surface *u = &s->form[f->form].s;
  size_t n = (size_t)f->ncomponent;
  TN_TRY(tni_results_read_field(s->r, f->field, row, 1, s->value));
  for (int i = 0; i < u->nnode; i++)
    for (size_t c = 0; c < n; c++) to[(size_t)i*n + c] = (float)s->value[(size_t)u->node[i]*n + c];
  return TN_OK;
}

static tn_status read_fields(tn_scene *s) {
  for (int i = 0; i < s->nshown && !s->apart; i++)
    for (long f = 0; f < s->info.frames; f++) {
      /* places in the data are multiples of 8 */
      float *to = (float *)(void *)(s->data + s->shown[i].at + (size_t)f*field_bytes(s, &s->shown[i]));
      TN_TRY(take_field(s, &s->shown[i], s->row[f], to));
    }
  return TN_OK;
}

static void encode(tn_scene *s, long frame, double t, const double *row) {
  memcpy(s->data + 8*frame, &t, 8);
  for (int i = 0; i < s->ntrack; i++) {
    const track *k = &s->track[i];
    const double *x = row + k->column;
    unsigned char *to = s->data + k->at + (size_t)(k->turn ? 2 : 4)*(size_t)frame*(size_t)k->ncomponent;
    for (int c = 0; c < k->ncomponent; c++) {
      if (k->turn) {
        int16_t q = (int16_t)floor(32767*fmin(fmax(x[c], -1), 1) + 0.5);
        memcpy(to + 2*c, &q, 2);
      } else {
        float f = (float)x[c];
        memcpy(to + 4*c, &f, 4);
      }
    }
  }
}

static tn_status read_frames(tn_scene *s) {
  const tni_results_info *info = tni_results_get_info(s->r);
  int ncolumn = s->nform ? 0 : info->nvalue; /* fields of meshes in the rows are read by themselves */
  for (int i = 0; i < s->ntrack && s->nform; i++)
    if (s->track[i].column + s->track[i].ncomponent > ncolumn) ncolumn = s->track[i].column + s->track[i].ncomponent;
  long rows = BLOCK/ncolumn < 1 ? 1 : BLOCK/ncolumn, frame = 0, n = s->info.frames;
  double *x = tni_doubles(s->ctx, (size_t)rows*(size_t)ncolumn);
  double *t = tni_doubles(s->ctx, (size_t)s->info.stored);
  tn_status st = x && t ? TN_OK : tni_out_of_memory(s->ctx);
  if (st == TN_OK) st = tni_results_read_times(s->r, 0, s->info.stored, t);
  while (st == TN_OK && frame < n) {
    long first = s->row[frame], count = s->info.stored - first;
    /* rows far apart are read one by one */
    if (frame + 1 == n || s->row[frame+1] - first > 8) count = 1;
    if (count > rows) count = rows;
    st = tni_results_read_columns(s->r, 0, ncolumn, first, count, x);
    for (; st == TN_OK && frame < n && s->row[frame] < first + count; frame++)
      encode(s, frame, t[s->row[frame]], x + (s->row[frame] - first)*ncolumn);
  }
  if (st == TN_OK) {
    s->info.t_begin = t[0];
    s->info.t_end = s->nmode ? s->nmode : t[s->info.stored-1]; /* a mode takes 1 s */
  }
  tni_free(s->ctx, x);
  tni_free(s->ctx, t);
  return st;
}

/* ---- the header ----------------------------------------------------------------------------- */

typedef struct {
  const char *outcome, *verdict;
  long frames, stored;
  double t_begin, t_end;
  bool live;
  const char *note;
} run_head;

static void add_track(tni_json *j, const tni_channel *c, bool turn, long long at) {
  tni_json_open_object(j, NULL);
  tni_json_add_text(j, "group", c->group);
  tni_json_add_text(j, "name", c->name);
  tni_json_add_text(j, "unit", c->unit ? c->unit : "");
  tni_json_add_integer(j, "count", c->ncomponent);
  if (c->component) {
    tni_json_open_array(j, "components");
    for (int k = 0; k < c->ncomponent; k++) tni_json_add_text(j, NULL, c->component[k]);
    tni_json_close(j);
  }
  if (c->note && c->note[0]) tni_json_add_text(j, "note", c->note);
  tni_json_add_text(j, "as", turn ? "i16" : "f32");
  if (turn) tni_json_add_number(j, "scale", 1.0/32767);
  if (at >= 0) tni_json_add_integer(j, "at", at);
  tni_json_close(j);
}

static void begin_head(tni_json *j, tni_text *out, const tni_results_info *info, const run_head *run) {
  tni_json_begin(j, out, false);
  tni_json_add_text(j, "format", "tenon-scene");
  tni_json_add_integer(j, "version", TNI_SCENE_VERSION);
  tni_json_add_text(j, "tenon", info->tenon_version ? info->tenon_version : TN_VERSION);
  tni_json_add_text(j, "title", info->title);
  tni_json_add_text(j, "created", info->created ? info->created : "");
  tni_json_add_text(j, "outcome", run->outcome);
  tni_json_add_text(j, "verdict", run->verdict);
  tni_json_add_flag(j, "live", run->live);
  tni_json_add_integer(j, "frames", run->frames);
  tni_json_add_integer(j, "stored", run->stored);
  tni_json_add_number(j, "begin", run->t_begin);
  tni_json_add_number(j, "end", run->t_end);
  tni_json_add_text(j, "note", run->note);
  tni_json_open_array(j, "tracks");
}

static void add_words(tni_json *j, const char *key, const char *const *word, int n) {
  tni_json_open_array(j, key);
  for (int i = 0; i < n; i++) tni_json_add_text(j, NULL, word[i]);
  tni_json_close(j);
}

static void add_place(tni_json *j, const char *key, size_t at, long long count) {
  tni_json_open_object(j, key);
  tni_json_add_integer(j, "at", (long long)at);
  tni_json_add_integer(j, "count", count);
  tni_json_close(j);
}

static void add_form(const form *f, const tni_mesh_info *m, tni_json *j) {
  tni_json_open_object(j, NULL);
  tni_json_add_text(j, "name", m->name);
  tni_json_add_integer(j, "nodes", m->nnode);
  tni_json_add_integer(j, "cells", m->ncell);
  add_place(j, "points", f->point, 3ll*f->s.nnode);
  add_place(j, "numbers", f->number, f->s.nnode);
  add_place(j, "faces", f->face, 3ll*f->s.nface);
  add_place(j, "edges", f->edge, 2ll*f->s.nedge);
  tni_json_add_integer(j, "sharp", f->s.nsharp);
  tni_json_add_flag(j, "solid", f->s.solid);
  tni_json_open_array(j, "groups");
  for (int g = 0; g < f->s.ngroup; g++) {
    const int *first = f->s.group_first + g;
    tni_json_open_object(j, NULL);
    tni_json_add_text(j, "name", f->s.group[g]);
    tni_json_add_integer(j, "at", (long long)(f->group + 4*(size_t)first[0]));
    tni_json_add_integer(j, "count", first[1] - first[0]);
    tni_json_close(j);
  }
  tni_json_close(j);
  tni_json_close(j);
}

/* at: byte in the data, -1: elsewhere */
static void add_field(const tni_field *field, int mesh, long long at, tni_json *j) {
  tni_json_open_object(j, NULL);
  tni_json_add_integer(j, "mesh", mesh);
  tni_json_add_text(j, "name", field->name);
  tni_json_add_text(j, "unit", field->unit ? field->unit : "");
  if (field->note && field->note[0]) tni_json_add_text(j, "note", field->note);
  tni_json_add_integer(j, "count", field->ncomponent);
  if (field->component) add_words(j, "components", field->component, field->ncomponent);
  if (at >= 0) tni_json_add_integer(j, "at", at);
  tni_json_close(j);
}

static void add_forms(const tn_scene *s, tni_json *j) {
  const tni_results_info *info = tni_results_get_info(s->r);
  if (s->nform == 0) return;
  tni_json_open_array(j, "meshes");
  for (int i = 0; i < s->nform; i++) add_form(&s->form[i], &info->mesh[s->form[i].mesh], j);
  tni_json_close(j);
  tni_json_open_array(j, "fields");
  for (int i = 0; i < s->nshown; i++)
    add_field(&info->field[s->shown[i].field], s->shown[i].form, s->apart ? -1 : (long long)s->shown[i].at, j);
  tni_json_close(j);
}

static void add_modes(const tn_scene *s, tni_json *j) {
  if (s->nmode == 0) return;
  tni_json_open_array(j, "modes");
  for (int i = 0; i < s->nmode; i++) {
    tni_json_open_object(j, NULL);
    tni_json_add_number(j, "frequency", s->mode[i].frequency);
    tni_json_add_number(j, "damping", s->mode[i].damping);
    tni_json_add_integer(j, "first", s->mode[i].first);
    tni_json_add_integer(j, "frames", s->mode[i].n);
    tni_json_close(j);
  }
  tni_json_close(j);
}

/* what happened between the frames; of very many every k-th */
static tn_status add_events(tn_scene *s, tni_json *j) {
  const tni_results_info *info = tni_results_get_info(s->r);
  long nevent = tni_results_nevent(s->r), stride = (nevent + EVENTS_WORTH - 1)/EVENTS_WORTH;
  if (nevent == 0) return TN_OK;
  tni_json_open_object(j, "events");
  tni_json_add_integer(j, "stored", nevent);
  add_words(j, "elements", info->element, info->nelement);
  add_words(j, "kinds", info->kind, info->nkind);
  tni_json_open_array(j, "list");
  for (long i = 0; i < nevent; i += stride) {
    double t, value[TNI_EVENT_NVALUE];
    TN_TRY(tni_results_read_events(s->r, i, 1, &t, value));
    tni_json_open_array(j, NULL);
    tni_json_add_number(j, NULL, t);
    tni_json_add_integer(j, NULL, (long long)value[TNI_EVENT_ELEMENT]);
    tni_json_add_integer(j, NULL, (long long)value[TNI_EVENT_KIND]);
    tni_json_add_number(j, NULL, value[TNI_EVENT_IMPULSE]);
    tni_json_close(j);
  }
  tni_json_close(j);
  tni_json_close(j);
  return TN_OK;
}

/* close the header; the geometry, a JSON object already, is its last member */
static tn_status end_head(tn_ctx *ctx, tni_json *j, size_t begin, const char *geometry) {
  tni_text_add(j->text, ", \"model\": %s", geometry && geometry[0] ? geometry : "null");
  if (!tni_json_end(j)) return tni_out_of_memory(ctx);
  while ((j->text->n - begin) % 8) tni_text_add(j->text, " ");
  return j->text->failed ? tni_out_of_memory(ctx) : TN_OK;
}

static void put_u32(unsigned char *to, unsigned long x) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(x >> 8*i & 255);
}

enum { FRONT = 16 }; /* "TENONSCN", version, bytes of the header */

static void make_front(unsigned char front[FRONT], size_t head) {
  memcpy(front, "TENONSCN", 8);
  put_u32(front + 8, TNI_SCENE_VERSION);
  put_u32(front + 12, (unsigned long)head);
}

static tn_status make_head(tn_scene *s) {
  const tni_results_info *info = tni_results_get_info(s->r);
  const run_head run = {tni_results_outcome(s->r), tni_results_verdict(s->r), s->info.frames,
                        s->info.stored, s->info.t_begin, s->info.t_end, false, s->info.note};
  tni_json j;
  begin_head(&j, &s->head, info, &run);
  for (int i = 0; i < s->ntrack; i++)
    add_track(&j, &info->channel[s->track[i].channel], s->track[i].turn, (long long)s->track[i].at);
  tni_json_close(&j);
  add_forms(s, &j);
  add_modes(s, &j);
  TN_TRY(add_events(s, &j));
  return end_head(s->ctx, &j, 0, info->scene);
}

/* the meshes of fields, each once: its arrays in the data, which begin with nothing else */
static tn_status list_forms(tni_arena *arena, const tni_results_info *info, const tni_live_field *field, int nfield, form **out,
                            int *n, size_t *size) {
  TNI_ARENA_NEW(arena, *out, nfield);
  for (int i = 0; i < nfield; i++) {
    int mesh = info->field[field[i].field].mesh;
    if (*n && (*out)[*n - 1].mesh == mesh) continue;
    (*out)[*n] = (form){.mesh = mesh, .s = *field[i].skin};
    place_form(&(*out)[(*n)++], size);
  }
  return TN_OK;
}

static void add_live_forms(const tni_results_info *info, const form *list, int n, const tni_live_field *field, int nfield,
                           tni_json *j) {
  if (n == 0) return;
  tni_json_open_array(j, "meshes");
  for (int i = 0; i < n; i++) add_form(&list[i], &info->mesh[list[i].mesh], j);
  tni_json_close(j);
  tni_json_open_array(j, "fields");
  for (int i = 0, k = 0; i < nfield; i++) {
    while (list[k].mesh != info->field[field[i].field].mesh) k++;
    add_field(&info->field[field[i].field], k, -1, j);
  }
  tni_json_close(j);
}

/* the words of what is to come */
static void add_live_events(const tni_results_info *info, tni_json *j) {
  if (info->nelement == 0) return;
  tni_json_open_object(j, "events");
  tni_json_add_integer(j, "stored", 0);
  add_words(j, "elements", info->element, info->nelement);
  add_words(j, "kinds", info->kind, info->nkind);
  tni_json_open_array(j, "list");
  tni_json_close(j);
  tni_json_close(j);
}

static tn_status write_live(tni_arena *arena, const tni_results_info *info, double t_begin, double t_end,
                            const tni_live_field *field, int nfield, tni_text *out) {
  const run_head run = {"running", "", 0, 0, t_begin, t_end, true, ""};
  unsigned char front[FRONT], *data;
  tni_json j;
  form *list;
  int n = 0;
  size_t begin = out->n + FRONT, size = 0;
  TN_TRY(list_forms(arena, info, field, nfield, &list, &n, &size));
  TNI_ARENA_NEW(arena, data, size);
  for (int i = 0; i < n; i++) copy_form(&list[i], data);
  for (int i = 0; i < FRONT; i++) tni_text_add(out, " ");
  begin_head(&j, out, info, &run);
  for (int i = 0; i < info->nchannel; i++) add_track(&j, &info->channel[i], false, -1);
  tni_json_close(&j);
  add_live_forms(info, list, n, field, nfield, &j);
  add_live_events(info, &j);
  TN_TRY(end_head(arena->ctx, &j, begin, info->scene));
  make_front(front, out->n - begin);
  /* room for the bytes, which a text takes as they are */
  size_t head = out->n;
  for (size_t i = 0; i < size; i += 64) tni_text_add(out, "%64s", "");
  if (out->failed) return tni_out_of_memory(arena->ctx);
  memcpy(out->s + head, data, size);
  out->n = head + size;
  memcpy(out->s + begin - FRONT, front, FRONT);
  return TN_OK;
}

tn_status tni_scene_live(tn_ctx *ctx, const tni_results_info *info, double t_begin, double t_end,
                         const tni_live_field *field, int nfield, tni_text *out) {
  tni_arena arena;
  tni_arena_init(&arena, ctx);
  tn_status st = write_live(&arena, info, t_begin, t_end, field, nfield, out);
  tni_arena_clear(&arena);
  return st;
}

/* ---- open and close -------------------------------------------------------------------------- */

/* what is missing, in one line */
static void note_missing(tn_scene *s) {
  tni_text t;
  tni_text_init(&t, s->ctx);
  if (s->info.frames < s->info.stored && !s->nmode)
    tni_text_add(&t, "%ld of %ld stored times are shown", s->info.frames, s->info.stored);
  if (s->info.left_out)
    tni_text_add(&t, "%s%d of %d signals are left out", t.n ? ", and " : "", s->info.left_out,
                 s->info.left_out + s->info.signals);
  for (int i = 0; i < s->nleft; i++)
    tni_text_add(&t, "%s%s", i ? ", " : t.n ? ", and of meshes " : "of meshes ", s->left[i]);
  if (s->nleft) tni_text_add(&t, " %s left out", s->nleft == 1 ? "is" : "are");
  if (t.n) tni_text_add(&t, " to keep the file small");
  snprintf(s->info.note, sizeof(s->info.note), "%s", t.s ? t.s : "");
  tni_text_free(&t);
}

static tn_status fill(tn_scene *s, const char *path, const tn_scene_opts *opts) {
  keep last;
  TN_TRY(tni_results_open(s->ctx, path, &s->r));
  s->info.stored = tni_results_ntime(s->r);
  if (s->info.stored < 1)
    return TN_FAIL(s->ctx, TN_ERR_INPUT, "results '%s': no time is stored yet", path);
  s->apart = opts && opts->fields_apart;
  TN_TRY(find_forms(s));
  choose(s, opts, &last, &s->info.frames);
  TN_TRY(pick_rows(s));
  if (s->nform) {
    long fewer = s->info.frames;
    choose_fields(s, opts, &fewer);
    bool less = fewer < s->info.frames;
    s->info.frames = fewer;
    if (less) TN_TRY(pick_rows(s));
  }
  TN_TRY(plan(s, last));
  if (s->info.bodies == 0 && s->nform == 0)
    return TN_FAIL(s->ctx, TN_ERR_INPUT, "results '%s': no poses of bodies and no mesh to show", path);
  TN_TRY(read_frames(s));
  TN_TRY(read_fields(s));
  note_missing(s);
  TN_TRY(make_head(s));
  s->info.bytes = FRONT + s->head.n + s->ndata;
  s->info.fields = s->nshown;
  return TN_OK;
}

tn_status tn_scene_open(tn_ctx *ctx, const char *path, const tn_scene_opts *opts, tn_scene **out) {
  *out = NULL;
  TN_REQUIRE(ctx, path && path[0], TN_ERR_ARGUMENT, "no results file given");
  tn_scene *s = tni_alloc(ctx, 1, sizeof(*s));
  if (!s) return tni_out_of_memory(ctx);
  s->ctx = ctx;
  tni_arena_init(&s->arena, ctx);
  tni_text_init(&s->head, ctx);
  tn_status st = fill(s, path, opts);
  if (st != TN_OK) tn_scene_close(&s);
  *out = s;
  return st;
}

void tn_scene_close(tn_scene **scene) {
  if (!scene || !*scene) return;
  tn_scene *s = *scene;
  tn_ctx *ctx = s->ctx;
  tni_results_close(&s->r);
  tni_text_free(&s->head);
  tni_free(ctx, s->data);
  tni_free(ctx, s->value);
  tni_arena_clear(&s->arena);
  tni_free(ctx, s);
  *scene = NULL;
}

const tn_scene_info *tn_scene_get_info(const tn_scene *scene) { return &scene->info; }

/* ---- fields that stay in the results file ------------------------------------------------------- */

static tn_status check_field(const tn_scene *s, int field) {
  TN_REQUIRE(s->ctx, field >= 0 && field < s->nshown, TN_ERR_ARGUMENT, "scene: field %d, there are %d", field, s->nshown);
  return TN_OK;
}

size_t tn_scene_field_size(const tn_scene *s, int field) {
  return field >= 0 && field < s->nshown ? field_bytes(s, &s->shown[field])/4 : 0;
}

int tn_scene_field_components(const tn_scene *s, int field) {
  return field >= 0 && field < s->nshown ? s->shown[field].ncomponent : 0;
}

tn_status tn_scene_read_field(tn_scene *s, int field, long frame, float *values) {
  TN_TRY(check_field(s, field));
  TN_REQUIRE(s->ctx, frame >= 0 && frame < s->info.frames, TN_ERR_ARGUMENT, "scene: frame %ld, there are %ld", frame,
             s->info.frames);
  return take_field(s, &s->shown[field], s->row[frame], values);
}

tn_status tn_scene_field_range(tn_scene *s, int field, double *low, double *high) {
  TN_TRY(check_field(s, field));
  const shown *f = &s->shown[field];
  int n = f->ncomponent, nnode = s->form[f->form].s.nnode;
  float *x = tni_alloc(s->ctx, tn_scene_field_size(s, field), sizeof(*x));
  if (!x) return tni_out_of_memory(s->ctx);
  for (int c = 0; c <= n; c++) low[c] = HUGE_VAL, high[c] = -HUGE_VAL;
  tn_status st = TN_OK;
  for (long k = 0; k < s->info.frames && st == TN_OK; k++) {
    st = take_field(s, f, s->row[k], x);
    for (int i = 0; i < nnode && st == TN_OK; i++) {
      double sum = 0;
      for (int c = 0; c < n; c++) {
        double v = (double)x[(size_t)i*(size_t)n + (size_t)c];
        low[c] = fmin(low[c], v);
        high[c] = fmax(high[c], v);
        sum += v*v;
      }
      low[n] = fmin(low[n], sqrt(sum));
      high[n] = fmax(high[n], sqrt(sum));
    }
  }
  tni_free(s->ctx, x);
  return st;
}

/* ---- write ------------------------------------------------------------------------------------ */

tn_status tn_scene_write(tn_scene *s, tn_write_fn write, void *user) {
  unsigned char front[FRONT];
  make_front(front, s->head.n);
  TN_TRY(write(user, (const char *)front, FRONT));
  TN_TRY(write(user, s->head.s, s->head.n));
  return write(user, (const char *)s->data, s->ndata);
}

/* base64 of a stream of bytes */
typedef struct {
  tn_write_fn write;
  void *user;
  unsigned rest;       /* bytes not yet written, the last ones lowest */
  int nrest;
  size_t n;
  char out[4096];
} base64;

static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static tn_status base64_add(void *user, const char *bytes, size_t n) {
  base64 *b = user;
  for (size_t i = 0; i < n; i++) {
    b->rest = b->rest << 8 | (unsigned char)bytes[i];
    if (++b->nrest < 3) continue;
    for (int k = 3; k >= 0; k--) b->out[b->n++] = digit[b->rest >> 6*k & 63];
    b->rest = 0;
    b->nrest = 0;
    if (b->n + 8 > sizeof(b->out)) {
      TN_TRY(b->write(b->user, b->out, b->n));
      b->n = 0;
    }
  }
  return TN_OK;
}

static tn_status base64_end(base64 *b) {
  int missing = b->nrest ? 3 - b->nrest : 0;
  const char zero[2] = {0, 0};
  TN_TRY(base64_add(b, zero, (size_t)missing));
  for (int k = 1; k <= missing; k++) b->out[b->n - (size_t)k] = '=';
  return b->n ? b->write(b->user, b->out, b->n) : TN_OK;
}

tn_status tn_scene_write_page(tn_scene *s, tn_write_fn write, void *user) {
  static const char mark[] = "<!--scene-->", open[] = "<script type=\"text/plain\" id=\"scene\">";
  const char *at = strstr(tni_page, mark), *after;
  TN_REQUIRE(s->ctx, at, TN_ERR_INTERNAL, "the page of the viewer has no place for a scene");
  after = at + sizeof(mark) - 1;
  base64 b = {.write = write, .user = user};
  TN_TRY(write(user, tni_page, (size_t)(at - tni_page)));
  TN_TRY(write(user, open, sizeof(open) - 1));
  TN_TRY(tn_scene_write(s, base64_add, &b));
  TN_TRY(base64_end(&b));
  TN_TRY(write(user, "</script>", 9));
  return write(user, after, tni_page_size - (size_t)(after - tni_page));
}

const char *tn_page_get(size_t *n) {
  if (n) *n = tni_page_size;
  return tni_page;
}
