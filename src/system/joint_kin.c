/* system/joint_kin.c - recursive kinematics of the tree, and its transpose for forces
 *
 *   A1 = A0 Q(q)                    r1 = r0 + e + c
 *   W1 = W0 + w                     v1 = v0 + W0 x e + u + W1 x c
 *   beta1 = beta0 + W0 x w + x      b1 = b0 + beta0 x e + W0 x (W0 x e) + 2 W0 x u
 *                                        + beta1 x c + W1 x (W1 x c)
 *
 * (u; w) = S v is the motion that the joint adds. Its axes are carried by the inboard body, or by
 * the body itself (ball joint), which gives the same W0 x w; only a universal joint has one of each
 * and the extra term x = (v_1 times first axis) x (v_2 times second axis).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "system/joint.h"

/* rotation about the z (axis 2) or y (axis 1) axis */
static void turn(double R[9], int axis, double angle) {
  double c = cos(angle), s = sin(angle);
  memset(R, 0, 9*sizeof(double));
  if (axis == 2) {
    R[0] = c, R[1] = -s, R[3] = s, R[4] = c, R[8] = 1;
  } else {
    R[0] = c, R[2] = s, R[6] = -s, R[8] = c, R[4] = 1;
  }
}

/* what a joint gives to the kinematics of its link */
typedef struct motion {
  double e[3], u[3], w[3], x[3];
} motion;

static TNI_ALWAYS_INLINE void turn_about_axis(const tni_jlink *l, double angle,
                                              const double A0[9], double A1[9]) {
  double Q[9], s = sin(angle), c = cos(angle);
  for (int i = 0; i < 9; i++) Q[i] = l->K[0][i] + c*l->K[1][i] + s*l->K[2][i];
  mat3_mul(A1, A0, Q);
}

/* first axis fixed in the inboard body, second in the body; swapped: y and z change places */
static void move_universal(const tni_jlink *l, const tni_frame *frame, const double *q,
                           const double *v, const double A0[9], double A1[9], double *S,
                           motion *m) {
  int first = l->swapped ? 1 : 0, second = 1 - first; /* coordinate of the first axis */
  double sign = l->swapped ? -1 : 1;
  double X0[9], Ra[9], Rb[9], R[9], X1[9], a[3], b[3];
  mat3_mul(X0, A0, frame[0].R);
  turn(Ra, l->swapped ? 1 : 2, sign*q[first]);
  turn(Rb, l->swapped ? 2 : 1, sign*q[second]);
  mat3_mul(R, Ra, Rb);
  mat3_mul(X1, X0, R);
  mat3_mult(A1, X1, frame[1].R);
  mat3_column(a, X0, l->swapped ? 1 : 2);
  mat3_column(b, X1, l->swapped ? 2 : 1);
  vec3_scale(a, sign, a);
  vec3_scale(b, sign, b);
  vec3_copy(S + 6*first + 3, a);
  vec3_copy(S + 6*second + 3, b);
  vec3_cross(m->x, a, b);
  vec3_scale(m->x, v[first]*v[second], m->x);
}

static void move_spherical(const tni_frame *frame, const double *q, const double A0[9],
                           double A1[9], double *S) {
  double R[9], X0[9], X1[9];
  quat_matrix(R, q);
  mat3_mul(X0, A0, frame[0].R);
  mat3_mul(X1, X0, R);
  mat3_mult(A1, X1, frame[1].R);
  for (int i = 0; i < 3; i++) mat3_column(S + 6*i + 3, X1, i);
}

