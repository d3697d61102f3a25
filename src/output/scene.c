/* output/scene.c - from a results file to the scene format and to a page
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
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/scene.h"

#include <math.h>
#include <stdio.h>

#include "output/json.h"

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
  int ntrack;
  track *track;        /* [ntrack]                                */
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
  s->ndata = at;
  s->data = tni_alloc(s->ctx, at, 1);
  return s->data ? TN_OK : tni_out_of_memory(s->ctx);
}

static long frame_row(const tn_scene *s, long frame) {
  if (s->info.frames < 2) return 0;
  return (long)floor((double)frame*(double)(s->info.stored - 1)/(double)(s->info.frames - 1) + 0.5);
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
  int ncolumn = info->nvalue;
  long rows = BLOCK/ncolumn < 1 ? 1 : BLOCK/ncolumn, frame = 0;
  double *x = tni_doubles(s->ctx, (size_t)rows*(size_t)ncolumn);
  double *t = tni_doubles(s->ctx, (size_t)s->info.stored);
  tn_status st = x && t ? TN_OK : tni_out_of_memory(s->ctx);
  if (st == TN_OK) st = tni_results_read_times(s->r, 0, s->info.stored, t);
  while (st == TN_OK && frame < s->info.frames) {
    long first = frame_row(s, frame), n = s->info.stored - first;
    /* rows far apart are read one by one */
    if (frame_row(s, frame + 1) - first > 8) n = 1;
    if (n > rows) n = rows;
    st = tni_results_read_columns(s->r, 0, ncolumn, first, n, x);
    for (; st == TN_OK && frame < s->info.frames && frame_row(s, frame) < first + n; frame++)
      encode(s, frame, t[frame_row(s, frame)], x + (frame_row(s, frame) - first)*ncolumn);
  }
  if (st == TN_OK) {
    s->info.t_begin = t[0];
    s->info.t_end = t[s->info.stored-1];
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
  TN_TRY(add_events(s, &j));
  return end_head(s->ctx, &j, 0, info->scene);
}

tn_status tni_scene_live(tn_ctx *ctx, const tni_results_info *info, double t_begin, double t_end,
                         tni_text *out) {
  const run_head run = {"running", "", 0, 0, t_begin, t_end, true, ""};
  unsigned char front[FRONT];
  tni_json j;
  size_t begin = out->n + FRONT;
  for (int i = 0; i < FRONT; i++) tni_text_add(out, " ");
  begin_head(&j, out, info, &run);
  for (int i = 0; i < info->nchannel; i++) add_track(&j, &info->channel[i], false, -1);
  tni_json_close(&j);
  TN_TRY(end_head(ctx, &j, begin, info->scene));
  make_front(front, out->n - begin);
  memcpy(out->s + begin - FRONT, front, FRONT);
  return TN_OK;
}

/* ---- open and close -------------------------------------------------------------------------- */

static tn_status fill(tn_scene *s, const char *path, const tn_scene_opts *opts) {
  keep last;
  TN_TRY(tni_results_open(s->ctx, path, &s->r));
  s->info.stored = tni_results_ntime(s->r);
  if (s->info.stored < 1)
    return TN_FAIL(s->ctx, TN_ERR_INPUT, "results '%s': no time is stored yet", path);
  choose(s, opts, &last, &s->info.frames);
  TN_TRY(plan(s, last));
  if (s->info.bodies == 0)
    return TN_FAIL(s->ctx, TN_ERR_INPUT, "results '%s': no poses of bodies to show", path);
  TN_TRY(read_frames(s));
  const char *but = s->info.frames < s->info.stored && s->info.left_out ? ", and " : "";
  if (s->info.frames < s->info.stored)
    snprintf(s->info.note, sizeof(s->info.note), "%ld of %ld stored times are shown",
             s->info.frames, s->info.stored);
  size_t n = strlen(s->info.note);
  if (s->info.left_out)
    snprintf(s->info.note + n, sizeof(s->info.note) - n, "%s%d of %d signals are left out", but,
             s->info.left_out, s->info.left_out + s->info.signals);
  n = strlen(s->info.note);
  if (n) snprintf(s->info.note + n, sizeof(s->info.note) - n, " to keep the file small");
  TN_TRY(make_head(s));
  s->info.bytes = FRONT + s->head.n + s->ndata;
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
  tni_arena_clear(&s->arena);
  tni_free(ctx, s);
  *scene = NULL;
}

const tn_scene_info *tn_scene_get_info(const tn_scene *scene) { return &scene->info; }

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
