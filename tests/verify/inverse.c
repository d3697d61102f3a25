/* tests/verify/inverse.c - forward against inverse dynamics, and a driven slider-crank against
 * closed forms
 *
 * An arm of three joints is driven along given motions; the reactions of its drives are the torques
 * and the force that the motion takes. The same arm without drives, loaded with just these, must
 * have the accelerations of the driven one, and those must be the second derivatives of the
 * motions.
 *
 * The slider-crank with crank angle theta(t), crank r, rod l, slider on y = e:
 *   g = r sin theta - e,  s = sqrt(l^2 - g^2),  x = r cos theta + s,  sin phi = -g/l
 * with phi the angle of the rod against x. The driving torque T follows from the power balance
 *   T theta' = d/dt (kinetic + potential energy) + heat
 * with both energies in closed form.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "system/common.h"

#include <unistd.h>

/* ---- arm ----------------------------------------------------------------------------------- */

enum { ARM_JOINTS = 3 };

#define ARM                                                                                       \
  "gravity: [0.4, -0.3, -9.81]\n"                                                                 \
  "bodies:\n"                                                                                     \
  "  base: {mass: 3, inertia: [0.2, 0.25, 0.3, 0.01, 0.02, -0.01], com: [0.05, 0, 0.1]}\n"        \
  "  arm:  {mass: 2, inertia: [0.05, 0.2, 0.21, 0.004, 0, 0.003], com: [0.4, 0.03, 0],\n"         \
  "         at: [0, 0.1, 0.5]}\n"                                                                 \
  "  hand: {mass: 1, inertia: [0.04, 0.05, 0.03], com: [0, 0.02, -0.1], at: [0.8, 0.1, 0.5]}\n"   \
  "joints:\n"                                                                                     \
  "  turn: {type: revolute, bodies: [ground, base], at: [0, 0, 0], axis: [0.1, 0, 1]}\n"          \
  "  lift: {type: revolute, bodies: [arm, base], at: [0, 0.1, 0.5], axis: [0.1, 1, 0.2]}\n"       \
  "  push: {type: prismatic, bodies: [arm, hand], at: [0.8, 0.1, 0.5], axis: [1, 0.2, -0.3]}\n"

static const char arm_driven[] =
    ARM "drive:\n"
        "  - {name: d_turn, joint: turn, motion: \"0.7*sin(2*t)\"}\n"
        "  - {name: d_lift, joint: lift, motion: \"0.4*t^2 - 0.3*t\"}\n"
        "  - {name: d_push, joint: push, motion: \"0.2*(1 - cos(3*t))\"}\n"
        "forces:\n"
        "  s: {type: spring, bodies: [ground, hand], at1: [0, 0, 2], at2: [0, 0, 0],\n"
        "      stiffness: 20, damping: 2}\n";

static const char arm_loaded[] =
    ARM "forces:\n"
        "  s: {type: spring, bodies: [ground, hand], at1: [0, 0, 2], at2: [0, 0, 0],\n"
        "      stiffness: 20, damping: 2}\n"
        "  f_turn: {type: joint_force, joint: turn, force: %.17g}\n"
        "  f_lift: {type: joint_force, joint: lift, force: %.17g}\n"
        "  f_push: {type: joint_force, joint: push, force: %.17g}\n";

/* reactions of the drives along the axes of their joints */
static void driving_forces(const tni_data *s, const double *wrench, double load[ARM_JOINTS]) {
  static const char *const name[] = {"d_turn", "d_lift", "d_push"};
  for (int k = 0; k < ARM_JOINTS; k++) {
    int i = tn_model_find_joint(s->model, name[k]);
    const tni_joint *j = &s->model->joint[i];
    double z[3] = {j->frame[1].R[2], j->frame[1].R[5], j->frame[1].R[8]}, axis[3];
    mat3_vec(axis, s->kin[j->body[1] + 1].A, z);
    load[k] = vec3_dot(wrench + 6*i + (k == 2 ? 0 : 3), axis);
    /* a motor turns about the axis only, a cylinder pushes along it only */
    double other[3];
    vec3_copy(other, wrench + 6*i + (k == 2 ? 0 : 3));
    vec3_addmul(other, -load[k], axis);
    CHECK_NEAR(vec3_norm(other), 0, 1e-11*(1 + fabs(load[k])));
  }
}

