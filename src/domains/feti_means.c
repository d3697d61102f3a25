/* domains/feti_means.c - a second coarse space of FETI: means along what domains share
 *
 * The columns of C are forces between two domains along what they share: even ones, for every component; where more than two domains meet, along edges,
 * powers of places too; where two alone meet, those that belong to their motions there. Forces lambda and residuals keep to
 *
 *   G^T lambda = e,   C^T r in the range of C^T G
 *
 * in every iteration: jumps have no such means. Directions y are taken there within the space of C,
 *
 *   p = y + C mu,   [ C^T F C  C^T G ] [mu]     [ C^T F y ]
 *                   [ G^T C    0     ] [nu] = - [ G^T y   ]
 *
 * and residuals by the transposed of that, w = r - G a, with a from the same matrix and [C^T r, 0] at its right. What G^T G does elsewhere, motions of
 * domains, is done by it as well: C has enough forces to hold every domain. All of it is local to domains: F C mu are shapes K_s^+ B_s^T C of
 * one domain each, made once, by many right sides at a time.
 *
 * Sources: Farhat and Mandel, The two-level FETI method for static and dynamic plate problems, CMAME 155 (1998) 129, where the forces are those of
 * corners; the mean forces of FETI-DP (feti_dp.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "domains/feti_inner.h"
#include "parallel/pool.h"

static const double ALIKE = 1e-6;  /* what is left of a force without those before: it is one of them   */
static const double ZERO = 1e-14;
enum { COLUMNS = 4000, DEGREE = 3, KINDS = 8, BATCH = 8 };

/* unknowns that the same domains share, in the order of their numbers */
typedef struct {
  int m, n;
  const tni_side *who;  /* [m] the domains, ascending                                                     */
  int first, *place;    /* domain who[0]; [n] unknowns of its border                                      */
  int nforce, column;   /* forces between two of them that follow each other; number of the first column  */
  double *force;        /* [nforce][n] of one length; NULL: none of its domains is of this rank           */
} share;

typedef struct { int share, me, shape; } member; /* a domain is number me of a share; its first shape */

typedef struct {
  int nmember, nshape;
  member *member;
  double *shape;        /* [nshape][nb] K_s^+ of the forces, at the border                                */
  double *load, *z;     /* [nshape], [nb]                                                                 */
  double *batch;        /* while they are made                                                            */
} part;

struct tni_feti_means {
  int nshare, ncol, n;  /* n: and motions                                                                 */
  share *share;
  part *part;           /* [domains]                                                                      */
  int *ptr, *ind;
  double *value, unit, *x, *other;
  tni_sparse_solver *factor;
};

static const tni_side *sharers(const tni_feti *f, const share *h, int e) {
  const tni_border *o = &f->border[h->first];
  return o->side + o->from[h->place[e]];
}

/* side of the lower one of pair i of a share at its unknown e */
static int lower_side(const tni_feti *f, const share *h, int i, int e) {
  const tni_side *o = sharers(f, h, e);
  return f->first[f->border_from[o[i].domain] + o[i].at] + (f->o.ties == TNI_TIES_ALL ? i : i > 0);
}

static bool mine(const tni_feti *f, int s) { return s >= f->begin && s < f->end; }

static bool any_mine(const tni_feti *f, const share *h) {
  for (int i = 0; i < h->m; i++)
    if (mine(f, h->who[i].domain)) return true;
  return false;
}

/* ---- shares ------------------------------------------------------------------------------------------- */

typedef struct {
  int domain, place, n;
  const tni_side *side;
} copy;

static int compare_sharers(const copy *x, const copy *y) {
  if (x->n != y->n) return x->n - y->n;
  for (int i = 0; i < x->n; i++)
    if (x->side[i].domain != y->side[i].domain) return x->side[i].domain - y->side[i].domain;
  return 0;
}

static int compare(const void *a, const void *b) {
  const copy *x = a, *y = b;
  int c = compare_sharers(x, y);
  return c ? c : x->place - y->place;
}

