/* FETI, FETI-DP and substructuring against direct solutions, and their iterations against the counts that two separately written
 * programs gave for the specification (its tables M1 to M5: bands of those counts, one more on either side)
 * SPDX-License-Identifier: BSD-3-Clause */
#include "domains/feti.h"

#include "domains/schur.h"
#include "plate.h"
#include "support/check.h"

static tn_ctx *ctx;
static bool all;

typedef struct { const char *name; tni_feti_primal primal; tni_ties ties; tni_feti_preconditioner pre; tni_feti_scale scale; } kind;

static const kind NONE = {"none", TNI_PRIMAL_NONE, TNI_TIES_FACES, TNI_FETI_NONE, TNI_FETI_SCALE_NONE},
                  NONE_ALL = {"none, all ties", TNI_PRIMAL_NONE, TNI_TIES_ALL, TNI_FETI_NONE, TNI_FETI_SCALE_NONE},
                  LUMPED = {"lumped", TNI_PRIMAL_NONE, TNI_TIES_FACES, TNI_FETI_LUMPED, TNI_FETI_SCALE_NONE},
                  DIRICHLET = {"dirichlet", TNI_PRIMAL_NONE, TNI_TIES_FACES, TNI_FETI_DIRICHLET, TNI_FETI_SCALE_NONE},
                  DIRICHLET_SCALED = {"dirichlet scaled", TNI_PRIMAL_NONE, TNI_TIES_ALL, TNI_FETI_DIRICHLET, TNI_FETI_SCALE_COUNT},
                  LUMPED_SCALED = {"lumped scaled", TNI_PRIMAL_NONE, TNI_TIES_ALL, TNI_FETI_LUMPED, TNI_FETI_SCALE_COUNT},
                  DUAL_PRIMAL = {"feti-dp", TNI_PRIMAL_CORNERS, TNI_TIES_ALL, TNI_FETI_DIRICHLET, TNI_FETI_SCALE_COUNT};

static tni_feti_opts options(const kind *k) {
  return (tni_feti_opts){.primal = k->primal, .ties = k->ties, .preconditioner = k->pre, .scale = k->scale};
}

static plate square(int n, int parts) {
  return (plate){.nx = n, .ny = n, .lx = 1, .ly = 1, .nu = 0.3, .px = parts, .py = parts};
}

/* ---- counts ------------------------------------------------------------------------------------------- */

static void check_counts(const kind *k, int n, int parts, int least, int most, double condition) {
  plate p = square(n, parts);
  plate_pieces w = plate_cut(ctx, &p);
  tni_feti_opts o = options(k);
  o.forget = true;
  o.jump = 1e-6;
  tni_feti *f;
  tni_feti_report r;
  double *u = calloc((size_t)w.n, sizeof(double)), *want = plate_direct(ctx, &p);
  CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
  CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &r));
  bool ok = CHECK(r.iterations >= least - 1 && r.iterations <= most + 1);
  if (condition > 0) ok = CHECK_NEAR(r.largest/r.least, condition, 0.05) && ok;
  ok = CHECK(plate_error(&w, u, want) < 5e-7) && ok;
  if (!ok) printf("%s, %d x %d, %d x %d domains: %d iterations, condition %.4g\n", k->name, n, n, parts, parts, r.iterations, r.largest/r.least);
  tni_feti_destroy(&f);
  free(u);
  free(want);
  plate_free(&w);
}

static void finer_meshes_need_as_many_iterations_as_published(void) { /* M1, M3 */
  static const struct { const kind *k; int count[4][2]; double condition[4]; } rows[] = {
      {&NONE, {{24, 24}, {31, 31}, {37, 39}, {47, 48}}, {51, 89, 160, 302}},
      {&LUMPED, {{15, 16}, {21, 22}, {26, 28}, {35, 36}}, {0, 42, 87, 177}},
      {&DIRICHLET, {{14, 14}, {16, 17}, {19, 19}, {22, 22}}, {0}},
      {&DIRICHLET_SCALED, {{8, 8}, {10, 10}, {11, 12}, {14, 15}}, {6.5, 9.4, 12.8, 19.5}},
      {&LUMPED_SCALED, {{12, 12}, {18, 18}, {25, 25}, {34, 34}}, {0}},
      {&DUAL_PRIMAL, {{9, 9}, {12, 12}, {13, 13}, {15, 15}}, {3.18, 4.53, 6.04, 8.03}}};
  for (int i = 0; i < TNI_COUNT(rows); i++)
    for (int k = 0, n = 16; n <= (all ? 128 : 32); n *= 2, k++)
      check_counts(rows[i].k, n, 4, rows[i].count[k][0], rows[i].count[k][1], rows[i].condition[k]);
}

