/* nonlinear/rest.h - equilibria of systems with meshes, by one sparse factorization a step
 *
 *   r(t, q, lambda) = C^T lambda - f(t, q) = 0,    Phi(t, q) = 0
 *
 * Newton's method on the whole system with exact tangents. Where nonlinear/equilibrium.h asks for eigenvalues and
 * measures steps by masses, here the matrix is that of a mesh: it is factored as L D L^T, whose signs tell the stability,
 * and what is not held shows as pivots that vanish, whose vectors are named.
 *
 * From an equilibrium at t0 the first step goes along the path, q' = K^-1 f_t: for a linear structure it is exact. A
 * step of the load that does not converge, or turns elements inside out, is halved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_REST_H
#define TNI_REST_H

#include "system/system.h"

struct tni_rest_elements_opts;

typedef struct tni_rest_opts {
  double tolerance;     /* of |r| relative to the forces of the elements; 0: 1e-10             */
  int max_iterations;   /* 0: 25                                                               */
  int max_cuts;         /* halvings of a step of the load; 0: 12                               */
  bool keep_factors;    /* of a linear structure those of the last equilibrium are good for all */
} tni_rest_opts;

typedef struct tni_rest_report {
  int iterations, factorizations, cuts;
  double residual;      /* |r| relative to the forces                                          */
  double largest;       /* component of r [N, N m]                                             */
  int worst;            /* unknown that has it                                                 */
  int negative;         /* negative eigenvalues of the stiffness, -1: not known                */
  bool symmetric;       /* the stiffness is                                                    */
  int free;             /* motions without stiffness, counted up to six; what is found along them is by chance */
  char free_names[256];
} tni_rest_report;

typedef struct tni_rest tni_rest;

/* the parts of s stand still from now on, whatever is prescribed in time: tni_parts.still */
tn_status tni_rest_create(tni_data *s, tni_rest **out);
void tni_rest_destroy(tni_rest **r);

struct tni_rest_cut_opts;
/* from now on by domains (nonlinear/rest_domains.h): what the model is must allow it; NULL: as a whole again */
tn_status tni_rest_cut_into(tni_rest *r, const struct tni_rest_cut_opts *opts);

/* Equilibrium at t, near q, lambda, which become it. from NULL: q is anywhere; else an equilibrium at that time, whose
 * path is followed. Histories are written (tni_system_commit) at every equilibrium on the way.
 * TN_NOT_CONVERGED; TN_SINGULAR: names what is not held. */
tn_status tni_rest_solve(tni_rest *r, const double *from, double t, double *q, double *lambda,
                         const tni_rest_opts *opts, tni_rest_report *report);

/* With the factors at the last equilibrium: x := K^-1 x [nv], along the constraints. */
void tni_rest_apply(tni_rest *r, double *x);
void tni_rest_apply_many(tni_rest *r, int k, double *x); /* [k][nv] */
/* K + shift M at a state, factored for tni_rest_apply; negative: as above. M [square->nnz] is given back. */
tn_status tni_rest_shifted(tni_rest *r, double t, const double *q, const double *lambda, double shift, int *negative,
                           const double **M);
/* Velocities v [nv] that strain structures and beams no more than they must: of all that keep the constraints at (t, q) and those of v that
 * are `given` [nv] (which keep the constraints), those with the least v K v, and among them those nearest to v as it was, counted by
 * weight [nv] >= 0. *strain: sqrt(v K v) of them in parts of what v had at first. TN_SINGULAR: there are none. */
tn_status tni_rest_velocities(tni_data *s, double t, const double *q, const double *weight, const bool *given, double *v, double *strain);

/* Factors of a symmetric matrix A [square->nnz] in the place of K, with the rows of the last state, for tni_rest_apply; negative:
 * as above. indefinite: it is expected not to be positive. */
tn_status tni_rest_factor(tni_rest *r, const double *A, bool indefinite, int *negative);
/* How the equilibrium at t, q, lambda moves with t: q' [nv], lambda' [m]. */
tn_status tni_rest_rate(tni_rest *r, double t, const double *q, const double *lambda, double *dq, double *dlambda);

/* For those who follow paths (nonlinear/rest_path.h), without constraints: what is out of balance at a state, |r| and the forces it is judged
 * by; false: it is not finite. Then factors of K there, with r_t; then a = -K^-1 r and b = -K^-1 r_t. */
bool tni_rest_residual(tni_rest *r, double t, const double *q, double *norm, double *size);
tn_status tni_rest_linearize(tni_rest *r, double t, const double *q, tni_rest_report *report);
tn_status tni_rest_solutions(tni_rest *r, double *a, double *b);
const double *tni_rest_load_rate(const tni_rest *r); /* r_t [nv] */

/* Before the first solution: solver of symmetric stiffnesses ("fronts", "mumps", "pcg", "skyline"; NULL: fronts, mumps where they are not
 * positive definite, pcg where factors of fronts take more than `memory` bytes, 0: four fifths of the machine's; by elements, or free of any
 * matrix, where the assembled one takes more too). elements: pcg shall assemble nothing (nonlinear/rest_elements.h); NULL: as said. */
void tni_rest_use(tni_rest *r, const char *solver, double memory, const struct tni_rest_elements_opts *elements);
/* one line: who solves, in which order, why */
void tni_rest_describe(const tni_rest *r, char *out, size_t n);
long tni_rest_nnz(const tni_rest *r);
/* before anything is factored: memory of all that belongs to the stiffness and of its factor alone [bytes], operations of a
 * factorization; 0: not known (models with constraints) */
tn_status tni_rest_expect(tni_rest *r, double *bytes, double *factor, double *flops);
/* the solver that will be taken where factors of fronts take so much, and why */
const char *tni_rest_foresee(tni_rest *r, double factor, char *why, size_t n);

#endif
