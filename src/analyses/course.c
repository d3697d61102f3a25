/* analyses/course.c - analyses of whole trajectories: solve, look, derive by parameters
 *
 * How a trajectory depends on a parameter: the equations R of its elements change by dR/dp, found from residuals of the model at
 * neighbouring values of p on the same trajectory, and the beginning by what assembly makes of them; the exact matrices of the trajectory do
 * the rest (trajectory/trajectory.h). A sensor then changes along with state and parameter, which one more formula of differences
 * tells. Formulas have four points and are of fourth order, one-sided where the model is refused on one side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/course.h"

#include <math.h>
#include <stdio.h>
#include <tenon/model.h>

enum { MAX_ITERATIONS = 12, COARSE = 4 };
static const double NEWTON_TOL = 1e-11, GUESS_TOL = 1e-4, MARCH_TOL = 1e-9;
/* steps of differences, of the parameter itself; where it is zero */
static const double STEP = 1e-3, STEP_AT_ZERO = 1e-4;

static tn_status open_trajectory(tni_course *w) {
  tn_sim *sim = w->sim;
  const tni_item *an = tni_spec_single(sim->model->spec, "analysis");
  int n = an ? tni_item_integer(an, "elements", 64) : 64, k = an ? tni_item_integer(an, "order", 3) : 3;
  if (tni_system_has_way(sim->s))
    return TN_FAIL(w->ctx, TN_ERR_UNSUPPORTED, "analysis '%s' needs forces that depend on the state alone; one of them remembers "
                   "its way", sim->set.analysis->name);
  bool radau = an && strcmp(tni_item_text(an, "points", "gauss"), "radau") == 0;
  return tni_trajectory_create(w->ctx, sim->s, k, radau ? TNI_AT_RADAU : TNI_AT_GAUSS, n, &w->tr);
}

static tn_status remember_start(tni_course *w) {
  const tn_sim *sim = w->sim;
  w->q0 = tni_doubles(w->ctx, (size_t)sim->s->nq);
  w->v0 = tni_doubles(w->ctx, (size_t)sim->s->nv);
  if (!w->q0 || !w->v0) return tni_out_of_memory(w->ctx);
  memcpy(w->q0, sim->at.q, (size_t)sim->s->nq*sizeof(double));
  memcpy(w->v0, sim->at.v, (size_t)sim->s->nv*sizeof(double));
  return TN_OK;
}

tn_status tni_course_open(tn_sim *sim, tni_course *out) {
  *out = (tni_course){.ctx = sim->ctx, .sim = sim};
  TN_TRY(remember_start(out));
  return open_trajectory(out);
}

void tni_course_close(tni_course *w) {
  if (!w->ctx) return;
  tni_trajectory_destroy(&w->tr);
  tni_free(w->ctx, w->q0);
  tni_free(w->ctx, w->v0);
  if (w->spec) {
    tn_sim_destroy(&w->sim);
    tn_model_destroy(&w->model);
    tn_spec_destroy(&w->spec);
  }
  *w = (tni_course){0};
}

static tn_status solve_once(tni_course *w, int n, bool warm, const double *a, const double *lambda) {
  tni_trajectory *tr = w->tr;
  /* element by element: as far as any guess goes */
  const tni_guess march[2] = {{COARSE, GUESS_TOL, a, lambda}, {1, MARCH_TOL, a, lambda}};
  for (int way = warm ? 0 : 1; way < 3; way++) {
    int got = tni_trajectory_solve(tr, way ? &march[way - 1] : NULL, MAX_ITERATIONS, NEWTON_TOL);
    w->sweeps += tr->sweeps;
    if (got == n) return TN_OK;
  }
  int got = tr->guessed;
  return TN_FAIL(w->ctx, TN_NOT_CONVERGED, "trajectory not converged: guess and iteration fail at t = %.6g s; take more elements",
                 tr->slab[got < n ? got : 0].t);
}

