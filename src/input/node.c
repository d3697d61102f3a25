/* input/node.c - YAML events of libyaml -> tree of nodes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "input/node.h"

#include <stdio.h>
#include <yaml.h>

#include "model/spec.h"

typedef struct anchor {
  const char *name;
  tni_yaml *node; /* NULL while the node is still being read */
} anchor;

typedef struct loader {
  tn_ctx *ctx;
  tni_arena *arena;
  const char *file;
  const char *text;
  size_t size;
  yaml_parser_t yaml;
  anchor *anchors;
  int nanchor, anchor_cap;
  double aliased; /* nodes added by aliases so far */
} loader;

#define FAIL_LINE(l, line, ...) tni_place_fail((l)->ctx, (tni_place){(l)->file, (line)}, NULL, \
                                               __VA_ARGS__)

/* number of the line that holds byte `offset` */
static int line_of(const loader *l, size_t offset) {
  int line = 1;
  for (size_t i = 0; i < offset && i < l->size; i++) line += l->text[i] == '\n';
  return line;
}

/* length of the UTF-8 character at s, 0 when the bytes are not one (RFC 3629) */
static int utf8_length(const unsigned char *s, size_t left) {
  if (s[0] < 0x80) return 1;
  int n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
  if (s[0] < 0xC2 || s[0] > 0xF4 || (size_t)n > left) return 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
  bool beyond = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
  return overlong || beyond ? 0 : n;
}

static tn_status check_bytes(const loader *l) {
  if (l->size > TNI_YAML_MAX_BYTES)
    return FAIL_LINE(l, 0, "the file is too long: at most %d bytes are allowed", TNI_YAML_MAX_BYTES);
  for (size_t i = 0; i < l->size;) {
    const unsigned char *s = (const unsigned char *)l->text + i;
    int n = utf8_length(s, l->size - i);
    if (!n)
      return FAIL_LINE(l, line_of(l, i), "byte 0x%02X is not UTF-8; save the file as UTF-8 text",
                       s[0]);
    if (*s < 0x20 && *s != '\t' && *s != '\n' && *s != '\r')
      return FAIL_LINE(l, line_of(l, i), "control character 0x%02X; is this a text file?", s[0]);
    i += (size_t)n;
  }
  return TN_OK;
}

static bool indented_with_tab(const loader *l, int line) {
  size_t i = 0;
  for (int k = 1; k < line && i < l->size; i++) k += l->text[i] == '\n';
  while (i < l->size && l->text[i] == ' ') i++;
  return i < l->size && l->text[i] == '\t';
}

static tn_status syntax_error(const loader *l) {
  const yaml_parser_t *y = &l->yaml;
  if (y->error == YAML_MEMORY_ERROR) return tni_out_of_memory(l->ctx);
  const char *problem = y->problem ? y->problem : "unreadable";
  if (y->error == YAML_READER_ERROR)
    return FAIL_LINE(l, line_of(l, y->problem_offset), "YAML: %s", problem);
  int line = (int)y->problem_mark.line + 1;
  /* libyaml points behind the last line when the text ends too early */
  int last = line_of(l, l->size ? l->size - 1 : 0);
  if (line > last) line = last;
  const char *hint = indented_with_tab(l, line) ? "; indent with spaces, not tabs" : "";
  if (y->context && y->context_mark.line + 1 != (size_t)line)
    return FAIL_LINE(l, line, "YAML: %s, %s that starts on line %d%s", problem, y->context,
                     (int)y->context_mark.line + 1, hint);
  if (y->context) return FAIL_LINE(l, line, "YAML: %s, %s%s", problem, y->context, hint);
  return FAIL_LINE(l, line, "YAML: %s%s", problem, hint);
}

static tn_status next_event(loader *l, yaml_event_t *event) {
  return yaml_parser_parse(&l->yaml, event) ? TN_OK : syntax_error(l);
}

static tn_status new_node(loader *l, tni_node_form form, const yaml_event_t *event,
                          tni_yaml **out) {
  TNI_ARENA_NEW(l->arena, *out, 1);
  (*out)->form = form;
  (*out)->line = (int)event->start_mark.line + 1;
  (*out)->weight = 1;
  return TN_OK;
}

