/* analyses/trial.c - one model run by many methods, each judged by the same reference
 *
 * The reference is a method of high order at a hundredth of the tightest tolerance, checked by a
 * second method; their difference is its uncertainty. Which method: the explicit one of order 8,
 * unless a trial at the loosest tolerance shows that an implicit method is ten times faster, as on
 * stiff models.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/trial.h"

#include <math.h>
#include <stdio.h>

#include "analyses/analysis.h"
#include "analyses/sim.h"

enum {
  STATE = 18,           /* numbers of a body: r, A, v, W                                */
  NTIME = 200,
  HISTORY_MAX = 20000,  /* steps kept of a run; beyond that every second, fourth ...    */
  REPEATS = 3           /* runs of which the fastest counts                             */
};
static const double LIMIT = 30;            /* CPU seconds                               */
static const double REFERENCE_LIMIT = 10;  /* times the limit                           */
static const double TIGHTER = 1e-2;        /* tolerance of the reference                */
static const double SHORT_RUN = 0.2;       /* CPU seconds below which runs are repeated */
static const double STIFF_RATIO = 10;      /* the implicit method is so much faster     */

tn_status tni_trials_prepare(tni_trials *j, tn_ctx *ctx, tni_arena *arena, const tn_model *model,
                             const tn_run_opts *run, double limit, int ntime) {
  tni_run_settings set;
  tn_run_opts o = {.until = run->until, .method = TNI_AUTO};
  memset(j, 0, sizeof(*j));
  TN_TRY(tni_run_settings_read(ctx, model, &o, &set));
  TN_REQUIRE(ctx, set.analysis->motion == TNI_MOTION_STEPS, TN_ERR_UNSUPPORTED,
             "methods are tried on motions that they step through; the model asks for 'type: %s'", set.analysis->name);
  j->ctx = ctx;
  j->model = model;
  j->run = *run;
  j->from = set.from;
  j->until = j->run.until = set.until;
  j->run.results = "";
  j->run.progress = NULL;
  j->run.watch = NULL;
  j->limit = limit > 0 ? limit : LIMIT;
  j->ntime = ntime > 0 ? ntime : NTIME;
  j->nbody = model->nbody;
  size_t size = (size_t)j->ntime*(size_t)j->nbody*STATE;
  TNI_ARENA_NEW(arena, j->reference, size);
  TNI_ARENA_NEW(arena, j->trial, size);
  TNI_ARENA_NEW(arena, j->history_t, HISTORY_MAX);
  TNI_ARENA_NEW(arena, j->history_h, HISTORY_MAX);
  return TN_OK;
}

/* ---- one run ------------------------------------------------------------------------------- */

static double time_of(const tni_trials *j, int k) {
  return k + 1 == j->ntime ? j->until : j->from + (j->until - j->from)*(k + 1)/j->ntime;
}

