/* solids/reduce.c - shapes and matrices of a reduced body from its mesh, once
 *
 *   K_ii Psi = -K_ib,   K_d = K_bb + K_bi Psi,   K_ii Phi = M_ii Phi w^2
 *
 * i nodes that no interface carries; K_ib by rigid motions of the interfaces about the middles of their nodes. One factorization
 * of K_ii serves both; modes by a block Krylov space, counted by the signs of the pivots of K_ii - w^2 M_ii, so that none is missed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/reduce.h"

#include <math.h>
#include <stdio.h>

#include "linsolve/krylov.h"
#include "linsolve/lapack.h"
#include "linsolve/sparse.h"

static const double TWO_PI = 6.283185307179586;
static const double EIGEN_TOL = 1e-10, ACCEPTED = 1e-7;
static const double NO_PIVOT = 1e-14, TINY_PIVOT = 1e-30;
static const double RIGID = 1e-7; /* forces of rigid motions by the stiffness of interfaces, as rounding may leave them */
enum { BLOCK = 3, SPARE = 30, ROUNDS = 4, MOST_MODES = 2000 };

typedef struct {
  tni_builder *b;
  const tni_item *item;
  const tni_structure *s;
  const tni_part *mesh;
  const int *interface;
  tni_basis *out;
  tni_arena arena;       /* scratch                                   */
  int n, nd, *ptr, *col, *node;
  double *K, *scaled, *scale, *mass; /* K_ii, in units of its diagonal; [n] */
  double *F;             /* [nd][n] K_ib, then Psi                    */
  double stiff;          /* largest of K_bb                           */
  tni_sparse_solver *lu;
} work;

/* motion j (0..5) of an interface at a node, component c */
static double rigid(const double x[3], const double middle[3], int c, int j) {
  double d[3], e[3] = {0, 0, 0}, y[3];
  if (c >= 3) return c == j;
  if (j < 3) return c == j;
  vec3_sub(d, x, middle);
  e[j - 3] = 1;
  vec3_cross(y, e, d);
  return y[c];
}

/* in a plane bodies have three motions */
static bool motion_exists(const tni_structure *s, int j) { return !s->planar || j == 0 || j == 1 || j == 5; }

static tn_status pattern(work *w) {
  const tni_part *p = w->mesh;
  w->n = p->nv;
  TNI_ARENA_NEW(&w->arena, w->ptr, w->n + 1);
  TNI_ARENA_NEW(&w->arena, w->node, w->n);
  TNI_ARENA_NEW(&w->arena, w->mass, w->n);
  double total = 0;
  for (int i = 0; i < p->nnode; i++) {
    int width = 0;
    for (int k = p->near_adr[i]; k < p->near_adr[i+1]; k++) width += p->vadr[p->near_node[k] + 1] - p->vadr[p->near_node[k]];
    for (int r = p->vadr[i]; r < p->vadr[i+1]; r++) {
      total += width;
      if (total > 2e9) return tni_item_fail(w->b->ctx, w->item, "reduce", "its matrix has more than 2e9 entries");
      w->ptr[r+1] = w->ptr[r] + width;
      w->node[r] = i;
      w->mass[r] = p->mass[r];
    }
  }
  TNI_ARENA_NEW(&w->arena, w->col, w->ptr[w->n]);
  TNI_ARENA_NEW(&w->arena, w->K, w->ptr[w->n]);
  TNI_ARENA_NEW(&w->arena, w->scaled, w->ptr[w->n]);
  TNI_ARENA_NEW(&w->arena, w->scale, w->n);
  TNI_ARENA_NEW(&w->arena, w->F, (size_t)w->nd*(size_t)w->n);
  for (int i = 0; i < p->nnode; i++)
    for (int r = p->vadr[i]; r < p->vadr[i+1]; r++) {
      int at = w->ptr[r];
      for (int k = p->near_adr[i]; k < p->near_adr[i+1]; k++)
        for (int j = p->vadr[p->near_node[k]]; j < p->vadr[p->near_node[k] + 1]; j++) w->col[at++] = j;
    }
  return TN_OK;
}

