/* linsolve/krylov.c - the largest eigenvalues of a linear operator that is known by its products only
 *
 * V holds the vectors, Op V_j = V H_j exactly; T is the square part of H for the j vectors that have
 * been multiplied, and what H has below it gives the residuals of the eigenpairs of T (band form of
 * the process: A. Ruhe, Math. Comp. 33, 1979).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/krylov.h"

#include <math.h>
#include <stdlib.h>

#include <cblas.h>
#undef I /* complex.h, through cblas.h */

#include "linsolve/lapack.h"

/* a vector that keeps less than this of its length is a combination of the others */
static const double DEPENDENT = 1e-13;
enum { CHECK_EVERY = 8 };

typedef struct {
  const tni_krylov_opts *o;
  size_t n;
  int most, nvec, nmul; /* room; vectors in V; of these multiplied */
  double *V;            /* [most + block][n]                       */
  double *H;            /* [most][most + block] column after column */
  double *u, *Bu, *c;
  double *Y;            /* [block][n] products of V[made - k .. made)  */
  int made, k;
  double *T, *re, *im, *X, *work; /* eigenproblem of the projection */
  double *res;
  int *order;
  unsigned seed;
} space;

/* length of u before it was made orthogonal to V, coefficients added to h; appended unless dependent */
static void append(space *s, double *h) {
  const tni_krylov_opts *o = s->o;
  int n = (int)s->n;
  o->weigh(o->user, s->u, s->Bu);
  double before = sqrt(fmax(0, cblas_ddot(n, s->u, 1, s->Bu, 1))), after = before;
  if (!(before > 0) || !isfinite(before)) return;
  for (int pass = 0; pass < 3; pass++) {
    if (s->nvec > 0) {
      cblas_dgemv(CblasRowMajor, CblasNoTrans, s->nvec, n, 1, s->V, n, s->Bu, 1, 0, s->c, 1);
      cblas_dgemv(CblasRowMajor, CblasTrans, s->nvec, n, -1, s->V, n, s->c, 1, 1, s->u, 1);
      for (int i = 0; i < s->nvec && h; i++) h[i] += s->c[i];
    }
    o->weigh(o->user, s->u, s->Bu);
    double length = sqrt(fmax(0, cblas_ddot(n, s->u, 1, s->Bu, 1)));
    bool enough = length > 0.5*after;
    after = length;
    if (enough) break;
  }
  if (!(after > DEPENDENT*before)) return;
  if (h) h[s->nvec] = after;
  double *v = s->V + (size_t)s->nvec*s->n;
  for (size_t i = 0; i < s->n; i++) v[i] = s->u[i]/after;
  s->nvec++;
}

/* eigenvalues of the projection, sorted, with residuals */
static bool project(space *s) {
  int k = s->nmul, ld = s->most + s->o->block;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < k; i++) {
      double a = s->H[(size_t)j*(size_t)ld + (size_t)i], b = s->H[(size_t)i*(size_t)ld + (size_t)j];
      s->T[(size_t)j*(size_t)k + (size_t)i] = s->o->symmetric ? 0.5*(a + b) : a;
    }
  memset(s->im, 0, (size_t)k*sizeof(double));
  int lwork = 40*(s->most + 2);
  if (s->o->symmetric) {
    memcpy(s->X, s->T, (size_t)k*(size_t)k*sizeof(double));
    if (tni_syev('V', 'L', k, s->X, k, s->re, s->work, lwork) != 0)
      return false;
  } else if (tni_geev('N', 'V', k, s->T, k, s->re, s->im, NULL, 1, s->X, k,
                                s->work, lwork) != 0) {
    return false;
  }
  for (int i = 0; i < k; i++) {
    const double *x = s->X + (size_t)i*(size_t)k;
    double sum = 0;
    for (int r = k; r < s->nvec; r++)
      for (int part = 0; part < (s->im[i] > 0 ? 2 : 1); part++) {
        double e = 0;
        for (int j = 0; j < k; j++) e += s->H[(size_t)j*(size_t)ld + (size_t)r]*x[j + part*k];
        sum += e*e;
      }
    s->res[i] = sqrt(sum);
    if (s->im[i] < 0) s->res[i] = s->res[i-1];
    s->order[i] = i;
  }
  /* insertion: nearly sorted in the symmetric case, and short */
  for (int i = 1; i < k; i++) {
    int at = s->order[i], j = i;
    double size = hypot(s->re[at], s->im[at]);
    for (; j > 0; j--) {
      int other = s->order[j-1];
      if (hypot(s->re[other], s->im[other]) >= size) break;
      s->order[j] = other;
    }
    s->order[j] = at;
  }
  return true;
}

static int exact_ones(const space *s) {
  int k = 0;
  while (k < s->nmul) {
    int i = s->order[k];
    if (!(s->res[i] <= s->o->tolerance*hypot(s->re[i], s->im[i]))) break;
    k++;
  }
  return k;
}

