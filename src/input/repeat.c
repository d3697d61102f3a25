/* input/repeat.c - repeated structure
 *
 *   repeat:
 *     - for: {i: [1, 100]}            # first, last, both included; or [first, last, step]
 *       bodies: {"link{i}": {...}}
 *     - for: {side: {in: [left, right]}, k: {in: [1, 2, 5]}}
 *
 * The sections of an entry are read once for every combination of indices, the first index
 * changing slowest. A range may use the indices before it and those of an enclosing repeat.
 *
 * Everything is counted before anything is made, so that too many are refused at once and not when
 * memory is full of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include "base/expr.h"
#include "input/reader.h"

static tn_status read_entry(tni_reader *r, const tni_yaml *entry, int line);

static int items_in(const tni_yaml *entry) {
  int n = 0;
  for (int i = 0; i < entry->n; i++)
    if (strcmp(entry->key[i], "for") != 0 && strcmp(entry->key[i], "repeat") != 0)
      n += entry->item[i]->form == TNI_SCALAR ? 1 : entry->item[i]->n;
  return n;
}

/* `times` more combinations with the items of the entry in each; line: of the index, for the message */
static tn_status count_more(tni_reader *r, const tni_yaml *entry, double times, int line) {
  double n = r->ninstance + times;
  if (n > TNI_MAX_INSTANCE)
    return tni_reader_fail(r, line, "more than %d repetitions; use a smaller range", TNI_MAX_INSTANCE);
  r->ninstance = (int)n;
  n = r->nrepeated + times*items_in(entry);
  if (n > TNI_MAX_REPEATED)
    return tni_reader_fail(r, line, "more than %d items; use a smaller range", TNI_MAX_REPEATED);
  r->nrepeated = (int)n;
  return TN_OK;
}

static tn_status read_instance(tni_reader *r, const tni_yaml *entry) {
  const tni_yaml *inner = tni_yaml_entry(entry, "repeat");
  if (r->counting) return inner ? tni_read_repeat(r, inner, inner->line) : TN_OK;
  for (int i = 0; i < entry->n; i++) {
    static const char *const extra[] = {"for", "repeat"};
    const char *key = entry->key[i];
    bool known = true;
    r->item = NULL;
    tni_reader_label(r, NULL, NULL);
    if (strcmp(key, "for") == 0) continue;
    if (strcmp(key, "repeat") == 0)
      TN_TRY(tni_read_repeat(r, entry->item[i], entry->keyline[i]));
    else
      TN_TRY(tni_read_section(r, key, entry->item[i], entry->keyline[i], &known));
    if (known) continue;
    const char *const *names = NULL;
    int n = 0;
    TN_TRY(tni_section_names(r, extra, 2, &names, &n));
    return tni_reader_fail(r, entry->keyline[i], "repeat: unknown key %s%s", tni_show(key).s,
                           tni_hint_for(key, names, n).s);
  }
  return TN_OK;
}

static tn_status read_index(tni_reader *r, const tni_yaml *entry, const tni_yaml *loops, int k);

/* put one value into force and go on with the next index */
static tn_status step_index(tni_reader *r, const tni_yaml *entry, const tni_yaml *loops, int k,
                            double value, const char *text) {
  bool last = k == loops->n - 1;
  if (r->counting && last) TN_TRY(count_more(r, entry, 1, loops->keyline[k]));
  r->index[r->nindex++] = (tni_index){loops->key[k], value, text};
  tn_status st = read_index(r, entry, loops, k + 1);
  r->nindex--;
  return st;
}

/* a word of {in: [left, right]}, or a number or expression */
static tn_status read_choice(tni_reader *r, const tni_yaml *node, double *value,
                             const char **text) {
  *value = 0;
  *text = NULL;
  if (node->form != TNI_SCALAR || tni_yaml_is_null(node))
    return tni_reader_fail(r, node->line, "'in' must be a list of numbers or words");
  TN_TRY(tni_read_text(r, node->text, node->line, text));
  bool number = node->text[0] && strchr("+-.0123456789", node->text[0]);
  if (!number && (node->quoted || !tni_spec_param(r->spec, *text))) return TN_OK;
  TN_TRY(tni_read_number(r, *text, node->line, value));
  *text = NULL;
  return TN_OK;
}

static tn_status loop_in(tni_reader *r, const tni_yaml *entry, const tni_yaml *loops, int k,
                         const tni_yaml *list) {
  for (int i = 0; i < list->n; i++) {
    double value;
    const char *text;
    r->item = NULL;
    tni_reader_label(r, "repeat: index", loops->key[k]);
    TN_TRY(read_choice(r, list->item[i], &value, &text));
    TN_TRY(step_index(r, entry, loops, k, value, text));
  }
  return TN_OK;
}

