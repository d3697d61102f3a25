/* input/reference.c - input reference (Markdown) from the tables of the reader
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "input/reader.h"
#include "model/measures.h"

/* text in a cell of a table */
static void add_cell(tni_text *out, const char *text) {
  for (const char *s = text; *s; s++) tni_text_add(out, *s == '|' ? "\\|" : "%c", *s);
}

static const char *short_kind(const tni_key *key) {
  switch (key->kind) {
    case TNI_KIND_NUMBER: return "number";
    case TNI_KIND_INTEGER: return "whole number";
    case TNI_KIND_BOOL: return "`true` or `false`";
    case TNI_KIND_TEXT: return "text";
    case TNI_KIND_CHOICE: return "";
    case TNI_KIND_VEC3: return "`[x, y, z]`";
    case TNI_KIND_NUMBERS: return "list of numbers";
    case TNI_KIND_INERTIA: return "[inertia](#values)";
    case TNI_KIND_MATRIX6: return "6 numbers or 6x6 list";
    case TNI_KIND_DIRECTION: return "[direction](#values)";
    case TNI_KIND_ROTATION: return "[orientation](#orientations)";
    case TNI_KIND_POINT: return "[point](#values)";
    case TNI_KIND_POINTS: return "list of `[x, y, z]`";
    case TNI_KIND_POINTMAP: return "map of `name: [x, y, z]`";
    case TNI_KIND_FRAMEMAP: return "map of `name: {at, orientation}`";
    case TNI_KIND_BODY: return "body, or `ground`";
    case TNI_KIND_BODIES: return "`[body, body]`";
    case TNI_KIND_NAME: return "name";
    case TNI_KIND_NAMES: return "name or list of names";
    case TNI_KIND_EXPR: return "[expression](#expressions)";
    case TNI_KIND_EXPR3: return "3 [expressions](#expressions)";
    case TNI_KIND_TABLE: return "`[[x, y], ...]`, x increasing";
    case TNI_KIND_NUMBERMAP: return "map of `name: number`";
    case TNI_KIND_ANY: return "see meaning";
  }
  return "";
}

static void add_choices(tni_text *out, const char *choices) {
  for (const char *s = choices; s;) {
    const char *end = strchr(s, '|');
    tni_text_add(out, "%s`%.*s`", s == choices ? "" : ", ", end ? (int)(end - s) : (int)strlen(s),
                 s);
    s = end ? end + 1 : NULL;
  }
}

/* keys of the document that the language part explains, or NULL */
static const char *language_value(const tni_key *key) {
  static const char *const known[][2] = {{"tenon", "`1`"},
                                         {"params", "[map of numbers](#parameters)"},
                                         {"include", "[file or list of files](#including-files)"},
                                         {"repeat", "[list](#repeating-structure)"}};
  for (int i = 0; i < TNI_COUNT(known); i++)
    if (strcmp(key->name, known[i][0]) == 0) return known[i][1];
  return NULL;
}

static void add_value(tni_text *out, const tni_key *key) {
  if (key->kind == TNI_KIND_CHOICE) {
    add_choices(out, key->choices);
  } else if (key->count && key->kind == TNI_KIND_NUMBERS) {
    tni_text_add(out, "list of %d numbers", key->count);
  } else if (key->count && (key->kind == TNI_KIND_NAMES || key->kind == TNI_KIND_BODIES)) {
    tni_text_add(out, "list of %d names", key->count);
  } else {
    add_cell(out, short_kind(key));
  }
  if (tni_key_range(key).s[0]) tni_text_add(out, ", %s", tni_key_range(key).s);
}

