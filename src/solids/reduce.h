/* solids/reduce.h - reduced bodies: a mesh between interface bodies as few coordinates (Craig and Bampton)
 *
 * Each interface is a body that carries nodes of the mesh. Within axes that follow the interfaces the mesh moves by
 *
 *   u = Psi d + Phi eta     d  [6 nb] motions of the interfaces, Psi what the rest does in equilibrium with them
 *                           eta [nm]  modes of the mesh with the interfaces held
 *
 * so that K = diag(K_d, m w^2): no stiffness couples the two, mass does.
 *
 *   reduce.c         Psi, Phi and the matrices of a mesh; their check
 *   reduce_file.c    the same from and to a file
 *   reduced.c        the part of the system
 *
 * Sources: R. R. Craig, M. C. C. Bampton, AIAA Journal 6 (1968); A. Cardona, M. Geradin, Computers and Structures 41 (1991).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_REDUCE_H
#define TNI_REDUCE_H

#include "solids/structure.h"

/* what is computed once: interfaces about the middles of their nodes, ground axes at rest */
typedef struct tni_basis {
  int nb, nm;             /* interfaces, modes                                                  */
  int ndof, nnode;        /* of the mesh                                                        */
  double *middle;         /* [nb][3] of the nodes of each                                       */
  double *K;              /* [6 nb][6 nb] of d                                                  */
  double *M;              /* [n][n], n = 6 nb + nm, of the nodes that no interface carries      */
  double *omega2;         /* [nm] squares of frequencies                                        */
  double *B;              /* [nnode ndof][n] displacements by d and eta, all nodes              */
} tni_basis;

typedef struct tni_reduce_opts {
  int modes;              /* 0: all up to */
  double up_to;           /* [Hz]         */
} tni_reduce_opts;

/* A load on nodes, share s_i f(t) with f in ground axes (gravity: s_i = m_i), or pressure p(t) that turns with the axes of the body */
typedef struct tni_reduced_load {
  const tni_load *load;   /* NULL: gravity                                                      */
  double total, first[3]; /* sum of s, of s (X - Xf)                                            */
  const double *S;        /* [3][n] sum of s B                                                  */
  double push[3], about[3]; /* force and torque about Xf of unit pressure at rest               */
  const double *G, *C;    /* [n] what unit pressure gives to d and eta; [3][n] torque by d, eta; NULL: no pressure */
} tni_reduced_load;

typedef struct tni_reduced {
  const tni_structure *s;
  const tni_part *mesh;   /* its nodes as a part of their own: for fields                       */
  int nb, nm, n;
  const int *body;        /* [nb] of the model, TNI_GROUND                                      */
  const int *slot;        /* [nb] in part->carrier, -1: the ground                              */
  const double *weight;   /* [nb] in the mean motion, sum 1                                     */
  const double *X, *A0;   /* [nb][3] centre of mass of the body and [nb][9] its attitude where the mesh is at rest */
  double Xf[3];           /* mean of X                                                          */
  const double *K, *M, *B; /* as of the basis, interfaces about X; M without the masses of modes */
  const double *omega2, *mass; /* [nm]                                                          */
  int nload;              /* the first is gravity                                               */
  const tni_reduced_load *load;
  double gravity[3], alpha, beta;
  const double *damping;  /* [nm] 2 zeta omega m                                                */
  double rate, lowest;    /* [rad/s] largest frequency of the free body; lowest, free or held by one interface */
} tni_reduced;

extern const tni_part_ops tni_reduced_ops;

/* interface of every node: its number, -1: none */
tn_status tni_basis_compute(tni_builder *b, const tni_item *item, const tni_structure *s, const tni_part *mesh, int nb,
                            const int *interface, const tni_reduce_opts *o, tni_basis *out);
/* Digest of all that it depends on. */
typedef struct tni_digest {
  unsigned long long h[2];
} tni_digest;
tni_digest tni_reduce_digest(const tni_structure *s, int nb, const int *interface, const tni_reduce_opts *o);
/* *why: "" read; else why it is not used, one line. Nothing but memory is an error. */
tn_status tni_basis_read(tn_ctx *ctx, tni_arena *arena, const char *path, const tni_digest *digest, tni_basis *out,
                         char *why, size_t n);
tn_status tni_basis_write(tn_ctx *ctx, const char *path, const tni_digest *digest, const tni_basis *basis);

/* Does the item of a structure ask for it? */
bool tni_reduce_wanted(const tni_item *item);
/* The mesh of part (numbered, with neighbours) becomes a reduced body. */
tn_status tni_reduce_build(tni_builder *b, tni_part *part, tni_structure *s);

#endif
