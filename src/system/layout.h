/* system/layout.h - the unknowns of a system: which node has which coordinates and velocities
 *
 * A node is a place that moves, of one kind (model/model.h): a rigid body or node of a beam has a
 * pose, a node of a cable is a point. Nodes of one kind follow each other in q and in v: a span. Those
 * that turn come first, so that the linear solvers of joints see a block of the same size for each of
 * them, and points, which no joint holds, come after.
 *
 *   kind      q                        v
 *   POSE      7 place, Euler param.    6 velocity (ground), angular velocity (body)
 *   FLAT      7 the same               3 vx, vy, wz
 *   POINT     3 place                  3 velocity
 *   POINT2    3 the same               2 vx, vy
 *   PLAIN     1                        1
 *   BALL      4 Euler parameters       3 angular velocity in the axes that turn
 *
 * Unknowns of parts come last, one PLAIN for each, with the role of the displacement that it is.
 *
 * In relative coordinates every joint of the tree is a PLAIN, several of them, or one of the others; such a
 * layout has spans only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_LAYOUT_H
#define TNI_LAYOUT_H

#include "model/model.h"

typedef struct tni_span {
  tni_node_kind kind;
  int first, n;   /* in layout->node; TNI_NO_NODE: unknowns of a part (model/part.h) */
  int qadr, vadr;
} tni_span;

enum { TNI_NO_NODE = -1 };
enum { TNI_ROLE_TURN = 3, TNI_ROLE_PLAIN = 6 }; /* first about, plain */

typedef struct tni_layout {
  tn_ctx *ctx;
  int nq, nv, nnode, nspan;
  const tni_span *span;
  const int *node;          /* [nnode] in the order of the unknowns; nnode = 0: spans only        */
  const int *rank;          /* [nnode] place of a node in it                                     */
  const int *qadr;          /* [nnode] first coordinate of a node                                */
  const int *vadr;          /* [nnode] first velocity                                            */
  const signed char *size;  /* [nnode] velocities                                                */
  const signed char *role;  /* [nv] 0..2 along x, y, z; 3..5 about; 6 plain                      */
} tni_layout;

/* nodes: the bodies of the model; arrays from the arena */
tn_status tni_layout_of_bodies(tn_ctx *ctx, const tn_model *model, tni_arena *arena,
                               tni_layout *out);

/* a layout of spans only, n of them as they come; joins neighbours of one kind, qadr and vadr are set here */
tn_status tni_layout_of_spans(tn_ctx *ctx, const tni_span *span, int n, tni_arena *arena,
                              tni_layout *out);

/* x6 := components of x [nv] that node i has, 0 the others */
static inline void tni_layout_spread(const tni_layout *L, int i, const double *x, double x6[6]) {
  x += L->vadr[i];
  if (L->size[i] == 6) {
    memcpy(x6, x, 6*sizeof(double));
    return;
  }
  const signed char *role = L->role + L->vadr[i];
  memset(x6, 0, 6*sizeof(double));
  for (int j = 0; j < L->size[i]; j++) x6[role[j]] = x[j];
}

/* the components of x6 that node i has into x [nv] */
static inline void tni_layout_pick(const tni_layout *L, int i, const double x6[6], double *x) {
  const signed char *role = L->role + L->vadr[i];
  x += L->vadr[i];
  for (int j = 0; j < L->size[i]; j++) x[j] = x6[role[j]];
}

/* squares of the parts of x [nv] along and about axes that node i has, added to sum */
static inline void tni_layout_squares(const tni_layout *L, int i, const double *x, double sum[2]) {
  for (int k = L->vadr[i]; k < L->vadr[i] + L->size[i]; k++)
    sum[L->role[k] >= TNI_ROLE_TURN] += x[k]*x[k];
}

/* B [6*j + k]: the matrix diag(T, R) on the velocities that node i has */
static inline void tni_layout_block(const tni_layout *L, int i, const double T[9],
                                    const double R[9], double B[36]) {
  const signed char *role = L->role + L->vadr[i];
  memset(B, 0, 36*sizeof(double));
  for (int j = 0; j < L->size[i]; j++)
    for (int k = 0; k < L->size[i]; k++)
      if ((role[j] < 3) == (role[k] < 3))
        B[6*j + k] = role[j] < 3 ? T[3*role[j] + role[k]] : R[3*(role[j] - 3) + role[k] - 3];
}

/* node whose velocity is number k */
int tni_layout_owner(const tni_layout *L, int k);

/* place and Euler parameters of node i into q [nq]; what a kind has not is left out */
void tni_layout_set_pose(const tni_layout *L, int i, const double r[3], const double p[4],
                         double *q);
/* attitude of node i; a point never turns */
void tni_layout_attitude(const tni_layout *L, int i, const double *q, double A[9]);

/* motion of node i; v NULL: at rest */
void tni_layout_node_kin(const tni_layout *L, int i, const double *q, const double *v, tni_kin *k);

/* q, v of the nodes from kin[i + 1]; either may be NULL */
void tni_layout_from_kin(const tni_layout *L, const tni_kin *kin, double *q, double *v);

/* geometry of the coordinates, as the operations of a system of the same names */
void tni_layout_qdot(const tni_layout *L, const double *q, const double *v, double *qd);
void tni_layout_retract(const tni_layout *L, const double *q, const double *dx, double *q_out);
void tni_layout_difference(const tni_layout *L, const double *q0, const double *q1, double *dx);
void tni_layout_normalize(const tni_layout *L, double *q);
/* s->kin of the nodes, kin[i + 1]; v NULL: at rest */
void tni_layout_kin(const tni_layout *L, const double *q, const double *v, tni_kin *kin);

#endif
