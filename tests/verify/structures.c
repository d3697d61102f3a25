/* verification of structures within the system: meshes beside bodies, by every analysis
 *
 * Elements by themselves are tested in tests/unit/solids; here it is what the system makes of them: carried nodes,
 * prescribed motions, loads, unknowns and matrices, statics, modes, steps in time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/structure.h"

/* ---- tangents ----------------------------------------------------------------------------------- */

/* every way in which a node can be tied, and every load that follows, in one model */
static const char *const TIED[] = {
    /* spatial, large */
    "gravity: [0.3, -0.2, -9.81]\n"
    "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 2, 2], cell: hex8, distort: 0.1}}}\n"
    "materials: {a: {type: %s, E: 1000, nu: 0.3, density: 2, rayleigh: [0.1, %g]}}\n"
    "bodies: {cart: {mass: 3, inertia: [1, 2, 3], at: [2.5, 0.4, 0.3], com: [0.1, 0.2, -0.1]}}\n"
    "structures: {m: {mesh: m, material: a, formulation: %s, hold: {hub: x0, cart: x1}}}\n"
    "loads:\n  - {group: z1, pressure: 10 + 5*t}\n  - {group: y0, traction: [\"3*t\", 1, 2]}\n"
    "  - {structure: m, spin: 2 + t, axis: [0, 0.6, 0.8], at: [0.1, 0, 0]}\n"
    "  - {structure: m, body_force: [1, \"t\", 0]}\n"
    "supports: [{group: x0, fix: all}]\n",
    /* plane, with prescribed motion */
    "planar: true\ngravity: [0.5, -9.81]\n"
    "meshes: {m: {plate: {size: [2, 1], cells: [4, 3], cell: quad4, distort: 0.1}}}\n"
    "materials: {a: {type: %s, E: 1000, nu: 0.3, density: 2, rayleigh: [0.1, %g]}}\n"
    "structures: {m: {mesh: m, material: a, plane: strain, formulation: %s, hold: {hub: x1}}}\n"
    "loads:\n  - {group: y1, pressure: 10 + 5*t}\n  - {group: y0, force: [\"3*t\", 1, 0]}\n"
    "supports: [{group: x0, fix: [y], move: {x: \"0.01*sin(3*t)\"}}]\n",
};

static void tangents_are_those_of_the_forces(void) {
  static const char *const matter[2] = {"elastic", "neo_hooke"}, *const how[2] = {"small", "large"};
  for (int k = 0; k < TNI_COUNT(TIED); k++)
    for (int large = 0; large < 2; large++) {
      char text[4096];
      loaded l;
      tni_data *s;
      /* damping by stiffness is for small displacements: docs/theory/structures.md */
      snprintf(text, sizeof(text), TIED[k], matter[large], large ? 0 : 0.02, how[large]);
      if (k == 0) *strstr(text, "supports:") = 0; /* held by bodies alone */
      load_text(&l, text);
      CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
      CHECK_OK(l.ctx, tni_prepare_pattern(s));
      for (int n = 0; n < 5; n++) {
        double *q = malloc((size_t)s->nq*sizeof(double)), *q1 = malloc((size_t)s->nq*sizeof(double)),
               *v = malloc((size_t)s->nv*sizeof(double)), *dx = malloc((size_t)s->nv*sizeof(double));
        seed = 17u + (unsigned)n;
        tni_initial(s, q, v);
        for (int i = 0; i < s->nv; i++) {
          dx[i] = (i < s->parts->v0 ? k ? 0.1 : 0.4 : 0.02)*draw(); /* no element inside out */
          v[i] = draw();
        }
        if (!large)
          for (int i = 0; i < s->parts->v0; i++) dx[i] *= 0.5;
        tni_retract(s, q, dx, q1);
        double off = tangent_error(s, 0.3, q1, v, 1e-6);
        if (!CHECK(off < 2e-7)) printf("  model %d, %s, state %d: %.2e\n", k, how[large], n, off);
        free(q), free(q1), free(v), free(dx);
      }
      tni_data_destroy(&s);
      unload(&l);
    }
}

