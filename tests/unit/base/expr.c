/* expressions: values, derivatives, messages, hostile text
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/expr.h"
#include "support/check.h"

static tn_ctx *ctx;
static tni_arena arena;

/* x y z are variables 0 1 2, k is 3; angle(hinge) and distance(a.tip, "b c") are 3 and 4 */
static bool resolve(void *user, const char *name, int nargs, const char *const *args,
                    tni_symbol *out, char *why, size_t nwhy) {
  (void)user;
  if (nargs < 0 && strlen(name) == 1 && name[0] >= 'x' && name[0] <= 'z') {
    out->variable = name[0] - 'x';
    return true;
  }
  if (nargs < 0 && strcmp(name, "k") == 0) {
    out->is_constant = true;
    out->value = 3;
    return true;
  }
  if (nargs == 1 && strcmp(name, "angle") == 0) {
    out->variable = 3;
    if (strcmp(args[0], "hinge") == 0) return true;
    snprintf(why, nwhy, "no joint is called '%s'; did you mean 'hinge'?", args[0]);
    return false;
  }
  if (nargs == 2 && strcmp(name, "distance") == 0) {
    out->variable = 4;
    return strcmp(args[0], "a.tip") == 0 && strcmp(args[1], "b c") == 0;
  }
  return false;
}

static const tni_scope scope = {NULL, resolve};

static const tni_expr *parse(const char *text) {
  const tni_expr *e;
  tni_expr_error err;
  if (tni_expr_parse(&arena, text, &scope, &e, &err) != TN_OK) {
    printf("'%s', column %d: %s\n", text, err.column, err.text);
    exit(1);
  }
  return e;
}

static const tni_expr *derive(const tni_expr *e, int variable) {
  const tni_expr *d;
  CHECK_OK(ctx, tni_expr_derivative(&arena, e, variable, &d));
  return d;
}

static double value(const char *text) {
  double v = NAN;
  CHECK(tni_expr_is_constant(parse(text), &v));
  return v;
}

static void precedence_is_the_usual_one(void) {
  const struct {
    const char *text;
    double value;
  } table[] = {
      {"1 + 2*3", 7},        {"(1 + 2)*3", 9},       {"10 - 4 - 3", 3},     {"24/4/3", 2},
      {"-2^2", -4},          {"(-2)^2", 4},          {"2^3^2", 512},        {"2**3", 8},
      {"2^-1", 0.5},         {"2^-2^2", 0.0625},     {"-2^-2", -0.25},      {"2*-3", -6},
      {"2--3", 5},           {"- -3", 3},            {"+3", 3},             {"6/2*3", 9},
      {"1 < 2", 1},          {"2 <= 1", 0},          {"2 > 1 + 2", 0},      {"3 >= 3", 1},
      {"1 == 1", 1},         {"1 != 1", 0},          {"1 < 2 and 2 < 3", 1}, {"1 or 0 and 0", 1},
      {"(1 or 0) and 0", 0}, {"not 1 == 2", 1},      {"!0", 1},             {"not 0 and 0", 0},
      {"1 && 0 || 1", 1},    {"not not 5", 1},       {"if(2 > 1, 10, 20)", 10},
      {"if(0, 10, 20)", 20}, {"1e-3", 0.001},        {".5", 0.5},           {"5.", 5},
      {"1E+2", 100},         {"0.1", 0.1},           {"123456789.123456789", 123456789.123456789},
      {"1e22", 1e22},        {"4.9e-324", 4.9e-324},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"k^2", 9},            {"2*k", 6},             {"tau/pi", 2},         {"180*deg - pi", 0},
      {"0^0", 1},            {"\t1\n+\r1 ", 2},      {"1e0*2", 2},          {"00012", 12},
  };
  for (int i = 0; i < TNI_COUNT(table); i++)
    if (!CHECK_NEAR(value(table[i].text), table[i].value, 0)) printf("  in %s\n", table[i].text);
  CHECK(isinf(value("1/0")) && isnan(value("0/0")) && isnan(value("sqrt(-1)")));
}

