/* verification of beams in meshes: lines with a section (solids/beam.c through model files), and the geometrically exact beams of the
 * section `beams` attached to meshes by bodies
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "analyses/statics.h"
#include "mesh/mesh.h"
#include "support/loaded.h"
#include "system/parts.h"

static tn_summary sum; /* large */
static const double PI = 3.14159265358979323846;

static tn_status store_nothing(void *user) {
  (void)user;
  return TN_OK;
}

/* mean of a field of the first structure over a group */
static double mean_of(tn_sim *sim, const char *field, int component, const char *group) {
  const tni_part *p = &sim->model->part[0];
  const tni_mesh_set *set = tni_mesh_find_set(p->mesh, group, TNI_SET_NODES);
  tni_part_at at = tni_parts_at(sim->s, 0);
  int f = 0;
  while (strcmp(p->field[f].name, field) != 0) f++;
  int n = p->field[f].ncomponent;
  double *x = calloc((size_t)n*(size_t)p->mesh->nnode, sizeof(double)), mean = 0;
  p->ops->fill(p, sim->s->parts->work[0], &at, f, x);
  for (int i = 0; i < set->n; i++) mean += x[n*set->member[i] + component]/set->n;
  free(x);
  return mean;
}

static tn_sim *at_rest(loaded *l, const char *text) {
  tn_sim *sim = NULL;
  load_text(l, text);
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, NULL, &sim));
  CHECK_OK(l->ctx, tni_statics_run(sim, store_nothing, NULL));
  return sim;
}

/* One element is exact: P L^3/(3 E I) + P L/(k G A) about both axes of the section, which `axes` turn, P L/(E A), T L/(G J); stresses at
 * the surface of the clamped end P L c/I */
static void cantilevers_of_one_element_bend_exactly(void) {
  const double E = 2e11, nu = 0.25, G = E/(2*(1 + nu)), L = 2, b = 0.1, h = 0.3, A = b*h, k = 10*(1 + nu)/(12 + 11*nu);
  for (int turned = 0; turned < 2; turned++) {
    char text[1024];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {bar: {size: 2, cells: 1}}}\nmaterials: {a: {type: elastic, E: 2e11, nu: 0.25, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, section: {rectangle: [0.1, 0.3]}%s}}\n"
             "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [3000, 2000, 1000]}]\nanalysis: {type: statics}\n",
             turned ? ", axes: {x: [1, 0, 0], y: [0, 0, 1]}" : ""); /* z of the section along -y */
    tn_sim *sim = at_rest(&l, text);
    double Iy = turned ? h*b*b*b/12 : b*h*h*h/12, Iz = turned ? b*h*h*h/12 : h*b*b*b/12; /* about y, z of the ground */
    CHECK_NEAR(mean_of(sim, "displacement", 0, "x1"), 3000*L/(E*A), 1e-10);
    CHECK_NEAR(mean_of(sim, "displacement", 1, "x1"), 2000*(L*L*L/(3*E*Iz) + L/(k*G*A)), 1e-10);
    CHECK_NEAR(mean_of(sim, "displacement", 2, "x1"), 1000*(L*L*L/(3*E*Iy) + L/(k*G*A)), 1e-10);
    double cy = turned ? h/2 : b/2, cz = turned ? b/2 : h/2;
    CHECK_NEAR(mean_of(sim, "stress", 0, "x0"), 3000/A + 2000*L*cy/Iz + 1000*L*cz/Iy, 1e-9);
    CHECK_NEAR(mean_of(sim, "stress", 3, "x0"), hypot(2000, 1000)/A, 1e-9);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* the end moment 2 pi E I/L bends it to a closed polygon, at any number of elements (specification A.3) */
static void beams_of_meshes_roll_up(void) {
  static const int cells[2] = {4, 12};
  for (int i = 0; i < 2; i++) {
    char text[1024];
    loaded l;
    double tip[3];
    snprintf(text, sizeof(text),
             "meshes: {m: {bar: {size: 12, cells: %d}}}\nmaterials: {a: {type: elastic, E: 1.2e6, nu: 0, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, formulation: large, section: {rectangle: [1, 0.1]}, hold: {tip: x1}}}\n"
             "supports: [{group: x0, fix: all}]\nforces: [{type: torque, body: tip, torque: [0, \"-2*pi*100/12*t\", 0]}]\n"
             "analysis: {type: statics, until: 1, load_steps: 20}\n", cells[i]);
    tn_sim *sim = at_rest(&l, text);
    sim_point(sim, "tip", 0, 0, 0, tip);
    CHECK_WITHIN(tip[0], 0, 1e-6);
    CHECK_WITHIN(tip[2], 0, 1e-6);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* w = (j pi/L)^2 sqrt(E I/(rho A)) of slender pinned beams; the error of h^2 falls by four */
static void pinned_beams_have_their_frequencies(void) {
  double off[2];
  for (int i = 0; i < 2; i++) {
    char text[1024];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {bar: {size: 1, cells: %d}}}\nmaterials: {a: {type: elastic, E: 2e11, nu: 0.3, density: 7800}}\n"
             "structures: {m: {mesh: m, material: a, section: {circle: 0.001}, mass: consistent}}\n"
             "supports: [{group: x0, fix: [x, y, z, rx]}, {group: x1, fix: [y, z]}]\nanalysis: {type: modes, modes: 4}\n", i ? 20 : 10);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    double f = PI/2*sqrt(2e11/7800)*0.001/2;
    CHECK_NEAR(sum.mode[1].frequency, sum.mode[0].frequency, 1e-6); /* both directions */
    CHECK_NEAR(sum.mode[2].frequency, 4*f, i ? 0.015 : 0.06);
    off[i] = sum.mode[0].frequency/f - 1;
    CHECK_WITHIN(off[i], 0, 0.01);
    unload(&l);
  }
  CHECK_WITHIN(off[0]/off[1], 4, 0.3);
}

