/* section: stiffness and inertia of cross sections against handbooks
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "materials/section.h"

#include "support/loaded.h"

static const double PI = 3.14159265358979323846;

/* profile of a beam with this section, E = 8, nu = 0.25 (G = 3.2), rho = 3 */
static tni_profile profile(const char *section) {
  loaded l;
  char text[300];
  snprintf(text, sizeof(text), "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], section: %s,\n"
           "  material: {E: 8, nu: 0.25, rho: 3}}}\n", section);
  load_text(&l, text);
  tni_profile p = *l.model->beam[0].profile;
  unload(&l);
  return p;
}

static void rectangles_have_their_moments(void) {
  tni_profile p = profile("{rectangle: [2, 0.5]}"); /* width along y, height along z */
  CHECK_NEAR(p.C[0], 8*1.0, 1e-15);
  CHECK_NEAR(p.C[4], 8*2*0.125/12, 1e-15); /* about y: thin direction */
  CHECK_NEAR(p.C[5], 8*0.5*8/12, 1e-15);
  CHECK_NEAR(p.rhoA, 3, 1e-15);
  CHECK_NEAR(p.rhoI[0], p.rhoI[1] + p.rhoI[2], 1e-15);
  CHECK_NEAR(p.rhoI[2], 3*0.5*8/12, 1e-15);
  /* shear factor 10 (1 + nu)/(12 + 11 nu) */
  CHECK_NEAR(p.C[1], 12.5/14.75*3.2, 1e-14);
  /* Saint-Venant's constants of handbooks, rounded to four digits: J = k w t^3 */
  CHECK_WITHIN(profile("{rectangle: [1, 1]}").C[3]/3.2, 0.1406, 5e-5);
  CHECK_WITHIN(profile("{rectangle: [1, 2]}").C[3]/3.2, 2*0.2287, 2*5e-5);
  CHECK_WITHIN(profile("{rectangle: [10, 1]}").C[3]/3.2, 10*0.3123, 10*5e-5);
}

static void circles_and_tubes_have_their_moments(void) {
  tni_profile p = profile("{circle: 0.5}"), t = profile("{tube: [0.5, 0.499999]}");
  CHECK_NEAR(p.C[0], 8*PI/4, 1e-15);
  CHECK_NEAR(p.C[4], 8*PI/64, 1e-15);
  CHECK_NEAR(p.C[3], 3.2*PI/32, 1e-15);
  CHECK_NEAR(p.C[1]/(3.2*PI/4), 7.5/8.5, 1e-14);
  /* thin tube: A = 2 pi r s, J = 2 pi r^3 s, shear factor 2 (1 + nu)/(4 + 3 nu) */
  double s = 1e-6;
  CHECK_NEAR(t.C[0]/(8*PI*s), 1, 1e-5);
  CHECK_NEAR(t.C[3]/(3.2*2*PI*0.125*s), 1, 1e-5);
  CHECK_NEAR(t.C[1]/(3.2*PI*s), 2.5/4.75, 1e-5);
  /* a tube with a small hole is nearly a rod */
  CHECK_NEAR(profile("{tube: [0.5, 1e-6]}").C[1], p.C[1], 1e-9);
}

/* a beam on a rigid body: the body takes half of the end element, about its new centre of mass */
static void bodies_take_over_the_mass_of_an_end(void) {
  loaded l;
  load_text(&l, "bodies: {hub: {mass: 2, inertia: [1, 1, 1], points: {rim: [0.5, 0, 0]}}}\n"
                "beams: {b: {from: hub.rim, to: [2.5, 0, 0], elements: 2, EA: 1, GA: 1, EI: 1, GJ: 1,\n"
                "  rhoA: 4, rhoI: 0.5}}\n");
  const tni_body *hub = &l.model->body[0];
  CHECK_INT(l.model->nbody, 3);
  CHECK_NEAR(hub->mass, 4, 1e-15);
  CHECK_NEAR(hub->com[0], 0.25, 1e-15);
  CHECK_NEAR(hub->r0[0], 0.25, 1e-15);
  CHECK_NEAR(hub->marker[0].frame.p[0], 0.25, 1e-15);
  /* about y 1 + 2*0.25^2 + 2*0.25^2 + rhoI*0.5; about x 1 + (0.5 + 0.5)*0.5 */
  CHECK_NEAR(hub->I[4], 1.5, 1e-15);
  CHECK_NEAR(hub->I[0], 1.5, 1e-15);
  double sum = 0;
  for (int i = 0; i < l.model->nbody; i++) sum += l.model->body[i].mass;
  CHECK_NEAR(sum, 2 + 4*2, 1e-15);
  unload(&l);
}

int main(void) {
  RUN(rectangles_have_their_moments);
  RUN(circles_and_tubes_have_their_moments);
  RUN(bodies_take_over_the_mass_of_an_end);
  return REPORT();
}
