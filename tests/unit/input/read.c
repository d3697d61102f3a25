/* documents -> spec: values arrive as written, structure repeats, files include each other
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <unistd.h>

#include "language.h"
#include "support/check.h"

static tn_ctx *ctx;

static tn_spec *read_text(const char *text) {
  tn_spec *spec = NULL;
  CHECK_OK(ctx, tni_input_read_text(ctx, &language, "m.yaml", text, NULL, 0, &spec));
  return spec;
}

static const char slider_crank[] =
    "tenon: 1\n"
    "title: Slider-crank\n"
    "gravity: [0, 0, -9.81]\n"
    "params: {speed: 12.57, double: 2*speed}\n"
    "bodies:\n"
    "  crank: {mass: 0.2, inertia: [1e-4, 1e-4, 2e-5], at: [0, 0, 0.04]}\n"
    "  rod:\n"
    "    mass: 0.5\n"
    "    between: [[0, 0, 0.08], [0.3, 0, 0]]\n"
    "joints:\n"
    "  pin:   {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
    "  elbow: {type: spherical, bodies: [crank, rod], at: tip}\n"
    "drive:\n"
    "  - {joint: pin, motion: \"speed*t\"}\n"
    "  - {joint: elbow, motion: 3, name: second}\n"
    "analysis: {until: double/10, steps: 40, method: rk4}\n";

/* the example of the design brief, value by value */
static void example_arrives_as_written(void) {
  tn_spec *spec = read_text(slider_crank);
  double v[3];
  CHECK_TEXT(tni_item_text(&spec->top, "title", ""), "Slider-crank");
  CHECK(tni_item_vec3(&spec->top, "gravity", v));
  CHECK_NEAR(v[2], -9.81, 0);
  CHECK_INT(spec->nitem, 7);
  CHECK_INT(spec->nparam, 2);
  CHECK_NEAR(tni_spec_param(spec, "double")->value, 25.14, 1e-15);
  const tni_item *crank = tni_spec_find(spec, "bodies", "crank");
  CHECK_NEAR(tni_item_number(crank, "mass", 0), 0.2, 0);
  double I[9];
  CHECK(tni_item_inertia(crank, "inertia", I));
  CHECK_NEAR(I[8], 2e-5, 0);
  CHECK_INT(crank->at.line, 6);
  const tni_item *rod = tni_spec_find(spec, "bodies", "rod");
  CHECK_INT(tni_item_get(rod, "between")->at.line, 9);
  CHECK_NEAR(tni_item_get(rod, "between")->item[1].item[0].number, 0.3, 0);
  const tni_item *pin = tni_spec_find(spec, "joints", "pin");
  CHECK(pin->type == &revolute);
  CHECK(tni_item_direction(pin, "axis", v));
  CHECK_NEAR(v[1], 1, 0);
  CHECK_TEXT(tni_item_get(pin, "bodies")->item[1].text, "crank");
  CHECK_TEXT(tni_item_text(tni_spec_find(spec, "joints", "elbow"), "at", ""), "tip");
  CHECK_TEXT(tni_item_text(tni_spec_find(spec, "drive", "drive1"), "motion", ""), "speed*t");
  CHECK_NEAR(tni_item_number(tni_spec_find(spec, "drive", "second"), "motion", 0), 3, 0);
  const tni_item *analysis = tni_spec_find(spec, "analysis", "analysis");
  CHECK_NEAR(tni_item_number(analysis, "until", 0), 2.514, 1e-15);
  CHECK_INT(tni_item_integer(analysis, "steps", 0), 40);
  CHECK_TEXT(spec->source, slider_crank);
  tni_spec_destroy(&spec);
  CHECK(spec == NULL);
}

/* JSON is YAML: the same reader takes it */
static void json_is_accepted(void) {
  tn_spec *spec = read_text(
      "{\"tenon\":1,\"params\":{\"m\":2},\n\t\"bodies\":{\"a\":{\"mass\":\"m/"
      "4\",\"at\":[1,2,3e0]}},"
      "\"planar\":true, \"title\":\"q\\u00e4 \\\"x\\\"\"}");
  CHECK_NEAR(tni_item_number(tni_spec_find(spec, "bodies", "a"), "mass", 0), 0.5, 0);
  CHECK(tni_item_bool(&spec->top, "planar", false));
  CHECK_TEXT(tni_item_text(&spec->top, "title", ""), "q\xC3\xA4 \"x\"");
  tni_spec_destroy(&spec);
}

