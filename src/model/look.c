/* model/look.c - the key `look`: shapes of a body for pictures
 *
 *   look: {mesh: piston.stl, scale: 0.001, color: "#8899aa"}
 *   look:
 *     - {box: [1, 0.5, 0.2], at: [0, 0, 0.1]}
 *     - {cylinder: [0.3, 0.2], orientation: {...}}
 *     - {sphere: 0.1}
 *     - {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], radius: 0.02}
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/look.h"

#include <ctype.h>
#include <stdio.h>

#include "base/vec.h"

static const struct {
  const char *name;
  tni_look_kind kind;
  int nsize;
} kinds[] = {
    {"box", TNI_LOOK_BOX, 3},   {"cylinder", TNI_LOOK_CYLINDER, 2}, {"sphere", TNI_LOOK_SPHERE, 1},
    {"hull", TNI_LOOK_HULL, 0}, {"mesh", TNI_LOOK_MESH, 0},
};

static const tni_key key_at = {.name = "look: at", .kind = TNI_KIND_VEC3};
static const tni_key key_turn = {.name = "look: orientation", .kind = TNI_KIND_ROTATION};
static const tni_key key_points = {.name = "look: hull", .kind = TNI_KIND_POINTS};

bool tni_is_color(const char *text) {
  size_t n = strlen(text);
  if (text[0] == '#') {
    for (size_t i = 1; i < n; i++)
      if (!isxdigit((unsigned char)text[i])) return false;
    return n == 4 || n == 7;
  }
  for (size_t i = 0; i < n; i++)
    if (!isalpha((unsigned char)text[i])) return false;
  return n > 2 && n < 32;
}

typedef struct {
  tn_ctx *ctx;
  tni_arena *arena;
  const tni_item *item;
} reader;

static tn_status read_sizes(const reader *r, const tni_value *v, const char *kind, int want,
                            double size[3]) {
  int n = v->form == TNI_LIST ? v->n : 1;
  if (n != want)
    return tni_item_fail(r->ctx, r->item, "look", "look: %s with %d sizes, must be %d", kind, n, want);
  for (int i = 0; i < n; i++) {
    const tni_value *x = v->form == TNI_LIST ? &v->item[i] : v;
    if (x->form != TNI_NUMBER || !(x->number > 0 && x->number < 1e300))
      return tni_item_fail(r->ctx, r->item, "look", "look: size %d of the %s must be a number > 0",
                           i + 1, kind);
    size[i] = x->number;
  }
  return TN_OK;
}

static tn_status read_hull(const reader *r, const tni_value *v, tni_look *s) {
  TN_TRY(tni_value_check(r->ctx, r->item, &key_points, v));
  if (v->n < 1 || v->n > 1000)
    return tni_item_fail(r->ctx, r->item, "look", "look: hull with %d points, must be 1 to 1000", v->n);
  s->npoint = v->n;
  TNI_ARENA_NEW(r->arena, s->point, v->n);
  for (int i = 0; i < v->n; i++) tni_value_vec3(&v->item[i], s->point[i]);
  return TN_OK;
}

static tn_status read_mesh(const reader *r, const tni_value *v, double scale, tni_look *s) {
  if (v->form != TNI_TEXT)
    return tni_item_fail(r->ctx, r->item, "look", "look: mesh must be the name of an STL or OBJ file");
  const char *model = v->at.file ? v->at.file : "", *slash = strrchr(model, '/');
  const char *path = v->text[0] == '/' || !slash
                         ? v->text
                         : tni_arena_printf(r->arena, "%.*s/%s", (int)(slash - model), model, v->text);
  if (!path) return tni_out_of_memory(r->ctx);
  tn_status st = tni_triangles_read(r->ctx, r->arena, path, &s->mesh);
  if (st == TN_ERR_MEMORY) return st;
  if (st != TN_OK) {
    char why[TNI_MESSAGE_MAX];
    snprintf(why, sizeof(why), "%s", r->ctx->message);
    return tni_item_fail(r->ctx, r->item, "look", "look: %s", why);
  }
  for (int i = 0; i < 3*s->mesh.npoint; i++) s->mesh.point[i] = (float)(scale*s->mesh.point[i]);
  return TN_OK;
}

static const tni_value *member(const tni_value *map, const char *key) {
  for (int i = 0; i < map->n; i++)
    if (strcmp(map->key[i], key) == 0) return &map->item[i];
  return NULL;
}

/* every key is known, and one of them is a kind of shape; returns its place in kinds */
static tn_status find_kind(const reader *r, const tni_value *v, int *kind) {
  static const char *const known[] = {"box", "cylinder", "sphere", "hull",   "mesh",
                                      "at",  "orientation", "color", "radius", "scale"};
  *kind = -1;
  if (v->form != TNI_MAP)
    return tni_item_fail(r->ctx, r->item, "look",
                         "look must be a shape such as {box: [a, b, c], color: red}, or a list of them");
  for (int i = 0; i < v->n; i++) {
    bool found = false;
    for (int k = 0; k < TNI_COUNT(known); k++) found = found || strcmp(v->key[i], known[k]) == 0;
    if (!found)
      return tni_item_fail(r->ctx, r->item, "look", "look: unknown key '%s'%s", v->key[i],
                           tni_hint_for(v->key[i], known, TNI_COUNT(known)).s);
    for (int k = 0; k < TNI_COUNT(kinds); k++) {
      if (strcmp(v->key[i], kinds[k].name) != 0) continue;
      if (*kind >= 0)
        return tni_item_fail(r->ctx, r->item, "look", "look: '%s' and '%s' in one shape; make a list",
                             kinds[*kind].name, kinds[k].name);
      *kind = k;
    }
  }
  if (*kind < 0)
    return tni_item_fail(r->ctx, r->item, "look", "look: no box, cylinder, sphere, hull or mesh");
  return TN_OK;
}

