/* domains/feti.c - domains torn apart and held together by forces: FETI
 *
 * Every force between two copies exists twice, once at either side, with the same bits: B_s^T lambda needs nobody else, and
 * a product with F one exchange between sides. On several ranks every one knows all ties, and works on the sides of its own domains;
 * coarse problems are solved by all alike. Letters: s, t domains, k sides (places in vectors of forces), x, y unknowns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/feti_inner.h"

#include <math.h>

#include "linsolve/lapack.h"
#include "parallel/pool.h"

const char *const tni_ties_names[TNI_NTIES] = {"all", "faces", "chain"};
const char *const tni_feti_names[TNI_NFETI] = {"dirichlet", "lumped", "diagonal", "none"};
const char *const tni_feti_scale_names[TNI_NSCALE] = {"stiffness", "count", "none"};
const char *const tni_feti_primal_names[TNI_NPRIMAL] = {"none", "corners", "means"};
const char *const tni_feti_coarse_names[TNI_NFETI_COARSE] = {"means", "motions"};

static const double FIRST = 1e-8;  /* jumps are made this much smaller at once, more by solving for what is left */
static const double ROUNDED = 1e-14;
static const double NOTHING = 1e-12; /* energy of a direction that is left without means: rounding      */
enum {
  SLAB = 32,     /* directions that get their room together                                            */
  PATIENCE = 40, /* iterations without progress: rounding                                              */
  ROUNDS = 10
};

const int *tni_feti_from(const tni_feti *f) { return f->from; }

/* ---- ties ---------------------------------------------------------------------------------------- */

static bool touch(const tni_domains *d, int s, int t) {
  int low = 0, high = d->npair - 1;
  while (low <= high) {
    int mid = (low + high)/2;
    const int *p = d->pair + 2*mid;
    if (p[0] == s && p[1] == t) return true;
    if (p[0] < s || (p[0] == s && p[1] < t)) low = mid + 1;
    else high = mid - 1;
  }
  return false;
}

/* is the a-th domain of an unknown tied to its b-th, a < b? */
static bool tied(const tni_feti *f, const tni_side *side, int a, int b) {
  if (f->o.primal != TNI_PRIMAL_NONE && tni_feti_is_corner(f, side[a].domain, f->border[side[a].domain].b[side[a].at])) return false;
  if (f->o.ties == TNI_TIES_ALL) return true;
  if (f->o.ties == TNI_TIES_CHAIN) return b == a + 1;
  return touch(f->d, side[a].domain, side[b].domain);
}

/* sides of a domain: by unknown of the border, then by the other domain, both ascending */
static tn_status make_ties(tni_feti *f) {
  const tni_domains *d = f->d;
  for (int pass = 0; pass < 2; pass++) {
    for (int s = 0; s < d->n; s++) {
      tni_feti_piece *p = &f->piece[s];
      const tni_border *o = &f->border[s];
      int m = 0;
      for (int k = 0; k < o->nb; k++) {
        const tni_side *side = o->side + o->from[k];
        int n = o->from[k + 1] - o->from[k], me = 0;
        while (side[me].domain != s) me++;
        for (int b = 0; b < n; b++) {
          if (b == me || !tied(f, side, b < me ? b : me, b < me ? me : b)) continue;
          if (pass) {
            p->dof[m] = o->b[k];
            p->place[m] = k;
            p->sign[m] = b > me ? 1 : -1;
            f->owner[f->side_from[s] + m] = s;
          }
          m++;
        }
      }
      p->m = m;
      if (!pass) {
        TNI_ARENA_NEW(&f->arena, p->dof, m);
        TNI_ARENA_NEW(&f->arena, p->place, m);
        TNI_ARENA_NEW(&f->arena, p->sign, m);
        TNI_ARENA_NEW(&f->arena, p->weight, m);
        f->side_from[s + 1] = f->side_from[s] + m;
      }
    }
    if (pass) break;
    f->nside = f->side_from[d->n];
    TNI_ARENA_NEW(&f->arena, f->twin, f->nside);
    TNI_ARENA_NEW(&f->arena, f->owner, f->nside);
  }
  return TN_OK;
}

/* place of the first side of every unknown of a border, so that twins find each other */
static tn_status find_twins(tni_feti *f) {
  const tni_domains *d = f->d;
  int *first;
  TNI_ARENA_NEW(&f->arena, f->first, f->border_from[d->n] + 1);
  first = f->first;
  for (int s = 0, at = 0; s < d->n; s++) {
    int m = 0;
    for (int k = 0; k < f->border[s].nb; k++) {
      first[at++] = f->side_from[s] + m;
      while (m < f->piece[s].m && f->piece[s].place[m] == k) m++;
    }
  }
  for (int s = 0; s < d->n; s++) {
    const tni_border *o = &f->border[s];
    for (int k = 0, m = 0; k < o->nb; k++) {
      const tni_side *side = o->side + o->from[k];
      int n = o->from[k + 1] - o->from[k], me = 0;
      while (side[me].domain != s) me++;
      for (int b = 0; b < n; b++) {
        if (b == me || !tied(f, side, b < me ? b : me, b < me ? me : b)) continue;
        /* where I am in the list of the other */
        int at = first[f->border_from[side[b].domain] + side[b].at], count = 0;
        for (int c = 0; c < me; c++) count += c != b && tied(f, side, b < c ? b : c, b < c ? c : b);
        f->twin[f->side_from[s] + m++] = at + count;
      }
    }
  }
  return TN_OK;
}

