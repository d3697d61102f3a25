/* solids/cases.c - load cases
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const tni_value *cases_of(const tn_spec *spec) {
  const tni_item *an = tni_spec_single(spec, "analysis");
  return an ? tni_item_get(an, "cases") : NULL;
}

int tni_cases_count(const tn_spec *spec) {
  const tni_value *v = cases_of(spec);
  return v && (v->form == TNI_MAP || v->form == TNI_LIST) ? v->n : 0;
}

const char *tni_cases_name(const tn_spec *spec, int k) {
  const tni_value *v = cases_of(spec);
  return v->form == TNI_MAP ? v->key[k] : v->item[k].text;
}

/* factor of the loads of a case in the k-th entry */
static double factor_of(const tni_value *v, int k, const char *name) {
  if (v->form == TNI_LIST) return strcmp(v->item[k].text, name) == 0 ? 1 : 0;
  for (int i = 0; i < v->item[k].n; i++)
    if (strcmp(v->item[k].key[i], name) == 0) return v->item[k].item[i].number;
  return 0;
}

static bool loaded(const tn_spec *spec, const char *name) {
  for (int i = 0; i < spec->nitem; i++) {
    const char *own = strcmp(spec->item[i]->section->name, "loads") == 0 ? tni_item_text(spec->item[i], "case", NULL) : NULL;
    if (own && strcmp(own, name) == 0) return true;
  }
  return false;
}

tn_status tni_cases_check(tn_ctx *ctx, const tn_spec *spec) {
  static const char *const others[] = {"from", "until", "load_steps", "arc_length"};
  const tni_item *an = tni_spec_single(spec, "analysis");
  const tni_value *v = cases_of(spec);
  for (int i = 0; i < spec->nitem; i++) {
    const tni_item *item = spec->item[i];
    const char *own = strcmp(item->section->name, "loads") == 0 ? tni_item_text(item, "case", NULL) : NULL;
    bool meant = false;
    if (!own) continue;
    if (!v) return tni_item_fail(ctx, item, "case", "belongs to case %s, but the analysis has no 'cases' (of type: statics)", tni_show(own).s);
    for (int k = 0; k < v->n; k++) {
      if (v->form == TNI_LIST) meant = meant || (v->item[k].form == TNI_TEXT && strcmp(v->item[k].text, own) == 0);
      for (int f = 0; v->form == TNI_MAP && v->item[k].form == TNI_MAP && f < v->item[k].n; f++)
        meant = meant || strcmp(v->item[k].key[f], own) == 0;
    }
    if (!meant) return tni_item_fail(ctx, item, "case", "no entry of the analysis' 'cases' has loads of %s", tni_show(own).s);
  }
  if (!v) return TN_OK;
  if (strcmp(tni_item_text(an, "type", "transient"), "statics") != 0)
    return tni_item_fail(ctx, an, "cases", "cases are for type: statics");
  for (int i = 0; i < TNI_COUNT(others); i++)
    if (tni_item_has(an, others[i])) return tni_item_fail(ctx, an, others[i], "'%s' does not go with 'cases', which stand at t = 0, 1, 2 ...", others[i]);
  if ((v->form != TNI_MAP && v->form != TNI_LIST) || v->n == 0)
    return tni_item_fail(ctx, an, "cases", "cases must be {name: {case of loads: factor, ...}, ...}, or a list of cases of loads");
  for (int k = 0; k < v->n; k++) {
    const tni_value *x = &v->item[k];
    if (v->form == TNI_LIST && (x->form != TNI_TEXT || !loaded(spec, x->text)))
      return tni_item_fail(ctx, an, "cases", "no load has 'case: %s'", x->text ? x->text : "?");
    if (v->form == TNI_LIST) continue;
    if (x->form != TNI_MAP) return tni_item_fail(ctx, an, "cases", "case '%s' must be {case of loads: factor, ...}", v->key[k]);
    for (int f = 0; f < x->n; f++) {
      if (x->item[f].form != TNI_NUMBER || !isfinite(x->item[f].number))
        return tni_item_fail(ctx, an, "cases", "case '%s': the factor of '%s' must be a number", v->key[k], x->key[f]);
      if (!loaded(spec, x->key[f])) return tni_item_fail(ctx, an, "cases", "case '%s': no load has 'case: %s'", v->key[k], x->key[f]);
    }
  }
  return TN_OK;
}

tn_status tni_cases_scale(tni_builder *b, const tni_item *load, const char *key, const tni_value *v, bool root, const tni_value **out) {
  const tni_value *cases = cases_of(b->spec);
  const char *own = tni_item_text(load, "case", NULL), *text;
  tni_value *scaled;
  *out = v;
  if (!own || !cases || !v) return TN_OK;
  text = v->form == TNI_NUMBER ? tni_arena_printf(b->arena, "(%.17g)*table(t", v->number) : tni_arena_printf(b->arena, "(%s)*table(t", v->text);
  /* of one case a table needs a second point */
  for (int k = 0; k < cases->n + (cases->n == 1) && text; k++) {
    double f = factor_of(cases, k < cases->n ? k : 0, own);
    if (root && f < 0) return tni_item_fail(b->ctx, load, key, "spin cannot have the factor %g of case '%s'", f, tni_cases_name(b->spec, k));
    text = tni_arena_printf(b->arena, "%s, %d, %.17g", text, k, root ? sqrt(f) : f);
  }
  text = text ? tni_arena_printf(b->arena, "%s)", text) : NULL;
  if (!text) return tni_out_of_memory(b->ctx);
  TNI_ARENA_NEW(b->arena, scaled, 1);
  *scaled = (tni_value){.at = v->at, .form = TNI_TEXT, .text = text};
  *out = scaled;
  return TN_OK;
}
