/* tyre: the law of the vehicle data, road profiles with edges, lift-off
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/one_sided.h"
#include "properties.h"

/* rolling envelope of a half cylinder of radius 0.05 m at x = 4.1 m for a wheel of 0.4699 m */
#define BUMP                                                                                 \
  "road: \"if(abs(x - 4.1) < 0.22246348014899, sqrt(0.5199^2 - (x - 4.1)^2) - 0.4699, 0)\"; "  \
  "road_edges: [3.87753651985101, 4.32246348014899]"
/* 14-body vehicle, front tyre (S004: stiffness, damping; free length from static equilibrium) */
#define TYRE "stiffness: 296325; damping: 3502; free_length: 0.491902064436632"

static void place(rig *r, double x, double z, double vx, double vz) {
  tni_kin *k = &r->kin[1];
  vec3_set(k->r, x, 0.3, z);
  vec3_set(k->v, vx, 0.1, vz);
  vec3_set(k->w, 0, 0, 0);
  mat3_vec(k->W, k->A, k->w);
}

static double load_of(rig *r, const tni_force *f) {
  rig_out o;
  rig_eval(r, f, &o);
  return o.o.value;
}

static void static_force_is_that_of_the_vehicle_data(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "tyre", "FL", "body: a; " TYRE "; " BUMP);
  place(&r, 1.648965, 0.4699, 4.4704, 0);
  CHECK_NEAR(load_of(&r, f), 6519.76174418498, 1e-11);
  rig_out o;
  rig_eval(&r, f, &o);
  CHECK_NEAR(o.f[2], 6519.76174418498, 1e-11);
  CHECK(o.f[0] == 0 && o.f[1] == 0);
  rig_end(&r);
}

static void every_variant_has_exact_tangents_and_balanced_power(void) {
  rig r;
  rig_begin(&r);
  properties_hold(&r, rig_force(&r, "tyre", "a", "body: a; point: tip; stiffness: 30; damping: 2; "
                                "free_length: 0.5; road: \"0.1*sin(3*x - 2*t)\""), 0);
  properties_hold(&r, rig_force(&r, "tyre", "b", "body: b; point: end; stiffness: 30; "
                                "free_length: 0.5; damping: 1"), 0);
  const tni_force *f = rig_force(&r, "tyre", "c", "body: c; point: end; stiffness: 30; damping: 4; "
                                 "free_length: 0.5; road: \"0.1*x^3\"; unilateral: true");
  for (int s = 0; s < 12; s++) {
    rig_random_state(&r);
    f->ops->commit(f, &r.env, true, r.memory);
    tangent_holds(&r, f);
    power_balances(&r, f);
  }
  rig_end(&r);
}

/* half way up the bump, moving: N = k (l0 - l) - c (vz - z' vx) */
static void bump_lifts_and_damps(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "tyre", "FL", "body: a; " TYRE "; " BUMP);
  double x = 4.0, root = sqrt(0.5199*0.5199 - 0.01), h = root - 0.4699, slope = 0.1/root;
  place(&r, x, 0.5, 4.4704, -0.2);
  f->ops->commit(f, &r.env, true, r.memory);
  CHECK_NEAR(load_of(&r, f),
             296325*(0.491902064436632 - (0.5 - h)) - 3502*(-0.2 - slope*4.4704), 1e-12);
  double at[3];
  f->where(f, &r.env, at); /* on the road, below the wheel */
  CHECK_NEAR(at[0], x, 1e-12);
  CHECK_NEAR(at[1], 0.3, 1e-12);
  CHECK_NEAR(at[2], h, 1e-12);
  tangent_holds(&r, f);
  rig_end(&r);
}

