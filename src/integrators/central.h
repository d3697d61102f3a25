/* integrators/central.h - central differences by several ranks
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CENTRAL_H
#define TNI_CENTRAL_H

#include "integrators/common.h"

extern const tni_integrator_type tni_integrator_central;

/* are there other ranks, and is the system not a piece already? */
bool tni_central_divides(const tni_data *s);
/* TN_ERR_UNSUPPORTED on all ranks: the model cannot be divided */
TN_NODISCARD tn_status tni_central_create_divided(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts, tni_integrator **out);

/* the pieces of a run that is divided; NULL: it is not */
struct tni_pieces *tni_central_pieces(tni_integrator *it);

#endif