static tn_status find_shares(tni_feti *f, struct tni_feti_means *w) {
  const tni_domains *d = f->d;
  int n = 0;
  copy *all = tni_alloc(f->ctx, (size_t)f->border_from[d->n] + 1, sizeof(*all));
  if (!all) return tni_out_of_memory(f->ctx);
  for (int s = 0; s < d->n; s++) {
    const tni_border *o = &f->border[s];
    for (int k = 0; k < o->nb; k++)
      if (o->side[o->from[k]].domain == s) all[n++] = (copy){s, k, o->from[k + 1] - o->from[k], o->side + o->from[k]};
  }
  qsort(all, (size_t)n, sizeof(*all), compare);
  for (int i = 0; i < n; i++) w->nshare += i == 0 || compare_sharers(&all[i-1], &all[i]) != 0;
  w->share = tni_arena_alloc(&f->arena, (size_t)w->nshare + 1, sizeof(*w->share));
  int *place = tni_arena_alloc(&f->arena, (size_t)n + 1, sizeof(int));
  for (int i = 0, h = -1; i < n && w->share && place; i++) {
    if (i == 0 || compare_sharers(&all[i-1], &all[i]) != 0) w->share[++h] = (share){.m = all[i].n, .who = all[i].side, .first = all[i].domain, .place = place + i};
    place[i] = all[i].place;
    w->share[h].n++;
  }
  tni_free(f->ctx, all);
  return w->share && place ? TN_OK : tni_out_of_memory(f->ctx);
}

/* ---- forces -------------------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i]*b[i];
  return sum;
}

/* the next force, if it is not one of those before */
static void take(share *h, double *v) {
  double before = sqrt(dot(v, v, h->n));
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < h->nforce; j++) {
      const double *o = h->force + (size_t)j*(size_t)h->n;
      double c = dot(o, v, h->n);
      for (int e = 0; e < h->n; e++) v[e] -= c*o[e];
    }
  double after = sqrt(dot(v, v, h->n));
  if (!(after > ALIKE*before)) return;
  for (int e = 0; e < h->n; e++) v[e] /= after;
  h->nforce++;
}

static double *next(const share *h) { return h->force + (size_t)h->nforce*(size_t)h->n; }

static int kind_of(const tni_feti *f, const share *h, int e) {
  const tni_domain *d = &f->d->domain[h->first];
  return d->kind ? d->kind[f->border[h->first].b[h->place[e]]] : 0;
}

/* one for each component; known without the matrices */
static void take_means(const tni_feti *f, share *h) {
  for (int kind = 0; kind < KINDS; kind++) {
    double *v = next(h), count = 0;
    for (int e = 0; e < h->n; e++) count += v[e] = kind_of(f, h, e) == kind;
    if (count > 0) take(h, v);
  }
}

/* Powers of places, up to a degree that grows with the logarithm of the length, as iterations otherwise would; of displacements, not of rotations. */
static void take_powers(const tni_feti *f, share *h, int limit) {
  int i = 0, degree = (int)log2((double)h->n/3 + 1) - 1;
  while (!mine(f, h->who[i].domain)) i++;
  const tni_domain *d = &f->d->domain[h->who[i].domain];
  const int *b = f->border[h->who[i].domain].b;
  degree = degree < 1 ? 1 : degree;
  for (int kind = 0; kind < 3 && d->place; kind++)
    for (int power = 1; power <= (degree < limit ? degree : limit); power++)
      for (int axis = 0; axis < 3; axis++) {
        double *v = next(h), middle = 0, count = 0;
        for (int e = 0; e < h->n; e++) {
          v[e] = kind_of(f, h, e) == kind ? d->place[3*(size_t)b[sharers(f, h, e)[i].at] + (size_t)axis] : 0;
          middle += v[e];
          count += kind_of(f, h, e) == kind;
        }
        for (int e = 0; e < h->n && count > 0; e++)
          if (kind_of(f, h, e) == kind) v[e] = pow(v[e] - middle/count, power);
        if (count > power) take(h, v);
      }
}

