/* sensors: every kind, long and short form, against the definition
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/sensors.h"
#include "support/rig.h"

static tn_status try_sensor(rig *r, const char *type, const char *name, const char *keys) {
  for (int i = 0; i < TNI_SENSOR_NTYPE; i++) {
    if (strcmp(tni_sensor_types[i]->name, type) != 0) continue;
    tni_item *item;
    TN_TRY(tni_spec_add(r->spec, &rig_sensors, name, tni_sensor_types[i], (tni_place){"rig", 7},
                        &item));
    TN_TRY(rig_set_all(r, item, keys));
    return tni_build_sensor(&r->b, item);
  }
  return TN_ERR_ARGUMENT;
}

static const tni_key output_keys[] = {{.name = "record", .kind = TNI_KIND_NAMES}};
static const tni_section output = {.name = "output", .item = "output", .single = true,
                                   .keys = output_keys, .nkey = 1};

static tn_status try_short(rig *r, const char *text) {
  tni_item *item = tni_spec_find(r->spec, "output", "output");
  if (!item) TN_TRY(tni_spec_add(r->spec, &output, "output", NULL, (tni_place){"rig", 9}, &item));
  return tni_build_sensor_short(&r->b, item, text);
}

/* made-up results of an analysis */
static const double acc[18] = {1, -2, 3, 0.4, 0.5, -0.6, 0.7, 8, 9, 1, 1, 2, 3, 5, 8, 13, 21, 34};
static const double wrench[6] = {1, 2, 3, 4, 5, 6}, energy[5] = {1, 2, 4, 8, 16};
static const double force_value[2] = {-3, 42};

static void eval(rig *r, double *out) {
  tni_sensor_eval(&r->model.sensor[r->model.nsensor-1], &r->env, acc, wrench, force_value, energy,
                  out);
}

static void eval_long(rig *r, const char *type, const char *keys, double *out) {
  char name[16];
  snprintf(name, sizeof(name), "s%d", r->model.nsensor);
  CHECK_OK(r->ctx, try_sensor(r, type, name, keys));
  eval(r, out);
}

static void eval_short(rig *r, const char *text, double *out) {
  CHECK_OK(r->ctx, try_short(r, text));
  CHECK_TEXT(r->model.sensor[r->model.nsensor-1].name, text);
  eval(r, out);
}

static void same(const double *got, const double *want, int n) {
  for (int i = 0; i < n; i++) CHECK_NEAR(got[i], want[i], 1e-14);
}

/* position by the definition, velocity and acceleration by differences of it along the motion */
static void points_move_as_their_derivatives_say(void) {
  const double h = 1e-4;
  rig r;
  rig_begin(&r);
  rig_random_state(&r);
  double p[3], m[3], o[3], v[3], a[3];
  const tni_kin *k = &r.kin[2];
  mat3_vec(p, k->A, r.model.body[1].marker[0].frame.p);
  vec3_add(p, p, k->r);
  eval_long(&r, "position", "point: b.tip", o);
  same(o, p, 3);
  eval_long(&r, "velocity", "body: b; point: tip", v);
  eval_long(&r, "acceleration", "point: b.tip", a);
  /* advance with constant accelerations: r + v h + a h^2/2, A exp(~(w h + w' h^2/2)) to O(h^3) */
  rig keep = r;
  double at[2][3];
  for (int side = 0; side < 2; side++) {
    double d = side ? -h : h;
    tni_kin *b = &r.kin[2];
    for (int i = 0; i < 3; i++) {
      b->v[i] += 0.5*d*acc[6+i];
      b->w[i] += 0.5*d*acc[9+i];
    }
    rig_advance(&r, d);
    tni_sensor_eval(&r.model.sensor[0], &r.env, acc, wrench, force_value, energy, at[side]);
    memcpy(r.kin, keep.kin, sizeof(keep.kin));
  }
  for (int i = 0; i < 3; i++) {
    /* third derivatives are of the order 10, the second-order term of w' x w of the order 1 */
    CHECK_NEAR(v[i], (at[0][i] - at[1][i])/(2*h), 1e-6);
    CHECK_NEAR(a[i], (at[0][i] - 2*o[i] + at[1][i])/(h*h), 1e-5);
  }
  eval_long(&r, "acceleration", "point: b.tip; frame: body", m);
  mat3_tvec(p, k->A, a);
  same(m, p, 3);
  rig_end(&r);
}

static void points_may_be_coordinates_in_the_body_frame(void) {
  rig r;
  rig_begin(&r);
  rig_random_state(&r);
  double o[3], want[3], s[3] = {0.1, 0.2, 0.3};
  vec3_sub(s, s, r.model.body[2].com);
  mat3_vec(want, r.kin[3].A, s);
  vec3_add(want, want, r.kin[3].r);
  eval_long(&r, "position", "body: c; point: [0.1, 0.2, 0.3]", o);
  same(o, want, 3);
  vec3_scale(s, -1, r.model.body[2].com);
  mat3_vec(want, r.kin[3].A, s);
  vec3_add(want, want, r.kin[3].r);
  eval_long(&r, "position", "body: c", o);
  same(o, want, 3);
  eval_short(&r, "c.position", o);
  same(o, want, 3);
  eval_long(&r, "angular_velocity", "body: c", o);
  same(o, r.kin[3].W, 3);
  eval_long(&r, "angular_velocity", "body: c; frame: body", o);
  same(o, r.kin[3].w, 3);
  eval_long(&r, "angular_acceleration", "body: c; frame: body", o);
  same(o, acc + 15, 3);
  rig_end(&r);
}