static void more_domains_need_as_many_iterations_as_published(void) { /* M2 */
  static const int parts[5] = {2, 4, 8, 12, 16};
  static const struct { const kind *k; int n, count[5][2]; double condition[5]; } rows[] = {
      {&NONE_ALL, 4, {{17, 17}, {33, 33}, {41, 42}, {45, 46}}, {0}},
      {&LUMPED_SCALED, 4, {{11, 11}, {18, 19}, {23, 25}, {25, 26}}, {0}},
      {&DIRICHLET_SCALED, 4, {{7, 7}, {10, 10}, {13, 13}, {15, 15}}, {2.8, 9.4, 10.9, 11.1}},
      {&DUAL_PRIMAL, 5, {{7, 7}, {12, 12}, {14, 14}, {15, 15}, {15, 15}}, {2.40, 4.53, 5.40, 5.62, 5.68}}};
  for (int i = 0; i < TNI_COUNT(rows); i++)
    for (int k = 0; k < (all ? rows[i].n : 2); k++)
      check_counts(rows[i].k, 8*parts[k], parts[k], rows[i].count[k][0], rows[i].count[k][1], rows[i].condition[k]);
}

static void unknowns_are_counted_as_published(void) {
  static const int faces[3] = {234, 426, 810}, redundant[3] = {270, 462, 846}, dp[3] = {144, 336, 720};
  for (int k = 0, n = 16; k < 3; k++, n *= 2) {
    plate p = square(n, 4);
    plate_pieces w = plate_cut(ctx, &p);
    double *u = calloc((size_t)w.n, sizeof(double));
    const kind *of[3] = {&NONE, &NONE_ALL, &DUAL_PRIMAL};
    for (int i = 0; i < 3; i++) {
      tni_feti_opts o = options(of[i]);
      o.jump = 0.5;
      tni_feti *f;
      tni_feti_report r;
      CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
      CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &r));
      CHECK_INT(r.multipliers, i == 0 ? faces[k] : i == 1 ? redundant[k] : dp[k]);
      CHECK_INT(r.rigid, i == 2 ? 0 : 36);
      CHECK_INT(r.primal, i == 2 ? 36 : 0);
      if (i == 0) CHECK_INT(r.most_ties, 4); /* and up to 8 that share something: H17 */
      CHECK_INT(r.most_shares, 8);
      tni_feti_destroy(&f);
    }
    free(u);
    plate_free(&w);
  }
}

/* iterations until the displacements are right within 1e-3 and 1e-6 */
typedef struct { const plate_pieces *w; const double *want; double *u; int at[2]; } errors;

static void note_error(errors *e, int iteration) {
  double error = plate_error(e->w, e->u, e->want);
  if (e->at[0] < 0 && error <= 1e-3) e->at[0] = iteration;
  if (e->at[1] < 0 && error <= 1e-6) e->at[1] = iteration;
}
static bool watch_feti(void *user, tni_feti *f, int iteration, double jump) {
  errors *e = user;
  (void)jump;
  tni_feti_look(f, e->u);
  note_error(e, iteration);
  return e->at[1] < 0;
}
static bool watch_schur(void *user, tni_schur *s, int iteration, double drop) {
  errors *e = user;
  (void)drop;
  tni_schur_look(s, e->u);
  note_error(e, iteration);
  return e->at[1] < 0;
}

