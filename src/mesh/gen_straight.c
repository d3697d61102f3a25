/* mesh/gen_straight.c - bars, plates, boxes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "mesh/generators.h"

static const char *const XYZ[6] = {"x0", "x1", "y0", "y1", "z0", "z1"};

typedef struct {
  double size[3], n[3], grade[3];
  const double *corner; /* four places x, y; NULL: a rectangle */
} straight;

/* cells grow by a factor from the first to the last: a geometric row */
static double graded(double p, double n, double ratio) {
  if (ratio == 1 || n < 2) return p/n;
  double q = pow(ratio, 1/(n - 1));
  return (pow(q, p) - 1)/(pow(q, n) - 1);
}

static void place_straight(const void *user, const double p[3], double x[3]) {
  const straight *s = user;
  double r[3];
  for (int d = 0; d < 3; d++) {
    r[d] = s->n[d] > 0 ? graded(p[d], s->n[d], s->grade[d]) : 0;
    x[d] = s->size[d]*r[d];
  }
  if (!s->corner) return;
  const double *c = s->corner, u = r[0], v = r[1];
  for (int d = 0; d < 2; d++)
    x[d] = (1 - u)*(1 - v)*c[d] + u*(1 - v)*c[2+d] + u*v*c[4+d] + (1 - u)*v*c[6+d];
}

static tn_status build_straight(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b, int dim) {
  straight s = {.grade = {1, 1, 1}};
  tni_lattice l = {.dim = dim, .cell = tni_mesh_cell_chosen(g, p), .place = place_straight, .user = &s, .corners = true};
  const tni_mesh_value *size = tni_mesh_value_of(g, p, "size"), *grade = tni_mesh_value_of(g, p, "grade");
  for (int d = 0; d < dim; d++) {
    s.size[d] = size->number[d];
    s.n[d] = l.n[d] = tni_mesh_count(g, p, "cells", d);
    if (d < grade->n) s.grade[d] = grade->number[d];
    l.side[2*d] = XYZ[2*d];
    l.side[2*d+1] = XYZ[2*d+1];
  }
  if (tni_mesh_param_find(g, "corners") < g->nparam && tni_mesh_param_find(g, "corners") >= 0) {
    const tni_mesh_value *corners = tni_mesh_value_of(g, p, "corners");
    TN_REQUIRE(tni_mesh_building_ctx(b), corners->n > 0 || size->n == dim, TN_ERR_INPUT, "%s: size is missing: give size or corners",
               p->place);
    TN_REQUIRE(tni_mesh_building_ctx(b), corners->n == 0 || size->n == 0, TN_ERR_INPUT, "%s: size and corners; give one", p->place);
    if (corners->n > 0) s.corner = corners->number;
  }
  return tni_lattice_build(&l, b);
}

#define CELLS(n, what) \
  {"cells", TNI_PARAM_COUNTS, n, n, 1, 1e6, false, NULL, NULL, NULL, what}
#define GRADE(n) \
  {"grade", TNI_PARAM_NUMBERS, -1, n, 1e-6, 1e6, false, NULL, NULL, NULL, "Size of the last cell over the first, along each direction."}

static tn_status build_bar(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  return build_straight(g, p, b, 1);
}

static const tni_mesh_param bar_params[] = {
    {"size", TNI_PARAM_NUMBERS, 1, 1, 0, 1e9, true, "m", NULL, NULL, "Length along x."},
    CELLS(1, "Number of cells."), GRADE(1),
    {"cell", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, "line2", "line2|line3", "Shape of the cells."}};
const tni_mesh_generator tni_mesh_bar = {"bar", "Straight line along x.", bar_params, TNI_COUNT(bar_params), "x0, x1", build_bar};

static tn_status build_plate(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  return build_straight(g, p, b, 2);
}

static const tni_mesh_param plate_params[] = {
    {"size", TNI_PARAM_NUMBERS, 0, 2, 0, 1e9, true, "m", NULL, NULL, "Lengths along x and y."},
    {"corners", TNI_PARAM_NUMBERS, 0, 8, -1e9, 1e9, false, "m", NULL, NULL,
     "Instead of size: x, y of four corners, counter-clockwise; straight sides between them."},
    CELLS(2, "Cells along x and y."), GRADE(2),
    {"cell", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, "quad4", "quad4|quad8|tri3|tri6", "Shape of the cells."}};
const tni_mesh_generator tni_mesh_plate = {"plate", "Rectangle or any quadrilateral in the plane z = 0.", plate_params,
                                           TNI_COUNT(plate_params), "x0, x1, y0, y1; corners x0y0, ...", build_plate};

static tn_status build_box(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  return build_straight(g, p, b, 3);
}

static const tni_mesh_param box_params[] = {
    {"size", TNI_PARAM_NUMBERS, 3, 3, 0, 1e9, true, "m", NULL, NULL, "Lengths along x, y and z."},
    CELLS(3, "Cells along x, y and z; a hexahedron is cut into two wedges or six tetrahedra."), GRADE(3),
    {"cell", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, "hex8", "hex8|hex20|tet4|tet10|wedge6|wedge15", "Shape of the cells."}};
