/* analyses/start_flexible.c - how fast structures and beams start that nobody wrote velocities for
 *
 * As a rigid body would in their place: of the velocities that keep the constraints and what is written, those that strain least
 * (nonlinear/rest.h). Springs are no part of it: a body on a spring is as fast as it is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/start_flexible.h"

#include "joints/pin.h"
#include "nonlinear/rest.h"
#include "system/parts.h"

/* what the user wrote, of bodies and of joints, stays as assembly has left it */
static tn_status find_given(tn_sim *sim, const tni_data *s, bool *given) {
  const tni_layout *L = s->layout;
  tni_pin *pin;
  int n;
  bool *rated;
  TNI_ARENA_NEW(&sim->arena, rated, s->nbody + 1);
  TN_TRY(tni_pins_list(sim->model, &sim->arena, &n, &pin));
  for (int i = 0; i < n; i++)
    for (int e = 0; e < 2 && pin[i].has_rate; e++) rated[sim->model->joint[pin[i].joint].body[e] + 1] = true;
  for (int i = 0; i < s->nbody; i++)
    for (int k = L->vadr[i]; k < L->vadr[i] + L->size[i]; k++)
      given[k] = rated[i + 1] || !sim->model->body[i].follows[L->role[k] >= TNI_ROLE_TURN];
  return TN_OK;
}

tn_status tni_flexible_start_velocity(tn_sim *sim, tni_data *s, double t, const double *q, double *v) {
  static const double STRAINED = 1e-5;
  const tni_parts *p = s->parts;
  const tni_layout *L = s->layout;
  bool moves = false, carried = false, written = false, beams = sim->model->nelement > 0;
  int nbodies = p ? p->v0 : s->nv;
  for (int i = 0; i < nbodies; i++) moves = moves || v[i] != 0;
  for (int i = 0; p && i < p->n; i++) {
    if (p->part[i].ncarrier == 0) continue;
    carried = true;
    for (int k = 0; k < p->part[i].nv; k++) written = written || v[p->v0 + p->at[i] + k] != 0;
  }
  if (!moves || !(carried || beams) || written) return TN_OK;
  double *weight, *before, *start, strain;
  bool *given;
  TNI_ARENA_NEW(&sim->arena, weight, s->nv);
  TNI_ARENA_NEW(&sim->arena, before, s->nv);
  TNI_ARENA_NEW(&sim->arena, given, s->nv);
  memcpy(before, v, (size_t)s->nv*sizeof(double));
  TN_TRY(find_given(sim, s, given));
  for (int i = 0; i < s->nbody; i++) {
    const tni_body *b = &sim->model->body[i];
    for (int k = L->vadr[i]; k < L->vadr[i] + L->size[i]; k++)
      weight[k] = L->role[k] >= TNI_ROLE_TURN ? b->I[4*(L->role[k] - TNI_ROLE_TURN)] : b->mass;
  }
  /* meshes that no body carries keep theirs, below */
  for (int i = 0; p && i < p->n; i++)
    for (int k = 0; k < p->part[i].nv && p->part[i].ncarrier == 0; k++) weight[p->v0 + p->at[i] + k] = p->part[i].mass[k];
  tn_status st = tni_rest_velocities(s, t, q, weight, given, v, &strain);
  if (st < 0) return st;
  if (st != TN_OK || (!carried && strain > STRAINED)) {
    memcpy(v, before, (size_t)s->nv*sizeof(double));
    if (carried)
      tni_log(sim->ctx, TN_LOG_WARNING, "velocities of meshes could not be made to follow the bodies that carry them: they start at rest");
    return TN_OK;
  }
  if (!p) return TN_OK;
  for (int i = 0; i < p->n; i++)
    if (p->part[i].ncarrier == 0)
      memcpy(v + p->v0 + p->at[i], before + p->v0 + p->at[i], (size_t)p->part[i].nv*sizeof(double));
  TNI_ARENA_NEW(&sim->arena, start, p->nv);
  memcpy(start, v + p->v0, (size_t)p->nv*sizeof(double));
  sim->origin_rates = start;
  return TN_OK;
}
