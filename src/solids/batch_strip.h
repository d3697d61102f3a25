/* solids/batch_strip.h - linear hex8 with one point along strips of a mesh, LANES elements side by side
 *
 * For files that define LANES before. The left nodes of an element and of those after it follow each other, and so do the right ones, which are the
 * left ones of the element after: numbers of LANES elements are one load, and nothing has to be exchanged between lanes. What comes to a node
 * from the element before it is added first: the order of elements, and so their bits, whatever LANES is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SOLID_BATCH_STRIP_H
#define TNI_SOLID_BATCH_STRIP_H

#include "solids/batch_lanes.h"

enum { LINES = 4 };
typedef double anywhere __attribute__((vector_size(8*LANES), aligned(8), may_alias));
typedef long long mask __attribute__((vector_size(8*LANES), may_alias));

#if LANES == 8
#define LANE_NUMBERS ((mask){0, 1, 2, 3, 4, 5, 6, 7})
#define PUSHED(before, now) __builtin_shufflevector(before, now, 7, 8, 9, 10, 11, 12, 13, 14)
#else
#define LANE_NUMBERS ((mask){0, 1, 2, 3})
#define PUSHED(before, now) __builtin_shufflevector(before, now, 3, 4, 5, 6)
#endif

/* nodes of an element on the left and on the right of each line */
static const signed char LEFT[LINES] = {0, 3, 4, 7}, RIGHT[LINES] = {1, 2, 5, 6};

/* what the right nodes of the last element get waits here for the left ones of the next */
typedef struct {
  lanes f[3][LINES];
} waiting;

ALWAYS_INLINE void fetch_lines(const double *const x[3], const int at[LINES], nodal *n) {
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++)
#pragma GCC unroll 4
    for (int j = 0; j < LINES; j++) {
      const double *p = x[i] + at[j];
      n->v[i][LEFT[j]] = *(const anywhere *)p;
      n->v[i][RIGHT[j]] = *(const anywhere *)(p + 1);
    }
}

/* LANES elements, those that there are by bits of `real`; where one has no volume, fine becomes 0 */
ALWAYS_INLINE void strip_batch(const moduli *of, const tni_batch_rows *in, const int at[LINES], unsigned real, waiting *w, mask *fine) {
  nodal place, moved;
  lanes t[3][MODES], V8;
  fetch_lines(in->X, at, &place);
  fetch_lines(in->u, at, &moved);
  linear_forces(of, &place, &moved, t, &V8);
  mask good = (mask)(V8 > 0);
  if (real != (1u << LANES) - 1) {
    const mask is = -((real >> LANE_NUMBERS) & 1), none = (mask)((lanes){0} - 0.0); /* -0 changes nothing it is added to */
    good |= ~is;
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < MODES; a++) t[i][a] = (lanes)(((mask)t[i][a] & is) | (none & ~is));
  }
  *fine &= good;
#pragma GCC unroll 3
  for (int i = 0; i < 3; i++)
#pragma GCC unroll 4
    for (int j = 0; j < LINES; j++) {
      anywhere *o = (anywhere *)(in->f[i] + at[j]);
      lanes R = t[i][RIGHT[j]];
      *o = (*o + PUSHED(w->f[i][j], R)) + t[i][LEFT[j]];
      w->f[i][j] = R;
    }
}

/* The last `rest` elements, fewer than LANES: what is beyond them belongs to others and is neither read nor written. */
ALWAYS_INLINE void strip_end(const moduli *of, const tni_batch_rows *in, const int at[LINES], int rest, unsigned real, waiting *w, mask *fine) {
  enum { ROOM = 2*LANES };
  double X[3][LINES*ROOM], u[3][LINES*ROOM], f[3][LINES*ROOM];
  size_t bytes = (size_t)(rest + 1)*sizeof(double);
  memset(X, 0, sizeof(X));
  memset(u, 0, sizeof(u));
  memset(f, 0, sizeof(f));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < LINES; j++) {
      memcpy(X[i] + j*ROOM, in->X[i] + at[j], bytes);
      memcpy(u[i] + j*ROOM, in->u[i] + at[j], bytes);
      memcpy(f[i] + j*ROOM, in->f[i] + at[j], bytes);
    }
  const tni_batch_rows own = {.kind = in->kind, .X = {X[0], X[1], X[2]}, .u = {u[0], u[1], u[2]}, .f = {f[0], f[1], f[2]}};
  const int here[LINES] = {0, ROOM, 2*ROOM, 3*ROOM};
  strip_batch(of, &own, here, real, w, fine);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < LINES; j++) memcpy(in->f[i] + at[j], f[i] + j*ROOM, bytes);
}

/* numbers of eight nodes that come later */
ALWAYS_INLINE void ask_ahead(tni_batch_rows *in) {
  if (in->left <= 0) return;
  for (int k = 0; k < in->nahead; k++) {
    __builtin_prefetch(in->ahead[k], 0, 1);
    in->ahead[k] += 8;
  }
  in->left -= 8;
}

ALWAYS_INLINE bool along_strip(tni_batch_rows *in, const tni_batch_strip *strip) {
  const moduli of = moduli_of(in->kind, true);
  waiting w;
  mask fine = ~(mask){0};
  int at[LINES] = {strip->node[0], strip->node[1], strip->node[2], strip->node[3]}, k = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < LINES; j++) w.f[i][j] = (lanes){0} - 0.0;
  for (; k + LANES <= strip->n; k += LANES) {
    if (k%8 == 0) ask_ahead(in);
    unsigned real = strip->real[k/8] >> k%8 & ((1u << LANES) - 1);
    strip_batch(&of, in, at, real, &w, &fine);
    for (int j = 0; j < LINES; j++) at[j] += LANES;
  }
  if (k < strip->n) strip_end(&of, in, at, strip->n - k, strip->real[k/8] >> k%8, &w, &fine);
  else
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < LINES; j++) in->f[i][at[j]] += w.f[i][j][LANES - 1];
  for (int l = 0; l < LANES; l++)
    if (!fine[l]) return false;
  return true;
}

#endif
