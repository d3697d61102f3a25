/* compile/compile.h - spec -> compiled model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COMPILE_H
#define TNI_COMPILE_H

#include "model/build.h"

/* Compile a spec. The spec is borrowed and must outlive the model. Messages of failures name file,
 * line and item; warnings (an inertia no real body can have) go to the log of the context. */
tn_status tni_model_compile(tn_ctx *ctx, const tn_spec *spec, tn_model **out);
void tni_model_destroy(tn_model **model);

#endif
