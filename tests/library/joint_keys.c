/* Every key that the tables offer for a joint is heeded or refused
 *
 * For each type in the list a smallest item; each key of the tables is added to it (or its value
 * changed). What the joint says about bodies away from the written position must then change: its
 * rows, their derivatives, its coordinates, or the frame in which its reaction is told. If not, the
 * key must have been refused by name.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/language.h"
#include "joints/list.h"
#include "support/loaded.h"

enum { PRINT_MAX = 2000, PAIRS_MAX = 24 };

typedef struct {
  const char *key, *value;
} pair;

/* the smallest item of a type, and other values for its own keys */
static const struct {
  const char *type;
  pair item[7], other[7];
} sample[] = {
    {"fixed", {{"bodies", "[a, b]"}}, {{0}}},
    {"revolute", {{"bodies", "[a, b]"}, {"axis", "z"}}, {{0}}},
    {"prismatic", {{"bodies", "[a, b]"}, {"axis", "z"}}, {{0}}},
    {"cylindrical", {{"bodies", "[a, b]"}, {"axis", "z"}},
     {{"initial", "{angle: 0.3}"}, {"initial_rate", "{angle: 0.4}"}}},
    {"spherical", {{"bodies", "[a, b]"}}, {{0}}},
    {"universal", {{"bodies", "[a, b]"}, {"axis1", "z"}, {"axis2", "y"}},
     {{"initial", "{angle2: 0.3}"}, {"initial_rate", "{angle2: 0.4}"}}},
    {"constant_velocity", {{"bodies", "[a, b]"}, {"axis", "z"}}, {{0}}},
    {"planar", {{"bodies", "[a, b]"}, {"axis", "z"}},
     {{"initial", "{y: 0.3}"}, {"initial_rate", "{y: 0.4}"}}},
    {"screw", {{"bodies", "[a, b]"}, {"axis", "z"}, {"pitch", "0.1"}},
     {{"pitch", "0.2"}, {"initial", "{angle: 0.3}"}, {"initial_rate", "{angle: 0.4}"}}},
    {"inline", {{"bodies", "[a, b]"}, {"axis", "z"}},
     {{"body", "b"}, {"point", "[0.3, 0, 0]"}, {"on", "a"}}},
    {"inline", {{"body", "b"}, {"point", "[0.3, 0, 0]"}, {"axis", "z"}},
     {{"body", "a"}, {"point", "[0.2, 0, 0]"}, {"on", "a"}}},
    {"inplane", {{"bodies", "[a, b]"}, {"axis", "z"}},
     {{"body", "b"}, {"point", "[0.3, 0, 0]"}, {"on", "a"},
     {"initial", "{x: 0.3}"}, {"initial_rate", "{x: 0.4}"}}},
    {"inplane", {{"body", "b"}, {"point", "[0.3, 0, 0]"}, {"axis", "z"}},
     {{"body", "a"}, {"point", "[0.2, 0, 0]"}, {"on", "a"},
     {"initial", "{x: 0.3}"}, {"initial_rate", "{x: 0.4}"}}},
    {"distance", {{"bodies", "[a, b]"}, {"at1", "[0, 0, 0]"}, {"at2", "[0, 1, 0]"}},
     {{"length", "0.7"}}},
    {"revolute_spherical",
     {{"bodies", "[a, b]"}, {"axis", "z"}, {"at1", "[0, 0, 0]"}, {"at2", "[0, 1, 0]"}},
     {{"length", "0.7"}, {"offset", "0.2"}}},
    {"revolute_revolute",
     {{"bodies", "[a, b]"}, {"axis", "z"}, {"at1", "[0, 0, 0]"}, {"at2", "[0, 1, 0]"}},
     {{"length", "0.7"}, {"offset", "0.2"}}},
    {"parallel", {{"bodies", "[a, b]"}, {"axis", "z"}}, {{0}}},
    {"perpendicular", {{"bodies", "[a, b]"}, {"axis1", "z"}, {"axis2", "y"}}, {{0}}},
    {"orientation", {{"bodies", "[a, b]"}}, {{0}}},
    {"gear", {{"joints", "[p, q]"}, {"ratio", "2"}},
     {{"joints", "[q, p]"}, {"coordinates", "[displacement, angle]"}, {"radii", "[1, 2]"},
      {"teeth", "[1, 2]"}, {"ratio", "3"}}},
    {"rack_pinion", {{"joints", "[p, r]"}, {"radius", "0.1"}},
     {{"joints", "[q, p]"}, {"coordinates", "[angle, y]"}, {"radius", "0.2"}}},
    {"coupler", {{"joints", "[p, q]"}, {"factors", "[1, 2]"}},
     {{"joints", "[q, p]"}, {"coordinates", "[angle, angle]"},
      {"factors", "[1, 3]"}, {"value", "0.3"}}},
    {"curve", {{"bodies", "[a, b]"}, {"points", "[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]]"}},
     {{"points", "[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 2, 1]]"}, {"closed", "true"}}},
    {"rolling_sphere", {{"bodies", "[a, b]"}, {"radius", "0.1"}},
     {{"radius", "0.2"}, {"normal", "x"}, {"initial", "{x: 0.3}"}, {"initial_rate", "{x: 0.4}"}}},
    {"rolling_disk", {{"bodies", "[a, b]"}, {"radius", "0.1"}, {"axis", "x"}},
     {{"radius", "0.2"}, {"normal", "y"}, {"initial", "{y: 0.3}"}, {"initial_rate", "{y: 0.4}"}}},
    {"steering", {{"bodies", "[a, b]"}, {"axis", "z"}, {"slope", "0.3*t"}}, {{"slope", "0.4*t"}}},
    {"latch", {{"joint", "p"}, {"at", "0.12"}},
     {{"joint", "q"}, {"coordinate", "angle"}, {"at", "0.3"}, {"direction", "falling"},
      {"locked", "true"}, {"release", "0.5"}}},
};

