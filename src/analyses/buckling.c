/* analyses/buckling.c - loads at which an equilibrium buckles, from the state at rest
 *
 *   (K + s K') x = 0,   C x = 0,   t = t0 + s
 *
 * K is the stiffness of the equilibrium at t0 (`from`), dead loads and all; K' its rate along the path that leaves it as t, the load
 * parameter, grows: q' = K^-1 f_t, K' by a central difference along q'. Geometric stiffness, that of reactions in joints and of
 * loads that follow are in it. Of structures with small displacements it is the stiffness of stresses alone, which are linear in the
 * loads: classical buckling. Eigenvalues by a block Krylov space of -K^-1 K' in the inner product of K, largest first; those
 * found below a bound are counted against the negative pivots of K + s K' there, so that none is missed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "analyses/modes.h"
#include "analyses/modes_mesh.h"
#include "analyses/run.h"
#include "analyses/statics.h"
#include "analyses/statics_mesh.h"
#include "analyses/summary.h"
#include "linsolve/krylov.h"
#include "nonlinear/rest.h"
#include "system/parts.h"

static const double EIGEN_TOL = 1e-10, ACCEPTED = 1e-6;
static const double SMALL_STEP = 1e-6;  /* largest displacement of the difference, by the size of the model */
static const double NO_RATE = 1e-14;    /* K' by K: nothing that could buckle */
enum { USUAL = 4, BLOCK = 4, SPARE = 40, ROUNDS = 4 };

typedef struct {
  tn_sim *sim;
  tni_rest *rest;
  int n;
  double *K, *G;      /* K and -K' on the pattern, symmetric parts */
} work;

static void times(const work *w, const double *A, const double *x, double *y) {
  memset(y, 0, (size_t)w->n*sizeof(double));
  tni_sparse_add(w->sim->s->square, 1, A, x, y);
}

static void apply(void *user, const double *x, double *y) {
  work *w = user;
  times(w, w->G, x, y);
  tni_rest_apply(w->rest, y);
}

static void weigh(void *user, const double *x, double *y) { times(user, ((work *)user)->K, x, y); }

/* A := (A + A^T)/2; returns how far it was off, relative */
static double make_symmetric(const tni_sparsity *p, double *A) {
  double off = 0, most = 0;
  for (int r = 0; r < p->nrow; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++) {
      if (p->col[k] <= r) continue;
      int mirror = tni_sparsity_find(p, p->col[k], r);
      off = fmax(off, fabs(A[k] - A[mirror]));
      most = fmax(most, fabs(A[k]));
      A[k] = A[mirror] = 0.5*(A[k] + A[mirror]);
    }
  return most > 0 ? off/most : 0;
}

static double norm(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static tn_status stiffness_at(work *w, double t, const double *q, const double *lambda, double *K) {
  tni_sparse_tangent out = {.r_q = K};
  return tni_eval_sparse_tangent(w->sim->s, t, q, NULL, NULL, lambda, &out);
}

/* K at the equilibrium, -K' along the path from it */
static tn_status stiffness(work *w) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  size_t nnz = (size_t)s->square->nnz, nv = (size_t)s->nv, m = (size_t)s->m;
  double *dq, *dl, *q, *l, *dx, *more;
  TNI_ARENA_NEW(&sim->arena, w->K, nnz);
  TNI_ARENA_NEW(&sim->arena, w->G, nnz);
  TNI_ARENA_NEW(&sim->arena, more, nnz);
  TNI_ARENA_NEW(&sim->arena, dq, nv);
  TNI_ARENA_NEW(&sim->arena, dx, nv);
  TNI_ARENA_NEW(&sim->arena, dl, m);
  TNI_ARENA_NEW(&sim->arena, l, m);
  TNI_ARENA_NEW(&sim->arena, q, s->nq);
  TN_TRY(tni_rest_rate(w->rest, sim->at.t, sim->at.q, sim->at.lambda, dq, dl));
  /* stresses of linear structures are linear: nothing but rounding speaks for a small step */
  double step = s->parts->linear && s->nbody == 0 ? 1 : SMALL_STEP, way = norm(dq, nv), h = step*tni_nodes_extent(s, sim->at.q);
  for (int i = 0; i < s->parts->n; i++) h = fmax(h, step*s->parts->part[i].size);
  if (!(way > 0))
    return TN_FAIL(sim->ctx, TN_ERR_INPUT, "nothing changes with t at t = %g: t is the load parameter of buckling; write loads that grow "
                   "with it, such as force: [\"-1000*t\", 0, 0]", sim->at.t);
  h /= way;
  TN_TRY(stiffness_at(w, sim->at.t, sim->at.q, sim->at.lambda, w->K));
  for (int side = 0; side < 2; side++) {
    double e = side ? -h : h;
    for (size_t i = 0; i < nv; i++) dx[i] = e*dq[i];
    for (size_t i = 0; i < m; i++) l[i] = sim->at.lambda[i] + e*dl[i];
    tni_retract(s, sim->at.q, dx, q);
    TN_TRY(stiffness_at(w, sim->at.t + e, q, l, side ? more : w->G));
  }
  for (size_t k = 0; k < nnz; k++) w->G[k] = -(w->G[k] - more[k])/(2*h);
  double off = make_symmetric(s->square, w->K);
  make_symmetric(s->square, w->G);
  if (off > 1e-6)
    tni_log(sim->ctx, TN_LOG_WARNING, "the stiffness is not symmetric (by %.1e): loads that follow the deformed surface have no potential, and "
            "may lead to flutter, which is not looked for", off);
  if (norm(w->G, nnz)*h/step <= NO_RATE*norm(w->K, nnz))
    return TN_FAIL(sim->ctx, TN_ERR_INPUT, "the stiffness does not change with the load: nothing is stressed by it");
  return TN_OK;
}