static void functions_match_their_definition(void) {
  CHECK_NEAR(value("atan2(1, -1)"), atan2(1, -1), 0);
  CHECK_NEAR(value("mod(-1, 3)"), 2, 0);
  CHECK_NEAR(value("mod(1, -3)"), -2, 0);
  CHECK_NEAR(value("mod(7.5, 2)"), 1.5, 0);
  CHECK_NEAR(value("min(3, 1, 2)"), 1, 0);
  CHECK_NEAR(value("max(3, 1, 2)"), 3, 0);
  CHECK_NEAR(value("max(4)"), 4, 0);
  CHECK_NEAR(value("clamp(5, 0, 2)"), 2, 0);
  CHECK_NEAR(value("clamp(-5, 0, 2)"), 0, 0);
  CHECK_NEAR(value("heaviside(0)"), 1, 0);
  CHECK_NEAR(value("heaviside(-1e-300)"), 0, 0);
  CHECK_NEAR(value("pos(-2) + pos(3)"), 3, 0);
  CHECK_NEAR(value("sign(-3) + sign(0)"), -1, 0);
  CHECK_NEAR(value("hypot(3, 4)"), 5, 0);
  CHECK_NEAR(value("cbrt(-8)"), -2, 1e-15);
  CHECK_NEAR(value("poly(2, 1, 2, 3)"), 17, 0);
  CHECK_NEAR(value("step(0.25, 0, 0, 1, 1)"), 0.15625, 1e-15); /* 3/16 - 2/64 */
  CHECK_NEAR(value("step(-1, 0, 5, 1, 7)"), 5, 0);
  CHECK_NEAR(value("step(9, 0, 5, 1, 7)"), 7, 0);
  CHECK_NEAR(value("smoothstep5(1.5, 1, 2, 2, 4)"), 3, 1e-15);
  CHECK_NEAR(value("smoothstep5(0.25, 0, 0, 1, 1)"), 10/64. - 15/256. + 6/1024., 1e-15);
  CHECK_NEAR(value("table(2, 0,0, 1,1, 3,5)"), 3, 1e-15);
  CHECK_NEAR(value("table(4, 0,0, 1,1, 3,5)"), 7, 1e-15);
  CHECK_NEAR(value("table(-1, 0,0, 1,1, 3,5)"), -1, 1e-15);
  /* natural spline through (0,0) (1,1) (2,0): slopes 3/2, 0, -3/2; y(1/2) = 11/16 */
  CHECK_NEAR(value("spline(0.5, 0,0, 1,1, 2,0)"), 0.6875, 1e-15);
  CHECK(isnan(value("max(0/0, 1)")) && isnan(value("min(1, 0/0)")));
}

static void names_go_to_the_scope(void) {
  double v[5] = {1, 2, 3, 40, 500};
  CHECK_NEAR(tni_expr_eval(parse("x + y + z + angle(hinge) + distance(a.tip, 'b c')"), v), 546, 0);
  CHECK_NEAR(tni_expr_eval(parse("distance( a.tip , \"b c\" )"), v), 500, 0);
  const tni_expr *e = parse("z*x");
  CHECK_INT(tni_expr_max_variable(e), 2);
  CHECK(tni_expr_uses(e, 0) && !tni_expr_uses(e, 1) && tni_expr_uses(e, 2));
  CHECK(!tni_expr_is_constant(e, NULL));
  CHECK_INT(tni_expr_max_variable(parse("3*k")), -1);
  CHECK(tni_expr_is_reserved("pi") && tni_expr_is_reserved("not") && !tni_expr_is_reserved("e"));
  CHECK_OK(ctx, tni_expr_constant(&arena, 2.5, &e));
  CHECK_NEAR(tni_expr_eval(e, NULL), 2.5, 0);
  CHECK_OK(ctx, tni_expr_variable(&arena, 1, &e));
  CHECK_NEAR(tni_expr_eval(e, v), 2, 0);
}

/* ---- random expressions with their own evaluation ------------------------------------------- */

typedef struct {
  char text[4096];
  int n;
  uint64_t seed;
  double x[3];
  double margin;     /* distance of the point from the nearest kink met, in function values */
  uint64_t branches; /* which side of each kink was taken */
} maker;