/* ---- what switches ------------------------------------------------------------------------- */

/* the first switching function that is negative at t, -1: none */
static int switched_at(tni_course *w, int e, double t, double *g, double *q, double *v) {
  tn_sim *sim = w->sim;
  tni_trajectory_look(w->tr, e, t, q, v, NULL);
  tni_memory_restore(sim->s, w->tr->slab[e].memory);
  tni_system_events(sim->s, t, q, v, g);
  for (int i = 0; i < sim->model->nevent; i++)
    if (g[i] < 0) return i;
  return -1;
}

/* Models with forces and joints that could switch are followed as long as none does. */
static tn_status refuse_events(tni_course *w) {
  enum { LOOKS = 8, HALVINGS = 40 };
  tn_sim *sim = w->sim;
  tni_trajectory *tr = w->tr;
  int n = sim->model->nevent;
  if (n == 0) return TN_OK;
  double *room = tni_doubles(w->ctx, (size_t)(n + sim->s->nq + sim->s->nv));
  if (!room) return tni_out_of_memory(w->ctx);
  double *q = room + n, *v = q + sim->s->nq, before = tr->slab[0].t, first = 0;
  int which = -1;
  for (int e = 0; e < tr->n && which < 0; e++) {
    for (int i = 1; i <= LOOKS && which < 0; i++) {
      double t = tr->slab[e].t + i*tr->slab[e].h/LOOKS;
      which = switched_at(w, e, t, room, q, v);
      if (which < 0) before = t;
      first = t;
    }
    for (int k = 0; which >= 0 && k < HALVINGS; k++) {
      double middle = 0.5*(before + first);
      int found = switched_at(w, e, fmax(middle, tr->slab[e].t), room, q, v);
      if (found >= 0) first = middle, which = found;
      else before = middle;
    }
  }
  char name[128] = "";
  if (which >= 0) tni_system_event_name(sim->s, which, name, sizeof(name));
  tni_free(w->ctx, room);
  TN_REQUIRE(w->ctx, which < 0, TN_ERR_UNSUPPORTED, "analysis '%s' needs forces and joints that do not switch; '%s' does at t = %.6g s",
             sim->set.analysis->name, name, first);
  return TN_OK;
}

tn_status tni_course_solve(tni_course *w, const double *q, const double *v, bool warm) {
  tn_sim *sim = w->sim;
  tni_trajectory *tr = w->tr;
  int n = tr->capacity;
  double h = (sim->set.until - sim->set.from)/n;
  w->solves++;
  if (warm) {
    tni_trajectory_restart(tr, q, v);
    TN_TRY(solve_once(w, n, true, tr->zero, tr->zero));
    return refuse_events(w);
  }
  tni_trajectory_begin(tr, sim->set.from, q, v, n, h);
  TN_TRY(tni_accel(sim->s, sim->set.from, q, v, sim->at.a, sim->at.lambda, NULL));
  TN_TRY(solve_once(w, n, false, sim->at.a, sim->at.lambda));
  return refuse_events(w);
}

/* a state into the simulation */
static tn_status show(tn_sim *sim, double t, const double *q, const double *v, const double *memory) {
  memcpy(sim->at.q, q, (size_t)sim->s->nq*sizeof(double));
  memcpy(sim->at.v, v, (size_t)sim->s->nv*sizeof(double));
  tni_memory_restore(sim->s, memory);
  return tni_sim_look(sim, t);
}

/* memory that a boundary is looked at with: that of the element which begins or, at the end, ends there */
static const double *memory_at(const tni_trajectory *tr, int e) { return tr->slab[e < tr->n ? e : tr->n - 1].memory; }

static double time_at(const tni_trajectory *tr, int e) {
  return e < tr->n ? tr->slab[e].t : tr->slab[tr->n - 1].t + tr->slab[tr->n - 1].h;
}

