/* verification of what nodes of structures may have beside elements: couplings by elimination, springs, masses, temperatures,
 * consistent masses
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/structure.h"

/* ---- tangents and masses -------------------------------------------------------------------------- */

static const char *const COUPLED[] = {
    /* small: rigid group, chain of equations with a prescribed motion in it, springs, heat */
    "gravity: [0.3, -0.2, -9.81]\n"
    "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 2, 2], cell: hex8, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2, expansion: 1e-3, rayleigh: [0.1, 0.02]}}\n"
    "structures: {m: {mesh: m, material: a, mass: %s}}\n"
    "couplings:\n  - {rigid: x1, to: node 4}\n"
    "  - {equation: [[node 5, x, 1], [node 6, y, -2], [node 2, z, 0.5]], value: \"0.1*sin(t)\"}\n"
    "  - {equation: [[node 6, y, 1], [node 7, z, 1], [node 5, x, 0.3]]}\n"
    "  - {equation: [[node 7, z, 2], [node 1, x, 1]]}\n"
    "nodes:\n  - {group: node 10, stiffness: [30, 20, 10], damping: [3, 2, 1]}\n"
    "  - {group: node 11, to: node 8, stiffness: 50, damping: 4}\n"
    "  - {group: node 4, mass: 3, inertia: 0.2, stiffness: [1, 2, 3, 4, 5, 6]}\n"
    "  - {group: x0, temperature: \"100*t*(1 + y)\"}\n"
    "loads:\n  - {group: z1, pressure: 10 + 5*t}\n  - {structure: m, spin: 2 + t, axis: [0, 0.6, 0.8], follow: true}\n"
    "supports: [{group: node 1, move: {x: \"0.02*sin(2*t)\"}}, {group: node 2, fix: all}]\nanalysis: {type: statics}\n",
    /* large: equations, springs along lines */
    "gravity: [0.3, -0.2, -9.81]\n"
    "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 2, 2], cell: hex8, distort: 0.1}}}\n"
    "materials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, formulation: large, mass: %s, hold: {ground: x0}}}\n"
    "couplings:\n  - {equation: [[x1, x, 1], [node 4, x, -1]]}\n"
    "  - {equation: [[node 6, y, 1], [node 7, z, 1], [node 5, x, 0.3]], value: 0.01}\n"
    "nodes:\n  - {group: node 10, to: node 8, stiffness: 50, damping: 4}\n  - {group: node 6, to: node 30, stiffness: 20}\n"
    "loads: [{group: z1, pressure: 10 + 5*t}]\nanalysis: {type: transient}\n",
};

/* M of the sparse tangents against what the balance does with accelerations */
static double mass_error(tni_data *s, const double *q, const double *v) {
  size_t nv = (size_t)s->nv;
  double *a = malloc(nv*sizeof(double)), *M = calloc((size_t)s->square->nnz, sizeof(double)), *y = calloc(nv, sizeof(double)),
         *r0 = malloc(nv*sizeof(double)), *r1 = malloc(nv*sizeof(double)), off = 0, size = 0;
  tni_sparse_tangent out = {.M = M};
  CHECK_OK(s->ctx, tni_eval_sparse_tangent(s, 0.3, q, v, NULL, NULL, &out));
  for (size_t i = 0; i < nv; i++) a[i] = draw();
  tni_sparse_add(s->square, 1, M, a, y);
  tni_eval_balance(s, 0.3, q, v, a, NULL, r1, NULL, NULL, NULL);
  tni_eval_balance(s, 0.3, q, v, NULL, NULL, r0, NULL, NULL, NULL);
  for (size_t i = 0; i < nv; i++) off = fmax(off, fabs(y[i] - (r1[i] - r0[i]))), size = fmax(size, fabs(y[i]));
  /* accelerations solve it, and the kinetic energy is that of M */
  double E = 0;
  for (size_t i = 0; i < nv; i++) y[i] = 0;
  tni_sparse_add(s->square, 1, M, v, y);
  for (size_t i = 0; i < nv; i++) E += 0.5*v[i]*y[i];
  tni_eval_balance(s, 0.3, q, v, NULL, NULL, r0, NULL, NULL, NULL);
  CHECK_NEAR(tni_system_kinetic(s), E, 1e-11);
  CHECK_OK(s->ctx, tni_accel(s, 0.3, q, v, a, NULL, NULL));
  tni_eval_balance(s, 0.3, q, v, a, NULL, r1, NULL, NULL, NULL);
  for (size_t i = 0; i < nv; i++) off = fmax(off, fabs(r1[i])), size = fmax(size, fabs(r0[i]));
  free(a), free(M), free(y), free(r0), free(r1);
  return off/size;
}

