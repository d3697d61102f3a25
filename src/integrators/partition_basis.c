/* integrators/partition_basis.c - independent coordinates of a step: choice and basis
 *
 * Both parametrizations use one basis. C = (C_u C_v) with C_u regular, and
 *
 *   P = (-C_u^-1 C_v; 1)                      columns: unit changes of the independent components
 *   coordinates     Z = (C_u^-1; 0),               B2 picks the independent components
 *   tangent plane   Z = (1 - P B2)(C_u^-1; 0),     B2 = Mhat^-1 P^T M
 *
 * so that in the tangent plane y only counts along another basis of it than an orthonormal one,
 * which a one-step formula does not notice; C_u is sparse, and eliminated as such. Normal means
 * normal in the metric of the kinetic energy, P^T M Z = 0. That knows no units; D vanishes and with
 * it all terms of gamma; and what rounding does across the constraints next to a singular position,
 * which is along M^-1 C^T, is not seen by y.
 *
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, section 3 and appendix B; E. J. Haug,
 * R. A. Wehage, J. Mech. Des. 104 (1982).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>

#include "integrators/partition_parts.h"
#include "linsolve/pair.h"
#include "parallel/pool.h"

#define REPARTITION 1.25     /* growth of the condition number that asks for other coordinates   */
#define RANK_TOL 1e-10       /* pivot against the largest one                                    */
#define MASS_TOL 1e-14       /* of a freedom against those before, relative                      */

/* ---- create -------------------------------------------------------------------------------- */

static tn_status check_system(const tni_data *s) {
  TN_REQUIRE(s->ctx, tni_has_tangents(s), TN_ERR_UNSUPPORTED,
             "implicit methods need exact tangents, which this system does not have");
  for (int r = 0; s->velocity_only && r < s->m; r++)
    TN_REQUIRE(s->ctx, !s->velocity_only[r], TN_ERR_UNSUPPORTED,
               "rosen, sdirk, trap and descriptor forms cannot treat the velocity constraint of '%s': use radau, or rk8 "
               "and rk45 if it is not stiff",
               tni_row_owner(s, r));
  return TN_OK;
}

/* for a straight one: vectors */
static tn_status allocate_vectors(tni_arena *arena, tni_partition *p) {
  size_t n = (size_t)p->n, nq = (size_t)p->s->nq;
  TNI_ARENA_NEW(arena, p->w, 1);
  struct tni_partition_work *w = p->w;
  double **vectors[] = {&p->v, &p->a, &p->xi, &p->xid, &p->xidd, &p->gt, &w->x, &w->u, &w->ux, &w->vv,
                        &w->y_v, &w->y_a, &w->turn_v, &w->turn_a};
  for (int i = 0; i < TNI_COUNT(vectors); i++) TNI_ARENA_NEW(arena, *vectors[i], n);
  TNI_ARENA_NEW(arena, p->q, nq);
  TNI_ARENA_NEW(arena, w->q, nq);
  TNI_ARENA_NEW(arena, w->qd, nq);
  TNI_ARENA_NEW(arena, w->q_at, nq);
  TNI_ARENA_NEW(arena, w->Cfull, nq);
  TNI_ARENA_NEW(arena, w->turn, n);
  TNI_ARENA_NEW(arena, p->turn, n);
  TNI_ARENA_NEW(arena, p->forced, n);
  return TN_OK;
}

