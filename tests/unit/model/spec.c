/* spec: items are found, values read back, orientations mean what the reference says
 * SPDX-License-Identifier: BSD-3-Clause */
#include "model/spec.h"

#include "base/vec.h"
#include "support/check.h"

static tn_ctx *ctx;

static const tni_key keys[] = {
    {.name = "mass", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED},
    {.name = "turn", .kind = TNI_KIND_ROTATION},
    {.name = "axis", .kind = TNI_KIND_DIRECTION},
    {.name = "inertia", .kind = TNI_KIND_INERTIA},
};
static const tni_section bodies = {.name = "bodies", .item = "body", .keys = keys, .nkey = 4};
static const tni_section joints = {.name = "joints", .item = "joint", .keys = keys, .nkey = 4};
static const tni_schema schema = {.section = &bodies, .nsection = 1};

/* values by hand, without a reader */
static tni_value number(double x) { return (tni_value){.form = TNI_NUMBER, .number = x}; }
static tni_value text(const char *s) { return (tni_value){.form = TNI_TEXT, .text = s}; }
static tni_value list(tni_value *storage, int n, const double *x) {
  for (int i = 0; i < n; i++) storage[i] = number(x[i]);
  return (tni_value){.form = TNI_LIST, .n = n, .item = storage};
}

static void many_items_are_found_by_section_and_name(void) {
  tn_spec *spec;
  CHECK_OK(ctx, tni_spec_create(ctx, &schema, &spec));
  char name[32];
  tni_item *item;
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof(name), "link%d", i);
    CHECK_OK(ctx, tni_spec_add(spec, &bodies, name, NULL, (tni_place){"f", i + 1}, &item));
    if (i % 2 == 0)
      CHECK_OK(ctx, tni_spec_add(spec, &joints, name, NULL, (tni_place){"f", i + 1}, &item));
  }
  int wrong = 0;
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof(name), "link%d", i);
    const tni_item *b = tni_spec_find(spec, "bodies", name),
                   *j = tni_spec_find(spec, "joints", name);
    wrong += !b || b->at.line != i + 1 || b->section != &bodies;
    wrong += (j != NULL) != (i % 2 == 0);
  }
  CHECK_INT(wrong, 0);
  CHECK(tni_spec_find(spec, "bodies", "link5000") == NULL);
  CHECK(tni_spec_find(spec, "forces", "link1") == NULL);
  CHECK(tni_spec_add(spec, &bodies, "link7", NULL, (tni_place){"g", 3}, &item) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "g:3: body 'link7': is defined twice; first at f:8");
  CHECK(item == NULL);
  tni_spec_destroy(&spec);
}

static void absent_keys_give_the_fallback(void) {
  tn_spec *spec;
  tni_item *item;
  double v[9];
  CHECK_OK(ctx, tni_spec_create(ctx, &schema, &spec));
  CHECK(tni_spec_find(spec, "bodies", "a") == NULL);
  CHECK_OK(ctx, tni_spec_add(spec, &bodies, "a", NULL, (tni_place){"", 0}, &item));
  CHECK_NEAR(tni_item_number(item, "mass", 7), 7, 0);
  CHECK_INT(tni_item_integer(item, "mass", 8), 8);
  CHECK(tni_item_bool(item, "mass", true));
  CHECK_TEXT(tni_item_text(item, "mass", "none"), "none");
  CHECK(!tni_item_vec3(item, "axis", v) && !tni_item_direction(item, "axis", v));
  CHECK(!tni_item_rotation(item, "turn", v) && !tni_item_inertia(item, "inertia", v));
  CHECK(tni_item_complete(ctx, item) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx),
             "body 'a': key 'mass' is missing; must be a number or an expression of parameters");
  tni_value m = number(3);
  CHECK_OK(ctx, tni_item_set(spec, item, &keys[0], &m));
  m.number = 4;
  CHECK_OK(ctx, tni_item_set(spec, item, &keys[0], &m));
  CHECK_INT(item->nattr, 1);
  CHECK_NEAR(tni_item_number(item, "mass", 7), 4, 0);
  CHECK_OK(ctx, tni_item_complete(ctx, item));
  tni_spec_destroy(&spec);
  tni_spec_destroy(&spec);
  tni_spec_destroy(NULL);
}

