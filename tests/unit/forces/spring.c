/* springs between points: closed forms, exact tangents, energy, one-sided modes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/one_sided.h"
#include "properties.h"

static void every_variant_has_exact_tangents_and_balanced_power(void) {
  static const char *const conservative[] = {
      "points: [a.tip, b.end]; stiffness: 30; free_length: 1.5",
      "points: [a.tip, ground.hook]; stiffness: 30; preload: 7",
      "points: [ground.hook, c.end]; table: [[-2, -9], [-1, -2], [0, 1], [1, 5], [4, 9]]; "
      "interpolation: spline; stiffness: 3",
      "points: [b.tip, c.end]; table: [[-3, -9], [-1, -2], [0, 0], [1, 5], [5, 9]]; "
      "interpolation: monotone",
  };
  static const char *const other[] = {
      "points: [a.tip, b.end]; stiffness: 30; damping: 4; preload: -2",
      "points: [a.tip, b.end]; damping_table: [[-4, -9], [-1, -2], [0, 0], [1, 1], [4, 2]]; "
      "interpolation: spline",
      "points: [a.tip, b.end]; force: \"gain*sin(t)*l^2 - 0.3*dl*abs(dl)\"; stiffness: 2",
      "points: [a.tip, b.end]; force: \"x(c.tip)*vx(c.end, a) + wz(c)*dl + angle(pin)\"",
      "bodies: [c, ground]; at1: [1, 2, 3]; at2: hook; stiffness: 5; damping: 1",
  };
  rig r;
  rig_begin(&r);
  char name[16];
  for (int i = 0; i < TNI_COUNT(conservative); i++) {
    snprintf(name, sizeof(name), "c%d", i);
    const tni_force *f = rig_force(&r, "spring", name, conservative[i]);
    properties_hold(&r, f, CONSERVATIVE | (f->nbody == 2 ? INTERNAL : 0));
  }
  for (int i = 0; i < TNI_COUNT(other); i++) {
    snprintf(name, sizeof(name), "o%d", i);
    const tni_force *f = rig_force(&r, "spring", name, other[i]);
    properties_hold(&r, f, i < 3 ? INTERNAL : 0);
  }
  rig_end(&r);
}

/* what is told of the ends, for pictures and for those who leave turns away: the line of the force goes through both, and only bodies
 * that are held in their centres have no moment */
static void ends_are_where_the_force_acts(void) {
  static const char *const keys[] = {"points: [a.tip, b.end]; stiffness: 30", "points: [ground.hook, a.tip]; stiffness: 30; free_length: 0.5",
                                     "bodies: [a, b]; at1: [%.17g, %.17g, %.17g]; at2: end; stiffness: 30; free_length: 0.1",
                                     "bodies: [a, ground]; at1: [%.17g, %.17g, %.17g]; at2: hook; stiffness: 30; free_length: 0.1"};
  static const unsigned central[] = {0, 0, 1, 1}; /* by the bodies that move, in their order */
  rig r;
  rig_begin(&r);
  for (int c = 0; c < TNI_COUNT(keys); c++) {
    char name[8], text[200];
    const double *com = r.model.body[0].com;
    snprintf(name, sizeof(name), "e%d", c);
    snprintf(text, sizeof(text), keys[c], com[0], com[1], com[2]);
    const tni_force *f = rig_force(&r, "spring", name, text);
    rig_random_state(&r);
    rig_out o;
    rig_eval(&r, f, &o);
    double end[2][3], n[3];
    CHECK_INT(f->nend, 2);
    for (int i = 0; i < 2; i++) {
      const tni_kin *k = &r.kin[f->end_body[i] + 1];
      mat3_vec(end[i], k->A, f->end[i]);
      vec3_add(end[i], end[i], k->r);
    }
    vec3_sub(n, end[1], end[0]);
    double l = vec3_normalize(n, n);
    CHECK(l > 0.1);
    for (int b = 0; b < f->nbody; b++) {
      int i = f->body[b] == f->end_body[0] ? 0 : 1;
      CHECK_INT(f->body[b], f->end_body[i]);
      CHECK_INT(f->central >> b & 1, central[c] >> b & 1);
      double moment[3], arm[3];
      mat3_tvec(arm, r.kin[f->body[b] + 1].A, &o.f[6*b]);
      vec3_cross(moment, f->end[i], arm);
      for (int k = 0; k < 3; k++) {
        CHECK_WITHIN(o.f[6*b + k], (i ? -1 : 1)*o.o.value*n[k], 1e-12*fabs(o.o.value));
        CHECK_WITHIN(o.f[6*b + 3 + k], moment[k], 1e-12*fabs(o.o.value));
      }
    }
  }
  rig_end(&r);
}

