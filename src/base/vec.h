/* base/vec.h - 3-vectors, 3x3 matrices (row-major), Euler parameters (unit quaternions)
 *
 * Result first, like an assignment: mat3_mul(R_AC, R_AB, R_BC). Results may not alias inputs
 * unless the comment says so. Conventions: R_AB takes components in B to A; Euler parameters
 * p = (e0, e1, e2, e3), A(p) = (e0^2 - e.e) I + 2 e e^T + 2 e0 ~e.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_VEC_H
#define TNI_VEC_H

#include <math.h>
#include <string.h>

static inline void vec3_set(double r[3], double x, double y, double z) {
  r[0] = x;
  r[1] = y;
  r[2] = z;
}
static inline void vec3_copy(double r[3], const double a[3]) {
  double x = a[0], y = a[1], z = a[2];
  vec3_set(r, x, y, z);
}
static inline void vec3_add(double r[3], const double a[3], const double b[3]) { /* may alias */
  for (int i = 0; i < 3; i++) r[i] = a[i] + b[i];
}
static inline void vec3_sub(double r[3], const double a[3], const double b[3]) { /* may alias */
  for (int i = 0; i < 3; i++) r[i] = a[i] - b[i];
}
static inline void vec3_scale(double r[3], double s, const double a[3]) { /* may alias */
  for (int i = 0; i < 3; i++) r[i] = s*a[i];
}
static inline void vec3_addmul(double r[3], double s, const double a[3]) { /* r += s a */
  for (int i = 0; i < 3; i++) r[i] += s*a[i];
}
static inline double vec3_dot(const double a[3], const double b[3]) {
  return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}
static inline double vec3_norm(const double a[3]) { return sqrt(vec3_dot(a, a)); }
static inline void vec3_cross(double r[3], const double a[3], const double b[3]) { /* may alias */
  double x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
  vec3_set(r, x, y, z);
}
/* a/|a|; returns |a|, leaves r untouched when it is 0 */
static inline double vec3_normalize(double r[3], const double a[3]) {
  double n = vec3_norm(a);
  if (n > 0) vec3_scale(r, 1/n, a);
  return n;
}
/* a unit vector normal to the unit vector a, the same for the same a */
static inline void vec3_perpendicular(double r[3], const double a[3]) {
  double e[3] = {0, 0, 0}, ax = fabs(a[0]), ay = fabs(a[1]), az = fabs(a[2]);
  /* the coordinate axis least aligned with a, x first so that planar models keep x */
  int k = ax <= ay && ax <= az ? 0 : (ay <= az ? 1 : 2);
  if (ax <= 1e-8) k = 0;
  e[k] = 1;
  double c = vec3_dot(e, a);
  vec3_addmul(e, -c, a);
  vec3_scale(r, 1/vec3_norm(e), e); /* |e| >= 0.57 for a unit a */
}