/* the b-th motion of everybody is in `trace`, at all sides that this rank looks at */
static void take_motions(const tni_feti *f, share *h, int i, int b, const double *trace) {
  if (b >= f->piece[h->who[i].domain].nfix) return;
  double *v = next(h);
  for (int e = 0; e < h->n; e++) {
    int k = lower_side(f, h, 0, e);
    v[e] = trace[i ? f->twin[k] : k];
  }
  take(h, v);
}

static tn_status take_room(tni_feti *f, struct tni_feti_means *w, int most) {
  for (int h = 0; h < w->nshare; h++) {
    share *o = &w->share[h];
    size_t many = KINDS + 1 + (size_t)(o->m == 2 ? 2*most : 9*DEGREE);
    if (any_mine(f, o)) TNI_ARENA_NEW(&f->arena, o->force, many*(size_t)o->n);
  }
  return TN_OK;
}

/* by all ranks; limit: of the powers */
static tn_status make_forces(tni_feti *f, struct tni_feti_means *w, int most, int limit) {
  const tni_domains *d = f->d;
  for (int h = 0; h < w->nshare; h++) {
    share *o = &w->share[h];
    o->nforce = 0;
    if (o->force) take_means(f, o);
    if (o->force && o->m > 2) take_powers(f, o, limit);
  }
  for (int b = 0; b < most; b++) {
    for (int s = f->begin; s < f->end; s++)
      for (int k = 0; k < f->piece[s].m; k++)
        f->own[f->side_from[s] + k] = b < f->piece[s].nfix ? f->piece[s].trace[(size_t)b*(size_t)f->piece[s].m + (size_t)k] : 0;
    if (f->halo) TN_TRY(tni_halo_exchange(f->halo, f->own));
    for (int h = 0; h < w->nshare; h++)
      for (int i = 0; i < 2; i++)
        if (w->share[h].force && w->share[h].m == 2) take_motions(f, &w->share[h], i, b, f->own);
  }
  if (d->comm) { /* what others have found */
    double *n = tni_doubles(f->ctx, (size_t)w->nshare + 1);
    tn_status st = tni_comm_agree(d->comm, n ? TN_OK : tni_out_of_memory(f->ctx));
    for (int h = 0; h < w->nshare && n; h++) n[h] = w->share[h].nforce;
    if (st == TN_OK) st = tni_comm_max(d->comm, w->nshare, n);
    for (int h = 0; h < w->nshare && st == TN_OK; h++) w->share[h].nforce = (int)n[h];
    tni_free(f->ctx, n);
    TN_TRY(st);
  }
  w->ncol = 0;
  for (int h = 0; h < w->nshare; h++) {
    w->share[h].column = w->ncol;
    w->ncol += (w->share[h].m - 1)*w->share[h].nforce;
  }
  return TN_OK;
}

/* ---- shapes --------------------------------------------------------------------------------------------- */

static void make_shapes(void *user, int begin, int end) {
  tni_feti *f = user;
  for (int s = f->begin + begin; s < f->begin + end; s++) {
    part *p = &f->means->part[s];
    const tni_border *o = &f->border[s];
    size_t n = (size_t)f->d->domain[s].n, nb = (size_t)o->nb;
    int at = 0, many = 0;
    for (int k = 0; k < p->nmember; k++) {
      const share *h = &f->means->share[p->member[k].share];
      for (int j = 0; j < h->nforce; j++) {
        double *x = p->batch + (size_t)many++*n;
        memset(x, 0, n*sizeof(double));
        for (int e = 0; e < h->n; e++) x[o->b[sharers(f, h, e)[p->member[k].me].at]] = h->force[(size_t)j*(size_t)h->n + (size_t)e];
        if (many < BATCH && at + many < p->nshape) continue;
        tni_floating_solve(&f->piece[s].floating, many, p->batch);
        for (int c = 0; c < many; c++)
          for (size_t i = 0; i < nb; i++) p->shape[(size_t)(at + c)*nb + i] = p->batch[(size_t)c*n + (size_t)o->b[i]];
        at += many;
        many = 0;
      }
    }
  }
}

