/* domains/feti_stressed.c - FETI where domains resist their motions
 *
 * A domain that stresses hold in shape resists turning, because its forces turn with it: a little, and with either sign. With S_s in the place of zero
 *
 *   [  F   -G ] [lambda]   [ d]
 *   [ -G^T -S ] [alpha ] = [-e]
 *
 * A = F + G S^-1 G^T is the flexibility of the jumps. As S goes to zero it is large along G, so that conjugate gradients run where this does not matter:
 * lambda begins with the solution in the space of G, and every direction y becomes p = y + G mu with G^T A p = 0. S^-1 is never needed,
 *
 *   [  G^T F G  -G^T G ] [mu   ]   [-G^T F y]
 *   [ -G^T G      -S   ] [alpha] = [ G^T y  ]        A p = F p - G alpha
 *
 * and with S = 0 this is the projection. Where the whole is stable, and domains are at their fixed unknowns, A has as many eigenvalues below zero as all S
 * have. They are all in the space of G, and the iteration is on a definite matrix, if this matrix has one negative eigenvalue for each motion (Haynsworth's law).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "domains/feti_inner.h"

struct tni_feti_stressed {
  int n;                 /* motions                                             */
  int *near_from, *near; /* [domains+1] domains that are tied to each, and itself; ascending */
  int *ptr, *ind;
  double *value, unit;   /* stiffness                                           */
  tni_sparse_solver *factor;
  double *x, *e, *mu, *alpha; /* [2 n], [n] each                                */
  double *side, *other;  /* [sides]                                             */
  bool definite;
};

/* ---- the matrix ------------------------------------------------------------------------------------- */

static void sort(int n, int *list) {
  for (int i = 1; i < n; i++) {
    int keep = list[i], k = i;
    for (; k > 0 && list[k-1] > keep; k--) list[k] = list[k-1];
    list[k] = keep;
  }
}

static tn_status find_near(tni_feti *f, struct tni_feti_stressed *w) {
  int n = f->d->n, *seen, *list;
  TNI_ARENA_NEW(&f->arena, w->near_from, n + 1);
  TNI_ARENA_NEW(&f->arena, seen, n);
  TNI_ARENA_NEW(&f->arena, list, n);
  for (int pass = 0; pass < 2; pass++) {
    for (int s = 0; s < n; s++) seen[s] = -1;
    for (int s = 0; s < n; s++) {
      int m = 0;
      seen[s] = s;
      list[m++] = s;
      for (int k = 0; k < f->piece[s].m; k++) {
        int t = f->owner[f->twin[f->side_from[s] + k]];
        if (seen[t] == s) continue;
        seen[t] = s;
        list[m++] = t;
      }
      sort(m, list);
      if (pass) memcpy(w->near + w->near_from[s], list, (size_t)m*sizeof(int));
      else w->near_from[s + 1] = w->near_from[s] + m;
    }
    if (!pass) TNI_ARENA_NEW(&f->arena, w->near, w->near_from[n]);
  }
  return TN_OK;
}

/* places of the motions of listed domains, from `first` on */
static int put_rows(const tni_feti *f, int n, const int *list, int first, int *out) {
  int m = 0;
  for (int i = 0; i < n; i++)
    for (int b = 0; b < f->piece[list[i]].nfix; b++, m++)
      if (out) out[m] = first + f->rigid_from[list[i]] + b;
  return m;
}

/* G^T F G joins domains that are tied to the same one, G^T G those that are tied, S each by itself */
static tn_status make_pattern(tni_feti *f, struct tni_feti_stressed *w) {
  int n = f->d->n, *seen, *list;
  TNI_ARENA_NEW(&f->arena, seen, n);
  TNI_ARENA_NEW(&f->arena, list, n);
  TNI_ARENA_NEW(&f->arena, w->ptr, 2*w->n + 1);
  for (int pass = 0; pass < 2; pass++) {
    int at = 0;
    for (int s = 0; s < n; s++) seen[s] = -1;
    for (int half = 0; half < 2; half++)
      for (int s = 0; s < n; s++) {
        const int *near = w->near + w->near_from[s];
        int m = 0, nnear = w->near_from[s + 1] - w->near_from[s];
        for (int i = 0; i < nnear && !half; i++)
          for (int k = w->near_from[near[i]]; k < w->near_from[near[i] + 1]; k++) {
            if (seen[w->near[k]] == s) continue;
            seen[w->near[k]] = s;
            list[m++] = w->near[k];
          }
        sort(m, list);
        for (int a = 0; a < f->piece[s].nfix; a++) {
          at += put_rows(f, half ? nnear : m, half ? near : list, 0, pass ? w->ind + at : NULL);
          at += put_rows(f, half ? 1 : nnear, half ? &s : near, w->n, pass ? w->ind + at : NULL);
          w->ptr[half*w->n + f->rigid_from[s] + a + 1] = at;
        }
      }
    if (pass) break;
    TNI_ARENA_NEW(&f->arena, w->ind, at);
    TNI_ARENA_NEW(&f->arena, w->value, at);
  }
  return TN_OK;
}

