/* analyses/start.c - the state a run starts from: assembly, and initial coordinates of joints
 *
 * The poses in the model file are those of the drawing. Initial coordinates then move the joints from
 * there, in relative coordinates on the spanning tree: small steps of the coordinates that are
 * written, each followed by the smallest change of all joint coordinates that closes the loops. Rates
 * likewise: joint rates that nobody wrote are as small as loops allow, which gives every body a
 * velocity; velocities written for bodies come before that, rates written for joints before both.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/start.h"

#include <stdio.h>

#include "joints/pin.h"
#include "system/parts.h"

static const double TURN_STEP = 0.1; /* rad, and part of the size of the model */
#define TWO_PI 6.283185307179586476925
/* rad in a step: angles are known to be counted through turns */
static const double MOST_TURN = 1;
#define LOOP_TOL 1e-9 /* m, rad; of velocities in parts of the fastest */
enum { MOST_MOVES = 100000, SHORTER = 7 }; /* halvings of steps in which loops do not close, or angles turn too far */

typedef struct {
  const tn_model *model; /* these are of `in` */
  tni_data *s;
  double t;
  tni_arena *arena;
  const tni_starting *in;
  double length;    /* of the model */
  tni_pin *pin;     /* [n] */
  int n, nrow;      /* the first nrow are rows, the others coordinates of the tree */
  int *own;         /* [n] velocity that alone moves it; -1: none */
  tn_model pinned;     /* the model with rows                    */
  tni_system *joint_system, *cartesian_system; /* of `pinned`, NULL: not needed; */
  tni_data *joint, *cartesian; /* data; all are destroyed at the end */
  double *held;        /* [nv] of joint: weights of changes, infinite where it is held */
  double *unit;        /* [nv] rates of own coordinates by those velocities, 0: not held */
  tni_at here;         /* where the joints are           */
} start;

/* the model with rows for the first n pins, those with rates (or values) in force */
static tn_status add_rows(start *w, int n, bool rates) {
  TN_TRY(tni_pins_add(w->model, w->arena, n, w->pin, &w->pinned));
  w->pinned.npart = 0; /* their unknowns come after those of bodies, have no rows, and follow (start_flexible.c) */
  tni_memory_keep(w->s, w->pinned.memory0);
  for (int i = 0; i < n; i++)
    w->pinned.memory0[w->pin[i].memory] = rates ? w->pin[i].has_rate : w->pin[i].has_value;
  return TN_OK;
}

/* Relative coordinates where the bodies are. Coordinates of the tree are held as they are; those of cut joints need rows, and with
 * them a system of their own. */
static tn_status set_up(start *w, const double *q, const double *v, bool rates) {
  tni_data *s = w->s;
  tni_at at = {.t = w->t, .q = q, .v = v};
  if (w->model->npart > 0) { /* meshes have no relative coordinates */
    TN_TRY(add_rows(w, 0, rates));
    TN_TRY(tni_joint_system(s->ctx, &w->pinned, NULL, &w->joint_system));
  } else if (!*w->in->relative) {
    TN_TRY(tni_joint_system(s->ctx, w->model, w->in->opts, w->in->relative));
  }
  const tni_system *system = w->joint_system ? w->joint_system : *w->in->relative;
  TN_TRY(tni_data_create_at(system, tni_look_bodies(s, &at), s->memory, &w->joint));
  TNI_ARENA_NEW(w->arena, w->own, w->n);
  w->nrow = 0;
  for (int i = 0; i < w->n; i++) {
    tni_pin pin = w->pin[i];
    if (tni_joint_own_velocity(w->joint, pin.joint, pin.coord) >= 0) continue;
    for (int k = i; k > w->nrow; k--) w->pin[k] = w->pin[k-1];
    w->pin[w->nrow++] = pin;
  }
  for (int i = 0; i < w->n; i++) w->own[i] = tni_joint_own_velocity(w->joint, w->pin[i].joint, w->pin[i].coord);
  if (w->nrow == 0) return TN_OK;
  tni_data_destroy(&w->joint);
  tni_system_destroy(&w->joint_system);
  TN_TRY(add_rows(w, w->nrow, rates));
  TN_TRY(tni_joint_system(s->ctx, &w->pinned, NULL, &w->joint_system));
  return tni_data_create_at(w->joint_system, tni_look_bodies(s, &at), NULL, &w->joint);
}

static void tear_down(start *w) {
  tni_data_destroy(&w->joint);
  tni_data_destroy(&w->cartesian);
  tni_system_destroy(&w->joint_system);
  tni_system_destroy(&w->cartesian_system);
}

