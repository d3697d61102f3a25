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
enum { MOST_MOVES = 100000 };

typedef struct {
  const tn_model *model; /* without pins              */
  tni_data *s;      /* its cartesian system           */
  double t;
  tni_arena *arena;
  tni_pin *pin;
  int n;
  tn_model pinned;     /* the model with pins                              */
  tni_system *joint_system, *cartesian_system; /* of `pinned`, and    */
  tni_data *joint, *cartesian; /* their data; destroyed at the end      */
  tni_at here;         /* where the joints are                              */
} start;

/* pins on the model at q, with rates (or values) in force */
static tn_status set_up(start *w, const double *q, const double *v, bool rates, bool cartesian) {
  tni_data *s = w->s;
  tni_at at = {.t = w->t, .q = q, .v = v};
  TN_TRY(tni_pins_add(w->model, w->arena, w->n, w->pin, &w->pinned));
  w->pinned.npart = 0; /* their unknowns come after those of bodies, have no rows, and follow (start_flexible.c) */
  tni_memory_keep(s, w->pinned.memory0);
  for (int i = 0; i < w->n; i++)
    w->pinned.memory0[w->pin[i].memory] = rates ? w->pin[i].has_rate : w->pin[i].has_value;
  TN_TRY(tni_joint_system(s->ctx, &w->pinned, NULL, &w->joint_system));
  TN_TRY(tni_data_create_at(w->joint_system, tni_look_bodies(s, &at), NULL, &w->joint));
  if (!cartesian) return TN_OK;
  TN_TRY(tni_cartesian_system(s->ctx, &w->pinned, NULL, &w->cartesian_system));
  return tni_data_create_at(w->cartesian_system, tni_look_bodies(s, &at), NULL, &w->cartesian);
}

static void tear_down(start *w) {
  tni_data_destroy(&w->joint);
  tni_data_destroy(&w->cartesian);
  tni_system_destroy(&w->joint_system);
  tni_system_destroy(&w->cartesian_system);
}

static const tni_coord *coord_of(const start *w, const tni_pin *p) {
  return &w->pinned.joint[p->joint].coord[p->coord];
}

static double value_now(const start *w, const tni_pin *p) {
  tni_env env = {w->t, tni_look_bodies(w->joint, &w->here), w->joint->memory};
  tni_scalar_out o;
  tni_scalar_at(&coord_of(w, p)->scalar, &env, TNI_S_VALUE, &o);
  return o.s;
}

static tn_status out_of_reach(const start *w, const tni_pin *p, double wanted) {
  const tni_joint *j = &w->pinned.joint[p->joint];
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
    bool turns = strcmp(coord_of(w, &w->pin[i])->unit, "rad") == 0;
    double size = fabs(wanted[i] - from[i])/(TURN_STEP*(turns ? 1 : length));
    if (!w->pin[i].has_value || size <= *steps) continue;
    *steps = size;
    worst = i;
  }
  return worst;
}

/* mean distance of the centres of mass and points of joints from their middle: the same however the world is
 * turned */