static tn_status allocate(tni_arena *arena, tni_partition *p) {
  size_t n = (size_t)p->n, m = (size_t)p->s->m, nq = (size_t)p->s->nq;
  size_t square = (size_t)p->s->square->nnz, rows = (size_t)p->s->rows->nnz;
  TNI_ARENA_NEW(arena, p->w, 1);
  struct tni_partition_work *w = p->w;
  double **vectors[] = {&p->v, &p->a, &p->xi, &p->xid, &p->xidd, &p->gt, &w->x, &w->u, &w->ux,
                        &w->guess, &w->dy, &w->vv, &w->y, &w->yd, &w->ydd, &w->tan.r_t,
                        &w->diagonal, &w->y_v, &w->y_a, &w->y_last, &w->yd_last};
  double **squares[] = {&p->P, &p->Mhat, &p->M1, &p->M2, &w->V, &w->F, &w->R, &w->X, &w->Y, &w->U, &w->G,
                        &w->Pq, &w->H, &w->W, &w->T, &w->small};
  double **on_square[] = {&w->tan.M, &w->tan.r_q, &w->tan.r_v};
  double **on_rows[] = {&w->tan.C, &w->tan.Cv_q, &w->tan.Ca_q, &w->tan.gamma_q, &w->tan.gamma_v};
  double **of_rows[] = {&w->Cu, &w->may, &w->inverse};
  for (int i = 0; i < TNI_COUNT(vectors); i++) TNI_ARENA_NEW(arena, *vectors[i], n);
  for (int i = 0; i < TNI_COUNT(squares); i++) TNI_ARENA_NEW(arena, *squares[i], n*n);
  for (int i = 0; i < TNI_COUNT(on_square); i++) TNI_ARENA_NEW(arena, *on_square[i], square);
  for (int i = 0; i < TNI_COUNT(on_rows); i++) TNI_ARENA_NEW(arena, *on_rows[i], rows);
  for (int i = 0; i < TNI_COUNT(of_rows); i++) TNI_ARENA_NEW(arena, *of_rows[i], m*m);
  TNI_ARENA_NEW(arena, w->C, m*n);
  int **entries[] = {&w->dep_from, &w->dep_to, &w->ind_from, &w->ind_to};
  for (int i = 0; i < TNI_COUNT(entries); i++) TNI_ARENA_NEW(arena, *entries[i], rows);
  TNI_ARENA_NEW(arena, w->Cfull, m*n + nq);
  TN_TRY(tni_elim_create(arena, p->s->m, &w->S0));
  TN_TRY(tni_elim_create(arena, p->s->m, &w->S));
  TNI_ARENA_NEW(arena, w->rows, m);
  TNI_ARENA_NEW(arena, p->q, nq);
  TNI_ARENA_NEW(arena, w->q, nq);
  TNI_ARENA_NEW(arena, w->qd, nq);
  TNI_ARENA_NEW(arena, w->turn, n);
  int **ints[] = {&p->dep, &p->ind, &p->turn, &w->mark, &w->perm, &w->hpivot};
  for (int i = 0; i < TNI_COUNT(ints); i++) TNI_ARENA_NEW(arena, *ints[i], n);
  TNI_ARENA_NEW(arena, p->forced, n);
  TNI_ARENA_NEW(arena, w->halves, 2*n);
  TNI_ARENA_NEW(arena, w->body_group, n + 1);
  TNI_ARENA_NEW(arena, w->mirror, square);
  TNI_ARENA_NEW(arena, w->index, n*n);
  TNI_ARENA_NEW(arena, w->row_group, m + 1);
  TNI_ARENA_NEW(arena, p->row, m);
  TNI_ARENA_NEW(arena, w->pivot, m);
  return TN_OK;
}

