/* domains/schur.c - substructuring: the unknowns of the borders only
 *
 * Vectors of border unknowns have a number for every copy, all copies the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/schur.h"

#include <math.h>

#include "domains/inside.h"
#include "parallel/pool.h"

enum { PATIENCE = 1000 }; /* iterations without progress: rounding */

struct tni_schur {
  const tni_domains *d;
  tn_ctx *ctx;
  tni_schur_opts o;
  tni_arena arena;
  tni_border *border;
  tni_inside *piece;
  int *from, *border_from;  /* [n+1]                                                  */
  int nborder;              /* copies                                                 */
  int nshared, *shared;     /* unknowns of borders; [nborder] number of each copy     */
  int *ptr, *ind;           /* S                                                      */
  double *value;
  tni_sparse_solver *direct;
  const double *force, *in;
  double *g, *u, *r, *p, *q, *z, *own, *diagonal; /* copies                           */
  double *gain;             /* [most + 1] energy that an iteration has brought        */
  double *whole;            /* [nshared]                                              */
  int begin, end;           /* domains of this rank                                   */
  double *work;             /* pieces                                                 */
};

/* an unknown of borders has the number that its first copy gives it */
static tn_status number_shared(tni_schur *f) {
  TNI_ARENA_NEW(&f->arena, f->shared, f->nborder);
  for (int s = 0; s < f->d->n; s++) {
    const tni_border *o = &f->border[s];
    for (int k = 0; k < o->nb; k++) {
      const tni_side *first = &o->side[o->from[k]];
      f->shared[f->border_from[s] + k] = first->domain == s ? f->nshared++ : f->shared[f->border_from[first->domain] + first->at];
    }
  }
  return TN_OK;
}

/* every domain couples all unknowns of its border */
static tn_status make_pattern(tni_schur *f) {
  int *seen;
  TNI_ARENA_NEW(&f->arena, seen, f->nshared);
  TNI_ARENA_NEW(&f->arena, f->ptr, f->nshared + 1);
  for (int pass = 0; pass < 2; pass++) {
    int at = 0, j = 0;
    for (int i = 0; i < f->nshared; i++) seen[i] = -1;
    for (int s = 0; s < f->d->n; s++) {
      const tni_border *o = &f->border[s];
      for (int k = 0; k < o->nb; k++) {
        if (o->side[o->from[k]].domain != s) continue;
        for (int l = o->from[k]; l < o->from[k + 1]; l++) {
          int t = o->side[l].domain;
          for (int i = f->border_from[t]; i < f->border_from[t + 1]; i++) {
            if (seen[f->shared[i]] == j) continue;
            seen[f->shared[i]] = j;
            if (pass) f->ind[at] = f->shared[i];
            at++;
          }
        }
        f->ptr[++j] = at;
      }
    }
    if (pass) break;
    TNI_ARENA_NEW(&f->arena, f->ind, at);
    TNI_ARENA_NEW(&f->arena, f->value, at);
  }
  return TN_OK;
}

enum { COLUMNS = 32 }; /* solved for at once */

/* K_bb - K_bi K_ii^-1 K_ib of domain s, COLUMNS at a time in z [COLUMNS][ni] */
static void add_domain(tni_schur *f, int s, double *z, double *column, int *place) {
  tni_inside *p = &f->piece[s];
  int nb = f->border[s].nb;
  size_t ni = (size_t)f->border[s].ni;
  for (int first = 0; first < nb; first += COLUMNS) {
    int n = nb - first < COLUMNS ? nb - first : COLUMNS;
    memset(z, 0, (size_t)n*ni*sizeof(double));
    for (int k = 0; k < n; k++)
      for (int e = p->ib.ptr[first + k]; e < p->ib.ptr[first + k + 1]; e++) z[(size_t)k*ni + (size_t)p->ib.ind[e]] = p->ib.value[e];
    tni_inside_solve(p, n, z);
    for (int k = 0; k < n; k++) {
      int j = first + k;
      memset(column, 0, (size_t)nb*sizeof(double));
      for (int e = p->bb.ptr[j]; e < p->bb.ptr[j + 1]; e++) column[p->bb.ind[e]] = p->bb.value[e];
      tni_block_transposed_add(&p->ib, -1, z + (size_t)k*ni, column);
      int col = f->shared[f->border_from[s] + j];
      for (int e = f->ptr[col]; e < f->ptr[col + 1]; e++) place[f->ind[e]] = e;
      for (int i = 0; i < nb; i++) f->value[place[f->shared[f->border_from[s] + i]]] += column[i];
    }
  }
}

