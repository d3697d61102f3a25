/* analyses/compare.c - every method at every tolerance against a tight reference
 *
 * The reference is a method of high order at a hundredth of the tightest tolerance, checked by a
 * second method; their difference is its uncertainty. Which method: the explicit one of order 8,
 * unless a trial at the loosest tolerance shows that an implicit method is ten times faster, as on
 * stiff models.
 *
 * Methods with a fixed step know no tolerance. One trial run tells the error of some step; with the
 * order p of the method the step for a tolerance is h (tol/error)^(1/p), and the row says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/compare.h"

#include <math.h>
#include <stdio.h>

#include "analyses/sim.h"

enum {
  STATE = 18,           /* numbers of a body: r, A, v, W                                */
  NTIME = 200,
  HISTORY_MAX = 20000,  /* steps kept of a run; beyond that every second, fourth ...    */
  REPEATS = 3           /* runs of which the fastest counts                             */
};
static const char AUTO[] = "auto";         /* chooses by itself, is in no list          */
static const double LIMIT = 30;            /* CPU seconds                               */
static const double REFERENCE_LIMIT = 10;  /* times the limit                           */
static const double TIGHTER = 1e-2;        /* tolerance of the reference                */
static const double TIGHTEST = 1e-12;      /* what double precision allows              */
static const double SHORT_RUN = 0.2;       /* CPU seconds below which runs are repeated */
static const double STIFF_RATIO = 10;      /* the implicit method is so much faster     */
static const double FIXED_AIM = 0.3;       /* part of the tolerance a fixed step aims at */

typedef struct {
  tn_ctx *ctx;
  const tn_model *model;
  const tn_compare_opts *o;
  tn_comparison *out;
  double limit, from, until;
  int ntime, nbody;
  size_t size;             /* numbers of a whole trajectory */
  double *reference, *trial; /* [ntime][nbody][STATE]       */
  bool has_reference;
  /* the history being collected */
  double *history_t, *history_h; /* [HISTORY_MAX] */
  long nhistory, stride, skipped;
  char system[256]; /* of the last run */
} job;

/* ---- one run ------------------------------------------------------------------------------- */

static double time_of(const job *j, int k) {
  return k + 1 == j->ntime ? j->until : j->from + (j->until - j->from)*(k + 1)/j->ntime;
}

static void note_step(job *j, double t, double h) {
  if (++j->skipped < j->stride) return;
  j->skipped = 0;
  if (j->nhistory == HISTORY_MAX) {
    j->nhistory /= 2;
    for (long i = 0; i < j->nhistory; i++) {
      j->history_t[i] = j->history_t[2*i + 1];
      j->history_h[i] = j->history_h[2*i + 1];
    }
    j->stride *= 2;
  }
  j->history_t[j->nhistory] = t;
  j->history_h[j->nhistory++] = h;
}

static void keep_state(const job *j, const tn_sim *sim, int k, double *trajectory) {
  double *x = trajectory + (size_t)k*(size_t)j->nbody*STATE;
  for (int i = 0; i < j->nbody; i++, x += STATE) {
    const tni_kin *b = &sim->s->kin[i + 1];
    vec3_copy(x, b->r);
    memcpy(x + 3, b->A, 9*sizeof(double));
    vec3_copy(x + 12, b->v);
    vec3_copy(x + 15, b->W);
  }
}

/* work so far of the method alone */
typedef struct {
  long accel, factor;
} work;
static work work_of(const tn_sim *sim) {
  return (work){sim->s->work.naccel, sim->s->work.nfactor + sim->it->stats.factorizations};
}

