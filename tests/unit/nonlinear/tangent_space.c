/* unit test of nonlinear/tangent_space.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/tangent_space.h"

#include "nonlinear/equilibrium.h"
#include "nonlinear/sparse_space.h"
#include "support/loaded.h"
#include "verify/models.h"

typedef struct {
  loaded l;
  tni_data *s;
  tni_arena arena;
  tni_assembly assembly;
  tni_equilibrium e;
  double *q, *v;
} bench;

static void bench_open_as(bench *b, const char *text, tni_space_form form) {
  load_text(&b->l, text);
  CHECK_OK(b->l.ctx, tni_cartesian_create(b->l.ctx, b->l.model, &(tni_system_opts){0}, &b->s));
  tni_arena_init(&b->arena, b->l.ctx);
  b->q = tni_arena_alloc(&b->arena, (size_t)b->s->nq, sizeof(double));
  b->v = tni_arena_alloc(&b->arena, (size_t)b->s->nv, sizeof(double));
  tni_initial(b->s, b->q, b->v);
  CHECK_OK(b->l.ctx, tni_assemble(b->l.model, b->s, 0, b->q, b->v, &b->arena, &b->assembly));
  CHECK_OK(b->l.ctx, tni_equilibrium_create(&b->arena, b->s, form, &b->e));
}
static void bench_open(bench *b, const char *text) { bench_open_as(b, text, TNI_SPACE_DENSE); }

static void bench_close(bench *b) {
  tni_tangent_space_destroy(&b->e.ts);
  tni_arena_clear(&b->arena);
  tni_data_destroy(&b->s);
  unload(&b->l);
}

/* the basis is orthonormal in the mass and lies in the null space of C; the residual of the best
 * multipliers does no work along it beyond that of the forces */
static void basis_is_orthonormal_and_admissible(void) {
  static const char *const models[] = {planar_four_bar, spatial_four_bar, slider_crank, rssr};
  static const int freedom[] = {1, 1, 1, 2};
  for (int k = 0; k < TNI_COUNT(models); k++) {
    bench b;
    bench_open(&b, models[k]);
    tni_tangent_space *ts = &b.e.ts;
    ts->lever = 0.3*(k % 2);
    CHECK_OK(b.l.ctx, tni_tangent_space_update(ts, 0, b.q));
    CHECK_INT(ts->nd, freedom[k]);
    int n = ts->n;
    for (int i = 0; i < ts->nd; i++) {
      const double *z = ts->Z + i*n;
      for (int r = 0; r < ts->m; r++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += ts->C[r*n + j]*z[j];
        CHECK_NEAR(sum, 0, 1e-12);
      }
      double fz = 0, rz = 0;
      for (int j = 0; j < n; j++) fz += ts->f[j]*z[j], rz += ts->residual[j]*z[j];
      CHECK_NEAR(rz, fz, 1e-11);
      CHECK_NEAR(ts->g[i], -fz, 1e-11);
      for (int j = 0; j < ts->nd; j++) {
        double sum = 0;
        for (int p = 0; p < n; p++)
          for (int q = 0; q < n; q++) sum += z[p]*ts->W[p*n + q]*ts->Z[j*n + q];
        CHECK_NEAR(sum, i == j, 1e-12);
      }
    }
    bench_close(&b);
  }
}