static void put(maker *m, const char *text) {
  m->n += snprintf(m->text + m->n, sizeof(m->text) - (size_t)m->n, "%s", text);
}
static int pick(maker *m, int n) { return (int)(0.5*(1 + check_random(&m->seed))*n) % n; }
static void near(maker *m, double distance) {
  if (fabs(distance) < m->margin) m->margin = fabs(distance);
  m->branches = 31*m->branches + (distance > 0);
}
static void near_integer(maker *m, double x) {
  near(m, x - round(x));
  m->branches = 31*m->branches + (uint64_t)(int64_t)floor(x);
}

static double make(maker *m, int depth);

static double make_unary(maker *m, int depth) {
  static const char *const names[] = {"sin", "cos", "tanh", "atan", "exp(0.1*", "sqrt(1.1 + abs",
                                      "log(2 + abs", "cbrt(3 + ", "sinh(0.1*", "cosh(0.1*",
                                      "abs", "asin(0.9*sin", "acos(0.8*cos", "tan(0.3*sin",
                                      "log10(2 + abs", "floor", "pos", "-", "sign", "ceil"};
  int k = pick(m, TNI_COUNT(names));
  put(m, names[k]);
  put(m, "(");
  double x = make(m, depth - 1);
  put(m, strchr(names[k], '(') ? "))" : ")");
  switch (k) {
    case 0: return sin(x);
    case 1: return cos(x);
    case 2: return tanh(x);
    case 3: return atan(x);
    case 4: return exp(0.1*x);
    case 5: near(m, x); return sqrt(1.1 + fabs(x));
    case 6: near(m, x); return log(2 + fabs(x));
    case 7: near(m, 3 + x); return cbrt(3 + x);
    case 8: return sinh(0.1*x);
    case 9: return cosh(0.1*x);
    case 10: near(m, x); return fabs(x);
    case 11: return asin(0.9*sin(x));
    case 12: return acos(0.8*cos(x));
    case 13: return tan(0.3*sin(x));
    case 14: near(m, x); return log10(2 + fabs(x));
    case 15: near_integer(m, x); return floor(x);
    case 16: near(m, x); return x > 0 ? x : 0;
    case 17: return -x;
    case 18: near(m, x); return (x > 0) - (x < 0);
    default: near_integer(m, x); return ceil(x);
  }
}

static double make_binary(maker *m, int depth) {
  static const char *const format[][3] = {
      {"(", " + ", ")"},          {"(", " - ", ")"},          {"(", "*", ")"},
      {"(", "/(1.5 + sin(", ")))"}, {"(1.2 + sin(", "))^cos(", ")"}, {"min(", ", ", ")"},
      {"max(", ", ", ")"},        {"hypot(", ", 1 + abs(", "))"}, {"atan2(", ", 3 + cos(", "))"},
      {"if(", " < 0.3, ", ", 7)"}, {"((", ")^3 - (", "))"},    {"(", ")*(", ")^2"},
      {"step(", ", -1, 2, 1.5, 3)*(", ")"}, {"smoothstep5(", ", -1, 2, 1.5, -3)*(", ")"},
      {"poly(", ", 1, -2, 0.5, ", ")"}, {"mod(", ", 2 + cos(", "))"}};
  int k = pick(m, TNI_COUNT(format));
  put(m, format[k][0]);
  double a = make(m, depth - 1);
  put(m, format[k][1]);
  double b = make(m, depth - 1), s;
  put(m, format[k][2]);
  switch (k) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a*b;
    case 3: return a/(1.5 + sin(b));
    case 4: return pow(1.2 + sin(a), cos(b));
    case 5: near(m, a - b); return fmin(a, b);
    case 6: near(m, a - b); return fmax(a, b);
    case 7: near(m, b); return hypot(a, 1 + fabs(b));
    case 8: return atan2(a, 3 + cos(b));
    case 9: near(m, a - 0.3); return a < 0.3 ? b : 7;
    case 10: return a*a*a - b;
    case 11: return a*(b*b);
    case 12:
      near(m, a + 1), near(m, a - 1.5);
      s = fmin(fmax((a + 1)/2.5, 0), 1);
      return (2 + s*s*(3 - 2*s))*b;
    case 13:
      near(m, a + 1), near(m, a - 1.5);
      s = fmin(fmax((a + 1)/2.5, 0), 1);
      return (2 - 5*s*s*s*(10 - 15*s + 6*s*s))*b;
    case 14: return 1 - 2*a + 0.5*a*a + b*a*a*a;
    default: {
      double y = 2 + cos(b), q = a/y;
      near_integer(m, q);
      return a - y*floor(q);
    }
  }
}