static void check_coordinate_accelerations(const tni_data *s, double t) {
  static const char *const name[] = {"turn", "lift", "push"};
  const double want[] = {-2.8*sin(2*t), 0.8, 1.8*cos(3*t)};
  tni_env env = tni_system_env(s, t);
  for (int k = 0; k < ARM_JOINTS; k++) {
    const tni_scalar *sc = &s->model->joint[tn_model_find_joint(s->model, name[k])].coord[0].scalar;
    tni_scalar_out o;
    tni_scalar_at(sc, &env, TNI_S_VALUE | TNI_S_JACOBIAN | TNI_S_RATE, &o);
    double sum = o.bias;
    for (int e = 0; e < 2; e++)
      for (int i = 0; i < 6 && sc->body[e] >= 0; i++) sum += o.J[6*e + i]*s->acc[6*sc->body[e] + i];
    CHECK_NEAR(sum, want[k], 1e-10);
  }
}

static void check_loaded_arm(const double load[ARM_JOINTS], double t, const double *q,
                             const double *v, const double *acc) {
  char text[4000];
  loaded l;
  tni_data *s;
  double a[18], zero[6] = {0}, qj[6], vj[6];
  snprintf(text, sizeof(text), arm_loaded, load[0], load[1], load[2]);
  load_text(&l, text);
  CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
  CHECK_OK(l.ctx, tni_accel(s, t, q, v, a, NULL, NULL));
  CHECK_NEAR(far_apart(a, acc, 18, 1), 0, 1e-9);
  /* the articulated bodies of the tree, started at the same poses */
  tni_system *joint;
  tni_data *tree;
  tni_eval_bodies(s, t, q, v, NULL);
  CHECK_OK(l.ctx, tni_joint_system(l.ctx, l.model, NULL, &joint));
  CHECK_OK(l.ctx, tni_data_create_at(joint, s->kin, NULL, &tree));
  CHECK_INT(tree->nv, 3);
  tni_initial(tree, qj, vj);
  CHECK_OK(l.ctx, tni_accel(tree, t, qj, vj, zero, NULL, NULL));
  tni_eval_bodies(tree, t, qj, vj, zero);
  CHECK_NEAR(far_apart(tree->acc, acc, 18, 1), 0, 1e-9);
  tni_data_destroy(&tree);
  tni_system_destroy(&joint);
  tni_data_destroy(&s);
  unload(&l);
}

static void torques_of_a_driven_arm_give_its_motion_back(void) {
  loaded l;
  tni_data *s;
  tni_arena arena;
  tni_assembly report;
  load_text(&l, arm_driven);
  tni_arena_init(&arena, l.ctx);
  CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
  double q[21], v[18], a[18], lambda[32], wrench[36], load[ARM_JOINTS];
  CHECK_INT(s->m, s->nv);
  tni_initial(s, q, v);
  CHECK_OK(l.ctx, tni_assemble(s->model, s, 0, q, v, &arena, &report));
  for (int k = 0; k <= 20; k++) {
    double t = 0.1*k;
    tni_project_opts o = {.position = true, .velocity = true, .tol = 1e-14, .max_iterations = 60};
    CHECK_OK(l.ctx, tni_project(s, t, q, v, &o, NULL));
    CHECK_OK(l.ctx, tni_accel(s, t, q, v, a, lambda, NULL));
    tni_system_commit(s, t, q, v, false);
    tni_eval_bodies(s, t, q, v, a);
    tni_eval_reactions(s, t, q, v, a, lambda, wrench);
    driving_forces(s, wrench, load);
    check_coordinate_accelerations(s, t);
    check_loaded_arm(load, t, q, v, s->acc);
  }
  tni_arena_clear(&arena);
  tni_data_destroy(&s);
  unload(&l);
}

/* ---- slider-crank -------------------------------------------------------------------------- */

static const double r = 0.12, l = 0.4, e = 0.05, gravity = 9.81;
static const double m_crank = 0.7, I_crank = 3e-3, m_rod = 0.9, I_rod = 0.02, m_slider = 1.3;
static const double friction = 4, speed = 6;