/* S of the domains of this rank */
static tn_status add_own(tni_schur *f) {
  tni_arena arena;
  int *place, most = 0;
  double *column, *z;
  for (int s = f->begin; s < f->end; s++) most = f->border[s].ni > most ? f->border[s].ni : most;
  tni_arena_init(&arena, f->ctx);
  place = tni_arena_alloc(&arena, (size_t)f->nshared, sizeof(int));
  column = tni_arena_alloc(&arena, (size_t)f->nborder + 1, sizeof(double));
  z = tni_arena_alloc(&arena, COLUMNS*(size_t)most + 1, sizeof(double));
  bool there = place && column && z;
  for (int s = f->begin; s < f->end && there; s++) add_domain(f, s, z, column, place);
  tni_arena_clear(&arena);
  return there ? TN_OK : tni_out_of_memory(f->ctx);
}

static tn_status put_together(tni_schur *f) {
  TN_TRY(tni_comm_agree(f->d->comm, add_own(f)));
  if (f->d->comm) TN_TRY(tni_comm_sum(f->d->comm, f->ptr[f->nshared], f->value));
  tni_sparse_opts so = {.backend = f->o.any ? "mumps" : NULL, .symmetric = true, .scales = true, .least = 1e-12, .relative = true};
  TN_TRY(tni_sparse_solver_create(f->ctx, f->nshared, f->ptr, f->ind, &so, &f->direct));
  tn_status st = tni_sparse_solver_factor(f->direct, f->value);
  int negative = 0, zero = 0;
  if (st == TN_SINGULAR || (st == TN_OK && tni_sparse_solver_inertia(f->direct, &negative, &zero) && zero > 0))
    return TN_FAIL(f->ctx, TN_SINGULAR, "the whole is not held: motions of the domains together meet no resistance");
  return st;
}

/* what needs nobody else */
static tn_status set_up_own(tni_schur *f) {
  const tni_domains *d = f->d;
  int most = 0, *scratch;
  TN_TRY(tni_borders_create(d, &f->arena, &f->border));
  TNI_ARENA_NEW(&f->arena, f->piece, d->n);
  TNI_ARENA_NEW(&f->arena, f->from, d->n + 1);
  TNI_ARENA_NEW(&f->arena, f->border_from, d->n + 1);
  for (int s = 0; s < d->n; s++) {
    f->from[s + 1] = f->from[s] + d->domain[s].n;
    f->border_from[s + 1] = f->border_from[s] + f->border[s].nb;
    if (d->domain[s].n > most) most = d->domain[s].n;
  }
  f->nborder = f->border_from[d->n];
  TNI_ARENA_NEW(&f->arena, scratch, most);
  for (int i = 0; i < most; i++) scratch[i] = -1;
  for (int s = f->begin; s < f->end; s++) 
    TN_TRY(tni_inside_create(f->ctx, &d->domain[s], &f->border[s], s, TNI_INSIDE_ALL, f->o.any, scratch, &f->arena, &f->piece[s]));
  TN_TRY(number_shared(f));
  double **copies[] = {&f->g, &f->u, &f->r, &f->p, &f->q, &f->z, &f->own, &f->diagonal};
  for (int i = 0; i < TNI_COUNT(copies); i++) TNI_ARENA_NEW(&f->arena, *copies[i], f->nborder);
  TNI_ARENA_NEW(&f->arena, f->gain, f->o.most + 1);
  TNI_ARENA_NEW(&f->arena, f->whole, f->nshared);
  TNI_ARENA_NEW(&f->arena, f->work, f->from[d->n]);
  return f->o.method == TNI_SCHUR_DIRECT && f->nshared ? make_pattern(f) : TN_OK;
}

/* what all ranks do together */
static tn_status set_up_together(tni_schur *f) {
  if (f->o.method == TNI_SCHUR_DIRECT && f->nshared) return put_together(f);
  for (int s = f->begin; s < f->end; s++)
    for (int j = 0; j < f->border[s].nb; j++)
      for (int e = f->piece[s].bb.ptr[j]; e < f->piece[s].bb.ptr[j + 1]; e++)
        if (f->piece[s].bb.ind[e] == j) f->own[f->border_from[s] + j] = f->piece[s].bb.value[e];
  tni_borders_sum(f->d, f->border, f->border_from, f->own, f->diagonal);
  return tni_domains_trouble(f->d);
}

tn_status tni_schur_create(const tni_domains *d, const tni_schur_opts *opts, tni_schur **out) {
  *out = NULL;
  tni_schur *f = tni_alloc(d->ctx, 1, sizeof(*f));
  if (!f) return tni_out_of_memory(d->ctx);
  f->d = d;
  f->ctx = d->ctx;
  f->o = *opts;
  if (f->o.most <= 0) f->o.most = 20000;
  if (!(f->o.tolerance > 0)) f->o.tolerance = 1e-10;
  tni_arena_init(&f->arena, d->ctx);
  f->begin = tni_domains_begin(d);
  f->end = tni_domains_end(d);
  tn_status st = tni_comm_agree(d->comm, set_up_own(f));
  if (st == TN_OK) st = set_up_together(f);
  if (st != TN_OK) tni_schur_destroy(&f);
  *out = f;
  return st;
}

