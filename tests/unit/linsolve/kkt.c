/* one conformance suite for every solver of the block-structured system
 * SPDX-License-Identifier: BSD-3-Clause */
#include "linsolve/kkt.h"

#include "support/block_systems.h"

static tn_ctx *ctx;

/* every method that has a numbering with every numbering, the others once */
static const tni_kkt_opts variants[] = {
  {.method = TNI_KKT_AUTO},
  {.method = TNI_KKT_DENSE_LU},
  {.method = TNI_KKT_SPARSE_LU},
  {.method = TNI_KKT_SPARSE_LU, .refine = 1},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_AUTO},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GIVEN},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_RCM},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GPS},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GK},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_MD},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GIVEN | TNI_ORDER_ENVELOPE},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GPS | TNI_ORDER_ENVELOPE},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_AUTO, .refine = 1},
  {.method = TNI_KKT_HUB, .ordering = TNI_ORDER_AUTO},
  {.method = TNI_KKT_HUB, .ordering = TNI_ORDER_GPS},
  {.method = TNI_KKT_HUB, .ordering = TNI_ORDER_MD},
  {.method = TNI_KKT_PIECES},
  {.method = TNI_KKT_PIECES, .pieces = 2},
  {.method = TNI_KKT_PIECES, .pieces = 4},
  {.method = TNI_KKT_PIECES, .pieces = 16, .refine = 1},
  {.method = TNI_KKT_NATURAL},
  {.method = TNI_KKT_NATURAL_CG, .refine = 1},
  {.method = TNI_KKT_COMPLIANCE_CG, .refine = 2},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_RCM_ROWS},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GPS_ROWS},
  {.method = TNI_KKT_REDUCED, .ordering = TNI_ORDER_GK_ROWS | TNI_ORDER_ENVELOPE},
  {.method = TNI_KKT_HUB, .ordering = TNI_ORDER_MD_ROWS},
};

static double largest(const double *v, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(v[i]) <= most)) most = fabs(v[i]);
  }
  return most;
}

static double largest_difference(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
  }
  return most;
}

/* spec 21: reduced = augmented to 1e-10 relative */
static const double SAME = 1e-10;

/* factoring and solving at once, also as the very first call and with new masses: the same bits */
static void check_at_once(tni_kkt_solver *s, const block_system *p) {
  size_t nx = (size_t)(p->K.nbody*p->K.d), m = (size_t)p->K.nrow;
  double *x = system_array(2*nx, sizeof(double)), *l = system_array(2*m, sizeof(double));
  CHECK_OK(ctx, tni_kkt_factor_solve(s, p->f, p->g, x, l));
  CHECK_OK(ctx, tni_kkt_factor(s));
  tni_kkt_solve(s, p->f, p->g, x + nx, l + m);
  CHECK(memcmp(x, x + nx, nx*sizeof(double)) == 0);
  CHECK(memcmp(l, l + m, m*sizeof(double)) == 0);
  free(x);
  free(l);
}

/* row_scale (or NULL) makes the multipliers comparable */
static void check_solution(tni_kkt_solver *s, const block_system *p, const double *row_scale,
                           const char *what, int variant) {
  const tni_kkt *K = &p->K;
  int nx = K->nbody*K->d, m = K->nrow;
  double *x = system_array((size_t)nx, sizeof(double));
  double *l = system_array((size_t)m, sizeof(double));
  double *rx = system_array((size_t)nx, sizeof(double));
  double *rl = system_array((size_t)m, sizeof(double));
  double *y = system_array((size_t)m, sizeof(double));
  int before = check_failures;
  size_t allocations = tn_ctx_allocations(ctx);
  tni_kkt_solve(s, p->f, p->g, x, l);
  CHECK(tn_ctx_allocations(ctx) == allocations);
  system_reference(K, p->f, p->g, rx, rl);
  for (int r = 0; r < m; r++) {
    if (K->active && !K->active[r]) CHECK(l[r] == 0);
    if (row_scale) l[r] *= row_scale[r], rl[r] *= row_scale[r];
  }
  CHECK_NEAR(largest_difference(x, rx, nx)/(1 + largest(rx, nx)), 0.0, SAME);
  CHECK_NEAR(largest_difference(l, rl, m)/(1 + largest(rl, m)), 0.0, SAME);
  /* the constraint equations hold */
  tni_kkt_apply_C(K, x, y);
  for (int r = 0; r < m; r++) {
    double scale = row_scale ? row_scale[r] : 1;
    if (K->active && !K->active[r]) continue;
    CHECK_NEAR((y[r] - p->g[r])/scale/(1 + largest(rx, nx)), 0.0, SAME);
  }
  if (check_failures != before) printf("  %s, variant %d\n", what, variant);
  free(x);
  free(l);
  free(rx);
  free(rl);
  free(y);
}

