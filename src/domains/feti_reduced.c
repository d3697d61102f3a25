/* domains/feti_reduced.c - domains torn apart and held together by few forces: fields along their seams
 *
 * Letters: s domains, t stretches, i, j rows of B (forces), k kinds of unknowns, l nodes of a stretch. A row touches two domains, the
 * first with +T, the second with -T; of K_s^+ B_s^T its values at the border of the domain are kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "domains/feti_reduced.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "domains/floating.h"
#include "domains/inside.h"
#include "linsolve/lapack.h"

static const double DEPENDENT = 1e-10;  /* of a row that others of its stretch make already            */
static const double REPEATED = 1e-12;   /* pivot of the scaled matrix of forces that others make       */
static const double RANK = 1e-9;        /* singular values of G                                        */
static const double UNBALANCED = 1e-7;  /* forces of a domain that are left over: rounding has won     */
enum { DEGREE_MAX = 60, POINTS_MAX = 60, TOGETHER = 16, REFINEMENTS = 8, MOST = 6000 };

typedef struct {
  int stretch, kind;
  double *c;        /* [nodes of the stretch], 0 where held                                            */
  double *y[2];     /* K_s^+ B_s^T at the border of either domain; NULL: not computed yet              */
} row;

typedef struct {
  tni_floating whole;
  tni_inside inside;
  int nrow, *row;   /* rows that touch it, ascending                                                   */
} piece;

struct tni_feti_reduced {
  const tni_domains *d;
  tn_ctx *ctx;
  tni_feti_reduced_opts o;
  tni_arena arena;
  tni_border *border;
  int *from, *border_from, *rigid_from; /* [n+1]                                                       */
  piece *piece;
  tni_stretch *stretch;
  int nstretch, nkind, full;
  int **place;      /* [nstretch] of unknowns in borders: [2][nnode][nkind], -1                        */
  double **along;   /* [nstretch] of chains: abscissa of nodes                                         */
  row *row;
  int nrow;
  double *F, *G, *d0, *e, *lambda, *alpha; /* F [nrow][nrow], G [nrigid][nrow]                         */
  double *x, *torn, *fborder, *sborder;    /* pieces, pieces, borders                                  */
  double *size, *size_before;              /* [nkind] largest displacement                             */
  int solves, dropped;
};

static int nkind_of(const tni_feti_reduced *f, int t) { return f->stretch[t].seam->nkind; }

/* ---- set-up ------------------------------------------------------------------------------------------------- */

static int find_number(const tni_domain *d, long long number) {
  int low = 0, high = d->n - 1;
  while (low <= high) {
    int mid = (low + high)/2;
    if (d->number[mid] == number) return mid;
    if (d->number[mid] < number) low = mid + 1;
    else high = mid - 1;
  }
  return -1;
}

static int find_int(const int *list, int n, int what) {
  int low = 0, high = n - 1;
  while (low <= high) {
    int mid = (low + high)/2;
    if (list[mid] == what) return mid;
    if (list[mid] < what) low = mid + 1;
    else high = mid - 1;
  }
  return -1;
}

static tn_status find_places(tni_feti_reduced *f) {
  TNI_ARENA_NEW(&f->arena, f->place, f->nstretch + 1);
  TNI_ARENA_NEW(&f->arena, f->along, f->nstretch + 1);
  for (int t = 0; t < f->nstretch; t++) {
    const tni_stretch *o = &f->stretch[t];
    const tni_seam *m = o->seam;
    TNI_ARENA_NEW(&f->arena, f->place[t], 2*o->nnode*m->nkind);
    for (int side = 0; side < 2; side++) {
      int s = m->domain[side];
      for (int l = 0; l < o->nnode; l++)
        for (int k = 0; k < m->nkind; k++) {
          long long number = m->number[(size_t)o->node[l]*(size_t)m->nkind + (size_t)k];
          int at = number < 0 ? -1 : find_number(&f->d->domain[s], number), place = -1;
          if (number >= 0) {
            place = at < 0 ? -1 : find_int(f->border[s].b, f->border[s].nb, at);
            TN_REQUIRE(f->ctx, place >= 0, TN_ERR_ARGUMENT, "domain %d has no unknown %lld at its border, which its seam names", s, number);
          }
          f->place[t][(side*o->nnode + l)*m->nkind + k] = place;
          f->full += side == 0 && place >= 0;
        }
    }
    if (o->dim != 1) continue;
    TNI_ARENA_NEW(&f->arena, f->along[t], o->nnode);
    for (int i = 0; i < o->nfacet; i++) {
      const int *node = m->node + (size_t)o->facet[i]*TNI_CELL_MAXFACENODE;
      int n = tni_cell_of(m->cell[o->facet[i]])->nnode;
      for (int a = 0; a < n; a++) {
        double s = a < 2 ? o->s[i][a] : (o->s[i][0] + o->s[i][1])/2;
        int l = find_int(o->node, o->nnode, node[a]);
        /* where a closed chain meets itself: 0 */
        f->along[t][l] = o->closed && s >= o->length*(1 - 1e-12) ? 0 : s;
      }
    }
  }
  return TN_OK;
}

static tn_status choose_points(tni_feti_reduced *f, tni_stretch *t) {
  double at[POINTS_MAX];
  int n = f->o.npoint > 0 ? f->o.npoint : f->o.first > 0 ? f->o.first : 4;
  for (int i = 0; i < n; i++) at[i] = f->o.npoint > 0 ? f->o.point[i] : (double)i/(t->closed ? n : n - 1);
  return tni_stretch_points(t, n, at, &f->arena);
}