static void tangents_and_masses_are_those_of_the_forces(void) {
  static const char *const mass[2] = {"lumped", "consistent"};
  for (int k = 0; k < TNI_COUNT(COUPLED); k++)
    for (int c = 0; c < 2; c++) {
      char text[4096];
      loaded l;
      tni_data *s;
      snprintf(text, sizeof(text), COUPLED[k], mass[c]);
      load_text(&l, text);
      CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
      CHECK_OK(l.ctx, tni_prepare_pattern(s));
      for (int n = 0; n < 4; n++) {
        double *q = malloc((size_t)s->nq*sizeof(double)), *v = malloc((size_t)s->nv*sizeof(double));
        seed = 5u + (unsigned)n;
        tni_initial(s, q, v);
        for (int i = 0; i < s->nv; i++) q[i] += 0.02*draw(), v[i] = draw();
        double off = tangent_error(s, 0.3, q, v, 1e-6);
        if (!CHECK(off < 2e-7)) printf("  model %d, %s, state %d: %.2e\n", k, mass[c], n, off);
        if (!(k == 0)) { /* of moving leaders kinetic energy is not asked: only statics takes them */
          off = mass_error(s, q, v);
          if (!CHECK(off < 1e-11)) printf("  mass of model %d, %s, state %d: %.2e\n", k, mass[c], n, off);
        }
        free(q), free(v);
      }
      tni_data_destroy(&s);
      unload(&l);
    }
}

/* ---- equations -------------------------------------------------------------------------------------- */

/* u_a = 2 u_b, in all orders and as part of a circle that closes: the springs of a and b see the same as one by hand */
static void equations_may_come_in_any_order_and_in_circles(void) {
  static const char *const said[] = {
      "[{equation: [[node 1, x, 1], [node 2, x, -2]]}]",
      "[{equation: [[node 2, x, -2], [node 1, x, 1]]}]",
      "[{equation: [[node 1, x, 1], [node 3, x, -1]]}, {equation: [[node 3, x, 1], [node 2, x, -2]]}, "
      "{equation: [[node 2, x, 4], [node 1, x, -2]]}]",
      "[{equation: [[node 3, x, 1], [node 1, x, -1]]}, {equation: [[node 1, x, 1], [node 3, x, 1], [node 2, x, -4]]}]"};
  for (int k = 0; k < TNI_COUNT(said); k++) {
    char text[2048];
    loaded l;
    /* a bar of 3 nodes without stiffness to speak of; springs 3 at node 1, 5 at node 2, force 7 at node 1 */
    snprintf(text, sizeof(text),
             "meshes: {m: {bar: {size: 2, cells: 2}}}\nmaterials: {a: {type: elastic, E: 1e-9, nu: 0, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, area: 1}}\nsupports: [{group: all, fix: [y, z]}]\ncouplings: %s\n"
             "nodes: [{group: node 1, stiffness: [3, 0, 0]}, {group: node 2, stiffness: [5, 0, 0]}, {group: node 3, stiffness: [1e-9, 0, 0]}]\n"
             "loads: [{group: node 1, force: [7, 0, 0]}]\nanalysis: {type: statics}\n", said[k]);
    load_text(&l, text);
    tn_sim *sim = rest_of(&l);
    double *u = field(sim, "displacement"), *R = field(sim, "reaction");
    /* 3 u + 5/4 u = 7; what the coupling gives: -7 + 3 u at node 1, twice the opposite at node 2 */
    double want = 7/4.25;
    CHECK_NEAR(u[0], want, 1e-8);
    CHECK_NEAR(u[3], want/2, 1e-8);
    if (k < 2) {
      CHECK_NEAR(R[0], 3*want - 7, 1e-7);
      CHECK_NEAR(R[3], -2*(3*want - 7), 1e-7);
    }
    free(u), free(R);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* ---- rigid groups ------------------------------------------------------------------------------------ */

/* a block that is rigid as a whole, on springs at its node: mass, centre and moments of inertia are those of the block */
static void rigid_block_swings_as_a_body(void) {
  static const char *const mass[2] = {"lumped", "consistent"};
  for (int k = 0; k < 2; k++) {
    char text[2048];
    loaded l;
    /* 1 x 0.6 x 0.4 m, node in the middle; hex20 lumps are not exact in inertia, so that hex8 of many cells is taken */
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 0.6, 0.4], cells: [8, 8, 8], origin: [-0.5, -0.3, -0.2]}}}\n"
             "materials: {a: {type: elastic, E: 10, nu: 0.3, density: 100}}\n"
             "structures: {m: {mesh: m, material: a, mass: %s}}\n"
             "couplings: [{rigid: all, to: node 365}]\n"
             "nodes: [{group: node 365, stiffness: [100, 200, 400, 10, 20, 40]}]\nanalysis: {type: modes, modes: 6}\n", mass[k]);
    load_text(&l, text);
    CHECK_WITHIN(l.model->part[0].mesh->x[3*364] + l.model->part[0].mesh->x[3*364 + 1] + l.model->part[0].mesh->x[3*364 + 2], 0, 1e-12);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    double m = 24, a2 = 1, b2 = 0.36, c2 = 0.16;
    /* a lumped row of n cells has n^2 times the moment (n^2 + 2)/(n^2) of the exact one */
    double more = k ? 1 : (64 + 2)/64.0;
    double square[6] = {100/m, 200/m, 400/m, 10/(m*(b2 + c2)/12*more), 20/(m*(a2 + c2)/12*more), 40/(m*(a2 + b2)/12*more)};
    CHECK_INT(sum.modes, 6);
    for (int i = 0; i < 6; i++) {
      double best = HUGE_VAL, w = sqrt(square[i])/6.283185307179586;
      for (int j = 0; j < 6; j++) best = fmin(best, fabs(sum.mode[j].frequency/w - 1));
      CHECK_WITHIN(best, 0, 1e-9);
    }
    unload(&l);
  }
}

