/* forces/stop.c - limits of a joint coordinate, with rebound
 *
 * Beyond `max` the penetration is s - max, below `min` it is min - s; each side has the force of
 * impact.h, with the effective mass of the coordinate 1/m_e = J M^-1 J^T (other joints not counted).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/along.h"
#include "forces/impact.h"

typedef struct {
  tni_along along;
  tni_impact impact;
  int nside;
  double sign[2], limit[2]; /* p = sign (s - limit) */
  int memory;               /* first slot           */
  int impulse;              /* of TNI_IMPULSE_NMEMORY */
  double mass[2], Iinv[2][9];
} stop;

static const double *memory_of(const stop *d, const double *memory, int side) {
  return memory + d->memory + side*TNI_IMPACT_NMEMORY;
}

static void stop_eval(const tni_force *force, const tni_env *env, unsigned what,
                      tni_force_out *out) {
  const stop *d = force->data;
  tni_scalar_out o;
  double F = 0, F_s = 0, F_ds = 0, stored = 0, heat = 0;
  tni_along_eval(&d->along, env, what, &o);
  for (int i = 0; i < d->nside; i++) {
    tni_impact_out w;
    double sign = d->sign[i];
    tni_impact_eval(&d->impact, memory_of(d, env->memory, i), sign*(o.s - d->limit[i]),
                    sign*o.rate, &w);
    F += sign*w.N;
    F_s += w.N_p;
    F_ds += w.N_rate;
    stored += w.stored;
    heat += w.heat;
  }
  tni_along_apply(force, &d->along, env, what, &o, F, F_s, F_ds, NULL, 0, out);
  out->potential = stored;
  out->dissipated = heat;
  out->value = F;
}

static void stop_events(const tni_force *force, const tni_env *env, double *g) {
  const stop *d = force->data;
  tni_scalar_out o;
  tni_along_eval(&d->along, env, TNI_F_FORCE, &o);
  for (int i = 0; i < d->nside; i++)
    tni_impact_events(&d->impact, memory_of(d, env->memory, i), d->sign[i]*(o.s - d->limit[i]),
                      d->sign[i]*o.rate, g + i*TNI_IMPACT_NEVENT);
}

static double effective_mass(const stop *d, const tni_scalar_out *o) {
  double sum = 0;
  for (int b = 0; b < 2; b++) {
    if (d->along.s.body[b] == TNI_GROUND) continue;
    const double *J = o->J + 6*b;
    double x[3];
    mat3_vec(x, d->Iinv[b], J + 3);
    sum += vec3_dot(J, J)/d->mass[b] + vec3_dot(J + 3, x);
  }
  return 1/sum;
}

static void stop_commit(const tni_force *force, const tni_env *env, bool at_event,
                        double *memory) {
  const stop *d = force->data;
  if (!at_event) return;
  tni_scalar_out o;
  tni_along_eval(&d->along, env, TNI_F_FORCE, &o);
  for (int i = 0; i < d->nside; i++) {
    double *m = memory + d->memory + i*TNI_IMPACT_NMEMORY;
    bool pressed = tni_impact_pressed(m);
    tni_impact_switch(&d->impact, d->sign[i]*(o.s - d->limit[i]), d->sign[i]*o.rate,
                      effective_mass(d, &o), m);
    if (!pressed && tni_impact_pressed(m)) memory[d->impulse + TNI_IMPULSE_LAST] = 0;
  }
}

static int stop_switches(const tni_force *force, const tni_env *env, const double *before,
                         tni_switch *out) {
  const stop *d = force->data;
  tni_scalar_out o;
  int n = 0;
  tni_along_eval(&d->along, env, TNI_F_FORCE, &o);
  for (int i = 0; i < d->nside; i++)
    n += tni_impact_record(memory_of(d, before, i), memory_of(d, env->memory, i), d->sign[i]*o.rate,
                           TNI_SWITCH_REACHED, &out[n]);
  return n;
}

static void stop_gather(const tni_force *force, const tni_env *env, double dt, double *memory) {
  const stop *d = force->data;
  tni_scalar_out o;
  tni_along_eval(&d->along, env, TNI_F_FORCE, &o);
  for (int i = 0; i < d->nside; i++) {
    double *m = memory + d->memory + i*TNI_IMPACT_NMEMORY;
    tni_impact_out law;
    if (!tni_impact_pressed(m)) continue;
    tni_impact_eval(&d->impact, m, d->sign[i]*(o.s - d->limit[i]), d->sign[i]*o.rate, &law);
    m[TNI_IMPACT_IMPULSE] += dt*law.N;
    memory[d->impulse + TNI_IMPULSE_TOTAL] += dt*law.N;
    memory[d->impulse + TNI_IMPULSE_LAST] += dt*law.N;
  }
}

