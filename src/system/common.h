/* system/common.h - for the representations only
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COMMON_H
#define TNI_COMMON_H

#include "system/system.h"

/* Allocate the arrays every representation has; ctx and arena of s must be set. */
tn_status tni_system_common_init(tni_system *s, tn_ctx *ctx, const tn_model *model);
tni_env tni_system_env(const tni_system *s, double t);

enum { TNI_BODY_GRAIN = 96 }; /* bodies per chunk of the thread pool, a few microseconds */

/* f += sign * (-w x I w) of the bodies begin..end-1, torques in body axes, f [6 nbody] */
void tni_system_gyroscopic(const tni_system *s, int begin, int end, double sign, double *f);

#endif