static void add_rows(tni_text *out, const tni_key *keys, int n, bool top) {
  for (int i = 0; i < n; i++) {
    const char *special = top ? language_value(&keys[i]) : NULL;
    if (keys[i].flags & TNI_REFUSED) continue; /* add_refused has named it */
    tni_text_add(out, "| `%s` | ", keys[i].name);
    if (special)
      tni_text_add(out, "%s", special);
    else
      add_value(out, &keys[i]);
    tni_text_add(out, " | ");
    add_cell(out, keys[i].unit ? keys[i].unit : "");
    tni_text_add(out, " | ");
    add_cell(out, keys[i].flags & TNI_REQUIRED ? "**required**"
                  : keys[i].initial            ? keys[i].initial
                                               : "");
    tni_text_add(out, " | ");
    add_cell(out, keys[i].doc ? keys[i].doc : "");
    tni_text_add(out, " |\n");
  }
}

static void begin_table(tni_text *out) {
  tni_text_add(out, "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
}

static const char introduction[] =
    "# Input reference\n"
    "\n"
    "A model is one YAML file; JSON is accepted as well. This page is made from the tables\n"
    "that the reader itself uses. Unknown keys, values out of range and unknown names are\n"
    "errors with file, line and a hint. SI units; angles in radians (`30*deg` for degrees).\n"
    "\n"
    "```yaml\n"
    "tenon: 1                      # version of the input language, required\n"
    "params: {n: 10, L: 0.1}       # named numbers\n"
    "include: [wheels.yaml]        # more files, relative to this one\n"
    "```\n";

static const char language_part[] =
    "\n"
    "## Values\n"
    "\n"
    "| value | written as |\n"
    "|---|---|\n"
    "| number | `0.25`, `1e-3`, or a constant expression of parameters: `2*pi*f`; finite |\n"
    "| `[x, y, z]` | three numbers; `[x, y]` means z = 0 |\n"
    "| direction | `x`, `y`, `z`, `-x`, `-y`, `-z`, or `[x, y, z]` of any length but zero |\n"
    "| point | `[x, y, z]`, or the name of a point: `tip`, `rod.tip` |\n"
    "| inertia | `[Ixx, Iyy, Izz]`, `[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]`, three rows of three, or "
    "`Izz` alone in planar models; entries of the tensor, so that Ixy is minus the integral of "
    "xy |\n"
    "| name | of an item; a name may not contain any of `. / \\ ( ) [ ] { } , \" '` |\n"
    "\n"
    "### Orientations\n"
    "\n"
    "The orientation of a frame takes components in the frame to those in the one around\n"
    "it.\n"
    "\n"
    "| form | meaning |\n"
    "|---|---|\n"
    "| `{quaternion: [e0, e1, e2, e3]}` | Euler parameters, scalar first; made a unit quaternion "
    "|\n"
    "| `{axis: [0, 0, 1], angle: 30*deg}` | turned about an axis |\n"
    "| `{euler: [a, b, c], sequence: zxz}` | three turns; small letters: each about the axis as "
    "turned so far, capital letters: about the fixed axes; default `xyz` |\n"
    "| `{x: [1, 1, 0], z: z}` | two of the axes x, y, z of the frame; the first in the alphabet "
    "is kept, the other made perpendicular to it |\n"
    "| `0.3` | an angle about z, for planar models |\n"
    "| `[{axis: z, angle: 0.3}, {euler: [a, b, c]}]` | composed: one after the other, each in the axes "
    "turned so far |\n"
    "\n"
    "### Expressions\n"
    "\n"
    "Expressions know numbers, parameters, the time `t`, `pi`, `tau`, `deg`, the operators\n"
    "`+ - * / ^`, comparisons, `and`, `or`, `not`, `if(condition, a, b)` and the functions\n"
    "`sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt cbrt abs sign\n"
    "floor ceil mod hypot min max clamp pos heaviside step smoothstep5 poly table spline`.\n"
    "Where motion is known (forces, sensors) they may use the quantities below. Derivatives\n"
    "are exact.\n"
    "\n"
    "### Measured quantities\n"
    "\n"
    "A point is written `body.point`, or `body` for the origin of its frame.\n"
    "\n"
    "| quantity | meaning |\n"
    "|---|---|\n";

static const char structure_part[] =
    "\n"
    "### Parameters\n"
    "\n"
    "`params:` maps names to numbers or constant expressions of the parameters above.\n"
    "Included files come first; all sections may use all parameters. The command line\n"
    "replaces them: `--set speed=3`.\n"
    "\n"
    "### Including files\n"
    "\n"
    "`include:` names a file or a list of files. Their parameters and sections are added;\n"
    "the same name twice is an error. A file that several files include is read once.\n"
    "\n"
    "### Repeating structure\n"
    "\n"
    "```yaml\n"
    "repeat:\n"
    "  - for: {i: [1, n - 1]}           # first, last; [first, last, step]; {in: [left, right]}\n"
    "    bodies:\n"
    "      \"link{i}\": {mass: 0.1, at: [L*(i + 0.5), 0, 0]}\n"
    "    joints:\n"
    "      \"hinge{i}\": {type: revolute, bodies: [\"link{i-1}\", \"link{i}\"], at: [L*i, 0, 0], "
    "axis: y}\n"
    "```\n"
    "\n"
    "The sections are read once for every combination of the indices. `{...}` in a name or\n"
    "text is replaced by the value of the expression inside; numbers use an index like a\n"
    "parameter. `{{` and `}}` stand for braces. A `repeat:` may stand inside another.\n";

/* the common keys that a type does not take; returns how many */
static int add_refused(tni_text *out, const tni_type *type) {
  int n = 0;
  for (int i = 0; i < type->nkey; i++)
    if (type->keys[i].flags & TNI_REFUSED)
      tni_text_add(out, "%s `%s`", n++ ? "," : "Does not take", type->keys[i].name);
  if (n) tni_text_add(out, ".\n");
  return n;
}

static void add_section(tni_text *out, const tni_section *s) {
  tni_text_add(out, "\n## %s\n\n%s ", s->name, s->summary);
  if (s->single)
    tni_text_add(out, "One map of keys.\n");
  else if (s->list)
    tni_text_add(out,
                 "A map of named items, or a list; in a list the key `name` gives the name, else "
                 "they are called `%s1`, `%s2` ...\n",
                 s->item, s->item);
  else
    tni_text_add(out, "A map of named items.\n");
  if (s->nkey) {
    tni_text_add(out, s->types ? "\nKeys of every %s, beside `type`:\n\n" : "\n", s->item);
    begin_table(out);
    add_rows(out, s->keys, s->nkey, false);
  }
  for (int i = 0; i < s->ntype; i++) {
    const tni_type *type = s->types[i];
    tni_text_add(out, "\n### %s: %s\n\n%s\n", s->item, type->name, type->summary);
    int refused = add_refused(out, type);
    if (type->nkey == refused) continue;
    tni_text_add(out, "\n");
    begin_table(out);
    add_rows(out, type->keys, type->nkey, false);
  }
}

tn_status tni_input_reference(tn_ctx *ctx, const tni_schema *schema, tni_text *out) {
  tni_point_locale locale = tni_point_begin();
  tni_text_add(out, "%s\n## The document\n\n", introduction);
  begin_table(out);
  add_rows(out, schema->top, schema->ntop, true);
  tni_text_add(out, "| one of the sections below |  |  |  |");
  for (int i = 0; i < schema->nsection; i++)
    tni_text_add(out, "%s [`%s`](#%s)", i ? "," : "", schema->section[i].name,
                 schema->section[i].name);
  tni_text_add(out, " |\n%s", language_part);
  const char *usage, *doc;
  for (int i = 0; tni_measure_describe(i, &usage, &doc); i++)
    tni_text_add(out, "| `%s` | %s |\n", usage, doc);
  tni_text_add(out, "%s", structure_part);
  for (int i = 0; i < schema->nsection; i++) add_section(out, &schema->section[i]);
  tni_point_end(locale);
  return out->failed ? tni_out_of_memory(ctx) : TN_OK;
}