tn_status tni_course_show(tni_course *w, int e) {
  return show(w->sim, time_at(w->tr, e), tni_trajectory_q(w->tr, e), tni_trajectory_v(w->tr, e), memory_at(w->tr, e));
}

/* state and powers at t, which comes after the times asked for before; *e follows */
static tn_status state_at(tni_course *w, double t, int *e, double *q, double *v, double power[TNI_NZ]) {
  tn_sim *sim = w->sim;
  tni_trajectory *tr = w->tr;
  while (*e + 1 < tr->n && t >= tr->slab[*e + 1].t) ++*e;
  if (t >= time_at(tr, tr->n)) {
    memcpy(q, tni_trajectory_q(tr, tr->n), (size_t)sim->s->nq*sizeof(double));
    memcpy(v, tni_trajectory_v(tr, tr->n), (size_t)sim->s->nv*sizeof(double));
  } else {
    tni_trajectory_look(tr, *e, t, q, v, NULL);
  }
  tni_memory_restore(sim->s, tr->slab[*e].memory);
  tni_project_opts p = {.position = true, .velocity = true, .tol = 1e-12};
  TN_TRY(tni_project(sim->s, t, q, v, &p, NULL));
  return tni_accel(sim->s, t, q, v, sim->at.a, sim->at.lambda, power);
}

/* Work is integrated by Simpson's rule between rows, in pieces of half an element at most. */
static tn_status store(tni_run *r, tni_course *w) {
  tn_sim *sim = w->sim;
  tni_trajectory *tr = w->tr;
  double *q, *v, power[3][TNI_NZ], last = time_at(tr, tr->n), at = sim->set.from;
  int e = 0;
  TNI_ARENA_NEW(&sim->arena, q, sim->s->nq);
  TNI_ARENA_NEW(&sim->arena, v, sim->s->nv);
  memset(sim->at.z, 0, TNI_NZ*sizeof(double));
  sim->begun = false; /* the trajectory need not begin where the model was assembled */
  sim->sum.energy_error = sim->sum.energy_scale = 0; /* of looks at the end of it, without the work done until then */
  tni_audit_restart(sim, at);
  sim->audit.shown = sim->audit.seen;
  TN_TRY(state_at(w, at, &e, q, v, power[0]));
  for (long k = 0; k == 0 || at < last; k++) {
    double t1 = k == 0 ? at : fmin(tni_run_output_time(r, k), last);
    int pieces = 1 + (int)(2*(t1 - at)/tr->slab[e].h);
    for (int i = 0; i < pieces && k > 0; i++) {
      double t0 = at + i*(t1 - at)/pieces, end = i + 1 == pieces ? t1 : at + (i + 1)*(t1 - at)/pieces;
      TN_TRY(state_at(w, 0.5*(t0 + end), &e, q, v, power[1]));
      TN_TRY(state_at(w, end, &e, q, v, power[2]));
      for (int n = 0; n < TNI_NZ; n++) sim->at.z[n] += (end - t0)/6*(power[0][n] + 4*power[1][n] + power[2][n]);
      memcpy(power[0], power[2], sizeof(power[0]));
    }
    at = t1;
    TN_TRY(show(sim, t1, q, v, tr->slab[e].memory));
    if (k == 0) {
      sim->sum.energy_begin = sim->energy0 = sim->sum.energy_end;
      sim->begun = true;
    }
    TN_TRY(tni_run_store(r));
    TN_TRY(tni_run_heed_interrupt(r, t1));
  }
  sim->sum.t_end = last;
  return TN_OK;
}