/* anchors may be defined again: the latest counts */
static tn_status remember_anchor(loader *l, const yaml_char_t *name, int *index) {
  *index = -1;
  if (!name) return TN_OK;
  if (!tni_arena_grow(l->arena, (void **)&l->anchors, l->nanchor, &l->anchor_cap,
                      sizeof(*l->anchors)))
    return tni_out_of_memory(l->ctx);
  const char *copy = tni_arena_strdup(l->arena, (const char *)name);
  if (!copy) return tni_out_of_memory(l->ctx);
  *index = l->nanchor;
  l->anchors[l->nanchor++] = (anchor){copy, NULL};
  return TN_OK;
}

static tn_status count_aliased(loader *l, int line, double more) {
  l->aliased += more;
  if (l->aliased <= TNI_YAML_MAX_ALIASED) return TN_OK;
  return FAIL_LINE(l, line, "aliases expand to more than %d values; use 'repeat:' instead",
                   TNI_YAML_MAX_ALIASED);
}

static tn_status resolve_alias(loader *l, const yaml_event_t *event, tni_yaml **out) {
  const char *name = (const char *)event->data.alias.anchor;
  int line = (int)event->start_mark.line + 1;
  int i = l->nanchor - 1;
  while (i >= 0 && strcmp(l->anchors[i].name, name) != 0) i--;
  if (i < 0) return FAIL_LINE(l, line, "alias %s: no such anchor above", tni_show(name).s);
  if (!l->anchors[i].node) return FAIL_LINE(l, line, "alias %s contains itself", tni_show(name).s);
  *out = l->anchors[i].node;
  return count_aliased(l, line, (*out)->weight);
}

static tn_status read_node(loader *l, yaml_event_t *event, int depth, tni_yaml **out);

/* code of a control character in the text, other than a tab or the end of a line; 0: there is none */
static unsigned control_in(const unsigned char *s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    bool c1 = s[i] == 0xC2 && i + 1 < n && s[i+1] < 0xA0; /* U+0080 to U+009F */
    if (c1) return s[i+1];
    if (s[i] == 0x7F || (s[i] < 0x20 && s[i] != '\t' && s[i] != '\n' && s[i] != '\r')) return s[i];
  }
  return 0;
}

static tn_status read_scalar(loader *l, const yaml_event_t *event, tni_yaml **out) {
  TN_TRY(new_node(l, TNI_SCALAR, event, out));
  const char *value = (const char *)event->data.scalar.value;
  if (strlen(value) != event->data.scalar.length)
    return FAIL_LINE(l, (*out)->line, "a text contains the character \\0");
  unsigned control = control_in(event->data.scalar.value, event->data.scalar.length);
  if (control)
    return FAIL_LINE(l, (*out)->line, "a text contains the control character 0x%02X; remove it", control);
  (*out)->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  (*out)->text = tni_arena_strdup(l->arena, value);
  return (*out)->text ? TN_OK : tni_out_of_memory(l->ctx);
}

static tn_status read_sequence(loader *l, const yaml_event_t *start, int depth, tni_yaml **out) {
  tni_yaml *node;
  int cap = 0;
  TN_TRY(new_node(l, TNI_SEQUENCE, start, &node));
  *out = node;
  for (;;) {
    yaml_event_t event;
    TN_TRY(next_event(l, &event));
    if (event.type == YAML_SEQUENCE_END_EVENT) {
      yaml_event_delete(&event);
      return TN_OK;
    }
    tni_yaml *item = NULL;
    tn_status st = read_node(l, &event, depth + 1, &item);
    yaml_event_delete(&event);
    TN_TRY(st);
    if (!tni_arena_grow(l->arena, (void **)&node->item, node->n, &cap, sizeof(*node->item)))
      return tni_out_of_memory(l->ctx);
    node->item[node->n++] = item;
    node->weight += item->weight;
  }
}

/* Open-addressing set of the keys of one mapping; small and short-lived. */
typedef struct keyset {
  int nslot;
  int *slot; /* index of the entry + 1 */
} keyset;

static tn_status keyset_init(loader *l, keyset *set, int n) {
  for (set->nslot = 8; set->nslot < 2*n; set->nslot *= 2) continue;
  set->slot = tni_ints(l->ctx, (size_t)set->nslot);
  return set->slot ? TN_OK : tni_out_of_memory(l->ctx);
}

/* index of the key among the entries already in the set, or -1 after adding it as entry i */
static int keyset_add(keyset *set, const char *const *key, int i) {
  uint32_t h = 2166136261u;
  for (const char *c = key[i]; *c; c++) h = (h ^ (unsigned char)*c)*16777619u;
  uint32_t mask = (uint32_t)set->nslot - 1, k = h & mask;
  for (; set->slot[k]; k = (k + 1) & mask)
    if (strcmp(key[set->slot[k]-1], key[i]) == 0) return set->slot[k] - 1;
  set->slot[k] = i + 1;
  return -1;
}

