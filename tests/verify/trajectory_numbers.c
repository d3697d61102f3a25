/* tests/verify/trajectory_numbers.c - whole trajectories against numbers that others have found: places, velocities, multipliers
 *
 * References: Runge-Kutta of order 8 with a relative tolerance of 2.3e-14 in formulations of their own (minimal coordinates, or accelerations of
 * all bodies), printed to nine digits and more. Multipliers of rows that fix two directions depend on how these are chosen; their
 * norm does not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

static const char *const formulation[] = {"order: 4, elements: 128", "order: 4, elements: 128, formulation: direction_cosines, rule: collocation"};
enum { FORMULATIONS = 2 };

typedef struct {
  loaded l;
  tn_sim *sim;
  double *lambda;
} rig;

static void open_rig(rig *g, const char *model, const char *how) {
  char text[5000];
  memset(g, 0, sizeof(*g));
  snprintf(text, sizeof(text), "%sanalysis: {until: 1, method: state_time, representation: cartesian, window: 16, %s}\n", model, how);
  load_text(&g->l, text);
  CHECK_OK(g->l.ctx, tn_sim_create(g->l.ctx, g->l.model, NULL, &g->sim));
  g->lambda = calloc((size_t)g->sim->s->m + 1, sizeof(double));
}
static void close_rig(rig *g) {
  free(g->lambda);
  tn_sim_destroy(&g->sim);
  unload(&g->l);
}

/* state at t, and the multipliers that follow from it */
static void go_to(rig *g, double t) {
  tni_data *s = g->sim->s;
  if (t > 0) CHECK_OK(g->l.ctx, tn_sim_advance(g->sim, t));
  double *a = calloc((size_t)s->nv, sizeof(double));
  double *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc((size_t)s->nv, sizeof(double));
  tni_coordinates(s, s->kin, q, v);
  CHECK_OK(g->l.ctx, tni_accel(s, t, q, v, a, g->lambda, NULL));
  free(a), free(q), free(v);
}
static const tni_kin *body(const rig *g, int i) { return &g->sim->s->kin[i + 1]; }
static double rate_of(rig *g, const char *joint) {
  double value, rate = NAN;
  CHECK_OK(g->l.ctx, tn_sim_joint_coordinate(g->sim, tn_model_find_joint(g->l.model, joint), 0, &value, &rate));
  return rate;
}

static void near3(const double *got, const double *want, double tol, const char *what) {
  for (int i = 0; i < 3; i++) check_within(got[i], want[i], tol, what, __FILE__, __LINE__);
}
/* multipliers of the rows of a point, then the norm of n more against that of as many */
static void joint_is(const rig *g, int first, const double *want, int n, double tol) {
  double got = 0, norm = 0;
  near3(g->lambda + first, want, tol, "force");
  for (int i = 3; i < 3 + n; i++) got = hypot(got, g->lambda[first + i]), norm = hypot(norm, want[i]);
  CHECK_WITHIN(got, norm, tol);
}

static void spring_on_a_rod(void) {
  for (int f = 0; f < FORMULATIONS; f++) {
    rig g;
    open_rig(&g, "planar: true\ngravity: [0, -2]\n"
             "bodies: {rod: {mass: 1, inertia: 0.64/12, at: [0.4*sin(1), -0.4*cos(1)], orientation: 1}}\n"
             "joints: {pin: {type: revolute, bodies: [ground, rod], at2: [0, 0.4], x1: x, x2: x, initial_rate: 1}}\n"
             "forces: {s: {type: spring, bodies: [ground, rod], at1: [1, -0.5], at2: [0, -0.4], stiffness: 20, damping: 0.5,\n"
             "             free_length: 0.4}}\n", formulation[f]);
    go_to(&g, 1);
    CHECK_WITHIN(sim_coordinate(g.sim, "pin"), 0.656583155440, 2e-11);
    CHECK_WITHIN(rate_of(&g, "pin"), 0.897488674104, 2e-10);
    close_rig(&g);
  }
}