/* ---- consistent masses --------------------------------------------------------------------------------- */

/* a bar of n linear elements, held at one end: w^2 = 6 c^2/h^2 (1 - cos kh)/(2 + cos kh), k = (2 j - 1) pi/(2 L) */
static void consistent_masses_have_their_dispersion(void) {
  loaded l;
  load_text(&l, "meshes: {m: {bar: {size: 2, cells: 10}}}\nmaterials: {a: {type: elastic, E: 9, nu: 0, density: 4}}\n"
                "structures: {m: {mesh: m, material: a, area: 0.1, mass: consistent}}\n"
                "supports: [{group: all, fix: [y, z]}, {group: x0, fix: [x]}]\nanalysis: {type: modes, modes: 10}\n");
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
  for (int j = 1; j <= 10; j++) {
    double kh = (2*j - 1)*3.14159265358979323846/4*0.2, w = 1.5/0.2*sqrt(6*(1 - cos(kh))/(2 + cos(kh)));
    CHECK_NEAR(sum.mode[j-1].frequency, w/6.283185307179586, 1e-9);
  }
  unload(&l);
}

/* gravity goes with the mass: what falls freely does not deform, with every mass and cell, and a point mass falls with it */
static void free_fall_does_not_deform(void) {
  static const char *const mass[2] = {"lumped", "consistent"}, *const cell[2] = {"hex8", "hex20"};
  for (int k = 0; k < 4; k++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, -10]\nmeshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: %s}}}\n"
             "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\nstructures: {m: {mesh: m, material: a, mass: %s}}\n"
             "nodes: [{group: node 3, mass: 2}, {group: x0, velocity: [1, 0, 0]}, {group: all, velocity: [0.5, 0, 0]}]\n"
             "analysis: {until: 0.2, method: radau, tolerance: 1e-8}\n", cell[k % 2], mass[k/2]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.2));
    double *u = field(sim, "displacement");
    for (int i = 0; i < l.model->part[0].mesh->nnode; i++) {
      CHECK_WITHIN(u[3*i], 0.1, 1e-9);
      CHECK_WITHIN(u[3*i + 2], -0.2, 1e-9);
    }
    free(u);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* a mass on a spring and a damper beside a mesh that does nothing: decay and frequency */