static tn_status hand_out(tni_arena *arena, const space *s, tni_krylov *out) {
  int k = s->nmul;
  out->nvalue = k;
  out->nexact = exact_ones(s);
  TNI_ARENA_NEW(arena, out->re, k);
  TNI_ARENA_NEW(arena, out->im, k);
  TNI_ARENA_NEW(arena, out->residual, k);
  for (int i = 0; i < k; i++) {
    out->re[i] = s->re[s->order[i]];
    out->im[i] = s->im[s->order[i]];
    out->residual[i] = s->res[s->order[i]];
  }
  out->nvector = k < s->o->want ? k : s->o->want;
  if (out->nvector > 0 && out->nvector < k && out->im[out->nvector - 1] > 0) out->nvector++;
  TNI_ARENA_NEW(arena, out->vector, (size_t)out->nvector*s->n);
  for (int i = 0; i < out->nvector; i++) {
    const double *x = s->X + (size_t)s->order[i]*(size_t)k;
    cblas_dgemv(CblasRowMajor, CblasTrans, k, (int)s->n, 1, s->V, (int)s->n, x, 1, 0,
                out->vector + (size_t)i*s->n, 1);
  }
  return TN_OK;
}

/* a vector of the range of Op: numbers without pattern, multiplied once */
static void start(space *s) {
  for (size_t i = 0; i < s->n; i++) {
    s->seed = s->seed*1664525u + 1013904223u;
    s->Bu[i] = (double)(s->seed >> 8)/(1 << 24) - 0.5;
  }
  s->o->apply(s->o->user, s->Bu, s->u);
  append(s, NULL);
}

/* u := Op times the next vector; those that wait are multiplied together */
static void multiply(space *s) {
  const tni_krylov_opts *o = s->o;
  const double *next = s->V + (size_t)s->nmul*s->n;
  if (!s->Y) {
    memcpy(s->Bu, next, s->n*sizeof(double));
    o->apply(o->user, s->Bu, s->u);
    return;
  }
  if (s->nmul >= s->made) {
    s->k = s->nvec - s->nmul < o->block ? s->nvec - s->nmul : o->block;
    if (s->nmul + s->k > s->most) s->k = s->most - s->nmul;
    o->apply_many(o->user, s->k, next, s->Y);
    s->made = s->nmul + s->k;
  }
  memcpy(s->u, s->Y + (size_t)(s->nmul - (s->made - s->k))*s->n, s->n*sizeof(double));
}

static tn_status grow(tni_arena *scratch, tni_arena *arena, space *s, tni_krylov *out) {
  const tni_krylov_opts *o = s->o;
  size_t ld = (size_t)(s->most + o->block), most = (size_t)s->most;
  TNI_ARENA_NEW(scratch, s->V, ld*s->n);
  TNI_ARENA_NEW(scratch, s->H, most*ld);
  TNI_ARENA_NEW(scratch, s->u, s->n);
  TNI_ARENA_NEW(scratch, s->Bu, s->n);
  TNI_ARENA_NEW(scratch, s->c, ld);
  if (o->apply_many && o->block > 1) TNI_ARENA_NEW(scratch, s->Y, (size_t)o->block*s->n);
  TNI_ARENA_NEW(scratch, s->T, most*most);
  TNI_ARENA_NEW(scratch, s->X, most*most);
  TNI_ARENA_NEW(scratch, s->re, most);
  TNI_ARENA_NEW(scratch, s->im, most);
  TNI_ARENA_NEW(scratch, s->res, most);
  TNI_ARENA_NEW(scratch, s->order, most);
  TNI_ARENA_NEW(scratch, s->work, 40*(most + 2));
  s->seed = 20071;
  for (int b = 0; b < o->block; b++) start(s);
  while (s->nmul < s->nvec && s->nmul < s->most) {
    multiply(s);
    append(s, s->H + (size_t)s->nmul*ld);
    s->nmul++;
    /* the space maps into itself; an eigenvalue of higher multiplicity has vectors outside of it */
    if (s->nmul == s->nvec && s->nvec < s->most) start(s);
    bool last = s->nmul == s->nvec || s->nmul == s->most;
    if (!last && (s->nmul < o->want || s->nmul % CHECK_EVERY != 0)) continue;
    if (!project(s)) return TN_FAIL(arena->ctx, TN_NOT_CONVERGED, "the eigenvalues were not found");
    if (exact_ones(s) >= o->want) break;
  }
  return hand_out(arena, s, out);
}

tn_status tni_krylov_eigen(tni_arena *arena, const tni_krylov_opts *opts, tni_krylov *out) {
  tni_krylov_opts o = *opts;
  tni_arena scratch;
  memset(out, 0, sizeof(*out));
  if (o.n == 0 || o.most == 0) return TN_OK;
  if (o.block < 1) o.block = 1;
  if (o.most > o.n) o.most = o.n;
  space s = {.o = &o, .n = (size_t)o.n, .most = o.most};
  tni_arena_init(&scratch, arena->ctx);
  tn_status st = grow(&scratch, arena, &s, out);
  tni_arena_clear(&scratch);
  return st;
}
