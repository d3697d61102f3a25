/* nonlinear/tangent_space.h - the equations of a constrained system along the directions left free
 *
 * At a configuration q that meets the constraints, displacements delta with C delta = 0 are
 *
 *   delta = Z y,    C Z = 0,    Z^T W Z = 1
 *
 * W is the mass matrix M, with a `lever` added to the radii of gyration. Without it the multipliers,
 * those that leave the least residual r = f - C^T lambda measured by W^-1, are the reactions of the
 * body at rest, with the accelerations it would have taken off, and eigenvalues below are squares of
 * frequencies. Nodes of thin beams have next to no rotary inertia: in that measure turns are a million
 * times stiffer than what matters, and a lever of the size of the model spares the rounding. What is
 * left of the equilibrium equations is
 *
 *   g = -Z^T f = 0,    H = dg/dy = Z^T (d(C^T lambda)/dq - df/dq) Z
 *
 * H is the stiffness that the constraints leave, including the geometric part of their forces.
 * It is symmetric where the forces have a potential and g = 0.
 *
 * With a spin Omega about an axis through a fixed point, rest means: turning with it. Every body then
 * has v(q), the inertial forces M a(q) of the circular motion are taken off f, and H has their
 * derivatives: an equilibrium is a steady rotation.
 *
 * Nonholonomic rows restrict displacements like the others (a wheel that may only roll).
 * Small models: dense matrices, and all eigenvalues of H. Large ones and beams: sparse factorizations, no Z, and
 * those eigenvalues that are next to zero (nonlinear/sparse_space.h). What both share is asked for
 * with displacements delta and their length |delta| in the measure W, which is |y|.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_TANGENT_SPACE_H
#define TNI_TANGENT_SPACE_H

#include "system/system.h"

typedef enum { TNI_SPACE_AUTO = 0, TNI_SPACE_DENSE, TNI_SPACE_SPARSE } tni_space_form;

struct tni_sparse_space;

typedef struct tni_tangent_space {
  tni_data *s;      /* cartesian                                                           */
  int n, m;           /* velocity components, constraint rows                                */
  int rank, nd;       /* independent rows; n - rank directions                               */
  double lever;       /* [m], set by the owner, 0: W = M                                     */
  bool settles;       /* set by the owner, with a lever: eigenvalues are asked for at equilibria, where
                         stresses that balance the loads are better than those of the strains */
  double spin[3], spin_at[3]; /* steady rotation, ground axes [rad/s], and a point of its axis;
                                 set by the owner after create                               */
  /* at the configuration of the last update; square matrices row-major                       */
  double t;
  double *q;          /* [nq]                                                                */
  double *v, *a;      /* [n] velocities and accelerations of the spin; zero without one      */
  double *f;          /* [n] forces at rest, less M a                                        */
  double *lambda;     /* [m] of least norm                                                   */
  double *residual;   /* [n] f - C^T lambda                                                  */
  double *W;          /* [n][n] the measure                                                  */
  double *M, *K;      /* [n][n] mass; stiffness d(C^T lambda - f)/dq                         */
  double *f_v, *C;    /* [n][n], [m][n]                                                      */
  double *Z;          /* [nd][n] one direction after the other                               */
  double *g, *H;      /* [nd], [nd][nd]                                                      */
  double *f_t, *move; /* [n] rate of f with t; displacement that follows the constraints, per t */
  double *g_t;        /* [nd] rate of g with t, displacement `move` included                 */
  double gnorm;       /* |g|                                                                 */
  double fscale;      /* size of the single forces in the norm of g, to judge |g| by         */
  double kscale;      /* size of the stiffness in the norm of H                              */
  double potential;   /* energy of the forces that have one                                  */
  /* eigenvalues, ascending, and vectors of the symmetric part of H: after tni_tangent_eigen    */
  double *value, *vector; /* [nd], [nd][nd] one vector after the other                       */
  double zero;        /* an eigenvalue below this is rounding                                */
  int nnegative, nzero;
  bool has_eigen, spinning;
  bool symmetric;     /* H is; else its symmetric part says nothing for certain about stability */
  double *wdiag;      /* [n] diagonal of W                                                    */
  struct tni_sparse_space *sparse; /* NULL: dense; else M, W, K, f_v, C, Z, g, H, g_t, vector are NULL */
  /* scratch */
  double *L, *Ct, *tau, *work, *rest, *weight, *scale;
  double *a0, *W1, *W2, *y, *A;
  int *pivot, *order, lwork;
} tni_tangent_space;