/* the textbook: T = k (l - l0) + c l' + preload along the line of the points */
static void tension_pulls_the_points_together(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "spring", "s",
                                 "points: [ground.hook, a.tip]; stiffness: 30; damping: 4; "
                                 "free_length: 0.5; preload: 2");
  rig_random_state(&r);
  const tni_kin *k = &r.kin[1];
  double hook[3] = {0.1, -3, 0.7}, p[3], u[3], n[3], moment[3];
  mat3_vec(p, k->A, r.model.body[0].marker[0].frame.p);
  vec3_cross(u, k->W, p);
  vec3_add(u, u, k->v);
  vec3_copy(moment, p);
  vec3_add(p, p, k->r);
  vec3_sub(n, p, hook);
  double l = vec3_normalize(n, n), T = 30*(l - 0.5) + 4*vec3_dot(n, u) + 2;
  rig_out o;
  rig_eval(&r, f, &o);
  CHECK_NEAR(o.o.value, T, 1e-14);
  CHECK_NEAR(o.o.potential, 15*(l - 0.5)*(l - 0.5) + 2*(l - 0.5), 1e-14);
  vec3_cross(moment, moment, n);
  mat3_tvec(moment, k->A, moment);
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(o.f[i], -T*n[i], 1e-13);
    CHECK_NEAR(o.f[3+i], -T*moment[i], 1e-13);
  }
  rig_end(&r);
}

static void free_length_is_the_initial_length_by_default(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "spring", "s", "points: [b.tip, a.tip]; stiffness: 1e6");
  rig_out o;
  rig_eval(&r, f, &o);
  CHECK_NEAR(o.o.value, 0, 1e-9);
  rig_end(&r);
}

/* a table is integrated exactly: trapezoids for straight pieces */
static void energy_of_a_table_is_its_integral(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "spring", "s",
                                 "points: [ground.hook, a]; free_length: 1; "
                                 "table: [[-1, -4], [0, 0], [1, 2], [2, 10]]");
  rig_out o;
  double at[3] = {0.1 + 3, -3, 0.7}, s[3];
  mat3_identity(r.kin[1].A);
  vec3_scale(s, -1, r.model.body[0].com);
  vec3_sub(r.kin[1].r, at, s);
  rig_eval(&r, f, &o); /* lengthened by 2 */
  CHECK_NEAR(o.o.potential, 0.5*2 + 0.5*(2 + 10), 1e-13);
  CHECK_NEAR(o.o.value, 10, 1e-13);
  r.kin[1].r[0] -= 2.5; /* shortened by 0.5 */
  rig_eval(&r, f, &o);
  CHECK_NEAR(o.o.potential, 0.5*0.5*2, 1e-13);
  CHECK_NEAR(o.o.value, -2, 1e-13);
  rig_end(&r);
}

/* put the point a on the x axis through the hook, l away from it and leaving at speed dl */
static void place(rig *r, double l, double dl) {
  mat3_identity(r->kin[1].A);
  vec3_set(r->kin[1].r, 0.1 + l, -3, 0.7);
  vec3_add(r->kin[1].r, r->kin[1].r, r->model.body[0].com);
  vec3_set(r->kin[1].v, dl, 0, 0);
  vec3_set(r->kin[1].w, 0, 0, 0);
  vec3_set(r->kin[1].W, 0, 0, 0);
}

static double tension(rig *r, const tni_force *f) {
  rig_out o;
  rig_eval(r, f, &o);
  return o.o.value;
}

/* the branch follows the memory until the switching function says otherwise */
/* mode and state agree: no switching function is negative */
static bool agrees(rig *r, const tni_force *f) {
  double g[TNI_ONE_SIDED_NEVENT];
  f->ops->events(f, &r->env, g);
  return g[0] >= 0 && g[1] >= 0;
}

/* as an analysis does */
static void settle(rig *r, const tni_force *f) {
  for (int i = 0; i == 0 || (i < 4 && !agrees(r, f)); i++) f->ops->commit(f, &r->env, true, r->memory);
  CHECK(agrees(r, f));
}