static tn_status read_shape(const reader *r, const tni_value *v, tni_look *s) {
  int k;
  TN_TRY(find_kind(r, v, &k));
  s->kind = kinds[k].kind;
  mat3_identity(s->R);
  const tni_value *main = member(v, kinds[k].name), *at = member(v, "at");
  const tni_value *turn = member(v, "orientation"), *color = member(v, "color");
  const tni_value *radius = member(v, "radius"), *scale = member(v, "scale");
  double factor[3] = {1, 1, 1};
  if (kinds[k].nsize) TN_TRY(read_sizes(r, main, kinds[k].name, kinds[k].nsize, s->size));
  if (scale) TN_TRY(read_sizes(r, scale, "scale", 1, factor));
  if (s->kind == TNI_LOOK_HULL) {
    if (!radius) return tni_item_fail(r->ctx, r->item, "look", "look: hull needs a radius");
    TN_TRY(read_sizes(r, radius, "radius", 1, s->size));
    TN_TRY(read_hull(r, main, s));
  }
  if (s->kind == TNI_LOOK_MESH) TN_TRY(read_mesh(r, main, factor[0], s));
  if (at) {
    TN_TRY(tni_value_check(r->ctx, r->item, &key_at, at));
    tni_value_vec3(at, s->at);
  }
  if (turn) {
    TN_TRY(tni_value_check(r->ctx, r->item, &key_turn, turn));
    tni_value_rotation(turn, s->R);
  }
  if (color) {
    if (color->form != TNI_TEXT || !tni_is_color(color->text))
      return tni_item_fail(r->ctx, r->item, "look",
                           "look: color must be a name such as red, or \"#rrggbb\" in quotes");
    s->color = color->text;
  }
  return TN_OK;
}

tn_status tni_look_read(tn_ctx *ctx, tni_arena *arena, const tni_item *item, int *n,
                        tni_look **out) {
  const tni_value *v = tni_item_get(item, "look");
  reader r = {ctx, arena, item};
  *n = 0;
  *out = NULL;
  if (!v) return TN_OK;
  bool list = v->form == TNI_LIST;
  int count = list ? v->n : 1;
  TNI_ARENA_NEW(arena, *out, count);
  for (int i = 0; i < count; i++) TN_TRY(read_shape(&r, list ? &v->item[i] : v, &(*out)[i]));
  *n = count;
  return TN_OK;
}
