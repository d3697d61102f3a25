/* model/spec.c - items and attributes: store, find, read back, report
 *
 * Items are kept in file order and found through one hash table over (section, name), so that a
 * chain of 10^5 links is read in linear time. Attributes of an item are few and searched in order.
 * What a value may be is checked in check.c before it is stored; access here trusts that.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/spec.h"

#include <stdio.h>

#include "base/vec.h"

tn_status tni_spec_create(tn_ctx *ctx, const tni_schema *schema, tn_spec **out) {
  *out = NULL;
  tn_spec *spec = tni_alloc(ctx, 1, sizeof(*spec));
  if (!spec) return tni_out_of_memory(ctx);
  spec->ctx = ctx;
  tni_arena_init(&spec->arena, ctx);
  spec->schema = schema;
  spec->source = "";
  spec->document = (tni_section){.name = "", .item = "", .single = true, .keys = schema->top,
                                 .nkey = schema->ntop};
  spec->top.name = "";
  spec->top.section = &spec->document;
  spec->top.at.file = "";
  *out = spec;
  return TN_OK;
}

void tni_spec_destroy(tn_spec **spec) {
  if (!spec || !*spec) return;
  tn_ctx *ctx = (*spec)->ctx;
  tni_arena_clear(&(*spec)->arena);
  tni_free(ctx, *spec);
  *spec = NULL;
}

/* FNV-1a over both names and the 0 between them */
static uint32_t hash_names(const char *section, const char *name) {
  uint32_t h = 2166136261u;
  for (const char *c = section; *c; c++) h = (h ^ (unsigned char)*c)*16777619u;
  h *= 16777619u;
  for (const char *c = name; *c; c++) h = (h ^ (unsigned char)*c)*16777619u;
  return h;
}

/* the slot of this name, or the empty one where it belongs; the table is never full */
static int find_slot(const tn_spec *spec, const char *section, const char *name) {
  uint32_t mask = (uint32_t)spec->nslot - 1;
  uint32_t k = hash_names(section, name) & mask;
  for (; spec->slot[k]; k = (k + 1) & mask) {
    const tni_item *item = spec->item[spec->slot[k]-1];
    if (strcmp(item->name, name) == 0 && strcmp(item->section->name, section) == 0) break;
  }
  return (int)k;
}

const tni_item *tni_spec_single(const tn_spec *spec, const char *section) {
  for (int i = 0; i < spec->nitem; i++)
    if (strcmp(spec->item[i]->section->name, section) == 0) return spec->item[i];
  return NULL;
}

tni_item *tni_spec_find(const tn_spec *spec, const char *section, const char *name) {
  if (!spec->nslot) return NULL;
  int i = spec->slot[find_slot(spec, section, name)];
  return i ? spec->item[i-1] : NULL;
}

/* room for one more item at a load of at most one half */
static tn_status grow_table(tn_spec *spec) {
  if (2*(spec->nitem + 1) <= spec->nslot) return TN_OK;
  int *slot, n = spec->nslot ? 2*spec->nslot : 64;
  TNI_ARENA_NEW(&spec->arena, slot, n);
  spec->slot = slot;
  spec->nslot = n;
  for (int i = 0; i < spec->nitem; i++) {
    slot[find_slot(spec, spec->item[i]->section->name, spec->item[i]->name)] = i + 1;
  }
  return TN_OK;
}

tn_status tni_name_check(tn_ctx *ctx, tni_place at, const tni_section *section, const char *name) {
  const char *bad = strpbrk(name, "./\\()[]{},\"'");
  if (!bad && name[0] && name[0] != ' ' && name[strlen(name)-1] != ' ' &&
      strlen(name) <= TNI_MAX_NAME && !strpbrk(name, "\n\r\t"))
    return TN_OK;
  if (!name[0]) return tni_place_fail(ctx, at, NULL, "a %s has an empty name", section->item);
  if (bad)
    return tni_place_fail(ctx, at, NULL, "%s %s: a name may not contain '%c'", section->item,
                          tni_show(name).s, *bad);
  return tni_place_fail(ctx, at, NULL,
                        "%s %s: a name must be one line of at most %d bytes, without spaces around",
                        section->item, tni_show(name).s, TNI_MAX_NAME);
}

