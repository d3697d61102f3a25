/* topology/tree.h - spanning tree of the body-joint graph, with the ground as root
 *
 * Vertices are the bodies and the ground, edges the joints that can carry a body (mobilizer other
 * than NONE, no drives). The tree decides which joints become coordinates; all others are cut and
 * stay as constraints.
 *
 * Choice: a minimum spanning tree with the degrees of freedom of a joint as the weight of its edge
 * (Prim, grown from the ground). Coordinates minus cut equations is the mobility, the same for every
 * tree, so the smallest number of coordinates is the smallest number of cut equations too. Ties go
 * to the body nearer to the ground, which halves the length of loops, then to the joint listed
 * first: the same model gives the same tree.
 *
 * Joints that the user has marked (`cut`) are no edges.
 *
 * A part of the mechanism without such a path to the ground is carried by a free joint (planar
 * models: planar joint) under its body with most joints, then with most mass, then listed first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_TREE_H
#define TNI_TREE_H

#include "model/model.h"

/* One body with the joint that carries it. Frame 0 is fixed in the inboard body (or ground), frame
 * 1 in the body itself: for a reversed joint these are its frames 1 and 0. */
typedef struct tni_link {
  int body;      /* of the model                                                     */
  int parent;    /* link of the inboard body, TNI_GROUND                             */
  int end;       /* the descendants of link k are the links k+1 .. end-1             */
  int depth;     /* joints between body and ground, at least 1                       */
  int joint;     /* of the model, -1: free body on the ground                        */
  bool reversed; /* body[1] of the joint is the inboard one                          */
  tni_mobilizer mobilizer; /* as the plane leaves it in planar models                */
  double pitch;
  tni_frame frame[2];
} tni_link;

typedef struct tni_tree {
  int nlink;      /* bodies                                                          */
  tni_link *link; /* [nlink] depth first: a parent before its children               */
  int *of_body;   /* [nbody] link of a body                                          */
  int ncut;
  int *cut;       /* [ncut] joints that are not in the tree, in the order of the model */
  int nfree;      /* bodies on free joints                                           */
  int nv;         /* velocities: sum of the degrees of freedom of the links          */
  int nloop;      /* independent loops of the joint graph, drives not counted        */
  int depth;      /* greatest depth                                                  */
} tni_tree;

/* Build the tree; everything is allocated from the arena. */
tn_status tni_tree_build(const tn_model *model, tni_arena *arena, tni_tree *out);

/* degrees of freedom, and number of position coordinates (Euler parameters for rotations) */
int tni_mobilizer_dof(tni_mobilizer m);
int tni_mobilizer_ncoord(tni_mobilizer m);

#endif