static void numbers_have_many_forms(void) {
  tn_spec *spec = read_text("\xEF\xBB\xBFtenon: 1\n"
                            "params: {a: 2, _b2: '3*a'}\n"
                            "analysis:\n"
                            "  times: [1, +2, -3.5, .5, 4., 1e-3, 1E+3, 012, '7', a, -a, '_b2^2',\n"
                            "          30*deg, 1 + 2, \"{a}5\", sqrt(16)]\n");
  const double want[] = {1, 2,  -3.5, .5, 4, 1e-3, 1e3, 12, 7, 2, -2, 36, 0.52359877559829887,
                         3, 25, 4};
  const tni_value *v = tni_item_get(tni_spec_find(spec, "analysis", "analysis"), "times");
  CHECK_INT(v->n, TNI_COUNT(want));
  for (int i = 0; i < TNI_COUNT(want); i++) CHECK_NEAR(v->item[i].number, want[i], 1e-15);
  CHECK_INT(v->item[13].at.line, 5);
  tni_spec_destroy(&spec);
}

/* y and n are booleans to some YAML readers, but an axis and a name here */
static void short_words_stay_words(void) {
  tn_spec *spec = read_text("tenon: 1\nbodies: {y: {mass: 1}, n: {mass: 1}, on: {mass: 1}}\n"
                            "joints: {j: {type: revolute, bodies: [y, n], axis: y}}\n");
  CHECK(tni_spec_find(spec, "bodies", "y") && tni_spec_find(spec, "bodies", "on"));
  const tni_item *j = tni_spec_find(spec, "joints", "j");
  CHECK_TEXT(tni_item_get(j, "bodies")->item[1].text, "n");
  double v[3];
  CHECK(tni_item_direction(j, "axis", v) && v[1] == 1);
  tni_spec_destroy(&spec);
}

static void every_kind_is_kept(void) {
  tn_spec *spec = read_text(
      "tenon: 1\nparams: {k: 5}\n"
      "bodies:\n"
      "  a:\n"
      "    mass: 1\n"
      "    orientation: {axis: [0, 0, 1], angle: 90*deg}\n"
      "    points: {tip: [k, 0], tail: [0, k, 1]}\n"
      "    frames: {f: {at: [1, 2, k], orientation: {x: y, y: -x}}, g: {}}\n"
      "    data: [word, 3, {deep: [k]}]\n"
      "forces:\n"
      "  - {type: push, body: a, force: [k*t, 0, 'sin(t)'], frame: body}\n"
      "  - {type: push, body: a, force: [1, 2]}\n"
      "  - {type: spring, body: a, curve: [[0, 0], [1, k]], law: 'k*angle(j)', free: {u: 0.5},\n"
      "     stiffness: [1, 2, 3, 4, 5, k]}\n");
  const tni_item *a = tni_spec_find(spec, "bodies", "a");
  double R[9], v[3];
  CHECK(tni_item_rotation(a, "orientation", R));
  CHECK_NEAR(R[3], 1, 1e-15);
  const tni_value *points = tni_item_get(a, "points");
  CHECK_TEXT(points->key[1], "tail");
  tni_value_vec3(&points->item[0], v);
  CHECK(v[0] == 5 && v[1] == 0 && v[2] == 0);
  const tni_value *frames = tni_item_get(a, "frames");
  CHECK_TEXT(frames->item[0].key[1], "orientation");
  tni_value_rotation(&frames->item[0].item[1], R); /* body x along y, body y along -x */
  CHECK_NEAR(R[3], 1, 0);
  CHECK_NEAR(R[1], -1, 0);
  CHECK_INT(frames->item[1].n, 0);
  const tni_value *data = tni_item_get(a, "data");
  CHECK(data->item[0].form == TNI_TEXT && data->item[1].form == TNI_NUMBER);
  CHECK_TEXT(data->item[2].item[0].item[0].text, "k");
  CHECK_NEAR(data->item[2].item[0].item[0].number, 5, 0);
  const tni_value *force = tni_item_get(tni_spec_find(spec, "forces", "force1"), "force");
  CHECK_TEXT(force->item[0].text, "k*t");
  CHECK(force->item[1].form == TNI_NUMBER && force->item[2].form == TNI_TEXT);
  force = tni_item_get(tni_spec_find(spec, "forces", "force2"), "force");
  CHECK(force->n == 3 && force->item[2].form == TNI_NUMBER && force->item[2].number == 0);
  const tni_item *s = tni_spec_find(spec, "forces", "force3");
  CHECK_TEXT(tni_item_text(s, "law", ""), "k*angle(j)");
  CHECK_NEAR(tni_item_get(s, "stiffness")->item[5].number, 5, 0);
  CHECK_NEAR(tni_item_get(s, "curve")->item[1].item[1].number, 5, 0);
  tni_spec_destroy(&spec);
}

