/* JSON Schema and input reference say the same as the tables they come from
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "input/node.h"
#include "language.h"
#include "support/check.h"

static tn_ctx *ctx;
static tni_arena arena;
static const tni_yaml *root; /* the schema, read back */

static const tni_yaml *get(const tni_yaml *node, const char *key) {
  const tni_yaml *found = node && node->form == TNI_MAPPING ? tni_yaml_entry(node, key) : NULL;
  CHECK(found != NULL);
  if (!found) printf("no '%s' in the schema\n", key);
  return found;
}

static bool contains(const tni_yaml *list, const char *word) {
  for (int i = 0; list && i < list->n; i++)
    if (strcmp(list->item[i]->text, word) == 0) return true;
  return false;
}

/* every reference leads to a definition */
static int count_refs(const tni_yaml *node, int *broken) {
  int n = 0;
  for (int i = 0; i < node->n; i++) {
    bool ref = node->form == TNI_MAPPING && strcmp(node->key[i], "$ref") == 0;
    if (ref && node->item[i]->form == TNI_SCALAR) {
      const char *text = node->item[i]->text;
      bool good = strncmp(text, "#/$defs/", 8) == 0 &&
                  tni_yaml_entry(tni_yaml_entry(root, "$defs"), text + 8) != NULL;
      if (!good) printf("broken reference %s\n", text);
      *broken += !good;
      n++;
    }
    n += count_refs(node->item[i], broken);
  }
  return n;
}

static void references_resolve(void) {
  int broken = 0;
  CHECK(count_refs(root, &broken) > 50);
  CHECK_INT(broken, 0);
}

static void check_item(const char *name, const tni_section *s, const tni_type *type) {
  const tni_yaml *item = get(get(root, "$defs"), name), *keys = get(item, "properties");
  const tni_yaml *required = get(item, "required");
  int n = (type != NULL) + s->list;
  for (int i = 0; type && i < type->nkey; i++, n++) {
    CHECK(tni_yaml_entry(keys, type->keys[i].name) != NULL);
    CHECK(contains(required, type->keys[i].name) == ((type->keys[i].flags & TNI_REQUIRED) != 0));
  }
  for (int i = 0; i < s->nkey; i++) {
    bool hidden = false;
    for (int k = 0; type && k < type->nkey; k++)
      hidden = hidden || strcmp(type->keys[k].name, s->keys[i].name) == 0;
    n += !hidden;
    CHECK(tni_yaml_entry(keys, s->keys[i].name) != NULL);
  }
  CHECK_INT(keys->n, n);
  CHECK_TEXT(get(item, "additionalProperties")->text, "false");
}

static void every_key_is_there_and_no_other(void) {
  char name[100];
  for (int i = 0; i < language.nsection; i++) {
    const tni_section *s = &language.section[i];
    CHECK(tni_yaml_entry(get(root, "properties"), s->name) != NULL);
    if (!s->types) check_item(s->item, s, NULL);
    for (int k = 0; k < s->ntype; k++) {
      snprintf(name, sizeof(name), "%s.%s", s->item, s->types[k]->name);
      check_item(name, s, s->types[k]);
      const tni_yaml *types = get(get(get(root, "$defs"), s->item), "properties");
      CHECK(contains(get(get(types, "type"), "enum"), s->types[k]->name));
    }
  }
  CHECK_INT(get(root, "properties")->n, language.ntop + language.nsection);
}

static void limits_and_words_are_there(void) {
  const tni_yaml *defs = get(root, "$defs");
  const tni_yaml *mass = get(get(get(defs, "body"), "properties"), "mass");
  const tni_yaml *number = get(mass, "anyOf")->item[0];
  CHECK_TEXT(get(number, "exclusiveMinimum")->text, "0");
  CHECK(tni_yaml_entry(number, "exclusiveMaximum") == NULL);
  CHECK_TEXT(get(mass, "description")->text, "Mass. Unit: kg.");
  const tni_yaml *analysis = get(get(defs, "analysis"), "properties");
  const tni_yaml *steps = get(get(analysis, "steps"), "anyOf")->item[0];
  CHECK_TEXT(get(steps, "type")->text, "integer");
  CHECK_TEXT(get(steps, "minimum")->text, "1");
  CHECK_TEXT(get(steps, "maximum")->text, "1000");
  CHECK(contains(get(get(analysis, "method"), "enum"), "rk4"));
}

