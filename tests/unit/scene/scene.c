/* tests/unit/scene/scene.c - scenes: numbers that come back, sizes that are kept to, shapes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "scene/scene.h"

#include <tenon/tenon.h>

#include "unit/output/sample.h"
#include "scene/geometry.h"

static tn_ctx *ctx;

typedef struct {
  unsigned char *s;
  size_t n, cap;
} bytes;

static tn_status keep(void *user, const char *s, size_t n) {
  bytes *b = user;
  if (b->n + n + 1 > b->cap) {
    b->cap = 2*(b->n + n + 1);
    b->s = realloc(b->s, b->cap);
  }
  memcpy(b->s + b->n, s, n);
  b->n += n;
  b->s[b->n] = 0;
  return TN_OK;
}

static size_t u32(const unsigned char *s) {
  return s[0] | (size_t)s[1] << 8 | (size_t)s[2] << 16 | (size_t)s[3] << 24;
}

/* ---- a results file with n bodies and known numbers -------------------------------------------- */

static const char *const xyz[] = {"x", "y", "z"}, *const euler[] = {"e0", "e1", "e2", "e3"};

static double place(long row, int body, int k) { return sin(0.01*(double)row + body + k)*(1 + 100*k); }
static double turn(long row, int body, int k) {
  double a = 0.003*(double)row + body;
  return k == 0 ? cos(a) : k == 1 ? 0 : k == 2 ? 0.6*sin(a) : 0.8*sin(a);
}

/* position, orientation, velocity of every body, and one sensor */
static const char *write_bodies(int nbody, long nrow) {
  static char name[2000][3][40];
  tni_channel *c = calloc((size_t)(3*nbody + 1), sizeof(*c));
  double *row = malloc((size_t)(10*nbody + 1)*sizeof(double));
  for (int i = 0; i < nbody; i++) {
    snprintf(name[i][0], 40, "b%d/position", i);
    snprintf(name[i][1], 40, "b%d/orientation", i);
    snprintf(name[i][2], 40, "b%d/velocity", i);
    c[3*i] = (tni_channel){"bodies", name[i][0], "m", 3, xyz, NULL, NULL};
    c[3*i+1] = (tni_channel){"bodies", name[i][1], "", 4, euler, NULL, NULL};
    c[3*i+2] = (tni_channel){"bodies", name[i][2], "m/s", 3, xyz, NULL, NULL};
  }
  c[3*nbody] = (tni_channel){"sensors", "s", "N", 1, NULL, NULL, NULL};
  tni_results_info info = {.title = "bodies", .nchannel = 3*nbody + 1, .channel = c};
  tni_writer *w;
  const char *path = sample_path("bodies.h5");
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  for (long r = 0; r < nrow; r++) {
    for (int i = 0; i < nbody; i++)
      for (int k = 0; k < 10; k++)
        row[10*i+k] = k < 3 ? place(r, i, k) : k < 7 ? turn(r, i, k - 3) : 1e9;
    row[10*nbody] = (double)r;
    CHECK_OK(ctx, tni_results_append(w, 0.01*(double)r, row));
  }
  CHECK_OK(ctx, tni_results_set_verdict(w, "doubtful: \"so\""));
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  free(c);
  free(row);
  return path;
}

