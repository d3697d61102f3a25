/* verification of keys of meshes, structures, supports, loads: each is heeded, or refused or warned of by name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include "analyses/statics.h"
#include "mesh/mesh.h"
#include "support/loaded.h"
#include "system/parts.h"

static tn_status store_nothing(void *user) {
  (void)user;
  return TN_OK;
}

/* ---- families of elements ---------------------------------------------------------------------------- */

typedef struct {
  const char *name, *model; /* mesh and what it needs */
  const char *own;          /* keys of the structure that it needs */
  const char *load;
} family;

#define SOLID(cell) {cell, "meshes: {m: {box: {size: [1, 0.2, 0.3], cells: [2, 2, 2], cell: " cell "}}}", "", "[100, 50, 20]"}
#define PLANE(cell) {cell, "planar: true\nmeshes: {m: {plate: {size: [1, 0.3], cells: [2, 1], cell: " cell "}}}", "", "[100, 50, 0]"}
#define RING(cell) {cell, "planar: true\nmeshes: {m: {plate: {corners: [1, 0, 2, 0, 2, 1, 1, 1], cells: [2, 1], cell: " cell "}}}", ", plane: axisymmetric", "[100, 0, 0]"}
#define SHELL(cell) {cell, "meshes: {m: {plate: {size: [1, 0.3], cells: [2, 1], cell: " cell "}}}", ", thickness: 0.01", "[100, 50, 20]"}
static const family families[] = {
    SOLID("hex8"), SOLID("hex20"), SOLID("tet4"), SOLID("tet10"), SOLID("wedge6"), SOLID("wedge15"),
    PLANE("quad4"), PLANE("quad8"), PLANE("tri3"), PLANE("tri6"), RING("quad4"), RING("quad8"), RING("tri3"), RING("tri6"),
    SHELL("quad4"), SHELL("quad8"),
    {"truss", "meshes: {m: {box_truss: {size: [2, 1, 1], cells: [2]}}}", ", area: 1e-4", "[10, 5, 2]"},
    {"beam", "meshes: {m: {bar: {size: 1, cells: 2}}}", ", section: {rectangle: [0.01, 0.02]}", "[10, 5, 2]"},
};

/* elements of one dimension that heed a key: s: shells, p: plane, a: axisymmetric, t: trusses, b: beams, v: solids */
static const struct {
  const char *key, *value, *heeded;
  bool refused;
} keys[] = {
    {"thickness", "0.02", "sp", true},
    {"area", "2e-4", "t", true},
    {"section", "{circle: 0.03}", "tb", true}, /* lines with a section are beams */
    {"axes", "{x: [1, 0, 0], y: [0, 0, 1]}", "b", false},
    {"hourglass", "0.2", "", false},
};

static char letter(int i) {
  static const char letters[] = "vvvvvvppppaaaasstb";
  return letters[i];
}

static char said[2000];

static void listen(void *user, tn_log_level level, const char *text) {
  (void)user;
  size_t n = strlen(said);
  if (level == TN_LOG_WARNING) snprintf(said + n, sizeof(said) - n, "%s\n", text);
}

/* a field of the structure, all nodes */
static double *field_of(tn_sim *sim, const char *name) {
  const tni_part *p = &sim->model->part[0];
  tni_part_at at = tni_parts_at(sim->s, 0);
  int f = 0;
  while (strcmp(p->field[f].name, name) != 0) f++;
  double *x = calloc((size_t)p->field[f].ncomponent*(size_t)p->mesh->nnode, sizeof(double));
  p->ops->fill(p, sim->s->parts->work[0], &at, f, x);
  return x;
}

static double displaced(tn_sim *sim) {
  double *u = field_of(sim, "displacement"), sum = 0;
  for (int i = 0; i < 3*sim->model->part[0].mesh->nnode; i++) sum += fabs(u[i]);
  free(u);
  return sum;
}

/* sum of the displacements in the equilibrium, NAN where the model is refused, whose message is in `said` */
static double sum_of(const char *text) {
  tn_ctx *ctx;
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_ctx_opts how = {.log = listen};
  double out = NAN;
  said[0] = 0;
  CHECK_OK(NULL, tn_ctx_create(&how, &ctx));
  CHECK_OK(ctx, tn_spec_read_text(ctx, "test", text, NULL, 0, &spec));
  if (tn_model_compile(ctx, spec, &model) == TN_OK) {
    tn_sim *sim = NULL;
    if (tn_sim_create(ctx, model, NULL, &sim) == TN_OK && tni_statics_run(sim, store_nothing, NULL) == TN_OK) {
      out = displaced(sim);
    }
    tn_sim_destroy(&sim);
  } else {
    snprintf(said, sizeof(said), "%s", tn_ctx_message(ctx));
  }
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
  return out;
}

