/* output/scene.h - the scene: geometry of a model as text, frames of motion as numbers
 *
 * Format and meaning: docs/develop/scene-format.md. The geometry (bodies with their shapes, joints,
 * springs) is made from the compiled model when a run begins and stored in the results file, so
 * that a scene can be made later without the model file, its includes and its meshes. Frames are
 * made from the channels of the results file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SCENE_H
#define TNI_SCENE_H

#include <tenon/scene.h>

#include "model/model.h"
#include "output/results.h"

enum { TNI_SCENE_VERSION = 2 };

/* Append the geometry of the model as a JSON object. */
TN_NODISCARD tn_status tni_scene_describe(const tn_model *model, tni_text *out);

/* Append a scene without frames for a run that is about to begin: every channel is a track of
 * 32-bit floats in the order of the channels. */
TN_NODISCARD tn_status tni_scene_live(tn_ctx *ctx, const tni_results_info *info, double t_begin,
                                      double t_end, tni_text *out);

/* the page of the viewer, made from viewer/ when the library is built */
extern const char tni_page[];
extern const unsigned long tni_page_size;

#endif
