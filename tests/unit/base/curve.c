/* space curves: smoothness, order, frame, projection
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/curve.h"

#include "base/vec.h"
#include "support/check.h"

static tn_ctx *ctx;
static tni_arena arena;
static const double pi = 3.14159265358979323846;

enum { NKNOT = 9 };
static const double knot_points[3*NKNOT] = {0, 0, 0,  1, 0.5, 0.2, 1.5, 1.5, 0.1, 1, 2,    1,
                                            0, 2, 1.5, -1, 1,  1.2, -1.2, 0, 0.5, -1, -1, 0.7,
                                            -0.3, -1.1, 0.2};

static const tni_curve *make(int n, const double *xyz, bool closed, tni_curve_scale scale) {
  const tni_curve *c;
  CHECK_OK(ctx, tni_curve_create(&arena, n, xyz, closed, scale, &c));
  return c;
}

/* the curves under test: open and closed, both scales */
static const tni_curve *sample(int which) {
  return make(NKNOT, knot_points, which & 1, which & 2 ? TNI_CURVE_UNIT : TNI_CURVE_CHORD);
}

static bool near_cut(const tni_curve *c, double s, double h) {
  for (int i = 0; i <= c->npiece; i++)
    for (int lap = -1; lap <= 1; lap++)
      if (fabs(s - c->cut[i] - lap*c->length) < h) return true;
  return false;
}

static void curve_passes_through_the_points(void) {
  for (int w = 0; w < 4; w++) {
    const tni_curve *c = sample(w);
    CHECK_INT(c->nsegment, w & 1 ? NKNOT : NKNOT - 1);
    if (w & 2) CHECK_NEAR(c->length, 1, 0);
    for (int k = 0; k < NKNOT; k++) {
      double x[1][3];
      tni_curve_eval(c, c->knot[k], 0, x);
      for (int i = 0; i < 3; i++) CHECK_NEAR(x[0][i], knot_points[3*k+i], 1e-14);
    }
  }
}

static void derivatives_match_differences(void) {
  uint64_t seed = 21;
  for (int w = 0; w < 4; w++) {
    const tni_curve *c = sample(w);
    for (int n = 0; n < 200; n++) {
      double s = c->length*(0.5 + 0.7*check_random(&seed)), h = 1e-5*c->length;
      if (near_cut(c, s, 2*h)) continue;
      double a[4][3], b[4][3], x[4][3];
      tni_curve_eval(c, s, 3, x);
      tni_curve_eval(c, s - h, 3, a);
      tni_curve_eval(c, s + h, 3, b);
      double unit = 1; /* derivatives scale with powers of the length */
      for (int k = 1; k < 4; k++) {
        unit *= c->length;
        for (int i = 0; i < 3; i++)
          CHECK_WITHIN(unit*x[k][i], unit*(b[k-1][i] - a[k-1][i])/(2*h), 1e-6);
      }
    }
  }
}

/* position and two derivatives agree from both sides of every knot, the seam, and the ends */
static void curve_is_twice_continuous(void) {
  for (int w = 0; w < 4; w++) {
    const tni_curve *c = sample(w);
    for (int k = 0; k <= c->nsegment; k++) {
      double h = 1e-7*c->length, a[4][3], b[4][3], unit = 1;
      tni_curve_eval(c, c->knot[k] - h, 3, a);
      tni_curve_eval(c, c->knot[k] + h, 3, b);
      for (int order = 0; order < 3; order++, unit *= c->length)
        for (int i = 0; i < 3; i++) { /* carried to the knot by the next derivative */
          double left = a[order][i] + h*a[order+1][i], right = b[order][i] - h*b[order+1][i];
          CHECK_WITHIN(unit*left, unit*right, 1e-10);
        }
    }
  }
}

static void closed_curve_is_periodic(void) {
  const tni_curve *c = sample(1);
  for (double s = 0.1; s < c->length; s += 0.31) {
    double a[4][3], b[4][3], t[2][1][3], n1[2][1][3], n2[2][1][3];
    tni_curve_eval(c, s, 3, a);
    for (int lap = -2; lap <= 2; lap++) {
      tni_curve_eval(c, s + lap*c->length, 3, b);
      for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) CHECK_WITHIN(a[k][i], b[k][i], 1e-12);
      tni_curve_frame(c, s, 0, t[0], n1[0], n2[0]);
      tni_curve_frame(c, s + lap*c->length, 0, t[1], n1[1], n2[1]);
      for (int i = 0; i < 3; i++) CHECK_NEAR(n1[0][0][i], n1[1][0][i], 1e-12);
    }
  }
}

