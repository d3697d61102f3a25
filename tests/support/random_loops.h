/* tests/support/random_loops.h - closed loops with more equations than needed, by a number
 *
 * A random loop is one of eleven kinds (planar ones of four to six bars in a random plane, a
 * slider-crank, parallel cranks, a Stephenson chain, Bennett's linkage, a spherical four-bar, a
 * Sarrus linkage, a triangle that holds itself, a door on several hinges, welded triangles, two
 * four-bars on one base) with random sizes, masses and attitude. Its base flies freely with a random spin, hangs
 * on a ball, or turns about a hinge. None has a singular position that random numbers would meet.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_RANDOM_LOOPS_H
#define TN_RANDOM_LOOPS_H

#include <stdarg.h>

#include "base/vec.h"
#include "support/check.h"

enum { LOOP_KINDS = 11, LOOP_TEXT = 8000 };

typedef struct random_loop {
  uint64_t seed;
  char bodies[LOOP_TEXT/2], joints[LOOP_TEXT/2];
  double R[9], centre[3]; /* attitude and place of the mechanism */
  const char *kind;
} random_loop;

static inline double loop_between(random_loop *l, double from, double to) {
  return from + (to - from)*0.5*(1 + check_random(&l->seed));
}

static inline void loop_direction(random_loop *l, double u[3]) {
  do {
    for (int i = 0; i < 3; i++) u[i] = check_random(&l->seed);
  } while (!(vec3_norm(u) > 0.1 && vec3_norm(u) < 1));
  vec3_normalize(u, u);
}

static inline void loop_print(char *to, const char *format, ...) {
  size_t n = strlen(to);
  va_list a;
  va_start(a, format);
  vsnprintf(to + n, LOOP_TEXT/2 - n, format, a);
  va_end(a);
}

/* x of the mechanism's own frame in the ground */
static inline void loop_place(const random_loop *l, const double x[3], double out[3]) {
  mat3_vec(out, l->R, x);
  vec3_add(out, out, l->centre);
}

/* a body whose centre is near the point x; more: further keys */
static inline void loop_body(random_loop *l, const char *name, const double x[3], double mass,
                             const char *more) {
  double at[3], I = mass*loop_between(l, 0.01, 0.05), near[3];
  for (int i = 0; i < 3; i++) near[i] = x[i] + 0.1*check_random(&l->seed);
  loop_place(l, near, at);
  /* the third is below the sum of the others */
  double I2 = I*loop_between(l, 1, 2), I3 = loop_between(l, I2, 0.95*(I + I2));
  loop_print(l->bodies, "  %s: {mass: %.3g, inertia: [%.4g, %.4g, %.4g], ", name, mass, I, I2, I3);
  loop_print(l->bodies, "at: [%.17g, %.17g, %.17g]%s}\n", at[0], at[1], at[2], more);
}

static inline double loop_mass(random_loop *l) { return pow(10, loop_between(l, -0.7, 0.7)); }

static inline void loop_link(random_loop *l, const char *name, const double a[3],
                             const double b[3]) {
  double x[3];
  for (int i = 0; i < 3; i++) x[i] = 0.5*(a[i] + b[i]);
  loop_body(l, name, x, loop_mass(l), "");
}

/* axis NULL: none */
static inline void loop_joint(random_loop *l, const char *type, const char *a, const char *b,
                              const double x[3], const double *axis) {
  double at[3], z[3] = {0, 0, 1};
  int n = 0;
  for (const char *c = l->joints; *c; c++) n += *c == '\n';
  loop_place(l, x, at);
  if (axis) mat3_vec(z, l->R, axis);
  loop_print(l->joints, "  j%d: {type: %s, bodies: [%s, %s], ", n, type, a, b);
  loop_print(l->joints, "at: [%.17g, %.17g, %.17g]", at[0], at[1], at[2]);
  if (axis) loop_print(l->joints, ", axis: [%.17g, %.17g, %.17g]", z[0], z[1], z[2]);
  loop_print(l->joints, "}\n");
}

/* ---- kinds --------------------------------------------------------------------------------- */

static const double loop_z[3] = {0, 0, 1};