static inline void mat3_identity(double R[9]) {
  memset(R, 0, 9*sizeof(double));
  R[0] = R[4] = R[8] = 1;
}
static inline void mat3_vec(double r[3], const double M[9], const double a[3]) { /* may alias */
  double x = M[0]*a[0] + M[1]*a[1] + M[2]*a[2];
  double y = M[3]*a[0] + M[4]*a[1] + M[5]*a[2];
  double z = M[6]*a[0] + M[7]*a[1] + M[8]*a[2];
  vec3_set(r, x, y, z);
}
static inline void mat3_tvec(double r[3], const double M[9], const double a[3]) { /* M^T a */
  double x = M[0]*a[0] + M[3]*a[1] + M[6]*a[2];
  double y = M[1]*a[0] + M[4]*a[1] + M[7]*a[2];
  double z = M[2]*a[0] + M[5]*a[1] + M[8]*a[2];
  vec3_set(r, x, y, z);
}
static inline void mat3_mul(double C[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3*i+j] = A[3*i]*B[j] + A[3*i+1]*B[3+j] + A[3*i+2]*B[6+j];
}
static inline void mat3_tmul(double C[9], const double A[9], const double B[9]) { /* A^T B */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3*i+j] = A[i]*B[j] + A[3+i]*B[3+j] + A[6+i]*B[6+j];
}
static inline void mat3_mult(double C[9], const double A[9], const double B[9]) { /* A B^T */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3*i+j] = A[3*i]*B[3*j] + A[3*i+1]*B[3*j+1] + A[3*i+2]*B[3*j+2];
}
static inline void mat3_column(double r[3], const double M[9], int j) {
  vec3_set(r, M[j], M[3+j], M[6+j]);
}
static inline void mat3_columns(double M[9], const double x[3], const double y[3],
                                const double z[3]) {
  for (int i = 0; i < 3; i++) {
    M[3*i] = x[i];
    M[3*i+1] = y[i];
    M[3*i+2] = z[i];
  }
}
static inline void mat3_skew(double S[9], const double a[3]) { /* ~a b = a x b */
  S[0] = 0, S[1] = -a[2], S[2] = a[1];
  S[3] = a[2], S[4] = 0, S[5] = -a[0];
  S[6] = -a[1], S[7] = a[0], S[8] = 0;
}
static inline double mat3_det(const double M[9]) {
  return M[0]*(M[4]*M[8] - M[5]*M[7]) - M[1]*(M[3]*M[8] - M[5]*M[6]) +
         M[2]*(M[3]*M[7] - M[4]*M[6]);
}
/* inverse; the caller knows that the determinant is not 0 */
static inline void mat3_inverse(double R[9], const double M[9]) {
  double s = 1/mat3_det(M);
  R[0] = s*(M[4]*M[8] - M[5]*M[7]), R[1] = s*(M[2]*M[7] - M[1]*M[8]);
  R[2] = s*(M[1]*M[5] - M[2]*M[4]), R[3] = s*(M[5]*M[6] - M[3]*M[8]);
  R[4] = s*(M[0]*M[8] - M[2]*M[6]), R[5] = s*(M[2]*M[3] - M[0]*M[5]);
  R[6] = s*(M[3]*M[7] - M[4]*M[6]), R[7] = s*(M[1]*M[6] - M[0]*M[7]);
  R[8] = s*(M[0]*M[4] - M[1]*M[3]);
}

/* eigenvalues of a symmetric 3x3 matrix by cyclic Jacobi rotations */
static inline void mat3_eigenvalues(const double I[9], double e[3]) {
  double A[9];
  memcpy(A, I, sizeof(A));
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = A[1]*A[1] + A[2]*A[2] + A[5]*A[5], on = A[0]*A[0] + A[4]*A[4] + A[8]*A[8];
    if (off <= 1e-34*on) break; /* less than the rounding of the eigenvalues */
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (A[3*p+q] == 0) continue;
        double theta = (A[4*q] - A[4*p])/(2*A[3*p+q]);
        double t = (theta >= 0 ? 1 : -1)/(fabs(theta) + sqrt(theta*theta + 1));
        double c = 1/sqrt(t*t + 1), s = t*c;
        for (int k = 0; k < 3; k++) {
          double x = A[3*k+p], y = A[3*k+q];
          A[3*k+p] = c*x - s*y;
          A[3*k+q] = s*x + c*y;
        }
        for (int k = 0; k < 3; k++) {
          double x = A[3*p+k], y = A[3*q+k];
          A[3*p+k] = c*x - s*y;
          A[3*q+k] = s*x + c*y;
        }
      }
  }
  for (int i = 0; i < 3; i++) e[i] = A[4*i];
}

