/* model/check.c - is a value what its key may hold?
 *
 * One small function per kind. A refused value is reported at its own place as
 *   key 'axis': got 'w', must be x, y, z, -x, -y, -z or [x, y, z]
 *   mass = -1 kg, must be > 0
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "base/vec.h"
#include "model/spec.h"

typedef struct check {
  tn_ctx *ctx;
  const tni_item *item;
  const tni_key *key;
} check;

const char *tni_kind_text(tni_kind kind) {
  switch (kind) {
    case TNI_KIND_NUMBER: return "a number or an expression of parameters";
    case TNI_KIND_INTEGER: return "a whole number";
    case TNI_KIND_BOOL: return "true or false";
    case TNI_KIND_TEXT: return "text";
    case TNI_KIND_CHOICE: return "one of the listed words";
    case TNI_KIND_VEC3: return "[x, y, z] or [x, y]";
    case TNI_KIND_NUMBERS: return "a list of numbers";
    case TNI_KIND_INERTIA:
      return "Izz, [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or a 3x3 list";
    case TNI_KIND_MATRIX6: return "a list of 6 numbers or a 6x6 list";
    case TNI_KIND_DIRECTION: return "x, y, z, -x, -y, -z or [x, y, z]";
    case TNI_KIND_ROTATION:
      return "{quaternion}, {axis, angle}, {euler, sequence}, two of {x, y, z}, or an angle";
    case TNI_KIND_POINT: return "[x, y, z] or the name of a point";
    case TNI_KIND_POINTS: return "a list of points [x, y, z]";
    case TNI_KIND_POINTMAP: return "a map name: [x, y, z]";
    case TNI_KIND_FRAMEMAP: return "a map name: {at: [x, y, z], orientation: ...}";
    case TNI_KIND_BODY: return "the name of a body, or ground";
    case TNI_KIND_BODIES: return "[body, body]";
    case TNI_KIND_NAME: return "a name";
    case TNI_KIND_NAMES: return "a name or a list of names";
    case TNI_KIND_EXPR: return "a number or an expression";
    case TNI_KIND_EXPR3: return "a list of 3 expressions";
    case TNI_KIND_TABLE: return "a list [[x, y], [x, y], ...] with x increasing";
    case TNI_KIND_NUMBERMAP: return "a map name: number";
    case TNI_KIND_ANY: return "anything";
  }
  return "anything";
}

/* what was given, short: 'w', 3, a list of 4, a map */
static tni_shown given(const tni_value *v) {
  tni_shown s;
  if (v->form == TNI_LIST) {
    snprintf(s.s, sizeof(s.s), v->n ? "a list of %d" : "an empty list", v->n);
  } else if (v->form == TNI_MAP) {
    snprintf(s.s, sizeof(s.s), "a map");
  } else if (v->form == TNI_NUMBER && !v->text) {
    snprintf(s.s, sizeof(s.s), "%.10g", v->number);
  } else {
    s = tni_show(v->text);
  }
  return s;
}

static tn_status refuse(const check *c, const tni_value *v, const char *must) {
  return tni_place_fail(c->ctx, v->at, c->item, "key '%s': got %s, must be %s", c->key->name,
                        given(v).s, must);
}

static tn_status refuse_kind(const check *c, const tni_value *v) {
  return refuse(c, v, tni_kind_text(c->key->kind));
}

/* "mass = -1 kg": the number with unit, and the expression it came from */
static void print_number(char *out, size_t size, const check *c, const tni_value *v, int entry) {
  char where[32] = "", from[100] = "";
  if (entry > 0) snprintf(where, sizeof(where), " entry %d", entry);
  /* digits alone need no second mention */
  if (v->text && strspn(v->text, "+-.0123456789eE") != strlen(v->text))
    snprintf(from, sizeof(from), " (from %s)", tni_show(v->text).s);
  snprintf(out, size, "%s%s = %.10g%s%s%s", c->key->name, where, v->number,
           c->key->unit ? " " : "", c->key->unit ? c->key->unit : "", from);
}

static tn_status refuse_number(const check *c, const tni_value *v, int entry, const char *must) {
  char what[300];
  print_number(what, sizeof(what), c, v, entry);
  return tni_place_fail(c->ctx, v->at, c->item, "%s, must be %s", what, must);
}

/* a number, finite; entry > 0 names its position in a list */
static tn_status check_finite(const check *c, const tni_value *v, int entry) {
  if (v->form != TNI_NUMBER) return refuse(c, v, "a number");
  if (!isfinite(v->number)) return refuse_number(c, v, entry, "a finite number");
  return TN_OK;
}

