/* elements/ends.c - ends of elements: frames fixed in bodies, and one seen from another
 *
 * Perturbation of an end from that of its body (dr, theta):
 *   dx = dr + A (theta x s),   dtheta = R^T theta
 * A force F at the end (ground axes) and a moment m (section axes) load the body by
 *   F   and   s x (A^T F) + R m       (body axes)
 *
 * Relative pose: dp = Q_o^T (dx_a - dx_o) + p x theta_o,  dpsi = J_r^-1 theta_a - J_l^-1 theta_o.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/element.h"

tn_status tni_ends_build(tni_builder *b, const tni_element_in *in, int n, tni_force *force,
                         tni_end *end) {
  (void)b;
  for (int i = 0; i < n; i++) {
    const tni_frame *f = &in->frame[i];
    double off = 0;
    for (int k = 0; k < 9; k++) off = fmax(off, fabs(f->R[k] - (k % 4 == 0)));
    end[i].body = in->body[i];
    vec3_copy(end[i].s, f->p);
    memcpy(end[i].R, f->R, sizeof(end[i].R));
    end[i].plain = vec3_norm(f->p) == 0 && off == 0;
    end[i].slot = tni_body_slot(in->body[i], &force->nbody, force->body);
  }
  return TN_OK;
}

static void end_kin(const tni_end *e, const tni_kin *k, tni_end_kin *out) {
  if (e->plain) {
    vec3_copy(out->x, k->r);
    memcpy(out->Q, k->A, sizeof(out->Q));
    vec3_copy(out->v, k->v);
    vec3_copy(out->w, k->w);
    return;
  }
  double x[3];
  mat3_vec(x, k->A, e->s);
  vec3_add(out->x, k->r, x);
  mat3_mul(out->Q, k->A, e->R);
  vec3_cross(x, k->w, e->s);
  mat3_vec(x, k->A, x);
  vec3_add(out->v, k->v, x);
  mat3_tvec(out->w, e->R, k->w);
}

void tni_ends_initial(const tni_builder *b, const tni_end *end, int n, tni_end_kin *kin) {
  for (int i = 0; i < n; i++) {
    tni_kin k;
    tni_build_pose(b, end[i].body, &k);
    end_kin(&end[i], &k, &kin[i]);
  }
}

void tni_ends_kin(const tni_end *end, int n, const tni_env *env, tni_end_kin *kin) {
  for (int i = 0; i < n; i++) end_kin(&end[i], &env->kin[end[i].body + 1], &kin[i]);
}

/* W [6][6] = d(dx, dtheta)/d(dr, theta) */
static void end_map(const tni_end *e, const double A[9], double W[36]) {
  double S[9], AS[9];
  memset(W, 0, 36*sizeof(double));
  mat3_skew(S, e->s);
  mat3_mul(AS, A, S);
  for (int i = 0; i < 3; i++) {
    W[7*i] = 1;
    for (int j = 0; j < 3; j++) {
      W[6*i + 3 + j] = -AS[3*i+j];
      W[6*(3 + i) + 3 + j] = e->R[3*j+i];
    }
  }
}

/* X [6][6]: the velocity of the end turns with the body, dv = A (theta x (w x s)) */
static void end_velocity_map(const tni_end *e, const tni_kin *k, double X[36]) {
  double u[3], U[9], AU[9];
  memset(X, 0, 36*sizeof(double));
  vec3_cross(u, k->w, e->s);
  mat3_skew(U, u);
  mat3_mul(AU, k->A, U);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) X[6*i + 3 + j] = -AU[3*i+j];
}

/* out (block at rows of slot a, columns of slot b) += Wa^T X Wb, X the block (a, b) of M [n][n] */
static void scatter_block(const double *Wa, const double *Wb, const double *M, int n, int a, int b,
                          double *out, int nout, int sa, int sb) {
  double T[36];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += M[(6*a + i)*n + 6*b + k]*Wb[6*k + j];
      T[6*i + j] = sum;
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += Wa[6*k + i]*T[6*k + j];
      out[(6*sa + i)*nout + 6*sb + j] += sum;
    }
}

/* every end is a node of its own, in order: nothing to transform */
static bool all_plain(const tni_end *end, int n) {
  for (int i = 0; i < n; i++)
    if (!end[i].plain || end[i].slot != i) return false;
  return true;
}

