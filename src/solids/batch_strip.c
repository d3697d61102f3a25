/* solids/batch_strip.c - linear hex8 with one point where nodal arrays stand component by component
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define LANES 4
#include <stdlib.h>

#include "solids/batch_strip.h"

/* ---- which elements are strips ------------------------------------------------------------------- */

/* An element's nodes as turned reference axes count them: one of these may have strips along its first axis. */
static const signed char TURNED[6][MODES] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 3, 7, 4, 1, 2, 6, 5}, {0, 4, 5, 1, 3, 7, 6, 2},
                                             {2, 3, 0, 1, 6, 7, 4, 5}, {7, 4, 0, 3, 6, 5, 1, 2}, {5, 1, 0, 4, 6, 2, 3, 7}};
enum { SHORTEST = 8 };

static bool lies_along(const int *node, const signed char *turn) {
  for (int j = 0; j < LINES; j++)
    if (node[turn[RIGHT[j]]] != node[turn[LEFT[j]]] + 1) return false;
  return true;
}

/* nodes of the elements that are evaluated together are so many */
static bool lines_are_apart(const int *node, const signed char *turn) {
  for (int i = 0; i < LINES; i++)
    for (int j = 0; j < i; j++)
      if (abs(node[turn[LEFT[i]]] - node[turn[LEFT[j]]]) <= 8) return false;
  return true;
}

/* by how much all left nodes of the next element are further on, 0: not all by the same */
static int advance(const int *node, const signed char *turn) {
  int by = node[MODES + turn[LEFT[0]]] - node[turn[LEFT[0]]];
  for (int j = 1; j < LINES; j++)
    if (node[MODES + turn[LEFT[j]]] - node[turn[LEFT[j]]] != by) return 0;
  return by;
}

int tni_batch_find_strip(const int *node, int begin, int end, tni_batch_strip *strip, unsigned char *real) {
  for (int k = 0; k < TNI_COUNT(TURNED) && begin < end; k++) {
    const signed char *turn = TURNED[k];
    const int *first = node + (size_t)begin*MODES;
    if (!lies_along(first, turn) || !lines_are_apart(first, turn)) continue;
    int n = 1, e = begin + 1;
    real[0] = 1;
    for (; e < end; e++) {
      int by = advance(node + (size_t)(e - 1)*MODES, turn);
      if ((by != 1 && by != 2) || !lies_along(node + (size_t)e*MODES, turn)) break;
      for (int i = 0; i < by; i++, n++) {
        if (n%8 == 0) real[n/8] = 0;
        if (i == by - 1) real[n/8] |= (unsigned char)(1u << n%8);
      }
    }
    if (e - begin < SHORTEST) continue;
    *strip = (tni_batch_strip){.n = n, .real = real};
    for (int j = 0; j < LINES; j++) strip->node[j] = first[turn[LEFT[j]]];
    return e;
  }
  return begin;
}

/* ---- forces ------------------------------------------------------------------------------------------ */

WIDE_ROWS static bool strip_by_four(tni_batch_rows *in, const tni_batch_strip *strip) { return along_strip(in, strip); }

bool tni_batch_hex8_strip(tni_batch_rows *in, const tni_batch_strip *strip) {
  bool fine;
  return tni_batch_hex8_strip_eight(in, strip, &fine) ? fine : strip_by_four(in, strip);
}

typedef union {
  double at[LANES];
  lanes v;
} row;

WIDE_ROWS static bool any_four(const tni_batch_rows *in, const int *nodes, int begin, int end) {
  const moduli of = moduli_of(in->kind, true);
  bool fine = true;
  for (int first = begin; first < end; first += LANES) {
    int count = end - first < LANES ? end - first : LANES;
    nodal place, moved;
    row t[3][MODES], V8;
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < MODES; a++) {
        row x, u;
        for (int l = 0; l < LANES; l++) {
          int k = nodes[(size_t)(first + (l < count ? l : count - 1))*MODES + (size_t)a];
          x.at[l] = in->X[i][k];
          u.at[l] = in->u[i][k];
        }
        place.v[i][a] = x.v;
        moved.v[i][a] = u.v;
      }
    lanes f[3][MODES];
    linear_forces(&of, &place, &moved, f, &V8.v);
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < MODES; a++) t[i][a].v = f[i][a];
    for (int l = 0; l < count; l++) {
      const int *node = nodes + (size_t)(first + l)*MODES;
      fine = fine && V8.at[l] > 0;
      for (int i = 0; i < 3; i++)
        for (int a = 0; a < MODES; a++) in->f[i][node[a]] += t[i][a].at[l];
    }
  }
  return fine;
}

bool tni_batch_hex8_loose(const tni_batch_rows *in, const int *node, int begin, int end) { return any_four(in, node, begin, end); }
