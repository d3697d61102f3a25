/* nonlinear/rest_elements.c - equilibria of meshes by conjugate gradients on the stiffnesses of elements, which are never assembled
 *
 * Where no matrices are kept, those of equal elements are, once: meshes of generators and of mapped blocks have few different ones. Elements whose
 * matrices differ by no more than EQUAL are taken to be equal, which is what rounding of their places does to them. All others are evaluated anew in
 * every product.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/rest_elements.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "linsolve/pair.h"
#include "linsolve/sparse.h"
#include "parallel/pool.h"
#include "system/parts.h"

enum { TOGETHER = 128, GRAIN = 16, FEWEST = 2000 }; /* elements whose products are made before they are added; iterations at least */
enum { KINDS = 64, ABREAST = 8 };                   /* matrices of equal elements; of those together that are multiplied at once */
static const double EQUAL = 1e-12;                  /* of the largest number of a matrix */
enum { COLOURS = 64 };                              /* the last one: those that found no other, one after the other */

struct tni_rest_elements {
  tn_ctx *ctx;
  tni_arena arena;
  tni_data *s;
  tni_rest_elements_opts o;
  int n, nelement, most;
  int *part;               /* [nelement] */
  int *number;             /* [nelement] within its part */
  size_t *adr;             /* [nelement+1] */
  int *unknown;            /* [adr[nelement]] of the system */
  size_t *place;           /* [nelement] of its triangle in K and L; NULL: none is kept */
  double *K, *L;           /* lower triangles by rows; L: unit L_e below, D_e on the diagonal */
  int *by_colour, colour_adr[COLOURS + 1];
  double *shared;          /* [KINDS][most][most] matrices of equal elements; NULL: all are kept */
  int nshared, shared_n[KINDS]; /* how many; their sizes */
  double shared_most[KINDS]; /* largest numbers */
  short *like;             /* [nelement] which of them is its own, -1: none */
  double *W;               /* [n] diagonal of K */
  double *z, *r, *p, *q, *x; /* [n] */
  double *product;         /* [TOGETHER][most] */
  double *gain;            /* [most iterations] energy that each has brought */
  double *made;            /* [TOGETHER][most][most] */
  bool *done;              /* [TOGETHER] */
  const double *from;      /* of the product at hand */
  int first;               /* of the elements at hand */
  int colour;
  double bytes;
  long iterations;
  double residual;
};

static size_t triangle(size_t n) { return n*(n + 1)/2; }

/* ---- create ----------------------------------------------------------------------------------------- */

static tn_status list_elements(tni_arena *arena, tni_data *s, tni_part_elements **out, int *n) {
  const tni_parts *p = s->parts;
  TN_REQUIRE(s->ctx, p && p->n > 0 && s->nbody == 0 && s->m == 0, TN_ERR_UNSUPPORTED,
             "'matrix: elements' and 'free' take structures and nothing else; this model has %d structures, %d bodies and %d constraint rows",
             p ? p->n : 0, s->nbody, s->m);
  *n = 0;
  TNI_ARENA_NEW(arena, *out, p->n);
  for (int i = 0; i < p->n; i++) {
    const tni_part *part = &p->part[i];
    TN_REQUIRE(s->ctx, part->ops->elements, TN_ERR_UNSUPPORTED, "'matrix: elements' and 'free' are not there for structure '%s'", part->name);
    TN_TRY(part->ops->elements(part, arena, &(*out)[i]));
    *n += (*out)[i].n;
  }
  return TN_OK;
}

static long most_iterations(int n) { return 2L*n > FEWEST ? 2L*n : FEWEST; }

static double bytes_of(const tni_rest_elements_opts *o, int n, int nelement, size_t entries, size_t numbers, int most) {
  double vectors = 8.0*8*n, list = (double)entries*4 + (double)nelement*16;
  double room = 8.0*TOGETHER*most*(most + 1.0);
  double kept = 8.0*(double)numbers*((o->keeps ? 1 : 0) + (o->factors ? 1 : 0)) + (o->keeps || o->factors ? 8.0*nelement : 0);
  double shared = o->keeps ? 0 : 8.0*KINDS*most*most + 2.0*nelement;
  return vectors + list + room + kept + shared + (o->factors ? 4.0*nelement : 0);
}