/* a body and n events: 1/1024 s apart, in turn of two elements, every second with an impulse */
static const char *write_events(long n) {
  static const char *const element[] = {"floor", "a \"stop\""}, *const kind[] = {"touch", "release"};
  tni_channel c[] = {{"bodies", "b/position", "m", 3, xyz, NULL, NULL},
                     {"bodies", "b/orientation", "", 4, euler, NULL, NULL}};
  tni_results_info info = {.title = "events", .nchannel = 2, .channel = c, .nelement = 2, .element = element,
                           .nkind = 2, .kind = kind};
  const double row[7] = {0, 0, 0, 1, 0, 0, 0};
  tni_writer *w;
  const char *path = sample_path("events.h5");
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  for (int r = 0; r < 3; r++) CHECK_OK(ctx, tni_results_append(w, r, row));
  for (long i = 0; i < n; i++) {
    double value[TNI_EVENT_NVALUE] = {(double)(i % 2), (double)(i % 2), i % 2 ? 0.5*(double)i : NAN, 0, NAN, 0, NAN};
    CHECK_OK(ctx, tni_results_add_event(w, (double)i/1024, value));
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  return path;
}

static void events_are_in_the_header(void) {
  const struct {
    long stored, kept;
    const char *last;
  } want[] = {{0, 0, ""}, {4, 4, "[0.0029296875, 1, 1, 1.5]"}, {2000, 2000, "[1.9521484375, 1, 1, 999.5]"}, {5000, 1667, "[4.880859375, 0, 0, null]"}};
  for (int k = 0; k < TNI_COUNT(want); k++) {
    tn_scene *s;
    bytes b = {0};
    char text[40];
    long rows = 0;
    CHECK_OK(ctx, tn_scene_open(ctx, write_events(want[k].stored), NULL, &s));
    CHECK_OK(ctx, tn_scene_write(s, keep, &b));
    const char *head = (const char *)b.s + 16, *at = strstr(head, "\"events\": {");
    CHECK((at != NULL) == (want[k].stored > 0));
    if (at) {
      snprintf(text, sizeof(text), "\"stored\": %ld", want[k].stored);
      CHECK(strstr(at, text));
      CHECK(strstr(at, "\"elements\": [\"floor\", \"a \\\"stop\\\"\"]"));
      CHECK(strstr(at, "\"list\": [[0, 0, 0, null], ["));
      CHECK(strstr(at, want[k].last));
      for (const char *p = strstr(at, "\"list\": [") + 9; p && *p != '"'; p++) rows += *p == ']';
      CHECK_INT(rows - 1, want[k].kept); /* and the bracket of the list */
    }
    tn_scene_close(&s);
    free(b.s);
  }
}

/* byte of a track in the scene: from the header, 0 if it is not there */
static size_t track_at(const bytes *b, const char *name) {
  char mark[80];
  snprintf(mark, sizeof(mark), "\"name\": \"%s\"", name);
  const char *at = strstr((const char *)b->s + 16, mark);
  at = at ? strstr(at, "\"at\": ") : NULL;
  return at ? 16 + u32(b->s + 12) + strtoul(at + 6, NULL, 10) : 0;
}

static void numbers_come_back_within_what_cannot_be_seen(void) {
  enum { NBODY = 3, NROW = 200 };
  tn_scene *s;
  bytes b = {0};
  CHECK_OK(ctx, tn_scene_open(ctx, write_bodies(NBODY, NROW), NULL, &s));
  CHECK_OK(ctx, tn_scene_write(s, keep, &b));
  const tn_scene_info *info = tn_scene_get_info(s);
  CHECK_INT(info->frames, NROW);
  CHECK_INT(info->left_out, 0);
  CHECK_TEXT(info->note, "");
  CHECK_INT(info->bytes, b.n);
  CHECK(memcmp(b.s, "TENONSCN", 8) == 0);
  CHECK(strstr((const char *)b.s + 16, "\"verdict\": \"doubtful: \\\"so\\\"\"") != NULL);
  CHECK_INT(u32(b.s + 8), TNI_SCENE_VERSION);
  CHECK_INT(u32(b.s + 12) % 8, 0);
  double worst_place = 0, worst_turn = 0, worst_time = 0;
  for (long r = 0; r < NROW; r++) {
    double t;
    memcpy(&t, b.s + 16 + u32(b.s + 12) + 8*r, 8);
    worst_time = fmax(worst_time, fabs(t - 0.01*(double)r));
    for (int i = 0; i < NBODY; i++) {
      char name[40];
      snprintf(name, sizeof(name), "b%d/position", i);
      size_t p = track_at(&b, name);
      snprintf(name, sizeof(name), "b%d/orientation", i);
      size_t q = track_at(&b, name);
      for (int k = 0; k < 3; k++) {
        float x;
        memcpy(&x, b.s + p + 4*(size_t)(3*r + k), 4);
        worst_place = fmax(worst_place, fabs(x - place(r, i, k))/(1 + 100*k));
      }
      for (int k = 0; k < 4; k++) {
        int16_t x;
        memcpy(&x, b.s + q + 2*(size_t)(4*r + k), 2);
        worst_turn = fmax(worst_turn, fabs(x/32767.0 - turn(r, i, k)));
      }
    }
  }
  CHECK_NEAR(worst_time, 0, 0);
  CHECK(worst_place < 6e-8);       /* half a unit in the last place of a float */
  CHECK(worst_turn < 0.5001/32767); /* half a step */
  CHECK(worst_turn > 0.4/32767);   /* and the bound is sharp: all of the range is used */
  tn_scene_close(&s);
  free(b.s);
}

static void long_runs_are_thinned_out_and_say_so(void) {
  tn_scene *s;
  bytes b = {0};
  CHECK_OK(ctx, tn_scene_open(ctx, write_bodies(100, 20000), NULL, &s));
  const tn_scene_info *info = tn_scene_get_info(s);
  CHECK_INT(info->stored, 20000);
  CHECK(info->frames >= 1000 && info->frames <= 4000);
  CHECK(info->bytes < 3200000);
  CHECK_INT(info->left_out, 300);
  CHECK_NEAR(info->t_end, 199.99, 1e-12);
  char want[200];
  snprintf(want, sizeof(want), "%ld of 20000 stored times are shown, and 300 of 1001 signals are left "
           "out to keep the file small", info->frames);
  CHECK_TEXT(info->note, want);
  CHECK_OK(ctx, tn_scene_write(s, keep, &b));
  CHECK(track_at(&b, "b7/velocity") == 0);
  /* the frames are rows of the file, evenly spread, with the first and the last */
  size_t at = track_at(&b, "s");
  float first, before = -1, least = 1e9f, most = 0;
  for (long f = 0; f < info->frames; f++) {
    memcpy(&first, b.s + at + 4*(size_t)f, 4);
    if (f) least = fminf(least, first - before), most = fmaxf(most, first - before);
    else CHECK_NEAR(first, 0, 0);
    before = first;
  }
  CHECK_NEAR(before, 19999, 0);
  CHECK(most - least <= 1);
  tn_scene_close(&s);
  free(b.s);
}

static void thousands_of_bodies_stay_below_the_hard_limit(void) {
  tn_scene *s;
  CHECK_OK(ctx, tn_scene_open(ctx, write_bodies(2000, 900), NULL, &s));
  const tn_scene_info *info = tn_scene_get_info(s);
  CHECK_INT(info->frames, 599); /* 24 MB over 8 + 4 + 2000*(12 + 8) bytes a frame */
  CHECK(info->bytes < 24600000);
  tn_scene_close(&s);
  const tn_scene_opts small = {.max_frames = 50};
  CHECK_OK(ctx, tn_scene_open(ctx, sample_path("bodies.h5"), &small, &s));
  CHECK_INT(tn_scene_get_info(s)->frames, 50);
  tn_scene_close(&s);
}

static int digit(char c) {
  static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *p = c ? strchr(all, c) : NULL;
  return p ? (int)(p - all) : -1;
}

static void the_page_holds_the_same_scene(void) {
  static const char mark[] = "<script type=\"text/plain\" id=\"scene\">";
  /* all three remainders of the length in base64 */
  for (int n = 1; n <= 3; n++) {
    tn_scene *s;
    bytes scene = {0}, page = {0}, got = {0};
    CHECK_OK(ctx, tn_scene_open(ctx, write_bodies(n, 7), NULL, &s));
    CHECK_OK(ctx, tn_scene_write(s, keep, &scene));
    CHECK_OK(ctx, tn_scene_write_page(s, keep, &page));
    const char *at = strstr((const char *)page.s, mark);
    if (CHECK(at != NULL)) {
      unsigned x = 0;
      int bits = 0;
      for (at += sizeof(mark) - 1; digit(*at) >= 0; at++) {
        x = x << 6 | (unsigned)digit(*at);
        if ((bits += 6) < 8) continue;
        bits -= 8;
        char c = (char)(x >> bits & 255);
        CHECK_OK(ctx, keep(&got, &c, 1));
      }
      CHECK(got.n == scene.n && memcmp(got.s, scene.s, got.n) == 0);
      CHECK(strncmp(at, "</script>", 9) == 0 || at[0] == '=');
    }
    CHECK(strstr((const char *)page.s, "<!--scene-->") == NULL);
    CHECK(page.n < 800000 + 4*scene.n/3);
    tn_scene_close(&s);
    free(scene.s);
    free(page.s);
    free(got.s);
  }
}

static tn_status refuse(void *user, const char *s, size_t n) {
  (void)s, (void)n;
  return --*(int *)user < 0 ? TN_ERR_IO : TN_OK;
}

static void what_cannot_be_shown_is_refused(void) {
  tn_scene *s;
  CHECK(tn_scene_open(ctx, sample_path("none.h5"), NULL, &s) == TN_ERR_IO && !s);
  CHECK(tn_scene_open(ctx, "", NULL, &s) == TN_ERR_ARGUMENT && !s);
  CHECK(tn_scene_open(ctx, write_bodies(1, 0), NULL, &s) == TN_ERR_INPUT && !s);
  CHECK(strstr(tn_ctx_message(ctx), "no time is stored") != NULL);
  CHECK_OK(ctx, tn_scene_open(ctx, write_bodies(1, 3), NULL, &s));
  for (int k = 0; k < 4; k++) {
    int left = k;
    CHECK(tn_scene_write_page(s, refuse, &left) == TN_ERR_IO);
  }
  tn_scene_close(&s);
  tn_scene_close(&s);
}

/* ---- geometry of models -------------------------------------------------------------------------- */

static char *describe(const char *model) {
  tn_spec *spec;
  tn_model *m;
  tni_text t;
  CHECK_OK(ctx, tn_spec_read_text(ctx, "model.yaml", model, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
  tni_text_init(&t, ctx);
  CHECK_OK(ctx, tni_scene_describe(m, &t));
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
  char *copy = malloc(t.n + 1);
  memcpy(copy, t.s, t.n + 1);
  tni_text_free(&t);
  return copy;
}

#define HAS(text, part) CHECK(strstr(text, part) != NULL)

static void bodies_are_drawn_from_what_is_known(void) {
  char *d = describe(
      "tenon: 1\ngravity: [0, -9.81, 0]\n"
      "bodies:\n"
      "  given: {mass: 1, shape: {cylinder: [0.1, 2]}, com: [0, 0, 1], at: [0, 3, 0]}\n"
      "  bar: {mass: 1, inertia: [1, 1, 1], between: [[0, 0, 0], [2, 0, 0]]}\n"
      "  plate: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [5, 0, 0]}\n"
      "  ball: {mass: 10, inertia: [0.4, 0.4, 0.4], at: [0, 7, 0]}\n"
      "  brick: {mass: 12, inertia: [13, 10, 5], at: [0, 0, 9]}\n"
      "joints:\n"
      "  a: {type: spherical, bodies: [ground, plate], at: [5, 0, 0]}\n"
      "  b: {type: spherical, bodies: [plate, bar], at: [6, 0, 1], at2: [1, 0, 0]}\n"
      "  c: {type: distance, bodies: [ground, plate], at1: [5, 3, 0], at2: [0, 1, 0]}\n"
      "forces:\n"
      "  s: {type: spring, bodies: [ground, ball], at1: [0, 9, 0], at2: [0, 0, 0], stiffness: 1}\n"
      "  d: {type: spring, bodies: [brick, ball], at1: [0, 0, 0], at2: [0, 0, 0], damping: 1}\n");
  HAS(d, "\"up\": [0, 1, 0]");
  HAS(d, "\"kind\": \"cylinder\", \"size\": [0.1, 2], \"at\": [0, 0, 1]");
  HAS(d, "\"points\": [-1, 0, 0, 1, 0, 0]");                 /* bar */
  HAS(d, "\"points\": [0, 0, 0, 1, 0, 1, 0, 1, 0]");         /* plate: its three attachments */
  /* solid ball: I = 0.4 m r^2; brick: (13, 10, 5) = 12/12 (b^2 + c^2, a^2 + c^2, a^2 + b^2) */
  HAS(d, "\"name\": \"ball\", \"mass\": 10, \"shapes\": [], \"derived\": [{\"kind\": \"sphere\", \"size\": [0.3162278]");
  HAS(d, "\"kind\": \"box\", \"size\": [1, 2, 3]");
  HAS(d, "{\"name\": \"s\", \"kind\": \"spring\", \"bodies\": [-1, 3], \"at\": [[0, 9, 0], [0, 0, 0]]}");
  HAS(d, "{\"name\": \"d\", \"kind\": \"damper\", \"bodies\": [4, 3]");
  HAS(d, "{\"name\": \"c\", \"kind\": \"rod\", \"bodies\": [-1, 2], \"at\": [[5, 3, 0], [0, 1, 0]]}");
  HAS(d, "\"channel\": \"joints/a/reaction\", \"body\": 2");
  free(d);
}

static void looks_are_shown_as_written(void) {
  char *d = describe(
      "tenon: 1\nplanar: true\n"
      "ground: {look: {box: [1, 2, 3], color: gray}}\n"
      "bodies:\n"
      "  a: {mass: 1, inertia: 1, color: \"#12ab9f\", look: [{sphere: 0.5, at: [1, 0, 0]},\n"
      "      {cylinder: [1, 2], orientation: {axis: z, angle: pi}}, {hull: [[0, 0], [1, 1]], radius: 0.1}]}\n"
      "  b: {mass: 1, inertia: 1, at: [1, 0]}\n"
      "joints: {j: {type: revolute, bodies: [a, b], at: [1, 0]}}\n");
  HAS(d, "\"ground\": [{\"kind\": \"box\", \"size\": [1, 2, 3], \"color\": \"gray\"}]");
  HAS(d, "\"color\": \"#12ab9f\", \"shapes\": [{\"kind\": \"sphere\", \"size\": [0.5], \"at\": [1, 0, 0]}");
  HAS(d, "{\"kind\": \"hull\", \"size\": [0.1], \"points\": [0, 0, 0, 1, 1, 0]}]}");
  HAS(d, "\"turn\": [6.123234e-17, 0, 0, 1]");
  HAS(d, "\"layer\": 1"); /* b lies over a, with which it shares a joint */
  free(d);
}

static void looks_change_no_mechanics(void) {
  static const char *const model[2] = {
      "tenon: 1\ngravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, shape: {box: [1, 1, 1]}}}\n",
      "tenon: 1\ngravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, shape: {box: [1, 1, 1]}, look: {sphere: 9}, "
      "color: red}}\n"};
  double z[2];
  for (int k = 0; k < 2; k++) {
    tn_spec *spec;
    tn_model *m;
    tn_sim *sim;
    double p[3], e[4];
    CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", model[k], NULL, 0, &spec));
    CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
    CHECK_OK(ctx, tn_sim_create(ctx, m, NULL, &sim));
    CHECK_OK(ctx, tn_sim_advance(sim, 0.5));
    CHECK_OK(ctx, tn_sim_body_pose(sim, 0, p, e));
    z[k] = p[2];
    tn_sim_destroy(&sim);
    tn_model_destroy(&m);
    tn_spec_destroy(&spec);
  }
  CHECK(memcmp(&z[0], &z[1], sizeof(double)) == 0);
}

/* ---- what runs record for it, and a run that is watched --------------------------------------------------------------------- */

typedef struct {
  bytes scene;
  int nvalue, nframe;
  double t, first, last;
} watcher;

static void row_of(const char *model, const char *channel, double *out) {
  tn_spec *spec;
  tn_model *m;
  tn_summary sum;
  tn_results *r;
  const tn_run_opts o = {.results = sample_path("row.h5"), .overwrite = true};
  CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", model, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
  CHECK_OK(ctx, tn_run(ctx, m, &o, &sum));
  CHECK_OK(ctx, tn_results_open(ctx, sample_path("row.h5"), &r));
  CHECK_INT(tn_results_ntime(r), 1);
  int k = tn_results_find(r, channel);
  CHECK(k >= 0);
  if (k >= 0) CHECK_OK(ctx, tn_results_read(r, k, NULL, out));
  tn_results_close(&r);
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
}

static void arrows_of_forces_have_their_size_and_direction(void) {
  double load[6];
  /* stretched by 1 m along (3, 0, 4)/5 from an end 0.5 m off the centre of a body that is turned */
  row_of("tenon: 1\nbodies: {a: {mass: 1, shape: {box: [1, 1, 1]}, at: [0, 0.5, 0], orientation: {axis: z, "
         "angle: pi/2}}}\n"
         "forces: {s: {type: spring, bodies: [ground, a], at1: [3, 0, 4], at2: [-0.5, 0, 0], stiffness: 10, "
         "free_length: 4}}\nanalysis: {type: assemble}\n",
         "forces/s/load", load);
  const double want[6] = {6, 0, 8, -0.5*8, 0, 0.5*6}; /* r x F, r = (0, -0.5, 0) in ground axes */
  for (int i = 0; i < 6; i++) CHECK_NEAR(load[i], want[i], 1e-12);
}

/* outlines in true size; axes of a node of its own and of an end in a turned body */
static void sections_of_beams_are_described(void) {
  static const struct {
    const char *section, *want;
  } cases[] = {
      {"rectangle: [0.2, 0.1]", "\"section\": {\"kind\": \"rectangle\", \"size\": [0.2, 0.1]}"},
      {"circle: 0.1", "\"section\": {\"kind\": \"circle\", \"size\": [0.1]}"},
      {"tube: [0.1, 0.08]", "\"section\": {\"kind\": \"tube\", \"size\": [0.1, 0.08]}"}};
  for (int i = 0; i < TNI_COUNT(cases); i++) {
    char model[600];
    snprintf(model, sizeof(model),
             "tenon: 1\n"
             "bodies: {k: {mass: 1, inertia: [1, 1, 1], orientation: {axis: z, angle: 90*deg}}}\n"
             "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], start: k, elements: 1,\n"
             "  section: {%s}, material: {E: 1e9, nu: 0.3, rho: 1000}}}\n", cases[i].section);
    char *d = describe(model);
    HAS(d, cases[i].want);
    /* the beam along x is along -y of the body that holds its start */
    const char *turn = strstr(d, "\"turn\": [[");
    double q[8] = {0};
    CHECK(turn && sscanf(turn, "\"turn\": [[%lf, %lf, %lf, %lf], [%lf, %lf, %lf, %lf]]", q, q + 1, q + 2,
                         q + 3, q + 4, q + 5, q + 6, q + 7) == 8);
    CHECK_NEAR(q[0], sqrt(0.5), 1e-6);
    CHECK_NEAR(q[3], -sqrt(0.5), 1e-6);
    CHECK_NEAR(q[4], 1, 1e-12);
    free(d);
  }
}

static void beams_are_coloured_by_their_moment(void) {
  enum { N = 8 };
  double moment[N];
  /* cantilever of 1 m with 1 N at its end, stiff: M = P (L - s) in the middle of each element */
  row_of("tenon: 1\nbeams: {b: {from: [0, 0, 0], to: [1, 0, 0], start: ground, elements: 8, EA: 1e9, GA: 1e9, "
         "EI: 1e6, GJ: 1e6, rhoA: 1, rhoI: 1e-3}}\n"
         "forces: {p: {type: force, body: b.end, force: [0, 0, -1]}}\nanalysis: {type: statics}\n",
         "beams/b/bending_moment", moment);
  for (int e = 0; e < N; e++) CHECK_NEAR(moment[e], 1 - (e + 0.5)/N, 1e-5);
}

/* A cantilever of 2 m, width 0.1 m, height 0.2 m, pulled, bent and twisted at its end, so little that
 * the pull bends it by less than 1e-4 of the moment: stress N/A + M (h/2)/I, energy per length
 * N^2/(2 EA) + M^2/(2 EI) + T^2/(2 GJ); J = 0.2287 h b^3 for h/b = 2 (Timoshenko and Goodier). */
static void beams_have_stress_and_energy(void) {
  enum { N = 4 };
  static const char model[] =
      "tenon: 1\nbeams: {b: {from: [0, 0, 0], to: [2, 0, 0], start: ground, elements: 4, up: z,\n"
      "  section: {rectangle: [0.1, 0.2]}, material: {E: 2e11, nu: 0.3, rho: 7800}}}\n"
      "forces: {p: {type: force, body: b.end, force: [300, 0, 0], torque: [5, 20, 0]}}\n"
      "analysis: {type: statics}\n";
  const double A = 0.02, I = 0.1*0.2*0.2*0.2/12, GJ = 2e11/2.6*0.2287*0.2*1e-3;
  const double energy = 300.0*300/(2*2e11*A) + 20.0*20/(2*2e11*I) + 5.0*5/(2*GJ);
  double x[N];
  row_of(model, "beams/b/stress", x);
  for (int e = 0; e < N; e++) CHECK_NEAR(x[e]/(300/A + 20*0.1/I), 1, 1e-4);
  row_of(model, "beams/b/strain_energy", x);
  for (int e = 0; e < N; e++) CHECK_NEAR(x[e]/energy, 1, 2e-4);
  row_of(model, "beams/b/torque", x);
  for (int e = 0; e < N; e++) CHECK_NEAR(x[e]/5, 1, 1e-4);
  row_of(model, "beams/b/shear_force", x);
  for (int e = 0; e < N; e++) CHECK(x[e] < 1e-4*300);
}

static void on_begin(void *user, const char *scene, size_t n, int nvalue) {
  watcher *w = user;
  CHECK_OK(ctx, keep(&w->scene, scene, n));
  w->nvalue = nvalue;
}

static void on_frame(void *user, double t, const double *value) {
  watcher *w = user;
  if (w->nframe++ == 0) w->first = value[2];
  w->t = t;
  w->last = value[2];
}

static void a_watched_run_hands_out_its_rows(void) {
  static const char model[] =
      "tenon: 1\ngravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, shape: {box: [1, 1, 1]}, at: [0, 0, 2]}}\n"
      "analysis: {until: 1}\noutput: {every: 0.1}\n";
  watcher w = {0};
  const tn_watch watch = {.user = &w, .begin = on_begin, .frame = on_frame};
  const tn_run_opts o = {.results = "", .watch = &watch};
  tn_spec *spec;
  tn_model *m;
  tn_summary sum;
  CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", model, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
  CHECK_OK(ctx, tn_run(ctx, m, &o, &sum));
  CHECK_INT(w.nframe, 11);
  CHECK_NEAR(w.t, 1, 0);
  CHECK_NEAR(w.first, 2, 1e-12);
  CHECK_NEAR(w.last, 2 - 0.5*9.81, 1e-9); /* third number: z of the body */
  CHECK(w.scene.n == 16 + u32(w.scene.s + 12));
  HAS((const char *)w.scene.s + 16, "\"live\": true");
  HAS((const char *)w.scene.s + 16, "{\"group\": \"bodies\", \"name\": \"a/position\"");
  free(w.scene.s);
  /* nothing stored and next to no time to spend: the first and the last row, and few between them */
  watcher few = {0};
  const tn_watch hasty = {.user = &few, .begin = on_begin, .frame = on_frame, .budget = 1e-9};
  const tn_run_opts often = {.results = "", .watch = &hasty, .every = 1e-3};
  CHECK_OK(ctx, tn_run(ctx, m, &often, &sum));
  CHECK_INT(sum.stored, 1001);
  CHECK(few.nframe >= 2 && few.nframe < 100);
  CHECK_NEAR(few.first, 2, 1e-12);
  CHECK_NEAR(few.last, 2 - 0.5*9.81, 1e-9);
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
  free(few.scene.s);
}

typedef struct {
  long n;
  double t[8], impulse[8];
  char scene[2000];
} events;

static void forget(void *user, const char *scene, size_t n, int nvalue) {
  events *e = user;
  (void)nvalue;
  snprintf(e->scene, sizeof(e->scene), "%.*s", (int)(n - 16), scene + 16); /* the header alone is text */
}
static void ignore(void *user, double t, const double *value) { (void)user, (void)t, (void)value; }

static void on_event(void *user, double t, int element, int kind, double impulse) {
  events *e = user;
  if (e->n < TNI_COUNT(e->t)) e->t[e->n] = t, e->impulse[e->n] = impulse;
  e->n++;
  CHECK_INT(element, 0);
  CHECK(kind >= 0 && kind < TNI_NSWITCH);
}

/* a ball falls 0.2 m and returns with half of its speed: the second touch ends with 1.5 times its momentum as impulse */
static void a_watched_run_tells_what_switches(void) {
  static const char model[] =
      "tenon: 1\ngravity: [0, 0, -10]\nbodies: {ball: {mass: 2, shape: {sphere: 0.1}, at: [0, 0, 0.3]}}\n"
      "forces: {floor: {type: contact, bodies: [ball, ground], radius1: 0.1, restitution: 0.5, duration: 1e-4}}\n"
      "analysis: {until: 0.3}\n";
  for (int stored = 0; stored < 2; stored++) {
    events e = {0};
    const tn_watch watch = {.user = &e, .begin = forget, .frame = ignore, .event = on_event};
    const tn_run_opts o = {.results = stored ? sample_path("watched.h5") : "", .overwrite = true, .watch = &watch};
    tn_spec *spec;
    tn_model *m;
    tn_summary sum;
    CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", model, NULL, 0, &spec));
    CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
    CHECK_OK(ctx, tn_run(ctx, m, &o, &sum));
    CHECK_INT(e.n, sum.switches);
    CHECK_INT(e.n, 2); /* touches and leaves once */
    CHECK_NEAR(e.t[0], 0.2, 1e-6);
    CHECK(isnan(e.impulse[0]));
    CHECK_NEAR(e.impulse[1], 2*2*1.5, 1e-2);
    HAS(e.scene, "\"events\": {\"stored\": 0, \"elements\": [\"floor\"]");
    tn_model_destroy(&m);
    tn_spec_destroy(&spec);
  }
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  sample_begin();
  RUN(events_are_in_the_header);
  RUN(numbers_come_back_within_what_cannot_be_seen);
  RUN(long_runs_are_thinned_out_and_say_so);
  RUN(thousands_of_bodies_stay_below_the_hard_limit);
  RUN(the_page_holds_the_same_scene);
  RUN(what_cannot_be_shown_is_refused);
  RUN(bodies_are_drawn_from_what_is_known);
  RUN(looks_are_shown_as_written);
  RUN(looks_change_no_mechanics);
  RUN(arrows_of_forces_have_their_size_and_direction);
  RUN(sections_of_beams_are_described);
  RUN(beams_are_coloured_by_their_moment);
  RUN(beams_have_stress_and_energy);
  RUN(a_watched_run_tells_what_switches);
  RUN(a_watched_run_hands_out_its_rows);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