static tn_status set_up(tni_feti_reduced *f, const tni_seam *seam, int nseam) {
  const tni_domains *d = f->d;
  int most = 0, *scratch;
  TN_TRY(tni_borders_create(d, &f->arena, &f->border));
  TNI_ARENA_NEW(&f->arena, f->piece, d->n);
  TNI_ARENA_NEW(&f->arena, f->from, d->n + 1);
  TNI_ARENA_NEW(&f->arena, f->border_from, d->n + 1);
  TNI_ARENA_NEW(&f->arena, f->rigid_from, d->n + 1);
  for (int s = 0; s < d->n; s++) {
    f->from[s + 1] = f->from[s] + d->domain[s].n;
    f->border_from[s + 1] = f->border_from[s] + f->border[s].nb;
    if (d->domain[s].n > most) most = d->domain[s].n;
  }
  TNI_ARENA_NEW(&f->arena, scratch, most);
  for (int i = 0; i < most; i++) scratch[i] = -1;
  static const tni_floating_opts known = {0}; /* fields of forces hold no more than rigid motions */
  for (int s = 0; s < d->n; s++) {
    TN_TRY(tni_floating_create(f->ctx, &d->domain[s], s, &known, &f->arena, &f->piece[s].whole));
    TN_TRY(tni_inside_create(f->ctx, &d->domain[s], &f->border[s], s, TNI_INSIDE_ALL, false, scratch, &f->arena, &f->piece[s].inside));
    f->rigid_from[s + 1] = f->rigid_from[s] + f->piece[s].whole.nrigid;
  }
  TN_TRY(tni_seam_stretches(f->ctx, seam, nseam, &f->arena, &f->stretch, &f->nstretch));
  for (int i = 0; i < nseam; i++)
    if (seam[i].nkind > f->nkind) f->nkind = seam[i].nkind;
  for (int s = 0; s < d->n; s++)
    for (int i = 0; i < d->domain[s].n && d->domain[s].kind; i++)
      if (d->domain[s].kind[i] >= f->nkind) f->nkind = d->domain[s].kind[i] + 1;
  if (f->nkind == 0) f->nkind = 1;
  TN_TRY(find_places(f));
  for (int t = 0; t < f->nstretch; t++) {
    f->stretch[t].degree = f->o.constant ? 0 : f->o.first > 0 && f->o.basis != TNI_SEAM_PIECEWISE ? f->o.first : 1;
    if (f->o.basis == TNI_SEAM_PIECEWISE) TN_TRY(choose_points(f, &f->stretch[t]));
  }
  int n = f->from[d->n], nb = f->border_from[d->n];
  TNI_ARENA_NEW(&f->arena, f->x, n);
  TNI_ARENA_NEW(&f->arena, f->torn, n);
  TNI_ARENA_NEW(&f->arena, f->fborder, nb);
  TNI_ARENA_NEW(&f->arena, f->sborder, nb);
  TNI_ARENA_NEW(&f->arena, f->size, f->nkind);
  TNI_ARENA_NEW(&f->arena, f->size_before, f->nkind);
  TNI_ARENA_NEW(&f->arena, f->e, f->rigid_from[d->n] + 1);
  TNI_ARENA_NEW(&f->arena, f->alpha, f->rigid_from[d->n] + 1);
  return TN_OK;
}

tn_status tni_feti_reduced_create(const tni_domains *d, const tni_seam *seam, int nseam, const tni_feti_reduced_opts *opts, tni_feti_reduced **out) {
  *out = NULL;
  int top = opts->basis == TNI_SEAM_PIECEWISE ? POINTS_MAX : DEGREE_MAX, least = opts->basis == TNI_SEAM_PIECEWISE ? 3 : 0;
  TN_REQUIRE(d->ctx, opts->npoint == 0 || (opts->npoint >= 3 && opts->npoint <= POINTS_MAX), TN_ERR_ARGUMENT,
             "%d points on a seam, must be 3 to %d", opts->npoint, POINTS_MAX);
  TN_REQUIRE(d->ctx, opts->first == 0 || (opts->first >= least && opts->first <= top), TN_ERR_ARGUMENT,
             "%s of the forces on a seam = %d, must be %d to %d", least ? "points" : "degree", opts->first, least, top);
  tni_feti_reduced *f = tni_alloc(d->ctx, 1, sizeof(*f));
  if (!f) return tni_out_of_memory(d->ctx);
  f->d = d;
  f->ctx = d->ctx;
  f->o = *opts;
  if (f->o.refinements <= 0) f->o.refinements = REFINEMENTS;
  if (f->o.most <= 0) f->o.most = MOST;
  if (!(f->o.tolerance > 0)) f->o.tolerance = 1e-4;
  if (!(f->o.gap > 0)) f->o.gap = 1e-3;
  tni_arena_init(&f->arena, d->ctx);
  tn_status st = set_up(f, seam, nseam);
  if (st != TN_OK) tni_feti_reduced_destroy(&f);
  *out = f;
  return st;
}

static void drop_rows(tn_ctx *ctx, row *list, int n) {
  for (int i = 0; i < n && list; i++) {
    tni_free(ctx, list[i].c);
    tni_free(ctx, list[i].y[0]);
    tni_free(ctx, list[i].y[1]);
  }
  tni_free(ctx, list);
}

static void drop_matrices(tni_feti_reduced *f) {
  double **all[] = {&f->F, &f->G, &f->d0, &f->lambda};
  for (int i = 0; i < TNI_COUNT(all); i++) {
    tni_free(f->ctx, *all[i]);
    *all[i] = NULL;
  }
}

