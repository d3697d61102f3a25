/* domains/coarse.c - rigid motions of every domain as a second level for conjugate gradients
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/coarse.h"

#include "base/vec.h"
#include "linsolve/lapack.h"
#include "parallel/pool.h"

enum { MOTIONS = 6 };
static const double DEPENDENT = 1e-11, ROUNDING = 1e-13;

/* K_t W of one motion of one domain, rows of domain t */
typedef struct { int motion, n, *row; double *value; } column;

struct tni_coarse {
  const tni_domains *d;
  const tni_border *border;
  const int *from;
  int begin, end, n, rank;  /* domains of this rank; motions; independent ones */
  double *centre;           /* [domains][4] and a length */
  double **share;           /* [domains] of this rank [unknowns]: part that each domain has */
  int **at;                 /* [unknowns] place in the border, -1: inside */
  int *ncol;
  column **col;             /* [domains][ncol] */
  double *E, *scale, *c, *part, *ordered;
  int *pivot, *part_from;
  const double *r;
  double *z;
  bool from_zero;
};

/* motion k of domain s at unknown i of domain t */
static double motion(const tni_coarse *c, int s, int k, const tni_domain *t, int i) {
  int kind = t->kind[i];
  if (k < 3) return kind == k;
  if (kind >= 3) return (kind - 3 == k - 3)/c->centre[4*s + 3];
  const double *x = t->place + 3*(size_t)i, *o = c->centre + 4*(size_t)s;
  int a = k - 3, b = (a + 1) % 3, e = (a + 2) % 3; /* e_a x d: along b -d_e, along e d_b */
  return (kind == b ? -(x[e] - o[e]) : kind == e ? x[b] - o[b] : 0)/o[3];
}

static tn_status centres(tni_coarse *c) {
  const tni_domains *d = c->d;
  for (int s = c->begin; s < c->end; s++) {
    const tni_domain *o = &d->domain[s];
    double *centre = c->centre + 4*(size_t)s;
    for (int i = 0; i < o->n; i++) vec3_addmul(centre, 1.0/o->n, o->place + 3*(size_t)i);
    for (int i = 0; i < o->n; i++) {
      double v[3];
      vec3_sub(v, o->place + 3*(size_t)i, centre);
      centre[3] = fmax(centre[3], sqrt(vec3_dot(v, v)));
    }
    if (!(centre[3] > 0)) centre[3] = 1;
  }
  return d->comm ? tni_comm_sum(d->comm, 4*d->n, c->centre) : TN_OK;
}

/* y = K_t w, w not zero at list [n] */
static void multiply_few(const tni_domain *t, int n, const int *list, const double *w, double *y, double *size) {
  for (int k = 0; k < n; k++)
    for (int q = t->ptr[list[k]]; q < t->ptr[list[k] + 1]; q++) {
      y[t->ind[q]] += t->value[q]*w[k];
      size[t->ind[q]] += fabs(t->value[q]*w[k]);
    }
}

