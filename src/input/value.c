/* input/value.c - one node -> one value of the kind that its key asks for
 *
 * The kind decides how a scalar is read: as number (constant expression of parameters and loop
 * indices), as text (with {i} replaced), as expression kept for later, or as true/false. Shapes
 * and ranges are checked afterwards by tni_value_check, the same way for programs and files.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/expr.h"
#include "input/reader.h"

tni_point_locale tni_point_begin(void) {
  tni_point_locale p = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
  if (p.c) p.old = uselocale(p.c);
  return p;
}

void tni_point_end(tni_point_locale p) {
  if (!p.c) return;
  uselocale(p.old);
  freelocale(p.c);
}

typedef enum mode {
  AS_NUMBER,   /* every scalar is a number                                    */
  AS_TEXT,     /* every scalar is text                                        */
  AS_BOOL,
  AS_EXPR,
  AS_NAMED,    /* a scalar is a name or x, y, z; in lists numbers             */
  AS_ROTATION,
  AS_FRAME,    /* map of at, orientation                                      */
  AS_FRAMES,   /* map of frames                                               */
  AS_ANY       /* numbers and constant expressions, else text                 */
} mode;

static mode mode_of(tni_kind kind) {
  switch (kind) {
    case TNI_KIND_NUMBER:
    case TNI_KIND_INTEGER:
    case TNI_KIND_VEC3:
    case TNI_KIND_NUMBERS:
    case TNI_KIND_INERTIA:
    case TNI_KIND_MATRIX6:
    case TNI_KIND_POINTS:
    case TNI_KIND_POINTMAP:
    case TNI_KIND_TABLE:
    case TNI_KIND_NUMBERMAP: return AS_NUMBER;
    case TNI_KIND_BOOL: return AS_BOOL;
    case TNI_KIND_TEXT:
    case TNI_KIND_CHOICE:
    case TNI_KIND_BODY:
    case TNI_KIND_BODIES:
    case TNI_KIND_NAME:
    case TNI_KIND_NAMES: return AS_TEXT;
    case TNI_KIND_DIRECTION:
    case TNI_KIND_POINT: return AS_NAMED;
    case TNI_KIND_ROTATION: return AS_ROTATION;
    case TNI_KIND_FRAMEMAP: return AS_FRAMES;
    case TNI_KIND_EXPR:
    case TNI_KIND_EXPR3: return AS_EXPR;
    case TNI_KIND_ANY: return AS_ANY;
  }
  return AS_ANY;
}