/* sides whose twins are on other ranks: the other needs my number, I need the other's, both in the order of the side of the rank that sends */
static tn_status make_halo(tni_feti *f) {
  const tni_domains *d = f->d;
  tni_comm *c = d->comm;
  if (!c) return TN_OK;
  int *of, *list[4], n[2];
  TNI_ARENA_NEW(&f->arena, f->halo, 1);
  TNI_ARENA_NEW(&f->arena, of, d->n);
  for (int r = 0; r < c->size; r++)
    for (int s = d->rank_from[r]; s < d->rank_from[r + 1]; s++) of[s] = r;
  for (int pass = 0; pass < 2; pass++) {
    n[0] = n[1] = 0;
    for (int k = 0; k < f->nside; k++) {
      int mine = of[f->owner[k]], other = of[f->owner[f->twin[k]]];
      if (mine == other || (mine != c->rank && other != c->rank)) continue;
      int way = mine == c->rank ? 0 : 1;
      if (pass) {
        list[2*way][n[way]] = way ? mine : other;
        list[2*way + 1][n[way]] = k;
      }
      n[way]++;
    }
    if (pass) break;
    for (int i = 0; i < 4; i++) TNI_ARENA_NEW(&f->arena, list[i], n[i/2] + 1);
  }
  return tni_halo_create(c, &f->arena, n[0], list[0], list[1], n[1], list[2], list[3], f->halo);
}

static double diagonal_of(const tni_domain *d, int j) {
  for (int p = d->ptr[j]; p < d->ptr[j + 1]; p++)
    if (d->ind[p] == j) return d->value[p];
  return 0;
}

/* every side gets its own and its twin's number, the lower domain's first: both have the same bits */
void tni_feti_add_twins(const tni_feti *f, double *sum) {
  double *own = f->own;
  if (f->halo && tni_halo_exchange(f->halo, own) != TN_OK) return;
  for (int k = f->low; k < f->high; k++) {
    int t = f->twin[k];
    sum[k] = k < t ? own[k] + own[t] : own[t] + own[k];
  }
}

/* weights of the preconditioner */
static void weigh(tni_feti *f) {
  const tni_domains *d = f->d;
  /* stiffness of a copy: the diagonal of its domain */
  double *diagonal = f->fborder;
  for (int s = f->begin; s < f->end; s++)
    for (int k = 0; k < f->border[s].nb; k++)
      diagonal[f->border_from[s] + k] = f->o.scale == TNI_FETI_SCALE_STIFFNESS ? diagonal_of(&d->domain[s], f->border[s].b[k]) : 1;
  tni_borders_sum(d, f->border, f->border_from, diagonal, f->sborder);
  for (int s = f->begin; s < f->end; s++) {
    tni_feti_piece *p = &f->piece[s];
    const tni_border *o = &f->border[s];
    for (int k = 0, m = 0; k < o->nb; k++) {
      const tni_side *side = o->side + o->from[k];
      int n = o->from[k + 1] - o->from[k], me = 0;
      while (side[me].domain != s) me++;
      for (int b = 0; b < n; b++) {
        if (b == me || !tied(f, side, b < me ? b : me, b < me ? me : b)) continue;
        int other = f->border_from[side[b].domain] + side[b].at;
        p->weight[m] = f->o.scale == TNI_FETI_SCALE_NONE ? 1 : diagonal[other]/f->sborder[f->border_from[s] + k];
        m++;
      }
    }
  }
}

/* ---- factors -------------------------------------------------------------------------------------- */

static tn_status factor_domain(tni_feti *f, int s) {
  tni_feti_piece *p = &f->piece[s];
  tni_floating_opts o = {.mechanisms = true, .stressed = f->o.stressed};
  TN_TRY(tni_floating_create(f->ctx, &f->d->domain[s], s, &o, &f->arena, &p->floating));
  p->nfix = p->floating.nrigid;
  return TN_OK;
}

static tn_status split_domain(tni_feti *f, int s, int *scratch) {
  if (f->o.preconditioner == TNI_FETI_NONE) return TN_OK;
  tni_inside_what what = f->o.preconditioner == TNI_FETI_DIRICHLET ? TNI_INSIDE_ALL : TNI_INSIDE_BORDER;
  return tni_inside_create(f->ctx, &f->d->domain[s], &f->border[s], s, what, false, scratch, &f->arena, &f->piece[s].inside);
}

/* ---- coarse problem ---------------------------------------------------------------------------------- */