/* Beams along the edge of a shell and at the end of a solid, at common nodes: the ribbed strip bends as both together. The ribs lie in the
 * surface of the strip: E I = E (t^3/12 + 2 I_rib). */
static void beams_share_nodes_with_shells(void) {
  static const char *const deck =
      "*NODE\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,0,.2,0\n5,1,.2,0\n6,2,.2,0\n*ELEMENT,TYPE=S4,ELSET=skin\n1,1,2,5,4\n2,2,3,6,5\n"
      "*ELEMENT,TYPE=B31,ELSET=ribs\n3,1,2\n4,2,3\n5,4,5\n6,5,6\n*NSET,NSET=root\n1,4\n*NSET,NSET=tip\n3,6\n";
  FILE *f = fopen("verify_mesh_beams.inp", "w");
  fputs(deck, f);
  fclose(f);
  loaded l;
  tn_sim *sim = at_rest(&l, "meshes: {m: {file: verify_mesh_beams.inp}}\nmaterials: {a: {type: elastic, E: 1e9, nu: 0, density: 1}}\n"
                            "structures: {m: {mesh: m, material: {skin: {material: a, thickness: 0.02}, ribs: {material: a, section: {rectangle: [0.01, 0.05]}}}}}\n"
                            "supports: [{group: root, fix: all}]\nloads: [{group: tip, moment_each: [0, -5, 0]}]\nanalysis: {type: statics}\n");
  double EI = 1e9*(0.2*0.02*0.02*0.02/12 + 2*0.01*0.05*0.05*0.05/12);
  CHECK_NEAR(mean_of(sim, "displacement", 2, "tip"), 10*2*2/(2*EI), 1e-9);
  tn_sim_destroy(&sim);
  unload(&l);
  remove("verify_mesh_beams.inp");
}

/* A solid bar and, from the body that holds its end, an exact beam of the same section: bends as one bar. The sections of the solid that
 * bodies hold stay plane, which makes it a little stiffer. */