/* corners of a polygon in the plane z = 0 around a point, no two of them close */
static inline void loop_corners(random_loop *l, int n, double (*p)[3]) {
  for (int k = 0; k < n; k++) {
    double angle = 6.283185307179586*(k + loop_between(l, -0.3, 0.3))/n;
    double r = loop_between(l, 0.3, 0.8);
    vec3_set(p[k], r*cos(angle), r*sin(angle), 0);
  }
}

/* n hinges with the axis z around a polygon; bodies base, and those with the given letter */
static inline void loop_polygon(random_loop *l, char letter, int n, double (*p)[3]) {
  char before[16] = "base", name[16];
  for (int k = 0; k < n; k++) {
    snprintf(name, sizeof(name), "%c%d", letter, k);
    if (k < n - 1) loop_link(l, name, p[k], p[k+1]);
    else snprintf(name, sizeof(name), "base");
    loop_joint(l, "revolute", before, name, p[k], loop_z);
    memcpy(before, name, sizeof(before));
  }
}

static inline void loop_bars(random_loop *l) {
  double p[6][3];
  int n = 4 + (int)loop_between(l, 0, 2.999);
  l->kind = "planar bars";
  loop_corners(l, n, p);
  loop_polygon(l, 'a', n, p);
}

static inline void loop_slider(random_loop *l) {
  double p[3][3], along[3];
  l->kind = "slider-crank";
  loop_corners(l, 3, p);
  loop_link(l, "crank", p[0], p[1]);
  loop_link(l, "rod", p[1], p[2]);
  loop_link(l, "slider", p[2], p[2]);
  vec3_sub(along, p[2], p[0]);
  vec3_normalize(along, along);
  loop_joint(l, "revolute", "base", "crank", p[0], loop_z);
  loop_joint(l, "revolute", "crank", "rod", p[1], loop_z);
  loop_joint(l, "revolute", "rod", "slider", p[2], loop_z);
  loop_joint(l, "prismatic", "slider", "base", p[2], along);
}

static inline void loop_parallel(random_loop *l) {
  double p[3][3], top[3][3], up[3] = {loop_between(l, -0.3, 0.3), loop_between(l, 0.4, 0.8), 0};
  l->kind = "parallel cranks";
  for (int k = 0; k < 3; k++) {
    vec3_set(p[k], -0.5 + 0.5*k, loop_between(l, -0.2, 0.2), 0);
    vec3_add(top[k], p[k], up);
  }
  loop_link(l, "coupler", top[0], top[2]);
  for (int k = 0; k < 3; k++) {
    char name[16];
    snprintf(name, sizeof(name), "crank%d", k);
    loop_link(l, name, p[k], top[k]);
    loop_joint(l, "revolute", "base", name, p[k], loop_z);
    loop_joint(l, "revolute", name, "coupler", top[k], loop_z);
  }
}

static inline void loop_stephenson(random_loop *l) {
  double p[4][3], x[3][3];
  l->kind = "Stephenson chain";
  loop_corners(l, 4, p);
  loop_polygon(l, 'a', 4, p);
  vec3_set(x[0], loop_between(l, -0.2, 0.2), loop_between(l, 0.8, 1), 0);
  vec3_set(x[1], loop_between(l, 0.7, 1), loop_between(l, 1, 1.3), 0);
  vec3_set(x[2], loop_between(l, 1.2, 1.5), loop_between(l, -0.2, 0.2), 0);
  loop_link(l, "b0", x[0], x[1]);
  loop_link(l, "b1", x[1], x[2]);
  loop_joint(l, "revolute", "a1", "b0", x[0], loop_z);
  loop_joint(l, "revolute", "b0", "b1", x[1], loop_z);
  loop_joint(l, "revolute", "b1", "base", x[2], loop_z);
}

static inline void loop_two(random_loop *l) {
  double p[4][3];
  l->kind = "two four-bars";
  for (int k = 0; k < 2; k++) {
    loop_corners(l, 4, p);
    loop_polygon(l, k == 0 ? 'a' : 'b', 4, p);
    /* the second one somewhere else, in a plane of its own */
    double e[3];
    loop_direction(l, e);
    vec3_addmul(l->centre, 0.3, e);
    double turn[3], q[4];
    loop_direction(l, turn);
    vec3_scale(turn, loop_between(l, 0.5, 2.5), turn);
    quat_from_vector(q, turn);
    quat_matrix(l->R, q);
  }
}