#define FIRST_HINGE                                                                                                    \
  "gravity: [0, 0, -9.81]\n"                                                                                           \
  "bodies:\n"                                                                                                          \
  "  one: {mass: 1, inertia: [[0.09, 0.01, 0], [0.01, 0.08, 0.005], [0, 0.005, 0.02]]}\n"                              \
  "  two: {mass: 0.5, inertia: [[0.04, 0, 0.002], [0, 0.035, 0], [0.002, 0, 0.01]]}\n"                                 \
  "joints:\n"                                                                                                          \
  "  j1: {type: revolute, bodies: [ground, one], at1: [0, 0, 0], at2: [0, 0, 0.5], axis1: x, axis2: x, x1: y, x2: y,\n" \
  "       initial: 0.6, initial_rate: 1}\n"

static void two_hinges_in_space(void) {
  static const double motion[4][4] = {{0.681843423177, -0.622186180542, -0.413176538023, 0.352348702029},
                                      {0.417704366970, -0.229217127454, -1.548687469742, 2.570179905919},
                                      {-0.016653041285, 0.414068762768, -1.827308431865, 1.913521941266},
                                      {-0.440947669684, 0.524168945230, -1.399388261319, -0.955620842149}};
  static const double force[3][10] = {
      {1.197065899544, 5.308355883539, -12.654374444527, -0.780674895264, -0.271297490801, 1.197065899544, 3.181879940090,
       -3.693360752237, 0.709468405215, -0.216027092152},
      {0.927071028507, 4.728668420483, -16.332897760763, -0.341781305746, -0.012064351285, 0.927071028507, 3.073467023135,
       -5.945491865059, 0.722939406439, -0.139837861940},
      {-1.174380470472, -4.992913556384, -14.174792881417, 1.423387145904, -0.665658155643, -1.174380470472, -2.851820016182,
       -4.292550594039, -0.050734609757, -0.124740561263}};
  static const double x[] = {-0.045143173025, -0.650565403062, -1.206607458271}, v[] = {0.239922613874, -1.660609494404, 0.774527354526};
  static const double w[] = {-1.211506642745, -0.344265668461, -1.133680512300};
  static const double C[] = {0.865740178215, -0.300296220051, 0.400394960068, 0.100684928618, 0.888142079747, 0.448404049193,
                             -0.490261653583, -0.347887663487, 0.799135585880};
  for (int f = 0; f < FORMULATIONS; f++) {
    rig g;
    open_rig(&g, FIRST_HINGE "  j2: {type: revolute, bodies: [one, two], at1: [0.1, 0, -0.5], at2: [0, 0.05, 0.4], axis1: [0, 0.8, 0.6],\n"
             "       axis2: [0, 0.8, 0.6], x1: x, x2: x, initial: -0.4, initial_rate: -2}\n", formulation[f]);
    for (int k = 0; k <= 4; k++) {
      go_to(&g, 0.25*k);
      for (int j = 0; j < 2 && k % 2 == 0; j++) joint_is(&g, 5*j, force[k/2] + 5*j, 2, 1e-8);
      if (k == 0) continue;
      CHECK_WITHIN(sim_coordinate(g.sim, "j1"), motion[k - 1][0], 2e-11);
      CHECK_WITHIN(sim_coordinate(g.sim, "j2"), motion[k - 1][1], 2e-11);
      CHECK_WITHIN(rate_of(&g, "j1"), motion[k - 1][2], 2e-10);
      CHECK_WITHIN(rate_of(&g, "j2"), motion[k - 1][3], 2e-10);
    }
    near3(body(&g, 1)->r, x, 2e-11, "place");
    near3(body(&g, 1)->v, v, 2e-10, "velocity");
    near3(body(&g, 1)->w, w, 2e-10, "angular velocity");
    for (int i = 0; i < 9; i += 3) near3(body(&g, 1)->A + i, C + i, 2e-11, "directions");
    close_rig(&g);
  }
}

