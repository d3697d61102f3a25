/* forces/impact.c - branches of an impact
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/impact.h"

static const double SHIFT_P = 1e-13, SHIFT_V = 1e-9;
/* part of the elastic force that a held contact must carry before it rests again: errors of velocities times a
 * stiff damper must not switch it to and fro */
static const double REGAIN = 0.3;
static const double DURATION = 1e-3, PI = 3.14159265358979324;

static double release(const tni_impact *d, const double *m) {
  return (1 - d->e*d->e)*m[TNI_IMPACT_PMAX];
}

static double damper(const tni_impact *d, const double *m) {
  return 2*d->ratio*sqrt(m[TNI_IMPACT_K]*m[TNI_IMPACT_MASS])/d->e;
}

void tni_impact_eval(const tni_impact *d, const double *m, double p, double rate,
                     tni_impact_out *o) {
  double e2 = d->e*d->e, k = m[TNI_IMPACT_K], beyond = p - release(d, m);
  memset(o, 0, sizeof(*o));
  switch ((tni_branch)m[TNI_IMPACT_BRANCH]) {
    case TNI_OPEN:
    case TNI_APART: return;
    case TNI_LOADING:
      o->N = o->elastic = k*p;
      o->N_p = o->elastic_p = k;
      o->stored = 0.5*k*p*p - m[TNI_IMPACT_KEPT];
      return;
    case TNI_UNLOADING:
    case TNI_RESTING:
    case TNI_HELD:
      o->elastic = k/e2*beyond;
      o->elastic_p = k/e2;
  }
  if (m[TNI_IMPACT_BRANCH] == TNI_HELD) {
    o->stored = m[TNI_IMPACT_KEPT];
    return;
  }
  if (m[TNI_IMPACT_BRANCH] == TNI_RESTING) o->N_rate = damper(d, m);
  o->N = o->elastic + o->N_rate*rate;
  o->N_p = o->elastic_p;
  o->stored = 0.5*k/e2*beyond*beyond;
  o->heat = o->N_rate*rate*rate;
}

/* N of a resting contact, whether it is held or not */
static double resting_force(const tni_impact *d, const double *m, double p, double rate) {
  return m[TNI_IMPACT_K]/(d->e*d->e)*(p - release(d, m)) + damper(d, m)*rate;
}

void tni_impact_events(const tni_impact *d, const double *m, double p, double rate,
                       double g[TNI_IMPACT_NEVENT]) {
  double p0 = release(d, m), shift_N = d->shift*m[TNI_IMPACT_K];
  g[0] = g[1] = 1;
  switch ((tni_branch)m[TNI_IMPACT_BRANCH]) {
    case TNI_OPEN: g[0] = d->shift - p; break;
    case TNI_LOADING:
      g[0] = rate + SHIFT_V;
      g[1] = p > -d->shift ? 1 : -1; /* at rest, where nothing turns on its way out */
      break;
    case TNI_UNLOADING:
      g[0] = p - p0 + d->shift;
      g[1] = SHIFT_V - rate;
      break;
    case TNI_APART:
      g[0] = p + d->shift;
      g[1] = p0 - p + d->shift;
      break;
    case TNI_RESTING:
      g[0] = resting_force(d, m, p, rate) + shift_N;
      g[1] = m[TNI_IMPACT_PMAX] - p + d->shift;
      break;
    case TNI_HELD:
      g[0] = p - p0 + d->shift;
      g[1] = shift_N + REGAIN*m[TNI_IMPACT_K]/(d->e*d->e)*fmax(p - p0, 0) - resting_force(d, m, p, rate);
      break;
  }
}

double tni_impact_rate(const tni_impact *d, const double *m, bool rests) {
  tni_branch now = (tni_branch)m[TNI_IMPACT_BRANCH];
  double rate = sqrt(m[TNI_IMPACT_K]/m[TNI_IMPACT_MASS]);
  if (now == TNI_LOADING) return rate;
  if (now == TNI_UNLOADING || (rests && (now == TNI_RESTING || now == TNI_HELD))) return rate/d->e;
  return 0;
}

