/* unit test of nonlinear/path.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/path.h"

#include "support/loaded.h"

enum { MAX_ROW = 400 };

/* every test runs with dense matrices and with sparse ones */
static tni_space_form form;

typedef struct {
  loaded l;
  tni_data *s;
  tni_arena arena;
  tni_assembly assembly;
  tni_equilibrium e;
  double *q, *v;
  int nrow, ncritical;
  double load[MAX_ROW], x[MAX_ROW], y[MAX_ROW], length[MAX_ROW];
  int negative[MAX_ROW];
  double critical[8];
  tni_point_kind kind[8];
  tni_path_report r;
} bench;

static tn_status row(void *user, const tni_equilibrium *e, const tni_path_point *p) {
  bench *b = user;
  if (p->kind != TNI_POINT_PLAIN && b->ncritical < 8) {
    b->critical[b->ncritical] = p->t;
    b->kind[b->ncritical++] = p->kind;
  }
  if (b->nrow == MAX_ROW) return TN_OK;
  b->load[b->nrow] = p->t;
  b->length[b->nrow] = p->length;
  b->x[b->nrow] = e->ts.q[0];
  b->y[b->nrow] = e->ts.q[1];
  b->negative[b->nrow++] = p->nnegative;
  return TN_OK;
}

static void walk(bench *b, const char *text, tni_path_opts o) {
  tni_equilibrium_report r;
  memset(b, 0, sizeof(*b));
  load_text(&b->l, text);
  CHECK_OK(b->l.ctx, tni_cartesian_create(b->l.ctx, b->l.model, &(tni_system_opts){0}, &b->s));
  tni_arena_init(&b->arena, b->l.ctx);
  b->q = tni_arena_alloc(&b->arena, (size_t)b->s->nq, sizeof(double));
  b->v = tni_arena_alloc(&b->arena, (size_t)b->s->nv, sizeof(double));
  tni_initial(b->s, b->q, b->v);
  CHECK_OK(b->l.ctx, tni_assemble(b->l.model, b->s, 0, b->q, b->v, &b->arena, &b->assembly));
  CHECK_OK(b->l.ctx, tni_equilibrium_create(&b->arena, b->s, form, &b->e));
  CHECK_OK(b->l.ctx, tni_equilibrium_solve(&b->e, 0, b->q, &(tni_equilibrium_opts){0}, &r));
  o.point = row;
  o.user = b;
  CHECK_OK(b->l.ctx, tni_path_follow(&b->e, &b->arena, b->q, &o, &b->r));
}

static void walk_end(bench *b) {
  tni_equilibrium_destroy(&b->e);
  tni_arena_clear(&b->arena);
  tni_data_destroy(&b->s);
  unload(&b->l);
}

/* Two springs of free length L0 and half span 1 meet in an apex at height z under a load P:
 * P = 2 k (L0/L - 1) z, L^2 = 1 + z^2; greatest where L^3 = L0. */
#define TRUSS(unit)                                                                                                  \
  "planar: true\n"                                                                                                   \
  "bodies:\n  apex: {mass: 1, inertia: 1, at: [0, 0.3]}\n"                                                          \
  "joints:\n  guide: {type: prismatic, bodies: [ground, apex], at: [0, 0.3], axis: y}\n"                            \
  "forces:\n"                                                                                                        \
  "  l: {type: spring, bodies: [ground, apex], at1: [-1, 0], at2: [0, 0], stiffness: 1000" unit "}\n"                \
  "  r: {type: spring, bodies: [ground, apex], at1: [1, 0], at2: [0, 0], stiffness: 1000" unit "}\n"                 \
  "  load: {type: force, body: apex, force: [0, \"-100" unit "*t\", 0]}\n"