static void repeat_makes_a_chain(void) {
  tn_spec *spec = read_text(
      "tenon: 1\nparams: {n: 5, L: 0.2}\n"
      "bodies: {link0: {mass: 1}}\n"
      "repeat:\n"
      "  - for: {i: [1, n - 1]}\n"
      "    bodies:\n"
      "      \"link{i}\": {mass: 1 + i, at: [\"L*(i + 0.5)\", 0, 0]}\n"
      "    joints:\n"
      "      \"j{i}\": {type: revolute, bodies: [\"link{i-1}\", \"link{i}\"], at: [L*i, 0, 0]}\n"
      "    drive:\n"
      "      - {joint: \"j{i}\", motion: \"i*sin(t + {0.5*i}) + angle(j{i}) + index.i + i2\"}\n");
  CHECK_INT(spec->nitem, 1 + 4 + 4 + 4);
  CHECK_TEXT(spec->item[1]->name, "link1");
  CHECK_TEXT(spec->item[2]->name, "j1");
  const tni_item *link = tni_spec_find(spec, "bodies", "link4");
  double v[3];
  CHECK(tni_item_vec3(link, "at", v));
  CHECK_NEAR(v[0], 0.9, 1e-15);
  CHECK_NEAR(tni_item_number(link, "mass", 0), 5, 0);
  const tni_item *j = tni_spec_find(spec, "joints", "j4");
  CHECK_TEXT(tni_item_get(j, "bodies")->item[0].text, "link3");
  CHECK_TEXT(tni_item_text(tni_spec_find(spec, "drive", "drive3"), "motion", ""),
             "3*sin(t + 1.5) + angle(j3) + index.i + i2");
  CHECK(tni_spec_find(spec, "bodies", "link5") == NULL);
  tni_spec_destroy(&spec);
}

/* the first index changes slowest; ranges may depend on indices before; words are values too */
static void indices_combine(void) {
  tn_spec *spec = read_text(
      "tenon: 1\n"
      "repeat:\n"
      "  - for: {i: [0, 2], j: [0, i]}\n"
      "    bodies: {\"a{i}_{j}\": {mass: 1 + i + 10*j}}\n"
      "  - for: {side: {in: [left, right]}, k: {in: [1, 2, 1+3]}}\n"
      "    bodies: {\"{side} {2*k}\": {mass: k}}\n"
      "    repeat: {for: {m: [3, 1, -2]}, bodies: {\"{side}{k*m}x\": {mass: k*m}}}\n"
      "  - for: {z: [1, 0]}\n"
      "    bodies: {\"never{z}\": {mass: 1}}\n");
  static const char *const names[] = {"a0_0",     "a1_0",     "a1_1",    "a2_0",     "a2_1",
                                      "a2_2",     "left 2",   "left3x",  "left1x",   "left 4"};
  CHECK_INT(spec->nitem, 6 + 2*3*3);
  for (int i = 0; i < TNI_COUNT(names); i++) {
    char name[32];
    snprintf(name, sizeof(name), "%s", names[i]);
    CHECK_TEXT(spec->item[i]->name, name);
  }
  CHECK(tni_spec_find(spec, "bodies", "right 8") != NULL);
  CHECK_NEAR(tni_item_number(tni_spec_find(spec, "bodies", "left6x"), "mass", 0), 6, 0);
  CHECK_NEAR(tni_item_number(tni_spec_find(spec, "bodies", "a2_1"), "mass", 0), 13, 0);
  tni_spec_destroy(&spec);
}

static void braces_can_be_written(void) {
  tn_spec *spec =
      read_text("tenon: 1\nparams: {n: 3, x: 0.1}\ntitle: '{{a}} {n}+{x}={n+x} {-n*1e9}'\n");
  CHECK_TEXT(tni_item_text(&spec->top, "title", ""), "{a} 3+0.1=3.1 -3000000000");
  tni_spec_destroy(&spec);
}