tn_status tni_course_store(tni_run *r, tni_course *w) {
  tn_sim *begun = r->sim, *sim = w->sim;
  if (sim == begun) {
    TN_TRY(tni_run_open(r));
    return store(r, w);
  }
  /* The model has other numbers now: rows and summary are those of its own simulation. */
  tni_record rec = r->rec;
  tn_summary sum = sim->sum;
  sim->sum = begun->sum;
  sim->set = begun->set;
  memcpy(sim->sum.system, sum.system, sizeof(sum.system));
  r->sim = sim;
  tn_status st = tni_record_create(sim, &sim->arena, &r->rec);
  if (st == TN_OK) st = tni_run_open(r);
  if (st == TN_OK) st = store(r, w);
  begun->sum = sim->sum;
  begun->audit.seen = sim->audit.seen;
  begun->audit.shown = sim->audit.shown;
  begun->energy0 = sim->energy0;
  begun->at.t = sim->at.t;
  memcpy(begun->at.z, sim->at.z, TNI_NZ*sizeof(double));
  r->sim = begun;
  r->rec = rec;
  return st;
}

/* ---- parameters ---------------------------------------------------------------------------- */

/* the model of `like` with parameters set; *out has a simulation of its own and no trajectory */
static tn_status read_again(const tni_course *like, int n, const char *const *names, const double *value, tni_course *out) {
  tn_ctx *ctx = like->ctx;
  const tn_spec *spec = like->sim->model->spec;
  int total = spec->noverride + n;
  char **text = tni_alloc(ctx, (size_t)total + 1, sizeof(*text));
  char *room = tni_alloc(ctx, (size_t)n + 1, 200);
  *out = (tni_course){.ctx = ctx};
  if (!text || !room) {
    tni_free(ctx, text);
    tni_free(ctx, room);
    return tni_out_of_memory(ctx);
  }
  for (int i = 0; i < spec->noverride; i++) text[i] = (char *)spec->overrides[i];
  for (int i = 0; i < n; i++) {
    text[spec->noverride + i] = room + 200*i;
    snprintf(text[spec->noverride + i], 200, "%.150s=%.17g", names[i], value[i]);
  }
  tn_status st = tn_spec_read_text(ctx, spec->top.at.file, spec->source, (const char *const *)text, total, &out->spec);
  if (st == TN_OK) st = tn_model_compile(ctx, out->spec, &out->model);
  if (st == TN_OK) st = tni_sim_create(ctx, out->model, &like->sim->opts, false, &out->sim);
  if (st == TN_OK) st = remember_start(out);
  tni_free(ctx, text);
  tni_free(ctx, room);
  if (st != TN_OK) tni_course_close(out);
  return st;
}

tn_status tni_course_change(tni_course *w, int n, const char *const *names, const double *value) {
  tni_course next;
  TN_TRY(read_again(w, n, names, value, &next));
  tn_status st = open_trajectory(&next);
  bool warm = st == TN_OK && w->tr->n == next.tr->capacity && tni_trajectory_follow(next.tr, w->tr, next.q0, next.v0);
  if (st == TN_OK) {
    next.solves = w->solves;
    next.sweeps = w->sweeps;
    st = tni_course_solve(&next, next.q0, next.v0, warm);
  }
  if (st != TN_OK) {
    tni_course_close(&next);
    return st;
  }
  tni_course_close(w);
  *w = next;
  return TN_OK;
}

