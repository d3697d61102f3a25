/* contact: distances to shapes, exact tangents and action = reaction in every branch
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/contact_core.h"
#include "forces/contact_shape.h"
#include "forces/contact_touch.h"
#include "forces/friction.h"
#include "properties.h"

static const tni_shape shapes[] = {{.kind = TNI_PLANE},
                                   {.kind = TNI_SPHERE, .radius = 0.3},
                                   {.kind = TNI_CAPSULE, .radius = 0.2, .half = {0, 0, 0.5}},
                                   {.kind = TNI_BOX, .half = {0.3, 0.4, 0.5}}};

static void normals_and_curvatures_are_derivatives_of_the_distance(void) {
  const double h = 1e-6;
  uint64_t seed = 42;
  for (int s = 0; s < TNI_COUNT(shapes); s++) {
    for (int k = 0; k < 40; k++) {
      double y[3], n[3], H[9], np[3], nm[3];
      for (int i = 0; i < 3; i++) y[i] = check_random(&seed);
      tni_shape_distance(&shapes[s], y, n, H);
      CHECK_NEAR(vec3_norm(n), 1, 1e-14);
      for (int j = 0; j < 3; j++) {
        double yp[3] = {y[0], y[1], y[2]}, ym[3] = {y[0], y[1], y[2]};
        yp[j] += h, ym[j] -= h;
        double dp = tni_shape_distance(&shapes[s], yp, np, NULL);
        double dm = tni_shape_distance(&shapes[s], ym, nm, NULL);
        CHECK_WITHIN(n[j], (dp - dm)/(2*h), 1e-8);
        for (int i = 0; i < 3; i++) CHECK_WITHIN(H[3*i+j], (np[i] - nm[i])/(2*h), 1e-7);
      }
    }
  }
}

/* the surface is where it should be: known points */
static void distances_of_known_points(void) {
  double n[3];
  CHECK_NEAR(tni_shape_distance(&shapes[0], (double[]){3, 4, -0.25}, n, NULL), -0.25, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[1], (double[]){0, 3, 4}, n, NULL), 4.7, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[2], (double[]){0, 0.6, 0.1}, n, NULL), 0.4, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[2], (double[]){0, 0.3, 0.9}, n, NULL), 0.3, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[3], (double[]){0.6, 0.8, 0.1}, n, NULL), 0.5, 1e-15);
  CHECK_NEAR(tni_shape_distance(&shapes[3], (double[]){0.2, 0, 0}, n, NULL), -0.1, 1e-15);
  double corner[TNI_SHAPE_MAXPROBE][3];
  CHECK_INT(tni_shape_probes(&shapes[3], corner), 8);
  for (int k = 0; k < 8; k++)
    CHECK_NEAR(tni_shape_distance(&shapes[3], corner[k], n, NULL), 0, 1e-15);
}

/* ---- cores --------------------------------------------------------------------------------- */

static const tni_core point = {.radius = 0.1};
static const tni_core rod = {.n = 1, .half = {0.7}, .axis = {{0, 0, 1}}, .radius = 0.1};
static const tni_core brick = {.n = 3, .half = {0.3, 0.4, 0.5},
                               .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .radius = 0.1};

/* the smallest value on a fine grid of both cores, refined around the best point again and again */
static double by_search(const tni_gap *g) {
  double best[6], width[6], least = HUGE_VAL;
  for (int k = 0; k < g->n; k++) {
    best[k] = 0.5*(g->lo[k] + g->hi[k]);
    width[k] = 0.5*(g->hi[k] - g->lo[k]);
  }
  double z0[3];
  vec3_copy(z0, g->z);
  for (int k = 0; k < g->n; k++) vec3_addmul(z0, -g->s[k], g->e[k]);
  int n = 1;
  for (int k = 0; k < g->n; k++) n *= 3;
  for (int round = 0; round < 400; round++) {
    double centre[6];
    bool better = false;
    memcpy(centre, best, sizeof(centre));
    for (int i = 0; i < n; i++) {
      double z[3], s[6], value = 0;
      vec3_copy(z, z0);
      for (int k = 0, c = i; k < g->n; k++, c /= 3) {
        s[k] = fmin(g->hi[k], fmax(g->lo[k], centre[k] + (c%3 - 1)*width[k]));
        vec3_addmul(z, s[k], g->e[k]);
        if (k < g->n1) value += g->rho*(s[k] - g->want[k])*(s[k] - g->want[k]);
      }
      value += vec3_dot(z, z);
      if (value < least) {
        least = value;
        memcpy(best, s, sizeof(best));
        better = true;
      }
    }
    for (int k = 0; !better && k < g->n; k++) width[k] *= 0.6;
  }
  return sqrt(least);
}