/* elements in batches have the forces of single ones: the same equilibrium, and tangents that fit */
static void batches_and_single_elements_agree(void) {
  double energy[2];
  for (int k = 0; k < 2; k++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    /* damping keeps elements out of batches, and does nothing at rest */
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [2, 1, 1], cells: [5, 3, 3], cell: hex8, distort: 0.1}}}\n"
             "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2%s}}\n"
             "structures: {m: {mesh: m, material: a, element: one}}\nsupports: [{group: x0, fix: all}]\n"
             "loads: [{group: x1, traction: [1, 2, 3]}]\nanalysis: {type: statics}\n", k ? ", rayleigh: [0, 1e-3]" : "");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tni_statics_run(sim, store_nothing, NULL));
    CHECK_INT(sim->sum.iterations, 1);
    energy[k] = sim->sum.energy_end;
    double *v = calloc((size_t)sim->s->nv, sizeof(double));
    if (k == 0) CHECK(tangent_error(sim->s, 0, sim->at.q, v, 1e-6) < 1e-7);
    free(v);
    tn_sim_destroy(&sim);
    unload(&l);
  }
  CHECK_NEAR(energy[0], energy[1], 1e-11);
}

/* ---- statics -------------------------------------------------------------------------------------- */

/* linear displacements prescribed on the boundary: inside they follow, the stress is the same everywhere */
static void linear_fields_are_exact_on_distorted_meshes(void) {
  static const char *const cell[] = {"hex8", "hex20", "tet4", "tet10", "wedge6", "wedge15"};
  for (int c = 0; c < TNI_COUNT(cell); c++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 1, 1], cells: [3, 3, 3], cell: %s, distort: 0.2, seed: 3}}}\n"
             "materials: {a: {type: elastic, E: 200, nu: 0.25, density: 1}}\n"
             "structures: {m: {mesh: m, material: a}}\n"
             "supports:\n  - {group: x0, move: {x: 0}}\n  - {group: x1, move: {x: 0.01}}\n"
             "  - {group: y0, fix: [y]}\n  - {group: z0, fix: [z]}\n"
             "analysis: {type: statics}\n", cell[c]);
    load_text(&l, text);
    tn_sim *sim = rest_of(&l);
    double *stress = field(sim, "stress"), *u = field(sim, "displacement"), *R = field(sim, "reaction"), force = 0;
    const tni_mesh *m = l.model->part[0].mesh;
    for (int i = 0; i < m->nnode; i++) {
      const double *x = m->x + 3*i;
      CHECK_WITHIN(u[3*i], 0.01*x[0], 1e-13);
      CHECK_WITHIN(u[3*i + 1], -0.0025*x[1], 1e-13);
      CHECK_WITHIN(u[3*i + 2], -0.0025*x[2], 1e-13);
      for (int k = 0; k < 6; k++) CHECK_WITHIN(stress[6*i + k], k == 0 ? 2 : 0, 1e-10);
      if (x[0] == 1) force += R[3*i];
    }
    CHECK_NEAR(force, 2, 1e-11); /* stress times area */
    CHECK_NEAR(sim->sum.energy_end, 0.5*2*0.01, 1e-11);
    free(stress), free(u), free(R);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* the same in the plane, with the elements that are taken where none is asked for: sides free in plane stress, no strain across in plane strain */
static void linear_fields_are_exact_in_the_plane(void) {
  static const char *const cell[] = {"quad4", "quad8", "tri3", "tri6"}, *const plane[] = {"stress", "strain"};
  for (int c = 0; c < TNI_COUNT(cell); c++)
    for (int p = 0; p < 2; p++) {
      char text[2048];
      loaded l;
      snprintf(text, sizeof(text),
               "planar: true\nmeshes: {m: {plate: {size: [1, 1], cells: [3, 3], cell: %s, distort: 0.2, seed: 3}}}\n"
               "materials: {a: {type: elastic, E: 200, nu: 0.25, density: 1}}\n"
               "structures: {m: {mesh: m, material: a, plane: %s, thickness: 0.5}}\n"
               "supports:\n  - {group: x0, move: {x: 0}}\n  - {group: x1, move: {x: 0.01}}\n  - {group: y0, fix: [y]}\n"
               "analysis: {type: statics}\n", cell[c], plane[p]);
      load_text(&l, text);
      tn_sim *sim = rest_of(&l);
      /* plane strain: E/(1 - nu^2) along, nu/(1 - nu) across */
      double *u = field(sim, "displacement"), *R = field(sim, "reaction"), force = 0, across = p ? -0.01/3 : -0.0025, want = p ? 0.01*200/0.9375 : 2;
      const tni_mesh *m = l.model->part[0].mesh;
      for (int i = 0; i < m->nnode; i++) {
        const double *x = m->x + 3*i;
        CHECK_WITHIN(u[3*i], 0.01*x[0], 1e-13);
        CHECK_WITHIN(u[3*i + 1], across*x[1], 1e-13);
        if (x[0] == 1) force += R[3*i];
      }
      CHECK_NEAR(force, 0.5*want, 1e-11);
      free(u), free(R);
      tn_sim_destroy(&sim);
      unload(&l);
    }
}