tn_status tni_spec_add(tn_spec *spec, const tni_section *section, const char *name,
                       const tni_type *type, tni_place at, tni_item **out) {
  *out = NULL;
  const tni_item *old = tni_spec_find(spec, section->name, name);
  if (old) {
    tni_item here = {.name = name, .section = section};
    if (!old->at.line) return tni_place_fail(spec->ctx, at, &here, "is defined twice");
    return tni_place_fail(spec->ctx, at, &here, "is defined twice; first at %s:%d", old->at.file,
                          old->at.line);
  }
  tni_item *item;
  TN_TRY(grow_table(spec));
  if (!tni_arena_grow(&spec->arena, (void **)&spec->item, spec->nitem, &spec->item_cap,
                      sizeof(*spec->item)))
    return tni_out_of_memory(spec->ctx);
  TNI_ARENA_NEW(&spec->arena, item, 1);
  item->name = tni_arena_strdup(&spec->arena, name);
  if (!item->name) return tni_out_of_memory(spec->ctx);
  item->type = type;
  item->section = section;
  item->at = at;
  if (!item->at.file) item->at.file = "";
  spec->slot[find_slot(spec, section->name, name)] = spec->nitem + 1;
  spec->item[spec->nitem++] = item;
  *out = item;
  return TN_OK;
}

const tni_param *tni_spec_param(const tn_spec *spec, const char *name) {
  for (int i = 0; i < spec->nparam; i++)
    if (strcmp(spec->param[i].name, name) == 0) return &spec->param[i];
  return NULL;
}

tn_status tni_spec_add_param(tn_spec *spec, const char *name, double value, tni_place at) {
  const tni_param *old = tni_spec_param(spec, name);
  if (old) {
    if (!old->at.line)
      return tni_place_fail(spec->ctx, at, NULL, "parameter '%s' is defined twice", name);
    return tni_place_fail(spec->ctx, at, NULL, "parameter '%s' is defined twice; first at %s:%d",
                          name, old->at.file, old->at.line);
  }
  const char *copy = tni_arena_strdup(&spec->arena, name);
  if (!copy || !tni_arena_grow(&spec->arena, (void **)&spec->param, spec->nparam,
                               &spec->param_cap, sizeof(*spec->param)))
    return tni_out_of_memory(spec->ctx);
  spec->param[spec->nparam++] = (tni_param){copy, value, at};
  return TN_OK;
}

const tni_key *tni_item_key(const tni_item *item, const char *name) {
  if (item->type)
    for (int i = 0; i < item->type->nkey; i++) {
      const tni_key *key = &item->type->keys[i];
      if (strcmp(key->name, name) == 0) return key->flags & TNI_REFUSED ? NULL : key;
    }
  for (int i = 0; i < item->section->nkey; i++)
    if (strcmp(item->section->keys[i].name, name) == 0) return &item->section->keys[i];
  return NULL;
}

tn_status tni_item_set(tn_spec *spec, tni_item *item, const tni_key *key, const tni_value *value) {
  TN_TRY(tni_value_check(spec->ctx, item, key, value));
  int i = 0;
  while (i < item->nattr && item->attr[i].key != key) i++;
  if (i == item->nattr) {
    if (!tni_arena_grow(&spec->arena, (void **)&item->attr, item->nattr, &item->cap,
                        sizeof(*item->attr)))
      return tni_out_of_memory(spec->ctx);
    item->nattr++;
  }
  item->attr[i].key = key;
  item->attr[i].value = *value;
  return TN_OK;
}

static tn_status require_keys(tn_ctx *ctx, const tni_item *item, const tni_key *keys, int n) {
  for (int i = 0; i < n; i++) {
    if (!(keys[i].flags & TNI_REQUIRED) || tni_item_has(item, keys[i].name)) continue;
    /* a key of the type hides a common one of the same name */
    if (tni_item_key(item, keys[i].name) != &keys[i]) continue;
    if (keys[i].kind == TNI_KIND_CHOICE)
      return tni_item_fail(ctx, item, NULL, "key '%s' is missing; must be %s", keys[i].name,
                           keys[i].choices);
    return tni_item_fail(ctx, item, NULL, "key '%s' is missing; must be %s", keys[i].name,
                         tni_kind_text(keys[i].kind));
  }
  return TN_OK;
}

tn_status tni_item_complete(tn_ctx *ctx, const tni_item *item) {
  if (item->type) TN_TRY(require_keys(ctx, item, item->type->keys, item->type->nkey));
  return require_keys(ctx, item, item->section->keys, item->section->nkey);
}

const tni_value *tni_item_get(const tni_item *item, const char *key) {
  for (int i = 0; i < item->nattr; i++)
    if (strcmp(item->attr[i].key->name, key) == 0) return &item->attr[i].value;
  return NULL;
}

bool tni_item_has(const tni_item *item, const char *key) { return tni_item_get(item, key) != NULL; }

double tni_item_number(const tni_item *item, const char *key, double fallback) {
  const tni_value *v = tni_item_get(item, key);
  return v && v->form == TNI_NUMBER ? v->number : fallback;
}