/* G^T G: domains that are tied have a block */
static tn_status make_coarse(tni_feti *f) {
  const tni_domains *d = f->d;
  int nr = f->rigid_from[d->n], *seen, *list;
  if (!nr) return TN_OK;
  TNI_ARENA_NEW(&f->arena, seen, d->n);
  TNI_ARENA_NEW(&f->arena, list, d->n);
  TNI_ARENA_NEW(&f->arena, f->rigid_ptr, nr + 1);
  for (int pass = 0; pass < 2; pass++) {
    for (int s = 0; s < d->n; s++) seen[s] = -1;
    for (int s = 0; s < d->n; s++) {
      tni_feti_piece *p = &f->piece[s];
      if (!p->nfix) continue;
      int n = 0, rows = 0;
      seen[s] = s;
      list[n++] = s;
      for (int k = 0; k < p->m; k++) {
        int t = f->owner[f->twin[f->side_from[s] + k]];
        if (seen[t] == s) continue;
        seen[t] = s;
        list[n++] = t;
      }
      for (int i = 1; i < n; i++) /* ascending; neighbours are few */
        for (int j = i; j > 0 && list[j] < list[j-1]; j--) {
          int keep = list[j];
          list[j] = list[j-1];
          list[j-1] = keep;
        }
      for (int i = 0; i < n; i++) rows += f->piece[list[i]].nfix;
      for (int a = 0; a < p->nfix; a++) {
        int col = f->rigid_from[s] + a;
        if (!pass) {
          f->rigid_ptr[col + 1] = rows;
          continue;
        }
        int at = f->rigid_ptr[col];
        for (int i = 0; i < n; i++)
          for (int b = 0; b < f->piece[list[i]].nfix; b++) f->rigid_ind[at++] = f->rigid_from[list[i]] + b;
      }
    }
    if (pass) break;
    for (int c = 0; c < nr; c++) f->rigid_ptr[c + 1] += f->rigid_ptr[c];
    TNI_ARENA_NEW(&f->arena, f->rigid_ind, f->rigid_ptr[nr]);
    TNI_ARENA_NEW(&f->arena, f->rigid_value, f->rigid_ptr[nr]);
  }
  int most = 0;
  for (int s = 0; s < d->n; s++) most = f->piece[s].nfix > most ? f->piece[s].nfix : most;
  for (int b = 0; b < most; b++) { /* the b-th motion of everybody, at both sides of all ties */
    for (int s = f->begin; s < f->end; s++)
      for (int k = 0; k < f->piece[s].m; k++)
        f->own[f->side_from[s] + k] = b < f->piece[s].nfix ? f->piece[s].trace[(size_t)b*(size_t)f->piece[s].m + (size_t)k] : 0;
    if (f->halo) TN_TRY(tni_halo_exchange(f->halo, f->own));
    for (int s = f->begin; s < f->end; s++) {
      tni_feti_piece *p = &f->piece[s];
      for (int a = 0; a < p->nfix; a++) {
        int col = f->rigid_from[s] + a;
        for (int e = f->rigid_ptr[col], t = 0; e < f->rigid_ptr[col + 1]; e++) {
          while (f->rigid_from[t + 1] <= f->rigid_ind[e]) t++;
          if (f->rigid_ind[e] != f->rigid_from[t] + b) continue;
          double sum = 0;
          for (int k = 0; k < p->m; k++) {
            double mine = p->trace[(size_t)a*(size_t)p->m + (size_t)k];
            int twin = f->twin[f->side_from[s] + k];
            if (t == s) sum += mine*p->trace[(size_t)b*(size_t)p->m + (size_t)k];
            else if (f->owner[twin] == t) sum += mine*f->own[twin];
          }
          f->rigid_value[e] = sum;
        }
      }
    }
  }
  if (d->comm) TN_TRY(tni_comm_sum(d->comm, f->rigid_ptr[nr], f->rigid_value)); /* columns of one rank each: nothing is rounded */
  tni_sparse_opts o = {.symmetric = true, .scales = true, .least = 1e-12, .relative = true};
  TN_TRY(tni_sparse_solver_create(f->ctx, nr, f->rigid_ptr, f->rigid_ind, &o, &f->coarse));
  tn_status st = tni_sparse_solver_factor(f->coarse, f->rigid_value);
  int negative = 0, zero = 0;
  if (st == TN_SINGULAR || (st == TN_OK && tni_sparse_solver_inertia(f->coarse, &negative, &zero) && zero > 0))
    return TN_FAIL(f->ctx, TN_SINGULAR, "the whole is not held: motions of the domains together meet no resistance");
  return st;
}

/* ---- set-up -------------------------------------------------------------------------------------------- */

/* what needs nobody else */
static tn_status set_up_own(tni_feti *f) {
  const tni_domains *d = f->d;
  TN_TRY(tni_borders_create(d, &f->arena, &f->border));
  TNI_ARENA_NEW(&f->arena, f->piece, d->n);
  TNI_ARENA_NEW(&f->arena, f->from, d->n + 1);
  TNI_ARENA_NEW(&f->arena, f->side_from, d->n + 1);
  TNI_ARENA_NEW(&f->arena, f->rigid_from, d->n + 1);
  TNI_ARENA_NEW(&f->arena, f->border_from, d->n + 1);
  TNI_ARENA_NEW(&f->arena, f->partial, d->n);
  int most = 0;
  for (int s = 0; s < d->n; s++) {
    f->from[s + 1] = f->from[s] + d->domain[s].n;
    f->border_from[s + 1] = f->border_from[s] + f->border[s].nb;
    if (d->domain[s].n > most) most = d->domain[s].n;
    if (s < f->begin || s >= f->end) continue;
    TNI_ARENA_NEW(&f->arena, f->piece[s].x, d->domain[s].n);
    TNI_ARENA_NEW(&f->arena, f->piece[s].y, 2*f->border[s].nb);
  }
  TNI_ARENA_NEW(&f->arena, f->fborder, f->border_from[d->n]);
  TNI_ARENA_NEW(&f->arena, f->sborder, f->border_from[d->n]);
  TNI_ARENA_NEW(&f->arena, f->u, f->from[d->n]);
  TNI_ARENA_NEW(&f->arena, f->rest, f->from[d->n]);
  TNI_ARENA_NEW(&f->arena, f->change, f->from[d->n]);
  if (f->o.primal != TNI_PRIMAL_NONE) TN_TRY(tni_feti_hold_together(f));
  TN_TRY(make_ties(f));
  TN_TRY(find_twins(f));
  int *scratch;
  TNI_ARENA_NEW(&f->arena, scratch, most);
  for (int i = 0; i < most; i++) scratch[i] = -1;
  f->low = f->side_from[f->begin];
  f->high = f->side_from[f->end];
  for (int s = f->begin; s < f->end; s++) {
    tni_feti_piece *p = &f->piece[s];
    if (f->o.primal == TNI_PRIMAL_NONE) {
      TN_TRY(factor_domain(f, s));
    }
    TN_TRY(split_domain(f, s, scratch));
    TNI_ARENA_NEW(&f->arena, p->trace, (size_t)p->nfix*(size_t)p->m);
    for (int a = 0; a < p->nfix; a++)
      for (int k = 0; k < p->m; k++)
        p->trace[(size_t)a*(size_t)p->m + (size_t)k] = p->sign[k]*p->floating.rigid[(size_t)a*(size_t)d->domain[s].n + (size_t)p->dof[k]];
  }
  double **side[] = {&f->lambda, &f->r, &f->w, &f->y, &f->p, &f->q, &f->own};
  for (int i = 0; i < TNI_COUNT(side); i++) TNI_ARENA_NEW(&f->arena, *side[i], f->nside);
  TNI_ARENA_NEW(&f->arena, f->gamma, f->o.most + 2);
  TNI_ARENA_NEW(&f->arena, f->beta, f->o.most + 2);
  f->slab_room = f->o.most/SLAB + 2;
  TNI_ARENA_NEW(&f->arena, f->slab, f->slab_room);
  TNI_ARENA_NEW(&f->arena, f->kept_pq, f->slab_room*SLAB);
  if (d->comm) TNI_ARENA_NEW(&f->arena, f->many, (size_t)f->slab_room*SLAB*(size_t)d->n);
  return make_halo(f);
}

