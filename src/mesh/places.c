/* mesh/places.c - nodes near a place
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/places.h"

#include <math.h>

#include "base/vec.h"

double tni_places_extent(const double *x, int n, double low[3]) {
  double high[3] = {-1e300, -1e300, -1e300}, extent = 0;
  for (int k = 0; k < 3; k++) low[k] = 1e300;
  for (size_t i = 0; i < 3*(size_t)n; i++) {
    if (x[i] < low[i%3]) low[i%3] = x[i];
    if (x[i] > high[i%3]) high[i%3] = x[i];
  }
  for (int k = 0; n > 0 && k < 3; k++) extent = fmax(extent, high[k] - low[k]);
  return extent > 0 && isfinite(extent) ? extent : 1;
}

tn_status tni_places_create(tni_arena *arena, const double *x, int n, double tolerance, tni_places *p) {
  *p = (tni_places){.x = x, .tolerance = tolerance, .mask = 1023};
  double extent = tni_places_extent(x, n, p->low);
  /* about one node in a cube, which is never smaller than twice the tolerance: that reaches one neighbour along an axis, not both */
  p->step = fmax(extent/fmax(2, fmin(1e6, cbrt(n))), 2*tolerance);
  while (p->mask < 2u*(unsigned)n && p->mask < 1u << 28) p->mask = 2*p->mask + 1;
  TNI_ARENA_NEW(arena, p->head, (size_t)p->mask + 1);
  TNI_ARENA_NEW(arena, p->next, n);
  return TN_OK;
}

static unsigned slot_of(const tni_places *p, const double cube[3]) {
  uint64_t h = 0;
  for (int i = 0; i < 3; i++) h = (h ^ (uint64_t)(int64_t)cube[i])*0x9E3779B97F4A7C15u;
  return (unsigned)(h >> 32) & p->mask;
}

void tni_places_enter(tni_places *p, int node) {
  double cube[3];
  for (int k = 0; k < 3; k++) cube[k] = floor((p->x[3*(size_t)node+(size_t)k] - p->low[k])/p->step);
  unsigned h = slot_of(p, cube);
  p->next[node] = p->head[h];
  p->head[h] = node + 1;
}

int tni_places_near(const tni_places *p, int node) {
  const double *x = p->x + 3*(size_t)node;
  double q[3][2], least = p->tolerance;
  int n[3], found = -1;
  for (int i = 0; i < 3; i++) {
    double at = (x[i] - p->low[i])/p->step, off = p->tolerance/p->step;
    q[i][0] = floor(at);
    n[i] = 1;
    if (floor(at - off) != q[i][0]) q[i][n[i]++] = q[i][0] - 1;
    else if (floor(at + off) != q[i][0]) q[i][n[i]++] = q[i][0] + 1;
  }
  for (int a = 0; a < n[0]; a++) {
    for (int b = 0; b < n[1]; b++) {
      for (int c = 0; c < n[2]; c++) {
        double cube[3] = {q[0][a], q[1][b], q[2][c]}, d[3];
        for (int e = p->head[slot_of(p, cube)] - 1; e >= 0; e = p->next[e] - 1) {
          vec3_sub(d, x, p->x + 3*(size_t)e);
          double away = vec3_norm(d);
          if (away > least || (away == least && found >= 0 && e > found)) continue;
          least = away;
          found = e;
        }
      }
    }
  }
  return found;
}
