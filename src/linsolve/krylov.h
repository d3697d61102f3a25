/* linsolve/krylov.h - the largest eigenvalues of a linear operator that is known by its products only
 *
 *   Op x = theta x
 *
 * by projection on a block Krylov space (Arnoldi's process, with every vector made orthogonal to all
 * before it; Lanczos' for operators that are symmetric in the inner product). With Op = (K - s M)^-1 M
 * these are the eigenvalues of K x = lambda M x next to s: theta = 1/(lambda - s).
 *
 * The space begins with `block` vectors, so that eigenvalues of that multiplicity are found for
 * certain; it grows until the wanted eigenvalues are exact enough.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_KRYLOV_H
#define TNI_KRYLOV_H

#include "base/base.h"

typedef struct tni_krylov_opts {
  int n;            /* length of the vectors                                                    */
  void (*apply)(void *user, const double *x, double *y); /* y = Op x; x may be overwritten      */
  void (*apply_many)(void *user, int k, const double *x, double *y); /* k of them at once, at most `block`; NULL: one by one */
  void (*weigh)(void *user, const double *x, double *y); /* y = B x: x.By is the inner product  */
  void *user;
  bool symmetric;   /* x.B Op y = y.B Op x                                                      */
  int want;         /* eigenvalues, largest |theta| first                                       */
  int block;        /* 0: 1                                                                     */
  int most;         /* vectors of the space at most                                             */
  double tolerance; /* residual relative to |theta|                                             */
} tni_krylov_opts;

typedef struct tni_krylov {
  int nvalue;          /* all that the space shows, largest |theta| first                       */
  int nexact;          /* so many of the first ones meet the tolerance                          */
  double *re, *im;     /* [nvalue]; pairs one after the other, im > 0 first                     */
  double *residual;    /* [nvalue] |Op x - theta x| of x with length 1                          */
  double *vector;      /* [want or fewer][n], of a pair real and imaginary part                 */
  int nvector;
} tni_krylov;

/* Results in the arena; a space that stops growing early is complete. TN_NOT_CONVERGED is not given:
 * look at nexact. */
tn_status tni_krylov_eigen(tni_arena *arena, const tni_krylov_opts *opts, tni_krylov *out);

#endif
