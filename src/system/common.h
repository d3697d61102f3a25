/* system/common.h - for the representations only
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COMMON_H
#define TNI_COMMON_H

#include "system/system.h"

/* A system whose constants nobody has filled in: size of a data, its operations. */
tn_status tni_system_new(tn_ctx *ctx, const tn_model *model, const tni_system_ops *ops, size_t size,
                         tni_system **out);
/* the constants every representation has */
tn_status tni_system_common_init(tni_data *shape);
/* a data for a system just made, which it takes over, whatever happens */
tn_status tni_data_own(tni_system *s, tni_data **out);
tni_env tni_system_env(const tni_data *s, double t);

/* What of the last evaluation belongs to the state stands_q, stands_v (look.c). */
enum { TNI_STANDS_BODIES = 1, TNI_STANDS_FORCES = 2, TNI_STANDS_ACCELERATIONS = 4 };
/* the bodies have been put to q, v (NULL: at rest), and nothing else is known there yet */
static inline void tni_stands(tni_data *s, const double *q, const double *v) {
  memcpy(s->stands_q, q, (size_t)s->stands_nq*sizeof(double));
  if (v) memcpy(s->stands_v, v, (size_t)s->stands_nv*sizeof(double));
  else memset(s->stands_v, 0, (size_t)s->stands_nv*sizeof(double));
  s->stands = TNI_STANDS_BODIES;
}
/* does it stand at a state, bodies and parts? */
bool tni_stands_at(const tni_data *s, const tni_at *at);

enum { TNI_BODY_GRAIN = 96 }; /* bodies per chunk of the thread pool, a few microseconds */

/* f += sign * (-w x I w) of the bodies begin..end-1, torques in body axes, f [6 nbody] */
void tni_system_gyroscopic(const tni_data *s, int begin, int end, double sign, double *f);

#endif