static void truss_snaps_through(void) {
  static const char *const of_any_unit[] = {TRUSS(""), TRUSS("e-9"), TRUSS("e9")};
  for (int k = 0; k < 3; k++) {
    bench b;
    walk(&b, of_any_unit[k], (tni_path_opts){.from = 0, .until = 0.5, .steps = 10});
    double L0 = sqrt(1.09), L = cbrt(L0), z = sqrt(L*L - 1), P = 2*1000*(L0/L - 1)*z/100;
    CHECK(b.r.ended);
    CHECK_INT(b.ncritical, 2);
    CHECK_NEAR(b.critical[0], P, 1e-10);
    CHECK_NEAR(b.critical[1], -P, 1e-10);
    CHECK(b.kind[0] == TNI_POINT_LIMIT && b.kind[1] == TNI_POINT_LIMIT);
    for (int i = 0; i < b.nrow; i++) {
      double h = b.y[i], l = sqrt(1 + h*h);
      CHECK_NEAR(b.load[i], 2*1000*(L0/l - 1)*h/100, 1e-8);
      if (fabs(h) < 0.99*z) CHECK_INT(b.negative[i], 1);
      if (fabs(h) > 1.01*z) CHECK_INT(b.negative[i], 0);
    }
    CHECK_NEAR(b.load[b.nrow - 1], 0.5, 1e-12);
    walk_end(&b);
  }
}

#define COLUMN(unit)                                                                   \
  "planar: true\n"                                                                     \
  "bodies:\n  rod: {mass: 1, inertia: 0.1, between: [[0, 0], [0, 2]]}\n"              \
  "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"             \
  "forces:\n"                                                                          \
  "  s: {type: torsion_spring, joint: pin, stiffness: 30" unit "}\n"                   \
  "  load: {type: force, body: rod, point: [0, 2], force: [0, \"-1" unit "*t\", 0]}\n"
static const char column[] = COLUMN("");

/* rigid column on a torsion spring: upright up to P = k/l, unstable beyond, whatever forces are counted in, and as many steps to find it */
static void column_has_its_bifurcation(void) {
  static const char *const of_any_unit[] = {column, COLUMN("e-9"), COLUMN("e9")};
  int iterations = 0;
  for (int k = 0; k < 3; k++) {
    bench b;
    walk(&b, of_any_unit[k], (tni_path_opts){.from = 0, .until = 24, .steps = 7});
    CHECK_INT(b.ncritical, 1);
    CHECK_NEAR(b.critical[0], 15, 1e-9);
    CHECK(b.kind[0] == TNI_POINT_BIFURCATION);
    CHECK_INT(b.negative[b.nrow - 1], 1);
    CHECK_NEAR(b.x[b.nrow - 1], 0, 1e-12);
    if (k == 0) iterations = b.r.iterations;
    CHECK_WITHIN(b.r.iterations, iterations, 2);
    walk_end(&b);
  }
}

/* on the branch that leaves it P l sin(theta) = k theta */
static void bifurcated_branch_is_followed(void) {
  bench b;
  walk(&b, column, (tni_path_opts){.from = 0, .until = 24, .steps = 7, .switch_branch = true});
  CHECK(b.r.ended);
  CHECK_INT(b.negative[b.nrow - 1], 0);
  int bent = 0;
  for (int i = 0; i < b.nrow; i++) {
    double theta = atan2(fabs(b.x[i]), b.y[i]);
    if (theta < 1e-6) continue;
    bent++;
    CHECK_NEAR(b.load[i]*2*sin(theta), 30*theta, 1e-8);
  }
  CHECK(bent > 5);
  CHECK_NEAR(b.load[b.nrow - 1], 24, 1e-12);
  CHECK(fabs(b.x[b.nrow - 1]) > 0.9);
  walk_end(&b);
}

/* a prescribed motion as parameter: the same truss pushed through by its apex needs no turning back,
 * and the force of the drive falls and rises */
