/* forces/along.c - generalised forces along scalar functions
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/along.h"

tn_status tni_force_add_body(tni_builder *b, const tni_item *item, tni_force *force, int body,
                             int *slot) {
  *slot = tni_body_slot(body, &force->nbody, force->body);
  if (*slot == -2)
    return tni_item_fail(b->ctx, item, NULL,
                         "loads and measures more than %d bodies, the limit of one force; split it",
                         TNI_MAXBODY);
  return TN_OK;
}

tn_status tni_along_build(tni_builder *b, const tni_item *item, tni_force *force,
                          const tni_scalar *s, tni_along *out) {
  out->s = *s;
  for (int i = 0; i < 2; i++)
    TN_TRY(tni_force_add_body(b, item, force, s->body[i], &out->slot[i]));
  return TN_OK;
}

tn_status tni_use_build(tni_builder *b, const tni_item *item, tni_force *force, const char *key,
                        const tni_value *value, double fallback, const tni_local *local,
                        int nlocal, tni_use *out) {
  TN_TRY(tni_build_function_local(b, item, key, value, fallback, local, nlocal, &out->fn));
  for (int i = 0; i < out->fn.nbody; i++)
    TN_TRY(tni_force_add_body(b, item, force, out->fn.body[i], &out->map[i]));
  return TN_OK;
}

void tni_along_initial(const tni_builder *b, const tni_scalar *s, double *value, double *rate) {
  tni_kin k[2];
  tni_scalar_out o;
  for (int i = 0; i < 2; i++) tni_build_pose(b, s->body[i], &k[i]);
  tni_scalar_eval(s, &k[0], &k[1], s->memory >= 0 ? b->model->memory0[s->memory] : 0, TNI_S_RATE,
                  &o);
  *value = o.s;
  *rate = o.rate;
}

void tni_force_clear(const tni_force *force, unsigned what, tni_force_out *out) {
  size_t n = 6*(size_t)force->nbody;
  memset(out->f, 0, n*sizeof(double));
  if (what & TNI_F_TANGENT) {
    memset(out->K, 0, n*n*sizeof(double));
    memset(out->D, 0, n*n*sizeof(double));
    if (out->f_t) memset(out->f_t, 0, n*sizeof(double));
  }
  out->potential = out->dissipated = out->input = out->value = 0;
}

void tni_along_eval(const tni_along *a, const tni_env *env, unsigned what, tni_scalar_out *o) {
  tni_scalar_at(&a->s, env, what & TNI_F_TANGENT ? TNI_S_SECOND : TNI_S_RATE, o);
}

double tni_use_eval(const tni_use *use, const tni_env *env, double factor, double *F_q,
                    double *F_v, double *F_t) {
  double value, f_t, q[TNI_MAXCOL], v[TNI_MAXCOL];
  if (!F_q) {
    tni_function_eval(&use->fn, env, &value, NULL, NULL, NULL);
    return value;
  }
  tni_function_eval(&use->fn, env, &value, q, v, &f_t);
  *F_t += factor*f_t;
  for (int i = 0; i < use->fn.nbody; i++) {
    for (int c = 0; c < 6; c++) {
      F_q[6*use->map[i]+c] += factor*q[6*i+c];
      F_v[6*use->map[i]+c] += factor*v[6*i+c];
    }
  }
  return value;
}

void tni_along_add_force(const tni_along *a, const tni_scalar_out *o, double F, double *f) {
  for (int i = 0; i < 2; i++)
    if (a->slot[i] >= 0)
      for (int c = 0; c < 6; c++) f[6*a->slot[i]+c] -= F*o->J[6*i+c];
}

void tni_along_add_row(const tni_along *a, double factor, const double row[12], double *out) {
  for (int i = 0; i < 2; i++)
    if (a->slot[i] >= 0)
      for (int c = 0; c < 6; c++) out[6*a->slot[i]+c] += factor*row[6*i+c];
}

void tni_along_add_tangent(const tni_along *a, const tni_scalar_out *o, int nb, double F,
                           const double *F_q, const double *F_v, double *K, double *D) {
  int n = 6*nb;
  for (int i = 0; i < 12; i++) {
    if (a->slot[i/6] < 0) continue;
    int row = 6*a->slot[i/6] + i%6;
    for (int c = 0; c < n; c++) {
      K[row*n+c] -= o->J[i]*F_q[c];
      D[row*n+c] -= o->J[i]*F_v[c];
    }
    tni_along_add_row(a, -F, &o->B[12*i], &K[row*n]);
  }
}

/* K and D of a force between its only two bodies, which nothing else adds to */
static void set_tangent(const tni_scalar_out *o, double F, const double F_q[12],
                        const double F_v[12], double *restrict K, double *restrict D) {
  for (int i = 0; i < 12; i++) {
    double J = o->J[i];
    const double *B = &o->B[12*i];
    for (int c = 0; c < 12; c++) {
      K[12*i+c] = -(J*F_q[c] + F*B[c]);
      D[12*i+c] = -(J*F_v[c]);
    }
  }
}

void tni_along_apply(const tni_force *force, const tni_along *a, const tni_env *env, unsigned what,
                     const tni_scalar_out *o, double F, double F_s, double F_ds,
                     const tni_use *use, double use_factor, tni_force_out *out) {
  bool tangent = what & TNI_F_TANGENT, pair = a->slot[0] == 0 && a->slot[1] == 1 && force->nbody == 2;
  tni_force_clear(force, tangent && pair ? what & ~(unsigned)TNI_F_TANGENT : what, out);
  tni_along_add_force(a, o, F, out->f);
  if (!tangent) return;
  double F_q[TNI_MAXCOL] = {0}, F_v[TNI_MAXCOL] = {0}, F_t = 0, vB[12];
  tni_scalar_rate_gradient(&a->s, env, o, vB);
  tni_along_add_row(a, F_s, o->J, F_q);
  tni_along_add_row(a, F_ds, vB, F_q);
  tni_along_add_row(a, F_ds, o->J, F_v);
  if (use) tni_use_eval(use, env, use_factor, F_q, F_v, &F_t);
  if (pair) set_tangent(o, F, F_q, F_v, out->K, out->D);
  else tni_along_add_tangent(a, o, force->nbody, F, F_q, F_v, out->K, out->D);
  if (!out->f_t) return;
  if (pair) memset(out->f_t, 0, 12*sizeof(double));
  tni_along_add_force(a, o, F_t, out->f_t);
}

double tni_force_power(const tni_force *force, const tni_env *env, const double *f) {
  double p = 0;
  for (int i = 0; i < force->nbody; i++) {
    const tni_kin *k = &env->kin[force->body[i] + 1];
    p += vec3_dot(f + 6*i, k->v) + vec3_dot(f + 6*i + 3, k->w);
  }
  return p;
}
