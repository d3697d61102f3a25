/* analyses/rates.c - how fast this machine does what solvers are made of
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include <tenon/advise.h>

#include "domains/domains.h"
#include "mesh/mesh.h"
#include "parallel/comm.h"
#include "system/parts.h"

enum { CUBE = 16, FLAT = 10, ROUNDS = 3, TAG = 7100, LETTER = 1 << 20 };

tn_rates tn_rates_usual(void) {
  /* active columns a Gflop/s; the others in the proportions that today's processors have */
  return (tn_rates){.factor = 4e9, .solve = 0.25e9, .product = 0.15e9, .skyline = 1e9, .order = 2e7, .latency = 2e-6, .byte = 2e-10};
}

typedef struct {
  const char *name, *doc;
  size_t at;
} entry;

#define ENTRY(name, doc) {#name, doc, offsetof(tn_rates, name)}
static const entry ENTRIES[] = {
    ENTRY(factor, "operations a second, sparse factorizations"), ENTRY(solve, "operations a second, solutions with their factors"),
    ENTRY(product, "operations a second, products with sparse matrices"), ENTRY(skyline, "operations a second, active columns"),
    ENTRY(order, "entries a second, patterns ordered"), ENTRY(latency, "s, a message"), ENTRY(byte, "s, each of its bytes")};

static double *value_of(tn_rates *r, const entry *e) { return (double *)(void *)((char *)r + e->at); }

tn_status tn_rates_read(tn_ctx *ctx, const char *path, tn_rates *out) {
  FILE *f = fopen(path, "r");
  char line[256], name[64];
  if (!f) return TN_FAIL(ctx, TN_ERR_IO, "cannot read rates '%s'", path);
  tn_status st = TN_OK;
  for (int n = 1; st == TN_OK && fgets(line, sizeof(line), f); n++) {
    double value;
    char extra;
    line[strcspn(line, "\n")] = 0;
    if (line[strspn(line, " \t\r\n")] == 0 || line[strspn(line, " \t")] == '#') continue;
    int got = sscanf(line, "%63s %lf %c", name, &value, &extra), which = -1;
    for (int i = 0; i < TNI_COUNT(ENTRIES) && got >= 1; i++)
      if (strcmp(name, ENTRIES[i].name) == 0) which = i;
    if (which < 0 || got < 2 || (got == 3 && extra != '#') || !(value > 0) || !(value < 1e30))
      st = TN_FAIL(ctx, TN_ERR_INPUT, "%s:%d: '%.60s' is no rate: a name (factor, solve, product, skyline, order, latency, byte) and a positive number",
                   path, n, line);
    else *value_of(out, &ENTRIES[which]) = value;
  }
  fclose(f);
  return st;
}

tn_status tn_rates_write(tn_ctx *ctx, const char *path, const tn_rates *rates, const char *comment) {
  FILE *f = fopen(path, "w");
  bool ok = f && fprintf(f, "# rates of solvers, one thread%s%s\n", comment ? ": " : "", comment ? comment : "") > 0;
  tn_rates own = *rates;
  for (int i = 0; i < TNI_COUNT(ENTRIES) && ok; i++)
    ok = fprintf(f, "%-8s %.4g  # %s\n", ENTRIES[i].name, *value_of(&own, &ENTRIES[i]), ENTRIES[i].doc) > 0;
  if (f && fclose(f) != 0) ok = false;
  return ok ? TN_OK : TN_FAIL(ctx, TN_ERR_IO, "cannot write rates to '%s'", path);
}

/* ---- measuring ---------------------------------------------------------------------------------------------- */

/* best of rounds; each long enough for the clock */
static double operations_per_second(double operations, double seconds) { return operations/fmax(seconds, 1e-7); }

static tn_status factor_rates(tn_ctx *ctx, const char *backend, const tni_domain *d, double *factor, double *solve, double *order) {
  double *b = tni_doubles(ctx, (size_t)d->n);
  if (!b) return tni_out_of_memory(ctx);
  tn_status st = TN_OK;
  for (int k = 0; k < ROUNDS && st == TN_OK; k++) {
    tni_sparse_solver *lu = NULL;
    tni_sparse_opts o = {.backend = backend, .symmetric = true, .node = d->node};
    double t0 = tni_cpu_time(), t1, t2, t3;
    st = tni_sparse_solver_create(ctx, d->n, d->ptr, d->ind, &o, &lu);
    t1 = tni_cpu_time();
    if (st == TN_OK) st = tni_sparse_solver_factor(lu, d->value);
    t2 = tni_cpu_time();
    if (st == TN_OK) {
      for (int i = 0; i < d->n; i++) b[i] = 1;
      for (int i = 0; i < 4; i++) tni_sparse_solver_solve(lu, 1, false, b);
      t3 = tni_cpu_time();
      *factor = fmax(*factor, operations_per_second(tni_sparse_solver_flops(lu), t2 - t1));
      if (solve) *solve = fmax(*solve, operations_per_second(16.0*(double)tni_sparse_solver_nnz(lu), t3 - t2));
      if (order) *order = fmax(*order, operations_per_second(d->ptr[d->n], t1 - t0));
    }
    tni_sparse_solver_destroy(&lu);
  }
  tni_free(ctx, b);
  return st;
}

