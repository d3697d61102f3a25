/* kinematics/scalar.c - scalar functions of two poses
 *
 * Notation: for a vector quantity u, rho_s = A_s x_s is its body-fixed part of slot s in ground
 * components, so that
 *   D_w u      = sum_s c_s w_r,s + Omega_s x rho_s,          Omega_s = A_s w_theta,s
 *   D_d D_w u  = sum_s Delta_s x (Omega_s x rho_s),          Delta_s = A_s delta_theta,s
 * (the body components of w are held while q moves along delta). Everything below is the chain
 * rule on a . b and then on an outer function of one or two such sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kinematics/scalar.h"

void tni_kin_ground(tni_kin *k) {
  memset(k, 0, sizeof(*k));
  mat3_identity(k->A);
}

tni_vecq tni_vecq_direction(int slot, const double a[3]) {
  tni_vecq u = {{0}, {0}, {{0}}};
  vec3_copy(u.x[slot], a);
  return u;
}

tni_vecq tni_vecq_constant(const double g[3]) {
  tni_vecq u = {{0}, {0}, {{0}}};
  vec3_copy(u.g, g);
  return u;
}

tni_vecq tni_vecq_separation(const double s0[3], const double s1[3]) {
  tni_vecq u = {{0}, {-1, 1}, {{0}}};
  vec3_scale(u.x[0], -1, s0);
  vec3_copy(u.x[1], s1);
  return u;
}

static tni_scalar scalar_new(tni_scalar_kind kind, int body0, int body1, double offset) {
  tni_scalar s;
  memset(&s, 0, sizeof(s));
  s.kind = kind;
  s.body[0] = body0;
  s.body[1] = body1;
  s.offset = offset;
  s.memory = -1;
  return s;
}

static void add_term(tni_scalar *s, double weight, tni_vecq a, tni_vecq b) {
  s->term[s->nterm].weight = weight;
  s->term[s->nterm].a = a;
  s->term[s->nterm].b = b;
  s->nterm++;
}

tni_scalar tni_scalar_dot(int body0, int body1, tni_vecq a, tni_vecq b, double offset) {
  tni_scalar s = scalar_new(TNI_SCALAR_DOT, body0, body1, offset);
  add_term(&s, 1, a, b);
  return s;
}

tni_scalar tni_scalar_length(int body0, int body1, tni_vecq d, double offset) {
  tni_scalar s = scalar_new(TNI_SCALAR_LENGTH, body0, body1, offset);
  add_term(&s, 1, d, d);
  return s;
}

tni_scalar tni_scalar_twist(int body0, int body1, const double R0[9], const double R1[9],
                            int memory) {
  tni_scalar s = scalar_new(TNI_SCALAR_ANGLE, body0, body1, 0);
  double x[2][3], y[2][3];
  mat3_column(x[0], R0, 0);
  mat3_column(y[0], R0, 1);
  mat3_column(x[1], R1, 0);
  mat3_column(y[1], R1, 1);
  add_term(&s, 1, tni_vecq_direction(0, y[0]), tni_vecq_direction(1, x[1]));
  add_term(&s, -1, tni_vecq_direction(0, x[0]), tni_vecq_direction(1, y[1]));
  s.nsin = 2;
  add_term(&s, 1, tni_vecq_direction(0, x[0]), tni_vecq_direction(1, x[1]));
  add_term(&s, 1, tni_vecq_direction(0, y[0]), tni_vecq_direction(1, y[1]));
  s.memory = memory;
  return s;
}

/* a vector quantity at the present poses */
typedef struct {
  double u[3], du[3], ddu[3]; /* value, rate, second rate at zero acceleration    */
  bool on[2];                 /* the slot has a body-fixed part; else the rest is not set */
  double rho[2][3];           /* body-fixed parts, ground                         */
  double drho[2][3];          /* W x rho                                          */
  double ddrho[2][3];         /* W x (W x rho)                                    */
} quantity;

static bool is_zero(const double a[3]) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

static void evaluate(const tni_vecq *q, const tni_kin *const k[2], bool rates, quantity *out) {
  vec3_copy(out->u, q->g);
  if (rates) {
    vec3_set(out->du, 0, 0, 0);
    vec3_set(out->ddu, 0, 0, 0);
  }
  for (int s = 0; s < 2; s++) {
    if (q->c[s] != 0) {
      vec3_addmul(out->u, q->c[s], k[s]->r);
      if (rates) vec3_addmul(out->du, q->c[s], k[s]->v);
    }
    out->on[s] = !is_zero(q->x[s]);
    if (!out->on[s]) continue;
    mat3_vec(out->rho[s], k[s]->A, q->x[s]);
    vec3_add(out->u, out->u, out->rho[s]);
    if (!rates) continue;
    vec3_cross(out->drho[s], k[s]->W, out->rho[s]);
    vec3_cross(out->ddrho[s], k[s]->W, out->drho[s]);
    vec3_add(out->du, out->du, out->drho[s]);
    vec3_add(out->ddu, out->ddu, out->ddrho[s]);
  }
}