/* what all ranks do together */
static tn_status set_up_together(tni_feti *f) {
  const tni_domains *d = f->d;
  weigh(f);
  for (int s = 0; s < d->n; s++) f->partial[s] = f->piece[s].floating.nextra;
  f->extra = (int)tni_domains_sum(d, f->partial);
  for (int s = 0; s < d->n; s++) f->partial[s] = f->piece[s].nfix;
  tni_domains_sum(d, f->partial);
  TN_TRY(tni_domains_trouble(d));
  for (int s = 0; s < d->n; s++) {
    f->piece[s].nfix = (int)f->partial[s];
    f->rigid_from[s + 1] = f->rigid_from[s] + f->piece[s].nfix;
  }
  TNI_ARENA_NEW(&f->arena, f->t, f->rigid_from[d->n] + 1);
  if (f->o.primal != TNI_PRIMAL_NONE) TN_TRY(tni_feti_make_primal(f));
  TN_TRY(make_coarse(f));
  if (f->o.stressed && f->o.primal == TNI_PRIMAL_NONE) TN_TRY(tni_feti_stressed_create(f));
  return tni_feti_means_create(f);
}

tn_status tni_feti_create(const tni_domains *d, const tni_feti_opts *opts, tni_feti **out) {
  *out = NULL;
  tni_feti *f = tni_alloc(d->ctx, 1, sizeof(*f));
  if (!f) return tni_out_of_memory(d->ctx);
  f->d = d;
  f->ctx = d->ctx;
  f->o = *opts;
  if (f->o.most <= 0) f->o.most = 2000;
  if (!(f->o.tolerance > 0)) f->o.tolerance = 1e-10;
  tni_arena_init(&f->arena, d->ctx);
  f->begin = tni_domains_begin(d);
  f->end = tni_domains_end(d);
  tn_status st = tni_comm_agree(d->comm, set_up_own(f));
  if (st == TN_OK) st = set_up_together(f);
  if (st != TN_OK) tni_feti_destroy(&f);
  *out = f;
  return st;
}

void tni_feti_destroy(tni_feti **out) {
  tni_feti *f = out ? *out : NULL;
  if (!f) return;
  for (int s = 0; f->piece && s < f->d->n; s++) {
    tni_floating_destroy(&f->piece[s].floating);
    tni_sparse_solver_destroy(&f->piece[s].factor);
    tni_inside_destroy(&f->piece[s].inside);
  }
  tni_sparse_solver_destroy(&f->coarse);
  tni_sparse_solver_destroy(&f->primal);
  tni_feti_stressed_destroy(f);
  tni_feti_means_destroy(f);
  tni_arena_clear(&f->arena);
  tni_free(f->ctx, f);
  *out = NULL;
}

static size_t own_bytes(const tni_feti *f) { return (size_t)(f->high - f->low)*sizeof(double); }

/* ---- products ---------------------------------------------------------------------------------------------- */

static double dot_part(const tni_feti *f, int s, const double *a, const double *b) {
  double part = 0;
  for (int k = f->side_from[s]; k < f->side_from[s + 1]; k++) part += a[k]*b[k];
  return part;
}

/* each force is at two sides */
static double dot(tni_feti *f, const double *a, const double *b) {
  for (int s = f->begin; s < f->end; s++) f->partial[s] = dot_part(f, s, a, b);
  return tni_domains_sum(f->d, f->partial)/2;
}

static void multiply_some(void *user, int begin, int end) {
  tni_feti *f = user;
  for (int s = f->begin + begin; s < f->begin + end; s++) {
    tni_feti_piece *p = &f->piece[s];
    const double *in = f->in + f->side_from[s];
    double *out = f->own + f->side_from[s];
    memset(p->x, 0, (size_t)f->d->domain[s].n*sizeof(double));
    for (int k = 0; k < p->m; k++) p->x[p->dof[k]] += p->sign[k]*in[k];
    if (f->o.primal != TNI_PRIMAL_NONE) continue;
    tni_floating_solve(&p->floating, 1, p->x);
    for (int k = 0; k < p->m; k++) out[k] = p->sign[k]*p->x[p->dof[k]];
  }
}

static double *own_part(tni_feti *f, int s) { return f->piece[s].x; }
static double *part_of_u(tni_feti *f, int s) { return f->u + f->from[s]; }

