/* counts and predictions of solvers: closed forms, what ranks and memory change, decisions that do not change by themselves
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tenon/advise.h>
#include <tenon/tenon.h>

#include "parallel/comm.h"
#include "support/loaded.h"

static bool all;

static tn_status advise(const char *text, const tn_advise_opts *o, int *n, tn_advice *row, tn_advised *a, char *why) {
  loaded l;
  tn_rates rates = tn_rates_usual();
  load_text(&l, text);
  tn_status st = tn_advise(l.ctx, l.model, &rates, o, n, row, a);
  snprintf(why, 500, "%s", tn_ctx_message(l.ctx));
  if (st < 0 && st != TN_ERR_UNSUPPORTED) printf("  %s\n", why);
  unload(&l);
  return st;
}

static const tn_advice *find(int n, const tn_advice *row, const char *solver) {
  static const tn_advice none;
  for (int i = 0; i < n; i++)
    if (strcmp(row[i].solver, solver) == 0) return &row[i];
  CHECK(false);
  return &none;
}

#define MATTER "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"

/* one brick held at a face has 12 unknowns that are all coupled */
static void a_full_matrix_has_the_counts_of_the_textbook(void) {
  tn_advice row[TN_ADVICE_MAX];
  tn_advised a;
  int n;
  char why[500];
  CHECK(advise("meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1], cell: hex8}}}\n" MATTER "structures: {m: {mesh: m, material: a}}\n"
               "supports: [{group: x0, fix: all}]\nanalysis: {type: statics}\n", &(tn_advise_opts){.ranks = 1}, &n, row, &a, why) == TN_OK);
  CHECK_INT(a.unknowns, 12);
  const tn_advice *s = find(n, row, "skyline"), *f = find(n, row, "fronts");
  CHECK_NEAR(s->setup, 506, 1e-12);       /* 1^2 + ... + 11^2        */
  CHECK_NEAR(s->each, 4*(66 + 12), 1e-12); /* all above the diagonal  */
  CHECK(f->setup >= 12*12*12/3.0 && f->setup <= 12*12*12/3.0 + 3*12*12);
  CHECK(f->each >= 4*78 && f->each <= 4*144);
  CHECK_INT(find(n, row, "feti")->parts, 1);
}

/* a chain of bars, held at one end: eigenvalues of D^-1 K are 1 - cos((2 j - 1) pi/2n), their ratio is cot^2(pi/4n) */
static void iterations_of_a_chain_have_their_closed_form(void) {
  for (int cells = 5; cells <= 40; cells += 35) {
    tn_advice row[TN_ADVICE_MAX];
    tn_advised a;
    int n;
    char why[500], text[800];
    snprintf(text, sizeof(text), "meshes: {m: {bar: {size: 1, cells: %d}}}\n" MATTER
             "structures: {m: {mesh: m, material: a, area: 0.01}}\nsupports: [{group: x0, fix: all}, {group: all, fix: [y, z]}]\n"
             "loads: [{group: x1, force: [1, 0, 0]}]\nanalysis: {type: statics}\n", cells);
    tn_status st = advise(text, &(tn_advise_opts){.ranks = 1, .tolerance = 1e-10}, &n, row, &a, why);
    if (!CHECK(st == TN_OK)) {
      printf("  %s\n", why);
      return;
    }
    double cot = 1/tan(acos(-1)/(4*cells));
    CHECK_NEAR(find(n, row, "pcg")->iterations, 0.5*cot*log(2e10), 1e-6);
  }
}

static const char BOX[] = "meshes: {m: {box: {size: [2, 1, 1], cells: [16, 8, 8], cell: hex8}}}\n" MATTER
                          "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
                          "loads: [{group: x1, traction: [0, 0, 1]}]\nanalysis: {type: statics}\n";

static void ranks_divide_work_and_memory_and_send_messages(void) {
  tn_advice one[TN_ADVICE_MAX], many[TN_ADVICE_MAX];
  tn_advised a, b;
  int n, m;
  char why[500];
  CHECK(advise(BOX, &(tn_advise_opts){.ranks = 1, .parts = 8}, &n, one, &a, why) == TN_OK);
  CHECK(advise(BOX, &(tn_advise_opts){.ranks = 8, .parts = 8}, &m, many, &b, why) == TN_OK);
  CHECK_INT(n, m);
  for (int i = 0; i < n; i++) {
    bool divides = one[i].rule || strcmp(one[i].solver, "pcg") == 0;
    CHECK(one[i].messages == 0 && one[i].sent == 0);
    CHECK(divides == (many[i].messages > 0));
    CHECK(one[i].seconds > 0 && one[i].memory > 0 && one[i].iterations >= 1);
    CHECK(!divides || many[i].memory < one[i].memory);
    CHECK(one[i].iterations == many[i].iterations || strcmp(one[i].rule ? one[i].rule : "", many[i].rule ? many[i].rule : "") != 0);
    if (!divides) CHECK(many[i].seconds == one[i].seconds);
  }
  /* domains that are equal: an eighth of the factors each */
  CHECK(find(n, many, "feti")->setup < 0.3*find(n, one, "feti")->setup);
}

