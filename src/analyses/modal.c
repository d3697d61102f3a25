/* analyses/modal.c - motions of linear structures as a sum of modes
 *
 *   M u'' + D u' + K u = f(t),   u = P z + X:   z_k'' + d_k z_k' + w_k^2 z_k = P_k^T f,   d_k = P_k^T D P_k + 2 zeta w_k
 *
 * P are modes to unit mass at the place at rest. Loads are lines between the ends of steps; the equations of modes are then solved exactly, by the
 * exponential of their matrix, whatever the step: with (z, z', p, p') as unknowns, the loads go along. X = K^-1 f - P P^T f/w^2 is what the
 * modes that are left out do without inertia (`static_part`; not for structures that nothing holds).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "analyses/modes_mesh.h"
#include "analyses/run.h"
#include "nonlinear/rest.h"
#include "solids/structure.h"
#include "system/parts.h"

static const double COUPLED = 1e-9;     /* of the damping of two modes: beside it they are by themselves */
enum { FIRST_MODES = 20, STEPS_A_PERIOD = 20 };

typedef struct {
  tn_sim *sim;
  tni_modes modes;
  double *q0, *zero;    /* state at rest                                    */
  double *f;            /* [nv] loads                                       */
  double *p, *p1;       /* [k] on modes at the beginning and end of a step  */
  double *z, *v, *a;    /* [k]                                              */
  double *square, *damping; /* [k]                                          */
  double (*go)[2][4];   /* [k] (z, v) after a step from (z, v, p, p')       */
  double zeta;
  const tni_value *by_mode; /* [[last mode, zeta], ...]; NULL: zeta of all       */
  tni_rest *rest;       /* NULL: no static part                             */
  const double *M;      /* of the system, with rest                         */
  double *X, *delta;    /* [nv]                                             */
} work;

/* out := exp(A h), 4 x 4, by squares of a Taylor series */
static void exponential(const double A[4][4], double h, double out[4][4]) {
  double size = 0, B[4][4], term[4][4], next[4][4];
  int squares = 0;
  for (int i = 0; i < 4; i++) {
    double row = 0;
    for (int j = 0; j < 4; j++) row += fabs(A[i][j])*h;
    size = fmax(size, row);
  }
  for (; size > 0.25 && squares < 200; size /= 2) squares++;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      B[i][j] = A[i][j]*ldexp(h, -squares);
      out[i][j] = term[i][j] = i == j;
    }
  for (int n = 1; n <= 14; n++) {
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        next[i][j] = 0;
        for (int k = 0; k < 4; k++) next[i][j] += term[i][k]*B[k][j]/n;
      }
    memcpy(term, next, sizeof(term));
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) out[i][j] += term[i][j];
  }
  for (; squares > 0; squares--) {
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        next[i][j] = 0;
        for (int k = 0; k < 4; k++) next[i][j] += out[i][k]*out[k][j];
      }
    memcpy(out, next, sizeof(next));
  }
}

/* times are counted in parts of the mode's own period, so that the rows of its matrix are of one size */
static void propagate(double square, double damping, double h, double go[2][4]) {
  double w = square > 0 ? sqrt(square) : 1/h, E[4][4];
  double A[4][4] = {{0, 1, 0, 0}, {-square/(w*w), -damping/w, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}};
  exponential(A, w*h, E); /* of (z, z'/w, p/w^2, p'/w^3) */
  for (int i = 0; i < 2; i++) {
    double scale = i ? w : 1;
    go[i][0] = scale*E[i][0];
    go[i][1] = scale*E[i][1]/w;
    go[i][2] = scale*E[i][2]/(w*w);
    go[i][3] = scale*E[i][3]/(w*w*w);
  }
}