/* refuse double keys; the set then holds all of them */
static tn_status check_duplicates(loader *l, keyset *set, const tni_yaml *map) {
  for (int i = 0; i < map->n; i++) {
    int old = keyset_add(set, map->key, i);
    if (old >= 0)
      return FAIL_LINE(l, map->keyline[i], "key %s is given twice; first on line %d",
                       tni_show(map->key[i]).s, map->keyline[old]);
  }
  return TN_OK;
}

/* append the entries of `from` whose keys are not in the set yet */
static void append_new(keyset *set, tni_yaml *map, const tni_yaml *from) {
  for (int i = 0; i < from->n; i++) {
    map->key[map->n] = from->key[i];
    map->item[map->n] = from->item[i];
    map->keyline[map->n] = from->keyline[i];
    if (keyset_add(set, map->key, map->n) >= 0) continue;
    map->weight += from->item[i]->weight;
    map->n++;
  }
}

/* the mapping of the k-th merge of `<<: *a` or `<<: [*a, *b]` */
static const tni_yaml *merge_source(const tni_yaml *value, int k) {
  if (value->form == TNI_MAPPING) return value;
  return value->item[k];
}

/* Entries of the mappings under `<<` are added behind the own ones, which win. */
static tn_status merge(loader *l, tni_yaml *map, int at) {
  const tni_yaml *value = map->item[at];
  int line = map->keyline[at], nsource = value->form == TNI_MAPPING ? 1 : value->n, total = map->n;
  bool good = value->form != TNI_SCALAR;
  for (int k = 0; good && k < nsource; k++) {
    const tni_yaml *source = merge_source(value, k);
    good = source->form == TNI_MAPPING;
    if (good) TN_TRY(count_aliased(l, line, source->n));
    if (good) total += source->n;
  }
  if (!good) return FAIL_LINE(l, line, "merge key '<<' must be a map or a list of maps");
  const tni_yaml own = *map;
  TNI_ARENA_NEW(l->arena, map->item, total);
  TNI_ARENA_NEW(l->arena, map->key, total);
  TNI_ARENA_NEW(l->arena, map->keyline, total);
  map->n = 0;
  for (int i = 0; i < own.n; i++) {
    if (i == at) continue;
    map->item[map->n] = own.item[i];
    map->key[map->n] = own.key[i];
    map->keyline[map->n++] = own.keyline[i];
  }
  keyset set;
  TN_TRY(keyset_init(l, &set, total));
  for (int i = 0; i < map->n; i++) keyset_add(&set, map->key, i);
  for (int k = 0; k < nsource; k++) append_new(&set, map, merge_source(value, k));
  tni_free(l->ctx, set.slot);
  return TN_OK;
}

static tn_status finish_mapping(loader *l, tni_yaml *map) {
  keyset set;
  TN_TRY(keyset_init(l, &set, map->n));
  tn_status st = check_duplicates(l, &set, map);
  tni_free(l->ctx, set.slot);
  TN_TRY(st);
  for (int i = 0; i < map->n; i++)
    if (strcmp(map->key[i], "<<") == 0) return merge(l, map, i);
  return TN_OK;
}

static tn_status read_entry(loader *l, tni_yaml *map, yaml_event_t *first, int depth, int cap[3]) {
  tni_yaml *key = NULL, *item = NULL;
  TN_TRY(read_node(l, first, depth, &key));
  if (key->form != TNI_SCALAR)
    return FAIL_LINE(l, key->line, "a key must be a plain word, not a %s; is a quote missing?",
                     key->form == TNI_MAPPING ? "map" : "list");
  yaml_event_t event;
  TN_TRY(next_event(l, &event));
  tn_status st = read_node(l, &event, depth, &item);
  yaml_event_delete(&event);
  TN_TRY(st);
  if (!tni_arena_grow(l->arena, (void **)&map->item, map->n, &cap[0], sizeof(*map->item)) ||
      !tni_arena_grow(l->arena, (void **)&map->key, map->n, &cap[1], sizeof(*map->key)) ||
      !tni_arena_grow(l->arena, (void **)&map->keyline, map->n, &cap[2], sizeof(*map->keyline)))
    return tni_out_of_memory(l->ctx);
  map->item[map->n] = item;
  map->key[map->n] = key->text;
  map->keyline[map->n++] = key->line;
  map->weight += item->weight;
  return TN_OK;
}