void tni_feti_multiply_own(tni_feti *f, const double *p) {
  f->in = p;
  tni_parallel_for(f->ctx, f->end - f->begin, 1, multiply_some, f);
  if (f->o.primal != TNI_PRIMAL_NONE) {
    tni_feti_solve_together(f, own_part);
    for (int s = f->begin; s < f->end; s++)
      for (int k = 0; k < f->piece[s].m; k++)
        f->own[f->side_from[s] + k] = f->piece[s].sign[k]*f->piece[s].x[f->piece[s].dof[k]];
  }
}

void tni_feti_multiply(tni_feti *f, const double *p, double *q) {
  tni_feti_multiply_own(f, p);
  tni_feti_add_twins(f, q);
}

static void precondition_some(void *user, int begin, int end) {
  tni_feti *f = user;
  for (int s = f->begin + begin; s < f->begin + end; s++) {
    tni_feti_piece *p = &f->piece[s];
    const tni_border *o = &f->border[s];
    const double *in = f->in + f->side_from[s];
    double *out = f->own + f->side_from[s], *x = p->y, *y = p->y + o->nb;
    memset(x, 0, (size_t)o->nb*sizeof(double));
    for (int k = 0; k < p->m; k++) x[p->place[k]] += p->sign[k]*p->weight[k]*in[k];
    if (f->o.preconditioner == TNI_FETI_DIAGONAL) {
      for (int j = 0; j < o->nb; j++) y[j] = diagonal_of(&f->d->domain[s], o->b[j])*x[j];
    } else {
      tni_inside_multiply(&p->inside, x, y);
    }
    for (int k = 0; k < p->m; k++) out[k] = p->sign[k]*p->weight[k]*y[p->place[k]];
  }
}

/* y = M w */
static void precondition(tni_feti *f, const double *w, double *y) {
  if (f->o.preconditioner == TNI_FETI_NONE) {
    memcpy(y + f->low, w + f->low, own_bytes(f));
    return;
  }
  f->in = w;
  tni_parallel_for(f->ctx, f->end - f->begin, 1, precondition_some, f);
  tni_feti_add_twins(f, y);
}

void tni_feti_add_rigid(tni_feti *f, const double *a, double c, double *v) {
  for (int s = f->begin; s < f->end; s++) {
    tni_feti_piece *p = &f->piece[s];
    double *own = f->own + f->side_from[s];
    for (int k = 0; k < p->m; k++) own[k] = 0;
    for (int b = 0; b < p->nfix; b++) {
      double x = a[f->rigid_from[s] + b];
      const double *trace = p->trace + (size_t)b*(size_t)p->m;
      for (int k = 0; k < p->m; k++) own[k] += x*trace[k];
    }
  }
  if (f->halo && tni_halo_exchange(f->halo, f->own) != TN_OK) return;
  for (int k = f->low; k < f->high; k++) {
    int t = f->twin[k];
    v[k] += c*(k < t ? f->own[k] + f->own[t] : f->own[t] + f->own[k]);
  }
}

/* t, of this rank's domains, := t of all */
static bool share_rigid(tni_feti *f) {
  int n = f->rigid_from[f->d->n];
  if (!f->d->comm) return true;
  for (int i = 0; i < n; i++)
    if (i < f->rigid_from[f->begin] || i >= f->rigid_from[f->end]) f->t[i] = 0;
  return tni_comm_sum(f->d->comm, n, f->t) == TN_OK;
}

bool tni_feti_gather_rigid(tni_feti *f, const double *v) {
  for (int s = f->begin; s < f->end; s++) {
    tni_feti_piece *p = &f->piece[s];
    for (int b = 0; b < p->nfix; b++) {
      double sum = 0;
      const double *trace = p->trace + (size_t)b*(size_t)p->m;
      for (int k = 0; k < p->m; k++) sum += trace[k]*v[f->side_from[s] + k];
      f->t[f->rigid_from[s] + b] = sum;
    }
  }
  return share_rigid(f);
}

/* t = (G^T G)^-1 G^T v */
static void find_rigid(tni_feti *f, const double *v) {
  if (tni_feti_gather_rigid(f, v)) tni_sparse_solver_solve(f->coarse, 1, false, f->t);
}

static void project(tni_feti *f, double *v) {
  if (f->means) tni_feti_means_project(f, v);
  if (f->means || !f->coarse) return;
  find_rigid(f, v);
  tni_feti_add_rigid(f, f->t, -1, v);
}

/* ---- start and end of a right side -------------------------------------------------------------------------- */

/* f->u = K^+ (f - B^T lambda), without rigid motions */
static void deform(tni_feti *f, const double *force) {
  double *u = f->u;
  for (int s = f->begin; s < f->end; s++) {
    tni_feti_piece *p = &f->piece[s];
    double *x = u + f->from[s];
    memcpy(x, force + f->from[s], (size_t)f->d->domain[s].n*sizeof(double));
    for (int k = 0; k < p->m; k++) x[p->dof[k]] -= p->sign[k]*f->lambda[f->side_from[s] + k];
    if (f->o.primal == TNI_PRIMAL_NONE) tni_floating_solve(&p->floating, 1, x);
  }
  if (f->o.primal != TNI_PRIMAL_NONE) tni_feti_solve_together(f, part_of_u);
}

static void find_jump(tni_feti *f, const double *u, double *r) {
  for (int s = f->begin; s < f->end; s++)
    for (int k = 0; k < f->piece[s].m; k++)
      f->own[f->side_from[s] + k] = f->piece[s].sign[k]*u[f->from[s] + f->piece[s].dof[k]];
  tni_feti_add_twins(f, r);
}