void tni_feti_reduced_destroy(tni_feti_reduced **out) {
  tni_feti_reduced *f = out ? *out : NULL;
  if (!f) return;
  for (int s = 0; f->piece && s < f->d->n; s++) {
    tni_floating_destroy(&f->piece[s].whole);
    tni_inside_destroy(&f->piece[s].inside);
    tni_free(f->ctx, f->piece[s].row);
  }
  drop_rows(f->ctx, f->row, f->nrow);
  drop_matrices(f);
  tni_arena_clear(&f->arena);
  tni_free(f->ctx, f);
  *out = NULL;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

typedef struct {
  row *row;
  int n, room;
  double *basis;    /* orthonormal rows of the stretch and kind under way */
  int nbasis;
} row_list;

static tn_status push(tni_feti_reduced *f, row_list *list, int t, int k, const double *c) {
  int n = f->stretch[t].nnode;
  double *v = list->basis + (size_t)list->nbasis*(size_t)n, before = 0, after = 0;
  memcpy(v, c, (size_t)n*sizeof(double));
  for (int l = 0; l < n; l++) before += v[l]*v[l];
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < list->nbasis; b++) {
      const double *o = list->basis + (size_t)b*(size_t)n;
      double dot = 0;
      for (int l = 0; l < n; l++) dot += o[l]*v[l];
      for (int l = 0; l < n; l++) v[l] -= dot*o[l];
    }
  for (int l = 0; l < n; l++) after += v[l]*v[l];
  if (!(after > DEPENDENT*DEPENDENT*before) || !(before > 0)) return TN_OK;
  for (int l = 0; l < n; l++) v[l] /= sqrt(after);
  list->nbasis++;
  if (list->n == list->room) {
    int room = list->room ? 2*list->room : 64;
    row *more = tni_alloc(f->ctx, (size_t)room, sizeof(*more));
    if (!more) return tni_out_of_memory(f->ctx);
    if (list->n) memcpy(more, list->row, (size_t)list->n*sizeof(*more));
    tni_free(f->ctx, list->row);
    list->row = more;
    list->room = room;
  }
  row *r = &list->row[list->n];
  *r = (row){.stretch = t, .kind = k, .c = tni_doubles(f->ctx, (size_t)n)};
  if (!r->c) return tni_out_of_memory(f->ctx);
  memcpy(r->c, c, (size_t)n*sizeof(double));
  list->n++;
  TN_REQUIRE(f->ctx, list->n <= f->o.most, TN_NOT_CONVERGED,
             "more than %d forces along %d stretches of seams: cuts are too many or too jagged for few forces (decomposer strips or bisect gives "
             "smooth ones); 'multipliers: all' takes any cut", f->o.most, f->nstretch);
  /* what is there already */
  for (int i = 0; i < f->nrow; i++) {
    row *o = &f->row[i];
    if (o->stretch != t || o->kind != k || !o->y[0] || memcmp(o->c, r->c, (size_t)n*sizeof(double)) != 0) continue;
    for (int side = 0; side < 2; side++) r->y[side] = o->y[side], o->y[side] = NULL;
    break;
  }
  return TN_OK;
}

/* does this node ask for a force of its own in a direction in which it is free? */
static bool stands_alone(const tni_feti_reduced *f, const tni_stretch *t, int l) {
  const tni_seam *m = t->seam;
  int node = t->node[l];
  if (t->dim == 0 || (m->alone && m->alone[node])) return true;
  for (int k = 0; k < m->nkind && !f->o.ignore_supports; k++)
    if (m->number[(size_t)node*(size_t)m->nkind + (size_t)k] == TNI_SEAM_HELD) return true;
  return false;
}

static tn_status add_stretch(tni_feti_reduced *f, int t, row_list *list) {
  const tni_stretch *o = &f->stretch[t];
  int n = o->nnode, M = tni_stretch_functions(o, f->o.basis), nk = o->seam->nkind;
  double *T = tni_doubles(f->ctx, (size_t)(M + 1)*(size_t)n), *c = tni_doubles(f->ctx, (size_t)n);
  list->basis = tni_doubles(f->ctx, (size_t)(M + n + 1)*(size_t)n);
  tn_status st = T && c && list->basis ? TN_OK : tni_out_of_memory(f->ctx);
  if (st == TN_OK) st = tni_stretch_integrals(f->ctx, o, f->o.basis, T);
  for (int k = 0; k < nk && st == TN_OK; k++) {
    const int *place = f->place[t];
    int unknowns = 0;
    for (int l = 0; l < n; l++) unknowns += place[l*nk + k] >= 0;
    /* a field that can be anything is a force at every node, and well conditioned as such */
    bool each = o->each || M >= unknowns;
    list->nbasis = 0;
    for (int l = 0; l < n && st == TN_OK; l++) {
      if (place[l*nk + k] < 0 || !(each || stands_alone(f, o, l))) continue;
      memset(c, 0, (size_t)n*sizeof(double));
      c[l] = 1;
      st = push(f, list, t, k, c);
    }
    for (int m = 0; m < M && !each && st == TN_OK; m++) {
      for (int l = 0; l < n; l++) c[l] = place[l*nk + k] < 0 ? 0 : T[(size_t)m*(size_t)n + (size_t)l];
      st = push(f, list, t, k, c);
    }
  }
  tni_free(f->ctx, T);
  tni_free(f->ctx, c);
  tni_free(f->ctx, list->basis);
  list->basis = NULL;
  return st;
}

static int domain_of(const tni_feti_reduced *f, const row *r, int side) { return f->stretch[r->stretch].seam->domain[side]; }

static const int *place_of(const tni_feti_reduced *f, const row *r, int side) {
  const tni_stretch *t = &f->stretch[r->stretch];
  return f->place[r->stretch] + (size_t)side*(size_t)t->nnode*(size_t)t->seam->nkind + r->kind;
}