static const tni_coord *coord_of(const start *w, const tni_pin *p) {
  return &w->model->joint[p->joint].coord[p->coord];
}

static double value_now(const start *w, const tni_pin *p) {
  tni_env env = {w->t, tni_look_bodies(w->joint, &w->here), w->joint->memory};
  tni_scalar_out o;
  tni_scalar_at(&coord_of(w, p)->scalar, &env, TNI_S_VALUE, &o);
  return o.s;
}

static tn_status out_of_reach(const start *w, const tni_pin *p, double wanted) {
  const tni_joint *j = &w->model->joint[p->joint];
  char why[TNI_MESSAGE_MAX];
  snprintf(why, sizeof(why), "%s", tn_ctx_message(w->s->ctx));
  tni_item_fail(w->s->ctx, j->item, "initial", "initial %s = %g %s cannot be reached, it comes to %.6g: "
                "%.600s", coord_of(w, p)->name, wanted, coord_of(w, p)->unit, value_now(w, p), why);
  return TN_INCONSISTENT;
}

/* the pin that is farthest from its value, in steps */
static int farthest(const start *w, const double *wanted, const double *from, double length,
                    double *steps) {
  int worst = 0;
  *steps = 0;
  for (int i = 0; i < w->n; i++) {
    const tni_joint *j = &w->model->joint[w->pin[i].joint];
    bool turns = strcmp(coord_of(w, &w->pin[i])->unit, "rad") == 0;
    double way = fabs(wanted[i] - from[i]), size = way/(TURN_STEP*(turns ? 1 : length));
    if (!turns && j->mobilizer == TNI_MOBIL_SCREW && j->pitch != 0) size = fmax(size, way*TWO_PI/fabs(j->pitch)/TURN_STEP);
    if (!w->pin[i].has_value || size <= *steps) continue;
    *steps = size;
    worst = i;
  }
  return worst;
}

/* mean distance of the centres of mass and points of joints from their middle: the same however the world is
 * turned */
static double extent(const start *w, const tni_kin *kin) {
  const tn_model *m = w->model;
  int n = m->nbody + 2*m->njoint;
  double mean[3] = {0}, square = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) {
      const tni_joint *j = i < m->nbody ? NULL : &m->joint[(i - m->nbody)/2];
      int e = i < m->nbody ? 0 : (i - m->nbody) % 2;
      const tni_kin *k = &kin[j ? j->body[e] + 1 : i + 1];
      double p[3] = {0};
      if (j) mat3_vec(p, k->A, j->frame[e].p);
      vec3_add(p, p, k->r);
      if (pass == 0) vec3_addmul(mean, 1.0/n, p);
      else vec3_sub(p, p, mean), square += vec3_dot(p, p)/n;
    }
  }
  return square > 0 ? sqrt(square) : 1;
}

/* Weights of joint velocities at qj: a velocity that turns some body counts as what it moves at the extent of the model, so that
 * the smallest change does not depend on the unit of length. vj is scratch. */
static tn_status weigh(start *w, const double *qj, double *vj) {
  tni_data *j = w->joint;
  tni_at at = {.t = w->t, .q = qj, .v = vj};
  TNI_ARENA_NEW(w->arena, w->held, j->nv);
  TNI_ARENA_NEW(w->arena, w->unit, j->nv);
  memset(vj, 0, (size_t)j->nv*sizeof(double));
  w->length = extent(w, tni_look_bodies(j, &at));
  if (j->m == 0) return TN_OK; /* nothing has to follow */
  double length = w->length;
  for (int i = 0; i < j->nv; i++) {
    bool turns = false;
    vj[i] = 1;
    const tni_kin *kin = tni_look_bodies(j, &at);
    for (int b = 1; b <= j->nbody && !turns; b++) turns = vec3_norm(kin[b].w) > 1e-9;
    w->held[i] = turns ? length*length : 1;
    vj[i] = 0;
  }
  return TN_OK;
}

/* Hold the coordinates of the tree that are written: they do not change when loops close. vj is scratch. */
static void hold(start *w, const double *qj, double *vj, bool rates) {
  tni_data *j = w->joint;
  tni_at at = {.t = w->t, .q = qj, .v = vj};
  memset(vj, 0, (size_t)j->nv*sizeof(double));
  for (int i = w->nrow; i < w->n; i++)
    if (rates ? w->pin[i].has_rate : w->pin[i].has_value) vj[w->own[i]] = 1;
  tni_env env = {w->t, tni_look_bodies(j, &at), j->memory};
  for (int i = w->nrow; i < w->n; i++) {
    if (vj[w->own[i]] == 0) continue;
    tni_scalar_out o;
    tni_scalar_at(&coord_of(w, &w->pin[i])->scalar, &env, TNI_S_RATE, &o);
    w->unit[w->own[i]] = o.rate;
    w->held[w->own[i]] = INFINITY;
  }
}