/* tables write a large number where there is no limit */
static const double no_limit = 1e300;

tni_range tni_key_range(const tni_key *k) {
  tni_range r = {""};
  bool low = k->min < k->max && k->min > -no_limit, high = k->min < k->max && k->max < no_limit;
  int n = 0;
  if (low)
    n = snprintf(r.s, sizeof(r.s), "%s %.10g", k->flags & TNI_ABOVE_MIN ? ">" : ">=", k->min);
  if (high)
    snprintf(r.s + n, sizeof(r.s) - (size_t)n, "%s%s %.10g", low ? " and " : "",
             k->flags & TNI_BELOW_MAX ? "<" : "<=", k->max);
  return r;
}

static tn_status check_number(const check *c, const tni_value *v, int entry) {
  const tni_key *k = c->key;
  TN_TRY(check_finite(c, v, entry));
  if (!(k->min < k->max)) return TN_OK;
  bool above = k->flags & TNI_ABOVE_MIN ? v->number > k->min : v->number >= k->min;
  bool below = k->flags & TNI_BELOW_MAX ? v->number < k->max : v->number <= k->max;
  if ((above || k->min <= -no_limit) && (below || k->max >= no_limit)) return TN_OK;
  return refuse_number(c, v, entry, tni_key_range(k).s);
}

static tn_status check_integer(const check *c, const tni_value *v) {
  TN_TRY(check_finite(c, v, 0));
  if (v->number != floor(v->number)) return refuse_number(c, v, 0, "a whole number");
  if (fabs(v->number) > 2147483647.0)
    return refuse_number(c, v, 0, "between -2147483647 and 2147483647");
  return check_number(c, v, 0);
}

static tn_status check_text(const check *c, const tni_value *v) {
  if (v->form != TNI_TEXT || !v->text) return refuse_kind(c, v);
  if (!v->text[0] && c->key->kind != TNI_KIND_TEXT) return refuse_kind(c, v);
  return TN_OK;
}

static tn_status check_choice(const check *c, const tni_value *v) {
  enum { MANY = 64 };
  const char *word[MANY];
  char copy[1024], listed[1024];
  int n = 0;
  snprintf(copy, sizeof(copy), "%s", c->key->choices);
  for (char *s = copy; s && n < MANY; n++) {
    word[n] = s;
    s = strchr(s, '|');
    if (s) *s++ = 0;
  }
  for (int i = 0; i < n && v->text && v->form == TNI_TEXT; i++)
    if (strcmp(v->text, word[i]) == 0) return TN_OK;
  /* a short list is shown whole, with the nearest word if there is one */
  size_t used = 0;
  for (int i = 0; i < n && used + strlen(word[i]) + 3 < sizeof(listed); i++)
    used += (size_t)snprintf(listed + used, sizeof(listed) - used, "%s%s", i ? ", " : "", word[i]);
  int near = v->text ? tni_nearest(v->text, word, n) : -1;
  if (near >= 0)
    return tni_place_fail(c->ctx, v->at, c->item,
                          "key '%s': got %s, must be one of %s; did you mean '%s'?", c->key->name,
                          given(v).s, listed, word[near]);
  return tni_place_fail(c->ctx, v->at, c->item, "key '%s': got %s, must be one of %s",
                        c->key->name, given(v).s, listed);
}

/* a list of numbers, from low to high of them */
static tn_status check_list(const check *c, const tni_value *v, int low, int high,
                            const char *must) {
  if (v->form != TNI_LIST || v->n < low || v->n > high) return refuse(c, v, must);
  for (int i = 0; i < v->n; i++) TN_TRY(check_number(c, &v->item[i], i + 1));
  return TN_OK;
}

static tn_status check_vec3(const check *c, const tni_value *v) {
  bool point = c->key->kind == TNI_KIND_POINT;
  return check_list(c, v, 2, 3, tni_kind_text(point ? TNI_KIND_POINT : TNI_KIND_VEC3));
}

static tn_status check_numbers(const check *c, const tni_value *v) {
  char must[64];
  if (!c->key->count) return check_list(c, v, 0, 2147483647, tni_kind_text(TNI_KIND_NUMBERS));
  snprintf(must, sizeof(must), "a list of %d numbers", c->key->count);
  return check_list(c, v, c->key->count, c->key->count, must);
}