static void closest_points_are_the_closest(void) {
  const tni_core pairs[][2] = {{rod, rod}, {rod, brick}, {brick, brick}, {point, rod}};
  uint64_t seed = 7;
  for (int c = 0; c < TNI_COUNT(pairs); c++) {
    for (int i = 0; i < (c == 2 ? 6 : 20); i++) {
      double A[2][9], r[2][3], p[4];
      tni_gap g;
      for (int b = 0; b < 2; b++) {
        for (int k = 0; k < 4; k++) p[k] = check_random(&seed);
        quat_normalize(p);
        quat_matrix(A[b], p);
        for (int k = 0; k < 3; k++) r[b][k] = 2*check_random(&seed);
      }
      const double *const AA[2] = {A[0], A[1]}, *const rr[2] = {r[0], r[1]};
      /* a large rho: the search does not follow narrow valleys */
      tni_gap_find(pairs[c], 0.3, i % (1 << pairs[c][0].n), AA, rr, &g);
      CHECK_WITHIN(g.D, by_search(&g), 1e-6);
      for (int k = 0; k < g.n; k++) CHECK(g.s[k] >= g.lo[k] && g.s[k] <= g.hi[k]);
    }
  }
}

/* The cheap bound never says more than the distance, and says most of it where the two are far apart. */
static void cheap_bounds_are_below_the_distance(void) {
  const tni_core pairs[][2] = {{rod, rod}, {rod, brick}, {brick, brick}};
  uint64_t seed = 11;
  int useful = 0, apart = 0;
  for (int i = 0; i < 3000; i++) {
    const tni_core *core = pairs[i % TNI_COUNT(pairs)];
    double A[2][9], r[2][3], p[4], reach = 1 + 3*fabs(check_random(&seed));
    for (int b = 0; b < 2; b++) {
      for (int k = 0; k < 4; k++) p[k] = check_random(&seed);
      quat_normalize(p);
      quat_matrix(A[b], p);
      for (int k = 0; k < 3; k++) r[b][k] = reach*check_random(&seed);
    }
    const double *const AA[2] = {A[0], A[1]}, *const rr[2] = {r[0], r[1]};
    tni_apart a;
    tni_apart_look(core, AA, rr, &a);
    for (int part = 0; part < 1 << core[0].n; part++) {
      tni_gap g;
      double rho = tni_core_rho(core), least = tni_apart_part(core, &a, part);
      tni_gap_find(core, rho, part, AA, rr, &g);
      CHECK(least <= g.d*(1 + 1e-12) + 1e-12 && a.least <= g.d*(1 + 1e-12) + 1e-12);
      if (g.d < 1) continue;
      apart++;
      useful += least > 0.7*g.d;
    }
  }
  CHECK(apart > 5000 && useful > 0.8*apart);
}

