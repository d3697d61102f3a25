/* kinks of expressions of time, pulses that samples miss: against closed forms and dense samples
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/kinks.h"

#include "support/check.h"

static tn_ctx *ctx;
static tni_arena arena;
static uint64_t seed = 7;

static bool resolve(void *user, const char *name, int nargs, const char *const *args, tni_symbol *out, char *why, size_t nwhy) {
  (void)user, (void)args, (void)why, (void)nwhy;
  if (nargs >= 0 || (strcmp(name, "t") != 0 && strcmp(name, "x") != 0)) return false;
  out->variable = name[0] == 't' ? 0 : 1;
  return true;
}

static const tni_scope scope = {NULL, resolve};

static tni_kinks *kinks_of(const char *text, const tni_expr **e) {
  tni_kinks *k;
  tni_expr_error err;
  if (tni_expr_parse(&arena, text, &scope, e, &err) != TN_OK) {
    printf("'%s', column %d: %s\n", text, err.column, err.text);
    exit(1);
  }
  CHECK_OK(ctx, tni_kinks_create(&arena, *e, 0, NULL, &k));
  return k;
}

/* all kinks in (from, to] are the n given ones */
static void check_kinks(const char *text, double from, double to, int n, const double *want) {
  const tni_expr *e;
  tni_kinks *k = kinks_of(text, &e);
  double before, after, t = from;
  tni_kinks_span(k, from, to);
  for (int i = 0; i < n; i++) {
    bool found = tni_kinks_next(k, t, to, &before, &after);
    CHECK(found);
    if (!found) {
      printf("  %s: kink %d at %.15g not found\n", text, i, want[i]);
      return;
    }
    CHECK(before < after && after - before <= 2e-14*fmax(fabs(after), 1e-3));
    CHECK_WITHIN(0.5*(before + after), want[i], 1e-13*fmax(fabs(want[i]), 1));
    t = after;
  }
  if (tni_kinks_next(k, t, to, &before, &after)) {
    printf("  %s: one more at %.15g\n", text, after);
    CHECK(false);
  }
}

static void kinks_are_where_they_are(void) {
  static const struct {
    const char *text;
    double from, to;
    int n;
    double at[8];
  } c[] = {
      {"if(t > 5 and t < 5.001, 1000, 0)", 0, 10, 2, {5, 5.001}},
      {"heaviside(t - 1/3)", 0, 1, 1, {1.0/3}},
      {"step(t, 0.1, 0, 0.1000001, 1)", 0, 100, 2, {0.1, 0.1000001}},
      {"smoothstep5(t, 7, 0, 9, 2)*sin(t)", 0, 10, 2, {7, 9}},
      {"floor(3*t)", 0.1, 1.5, 4, {1.0/3, 2.0/3, 1, 4.0/3}},
      {"mod(t, 0.25)", 0.1, 0.8, 3, {0.25, 0.5, 0.75}},
      {"max(0, sin(t))", 0.1, 7, 2, {3.14159265358979324, 6.28318530717958648}},
      {"abs(t*t - 2)", 0, 10, 1, {1.41421356237309515}},
      {"clamp(2*t, 1, 3)", 0, 10, 2, {0.5, 1.5}},
      {"table(t, 0, 0, 2, 0, 2.0005, 1, 2.001, 0, 9, 0)", 0, 10, 4, {2, 2.0005, 2.001, 9}},
      {"spline(t, 0, 0, 2, 0, 3, 1)", 0, 10, 0, {0}},
      {"sign(exp(-t) - 0.5)", 0, 10, 1, {0.693147180559945309}},
      {"if(x > 0, max(t - 4, 0), 0)", 0, 10, 1, {4}},
      {"max(x, t)*abs(x)", 0, 10, 0, {0}},
      {"sin(1000*t)/(1 + t^2)", 0, 10, 0, {0}},
      {"pos(t - 1e-9)", 0, 1, 1, {1e-9}},
      {"heaviside(t + 3)", -10, 10, 1, {-3}},
  };
  for (int i = 0; i < TNI_COUNT(c); i++) check_kinks(c[i].text, c[i].from, c[i].to, c[i].n, c[i].at);
}

