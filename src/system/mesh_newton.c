/* system/mesh_newton.c - the newton operations of linear structures: one sparse symmetric matrix
 *
 * Where M, D and K never change, and there is nothing else (tni_system_is_linear), methods on independent coordinates have no
 * coordinates to choose: m M + g D + b K is factored as it is (linsolve/saddle.h) instead of being projected on a basis that
 * would be the unit matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/cartesian.h"
#include "system/parts.h"

struct tni_mesh_newton {
  tni_saddle *lu;
  double *M, *D, *K, *W;   /* [square nnz], signs of r = M a - f     */
  bool known;              /* M, D, K                                */
  double m, g, b;          /* of the factors                         */
  bool factored;
  double mass;             /* > 0: M alone, times it, which is diagonal, is to be solved with */
};

tn_status tni_mesh_newton_prepare(tni_data *s) {
  tni_cartesian *c = (tni_cartesian *)(void *)s;
  if (c->newton || !tni_system_is_linear(s)) return TN_OK;
  struct tni_mesh_newton *w;
  TNI_ARENA_NEW(&s->arena, w, 1);
  double **matrix[] = {&w->M, &w->D, &w->K, &w->W};
  for (int i = 0; i < TNI_COUNT(matrix); i++) TNI_ARENA_NEW(&s->arena, *matrix[i], s->square->nnz);
  TN_TRY(tni_saddle_create(s->ctx, s->square, s->rows, false, &w->lu));
  c->newton = w;
  TN_TRY(tni_saddle_expect_definite(w->lu));
  s->straight = true;
  return TN_OK;
}

void tni_mesh_newton_end(tni_data *s) {
  tni_cartesian *c = (tni_cartesian *)(void *)s;
  if (c->newton) tni_saddle_destroy(&c->newton->lu);
}

static struct tni_mesh_newton *of(tni_data *s) { return ((tni_cartesian *)(void *)s)->newton; }

static void at(tni_data *s, const tni_at *state, double *r_t) {
  struct tni_mesh_newton *w = of(s);
  tni_sparse_tangent all = {.M = w->M, .r_q = w->K, .r_v = w->D, .r_t = r_t}, rate = {.r_t = r_t};
  if (w->known && !r_t) return;
  w->known = tni_cart_tangent(s, state, NULL, w->known ? &rate : &all) == TN_OK;
}

static void apply(tni_data *s, const double *dq, const double *dv, const double *da, double *y) {
  const struct tni_mesh_newton *w = of(s);
  memset(y, 0, (size_t)s->nv*sizeof(double));
  if (dq) tni_sparse_add(s->square, 1, w->K, dq, y);
  if (dv) tni_sparse_add(s->square, 1, w->D, dv, y);
  if (da) tni_sparse_add(s->square, 1, w->M, da, y);
}

static bool factor(tni_data *s, double m, double g, double b, tni_newton_turns turns) {
  struct tni_mesh_newton *w = of(s);
  (void)turns; /* nothing turns */
  w->mass = g == 0 && b == 0 && !tni_parts_coupled(s->parts) ? m : 0;
  if (w->mass > 0) return true;
  if (w->factored && w->m == m && w->g == g && w->b == b) return true;
  s->nstraight++;
  for (int k = 0; k < s->square->nnz; k++) w->W[k] = m*w->M[k] + g*w->D[k] + b*w->K[k];
  w->factored = w->known && tni_saddle_factor(w->lu, w->W, NULL, NULL, 0) == TN_OK;
  w->m = m;
  w->g = g;
  w->b = b;
  return w->factored;
}

static void solve(tni_data *s, double *x) {
  const struct tni_mesh_newton *w = of(s);
  if (!(w->mass > 0)) {
    tni_saddle_solve(w->lu, 1, x);
    return;
  }
  for (int i = 0; i < s->nv; i++) x[i] /= w->mass*w->M[tni_sparsity_find(s->square, i, i)];
}

const tni_newton_ops tni_mesh_newton = {.at = at, .apply = apply, .factor = factor, .solve = solve};