static bool is_word(const char *text, const char *const *words) {
  for (; *words; words++) {
    const char *a = text, *b = *words;
    while (*a && tolower((unsigned char)*a) == *b) a++, b++;
    if (!*a && !*b) return true;
  }
  return false;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool tni_is_identifier(const char *name) {
  if (!is_letter(*name)) return false;
  for (; *name; name++)
    if (!is_letter(*name) && !is_digit(*name)) return false;
  return true;
}

/* digits with sign, point and exponent: what JSON and people call a number; no hex, no inf */
static bool plain_number(const char *text, double *out) {
  const char *s = text;
  int digits = 0;
  if (*s == '-' || *s == '+') s++;
  for (; is_digit(*s); s++) digits++;
  if (*s == '.') s++;
  for (; is_digit(*s); s++) digits++;
  if (!digits) return false;
  if (*s == 'e' || *s == 'E') {
    s++;
    if (*s == '-' || *s == '+') s++;
    if (!is_digit(*s)) return false;
    while (is_digit(*s)) s++;
  }
  if (*s) return false;
  *out = strtod(text, NULL);
  return true;
}

static bool not_finite_word(const char *text) {
  static const char *const words[] = {"nan",  ".nan",  "inf",       ".inf",      "-inf", "-.inf",
                                      "+inf", "+.inf", "infinity", "-infinity", NULL};
  return is_word(text, words);
}

/* ---- names in expressions ----------------------------------------------------------------- */

static const tni_index *find_index(const tni_reader *r, const char *name) {
  for (int i = r->nindex - 1; i >= 0; i--)
    if (strcmp(r->index[i].name, name) == 0) return &r->index[i];
  return NULL;
}

static bool known_constant(const tni_reader *r, const char *name, double *value) {
  const tni_index *index = find_index(r, name);
  const tni_param *param = tni_spec_param(r->spec, name);
  if (index && index->text) return false;
  if (!index && !param) return false;
  *value = index ? index->value : param->value;
  return true;
}

/* nearest parameter or index, for "did you mean" */
static const char *nearest_name(const tni_reader *r, const char *name) {
  enum { MANY = 256 };
  const char *names[MANY];
  int n = 0;
  for (int i = 0; i < r->nindex && n < MANY; i++) names[n++] = r->index[i].name;
  for (int i = 0; i < r->spec->nparam && n < MANY; i++) names[n++] = r->spec->param[i].name;
  int k = tni_nearest(name, names, n);
  return k < 0 ? NULL : names[k];
}

/* why a plain name is no constant */
static void explain_unknown(const tni_reader *r, const char *name, char *why, size_t nwhy) {
  const tni_index *index = find_index(r, name);
  const char *near = nearest_name(r, name);
  if (index)
    snprintf(why, nwhy, "this index is a word, not a number");
  else if (strcmp(name, "t") == 0)
    snprintf(why, nwhy, "the time is not known here; must be constant");
  else if (r->params && tni_yaml_entry(r->params, name))
    snprintf(why, nwhy, "defined later; a parameter may use only those above it");
  else if (near)
    snprintf(why, nwhy, "unknown parameter; did you mean '%.60s'?", near);
  else
    snprintf(why, nwhy, "unknown parameter");
}

static bool resolve_constant(void *user, const char *name, int nargs, const char *const *args,
                             tni_symbol *out, char *why, size_t nwhy) {
  const tni_reader *r = user;
  (void)args;
  out->is_constant = true;
  if (nargs < 0 && known_constant(r, name, &out->value)) return true;
  if (nargs < 0)
    explain_unknown(r, name, why, nwhy);
  else
    snprintf(why, nwhy, "no built-in function, and the value must be constant");
  return false;
}

/* later is early enough to know what a name means; only the grammar is checked now */
static bool resolve_anything(void *user, const char *name, int nargs, const char *const *args,
                             tni_symbol *out, char *why, size_t nwhy) {
  const tni_reader *r = user;
  (void)args;
  (void)why;
  (void)nwhy;
  out->is_constant = nargs < 0 && known_constant(r, name, &out->value);
  out->variable = 0;
  return true;
}

typedef struct question {
  const char *name;
  bool asked;
} question;

static bool resolve_question(void *user, const char *name, int nargs, const char *const *args,
                             tni_symbol *out, char *why, size_t nwhy) {
  question *q = user;
  (void)args;
  (void)out;
  (void)why;
  (void)nwhy;
  q->asked = q->asked || (nargs >= 0 && strcmp(name, q->name) == 0);
  return false;
}

tn_status tni_is_function(tni_reader *r, const char *name, bool *out) {
  /* the expression language asks the scope only about functions that are not its own */
  question q = {name, false};
  tni_scope scope = {&q, resolve_question};
  char call[TNI_MAX_NAME + 8];
  const tni_expr *e;
  snprintf(call, sizeof(call), "%.*s()", TNI_MAX_NAME, name);
  tn_status st = tni_expr_parse(&r->scratch, call, &scope, &e, NULL);
  *out = !q.asked;
  return st == TN_ERR_MEMORY ? st : TN_OK;
}

/* scratch memory is given back now and then, not after each of a million expressions */
static void forget_expressions(tni_reader *r) {
  if (++r->nscratch < 200) return;
  tni_arena_clear(&r->scratch);
  r->nscratch = 0;
}

static tn_status parse_expression(tni_reader *r, const char *text, int line, const tni_scope *scope,
                                  const tni_expr **out) {
  tni_expr_error err = {0};
  forget_expressions(r);
  tn_status st = tni_expr_parse(&r->scratch, text, scope, out, &err);
  if (st != TN_ERR_INPUT) return st;
  if (err.column < 1) return tni_reader_fail(r, line, "%s: %s", tni_show(text).s, err.text);
  return tni_reader_fail(r, line, "%s, column %d: %s", tni_show(text).s, err.column, err.text);
}

tn_status tni_read_number(tni_reader *r, const char *text, int line, double *out) {
  static const char *const booleans[] = {"true", "false", "yes", "no", "on", "off", NULL};
  *out = 0;
  if (!plain_number(text, out) && !known_constant(r, text, out)) {
    if (not_finite_word(text) || is_word(text, booleans) || !*text)
      return tni_reader_fail(r, line, "got %s, must be a finite number", tni_show(text).s);
    if (tni_is_identifier(text) && !tni_expr_is_reserved(text)) {
      char why[160];
      explain_unknown(r, text, why, sizeof(why));
      return tni_reader_fail(r, line, "got %s, must be a number: %s", tni_show(text).s, why);
    }
    const tni_scope scope = {r, resolve_constant};
    const tni_expr *e;
    TN_TRY(parse_expression(r, text, line, &scope, &e));
    *out = tni_expr_eval(e, NULL);
  }
  if (!isfinite(*out))
    return tni_reader_fail(r, line, "%s = %g, must be a finite number", tni_show(text).s, *out);
  return TN_OK;
}

/* ---- text --------------------------------------------------------------------------------- */

/* the shortest digits that give the same number back; whole numbers without a point */
static void print_shortest(char *out, size_t size, double x) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, size, "%.*g", digits, x);
    if (strtod(out, NULL) == x) break;
  }
}

