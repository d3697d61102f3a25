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

enum { TNI_BODY_GRAIN = 96 }; /* bodies per chunk of the thread pool, a few microseconds */

/* f += sign * (-w x I w) of the bodies begin..end-1, torques in body axes, f [6 nbody] */
void tni_system_gyroscopic(const tni_data *s, int begin, int end, double sign, double *f);

#endif