#define SLIDER_CRANK                                                                              \
  "planar: true\n"                                                                                \
  "gravity: [0, -9.81]\n"                                                                         \
  "params: {r: 0.12, l: 0.4, e: 0.05, c: %g, wobble: %g}\n"                                       \
  "bodies:\n"                                                                                     \
  "  crank:  {mass: 0.7, inertia: 3e-3, between: [[0, 0], [r, 0]]}\n"                             \
  "  rod:    {mass: 0.9, inertia: 0.02, between: [[r, 0], [\"r + sqrt(l^2 - e^2)\", e]]}\n"       \
  "  slider: {mass: 1.3, inertia: 1e-3, at: [\"r + sqrt(l^2 - e^2)\", e]}\n"                      \
  "joints:\n"                                                                                     \
  "  pin:   {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"                              \
  "  elbow: {type: revolute, bodies: [crank, rod], at: [r, 0]}\n"                                 \
  "  wrist: {type: revolute, bodies: [rod, slider], at: [\"r + sqrt(l^2 - e^2)\", e]}\n"          \
  "  guide: {type: prismatic, bodies: [ground, slider], axis: x,\n"                              \
  "          at: [\"r + sqrt(l^2 - e^2)\", e]}\n"                                                \
  "drive:\n"                                                                                      \
  "  - {name: motor, joint: pin, motion: \"6*t + wobble*sin(6*t)\"}\n"                            \
  "forces:\n"                                                                                     \
  "  drag: {type: spring, bodies: [ground, slider], at1: [-1, 0.05], at2: [0, 0], damping: c}\n"   \
  "sensors:\n"                                                                                    \
  "  x: {type: position, body: slider}\n"                                                         \
  "  v: {type: velocity, body: slider}\n"                                                         \
  "  a: {type: acceleration, body: slider}\n"                                                     \
  "  torque: {type: reaction, joint: motor}\n"                                                    \
  "analysis: {type: kinematics, until: \"2*pi/6\", representation: %s}\n"                         \
  "output: {every: \"2*pi/6/400\"}\n"

typedef struct {
  double theta, w, alpha; /* crank */
  double x, v, a;         /* slider */
  double energy;
} closed;

static closed closed_form(double t, double wobble) {
  closed c;
  c.theta = speed*t + wobble*sin(speed*t);
  c.w = speed + wobble*speed*cos(speed*t);
  c.alpha = -wobble*speed*speed*sin(speed*t);
  double C = r*cos(c.theta), S = r*sin(c.theta), g = S - e, s = sqrt(l*l - g*g);
  double x1 = -S - g*C/s; /* dx/dtheta */
  double x2 = -C - (C*C - g*S)/s - g*g*C*C/(s*s*s);
  c.x = C + s;
  c.v = x1*c.w;
  c.a = x2*c.w*c.w + x1*c.alpha;
  /* centre of the rod halfway between elbow and slider; phi' = -g'/(l cos phi) */
  double vx = 0.5*(c.v - S*c.w), vy = 0.5*C*c.w, turn = C*c.w/s;
  double T = 0.5*((I_crank + m_crank*r*r/4)*c.w*c.w + m_rod*(vx*vx + vy*vy) + I_rod*turn*turn +
                  m_slider*c.v*c.v);
  double V = gravity*(m_crank*S/2 + m_rod*(S + e)/2 + m_slider*e);
  c.energy = T + V;
  return c;
}

/* torque of the motor from the power balance, derivative by eighth-order differences */
static double closed_torque(double t, double wobble, double c) {
  static const double f[] = {4.0/5, -1.0/5, 4.0/105, -1.0/280};
  const double h = 4e-3;
  double rate = 0;
  for (int k = 1; k <= 4; k++)
    rate += f[k-1]*(closed_form(t + k*h, wobble).energy - closed_form(t - k*h, wobble).energy)/h;
  closed now = closed_form(t, wobble);
  return (rate + c*now.v*now.v)/now.w;
}

static const double PI_ = 3.14159265358979324;

typedef struct {
  tn_results *file;
  long n;
} stored;

static double *channel(stored *r_, const char *name, int size) {
  int i = tn_results_find(r_->file, name);
  double *x = calloc((size_t)(size*r_->n) + 1, sizeof(double));
  if (!CHECK(i >= 0 && tn_results_channel_size(r_->file, i) == size)) return x;
  CHECK(tn_results_read(r_->file, i, NULL, x) == TN_OK);
  return x;
}

