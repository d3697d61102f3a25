/* base/expr_parse.c - from text to expression
 *
 * Operator precedence by levels: parse_level(L) reads operators of level L and tighter. Names and
 * functions are in two tables; what is in neither goes to the scope of the caller.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/expr_graph.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEPTH = 200 }; /* of parentheses and prefix operators; bounds the C stack */

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_SIGN,
       LEVEL_POWER };

typedef struct {
  const char *text, *at;
  int depth;
  tni_graph graph;
  tni_arena *arena; /* tables live as long as the expression */
  const tni_scope *scope;
  bool failed;
  tni_expr_error error;
} parser;

typedef struct {
  const char *name;
  double value;
} named_constant;

static const named_constant constants[] = {
    {"pi", 3.14159265358979323846},
    {"tau", 6.28318530717958647693},
    {"deg", 0.01745329251994329577},
};

/* functions that are not one operation of the graph */
enum { CALL_STEP = 1000, CALL_STEP5, CALL_CLAMP, CALL_HEAVISIDE, CALL_POS, CALL_POLY, CALL_TABLE,
       CALL_SPLINE };

typedef struct {
  const char *name;
  int op;
  int least, most; /* arguments; most -1: any number */
  const char *usage;
} function;

static const function functions[] = {
    {"sin", OP_SIN, 1, 1, "sin(x)"},
    {"cos", OP_COS, 1, 1, "cos(x)"},
    {"tan", OP_TAN, 1, 1, "tan(x)"},
    {"asin", OP_ASIN, 1, 1, "asin(x)"},
    {"acos", OP_ACOS, 1, 1, "acos(x)"},
    {"atan", OP_ATAN, 1, 1, "atan(x)"},
    {"atan2", OP_ATAN2, 2, 2, "atan2(y, x)"},
    {"sinh", OP_SINH, 1, 1, "sinh(x)"},
    {"cosh", OP_COSH, 1, 1, "cosh(x)"},
    {"tanh", OP_TANH, 1, 1, "tanh(x)"},
    {"exp", OP_EXP, 1, 1, "exp(x)"},
    {"log", OP_LOG, 1, 1, "log(x)"},
    {"log10", OP_LOG10, 1, 1, "log10(x)"},
    {"sqrt", OP_SQRT, 1, 1, "sqrt(x)"},
    {"cbrt", OP_CBRT, 1, 1, "cbrt(x)"},
    {"abs", OP_ABS, 1, 1, "abs(x)"},
    {"sign", OP_SIGN, 1, 1, "sign(x)"},
    {"floor", OP_FLOOR, 1, 1, "floor(x)"},
    {"ceil", OP_CEIL, 1, 1, "ceil(x)"},
    {"min", OP_MIN, 1, -1, "min(a, b, ...)"},
    {"max", OP_MAX, 1, -1, "max(a, b, ...)"},
    {"mod", OP_MOD, 2, 2, "mod(a, b)"},
    {"hypot", OP_HYPOT, 2, 2, "hypot(a, b)"},
    {"if", OP_SELECT, 3, 3, "if(condition, a, b)"},
    {"step", CALL_STEP, 5, 5, "step(x, x0, y0, x1, y1)"},
    {"smoothstep5", CALL_STEP5, 5, 5, "smoothstep5(x, x0, y0, x1, y1)"},
    {"clamp", CALL_CLAMP, 3, 3, "clamp(x, low, high)"},
    {"heaviside", CALL_HEAVISIDE, 1, 1, "heaviside(x)"},
    {"pos", CALL_POS, 1, 1, "pos(x)"},
    {"poly", CALL_POLY, 2, -1, "poly(x, c0, c1, ...)"},
    {"table", CALL_TABLE, 5, -1, "table(x, x0, y0, x1, y1, ...)"},
    {"spline", CALL_SPLINE, 5, -1, "spline(x, x0, y0, x1, y1, ...)"},
};

static const char *const words[] = {"and", "or", "not", "if"};

/* growing list of nodes in the scratch memory of the graph */
typedef struct {
  int *item;
  int n, cap;
} list;

static int parse_level(parser *p, int level);
static int parse_nested(parser *p, int level);