/* copies get their mean, weighted by stiffness where that is the scale */
static void average(tni_feti *f, double *u) {
  for (int s = f->begin; s < f->end; s++)
    for (int k = 0; k < f->border[s].nb; k++)
      f->fborder[f->border_from[s] + k] = f->o.scale == TNI_FETI_SCALE_STIFFNESS ? diagonal_of(&f->d->domain[s], f->border[s].b[k]) : 1;
  tni_borders_sum(f->d, f->border, f->border_from, f->fborder, f->sborder);
  for (int s = f->begin; s < f->end; s++)
    for (int k = 0; k < f->border[s].nb; k++)
      f->fborder[f->border_from[s] + k] *= u[f->from[s] + f->border[s].b[k]]/f->sborder[f->border_from[s] + k];
  tni_borders_sum(f->d, f->border, f->border_from, f->fborder, f->sborder);
  for (int s = f->begin; s < f->end; s++)
    for (int k = 0; k < f->border[s].nb; k++) u[f->from[s] + f->border[s].b[k]] = f->sborder[f->border_from[s] + k];
}

static void recover(tni_feti *f, double *u) {
  double *jump = f->r;
  deform(f, f->force);
  if (f->stressed) find_jump(f, f->u, jump = f->y); /* r has what the motions do to it */
  memcpy(u + f->from[f->begin], f->u + f->from[f->begin], (size_t)(f->from[f->end] - f->from[f->begin])*sizeof(double));
  if (f->coarse) {
    find_rigid(f, jump);
    for (int s = f->begin; s < f->end; s++)
      for (int b = 0; b < f->piece[s].nfix; b++) {
        double a = -f->t[f->rigid_from[s] + b];
        const double *rigid = f->piece[s].floating.rigid + (size_t)b*(size_t)f->d->domain[s].n;
        for (int i = 0; i < f->d->domain[s].n; i++) u[f->from[s] + i] += a*rigid[i];
      }
  }
  average(f, u);
}

void tni_feti_look(tni_feti *f, double *u) { recover(f, u); }

/* ---- the iteration --------------------------------------------------------------------------------------------- */

/* of this rank's sides only: side k is at k - low */
static double *direction(const tni_feti *f, int i, int which) {
  return f->slab[i/SLAB] + ((size_t)(i % SLAB)*2 + (size_t)which)*(size_t)(f->high - f->low);
}

/* share of a domain in a.direction */
static double kept_part(const tni_feti *f, int s, const double *a, const double *kept) {
  double part = 0;
  for (int k = f->side_from[s]; k < f->side_from[s + 1]; k++) part += a[k]*kept[k - f->low];
  return part;
}


/* room is made here, a slab at a time; without it directions are forgotten from then on */
static bool keep(tni_feti *f, const double *p, const double *q, double pq) {
  if (f->nkept == f->nslab*SLAB) {
    if (f->nslab == f->slab_room) return false;
    double *slab = tni_arena_alloc(&f->arena, (size_t)SLAB*2*(size_t)(f->high - f->low) + 1, sizeof(double));
    if (!slab) return false;
    f->slab[f->nslab++] = slab;
  }
  memcpy(direction(f, f->nkept, 0), p + f->low, own_bytes(f));
  memcpy(direction(f, f->nkept, 1), q + f->low, own_bytes(f));
  f->kept_pq[f->nkept++] = pq;
  return true;
}

/* lambda0: forces that balance the floating domains, and what directions of earlier right sides say. noise: jumps that are
 * rounding of displacements. Where domains only move along, as with a body that carries the structure, no others are there. */
static double start(tni_feti *f, const double *force, double *noise) {
  memset(f->lambda + f->low, 0, own_bytes(f));
  *noise = 0;
  if (f->coarse) {
    for (int s = f->begin; s < f->end; s++)
      for (int b = 0; b < f->piece[s].nfix; b++) {
        const double *rigid = f->piece[s].floating.rigid + (size_t)b*(size_t)f->d->domain[s].n;
        double sum = 0;
        for (int i = 0; i < f->d->domain[s].n; i++) sum += rigid[i]*force[f->from[s] + i];
        f->t[f->rigid_from[s] + b] = sum;
      }
    if (!share_rigid(f)) return 0;
    if (f->stressed) {
      tni_feti_stressed_load(f);
      deform(f, force);
      find_jump(f, f->u, f->r);
      tni_feti_stressed_start(f, f->r);
    } else {
      tni_sparse_solver_solve(f->coarse, 1, false, f->t);
      tni_feti_add_rigid(f, f->t, 1, f->lambda);
    }
  }
  deform(f, force);
  find_jump(f, f->u, f->r);
  *noise = ROUNDED*sqrt(dot(f, f->own, f->own)); /* the two sides of every jump */
  if (f->stressed) tni_feti_stressed_add_motions(f, f->r);
  if (f->means) tni_feti_means_start(f);
  memcpy(f->w + f->low, f->r + f->low, own_bytes(f));
  project(f, f->w);
  double first = sqrt(dot(f, f->w, f->w));
  for (int i = 0; i < f->nkept; i++) {
    const double *p = direction(f, i, 0), *q = direction(f, i, 1);
    for (int s = f->begin; s < f->end; s++) f->partial[s] = kept_part(f, s, f->r, p);
    double c = tni_domains_sum(f->d, f->partial)/2/f->kept_pq[i];
    for (int k = f->low; k < f->high; k++) f->lambda[k] += c*p[k - f->low], f->r[k] -= c*q[k - f->low];
  }
  return first;
}