/* columns of domain t: its own motions, and those of the domains that share unknowns with it */
static tn_status make_columns(tni_coarse *c, int t, tni_arena *arena, tni_arena *work) {
  const tni_domain *o = &c->d->domain[t];
  const tni_border *b = &c->border[t];
  int *list, *others, nother = 0;
  double *w, *y, *size;
  TNI_ARENA_NEW(work, list, o->n + 1);
  TNI_ARENA_NEW(work, w, o->n + 1);
  TNI_ARENA_NEW(work, y, o->n + 1);
  TNI_ARENA_NEW(work, size, o->n + 1);
  TNI_ARENA_NEW(work, others, c->d->n);
  TNI_ARENA_NEW(arena, c->share[t], o->n + 1);
  TNI_ARENA_NEW(arena, c->at[t], o->n + 1);
  for (int i = 0; i < o->n; i++) c->share[t][i] = 1, c->at[t][i] = -1;
  for (int k = 0; k < b->nb; k++) {
    c->share[t][b->b[k]] = 1.0/(b->from[k + 1] - b->from[k]);
    c->at[t][b->b[k]] = k;
    for (int q = b->from[k]; q < b->from[k + 1]; q++) {
      int s = b->side[q].domain, j = 0;
      while (j < nother && others[j] != s) j++;
      if (j == nother && s != t) others[nother++] = s;
    }
  }
  TNI_ARENA_NEW(arena, c->col[t], MOTIONS*(nother + 1));
  for (int j = -1; j < nother; j++)
    for (int k = 0; k < MOTIONS; k++) {
      int s = j < 0 ? t : others[j], n = 0, rows = 0;
      for (int i = 0; i < o->n; i++) {
        bool has = s == t;
        int at = c->at[t][i];
        for (int q = at < 0 ? 0 : b->from[at]; !has && at >= 0 && q < b->from[at + 1]; q++) has = b->side[q].domain == s;
        double v = has ? c->share[t][i]*motion(c, s, k, o, i) : 0;
        if (v != 0) list[n] = i, w[n++] = v;
      }
      multiply_few(o, n, list, w, y, size);
      for (int i = 0; i < o->n; i++) rows += fabs(y[i]) > ROUNDING*size[i];
      column *l = &c->col[t][c->ncol[t]];
      l->motion = MOTIONS*s + k;
      TNI_ARENA_NEW(arena, l->row, rows + 1);
      TNI_ARENA_NEW(arena, l->value, rows + 1);
      for (int i = 0; i < o->n; i++) {
        if (fabs(y[i]) > ROUNDING*size[i]) l->row[l->n] = i, l->value[l->n++] = y[i];
        y[i] = size[i] = 0;
      }
      c->ncol[t]++;
    }
  /* E = W^T K W, domain by domain */
  for (int j = 0; j < c->ncol[t]; j++) {
    const column *l = &c->col[t][j];
    for (int e = 0; e < l->n; e++) {
      int i = l->row[e], at = c->at[t][i];
      for (int q = at < 0 ? 0 : b->from[at]; q < (at < 0 ? 1 : b->from[at + 1]); q++) {
        int s = at < 0 ? t : b->side[q].domain;
        for (int k = 0; k < MOTIONS; k++)
          c->E[(size_t)l->motion*(size_t)c->n + (size_t)(MOTIONS*s + k)] += c->share[t][i]*motion(c, s, k, o, i)*l->value[e];
      }
    }
  }
  return TN_OK;
}

static tn_status own(tni_coarse *c, tni_arena *arena) {
  for (int t = c->begin; t < c->end; t++) {
    tni_arena work;
    tni_arena_init(&work, c->d->ctx);
    tn_status st = make_columns(c, t, arena, &work);
    tni_arena_clear(&work);
    TN_TRY(st);
  }
  TNI_ARENA_NEW(arena, c->part_from, c->d->n + 1);
  for (int t = 0; t < c->d->n; t++) c->part_from[t + 1] = c->part_from[t] + c->ncol[t] + MOTIONS;
  TNI_ARENA_NEW(arena, c->part, c->part_from[c->d->n] + 1);
  return TN_OK;
}

/* Pivots tell which motions repeat others: those of domains held in a line, of single bars, of planes. Ranks have E to the same bits. */
static tn_status factor(tni_coarse *c) {
  const tni_domains *d = c->d;
  int n = c->n;
  double *work = tni_doubles(d->ctx, 2*(size_t)n + 1);
  tn_status st = work ? TN_OK : tni_out_of_memory(d->ctx);
  for (int i = 0; i < n && st == TN_OK; i++) {
    double e = c->E[(size_t)i*(size_t)n + (size_t)i];
    c->scale[i] = e > 0 ? 1/sqrt(e) : 0;
  }
  for (int j = 0; j < n && st == TN_OK; j++)
    for (int i = 0; i < n; i++) c->E[(size_t)j*(size_t)n + (size_t)i] *= c->scale[i]*c->scale[j];
  /* info > 0: the rank is not full */
  if (st == TN_OK && n > 0 && tni_pstrf('L', n, c->E, n, c->pivot, &c->rank, DEPENDENT, work) < 0) st = TN_FAIL(d->ctx, TN_ERR_ARGUMENT, "motions of domains: bad factor");
  tni_free(d->ctx, work);
  return st;
}

static tn_status begin(const tni_domains *d, const tni_border *border, const int *from, tni_arena *arena, tni_coarse **out) {
  tni_coarse *c;
  TN_REQUIRE(d->ctx, d->n <= TNI_COARSE_MOST, TN_ERR_UNSUPPORTED, "preconditioner domains: %d domains, at most %d", d->n, TNI_COARSE_MOST);
  for (int s = tni_domains_begin(d); s < tni_domains_end(d); s++)
    TN_REQUIRE(d->ctx, d->domain[s].place && d->domain[s].kind, TN_ERR_UNSUPPORTED, "preconditioner domains: places of unknowns are not known");
  TNI_ARENA_NEW(arena, c, 1);
  *c = (tni_coarse){.d = d, .border = border, .from = from, .begin = tni_domains_begin(d), .end = tni_domains_end(d), .n = MOTIONS*d->n};
  TNI_ARENA_NEW(arena, c->centre, 4*d->n);
  TNI_ARENA_NEW(arena, c->share, d->n);
  TNI_ARENA_NEW(arena, c->at, d->n);
  TNI_ARENA_NEW(arena, c->ncol, d->n);
  TNI_ARENA_NEW(arena, c->col, d->n);
  TNI_ARENA_NEW(arena, c->E, (size_t)c->n*(size_t)c->n);
  TNI_ARENA_NEW(arena, c->scale, c->n);
  TNI_ARENA_NEW(arena, c->c, c->n);
  TNI_ARENA_NEW(arena, c->ordered, c->n);
  TNI_ARENA_NEW(arena, c->pivot, c->n);
  *out = c;
  return TN_OK;
}

