/* solids/structure_free.c - rigid motions of a mesh that its supports leave
 *
 * Rounding hides them in the factors of a large stiffness, so they are counted by geometry: for every connected piece of
 * the mesh the six rigid motions are looked at where components are prescribed, G = sum b b^T with b the six values at such a component,
 * turns about the middle in units of the size. What G does not see, nothing holds. Pieces that bodies carry are as free as
 * these are: that is asked of the system.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "solids/structure.h"

enum { N = 6 };
static const double UNSEEN = 1e-12; /* of the trace of G */

/* eigenvalues and vectors (columns of V) of a symmetric 6 x 6, by Jacobi rotations */
static void eigen6(double A[N*N], double V[N*N]) {
  for (int i = 0; i < N*N; i++) V[i] = i % (N + 1) == 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, on = 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) *(i == j ? &on : &off) += A[N*i + j]*A[N*i + j];
    if (!(off > 1e-32*on)) return;
    for (int p = 0; p < N - 1; p++)
      for (int q = p + 1; q < N; q++) {
        double g = A[N*p + q];
        if (g == 0) continue;
        double theta = 0.5*(A[N*q + q] - A[N*p + p])/g;
        double t = (theta < 0 ? -1 : 1)/(fabs(theta) + hypot(theta, 1)), c = 1/hypot(t, 1), s = t*c;
        for (int k = 0; k < N; k++) {
          double x = A[N*k + p], y = A[N*k + q];
          A[N*k + p] = c*x - s*y, A[N*k + q] = s*x + c*y;
          x = V[N*k + p], y = V[N*k + q];
          V[N*k + p] = c*x - s*y, V[N*k + q] = s*x + c*y;
        }
        for (int k = 0; k < N; k++) {
          double x = A[N*p + k], y = A[N*q + k];
          A[N*p + k] = c*x - s*y, A[N*q + k] = s*x + c*y;
        }
      }
  }
}

/* piece of every node: the smallest node number that elements join it to */
static int find(int *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static void join(const tni_structure *s, int *root) {
  for (int i = 0; i < s->nnode; i++) root[i] = i;
  for (int k = 0; k < s->nblock; k++)
    for (int e = 0; e < s->block[k].n; e++) {
      const int *node = s->block[k].node + (size_t)e*(size_t)s->block[k].nnode;
      int a = find(root, node[0]);
      for (int i = 1; i < s->block[k].nnode; i++) {
        int b = find(root, node[i]);
        if (a < b) root[b] = a;
        else root[a] = b, a = b;
      }
    }
  for (int i = 0; i < s->nnode; i++) root[i] = find(root, i);
}

/* row of the six motions at component c of a node */
static void motion_row(const double x[3], const double x0[3], double size, int c, double b[N]) {
  memset(b, 0, N*sizeof(double));
  b[c] = 1;
  if (c >= 3) return;
  double d[3];
  vec3_sub(d, x, x0);
  vec3_scale(d, 1/size, d);
  int i = (c + 1) % 3, j = (c + 2) % 3; /* (w x d)_c = w_i d_j - w_j d_i */
  b[3 + i] = d[j];
  b[3 + j] = -d[i];
}

typedef struct {
  double G[N*N], H[N*N]; /* where components are prescribed; everywhere */
  double low[3], high[3];
  int n;            /* nodes                   */
  bool carried;
} piece;

static const char *const AXIS[3] = {"x", "y", "z"};

static void name_motion(const double v[N], char *out, size_t n) {
  double move = vec3_norm(v), turn = vec3_norm(v + 3);
  int c = 0, t = 3;
  for (int k = 1; k < 3; k++) {
    if (fabs(v[k]) > fabs(v[c])) c = k;
    if (fabs(v[3 + k]) > fabs(v[t])) t = 3 + k;
  }
  if (turn < 1e-6*move || (move > turn && fabs(v[c]) > 0.9*move)) snprintf(out, n, "along %s", AXIS[c]);
  else snprintf(out, n, "turning about %s", AXIS[t - 3]);
}

tn_status tni_structure_count_free(tni_builder *b, tni_part *part, const tni_structure *s) {
  tni_arena scratch;
  tni_arena_init(&scratch, b->ctx);
  int *root = tni_arena_alloc(&scratch, (size_t)s->nnode, sizeof(int));
  int *number = tni_arena_alloc(&scratch, (size_t)s->nnode, sizeof(int)), npiece = 0;
  tn_status st = TN_OK;
  if (!root || !number) st = tni_out_of_memory(b->ctx);
  if (st == TN_OK) join(s, root);
  for (int i = 0; st == TN_OK && i < s->nnode; i++)
    if (root[i] == i && s->active[i]) number[i] = npiece++;
  piece *all = st == TN_OK ? tni_arena_alloc(&scratch, (size_t)npiece, sizeof(piece)) : NULL;
  if (!all) st = tni_out_of_memory(b->ctx);
  size_t d = (size_t)s->ndof, at = 0;
  for (int pass = 0; pass < 2 && st == TN_OK; pass++)
    for (int i = 0; i < s->nnode; i++) {
      if (!s->active[i]) continue;
      piece *p = &all[number[root[i]]];
      const double *x = s->mesh->x + 3*(size_t)i;
      if (pass == 0) {
        for (int c = 0; c < 3; c++) {
          p->low[c] = p->n ? fmin(p->low[c], x[c]) : x[c];
          p->high[c] = p->n ? fmax(p->high[c], x[c]) : x[c];
        }
        p->n++;
        if (s->carrier[i] >= 0) p->carried = true;
        continue;
      }
      double x0[3], size = 0, row[N];
      for (int c = 0; c < 3; c++) x0[c] = 0.5*(p->low[c] + p->high[c]), size = fmax(size, p->high[c] - p->low[c]);
      for (int c = 0; c < s->active[i]; c++) {
        motion_row(x, x0, size > 0 ? size : 1, c, row);
        for (int k = 0; k < N*N; k++) p->H[k] += row[k/N]*row[k % N];
        if (s->unknown[(size_t)i*d + (size_t)c] >= 0 || s->carrier[i] >= 0) continue;
        for (int k = 0; k < N*N; k++) p->G[k] += row[k/N]*row[k % N];
      }
    }
  char names[300] = "";
  for (int k = 0; k < npiece && st == TN_OK; k++) {
    piece *p = &all[k];
    double V[N*N], trace = 0;
    if (p->carried) continue;
    /* motions that move no node, those of plane models across the plane and of bars about their line, are none */
    for (int i = 0; i < N; i++) trace += p->H[(N + 1)*i];
    eigen6(p->H, V);
    for (int i = 0; i < N; i++)
      for (int r = 0; r < N*N && !(p->H[(N + 1)*i] > UNSEEN*trace); r++) p->G[r] += trace*V[N*(r/N) + i]*V[N*(r % N) + i];
    trace = 0;
    for (int i = 0; i < N; i++) trace += p->G[(N + 1)*i];
    eigen6(p->G, V);
    for (int i = 0; i < N; i++) {
      double v[N];
      char name[40];
      if (p->G[(N + 1)*i] > UNSEEN*trace) continue;
      for (int r = 0; r < N; r++) v[r] = V[N*r + i];
      name_motion(v, name, sizeof(name));
      part->nfree++;
      if (at < sizeof(names)) at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "", name);
    }
  }
  if (st == TN_OK && part->nfree > 0) {
    part->free_names = tni_arena_strdup(b->arena, names);
    if (!part->free_names) st = tni_out_of_memory(b->ctx);
  }
  tni_arena_clear(&scratch);
  return st;
}