static void anchors_and_merge_keys_work(void) {
  tn_spec *spec = read_text("tenon: 1\n"
                            "bodies:\n"
                            "  a: &a {mass: 1, at: &p [1, 2, 3]}\n"
                            "  b: {<<: *a, mass: 2}\n"
                            "  c: {mass: 3, at: *p}\n"
                            "  d: {<<: [{mass: 4}, *a]}\n");
  double v[3];
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(tni_item_number(spec->item[i], "mass", 0), i + 1, 0);
    CHECK(tni_item_vec3(spec->item[i], "at", v) && v[2] == 3);
  }
  tni_spec_destroy(&spec);
}

static void overrides_replace_parameters(void) {
  const char *overrides[] = {"speed=2*pi", "n=4", "n=speed"};
  tn_spec *spec = NULL;
  CHECK_OK(ctx, tni_input_read_text(ctx, &language, "m.yaml",
                                    "tenon: 1\nparams: {speed: 1, n: 2, twice: 2*n}\n", overrides,
                                    3, &spec));
  CHECK_NEAR(tni_spec_param(spec, "speed")->value, 6.283185307179586, 1e-15);
  CHECK_NEAR(tni_spec_param(spec, "twice")->value, 12.566370614359172, 1e-15);
  tni_spec_destroy(&spec);
}

/* numbers keep their point in programs that speak another language */
static void locale_does_not_matter(void) {
  const char *was = setlocale(LC_ALL, "de_DE.UTF-8");
  if (!was) was = setlocale(LC_ALL, "fr_FR.UTF-8");
  tn_spec *spec = read_text("tenon: 1\nparams: {x: 0.25}\ntitle: '{x}'\n");
  CHECK_NEAR(spec->param[0].value, 0.25, 0);
  CHECK_TEXT(tni_item_text(&spec->top, "title", ""), "0.25");
  tni_spec_destroy(&spec);
  setlocale(LC_ALL, "C");
}

/* ---- files -------------------------------------------------------------------------------- */

static char folder[] = "input-files-XXXXXX";

static const char *path_of(const char *name) {
  static char path[4][300];
  static int k;
  k = (k + 1)%4;
  snprintf(path[k], sizeof(path[k]), "%s/%s", folder, name);
  return path[k];
}

static void write_file(const char *name, const char *text) {
  FILE *f = fopen(path_of(name), "w");
  CHECK(f != NULL);
  if (!f) return;
  fputs(text, f);
  fclose(f);
}

static void check_file(const char *name, tn_status status, const char *message) {
  tn_spec *spec = NULL;
  char want[1000];
  const char *at = strchr(message, '@'); /* stands for the folder */
  if (at)
    snprintf(want, sizeof(want), "%.*s%s%s", (int)(at - message), message, folder, at + 1);
  else
    snprintf(want, sizeof(want), "%s", message);
  at = strchr(want, '@');
  if (at) {
    char rest[1000];
    snprintf(rest, sizeof(rest), "%s%s", folder, at + 1);
    snprintf(want + (at - want), sizeof(want) - (size_t)(at - want), "%s", rest);
  }
  CHECK(tni_input_read_file(ctx, &language, path_of(name), NULL, 0, &spec) == status);
  CHECK_TEXT(tn_ctx_message(ctx), want);
  CHECK(spec == NULL);
}

/* parameters of all files serve all sections; a file shared by two parts is read once */
static void files_include_each_other(void) {
  write_file("main.yaml", "tenon: 1\ninclude: [left.yaml, right.yaml]\nparams: {m: 2*base}\n"
                          "bodies: {c: {mass: m}}\n");
  write_file("left.yaml", "include: common.yaml\nbodies: {l: {mass: m}}\n");
  write_file("right.yaml", "tenon: 1\ninclude: common.yaml\nbodies: {r: {mass: 3*base}}\n");
  write_file("common.yaml", "params: {base: 1.5}\n");
  tn_spec *spec = NULL;
  CHECK_OK(ctx, tni_input_read_file(ctx, &language, path_of("main.yaml"), NULL, 0, &spec));
  CHECK_INT(spec->nitem, 3);
  CHECK_NEAR(tni_item_number(tni_spec_find(spec, "bodies", "l"), "mass", 0), 3, 0);
  CHECK_NEAR(tni_item_number(tni_spec_find(spec, "bodies", "r"), "mass", 0), 4.5, 0);
  CHECK_TEXT(spec->item[0]->at.file, path_of("left.yaml"));
  CHECK_TEXT(spec->item[2]->at.file, path_of("main.yaml"));
  tni_spec_destroy(&spec);
}