/* values just before and behind a jump are those of its two sides */
static void jumps_have_their_sides(void) {
  for (int i = 0; i < 400; i++) {
    const tni_expr *e;
    char text[200];
    double at = 10*check_random(&seed), before, after;
    snprintf(text, sizeof(text), i % 2 ? "if(t > %.17g, 1, 0)" : "if(3*t >= 3*%.17g, 1, 0)", at);
    tni_kinks *k = kinks_of(text, &e);
    CHECK(tni_kinks_next(k, -11, 11, &before, &after));
    CHECK(tni_expr_eval(e, &before) == 0 && tni_expr_eval(e, &after) == 1);
    CHECK(!tni_kinks_next(k, after, 11, &before, &after));
  }
}

/* random sums of pulses: whatever samples at ten thousand places see, is announced */
static void no_sample_sees_more_than_is_announced(void) {
  for (int round = 0; round < 60; round++) {
    enum { PULSES = 5, SAMPLES = 10000 };
    char text[800];
    int n = 0;
    for (int i = 0; i < PULSES; i++) {
      double c = 5*(1 + check_random(&seed)), w = pow(10, -2*(1 + check_random(&seed)));
      static const char *const form[] = {"%sif(t > %.9g and t < %.9g + %.9g, 1, 0)", "%sstep(t, %.9g, 0, %.9g + %.9g, 1)",
                                         "%sabs(sin(%.9g*t) - 0*(%.9g + %.9g))", "%smin(t - %.9g, (t - %.9g)*%.9g)"};
      n += snprintf(text + n, sizeof(text) - (size_t)n, form[(round + i) % 4], i ? " + " : "", c, c, w);
    }
    const tni_expr *e;
    tni_kinks *k = kinks_of(text, &e);
    double t = 0, before, after, slope = 0;
    int pieces = 0, bends = 0;
    while (tni_kinks_next(k, t, 10, &before, &after) && pieces < 1000) t = after, pieces++;
    CHECK(pieces > 0 && pieces < 1000);
    /* second differences between kinks stay those of smooth functions */
    t = 0;
    bool more = tni_kinks_next(k, 0, 10, &before, &after);
    for (int i = 1; i < SAMPLES - 1; i++) {
      double x = 10.0*i/SAMPLES, h = 10.0/SAMPLES, a = x - h, b = x + h;
      while (more && after <= a) more = tni_kinks_next(k, after, 10, &before, &after);
      if (more && before < b) continue;
      double ya = tni_expr_eval(e, &a), y = tni_expr_eval(e, &x), yb = tni_expr_eval(e, &b);
      slope = fmax(slope, fabs(yb - ya));
      bends += fabs(ya - 2*y + yb) > 2000*h*h;
    }
    CHECK(bends == 0 || strstr(text, "step")); /* transitions may be as short as the samples */
  }
}