static void run_slider_crank(double wobble, double c, const char *representation) {
  char text[3000], path[64];
  loaded m;
  tn_summary sum;
  snprintf(text, sizeof(text), SLIDER_CRANK, c, wobble, representation);
  snprintf(path, sizeof(path), "/tmp/tenon-inverse-%d.h5", (int)getpid());
  load_text(&m, text);
  tn_run_opts o = {.results = path, .overwrite = true};
  CHECK_OK(m.ctx, tn_run(m.ctx, m.model, &o, &sum));
  stored f;
  CHECK_OK(m.ctx, tn_results_open(m.ctx, path, &f.file));
  f.n = tn_results_ntime(f.file);
  CHECK_INT(f.n, 401);
  double *t = calloc((size_t)f.n, sizeof(double)), heat = 0, worst[4] = {0};
  CHECK_OK(m.ctx, tn_results_read(f.file, 0, t, NULL));
  double *x = channel(&f, "sensors/x", 3), *v = channel(&f, "sensors/v", 3);
  double *a = channel(&f, "sensors/a", 3), *w = channel(&f, "sensors/torque", 6);
  double *en = channel(&f, "energy/energy", 5);
  closed first = closed_form(0, wobble);
  for (int k = 0; k < f.n; k++) {
    closed want = closed_form(t[k], wobble);
    worst[0] = fmax(worst[0], fabs(x[3*k] - want.x));
    worst[1] = fmax(worst[1], fabs(v[3*k] - want.v));
    worst[2] = fmax(worst[2], fabs(a[3*k] - want.a));
    worst[3] = fmax(worst[3], fabs(w[6*k + 5] - closed_torque(t[k], wobble, c)));
    CHECK_NEAR(en[5*k] + en[5*k + 1], want.energy, 1e-11);
    /* trapezoids over a whole period of a smooth function are exact to rounding */
    if (k < f.n - 1) heat += c*want.v*want.v*(t[1] - t[0]);
  }
  CHECK_NEAR(worst[0], 0, 1e-11);
  CHECK_NEAR(worst[1], 0, 1e-10);
  CHECK_NEAR(worst[2], 0, 1e-9);
  CHECK_NEAR(worst[3], 0, 1e-8);
  /* one turn: the energy is back, the motor has paid for the heat */
  const double *end = en + 5*(f.n - 1);
  CHECK_NEAR(end[0] + end[1], first.energy, 1e-11);
  CHECK_NEAR(end[2], heat, 1e-8);
  CHECK_NEAR(end[3], heat, 1e-8);
  CHECK(sum.energy_error < 1e-8*sum.energy_scale);
  free(t), free(x), free(v), free(a), free(w), free(en);
  tn_results_close(&f.file);
  remove(path);
  unload(&m);
}

static void even_crank_against_closed_form(void) { run_slider_crank(0, 0, "cartesian"); }
static void uneven_crank_against_closed_form(void) { run_slider_crank(0.2, 0, "cartesian"); }
static void drag_is_paid_by_the_motor(void) { run_slider_crank(0.2, friction, "cartesian"); }
static void drag_in_joint_coordinates(void) { run_slider_crank(0.2, friction, "joint"); }

/* ---- what switches while a motion is prescribed ------------------------------------------------ */

static stored run_stored(const char *text, const char *path, loaded *m, tn_summary *sum) {
  stored f = {0};
  load_text(m, text);
  tn_run_opts o = {.results = path, .overwrite = true};
  CHECK_OK(m->ctx, tn_run(m->ctx, m->model, &o, sum));
  CHECK_TEXT(sum->verdict, "sound");
  CHECK_OK(m->ctx, tn_results_open(m->ctx, path, &f.file));
  f.n = tn_results_ntime(f.file);
  return f;
}

/* A mass of 1 kg moves as x = sin 2t between a rope that becomes taut at x = 0.5, a stop at +-0.6, a ball that it meets at x = -0.6, and a
 * controller that holds what it measured at the last multiple of 0.07 s: every force follows from t. Few rows, so that most switches lie
 * between them. */
