/* analyses/modes.h - small motions about an equilibrium or a steady motion
 *
 * Along the directions that the constraints leave (nonlinear/tangent_space.h), delta = Z y,
 *
 *   y'' + D y' + K y = 0,    y = Y exp(sigma t)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MODES_H
#define TNI_MODES_H

#include "analyses/sim.h"
#include "analyses/statics.h"
#include "output/results.h"

typedef enum {
  TNI_MODE_RIGID,       /* sigma = 0: can be displaced at no cost     */
  TNI_MODE_OSCILLATING, /* a pair of complex sigma                    */
  TNI_MODE_REAL         /* decays or grows without oscillating        */
} tni_mode_kind;

typedef struct tni_mode {
  tni_mode_kind kind;
  double re, im;        /* sigma [1/s], im >= 0                                            */
  double frequency;     /* |sigma|/(2 pi) [Hz]                                             */
  double damping;       /* -re/|sigma|                                                     */
  bool unstable;
  const double *shape;  /* [2][n] real and imaginary part of delta, mass-normalised,
                           largest component real                                          */
  int body;             /* with the largest share of the kinetic energy                    */
  int component;        /* largest component of it, counted through all                    */
  double share;
  double off_by;        /* relative error of |sigma| that rounding may have caused         */
} tni_mode;

typedef struct tni_modes {
  int n, nmode, nrigid, nunstable;
  tni_mode *mode;       /* [nmode] rigid ones, then by |sigma|                             */
  bool symmetric;       /* no damping, no gyroscopic terms: a symmetric eigenproblem       */
  bool moving;          /* about a motion                                                  */
  double spin[3];       /* angular velocity of the frame in which the motion is steady      */
  double unsteady;      /* how far the motion is from steady: 0 exactly                     */
} tni_modes;

/* Modes at the state that sim shows (cartesian); everything in the arena of sim. Fills the summary. */
tn_status tni_modes_compute(tn_sim *sim, tni_modes *out);

/* Datasets /modes/... for the results file, in the arena of sim. */
tn_status tni_modes_tables(tn_sim *sim, const tni_modes *modes, int *ntable, tni_table **out);

/* Stores for every mode one period of its motion as poses. */
tn_status tni_modes_animate(tn_sim *sim, const tni_modes *modes, tni_store_fn store, void *user);

#endif
