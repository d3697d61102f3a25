/* input/read.c - documents -> spec
 *
 * First all documents are loaded: a file, before it the files it includes, and their parameters in
 * that order, so that every part of a model may use every parameter. Then the sections are read,
 * again included files first, each in file order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "base/expr.h"
#include "base/file.h"
#include "input/reader.h"

typedef struct tni_seen {
  tni_file_id id;
  bool open; /* its includes are being read */
} tni_seen;

/* ---- messages ----------------------------------------------------------------------------- */

tni_place tni_reader_place(const tni_reader *r, int line) {
  return (tni_place){r->file, r->placeless ? 0 : line};
}

tn_status tni_reader_fail(const tni_reader *r, int line, const char *fmt, ...) {
  char text[TNI_MESSAGE_MAX];
  const char *what = r->label[0], *name = r->label[1];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof(text), fmt, ap);
  va_end(ap);
  return tni_place_fail(r->ctx, tni_reader_place(r, line), r->item, "%s%s%s%s%s", what ? what : "",
                        name ? " " : "", name ? tni_show(name).s : "", what ? ": " : "", text);
}

void tni_reader_label(tni_reader *r, const char *what, const char *name) {
  r->label[0] = what;
  r->label[1] = name;
}

/* ---- items -------------------------------------------------------------------------------- */

/* names of the keys an item may have; [n] in the scratch arena */
static tn_status key_names(tni_reader *r, const tni_item *item, bool unnamed,
                           const char *const **out, int *n) {
  const tni_section *s = item->section;
  const char **names;
  int k = 0, ntype = item->type ? item->type->nkey : 0;
  TNI_ARENA_NEW(&r->scratch, names, s->nkey + ntype + 2);
  if (s->types) names[k++] = "type";
  if (unnamed) names[k++] = "name";
  for (int i = 0; i < ntype; i++)
    if (!(item->type->keys[i].flags & TNI_REFUSED)) names[k++] = item->type->keys[i].name;
  for (int i = 0; i < s->nkey; i++)
    if (tni_item_key(item, s->keys[i].name) == &s->keys[i]) names[k++] = s->keys[i].name;
  *out = names;
  *n = k;
  return TN_OK;
}

static bool key_of_other_type(const tni_item *item, const char *key) {
  for (int i = 0; i < item->section->ntype; i++) {
    const tni_type *type = item->section->types[i];
    for (int k = 0; k < type->nkey; k++)
      if (strcmp(type->keys[k].name, key) == 0) return true;
  }
  return false;
}

static tn_status unknown_key(tni_reader *r, const tni_item *item, bool unnamed, const char *key,
                             int line) {
  const char *const *names = NULL;
  int n = 0;
  TN_TRY(key_names(r, item, unnamed, &names, &n));
  tni_place at = tni_reader_place(r, line);
  if (item->type && key_of_other_type(item, key))
    return tni_place_fail(r->ctx, at, item, "key %s is not used by type '%s'%s", tni_show(key).s,
                          item->type->name, tni_hint_for("", names, n).s);
  return tni_place_fail(r->ctx, at, item, "unknown key %s%s", tni_show(key).s,
                        tni_hint_for(key, names, n).s);
}

