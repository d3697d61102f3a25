/* forces/tyre.c - tyre as a vertical spring and damper on a road profile
 *
 * With the wheel centre P = (x, z) and the road height h(x, t):
 *
 *   l = z - h,   l' = z' - h_x x' - h_t
 *   N = k (l0 - l) - c l',   acting on P along +z only
 *
 * Stored energy k (l0 - l)^2/2, heat c l'^2; because the road pushes only upward, climbing it does
 * work on the wheel: input N (h_x x' + h_t).
 *
 * The slope of a profile may jump (the edges of a bump). At the edges given by `road_edges` the
 * integrator stops; between two edges the branch of h is fixed by the memory, and just beyond an
 * edge it goes on as a parabola, so that a trial step never sees the other branch. A unilateral
 * tyre lifts off (N = 0) when N or the compression would become negative; the mode is in the
 * memory too, see one_sided.h.
 *
 * Planar models have no z: there the road is y(x).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/along.h"
#include "model/one_sided.h"

enum { MAX_EDGE = 16 };
/* shift of the lift-off function, relative to k times the free length */
static const double HYSTERESIS = 1e-10;
/* distance from an edge at which its branch is evaluated; slope errors are of this order */
static const double EDGE_GAP = 1e-9;

typedef struct {
  tni_along x, up;   /* coordinates of the wheel centre                        */
  int axis;          /* of the ground that is up                               */
  double k, c, l0;
  const tni_expr *h, *h_t, *h_x, *h_xx, *h_tx, *h_tt; /* of (t, x)             */
  bool level;        /* h is a number                                          */
  double height;     /* then                                                   */
  int nedge, segment; /* edges; memory: number of edges behind the wheel       */
  double edge[MAX_EDGE];
  bool unilateral;
  int memory;        /* of one_sided.h, slack in the air                       */
} tyre;

typedef struct {
  double h, h_t, h_x, h_xx, h_tx, h_tt;
} road;

static double edge_gap(const tyre *d, int i) { return EDGE_GAP*(1 + fabs(d->edge[i])); }

static void road_at(const tyre *d, const tni_env *env, double x, road *out) {
  double at = x;
  if (d->nedge) {
    int s = (int)env->memory[d->segment];
    if (s > 0) at = fmax(at, d->edge[s-1] + edge_gap(d, s - 1));
    if (s < d->nedge) at = fmin(at, d->edge[s] - edge_gap(d, s));
  }
  double vars[2] = {env->t, at}, e = x - at;
  out->h_xx = tni_expr_eval(d->h_xx, vars);
  out->h_tx = tni_expr_eval(d->h_tx, vars);
  out->h_tt = tni_expr_eval(d->h_tt, vars);
  out->h_x = tni_expr_eval(d->h_x, vars) + out->h_xx*e;
  out->h_t = tni_expr_eval(d->h_t, vars) + out->h_tx*e;
  out->h = tni_expr_eval(d->h, vars) + (out->h_x - 0.5*out->h_xx*e)*e;
}

typedef struct {
  tni_scalar_out x, up;
  road road;
  double elastic, dl, N;
} tyre_state;

static void tyre_at(const tyre *d, const tni_env *env, unsigned what, tyre_state *s) {
  tni_along_eval(&d->up, env, what, &s->up);
  if (d->level && !(what & TNI_F_TANGENT)) {
    s->elastic = d->k*(d->l0 - (s->up.s - d->height));
    s->dl = s->up.rate;
    s->N = s->elastic - d->c*s->dl;
    return;
  }
  tni_along_eval(&d->x, env, what, &s->x);
  road_at(d, env, s->x.s, &s->road);
  s->elastic = d->k*(d->l0 - (s->up.s - s->road.h));
  s->dl = s->up.rate - s->road.h_x*s->x.rate - s->road.h_t;
  s->N = s->elastic - d->c*s->dl;
}

