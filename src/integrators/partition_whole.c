/* integrators/partition_whole.c - independent coordinates, accelerations and multipliers as unknowns
 *
 * The descriptor form: y and y' follow from y'' by the formula of a stage, dependent positions and
 * velocities from the constraints, and the unknowns are all accelerations xi'' and multipliers, of
 *
 *   r = M a + C^T lambda - f = 0,    gap = C a - gamma = 0
 *
 * With dy = b w, dy' = g w, w = B2 dxi'' (g = gamma h, b = beta h^2) and the letters of
 * partition_matrices.c, Newton's matrix is B0 + g B1 + b B2. Only what w does depends on the step:
 *
 *   [ M      C^T   g U1 + b U2 ] [ dxi''   ]   [ -r   ]    U1 = r_v P,   L1 = -gamma_v P
 *   [ C      0     g L1 + b L2 ] [ dlambda ] = [ -gap ]    U2 = r_q P + r_v V - M L P
 *   [ -E     0     D           ] [ w       ]   [ 0    ]    L2 = ((C a)_q - gamma_q) P - gamma_v V - C L P
 *
 * The last rows are D w = E dxi'': for coordinates D = 1 and E picks them, which is the matrix of the
 * source with its columns moved; for the tangent plane D = Mhat, E = P^T M. Eliminating dlambda and
 * what is across the constraints leaves (Mhat + g M1 + b M2) w, and so
 *
 *   M1 = P^T (U1 - M Z L1),   M2 = P^T (U2 - M Z L2)
 *
 * are the matrices of the state-space methods from right to left, column by column.
 *
 * Source: D. Negrut, PhD thesis, University of Iowa 1998, sections 3.3 and 4.2, appendix B.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/vec.h"
#include "integrators/partition_parts.h"
#include "linsolve/sparse.h"

#define PIVOT_TOL 1e-20  /* against the largest one                                      */
#define PIVOT_DECAY 1e-3 /* pivots are chosen anew when the smallest has dropped by this */

struct tni_whole {
  tni_arena arena;      /* of what depends on the choice of coordinates and rows */
  long choice;          /* of coordinates when pivots were chosen                */
  int *chosen, *row;    /* [nd], [r] independent ones and rows that the pattern belongs to */
  int *diagonal;        /* [n] of square tangents                                */
  int N, r, nd;
  int *ptr, *ind;       /* compressed columns                                    */
  int *next, *room;     /* [N+1] scratch; where ind is, once it is known           */
  int *m_at, *c_at;     /* [square nnz], [2 rows nnz] places in value            */
  int *t_at, *e_at;     /* first of column w_k; of the entries of -E             */
  double *value, *b;
  tni_sparse_solver *lu;
  double *T1, *T2;      /* [nd][n + m] columns U1, L1 and U2, L2                 */
};

tn_status tni_whole_create(tni_arena *arena, tni_partition *p) {
  size_t size = (size_t)p->n*(size_t)(p->n + p->s->m);
  TN_REQUIRE(p->s->ctx, p->jacobian < TNI_JACOBIAN_NUMERICAL, TN_ERR_UNSUPPORTED,
             "methods in descriptor form have matrices of their own: take 'jacobian: exact', or method sdirk");
  TNI_ARENA_NEW(arena, p->whole, 1);
  TNI_ARENA_NEW(arena, p->whole->T1, size);
  TNI_ARENA_NEW(arena, p->whole->T2, size);
  TNI_ARENA_NEW(arena, p->whole->diagonal, p->n);
  tni_arena_init(&p->whole->arena, p->s->ctx);
  p->whole->choice = -1;
  return TN_OK;
}

void tni_whole_destroy(tni_partition *p) {
  if (!p->whole) return;
  tni_sparse_solver_destroy(&p->whole->lu);
  tni_arena_clear(&p->whole->arena);
}

/* ---- pattern ------------------------------------------------------------------------------- */

/* one pass over all entries in an order that fills columns from the top: with ind == NULL they are
 * counted in ptr[column + 1], else put */
