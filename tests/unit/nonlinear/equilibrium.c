/* unit test of nonlinear/equilibrium.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/equilibrium.h"

#include "support/loaded.h"

/* every test runs with dense matrices and with sparse ones */
static tni_space_form form;

typedef struct {
  loaded l;
  tni_data *s;
  tni_arena arena;
  tni_assembly assembly;
  tni_equilibrium e;
  tni_equilibrium_report r;
  double *q, *v;
} bench;

static void bench_open(bench *b, const char *text) {
  memset(b, 0, sizeof(*b));
  load_text(&b->l, text);
  CHECK_OK(b->l.ctx, tni_cartesian_create(b->l.ctx, b->l.model, &(tni_system_opts){0}, &b->s));
  tni_arena_init(&b->arena, b->l.ctx);
  b->q = tni_arena_alloc(&b->arena, (size_t)b->s->nq, sizeof(double));
  b->v = tni_arena_alloc(&b->arena, (size_t)b->s->nv, sizeof(double));
  tni_initial(b->s, b->q, b->v);
  CHECK_OK(b->l.ctx, tni_assemble(b->l.model, b->s, 0, b->q, b->v, &b->arena, &b->assembly));
  CHECK_OK(b->l.ctx, tni_equilibrium_create(&b->arena, b->s, form, &b->e));
}

static void bench_close(bench *b) {
  tni_equilibrium_destroy(&b->e);
  tni_arena_clear(&b->arena);
  tni_data_destroy(&b->s);
  unload(&b->l);
}

static tn_status solve(bench *b, tni_search search) {
  tni_equilibrium_opts o = {.search = search};
  return tni_equilibrium_solve(&b->e, 0, b->q, &o, &b->r);
}

/* a pendulum of length 0.5 whose centre starts at the given place */
static void pendulum_at(bench *b, double angle) {
  char text[512];
  snprintf(text, sizeof(text),
           "gravity: [0, -9.81]\nplanar: true\n"
           "bodies:\n  rod: {mass: 2, inertia: 0.1, at: [%.17g, %.17g]}\n"
           "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n",
           0.5*sin(angle), -0.5*cos(angle));
  bench_open(b, text);
}

/* downhill from anywhere but the top ends at the bottom */
static void downhill_finds_the_bottom(void) {
  for (int k = 1; k < 24; k++) {
    if (k == 12) continue;
    bench b;
    pendulum_at(&b, 2*3.14159265358979323846*k/24);
    CHECK_OK(b.l.ctx, solve(&b, TNI_DOWNHILL));
    CHECK_NEAR(b.q[0], 0, 1e-10);
    CHECK_NEAR(b.q[1], -0.5, 1e-10);
    CHECK_INT(b.r.nnegative, 0);
    CHECK(b.r.iterations < 25);
    /* eigenvalue in the measure with its lever a: m g l/(I + m l^2 + m a^2) */
    double a = b.e.ts.lever;
    CHECK(a > 0);
    CHECK_NEAR(b.e.ts.value[0], 2*9.81*0.5/(0.1 + 2*0.25 + 2*a*a), 1e-10);
    bench_close(&b);
  }
}

static void nearest_finds_the_top_when_near_it(void) {
  bench b;
  pendulum_at(&b, 3.0);
  CHECK_OK(b.l.ctx, solve(&b, TNI_NEAREST));
  CHECK_NEAR(b.q[1], 0.5, 1e-10);
  CHECK_INT(b.r.nnegative, 1);
  bench_close(&b);
}

static void stable_leaves_the_top(void) {
  bench b;
  pendulum_at(&b, 3.14159265358979323846);
  CHECK_OK(b.l.ctx, solve(&b, TNI_DOWNHILL));
  CHECK_NEAR(b.q[1], 0.5, 1e-12);
  CHECK_INT(b.r.nnegative, 1);
  CHECK_OK(b.l.ctx, solve(&b, TNI_STABLE));
  CHECK_NEAR(b.q[1], -0.5, 1e-10);
  CHECK_INT(b.r.nnegative, 0);
  CHECK_INT(b.r.left, 1);
  bench_close(&b);
}

/* near the solution the error squares at each step: from 1e-2 to rounding in four */
static void convergence_is_quadratic(void) {
  bench b;
  pendulum_at(&b, 0.1);
  CHECK_OK(b.l.ctx, solve(&b, TNI_DOWNHILL));
  CHECK(b.r.iterations <= 4);
  bench_close(&b);
}