/* Denavit and Hartenberg: turn about z by theta, go a along x, turn about x by alpha */
static inline void loop_frame(double R[9], double p[3], double theta, double a, double alpha) {
  double c = cos(theta), s = sin(theta), C = cos(alpha), S = sin(alpha);
  double T[9] = {c, -s*C, s*S, s, c*C, -c*S, 0, S, C}, x[3] = {a*c, a*s, 0}, y[3], N[9];
  mat3_vec(y, R, x);
  vec3_add(p, p, y);
  mat3_mul(N, R, T);
  memcpy(R, N, sizeof(N));
}

static inline void loop_bennett(random_loop *l) {
  double alpha = loop_between(l, 0.4, 0.9), beta = alpha + loop_between(l, 0.3, 0.7);
  double a = loop_between(l, 0.4, 0.8), b = a*sin(beta)/sin(alpha), t1 = loop_between(l, 0.6, 1.2);
  double t2 = 2*atan(sin(0.5*(beta + alpha))/sin(0.5*(beta - alpha))/tan(0.5*t1));
  double theta[4] = {t1, t2, -t1, -t2}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[5][3] = {{0}}, z[5][3];
  l->kind = "Bennett";
  vec3_set(z[0], 0, 0, 1);
  for (int k = 0; k < 4; k++) {
    vec3_copy(p[k+1], p[k]);
    loop_frame(R, p[k+1], theta[k], k % 2 ? b : a, k % 2 ? beta : alpha);
    mat3_column(z[k+1], R, 2);
  }
  CHECK_NEAR(vec3_norm(p[4]), 0, 1e-12);
  loop_link(l, "a0", p[0], p[1]);
  loop_link(l, "a1", p[1], p[2]);
  loop_link(l, "a2", p[2], p[3]);
  loop_joint(l, "revolute", "base", "a0", p[0], z[0]);
  loop_joint(l, "revolute", "a0", "a1", p[1], z[1]);
  loop_joint(l, "revolute", "a1", "a2", p[2], z[2]);
  loop_joint(l, "revolute", "a2", "base", p[3], z[3]);
}

static inline void loop_spherical(random_loop *l) {
  double p[4][3], z[4][3];
  l->kind = "spherical four-bar";
  loop_corners(l, 4, p);
  for (int k = 0; k < 4; k++) {
    vec3_set(z[k], p[k][0], p[k][1], loop_between(l, 0.5, 1));
    vec3_normalize(z[k], z[k]);
    vec3_scale(p[k], loop_between(l, 0.3, 0.8), z[k]);
  }
  loop_link(l, "a0", p[0], p[1]);
  loop_link(l, "a1", p[1], p[2]);
  loop_link(l, "a2", p[2], p[3]);
  loop_joint(l, "revolute", "base", "a0", p[0], z[0]);
  loop_joint(l, "revolute", "a0", "a1", p[1], z[1]);
  loop_joint(l, "revolute", "a1", "a2", p[2], z[2]);
  loop_joint(l, "revolute", "a2", "base", p[3], z[3]);
}

/* a table lifted straight by two folding legs of two plates each, in planes at an angle */
static inline void loop_sarrus(random_loop *l) {
  double height = loop_between(l, 0.4, 0.9), apart = loop_between(l, 0.8, 2.2);
  double top[3] = {0, 0, height};
  l->kind = "Sarrus";
  loop_link(l, "table", top, top);
  for (int k = 0; k < 2; k++) {
    double c = cos(k*apart), s = sin(k*apart);
    double r = loop_between(l, 0.3, 0.6), out = loop_between(l, 0.2, 0.5);
    double part = loop_between(l, 0.35, 0.65);
    double axis[3] = {-s, c, 0}, p[3][3] = {{r*c, r*s, 0},
                                            {(r + out)*c, (r + out)*s, part*height},
                                            {r*c, r*s, height}};
    char low[16], high[16];
    snprintf(low, sizeof(low), "low%d", k);
    snprintf(high, sizeof(high), "high%d", k);
    loop_link(l, low, p[0], p[1]);
    loop_link(l, high, p[1], p[2]);
    loop_joint(l, "revolute", "base", low, p[0], axis);
    loop_joint(l, "revolute", low, high, p[1], axis);
    loop_joint(l, "revolute", high, "table", p[2], axis);
  }
}

