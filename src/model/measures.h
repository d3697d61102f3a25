/* model/measures.h - functions of t and measured quantities: build (see build.h) and evaluate
 *
 *   angle(joint)  displacement(joint)  coordinate(joint, name)     coordinates of a joint
 *   rate(joint)  rate(joint, name)                                 their time derivatives
 *   distance(p, q)  distance_rate(p, q)                            between two points
 *   x(p) y(p) z(p)  vx(p) vy(p) vz(p)                              ground components of a point
 *   x(p, q) ... vx(p, q) ...                                       of p relative to q
 *   speed(p)                                                       |velocity| of a point
 *   wx(body) wy(body) wz(body)                                     angular velocity, ground
 *
 * A point is "body.point" or "body" (its frame origin). Besides these an expression may use t, the
 * parameters of the model and names that the caller lends (a spring's own length `l`).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MEASURES_H
#define TNI_MEASURES_H

#include "model/build.h"

enum { TNI_MAXMEASURE = 32 }; /* in one expression */

/* a name that only this expression knows */
typedef struct tni_local {
  const char *name;
  tni_measure measure;
} tni_local;

/* tni_build_function with names of the caller's own */
tn_status tni_build_function_local(tni_builder *b, const tni_item *item, const char *key,
                                   const tni_value *value, double fallback, const tni_local *local,
                                   int nlocal, tni_function *out);
/* the function that is just this measure */
tn_status tni_build_measure_function(tni_builder *b, const tni_measure *measure,
                                     tni_function *out);
/* Expression of the named variables only (variable k is name[k]) and the parameters. */
tn_status tni_build_expr(tni_builder *b, const tni_item *item, const char *key,
                         const tni_value *value, const char *const *name, int nname,
                         const tni_expr **out);

/* what an expression may ask, one by one for the reference: false when there are no more */
bool tni_measure_describe(int i, const char **usage, const char **doc);

/* ready measures */
tni_measure tni_measure_value(const tni_scalar *s);
tni_measure tni_measure_rate(const tni_scalar *s);

/* row = d(rate)/d delta = v^T B at the state of env; o holds B of s */
void tni_scalar_rate_gradient(const tni_scalar *s, const tni_env *env, const tni_scalar_out *o,
                              double row[12]);

/* f(t, measure) acts on the motion: steps do not pass over what it does along the measure. Expressions of tni_build_function are known. */
tn_status tni_build_passed(tni_builder *b, const tni_expr *f, tni_measure measure);
/* vars [n]: values at the state of env */
void tni_measures_eval(const tni_measure *measure, int n, const tni_env *env, double *vars);
/* Value, or what it is the length of, which is smooth where the length is not: 3 parts, and what is added to it */
int tni_measure_parts(const tni_measure *m, const tni_env *env, double part[3], double *offset);
/* Value and exact gradients of fn: grad_q, grad_v [6 fn->nbody] along the bodies of fn (both or
 * neither NULL), f_t the explicit time derivative (may be NULL). A speed of 0 has gradient 0. */
void tni_function_eval(const tni_function *fn, const tni_env *env, double *value, double *grad_q,
                       double *grad_v, double *f_t);

#endif
