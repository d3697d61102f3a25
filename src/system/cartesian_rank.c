/* system/cartesian_rank.c - which rows of the constraints are used, and their factor
 *
 * Redundant rows: the rank analysis marks a maximal independent set; only those rows enter the
 * factorization, and the multipliers are then made the ones of least norm. Rows are equations in
 * ground and body axes, and as the bodies turn the kept ones may come near to dependence while the
 * loop itself stays regular; between steps they are exchanged for dropped ones before that costs
 * digits. The analysis is repeated when a consistent state shows that a dropped row does not follow
 * from the others any more. Where a pivot vanishes on the way (a singular position), a smaller set
 * serves for that moment only: next to the position all rows are needed again.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/cartesian.h"

/* At the distance e of a singular position rounding u leaves a position off its branch by u/e, and
 * accelerations by v^2 u/e^3: more than any without the rows below this e^2, in units of the usual
 * pivot. Positions are still found with them. */
static const double ROUNDED_PIVOT = 2.5e-11;
/* part of its length by which a row may change before the choice of kept rows is looked at again */
static const double ROW_CHANGE = 0.05;

/* ---- rank and factorization ---------------------------------------------------------------- */

void tni_cart_use_rows(tni_cartesian *c, const tni_row_set *set) {
  c->now = set;
  c->exchanged = false;
  memcpy(c->active, set->rank.independent, (size_t)c->base.m*sizeof(bool));
}

/* lengths of the rows in the metric of kinetic energy */
static void row_sizes(const tni_kkt *K, double *size) {
  for (int b = 0; b < K->nblock; b++)
    for (int r = K->rowadr[b]; r < K->rowadr[b+1]; r++)
      size[r] = 1/tni_kkt_row_scale(K, b, r - K->rowadr[b]);
}

/* independent rows at the present values of J; they are used from now on */
static tn_status find_independent(tni_cartesian *c, double tol, tni_row_set *set) {
  tni_arena_clear(&set->arena);
  TN_TRY(tni_kkt_rank(&c->kkt, tol, &set->arena, &set->rank));
  size_t k = (size_t)set->rank.nnull;
  TNI_ARENA_NEW(&set->arena, set->W, k*(size_t)c->base.m);
  TNI_ARENA_NEW(&set->arena, set->B, k*k);
  TNI_ARENA_NEW(&set->arena, set->y, k);
  TNI_ARENA_NEW(&set->arena, set->dropped, k);
  TNI_ARENA_NEW(&set->arena, set->J, k > 0 ? c->nJ : 0);
  TNI_ARENA_NEW(&set->arena, set->size, k > 0 ? c->base.m : 0);
  tni_cart_use_rows(c, set);
  return TN_OK;
}

/* factor the present J; with a, solve for accelerations and multipliers, too */
static tn_status factor_once(tni_cartesian *c, double *a, double *lambda) {
  tn_status st = a ? tni_kkt_factor_solve(c->solver, c->f, c->gamma, a, lambda)
                   : tni_kkt_factor(c->solver);
  c->base.pivot = tni_kkt_pivot_ratio(c->solver);
  return st;
}

static tn_status analyse_rank(tni_cartesian *c) {
  bool first = c->base.rank == NULL;
  int before = first ? 0 : c->regular.rank.rank;
  c->base.rank = NULL;
  TN_TRY(find_independent(c, c->rank_tol, &c->regular));
  c->base.rank = &c->regular.rank;
  c->regular.usual = factor_once(c, NULL, NULL) == TN_OK ? c->base.pivot : 1;
  c->base.usual = c->regular.usual;
  if (!first && c->regular.rank.rank != before) c->base.work.nrank++;
  return TN_OK;
}

tn_status tni_cart_rank_anew(tni_data *s, double t, const double *q) {
  tni_cartesian *c = (tni_cartesian *)s;
  if (s->m == 0) return TN_OK;
  tni_cart_set_kin(s, t, q, NULL);
  tni_cart_eval(c, t, TNI_C_JACOBIAN);
  return analyse_rank(c);
}

