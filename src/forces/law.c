/* forces/law.c - spring and damper along one coordinate
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/law.h"

#include "base/expr_graph.h"
#include "model/measures.h"

/* table from a key of kind TABLE; NULL when the key is absent */
static tn_status law_table(tni_builder *b, const tni_item *item, const char *key,
                           const tni_table **out) {
  const tni_value *v = tni_item_get(item, key);
  *out = NULL;
  if (!v) return TN_OK;
  const char *word = tni_item_text(item, "interpolation", "linear");
  tni_table_kind kind = strcmp(word, "linear") == 0     ? TNI_TABLE_LINEAR
                        : strcmp(word, "monotone") == 0 ? TNI_TABLE_MONOTONE
                                                        : TNI_TABLE_NATURAL;
  double *x, *y;
  TNI_ARENA_NEW(b->arena, x, v->n);
  TNI_ARENA_NEW(b->arena, y, v->n);
  for (int i = 0; i < v->n; i++) {
    x[i] = v->item[i].item[0].number;
    y[i] = v->item[i].item[1].number;
  }
  return tni_table_create(b->arena, kind, TNI_EXTEND_LINEAR, v->n, x, y, out);
}

/* table(measure - shift) acts on the motion */
static tn_status pass_table(tni_builder *b, const tni_table *table, double shift, tni_measure measure) {
  tni_graph g;
  const tni_expr *f = NULL;
  if (!table) return TN_OK;
  tni_graph_init(&g, b->ctx);
  int x = tni_graph_binary(&g, OP_SUB, tni_graph_variable(&g, 1), tni_graph_constant(&g, shift));
  tn_status st = tni_graph_finish(&g, b->arena, tni_graph_table(&g, table, 0, x), &f);
  tni_graph_clear(&g);
  return st == TN_OK ? tni_build_passed(b, f, measure) : st;
}

tn_status tni_law_build(tni_builder *b, const tni_item *item, const char *free_key, double free,
                        const tni_scalar *s, tni_law *out) {
  out->k = tni_item_number(item, "stiffness", 0);
  out->c = tni_item_number(item, "damping", 0);
  out->free = tni_item_number(item, free_key, free);
  out->preload = tni_item_number(item, "preload", 0);
  TN_TRY(law_table(b, item, "table", &out->table));
  TN_TRY(law_table(b, item, "damping_table", &out->damping));
  TN_TRY(pass_table(b, out->table, out->free, tni_measure_value(s)));
  return pass_table(b, out->damping, 0, tni_measure_rate(s));
}

void tni_law_eval(const tni_law *law, double s, double ds, tni_law_out *out) {
  double d = s - law->free;
  out->Fe = law->k*d + law->preload;
  out->Fe_s = law->k;
  out->energy = 0.5*law->k*d*d + law->preload*d;
  out->Fd = law->c*ds;
  out->Fd_ds = law->c;
  if (law->table) {
    out->Fe += tni_table_eval(law->table, d, 0);
    out->Fe_s += tni_table_eval(law->table, d, 1);
    out->energy += tni_table_integral(law->table, d) - tni_table_integral(law->table, 0);
  }
  if (law->damping) {
    out->Fd += tni_table_eval(law->damping, ds, 0);
    out->Fd_ds += tni_table_eval(law->damping, ds, 1);
  }
}