/* the value of {inside} as text */
static tn_status print_braces(tni_reader *r, tni_text *buffer, const char *inside, int line) {
  const tni_index *index = find_index(r, inside);
  if (index && index->text) {
    tni_text_add(buffer, "%s", index->text);
    return TN_OK;
  }
  double value;
  char digits[40];
  TN_TRY(tni_read_number(r, inside, line, &value));
  print_shortest(digits, sizeof(digits), value == 0 ? 0 : value);
  tni_text_add(buffer, "%s", digits);
  return TN_OK;
}

static tn_status substitute(tni_reader *r, tni_text *buffer, const char *text, int line) {
  for (const char *s = text; *s;) {
    size_t plain = strcspn(s, "{}");
    if (plain) tni_text_add(buffer, "%.*s", (int)plain, s);
    s += plain;
    if (!*s) break;
    if (s[0] == s[1]) { /* {{ and }} */
      tni_text_add(buffer, "%c", *s);
      s += 2;
      continue;
    }
    const char *end = *s == '{' ? strchr(s, '}') : NULL;
    if (!end)
      return tni_reader_fail(r, line, "%s: '%c' without its partner; write %c%c for the character",
                             tni_show(text).s, *s, *s, *s);
    char inside[256];
    if (end - s > (int)sizeof(inside))
      return tni_reader_fail(r, line, "%s: more than %d characters in braces", tni_show(text).s,
                             (int)sizeof(inside));
    memcpy(inside, s + 1, (size_t)(end - s - 1));
    inside[end - s - 1] = 0;
    TN_TRY(print_braces(r, buffer, inside, line));
    s = end + 1;
  }
  return TN_OK;
}

/* move the buffer into the arena of the spec and free it */
static tn_status keep_text(tni_reader *r, tni_text *buffer, const char **out) {
  *out = buffer->failed ? NULL : tni_arena_strdup(&r->spec->arena, buffer->s ? buffer->s : "");
  tni_text_free(buffer);
  return *out ? TN_OK : tni_out_of_memory(r->ctx);
}