static const tni_curve *circle(int n, double tilt) {
  double xyz[3*128];
  for (int k = 0; k < n; k++) {
    double a = 2*pi*k/n;
    vec3_set(xyz + 3*k, 2*cos(a), 2*sin(a)*cos(tilt), 2*sin(a)*sin(tilt));
  }
  return make(n, xyz, true, TNI_CURVE_CHORD);
}

static double radius_error(int n) {
  const tni_curve *c = circle(n, 0);
  double worst = 0, x[1][3];
  for (int k = 0; k < 1000; k++) {
    tni_curve_eval(c, c->length*k/1000, 0, x);
    worst = fmax(worst, fabs(vec3_norm(x[0]) - 2));
  }
  return worst;
}

static void circle_is_met_with_order_four(void) {
  CHECK_NEAR(radius_error(16), 2*pow(2*pi/16, 4)/384, 0.05); /* leading term of the error */
  CHECK_NEAR(log2(radius_error(16)/radius_error(32)), 4, 0.02);
  CHECK_NEAR(log2(radius_error(32)/radius_error(64)), 4, 0.02);
}

static void frame_is_orthonormal_and_continuous(void) {
  for (int w = 0; w < 4; w++) {
    const tni_curve *c = sample(w);
    for (double s = -0.3*c->length; s < 1.3*c->length; s += 0.013*c->length) {
      double t[1][3], n1[1][3], n2[1][3], x[2][3], e[3];
      tni_curve_frame(c, s, 0, t, n1, n2);
      tni_curve_eval(c, s, 1, x);
      vec3_cross(e, t[0], n1[0]);
      for (int i = 0; i < 3; i++) CHECK_NEAR(e[i], n2[0][i], 1e-14);
      CHECK_NEAR(vec3_norm(n1[0]), 1, 1e-14);
      CHECK_NEAR(vec3_dot(n1[0], n2[0]), 0, 1e-14);
      CHECK_NEAR(vec3_dot(t[0], x[1]), vec3_norm(x[1]), 1e-14);
    }
    for (int k = 0; k <= c->npiece; k++) {
      double h = 1e-10*c->length, t[2][1][3], n1[2][1][3], n2[2][1][3];
      tni_curve_frame(c, c->cut[k] - h, 0, t[0], n1[0], n2[0]);
      tni_curve_frame(c, c->cut[k] + h, 0, t[1], n1[1], n2[1]);
      for (int i = 0; i < 3; i++) {
        CHECK_WITHIN(t[0][0][i], t[1][0][i], 1e-8);
        CHECK_WITHIN(n1[0][0][i], n1[1][0][i], 1e-8);
        CHECK_WITHIN(n2[0][0][i], n2[1][0][i], 1e-8);
      }
    }
  }
}

static void frame_derivatives_match_differences(void) {
  uint64_t seed = 23;
  for (int w = 0; w < 2; w++) {
    const tni_curve *c = sample(w);
    for (int n = 0; n < 200; n++) {
      double s = c->length*(0.5 + 0.7*check_random(&seed)), h = 1e-4*c->length;
      if (near_cut(c, s, 3*h)) continue;
      double f[5][3][3][3]; /* point, vector, order, component */
      for (int p = 0; p < 5; p++)
        tni_curve_frame(c, s + (p - 2)*h, 2, f[p][0], f[p][1], f[p][2]);
      for (int v = 0; v < 3; v++)
        for (int k = 1; k < 3; k++)
          for (int i = 0; i < 3; i++) {
            double near = f[3][v][k-1][i] - f[1][v][k-1][i];
            double far = f[4][v][k-1][i] - f[0][v][k-1][i];
            CHECK_WITHIN(f[2][v][k][i], (8*near - far)/(12*h), 1e-8); /* error h^4 */
          }
    }
  }
}

/* no turn about t at the start of a piece */
static void frame_does_not_twist_at_the_start_of_pieces(void) {
  const tni_curve *c = sample(0);
  for (int k = 0; k < c->npiece; k++) {
    double t[2][3], n1[2][3], n2[2][3];
    tni_curve_frame(c, c->cut[k], 1, t, n1, n2);
    CHECK_NEAR(vec3_dot(n1[1], n2[0]), 0, 1e-13);
  }
}

