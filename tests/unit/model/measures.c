/* functions of t and measured quantities: values, exact gradients, messages
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/rig.h"

static const tni_key probe_keys[] = {{.name = "f", .kind = TNI_KIND_EXPR}};
static const tni_type probe = {"probe", "", probe_keys, 1};

static tn_status build(rig *r, const char *text, tni_function *fn) {
  tni_item *item;
  char name[16];
  snprintf(name, sizeof(name), "p%d", r->spec->nitem);
  TN_TRY(tni_spec_add(r->spec, &rig_sensors, name, &probe, (tni_place){"rig", 3}, &item));
  tni_value v = {.form = TNI_TEXT, .text = text, .at = {"rig", 4}};
  TN_TRY(tni_item_set(r->spec, item, &probe_keys[0], &v));
  return tni_build_function(&r->b, item, "f", tni_item_get(item, "f"), 0, fn);
}

static double value(rig *r, const tni_function *fn) {
  double f;
  tni_function_eval(fn, &r->env, &f, NULL, NULL, NULL);
  return f;
}

static double eval(rig *r, const char *text) {
  tni_function fn;
  CHECK_OK(r->ctx, build(r, text, &fn));
  return value(r, &fn);
}

/* velocity of a marker, from the definition */
static void point_of(const rig *r, int body, int marker, double p[3], double u[3]) {
  const tni_kin *k = &r->kin[body+1];
  mat3_vec(p, k->A, r->model.body[body].marker[marker].frame.p);
  vec3_cross(u, k->W, p);
  vec3_add(u, u, k->v);
  vec3_add(p, p, k->r);
}

static void measures_have_their_geometric_value(void) {
  rig r;
  rig_begin(&r);
  rig_random_state(&r);
  double p[3], u[3], q[3], w[3], d[3];
  point_of(&r, 0, 0, p, u);
  point_of(&r, 1, 1, q, w);
  CHECK_NEAR(eval(&r, "x(a.tip)"), p[0], 1e-15);
  CHECK_NEAR(eval(&r, "y(a.tip)"), p[1], 1e-15);
  CHECK_NEAR(eval(&r, "z(b.end, a.tip)"), q[2] - p[2], 1e-14);
  CHECK_NEAR(eval(&r, "vz(a.tip)"), u[2], 1e-14);
  CHECK_NEAR(eval(&r, "vy(a.tip, b.end)"), u[1] - w[1], 1e-14);
  CHECK_NEAR(eval(&r, "speed(b.end)"), vec3_norm(w), 1e-14);
  CHECK_NEAR(eval(&r, "wy(c)"), r.kin[3].W[1], 1e-15);
  vec3_sub(d, q, p);
  CHECK_NEAR(eval(&r, "distance(a.tip, b.end)"), vec3_norm(d), 1e-14);
  vec3_sub(w, w, u);
  CHECK_NEAR(eval(&r, "distance_rate(a.tip, b.end)"), vec3_dot(d, w)/vec3_norm(d), 1e-14);
  CHECK_NEAR(eval(&r, "x(ground.hook) + gain*t"), 0.1 + 2.5*r.env.t, 1e-15);
  /* the frame origin lies at minus the centre of mass */
  mat3_vec(d, r.kin[3].A, r.model.body[2].com);
  CHECK_NEAR(eval(&r, "z(c)"), r.kin[3].r[2] - d[2], 1e-15);
  tni_scalar_out o;
  tni_scalar_at(&r.model.joint[0].coord[0].scalar, &r.env, TNI_S_RATE, &o);
  CHECK_NEAR(eval(&r, "angle(pin)"), o.s, 0);
  CHECK_NEAR(eval(&r, "rate(pin)"), o.rate, 0);
  tni_scalar_at(&r.model.joint[0].coord[1].scalar, &r.env, TNI_S_RATE, &o);
  CHECK_NEAR(eval(&r, "displacement(pin)"), o.s, 0);
  CHECK_NEAR(eval(&r, "coordinate(pin, displacement) - rate(pin, displacement)"), o.s - o.rate, 0);
  rig_end(&r);
}

static void gradients_match_differences(void) {
  static const char *const text[] = {
      "angle(pin)*sin(t) + displacement(pin)^2",
      "rate(pin)*displacement(pin) - rate(pin, displacement)",
      "distance(a.tip, c.end)*exp(-distance_rate(a.tip, b.end))",
      "x(a.tip)*vy(b.tip, c)*wz(c)",
      "speed(b.end)^3 + wx(a)*wy(b) + x(c, c.tip)",
      "if(t > 100, 1/0, z(a))",
  };
  const double h = 1e-5;
  rig r;
  rig_begin(&r);
  for (int i = 0; i < TNI_COUNT(text); i++) {
    tni_function fn;
    CHECK_OK(r.ctx, build(&r, text[i], &fn));
    rig_random_state(&r);
    double f, ft, q[48], v[48];
    tni_function_eval(&fn, &r.env, &f, q, v, &ft);
    for (int c = 0; c < 6*fn.nbody; c++) {
      tni_kin *k = &r.kin[fn.body[c/6] + 1], keep = *k;
      double d[2];
      for (int level = 0; level < 2; level++) {
        void (*change)(tni_kin *, int, double) = level ? rig_push : rig_move;
        change(k, c%6, h);
        d[level] = value(&r, &fn);
        *k = keep;
        change(k, c%6, -h);
        d[level] = (d[level] - value(&r, &fn))/(2*h);
        *k = keep;
      }
      CHECK_NEAR(q[c], d[0], 1e-8);
      CHECK_NEAR(v[c], d[1], 1e-8);
    }
    double t = r.env.t;
    r.env.t = t + h;
    double up = value(&r, &fn);
    r.env.t = t - h;
    CHECK_NEAR(ft, (up - value(&r, &fn))/(2*h), 1e-8);
  }
  rig_end(&r);
}

