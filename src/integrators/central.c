/* integrators/central.c - central differences: explicit steps at the limit of stability, for meshes
 *
 *   v_h = v_0 + h/2 a_0,   q_1 = q_0 (+) h v_h,   a_1 = a(t_1, q_1, v_h + h/2 a_0),   v_1 = v_h + h/2 a_1
 *
 * Order 2, one acceleration a step, no numerical damping. Stable up to h omega = 2 with the largest frequency of the elements, which
 * bounds that of the mesh from above; without `step` a part of that limit is taken, looked at again as the mesh
 * deforms. The error is not controlled: what the mesh resolves, steps of this size resolve far better. A run that is over after a few of
 * them looks at what the mesh does not resolve (a node that has just been hit): it is cut into FEWEST steps at least.
 *
 * Energies. With F the forces and m the masses of a mesh, T* = v_(n-1/2) M v_(n+1/2)/2 = T(v_n) - h^2/8 a M a; then
 *
 *   T*_(n+1) - T*_n = (q_(n+1) - q_n) (F_n + F_(n+1))/2
 *
 * exactly: of linear structures T* and the strain energy balance the work of loads, summed in the same way, to rounding. The
 * states have T(v_n): what is missing is `shift`, which those who look at the balance add. It grows without bounds where steps are
 * too long; that is noticed.
 *
 * Meshes of elements that are evaluated many at once take a step in one sweep (solids/structure_march.c), in which the velocities
 * foreseen at the end are never written: loads are linear in velocities, and so is their power. They keep the state; it is brought here when
 * somebody looks, and the beginning of the last step, to rounding, when somebody looks inside.
 *
 * Several ranks move a piece of the meshes each where these can be divided (central_ranks.c): forces and all sums are those of all ranks, and
 * the method is this one.
 *
 * Constraints are met by projection after every step. For others than meshes staggered and rk4 are the better choice.
 *
 * Source: T. Belytschko, W. K. Liu, B. Moran, Nonlinear Finite Elements for Continua and Structures (2000), chapter 6.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "integrators/central.h"
#include "integrators/hermite.h"
#include "system/parts.h"

/* part of the limit of stability that is taken, and steps after which it is looked at again */
static const double MARGIN = 0.9;
enum { LOOK_AGAIN = 20, WINDOW = 20, FEWEST = 200 };
/* doublings of vibrations that are no load: in a row, of one window at most, and where a step has no forces at its end */
static const double DOUBLINGS = 100, AT_ONCE = 34, SUSPECT = 20;
static const double CRUMB = 1e-6; /* part of a step that is rounding of the time */

typedef struct {
  tni_integrator base;
  tni_hermite ends;
  double *vh;        /* velocities in the middle of the step  */
  double *dx;
  double h;          /* step now                              */
  double rate;       /* largest frequency when last looked at */
  long looked;       /* steps since                           */
  bool marches;      /* steps in one sweep                    */
  bool inside, here, old_here; /* the parts keep the state now; it is in base.now; that before in ends.old */
  double marched;    /* length of the last step in one sweep  */
  double power, more; /* of loads of meshes: with velocities at t; how much more with accelerations */
  double window;      /* steps taken of this WINDOW: those of the run begin anew where it is continued */
  double largest, before, doubled; /* -shift in this WINDOW and the one before; how many times it has doubled, window after window */
} central;

static central *of(tni_integrator *it) { return (central *)(void *)it; }

static void destroy(tni_integrator *it) {
  if (!it) return;
  tni_parts *p = it->s ? it->s->parts : NULL;
  if (p && p->away == it) {
    p->lent_u = p->lent_v = NULL;
    p->bring = NULL;
    p->away = NULL;
  }
  tni_arena_clear(&it->arena);
  tni_free(it->ctx, it);
}

static tn_status allocate(central *w) {
  TNI_ARENA_NEW(&w->base.arena, w->vh, w->base.s->nv);
  TNI_ARENA_NEW(&w->base.arena, w->dx, w->base.s->nv);
  TN_TRY(tni_hermite_create(&w->base, &w->ends));
  return tni_system_march_begin(w->base.s, &w->base.s->arena, &w->marches);
}

