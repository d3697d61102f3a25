/* tenon/tenon.h - everything
 *
 * From a model file to motion in five calls (every status checked in real programs):
 *
 *   tn_ctx_create(NULL, &ctx);
 *   tn_spec_read_file(ctx, "pendulum.yaml", NULL, 0, &spec);
 *   tn_model_compile(ctx, spec, &model);
 *   tn_sim_create(ctx, model, NULL, &sim);
 *   tn_sim_advance(sim, 1.0);
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_TENON_H
#define TN_TENON_H

#include <tenon/advise.h>
#include <tenon/analysis.h>
#include <tenon/compare.h>
#include <tenon/context.h>
#include <tenon/deck.h>
#include <tenon/force.h>
#include <tenon/model.h>
#include <tenon/plot.h>
#include <tenon/ranks.h>
#include <tenon/results.h>
#include <tenon/scene.h>
#include <tenon/sweep.h>
#include <tenon/types.h>

#endif