static void hinge_and_slide(void) {
  static const double force[2][10] = {{4.223783298221, 1.286090373800, -13.5636, -2.094233076643, 6.504673357637, -0.013659404180,
                                       -0.010244553135, 0, -0.435749221876, 4.692},
                                      {-2.835391221783, -0.650470533838, -12.814327324248, 0.927055741141, 4.187036565882,
                                       0.035806169052, 0.026854626789, 0, -0.458706919559, 3.755409155310}};
  static const double x1[] = {-0.371684166619, 0.147820432568, 0}, x2[] = {1.480885477753, -0.588954686706, -1.495277289766};
  static const double v2[] = {4.788141113872, -0.885800100119, -3.582404237875}, w[] = {0, 0, 0.593817050683};
  for (int f = 0; f < FORMULATIONS; f++) {
    rig g;
    open_rig(&g, "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  one: {mass: 1, inertia: [0.02, 0.06, 0.07], at: [0.4*cos(0.3), 0.4*sin(0.3), 0], orientation: {axis: z, angle: 0.3}}\n"
             "  two: {mass: 0.5, inertia: [[0.01, 0.001, 0], [0.001, 0.02, 0], [0, 0, 0.015]],\n"
             "        at: [\"(0.4 + 0.24)*cos(0.3)\", \"(0.4 + 0.24)*sin(0.3)\", 0.18], orientation: {axis: z, angle: 0.3}}\n"
             "joints:\n"
             "  j1: {type: revolute, bodies: [ground, one], at1: [0, 0, 0], at2: [-0.4, 0, 0], axis1: z, axis2: z, initial_rate: 2}\n"
             "  j2: {type: prismatic, bodies: [one, two], at1: [0, 0, 0], at2: [0, 0, 0], axis1: [0.8, 0, 0.6], axis2: [0.8, 0, 0.6],\n"
             "       x1: y, x2: y, initial: 0.3, initial_rate: -0.5}\n", formulation[f]);
    for (int k = 0; k < 2; k++) {
      go_to(&g, k);
      joint_is(&g, 0, force[k], 2, 1e-8);
      /* the other five: which come first is the joint's business; sums of squares of forces and of couples */
      double got[5], forces = hypot(force[k][8], force[k][9]), couples = hypot(hypot(force[k][5], force[k][6]), force[k][7]);
      memcpy(got, g.lambda + 5, sizeof(got));
      bool couples_first = fabs(hypot(got[3], got[4]) - forces) < 1e-6;
      CHECK_WITHIN(couples_first ? hypot(got[3], got[4]) : hypot(got[0], got[1]), forces, 1e-8);
      CHECK_WITHIN(couples_first ? hypot(hypot(got[0], got[1]), got[2]) : hypot(hypot(got[2], got[3]), got[4]), couples, 1e-8);
    }
    near3(body(&g, 0)->r, x1, 2e-11, "place of the arm");
    near3(body(&g, 1)->r, x2, 2e-11, "place");
    near3(body(&g, 1)->v, v2, 2e-10, "velocity");
    near3(body(&g, 1)->w, w, 2e-10, "angular velocity");
    close_rig(&g);
  }
}

