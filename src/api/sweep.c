/* api/sweep.c - one model with many values of its parameters, cases on threads
 *
 * Cases share nothing but the text of the file on disk: each has its own context, reads, compiles and runs alone on one
 * thread, and leaves its numbers with names. Which cases run at the same time therefore changes no bit. The table is
 * made afterwards, in the order of the cases: a column for every name that any case has.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "api/sweep.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "analyses/sim.h"
#include "output/json.h"
#include "parallel/pool.h"

enum { CASES_MAX = 1000*1000 };

typedef struct {
  tn_sweep *sweep;
  const char *path;
  const tn_sweep_opts *o;
  pthread_t caller;
  atomic_int done;
} job;

/* ---- one case --------------------------------------------------------------------------------- */

typedef struct {
  job *j;
  tni_sweep_run *run;
  int nsensed; /* components of all sensors */
  long rows;   /* looked at                 */
} watcher;

static tn_status add_number(tni_sweep_run *c, const char *name, const char *unit, double value) {
  void *items = c->number;
  if (!tni_arena_grow(&c->arena, &items, c->nnumber, &c->cap, sizeof(*c->number)))
    return tni_out_of_memory(c->ctx);
  c->number = items;
  char *own = tni_arena_strdup(&c->arena, name), *own_unit = tni_arena_strdup(&c->arena, unit ? unit : "");
  if (!own || !own_unit) return tni_out_of_memory(c->ctx);
  c->number[c->nnumber++] = (tni_sweep_number){{own, own_unit}, value};
  return TN_OK;
}

/* places of the numbers of all sensors: last, smallest, largest of every component */
static tn_status name_sensors(watcher *w, const tn_model *model) {
  static const char *const WHICH[] = {"end", "min", "max"};
  char name[512];
  for (int i = 0; i < model->nsensor; i++) {
    const tni_sensor *e = &model->sensor[i];
    for (int k = 0; k < e->ncomponent; k++) {
      w->nsensed++;
      for (int m = 0; m < TNI_COUNT(WHICH); m++) {
        bool one = e->ncomponent == 1;
        snprintf(name, sizeof(name), "%s%s%s %s", e->name, one ? "" : ".", one ? "" : e->component[k], WHICH[m]);
        TN_TRY(add_number(w->run, name, e->unit, NAN));
      }
    }
  }
  return TN_OK;
}

/* called for every row that the run would store */
static void look(void *user, struct tn_sim *sim) {
  watcher *w = user;
  tni_sweep_number *to = w->run->number;
  if (w->j->sweep->ctx->interrupted) tn_ctx_interrupt(w->run->ctx);
  for (int k = 0; k < w->nsensed; k++, to += 3) {
    double x = sim->sensor[k];
    to[0].value = x;
    if (w->rows == 0 || x < to[1].value) to[1].value = x;
    if (w->rows == 0 || x > to[2].value) to[2].value = x;
  }
  w->rows++;
}

static void forward_interrupt(void *user, double t, double t_end, double h, long steps) {
  watcher *w = user;
  (void)t, (void)t_end, (void)h, (void)steps;
  if (w->j->sweep->ctx->interrupted) tn_ctx_interrupt(w->run->ctx);
}

/* what the analysis found beside sensors */
static tn_status add_figures(tni_sweep_run *c, const tn_summary *u) {
  char name[80];
  for (int i = 0; i < u->modes && i < TN_SUMMARY_MODES; i++) {
    snprintf(name, sizeof(name), "mode %d", i + 1);
    TN_TRY(add_number(c, name, "Hz", u->mode[i].frequency));
  }
  for (int i = 0; i < u->criticals && i < TN_SUMMARY_CRITICAL; i++) {
    snprintf(name, sizeof(name), "critical load %d", i + 1);
    TN_TRY(add_number(c, name, "", u->critical[i].load));
  }
  for (int i = 0; i < u->figures; i++) TN_TRY(add_number(c, u->figure[i].name, u->figure[i].unit, u->figure[i].value));
  return TN_OK;
}

