/* linsolve/chain.c - elimination of a chain of blocks with conditions at both ends
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/chain.h"

#include <math.h>

#include "parallel/pool.h"

/* Z_b between blocks left and right: [ on Z_b | on Z_a | on Z_c | right side ], 2 nz rows; the upper ones give Z_b, the lower ones
 * are the new block */
typedef struct {
  int a, b, c;
  int left, right; /* blocks: element e is block e, merge k is block n + k */
  int level;       /* 0: within a group                                   */
  int owner;       /* group that makes it                                 */
  double *rows;    /* [2 nz][3 nz + 1]                                    */
  double flops;    /* that it took                                        */
} merge;

struct tni_chain {
  tn_ctx *ctx;
  tni_arena arena;
  int n, nz, inner, groups;
  int rank;           /* < 0: all groups are here            */
  int nmerge, levels;
  merge *list;        /* in the order in which they are made */
  int *group_first;   /* [groups + 1] merges within groups   */
  int *level_first;   /* [levels + 2] those of level 1, 2 .. */
  double **element;   /* [n]                                 */
  double *flops;      /* [n] that their own unknowns took    */
  double *ends;       /* [nz][2 nz + 1]                      */
  double *Z, *x;      /* [n + 1][nz], [n][inner]             */
  double *root;       /* [2 nz][2 nz + 1]                    */
  double *post;       /* [nz][2 nz + 1] a block in a message */
};

/* ---- orthogonal elimination ---------------------------------------------------------------- */

/* Reflections that make the first ncol columns of A [nrow][width] upper triangular; returns the products and sums that took */
static double triangularize(int nrow, int width, int ncol, double *A) {
  double flops = 0;
  for (int k = 0; k < ncol && k < nrow - 1; k++) {
    double *top = A + (size_t)k*(size_t)width, norm = 0, most = 0;
    for (int i = k; i < nrow; i++) most = fmax(most, fabs(A[(size_t)i*(size_t)width + (size_t)k]));
    if (most == 0) continue;
    for (int i = k; i < nrow; i++) {
      double y = A[(size_t)i*(size_t)width + (size_t)k]/most;
      norm += y*y;
    }
    norm = most*sqrt(norm);
    double alpha = top[k] > 0 ? -norm : norm, head = top[k] - alpha, factor = -1/(alpha*head);
    /* w = (head, the rest of the column); A -= factor w (w^T A) */
    top[k] = head;
    for (int j = k + 1; j < width; j++) {
      double sum = 0;
      for (int i = k; i < nrow; i++) sum += A[(size_t)i*(size_t)width + (size_t)k]*A[(size_t)i*(size_t)width + (size_t)j];
      sum *= factor;
      flops += 2.0*(nrow - k);
      if (sum == 0) continue;
      flops += 2.0*(nrow - k);
      for (int i = k; i < nrow; i++) A[(size_t)i*(size_t)width + (size_t)j] -= sum*A[(size_t)i*(size_t)width + (size_t)k];
    }
    top[k] = alpha;
    for (int i = k + 1; i < nrow; i++) A[(size_t)i*(size_t)width + (size_t)k] = 0;
  }
  return flops;
}

static double flops_of(int nrow, int width, int ncol) {
  double sum = 0;
  for (int k = 0; k < ncol && k < nrow - 1; k++) sum += 4.0*(nrow - k)*(width - k);
  return sum;
}

/* x from the upper triangle of the first n columns; false: singular */
static bool back_substitute(int n, int width, const double *A, double *x) {
  double most = 0, least = HUGE_VAL;
  for (int i = 0; i < n; i++) {
    double d = fabs(A[(size_t)i*(size_t)width + (size_t)i]);
    most = fmax(most, d);
    least = fmin(least, d);
  }
  if (n > 0 && !(least > 1e-15*most)) return false;
  for (int i = n - 1; i >= 0; i--) {
    const double *row = A + (size_t)i*(size_t)width;
    for (int j = i + 1; j < n; j++) x[i] -= row[j]*x[j];
    x[i] /= row[i];
  }
  return true;
}

/* ---- create -------------------------------------------------------------------------------- */

