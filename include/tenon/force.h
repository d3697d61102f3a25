/* tenon/force.h - forces computed by the caller's own function
 *
 * A model names the force and its bodies,
 *   forces: {suction: {type: callback, bodies: [piston, ground]}}
 * and the program attaches a function to it. Directions: velocities and forces of a body are
 * (linear in ground axes, angular in body axes), and so are small changes of a pose:
 *   r -> r + dr,   A -> A exp(~dtheta),   dtheta in body axes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_FORCE_H
#define TN_FORCE_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double r[3]; /* centre of mass, ground axes [m]           */
  double A[9]; /* body axes to ground axes, row-major       */
  double v[3]; /* velocity of it, ground axes [m/s]         */
  double w[3]; /* angular velocity, body axes [rad/s]       */
} tn_body_state;

/* All numbers are zero before the call. */
typedef struct {
  double *f;         /* [6 nbody] force (ground axes), torque about the centre of mass (body)  */
  double *K;         /* [6 nbody][6 nbody] df/d(dr, dtheta), row-major; NULL: not asked        */
  double *D;         /* [6 nbody][6 nbody] df/d(v, w); NULL: not asked                         */
  double *f_t;       /* [6 nbody] df/dt while the bodies stand still; NULL: not asked          */
  bool has_tangent;  /* set when K, D and f_t were filled as asked; otherwise the library takes
                        central differences of f, with 24 nbody + 2 calls                      */
  double dissipated; /* power turned into heat [W]; the rest of the power of f counts as input */
  double value;      /* what sensors of this force report                                      */
} tn_force_result;

/* Must depend on its arguments only (the same state is evaluated many times, in any order), and
 * may be called from several threads at once when the context has more than one. body [nbody] are
 * the moving bodies in the order of the model file; ground is left out. */
typedef void (*tn_force_fn)(void *user, double t, int nbody, const tn_body_state *body,
                            tn_force_result *out);

/* Controller of type sampled: outputs out [nout] from the inputs in [nin] of the model file, called
 * once for every sample in the order of time, never from two threads at once. It may keep its own
 * state; a run that restarts from stored results then calls it again from the last checkpoint on. */
typedef void (*tn_controller_fn)(void *user, double t, int nin, const double *in, int nout,
                                 double *out);

#ifdef __cplusplus
}
#endif
#endif
