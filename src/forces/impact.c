/* forces/impact.c - branches of an impact
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/impact.h"

static const double SHIFT_P = TNI_IMPACT_SHIFT, SHIFT_V = 1e-9;
static const double DURATION = 1e-3, PI = 3.14159265358979324;

/* ways out of the branches */
enum { TOUCH, TURN, RELEASE, RELOAD, CLEAR, RETURN, LIFT, YIELD };

static double release(const tni_impact *d, const double *m) {
  return (1 - d->e*d->e)*m[TNI_IMPACT_PMAX];
}

static double damper(const tni_impact *d, const double *m) {
  return 2*d->ratio*sqrt(m[TNI_IMPACT_K]*m[TNI_IMPACT_MASS])/d->e;
}

void tni_impact_eval(const tni_impact *d, const double *m, double p, double rate,
                     tni_impact_out *o) {
  double e2 = d->e*d->e, k = m[TNI_IMPACT_K], beyond = p - release(d, m);
  tni_branch branch = (tni_branch)m[TNI_IMPACT_BRANCH];
  memset(o, 0, sizeof(*o));
  if (branch == TNI_LOADING) {
    o->N = k*p;
    o->N_p = k;
    o->stored = 0.5*k*p*p;
  } else if (branch == TNI_UNLOADING || branch == TNI_RESTING) {
    o->N_rate = branch == TNI_RESTING ? damper(d, m) : 0;
    o->N = k/e2*beyond + o->N_rate*rate;
    o->N_p = k/e2;
    o->stored = 0.5*k/e2*beyond*beyond;
    o->heat = o->N_rate*rate*rate;
  }
}

void tni_impact_events(const tni_impact *d, const double *m, double p, double rate,
                       double g[TNI_IMPACT_NEVENT]) {
  double p0 = release(d, m);
  tni_impact_out o;
  for (int i = 0; i < TNI_IMPACT_NEVENT; i++) g[i] = 1;
  switch ((tni_branch)m[TNI_IMPACT_BRANCH]) {
    case TNI_OPEN: g[TOUCH] = SHIFT_P - p; break;
    case TNI_LOADING: g[TURN] = rate + SHIFT_V; break;
    case TNI_UNLOADING:
      g[RELEASE] = p - p0 + SHIFT_P;
      g[RELOAD] = SHIFT_V - rate;
      break;
    case TNI_APART:
      g[CLEAR] = p + SHIFT_P;
      g[RETURN] = p0 - p + SHIFT_P;
      break;
    case TNI_RESTING:
      tni_impact_eval(d, m, p, rate, &o);
      g[LIFT] = o.N + SHIFT_P*m[TNI_IMPACT_K];
      g[YIELD] = m[TNI_IMPACT_PMAX] - p + SHIFT_P;
      break;
  }
}

static tni_branch next_branch(const tni_impact *d, double p, double rate, const double *m) {
  double p0 = release(d, m);
  tni_branch now = (tni_branch)m[TNI_IMPACT_BRANCH];
  tni_impact_out o;
  switch (now) {
    case TNI_OPEN: return p > 0 ? TNI_LOADING : now;
    case TNI_LOADING: return rate < 0 ? TNI_UNLOADING : now;
    case TNI_UNLOADING:
      if (p <= p0) return p0 > SHIFT_P ? TNI_APART : TNI_OPEN;
      return rate > 0 ? TNI_RESTING : now;
    case TNI_APART:
      if (p <= 0) return TNI_OPEN;
      return p > p0 && rate > 0 ? TNI_RESTING : now;
    case TNI_RESTING:
      tni_impact_eval(d, m, p, rate, &o);
      /* what is stored when the damper lets go early turns to heat */
      if (o.N < 0) return p <= 0 ? TNI_OPEN : TNI_APART;
      return p > m[TNI_IMPACT_PMAX] ? TNI_LOADING : now;
  }
  return now;
}

bool tni_impact_switch(const tni_impact *d, double p, double rate, double mass, double *m) {
  tni_branch now = (tni_branch)m[TNI_IMPACT_BRANCH], next = next_branch(d, p, rate, m);
  if (next == now) return false;
  if (now == TNI_OPEN) {
    m[TNI_IMPACT_MASS] = mass;
    m[TNI_IMPACT_K] = d->k > 0 ? d->k : mass*(PI/d->duration)*(PI/d->duration);
    m[TNI_IMPACT_PMAX] = 0;
  }
  if (now == TNI_LOADING) m[TNI_IMPACT_PMAX] = p;
  m[TNI_IMPACT_BRANCH] = next;
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
  return TN_OK;
}