static void rope_goes_slack_and_taut_at_its_switching_function(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "spring", "rope",
                                 "points: [ground.hook, a]; stiffness: 10; damping: 2; "
                                 "free_length: 1; tension_only: true");
  CHECK_INT(f->nevent, TNI_ONE_SIDED_NEVENT);
  CHECK_INT(r.model.nevent, TNI_ONE_SIDED_NEVENT);
  place(&r, 1.5, 0);
  settle(&r, f);
  CHECK_NEAR(tension(&r, f), 5, 1e-14);
  place(&r, 0.5, 0); /* beyond the event, not yet committed: the law goes on smoothly */
  CHECK_NEAR(tension(&r, f), -5, 1e-14);
  CHECK(!agrees(&r, f));
  f->ops->commit(f, &r.env, false, r.memory);
  CHECK_NEAR(tension(&r, f), -5, 1e-14);
  settle(&r, f);
  CHECK_NEAR(tension(&r, f), 0, 0);
  place(&r, 0.5, 10); /* a damper does not tighten a slack rope */
  CHECK(agrees(&r, f));
  CHECK_NEAR(tension(&r, f), 0, 0);
  place(&r, 1.1, 10);
  CHECK(!agrees(&r, f));
  settle(&r, f);
  CHECK_NEAR(tension(&r, f), 21, 1e-13);
  place(&r, 1.1, -10); /* nor does it push while the rope shortens fast */
  CHECK(!agrees(&r, f));
  settle(&r, f);
  CHECK_NEAR(tension(&r, f), 0, 0);
  power_balances(&r, f);
  place(&r, 1.05, -0.1); /* and carries again when it shortens slowly */
  CHECK(!agrees(&r, f));
  settle(&r, f);
  CHECK_NEAR(tension(&r, f), 0.3, 1e-13);
  rig_end(&r);
}

/* Random jumps of length and speed: after switching, mode and state agree, the force is what the law says,
 * and no switch makes energy. */
static void one_sided_springs_agree_with_their_state(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "spring", "rope",
                                 "points: [ground.hook, a]; stiffness: 10; damping: 2; "
                                 "free_length: 1; tension_only: true");
  for (int i = 0; i < 500; i++) {
    double l = 1 + 0.2*sin(1.7*i + sin(3.0*i)), rate = 3*sin(2.3*i*i), E = 10*(l - 1);
    rig_out before, after;
    place(&r, l, rate);
    rig_eval(&r, f, &before);
    settle(&r, f);
    rig_eval(&r, f, &after);
    CHECK(agrees(&r, f));
    CHECK_NEAR(after.o.value, E > 0 && E + 2*rate > 0 ? E + 2*rate : 0, 1e-12);
    CHECK(after.o.dissipated >= 0);
    if (r.memory[0] != TNI_TAUT && after.o.potential > 0) CHECK(E > 0);
  }
  rig_end(&r);
}

/* starting exactly at the free length must not hide the first event */
static void switching_function_is_never_zero_at_the_free_length(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "spring", "stop",
                                 "points: [ground.hook, a]; stiffness: 10; free_length: 1; "
                                 "compression_only: true");
  place(&r, 1, 0);
  settle(&r, f);
  CHECK(agrees(&r, f));
  CHECK_NEAR(tension(&r, f), 0, 0);
  place(&r, 0.9, 0);
  CHECK(!agrees(&r, f));
  settle(&r, f);
  CHECK_NEAR(tension(&r, f), -1, 1e-14);
  rig_end(&r);
}

static void one_sided_springs_keep_their_properties_in_both_modes(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "spring", "rope",
                                 "points: [c.tip, a.end]; stiffness: 10; damping: 2; "
                                 "free_length: 2; preload: 1.5; tension_only: true");
  for (int s = 0; s < 12; s++) {
    rig_random_state(&r);
    f->ops->commit(f, &r.env, true, r.memory);
    tangent_holds(&r, f);
    power_balances(&r, f);
    action_is_reaction(&r, f);
  }
  rig_end(&r);
}

static void senseless_springs_are_refused(void) {
  refused("spring", "stiffness: 3",
          "rig:7: force 'it': has no ends; give points: [rod.tip, ground.hook] or bodies, at1 and "
          "at2");
  refused("spring", "points: [a.tip, a.end]",
          "rig:7: force 'it': has both ends on 'a': it would do nothing");
  refused("spring", "bodies: [a, b]; at1: tip",
          "rig:7: force 'it': has 'bodies' but no 'at2': where on 'b'?");
  refused("spring", "points: [a.meet, b.meet]",
          "rig:7: force 'it': its ends coincide at t = 0: the direction of its force "
          "is undefined; move an end or use a bushing");
}

int main(void) {
  RUN(ends_are_where_the_force_acts);
  RUN(every_variant_has_exact_tangents_and_balanced_power);
  RUN(tension_pulls_the_points_together);
  RUN(free_length_is_the_initial_length_by_default);
  RUN(energy_of_a_table_is_its_integral);
  RUN(rope_goes_slack_and_taut_at_its_switching_function);
  RUN(one_sided_springs_agree_with_their_state);
  RUN(switching_function_is_never_zero_at_the_free_length);
  RUN(one_sided_springs_keep_their_properties_in_both_modes);
  RUN(senseless_springs_are_refused);
  return REPORT();
}
