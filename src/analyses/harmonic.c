/* analyses/harmonic.c - steady vibration under harmonic loads, from modes
 *
 *   M u'' + D u' + K u = F cos(w t):   u = Re U exp(i w t),   (K - w^2 M + i w D) U = F
 *
 * K, D, M are those of small motions about the state at t0 (`from`); F is what grows with t there, df/dt, as for buckling: loads are written as
 * amplitude times t, and those without t only shape the state. With modes P to unit mass and their damping P^T D P + 2 zeta w_k,
 *
 *   U = P z + X + i w Y,   (L - w^2 + i w P^T D P + 2 i zeta w w_k) z = P^T (F + i w (G - D X)) + 2 i zeta w/w_k P^T S
 *   X = Q K^-1 F,   Y = Q K^-1 (G - D K^-1 F),   Q x = x - P P^T M x
 *
 * X + i w Y is what the modes that are left out do without inertia, to first order in w (not for structures that nothing holds).
 *
 * i w G is there when supports move as amplitude times t: what dampers between a support and the rest do while the support has that velocity
 * and the rest has none. S is the part of F that comes from supports: damping of modes is against what the supports alone would do, so that one
 * freedom has the known (1 + 2 i zeta r)/(1 - r^2 + 2 i zeta r). Masses are lumped, so that accelerations of supports reach nobody else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/modes_mesh.h"
#include "analyses/run.h"
#include "analyses/statics.h"
#include "analyses/statics_mesh.h"
#include "analyses/summary.h"
#include "linsolve/lapack.h"
#include "nonlinear/rest.h"
#include "solids/structure.h"
#include "system/parts.h"

#include <complex.h> /* last: its I is a name of inertias elsewhere */
#undef I

static const double TWO_PI = 6.283185307179586;
static const double COVERED = 1.5;      /* modes up to so many times the highest frequency */
static const double COUPLED = 1e-12;    /* of the damping of two modes: beside it they are by themselves */
enum { FIRST_MODES = 20, USUAL_SAMPLES = 201 };
static const char *const AMPLITUDE[] = {"amplitude", "phase"};

typedef struct tni_response {
  int nwatch;
  const int **unknown; /* [nwatch] what is watched: the mean of these, TNI_UNKNOWN_NONE stands still */
  int *count;
  double frequency;
  double complex *now; /* [nwatch] at the frequency that is shown */
} response;

typedef struct {
  tn_sim *sim;
  tni_modes modes;
  double *F, *G;        /* [nv] load F + i w G                  */
  double *X, *Y;        /* [nv] what the modes leave out        */
  double complex *matrix, *z; /* [k][k], [k]: modal equations   */
  double *part, *part_w; /* [k] P^T F; what w brings to it      */
  double *damping;      /* [k][k] P^T D P                       */
  double *square;       /* [k] w_k^2                            */
  double zeta;
  bool coupled;
  int *pivot;           /* [k]                                  */
} work;

/* ---- what is watched -------------------------------------------------------------------------------------------- */

/* nodes of a group or "node 17" in the only structure that has it */
static tn_status find_nodes(const tn_sim *sim, const tni_item *an, tni_arena *arena, const char *name, int *part, int *n, const int **node) {
  const tn_model *m = sim->model;
  for (*part = 0; *part < m->npart; ++*part) {
    const tni_mesh *mesh = m->part[*part].mesh;
    if (strncmp(name, "node ", 5) == 0) {
      char *end;
      long long gid = strtoll(name + 5, &end, 10);
      int at = *end ? -1 : tni_mesh_node_of(mesh, (tn_gid)gid), *one;
      if (at < 0) continue;
      TNI_ARENA_NEW(arena, one, 1);
      *one = at;
      *node = one;
      *n = 1;
      return TN_OK;
    }
    TN_TRY(tni_mesh_group(mesh, name, arena, n, node));
    if (*n > 0) return TN_OK;
  }
  return tni_item_fail(sim->ctx, an, "watch", "no mesh has a group or node %s", tni_show(name).s);
}