static tn_status read_mapping(loader *l, const yaml_event_t *start, int depth, tni_yaml **out) {
  tni_yaml *map;
  int cap[3] = {0, 0, 0};
  TN_TRY(new_node(l, TNI_MAPPING, start, &map));
  *out = map;
  for (;;) {
    yaml_event_t event;
    TN_TRY(next_event(l, &event));
    if (event.type == YAML_MAPPING_END_EVENT) {
      yaml_event_delete(&event);
      return finish_mapping(l, map);
    }
    tn_status st = read_entry(l, map, &event, depth + 1, cap);
    yaml_event_delete(&event);
    TN_TRY(st);
  }
}

/* the node that begins with this event; the caller deletes the event */
static tn_status read_node(loader *l, yaml_event_t *event, int depth, tni_yaml **out) {
  int line = (int)event->start_mark.line + 1, anchored = -1;
  const yaml_char_t *tag = NULL, *name = NULL;
  if (depth > TNI_YAML_MAX_DEPTH)
    return FAIL_LINE(l, line, "nested deeper than %d levels", TNI_YAML_MAX_DEPTH);
  switch (event->type) {
    case YAML_ALIAS_EVENT: return resolve_alias(l, event, out);
    case YAML_SCALAR_EVENT:
      tag = event->data.scalar.tag;
      name = event->data.scalar.anchor;
      break;
    case YAML_SEQUENCE_START_EVENT:
      tag = event->data.sequence_start.tag;
      name = event->data.sequence_start.anchor;
      break;
    case YAML_MAPPING_START_EVENT:
      tag = event->data.mapping_start.tag;
      name = event->data.mapping_start.anchor;
      break;
    default: return FAIL_LINE(l, line, "YAML: unexpected end");
  }
  if (tag)
    return FAIL_LINE(l, line, "tag %s: YAML tags are not used here; remove it",
                     tni_show((const char *)tag).s);
  TN_TRY(remember_anchor(l, name, &anchored));
  if (event->type == YAML_SCALAR_EVENT)
    TN_TRY(read_scalar(l, event, out));
  else if (event->type == YAML_SEQUENCE_START_EVENT)
    TN_TRY(read_sequence(l, event, depth, out));
  else
    TN_TRY(read_mapping(l, event, depth, out));
  if (anchored >= 0) l->anchors[anchored].node = *out;
  return TN_OK;
}

static tn_status read_document(loader *l, tni_yaml **out) {
  for (int ndocument = 0;;) {
    yaml_event_t event;
    TN_TRY(next_event(l, &event));
    yaml_event_type_t type = event.type;
    tn_status st = TN_OK;
    if (type == YAML_DOCUMENT_START_EVENT && ++ndocument > 1) {
      st = FAIL_LINE(l, (int)event.start_mark.line + 1,
                     "a second document starts here; one file holds one model");
    } else if (type != YAML_STREAM_START_EVENT && type != YAML_STREAM_END_EVENT &&
               type != YAML_DOCUMENT_START_EVENT && type != YAML_DOCUMENT_END_EVENT) {
      st = read_node(l, &event, 1, out);
    }
    yaml_event_delete(&event);
    TN_TRY(st);
    if (type == YAML_STREAM_END_EVENT) return TN_OK;
  }
}

tn_status tni_yaml_parse(tni_arena *arena, const char *file, const char *text, size_t n,
                         tni_yaml **out) {
  *out = NULL;
  if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
    text += 3;
    n -= 3;
  }
  loader l = {.ctx = arena->ctx, .arena = arena, .file = file, .text = text, .size = n};
  TN_TRY(check_bytes(&l));
  if (!yaml_parser_initialize(&l.yaml)) return tni_out_of_memory(l.ctx);
  yaml_parser_set_encoding(&l.yaml, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&l.yaml, (const unsigned char *)text, n);
  tn_status st = read_document(&l, out);
  yaml_parser_delete(&l.yaml);
  if (st != TN_OK) *out = NULL;
  return st;
}

const tni_yaml *tni_yaml_entry(const tni_yaml *map, const char *key) {
  for (int i = 0; i < map->n; i++)
    if (strcmp(map->key[i], key) == 0) return map->item[i];
  return NULL;
}

bool tni_yaml_is_null(const tni_yaml *node) {
  if (node->form != TNI_SCALAR || node->quoted) return false;
  const char *s = node->text;
  return !*s || strcmp(s, "~") == 0 || strcmp(s, "null") == 0 || strcmp(s, "Null") == 0 ||
         strcmp(s, "NULL") == 0;
}