/* n x n numbers, symmetric unless told otherwise */
static tn_status check_square(const check *c, const tni_value *v, int n, bool symmetric) {
  if (v->n != n) return refuse_kind(c, v);
  for (int i = 0; i < n; i++) {
    if (v->item[i].form != TNI_LIST || v->item[i].n != n) return refuse_kind(c, v);
    for (int j = 0; j < n; j++) TN_TRY(check_finite(c, &v->item[i].item[j], n*i + j + 1));
  }
  for (int i = 0; i < n && symmetric; i++) {
    for (int j = 0; j < i; j++) {
      double a = v->item[i].item[j].number, b = v->item[j].item[i].number;
      if (fabs(a - b) > 1e-9*fmax(fabs(a), fabs(b)))
        return tni_place_fail(c->ctx, v->at, c->item,
                              "key '%s': entry (%d, %d) = %.10g and entry (%d, %d) = %.10g differ, "
                              "must be symmetric", c->key->name, i + 1, j + 1, a, j + 1, i + 1, b);
    }
  }
  return TN_OK;
}

/* the range of the key holds for the diagonal: off it either sign is right */
static tn_status check_inertia(const check *c, const tni_value *v) {
  if (v->form == TNI_NUMBER) return check_number(c, v, 0);
  if (v->form != TNI_LIST || !v->n) return refuse_kind(c, v);
  if (v->item[0].form == TNI_LIST) {
    TN_TRY(check_square(c, v, 3, true));
    for (int i = 0; i < 3; i++) TN_TRY(check_number(c, &v->item[i].item[i], 4*i + 1));
    return TN_OK;
  }
  if (v->n != 3 && v->n != 6) return refuse_kind(c, v);
  for (int i = 0; i < 3; i++) TN_TRY(check_number(c, &v->item[i], i + 1));
  for (int i = 3; i < v->n; i++) TN_TRY(check_finite(c, &v->item[i], i + 1));
  return TN_OK;
}

static tn_status check_matrix6(const check *c, const tni_value *v) {
  if (v->form == TNI_LIST && v->n && v->item[0].form == TNI_LIST)
    return check_square(c, v, 6, false);
  return check_list(c, v, 6, 6, tni_kind_text(TNI_KIND_MATRIX6));
}

static tn_status check_direction(const check *c, const tni_value *v) {
  const char *must = tni_kind_text(TNI_KIND_DIRECTION);
  if (v->form == TNI_LIST) {
    check bare = *c;
    tni_key key = *c->key;
    key.min = key.max = 0; /* no range: only the direction counts */
    bare.key = &key;
    TN_TRY(check_list(&bare, v, 2, 3, must));
    for (int i = 0; i < v->n; i++)
      if (v->item[i].number != 0) return TN_OK;
    return tni_place_fail(c->ctx, v->at, c->item, "key '%s': the direction is zero, must not be",
                          c->key->name);
  }
  if (v->form != TNI_TEXT || !v->text) return refuse(c, v, must);
  const char *s = v->text;
  if (*s == '-' || *s == '+') s++;
  return *s >= 'x' && *s <= 'z' && !s[1] ? TN_OK : refuse(c, v, must);
}

/* a value inside a map: the same check under the name "orientation.axis" */
static tn_status check_part(const check *c, const char *name, tni_kind kind, int count,
                            const tni_value *v) {
  char full[120];
  snprintf(full, sizeof(full), "%.60s.%.50s", c->key->name, name);
  tni_key key = {.name = full, .kind = kind, .count = count};
  return tni_value_check(c->ctx, c->item, &key, v);
}

static tn_status check_sequence(const check *c, const tni_value *v) {
  const char *s = v->text;
  if (v->form == TNI_TEXT && s && strlen(s) == 3) {
    bool lower = strspn(s, "xyz") == 3, upper = strspn(s, "XYZ") == 3;
    if ((lower || upper) && s[0] != s[1] && s[1] != s[2]) return TN_OK;
  }
  return tni_place_fail(c->ctx, v->at, c->item,
                        "key '%s.sequence': got %s, must be three of the letters xyz (turned axes) "
                        "or XYZ (fixed axes), neighbours different", c->key->name, given(v).s);
}

/* bits: which of these keys are there */
static const char *const rotation_key[] = {"quaternion", "axis", "angle", "euler", "sequence",
                                           "x",          "y",    "z"};
enum { QUATERNION = 1, AXIS = 2, ANGLE = 4, EULER = 8, SEQUENCE = 16, X = 32, Y = 64, Z = 128 };