/* u alone */
static void value_of(const tni_vecq *q, const tni_kin *const k[2], double u[3]) {
  vec3_copy(u, q->g);
  for (int s = 0; s < 2; s++) {
    double rho[3];
    if (q->c[s] != 0) vec3_addmul(u, q->c[s], k[s]->r);
    if (is_zero(q->x[s])) continue;
    mat3_vec(rho, k[s]->A, q->x[s]);
    vec3_add(u, u, rho);
  }
}

void tni_scalar_separation(const tni_scalar *s, const tni_kin *k0, const tni_kin *k1, double d[3]) {
  const tni_kin *const k[2] = {k0, k1};
  value_of(&s->term[0].a, k, d);
}

static double value_of_sum(const tni_scalar *s, int first, int last, const tni_kin *const k[2]) {
  double sum = 0;
  for (int n = first; n < last; n++) {
    double a[3], b[3];
    value_of(&s->term[n].a, k, a);
    value_of(&s->term[n].b, k, b);
    sum += s->term[n].weight*vec3_dot(a, b);
  }
  return sum;
}

/* row of weight * (D u . e) per slot, added: translation c e, rotation A^T (rho x e) */
static void add_row(double row[12], double weight, const tni_vecq *q, const bool on[2],
                    const double rho[2][3], const double e[3], const tni_kin *const k[2],
                    bool translation) {
  for (int s = 0; s < 2; s++) {
    if (translation && q->c[s] != 0) vec3_addmul(row + 6*s, weight*q->c[s], e);
    if (!on[s]) continue;
    double g[3], l[3];
    vec3_cross(g, rho[s], e);
    mat3_tvec(l, k[s]->A, g);
    vec3_addmul(row + 6*s + 3, weight, l);
  }
}

/* 3 x 12 matrix of D u; slot s has entries in columns 6 s + from[s] to 6 s + to[s] */
typedef struct {
  double U[36];
  int from[2], to[2];
} map;

static void fill_map(map *m, const tni_vecq *q, const quantity *a, const tni_kin *const k[2]) {
  for (int s = 0; s < 2; s++) {
    bool moves = q->c[s] != 0;
    m->from[s] = moves ? 0 : 3;
    m->to[s] = a->on[s] ? 6 : 3;
    for (int i = 0; i < 3; i++) {
      double *row = m->U + 12*i + 6*s;
      for (int j = 0; j < 3 && moves; j++) row[j] = i == j ? q->c[s] : 0;
      if (!a->on[s]) continue;
      /* row i of -~rho A is e_i . (A e_j x rho) */
      const double *r = a->rho[s], *A = k[s]->A;
      int p = (i + 1) % 3, t = (i + 2) % 3;
      for (int j = 0; j < 3; j++) row[3 + j] = A[3*p + j]*r[t] - A[3*t + j]*r[p];
    }
  }
}

/* B += weight (Ua^T Ub + Ub^T Ua) */
static void add_products(double B[144], double weight, const map *a, const map *b) {
  for (int s = 0; s < 2; s++) {
    for (int t = 0; t < 2; t++) {
      for (int i = a->from[s]; i < a->to[s]; i++) {
        const double *x = a->U + 6*s + i, *y = b->U + 6*t;
        double x0 = weight*x[0], x1 = weight*x[12], x2 = weight*x[24], *out = B + 12*(6*s + i) + 6*t;
        for (int j = b->from[t]; j < b->to[t]; j++) {
          double product = x0*y[j] + x1*y[12 + j] + x2*y[24 + j];
          out[j] += product;
          B[12*(6*t + j) + 6*s + i] += product;
        }
      }
    }
  }
}

/* weight * b . (Delta x (Omega x rho)) = Omega^T (b rho^T - (b.rho) I) Delta, in body axes */
static void add_rotation_block(double B[144], double weight, const tni_vecq *q, const double b[3],
                               const tni_kin *const k[2]) {
  for (int s = 0; s < 2; s++) {
    const double *x = q->x[s];
    if (is_zero(x)) continue;
    double bl[3];
    mat3_tvec(bl, k[s]->A, b);
    double bx = vec3_dot(bl, x);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        B[12*(6*s + 3 + i) + 6*s + 3 + j] += weight*(bl[i]*x[j] - (i == j)*bx);
  }
}