/* the type named in the node; the message needs an item that does not exist yet */
static tn_status read_type(tni_reader *r, const tni_item *shadow, const tni_yaml *node,
                           const tni_type **out) {
  const tni_section *s = shadow->section;
  *out = NULL;
  if (!s->types) return TN_OK;
  const char **names;
  TNI_ARENA_NEW(&r->scratch, names, s->ntype);
  for (int i = 0; i < s->ntype; i++) names[i] = s->types[i]->name;
  int at = 0;
  while (at < node->n && strcmp(node->key[at], "type") != 0) at++;
  if (at == node->n)
    return tni_place_fail(r->ctx, shadow->at, shadow, "key 'type' is missing%s",
                          tni_hint_for("", names, s->ntype).s);
  const tni_yaml *value = node->item[at];
  tni_place place = tni_reader_place(r, node->keyline[at]);
  if (value->form != TNI_SCALAR || tni_yaml_is_null(value))
    return tni_place_fail(r->ctx, place, shadow, "key 'type' must be a word%s",
                          tni_hint_for("", names, s->ntype).s);
  const char *text;
  r->item = shadow;
  tni_reader_label(r, "key", "type");
  TN_TRY(tni_read_text(r, value->text, value->line, &text));
  r->item = NULL;
  tni_reader_label(r, NULL, NULL);
  for (int i = 0; i < s->ntype && !*out; i++)
    if (strcmp(text, s->types[i]->name) == 0) *out = s->types[i];
  if (*out) return TN_OK;
  return tni_place_fail(r->ctx, place, shadow, "unknown type %s%s", tni_show(text).s,
                        tni_hint_for(text, names, s->ntype).s);
}

static tn_status read_key(tni_reader *r, tni_item *item, const tni_key *key, const tni_yaml *node,
                          int line) {
  tni_value value;
  r->item = item;
  tni_reader_label(r, "key", key->name);
  TN_TRY(tni_read_value(r, key->kind, node, &value));
  /* a value that starts below its key is looked for at the key */
  value.at = tni_reader_place(r, line);
  tn_status st = tni_item_set(r->spec, item, key, &value);
  r->item = NULL;
  tni_reader_label(r, NULL, NULL);
  return st;
}

/* unnamed: an entry of a list, which may have a key `name` */
static tn_status read_item(tni_reader *r, const tni_section *section, const char *name,
                           bool unnamed, const tni_yaml *node, int line) {
  tni_item shadow = {.name = name, .section = section, .at = tni_reader_place(r, line)};
  const tni_type *type;
  tni_item *item;
  if (tni_yaml_is_null(node))
    return tni_place_fail(r->ctx, shadow.at, &shadow,
                          "has no value; give its keys, or {} for none");
  if (node->form != TNI_MAPPING)
    return tni_place_fail(r->ctx, shadow.at, &shadow, "must be a map of keys, not %s",
                          node->form == TNI_SEQUENCE ? "a list" : tni_show(node->text).s);
  TN_TRY(read_type(r, &shadow, node, &type));
  TN_TRY(tni_spec_add(r->spec, section, name, type, shadow.at, &item));
  for (int i = 0; i < node->n; i++) {
    if (section->types && strcmp(node->key[i], "type") == 0) continue;
    if (unnamed && strcmp(node->key[i], "name") == 0) continue;
    const tni_key *key = tni_item_key(item, node->key[i]);
    if (!key) return unknown_key(r, item, unnamed, node->key[i], node->keyline[i]);
    TN_TRY(read_key(r, item, key, node->item[i], node->keyline[i]));
  }
  return tni_item_complete(r->ctx, item);
}

/* name of an entry of a list: its key `name`, else the word of the section and a number */
static tn_status list_name(tni_reader *r, int section, const tni_yaml *node, const char **out) {
  const tni_section *s = &r->schema->section[section];
  const tni_yaml *given = node->form == TNI_MAPPING ? tni_yaml_entry(node, "name") : NULL;
  if (given && given->form == TNI_SCALAR && !tni_yaml_is_null(given)) {
    tni_reader_label(r, s->item, NULL);
    TN_TRY(tni_read_text(r, given->text, given->line, out));
    tni_reader_label(r, NULL, NULL);
    return tni_name_check(r->ctx, tni_reader_place(r, given->line), s, *out);
  }
  if (given)
    return tni_place_fail(r->ctx, tni_reader_place(r, given->line), NULL,
                          "%s: key 'name' must be a word", s->item);
  char name[TNI_MAX_NAME];
  do snprintf(name, sizeof(name), "%.60s%d", s->item, ++r->unnamed[section]);
  while (tni_spec_find(r->spec, s->name, name));
  *out = tni_arena_strdup(&r->spec->arena, name);
  return *out ? TN_OK : tni_out_of_memory(r->ctx);
}