static void check_errors(const plate *p, const kind *k, bool forget, int coarse0, int coarse1, int fine0, int fine1, int slack) {
  plate_pieces w = plate_cut(ctx, p);
  double *want = plate_direct(ctx, p), *u = calloc((size_t)w.n, sizeof(double)), *v = calloc((size_t)w.n, sizeof(double));
  errors e = {&w, want, v, {-1, -1}};
  if (k) {
    tni_feti_opts o = options(k);
    o.forget = forget, o.watch = watch_feti, o.user = &e;
    tni_feti *f;
    CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
    CHECK_OK(ctx, tni_feti_solve(f, w.force, u, NULL));
    tni_feti_destroy(&f);
  } else {
    tni_schur_opts o = {.method = TNI_SCHUR_CG, .watch = watch_schur, .user = &e};
    tni_schur *f;
    CHECK_OK(ctx, tni_schur_create(&w.d, &o, &f));
    CHECK_OK(ctx, tni_schur_solve(f, w.force, u, NULL));
    tni_schur_destroy(&f);
  }
  bool ok = CHECK(coarse0 < 0 || (e.at[0] >= coarse0 - slack && e.at[0] <= coarse1 + slack));
  ok = CHECK(e.at[1] >= fine0 - slack && e.at[1] <= fine1 + slack) && ok;
  if (!ok) printf("%s: 1e-3 after %d, 1e-6 after %d\n", k ? k->name : "schur cg", e.at[0], e.at[1]);
  free(u);
  free(v);
  free(want);
  plate_free(&w);
}

static void equal_errors_need_as_many_iterations_as_published(void) { /* M4 */
  plate p = square(64, 4);
  check_errors(&p, &NONE, true, 6, 7, 28, 31, 1); /* 30-31 there; rounding decides: 27 to 31 by the kernels of OpenBLAS */
  check_errors(&p, &LUMPED, true, 6, 6, 20, 20, 1);
  check_errors(&p, &DIRICHLET, true, 5, 6, 14, 16, 1);
  check_errors(&p, &DIRICHLET_SCALED, true, 5, 5, 9, 9, 1);
  check_errors(&p, NULL, true, 50, 52, 73, 74, 1);
}

static void slender_cuts_cost_what_was_published(void) { /* M5 */
  plate across = {.nx = 64, .ny = 16, .lx = 8, .ly = 1, .nu = 0.3, .px = 4, .py = 1}, along = across;
  along.px = 1, along.py = 4;
  check_errors(&across, &LUMPED, true, -1, 0, 4, 4, 1);
  check_errors(&across, &DIRICHLET, true, -1, 0, 2, 2, 1);
  check_errors(&across, NULL, true, -1, 0, 38, 40, 2);
  check_errors(&along, &LUMPED, false, -1, 0, 47, 47, 2);
  check_errors(&along, &DIRICHLET, false, -1, 0, 29, 29, 2);
  check_errors(&along, NULL, true, -1, 0, 76, 76, 2);
  check_errors(&along, &LUMPED, true, -1, 0, 150, 230, 0);
  check_errors(&along, &DIRICHLET, true, -1, 0, 35, 50, 0); /* rounding decides: 41 there */
}

static void conjugate_gradients_on_borders_need_as_many_as_published(void) {
  static const int want[2][4] = {{43, 60, 86, 122}, {23, 60, 123, 186}}, parts[4] = {2, 4, 8, 12};
  for (int table = 0; table < 2; table++)
    for (int k = 0; k < (all ? 4 : 2); k++) {
      plate p = table ? square(8*parts[k], parts[k]) : square(16 << k, 4);
      plate_pieces w = plate_cut(ctx, &p);
      tni_schur_opts o = {.method = TNI_SCHUR_CG, .drop = 1e-6};
      tni_schur *f;
      tni_schur_report r;
      double *u = calloc((size_t)w.n, sizeof(double));
      CHECK_OK(ctx, tni_schur_create(&w.d, &o, &f));
      CHECK_OK(ctx, tni_schur_solve(f, w.force, u, &r));
      CHECK(abs(r.iterations - want[table][k]) <= 2);
      tni_schur_destroy(&f);
      free(u);
      plate_free(&w);
    }
}