/* loads and reactions balance, whatever the load; a small structure needs one iteration */
static void reactions_balance_the_loads(void) {
  static const char *const load[] = {"{group: x1, force: [1, 2, 3]}", "{group: x1, traction: [1, 2, 3]}",
                                     "{group: z1, pressure: 2}", "{structure: m, body_force: [1, 2, 3]}",
                                     "{group: x1, force_each: [0, 0, 1]}"};
  static const double total[][3] = {{1, 2, 3}, {0.5, 1, 1.5}, {0, 0, -4}, {1, 2, 3}, {0, 0, 9}};
  for (int k = 0; k < TNI_COUNT(load); k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [2, 1, 0.5], cells: [4, 2, 2], cell: hex8}}}\n"
             "materials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 1}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
             "loads: [%s]\nanalysis: {type: statics}\n", load[k]);
    load_text(&l, text);
    tn_sim *sim = rest_of(&l);
    double *R = field(sim, "reaction"), all[3] = {0};
    for (int i = 0; i < l.model->part[0].mesh->nnode; i++) vec3_add(all, all, R + 3*i);
    for (int c = 0; c < 3; c++) CHECK_WITHIN(all[c], -total[k][c], 1e-10);
    CHECK_INT(sim->sum.iterations, 1);
    CHECK_INT(sim->sum.unstable, 0);
    free(R);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* what is not held is named, and nothing is returned */
static void motions_that_nothing_holds_are_named(void) {
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, "meshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\n"
                "materials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 1}}\n"
                "structures: {slab: {mesh: m, material: a}}\nsupports: [{group: x0, fix: [x]}, {group: y0, fix: [y]}]\n"
                "loads: [{group: x1, force: [1, 0, 1]}]\nanalysis: {type: statics}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_INT(tni_statics_run(sim, store_nothing, NULL), TN_SINGULAR);
  CHECK_TEXT(tn_ctx_message(l.ctx), "structure 'slab' is not held: 1 rigid motion: along z; add supports");
  tn_sim_destroy(&sim);
  unload(&l);
  /* rounding of a finer mesh hides them in the factors; loads that balance each other would let it pass */
  for (int n = 1; n <= 8; n *= 2)
    for (int k = 0; k < 4; k++) {
      static const char *const support[4] = {"", "supports: [{group: x0, fix: all}]\n", "supports: [{group: x0y0, fix: all}]\n",
                                             "supports: [{group: x0y0z0, fix: all}, {group: x1y0z0, fix: [y, z]}]\n"};
      static const int left[4] = {6, 0, 1, 1};
      char text[1024], found[64];
      snprintf(text, sizeof(text),
               "meshes: {m: {box: {size: [2, 1, 1], cells: [%d, %d, %d], distort: 0.1}}}\n"
               "materials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 1}}\n"
               "structures: {slab: {mesh: m, material: a}}\n%s"
               "loads: [{group: x1, force: [1, 0, 0]}, {group: x0, force: [-1, 0, 0]}]\nanalysis: {type: statics}\n",
               2*n, n, n, support[k]);
      load_text(&l, text);
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
      CHECK_INT(tni_statics_run(sim, store_nothing, NULL), left[k] ? TN_SINGULAR : TN_OK);
      snprintf(found, sizeof(found), "not held: %d rigid motion", left[k]);
      if (left[k]) CHECK(strstr(tn_ctx_message(l.ctx), found) != NULL);
      tn_sim_destroy(&sim);
      unload(&l);
    }
}

/* Bodies that carry a mesh may be free: LU of such a matrix goes through, and what stands in its result is rounding. Joints that leave 0, 1, 3
 * motions, meshes that have a shape without stiffness, loads that follow the surface. */