tn_status tni_rest_elements_expect(tni_data *s, const tni_rest_elements_opts *o, double *bytes) {
  tni_arena scratch;
  tni_part_elements *list;
  int n, most = 0;
  size_t entries = 0, numbers = 0;
  tni_arena_init(&scratch, s->ctx);
  tn_status st = list_elements(&scratch, s, &list, &n);
  for (int i = 0; st == TN_OK && i < s->parts->n; i++) {
    entries += list[i].adr[list[i].n];
    if (list[i].most > most) most = list[i].most;
    for (int e = 0; e < list[i].n; e++) numbers += triangle(list[i].adr[e+1] - list[i].adr[e]);
  }
  if (st == TN_OK) *bytes = bytes_of(o, s->nv, n, entries, numbers, most);
  tni_arena_clear(&scratch);
  return st;
}

/* elements of a colour share no unknown */
static tn_status colour_elements(tni_rest_elements *w, tni_arena *scratch) {
  uint64_t *taken;
  unsigned char *colour;
  TNI_ARENA_NEW(scratch, taken, w->n);
  TNI_ARENA_NEW(scratch, colour, w->nelement);
  TNI_ARENA_NEW(&w->arena, w->by_colour, w->nelement);
  int count[COLOURS + 1] = {0};
  for (int e = 0; e < w->nelement; e++) {
    uint64_t mask = 0;
    int c = 0;
    for (size_t k = w->adr[e]; k < w->adr[e+1]; k++) mask |= taken[w->unknown[k]];
    while (c < COLOURS - 1 && mask >> c & 1) c++;
    for (size_t k = w->adr[e]; k < w->adr[e+1]; k++) taken[w->unknown[k]] |= (uint64_t)1 << c;
    colour[e] = (unsigned char)c;
    count[c + 1]++;
  }
  for (int c = 0; c < COLOURS; c++) count[c+1] += count[c];
  memcpy(w->colour_adr, count, sizeof(count));
  for (int e = 0; e < w->nelement; e++) w->by_colour[count[colour[e]]++] = e;
  return TN_OK;
}

static tn_status build(tni_rest_elements *w, tni_arena *scratch) {
  const tni_parts *p = w->s->parts;
  tni_part_elements *list;
  size_t entries = 0, numbers = 0;
  TN_TRY(list_elements(scratch, w->s, &list, &w->nelement));
  for (int i = 0; i < p->n; i++) {
    entries += list[i].adr[list[i].n];
    if (list[i].most > w->most) w->most = list[i].most;
  }
  tni_arena *a = &w->arena;
  TNI_ARENA_NEW(a, w->part, w->nelement);
  TNI_ARENA_NEW(a, w->number, w->nelement);
  TNI_ARENA_NEW(a, w->adr, (size_t)w->nelement + 1);
  TNI_ARENA_NEW(a, w->unknown, entries);
  bool stores = w->o.keeps || w->o.factors;
  if (stores) TNI_ARENA_NEW(a, w->place, w->nelement);
  int e = 0;
  size_t at = 0;
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < list[i].n; k++, e++) {
      w->part[e] = i;
      w->number[e] = k;
      w->adr[e] = at;
      for (size_t j = list[i].adr[k]; j < list[i].adr[k+1]; j++) w->unknown[at++] = p->v0 + p->at[i] + list[i].unknown[j];
      if (stores) w->place[e] = numbers;
      numbers += triangle(at - w->adr[e]);
    }
  w->adr[e] = at;
  if (w->o.keeps) TNI_ARENA_NEW(a, w->K, numbers);
  else {
    TNI_ARENA_NEW(a, w->shared, (size_t)KINDS*(size_t)w->most*(size_t)w->most);
    TNI_ARENA_NEW(a, w->like, w->nelement);
  }
  if (w->o.factors) TNI_ARENA_NEW(a, w->L, numbers);
  if (w->o.factors) TN_TRY(colour_elements(w, scratch));
  TNI_ARENA_NEW(&w->arena, w->gain, most_iterations(w->n));
  double **vector[] = {&w->W, &w->z, &w->r, &w->p, &w->q, &w->x};
  for (int i = 0; i < TNI_COUNT(vector); i++) TNI_ARENA_NEW(a, *vector[i], w->n);
  TNI_ARENA_NEW(a, w->product, (size_t)TOGETHER*(size_t)w->most);
  TNI_ARENA_NEW(a, w->made, (size_t)TOGETHER*(size_t)w->most*(size_t)w->most);
  TNI_ARENA_NEW(a, w->done, TOGETHER);
  w->bytes = bytes_of(&w->o, w->n, w->nelement, entries, numbers, w->most);
  return TN_OK;
}