/* x [border] += factor B_s^T of a row */
static void scatter(const tni_feti_reduced *f, const row *r, int side, double factor, double *x, const int *to) {
  const int *place = place_of(f, r, side);
  int nk = nkind_of(f, r->stretch);
  double sign = side ? -factor : factor;
  for (int l = 0; l < f->stretch[r->stretch].nnode; l++)
    if (r->c[l] != 0) x[to ? to[place[l*nk]] : place[l*nk]] += sign*r->c[l];
}

/* B_s of a row times x [border], or [domain] by to */
static double gather(const tni_feti_reduced *f, const row *r, int side, const double *x, const int *to) {
  const int *place = place_of(f, r, side);
  int nk = nkind_of(f, r->stretch);
  double sum = 0;
  for (int l = 0; l < f->stretch[r->stretch].nnode; l++)
    if (r->c[l] != 0) sum += r->c[l]*x[to ? to[place[l*nk]] : place[l*nk]];
  return side ? -sum : sum;
}

static tn_status make_rows(tni_feti_reduced *f) {
  row_list list = {0};
  tn_status st = TN_OK;
  for (int t = 0; t < f->nstretch && st == TN_OK; t++) st = add_stretch(f, t, &list);
  drop_rows(f->ctx, f->row, f->nrow);
  f->row = list.row;
  f->nrow = list.n;
  TN_TRY(st);
  for (int s = 0; s < f->d->n; s++) {
    piece *p = &f->piece[s];
    tni_free(f->ctx, p->row);
    p->row = tni_ints(f->ctx, (size_t)f->nrow + 1);
    if (!p->row) return tni_out_of_memory(f->ctx);
    p->nrow = 0;
    for (int i = 0; i < f->nrow; i++)
      if (domain_of(f, &f->row[i], 0) == s || domain_of(f, &f->row[i], 1) == s) p->row[p->nrow++] = i;
  }
  return TN_OK;
}

static int side_of(const tni_feti_reduced *f, int i, int s) { return domain_of(f, &f->row[i], 0) == s ? 0 : 1; }

/* K_s^+ B_s^T of the rows of a domain that are new */
static tn_status solve_rows(tni_feti_reduced *f, int s) {
  piece *p = &f->piece[s];
  const tni_border *o = &f->border[s];
  size_t n = (size_t)f->d->domain[s].n;
  double *x = tni_doubles(f->ctx, n*TOGETHER);
  int batch[TOGETHER], nbatch = 0;
  tn_status st = x ? TN_OK : tni_out_of_memory(f->ctx);
  for (int a = 0; a <= p->nrow && st == TN_OK; a++) {
    if (a < p->nrow && !f->row[p->row[a]].y[side_of(f, p->row[a], s)]) {
      batch[nbatch] = p->row[a];
      double *b = x + n*(size_t)nbatch++;
      memset(b, 0, n*sizeof(double));
      scatter(f, &f->row[p->row[a]], side_of(f, p->row[a], s), 1, b, o->b);
    }
    if (nbatch == 0 || (nbatch < TOGETHER && a < p->nrow)) continue;
    tni_floating_solve(&p->whole, nbatch, x);
    f->solves += nbatch;
    for (int b = 0; b < nbatch && st == TN_OK; b++) {
      double *y = tni_doubles(f->ctx, (size_t)o->nb);
      if (!y) st = tni_out_of_memory(f->ctx);
      for (int i = 0; i < o->nb && y; i++) y[i] = x[n*(size_t)b + (size_t)o->b[i]];
      f->row[batch[b]].y[side_of(f, batch[b], s)] = y;
    }
    nbatch = 0;
  }
  tni_free(f->ctx, x);
  return st;
}

/* ---- the matrix of the forces ------------------------------------------------------------------------------- */

static tn_status make_matrices(tni_feti_reduced *f) {
  size_t N = (size_t)f->nrow, nr = (size_t)f->rigid_from[f->d->n];
  drop_matrices(f);
  f->F = tni_doubles(f->ctx, N*N + 1);
  f->G = tni_doubles(f->ctx, N*nr + 1);
  f->d0 = tni_doubles(f->ctx, N + 1);
  f->lambda = tni_doubles(f->ctx, N + 1);
  if (!f->F || !f->G || !f->d0 || !f->lambda) return tni_out_of_memory(f->ctx);
  for (int s = 0; s < f->d->n; s++) {
    const piece *p = &f->piece[s];
    for (int a = 0; a < p->nrow; a++) {
      const row *r = &f->row[p->row[a]];
      int side = side_of(f, p->row[a], s);
      for (int b = 0; b <= a; b++) {
        int i = p->row[b];
        double value = gather(f, &f->row[i], side_of(f, i, s), r->y[side], NULL);
        f->F[(size_t)p->row[a]*N + (size_t)i] += value;
        if (a != b) f->F[(size_t)i*N + (size_t)p->row[a]] += value;
      }
      for (int k = 0; k < p->whole.nrigid; k++)
        f->G[(size_t)(f->rigid_from[s] + k)*N + (size_t)p->row[a]] =
            gather(f, r, side, p->whole.rigid + (size_t)k*(size_t)f->d->domain[s].n, f->border[s].b);
    }
  }
  return TN_OK;
}