/* Means along what domains share (feti_means.c): fewer iterations, the same answer, as few for a second right side, however many domains there are. */
static void means_halve_the_iterations(void) {
  int before = 0;
  for (int parts = 4; parts <= 8; parts *= 2) {
    plate p = square(8*parts, parts);
    plate_pieces w = plate_cut(ctx, &p);
    double *u = calloc((size_t)w.n, sizeof(double)), *want = plate_direct(ctx, &p);
    tni_feti_report r[TNI_NFETI_COARSE], again, near;
    for (int coarse = 0; coarse < TNI_NFETI_COARSE; coarse++) {
      tni_feti_opts o = {.coarse = (tni_feti_coarse)coarse, .jump = 1e-6};
      tni_feti *f;
      CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
      CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &r[coarse]));
      CHECK(plate_error(&w, u, want) < 5e-7);
      CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &again));
      CHECK(again.iterations <= 1);
      if (coarse == TNI_FETI_COARSE_MEANS) {
        w.force[0] *= 2; /* what was kept is no good for it alone */
        CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &near));
        CHECK(near.iterations <= r[coarse].iterations);
        w.force[0] *= 0.5;
      }
      tni_feti_destroy(&f);
    }
    CHECK(r[TNI_FETI_COARSE_MEANS].means > 0);
    CHECK_INT(r[TNI_FETI_COARSE_MOTIONS].means, 0);
    if (!CHECK(r[TNI_FETI_COARSE_MEANS].iterations <= 0.75*r[TNI_FETI_COARSE_MOTIONS].iterations) || !CHECK(!before || r[TNI_FETI_COARSE_MEANS].iterations <= before + 2))
      printf("%d x %d domains: %d iterations with %d means, %d without\n", parts, parts, r[TNI_FETI_COARSE_MEANS].iterations, r[TNI_FETI_COARSE_MEANS].means,
             r[TNI_FETI_COARSE_MOTIONS].iterations);
    before = r[TNI_FETI_COARSE_MEANS].iterations;
    free(u);
    free(want);
    plate_free(&w);
  }
}

/* Domains of a cell: means have all of the answer, and what is left is rounding, which is no direction to go in. */
static void means_that_have_all_of_the_answer_end_there(void) {
  uint64_t seed = 269;
  for (int trial = 0; trial < (all ? 200 : 40); trial++) {
    plate p = square(2 + trial % 6, 2 + trial % 6);
    p.lx = 5 + 4*check_random(&seed);
    p.nu = 0.28;
    plate_pieces w = plate_cut(ctx, &p);
    double *u = calloc((size_t)w.n, sizeof(double)), *want = plate_direct(ctx, &p);
    tni_feti_opts o = {0};
    tni_feti *f;
    tni_feti_report r;
    CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
    CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &r));
    if (!CHECK(r.means > 0 && r.residual <= 1e-10 && r.iterations == 0) || !CHECK(plate_error(&w, u, want) < 1e-9))
      printf("%d x %d domains: %d iterations, %d means, off by %.2g\n", p.px, p.py, r.iterations, r.means, plate_error(&w, u, want));
    tni_feti_destroy(&f);
    free(u);
    free(want);
    plate_free(&w);
  }
}

/* ---- answers -------------------------------------------------------------------------------------------- */

static double checkerboard(int ex, int ey) { return (ex/8 + ey/8) % 2 ? 1e4 : 1; }

static void every_way_gives_the_direct_solution(void) {
  uint64_t seed = 11;
  for (int trial = 0; trial < (all ? 200 : 6); trial++) {
    plate p = {.nx = 8 + (int)(8*(1 + check_random(&seed))), .ny = 6 + (int)(6*(1 + check_random(&seed))), .lx = 1 + check_random(&seed)/2,
               .ly = 1 + check_random(&seed)/2, .nu = 0.25 + 0.2*check_random(&seed), .strain = trial % 2,
               .px = 1 + trial % 4, .py = 1 + trial/4 % 4, .modulus = trial % 3 == 2 ? checkerboard : NULL};
    double *want = plate_direct(ctx, &p);
    plate_pieces w = plate_cut(ctx, &p);
    double *u = calloc((size_t)w.n, sizeof(double));
    for (int primal = 0; primal < TNI_NPRIMAL; primal++)
      for (int ties = 0; ties < TNI_NTIES; ties++)
        for (int pre = 0; pre < TNI_NFETI; pre++) {
          tni_feti_opts o = {.primal = (tni_feti_primal)primal, .ties = (tni_ties)ties, .preconditioner = (tni_feti_preconditioner)pre,
                             .scale = (tni_feti_scale)(trial % TNI_NSCALE), .tolerance = 1e-10};
          tni_feti *f;
          tni_feti_report r;
          CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
          CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &r));
          CHECK(r.residual <= 1e-10);
          CHECK(plate_error(&w, u, want) < 1e-7);
          tni_feti_destroy(&f);
        }
    for (int method = 0; method < TNI_NSCHUR; method++) {
      tni_schur_opts o = {.method = (tni_schur_method)method};
      tni_schur *f;
      tni_schur_report r;
      memset(u, 0, (size_t)w.n*sizeof(double));
      CHECK_OK(ctx, tni_schur_create(&w.d, &o, &f));
      CHECK_OK(ctx, tni_schur_solve(f, w.force, u, &r));
      CHECK(r.residual <= 1e-10);
      CHECK(plate_error(&w, u, want) < 1e-7);
      tni_schur_destroy(&f);
    }
    free(u);
    free(want);
    plate_free(&w);
  }
}