static tn_status check_parallel(const check *c, const tni_value *map, unsigned set) {
  double d[3], n[3], first[3] = {0, 0, 0};
  for (int k = 0, seen = 0; k < map->n; k++, seen++) {
    tni_value_direction(&map->item[k], d);
    if (!seen) vec3_copy(first, d);
  }
  vec3_cross(n, first, d);
  /* sine of the angle: below this the frame would be made of rounding errors */
  if (vec3_norm(n) > 1e-6) return TN_OK;
  return tni_place_fail(c->ctx, map->at, c->item,
                        "key '%s': directions %s and %s are parallel, must differ", c->key->name,
                        set & X ? "x" : "y", set & Z ? "z" : "y");
}

static tn_status check_rotation(const check *c, const tni_value *v) {
  if (v->form == TNI_NUMBER) return check_finite(c, v, 0);
  if (v->form == TNI_LIST && v->n > 0) {
    /* a list of numbers would be a quaternion to some, angles to others */
    for (int i = 0; i < v->n; i++) {
      if (v->item[i].form != TNI_MAP) return refuse(c, v, tni_kind_text(TNI_KIND_ROTATION));
      TN_TRY(check_rotation(c, &v->item[i]));
    }
    return TN_OK;
  }
  if (v->form != TNI_MAP) return refuse(c, v, tni_kind_text(TNI_KIND_ROTATION));
  unsigned set = 0;
  for (int k = 0; k < v->n; k++) {
    const tni_value *part = &v->item[k];
    int i = 0;
    while (i < TNI_COUNT(rotation_key) && strcmp(v->key[k], rotation_key[i]) != 0) i++;
    if (i == TNI_COUNT(rotation_key))
      return tni_place_fail(c->ctx, part->at, c->item, "key '%s': unknown key %s%s", c->key->name,
                            tni_show(v->key[k]).s, tni_hint_for(v->key[k], rotation_key, i).s);
    unsigned bit = 1u << i;
    set |= bit;
    if (bit == SEQUENCE) {
      TN_TRY(check_sequence(c, part));
    } else {
      tni_kind kind = bit & (QUATERNION | EULER) ? TNI_KIND_NUMBERS
                      : bit == ANGLE             ? TNI_KIND_NUMBER
                                                 : TNI_KIND_DIRECTION;
      TN_TRY(check_part(c, rotation_key[i], kind, bit == QUATERNION ? 4 : bit == EULER ? 3 : 0,
                        part));
    }
    if (bit == QUATERNION) {
      double s = 0;
      for (int j = 0; j < 4; j++) s = fmax(s, fabs(part->item[j].number));
      if (!(s > 0))
        return tni_place_fail(c->ctx, part->at, c->item,
                              "key '%s': the quaternion is zero, must not be", c->key->name);
    }
  }
  switch (set) {
    case QUATERNION:
    case AXIS | ANGLE:
    case EULER:
    case EULER | SEQUENCE: return TN_OK;
    case X | Y:
    case X | Z:
    case Y | Z: return check_parallel(c, v, set);
    default: return refuse(c, v, tni_kind_text(TNI_KIND_ROTATION));
  }
}

static tn_status check_points(const check *c, const tni_value *v) {
  if (v->form != TNI_LIST) return refuse_kind(c, v);
  for (int i = 0; i < v->n; i++) TN_TRY(check_vec3(c, &v->item[i]));
  return TN_OK;
}

static tn_status check_frames(const check *c, const tni_value *v) {
  static const char *const known[] = {"at", "orientation"};
  if (v->form != TNI_MAP) return refuse_kind(c, v);
  for (int i = 0; i < v->n; i++) {
    const tni_value *frame = &v->item[i];
    if (frame->form != TNI_MAP) return refuse_kind(c, frame);
    for (int k = 0; k < frame->n; k++) {
      const tni_value *part = &frame->item[k];
      if (strcmp(frame->key[k], "at") == 0)
        TN_TRY(check_part(c, "at", TNI_KIND_VEC3, 0, part));
      else if (strcmp(frame->key[k], "orientation") == 0)
        TN_TRY(check_part(c, "orientation", TNI_KIND_ROTATION, 0, part));
      else
        return tni_place_fail(c->ctx, part->at, c->item, "key '%s', frame %s: unknown key %s%s",
                              c->key->name, tni_show(v->key[i]).s, tni_show(frame->key[k]).s,
                              tni_hint_for(frame->key[k], known, 2).s);
    }
  }
  return TN_OK;
}