tn_status tni_rest_elements_create(tni_data *s, const tni_rest_elements_opts *o, tni_rest_elements **out) {
  tni_arena scratch;
  *out = NULL;
  tni_rest_elements *w = tni_alloc(s->ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(s->ctx);
  tni_arena_init(&w->arena, s->ctx);
  tni_arena_init(&scratch, s->ctx);
  w->ctx = s->ctx;
  w->s = s;
  w->o = *o;
  w->n = s->nv;
  tn_status st = build(w, &scratch);
  tni_arena_clear(&scratch);
  if (st != TN_OK) tni_rest_elements_destroy(&w);
  *out = w;
  return st;
}

void tni_rest_elements_destroy(tni_rest_elements **out) {
  tni_rest_elements *w = *out;
  if (!w) return;
  tn_ctx *ctx = w->ctx;
  tni_arena_clear(&w->arena);
  tni_free(ctx, w);
  *out = NULL;
}

/* ---- products ---------------------------------------------------------------------------------------- */

static int size_of(const tni_rest_elements *w, int e) { return (int)(w->adr[e+1] - w->adr[e]); }

/* y := K_e x, K_e by its lower triangle */
static void multiply(int n, const double *K, const double *x, double *y) {
  for (int r = 0; r < n; r++) {
    double sum = 0, xr = x[r];
    for (int c = 0; c < r; c++) {
      sum += K[c]*x[c];
      y[c] += K[c]*xr;
    }
    y[r] = sum + K[r]*xr;
    K += r + 1;
  }
}

static double *shared_of(const tni_rest_elements *w, int kind) { return w->shared + (size_t)kind*(size_t)w->most*(size_t)w->most; }

/* y [n][ABREAST] := K x, four rows at a time, whose sums do not wait for each other */
WIDE_ROWS static void multiply_abreast(int n, const double *K, const double *restrict x, double *restrict y) {
  for (int r = 0; r < n; r += 4) {
    const double *k[4];
    quad sum[4][2] = {{{0}}};
    for (int i = 0; i < 4; i++) k[i] = K + (size_t)(r + i < n ? r + i : n - 1)*(size_t)n;
    for (int c = 0; c < n; c++) {
      const quad lo = LOAD4(x + c*ABREAST), hi = LOAD4(x + c*ABREAST + 4);
      for (int i = 0; i < 4; i++) sum[i][0] += k[i][c]*lo, sum[i][1] += k[i][c]*hi;
    }
    for (int i = 0; i < 4 && r + i < n; i++) {
      STORE4(y + (r + i)*ABREAST, sum[i][0]);
      STORE4(y + (r + i)*ABREAST + 4, sum[i][1]);
    }
  }
}

/* Products of elements i .. with one matrix in common, no more than there are; returns how many. Each of them has the numbers it had alone. */
static int make_shared(tni_rest_elements *w, int i, int end) {
  double x[TNI_PART_MOST_UNKNOWNS*ABREAST], y[TNI_PART_MOST_UNKNOWNS*ABREAST];
  int first = w->first + i, kind = w->like[first], n = size_of(w, first), count = 0;
  while (count < ABREAST && i + count < end && w->like[first + count] == kind) count++;
  for (int l = 0; l < ABREAST; l++) {
    const int *at = w->unknown + w->adr[first + (l < count ? l : 0)];
    for (int k = 0; k < n; k++) x[k*ABREAST + l] = w->from[at[k]];
  }
  multiply_abreast(n, shared_of(w, kind), x, y);
  for (int l = 0; l < count; l++) {
    double *to = w->product + (size_t)(i + l)*(size_t)w->most;
    for (int k = 0; k < n; k++) to[k] = y[k*ABREAST + l];
    w->done[i + l] = true;
  }
  return count;
}

static void make_products(void *user, int begin, int end) {
  tni_rest_elements *w = user;
  for (int i = begin; i < end; i++) {
    int e = w->first + i, n = size_of(w, e);
    if (w->like && w->like[e] >= 0) {
      i += make_shared(w, i, end) - 1;
      continue;
    }
    double x[TNI_PART_MOST_UNKNOWNS], *y = w->product + (size_t)i*(size_t)w->most;
    for (int k = 0; k < n; k++) x[k] = w->from[w->unknown[w->adr[e] + (size_t)k]];
    w->done[i] = true;
    if (w->K) {
      multiply(n, w->K + w->place[e], x, y);
      continue;
    }
    const tni_parts *p = w->s->parts;
    const tni_part *part = &p->part[w->part[e]];
    tni_part_at at = tni_parts_at(w->s, w->part[e]);
    w->done[i] = part->ops->element_product(part, p->work[w->part[e]], &at, w->number[e], x, y);
  }
}

/* q := K p */
static bool apply(tni_rest_elements *w, const double *p, double *q) {
  bool fine = true;
  memset(q, 0, (size_t)w->n*sizeof(double));
  w->from = p;
  for (w->first = 0; w->first < w->nelement; w->first += TOGETHER) {
    int n = w->nelement - w->first < TOGETHER ? w->nelement - w->first : TOGETHER;
    tni_parallel_for(w->ctx, n, GRAIN, make_products, w);
    for (int i = 0; i < n; i++) {
      int e = w->first + i;
      const double *y = w->product + (size_t)i*(size_t)w->most;
      for (size_t k = w->adr[e]; k < w->adr[e+1]; k++) q[w->unknown[k]] += *y++;
      fine = fine && w->done[i];
    }
  }
  return fine;
}

/* ---- matrices ---------------------------------------------------------------------------------------- */

static void make_matrices(void *user, int begin, int end) {
  tni_rest_elements *w = user;
  const tni_parts *p = w->s->parts;
  for (int i = begin; i < end; i++) {
    int e = w->first + i;
    const tni_part *part = &p->part[w->part[e]];
    tni_part_at at = tni_parts_at(w->s, w->part[e]);
    w->done[i] = part->ops->element_tangent(part, p->work[w->part[e]], &at, w->number[e], w->made + (size_t)i*(size_t)w->most*(size_t)w->most);
  }
}

/* which matrix is that of element e, X [n][n]; one more is kept where there is room */
static void find_like(tni_rest_elements *w, int e, int n, const double *X) {
  int last = e > 0 ? w->like[e-1] : -1;
  for (int tried = -1; tried < w->nshared; tried++) {
    int kind = tried < 0 ? last : tried; /* neighbours are alike */
    if (kind < 0 || w->shared_n[kind] != n) continue;
    const double *K = shared_of(w, kind);
    double most = EQUAL*w->shared_most[kind];
    int k = 0;
    while (k < n*n && fabs(X[k] - K[k]) <= most) k++;
    if (k < n*n) continue;
    w->like[e] = (short)kind;
    return;
  }
  w->like[e] = -1;
  if (w->nshared == KINDS) return;
  int kind = w->nshared++;
  double most = 0;
  for (int k = 0; k < n*n; k++) most = fmax(most, fabs(X[k]));
  memcpy(shared_of(w, kind), X, (size_t)n*(size_t)n*sizeof(double));
  w->shared_n[kind] = n;
  w->shared_most[kind] = most;
  w->like[e] = (short)kind;
}

/* every element's matrix, some at a time; what: the diagonal (and the matrix, if it is kept), or what the preconditioner begins with */
static tn_status visit_matrices(tni_rest_elements *w, bool scaled) {
  for (w->first = 0; w->first < w->nelement; w->first += TOGETHER) {
    int n = w->nelement - w->first < TOGETHER ? w->nelement - w->first : TOGETHER;
    tni_parallel_for(w->ctx, n, GRAIN, make_matrices, w);
    for (int i = 0; i < n; i++) {
      int e = w->first + i, k = size_of(w, e);
      const double *X = w->made + (size_t)i*(size_t)w->most*(size_t)w->most;
      const int *at = w->unknown + w->adr[e];
      if (!w->done[i]) return TN_FAIL(w->ctx, TN_SINGULAR, "element %d of structure '%s' has no stiffness here", w->number[e], w->s->parts->part[w->part[e]].name);
      double *to = scaled ? w->L + w->place[e] : w->K ? w->K + w->place[e] : NULL;
      for (int r = 0; r < k; r++) {
        for (int c = 0; c <= r && to; c++, to++)
          *to = !scaled ? X[r*k + c] : r == c ? 1 : X[r*k + c]/sqrt(w->W[at[r]]*w->W[at[c]]);
        if (!scaled) w->W[at[r]] += X[r*k + r];
      }
      if (!scaled && w->shared) find_like(w, e, k, X);
    }
  }
  return TN_OK;
}

/* L D L^T in place, of rows */
static bool factor_element(int n, double *A) {
  for (int r = 0; r < n; r++) {
    double *row = A + triangle((size_t)r);
    for (int c = 0; c < r; c++) {
      const double *other = A + triangle((size_t)c);
      for (int k = 0; k < c; k++) row[c] -= row[k]*other[k]; /* row[k] = L_rk D_k yet */
    }
    for (int c = 0; c < r; c++) {
      double l = row[c]/A[triangle((size_t)c) + (size_t)c];
      row[r] -= l*row[c];
      row[c] = l;
    }
    if (!(row[r] > 0)) return false;
  }
  return true;
}

tn_status tni_rest_elements_factor(tni_rest_elements *w, double t, const double *q) {
  tni_data *s = w->s;
  tni_parts_set(s, t, q, NULL);
  for (int i = 0; i < s->parts->n; i++) {
    tni_part_at at = tni_parts_at(s, i);
    s->parts->part[i].ops->element_place(&s->parts->part[i], s->parts->work[i], &at);
  }
  memset(w->W, 0, (size_t)w->n*sizeof(double));
  w->nshared = 0;
  TN_TRY(visit_matrices(w, false));
  for (int i = 0; i < w->n; i++) {
    if (w->W[i] > 0) continue;
    char name[128];
    tni_dof_name(s, i, name, sizeof(name));
    return TN_FAIL(w->ctx, TN_SINGULAR, "the stiffness is not positive definite at '%s', which solver 'pcg' needs: not held, or unstable; "
                   "'solver: mumps' tells which", name);
  }
  if (!w->o.factors) return TN_OK;
  TN_TRY(visit_matrices(w, true));
  for (int e = 0; e < w->nelement; e++)
    if (!factor_element(size_of(w, e), w->L + w->place[e]))
      return TN_FAIL(w->ctx, TN_SINGULAR, "an element of structure '%s' has a matrix that is not positive; take 'preconditioner: diagonal'",
                     w->s->parts->part[w->part[e]].name);
  return TN_OK;
}

/* ---- preconditioner and iterations ------------------------------------------------------------------- */

static void forward(void *user, int begin, int end) {
  tni_rest_elements *w = user;
  for (int i = begin; i < end; i++) {
    int e = w->by_colour[w->colour_adr[w->colour] + i], n = size_of(w, e);
    const int *at = w->unknown + w->adr[e];
    const double *row = w->L + w->place[e];
    double y[TNI_PART_MOST_UNKNOWNS];
    for (int r = 0; r < n; row += ++r) {
      double sum = w->z[at[r]];
      for (int c = 0; c < r; c++) sum -= row[c]*y[c];
      y[r] = sum;
    }
    for (int r = 0; r < n; r++) w->z[at[r]] = y[r];
  }
}

static void divide(void *user, int begin, int end) {
  tni_rest_elements *w = user;
  for (int i = begin; i < end; i++) {
    int e = w->by_colour[w->colour_adr[w->colour] + i], n = size_of(w, e);
    const int *at = w->unknown + w->adr[e];
    const double *L = w->L + w->place[e];
    for (int r = 0; r < n; r++) w->z[at[r]] /= L[triangle((size_t)r) + (size_t)r];
  }
}

static void backward(void *user, int begin, int end) {
  tni_rest_elements *w = user;
  for (int i = begin; i < end; i++) {
    int e = w->by_colour[w->colour_adr[w->colour] + i], n = size_of(w, e);
    const int *at = w->unknown + w->adr[e];
    const double *L = w->L + w->place[e];
    double y[TNI_PART_MOST_UNKNOWNS];
    for (int r = 0; r < n; r++) y[r] = w->z[at[r]];
    for (int r = n - 1; r >= 0; r--) {
      const double *row = L + triangle((size_t)r);
      for (int c = 0; c < r; c++) y[c] -= row[c]*y[r];
    }
    for (int r = 0; r < n; r++) w->z[at[r]] = y[r];
  }
}

static void sweep(tni_rest_elements *w, bool back, void (*work)(void *user, int begin, int end)) {
  for (int k = 0; k < COLOURS; k++) {
    w->colour = back ? COLOURS - 1 - k : k;
    int n = w->colour_adr[w->colour + 1] - w->colour_adr[w->colour];
    if (n == 0) continue;
    if (w->colour < COLOURS - 1) {
      tni_parallel_for(w->ctx, n, GRAIN, work, w);
      continue;
    }
    for (int i = 0; i < n; i++) { /* these may share unknowns: back in the opposite order */
      int at = back ? n - 1 - i : i;
      work(w, at, at + 1);
    }
  }
}

/* z := C^-1 r */
static void precondition(tni_rest_elements *w) {
  for (int i = 0; i < w->n; i++) w->z[i] = w->o.factors ? w->r[i]/sqrt(w->W[i]) : w->r[i]/w->W[i];
  if (!w->o.factors) return;
  sweep(w, false, forward);
  sweep(w, false, divide);
  sweep(w, true, backward);
  for (int i = 0; i < w->n; i++) w->z[i] /= sqrt(w->W[i]);
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i]*y[i];
  return sum;
}

