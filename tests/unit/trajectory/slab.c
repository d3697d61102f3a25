/* one element of time: its matrices against differences, its derivatives forwards against backwards
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"
#include "trajectory/trajectory.h"
#include "verify/models.h"

static const double agree = 3e-7, step = 1e-4;

typedef struct {
  loaded l;
  tni_data *s;
  tni_trajectory *tr;
  double *q, *v;
  uint64_t seed;
} rig;

static double *zeros(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static void open_rig(rig *g, const char *text, bool joint, int k) {
  memset(g, 0, sizeof(*g));
  load_text(&g->l, text);
  tn_status st = joint ? tni_joint_create(g->l.ctx, g->l.model, NULL, &g->s)
                       : tni_cartesian_create(g->l.ctx, g->l.model, NULL, &g->s);
  CHECK_OK(g->l.ctx, st);
  g->seed = 7;
  g->q = zeros(g->s->nq);
  g->v = zeros(g->s->nv);
  tni_initial(g->s, g->q, g->v);
  for (int i = 0; i < g->s->nv; i++) g->v[i] += 0.3*check_random(&g->seed);
  CHECK_OK(g->l.ctx, tni_trajectory_create(g->l.ctx, g->s, k, TNI_AT_GAUSS, 3, &g->tr));
}

static void close_rig(rig *g) {
  tni_trajectory_destroy(&g->tr);
  tni_data_destroy(&g->s);
  free(g->q), free(g->v);
  unload(&g->l);
}

static void shake(rig *g, double *z, const tni_slab_shape *p) {
  for (int i = 0; i < p->nz; i++) z[i] = 0.2*check_random(&g->seed);
}

/* column j of d residual, by z (state < 0) or by component j of the state at the beginning */
static void difference(rig *g, int j, bool by_state, double *out) {
  static const double at[] = {1, -1, 2, -2}, factor[] = {8, -8, -1, 1};
  tni_trajectory *tr = g->tr;
  const tni_slab_shape *p = &tr->shape;
  tni_slab *e = &tr->slab[0];
  double *q = zeros(p->nq), *v = zeros(p->nv), *dx = zeros(p->nv);
  memset(out, 0, (size_t)p->nz*sizeof(double));
  for (int n = 0; n < 4; n++) {
    double h = step*at[n];
    memset(dx, 0, (size_t)p->nv*sizeof(double));
    memcpy(v, g->v, (size_t)p->nv*sizeof(double));
    if (by_state && j < p->nv) dx[j] = h;
    if (by_state && j >= p->nv) v[j - p->nv] += h;
    tni_retract(g->s, g->q, dx, q);
    double keep = by_state ? 0 : e->z[j];
    if (!by_state) e->z[j] += h;
    tni_slab_eval(p, &tr->desk[0], e, q, v, false);
    if (!by_state) e->z[j] = keep;
    for (int i = 0; i < p->nz; i++) out[i] += factor[n]*e->R[i]/(12*step);
  }
  free(q), free(v), free(dx);
}

static void check_matrix(rig *g, const tni_sparsity *A, const double *value, bool by_state, const char *name) {
  const tni_slab_shape *p = &g->tr->shape;
  int n = A->ncol;
  double *got = zeros(p->nz*n), *want = zeros(p->nz*n), *col = zeros(p->nz), off = 0;
  for (int r = 0; r < p->nz; r++)
    for (int k = A->rowptr[r]; k < A->rowptr[r+1]; k++) got[r*n + A->col[k]] += value[k];
  for (int j = 0; j < n; j++) {
    difference(g, j, by_state, col);
    for (int r = 0; r < p->nz; r++) want[r*n + j] = col[r];
  }
  for (int r = 0; r < p->nz; r++)
    off = fmax(off, far_apart(got + r*n, want + r*n, n, fmax(1, 1e-3*largest_of(want, p->nz*n))));
  check_near(off, 0, agree, name, __FILE__, __LINE__);
  free(got), free(want), free(col);
}

static const struct {
  const char *name, *text;
} models[] = {{"planar four-bar", planar_four_bar}, {"spatial four-bar", spatial_four_bar},
              {"slider-crank", slider_crank}};