/* every joint but the revolute: A1, S, and what it adds to the motion */
static void move(const tni_jlink *l, const tni_frame *frame, const double *q, const double *v,
                 const double A0[9], double A1[9], double *S, motion *m) {
  double a[3], X0[9];
  memset(m, 0, sizeof(*m));
  mat3_vec(m->e, A0, l->s);
  switch (l->kind) {
    case TNI_MOBIL_FIXED: mat3_mul(A1, A0, l->K[0]); break;
    case TNI_MOBIL_PRISMATIC:
      mat3_mul(A1, A0, l->K[0]);
      mat3_vec(S, A0, l->z);
      vec3_addmul(m->e, q[0], S);
      break;
    case TNI_MOBIL_CYLINDER:
      turn_about_axis(l, q[1], A0, A1);
      mat3_vec(S, A1, l->z);
      vec3_copy(S + 9, S);
      vec3_addmul(m->e, q[0], S);
      break;
    case TNI_MOBIL_SCREW:
      turn_about_axis(l, q[0], A0, A1);
      mat3_vec(a, A1, l->z);
      vec3_copy(S + 3, a);
      vec3_scale(S, l->h, a);
      vec3_addmul(m->e, q[0], S);
      break;
    case TNI_MOBIL_PLANAR:
      turn_about_axis(l, q[2], A0, A1);
      mat3_mul(X0, A0, frame[0].R);
      mat3_column(S, X0, 0);
      mat3_column(S + 6, X0, 1);
      mat3_column(S + 15, X0, 2);
      vec3_addmul(m->e, q[0], S);
      vec3_addmul(m->e, q[1], S + 6);
      break;
    case TNI_MOBIL_UNIVERSAL: move_universal(l, frame, q, v, A0, A1, S, m); break;
    case TNI_MOBIL_SPHERICAL: move_spherical(frame, q, A0, A1, S); break;
    case TNI_MOBIL_POINT:
    case TNI_MOBIL_POINT2: /* place in the ground */
      mat3_mul(A1, A0, l->K[0]);
      for (int i = 0; i < l->nv; i++) {
        S[6*i + i] = 1;
        m->e[i] += q[i];
      }
      break;
    default: /* free: centre of mass in the ground, angular velocity in the body */
      vec3_copy(m->e, q);
      quat_matrix(A1, q + 3);
      for (int i = 0; i < 3; i++) {
        S[6*i + i] = 1;
        mat3_column(S + 6*(3 + i) + 3, A1, i);
      }
  }
  for (int i = 0; i < l->nv; i++) {
    vec3_addmul(m->u, v[i], S + 6*i);
    vec3_addmul(m->w, v[i], S + 6*i + 3);
  }
}

void tni_joint_axes(const tni_jlink *l, const tni_frame *frame, const double *q,
                    const double A0[9], double *S) {
  static const double rest[6] = {0};
  double A1[9];
  motion m;
  if (l->kind == TNI_MOBIL_REVOLUTE) {
    turn_about_axis(l, q[0], A0, A1);
    mat3_vec(S + 3, A1, l->z);
  } else {
    move(l, frame, q, rest, A0, A1, S, &m);
  }
}

/* Position, velocity and bias of one link; slides: the joint may move P (u) or have the term x. */
static TNI_ALWAYS_INLINE void advance(const tni_jlink *l, const tni_kin *k0, const tni_jstate *s0,
                                      const motion *m, bool slides, tni_kin *k1, tni_jstate *s1) {
  double c[3], W[3], beta[3], We[3], Wc[3], x[3], y[3];
  mat3_vec(c, k1->A, l->c);
  vec3_add(W, k0->W, m->w);
  vec3_cross(We, k0->W, m->e);
  vec3_cross(Wc, W, c);
  vec3_cross(x, k0->W, m->w);
  mat3_tvec(k1->w, k1->A, W);
  for (int i = 0; i < 3; i++) {
    s1->c[i] = c[i];
    s1->d[i] = s0->c[i] + m->e[i];
    k1->r[i] = k0->r[i] + (m->e[i] + c[i]);
    k1->W[i] = W[i];
    k1->v[i] = k0->v[i] + (We[i] + Wc[i]);
    beta[i] = s0->beta[i] + x[i];
  }
  if (slides)
    for (int i = 0; i < 3; i++) {
      k1->v[i] += m->u[i];
      beta[i] += m->x[i];
      We[i] += 2*m->u[i];
    }
  /* g: all but beta x c, which the inertia about P takes over */
  double g[3];
  vec3_cross(x, s0->beta, m->e);
  vec3_cross(y, k0->W, We);
  for (int i = 0; i < 3; i++) g[i] = s0->b[i] + (x[i] + y[i]);
  vec3_cross(x, W, Wc);
  vec3_cross(y, beta, c);
  for (int i = 0; i < 3; i++) {
    g[i] += x[i];
    s1->g[i] = g[i];
    s1->b[i] = g[i] + y[i];
    s1->beta[i] = beta[i];
  }
}