/* The same where a pivot may vanish, which means a singular position. */
tn_status tni_cart_factor(tni_cartesian *c, double *a, double *lambda) {
  if (c->now == &c->passing) tni_cart_use_rows(c, &c->regular);
  c->base.work.nfactor += c->base.m > 0; /* nothing is factored without constraints */
  double bar = a ? ROUNDED_PIVOT*c->regular.usual : 0;
  if (bar < TNI_CART_SINGULAR_PIVOT) bar = 0; /* small pivots are usual here: masses of very different size */
  tn_status st = factor_once(c, a, lambda);
  if (st == TN_SINGULAR && c->exchanged) { /* chosen by a factor that was too poor */
    tni_cart_use_rows(c, &c->regular);
    st = factor_once(c, a, lambda);
  }
  if (st != TN_SINGULAR && !(st == TN_OK && c->base.pivot < bar)) return st;
  TN_TRY(find_independent(c, bar > 0 ? sqrt(bar) : c->rank_tol, &c->passing));
  c->base.work.nrank++;
  st = factor_once(c, a, lambda);
  c->base.pivot = 0;
  if (st != TN_SINGULAR) return st;
  char name[128];
  tni_cart_row_name(&c->base, tni_kkt_bad_row(c->solver), name, sizeof(name));
  return TN_FAIL(c->base.ctx, TN_SINGULAR, "singular configuration: constraint '%s' has no pivot",
                 name);
}

/* w [m] with C^T w = row d of C, over the rows of the factor; uses c->f and c->x */
static void express_row(tni_cartesian *c, int d, double *w) {
  const tni_kkt *K = &c->kkt;
  int b = c->con_row[d];
  memset(c->f, 0, (size_t)c->base.nv*sizeof(double));
  for (int e = K->incadr[b]; e < K->incadr[b+1]; e++) {
    const double *J = K->J + K->jadr[e] + (d - K->rowadr[b])*K->d;
    memcpy(c->f + K->incbody[e]*K->d, J, (size_t)K->d*sizeof(double));
  }
  tni_kkt_solve(c->solver, c->f, NULL, c->x, w);
}

/* Lower Cholesky factor of the n x n matrix A in place, then x := A^-1 x. A = 1 + W^T W is as well
 * conditioned as the rows are. */