static void matrices_agree_with_differences(void) {
  for (int i = 0; i < TNI_COUNT(models); i++) {
    for (int joint = 0; joint < 2; joint++) {
      for (int k = 1; k <= 3; k++) {
        rig g;
        open_rig(&g, models[i].text, joint, k);
        tni_slab *e = &g.tr->slab[0];
        tni_trajectory_begin(g.tr, 0.1, g.q, g.v, 1, 0.05);
        shake(&g, e->z, &g.tr->shape);
        tni_slab_eval(&g.tr->shape, &g.tr->desk[0], e, g.q, g.v, true);
        double *J = zeros(g.tr->shape.J.nnz), *B = zeros(g.tr->shape.B.nnz);
        memcpy(J, e->J, (size_t)g.tr->shape.J.nnz*sizeof(double));
        memcpy(B, e->B, (size_t)g.tr->shape.B.nnz*sizeof(double));
        char name[120];
        snprintf(name, sizeof(name), "%s, %s, %d points: J", models[i].name, joint ? "joint" : "cartesian", k);
        check_matrix(&g, &g.tr->shape.J, J, false, name);
        name[strlen(name) - 1] = 'B';
        check_matrix(&g, &g.tr->shape.B, B, true, name);
        free(J), free(B);
        close_rig(&g);
      }
    }
  }
}

/* no column twice in a row: sparse solvers would add or overwrite as they like */
static void patterns_name_every_entry_once(void) {
  rig g;
  open_rig(&g, spatial_four_bar, false, 2);
  const tni_sparsity *A[] = {&g.tr->shape.J, &g.tr->shape.B};
  for (int i = 0; i < 2; i++) {
    int *seen = calloc((size_t)A[i]->ncol, sizeof(int)), twice = 0;
    for (int r = 0; r < A[i]->nrow; r++)
      for (int k = A[i]->rowptr[r]; k < A[i]->rowptr[r+1]; k++) {
        twice += seen[A[i]->col[k]] == r + 1;
        seen[A[i]->col[k]] = r + 1;
      }
    CHECK_INT(twice, 0);
    free(seen);
  }
  close_rig(&g);
}

/* what y matters at the end, carried back, times a change of the beginning, is what the change carried forward matters;
 * and the change itself is that of the solution */
static void derivatives_forwards_and_backwards_agree(void) {
  for (int joint = 0; joint < 2; joint++) {
    rig g;
    open_rig(&g, joint ? slider_crank : spatial_four_bar_exact, joint, 2);
    tni_trajectory *tr = g.tr;
    int n = 2*tr->shape.nv, nv = tr->shape.nv;
    tni_project_opts po = {.position = true, .velocity = true, .tol = 1e-13, .polish = true};
    double *a = zeros(nv), *lambda = zeros(g.s->m), *y = zeros(n), *w = zeros(n), *y0 = zeros(n), *mu = zeros(tr->shape.nz);
    CHECK_OK(g.l.ctx, tni_project(g.s, 0, g.q, g.v, &po, NULL));
    CHECK_OK(g.l.ctx, tni_accel(g.s, 0, g.q, g.v, a, lambda, NULL));
    tni_trajectory_begin(tr, 0, g.q, g.v, 3, 0.02);
    tni_trajectory_guess_plain(tr, 0, a, lambda);
    CHECK_INT(tni_trajectory_solve(tr, NULL, 20, 1e-11), 3);
    CHECK_OK(g.l.ctx, tni_trajectory_factor(tr));
    for (int i = 0; i < n; i++) {
      y0[i] = y[i] = check_random(&g.seed);
      w[i] = check_random(&g.seed);
    }
    for (int e = 0; e < 3; e++) tni_trajectory_change(tr, e, 1, NULL, y, NULL);
    double forwards = 0, backwards = 0;
    for (int i = 0; i < n; i++) forwards += w[i]*y[i];
    for (int e = 2; e >= 0; e--) tni_trajectory_matter(tr, e, NULL, w, mu);
    for (int i = 0; i < n; i++) backwards += w[i]*y0[i];
    CHECK_NEAR(forwards, backwards, 1e-12);
    /* the end of the trajectory from neighbouring beginnings */
    double *end[2], *dx = zeros(nv), *q = zeros(g.s->nq), *v = zeros(nv), eps = 1e-5;
    for (int side = 0; side < 2; side++) {
      double h = side ? -eps : eps;
      for (int i = 0; i < nv; i++) dx[i] = h*y0[i], v[i] = g.v[i] + h*y0[nv + i];
      tni_retract(g.s, g.q, dx, q);
      tni_trajectory_restart(tr, q, v);
      CHECK_INT(tni_trajectory_solve(tr, NULL, 20, 1e-12), 3);
      end[side] = zeros(g.s->nq + nv);
      memcpy(end[side], tni_trajectory_q(tr, 3), (size_t)g.s->nq*sizeof(double));
      memcpy(end[side] + g.s->nq, tni_trajectory_v(tr, 3), (size_t)nv*sizeof(double));
    }
    tni_difference(g.s, end[1], end[0], dx);
    for (int i = 0; i < nv; i++) {
      CHECK_WITHIN(dx[i]/(2*eps), y[i], 1e-7);
      CHECK_WITHIN((end[0][g.s->nq + i] - end[1][g.s->nq + i])/(2*eps), y[nv + i], 1e-6);
    }
    free(a), free(lambda), free(y), free(w), free(y0), free(mu), free(dx), free(q), free(v), free(end[0]), free(end[1]);
    close_rig(&g);
  }
}