/* Is TNI_SPACE_AUTO sparse: more velocity components than most_dense (0: 150), or beams, whose stresses
 * are kept as unknowns (system/stress.h)? With trusses and cables from 600 on only. */
bool tni_tangent_is_sparse(const tni_data *s, int most_dense);

/* Everything is allocated from the arena here; an update allocates nothing. The factors of the sparse
 * form are freed by destroy. */
tn_status tni_tangent_space_create(tni_arena *arena, tni_data *s, tni_space_form form,
                                   tni_tangent_space *out);
void tni_tangent_space_destroy(tni_tangent_space *ts);

/* Evaluate at (t, q) at rest. Modes of one-sided forces are set to those of rest at q, remembered
 * angles to those of q. */
tn_status tni_tangent_space_update(tni_tangent_space *ts, double t, const double *q);

/* eigenvalues and vectors of H; does nothing when they are there already. Sparse: those next to zero,
 * the others are HUGE_VAL. */
tn_status tni_tangent_eigen(tni_tangent_space *ts);
/* Are all eigenvalues of the symmetric part of H positive? Sparse: from the signs of one factorization, no
 * eigenvalue is computed. */
tn_status tni_tangent_is_definite(tni_tangent_space *ts, bool *yes);
/* delta [n] of eigenvalue k */
void tni_tangent_vector(const tni_tangent_space *ts, int k, double *delta);
/* number of eigenvalues that have a vector */
int tni_tangent_nvector(const tni_tangent_space *ts);

/* dense: delta [n] = Z y */
void tni_tangent_expand(const tni_tangent_space *ts, const double *y, double *delta);
/* dense: y [nd] = Z^T W delta, the part of a displacement along the directions */
void tni_tangent_reduce(const tni_tangent_space *ts, const double *delta, double *y);

/* ---- steps (nonlinear/tangent_solve.c) ----------------------------------------------------- */

/* Wd [n] = W delta; length in it */
void tni_tangent_measure(const tni_tangent_space *ts, const double *delta, double *Wd);
double tni_tangent_length(const tni_tangent_space *ts, const double *delta);
/* Newton's step with the whole of H, symmetric or not; of least norm where H has no rank. */
tn_status tni_tangent_newton(tni_tangent_space *ts, double *delta);
/* After a step delta and before the update: the next Newton step at the configuration it leads to takes
 * the stresses it predicts for elements that have them (system/stress.h). NULL: none any more. */
void tni_tangent_predict(tni_tangent_space *ts, const double *delta);
/* Downhill, |delta| <= radius: -(H + mu)^-1 g with mu >= 0 large enough for that and for H + mu > 0;
 * forces below `ignore` along directions without stiffness are left alone. After tni_tangent_eigen.
 * *way: there is a way down. */
tn_status tni_tangent_downhill(tni_tangent_space *ts, double radius, double ignore, double *delta,
                               bool *way);
/* H y + g_t dt = g_factor g,   Wn.(Z y + move dt)/Lq^2 + nt dt/Lt^2 = c:   delta = Z y + move dt */
typedef struct tni_path_border {
  const double *Wn;
  double nt, Lq, Lt;
} tni_path_border;
tn_status tni_tangent_bordered(tni_tangent_space *ts, const tni_path_border *border, double g_factor,
                               double c, double *delta, double *dt);
/* the part of g_t along eigenvector k, relative to |g_t| */
double tni_tangent_turning(tni_tangent_space *ts, int k);
/* work of g on the unit displacement of eigenvector k */
double tni_tangent_pull(const tni_tangent_space *ts, int k);

/* Name of a displacement by its largest part: "body 'cart' along x", "body 'rod' about its own z". */
void tni_tangent_name(const tni_tangent_space *ts, const double *delta, char *out, size_t n);
/* Node with the largest residual: index, and its force [N] and moment [N m]; -1 without nodes. */
int tni_tangent_worst(const tni_tangent_space *ts, double *force, double *moment);

/* Mix k displacements [k][n] so that each has a component of its own that the others lack. */
void tni_tangent_separate(const tni_tangent_space *ts, int k, double *delta, int *component);
/* The nzero directions without stiffness [nzero][n], separated. After tni_tangent_eigen. */
void tni_tangent_free(const tni_tangent_space *ts, double *delta, int *component);

#endif