/* held coordinates go to their values; twice, for rounding. dx is scratch, 0 when it comes and goes */
static void place_held(start *w, double *qj, double *dx) {
  tni_data *j = w->joint;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = w->nrow; i < w->n; i++)
      if (w->pin[i].has_value) dx[w->own[i]] = (w->pin[i].value - value_now(w, &w->pin[i]))/w->unit[w->own[i]];
    tni_retract(j, qj, dx, qj);
    memset(dx, 0, (size_t)j->nv*sizeof(double));
  }
}

/* loops closed at qj, with what is held; message of the context says what cannot be */
static tn_status close_loops(start *w, double *qj, double *vj) {
  tni_data *j = w->joint;
  tni_project_opts o = {.position = true, .tol = 1e-12, .weight = w->held, .max_iterations = 50};
  if (j->m == 0) return TN_OK;
  TN_TRY(tni_update_rank(j, w->t, qj));
  TN_TRY(tni_project(j, w->t, qj, vj, &o, NULL));
  /* where all that could close a loop is held nothing moves, which the projection takes for the end */
  tni_residuals res;
  char name[128];
  tni_eval_residuals(j, w->t, qj, vj, NULL, &res);
  if (res.position <= LOOP_TOL*fmax(w->length, 1)) return TN_OK;
  tni_row_name(j, res.position_row, name, sizeof(name));
  return TN_FAIL(j->ctx, TN_NOT_CONVERGED, "constraints cannot be met at t = %g s: residual %.3g of '%s'", w->t, res.position, name);
}

/* a walk from where the joints are to the coordinates written */
typedef struct {
  double *qj, *vj, *good, *dx; /* where they are; before the last step; scratch, 0 */
  double *memory;              /* [nmemory] where it began */
  double *wanted, *from;       /* [n] */
} walk;

/* In n steps; *far: some angle turned too far in one of them to be counted, or loops did not close: shorter ones may. last: they are
 * the shortest. */
static tn_status walk_in(start *w, walk *x, int n, const tni_pin *worst, double wanted, bool last,
                         bool *far) {
  tni_data *j = w->joint;
  *far = false;
  for (int k = 1; k <= n; k++) {
    memcpy(x->good, x->qj, (size_t)j->nq*sizeof(double));
    for (int i = 0; i < w->n; i++)
      w->pin[i].value = k == n ? x->wanted[i] : x->from[i] + (x->wanted[i] - x->from[i])*k/n;
    place_held(w, x->qj, x->dx);
    tn_status st = close_loops(w, x->qj, x->vj);
    if (st < 0) return st;
    if (st != TN_OK && !last) {
      *far = true;
      return TN_OK;
    }
    if (st != TN_OK) {
      memcpy(x->qj, x->good, (size_t)j->nq*sizeof(double));
      return out_of_reach(w, worst, wanted);
    }
    tni_difference(j, x->good, x->qj, x->dx);
    tni_at at = {.t = w->t, .q = x->good, .v = x->dx};
    int which;
    *far = tni_look_turning(j, &at, &which) > MOST_TURN;
    memset(x->dx, 0, (size_t)j->nv*sizeof(double));
    if (*far) return TN_OK;
    tni_system_commit(j, w->t, x->qj, x->vj, false);
  }
  return TN_OK;
}