static void free_motions_of_meshes_on_bodies_are_named(void) {
  static const struct {
    const char *cells, *element, *how, *joint, *load;
    int free;
    const char *name;
  } model[] = {{"[4, 2, 2]", "full", "small", "fixed", "traction: [0, -2e4, 0]", 0, ""},
               {"[4, 2, 2]", "full", "small", "prismatic", "traction: [0, -2e4, 0]", 1, "along x"},
               {"[4, 2, 2]", "full", "small", "planar", "traction: [1e4, 0, 0]", 3, "B.wx"},
               {"[4, 2, 2]", "full", "large", "fixed", "pressure: 1e3", 0, ""},
               {"[4, 2, 2]", "full", "large", "planar", "pressure: 1e3", 3, "B.wx"},
               {"[3, 1, 1], cell: hex20", "reduced", "small", "fixed", "traction: [0, -2e4, 0]", 3, "turning or folding"},
               {"[3, 1, 1], cell: hex20", "full", "small", "fixed", "traction: [0, -2e4, 0]", 0, ""}};
  for (int k = 0; k < TNI_COUNT(model); k++) {
    char text[1024];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 0.3, 0.3], cells: %s}}}\nmaterials: {a: {type: elastic, E: 2e9, nu: 0.3, density: 1000}}\n"
             "structures: {m: {mesh: m, material: a, element: %s, formulation: %s, hold: {B: x0}}}\n"
             "joints: {w: {type: %s, bodies: [ground, B], at: [0, 0.15, 0.15], axis: x}}\nloads: [{group: x1, %s}]\nanalysis: {type: statics}\n",
             model[k].cells, model[k].element, model[k].how, model[k].joint, model[k].load);
    load_text(&l, text);
    tn_status st = tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum);
    bool refused = st == TN_SINGULAR; /* a pivot may come out as zero, or as rounding */
    const char *said = refused ? tn_ctx_message(l.ctx) : sum.free_names;
    char count[64];
    snprintf(count, sizeof(count), "not held: %d motion", model[k].free);
    CHECK(refused ? model[k].free > 0 && strstr(said, count) : st == TN_OK && sum.free == model[k].free && sum.sound == (model[k].free == 0));
    if (!CHECK(strstr(said, model[k].name) && (refused || sum.sound || strstr(sum.verdict, "without stiffness"))))
      printf("  model %d: %s, %d, %s\n", k, said, sum.free, sum.verdict);
    unload(&l);
  }
  /* for modes a free motion is one of them */
  loaded l;
  load_text(&l, "meshes: {m: {box: {size: [1, 0.3, 0.3], cells: [4, 2, 2]}}}\nmaterials: {a: {type: elastic, E: 2e9, nu: 0.3, density: 1000}}\n"
                "structures: {m: {mesh: m, material: a, element: full, hold: {B: x0}}}\ngravity: [0, 0, -1]\n"
                "joints: {w: {type: revolute, bodies: [ground, B], at: [0, 0.15, 0.15], axis: z}}\nanalysis: {type: modes, modes: 3}\n");
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
  CHECK_INT(sum.modes_rigid, 1);
  if (!CHECK(sum.sound)) printf("  %s\n", sum.verdict);
  unload(&l);
}

/* A strained mesh that starts in its equilibrium stays there, and what rounding does to its energy is no reason for doubt: beside motion, of
 * which there is none, it is anything. */