/* spec 14.1: within 3 iterations for a checkerboard of moduli with stiffness scaling */
static void materials_that_differ_cost_little(void) {
  int count[2];
  for (int i = 0; i < 2; i++) {
    plate p = square(32, 4);
    p.modulus = i ? checkerboard : NULL;
    plate_pieces w = plate_cut(ctx, &p);
    double *u = calloc((size_t)w.n, sizeof(double)), *want = plate_direct(ctx, &p);
    tni_feti_opts o = {.primal = TNI_PRIMAL_CORNERS, .tolerance = 1e-8};
    tni_feti *f;
    tni_feti_report r;
    CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
    CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &r));
    CHECK(plate_error(&w, u, want) < 1e-8);
    count[i] = r.iterations;
    tni_feti_destroy(&f);
    free(u);
    free(want);
    plate_free(&w);
  }
  CHECK(count[1] <= count[0] + 3);
}

static void a_second_right_side_begins_where_the_first_ended(void) {
  plate p = square(32, 4);
  plate_pieces w = plate_cut(ctx, &p);
  double *u = calloc((size_t)w.n, sizeof(double)), *v = calloc((size_t)w.n, sizeof(double));
  tni_feti_opts o = {.tolerance = 1e-8, .coarse = TNI_FETI_COARSE_MOTIONS};
  tni_feti *f;
  tni_feti_report first, again, near;
  CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
  CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &first));
  CHECK_OK(ctx, tni_feti_solve(f, w.force, v, &again));
  CHECK(again.iterations <= 0.4*first.iterations);
  /* the right edge is pulled instead */
  for (int i = 0; i < w.n; i += 2) w.force[i] = w.force[i + 1], w.force[i + 1] = 0;
  CHECK_OK(ctx, tni_feti_solve(f, w.force, v, &near));
  CHECK(near.iterations < first.iterations);
  CHECK(near.residual <= 1e-8);
  tni_feti_destroy(&f);
  free(u);
  free(v);
  plate_free(&w);
}

static void threads_give_the_same_bits(void) {
  plate p = square(32, 4);
  plate_pieces w = plate_cut(ctx, &p);
  double *u[3];
  for (int i = 0; i < 3; i++) {
    tn_ctx *own = NULL;
    tn_ctx_opts co = {.threads = i + 1};
    CHECK(tn_ctx_create(&co, &own) == TN_OK);
    u[i] = calloc((size_t)w.n, sizeof(double));
    tni_domains d = w.d;
    d.ctx = own;
    tni_feti_opts o = {.primal = i == 5 ? TNI_PRIMAL_MEANS : TNI_PRIMAL_NONE};
    tni_feti *f;
    CHECK_OK(own, tni_feti_create(&d, &o, &f));
    CHECK_OK(own, tni_feti_solve(f, w.force, u[i], NULL));
    tni_feti_destroy(&f);
    tn_ctx_destroy(&own);
  }
  CHECK(memcmp(u[0], u[1], (size_t)w.n*sizeof(double)) == 0);
  CHECK(memcmp(u[0], u[2], (size_t)w.n*sizeof(double)) == 0);
  /* copies of an unknown are equal to the bit */
  for (int s = 0; s < w.d.n; s++)
    for (int t = s + 1; t < w.d.n; t++)
      for (int i = 0, j = 0; i < w.domain[s].n && j < w.domain[t].n;) {
        long long a = w.domain[s].number[i], b = w.domain[t].number[j];
        if (a == b && u[0][w.from[s] + i] != u[0][w.from[t] + j]) CHECK(!"copies differ");
        i += a <= b, j += b <= a;
      }
  for (int i = 0; i < 3; i++) free(u[i]);
  plate_free(&w);
}