/* out of line, so that the loop below stays small */
static TNI_NOINLINE void advance_any(tni_jsys *s, int k, const double *q, const double *v) {
  const tni_jlink *l = &s->link[k];
  const tni_kin *k0 = &s->base.kin[l->kin0];
  tni_kin *k1 = &s->base.kin[l->kin];
  motion m;
  move(l, s->frame[k], q, v, k0->A, k1->A, s->S + 6*l->vadr, &m);
  advance(l, k0, &s->state[l->parent + 1], &m, true, k1, &s->state[k + 1]);
}

void tni_joint_kin(tni_jsys *s, const double *q, const double *v) {
  static const double rest[6] = {0};
  tni_kin *kin = s->base.kin;
  tni_stands(&s->base, q, v);
  for (int k = 0; k < s->nlink; k++) {
    const tni_jlink *l = &s->link[k];
    const double *vk = v ? v + l->vadr : rest;
    tni_joint_fetch_body(s, k + TNI_JOINT_AHEAD);
    if (l->kind != TNI_MOBIL_REVOLUTE) {
      advance_any(s, k, q + l->qadr, vk);
      continue;
    }
    const tni_kin *k0 = &kin[l->kin0];
    tni_kin *k1 = &kin[l->kin];
    double *S = s->S + 6*l->vadr;
    motion m;
    turn_about_axis(l, q[l->qadr], k0->A, k1->A);
    mat3_vec(m.e, k0->A, l->s);
    mat3_vec(S + 3, k1->A, l->z);
    vec3_scale(m.w, vk[0], S + 3);
    advance(l, k0, &s->state[l->parent + 1], &m, false, k1, &s->state[k + 1]);
  }
}

void tni_joint_acc(tni_jsys *s, const double *a) {
  const tni_kin *kin = s->base.kin;
  double *A6 = s->a6; /* acceleration of P and angular acceleration due to v' alone */
  memset(A6, 0, 6*sizeof(double));
  for (int k = 0; k < s->nlink; k++) {
    const tni_jlink *l = &s->link[k];
    const tni_jstate *st = &s->state[k + 1];
    const double *a0 = A6 + 6*(l->parent + 1);
    double *a1 = A6 + 6*(k + 1), x[3], alpha[3];
    vec3_cross(x, a0 + 3, st->d);
    vec3_add(a1, a0, x);
    vec3_copy(a1 + 3, a0 + 3);
    for (int i = 0; i < l->nv; i++)
      for (int j = 0; j < 6; j++) a1[j] += a[l->vadr + i]*s->S[6*(l->vadr + i) + j];
    double *out = s->base.acc + 6*(l->kin - 1);
    vec3_cross(x, a1 + 3, st->c);
    for (int i = 0; i < 3; i++) {
      out[i] = a1[i] + x[i] + st->b[i];
      alpha[i] = a1[i + 3] + st->beta[i];
    }
    mat3_tvec(out + 3, kin[l->kin].A, alpha);
  }
}

void tni_joint_generalized(tni_jsys *s, const double *f, double *r) {
  double *P = s->work6;
  for (int k = s->nlink - 1; k >= 0; k--) {
    const tni_jlink *l = &s->link[k];
    double *p = P + 6*k, own[6], J[6];
    tni_joint_turn_inertia(l, s->base.kin[l->kin].A, J);
    tni_joint_bias(s, k, J, f, own);
    for (int i = 0; i < 6; i++) own[i] += p[i], p[i] = 0;
    for (int i = 0; i < l->nv; i++) {
      const double *S = s->S + 6*(l->vadr + i);
      r[l->vadr + i] = -(vec3_dot(S, own) + vec3_dot(S + 3, own + 3));
    }
    if (l->parent >= 0) tni_joint_carry(s, k, own, P + 6*l->parent);
  }
}