static void reference_tells_every_key(void) {
  tni_text text;
  char want[200];
  tni_text_init(&text, ctx);
  CHECK_OK(ctx, tni_input_reference(ctx, &language, &text));
  for (int i = 0; i < language.nsection; i++) {
    const tni_section *s = &language.section[i];
    snprintf(want, sizeof(want), "\n## %s\n", s->name);
    const char *at = strstr(text.s, want);
    CHECK(at != NULL);
    for (int k = 0; at && k < s->nkey; k++) {
      snprintf(want, sizeof(want), "\n| `%s` | ", s->keys[k].name);
      CHECK(strstr(at, want) != NULL);
    }
    for (int k = 0; at && k < s->ntype; k++) {
      snprintf(want, sizeof(want), "\n### %s: %s\n\n%s", s->item, s->types[k]->name,
               s->types[k]->summary);
      CHECK(strstr(at, want) != NULL);
    }
  }
  CHECK(strstr(text.s, "| `mass` | number, > 0 | kg | **required** | Mass. |\n") != NULL);
  CHECK(strstr(text.s, "| `method` | `auto`, `rk4`, `adams` |  | auto | Integrator. |\n") != NULL);
  CHECK(strstr(text.s, "for the \\| user.") != NULL);
  tni_text_free(&text);
}

/* what the reference shows is read by the reader */
static void example_of_the_reference_is_valid(void) {
  tni_text text;
  tn_spec *spec = NULL;
  char document[2000];
  tni_text_init(&text, ctx);
  CHECK_OK(ctx, tni_input_reference(ctx, &language, &text));
  const char *from = strstr(text.s, "```yaml\nrepeat:"), *to = from ? strstr(from + 8, "```") : NULL;
  CHECK(from && to);
  if (to)
    snprintf(document, sizeof(document), "tenon: 1\nparams: {n: 4, L: 1}\n%.*s",
             (int)(to - from - 8), from + 8);
  tni_text_free(&text);
  if (!to) return;
  CHECK_OK(ctx, tni_input_read_text(ctx, &language, "example", document, NULL, 0, &spec));
  CHECK(tni_spec_find(spec, "joints", "hinge3") != NULL);
  tni_spec_destroy(&spec);
}

/* output that does not fit into memory is reported, and the text can be freed */
static void *fail_alloc(void *user, size_t bytes) {
  int *left = user;
  return (*left)-- > 0 ? malloc(bytes) : NULL;
}
static void fail_release(void *user, void *p) {
  (void)user;
  free(p);
}

static void memory_failure_is_reported(void) {
  for (int k = 1; k < 40; k++) {
    int left = k;
    tn_ctx_opts opts = {.alloc = fail_alloc, .release = fail_release, .user = &left};
    tn_ctx *small;
    CHECK(tn_ctx_create(&opts, &small) == TN_OK);
    tni_text text;
    tni_text_init(&text, small);
    tn_status st = k % 2 ? tni_input_json_schema(small, &language, &text)
                         : tni_input_reference(small, &language, &text);
    CHECK(st == TN_ERR_MEMORY || left >= 0);
    tni_text_free(&text);
    tn_ctx_destroy(&small);
  }
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  tni_text text;
  tni_yaml *node;
  tni_text_init(&text, ctx);
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_input_json_schema(ctx, &language, &text));
  CHECK_OK(ctx, tni_yaml_parse(&arena, "schema", text.s, text.n, &node));
  root = node;
  RUN(references_resolve);
  RUN(every_key_is_there_and_no_other);
  RUN(limits_and_words_are_there);
  RUN(reference_tells_every_key);
  RUN(example_of_the_reference_is_valid);
  RUN(memory_failure_is_reported);
  tni_text_free(&text);
  tni_arena_clear(&arena);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