/* move the joints from the written position to the coordinates written */
static tn_status move(start *w, double length, double *q) {
  tni_data *j = w->joint;
  walk x;
  double steps;
  TNI_ARENA_NEW(w->arena, x.qj, j->nq);
  TNI_ARENA_NEW(w->arena, x.vj, j->nv);
  TNI_ARENA_NEW(w->arena, x.good, j->nq);
  TNI_ARENA_NEW(w->arena, x.dx, j->nv);
  TNI_ARENA_NEW(w->arena, x.memory, tni_nmemory(j));
  TNI_ARENA_NEW(w->arena, x.wanted, w->n);
  TNI_ARENA_NEW(w->arena, x.from, w->n);
  tni_initial(j, x.qj, x.vj);
  TN_TRY(weigh(w, x.qj, x.vj));
  hold(w, x.qj, x.vj, false);
  tni_initial(j, x.qj, x.vj);
  tni_memory_keep(j, x.memory);
  w->here = (tni_at){.t = w->t, .q = x.qj, .v = x.vj};
  for (int i = 0; i < w->n; i++) {
    x.wanted[i] = w->pin[i].value;
    x.from[i] = w->pin[i].value = value_now(w, &w->pin[i]);
  }
  int worst = farthest(w, x.wanted, x.from, length, &steps);
  if (!(steps < MOST_MOVES)) return out_of_reach(w, &w->pin[worst], x.wanted[worst]);
  bool far = true;
  int n = (int)ceil(steps) + (steps == 0);
  for (int round = 0; far; round++, n *= 2) {
    bool last = round == SHORTER || n >= MOST_MOVES;
    tni_initial(j, x.qj, x.vj);
      tni_memory_restore(j, x.memory);
    TN_TRY(walk_in(w, &x, n, &w->pin[worst], x.wanted[worst], last, &far));
    if (far && last)
      return tni_item_fail(w->s->ctx, w->model->joint[w->pin[worst].joint].item, "initial", "some joint turns more often than can be counted on "
                           "the way to initial %s = %g %s: draw the bodies nearer to it", coord_of(w, &w->pin[worst])->name, x.wanted[worst],
                           coord_of(w, &w->pin[worst])->unit);
  }
  for (int i = 0; i < w->n; i++) {
    w->pin[i].value = x.wanted[i];
    if (w->pin[i].has_value && !(fabs(value_now(w, &w->pin[i]) - x.wanted[i]) < 1e-8*(1 + fabs(x.wanted[i]))))
      return out_of_reach(w, &w->pin[i], x.wanted[i]);
  }
  tni_layout_from_kin(w->s->layout, tni_look_bodies(j, &w->here), q, NULL);
  tni_memory_restore(w->s, j->memory);
  return TN_OK;
}

/* what was reached is still there, by the numbers of those who run */
static tn_status look_again(const start *w, const double *q) {
  tni_data *s = w->s;
  tni_at at = {.t = w->t, .q = q};
  for (int i = 0; i < w->n; i++) {
    const tni_pin *p = &w->pin[i];
    const tni_joint *j = &w->model->joint[p->joint];
    tni_env env = {w->t, tni_look_bodies(s, &at), s->memory};
    tni_scalar_out o;
    tni_scalar_at(&coord_of(w, p)->scalar, &env, TNI_S_VALUE, &o);
    if (!p->has_value || fabs(o.s - p->value) <= 1e-6*(1 + fabs(p->value))) continue;
    tni_item_fail(s->ctx, j->item, "initial", "initial %s = %g %s cannot be held: it becomes %.6g where all constraints are met",
                  coord_of(w, p)->name, p->value, coord_of(w, p)->unit, o.s);
    return TN_INCONSISTENT;
  }
  return TN_OK;
}

/* Velocities of all bodies when joints turn at the rates written and others as little as they can. *met: rates and loops agree */
static tn_status carry(start *w, double *guess, bool *met) {
  tni_data *j = w->joint;
  double *qj, *vj, *scratch;
  TNI_ARENA_NEW(w->arena, qj, j->nq);
  TNI_ARENA_NEW(w->arena, vj, j->nv);
  TNI_ARENA_NEW(w->arena, scratch, j->nv);
  tni_initial(j, qj, vj);
  TN_TRY(weigh(w, qj, scratch));
  hold(w, qj, scratch, true);
  for (int i = w->nrow; i < w->n; i++)
    if (w->pin[i].has_rate) vj[w->own[i]] = w->pin[i].rate/w->unit[w->own[i]];
  tni_project_opts o = {.velocity = true, .tol = 1e-13, .weight = w->held};
  if (j->m > 0) {
    TN_TRY(tni_update_rank(j, w->t, qj));
    tn_status st = tni_project(j, w->t, qj, vj, &o, NULL);
    if (st != TN_OK && st != TN_NOT_CONVERGED) return st;
  }
  tni_residuals res;
  tni_eval_residuals(j, w->t, qj, vj, NULL, &res);
  double fastest = 1;
  for (int i = 0; i < j->nv; i++) fastest = fmax(fastest, fabs(vj[i]));
  *met = res.velocity <= LOOP_TOL*fastest*fmax(w->length, 1);
  tni_at at = {.t = w->t, .q = qj, .v = vj};
  w->here = at;
  for (int i = 0; i < w->n; i++) { /* two rates of one velocity */
    tni_env env = {w->t, tni_look_bodies(j, &at), j->memory};
    tni_scalar_out out;
    tni_scalar_at(&coord_of(w, &w->pin[i])->scalar, &env, TNI_S_RATE, &out);
    if (w->pin[i].has_rate) *met = *met && fabs(out.rate - w->pin[i].rate) <= LOOP_TOL*fastest;
  }
  tni_layout_from_kin(w->s->layout, tni_look_bodies(j, &at), NULL, guess);
  return TN_OK;
}