static tn_status take_parts(tni_feti *f, struct tni_feti_means *w, tni_arena *brief) {
  const tni_domains *d = f->d;
  TNI_ARENA_NEW(&f->arena, w->part, d->n);
  for (int pass = 0; pass < 2; pass++) {
    for (int h = 0; h < w->nshare; h++)
      for (int i = 0; i < w->share[h].m; i++) {
        part *p = &w->part[w->share[h].who[i].domain];
        if (pass) p->member[p->nmember] = (member){h, i, p->nshape};
        p->nmember++;
        p->nshape += w->share[h].nforce;
      }
    for (int s = 0; s < d->n && !pass; s++) {
      TNI_ARENA_NEW(&f->arena, w->part[s].member, w->part[s].nmember);
      if (mine(f, s)) TNI_ARENA_NEW(&f->arena, w->part[s].shape, (size_t)w->part[s].nshape*(size_t)f->border[s].nb);
      if (mine(f, s)) TNI_ARENA_NEW(&f->arena, w->part[s].load, w->part[s].nshape);
      if (mine(f, s)) TNI_ARENA_NEW(&f->arena, w->part[s].z, f->border[s].nb);
      if (mine(f, s)) TNI_ARENA_NEW(brief, w->part[s].batch, (size_t)BATCH*(size_t)d->domain[s].n);
      w->part[s].nmember = w->part[s].nshape = 0;
    }
  }
  tni_parallel_for(f->ctx, f->end - f->begin, 1, make_shapes, f);
  return TN_OK;
}

/* ---- the matrix -------------------------------------------------------------------------------------------- */

/* what a domain adds: number, shape and sign of its forces, then its motions with shape -1; ascending */
typedef struct { int number, shape, sign; } column;

static int columns_of(const tni_feti *f, int s, column *out) {
  const struct tni_feti_means *w = f->means;
  const part *p = &w->part[s];
  int n = 0;
  for (int k = 0; k < p->nmember; k++) {
    const share *h = &w->share[p->member[k].share];
    int me = p->member[k].me;
    for (int i = me > 0 ? me - 1 : 0; i <= me && i < h->m - 1; i++)
      for (int j = 0; j < h->nforce; j++) {
        if (out) out[n] = (column){h->column + i*h->nforce + j, p->member[k].shape + j, i == me ? 1 : -1};
        n++;
      }
  }
  for (int a = 0; a < f->piece[s].nfix; a++, n++)
    if (out) out[n] = (column){w->ncol + f->rigid_from[s] + a, -1 - a, 0};
  return n;
}

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* columns of one domain have entries with each other, motions with each other none */
static tn_status make_pattern(tni_feti *f, struct tni_feti_means *w, tni_arena *brief) {
  const tni_domains *d = f->d;
  int most = 0, *who, *seen, *list;
  column *own;
  for (int s = 0; s < d->n; s++) {
    int n = columns_of(f, s, NULL);
    most = n > most ? n : most;
  }
  TNI_ARENA_NEW(&f->arena, w->ptr, w->n + 1);
  TNI_ARENA_NEW(brief, own, most + 1);
  TNI_ARENA_NEW(brief, who, 2*w->n + 1);
  TNI_ARENA_NEW(brief, seen, w->n + 1);
  TNI_ARENA_NEW(brief, list, w->n + 1);
  for (int c = 0; c < w->n; c++) who[2*c] = who[2*c + 1] = -1;
  for (int s = 0; s < d->n; s++) {
    int n = columns_of(f, s, own);
    for (int k = 0; k < n; k++) who[2*own[k].number + (who[2*own[k].number] >= 0)] = s;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int c = 0; c < w->n; c++) seen[c] = -1;
    for (int c = 0, at = 0; c < w->n; c++) {
      int n = 0;
      for (int i = 0; i < 2 && who[2*c + i] >= 0; i++) {
        int m = columns_of(f, who[2*c + i], own);
        for (int k = 0; k < m; k++) {
          int r = own[k].number;
          if (seen[r] == c || (c >= w->ncol && r >= w->ncol)) continue;
          seen[r] = c;
          list[n++] = r;
        }
      }
      if (pass) {
        qsort(list, (size_t)n, sizeof(int), ascending);
        memcpy(w->ind + at, list, (size_t)n*sizeof(int));
      }
      w->ptr[c + 1] = at += n;
    }
    if (!pass) TNI_ARENA_NEW(&f->arena, w->ind, w->ptr[w->n]);
  }
  TNI_ARENA_NEW(&f->arena, w->value, w->ptr[w->n]);
  return TN_OK;
}

