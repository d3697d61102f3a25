/* output/csv.c - stored numbers as comma-separated text
 *
 * Fields are quoted by the rules of RFC 4180; lines end with a line feed. Blocks of rows are read
 * as they lie in the file, in runs of columns; a run goes over small gaps between chosen columns,
 * because a read costs more than some numbers too many.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/results.h"

#include <math.h>
#include <stdlib.h>

#include "output/h5.h"
#include "output/json.h"

enum { ROWS = 256, GAP = 64, PIECE = 32*1024 };

typedef struct {
  tni_reader *r;
  const tni_results_info *info;
  tni_arena arena;
  int ncolumn;
  int *channel, *component; /* [ncolumn] of a column                                      */
  bool *chosen;             /* [ncolumn]                                                  */
  bool *ambiguous;          /* [nchannel] its name exists in another group too            */
  int nrun, *run;           /* [nrun][2] first column of a run and one after its last      */
  size_t nread;             /* columns in all runs                                        */
  tni_text line;
} export_job;

static int compare_names(const void *a, const void *b) {
  const tni_channel *const *ca = a, *const *cb = b;
  return strcmp((*ca)->name, (*cb)->name);
}

static tn_status find_ambiguous(export_job *job) {
  int n = job->info->nchannel;
  const tni_channel **sorted;
  TNI_ARENA_NEW(&job->arena, sorted, n);
  TNI_ARENA_NEW(&job->arena, job->ambiguous, n);
  for (int i = 0; i < n; i++) sorted[i] = &job->info->channel[i];
  qsort(sorted, (size_t)n, sizeof(*sorted), compare_names);
  for (int i = 1; i < n; i++)
    if (compare_names(&sorted[i-1], &sorted[i]) == 0)
      job->ambiguous[sorted[i-1] - job->info->channel] =
        job->ambiguous[sorted[i] - job->info->channel] = true;
  return TN_OK;
}

/* "group/name.component" into job->line; full false: without the group */
static const char *label(export_job *job, int column, bool full) {
  const tni_channel *c = &job->info->channel[job->channel[column]];
  const char *part = c->component ? c->component[job->component[column]] : "";
  job->line.n = 0;
  tni_text_add(&job->line, "%s%s%s%s%s", full ? c->group : "", full ? "/" : "", c->name,
               *part ? "." : "", part);
  return job->line.failed ? "" : job->line.s;
}

/* a pattern may name a channel or one component, with or without the group */
static bool column_matches(export_job *job, int column, const char *pattern) {
  const tni_channel *c = &job->info->channel[job->channel[column]];
  if (tni_wildcard_match(pattern, c->name)) return true;
  const char *full = label(job, column, true);
  size_t skip = strlen(c->group) + 1;
  if (job->line.failed) return false;
  if (tni_wildcard_match(pattern, full) || tni_wildcard_match(pattern, full + skip)) return true;
  job->line.s[skip + strlen(c->name)] = 0; /* group/name without the component */
  return tni_wildcard_match(pattern, full);
}

static tn_status refuse_pattern(export_job *job, const char *pattern) {
  const tni_results_info *info = job->info;
  const char **names;
  TNI_ARENA_NEW(&job->arena, names, info->nchannel);
  for (int i = 0; i < info->nchannel; i++) names[i] = info->channel[i].name;
  int near = tni_nearest(pattern, names, info->nchannel);
  if (near < 0)
    return TN_FAIL(job->arena.ctx, TN_ERR_ARGUMENT,
                   "results '%s': no channel matches '%s'; the first of %d is '%s'",
                   tni_reader_path(job->r), pattern, info->nchannel, names[0]);
  return TN_FAIL(job->arena.ctx, TN_ERR_ARGUMENT,
                 "results '%s': no channel matches '%s'; did you mean '%s'?",
                 tni_reader_path(job->r), pattern, names[near]);
}

