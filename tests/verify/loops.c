/* tests/verify/loops.c - redundant loops of many kinds on bodies that turn
 *
 * Which equations of a redundant loop are left out must not matter: every one of many random loops
 * (support/random_loops.h) runs through at every tolerance in both representations, these agree with
 * each other, energy and the momenta that nothing outside changes are kept, and reactions are
 * those of least norm among all that hold the mechanism, found here by a singular value
 * decomposition of C^T lambda = f - M a.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <lapacke.h>
#undef I

#include "support/loaded.h"
#include "support/random_loops.h"

enum { MAX_BODIES = 12 };
static bool all; /* argument: 500 loops, every method on every kind */

static const double until = 1.2;

typedef struct {
  double pose[MAX_BODIES][12], velocity[MAX_BODIES][6];
  tn_summary sum;
} outcome;

/* ---- reactions ----------------------------------------------------------------------------- */

/* lambda of least norm with C^T lambda = -r; returns the rank */
static int least_norm(int n, int m, const double *C, const double *r, double *lambda) {
  int most = n > m ? n : m, rank = 0;
  double *A = calloc((size_t)n*(size_t)m, sizeof(double)), *b = calloc((size_t)most, sizeof(double));
  double *s = calloc((size_t)most, sizeof(double));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) A[j*m + i] = C[i*n + j];
  for (int j = 0; j < n; j++) b[j] = -r[j];
  CHECK_INT(LAPACKE_dgelss(LAPACK_ROW_MAJOR, n, m, 1, A, m, b, 1, s, 1e-8, &rank), 0);
  memcpy(lambda, b, (size_t)m*sizeof(double));
  free(A), free(b), free(s);
  return rank;
}

/* reactions of the run against those of least norm at its state, in a system of its own */
static double reactions_off(const loaded *l, tn_sim *sim) {
  tni_data *c;
  CHECK_OK(l->ctx, tni_cartesian_create(l->ctx, l->model, NULL, &c));
  int n = c->nv, m = c->m, nb = l->model->nbody, nj = l->model->njoint;
  double *q = calloc((size_t)c->nq, sizeof(double)), *v = calloc((size_t)n, sizeof(double));
  double *a = calloc((size_t)n, sizeof(double)), *r = calloc((size_t)n, sizeof(double));
  double *C = calloc((size_t)(n*m), sizeof(double)), *lambda = calloc((size_t)m, sizeof(double));
  double *want = calloc((size_t)(6*nj), sizeof(double));
  double *got = calloc((size_t)(6*nj), sizeof(double));
  for (int i = 0; i < nb; i++) {
    const tni_kin *k = &sim->s->kin[i + 1];
    vec3_copy(q + 7*i, k->r);
    quat_from_matrix(q + 7*i + 3, k->A);
    vec3_copy(v + 6*i, k->v);
    vec3_copy(v + 6*i + 3, k->w);
    memcpy(a + 6*i, sim->s->acc + 6*i, 6*sizeof(double));
  }
  tni_eval_balance(c, sim->at.t, q, v, a, NULL, r, NULL, NULL, NULL);
  tni_tangent out = {.C = C};
  CHECK_OK(l->ctx, tni_eval_tangent(c, sim->at.t, q, v, a, lambda, &out));
  CHECK(least_norm(n, m, C, r, lambda) < m);
  tni_eval_reactions(c, sim->at.t, q, v, a, lambda, want);
  for (int i = 0; i < nj; i++)
    CHECK_OK(l->ctx, tn_sim_joint_reaction(sim, i, got + 6*i, got + 6*i + 3));
  double off = far_apart(got, want, 6*nj, 1);
  free(q), free(v), free(a), free(r), free(C), free(lambda), free(want), free(got);
  tni_data_destroy(&c);
  return off;
}

/* ---- motion -------------------------------------------------------------------------------- */

/* Angular momentum about the common centre of mass; nothing changes it on a free base. */
static void angular_momentum(const tni_data *s, double L[3]) {
  double R[3] = {0}, V[3] = {0}, mass = 0;
  vec3_set(L, 0, 0, 0);
  for (int i = 0; i < s->model->nbody; i++) {
    mass += s->model->body[i].mass;
    vec3_addmul(R, s->model->body[i].mass, s->kin[i + 1].r);
    vec3_addmul(V, s->model->body[i].mass, s->kin[i + 1].v);
  }
  vec3_scale(R, 1/mass, R);
  vec3_scale(V, 1/mass, V);
  for (int i = 0; i < s->model->nbody; i++) {
    const tni_kin *k = &s->kin[i + 1];
    double r[3], p[3], h[3], x[3];
    vec3_sub(r, k->r, R);
    vec3_sub(p, k->v, V);
    vec3_cross(x, r, p);
    vec3_addmul(L, s->model->body[i].mass, x);
    mat3_vec(h, s->model->body[i].I, k->w);
    mat3_vec(x, k->A, h);
    vec3_add(L, L, x);
  }
}

