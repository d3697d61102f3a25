/* integrators/elim.c - elimination of a sparse square matrix in a fixed order
 *
 * Order: at every step the entry with the least product (entries in its row - 1)(entries in its
 * column - 1) among those not much smaller than the largest of their column (H. M. Markowitz,
 * Management Science 3, 1957). Later values keep the order as long as no multiplier grows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/elim.h"

#include <math.h>
#include <string.h>

#include "linsolve/pair.h"

#define THRESHOLD 0.1  /* of a pivot against the largest entry of its column, in a new order  */
#define GROWTH 100.0   /* multiplier that asks for another order                                  */
#define RANK_TOL 1e-12 /* pivot against the largest entry                                         */

tn_status tni_elim_create(tni_arena *arena, int max, tni_elim *e) {
  size_t n = (size_t)max;
  *e = (tni_elim){.max = max};
  int **ints[] = {&e->row, &e->col};
  for (int i = 0; i < TNI_COUNT(ints); i++) TNI_ARENA_NEW(arena, *ints[i], n);
  TNI_ARENA_NEW(arena, e->lp, n + 1);
  TNI_ARENA_NEW(arena, e->up, n + 1);
  int **lists[] = {&e->li, &e->uj, &e->from, &e->to};
  for (int i = 0; i < TNI_COUNT(lists); i++) TNI_ARENA_NEW(arena, *lists[i], n*n);
  double **squares[] = {&e->lv, &e->uv, &e->W};
  for (int i = 0; i < TNI_COUNT(squares); i++) TNI_ARENA_NEW(arena, *squares[i], n*n);
  TNI_ARENA_NEW(arena, e->pivot, n);
  return TN_OK;
}

/* entries of W as they are now, in its rows and columns from k on: the best pivot */
static bool find_pivot(const tni_elim *e, int k, double floor, int *pi, int *pj) {
  int n = e->n, *nrow = e->li, *ncol = e->uj; /* not yet in use */
  const double *W = e->W;
  for (int i = k; i < n; i++) nrow[i] = ncol[i] = 0;
  for (int i = k; i < n; i++) {
    for (int j = k; j < n; j++) {
      if (W[i*n + j] == 0) continue;
      nrow[i]++;
      ncol[j]++;
    }
  }
  long best = -1;
  double size = 0;
  for (int j = k; j < n; j++) {
    double largest = floor;
    for (int i = k; i < n; i++) largest = fmax(largest, THRESHOLD*fabs(W[i*n + j]));
    for (int i = k; i < n; i++) {
      double x = fabs(W[i*n + j]);
      if (!(x >= largest)) continue;
      long cost = (long)(nrow[i] - 1)*(ncol[j] - 1);
      if (best >= 0 && (cost > best || (cost == best && x <= size))) continue;
      best = cost;
      size = x;
      *pi = i;
      *pj = j;
    }
  }
  return best >= 0;
}

static void swap_rows(tni_elim *e, int a, int b) {
  int n = e->n, r = e->row[a];
  if (a == b) return;
  e->row[a] = e->row[b];
  e->row[b] = r;
  for (int j = 0; j < n; j++) {
    double x = e->W[a*n + j];
    e->W[a*n + j] = e->W[b*n + j];
    e->W[b*n + j] = x;
  }
}

static void swap_columns(tni_elim *e, int a, int b) {
  int n = e->n, c = e->col[a];
  if (a == b) return;
  e->col[a] = e->col[b];
  e->col[b] = c;
  for (int i = 0; i < n; i++) {
    double x = e->W[i*n + a];
    e->W[i*n + a] = e->W[i*n + b];
    e->W[i*n + b] = x;
  }
}

/* places of the entries of A, and of those that elimination adds */
static void find_pattern(tni_elim *e, const double *may) {
  int n = e->n, nl = 0, nu = 0;
  e->nentry = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      int at = e->row[i]*n + e->col[j];
      e->W[i*n + j] = may[at] != 0;
      if (may[at] == 0) continue;
      e->from[e->nentry] = at;
      e->to[e->nentry++] = i*n + j;
    }
  }
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      if (e->W[i*n + k] == 0) continue;
      for (int j = k + 1; j < n; j++) {
        if (e->W[k*n + j] != 0) e->W[i*n + j] = 1;
      }
    }
    e->lp[k] = nl;
    e->up[k] = nu;
    for (int i = k + 1; i < n; i++) {
      if (e->W[i*n + k] != 0) e->li[nl++] = i;
      if (e->W[k*n + i] != 0) e->uj[nu++] = i;
    }
  }
  e->lp[n] = nl;
  e->up[n] = nu;
}

bool tni_elim_order(tni_elim *e, int n, const double *A, const double *may) {
  e->n = n;
  double largest = 0;
  for (int i = 0; i < n*n; i++) {
    e->W[i] = A[i];
    largest = fmax(largest, fabs(A[i]));
  }
  for (int k = 0; k < n; k++) e->row[k] = e->col[k] = k;
  for (int k = 0; k < n; k++) {
    int i = k, j = k;
    if (!isfinite(largest) || !find_pivot(e, k, RANK_TOL*largest, &i, &j)) return false;
    swap_rows(e, k, i);
    swap_columns(e, k, j);
    const double *p = e->W + k*n;
    for (i = k + 1; i < n; i++) {
      double *w = e->W + i*n, f = w[k]/p[k];
      if (f == 0) continue;
      for (j = k; j < n; j++) w[j] -= f*p[j];
    }
  }
  find_pattern(e, may);
  return true;
}