static void add(struct tni_feti_means *w, int row, int col, double x) {
  int low = w->ptr[col], high = w->ptr[col + 1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (w->ind[mid] < row) low = mid + 1;
    else high = mid;
  }
  w->value[low] += x;
}

/* forces at shapes of one domain, and at its motions */
static void add_domain(tni_feti *f, struct tni_feti_means *w, int s, column *own, double *energy) {
  part *p = &w->part[s];
  size_t nb = (size_t)f->border[s].nb, ns = (size_t)p->nshape;
  for (int k = 0; k < p->nmember; k++) {
    const share *h = &w->share[p->member[k].share];
    int me = p->member[k].me;
    for (int j = 0; j < h->nforce; j++) {
      const double *v = h->force + (size_t)j*(size_t)h->n;
      for (size_t c = 0; c < ns; c++) {
        double sum = 0;
        for (int e = 0; e < h->n; e++) sum += v[e]*p->shape[c*nb + (size_t)sharers(f, h, e)[me].at];
        energy[c*ns + (size_t)(p->member[k].shape + j)] = sum;
      }
      for (int i = me > 0 ? me - 1 : 0; i <= me && i < h->m - 1; i++)
        for (int a = 0; a < f->piece[s].nfix; a++) {
          double sum = 0;
          for (int e = 0; e < h->n; e++) {
            int side = lower_side(f, h, i, e);
            sum += v[e]*f->piece[s].trace[(size_t)a*(size_t)f->piece[s].m + (size_t)((i == me ? side : f->twin[side]) - f->side_from[s])];
          }
          int col = h->column + i*h->nforce + j, motion = w->ncol + f->rigid_from[s] + a;
          add(w, motion, col, sum);
          add(w, col, motion, sum);
        }
    }
  }
  int n = columns_of(f, s, own);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      if (own[a].shape < 0 || own[b].shape < 0) continue;
      size_t x = (size_t)own[a].shape, y = (size_t)own[b].shape;
      add(w, own[a].number, own[b].number, own[a].sign*own[b].sign*0.5*(energy[x*ns + y] + energy[y*ns + x]));
    }
}

static tn_status make_matrix(tni_feti *f, struct tni_feti_means *w, tni_arena *brief) {
  const tni_domains *d = f->d;
  int most = 0, cols = 0;
  column *own;
  double *energy;
  TN_TRY(make_pattern(f, w, brief));
  for (int s = f->begin; s < f->end; s++) {
    int n = columns_of(f, s, NULL);
    cols = n > cols ? n : cols;
    most = w->part[s].nshape > most ? w->part[s].nshape : most;
  }
  TNI_ARENA_NEW(brief, own, cols + 1);
  TNI_ARENA_NEW(brief, energy, (size_t)most*(size_t)most + 1);
  for (int s = f->begin; s < f->end; s++) add_domain(f, w, s, own, energy);
  TNI_ARENA_NEW(&f->arena, w->x, w->n + d->n); /* and a number of every domain */
  TNI_ARENA_NEW(&f->arena, w->other, f->nside);
  return TN_OK;
}