void tni_schur_destroy(tni_schur **out) {
  tni_schur *f = out ? *out : NULL;
  if (!f) return;
  for (int s = 0; f->piece && s < f->d->n; s++) tni_inside_destroy(&f->piece[s]);
  tni_sparse_solver_destroy(&f->direct);
  tni_arena_clear(&f->arena);
  tni_free(f->ctx, f);
  *out = NULL;
}

bool tni_schur_negative(const tni_schur *f, int *negative) {
  double count[2] = {0, 0}; /* negative, unknown */
  int own, zero;
  for (int s = f->begin; s < f->end; s++) {
    if (!f->piece[s].factor) continue;
    if (tni_sparse_solver_inertia(f->piece[s].factor, &own, &zero)) count[0] += own;
    else count[1]++;
  }
  if (f->d->comm && tni_comm_sum(f->d->comm, 2, count) != TN_OK) return false;
  if (f->direct) { /* every rank has it */
    if (tni_sparse_solver_inertia(f->direct, &own, &zero)) count[0] += own;
    else count[1]++;
  }
  *negative = (int)count[0];
  return count[1] == 0;
}

static void multiply_some(void *user, int begin, int end) {
  tni_schur *f = user;
  for (int s = f->begin + begin; s < f->begin + end; s++) {
    tni_inside_multiply(&f->piece[s], f->in + f->border_from[s], f->own + f->border_from[s]);
  }
}

/* q = S p */
static void multiply(tni_schur *f, const double *p, double *q) {
  f->in = p;
  tni_parallel_for(f->ctx, f->end - f->begin, 1, multiply_some, f);
  tni_borders_sum(f->d, f->border, f->border_from, f->own, q);
}

/* first copies count */
static double dot(const tni_schur *f, const double *a, const double *b) {
  for (int s = f->begin; s < f->end; s++) {
    const tni_border *o = &f->border[s];
    double part = 0;
    for (int k = 0; k < o->nb; k++)
      if (o->side[o->from[k]].domain == s) part += a[f->border_from[s] + k]*b[f->border_from[s] + k];
    f->border->part[s] = part;
  }
  return tni_domains_sum(f->d, f->border->part);
}

/* g = sum of f_b - K_bi K_ii^-1 f_i */
static void condense(tni_schur *f) {
  for (int s = f->begin; s < f->end; s++) {
    tni_inside *p = &f->piece[s];
    const tni_border *o = &f->border[s];
    double *own = f->own + f->border_from[s];
    for (int k = 0; k < o->nb; k++) own[k] = f->force[f->from[s] + o->b[k]];
    for (int i = 0; i < o->ni; i++) p->z[i] = f->force[f->from[s] + o->i[i]];
    tni_inside_solve(p, 1, p->z);
    tni_block_transposed_add(&p->ib, -1, p->z, own);
  }
  tni_borders_sum(f->d, f->border, f->border_from, f->own, f->g);
}

void tni_schur_look(tni_schur *f, double *u) {
  for (int s = f->begin; s < f->end; s++) {
    tni_inside *p = &f->piece[s];
    const tni_border *o = &f->border[s];
    double *x = u + f->from[s];
    const double *b = f->u + f->border_from[s];
    for (int i = 0; i < o->ni; i++) p->z[i] = f->force[f->from[s] + o->i[i]];
    tni_block_multiply_add(&p->ib, -1, b, p->z);
    tni_inside_solve(p, 1, p->z);
    for (int i = 0; i < o->ni; i++) x[o->i[i]] = p->z[i];
    for (int k = 0; k < o->nb; k++) x[o->b[k]] = b[k];
  }
}

/* |f - K u|/|f| of the whole */
static double measure(tni_schur *f, const double *u) {
  tni_balance b = tni_domains_balance(f->d, f->border, f->from, f->border_from, f->force, u, f->work, f->own, f->q);
  return tni_balance_left(&b);
}