/* Z^T r a small way off, on the constraints, against -H y: central differences, error eps^2 */
static void stiffness_matches_differences_at_equilibrium(void) {
  static const char *const models[] = {planar_four_bar, spatial_four_bar, slider_crank};
  const double eps = 1e-5;
  for (int k = 0; k < TNI_COUNT(models); k++) {
    bench b;
    bench_open(&b, models[k]);
    tni_tangent_space *ts = &b.e.ts;
    tni_equilibrium_report r;
    CHECK_OK(b.l.ctx, tni_equilibrium_solve(&b.e, 0, b.q, &(tni_equilibrium_opts){0}, &r));
    int n = ts->n, nd = ts->nd;
    double *Z = tni_arena_alloc(&b.arena, (size_t)(n*nd), sizeof(double));
    double *H = tni_arena_alloc(&b.arena, (size_t)(nd*nd), sizeof(double));
    double *delta = tni_arena_alloc(&b.arena, (size_t)n, sizeof(double));
    double *moved = tni_arena_alloc(&b.arena, (size_t)b.s->nq, sizeof(double));
    memcpy(Z, ts->Z, (size_t)(n*nd)*sizeof(double));
    memcpy(H, ts->H, (size_t)(nd*nd)*sizeof(double));
    double scale = 1 + largest_of(H, nd*nd);
    for (int j = 0; j < nd; j++) {
      double work[2][8];
      for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n; i++) delta[i] = (side ? eps : -eps)*Z[j*n + i];
        CHECK_OK(b.l.ctx, tni_equilibrium_move(&b.e, 0, b.q, delta, moved));
        CHECK_OK(b.l.ctx, tni_tangent_space_update(ts, 0, moved));
        for (int i = 0; i < nd; i++) {
          work[side][i] = 0;
          for (int p = 0; p < n; p++) work[side][i] -= Z[i*n + p]*ts->residual[p];
        }
      }
      for (int i = 0; i < nd; i++)
        CHECK_NEAR((work[1][i] - work[0][i])/(2*eps)/scale, H[i*nd + j]/scale, 1e-7);
    }
    bench_close(&b);
  }
}

/* a body that turns steadily about an axis through a point: what a spring, gravity and the spin leave at other places, against the
 * stiffness there, along the directions of the constraints, dense and sparse */
static void stiffness_of_steady_turns_matches_differences(void) {
  static const char turning[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  arm: {mass: 1, inertia: [0.1, 0.02, 0.3], at: [0.5, 0.1, 0.2]}\n"
      "  bob: {mass: 2, inertia: [0.4, 0.1, 0.2], at: [1.2, 0.3, -0.4]}\n"
      "joints:\n"
      "  hub: {type: universal, bodies: [ground, arm], at: [0, 0, 0], axis1: x, axis2: y}\n"
      "  elbow: {type: spherical, bodies: [arm, bob], at: [1, 0.1, 0.1]}\n"
      "forces:\n"
      "  s: {type: spring, bodies: [ground, bob], at1: [0, 0, 2], at2: [0.1, 0.2, 0.1], stiffness: 30, free_length: 1}\n";
  const double eps = 1e-5, spin[3] = {0.4, -0.7, 2.5}, at[3] = {0.2, -0.1, 0};
  for (int form = 0; form < 2; form++) {
    bench b;
    bench_open_as(&b, turning, form ? TNI_SPACE_SPARSE : TNI_SPACE_DENSE);
    tni_tangent_space *ts = &b.e.ts;
    vec3_copy(ts->spin, spin);
    vec3_copy(ts->spin_at, at);
    ts->lever = 0.5;
    tni_equilibrium_report r;
    CHECK_OK(b.l.ctx, tni_equilibrium_solve(&b.e, 0, b.q, &(tni_equilibrium_opts){0}, &r));
    CHECK_OK(b.l.ctx, tni_tangent_space_update(ts, 0, b.q));
    CHECK_OK(b.l.ctx, tni_tangent_eigen(ts));
    int n = ts->n, k = tni_tangent_nvector(ts);
    CHECK(k > 0);
    double *z = tni_arena_alloc(&b.arena, (size_t)(n*k), sizeof(double)), *value = tni_arena_alloc(&b.arena, (size_t)k, sizeof(double));
    double *delta = tni_arena_alloc(&b.arena, (size_t)n, sizeof(double)), *moved = tni_arena_alloc(&b.arena, (size_t)b.s->nq, sizeof(double));
    for (int j = 0; j < k; j++) tni_tangent_vector(ts, j, z + j*n), value[j] = ts->value[j];
    /* vectors have unit length in the measure: z_i (residual there - residual here) = -value_i along z_i */
    double scale = fabs(value[0]) + fabs(value[k-1]);
    for (int j = 0; j < k; j++) {
      double work[2][32];
      for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n; i++) delta[i] = (side ? eps : -eps)*z[j*n + i];
        CHECK_OK(b.l.ctx, tni_equilibrium_move(&b.e, 0, b.q, delta, moved));
        CHECK_OK(b.l.ctx, tni_tangent_space_update(ts, 0, moved));
        for (int i = 0; i < k; i++) {
          work[side][i] = 0;
          for (int p = 0; p < n; p++) work[side][i] -= z[i*n + p]*ts->residual[p];
        }
      }
      for (int i = 0; i < k && ts->symmetric; i++) {
        double got = (work[1][i] - work[0][i])/(2*eps), other = (work[1][j] - work[0][j])/(2*eps);
        if (i == j) CHECK_WITHIN(other/scale, value[j]/scale, 1e-6);
        else CHECK_WITHIN(got/scale, 0, 1e-6);
      }
    }
    bench_close(&b);
  }
}