static void exact_beams_attach_to_meshes(void) {
  loaded l;
  tn_sim *sim = at_rest(&l, "meshes: {m: {box: {size: [1, 0.1, 0.1], cells: [10, 2, 2], cell: hex20}}}\n"
                            "materials: {a: {type: elastic, E: 2e11, nu: 0.3, density: 1}}\n"
                            "bodies: {tip: {mass: 1, inertia: [1, 1, 1], at: [2, 0.05, 0.05]}}\n"
                            "structures: {m: {mesh: m, material: a, hold: {middle: x1}}}\nsupports: [{group: x0, fix: all}]\n"
                            "beams: {b: {from: [1, 0.05, 0.05], to: [2, 0.05, 0.05], start: middle, end: tip, elements: 8, section: {rectangle: [0.1, 0.1]}, "
                            "material: {E: 2e11, nu: 0.3, rho: 1}}}\n"
                            "forces: [{type: force, body: tip, force: [0, 0, 10]}]\nanalysis: {type: statics}\n");
  double tip[3], E = 2e11, G = E/2.6, I = 1e-4/12, A = 0.01, k = 10*1.3/(12 + 11*0.3);
  sim_point(sim, "tip", 0, 0, 0, tip);
  double want = 10*(8/(3*E*I) + 2/(k*G*A));
  printf("  tip %.6g m, one beam %.6g m\n", tip[2] - 0.05, want);
  CHECK_NEAR(tip[2] - 0.05, want, 0.01);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* Annex A.9: (1) a beam whose middle third is rigid; (3) a rigid triangle at the end of a beam, loaded at a corner: the beam gets F and r x F */
static void rigid_parts_of_beams_follow(void) {
  static const char *const deck = "*NODE\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,3,0,0\n11,1.3,.2,0\n12,1.1,-.4,.3\n*ELEMENT,TYPE=B31,ELSET=two\n1,1,2\n2,3,4\n"
                                  "*ELEMENT,TYPE=B31,ELSET=one\n3,1,2\n4,2,11\n5,11,12\n*NSET,NSET=third\n3\n*NSET,NSET=corners\n11,12\n*NSET,NSET=root\n1\n*NSET,NSET=end\n2\n*NSET,NSET=tip\n4\n*NSET,NSET=corner\n11\n";
  FILE *f = fopen("verify_mesh_beams.inp", "w");
  fputs(deck, f);
  fclose(f);
  const double E = 1e9, b = 0.1, h = 0.2, k = 10.0/12, EIy = E*b*h*h*h/12, kGA = k*E/2*b*h;
  loaded l;
  tn_sim *sim = at_rest(&l, "meshes: {m: {file: verify_mesh_beams.inp}}\nmaterials: {a: {type: elastic, E: 1e9, nu: 0, density: 1}}\n"
                            "structures: {m: {mesh: m, material: a, cells: two, section: {rectangle: [0.1, 0.2]}}}\nsupports: [{group: root, fix: all}]\n"
                            "couplings: [{rigid: third, to: node 2}]\nloads: [{group: tip, force: [0, 0, 1000]}]\nanalysis: {type: statics}\n");
  /* integral of (3 - x)^2/EI over the two flexible thirds, and shear there */
  CHECK_NEAR(mean_of(sim, "displacement", 2, "tip"), 1000*((27 - 8 + 1)/(3*EIy) + 2/kGA), 1e-12);
  tn_sim_destroy(&sim);
  unload(&l);
  sim = at_rest(&l, "meshes: {m: {file: verify_mesh_beams.inp}}\nmaterials: {a: {type: elastic, E: 1e9, nu: 0, density: 1}}\n"
                    "structures: {m: {mesh: m, material: a, cells: one, section: {tube: [0.1, 0.05]}}}\nsupports: [{group: root, fix: all}]\n"
                    "couplings: [{rigid: corners, to: node 2}]\nloads: [{group: corner, force: [0, 0, 1000]}]\nanalysis: {type: statics}\n");
  /* r x F = (200, -300, 0) at the end of a tube of length 1 */
  double EI = E*PI*(1e-4 - 6.25e-6)/4, GJ = EI, A = PI*(0.01 - 0.0025), m2 = 0.25, q = (1 + m2)*(1 + m2), kappa = 6*q/(7*q + 20*m2);
  double w = 1000*(1/(3*EI) + 1/(kappa*E/2*A)) + 300/(2*EI), turn_x = 200/GJ, turn_y = -1000/(2*EI) - 300/EI;
  CHECK_NEAR(mean_of(sim, "displacement", 2, "end"), w, 1e-12);
  CHECK_NEAR(mean_of(sim, "displacement", 2, "corner"), w + 0.2*turn_x - 0.3*turn_y, 1e-12);
  CHECK_WITHIN(mean_of(sim, "displacement", 0, "corner"), 0, 1e-15);
  tn_sim_destroy(&sim);
  unload(&l);
  remove("verify_mesh_beams.inp");
}

static void wrong_beams_are_refused(void) {
  static const struct {
    const char *more, *says;
  } when[] = {{"section: {hexagon: 1}", "must be {rectangle: [width, height]}"},
              {"section: {tube: [0.1, 0.2]}", "must be < outer radius"},
              {"element: label", "bars need 'area', beams 'section'"},
              {"section: {circle: 0.1}, mass: consistent, axes: {x: [1, 0, 0], y: [0, 0, 1]}", "beams with 'axes' have lumped masses"}};
  for (int k = 0; k < TNI_COUNT(when); k++) {
    char text[1024];
    tn_ctx *ctx;
    tn_spec *spec = NULL;
    tn_model *model = NULL;
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    snprintf(text, sizeof(text), "tenon: 1\nmeshes: {m: {bar: {size: 2, cells: 1}}}\nmaterials: {a: {type: elastic, E: 2e11, nu: 0.25, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, %s}}\nanalysis: {type: statics}\n", when[k].more);
    CHECK_OK(ctx, tn_spec_read_text(ctx, "test", text, NULL, 0, &spec));
    CHECK(tn_model_compile(ctx, spec, &model) == TN_ERR_INPUT);
    if (!CHECK(strstr(tn_ctx_message(ctx), when[k].says) != NULL)) printf("  %s\n", tn_ctx_message(ctx));
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
    tn_ctx_destroy(&ctx);
  }
}

int main(void) {
  RUN(cantilevers_of_one_element_bend_exactly);
  RUN(beams_of_meshes_roll_up);
  RUN(pinned_beams_have_their_frequencies);
  RUN(beams_share_nodes_with_shells);
  RUN(exact_beams_attach_to_meshes);
  RUN(rigid_parts_of_beams_follow);
  RUN(wrong_beams_are_refused);
  return REPORT();
}
