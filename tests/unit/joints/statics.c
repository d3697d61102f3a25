/* Reactions and driving forces of joints in whole models, against statics and Newton's laws by hand
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/language.h"
#include "input/input.h"
#include "support/check.h"
#include "compile/compile.h"
#include "system/system.h"

enum { MAXV = 24, MAXJOINT = 8 };
static const double pi = 3.14159265358979323846;

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tni_data *s;
  double q[28], v[MAXV], a[MAXV], lambda[64], wrench[6*MAXJOINT];
} bench;

/* model of the text, its accelerations and reactions at the start */
static void begin(bench *b, const char *text) {
  const tni_schema *language;
  memset(b, 0, sizeof(*b));
  CHECK_OK(NULL, tn_ctx_create(NULL, &b->ctx));
  CHECK_OK(b->ctx, tni_language(b->ctx, &language));
  CHECK_OK(b->ctx, tni_input_read_text(b->ctx, language, "test.yaml", text, NULL, 0, &b->spec));
  CHECK_OK(b->ctx, tni_model_compile(b->ctx, b->spec, &b->model));
  CHECK_OK(b->ctx, tni_cartesian_create(b->ctx, b->model, NULL, &b->s));
  CHECK(b->s->nv <= MAXV && b->s->m <= 64 && b->model->njoint <= MAXJOINT);
  tni_initial(b->s, b->q, b->v);
  CHECK_OK(b->ctx, tni_accel(b->s, 0, b->q, b->v, b->a, b->lambda, NULL));
  tni_eval_bodies(b->s, 0, b->q, b->v, b->a);
  tni_eval_reactions(b->s, 0, b->q, b->v, b->a, b->lambda, b->wrench);
}

static void end(bench *b) {
  tni_data_destroy(&b->s);
  tni_model_destroy(&b->model);
  tni_spec_destroy(&b->spec);
  tn_ctx_destroy(&b->ctx);
}

/* force (0..2) and torque (3..5) of a joint on its second body */
static const double *reaction(const bench *b, const char *joint) {
  for (int i = 0; i < b->model->njoint; i++)
    if (strcmp(b->model->joint[i].name, joint) == 0) return b->wrench + 6*i;
  printf("no joint %s\n", joint);
  exit(1);
}

static void check6(const double *got, double fx, double fy, double fz, double tx, double ty,
                   double tz) {
  const double want[6] = {fx, fy, fz, tx, ty, tz};
  for (int i = 0; i < 6; i++) CHECK_NEAR(got[i], want[i], 1e-12);
}

#define HEAD "tenon: 1\ngravity: [0, 0, -10]\n"

/* 3 kg at 2 m from the wall */
static void cantilever_carries_weight_and_moment(void) {
  bench b;
  begin(&b, HEAD "bodies: {beam: {mass: 3, inertia: [1, 1, 1], at: [2, 0, 0]}}\n"
                 "joints: {wall: {type: fixed, bodies: [ground, beam], at: [0, 0, 0]}}\n");
  check6(reaction(&b, "wall"), 0, 0, 30, 0, -60, 0);
  end(&b);
  /* the other way round: what acts on the ground */
  begin(&b, HEAD "bodies: {beam: {mass: 3, inertia: [1, 1, 1], at: [2, 0, 0]}}\n"
                 "joints: {wall: {type: fixed, bodies: [beam, ground], at: [0, 0, 0]}}\n");
  check6(reaction(&b, "wall"), 0, 0, -30, 0, 60, 0);
  end(&b);
}

/* a uniform bar released level is held by a quarter of its weight */
static void hinge_of_a_released_bar_carries_a_quarter(void) {
  bench b;
  begin(&b, HEAD "bodies: {bar: {mass: 4, inertia: [0.001, 3, 3], at: [1.5, 0, 0]}}\n"
                 "joints: {pin: {type: revolute, bodies: [ground, bar], at: [0, 0, 0],"
                 " axis: y}}\n");
  check6(reaction(&b, "pin"), 0, 0, 10, 0, 0, 0);
  CHECK_NEAR(b.a[2], -7.5, 1e-13);
  end(&b);
}