static int find(const work *w, int r, int c) {
  int low = w->ptr[r], high = w->ptr[r+1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (w->col[mid] < c) low = mid + 1;
    else high = mid;
  }
  return low;
}

static void middles(work *w) {
  const tni_structure *s = w->s;
  tni_basis *o = w->out;
  for (int b = 0; b < o->nb; b++) {
    double sum[3] = {0, 0, 0};
    int n = 0;
    for (int i = 0; i < s->nnode; i++)
      if (w->interface[i] == b && s->active[i]) vec3_add(sum, sum, s->mesh->x + 3*(size_t)i), n++;
    vec3_scale(o->middle + 3*b, 1.0/n, sum);
  }
}

/* one element into K_ii, K_ib, K_bb */
static void add_element(work *w, const int *node, int nn, int own, const double *K) {
  const tni_structure *s = w->s;
  tni_basis *o = w->out;
  size_t d = (size_t)s->ndof, nd = (size_t)w->nd;
  int nv = nn*own;
  /* T [nv][6] by the motions of the interface that carries the node */
  double T[TNI_SOLID_MAXDOF*6];
  for (int a = 0; a < nn; a++)
    for (int c = 0; c < own; c++)
      for (int j = 0; j < 6; j++) {
        int b = w->interface[node[a]];
        T[6*(own*a + c) + j] = b < 0 || !motion_exists(s, j)
                                   ? 0
                                   : rigid(s->mesh->x + 3*(size_t)node[a], o->middle + 3*b, c, j);
      }
  for (int a = 0; a < nn; a++)
    for (int c = 0; c < own; c++) {
      const double *row = K + (size_t)(own*a + c)*(size_t)nv;
      int u = s->unknown[(size_t)node[a]*d + (size_t)c], ba = w->interface[node[a]];
      for (int e = 0; e < nn; e++) {
        int be = w->interface[node[e]];
        if (be < 0) {
          if (u < 0) continue;
          int at = find(w, u, s->unknown[(size_t)node[e]*d]);
          for (int k = 0; k < own; k++) w->K[at + k] += row[own*e + k];
          continue;
        }
        for (int j = 0; j < 6; j++) {
          double sum = 0;
          for (int k = 0; k < own; k++) sum += row[own*e + k]*T[6*(own*e + k) + j];
          if (u >= 0) w->F[(size_t)(6*be + j)*(size_t)w->n + (size_t)u] += sum;
          else
            for (int i = 0; i < 6; i++) o->K[(size_t)(6*ba + i)*nd + (size_t)(6*be + j)] += T[6*(own*a + c) + i]*sum;
        }
      }
    }
}

static tn_status assemble(work *w) {
  const tni_structure *s = w->s;
  for (int k = 0; k < s->nblock; k++) {
    const tni_structure_block *b = &s->block[k];
    int own = b->nv/b->nnode;
    for (int e = 0; e < b->n; e++) {
      const int *node = b->node + (size_t)e*(size_t)b->nnode;
      double X[3*TNI_SOLID_MAXNODE], u[TNI_SOLID_MAXDOF] = {0}, f[TNI_SOLID_MAXDOF], K[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF];
      for (int a = 0; a < b->nnode; a++) vec3_copy(X + 3*a, s->mesh->x + 3*(size_t)node[a]);
      tni_solid_at at = {.X = X, .u = u, .axes = b->axes};
      tni_solid_out o = {.f = f, .K = K};
      if (!b->kind.type->eval(&b->kind, &at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &o))
        return tni_item_fail(w->b->ctx, w->item, "reduce", "element %lld has no stiffness at rest",
                             (long long)tni_mesh_cell_gid(s->mesh, b->cell[e]));
      add_element(w, node, b->nnode, own, K);
    }
  }
  for (int i = 0; i < w->n; i++) {
    double diagonal = w->K[find(w, i, i)];
    if (!(diagonal > 0)) return tni_item_fail(w->b->ctx, w->item, "reduce", "a node has no stiffness of its own");
    w->scale[i] = sqrt(diagonal);
  }
  return TN_OK;
}