/* Steps until the end, the limit or a failure. What looking at the states costs is not counted. */
static tn_status march(job *j, tn_sim *sim, double limit, tn_compare_row *row, double *trajectory) {
  double shown = tni_wall_time();
  int k = 0;
  row->cpu = 0;
  row->accelerations = row->factorizations = 0;
  j->nhistory = j->skipped = 0;
  j->stride = 1;
  while (k < j->ntime) {
    if (j->ctx->interrupted) return TN_FAIL(j->ctx, TN_INTERRUPTED, "stopped");
    work before = work_of(sim);
    double cpu = tni_cpu_time();
    tn_status st = tni_sim_advance_step(sim);
    row->cpu += tni_cpu_time() - cpu;
    work after = work_of(sim);
    row->accelerations += after.accel - before.accel;
    row->factorizations += after.factor - before.factor;
    row->t_end = sim->t_hi;
    if (st != TN_OK) return st;
    note_step(j, sim->t_hi, sim->t_hi - sim->t_lo);
    while (k < j->ntime && time_of(j, k) <= sim->t_hi) {
      TN_TRY(tni_sim_look(sim, time_of(j, k)));
      keep_state(j, sim, k++, trajectory);
    }
    if (row->cpu > limit) {
      row->outcome = TN_COMPARE_CUT;
      snprintf(row->why, sizeof(row->why), "cut off after %.3g s of CPU time at t = %.3g s",
               limit, sim->t_hi);
      return TN_OK;
    }
    if (j->o->progress && tni_wall_time() - shown > 0.2) {
      shown = tni_wall_time();
      j->o->progress(j->o->user, row->method, row->tolerance, sim->t_hi, j->until);
    }
  }
  return TN_OK;
}

/* Is it this run alone that ended so? Arguments that a method does not like are its own affair once
 * another one has run with them. */
static bool is_about_the_run(const job *j, tn_status st) {
  return (st > 0 && st != TN_INTERRUPTED) || st == TN_ERR_UNSUPPORTED ||
         (j->has_reference && (st == TN_ERR_ARGUMENT || st == TN_ERR_INPUT));
}

/* one run of row->method at row->tolerance; fills the row. Anything but TN_OK ends the comparison. */
static tn_status run_once(job *j, double limit, tn_compare_row *row, double *trajectory) {
  tn_run_opts o = {.method = row->method, .tolerance = row->tolerance, .step = row->step,
                   .until = j->until, .representation = j->o->representation, .results = ""};
  tn_sim *sim = NULL;
  row->outcome = TN_COMPARE_DONE;
  row->why[0] = 0;
  row->error = row->position_error = row->velocity_error = NAN;
  row->t_end = j->from;
  if (j->o->progress) j->o->progress(j->o->user, row->method, row->tolerance, j->from, j->until);
  tn_status st = tn_sim_create(j->ctx, j->model, &o, &sim);
  bool created = st == TN_OK;
  if (created) {
    st = march(j, sim, limit, row, trajectory);
    const tni_integrator_stats *s = &sim->it->stats;
    row->steps = s->steps;
    row->rejected = s->rejected;
    row->newton = s->newton;
    row->jacobians = s->jacobians;
    if (sim->s->ops->name)
      snprintf(row->representation, sizeof(row->representation), "%s", sim->s->ops->name);
    snprintf(j->system, sizeof(j->system), "%s", sim->sum.system);
    tn_summary sum;
    tn_sim_summary(sim, &sum);
    if (strcmp(row->method, AUTO) == 0 && row->why[0] == 0)
      snprintf(row->why, sizeof(row->why), "%s", sum.method);
  }
  tn_sim_destroy(&sim);
  if (st == TN_OK || !is_about_the_run(j, st)) return st;
  row->outcome = !created || st == TN_ERR_UNSUPPORTED ? TN_COMPARE_REFUSED : TN_COMPARE_FAILED;
  snprintf(row->why, sizeof(row->why), "%.500s", tn_ctx_message(j->ctx));
  return TN_OK;
}

/* the same, short runs several times: the fastest tells what the work costs */
static tn_status run_timed(job *j, double limit, tn_compare_row *row, double *trajectory) {
  TN_TRY(run_once(j, limit, row, trajectory));
  for (int k = 1; k < REPEATS && row->outcome == TN_COMPARE_DONE && row->cpu < SHORT_RUN; k++) {
    tn_compare_row again = *row;
    TN_TRY(run_once(j, limit, &again, trajectory));
    row->cpu = fmin(row->cpu, again.cpu);
  }
  return TN_OK;
}

/* ---- errors -------------------------------------------------------------------------------- */

