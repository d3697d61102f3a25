/* analyses/assemble.h - consistent positions and velocities from approximate input
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ASSEMBLE_H
#define TNI_ASSEMBLE_H

#include "system/system.h"

/* What happened to one kind of values (tni_written) that stand in the model file. */
typedef struct tni_correction {
  double size;               /* largest change [m, rad, m/s, rad/s]                          */
  double scale;              /* what it is small or large against: size of the model, 1 rad,
                                largest speeds                                                */
  int count;                 /* bodies changed by more than rounding                          */
  int body;                  /* the one with the largest change, -1: none                     */
  double from[3], to[3];     /* its value before and after, ground axes; not of orientations  */
} tni_correction;

typedef struct tni_assembly {
  double initial_residual;   /* largest |Phi| before, and the row                            */
  int initial_row;
  double residual;           /* largest |Phi| after                                          */
  int row;
  double velocity_residual;  /* largest |C v + Phi_t| before                                 */
  int iterations;
  double *moved;             /* [nbody][4] distance, angle, change of velocity, of angular
                                velocity of every body; allocated from the arena              */
  int most_moved;            /* body with the largest move, -1: none moved                    */
  tni_correction written[TNI_NWRITTEN]; /* changes of what the user wrote                     */
} tni_assembly;

/* Make (q, v) of the cartesian system of a model consistent at t, changing least what the user wrote (weights
 * hold_position, hold_velocity times the inertia); velocities that nobody wrote follow from those
 * that are written. v: as written, at the q that goes in. Updates the rank of the system. Returns
 * TN_INCONSISTENT with the name of the worst constraint when no configuration near the given one
 * meets them all. */
tn_status tni_assemble(const tn_model *m, tni_data *s, double t, double *q, double *v, tni_arena *arena,
                       tni_assembly *out);

/* Is no velocity written or held: do all follow from others? */
bool tni_velocities_follow(const tn_model *m, const tni_data *s);
/* The velocities alone, at a consistent q: v as written for q0 goes in. Angular velocities written in
 * ground axes stay in ground axes when the bodies have turned from q0 to q. guess: what velocities that
 * nobody wrote should come near to; NULL: as in v. */
tn_status tni_assemble_velocity(const tn_model *m, tni_data *s, double t, const double *q0,
                                const double *q, double *v, const double *guess, tni_arena *arena, tni_assembly *out);

/* changes of written values above this part of their scale deserve a word */
#define TNI_CORRECTION_NOTABLE 1e-3
/* One line about kind k of the changes, "" when it is not notable. */
void tni_assembly_describe(const tni_assembly *a, const tn_model *model, int k, char *out, size_t n);
/* A warning for each kind of written values that changed notably. */
void tni_assembly_warn(tn_ctx *ctx, const tn_model *model, const tni_assembly *a);

#endif
