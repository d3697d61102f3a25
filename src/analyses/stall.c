/* analyses/stall.c - a run whose steps have collapsed says so, and says which force did it
 *
 * A law that becomes singular (a bushing turned by half a turn, a spring of length zero) makes a model
 * as fast as one likes, and a method with error control follows it with steps of 1e-11 s for ever.
 * Contact, impacts and stiff springs need short steps too, for a while or for good, but not a million
 * times shorter ones than before for thousands of steps while most of the run lies ahead.
 *
 * The rate of a force is the largest |D_ii|/m_i or sqrt(|K_ii|/m_i) of its bodies, with mass or moment
 * of inertia m_i: an estimate of how fast it alone can make them move. One that is comparable to the
 * inverse of the step is what holds the step down.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/stall.h"

#include <math.h>
#include <stdio.h>

#include "analyses/sim.h"
#include "system/common.h"

enum { WINDOW = 2000, WINDOWS = 3 };
static const double COLLAPSE = 1e-6; /* of the longest step                         */
static const double HOPELESS = 1e9;  /* steps to the end                            */
static const double FAST = 1e-2;     /* rate times step that makes a force suspect  */

typedef struct {
  const tni_force *force; /* NULL: none */
  double rate;            /* [1/s]      */
} suspect;

static double force_rate(const tn_sim *sim, const tni_env *env, const tni_force *f) {
  double F[6*TNI_MAXBODY], K[36*TNI_MAXBODY*TNI_MAXBODY], D[36*TNI_MAXBODY*TNI_MAXBODY];
  tni_force_out out = {.f = F, .K = K, .D = D};
  int n = 6*f->nbody;
  double rate = 0;
  f->ops->eval(f, env, TNI_F_FORCE | TNI_F_TANGENT, &out);
  for (int i = 0; i < n; i++) {
    const tni_body *body = &sim->model->body[f->body[i/6]];
    double m = i%6 < 3 ? body->mass : body->I[4*(i%6 - 3)];
    if (!(m > 0)) continue;
    rate = fmax(rate, fmax(fabs(D[(n + 1)*i])/m, sqrt(fabs(K[(n + 1)*i])/m)));
  }
  return rate;
}

static suspect find_fastest(tn_sim *sim) {
  tni_data *s = sim->s;
  const tni_integrator *it = sim->it;
  suspect found = {0};
  tni_eval_bodies(s, it->now.t, it->now.q, it->now.v, NULL);
  tni_env env = tni_system_env(s, it->now.t);
  for (int i = 0; i < sim->model->nforce; i++) {
    double rate = force_rate(sim, &env, &sim->model->force[i]);
    if (rate > found.rate || isnan(rate)) found = (suspect){&sim->model->force[i], rate};
  }
  return found;
}

/* "; why", empty: no force is that fast */
static void name_suspect(tn_sim *sim, double h, char *out, size_t n) {
  suspect s = find_fastest(sim);
  out[0] = 0;
  if (!s.force || s.rate*h < FAST) return;
  snprintf(out, n, "; %s '%.100s' moves its bodies at a rate of %.2g/s there: its law is singular or "
           "far too stiff", s.force->type ? s.force->type : "force", s.force->name, s.rate);
}

tn_status tni_stall_explain(tn_sim *sim, double h) {
  char why[TNI_MESSAGE_MAX], before[TNI_MESSAGE_MAX];
  snprintf(before, sizeof(before), "%s", tn_ctx_message(sim->ctx));
  name_suspect(sim, h, why, sizeof(why));
  return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "%.1200s%.400s", before, why);
}

/* the component of velocity that changes most in a step */
static void name_component(const tn_sim *sim, char *out, size_t n) {
  tni_integrator *it = sim->it;
  int worst = -1;
  double largest = 0;
  snprintf(out, n, "?");
  if (tni_integrator_accel(it) != TN_OK) return;
  for (int j = 0; j < sim->s->nv; j++) {
    if (fabs(it->now.a[j]) <= largest) continue;
    largest = fabs(it->now.a[j]);
    worst = j;
  }
  if (worst >= 0) tni_dof_name(sim->s, worst, out, n);
}

tn_status tni_stall_watch(tn_sim *sim) {
  tni_stall *w = &sim->stall;
  if (w->steps == 0) w->from = sim->t_lo;
  w->longest = fmax(w->longest, sim->t_hi - sim->t_lo);
  if (++w->steps < WINDOW) return TN_OK;
  double mean = (sim->t_hi - w->from)/(double)w->steps, left = sim->set.until - sim->t_hi;
  w->steps = 0;
  w->windows = mean < COLLAPSE*w->longest && left > HOPELESS*mean ? w->windows + 1 : 0;
  if (w->windows < WINDOWS) return TN_OK;
  char component[128], why[TNI_MESSAGE_MAX];
  name_component(sim, component, sizeof(component));
  name_suspect(sim, mean, why, sizeof(why));
  return TN_FAIL(sim->ctx, TN_NO_PROGRESS, "%s: no progress at t = %.9g s: the last %d steps are %.2g s "
                 "long on average, the longest was %.2g s, and %.1g of them would be left; largest "
                 "acceleration in '%s'%.400s", sim->it->type->name, sim->t_hi, WINDOW*WINDOWS, mean,
                 w->longest, left/mean, component, why);
}