/* factors of K_ii - shift M_ii; negative pivots */
static tn_status factor(work *w, double shift, int *negative) {
  int zero;
  for (int i = 0; i < w->n; i++)
    for (int k = w->ptr[i]; k < w->ptr[i+1]; k++)
      w->scaled[k] = (w->K[k] - (w->col[k] == i ? shift*w->mass[i] : 0))/(w->scale[i]*w->scale[w->col[k]]);
  tni_sparse_solver_destroy(&w->lu);
  tni_sparse_opts o = {.backend = "mumps", .symmetric = true, .least = shift == 0 ? NO_PIVOT : TINY_PIVOT, .node = w->node};
  TN_TRY(tni_sparse_solver_create(w->b->ctx, w->n, w->ptr, w->col, &o, &w->lu));
  tn_status st = tni_sparse_solver_factor(w->lu, w->scaled);
  if (st == TN_SINGULAR && shift == 0)
    return tni_item_fail(w->b->ctx, w->item, "reduce", "parts of the mesh can move without force while all its interfaces are held: "
                         "they are not connected to one, or elements with reduced integration let them pass");
  TN_TRY(st);
  if (!tni_sparse_solver_inertia(w->lu, negative, &zero)) *negative = -1;
  return TN_OK;
}

static void solve(work *w, double *x) {
  for (int i = 0; i < w->n; i++) x[i] /= w->scale[i];
  tni_sparse_solver_solve(w->lu, 1, true, x);
  for (int i = 0; i < w->n; i++) x[i] /= w->scale[i];
}

/* K_d and Psi in w->F */
static void static_shapes(work *w) {
  tni_basis *o = w->out;
  size_t n = (size_t)w->n, nd = (size_t)w->nd;
  for (size_t j = 0; j < nd; j++) w->stiff = fmax(w->stiff, o->K[j*nd + j]);
  double *x = w->scaled; /* at least n numbers, free while the factor lives */
  for (size_t j = 0; j < nd; j++) {
    for (size_t i = 0; i < n; i++) x[i] = -w->F[j*n + i];
    solve(w, x);
    /* columns from j on are K_ib still; the rest by symmetry */
    for (size_t k = j; k < nd; k++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++) sum += w->F[k*n + i]*x[i];
      o->K[k*nd + j] += sum;
    }
    memcpy(w->F + j*n, x, n*sizeof(double));
  }
  for (size_t j = 0; j < nd; j++)
    for (size_t k = j + 1; k < nd; k++) o->K[j*nd + k] = o->K[k*nd + j];
}

/* ---- modes with the interfaces held ------------------------------------------------------------- */

static void apply(void *user, const double *x, double *y) {
  work *w = user;
  for (int i = 0; i < w->n; i++) y[i] = w->mass[i]*x[i];
  solve(w, y);
}

static void weigh(void *user, const double *x, double *y) {
  const work *w = user;
  for (int i = 0; i < w->n; i++) y[i] = w->mass[i]*x[i];
}

/* the `count` lowest; *phi [count][n] in the scratch arena, w^2 */
static tn_status modes(work *w, int count, double **phi, double **omega2) {
  int negative;
  for (int round = 0, want = count + 3;; round++, want += want/2 + BLOCK) {
    tni_krylov k;
    if (want > w->n) want = w->n;
    int room = 3*want + SPARE, n = 0;
    tni_krylov_opts o = {.n = w->n, .apply = apply, .weigh = weigh, .user = w, .symmetric = true, .want = want,
                         .block = BLOCK < w->n ? BLOCK : w->n, .most = room < w->n ? room : w->n, .tolerance = EIGEN_TOL};
    TN_TRY(tni_krylov_eigen(&w->arena, &o, &k));
    while (n < k.nvector && k.residual[n] <= ACCEPTED*fabs(k.re[n])) n++;
    int next = count;
    while (next < n && k.re[count - 1] - k.re[next] <= 1e-6*k.re[count - 1]) next++;
    if (n < w->n && next >= n) { /* nothing above the last to tell it from */
      if (round < ROUNDS) continue;
      return tni_item_fail(w->b->ctx, w->item, "reduce", "%d of %d modes were found", n < count ? n : count, count);
    }
    if (n < w->n) {
      double bound = 0.5*(1/k.re[next] + 1/k.re[next - 1]);
      TN_TRY(factor(w, bound, &negative));
      int found = negative;
      TN_TRY(factor(w, 0, &negative));
      if (found >= 0 && found != next) {
        if (round < ROUNDS) continue;
        return tni_item_fail(w->b->ctx, w->item, "reduce", "%d modes were found below %g Hz where there are %d", next,
                             sqrt(bound)/TWO_PI, found);
      }
    }
    *phi = k.vector;
    TNI_ARENA_NEW(&w->arena, *omega2, count);
    for (int i = 0; i < count; i++) (*omega2)[i] = 1/k.re[i];
    return TN_OK;
  }
}