/* Do the forces hold every domain? Those that they do not: loose [n]. Rows in units of their own size. */
static tn_status find_loose(tni_feti_reduced *f, bool *loose, int *rank) {
  int N = f->nrow, nr = f->rigid_from[f->d->n];
  memset(loose, 0, (size_t)f->d->n*sizeof(bool));
  *rank = nr;
  if (!nr) return TN_OK;
  int few = N < nr ? N : nr, lwork = 8*(N + nr) + 64;
  double *A = tni_doubles(f->ctx, (size_t)N*(size_t)nr + 1), *value = tni_doubles(f->ctx, (size_t)nr + 1),
         *V = tni_doubles(f->ctx, (size_t)nr*(size_t)nr), *work = tni_doubles(f->ctx, (size_t)lwork);
  tn_status st = A && value && V && work ? TN_OK : tni_out_of_memory(f->ctx);
  if (st == TN_OK) {
    for (int k = 0; k < nr; k++)
      for (int i = 0; i < N; i++) {
        double c = f->F[(size_t)i*(size_t)N + (size_t)i];
        A[(size_t)k*(size_t)N + (size_t)i] = f->G[(size_t)k*(size_t)N + (size_t)i]/(c > 0 ? sqrt(c) : 1);
      }
    if (N > 0 && tni_gesvd('N', 'A', N, nr, A, N, value, NULL, 1, V, nr, work, lwork) != 0)
      st = TN_FAIL(f->ctx, TN_NOT_CONVERGED, "rank of the forces between domains not found");
    if (N == 0)
      for (int k = 0; k < nr; k++) V[(size_t)k*(size_t)nr + (size_t)k] = 1;
  }
  if (st == TN_OK) {
    *rank = 0;
    for (int k = 0; k < few; k++) *rank += value[k] > RANK*value[0];
    for (int k = *rank; k < nr; k++) /* rows of V^T */
      for (int s = 0; s < f->d->n; s++)
        for (int j = f->rigid_from[s]; j < f->rigid_from[s + 1]; j++) loose[s] = loose[s] || fabs(V[(size_t)j*(size_t)nr + (size_t)k]) > 1e-6;
  }
  tni_free(f->ctx, A);
  tni_free(f->ctx, value);
  tni_free(f->ctx, V);
  tni_free(f->ctx, work);
  return st;
}

/* x := L^-1 x or L^-T x, L the leading `rank` rows and columns */
static void triangle(const double *L, int n, int rank, bool transposed, double *x) {
  if (!transposed) {
    for (int j = 0; j < rank; j++) {
      x[j] /= L[(size_t)j*(size_t)n + (size_t)j];
      for (int i = j + 1; i < rank; i++) x[i] -= L[(size_t)j*(size_t)n + (size_t)i]*x[j];
    }
    return;
  }
  for (int j = rank - 1; j >= 0; j--) {
    for (int i = j + 1; i < rank; i++) x[j] -= L[(size_t)j*(size_t)n + (size_t)i]*x[i];
    x[j] /= L[(size_t)j*(size_t)n + (size_t)j];
  }
}

/* F' = F + c G G^T is positive definite where the forces are independent: F lambda - G alpha = d and G^T lambda = e become
 * F' lambda = d + c G e + G alpha. Forces that others make already are zero pivots and stay 0. */
static tn_status solve_forces(tni_feti_reduced *f) {
  int N = f->nrow, nr = f->rigid_from[f->d->n], rank = 0;
  size_t n = (size_t)N;
  double *A = tni_doubles(f->ctx, n*n + 1), *scale = tni_doubles(f->ctx, n + 1), *work = tni_doubles(f->ctx, 2*n + 1),
         *z = tni_doubles(f->ctx, n + 1), *Z = tni_doubles(f->ctx, n*(size_t)nr + 1), *S = tni_doubles(f->ctx, (size_t)nr*(size_t)nr + 1);
  int *pivot = tni_ints(f->ctx, n + 1);
  tn_status st = A && scale && work && z && Z && S && pivot ? TN_OK : tni_out_of_memory(f->ctx);
  if (st != TN_OK || N == 0) goto end;
  double tf = 0, tg = 0, c;
  for (size_t i = 0; i < n; i++) tf += f->F[i*n + i];
  for (size_t i = 0; i < n*(size_t)nr; i++) tg += f->G[i]*f->G[i];
  c = tg > 0 ? tf/tg : 0;
  memcpy(A, f->F, n*n*sizeof(double));
  for (int k = 0; k < nr; k++) {
    const double *g = f->G + (size_t)k*n;
    for (size_t j = 0; j < n; j++)
      if (g[j] != 0)
        for (size_t i = 0; i < n; i++) A[j*n + i] += c*g[i]*g[j];
  }
  for (size_t i = 0; i < n; i++) scale[i] = A[i*n + i] > 0 ? 1/sqrt(A[i*n + i]) : 1;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) A[j*n + i] *= scale[i]*scale[j];
  tni_pstrf('L', N, A, N, pivot, &rank, REPEATED, work);
  f->dropped = N - rank;
  for (int i = 0; i < rank; i++) {
    int p = pivot[i] - 1;
    z[i] = f->d0[p];
    for (int k = 0; k < nr; k++) {
      z[i] += c*f->G[(size_t)k*n + (size_t)p]*f->e[k];
      Z[(size_t)k*n + (size_t)i] = scale[p]*f->G[(size_t)k*n + (size_t)p];
    }
    z[i] *= scale[p];
  }
  triangle(A, N, rank, false, z);
  for (int k = 0; k < nr; k++) triangle(A, N, rank, false, Z + (size_t)k*n);
  for (int a = 0; a < nr; a++) {
    f->alpha[a] = f->e[a];
    for (int i = 0; i < rank; i++) f->alpha[a] -= Z[(size_t)a*n + (size_t)i]*z[i];
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int i = 0; i < rank; i++) sum += Z[(size_t)a*n + (size_t)i]*Z[(size_t)b*n + (size_t)i];
      S[(size_t)a*(size_t)nr + (size_t)b] = S[(size_t)b*(size_t)nr + (size_t)a] = sum;
    }
  }
  if (nr) {
    if (tni_potrf('L', nr, S, nr) != 0) {
      st = TN_FAIL(f->ctx, TN_SINGULAR, "the whole is not held: motions of the domains together meet no resistance");
      goto end;
    }
    tni_potrs('L', nr, 1, S, nr, f->alpha, nr);
  }
  for (int k = 0; k < nr; k++)
    for (int i = 0; i < rank; i++) z[i] += f->alpha[k]*Z[(size_t)k*n + (size_t)i];
  triangle(A, N, rank, true, z);
  memset(f->lambda, 0, n*sizeof(double));
  for (int i = 0; i < rank; i++) f->lambda[pivot[i] - 1] = scale[pivot[i] - 1]*z[i];