int tni_item_integer(const tni_item *item, const char *key, int fallback) {
  const tni_value *v = tni_item_get(item, key);
  return v && v->form == TNI_NUMBER ? (int)v->number : fallback;
}

bool tni_item_bool(const tni_item *item, const char *key, bool fallback) {
  const tni_value *v = tni_item_get(item, key);
  return v && v->form == TNI_NUMBER ? v->number != 0 : fallback;
}

const char *tni_item_text(const tni_item *item, const char *key, const char *fallback) {
  const tni_value *v = tni_item_get(item, key);
  return v && v->text ? v->text : fallback;
}

bool tni_item_vec3(const tni_item *item, const char *key, double out[3]) {
  const tni_value *v = tni_item_get(item, key);
  if (!v || v->form != TNI_LIST) return false;
  tni_value_vec3(v, out);
  return true;
}

bool tni_item_direction(const tni_item *item, const char *key, double out[3]) {
  const tni_value *v = tni_item_get(item, key);
  if (v) tni_value_direction(v, out);
  return v != NULL;
}

bool tni_item_rotation(const tni_item *item, const char *key, double R[9]) {
  const tni_value *v = tni_item_get(item, key);
  if (v) tni_value_rotation(v, R);
  return v != NULL;
}

bool tni_item_inertia(const tni_item *item, const char *key, double I[9]) {
  const tni_value *v = tni_item_get(item, key);
  if (!v) return false;
  memset(I, 0, 9*sizeof(double));
  if (v->form == TNI_NUMBER) {
    I[8] = v->number;
  } else if (v->item[0].form == TNI_LIST) {
    for (int i = 0; i < 9; i++) I[i] = v->item[i/3].item[i%3].number;
  } else {
    for (int i = 0; i < 3; i++) I[4*i] = v->item[i].number;
    if (v->n == 6) {
      I[1] = I[3] = v->item[3].number;
      I[2] = I[6] = v->item[4].number;
      I[5] = I[7] = v->item[5].number;
    }
  }
  return true;
}

void tni_value_vec3(const tni_value *v, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = i < v->n ? v->item[i].number : 0;
}

void tni_value_direction(const tni_value *v, double out[3]) {
  if (v->form == TNI_LIST) {
    tni_value_vec3(v, out);
    /* scaled first: components of 1e-200 are a direction too */
    double s = fmax(fabs(out[0]), fmax(fabs(out[1]), fabs(out[2])));
    if (s > 0) vec3_set(out, out[0]/s, out[1]/s, out[2]/s);
    vec3_normalize(out, out);
    return;
  }
  const char *s = v->text;
  double sign = *s == '-' ? -1 : 1;
  if (*s == '-' || *s == '+') s++;
  vec3_set(out, 0, 0, 0);
  out[*s - 'x'] = sign;
}

static const tni_value *entry(const tni_value *map, const char *key) {
  for (int i = 0; i < map->n; i++)
    if (strcmp(map->key[i], key) == 0) return &map->item[i];
  return NULL;
}

static void axis_matrix(int axis, double angle, double R[9]) {
  int i = (axis + 1)%3, j = (axis + 2)%3;
  double c = cos(angle), s = sin(angle);
  mat3_identity(R);
  R[4*i] = R[4*j] = c;
  R[3*i+j] = -s;
  R[3*j+i] = s;
}

void tni_euler_matrix(const char *sequence, const double angle[3], double R[9]) {
  bool fixed = sequence[0] < 'a';
  double A[3][9], AB[9];
  for (int k = 0; k < 3; k++)
    axis_matrix(sequence[k] - (fixed ? 'X' : 'x'), angle[k], A[fixed ? 2 - k : k]);
  mat3_mul(AB, A[0], A[1]);
  mat3_mul(R, AB, A[2]);
}

/* columns of R from two of its directions: the first in alphabetical order is kept, the second
 * loses its part along the first, the third makes a right-handed frame */
static void two_directions(const tni_value *const dir[3], double R[9]) {
  int a = dir[0] ? 0 : 1, b = dir[2] ? 2 : 1, c = 3 - a - b;
  double e[3][3];
  tni_value_direction(dir[a], e[a]);
  tni_value_direction(dir[b], e[b]);
  vec3_addmul(e[b], -vec3_dot(e[a], e[b]), e[a]);
  vec3_normalize(e[b], e[b]);
  vec3_cross(e[c], e[(c+1)%3], e[(c+2)%3]);
  mat3_columns(R, e[0], e[1], e[2]);
}