static int first_of(const tni_chain *c, int g) { return (int)((long)g*c->n/c->groups); }

static int group_of(const tni_chain *c, int e) {
  int g = (int)((long)e*c->groups/c->n);
  while (e >= first_of(c, g + 1)) g++;
  while (e < first_of(c, g)) g--;
  return g;
}

static int owner_of(const tni_chain *c, int block) { return block < c->n ? group_of(c, block) : c->list[block - c->n].owner; }

static bool is_here(const tni_chain *c, int owner) { return c->rank < 0 || owner == c->rank; }

void tni_chain_range(const tni_chain *c, int *first, int *last) {
  *first = c->rank < 0 ? 0 : first_of(c, c->rank);
  *last = c->rank < 0 ? c->n : first_of(c, c->rank + 1);
}

static tn_status plan(tni_chain *c) {
  tni_arena *a = &c->arena;
  int *at, *end, n = c->groups; /* block of each group, and where it ends */
  TNI_ARENA_NEW(a, c->list, c->n);
  TNI_ARENA_NEW(a, c->group_first, c->groups + 1);
  TNI_ARENA_NEW(a, at, c->groups);
  TNI_ARENA_NEW(a, end, c->groups + 1);
  for (int g = 0; g <= c->groups; g++) end[g] = first_of(c, g);
  for (int g = 0; g < c->groups; g++) {
    c->group_first[g] = c->nmerge;
    at[g] = end[g];
    for (int e = end[g] + 1; e < end[g+1]; e++) {
      c->list[c->nmerge] = (merge){.a = end[g], .b = e, .c = e + 1, .left = at[g], .right = e, .owner = g};
      at[g] = c->n + c->nmerge++;
    }
  }
  c->group_first[c->groups] = c->nmerge;
  for (int k = n; k > 1; k = (k + 1)/2) c->levels++;
  TNI_ARENA_NEW(a, c->level_first, c->levels + 2);
  for (int level = 1; level <= c->levels; level++) {
    int to = 0;
    c->level_first[level] = c->nmerge;
    for (int g = 0; g < n; g += 2, to++) {
      int first = end[g];
      if (g + 1 == n) {
        at[to] = at[g];
      } else {
        c->list[c->nmerge] = (merge){.a = first, .b = end[g+1], .c = end[g+2], .left = at[g], .right = at[g+1], .level = level,
                                       .owner = owner_of(c, at[g])};
        at[to] = c->n + c->nmerge++;
      }
      end[to] = first;
    }
    end[to] = c->n;
    n = to;
  }
  c->level_first[c->levels + 1] = c->nmerge;
  return TN_OK;
}

static tn_status setup(tni_chain *c) {
  tni_arena *a = &c->arena;
  size_t nz = (size_t)c->nz, rows = (size_t)c->inner + nz;
  TN_TRY(plan(c));
  TNI_ARENA_NEW(a, c->element, c->n);
  TNI_ARENA_NEW(a, c->flops, c->n);
  int first, last;
  tni_chain_range(c, &first, &last);
  for (int e = first; e < last; e++) TNI_ARENA_NEW(a, c->element[e], rows*(rows + nz + 1));
  for (int k = 0; k < c->nmerge; k++)
    if (is_here(c, c->list[k].owner)) TNI_ARENA_NEW(a, c->list[k].rows, 2*nz*(3*nz + 1));
  TNI_ARENA_NEW(a, c->post, nz*(2*nz + 1));
  TNI_ARENA_NEW(a, c->ends, nz*(2*nz + 1));
  TNI_ARENA_NEW(a, c->root, 2*nz*(2*nz + 1));
  TNI_ARENA_NEW(a, c->Z, ((size_t)c->n + 1)*nz);
  TNI_ARENA_NEW(a, c->x, (size_t)c->n*(size_t)c->inner);
  return TN_OK;
}

tn_status tni_chain_create(tn_ctx *ctx, int n, int nz, int inner, int groups, tni_chain **out) {
  return tni_chain_create_part(ctx, n, nz, inner, groups < 1 ? 1 : groups > n ? n : groups, -1, out);
}