static tn_status read_list(tni_reader *r, int section, const tni_yaml *node) {
  for (int i = 0; i < node->n; i++) {
    const char *name;
    TN_TRY(list_name(r, section, node->item[i], &name));
    TN_TRY(read_item(r, &r->schema->section[section], name, true, node->item[i],
                     node->item[i]->line));
  }
  return TN_OK;
}

static tn_status read_map(tni_reader *r, int section, const tni_yaml *node) {
  const tni_section *s = &r->schema->section[section];
  for (int i = 0; i < node->n; i++) {
    const char *name;
    tni_reader_label(r, s->item, NULL);
    TN_TRY(tni_read_text(r, node->key[i], node->keyline[i], &name));
    tni_reader_label(r, NULL, NULL);
    TN_TRY(tni_name_check(r->ctx, tni_reader_place(r, node->keyline[i]), s, name));
    TN_TRY(read_item(r, s, name, false, node->item[i], node->keyline[i]));
  }
  return TN_OK;
}

tn_status tni_read_section(tni_reader *r, const char *name, const tni_yaml *node, int line,
                           bool *known) {
  int i = 0;
  while (i < r->schema->nsection && strcmp(r->schema->section[i].name, name) != 0) i++;
  *known = i < r->schema->nsection;
  if (!*known) return TN_OK;
  const tni_section *s = &r->schema->section[i];
  tni_place at = tni_reader_place(r, line);
  if (tni_yaml_is_null(node))
    return tni_place_fail(r->ctx, at, NULL, "key '%s' has no value; remove it or give a %s", name,
                          s->item);
  if (s->single) return read_item(r, s, s->name, false, node, line);
  if (node->form == TNI_MAPPING) return read_map(r, i, node);
  if (node->form == TNI_SEQUENCE && s->list) return read_list(r, i, node);
  return tni_place_fail(r->ctx, at, NULL, "key '%s': got %s, must be a map of %s names%s", name,
                        node->form == TNI_SEQUENCE ? "a list" : tni_show(node->text).s, s->item,
                        s->list ? " or a list" : "");
}

tn_status tni_section_names(tni_reader *r, const char *const *extra, int nextra,
                            const char *const **out, int *n) {
  const char **names;
  TNI_ARENA_NEW(&r->scratch, names, nextra + r->schema->nsection);
  for (int i = 0; i < nextra; i++) names[i] = extra[i];
  for (int i = 0; i < r->schema->nsection; i++) names[nextra+i] = r->schema->section[i].name;
  *out = names;
  *n = nextra + r->schema->nsection;
  return TN_OK;
}

/* ---- parameters --------------------------------------------------------------------------- */

/* the text behind "name=" among the overrides, NULL if there is none */
static const char *find_override(tni_reader *r, const char *name) {
  size_t n = strlen(name);
  const char *found = NULL;
  for (int i = 0; i < r->noverride; i++) {
    if (strncmp(r->overrides[i], name, n) != 0 || r->overrides[i][n] != '=') continue;
    r->override_used[i] = true;
    found = r->overrides[i] + n + 1; /* the last one counts */
  }
  return found;
}