static void mass_on_spring_and_damper_swings(void) {
  static const char *const method[] = {"central", "radau"};
  for (int k = 0; k < 2; k++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text),
             "meshes: {m: {bar: {size: 2, cells: 2}}}\nmaterials: {a: {type: elastic, E: 1e-12, nu: 0, density: 1e-9}}\n"
             "structures: {m: {mesh: m, material: a, area: 1}}\nsupports: [{group: all, fix: [y, z]}, {group: x0, fix: [x]}]\n"
             "nodes: [{group: x1, mass: 2, stiffness: [50, 0, 0], damping: [1, 0, 0], velocity: [3, 0, 0]}, {group: node 2, mass: 1}]\n"
             "analysis: {until: 1, method: %s%s}\n", method[k], k ? ", tolerance: 1e-9" : ", step: 1e-4");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 1));
    double *u = field(sim, "displacement"), w = sqrt(25 - 0.0625), want = exp(-0.25)*3/w*sin(w);
    CHECK_NEAR(u[6], want, k ? 1e-7 : 1e-5);
    free(u);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* ---- temperatures --------------------------------------------------------------------------------------- */

/* T = g z: u = alpha g (x z, y z, (z^2 - x^2 - y^2)/2) without any stress; quadratic elements have it exactly */
static void linear_temperature_bends_without_stress(void) {
  static const char *const cell[] = {"hex20", "tet10", "wedge15"};
  for (int k = 0; k < TNI_COUNT(cell); k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: %s}}}\n"
             "materials: {a: {type: elastic, E: 1000, nu: 0.3, expansion: 1e-3}}\nstructures: {m: {mesh: m, material: a}}\n"
             "nodes: [{group: all, temperature: \"10*z*t\"}]\n"
             "supports:\n  - {group: node 1, fix: all}\n  - {group: x0, fix: [x]}\n  - {group: y0, fix: [y]}\n"
             "analysis: {type: statics, from: 0, until: 2, load_steps: 2}\n", cell[k]);
    load_text(&l, text);
    tn_sim *sim = rest_of(&l);
    double *u = field(sim, "displacement"), *stress = field(sim, "stress");
    const tni_mesh *m = l.model->part[0].mesh;
    for (int i = 0; i < m->nnode; i++) {
      const double *x = m->x + 3*i;
      CHECK_WITHIN(u[3*i], 0.02*x[0]*x[2], 1e-12);
      CHECK_WITHIN(u[3*i + 2], 0.01*(x[2]*x[2] - x[0]*x[0] - x[1]*x[1]), 1e-12);
      for (int c = 0; c < 6; c++) CHECK_WITHIN(stress[6*i + c], 0, 1e-9);
    }
    free(u), free(stress);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* a block that cannot expand: the stress follows the temperature at every load step, though no place changes */
static double heated[4];
static int nheated;
static tn_status keep_stress(void *user) {
  double *stress = field(user, "stress");
  heated[nheated++] = stress[0];
  free(stress);
  return TN_OK;
}

static void held_block_is_pressed_by_its_temperature(void) {
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.25, expansion: 1e-3}}\n"
                "structures: {m: {mesh: m, material: a}}\nnodes: [{group: all, temperature: 10*t}]\n"
                "supports: [{group: x0, fix: [x]}, {group: x1, fix: [x]}, {group: y0, fix: [y]}, {group: y1, fix: [y]}, {group: z0, fix: [z]},\n"
                "           {group: z1, fix: [z]}]\nanalysis: {type: statics, until: 3, load_steps: 3}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  nheated = 0;
  CHECK_OK(l.ctx, tni_statics_run(sim, keep_stress, sim));
  /* -E alpha T/(1 - 2 nu) */
  for (int i = 0; i < 4; i++) CHECK_WITHIN(heated[i], -20.0*i, 1e-9);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* a force per volume knows no density, whatever the mesh is made of */