static void forces_switch_in_prescribed_motions(void) {
  static const char *const representation[] = {"cartesian", "joint"};
  static const double every[] = {0.05, 0.31};
  for (int i = 0; i < 4; i++) {
    char text[2000], path[64];
    loaded m;
    tn_summary sum;
    snprintf(path, sizeof(path), "/tmp/tenon-inverse-%d.h5", (int)getpid());
    snprintf(text, sizeof(text),
             "planar: true\n"
             "ground: {points: {o: [-2, 0]}}\n"
             "bodies: {m: {mass: 1, inertia: 0.1}}\n"
             "joints: {j: {type: prismatic, bodies: [ground, m], at: [0, 0], axis: x}}\n"
             "drive: {d: {joint: j, motion: \"sin(2*t)\"}}\n"
             "forces:\n"
             "  rope: {type: spring, points: [m, ground.o], stiffness: 100, free_length: 2.5, tension_only: true}\n"
             "  wall: {type: stop, joint: j, min: -0.7, max: 0.6, stiffness: 1000}\n"
             "  ball: {type: contact, bodies: [m, ground], shape2: sphere, radius1: 0.3, radius2: 0.3, at2: [-1.2, 0], stiffness: 6000}\n"
             "  hold: {type: pd, joint: j, kp: 20, kd: 3, sample: 0.07, target: \"0\"}\n"
             "sensors: {push: {type: reaction, joint: d}, hit: {type: impulse, of: ball}}\n"
             "analysis: {type: kinematics, until: 3.1, representation: %s}\n"
             "output: {every: %g}\n", representation[i % 2], every[i/2]);
    stored f = run_stored(text, path, &m, &sum);
    double *t = calloc((size_t)f.n, sizeof(double)), off = 0;
    CHECK_OK(m.ctx, tn_results_read(f.file, 0, t, NULL));
    double *w = channel(&f, "sensors/push", 6), *hit = channel(&f, "sensors/hit", 2), *en = channel(&f, "energy/energy", 5);
    for (int k = 0; k < f.n; k++) {
      double x = sin(2*t[k]), s = 0.07*floor(t[k]/0.07 + 1e-9);
      double rope = -100*fmax(0, x - 0.5), wall = -1000*fmax(0, x - 0.6) - 1000*fmin(0, x + 0.7), ball = 6000*fmax(0, -0.6 - x);
      double hold = -20*sin(2*s) - 3*2*cos(2*s);
      double sum_of = fabs(fabs(w[6*k]) - fabs(-4*x - rope - wall - ball - hold));
      if (fabs(t[k] - 0.07*round(t[k]/0.07)) > 1e-6) off = fmax(off, sum_of);
    }
    CHECK_NEAR(off, 0, 2e-6);
    /* impulse of the ball: from sin 2t = -0.6 to there again */
    double t0 = 0.5*(PI_ + asin(0.6)), t1 = 0.5*(2*PI_ - asin(0.6));
    CHECK_NEAR(hit[2*(f.n - 1)], 6000*(-0.6*(t1 - t0) - 0.5*(cos(2*t0) - cos(2*t1))), 1e-4*hit[2*(f.n - 1)]);
    CHECK(sum.energy_error < 1e-4*sum.energy_scale);
    const double *end = en + 5*(f.n - 1);
    CHECK_NEAR(end[0] + end[1] - en[0] - en[1], end[3] - end[2], 1e-4*sum.energy_scale);
    CHECK(sum.events >= 44 + 6);
    free(t), free(w), free(hit), free(en);
    tn_results_close(&f.file);
    remove(path);
    unload(&m);
  }
}

/* work is that of the motion, however few its rows are */
static void work_of_fast_motions_is_summed(void) {
  char path[64];
  loaded m;
  tn_summary sum;
  snprintf(path, sizeof(path), "/tmp/tenon-inverse-%d.h5", (int)getpid());
  stored f = run_stored("planar: true\nbodies: {m: {mass: 1, inertia: 0.1}}\n"
                        "joints: {j: {type: prismatic, bodies: [ground, m], at: [0, 0], axis: x}}\n"
                        "drive: {d: {joint: j, motion: \"sin(20*t + 0.3)\"}}\n"
                        "forces:\n  k: {type: joint_force, joint: j, force: \"-20*value\"}\n"
                        "  c: {type: spring, points: [m, ground.o], damping: 5}\nground: {points: {o: [-3, 0]}}\n"
                        "analysis: {type: kinematics, until: 3}\noutput: {every: 0.37}\n", path, &m, &sum);
  double *en = channel(&f, "energy/energy", 5);
  const double *end = en + 5*(f.n - 1);
  /* 5 x'^2 over 3 s: 1000 (1 + cos(40 t + 0.6)) */
  CHECK_NEAR(end[2], 1000*(3 + (sin(120 + 0.6) - sin(0.6))/40), 1e-3);
  CHECK(sum.energy_error < 1e-3*sum.energy_scale);
  free(en);
  tn_results_close(&f.file);
  remove(path);
  unload(&m);
}