end:
  tni_free(f->ctx, A);
  tni_free(f->ctx, scale);
  tni_free(f->ctx, work);
  tni_free(f->ctx, z);
  tni_free(f->ctx, Z);
  tni_free(f->ctx, S);
  tni_free(f->ctx, pivot);
  return st;
}

/* ---- one solution -------------------------------------------------------------------------------------------- */

static void project_forces(tni_feti_reduced *f, const double *force) {
  for (int s = 0; s < f->d->n; s++) {
    const piece *p = &f->piece[s];
    int n = f->d->domain[s].n;
    double *x = f->x + f->from[s];
    for (int k = 0; k < p->whole.nrigid; k++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += p->whole.rigid[(size_t)k*(size_t)n + (size_t)i]*force[f->from[s] + i];
      f->e[f->rigid_from[s] + k] = sum;
    }
    memcpy(x, force + f->from[s], (size_t)n*sizeof(double));
    tni_floating_solve(&p->whole, 1, x);
    for (int a = 0; a < p->nrow; a++) f->d0[p->row[a]] += gather(f, &f->row[p->row[a]], side_of(f, p->row[a], s), x, f->border[s].b);
  }
  f->solves += f->d->n;
}

/* displacements of every domain by itself */
static void tear(tni_feti_reduced *f, const double *force, tni_feti_reduced_report *rep) {
  double left = 0, size = 0;
  for (int s = 0; s < f->d->n; s++) {
    const piece *p = &f->piece[s];
    const tni_domain *d = &f->d->domain[s];
    double *u = f->torn + f->from[s], *x = f->x + f->from[s];
    memcpy(u, force + f->from[s], (size_t)d->n*sizeof(double));
    for (int a = 0; a < p->nrow; a++) scatter(f, &f->row[p->row[a]], side_of(f, p->row[a], s), -f->lambda[p->row[a]], u, f->border[s].b);
    memcpy(x, u, (size_t)d->n*sizeof(double)); /* f - B^T lambda */
    tni_floating_solve(&p->whole, 1, u);
    for (int k = 0; k < p->whole.nrigid; k++)
      for (int i = 0; i < d->n; i++) u[i] += f->alpha[f->rigid_from[s] + k]*p->whole.rigid[(size_t)k*(size_t)d->n + (size_t)i];
    for (int j = 0; j < d->n; j++) {
      double sum = 0, rounding = 0;
      for (int e = d->ptr[j]; e < d->ptr[j + 1]; e++) {
        sum += d->value[e]*u[d->ind[e]];
        rounding += fabs(d->value[e]*u[d->ind[e]]);
      }
      double r = fabs(sum - x[j]);
      size += x[j]*x[j];
      if (r > 4*DBL_EPSILON*rounding) left += r*r;
    }
  }
  f->solves += f->d->n;
  rep->balance = size > 0 ? sqrt(left/size) : 0;
}

static double potential(const tni_feti_reduced *f, const double *force, const double *u, double *scratch) {
  double sum = 0;
  for (int s = 0; s < f->d->n; s++) {
    double part = 0;
    tni_domain_multiply(&f->d->domain[s], u + f->from[s], scratch + f->from[s]);
    for (int i = f->from[s]; i < f->from[s + 1]; i++) part += (0.5*scratch[i] - force[i])*u[i];
    sum += part;
  }
  return sum;
}

/* borders take the mean of their copies, interiors follow */
static void fit(tni_feti_reduced *f, const double *force, double *u) {
  for (int s = 0; s < f->d->n; s++)
    for (int k = 0; k < f->border[s].nb; k++) f->fborder[f->border_from[s] + k] = f->torn[f->from[s] + f->border[s].b[k]];
  tni_borders_sum(f->d, f->border, f->border_from, f->fborder, f->sborder);
  for (int s = 0; s < f->d->n; s++) {
    const tni_border *o = &f->border[s];
    const piece *p = &f->piece[s];
    double *x = f->x + f->from[s], *ub = f->sborder + f->border_from[s];
    for (int k = 0; k < o->nb; k++) {
      ub[k] /= o->from[k + 1] - o->from[k];
      u[f->from[s] + o->b[k]] = ub[k];
    }
    for (int i = 0; i < o->ni; i++) x[i] = force[f->from[s] + o->i[i]];
    tni_block_multiply_add(&p->inside.ib, -1, ub, x);
    tni_inside_solve(&p->inside, 1, x);
    for (int i = 0; i < o->ni; i++) u[f->from[s] + o->i[i]] = x[i];
  }
}

static double torn_jump(const tni_feti_reduced *f, int t, int l, int k) {
  const tni_stretch *o = &f->stretch[t];
  double value[2];
  for (int side = 0; side < 2; side++) {
    int s = o->seam->domain[side], place = f->place[t][(side*o->nnode + l)*o->seam->nkind + k];
    if (place < 0) return 0;
    value[side] = f->torn[f->from[s] + f->border[s].b[place]];
  }
  return value[0] - value[1];
}

