/* mesh/gen_reference.c - geometries of published studies: closed link, booster, tapered plate, composite beam, cracked plate,
 * bar on foam
 *
 * The studies do not print theirs; these have their counts of nodes and elements (docs/user/meshes.md).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "mesh/generators.h"

static const double PI = 3.14159265358979323846;

/* --- link: a tube bent into a ring, thicker at collars --- */

enum { MAXCOLLAR = TNI_MESH_MAXVALUE/3 };

typedef struct {
  int nr, nt, ns, ncollar, collar[MAXCOLLAR][3]; /* first section, sections, layers */
  bool open;
} tube;

static void place_link(const void *user, const double p[3], double x[3]) {
  const tube *k = user;
  double r = 0.05 + 0.01*p[0], along = (k->open ? PI/2 : 2*PI)*p[1]/k->ns, around = 2*PI*p[2]/k->nt;
  x[0] = (0.30 + r*cos(around))*cos(along);
  x[1] = (0.30 + r*cos(around))*sin(along);
  x[2] = r*sin(around);
}

static bool absent_link(const void *user, const int c[3]) {
  const tube *k = user;
  if (c[0] < k->nr) return false;
  for (int i = 0; i < k->ncollar; i++) {
    const int *collar = k->collar[i];
    int s = (c[1] - collar[0]%k->ns + k->ns)%k->ns;
    if (s < collar[1] && c[0] < k->nr + collar[2]) return false;
  }
  return true;
}

static tn_status build_link(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  static const tube known[4] = {{1, 12, 24, 2, {{0, 2, 4}, {22, 2, 3}}, true}, {1, 12, 28, 2, {{0, 2, 3}, {14, 2, 2}}, false},
                                {3, 24, 60, 2, {{0, 4, 4}, {30, 4, 3}}, false}, {3, 32, 90, 2, {{0, 5, 5}, {45, 5, 5}}, false}};
  const tni_mesh_value *cells = tni_mesh_value_of(g, p, "cells"), *collars = tni_mesh_value_of(g, p, "collars");
  tn_ctx *ctx = tni_mesh_building_ctx(b);
  tube k = known[tni_mesh_value_of(g, p, "variant")->word[1] - '0'];
  if (cells->n > 0) {
    k.nr = (int)cells->number[0];
    k.nt = (int)cells->number[1];
    k.ns = (int)cells->number[2];
    k.ncollar = 0;
  }
  if (collars->n > 0) {
    TN_REQUIRE(ctx, collars->n%3 == 0, TN_ERR_INPUT, "%s: collars has %d numbers, needs three for each collar", p->place, collars->n);
    k.ncollar = collars->n/3;
    for (int i = 0; i < collars->n; i++) k.collar[i/3][i%3] = (int)collars->number[i];
  }
  TN_REQUIRE(ctx, k.nt >= 3 && k.ns >= 3, TN_ERR_INPUT, "%s: cells: %d around and %d along, needs at least 3", p->place, k.nt, k.ns);
  int layers = k.nr;
  for (int i = 0; i < k.ncollar; i++) {
    const int *c = k.collar[i];
    if (k.nr + c[2] > layers) layers = k.nr + c[2];
    TN_REQUIRE(ctx, c[1] >= 1 && c[1] < k.ns && c[2] >= 1 && c[0] < k.ns && (!k.open || c[0] + c[1] <= k.ns), TN_ERR_INPUT,
               "%s: collars: (%d, %d, %d) does not lie on the %d sections", p->place, c[0], c[1], c[2], k.ns);
  }
  TN_REQUIRE(ctx, 0.05 + 0.01*layers < 0.30, TN_ERR_INPUT, "%s: %d layers, at most 24 before the tube meets itself", p->place, layers);
  tni_lattice l = {.dim = 3, .n = {layers, k.ns, k.nt}, .wrap = {false, !k.open, true}, .cell = tni_mesh_cell_chosen(g, p),
                   .place = place_link, .absent = absent_link, .user = &k, .side = {"inner"}, .slow = {1, 2, 0}};
  if (k.open) {
    l.side[2] = "s0";
    l.side[3] = "s1";
  }
  TN_TRY(tni_lattice_build(&l, b));
  /* held at the collar: nodes of its first section on and outside the tube, found by where they are */
  int clamp = tni_mesh_add_set(b, "clamp", TNI_SET_NODES);
  const double *x = tni_mesh_building_x(b), angle = (k.open ? PI/2 : 2*PI)*(k.ncollar ? k.collar[0][0] : 0)/k.ns;
  for (int i = 0; i < tni_mesh_building_nodes(b); i++) {
    double along = x[3*i]*cos(angle) + x[3*i+1]*sin(angle), across = x[3*i+1]*cos(angle) - x[3*i]*sin(angle);
    double r = hypot(along - 0.30, x[3*i+2]);
    if (along > 0 && fabs(across) < 1e-9 && r > 0.05 + 0.01*k.nr - 1e-9) tni_mesh_add_member(b, clamp, i, 0);
  }
  return TN_OK;
}

