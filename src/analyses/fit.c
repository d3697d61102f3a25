/* analyses/fit.c - parameters from measured curves
 *
 * Least squares of sensors against a record (CSV: a column t, the others named like sensors), by Gauss and Newton with derivatives
 * from the factors of the trajectory; steps that lead away are halved. Ends of elements are put on the times of the record as
 * far as they are equally spaced. With residuals of variance s^2 the parameters have the covariance s^2 (J^T J)^-1; the
 * interval given holds 95 % of what such noise would do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/course.h"
#include "base/file.h"
#include "linsolve/lapack.h"

#undef I /* complex.h */

enum { MAX_STEPS = 40, MAX_HALVINGS = 8, MAX_COLUMNS = 32 };
static const double STILL = 1e-9;

static const tni_key keys[] = {
    {"data", TNI_KIND_TEXT, 0, 0, 0, 0, NULL, NULL, NULL,
     "Fit: CSV file of the record, relative to the model file: a line of names, t first, the others sensors such as pin.angle."}};

typedef struct {
  int nrow, ncol;       /* times; sensors                       */
  double *t, *y;        /* [nrow], [nrow][ncol]                 */
  int *element;         /* [nrow] boundary of elements          */
  int sensor[MAX_COLUMNS];
  int n;                /* parameters                           */
  const char **name;
  double *value, *trial, *step, *r, *J, *N, *all, *deviation; /* r [rows], J [rows][n] column-major, N [n][n] */
  int iterations;
} fit;

/* 97.5 % point of Student's distribution, from five freedoms on by its expansion about the normal one */
static double student(int freedom) {
  static const double few[] = {12.706204736, 4.302652730, 3.182446305, 2.776445105};
  if (freedom <= TNI_COUNT(few)) return few[freedom - 1];
  double z = 1.959963984540054, f = freedom, z3 = z*z*z, z5 = z3*z*z;
  return z + (z3 + z)/(4*f) + (5*z5 + 16*z3 + 3*z)/(96*f*f) + (3*z5*z*z + 19*z5 + 17*z3 - 15*z)/(384*f*f*f);
}

static tn_status bad_record(tn_ctx *ctx, const char *path, int line, const char *what) {
  return TN_FAIL(ctx, TN_ERR_INPUT, "%s:%d: %s", path, line, what);
}

/* names of the first line, then numbers */
static tn_status parse(tn_ctx *ctx, tni_arena *a, const tni_course *w, const tni_item *an, const char *path, char *text, fit *f) {
  int line = 1, rows = 0;
  for (const char *c = text; *c; c++) rows += *c == '\n';
  char *at = text, *end = strchr(text, '\n');
  if (!end) return bad_record(ctx, path, 1, "must have a line of names and lines of numbers");
  *end = 0;
  for (int col = 0; at; col++) {
    char *comma = strchr(at, ','), *name = at;
    if (comma) *comma = 0;
    while (isspace((unsigned char)*name)) name++;
    for (char *z = name + strlen(name); z > name && (isspace((unsigned char)z[-1])); z--) z[-1] = 0;
    char *unit = strchr(name, '['); /* "pin.angle [rad]" as tenon export writes */
    if (unit) {
      *unit = 0;
      for (char *z = unit; z > name && isspace((unsigned char)z[-1]); z--) z[-1] = 0;
    }
    if (col == 0 && strcmp(name, "t") != 0) return bad_record(ctx, path, 1, "the first column must be t");
    if (col > MAX_COLUMNS) return bad_record(ctx, path, 1, "too many columns");
    if (col > 0) {
      f->sensor[f->ncol] = tni_course_sensor(w, an, "data", name);
      if (f->sensor[f->ncol++] < 0) return TN_ERR_INPUT;
    }
    at = comma ? comma + 1 : NULL;
  }
  if (f->ncol == 0) return bad_record(ctx, path, 1, "has no sensor beside t");
  TNI_ARENA_NEW(a, f->t, rows + 1);
  TNI_ARENA_NEW(a, f->y, (size_t)(rows + 1)*(size_t)f->ncol);
  for (at = end + 1; at && *at; at = end ? end + 1 : NULL) {
    line++;
    end = strchr(at, '\n');
    if (end) *end = 0;
    while (isspace((unsigned char)*at)) at++;
    if (!*at || *at == '#') continue;
    for (int col = 0; col <= f->ncol; col++) {
      char *rest;
      double x = strtod(at, &rest);
      if (rest == at || !isfinite(x)) return bad_record(ctx, path, line, "a number is missing");
      if (col == 0) f->t[f->nrow] = x;
      else f->y[f->nrow*f->ncol + col - 1] = x;
      while (isspace((unsigned char)*rest)) rest++;
      if (col < f->ncol && *rest != ',') return bad_record(ctx, path, line, "has fewer columns than the first line");
      at = rest + (*rest == ',');
    }
    if (f->nrow > 0 && !(f->t[f->nrow] > f->t[f->nrow - 1])) return bad_record(ctx, path, line, "times must increase");
    f->nrow++;
  }
  return f->nrow > 0 ? TN_OK : bad_record(ctx, path, line, "has no numbers");
}