tn_status tni_partition_create(tni_arena *arena, tni_data *s, const tni_scale *scale,
                               const tni_integrator_opts *opts, double tol, bool whole,
                               tni_partition *p) {
  *p = (tni_partition){.s = s, .kind = opts->parametrization, .n = s->nv, .r = -1, .tol = tol,
                       .jacobian = opts->jacobian, .nforced = opts->nindependent,
                       .repartition = opts->repartition > 0 ? opts->repartition : REPARTITION};
  TN_TRY(check_system(s));
  if (opts->jacobian < TNI_JACOBIAN_NUMERICAL) TN_TRY(tni_prepare_straight(s));
  p->straight = tni_partition_is_straight(s, opts);
  if (p->straight) {
    p->r = 0;
    p->nd = p->n;
    TN_TRY(allocate_vectors(arena, p));
    return tni_partition_find_turns(p, scale);
  }
  TN_TRY(tni_prepare_pattern(s));
  TN_TRY(allocate(arena, p));
  if (p->jacobian >= TNI_JACOBIAN_BLOCKS && !whole) TN_TRY(tni_ways_create(arena, p));
  if (whole) {
    TNI_ARENA_NEW(arena, p->w->trio, 3*p->n);
    TN_TRY(tni_whole_create(arena, p));
  }
  for (int i = 0; i < p->nforced; i++) p->forced[opts->independent[i]] = true;
  struct tni_partition_work *w = p->w;
  w->nbody_group = tni_thin_groups(s->square, p->n, NULL, w->body_group);
  TN_REQUIRE(s->ctx, tni_thin_mirror(s->square, p->n, w->perm, w->mirror), TN_ERR_UNSUPPORTED,
             "implicit methods: the pattern of the tangents is not symmetric");
  TN_TRY(tni_panels_create(arena, p->n, w->nbody_group, w->body_group, &w->P));
  TN_TRY(tni_panels_create(arena, p->n, w->nbody_group, w->body_group, &w->MP));
  return tni_partition_find_turns(p, scale);
}

void tni_partition_destroy(tni_partition *p) { tni_whole_destroy(p); }

bool tni_partition_is_straight(const tni_data *s, const tni_integrator_opts *opts) {
  return (s->recursive || tni_system_is_linear(s)) && s->m == 0 && opts->jacobian < TNI_JACOBIAN_NUMERICAL;
}

/* ---- motions along and across the constraints ---------------------------------------------- */

/* X := (L L^T)^-1 X for columns of a [nd][ld] matrix; both triangles of G are there */
WIDE_ROWS
void tni_partition_solve_gram(const tni_partition *p, tni_columns c, double *X) {
  const double *G = p->w->G;
  int nd = p->nd, k = c.c1 - c.c0;
  size_t ld = (size_t)c.ld;
  X += c.c0;
  for (int i = 0; i < nd; i++) {
    double *x = X + (size_t)i*ld, f = -p->w->diagonal[i];
    for (int j = 0; j < k; j++) x[j] = -x[j];
    row_sum(i, NULL, G + (size_t)i*(size_t)nd, 1, k, X, ld, x);
    for (int j = 0; j < k; j++) x[j] *= f;
  }
  for (int i = nd - 1; i >= 0; i--) {
    double *x = X + (size_t)i*ld, f = -p->w->diagonal[i];
    for (int j = 0; j < k; j++) x[j] = -x[j];
    row_sum(nd - 1 - i, NULL, G + (size_t)i*(size_t)nd + i + 1, 1, k, x + ld, ld, x);
    for (int j = 0; j < k; j++) x[j] *= f;
  }
}

static void solve_gram_vector(const tni_partition *p, double *restrict x) {
  const double *G = p->w->G;
  int nd = p->nd;
  for (int i = 0; i < nd; i++) {
    double f = x[i] *= p->w->diagonal[i];
    for (int m = i + 1; m < nd; m++) x[m] -= G[i*nd + m]*f;
  }
  for (int i = nd - 1; i >= 0; i--) {
    double f = x[i] *= p->w->diagonal[i];
    for (int m = 0; m < i; m++) x[m] -= G[i*nd + m]*f;
  }
}

void tni_partition_solve_mass(const tni_partition *p, double *x) { solve_gram_vector(p, x); }

void tni_partition_across(const tni_partition *p, double *u, double *x, double *scratch) {
  tni_elim_solve(&p->w->S0, 1, 0, 1, u, scratch);
  tni_zero(x, 1, p->n);
  for (int i = 0; i < p->r; i++) x[p->dep[i]] = u[i];
  if (p->kind == TNI_COORDINATES || p->nd == 0) return;
  tni_panels_inner(&p->w->MP, x, scratch, p->w->halves);
  solve_gram_vector(p, scratch);
  tni_panels_add(&p->w->P, -1, scratch, x);
}