static const tni_mesh_param link_params[] = {
    {"variant", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, "L1", "L0|L1|L2|L3", "L1 456 cells, L2 4992, L3 10240; L0 an open quarter bend of 456."},
    {"cells", TNI_PARAM_COUNTS, 0, 3, 1, 1e5, false, NULL, NULL, NULL, "Instead of the variant's: cells through the wall, around, along."},
    {"collars", TNI_PARAM_COUNTS, -3, TNI_MESH_MAXVALUE, 0, 1e5, false, NULL, NULL, NULL,
     "Instead of the variant's: first section, number of sections, extra layers of each collar."},
    {"cell", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, "hex8", "hex8|hex20|tet4|tet10|wedge6|wedge15", "Shape of the cells."}};
const tni_mesh_generator tni_mesh_link = {"link", "Mechanical joint: a tube of radius 0.05 m bent into a ring of radius 0.3 m, with collars.",
                                          link_params, TNI_COUNT(link_params), "inner, clamp, of an open one s0, s1", build_link};

/* --- booster: cylindrical shell with rings of beams --- */

typedef struct {
  double radius, length, n[2];
} barrel;

static void place_booster(const void *user, const double p[3], double x[3]) {
  const barrel *k = user;
  double a = 2*PI*p[0]/k->n[0];
  x[0] = k->radius*cos(a);
  x[1] = k->radius*sin(a);
  x[2] = k->length*p[1]/k->n[1];
}

static tn_status build_booster(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  barrel k = {tni_mesh_number(g, p, "radius", 0), tni_mesh_number(g, p, "length", 0),
              {tni_mesh_count(g, p, "cells", 0), tni_mesh_count(g, p, "cells", 1)}};
  int around = (int)k.n[0], along = (int)k.n[1], rings = tni_mesh_count(g, p, "rings", 0);
  TN_REQUIRE(tni_mesh_building_ctx(b), around >= 3 && rings <= along, TN_ERR_INPUT,
             "%s: %d cells around (needs 3), %d rings on %d rows of cells (at most one each)", p->place, around, rings, along);
  tni_lattice l = {.dim = 2, .n = {around, along}, .wrap = {true, false}, .cell = TNI_CELL_QUAD4, .place = place_booster, .user = &k,
                   .side = {[2] = "z0", [3] = "z1"}};
  TN_TRY(tni_lattice_build(&l, b));
  int wall = tni_mesh_add_set(b, "wall", TNI_SET_CELLS), pressed = tni_mesh_add_set(b, "pressed", TNI_SET_CELLS);
  int pressed_nodes = tni_mesh_add_set(b, "pressed", TNI_SET_NODES), set = tni_mesh_add_set(b, "rings", TNI_SET_CELLS);
  int from = along/2, to = 3*along/4 > from ? 3*along/4 : from + 1; /* rows of nodes under pressure */
  for (int c = 0; c < around*along; c++) {
    tni_mesh_add_member(b, wall, c, 0);
    if (c/around >= from && c/around < to) tni_mesh_add_member(b, pressed, c, 0);
  }
  for (int row = from; row <= to; row++)
    for (int i = 0; i < around; i++) tni_mesh_add_member(b, pressed_nodes, row*around + i, 0);
  for (int r = 0; r < rings; r++) {
    int row = (int)floor((r + 0.5)*along/rings + 0.5);
    for (int i = 0; i < around; i++) {
      int beam = tni_mesh_add_cell(b, TNI_CELL_LINE2, "ring", 0, (int[]){row*around + i, row*around + (i + 1)%around});
      tni_mesh_add_member(b, set, beam, 0);
    }
  }
  return TN_OK;
}

