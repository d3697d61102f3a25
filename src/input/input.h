/* input/input.h - YAML and JSON documents -> spec
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_INPUT_H
#define TNI_INPUT_H

#include "model/spec.h"

/* Read a model. text is the document, name is used in messages and as base for includes (its
 * folder). Parameters in `overrides` ("speed=3") replace those of the file. On failure the message
 * has file, line, value, allowed range and a hint, and *out is NULL. */
tn_status tni_input_read_text(tn_ctx *ctx, const tni_schema *schema, const char *name,
                              const char *text, const char *const *overrides, int noverride,
                              tn_spec **out);
tn_status tni_input_read_file(tn_ctx *ctx, const tni_schema *schema, const char *path,
                              const char *const *overrides, int noverride, tn_spec **out);

/* Parse the YAML text of one value and set it: tni_input_set(spec, item, "axis", "[0, 1, 0]"). */
tn_status tni_input_set(tn_spec *spec, tni_item *item, const char *key, const char *yaml);

/* JSON Schema (draft 2020-12) and input reference (Markdown), both from the tables. */
tn_status tni_input_json_schema(tn_ctx *ctx, const tni_schema *schema, tni_text *out);
tn_status tni_input_reference(tn_ctx *ctx, const tni_schema *schema, tni_text *out);

#endif