static void write(char *text, size_t n, const family *f, const char *structure) {
  snprintf(text, n, "tenon: 1\n%s\nmaterials: {a: {type: elastic, E: 2e11, nu: 0.3}}\nstructures: {s: {mesh: m%s}}\n"
           "supports: [{group: %s, fix: all}]\nloads: [{group: x1, force: %s}]\nanalysis: {type: statics}\n", f->model, structure,
           letter((int)(f - families)) == 'a' ? "y0" : "x0", f->load);
}

/* every key by every family, said of the structure and of a group of its cells */
static void keys_are_heeded_or_named(void) {
  for (int i = 0; i < TNI_COUNT(families); i++) {
    char text[2000], own[400];
    const family *f = &families[i];
    snprintf(own, sizeof(own), ", material: a%s", f->own);
    write(text, sizeof(text), f, own);
    double plain = sum_of(text);
    if (!CHECK(isfinite(plain) && plain != 0)) printf("  %s: %s\n", f->name, said);
    for (int k = 0; k < TNI_COUNT(keys); k++)
      for (int group = 0; group < (strcmp(keys[k].key, "hourglass") == 0 ? 1 : 2); group++) {
        bool its = f->own[0] && strncmp(f->own + 2, keys[k].key, strlen(keys[k].key)) == 0, heeds = strchr(keys[k].heeded, letter(i)) != NULL;
        if (group) snprintf(own, sizeof(own), ", material: {all: {material: a, %s: %s}}%s", keys[k].key, keys[k].value, its ? "" : f->own);
        else snprintf(own, sizeof(own), ", material: a, %s: %s%s", keys[k].key, keys[k].value, its ? "" : f->own);
        if (letter(i) == 't' && strcmp(keys[k].key, "section") == 0) continue; /* makes them beams, and the area stray */
        write(text, sizeof(text), f, own);
        double now = sum_of(text);
        bool named = strstr(said, keys[k].key) != NULL && strstr(said, "elements") != NULL;
        bool right = heeds ? isfinite(now) && fabs(now - plain) > 1e-6*fabs(plain) && !named
                           : named && (keys[k].refused ? isnan(now) : now == plain);
        if (!CHECK(right)) printf("  %s, %s%s: %g for %g, said: %s\n", f->name, keys[k].key, group ? " of a group" : "", now, plain, said);
      }
  }
}

/* ---- supports, loads, couplings, nodes, meshes ------------------------------------------------------- */

static const struct {
  const char *text, *says;
} strays[] = {
#define BOX "meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
#define PLATE "planar: true\nmeshes: {m: {plate: {size: [1, 1], cells: [1, 1]}}}\n"
#define REST "structures: {s: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
    {BOX REST "loads: [{group: x1, force: [1, 0, 0], axis: x}]", "'axis' belongs to 'spin'"},
    {BOX REST "loads: [{group: x1, force: [1, 0, 0], at: [0, 0, 1]}]", "'at' belongs to 'spin'"},
    {BOX REST "loads: [{group: x1, force: [1, 0, 0], follow: true}]", "only 'pressure' and 'spin' follow"},
    {BOX REST "loads: [{group: x1, traction: [1, 0, 0], follow: true}]", "only 'pressure' and 'spin' follow"},
    {PLATE REST "loads: [{group: x1, force: [0, 0, 1]}]", "no direction z"},
    {PLATE REST "loads: [{group: x1, force_each: [0, 0, t]}]", "no direction z"},
    {PLATE REST "loads: [{group: x1, traction: [0, 0, 1]}]", "no direction z"},
    {PLATE REST "loads: [{body_force: [0, 0, 1]}]", "no direction z"},
    {PLATE "structures: {s: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all, move: {z: 1}}]\n", "no direction z"},
    {PLATE REST "nodes: [{group: x1, stiffness: [0, 0, 1]}]", "no direction z"},
    {PLATE REST "nodes: [{group: x1, damping: [0, 0, 1]}]", "no direction z"},
    {PLATE "structures: {s: {mesh: m, material: a, plane: axisymmetric}}\nloads: [{spin: 1}]", "spins about y"},
    {PLATE "structures: {s: {mesh: m, material: a, plane: axisymmetric}}\nloads: [{spin: 1, axis: y, at: [1, 0, 0]}]", "spins about y"},
    {PLATE "gravity: [1, 0]\nstructures: {s: {mesh: m, material: a, plane: axisymmetric}}", "acts along its axis, y"},
    {"planar: true\nmeshes: {m: {bar: {size: 1, cells: 1}}}\nstructures: {s: {mesh: m, material: a, plane: axisymmetric, area: 1}}", "no bodies of revolution"},
    {BOX REST "couplings: [{equation: [[node 2, x, 1], [node 4, x, -1]], to: node 2}]", "'to' belongs to"},
    {BOX REST "couplings: [{equation: [[node 2, x, 1], [node 4, x, -1]], tolerance: 1}]", "'tolerance' belongs to 'tie'"},
    {BOX REST "couplings: [{rigid: x1, to: node 2, tolerance: 1}]", "'tolerance' belongs to 'tie'"},
    {"meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1], cell: hex20}, order: 1}}\n" REST, "not made cells of first order"},
    {"meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}, expand: true}}\n" REST, "'expand' is for .inp files"},
    {"meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1], seed: 3}}}\n" REST, "'seed' belongs to 'distort'"},
    {"planar: true\nmeshes: {m: {plate: {size: [1, 1], corners: [0, 0, 1, 0, 1, 1, 0, 1], cells: [1, 1]}}}\n" REST, "size and corners"},
    {"meshes: {m: {foam_bar: {cells: [4, 2, 2]}}}\nstructures: {s: {mesh: m, material: {bricks: a}}}\nloads: [{group: foam, body_force: [1, 0, 0]}]",
     "is an element of its structure"},
    {"meshes: {m: {panel: {radius: 1, length: 1, angle: 1, cells: [1, 1]}}}\nstructures: {s: {mesh: m, material: a, thickness: 0.1, formulation: large}}\n"
     "loads: [{group: y0, pressure: 1}]", "does not follow the surface"},
};

