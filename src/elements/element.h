/* elements/element.h - what beam and truss elements share
 *
 * An element is an internal force between nodes: a tni_force whose bodies are the nodes it joins.
 * A node is a body of the model. An end of an element is a frame fixed in a body, so that an
 * element may also sit on a rigid body away from its centre of mass, or on the ground:
 *
 *   x = r + A s,   Q = A R           section centre and axes (x along the beam)
 *
 * Elements are evaluated at their ends, with perturbations (dx ground, dtheta section axes) of each
 * end, and tni_ends_scatter takes forces and tangents to the bodies.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ELEMENT_H
#define TNI_ELEMENT_H

#include "elements/turn.h"
#include "materials/section.h"
#include "model/build.h"

enum { TNI_MAXEND = 3, TNI_MAXENDCOL = 6*TNI_MAXEND };

typedef struct tni_end {
  int body;       /* TNI_GROUND: fixed                                     */
  int slot;       /* of the body in the force, -1: ground                  */
  bool plain;     /* s = 0, R = 1                                          */
  double s[3], R[9];
} tni_end;

/* pose and velocity of an end */
typedef struct tni_end_kin {
  double x[3], Q[9], v[3], w[3]; /* v ground, w section axes */
} tni_end_kin;

/* what makes an element; poses are the initial ones of the bodies */
typedef struct tni_element_in {
  const char *name;
  const tni_item *item;
  int body[TNI_MAXEND];
  tni_frame frame[TNI_MAXEND]; /* of the ends in their bodies */
  const tni_profile *profile;  /* lives as long as the model  */
  double damping;              /* [s] stress per rate of stress of the elastic law */
  bool slack;                  /* truss: no compression        */
  double length;               /* truss: unstretched, 0: as it is */
  bool velocity;               /* look at velocities too, for damping */
} tni_element_in;

typedef struct tni_element_type {
  const char *name;
  const char *summary;
  int nend;
  bool memory; /* depends on the path: strains are stored */
  tn_status (*build)(tni_builder *b, const tni_element_in *in);
} tni_element_type;

/* what beams may be made of (key `element`); a new type is one file and one line here */
#define TNI_BEAM_ELEMENT_LIST(X) \
  X(exact)                       \
  X(quadratic)                   \
  X(incremental)
#define TNI_ELEMENT_LIST(X) TNI_BEAM_ELEMENT_LIST(X) X(truss)

#define X(name) extern const tni_element_type tni_element_##name;
TNI_ELEMENT_LIST(X)
#undef X

/* Ends of an element, their bodies entered into the force. */
tn_status tni_ends_build(tni_builder *b, const tni_element_in *in, int n, tni_force *force,
                         tni_end *end);
/* Initial poses of the ends. */
void tni_ends_initial(const tni_builder *b, const tni_end *end, int n, tni_end_kin *kin);
void tni_ends_kin(const tni_end *end, int n, const tni_env *env, tni_end_kin *kin);
/* f [6 n], K, D [6 n][6 n] of the ends (K and D NULL: forces only) to those of the force. */
void tni_ends_scatter(const tni_end *end, int n, const tni_force *force, const tni_env *env,
                      const double *f, const double *K, const double *D, tni_force_out *out);
/* M [6 n][6 n] with rows of the ends at `rows` and columns of those at `cols` -> out */
void tni_ends_scatter_mixed(const tni_end *end, int n, const tni_force *force, const tni_env *rows,
                            const tni_env *cols, const double *M, double *out);
/* The two parts of a stiffness at the ends to those of the force: f at the stresses of `rest`, K and D
 * [6 n][6 n] at constant stresses, B [nstress][6 n]. Stresses without stiffness (C = 0) get empty rows. */
typedef struct tni_ends_mixed {
  int nstress;
  const double *f, *K, *D, *B, *F;
} tni_ends_mixed;
void tni_ends_scatter_parts(const tni_end *end, int n, const tni_force *force, const tni_env *env,
                            const tni_ends_mixed *in, tni_mixed_out *out);
/* Ends `a` and `o` must stay within half a turn of each other: the rotation vector between them begins anew there. */
void tni_ends_follow(const tni_end *o, const tni_end *a, tni_turned *out);
/* add the element to the model */
tn_status tni_element_add(tni_builder *b, const tni_element_in *in, const char *type,
                          const tni_force *force);

/* M [.. n columns] block at (row, col) += factor * B */
static inline void tni_block_add(double *M, int n, int row, int col, double factor,
                                 const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) M[(row + i)*n + col + j] += factor*B[3*i+j];
}

/* ---- pose of one end against another ------------------------------------------------------- */

/* z = (p, psi): end `a` seen from end `o`, in the axes of o
 *   p = Q_o^T (x_a - x_o),   exp(~psi) = Q_o^T Q_a,   |psi| <= pi
 * Velocities follow by z' = Z v with the blocks below; perturbations likewise. */
typedef struct tni_relative {
  double p[3], psi[3];
  tni_turn turn; /* J_r^-1(psi) */
} tni_relative;

void tni_relative_set(tni_relative *r, const tni_end_kin *o, const tni_end_kin *a);
/* z' = (p', psi') */
void tni_relative_rate(const tni_relative *r, const tni_end_kin *o, const tni_end_kin *a,
                       double rate[6]);
/* f += -Z^T g for the generalised force g = (g_p, g_psi); ends io, ia of f */
void tni_relative_force(const tni_relative *r, const tni_end_kin *o, const double g[6], int io,
                        int ia, double *f);
/* Z [6][n], overwritten */
void tni_relative_Z(const tni_relative *r, const tni_end_kin *o, int io, int ia, int n, double *Z);
/* K += -d(Z^T g)/d delta at fixed g */
void tni_relative_geometric(const tni_relative *r, const tni_end_kin *o, const double *Z,
                            const double g[6], int io, int ia, int n, double *K);
/* dz'/d delta at fixed velocities, [6][n], overwritten */
void tni_relative_rate_gradient(const tni_relative *r, const tni_end_kin *o, const tni_end_kin *a,
                                const double *Z, int io, int n, double *G);

/* Over a step whose states at the ends are r0, r1 and halfway r (system/discrete.h), with the turns
 * Theta = h w of both ends, the change of (p, psi) is exactly
 *   p1 - p0 = S h p'(halfway),   psi1 - psi0 = W h psi'(halfway) */
void tni_relative_difference(const tni_relative *r0, const tni_relative *r1, const tni_relative *r,
                             const tni_end_kin *o, const tni_end_kin *a, double h, double S[9],
                             double W[9]);

#endif