static void solve_definite(double *A, int n, double *x) {
  for (int i = 0; i < n; i++) {
    double *Ai = A + (size_t)i*(size_t)n;
    for (int j = 0; j <= i; j++) {
      const double *Aj = A + (size_t)j*(size_t)n;
      for (int k = 0; k < j; k++) Ai[j] -= Ai[k]*Aj[k];
      Ai[j] = i == j ? sqrt(Ai[j]) : Ai[j]/Aj[j];
    }
    for (int k = 0; k < i; k++) x[i] -= Ai[k]*x[k];
    x[i] /= Ai[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= A[(size_t)i*(size_t)n + (size_t)i];
    for (int k = 0; k < i; k++) x[k] -= A[(size_t)i*(size_t)n + (size_t)k]*x[i];
  }
}

/* rows left out, written by those of the factor; returns how many */
int tni_cart_express_dropped(tni_cartesian *c, const tni_row_set *set) {
  int m = c->base.m, n = 0;
  for (int d = 0; d < m; d++) {
    if (c->active[d]) continue;
    double *w = set->W + (size_t)n*(size_t)m;
    if (tni_system_row_idle(&c->base, d)) memset(w, 0, (size_t)m*sizeof(double));
    else express_row(c, d, w);
    set->dropped[n++] = d;
  }
  return n;
}

/* Multipliers of least norm with the forces of lambda, from the n dropped rows as expressed at this
 * configuration (the null vectors turn with the bodies). Dropped row d = sum over kept rows of w_d,
 * so that all solutions are lambda - W y on the kept and y on the dropped rows; the least one has
 *   (1 + W^T W) y = W^T lambda                                                                   */
void tni_cart_least_norm(tni_cartesian *c, int n, double *lambda) {
  const tni_row_set *set = c->now;
  int m = c->base.m;
  for (int a = 0; a < n; a++) {
    const double *wa = set->W + (size_t)a*(size_t)m;
    for (int b = 0; b <= a; b++) {
      const double *wb = set->W + (size_t)b*(size_t)m;
      double sum = a == b;
      for (int i = 0; i < m; i++) sum += wa[i]*wb[i];
      set->B[(size_t)a*(size_t)n + (size_t)b] = sum;
    }
    set->y[a] = 0;
    for (int i = 0; i < m; i++) set->y[a] += wa[i]*lambda[i];
  }
  solve_definite(set->B, n, set->y);
  for (int a = 0; a < n; a++)
    for (int i = 0; i < m; i++) lambda[i] -= set->y[a]*set->W[(size_t)a*(size_t)m + (size_t)i];
  for (int d = 0, a = 0; d < m; d++)
    if (!c->active[d]) lambda[d] = set->y[a++];
}

/* ---- rows that follow the motion ----------------------------------------------------------- */

/* Has a row changed since the present ones were found good? After a rank analysis, which prefers the
 * first rows, nobody has looked yet and the answer is yes. */
static bool rows_have_changed(const tni_cartesian *c) {
  const tni_kkt *K = &c->kkt;
  const double *before = c->regular.J;
  for (int b = 0; b < K->nblock; b++)
    for (int r = 0; r < K->rowadr[b+1] - K->rowadr[b]; r++) {
      double change = 0, length = 0;
      for (int e = K->incadr[b]; e < K->incadr[b+1]; e++)
        for (int i = K->jadr[e] + r*K->d; i < K->jadr[e] + (r + 1)*K->d; i++) {
          change += (c->J[i] - before[i])*(c->J[i] - before[i]);
          length += before[i]*before[i];
        }
      if (change > ROW_CHANGE*ROW_CHANGE*length) return true;
    }
  return false;
}

/* The kept rows have no factor here: an analysis tells whether others have. At a singular position
 * they have not, and nothing is to be learned. */
static tn_status choose_again(tni_cartesian *c) {
  TN_TRY(find_independent(c, c->rank_tol, &c->passing));
  if (c->passing.rank.rank == c->regular.rank.rank) {
    tni_row_set set = c->regular;
    c->passing.usual = c->regular.usual;
    c->regular = c->passing;
    c->passing = set;
    c->base.work.nexchange++;
  }
  tni_cart_use_rows(c, &c->regular);
  return TN_OK;
}

static bool is_redundant(const tni_cartesian *c) {
  return c->regular.rank.nnull > 0 && c->regular.rank.nnull > tni_system_idle_rows(&c->base);
}

tn_status tni_cart_follow_rank(tni_data *s, double t, const double *q) {
  tni_cartesian *c = (tni_cartesian *)s;
  tni_row_set *set = &c->regular;
  if (!is_redundant(c)) return TN_OK;
  tni_cart_set_kin(s, t, q, NULL);
  tni_cart_eval(c, t, TNI_C_JACOBIAN);
  if (!rows_have_changed(c)) return TN_OK;
  tni_cart_use_rows(c, set);
  s->work.nfactor++;
  tn_status st = factor_once(c, NULL, NULL);
  if (st == TN_SINGULAR) return choose_again(c);
  TN_TRY(st);
  int n = tni_cart_express_dropped(c, set);
  row_sizes(&c->kkt, set->size);
  memcpy(set->J, c->J, (size_t)c->nJ*sizeof(double));
  s->work.nexchange += tni_rank_exchange(s->m, n, set->size, s->velocity_only, set->W, set->dropped,
                                         set->rank.independent);
  tni_cart_use_rows(c, set);
  return TN_OK;
}

/* The rows that were chosen at the start of a step may be bad ones at a state within it. From the
 * factor and the dropped rows expressed by it (n of them): others for this state alone, which need a
 * factor of their own. False: the present ones are good enough. */
bool tni_cart_exchange_here(tni_cartesian *c, int n) {
  tni_row_set *set = &c->regular;
  row_sizes(&c->kkt, set->size);
  c->exchanged = tni_rank_exchange(c->base.m, n, set->size, c->base.velocity_only, set->W,
                                   set->dropped, c->active) > 0;
  return c->exchanged;
}

/* rows for the state of a projection, at the present J */
tn_status tni_cart_choose_here(tni_cartesian *c) {
  tni_cart_use_rows(c, &c->regular);
  if (!is_redundant(c) || !rows_have_changed(c)) return TN_OK;
  tn_status st = factor_once(c, NULL, NULL);
  if (st == TN_SINGULAR) return TN_OK; /* that is found again, and treated, by the projection */
  TN_TRY(st);
  tni_cart_exchange_here(c, tni_cart_express_dropped(c, c->now));
  return TN_OK;
}
