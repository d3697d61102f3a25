/* joints/compound.h - constraint rows that are functions of several scalars of the same two bodies
 *
 *   holonomic     f(s) - motion(t) = 0,                 g_k = df/ds_k
 *   nonholonomic  sum_k g_k(s) ds_k/dt - motion(t) = 0
 *
 * A joint file gives f, g and their derivatives by the scalars; the chain rule through the poses is
 * here. With G_kl = dg_k/ds_l, a dot for rates:
 *   J       = sum g_k J_k
 *   bias    = sum g_k bias_k + sum G_kl s'_k s'_l                   gamma = motion' - bias
 *   B       = sum g_k B_k + sum G_kl J_k^T J_l
 *   bias_q  = sum g_k bias_q,k + sum G_kl bias_k J_l
 *             + sum (G_kl + G_lk) s'_l (v^T B_k) + sum T_m J_m
 *   T_m     = d(sum G_kl s'_k s'_l)/ds_m, rates held
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COMPOUND_H
#define TNI_COMPOUND_H

#include "model/build.h"

enum { TNI_COMPOUND_MAXSCALAR = 11, TNI_COMPOUND_MAXROW = 2 };

typedef struct tni_compound_row {
  double f;                                                      /* holonomic only */
  double g[TNI_COMPOUND_MAXSCALAR];
  double G[TNI_COMPOUND_MAXSCALAR][TNI_COMPOUND_MAXSCALAR];      /* dg_k/ds_l      */
  double T[TNI_COMPOUND_MAXSCALAR];
} tni_compound_row;

typedef struct tni_compound tni_compound;
struct tni_compound {
  int nscalar;
  tni_scalar scalar[TNI_COMPOUND_MAXSCALAR]; /* all of the same two bodies                        */
  tni_timefn motion;                         /* of every row; f NULL: none. A nonholonomic row
                                                uses f and f_t, a holonomic one also f_tt         */
  /* Rows at the values s and rates ds of the scalars; out is zeroed before. f and g always, G from
   * TNI_C_ACCEL on, T for TNI_C_TANGENT. */
  void (*rows)(const tni_compound *c, const tni_env *env, const double *s, const double *ds,
               unsigned what, tni_compound_row *out);
  const void *data;
};

/* eval of the operation table of such a block; its data is the tni_compound */
void tni_compound_eval(const tni_con *con, const tni_env *env, unsigned what, tni_con_out *out);
/* Add the block to the joint; c is copied, names and units must live as long as the model. */
tn_status tni_compound_close(tni_builder *b, tni_joint *joint, const tni_con_ops *ops,
                             const tni_compound *c, bool nonholonomic, int nrow,
                             const char *const *name, const char *const *unit);

#endif