/* hanging on a rod, on a point in a plane, on a line, on a rail that is straight and inclined */
static void simple_supports_carry_the_weight(void) {
  bench b;
  begin(&b, HEAD "bodies: {ball: {mass: 2, inertia: [1, 1, 1], at: [0, 0, -1]}}\n"
                 "joints: {rod: {type: distance, bodies: [ground, ball], at1: [0, 0, 0],"
                 " at2: [0, 0, 0]}}\n");
  check6(reaction(&b, "rod"), 0, 0, 20, 0, 0, 0);
  end(&b);
  begin(&b, HEAD "bodies: {ball: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {table: {type: inplane, bodies: [ground, ball], axis: [0, 3, 4]}}\n");
  check6(reaction(&b, "table"), 0, 0.6*16, 0.8*16, 0, 0, 0);
  end(&b);
  begin(&b, HEAD "bodies: {ball: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {wire: {type: inline, bodies: [ground, ball], axis: [0, 4, -3]}}\n");
  check6(reaction(&b, "wire"), 0, 0.6*16, 0.8*16, 0, 0, 0);
  end(&b);
  begin(&b, HEAD "bodies: {ball: {mass: 2, inertia: [1, 1, 1], at: [0, 4, -3]}}\n"
                 "joints: {rail: {type: curve, bodies: [ground, ball],"
                 " points: [[0, 0, 0], [0, 2, -1.5], [0, 8, -6]]}}\n");
  check6(reaction(&b, "rail"), 0, 0.6*16, 0.8*16, 0, 0, 0);
  end(&b);
}

/* a slider that overhangs: the guide takes the moment about its own point */
static void slider_guide_takes_force_and_moment(void) {
  bench b;
  begin(&b, HEAD "bodies: {car: {mass: 5, inertia: [1, 1, 1], at: [0.5, 0.2, 0]}}\n"
                 "joints: {guide: {type: prismatic, bodies: [ground, car], at: [0, 0, 0],"
                 " axis: x}}\n");
  check6(reaction(&b, "guide"), 0, 0, 50, 10, -25, 0);
  end(&b);
}

/* 2 Nm on a wheel of 0.1 m: 4 Nm hold the other of 0.2 m, turning the same way; a rack on it of
 * pinion radius 0.25 is held by 16 N */
static void gears_multiply_torque(void) {
  static const char *const wheels =
      "bodies:\n"
      "  w1: {mass: 1, inertia: [1, 1, 1]}\n"
      "  w2: {mass: 1, inertia: [1, 1, 1], at: [0.3, 0, 0]}\n"
      "  rack: {mass: 1, inertia: [1, 1, 1], at: [0, 1, 0]}\n"
      "joints:\n"
      "  p1: {type: revolute, bodies: [ground, w1], at: [0, 0, 0], axis: z}\n"
      "  p2: {type: revolute, bodies: [ground, w2], at: [0.3, 0, 0], axis: z}\n"
      "  guide: {type: prismatic, bodies: [ground, rack], at: [0, 1, 0], axis: x}\n"
      "  mesh: {type: gear, joints: [p1, p2], radii: [0.1, 0.2]}\n"
      "  teeth: {type: rack_pinion, joints: [p2, guide], radius: 0.25}\n"
      "forces: {motor: {type: torque, body: w1, torque: [0, 0, 2]}}\n";
  char text[2000];
  bench b;
  snprintf(text, sizeof(text), "tenon: 1\n%sdrive: {hold: {joint: p2, motion: 0}}\n", wheels);
  begin(&b, text);
  check6(reaction(&b, "hold"), 0, 0, 0, 0, 0, 4);
  end(&b);
  snprintf(text, sizeof(text), "tenon: 1\n%sdrive: {hold: {joint: guide, motion: 0}}\n", wheels);
  begin(&b, text);
  check6(reaction(&b, "hold"), 16, 0, 0, 0, 0, 0);
  end(&b);
  /* held at the motor by velocity: the same torque back */
  snprintf(text, sizeof(text), "tenon: 1\n%sdrive: {hold: {joint: p1, velocity: 0}}\n", wheels);
  begin(&b, text);
  check6(reaction(&b, "hold"), 0, 0, 0, 0, 0, -2);
  end(&b);
}

/* 20 N on a thread of 0.1 m a turn are held by F pitch/(2 pi) */
static void screw_turns_force_into_torque(void) {
  bench b;
  begin(&b, HEAD "bodies: {nut: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {thread: {type: screw, bodies: [ground, nut], axis: z, pitch: 0.1}}\n"
                 "drive: {hold: {joint: thread, coordinate: angle, motion: 0}}\n");
  check6(reaction(&b, "hold"), 0, 0, 0, 0, 0, 2*10*0.1/(2*pi));
  end(&b);
}

/* Shafts along x and along (cos, sin, 0) of the bend; torque 3 on the first, the second held. The
 * torque at the second follows from the ratio of speeds: 1 for a constant-velocity joint, else
 * cos b/(1 - sin^2 b cos^2 t) with t the angle between the arm of the first shaft and the plane of
 * the shafts. */