static void visit(const tni_partition *p, struct tni_whole *w, int *next) {
  const tni_sparsity *square = p->s->square, *rows = p->s->rows;
  int n = p->n, r = p->r, nd = p->nd;
  bool plane = p->kind == TNI_TANGENT_PLANE;
#define PUT(column, row, place)                                                                 \
  do {                                                                                          \
    int at = next[column]++;                                                                    \
    if (w->ind) {                                                                               \
      w->ind[at] = row;                                                                         \
      place = at;                                                                               \
    }                                                                                           \
  } while (0)
  int unused = 0;
  for (int i = 0; i < n; i++)
    for (int e = square->rowptr[i]; e < square->rowptr[i+1]; e++)
      PUT(square->col[e], i, *(w->ind ? &w->m_at[e] : &unused));
  for (int i = 0; i < r; i++)
    for (int e = rows->rowptr[p->row[i]]; e < rows->rowptr[p->row[i]+1]; e++) {
      PUT(rows->col[e], n + i, *(w->ind ? &w->c_at[2*e] : &unused));
      PUT(n + i, rows->col[e], *(w->ind ? &w->c_at[2*e + 1] : &unused));
    }
  for (int k = 0; k < nd; k++) {
    for (int i = 0; i < n + r; i++)
      PUT(n + r + k, i, *(w->ind ? (i == 0 ? &w->t_at[k] : &unused) : &unused));
    for (int i = 0; i < (plane ? n : 1); i++) {
      int j = plane ? i : p->ind[k];
      PUT(j, n + r + k, *(w->ind ? &w->e_at[plane ? k*n + i : k] : &unused));
    }
  }
  for (int k = 0; k < nd; k++) /* D follows the n + r entries of its column */
    for (int l = plane ? 0 : k; l < (plane ? nd : k + 1); l++) PUT(n + r + k, n + r + l, unused);
#undef PUT
  (void)unused;
}

/* memory for the pattern of nd freedoms, whatever rows and coordinates are chosen */
static tn_status make_room(tni_partition *p) {
  struct tni_whole *w = p->whole;
  tni_arena *a = &w->arena;
  const tni_sparsity *square = p->s->square, *rows = p->s->rows;
  size_t n = (size_t)p->n, r = (size_t)p->r, nd = (size_t)p->nd;
  size_t own = p->kind == TNI_TANGENT_PLANE ? nd*(n + nd) : 2*nd; /* E and D */
  tni_sparse_solver_destroy(&w->lu);
  tni_arena_clear(a);
  w->r = p->r;
  w->nd = p->nd;
  w->N = p->n + p->r + p->nd;
  size_t most = (size_t)square->nnz + 2*(size_t)rows->nnz + nd*(n + r) + own;
  TNI_ARENA_NEW(a, w->ptr, w->N + 1);
  TNI_ARENA_NEW(a, w->next, w->N + 1);
  TNI_ARENA_NEW(a, w->room, most);
  TNI_ARENA_NEW(a, w->value, most);
  TNI_ARENA_NEW(a, w->b, w->N);
  TNI_ARENA_NEW(a, w->m_at, square->nnz);
  TNI_ARENA_NEW(a, w->c_at, 2*rows->nnz);
  TNI_ARENA_NEW(a, w->t_at, nd);
  TNI_ARENA_NEW(a, w->e_at, n*nd);
  TNI_ARENA_NEW(a, w->chosen, nd);
  TNI_ARENA_NEW(a, w->row, r);
  return TN_OK;
}

/* fits: there is room for it; other rows or coordinates of the same number are the usual reason to come here */
static tn_status make_pattern(tni_partition *p, bool fits) {
  struct tni_whole *w = p->whole;
  tni_sparse_opts o = {.scales = true, .relative = true, .least = PIVOT_TOL, .decay = PIVOT_DECAY};
  if (!fits) TN_TRY(make_room(p));
  memset(w->ptr, 0, (size_t)(w->N + 1)*sizeof(int));
  w->ind = NULL;
  visit(p, w, w->ptr + 1);
  for (int i = 0; i < w->N; i++) {
    w->ptr[i+1] += w->ptr[i];
    w->next[i] = w->ptr[i];
  }
  w->ind = w->room;
  visit(p, w, w->next);
  memset(w->value, 0, (size_t)w->ptr[w->N]*sizeof(double));
  TN_TRY(w->lu ? tni_sparse_solver_analyze(w->lu)
               : tni_sparse_solver_create(p->s->ctx, w->N, w->ptr, w->ind, &o, &w->lu));
  memcpy(w->chosen, p->ind, (size_t)p->nd*sizeof(int));
  memcpy(w->row, p->row, (size_t)p->r*sizeof(int));
  for (int i = 0; i < p->n; i++) w->diagonal[i] = tni_sparsity_find(p->s->square, i, i);
  return TN_OK;
}

/* ---- columns ------------------------------------------------------------------------------- */