/* ---- the basis ------------------------------------------------------------------------------------- */

static tn_status allocate(tni_arena *arena, tni_basis *o) {
  size_t nd = 6*(size_t)o->nb, n = nd + (size_t)o->nm;
  TNI_ARENA_NEW(arena, o->middle, 3*(size_t)o->nb);
  TNI_ARENA_NEW(arena, o->K, nd*nd);
  TNI_ARENA_NEW(arena, o->M, n*n);
  TNI_ARENA_NEW(arena, o->omega2, o->nm);
  TNI_ARENA_NEW(arena, o->B, (size_t)o->nnode*(size_t)o->ndof*n);
  return TN_OK;
}

/* B of all nodes, M of those within; modes to a largest displacement (rotation times size) of 1 */
static void fill_basis(work *w, const double *phi, const double *omega2) {
  const tni_structure *s = w->s;
  tni_basis *o = w->out;
  size_t d = (size_t)s->ndof, n = (size_t)(w->nd + o->nm), nd = (size_t)w->nd, ni = (size_t)w->n;
  double *scale = o->omega2; /* in a moment */
  for (int k = 0; k < o->nm; k++) {
    const double *x = phi + (size_t)k*ni;
    double most = 0, sign = 1;
    for (size_t i = 0; i < ni; i++) {
      double size = fabs(x[i])*(w->mesh->role[i] < 3 ? 1 : w->mesh->size);
      if (size > most*(1 + 1e-9)) most = size, sign = x[i] < 0 ? -1 : 1;
    }
    scale[k] = sign/most;
  }
  for (int i = 0; i < s->nnode; i++)
    for (size_t c = 0; c < (size_t)s->active[i]; c++) {
      double *B = o->B + ((size_t)i*d + c)*n;
      int b = w->interface[i], u = s->unknown[(size_t)i*d + c];
      for (int j = 0; j < 6 && b >= 0; j++)
        if (motion_exists(s, j)) B[6*b + j] = rigid(s->mesh->x + 3*(size_t)i, o->middle + 3*b, (int)c, j);
      for (size_t j = 0; j < nd && u >= 0; j++) B[j] = w->F[j*ni + (size_t)u];
      for (int k = 0; k < o->nm && u >= 0; k++) B[nd + (size_t)k] = scale[k]*phi[(size_t)k*ni + (size_t)u];
      for (size_t j = 0; j < n && u >= 0; j++)
        for (size_t l = 0; l <= j; l++) o->M[j*n + l] += w->mass[u]*B[j]*B[l];
    }
  for (size_t j = 0; j < n; j++)
    for (size_t l = j + 1; l < n; l++) o->M[j*n + l] = o->M[l*n + j];
  for (int k = 0; k < o->nm; k++) {
    /* orthogonal by construction: what is left is rounding */
    for (int l = 0; l < o->nm; l++)
      if (l != k) o->M[(nd + (size_t)k)*n + nd + (size_t)l] = 0;
    o->omega2[k] = omega2[k];
  }
}

