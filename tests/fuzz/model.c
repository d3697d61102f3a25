/* a model file: text -> spec -> model -> check
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  fuzz_memory m;
  tn_ctx *ctx = fuzz_context(&m);
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_report *report = NULL;
  char *text = malloc(n + 1);
  if (!text) return 0;
  memcpy(text, data, n);
  text[n] = 0;
  tn_status st = TN_OK;
  if (strlen(text) == n) { /* a text ends at its first zero */
    st = tn_spec_read_text(ctx, "fuzz.yaml", text, NULL, 0, &spec);
    if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
    if (st == TN_OK) st = tn_check(ctx, model, &report);
  }
  tn_report_destroy(&report);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  free(text);
  fuzz_end(ctx, &m, st);
  return 0;
}