static void file_errors_name_the_file(void) {
  check_file("none.yaml", TN_ERR_IO, "cannot read '@/none.yaml': No such file or directory");
  check_file("", TN_ERR_IO, "cannot read '@/': Is a directory");
  write_file("a.yaml", "tenon: 1\ntitle: x\ninclude: [nothing.yaml]\n");
  check_file("a.yaml", TN_ERR_INPUT,
             "@/a.yaml:3: key 'include': cannot read '@/nothing.yaml': No such "
             "file or directory");
  write_file("a.yaml", "tenon: 1\ninclude: b.yaml\n");
  write_file("b.yaml", "include: a.yaml\n");
  check_file("a.yaml", TN_ERR_INPUT,
             "@/b.yaml:1: key 'include': '@/a.yaml' includes itself, directly "
             "or through others");
  write_file("a.yaml", "tenon: 1\ninclude: {b: 1}\n");
  check_file("a.yaml", TN_ERR_INPUT,
             "@/a.yaml:2: key 'include': must be a file name or a list of file names");
  write_file("a.yaml", "tenon: 1\ninclude: b.yaml\n\nbodies: {x: {mass: 1}}\n");
  write_file("b.yaml", "bodies:\n  x: {mass: 1}\n");
  check_file("a.yaml", TN_ERR_INPUT,
             "@/a.yaml:4: body 'x': is defined twice; first at @/b.yaml:2");
  write_file("a.yaml", "tenon: 1\ninclude: b.yaml\nparams: {x: 1}\n");
  write_file("b.yaml", "params:\n  x: 1\n");
  check_file("a.yaml", TN_ERR_INPUT,
             "@/a.yaml:3: parameter 'x' is defined twice; first at @/b.yaml:2");
  write_file("b.yaml", "gravity: [0, 0, 0]\n");
  write_file("a.yaml", "tenon: 1\ninclude: b.yaml\n");
  check_file("a.yaml", TN_ERR_INPUT,
             "@/b.yaml:1: key 'gravity' belongs into the main file, not an included one");
  write_file("b.yaml", "tenon: 3\n");
  check_file("a.yaml", TN_ERR_INPUT, "@/b.yaml:1: format version tenon = '3', must be 1");
  write_file("b.yaml", "");
  check_file("a.yaml", TN_ERR_INPUT,
             "@/b.yaml:1: the document is empty; a model starts with 'tenon: 1'");
}

/* a file without a final newline, one byte longer than a block of the disk */
static void large_files_are_read_whole(void) {
  static char text[300000];
  int n = snprintf(text, sizeof(text), "tenon: 1\nanalysis: {times: [0");
  while (n < 250000) n += snprintf(text + n, sizeof(text) - (size_t)n, ", 1");
  snprintf(text + n, sizeof(text) - (size_t)n, "]}");
  write_file("large.yaml", text);
  tn_spec *spec = NULL;
  CHECK_OK(ctx, tni_input_read_file(ctx, &language, path_of("large.yaml"), NULL, 0, &spec));
  CHECK_INT(tni_item_get(spec->item[0], "times")->n, 1 + (n - 29)/3);
  CHECK_TEXT(spec->source, text);
  tni_spec_destroy(&spec);
}

static void remove_files(void) {
  static const char *const names[] = {"main.yaml", "left.yaml", "right.yaml", "common.yaml",
                                      "a.yaml",    "b.yaml",    "large.yaml"};
  for (int i = 0; i < TNI_COUNT(names); i++) unlink(path_of(names[i]));
  rmdir(folder);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(example_arrives_as_written);
  RUN(json_is_accepted);
  RUN(numbers_have_many_forms);
  RUN(short_words_stay_words);
  RUN(every_kind_is_kept);
  RUN(repeat_makes_a_chain);
  RUN(indices_combine);
  RUN(braces_can_be_written);
  RUN(anchors_and_merge_keys_work);
  RUN(overrides_replace_parameters);
  RUN(locale_does_not_matter);
  if (!mkdtemp(folder)) return 1;
  RUN(files_include_each_other);
  RUN(file_errors_name_the_file);
  RUN(large_files_are_read_whole);
  remove_files();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