/* three bodies that hold each other: one rigid body in truth */
static inline void loop_locked(random_loop *l) {
  double p[3][3], z[2][3];
  l->kind = "locked triangle";
  loop_corners(l, 3, p);
  for (int k = 0; k < 2; k++) {
    vec3_set(z[k], 0, 0, 1);
    z[k][k] = loop_between(l, 0.2, 0.5);
    vec3_normalize(z[k], z[k]);
  }
  loop_link(l, "a0", p[0], p[1]);
  loop_link(l, "a1", p[1], p[2]);
  loop_joint(l, "revolute", "base", "a0", p[0], z[0]);
  loop_joint(l, "revolute", "a0", "a1", p[1], z[1]);
  loop_joint(l, "spherical", "a1", "base", p[2], NULL);
}

static inline void loop_door(random_loop *l) {
  double p[3][3], leaf[3] = {0.5, 0, 0};
  int n = 2 + (int)loop_between(l, 0, 1.999);
  l->kind = "door";
  loop_link(l, "leaf", leaf, leaf);
  for (int k = 0; k < n; k++) {
    vec3_set(p[k], 0, 0, -0.4 + 0.8*k/(n - 1) + loop_between(l, -0.1, 0.1));
    loop_joint(l, "revolute", "base", "leaf", p[k], loop_z);
  }
}

static inline void loop_welded(random_loop *l) {
  double p[3][3];
  l->kind = "welded";
  loop_corners(l, 3, p);
  loop_link(l, "a0", p[0], p[1]);
  loop_link(l, "a1", p[1], p[2]);
  loop_joint(l, "fixed", "base", "a0", p[0], NULL);
  loop_joint(l, "fixed", "a0", "a1", p[1], NULL);
  loop_joint(l, "fixed", "a1", "base", p[2], NULL);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* the text of loop number n, without its first line "tenon: 1"; nobody else has it */
static inline void random_loop_text(int n, random_loop *l, char text[LOOP_TEXT + 400]) {
  static void (*const make[LOOP_KINDS])(random_loop *) = {
      loop_bars,    loop_locked, loop_bennett, loop_slider, loop_parallel, loop_spherical,
      loop_welded,  loop_sarrus, loop_two,     loop_door,   loop_stephenson};
  memset(l, 0, sizeof(*l));
  l->seed = 7919*(uint64_t)(n + 1);
  for (int i = 0; i < 10; i++) check_random(&l->seed);
  double turn[3], q[4], w[3], base[3], at[3], spin = loop_between(l, 1, 8), gravity[3] = {0};
  char more[200];
  loop_direction(l, turn);
  vec3_scale(turn, loop_between(l, 0, 3), turn);
  quat_from_vector(q, turn);
  quat_matrix(l->R, q);
  loop_direction(l, w);
  vec3_scale(w, spin, w);
  int mount = (int)loop_between(l, 0, 4.999); /* free, free, free, ball, hinge */
  vec3_set(base, 0, 0, loop_between(l, -0.3, 0.3));
  snprintf(more, sizeof(more), ", angular_velocity: [%.6g, %.6g, %.6g]", w[0], w[1], w[2]);
  loop_body(l, "base", base, 3*loop_mass(l), more);
  vec3_set(at, loop_between(l, -0.5, 0.5), loop_between(l, -0.5, 0.5), loop_between(l, -0.5, 0.5));
  vec3_normalize(w, w);
  double axis[3];
  mat3_tvec(axis, l->R, w);
  if (mount == 3) loop_joint(l, "spherical", "ground", "base", at, NULL);
  if (mount == 4) loop_joint(l, "revolute", "ground", "base", at, axis);
  if (mount != 1)
    for (int i = 0; i < 3; i++) gravity[i] = 6*check_random(&l->seed);
  make[n % LOOP_KINDS](l);
  snprintf(text, LOOP_TEXT + 400, "gravity: [%.6g, %.6g, %.6g]\nbodies:\n%sjoints:\n%s", gravity[0],
           gravity[1], gravity[2], l->bodies, l->joints);
}

#endif