static tn_status open_variant(tni_course *w, const char *name, tni_vary *v, tni_variant *p) {
  static const double both[2][4] = {{1, -1, 2, -2}, {2.0/3, -2.0/3, -1.0/12, 1.0/12}};
  static const double above[2][5] = {{0, 1, 2, 3, 4}, {-25.0/12, 4, -3, 4.0/3, -0.25}};
  const tni_param *param = tni_spec_param(w->sim->model->spec, name);
  p->name = name;
  p->value = param->value;
  p->step = param->value != 0 ? STEP*fabs(param->value) : STEP_AT_ZERO;
  for (int side = 0; side < 2; side++) {
    tn_status st = TN_OK;
    p->n = side ? 5 : 4;
    for (int i = 0; i < p->n && st == TN_OK; i++) {
      p->offset[i] = side ? above[0][i] : both[0][i];
      p->weight[i] = side ? above[1][i] : both[1][i];
      double value = p->value + p->offset[i]*p->step;
      st = read_again(w, 1, &name, &value, &p->at[i]);
      if (st == TN_OK) st = tni_prepare_tangent(p->at[i].sim->s);
      if (st == TN_OK) st = tni_prepare_pattern(p->at[i].sim->s);
      const tni_data *s = st == TN_OK ? p->at[i].sim->s : NULL;
      if (s && (s->nv != w->sim->s->nv || s->m != w->sim->s->m))
        st = TN_FAIL(w->ctx, TN_ERR_UNSUPPORTED, "parameter '%s' changes what the model is made of; derivatives need the same "
                     "bodies and joints", name);
      if (st == TN_OK) st = tni_slab_desk_create(&v->arena, &w->tr->shape, s, &p->desk[i]);
    }
    if (st == TN_OK) return TN_OK;
    if (side == 1 || st == TN_ERR_MEMORY || st == TN_ERR_UNSUPPORTED) return st;
    for (int i = 0; i < p->n; i++) {
      tni_data_destroy(&p->desk[i].s);
      tni_course_close(&p->at[i]);
    }
  }
  return TN_OK;
}

tn_status tni_vary_open(tni_course *w, int n, const char *const *names, tni_vary *v) {
  *v = (tni_vary){.base = w, .n = n};
  tni_arena_init(&v->arena, w->ctx);
  TNI_ARENA_NEW(&v->arena, v->p, n);
  TNI_ARENA_NEW(&v->arena, v->y, (size_t)n*2*(size_t)w->tr->shape.nv);
  TNI_ARENA_NEW(&v->arena, v->r, (size_t)n*(size_t)w->tr->shape.nz);
  TNI_ARENA_NEW(&v->arena, v->dz, (size_t)n*(size_t)w->tr->shape.nz);
  for (int i = 0; i < n; i++) {
    TN_TRY(open_variant(w, names[i], v, &v->p[i]));
  }
  return TN_OK;
}

void tni_vary_close(tni_vary *v) {
  for (int i = 0; i < v->n && v->p; i++)
    for (int k = 0; k < TNI_VARY_POINTS; k++) {
      tni_data_destroy(&v->p[i].desk[k].s);
      tni_course_close(&v->p[i].at[k]);
    }
  tni_arena_clear(&v->arena);
  *v = (tni_vary){0};
}

tn_status tni_vary_begin(tni_vary *v) {
  const tni_course *w = v->base;
  const tni_slab_shape *p = &w->tr->shape;
  int n = 2*p->nv;
  TN_TRY(tni_trajectory_factor(w->tr));
  for (int i = 0; i < v->n; i++) {
    const tni_variant *x = &v->p[i];
    double *y = v->y + (size_t)i*(size_t)n;
    memset(y, 0, (size_t)n*sizeof(double));
    for (int k = 0; k < x->n; k++) {
      tni_difference(w->sim->s, w->q0, x->at[k].q0, w->tr->x);
      for (int j = 0; j < p->nv; j++) {
        y[j] += x->weight[k]/x->step*w->tr->x[j];
        y[p->nv + j] += x->weight[k]/x->step*(x->at[k].v0[j] - w->v0[j]);
      }
    }
  }
  return TN_OK;
}

tn_status tni_vary_advance(tni_vary *v, int e) {
  tni_trajectory *tr = v->base->tr;
  const tni_slab_shape *p = &tr->shape;
  tni_slab *s = &tr->slab[e];
  memset(v->r, 0, (size_t)v->n*(size_t)p->nz*sizeof(double));
  for (int i = 0; i < v->n; i++) {
    tni_variant *x = &v->p[i];
    double *r = v->r + (size_t)i*(size_t)p->nz;
    for (int k = 0; k < x->n; k++) {
      tni_slab_eval(p, &x->desk[k], s, tr->q0[e], tr->v0[e], false);
      for (int j = 0; j < p->nz; j++) r[j] += x->weight[k]/x->step*s->R[j];
    }
  }
  tni_trajectory_change(tr, e, v->n, v->r, v->y, v->dz);
  return TN_OK;
}