static void couplings_pass_torque_on(void) {
  const double bend = 0.5;
  for (int n = 0; n < 6; n++) {
    double angle = 0.4*n, ratio = 1;
    char joint[400], text[2000];
    if (n == 0) {
      snprintf(joint, sizeof(joint),
               "{type: constant_velocity, bodies: [a, b], at: [0, 0, 0], axis1: x, axis2: x}");
    } else {
      /* arm of a in its y-z plane, arm of b normal to it and to the shaft of b */
      double arm[3] = {0, cos(angle), sin(angle)}, shaft[3] = {cos(bend), sin(bend), 0};
      double other[3];
      vec3_cross(other, shaft, arm);
      snprintf(joint, sizeof(joint),
               "{type: universal, bodies: [a, b], at: [0, 0, 0], axis1: [%.17g, %.17g, %.17g],"
               " axis2: [%.17g, %.17g, %.17g]}",
               arm[0], arm[1], arm[2], cos(bend)*other[0] + sin(bend)*other[1],
               -sin(bend)*other[0] + cos(bend)*other[1], other[2]);
      ratio = cos(bend)/(1 - pow(sin(bend)*cos(angle), 2));
    }
    snprintf(text, sizeof(text),
             "tenon: 1\n"
             "bodies:\n"
             "  a: {mass: 1, inertia: [1, 1, 1], at: [-0.5, 0, 0]}\n"
             "  b: {mass: 1, inertia: [1, 1, 1], orientation: {axis: z, angle: %.17g}}\n"
             "joints:\n"
             "  bearing: {type: revolute, bodies: [ground, a], at: [-1, 0, 0], axis: x}\n"
             "  coupling: %s\n"
             "  guide: {type: parallel, bodies: [ground, b], axis: [%.17g, %.17g, 0]}\n"
             "drive: {hold: {joint: guide, motion: 0}}\n"
             "forces: {motor: {type: torque, body: a, torque: [3, 0, 0]}}\n",
             bend, joint, cos(bend), sin(bend));
    bench b;
    begin(&b, text);
    double torque = -3/ratio;
    check6(reaction(&b, "hold"), 0, 0, 0, torque*cos(bend), torque*sin(bend), 0);
    end(&b);
  }
}

/* down a slope of 30 degrees: 5/7 and 2/3 of g sin; friction is what the acceleration leaves */
static void wheels_roll_down_a_slope(void) {
  const double slope = pi/6, m = 2, r = 0.3;
  for (int disk = 0; disk < 2; disk++) {
    char text[1000];
    double inertia = disk ? 0.5*m*r*r : 0.4*m*r*r;
    snprintf(text, sizeof(text),
             HEAD "bodies:\n"
                  "  wheel: {mass: 2, inertia: [%.17g, %.17g, %.17g], at: [0, 0, 1],"
                  " orientation: {axis: y, angle: 0.7}}\n"
                  "joints:\n"
                  "  road: {type: %s, bodies: [ground, wheel], radius: 0.3,"
                  " normal: [%.17g, 0, %.17g], %s}\n",
             inertia, inertia, inertia, disk ? "rolling_disk" : "rolling_sphere", sin(slope),
             cos(slope), disk ? "axis: y" : "at: [0, 0, 1]");
    bench b;
    begin(&b, text);
    double down = 10*sin(slope)/(1 + inertia/(m*r*r)), friction = m*(10*sin(slope) - down);
    double N = m*10*cos(slope);
    CHECK_NEAR(b.a[0], down*cos(slope), 1e-12);
    CHECK_NEAR(b.a[1], 0, 1e-12);
    CHECK_NEAR(b.a[2], -down*sin(slope), 1e-12);
    CHECK_NEAR(b.a[4], down/r, 1e-12);
    /* at the centre of the wheel, where frame 1 is: friction has the lever r there */
    check6(reaction(&b, "road"), N*sin(slope) - friction*cos(slope), 0,
           N*cos(slope) + friction*sin(slope), 0, friction*r, 0);
    end(&b);
  }
}

/* Newton and Euler for both bodies of a chain ground - a - b, moving, with every joint type: m a
 * and I w' + w x I w are the weight and the reactions, opposite on the two bodies of a joint */