/* ---- what is refused --------------------------------------------------------------------------------------- */

static void what_is_not_held_is_refused(void) {
  plate p = square(16, 4);
  plate_pieces w = plate_cut(ctx, &p);
  tni_feti_opts o = {0}, dp = {.primal = TNI_PRIMAL_CORNERS};
  tni_feti *f = NULL;
  /* a motion that is resisted is called rigid */
  w.domain[0].nrigid = 1;
  CHECK(tni_feti_create(&w.d, &o, &f) == TN_ERR_ARGUMENT && !f);
  CHECK(strstr(tn_ctx_message(ctx), "domain 0"));
  w.domain[0].nrigid = 0;
  plate_free(&w);
  /* the column of domains next to the support is taken away: nothing holds the rest */
  w = plate_cut(ctx, &p);
  tni_domains rest = w.d;
  rest.domain = w.domain + 4;
  rest.n = 12;
  rest.npair = 0;
  CHECK(tni_feti_create(&rest, &o, &f) == TN_SINGULAR && !f);
  CHECK(strstr(tn_ctx_message(ctx), "whole"));
  CHECK(tni_feti_create(&rest, &dp, &f) == TN_SINGULAR && !f);
  tni_schur_opts so = {0};
  tni_schur *g = NULL;
  CHECK(tni_schur_create(&rest, &so, &g) == TN_SINGULAR && !g);
  plate_free(&w);
}

/* adds to the matrices what a pull N (a push below zero) along x does across it: N du.du along every line of nodes, of domain s */
static void stress(const plate *p, const plate_pieces *w, double N) {
  for (int s = 0; s < w->d.n; s++) {
    int x0, x1, y0, y1;
    plate_box(p, s, &x0, &x1, &y0, &y1);
    const tni_domain *d = &w->domain[s];
    double *value = (double *)(uintptr_t)d->value;
    int first = x0 == 0 ? 1 : x0, rows = y1 - y0 + 1;
    for (int i = x0; i < x1; i++)
      for (int k = y0; k <= y1; k++)
        for (int c = 0; c < 2; c++) {
          int at[2];
          for (int e = 0; e < 2; e++) at[e] = i + e < first ? -1 : 2*((i + e - first)*rows + k - y0) + c;
          for (int a = 0; a < 2; a++)
            for (int q = at[a] < 0 ? 0 : d->ptr[at[a]]; at[a] >= 0 && q < d->ptr[at[a] + 1]; q++)
              if (d->ind[q] == at[0] || d->ind[q] == at[1]) value[q] += d->ind[q] == at[a] ? N : -N;
        }
  }
}

/* Domains that are pulled or pushed resist turning with either sign. Small jumps are all that is asked for: nothing that is left of the forces is solved for
 * again, so that it is the coarse problem that has to be right. Pushed so much that the space of their motions does not hold what is negative, though the whole is
 * stable yet: found before the first iteration. */
static void stressed_domains_resist_their_motions(void) {
  plate p = square(24, 4);
  int calm = 0;
  for (int k = -2; k <= 4; k++) {
    double pull = k == 0 ? 0 : k < 0 ? -0.004*k*k : 0.004*k*k*k;
    plate_pieces w = plate_cut(ctx, &p);
    stress(&p, &w, pull);
    double *u = calloc((size_t)w.n, sizeof(double)), *want = calloc((size_t)w.n, sizeof(double)), most = 0, off = 0;
    tni_feti_opts o = {.stressed = true, .jump = 1e-10};
    tni_schur_opts so = {.any = true, .tolerance = 1e-12};
    tni_feti_report r;
    tni_feti *f;
    tni_schur *g;
    CHECK_OK(ctx, tni_schur_create(&w.d, &so, &g));
    CHECK_OK(ctx, tni_schur_solve(g, w.force, want, NULL));
    tni_schur_destroy(&g);
    CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
    CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &r));
    tni_feti_destroy(&f);
    for (int i = 0; i < w.n; i++) most = fmax(most, fabs(want[i])), off = fmax(off, fabs(u[i] - want[i]));
    if (!CHECK(most > 0 && off <= 1e-8*most)) printf("  pull %g: off by %.2e\n", pull, off/most);
    if (k == -2) calm = r.iterations;
    if (!CHECK(r.iterations <= calm + 8)) printf("  pull %g: %d iterations, %d\n", pull, r.iterations, calm);
    free(u);
    free(want);
    plate_free(&w);
  }
  plate_pieces w = plate_cut(ctx, &p);
  stress(&p, &w, -0.06);
  double *u = calloc((size_t)w.n, sizeof(double));
  tni_feti_opts o = {.stressed = true};
  tni_feti_report r = {0};
  tni_feti *f;
  CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
  CHECK(tni_feti_solve(f, w.force, u, &r) == TN_NOT_CONVERGED && r.indefinite);
  CHECK_INT(r.iterations, 0);
  tni_feti_destroy(&f);
  free(u);
  plate_free(&w);
}