/* jumps, and sizes of every kind of displacement; the largest relative change of those */
static double measure(tni_feti_reduced *f, const double *u, tni_feti_reduced_report *rep) {
  double change = 0, jump = 0, largest = 0;
  memset(f->size, 0, (size_t)f->nkind*sizeof(double));
  for (int s = 0; s < f->d->n; s++)
    for (int i = 0; i < f->d->domain[s].n; i++) {
      int k = f->d->domain[s].kind ? f->d->domain[s].kind[i] : 0;
      f->size[k] = fmax(f->size[k], fabs(u[f->from[s] + i]));
    }
  for (int k = 0; k < f->nkind; k++) largest = fmax(largest, f->size[k]);
  for (int t = 0; t < f->nstretch; t++)
    for (int l = 0; l < f->stretch[t].nnode; l++)
      for (int k = 0; k < nkind_of(f, t); k++) jump = fmax(jump, fabs(torn_jump(f, t, l, k)));
  rep->jump = largest > 0 ? jump/largest : 0;
  for (int k = 0; k < f->nkind; k++) {
    double difference = fabs(f->size[k] - f->size_before[k]);
    if (f->size[k] > 1e-12*largest) change = fmax(change, difference/f->size[k]);
    f->size_before[k] = f->size[k];
  }
  return change;
}

/* ---- refinement -------------------------------------------------------------------------------------------------- */

static int free_nodes(const tni_feti_reduced *f, int t) {
  int n = 0, nk = nkind_of(f, t);
  for (int l = 0; l < f->stretch[t].nnode; l++) {
    bool any = false;
    for (int k = 0; k < nk; k++) any = any || f->place[t][l*nk + k] >= 0;
    n += any;
  }
  return n;
}

/* one more point in the middle where jumps are largest, nodes on both sides of it */
static tn_status insert_point(tni_feti_reduced *f, int t, bool solved, bool *done) {
  tni_stretch *o = &f->stretch[t];
  int best = -1, nk = o->seam->nkind, n = o->npoint + (o->closed ? 0 : -1);
  double most = -1;
  for (int i = 0; i < n; i++) {
    double low = o->point[i], high = i + 1 < o->npoint ? o->point[i + 1] : o->length, mid = (low + high)/2, sum = high - low;
    int before = 0, after = 0;
    if (solved) sum = 0;
    for (int l = 0; l < o->nnode; l++) {
      double s = f->along[t][l];
      before += s > low && s < mid;
      after += s > mid && s < high;
      for (int k = 0; k < nk && solved && s >= low && s <= high; k++) sum = fmax(sum, fabs(torn_jump(f, t, l, k)));
    }
    if (before && after && sum > most) most = sum, best = i;
  }
  if (best < 0) { /* no room between nodes any more */
    o->each = *done = true;
    return TN_OK;
  }
  double *point;
  TNI_ARENA_NEW(&f->arena, point, o->npoint + 1);
  memcpy(point, o->point, (size_t)(best + 1)*sizeof(double));
  point[best + 1] = (o->point[best] + (best + 1 < o->npoint ? o->point[best + 1] : o->length))/2;
  memcpy(point + best + 2, o->point + best + 1, (size_t)(o->npoint - best - 1)*sizeof(double));
  o->point = point;
  o->npoint++;
  *done = true;
  return TN_OK;
}

static tn_status refine(tni_feti_reduced *f, int t, bool solved, bool *done) {
  tni_stretch *o = &f->stretch[t];
  if (o->dim == 0 || o->each || tni_stretch_functions(o, f->o.basis) >= free_nodes(f, t)) return TN_OK;
  if (f->o.basis != TNI_SEAM_PIECEWISE || (o->dim == 2 && o->naxis != 2)) {
    if (o->degree >= DEGREE_MAX) o->each = true;
    else o->degree++;
    *done = true;
    return TN_OK;
  }
  if (o->npoint >= POINTS_MAX) {
    o->each = *done = true;
    return TN_OK;
  }
  if (o->dim == 1) return insert_point(f, t, solved, done);
  double at[POINTS_MAX];
  int n = o->npoint + 1;
  for (int i = 0; i < n; i++) at[i] = (double)i/(n - 1);
  *done = true;
  return tni_stretch_points(o, n, at, &f->arena);
}

/* fields that hold all domains, and their matrix */
static tn_status prepare(tni_feti_reduced *f, tni_feti_reduced_report *rep) {
  bool *loose = (bool *)tni_alloc(f->ctx, (size_t)f->d->n, sizeof(bool));
  if (!loose) return tni_out_of_memory(f->ctx);
  tn_status st = TN_OK;
  for (;;) {
    int rank;
    st = make_rows(f);
    for (int s = 0; s < f->d->n && st == TN_OK; s++) st = solve_rows(f, s);
    if (st == TN_OK) st = make_matrices(f);
    if (st == TN_OK) st = find_loose(f, loose, &rank);
    if (st != TN_OK || rank == f->rigid_from[f->d->n]) break;
    if (f->o.fixed) {
      st = TN_FAIL(f->ctx, TN_SINGULAR, "%d forces hold %d of the %d motions of domains that nothing else holds", f->nrow, rank,
                   f->rigid_from[f->d->n]);
      break;
    }
    bool done = false;
    for (int t = 0; t < f->nstretch && st == TN_OK; t++)
      if (loose[f->stretch[t].seam->domain[0]] || loose[f->stretch[t].seam->domain[1]]) st = refine(f, t, false, &done);
    if (st == TN_OK && !done) st = TN_FAIL(f->ctx, TN_SINGULAR, "the whole is not held: motions of the domains together meet no resistance");
    if (st != TN_OK) break;
    rep->raised++;
  }
  tni_free(f->ctx, loose);
  return st;
}