void tni_partition_extract(const tni_partition *p, const double *x, double *y) {
  if (p->straight) {
    memcpy(y, x, (size_t)p->n*sizeof(double));
    return;
  }
  if (p->kind == TNI_TANGENT_PLANE) {
    tni_panels_inner(&p->w->MP, x, y, p->w->halves);
    solve_gram_vector(p, y);
    return;
  }
  for (int i = 0; i < p->nd; i++) y[i] = x[p->ind[i]];
}

void tni_partition_expand(const tni_partition *p, const double *y, double *x) {
  if (p->straight) {
    memcpy(x, y, (size_t)p->n*sizeof(double));
    return;
  }
  tni_zero(x, 1, p->n);
  tni_panels_add(&p->w->P, 1, y, x);
}

/* ---- choice of coordinates ----------------------------------------------------------------- */

static tn_status singular(const tni_partition *p, int row) {
  char name[128] = "?";
  if (row >= 0) tni_row_name(p->s, row, name, sizeof(name));
  return TN_FAIL(p->s->ctx, TN_SINGULAR,
                 "singular configuration at t = %.9g s: constraint '%s' leaves no dependent "
                 "coordinate", p->t, name);
}

/* dense rows [r][n] of values on the pattern of rows, NULL: the pattern itself */
static void spread_rows(const tni_partition *p, const double *values, double *out) {
  const tni_sparsity *pattern = p->s->rows;
  tni_zero(out, p->r, p->n);
  for (int i = 0; i < p->r; i++) {
    int r = p->row[i];
    for (int e = pattern->rowptr[r]; e < pattern->rowptr[r+1]; e++) {
      out[i*p->n + pattern->col[e]] = values ? values[e] : 1;
    }
  }
}

/* rows in use; true when they are others than before */
static bool take_rows(tni_partition *p) {
  const tni_data *s = p->s;
  int r = 0;
  bool changed = p->r < 0;
  for (int i = 0; i < s->m; i++) {
    if (s->rank && !s->rank->independent[i]) continue;
    changed = changed || r >= p->r || p->row[r] != i;
    p->row[r++] = i;
  }
  changed = changed || r != p->r;
  p->r = r;
  p->nd = p->n - r;
  if (changed) p->w->nrow_group = tni_thin_groups(s->rows, r, p->row, p->w->row_group);
  return changed;
}

tn_status tni_partition_check_forced(const tni_partition *p) {
  if (p->nforced == 0 || p->nforced == p->nd) return TN_OK;
  return TN_FAIL(p->s->ctx, TN_ERR_INPUT,
                 "%d independent coordinates are given, but the mechanism has %d degrees of freedom",
                 p->nforced, p->nd);
}

/* Gaussian elimination with full pivoting on a copy of C: dep and ind, both ascending */
static tn_status choose_coordinates(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int n = p->n, r = p->r, *col = w->perm, *row = w->pivot;
  double *A = w->Cfull, first = 0;
  memcpy(A, w->C, (size_t)r*(size_t)n*sizeof(double));
  for (int j = 0; j < n; j++) col[j] = j;
  for (int i = 0; i < r; i++) row[i] = i;
  for (int k = 0; k < r; k++) {
    int bi = k, bj = k;
    double best = -1;
    for (int i = k; i < r; i++) {
      for (int j = k; j < n; j++) {
        double x = p->forced[col[j]] ? 0 : fabs(A[row[i]*n + col[j]]);
        if (x > best) {
          best = x;
          bi = i;
          bj = j;
        }
      }
    }
    if (k == 0) first = best;
    if (!(best > RANK_TOL*first)) return singular(p, p->row[row[k]]);
    int swap = row[k];
    row[k] = row[bi];
    row[bi] = swap;
    swap = col[k];
    col[k] = col[bj];
    col[bj] = swap;
    const double *pk = A + row[k]*n;
    for (int i = k + 1; i < r; i++) {
      double *pi = A + row[i]*n, f = pi[col[k]]/pk[col[k]];
      if (f == 0) continue;
      for (int j = k; j < n; j++) pi[col[j]] -= f*pk[col[j]];
    }
  }
  int nd = 0, nu = 0;
  for (int k = 0; k < r; k++) w->mark[col[k]] = 1;
  for (int k = r; k < n; k++) w->mark[col[k]] = 0;
  for (int j = 0; j < n; j++) {
    if (w->mark[j]) p->dep[nu++] = j;
    else p->ind[nd++] = j;
  }
  p->nchosen++;
  return TN_OK;
}