static double make(maker *m, int depth) {
  char text[32];
  if (depth <= 0 || m->n > 3000) {
    int k = pick(m, 5);
    if (k < 3) {
      snprintf(text, sizeof(text), "%c", "xyz"[k]);
      put(m, text);
      return m->x[k];
    }
    double c = round(100*check_random(&m->seed))/32;
    snprintf(text, sizeof(text), c < 0 ? "(%.6f)" : "%.6f", c);
    put(m, text);
    return c;
  }
  return pick(m, 2) ? make_unary(m, depth) : make_binary(m, depth);
}

/* expression number n, its value at m->x */
static double make_number(maker *m, int n, int depth) {
  m->seed = 1000 + (uint64_t)n;
  m->n = 0, m->margin = 1, m->branches = 0;
  for (int i = 0; i < 20; i++) check_random(&m->seed); /* near seeds start alike */
  return make(m, depth);
}

/* text written next to its value in C: both agree to rounding */
static void random_expressions_have_the_value_of_libm(void) {
  uint64_t seed = 5;
  for (int n = 0; n < 1000; n++) {
    maker m;
    for (int i = 0; i < 3; i++) m.x[i] = 2*check_random(&seed);
    double want = make_number(&m, n, 1 + n % 6);
    if (m.margin < 1e-9 || !(fabs(want) < 1e8)) continue;
    if (!CHECK_NEAR(tni_expr_eval(parse(m.text), m.x), want, 1e-11)) printf("  in %s\n", m.text);
    tni_arena_clear(&arena);
  }
}

/* does a kink lie within h of the point along coordinate i */
static bool kink_near(maker *m, int n, int depth, int i, double h) {
  uint64_t here = m->branches;
  double x0 = m->x[i];
  bool kink = false;
  for (int k = -4; k <= 4; k++) {
    m->x[i] = x0 + 0.25*k*h;
    make_number(m, n, depth);
    kink = kink || m->branches != here;
  }
  m->x[i] = x0;
  make_number(m, n, depth);
  return kink;
}

/* Fourth-order difference with two step sizes: their distance estimates its own error. */
static double difference(const tni_expr *e, double *x, int i, double h) {
  double x0 = x[i], f[4];
  const double at[4] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; k++) {
    x[i] = x0 + at[k]*h;
    f[k] = tni_expr_eval(e, x);
  }
  x[i] = x0;
  return (f[0] - f[3] + 8*(f[2] - f[1]))/(12*h);
}

static int check_derivative(const tni_expr *e, const tni_expr *d, double *x, int i, double tol,
                            const char *text) {
  double coarse = difference(e, x, i, 2e-3), fine = difference(e, x, i, 1e-3);
  double got = tni_expr_eval(d, x);
  if (!(fabs(coarse - fine) < 0.1*tol*(1 + fabs(fine)))) return 0; /* too wild to be judged */
  if (!CHECK_WITHIN(got, fine, tol)) printf("  in %s\n", text);
  return 1;
}