/* out = sum over terms first..last-1 of weight (a . b) */
static void eval_sum(const tni_scalar *s, int first, int last, const tni_kin *const k[2],
                     unsigned what, tni_scalar_out *out) {
  bool rates = what & (TNI_S_RATE | TNI_S_SECOND);
  out->s = out->rate = out->bias = 0;
  memset(out->J, 0, sizeof(out->J));
  if (what & TNI_S_SECOND) memset(out->B, 0, sizeof(out->B));
  if (what & TNI_S_BIAS_Q) memset(out->bias_q, 0, sizeof(out->bias_q));
  for (int n = first; n < last; n++) {
    double weight = s->term[n].weight;
    const tni_vecq *qa = &s->term[n].a, *qb = &s->term[n].b;
    quantity a, b;
    evaluate(qa, k, rates, &a);
    evaluate(qb, k, rates, &b);
    out->s += weight*vec3_dot(a.u, b.u);
    if (what & (TNI_S_JACOBIAN | TNI_S_RATE | TNI_S_SECOND)) {
      add_row(out->J, weight, qa, a.on, a.rho, b.u, k, true);
      add_row(out->J, weight, qb, b.on, b.rho, a.u, k, true);
    }
    if (rates) {
      out->rate += weight*(vec3_dot(a.du, b.u) + vec3_dot(a.u, b.du));
      out->bias += weight*(vec3_dot(a.ddu, b.u) + 2*vec3_dot(a.du, b.du) + vec3_dot(a.u, b.ddu));
    }
    if (what & TNI_S_SECOND) {
      map Ua, Ub;
      fill_map(&Ua, qa, &a, k);
      fill_map(&Ub, qb, &b, k);
      add_products(out->B, weight, &Ua, &Ub);
      add_rotation_block(out->B, weight, qa, b.u, k);
      add_rotation_block(out->B, weight, qb, a.u, k);
    }
    if (what & TNI_S_BIAS_Q) {
      /* d(a'' . b + 2 a' . b' + a . b''): body-fixed parts turn with the body */
      add_row(out->bias_q, weight, qa, a.on, a.ddrho, b.u, k, false);
      add_row(out->bias_q, weight, qb, b.on, b.rho, a.ddu, k, true);
      add_row(out->bias_q, 2*weight, qa, a.on, a.drho, b.du, k, false);
      add_row(out->bias_q, 2*weight, qb, b.on, b.drho, a.du, k, false);
      add_row(out->bias_q, weight, qb, b.on, b.ddrho, a.u, k, false);
      add_row(out->bias_q, weight, qa, a.on, a.rho, b.ddu, k, true);
    }
  }
}

/* the same for u . u alone, half the work */
static void eval_square(const tni_vecq *q, const tni_kin *const k[2], unsigned what,
                        tni_scalar_out *out) {
  bool rates = what & (TNI_S_RATE | TNI_S_SECOND);
  quantity a;
  evaluate(q, k, rates, &a);
  out->s = vec3_dot(a.u, a.u);
  out->rate = out->bias = 0;
  if (what == TNI_S_VALUE) return;
  memset(out->J, 0, sizeof(out->J));
  add_row(out->J, 2, q, a.on, a.rho, a.u, k, true);
  if (rates) {
    out->rate = 2*vec3_dot(a.du, a.u);
    out->bias = 2*(vec3_dot(a.ddu, a.u) + vec3_dot(a.du, a.du));
  }
  if (!(what & TNI_S_SECOND)) return;
  map m;
  fill_map(&m, q, &a, k);
  memset(out->B, 0, sizeof(out->B));
  for (int s = 0; s < 2; s++) {
    for (int i = m.from[s]; i < m.to[s]; i++) {
      const double *x = m.U + 6*s + i;
      double x0 = 2*x[0], x1 = 2*x[12], x2 = 2*x[24];
      for (int t = 0; t < 2; t++) {
        const double *y = m.U + 6*t;
        double *to = out->B + 12*(6*s + i) + 6*t;
        for (int j = m.from[t]; j < m.to[t]; j++) to[j] = x0*y[j] + x1*y[12 + j] + x2*y[24 + j];
      }
    }
  }
  add_rotation_block(out->B, 2, q, a.u, k);
  if (!(what & TNI_S_BIAS_Q)) return;
  memset(out->bias_q, 0, sizeof(out->bias_q));
  add_row(out->bias_q, 2, q, a.on, a.ddrho, a.u, k, false);
  add_row(out->bias_q, 4, q, a.on, a.drho, a.du, k, false);
  add_row(out->bias_q, 2, q, a.on, a.rho, a.ddu, k, true);
}