static double *entry(const struct tni_feti_stressed *w, int row, int col) {
  int low = w->ptr[col], high = w->ptr[col + 1];
  while (high - low > 1) {
    int mid = (low + high)/2;
    if (w->ind[mid] <= row) low = mid;
    else high = mid;
  }
  return w->value + low;
}

/* what the motions of the other domains are at the sides of this rank's */
static tn_status exchange_traces(tni_feti *f) {
  int most = 0;
  for (int s = 0; s < f->d->n; s++) most = f->piece[s].nfix > most ? f->piece[s].nfix : most;
  for (int s = f->begin; s < f->end; s++) TNI_ARENA_NEW(&f->arena, f->piece[s].far, (size_t)most*(size_t)f->piece[s].m);
  for (int b = 0; b < most; b++) {
    for (int s = f->begin; s < f->end; s++)
      for (int k = 0; k < f->piece[s].m; k++)
        f->own[f->side_from[s] + k] = b < f->piece[s].nfix ? f->piece[s].trace[(size_t)b*(size_t)f->piece[s].m + (size_t)k] : 0;
    if (f->halo) TN_TRY(tni_halo_exchange(f->halo, f->own));
    for (int s = f->begin; s < f->end; s++)
      for (int k = 0; k < f->piece[s].m; k++)
        f->piece[s].far[(size_t)b*(size_t)f->piece[s].m + (size_t)k] = f->own[f->twin[f->side_from[s] + k]];
  }
  return TN_OK;
}

/* what domain t says of G^T F G: forces of all motions that reach it, and its own flexibility */
static tn_status add_domain(tni_feti *f, struct tni_feti_stressed *w, int t) {
  const tni_feti_piece *p = &f->piece[t];
  size_t n = (size_t)f->d->domain[t].n, m = 0;
  for (int i = w->near_from[t]; i < w->near_from[t + 1]; i++) m += (size_t)f->piece[w->near[i]].nfix;
  double *X = tni_doubles(f->ctx, m*n + 1), *Y = tni_doubles(f->ctx, m*n + 1);
  int *col = tni_ints(f->ctx, m + 1);
  if (X && Y && col) {
    size_t at = 0;
    for (int i = w->near_from[t]; i < w->near_from[t + 1]; i++) {
      int u = w->near[i];
      for (int b = 0; b < f->piece[u].nfix; b++, at++) {
        double *x = X + at*n;
        const double *g = (u == t ? p->trace : p->far) + (size_t)b*(size_t)p->m;
        col[at] = f->rigid_from[u] + b;
        for (int k = 0; k < p->m; k++)
          if (u == t || f->owner[f->twin[f->side_from[t] + k]] == u) x[p->dof[k]] += p->sign[k]*g[k];
      }
    }
    memcpy(Y, X, m*n*sizeof(double));
    if (m) tni_floating_solve(&p->floating, (int)m, Y);
    for (size_t a = 0; a < m; a++)
      for (size_t b = 0; b <= a; b++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += X[a*n + i]*Y[b*n + i];
        *entry(w, col[a], col[b]) += w->unit*sum;
        if (a != b) *entry(w, col[b], col[a]) += w->unit*sum;
      }
  }
  bool ok = X && Y && col;
  tni_free(f->ctx, X);
  tni_free(f->ctx, Y);
  tni_free(f->ctx, col);
  return ok ? TN_OK : tni_out_of_memory(f->ctx);
}

static tn_status add_own(tni_feti *f, struct tni_feti_stressed *w) {
  for (int s = f->begin; s < f->end; s++) {
    const tni_feti_piece *p = &f->piece[s];
    TN_TRY(add_domain(f, w, s));
    for (int a = 0; a < p->nfix && p->floating.resist; a++)
      for (int b = 0; b < p->nfix; b++)
        *entry(w, w->n + f->rigid_from[s] + a, w->n + f->rigid_from[s] + b) = -p->floating.resist[a*p->nfix + b]/w->unit;
  }
  return TN_OK;
}

static tn_status begin(tni_feti *f, struct tni_feti_stressed *w) {
  w->n = f->rigid_from[f->d->n];
  TN_TRY(find_near(f, w));
  TN_TRY(make_pattern(f, w));
  TNI_ARENA_NEW(&f->arena, w->x, 2*w->n);
  TNI_ARENA_NEW(&f->arena, w->e, w->n);
  TNI_ARENA_NEW(&f->arena, w->mu, w->n);
  TNI_ARENA_NEW(&f->arena, w->alpha, w->n);
  TNI_ARENA_NEW(&f->arena, w->side, f->nside);
  TNI_ARENA_NEW(&f->arena, w->other, f->nside);
  return TN_OK;
}