/* true: it has come to its end */
static bool run_loop(int number, const char *text, const char *kind, const char *representation,
                     double tol, bool look, outcome *out) {
  loaded l;
  tn_sim *sim;
  double L0[3], L1[3], reaction = 0;
  load_text(&l, text);
  tn_run_opts o = {.representation = representation, .tolerance = tol, .until = until};
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
  angular_momentum(sim->s, L0);
  tn_status st = TN_OK;
  /* the output interval must not matter: some look often, at states inside of steps */
  for (int i = 1; i <= (look ? 40 : 2) && st == TN_OK; i++) {
    st = tn_sim_advance(sim, until*i/(look ? 40 : 2));
    if (st == TN_OK) reaction = fmax(reaction, reactions_off(&l, sim));
  }
  int failures = check_failures;
  CHECK_OK(l.ctx, st);
  if (st == TN_OK) {
    for (int i = 0; i < l.model->nbody && i < MAX_BODIES; i++) {
      const tni_kin *k = &sim->s->kin[i + 1];
      vec3_copy(out->pose[i], k->r);
      memcpy(out->pose[i] + 3, k->A, 9*sizeof(double));
      vec3_copy(out->velocity[i], k->v);
      vec3_copy(out->velocity[i] + 3, k->w);
    }
    tn_sim_summary(sim, &out->sum);
    /* rounding of accelerations: of a mass, a lever, an inertia of 0.01 */
    CHECK_NEAR(reaction, 0, fmax(1e-9, 1e-2*tol));
    CHECK(out->sum.position_error < 1e-9);
    CHECK(out->sum.energy_error <= 20*tol*out->sum.energy_scale);
    if (strstr(text, "ground") == NULL) {
      angular_momentum(sim->s, L1);
      CHECK_NEAR(far_apart(L1, L0, 3, 1e-3), 0, 20*tol);
    }
  }
  if (check_failures > failures)
    printf("  loop %d, %s, %s, tolerance %.0e\n", number, kind, representation, tol);
  tn_sim_destroy(&sim);
  unload(&l);
  return st == TN_OK;
}

static void scan(int from, int to, const double *tols, int ntol) {
  random_loop loop;
  static char text[LOOP_TEXT + 400];
  for (int n = from; n < to; n++) {
    outcome best = {0};
    random_loop_text(n, &loop, text);
    for (int k = ntol - 1; k >= 0; k--)
      for (int r = 0; r < 2; r++) {
        const char *representation = r == 0 ? "cartesian" : "joint";
        bool first = k == ntol - 1 && r == 0;
        outcome x = {0};
        if (!run_loop(n, text, loop.kind, representation, tols[k], n % 7 == 0, first ? &best : &x))
          continue;
        if (first) continue;
        int failures = check_failures;
        for (int i = 0; i < MAX_BODIES; i++) {
          CHECK_NEAR(far_apart(x.pose[i], best.pose[i], 12, 1), 0, 100*tols[k]);
          CHECK_NEAR(far_apart(x.velocity[i], best.velocity[i], 6, 1), 0, 1000*tols[k]);
        }
        if (check_failures > failures)
          printf("  loop %d, %s, %s, tolerance %.0e\n", n, loop.kind, representation, tols[k]);
      }
  }
}

/* which rows are left out is history: a run that goes on from a checkpoint must have the same */
static void a_checkpoint_goes_on_bit_for_bit(void) {
  static const char *const methods[] = {"rk8", "adams", "radau"};
  random_loop loop;
  static char text[LOOP_TEXT + 400];
  for (int n = 0; n < LOOP_KINDS; n++)
    for (int k = 0; k < 4; k++) {
      loaded l;
      if (!all && (n + k) % 2) continue;
      tn_sim *sim, *again;
      random_loop_text(n, &loop, text);
      load_text(&l, text);
      tn_run_opts o = {.representation = k < 3 ? "cartesian" : "joint", .method = methods[k % 3],
                       .tolerance = 1e-5, .until = 1};
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &sim));
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, &o, &again));
      CHECK_OK(l.ctx, tn_sim_advance(sim, 0.5));
      double *state = calloc((size_t)tni_sim_ncheckpoint(sim), sizeof(double));
      CHECK_OK(l.ctx, tni_sim_save(sim, state));
      CHECK_OK(l.ctx, tni_sim_load(again, state));
      CHECK_OK(l.ctx, tn_sim_advance(sim, 1));
      CHECK_OK(l.ctx, tn_sim_advance(again, 1));
      CHECK(memcmp(sim->at.q, again->at.q, (size_t)sim->s->nq*sizeof(double)) == 0);
      CHECK(memcmp(sim->at.v, again->at.v, (size_t)sim->s->nv*sizeof(double)) == 0);
      free(state);
      tn_sim_destroy(&sim);
      tn_sim_destroy(&again);
      unload(&l);
    }
}

static void redundant_loops_run_at_every_spin(void) {
  static const double tols[] = {1e-5, 1e-10};
  scan(0, 2*LOOP_KINDS, tols, 2);
}

static void five_hundred_redundant_loops_run_at_every_spin(void) {
  static const double tols[] = {1e-4, 1e-6, 1e-8, 1e-10};
  scan(0, 500, tols, 4);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (all) RUN(five_hundred_redundant_loops_run_at_every_spin);
  else RUN(redundant_loops_run_at_every_spin);
  RUN(a_checkpoint_goes_on_bit_for_bit);
  return REPORT();
}