static tn_status check_map(const check *c, const tni_value *v,
                           tn_status (*each)(const check *, const tni_value *)) {
  if (v->form != TNI_MAP) return refuse_kind(c, v);
  for (int i = 0; i < v->n; i++) TN_TRY(each(c, &v->item[i]));
  return TN_OK;
}

static tn_status check_one_number(const check *c, const tni_value *v) {
  return check_number(c, v, 0);
}

/* count names, or any number of them when count is 0 */
static tn_status check_names(const check *c, const tni_value *v, int count) {
  char must[64];
  snprintf(must, sizeof(must), "a list of %d names", count);
  if (v->form != TNI_LIST || (count && v->n != count))
    return refuse(c, v, c->key->count ? must : tni_kind_text(c->key->kind));
  for (int i = 0; i < v->n; i++) TN_TRY(check_text(c, &v->item[i]));
  return TN_OK;
}

static tn_status check_expr(const check *c, const tni_value *v) {
  if (v->form == TNI_NUMBER) return check_number(c, v, 0);
  return v->form == TNI_TEXT && v->text && v->text[0] ? TN_OK : refuse_kind(c, v);
}

static tn_status check_expr3(const check *c, const tni_value *v) {
  if (v->form != TNI_LIST || v->n != 3) return refuse_kind(c, v);
  for (int i = 0; i < 3; i++) TN_TRY(check_expr(c, &v->item[i]));
  return TN_OK;
}

static tn_status check_table(const check *c, const tni_value *v) {
  if (v->form != TNI_LIST || v->n < 2) return refuse_kind(c, v);
  for (int i = 0; i < v->n; i++) {
    const tni_value *row = &v->item[i];
    if (row->form != TNI_LIST || row->n != 2) return refuse(c, row, "a pair [x, y]");
    TN_TRY(check_finite(c, &row->item[0], 0));
    TN_TRY(check_finite(c, &row->item[1], 0));
    double x = row->item[0].number;
    if (i && !(x > v->item[i-1].item[0].number))
      return tni_place_fail(c->ctx, row->at, c->item,
                            "key '%s': x = %.10g in row %d after %.10g, must increase",
                            c->key->name, x, i + 1, v->item[i-1].item[0].number);
  }
  return TN_OK;
}

tn_status tni_value_check(tn_ctx *ctx, const tni_item *item, const tni_key *key,
                          const tni_value *v) {
  const check c = {ctx, item, key};
  switch (key->kind) {
    case TNI_KIND_NUMBER: return check_number(&c, v, 0);
    case TNI_KIND_INTEGER: return check_integer(&c, v);
    case TNI_KIND_BOOL:
      return v->form == TNI_NUMBER && (v->number == 0 || v->number == 1) ? TN_OK
                                                                         : refuse_kind(&c, v);
    case TNI_KIND_TEXT:
    case TNI_KIND_BODY:
    case TNI_KIND_NAME: return check_text(&c, v);
    case TNI_KIND_CHOICE: return check_choice(&c, v);
    case TNI_KIND_VEC3: return check_vec3(&c, v);
    case TNI_KIND_NUMBERS: return check_numbers(&c, v);
    case TNI_KIND_INERTIA: return check_inertia(&c, v);
    case TNI_KIND_MATRIX6: return check_matrix6(&c, v);
    case TNI_KIND_DIRECTION: return check_direction(&c, v);
    case TNI_KIND_ROTATION: return check_rotation(&c, v);
    case TNI_KIND_POINT: return v->form == TNI_TEXT ? check_text(&c, v) : check_vec3(&c, v);
    case TNI_KIND_POINTS: return check_points(&c, v);
    case TNI_KIND_POINTMAP: return check_map(&c, v, check_vec3);
    case TNI_KIND_FRAMEMAP: return check_frames(&c, v);
    case TNI_KIND_BODIES: return check_names(&c, v, key->count ? key->count : 2);
    case TNI_KIND_NAMES:
      return v->form == TNI_TEXT && !key->count ? check_text(&c, v)
                                                : check_names(&c, v, key->count);
    case TNI_KIND_EXPR: return check_expr(&c, v);
    case TNI_KIND_EXPR3: return check_expr3(&c, v);
    case TNI_KIND_TABLE: return check_table(&c, v);
    case TNI_KIND_NUMBERMAP: return check_map(&c, v, check_one_number);
    case TNI_KIND_ANY: return TN_OK;
  }
  return TN_OK;
}