static void describe(const tni_feti_reduced *f, tni_feti_reduced_report *rep) {
  rep->forces = f->nrow - f->dropped;
  rep->dropped = f->dropped;
  rep->full = f->full;
  rep->rigid = f->rigid_from[f->d->n];
  rep->stretches = f->nstretch;
  rep->solves = f->solves;
  rep->nnz = 0;
  rep->flops = (double)f->nrow*f->nrow*f->nrow/3;
  for (int s = 0; s < f->d->n; s++) {
    const tni_sparse_solver *of[2] = {f->piece[s].whole.factor, f->piece[s].inside.factor};
    for (int i = 0; i < 2; i++)
      if (of[i]) rep->nnz += tni_sparse_solver_nnz(of[i]), rep->flops += tni_sparse_solver_flops(of[i]);
  }
  for (int t = 0; t < f->nstretch; t++) {
    int degree = f->o.basis == TNI_SEAM_PIECEWISE && f->stretch[t].dim == 1 ? f->stretch[t].npoint : f->stretch[t].degree;
    if (f->stretch[t].dim && degree > rep->degree) rep->degree = degree;
  }
}

tn_status tni_feti_reduced_solve(tni_feti_reduced *f, const double *force, double *u, tni_feti_reduced_report *report) {
  tni_feti_reduced_report none, *rep = report ? report : &none;
  *rep = (tni_feti_reduced_report){.change = NAN};
  f->solves = 0;
  memset(f->size_before, 0, (size_t)f->nkind*sizeof(double));
  for (int step = 0;; step++) {
    TN_TRY(prepare(f, rep));
    memset(f->d0, 0, (size_t)f->nrow*sizeof(double));
    project_forces(f, force);
    TN_TRY(solve_forces(f));
    tear(f, force, rep);
    rep->torn = potential(f, force, f->torn, f->x);
    fit(f, force, u);
    rep->fitted = potential(f, force, u, f->x);
    double change = measure(f, u, rep), gap = rep->fitted - rep->torn;
    rep->change = step ? change : NAN;
    rep->refinements = step;
    describe(f, rep);
    TN_REQUIRE(f->ctx, rep->balance <= UNBALANCED, TN_NOT_CONVERGED,
               "forces between domains leave %.2g of the forces of a domain unbalanced: rounding", rep->balance);
    if (f->o.fixed) return TN_OK;
    bool close = gap <= f->o.gap*fabs(rep->fitted);
    if (f->nstretch == 0 || (step > 0 && change <= f->o.tolerance && close)) return TN_OK;
    bool done = false;
    bool may = step < f->o.refinements;
    for (int t = 0; t < f->nstretch && may; t++) TN_TRY(refine(f, t, true, &done));
    if (done) continue;
    if (may && close) return TN_OK; /* every unknown of the seams has a force of its own: the whole */
    return TN_FAIL(f->ctx, TN_NOT_CONVERGED,
                   "few forces between domains: after %d refinements (%d forces) displacements still change by %.2g (tolerance %.2g) and energies leave a "
                   "gap of %.2g (%.2g); more refinements, other cuts, or 'multipliers: all'", step, rep->forces, change, f->o.tolerance,
                   gap/fmax(fabs(rep->fitted), DBL_MIN), f->o.gap);
  }
}

void tni_feti_reduced_torn(const tni_feti_reduced *f, double *u) { memcpy(u, f->torn, (size_t)f->from[f->d->n]*sizeof(double)); }

void tni_feti_reduced_forces(const tni_feti_reduced *f, double *force) {
  memset(force, 0, (size_t)f->from[f->d->n]*sizeof(double));
  for (int s = 0; s < f->d->n; s++)
    for (int a = 0; a < f->piece[s].nrow; a++) {
      int i = f->piece[s].row[a];
      scatter(f, &f->row[i], side_of(f, i, s), f->lambda[i], force + f->from[s], f->border[s].b);
    }
}

tn_status tni_feti_reduced_condition(const tni_feti_reduced *f, int s, double *condition) {
  const piece *p = &f->piece[s];
  int n = p->nrow, lwork = 40*n + 64;
  double *A = tni_doubles(f->ctx, (size_t)n*(size_t)n + 1), *value = tni_doubles(f->ctx, (size_t)n + 1), *work = tni_doubles(f->ctx, (size_t)lwork),
         *x = tni_doubles(f->ctx, (size_t)f->border[s].nb + 1);
  tn_status st = A && value && work && x ? TN_OK : tni_out_of_memory(f->ctx);
  for (int a = 0; a < n && st == TN_OK; a++) {
    memset(x, 0, (size_t)f->border[s].nb*sizeof(double));
    scatter(f, &f->row[p->row[a]], side_of(f, p->row[a], s), 1, x, NULL);
    for (int b = 0; b < n; b++) A[(size_t)a*(size_t)n + (size_t)b] = gather(f, &f->row[p->row[b]], side_of(f, p->row[b], s), x, NULL);
  }
  *condition = NAN;
  if (st == TN_OK && n > 0 && tni_syev('N', 'L', n, A, n, value, work, lwork) == 0)
    *condition = value[0] > 0 ? value[n - 1]/value[0] : HUGE_VAL;
  tni_free(f->ctx, A);
  tni_free(f->ctx, value);
  tni_free(f->ctx, work);
  tni_free(f->ctx, x);
  return st;
}