/* Where velocities of bodies are written as well, or contradict, rows in ground coordinates weigh them against the rates. */
static tn_status velocity(start *w, const double *q0, const double *v0, const double *q, double *v,
                          tni_assembly *out) {
  tni_data *s = w->s;
  double *guess;
  bool met = false;
  tni_at at = {.t = w->t, .q = q, .v = v0};
  TNI_ARENA_NEW(w->arena, guess, s->nv);
  memcpy(guess, v, (size_t)s->nv*sizeof(double));
  TN_TRY(set_up(w, q, v0, true));
  TN_TRY(carry(w, guess, &met));
  if (met && tni_velocities_follow(w->model, s))
    return tni_assemble_velocity(w->model, s, w->t, q0, q, v, guess, w->arena, out);
  TN_TRY(add_rows(w, w->n, true));
  TN_TRY(tni_cartesian_system(s->ctx, &w->pinned, NULL, &w->cartesian_system));
  TN_TRY(tni_data_create_at(w->cartesian_system, tni_look_bodies(s, &at), NULL, &w->cartesian));
  TN_TRY(tni_update_rank(w->cartesian, w->t, q));
  return tni_assemble_velocity(&w->pinned, w->cartesian, w->t, q0, q, v, guess, w->arena, out);
}

static tn_status find_pins(start *w, bool rates, bool *any) {
  TN_TRY(tni_pins_list(w->model, w->arena, &w->n, &w->pin));
  *any = false;
  for (int i = 0; i < w->n; i++) *any = *any || (rates ? w->pin[i].has_rate : w->pin[i].has_value);
  return TN_OK;
}

/* nodes of meshes are where they are drawn, and would not go along */
static tn_status need_no_carried(const start *w) {
  for (int i = 0; w->s->parts && i < w->s->parts->n; i++)
    for (int k = 0; k < w->n && w->s->parts->part[i].ncarrier > 0; k++) {
      if (!w->pin[k].has_value) continue;
      const tni_joint *j = &w->model->joint[w->pin[k].joint];
      return tni_item_fail(w->s->ctx, j->item, "initial", "an initial coordinate would move bodies that carry nodes of structure '%s', and these are where they are drawn: "
                           "draw them there", w->s->parts->part[i].name);
    }
  return TN_OK;
}

static start begin(const tni_starting *in) {
  return (start){.model = in->model, .s = in->s, .t = in->t, .arena = in->arena, .in = in};
}

tn_status tni_start_velocity(const tni_starting *in, const double *q0, const double *v0, const double *q, double *v,
                             tni_assembly *out) {
  start w = begin(in);
  bool any;
  TN_TRY(find_pins(&w, true, &any));
  memcpy(v, v0, (size_t)w.s->nv*sizeof(double));
  if (!any) return tni_assemble_velocity(w.model, w.s, w.t, q0, q, v, NULL, w.arena, out);
  tn_status st = velocity(&w, q0, v0, q, v, out);
  tear_down(&w);
  return st;
}

tn_status tni_start(const tni_starting *in, double *q, double *v, double *q0, double *v0, tni_assembly *out) {
  start w = begin(in);
  tni_data *s = w.s;
  double t = w.t;
  bool moves, turns;
  tni_initial(s, q, v);
  memcpy(q0, q, (size_t)s->nq*sizeof(double));
  memcpy(v0, v, (size_t)s->nv*sizeof(double));
  TN_TRY(tni_assemble(w.model, s, t, q, v, w.arena, out));
  TN_TRY(find_pins(&w, true, &turns));
  TN_TRY(find_pins(&w, false, &moves));
  if (moves) {
    TN_TRY(need_no_carried(&w));
    tn_status st = set_up(&w, q, v, false);
    if (st == TN_OK) st = move(&w, out->written[TNI_AT].scale, q);
    tear_down(&w);
    if (st != TN_OK) return st;
    if (s->m > 0) {
      tni_project_opts o = {.position = true, .tol = 1e-13};
      TN_TRY(tni_update_rank(s, t, q));
      st = tni_project(s, t, q, v, &o, NULL);
      if (st < 0) return st;
    }
    TN_TRY(look_again(&w, q));
  }
  return moves || turns ? tni_start_velocity(in, q0, v0, q, v, out) : TN_OK;
}