static void reactions_obey_newton_and_euler(void) {
  static const char *const joints[][2] = {
      {"fixed", ""},
      {"spherical", ""},
      {"revolute", "axis: [1, 2, 2]"},
      {"prismatic", "axis: [1, 2, 2]"},
      {"cylindrical", "axis: [1, 2, 2]"},
      {"universal", "axis1: [1, 2, 2], axis2: [0.3, -1, 0.4]"},
      {"constant_velocity", "axis1: z, axis2: [1, 0, 1]"},
      {"planar", "axis: [1, -2, 2]"},
      {"screw", "axis: [1, -2, 2], pitch: 0.4"},
      {"inline", "axis: [2, 2, -1]"},
      {"inplane", "axis: [2, 2, -1]"},
      {"parallel", "axis: [2, 2, -1]"},
      {"perpendicular", "axis1: x, axis2: [1, 1, 1]"},
      {"orientation", ""},
      {"distance", "at1: [0.1, 0.2, 0.3], at2: [-0.5, 0.3, 0.4]"},
      {"revolute_spherical", "at1: [0.1, 0.2, 0.3], at2: [-0.5, 0.3, 0.4], axis: z"},
      {"revolute_revolute", "at1: [0.1, 0.2, 0.3], at2: [-0.5, 0.3, 0.4], axis: z"},
      {"curve", "points: [[1, 0, 1], [0, 1, 0.6], [-1, 0, 0.3], [0, -1, 0.1]]"},
      {"rolling_sphere", "radius: 0.3, normal: [1, 1, 1]"},
      {"rolling_disk", "radius: 0.3, axis: [1, -1, 0.2], normal: [1, 1, 1]"},
  };
  for (int n = 0; n < TNI_COUNT(joints); n++) {
    char text[3000];
    const char *at = strstr(joints[n][1], "at1") ? "" : "at: [0.2, 0.3, 0.1], ";
    const char *at2 = strstr(joints[n][1], "at1") ? "" : "at: [0.4, -0.3, 0.5], ";
    snprintf(text, sizeof(text),
             HEAD "bodies:\n"
                  "  a: {mass: 2, inertia: [0.4, 0.5, 0.7], at: [0.3, 0.1, 0.2],"
                  " com: [0.1, 0, 0.2], orientation: {axis: [1, 2, 3], angle: 0.8},"
                  " velocity: [1, 0.3, -0.4],"
                  " angular_velocity: [0.5, 1, -2]}\n"
                  "  b: {mass: 3, inertia: [0.9, 0.6, 0.5, 0.1, 0, 0.05], at: [0.8, -0.2, 0.6],"
                  " orientation: {axis: [3, -1, 1], angle: 1.1}, velocity: [-0.2, 0.6, 0.7],"
                  " angular_velocity: [1.5, -1, 0.2]}\n"
                  "joints:\n"
                  "  j1: {type: %s, bodies: [ground, a], %s%s}\n"
                  "  j2: {type: %s, bodies: [a, b], %s%s}\n",
             joints[n][0], at, joints[n][1], joints[n][0], at2, joints[n][1]);
    bench b;
    int before = check_failures;
    begin(&b, text);
    const double *w1 = reaction(&b, "j1"), *w2 = reaction(&b, "j2");
    for (int i = 0; i < 2; i++) {
      const tni_body *o = &b.model->body[i];
      const tni_kin *k = &b.s->kin[i + 1];
      double F[3] = {0, 0, -10*o->mass}, T[3] = {0}, lever[3], x[3], p[3], L[3], Ia[3];
      for (int e = 0; e < 2 - i; e++) { /* a: j1 and minus j2; b: j2 */
        const double *w = e + i ? w2 : w1;
        const tni_joint *j = &b.model->joint[e + i];
        double sign = e ? -1 : 1;
        const tni_kin *k1 = &b.s->kin[j->body[1] + 1];
        mat3_vec(p, k1->A, j->frame[1].p);
        vec3_add(p, p, k1->r);
        vec3_sub(lever, p, k->r);
        vec3_cross(x, lever, w);
        vec3_addmul(F, sign, w);
        vec3_addmul(T, sign, x);
        vec3_addmul(T, sign, w + 3);
      }
      mat3_vec(L, o->I, k->w);
      vec3_cross(x, k->w, L);
      mat3_vec(Ia, o->I, b.a + 6*i + 3);
      vec3_add(Ia, Ia, x);
      mat3_vec(x, k->A, Ia);
      for (int c = 0; c < 3; c++) {
        CHECK_NEAR(F[c], o->mass*b.a[6*i + c], 1e-11);
        CHECK_NEAR(T[c], x[c], 1e-11);
      }
    }
    end(&b);
    if (check_failures != before) printf("  joint type %s\n", joints[n][0]);
  }
}

int main(void) {
  RUN(cantilever_carries_weight_and_moment);
  RUN(hinge_of_a_released_bar_carries_a_quarter);
  RUN(simple_supports_carry_the_weight);
  RUN(slider_guide_takes_force_and_moment);
  RUN(gears_multiply_torque);
  RUN(screw_turns_force_into_torque);
  RUN(couplings_pass_torque_on);
  RUN(wheels_roll_down_a_slope);
  RUN(reactions_obey_newton_and_euler);
  return REPORT();
}
