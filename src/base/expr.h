/* base/expr.h - expressions in named quantities, with exact derivatives
 *
 *   numbers      1  .5  1e-3
 *   constants    pi  tau  deg (= pi/180)
 *   operators    or ||   and &&   not !   < <= > >= == !=   + -   * /   unary - +   ^ **
 *                from loose to tight; ^ groups to the right and binds tighter than unary minus;
 *                comparisons give 0 or 1 and do not chain; `not` applies to a whole comparison
 *   choice       if(condition, a, b)
 *   functions    sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log log10 sqrt cbrt abs
 *                sign floor ceil mod(a, b) (sign of b) hypot(a, b) min(...) max(...)
 *                clamp(x, low, high) pos(x) = max(x, 0) heaviside(x) = (x >= 0)
 *   transitions  step(x, x0, y0, x1, y1) cubic from y0 at x0 to y1 at x1, smooth to first order;
 *                smoothstep5(...) quintic, smooth to second order
 *   data         poly(x, c0, c1, ...)  table(x, x0, y0, x1, y1, ...) straight lines
 *                spline(x, x0, y0, ...) natural cubic; both go on with their end slope
 *
 * Any other name is looked up in the scope of the caller. Derivatives of piecewise functions are
 * those of the active branch. Values follow IEEE arithmetic: 1/0 is inf, sqrt(-1) is nan.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_EXPR_H
#define TNI_EXPR_H

#include "base/base.h"

typedef struct tni_expr tni_expr; /* constant, lives in the arena it was made in */

typedef struct {
  bool is_constant;
  double value; /* of a constant                          */
  int variable; /* else index >= 0 into vars of tni_expr_eval */
} tni_symbol;

/* Names the language does not know. nargs is -1 for a plain name (`speed`, `rod.mass`), else the
 * arguments come as text (`angle(hinge)`, `distance(a.tip, "my body")`); name and args live only
 * during the call. Return false to refuse, with the reason in `why` or nothing for "unknown". */
typedef struct {
  void *user;
  bool (*resolve)(void *user, const char *name, int nargs, const char *const *args,
                  tni_symbol *out, char *why, size_t nwhy);
} tni_scope;

typedef struct {
  int column;     /* 1-based, in characters; 0 when no place is to blame */
  char text[200]; /* what is wrong and a hint                            */
} tni_expr_error;

/* Parse text. scope and err may be NULL. Returns TN_ERR_INPUT with *err filled and the same as
 * message of the context, TN_ERR_MEMORY. */
tn_status tni_expr_parse(tni_arena *arena, const char *text, const tni_scope *scope,
                         const tni_expr **out, tni_expr_error *err);
tn_status tni_expr_constant(tni_arena *arena, double value, const tni_expr **out);
tn_status tni_expr_variable(tni_arena *arena, int variable, const tni_expr **out);

/* Partial derivative. Its size is at most a small multiple of that of e: common parts are shared.
 * Returns TN_ERR_INPUT when the result is too large to keep. */
tn_status tni_expr_derivative(tni_arena *arena, const tni_expr *e, int variable,
                              const tni_expr **out);

/* value; vars[0..max_variable], may be NULL for a constant; allocates nothing, any thread */
double tni_expr_eval(const tni_expr *e, const double *vars);

bool tni_expr_is_constant(const tni_expr *e, double *value); /* value may be NULL */
int tni_expr_max_variable(const tni_expr *e);                /* -1: none          */
bool tni_expr_uses(const tni_expr *e, int variable);

/* names that a scope never gets to see (constants, `if`, `and` ...): callers refuse them as names
 * of their own quantities */
bool tni_expr_is_reserved(const char *name);

#endif