static inline void quat_mul(double r[4], const double a[4], const double b[4]) { /* may alias */
  double w = a[0]*b[0] - a[1]*b[1] - a[2]*b[2] - a[3]*b[3];
  double x = a[0]*b[1] + a[1]*b[0] + a[2]*b[3] - a[3]*b[2];
  double y = a[0]*b[2] - a[1]*b[3] + a[2]*b[0] + a[3]*b[1];
  double z = a[0]*b[3] + a[1]*b[2] - a[2]*b[1] + a[3]*b[0];
  r[0] = w, r[1] = x, r[2] = y, r[3] = z;
}
static inline void quat_normalize(double p[4]) {
  double s = 1/sqrt(p[0]*p[0] + p[1]*p[1] + p[2]*p[2] + p[3]*p[3]);
  for (int i = 0; i < 4; i++) p[i] *= s;
}
/* rotation matrix of p, exact rotation also when |p| has drifted from 1 */
static inline void quat_matrix(double A[9], const double p[4]) {
  double w = p[0], x = p[1], y = p[2], z = p[3];
  double s = 2/(w*w + x*x + y*y + z*z);
  A[0] = 1 - s*(y*y + z*z), A[1] = s*(x*y - w*z), A[2] = s*(x*z + w*y);
  A[3] = s*(x*y + w*z), A[4] = 1 - s*(x*x + z*z), A[5] = s*(y*z - w*x);
  A[6] = s*(x*z - w*y), A[7] = s*(y*z + w*x), A[8] = 1 - s*(x*x + y*y);
}
/* Euler parameters of a rotation matrix, e0 >= 0 */
static inline void quat_from_matrix(double p[4], const double A[9]) {
  double t[4] = {1 + A[0] + A[4] + A[8], 1 + A[0] - A[4] - A[8], 1 - A[0] + A[4] - A[8],
                 1 - A[0] - A[4] + A[8]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  double s = 0.5/sqrt(t[k]), d = 0.5*sqrt(t[k]);
  switch (k) {
    case 0: p[0] = d, p[1] = s*(A[7] - A[5]), p[2] = s*(A[2] - A[6]), p[3] = s*(A[3] - A[1]); break;
    case 1: p[0] = s*(A[7] - A[5]), p[1] = d, p[2] = s*(A[1] + A[3]), p[3] = s*(A[2] + A[6]); break;
    case 2: p[0] = s*(A[2] - A[6]), p[1] = s*(A[1] + A[3]), p[2] = d, p[3] = s*(A[5] + A[7]); break;
    default: p[0] = s*(A[3] - A[1]), p[1] = s*(A[2] + A[6]), p[2] = s*(A[5] + A[7]), p[3] = d;
  }
  if (p[0] < 0)
    for (int i = 0; i < 4; i++) p[i] = -p[i];
}
/* Euler parameters of the rotation vector u = angle * axis. Steps turn by little: there the series
 * are exact to rounding and cost a tenth of sin and cos. */
static inline void quat_from_vector(double p[4], const double u[3]) {
  double a2 = 0.25*vec3_dot(u, u), s;
  if (a2 < 0.01) {
    p[0] = 1 - a2/2*(1 - a2/12*(1 - a2/30*(1 - a2/56*(1 - a2/90))));
    s = 0.5*(1 - a2/6*(1 - a2/20*(1 - a2/42*(1 - a2/72*(1 - a2/110)))));
  } else {
    double a = sqrt(a2);
    p[0] = cos(a);
    s = 0.5*sin(a)/a;
  }
  for (int i = 0; i < 3; i++) p[i+1] = s*u[i];
}
/* rotation vector of unit Euler parameters, |u| <= pi; near 0 by the series of asin */
static inline void quat_to_vector(double u[3], const double p[4]) {
  double sign = p[0] < 0 ? -1 : 1, n2 = vec3_dot(p + 1, p + 1), f;
  if (n2 < 0.01) {
    double c = 135135.0/9676800;
    c = 10395.0/599040 + n2*c;
    c = 945.0/42240 + n2*c;
    c = 105.0/3456 + n2*c;
    c = 15.0/336 + n2*c;
    c = 3.0/40 + n2*c;
    c = 1.0/6 + n2*c;
    f = 2*(1 + n2*c);
  } else {
    double n = sqrt(n2);
    f = 2*atan2(n, sign*p[0])/n;
  }
  vec3_scale(u, sign*f, p + 1);
}
/* dp/dt = G(p)^T w/2 for the angular velocity w in body components */
static inline void quat_rate(double pd[4], const double p[4], const double w[3]) {
  pd[0] = -0.5*(p[1]*w[0] + p[2]*w[1] + p[3]*w[2]);
  pd[1] = 0.5*(p[0]*w[0] - p[3]*w[1] + p[2]*w[2]);
  pd[2] = 0.5*(p[3]*w[0] + p[0]*w[1] - p[1]*w[2]);
  pd[3] = 0.5*(-p[2]*w[0] + p[1]*w[1] + p[0]*w[2]);
}

#endif