/* x = what is along the constraints + what is across: the first keeps C, the second does no work along it, by the measure */
static void projection_is_along_the_constraints(void) {
  static const char *const models[] = {planar_four_bar, slider_crank, rssr};
  for (int k = 0; k < TNI_COUNT(models); k++) {
    bench b;
    bench_open_as(&b, models[k], TNI_SPACE_SPARSE);
    tni_tangent_space *ts = &b.e.ts;
    tni_equilibrium_report r;
    CHECK_OK(b.l.ctx, tni_equilibrium_solve(&b.e, 0, b.q, &(tni_equilibrium_opts){0}, &r));
    int n = ts->n, m = b.s->m;
    double x[64], along[64], again[64], across[64], y[64], C[64] = {0}, size = 0, off = 0, work = 0, all = 0;
    CHECK(n <= 64 && m > 0);
    for (int i = 0; i < n; i++) x[i] = sin(3*i + 1);
    tni_sparse_project(ts, x, along);
    tni_sparse_project(ts, along, again);
    tni_sparse_add(b.s->rows, 1, ts->sparse->C, along, C);
    for (int i = 0; i < n; i++) {
      across[i] = x[i] - along[i];
      size = fmax(size, fabs(along[i]));
      off = fmax(off, fabs(again[i] - along[i]));
    }
    tni_sparse_measure(ts, across, y);
    for (int i = 0; i < n; i++) work += y[i]*along[i], all += fabs(y[i]*along[i]);
    CHECK(size > 1e-3);
    CHECK_NEAR(off/size, 0, 1e-8);
    CHECK_NEAR(largest_of(C, m)/size, 0, 1e-8);
    CHECK_NEAR(work/all, 0, 1e-8);
    bench_close(&b);
  }
}

/* prescribed motion: the displacement that follows it, and the rate of the balance with time */
static void rate_with_time_matches_differences(void) {
  bench b;
  bench_open(&b, "gravity: [0, -9.81]\nplanar: true\n"
                 "bodies:\n"
                 "  arm: {mass: 1, inertia: 0.1, at: [0.5, 0]}\n"
                 "  bob: {mass: 2, inertia: 0.2, at: [1, -0.4]}\n"
                 "joints:\n"
                 "  pin: {type: revolute, bodies: [ground, arm], at: [0, 0]}\n"
                 "  elbow: {type: revolute, bodies: [arm, bob], at: [1, 0]}\n"
                 "drive:\n  - {joint: pin, motion: \"0.3*t\"}\n"
                 "forces:\n"
                 "  wind: {type: force, body: bob, force: [\"2 + 3*t\", 0, 0]}\n");
  tni_tangent_space *ts = &b.e.ts;
  tni_equilibrium_report r;
  const double h = 1e-4;
  CHECK_OK(b.l.ctx, tni_equilibrium_solve(&b.e, 0, b.q, &(tni_equilibrium_opts){0}, &r));
  CHECK_INT(ts->nd, 1);
  double g_t = ts->g_t[0], delta[6], work[2], Z[6];
  memcpy(Z, ts->Z, sizeof(Z));
  double *moved = tni_arena_alloc(&b.arena, (size_t)b.s->nq, sizeof(double));
  double move[6];
  memcpy(move, ts->move, sizeof(move));
  CHECK_NEAR(move[2], 0.3, 1e-12); /* the arm turns by 0.3 rad per unit of t */
  for (int side = 0; side < 2; side++) {
    double t = side ? h : -h;
    for (int i = 0; i < 6; i++) delta[i] = t*move[i];
    CHECK_OK(b.l.ctx, tni_equilibrium_move(&b.e, t, b.q, delta, moved));
    CHECK_OK(b.l.ctx, tni_tangent_space_update(ts, t, moved));
    work[side] = 0;
    for (int p = 0; p < 6; p++) work[side] -= Z[p]*ts->residual[p];
  }
  CHECK_NEAR((work[1] - work[0])/(2*h), g_t, 1e-6);
  bench_close(&b);
}