static void prescribed_motion_is_a_parameter_too(void) {
  bench b;
  walk(&b, "planar: true\n"
           "bodies:\n"
           "  apex: {mass: 1, inertia: 1, at: [0, 0.3]}\n"
           "joints:\n  guide: {type: prismatic, bodies: [ground, apex], at: [0, 0.3], axis: y}\n"
           "drive:\n  - {joint: guide, motion: \"-0.6*t\"}\n"
           "forces:\n"
           "  l: {type: spring, bodies: [ground, apex], at1: [-1, 0], at2: [0, 0], stiffness: 1000}\n",
       (tni_path_opts){.from = 0, .until = 1, .steps = 8});
  CHECK(b.r.ended);
  for (int i = 0; i < b.nrow; i++) CHECK_NEAR(b.y[i], 0.3 - 0.6*b.load[i], 1e-10);
  CHECK_NEAR(b.load[b.nrow - 1], 1, 1e-12);
  walk_end(&b);
}

/* a straight path, measured by the whole load and by what it moves: sqrt 2 long, in equal parts of load and displacement */
static void lengths_are_those_of_the_metric(void) {
  bench b;
  walk(&b, "planar: true\n"
           "bodies:\n  cart: {mass: 2, inertia: 1, at: [0, 0]}\n  other: {mass: 3, inertia: 1, at: [1, 0]}\n  last: {mass: 1, inertia: 1, at: [2, 0]}\n"
           "joints:\n  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: x}\n"
           "  along: {type: prismatic, bodies: [ground, other], at: [1, 0], axis: x}\n  too: {type: prismatic, bodies: [ground, last], at: [2, 0], axis: x}\n"
           "forces:\n"
           "  s: {type: spring, bodies: [ground, cart], at1: [-1, 0], at2: [0, 0], stiffness: 10}\n"
           "  between: {type: spring, bodies: [cart, other], at1: [0, 0], at2: [0, 0], stiffness: 4}\n"
           "  behind: {type: spring, bodies: [other, last], at1: [0, 0], at2: [0, 0], stiffness: 7}\n"
           "  load: {type: force, body: cart, force: [\"9*t\", 0, 0]}\n  pull: {type: force, body: last, force: [\"3*t\", 0, 0]}\n",
       (tni_path_opts){.from = 0, .until = 1.5, .steps = 9});
  CHECK(b.r.ended && b.nrow > 9 && b.r.rejected == 0);
  for (int i = 0; i < b.nrow; i++) {
    CHECK_WITHIN(b.x[i], 1.2*b.load[i], 1e-9);
    CHECK_WITHIN(b.length[i], sqrt(2)*b.load[i]/1.5, 1e-9);
  }
  walk_end(&b);
}

/* However few steps are asked for: behind the first one nothing turns by more than 0.2 rad in a step, and the load changes by no more than
 * twice its share. The rod turns in proportion to its load, by 8 rad in all. */
static void steps_are_as_bold_as_they_may_be(void) {
  for (int steps = 1; steps < 60; steps *= 7) {
    bench b;
    walk(&b, "planar: true\n"
             "bodies:\n  rod: {mass: 1, inertia: 0.1, between: [[0, 0], [0, 2]]}\n"
             "joints:\n  pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
             "forces:\n"
             "  s: {type: torsion_spring, joint: pin, stiffness: 30}\n"
             "  load: {type: torque, body: rod, torque: [0, 0, \"240*t\"]}\n",
         (tni_path_opts){.from = 0, .until = 1, .steps = steps, .max_points = 300});
    CHECK(b.r.ended);
    double most = 0;
    for (int i = 2; i < b.nrow; i++) most = fmax(most, b.load[i] - b.load[i-1]);
    double least = fmin(0.2/8, 2.0/steps); /* one of the two, or the way up to half of the size of the model, decides */
    CHECK(most > 0.3*least && most < 1.02*least);
    walk_end(&b);
  }
}

int main(void) {
  for (int i = 0; i < 2; i++) {
    form = i ? TNI_SPACE_SPARSE : TNI_SPACE_DENSE;
    RUN(truss_snaps_through);
    RUN(column_has_its_bifurcation);
    RUN(bifurcated_branch_is_followed);
    RUN(prescribed_motion_is_a_parameter_too);
    RUN(lengths_are_those_of_the_metric);
    RUN(steps_are_as_bold_as_they_may_be);
  }
  return REPORT();
}