tn_status tni_read_text(tni_reader *r, const char *text, int line, const char **out) {
  *out = text;
  if (!strpbrk(text, "{}")) return TN_OK;
  tni_text buffer;
  tni_text_init(&buffer, r->ctx);
  tn_status st = substitute(r, &buffer, text, line);
  if (st != TN_OK) {
    tni_text_free(&buffer);
    return st;
  }
  return keep_text(r, &buffer, out);
}

/* length of the name with dots, or of the quoted text, that starts at s; else 0 */
static size_t token_length(const char *s) {
  size_t n = 0;
  if (*s == '"' || *s == '\'') {
    const char *end = strchr(s + 1, *s);
    return end ? (size_t)(end - s) + 1 : strlen(s);
  }
  if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) { /* 1e3 is no name */
    while (is_digit(s[n]) || s[n] == '.' || is_letter(s[n])) n++;
    return n;
  }
  if (!is_letter(*s)) return 0;
  while (is_letter(s[n]) || is_digit(s[n]) || (s[n] == '.' && is_letter(s[n+1]))) n++;
  return n;
}

/* loop indices inside an expression that is kept for later: i -> 3, but not in angle(rod.i) */
static tn_status replace_indices(tni_reader *r, const char *text, const char **out) {
  tni_text buffer;
  *out = text;
  if (!r->nindex) return TN_OK;
  tni_text_init(&buffer, r->ctx);
  for (const char *s = text; *s;) {
    char word[64], digits[40];
    size_t n = token_length(s);
    const tni_index *index = NULL;
    if (n && n < sizeof(word) && is_letter(*s)) {
      memcpy(word, s, n);
      word[n] = 0;
      index = find_index(r, word);
    }
    if (!n) n = 1;
    if (index && !index->text && s[strspn(s + n, " ") + n] != '(') {
      print_shortest(digits, sizeof(digits), index->value);
      tni_text_add(&buffer, index->value < 0 ? "(%s)" : "%s", digits);
    } else {
      tni_text_add(&buffer, "%.*s", (int)n, s);
    }
    s += n;
  }
  return keep_text(r, &buffer, out);
}

/* ---- scalars ------------------------------------------------------------------------------ */

static tn_status read_bool(tni_reader *r, const tni_yaml *node, tni_value *out) {
  static const char *const yes[] = {"yes", "on", "y", NULL}, *const no[] = {"no", "off", "n", NULL};
  bool is_true = strcmp(node->text, "true") == 0, is_false = strcmp(node->text, "false") == 0;
  out->form = TNI_NUMBER;
  out->number = is_true;
  out->text = node->text;
  if ((is_true || is_false) && !node->quoted) return TN_OK;
  const char *hint = "";
  if (is_word(node->text, yes)) hint = "; did you mean 'true'?";
  if (is_word(node->text, no)) hint = "; did you mean 'false'?";
  if (is_true || is_false) hint = " without quotes";
  return tni_reader_fail(r, node->line, "got %s, must be true or false%s", tni_show(node->text).s,
                         hint);
}

static tn_status read_expr(tni_reader *r, const tni_yaml *node, tni_value *out) {
  out->form = TNI_TEXT;
  TN_TRY(tni_read_text(r, node->text, node->line, &out->text));
  TN_TRY(replace_indices(r, out->text, &out->text));
  if (not_finite_word(out->text))
    return tni_reader_fail(r, node->line, "got %s, must be a finite number or an expression",
                           tni_show(out->text).s);
  if (plain_number(out->text, &out->number)) {
    out->form = TNI_NUMBER;
    return TN_OK;
  }
  const tni_scope scope = {r, resolve_anything};
  const tni_expr *e;
  return parse_expression(r, out->text, node->line, &scope, &e);
}

/* where anything goes, a constant expression is a number that keeps its text; the rest is text */
static tn_status try_number(tni_reader *r, tni_value *out) {
  const tni_scope scope = {r, resolve_constant};
  const tni_expr *e;
  forget_expressions(r);
  tn_status st = tni_expr_parse(&r->scratch, out->text, &scope, &e, NULL);
  if (st != TN_OK) return st == TN_ERR_INPUT ? TN_OK : st;
  double value = tni_expr_eval(e, NULL);
  if (!isfinite(value)) return TN_OK;
  out->form = TNI_NUMBER;
  out->number = value;
  return TN_OK;
}