/* values for the keys of all joints */
static const pair common[] = {
    {"bodies", "[b, a]"}, {"at", "[0.3, -0.2, 0.4]"}, {"at1", "[0.2, 0.1, 0.3]"},
    {"at2", "[-0.2, 0.3, 0.1]"}, {"axis", "[1, 2, 3]"}, {"axis1", "[2, 1, 3]"},
    {"axis2", "[1, -2, 1]"}, {"x", "[3, 1, -1]"}, {"x1", "[2, 3, 1]"}, {"x2", "[1, 3, -2]"},
    {"frame1", "f"}, {"frame2", "f"}, {"initial", "0.3"}, {"initial_rate", "0.4"},
};

/* acts the same wherever it is: the place is only where pictures show it */
static bool acts_anywhere(const char *type) {
  return strcmp(type, "parallel") == 0 || strcmp(type, "perpendicular") == 0 ||
         strcmp(type, "orientation") == 0;
}

static const char *value_of(const pair *list, int n, const char *key) {
  for (int i = 0; i < n; i++)
    if (list[i].key && strcmp(list[i].key, key) == 0) return list[i].value;
  return NULL;
}

/* the item with one key set; what a named frame replaces goes out */
static void write_item(int n, const char *key, const char *value, char *text, size_t size) {
  size_t at = (size_t)snprintf(text, size, "{type: %s", sample[n].type);
  bool done = false;
  for (int i = 0; i < 7 && sample[n].item[i].key; i++) {
    const pair *p = &sample[n].item[i];
    bool same = key && strcmp(p->key, key) == 0;
    bool replaced = key && strncmp(key, "frame", 5) == 0 && p->key[strlen(p->key) - 1] == key[5];
    if (replaced) continue;
    at += (size_t)snprintf(text + at, size - at, ", %s: %s", p->key, same ? value : p->value);
    done = done || same;
  }
  if (key && !done) at += (size_t)snprintf(text + at, size - at, ", %s: %s", key, value);
  snprintf(text + at, size - at, "}");
}