/* extreme eigenvalues of the tridiagonal matrix that n steps of the recurrence have shown */
static void ritz(tni_feti *f, int n, double *least, double *largest) {
  *least = *largest = 0;
  if (n < 1) return;
  double *T = tni_doubles(f->ctx, (size_t)n*(size_t)n), *value = tni_doubles(f->ctx, (size_t)n);
  int lwork = 4*n + 64;
  double *work = tni_doubles(f->ctx, (size_t)lwork);
  if (T && value && work) {
    for (int i = 0; i < n; i++) {
      T[(size_t)i*(size_t)n + (size_t)i] = 1/f->gamma[i] + (i ? f->beta[i]/f->gamma[i-1] : 0);
      if (i + 1 < n) T[(size_t)i*(size_t)n + (size_t)i + 1] = T[(size_t)(i + 1)*(size_t)n + (size_t)i] = sqrt(fmax(0, f->beta[i+1]))/f->gamma[i];
    }
    if (tni_syev('N', 'L', n, T, n, value, work, lwork) == 0) *least = value[0], *largest = value[n-1];
  }
  tni_free(f->ctx, T);
  tni_free(f->ctx, value);
  tni_free(f->ctx, work);
}

static void describe(tni_feti *f, tni_feti_report *rep) {
  const tni_domains *d = f->d;
  rep->multipliers = f->nside/2;
  rep->rigid = f->rigid_from[d->n];
  rep->extra = f->extra;
  rep->most_ties = rep->most_shares = 0;
  rep->mean_ties = rep->mean_shares = 0;
  rep->nnz = f->coarse ? tni_sparse_solver_nnz(f->coarse) : 0;
  int exchanges = f->o.preconditioner == TNI_FETI_NONE ? 1 : 2;
  rep->messages = 0;
  for (int s = 0; s < d->n; s++) {
    tni_feti_piece *p = &f->piece[s];
    int ties = 0;
    /* sides lie by unknown, not by neighbour: domains are marked by the sum of what they did before */
    for (int t = 0; t < d->n; t++) f->partial[t] = 0;
    for (int k = 0; k < p->m; k++) {
      int t = f->owner[f->twin[f->side_from[s] + k]];
      ties += f->partial[t] == 0;
      f->partial[t] = 1;
    }
    if (ties > rep->most_ties) rep->most_ties = ties;
    if (f->border[s].nneighbour > rep->most_shares) rep->most_shares = f->border[s].nneighbour;
    rep->mean_ties += (double)ties/d->n;
    rep->mean_shares += (double)f->border[s].nneighbour/d->n;
    rep->messages += (long)exchanges*ties;
    if (p->floating.factor) rep->nnz += tni_sparse_solver_nnz(p->floating.factor);
    if (p->factor) rep->nnz += tni_sparse_solver_nnz(p->factor);
    if (p->inside.factor) rep->nnz += tni_sparse_solver_nnz(p->inside.factor);
  }
  rep->bytes = (long)exchanges*f->nside*(long)sizeof(double);
  rep->primal = f->nprimal;
  if (f->primal) rep->nnz += tni_sparse_solver_nnz(f->primal);
  rep->nnz += tni_feti_stressed_nnz(f) + tni_feti_means_nnz(f);
  rep->means = tni_feti_means_count(f);
  rep->nnz_most = rep->nnz;
  tni_domains_count(d, &rep->nnz, &rep->nnz_most);
  rep->reductions = 2 + (f->coarse ? 2 : f->primal ? 1 : 0);
}

/* p := y without the directions that are kept; their products in one message. Under stress q is A y, and becomes A p. */
static void take_out_kept(tni_feti *f) {
  int n = f->d->n;
  memcpy(f->p + f->low, f->y + f->low, own_bytes(f));
  if (f->d->comm) {
    memset(f->many, 0, (size_t)f->nkept*(size_t)n*sizeof(double));
    for (int i = 0; i < f->nkept; i++)
      for (int s = f->begin; s < f->end; s++) f->many[(size_t)i*(size_t)n + (size_t)s] = kept_part(f, s, f->y, direction(f, i, 1));
    if (tni_comm_sum(f->d->comm, f->nkept*n, f->many) != TN_OK) return;
  }
  for (int i = 0; i < f->nkept; i++) {
    const double *p = direction(f, i, 0);
    double sum = 0;
    for (int s = 0; s < n; s++) sum += f->d->comm ? f->many[(size_t)i*(size_t)n + (size_t)s] : kept_part(f, s, f->y, direction(f, i, 1));
    double c = sum/2/f->kept_pq[i];
    for (int k = f->low; k < f->high; k++) f->p[k] -= c*p[k - f->low];
    if (!f->stressed && !f->means) continue;
    const double *q = direction(f, i, 1);
    for (int k = f->low; k < f->high; k++) f->q[k] -= c*q[k - f->low];
  }
}