/* the branch changes where it is committed, not where x passes the edge */
static void edges_stop_the_integrator_and_switch_the_branch(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "tyre", "FL", "body: a; " TYRE "; " BUMP);
  const double edge = 3.87753651985101, slope = 0.473427282717578, v = 4.4704;
  double g[2], flat;
  CHECK_INT(f->nevent, 2);
  place(&r, 3.8, 0.4699, v, 0);
  f->ops->commit(f, &r.env, true, r.memory);
  flat = load_of(&r, f);
  f->ops->events(f, &r.env, g);
  CHECK(g[0] > 0 && g[1] > 0);
  place(&r, edge + 1e-3, 0.4699, v, 0); /* a trial step beyond the edge: still flat */
  CHECK_NEAR(load_of(&r, f), flat, 1e-12);
  f->ops->events(f, &r.env, g);
  CHECK(g[0] < 0 && g[1] > 0);
  for (int i = 1; i >= -1; i--) {
    place(&r, edge + i*3e-8, 0.4699, v, 0); /* at the event, then wherever projection puts it */
    f->ops->commit(f, &r.env, true, r.memory);
    if (i < 0) break; /* far enough back to have left the bump again */
    /* the slope jumps to a/R of the data; evaluated up to 3e-8 m inside the edge, slope' = 2.6/m */
    CHECK_NEAR(load_of(&r, f), flat + 3502*slope*v, 2e-6);
    f->ops->events(f, &r.env, g);
    CHECK(g[0] > 0 && g[1] > 0);
  }
  CHECK_NEAR(load_of(&r, f), flat, 1e-12);
  rig_end(&r);
}

static void unilateral_tyre_lifts_off_and_lands(void) {
  rig r;
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "tyre", "FL", "body: a; " TYRE "; unilateral: true");
  double g[TNI_ONE_SIDED_NEVENT];
  place(&r, 0, 0.4699, 0, 0);
  f->ops->commit(f, &r.env, true, r.memory);
  f->ops->events(f, &r.env, g);
  CHECK(g[0] > 0 && g[1] > 0);
  place(&r, 0, 0.55, 0, 1);
  f->ops->events(f, &r.env, g);
  CHECK(g[0] < 0);
  CHECK(load_of(&r, f) < 0); /* until the event is committed */
  f->ops->commit(f, &r.env, true, r.memory);
  CHECK_NEAR(load_of(&r, f), 0, 0);
  place(&r, 0, 0.48, 0, -1);
  f->ops->events(f, &r.env, g);
  CHECK(g[0] < 0);
  f->ops->commit(f, &r.env, true, r.memory);
  CHECK_NEAR(load_of(&r, f), 296325*(0.491902064436632 - 0.48) + 3502, 1e-12);
  rig_end(&r);
}

/* in planar models y points up: N = k (l0 - y + road(x)) - c (vy - road' vx), along y */
static void planar_tyres_stand_on_y(void) {
  rig r;
  rig_begin(&r);
  r.model.planar = true;
  const tni_force *f = rig_force(&r, "tyre", "p", "body: a; stiffness: 300; damping: 7; free_length: 0.5; road: \"0.1*x^2\"");
  tni_kin *k = &r.kin[1];
  rig_out o;
  double at[3];
  vec3_set(k->r, 0.3, 0.4, 0);
  vec3_set(k->v, 2, -0.1, 0);
  vec3_set(k->w, 0, 0, 0.2);
  mat3_vec(k->W, k->A, k->w);
  rig_eval(&r, f, &o);
  double N = 300*(0.5 - 0.4 + 0.1*0.09) - 7*(-0.1 - 0.2*0.3*2);
  CHECK_NEAR(o.o.value, N, 1e-13);
  CHECK_NEAR(o.f[1], N, 1e-13);
  CHECK(o.f[0] == 0 && o.f[2] == 0);
  f->where(f, &r.env, at);
  CHECK_NEAR(at[0], 0.3, 1e-14);
  CHECK_NEAR(at[1], 0.009, 1e-13);
  rig_end(&r);
}

static void senseless_tyres_are_refused(void) {
  refused("tyre", "body: ground; stiffness: 1; free_length: 1",
          "rig:7: force 'it': acts on the ground, which does not move");
  refused("tyre", "body: a; stiffness: 1; free_length: 1; road_edges: [1, 1]",
          "rig:7: force 'it': road_edges: 1 after 1, must increase");
  refused("tyre", "body: a; stiffness: 1; free_length: 1; road: \"sin(y)\"",
          "rig:7: force 'it': key 'road': 'sin(y)', column 5: 'y': unknown name; known: t, x, parameters");
}

int main(void) {
  RUN(static_force_is_that_of_the_vehicle_data);
  RUN(every_variant_has_exact_tangents_and_balanced_power);
  RUN(bump_lifts_and_damps);
  RUN(edges_stop_the_integrator_and_switch_the_branch);
  RUN(unilateral_tyre_lifts_off_and_lands);
  RUN(planar_tyres_stand_on_y);
  RUN(senseless_tyres_are_refused);
  return REPORT();
}