static void note_step(tni_trials *j, double t, double h) {
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

static void keep_state(const tni_trials *j, const tn_sim *sim, int k, double *trajectory) {
  double *x = trajectory + (size_t)k*(size_t)j->nbody*STATE;
  tni_at at = tni_at_state(&sim->at);
  const tni_kin *kin = tni_look_bodies(sim->s, &at);
  for (int i = 0; i < j->nbody; i++, x += STATE) {
    const tni_kin *b = &kin[i + 1];
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
  tni_integrator_stats st;
  tni_work w;
  tni_auto_stats(sim, &st, &w);
  return (work){w.naccel, w.nfactor + st.factorizations};
}

/* Steps until the end, the limit or a failure. What looking at the states costs is not counted. */
static tn_status march(tni_trials *j, tn_sim *sim, double limit, tn_compare_row *row, double *trajectory) {
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
    if (j->progress && tni_wall_time() - shown > 0.2) {
      shown = tni_wall_time();
      j->progress(j->user, row->method, row->tolerance, sim->t_hi, j->until);
    }
  }
  return TN_OK;
}

/* Is it this run alone that ended so? Arguments that a method does not like are its own affair once
 * another one has run with them. */
static bool is_about_the_run(const tni_trials *j, tn_status st) {
  return (st > 0 && st != TN_INTERRUPTED) || st == TN_ERR_UNSUPPORTED ||
         (j->has_reference && (st == TN_ERR_ARGUMENT || st == TN_ERR_INPUT));
}

/* one run of row->method at row->tolerance; fills the row. Anything but TN_OK ends the comparison. */
tn_status tni_trials_run_once(tni_trials *j, double limit, tn_compare_row *row, double *trajectory) {
  tn_run_opts o = j->run;
  o.method = row->method;
  o.tolerance = row->tolerance;
  o.step = row->step;
  tn_sim *sim = NULL;
  row->outcome = TN_COMPARE_DONE;
  row->why[0] = 0;
  row->error = row->position_error = row->velocity_error = NAN;
  row->t_end = j->from;
  if (j->progress) j->progress(j->user, row->method, row->tolerance, j->from, j->until);
  tn_status st = tn_sim_create(j->ctx, j->model, &o, &sim);
  bool created = st == TN_OK;
  if (created) {
    st = march(j, sim, limit, row, trajectory);
    tni_integrator_stats s;
    tni_work w;
    tni_auto_stats(sim, &s, &w);
    row->steps = s.steps;
    row->rejected = s.rejected;
    row->newton = s.newton;
    row->jacobians = s.jacobians;
    snprintf(row->representation, sizeof(row->representation), "%s", tni_representation(sim->s));
    snprintf(j->system, sizeof(j->system), "%s", sim->sum.system);
    tn_summary sum;
    tn_sim_summary(sim, &sum);
    if (strcmp(row->method, TNI_AUTO) == 0 && row->why[0] == 0)
      snprintf(row->why, sizeof(row->why), "%s", sum.method);
  }
  tn_sim_destroy(&sim);
  if (st == TN_OK || !is_about_the_run(j, st)) return st;
  row->outcome = !created || st == TN_ERR_UNSUPPORTED ? TN_COMPARE_REFUSED : TN_COMPARE_FAILED;
  snprintf(row->why, sizeof(row->why), "%.500s", tn_ctx_message(j->ctx));
  return TN_OK;
}

/* the same, short runs several times: the fastest tells what the work costs */
tn_status tni_trials_run_timed(tni_trials *j, double limit, tn_compare_row *row, double *trajectory) {
  TN_TRY(tni_trials_run_once(j, limit, row, trajectory));
  for (int k = 1; k < REPEATS && row->outcome == TN_COMPARE_DONE && row->cpu < SHORT_RUN; k++) {
    tn_compare_row again = *row;
    TN_TRY(tni_trials_run_once(j, limit, &again, trajectory));
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

void tni_trials_measure(const tni_trials *j, const double *x, const double *ref, tn_compare_row *row) {
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

void tni_trials_begin_row(tn_compare_row *row, const char *method, double tolerance) {
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
static tn_status choose_reference(tni_trials *j, double tolerance, const char **method) {
  const char *ex = first_of(accurate_explicit, TNI_COUNT(accurate_explicit), NULL);
  const char *im = first_of(accurate_implicit, TNI_COUNT(accurate_implicit), NULL);
  tn_compare_row a, b;
  *method = ex;
  if (!im) return TN_OK;
  tni_trials_begin_row(&b, im, tolerance);
  TN_TRY(tni_trials_run_once(j, j->limit, &b, j->trial));
  if (b.outcome != TN_COMPARE_DONE) return TN_OK;
  tni_trials_begin_row(&a, ex, tolerance);
  TN_TRY(tni_trials_run_once(j, STIFF_RATIO*b.cpu + 0.1, &a, j->trial));
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
static tn_status check_reference(tni_trials *j, const char *const *list, int n, double tightest) {
  tn_compare_reference *ref = &j->ref;
  char off[64] = "";
  ref->uncertainty = NAN;
  for (int i = 0; i <= n; i++) {
    bool last = i == n;
    tn_compare_row row;
    if ((last && !isnan(ref->uncertainty)) || (!last && strcmp(list[i], ref->method) == 0)) continue;
    tni_trials_begin_row(&row, last ? ref->method : list[i], last ? 10*ref->tolerance : ref->tolerance);
    TN_TRY(tni_trials_run_once(j, REFERENCE_LIMIT*fmin(j->limit, fmax(ref->cpu, 0.2)), &row, j->trial));
    if (row.outcome != TN_COMPARE_DONE) continue;
    tni_trials_measure(j, j->trial, j->reference, &row);
    if (!(row.error >= ref->uncertainty)) {
      ref->uncertainty = row.error;
      snprintf(ref->check, sizeof(ref->check), "%s at %.0e%s", row.method, row.tolerance, off);
    }
    if (ref->uncertainty < tightest) return TN_OK;
    if (!off[0]) snprintf(off, sizeof(off), " (%s is off by %.1e)", row.method, row.error);
  }
  return TN_OK;
}

tn_status tni_trials_find_reference(tni_trials *j, const char *method, double loosest,
                                    double tightest) {
  tn_compare_reference *ref = &j->ref;
  const char *first = method, *list[8];
  if (!first) TN_TRY(choose_reference(j, loosest, &first));
  int n = line_up(first, list), ntry = method ? 1 : n;
  tn_compare_row row;
  for (int i = 0; i < ntry && !j->has_reference; i++) {
    tni_trials_begin_row(&row, list[i], fmax(TIGHTER*tightest, TNI_TIGHTEST));
    TN_TRY(tni_trials_run_once(j, REFERENCE_LIMIT*j->limit, &row, j->reference));
    j->has_reference = row.outcome == TN_COMPARE_DONE;
  }
  if (!j->has_reference)
    return TN_FAIL(j->ctx, TN_NOT_CONVERGED, "no reference: %s at %.0e: %.400s", row.method,
                   row.tolerance, row.why);
  memcpy(ref->method, row.method, sizeof(ref->method));
  memcpy(j->reference_system, j->system, sizeof(j->system));
  ref->tolerance = row.tolerance;
  ref->cpu = row.cpu;
  return check_reference(j, list, n, tightest);
}