/* y += f A x for the rows of A that are in use */
static void add_rows(const tni_partition *p, double f, const double *A, const double *x, double *y) {
  const tni_sparsity *rows = p->s->rows;
  for (int i = 0; i < p->r; i++) {
    double sum = 0;
    for (int e = rows->rowptr[p->row[i]]; e < rows->rowptr[p->row[i]+1]; e++)
      sum += A[e]*x[rows->col[e]];
    y[i] += f*sum;
  }
}

/* lx = L x */
static void turn_rate(const tni_partition *p, const double *x, double *lx) {
  tni_zero(lx, 1, p->n);
  for (int i = 0; i < p->nturn; i++) {
    int j = p->turn[i];
    double c[3], cc[3];
    vec3_cross(c, p->v + j, x + j);
    vec3_cross(cc, p->v + j, c);
    vec3_addmul(lx + j, 1.0/6, cc);
    vec3_cross(c, p->a + j, x + j);
    vec3_addmul(lx + j, -0.5, c);
  }
}

/* columns of what w does, from right to left */
static void make_columns(tni_partition *p) {
  struct tni_whole *w = p->whole;
  const tni_sparse_tangent *t = &p->w->tan;
  const tni_sparsity *square = p->s->square;
  int n = p->n, nd = p->nd;
  double *zero = p->w->yd, *dy = p->w->y, *dx = p->w->trio, *dv = dx + n, *lx = dv + n;
  tni_zero(zero, 1, nd);
  for (int k = 0; k < nd; k++) {
    double *u1 = w->T1 + (size_t)k*(size_t)(n + p->s->m), *u2 = w->T2 + (u1 - w->T1);
    tni_zero(dy, 1, nd);
    dy[k] = 1;
    tni_partition_change(p, dy, zero, dx, dv);
    turn_rate(p, dx, lx);
    tni_zero(u1, 1, n + p->r);
    tni_zero(u2, 1, n + p->r);
    tni_sparse_add(square, 1, t->r_v, dx, u1);
    tni_sparse_add(square, 1, t->r_q, dx, u2);
    tni_sparse_add(square, 1, t->r_v, dv, u2);
    tni_sparse_add(square, -1, t->M, lx, u2);
    add_rows(p, -1, t->gamma_v, dx, u1 + n);
    add_rows(p, 1, t->Ca_q, dx, u2 + n);
    add_rows(p, -1, t->gamma_q, dx, u2 + n);
    add_rows(p, -1, t->gamma_v, dv, u2 + n);
    add_rows(p, -1, t->C, lx, u2 + n);
  }
}

/* M, C, D, E: what does not depend on the step. Recoveries will overwrite tan.C. */
static void put_fixed(const tni_partition *p) {
  struct tni_whole *w = p->whole;
  const tni_sparse_tangent *t = &p->w->tan;
  const tni_sparsity *square = p->s->square, *rows = p->s->rows;
  int n = p->n, r = p->r, nd = p->nd;
  bool plane = p->kind == TNI_TANGENT_PLANE;
  for (int e = 0; e < square->nnz; e++) w->value[w->m_at[e]] = t->M[e];
  for (int i = 0; i < r; i++)
    for (int e = rows->rowptr[p->row[i]]; e < rows->rowptr[p->row[i]+1]; e++)
      w->value[w->c_at[2*e]] = w->value[w->c_at[2*e + 1]] = t->C[e];
  for (int k = 0; k < nd; k++) {
    double *column = w->value + w->t_at[k];
    if (plane) {
      for (int l = 0; l < nd; l++) column[n + r + l] = p->Mhat[l*nd + k];
      for (int i = 0; i < n; i++) w->value[w->e_at[k*n + i]] = -p->w->V[i*nd + k];
    } else {
      column[n + r] = 1;
      w->value[w->e_at[k]] = -1;
    }
  }
}

tn_status tni_whole_begin(tni_partition *p) {
  struct tni_whole *w = p->whole;
  bool fits = w->choice >= 0 && w->r == p->r && w->nd == p->nd;
  if (fits) fits = memcmp(w->row, p->row, (size_t)p->r*sizeof(int)) == 0;
  if (fits && p->kind == TNI_COORDINATES)
    fits = memcmp(w->chosen, p->ind, (size_t)p->nd*sizeof(int)) == 0;
  if (!fits) TN_TRY(make_pattern(p, w->lu && w->r == p->r && w->nd == p->nd));
  /* a run that is saved and one that continues it choose their pivots here */
  else if (w->choice != p->nchosen) tni_sparse_solver_forget(w->lu);
  w->choice = p->nchosen;
  make_columns(p);
  put_fixed(p);
  return TN_OK;
}