static void strained_meshes_at_rest_are_sound(void) {
  static const char *const method[] = {"radau", "hht", "rk45", "infl_sdirk"};
  for (int k = 0; k < 2*TNI_COUNT(method); k++) {
    char text[1024];
    loaded l;
    snprintf(text, sizeof(text),
             "gravity: [0.3, -0.2, -9.81]\nmeshes: {m: {box: {size: [3, 1, 0.5], cells: [3, 2, 1], distort: 0.1}}}\n"
             "materials: {a: {type: st_venant, E: 1e3, nu: 0.3, density: 1, expansion: 1e-2}}\nstructures: {m: {mesh: m, material: a, formulation: %s}}\n"
             "supports: [{group: x0, fix: all}]\nnodes: [{group: all, temperature: 3}, {group: x1y1, stiffness: [15, 15, 15], damping: [0.2, 0.2, 0.2]}]\n"
             "analysis: {until: 0.05, initial: statics, method: %s}\n", k%2 ? "large" : "small", method[k/2]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    if (!CHECK(sum.sound)) printf("  %s: %s\n", method[k/2], sum.verdict);
    CHECK_WITHIN(sum.energy_end, sum.energy_begin, 1e-9*fabs(sum.energy_begin));
    unload(&l);
  }
}

/* bars along a line turn about it without moving a node, plane meshes have no motions across the plane: neither is asked for */
static void motions_that_move_no_node_need_no_support(void) {
  static const char *const model[] = {
      "meshes: {m: {bar: {size: 1, cells: 3}}}\nmaterials: {a: {type: elastic, E: 1, nu: 0, density: 1}}\n"
      "structures: {m: {mesh: m, material: a, area: 1}}\nsupports: [{group: all, fix: [y, z]}, {group: x0, fix: x}]\n"
      "loads: [{group: x1, force: [1, 0, 0]}]\nanalysis: {type: statics}\n",
      "planar: true\nmeshes: {m: {plate: {size: [1, 1], cells: [3, 3]}}}\nmaterials: {a: {type: elastic, E: 1, nu: 0, density: 1}}\n"
      "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: x}, {group: x0y0, fix: y}]\n"
      "loads: [{group: x1, force: [1, 0, 0]}]\nanalysis: {type: statics}\n"};
  for (int k = 0; k < TNI_COUNT(model); k++) {
    loaded l;
    load_text(&l, model[k]);
    tn_sim *sim = rest_of(&l);
    CHECK_NEAR(sim->sum.energy_end, 0.5, 1e-12); /* F^2 L/(2 E A) */
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* Neo-Hooke, E = 1, nu = 0.3 (specification, annex A.12): pulled to a stretch, free at the sides. Lateral stretch and nominal
 * stress follow from one equation. */
static void rubber_is_pulled_to_its_closed_form(void) {
  static const double stretch[3] = {1.5, 2, 0.5}, lateral[3] = {0.880175, 0.798078, 1.210767},
                      nominal[3] = {0.378280, 0.646745, -0.935352};
  for (int k = 0; k < 3; k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8, distort: 0.15}}}\n"
             "materials: {a: {type: neo_hooke, E: 1, nu: 0.3, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, formulation: large, element: full}}\n"
             "supports:\n  - {group: x0, fix: [x]}\n  - {group: y0, fix: [y]}\n  - {group: z0, fix: [z]}\n"
             "  - {group: x1, move: {x: \"%g*t\"}}\n"
             "analysis: {type: statics, until: 1, load_steps: 4}\n", stretch[k] - 1);
    load_text(&l, text);
    tn_sim *sim = rest_of(&l);
    double *u = field(sim, "displacement"), *R = field(sim, "reaction"), force = 0;
    const tni_mesh *m = l.model->part[0].mesh;
    for (int i = 0; i < m->nnode; i++) {
      const double *x = m->x + 3*i;
      CHECK_WITHIN(u[3*i + 1], (lateral[k] - 1)*x[1], 1e-6);
      if (x[0] == 1) force += R[3*i];
    }
    CHECK_WITHIN(force, nominal[k], 1e-6);
    free(u), free(R);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* ---- modes ----------------------------------------------------------------------------------------- */

/* a slender bar, nu = 0: free-free longitudinal modes c/(2L) n, six rigid ones; every mode in a list that Sturm has counted */
/* Large displacements under loads that strain by 1e-10 and less: those of small ones, though rounding of places leaves part of the forces; where
 * it hides the load, that is said. */
static void light_loads_are_found_or_it_is_said(void) {
  static const char *const plane[] = {"axisymmetric", "stress", "strain"}, *const cell[] = {"quad4", "quad8", "tri6"};
  static const double load[] = {10, 1, 1e-9};
  for (int p = 0; p < 3; p++)
    for (int c = 0; c < 3; c++) {
      double soft = 0; /* displacement by load */
      for (int i = 0; i < 3; i++) {
        double most[2] = {0};
        for (int large = 0; large < 2; large++) {
          char text[1500];
          loaded l;
          tn_sim *sim = NULL;
          snprintf(text, sizeof(text),
                   "planar: true\nmeshes: {m: {plate: {size: [2, 1], cells: [4, 2], cell: %s, origin: [1, 0, 0]}}}\n"
                   "materials: {a: {type: elastic, E: 1e9, nu: 0.3}}\n"
                   "structures: {m: {mesh: m, material: a, element: full, plane: %s, formulation: %s}}\nsupports: [{group: x0, fix: all}]\n"
                   "loads: [{group: x1, force: [0, %g]}]\nanalysis: {type: statics}\n", cell[c], plane[p], large ? "large" : "small", load[i]);
          load_text(&l, text);
          CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
          tn_status st = tni_statics_run(sim, store_nothing, NULL);
          if (large && i == 2 && !CHECK(st == TN_NOT_CONVERGED && strstr(tn_ctx_message(l.ctx), "rounding of places hides it"))) printf("  %s\n", tn_ctx_message(l.ctx));
          if (!large || i < 2) CHECK_OK(l.ctx, st);
          double *u = st == TN_OK ? field(sim, "displacement") : NULL;
          for (int k = 0; u && k < l.model->part[0].mesh->nnode; k++) most[large] = fmax(most[large], u[3*k + 1]);
          free(u);
          tn_sim_destroy(&sim);
          unload(&l);
        }
        if (i < 2) CHECK_NEAR(most[1], most[0], 3e-5);
        if (i == 0) soft = most[0]/load[i];
        CHECK_NEAR(most[0]/load[i], soft, 1e-9);
      }
    }
}

static void free_bar_has_six_rigid_modes_and_its_frequencies(void) {
  loaded l;
  double f = 0;
  load_text(&l, "meshes: {m: {box: {size: [1, 0.1, 0.1], cells: [60, 1, 1], cell: hex8}}}\n"
                "materials: {a: {type: elastic, E: 4, nu: 0, density: 1}}\n"
                "structures: {m: {mesh: m, material: a}}\n"
                "analysis: {type: modes, modes: 30}\n");
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
  CHECK_INT(sum.modes, 30);
  CHECK_INT(sum.modes_rigid, 6);
  /* c = 2, L = 1: 1 Hz; lumped masses take a little off it */
  double nearest = HUGE_VAL;
  for (int i = 6; i < sum.modes && i < TN_SUMMARY_MODES; i++)
    if (fabs(sum.mode[i].frequency - 1) < nearest) nearest = fabs(sum.mode[i].frequency - 1), f = sum.mode[i].frequency;
  CHECK_NEAR(f, 1, 3e-4);
  unload(&l);
}

/* ---- steps in time ----------------------------------------------------------------------------------- */

/* Bar of n elements with lumped masses, central differences at the limit of stability: waves travel one element a step,
 * exactly. An end that is moved at constant speed sends a front. */
static void waves_are_exact_at_the_courant_limit(void) {
  enum { N = 40 };
  loaded l;
  tn_sim *sim = NULL;
  /* c = 1, element 0.025 */
  load_text(&l, "meshes: {m: {bar: {size: 1, cells: 40}}}\n"
                "materials: {a: {type: elastic, E: 1, nu: 0, density: 1}}\n"
                "structures: {m: {mesh: m, material: a, area: 1, velocity: [0, 0, 0]}}\n"
                "supports: [{group: all, fix: [y, z]}, {group: x1, fix: [x]}]\n"
                "loads: [{group: x0, force: [1, 0, 0]}]\n"
                "analysis: {until: 0.75, method: central, step: 0.025}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 0.75));
  double *u = field(sim, "displacement");
  const tni_mesh *m = l.model->part[0].mesh;
  for (int i = 0; i < m->nnode; i++) {
    /* u = -(...) t - x behind the front, 0 before it; nodes at whole elements, times at whole steps */
    double want = fmax(0, 0.75 - m->x[3*i]);
    CHECK_WITHIN(u[3*i], want, 0.0126); /* the load of half a step at the first node */
  }
  /* slope behind the front is exact */
  for (int i = 1; i < m->nnode; i++)
    if (m->x[3*i] < 0.7) CHECK_WITHIN((u[3*i] - u[3*i - 3])/(m->x[3*i] - m->x[3*i - 3]), -1, 1e-10);
  for (int i = 0; i < m->nnode; i++)
    if (m->x[3*i] > 0.78) CHECK_WITHIN(u[3*i], 0, 1e-12);
  free(u);
  tn_sim_destroy(&sim);
  unload(&l);
}

static bool all; /* argument: for a longer time */

/* A flexible body flies: its mesh carried by two hubs, spinning, without any force. Momenta, energy and the agreement of methods. */
static void flying_body_keeps_energy_and_momenta(void) {
  static const char *const method[] = {"rk8", "radau", "alpha"};
  double at[3][3] = {{0}}, until = all ? 0.2 : 0.05;
  for (int k = 0; k < TNI_COUNT(method); k++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 0.2, 0.2], cells: [4, 1, 1], cell: hex8, origin: [-0.5, -0.1, -0.1]}}}\n"
             "materials: {a: {type: neo_hooke, E: 2000, nu: 0.3, density: 10}}\n"
             "structures: {m: {mesh: m, material: a, formulation: large, hold: {left: x0, right: x1},\n"
             "                 velocity: [0.3, 0.1, -0.2], angular_velocity: [0.5, 1.5, 2]}}\n"
             "analysis: {until: %g, method: %s, tolerance: 1e-7}\n", until, method[k]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    double P0[3] = {0}, P[3] = {0}, E0 = tni_system_kinetic(sim->s) + sim->s->potential;
    for (int pass = 0; pass < 2; pass++) {
      double *to = pass ? P : P0;
      if (pass) CHECK_OK(l.ctx, tn_sim_advance(sim, until));
      const tni_data *s = sim->s;
      for (int i = 0; i < s->nbody; i++) vec3_addmul(to, s->inertia[i].mass, s->kin[i+1].v);
      const tni_part *p = &s->parts->part[0];
      for (int i = 0; i < p->nv; i++) to[(int)p->role[i]] += p->mass[i]*s->parts->v[i];
    }
    for (int c = 0; c < 3; c++) CHECK_WITHIN(P[c], P0[c], 1e-9);
    double E = tni_system_kinetic(sim->s) + sim->s->potential;
    CHECK_NEAR(E, E0, 1e-6);
    vec3_copy(at[k], sim->s->kin[1].r);
    if (k) for (int c = 0; c < 3; c++) CHECK_WITHIN(at[k][c], at[0][c], 2e-6);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* the same bits on one, two and four threads: forces, tangents, a run */