/* a follower force has no potential and a stiffness that is not symmetric: rod on a hinge with a
 * torsion spring, force F at the tip perpendicular to the rod: k theta = F l at any angle */
static void follower_force_is_followed(void) {
  bench b;
  bench_open(&b, "planar: true\n"
                 "bodies:\n"
                 "  a: {mass: 1, inertia: 0.1, between: [[0, 0], [1, 0]]}\n"
                 "  b: {mass: 1, inertia: 0.1, between: [[1, 0], [2, 0]]}\n"
                 "joints:\n"
                 "  p: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                 "  e: {type: revolute, bodies: [a, b], at: [1, 0]}\n"
                 "forces:\n"
                 "  sp: {type: torsion_spring, joint: p, stiffness: 10}\n"
                 "  se: {type: torsion_spring, joint: e, stiffness: 10}\n"
                 "  push: {type: force, body: b, point: [2, 0], frame: body, force: [0, 8, 0]}\n");
  CHECK_OK(b.l.ctx, solve(&b, TNI_DOWNHILL));
  /* second hinge: k theta2 = F l; first: k theta1 = F l (1 + cos theta2) */
  double th2 = 0.8, th1 = 0.8*(1 + cos(th2));
  CHECK_NEAR(b.q[0], 0.5*cos(th1), 1e-9);
  CHECK_NEAR(b.q[1], 0.5*sin(th1), 1e-9);
  CHECK_NEAR(b.q[7], cos(th1) + 0.5*cos(th1 + th2), 1e-9);
  CHECK(!b.e.ts.symmetric);
  CHECK(b.r.iterations < 20);
  bench_close(&b);
}

/* three links with springs, far from where they come to rest, in units of length l, mass m and time s */
static void links_in(bench *b, int k, double l, double m, double s) {
  char text[2000], body[3][300];
  double a = 0, x = 0, y = 0, stiff = m/(s*s);
  for (int i = 0; i < 3; i++) {
    a += 0.3 + 0.41*k + 0.2*i*(k % 3 - 1);
    double x1 = x + sin(a), y1 = y - cos(a);
    snprintf(body[i], sizeof(body[i]), "  %c: {mass: %.17g, inertia: %.17g, between: [[%.17g, %.17g], [%.17g, %.17g]]}\n", 'a' + i, (1 + 0.5*i)*m, 0.1*m*l*l, x*l, y*l, x1*l, y1*l);
    x = x1, y = y1;
  }
  double at[2][2] = {{0}}, turn = 0;
  for (int i = 0; i < 2; i++) {
    turn += 0.3 + 0.41*k + 0.2*i*(k % 3 - 1);
    at[i][0] = (i ? at[0][0] : 0) + sin(turn);
    at[i][1] = (i ? at[0][1] : 0) - cos(turn);
  }
  snprintf(text, sizeof(text),
           "gravity: [0, %.17g]\nplanar: true\nbodies:\n%s%s%s"
           "joints:\n  p: {type: revolute, bodies: [ground, a], at: [0, 0]}\n  q: {type: revolute, bodies: [a, b], at: [%.17g, %.17g]}\n"
           "  r: {type: revolute, bodies: [b, c], at: [%.17g, %.17g]}\n"
           "forces:\n  t: {type: torsion_spring, joint: q, stiffness: %.17g}\n"
           "  s: {type: spring, bodies: [ground, c], at1: [%.17g, %.17g], at2: [%.17g, %.17g], stiffness: %.17g, free_length: %.17g}\n",
           -9.81*l/(s*s), body[0], body[1], body[2], at[0][0]*l, at[0][1]*l, at[1][0]*l, at[1][1]*l, 6*stiff*l*l, 2*l, 1*l, x*l, y*l, 4*stiff, 0.5*l);
  bench_open(b, text);
}

/* The way to an equilibrium does not know the units: as many steps, and not many, and the same end */
static void the_way_is_the_same_in_any_units(void) {
  static const double unit[][3] = {{1e3, 1e3, 1e3}, {1e-2, 1, 60}, {1, 1e-3, 1}};
  int most = 0;
  for (int k = 0; k < 14; k++) {
    bench b, other;
    tni_search how = k % 2 ? TNI_STABLE : TNI_DOWNHILL;
    links_in(&b, k, 1, 1, 1);
    CHECK_OK(b.l.ctx, solve(&b, how));
    CHECK_INT(b.r.nnegative, 0);
    most = b.r.iterations > most ? b.r.iterations : most;
    for (int u = 0; u < TNI_COUNT(unit); u++) {
      links_in(&other, k, unit[u][0], unit[u][1], unit[u][2]);
      CHECK_OK(other.l.ctx, solve(&other, how));
      CHECK(abs(other.r.iterations - b.r.iterations) <= 2); /* the last ones are rounding */
      for (int i = 0; i < b.s->nq; i++) /* a body: place and Euler parameters */
        if (i % 7 < 2) CHECK_WITHIN(other.q[i]/unit[u][0], b.q[i], 1e-8);
      bench_close(&other);
    }
    bench_close(&b);
  }
  if (!CHECK(most <= 34)) printf("  at most %d iterations\n", most);
}