/* false: it cannot be factored, or does not hold every domain */
static bool factor(tni_feti *f, struct tni_feti_means *w) {
  for (int c = 0; c < w->ncol; c++)
    for (int k = w->ptr[c]; k < w->ptr[c + 1]; k++)
      if (w->ind[k] == c) w->unit = fmax(w->unit, w->value[k]);
  for (int c = 0; c < w->n; c++) /* motions in units of the others */
    for (int k = w->ptr[c]; k < w->ptr[c + 1]; k++)
      if (c >= w->ncol || w->ind[k] >= w->ncol) w->value[k] *= w->unit;
  tni_sparse_opts o = {.backend = "mumps", .symmetric = true, .scales = true, .least = ZERO, .relative = true};
  int negative = 0, zero = 0;
  return tni_sparse_solver_create(f->ctx, w->n, w->ptr, w->ind, &o, &w->factor) == TN_OK && tni_sparse_solver_factor(w->factor, w->value) == TN_OK &&
         tni_sparse_solver_inertia(w->factor, &negative, &zero) && zero == 0 && negative == w->n - w->ncol;
}

/* ---- set-up ---------------------------------------------------------------------------------------------------- */

tn_status tni_feti_means_create(tni_feti *f) {
  const tni_domains *d = f->d;
  if (f->o.coarse != TNI_FETI_COARSE_MEANS || f->o.primal != TNI_PRIMAL_NONE || f->o.ties == TNI_TIES_FACES || f->o.forget || f->stressed || f->extra)
    return TN_OK;
  int most = 0;
  for (int s = 0; s < d->n; s++) most = f->piece[s].nfix > most ? f->piece[s].nfix : most;
  struct tni_feti_means *w = tni_arena_alloc(&f->arena, 1, sizeof(*w));
  tn_status st = w ? find_shares(f, w) : tni_out_of_memory(f->ctx);
  if (st == TN_OK) st = take_room(f, w, most);
  TN_TRY(tni_comm_agree(d->comm, st));
  for (int limit = DEGREE; limit >= 0; limit--) {
    TN_TRY(make_forces(f, w, most, limit));
    if (w->ncol <= COLUMNS) break;
  }
  w->n = w->ncol + f->rigid_from[d->n];
  if (!w->ncol || w->ncol > COLUMNS) return TN_OK;
  tni_arena brief;
  tni_arena_init(&brief, f->ctx);
  f->means = w;
  st = take_parts(f, w, &brief);
  if (st == TN_OK) st = make_matrix(f, w, &brief);
  tni_arena_clear(&brief);
  st = tni_comm_agree(d->comm, st);
  if (st == TN_OK && d->comm) st = tni_comm_sum(d->comm, w->ptr[w->n], w->value); /* of two domains at most: nothing is rounded twice */
  double bad = st == TN_OK && !factor(f, w);
  if (st == TN_OK && d->comm) st = tni_comm_max(d->comm, 1, &bad);
  if (st != TN_OK || bad > 0) tni_feti_means_destroy(f);
  return st;
}

void tni_feti_means_destroy(tni_feti *f) {
  if (f->means) tni_sparse_solver_destroy(&f->means->factor);
  f->means = NULL;
}

long tni_feti_means_nnz(const tni_feti *f) { return f->means ? tni_sparse_solver_nnz(f->means->factor) : 0; }
int tni_feti_means_count(const tni_feti *f) { return f->means ? f->means->ncol : 0; }

/* ---- directions ------------------------------------------------------------------------------------------------- */

/* x := C^T v, or, both: of v whose sides are shares of the jumps; of this rank */
static void gather(tni_feti *f, const double *v, bool both) {
  struct tni_feti_means *w = f->means;
  memset(w->x, 0, (size_t)(w->n + f->d->n)*sizeof(double));
  for (int k = 0; k < w->nshare; k++) {
    const share *h = &w->share[k];
    for (int i = 0; i < h->m - 1 && h->force; i++)
      for (int higher = 0; higher <= both; higher++) {
        if (!mine(f, h->who[i + higher].domain)) continue;
        for (int j = 0; j < h->nforce; j++) {
          const double *force = h->force + (size_t)j*(size_t)h->n;
          double sum = 0;
          for (int e = 0; e < h->n; e++) {
            int side = lower_side(f, h, i, e);
            sum += force[e]*v[higher ? f->twin[side] : side];
          }
          w->x[h->column + i*h->nforce + j] += sum;
        }
      }
  }
}