static tn_status keep(work *w, double s, double off, const double *x, tni_mode *mode) {
  double *shape, best = 0, most = 0;
  TNI_ARENA_NEW(&w->sim->arena, shape, 2*(size_t)w->n);
  for (int i = 0; i < w->n; i++)
    if (fabs(x[i]) > most) most = fabs(x[i]), mode->component = i;
  for (int i = 0; i < w->n; i++) {
    shape[i] = x[i]/x[mode->component];
    best += shape[i]*shape[i];
  }
  mode->shape = shape;
  mode->share = 1/best;
  mode->body = -1;
  mode->re = s;
  mode->off_by = off;
  mode->kind = TNI_MODE_REAL;
  return TN_OK;
}

/* negative eigenvalues of K + s K' */
static tn_status count_below(work *w, double s, double *A, int *negative) {
  size_t nnz = (size_t)w->sim->s->square->nnz;
  for (size_t k = 0; k < nnz; k++) A[k] = w->K[k] - s*w->G[k];
  return tni_rest_factor(w->rest, A, s != 0, negative);
}

static tn_status solve(work *w, int count, tni_modes *out) {
  tn_sim *sim = w->sim;
  tni_data *s = sim->s;
  int most = s->nv - (s->rank ? s->rank->rank : 0), negative;
  double *A;
  TNI_ARENA_NEW(&sim->arena, A, s->square->nnz);
  TN_TRY(count_below(w, 0, A, &negative));
  if (negative > 0)
    return TN_FAIL(sim->ctx, TN_INCONSISTENT, "the equilibrium at t = %g is not stable: it has buckled already (%d negative eigenvalues); begin "
                   "'from' a smaller load", sim->at.t, negative);
  for (int round = 0, want = 2*count + 2;; round++, want *= 2) {
    tni_krylov k;
    if (want > most) want = most;
    int room = 3*want + SPARE, n = 0, npositive = 0;
    tni_krylov_opts o = {.n = w->n, .apply = apply, .weigh = weigh, .user = w, .symmetric = true, .want = want,
                         .block = BLOCK < most ? BLOCK : most, .most = room < most ? room : most, .tolerance = EIGEN_TOL};
    TN_TRY(tni_krylov_eigen(&sim->arena, &o, &k));
    while (n < k.nvector && k.residual[n] <= ACCEPTED*fabs(k.re[n])) n++;
    for (int i = 0; i < n; i++) npositive += k.re[i] > 0;
    int given = npositive < count ? npositive : count;
    bool all = want == most || n == most;
    if (npositive <= given && !all && round < ROUNDS) continue; /* one beyond the last, to tell the bound */
    TNI_ARENA_NEW(&sim->arena, out->mode, given + 1);
    double last = 0, next = 0;
    for (int i = 0; i < n && out->nmode < given; i++) {
      if (!(k.re[i] > 0)) continue;
      last = 1/k.re[i];
      TN_TRY(keep(w, last, k.residual[i]/k.re[i], k.vector + (size_t)i*(size_t)w->n, &out->mode[out->nmode++]));
    }
    int below = 0;
    for (int i = 0; i < n; i++) {
      if (!(k.re[i] > 0)) continue;
      double v = 1/k.re[i];
      if (v <= last*(1 + 1e-6)) below++;
      else if (next == 0) next = v;
    }
    if (out->nmode > 0) {
      double bound = next > 0 ? 0.5*(last + next) : last*(1 + 1e-6);
      TN_TRY(count_below(w, bound, A, &negative));
      if (negative >= 0 && negative != below) {
        if (round < ROUNDS && negative > below) {
          out->nmode = 0;
          TN_TRY(count_below(w, 0, A, &negative));
          continue;
        }
        return TN_FAIL(sim->ctx, TN_NOT_CONVERGED, "%d critical loads were found below t = %g where there are %d", below, sim->at.t + bound, negative);
      }
      if (negative < 0)
        tni_log(sim->ctx, TN_LOG_WARNING, "the number of critical loads could not be checked: the sparse solver does not tell signs");
    }
    return TN_OK;
  }
}