/* half the angle of the rotation between two orientations */
static double half_angle(const double *A, const double *B) {
  /* R = A'B: sine of the angle from its skew part, cosine from its trace */
  double R[9], s[3];
  mat3_tmul(R, A, B);
  vec3_set(s, R[7] - R[5], R[2] - R[6], R[3] - R[1]);
  return 0.5*atan2(0.5*vec3_norm(s), 0.5*(R[0] + R[4] + R[8] - 1));
}

/* a NaN stays */
static double larger(double a, double b) { return isnan(a) || b <= a ? a : b; }

static double weighted(const double *x, const double *ref, int n) {
  double e = 0;
  for (int i = 0; i < n; i++) e = larger(e, fabs(x[i] - ref[i])/(1 + fabs(ref[i])));
  return e;
}

static void measure(const job *j, const double *x, const double *ref, tn_compare_row *row) {
  double ep = 0, ev = 0;
  for (int k = 0; k < j->ntime*j->nbody; k++, x += STATE, ref += STATE) {
    ep = larger(ep, weighted(x, ref, 3));
    ep = larger(ep, half_angle(x + 3, ref + 3));
    ev = larger(ev, weighted(x + 12, ref + 12, 6));
  }
  row->position_error = ep;
  row->velocity_error = ev;
  row->error = larger(ep, ev);
}

/* ---- reference ----------------------------------------------------------------------------- */

static void begin_row(tn_compare_row *row, const char *method, double tolerance) {
  memset(row, 0, sizeof(*row));
  snprintf(row->method, sizeof(row->method), "%s", method);
  row->tolerance = tolerance;
}

/* of the methods in the list the first that exists; NULL: none */
static const char *first_of(const char *const *list, int n, const char *except) {
  for (int i = 0; i < n; i++)
    if (tni_integrator_find(list[i]) && !(except && strcmp(list[i], except) == 0)) return list[i];
  return NULL;
}

static const char *const accurate_explicit[] = {"rk8", "rk45"};
static const char *const accurate_implicit[] = {"radau", "sdirk", "rosen"};

/* explicit, or implicit where a trial says that the model is stiff */
static tn_status choose_reference(job *j, double tolerance, const char **method) {
  const char *ex = first_of(accurate_explicit, TNI_COUNT(accurate_explicit), NULL);
  const char *im = first_of(accurate_implicit, TNI_COUNT(accurate_implicit), NULL);
  tn_compare_row a, b;
  *method = ex;
  if (!im) return TN_OK;
  begin_row(&b, im, tolerance);
  TN_TRY(run_once(j, j->limit, &b, j->trial));
  if (b.outcome != TN_COMPARE_DONE) return TN_OK;
  begin_row(&a, ex, tolerance);
  TN_TRY(run_once(j, STIFF_RATIO*b.cpu + 0.1, &a, j->trial));
  if (a.outcome != TN_COMPARE_DONE) *method = im;
  return TN_OK;
}

/* methods to try, the chosen one first, those of its kind next */
static int line_up(const char *first, const char *list[8]) {
  int n = 0;
  list[n++] = first;
  static const char *const all[] = {"adams", "rk45", "rk8", "radau", "sdirk", "rosen"};
  bool implicit = tni_integrator_find(first) && tni_integrator_find(first)->needs_tangent;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < TNI_COUNT(all); i++) {
      const tni_integrator_type *t = tni_integrator_find(all[i]);
      if (t && t->needs_tangent == (pass == 0 ? implicit : !implicit) && strcmp(all[i], first) != 0)
        list[n++] = all[i];
    }
  return n;
}

/* A second method at the same tolerance; where it is far off, others judge between the two, and the
 * one that was off stays in the text. If none gets there, the same method at ten times the tolerance. */
static tn_status check_reference(job *j, const char *const *list, int n, double tightest) {
  tn_compare_reference *ref = &j->out->reference;
  char off[64] = "";
  ref->uncertainty = NAN;
  for (int i = 0; i <= n; i++) {
    bool last = i == n;
    tn_compare_row row;
    if ((last && !isnan(ref->uncertainty)) || (!last && strcmp(list[i], ref->method) == 0)) continue;
    begin_row(&row, last ? ref->method : list[i], last ? 10*ref->tolerance : ref->tolerance);
    TN_TRY(run_once(j, REFERENCE_LIMIT*fmin(j->limit, fmax(ref->cpu, 0.2)), &row, j->trial));
    if (row.outcome != TN_COMPARE_DONE) continue;
    measure(j, j->trial, j->reference, &row);
    if (!(row.error >= ref->uncertainty)) {
      ref->uncertainty = row.error;
      snprintf(ref->check, sizeof(ref->check), "%s at %.0e%s", row.method, row.tolerance, off);
    }
    if (ref->uncertainty < tightest) return TN_OK;
    if (!off[0]) snprintf(off, sizeof(off), " (%s is off by %.1e)", row.method, row.error);
  }
  return TN_OK;
}

