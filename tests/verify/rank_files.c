/* What several ranks store of explicit runs whose meshes they have divided: fields of pieces are those of the whole, files are those of one
 * process, whoever looks on, and any number of ranks goes on from them
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* pwritev */
#include <stdatomic.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "support/ranks_explicit.h"

#include "analyses/run.h"
#include "integrators/central.h"
#include "support/check.h"
#include "system/parts.h"
#include "system/pieces.h"

static bool all;

/* ---- fields of pieces ---------------------------------------------------------------------------------------- */

/* beside those of every explicit run: beams, whose stresses count where nothing else has some */
static const char BEAMS[] =
    "meshes: {m: {bar: {size: 2, cells: 12}}}\nmaterials: {a: {type: elastic, E: 2e6, nu: 0.25, density: 10}}\n"
    "structures: {m: {mesh: m, material: a, section: {rectangle: [0.1, 0.3]}}}\n"
    "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [5, 3, 2]}]\nanalysis: {until: 0.3, method: central%s}\n";

typedef struct { const char *text; int failures, fields, nonzero; } fields_job;

static int compare_fields(tn_sim *sim, int *nfield, int *nonzero) {
  tni_pieces *p = tni_central_pieces(sim->it);
  const tni_parts *parts = sim->s->parts;
  int failures = 0;
  for (int round = 0; round < 2; round++) /* a second time, when something may be known already */
    for (int k = 0; k < parts->n; k++) {
      const tni_part *part = &parts->part[k];
      const tni_part_piece *x = &p->piece[k];
      double *mine = calloc(6*(size_t)x->nnode + 1, sizeof(double)), *whole = calloc(6*(size_t)part->mesh->nnode, sizeof(double));
      for (int f = 0; f < part->nfield; f++) {
        size_t n = (size_t)part->field[f].ncomponent;
        double most = 0, off = 0;
        tni_part_at at = tni_parts_at(sim->s, k);
        part->ops->fill(part, parts->work[k], &at, f, whole);
        failures += !tni_pieces_fill(p, k, f, f == 0, mine);
        for (size_t i = 0; i < n*(size_t)part->mesh->nnode; i++) most = fmax(most, fabs(whole[i]));
        for (int i = 0; i < x->nnode; i++) /* at cuts too: all ranks have the same there */
          for (size_t c = 0; c < n; c++) off = fmax(off, fabs(mine[(size_t)i*n + c] - whole[(size_t)x->node[i]*n + c]));
        if (!(off <= 1e-11*most)) {
          printf("  %s of '%s' on rank %d: off by %.2e of %.2e\n", part->field[f].name, part->name, p->comm->rank, off, most);
          failures++;
        }
        ++*nfield;
        *nonzero += most > 0;
      }
      free(mine);
      free(whole);
    }
  return failures;
}

