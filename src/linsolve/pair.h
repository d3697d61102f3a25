/* linsolve/pair.h - two or four neighbouring numbers at once, and sums of rows made of them
 *
 * What every 64-bit processor can do without asking which one it is, and the same bits as one by
 * one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PAIR_H
#define TNI_PAIR_H

#include <stddef.h>

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))

ALWAYS_INLINE pair load(const double *p) { return *(const pair *)p; }
ALWAYS_INLINE void store(double *p, pair v) { *(pair *)p = v; }
ALWAYS_INLINE pair both(double v) { return (pair){v, v}; }

/* Functions that work along rows of a matrix are compiled twice, and the loader takes the ones for
 * registers of four numbers where the processor has them. Every number is computed by the same
 * operations in the same order: the same bits. */
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE_ROWS __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_ROWS
#endif

/* four numbers; no functions, whose interface would depend on the processor */
#define LOAD4(p) (*(const quad *)(p))
#define STORE4(p, v) (*(quad *)(p) = (v))

/* o [k] += f x */
ALWAYS_INLINE void row_add(int k, double f, const double *x, double *o) {
  int j = 0;
  for (; j + 3 < k; j += 4) STORE4(o + j, LOAD4(o + j) + f*LOAD4(x + j));
  for (; j < k; j++) o[j] += f*x[j];
}

/* o [k] += (f x + g y) + h z */
ALWAYS_INLINE void row_add3(int k, double f, const double *x, double g, const double *y, double h,
                            const double *z, double *o) {
  int j = 0;
  for (; j + 3 < k; j += 4)
    STORE4(o + j, LOAD4(o + j) + ((f*LOAD4(x + j) + g*LOAD4(y + j)) + h*LOAD4(z + j)));
  for (; j < k; j++) o[j] += (f*x[j] + g*y[j]) + h*z[j];
}

/* o [k] += sum of f[e*step] X[row_e], row_e = index[e] or e. Eight columns at a time, even and odd
 * rows apart: as many sums as fit into registers and do not wait for each other. A column does not
 * notice its company. */
ALWAYS_INLINE void row_sum(int n, const int *index, const double *f, int step, int k,
                           const double *X, size_t ld, double *restrict o) {
#define ROW(e) ((size_t)(index ? index[e] : (e))*ld)
  int j = 0;
  for (; j + 7 < k; j += 8) {
    const double *Xj = X + j;
    quad s0 = LOAD4(o + j), s1 = LOAD4(o + j + 4), t0 = {0}, t1 = {0};
    int e = 0;
    for (; e + 1 < n; e += 2) {
      const double *x = Xj + ROW(e), *y = Xj + ROW(e + 1);
      double fx = f[e*step], fy = f[(e + 1)*step];
      s0 += fx*LOAD4(x);
      t0 += fy*LOAD4(y);
      s1 += fx*LOAD4(x + 4);
      t1 += fy*LOAD4(y + 4);
    }
    if (e < n) {
      const double *x = Xj + ROW(e);
      s0 += f[e*step]*LOAD4(x);
      s1 += f[e*step]*LOAD4(x + 4);
    }
    STORE4(o + j, s0 + t0);
    STORE4(o + j + 4, s1 + t1);
  }
  for (; j + 1 < k; j += 2) {
    pair s = load(o + j), t = both(0);
    int e = 0;
    for (; e + 1 < n; e += 2) {
      s += both(f[e*step])*load(X + ROW(e) + j);
      t += both(f[(e + 1)*step])*load(X + ROW(e + 1) + j);
    }
    if (e < n) s += both(f[e*step])*load(X + ROW(e) + j);
    store(o + j, s + t);
  }
  for (; j < k; j++) {
    double s = o[j], t = 0;
    int e = 0;
    for (; e + 1 < n; e += 2) {
      s += f[e*step]*X[ROW(e) + (size_t)j];
      t += f[(e + 1)*step]*X[ROW(e + 1) + (size_t)j];
    }
    if (e < n) s += f[e*step]*X[ROW(e) + (size_t)j];
    o[j] = s + t;
  }
#undef ROW
}

/* sums of the halves: (x[0] + x[1], y[0] + y[1]) */
ALWAYS_INLINE pair halves(pair x, pair y) { return (pair){x[0], y[0]} + (pair){x[1], y[1]}; }

#endif