/* more than a whole turn: the spring pulls the angle through 3 revolutions and is remembered */
static void angles_count_through_turns(void) {
  bench b;
  bench_open(&b, "planar: true\n"
                 "bodies:\n  rod: {mass: 2, inertia: 0.1, at: [0.5, 0]}\n"
                 "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                 "forces:\n  s: {type: torsion_spring, joint: pin, stiffness: 3, free_angle: 20}\n");
  CHECK_OK(b.l.ctx, solve(&b, TNI_DOWNHILL));
  CHECK_NEAR(b.q[0], 0.5*cos(20), 1e-9);
  CHECK_NEAR(b.q[1], 0.5*sin(20), 1e-9);
  CHECK(b.r.residual < 1e-10);
  CHECK_NEAR(b.e.ts.potential, 0, 1e-9);
  bench_close(&b);
}

/* a wheel in the air falls onto a road that only pushes */
static void one_sided_support_is_found(void) {
  bench b;
  bench_open(&b, "gravity: [0, 0, -9.81]\n"
                 "bodies:\n  wheel: {mass: 20, inertia: [1, 2, 1], at: [0, 0, 3]}\n"
                 "joints:\n  guide: {type: prismatic, bodies: [ground, wheel], at: [0, 0, 0], axis: z}\n"
                 "forces:\n"
                 "  tyre: {type: tyre, body: wheel, stiffness: 2e5, free_length: 0.4, unilateral: true}\n");
  CHECK_OK(b.l.ctx, solve(&b, TNI_DOWNHILL));
  CHECK_NEAR(b.q[2], 0.4 - 20*9.81/2e5, 1e-10);
  CHECK_INT(b.r.nnegative, 0);
  bench_close(&b);
}

/* indifferent directions are left where they are */
static void step_is_of_least_norm(void) {
  bench b;
  bench_open(&b, "gravity: [0, 0, -9.81]\n"
                 "bodies:\n  a: {mass: 2, inertia: [1, 1, 1], at: [0.3, 0.7, 1]}\n"
                 "forces:\n"
                 "  up: {type: force, body: a, force: [0, 0, \"100*(0.5 - z(a))\"]}\n");
  CHECK_OK(b.l.ctx, solve(&b, TNI_DOWNHILL));
  CHECK_NEAR(b.q[0], 0.3, 0);
  CHECK_NEAR(b.q[1], 0.7, 0);
  CHECK_NEAR(b.q[2], 0.5 - 2*9.81/100, 1e-12);
  CHECK_INT(b.r.nfree, 5);
  bench_close(&b);
}

static void no_equilibrium_is_named(void) {
  bench b;
  bench_open(&b, "gravity: [1, 0, -9.81]\n"
                 "bodies:\n  cart: {mass: 3, inertia: [1, 2, 2], at: [0, 0, 1]}\n"
                 "joints:\n  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0, 1], axis: x}\n");
  CHECK(solve(&b, TNI_DOWNHILL) == TN_NOT_CONVERGED);
  CHECK(strstr(tn_ctx_message(b.l.ctx), "nothing holds body 'cart' along x") != NULL);
  bench_close(&b);
}

int main(void) {
  for (int i = 0; i < 2; i++) {
    form = i ? TNI_SPACE_SPARSE : TNI_SPACE_DENSE;
    RUN(downhill_finds_the_bottom);
    RUN(nearest_finds_the_top_when_near_it);
    RUN(stable_leaves_the_top);
    RUN(convergence_is_quadratic);
    RUN(follower_force_is_followed);
    RUN(the_way_is_the_same_in_any_units);
    RUN(angles_count_through_turns);
    RUN(one_sided_support_is_found);
    RUN(step_is_of_least_norm);
    RUN(no_equilibrium_is_named);
  }
  return REPORT();
}
