/* integrators/common.h - what the explicit methods share: options, sizes of coordinates, messages
 *
 * Error and tolerance are compared in the space of local perturbations delta (nv components), not
 * in the coordinates q: an error of Euler parameters along their own direction means nothing, and
 * the result does not depend on which coordinates a representation chose.
 *
 *   scale of a position component j    atol + rtol*size_j(q)
 *   scale of a velocity component j    atol_v + rtol_v*|v_j|
 *   norm   sqrt( 1/(2 nv) sum_j ( (delta_j/scale)^2 + (dv_j/scale)^2 ) )
 *
 * size_j is |q_i| when the coordinate q_i moves with v_j alone and nothing else does (translations,
 * relative angles), and the length of the Euler parameters, 1, for a rotation.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_INTEGRATOR_COMMON_H
#define TNI_INTEGRATOR_COMMON_H

#include <math.h>

#include "integrators/integrator.h"

/* st = call, its time counted */
#define TNI_TIMED(it, phase, st, call)                        \
  do {                                                        \
    double began_ = tni_wall_time();                          \
    (st) = (call);                                            \
    (it)->stats.seconds[phase] += tni_wall_time() - began_;   \
  } while (0)

/* which velocity components move which coordinate */
typedef struct tni_scale {
  int nq, nv;
  int *dof;  /* [nq] the only v_j that moves q_i; TNI_SCALE_MANY, _NONE   */
  int *nrow; /* [nv] coordinates that move with v_j alone                  */
} tni_scale;
enum { TNI_SCALE_MANY = -1, TNI_SCALE_NONE = -2 };

tn_status tni_scale_create(tni_arena *arena, const tni_data *s, tni_scale *out);
void tni_scale_size(const tni_scale *sc, const double *q, double *size); /* size [nv] */

/* weighted norm of (dx, dv) with the larger of the sizes at both ends; *worst: component with the
 * largest share, may be NULL */
typedef struct tni_norm {
  double rtol, atol, rtol_v, atol_v;
  const double *size0, *v0; /* [nv] at the beginning of the step */
  const double *size1, *v1; /* [nv] at its end, NULL: only size0 */
} tni_norm;
double tni_norm_error(const tni_norm *w, int nv, const double *dx, const double *dv, int *worst);
/* the norm at the beginning of a step, with the tolerances of the method */
static inline tni_norm tni_norm_at(const tni_integrator *it, const double *size0, const double *v0) {
  const tni_integrator_opts *o = &it->opts;
  return (tni_norm){.rtol = o->rtol, .atol = o->atol, .rtol_v = o->rtol_v, .atol_v = o->atol_v,
                    .size0 = size0, .v0 = v0};
}

/* The error (dx, dv) of the state (t, q, v) as those who look at the bodies see it: the largest of
 *   |dr_i|/(atol + rtol |r_i|), |turn|/(atol + rtol), |dv_i|/(atol_v + rtol_v |v_i|), |dW_i|/(...)
 * over positions, rotations, velocities and angular velocities of all bodies in ground axes. A wrong angle
 * of a body that spins, or of a joint far from its end, is a wrong velocity too; and what is wrong with one
 * body of many is not a mean. Negative: the system has no bodies, or the error is zero. */
double tni_error_of_bodies(tni_integrator *it, double t, const double *q, const double *v,
                           const double *dx, const double *dv);
/* The larger of that, times its weight, and of the norm of the same error. */
double tni_error_seen(tni_integrator *it, double t, const double *q, const double *v, const double *dx,
                      const double *dv, double weight, double norm);

/* The tolerance is that of the run, and errors of its steps add up: by how much more an error of a step h counts in a run
 * of more such steps than the usual one. The steps are those that a tolerance of 1 would have, with an estimate of this
 * order, so that it is the motion that counts, not the tolerance; -1: those of the tolerance too. At least a fifth, at
 * most eight times: long runs mostly forget. */