/* Rigid motions: no force, and the mass of the nodes. */
static tn_status check(work *w) {
  const tni_basis *o = w->out;
  const tni_structure *s = w->s;
  size_t nd = (size_t)w->nd, n = nd + (size_t)o->nm;
  double size = w->stiff, off = 0;
  for (int j = 0; j < 6; j++) {
    if (!motion_exists(s, j)) continue;
    double *x = w->scaled, *y = w->scaled + nd; /* there are far more unknowns */
    for (int b = 0; b < o->nb; b++)
      for (int c = 0; c < 6; c++)
        x[6*b + c] = rigid(o->middle + 3*b, o->middle, c, j)/(j < 3 ? 1 : fmax(w->mesh->size, 1e-300));
    for (size_t i = 0; i < nd; i++) {
      y[i] = 0;
      for (size_t k = 0; k < nd; k++) y[i] += o->K[i*nd + k]*x[k];
      off = fmax(off, fabs(y[i]));
    }
  }
  if (!(off <= RIGID*size))
    return tni_item_fail(w->b->ctx, w->item, "reduce", "rigid motions of the reduced body meet forces (%.2g of its stiffness): its "
                         "stiffness is not right", off/size);
  /* translations see the mass */
  double m = 0, sum = 0;
  for (int i = 0; i < s->nnode; i++) m += w->interface[i] < 0 && s->active[i] ? s->mass[i] : 0;
  for (int b = 0; b < o->nb; b++)
    for (int c = 0; c < o->nb; c++) sum += o->M[(size_t)(6*b)*n + (size_t)(6*c)];
  if (!(fabs(sum - m) <= 1e-7*m))
    return tni_item_fail(w->b->ctx, w->item, "reduce", "the reduced body weighs %.9g kg where its mesh weighs %.9g kg", sum, m);
  return TN_OK;
}

static tn_status compute(work *w, const tni_reduce_opts *opts) {
  tni_basis *o = w->out;
  int negative, count = opts->modes;
  double *phi = NULL, *omega2 = NULL, *K;
  size_t nd = (size_t)w->nd;
  TN_TRY(pattern(w));
  TNI_ARENA_NEW(w->b->arena, o->middle, 3*(size_t)o->nb);
  TNI_ARENA_NEW(w->b->arena, o->K, nd*nd);
  middles(w);
  TN_TRY(assemble(w));
  if (opts->up_to > 0) {
    double top = TWO_PI*opts->up_to;
    TN_TRY(factor(w, top*top, &count));
    if (count < 0) return tni_item_fail(w->b->ctx, w->item, "reduce", "the sparse solver does not tell how many modes there are");
    if (count == 0)
      return tni_item_fail(w->b->ctx, w->item, "reduce", "no mode with held interfaces lies below up_to = %g Hz; give modes: 1 or more",
                           opts->up_to);
  }
  if (count > w->n || count > MOST_MODES)
    return tni_item_fail(w->b->ctx, w->item, "reduce", "%d modes, must be at most %d%s", count,
                         w->n < MOST_MODES ? w->n : MOST_MODES, w->n < MOST_MODES ? ", the unknowns of the mesh" : "");
  TN_TRY(factor(w, 0, &negative));
  static_shapes(w);
  TN_TRY(modes(w, count, &phi, &omega2));
  o->nm = count;
  K = o->K;
  double *middle = o->middle;
  TN_TRY(allocate(w->b->arena, o));
  o->K = K, o->middle = middle;
  fill_basis(w, phi, omega2);
  return check(w);
}

tn_status tni_basis_compute(tni_builder *b, const tni_item *item, const tni_structure *s, const tni_part *mesh, int nb,
                            const int *interface, const tni_reduce_opts *opts, tni_basis *out) {
  work w = {.b = b, .item = item, .s = s, .mesh = mesh, .interface = interface, .out = out, .nd = 6*nb};
  *out = (tni_basis){.nb = nb, .ndof = s->ndof, .nnode = s->nnode};
  tni_arena_init(&w.arena, b->ctx);
  tn_status st = compute(&w, opts);
  tni_sparse_solver_destroy(&w.lu);
  tni_arena_clear(&w.arena);
  return st;
}