/* crossed rods, end to end, brick on brick: known distances and points */
static void known_pairs_have_their_distance(void) {
  const double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, X[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
  const double far[3] = {0.1, 0.25, 0.2}, end[3] = {0, 0, 2}, top[3] = {0.2, 0.1, 1.2}, o[3] = {0};
  const tni_core rods[2] = {rod, rod}, bricks[2] = {brick, brick};
  tni_gap g;
  const double *const AI[2] = {I, I}, *const AX[2] = {I, X};
  const double *const crossed[2] = {far, o}, *const above[2] = {end, o}, *const on[2] = {top, o};
  double rho = tni_core_rho(rods);
  tni_gap_find(rods, rho, 0, AX, crossed, &g); /* the lower half reaches the middle of the other */
  CHECK_WITHIN(g.D, 0.25, 1e-4);
  CHECK_NEAR(g.x1[2], 0, 1e-4);
  tni_gap_find(rods, rho, 0, AI, above, &g);
  CHECK_NEAR(g.D, 0.6, 1e-12);
  /* lower corners of the upper brick, and where the lower one ends */
  const double x[4][2] = {{-0.1, -0.3}, {0.3, -0.3}, {-0.1, 0.4}, {0.3, 0.4}};
  rho = tni_core_rho(bricks);
  for (int part = 0; part < 4; part++) {
    tni_gap_find(bricks, rho, part, AI, on, &g);
    CHECK_NEAR(g.D, 0.2, 1e-4);
    CHECK(!tni_gap_closed(&g));
    CHECK_NEAR(g.n12[2], 1, 1e-6);
    CHECK_NEAR(g.x1[0], x[part][0], 1e-4);
    CHECK_NEAR(g.x1[1], x[part][1], 1e-4);
  }
  const double inside[3] = {0.2, 0.1, 0.5};
  const double *const in[2] = {inside, o};
  tni_gap_find(bricks, rho, 0, AI, in, &g);
  CHECK(tni_gap_closed(&g));
}

/* ---- branches ------------------------------------------------------------------------------ */

static void reverse(rig *r) {
  for (int i = 1; i <= RIG_BODIES; i++) {
    vec3_scale(r->kin[i].v, -1, r->kin[i].v);
    vec3_scale(r->kin[i].w, -1, r->kin[i].w);
    vec3_scale(r->kin[i].W, -1, r->kin[i].W);
  }
}

/* k times: switch at a state, turn the velocities round. From open it goes to loading, unloading,
 * resting; friction from sliding to sticking and on. */
static void go_through(rig *r, const tni_force *f, int k) {
  rig_refresh(r);
  for (int i = 0; i < k; i++) {
    f->ops->commit(f, &r->env, true, r->memory);
    if (i == 0) {
      /* approaching first, so that the next switch is the turn */
      double g[128];
      CHECK(f->nevent <= TNI_COUNT(g));
      f->ops->events(f, &r->env, g);
      if (g[0] < 0) continue;
    }
    reverse(r);
  }
}

/* What the way of a step lacks is left out of tangents, and known in power to leading order (friction.h); there is
 * nothing of it before the step begins. */
static void begin_step(rig *r, const tni_force *f) {
  const tni_contact *d = f->data;
  for (int i = 0; i < d->ntouch; i++) {
    double *m = r->memory + d->memory + i*TNI_TOUCH_NMEMORY;
    if (m[TNI_TOUCH_GRIP] == TNI_GRIP_STICK) m[TNI_TOUCH_TIME] = r->env.t + 1;
  }
}

static void tangents_hold_in_every_branch(void) {
  static const char *const keys[] = {
      "bodies: [a, ground]; radius1: 9; axis2: [1, 2, 3]; stiffness: 20; restitution: 0.9",
      "bodies: [a, b]; radius1: 9; at1: tip; at2: end; axis2: [1, 2, 3]; stiffness: 20; "
      "friction: 0.4; restitution: 0.95",
      "bodies: [b, c]; shape2: sphere; radius1: 4; radius2: 5; at2: end; stiffness: 20; "
      "friction: 0.4",
      "bodies: [b, c]; shape2: capsule; radius1: 4; radius2: 5; length2: 3; axis2: [1, 0, 1]; "
      "stiffness: 20; friction: 0.4; restitution: 0.8",
      "bodies: [b, c]; shape2: box; radius1: 4; size2: [0.2, 0.3, 0.4]; stiffness: 20; "
      "friction: 0.4; restitution: 0.8",
      /* wide layers, so that random states touch; shape 1 comes second here and there */
      "bodies: [b, c]; shape1: capsule; radius1: 3; length1: 0.8; axis1: [1, 1, 0]; shape2: capsule; "
      "radius2: 4; length2: 0.5; axis2: [0, 0, 1]; at2: end; stiffness: 20; friction: 0.4",
      "bodies: [b, c]; shape1: capsule; radius1: 6; length1: 0.8; axis1: [1, 1, 0]; shape2: box; "
      "size2: [0.3, 0.2, 0.4]; stiffness: 20; friction: 0.4; restitution: 0.9",
      "bodies: [a, ground]; shape1: box; size1: [0.3, 0.2, 0.4]; shape2: capsule; radius2: 7; "
      "length2: 1; stiffness: 20; friction: 0.4; restitution: 0.9"};
  for (int c = 0; c < TNI_COUNT(keys); c++) {
    rig r;
    rig_begin(&r);
    const tni_force *f = rig_force(&r, "contact", "it", keys[c]);
    for (int k = 0; k < 5; k++) {
      for (int s = 0; s < STATES; s++) {
        rig_random_state(&r);
        go_through(&r, f, k);
        rig_random_state(&r);
        r.env.t += 1; /* a slider turns fast right after a switch, faster than differences follow */
        begin_step(&r, f);
        tangent_holds(&r, f);
        if (f->nbody == 2) action_is_reaction(&r, f);
      }
    }
    rig_end(&r);
  }
}

/* power of the force = -change of the stored energy - heat, right after a switch and at other states */
static void power_balances_in_every_branch(void) {
  static const char *const keys[] = {
      "bodies: [a, b]; radius1: 9; at1: tip; axis2: [1, 2, 3]; stiffness: 20; friction: 0.4; "
      "restitution: 0.95",
      "bodies: [b, c]; shape2: sphere; radius1: 4; radius2: 5; at2: end; stiffness: 20; friction: 0.4",
      "bodies: [b, c]; shape1: capsule; radius1: 6; length1: 0.8; axis1: [1, 1, 0]; shape2: box; "
      "size2: [0.3, 0.2, 0.4]; stiffness: 20; friction: 0.4; restitution: 0.9"};
  for (int c = 0; c < TNI_COUNT(keys); c++) {
    rig r;
    rig_begin(&r);
    const tni_force *f = rig_force(&r, "contact", "it", keys[c]);
    for (int k = 0; k < 5; k++) {
      for (int s = 0; s < STATES; s++) {
        rig_random_state(&r);
        go_through(&r, f, k);
        power_balances(&r, f);
        rig_random_state(&r);
        begin_step(&r, f);
        power_balances(&r, f);
      }
    }
    rig_end(&r);
  }
}

/* every branch: one touch and many, spheres and parts, with ground and between bodies; layers so wide that random states touch */
static const char *const of_all_kinds[] = {
    "bodies: [a, ground]; radius1: 4; axis2: [1, 2, 3]; stiffness: 20; friction: 0.4; restitution: 0.8",
    "bodies: [b, c]; shape2: sphere; radius1: 2; radius2: 1; at2: end; stiffness: 20; friction: 0.4",
    "bodies: [a, b]; shape1: box; size1: [2, 3, 1]; axis2: [1, 2, 3]; stiffness: 20; friction: 0.2; restitution: 0.6",
    "bodies: [b, c]; shape1: capsule; radius1: 2; length1: 0.8; axis1: [1, 1, 0]; shape2: box; "
    "size2: [0.3, 0.2, 0.4]; stiffness: 20; friction: 0.4; restitution: 0.9"};

/* what has switched is what the memory says of before and after, touch by touch */
static void switches_are_recorded(rig *r, const tni_force *f, const double *before) {
  const tni_contact *d = f->data;
  tni_switch got[64];
  int n = f->ops->switches(f, &r->env, before, got), at = 0;
  for (int i = 0; i < d->ntouch; i++) {
    const double *m0 = before + d->memory + i*TNI_TOUCH_NMEMORY, *m = r->memory + d->memory + i*TNI_TOUCH_NMEMORY;
    bool was = tni_impact_pressed(m0), is = tni_impact_pressed(m);
    tni_grip grip0 = (tni_grip)m0[TNI_TOUCH_GRIP], grip = (tni_grip)m[TNI_TOUCH_GRIP];
    bool slips = grip0 == TNI_GRIP_STICK && grip == TNI_GRIP_SLIDE, sticks = grip0 == TNI_GRIP_SLIDE && grip == TNI_GRIP_STICK;
    if (was == is && !slips && !sticks) continue;
    if (!CHECK(at < n)) return;
    const tni_switch *o = &got[at++];
    tni_touch w;
    tni_touch_look(d, i, &r->env, false, &w);
    if (was == is) {
      CHECK(o->kind == (slips ? TNI_SWITCH_SLIP : TNI_SWITCH_STICK));
      CHECK(o->normal[0] == w.rate && isnan(o->normal[1]) && isnan(o->impulse));
      CHECK_NEAR(o->tangential[0], vec3_norm(w.ut), 1e-15);
    } else {
      CHECK(o->kind == (is ? TNI_SWITCH_TOUCH : TNI_SWITCH_TOUCH + 1));
      CHECK(o->normal[is ? 0 : 1] == w.rate && isnan(o->impulse) == is);
      CHECK_NEAR(o->tangential[is ? 0 : 1], vec3_norm(w.ut), 1e-15);
      if (!is) CHECK(o->normal[0] == m0[TNI_IMPACT_SPEED] && o->tangential[0] == m0[TNI_TOUCH_SPEED] && o->impulse == m0[TNI_IMPACT_IMPULSE]);
    }
  }
  CHECK_INT(n, at);
}

/* cores that overlap: no sensible force, steps that come there are not accepted */
static bool too_deep(const rig *r, const tni_contact *d) {
  tni_touch w;
  bool any = false;
  for (int i = 0; i < d->ntouch; i++) {
    tni_touch_look(d, i, &r->env, false, &w);
    any = any || isnan(w.c);
  }
  return any;
}

/* Where bodies are and move decides the branch: after at most four switches no switching function asks for another one. What begins to
 * touch with a speed along the surface slides, against it, with mu times the normal force; without one it sticks, without a force. */
static void switches_come_to_an_end(void) {
  for (int c = 0; c < TNI_COUNT(of_all_kinds); c++) {
    rig r;
    rig_begin(&r);
    const tni_force *f = rig_force(&r, "contact", "it", of_all_kinds[c]);
    const tni_contact *d = f->data;
    int touched = 0, changed = 0;
    for (int s = 0; s < 200; s++) {
      double g[128], before[512];
      if (s % 4 == 0) rig_refresh(&r);
      rig_random_state(&r);
      r.env.t = s;
      if (s % 4 == 0 && s % 8) /* at rest */
        for (int b = 1; b <= RIG_BODIES; b++) vec3_set(r.kin[b].v, 0, 0, 0), vec3_set(r.kin[b].w, 0, 0, 0), vec3_set(r.kin[b].W, 0, 0, 0);
      int more = 1, k = 0;
      if (too_deep(&r, d)) continue;
      for (; more && k < 6; k++) {
        memcpy(before, r.memory, sizeof(before));
        f->ops->commit(f, &r.env, true, r.memory);
        switches_are_recorded(&r, f, before);
        changed += memcmp(before, r.memory, sizeof(before)) != 0;
        f->ops->events(f, &r.env, g);
        more = 0;
        for (int i = 0; i < f->nevent; i++) more += !(g[i] >= 0);
        if (k > 0 || s % 4) continue;
        for (int i = 0; i < d->ntouch; i++) { /* the first switch of all */
          const double *m = r.memory + d->memory + i*TNI_TOUCH_NMEMORY;
          if (!tni_impact_pressed(m)) continue;
          tni_touch w;
          tni_impact_out law;
          double T[3], stored, heat;
          tni_touch_look(d, i, &r.env, true, &w);
          tni_impact_eval(&d->impact, m, w.p, w.rate, &law);
          tni_friction_force(d, m, &r.env, &w, &law, T, &stored, &heat);
          double speed = vec3_norm(w.ut), yields = d->mu*w.rate;
          touched++;
          if (speed > 1e-3 && speed > yields)
            for (int j = 0; j < 3; j++) CHECK_WITHIN(T[j], -d->mu*law.elastic*w.ut[j]/speed, 1e-12*law.elastic);
          if (speed == 0) CHECK(vec3_norm(T) <= 1e-12*law.elastic);
        }
      }
      CHECK(more == 0 && k <= 4);
      double least = HUGE_VAL; /* to what is open, whatever touches */
      for (int i = 0; i < d->ntouch && !d->parts; i++) {
        tni_touch w;
        tni_touch_look(d, i, &r.env, false, &w);
        if (r.memory[d->memory + i*TNI_TOUCH_NMEMORY + TNI_IMPACT_BRANCH] == TNI_OPEN) least = fmin(least, d->impact.shift - w.p);
      }
      if (!d->parts) CHECK(f->ops->clearance(f, &r.env) == least);
    }
    CHECK(touched > 20 && changed > 100);
    rig_end(&r);
  }
}

/* How far bodies are from touching is never overstated, and right where they come near; a round body in front of each face of a box is as
 * far away as it is. */
static void clearance_is_the_distance(void) {
  static const char *const keys[] = {
      "bodies: [a, b]; shape1: capsule; radius1: 0.3; length1: 0.8; shape2: capsule; radius2: 0.05; length2: 1.5",
      "bodies: [a, b]; shape1: capsule; radius1: 0.05; length1: 0.8; shape2: capsule; radius2: 0.3; length2: 1.5",
      "bodies: [a, b]; shape1: box; size1: [0.3, 0.2, 0.4]; shape2: capsule; radius2: 0.2; length2: 1e-9",
      "bodies: [a, b]; shape1: box; size1: [0.3, 0.2, 0.4]; shape2: box; size2: [0.7, 0.8, 0.5]",
      "bodies: [a, b]; shape1: box; size1: [0.3, 0.2, 0.4]; axis2: [1, 2, 3]"};
  static const double half[3] = {0.15, 0.1, 0.2};
  for (int c = 0; c < TNI_COUNT(keys); c++) {
    rig r;
    rig_begin(&r);
    r.model.body[1].r0[0] += 9; /* apart */
    const tni_force *f = rig_force(&r, "contact", "it", keys[c]);
    const tni_contact *d = f->data;
    int close = 0;
    for (int s = 0; s < 400; s++) {
      rig_random_state(&r);
      for (int j = 0; j < 3; j++) r.kin[2].r[j] = r.kin[1].r[j] + (0.2 + s % 5)*r.kin[2].r[j];
      double least = HUGE_VAL, got = f->ops->clearance(f, &r.env);
      for (int i = 0; i < d->ntouch; i++) {
        tni_touch w;
        tni_touch_look(d, i, &r.env, false, &w);
        least = fmin(least, d->impact.shift - w.p);
      }
      CHECK(got <= least + 1e-12);
      double thick = d->parts ? d->core[0].radius + d->core[1].radius : 1e9;
      if (least < 0.99*thick) CHECK_WITHIN(got, least, 1e-12), close++;
    }
    CHECK(close > 30);
    for (int k = 0; k < 6 && c == 2; k++) {
      double e[3] = {0};
      e[k % 3] = k < 3 ? half[k] + 0.21 : -half[k % 3] - 0.21;
      rig_random_state(&r);
      mat3_vec(e, r.kin[1].A, e);
      vec3_add(r.kin[2].r, r.kin[1].r, e);
      CHECK_WITHIN(f->ops->clearance(f, &r.env), 0.01, 3e-4); /* parts overstate by half a thousandth of the radii */
    }
    rig_end(&r);
  }
}

static void senseless_contacts_are_refused(void) {
  refused("contact", "bodies: [a, a]; radius1: 1", "rig:7: force 'it': connects 'a' with itself");
  refused("contact", "bodies: [a, ground]",
          "rig:7: force 'it': shape1 is a sphere: 'radius1' is missing");
  refused("contact", "bodies: [a, ground]; radius1: 1; size2: [1, 1, 1]",
          "rig:7: force 'it': shape2 is a plane: it has no 'size2'");
  refused("contact", "bodies: [a, b]; shape1: box; size1: [9, 9, 9]; shape2: box; size2: [9, 9, 9]",
          "rig:7: force 'it': the shapes overlap at t = 0 by more than 0.9 m; move the bodies apart");
  refused("contact", "bodies: [a, b]; shape1: box; size1: [0.1, 0.2, 0.1]; shape2: box; "
          "size2: [1, 1, 1]; rounding: 0.05",
          "rig:7: force 'it': rounding = 0.05, must be below half of the shortest edge 0.1");
  refused("contact", "bodies: [a, b]; radius1: 1; shape2: box; size2: [1, 1, 1]; rounding: 0.05",
          "rig:7: force 'it': rounding: only boxes that meet a capsule or a box have round edges");
  refused("contact", "bodies: [a, b]; radius1: 1; stiffness: 1; duration: 1",
          "rig:7: force 'it': has 'stiffness' and 'duration': one follows from the other, give "
          "one");
}

int main(void) {
  RUN(normals_and_curvatures_are_derivatives_of_the_distance);
  RUN(distances_of_known_points);
  RUN(closest_points_are_the_closest);
  RUN(cheap_bounds_are_below_the_distance);
  RUN(known_pairs_have_their_distance);
  RUN(tangents_hold_in_every_branch);
  RUN(power_balances_in_every_branch);
  RUN(switches_come_to_an_end);
  RUN(clearance_is_the_distance);
  RUN(senseless_contacts_are_refused);
  return REPORT();
}