/* a random function of time: what stands inside of something that bends must be enclosed, whatever it is made of */
static void draw(char *out, size_t n, int depth) {
  static const char *const leaf[] = {"%.3g*t + %.3g", "sin(%.3g*t + %.3g)", "cos(%.3g*t - %.3g)", "%.3g*t*t - %.3g", "%.3g/(t + %.3g)"};
  static const char *const of_one[] = {
      "exp(0.1*(%s))", "tanh(%s)", "cosh(0.3*(%s))", "sinh(0.2*(%s))", "atan(%s)", "cbrt(%s)", "abs(%s)", "log(0.5 + abs(%s))", "log10(3 + cos(%s))",
      "sqrt(1 + (%s)^2)", "(%s)^3", "(%s)^2", "-(%s)", "1/(2 + sin(%s))", "asin(0.9*sin(%s))", "acos(0.9*cos(%s))", "tan(sin(%s))", "sign(%s)",
      "floor(%s)", "ceil(%s)", "mod(%s, 0.7)", "mod(%s, -1.3)", "(1.5 + sin(%s))^1.7", "(1.5 + cos(%s))^(-2)",
      "table(%s, -2, 1, 0, 3, 1, -1, 4, 2)", "spline(%s, -3, 1, 0, 3, 1, -1, 5, 2)"};
  static const char *const of_two[] = {"(%s) + (%s)", "(%s) - (%s)", "(%s)*(%s)", "(%s)/(2.5 + cos(%s))", "min(%s, %s)", "max(%s, %s)", "hypot(%s, %s)",
                                       "atan2(%s, 1.5 + sin(%s))", "if((%s) > 0.3, %s, t)", "if((%s) > 0 and t > 5, 1, %s)",
                                       "if((%s) <= 0 or (%s) < 1, t, 2)", "(1.2 + sin(%s))^(1 + 0.5*cos(%s))"};
  char a[400], b[400];
  if (depth == 0) {
    double x = 1.5 + check_random(&seed), y = 2 + check_random(&seed);
    snprintf(out, n, leaf[(int)(2.5*(1 + check_random(&seed)))], x, y);
    return;
  }
  draw(a, sizeof(a), depth - 1), draw(b, sizeof(b), depth - 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  int k = (int)(0.5*(TNI_COUNT(of_one) + TNI_COUNT(of_two))*(1 + check_random(&seed)));
  if (k < (int)TNI_COUNT(of_one)) snprintf(out, n, of_one[k], a);
  else snprintf(out, n, of_two[k - (int)TNI_COUNT(of_one)], a, b);
#pragma GCC diagnostic pop
}

/* f crosses its value at a time drawn: abs(f - value) bends there, and that is found */
static void what_bends_inside_of_anything_is_found(void) {
  int crossings = 0;
  for (int round = 0; round < 800; round++) {
    char inner[900], text[1000];
    const tni_expr *f, *e;
    tni_expr_error err;
    draw(inner, sizeof(inner), 1 + round % 2);
    if (strlen(inner) > 400) continue;
    CHECK_OK(ctx, tni_expr_parse(&arena, inner, &scope, &f, &err));
    double at = 5 + 4.9*check_random(&seed), a = at - 1e-6, b = at + 1e-6, before, after, t = 0;
    double value = tni_expr_eval(f, &at), fa = tni_expr_eval(f, &a) - value, fb = tni_expr_eval(f, &b) - value;
    /* flat there, or it bends itself */
    if (!(fa*fb < 0) || fabs(fb + fa) > 0.01*fabs(fb - fa) || fabs(fb - fa) < 1e-8*(1 + fabs(value))) continue;
    snprintf(text, sizeof(text), "abs(%s - (%.17g))", inner, value);
    tni_kinks *k = kinks_of(text, &e);
    tni_kinks_span(k, 0, 10);
    bool found = false;
    for (int i = 0; i < 2000 && !found && tni_kinks_next(k, t, 10, &before, &after) && before < at + 1e-9; i++)
      found = before > at - 1e-9, t = after;
    if (!CHECK(found)) printf("  %s bends at %.15g\n", text, at);
    crossings++;
  }
  CHECK(crossings > 350);
}

/* functions of what moves: has one of their branches changed? */
static void changes_of_branches_are_seen(void) {
  const tni_expr *e;
  tni_expr_error err;
  tni_branches *b;
  CHECK_OK(ctx, tni_expr_parse(&arena, "abs(x - 1) + sin(t) + abs(t)", &scope, &e, &err));
  CHECK_OK(ctx, tni_branches_create(&arena, e, 0, &b));
  for (int pattern = 0; pattern < 4; pattern++) {
    for (int k = 0; k < 2; k++) {
      double vars[2] = {k - 1.5, pattern >> k & 1 ? 2 : 0};
      tni_branches_look(b, vars, k);
    }
    CHECK_INT(tni_branches_differ(b), pattern == 1 || pattern == 2);
  }
  CHECK_OK(ctx, tni_expr_parse(&arena, "x*x + abs(t)", &scope, &e, &err));
  CHECK_OK(ctx, tni_branches_create(&arena, e, 0, &b));
  CHECK(b == NULL);
}

/* Along a path of x and y past the origin, at a distance of 0 where s is `place`: the distance is the length of a vector there. */
static void pulses_are_seen_along_paths(void) {
  static const char *const text[] = {"exp(-(x/0.01)^2)", "1/(1 + (x/0.01)^2)", "tanh((x - 0.1)/0.01) - tanh((x + 0.1)/0.01)", "if(x < 0.01, 3, 0)",
                                     "0.1*x + 5", "exp(-x)", "x^2 - 3*x"};
  enum { HIDDEN = 3, ZONE = 3 };
  for (int k = 0; k < TNI_COUNT(text); k++)
    for (int n = 0; n < 200; n++) {
      const tni_expr *e;
      tni_expr_error err;
      tni_kinks *q;
      tni_path path[2] = {{.n = 1}, {.n = 3}};
      double place = 0.1 + 0.8*fabs(check_random(&seed)), speed = 2 + 2*fabs(check_random(&seed)), at = -1, before, after, turn = check_random(&seed);
      for (int c = 0; c < 3; c++) {
        double y[TNI_PATH_STATES];
        for (int i = 0; i < TNI_PATH_STATES; i++) {
          double s = i/4.0, along = speed*(s - place)*(1 + 0.3*s);
          y[i] = c == 0 ? along*cos(turn) : c == 1 ? along*sin(turn) : 0;
        }
        tni_path_through(&path[1], c, y);
      }
      double y[TNI_PATH_STATES] = {0, 0.25, 0.5, 0.75, 1};
      tni_path_through(&path[0], 0, y);
      CHECK_WITHIN(tni_path_at(&path[1], 0.37), fabs(speed*(0.37 - place)*(1 + 0.3*0.37)), 1e-13);
      CHECK_OK(ctx, tni_expr_parse(&arena, text[k], &scope, &e, &err));
      CHECK_OK(ctx, tni_kinks_create_along(&arena, e, path, &q));
      CHECK((q == NULL) == (k == 4 || k == 6));
      if (!q) continue;
      bool hidden = tni_kinks_hides(q, 0, 1, 0, &at);
      if (k != ZONE && !CHECK(hidden == (k < HIDDEN) && (!hidden || fabs(at - place) < (k == 1 ? 0.2 : k == 2 ? 0.07 : 0.02)))) printf("  %s: %g for %g\n", text[k], at, place);
      if (k != ZONE) continue;
      for (int side = 0; side < 2; side++) {
        CHECK(tni_kinks_next(q, side ? after : 0, 1, &before, &after));
        CHECK_WITHIN(speed*(after - place)*(1 + 0.3*after), side ? 0.01 : -0.01, 1e-12);
      }
      CHECK(!tni_kinks_next(q, after, 1, &before, &after));
    }
}

static void pulses_are_seen_and_waves_are_none(void) {
  static const struct {
    const char *text;
    double a, b;
    bool hidden, bulges;
  } c[] = {
      {"exp(-((t - 5.0371)/1e-3)^2)", 1, 10, true, false},
      {"exp(-((t - 5.0371)/1e-5)^2)", 1, 10, true, false},
      {"exp(-((t - 5.5)/1e-3)^2)", 1, 10, true, false}, /* at a sample */
      {"1/(1 + ((t - 5.0371)/1e-4)^2)", 1, 10, true, false},
      {"exp(-((t - 5.0371)/1e-3)^2)", 5.035, 5.039, false, true},
      {"exp(-((t - 5.0371)/0.1)^2)", 2.2, 2.4, false, false}, /* nothing but its tail */
      {"5 + tanh((t - 3)/1e-3)", 1, 10, false, true}, /* goes, and does not come back: the ends differ */
      {"sin(3*t)", 1, 2, false, true},
      {"sin(1000*t)", 1, 2, false, true}, /* a wave, not a pulse */
      {"t^4", 0, 1, false, false},
      {"exp(t)", 0, 10, false, true},
      {"sin(t) + if(x > 0, 1, 0)", 0, 1, false, false},
      {"7", 0, 1, false, false},
  };
  for (int i = 0; i < TNI_COUNT(c); i++) {
    const tni_expr *e;
    double at;
    tni_kinks *k = kinks_of(c[i].text, &e);
    if (!k) {
      CHECK(!c[i].hidden);
      continue;
    }
    tni_kinks_span(k, 0, 10);
    /* who sees the ends alone misses waves and bends as well */
    bool hidden = tni_kinks_hides(k, c[i].a, c[i].b, 0, &at), by_ends = tni_kinks_hides(k, c[i].a, c[i].b, 2, &at);
CHECK(by_ends == (c[i].hidden || c[i].bulges));
    if (hidden != c[i].hidden) printf("  %s in [%g, %g]\n", c[i].text, c[i].a, c[i].b);
    CHECK(hidden == c[i].hidden);
    if (hidden) CHECK(at > c[i].a && at < c[i].b);
  }
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  tni_arena_init(&arena, ctx);
  RUN(kinks_are_where_they_are);
  RUN(jumps_have_their_sides);
  RUN(no_sample_sees_more_than_is_announced);
  RUN(what_bends_inside_of_anything_is_found);
  RUN(changes_of_branches_are_seen);
  RUN(pulses_are_seen_along_paths);
  RUN(pulses_are_seen_and_waves_are_none);
  tni_arena_clear(&arena);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