/* a curve of any size has the frames of the same curve in another unit */
static void frames_do_not_depend_on_the_unit(void) {
  const double wave[15] = {0, 0, 0, 1, 1, 0.5, 2, -1, -0.5, 3, 1, 0.5, 4, 0, 0};
  for (int flat = 0; flat < 2; flat++)
    for (int k = -30; k <= 30; k += 20) {
      double xyz[3*NKNOT];
      int n = flat ? 5 : NKNOT;
      for (int i = 0; i < 3*n; i++) xyz[i] = ldexp(flat ? wave[i] : knot_points[i], k);
      const tni_curve *one = make(n, flat ? wave : knot_points, false, TNI_CURVE_CHORD), *other = make(n, xyz, false, TNI_CURVE_CHORD);
      for (int i = 0; i <= 40; i++) {
        double a[3][1][3], b[3][1][3];
        tni_curve_frame(one, one->length*i/40, 0, a[0], a[1], a[2]);
        tni_curve_frame(other, other->length*i/40, 0, b[0], b[1], b[2]);
        for (int v = 0; v < 3; v++)
          for (int j = 0; j < 3; j++) CHECK_WITHIN(b[v][0][j], a[v][0][j], 1e-12);
      }
    }
}

static void planar_curves_keep_their_normal(void) {
  /* three points: each segment turns by 120 degrees, so the frame must be cut */
  const double triangle[9] = {0, 0, 0.7, 1, 0, 0.7, 0.3, 1, 0.7};
  const double wave[15] = {0, 0, -2, 1, 1, -2, 2, -1, -2, 3, 1, -2, 4, 0, -2};
  for (int closed = 0; closed < 2; closed++) {
    const tni_curve *c[2] = {make(3, triangle, closed, TNI_CURVE_CHORD),
                             make(5, wave, closed, TNI_CURVE_CHORD)};
    for (int j = 0; j < 2; j++)
      for (double s = -0.2; s < 1.2*c[j]->length; s += 0.01) {
        double t[1][3], n1[1][3], n2[1][3];
        tni_curve_frame(c[j], s, 0, t, n1, n2);
        CHECK(n2[0][0] == 0 && n2[0][1] == 0 && n2[0][2] == 1);
      }
    CHECK(c[0]->twist == 0 && c[1]->twist == 0);
  }
  const tni_curve *tilted = circle(12, 0.6);
  for (double s = 0; s < tilted->length; s += 0.05) {
    double t[2][3], n1[2][3], n2[2][3];
    tni_curve_frame(tilted, s, 1, t, n1, n2);
    CHECK_NEAR(n2[0][1], -sin(0.6), 1e-13);
    CHECK_NEAR(n2[0][2], cos(0.6), 1e-13);
    CHECK_NEAR(vec3_norm(n2[1]), 0, 1e-13);
  }
  const double line[6] = {0, 0, 0, 0, 0, 3}; /* straight up: any normals, but finite */
  double t[1][3], n1[1][3], n2[1][3];
  tni_curve_frame(make(2, line, false, TNI_CURVE_CHORD), 1, 0, t, n1, n2);
  CHECK_NEAR(vec3_norm(n1[0]), 1, 1e-15);
}

/* worst rate of turn about t, which a rotation-minimising frame would not have */
static double helix_twist(int n) {
  double xyz[3*129], worst = 0;
  for (int k = 0; k <= n; k++) {
    double a = 2*pi*k/n;
    vec3_set(xyz + 3*k, cos(a), sin(a), 0.5*a);
  }
  const tni_curve *c = make(n + 1, xyz, false, TNI_CURVE_CHORD);
  for (int k = 0; k < 4000; k++) {
    double t[2][3], n1[2][3], n2[2][3];
    tni_curve_frame(c, c->length*k/4000, 1, t, n1, n2);
    worst = fmax(worst, fabs(vec3_dot(n1[1], n2[0])));
  }
  return worst;
}

static void twist_falls_with_refinement(void) {
  CHECK(helix_twist(16) < 0.2);
  CHECK_NEAR(log2(helix_twist(32)/helix_twist(64)), 1, 0.1); /* rate grows linearly in a piece */
}