/* v^T B of both slots: derivative of the rate by the pose */
static void rate_gradient(const double B[144], const tni_kin *const k[2], double out[12]) {
  double v[12];
  for (int s = 0; s < 2; s++) {
    vec3_copy(v + 6*s, k[s]->v);
    vec3_copy(v + 6*s + 3, k[s]->w);
  }
  for (int j = 0; j < 12; j++) out[j] = 0;
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) out[j] += v[i]*B[12*i + j];
}

/* derivatives of the outer function F(x0, x1): first, second (00, 01, 11), third (000 001 011 111) */
typedef struct {
  double d1[2], d2[3], d3[4];
} outer;

/* chain rule for F(x0, x1); n = 1 or 2 inner sums */
static void compose(const outer *f, const tni_scalar_out in[2], int n, const tni_kin *const k[2],
                    unsigned what, tni_scalar_out *out) {
  /* symmetric derivative tensors by number of indices that are 1 */
  for (int j = 0; j < 12; j++) {
    out->J[j] = 0;
    for (int p = 0; p < n; p++) out->J[j] += f->d1[p]*in[p].J[j];
  }
  out->rate = out->bias = 0;
  for (int p = 0; p < n; p++) {
    out->rate += f->d1[p]*in[p].rate;
    out->bias += f->d1[p]*in[p].bias;
    for (int r = 0; r < n; r++) out->bias += f->d2[p + r]*in[p].rate*in[r].rate;
  }
  if (!(what & TNI_S_SECOND)) return;
  for (int i = 0; i < 12; i++) {
    double *B = out->B + 12*i, by_J[2] = {0, 0}; /* factors of the J */
    for (int p = 0; p < n; p++)
      for (int r = 0; r < n; r++) by_J[r] += f->d2[p + r]*in[p].J[i];
    for (int j = 0; j < 12; j++) B[j] = f->d1[0]*in[0].B[12*i + j] + by_J[0]*in[0].J[j];
    for (int j = 0; j < 12 && n > 1; j++) B[j] += f->d1[1]*in[1].B[12*i + j] + by_J[1]*in[1].J[j];
  }
  if (!(what & TNI_S_BIAS_Q)) return;
  double rate_q[2][12];
  for (int p = 0; p < n; p++) rate_gradient(in[p].B, k, rate_q[p]);
  for (int j = 0; j < 12; j++) {
    double sum = 0;
    for (int p = 0; p < n; p++) {
      sum += f->d1[p]*in[p].bias_q[j];
      for (int r = 0; r < n; r++) {
        sum += f->d2[p + r]*(in[p].bias*in[r].J[j] + 2*in[p].rate*rate_q[r][j]);
        for (int l = 0; l < n; l++) sum += f->d3[p + r + l]*in[p].rate*in[r].rate*in[l].J[j];
      }
    }
    out->bias_q[j] = sum;
  }
}

/* |d| without second derivatives. The commonest scalar of springs and rods: written out, because both
 * factors of the general term are the same d.
 *   J = e . Dd,  rate = e . d',  bias = e . d'' + (d'.d' - rate^2)/l,   e = d/l               */
static void eval_distance(const tni_scalar *s, const tni_kin *const k[2], unsigned what,
                          tni_scalar_out *out) {
  const tni_vecq *q = &s->term[0].a;
  bool rates = what & TNI_S_RATE;
  quantity d;
  double e[3];
  evaluate(q, k, rates, &d);
  double l = vec3_norm(d.u);
  out->s = s->offset + l;
  if (what == TNI_S_VALUE) return;
  vec3_scale(e, 1/l, d.u);
  memset(out->J, 0, sizeof(out->J));
  add_row(out->J, 1, q, d.on, (const double(*)[3])d.rho, e, k, true);
  if (!rates) return;
  out->rate = vec3_dot(e, d.du);
  out->bias = vec3_dot(e, d.ddu) + (vec3_dot(d.du, d.du) - out->rate*out->rate)/l;
}