static tn_status refuse(const tn_sim *sim) {
  const tni_data *s = sim->s;
  TN_REQUIRE(sim->ctx, s->parts && s->nbody == 0 && s->m == 0 && s->parts->linear, TN_ERR_UNSUPPORTED,
             "type: modal is for structures with formulation: small and linear materials, without bodies and joints");
  for (int i = 0; i < s->parts->n; i++) {
    const tni_part *p = &sim->model->part[i];
    TN_REQUIRE(sim->ctx, p->ops == &tni_structure_ops, TN_ERR_UNSUPPORTED, "type: modal: structure '%s' is reduced, it has its modes already; "
               "use type: transient", p->name);
    const tni_structure *own = p->data;
    for (int k = 0; k < own->nmotion; k++)
      TN_REQUIRE(sim->ctx, !own->motion[k].x[1], TN_ERR_UNSUPPORTED, "type: modal: supports of '%s' move in time (node %lld); use type: transient", p->name,
                 (long long)own->mesh->gid[own->motion[k].node]);
  }
  return TN_OK;
}

static tn_status find_modes(work *w) {
  tn_sim *sim = w->sim;
  if (sim->set.nmodes == 0) sim->set.nmodes = FIRST_MODES;
  TN_TRY(tni_mesh_modes(sim, false, &w->modes));
  TN_REQUIRE(sim->ctx, w->modes.nunstable == 0, TN_INCONSISTENT, "the place at rest is not stable: %d modes grow", w->modes.nunstable);
  return TN_OK;
}

/* loads at t on the unknowns and on the modes */
static void load(work *w, double t, double *p) {
  tni_data *s = w->sim->s;
  size_t nv = (size_t)s->nv;
  tni_eval_balance(s, t, w->q0, w->zero, NULL, w->sim->at.lambda, w->f, NULL, NULL, NULL);
  for (size_t i = 0; i < nv; i++) w->f[i] = -w->f[i];
  for (int k = 0; k < w->modes.nmode; k++) {
    const double *P = w->modes.mode[k].shape;
    p[k] = 0;
    for (size_t i = 0; i < nv; i++) p[k] += P[i]*w->f[i];
  }
}

static double damping_of(const work *w, size_t mode) {
  if (!w->by_mode) return w->zeta;
  for (int i = 0; i < w->by_mode->n; i++)
    if ((double)(mode + 1) <= w->by_mode->item[i].item[0].number) return w->by_mode->item[i].item[1].number;
  return 0;
}

static tn_status damp(work *w, double h) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  size_t nv = (size_t)s->nv, k = (size_t)w->modes.nmode;
  double *D, *y;
  TNI_ARENA_NEW(&sim->arena, D, s->square->nnz);
  TNI_ARENA_NEW(&sim->arena, y, nv);
  tni_sparse_tangent out = {.r_v = D};
  TN_TRY(tni_eval_sparse_tangent(s, sim->at.t, w->q0, NULL, NULL, NULL, &out));
  for (size_t j = 0; j < k; j++) {
    const tni_mode *mode = &w->modes.mode[j];
    w->square[j] = mode->im*mode->im;
    memset(y, 0, nv*sizeof(double));
    tni_sparse_add(s->square, 1, D, mode->shape, y);
    double own = 0; /* rigid ones have no frequency to be compared with */
    for (size_t i = 0; i < nv; i++) own += mode->shape[i]*y[i];
    w->damping[j] = own + 2*damping_of(w, j)*mode->im;
    for (size_t r = 0; r < k; r++) {
      double d = 0;
      for (size_t i = 0; i < nv && r != j; i++) d += w->modes.mode[r].shape[i]*y[i];
      TN_REQUIRE(sim->ctx, fabs(d) <= COUPLED*fmax(fabs(own), fmax(mode->im, w->modes.mode[r].im)), TN_ERR_UNSUPPORTED,
                      "damping couples modes %zu and %zu: only damping of modes and of the whole material goes with type: modal; use type: transient", r + 1, j + 1);
    }
    propagate(w->square[j], w->damping[j], h, w->go[j]);
  }
  return TN_OK;
}