static const tni_mesh_param booster_params[] = {
    {"radius", TNI_PARAM_NUMBERS, 0, 1, 0, 1e9, true, "m", "1.85", NULL, "Radius."},
    {"length", TNI_PARAM_NUMBERS, 0, 1, 0, 1e9, true, "m", "37", NULL, "Length along z."},
    {"cells", TNI_PARAM_COUNTS, 0, 2, 1, 1e5, false, NULL, "60, 152", NULL, "Shells around and along."},
    {"rings", TNI_PARAM_COUNTS, 0, 1, 1, 1e5, false, NULL, "22", NULL, "Rings of beams."}};
const tni_mesh_generator tni_mesh_booster = {"booster", "Rocket booster: cylindrical shell about z with rings of beams.", booster_params,
                                             TNI_COUNT(booster_params), "z0, z1, pressed (third quarter of the rows); cells wall, rings, pressed",
                                             build_booster};

/* --- tapered plate --- */

static void place_tapered(const void *user, const double p[3], double x[3]) {
  const double *n = user;
  x[0] = 4*p[0]/n[0];
  x[1] = (0.5 - 0.09375*x[0])*(2*p[1]/n[1] - 1);
  x[2] = 0;
}

static tn_status build_tapered(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  double n[2] = {tni_mesh_count(g, p, "cells", 0), tni_mesh_count(g, p, "cells", 1)};
  tni_lattice l = {.dim = 2, .n = {(int)n[0], (int)n[1]}, .cell = tni_mesh_cell_chosen(g, p), .place = place_tapered, .user = n,
                   .side = {"x0", "x1", "y0", "y1"}, .corners = true, .slow = {2, 0, 1}};
  return tni_lattice_build(&l, b);
}

static const tni_mesh_param tapered_params[] = {
    {"cells", TNI_PARAM_COUNTS, 0, 2, 1, 1e5, false, NULL, "256, 32", NULL, "Cells along x and y."},
    {"cell", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, "quad4", "quad4|quad8|tri3|tri6", "Shape of the cells."}};
const tni_mesh_generator tni_mesh_tapered_plate = {"tapered_plate", "Plate 4 m long, 1 m high at x = 0, 0.25 m at the tip, numbered along y first.",
                                                   tapered_params, TNI_COUNT(tapered_params), "x0, x1, y0, y1; corners x0y0, ...", build_tapered};

/* --- composite beam: pencils of fibre in a matrix --- */

typedef struct {
  double n[3], length;
} pencils;

static void place_pencils(const void *user, const double p[3], double x[3]) {
  const pencils *k = user;
  x[0] = p[0]/4;
  x[1] = p[1]/4;
  x[2] = k->length*p[2]/k->n[2];
}

static tn_status build_composite(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  int P = tni_mesh_count(g, p, "pencils", 0), layers = tni_mesh_count(g, p, "cells", 0);
  pencils k = {{4*P, 4*P, layers}, tni_mesh_number(g, p, "length", 0)};
  tni_lattice l = {.dim = 3, .n = {4*P, 4*P, layers}, .cell = tni_mesh_cell_chosen(g, p), .place = place_pencils, .user = &k,
                   .side = {"x0", "x1", "y0", "y1", "z0", "z1"}};
  TN_TRY(tni_lattice_build(&l, b));
  int fibre = tni_mesh_add_set(b, "fibre", TNI_SET_CELLS), matrix = tni_mesh_add_set(b, "matrix", TNI_SET_CELLS);
  for (int c = 0; c < 16*P*P*layers; c++) {
    int i = c%(4*P), j = c/(4*P)%(4*P);
    char name[40];
    bool inner = (i%4 == 1 || i%4 == 2) && (j%4 == 1 || j%4 == 2);
    tni_mesh_add_member(b, inner ? fibre : matrix, c, 0);
    snprintf(name, sizeof(name), "pencil%d", i/4 + P*(j/4));
    tni_mesh_add_member(b, tni_mesh_add_set(b, name, TNI_SET_CELLS), c, 0);
  }
  return TN_OK;
}