static tn_status find_reference(job *j, double loosest, double tightest) {
  tn_compare_reference *ref = &j->out->reference;
  const char *first = j->o->reference, *list[8];
  if (!first) TN_TRY(choose_reference(j, loosest, &first));
  int n = line_up(first, list), ntry = j->o->reference ? 1 : n;
  tn_compare_row row;
  for (int i = 0; i < ntry && !j->has_reference; i++) {
    begin_row(&row, list[i], fmax(TIGHTER*tightest, TIGHTEST));
    TN_TRY(run_once(j, REFERENCE_LIMIT*j->limit, &row, j->reference));
    j->has_reference = row.outcome == TN_COMPARE_DONE;
  }
  if (!j->has_reference)
    return TN_FAIL(j->ctx, TN_NOT_CONVERGED, "no reference: %s at %.0e: %.400s", row.method,
                   row.tolerance, row.why);
  memcpy(ref->method, row.method, sizeof(ref->method));
  memcpy(j->out->system, j->system, sizeof(j->system));
  ref->tolerance = row.tolerance;
  ref->cpu = row.cpu;
  return check_reference(j, list, n, tightest);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tn_status add_row(job *j, const tn_compare_row *row) {
  tn_comparison *c = j->out;
  void *items = c->row;
  if (!tni_arena_grow(&c->arena, &items, c->nrow, &c->cap, sizeof(*row)))
    return tni_out_of_memory(j->ctx);
  c->row = items;
  tn_compare_row *r = &c->row[c->nrow];
  *r = *row;
  if (row->outcome != TN_COMPARE_REFUSED && j->nhistory > 0) {
    double *t, *h;
    TNI_ARENA_NEW(&c->arena, t, j->nhistory);
    TNI_ARENA_NEW(&c->arena, h, j->nhistory);
    memcpy(t, j->history_t, (size_t)j->nhistory*sizeof(double));
    memcpy(h, j->history_h, (size_t)j->nhistory*sizeof(double));
    r->nhistory = j->nhistory;
    r->history_t = t;
    r->history_h = h;
  }
  c->nrow++;
  if (j->o->row) j->o->row(j->o->user, r);
  return TN_OK;
}

/* what a trial tells about a method with a fixed step */
typedef struct {
  double h, error; /* h = 0: no step gave a useful error        */
  double largest;  /* steps beyond that are unstable            */
} fixed_trial;

static tn_status try_fixed_step(job *j, const char *method, tn_compare_row *row,
                                fixed_trial *trial) {
  double step = (j->until - j->from)/200;
  *trial = (fixed_trial){.largest = (j->until - j->from)/10};
  for (int i = 0; i < 10; i++, step /= 4) {
    begin_row(row, method, 1e-6);
    row->step = step;
    TN_TRY(run_once(j, j->limit, row, j->trial));
    if (row->outcome == TN_COMPARE_REFUSED || row->outcome == TN_COMPARE_CUT) return TN_OK;
    if (row->outcome == TN_COMPARE_DONE) measure(j, j->trial, j->reference, row);
    /* a large error: the order says nothing yet; none or a huge one: unstable */
    if (row->outcome != TN_COMPARE_DONE || !(row->error < 10)) trial->largest = step/4;
    if (row->outcome != TN_COMPARE_DONE || !(row->error < 0.1)) continue;
    trial->h = step;
    trial->error = row->error;
    return TN_OK;
  }
  return TN_OK;
}

static tn_status compare_fixed(job *j, const tni_integrator_type *type, const double *tolerance,
                               int ntolerance) {
  tn_compare_row row;
  fixed_trial trial;
  j->nhistory = 0;
  TN_TRY(try_fixed_step(j, type->name, &row, &trial));
  for (int i = 0; i < ntolerance; i++) {
    double tol = tolerance[i];
    if (trial.h > 0) {
      double part = pow(FIXED_AIM*tol/fmax(trial.error, 1e-15), 1.0/(type->order > 0 ? type->order : 1));
      begin_row(&row, type->name, tol);
      row.step = fmin(trial.h*part, trial.largest);
      TN_TRY(run_timed(j, j->limit, &row, j->trial));
      if (row.outcome == TN_COMPARE_DONE) {
        measure(j, j->trial, j->reference, &row);
        snprintf(row.why, sizeof(row.why), "fixed step %.3g s, chosen by a trial", row.step);
      }
    } else {
      row.tolerance = tol; /* what the trial said */
    }
    TN_TRY(add_row(j, &row));
    if (row.outcome == TN_COMPARE_REFUSED) break;
  }
  return TN_OK;
}

static tn_status compare_method(job *j, const char *method, const double *tolerance,
                                int ntolerance) {
  const tni_integrator_type *type = tni_integrator_find(method); /* NULL: auto */
  if (type && (type->fixed_step || type->needs_technique))
    return compare_fixed(j, type, tolerance, ntolerance);
  double cut = 0; /* tolerance at which the limit was reached */
  for (int i = 0; i < ntolerance; i++) {
    tn_compare_row row;
    begin_row(&row, method, tolerance[i]);
    j->nhistory = 0;
    if (cut > 0) {
      row.outcome = TN_COMPARE_CUT;
      row.error = row.position_error = row.velocity_error = NAN;
      row.t_end = j->from;
      snprintf(row.why, sizeof(row.why), "not tried: %.0e took more than the limit already", cut);
    } else {
      TN_TRY(run_timed(j, j->limit, &row, j->trial));
      if (row.outcome == TN_COMPARE_DONE) measure(j, j->trial, j->reference, &row);
      if (row.outcome == TN_COMPARE_CUT) cut = tolerance[i];
    }
    TN_TRY(add_row(j, &row));
    /* what is refused once is refused at every tolerance: one row says so */
    if (row.outcome == TN_COMPARE_REFUSED) break;
  }
  return TN_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static tn_status check_method(tn_ctx *ctx, const char *name) {
  if (tni_integrator_find(name) || strcmp(name, AUTO) == 0) return TN_OK;
  const char *names[64] = {AUTO};
  int n = 1;
  for (; n <= tni_integrator_ntype && n < TNI_COUNT(names); n++)
    names[n] = tni_integrator_types[n-1]->name;
  return TN_FAIL(ctx, TN_ERR_ARGUMENT, "unknown method '%s'%s", name, tni_hint_for(name, names, n).s);
}

static tn_status check_opts(tn_ctx *ctx, const tn_compare_opts *o) {
  for (int i = 0; i < o->nmethod; i++) TN_TRY(check_method(ctx, o->methods[i]));
  if (o->reference) TN_TRY(check_method(ctx, o->reference));
  const tni_integrator_type *ref = o->reference ? tni_integrator_find(o->reference) : NULL;
  TN_REQUIRE(ctx, !ref || (!ref->fixed_step && !ref->needs_technique), TN_ERR_ARGUMENT,
             "reference '%s' has a fixed step; take one with error control", o->reference);
  TN_REQUIRE(ctx, !o->reference || ref, TN_ERR_ARGUMENT,
             "reference '%s' is no method of its own; leave it out, or name one", o->reference);
  for (int i = 0; i < o->ntolerance; i++)
    TN_REQUIRE(ctx, o->tolerances[i] > 0 && o->tolerances[i] < 1, TN_ERR_ARGUMENT,
               "tolerance %g, must be > 0 and < 1", o->tolerances[i]);
  TN_REQUIRE(ctx, o->limit >= 0 && o->ntime >= 0 && o->ntime <= 100000, TN_ERR_ARGUMENT,
             "limit %g s and %d times, must be >= 0 and at most 100000 times", o->limit, o->ntime);
  return TN_OK;
}

/* loose to tight */
static tn_status sort_tolerances(tni_arena *arena, const tn_compare_opts *o, double **out, int *n) {
  static const double usual[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  const double *from = o->ntolerance ? o->tolerances : usual;
  *n = o->ntolerance ? o->ntolerance : TNI_COUNT(usual);
  TNI_ARENA_NEW(arena, *out, *n);
  for (int i = 0; i < *n; i++) {
    int k = i;
    for (; k > 0 && (*out)[k-1] < from[i]; k--) (*out)[k] = (*out)[k-1];
    (*out)[k] = from[i];
  }
  return TN_OK;
}

static tn_status prepare(job *j, tn_comparison *c) {
  tni_run_settings set;
  tn_run_opts o = {.until = j->o->until, .method = "auto"};
  TN_TRY(tni_run_settings_read(j->ctx, j->model, &o, &set));
  j->out = c;
  j->from = set.from;
  j->until = set.until;
  j->limit = j->o->limit > 0 ? j->o->limit : LIMIT;
  j->ntime = j->o->ntime > 0 ? j->o->ntime : NTIME;
  j->nbody = j->model->nbody;
  j->size = (size_t)j->ntime*(size_t)j->nbody*STATE;
  TNI_ARENA_NEW(&c->arena, j->reference, j->size);
  TNI_ARENA_NEW(&c->arena, j->trial, j->size);
  TNI_ARENA_NEW(&c->arena, j->history_t, HISTORY_MAX);
  TNI_ARENA_NEW(&c->arena, j->history_h, HISTORY_MAX);
  c->title = tni_arena_strdup(&c->arena, j->model->title ? j->model->title : "");
  if (!c->title) return tni_out_of_memory(j->ctx);
  c->from = j->from;
  c->until = j->until;
  c->ntime = j->ntime;
  return TN_OK;
}

static tn_status compare_all(job *j, tn_comparison *c) {
  double *tolerance;
  int n;
  TN_TRY(prepare(j, c));
  TN_TRY(sort_tolerances(&c->arena, j->o, &tolerance, &n));
  TN_TRY(find_reference(j, tolerance[0], tolerance[n-1]));
  for (int i = 0; i < j->o->nmethod; i++)
    TN_TRY(compare_method(j, j->o->methods[i], tolerance, n));
  if (j->o->nmethod) return TN_OK;
  TN_TRY(compare_method(j, AUTO, tolerance, n));
  for (int i = 0; i < tni_integrator_ntype; i++)
    TN_TRY(compare_method(j, tni_integrator_types[i]->name, tolerance, n));
  return TN_OK;
}

tn_status tn_compare(tn_ctx *ctx, const tn_model *model, const tn_compare_opts *opts,
                     tn_comparison **out) {
  static const tn_compare_opts none = {0};
  *out = NULL;
  TN_REQUIRE(ctx, model, TN_ERR_ARGUMENT, "no model: was it compiled?");
  job j = {.ctx = ctx, .model = model, .o = opts ? opts : &none};
  TN_TRY(check_opts(ctx, j.o));
  tn_comparison *c = tni_alloc(ctx, 1, sizeof(*c));
  if (!c) return tni_out_of_memory(ctx);
  c->ctx = ctx;
  tni_arena_init(&c->arena, ctx);
  ctx->interrupted = 0;
  tn_status st = compare_all(&j, c);
  if (st == TN_OK || (st == TN_INTERRUPTED && j.has_reference)) *out = c;
  else tn_comparison_destroy(&c);
  return st;
}

void tn_comparison_destroy(tn_comparison **comparison) {
  if (!comparison || !*comparison) return;
  tn_ctx *ctx = (*comparison)->ctx;
  tni_arena_clear(&(*comparison)->arena);
  tni_free(ctx, *comparison);
  *comparison = NULL;
}

int tn_comparison_nrow(const tn_comparison *c) { return c->nrow; }

const tn_compare_row *tn_comparison_row(const tn_comparison *c, int row) {
  return row < 0 || row >= c->nrow ? NULL : &c->row[row];
}

const tn_compare_reference *tn_comparison_reference(const tn_comparison *c) {
  return &c->reference;
}

const char *tn_method_name(int method) {
  return method < 0 || method >= tni_integrator_ntype ? NULL : tni_integrator_types[method]->name;
}