/* C_u [r][r] of C [r][n] */
static void dependent_columns(const tni_partition *p, const double *C, double *Cu) {
  for (int i = 0; i < p->r; i++) {
    for (int k = 0; k < p->r; k++) Cu[i*p->r + k] = C[i*p->n + p->dep[k]];
  }
}

static double largest_row_sum(int r, const double *A) {
  double largest = 0;
  for (int i = 0; i < r; i++) {
    double sum = 0;
    for (int k = 0; k < r; k++) sum += fabs(A[i*r + k]);
    largest = fmax(largest, sum);
  }
  return largest;
}

/* condition number of C_u in the largest row sum, from its factors */
static double condition(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  int r = p->r;
  if (r == 0) return 1;
  tni_zero(w->inverse, r, r);
  for (int i = 0; i < r; i++) w->inverse[i*(r + 1)] = 1;
  tni_elim_solve(&w->S0, r, 0, r, w->inverse, w->S.W);
  return largest_row_sum(r, w->Cu)*largest_row_sum(r, w->inverse);
}

/* where the entries of tan.C go once coordinates are chosen */
static void find_entries(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  const tni_sparsity *pattern = p->s->rows;
  int *place = w->perm;
  for (int k = 0; k < p->r; k++) place[p->dep[k]] = k;
  for (int k = 0; k < p->nd; k++) place[p->ind[k]] = k;
  w->ndep = w->nind = 0;
  for (int i = 0; i < p->r; i++) {
    for (int e = pattern->rowptr[p->row[i]]; e < pattern->rowptr[p->row[i]+1]; e++) {
      int j = pattern->col[e];
      if (w->mark[j]) {
        w->dep_from[w->ndep] = e;
        w->dep_to[w->ndep++] = i*p->r + place[j];
      } else {
        w->ind_from[w->nind] = e;
        w->ind_to[w->nind++] = i*p->nd + place[j];
      }
    }
  }
  tni_zero(w->Cu, p->r, p->r);
}

void tni_partition_gather(tni_partition *p, const double *C) {
  const struct tni_partition_work *w = p->w;
  for (int i = 0; i < w->ndep; i++) w->Cu[w->dep_to[i]] = C[w->dep_from[i]];
}

/* Work may be divided among threads; for fewer freedoms waking one up takes longer than its share
 * of the work. */
enum { FREEDOMS_FOR_THREADS = 48 };
static void divide(const tni_partition *p, int n, int grain, void (*make)(void *user, int begin, int end), void *user) {
  bool divided = p->jacobian == TNI_JACOBIAN_PARALLEL || p->jacobian == TNI_JACOBIAN_AUGMENTED;
  if (!divided || p->nd < FREEDOMS_FOR_THREADS) make(user, 0, n);
  else tni_parallel_for(p->s->ctx, n, grain, make, user);
}

/* No column depends on its company: chunks of even width, one a thread. */
void tni_partition_for_columns(const tni_partition *p, void (*make)(void *user, int c0, int c1), void *user) {
  int threads = p->s->ctx->opts.threads, width = (p->nd + threads - 1)/threads;
  divide(p, p->nd, width + width % 2, make, user);
}

typedef struct {
  tni_panels *panels;
  const double *X;
} take_job;

static void take_groups(void *user, int g0, int g1) {
  const take_job *j = user;
  tni_panels_take_groups(j->panels, j->X, g0, g1);
}

enum { GROUPS_AT_ONCE = 8 };
static void take_panels(const tni_partition *p, tni_panels *panels, const double *X) {
  take_job j = {panels, X};
  tni_panels_begin(panels, p->nd);
  divide(p, panels->ngroup, GROUPS_AT_ONCE, take_groups, &j);
}

