/* integrators/thin.c - products of sparse matrices with thin ones
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/thin.h"

#include "linsolve/pair.h"

void tni_thin_clear(int n, tni_columns c, double *x) {
  for (int i = 0; i < n; i++) {
    memset(x + (size_t)i*(size_t)c.ld + c.c0, 0, (size_t)(c.c1 - c.c0)*sizeof(double));
  }
}

WIDE_ROWS
void tni_thin_add(const tni_sparsity *pattern, const double *A, int nrow, tni_columns c,
                       const double *X, double *out) {
  int k = c.c1 - c.c0;
  size_t ld = (size_t)c.ld;
  X += c.c0;
  out += c.c0;
  for (int i = 0; i < nrow; i++) {
    int e = pattern->rowptr[i], end = pattern->rowptr[i+1];
    double *restrict o = out + (size_t)i*ld;
    /* blocks of a body have three or six columns */
    for (; e + 2 < end; e += 3) {
      double a = A[e], b = A[e+1], d = A[e+2];
      if (a == 0 && b == 0 && d == 0) continue;
      const double *x = X + (size_t)pattern->col[e]*ld, *y = X + (size_t)pattern->col[e+1]*ld;
      const double *z = X + (size_t)pattern->col[e+2]*ld;
      row_add3(k, a, x, b, y, d, z, o);
    }
    for (; e < end; e++) row_add(k, A[e], X + (size_t)pattern->col[e]*ld, o);
  }
}

WIDE_ROWS
void tni_thin_add_transposed(const tni_sparsity *pattern, const double *A, int ngroup,
                           const int *group, const int *row, tni_columns c, double alpha,
                           const double *X, double *out) {
  int k = c.c1 - c.c0;
  size_t ld = (size_t)c.ld;
  X += c.c0;
  out += c.c0;
  for (int g = 0; g < ngroup; g++) {
    int first = row[group[g]];
    int begin = pattern->rowptr[first], n = pattern->rowptr[first + 1] - begin;
    for (int i = group[g]; i < group[g+1]; i += 3) {
      int left = group[g+1] - i < 3 ? group[g+1] - i : 3;
      const double *a[3], *x[3];
      for (int d = 0; d < 3; d++) { /* the last ones stand in for those that are missing */
        int at = i + (d < left ? d : left - 1);
        a[d] = A + pattern->rowptr[row[at]];
        x[d] = X + (size_t)at*ld;
      }
      for (int e = 0; e < n; e++) {
        double f0 = alpha*a[0][e], f1 = left > 1 ? alpha*a[1][e] : 0;
        double f2 = left > 2 ? alpha*a[2][e] : 0;
        if (f0 == 0 && f1 == 0 && f2 == 0) continue;
        row_add3(k, f0, x[0], f1, x[1], f2, x[2], out + (size_t)pattern->col[begin + e]*ld);
      }
    }
  }
}

WIDE_ROWS
void tni_thin_multiply_transposed(const tni_sparsity *pattern, const int *mirror, const double *A,
                                int n, tni_columns c, const double *X, double *R, double *value,
                                int *index) {
  size_t ld = (size_t)c.ld;
  for (int j = 0; j < n; j++) {
    int count = 0;
    for (int e = pattern->rowptr[j]; e < pattern->rowptr[j+1]; e++) {
      double a = A[mirror[e]];
      value[count] = a;
      index[count] = pattern->col[e];
      count += a != 0;
    }
    double *o = R + (size_t)j*ld + c.c0;
    memset(o, 0, (size_t)(c.c1 - c.c0)*sizeof(double));
    row_sum(count, index, value, 1, c.c1 - c.c0, X + c.c0, ld, o);
  }
}

bool tni_thin_mirror(const tni_sparsity *pattern, int n, int *next, int *mirror) {
  memcpy(next, pattern->rowptr, (size_t)n*sizeof(int));
  /* columns ascend: going down the rows meets the entries of a column in the order of its row */
  for (int i = 0; i < n; i++) {
    for (int e = pattern->rowptr[i]; e < pattern->rowptr[i+1]; e++) {
      int j = pattern->col[e], m = next[j]++;
      if (m >= pattern->rowptr[j+1] || pattern->col[m] != i) return false;
      mirror[e] = m;
    }
  }
  return true;
}

int tni_thin_groups(const tni_sparsity *pattern, int n, const int *row, int *group) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    int r = row ? row[i] : i, begin = pattern->rowptr[r], size = pattern->rowptr[r+1] - begin;
    bool same = i > 0;
    if (same) {
      int before = row ? row[i-1] : i - 1, old = pattern->rowptr[before];
      same = pattern->rowptr[before + 1] - old == size &&
             memcmp(pattern->col + old, pattern->col + begin, (size_t)size*sizeof(int)) == 0;
    }
    if (!same) group[count++] = i;
  }
  group[count] = n;
  return count;
}