static void tyre_tangent(const tni_force *force, const tyre *d, const tni_env *env,
                         const tyre_state *s, tni_force_out *out) {
  const road *h = &s->road;
  double F_q[TNI_MAXCOL] = {0}, F_v[TNI_MAXCOL] = {0}, vBx[12], vBz[12];
  tni_scalar_rate_gradient(&d->x.s, env, &s->x, vBx);
  tni_scalar_rate_gradient(&d->up.s, env, &s->up, vBz);
  /* gradient of F = -N = -k (l0 - l) + c l' */
  tni_along_add_row(&d->up, d->k, s->up.J, F_q);
  tni_along_add_row(&d->x, -d->k*h->h_x - d->c*(h->h_xx*s->x.rate + h->h_tx), s->x.J, F_q);
  tni_along_add_row(&d->up, d->c, vBz, F_q);
  tni_along_add_row(&d->x, -d->c*h->h_x, vBx, F_q);
  tni_along_add_row(&d->up, d->c, s->up.J, F_v);
  tni_along_add_row(&d->x, -d->c*h->h_x, s->x.J, F_v);
  tni_along_add_tangent(&d->up, &s->up, force->nbody, -s->N, F_q, F_v, out->K, out->D);
  double N_t = d->k*h->h_t + d->c*(h->h_tx*s->x.rate + h->h_tt);
  if (out->f_t) tni_along_add_force(&d->up, &s->up, -N_t, out->f_t);
}

static void tyre_eval(const tni_force *force, const tni_env *env, unsigned what,
                      tni_force_out *out) {
  const tyre *d = force->data;
  tyre_state s;
  tni_force_clear(force, what, out);
  tyre_at(d, env, what, &s);
  double stored = 0.5*s.elastic*s.elastic/d->k;
  const double *m = env->memory + d->memory;
  if (d->unilateral && m[TNI_ONE_SIDED_MODE] != TNI_TAUT) {
    if (m[TNI_ONE_SIDED_MODE] == TNI_HELD_OFF) out->potential = m[TNI_ONE_SIDED_KEPT];
    return;
  }
  tni_along_add_force(&d->up, &s.up, -s.N, out->f);
  out->potential = stored;
  out->dissipated = d->c*s.dl*s.dl;
  out->input = s.N*(s.up.rate - s.dl);
  out->value = s.N;
  if (what & TNI_F_TANGENT) tyre_tangent(force, d, env, &s, out);
}

/* > 0 while the wheel is on the side of edge i that the memory says; shifted away from that side */
static double before_edge(const tyre *d, int i, bool behind, double x) {
  return (behind ? x - d->edge[i] : d->edge[i] - x) + 5*edge_gap(d, i);
}

static double lift_shift(const tyre *d) { return HYSTERESIS*d->k*d->l0; }

static void tyre_events(const tni_force *force, const tni_env *env, double *g) {
  const tyre *d = force->data;
  tyre_state s;
  tyre_at(d, env, TNI_F_FORCE, &s);
  for (int i = 0; i < d->nedge; i++) g[i] = before_edge(d, i, env->memory[d->segment] > i, s.x.s);
  if (!d->unilateral) return;
  tni_one_sided_events(env->memory + d->memory, s.elastic, s.N, lift_shift(d), g + d->nedge);
}

/* edges behind the wheel; at an edge the side it moves to counts */
static int segment_of(const tyre *d, double x, double vx) {
  int n = 0;
  for (int i = 0; i < d->nedge; i++) {
    double e = x - d->edge[i];
    if (fabs(e) > 10*edge_gap(d, i) ? e > 0 : vx > 0) n = i + 1;
  }
  return n;
}