static tn_status choose(export_job *job, const char *const *names, int nname) {
  job->ncolumn = job->info->nvalue;
  TNI_ARENA_NEW(&job->arena, job->channel, job->ncolumn);
  TNI_ARENA_NEW(&job->arena, job->component, job->ncolumn);
  TNI_ARENA_NEW(&job->arena, job->chosen, job->ncolumn);
  for (int column = 0; column < job->ncolumn; column++) job->channel[column] = -1; /* numbers without a name */
  for (int i = 0; i < job->info->nchannel; i++)
    for (int k = 0; k < job->info->channel[i].ncomponent; k++) {
      int column = job->info->column[i] + k;
      job->channel[column] = i;
      job->component[column] = k;
    }
  bool all = !names || nname == 0;
  for (int column = 0; column < job->ncolumn && all; column++) job->chosen[column] = job->channel[column] >= 0;
  for (int i = 0; i < nname && !all; i++) {
    bool any = false;
    for (int column = 0; column < job->ncolumn; column++)
      if (job->channel[column] >= 0 && column_matches(job, column, names[i])) any = job->chosen[column] = true;
    if (job->line.failed) return tni_out_of_memory(job->arena.ctx);
    if (!any) return refuse_pattern(job, names[i]);
  }
  TNI_ARENA_NEW(&job->arena, job->run, 2*job->ncolumn);
  for (int column = 0; column < job->ncolumn; column++) {
    if (!job->chosen[column]) continue;
    int *last = job->nrun ? &job->run[2*job->nrun - 1] : NULL; /* end of the last run */
    if (last && column - *last <= GAP) {
      *last = column + 1;
    } else {
      job->run[2*job->nrun] = column;
      job->run[2*job->nrun + 1] = column + 1;
      job->nrun++;
    }
  }
  for (int k = 0; k < job->nrun; k++) job->nread += (size_t)(job->run[2*k + 1] - job->run[2*k]);
  return TN_OK;
}

/* one field of the header into out, in quotes where it needs them */
static void add_field(tni_text *out, const char *name, const char *unit) {
  bool quote = strpbrk(name, ",\"\r\n") || strpbrk(unit, ",\"\r\n");
  tni_text_add(out, quote ? ",\"" : ",");
  for (const char *c = name; *c; c++) tni_text_add(out, *c == '"' ? "\"\"" : "%c", *c);
  if (*unit) tni_text_add(out, " [");
  for (const char *c = unit; *c; c++) tni_text_add(out, *c == '"' ? "\"\"" : "%c", *c);
  if (*unit) tni_text_add(out, "]");
  if (quote) tni_text_add(out, "\"");
}

static tn_status write_header(export_job *job, tni_write_fn write, void *user) {
  tni_text head;
  tni_text_init(&head, job->arena.ctx);
  tni_text_add(&head, "t [s]");
  for (int column = 0; column < job->ncolumn; column++)
    if (job->chosen[column]) {
      int i = job->channel[column];
      add_field(&head, label(job, column, job->ambiguous[i]), job->info->channel[i].unit);
    }
  tni_text_add(&head, "\n");
  tn_status st = head.failed || job->line.failed ? tni_out_of_memory(job->arena.ctx)
                                                 : write(user, head.s, head.n);
  tni_text_free(&head);
  return st;
}

/* numbers of rows first..first+m-1: one run after the other, each [m][columns of the run] */
static tn_status read_runs(export_job *job, long first, long m, double *values) {
  for (int k = 0; k < job->nrun; k++) {
    int count = job->run[2*k + 1] - job->run[2*k];
    TN_TRY(tni_results_read_columns(job->r, job->run[2*k], count, first, m, values));
    values += (size_t)m*(size_t)count;
  }
  return TN_OK;
}

