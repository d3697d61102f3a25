/* solids/cases.h - load cases: loads carry the name of one, the analysis says which cases are looked at
 *
 *   loads:    [{group: roof, pressure: 1e3, case: snow}, {group: side, traction: [500, 0, 0], case: wind}]
 *   analysis: {type: statics, cases: {snow: {snow: 1}, both: {snow: 1.35, wind: 1.5}}}
 *
 * Case k stands at t = k: a load of case c has there the factor that the k-th entry gives to c. So everything that knows loads as functions of
 * time knows cases. Loads without `case` act in all of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CASES_H
#define TNI_CASES_H

#include "model/build.h"

/* how many cases the analysis of a spec names; 0: it has none. name (NULL: not asked for): [n], k-th one */
int tni_cases_count(const tn_spec *spec);
const char *tni_cases_name(const tn_spec *spec, int k);

/* what is wrong with them, and with the names that loads have */
tn_status tni_cases_check(tn_ctx *ctx, const tn_spec *spec);

/* *out: the value of a load times the factor of its case, as a function of t; v itself where it has none. root: of spin, whose square is the load */
tn_status tni_cases_scale(tni_builder *b, const tni_item *load, const char *key, const tni_value *v, bool root, const tni_value **out);

#endif
