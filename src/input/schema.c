/* input/schema.c - JSON Schema (draft 2020-12) of the input language
 *
 * Made from the tables of the reader, so that an editor that knows JSON Schema completes keys and
 * marks the same mistakes that the reader refuses. What a schema cannot say (does the body exist,
 * is the expression well formed) is left to the reader: any number may also be a text.
 *
 *   $defs/number ...         one definition per kind of value
 *   $defs/joint.revolute     one item of that type;  $defs/joint: any of them
 *   $defs/joints             the whole section, used by the document and by repeat
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "input/reader.h"

/* a JSON string in quotes */
static void add_string(tni_text *out, const char *text) {
  tni_text_add(out, "\"");
  for (const char *s = text; *s;) {
    int plain = 0;
    while ((unsigned char)s[plain] >= 0x20 && s[plain] != '"' && s[plain] != '\\') plain++;
    if (plain) tni_text_add(out, "%.*s", plain, s);
    s += plain;
    if (!*s) break;
    tni_text_add(out, (unsigned char)*s < 0x20 ? "\\u%04x" : "\\%c", (unsigned char)*s);
    s++;
  }
  tni_text_add(out, "\"");
}

/* "type": "number" with the limits of the key */
static void add_range(tni_text *out, const char *type, const tni_key *key) {
  tni_text_add(out, "{\"type\": \"%s\"", type);
  if (key->min < key->max) {
    if (key->min > -1e300)
      tni_text_add(out, ", \"%s\": %.10g",
                   key->flags & TNI_ABOVE_MIN ? "exclusiveMinimum" : "minimum", key->min);
    if (key->max < 1e300)
      tni_text_add(out, ", \"%s\": %.10g",
                   key->flags & TNI_BELOW_MAX ? "exclusiveMaximum" : "maximum", key->max);
  }
  tni_text_add(out, "}");
}

/* a number within the limits, or a text that the reader will evaluate */
static void add_number(tni_text *out, const char *type, const tni_key *key) {
  tni_text_add(out, "\"anyOf\": [");
  add_range(out, type, key);
  tni_text_add(out, ", {\"type\": \"string\"}]");
}

/* array of numbers within the limits, low to high of them (high 0: any) */
static void add_array(tni_text *out, int low, int high, const tni_key *key) {
  tni_text_add(out, "\"type\": \"array\", \"items\": {");
  add_number(out, "number", key);
  tni_text_add(out, "}");
  if (low) tni_text_add(out, ", \"minItems\": %d", low);
  if (high) tni_text_add(out, ", \"maxItems\": %d", high);
}

static void add_names(tni_text *out, int count) {
  tni_text_add(out, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/name\"}");
  if (count) tni_text_add(out, ", \"minItems\": %d, \"maxItems\": %d", count, count);
}

static void add_choices(tni_text *out, const char *choices) {
  tni_text_add(out, "\"enum\": [");
  for (const char *s = choices; s;) {
    const char *end = strchr(s, '|');
    tni_text_add(out, "%s\"%.*s\"", s == choices ? "" : ", ", end ? (int)(end - s) : (int)strlen(s),
                 s);
    s = end ? end + 1 : NULL;
  }
  tni_text_add(out, "]");
}

/* members that say what the value of a key may be */
static void add_value(tni_text *out, const tni_key *key) {
  const char *ref = NULL;
  switch (key->kind) {
    case TNI_KIND_NUMBER: add_number(out, "number", key); return;
    case TNI_KIND_INTEGER: add_number(out, "integer", key); return;
    case TNI_KIND_EXPR: add_number(out, "number", key); return;
    case TNI_KIND_BOOL: tni_text_add(out, "\"type\": \"boolean\""); return;
    case TNI_KIND_TEXT:
      tni_text_add(out, "\"type\": [\"string\", \"number\", \"boolean\"]");
      return;
    case TNI_KIND_CHOICE: add_choices(out, key->choices); return;
    case TNI_KIND_VEC3: add_array(out, 2, 3, key); return;
    case TNI_KIND_NUMBERS: add_array(out, key->count, key->count, key); return;
    case TNI_KIND_BODIES: add_names(out, key->count ? key->count : 2); return;
    case TNI_KIND_NAMES:
      if (key->count) {
        add_names(out, key->count);
        return;
      }
      ref = "names";
      break;
    case TNI_KIND_POINTS:
      tni_text_add(out, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/vector\"}");
      return;
    case TNI_KIND_POINTMAP:
      tni_text_add(
          out, "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/vector\"}");
      return;
    case TNI_KIND_FRAMEMAP:
      tni_text_add(out,
                   "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/frame\"}");
      return;
    case TNI_KIND_NUMBERMAP:
      tni_text_add(out, "\"type\": \"object\", \"additionalProperties\": {");
      add_number(out, "number", key);
      tni_text_add(out, "}");
      return;
    case TNI_KIND_INERTIA: ref = "inertia"; break;
    case TNI_KIND_MATRIX6: ref = "matrix6"; break;
    case TNI_KIND_DIRECTION: ref = "direction"; break;
    case TNI_KIND_ROTATION: ref = "orientation"; break;
    case TNI_KIND_POINT: ref = "point"; break;
    case TNI_KIND_BODY:
    case TNI_KIND_NAME: ref = "name"; break;
    case TNI_KIND_EXPR3: ref = "expressions3"; break;
    case TNI_KIND_TABLE: ref = "table"; break;
    case TNI_KIND_ANY: return;
  }
  if (ref) tni_text_add(out, "\"$ref\": \"#/$defs/%s\"", ref);
}