static tn_status loop_range(tni_reader *r, const tni_yaml *entry, const tni_yaml *loops, int k,
                            const tni_yaml *range) {
  double bound[3] = {0, 0, 1};
  int line = loops->keyline[k];
  for (int i = 0; i < range->n; i++) {
    const tni_yaml *b = range->item[i];
    if (b->form != TNI_SCALAR || tni_yaml_is_null(b))
      return tni_reader_fail(r, line, "must be [first, last] or [first, last, step]");
    TN_TRY(tni_read_number(r, b->text, b->line, &bound[i]));
    if (bound[i] != floor(bound[i]) || fabs(bound[i]) > 1e15)
      return tni_reader_fail(r, b->line, "got %.10g, must be a whole number", bound[i]);
  }
  if (bound[2] == 0) return tni_reader_fail(r, line, "step = 0, must not be zero");
  double n = fmax(0, floor((bound[1] - bound[0])/bound[2]) + 1);
  if (n > TNI_MAX_INSTANCE)
    return tni_reader_fail(r, line, "more than %d repetitions (%.10g); use a smaller range",
                           TNI_MAX_INSTANCE, n);
  /* innermost: no need to go through them */
  if (r->counting && k == loops->n - 1 && !tni_yaml_entry(entry, "repeat"))
    return count_more(r, entry, n, line);
  for (double i = bound[0]; bound[2] > 0 ? i <= bound[1] : i >= bound[1]; i += bound[2]) {
    r->item = NULL;
    tni_reader_label(r, "repeat: index", loops->key[k]);
    TN_TRY(step_index(r, entry, loops, k, i, NULL));
  }
  return TN_OK;
}

static tn_status check_index_name(tni_reader *r, const char *name, int line) {
  bool used;
  if (!tni_is_identifier(name))
    return tni_reader_fail(r, line, "the name must be letters, digits and _, a letter first");
  TN_TRY(tni_is_function(r, name, &used));
  if (used || tni_expr_is_reserved(name) || strcmp(name, "t") == 0)
    return tni_reader_fail(r, line, "the name is used by expressions; choose another");
  if (tni_spec_param(r->spec, name))
    return tni_reader_fail(r, line, "the name is a parameter; choose another");
  for (int i = 0; i < r->nindex; i++)
    if (strcmp(r->index[i].name, name) == 0)
      return tni_reader_fail(r, line, "the name is an index of an enclosing repeat");
  if (r->nindex >= TNI_MAX_INDEX)
    return tni_reader_fail(r, line, "more than %d indices", TNI_MAX_INDEX);
  return TN_OK;
}

/* all values of index k, and inside those of the following ones */
static tn_status read_index(tni_reader *r, const tni_yaml *entry, const tni_yaml *loops, int k) {
  if (k == loops->n) return read_instance(r, entry);
  const tni_yaml *node = loops->item[k];
  int line = loops->keyline[k];
  r->item = NULL;
  tni_reader_label(r, "repeat: index", loops->key[k]);
  TN_TRY(check_index_name(r, loops->key[k], line));
  if (node->form == TNI_SEQUENCE && (node->n == 2 || node->n == 3))
    return loop_range(r, entry, loops, k, node);
  const tni_yaml *list = node->form == TNI_MAPPING ? tni_yaml_entry(node, "in") : NULL;
  if (list && node->n == 1 && list->form == TNI_SEQUENCE)
    return loop_in(r, entry, loops, k, list);
  return tni_reader_fail(r, line,
                         "must be [first, last], [first, last, step] or {in: [a, b, ...]}");
}

static tn_status read_entry(tni_reader *r, const tni_yaml *entry, int line) {
  r->item = NULL;
  tni_reader_label(r, "repeat", NULL);
  if (entry->form != TNI_MAPPING)
    return tni_reader_fail(r, line, "must be a list of {for: {i: [first, last]}, bodies: ...}");
  const tni_yaml *loops = tni_yaml_entry(entry, "for");
  if (!loops || loops->form != TNI_MAPPING || !loops->n)
    return tni_reader_fail(r, entry->line, "key 'for' %s; must be a map like {i: [1, 10]}",
                           loops ? "names no index" : "is missing");
  if (r->counting || r->nindex) return read_index(r, entry, loops, 0);
  int before = r->nrepeated;
  r->counting = true;
  tn_status st = read_index(r, entry, loops, 0);
  r->counting = false;
  TN_TRY(st);
  size_t bytes = (size_t)(r->nrepeated - before)*TNI_ITEM_BYTES;
  r->item = NULL;
  tni_reader_label(r, "repeat", NULL);
  if (bytes > 0 && !tni_has_memory(bytes))
    return tni_reader_fail(r, entry->line, "%d items need about %.1f GB of memory, which is not there",
                           r->nrepeated - before, 1e-9*(double)bytes);
  return read_index(r, entry, loops, 0);
}

tn_status tni_read_repeat(tni_reader *r, const tni_yaml *node, int line) {
  if (node->form != TNI_SEQUENCE) return read_entry(r, node, line);
  for (int i = 0; i < node->n; i++) TN_TRY(read_entry(r, node->item[i], node->item[i]->line));
  return TN_OK;
}
