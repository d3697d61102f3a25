/* domains/feti_reduced.h - domains torn apart and held together by few forces: fields along their seams
 *
 *   [ F  -G ] [lambda]   [ d]     F = sum B_s K_s^+ B_s^T,  d = sum B_s K_s^+ f_s,  G = [B_s R_s],  e = [R_s^T f_s]
 *   [-G^T 0 ] [alpha ] = [-e]
 *
 * as in feti.h, but the rows of B ask for continuity in the mean (seam.h). The matrix is so small that it is made and factored. The
 * answer is an approximation: domains fit in the mean only. It is then made to fit: borders take the mean of their copies, interiors follow.
 * Potential energies enclose that of the whole,
 *
 *   P(torn) <= P <= P(fitted),
 *
 * and their gap says how good the answer is. Fields are refined until displacements and energies do not change any more.
 *
 * Nodes of a seam that are held in other directions, and those that ask for it, have forces of their own beside the fields.
 *
 * Source: Farhat and Geradin; any number of domains, rank of G, the gap: parallel finite elements specification, section 6.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FETI_REDUCED_H
#define TNI_FETI_REDUCED_H

#include "domains/seam.h"

typedef struct tni_feti_reduced tni_feti_reduced;

typedef struct tni_feti_reduced_opts {
  tni_seam_basis basis;
  int first;            /* degree to begin with, of piecewise ones points of a stretch; 0: degree 1, 4 points */
  bool constant;        /* begin with degree 0                                                         */
  int npoint;           /* piecewise: points, on 0 .. 1 of every stretch; 0: equal distances           */
  const double *point;
  bool fixed;           /* no refinement; TN_SINGULAR: the fields do not hold all domains              */
  int refinements;      /* at most; 0: 8                                                               */
  double tolerance;     /* change of the largest displacement of every kind, relative; 0: 1e-4         */
  double gap;           /* of energies, relative; 0: 1e-3                                              */
  bool ignore_supports; /* no forces of their own for nodes that are held in other directions: as published */
  int most;             /* forces; 0: 6000                                                             */
} tni_feti_reduced_opts;

typedef struct tni_feti_reduced_report {
  int forces, full;         /* fields' coefficients and forces of single nodes; unknowns of the seams       */
  int dropped;              /* forces that others make already (corners)                                  */
  int rigid, stretches, refinements, degree;
  int raised;               /* times that fields were refined because they did not hold the domains       */
  double torn, fitted;      /* potential energies                                                         */
  double change;            /* of the last refinement, NAN: there was none                                */
  double jump;              /* of torn displacements across seams, relative to the largest displacement   */
  double balance;           /* |K_s u_s - f_s + B_s^T lambda| relative to the forces                      */
  long nnz;                 /* numbers in all factors                                                     */
  double flops;             /* of all factors and of the matrix of the forces                             */
  int solves;               /* right sides of domains                                                     */
} tni_feti_reduced_report;

/* Factors all domains. Both are borrowed for the whole life. */
TN_NODISCARD tn_status tni_feti_reduced_create(const tni_domains *d, const tni_seam *seam, int nseam, const tni_feti_reduced_opts *opts,
                                          tni_feti_reduced **out);
void tni_feti_reduced_destroy(tni_feti_reduced **f);

/* f, u: pieces, copies of u are equal. A next right side begins with the fields of the one before. TN_NOT_CONVERGED: u is the
 * best so far, and the report says how far it is. */
TN_NODISCARD tn_status tni_feti_reduced_solve(tni_feti_reduced *f, const double *force, double *u, tni_feti_reduced_report *report);

/* of the last solution, pieces: before borders were fitted; B_s^T lambda */
void tni_feti_reduced_torn(const tni_feti_reduced *f, double *u);
void tni_feti_reduced_forces(const tni_feti_reduced *f, double *force);
/* largest over smallest eigenvalue of B_s B_s^T */
TN_NODISCARD tn_status tni_feti_reduced_condition(const tni_feti_reduced *f, int s, double *condition);

#endif