static tn_status read_record(tn_ctx *ctx, tni_arena *a, const tni_course *w, const tni_item *an, fit *f) {
  const char *name = an ? tni_item_text(an, "data", NULL) : NULL, *model = w->sim->model->spec->top.at.file;
  const char *slash = model ? strrchr(model, '/') : NULL;
  char *path, *text, why[TNI_WHY_MAX];
  size_t size;
  tni_file_id id;
  if (!name) return tni_item_fail(ctx, an, NULL, "fit needs a record: key 'data' is missing");
  path = slash && name[0] != '/' ? tni_arena_printf(a, "%.*s/%s", (int)(slash - model), model, name) : tni_arena_strdup(a, name);
  if (!path) return tni_out_of_memory(ctx);
  tn_status st = tni_file_read(ctx, path, (size_t)1 << 28, &text, &size, &id, why);
  if (st == TN_ERR_IO) return tni_item_fail(ctx, an, "data", "record '%s': %s", path, why);
  TN_TRY(st);
  st = parse(ctx, a, w, an, path, text, f);
  tni_free(ctx, text);
  return st;
}

/* boundary of elements at every time of the record */
static tn_status find_places(tn_ctx *ctx, tni_arena *a, const tni_course *w, fit *f) {
  const tn_sim *sim = w->sim;
  double h = (sim->set.until - sim->set.from)/w->tr->capacity;
  TNI_ARENA_NEW(a, f->element, f->nrow);
  for (int i = 0; i < f->nrow; i++) {
    double e = (f->t[i] - sim->set.from)/h;
    f->element[i] = (int)lround(e);
    if (f->element[i] < 0 || f->element[i] > w->tr->capacity || fabs(e - f->element[i]) > 1e-6)
      return TN_FAIL(ctx, TN_ERR_INPUT, "fit: time %g s of the record is no end of an element; with from = %g s, until = %g s and %d "
                     "elements of %g s they are multiples of that", f->t[i], sim->set.from, sim->set.until, w->tr->capacity, h);
  }
  return TN_OK;
}

/* residuals; sum of their squares */
static tn_status compare(tni_course *w, fit *f, double *sum) {
  *sum = 0;
  for (int i = 0; i < f->nrow; i++) {
    TN_TRY(tni_course_show(w, f->element[i]));
    for (int c = 0; c < f->ncol; c++) {
      double d = w->sim->sensor[f->sensor[c]] - f->y[i*f->ncol + c];
      f->r[i*f->ncol + c] = d;
      *sum += d*d;
    }
  }
  return TN_OK;
}

static tn_status derive(tni_course *w, fit *f) {
  tni_vary v;
  int ns = tni_system_nsensor(w->sim->s), rows = f->nrow*f->ncol, e = 0;
  tn_status st = tni_vary_open(w, f->n, f->name, &v);
  if (st == TN_OK) st = tni_vary_begin(&v);
  for (int i = 0; i < f->nrow && st == TN_OK; i++) {
    for (; e < f->element[i] && st == TN_OK; e++) st = tni_vary_advance(&v, e);
    if (st == TN_OK) st = tni_vary_sensors(&v, e, f->all);
    for (int p = 0; p < f->n; p++)
      for (int c = 0; c < f->ncol; c++) f->J[(size_t)p*(size_t)rows + (size_t)(i*f->ncol + c)] = f->all[p*ns + f->sensor[c]];
  }
  tni_vary_close(&v);
  return st;
}

/* N = J^T J, factored; step = -N^-1 J^T r */
static tn_status normal_equations(tn_ctx *ctx, fit *f) {
  size_t rows = (size_t)(f->nrow*f->ncol), n = (size_t)f->n;
  for (size_t i = 0; i < n; i++) {
    f->step[i] = 0;
    for (size_t k = 0; k < rows; k++) f->step[i] -= f->J[i*rows + k]*f->r[k];
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < rows; k++) sum += f->J[i*rows + k]*f->J[j*rows + k];
      f->N[j*n + i] = sum;
    }
  }
  if (tni_potrf('L', f->n, f->N, f->n) != 0)
    return TN_FAIL(ctx, TN_SINGULAR, "fit: the record does not determine the parameters; leave one of them out");
  tni_potrs('L', f->n, 1, f->N, f->n, f->step, f->n);
  return TN_OK;
}