/* Factors of a neighbour lead to the same solution, with fewer of its own, and the neighbour can be solved again. */
static void neighbours_lend_their_factors(void) {
  rig g;
  enum { N = 3 };
  open_rig(&g, mixed_chain, false, 2);
  int nv = g.s->nv, nq = g.s->nq;
  tni_trajectory *tr = g.tr, *other;
  CHECK_OK(g.l.ctx, tni_trajectory_create(g.l.ctx, g.s, 2, TNI_AT_GAUSS, N, &other));
  double *a = zeros(nv), *lambda = zeros(g.s->m), *v = zeros(nv), *q1 = zeros(nq), *v1 = zeros(nv), *x = zeros(nv);
  tni_project_opts po = {.position = true, .velocity = true, .tol = 1e-13, .polish = true};
  CHECK_OK(g.l.ctx, tni_project(g.s, 0, g.q, g.v, &po, NULL));
  CHECK_OK(g.l.ctx, tni_accel(g.s, 0, g.q, g.v, a, lambda, NULL));
  const tni_guess guess = {2, 1e-4, a, lambda};
  for (int i = 0; i < nv; i++) v[i] = 1.02*g.v[i];
  tni_trajectory_begin(tr, 0, g.q, g.v, N, 0.01);
  CHECK_INT(tni_trajectory_solve(tr, &guess, 12, 1e-12), N);
  memcpy(q1, tni_trajectory_q(tr, N), (size_t)nq*sizeof(double));
  memcpy(v1, tni_trajectory_v(tr, N), (size_t)nv*sizeof(double));
  for (int round = 0; round < 2; round++) {
    tni_trajectory_begin(other, 0, g.q, v, N, 0.01);
    CHECK_INT(tni_trajectory_solve(other, &guess, 12, 1e-12), N);
    long before = tr->factorizations;
    CHECK(tni_trajectory_follow(tr, other, g.q, g.v));
    CHECK_INT(tni_trajectory_solve(tr, NULL, 12, 1e-12), N);
    CHECK(tr->factorizations - before < N);
    tni_difference(g.s, q1, tni_trajectory_q(tr, N), x);
    for (int i = 0; i < nv; i++) {
      CHECK_WITHIN(x[i], 0, 1e-11);
      CHECK_WITHIN(tni_trajectory_v(tr, N)[i], v1[i], 1e-9);
    }
  }
  tni_trajectory_destroy(&other);
  free(a), free(lambda), free(v), free(q1), free(v1), free(x);
  close_rig(&g);
}

/* equal elements that nothing is said of have two points */
static void elements_have_two_points_by_themselves(void) {
  double end[2][3], e[4];
  for (int k = 0; k < 2; k++) {
    char text[4000];
    loaded l;
    tn_sim *sim;
    snprintf(text, sizeof(text), "%sanalysis: {until: 0.2, method: state_time, elements: 10%s, representation: cartesian}\n", planar_four_bar, k ? ", order: 2" : "");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.2));
    CHECK_OK(l.ctx, tn_sim_body_pose(sim, 0, end[k], e));
    tn_sim_destroy(&sim);
    unload(&l);
  }
  CHECK(memcmp(end[0], end[1], sizeof(end[0])) == 0);
}

int main(void) {
  RUN(elements_have_two_points_by_themselves);
  RUN(matrices_agree_with_differences);
  RUN(patterns_name_every_entry_once);
  RUN(derivatives_forwards_and_backwards_agree);
  RUN(neighbours_lend_their_factors);
  return REPORT();
}