/* a mesh without bodies, stepped with control of the error: its balance is judged by what its own errors are worth */
static void motion_of_a_mesh_alone_is_sound(void) {
  static const char *const method[] = {"radau", "rk8", "alpha"};
  for (int k = 0; k < TNI_COUNT(method); k++) {
    char text[1024];
    loaded l;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, -9.81]\nmeshes: {m: {box: {size: [1, 0.2, 0.1], cells: [4, 1, 1]}}}\n"
             "materials: {a: {type: neo_hooke, E: 1e7, nu: 0.3, density: 1000}}\n"
             "structures: {m: {mesh: m, material: a, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
             "analysis: {until: 0.1, method: %s, tolerance: 1e-4}\n", method[k]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    if (!CHECK(sum.sound)) printf("  %s: %s\n", method[k], sum.verdict);
    unload(&l);
  }
}

static void results_do_not_depend_on_threads(void) {
  static const char *const text =
      "tenon: 1\nmeshes: {m: {box: {size: [2, 1, 1], cells: [8, 4, 4], cell: hex8, distort: 0.1}}}\n"
      "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
      "structures: {m: {mesh: m, material: a, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
      "loads: [{group: x1, traction: [0, 0, \"5*t\"]}]\nanalysis: {until: 0.2, method: central}\n";
  double *first = NULL;
  for (int threads = 1; threads <= 4; threads *= 2) {
    loaded l;
    tn_sim *sim = NULL;
    load_begin(&l, threads);
    CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
    load_finish(&l);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.2));
    size_t bytes = (size_t)sim->s->nq*sizeof(double);
    if (!first) memcpy(first = malloc(bytes), sim->at.q, bytes);
    else CHECK(memcmp(first, sim->at.q, bytes) == 0);
    tn_sim_destroy(&sim);
    unload(&l);
  }
  free(first);
}