static void projection_is_orthogonal_and_finds_known_points(void) {
  uint64_t seed = 29;
  for (int w = 0; w < 4; w++) {
    const tni_curve *c = sample(w);
    for (int n = 0; n < 300; n++) {
      double s0 = c->length*(0.5 + 0.6*check_random(&seed)), x[3][3], p[3], d[3];
      double t[1][3], n1[1][3], n2[1][3], off = 0.1*check_random(&seed);
      /* a point off the curve along a normal, closer than the radius of curvature */
      tni_curve_frame(c, s0, 0, t, n1, n2);
      tni_curve_eval(c, s0, 0, x);
      vec3_copy(p, x[0]);
      vec3_addmul(p, off, n1[0]);
      vec3_addmul(p, -0.5*off, n2[0]);
      double s = tni_curve_project(c, p, s0 + 0.03*c->length*check_random(&seed));
      CHECK_WITHIN(s/c->length, s0/c->length, 1e-12);
      /* any point from any guess: normal, and a minimum */
      for (int i = 0; i < 3; i++) p[i] = 2*check_random(&seed);
      double guess = c->length*(0.5 + 3*check_random(&seed));
      s = tni_curve_project(c, p, guess);
      tni_curve_eval(c, s, 2, x);
      vec3_sub(d, x[0], p);
      double speed = vec3_norm(x[1]);
      CHECK_NEAR(vec3_dot(d, x[1])/speed, 0, 1e-11);
      CHECK(vec3_dot(x[1], x[1]) + vec3_dot(d, x[2]) > -1e-5*speed*speed);
    }
  }
}

static void nearest_point_is_nearer_than_all_samples(void) {
  uint64_t seed = 31;
  for (int w = 0; w < 4; w++) {
    const tni_curve *c = sample(w);
    for (int n = 0; n < 200; n++) {
      double p[3], x[1][3], d[3], distance, least = INFINITY;
      for (int i = 0; i < 3; i++) p[i] = 2.5*check_random(&seed);
      double s = tni_curve_nearest(c, p, &distance);
      tni_curve_eval(c, s, 0, x);
      vec3_sub(d, x[0], p);
      CHECK_NEAR(vec3_norm(d), distance, 1e-14);
      if (c->closed) CHECK(s >= 0 && s < c->length);
      for (int k = c->closed ? 0 : -1000; k < (c->closed ? 2000 : 3000); k++) {
        tni_curve_eval(c, c->length*k/2000, 0, x);
        vec3_sub(d, x[0], p);
        least = fmin(least, vec3_norm(d));
      }
      CHECK(distance <= least + 1e-13);
    }
  }
  /* centre of a circle: all points are as near */
  double distance, centre[3] = {0, 0, 0};
  tni_curve_nearest(circle(16, 0), centre, &distance);
  CHECK_NEAR(distance, 2, 1e-4);
}

static void bad_points_are_named(void) {
  const tni_curve *c;
  const double twice[9] = {0, 0, 0, 1, 0, 0, 1, 0, 0};
  const double round[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0};
  const double bad[6] = {0, 0, 0, NAN, 0, 0};
  CHECK(tni_curve_create(&arena, 3, twice, false, TNI_CURVE_CHORD, &c) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "points 2 and 3 of the curve are the same");
  CHECK(tni_curve_create(&arena, 4, round, true, TNI_CURVE_CHORD, &c) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "points 4 and 1 of the curve are the same; a closed curve does "
                                  "not repeat its first point");
  CHECK(tni_curve_create(&arena, 2, bad, false, TNI_CURVE_CHORD, &c) == TN_ERR_INPUT);
  CHECK(tni_curve_create(&arena, 2, bad, true, TNI_CURVE_CHORD, &c) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "a curve through 2 points; a closed one needs at least 3");
  CHECK(c == NULL);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  tni_arena_init(&arena, ctx);
  RUN(curve_passes_through_the_points);
  RUN(derivatives_match_differences);
  RUN(curve_is_twice_continuous);
  RUN(closed_curve_is_periodic);
  RUN(circle_is_met_with_order_four);
  RUN(frame_is_orthonormal_and_continuous);
  RUN(frame_derivatives_match_differences);
  RUN(frame_does_not_twist_at_the_start_of_pieces);
  RUN(frames_do_not_depend_on_the_unit);
  RUN(planar_curves_keep_their_normal);
  RUN(twist_falls_with_refinement);
  RUN(projection_is_orthogonal_and_finds_known_points);
  RUN(nearest_point_is_nearer_than_all_samples);
  RUN(bad_points_are_named);
  tni_arena_clear(&arena);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