static void tyre_commit(const tni_force *force, const tni_env *env, bool at_event,
                        double *memory) {
  const tyre *d = force->data;
  if (!at_event) return;
  tyre_state s;
  tyre_at(d, env, TNI_F_FORCE, &s);
  if (d->nedge) {
    int now = (int)memory[d->segment], next = 0;
    for (int i = 0; i < d->nedge; i++)
      if ((now > i) == (before_edge(d, i, now > i, s.x.s) >= 0)) next = i + 1;
    memory[d->segment] = next;
    tni_env on_it = {env->t, env->kin, memory};
    tyre_at(d, &on_it, TNI_F_FORCE, &s);
  }
  if (d->unilateral)
    tni_one_sided_switch(memory + d->memory, s.elastic, s.N, lift_shift(d), 0.5*s.elastic*s.elastic/d->k);
}

static int tyre_switches(const tni_force *force, const tni_env *env, const double *before,
                         tni_switch *out) {
  const tyre *d = force->data;
  tyre_state s;
  int n = 0;
  tyre_at(d, env, TNI_F_FORCE, &s);
  if (d->unilateral)
    n += tni_one_sided_record(before + d->memory, env->memory + d->memory, -s.dl, TNI_SWITCH_TOUCH,
                              out);
  if (d->nedge && before[d->segment] != env->memory[d->segment]) {
    out[n] = tni_switch_of(TNI_SWITCH_EDGE);
    out[n++].tangential[0] = fabs(s.x.rate);
  }
  return n;
}

static const tni_force_ops tyre_ops = {.name = "tyre", .eval = tyre_eval, .events = tyre_events,
                                       .commit = tyre_commit, .switches = tyre_switches};

static tn_status tyre_road(tni_builder *b, const tni_item *item, tyre *d) {
  static const char *const name[2] = {"t", "x"};
  static const tni_value flat = {.form = TNI_NUMBER};
  const tni_value *v = tni_item_get(item, "road"), *edge = tni_item_get(item, "road_edges");
  TN_TRY(tni_build_expr(b, item, "road", v ? v : &flat, name, 2, &d->h));
  TN_TRY(tni_expr_derivative(b->arena, d->h, 0, &d->h_t));
  TN_TRY(tni_expr_derivative(b->arena, d->h, 1, &d->h_x));
  TN_TRY(tni_expr_derivative(b->arena, d->h_x, 1, &d->h_xx));
  TN_TRY(tni_expr_derivative(b->arena, d->h_x, 0, &d->h_tx));
  TN_TRY(tni_expr_derivative(b->arena, d->h_t, 0, &d->h_tt));
  d->level = !edge && tni_expr_is_constant(d->h, &d->height);
  if (!edge) return TN_OK;
  if (edge->n > MAX_EDGE)
    return tni_item_fail(b->ctx, item, "road_edges", "has %d road_edges, at most %d", edge->n,
                         MAX_EDGE);
  d->nedge = edge->n;
  for (int i = 0; i < edge->n; i++) {
    d->edge[i] = edge->item[i].number;
    if (i && !(d->edge[i] > d->edge[i-1]))
      return tni_item_fail(b->ctx, item, "road_edges", "road_edges: %.10g after %.10g, must "
                           "increase", d->edge[i], d->edge[i-1]);
  }
  return TN_OK;
}

/* the road under the wheel centre */
static void tyre_where(const tni_force *force, const tni_env *env, double x[3]) {
  const tyre *d = force->data;
  const tni_kin *k = &env->kin[force->end_body[0] + 1];
  tyre_state s;
  tyre_at(d, env, TNI_F_FORCE, &s);
  mat3_vec(x, k->A, force->end[0]);
  vec3_add(x, x, k->r);
  x[d->axis] -= d->l0 - s.elastic/d->k;
}