static void stop_overlap(const tni_force *force, const tni_env *env, double *depth, double *energy) {
  const stop *d = force->data;
  tni_scalar_out o;
  tni_along_eval(&d->along, env, TNI_F_FORCE, &o);
  *depth = *energy = 0;
  for (int i = 0; i < d->nside; i++) {
    double p = d->sign[i]*(o.s - d->limit[i]);
    if (!(p > *depth)) continue;
    *depth = p;
    *energy = 0.5*tni_impact_stiffness(&d->impact, effective_mass(d, &o))*p*p;
  }
}

static double stop_rate(const tni_force *force, const double *memory, bool rests) {
  const stop *d = force->data;
  double most = 0;
  for (int i = 0; i < d->nside; i++)
    most = fmax(most, tni_impact_rate(&d->impact, memory_of(d, memory, i), rests));
  return most;
}

static const tni_force_ops stop_ops = {"stop",    stop_eval,     stop_events, stop_commit,
                                       stop_rate, stop_switches, stop_gather, NULL, NULL, NULL, false};

static tn_status stop_sides(tni_builder *b, const tni_item *item, stop *d) {
  static const char *const key[2] = {"max", "min"};
  for (int i = 0; i < 2; i++) {
    if (!tni_item_has(item, key[i])) continue;
    d->limit[d->nside] = tni_item_number(item, key[i], 0);
    d->sign[d->nside++] = i ? -1 : 1;
  }
  if (d->nside == 0)
    return tni_item_fail(b->ctx, item, NULL, "has neither 'min' nor 'max': it would do nothing");
  if (d->nside == 2 && !(d->limit[1] < d->limit[0]))
    return tni_item_fail(b->ctx, item, "min", "min = %g, must be < max = %g", d->limit[1],
                         d->limit[0]);
  for (int i = 0; i < d->nside*TNI_IMPACT_NMEMORY; i++) {
    int slot;
    TN_TRY(tni_build_memory(b, 0, &slot));
    if (i == 0) d->memory = slot;
  }
  return tni_build_impulse(b, &d->impulse);
}

static tn_status stop_build(tni_builder *b, const tni_item *item) {
  tni_force force = {.ops = &stop_ops, .overlap = stop_overlap};
  stop *d;
  const tni_coord *coord;
  const char *name = tni_item_text(item, "coordinate", NULL);
  TNI_ARENA_NEW(b->arena, d, 1);
  TN_TRY(tni_build_coord_ref(b, item, name ? "coordinate" : "joint",
                             tni_item_text(item, "joint", ""), name, &coord));
  TN_TRY(tni_along_build(b, item, &force, &coord->scalar, &d->along));
  for (int i = 0; i < 2; i++) {
    int body = d->along.s.body[i];
    if (body == TNI_GROUND) continue;
    d->mass[i] = b->model->body[body].mass;
    memcpy(d->Iinv[i], b->model->body[body].Iinv, sizeof(d->Iinv[i]));
  }
  TN_TRY(tni_impact_build(b, item, &d->impact));
  TN_TRY(stop_sides(b, item, d));
  force.nevent = d->nside*TNI_IMPACT_NEVENT;
  force.impulse = 1 + d->impulse;
  force.data = d;
  return tni_build_force(b, item, &force);
}

static const tni_key stop_keys[] = {
    {.name = "joint", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED,
     .doc = "Joint with a coordinate."},
    {.name = "coordinate", .kind = TNI_KIND_NAME, .initial = "first coordinate of the joint",
     .doc = "Which of its coordinates."},
    {.name = "min", .kind = TNI_KIND_NUMBER, .unit = "m or rad",
     .doc = "Where the lower stop begins; without it there is none."},
    {.name = "max", .kind = TNI_KIND_NUMBER, .unit = "m or rad",
     .doc = "Where the upper stop begins; without it there is none."},
    TNI_IMPACT_KEYS("N/m, N m/rad"),
};

const tni_force_type tni_force_stop = {
    {"stop", "Limits of a joint coordinate with chosen rebound.", stop_keys,
     TNI_COUNT(stop_keys)},
    stop_build};