static tn_status improve(tni_run *r, tni_course *w, fit *f, double *sum) {
  TN_TRY(compare(w, f, sum));
  for (int it = 0; it < MAX_STEPS; it++) {
    double before = *sum, size = 0;
    TN_TRY(derive(w, f));
    TN_TRY(normal_equations(r->ctx, f));
    f->iterations++;
    for (int i = 0; i < f->n; i++) size = fmax(size, fabs(f->step[i])/fmax(fabs(f->value[i]), 1e-6));
    bool better = false;
    for (int k = 0; k < MAX_HALVINGS && !better; k++) {
      for (int i = 0; i < f->n; i++) f->trial[i] = f->value[i] + ldexp(f->step[i], -k);
      if (tni_course_change(w, f->n, f->name, f->trial) != TN_OK) continue;
      TN_TRY(compare(w, f, sum));
      better = *sum <= before*(1 + 1e-12) || size < STILL;
    }
    if (!better) {
      TN_TRY(tni_course_change(w, f->n, f->name, f->value));
      return TN_FAIL(r->ctx, TN_NOT_CONVERGED, "fit: no step makes the squares smaller after %d steps, their sum is %.6g", it, before);
    }
    memcpy(f->value, f->trial, (size_t)f->n*sizeof(double));
    if (size < STILL) return TN_OK;
    TN_TRY(tni_run_heed_interrupt(r, r->sim->set.from));
  }
  return TN_FAIL(r->ctx, TN_NOT_CONVERGED, "fit not converged after %d steps", MAX_STEPS);
}

static tn_status solve(tni_run *r, tni_course *w) {
  tni_arena *a = &r->sim->arena;
  const tni_item *an = tni_run_item(r);
  fit f = {0};
  f.n = tni_course_parameters(w, a, an, &f.name);
  if (f.n < 0) return TN_ERR_INPUT;
  if (f.n < 1) return tni_item_fail(r->ctx, an, NULL, "fit needs parameters that may change: key 'free' is missing");
  TN_TRY(read_record(r->ctx, a, w, an, &f));
  TN_TRY(find_places(r->ctx, a, w, &f));
  size_t rows = (size_t)(f.nrow*f.ncol), n = (size_t)f.n;
  int freedom = (int)rows - f.n;
  TN_REQUIRE(r->ctx, freedom > 0, TN_ERR_INPUT, "fit: %zu numbers are not enough for %d parameters", rows, f.n);
  TNI_ARENA_NEW(a, f.value, n);
  TNI_ARENA_NEW(a, f.trial, n);
  TNI_ARENA_NEW(a, f.step, n);
  TNI_ARENA_NEW(a, f.deviation, n);
  TNI_ARENA_NEW(a, f.r, rows);
  TNI_ARENA_NEW(a, f.J, rows*n);
  TNI_ARENA_NEW(a, f.N, n*n);
  TNI_ARENA_NEW(a, f.all, n*(size_t)tni_system_nsensor(r->sim->s));
  for (int i = 0; i < f.n; i++) {
    const tni_param *param = tni_spec_param(r->sim->model->spec, f.name[i]);
    f.value[i] = param->value;
  }
  double sum = 0;
  TN_TRY(tni_course_solve(w, w->q0, w->v0, false));
  TN_TRY(improve(r, w, &f, &sum));
  TN_TRY(derive(w, &f));
  TN_TRY(normal_equations(r->ctx, &f));
  tni_potri('L', f.n, f.N, f.n);
  double variance = sum/freedom;
  snprintf(r->sim->sum.method, sizeof(r->sim->sum.method), "fit: %zu numbers, %d elements of %d points", rows, w->tr->n,
           w->tr->shape.g.k);
  for (int i = 0; i < f.n; i++) {
    char text[96];
    f.deviation[i] = sqrt(variance*f.N[(size_t)i*n + (size_t)i]);
    tni_run_add_figure(r, f.name[i], "", f.value[i]);
    snprintf(text, sizeof(text), "%s, deviation", f.name[i]);
    tni_run_add_figure(r, text, "", f.deviation[i]);
    snprintf(text, sizeof(text), "%s, 95 %% interval +-", f.name[i]);
    tni_run_add_figure(r, text, "", student(freedom)*f.deviation[i]);
  }
  tni_run_add_figure(r, "residual, root mean square", "", sqrt(sum/(double)rows));
  tni_run_add_figure(r, "steps", "", f.iterations);
  return tni_course_store(r, w);
}

static tn_status run(tni_run *r) {
  tni_course w;
  tn_status st = tni_course_open(r->sim, &w);
  if (st == TN_OK) st = solve(r, &w);
  tni_course_close(&w);
  return st;
}

const tni_analysis tni_analysis_fit = {
    .name = "fit", .doc = "find parameters from measured curves", .motion = TNI_MOTION_WHOLE, .key = keys,
    .nkey = TNI_COUNT(keys), .run = run};