static void note(tn_sim *sim, const work *w, const tni_modes *modes) {
  tn_summary *u = &sim->sum;
  char solver[160];
  u->modes = modes->nmode;
  tni_rest_describe(w->rest, solver, sizeof(solver));
  snprintf(u->system, sizeof(u->system), "cartesian, %d unknowns, %s", w->n, solver);
  snprintf(u->method, sizeof(u->method), "buckling: block Lanczos, count checked by Sturm's law");
  for (int i = 0; i < modes->nmode && i < TN_SUMMARY_MODES; i++) {
    const tni_mode *m = &modes->mode[i];
    tn_mode *o = &u->mode[i];
    *o = (tn_mode){.kind = "buckles", .re = sim->at.t + m->re, .share = m->share, .off_by = m->off_by};
    tni_dof_name(sim->s, m->component, o->name, sizeof(o->name));
  }
}

static tn_status compute(tn_sim *sim, tni_modes *out) {
  work w = {.sim = sim, .n = sim->s->nv};
  bool small = false;
  memset(out, 0, sizeof(*out));
  out->n = sim->s->nv;
  out->symmetric = true;
  TN_REQUIRE(sim->ctx, sim->s->parts, TN_ERR_UNSUPPORTED, "type: buckling is for models with structures; beams and mechanisms buckle along "
             "type: statics with arc_length: true, which tells every critical load");
  for (int i = 0; i < sim->s->parts->n; i++) small = small || sim->s->parts->part[i].small;
  if (small) TN_TRY(tni_modes_stress(sim));
  TN_TRY(tni_rest_create(sim->s, &w.rest));
  tn_status st = stiffness(&w);
  if (st == TN_OK) st = solve(&w, sim->set.nmodes > 0 ? sim->set.nmodes : USUAL, out);
  if (st == TN_OK) note(sim, &w, out);
  tni_rest_destroy(&w.rest);
  return st;
}

/* ---- the analysis -------------------------------------------------------------------------- */

static const char *const ANIMATION[] = {"mode", "phase"};
static const tni_channel channels[] = {
    {"animation", "animation", "1, rad", TNI_COUNT(ANIMATION), ANIMATION, NULL, NULL}};

static void fill(const tn_sim *sim, double *x) {
  x[0] = sim->mode;
  x[1] = sim->phase;
}

static void summary(const tn_summary *u, tni_json *j) {
  tni_json_open_array(j, "critical");
  for (int i = 0; i < u->modes && i < TN_SUMMARY_MODES; i++) {
    tni_json_open_object(j, NULL);
    tni_json_add_number(j, "t", u->mode[i].re);
    tni_json_add_text(j, "mostly", u->mode[i].name);
    tni_json_add_number(j, "off_by", u->mode[i].off_by);
    tni_json_close(j);
  }
  tni_json_close(j);
}

static void text(const tn_summary *u, tni_text *t) {
  int shown = u->modes < TN_SUMMARY_MODES ? u->modes : TN_SUMMARY_MODES;
  tni_text_add(t, "%-10s %d critical load%s from t = %g in %.3g s (%.3g s CPU)\nmethod     %s\nsystem     %s\n", u->outcome, u->modes,
               u->modes == 1 ? "" : "s", u->t_begin, u->wall, u->cpu, u->method, u->system);
  if (u->modes == 0) tni_text_add(t, "stability  no load of this sign buckles it\n");
  else tni_text_add(t, "     critical t      mostly\n");
  for (int i = 0; i < shown; i++) tni_text_add(t, "%3d  %-14.7g  %s\n", i + 1, u->mode[i].re, u->mode[i].name);
}

static tn_status run(tni_run *r) {
  tni_modes modes;
  TN_TRY(compute(r->sim, &modes));
  double *critical;
  TNI_ARENA_NEW(&r->sim->arena, critical, modes.nmode + 1);
  TNI_ARENA_NEW(&r->sim->arena, r->table, 1);
  for (int i = 0; i < modes.nmode; i++) critical[i] = r->sim->at.t + modes.mode[i].re;
  r->table[0] = (tni_table){"buckling/critical", "", modes.nmode, 0, critical, 0};
  r->ntable = 1;
  TN_TRY(tni_run_open(r));
  return tni_modes_animate(r->sim, &modes, tni_run_store_rest, r);
}

const tni_analysis tni_analysis_buckling = {
    .name = "buckling", .doc = "find loads at which an equilibrium buckles", .motion = TNI_MOTION_SMALL,
    .run = run, .channel = channels, .nchannel = TNI_COUNT(channels),
    .fill = fill, .summary = summary, .text = text};