static void inertia_has_four_forms(void) {
  tn_spec *spec;
  tni_item *item;
  tni_value store[9], rows[3];
  double I[9];
  CHECK_OK(ctx, tni_spec_create(ctx, &schema, &spec));
  CHECK_OK(ctx, tni_spec_add(spec, &bodies, "a", NULL, (tni_place){"", 0}, &item));
  tni_value v = number(5);
  CHECK_OK(ctx, tni_item_set(spec, item, &keys[3], &v));
  CHECK(tni_item_inertia(item, "inertia", I));
  CHECK(I[8] == 5 && I[0] == 0 && I[4] == 0);
  v = list(store, 6, (double[]){1, 2, 3, 0.4, 0.5, 0.6});
  CHECK_OK(ctx, tni_item_set(spec, item, &keys[3], &v));
  CHECK(tni_item_inertia(item, "inertia", I));
  const double want[9] = {1, 0.4, 0.5, 0.4, 2, 0.6, 0.5, 0.6, 3};
  for (int i = 0; i < 9; i++) CHECK_NEAR(I[i], want[i], 0);
  for (int i = 0; i < 3; i++) rows[i] = list(store + 3*i, 3, want + 3*i);
  v = (tni_value){.form = TNI_LIST, .n = 3, .item = rows};
  CHECK_OK(ctx, tni_item_set(spec, item, &keys[3], &v));
  memset(I, 0, sizeof(I));
  CHECK(tni_item_inertia(item, "inertia", I));
  for (int i = 0; i < 9; i++) CHECK_NEAR(I[i], want[i], 0);
  v = list(store, 3, (double[]){1, 2, 3});
  CHECK_OK(ctx, tni_item_set(spec, item, &keys[3], &v));
  CHECK(tni_item_inertia(item, "inertia", I));
  CHECK(I[0] == 1 && I[4] == 2 && I[8] == 3 && I[1] == 0 && I[5] == 0);
  tni_spec_destroy(&spec);
}

static void directions_are_unit_vectors(void) {
  double d[3];
  tni_value v = text("-y"), store[3];
  tni_value_direction(&v, d);
  CHECK(d[0] == 0 && d[1] == -1 && d[2] == 0);
  v = list(store, 3, (double[]){3e-200, 0, 4e-200});
  tni_value_direction(&v, d);
  CHECK_NEAR(d[0], 0.6, 1e-15);
  CHECK_NEAR(d[2], 0.8, 1e-15);
  v = list(store, 2, (double[]){0, 7});
  tni_value_direction(&v, d);
  CHECK_NEAR(d[1], 1, 0);
}

/* a checked orientation given as map */
static void turn(const char **key, tni_value *item, int n, double R[9]) {
  tni_item body = {.name = "a", .section = &bodies};
  tni_value v = {.form = TNI_MAP, .n = n, .key = key, .item = item};
  CHECK_OK(ctx, tni_value_check(ctx, &body, &keys[1], &v));
  tni_value_rotation(&v, R);
  double I[9];
  mat3_tmul(I, R, R);
  for (int i = 0; i < 9; i++) CHECK_NEAR(I[i], i % 4 == 0, 1e-14);
  CHECK_NEAR(mat3_det(R), 1, 1e-14);
}

/* axis and angle against the matrix exponential by its Taylor series */
static void axis_and_angle_is_the_exponential(void) {
  uint64_t seed = 5;
  for (int k = 0; k < 20; k++) {
    double a[3] = {check_random(&seed), check_random(&seed), check_random(&seed)}, u[3] = {0};
    double angle = 3*check_random(&seed), R[9], S[9], E[9], T[9], next[9];
    const char *key[] = {"axis", "angle"};
    tni_value store[3], item[2] = {list(store, 3, a), number(angle)};
    turn(key, item, 2, R);
    vec3_normalize(u, a);
    vec3_scale(u, angle, u);
    mat3_skew(S, u);
    mat3_identity(E);
    mat3_identity(T);
    for (int n = 1; n < 40; n++) {
      mat3_mul(next, T, S);
      for (int i = 0; i < 9; i++) T[i] = next[i]/n, E[i] += T[i];
    }
    for (int i = 0; i < 9; i++) CHECK_NEAR(R[i], E[i], 1e-13);
  }
}

/* about the turned axes: each rotation happens about an axis that the former ones have moved;
 * composed here by turning about that moved axis in space */