/* what the joint says about displaced bodies, as numbers; -1: refused, the message is in the context */
static int print_joint(tn_ctx *ctx, const char *item, bool anywhere, double *print) {
  char text[2000];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  snprintf(text, sizeof(text),
           "tenon: 1\nbodies:\n"
           "  a: {mass: 1, shape: {sphere: 1}, at: [0.1, 0.2, 0.5], orientation: {axis: [1, 2, 1], angle: 0.4},\n"
           "      frames: {f: {at: [0.1, 0.3, 0.2], orientation: {axis: [1, 0, 1], angle: 0.7}}}}\n"
           "  b: {mass: 1, shape: {sphere: 1}, at: [0.4, -0.1, 0.9], orientation: {axis: [0, 1, 3], angle: 0.9},\n"
           "      frames: {f: {at: [0.3, 0.1, 0.2], orientation: {axis: [0, 1, 1], angle: 2}}}}\n"
           "joints:\n  p: {type: cylindrical, bodies: [ground, a], axis: x}\n"
           "  q: {type: cylindrical, bodies: [ground, b], axis: y}\n"
           "  r: {type: planar, bodies: [ground, b], axis: x}\n  it: %s\n", item);
  tn_status st = tn_spec_read_text(ctx, "m.yaml", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  int n = st == TN_OK ? 0 : -1;
  if (model) {
    tni_data *s;
    double q[14], v[12], d[12], wrench[6*4];
    CHECK_OK(ctx, tni_cartesian_create(ctx, model, NULL, &s));
    tni_initial(s, q, v);
    for (int i = 0; i < 12; i++) d[i] = 0.1*sin(1 + 3*i), v[i] = cos(2 + 5*i);
    tni_retract(s, q, d, q);
    double *C = calloc((size_t)(s->m*s->nv), sizeof(double)), *lambda = calloc((size_t)s->m, sizeof(double));
    tni_tangent out = {.C = C};
    CHECK_OK(ctx, tni_eval_tangent(s, 0.3, q, v, NULL, NULL, &out));
    tni_eval_phi(s, 0.3, q, print);
    n = s->m;
    for (int i = 0; i < s->m*s->nv; i++) print[n++] = C[i];
    const tni_joint *j = &model->joint[3];
    tni_env env = {0.3, s->kin, s->memory};
    for (int i = 0; i < j->ncoord; i++) {
      tni_scalar_out o;
      tni_scalar_at(&j->coord[i].scalar, &env, TNI_S_VALUE, &o);
      print[n++] = o.s;
    }
    for (int i = 0; i < s->m; i++) lambda[i] = sin(3 + i);
    tni_eval_reactions(s, 0.3, q, v, NULL, lambda, wrench);
    for (int i = 18; i < 24; i++) print[n++] = wrench[i];
    for (int i = 0; i < 6 && anywhere; i++) print[n++] = j->frame[i/3].p[i % 3];
    for (int i = 0; i < 9; i++) print[n++] = j->frame[1].R[i];
    for (int i = 0; i < TNI_MAXCOORD; i++) {
      print[n++] = j->has_initial[i]*j->initial[i];
      print[n++] = j->has_rate[i]*j->initial_rate[i];
    }
    /* switches: initial memory and what the switching functions say */
    for (int i = 0; i < model->nmemory; i++) print[n++] = model->memory0[i];
    for (int i = j->con0; i < j->con0 + j->ncon; i++) {
      const tni_con *con = &model->con[i];
      double memory[64];
      memcpy(memory, model->memory0, (size_t)model->nmemory*sizeof(double));
      for (int away = 0; away < 2 && con->ops->events; away++) {
        double t = away ? 0.7 : 0.3;
        tni_env e = {t, s->kin, memory};
        con->ops->events(con, &e, print + n);
        n += con->nevent;
        con->ops->commit(con, &e, true, memory);
        for (int k = 0; k < model->nmemory; k++) print[n++] = memory[k];
      }
    }
    CHECK(n <= PRINT_MAX);
    free(C);
    free(lambda);
    tni_data_destroy(&s);
  }
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return n;
}

static void try_key(tn_ctx *ctx, int n, const char *key, const char *value) {
  static double plain[PRINT_MAX], with[PRINT_MAX];
  char item[600];
  write_item(n, NULL, NULL, item, sizeof(item));
  int n0 = print_joint(ctx, item, acts_anywhere(sample[n].type), plain);
  if (!CHECK(n0 > 0)) {
    printf("%s: %s\n", item, tn_ctx_message(ctx));
    return;
  }
  write_item(n, key, value, item, sizeof(item));
  int n1 = print_joint(ctx, item, acts_anywhere(sample[n].type), with);
  if (n1 < 0) {
    if (!CHECK(strstr(tn_ctx_message(ctx), key) != NULL))
      printf("%s: refused without naming '%s': %s\n", item, key, tn_ctx_message(ctx));
    return;
  }
  bool same = n0 == n1;
  for (int i = 0; i < n0 && same; i++) same = fabs(plain[i] - with[i]) < 1e-9;
  if (!CHECK(!same)) printf("%s: '%s' is neither heeded nor refused\n", item, key);
}

static void every_key_is_heeded_or_refused(void) {
  tn_ctx *ctx;
  const tni_schema *schema;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, tni_language(ctx, &schema));
  const tni_section *joints = NULL;
  for (int i = 0; i < schema->nsection; i++)
    if (strcmp(schema->section[i].name, "joints") == 0) joints = &schema->section[i];
  for (int t = 0; t < tni_joint_ntype; t++) {
    const tni_type *type = &tni_joint_types[t]->type;
    int found = 0;
    for (int n = 0; n < TNI_COUNT(sample); n++) {
      if (strcmp(sample[n].type, type->name) != 0) continue;
      found++;
      for (int k = 0; k < joints->nkey; k++) {
        const char *key = joints->keys[k].name, *own = value_of(sample[n].other, 7, key);
        const char *value = own ? own : value_of(common, TNI_COUNT(common), key);
        if (!CHECK(value)) printf("no value for key '%s'\n", key);
        else try_key(ctx, n, key, value);
      }
      for (int k = 0; k < type->nkey; k++) {
        if (type->keys[k].flags & TNI_REFUSED) continue;
        const char *value = value_of(sample[n].other, 7, type->keys[k].name);
        if (!CHECK(value)) printf("no value for key '%s' of %s\n", type->keys[k].name, type->name);
        else try_key(ctx, n, type->keys[k].name, value);
      }
    }
    if (!CHECK(found > 0)) printf("no sample of joint '%s'\n", type->name);
  }
  tn_ctx_destroy(&ctx);
}