static tn_status read_param(tni_reader *r, const char *name, const tni_yaml *node, int line) {
  double value = 0;
  bool used;
  tni_reader_label(r, "parameter", name);
  if (!tni_is_identifier(name) || strlen(name) > TNI_MAX_NAME)
    return tni_reader_fail(r, line, "the name must be letters, digits and _, a letter first");
  TN_TRY(tni_is_function(r, name, &used));
  if (used || tni_expr_is_reserved(name) || strcmp(name, "t") == 0)
    return tni_reader_fail(r, line, "the name is used by expressions; choose another");
  if (tni_yaml_is_null(node)) return tni_reader_fail(r, line, "has no value");
  if (node->form != TNI_SCALAR)
    return tni_reader_fail(r, line, "got a %s, must be a number or an expression of parameters",
                           node->form == TNI_SEQUENCE ? "list" : "map");
  const char *text = find_override(r, name);
  if (text) {
    const char *file = r->file;
    r->file = "";
    tni_reader_label(r, "override", name);
    tn_status st = tni_read_number(r, text, 0, &value);
    r->file = file;
    TN_TRY(st);
  } else {
    TN_TRY(tni_read_number(r, node->text, node->line, &value));
  }
  tni_reader_label(r, NULL, NULL);
  return tni_spec_add_param(r->spec, name, value, tni_reader_place(r, line));
}

static tn_status read_param_map(tni_reader *r, const tni_yaml *params) {
  r->item = NULL;
  tni_reader_label(r, "key", "params");
  if (params->form != TNI_MAPPING)
    return tni_reader_fail(r, params->line, tni_yaml_is_null(params)
                                                ? "has no value"
                                                : "must be a map of names and numbers");
  r->params = params;
  for (int i = 0; i < params->n; i++)
    TN_TRY(read_param(r, params->key[i], params->item[i], params->keyline[i]));
  r->params = NULL;
  tni_reader_label(r, NULL, NULL);
  return TN_OK;
}

static tn_status read_params(tni_reader *r, const tni_yaml *root) {
  const tni_yaml *params = tni_yaml_entry(root, "params");
  return params ? read_param_map(r, params) : TN_OK;
}

static tn_status check_override_form(tni_reader *r) {
  for (int i = 0; i < r->noverride; i++) {
    const char *equals = strchr(r->overrides[i], '=');
    if (!equals || equals == r->overrides[i] || !equals[1])
      return TN_FAIL(r->ctx, TN_ERR_INPUT, "override %s: must be name=value",
                     tni_show(r->overrides[i]).s);
  }
  return TN_OK;
}

/* every override must have met its parameter */
static tn_status check_override_use(tni_reader *r) {
  for (int i = 0; i < r->noverride; i++) {
    if (r->override_used[i]) continue;
    const char *text = r->overrides[i], *equals = strchr(text, '=');
    char *name = tni_arena_printf(&r->scratch, "%.*s", (int)(equals - text), text);
    const char **names = tni_arena_alloc(&r->scratch, (size_t)r->spec->nparam, sizeof(*names));
    if (!name || !names) return tni_out_of_memory(r->ctx);
    for (int k = 0; k < r->spec->nparam; k++) names[k] = r->spec->param[k].name;
    return TN_FAIL(r->ctx, TN_ERR_INPUT, "override %s: unknown parameter %s%s", tni_show(text).s,
                   tni_show(name).s, tni_hint_for(name, names, r->spec->nparam).s);
  }
  return TN_OK;
}

/* ---- files -------------------------------------------------------------------------------- */

static tn_status load_text(tni_reader *r, const char *file, const char *text, size_t size,
                           int depth);

/* index of the file among those read so far, or -1 */
static int find_file(const tni_reader *r, tni_file_id id) {
  for (int i = 0; i < r->nseen; i++)
    if (r->seen[i].id.device == id.device && r->seen[i].id.inode == id.inode) return i;
  return -1;
}

static tn_status remember_file(tni_reader *r, tni_file_id id) {
  if (!tni_arena_grow(&r->spec->arena, (void **)&r->seen, r->nseen, &r->seen_cap,
                      sizeof(*r->seen)))
    return tni_out_of_memory(r->ctx);
  r->seen[r->nseen++] = (tni_seen){id, true};
  return TN_OK;
}

/* path of an included file, as seen from the folder of the including one */
static const char *join_path(tni_reader *r, const char *name) {
  const char *slash = strrchr(r->file, '/');
  if (!slash || name[0] == '/') return name;
  return tni_arena_printf(&r->spec->arena, "%.*s/%s", (int)(slash - r->file), r->file, name);
}