static void body_force_is_per_volume(void) {
  static const struct {
    const char *mesh, *more;
    double volume;
  } c[] = {
      {"box: {size: [2, 1, 1], cells: [2, 1, 1]}", "", 2},
      {"box: {size: [2, 1, 1], cells: [2, 2, 1], cell: tet10}", "", 2},
      {"panel: {radius: 2, length: 1, angle: 0.5, cells: [2, 2], cell: quad4}", ", thickness: 0.3", 0.3*8*0.124674733385227689},
      {"bar: {size: 2, cells: 3}", ", section: {rectangle: [0.1, 0.2]}", 0.04},
      {"bar: {size: 2, cells: 3}", ", section: {tube: [0.2, 0.1]}", 2*0.03*3.14159265358979324},
      {"bar: {size: 2, cells: 3}", ", area: 0.05", 0.1},
  };
  for (int k = 0; k < TNI_COUNT(c); k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {%s}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 50}}\n"
             "structures: {m: {mesh: m, material: a%s}}\nsupports: [{group: x0, fix: all}%s]\n"
             "loads: [{structure: m, body_force: [0, 3, 0]}]\nanalysis: {type: statics}\n",
             c[k].mesh, c[k].more, k == 5 ? ", {group: all, fix: [y, z]}" : "");
    load_text(&l, text);
    tn_sim *sim = rest_of(&l);
    double *R = field(sim, "reaction"), force = 0;
    for (int i = 0; i < l.model->part[0].mesh->nnode; i++) force += R[3*i + 1];
    CHECK_NEAR(force, -3*c[k].volume, 1e-11);
    free(R);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* gravity, spin and temperatures that nothing in the material answers to: a key has been forgotten */
static char warned[400];
static void hear(void *user, tn_log_level level, const char *message) {
  (void)user;
  if (level == TN_LOG_WARNING) snprintf(warned, sizeof(warned), "%s", message);
}

static void what_can_do_nothing_is_said(void) {
  static const struct {
    const char *material, *more, *said;
  } c[] = {
      {"", "gravity: [0, 0, -9.81]", "gravity does nothing, because no material of it has 'density'"},
      {", density: 5", "gravity: [0, 0, -9.81]", ""},
      {"", "gravity: [0, 0, -9.81]\nnodes: [{group: x1, mass: 1}]", ""},
      {"", "loads: [{structure: m, spin: 3}]", "spin does nothing"},
      {", density: 5", "loads: [{structure: m, spin: 3}]", ""},
      {"", "nodes: [{group: all, temperature: 10}]", "temperatures do nothing, because no material of it has 'expansion'"},
      {", expansion: 1e-5", "nodes: [{group: all, temperature: 10}]", ""},
  };
  for (int i = 0; i < TNI_COUNT(c); i++) {
    char text[1200];
    tn_ctx_opts o = {.threads = 1, .log = hear};
    tn_ctx *ctx = NULL;
    tn_spec *spec = NULL;
    tn_model *model = NULL;
    warned[0] = 0;
    snprintf(text, sizeof(text),
             "tenon: 1\nmeshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3%s}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n%s\nanalysis: {type: statics}\n", c[i].material, c[i].more);
    CHECK_OK(NULL, tn_ctx_create(&o, &ctx));
    CHECK_OK(ctx, tn_spec_read_text(ctx, "test", text, NULL, 0, &spec));
    CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
    if (!CHECK(c[i].said[0] ? strstr(warned, c[i].said) != NULL : warned[0] == 0)) printf("  %d: %s\n", i, warned);
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
    tn_ctx_destroy(&ctx);
  }
}

/* ---- ties ----------------------------------------------------------------------------------------------- */

/* two cubes of 2 and `right` cells a side, one beside the other */
static void write_blocks(const char *path, int right) {
  FILE *f = fopen(path, "w");
  int node = 1, element = 1, cells[2] = {2, right};
  fprintf(f, "*NODE, NSET=ALL\n");
  for (int b = 0; b < 2; b++)
    for (int k = 0; k <= cells[b]; k++)
      for (int j = 0; j <= cells[b]; j++)
        for (int i = 0; i <= cells[b]; i++)
          fprintf(f, "%d, %.17g, %.17g, %.17g\n", node++, b + (double)i/cells[b], (double)j/cells[b], (double)k/cells[b]);
  for (int b = 0, first = 1; b < 2; first += (cells[b] + 1)*(cells[b] + 1)*(cells[b] + 1), b++) {
    fprintf(f, "*ELEMENT, TYPE=C3D8, ELSET=%s\n", b ? "RIGHT" : "LEFT");
    int n = cells[b] + 1;
    for (int k = 0; k < cells[b]; k++)
      for (int j = 0; j < cells[b]; j++)
        for (int i = 0; i < cells[b]; i++) {
          int a = first + i + n*(j + n*k);
          fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", element++, a, a + 1, a + 1 + n, a + n, a + n*n, a + 1 + n*n,
                  a + 1 + n + n*n, a + n + n*n);
        }
  }
  for (int b = 0, first = 1; b < 2; first += (cells[b] + 1)*(cells[b] + 1)*(cells[b] + 1), b++) {
    int n = cells[b] + 1;
    fprintf(f, "*NSET, NSET=%s\n", b ? "RIGHT0" : "LEFT0");
    for (int a = 0; a < n*n; a++) fprintf(f, "%d\n", first + n*a);
    fprintf(f, "*NSET, NSET=%s\n", b ? "RIGHT1" : "LEFT1");
    for (int a = 0; a < n*n; a++) fprintf(f, "%d\n", first + n*a + n - 1);
  }
  fprintf(f, "*SURFACE, NAME=FACE\n");
  for (int e = 1; e <= 8; e += 2) fprintf(f, "%d, S4\n", e + 1);
  fclose(f);
}