static tn_status watch_one(const tn_sim *sim, const tni_item *an, tni_arena *arena, const tni_value *v, const int **unknown, int *count,
                           const char **name) {
  static const char *const component[6] = {"x", "y", "z", "rx", "ry", "rz"};
  int part, c, n, *list;
  const int *node;
  if (v->form != TNI_LIST || v->n != 2 || v->item[0].form != TNI_TEXT || v->item[1].form != TNI_TEXT)
    return tni_item_fail(sim->ctx, an, "watch", "watch must be a list of [group, component], such as [[tip, z], [node 17, x]]");
  TN_TRY(find_nodes(sim, an, arena, v->item[0].text, &part, &n, &node));
  const tni_part *p = &sim->model->part[part];
  if (p->ops != &tni_structure_ops) return tni_item_fail(sim->ctx, an, "watch", "structure '%s' is reduced: its nodes cannot be watched", p->name);
  const tni_structure *s = p->data;
  for (c = 0; c < 6 && strcmp(component[c], v->item[1].text) != 0; c++) {}
  if (c >= s->ndof) return tni_item_fail(sim->ctx, an, "watch", "nodes of '%s' have no component %s", s->mesh->name, tni_show(v->item[1].text).s);
  TNI_ARENA_NEW(arena, list, n);
  for (int i = 0; i < n; i++) {
    list[i] = s->unknown[(size_t)node[i]*(size_t)s->ndof + (size_t)c];
    if (list[i] == TNI_UNKNOWN_NONE)
      return tni_item_fail(sim->ctx, an, "watch", "node %lld of '%s' is held, moved or led along %s: watch others", (long long)s->mesh->gid[node[i]],
                           v->item[0].text, v->item[1].text);
    list[i] += sim->s->parts->v0 + sim->s->parts->at[part];
  }
  *unknown = list;
  *count = n;
  *name = tni_arena_printf(arena, "%s.%s", v->item[0].text, v->item[1].text);
  return *name ? TN_OK : tni_out_of_memory(sim->ctx);
}

static tn_status channels(tn_sim *sim, tni_arena *arena, int *n, const tni_channel **out) {
  const tni_item *an = tni_spec_single(sim->model->spec, "analysis");
  const tni_value *v = tni_item_get(an, "watch");
  tni_channel *c;
  response *w;
  TN_REQUIRE(sim->ctx, sim->s->parts && sim->s->nbody == 0 && sim->s->m == 0, TN_ERR_UNSUPPORTED,
             "type: harmonic is for structures without bodies and joints");
  if (!v || v->form != TNI_LIST || v->n == 0)
    return tni_item_fail(sim->ctx, an, v ? "watch" : NULL, "'watch' must name what moves: [[group, component], ...]");
  TNI_ARENA_NEW(arena, w, 1);
  TNI_ARENA_NEW(arena, w->unknown, v->n);
  TNI_ARENA_NEW(arena, w->count, v->n);
  TNI_ARENA_NEW(arena, w->now, v->n);
  TNI_ARENA_NEW(arena, c, v->n + 1);
  static const char *const HERTZ[] = {"frequency"};
  c[0] = (tni_channel){"response", "frequency", "Hz", 1, HERTZ, NULL, NULL};
  for (int i = 0; i < v->n; i++) {
    const char *name;
    TN_TRY(watch_one(sim, an, arena, &v->item[i], &w->unknown[i], &w->count[i], &name));
    c[i + 1] = (tni_channel){"response", name, "m, rad", TNI_COUNT(AMPLITUDE), AMPLITUDE, NULL, NULL};
  }
  w->nwatch = v->n;
  sim->response = w;
  *n = v->n + 1;
  *out = c;
  return TN_OK;
}

static void fill(const tn_sim *sim, double *x) {
  const response *w = sim->response;
  *x++ = w->frequency;
  for (int i = 0; i < w->nwatch; i++) {
    *x++ = cabs(w->now[i]);
    *x++ = carg(w->now[i]);
  }
}

/* ---- equations of the modes ------------------------------------------------------------------------------------- */

static tn_status find_modes(work *w, double highest) {
  tn_sim *sim = w->sim;
  int asked = sim->set.nmodes;
  for (int n = asked ? asked : FIRST_MODES;; n *= 2) {
    sim->set.nmodes = n;
    TN_TRY(tni_mesh_modes(sim, false, &w->modes));
    double last = w->modes.mode[w->modes.nmode - 1].frequency;
    if (w->modes.nmode >= sim->s->nv || last >= COVERED*highest) return TN_OK;
    if (!asked) continue;
    tni_log(sim->ctx, TN_LOG_WARNING, "%d modes reach up to %g Hz, the response is asked up to %g: more, to %g times that, give the last resonances as "
            "well", n, last, highest, COVERED);
    return TN_OK;
  }
}

