/* domains/domains.c - borders of domains, blocks of their matrices
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/domains.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct { long long number; int domain, at; } holder;

static int compare(const void *a, const void *b) {
  const holder *x = a, *y = b;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return x->domain - y->domain;
}

/* unknowns that appear once are interior; groups of the others become sides */
static tn_status share(const tni_domains *d, const holder *all, size_t n, tni_arena *arena, tni_border *border) {
  for (size_t i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && all[j].number == all[i].number; j++) {
      TN_REQUIRE(d->ctx, all[j].domain != all[j-1].domain, TN_ERR_ARGUMENT, "domain %d has unknown %lld twice", all[j].domain,
                 all[j].number);
    }
    for (size_t k = i; k < j; k++) {
      tni_border *o = &border[all[k].domain];
      if (j == i + 1) o->ni++;
      else o->nb++;
    }
  }
  for (int s = 0; s < d->n; s++) {
    tni_border *o = &border[s];
    TNI_ARENA_NEW(arena, o->b, o->nb);
    TNI_ARENA_NEW(arena, o->i, o->ni);
    TNI_ARENA_NEW(arena, o->from, o->nb + 1);
    o->nb = o->ni = 0;
  }
  /* numbers ascend, and with them the unknowns of every domain */
  for (size_t i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && all[j].number == all[i].number; j++) {}
    for (size_t k = i; k < j; k++) {
      tni_border *o = &border[all[k].domain];
      if (j == i + 1) {
        o->i[o->ni++] = all[k].at;
        continue;
      }
      o->b[o->nb] = all[k].at;
      o->from[o->nb + 1] = o->from[o->nb] + (int)(j - i);
      o->nb++;
    }
  }
  for (int s = 0; s < d->n; s++) {
    TNI_ARENA_NEW(arena, border[s].side, border[s].from[border[s].nb]);
    border[s].nb = 0;
  }
  for (size_t i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && all[j].number == all[i].number; j++) {}
    if (j == i + 1) continue;
    for (size_t k = i; k < j; k++) {
      tni_border *o = &border[all[k].domain];
      tni_side *side = o->side + o->from[o->nb];
      for (size_t l = i; l < j; l++) side[l - i] = (tni_side){all[l].domain, border[all[l].domain].nb};
    }
    /* the places above are those before this unknown was counted, in all its domains */
    for (size_t k = i; k < j; k++) border[all[k].domain].nb++;
  }
  return TN_OK;
}

static tn_status count_neighbours(const tni_domains *d, tni_arena *arena, tni_border *border) {
  int *seen;
  TNI_ARENA_NEW(arena, seen, d->n);
  for (int s = 0; s < d->n; s++) seen[s] = -1;
  for (int s = 0; s < d->n; s++) {
    seen[s] = s;
    for (int k = 0; k < border[s].from[border[s].nb]; k++) {
      int t = border[s].side[k].domain;
      if (seen[t] == s) continue;
      seen[t] = s;
      border[s].nneighbour++;
    }
  }
  return TN_OK;
}

/* copies that border on domains of other ranks, both ways in the order of copies */
static tn_status make_halo(const tni_domains *d, tni_arena *arena, tni_border *border) {
  tni_comm *c = d->comm;
  tni_halo *halo;
  int *of, *list[4], n[2] = {0, 0}, me = c->rank;
  TNI_ARENA_NEW(arena, halo, 1);
  TNI_ARENA_NEW(arena, of, d->n);
  for (int r = 0; r < c->size; r++)
    for (int s = d->rank_from[r]; s < d->rank_from[r + 1]; s++) of[s] = r;
  for (int pass = 0; pass < 2; pass++) {
    n[0] = n[1] = 0;
    for (int s = 0, place = 0; s < d->n; s++)
      for (int k = 0; k < border[s].nb; k++, place++) {
        int last = -1; /* sides ascend, and with them ranks */
        for (int l = border[s].from[k]; l < border[s].from[k + 1]; l++) {
          int r = of[border[s].side[l].domain], way = of[s] == me ? 0 : 1;
          if (r == last || r == of[s] || (of[s] != me && r != me)) continue;
          last = r;
          if (pass) {
            list[2*way][n[way]] = way ? of[s] : r;
            list[2*way + 1][n[way]] = place;
          }
          n[way]++;
        }
      }
    if (pass) break;
    for (int i = 0; i < 4; i++) TNI_ARENA_NEW(arena, list[i], n[i/2] + 1);
  }
  TN_TRY(tni_halo_create(c, arena, n[0], list[0], list[1], n[1], list[2], list[3], halo));
  for (int s = 0; s < d->n; s++) border[s].halo = halo;
  return TN_OK;
}