static double extent(const start *w, const tni_kin *kin) {
  const tn_model *m = &w->pinned;
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
static void weigh(start *w, const double *qj, double *vj, double *weight) {
  tni_data *j = w->joint;
  tni_at at = {.t = w->t, .q = qj, .v = vj};
  memset(vj, 0, (size_t)j->nv*sizeof(double));
  double length = extent(w, tni_look_bodies(j, &at));
  for (int i = 0; i < j->nv; i++) {
    bool turns = false;
    vj[i] = 1;
    const tni_kin *kin = tni_look_bodies(j, &at);
    for (int b = 1; b <= j->nbody && !turns; b++) turns = vec3_norm(kin[b].w) > 1e-9;
    weight[i] = turns ? length*length : 1;
    vj[i] = 0;
  }
}

/* move the joints from the written position to the coordinates written */
static tn_status move(start *w, double length, double *q) {
  tni_data *j = w->joint;
  double *qj, *vj, *weight, *wanted, *from, steps;
  TNI_ARENA_NEW(w->arena, qj, j->nq);
  TNI_ARENA_NEW(w->arena, vj, j->nv);
  TNI_ARENA_NEW(w->arena, weight, j->nv);
  TNI_ARENA_NEW(w->arena, wanted, w->n);
  TNI_ARENA_NEW(w->arena, from, w->n);
  tni_initial(j, qj, vj);
  weigh(w, qj, vj, weight);
  tni_initial(j, qj, vj);
  w->here = (tni_at){.t = w->t, .q = qj, .v = vj};
  for (int i = 0; i < w->n; i++) {
    wanted[i] = w->pin[i].value;
    from[i] = w->pin[i].value = value_now(w, &w->pin[i]);
  }
  int worst = farthest(w, wanted, from, length, &steps);
  if (!(steps < MOST_MOVES)) return out_of_reach(w, &w->pin[worst], wanted[worst]);
  int n = (int)ceil(steps) + (steps == 0);
  tni_project_opts o = {.position = true, .tol = 1e-12, .weight = weight, .max_iterations = 50};
  for (int k = 1; k <= n; k++) {
    for (int i = 0; i < w->n; i++)
      w->pin[i].value = k == n ? wanted[i] : from[i] + (wanted[i] - from[i])*k/n;
    TN_TRY(tni_update_rank(j, w->t, qj));
    tn_status st = tni_project(j, w->t, qj, vj, &o, NULL);
    if (st < 0) return st;
    if (st != TN_OK) return out_of_reach(w, &w->pin[worst], wanted[worst]);
    tni_system_commit(j, w->t, qj, vj, false);
  }
  for (int i = 0; i < w->n; i++)
    if (w->pin[i].has_value && !(fabs(value_now(w, &w->pin[i]) - wanted[i]) < 1e-8*(1 + fabs(wanted[i]))))
      return out_of_reach(w, &w->pin[i], wanted[i]);
  tni_layout_from_kin(w->s->layout, tni_look_bodies(j, &w->here), q, NULL);
  tni_memory_restore(w->s, j->memory);
  return TN_OK;
}

/* velocities of all bodies when joints turn at the rates written and others as little as they can */
static tn_status carry(start *w, double *guess) {
  tni_data *j = w->joint;
  double *qj, *vj, *weight;
  TNI_ARENA_NEW(w->arena, qj, j->nq);
  TNI_ARENA_NEW(w->arena, vj, j->nv);
  TNI_ARENA_NEW(w->arena, weight, j->nv);
  tni_initial(j, qj, vj);
  weigh(w, qj, vj, weight);
  tni_project_opts o = {.velocity = true, .tol = 1e-13, .weight = weight};
  TN_TRY(tni_update_rank(j, w->t, qj));
  tn_status st = tni_project(j, w->t, qj, vj, &o, NULL);
  if (st != TN_OK && st != TN_NOT_CONVERGED) return st;
  tni_at at = {.t = w->t, .q = qj, .v = vj};
  tni_layout_from_kin(w->cartesian->layout, tni_look_bodies(j, &at), NULL, guess);
  return TN_OK;
}

static tn_status velocity(start *w, const double *q0, const double *v0, const double *q, double *v,
                          tni_assembly *out) {
  double *guess;
  TNI_ARENA_NEW(w->arena, guess, w->s->nv);
  TN_TRY(set_up(w, q, v0, true, true));
  TN_TRY(carry(w, guess));
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

tn_status tni_start_velocity(const tn_model *m, tni_data *s, double t, const double *q0,
                             const double *v0, const double *q, double *v, tni_arena *arena, tni_assembly *out) {
  start w = {.model = m, .s = s, .t = t, .arena = arena};
  bool any;
  TN_TRY(find_pins(&w, true, &any));
  memcpy(v, v0, (size_t)s->nv*sizeof(double));
  if (!any) return tni_assemble_velocity(m, s, t, q0, q, v, NULL, arena, out);
  tn_status st = velocity(&w, q0, v0, q, v, out);
  tear_down(&w);
  return st;
}

tn_status tni_start(const tn_model *m, tni_data *s, double t, double *q, double *v, double *q0,
                    double *v0, tni_arena *arena, tni_assembly *out) {
  start w = {.model = m, .s = s, .t = t, .arena = arena};
  bool moves, turns;
  tni_initial(s, q, v);
  memcpy(q0, q, (size_t)s->nq*sizeof(double));
  memcpy(v0, v, (size_t)s->nv*sizeof(double));
  TN_TRY(tni_assemble(m, s, t, q, v, arena, out));
  TN_TRY(find_pins(&w, true, &turns));
  TN_TRY(find_pins(&w, false, &moves));
  if (moves) {
    TN_TRY(need_no_carried(&w));
    tn_status st = set_up(&w, q, v, false, false);
    if (st == TN_OK) st = move(&w, out->written[TNI_AT].scale, q);
    tear_down(&w);
    if (st != TN_OK) return st;
    if (s->m > 0) {
      tni_project_opts o = {.position = true, .tol = 1e-13};
      TN_TRY(tni_update_rank(s, t, q));
      st = tni_project(s, t, q, v, &o, NULL);
      if (st < 0) return st;
    }
  }
  return moves || turns ? tni_start_velocity(m, s, t, q0, v0, q, v, arena, out) : TN_OK;
}