const tni_mesh_generator tni_mesh_box = {"box", "Block between the origin and size.", box_params, TNI_COUNT(box_params),
                                         "x0, x1, y0, y1, z0, z1; edges x0y0, ...; corners x0y0z0, ...", build_box};

/* --- patches of the elements' tests --- */

static const double patch_x[8][2] = {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {2, 2}, {8, 3}, {8, 7}, {4, 7}};
static const int patch_quad[5][4] = {{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}};

static void place_patch(const void *user, const double p[3], double x[3]) {
  (void)user;
  const double centre[3] = {0.55, 0.42, 0.61};
  /* straight edges between nodes: every coordinate is multilinear in each of the eight cells */
  double N[3] = {1 - fabs(p[0] - 1), 1 - fabs(p[1] - 1), 1 - fabs(p[2] - 1)}, bump = N[0]*N[1]*N[2];
  for (int d = 0; d < 3; d++) x[d] = 0.5*p[d] + bump*(centre[d] - 0.5);
}

/* middles half-way between corners, also on diagonals; and all nodes on the surface of the unit cube as a set */
static tn_status straighten(tni_mesh_builder *b) {
  double *x = tni_mesh_building_x(b);
  for (int c = 0; c < tni_mesh_building_cells(b); c++) {
    tni_cell cell;
    const int *node = tni_mesh_building_cell(b, c, &cell, NULL);
    const tni_cell_shape *s = tni_cell_of(cell);
    for (int e = 0; s->order == 2 && e < s->nedge; e++)
      for (int d = 0; d < 3; d++)
        x[3*node[s->edge[e][2]]+d] = 0.5*(x[3*node[s->edge[e][0]]+d] + x[3*node[s->edge[e][1]]+d]);
  }
  int outside = tni_mesh_add_set(b, "outside", TNI_SET_NODES);
  for (int i = 0; i < tni_mesh_building_nodes(b); i++) {
    bool on = false;
    for (int d = 0; d < 3; d++) on = on || x[3*i+d] == 0 || x[3*i+d] == 1;
    if (on) tni_mesh_add_member(b, outside, i, 0);
  }
  return TN_OK;
}

static tn_status build_patch(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  tni_cell cell = tni_mesh_cell_chosen(g, p);
  const tni_cell_shape *s = tni_cell_of(cell);
  if (s->dim == 3) {
    tni_lattice l = {.dim = 3, .n = {2, 2, 2}, .cell = cell, .place = place_patch};
    memcpy(l.side, XYZ, sizeof(XYZ));
    TN_TRY(tni_lattice_build(&l, b));
    return straighten(b);
  }
  int outside = tni_mesh_add_set(b, "outside", TNI_SET_NODES), middle[8][8], node[8];
  memset(middle, -1, sizeof(middle));
  for (int i = 0; i < 8; i++) {
    tni_mesh_add_node(b, 0, patch_x[i][0], patch_x[i][1], 0);
    if (i < 4) tni_mesh_add_member(b, outside, i, 0);
  }
  for (int e = 0; e < 5; e++) {
    for (int half = 0; half < (s->ncorner == 3 ? 2 : 1); half++) {
      const int *q = patch_quad[e], tri[2][3] = {{q[0], q[1], q[2]}, {q[0], q[2], q[3]}};
      for (int a = 0; a < s->ncorner; a++) node[a] = s->ncorner == 3 ? tri[half][a] : q[a];
      for (int k = 0; s->order == 2 && k < s->nedge; k++) {
        int i = node[s->edge[k][0]], j = node[s->edge[k][1]];
        if (middle[i][j] < 0) {
          middle[i][j] = middle[j][i] = tni_mesh_add_node(b, 0, 0.5*(patch_x[i][0] + patch_x[j][0]),
                                                          0.5*(patch_x[i][1] + patch_x[j][1]), 0);
          if (i < 4 && j < 4) tni_mesh_add_member(b, outside, middle[i][j], 0);
        }
        node[s->edge[k][2]] = middle[i][j];
      }
      tni_mesh_add_cell(b, cell, NULL, 0, node);
    }
  }
  return TN_OK;
}

static const tni_mesh_param patch_params[] = {
    {"cell", TNI_PARAM_WORD, 1, 1, 0, 0, false, NULL, NULL, "quad4|quad8|tri3|tri6|hex8|hex20|tet4|tet10|wedge6|wedge15",
     "Shape of the cells."}};
const tni_mesh_generator tni_mesh_patch = {
    "patch", "Distorted patch for tests of elements: five quadrilaterals in a square of 10 m, or 2 x 2 x 2 cells in a unit cube with the middle "
    "node moved.", patch_params, TNI_COUNT(patch_params), "outside; x0, x1, y0, y1, z0, z1 (solid)", build_patch};