static const tni_mesh_param composite_params[] = {
    {"pencils", TNI_PARAM_COUNTS, 0, 1, 1, 1000, false, NULL, "2", NULL, "Pencils along x and along y, each 1 m x 1 m with 4 x 4 cells."},
    {"length", TNI_PARAM_NUMBERS, 0, 1, 0, 1e9, true, "m", "10", NULL, "Length along z."},
    {"cells", TNI_PARAM_COUNTS, 0, 1, 1, 1e5, false, NULL, "50", NULL, "Layers of cells along z."},
    {"cell", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, "hex8", "hex8|hex20", "Shape of the cells."}};
const tni_mesh_generator tni_mesh_composite_beam = {"composite_beam", "Bundle of square pencils, the middle of each a fibre.", composite_params,
                                                    TNI_COUNT(composite_params),
                                                    "x0, x1, y0, y1, z0, z1; cells fibre, matrix, pencil0, pencil1, ...", build_composite};

/* --- plate with a crack: nodes along it are double --- */

static tn_status build_cracked(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  double lx = tni_mesh_number(g, p, "size", 0), ly = tni_mesh_number(g, p, "size", 1), crack = tni_mesh_number(g, p, "crack", 0);
  int nx = tni_mesh_count(g, p, "cells", 0), ny = tni_mesh_count(g, p, "cells", 1);
  tn_ctx *ctx = tni_mesh_building_ctx(b);
  double half = 0.5*crack*ny/ly; /* in cells */
  TN_REQUIRE(ctx, nx%2 == 0, TN_ERR_INPUT, "%s: cells: %d along x, must be even: the crack lies in the middle", p->place, nx);
  double low = 0.5*ny - half, high = 0.5*ny + half;
  TN_REQUIRE(ctx, fabs(low - floor(low + 0.5)) < 1e-9 && low > 0.5 && high - low > 1.5, TN_ERR_INPUT,
             "%s: crack: %g m, must end at nodes inside the plate, %g m apart", p->place, crack, ly/ny);
  int first = (int)floor(low + 0.5), last = (int)floor(high + 0.5), n = (nx + 1)*(ny + 1), mid = nx/2;
  const char *side[4] = {"x0", "x1", "y0", "y1"};
  for (int j = 0; j <= ny; j++) {
    for (int i = 0; i <= nx; i++) {
      int node = tni_mesh_add_node(b, 0, lx*((double)i/nx - 0.5), ly*((double)j/ny - 0.5), 0);
      bool on[4] = {i == 0, i == nx, j == 0, j == ny};
      for (int k = 0; k < 4; k++)
        if (on[k]) tni_mesh_add_member(b, tni_mesh_add_set(b, side[k], TNI_SET_NODES), node, 0);
      if (i == mid && j > first && j < last) tni_mesh_add_member(b, tni_mesh_add_set(b, "crack0", TNI_SET_NODES), node, 0);
      if (i == mid && (j == first || j == last)) tni_mesh_add_member(b, tni_mesh_add_set(b, "tips", TNI_SET_NODES), node, 0);
    }
  }
  for (int j = first + 1; j < last; j++) {
    int node = tni_mesh_add_node(b, 0, 0, ly*((double)j/ny - 0.5), 0);
    tni_mesh_add_member(b, tni_mesh_add_set(b, "crack1", TNI_SET_NODES), node, 0);
  }
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      int at[4][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}, node[4];
      for (int a = 0; a < 4; a++) {
        bool twin = i == mid && at[a][0] == mid && at[a][1] > first && at[a][1] < last;
        node[a] = twin ? n + at[a][1] - first - 1 : at[a][1]*(nx + 1) + at[a][0];
      }
      int cell = tni_mesh_add_cell(b, TNI_CELL_QUAD4, NULL, 0, node);
      bool on[4] = {i == 0, i == nx - 1, j == 0, j == ny - 1};
      const int face[4] = {3, 1, 0, 2};
      for (int k = 0; k < 4; k++)
        if (on[k]) tni_mesh_add_member(b, tni_mesh_add_set(b, side[k], TNI_SET_FACES), cell, face[k]);
    }
  }
  return TN_OK;
}