static void add_description(tni_text *out, const tni_key *key) {
  tni_text text;
  tni_text_init(&text, out->ctx);
  tni_text_add(&text, "%s", key->doc ? key->doc : "");
  if (key->unit) tni_text_add(&text, " Unit: %s.", key->unit);
  if (key->initial) tni_text_add(&text, " Default: %s.", key->initial);
  tni_text_add(out, "\"description\": ");
  add_string(out, text.s ? text.s : "");
  if (text.failed) out->failed = true;
  tni_text_free(&text);
}

static void add_property(tni_text *out, const tni_key *key, const char *indent, bool *first) {
  tni_text_add(out, "%s\n%s", *first ? "" : ",", indent);
  *first = false;
  add_string(out, key->name);
  tni_text_add(out, ": {");
  add_description(out, key);
  /* the reader takes anything: a schema without further members says just that */
  if (key->kind != TNI_KIND_ANY) tni_text_add(out, ", ");
  add_value(out, key);
  tni_text_add(out, "}");
}

/* is this key of the section hidden by one of the type, or refused by it? */
static bool hidden(const tni_type *type, const tni_key *key) {
  for (int i = 0; type && i < type->nkey; i++)
    if (strcmp(type->keys[i].name, key->name) == 0) return true;
  return false;
}

static void add_required(tni_text *out, const tni_section *s, const tni_type *type, bool *first) {
  for (int i = 0; type && i < type->nkey; i++) {
    if (!(type->keys[i].flags & TNI_REQUIRED)) continue;
    tni_text_add(out, "%s\"%s\"", *first ? "" : ", ", type->keys[i].name);
    *first = false;
  }
  for (int i = 0; i < s->nkey; i++) {
    if (!(s->keys[i].flags & TNI_REQUIRED) || hidden(type, &s->keys[i])) continue;
    tni_text_add(out, "%s\"%s\"", *first ? "" : ", ", s->keys[i].name);
    *first = false;
  }
}

/* one item of a section, of one type if it has types */
static void add_item(tni_text *out, const tni_section *s, const tni_type *type) {
  bool first = true, first_required = true;
  tni_text_add(out, ",\n    \"%s%s%s\": {\n      \"description\": ", s->item, type ? "." : "",
               type ? type->name : "");
  add_string(out, type ? type->summary : s->summary);
  tni_text_add(out, ",\n      \"type\": \"object\",\n      \"properties\": {");
  if (type) tni_text_add(out, "\n        \"type\": {\"const\": \"%s\"}", type->name);
  if (type) first = false;
  if (s->list) {
    tni_text_add(out, "%s\n        \"name\": {\"description\": \"Name of the item, in a list.\", "
                 "\"$ref\": \"#/$defs/name\"}", first ? "" : ",");
    first = false;
  }
  for (int i = 0; type && i < type->nkey; i++)
    if (!(type->keys[i].flags & TNI_REFUSED))
      add_property(out, &type->keys[i], "        ", &first);
  for (int i = 0; i < s->nkey; i++)
    if (!hidden(type, &s->keys[i])) add_property(out, &s->keys[i], "        ", &first);
  tni_text_add(out, "\n      },\n      \"required\": [");
  if (type) tni_text_add(out, "\"type\"");
  if (type) first_required = false;
  add_required(out, s, type, &first_required);
  tni_text_add(out, "],\n      \"additionalProperties\": false\n    }");
}