#define TNI_USUAL_TIMES 6
double tni_adding_up(const tni_integrator *it, double h, int error_order, double usual);

/* mean of the steps so far; before the first one: h */
double tni_mean_step(const tni_integrator *it, double h);

/* Common part of a method: checks and completes the options, allocates the state from it->arena. */
tn_status tni_integrator_init(tni_integrator *it, const tni_integrator_type *type, tn_ctx *ctx,
                              tni_data *s, const tni_integrator_opts *opts);
static inline int tni_integrator_ny(const tni_integrator *it) {
  return it->s->nq + it->s->nv + TNI_NZ;
}

/* n numbers to a checkpoint, or from it; returns the place after them */
static inline double *tni_put(double *at, const void *x, int n) {
  memcpy(at, x, (size_t)n*sizeof(double));
  return at + n;
}
static inline const double *tni_get(const double *at, void *x, int n) {
  memcpy(x, at, (size_t)n*sizeof(double));
  return at + n;
}

/* smallest step that makes sense at t */
double tni_integrator_hmin(const tni_integrator *it, double t);

/* The step to take when h is wanted and `remaining` is left: the last one lands on the end, and the
 * one before is cut in two rather than leaving a crumb. */
double tni_last_step(double h, double remaining, bool fixed);
/* A last one of equal steps that differs from the others by the rounding of times alone is one of them: their matrix serves. */
static inline double tni_equal_step(double h, double wanted) { return fabs(h - wanted) <= 1e-9*wanted ? wanted : h; }

void tni_integrator_count_step(tni_integrator *it, double h, int order);

/* why an attempt was given up */
typedef enum {
  TNI_CAUSE_ERROR,    /* local error too large; index: velocity component, value: error/tolerance */
  TNI_CAUSE_PROJECT,  /* projection did not converge; index: row, value: residual                 */
  TNI_CAUSE_JUMP,     /* projection went too far; index: velocity component, value: how far       */
  TNI_CAUSE_ACCEL,    /* accelerations failed, the system left a message                          */
  TNI_CAUSE_NONFINITE /* index: first velocity component that is not finite                       */
} tni_cause_kind;
typedef struct tni_cause {
  tni_cause_kind kind;
  int index; /* -1: unknown */
  double value;
} tni_cause;

/* TN_NO_PROGRESS with a message: time, step, cause by name */
tn_status tni_no_progress(tni_integrator *it, double t, double h, const tni_cause *cause);

/* Near a singular position accelerations off the constraints grow without bound while those on them
 * stay smooth. After a rejected attempt a method therefore takes some steps with care: it->careful
 * counts them down, and accelerations are taken at states projected down to rounding only. */
enum { TNI_CAREFUL_STEPS = 8 };
/* constraints, and a system that can tell what is along them */
static inline bool tni_integrator_can_care(const tni_integrator *it) {
  return !it->s->ode && tni_has_tangential(it->s);
}

/* A correction of positions, largest component, that is no correction of an error any more: beside
 * the largest component of the motion since the beginning of the step it is so large that it may
 * have led to another branch of the mechanism. */
bool tni_is_jump(double correction, double motion);

/* Normalize and project; *moved is false when the residuals were below the tolerance already.
 * TN_STEP_REJECTED: the projection is a jump. */
tn_status tni_integrator_project(tni_integrator *it, double t, double *q, double *v, bool *moved,
                                 tni_cause *cause);
/* The same for a state inside a step, for whoever looks at it or restarts from it: down to rounding next to a singular
 * position, where a residual that the tolerance allows leaves a much larger error along the constraints. */
tn_status tni_integrator_project_look(tni_integrator *it, double t, double *q, double *v);
/* right-hand side ydot = (N v, v', z'); lambda may be NULL. An outcome > 0 comes with its cause. */
tn_status tni_integrator_rhs(tni_integrator *it, double t, const double *y, double *ydot,
                             double *lambda, tni_cause *cause);

#endif