/* ---- errors and characters ---------------------------------------------------------------- */

/* keep the first error, stop reading */
static int fail_at(parser *p, const char *at, const char *fmt, ...) TN_PRINTF(3, 4);
static int fail_at(parser *p, const char *at, const char *fmt, ...) {
  if (!p->failed) {
    p->failed = true;
    p->error.column = 1;
    for (const char *c = p->text; c < at; c++) /* bytes that continue a character do not count */
      if (((unsigned char)*c & 0xC0) != 0x80) p->error.column++;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(p->error.text, sizeof(p->error.text), fmt, ap);
    va_end(ap);
  }
  p->at = p->text + strlen(p->text);
  return 0;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static char peek(parser *p) {
  while (is_space(*p->at)) p->at++;
  return *p->at;
}

static bool accept(parser *p, char c) {
  if (peek(p) != c) return false;
  p->at++;
  return true;
}

/* length of the name at the place, 0 if there is none; dots join parts: rod.mass */
static int name_length(const char *at) {
  int n = 0;
  while (is_letter(at[n])) {
    while (is_letter(at[n]) || is_digit(at[n])) n++;
    if (at[n] != '.' || !is_letter(at[n+1])) break;
    n++;
  }
  return n;
}

static bool at_word(parser *p, const char *word) {
  int n = (int)strlen(word);
  peek(p);
  return name_length(p->at) == n && strncmp(p->at, word, (size_t)n) == 0;
}

/* no value or operator starts here: say what stands here instead */
static int fail_unexpected(parser *p, const char *wanted) {
  unsigned char c = (unsigned char)peek(p);
  if (p->failed) return 0;
  if (!c) return fail_at(p, p->at, "the expression ends where %s is expected", wanted);
  if (c >= 0x80)
    return fail_at(p, p->at, "a non-ASCII character; write - * / for operators, names in a-z");
  if (c < 0x20 || c == 0x7F)
    return fail_at(p, p->at, "a control character (code %d) where %s is expected", c, wanted);
  if (c == '=') return fail_at(p, p->at, "'=' where %s is expected; to compare write ==", wanted);
  if (c == '%') return fail_at(p, p->at, "'%%' is not an operator; write mod(a, b)");
  if (c == '&' || c == '|')
    return fail_at(p, p->at, "'%c' where %s is expected; write 'and' or 'or'", c, wanted);
  int n = name_length(p->at);
  if (n) return fail_at(p, p->at, "'%.*s' where %s is expected", n > 40 ? 40 : n, p->at, wanted);
  return fail_at(p, p->at, "'%c' where %s is expected", c, wanted);
}

/* ---- numbers and names -------------------------------------------------------------------- */

/* The decimal point is taken out before strtod sees the number: 1.25e3 is read as 125e1, which no
 * locale can misunderstand. */
static int parse_number(parser *p) {
  const char *from = p->at, *at = from;
  char digits[400];
  int n = 0, shift = 0, ndigit = 0, exponent = 0;
  bool point = false;
  for (; is_digit(*at) || (*at == '.' && !point); at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    ndigit++;
    shift -= point;
    if (n == 0 && *at == '0') continue; /* leading zeros carry nothing */
    if (n >= (int)sizeof(digits) - 32) return fail_at(p, from, "a number of too many digits");
    digits[n++] = *at;
  }
  if (!ndigit) return fail_at(p, from, "'.' where a value is expected; a number needs a digit");
  if ((*at == 'e' || *at == 'E') &&
      (is_digit(at[1]) || ((at[1] == '+' || at[1] == '-') && is_digit(at[2])))) {
    bool negative = *++at == '-';
    if (*at == '+' || *at == '-') at++;
    for (; is_digit(*at); at++)
      if (exponent < 100000) exponent = 10*exponent + (*at - '0');
    if (negative) exponent = -exponent;
  }
  if (is_letter(*at))
    return fail_at(p, at, "a letter right after a number; write %.*s*%c... to multiply",
                   at - from > 20 ? 20 : (int)(at - from), from, *at);
  if (*at == '.') return fail_at(p, at, "a second decimal point in a number");
  double value = 0;
  if (n > 0) {
    snprintf(digits + n, sizeof(digits) - (size_t)n, "e%d", exponent + shift);
    value = strtod(digits, NULL);
  }
  if (!isfinite(value)) return fail_at(p, from, "a number beyond %.3g", DBL_MAX);
  p->at = at;
  return tni_graph_constant(&p->graph, value);
}

static const function *find_function(const char *name) {
  for (int i = 0; i < TNI_COUNT(functions); i++)
    if (strcmp(functions[i].name, name) == 0) return &functions[i];
  return NULL;
}

/* "; did you mean 'sin'?" when a built-in name is near, else nothing */
static void suggest(const char *name, bool call, char *hint, size_t nhint) {
  const char *names[TNI_COUNT(functions) + TNI_COUNT(constants)];
  int n = 0;
  for (int i = 0; call && i < TNI_COUNT(functions); i++) names[n++] = functions[i].name;
  for (int i = 0; !call && i < TNI_COUNT(constants); i++) names[n++] = constants[i].name;
  int best = tni_nearest(name, names, n);
  hint[0] = 0;
  if (best >= 0) snprintf(hint, nhint, "; did you mean '%s'?", names[best]);
}

static int fail_unknown(parser *p, const char *at, const char *name, bool call, const char *why) {
  char hint[64];
  suggest(name, call, hint, sizeof(hint));
  if (why[0])
    return fail_at(p, at, "'%.40s': %.120s%s", name, why, strstr(why, "did you mean") ? "" : hint);
  const function *f = call ? NULL : find_function(name);
  if (f) return fail_at(p, at, "'%s' is a function; write %s", name, f->usage);
  return fail_at(p, at, "unknown %s '%.40s'%s", call ? "function" : "name", name, hint);
}

static int resolve(parser *p, const char *at, const char *name, int nargs,
                   const char *const *args) {
  tni_symbol symbol = {0};
  char why[160] = "";
  if (p->graph.status != TN_OK) return 0;
  if (!p->scope || !p->scope->resolve ||
      !p->scope->resolve(p->scope->user, name, nargs, args, &symbol, why, sizeof(why)))
    return fail_unknown(p, at, name, nargs >= 0, why);
  if (symbol.is_constant) return tni_graph_constant(&p->graph, symbol.value);
  return tni_graph_variable(&p->graph, symbol.variable);
}

static char *copy_text(parser *p, const char *from, int n) {
  char *copy = tni_arena_printf(&p->graph.work, "%.*s", n, from);
  if (!copy) {
    p->graph.status = tni_out_of_memory(p->arena->ctx);
    fail_at(p, from, "out of memory");
  }
  return copy;
}

/* one argument of a function of the scope; NULL: none stands here */
static const char *parse_name_argument(parser *p) {
  char quote = peek(p);
  if (quote == '"' || quote == '\'') {
    const char *from = p->at + 1, *to = strchr(from, quote);
    if (!to) return NULL;
    p->at = to + 1;
    return copy_text(p, from, (int)(to - from));
  }
  int n = name_length(p->at);
  if (!n) return NULL;
  const char *from = p->at;
  p->at += n;
  return copy_text(p, from, n);
}

/* angle(hinge): a function of the scope, after its parenthesis */
static int parse_foreign_call(parser *p, const char *at, const char *name) {
  const char **args = NULL;
  int n = 0, cap = 0;
  bool more = !accept(p, ')');
  while (more) {
    const char *arg = parse_name_argument(p);
    if (p->failed) return 0;
    char next = arg ? peek(p) : 0;
    if (next != ',' && next != ')') {
      char hint[64];
      suggest(name, true, hint, sizeof(hint));
      if (hint[0]) return fail_unknown(p, at, name, true, "");
      return fail_at(p, p->at,
                     "'%.40s' is no built-in function, so its arguments must be names or quoted "
                     "text, separated by commas",
                     name);
    }
    void *items = args;
    if (!tni_arena_grow(&p->graph.work, &items, n, &cap, sizeof(*args))) {
      p->graph.status = tni_out_of_memory(p->arena->ctx);
      return fail_at(p, at, "out of memory");
    }
    args = items;
    args[n++] = arg;
    p->at++;
    more = next == ',';
  }
  return resolve(p, at, name, n, args);
}

/* ---- built-in functions ------------------------------------------------------------------- */

static int binary(parser *p, int op, int x, int y) {
  return tni_graph_binary(&p->graph, op, x, y);
}
static int number(parser *p, double value) { return tni_graph_constant(&p->graph, value); }

static int clamp(parser *p, int x, int low, int high) {
  return binary(p, OP_MIN, binary(p, OP_MAX, x, low), high);
}

/* c0 + x (c1 + x (c2 + ...)); its derivative shares the inner sums */
static int horner(parser *p, int x, const int *c, int n) {
  int sum = c[n-1];
  for (int k = n - 2; k >= 0; k--) sum = binary(p, OP_ADD, c[k], binary(p, OP_MUL, x, sum));
  return sum;
}

/* y0 + (y1 - y0) h(s), s = (x - x0)/(x1 - x0) kept in [0, 1], with h = s^2 (3 - 2 s) or
 * h = s^3 (10 - 15 s + 6 s^2) */
static int build_step(parser *p, const char *at, const int *a, bool quintic) {
  const tni_node *x0 = &p->graph.node[a[1]], *x1 = &p->graph.node[a[3]];
  if (x0->op == OP_CONST && x1->op == OP_CONST && !(x0->value < x1->value))
    return fail_at(p, at, "a step from x0 = %g to x1 = %g; x0 must be less than x1", x0->value,
                   x1->value);
  int s = binary(p, OP_DIV, binary(p, OP_SUB, a[0], a[1]), binary(p, OP_SUB, a[3], a[1]));
  s = clamp(p, s, 0, number(p, 1));
  int h = binary(p, OP_MUL, s, s);
  if (quintic) {
    int c[3] = {number(p, 10), number(p, -15), number(p, 6)};
    h = binary(p, OP_MUL, binary(p, OP_MUL, h, s), horner(p, s, c, 3));
  } else {
    int c[2] = {number(p, 3), number(p, -2)};
    h = binary(p, OP_MUL, h, horner(p, s, c, 2));
  }
  return binary(p, OP_ADD, a[2], binary(p, OP_MUL, binary(p, OP_SUB, a[4], a[2]), h));
}

static int build_table(parser *p, const char *at, const function *f, const list *a) {
  if (a->n % 2 == 0)
    return fail_at(p, at, "%s: the last x has no y; write %s", f->name, f->usage);
  int n = (a->n - 1)/2;
  double *xy = tni_arena_alloc(&p->graph.work, 2*(size_t)n, sizeof(double));
  tn_status status = xy ? TN_OK : tni_out_of_memory(p->arena->ctx);
  for (int k = 0; status == TN_OK && k < 2*n; k++) {
    const tni_node *node = &p->graph.node[a->item[k+1]];
    if (node->op != OP_CONST)
      return fail_at(p, at, "%s: %c%d is not a constant; all points must be", f->name,
                     k % 2 ? 'y' : 'x', k/2);
    xy[k % 2*n + k/2] = node->value;
  }
  const tni_table *table = NULL;
  if (status == TN_OK)
    status = tni_table_create(p->arena, f->op == CALL_SPLINE ? TNI_TABLE_NATURAL : TNI_TABLE_LINEAR,
                              TNI_EXTEND_LINEAR, n, xy, xy + n, &table);
  if (status != TN_OK) {
    if (status != TN_ERR_INPUT) p->graph.status = status;
    return fail_at(p, at, "%s: %s", f->name, tn_ctx_message(p->arena->ctx));
  }
  return tni_graph_table(&p->graph, table, 0, a->item[0]);
}

static int build_call(parser *p, const char *at, const function *f, const list *args) {
  const int *a = args->item;
  int x = a[0];
  switch (f->op) {
    case OP_MIN:
    case OP_MAX:
      for (int k = 1; k < args->n; k++) x = binary(p, f->op, x, a[k]);
      return x;
    case OP_SELECT: return tni_graph_select(&p->graph, a[0], a[1], a[2]);
    case CALL_STEP:
    case CALL_STEP5: return build_step(p, at, a, f->op == CALL_STEP5);
    case CALL_CLAMP: return clamp(p, a[0], a[1], a[2]);
    case CALL_HEAVISIDE: return binary(p, OP_LE, 0, x);
    case CALL_POS: return binary(p, OP_MAX, x, 0);
    case CALL_POLY: return horner(p, x, a + 1, args->n - 1);
    case CALL_TABLE:
    case CALL_SPLINE: return build_table(p, at, f, args);
  }
  return f->most == 1 ? tni_graph_unary(&p->graph, f->op, x) : binary(p, f->op, x, a[1]);
}

/* a built-in function, after its parenthesis */
static int parse_call(parser *p, const char *at, const function *f) {
  list args = {0};
  bool more = !accept(p, ')');
  while (more) {
    int arg = parse_nested(p, LEVEL_OR);
    char next = peek(p);
    if (!p->failed && next != ',' && next != ')') fail_unexpected(p, "an operator, ',' or ')'");
    if (p->failed) return 0;
    void *items = args.item;
    if (!tni_arena_grow(&p->graph.work, &items, args.n, &args.cap, sizeof(int))) {
      p->graph.status = tni_out_of_memory(p->arena->ctx);
      return fail_at(p, at, "out of memory");
    }
    args.item = items;
    args.item[args.n++] = arg;
    p->at++;
    more = next == ',';
  }
  if (p->graph.status != TN_OK) return 0;
  if (args.n < f->least || (f->most >= 0 && args.n > f->most)) {
    int want = args.n < f->least ? f->least : f->most;
    return fail_at(p, at, "%s needs %s%d argument%s, got %d; write %s", f->name,
                   f->most < 0 ? "at least " : "", want, want == 1 ? "" : "s", args.n, f->usage);
  }
  return build_call(p, at, f, &args);
}

/* ---- grammar ------------------------------------------------------------------------------ */

static int parse_name(parser *p) {
  const char *at = p->at;
  int n = name_length(at);
  char *name = copy_text(p, at, n);
  if (!name) return 0;
  p->at += n;
  for (int i = 0; i < TNI_COUNT(constants); i++)
    if (strcmp(constants[i].name, name) == 0) return number(p, constants[i].value);
  if (!accept(p, '(')) return resolve(p, at, name, -1, NULL);
  const function *f = find_function(name);
  return f ? parse_call(p, at, f) : parse_foreign_call(p, at, name);
}

static int parse_value(parser *p) {
  char c = peek(p);
  if (is_digit(c) || c == '.') return parse_number(p);
  if (at_word(p, "and") || at_word(p, "or")) return fail_unexpected(p, "a value");
  if (is_letter(c)) return parse_name(p);
  if (c != '(') return fail_unexpected(p, "a value");
  const char *open = p->at++;
  int x = parse_nested(p, LEVEL_OR);
  if (p->failed || accept(p, ')')) return x;
  if (!*p->at) return fail_at(p, open, "this '(' is never closed");
  return fail_unexpected(p, "an operator or ')'");
}

/* value with the prefix operators that may stand at this level */
static int parse_prefixed(parser *p, int level) {
  char c = peek(p);
  if (c == '-' || c == '+') {
    p->at++;
    int x = parse_nested(p, LEVEL_SIGN);
    return c == '-' ? tni_graph_unary(&p->graph, OP_NEG, x) : x;
  }
  if (c == '!' || at_word(p, "not")) {
    if (level > LEVEL_NOT)
      return fail_at(p, p->at, "put 'not' and what it applies to in parentheses here");
    p->at += c == '!' ? 1 : 3;
    return tni_graph_unary(&p->graph, OP_NOT, parse_nested(p, LEVEL_NOT));
  }
  return parse_value(p);
}

typedef struct {
  const char *sign;
  int level, op;
  bool swap, negate; /* a > b is b < a; a != b is not a == b */
} binary_operator;

/* longer signs first where one begins another */
static const binary_operator operators[] = {
    {"or", LEVEL_OR, OP_OR, false, false},      {"||", LEVEL_OR, OP_OR, false, false},
    {"and", LEVEL_AND, OP_AND, false, false},   {"&&", LEVEL_AND, OP_AND, false, false},
    {"<=", LEVEL_COMPARE, OP_LE, false, false}, {">=", LEVEL_COMPARE, OP_LE, true, false},
    {"<", LEVEL_COMPARE, OP_LT, false, false},  {">", LEVEL_COMPARE, OP_LT, true, false},
    {"==", LEVEL_COMPARE, OP_EQ, false, false}, {"!=", LEVEL_COMPARE, OP_EQ, false, true},
    {"+", LEVEL_SUM, OP_ADD, false, false},     {"-", LEVEL_SUM, OP_SUB, false, false},
    {"**", LEVEL_POWER, OP_POW, false, false},  {"^", LEVEL_POWER, OP_POW, false, false},
    {"*", LEVEL_PRODUCT, OP_MUL, false, false}, {"/", LEVEL_PRODUCT, OP_DIV, false, false},
};

static const binary_operator *peek_operator(parser *p) {
  peek(p);
  for (int i = 0; i < TNI_COUNT(operators); i++) {
    const char *sign = operators[i].sign;
    bool here = is_letter(sign[0]) ? at_word(p, sign) : strncmp(p->at, sign, strlen(sign)) == 0;
    if (here) return &operators[i];
  }
  return NULL;
}

static int parse_level(parser *p, int level) {
  if (p->failed) return 0;
  int x = parse_prefixed(p, level);
  const binary_operator *o;
  bool compared = false;
  while (!p->failed && (o = peek_operator(p)) != NULL && o->level >= level) {
    if (o->level == LEVEL_COMPARE && compared) {
      fail_at(p, p->at, "comparisons do not chain; write a < b and b < c");
      break;
    }
    compared = o->level == LEVEL_COMPARE;
    p->at += strlen(o->sign);
    /* a power groups to the right and takes a sign: 2^-3^2 */
    int y = o->level == LEVEL_POWER ? parse_nested(p, LEVEL_SIGN) : parse_level(p, o->level + 1);
    x = o->swap ? binary(p, o->op, y, x) : binary(p, o->op, x, y);
    if (o->negate) x = tni_graph_unary(&p->graph, OP_NOT, x);
  }
  return x;
}

/* every way to nest without bound comes through here */
static int parse_nested(parser *p, int level) {
  if (p->depth >= MAX_DEPTH)
    return fail_at(p, p->at, "nested deeper than %d levels; simplify the expression", MAX_DEPTH);
  p->depth++;
  int x = parse_level(p, level);
  p->depth--;
  return x;
}

tn_status tni_expr_parse(tni_arena *arena, const char *text, const tni_scope *scope,
                         const tni_expr **out, tni_expr_error *err) {
  *out = NULL;
  parser p = {.text = text, .at = text, .arena = arena, .scope = scope};
  tni_graph_init(&p.graph, arena->ctx);
  tn_status status = p.graph.status;
  if (status == TN_OK) {
    int root = 0;
    if (peek(&p)) {
      root = parse_level(&p, LEVEL_OR);
      if (!p.failed && peek(&p) == ')') fail_at(&p, p.at, "this ')' closes nothing");
      if (!p.failed && *p.at) fail_unexpected(&p, "an operator");
    } else {
      fail_at(&p, text, "the expression is empty");
    }
    status = p.graph.status;
    if (status == TN_OK && p.failed)
      status = TN_FAIL(arena->ctx, TN_ERR_INPUT, "column %d: %s", p.error.column, p.error.text);
    if (status == TN_OK) status = tni_graph_finish(&p.graph, arena, root, out);
  }
  if (status == TN_ERR_INPUT && !p.failed)
    snprintf(p.error.text, sizeof(p.error.text), "%s", tn_ctx_message(arena->ctx));
  tni_graph_clear(&p.graph);
  if (err && status != TN_OK) *err = p.error;
  return status;
}

bool tni_expr_is_reserved(const char *name) {
  for (int i = 0; i < TNI_COUNT(constants); i++)
    if (strcmp(constants[i].name, name) == 0) return true;
  for (int i = 0; i < TNI_COUNT(words); i++)
    if (strcmp(words[i], name) == 0) return true;
  return false;
}
