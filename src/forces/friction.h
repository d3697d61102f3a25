/* forces/friction.h - Coulomb friction of a touch
 *
 * With the normal force N of impact.h, tangential velocity u_t and the place x of a touch (contact.c),
 * friction is a spring in series with a slider that holds up to L = mu N_e, with the elastic part of N:
 * the damper of a resting contact acts along the normal only, else L' would have p'' and neither mode
 * might fit:
 *
 *   sticking   T = -k xi - c_t u_t,  k |xi| <= L;  stored k xi^2/2
 *   sliding    T = -L s/|s|, s = L d + k tau (u_t - y d), y = min(L'/k, 0), while d.u_t > L'/k: the stretch of
 *              the spring is at its limit and the limit does not run away from it; the slider slips and
 *              draws the stretch into its direction; stored L^2/(2 k); d: direction of the stretch at the
 *              end of the last step, tau: time since then. Between d and u_t - y d the heat L (s.u_t/|s| - L'/k)
 *              is never negative.
 *
 * Stored energy and force go on through every change between the two. xi is the slip since it stuck: two
 * points fixed on the bodies start at x and are put at x again after every step; what each of them has
 * moved away from x along the surface of its body, unrolled into the tangent plane at x, is the way of the
 * contact there, and the difference of both ways is slip. A rolling ball has none. A way is as old as the step
 * at its beginning and new at its end: that on body 1 has been twisted against body 2 by half of what the
 * bodies have turned against each other about n, and is turned back by that. The depth of x below the surface of
 * body 2 changes in a step; what the way there lacks for that, of third order in the step, is added to xi.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FRICTION_H
#define TNI_FRICTION_H

#include "forces/contact_touch.h"

/* m: memory of the touch; law: of its impact at this state */
void tni_friction_force(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                        const tni_impact_out *law, double T[3], double *stored, double *heat);
/* Change of T for one component, with the changes of the touch, of p' and of u_t. */
void tni_friction_vary(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                       const tni_impact_out *law, int column, int level, const tni_change *c,
                       double rate, const double ut[3], double dT[3]);
/* d T/dt at fixed state: a slider turns its direction with time. False: none. */
bool tni_friction_drift(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                        const tni_impact_out *law, double F[3]);
/* switching functions; 1: does not apply */
void tni_friction_events(const tni_contact *d, const double *m, const tni_env *env, const tni_touch *w,
                         const tni_impact_out *law, double *slips, double *halts);
/* where a touch begins; where one of the functions is negative; after every step */
void tni_friction_begin(const tni_contact *d, const tni_env *env, const tni_touch *w, double *m);
void tni_friction_switch(const tni_contact *d, const tni_env *env, const tni_touch *w, double *m);
void tni_friction_carry_on(const tni_contact *d, const tni_env *env, const tni_touch *w, double *m);

#endif
