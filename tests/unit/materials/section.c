/* section: stiffness and inertia of cross sections against handbooks
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "materials/list.h"
#include "materials/section.h"
#include "solids/structure.h"

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

/* pictures get the sizes as they were written */
static void outlines_have_their_sizes(void) {
  tni_outline r = profile("{rectangle: [2, 0.5]}").outline, c = profile("{circle: 0.3}").outline;
  tni_outline t = profile("{tube: [0.4, 0.1]}").outline;
  CHECK(r.kind == TNI_OUTLINE_RECTANGLE && r.size[0] == 2 && r.size[1] == 0.5);
  CHECK(c.kind == TNI_OUTLINE_CIRCLE && c.size[0] == 0.3 && c.size[1] == 0);
  CHECK(t.kind == TNI_OUTLINE_TUBE && t.size[0] == 0.4 && t.size[1] == 0.1);
}

/* pairs are about y and about z, one number is both; about x the rotary inertia is their sum */
static void given_numbers_are_taken_as_they_are(void) {
  loaded l;
  load_text(&l, "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], EA: 11, GA: [12, 13], EI: [14, 15], GJ: 16,\n"
                "  rhoA: 17, rhoI: [18, 19]}, c: {from: [0, 1, 0], to: [1, 1, 0], EA: 1, GA: 2, EI: 3, GJ: 4,\n"
                "  rhoA: 5, rhoI: 6}}\n");
  const tni_profile *p = l.model->beam[0].profile, *q = l.model->beam[1].profile;
  static const double C[6] = {11, 12, 13, 16, 14, 15}, D[6] = {1, 2, 2, 4, 3, 3};
  for (int i = 0; i < 6; i++) CHECK(p->C[i] == C[i] && q->C[i] == D[i]);
  CHECK(p->rhoA == 17 && p->rhoI[0] == 37 && p->rhoI[1] == 18 && p->rhoI[2] == 19);
  CHECK(q->rhoA == 5 && q->rhoI[0] == 12 && q->rhoI[1] == 6 && q->rhoI[2] == 6);
  unload(&l);
}

/* a modulus in the place of Poisson's ratio: the same section */
static void shear_modulus_stands_for_poissons_ratio(void) {
  loaded l;
  load_text(&l, "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], section: {circle: 0.5}, material: {E: 8, G: 3.2, rho: 3}},\n"
                "  c: {from: [0, 1, 0], to: [1, 1, 0], section: {circle: 0.5}, shear_factor: 0.5,\n"
                "    material: {E: 8, nu: 0.25, rho: 3}}}\n");
  tni_profile want = profile("{circle: 0.5}");
  const tni_profile *p = l.model->beam[0].profile, *q = l.model->beam[1].profile;
  for (int i = 0; i < 6; i++) CHECK_NEAR(p->C[i], want.C[i], 1e-15);
  CHECK_NEAR(q->C[1], 0.5*3.2*PI/4, 1e-15);
  CHECK_NEAR(q->C[2], 0.5*3.2*PI/4, 1e-15);
  unload(&l);
}

static void wrong_sections_are_refused(void) {
  static const struct {
    const char *keys, *message;
  } c[] = {
      {"section: {rectangle: [1, 0]}, material: {E: 8, nu: 0.25, rho: 3}", "section: rectangle with size 0 m, must be > 0"},
      {"section: {rectangle: [-2, 1]}, material: {E: 8, nu: 0.25, rho: 3}", "section: rectangle with size -2 m, must be > 0"},
      {"section: {rectangle: 1}, material: {E: 8, nu: 0.25, rho: 3}", "with 1 size, must be"},
      {"section: {circle: [1, 2]}, material: {E: 8, nu: 0.25, rho: 3}", "with 2 sizes, must be"},
      {"section: {tube: [1, 1]}, material: {E: 8, nu: 0.25, rho: 3}", "inner radius 1 m, must be < outer radius 1 m"},
      {"section: {circle: 1}, material: {E: 8, nu: 0.25}", "'rho' is missing"},
      {"section: {circle: 1}, material: {E: 0, nu: 0.25, rho: 3}", "E = 0, must be > 0"},
      {"section: {circle: 1}, material: {E: 8, rho: 3}", "needs one of 'nu' and 'G'"},
      {"section: {circle: 1}, material: {E: 8, nu: 0.25, G: 3.2, rho: 3}", "needs one of 'nu' and 'G'"},
      {"section: {circle: 1}, material: {E: 8, nu: 0.51, rho: 3}", "Poisson's ratio 0.51"},
      {"section: {circle: 1}, material: {E: 8, nu: 0.3, roh: 3}", "unknown key 'roh'; known: E, nu, G, rho"},
      {"section: {circle: 1}", "section needs 'material'"},
      {"material: {E: 8, nu: 0.3, rho: 3}", "material needs 'section'"},
      {"section: {circle: 1}, material: {E: 8, nu: 0.3, rho: 3}, EI: 3", "has 'EI' beside 'section'"},
      {"EA: 1, GA: 1, EI: 1, GJ: 1, rhoA: 1", "key 'rhoI' is missing"},
      {"EA: 1, GA: [1, 0], EI: 1, GJ: 1, rhoA: 1, rhoI: 1", "GA must be a number > 0 or a pair of them"},
      {"EA: 1, GA: [1, 2, 3], EI: 1, GJ: 1, rhoA: 1, rhoI: 1", "GA must be a number > 0 or a pair of them"}};
  for (int k = 0; k < TNI_COUNT(c); k++) {
    loaded l = {0};
    char text[400];
    snprintf(text, sizeof(text), "tenon: 1\nbeams: {b: {from: [0, 0, 0], to: [1, 0, 0], %s}}\n", c[k].keys);
    load_begin(&l, 1);
    tn_status st = tn_spec_read_text(l.ctx, "section", text, NULL, 0, &l.spec);
    if (st == TN_OK) st = tn_model_compile(l.ctx, l.spec, &l.model);
    if (!CHECK(st == TN_ERR_INPUT && strstr(tn_ctx_message(l.ctx), c[k].message)))
      printf("%s: %s\n", c[k].keys, tn_ctx_message(l.ctx));
    unload(&l);
  }
}

/* a metal of which only the yield stress is said is ideally plastic; what is said is taken */
static void metals_harden_as_they_are_said_to(void) {
  static const char *const more[] = {"", ", hardening: 7", ", kinematic: 9"};
  for (int k = 0; k < 3; k++) {
    char text[600];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\nmaterials: {a: {type: plastic, E: 200e3, nu: 0.3, density: 1, yield: 250%s}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\nanalysis: {type: statics}\n", more[k]);
    load_text(&l, text);
    const tni_structure *s = l.model->part[0].data;
    const tni_mises *m = s->block[0].kind.matter->data;
    CHECK(m->slope == (k == 1 ? 7 : 0) && m->kinematic == (k == 2 ? 9 : 0));
    CHECK(tni_mises_yield(m, 0) == 250 && tni_mises_yield(m, 0.5) == (k == 1 ? 253.5 : 250));
    unload(&l);
  }
}

int main(void) {
  RUN(metals_harden_as_they_are_said_to);
  RUN(rectangles_have_their_moments);
  RUN(circles_and_tubes_have_their_moments);
  RUN(bodies_take_over_the_mass_of_an_end);
  RUN(outlines_have_their_sizes);
  RUN(given_numbers_are_taken_as_they_are);
  RUN(shear_modulus_stands_for_poissons_ratio);
  RUN(wrong_sections_are_refused);
  return REPORT();
}