tn_status tni_chain_create_part(tn_ctx *ctx, int n, int nz, int inner, int groups, int rank, tni_chain **out) {
  *out = NULL;
  TN_REQUIRE(ctx, groups >= 1 && groups <= n && rank < groups, TN_ERR_ARGUMENT, "chain of %d blocks: rank %d of %d", n,
             rank, groups);
  tni_chain *c = tni_alloc(ctx, 1, sizeof(*c));
  if (!c) return tni_out_of_memory(ctx);
  *c = (tni_chain){.ctx = ctx, .n = n, .nz = nz, .inner = inner, .groups = groups, .rank = rank};
  tni_arena_init(&c->arena, ctx);
  tn_status st = setup(c);
  if (st != TN_OK) {
    tni_chain_destroy(&c);
    return st;
  }
  *out = c;
  return TN_OK;
}

void tni_chain_destroy(tni_chain **out) {
  tni_chain *c = out ? *out : NULL;
  if (!c) return;
  tni_arena_clear(&c->arena);
  tni_free(c->ctx, c);
  *out = NULL;
}

double *tni_chain_element(tni_chain *c, int e) { return c->element[e]; }
double *tni_chain_ends(tni_chain *c) { return c->ends; }
const double *tni_chain_shared(const tni_chain *c, int e) { return c->Z + (size_t)e*(size_t)c->nz; }
const double *tni_chain_inner(const tni_chain *c, int e) { return c->x + (size_t)e*(size_t)c->inner; }

/* ---- elimination --------------------------------------------------------------------------- */

/* [ on Z_a | on Z_c | right side ] of a block, its first row and the distance of rows */
static const double *rows_of(const tni_chain *c, int block, int *stride) {
  int nz = c->nz;
  if (block < c->n) {
    *stride = c->inner + 2*nz + 1;
    return c->element[block] + (size_t)c->inner*(size_t)*stride + (size_t)c->inner;
  }
  *stride = 3*nz + 1;
  return c->list[block - c->n].rows + (size_t)nz*(size_t)*stride + (size_t)nz;
}

/* right: the rows of the right block, stride numbers apart */
static void make_with(tni_chain *c, merge *m, const double *right, int right_stride) {
  int nz = c->nz, width = 3*nz + 1, stride;
  memset(m->rows, 0, 2*(size_t)nz*(size_t)width*sizeof(double));
  const double *from = rows_of(c, m->left, &stride);
  for (int i = 0; i < nz; i++, from += stride) {
    double *to = m->rows + (size_t)i*(size_t)width;
    memcpy(to, from + nz, (size_t)nz*sizeof(double));
    memcpy(to + nz, from, (size_t)nz*sizeof(double));
    to[3*nz] = from[2*nz];
  }
  for (int i = nz; i < 2*nz; i++, right += right_stride) {
    double *to = m->rows + (size_t)i*(size_t)width;
    memcpy(to, right, (size_t)nz*sizeof(double));
    memcpy(to + 2*nz, right + nz, ((size_t)nz + 1)*sizeof(double));
  }
  m->flops = triangularize(2*nz, width, nz, m->rows);
}

static void make(tni_chain *c, merge *m) {
  int stride;
  const double *right = rows_of(c, m->right, &stride);
  make_with(c, m, right, stride);
}

static void work_group(void *user, int begin, int end) {
  tni_chain *c = user;
  for (int g = begin; g < end; g++) {
    for (int e = first_of(c, g); e < first_of(c, g + 1); e++)
      c->flops[e] = triangularize(c->inner + c->nz, c->inner + 2*c->nz + 1, c->inner, c->element[e]);
    for (int k = c->group_first[g]; k < c->group_first[g+1]; k++) make(c, &c->list[k]);
  }
}

typedef struct {
  tni_chain *c;
  int first;
} level_job;

static void work_level(void *user, int begin, int end) {
  const level_job *j = user;
  for (int k = begin; k < end; k++) make(j->c, &j->c->list[j->first + k]);
}