/* angles are counted however far bodies turn between two rows: a velocity says nothing of whole turns */
static void prescribed_turns_are_counted(void) {
  for (int i = 0; i < 2; i++) {
    char text[1200], path[64];
    loaded m;
    tn_summary sum;
    snprintf(path, sizeof(path), "/tmp/tenon-inverse-%d.h5", (int)getpid());
    snprintf(text, sizeof(text),
             "planar: true\n"
             "bodies:\n  a: {mass: 1, inertia: 0.1, at: [0.3, 0]}\n  b: {mass: 1, inertia: 0.1, at: [0.6, 0]}\n"
             "joints:\n  j: {type: revolute, bodies: [ground, a], at: [0, 0]}\n  k: {type: revolute, bodies: [a, b], at: [0.6, 0]}\n"
             "drive:\n  d: {joint: j, motion: \"50*t^2\"}\n  e: {joint: k, velocity: \"-130 + 20*t\"}\n"
             "sensors: {angle: {type: expression, value: \"angle(k)\", unit: rad}}\n"
             "analysis: {type: kinematics, until: 2, representation: %s}\noutput: {every: 0.4}\n", i ? "joint" : "cartesian");
    stored f = run_stored(text, path, &m, &sum);
    double *x = channel(&f, "sensors/angle", 1);
    for (int k = 0; k < f.n; k++) CHECK_NEAR(x[k], -130*0.4*k + 10*0.16*k*k, 1e-6);
    free(x);
    tn_results_close(&f.file);
    remove(path);
    unload(&m);
  }
}

/* A slider-crank written in micrometres, kilometres long in them: places are known to rounding of 1e5 and more, and that is enough. */
static void lengths_may_have_any_unit(void) {
  static const double unit[] = {1, 1e3, 1e6, 1e9, 1e-3, 1e-6};
  for (int i = 0; i < TNI_COUNT(unit); i++) {
    char text[1600];
    loaded m;
    double u = unit[i];
    snprintf(text, sizeof(text),
             "planar: true\nbodies: {c: {mass: 1, inertia: %.17g, at: [%.17g, 0]}, r: {mass: 1, inertia: %.17g, at: [%.17g, 0], points: {e: [%.17g, 0]}}}\n"
             "joints:\n  p: {type: revolute, bodies: [ground, c], at: [0, 0]}\n  q: {type: revolute, bodies: [c, r], at: [%.17g, 0]}\n"
             "  s: {type: inline, bodies: [ground, r], at: [%.17g, 0], axis: x}\n"
             "drive: [{joint: p, motion: 5*t}]\nanalysis: {type: kinematics, until: 1}\noutput: {every: 0.05}\n",
             0.01*u*u, 0.05*u, 0.02*u*u, 0.25*u, 0.15*u, 0.1*u, 0.4*u);
    load_text(&m, text);
    tn_summary sum;
    CHECK_OK(m.ctx, tn_run(m.ctx, m.model, &(tn_run_opts){.results = ""}, &sum));
    CHECK_TEXT(sum.verdict, "sound");
    unload(&m);
  }
}

int main(void) {
  RUN(lengths_may_have_any_unit);
  RUN(forces_switch_in_prescribed_motions);
  RUN(work_of_fast_motions_is_summed);
  RUN(prescribed_turns_are_counted);
  RUN(torques_of_a_driven_arm_give_its_motion_back);
  RUN(even_crank_against_closed_form);
  RUN(uneven_crank_against_closed_form);
  RUN(drag_is_paid_by_the_motor);
  RUN(drag_in_joint_coordinates);
  return REPORT();
}