/* any type of the section: the word under `type` selects the definition */
static void add_type_choice(tni_text *out, const tni_section *s) {
  tni_text_add(out,
               ",\n    \"%s\": {\n      \"type\": \"object\",\n      \"required\": [\"type\"],\n"
               "      \"properties\": {\"type\": {\"enum\": [",
               s->item);
  for (int i = 0; i < s->ntype; i++)
    tni_text_add(out, "%s\"%s\"", i ? ", " : "", s->types[i]->name);
  tni_text_add(out, "]}},\n      \"allOf\": [");
  for (int i = 0; i < s->ntype; i++)
    tni_text_add(out,
                 "%s\n        {\"if\": {\"required\": [\"type\"], \"properties\": {\"type\": "
                 "{\"const\": \"%s\"}}}, \"then\": {\"$ref\": \"#/$defs/%s.%s\"}}",
                 i ? "," : "", s->types[i]->name, s->item, s->types[i]->name);
  tni_text_add(out, "\n      ]\n    }");
}

static void add_section(tni_text *out, const tni_section *s) {
  if (s->types) {
    for (int i = 0; i < s->ntype; i++) add_item(out, s, s->types[i]);
    add_type_choice(out, s);
  } else {
    add_item(out, s, NULL);
  }
  if (s->single) return; /* the item is the section */
  tni_text_add(out, ",\n    \"section.%s\": {\n      \"description\": ", s->name);
  add_string(out, s->summary);
  if (!s->list) {
    tni_text_add(out, ",\n      \"type\": \"object\",\n      \"additionalProperties\": {\"$ref\": "
                 "\"#/$defs/%s\"}\n    }", s->item);
    return;
  }
  tni_text_add(
      out,
      ",\n      \"anyOf\": [\n"
      "        {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}},\n"
      "        {\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/%s\",\n"
      "         \"not\": {\"required\": [\"name\"]}}}\n      ]\n    }",
      s->item, s->item);
}

/* values that several kinds are made of */
static const char *const definitions[][2] = {
    {"number", "\"type\": [\"number\", \"string\"]"},
    {"name", "\"type\": [\"string\", \"number\"]"},
    {"names",
     "\"anyOf\": [{\"$ref\": \"#/$defs/name\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
     "\"#/$defs/name\"}}]"},
    {"vector",
     "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, "
     "\"maxItems\": 3"},
    {"numbers3",
     "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 3, "
     "\"maxItems\": 3"},
    {"numbers4",
     "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 4, "
     "\"maxItems\": 4"},
    {"numbers6",
     "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 6, "
     "\"maxItems\": 6"},
    {"expressions3", "\"$ref\": \"#/$defs/vector\""},
    {"direction", "\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/vector\"}]"},
    {"point", "\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/vector\"}]"},
    {"table",
     "\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"array\", \"items\": "
     "{\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, \"maxItems\": 2}"},
    {"inertia",
     "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/numbers3\"}, "
     "{\"$ref\": \"#/$defs/numbers6\"}, {\"type\": \"array\", \"items\": {\"$ref\": "
     "\"#/$defs/numbers3\"}, \"minItems\": 3, \"maxItems\": 3}]"},
    {"matrix6",
     "\"anyOf\": [{\"$ref\": \"#/$defs/numbers6\"}, {\"type\": \"array\", \"items\": "
     "{\"$ref\": \"#/$defs/numbers6\"}, \"minItems\": 6, \"maxItems\": 6}]"},
    {"rotation",
     "\"anyOf\": [\n"
     "      {\"type\": \"object\", \"properties\": {\"quaternion\": {\"$ref\": "
     "\"#/$defs/numbers4\"}}, "
     "\"required\": [\"quaternion\"], \"additionalProperties\": false},\n"
     "      {\"type\": \"object\", \"properties\": {\"axis\": {\"$ref\": \"#/$defs/direction\"}, "
     "\"angle\": {\"$ref\": \"#/$defs/number\"}}, \"required\": [\"axis\", \"angle\"], "
     "\"additionalProperties\": false},\n"
     "      {\"type\": \"object\", \"properties\": {\"euler\": {\"$ref\": \"#/$defs/numbers3\"}, "
     "\"sequence\": {\"type\": \"string\", \"pattern\": \"^([xyz]{3}|[XYZ]{3})$\"}}, \"required\": "
     "[\"euler\"], \"additionalProperties\": false},\n"
     "      {\"type\": \"object\", \"properties\": {\"x\": {\"$ref\": \"#/$defs/direction\"}, "
     "\"y\": "
     "{\"$ref\": \"#/$defs/direction\"}, \"z\": {\"$ref\": \"#/$defs/direction\"}}, "
     "\"minProperties\": 2, \"maxProperties\": 2, \"additionalProperties\": false}]"},
    {"orientation",
     "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/rotation\"}, {\"type\": "
     "\"array\", \"items\": {\"$ref\": \"#/$defs/rotation\"}, \"minItems\": 1}]"},
    {"frame",
     "\"type\": \"object\", \"properties\": {\"at\": {\"$ref\": \"#/$defs/vector\"}, "
     "\"orientation\": {\"$ref\": \"#/$defs/orientation\"}}, \"additionalProperties\": false"},
    {"index",
     "\"anyOf\": [{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, "
     "\"minItems\": 2, \"maxItems\": 3}, {\"type\": \"object\", \"properties\": {\"in\": "
     "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}}}, \"required\": "
     "[\"in\"], \"additionalProperties\": false}]"},
    {"repeats",
     "\"anyOf\": [{\"$ref\": \"#/$defs/repeat\"}, {\"type\": \"array\", \"items\": "
     "{\"$ref\": \"#/$defs/repeat\"}}]"},
};