static void hinge_and_cardan_joint(void) {
  static const double force[9] = {1.720207566524, -1.991668271564, -16.103723766212, -1.177513441138, -0.039598467505, 1.720207566524,
                                  -3.418101583673, -5.223945135942, 0.074428834801};
  static const double x1[] = {0, -0.109988635423, -0.487752498792}, x2[] = {0.223038943683, -0.513348816172, -1.223082368784};
  static const double w2[] = {-2.150477634751, -3.527481233323, 1.054942166805};
  for (int f = 0; f < FORMULATIONS; f++) {
    rig g;
    open_rig(&g, "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  one: {mass: 1, inertia: [[0.09, 0.01, 0], [0.01, 0.08, 0.005], [0, 0.005, 0.02]], orientation: {axis: x, angle: 0.6},\n"
             "        at: [-0, 0.2823212366975177, -0.4126678074548392],\n"
             "        velocity: [-0, 0.4126678074548392, 0.2823212366975177], angular_velocity: [1, 0, 0]}\n"
             "  two: {mass: 0.5, inertia: [[0.04, 0, 0.002], [0, 0.035, 0], [0.002, 0, 0.01]],\n"
             "        orientation: {axis: [0.8246408501318114, -0.3320161801127566, -0.4579658550997192], angle: 0.7177453093530823},\n"
             "        at: [0.2129313192695087, 0.7275556006782926, -1.176342495307823],\n"
             "        velocity: [-0.5758860609540495, 1.617347118152287, 0.746956558385387],\n"
             "        angular_velocity: [2, 1.270791579381745, 0.796924564668734]}\n"
             "joints:\n"
             "  j1: {type: revolute, bodies: [ground, one], at1: [0, 0, 0], at2: [0, 0, 0.5], axis1: x, axis2: x}\n"
             "  j2: {type: universal, bodies: [one, two], at1: [0.1, 0, -0.5], at2: [0, 0.05, 0.4], axis1: x,\n"
             "       axis2: [0.2458876574779299, -0.9692983337961621, 0]}\n", formulation[f]);
    go_to(&g, 1);
    joint_is(&g, 0, force, 2, 1e-7);
    joint_is(&g, 5, force + 5, 1, 1e-7);
    near3(body(&g, 0)->r, x1, 1e-10, "place of the first");
    near3(body(&g, 1)->r, x2, 1e-10, "place");
    near3(body(&g, 1)->w, w2, 1e-9, "angular velocity");
    CHECK_WITHIN(body(&g, 0)->w[0], -1.208132023493, 1e-9);
    close_rig(&g);
  }
}

/* angle of a body in the plane, counted on from `last` */
static double angle_of(const rig *g, int i, double last) {
  const double *A = body(g, i)->A;
  return last + remainder(atan2(A[3], A[0]) - last, 6.283185307179586);
}

/* forces of joints in the plane, of each up to the body it acts on */
static void forces_are(const rig *g, int n, const double *want, double tol) {
  for (int j = 0; j < n; j++) {
    double sign = g->lambda[2*j]*want[2*j] < 0 ? -1 : 1;
    CHECK_WITHIN(sign*g->lambda[2*j], want[2*j], tol);
    CHECK_WITHIN(sign*g->lambda[2*j + 1], want[2*j + 1], tol);
  }
}

static void four_bar_in_the_plane(void) {
  static const double motion[4][4] = {{1.606066759922, 2.212213117981, 0.427850447515, 1.848205229764},
                                      {2.212366505732, 2.829605353925, 0.414553116670, 2.103938704234},
                                      {3.193482600523, 5.812420466816, 0.549778704371, 2.434593268914},
                                      {5.003968851076, 5.521351723722, 1.074899323223, 2.337274013968}};
  static const double force[2][8] = {{0.4050558243, 0.5874769221, 0.5362763266, 0.6219211886, 0.2577315169, 0.5344450388, 0.2650956182,
                                      -1.7860380780},
                                     {2.219726906362, -6.654015178939, 0.964874149124, -4.998343849489, -1.386404044189,
                                      -0.024655852800, 0.287186205433, -1.380535042575}};
  for (int f = 0; f < FORMULATIONS; f++) {
    rig g;
    double angle[3] = {1, 0.5, 1.7};
    open_rig(&g, "planar: true\ngravity: [0, -2]\n"
             "params: {th: 1, px: 0.3*cos(1), py: 0.3*sin(1), r2: (1 - 0.3*cos(1))^2 + (0.3*sin(1))^2, r: sqrt(r2),\n"
             "         be: \"atan2(-py, 1 - px) + acos((0.81 + r2 - 0.49)/(1.8*r))\", qx: px + 0.9*cos(be), qy: py + 0.9*sin(be)}\n"
             "bodies:\n"
             "  crank: {mass: 0.3, inertia: 0.3*0.09/12, between: [[0, 0], [px, py]]}\n"
             "  coupler: {mass: 0.9, inertia: 0.9*0.81/12, between: [[px, py], [qx, qy]]}\n"
             "  rocker: {mass: 0.7, inertia: 0.7*0.49/12, between: [[1, 0], [qx, qy]]}\n"
             "joints:\n"
             "  a: {type: revolute, bodies: [ground, crank], at1: [0, 0], at2: [-0.15, 0], initial_rate: 3}\n"
             "  b: {type: revolute, bodies: [crank, coupler], at1: [0.15, 0], at2: [-0.45, 0]}\n"
             "  c: {type: revolute, bodies: [coupler, rocker], at1: [0.45, 0], at2: [0.35, 0]}\n"
             "  d: {type: revolute, bodies: [ground, rocker], at1: [1, 0], at2: [-0.35, 0]}\n", formulation[f]);
    for (int k = 0; k <= 4; k++) {
      go_to(&g, 0.25*k);
      if (k % 4 == 0) forces_are(&g, 4, force[k/4], k ? 1e-7 : 1e-9);
      for (int i = 0; i < 3; i++) {
        angle[i] = angle_of(&g, i, angle[i]);
        if (k) CHECK_WITHIN(angle[i], motion[k - 1][i == 0 ? 0 : i + 1], 1e-10);
      }
      if (k) CHECK_WITHIN(body(&g, 0)->w[2], motion[k - 1][1], 1e-9);
    }
    close_rig(&g);
  }
}