/* Nodes tied to faces stay on them, whatever they are; where the nodes of both sides meet, uniform stress passes exactly. Where they
 * do not, nodes on faces hand forces over near where they act, not exactly there: totals are right, stresses nearby are not. */
static void ties_hold_meshes_together(void) {
  const char *path = "couplings_blocks.inp";
  for (int right = 2; right <= 5; right++) {
    loaded l;
    write_blocks(path, right);
    load_text(&l, "meshes: {m: {file: couplings_blocks.inp}}\nmaterials: {a: {type: elastic, E: 100, nu: 0.3}}\n"
                  "structures: {m: {mesh: m, material: a}}\ncouplings: [{tie: RIGHT0, to: FACE}]\n"
                  "supports: [{group: LEFT0, fix: [x]}, {group: node 1, fix: all}, {group: node 7, fix: [z]}, {group: RIGHT1, move: {x: 0.02}}]\n"
                  "analysis: {type: statics}\n");
    tn_sim *sim = rest_of(&l);
    double *u = field(sim, "displacement"), *stress = field(sim, "stress"), *R = field(sim, "reaction"), total[3] = {0}, pull = 0;
    const tni_mesh *m = l.model->part[0].mesh;
    const tni_mesh_set *ends[2] = {tni_mesh_find_set(m, "LEFT0", TNI_SET_NODES), tni_mesh_find_set(m, "RIGHT1", TNI_SET_NODES)};
    for (int i = 0; i < ends[1]->n; i++) pull += R[3*ends[1]->member[i]];
    for (int i = 0; i < m->nnode; i++) {
      const double *x = m->x + 3*i;
      vec3_add(total, total, R + 3*i);
      if (right > 2) continue;
      CHECK_WITHIN(u[3*i], 0.01*x[0], 1e-12);
      CHECK_WITHIN(u[3*i + 1], -0.003*x[1], 1e-12);
      CHECK_WITHIN(stress[6*i], 1, 1e-9);
    }
    for (int c = 0; c < 3; c++) CHECK_WITHIN(total[c], 0, 1e-11);
    CHECK_WITHIN(pull, 1, 0.02);
    /* the middle of the face is a node of the left side, and of the right one where its cells are even */
    double at[2][3];
    for (int i = 0, found = 0; i < m->nnode && right == 4; i++)
      if (fabs(m->x[3*i] - 1) + fabs(m->x[3*i + 1] - 0.5) + fabs(m->x[3*i + 2] - 0.25) < 1e-9 && found < 1) vec3_copy(at[found++], u + 3*i);
    if (right == 4) { /* a quarter up: half way between two nodes of the left side */
      double between[3] = {0};
      for (int i = 0; i < 27; i++)
        if (fabs(m->x[3*i] - 1) + fabs(m->x[3*i + 1] - 0.5) < 1e-9 && m->x[3*i + 2] < 0.6) vec3_addmul(between, 0.5, u + 3*i);
      for (int c = 0; c < 3; c++) CHECK_WITHIN(at[0][c], between[c], 1e-15);
    }
    free(u), free(stress), free(R);
    tn_sim_destroy(&sim);
    unload(&l);
  }
  remove(path);
}

/* A strip of two metals, each a mesh of its own, bends by Timoshenko's curvature when it gets warm, whether their nodes are tied, are
 * one, or lie on each other's faces as they may; turned by any angle, too. */
