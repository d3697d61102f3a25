/* joints/compound.c - constraint rows that are functions of several scalars of the same two bodies
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "joints/compound.h"

/* one block being evaluated: columns 0..11 are those of the two slots of the scalars, column[j] is
 * where they go in the block, -1 for the ground */
typedef struct {
  int n, nc;
  int column[12];
  double v[12];
  tni_scalar_out s[TNI_COMPOUND_MAXSCALAR];
} point;

static void fill_point(const tni_con *con, const tni_env *env, unsigned what, bool gamma,
                       point *p) {
  const tni_compound *c = con->data;
  unsigned level = TNI_S_VALUE | TNI_S_JACOBIAN | TNI_S_RATE;
  if (what & TNI_C_TANGENT) level |= gamma ? TNI_S_SECOND | TNI_S_BIAS_Q : TNI_S_SECOND;
  p->n = c->nscalar;
  p->nc = 6*con->nbody;
  for (int k = 0; k < p->n; k++) tni_scalar_at(&c->scalar[k], env, level, &p->s[k]);
  for (int e = 0; e < 2; e++) {
    int body = c->scalar[0].body[e], at = -1;
    for (int i = 0; i < con->nbody; i++)
      if (con->body[i] == body) at = i;
    for (int j = 0; j < 6; j++) p->column[6*e + j] = at < 0 ? -1 : 6*at + j;
    vec3_copy(p->v + 6*e, env->kin[body + 1].v);
    vec3_copy(p->v + 6*e + 3, env->kin[body + 1].w);
  }
}

static double row_bias(const point *p, const tni_compound_row *row) {
  double bias = 0;
  for (int k = 0; k < p->n; k++) {
    bias += row->g[k]*p->s[k].bias;
    for (int l = 0; l < p->n; l++) bias += row->G[k][l]*p->s[k].rate*p->s[l].rate;
  }
  return bias;
}

/* B of the whole row, [12 w + delta] */
static void row_second(const point *p, const tni_compound_row *row, double B[144]) {
  memset(B, 0, 144*sizeof(double));
  for (int k = 0; k < p->n; k++) {
    double GJ[12] = {0};
    for (int l = 0; l < p->n; l++)
      for (int j = 0; j < 12 && row->G[k][l] != 0; j++) GJ[j] += row->G[k][l]*p->s[l].J[j];
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 12; j++)
        B[12*i+j] += row->g[k]*p->s[k].B[12*i+j] + p->s[k].J[i]*GJ[j];
  }
}

static void row_bias_q(const point *p, const tni_compound_row *row, double out[12]) {
  memset(out, 0, 12*sizeof(double));
  for (int k = 0; k < p->n; k++) {
    /* factors of the derivatives of bias, value and rate of scalar k */
    double by_value = row->T[k], by_rate = 0;
    for (int l = 0; l < p->n; l++) {
      by_value += row->G[l][k]*p->s[l].bias;
      by_rate += (row->G[k][l] + row->G[l][k])*p->s[l].rate;
    }
    for (int j = 0; j < 12; j++) {
      double rate_q = 0;
      for (int i = 0; i < 12; i++) rate_q += p->v[i]*p->s[k].B[12*i+j];
      out[j] += row->g[k]*p->s[k].bias_q[j] + by_value*p->s[k].J[j] + by_rate*rate_q;
    }
  }
}

static void add_tangent(const point *p, const tni_compound_row *row, int r, tni_con_out *out) {
  double B[144], bias_q[12];
  int nc = p->nc;
  row_second(p, row, B);
  if (out->gamma_q) row_bias_q(p, row, bias_q);
  for (int j = 0; j < 12; j++) {
    int cj = p->column[j];
    if (cj < 0) continue;
    if (out->gamma_q) out->gamma_q[nc*r + cj] = -bias_q[j];
    for (int i = 0; i < 12; i++) {
      int ci = p->column[i];
      if (ci < 0) continue;
      out->H[nc*ci + cj] += out->lambda[r]*B[12*i+j];
      out->Jw_q[nc*r + cj] += out->w[ci]*B[12*i+j];
      if (out->w2) out->Jw2_q[nc*r + cj] += out->w2[ci]*B[12*i+j];
      if (out->gamma_q) out->gamma_v[nc*r + cj] -= p->v[i]*(B[12*i+j] + B[12*j+i]);
    }
  }
}

void tni_compound_eval(const tni_con *con, const tni_env *env, unsigned what, tni_con_out *out) {
  const tni_compound *c = con->data;
  point p;
  tni_compound_row row[TNI_COMPOUND_MAXROW];
  double s[TNI_COMPOUND_MAXSCALAR], ds[TNI_COMPOUND_MAXSCALAR];
  fill_point(con, env, what, (what & TNI_C_TANGENT) && out->gamma_q, &p);
  for (int k = 0; k < p.n; k++) {
    s[k] = p.s[k].s;
    ds[k] = p.s[k].rate;
  }
  memset(row, 0, sizeof(row));
  c->rows(c, env, s, ds, what, row);

  int nc = p.nc, nr = con->nrow;
  size_t row_bytes = (size_t)nr*(size_t)nc*sizeof(double);
  if (what & TNI_C_TANGENT) {
    memset(out->H, 0, (size_t)nc*(size_t)nc*sizeof(double));
    memset(out->Jw_q, 0, row_bytes);
    if (out->w2) memset(out->Jw2_q, 0, row_bytes);
    memset(out->phit_q, 0, row_bytes);
    if (out->gamma_q) memset(out->gamma_q, 0, row_bytes);
    if (out->gamma_q) memset(out->gamma_v, 0, row_bytes);
  }
  /* the motion a row has to follow: position, or velocity of a nonholonomic row, and its rates */
  const tni_expr *m1 = con->nonholonomic ? c->motion.f : c->motion.f_t;
  const tni_expr *m2 = con->nonholonomic ? c->motion.f_t : c->motion.f_tt;
  bool moved = c->motion.f != NULL;
  for (int r = 0; r < nr; r++) {
    if (what & TNI_C_POSITION) {
      out->phi[r] = con->nonholonomic ? 0 : row[r].f;
      if (moved && !con->nonholonomic) out->phi[r] -= tni_expr_eval(c->motion.f, &env->t);
    }
    if (what & TNI_C_JACOBIAN) {
      out->phi_t[r] = moved ? -tni_expr_eval(m1, &env->t) : 0;
      for (int j = 0; j < 12; j++) {
        double sum = 0;
        for (int k = 0; k < p.n; k++) sum += row[r].g[k]*p.s[k].J[j];
        if (p.column[j] >= 0) out->J[nc*r + p.column[j]] = sum;
      }
    }
    if (what & TNI_C_ACCEL)
      out->gamma[r] = (moved ? tni_expr_eval(m2, &env->t) : 0) - row_bias(&p, &row[r]);
    if (what & TNI_C_TANGENT) add_tangent(&p, &row[r], r, out);
  }
}

tn_status tni_compound_close(tni_builder *b, tni_joint *joint, const tni_con_ops *ops,
                             const tni_compound *c, bool nonholonomic, int nrow,
                             const char *const *name, const char *const *unit) {
  tni_compound *copy;
  TNI_ARENA_NEW(b->arena, copy, 1);
  *copy = *c;
  tni_con con = {.ops = ops, .nonholonomic = nonholonomic, .nrow = nrow, .rowname = name,
                 .rowunit = unit, .data = copy};
  for (int e = 0; e < 2; e++) tni_body_slot(c->scalar[0].body[e], &con.nbody, con.body);
  return tni_build_con(b, joint, &con);
}