/* Motions that nobody tells of are what is left without pivots: the same answer, and they are counted. */
static void motions_that_are_not_told_are_found(void) {
  plate p = square(16, 4);
  plate_pieces w = plate_cut(ctx, &p);
  tni_feti_opts o = {.coarse = TNI_FETI_COARSE_MOTIONS}; /* all that mechanisms have */
  tni_feti_report told, found;
  double *u = calloc((size_t)w.n, sizeof(double)), *v = calloc((size_t)w.n, sizeof(double));
  tni_feti *f = NULL;
  CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
  CHECK_OK(ctx, tni_feti_solve(f, w.force, u, &told));
  tni_feti_destroy(&f);
  w.domain[5].nrigid = 2;
  w.domain[9].nrigid = 0;
  CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
  CHECK_OK(ctx, tni_feti_solve(f, w.force, v, &found));
  tni_feti_destroy(&f);
  CHECK_INT(told.extra, 0);
  CHECK_INT(found.extra, 4);
  CHECK_INT(found.rigid, told.rigid);
  CHECK_INT(found.iterations, told.iterations);
  double most = 0, off = 0;
  for (int i = 0; i < w.n; i++) most = fmax(most, fabs(u[i])), off = fmax(off, fabs(u[i] - v[i]));
  CHECK(most > 0 && off <= 1e-9*most);
  free(u);
  free(v);
  plate_free(&w);
}

static void too_few_iterations_are_told(void) {
  plate p = square(16, 4);
  plate_pieces w = plate_cut(ctx, &p);
  double *u = calloc((size_t)w.n, sizeof(double));
  tni_feti_opts o = {.most = 3};
  tni_feti *f;
  tni_feti_report r;
  CHECK_OK(ctx, tni_feti_create(&w.d, &o, &f));
  CHECK(tni_feti_solve(f, w.force, u, &r) == TN_NOT_CONVERGED);
  CHECK(r.residual > 1e-10 && r.iterations == 3);
  tni_feti_destroy(&f);
  tni_schur_opts so = {.method = TNI_SCHUR_CG, .most = 3};
  tni_schur *g;
  CHECK_OK(ctx, tni_schur_create(&w.d, &so, &g));
  CHECK(tni_schur_solve(g, w.force, u, NULL) == TN_NOT_CONVERGED);
  tni_schur_destroy(&g);
  free(u);
  plate_free(&w);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(finer_meshes_need_as_many_iterations_as_published);
  RUN(more_domains_need_as_many_iterations_as_published);
  RUN(unknowns_are_counted_as_published);
  RUN(equal_errors_need_as_many_iterations_as_published);
  RUN(slender_cuts_cost_what_was_published);
  RUN(conjugate_gradients_on_borders_need_as_many_as_published);
  RUN(every_way_gives_the_direct_solution);
  RUN(materials_that_differ_cost_little);
  RUN(means_halve_the_iterations);
  RUN(means_that_have_all_of_the_answer_end_there);
  RUN(a_second_right_side_begins_where_the_first_ended);
  RUN(threads_give_the_same_bits);
  RUN(what_is_not_held_is_refused);
  RUN(stressed_domains_resist_their_motions);
  RUN(motions_that_are_not_told_are_found);
  RUN(too_few_iterations_are_told);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