bool tni_elim_factor(tni_elim *e, const double *A) {
  int n = e->n;
  memset(e->W, 0, (size_t)n*(size_t)n*sizeof(double));
  for (int i = 0; i < e->nentry; i++) e->W[e->to[i]] = A[e->from[i]];
  for (int k = 0; k < n; k++) {
    const double *p = e->W + k*n;
    double inverse = e->pivot[k] = 1/p[k];
    if (!isfinite(inverse)) return false;
    for (int b = e->up[k]; b < e->up[k+1]; b++) e->uv[b] = p[e->uj[b]];
    for (int a = e->lp[k]; a < e->lp[k+1]; a++) {
      double *w = e->W + e->li[a]*n, f = e->lv[a] = w[k]*inverse;
      if (!(fabs(f) <= GROWTH)) return false;
      if (f == 0) continue;
      for (int b = e->up[k]; b < e->up[k+1]; b++) w[e->uj[b]] -= f*e->uv[b];
    }
  }
  return true;
}

/* one right-hand side */
static void solve_vector(const tni_elim *e, double *b, double *y) {
  int n = e->n;
  for (int i = 0; i < n; i++) y[i] = b[e->row[i]];
  for (int i = 0; i < n; i++) {
    double x = y[i];
    for (int a = e->lp[i]; a < e->lp[i+1]; a++) y[e->li[a]] -= e->lv[a]*x;
  }
  for (int i = n - 1; i >= 0; i--) {
    double x = y[i];
    for (int a = e->up[i]; a < e->up[i+1]; a++) x -= e->uv[a]*y[e->uj[a]];
    y[i] = x*e->pivot[i];
  }
  for (int i = 0; i < n; i++) b[e->col[i]] = y[i];
}

WIDE_ROWS
void tni_elim_solve(const tni_elim *e, int ld, int c0, int c1, double *B, double *Y) {
  int n = e->n, k = c1 - c0;
  if (ld == 1) {
    solve_vector(e, B, Y);
    return;
  }
  size_t bytes = (size_t)k*sizeof(double), row = (size_t)ld;
  double *base = Y + c0;
  for (int i = 0; i < n; i++) memcpy(base + (size_t)i*row, B + (size_t)e->row[i]*row + c0, bytes);
  for (int i = 0; i < n; i++) {
    const double *y = base + (size_t)i*row;
    for (int a = e->lp[i]; a < e->lp[i+1]; a++) {
      row_add(k, -e->lv[a], y, base + (size_t)e->li[a]*row);
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    double *restrict y = base + (size_t)i*row;
    for (int b = e->up[i]; b < e->up[i+1]; b++) {
      row_add(k, -e->uv[b], base + (size_t)e->uj[b]*row, y);
    }
    for (int c = 0; c < k; c++) y[c] *= e->pivot[i];
  }
  for (int i = 0; i < n; i++) memcpy(B + (size_t)e->col[i]*row + c0, base + (size_t)i*row, bytes);
}

WIDE_ROWS
void tni_elim_solve_t(const tni_elim *e, int ld, int c0, int c1, double *B, double *Y) {
  int n = e->n, k = c1 - c0;
  size_t bytes = (size_t)k*sizeof(double), row = (size_t)ld;
  double *base = Y + c0;
  for (int i = 0; i < n; i++) memcpy(base + (size_t)i*row, B + (size_t)e->col[i]*row + c0, bytes);
  for (int i = 0; i < n; i++) {
    double *y = base + (size_t)i*row;
    for (int c = 0; c < k; c++) y[c] *= e->pivot[i];
    for (int b = e->up[i]; b < e->up[i+1]; b++) {
      row_add(k, -e->uv[b], y, base + (size_t)e->uj[b]*row);
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    double *restrict y = base + (size_t)i*row;
    for (int a = e->lp[i]; a < e->lp[i+1]; a++) {
      row_add(k, -e->lv[a], base + (size_t)e->li[a]*row, y);
    }
  }
  for (int i = 0; i < n; i++) memcpy(B + (size_t)e->row[i]*row + c0, base + (size_t)i*row, bytes);
}

/* rows are exchanged in place; pivot[k] is the row exchanged with row k */
WIDE_ROWS
bool tni_lu_factor(int n, double *A, int *pivot) {
  for (int k = 0; k < n; k++) {
    double *Ak = A + (size_t)k*(size_t)n;
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(Ak[i]) > fabs(Ak[best])) best = i;
    }
    pivot[k] = best;
    for (int j = 0; best != k && j < n; j++) {
      double *Aj = A + (size_t)j*(size_t)n, swap = Aj[k];
      Aj[k] = Aj[best];
      Aj[best] = swap;
    }
    if (!(fabs(Ak[k]) > 0) || !isfinite(Ak[k])) return false;
    double inverse = 1/Ak[k];
    for (int i = k + 1; i < n; i++) Ak[i] *= inverse;
    for (int j = k + 1; j < n; j++) {
      double *Aj = A + (size_t)j*(size_t)n;
      row_add(n - k - 1, -Aj[k], Ak + k + 1, Aj + k + 1);
    }
    Ak[k] = inverse;
  }
  return true;
}

void tni_lu_solve(int n, const double *A, const int *pivot, double *restrict x) {
  for (int k = 0; k < n; k++) {
    double swap = x[k];
    x[k] = x[pivot[k]];
    x[pivot[k]] = swap;
  }
  for (int k = 0; k < n; k++) {
    const double *Ak = A + (size_t)k*(size_t)n;
    double f = x[k];
    for (int i = k + 1; i < n; i++) x[i] -= f*Ak[i];
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *Ak = A + (size_t)k*(size_t)n;
    double f = x[k] *= Ak[k];
    for (int i = 0; i < k; i++) x[i] -= f*Ak[i];
  }
}
