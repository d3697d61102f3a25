/* solids/structure_turn.c - rotations of nodes of shells and beams at large displacements; normals that shells share
 *
 * A node has three unknowns u of rotation, which grow without bound. Between two accepted states
 *
 *   T = exp(~delta) T_ref,   delta = u - u_ref,   spin = G(delta) u',   G = 1 + c1 ~delta + c2 ~delta^2
 *
 *   c1 = (1 - cos a)/a^2,   c2 = (a - sin a)/a^3,   a = |delta|
 *
 * and (u_ref, T_ref) follow where a state is accepted: no rotation is too large, as long as one step turns a node by less than half a
 * turn. A moment m on spins is G^T m on u. The derivative of that makes the stiffness symmetric away from equilibrium, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "solids/structure.h"

void tni_turn_of(const double u[3], const double ref[7], double T[9], double delta[3]) {
  double p[4], e[4];
  vec3_sub(delta, u, ref);
  quat_from_vector(e, delta);
  quat_mul(p, e, ref + 3);
  quat_normalize(p);
  quat_matrix(T, p);
}

void tni_turn_accept(const double u[3], double ref[7]) {
  double delta[3], p[4], e[4];
  vec3_sub(delta, u, ref);
  quat_from_vector(e, delta);
  quat_mul(p, e, ref + 3);
  quat_normalize(p);
  memcpy(ref + 3, p, sizeof(p));
  vec3_copy(ref, u);
}

void tni_turn_rates(const double d[3], double G[9], const double *m, double *D) {
  double a2 = vec3_dot(d, d), c1, c2, s1, s2, S[9], S2[9]; /* s: slopes by a, over a */
  if (a2 < 1e-2) {
    c1 = 0.5 - a2*(1.0/24 - a2*(1.0/720 - a2/40320));
    c2 = 1.0/6 - a2*(1.0/120 - a2*(1.0/5040 - a2/362880));
    s1 = -1.0/12 + a2*(1.0/180 - a2*(1.0/6720 - a2/453600));
    s2 = -1.0/60 + a2*(1.0/1260 - a2*(1.0/60480 - a2/4989600));
  } else {
    double a = sqrt(a2);
    c1 = (1 - cos(a))/a2;
    c2 = (a - sin(a))/(a2*a);
    s1 = (sin(a)/a - 2*c1)/a2;
    s2 = ((1 - cos(a))/a2 - 3*c2)/a2;
  }
  mat3_skew(S, d);
  mat3_mul(S2, S, S);
  for (int i = 0; i < 9; i++) G[i] = (i % 4 == 0) + c1*S[i] + c2*S2[i];
  if (!m) return;
  double dm[3], ddm[3], M[9], X[9], SM[9];
  vec3_cross(dm, d, m);
  vec3_cross(ddm, d, dm);
  mat3_skew(M, m);
  mat3_skew(X, dm);
  mat3_mul(SM, S, M);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3*i + j] = c1*M[3*i + j] - s1*dm[i]*d[j] - c2*(X[3*i + j] + SM[3*i + j]) + s2*ddm[i]*d[j];
}

/* ---- normals -------------------------------------------------------------------------------------- */

static const double FOLD = 0.93969262078590838; /* cos of 20 degrees */

/* unit normal of element e of a shell at its middle, by the diagonals */
static void normal_of(const tni_structure *s, const tni_structure_block *b, int e, double n[3]) {
  const int *node = b->node + (size_t)e*(size_t)b->nnode;
  const double *x = s->mesh->x;
  double p[3], q[3];
  vec3_sub(p, x + 3*(size_t)node[2], x + 3*(size_t)node[0]);
  vec3_sub(q, x + 3*(size_t)node[3], x + 3*(size_t)node[1]);
  vec3_cross(n, p, q);
  vec3_normalize(n, n);
}

static bool is_shell(const tni_structure_block *b) { return b->kind.type->ndof == 6 && tni_cell_of(b->kind.type->cell)->dim == 2; }

tn_status tni_structure_directors(tni_builder *b, tni_structure *s) {
  tni_arena scratch;
  int total = 0, *from, *next, *list;
  double *normal;
  for (int k = 0; k < s->nblock; k++) total += is_shell(&s->block[k]) ? s->block[k].n : 0;
  if (total == 0) return TN_OK;
  tni_arena_init(&scratch, b->ctx);
  from = tni_arena_alloc(&scratch, (size_t)s->nnode + 1, sizeof(int));
  next = tni_arena_alloc(&scratch, (size_t)s->nnode + 1, sizeof(int));
  list = tni_arena_alloc(&scratch, 8*(size_t)total, sizeof(int));
  normal = tni_arena_alloc(&scratch, 3*(size_t)total, sizeof(double));
  tn_status st = from && next && list && normal ? TN_OK : tni_out_of_memory(b->ctx);
  for (int pass = 0; pass < 2 && st == TN_OK; pass++) {
    for (int k = 0, at = 0; k < s->nblock; k++) {
      const tni_structure_block *o = &s->block[k];
      for (int e = 0; e < o->n && is_shell(o); e++, at++) {
        if (pass == 0) normal_of(s, o, e, normal + 3*(size_t)at);
        for (int a = 0; a < o->nnode; a++) {
          int node = o->node[(size_t)e*(size_t)o->nnode + (size_t)a];
          if (pass == 0) from[node + 1]++;
          else list[next[node]++] = at;
        }
      }
    }
    for (int i = 0; i < s->nnode && pass == 0; i++) from[i+1] += from[i];
    if (pass == 0) memcpy(next, from, (size_t)s->nnode*sizeof(int));
  }
  for (int k = 0, at = 0; k < s->nblock && st == TN_OK; k++) {
    tni_structure_block *o = &s->block[k];
    if (!is_shell(o)) continue;
    double *V = tni_arena_alloc(b->arena, 3*(size_t)o->n*(size_t)o->nnode, sizeof(double));
    if (!V) st = tni_out_of_memory(b->ctx);
    o->director = V;
    for (int e = 0; e < o->n && st == TN_OK; e++, at++)
      for (int a = 0; a < o->nnode; a++, V += 3) {
        int node = o->node[(size_t)e*(size_t)o->nnode + (size_t)a];
        for (int i = from[node]; i < from[node + 1]; i++) {
          double c = vec3_dot(normal + 3*(size_t)at, normal + 3*(size_t)list[i]);
          if (fabs(c) >= FOLD) vec3_addmul(V, c < 0 ? -1 : 1, normal + 3*(size_t)list[i]);
        }
        vec3_normalize(V, V);
      }
  }
  tni_arena_clear(&scratch);
  return st;
}