static void derivatives_match_differences(void) {
  int first = 0, second = 0, tried = 0;
  uint64_t seed = 6;
  for (int n = 5000; n < 6000; n++) {
    maker m;
    int depth = 1 + n % 4;
    for (int i = 0; i < 3; i++) m.x[i] = 2*check_random(&seed);
    double want = make_number(&m, n, depth);
    if (!(fabs(want) < 1e4)) continue;
    const tni_expr *e = parse(m.text);
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3;
      const tni_expr *d = derive(e, i), *dd = derive(d, j);
      if (!tni_expr_uses(e, i)) CHECK(tni_expr_is_constant(d, NULL));
      if (kink_near(&m, n, depth, i, 0.01) || kink_near(&m, n, depth, j, 0.01)) continue;
      tried++;
      first += check_derivative(e, d, m.x, i, 1e-7, m.text);
      second += check_derivative(d, dd, m.x, j, 1e-7, m.text);
    }
    tni_arena_clear(&arena);
  }
  /* the filters must not have thrown the test away */
  CHECK(tried > 2000 && first > 0.9*tried && second > 0.9*tried);
}

static double second(const char *text, double t) {
  return tni_expr_eval(derive(derive(parse(text), 0), 0), &t);
}

static void second_derivatives_match_closed_forms(void) {
  for (double t = 0.1; t < 1; t += 0.17) {
    CHECK_NEAR(second("sin(3*x)", t), -9*sin(3*t), 1e-14);
    CHECK_NEAR(second("exp(-x)*x^2", t), exp(-t)*(t*t - 4*t + 2), 1e-14);
    CHECK_NEAR(second("x^2.5", t), 3.75*sqrt(t), 1e-14);
    CHECK_NEAR(second("x^x", t), pow(t, t)*((1 + log(t))*(1 + log(t)) + 1/t), 1e-13);
    CHECK_NEAR(second("1/x", t), 2/(t*t*t), 1e-14);
    CHECK_NEAR(second("step(x, 0, 1, 2, 5)", t), 4*(6 - 6*t)/4, 1e-13);
    CHECK_NEAR(second("smoothstep5(x, 0, 0, 1, 1)", t), 60*t - 180*t*t + 120*t*t*t, 1e-13);
    CHECK_NEAR(second("poly(x, 1, 1, 2, 3, 4)", t), 4 + 18*t + 48*t*t, 1e-14);
    CHECK_NEAR(second("spline(x, 0,0, 1,1, 2,0)", t), -3*t, 1e-14);
    CHECK_NEAR(second("table(x, 0,0, 1,1, 2,0)", t), 0, 0);
    CHECK_NEAR(second("atan2(x, 1)", t), -2*t/((1 + t*t)*(1 + t*t)), 1e-14);
    CHECK_NEAR(second("2^x", t), log(2)*log(2)*pow(2, t), 1e-14);
    CHECK_NEAR(second("abs(-x)*x", t), 2, 1e-14);
  }
  double zero = 0;
  CHECK_NEAR(tni_expr_eval(derive(parse("x^2.5"), 0), &zero), 0, 0);
  CHECK_NEAR(tni_expr_eval(derive(parse("x^(2 + x)"), 0), &zero), 0, 0);
}

static void trivial_derivatives_fold_to_constants(void) {
  double v;
  CHECK(tni_expr_is_constant(derive(parse("3*x + 2*y + sin(z)"), 0), &v) && v == 3);
  CHECK(tni_expr_is_constant(derive(derive(parse("4*x*y"), 0), 1), &v) && v == 4);
  CHECK(tni_expr_is_constant(derive(derive(parse("x^2*5"), 0), 0), &v) && v == 10);
  CHECK(tni_expr_is_constant(derive(parse("if(x > 0, y, y)"), 0), &v) && v == 0);
  CHECK(tni_expr_is_constant(derive(parse("floor(x) + (x < y)"), 0), &v) && v == 0);
}

/* product of 60 factors: first derivative linear in size, second too */
static void derivatives_stay_small_by_sharing(void) {
  tni_text t;
  tni_text_init(&t, ctx);
  for (int i = 0; i < 60; i++) tni_text_add(&t, "%ssin(%d*x/40)", i ? "*" : "", i + 1);
  const tni_expr *d = derive(derive(parse(t.s), 0), 0);
  double x = 1.3, want = 0, product = 1, s1 = 0, s2 = 0;
  for (int i = 1; i <= 60; i++) {
    double a = i/40.;
    product *= sin(a*x);
    s1 += a/tan(a*x);
    s2 -= a*a/(sin(a*x)*sin(a*x));
  }
  want = product*(s1*s1 + s2);
  CHECK_NEAR(tni_expr_eval(d, &x)/want, 1, 1e-11);
  tni_text_free(&t);
}