static tn_status prepare(work *w, double h, bool static_part) {
  tn_sim *sim = w->sim;
  size_t nv = (size_t)sim->s->nv, k = (size_t)w->modes.nmode;
  double **modal[] = {&w->p, &w->p1, &w->z, &w->v, &w->a, &w->square, &w->damping}, **whole[] = {&w->zero, &w->f, &w->X, &w->delta};
  bool held = w->modes.nrigid == 0;
  for (int i = 0; i < TNI_COUNT(modal); i++) TNI_ARENA_NEW(&sim->arena, *modal[i], k);
  for (int i = 0; i < TNI_COUNT(whole); i++) TNI_ARENA_NEW(&sim->arena, *whole[i], nv);
  TNI_ARENA_NEW(&sim->arena, w->go, k);
  TNI_ARENA_NEW(&sim->arena, w->q0, sim->s->nq);
  memcpy(w->q0, sim->at.q, (size_t)sim->s->nq*sizeof(double));
  for (int i = 0; i < sim->s->parts->n; i++) held = held && sim->s->parts->part[i].nfree == 0;
  for (size_t i = 0; i < nv; i++)
    TN_REQUIRE(sim->ctx, sim->at.v[i] == 0, TN_ERR_UNSUPPORTED, "type: modal begins at rest; with velocities at the start use type: transient");
  TN_TRY(damp(w, h));
  load(w, sim->at.t, w->p);
  if (!static_part || !held) return TN_OK;
  int negative;
  TN_TRY(tni_rest_create(sim->s, &w->rest));
  return tni_rest_shifted(w->rest, sim->at.t, w->q0, sim->at.lambda, 0, &negative, &w->M);
}

static void step(work *w, double t, double h) {
  load(w, t, w->p1);
  for (int k = 0; k < w->modes.nmode; k++) {
    double from[4] = {w->z[k], w->v[k], w->p[k], (w->p1[k] - w->p[k])/h}, to[2] = {0};
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 4; j++) to[i] += w->go[k][i][j]*from[j];
    w->z[k] = to[0];
    w->v[k] = to[1];
    w->p[k] = w->p1[k];
  }
}

/* X := Q K^-1 Q^T f, Q = 1 - P P^T M: loads lose what modes carry before K^-1, and not only after it, where a mode without stiffness (a shape
 * that reduced integration lets pass) would leave nothing but rounding */
static void leave_to_statics(work *w) {
  tni_data *s = w->sim->s;
  size_t nv = (size_t)s->nv, bytes = nv*sizeof(double);
  memset(w->delta, 0, bytes);
  for (int k = 0; k < w->modes.nmode; k++)
    for (size_t i = 0; i < nv; i++) w->delta[i] += w->p[k]*w->modes.mode[k].shape[i];
  memcpy(w->X, w->f, bytes);
  tni_sparse_add(s->square, -1, w->M, w->delta, w->X);
  tni_rest_apply(w->rest, w->X);
  memset(w->delta, 0, bytes);
  tni_sparse_add(s->square, 1, w->M, w->X, w->delta);
  for (int k = 0; k < w->modes.nmode; k++) {
    const double *P = w->modes.mode[k].shape;
    double along = 0;
    for (size_t i = 0; i < nv; i++) along += P[i]*w->delta[i];
    for (size_t i = 0; i < nv; i++) w->X[i] -= along*P[i];
  }
}

/* the state that modes, and what they leave out, give */
static void show(work *w) {
  tn_sim *sim = w->sim;
  size_t nv = (size_t)sim->s->nv;
  memset(w->X, 0, nv*sizeof(double));
  if (w->rest) leave_to_statics(w);
  memcpy(w->delta, w->X, nv*sizeof(double));
  memset(sim->at.v, 0, nv*sizeof(double));
  memset(sim->at.a, 0, nv*sizeof(double));
  for (int k = 0; k < w->modes.nmode; k++) {
    const double *P = w->modes.mode[k].shape;
    double x = w->z[k], a = w->p[k] - w->damping[k]*w->v[k] - w->square[k]*w->z[k];
    for (size_t i = 0; i < nv; i++) {
      w->delta[i] += x*P[i];
      sim->at.v[i] += w->v[k]*P[i];
      sim->at.a[i] += a*P[i];
    }
  }
  tni_retract(sim->s, w->q0, w->delta, sim->at.q);
}

static tn_status store(work *w, tni_run *r, double t) {
  tn_sim *sim = w->sim;
  show(w);
  sim->at.t = t;
  tni_eval_balance(sim->s, t, sim->at.q, sim->at.v, sim->at.a, sim->at.lambda, w->delta, NULL, NULL, NULL);
  tni_look_sensors(sim->s, &sim->at, sim->wrench, sim->sensor);
  return tni_run_store_rest(r);
}

