/* scene/geometry.h - the geometry of a compiled model for pictures, as JSON
 *
 * Bodies with their shapes, joints, springs, beams. Made when a run begins and stored in the results
 * file, so that a scene can be made later without the model file, its includes and its meshes.
 * Format and meaning: docs/develop/scene-format.md. Frames come from the results (scene/scene.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SCENE_GEOMETRY_H
#define TNI_SCENE_GEOMETRY_H

#include "model/model.h"

/* Append the geometry of the model as a JSON object. */
TN_NODISCARD tn_status tni_scene_describe(const tn_model *model, tni_text *out);

#endif
