/* domains/seam.h - where two domains meet, and fields of forces along it
 *
 * A seam is what two domains share: lines between plane domains, faces between solid ones. It is cut into stretches: chains of
 * lines that go on without a kink and end where a third domain comes in, patches of faces. On a stretch a field of forces is a sum
 * of functions phi_m, and that domains fit is asked for in the mean,
 *
 *   integral of phi_m (u_a - u_b) = 0:   sum_l T_ml (u_a,l - u_b,l) = 0,   T_ml = integral of phi_m N_l
 *
 *   polynomial   Legendre polynomials of the arc length; around a closed chain sines and cosines; on patches products of them in
 *                the coordinates along the principal axes of the patch
 *   piecewise    cubics between points, with Bessel's slopes: forces at the points are the unknowns
 *   monomial     1, s, s^2, ..., as the method was published: the same space as polynomial, hardly usable beyond s^5
 *
 * Source: Farhat and Geradin, on a reduced number of Lagrange multipliers; two entries of their appendix are misprints (zeta3, nu4).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SEAM_H
#define TNI_SEAM_H

#include "domains/domains.h"
#include "mesh/cell.h"

enum { TNI_SEAM_HELD = -1, TNI_SEAM_NONE = -2 };

typedef struct tni_seam {
  int domain[2];            /* first < second                                                          */
  bool path;                /* its lines only lead from node to node (lattices): no kinks              */
  int nnode, nkind;
  const double *x;          /* [nnode][3]                                                              */
  const long long *number;  /* [nnode][nkind] in the whole; held, or not there: as above               */
  const int *domains;       /* [nnode] that have the node                                              */
  const bool *alone;        /* [nnode] forces of its own are wanted there; NULL: nowhere               */
  int nfacet;               /* 0: every node has forces of its own                                     */
  const tni_cell *cell;     /* [nfacet]                                                                */
  const int *node;          /* [nfacet][TNI_CELL_MAXFACENODE] of the seam                              */
  const int *matter;        /* [nfacet] where it changes forces may jump; NULL: nowhere                */
} tni_seam;

typedef enum { TNI_SEAM_POLYNOMIAL, TNI_SEAM_PIECEWISE, TNI_SEAM_MONOMIAL, TNI_NSEAM_BASIS } tni_seam_basis;
extern const char *const tni_seam_basis_names[TNI_NSEAM_BASIS];

typedef struct tni_stretch {
  const tni_seam *seam;
  int nnode, nfacet, dim;   /* dim 0: nodes with forces of their own only                              */
  int *node, *facet;        /* of the seam                                                             */
  bool closed;
  double length;            /* of a chain                                                              */
  double (*s)[2];           /* [nfacet] of a chain: abscissa at the two ends of its lines              */
  int naxis;                /* of a patch: directions in which it extends                              */
  double centre[3], axis[3][3], half[3];
  bool each;                /* a force at every node: no field is left to refine                       */
  int degree;               /* of polynomials                                                          */
  int npoint;               /* of piecewise ones                                                       */
  double *point;            /* [npoint] on 0 .. length, of patches on -1 .. 1                          */
} tni_stretch;

/* in the arena; degree and points are not chosen yet */
TN_NODISCARD tn_status tni_seam_stretches(tn_ctx *ctx, const tni_seam *seam, int nseam, tni_arena *arena, tni_stretch **out, int *n);
/* n points on 0 .. 1 of its length */
TN_NODISCARD tn_status tni_stretch_points(tni_stretch *t, int n, const double *at, tni_arena *arena);
int tni_stretch_functions(const tni_stretch *t, tni_seam_basis basis);
/* T [functions][nnode]; a finer basis begins with the functions of the coarser one where it contains them */
TN_NODISCARD tn_status tni_stretch_integrals(tn_ctx *ctx, const tni_stretch *t, tni_seam_basis basis, double *T);

/* Cubics with Bessel's slopes between points x [n], n >= 3: at s the value is the sum over i < 4 of weight[i] times that of point at[i];
 * closed: the circle has this length, 0: it is none. */
void tni_bessel_weights(int n, const double *x, double closed, double s, int at[4], double weight[4]);

#endif