tn_status tni_vary_sensors(tni_vary *v, int e, double *out) {
  tni_course *w = v->base;
  tni_trajectory *tr = w->tr;
  int nv = tr->shape.nv, ns = tni_system_nsensor(w->sim->s);
  const double *q = tni_trajectory_q(tr, e), *vel = tni_trajectory_v(tr, e);
  for (int i = 0; i < v->n; i++) {
    tni_variant *x = &v->p[i];
    const double *y = v->y + (size_t)i*2*(size_t)nv;
    memset(out + i*ns, 0, (size_t)ns*sizeof(double));
    for (int k = 0; k < x->n; k++) {
      double h = x->offset[k]*x->step;
      for (int j = 0; j < nv; j++) {
        tr->x[j] = h*y[j];
        tr->v[j] = vel[j] + h*y[nv + j];
      }
      tni_retract(w->sim->s, q, tr->x, tr->q);
      TN_TRY(show(x->at[k].sim, time_at(tr, e), tr->q, tr->v, memory_at(tr, e)));
      for (int j = 0; j < ns; j++) out[i*ns + j] += x->weight[k]/x->step*x->at[k].sim->sensor[j];
    }
  }
  return TN_OK;
}

/* ---- names --------------------------------------------------------------------------------- */

int tni_course_sensor(const tni_course *w, const tni_item *an, const char *key, const char *name) {
  const tn_model *m = w->sim->model;
  const char *known[32];
  int at = 0, n = 0;
  for (int i = 0; i < m->nsensor; i++) {
    const tni_sensor *s = &m->sensor[i];
    if (n < TNI_COUNT(known)) known[n++] = s->name;
    for (int c = 0; c < s->ncomponent; c++, at++) {
      char full[256];
      if (strcmp(s->name, name) == 0) return at; /* the first component */
      snprintf(full, sizeof(full), "%s.%s", s->name, s->component ? s->component[c] : "");
      if (strcmp(full, name) == 0) return at;
    }
  }
  tni_item_fail(w->ctx, an, key, "'%s' is no sensor of the model%s", name, tni_hint_for(name, known, n).s);
  return -1;
}

/* names of a key of kind NAMES; how many */
static int names_of(tni_arena *arena, const tni_item *an, const char *key, const char ***out) {
  const tni_value *v = an ? tni_item_get(an, key) : NULL;
  int n = v ? (v->n > 0 ? v->n : v->text != NULL) : 0;
  *out = tni_arena_alloc(arena, (size_t)n + 1, sizeof(**out));
  if (!*out) return -1;
  for (int i = 0; i < n; i++) (*out)[i] = v->n > 0 ? v->item[i].text : v->text;
  return n;
}

int tni_course_parameters(tni_course *w, tni_arena *arena, const tni_item *an, const char ***out) {
  const tn_spec *spec = w->sim->model->spec;
  int n = names_of(arena, an, "free", out);
  for (int i = 0; i < n; i++) {
    if (!tni_spec_param(spec, (*out)[i])) {
      const char *known[32];
      int k = 0;
      for (; k < spec->nparam && k < TNI_COUNT(known); k++) known[k] = spec->param[k].name;
      (void)tni_item_fail(w->ctx, an, "free", "'%s' is no parameter of the model%s", (*out)[i], tni_hint_for((*out)[i], known, k).s);
      return -1;
    }
    for (int j = 0; j < i; j++)
      if (strcmp((*out)[i], (*out)[j]) == 0) {
        (void)tni_item_fail(w->ctx, an, "free", "'%s' stands there twice", (*out)[i]);
        return -1;
      }
  }
  return n;
}