void tni_ends_scatter(const tni_end *end, int n, const tni_force *force, const tni_env *env,
                      const double *f, const double *K, const double *D, tni_force_out *out) {
  int cols = 6*n, nout = 6*force->nbody;
  if (all_plain(end, n)) {
    memcpy(out->f, f, (size_t)cols*sizeof(double));
    if (!K) return;
    memcpy(out->K, K, (size_t)(cols*cols)*sizeof(double));
    memcpy(out->D, D, (size_t)(cols*cols)*sizeof(double));
    return;
  }
  memset(out->f, 0, (size_t)nout*sizeof(double));
  for (int i = 0; i < n; i++) {
    const tni_end *e = &end[i];
    double F[3], T[3], m[3];
    if (e->slot < 0) continue;
    mat3_tvec(F, env->kin[e->body + 1].A, f + 6*i);
    vec3_cross(T, e->s, F);
    mat3_vec(m, e->R, f + 6*i + 3);
    for (int c = 0; c < 3; c++) {
      out->f[6*e->slot + c] += f[6*i + c];
      out->f[6*e->slot + 3 + c] += T[c] + m[c];
    }
  }
  if (!K) return;
  memset(out->K, 0, (size_t)(nout*nout)*sizeof(double));
  memset(out->D, 0, (size_t)(nout*nout)*sizeof(double));
  double W[TNI_MAXEND][36], X[TNI_MAXEND][36];
  for (int i = 0; i < n; i++) {
    end_map(&end[i], env->kin[end[i].body + 1].A, W[i]);
    end_velocity_map(&end[i], &env->kin[end[i].body + 1], X[i]);
  }
  for (int i = 0; i < n; i++) {
    const tni_end *e = &end[i];
    if (e->slot < 0) continue;
    for (int j = 0; j < n; j++) {
      if (end[j].slot < 0) continue;
      scatter_block(W[i], W[j], K, cols, i, j, out->K, nout, e->slot, end[j].slot);
      scatter_block(W[i], W[j], D, cols, i, j, out->D, nout, e->slot, end[j].slot);
      scatter_block(W[i], X[j], D, cols, i, j, out->K, nout, e->slot, end[j].slot);
    }
    /* s x (A^T F) turns with the body */
    double F[3], S[9], G[9], SG[9];
    mat3_tvec(F, env->kin[e->body + 1].A, f + 6*i);
    mat3_skew(S, e->s);
    mat3_skew(G, F);
    mat3_mul(SG, S, G);
    tni_block_add(out->K, nout, 6*e->slot + 3, 6*e->slot + 3, 1, SG);
  }
}