/* a body on two rails can slide, and only that; the name says so */
static void free_directions_are_named(void) {
  bench b;
  bench_open(&b, "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  cart: {mass: 3, inertia: [1, 2, 2], at: [0, 0, 1]}\n"
                 "  rod:  {mass: 1, inertia: [0.1, 0.1, 0.01], at: [0, 0, 0.5]}\n"
                 "joints:\n"
                 "  rail1: {type: prismatic, bodies: [ground, cart], at: [0, 0.5, 1], axis: x}\n"
                 "  rail2: {type: prismatic, bodies: [ground, cart], at: [0, -0.5, 1], axis: x}\n"
                 "  ball:  {type: spherical, bodies: [cart, rod], at: [0, 0, 1]}\n");
  tni_tangent_space *ts = &b.e.ts;
  CHECK_OK(b.l.ctx, tni_tangent_space_update(ts, 0, b.q));
  CHECK_OK(b.l.ctx, tni_tangent_eigen(ts));
  CHECK_INT(ts->nd, 4);
  CHECK_INT(ts->nzero, 2); /* along the rails, and the rod about its own axis */
  CHECK_INT(ts->nnegative, 0);
  double delta[24];
  int component[2];
  char name[2][64];
  tni_tangent_free(ts, delta, component);
  for (int i = 0; i < 2; i++) tni_component_name(ts->s, component[i], name[i], sizeof(name[i]));
  int slides = strcmp(name[0], "body 'cart' along x") == 0 ? 0 : 1;
  CHECK_TEXT(name[slides], "body 'cart' along x");
  CHECK_TEXT(name[1 - slides], "body 'rod' about its own z");
  /* the rod comes along: both centres move alike */
  CHECK_NEAR(delta[12*slides + 6], 1, 1e-12);
  bench_close(&b);
}

/* dense matrices, all of whose eigenvalues are known, for what is small; nodes of cables turn freely, and are small up to more of them */
static void small_systems_are_dense(void) {
  static const struct {
    const char *cable;
    bool sparse, sparse_above_40;
  } c[] = {{"elements: 5", false, false}, {"elements: 70", false, false}, {"elements: 220", true, true}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    char text[300];
    loaded l;
    tni_data *s;
    snprintf(text, sizeof(text), "cables: {c: {from: ground, to: [1, 0, 0], %s, EA: 100, rhoA: 1}}\n", c[k].cable);
    load_text(&l, text);
    CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
    CHECK(tni_tangent_is_sparse(s, 0) == c[k].sparse && tni_tangent_is_sparse(s, 40) == c[k].sparse_above_40);
    tni_data_destroy(&s);
    unload(&l);
  }
  for (int n = 20; n < 40; n += 10) { /* 6 for each body: 120, 180 */
    char text[4000] = "bodies: {";
    loaded l;
    tni_data *s;
    for (int i = 0; i < n; i++) sprintf(text + strlen(text), "b%d: {mass: 1, inertia: [1, 1, 1], at: [%d, 0, 0]}%s", i, i, i + 1 < n ? ", " : "}\n");
    load_text(&l, text);
    CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
    CHECK(tni_tangent_is_sparse(s, 0) == (n > 25) && tni_tangent_is_sparse(s, 1000) == false && tni_tangent_is_sparse(s, 100) == true);
    tni_data_destroy(&s);
    unload(&l);
  }
}