static void euler_sequences_turn_about_moved_axes(void) {
  static const char *const names[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                      "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};
  uint64_t seed = 11;
  for (int s = 0; s < TNI_COUNT(names); s++) {
    double angle[3], R[9], A[9], Q[9], T[9], fixed[9];
    for (int i = 0; i < 3; i++) angle[i] = 2*check_random(&seed);
    const char *key[] = {"euler", "sequence"};
    tni_value store[3], item[2] = {list(store, 3, angle), text(names[s])};
    turn(key, item, 2, R);
    mat3_identity(A);
    for (int k = 0; k < 3; k++) {
      double axis[3], p[4];
      mat3_column(axis, A, names[s][k] - 'x');
      vec3_scale(axis, angle[k], axis);
      quat_from_vector(p, axis);
      quat_matrix(Q, p);
      mat3_mul(T, Q, A);
      memcpy(A, T, sizeof(A));
    }
    for (int i = 0; i < 9; i++) CHECK_NEAR(R[i], A[i], 1e-14);
    /* the same turns in reverse about the fixed axes */
    char upper[4] = {(char)(names[s][2] - 32), (char)(names[s][1] - 32), (char)(names[s][0] - 32),
                     0};
    double reverse[3] = {angle[2], angle[1], angle[0]};
    tni_value again[2] = {list(store, 3, reverse), text(upper)};
    turn(key, again, 2, fixed);
    for (int i = 0; i < 9; i++) CHECK_NEAR(fixed[i], A[i], 1e-14);
  }
}

static void euler_defaults_to_xyz(void) {
  const char *key[] = {"euler"};
  double R[9], want[9];
  tni_value store[3], item[1] = {list(store, 3, (double[]){0.1, 0.2, 0.3})};
  turn(key, item, 1, R);
  tni_euler_matrix("xyz", (double[]){0.1, 0.2, 0.3}, want);
  for (int i = 0; i < 9; i++) CHECK_NEAR(R[i], want[i], 0);
}

/* the first of the two directions is met exactly, the second lies in its half plane */
static void two_directions_make_a_frame(void) {
  static const char *const pairs[][2] = {{"x", "y"}, {"x", "z"}, {"y", "z"}};
  uint64_t seed = 4;
  for (int s = 0; s < 3; s++) {
    const char *key[] = {pairs[s][0], pairs[s][1]};
    double a[3], b[3], R[9], ca[3], cb[3], n[3];
    for (int i = 0; i < 3; i++) a[i] = check_random(&seed), b[i] = check_random(&seed);
    tni_value sa[3], sb[3], item[2] = {list(sa, 3, a), list(sb, 3, b)};
    turn(key, item, 2, R);
    mat3_column(ca, R, pairs[s][0][0] - 'x');
    mat3_column(cb, R, pairs[s][1][0] - 'x');
    CHECK_NEAR(vec3_dot(ca, a), vec3_norm(a), 1e-14);
    vec3_cross(n, a, b);
    CHECK_NEAR(vec3_dot(cb, n), 0, 1e-14);
    CHECK(vec3_dot(cb, b) > 0);
    /* the order of the keys does not matter */
    const char *swapped[] = {pairs[s][1], pairs[s][0]};
    tni_value other[2] = {item[1], item[0]};
    double R2[9];
    turn(swapped, other, 2, R2);
    for (int i = 0; i < 9; i++) CHECK_NEAR(R2[i], R[i], 0);
  }
}

static void quaternion_is_normalised_and_angle_turns_about_z(void) {
  const char *key[] = {"quaternion"};
  double R[9], a[3] = {1, 0, 0}, r[3];
  tni_value store[4], item[1] = {list(store, 4, (double[]){3, 0, 0, 3})};
  turn(key, item, 1, R); /* a quarter turn about z */
  mat3_vec(r, R, a);
  CHECK_NEAR(r[1], 1, 1e-15);
  tni_value v = number(0.3);
  tni_value_rotation(&v, R);
  mat3_vec(r, R, a);
  CHECK_NEAR(r[0], cos(0.3), 1e-15);
  CHECK_NEAR(r[1], sin(0.3), 1e-15);
  CHECK_NEAR(R[8], 1, 0);
}

/* messages stay one short line whatever was typed */
static void shown_text_is_short_and_printable(void) {
  char many[400];
  memset(many, 'a', sizeof(many) - 1);
  many[sizeof(many)-1] = 0;
  CHECK_INT(strlen(tni_show(many).s), 65);
  CHECK_TEXT(tni_show("a\nb\tc\x7f").s, "'a?b?c?'");
  for (int k = 0; k < 5; k++) { /* two-byte characters are never cut in half */
    memset(many, 'a', 70);
    for (int i = 56 + k; i + 1 < 70; i += 2) memcpy(many + i, "\xC3\xA4", 2);
    many[70] = 0;
    const char *s = tni_show(many).s;
    const char *dots = strstr(s, "...");
    CHECK(dots != NULL && (unsigned char)dots[-1] != 0xC3);
  }
  const char *names[] = {"alpha", "beta"};
  CHECK_TEXT(tni_hint_for("alpa", names, 2).s, "; did you mean 'alpha'?");
  CHECK_TEXT(tni_hint_for("x", names, 2).s, "; known: alpha, beta");
  CHECK_TEXT(tni_hint_for("x", names, 0).s, "");
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(many_items_are_found_by_section_and_name);
  RUN(absent_keys_give_the_fallback);
  RUN(inertia_has_four_forms);
  RUN(directions_are_unit_vectors);
  RUN(axis_and_angle_is_the_exponential);
  RUN(euler_sequences_turn_about_moved_axes);
  RUN(euler_defaults_to_xyz);
  RUN(two_directions_make_a_frame);
  RUN(quaternion_is_normalised_and_angle_turns_about_z);
  RUN(shown_text_is_short_and_printable);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