static void what_finds_no_room_is_out_and_what_is_best_is_not(void) {
  tn_advice row[TN_ADVICE_MAX], again[TN_ADVICE_MAX];
  tn_advised a, b;
  int n;
  char why[500];
  CHECK(advise(BOX, &(tn_advise_opts){.ranks = 1}, &n, row, &a, why) == TN_OK);
  CHECK(a.best >= 0 && !row[a.best].excluded[0]);
  for (int i = 0; i < n; i++) CHECK(row[a.best].seconds <= 1.1*row[i].seconds || row[i].excluded[0]);
  CHECK(advise(BOX, &(tn_advise_opts){.ranks = 1}, &n, again, &b, why) == TN_OK);
  CHECK_INT(b.best, a.best);
  for (int i = 0; i < n; i++) CHECK(row[i].seconds == again[i].seconds && row[i].memory == again[i].memory); /* no clock in it */
  double little = find(n, row, "pcg")->memory*1.01;
  CHECK(advise(BOX, &(tn_advise_opts){.ranks = 1, .memory = little}, &n, row, &a, why) == TN_OK);
  CHECK_TEXT(row[a.best].solver, "pcg");
  CHECK(strstr(find(n, row, "fronts")->excluded, "MB") != NULL);
  CHECK(advise(BOX, &(tn_advise_opts){.ranks = 1, .memory = 1}, &n, row, &a, why) == TN_OK);
  CHECK_INT(a.best, -1);
}

static void models_without_a_choice_are_refused_by_name(void) {
  tn_advice row[TN_ADVICE_MAX];
  tn_advised a;
  int n;
  char why[500];
  CHECK_INT(advise("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n", &(tn_advise_opts){.ranks = 1}, &n, row, &a, why), TN_ERR_UNSUPPORTED);
  CHECK(strstr(why, "no structures") != NULL);
  CHECK_INT(advise("meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\n" MATTER
                   "structures: {m: {mesh: m, material: a, hold: {hub: x1}}}\nsupports: [{group: x0, fix: all}]\n",
                   &(tn_advise_opts){.ranks = 1}, &n, row, &a, why), TN_ERR_UNSUPPORTED);
}

/* a second product in every iteration of feti, and products for the motions of all neighbours */
static void large_displacements_cost_feti_more(void) {
  tn_advice row[2][TN_ADVICE_MAX];
  tn_advised a;
  int n[2];
  char why[500], text[1000];
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof(text), "meshes: {m: {box: {size: [2, 1, 1], cells: [12, 6, 6], cell: hex8}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
             "structures: {m: {mesh: m, material: a%s}}\nsupports: [{group: x0, fix: all}]\nanalysis: {type: statics}\n", k ? ", formulation: large" : "");
    if (!CHECK(advise(text, &(tn_advise_opts){.ranks = 1}, &n[k], row[k], &a, why) == TN_OK)) printf("  %s\n", why);
  }
  for (int i = 0; i < n[0]; i++) {
    const tn_advice *small = &row[0][i], *large = find(n[1], row[1], small->solver);
    CHECK(!small->excluded[0] && !large->excluded[0]);
    if (strcmp(small->solver, "feti") == 0) CHECK(large->seconds > 1.3*small->seconds);
    else if (strcmp(small->solver, "pcg") != 0) CHECK(large->seconds == small->seconds);
  }
}