static void keep_warning(void *user, tn_log_level level, const char *line) {
  tni_sweep_run *c = user;
  if (level != TN_LOG_WARNING) return;
  if (c->info.warnings++ == 0) {
    char *own = tni_arena_strdup(&c->arena, line);
    c->info.warning = own ? own : "";
  }
}

/* "name=value" of every parameter after the overrides of all cases */
static tn_status make_overrides(const job *j, int i, tni_arena *arena, const char ***out) {
  const tn_sweep_opts *o = j->o;
  const char **text;
  TNI_ARENA_NEW(arena, text, o->noverride + o->nparam + 1);
  for (int k = 0; k < o->noverride; k++) text[k] = o->overrides[k];
  for (int k = 0; k < o->nparam; k++) {
    char number[TNI_NUMBER_MAX];
    tni_format_number(number, j->sweep->value[i][k]);
    char *s = tni_arena_printf(arena, "%s=%s", o->param[k].name, number);
    if (!s) return tni_out_of_memory(arena->ctx);
    text[o->noverride + k] = s;
  }
  *out = text;
  return TN_OK;
}

/* the run itself; message and outcome are taken by the caller */
static tn_status run_model(job *j, tni_sweep_run *c, const tn_model *model, tn_summary *sum) {
  watcher w = {.j = j, .run = c};
  TN_TRY(name_sensors(&w, model));
  tn_run_opts run = j->o->run;
  run.results = "";
  run.restart = NULL;
  run.watch = NULL;
  run.progress = forward_interrupt;
  run.user = &w;
  c->ctx->looked = look;
  c->ctx->looked_user = &w;
  c->info.ran = true;
  tn_status st = tn_run(c->ctx, model, &run, sum);
  c->ctx->looked = NULL;
  c->info.outcome = sum->outcome ? sum->outcome : "failed";
  c->info.steps = sum->steps;
  if (st != TN_OK) return st;
  c->info.sound = sum->sound;
  char *why = tni_arena_strdup(&c->arena, sum->verdict);
  if (!why) return tni_out_of_memory(c->ctx);
  c->info.why = why;
  return add_figures(c, sum);
}