/* a file that was read before is not read again, so that parts may share a file of parameters */
static tn_status include_file(tni_reader *r, const tni_yaml *node, int depth) {
  char *text, why[TNI_WHY_MAX] = "";
  size_t size;
  tni_file_id id;
  r->item = NULL;
  tni_reader_label(r, "key", "include");
  if (node->form != TNI_SCALAR || tni_yaml_is_null(node))
    return tni_reader_fail(r, node->line, "must be a file name or a list of file names");
  if (depth >= TNI_MAX_INCLUDE)
    return tni_reader_fail(r, node->line, "%s: files include each other more than %d deep",
                           tni_show(node->text).s, TNI_MAX_INCLUDE);
  const char *path = join_path(r, node->text);
  if (!path) return tni_out_of_memory(r->ctx);
  tn_status st = tni_file_read(r->ctx, path, TNI_YAML_MAX_BYTES, &text, &size, &id, why);
  if (st == TN_ERR_IO)
    return tni_reader_fail(r, node->line, "cannot read %s: %s", tni_show(path).s, why);
  TN_TRY(st);
  const char *file = r->file;
  int old = find_file(r, id), self = r->nseen;
  if (old >= 0 && r->seen[old].open) {
    st = tni_reader_fail(r, node->line, "%s includes itself, directly or through others",
                         tni_show(path).s);
  } else if (old < 0) {
    st = remember_file(r, id);
    if (st == TN_OK) st = load_text(r, path, text, size, depth + 1);
    if (st == TN_OK) r->seen[self].open = false;
  }
  tni_free(r->ctx, text);
  r->file = file;
  return st;
}

static tn_status read_includes(tni_reader *r, const tni_yaml *root, int depth) {
  const tni_yaml *include = tni_yaml_entry(root, "include");
  if (!include) return TN_OK;
  if (include->form != TNI_SEQUENCE) return include_file(r, include, depth);
  for (int i = 0; i < include->n; i++) TN_TRY(include_file(r, include->item[i], depth));
  return TN_OK;
}

/* ---- documents ---------------------------------------------------------------------------- */

/* keys that the reader itself understands, whether or not the table of the document has them */
static const char *const language_keys[] = {"tenon", "params", "include", "repeat"};

static bool is_language_key(const char *key) {
  for (int i = 0; i < TNI_COUNT(language_keys); i++)
    if (strcmp(key, language_keys[i]) == 0) return true;
  return false;
}

/* `tenon: 1` says which format this is; included files may leave it out */
static tn_status check_version(tni_reader *r, const tni_yaml *root, bool main) {
  const tni_yaml *version = tni_yaml_entry(root, "tenon");
  if (!version && !main) return TN_OK;
  tni_reader_label(r, NULL, NULL);
  if (!version)
    return tni_reader_fail(r, 1, "key 'tenon' is missing; a model starts with 'tenon: 1'");
  if (version->form == TNI_SCALAR && strcmp(version->text, "1") == 0) return TN_OK;
  return tni_reader_fail(r, version->line, "format version tenon = %s, must be 1",
                         version->form == TNI_SCALAR     ? tni_show(version->text).s
                         : version->form == TNI_SEQUENCE ? "a list"
                                                         : "a map");
}