static tn_status read_scalar(tni_reader *r, mode as, const tni_yaml *node, tni_value *out) {
  if (as == AS_BOOL) return read_bool(r, node, out);
  if (as == AS_EXPR) return read_expr(r, node, out);
  TN_TRY(tni_read_text(r, node->text, node->line, &out->text));
  out->form = TNI_TEXT;
  if (as == AS_NUMBER || as == AS_ROTATION || as == AS_FRAMES || as == AS_FRAME) {
    out->form = TNI_NUMBER;
    return tni_read_number(r, out->text, node->line, &out->number);
  }
  /* a point or direction is never a lone number: let the check say so */
  if (plain_number(out->text, &out->number)) {
    if ((as == AS_ANY || as == AS_NAMED) && !node->quoted) out->form = TNI_NUMBER;
    return TN_OK;
  }
  return as == AS_ANY ? try_number(r, out) : TN_OK;
}

/* how the entries of a list or map are read */
static mode entry_mode(mode as, const tni_yaml *node, int i) {
  static const char *const number[] = {"quaternion", "euler", "angle", NULL};
  static const char *const named[] = {"axis", "x", "y", "z", NULL};
  if (as == AS_NAMED) return AS_NUMBER;
  if (as == AS_FRAMES) return AS_FRAME;
  if (node->form == TNI_SEQUENCE && as == AS_ROTATION) return AS_ROTATION; /* composed */
  if (node->form == TNI_SEQUENCE) return as == AS_FRAME ? AS_ANY : as;
  if (as == AS_ROTATION && is_word(node->key[i], number)) return AS_NUMBER;
  if (as == AS_ROTATION && is_word(node->key[i], named)) return AS_NAMED;
  if (as == AS_FRAME && strcmp(node->key[i], "at") == 0) return AS_NUMBER;
  if (as == AS_FRAME && strcmp(node->key[i], "orientation") == 0) return AS_ROTATION;
  return as == AS_ROTATION || as == AS_FRAME ? AS_ANY : as;
}

static tn_status read_node(tni_reader *r, mode as, const tni_yaml *node, tni_value *out) {
  memset(out, 0, sizeof(*out));
  out->at = tni_reader_place(r, node->line);
  if (tni_yaml_is_null(node)) return tni_reader_fail(r, node->line, "has no value");
  if (node->form == TNI_SCALAR) return read_scalar(r, as, node, out);
  out->form = node->form == TNI_SEQUENCE ? TNI_LIST : TNI_MAP;
  out->n = node->n;
  TNI_ARENA_NEW(&r->spec->arena, out->item, node->n);
  if (out->form == TNI_MAP) TNI_ARENA_NEW(&r->spec->arena, out->key, node->n);
  for (int i = 0; i < node->n; i++) {
    if (out->form == TNI_MAP)
      TN_TRY(tni_read_text(r, node->key[i], node->keyline[i], &out->key[i]));
    TN_TRY(read_node(r, entry_mode(as, node, i), node->item[i], &out->item[i]));
  }
  return TN_OK;
}

/* planar models give forces as [fx, fy] */
static tn_status pad_expr3(tni_reader *r, tni_value *v) {
  if (v->form != TNI_LIST || v->n != 2) return TN_OK;
  tni_value *item;
  TNI_ARENA_NEW(&r->spec->arena, item, 3);
  memcpy(item, v->item, 2*sizeof(*item));
  item[2] = (tni_value){.at = v->at, .form = TNI_NUMBER, .text = "0"};
  v->item = item;
  v->n = 3;
  return TN_OK;
}

tn_status tni_read_value(tni_reader *r, tni_kind kind, const tni_yaml *node, tni_value *out) {
  TN_TRY(read_node(r, mode_of(kind), node, out));
  return kind == TNI_KIND_EXPR3 ? pad_expr3(r, out) : TN_OK;
}
