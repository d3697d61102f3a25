/* Many values of parameters: closed forms, one row per case whatever happens to it, same bits on any number of threads
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <unistd.h>

#include "base/base.h"
#include "support/loaded.h"

#include <complex.h> /* its I would be a macro in the headers above */

static char path[256]; /* of the model of the present test */

static void write_model(const char *text) {
  FILE *f = fopen(path, "w");
  CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static const char oscillator[] =
    "tenon: 1\n"
    "params: {k: 100, c: 0, m: 1}\n"
    "bodies: {b: {mass: m, inertia: [1, 1, 1], at: [2, 0, 0]}}\n"
    "joints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
    "forces: {f: {type: spring, bodies: [ground, b], at1: [-10, 0, 0], at2: [0, 0, 0], stiffness: k, damping: c, free_length: 10}}\n"
    "sensors: {x: {type: expression, value: 'x(b)', unit: m}}\n"
    "analysis: {until: 2, tolerance: 1e-9}\n"
    "output: {every: 0.01}\n";

static tn_sweep *sweep(tn_ctx *ctx, const tn_sweep_param *param, int nparam, bool paired) {
  tn_sweep_opts o = {.param = param, .nparam = nparam, .paired = paired};
  tn_sweep *s;
  CHECK_OK(ctx, tn_sweep_file(ctx, path, &o, &s));
  return s;
}

static int column(const tn_sweep *s, const char *name) {
  for (int k = 0; k < tn_sweep_ncolumn(s); k++)
    if (strcmp(tn_sweep_column_name(s, k), name) == 0) return k;
  CHECK(!"a column of that name");
  return 0;
}

/* x = 2 cos(w t): every combination in its place, the last parameter fastest; values at the end, least and largest at stored times */
static void cases_are_all_combinations_in_order(void) {
  tn_ctx *ctx;
  const double k[] = {4, 25, 81}, m[] = {1, 2};
  const tn_sweep_param param[] = {{"k", k, 3}, {"m", m, 2}};
  write_model(oscillator);
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tn_sweep *s = sweep(ctx, param, 2, false);
  CHECK_INT(tn_sweep_ncase(s), 6);
  int end = column(s, "x end"), least = column(s, "x min"), most = column(s, "x max");
  CHECK(strcmp(tn_sweep_column_unit(s, end), "m") == 0 && strcmp(tn_sweep_column_name(s, 0), "k") == 0);
  for (int i = 0; i < 6; i++) {
    CHECK(tn_sweep_value(s, i, 0) == k[i/2] && tn_sweep_value(s, i, 1) == m[i%2]);
    double w = sqrt(k[i/2]/m[i%2]), lowest = 2;
    for (int r = 0; r <= 200; r++) lowest = fmin(lowest, 2*cos(w*0.01*r));
    CHECK_WITHIN(tn_sweep_value(s, i, end), 2*cos(2*w), 1e-7);
    CHECK_WITHIN(tn_sweep_value(s, i, least), lowest, 1e-7);
    CHECK_WITHIN(tn_sweep_value(s, i, most), 2, 1e-7);
    CHECK(tn_sweep_get_case(s, i)->sound && tn_sweep_get_case(s, i)->steps > 0);
  }
  CHECK(tn_sweep_get_case(s, 6) == NULL && isnan(tn_sweep_value(s, 0, tn_sweep_ncolumn(s))));
  tn_sweep_destroy(&s);
  const tn_sweep_param pair[] = {{"k", k, 2}, {"m", m, 2}};
  s = sweep(ctx, pair, 2, true);
  CHECK_INT(tn_sweep_ncase(s), 2);
  CHECK(tn_sweep_value(s, 1, 0) == 25 && tn_sweep_value(s, 1, 1) == 2);
  tn_sweep_destroy(&s);
  tn_ctx_destroy(&ctx);
}

static void threads_change_no_bit(void) {
  double k[40];
  char *csv[3];
  tn_ctx *ctx[3];
  for (int i = 0; i < 40; i++) k[i] = 1 + i;
  const tn_sweep_param param = {"k", k, 40};
  write_model(oscillator);
  for (int n = 0; n < 3; n++) {
    tn_ctx_opts o = {.threads = n + 1};
    CHECK_OK(NULL, tn_ctx_create(&o, &ctx[n]));
    tn_sweep *s = sweep(ctx[n], &param, 1, false);
    CHECK_OK(ctx[n], tn_sweep_csv(s, &csv[n]));
    tn_sweep_destroy(&s);
  }
  /* numbers in front of the outcome; times of the clock come after it */
  for (int n = 1; n < 3; n++) {
    const char *a = csv[0], *b = csv[n];
    for (int row = 0; row <= 40; row++) {
      const char *end = strstr(a, row ? ",complete" : ",outcome");
      CHECK(end && strncmp(a, b, (size_t)(end - a)) == 0);
      a = strchr(end, '\n') + 1;
      b = strchr(b, '\n') + 1;
    }
    CHECK(*a == 0 && *b == 0);
  }
  for (int n = 0; n < 3; n++) {
    tn_text_free(ctx[n], &csv[n]);
    tn_ctx_destroy(&ctx[n]);
  }
}

/* a mass of nothing is refused, a step too coarse is doubtful or fails; both are rows, and the rest runs */
static void a_case_that_fails_is_a_row(void) {
  tn_ctx *ctx;
  const double m[] = {1, 0, 2};
  const tn_sweep_param param = {"m", m, 3};
  write_model(oscillator);
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tn_sweep *s = sweep(ctx, &param, 1, false);
  const tn_sweep_case *bad = tn_sweep_get_case(s, 1);
  CHECK(tn_sweep_get_case(s, 0)->sound && tn_sweep_get_case(s, 2)->sound);
  CHECK(bad->status == TN_ERR_INPUT && !bad->ran && !bad->sound && strstr(bad->why, "mass") && strcmp(bad->outcome, "refused") == 0);
  CHECK(isnan(tn_sweep_value(s, 1, column(s, "x end"))) && tn_sweep_value(s, 1, 0) == 0);
  tn_sweep_destroy(&s);
  /* energy put in without bound: stopped by its own audit, with its reason */
  const double c[] = {1, -1000};
  const tn_sweep_param damping = {"g", c, 2};
  write_model("tenon: 1\nparams: {g: 1}\n"
              "bodies: {b: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
              "joints: {s: {type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
              "forces: {f: {type: force, body: b, force: ['-g*vx(b)', 0, 0]}}\nanalysis: {until: 2}\n");
  s = sweep(ctx, &damping, 1, false);
  bad = tn_sweep_get_case(s, 1);
  CHECK(tn_sweep_get_case(s, 0)->sound && bad->ran && !bad->sound && bad->status != TN_OK && bad->why[0]);
  tn_sweep_destroy(&s);
  tn_ctx_destroy(&ctx);
}

/* cases with different sensors share a table: n bodies have n sensors */
static void columns_are_found_by_name(void) {
  tn_ctx *ctx;
  const double n[] = {1, 3, 2};
  const tn_sweep_param param = {"n", n, 3};
  write_model("tenon: 1\nparams: {n: 1}\ngravity: [0, 0, -9.81]\n"
              "repeat:\n  - for: {i: [1, n]}\n"
              "    bodies: {'b{i}': {mass: 1, inertia: [1, 1, 1], at: [i, 0, 0]}}\n"
              "    sensors: {'x{i}': {type: expression, value: 'x(b{i})', unit: m}}\n"
              "sensors: {fall: {type: expression, value: 'z(b1)', unit: m}}\n"
              "analysis: {until: 1}\n");
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tn_sweep *s;
  tn_sweep_opts o = {.param = &param, .nparam = 1};
  tn_status st = tn_sweep_file(ctx, path, &o, &s);
  CHECK_OK(ctx, st);
  if (st == TN_OK) {
    int z = column(s, "fall end"), x3 = column(s, "x3 end");
    for (int i = 0; i < 3; i++) CHECK_WITHIN(tn_sweep_value(s, i, z), -4.905, 1e-6);
    for (int i = 0; i < 3; i++) CHECK(i == 1 ? fabs(tn_sweep_value(s, i, x3) - 3) < 1e-9 : isnan(tn_sweep_value(s, i, x3)));
  }
  tn_sweep_destroy(&s);
  tn_ctx_destroy(&ctx);
}

static void frequencies_are_columns(void) {
  tn_ctx *ctx;
  const double k[] = {100, 400};
  const tn_sweep_param param = {"k", k, 2};
  char text[2000];
  snprintf(text, sizeof(text), "%.*sanalysis: {type: modes}\n", (int)(strstr(oscillator, "analysis") - oscillator), oscillator);
  char *at = strstr(text, "at: [2, 0, 0]");
  memcpy(at, "at: [0, 0, 0]", 13); /* at rest */
  write_model(text);
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tn_sweep *s = sweep(ctx, &param, 1, false);
  for (int i = 0; i < 2; i++)
    CHECK_NEAR(tn_sweep_value(s, i, column(s, "mode 1")), sqrt(k[i])/(2*3.14159265358979323846), 1e-9);
  tn_sweep_destroy(&s);
  tn_ctx_destroy(&ctx);
}

/* steady vibration of two masses: (K - w^2 M + i w C) x = f */
static void the_absorber_has_its_closed_form(void) {
  tn_ctx *ctx;
  const double damping[] = {8, 16, 32}, speed[] = {19, 20, 21};
  const tn_sweep_param param[] = {{"damping", damping, 3}, {"speed", speed, 3}};
  snprintf(path, sizeof(path), "%s/examples/absorber/absorber.yaml", TENON_SOURCE_DIR);
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tn_sweep *s = sweep(ctx, param, 2, false);
  int most = column(s, "late max");
  for (int i = 0; i < 9; i++) {
    double m1 = 100, m2 = 5, k1 = 4e4, k2 = 0.05*4e4/(1.05*1.05), c = damping[i/3], w = speed[i%3];
    double complex link = k2 + I*w*c, a = k1 + link - w*w*m1, b = link - w*w*m2;
    double amplitude = cabs(200*b/(a*b - link*link));
    /* rows every 0.01 s see the top of a wave of 20 rad/s to 0.5 %, transients have died to as much */
    CHECK_NEAR(tn_sweep_value(s, i, most), amplitude, 0.01);
  }
  tn_sweep_destroy(&s);
  tn_ctx_destroy(&ctx);
}

static void stop_at_once(void *user, int done, int total) {
  (void)done, (void)total;
  tn_ctx_interrupt(user);
}

static void wrong_options_and_interrupts(void) {
  tn_ctx *ctx;
  const double k[] = {1, 2, 3}, bad[] = {NAN};
  write_model(oscillator);
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tn_sweep *s;
  const tn_sweep_param unknown = {"kk", k, 3}, twice[] = {{"k", k, 3}, {"k", k, 3}}, unequal[] = {{"k", k, 3}, {"m", k, 2}},
                       none = {"k", k, 0}, not_finite = {"k", bad, 1}, good = {"k", k, 3};
  tn_sweep_opts o = {.param = &unknown, .nparam = 1};
  CHECK_INT(tn_sweep_file(ctx, path, &o, &s), TN_ERR_INPUT);
  CHECK(s == NULL && strstr(tn_ctx_message(ctx), "did you mean 'k'"));
  o = (tn_sweep_opts){.param = twice, .nparam = 2};
  CHECK_INT(tn_sweep_file(ctx, path, &o, &s), TN_ERR_ARGUMENT);
  o = (tn_sweep_opts){.param = unequal, .nparam = 2, .paired = true};
  CHECK_INT(tn_sweep_file(ctx, path, &o, &s), TN_ERR_ARGUMENT);
  o = (tn_sweep_opts){.param = &none, .nparam = 1};
  CHECK_INT(tn_sweep_file(ctx, path, &o, &s), TN_ERR_ARGUMENT);
  o = (tn_sweep_opts){.param = &not_finite, .nparam = 1};
  CHECK_INT(tn_sweep_file(ctx, path, &o, &s), TN_ERR_ARGUMENT);
  o = (tn_sweep_opts){0};
  CHECK_INT(tn_sweep_file(ctx, path, &o, &s), TN_ERR_ARGUMENT);
  o = (tn_sweep_opts){.param = &good, .nparam = 1};
  CHECK(tn_sweep_file(ctx, "no-such-file.yaml", &o, &s) != TN_OK && s == NULL);
  /* stopped after the first case: that one is whole, the others are not begun */
  o = (tn_sweep_opts){.param = &good, .nparam = 1, .progress = stop_at_once, .user = ctx};
  CHECK_INT(tn_sweep_file(ctx, path, &o, &s), TN_INTERRUPTED);
  CHECK(s && tn_sweep_get_case(s, 0)->sound && !tn_sweep_get_case(s, 2)->ran);
  CHECK(strcmp(tn_sweep_get_case(s, 2)->outcome, "not begun") == 0 && isnan(tn_sweep_value(s, 2, 1)));
  tn_sweep_destroy(&s);
  /* the interrupt is over with it */
  o.progress = NULL;
  CHECK_OK(ctx, tn_sweep_file(ctx, path, &o, &s));
  tn_sweep_destroy(&s);
  tn_ctx_destroy(&ctx);
}

int main(void) {
  const char *dir = getenv("TMPDIR");
  char own[200];
  snprintf(own, sizeof(own), "%.150s/tenon-sweep-%ld.yaml", dir ? dir : "/tmp", (long)getpid());
  memcpy(path, own, sizeof(own));
  RUN(cases_are_all_combinations_in_order);
  RUN(threads_change_no_bit);
  RUN(a_case_that_fails_is_a_row);
  RUN(columns_are_found_by_name);
  RUN(frequencies_are_columns);
  RUN(wrong_options_and_interrupts);
  unlink(own);
  RUN(the_absorber_has_its_closed_form);
  return REPORT();
}