static tn_status march(work *w, tni_run *r, double h, long n) {
  const tni_run_settings *set = &w->sim->set;
  long row = 1;
  TN_TRY(store(w, r, set->from));
  for (long i = 1; i <= n; i++) {
    double t = i == n ? set->until : set->from + (double)i*h;
    step(w, t, h);
    if (i < n && t < tni_run_output_time(r, row)*(1 - 1e-12)) continue;
    while (i < n && tni_run_output_time(r, row)*(1 - 1e-12) <= t) row++;
    TN_TRY(store(w, r, t));
    tni_run_show_progress(r, t, h, i);
  }
  return TN_OK;
}

static tn_status run(tni_run *r) {
  tn_sim *sim = r->sim;
  const tni_item *an = tni_run_item(r);
  const tni_run_settings *set = &sim->set;
  work w = {.sim = sim, .zeta = tni_item_number(an, "modal_damping", 0), .by_mode = tni_item_get(an, "damping_by_mode")};
  TN_TRY(refuse(sim));
  for (int i = 0; w.by_mode && i < w.by_mode->n; i++)
    if (!(w.by_mode->item[i].item[1].number >= 0) || tni_item_has(an, "modal_damping"))
      return tni_item_fail(sim->ctx, an, "damping_by_mode", tni_item_has(an, "modal_damping") ? "damping_by_mode and modal_damping: one of them is enough" :
                           "damping_by_mode: %g, must be >= 0", w.by_mode->item[i].item[1].number);
  TN_TRY(find_modes(&w));
  double highest = w.modes.mode[w.modes.nmode - 1].frequency, length = set->until - set->from;
  double most = set->step > 0 ? set->step : highest > 0 ? 1/(STEPS_A_PERIOD*highest) : length/100;
  double count = ceil(length/fmin(most, length)*(1 - 1e-12));
  TN_REQUIRE(sim->ctx, count <= 1e8, TN_ERR_INPUT, "analysis: %g steps of %g s up to %g s, at most 1e8 are taken", count, most, set->until);
  long n = count < 1 ? 1 : (long)count;
  tn_status st = prepare(&w, length/(double)n, tni_item_bool(an, "static_part", true));
  snprintf(sim->sum.method, sizeof(sim->sum.method), "modal: %d modes up to %.4g Hz%s, %ld steps of %.4g s", w.modes.nmode,
           highest, w.rest ? " and the static part of the others" : "", n, length/(double)n);
  if (st == TN_OK) st = tni_run_open(r);
  bool still = sim->s->parts->still; /* what rows show moves */
  sim->s->parts->still = false;
  if (st == TN_OK) st = march(&w, r, length/(double)n, n);
  sim->s->parts->still = still;
  tni_rest_destroy(&w.rest);
  TN_TRY(st);
  tni_run_add_figure(r, "highest frequency of a mode", "Hz", highest);
  return TN_OK;
}

static void text(const tn_summary *u, tni_text *t) {
  tni_text_add(t, "%-10s motion by modes, %ld stored times, in %.3g s (%.3g s CPU)\nmethod     %s\nsystem     %s\n", u->outcome, (long)u->stored, u->wall, u->cpu,
               u->method, u->system);
}

static const tni_key keys[] = {
    {"damping_by_mode", TNI_KIND_TABLE, 0, 0, 0, 0, NULL, NULL, NULL,
     "Modal: damping in parts of the critical one, [[last mode, damping], ...]: that of the modes up to the first number, up to the next one, none beyond; in place of modal_damping."},
    {"static_part", TNI_KIND_BOOL, 0, 0, 0, 0, NULL, "true", NULL, "Modal: what the modes that are left out do without inertia is added."},
};

const tni_analysis tni_analysis_modal = {
    .name = "modal", .doc = "simulate linear structures in time as a sum of modes", .motion = TNI_MOTION_SMALL, .key = keys, .nkey = TNI_COUNT(keys), .run = run, .text = text};