static void joints_forces_and_energies_are_recorded(void) {
  rig r;
  rig_begin(&r);
  rig_force(&r, "force", "push", "body: a; force: [1, 2, 3]");
  rig_force(&r, "spring", "pull", "points: [a.tip, b.tip]");
  rig_random_state(&r);
  tni_scalar_out o;
  double x[6], y[6];
  tni_scalar_at(&r.model.joint[0].coord[1].scalar, &r.env, TNI_S_RATE, &o);
  eval_long(&r, "coordinate", "joint: pin; coordinate: displacement", x);
  CHECK_NEAR(x[0], o.s, 0);
  eval_long(&r, "rate", "joint: pin; coordinate: displacement", x);
  CHECK_NEAR(x[0], o.rate, 0);
  eval_short(&r, "pin.displacement", x);
  CHECK_NEAR(x[0], o.s, 0);
  eval_short(&r, "pin.displacement.rate", x);
  CHECK_NEAR(x[0], o.rate, 0);
  CHECK_TEXT(r.model.sensor[r.model.nsensor-1].unit, "m/s");
  tni_scalar_at(&r.model.joint[0].coord[0].scalar, &r.env, TNI_S_RATE, &o);
  eval_short(&r, "pin.rate", x);
  CHECK_NEAR(x[0], o.rate, 0);
  CHECK_TEXT(r.model.sensor[r.model.nsensor-1].unit, "rad/s");
  eval_long(&r, "expression", "value: \"2*angle(pin)\"; unit: turns", x);
  CHECK_NEAR(x[0], 2*o.s, 1e-15);
  eval_short(&r, "2*angle(pin)", x);
  CHECK_NEAR(x[0], 2*o.s, 1e-15);

  eval_short(&r, "pin.reaction", x);
  same(x, wrench, 6);
  eval_long(&r, "reaction", "joint: pin; frame: joint", x);
  double R[9];
  mat3_mul(R, r.kin[2].A, r.model.joint[0].frame[1].R);
  mat3_vec(y, R, x);
  mat3_vec(y + 3, R, x + 3);
  same(y, wrench, 6);

  eval_short(&r, "pull.force", x);
  CHECK_NEAR(x[0], 42, 0);
  eval_long(&r, "force", "force: push", x);
  CHECK_NEAR(x[0], -3, 0);
  eval_short(&r, "energy", x);
  same(x, energy, 5);
  eval_short(&r, "energy.input", x);
  CHECK_NEAR(x[0], 8, 0);
  CHECK_TEXT(r.model.sensor[r.model.nsensor-1].component[0], "input");
  eval_long(&r, "energy", "part: total", x);
  CHECK_NEAR(x[0], 16, 0);

  /* a sensor recorded by name is there already */
  int n = r.model.nsensor;
  CHECK_OK(r.ctx, try_short(&r, "s0"));
  CHECK_OK(r.ctx, try_short(&r, "energy"));
  CHECK_INT(r.model.nsensor, n);
  rig_end(&r);
}

static void unknown_records_are_refused_with_a_hint(void) {
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"pinn.angle", "no body, joint, force or sensor 'pinn'; did you mean 'pin'?"},
      {"energi", "no body, joint, force or sensor 'energi'; did you mean 'energy'?"},
      {"energy.kinetik", "no energy 'kinetik'; did you mean 'kinetic'?"},
      {"a.positoin", "'a' has no quantity 'positoin'; did you mean 'position'?"},
      {"a.tipp.position", "body 'a' has no point 'tipp'; did you mean 'tip'?"},
      {"a.tip.speed", "'a.tip' has no quantity 'speed'; known: position, velocity, acceleration, "
                      "angular_velocity, angular_acceleration"},
      {"pin.anlge", "'pin' has no quantity 'anlge'; did you mean 'angle'?"},
      {"pin.twist", "'pin' has no quantity 'twist'; known: reaction, angle, displacement, rate"},
      {"pin", "which quantity of it? write pin.reaction"},
      {"pull.tension", "'pull' has no quantity 'tension'; known: force"},
  };
  rig r;
  rig_begin(&r);
  rig_force(&r, "spring", "pull", "points: [a.tip, b.tip]");
  for (int i = 0; i < TNI_COUNT(bad); i++) {
    char want[400];
    CHECK_INT(try_short(&r, bad[i].text), TN_ERR_INPUT);
    snprintf(want, sizeof(want), "rig:9: output: record '%s': %s", bad[i].text, bad[i].message);
    CHECK_TEXT(tn_ctx_message(r.ctx), want);
  }
  CHECK_INT(try_sensor(&r, "position", "p", ""), TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(r.ctx),
             "rig:7: sensor 'p': needs 'point: body.point', or 'body' with or without a 'point' in "
             "its frame");
  CHECK_INT(try_sensor(&r, "velocity", "v", "body: a; point: b.tip"), TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(r.ctx), "rig:7: sensor 'v': point 'b.tip' is not on body 'a'");
  rig_end(&r);
}

int main(void) {
  RUN(points_move_as_their_derivatives_say);
  RUN(points_may_be_coordinates_in_the_body_frame);
  RUN(joints_forces_and_energies_are_recorded);
  RUN(unknown_records_are_refused_with_a_hint);
  return REPORT();
}