static void check_counters(const tni_kkt_solver *s, const char *what, int variant) {
  tni_kkt_info info;
  tni_kkt_get_info(s, &info);
  bool ok = CHECK(info.work <= info.work_bound);
  ok = CHECK(info.nfactor >= 1 && info.nsolve >= 1) && ok;
  ok = CHECK(info.method && info.ordering && info.reason) && ok;
  if (!ok) printf("  %s, variant %d\n", what, variant);
}

/* create, factor, solve; new values, factor and solve again; no allocation after create */
static void check_all_variants(block_system *p, const double *row_scale, const char *what) {
  uint64_t seed = 99;
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    tni_kkt_solver *s;
    CHECK_OK(ctx, tni_kkt_create(ctx, &p->K, &variants[v], &s));
    check_at_once(s, p);
    size_t allocations = tn_ctx_allocations(ctx);
    CHECK_OK(ctx, tni_kkt_factor(s));
    CHECK(tn_ctx_allocations(ctx) == allocations);
    CHECK(tni_kkt_pivot_ratio(s) > 0 && tni_kkt_pivot_ratio(s) <= 1);
    check_solution(s, p, row_scale, what, v);
    if (!row_scale) {
      system_random_values(p, v%3, &seed);
      check_at_once(s, p);
      allocations = tn_ctx_allocations(ctx);
      CHECK_OK(ctx, tni_kkt_factor(s));
      CHECK(tn_ctx_allocations(ctx) == allocations);
      check_solution(s, p, NULL, what, v);
    }
    check_counters(s, what, v);
    tni_kkt_destroy(&s);
    CHECK(s == NULL);
  }
}

/* rows of block b for shapes with different block sizes: independent for random Jacobians because
 * no set of bodies has more rows than freedoms */
static int some_rows(int d, int b) { return 1 + b*7%(d - 1); }

static void chains_trees_rings_and_cliques_agree_with_the_reference(void) {
  uint64_t seed = 1;
  enum { N = 9 };
  for (int d = 3; d <= 6; d += 3) {
    for (int shape = 0; shape < 5; shape++) {
      block_spec spec[2*N];
      int n = 0;
      static const char *const names[] = {"chain", "tree", "ring", "clique", "grounded chain"};
      for (int b = 0; b < N; b++) {
        int other = shape == 0 || shape == 4 ? b - 1 : shape == 1 ? (b - 1)/2
                    : shape == 2 ? (b + N - 1)%N : 0;
        if (b == 0 && shape != 2) other = -1;
        spec[n] = (block_spec){some_rows(d, b), 1, {b}};
        if (other >= 0) spec[n].body[spec[n].nbody++] = other;
        n++;
      }
      /* the other end on the ground, too */
      if (shape == 4) spec[n++] = (block_spec){1, 1, {N - 1}};
      block_system p = system_create(d, N, spec, n, &seed);
      check_all_variants(&p, NULL, names[shape]);
      system_destroy(&p);
    }
  }
}

static void two_joints_between_the_same_bodies_add_up(void) {
  uint64_t seed = 2;
  for (int d = 3; d <= 6; d += 3) {
    block_spec spec[] = {{d - 1, 1, {0}}, {1, 2, {0, 1}}, {d - 2, 2, {1, 0}}, {1, 2, {1, 2}}};
    block_system p = system_create(d, 3, spec, TNI_COUNT(spec), &seed);
    check_all_variants(&p, NULL, "doubled joint");
    system_destroy(&p);
  }
}

static void blocks_of_any_size_on_up_to_four_bodies_agree(void) {
  uint64_t seed = 3;
  block_spec spec[] = {{2, 4, {3, 1, 0, 6}}, {1, 3, {5, 2, 4}},    {3, 1, {2}}, {4, 2, {1, 5}},
                       {6, 2, {7, 6}},       {1, 4, {7, 0, 3, 2}}, {5, 1, {4}}, {2, 3, {0, 7, 1}}};
  block_system p = system_create(6, 8, spec, TNI_COUNT(spec), &seed);
  check_all_variants(&p, NULL, "many bodies per block");
  system_destroy(&p);
  /* more rows than the inner loops are compiled for */
  block_spec large[] = {{13, 3, {0, 1, 2}}, {7, 2, {2, 3}}, {2, 1, {3}}};
  p = system_create(6, 4, large, TNI_COUNT(large), &seed);
  check_all_variants(&p, NULL, "large blocks");
  system_destroy(&p);
}