static void solve_directly(tni_schur *f) {
  if (f->d->comm) { /* each unknown from the rank that has its first copy */
    memset(f->whole, 0, (size_t)f->nshared*sizeof(double));
    for (int s = f->begin; s < f->end; s++)
      for (int k = 0; k < f->border[s].nb; k++)
        if (f->border[s].side[f->border[s].from[k]].domain == s) f->whole[f->shared[f->border_from[s] + k]] = f->g[f->border_from[s] + k];
    if (tni_comm_sum(f->d->comm, f->nshared, f->whole) != TN_OK) return;
  } else {
    for (int i = 0; i < f->nborder; i++) f->whole[f->shared[i]] = f->g[i];
  }
  if (f->direct) tni_sparse_solver_solve(f->direct, 1, false, f->whole);
  for (int i = 0; i < f->nborder; i++) f->u[i] = f->whole[f->shared[i]];
}

static void precondition(const tni_schur *f) {
  for (int i = f->border_from[f->begin]; i < f->border_from[f->end]; i++) f->z[i] = f->o.method == TNI_SCHUR_CG_DIAGONAL ? f->r[i]/f->diagonal[i] : f->r[i];
}

/* true: as asked for */
static bool iterate(tni_schur *f, double *u, tni_schur_report *rep) {
  double target = f->o.drop > 0 ? f->o.drop : f->o.tolerance, rz = 0, first, best = HUGE_VAL;
  int since = 0;
  memset(f->u, 0, (size_t)f->nborder*sizeof(double));
  memcpy(f->r, f->g, (size_t)f->nborder*sizeof(double));
  first = sqrt(dot(f, f->r, f->r));
  if (!(first > 0)) first = 1;
  for (rep->iterations = 0;; rep->iterations++) {
    rep->drop = sqrt(dot(f, f->r, f->r))/first;
    bool stop = f->o.watch && !f->o.watch(f->o.user, f, rep->iterations, rep->drop);
    if (tni_domains_trouble(f->d) != TN_OK) return false;
    since = rep->drop < 0.9*best ? 0 : since + 1;
    best = fmin(best, rep->drop);
    if (stop || (!(rep->drop > target) && (f->o.drop > 0 || tni_energy_is_there(rep->iterations, f->gain, f->o.tolerance))) || rep->iterations == f->o.most || since > PATIENCE) {
      tni_schur_look(f, u);
      rep->residual = measure(f, u);
      bool done = stop || (f->o.drop > 0 ? rep->drop <= target : rep->residual <= f->o.tolerance);
      if (done || rep->iterations == f->o.most || since > PATIENCE) return done;
      target = fmin(rep->drop, target)*fmax(0.01, fmin(0.5, 0.5*f->o.tolerance/rep->residual));
      if (!(target > 1e-16)) return false;
    }
    precondition(f);
    double before = rz;
    rz = dot(f, f->r, f->z);
    for (int i = f->border_from[f->begin]; i < f->border_from[f->end]; i++) f->p[i] = f->z[i] + (rep->iterations ? rz/before*f->p[i] : 0);
    multiply(f, f->p, f->q);
    double a = rz/dot(f, f->p, f->q);
    if (!isfinite(a)) {
      tni_schur_look(f, u);
      rep->residual = measure(f, u);
      return rep->residual <= f->o.tolerance;
    }
    f->gain[rep->iterations] = a*rz;
    for (int i = f->border_from[f->begin]; i < f->border_from[f->end]; i++) f->u[i] += a*f->p[i], f->r[i] -= a*f->q[i];
  }
}

tn_status tni_schur_solve(tni_schur *f, const double *force, double *u, tni_schur_report *report) {
  tni_schur_report none, *rep = report ? report : &none;
  long own = 0, most;
  *rep = (tni_schur_report){.unknowns = f->nshared};
  for (int s = 0; s < f->d->n; s++) {
    if (f->piece[s].factor) own += tni_sparse_solver_nnz(f->piece[s].factor);
    rep->messages += f->border[s].nneighbour;
    for (int k = 0; k < f->border[s].nb; k++) rep->bytes += (long)sizeof(double)*(f->border[s].from[k + 1] - f->border[s].from[k] - 1);
  }
  most = own;
  tni_domains_count(f->d, &own, &most);
  rep->nnz_most = most + (f->direct ? tni_sparse_solver_nnz(f->direct) : 0);
  rep->nnz = own + (f->direct ? tni_sparse_solver_nnz(f->direct) : 0);
  f->force = force;
  condense(f);
  bool done = true;
  if (f->o.method == TNI_SCHUR_DIRECT) {
    solve_directly(f);
    tni_schur_look(f, u);
    rep->residual = measure(f, u);
  } else {
    done = iterate(f, u, rep);
  }
  TN_TRY(tni_domains_trouble(f->d));
  TN_REQUIRE(f->ctx, done, TN_NOT_CONVERGED, "schur: after %d iterations the forces are off by %.2g, asked for %.2g", rep->iterations,
             rep->residual, f->o.tolerance);
  return TN_OK;
}