static bool solve(tni_feti *f) {
  struct tni_feti_means *w = f->means;
  if (f->d->comm && tni_comm_sum(f->d->comm, w->n + f->d->n, w->x) != TN_OK) return false;
  for (int i = w->ncol; i < w->n; i++) w->x[i] *= w->unit;
  tni_sparse_solver_solve(w->factor, 1, false, w->x);
  for (int i = w->ncol; i < w->n; i++) w->x[i] *= w->unit;
  return true;
}

/* y += C mu at all sides of this rank */
static void add_forces(const tni_feti *f, double *y) {
  const struct tni_feti_means *w = f->means;
  for (int k = 0; k < w->nshare; k++) {
    const share *h = &w->share[k];
    for (int i = 0; i < h->m - 1 && h->force; i++) {
      const double *mu = w->x + h->column + i*h->nforce;
      for (int e = 0; e < h->n; e++) {
        double sum = 0;
        for (int j = 0; j < h->nforce; j++) sum += mu[j]*h->force[(size_t)j*(size_t)h->n + (size_t)e];
        int side = lower_side(f, h, i, e);
        if (mine(f, h->who[i].domain)) y[side] += sum;
        if (mine(f, h->who[i + 1].domain)) y[f->twin[side]] += sum;
      }
    }
  }
}

/* own += what domains do under the forces C mu */
static void add_shapes(tni_feti *f) {
  struct tni_feti_means *w = f->means;
  for (int s = f->begin; s < f->end; s++) {
    part *p = &w->part[s];
    const tni_feti_piece *o = &f->piece[s];
    int nb = f->border[s].nb;
    for (int k = 0; k < p->nmember; k++) {
      const share *h = &w->share[p->member[k].share];
      const double *mu = w->x + h->column;
      int me = p->member[k].me;
      for (int j = 0; j < h->nforce; j++)
        p->load[p->member[k].shape + j] = (me < h->m - 1 ? mu[me*h->nforce + j] : 0) - (me > 0 ? mu[(me - 1)*h->nforce + j] : 0);
    }
    memset(p->z, 0, (size_t)nb*sizeof(double));
    for (int c = 0; c < p->nshape; c++) {
      const double *shape = p->shape + (size_t)c*(size_t)nb;
      for (int i = 0; i < nb; i++) p->z[i] += p->load[c]*shape[i];
    }
    for (int k = 0; k < o->m; k++) f->own[f->side_from[s] + k] += o->sign[k]*p->z[o->place[k]];
  }
}

void tni_feti_means_start(tni_feti *f) {
  gather(f, f->r, false);
  if (!solve(f)) return;
  add_forces(f, f->lambda);
  memset(f->own + f->low, 0, (size_t)(f->high - f->low)*sizeof(double));
  add_shapes(f);
  tni_feti_add_twins(f, f->means->other);
  for (int k = f->low; k < f->high; k++) f->r[k] -= f->means->other[k];
}

void tni_feti_means_project(tni_feti *f, double *w) {
  gather(f, w, false);
  if (solve(f)) tni_feti_add_rigid(f, f->means->x + f->means->ncol, -1, w);
}

double tni_feti_means_direct(tni_feti *f, double *y, double *q) {
  struct tni_feti_means *w = f->means;
  tni_feti_multiply_own(f, y);
  gather(f, f->own, true);
  for (int s = f->begin; s < f->end; s++) {
    const tni_feti_piece *p = &f->piece[s];
    w->x[w->n + s] = dot(f->own + f->side_from[s], y + f->side_from[s], p->m);
    for (int a = 0; a < p->nfix; a++) w->x[w->ncol + f->rigid_from[s] + a] = dot(p->trace + (size_t)a*(size_t)p->m, y + f->side_from[s], p->m);
  }
  for (int i = 0; i < w->n; i++) w->x[i] = -w->x[i];
  if (!solve(f)) return 0;
  add_forces(f, y);
  add_shapes(f);
  tni_feti_add_twins(f, q);
  double energy = 0;
  for (int s = 0; s < f->d->n; s++) energy += w->x[w->n + s];
  return energy;
}