static void systems_without_constraints_are_solved_body_by_body(void) {
  uint64_t seed = 4;
  block_spec none[1] = {{0}};
  for (int n = 0; n <= 2; n++) {
    block_system p = system_create(6, n, none, 0, &seed);
    check_all_variants(&p, NULL, "no constraints");
    system_destroy(&p);
  }
  /* a block without rows is allowed */
  block_spec spec[] = {{2, 1, {0}}, {0, 2, {0, 1}}, {3, 2, {1, 0}}};
  block_system p = system_create(3, 2, spec, 3, &seed);
  check_all_variants(&p, NULL, "empty block");
  system_destroy(&p);
}

static void published_mechanisms_agree_with_the_reference(void) {
  uint64_t seed = 5;
  block_system p = system_of_mechanism(3, 7, seven_body_chain_pin, 10, &seed);
  check_all_variants(&p, NULL, "seven-body, chain pin");
  system_destroy(&p);
  p = system_of_mechanism(3, 7, seven_body_hub_pin, 10, &seed);
  check_all_variants(&p, NULL, "seven-body, hub pin");
  system_destroy(&p);
  p = system_of_mechanism(6, 14, vehicle, 21, &seed);
  check_all_variants(&p, NULL, "vehicle");
  system_destroy(&p);
}

/* random values again, but every block of two rows is a pin on its bodies */
static void make_pins(block_system *p, signed char *unit, int mass, uint64_t *seed) {
  system_random_values(p, mass, seed);
  for (int b = 0; b < p->K.nblock; b++)
    for (int a = p->incadr[b]; a < p->incadr[b+1]; a++) {
      double *J = p->J + p->jadr[a];
      unit[a] = 0;
      if (p->rowadr[b+1] - p->rowadr[b] != 2) continue;
      unit[a] = a == p->incadr[b] ? 1 : -1;
      J[0] = J[4] = unit[a];
      J[1] = J[3] = 0;
    }
  p->K.unit = unit;
}

/* masses diagonal or not, constant or not, rows switched off and on again: the code for pins and
 * the general one take turns */
static void check_pins(block_system *p, const char *what) {
  signed char unit[64];
  uint64_t seed = 12;
  p->K.active = p->active;
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    tni_kkt_solver *s;
    make_pins(p, unit, MASS_DIAGONAL, &seed);
    CHECK_OK(ctx, tni_kkt_create(ctx, &p->K, &variants[v], &s));
    for (int round = 0; round < 6; round++) {
      int off = (5*round + v)%p->K.nrow;
      p->K.constant_mass = round == 5; /* they are those of round 4 */
      if (round < 5) make_pins(p, unit, round == 2 ? MASS_FULL : MASS_DIAGONAL, &seed);
      p->active[off] = round != 1 && round != 4;
      check_at_once(s, p);
      CHECK_OK(ctx, tni_kkt_factor(s));
      check_solution(s, p, NULL, what, v);
      check_solution(s, p, NULL, what, v);
      p->active[off] = true;
    }
    tni_kkt_destroy(&s);
  }
  p->K.constant_mass = false;
}

static void pins_agree_with_the_reference(void) {
  uint64_t seed = 11;
  block_system p = system_of_mechanism(3, 7, seven_body_chain_pin, 10, &seed);
  check_pins(&p, "seven-body, chain pin");
  system_destroy(&p);
  p = system_of_mechanism(3, 7, seven_body_hub_pin, 10, &seed);
  check_pins(&p, "seven-body, hub pin");
  system_destroy(&p);
  /* between blocks of other sizes, and on three bodies */
  block_spec spec[] = {{2, 1, {0}}, {2, 2, {0, 1}}, {1, 2, {1, 2}}, {2, 2, {2, 3}}, {2, 2, {3, 4}},
                       {2, 3, {4, 5, 6}}, {2, 2, {6, 7}}, {2, 1, {7}}, {1, 2, {5, 7}}};
  p = system_create(3, 8, spec, TNI_COUNT(spec), &seed);
  check_pins(&p, "pins among others");
  system_destroy(&p);
}

/* Spatial blocks of three rows and more hold points together, those beside the point turn only, and
 * single rows feel no common shift, as of a rod. mixed: rows beside the point shift, too */
static void make_points(block_system *p, signed char *unit, int mass, bool mixed, uint64_t *seed) {
  system_random_values(p, mass, seed);
  for (int b = 0; b < p->K.nblock; b++) {
    int nrow = p->rowadr[b+1] - p->rowadr[b], first = p->incadr[b];
    for (int a = first; a < p->incadr[b+1]; a++) {
      double *J = p->J + p->jadr[a];
      unit[a] = nrow < 3 ? 0 : a == first ? 1 : -1;
      for (int r = 0; r < nrow; r++)
        for (int j = 0; j < 3; j++) {
          if (nrow < 3) J[6*r + j] = a == first ? J[6*r + j] : -p->J[p->jadr[first] + 6*r + j];
          else if (r < 3) J[6*r + j] = r == j ? unit[a] : 0;
          else if (!mixed) J[6*r + j] = 0;
        }
    }
  }
  p->K.unit = unit;
}