/* rayleigh: [a, b] damps every mode by a/(2 w) + b w/2 of the critical damping; a negative damper makes the mode that it feeds grow */
static void modes_tell_damping(void) {
  double a = 3, b = 2e-4;
  for (int k = 0; k < 2; k++) {
    char text[1200];
    loaded l;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [1, 0.1, 0.12], cells: [5, 1, 1], cell: hex20}}}\n"
             "materials: {s: {type: elastic, E: 1e9, nu: 0.3, density: 1000%s}}\n"
             "structures: {m: {mesh: m, material: s, element: full%s}}\nsupports: [{group: x0, fix: [x, y, z]}]\n%sanalysis: {type: modes, modes: 6}\n",
             k ? "" : ", rayleigh: [3, 2e-4]", k ? ", hold: {tip: x1}" : "",
             k ? "forces: {feed: {type: force, body: tip, force: [0, \"0.5*vy(tip)\", 0]}}\n" : "");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    CHECK_INT(sum.modes, 6);
    for (int i = 0; i < 6 && !k; i++) {
      double w = 6.283185307179586*sum.mode[i].frequency, zeta = 0.5*(a/w + b*w);
      CHECK_NEAR(sum.mode[i].damping, zeta, 1e-8);
      CHECK_NEAR(sum.mode[i].re, -zeta*w, 1e-8);
      CHECK_NEAR(sum.mode[i].im, w*sqrt(1 - zeta*zeta), 1e-8);
    }
    CHECK_INT(sum.modes_unstable > 0, k);
    if (k) CHECK(sum.mode[0].re > 0 && sum.mode[0].unstable && !sum.mode[1].unstable); /* y is the thinner way */
    unload(&l);
  }
}