static void slider_crank_in_the_plane(void) {
  static const double motion[4][3] = {{1.591481703670, 2.566160081045, 0.472846274125},
                                      {2.615504501594, 8.209076047972, 0.324494620081},
                                      {5.428799647315, 9.399152605493, 0.589229275370},
                                      {7.390534634095, 3.390865182155, 0.572505081336}};
  static const double force[2][8] = {{2.516237572581, 4.225148944083, -2.160394835667, -1.408258379946, -0.795523228302, 3.098766522675,
                                      0, 7.022766522675},
                                     {2.401360642957, 6.773562060433, -2.077652037124, -2.673026623603, -0.779859133896,
                                      3.887830075326, 0, 7.811830075326}};
  for (int f = 0; f < FORMULATIONS; f++) {
    rig g;
    double angle = 0.8;
    open_rig(&g, "planar: true\ngravity: [0, -9.81]\n"
             "params: {px: 0.2*cos(0.8), py: 0.2*sin(0.8), sx: px + sqrt(0.25 - (0.05 - py)^2)}\n"
             "bodies:\n"
             "  crank: {mass: 0.5, inertia: 0.5*0.04/12, between: [[0, 0], [px, py]]}\n"
             "  rod: {mass: 0.8, inertia: 0.8*0.25/12, between: [[px, py], [sx, 0.05]]}\n"
             "  slider: {mass: 0.4, inertia: 0.001, at: [sx, 0.05]}\n"
             "joints:\n"
             "  a: {type: revolute, bodies: [ground, crank], at1: [0, 0], at2: [-0.1, 0], initial_rate: 5}\n"
             "  b: {type: revolute, bodies: [crank, rod], at1: [0.1, 0], at2: [-0.25, 0]}\n"
             "  c: {type: revolute, bodies: [rod, slider], at1: [0.25, 0], at2: [0, 0]}\n"
             "  g: {type: prismatic, bodies: [ground, slider], at1: [0, 0.05], at2: [0, 0], axis: x}\n", formulation[f]);
    for (int k = 0; k <= 4; k++) {
      go_to(&g, 0.25*k);
      angle = angle_of(&g, 0, angle);
      if (k % 4 == 0) {
        forces_are(&g, 3, force[k/4], k ? 1e-6 : 1e-9);
        CHECK_WITHIN(hypot(g.lambda[6], g.lambda[7]), force[k/4][7], k ? 1e-6 : 1e-9);
      }
      if (k == 0) continue;
      CHECK_WITHIN(angle, motion[k - 1][0], 1e-9);
      CHECK_WITHIN(body(&g, 0)->w[2], motion[k - 1][1], 1e-8);
      CHECK_WITHIN(body(&g, 2)->r[0], motion[k - 1][2], 1e-9);
    }
    close_rig(&g);
  }
}

int main(void) {
  RUN(spring_on_a_rod);
  RUN(two_hinges_in_space);
  RUN(hinge_and_slide);
  RUN(hinge_and_cardan_joint);
  RUN(four_bar_in_the_plane);
  RUN(slider_crank_in_the_plane);
  return REPORT();
}