static void strays_are_named(void) {
  for (int i = 0; i < TNI_COUNT(strays); i++) {
    char text[1200];
    snprintf(text, sizeof(text), "tenon: 1\n%s\nmaterials: {a: {type: elastic, E: 2e11, nu: 0.3, density: 1}}\nanalysis: {type: statics}\n", strays[i].text);
    CHECK(isnan(sum_of(text)));
    if (!CHECK(strstr(said, strays[i].says) != NULL)) printf("  %d: %s\n", i, said);
  }
}

/* ---- edges of shells and of plane structures ---------------------------------------------------------- */

/* sum of the reactions of a group */
static void reaction(const char *text, const char *group, double out[3]) {
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, text);
  vec3_set(out, 0, 0, 0);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tni_statics_run(sim, store_nothing, NULL));
  const tni_part *p = &sim->model->part[0];
  const tni_mesh_set *set = tni_mesh_find_set(p->mesh, group, TNI_SET_NODES);
  double *x = field_of(sim, "reaction");
  for (int i = 0; i < set->n; i++) vec3_add(out, out, x + 3*(size_t)set->member[i]);
  free(x);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* What acts on edges acts on thickness times length, wherever they lie in space and whoever says the thickness. A panel of 0.01 m and radius 2 about x,
 * four chords: the curved end is pulled along x, the straight one pressed along the surface. */
static void edges_are_as_wide_as_their_cells(void) {
  static const char *const where[] = {"a, thickness: 0.01", "{all: {material: a, thickness: 0.01}}", "{all: {material: a, thickness: 0.01}}, thickness: 0.5"};
  for (int k = 0; k < TNI_COUNT(where); k++) {
    char text[1000];
    double r[3];
    snprintf(text, sizeof(text), "meshes: {m: {panel: {radius: 2, length: 1, angle: 1, cells: [2, 4]}}}\nmaterials: {a: {type: elastic, E: 2e11, nu: 0.3}}\n"
             "structures: {s: {mesh: m, material: %s}}\nsupports: [{group: x0, fix: all}]\n"
             "loads: [{group: x1, traction: [1e6, 0, 0]}, {group: y1, pressure: 1e6}]\nanalysis: {type: statics}\n", where[k]);
    reaction(text, "x0", r);
    CHECK_NEAR(r[0], -1e4*16*sin(0.125), 1e-9);
    CHECK_NEAR(hypot(r[1], r[2]), 1e4, 1e-9);
    CHECK(r[1] > 0 && r[2] < 0); /* it presses inward along the last chord */
    for (int large = 0; large < 2; large++) {
      snprintf(text, sizeof(text), "planar: true\nmeshes: {m: {plate: {size: [1, 2], cells: [2, 2]}}}\nmaterials: {a: {type: elastic, E: 2e11, nu: 0.3}}\n"
               "structures: {s: {mesh: m, material: %s, formulation: %s}}\nsupports: [{group: x0, fix: all}]\n"
               "loads: [{group: x1, pressure: 1e3}]\nanalysis: {type: statics}\n", where[k], large ? "large" : "small");
      reaction(text, "x0", r);
      CHECK_NEAR(r[0], 1e3*0.01*2, large ? 1e-6 : 1e-9);
    }
  }
}

int main(void) {
  RUN(keys_are_heeded_or_named);
  RUN(strays_are_named);
  RUN(edges_are_as_wide_as_their_cells);
  return REPORT();
}