static void eval_length(const tni_scalar *s, const tni_kin *const k[2], unsigned what,
                        tni_scalar_out *out) {
  if (!(what & TNI_S_SECOND)) {
    eval_distance(s, k, what, out);
    return;
  }
  tni_scalar_out in[2];
  eval_square(&s->term[0].a, k, what, &in[0]);
  double l = sqrt(in[0].s);
  out->s = s->offset + l;
  if (what == TNI_S_VALUE) return;
  outer f = {{1/(2*l), 0}, {-1/(4*l*l*l), 0, 0}, {3/(8*l*l*l*l*l), 0, 0, 0}};
  compose(&f, in, 1, k, what, out);
}

static const double TURN = 6.283185307179586476925286766559;

/* u = A_slot x alone */
static bool is_direction(const tni_vecq *u, int slot) {
  return is_zero(u->g) && u->c[0] == 0 && u->c[1] == 0 && is_zero(u->x[1-slot]);
}

bool tni_scalar_is_twist(const tni_scalar *s, tni_twist *out) {
  static const double weight[4] = {1, -1, 1, 1};
  if (s->kind != TNI_SCALAR_ANGLE || s->nterm != 4 || s->nsin != 2) return false;
  for (int i = 0; i < 4; i++)
    if (s->term[i].weight != weight[i] || !is_direction(&s->term[i].a, 0) ||
        !is_direction(&s->term[i].b, 1))
      return false;
  vec3_copy(out->y[0], s->term[0].a.x[0]);
  vec3_copy(out->x[1], s->term[0].b.x[1]);
  vec3_copy(out->x[0], s->term[1].a.x[0]);
  vec3_copy(out->y[1], s->term[1].b.x[1]);
  out->offset = s->offset;
  size_t n = 3*sizeof(double);
  return memcmp(s->term[2].a.x[0], out->x[0], n) == 0 &&
         memcmp(s->term[2].b.x[1], out->x[1], n) == 0 &&
         memcmp(s->term[3].a.x[0], out->y[0], n) == 0 &&
         memcmp(s->term[3].b.x[1], out->y[1], n) == 0;
}

double tni_twist_value(const tni_twist *t, const tni_kin *k0, const tni_kin *k1, double last) {
  double x[2][3], y[2][3];
  mat3_vec(x[0], k0->A, t->x[0]);
  mat3_vec(y[0], k0->A, t->y[0]);
  mat3_vec(x[1], k1->A, t->x[1]);
  mat3_vec(y[1], k1->A, t->y[1]);
  double angle = t->offset + atan2(vec3_dot(y[0], x[1]) - vec3_dot(x[0], y[1]),
                                   vec3_dot(x[0], x[1]) + vec3_dot(y[0], y[1]));
  return angle - TURN*round((angle - last)/TURN);
}

/* theta = Im log z, z = C + iS: derivatives are real or imaginary parts of 1/z, 1/z^2, 1/z^3 */
static void eval_angle(const tni_scalar *s, const tni_kin *const k[2], double last, unsigned what,
                       tni_scalar_out *out) {
  if (what == TNI_S_VALUE) {
    double S = value_of_sum(s, 0, s->nsin, k), C = value_of_sum(s, s->nsin, s->nterm, k);
    double angle = s->offset + atan2(S, C);
    out->s = angle - TURN*round((angle - last)/TURN);
    return;
  }
  tni_scalar_out in[2];
  eval_sum(s, 0, s->nsin, k, what, &in[0]);
  eval_sum(s, s->nsin, s->nterm, k, what, &in[1]);
  double S = in[0].s, C = in[1].s, D = S*S + C*C;
  double angle = s->offset + atan2(S, C);
  out->s = angle - TURN*round((angle - last)/TURN);
  double re1 = C/D, im1 = -S/D;
  double re2 = re1*re1 - im1*im1, im2 = 2*re1*im1;
  double re3 = re2*re1 - im2*im1, im3 = re2*im1 + im2*re1;
  /* index 0 is S, index 1 is C */
  outer f = {{re1, im1}, {im2, -re2, -im2}, {-2*re3, -2*im3, 2*re3, 2*im3}};
  compose(&f, in, 2, k, what, out);
}

void tni_scalar_eval(const tni_scalar *s, const tni_kin *k0, const tni_kin *k1, double last,
                     unsigned what, tni_scalar_out *out) {
  const tni_kin *const k[2] = {k0, k1};
  switch (s->kind) {
    case TNI_SCALAR_DOT:
      eval_sum(s, 0, s->nterm, k, what, out);
      out->s += s->offset;
      break;
    case TNI_SCALAR_LENGTH: eval_length(s, k, what, out); break;
    case TNI_SCALAR_ANGLE: eval_angle(s, k, last, what, out); break;
  }
}