static tn_status tyre_build(tni_builder *b, const tni_item *item) {
  static const double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tni_force force = {.ops = &tyre_ops, .where = tyre_where};
  tyre *d;
  int body, on;
  double p[3] = {0, 0, 0}, o[3] = {0, 0, 0}, x, vx, z, vz;
  TNI_ARENA_NEW(b->arena, d, 1);
  d->axis = b->model->planar ? 1 : 2;
  TN_TRY(tni_build_body(b, item, "body", tni_item_text(item, "body", ""), &body));
  const tni_value *point = tni_item_get(item, "point");
  if (point) {
    TN_TRY(tni_build_point(b, item, "point", point, body, false, &on, p));
    if (on != body)
      return tni_item_fail(b->ctx, item, "point", "point '%s' is not on body '%s'", point->text,
                           tni_body_name(b->model, body));
  }
  if (body == TNI_GROUND)
    return tni_item_fail(b->ctx, item, "body", "acts on the ground, which does not move");
  tni_vecq P = tni_vecq_separation(o, p);
  tni_scalar sx = tni_scalar_dot(TNI_GROUND, body, tni_vecq_constant(e[0]), P, 0);
  tni_scalar sz = tni_scalar_dot(TNI_GROUND, body,
                                 tni_vecq_constant(e[d->axis]), P, 0);
  TN_TRY(tni_along_build(b, item, &force, &sx, &d->x));
  TN_TRY(tni_along_build(b, item, &force, &sz, &d->up));
  d->k = tni_item_number(item, "stiffness", 0);
  d->c = tni_item_number(item, "damping", 0);
  d->l0 = tni_item_number(item, "free_length", 0);
  TN_TRY(tyre_road(b, item, d));
  /* with edges steps end there */
  if (d->nedge == 0) TN_TRY(tni_build_passed(b, d->h, tni_measure_value(&sx)));
  tni_along_initial(b, &sx, &x, &vx);
  tni_along_initial(b, &sz, &z, &vz);
  if (d->nedge) TN_TRY(tni_build_memory(b, segment_of(d, x, vx), &d->segment));
  d->unilateral = tni_item_bool(item, "unilateral", false);
  if (d->unilateral) {
    tni_env env = {0, NULL, b->model->memory0};
    road h;
    road_at(d, &env, x, &h);
    double elastic = d->k*(d->l0 - (z - h.h)), N = elastic - d->c*(vz - h.h_x*vx - h.h_t);
    TN_TRY(tni_one_sided_build(b, elastic, N, 0.5*elastic*elastic/d->k, &d->memory));
  }
  force.nevent = d->nedge + (d->unilateral ? TNI_ONE_SIDED_NEVENT : 0);
  force.nend = 1;
  force.end_body[0] = body;
  vec3_copy(force.end[0], p);
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key tyre_keys[] = {
    {.name = "body", .kind = TNI_KIND_BODY, .flags = TNI_REQUIRED, .doc = "The wheel."},
    {.name = "point", .kind = TNI_KIND_POINT, .unit = "m", .initial = "centre of mass",
     .doc = "Wheel centre: a named point of the body, or ground coordinates at t = 0."},
    {.name = "stiffness", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED | TNI_ABOVE_MIN,
     .max = HUGE_VAL, .unit = "N/m", .doc = "Vertical stiffness."},
    {.name = "damping", .kind = TNI_KIND_NUMBER, .max = HUGE_VAL, .unit = "N s/m", .initial = "0",
     .doc = "Vertical damping."},
    {.name = "free_length", .kind = TNI_KIND_NUMBER, .flags = TNI_REQUIRED | TNI_ABOVE_MIN,
     .max = HUGE_VAL, .unit = "m", .doc = "Height of the centre over the road without load."},
    {.name = "road", .kind = TNI_KIND_EXPR, .unit = "m", .initial = "0",
     .doc = "Height of the road: expression of x (and t); y(x) in planar models."},
    {.name = "road_edges", .kind = TNI_KIND_NUMBERS, .unit = "m",
     .doc = "Places x where the slope of the road jumps, increasing; steps end there."},
    {.name = "unilateral", .kind = TNI_KIND_BOOL, .initial = "false",
     .doc = "The tyre may lift off: it never pulls the wheel down."},
};

const tni_force_type tni_force_tyre = {
    {"tyre", "Vertical spring and damper between a wheel centre and a road profile z(x).",
     tyre_keys, TNI_COUNT(tyre_keys)},
    tyre_build};