/* G: what acts on the unknowns because supports have velocities */
static void drag(tni_data *s, const tni_state *at, const double *zero, double *y, double *G) {
  bool still = s->parts->still;
  s->parts->still = true;
  tni_eval_balance(s, at->t, at->q, zero, NULL, at->lambda, y, NULL, NULL, NULL);
  s->parts->still = false;
  tni_eval_balance(s, at->t, at->q, zero, NULL, at->lambda, G, NULL, NULL, NULL);
  s->parts->still = still;
  for (int i = 0; i < s->nv; i++) G[i] = y[i] - G[i];
}

/* x := x - P P^T F/L, where x is K^-1 F */
static void leave_out(size_t nv, const double *P, const double *F, double square, double *x) {
  double sum = 0;
  for (size_t i = 0; i < nv; i++) sum += P[i]*F[i];
  for (size_t i = 0; i < nv; i++) x[i] -= P[i]*sum/square;
}

static tn_status prepare(work *w) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  size_t nv = (size_t)s->nv, k = (size_t)w->modes.nmode;
  double *D, *y, *zero, *lag, *S, most = 0, free = 0;
  tni_rest *rest;
  TNI_ARENA_NEW(&sim->arena, w->F, nv);
  TNI_ARENA_NEW(&sim->arena, w->G, nv);
  TNI_ARENA_NEW(&sim->arena, w->X, nv);
  TNI_ARENA_NEW(&sim->arena, w->Y, nv);
  TNI_ARENA_NEW(&sim->arena, lag, nv);
  TNI_ARENA_NEW(&sim->arena, S, nv);
  TNI_ARENA_NEW(&sim->arena, y, nv);
  TNI_ARENA_NEW(&sim->arena, zero, nv);
  TNI_ARENA_NEW(&sim->arena, D, s->square->nnz);
  TNI_ARENA_NEW(&sim->arena, w->matrix, k*k);
  TNI_ARENA_NEW(&sim->arena, w->damping, k*k);
  TNI_ARENA_NEW(&sim->arena, w->z, k);
  TNI_ARENA_NEW(&sim->arena, w->pivot, k);
  TNI_ARENA_NEW(&sim->arena, w->part, k);
  TNI_ARENA_NEW(&sim->arena, w->part_w, k);
  TNI_ARENA_NEW(&sim->arena, w->square, k);
  if (w->modes.nunstable > 0)
    return TN_FAIL(sim->ctx, TN_INCONSISTENT, "the state at t = %g is not stable (%d modes grow): it does not vibrate steadily", sim->at.t,
                   w->modes.nunstable);
  TN_TRY(tni_rest_create(s, &rest));
  tni_sparse_tangent out = {.r_v = D, .r_t = w->F};
  tn_status st = tni_eval_sparse_tangent(s, sim->at.t, sim->at.q, NULL, NULL, NULL, &out);
  s->parts->unloaded = true;
  tni_sparse_tangent given = {.r_t = S};
  if (st == TN_OK) st = tni_eval_sparse_tangent(s, sim->at.t, sim->at.q, NULL, NULL, NULL, &given);
  s->parts->unloaded = false;
  drag(s, &sim->at, zero, y, w->G);
  for (size_t i = 0; i < nv; i++) w->F[i] = -w->F[i], most = fmax(most, fmax(fabs(w->F[i]), fabs(w->G[i])));
  if (st == TN_OK && !(most > 0))
    st = TN_FAIL(sim->ctx, TN_ERR_INPUT, "nothing changes with t at t = %g: loads of a frequency response are amplitudes times t, such as force: "
                 "[0, 0, \"100*t\"]", sim->at.t);
  for (int i = 0; i < s->parts->n; i++) free += s->parts->part[i].nfree;
  bool held = free == 0 && w->modes.nrigid == 0;
  if (st == TN_OK && held) st = tni_rest_rate(rest, sim->at.t, sim->at.q, sim->at.lambda, w->X, NULL);
  if (st == TN_OK && held) {
    memcpy(lag, w->G, nv*sizeof(double));
    tni_sparse_add(s->square, -1, D, w->X, lag);
    memcpy(w->Y, lag, nv*sizeof(double));
    tni_rest_apply(rest, w->Y);
  }
  tni_rest_destroy(&rest);
  TN_TRY(st);
  for (size_t j = 0; j < k; j++) {
    w->square[j] = w->modes.mode[j].im*w->modes.mode[j].im;
    if (!held) continue;
    leave_out(nv, w->modes.mode[j].shape, w->F, w->square[j], w->X);
    leave_out(nv, w->modes.mode[j].shape, lag, w->square[j], w->Y);
  }
  memcpy(lag, w->G, nv*sizeof(double));
  tni_sparse_add(s->square, -1, D, w->X, lag);
  for (size_t j = 0; j < k; j++) {
    const double *P = w->modes.mode[j].shape;
    for (size_t i = 0; i < nv; i++) {
      w->part[j] += P[i]*w->F[i];
      w->part_w[j] += P[i]*lag[i];
      if (w->square[j] > 0) w->part_w[j] -= 2*w->zeta/sqrt(w->square[j])*P[i]*S[i]; /* S: of r, not of f */
    }
    memset(y, 0, nv*sizeof(double));
    tni_sparse_add(s->square, 1, D, P, y);
    for (size_t r = 0; r < k; r++) {
      double d = 0;
      for (size_t i = 0; i < nv; i++) d += w->modes.mode[r].shape[i]*y[i];
      w->damping[r*k + j] = d;
    }
  }
  for (size_t r = 0; r < k; r++)
    for (size_t j = 0; j < k; j++)
      if (r != j) w->coupled = w->coupled || fabs(w->damping[r*k + j]) > COUPLED*sqrt(fmax(w->square[r], w->square[j]));
  return TN_OK;
}