static const tni_mesh_param cracked_params[] = {
    {"size", TNI_PARAM_NUMBERS, 0, 2, 0, 1e9, true, "m", "0.2, 0.1", NULL, "Lengths along x and y; the middle is the origin."},
    {"crack", TNI_PARAM_NUMBERS, 0, 1, 0, 1e9, true, "m", "0.04", NULL, "Length of the crack along y."},
    {"cells", TNI_PARAM_COUNTS, 0, 2, 2, 1e5, false, NULL, "80, 50", NULL, "Cells along x and y."}};
const tni_mesh_generator tni_mesh_cracked_plate = {"cracked_plate", "Plate of quad4 in z = 0 with a crack in the middle, across x.", cracked_params,
                                                   TNI_COUNT(cracked_params), "x0, x1, y0, y1, crack0, crack1 (its two sides), tips", build_cracked};

/* --- bar of bricks on a bed of foam struts --- */

static void place_bricks(const void *user, const double p[3], double x[3]) {
  (void)user;
  for (int d = 0; d < 3; d++) x[d] = 0.005*p[d];
}

static tn_status build_foam_bar(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  int n[3];
  for (int d = 0; d < 3; d++) n[d] = tni_mesh_count(g, p, "cells", d);
  tni_lattice l = {.dim = 3, .n = {n[0], n[1], n[2]}, .cell = TNI_CELL_HEX8, .place = place_bricks,
                   .side = {"x0", "x1", "y0", "y1", "z0", "z1"}};
  TN_TRY(tni_lattice_build(&l, b));
  int bricks = tni_mesh_add_set(b, "bricks", TNI_SET_CELLS), foam = tni_mesh_add_set(b, "foam", TNI_SET_CELLS);
  int fixed = tni_mesh_add_set(b, "fixed", TNI_SET_NODES), first = tni_mesh_building_nodes(b), rows = n[1] + 1, mid = n[1]/2;
  for (int c = 0; c < n[0]*n[1]*n[2]; c++) tni_mesh_add_member(b, bricks, c, 0);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i <= n[0]; i++) tni_mesh_add_member(b, fixed, tni_mesh_add_node(b, 0, 0.005*i, 0.005*j, -0.01), 0);
  for (int j = 0; j < rows; j++) {
    for (int i = 0; i <= n[0]; i++) {
      int top = j*(n[0] + 1) + i;
      tni_mesh_add_member(b, foam, tni_mesh_add_cell(b, TNI_CELL_LINE2, "foam", 0, (int[]){top, first + top}), 0);
      if (j != mid) continue;
      int next = first + top + (i < n[0] ? 1 : -1);
      tni_mesh_add_member(b, foam, tni_mesh_add_cell(b, TNI_CELL_LINE2, "foam", 0, (int[]){top, next}), 0);
    }
  }
  return TN_OK;
}

static const tni_mesh_param foam_bar_params[] = {
    {"cells", TNI_PARAM_COUNTS, 0, 3, 1, 1e5, false, NULL, "408, 2, 8", NULL, "Bricks of 5 mm along x, across, and in height."}};
const tni_mesh_generator tni_mesh_foam_bar = {"foam_bar", "Bar of bricks along x that lies on struts of foam.", foam_bar_params,
                                              TNI_COUNT(foam_bar_params), "x0, x1, y0, y1, z0, z1, fixed; cells bricks, foam", build_foam_bar};