static void rates_are_read_as_they_were_written(void) {
  tn_ctx *ctx;
  char path[] = "/tmp/tenon_rates_XXXXXX";
  int f = mkstemp(path);
  tn_rates r = {1.5e9, 2.5e8, 3.5e8, 4.5e8, 5.5e6, 6.5e-6, 7.5e-10}, back = tn_rates_usual();
  CHECK(f >= 0);
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, tn_rates_write(ctx, path, &r, "a test"));
  CHECK_OK(ctx, tn_rates_read(ctx, path, &back));
  CHECK(memcmp(&r, &back, sizeof(r)) == 0);
  static const char *const bad[] = {"factor\n", "factor -1\n", "speed 3\n", "factor 1e9 x\n", "factor nan\n"};
  for (int i = 0; i < (int)(sizeof(bad)/sizeof(bad[0])); i++) {
    FILE *out = fopen(path, "w");
    CHECK(out && fputs(bad[i], out) >= 0 && fclose(out) == 0);
    CHECK_INT(tn_rates_read(ctx, path, &back), TN_ERR_INPUT);
    CHECK(strstr(tn_ctx_message(ctx), ":1:") != NULL);
  }
  close(f);
  unlink(path);
  CHECK_INT(tn_rates_read(ctx, path, &back), TN_ERR_IO);
  tn_ctx_destroy(&ctx);
}

static tn_status measure_rates(tni_comm *c, void *user) {
  tn_rates *out = user;
  return tn_rates_measure(c->ctx, &out[c->rank]);
}

/* every number is measured and has a sensible size; two ranks know the same cost of messages, which is not the usual one */
static void rates_of_this_machine_can_be(void) {
  tn_ctx *ctx;
  tn_rates r[2], usual = tn_rates_usual();
  if (!all) return; /* tests/scripts/advise.sh measures on one rank */
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  CHECK_OK(ctx, tni_comm_run_local(ctx, 2, measure_rates, r, NULL, NULL));
  for (int k = 0; k < 2; k++) {
    const double speed[] = {r[k].factor, r[k].solve, r[k].product, r[k].skyline};
    for (int i = 0; i < 4; i++) CHECK(speed[i] > 1e6 && speed[i] < 1e12);
    CHECK(r[k].order > 1e4 && r[k].order < 1e11);
    CHECK(r[k].latency > 0 && r[k].latency < 0.1 && r[k].latency != usual.latency);
    CHECK(r[k].byte >= 1e-12 && r[k].byte < 1e-5 && r[k].byte != usual.byte);
    CHECK(r[k].factor > r[k].skyline/10); /* fronts are multiplied in blocks: they never fall far behind columns */
  }
  CHECK(r[0].latency == r[1].latency && r[0].byte == r[1].byte);
  tn_ctx_destroy(&ctx);
}

/* with rates of this machine, CPU seconds: of every solver within a factor, and what is taken is not far from the fastest */
static void predictions_are_near_what_is_measured(void) {
  static const char *const mesh[] = {"box: {size: [1, 1, 1], cells: [16, 16, 16], cell: hex8}", "box: {size: [4, 1, 1], cells: [40, 10, 10], cell: hex8}"};
  if (!all) return;
  for (int k = 0; k < 2; k++) {
    loaded l;
    tn_rates rates;
    tn_advice row[TN_ADVICE_MAX];
    tn_advised a;
    int n;
    char text[800];
    snprintf(text, sizeof(text), "meshes: {m: {%s}}\n" MATTER "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
             "loads: [{group: x1, traction: [0, 0, 1]}]\nanalysis: {type: statics}\n", mesh[k]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_rates_measure(l.ctx, &rates));
    CHECK_OK(l.ctx, tn_advise(l.ctx, l.model, &rates, &(tn_advise_opts){.ranks = 1, .measure = true}, &n, row, &a));
    double fastest = HUGE_VAL;
    for (int i = 0; i < n; i++) {
      double predicted = row[i].seconds + a.elements;
      printf("  %-9s predicted %.3g s, took %.3g s: %s\n", row[i].solver, predicted, row[i].measured, row[i].excluded);
      CHECK(row[i].measured > 0);
      if (!CHECK(predicted < 4*row[i].measured && predicted > row[i].measured/4)) printf("  %s is off\n", row[i].solver);
      fastest = fmin(fastest, row[i].measured);
    }
    CHECK(row[a.best].measured < 2*fastest);
    unload(&l);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(a_full_matrix_has_the_counts_of_the_textbook);
  RUN(iterations_of_a_chain_have_their_closed_form);
  RUN(ranks_divide_work_and_memory_and_send_messages);
  RUN(what_finds_no_room_is_out_and_what_is_best_is_not);
  RUN(models_without_a_choice_are_refused_by_name);
  RUN(large_displacements_cost_feti_more);
  RUN(rates_are_read_as_they_were_written);
  RUN(rates_of_this_machine_can_be);
  RUN(predictions_are_near_what_is_measured);
  return REPORT();
}