/* where a spring without load goes */
static tni_branch let_go(const tni_impact *d, double p, double p0) {
  return p > 0 && p0 > d->shift ? TNI_APART : TNI_OPEN;
}

static tni_branch next_branch(const tni_impact *d, double p, double rate, const double *m) {
  double p0 = release(d, m), g[TNI_IMPACT_NEVENT];
  tni_branch now = (tni_branch)m[TNI_IMPACT_BRANCH];
  tni_impact_events(d, m, p, rate, g);
  if (g[0] >= 0 && g[1] >= 0) return now;
  switch (now) {
    case TNI_OPEN: return TNI_LOADING;
    case TNI_LOADING: return g[1] < 0 ? TNI_OPEN : TNI_UNLOADING;
    case TNI_UNLOADING: return g[0] < 0 ? let_go(d, p, p0) : TNI_RESTING;
    case TNI_APART: return g[0] < 0 ? TNI_OPEN : TNI_RESTING;
    case TNI_RESTING:
      if (g[1] < 0) return TNI_LOADING;
      return p > p0 ? TNI_HELD : let_go(d, p, p0);
    case TNI_HELD: return g[0] < 0 ? let_go(d, p, p0) : TNI_RESTING;
  }
  return now;
}

double tni_impact_stiffness(const tni_impact *d, double mass) {
  return d->k > 0 ? d->k : mass*(PI/d->duration)*(PI/d->duration);
}

bool tni_impact_switch(const tni_impact *d, double p, double rate, double mass, double *m) {
  tni_branch now = (tni_branch)m[TNI_IMPACT_BRANCH], next = next_branch(d, p, rate, m);
  if (next == now) return false;
  if (now == TNI_OPEN) {
    m[TNI_IMPACT_MASS] = mass;
    m[TNI_IMPACT_K] = tni_impact_stiffness(d, mass);
    m[TNI_IMPACT_PMAX] = m[TNI_IMPACT_KEPT] = 0;
  }
  if (now == TNI_LOADING) m[TNI_IMPACT_PMAX] = p;
  if (now == TNI_RESTING && next == TNI_LOADING) {
    double pmax = m[TNI_IMPACT_PMAX];
    m[TNI_IMPACT_KEPT] = 0.5*m[TNI_IMPACT_K]*(1 - d->e*d->e)*pmax*pmax;
  }
  if (next == TNI_HELD) {
    tni_impact_out o;
    tni_impact_eval(d, m, p, rate, &o);
    m[TNI_IMPACT_KEPT] = o.stored;
  }
  bool pressed = tni_impact_pressed(m);
  m[TNI_IMPACT_BRANCH] = next;
  if (!pressed && tni_impact_pressed(m)) {
    m[TNI_IMPACT_SPEED] = rate;
    m[TNI_IMPACT_IMPULSE] = 0;
  }
  return true;
}

bool tni_impact_record(const double *before, const double *after, double rate, tni_switch_kind kind,
                       tni_switch *out) {
  bool was = tni_impact_pressed(before), is = tni_impact_pressed(after);
  if (was == is) return false;
  *out = tni_switch_of(is ? kind : kind + 1);
  if (is) {
    out->normal[0] = rate;
    return true;
  }
  out->impulse = before[TNI_IMPACT_IMPULSE];
  out->normal[0] = before[TNI_IMPACT_SPEED];
  out->normal[1] = rate;
  return true;
}

tn_status tni_impact_build(tni_builder *b, const tni_item *item, tni_impact *d) {
  d->e = tni_item_number(item, "restitution", 1);
  d->k = tni_item_number(item, "stiffness", 0);
  d->duration = tni_item_number(item, "duration", DURATION);
  if (d->k > 0 && tni_item_has(item, "duration"))
    return tni_item_fail(b->ctx, item, "duration",
                         "has 'stiffness' and 'duration': one follows from the other, give one");
  double loss = -log(d->e);
  d->ratio = loss/sqrt(PI*PI + loss*loss);
  /* penetrations are differences of coordinates: millimetres, or a place far from the origin, round more */
  double size = 1;
  for (int i = 0; i < b->model->nbody; i++) size = fmax(size, vec3_norm(b->model->body[i].r0));
  d->shift = SHIFT_P*size;
  return TN_OK;
}