static bool solve_root(tni_chain *c) {
  int nz = c->nz, width = 2*nz + 1, stride;
  const double *from = rows_of(c, c->nmerge ? c->n + c->nmerge - 1 : 0, &stride);
  for (int i = 0; i < nz; i++, from += stride)
    memcpy(c->root + (size_t)i*(size_t)width, from, (size_t)width*sizeof(double));
  memcpy(c->root + (size_t)nz*(size_t)width, c->ends, (size_t)nz*(size_t)width*sizeof(double));
  triangularize(2*nz, width, 2*nz, c->root);
  double *both = c->Z;
  for (int i = 0; i < nz; i++) both[i] = c->root[(size_t)i*(size_t)width + 2*(size_t)nz];
  double *end = c->Z + (size_t)c->n*(size_t)nz;
  for (int i = 0; i < nz; i++) end[i] = c->root[(size_t)(nz + i)*(size_t)width + 2*(size_t)nz];
  double least = HUGE_VAL, most = 0;
  for (int i = 0; i < 2*nz; i++) {
    double d = fabs(c->root[(size_t)i*(size_t)width + (size_t)i]);
    least = fmin(least, d);
    most = fmax(most, d);
  }
  if (!(least > 1e-16*most)) return false;
  for (int i = 2*nz - 1; i >= 0; i--) {
    const double *row = c->root + (size_t)i*(size_t)width;
    double sum = i < nz ? both[i] : end[i - nz];
    for (int j = i + 1; j < 2*nz; j++) sum -= row[j]*(j < nz ? both[j] : end[j - nz]);
    sum /= row[i];
    if (i < nz) both[i] = sum;
    else end[i - nz] = sum;
  }
  return true;
}

static bool find_shared(tni_chain *c, const merge *m) {
  int nz = c->nz, width = 3*nz + 1;
  const double *Za = tni_chain_shared(c, m->a), *Zc = tni_chain_shared(c, m->c);
  double *Zb = c->Z + (size_t)m->b*(size_t)nz;
  for (int i = 0; i < nz; i++) {
    const double *row = m->rows + (size_t)i*(size_t)width;
    Zb[i] = row[3*nz];
    for (int j = 0; j < nz; j++) Zb[i] -= row[nz + j]*Za[j] + row[2*nz + j]*Zc[j];
  }
  return back_substitute(nz, width, m->rows, Zb);
}

static bool find_inner(tni_chain *c, int e) {
  int nz = c->nz, wide = c->inner + 2*nz + 1;
  const double *Za = tni_chain_shared(c, e), *Zc = tni_chain_shared(c, e + 1);
  double *x = c->x + (size_t)e*(size_t)c->inner;
  for (int i = 0; i < c->inner; i++) {
    const double *row = c->element[e] + (size_t)i*(size_t)wide;
    x[i] = row[wide - 1];
    for (int j = 0; j < nz; j++) x[i] -= row[c->inner + j]*Za[j] + row[c->inner + nz + j]*Zc[j];
  }
  return back_substitute(c->inner, wide, c->element[e], x);
}

static bool descend(tni_chain *c) {
  for (int k = c->nmerge - 1; k >= 0; k--)
    if (!find_shared(c, &c->list[k])) return false;
  for (int e = 0; e < c->n; e++)
    if (!find_inner(c, e)) return false;
  return true;
}

tn_status tni_chain_solve(tni_chain *c) {
  tni_parallel_for(c->ctx, c->groups, 1, work_group, c);
  for (int level = 1; level <= c->levels; level++) {
    level_job j = {c, c->level_first[level]};
    tni_parallel_for(c->ctx, c->level_first[level + 1] - c->level_first[level], 1, work_level, &j);
  }
  TN_REQUIRE(c->ctx, solve_root(c) && descend(c), TN_SINGULAR, "chain of %d blocks of %d unknowns is singular", c->n, c->nz);
  return TN_OK;
}

/* ---- over ranks ---------------------------------------------------------------------------- */