tn_status tni_feti_stressed_create(tni_feti *f) {
  const tni_domains *d = f->d;
  struct tni_feti_stressed *w;
  double what[2] = {0, 0}; /* is anything resisted; the unit */
  for (int s = f->begin; s < f->end; s++) {
    what[0] = fmax(what[0], f->piece[s].floating.resist != NULL);
    what[1] = fmax(what[1], tni_domain_size(&d->domain[s]));
  }
  if (d->comm) TN_TRY(tni_comm_max(d->comm, 2, what));
  if (!(what[0] > 0) || !f->coarse) return TN_OK;
  w = tni_arena_alloc(&f->arena, 1, sizeof(*w));
  tn_status st = w ? begin(f, w) : tni_out_of_memory(f->ctx);
  TN_TRY(tni_comm_agree(d->comm, st));
  w->unit = what[1];
  TN_TRY(exchange_traces(f));
  TN_TRY(tni_comm_agree(d->comm, add_own(f, w)));
  if (d->comm) TN_TRY(tni_comm_sum(d->comm, w->ptr[2*w->n], w->value));
  for (int c = 0; c < w->n; c++) /* all ranks have it */
    for (int k = f->rigid_ptr[c]; k < f->rigid_ptr[c + 1]; k++) {
      *entry(w, w->n + f->rigid_ind[k], c) = -f->rigid_value[k];
      *entry(w, f->rigid_ind[k], w->n + c) = -f->rigid_value[k];
    }
  tni_sparse_opts o = {.backend = "mumps", .symmetric = true, .scales = true, .least = 1e-14, .relative = true};
  TN_TRY(tni_sparse_solver_create(f->ctx, 2*w->n, w->ptr, w->ind, &o, &w->factor));
  f->stressed = w;
  int negative = -1, zero = 0;
  st = tni_sparse_solver_factor(w->factor, w->value);
  TN_REQUIRE(f->ctx, st != TN_SINGULAR, TN_SINGULAR, "the whole is not held: motions of the domains together meet no resistance");
  TN_TRY(st);
  w->definite = tni_sparse_solver_inertia(w->factor, &negative, &zero) && negative == w->n;
  return TN_OK;
}

void tni_feti_stressed_destroy(tni_feti *f) {
  if (f->stressed) tni_sparse_solver_destroy(&f->stressed->factor);
}

long tni_feti_stressed_nnz(const tni_feti *f) { return f->stressed ? tni_sparse_solver_nnz(f->stressed->factor) : 0; }

bool tni_feti_stressed_definite(const tni_feti *f) { return !f->stressed || f->stressed->definite; }

/* ---- directions --------------------------------------------------------------------------------------- */

/* [mu, alpha] of right sides in x */
static void solve(struct tni_feti_stressed *w) {
  double root = sqrt(w->unit);
  for (int i = 0; i < w->n; i++) {
    w->x[i] *= root;
    w->x[w->n + i] /= root;
  }
  tni_sparse_solver_solve(w->factor, 1, false, w->x);
  for (int i = 0; i < w->n; i++) {
    w->mu[i] = root*w->x[i];
    w->alpha[i] = w->x[w->n + i]/root;
  }
}

void tni_feti_stressed_load(tni_feti *f) { memcpy(f->stressed->e, f->t, (size_t)f->stressed->n*sizeof(double)); }

void tni_feti_stressed_start(tni_feti *f, const double *jump) {
  struct tni_feti_stressed *w = f->stressed;
  if (!tni_feti_gather_rigid(f, jump)) return;
  for (int i = 0; i < w->n; i++) {
    w->x[i] = f->t[i];
    w->x[w->n + i] = -w->e[i];
  }
  solve(w);
  tni_feti_add_rigid(f, w->mu, 1, f->lambda);
}

void tni_feti_stressed_add_motions(tni_feti *f, double *jump) { tni_feti_add_rigid(f, f->stressed->alpha, 1, jump); }

void tni_feti_stressed_direct(tni_feti *f, double *y, double *q) {
  struct tni_feti_stressed *w = f->stressed;
  tni_feti_multiply(f, y, q);
  if (!tni_feti_gather_rigid(f, q)) return;
  for (int i = 0; i < w->n; i++) w->x[i] = -f->t[i];
  if (!tni_feti_gather_rigid(f, y)) return;
  for (int i = 0; i < w->n; i++) w->x[w->n + i] = f->t[i];
  solve(w);
  memset(w->side + f->low, 0, (size_t)(f->high - f->low)*sizeof(double));
  tni_feti_add_rigid(f, w->mu, 1, w->side);
  tni_feti_multiply(f, w->side, w->other);
  for (int k = f->low; k < f->high; k++) {
    y[k] += w->side[k];
    q[k] += w->other[k];
  }
  tni_feti_add_rigid(f, w->alpha, -1, q);
}