static void strips_of_two_metals_bend(void) {
  const double h = 0.002, length = 0.1, n = 0.5, a = 1e-5, warm = 100;
  const double curvature = 6*a*warm*4/(h*(3*4 + (1 + n)*(1 + 1/n)));
  for (int k = 0; k < 3; k++)
    for (int turned = 0; turned < 2; turned++) {
      char text[1500], level[120];
      double angle = turned ? 0.7 : -2.2;
      loaded l;
      /* the far end stays at its height above the strip */
      snprintf(level, sizeof(level), "{equation: [[low.x1y1, x, %.17g], [low.x1y1, y, %.17g]]}", -sin(angle), cos(angle));
      snprintf(text, sizeof(text),
               "planar: true\nmeshes:\n"
               "  strip: {plate: {size: [0.1, 0.001], cells: [50, 2], cell: quad8}}\n"
               "  other: {plate: {size: [0.1, 0.001], cells: [%d, 2], cell: quad8}}\n"
               "  both: {join: {low: strip, high: {mesh: other, at: [0, 0.001]}}, orientation: %g%s}\n"
               "materials: {s: {type: elastic, E: 2e11, nu: 0, expansion: 1e-5}, q: {type: elastic, E: 1e11, nu: 0, expansion: 2e-5}}\n"
               "structures: {b: {mesh: both, material: {low: s, high: q}, temperature: 100}}\n"
               "supports: [{group: low.x0y1, fix: [x, y]}]\n"
               "couplings: [%s%s]\nanalysis: {type: statics}\n",
               k == 2 ? 30 : 50, angle, k == 1 ? ", merge: 1e-7" : "", k == 1 ? "" : "{tie: high.y0, to: low.y1}, ", level);
      load_text(&l, text);
      tn_sim *sim = rest_of(&l);
      double *u = field(sim, "displacement");
      const tni_mesh *m = l.model->part[0].mesh;
      double x0 = 0.05, least = 1;
      int middle = -1;
      for (int i = 0; i < tni_mesh_find_set(m, "low.y1", TNI_SET_NODES)->n; i++) {
        int node = tni_mesh_find_set(m, "low.y1", TNI_SET_NODES)->member[i];
        double along = m->x[3*node]*cos(angle) + m->x[3*node+1]*sin(angle);
        if (fabs(along - x0) < least) least = fabs(along - x0), middle = node;
      }
      double across = -u[3*middle]*sin(angle) + u[3*middle+1]*cos(angle);
      if (!CHECK(fabs(across - curvature*length*length/8) < (k == 2 ? 5e-3 : 2e-3)*curvature*length*length/8))
        printf("  way %d, angle %g: %.6e, %.6e by theory\n", k, angle, across, curvature*length*length/8);
      free(u);
      tn_sim_destroy(&sim);
      unload(&l);
    }
}

