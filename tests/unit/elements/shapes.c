/* where the nodes of curved, twisted and moving beams are, and what they weigh
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/loaded.h"

static const double PI = 3.14159265358979323846;
#define STIFF "EA: 1, GA: 1, EI: 1, GJ: 1, rhoA: 3, rhoI: 0.1"

static double mass_of(const tn_model *m) {
  double sum = 0;
  for (int i = 0; i < m->nbody; i++) sum += m->body[i].mass;
  return sum;
}

/* three quarters of a circle of radius 2 about (1, 0, 0) in the plane x z */
static void arcs_lie_on_their_circle(void) {
  loaded l;
  load_text(&l, "beams: {b: {points: [[3, 0, 0], [-1, 0, 0], [1, 0, -2]], curve: arc, elements: 6,\n"
                "  velocity: [0, \"2*s\", 0], " STIFF "}}\n");
  CHECK_INT(l.model->nbody, 7);
  CHECK_NEAR(mass_of(l.model), 3*2*1.5*PI, 1e-13);
  for (int i = 0; i < 7; i++) {
    double a = 1.5*PI*i/6;
    const tni_body *n = &l.model->body[i];
    CHECK_WITHIN(n->r0[0], 1 + 2*cos(a), 1e-13);
    CHECK_WITHIN(n->r0[1], 0, 1e-13);
    CHECK_WITHIN(fabs(n->r0[2]), fabs(2*sin(a)), 1e-13);
    CHECK_WITHIN(n->v0[1], 2*2*a, 1e-12); /* s = 2 a */
  }
  unload(&l);
}

/* A spline through points of a straight line at uneven distances is that line; through nine points of a half circle
 * its length is that of the arc but for the error of the spline. */
static void splines_have_their_length(void) {
  loaded l;
  char text[1000] = "beams: {b: {points: [";
  load_text(&l, "beams: {b: {points: [[0, 0, 0], [1, 2, 2], [3, 6, 6]], elements: 4, " STIFF "}}\n");
  CHECK_NEAR(mass_of(l.model), 3*9, 1e-13);
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 3; k++) CHECK_WITHIN(l.model->body[i].r0[k], i/4.0*(k ? 6 : 3), 1e-13);
  unload(&l);
  for (int i = 0; i <= 16; i++)
    snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s[%.17g, %.17g, 0]", i ? ", " : "", cos(PI*i/16),
             sin(PI*i/16));
  snprintf(text + strlen(text), sizeof(text) - strlen(text), "], elements: 16, " STIFF "}}\n");
  load_text(&l, text);
  CHECK_NEAR(mass_of(l.model), 3*PI, 1e-4);
  unload(&l);
}

/* sections at the middle have half of the twist, those at the end all of it */
static void twist_grows_with_the_length(void) {
  loaded l;
  load_text(&l, "beams: {b: {from: [0, 0, 0], to: [2, 0, 0], elements: 4, twist: 0.8, " STIFF "}}\n");
  for (int i = 0; i < 5; i++) {
    const double *p = l.model->body[i].p0;
    CHECK_WITHIN(fabs(2*atan2(p[1], p[0])), 0.2*i, 1e-13);
    CHECK_WITHIN(hypot(p[2], p[3]), 0, 1e-13);
  }
  unload(&l);
}

/* as a whole about its start: v = v_0 + w x (x - x_0), and the sections turn with it */
static void beams_turn_as_a_whole(void) {
  loaded l;
  load_text(&l, "beams: {b: {from: [1, 0, 0], to: [3, 0, 0], elements: 2, velocity: [0, 0, 5],\n"
                "  angular_velocity: [0, 0, 3], " STIFF "}}\n");
  for (int i = 0; i < 3; i++) {
    const tni_body *n = &l.model->body[i];
    CHECK_WITHIN(n->v0[1], 3.0*i, 1e-13);
    CHECK_WITHIN(n->v0[2], 5, 1e-13);
    CHECK_WITHIN(n->w0[2], 3, 1e-13);
  }
  unload(&l);
}

/* rigid elements: a beam of one piece, held by as many rows as its nodes have freedoms but six */
static void rigid_beams_are_rigid(void) {
  loaded l;
  tn_sim *sim;
  double r[3], e[4];
  /* where a beam ends on a body of its own, what joins its nodes acts at the node behind, as elsewhere */
  load_text(&l, "bodies: {a: {mass: 1, inertia: [1, 1, 1], at: [2, 5, 1]}}\n"
                "beams: {b: {from: [0, 0, 0], to: [2, 0, 0], elements: 2, element: rigid, end: a, " STIFF "}}\n");
  for (int i = 0; i < l.model->njoint; i++)
    for (int side = 0; side < 2; side++) {
      const tni_joint *j = &l.model->joint[i];
      const tni_body *o = &l.model->body[j->body[side]];
      double A[9], x[3];
      quat_matrix(A, o->p0);
      mat3_vec(x, A, j->frame[side].p);
      vec3_add(x, x, o->r0);
      CHECK_WITHIN(x[0], i + 1, 1e-12);
      CHECK_WITHIN(fabs(x[1]) + fabs(x[2]), 0, 1e-12);
    }
  CHECK_INT(l.model->njoint, 2);
  unload(&l);
  load_text(&l, "beams: {b: {from: [0, 0, 0], to: [2, 0, 0], elements: 3, element: rigid, angular_velocity: [0, 0, 2],\n"
                "  " STIFF "}}\nanalysis: {until: 1, tolerance: 1e-9}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 1));
  double first[3], last[3];
  for (int i = 0; i < 4; i++) {
    CHECK_OK(l.ctx, tn_sim_body_pose(sim, i, r, e));
    if (i == 0) vec3_copy(first, r);
    vec3_sub(last, r, first);
    CHECK_WITHIN(vec3_norm(last), 2.0*i/3, 1e-7);
    CHECK_WITHIN(remainder(2*atan2(e[3], e[0]) - 2, 2*PI), 0, 1e-7);
  }
  tn_sim_destroy(&sim);
  unload(&l);
}

int main(void) {
  RUN(arcs_lie_on_their_circle);
  RUN(splines_have_their_length);
  RUN(twist_grows_with_the_length);
  RUN(beams_turn_as_a_whole);
  RUN(rigid_beams_are_rigid);
  return REPORT();
}