void tni_ends_scatter_mixed(const tni_end *end, int n, const tni_force *force, const tni_env *rows,
                            const tni_env *cols, const double *M, double *out) {
  int nc = 6*n, nout = 6*force->nbody;
  if (all_plain(end, n)) {
    memcpy(out, M, (size_t)(nc*nc)*sizeof(double));
    return;
  }
  double W[TNI_MAXEND][36], V[TNI_MAXEND][36];
  memset(out, 0, (size_t)(nout*nout)*sizeof(double));
  for (int i = 0; i < n; i++) {
    end_map(&end[i], rows->kin[end[i].body + 1].A, W[i]);
    end_map(&end[i], cols->kin[end[i].body + 1].A, V[i]);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (end[i].slot >= 0 && end[j].slot >= 0)
        scatter_block(W[i], V[j], M, nc, i, j, out, nout, end[i].slot, end[j].slot);
}

void tni_ends_scatter_parts(const tni_end *end, int n, const tni_force *force, const tni_env *env,
                            const tni_ends_mixed *in, tni_mixed_out *out) {
  int cols = 6*n, nout = 6*force->nbody;
  double f[TNI_MAXENDCOL], D[TNI_MAXENDCOL*TNI_MAXENDCOL], W[36];
  tni_force_out o = {.f = f, .K = out->rest, .D = D};
  tni_ends_scatter(end, n, force, env, in->f, in->K, in->D, &o);
  memset(out->B, 0, (size_t)(in->nstress*nout)*sizeof(double));
  for (int e = 0; e < n; e++) {
    if (end[e].slot < 0) continue;
    end_map(&end[e], env->kin[end[e].body + 1].A, W);
    for (int k = 0; k < in->nstress; k++)
      for (int j = 0; j < 6 && isfinite(in->F[k]); j++) {
        double sum = 0;
        for (int i = 0; i < 6; i++) sum += in->B[k*cols + 6*e + i]*W[6*i + j];
        out->B[k*nout + 6*end[e].slot + j] += sum;
      }
  }
  for (int k = 0; k < in->nstress; k++) out->F[k] = isfinite(in->F[k]) ? in->F[k] : 1;
}

tn_status tni_element_add(tni_builder *b, const tni_element_in *in, const char *type,
                          const tni_force *force) {
  tn_model *m = b->model;
  void *items = m->force;
  if (!tni_arena_grow(b->arena, &items, m->nforce, &b->force_cap, sizeof(tni_force)))
    return tni_out_of_memory(b->ctx);
  m->force = items;
  tni_force *f = &m->force[m->nforce++];
  *f = *force;
  f->name = in->name;
  f->type = type;
  f->item = in->item;
  m->nevent += f->nevent;
  m->nelement++;
  return TN_OK;
}

void tni_ends_follow(const tni_end *o, const tni_end *a, tni_turned *out) {
  out->body[0] = o->body;
  out->body[1] = a->body;
  mat3_mult(out->R, a->R, o->R);
}

/* ---- relative pose ------------------------------------------------------------------------- */

void tni_relative_set(tni_relative *r, const tni_end_kin *o, const tni_end_kin *a) {
  double d[3], R[9], e[4];
  vec3_sub(d, a->x, o->x);
  mat3_tvec(r->p, o->Q, d);
  mat3_tmul(R, o->Q, a->Q);
  quat_from_matrix(e, R);
  quat_normalize(e);
  quat_to_vector(r->psi, e);
  r->turn = tni_turn_inverse(r->psi);
}

void tni_relative_rate(const tni_relative *r, const tni_end_kin *o, const tni_end_kin *a,
                       double rate[6]) {
  double d[3], x[3];
  tni_turn left = tni_turn_flip(&r->turn);
  vec3_sub(d, a->v, o->v);
  mat3_tvec(d, o->Q, d);
  vec3_cross(x, r->p, o->w);
  vec3_add(rate, d, x);
  tni_turn_apply(rate + 3, &r->turn, r->psi, a->w);
  tni_turn_apply(x, &left, r->psi, o->w);
  vec3_sub(rate + 3, rate + 3, x);
}

void tni_relative_force(const tni_relative *r, const tni_end_kin *o, const double g[6], int io,
                        int ia, double *f) {
  double F[3], x[3];
  tni_turn left = tni_turn_flip(&r->turn);
  mat3_vec(F, o->Q, g);
  vec3_add(f + 6*io, f + 6*io, F);
  vec3_sub(f + 6*ia, f + 6*ia, F);
  vec3_cross(x, r->p, g);
  vec3_add(f + 6*io + 3, f + 6*io + 3, x);
  /* (J_l^-1)^T = J_r^-1 and the other way round */
  tni_turn_apply(x, &r->turn, r->psi, g + 3);
  vec3_add(f + 6*io + 3, f + 6*io + 3, x);
  tni_turn_apply(x, &left, r->psi, g + 3);
  vec3_sub(f + 6*ia + 3, f + 6*ia + 3, x);
}

void tni_relative_Z(const tni_relative *r, const tni_end_kin *o, int io, int ia, int n, double *Z) {
  double P[9], J[9];
  tni_turn left = tni_turn_flip(&r->turn);
  memset(Z, 0, (size_t)(6*n)*sizeof(double));
  mat3_skew(P, r->p);
  tni_block_add(Z, n, 0, 6*io + 3, 1, P);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      Z[i*n + 6*ia + j] += o->Q[3*j+i];
      Z[i*n + 6*io + j] -= o->Q[3*j+i];
    }
  tni_turn_matrix(J, &r->turn, r->psi);
  tni_block_add(Z, n, 3, 6*ia + 3, 1, J);
  tni_turn_matrix(J, &left, r->psi);
  tni_block_add(Z, n, 3, 6*io + 3, -1, J);
}

/* rows `row` of K += factor * B Z, Z three rows */
static void add_product(double *K, int n, int row, double factor, const double B[9],
                        const double *Z) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      double x = factor*B[3*i+k];
      if (x != 0)
        for (int j = 0; j < n; j++) K[(row + i)*n + j] += x*Z[k*n + j];
    }
}

void tni_relative_geometric(const tni_relative *r, const tni_end_kin *o, const double *Z,
                            const double g[6], int io, int ia, int n, double *K) {
  double G[9], QG[9], B[9];
  tni_turn left = tni_turn_flip(&r->turn);
  /* force Q_o g_p: turns with end o */
  mat3_skew(G, g);
  mat3_mul(QG, o->Q, G);
  tni_block_add(K, n, 6*ia, 6*io + 3, 1, QG);
  tni_block_add(K, n, 6*io, 6*io + 3, -1, QG);
  /* moment p x g_p on o */
  add_product(K, n, 6*io + 3, -1, G, Z);
  tni_turn_by_psi(B, &r->turn, r->psi, g + 3);
  add_product(K, n, 6*io + 3, 1, B, Z + 3*n);
  tni_turn_by_psi(B, &left, r->psi, g + 3);
  add_product(K, n, 6*ia + 3, -1, B, Z + 3*n);
}