/* parse, then includes, then parameters; sections come when all files are there */
static tn_status load_text(tni_reader *r, const char *file, const char *text, size_t size,
                           int depth) {
  tni_yaml *root;
  r->file = file;
  r->item = NULL;
  tni_reader_label(r, NULL, NULL);
  TN_TRY(tni_yaml_parse(&r->spec->arena, file, text, size, &root));
  if (!root || tni_yaml_is_null(root))
    return tni_reader_fail(r, 1, "the document is empty; a model starts with 'tenon: 1'");
  if (root->form != TNI_MAPPING)
    return tni_reader_fail(r, root->line, "the document must be a map of keys, not %s",
                           root->form == TNI_SEQUENCE ? "a list" : "a text");
  TN_TRY(check_version(r, root, depth == 0));
  TN_TRY(read_includes(r, root, depth));
  TN_TRY(read_params(r, root));
  if (!tni_arena_grow(&r->spec->arena, (void **)&r->document, r->ndocument, &r->document_cap,
                      sizeof(*r->document)))
    return tni_out_of_memory(r->ctx);
  r->document[r->ndocument++] = (tni_document){file, root};
  return TN_OK;
}

static tn_status unknown_top(tni_reader *r, const char *key, int line) {
  const char **extra;
  const char *const *names = NULL;
  int n = 0, nlanguage = TNI_COUNT(language_keys);
  /* the word for one item is a common slip: joint -> joints */
  for (int i = 0; i < r->schema->nsection; i++)
    if (strcmp(r->schema->section[i].item, key) == 0)
      return tni_reader_fail(r, line, "unknown key %s; did you mean '%s'?", tni_show(key).s,
                             r->schema->section[i].name);
  TNI_ARENA_NEW(&r->scratch, extra, nlanguage + r->schema->ntop);
  for (int i = 0; i < nlanguage; i++) extra[i] = language_keys[i];
  n = nlanguage;
  for (int i = 0; i < r->schema->ntop; i++)
    if (!is_language_key(r->schema->top[i].name)) extra[n++] = r->schema->top[i].name;
  TN_TRY(tni_section_names(r, extra, n, &names, &n));
  return tni_reader_fail(r, line, "unknown key %s%s", tni_show(key).s,
                         tni_hint_for(key, names, n).s);
}

static tn_status read_entry(tni_reader *r, const char *key, const tni_yaml *node, int line,
                            bool main) {
  const tni_key *top = tni_item_key(&r->spec->top, key);
  bool known, language = is_language_key(key);
  if (strcmp(key, "repeat") == 0) return tni_read_repeat(r, node, line);
  /* the version is kept with the document, the others have done their work */
  if (language && !(top && main && strcmp(key, "tenon") == 0)) return TN_OK;
  if (top && !main)
    return tni_reader_fail(r, line, "key '%s' belongs into the main file, not an included one",
                           key);
  if (top) return read_key(r, &r->spec->top, top, node, line);
  TN_TRY(tni_read_section(r, key, node, line, &known));
  return known ? TN_OK : unknown_top(r, key, line);
}

static tn_status read_document(tni_reader *r, const tni_document *document, bool main) {
  const tni_yaml *root = document->root;
  r->file = document->file;
  for (int i = 0; i < root->n; i++) {
    r->item = NULL;
    tni_reader_label(r, NULL, NULL);
    TN_TRY(read_entry(r, root->key[i], root->item[i], root->keyline[i], main));
  }
  return TN_OK;
}

static tn_status read_all(tni_reader *r, const char *name, const char *text, size_t size) {
  tn_spec *spec = r->spec;
  r->unnamed = tni_arena_alloc(&spec->arena, (size_t)r->schema->nsection, sizeof(int));
  r->override_used = tni_arena_alloc(&spec->arena, (size_t)r->noverride, sizeof(bool));
  const char *file = tni_arena_strdup(&spec->arena, name);
  spec->source = tni_arena_strdup(&spec->arena, text);
  if (!r->unnamed || !r->override_used || !file || !spec->source)
    return tni_out_of_memory(r->ctx);
  TNI_ARENA_NEW(&spec->arena, spec->overrides, r->noverride);
  for (int i = 0; i < r->noverride; i++) {
    spec->overrides[i] = tni_arena_strdup(&spec->arena, r->overrides[i]);
    if (!spec->overrides[i]) return tni_out_of_memory(r->ctx);
  }
  spec->noverride = r->noverride;
  spec->top.at = (tni_place){file, 1};
  TN_TRY(check_override_form(r));
  TN_TRY(load_text(r, file, text, size, 0));
  TN_TRY(check_override_use(r));
  for (int i = 0; i < r->ndocument; i++)
    TN_TRY(read_document(r, &r->document[i], i == r->ndocument - 1));
  return tni_item_complete(r->ctx, &spec->top);
}

