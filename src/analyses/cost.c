/* analyses/cost.c - what the work of a method costs, from its counters alone
 *
 * The prices were fitted to the CPU time of whole runs (docs/theory/auto.md). What a force costs depends on
 * where it is, and no counter tells; but every method pays for it alike.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/cost.h"

#include "model/part.h"

/* One evaluation of all forces and elements. Of the pairs of a heap a body is near to a few, and all others are far apart. */
static double forces(const tn_model *model) {
  static const double FORCE = 120, CONTACT = 40, FAR = 8, NEAR = 4, BEAM = 300, TRUSS = 70;
  static const double MESH = 40, LINEAR = 6; /* two nodes of an element */
  double sum = 0, pairs = 0, near = NEAR*model->nbody;
  for (int i = 0; i < model->nforce; i++) {
    const tni_force *f = &model->force[i];
    if (f->overlap) pairs++;
    else if (!f->element) sum += FORCE;
  }
  sum += CONTACT*fmin(pairs, near) + FAR*fmax(pairs - near, 0);
  for (int i = 0; i < model->npart; i++) {
    const tni_part *part = &model->part[i];
    sum += (part->linear ? LINEAR : MESH)*(part->near_adr ? part->near_adr[part->nnode] : part->nv);
  }
  for (int i = 0; i < model->nbeam; i++)
    sum += model->beam[i].nelement*(model->beam[i].bends ? BEAM : TRUSS);
  return sum;
}

/* switching functions, counted in those of bodies that are near to each other */
static double events(const tn_model *model) {
  static const double NEAR = 24, FAR = 0.08;
  double near = NEAR*model->nbody;
  return fmin(model->nevent, near) + FAR*fmax(model->nevent - near, 0);
}

/* of the matrix of the whole system */
static double nonzeros(const tni_data *s) {
  if (s->square) return s->square->nnz + 2.0*s->rows->nnz;
  return (double)s->nv*s->nv + 2.0*s->m*s->nv;
}

/* equations of motion without solving them, accelerations, tangents */
static void evaluation(const tn_model *model, const tni_data *s, double *balance, double *accel, double *tangent) {
  double nb = s->nbody, m = s->m, nv = s->nv;
  bool redundant = s->rank && s->rank->nnull > 0;
  double f = 40 + forces(model);
  if (s->relative) {
    *balance = f + 70*nb + 40*m;
    /* rows of loops are half-solved: by articulated bodies in a pass over all links, otherwise by the factor of M */
    bool passes = m > 0 && s->paths == 0;
    *accel = f + 60*nb + 85*nv + (redundant ? 300 : 60)*m + (passes ? 40 : 10)*m*nv + 0.1*s->paths;
    *tangent = 8**balance + 12*nonzeros(s);
  } else {
    *balance = f + 25*nb + 30*m;
    *accel = *balance + (redundant ? 160 : 40)*m;
    *tangent = 4**balance;
  }
}

/* implicit methods whose matrices are eliminated along the tree: all grows with its size */
static void tree_prices(const tn_model *model, const tni_data *s, double balance, double accel,
                        tni_prices *out) {
  double nb = s->nbody, nv = s->nv, f = forces(model), solve = 20*nb + 25*nv;
  *out = (tni_prices){.attempt = 1500 + 30*nv + 500*events(model), .correction = s->m > 0 ? 1.3*accel : 0,
                      .jacobian = 4*f + 130*nb + 40*nv};
  out->evaluation = 1.4*balance;
  out->newton = 3*solve;
  /* radau counts a real and a complex factorization, and solves with both */
  out->factorization = 1.5*(f + 60*nb + 170*nv);
}

void tni_prices_of(const tn_model *model, const tni_data *s, const tni_integrator_type *type,
                   tni_prices *out) {
  double balance, accel, tangent, n = s->nq + s->nv, m = s->m, e = events(model);
  evaluation(model, s, &balance, &accel, &tangent);
  if (s->recursive && type->needs_tangent && type->order > 0) {
    tree_prices(model, s, balance, accel, out);
    return;
  }
  *out = (tni_prices){.evaluation = 1.1*accel, .correction = m > 0 ? 1.3*accel : 0};
  if (!type->needs_tangent) {
    out->attempt = 1700 + 8*type->order*n + 200*e;
  } else { /* sparse, of the whole system */
    out->attempt = 500 + 5*(n + m) + 500*e;
    out->evaluation = 1.5*balance;
    out->correction = m > 0 ? 3*accel : 0;
    out->newton = m > 0 ? 1000 + 14*nonzeros(s) : 700 + 5*nonzeros(s); /* without rows: two plain solutions */
    out->jacobian = tangent;
    out->factorization = 200 + 25*nonzeros(s);
  }
}

double tni_price_of_step(const tni_prices *p, const tni_integrator_type *type) {
  if (!type->needs_tangent) return p->attempt + 1.5*type->order*p->evaluation + p->correction;
  /* it settles on the constraints, positions and velocities */
  return p->attempt + 15*p->evaluation + 2*p->correction + 5*p->newton + p->jacobian + 3*p->factorization;
}

tni_counts tni_counts_of(const tni_integrator *it) {
  const tni_integrator_stats *st = &it->stats;
  const tni_work *w = &it->s->work;
  return (tni_counts){st->steps + st->rejected, w->naccel, w->nnewton, st->newton, st->jacobians,
                      st->factorizations};
}

double tni_cost_between(const tni_prices *p, const tni_counts *from, const tni_counts *to) {
  return p->attempt*(double)(to->attempts - from->attempts) +
         p->evaluation*(double)(to->evaluations - from->evaluations) +
         p->correction*(double)(to->corrections - from->corrections) +
         p->newton*(double)(to->newton - from->newton) +
         p->jacobian*(double)(to->jacobians - from->jacobians) +
         p->factorization*(double)(to->factorizations - from->factorizations);
}