/* two wishbone corners on a floating body, one of them carrying a chain of all kinds of joints with
 * a loop at its end; and a loop on the ground. The code for points and the general one take turns. */
static void points_agree_with_the_reference(void) {
  static const block_spec spec[] = {
      {5, 2, {0, 1}}, {5, 2, {0, 2}}, {3, 2, {1, 3}}, {3, 2, {2, 3}}, {1, 2, {0, 3}},
      {5, 2, {4, 0}}, {5, 2, {0, 5}}, {3, 2, {6, 4}}, {3, 2, {5, 6}}, {1, 2, {6, 0}},
      {4, 2, {6, 7}}, {6, 2, {7, 8}}, {3, 2, {9, 8}}, {5, 2, {9, 10}}, {2, 2, {8, 10}},
      {5, 1, {11}}, {4, 2, {11, 12}}, {3, 1, {12}}};
  uint64_t seed = 20;
  block_system p = system_create(6, 13, spec, TNI_COUNT(spec), &seed);
  signed char unit[64];
  p.K.active = p.active;
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    tni_kkt_solver *s;
    make_points(&p, unit, MASS_DIAGONAL, false, &seed);
    CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &variants[v], &s));
    for (int round = 0; round < 6; round++) {
      int off = (7*round + v)%p.K.nrow;
      make_points(&p, unit, round == 2 ? MASS_FULL : MASS_DIAGONAL, round == 3, &seed);
      p.active[off] = round != 1 && round != 4;
      check_at_once(s, &p);
      CHECK_OK(ctx, tni_kkt_factor(s));
      check_solution(s, &p, NULL, "points", v);
      p.active[off] = true;
    }
    tni_kkt_destroy(&s);
  }
  system_destroy(&p);
}

/* rows of any unit: scaling a row changes its multiplier and nothing else */
static void badly_scaled_rows_are_no_problem(void) {
  uint64_t seed = 6;
  block_system p = system_of_mechanism(6, 14, vehicle, 21, &seed);
  double scale[73];
  for (int b = 0; b < 21; b++) {
    for (int r = p.rowadr[b]; r < p.rowadr[b+1]; r++) {
      scale[r] = pow(10, 8*check_random(&seed));
      p.g[r] *= scale[r];
      for (int a = p.incadr[b]; a < p.incadr[b+1]; a++) {
        for (int i = 0; i < 6; i++) p.J[p.jadr[a]+(r-p.rowadr[b])*6+i] *= scale[r];
      }
    }
  }
  check_all_variants(&p, scale, "bad scales");
  system_destroy(&p);
}

/* one row of the second of two joints between bodies 1 and 2 repeats a row of the first */
static block_system redundant_system(int d, uint64_t *seed) {
  block_spec spec[] = {{1, 1, {0}}, {2, 2, {0, 1}}, {2, 2, {1, 2}}, {1, 2, {2, 1}}, {1, 1, {2}}};
  block_system p = system_create(d, 3, spec, TNI_COUNT(spec), seed);
  const double *first = p.J + p.jadr[p.incadr[2]]; /* row 0, body 1 */
  double *again = p.J + p.jadr[p.incadr[3]];
  for (int i = 0; i < d; i++) {
    again[d+i] = -3*first[i];    /* body 1 is the second incidence there */
    again[i] = -3*first[2*d+i];  /* body 2: block of 2 rows before it    */
  }
  p.K.active = p.active;
  return p;
}

static void redundant_row_is_named_and_can_be_switched_off(void) {
  uint64_t seed = 7;
  for (int d = 3; d <= 6; d += 3) {
    for (int v = 0; v < TNI_COUNT(variants); v++) {
      if (variants[v].method == TNI_KKT_COMPLIANCE_CG) continue; /* has no pivots to tell from */
      block_system p = redundant_system(d, &seed);
      tni_kkt_solver *s;
      CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &variants[v], &s));
      CHECK(tni_kkt_factor(s) == TN_SINGULAR);
      int bad = tni_kkt_bad_row(s);
      if (!CHECK(bad == 3 || bad == 5)) printf("  d %d, variant %d: row %d\n", d, v, bad);
      CHECK(strstr(tn_ctx_message(ctx), "row") != NULL);
      p.active[bad] = false;
      CHECK_OK(ctx, tni_kkt_factor(s));
      check_solution(s, &p, NULL, "redundant", v);
      /* and back on */
      p.active[bad] = true;
      CHECK(tni_kkt_factor(s) == TN_SINGULAR);
      tni_kkt_destroy(&s);
      system_destroy(&p);
    }
  }
}