static tn_status read_main(tn_ctx *ctx, const tni_schema *schema, const char *name,
                           const char *text, size_t size, const tni_file_id *id,
                           const char *const *overrides, int noverride, tn_spec **out) {
  tn_spec *spec;
  TN_TRY(tni_spec_create(ctx, schema, &spec));
  tni_reader r = {.ctx = ctx, .spec = spec, .schema = schema, .overrides = overrides,
                  .noverride = noverride};
  tni_arena_init(&r.scratch, ctx);
  tni_point_locale locale = tni_point_begin();
  tn_status st = id ? remember_file(&r, *id) : TN_OK;
  if (st == TN_OK) st = read_all(&r, name, text, size);
  tni_point_end(locale);
  tni_arena_clear(&r.scratch);
  if (st == TN_OK)
    *out = spec;
  else
    tni_spec_destroy(&spec);
  return st;
}

tn_status tni_input_read_text(tn_ctx *ctx, const tni_schema *schema, const char *name,
                              const char *text, const char *const *overrides, int noverride,
                              tn_spec **out) {
  *out = NULL;
  return read_main(ctx, schema, name, text, strlen(text), NULL, overrides, noverride, out);
}

tn_status tni_input_read_file(tn_ctx *ctx, const tni_schema *schema, const char *path,
                              const char *const *overrides, int noverride, tn_spec **out) {
  char *text, why[TNI_WHY_MAX] = "";
  size_t size;
  tni_file_id id;
  *out = NULL;
  tn_status st = tni_file_read(ctx, path, TNI_YAML_MAX_BYTES, &text, &size, &id, why);
  if (st == TN_ERR_IO) return TN_FAIL(ctx, st, "cannot read '%s': %s", path, why);
  TN_TRY(st);
  st = read_main(ctx, schema, path, text, size, &id, overrides, noverride, out);
  tni_free(ctx, text);
  return st;
}

tn_status tni_input_set(tn_spec *spec, tni_item *item, const char *key, const char *yaml) {
  tni_reader r = {.ctx = spec->ctx, .spec = spec, .schema = spec->schema, .file = "",
                  .placeless = true};
  tni_yaml *node;
  tni_arena_init(&r.scratch, spec->ctx);
  tni_point_locale locale = tni_point_begin();
  const tni_key *k = tni_item_key(item, key);
  tn_status st = k ? TN_OK : unknown_key(&r, item, false, key, 0);
  if (item == &spec->top && (strcmp(key, "include") == 0 || strcmp(key, "repeat") == 0))
    st = TN_FAIL(spec->ctx, TN_ERR_INPUT,
                 "key '%s' works in files and texts only; add the items one by one", key);
  if (st == TN_OK) {
    st = tni_yaml_parse(&spec->arena, "", yaml, strlen(yaml), &node);
    if (st == TN_ERR_INPUT)
      tni_place_fail(spec->ctx, (tni_place){"", 0}, item, "key '%s': %s", key,
                     tn_ctx_message(spec->ctx));
  }
  if (st == TN_OK && !node)
    st = tni_place_fail(spec->ctx, (tni_place){"", 0}, item, "key '%s': has no value", key);
  if (st == TN_OK && item == &spec->top && strcmp(key, "params") == 0)
    st = read_param_map(&r, node);
  else if (st == TN_OK)
    st = read_key(&r, item, k, node, 0);
  tni_point_end(locale);
  tni_arena_clear(&r.scratch);
  return st;
}