/* Levels of the tree upwards: the owner of the right block sends it to that of the left one. */
static tn_status merge_ranks(tni_chain *c, tni_comm *comm) {
  int nz = c->nz, stride;
  size_t bytes = (size_t)nz*(2*(size_t)nz + 1)*sizeof(double);
  for (int k = c->level_first[1]; k < c->nmerge; k++) {
    merge *m = &c->list[k];
    int other = owner_of(c, m->right);
    if (other == c->rank) {
      const double *from = rows_of(c, m->right, &stride);
      for (int i = 0; i < nz; i++, from += stride)
        memcpy(c->post + (size_t)i*(2*(size_t)nz + 1), from, (2*(size_t)nz + 1)*sizeof(double));
      TN_TRY(tni_comm_send(comm, m->owner, k, c->post, bytes));
    } else if (m->owner == c->rank) {
      TN_TRY(tni_comm_receive(comm, other, k, c->post, bytes));
      make_with(c, m, c->post, 2*nz + 1);
    }
  }
  return TN_OK;
}

/* and down: it learns what its block ends with. A rank that fails says so by what it sends: not a number. */
static tn_status part_ranks(tni_chain *c, tni_comm *comm, bool *regular) {
  size_t nz = (size_t)c->nz;
  for (int k = c->nmerge - 1; k >= c->level_first[1]; k--) {
    const merge *m = &c->list[k];
    int other = owner_of(c, m->right);
    if (m->owner == c->rank) {
      *regular = *regular && find_shared(c, m);
      memcpy(c->post, tni_chain_shared(c, m->b), nz*sizeof(double));
      memcpy(c->post + nz, tni_chain_shared(c, m->c), nz*sizeof(double));
      if (!*regular) c->post[0] = NAN;
      TN_TRY(tni_comm_send(comm, other, k, c->post, 2*nz*sizeof(double)));
    } else if (other == c->rank) {
      TN_TRY(tni_comm_receive(comm, m->owner, k, c->post, 2*nz*sizeof(double)));
      *regular = !isnan(c->post[0]);
      memcpy(c->Z + (size_t)m->b*nz, c->post, nz*sizeof(double));
      memcpy(c->Z + (size_t)m->c*nz, c->post + nz, nz*sizeof(double));
    }
  }
  return TN_OK;
}

tn_status tni_chain_solve_ranks(tni_chain *c, tni_comm *comm) {
  TN_REQUIRE(c->ctx, c->rank == comm->rank && c->groups == comm->size, TN_ERR_ARGUMENT, "chain: part of rank %d of %d on rank %d of %d",
             c->rank, c->groups, comm->rank, comm->size);
  int first, last;
  bool regular = true;
  tni_chain_range(c, &first, &last);
  work_group(c, c->rank, c->rank + 1);
  TN_TRY(merge_ranks(c, comm));
  if (c->rank == 0) regular = solve_root(c);
  TN_TRY(part_ranks(c, comm, &regular));
  for (int k = c->group_first[c->rank + 1] - 1; k >= c->group_first[c->rank] && regular; k--) regular = find_shared(c, &c->list[k]);
  for (int e = first; e < last && regular; e++) regular = find_inner(c, e);
  double wrong = !regular;
  TN_TRY(tni_comm_max(comm, 1, &wrong));
  TN_REQUIRE(c->ctx, wrong == 0, TN_SINGULAR, "chain of %d blocks of %d unknowns is singular", c->n, c->nz);
  return TN_OK;
}

tni_chain_work tni_chain_count(const tni_chain *c) {
  int nz = c->nz, most = 0;
  double local = flops_of(c->inner + nz, c->inner + 2*nz + 1, c->inner), one = flops_of(2*nz, 3*nz + 1, nz);
  double root = flops_of(2*nz, 2*nz + 1, 2*nz);
  for (int g = 0; g < c->groups; g++) {
    int elements = first_of(c, g + 1) - first_of(c, g);
    if (elements > most) most = elements;
  }
  double done = 0;
  for (int e = 0; e < c->n; e++) done += c->flops[e];
  for (int k = 0; k < c->nmerge; k++) done += c->list[k].flops;
  return (tni_chain_work){.done = done, .flops = c->n*local + c->nmerge*one + root,
                          .critical = most*local + (most - 1 + c->levels)*one + root, .levels = c->levels,
                          .merges = c->nmerge};
}