tn_status tni_borders_create(const tni_domains *d, tni_arena *arena, tni_border **out) {
  size_t n = 0, at = 0;
  for (int s = 0; s < d->n; s++) n += (size_t)d->domain[s].n;
  holder *all = tni_alloc(d->ctx, n, sizeof(*all));
  if (!all) return tni_out_of_memory(d->ctx);
  for (int s = 0; s < d->n; s++)
    for (int i = 0; i < d->domain[s].n; i++) all[at++] = (holder){d->domain[s].number[i], s, i};
  qsort(all, n, sizeof(*all), compare);
  tni_border *border = tni_arena_alloc(arena, (size_t)d->n, sizeof(*border));
  tn_status st = border ? share(d, all, n, arena, border) : tni_out_of_memory(d->ctx);
  tni_free(d->ctx, all);
  if (st == TN_OK) st = count_neighbours(d, arena, border);
  double *part = st == TN_OK ? tni_arena_alloc(arena, (size_t)d->n + 1, sizeof(double)) : NULL;
  if (st == TN_OK && !part) st = tni_out_of_memory(d->ctx);
  for (int s = 0; s < d->n && st == TN_OK; s++) border[s].part = part;
  if (st == TN_OK && d->comm) st = make_halo(d, arena, border);
  *out = border;
  return st;
}

double tni_domains_sum(const tni_domains *d, double *part) {
  double sum = 0;
  if (d->comm) {
    for (int s = 0; s < d->n; s++)
      if (s < tni_domains_begin(d) || s >= tni_domains_end(d)) part[s] = 0;
    if (tni_comm_sum(d->comm, d->n, part) != TN_OK) return NAN;
  }
  for (int s = 0; s < d->n; s++) sum += part[s];
  return sum;
}

void tni_domains_count(const tni_domains *d, long *sum, long *most) {
  double x = (double)*sum, y = (double)*most;
  if (!d->comm || tni_comm_sum(d->comm, 1, &x) != TN_OK || tni_comm_max(d->comm, 1, &y) != TN_OK) return;
  *sum = (long)x;
  *most = (long)y;
}

void tni_borders_sum(const tni_domains *d, const tni_border *border, const int *from, double *x, double *y) {
  if (d->comm && tni_halo_exchange(border->halo, x) != TN_OK) return; /* whoever goes on looks at the communicator */
  for (int s = tni_domains_begin(d); s < tni_domains_end(d); s++) {
    const tni_border *o = &border[s];
    for (int k = 0; k < o->nb; k++) {
      double sum = 0;
      for (int l = o->from[k]; l < o->from[k + 1]; l++) sum += x[from[o->side[l].domain] + o->side[l].at];
      y[from[s] + k] = sum;
    }
  }
}

static void magnitudes(const tni_domain *d, const double *x, double *y) {
  for (int j = 0; j < d->n; j++) {
    double sum = 0;
    for (int p = d->ptr[j]; p < d->ptr[j + 1]; p++) sum += fabs(d->value[p]*x[d->ind[p]]);
    y[j] = sum;
  }
}