/* One right side until the jumps are `target` of what they were, or do not get smaller any more; u of it. */
static void iterate(tni_feti *f, const double *force, double target, double *u, tni_feti_report *rep, bool *stopped) {
  f->force = force;
  double noise, first = start(f, force, &noise), energy = 0, yw = 0, before, best = HUGE_VAL;
  int since = 0, began = rep->iterations;
  if (!(first > 0)) first = 1;
  for (;;) {
    int it = rep->iterations - began;
    memcpy(f->w + f->low, f->r + f->low, own_bytes(f));
    project(f, f->w);
    rep->jump = sqrt(dot(f, f->w, f->w))/first;
    if (f->o.watch && !f->o.watch(f->o.user, f, rep->iterations, rep->jump)) *stopped = true;
    since = rep->jump < 0.9*best ? 0 : since + 1;
    best = fmin(best, rep->jump);
    if (tni_domains_trouble(f->d) != TN_OK) return;
    if (*stopped || !(rep->jump > target) || !(rep->jump*first > noise) || since > PATIENCE || rep->iterations == f->o.most) break;
    precondition(f, f->w, f->y);
    if (f->stressed) tni_feti_stressed_direct(f, f->y, f->q);
    else if (f->means) energy = tni_feti_means_direct(f, f->y, f->q);
    else project(f, f->y);
    before = yw;
    yw = dot(f, f->y, f->w);
    double beta = it && before > 0 ? yw/before : 0;
    if (f->o.forget && !f->stressed) {
      for (int k = f->low; k < f->high; k++) f->p[k] = f->y[k] + (it ? beta*f->p[k] : 0);
    } else {
      take_out_kept(f);
    }
    if (!f->stressed && !f->means) tni_feti_multiply(f, f->p, f->q);
    double pq = dot(f, f->p, f->q), gamma = dot(f, f->p, f->w)/pq;
    if (pq < 0) rep->indefinite = true;
    if (!(pq > NOTHING*energy) || !isfinite(gamma)) break; /* nothing is left in this direction */
    f->gamma[rep->iterations] = gamma;
    f->beta[rep->iterations] = beta;
    for (int k = f->low; k < f->high; k++) f->lambda[k] += gamma*f->p[k], f->r[k] -= gamma*f->q[k];
    if ((f->stressed || !f->o.forget) && !keep(f, f->p, f->q, pq)) f->nkept = 0; /* out of room: begin again */
    rep->iterations++;
  }
  if (!began) ritz(f, rep->iterations, &rep->least, &rep->largest);
  recover(f, u);
}

/* what is left of the forces, in pieces: a border unknown's share by stiffness or count */
static void leave_rest(tni_feti *f, const double *force, const double *u, double *rest) {
  for (int s = f->begin; s < f->end; s++) {
    tni_domain_multiply(&f->d->domain[s], u + f->from[s], rest + f->from[s]);
    for (int i = f->from[s]; i < f->from[s + 1]; i++) rest[i] = force[i] - rest[i];
    for (int k = 0; k < f->border[s].nb; k++) f->fborder[f->border_from[s] + k] = rest[f->from[s] + f->border[s].b[k]];
  }
  tni_borders_sum(f->d, f->border, f->border_from, f->fborder, f->sborder);
  for (int s = f->begin; s < f->end; s++)
    for (int k = 0; k < f->border[s].nb; k++)
      rest[f->from[s] + f->border[s].b[k]] = f->sborder[f->border_from[s] + k]/(f->border[s].from[k + 1] - f->border[s].from[k]);
}

/* Jumps that are small leave forces that are not, where the domains are stiff: what is left is solved for again, with the
 * directions that are there already. */
static tn_status solve(tni_feti *f, const double *force, double *u, tni_feti_report *rep) {
  *rep = (tni_feti_report){0};
  describe(f, rep);
  rep->indefinite = !tni_feti_stressed_definite(f);
  TN_REQUIRE(f->ctx, !rep->indefinite, TN_NOT_CONVERGED, "feti: the matrix is not positive definite");
  bool stopped = false, fresh = false;
  double before = HUGE_VAL, tight = 0.1;
  iterate(f, force, f->o.jump > 0 ? f->o.jump : fmax(0.1*f->o.tolerance, FIRST), u, rep, &stopped);
  for (int round = 0;; round++) {
    tni_balance b = tni_domains_balance(f->d, f->border, f->from, f->border_from, force, u, f->rest, f->fborder, f->sborder);
    rep->residual = tni_balance_left(&b);
    TN_TRY(tni_domains_trouble(f->d));
    if (f->o.jump > 0) stopped = stopped || rep->jump <= f->o.jump;
    if (f->o.jump > 0 || stopped || rep->residual <= f->o.tolerance || rep->iterations >= f->o.most) break;
    if (round == ROUNDS) break;
    if (!(b.residual < 0.5*before)) {
      if (tight > 1e-5) { /* jumps of soft domains hide those of stiff ones */
        tight *= 0.01;
      } else if (f->nkept && !fresh) { /* directions that are rounding: once without */
        f->nkept = 0;
        fresh = true;
      } else {
        break;
      }
    }
    before = b.residual;
    leave_rest(f, force, u, f->rest);
    iterate(f, f->rest, fmax(tight*f->o.tolerance/rep->residual, 1e-4*FIRST), f->change, rep, &stopped);
    for (int i = f->from[f->begin]; i < f->from[f->end]; i++) u[i] += f->change[i];
  }
  bool done = stopped || rep->residual <= f->o.tolerance;
  TN_REQUIRE(f->ctx, done || !rep->indefinite, TN_NOT_CONVERGED, "feti: the matrix is not positive definite");
  TN_REQUIRE(f->ctx, done, TN_NOT_CONVERGED, "feti: after %d iterations the forces are off by %.2g, asked for %.2g", rep->iterations,
             rep->residual, f->o.tolerance);
  return TN_OK;
}

/* Means that nearly repeat each other may spoil what motions alone can do. */
tn_status tni_feti_solve(tni_feti *f, const double *force, double *u, tni_feti_report *report) {
  tni_feti_report none, *rep = report ? report : &none;
  tn_status st = solve(f, force, u, rep);
  if (st != TN_NOT_CONVERGED || !f->means || rep->iterations >= f->o.most || tni_domains_trouble(f->d) != TN_OK) return st;
  int before = rep->iterations;
  tni_feti_means_destroy(f);
  f->nkept = 0;
  st = solve(f, force, u, rep);
  rep->iterations += before;
  return st;
}
