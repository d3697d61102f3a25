/* trajectory/state_time_cosines.c - windows of the method state_time in direction cosines
 *
 * The guess of a window is marched in the coordinates of the system (rule collocation finds its own); what trajectory/cosines.h makes of it becomes the
 * elements of the window again, so that results, events and restart are those of the other formulation.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/vec.h"
#include "integrators/common.h"
#include "trajectory/cosines.h"
#include "trajectory/state_time.h"

typedef tni_state_time state_time;
enum { GROUPS = 8 }; /* of elements in a tree: their number decides the bits, and so does not follow the threads */

/* place and rotation of a body: next to the direction cosines C, in the plane by the angle, which is of higher order */
static void set_pose(bool planar, double angle, const double *x, const double *C, tni_kin *k) {
  double p[4], A[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
  vec3_set(k->r, x[0], x[1], planar ? 0 : x[2]);
  if (!planar) memcpy(A, C, sizeof(A));
  quat_from_matrix(p, A);
  quat_normalize(p);
  quat_matrix(k->A, p);
}

/* fields of the trajectory at t, with velocities of the polynomials */
static void read_cosines(tni_cosines *c, const tni_data *s, tni_kin *kin, bool planar, double t, double dt, double *q, double *v) {
  for (int b = 0; b < s->nbody; b++) {
    double x[3][3], y[3][3], C[9];
    for (int i = 0; i < 3; i++) tni_cosines_look(c, t + (i - 1)*dt, b, y[i], x[i], i == 1 ? C : NULL);
    tni_kin *k = &kin[b + 1];
    set_pose(planar, y[1][0], x[1], C, k);
    /* polynomials: central differences are exact up to the order that counts */
    for (int i = 0; i < 3; i++) k->v[i] = planar && i == 2 ? 0 : (x[2][i] - x[0][i])/(2*dt);
    for (int i = 0; i < 3; i++) k->w[i] = planar ? (i == 2 ? (y[2][0] - y[0][0])/(2*dt) : 0) : (y[2][i] - y[0][i])/(2*dt);
    mat3_vec(k->W, k->A, k->w);
  }
  tni_coordinates(s, kin, q, v);
}

/* the guess of the window, which is in tr, at the nodes of the other formulation */
static void guess_cosines(state_time *w, tni_cosines *c, int k, int n, const double *start) {
  tni_trajectory *tr = w->tr;
  tni_data *s = tr->desk[0].s;
  int nw = w->planar ? 1 : 3;
  double *angle = w->angle, t_old = w->base.now.t;
  memcpy(angle, start, (size_t)(s->nbody*nw)*sizeof(double));
  tni_at now = tni_at_state(&w->base.now);
  const tni_kin *kin = tni_look_bodies(s, &now);
  for (int b = 0; b < s->nbody; b++) memcpy(w->spin + 3*b, kin[b + 1].w, 3*sizeof(double));
  for (int node = 1; node <= n*k; node++) {
    int e = (node - 1)/k;
    double t = tr->slab[e].t + (node - e*k)*tr->slab[e].h/k;
    tni_trajectory_look(tr, e, t, w->q_look, tr->v, NULL);
    tni_at there = {.t = t, .q = w->q_look, .v = tr->v};
    kin = tni_look_bodies(s, &there);
    for (int b = 0; b < s->nbody; b++) {
      const double *spin = kin[b + 1].w;
      for (int i = 0; i < nw; i++) angle[b*nw + i] += 0.5*(t - t_old)*(spin[w->planar ? 2 : i] + w->spin[3*b + (w->planar ? 2 : i)]);
      memcpy(w->spin + 3*b, spin, 3*sizeof(double));
    }
    tni_cosines_guess_node(c, node, kin, angle);
    t_old = t;
  }
}

/* Weak forms keep joints and their rates to the order of their elements, near singular positions to less: what they leave is no part of the motion, and
 * velocities of rods that a joint pulls apart would be off by many times of it. A state that cannot be put there stays. */
static void put_on_constraints(state_time *w, double t, double *q, double *v) {
  tni_data *s = w->base.s;
  tni_project_opts p = {.position = true, .velocity = true, .tol = w->base.opts.project_tol};
  memcpy(w->tr->q, q, (size_t)s->nq*sizeof(double));
  memcpy(w->tr->v, v, (size_t)s->nv*sizeof(double));
  if (s->m == 0 || tni_project(s, t, w->tr->q, w->tr->v, &p, NULL) != TN_OK) return;
  memcpy(q, w->tr->q, (size_t)s->nq*sizeof(double));
  memcpy(v, w->tr->v, (size_t)s->nv*sizeof(double));
}

/* what the other formulation has found as elements of the window */
static void take_over(state_time *w, tni_cosines *c, int n) {
  tni_trajectory *tr = w->tr;
  tni_integrator *it = &w->base;
  const tni_slab_shape *p = &tr->shape;
  tni_data *s = tr->desk[0].s;
  const double *q0 = it->now.q;
  for (int e = 0; e < n; e++) {
    tni_slab *to = &tr->slab[e];
    memset(to->z, 0, (size_t)p->nz*sizeof(double));
    for (int i = 0; i <= p->g.k; i++) {
      double t = to->t + (i < p->g.k ? p->g.c[i] : 1)*to->h, *v = to->z + tni_slab_v(p, i);
      read_cosines(c, s, w->kin, w->planar, i < p->g.k ? t : t - 1e-9*to->h, 1e-4*to->h, w->q_look, v);
      if (i == p->g.k) {
        /* velocities at ends from momenta */
        read_cosines(c, s, w->kin, w->planar, t, 1e-4*to->h, w->q_look, v);
        for (int b = 0; b < s->nbody; b++) {
          double x[3] = {0}, y[3] = {0};
          tni_cosines_end_velocity(c, e, b, x, y);
          vec3_copy(w->kin[b + 1].v, x);
          vec3_set(w->kin[b + 1].w, w->planar ? 0 : y[0], w->planar ? 0 : y[1], w->planar ? y[0] : y[2]);
        }
        tni_coordinates(s, w->kin, w->q_look, v);
        put_on_constraints(w, t, w->q_look, v);
      }
      tni_difference(s, q0, w->q_look, to->z + tni_slab_x(p, i));
      for (int r = 0, kept = 0; r < p->m && i < p->g.k; r++)
        if (p->active[r]) to->z[tni_slab_l(p, i) + r] = tni_cosines_multiplier(c, t, kept++);
    }
    tni_slab_end(p, to, q0, s);
    q0 = to->q1;
  }
}

tn_status tni_state_time_solve_cosines(tni_state_time *w) {
  enum { MAX = 30 };
  tni_integrator *it = &w->base;
  tni_trajectory *tr = w->tr;
  tni_cosine_opts o = {.order = tr->shape.g.k, .force_order = it->opts.force_order > 0 ? it->opts.force_order : tr->shape.g.k - 1,
                       .rule = (tni_cosine_rule)it->opts.rule, .groups = it->opts.tree ? GROUPS : 0, .t = it->now.t,
                       .kind = tr->shape.g.kind};
  TN_TRY(tni_integrator_accel(it));
  for (w->window = w->largest;; w->window = (w->window + 1)/2) {
    bool points = o.rule == TNI_RULE_COLLOCATION; /* finds its guesses itself */
    int n = tni_state_time_lay_out(w), got = n;
    if (!points) got = tni_trajectory_guess_march(tr, &(tni_guess){n > 1 ? TNI_STATE_TIME_COARSE : 1, TNI_STATE_TIME_GUESS, it->now.a, it->now.lambda});
    /* elements are equal */
    while (n > 1 && fabs(tr->slab[n-1].h - tr->slab[0].h) > 1e-9*tr->slab[0].h) n--;
    if (got < n) n = got;
    if (n > 0) {
      tni_cosines *c;
      o.elements = n;
      o.h = tr->slab[0].h;
      tni_at now = tni_at_state(&it->now);
      TN_TRY(tni_cosines_create(it->ctx, it->s, tni_look_bodies(it->s, &now), &o, &c));
      tn_status st = it->now.t == w->t0 ? tni_cosines_check_beginning(c) : TN_OK;
      if (st != TN_OK) {
        tni_cosines_destroy(&c);
        return st;
      }
      for (int b = 0; b < it->s->nbody; b++) tni_cosines_look(c, it->now.t, b, w->first_angle + b*(w->planar ? 1 : 3), NULL, NULL);
      if (!points) guess_cosines(w, c, o.order, n, w->first_angle);
      int iterations = 0;
      st = tni_cosines_solve(c, MAX, 1e-10, true, &iterations);
      w->windows++;
      w->sweeps += iterations;
      it->stats.newton += iterations;
      if (st == TN_OK) take_over(w, c, n);
      w->unknowns = tni_cosines_n(c);
      tni_cosines_destroy(&c);
      w->next = 0;
      w->ready = n;
      if (st == TN_OK) return TN_OK;
      if (n == 1) return st;
    }
    w->failed++;
    if (w->window == 1) {
      char rank[160];
      bool singular = tni_state_time_rank(w, rank, sizeof(rank));
      return TN_FAIL(it->ctx, TN_NO_PROGRESS, "state_time: coarse run failed at t = %.6g s%s", it->now.t,
                     singular ? rank : "; take more elements");
    }
  }
}