/* ---- messages and hostile text -------------------------------------------------------------- */

static void refused(const char *text, int column, const char *message) {
  const tni_expr *e;
  tni_expr_error err = {0};
  CHECK(tni_expr_parse(&arena, text, &scope, &e, &err) == TN_ERR_INPUT);
  CHECK(e == NULL);
  if (!CHECK_INT(err.column, column) | !CHECK_TEXT(err.text, message)) printf("  in %s\n", text);
}

static void errors_name_place_and_cause(void) {
  refused("", 1, "the expression is empty");
  refused("  ", 1, "the expression is empty");
  refused("1 +", 4, "the expression ends where a value is expected");
  refused("sine(x)", 1, "unknown function 'sine'; did you mean 'sin'?");
  refused("2*sine(x*2)", 3, "unknown function 'sine'; did you mean 'sin'?");
  refused("x + speed", 5, "unknown name 'speed'");
  refused("2*p", 3, "unknown name 'p'; did you mean 'pi'?");
  refused("sin + 1", 1, "'sin' is a function; write sin(x)");
  refused("angle(hnge)", 1, "'angle': no joint is called 'hnge'; did you mean 'hinge'?");
  refused("wobble(x + 1)", 10,
          "'wobble' is no built-in function, so its arguments must be names or quoted text, "
          "separated by commas");
  refused("wobble()", 1, "unknown function 'wobble'");
  refused("step(x, 0, 1)", 1, "step needs 5 arguments, got 3; write step(x, x0, y0, x1, y1)");
  refused("1 + sin()", 5, "sin needs 1 argument, got 0; write sin(x)");
  static const char *const of_one[] = {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign"};
  for (int i = 0; i < TNI_COUNT(of_one); i++) {
    char none[20], two[20], why[80];
    snprintf(none, sizeof(none), "%s()", of_one[i]);
    snprintf(two, sizeof(two), "%s(x, 1)", of_one[i]);
    for (int n = 0; n < 3; n += 2) {
      snprintf(why, sizeof(why), "%s needs 1 argument, got %d; write %s(x)", of_one[i], n, of_one[i]);
      refused(n ? two : none, 1, why);
    }
  }
  refused("poly(x)", 1, "poly needs at least 2 arguments, got 1; write poly(x, c0, c1, ...)");
  refused("atan2(1)", 1, "atan2 needs 2 arguments, got 1; write atan2(y, x)");
  refused("(x + 1", 1, "this '(' is never closed");
  refused("x + 1)", 6, "this ')' closes nothing");
  refused("2x", 2, "a letter right after a number; write 2*x... to multiply");
  refused("0x10", 2, "a letter right after a number; write 0*x... to multiply");
  refused("1.2.3", 4, "a second decimal point in a number");
  refused(".", 1, "'.' where a value is expected; a number needs a digit");
  refused("1e999", 1, "a number beyond 1.8e+308");
  refused("x y", 3, "'y' where an operator is expected");
  refused("x = 2", 3, "'=' where an operator is expected; to compare write ==");
  refused("x & y", 3, "'&' where an operator is expected; write 'and' or 'or'");
  refused("x % 2", 3, "'%' is not an operator; write mod(a, b)");
  refused("x < y < z", 7, "comparisons do not chain; write a < b and b < c");
  refused("1 + not x", 5, "put 'not' and what it applies to in parentheses here");
  refused("sin(x", 6, "the expression ends where an operator, ',' or ')' is expected");
  refused("max(x,,y)", 7, "',' where a value is expected");
  refused("x \xe2\x88\x92 1", 3, "a non-ASCII character; write - * / for operators, names in a-z");
  refused("'\xc3\xa9'", 1, "''' where a value is expected");
  refused("x \x01", 3, "a control character (code 1) where an operator is expected");
  refused("step(x, 1, 0, 1, 2)", 1, "a step from x0 = 1 to x1 = 1; x0 must be less than x1");
  refused("table(x, 0, 1, 0, 2)", 1,
          "table: x of the table must increase, but point 2 has 0 after 0");
  refused("table(x, 0, 1, y, 2)", 1, "table: x1 is not a constant; all points must be");
  refused("table(x, 0, 1, 2, 3, 4)", 1,
          "table: the last x has no y; write table(x, x0, y0, x1, y1, ...)");
  refused("and", 1, "'and' where a value is expected");
  refused("distance(a, 'b", 13,
          "'distance' is no built-in function, so its arguments must be names or quoted text, "
          "separated by commas");
  CHECK(tn_ctx_message(ctx)[0] == 'c'); /* the context says "column 13: ..." */
  const tni_expr *e;
  CHECK(tni_expr_parse(&arena, "x", NULL, &e, NULL) == TN_ERR_INPUT);
}

static const char *repeat(const char *part, int n, const char *last, const char *close) {
  tni_text t;
  tni_text_init(&t, ctx);
  for (int i = 0; i < n; i++) tni_text_add(&t, "%s", part);
  tni_text_add(&t, "%s", last);
  for (int i = 0; i < n; i++) tni_text_add(&t, "%s", close);
  const char *copy = tni_arena_strdup(&arena, t.s);
  tni_text_free(&t);
  return copy;
}

static void hostile_text_is_refused_or_survived(void) {
  const char *deep = "nested deeper than 200 levels; simplify the expression";
  refused(repeat("(", 100000, "1", ")"), 202, deep);
  refused(repeat("-", 100000, "1", ""), 202, deep);
  refused(repeat("not ", 100000, "1", ""), 804, deep);
  refused(repeat("2^", 100000, "1", ""), 403, deep);
  refused(repeat("sin(", 100000, "1", ")"), 805, deep);
  refused(repeat("if(x<", 1000, "1", ""), 1004, deep);
  refused(repeat("(", 150, "1", ""), 150, "this '(' is never closed");
  double x[3] = {0.5, 0.25, 2};
  CHECK_NEAR(value(repeat("(", 200, "7", ")")), 7, 0);
  CHECK_NEAR(tni_expr_eval(parse(repeat("x*z + ", 3000, "1", "")), x), 3001, 1e-12);
  const tni_expr *e = parse(repeat("sin(", 199, "x", ")"));
  double want = x[0], slope = 1;
  for (int i = 0; i < 199; i++) {
    slope *= cos(want);
    want = sin(want);
  }
  CHECK_NEAR(tni_expr_eval(e, x), want, 1e-14);
  CHECK_NEAR(tni_expr_eval(derive(e, 0), x), slope, 1e-12);
  /* right-nested sums keep many values alive */
  e = parse(repeat("x*sin(y)+cos(z)*(", 190, "x", ")"));
  CHECK(isfinite(tni_expr_eval(derive(derive(derive(e, 0), 1), 2), x)));
  refused(repeat("x*1.5+sin(", 20000, "1", ""), 2011, deep);
  tni_expr_error err;
  char *chain = tni_arena_alloc(&arena, 1200001, 1); /* x+1+2+3... */
  int n = snprintf(chain, 10, "x");
  for (int i = 0; i < 110000; i++) n += snprintf(chain + n, 12, "^x*%d", i % 99 + 2);
  CHECK(tni_expr_parse(&arena, chain, &scope, &e, &err) == TN_ERR_INPUT);
  CHECK_TEXT(err.text, "the expression needs more than 50000 operations; split it or use a table");
  tni_arena_clear(&arena);
}

/* random bytes, and random strings of valid tokens, which reach deeper */
static void noise_never_crashes(void) {
  static const char *const tokens[] = {"x", "y", "1", ".5", "1e3", "+", "-", "*", "/", "^", "**",
                                       "(", "(", ")", ")", ",", "<", "==", "!", "and", "or", "not",
                                       "sin(", "if(", "step(", "table(", "spline(", "poly(", "pi",
                                       "angle(hinge)", "min(", "mod(", " ", "'", "\"", "."};
  uint64_t seed = 4711;
  int good = 0;
  double v[5] = {0.3, -0.2, 1.5, 2, 3};
  for (int n = 0; n < 30000; n++) {
    char text[200];
    int len = 0, want = 1 + (int)((n % 2 ? 30 : 6)*fabs(check_random(&seed)));
    for (int i = 0; i < want && len < 180; i++) {
      if (n % 3 == 0) {
        text[len++] = (char)(1 + (int)(254*fabs(check_random(&seed))));
      } else {
        int k = (int)(TNI_COUNT(tokens)*fabs(check_random(&seed)));
        len += snprintf(text + len, 20, "%s", tokens[k]);
      }
    }
    text[len] = 0;
    const tni_expr *e, *d;
    tni_expr_error err;
    tn_status st = tni_expr_parse(&arena, text, &scope, &e, &err);
    if (st == TN_OK) {
      good++;
      tni_expr_eval(e, v);
      CHECK_OK(ctx, tni_expr_derivative(&arena, e, 0, &d));
      tni_expr_eval(d, v);
    } else {
      if (!(st == TN_ERR_INPUT && err.column >= 1 && err.column <= len + 1 && err.text[0]))
        CHECK(!"every refusal has a place and a text");
    }
    tni_arena_clear(&arena);
  }
  CHECK(good > 500);
}

typedef struct {
  int left;
} ration;
static void *ration_alloc(void *user, size_t bytes) {
  ration *r = user;
  return r->left-- > 0 ? malloc(bytes) : NULL;
}
static void ration_release(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

/* failing allocations end in a status, never in a crash or a leak */
static void lack_of_memory_is_a_status(void) {
  const char *text = "if(x > 1, step(x, 0, 1, 2, 3), spline(y, 0,0, 1,1, 2,5))"
                     " + distance(a.tip, 'b c')";
  bool succeeded = false;
  for (int n = 1; n < 40 && !succeeded; n++) {
    ration r = {n};
    tn_ctx_opts o = {.alloc = ration_alloc, .release = ration_release, .user = &r};
    tn_ctx *poor;
    CHECK(tn_ctx_create(&o, &poor) == TN_OK);
    tni_arena a;
    tni_arena_init(&a, poor);
    const tni_expr *e, *d = NULL;
    tn_status st = tni_expr_parse(&a, text, &scope, &e, NULL);
    if (st == TN_OK) st = tni_expr_derivative(&a, e, 0, &d);
    CHECK(st == TN_OK || st == TN_ERR_MEMORY);
    succeeded = st == TN_OK;
    tni_arena_clear(&a);
    tn_ctx_destroy(&poor);
  }
  CHECK(succeeded);
}

static void the_same_text_gives_the_same_bits_without_allocation(void) {
  const char *text = "sin(x)^2.5*y + z/(x + y) + table(x*y, 0,0, 1,2, 2,1)";
  const tni_expr *a = derive(parse(text), 0), *b = derive(parse(text), 0);
  double v[3] = {0.7, 1.1, -0.4};
  size_t before = tn_ctx_allocations(ctx);
  double va = tni_expr_eval(a, v), vb = tni_expr_eval(b, v);
  CHECK(memcmp(&va, &vb, sizeof(va)) == 0);
  CHECK(tn_ctx_allocations(ctx) == before);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  tni_arena_init(&arena, ctx);
  RUN(precedence_is_the_usual_one);
  RUN(functions_match_their_definition);
  RUN(names_go_to_the_scope);
  RUN(random_expressions_have_the_value_of_libm);
  RUN(derivatives_match_differences);
  RUN(second_derivatives_match_closed_forms);
  RUN(trivial_derivatives_fold_to_constants);
  RUN(derivatives_stay_small_by_sharing);
  RUN(errors_name_place_and_cause);
  RUN(hostile_text_is_refused_or_survived);
  RUN(noise_never_crashes);
  RUN(lack_of_memory_is_a_status);
  RUN(the_same_text_gives_the_same_bits_without_allocation);
  tni_arena_clear(&arena);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
