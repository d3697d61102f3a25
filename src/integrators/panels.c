/* integrators/panels.c - a thin matrix whose rows come in groups with the same nonzero columns
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/panels.h"

#include "linsolve/pair.h"

tn_status tni_panels_create(tni_arena *arena, int n, int ngroup, const int *group, tni_panels *p) {
  *p = (tni_panels){0};
  TNI_ARENA_NEW(arena, p->first, n + 1);
  for (int g = 0; g < ngroup; g++) {
    for (int i = group[g]; i < group[g+1]; i += TNI_PANEL_HEIGHT) p->first[p->ngroup++] = i;
  }
  p->first[p->ngroup] = n;
  size_t most = (size_t)p->ngroup*(size_t)n;
  TNI_ARENA_NEW(arena, p->start, p->ngroup);
  TNI_ARENA_NEW(arena, p->end, p->ngroup);
  TNI_ARENA_NEW(arena, p->at, p->ngroup);
  TNI_ARENA_NEW(arena, p->col, most);
  TNI_ARENA_NEW(arena, p->value, (size_t)n*(size_t)n);
  return TN_OK;
}

/* every group has room for all columns, so that none waits for the count of those before */
void tni_panels_begin(tni_panels *p, int nd) {
  p->nd = nd;
  for (int g = 0; g < p->ngroup; g++) {
    p->start[g] = g*nd;
    p->at[g] = p->first[g]*nd;
  }
}

void tni_panels_take_groups(tni_panels *p, const double *X, int g0, int g1) {
  int nd = p->nd;
  for (int g = g0; g < g1; g++) {
    int height = p->first[g+1] - p->first[g], *col = p->col + p->start[g];
    const double *top = X + (size_t)p->first[g]*(size_t)nd;
    double *value = p->value + p->at[g];
    for (int c = 0; c < nd; c++) {
      bool any = false;
      for (int i = 0; i < height; i++) {
        double x = top[(size_t)i*(size_t)nd + (size_t)c];
        value[i] = x;
        any |= x != 0;
      }
      if (!any) continue;
      *col++ = c;
      value += height;
    }
    p->end[g] = (int)(col - p->col);
  }
}

void tni_panels_take(tni_panels *p, int nd, const double *X) {
  tni_panels_begin(p, nd);
  tni_panels_take_groups(p, X, 0, p->ngroup);
}

/* ---- one vector ---------------------------------------------------------------------------- */

/* even and odd panels apart: no sum waits long for the one before */
static void add_six(int n, const int *col, const double *a, double f, const double *y, double *x) {
  pair s0 = both(0), s1 = s0, s2 = s0, t0 = s0, t1 = s0, t2 = s0;
  int e = 0;
  for (; e + 1 < n; e += 2, a += 12) {
    pair u = both(y[col[e]]), v = both(y[col[e+1]]);
    s0 += u*load(a);
    s1 += u*load(a + 2);
    s2 += u*load(a + 4);
    t0 += v*load(a + 6);
    t1 += v*load(a + 8);
    t2 += v*load(a + 10);
  }
  if (e < n) {
    pair u = both(y[col[e]]);
    s0 += u*load(a);
    s1 += u*load(a + 2);
    s2 += u*load(a + 4);
  }
  store(x, load(x) + both(f)*(s0 + t0));
  store(x + 2, load(x + 2) + both(f)*(s1 + t1));
  store(x + 4, load(x + 4) + both(f)*(s2 + t2));
}

void tni_panels_add(const tni_panels *p, double f, const double *y, double *x) {
  for (int g = 0; g < p->ngroup; g++) {
    int first = p->first[g], height = p->first[g+1] - first, n = p->end[g] - p->start[g];
    const int *col = p->col + p->start[g];
    const double *a = p->value + p->at[g];
    if (height == 6) {
      add_six(n, col, a, f, y, x + first);
      continue;
    }
    double sum[TNI_PANEL_HEIGHT] = {0};
    for (int e = 0; e < n; e++, a += height) {
      for (int i = 0; i < height; i++) sum[i] += a[i]*y[col[e]];
    }
    for (int i = 0; i < height; i++) x[first + i] += f*sum[i];
  }
}

void tni_panels_inner(const tni_panels *p, const double *x, double *y, double *scratch) {
  memset(scratch, 0, 2*(size_t)p->nd*sizeof(double));
  for (int g = 0; g < p->ngroup; g++) {
    int first = p->first[g], height = p->first[g+1] - first;
    const double *a = p->value + p->at[g], *z = x + first;
    if (height == 6) {
      pair z0 = load(z), z1 = load(z + 2), z2 = load(z + 4);
      for (int e = p->start[g]; e < p->end[g]; e++, a += 6) {
        double *s = scratch + 2*(size_t)p->col[e];
        store(s, load(s) + (z0*load(a) + z1*load(a + 2)) + z2*load(a + 4));
      }
      continue;
    }
    for (int e = p->start[g]; e < p->end[g]; e++, a += height) {
      double sum = 0;
      for (int i = 0; i < height; i++) sum += z[i]*a[i];
      scratch[2*(size_t)p->col[e]] += sum;
    }
  }
  for (int k = 0; k < p->nd; k++) y[k] = scratch[2*k] + scratch[2*k + 1];
}

/* ---- many columns -------------------------------------------------------------------------- */

WIDE_ROWS
void tni_panels_multiply(const tni_panels *p, tni_columns c, const double *Y, double *X) {
  size_t ld = (size_t)c.ld;
  int k = c.c1 - c.c0;
  for (int g = 0; g < p->ngroup; g++) {
    int first = p->first[g], height = p->first[g+1] - first, from = p->start[g];
    for (int i = 0; i < height; i++) {
      double *o = X + (size_t)(first + i)*ld + c.c0;
      memset(o, 0, (size_t)k*sizeof(double));
      row_sum(p->end[g] - from, p->col + from, p->value + p->at[g] + i, height, k, Y + c.c0,
               ld, o);
    }
  }
}

WIDE_ROWS
void tni_panels_inner_columns(const tni_panels *p, tni_columns c, const double *X, double *Y) {
  size_t ld = (size_t)c.ld;
  int k = c.c1 - c.c0;
  for (int i = 0; i < p->nd; i++) memset(Y + (size_t)i*ld + c.c0, 0, (size_t)k*sizeof(double));
  for (int g = 0; g < p->ngroup; g++) {
    int first = p->first[g], height = p->first[g+1] - first;
    const double *a = p->value + p->at[g], *x = X + (size_t)first*ld + c.c0;
    for (int e = p->start[g]; e < p->end[g]; e++, a += height)
      row_sum(height, NULL, a, 1, k, x, ld, Y + (size_t)p->col[e]*ld + c.c0);
  }
}
