/* an expression: parsed, differentiated twice, evaluated; constant parts fold to what eval gives
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/expr.h"
#include "fuzz/fuzz.h"

/* x and y are variables, everything else is unknown; calls of unknown functions are variable 2 */
static bool resolve(void *user, const char *name, int nargs, const char *const *args, tni_symbol *out,
                    char *why, size_t nwhy) {
  (void)user, (void)args, (void)why, (void)nwhy;
  *out = (tni_symbol){.variable = nargs >= 0 ? 2 : strcmp(name, "y") == 0};
  return nargs >= 0 || strcmp(name, "x") == 0 || strcmp(name, "y") == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  fuzz_memory m;
  tn_ctx *ctx = fuzz_context(&m);
  tni_arena arena;
  char *text = malloc(n + 1);
  if (!text) return 0;
  memcpy(text, data, n);
  text[n] = 0;
  tni_arena_init(&arena, ctx);
  const tni_scope scope = {NULL, resolve};
  const double vars[3] = {0.7, -1.3, 2};
  const tni_expr *e, *d, *dd;
  tni_expr_error error;
  tn_status st = tni_expr_parse(&arena, text, &scope, &e, &error);
  if (st == TN_OK) {
    double value = tni_expr_eval(e, vars), constant;
    if (tni_expr_is_constant(e, &constant) && memcmp(&value, &constant, sizeof(value)) != 0 &&
        value == value)
      abort();
    if (tni_expr_max_variable(e) > 2) abort();
    st = tni_expr_derivative(&arena, e, 0, &d);
    if (st == TN_OK) tni_expr_eval(d, vars);
    if (st == TN_OK) st = tni_expr_derivative(&arena, d, 1, &dd);
    if (st == TN_OK) tni_expr_eval(dd, vars);
  }
  tni_arena_clear(&arena);
  free(text);
  fuzz_end(ctx, &m, st);
  return 0;
}