tn_status tni_rest_elements_solve(tni_rest_elements *w, double *x) {
  int n = w->n;
  long most = most_iterations(n);
  size_t bytes = (size_t)n*sizeof(double);
  memcpy(w->r, x, bytes);
  memset(w->x, 0, bytes);
  double size = sqrt(dot(n, x, x)), rz = 0;
  w->iterations = 0;
  w->residual = 0;
  memset(w->p, 0, bytes);
  for (;;) {
    w->residual = size > 0 ? sqrt(dot(n, w->r, w->r))/size : 0;
    if (!isfinite(w->residual)) return TN_FAIL(w->ctx, TN_NOT_CONVERGED, "conjugate gradients: the residual is not finite");
    if (w->residual <= w->o.tolerance && (!(w->residual > 0) || tni_energy_is_there(w->iterations, w->gain, w->o.tolerance))) break;
    if (w->iterations == most)
      return TN_FAIL(w->ctx, TN_NOT_CONVERGED, "conjugate gradients: %ld iterations, residual %.1e of the right side, must be %.1e; take 'solver: fronts'",
                     most, w->residual, w->o.tolerance);
    precondition(w);
    double next = dot(n, w->r, w->z), by = w->iterations ? next/rz : 0;
    for (int i = 0; i < n; i++) w->p[i] = w->z[i] + by*w->p[i];
    rz = next;
    bool fine = apply(w, w->p, w->q);
    double pq = dot(n, w->p, w->q);
    if (!fine || !(pq > 0))
      return TN_FAIL(w->ctx, TN_SINGULAR, "conjugate gradients: a direction without stiffness, or one that is unstable; 'solver: mumps' tells which");
    double a = rz/pq;
    w->gain[w->iterations] = a*rz;
    for (int i = 0; i < n; i++) {
      w->x[i] += a*w->p[i];
      w->r[i] -= a*w->q[i];
    }
    w->iterations++;
    if (w->ctx->interrupted) return TN_FAIL(w->ctx, TN_INTERRUPTED, "stopped in conjugate gradients");
  }
  memcpy(x, w->x, bytes);
  return TN_OK;
}

double tni_rest_elements_bytes(const tni_rest_elements *w) { return w->bytes; }

void tni_rest_elements_describe(const tni_rest_elements *w, char *out, size_t n) {
  int used = snprintf(out, n, "pcg, %s, preconditioner %s: %ld iterations to %.1e of the right side", w->K ? "matrices of elements" : "no matrix",
                      w->o.factors ? "of elements" : "diagonal", w->iterations, w->residual), alike = 0;
  for (int e = 0; e < w->nelement && w->like; e++) alike += w->like[e] >= 0;
  if (alike > 0 && used > 0 && (size_t)used < n)
    snprintf(out + used, n - (size_t)used, "; %d matrices are those of %d elements of %d", w->nshared, alike, w->nelement);
}