/* what nothing holds is named, also where springs and couplings hold pieces together */
static void free_motions_of_pieces_that_hang_together_are_named(void) {
  static const struct {
    const char *more, *message; /* NULL: it is held */
  } when[] = {
      {"nodes: [{group: node 2, stiffness: [1, 0, 0]}]", "5 rigid motions"}, {"nodes: [{group: x1, stiffness: [1, 0, 0]}]", "3 rigid motions"},
      {"nodes: [{group: x1, stiffness: [1, 1, 1]}]", NULL},
      {"couplings: [{rigid: x1, to: node 2}]\nsupports: [{group: node 2, fix: [x, y, z]}]", "3 rigid motions"},
      {"couplings: [{rigid: x1, to: node 2}]\nsupports: [{group: node 2, fix: all}]", NULL},
      {"couplings: [{equation: [[x0, x, 1]]}, {equation: [[x0, y, 1]]}, {equation: [[x0, z, 1]]}]", NULL},
      {"couplings: [{equation: [[x0, x, 1], [node 2, x, -1]]}]\nsupports: [{group: node 1, fix: [y, z]}]", "turning about x"}};
  for (int k = 0; k < TNI_COUNT(when); k++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}\nmaterials: {a: {type: elastic, E: 100, nu: 0.3}}\n"
             "structures: {m: {mesh: m, material: a}}\n%s\nanalysis: {type: statics}\n", when[k].more);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    tn_status st = tni_statics_run(sim, store_nothing, NULL);
    if (!CHECK((st == TN_OK) == !when[k].message) || (when[k].message && !CHECK(strstr(tn_ctx_message(l.ctx), when[k].message) != NULL)))
      printf("  %s: %s\n", when[k].more, st == TN_OK ? "held" : tn_ctx_message(l.ctx));
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* what moves supports in time has no velocity in statics: dampers and damping by stiffness do nothing there */
static void equilibria_know_no_velocities(void) {
  loaded l;
  load_text(&l, "meshes: {m: {bar: {size: 1, cells: 2}}}\nmaterials: {a: {type: elastic, E: 100, nu: 0, density: 1, rayleigh: [3, 0.5]}}\n"
                "structures: {m: {mesh: m, material: a, area: 1}}\nnodes: [{group: node 2, to: x1, damping: 7}]\n"
                "supports: [{group: all, fix: [y, z]}, {group: x0, fix: [x]}, {group: x1, move: {x: \"0.01*t\"}}]\n"
                "analysis: {type: statics, until: 1, load_steps: 2}\n");
  tn_sim *sim = rest_of(&l);
  double *R = field(sim, "reaction");
  CHECK_NEAR(R[6], 1, 1e-12);
  CHECK_NEAR(R[0], -1, 1e-12);
  CHECK_NEAR(sim->sum.energy_end, 0.005, 1e-12);
  CHECK_WITHIN(sim->sum.energy_begin, 0, 1e-15);
  free(R);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* an equation of components that are all prescribed must hold at all times, its value with its sign */
static void equations_of_prescribed_nodes_must_hold(void) {
  for (int k = 0; k < 2; k++) {
    char text[1024];
    tn_ctx *ctx;
    tn_spec *spec = NULL;
    tn_model *model = NULL;
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    snprintf(text, sizeof(text),
             "tenon: 1\nmeshes: {m: {box: {size: [1, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1, nu: 0, density: 1}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}, {group: x1, move: {x: \"0.02*t\"}}, {group: x1, fix: [y, z]}]\n"
             "couplings: [{equation: [[node 3, x, 1], [node 1, x, -1]], value: \"%s0.02*t\"}]\nanalysis: {type: statics}\n", k ? "-" : "");
    CHECK_OK(ctx, tn_spec_read_text(ctx, "test", text, NULL, 0, &spec));
    if (!CHECK(tn_model_compile(ctx, spec, &model) == (k ? TN_ERR_INPUT : TN_OK))) printf("  %s\n", tn_ctx_message(ctx));
    tn_model_destroy(&model);
    tn_spec_destroy(&spec);
    tn_ctx_destroy(&ctx);
  }
}

/* sums of displacements are what the equation says, whatever the factors: of two components, and of one */
static void equations_have_their_values(void) {
  static const double factor[][2] = {{1, 2}, {4, 1}, {-0.5, 3}, {8, -16}};
  for (int k = 0; k < TNI_COUNT(factor); k++) {
    char text[900];
    loaded l;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 10, nu: 0.3, density: 1}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0.1, 0.2, 0.3]}]\n"
             "couplings:\n  - {equation: [[node 3, x, %g], [node 6, y, %g]], value: 0.02}\n  - {equation: [[node 9, z, %g]], value: 0.03}\n"
             "analysis: {type: statics}\n", factor[k][0], factor[k][1], factor[k][0]);
    load_text(&l, text);
    tn_sim *sim = rest_of(&l);
    double *u = field(sim, "displacement");
    CHECK_NEAR(factor[k][0]*u[3*2] + factor[k][1]*u[3*5 + 1], 0.02, 1e-12);
    CHECK_NEAR(factor[k][0]*u[3*8 + 2], 0.03, 1e-12);
    free(u);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

int main(void) {
  RUN(equations_have_their_values);
  RUN(equilibria_know_no_velocities);
  RUN(tangents_and_masses_are_those_of_the_forces);
  RUN(equations_may_come_in_any_order_and_in_circles);
  RUN(rigid_block_swings_as_a_body);
  RUN(consistent_masses_have_their_dispersion);
  RUN(free_fall_does_not_deform);
  RUN(mass_on_spring_and_damper_swings);
  RUN(linear_temperature_bends_without_stress);
  RUN(held_block_is_pressed_by_its_temperature);
  RUN(body_force_is_per_volume);
  RUN(what_can_do_nothing_is_said);
  RUN(equations_of_prescribed_nodes_must_hold);
  RUN(ties_hold_meshes_together);
  RUN(strips_of_two_metals_bend);
  RUN(free_motions_of_pieces_that_hang_together_are_named);
  return REPORT();
}