static void rows_can_be_switched_off_everywhere(void) {
  uint64_t seed = 8;
  for (int d = 3; d <= 6; d += 3) {
    block_system p = d == 3 ? system_of_mechanism(3, 7, seven_body_chain_pin, 10, &seed)
                            : system_of_mechanism(6, 14, vehicle, 21, &seed);
    p.K.active = p.active;
    for (int round = 0; round < 4; round++) {
      for (int r = 0; r < p.K.nrow; r++) {
        p.active[r] = round == 3 ? false : check_random(&seed) > -0.2*round;
      }
      for (int v = 0; v < TNI_COUNT(variants); v++) {
        tni_kkt_solver *s;
        CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &variants[v], &s));
        CHECK_OK(ctx, tni_kkt_factor(s));
        check_solution(s, &p, NULL, "switched off", v);
        tni_kkt_destroy(&s);
      }
    }
    system_destroy(&p);
  }
}

static void missing_right_sides_count_as_zero(void) {
  uint64_t seed = 9;
  block_system p = system_of_mechanism(3, 7, seven_body_chain_pin, 10, &seed);
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    tni_kkt_solver *s;
    double zero[21] = {0}, x[2][21], l[2][20];
    CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &variants[v], &s));
    CHECK_OK(ctx, tni_kkt_factor(s));
    tni_kkt_solve(s, zero, p.g, x[0], l[0]);
    tni_kkt_solve(s, NULL, p.g, x[1], l[1]);
    CHECK_NEAR(largest_difference(x[0], x[1], 21), 0.0, 1e-14);
    CHECK_NEAR(largest_difference(l[0], l[1], 20), 0.0, 1e-14);
    tni_kkt_solve(s, p.f, zero, x[0], l[0]);
    tni_kkt_solve(s, p.f, NULL, x[1], l[1]);
    CHECK_NEAR(largest_difference(x[0], x[1], 21), 0.0, 1e-14);
    CHECK_NEAR(largest_difference(l[0], l[1], 20), 0.0, 1e-14);
    tni_kkt_destroy(&s);
  }
  system_destroy(&p);
}

/* natural partitioning of a mechanism works with its groups, and only where a group is singular another solver helps out */
static void natural_partitioning_does_its_own_work(void) {
  uint64_t seed = 33;
  block_spec spec[] = {{5, 1, {0}}, {5, 2, {0, 1}}, {5, 2, {1, 2}}, {5, 2, {1, 3}}, {3, 2, {2, 4}}, {3, 2, {3, 4}}};
  block_system p = system_create(6, 5, spec, TNI_COUNT(spec), &seed);
  tni_kkt_solver *s;
  tni_kkt_info info;
  CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &(tni_kkt_opts){.method = TNI_KKT_NATURAL_CG, .refine = 1}, &s));
  CHECK_OK(ctx, tni_kkt_factor(s));
  check_solution(s, &p, NULL, "natural", 0);
  tni_kkt_get_info(s, &info);
  CHECK(info.iterations > 0);
  tni_kkt_destroy(&s);
  system_destroy(&p);
}

/* the chassis of the vehicle is kept as an unknown: fewer block operations than without */
static void auto_keeps_the_chassis_as_an_unknown(void) {
  uint64_t seed = 13;
  block_system p = system_of_mechanism(6, 14, vehicle, 21, &seed);
  tni_kkt_solver *s, *plain;
  tni_kkt_info info, other;
  CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, NULL, &s));
  CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &(tni_kkt_opts){.method = TNI_KKT_REDUCED}, &plain));
  tni_kkt_get_info(s, &info);
  tni_kkt_get_info(plain, &other);
  CHECK_TEXT(info.method, "hub");
  CHECK_TEXT(other.method, "reduced");
  CHECK(info.work < other.work && info.nnz < other.nnz);
  CHECK(strstr(info.reason, "unknown") != NULL);
  tni_kkt_destroy(&s);
  tni_kkt_destroy(&plain);
  system_destroy(&p);
}

/* Body 1 has more rows to the hub than freedoms: with the hub held fixed they are dependent, with a
 * free one they are not. */
static void hub_that_cannot_be_held_fixed_is_eliminated(void) {
  uint64_t seed = 14;
  block_spec spec[] = {{4, 2, {0, 1}}, {4, 2, {1, 0}}, {3, 2, {0, 2}}, {3, 2, {0, 3}},
                       {3, 2, {0, 4}}, {3, 2, {0, 5}}, {2, 2, {2, 3}}};
  block_system p = system_create(6, 6, spec, TNI_COUNT(spec), &seed);
  check_all_variants(&p, NULL, "hub with a doubled joint");
  system_destroy(&p);
}

