/* tangents asked for one by one, in pairs, or all at once: the same bits, and nothing written where nothing was asked
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "system/system.h"
#include "verify/models.h"

enum { NSQUARE = 6, NROWS = 5, NDENSE = NSQUARE + NROWS + 1, NSPARSE = 9 };

static double *block(size_t n) {
  double *x = malloc((n + 1)*sizeof(double));
  for (size_t i = 0; i <= n; i++) x[i] = 777;
  return x;
}

/* pointers of a dense tangent by number: square ones, those on rows, f_t */
static double **dense(tni_tangent *o, int i) {
  double **of[NDENSE] = {&o->M, &o->f_q, &o->f_v, &o->Mv_q, &o->Ctl_q, &o->f_t, &o->C, &o->Cv_q, &o->Ca_q, &o->gamma_q, &o->gamma_v, NULL};
  return of[i];
}
static double **sparse(tni_sparse_tangent *o, int i) {
  double **of[NSPARSE] = {&o->M, &o->r_q, &o->r_v, &o->r_t, &o->C, &o->Cv_q, &o->Ca_q, &o->gamma_q, &o->gamma_v};
  return of[i];
}
static size_t dense_size(const tni_data *s, int i) {
  size_t nv = (size_t)s->nv;
  return i == 5 ? nv : (i < NSQUARE ? nv : (size_t)s->m)*nv;
}
static size_t sparse_size(const tni_data *s, int i) { return i == 3 ? (size_t)s->nv : (size_t)(i < 4 ? s->square->nnz : s->rows->nnz); }

static void check_system(tni_data *s, double t, const double *q, const double *v, const double *a, const double *lambda) {
  tni_tangent all = {0};
  tni_sparse_tangent whole = {0};
  for (int i = 0; i < NDENSE - 1; i++) *dense(&all, i) = block(dense_size(s, i));
  for (int i = 0; i < NSPARSE; i++) *sparse(&whole, i) = block(sparse_size(s, i));
  bool parts = !s->relative; /* dense ones are of the cartesian representation */
  if (parts) CHECK_OK(s->ctx, tni_eval_tangent(s, t, q, v, a, lambda, &all));
  CHECK_OK(s->ctx, tni_eval_sparse_tangent(s, t, q, v, a, lambda, &whole));
  for (int i = 0; i < NDENSE - 1 && parts; i++) {
    tni_tangent one = {0};
    double *x = *dense(&one, i) = block(dense_size(s, i));
    CHECK_OK(s->ctx, tni_eval_tangent(s, t, q, v, a, lambda, &one));
    if (!CHECK(memcmp(x, *dense(&all, i), (dense_size(s, i) + 1)*sizeof(double)) == 0)) printf("  dense tangent %d alone\n", i);
    free(x);
  }
  for (int i = 0; i < NSPARSE; i++)
    for (int j = 0; j <= i; j++) { /* j = i: alone */
      tni_sparse_tangent two = {0};
      double *x = *sparse(&two, i) = block(sparse_size(s, i)), *y = j < i ? *sparse(&two, j) = block(sparse_size(s, j)) : NULL;
      CHECK_OK(s->ctx, tni_eval_sparse_tangent(s, t, q, v, a, lambda, &two));
      if (!CHECK(memcmp(x, *sparse(&whole, i), (sparse_size(s, i) + 1)*sizeof(double)) == 0)) printf("  sparse tangent %d with %d\n", i, j);
      if (y) CHECK(memcmp(y, *sparse(&whole, j), (sparse_size(s, j) + 1)*sizeof(double)) == 0);
      free(x), free(y);
    }
  for (int i = 0; i < NDENSE - 1; i++) free(*dense(&all, i));
  for (int i = 0; i < NSPARSE; i++) free(*sparse(&whole, i));
}

static void parts_do_not_depend_on_their_company(void) {
  static const char *const models[] = {slider_crank, rssr, mixed_chain, rolling, constraint_zoo,
      "gravity: [0, 0, -9.81]\nbeams: {b: {from: [0, 0, 0], to: [1, 0.2, 0], start: ground, elements: 2, EA: 100, GA: 50, GJ: 3, EI: 4, rhoA: 1, rhoI: 0.1, element: quadratic}}\n"
      "bodies: {c: {mass: 2, inertia: [1, 2, 3], at: [0, 3, 0], angular_velocity: [1, 2, 3]}}\n"
      "forces: {s: {type: spring, bodies: [c, b.end], at1: [0.1, 3, 0], at2: [1, 0.2, 0], stiffness: \"30\", damping: 2},\n"
      "  f: {type: force, body: c, force: [\"sin(t)*x(c)\", \"t*vy(c)\", 1]}}\n"};
  for (int k = 0; k < TNI_COUNT(models); k++)
    for (int joint = 0; joint < 2; joint++) {
      loaded l;
      tni_data *s = NULL;
      uint64_t seed = 9;
      load_text(&l, models[k]);
      CHECK_OK(l.ctx, joint ? tni_joint_create(l.ctx, l.model, NULL, &s) : tni_cartesian_create(l.ctx, l.model, NULL, &s));
      CHECK_OK(l.ctx, tni_prepare_tangent(s));
      CHECK_OK(l.ctx, tni_prepare_pattern(s));
      double *q = calloc((size_t)s->nq + 1, sizeof(double)), *x[4];
      for (int i = 0; i < 4; i++) x[i] = calloc((size_t)(s->nv + s->m) + 1, sizeof(double));
      tni_initial(s, q, x[0]);
      for (int i = 0; i < s->nv; i++) x[3][i] = 0.1*check_random(&seed), x[0][i] += check_random(&seed), x[1][i] = check_random(&seed);
      for (int i = 0; i < s->m; i++) x[2][i] = check_random(&seed);
      tni_retract(s, q, x[3], q);
      check_system(s, 0.3, q, x[0], x[1], x[2]);
      check_system(s, 0.3, q, NULL, NULL, NULL);
      free(q);
      for (int i = 0; i < 4; i++) free(x[i]);
      tni_data_destroy(&s);
      unload(&l);
    }
}

int main(void) {
  RUN(parts_do_not_depend_on_their_company);
  return REPORT();
}