void tni_value_rotation(const tni_value *v, double R[9]) {
  if (v->form == TNI_NUMBER) {
    axis_matrix(2, v->number, R);
    return;
  }
  if (v->form == TNI_LIST) { /* one after the other, each in the axes turned so far */
    double next[9], product[9];
    mat3_identity(R);
    for (int i = 0; i < v->n; i++) {
      tni_value_rotation(&v->item[i], next);
      mat3_mul(product, R, next);
      memcpy(R, product, sizeof(product));
    }
    return;
  }
  const tni_value *quaternion = entry(v, "quaternion"), *euler = entry(v, "euler");
  const tni_value *axis = entry(v, "axis");
  if (quaternion) {
    double p[4], s = 0;
    for (int i = 0; i < 4; i++) s = fmax(s, fabs(quaternion->item[i].number));
    for (int i = 0; i < 4; i++) p[i] = quaternion->item[i].number/s;
    quat_matrix(R, p);
  } else if (axis) {
    double u[3], p[4];
    tni_value_direction(axis, u);
    vec3_scale(u, entry(v, "angle")->number, u);
    quat_from_vector(p, u);
    quat_matrix(R, p);
  } else if (euler) {
    const tni_value *sequence = entry(v, "sequence");
    double angle[3];
    for (int i = 0; i < 3; i++) angle[i] = euler->item[i].number;
    tni_euler_matrix(sequence ? sequence->text : "xyz", angle, R);
  } else {
    const tni_value *dir[3] = {entry(v, "x"), entry(v, "y"), entry(v, "z")};
    two_directions(dir, R);
  }
}

/* "file:12: joint 'elbow': ", with what is known of it */
static void print_place(char *out, size_t size, tni_place at, const tni_item *item) {
  char where[512] = "";
  if (at.file && at.file[0] && at.line > 0)
    snprintf(where, sizeof(where), "%.480s:%d: ", at.file, at.line);
  else if (at.file && at.file[0])
    snprintf(where, sizeof(where), "%.480s: ", at.file);
  else if (at.line > 0)
    snprintf(where, sizeof(where), "line %d: ", at.line);
  if (!item || !item->section->item[0])
    snprintf(out, size, "%s", where);
  else if (item->section->single || !item->name || !item->name[0])
    snprintf(out, size, "%s%s: ", where, item->section->item);
  else
    snprintf(out, size, "%s%s %s: ", where, item->section->item, tni_show(item->name).s);
}

static tn_status fail_list(tn_ctx *ctx, tni_place at, const tni_item *item, const char *fmt,
                           va_list ap) {
  char place[700], line[TNI_MESSAGE_MAX];
  print_place(place, sizeof(place), at, item);
  vsnprintf(line, sizeof(line), fmt, ap);
  return TN_FAIL(ctx, TN_ERR_INPUT, "%s%s", place, line);
}

tn_status tni_item_fail(tn_ctx *ctx, const tni_item *item, const char *key, const char *fmt, ...) {
  const tni_value *v = key ? tni_item_get(item, key) : NULL;
  va_list ap;
  va_start(ap, fmt);
  tn_status st = fail_list(ctx, v ? v->at : item->at, item, fmt, ap);
  va_end(ap);
  return st;
}

tn_status tni_place_fail(tn_ctx *ctx, tni_place at, const tni_item *item, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  tn_status st = fail_list(ctx, at, item, fmt, ap);
  va_end(ap);
  return st;
}

tni_shown tni_show(const char *text) {
  tni_shown out;
  enum { CUT = 60 };
  size_t n = strlen(text), k = n > CUT ? CUT : n;
  /* never cut inside a UTF-8 character */
  while (k < n && k > 0 && ((unsigned char)text[k] & 0xC0) == 0x80) k--;
  char *s = out.s;
  *s++ = '\'';
  for (size_t i = 0; i < k; i++) {
    unsigned char c = (unsigned char)text[i];
    *s++ = c < 0x20 || c == 0x7F ? '?' : text[i];
  }
  if (k < n) {
    memcpy(s, "...", 3);
    s += 3;
  }
  *s++ = '\'';
  *s = 0;
  return out;
}

tni_hint tni_hint_for(const char *word, const char *const *names, int n) {
  tni_hint h = {""};
  int k = word[0] ? tni_nearest(word, names, n) : -1;
  if (k >= 0) {
    snprintf(h.s, sizeof(h.s), "; did you mean '%.60s'?", names[k]);
    return h;
  }
  size_t used = 0;
  for (int i = 0; i < n; i++) {
    size_t len = strlen(names[i]);
    if (used + len + 20 > sizeof(h.s)) {
      snprintf(h.s + used, sizeof(h.s) - used, ", ...");
      break;
    }
    used += (size_t)snprintf(h.s + used, sizeof(h.s) - used, "%s%s", i ? ", " : "; known: ",
                             names[i]);
  }
  return h;
}