/* what both sides have of their own leaves nothing for the common key */
static void a_common_key_beside_both_own_ones_is_refused(void) {
  static const char *const item[] = {
      "{type: revolute, bodies: [a, b], at1: [0, 0, 0], at2: [0, 0, 0], at: [1, 0, 0], axis: z}",
      "{type: revolute, bodies: [a, b], axis1: z, axis2: z, axis: z}",
      "{type: revolute, bodies: [a, b], axis: z, x1: x, x2: x, x: x}",
      "{type: revolute, bodies: [a, b], frame1: f, frame2: f, axis: z}",
      "{type: revolute, bodies: [a, b], frame1: f, at2: [0, 0, 0], at: [0, 0, 0]}",
      "{type: universal, bodies: [a, b], axis1: z, axis2: y, axis: z}"};
  double print[PRINT_MAX];
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int i = 0; i < TNI_COUNT(item); i++) {
    CHECK(print_joint(ctx, item[i], false, print) < 0);
    CHECK(strstr(tn_ctx_message(ctx), "means nothing beside") != NULL);
  }
  tn_ctx_destroy(&ctx);
}

/* R_01 = Rz(a1) Ry(a2) of a cross whose bodies were written elsewhere: with x1 and x2 the angles are
 * those of the assembled bodies */
static void angles_of_a_universal_joint_count_from_its_references(void) {
  for (int k = 0; k < 3; k++) {
    loaded l;
    tn_sim *sim;
    double a1, a2, rate;
    char text[900];
    static const char *const keys[] = {"axis1: z, axis2: y, x1: x, x2: x", "frame1: one, frame2: two",
                                       "frame1: one, axis2: y, x2: x"};
    snprintf(text, sizeof(text),
             "ground: {frames: {one: {at: [0, 0, 0]}}}\n"
             "bodies:\n  b: {mass: 1, shape: {sphere: 1}, orientation: {sequence: zyx, euler: [0.3, -0.5, 0.01]},\n"
             "      frames: {two: {orientation: {z: y, x: x}}}}\n"
             "joints:\n  u: {type: universal, bodies: [ground, b], at: [0, 0, 0], %s}\n", keys[k]);
    if (k == 1) memmove(strstr(text, "at: [0, 0, 0], frame1"), "frame1: one, frame2: two}\n", 27);
    load_text(&l, text);
    for (int r = 0; r < 2; r++) {
      tn_run_opts o = {.representation = r ? "joint" : "cartesian"};
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
      CHECK_OK(l.ctx, tn_sim_joint_coordinate(sim, 0, 0, &a1, &rate));
      CHECK_OK(l.ctx, tn_sim_joint_coordinate(sim, 0, 1, &a2, &rate));
      /* the third angle, 0.01, is what the cross does not allow */
      CHECK_WITHIN(a1, 0.3, 0.01);
      CHECK_WITHIN(a2, -0.5, 0.01);
      const double *A = sim->s->kin[1].A;
      CHECK_NEAR(A[0], cos(a1)*cos(a2), 1e-9);
      CHECK_NEAR(A[3], sin(a1)*cos(a2), 1e-9);
      CHECK_NEAR(A[6], -sin(a2), 1e-9);
      CHECK_NEAR(A[4], cos(a1), 1e-9);
      tn_sim_destroy(&sim);
    }
    unload(&l);
  }
}

int main(void) {
  RUN(every_key_is_heeded_or_refused);
  RUN(a_common_key_beside_both_own_ones_is_refused);
  RUN(angles_of_a_universal_joint_count_from_its_references);
  return REPORT();
}