/* symmetric matrices at rest know nothing of spinning, nor of forces without a potential: no modes rather than wrong ones */
static void modes_that_would_be_wrong_are_refused(void) {
  static const char *const HUB = "joints: {h: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: z}}\n";
  static const struct { const char *more, *analysis, *why; } wrong[] = {
      {"drive: [{joint: h, motion: \"10*t\"}]\n", "", "wz = 10 rad/s"},
      {"drive: [{joint: h, motion: \"10*t\"}]\n", ", spin: [0, 0, 10]", "steady rotations are found for bodies and beams"},
      {"drive: [{joint: h, motion: 0}]\nforces: {c: {type: force, body: tip, force: [0, \"-1000*(z(tip) - 0.05)\", \"1000*(y(tip) - 0.05)\"]}}\n", "",
       "need forces with a potential"}};
  for (int i = 0; i < TNI_COUNT(wrong); i++) {
    char text[1600];
    loaded l;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [1, 0.1, 0.1], cells: [4, 1, 1]}}}\n"
             "materials: {s: {type: elastic, E: 1e9, nu: 0.3, density: 1000}}\n"
             "structures: {m: {mesh: m, material: s, formulation: large, hold: {hub: x0, tip: x1}}}\n%s%sanalysis: {type: modes, modes: 4%s}\n", HUB, wrong[i].more,
             wrong[i].analysis);
    load_text(&l, text);
    CHECK(tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum) < 0);
    if (!CHECK(strstr(tn_ctx_message(l.ctx), wrong[i].why))) printf("  %s\n", tn_ctx_message(l.ctx));
    unload(&l);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(tangents_are_those_of_the_forces);
  RUN(batches_and_single_elements_agree);
  RUN(linear_fields_are_exact_on_distorted_meshes);
  RUN(linear_fields_are_exact_in_the_plane);
  RUN(reactions_balance_the_loads);
  RUN(motions_that_nothing_holds_are_named);
  RUN(free_motions_of_meshes_on_bodies_are_named);
  RUN(strained_meshes_at_rest_are_sound);
  RUN(motions_that_move_no_node_need_no_support);
  RUN(light_loads_are_found_or_it_is_said);
  RUN(rubber_is_pulled_to_its_closed_form);
  RUN(free_bar_has_six_rigid_modes_and_its_frequencies);
  RUN(waves_are_exact_at_the_courant_limit);
  RUN(flying_body_keeps_energy_and_momenta);
  RUN(motion_of_a_mesh_alone_is_sound);
  RUN(results_do_not_depend_on_threads);
  RUN(modes_tell_damping);
  RUN(modes_that_would_be_wrong_are_refused);
  return REPORT();
}
