/* scene/scene.h - the scene: frames of motion as numbers, from the channels of a results file
 *
 * Format and meaning: docs/develop/scene-format.md. The geometry in front of the frames is text to
 * this file: scene/geometry.c makes it from the model when a run begins, the results file keeps it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SCENE_H
#define TNI_SCENE_H

#include <tenon/scene.h>

#include "output/results.h"
#include "scene/surface.h"

enum { TNI_SCENE_VERSION = 3 };

/* A field of a mesh in the frames of a run that is going on: at the nodes of its skin, behind the channels. */
typedef struct tni_live_field {
  int field;               /* of the results                       */
  const tni_surface *skin; /* of its mesh                          */
} tni_live_field;

/* Append a scene without frames for a run that is about to begin: every channel is a track of
 * 32-bit floats in the order of the channels; then the fields [nfield], those of a mesh one after the other. */
TN_NODISCARD tn_status tni_scene_live(tn_ctx *ctx, const tni_results_info *info, double t_begin, double t_end,
                                      const tni_live_field *field, int nfield, tni_text *out);

/* the page of the viewer, made from viewer/ when the library is built */
extern const char tni_page[];
extern const unsigned long tni_page_size;

#endif