/* "bodies": {"$ref": ...} for every section */
static void add_section_refs(tni_text *out, const tni_schema *schema, const char *indent) {
  for (int i = 0; i < schema->nsection; i++) {
    const tni_section *s = &schema->section[i];
    tni_text_add(out, ",\n%s\"%s\": {\"$ref\": \"#/$defs/%s%s\"}", indent, s->name,
                 s->single ? "" : "section.", s->single ? s->item : s->name);
  }
}

static void add_document(tni_text *out, const tni_schema *schema) {
  static const char *const own[] = {"tenon", "params", "include", "repeat"};
  bool first = false;
  tni_text_add(
      out,
      "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
      "  \"title\": \"Tenon model\",\n  \"type\": \"object\",\n  \"properties\": {\n"
      "    \"tenon\": {\"description\": \"Version of the input language.\", \"const\": 1},\n"
      "    \"params\": {\"description\": \"Named numbers and constant expressions.\", "
      "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}},\n"
      "    \"include\": {\"description\": \"Files whose sections are added.\", \"$ref\": "
      "\"#/$defs/names\"},\n"
      "    \"repeat\": {\"description\": \"Sections that are read once per index.\", "
      "\"$ref\": \"#/$defs/repeats\"}");
  for (int i = 0; i < schema->ntop; i++) {
    bool known = false;
    for (int k = 0; k < TNI_COUNT(own); k++)
      known = known || strcmp(schema->top[i].name, own[k]) == 0;
    if (!known) add_property(out, &schema->top[i], "    ", &first);
  }
  add_section_refs(out, schema, "    ");
  tni_text_add(out, "\n  },\n  \"required\": [\"tenon\"");
  for (int i = 0; i < schema->ntop; i++)
    if ((schema->top[i].flags & TNI_REQUIRED) && strcmp(schema->top[i].name, "tenon") != 0)
      tni_text_add(out, ", \"%s\"", schema->top[i].name);
  tni_text_add(out, "],\n  \"additionalProperties\": false,\n  \"$defs\": {");
  for (int i = 0; i < TNI_COUNT(definitions); i++)
    tni_text_add(out, "%s\n    \"%s\": {%s}", i ? "," : "", definitions[i][0], definitions[i][1]);
  tni_text_add(out, ",\n    \"repeat\": {\n      \"type\": \"object\",\n      \"properties\": {\n"
               "        \"for\": {\"type\": \"object\", \"minProperties\": 1, "
               "\"additionalProperties\": {\"$ref\": \"#/$defs/index\"}},\n"
               "        \"repeat\": {\"$ref\": \"#/$defs/repeats\"}");
  add_section_refs(out, schema, "        ");
  tni_text_add(out, "\n      },\n      \"required\": [\"for\"],\n"
               "      \"additionalProperties\": false\n    }");
}

tn_status tni_input_json_schema(tn_ctx *ctx, const tni_schema *schema, tni_text *out) {
  tni_point_locale locale = tni_point_begin();
  add_document(out, schema);
  for (int i = 0; i < schema->nsection; i++) add_section(out, &schema->section[i]);
  tni_text_add(out, "\n  }\n}\n");
  tni_point_end(locale);
  return out->failed ? tni_out_of_memory(ctx) : TN_OK;
}
