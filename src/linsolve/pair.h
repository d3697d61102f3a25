/* linsolve/pair.h - two neighbouring numbers at once
 *
 * What every 64-bit processor can do without asking which one it is, and the same bits as one by
 * one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PAIR_H
#define TNI_PAIR_H

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

/* sums of the halves: (x[0] + x[1], y[0] + y[1]) */
ALWAYS_INLINE pair halves(pair x, pair y) { return (pair){x[0], y[0]} + (pair){x[1], y[1]}; }

#endif