/* a block that meets nobody but the hub, the first or a later one: held fixed, its rows would be zero */
static void hub_with_a_block_of_its_own_is_eliminated(void) {
  uint64_t seed = 24;
  for (int at = -1; at < 3; at++) {
    block_spec spec[16];
    int n = 0;
    for (int i = 0; i < 10; i++) { /* what is held to the hub, in pairs: keeping the hub as an unknown would be cheap */
      if (i == at) spec[n++] = (block_spec){2, 1, {0}};
      spec[n++] = (block_spec){3, 2, {0, i + 1}};
      if (i % 2) spec[n++] = (block_spec){1, 2, {i, i + 1}};
    }
    block_system p = system_create(6, 11, spec, n, &seed);
    tni_kkt_solver *s;
    tni_kkt_info info;
    CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, NULL, &s));
    tni_kkt_get_info(s, &info);
    CHECK((strcmp(info.method, "hub") == 0) == (at < 0));
    CHECK_OK(ctx, tni_kkt_factor(s));
    check_solution(s, &p, NULL, "hub with a block of its own", 0);
    tni_kkt_destroy(&s);
    check_all_variants(&p, NULL, "hub with a block of its own");
    system_destroy(&p);
  }
}

/* eliminating a body of mass 1e-12 costs twelve digits, keeping it costs none */
static void light_hub_keeps_its_digits(void) {
  uint64_t seed = 15;
  block_spec star[] = {{3, 2, {0, 1}}, {3, 2, {0, 2}}, {5, 2, {0, 3}}, {1, 2, {0, 4}}, {1, 1, {4}}};
  block_system p = system_create(6, 5, star, TNI_COUNT(star), &seed);
  for (int i = 0; i < 36; i++) {
    p.M[i] *= 1e-12;
    p.Minv[i] *= 1e12;
  }
  tni_kkt_solver *s;
  CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &(tni_kkt_opts){.method = TNI_KKT_HUB}, &s));
  CHECK_OK(ctx, tni_kkt_factor(s));
  check_solution(s, &p, NULL, "light hub", 0);
  tni_kkt_destroy(&s);
  system_destroy(&p);
}

/* residual of the whole system for chains too long for the reference; counters of spec 12.3 */
static void long_chains_have_linear_work(void) {
  uint64_t seed = 10;
  static block_spec spec[10000];
  for (int n = 50; n <= 10000; n *= 200) {
    for (int b = 0; b < n; b++) spec[b] = (block_spec){2, b ? 2 : 1, {b, b - 1}};
    block_system p = system_create(3, n, spec, n, &seed);
    for (tni_ordering o = TNI_ORDER_AUTO; o <= TNI_ORDER_MD_ROWS; o++) {
      tni_kkt_opts opts = {.method = TNI_KKT_REDUCED, .ordering = o};
      tni_kkt_solver *s;
      tni_kkt_info info;
      CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &opts, &s));
      CHECK_OK(ctx, tni_kkt_factor(s));
      double *x = system_array((size_t)(3*n), sizeof(double));
      double *l = system_array((size_t)(2*n), sizeof(double));
      double *r = system_array((size_t)(3*n), sizeof(double));
      tni_kkt_solve(s, p.f, p.g, x, l);
      tni_kkt_get_info(s, &info);
      CHECK_INT(info.work, 2*(n - 1));
      if (o != TNI_ORDER_AUTO && o != TNI_ORDER_MD && o != TNI_ORDER_MD_ROWS) CHECK_INT(info.work_bound, 2*(n - 1));
      tni_kkt_apply_C(&p.K, x, r);
      CHECK_NEAR(largest_difference(r, p.g, 2*n), 0.0, 1e-10);
      tni_kkt_apply_Ct(&p.K, l, r);
      for (int b = 0; b < n; b++) {
        for (int i = 0; i < 3; i++) {
          for (int j = 0; j < 3; j++) r[3*b+i] += p.M[9*b+3*i+j]*x[3*b+j];
        }
      }
      CHECK_NEAR(largest_difference(r, p.f, 3*n), 0.0, 1e-10);
      free(x);
      free(l);
      free(r);
      tni_kkt_destroy(&s);
    }
    system_destroy(&p);
  }
}

/* chains, rings and combs of spatial joints in 1 to 64 pieces: on 1, 2 and 4 threads the same bits, in any pieces the same to
 * rounding; two pieces of a chain make no fill */