static tn_status fields_work(tni_comm *c, void *user) {
  fields_job *j = user;
  char whole[8192];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  snprintf(whole, sizeof(whole), "tenon: 1\n%s", j->text);
  tn_status st = tn_spec_read_text(c->ctx, "test", whole, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(c->ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(c->ctx, model, NULL, &sim);
  if (st == TN_OK && !tni_central_pieces(sim->it)) st = TN_FAIL(c->ctx, TN_ERR_INTERNAL, "not divided");
  int failures = 0, n = 0, nonzero = 0;
  for (int k = 0; k < 30 && st == TN_OK; k++) {
    st = tni_sim_advance_step(sim);
    if (st == TN_OK && k % 15 == 14) st = tni_sim_look(sim, sim->t_hi); /* the whole, with history */
    if (st == TN_OK && k % 15 == 14) failures += compare_fields(sim, &n, &nonzero);
  }
  if (c->rank == 0) j->fields = n, j->nonzero = nonzero;
  if (failures) j->failures += failures;
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static void fields_of_pieces_are_those_of_the_whole(void) {
  tn_ctx *ctx;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int m = 0; m <= EXPLICIT_NMODEL; m++)
    for (int ranks = 2; ranks <= 5; ranks += 3) {
      char text[4096];
      fields_job j = {.text = text};
      snprintf(text, sizeof(text), m < EXPLICIT_NMODEL ? EXPLICIT_MODELS[m] : BEAMS, "");
      if (!CHECK(tni_comm_run_local(ctx, ranks, fields_work, &j, NULL, NULL) == TN_OK)) printf("  model %d: %s\n", m, tn_ctx_message(ctx));
      if (!CHECK(j.failures == 0)) printf("  model %d on %d ranks\n", m, ranks);
      CHECK(j.fields >= 24 && j.nonzero >= 20);
    }
  tn_ctx_destroy(&ctx);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* two meshes, large enough for datasets of their own, one of them for more ranks than it has cells along a side */
static const char MODEL[] =
    "tenon: 1\ngravity: [0, 0, -1]\nmeshes:\n  m: {box: {size: [0.2, 1, 1], cells: [2, 32, 32], cell: hex8, distort: 0.1}}\n"
    "  n: {box: {size: [1, 1, 1], cells: [2, 1, 1], cell: hex8}}\n"
    "materials: {a: {type: plastic, E: 1000, nu: 0.3, yield: 3, hardening: 50, density: 1}, b: {type: elastic, E: 2000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, element: one, formulation: large}, n: {mesh: n, material: b, element: one}}\n"
    "supports: [{structure: m, group: y0, fix: all}, {structure: n, group: x0, fix: all}]\n"
    "loads: [{structure: m, group: y1, traction: [0, 0, \"60*t\"]}, {structure: n, group: x1, force: [0, 0, 1]}]\n"
    "output: {every: %g, checkpoint: 0.04%s}\nanalysis: {until: %g, method: central}\n";

typedef struct {
  const char *keys, *file, *restart;
  double every, until, restart_time; /* every 0: 0.02 */
  bool watched, together; /* together: rows are not stored by pieces */
  char verdict[200];
  long rows;
  int frames; /* that the watch was shown */
} run_job;

static void no_scene(void *user, const char *text, size_t n, int nvalue) {
  (void)user, (void)text, (void)n, (void)nvalue;
}

static void count_frame(void *user, double t, const double *values) {
  (void)t;
  double sum = 0;
  for (int i = 0; i < 40; i++) sum += fabs(values[i]);
  ((run_job *)user)->frames += isfinite(sum);
}

static tn_status run_one(tn_ctx *ctx, run_job *j) {
  char text[4096];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_summary *summary = calloc(1, sizeof(*summary));
  tn_watch w = {.user = j, .begin = no_scene, .frame = count_frame};
  tn_run_opts o = {.results = j->file, .restart = j->restart, .restart_time = j->restart_time, .overwrite = true, .watch = j->watched && tn_rank(ctx) == 0 ? &w : NULL};
  snprintf(text, sizeof(text), MODEL, j->every > 0 ? j->every : 0.02, j->keys, j->until);
  tn_status st = tn_spec_read_text(ctx, "test", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_run(ctx, model, &o, summary);
  if (st == TN_OK && tn_rank(ctx) == 0) {
    snprintf(j->verdict, sizeof(j->verdict), "%.190s", summary->verdict);
    j->rows = summary->stored;
  }
  free(summary);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static void look_on(void *user, tn_sim *sim) { (void)user, (void)sim; }

static tn_status run_work(tni_comm *c, void *user) {
  if (((run_job *)user)->together) c->ctx->looked = look_on;
  return run_one(c->ctx, user);
}

static const char *path(const char *name) {
  static char room[8][300];
  static int k;
  snprintf(room[k = (k + 1) % 8], sizeof(room[0]), "rank_files_%ld_%s", (long)getpid(), name);
  return room[k];
}

/* The rows of a are the last ones of b: largest difference of numbers of fields apart, in parts of the largest of their field and row; HUGE_VAL: other
 * rows. *same_columns: the other numbers are the same. */
static double difference(tn_ctx *ctx, const char *a, const char *b, bool *same_columns) {
  tni_reader *r[2] = {NULL, NULL};
  double worst = 0;
  *same_columns = true;
  CHECK_OK(ctx, tni_results_open(ctx, a, &r[0]));
  CHECK_OK(ctx, tni_results_open(ctx, b, &r[1]));
  if (!r[0] || !r[1]) return HUGE_VAL;
  const tni_results_info *info = tni_results_get_info(r[0]);
  CHECK(info->nfield > 0 && info->field[0].apart);
  size_t n = (size_t)info->nappend;
  double *x = malloc(n*sizeof(double)), *y = malloc(n*sizeof(double));
  long first = tni_results_ntime(r[1]) - tni_results_ntime(r[0]);
  if (first < 0 || n != (size_t)tni_results_get_info(r[1])->nappend) worst = HUGE_VAL;
  for (long k = 0; k < tni_results_ntime(r[0]) && worst < HUGE_VAL; k++) {
    CHECK_OK(ctx, tni_results_read_row(r[0], k, x));
    CHECK_OK(ctx, tni_results_read_row(r[1], first + k, y));
    double t[2];
    CHECK_OK(ctx, tni_results_read_times(r[0], k, 1, &t[0]));
    CHECK_OK(ctx, tni_results_read_times(r[1], first + k, 1, &t[1]));
    if (t[0] != t[1]) worst = HUGE_VAL;
    *same_columns = *same_columns && memcmp(x, y, (size_t)info->nvalue*sizeof(double)) == 0;
    size_t at = (size_t)info->nvalue;
    for (int f = 0; f < info->nfield; f++) {
      double most = 0, off = 0;
      size_t size = (size_t)tni_field_size(info, &info->field[f]);
      for (size_t i = at; i < at + size; i++) {
        most = fmax(most, fabs(y[i]));
        off = fmax(off, x[i] == y[i] ? 0 : fabs(x[i] - y[i]));
      }
      /* what is zero of one may be rounding of the other: a plastic strain that has not begun is not */
      if (off > 1e-12) worst = fmax(worst, off/fmax(most, 1e-6));
      at += size;
    }
  }
  free(x);
  free(y);
  tni_results_close(&r[0]);
  tni_results_close(&r[1]);
  return worst;
}

static void files_of_ranks_are_those_of_one(void) {
  static const char *const keys[] = {"", ", writers: 1", ", fields: [stress, reaction], groups: [x0, x1]"};
  tn_ctx *ctx;
  bool same;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int k = 0; k < 3; k += all ? 1 : 2) {
    run_job one = {.keys = keys[k], .file = path("one.h5"), .until = all ? 0.1 : 0.04}, many = one, shown = one;
    CHECK_OK(ctx, run_one(ctx, &one));
    many.file = path("many.h5");
    CHECK_OK(ctx, tni_comm_run_local(ctx, k == 1 ? 4 : all ? 3 : 2, run_work, &many, NULL, NULL));
    double off = difference(ctx, many.file, one.file, &same);
    if (!CHECK(off <= 1e-10)) printf("  keys '%s': off by %.2e\n", keys[k], off);
    CHECK(many.rows == one.rows && strcmp(many.verdict, one.verdict) == 0);
    if (k == 0) { /* who looks on changes no bit */
      shown.file = path("shown.h5");
      shown.watched = true;
      CHECK_OK(ctx, tni_comm_run_local(ctx, all ? 3 : 2, run_work, &shown, NULL, NULL));
      CHECK(shown.frames == shown.rows);
      CHECK(difference(ctx, shown.file, many.file, &same) == 0 && same);
      remove(shown.file);
    }
    remove(one.file);
    remove(many.file);
  }
  tn_ctx_destroy(&ctx);
}

/* from a checkpoint in the file of two ranks: on two the rows of the run that was never stopped, bit for bit; on others, and alone, the same motion */
static void any_number_of_ranks_goes_on_from_a_file(void) {
  tn_ctx *ctx;
  bool same;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  run_job whole = {.keys = "", .file = path("whole.h5"), .until = 0.08};
  CHECK_OK(ctx, tni_comm_run_local(ctx, 2, run_work, &whole, NULL, NULL));
  for (int ranks = 1; ranks <= (all ? 4 : 2); ranks++) {
    run_job on = {.keys = "", .file = path("on.h5"), .restart = whole.file, .restart_time = 0.04, .until = 0.08};
    tn_status st = ranks == 1 ? run_one(ctx, &on) : tni_comm_run_local(ctx, ranks, run_work, &on, NULL, NULL);
    if (!CHECK(st == TN_OK)) printf("  %d ranks: %s\n", ranks, tn_ctx_message(ctx));
    CHECK_INT(on.rows, 2);
    double off = difference(ctx, on.file, whole.file, &same);
    if (!CHECK(ranks == 2 ? off == 0 && same : off <= 1e-9)) printf("  on %d ranks: off by %.2e\n", ranks, off);
    remove(on.file);
  }
  /* from a row between checkpoints, whose steps are repeated and compared */
  run_job on = {.keys = "", .file = path("on.h5"), .restart = whole.file, .restart_time = 0.06, .until = 0.08, .watched = true};
  if (!CHECK(tni_comm_run_local(ctx, 2, run_work, &on, NULL, NULL) == TN_OK)) printf("  %s\n", tn_ctx_message(ctx));
  CHECK(difference(ctx, on.file, whole.file, &same) == 0 && same);
  remove(on.file);
  remove(whole.file);
  tn_ctx_destroy(&ctx);
}

/* of chunks of fields */
static atomic_int pause_ms;

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
  struct iovec piece = {(void *)(uintptr_t)bytes, n};
  if (n > 20000) nanosleep(&(struct timespec){.tv_nsec = 1000000L*pause_ms}, NULL);
  return pwritev(fd, &piece, 1, at);
}

/* the run is rows ahead of the disk, which reads them where the run fills the next but one: in the record, or in what came together of pieces */
static void rows_wait_for_a_slow_disk(void) {
  static const struct { int ranks; bool together; } how[] = {{1, true}, {2, false}, {2, true}};
  tn_ctx *ctx;
  bool same;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  for (int i = 0; i < TNI_COUNT(how); i++) {
    run_job fast = {.keys = "", .file = path("fast.h5"), .every = 0.0005, .until = 0.004, .together = how[i].together}, slow = fast;
    slow.file = path("slow.h5");
    for (int k = 0; k < 2; k++) {
      pause_ms = k ? 50 : 0;
      CHECK_OK(ctx, how[i].ranks == 1 ? run_one(ctx, k ? &slow : &fast) : tni_comm_run_local(ctx, how[i].ranks, run_work, k ? &slow : &fast, NULL, NULL));
    }
    pause_ms = 0;
    if (!CHECK(difference(ctx, slow.file, fast.file, &same) == 0 && same)) printf("  %d ranks\n", how[i].ranks);
    remove(fast.file);
    remove(slow.file);
  }
  tn_ctx_destroy(&ctx);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(fields_of_pieces_are_those_of_the_whole);
  RUN(files_of_ranks_are_those_of_one);
  RUN(any_number_of_ranks_goes_on_from_a_file);
  RUN(rows_wait_for_a_slow_disk);
  return REPORT();
}