/* a motion of one component has its name, however heavy the others are; of several the one with the largest share of the energy */
static void motions_are_named_by_their_largest_share(void) {
  static const char two[] = "bodies:\n"
                            "  light: {mass: 1, inertia: [0.1, 0.2, 0.3], at: [0, 0, 0]}\n"
                            "  heavy: {mass: 90, inertia: [11, 12, 13], at: [1, 0, 0]}\n";
  for (int form = 0; form < 2; form++) {
    bench b;
    char got[64], want[64];
    bench_open_as(&b, two, form ? TNI_SPACE_SPARSE : TNI_SPACE_DENSE);
    tni_tangent_space *ts = &b.e.ts;
    CHECK_OK(b.l.ctx, tni_tangent_space_update(ts, 0, b.q));
    double delta[12] = {0};
    CHECK_INT(ts->n, 12);
    for (int i = 0; i < 12; i++) {
      delta[i] = 1e-3;
      tni_tangent_name(ts, delta, got, sizeof(got));
      tni_component_name(ts->s, i, want, sizeof(want));
      CHECK_TEXT(got, want);
      delta[i] = 0;
    }
    delta[1] = 1, delta[6] = 0.1; /* 1/2 and 0.45 */
    tni_tangent_name(ts, delta, got, sizeof(got));
    CHECK_TEXT(got, "body 'light' along y");
    delta[6] = 0.11;
    tni_tangent_name(ts, delta, got, sizeof(got));
    CHECK_TEXT(got, "body 'heavy' along x");
    bench_close(&b);
  }
}

/* A clamped column under a dead load, at rest at its straight form: definite up to Euler's load
 * pi^2 EI/(4 L^2), whose lumped form of n elements is approached from below; the signs of one factorization say
 * what the eigenvalues say. With a hinge at its foot it is not definite without load. */
static void signs_of_a_factorization_tell_stability(void) {
  static const double euler = 2.4674011002723395;
  static const char *const foot[] = {"start: ground, ", ""};
  for (int hinged = 0; hinged < 2; hinged++)
    for (double part = 0.5; part < 1.6; part += 0.21) {
      char text[1000];
      snprintf(text, sizeof(text),
               "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], %selements: 40, EA: 1e5, GA: 1e5, GJ: 1, EI: 1, rhoA: 1, "
               "rhoI: 1e-3}}\n%s"
               "forces: {p: {type: force, body: b.end, force: [\"%.17g*t\", 0, 0]}}\n",
               foot[hinged], hinged ? "joints: {j: {type: revolute, bodies: [ground, \"b.node[0]\"], at: [0, 0, 0], axis: z}}\n" : "",
               -part*euler);
      loaded l;
      load_text(&l, text);
      tni_data *s;
      tni_arena arena;
      tni_equilibrium e;
      CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
      tni_arena_init(&arena, l.ctx);
      double *q = tni_arena_alloc(&arena, (size_t)s->nq, sizeof(double));
      double *v = tni_arena_alloc(&arena, (size_t)s->nv, sizeof(double));
      tni_initial(s, q, v);
      CHECK_OK(l.ctx, tni_equilibrium_create(&arena, s, TNI_SPACE_SPARSE, &e));
      e.ts.lever = 0.1;
      tni_equilibrium_opts o = {.search = TNI_NEAREST};
      tni_equilibrium_report r;
      CHECK_OK(l.ctx, tni_equilibrium_solve(&e, 1, q, &o, &r));
      CHECK_OK(l.ctx, tni_tangent_space_update(&e.ts, 1, q));
      bool definite;
      CHECK_OK(l.ctx, tni_tangent_is_definite(&e.ts, &definite));
      CHECK_INT(definite, !hinged && part < 1);
      CHECK_OK(l.ctx, tni_tangent_eigen(&e.ts));
      CHECK_INT(definite, e.ts.nnegative == 0 && e.ts.nzero == 0);
      tni_tangent_space_destroy(&e.ts);
      tni_arena_clear(&arena);
      tni_data_destroy(&s);
      unload(&l);
    }
}

int main(void) {
  RUN(basis_is_orthonormal_and_admissible);
  RUN(stiffness_matches_differences_at_equilibrium);
  RUN(stiffness_of_steady_turns_matches_differences);
  RUN(projection_is_along_the_constraints);
  RUN(rate_with_time_matches_differences);
  RUN(free_directions_are_named);
  RUN(small_systems_are_dense);
  RUN(motions_are_named_by_their_largest_share);
  RUN(signs_of_a_factorization_tell_stability);
  return REPORT();
}