/* at rest the direction of a velocity is undefined; the gradient must stay finite */
static void speed_zero_has_zero_gradient(void) {
  rig r;
  tni_function fn;
  rig_begin(&r);
  CHECK_OK(r.ctx, build(&r, "speed(a.tip)", &fn));
  rig_initial_state(&r);
  double f, q[48], v[48];
  tni_function_eval(&fn, &r.env, &f, q, v, NULL);
  CHECK_NEAR(f, 0, 0);
  for (int c = 0; c < 6; c++) CHECK(q[c] == 0 && v[c] == 0);
  rig_end(&r);
}

static void same_measure_shares_one_slot(void) {
  rig r;
  tni_function fn;
  rig_begin(&r);
  CHECK_OK(r.ctx, build(&r, "angle(pin) + sin(angle( pin ))*x(a.tip) - x(a.tip)", &fn));
  CHECK_INT(fn.nmeasure, 2);
  CHECK_INT(fn.nbody, 2);
  CHECK_OK(r.ctx, build(&r, "x(ground.hook)", &fn));
  CHECK_INT(fn.nbody, 0);
  rig_end(&r);
}

static void time_functions_have_two_derivatives_and_no_measures(void) {
  rig r;
  tni_timefn fn;
  rig_begin(&r);
  tni_value v = {.form = TNI_TEXT, .text = "gain*t^3", .at = {"rig", 4}};
  tni_item *item;
  CHECK_OK(r.ctx, tni_spec_add(r.spec, &rig_sensors, "m", &probe, (tni_place){"rig", 3}, &item));
  CHECK_OK(r.ctx, tni_build_timefn(&r.b, item, "motion", &v, &fn));
  double t = 2;
  CHECK_NEAR(tni_expr_eval(fn.f, &t), 20, 1e-15);
  CHECK_NEAR(tni_expr_eval(fn.f_t, &t), 30, 1e-15);
  CHECK_NEAR(tni_expr_eval(fn.f_tt, &t), 30, 1e-15);
  v.text = "angle(pin)";
  CHECK_INT(tni_build_timefn(&r.b, item, "motion", &v, &fn), TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(r.ctx),
             "rig:4: sensor 'm': key 'motion': 'angle(pin)', column 1: 'angle': measured "
             "quantities are not allowed here, only t and parameters");
  rig_end(&r);
}

static void wrong_names_are_refused_with_a_hint(void) {
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"angel(pin)", "column 1: 'angel': unknown function; did you mean 'angle'?"},
      {"1 + angle(pinn)", "column 5: 'angle': no joint 'pinn'; did you mean 'pin'?"},
      {"angle(pin, angle)", "column 1: 'angle': takes 1 argument, got 2; write angle(joint)"},
      {"distance(a)", "column 1: 'distance': takes 2 arguments, got 1; write distance(point, "
                      "point)"},
      {"rate()", "column 1: 'rate': takes 1 or 2 arguments, got 0; write rate(joint) or "
                 "rate(joint, name)"},
      {"coordinate(pin, twist)", "column 1: 'coordinate': cylindrical joint 'pin' has no "
                                 "coordinate 'twist'; it has angle, displacement"},
      {"gian*t", "column 1: 'gian': unknown name; did you mean 'gain'?"},
      {"speed*t", "column 1: 'speed': needs arguments; write speed(point)"},
      {"distance(a.tip, a)", "column 1: 'distance': 'a.tip' and 'a' are both on a: their distance "
                             "never changes"},
  };
  rig r;
  rig_begin(&r);
  for (int i = 0; i < TNI_COUNT(bad); i++) {
    tni_function fn;
    char want[400];
    CHECK_INT(build(&r, bad[i].text, &fn), TN_ERR_INPUT);
    snprintf(want, sizeof(want), "rig:4: sensor 'p%d': key 'f': '%s', %s", i, bad[i].text,
             bad[i].message);
    CHECK_TEXT(tn_ctx_message(r.ctx), want);
  }
  rig_end(&r);
}

int main(void) {
  RUN(measures_have_their_geometric_value);
  RUN(gradients_match_differences);
  RUN(speed_zero_has_zero_gradient);
  RUN(same_measure_shares_one_slot);
  RUN(time_functions_have_two_derivatives_and_no_measures);
  RUN(wrong_names_are_refused_with_a_hint);
  return REPORT();
}