static tn_status create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts, tni_integrator **out) {
  *out = NULL;
  if (tni_central_divides(s)) {
    tn_status st = tni_central_create_divided(ctx, s, opts, out);
    if (st != TN_ERR_UNSUPPORTED) return st;
    tni_log(ctx, TN_LOG_INFO, "every rank takes all steps: %s", tn_ctx_message(ctx));
  }
  central *w = tni_alloc(ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(ctx);
  tn_status st = tni_integrator_init(&w->base, &tni_integrator_central, ctx, s, opts);
  if (st == TN_OK) st = allocate(w);
  if (st != TN_OK) {
    destroy(&w->base);
    return st;
  }
  *out = &w->base;
  return TN_OK;
}

/* ---- the state while parts keep it --------------------------------------------------------------- */

static tn_status bring(tni_integrator *it) {
  central *w = of(it);
  if (!w->here) tni_system_march_get(it->s, 0, it->now.q, it->now.v, it->now.a);
  w->here = true;
  return TN_OK;
}

static void bring_parts(void *user) { (void)bring(user); }

static void bring_old(central *w) {
  tni_state *old = &w->ends.old;
  if (!w->old_here) tni_system_march_get(w->base.s, w->marched, old->q, old->v, old->a);
  w->old_here = true;
}

/* the state is that of base.now, as it stands there */
static void take_back(central *w) {
  w->inside = false;
  w->here = w->old_here = true;
}

/* the parts keep the state from now on: that of nobody else */
static void give(central *w) {
  tni_integrator *it = &w->base;
  tni_parts *p = it->s->parts;
  if (p->away != it) {
    tni_parts_settle(it->s);
    if (p->bring) p->bring(p->away);
    p->bring = bring_parts;
    p->away = it;
    w->inside = false;
  }
  if (!w->inside) tni_system_march_set(it->s, it->now.q, it->now.v, it->now.a);
  w->inside = true;
}

/* the step that the elements allow at the state where the parts stand */
static tn_status choose_step(central *w) {
  tni_integrator *it = &w->base;
  double damping;
  w->looked = 0;
  if (!it->s->parts) {
    w->h = it->opts.h;
    return TN_OK;
  }
  w->rate = tni_system_rate(it->s, &damping);
  double limit = w->rate > 0 ? 2/w->rate*(sqrt(1 + damping*damping) - damping) : HUGE_VAL;
  if (it->opts.h > 0) {
    w->h = it->opts.h;
    if (w->h > limit*(1 + 1e-12))
      return TN_FAIL(it->ctx, TN_NO_PROGRESS, "steps of %g s are not stable at t = %.6g s: the smallest element allows %.4g s; "
                     "leave 'step' away, or make it shorter", w->h, it->now.t, limit);
    return TN_OK;
  }
  w->h = MARGIN*limit;
  if (it->opts.hmax > 0) w->h = fmin(w->h, it->opts.hmax);
  double grid = it->opts.grid, left = it->opts.t_end - it->now.t;
  if (grid > 0) w->h = fmin(w->h, (it->opts.t_end - it->opts.grid_from)/FEWEST);
  if (grid >= w->h) /* steps end where states are looked at, else with the run: all of them are equal where limits are */
    left = it->opts.grid_from + (floor((it->now.t - it->opts.grid_from)/grid + CRUMB) + 1)*grid - it->now.t;
  if (left > 0 && isfinite(w->h) && isfinite(left)) w->h = left/ceil(left/w->h*(1 - 1e-9));
  if (!(w->h > tni_integrator_hmin(it, it->now.t)) || !isfinite(w->h))
    return TN_FAIL(it->ctx, TN_NO_PROGRESS, "elements allow steps of %g s only at t = %.6g s", w->h, it->now.t);
  return TN_OK;
}

/* after accelerations at t with velocities v: what the loads of meshes do along the way, and the shift; h: of the step that ends */
static void note_energy(central *w, double h) {
  tni_integrator *it = &w->base;
  double sum[] = {tni_system_forces_along(it->s, it->now.a), tni_system_loads_along(it->s, it->now.a)};
  tni_system_sum(it->s, TNI_COUNT(sum), sum);
  it->shift = -0.125*h*h*sum[0];
  w->more = sum[1];
}

/* the end of a step of length h: is it one of the times that are looked at? */
static double snap(const central *w, double t, double h) {
  double grid = w->base.opts.grid, from = w->base.opts.grid_from;
  if (!(grid > 0)) return t;
  double near = from + round((t - from)/grid)*grid;
  return fabs(t - near) < CRUMB*h ? near : t;
}

static tn_status start(tni_integrator *it, double t, const double *q, const double *v, const double *z) {
  central *w = of(it);
  tni_data *s = it->s;
  tni_system_march_end(s);
  take_back(w);
  tni_state_set(&it->now, s, t, q, v, z);
  tni_normalize(s, it->now.q);
  it->now.t = it->t_old = t;
  w->ends.has_way = false;
  TN_TRY(tni_accel(s, t, it->now.q, it->now.v, it->now.a, it->now.lambda, w->ends.zdot));
  it->has_accel = true;
  TN_TRY(choose_step(w));
  note_energy(w, w->h);
  it->shift_old = it->shift;
  w->power = tni_system_loads_along(s, it->now.v);
  tni_system_sum(s, 1, &w->power);
  w->window = w->largest = w->before = w->doubled = 0;
  return TN_OK;
}

static tn_status unstable(const central *w, double t, double h, double times) {
  return TN_FAIL(w->base.ctx, TN_NO_PROGRESS, "steps of %.4g s are not stable at t = %.6g s: the energy of vibrations from step to step has "
                 "doubled %.0f times and still grows; something is stiffer than the elements: make 'step' shorter", h, t, times);
}

/* A step that is too long turns accelerations round; those of a load that sets in, however fast it grows, go on. */
static bool turns_round(const central *w) {
  const tni_integrator *it = &w->base;
  double sum = 0;
  for (int i = 0; i < it->s->nv; i++) sum += it->now.a[i]*w->ends.old.a[i];
  tni_system_sum(it->s, 1, &sum);
  return sum < 0;
}

/* Vibrations from step to step that at least double every WINDOW steps do so for ever; loads and impacts do not. */
static tn_status heed_growth(central *w) {
  tni_integrator *it = &w->base;
  w->largest = fmax(w->largest, -it->shift);
  if (++w->window < WINDOW) return TN_OK;
  w->window = 0;
  w->doubled = w->largest > 2*w->before && w->before > 0 && turns_round(w) ? w->doubled + fmin(AT_ONCE, log2(w->largest/w->before)) : 0;
  w->before = w->largest;
  w->largest = 0;
  return w->doubled < DOUBLINGS ? TN_OK : unstable(w, it->now.t, it->now.t - it->t_old, w->doubled);
}

/* What all steps end with. Powers of loads at t: `after` with the velocities of the way, `whole` with those at the end; foreseen: what
 * the rate of input in zdot is */
static tn_status end_step(central *w, double t, double h, double before, double after, double foreseen, double whole) {
  tni_integrator *it = &w->base;
  for (int k = 0; k < TNI_NZ; k++) it->now.z[k] += 0.5*h*(w->ends.zdot_old[k] + w->ends.zdot[k]);
  it->now.z[TNI_Z_INPUT] += 0.5*h*(before - w->power + after - foreseen);
  w->ends.zdot[TNI_Z_INPUT] += whole - foreseen;
  w->power = whole;
  it->t_old = it->now.t;
  it->now.t = t;
  it->has_accel = true;
  tni_integrator_count_step(it, h, 2);
  TN_TRY(heed_growth(w));
  if (++w->looked >= LOOK_AGAIN && tni_system_rate_changes(it->s)) TN_TRY(choose_step(w));
  it->stats.h_next = w->h;
  return TN_OK;
}

/* how many times vibrations have doubled, the window that has begun included */
static double doublings(const central *w) {
  return w->doubled + (w->before > 0 && w->largest > w->before ? log2(w->largest/w->before) : 0);
}

/* a step in one sweep; false: there is none, and the state stands where it was */
static bool march(central *w, double t, double h, double before, tn_status *st) {
  tni_integrator *it = &w->base;
  tni_data *s = it->s;
  tni_state *old = &w->ends.old;
  give(w);
  tni_march m = {.t = t, .h = h, .q = it->now.q, .v = it->now.v};
  tni_marched marched = tni_system_march(s, &m);
  if (marched == TNI_MARCH_NOT) return false;
  w->here = w->old_here = false;
  w->marched = h;
  w->ends.has_way = false;
  old->t = it->now.t;
  memcpy(old->z, it->now.z, TNI_NZ*sizeof(double));
  memcpy(w->ends.zdot_old, w->ends.zdot, sizeof(w->ends.zdot));
  if (marched == TNI_MARCH_LOST) {
    *st = doublings(w) > SUSPECT ? unstable(w, t, h, doublings(w))
                                 : TN_FAIL(it->ctx, TN_NO_PROGRESS, "accelerations at t = %.6g s are not finite", t);
    return true;
  }
  it->shift_old = it->shift;
  it->shift = -0.125*h*h*m.along;
  w->more = m.more;
  double whole = m.power, after = whole - 0.5*h*m.more, foreseen = after + 0.5*h*m.less;
  w->ends.zdot[TNI_Z_DISSIPATED] = 0;
  w->ends.zdot[TNI_Z_INPUT] = foreseen;
  *st = end_step(w, t, h, before, after, foreseen, whole);
  return true;
}

static tn_status step(tni_integrator *it) {
  central *w = of(it);
  tni_data *s = it->s;
  TN_REQUIRE(it->ctx, it->now.t < it->opts.t_end, TN_ERR_ARGUMENT, "%s: no step beyond the end t = %.9g s", it->type->name,
             it->opts.t_end);
  double h = w->h, left = it->opts.t_end - it->now.t;
  bool last = left <= h*(1 + CRUMB);
  if (last) h = left;
  double t = last ? it->opts.t_end : snap(w, it->now.t + h, h);
  double before = w->power + 0.5*h*w->more; /* power at the beginning with the velocities of the way */
  tn_status marched;
  if (w->marches && march(w, t, h, before, &marched)) return marched;
  TN_TRY(bring(it));
  take_back(w);
  tni_hermite_begin(it, &w->ends);
  for (int i = 0; i < s->nv; i++) {
    w->vh[i] = it->now.v[i] + 0.5*h*it->now.a[i];
    w->dx[i] = h*w->vh[i];
    it->now.v[i] = w->vh[i] + 0.5*h*it->now.a[i];
  }
  tni_retract(s, it->now.q, w->dx, it->now.q);
  tni_project_opts po = {.position = true, .velocity = true, .tol = it->opts.project_tol};
  if (s->m > 0) TN_TRY(tni_project(s, t, it->now.q, it->now.v, &po, NULL));
  tn_status st = tni_accel(s, t, it->now.q, it->now.v, it->now.a, it->now.lambda, w->ends.zdot);
  if (st != TN_OK) {
    return doublings(w) > SUSPECT ? unstable(w, t, h, doublings(w)) : st;
  }
  double sum[] = {s->parts ? tni_system_loads_along(s, w->ends.old.a) : 0, s->parts ? tni_system_loads_along(s, it->now.v) : 0};
  tni_system_sum(s, TNI_COUNT(sum), sum);
  double old = sum[0], foreseen = sum[1]; /* by which the velocities were foreseen; with those */
  for (int i = 0; i < s->nv; i++) it->now.v[i] = w->vh[i] + 0.5*h*it->now.a[i];
  po.position = false;
  if (s->m > 0) TN_TRY(tni_project(s, t, it->now.q, it->now.v, &po, NULL));
  it->shift_old = it->shift;
  note_energy(w, h);
  return end_step(w, t, h, before, foreseen - 0.5*h*old, foreseen, foreseen + 0.5*h*(w->more - old));
}

static void interpolate(tni_integrator *it, double t, double *q, double *v, double *z) {
  if (!of(it)->here || !of(it)->old_here) {
    (void)bring(it);
    bring_old(of(it));
  }
  tni_hermite_interpolate(it, &of(it)->ends, t, q, v, z);
}

/* ---- save, load, describe ------------------------------------------------------------------- */

enum { HEAD = 10 };

static int nstate(const tni_integrator *it) { return HEAD + TNI_NZ + it->s->nq + it->s->nv + it->s->m; }

static tn_status save(tni_integrator *it, double *x) {
  const central *w = of(it);
  TN_TRY(bring(it));
  const tni_data *s = it->s;
  const double head[HEAD] = {w->h, w->rate, (double)w->looked, w->power, w->more, it->shift, w->largest, w->before,
                             w->doubled, w->window};
  const double *from[] = {head, w->ends.zdot, it->now.q, it->now.a, it->now.lambda};
  const int n[] = {HEAD, TNI_NZ, s->nq, s->nv, s->m};
  for (int i = 0; i < TNI_COUNT(n); x += n[i++])
    if (n[i] > 0) memcpy(x, from[i], (size_t)n[i]*sizeof(double));
  return TN_OK;
}

static tn_status load(tni_integrator *it, const double *x) {
  central *w = of(it);
  tni_data *s = it->s;
  tni_system_march_end(s);
  take_back(w);
  double head[HEAD], *to[] = {head, w->ends.zdot, it->now.q, it->now.a, it->now.lambda};
  const int n[] = {HEAD, TNI_NZ, s->nq, s->nv, s->m};
  for (int i = 0; i < TNI_COUNT(n); x += n[i++])
    if (n[i] > 0) memcpy(to[i], x, (size_t)n[i]*sizeof(double));
  w->h = head[0];
  w->rate = head[1];
  w->looked = (long)head[2];
  w->power = head[3];
  w->more = head[4];
  it->shift = it->shift_old = head[5];
  w->largest = head[6], w->before = head[7], w->doubled = head[8], w->window = head[9];
  it->has_accel = true;
  return TN_OK;
}

static void explain(const tni_integrator *it, char *out, size_t n) {
  const central *w = (const central *)(const void *)it;
  if (it->opts.h > 0) snprintf(out, n, "the limit of stability is %.4g s", w->rate > 0 ? 2/w->rate : 0);
  else snprintf(out, n, "steps are %g of the limit of stability, %.4g s", MARGIN, w->rate > 0 ? 2/w->rate : 0);
}

const tni_integrator_type tni_integrator_central = {
    .name = "central",
    .summary = "central differences for meshes: explicit, steps from the limit of stability",
    .order = 2,
    .fixed_step = true,
    .finds_step = true,
    .own_energy = true,
    .needs_model = true, /* its steps come from elements */
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step,
    .bring = bring,
    .interpolate = interpolate,
    .nstate = nstate,
    .save = save,
    .load = load,
    .explain = explain,
};