static void pieces_give_the_same_bits_on_any_number_of_threads(void) {
  uint64_t seed = 77;
  static block_spec spec[200];
  enum { N = 127, NX = 6*N, NMOST = 64 };
  for (int shape = 0; shape < 3; shape++) {
    int nblock = 0;
    for (int b = 0; b < N; b++) {
      int parent = shape < 2 ? b - 1 : b%8 ? b - 1 : b - 8; /* a comb: teeth of eight */
      spec[nblock++] = (block_spec){5, parent >= 0 ? 2 : 1, {b, parent}};
    }
    if (shape == 1) spec[nblock++] = (block_spec){1, 2, {0, N - 1}};
    block_system p = system_create(6, N, spec, nblock, &seed);
    int m = p.K.nrow;
    double *x = system_array(2*NX, sizeof(double)), *l = system_array((size_t)(2*m), sizeof(double));
    double *x1 = x + NX, *l1 = l + m;
    tni_kkt_solver *s;
    tni_kkt_info plain, info;
    CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &(tni_kkt_opts){.method = TNI_KKT_REDUCED}, &s));
    CHECK_OK(ctx, tni_kkt_factor_solve(s, p.f, p.g, x, l));
    double scale = 1 + largest(x, NX);
    double *rx = system_array(NX, sizeof(double));
    memcpy(rx, x, NX*sizeof(double));
    tni_kkt_get_info(s, &plain);
    tni_kkt_destroy(&s);
    for (int pieces = 1; pieces <= NMOST; pieces *= 2) {
      for (int threads = 1; threads <= 4; threads *= 2) {
        tn_ctx *c;
        tn_ctx_opts co = {.threads = threads};
        if (!CHECK(tn_ctx_create(&co, &c) == TN_OK)) return;
        tni_kkt_opts o = {.method = TNI_KKT_PIECES, .pieces = pieces};
        CHECK_OK(c, tni_kkt_create(c, &p.K, &o, &s));
        CHECK_OK(c, tni_kkt_factor_solve(s, p.f, p.g, x1, l1));
        if (threads == 1) {
          memcpy(x, x1, NX*sizeof(double));
          memcpy(l, l1, (size_t)m*sizeof(double));
          CHECK_NEAR(largest_difference(x, rx, NX)/scale, 0.0, SAME);
          tni_kkt_get_info(s, &info);
          if (shape == 0 && pieces <= 2) CHECK_INT(info.work, plain.work);
        }
        CHECK(memcmp(x, x1, NX*sizeof(double)) == 0);
        CHECK(memcmp(l, l1, (size_t)m*sizeof(double)) == 0);
        tni_kkt_destroy(&s);
        tn_ctx_destroy(&c);
      }
    }
    free(x);
    free(l);
    free(rx);
    system_destroy(&p);
  }
  tni_kkt_solver *s;
  block_system p = system_create(6, 2, spec, 2, &seed);
  CHECK(tni_kkt_create(ctx, &p.K, &(tni_kkt_opts){.method = TNI_KKT_PIECES, .pieces = 3}, &s) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "3 pieces, must be a power of 2") != NULL);
  system_destroy(&p);
}

static void numbers_that_are_none_are_reported(void) {
  uint64_t seed = 16;
  block_system p = system_of_mechanism(6, 14, vehicle, 21, &seed);
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    tni_kkt_solver *s;
    double kept = p.J[40];
    CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &variants[v], &s));
    p.J[40] = NAN;
    CHECK(tni_kkt_factor(s) == TN_SINGULAR);
    p.J[40] = kept;
    CHECK_OK(ctx, tni_kkt_factor(s));
    check_solution(s, &p, NULL, "after a NaN", v);
    tni_kkt_destroy(&s);
  }
  system_destroy(&p);
}

static void bad_patterns_are_refused_with_a_message(void) {
  uint64_t seed = 11;
  block_spec spec[] = {{2, 1, {0}}, {2, 2, {0, 1}}};
  block_system p = system_create(3, 2, spec, 2, &seed);
  tni_kkt_solver *s;
  p.incbody[1] = 1;
  CHECK(tni_kkt_create(ctx, &p.K, NULL, &s) == TN_ERR_ARGUMENT);
  CHECK(s == NULL && strstr(tn_ctx_message(ctx), "block 1 lists body 1 twice") != NULL);
  p.incbody[1] = 5;
  CHECK(tni_kkt_create(ctx, &p.K, NULL, &s) == TN_ERR_ARGUMENT);
  p.incbody[1] = 0;
  p.K.d = 4;
  CHECK(tni_kkt_create(ctx, &p.K, NULL, &s) == TN_ERR_ARGUMENT);
  p.K.d = 3;
  p.K.nrow = 5;
  CHECK(tni_kkt_create(ctx, &p.K, NULL, &s) == TN_ERR_ARGUMENT);
  p.K.nrow = 4;
  CHECK(tni_kkt_create(ctx, &p.K, &(tni_kkt_opts){.method = 99}, &s) == TN_ERR_ARGUMENT);
  CHECK(tni_kkt_create(ctx, &p.K, &(tni_kkt_opts){.ordering = 99}, &s) == TN_ERR_ARGUMENT);
  system_destroy(&p);
}

