/* solids/batch_eight.c - hex8 with one point, linear, eight elements at once
 *
 * For processors with registers of eight numbers (AVX-512). Every element is evaluated by the operations of batch.c in their order: the
 * same bits. Elements stand in the lanes in the order 0 1 4 5 2 3 6 7, which exchanges of halves leave.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define LANES 8
#include "solids/batch_strip.h"

/* as WIDE_ROWS */
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)

#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define LOWER(a) __builtin_shufflevector(a, a, 0, 1, 2, 3)
#define UPPER(a) __builtin_shufflevector(a, a, 4, 5, 6, 7)

/* x [nodes][4] of eight elements */
ALWAYS_INLINE void gather(const int *node, const double *x, nodal *n) {
#pragma GCC unroll 8
  for (int a = 0; a < MODES; a++) {
    lanes z[4];
    for (int l = 0; l < 4; l++) {
      const double *p = x + 4*(size_t)node[l*MODES + a], *q = x + 4*(size_t)node[(l + 4)*MODES + a];
      z[l] = __builtin_shufflevector(LOAD4(p), LOAD4(q), 0, 1, 2, 3, 4, 5, 6, 7);
    }
    lanes xz = EVEN(z[0], z[1]), XZ = EVEN(z[2], z[3]), y = ODD(z[0], z[1]), Y = ODD(z[2], z[3]);
    n->v[0][a] = __builtin_shufflevector(xz, XZ, 0, 1, 4, 5, 8, 9, 12, 13);
    n->v[1][a] = __builtin_shufflevector(y, Y, 0, 1, 4, 5, 8, 9, 12, 13);
    n->v[2][a] = __builtin_shufflevector(xz, XZ, 2, 3, 6, 7, 10, 11, 14, 15);
  }
}

/* f [nodes][4] += t, one element after the other */
ALWAYS_INLINE void scatter(const int *node, lanes t[3][MODES], double *f) {
  const lanes none = (lanes){0};
  quad F[MODES][LANES];
#pragma GCC unroll 8
  for (int a = 0; a < MODES; a++) {
    lanes xy = EVEN(t[0][a], t[1][a]), XY = ODD(t[0][a], t[1][a]), z = EVEN(t[2][a], none), Z = ODD(t[2][a], none);
    lanes p[2] = {__builtin_shufflevector(xy, z, 0, 1, 8, 9, 2, 3, 10, 11), __builtin_shufflevector(XY, Z, 0, 1, 8, 9, 2, 3, 10, 11)};
    lanes q[2] = {__builtin_shufflevector(xy, z, 4, 5, 12, 13, 6, 7, 14, 15), __builtin_shufflevector(XY, Z, 4, 5, 12, 13, 6, 7, 14, 15)};
    for (int l = 0; l < 2; l++) {
      F[a][l] = LOWER(p[l]), F[a][l + 4] = UPPER(p[l]);
      F[a][l + 2] = LOWER(q[l]), F[a][l + 6] = UPPER(q[l]);
    }
  }
  for (int l = 0; l < LANES; l++)
#pragma GCC unroll 8
    for (int a = 0; a < MODES; a++) {
      double *o = f + 4*(size_t)node[l*MODES + a];
      STORE4(o, LOAD4(o) + F[a][l]);
    }
}

__attribute__((target("arch=x86-64-v4"))) static int eight(const tni_batch_in *in, int begin, int end, tni_batch_out *out) {
  const moduli of = moduli_of(in->kind, true);
  mask fine = ~(mask){0};
  int first = begin;
  for (; first + LANES <= end; first += LANES) {
    const int *node = in->node + (size_t)first*MODES;
    nodal place, moved;
    lanes t[3][MODES], V8;
    gather(node, in->X, &place);
    gather(node, in->u, &moved);
    linear_forces(&of, &place, &moved, t, &V8);
    fine &= (mask)(V8 > 0);
    scatter(node, t, out->f);
  }
  for (int l = 0; l < LANES; l++)
    if (!fine[l]) return begin;
  return first;
}

static bool can(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

int tni_batch_hex8_eight(const tni_batch_in *in, int begin, int end, tni_batch_out *out) {
  return can() ? eight(in, begin, end, out) : begin;
}

__attribute__((target("arch=x86-64-v4"))) static bool strip_by_eight(tni_batch_rows *in, const tni_batch_strip *strip) {
  return along_strip(in, strip);
}

bool tni_batch_hex8_strip_eight(tni_batch_rows *in, const tni_batch_strip *strip, bool *fine) {
  if (!can()) return false;
  *fine = strip_by_eight(in, strip);
  return true;
}

#else

int tni_batch_hex8_eight(const tni_batch_in *in, int begin, int end, tni_batch_out *out) {
  (void)in, (void)end, (void)out;
  return begin;
}

bool tni_batch_hex8_strip_eight(tni_batch_rows *in, const tni_batch_strip *strip, bool *fine) {
  (void)in, (void)strip, (void)fine;
  return false;
}

#endif