static tn_status run_case(job *j, int i, tni_sweep_run *c) {
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  const char **overrides;
  tn_summary *sum;
  TNI_ARENA_NEW(&c->arena, sum, 1);
  TN_TRY(make_overrides(j, i, &c->arena, &overrides));
  tn_status st = tn_spec_read_file(c->ctx, j->path, overrides, j->o->noverride + j->o->nparam, &spec);
  if (st == TN_OK) st = tn_model_compile(c->ctx, spec, &model);
  if (st == TN_OK) st = run_model(j, c, model, sum);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static void work(void *user, int begin, int end) {
  job *j = user;
  for (int i = begin; i < end && !j->sweep->ctx->interrupted; i++) {
    tni_sweep_run *c = &j->sweep->run[i];
    double start = thread_time();
    tn_ctx_opts opts = {.log = keep_warning, .user = c, .threads = 1};
    c->info.outcome = "refused";
    c->info.status = tn_ctx_create(&opts, &c->ctx);
    if (c->info.status != TN_OK) {
      c->info.why = "out of memory";
      continue;
    }
    tni_arena_init(&c->arena, c->ctx);
    c->info.status = run_case(j, i, c);
    if (c->info.status != TN_OK) {
      c->info.sound = false;
      c->info.why = tn_ctx_message(c->ctx); /* lives as long as the context, which does nothing more */
    }
    c->info.cpu = thread_time() - start;
    int done = atomic_fetch_add(&j->done, 1) + 1;
    if (j->o->progress && pthread_equal(pthread_self(), j->caller)) j->o->progress(j->o->user, done, j->sweep->ncase);
  }
}

/* ---- all of them ------------------------------------------------------------------------------ */

static tn_status count_cases(tn_ctx *ctx, const tn_sweep_opts *o, int *out) {
  double n = 1;
  TN_REQUIRE(ctx, o && o->nparam > 0 && o->param, TN_ERR_ARGUMENT, "sweep: no parameter varies");
  for (int k = 0; k < o->nparam; k++) {
    const tn_sweep_param *p = &o->param[k];
    TN_REQUIRE(ctx, p->name && p->name[0] && p->value && p->n > 0, TN_ERR_ARGUMENT, "sweep: parameter %d has no name or no values",
               k + 1);
    for (int m = 0; m < k; m++)
      TN_REQUIRE(ctx, strcmp(o->param[m].name, p->name) != 0, TN_ERR_ARGUMENT, "sweep: parameter '%s' varies twice", p->name);
    for (int m = 0; m < p->n; m++)
      TN_REQUIRE(ctx, isfinite(p->value[m]), TN_ERR_ARGUMENT, "sweep: value %d of '%s' is not finite", m + 1, p->name);
    TN_REQUIRE(ctx, !o->paired || p->n == o->param[0].n, TN_ERR_ARGUMENT,
               "sweep: '%s' has %d values and '%s' %d: pairs need as many of each", o->param[0].name, o->param[0].n, p->name, p->n);
    if (!o->paired || k == 0) n *= p->n;
  }
  TN_REQUIRE(ctx, n <= CASES_MAX, TN_ERR_ARGUMENT, "sweep: %.4g cases, must be at most %d", n, CASES_MAX);
  *out = (int)n;
  return TN_OK;
}

/* values of the parameters of every case, the last parameter changing fastest; columns of them */
static tn_status set_values(tn_sweep *s, const tn_sweep_opts *o) {
  TNI_ARENA_NEW(&s->arena, s->run, s->ncase);
  TNI_ARENA_NEW(&s->arena, s->value, s->ncase);
  for (int i = 0; i < s->ncase; i++) {
    double *v;
    TNI_ARENA_NEW(&s->arena, v, o->nparam);
    int rest = i;
    for (int k = o->nparam - 1; k >= 0; k--) {
      v[k] = o->param[k].value[o->paired ? i : rest%o->param[k].n];
      rest /= o->param[k].n;
    }
    s->value[i] = v;
    s->run[i].info = (tn_sweep_case){.status = TN_INTERRUPTED, .outcome = "not begun", .why = "", .warning = ""};
  }
  return TN_OK;
}

static tn_status add_column(tn_sweep *s, const char *name, const char *unit) {
  void *items = s->column;
  if (!tni_arena_grow(&s->arena, &items, s->ncolumn, &s->cap, sizeof(*s->column))) return tni_out_of_memory(s->ctx);
  s->column = items;
  char *own = tni_arena_strdup(&s->arena, name), *own_unit = tni_arena_strdup(&s->arena, unit);
  if (!own || !own_unit) return tni_out_of_memory(s->ctx);
  s->column[s->ncolumn++] = (tni_sweep_column){own, own_unit};
  return TN_OK;
}

/* column of a number, -1: none yet; cases mostly have the same ones in the same order */
static int find_column(const tn_sweep *s, const char *name, int guess) {
  if (guess < s->ncolumn && strcmp(s->column[guess].name, name) == 0) return guess;
  for (int k = s->nparam; k < s->ncolumn; k++) {
    if (strcmp(s->column[k].name, name) == 0) return k;
  }
  return -1;
}

static tn_status make_table(tn_sweep *s) {
  for (int i = 0; i < s->ncase; i++) {
    const tni_sweep_run *c = &s->run[i];
    for (int k = 0; k < c->nnumber; k++) {
      if (find_column(s, c->number[k].column.name, s->nparam + k) >= 0) continue;
      TN_TRY(add_column(s, c->number[k].column.name, c->number[k].column.unit));
    }
  }
  for (int i = 0; i < s->ncase; i++) {
    const tni_sweep_run *c = &s->run[i];
    double *row;
    TNI_ARENA_NEW(&s->arena, row, s->ncolumn);
    for (int k = 0; k < s->ncolumn; k++) row[k] = k < s->nparam ? s->value[i][k] : NAN;
    for (int k = 0; k < c->nnumber && c->info.status == TN_OK; k++)
      row[find_column(s, c->number[k].column.name, s->nparam + k)] = c->number[k].value;
    s->value[i] = row;
  }
  return TN_OK;
}

/* names of parameters and the file itself are wrong for all cases or for none */
static tn_status try_first(job *j) {
  tn_ctx *ctx = j->sweep->ctx;
  const char **overrides;
  tn_spec *spec;
  TN_TRY(make_overrides(j, 0, &j->sweep->arena, &overrides));
  tn_status st = tn_spec_read_file(ctx, j->path, overrides, j->o->noverride + j->o->nparam, &spec);
  tn_spec_destroy(&spec);
  return st;
}

static tn_status run_all(job *j) {
  tn_sweep *s = j->sweep;
  for (int k = 0; k < j->o->nparam; k++) TN_TRY(add_column(s, j->o->param[k].name, ""));
  s->nparam = j->o->nparam;
  TN_TRY(set_values(s, j->o));
  TN_TRY(try_first(j));
  j->caller = pthread_self();
  tni_parallel_for(s->ctx, s->ncase, 1, work, j);
  if (j->o->progress) j->o->progress(j->o->user, atomic_load(&j->done), s->ncase);
  return make_table(s);
}

tn_status tn_sweep_file(tn_ctx *ctx, const char *path, const tn_sweep_opts *opts, tn_sweep **out) {
  int ncase = 0;
  *out = NULL;
  TN_TRY(count_cases(ctx, opts, &ncase));
  tn_sweep *s = tni_alloc(ctx, 1, sizeof(*s));
  if (!s) return tni_out_of_memory(ctx);
  s->ctx = ctx;
  s->ncase = ncase;
  tni_arena_init(&s->arena, ctx);
  job j = {.sweep = s, .path = path, .o = opts};
  tn_status st = run_all(&j);
  if (st != TN_OK) {
    tn_sweep_destroy(&s);
    return st;
  }
  *out = s;
  if (!ctx->interrupted) return TN_OK;
  ctx->interrupted = 0;
  return TN_FAIL(ctx, TN_INTERRUPTED, "stopped after %d of %d cases", atomic_load(&j.done), ncase);
}

void tn_sweep_destroy(tn_sweep **sweep) {
  if (!sweep || !*sweep) return;
  tn_sweep *s = *sweep;
  tn_ctx *ctx = s->ctx;
  for (int i = 0; s->run && i < s->ncase; i++) {
    if (!s->run[i].ctx) continue;
    tni_arena_clear(&s->run[i].arena);
    tn_ctx_destroy(&s->run[i].ctx);
  }
  tni_arena_clear(&s->arena);
  tni_free(ctx, s);
  *sweep = NULL;
}

int tn_sweep_ncase(const tn_sweep *s) { return s->ncase; }

const tn_sweep_case *tn_sweep_get_case(const tn_sweep *s, int i) { return i >= 0 && i < s->ncase ? &s->run[i].info : NULL; }

int tn_sweep_ncolumn(const tn_sweep *s) { return s->ncolumn; }

const char *tn_sweep_column_name(const tn_sweep *s, int k) { return k >= 0 && k < s->ncolumn ? s->column[k].name : NULL; }

const char *tn_sweep_column_unit(const tn_sweep *s, int k) { return k >= 0 && k < s->ncolumn ? s->column[k].unit : NULL; }

double tn_sweep_value(const tn_sweep *s, int i, int k) {
  return i >= 0 && i < s->ncase && k >= 0 && k < s->ncolumn ? s->value[i][k] : NAN;
}
