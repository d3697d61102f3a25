/* forces/along.h - generalised forces along scalar functions, the common part of most elements
 *
 * An element that resists the growth of a scalar s by F(s, ds/dt, t, measures) loads its bodies by
 *
 *   f = -F J^T,      power f.v = -F ds/dt
 *   K = df/d delta = -J^T F_q - F B,     F_q = F_s J + F_ds v^T B + gradients of the measures
 *   D = df/dv      = -J^T F_v,           F_v = F_ds J + gradients of the measures
 *
 *   df/dt at fixed state = -J^T F_t
 * (J, B as in kinematics/scalar.h). F_q and F_v run over all bodies of the force, J over the two
 * of the scalar.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_ALONG_H
#define TNI_FORCE_ALONG_H

#include "model/measures.h"

enum { TNI_MAXCOL = 6*TNI_MAXBODY };

/* a scalar and where its two bodies stand in the force; -1: ground */
typedef struct tni_along {
  tni_scalar s;
  int slot[2];
} tni_along;

/* a function and where its bodies stand in the force */
typedef struct tni_use {
  tni_function fn;
  int map[TNI_MAXBODY];
} tni_use;

/* ---- building ----------------------------------------------------------------------------- */

/* Append a body to those of the force; *slot is -1 for ground. Refuses more than TNI_MAXBODY. */
tn_status tni_force_add_body(tni_builder *b, const tni_item *item, tni_force *force, int body,
                             int *slot);
tn_status tni_along_build(tni_builder *b, const tni_item *item, tni_force *force,
                          const tni_scalar *s, tni_along *out);
/* Function of the key, or `fallback` when it is absent; local names as in measures.h. */
tn_status tni_use_build(tni_builder *b, const tni_item *item, tni_force *force, const char *key,
                        const tni_value *value, double fallback, const tni_local *local,
                        int nlocal, tni_use *out);
/* Value and rate of a scalar at the initial poses. */
void tni_along_initial(const tni_builder *b, const tni_scalar *s, double *value, double *rate);

/* ---- evaluation --------------------------------------------------------------------------- */

/* zero f, powers and, when asked, K, D and f_t */
void tni_force_clear(const tni_force *force, unsigned what, tni_force_out *out);
/* s with what the force needs: rate, and second derivatives when tangents are asked */
void tni_along_eval(const tni_along *a, const tni_env *env, unsigned what, tni_scalar_out *o);
/* Value; when F_q is not NULL, factor times its gradients is added to F_q, F_v [6 nb] and factor
 * times its explicit time derivative to *F_t. */
double tni_use_eval(const tni_use *use, const tni_env *env, double factor, double *F_q,
                    double *F_v, double *F_t);
/* f += -F J^T */
void tni_along_add_force(const tni_along *a, const tni_scalar_out *o, double F, double *f);
/* out += factor * row over the bodies of the force */
void tni_along_add_row(const tni_along *a, double factor, const double row[12], double *out);
/* K, D of the present term added; nb bodies in the force */
void tni_along_add_tangent(const tni_along *a, const tni_scalar_out *o, int nb, double F,
                           const double *F_q, const double *F_v, double *K, double *D);
/* One scalar, F with its partial derivatives, and optionally a function that adds use_factor*value
 * to F (already contained in F): f and, when asked, K, D and f_t. Calls tni_force_clear. */
void tni_along_apply(const tni_force *force, const tni_along *a, const tni_env *env, unsigned what,
                     const tni_scalar_out *o, double F, double F_s, double F_ds,
                     const tni_use *use, double use_factor, tni_force_out *out);
/* sum of f.v over the bodies of the force */
double tni_force_power(const tni_force *force, const tni_env *env, const double *f);

#endif