tn_status tni_coarse_create(const tni_domains *d, const tni_border *border, const int *from, tni_arena *arena, tni_coarse **out) {
  tni_coarse *c = NULL;
  TN_TRY(tni_comm_agree(d->comm, begin(d, border, from, arena, &c)));
  TN_TRY(centres(c));
  TN_TRY(tni_comm_agree(d->comm, own(c, arena)));
  if (d->comm) TN_TRY(tni_comm_sum(d->comm, c->n*c->n, c->E));
  TN_TRY(tni_comm_agree(d->comm, factor(c)));
  *out = c;
  return TN_OK;
}

int tni_coarse_size(const tni_coarse *c) { return c->rank; }

static void restrict_some(void *user, int begin, int end) {
  tni_coarse *c = user;
  for (int t = c->begin + begin; t < c->begin + end; t++) {
    const tni_domain *o = &c->d->domain[t];
    const double *r = c->r + c->from[t], *z = c->z + c->from[t];
    double *part = c->part + c->part_from[t];
    for (int k = 0; k < MOTIONS; k++) {
      double sum = 0;
      for (int i = 0; i < o->n; i++) sum += c->share[t][i]*motion(c, t, k, o, i)*r[i];
      part[k] = sum;
    }
    for (int j = 0; j < c->ncol[t]; j++) {
      const column *l = &c->col[t][j];
      double sum = 0;
      for (int e = 0; e < l->n && !c->from_zero; e++) sum += l->value[e]*z[l->row[e]];
      part[MOTIONS + j] = sum;
    }
  }
}

/* every copy of an unknown gets the same numbers in the same order */
static void extend_some(void *user, int begin, int end) {
  tni_coarse *c = user;
  for (int t = c->begin + begin; t < c->begin + end; t++) {
    const tni_domain *o = &c->d->domain[t];
    const tni_border *b = &c->border[t];
    double *z = c->z + c->from[t];
    for (int i = 0; i < o->n; i++) {
      int at = c->at[t][i];
      double sum = 0;
      for (int q = at < 0 ? 0 : b->from[at]; q < (at < 0 ? 1 : b->from[at + 1]); q++) {
        int s = at < 0 ? t : b->side[q].domain;
        for (int k = 0; k < MOTIONS; k++) sum += motion(c, s, k, o, i)*c->c[MOTIONS*s + k];
      }
      z[i] = (c->from_zero ? 0 : z[i]) + c->share[t][i]*sum;
    }
  }
}

void tni_coarse_correct(tni_coarse *c, const double *r, double *z, bool from_zero) {
  const tni_domains *d = c->d;
  c->r = r;
  c->z = z;
  c->from_zero = from_zero;
  tni_parallel_for(d->ctx, c->end - c->begin, 1, restrict_some, c);
  memset(c->c, 0, (size_t)c->n*sizeof(double));
  for (int t = c->begin; t < c->end; t++) {
    const double *part = c->part + c->part_from[t];
    for (int k = 0; k < MOTIONS; k++) c->c[MOTIONS*t + k] += part[k];
    for (int j = 0; j < c->ncol[t]; j++) c->c[c->col[t][j].motion] -= part[MOTIONS + j];
  }
  if (d->comm && tni_comm_sum(d->comm, c->n, c->c) != TN_OK) return; /* the loop looks at trouble */
  for (int i = 0; i < c->rank; i++) c->ordered[i] = c->scale[c->pivot[i] - 1]*c->c[c->pivot[i] - 1];
  if (c->rank > 0) tni_potrs('L', c->rank, 1, c->E, c->n, c->ordered, c->n);
  memset(c->c, 0, (size_t)c->n*sizeof(double));
  for (int i = 0; i < c->rank; i++) c->c[c->pivot[i] - 1] = c->scale[c->pivot[i] - 1]*c->ordered[i];
  tni_parallel_for(d->ctx, c->end - c->begin, 1, extend_some, c);
}