static tn_status product_rate(tn_ctx *ctx, const tni_domain *d, double *rate) {
  enum { TIMES = 20 };
  double *x = tni_doubles(ctx, 2*(size_t)d->n);
  if (!x) return tni_out_of_memory(ctx);
  for (int i = 0; i < d->n; i++) x[i] = 1;
  for (int k = 0; k < ROUNDS; k++) {
    double begin = tni_cpu_time();
    for (int i = 0; i < TIMES; i++) tni_domain_multiply(d, x, x + d->n);
    *rate = fmax(*rate, operations_per_second(2.0*TIMES*d->ptr[d->n], tni_cpu_time() - begin));
  }
  tni_free(ctx, x);
  return TN_OK;
}

/* a cube of bricks, held at one face, as one domain */
static tn_status with_cube(tn_ctx *ctx, int side, tn_status (*work)(tn_ctx *ctx, const tni_domain *d, tn_rates *out), tn_rates *out) {
  char text[600];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tni_data *s = NULL;
  tni_arena arena;
  snprintf(text, sizeof(text), "tenon: 1\nmeshes: {m: {box: {size: [1, 1, 1], cells: [%d, %d, %d], cell: hex8}}}\n"
           "materials: {a: {type: elastic, E: 1, nu: 0.3, density: 1}}\nstructures: {m: {mesh: m, material: a}}\n"
           "supports: [{group: x0, fix: all}]\nanalysis: {type: statics}\n", side, side, side);
  tni_arena_init(&arena, ctx);
  tn_status st = tn_spec_read_text(ctx, "cube", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tni_cartesian_create(ctx, model, NULL, &s);
  const tni_part *part = st == TN_OK ? &model->part[0] : NULL;
  int *of_cell = st == TN_OK ? tni_arena_alloc(&arena, (size_t)part->mesh->ncell, sizeof(int)) : NULL;
  if (st == TN_OK && !of_cell) st = tni_out_of_memory(ctx);
  tni_domains *d = NULL;
  if (st == TN_OK) st = part->ops->cut(part, &arena, of_cell, 1, 0, 1, &d);
  if (st == TN_OK) {
    tni_part_at at = tni_parts_at(s, 0);
    st = part->ops->cut_tangent(part, s->parts->work[0], &at, NULL, d) ? work(ctx, &d->domain[0], out)
                                                                 : TN_FAIL(ctx, TN_ERR_INTERNAL, "a cube without stiffness");
  }
  tni_arena_clear(&arena);
  tni_data_destroy(&s);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static tn_status large(tn_ctx *ctx, const tni_domain *d, tn_rates *out) {
  TN_TRY(factor_rates(ctx, "fronts", d, &out->factor, &out->solve, &out->order));
  return product_rate(ctx, d, &out->product);
}

static tn_status small(tn_ctx *ctx, const tni_domain *d, tn_rates *out) {
  return factor_rates(ctx, "skyline", d, &out->skyline, NULL, NULL);
}

/* there and back, short and long, between the first two ranks */
static tn_status message_rates(tni_comm *c, tn_rates *out) {
  enum { TIMES = 200 };
  char *letter = tni_alloc(c->ctx, LETTER, 1);
  if (!letter) return tni_out_of_memory(c->ctx);
  double seconds[2];
  tn_status st = tni_comm_barrier(c);
  for (int kind = 0; kind < 2 && st == TN_OK; kind++) {
    int times = kind ? TIMES/10 : TIMES;
    size_t bytes = kind ? LETTER : 8;
    double begin = tni_wall_time();
    for (int i = 0; i < times && st == TN_OK && c->rank < 2; i++) {
      int other = 1 - c->rank;
      if (c->rank == 0) st = tni_comm_send(c, other, TAG, letter, bytes);
      if (st == TN_OK) st = tni_comm_receive(c, other, TAG, letter, bytes);
      if (st == TN_OK && c->rank == 1) st = tni_comm_send(c, other, TAG, letter, bytes);
    }
    seconds[kind] = (tni_wall_time() - begin)/(2*times);
    if (st == TN_OK) st = tni_comm_broadcast(c, 0, &seconds[kind], sizeof(double));
  }
  tni_free(c->ctx, letter);
  TN_TRY(st);
  out->latency = seconds[0];
  out->byte = fmax((seconds[1] - seconds[0])/LETTER, 1e-12);
  return TN_OK;
}

tn_status tn_rates_measure(tn_ctx *ctx, tn_rates *out) {
  tn_rates usual = tn_rates_usual();
  *out = (tn_rates){.latency = usual.latency, .byte = usual.byte};
  TN_TRY(with_cube(ctx, CUBE, large, out));
  TN_TRY(with_cube(ctx, FLAT, small, out));
  return tni_comm_of(ctx) ? message_rates(tni_comm_of(ctx), out) : TN_OK;
}