typedef struct {
  const tni_partition *p;
  const tni_elim *e;
  const double *C;
  double *P;
} basis_job;

/* columns of P: -C_u^-1 C_v on the dependent rows, 1 on the independent ones. A thread keeps its columns together in a part of
 * the buffers that is its own: lines of the cache that two write to go back and forth. */
static void basis_columns(void *user, int c0, int c1) {
  const basis_job *j = user;
  const tni_partition *p = j->p;
  struct tni_partition_work *w = p->w;
  int r = p->r, nd = p->nd, k = c1 - c0;
  double *X = w->X + (size_t)c0*(size_t)p->n, *Y = w->Y + (size_t)c0*(size_t)p->n;
  tni_zero(X, r, k);
  for (int i = 0; i < w->nind; i++) {
    int c = w->ind_to[i] % nd - c0;
    if (c >= 0 && c < k) X[w->ind_to[i]/nd*k + c] = -j->C[w->ind_from[i]];
  }
  tni_elim_solve(j->e, k, 0, k, X, Y);
  for (int i = 0; i < r; i++) memcpy(j->P + p->dep[i]*nd + c0, X + i*k, (size_t)k*sizeof(double));
  for (int i = 0; i < nd; i++) {
    for (int c = c0; c < c1; c++) j->P[p->ind[i]*nd + c] = i == c;
  }
}

void tni_partition_make_basis(const tni_partition *p, const tni_elim *e, const double *C,
                              double *P) {
  basis_job j = {p, e, C, P};
  tni_partition_for_columns(p, basis_columns, &j);
}

/* Row j of G [n][n] from its diagonal on, less what pivots from .. to take from it, one after the other; its entries stay in
 * registers on the way. */
WIDE_ROWS
static void eliminate_row(int n, double *G, int j, int from, int to) {
  size_t ld = (size_t)n;
  double *row = G + (size_t)j*ld;
  int k = j;
  for (; k + 15 < n; k += 16) {
    quad a = LOAD4(row + k), b = LOAD4(row + k + 4), c = LOAD4(row + k + 8), d = LOAD4(row + k + 12);
    for (int i = from; i < to; i++) {
      const double *pivot = G + (size_t)i*ld + k;
      double f = -G[(size_t)i*ld + (size_t)j];
      a += f*LOAD4(pivot);
      b += f*LOAD4(pivot + 4);
      c += f*LOAD4(pivot + 8);
      d += f*LOAD4(pivot + 12);
    }
    STORE4(row + k, a);
    STORE4(row + k + 4, b);
    STORE4(row + k + 8, c);
    STORE4(row + k + 12, d);
  }
  for (; k < n; k++) {
    double x = row[k];
    for (int i = from; i < to; i++) x += -G[(size_t)i*ld + (size_t)j]*G[(size_t)i*ld + (size_t)k];
    row[k] = x;
  }
}

/* G = L L^T of Mhat, in place: L^T above the diagonal, L below */
enum { PIVOTS = 24 }; /* that a row is relieved of at once */
WIDE_ROWS
static bool factor_gram(int n, double *G, double *diagonal) {
  size_t ld = (size_t)n;
  for (int i = 0; i < n; i++) diagonal[i] = G[(size_t)i*ld + (size_t)i];
  for (int from = 0, to; from < n; from = to) {
    to = from + PIVOTS < n ? from + PIVOTS : n;
    for (int i = from; i < to; i++) {
      double *row = G + (size_t)i*ld;
      if (!(row[i] > MASS_TOL*diagonal[i])) return false;
      row[i] = sqrt(row[i]);
      diagonal[i] = 1/row[i];
      for (int j = i + 1; j < n; j++) row[j] *= diagonal[i];
      for (int j = i + 1; j < to; j++) row_add(n - j, -row[j], row + j, G + (size_t)j*ld + j);
    }
    for (int j = to; j < n; j++) eliminate_row(n, G, j, from, to);
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) G[(size_t)i*ld + (size_t)j] = G[(size_t)j*ld + (size_t)i];
  }
  return true;
}