/* ---- use ----------------------------------------------------------------------------------- */

bool tni_whole_factor(tni_partition *p, double g, double b) {
  struct tni_whole *w = p->whole;
  int n = p->n, r = p->r;
  for (int k = 0; k < p->nd; k++) {
    const double *u1 = w->T1 + (size_t)k*(size_t)(n + p->s->m), *u2 = w->T2 + (u1 - w->T1);
    double *column = w->value + w->t_at[k];
    for (int i = 0; i < n + r; i++) column[i] = g*u1[i] + b*u2[i];
  }
  return tni_sparse_solver_factor(w->lu, w->value) == TN_OK;
}

/* pull = C^T dlambda over the diagonal of M */
static void find_pull(const tni_partition *p, const double *dlambda, double *pull) {
  const tni_sparsity *rows = p->s->rows;
  const struct tni_whole *w = p->whole;
  tni_zero(pull, 1, p->n);
  for (int i = 0; i < p->r; i++)
    for (int e = rows->rowptr[p->row[i]]; e < rows->rowptr[p->row[i]+1]; e++)
      pull[rows->col[e]] += w->value[w->c_at[2*e]]*dlambda[p->row[i]];
  for (int j = 0; j < p->n; j++) {
    double mass = p->w->tan.M[w->diagonal[j]];
    pull[j] = mass > 0 ? pull[j]/mass : 0;
  }
}

void tni_whole_correct(tni_partition *p, const double *r, const double *gap, double *dxdd,
                       double *dlambda, double *dydd, double *pull) {
  struct tni_whole *w = p->whole;
  int n = p->n, m = p->s->m;
  if (p->straight) {
    for (int i = 0; i < n; i++) dxdd[i] = -r[i];
    tni_partition_solve(p, dxdd);
    memcpy(dydd, dxdd, (size_t)n*sizeof(double));
    tni_zero(pull, 1, n);
    return;
  }
  for (int i = 0; i < n; i++) w->b[i] = -r[i];
  for (int i = 0; i < p->r; i++) w->b[n + i] = -gap[p->row[i]];
  tni_zero(w->b + n + p->r, 1, p->nd);
  tni_sparse_solver_solve(w->lu, 1, false, w->b);
  memcpy(dxdd, w->b, (size_t)n*sizeof(double));
  tni_zero(dlambda, 1, m);
  for (int i = 0; i < p->r; i++) dlambda[p->row[i]] = w->b[n + i];
  memcpy(dydd, w->b + n + p->r, (size_t)p->nd*sizeof(double));
  find_pull(p, dlambda, pull);
}

/* right side B2^T x: what is left of it along the constraints is x */
void tni_whole_solve(tni_partition *p, double *x) {
  struct tni_whole *w = p->whole;
  tni_columns one = {1, 0, 1};
  tni_zero(w->b, 1, w->N);
  tni_partition_extract_transposed(p, one, x, w->b);
  tni_sparse_solver_solve(w->lu, 1, false, w->b);
  memcpy(x, w->b + p->n + p->r, (size_t)p->nd*sizeof(double));
}

/* out += f P^T (U y - M Z L y) */
void tni_whole_add(tni_partition *p, bool second, double f, const double *y, double *out) {
  struct tni_whole *w = p->whole;
  struct tni_partition_work *pw = p->w;
  int n = p->n, m = p->s->m;
  double *u = w->b, *zl = pw->trio, *scratch = zl + n, *left = scratch + n;
  const double *T = second ? w->T2 : w->T1;
  tni_zero(u, 1, n + p->r);
  for (int k = 0; k < p->nd; k++)
    for (int i = 0; i < n + p->r; i++) u[i] += y[k]*T[(size_t)k*(size_t)(n + m) + (size_t)i];
  if (p->r > 0) {
    tni_partition_across(p, u + n, zl, scratch);
    tni_sparse_add(p->s->square, -1, pw->tan.M, zl, u);
  }
  tni_panels_inner(&pw->P, u, left, pw->halves);
  for (int k = 0; k < p->nd; k++) out[k] += f*left[k];
}

void tni_whole_describe(const tni_partition *p, char *out, size_t n) {
  if (p->whole->lu) tni_sparse_solver_describe(p->whole->lu, out, n);
}