/* an allocator that fails at the k-th call */
typedef struct {
  long count, fail_at;
  long live;
} failing;

static void *failing_alloc(void *user, size_t bytes) {
  failing *f = user;
  if (++f->count == f->fail_at) return NULL;
  f->live++;
  return malloc(bytes);
}

static void failing_release(void *user, void *ptr) {
  ((failing *)user)->live--;
  free(ptr);
}

static void running_out_of_memory_leaks_nothing(void) {
  uint64_t seed = 12;
  block_system p = system_of_mechanism(6, 14, vehicle, 21, &seed);
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    tn_status st = TN_ERR_MEMORY;
    for (long k = 1; st == TN_ERR_MEMORY && k < 200; k++) {
      failing f = {.fail_at = 0};
      tn_ctx_opts o = {.alloc = failing_alloc, .release = failing_release, .user = &f};
      tn_ctx *c;
      CHECK(tn_ctx_create(&o, &c) == TN_OK);
      f.fail_at = f.count + k;
      tni_kkt_solver *s;
      st = tni_kkt_create(c, &p.K, &variants[v], &s);
      CHECK(st == TN_OK || (st == TN_ERR_MEMORY && s == NULL));
      tni_kkt_destroy(&s);
      tn_ctx_destroy(&c);
      CHECK_INT(f.live, 0);
    }
    CHECK(st == TN_OK);
  }
  system_destroy(&p);
}

/* C x - S lambda = g: residuals of both equations, also where the rows depend on each other */
static void shifts_soften_rows(void) {
  uint64_t seed = 7;
  for (int v = 0; v < TNI_COUNT(variants); v++) {
    if (variants[v].method == TNI_KKT_NATURAL || variants[v].method == TNI_KKT_NATURAL_CG)
      continue; /* no multipliers to soften */
    for (int d = 3; d <= 6; d += 3) {
      block_spec spec[] = {{2, 1, {0}}, {2, 2, {0, 1}}, {2, 2, {1, 2}}, {2, 2, {2, 3}}, {2, 1, {3}}};
      block_system p = system_create(d, 4, spec, TNI_COUNT(spec), &seed);
      double shift[10], x[24], l[10], y[24], z[10];
      for (int r = 0; r < 10; r++) shift[r] = 0.1 + 0.03*r;
      /* the last two rows twice */
      memcpy((double *)p.K.J + p.K.jadr[0], (double *)p.K.J + p.K.jadr[0] + d,
             (size_t)d*sizeof(double));
      p.K.shift = shift;
      tni_kkt_solver *s;
      CHECK_OK(ctx, tni_kkt_create(ctx, &p.K, &variants[v], &s));
      CHECK_OK(ctx, tni_kkt_factor(s));
      tni_kkt_solve(s, p.f, p.g, x, l);
      tni_kkt_apply_Ct(&p.K, l, y);
      tni_kkt_apply_C(&p.K, x, z);
      for (int b = 0; b < 4; b++)
        for (int i = 0; i < d; i++) {
          double sum = y[b*d+i] - p.f[b*d+i];
          for (int k = 0; k < d; k++) sum += p.K.M[b*d*d + i*d + k]*x[b*d+k];
          CHECK_NEAR(sum, 0, 1e-9);
        }
      for (int r = 0; r < 10; r++) CHECK_NEAR(z[r] - shift[r]*l[r] - p.g[r], 0, 1e-9);
      tni_kkt_destroy(&s);
      system_destroy(&p);
    }
  }
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(chains_trees_rings_and_cliques_agree_with_the_reference);
  RUN(two_joints_between_the_same_bodies_add_up);
  RUN(blocks_of_any_size_on_up_to_four_bodies_agree);
  RUN(systems_without_constraints_are_solved_body_by_body);
  RUN(published_mechanisms_agree_with_the_reference);
  RUN(pins_agree_with_the_reference);
  RUN(points_agree_with_the_reference);
  RUN(badly_scaled_rows_are_no_problem);
  RUN(redundant_row_is_named_and_can_be_switched_off);
  RUN(rows_can_be_switched_off_everywhere);
  RUN(missing_right_sides_count_as_zero);
  RUN(natural_partitioning_does_its_own_work);
  RUN(auto_keeps_the_chassis_as_an_unknown);
  RUN(hub_that_cannot_be_held_fixed_is_eliminated);
  RUN(hub_with_a_block_of_its_own_is_eliminated);
  RUN(light_hub_keeps_its_digits);
  RUN(long_chains_have_linear_work);
  RUN(pieces_give_the_same_bits_on_any_number_of_threads);
  RUN(numbers_that_are_none_are_reported);
  RUN(bad_patterns_are_refused_with_a_message);
  RUN(running_out_of_memory_leaks_nothing);
  RUN(shifts_soften_rows);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