/* columns of V = M P and Mhat = P^T V, apart as in basis_columns; those of P and V stay there for the matrices */
static void gram_columns(void *user, int c0, int c1) {
  tni_partition *p = user;
  struct tni_partition_work *w = p->w;
  int n = p->n, nd = p->nd, k = c1 - c0;
  size_t part = (size_t)c0*(size_t)n;
  tni_columns c = {k, 0, k};
  bool alone = k == nd;
  double *P = p->P, *V = alone ? w->V : w->F + part, *Mhat = alone ? p->Mhat : w->small + c0*nd;
  if (alone) w->apart = false;
  else tni_partition_take_columns(n, nd, c0, k, p->P, P = w->T + part);
  tni_thin_clear(n, c, V);
  tni_thin_add(p->s->square, w->tan.M, n, c, P, V);
  tni_panels_inner_columns(&w->P, c, V, Mhat);
  if (alone) return;
  size_t bytes = (size_t)k*sizeof(double);
  for (int i = 0; i < n; i++) memcpy(w->V + (size_t)i*(size_t)nd + c0, V + (size_t)i*(size_t)k, bytes);
  for (int i = 0; i < nd; i++) memcpy(p->Mhat + (size_t)i*(size_t)nd + c0, Mhat + (size_t)i*(size_t)k, bytes);
}

/* what is left is short, and the second thread would wait: it takes the panels meanwhile */
typedef struct {
  tni_partition *p;
  bool regular;
} gram_rest;

static void end_gram(void *user, int begin, int end) {
  gram_rest *rest = user;
  tni_partition *p = rest->p;
  struct tni_partition_work *w = p->w;
  for (int part = begin; part < end; part++) {
    if (part == 0) {
      memcpy(w->G, p->Mhat, (size_t)p->nd*(size_t)p->nd*sizeof(double));
      rest->regular = factor_gram(p->nd, w->G, w->diagonal);
    } else {
      tni_panels_take(&w->MP, p->nd, w->V);
    }
  }
}

/* V = M P, Mhat = P^T M P and its Cholesky factor */
static tn_status make_gram(tni_partition *p) {
  gram_rest rest = {.p = p};
  p->w->apart = true;
  tni_partition_for_columns(p, gram_columns, p);
  divide(p, 2, 1, end_gram, &rest);
  TN_REQUIRE(p->s->ctx, rest.regular, TN_SINGULAR,
             "implicit methods: a freedom of the mechanism moves no mass");
  return TN_OK;
}

/* other dependent components and an order of elimination for them */
static tn_status choose_anew(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  TN_TRY(tni_partition_check_forced(p));
  spread_rows(p, w->tan.C, w->C);
  TN_TRY(choose_coordinates(p));
  find_entries(p);
  tni_partition_gather(p, w->tan.C);
  spread_rows(p, NULL, w->Cfull);
  dependent_columns(p, w->Cfull, w->may);
  w->chosen = tni_elim_order(&w->S0, p->r, w->Cu, w->may) && tni_elim_factor(&w->S0, w->Cu);
  if (!w->chosen) return singular(p, p->r ? p->row[0] : -1);
  p->cond0 = p->kind == TNI_COORDINATES ? condition(p) : 1;
  return TN_OK;
}

tn_status tni_partition_choose(tni_partition *p) {
  struct tni_partition_work *w = p->w;
  bool new_rows = take_rows(p);
  w->refreshed = false;
  bool keep = w->chosen && !new_rows && p->cond0 > 0;
  if (keep) {
    tni_partition_gather(p, w->tan.C);
    keep = tni_elim_factor(&w->S0, w->Cu);
    if (keep && p->kind == TNI_COORDINATES) keep = condition(p) <= p->repartition*p->cond0;
  }
  if (!keep) TN_TRY(choose_anew(p));
  tni_partition_make_basis(p, &w->S0, w->tan.C, p->P);
  take_panels(p, &w->P, p->P);
  return p->kind == TNI_TANGENT_PLANE || p->whole || p->ways ? make_gram(p) : TN_OK;
}