static tn_status respond(work *w, double frequency) {
  size_t k = (size_t)w->modes.nmode;
  double om = TWO_PI*frequency;
  bool regular = true;
  for (size_t r = 0; r < k; r++) {
    w->z[r] = w->part[r] + _Complex_I*om*w->part_w[r];
    for (size_t j = 0; j < k; j++) w->matrix[j*k + r] = _Complex_I*om*w->damping[r*k + j];
    w->matrix[r*k + r] += w->square[r] - om*om + 2*_Complex_I*w->zeta*om*sqrt(w->square[r]);
    regular = regular && cabs(w->matrix[r*k + r]) > 0;
  }
  if (w->coupled) regular = tni_zgesv((int)k, 1, w->matrix, (int)k, w->pivot, w->z, (int)k) == 0;
  else
    for (size_t r = 0; r < k && regular; r++) w->z[r] /= w->matrix[r*k + r];
  return regular ? TN_OK : TN_FAIL(w->sim->ctx, TN_SINGULAR, "without damping the response at %g Hz, a frequency of the model, has no bounds: give "
                                   "'modal_damping', or other samples", frequency);
}

/* row of one frequency: the state when what is watched first is farthest out */
static void show(work *w, const double *q0, double *delta, double frequency) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  response *o = sim->response;
  size_t nv = (size_t)s->nv, k = (size_t)w->modes.nmode;
  double om = TWO_PI*frequency;
  for (int c = 0; c < o->nwatch; c++) {
    double complex sum = 0;
    for (int i = 0; i < o->count[c]; i++) {
      size_t at = (size_t)o->unknown[c][i];
      sum += w->X[at] + _Complex_I*om*w->Y[at];
      for (size_t j = 0; j < k; j++) sum += w->modes.mode[j].shape[at]*w->z[j];
    }
    o->now[c] = sum/o->count[c];
  }
  double complex turn = cabs(o->now[0]) > 0 ? conj(o->now[0])/cabs(o->now[0]) : 1;
  for (size_t i = 0; i < nv; i++) delta[i] = creal(turn*(w->X[i] + _Complex_I*om*w->Y[i]));
  for (size_t j = 0; j < k; j++) {
    double x = creal(turn*w->z[j]);
    for (size_t i = 0; i < nv; i++) delta[i] += x*w->modes.mode[j].shape[i];
  }
  o->frequency = frequency;
  tni_retract(s, q0, delta, sim->at.q);
}

/* a peak that is as wide as two samples are apart, or less, is higher than any of them */
static void warn_of_peaks(const work *w, double first, double last, int samples, bool ratios) {
  int narrow = 0;
  double where = 0, width = 0;
  for (int j = 0; j < w->modes.nmode; j++) {
    size_t k = (size_t)w->modes.nmode, at = (size_t)j;
    double f = sqrt(w->square[j])/TWO_PI, wide = w->damping[at*k + at]/TWO_PI + 2*w->zeta*f; /* where amplitudes are 0.7 of the peak */
    double apart = ratios ? f*(pow(last/first, 1.0/(samples - 1)) - 1) : (last - first)/(samples - 1);
    if (!(f >= first && f <= last && f > 0) || wide > apart) continue;
    if (narrow++ == 0) where = f, width = wide;
  }
  if (narrow > 0)
    tni_log(w->sim->ctx, TN_LOG_WARNING, "%d resonances are narrower than samples are apart, the first at %g Hz (%.2g Hz wide): peaks may be far higher than what "
            "is seen of them; more 'samples', a smaller 'range' or damping show them", narrow, where, width);
}