void tni_relative_rate_gradient(const tni_relative *r, const tni_end_kin *o, const tni_end_kin *a,
                                const double *Z, int io, int n, double *G) {
  double d[3], X[9], B[9];
  tni_turn left = tni_turn_flip(&r->turn);
  memset(G, 0, (size_t)(6*n)*sizeof(double));
  vec3_sub(d, a->v, o->v);
  mat3_tvec(d, o->Q, d);
  mat3_skew(X, d);
  tni_block_add(G, n, 0, 6*io + 3, 1, X);
  mat3_skew(X, o->w);
  add_product(G, n, 0, -1, X, Z);
  tni_turn_by_psi(B, &r->turn, r->psi, a->w);
  add_product(G, n, 3, 1, B, Z + 3*n);
  tni_turn_by_psi(B, &left, r->psi, o->w);
  add_product(G, n, 3, -1, B, Z + 3*n);
}

/* |psi|/sin(|psi|/2) */
static double vector_factor(const double psi[3]) {
  double x = 0.5*vec3_norm(psi);
  return x < 1e-3 ? 2 + x*x*(1.0/3 + 7.0/180*x*x) : 2*x/sin(x);
}

/* mean of d(rotation vector/vector part)/d(scalar part) of unit Euler parameters between c0 and c1 */
static double vector_slope(double c0, double c1) {
  static const double x[4] = {0.339981043584856265, -0.339981043584856265, 0.861136311594052575,
                              -0.861136311594052575};
  static const double w[4] = {0.326072577431273071, 0.326072577431273071,
                              0.173927422568726929, 0.173927422568726929};
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    /* g = 2 angle/sin(angle), angle = acos c: g' = (c g - 2)/(1 - c^2), by series near c = 1 */
    double c = 0.5*(c0 + c1) + 0.5*x[i]*(c1 - c0), z = 1 - c, g1;
    if (z < 0.02) {
      g1 = -2.0/3 - z*(8.0/15 + z*(12.0/35 + z*(64.0/315 + z*(80.0/693 + z*(64.0/1001)))));
    } else {
      double sine = sqrt(1 - c*c), g = 2*acos(c)/sine;
      g1 = (c*g - 2)/(1 - c*c);
    }
    sum += w[i]*g1;
  }
  return sum;
}

void tni_relative_difference(const tni_relative *r0, const tni_relative *r1, const tni_relative *r,
                             const tni_end_kin *o, const tni_end_kin *a, double h, double S[9],
                             double W[9]) {
  double To[3], Ta[3], s[3], e0[4], e1[4], em[4], R[9];
  /* p: the mean of a turn forth and back, cos I + (1 - cos) n n^T of half the turn */
  vec3_scale(To, h, o->w);
  vec3_scale(Ta, h, a->w);
  double yo = 0.25*vec3_dot(To, To), ya = 0.25*vec3_dot(Ta, Ta);
  double ro = sqrt(1 + yo), ra = sqrt(1 + ya), c = 1/ro;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      S[3*i+j] = (i == j)*c + 0.25*To[i]*To[j]/(ro*(1 + ro)); /* (1 - c)/y = 1/(ro (1 + ro)) */
  /* psi: Euler parameters e1 - e0 = e (0, G x) with the relative turn x = Theta_a - R^T Theta_o; then
   * their rotation vector psi = g e_v, a function of the scalar part times the vector part */
  quat_from_vector(e0, r0->psi);
  quat_from_vector(e1, r1->psi);
  quat_from_vector(em, r->psi);
  quat_matrix(R, em);
  mat3_tvec(s, R, To);
  vec3_add(s, s, Ta);
  double mean = 0.25/(1 + ro) + 0.25/(1 + ra), slope = -1/(8*(1 + ra)*(1 + ro)*(ra + ro));
  double k = 2*sqrt(0.5*(1 + 1/ro))*sqrt(0.5*(1 + 1/ra)); /* cosines of the quarter turns */
  double g = 0.5*(vector_factor(r0->psi) + vector_factor(r1->psi));
  double g_c = vector_slope(e0[0], e1[0]), G[9], V[9], X[9], J[9];
  mat3_skew(V, em + 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      G[3*i+j] = k*((i == j)*mean + 0.5*slope*s[i]*s[j]);
      V[3*i+j] = g*((i == j)*em[0] + V[3*i+j]) - g_c*0.5*(e0[1+i] + e1[1+i])*em[1+j];
    }
  mat3_mul(X, V, G);
  tni_turn t = tni_turn_tangent(r->psi);
  tni_turn_matrix(J, &t, r->psi);
  mat3_mul(W, X, J);
}
