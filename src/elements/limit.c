/* elements/limit.c - the fastest vibration of beams, which limits explicit steps
 *
 * Largest eigenvalue of M^-1 (-K) of every element by vector iteration, K its tangent, M its own
 * lumped mass.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/limit.h"

#include <stdio.h>

enum { MAX = TNI_MAXENDCOL, ITERATIONS = 200 };

/* mass of the element's share at each velocity component of its bodies; 0: left out */
static void own_mass(const tn_model *m, const tni_beam *beam, int e, const tni_force *f,
                     double M[MAX]) {
  int n = (beam->nnode - 1)/beam->nelement, at = e*n; /* intervals of the element, first node */
  double length = beam->arc[at + n] - beam->arc[at];
  static const double two[2] = {0.5, 0.5}, three[3] = {1.0/6, 4.0/6, 1.0/6};
  const tni_profile *p = beam->profile;
  double scale = beam->bends ? tni_item_number(beam->item, "rotary_scale", 1) : 1;
  memset(M, 0, MAX*sizeof(double));
  for (int k = 0; k <= n; k++) {
    int body = beam->node[at + k];
    double l = length*(n == 1 ? two[k] : three[k]);
    for (int s = 0; s < f->nbody; s++) {
      if (f->body[s] != body) continue;
      for (int c = 0; c < 6; c++) {
        if (m->planar && c >= 2 && c <= 4) continue;
        M[6*s + c] = c < 3 ? p->rhoA*l : beam->bends ? scale*p->rhoI[c-3]*l : 0;
      }
    }
  }
}

/* largest eigenvalue and its vector x of -M^-1 K; components without mass stay 0 */
static double largest(const double *K, const double M[MAX], int n, double x[MAX]) {
  double lambda = 0, y[MAX];
  for (int i = 0; i < n; i++) x[i] = M[i] > 0 ? sin(1.0 + 2.3*i)/sqrt(M[i]) : 0;
  for (int it = 0; it < ITERATIONS; it++) {
    double yy = 0, before = lambda, xx = 0, xy = 0;
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < n && M[i] > 0; j++) y[i] -= K[i*n + j]*x[j]/M[i];
      yy += M[i]*y[i]*y[i];
      xx += M[i]*x[i]*x[i];
      xy += M[i]*x[i]*y[i];
    }
    if (!(yy > 0)) return 0;
    lambda = xy/xx;
    for (int i = 0; i < n; i++) x[i] = y[i]/sqrt(yy);
    if (fabs(lambda - before) < 1e-6*fabs(lambda)) break;
  }
  return lambda;
}

/* which strain the vibration x stores most of its energy in */
static const char *strain_of(const tn_model *m, const tni_beam *beam, const tni_force *f,
                             tni_kin *kin, const double *x) {
  static const char *const word[6] = {"axial", "shear", "shear", "torsion", "bending", "bending"};
  tni_env env = {.kin = kin, .memory = m->memory0};
  double eps[6], n[6], most = 0, largest_x = 0, h;
  int k = 0;
  tni_kin keep[TNI_MAXEND];
  for (int i = 0; i < 6*f->nbody; i++) largest_x = fmax(largest_x, fabs(x[i]));
  h = 1e-6/largest_x;
  for (int s = 0; s < f->nbody; s++) {
    tni_kin *o = &kin[f->body[s] + 1];
    double u[3], e[4], R[9], A[9];
    keep[s] = *o;
    vec3_addmul(o->r, h, x + 6*s);
    vec3_scale(u, h, x + 6*s + 3);
    quat_from_vector(e, u);
    quat_matrix(R, e);
    mat3_mul(A, o->A, R);
    memcpy(o->A, A, sizeof(A));
  }
  f->element->resultants(f, &env, eps, n);
  for (int i = 0; i < 6; i++)
    if (eps[i]*n[i] > most) most = eps[i]*n[i], k = i;
  for (int s = 0; s < f->nbody; s++) kin[f->body[s] + 1] = keep[s];
  (void)beam;
  return word[k];
}

void tni_fastest_element(const tn_model *m, tni_fastest *out) {
  memset(out, 0, sizeof(*out));
  if (m->nelement == 0) return;
  tni_kin *kin = tni_alloc(m->ctx, (size_t)m->nbody + 1, sizeof(*kin));
  if (!kin) return;
  tni_builder b = {.model = (tn_model *)m};
  for (int i = -1; i < m->nbody; i++) tni_build_pose(&b, i, &kin[i+1]);
  tni_env env = {.kin = kin, .memory = m->memory0};
  double best = 0;
  for (int i = 0; i < m->nbeam; i++)
    for (int e = 0; e < m->beam[i].nelement; e++) {
      const tni_force *f = &m->force[m->beam[i].element0 + e];
      double force[MAX], K[MAX*MAX], D[MAX*MAX], M[MAX], x[MAX], moving = 0, turning = 0;
      tni_force_out o = {.f = force, .K = K, .D = D};
      f->ops->eval(f, &env, TNI_F_FORCE | TNI_F_TANGENT, &o);
      own_mass(m, &m->beam[i], e, f, M);
      double lambda = largest(K, M, 6*f->nbody, x);
      if (!(lambda > best*(1 + 1e-5))) continue;
      best = lambda;
      out->omega = sqrt(lambda);
      out->zeta = 0.5*out->omega*tni_item_number(m->beam[i].item, "damping", 0);
      out->element = m->beam[i].element0 + e;
      out->strain = strain_of(m, &m->beam[i], f, kin, x);
      for (int k = 0; k < 6*f->nbody; k++) *(k % 6 < 3 ? &moving : &turning) += M[k]*x[k]*x[k];
      out->rotary = turning > moving;
    }
  tni_free(m->ctx, kin);
}

void tni_limit_describe(const tn_model *model, double *step, char *out, size_t n) {
  tni_fastest fast;
  *step = 0;
  out[0] = 0;
  tni_fastest_element(model, &fast);
  if (!(fast.omega > 0)) return;
  /* leaps with damping taken from the past: 2/omega (sqrt(1 + zeta^2) - zeta) */
  *step = 2/fast.omega/(sqrt(1 + fast.zeta*fast.zeta) + fast.zeta);
  int at = snprintf(out, n, "'%s' vibrates with %.3g rad/s, %s against %s",
                    model->force[fast.element].name, fast.omega, fast.strain,
                    fast.rotary ? "rotary inertia" : "mass");
  if (fast.zeta > 0 && at > 0 && (size_t)at < n)
    snprintf(out + at, n - (size_t)at, ", damped %.3g times critically", fast.zeta);
}

void tni_limit_scaled(const tn_model *model, char *out, size_t n) {
  size_t at = 0;
  out[0] = 0;
  for (int i = 0; i < model->nbeam && at < n; i++) {
    const tni_beam *b = &model->beam[i];
    double scale = b->bends ? tni_item_number(b->item, "rotary_scale", 1) : 1;
    if (scale > 1)
      at += (size_t)snprintf(out + at, n - at, "%s'%s' by %g", at ? ", " : "", b->name, scale);
  }
}
