/* input/input.h - YAML and JSON documents -> spec
 *
 * Beside the sections of the schema a document has `tenon: 1` (format version), `params:` (named
 * constants), `include:` (files relative to this one, each read once) and `repeat:` (sections once
 * per index, with {i} in texts). All parameters are known before the first section is read.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_INPUT_H
#define TNI_INPUT_H

#include "model/spec.h"

/* Read a model. text is the document, name is used in messages and as base for includes (its
 * folder). Parameters in `overrides` ("speed=3") replace those of the file. On failure the message
 * has file, line, value, allowed range and a hint, and *out is NULL.
 * Returns TN_ERR_INPUT, TN_ERR_MEMORY; TN_ERR_IO when the main file cannot be read. */
tn_status tni_input_read_text(tn_ctx *ctx, const tni_schema *schema, const char *name,
                              const char *text, const char *const *overrides, int noverride,
                              tn_spec **out);
tn_status tni_input_read_file(tn_ctx *ctx, const tni_schema *schema, const char *path,
                              const char *const *overrides, int noverride, tn_spec **out);

/* Parse the YAML text of one value and set it: tni_input_set(spec, item, "axis", "[0, 1, 0]"). On
 * failure the item keeps its former value; the message names item and key but no line. */
tn_status tni_input_set(tn_spec *spec, tni_item *item, const char *key, const char *yaml);

/* JSON Schema (draft 2020-12) and input reference (Markdown), both from the tables, appended to
 * out. Returns TN_ERR_MEMORY. */
tn_status tni_input_json_schema(tn_ctx *ctx, const tni_schema *schema, tni_text *out);
tn_status tni_input_reference(tn_ctx *ctx, const tni_schema *schema, tni_text *out);

#endif
