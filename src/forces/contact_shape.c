/* forces/contact_shape.c - distance of a point to a plane, sphere, capsule or box
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/contact_shape.h"

/* inside a box: the nearest face */
static double below_face(const tni_shape *shape, const double y[3], double n[3]) {
  int face = 0;
  double depth = HUGE_VAL;
  for (int i = 0; i < 3; i++) {
    double d = shape->half[i] - fabs(y[i]);
    if (d < depth) {
      depth = d;
      face = i;
    }
  }
  n[face] = y[face] < 0 ? -1 : 1;
  return -depth;
}

double tni_shape_distance(const tni_shape *shape, const double y[3], double n[3], double H[9]) {
  double d[3];
  bool slides[3] = {false, false, false};
  vec3_set(n, 0, 0, 0);
  if (H) memset(H, 0, 9*sizeof(double));
  if (shape->kind == TNI_PLANE) {
    n[2] = 1;
    return y[2];
  }
  for (int i = 0; i < 3; i++) {
    double reach = shape->kind == TNI_SPHERE ? 0 : shape->half[i];
    slides[i] = fabs(y[i]) < reach;
    d[i] = slides[i] ? 0 : y[i] - copysign(reach, y[i]);
  }
  double length = vec3_norm(d);
  if (length == 0) {
    if (shape->kind == TNI_BOX) return below_face(shape, y, n);
    n[shape->kind == TNI_CAPSULE ? 0 : 2] = 1; /* on the skeleton any direction is as good */
    return -shape->radius;
  }
  vec3_scale(n, 1/length, d);
  for (int i = 0; H && i < 3; i++) {
    for (int j = 0; j < 3; j++)
      H[3*i+j] = ((i == j && !slides[i]) - n[i]*n[j])/length;
  }
  return length - shape->radius;
}

int tni_shape_probes(const tni_shape *shape, double centre[TNI_SHAPE_MAXPROBE][3]) {
  int n = shape->kind == TNI_BOX ? 8 : shape->kind == TNI_CAPSULE ? 2 : 1;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < 3; i++) {
      /* a capsule has its ends at -z and +z, a sphere none */
      int bit = n == 8 ? k >> i & 1 : k;
      centre[k][i] = n == 1 ? 0 : bit ? shape->half[i] : -shape->half[i];
    }
  }
  return n;
}