static tn_status write_rows(export_job *job, tni_write_fn write, void *user) {
  double t[ROWS], *values;
  char *piece;
  size_t n = 0;
  long block = tni_reader_block(job->r), ntime = tni_results_ntime(job->r);
  block = block < 1 ? 1 : block > ROWS ? ROWS : block;
  TNI_ARENA_NEW(&job->arena, values, (size_t)block*job->nread);
  TNI_ARENA_NEW(&job->arena, piece, PIECE + 2*TNI_NUMBER_MAX);
  for (long first = 0; first < ntime; first += block) {
    long m = ntime - first < block ? ntime - first : block;
    TN_TRY(tni_results_read_times(job->r, first, m, t));
    TN_TRY(read_runs(job, first, m, values));
    for (long i = 0; i < m; i++) {
      n += (size_t)tni_format_number(piece + n, t[i]);
      const double *run = values;
      for (int k = 0; k < job->nrun; k++) {
        int count = job->run[2*k + 1] - job->run[2*k];
        for (int j = 0; j < count; j++) {
          if (!job->chosen[job->run[2*k] + j]) continue;
          piece[n++] = ',';
          n += (size_t)tni_format_number(piece + n, run[i*count + j]);
          if (n < PIECE) continue;
          TN_TRY(write(user, piece, n));
          n = 0;
        }
        run += (size_t)m*(size_t)count;
      }
      piece[n++] = '\n';
    }
  }
  return n ? write(user, piece, n) : TN_OK;
}

tn_status tni_results_export_csv(tni_reader *r, const char *const *names, int nname,
                                 tni_write_fn write, void *user) {
  export_job job = {.r = r, .info = tni_results_get_info(r)};
  tn_ctx *ctx = tni_reader_ctx(r);
  tni_arena_init(&job.arena, ctx);
  tni_text_init(&job.line, ctx);
  tn_status st;
  TN_TRY_GOTO(st, choose(&job, names, nname), done);
  TN_TRY_GOTO(st, find_ambiguous(&job), done);
  TN_TRY_GOTO(st, write_header(&job, write, user), done);
  TN_TRY_GOTO(st, write_rows(&job, write, user), done);
done:
  tni_text_free(&job.line);
  tni_arena_clear(&job.arena);
  return st;
}

/* ---- events ---- */

/* text as a field, without the comma before it */
static void add_text(tni_text *out, const char *text) {
  bool quote = strpbrk(text, ",\"\r\n") != NULL;
  if (quote) tni_text_add(out, "\"");
  for (const char *c = text; *c; c++) tni_text_add(out, *c == '"' ? "\"\"" : "%c", *c);
  if (quote) tni_text_add(out, "\"");
}

static void add_event(const tni_results_info *info, double t, const double *v, tni_text *out) {
  char number[TNI_NUMBER_MAX];
  tni_text_add(out, "%.*s,", tni_format_number(number, t), number);
  add_text(out, info->element[(int)v[TNI_EVENT_ELEMENT]]);
  tni_text_add(out, ",");
  add_text(out, info->kind[(int)v[TNI_EVENT_KIND]]);
  for (int k = TNI_EVENT_IMPULSE; k < TNI_EVENT_NVALUE; k++) {
    tni_text_add(out, ",");
    if (!isnan(v[k])) tni_text_add(out, "%.*s", tni_format_number(number, v[k]), number);
  }
  tni_text_add(out, "\n");
}

tn_status tni_results_export_events(tni_reader *r, tni_write_fn write, void *user) {
  const tni_results_info *info = tni_results_get_info(r);
  double t[ROWS], value[ROWS*TNI_EVENT_NVALUE];
  long nevent = tni_results_nevent(r);
  tni_text out;
  tni_text_init(&out, tni_reader_ctx(r));
  tni_text_add(&out, "t [s]");
  for (int k = 0; k < TNI_EVENT_NVALUE; k++) add_field(&out, tni_event_column[k], tni_event_unit[k]);
  tni_text_add(&out, "\n");
  tn_status st = TN_OK;
  for (long first = 0; first <= nevent && st == TN_OK; first += ROWS) {
    long n = nevent - first < ROWS ? nevent - first : ROWS;
    st = tni_results_read_events(r, first, n, t, value);
    for (long i = 0; i < n && st == TN_OK; i++) add_event(info, t[i], value + i*TNI_EVENT_NVALUE, &out);
    if (st == TN_OK) st = out.failed ? tni_out_of_memory(tni_reader_ctx(r)) : write(user, out.s, out.n);
    out.n = 0;
  }
  tni_text_free(&out);
  return st;
}