/* ---- the analysis -------------------------------------------------------------------------------------------------- */

static const tni_key keys[] = {
    {"range", TNI_KIND_NUMBERS, 0, 0, 0, 2, "Hz", NULL, NULL, "Harmonic: [first, last] frequency of the loads."},
    {"samples", TNI_KIND_INTEGER, 0, 2, 1e6, 0, NULL, "201", NULL, "Harmonic: frequencies from the first to the last."},
    {"spacing", TNI_KIND_CHOICE, 0, 0, 0, 0, NULL, "linear", "linear|logarithmic", "Harmonic: steps between them are equal, or their ratios."},
    {"modal_damping", TNI_KIND_NUMBER, 0, 0, 1, 0, NULL, "0", NULL,
     "Harmonic, modal: damping of every mode in parts of the critical one, beside that of materials and dashpots."},
    {"watch", TNI_KIND_ANY, 0, 0, 0, 0, NULL, NULL, NULL,
     "Harmonic: [[group, component], ...] whose mean displacement is stored by amplitude and phase; `node 17` is a group too."},
};

static tn_status run(tni_run *r) {
  tn_sim *sim = r->sim;
  const tni_item *an = tni_run_item(r);
  const tni_value *range = tni_item_get(an, "range");
  work w = {.sim = sim, .zeta = tni_item_number(an, "modal_damping", 0)};
  int samples = tni_item_integer(an, "samples", USUAL_SAMPLES);
  bool ratios = strcmp(tni_item_text(an, "spacing", "linear"), "logarithmic") == 0;
  double *q0, *delta, peak = 0, where = 0;
  if (!range) return tni_item_fail(sim->ctx, an, NULL, "'range' is missing: [first, last] frequency [Hz]");
  double first = range->item[0].number, last = range->item[1].number;
  if (!(first >= 0) || !(last > first) || (ratios && !(first > 0)))
    return tni_item_fail(sim->ctx, an, "range", "range = [%g, %g] Hz must grow from %s", first, last, ratios ? "above 0" : "0 or more");
  TN_TRY(find_modes(&w, last));
  TN_TRY(prepare(&w));
  warn_of_peaks(&w, first, last, samples, ratios);
  snprintf(sim->sum.method, sizeof(sim->sum.method), "frequency response: %d modes%s%s", w.modes.nmode,
           w.modes.nrigid ? ", some rigid" : " and the static part of the others", w.coupled ? ", coupled by damping" : "");
  TNI_ARENA_NEW(&sim->arena, q0, sim->s->nq);
  TNI_ARENA_NEW(&sim->arena, delta, sim->s->nv);
  memcpy(q0, sim->at.q, (size_t)sim->s->nq*sizeof(double));
  TN_TRY(tni_run_open(r));
  for (int i = 0; i < samples; i++) {
    double x = (double)i/(samples - 1), f = ratios ? first*pow(last/first, x) : first + x*(last - first);
    TN_TRY(respond(&w, f));
    show(&w, q0, delta, f);
    double now = cabs(sim->response->now[0]);
    if (now > peak) peak = now, where = f;
    memset(sim->at.a, 0, (size_t)sim->s->nv*sizeof(double));
    tni_look_sensors(sim->s, &sim->at, sim->wrench, sim->sensor);
    sim->counts = true;
    sim->row = f;
    TN_TRY(tni_run_store_rest(r));
    TN_TRY(tni_run_heed_interrupt(r, f));
  }
  tni_run_add_figure(r, "largest amplitude", "m", peak);
  tni_run_add_figure(r, "at frequency", "Hz", where);
  sim->counts = false;
  return TN_OK;
}

static void text(const tn_summary *u, tni_text *t) {
  tni_text_add(t, "%-10s response at %ld frequencies in %.3g s (%.3g s CPU)\nmethod     %s\nsystem     %s\n", u->outcome, (long)u->stored, u->wall, u->cpu,
               u->method, u->system);
}

const tni_analysis tni_analysis_harmonic = {
    .name = "harmonic", .doc = "find the steady vibration of structures under harmonic loads", .motion = TNI_MOTION_SMALL,
    .key = keys, .nkey = TNI_COUNT(keys), .run = run, .channels = channels, .fill = fill, .text = text};