tni_balance tni_domains_balance(const tni_domains *d, const tni_border *border, const int *from, const int *border_from, const double *force,
                                const double *u, double *one, double *a, double *b) {
  double size[3] = {0, 0, 0};
  for (int pass = 0; pass < 3; pass++) {
    int begin = tni_domains_begin(d), end = tni_domains_end(d);
    double *share = border->part;
    for (int s = begin; s < end; s++) {
      const tni_domain *o = &d->domain[s];
      double *x = one + from[s], part = 0;
      if (pass == 0) {
        tni_domain_multiply(o, u + from[s], x);
        for (int i = 0; i < o->n; i++) x[i] = force[from[s] + i] - x[i];
      } else if (pass == 1) {
        memcpy(x, force + from[s], (size_t)o->n*sizeof(double));
      } else {
        magnitudes(o, u + from[s], x);
      }
      for (int i = 0; i < border[s].ni; i++) part += x[border[s].i[i]]*x[border[s].i[i]];
      share[s] = part;
      for (int k = 0; k < border[s].nb; k++) a[border_from[s] + k] = x[border[s].b[k]];
    }
    tni_borders_sum(d, border, border_from, a, b);
    for (int s = begin; s < end; s++)
      for (int k = 0; k < border[s].nb; k++)
        if (border[s].side[border[s].from[k]].domain == s) share[s] += b[border_from[s] + k]*b[border_from[s] + k];
    size[pass] = sqrt(tni_domains_sum(d, share));
  }
  return (tni_balance){size[0], size[1], DBL_EPSILON*size[2]};
}

double tni_balance_left(const tni_balance *b) {
  if (b->residual <= 4*b->rounding) return 0;
  return b->force > 0 ? b->residual/b->force : b->residual;
}

tn_status tni_block_take(const tni_domain *d, int nrow, const int *row, int ncol, const int *col, int *scratch, tni_arena *arena,
                         tni_block *out) {
  for (int i = 0; i < nrow; i++) scratch[row[i]] = i;
  *out = (tni_block){.nrow = nrow, .ncol = ncol};
  TNI_ARENA_NEW(arena, out->ptr, ncol + 1);
  for (int j = 0; j < ncol; j++) {
    int n = 0;
    for (int p = d->ptr[col[j]]; p < d->ptr[col[j] + 1]; p++) n += scratch[d->ind[p]] >= 0;
    out->ptr[j + 1] = out->ptr[j] + n;
  }
  TNI_ARENA_NEW(arena, out->ind, out->ptr[ncol]);
  TNI_ARENA_NEW(arena, out->value, out->ptr[ncol]);
  for (int j = 0, at = 0; j < ncol; j++)
    for (int p = d->ptr[col[j]]; p < d->ptr[col[j] + 1]; p++) {
      if (scratch[d->ind[p]] < 0) continue;
      out->ind[at] = scratch[d->ind[p]];
      out->value[at++] = d->value[p];
    }
  for (int i = 0; i < nrow; i++) scratch[row[i]] = -1;
  return TN_OK;
}

tn_status tni_domain_nodes(const tni_domain *d, int n, const int *list, tni_arena *arena, int **node) {
  *node = NULL;
  if (!d->node) return TN_OK;
  TNI_ARENA_NEW(arena, *node, n);
  for (int i = 0, at = -1; i < n; i++) {
    if (i == 0 || d->node[list[i]] != d->node[list[i-1]]) at++;
    (*node)[i] = at;
  }
  return TN_OK;
}

void tni_block_multiply_add(const tni_block *a, double c, const double *x, double *y) {
  for (int j = 0; j < a->ncol; j++) {
    double xj = c*x[j];
    for (int p = a->ptr[j]; p < a->ptr[j + 1]; p++) y[a->ind[p]] += a->value[p]*xj;
  }
}

void tni_block_multiply(const tni_block *a, const double *x, double *y) {
  memset(y, 0, (size_t)a->nrow*sizeof(double));
  tni_block_multiply_add(a, 1, x, y);
}

void tni_block_transposed_add(const tni_block *a, double c, const double *x, double *y) {
  for (int j = 0; j < a->ncol; j++) {
    double sum = 0;
    for (int p = a->ptr[j]; p < a->ptr[j + 1]; p++) sum += a->value[p]*x[a->ind[p]];
    y[j] += c*sum;
  }
}

double tni_domain_size(const tni_domain *d) {
  double size = 0;
  for (int p = 0; p < d->ptr[d->n]; p++) size = fmax(size, fabs(d->value[p]));
  return size;
}

/* symmetric: columns are rows */
void tni_domain_multiply(const tni_domain *d, const double *x, double *y) {
  for (int j = 0; j < d->n; j++) {
    double sum = 0;
    for (int p = d->ptr[j]; p < d->ptr[j + 1]; p++) sum += d->value[p]*x[d->ind[p]];
    y[j] = sum;
  }
}
