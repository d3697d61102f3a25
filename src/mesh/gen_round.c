/* mesh/gen_round.c - cylinders, rings, disks, plates with a hole, shells, spheres
 *
 * A quarter of a disk is made of three patches: a core with corners (0,0), (1/2,0), (2/5,2/5), (0,1/2) times the radius, and
 * two patches from the core to the arc, bilinear in between. Nodes between corners lie on the true curve.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "mesh/generators.h"

static const double PI = 3.14159265358979323846;

#define NUMBER(name, what) {name, TNI_PARAM_NUMBERS, 1, 1, 0, 1e9, true, "m", NULL, NULL, what}
#define CELL(initial, choices) {"cell", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, initial, choices, "Shape of the cells."}
#define COUNTS(n, what) {"cells", TNI_PARAM_COUNTS, n, n, 1, 1e6, false, NULL, NULL, NULL, what}
#define PLANE_CELLS CELL("quad4", "quad4|quad8|tri3|tri6")
#define SOLID_CELLS CELL("hex8", "hex8|hex20|tet4|tet10|wedge6|wedge15")
#define ANGLE(what) {"angle", TNI_PARAM_NUMBERS, 0, 1, 0, 6.283185307179587, true, "rad", "6.283185307179586", NULL, what}

static bool closes(double angle) { return angle > 2*PI - 1e-9; }

/* sine and cosine that are exact at quarter turns, so that sides lie where they should */
static void direction(double angle, double *c, double *s) {
  double quarters = angle/(PI/2), q = floor(quarters + 0.5);
  bool exact = fabs(quarters - q) < 1e-13;
  int k = (int)q & 3;
  *c = exact ? (k == 0) - (k == 2) : cos(angle);
  *s = exact ? (k == 1) - (k == 3) : sin(angle);
}

/* --- tubes and rings: radius, angle, length --- */

typedef struct {
  double inner, outer, angle, length, n[3];
} hollow;

static void place_hollow(const void *user, const double p[3], double x[3]) {
  const hollow *h = user;
  double r = h->inner + (h->outer - h->inner)*p[0]/h->n[0], c, s;
  direction(h->angle*p[1]/h->n[1], &c, &s);
  x[0] = r*c;
  x[1] = r*s;
  x[2] = h->n[2] > 0 ? h->length*p[2]/h->n[2] : 0;
}

static tn_status build_hollow(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b, int dim) {
  tn_ctx *ctx = tni_mesh_building_ctx(b);
  hollow h = {tni_mesh_number(g, p, "radius", 0), tni_mesh_number(g, p, "radius", 1), tni_mesh_number(g, p, "angle", 0),
              dim == 3 ? tni_mesh_number(g, p, "length", 0) : 0, {0}};
  tni_lattice l = {.dim = dim, .cell = tni_mesh_cell_chosen(g, p), .place = place_hollow, .user = &h,
                   .side = {"inner", "outer", "a0", "a1", "z0", "z1"}, .corners = true};
  TN_REQUIRE(ctx, h.outer > h.inner, TN_ERR_INPUT, "%s: radius: %g, %g, must be the inner one, then a larger one", p->place, h.inner,
             h.outer);
  for (int d = 0; d < dim; d++) h.n[d] = l.n[d] = tni_mesh_count(g, p, "cells", d);
  l.wrap[1] = closes(h.angle);
  TN_REQUIRE(ctx, !l.wrap[1] || l.n[1] >= 3, TN_ERR_INPUT, "%s: cells: %d around, a closed ring needs 3", p->place, l.n[1]);
  return tni_lattice_build(&l, b);
}

static tn_status build_tube(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  return build_hollow(g, p, b, 3);
}

static const tni_mesh_param tube_params[] = {
    {"radius", TNI_PARAM_NUMBERS, 2, 2, 0, 1e9, true, "m", NULL, NULL, "Inner and outer radius."},
    NUMBER("length", "Length along z."),
    ANGLE("Opening angle from x towards y; a full turn is closed."),
    COUNTS(3, "Cells across the wall, around and along."), SOLID_CELLS};
const tni_mesh_generator tni_mesh_tube = {"tube", "Hollow cylinder about z, whole or a sector.", tube_params, TNI_COUNT(tube_params),
                                          "inner, outer, z0, z1, of a sector a0, a1", build_tube};

static tn_status build_ring(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  return build_hollow(g, p, b, 2);
}

static const tni_mesh_param ring_params[] = {
    {"radius", TNI_PARAM_NUMBERS, 2, 2, 0, 1e9, true, "m", NULL, NULL, "Inner and outer radius."},
    ANGLE("Opening angle from x towards y; a full turn is closed."), COUNTS(2, "Cells across and around."), PLANE_CELLS};
const tni_mesh_generator tni_mesh_ring = {"ring", "Flat ring in the plane z = 0, whole or a sector.", ring_params,
                                          TNI_COUNT(ring_params), "inner, outer, of a sector a0, a1", build_ring};

/* --- disks and solid cylinders; domes are bent disks --- */

typedef struct {
  double radius, length, n, nz;
  int patch, quarter; /* 0: core, 1 and 2: to the arc */
  double bend;        /* polar angle of the rim of a dome, 0: flat */
} disk;

static void place_disk(const void *user, const double p[3], double x[3]) {
  const disk *k = user;
  double u = p[0]/k->n, v = p[1]/k->n, c, s, q[2];
  if (k->patch == 0) {
    q[0] = u*(1 - v)*0.5 + u*v*0.4;
    q[1] = v*(1 - u)*0.5 + u*v*0.4;
  } else {
    const double from[2][2] = {{0.5, 0}, {0.4, 0.4}}, to[2][2] = {{0.4, 0.4}, {0, 0.5}};
    direction((k->patch - 1 + v)*PI/4, &c, &s);
    q[0] = (1 - u)*((1 - v)*from[k->patch-1][0] + v*to[k->patch-1][0]) + u*c;
    q[1] = (1 - u)*((1 - v)*from[k->patch-1][1] + v*to[k->patch-1][1]) + u*s;
  }
  for (int i = 0; i < k->quarter; i++) {
    double t = q[0];
    q[0] = -q[1];
    q[1] = t;
  }
  x[0] = k->radius*q[0];
  x[1] = k->radius*q[1];
  x[2] = k->nz > 0 ? k->length*p[2]/k->nz : 0;
  double rho = sqrt(q[0]*q[0] + q[1]*q[1]);
  if (k->bend > 0) { /* the distance from the middle becomes an arc */
    direction(k->bend*(rho > 1 ? 1 : rho), &c, &s);
    x[0] = rho > 0 ? k->radius*s*q[0]/rho : 0;
    x[1] = rho > 0 ? k->radius*s*q[1]/rho : 0;
    x[2] = k->radius*c;
  }
}

static tn_status build_patches(disk *k, tni_lattice *l, int nquarter, const char *rim, const char *x0, const char *y0,
                               tni_mesh_builder *b) {
  tni_arena work;
  tni_arena_init(&work, tni_mesh_building_ctx(b));
  tn_status st = tni_weld_create(&work, k->radius + k->length, &l->weld);
  bool open = nquarter == 1;
  l->place = place_disk;
  l->user = k;
  for (k->quarter = 0; st == TN_OK && k->quarter < nquarter; k->quarter++) {
    for (k->patch = 0; st == TN_OK && k->patch < 3; k->patch++) {
      const char *side[3][4] = {{x0, NULL, y0, NULL}, {NULL, rim, y0, NULL}, {NULL, rim, NULL, x0}};
      for (int i = 0; i < 4; i++) {
        const char *name = side[k->patch][i];
        l->side[i] = name == rim || open ? name : NULL;
      }
      st = tni_lattice_build(l, b);
    }
  }
  tni_arena_clear(&work);
  return st;
}

/* the nodes on the axis */
static void add_axis(tni_mesh_builder *b, const char *name, double extent) {
  const double *x = tni_mesh_building_x(b);
  int set = tni_mesh_add_set(b, name, TNI_SET_NODES);
  for (int i = 0; i < tni_mesh_building_nodes(b); i++) {
    if (fabs(x[3*i]) < 1e-12*extent && fabs(x[3*i+1]) < 1e-12*extent) tni_mesh_add_member(b, set, i, 0);
  }
}

static int quarters(const tni_mesh_generator *g, const tni_mesh_params *p) {
  return strcmp(tni_mesh_value_of(g, p, "part")->word, "whole") == 0 ? 4 : 1;
}

static tn_status build_disk(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  disk k = {.radius = tni_mesh_number(g, p, "radius", 0), .n = tni_mesh_count(g, p, "cells", 0)};
  tni_lattice l = {.dim = 2, .cell = tni_mesh_cell_chosen(g, p), .n = {(int)k.n, (int)k.n}};
  TN_TRY(build_patches(&k, &l, quarters(g, p), "rim", "x0", "y0", b));
  add_axis(b, "centre", k.radius);
  return TN_OK;
}

#define PART {"part", TNI_PARAM_WORD, 0, 1, 0, 0, false, NULL, "whole", "whole|quarter", "The whole, or what lies in x, y >= 0."}

static const tni_mesh_param disk_params[] = {NUMBER("radius", "Radius."),
                                             COUNTS(1, "Cells along a side of a patch; a quarter has three patches."), PART, PLANE_CELLS};
const tni_mesh_generator tni_mesh_disk = {"disk", "Disk in the plane z = 0.", disk_params, TNI_COUNT(disk_params),
                                          "rim, centre, of a quarter x0, y0", build_disk};

static tn_status build_cylinder(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  disk k = {.radius = tni_mesh_number(g, p, "radius", 0), .n = tni_mesh_count(g, p, "cells", 0),
            .length = tni_mesh_number(g, p, "length", 0), .nz = tni_mesh_count(g, p, "cells", 1)};
  tni_lattice l = {.dim = 3, .cell = tni_mesh_cell_chosen(g, p), .n = {(int)k.n, (int)k.n, (int)k.nz}, .side = {[4] = "z0", [5] = "z1"}};
  TN_TRY(build_patches(&k, &l, quarters(g, p), "outer", "x0", "y0", b));
  add_axis(b, "axis", k.radius);
  return TN_OK;
}

static const tni_mesh_param cylinder_params[] = {
    NUMBER("radius", "Radius."), NUMBER("length", "Length along z."),
    COUNTS(2, "Cells along a side of a patch of the section (a quarter has three), and along z."), PART, SOLID_CELLS};
const tni_mesh_generator tni_mesh_cylinder = {"cylinder", "Solid cylinder about z.", cylinder_params, TNI_COUNT(cylinder_params),
                                              "outer, z0, z1, axis, of a quarter x0, y0", build_cylinder};

/* --- plate with a hole --- */

typedef struct {
  double a, b, radius, thick, n[3], grade;
  int patch, quarter;
} holed;

static double graded(double p, double n, double ratio) {
  if (ratio == 1 || n < 2) return p/n;
  double q = pow(ratio, 1/(n - 1));
  return (pow(q, p) - 1)/(pow(q, n) - 1);
}

static void place_hole(const void *user, const double p[3], double x[3]) {
  const holed *h = user;
  double u = graded(p[0], h->n[0], h->grade), v = p[1]/h->n[1], c, s, q[2];
  bool swapped = h->quarter%2; /* a and b change places with every quarter turn */
  double a = swapped ? h->b : h->a, b = swapped ? h->a : h->b;
  direction((h->patch + v)*PI/4, &c, &s);
  q[0] = (1 - u)*h->radius*c + u*(h->patch == 0 ? a : a*(1 - v));
  q[1] = (1 - u)*h->radius*s + u*(h->patch == 0 ? b*v : b);
  for (int i = 0; i < h->quarter; i++) {
    double t = q[0];
    q[0] = -q[1];
    q[1] = t;
  }
  x[0] = q[0];
  x[1] = q[1];
  x[2] = h->n[2] > 0 ? h->thick*p[2]/h->n[2] : 0;
}

static tn_status build_hole(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  tn_ctx *ctx = tni_mesh_building_ctx(b);
  const tni_mesh_value *size = tni_mesh_value_of(g, p, "size"), *cells = tni_mesh_value_of(g, p, "cells");
  int nquarter = quarters(g, p);
  tni_lattice l = {.cell = tni_mesh_cell_chosen(g, p), .place = place_hole};
  l.dim = tni_cell_of(l.cell)->dim;
  TN_REQUIRE(ctx, size->n == l.dim && cells->n == l.dim, TN_ERR_INPUT, "%s: size has %d numbers and cells %d, %s needs %d of each",
             p->place, size->n, cells->n, tni_cell_of(l.cell)->name, l.dim);
  double half = nquarter == 4 ? 0.5 : 1;
  holed h = {.a = half*size->number[0], .b = half*size->number[1], .radius = tni_mesh_number(g, p, "radius", 0),
             .thick = size->number[2], .grade = tni_mesh_number(g, p, "grade", 0)};
  TN_REQUIRE(ctx, h.radius < h.a && h.radius < h.b, TN_ERR_INPUT, "%s: radius: %g, must be below %g, where the plate ends", p->place,
             h.radius, h.a < h.b ? h.a : h.b);
  for (int d = 0; d < l.dim; d++) h.n[d] = l.n[d] = (int)cells->number[d];
  l.user = &h;
  l.side[4] = "z0";
  l.side[5] = "z1";
  tni_arena work;
  tni_arena_init(&work, ctx);
  tn_status st = tni_weld_create(&work, h.a + h.b, &l.weld);
  for (h.quarter = 0; st == TN_OK && h.quarter < nquarter; h.quarter++) {
    for (h.patch = 0; st == TN_OK && h.patch < 2; h.patch++) {
      static const char *const end[4] = {"x1", "y1", "x0", "y0"};
      l.side[0] = "hole";
      l.side[1] = end[(h.quarter + h.patch)%4];
      l.side[2] = nquarter == 1 && h.patch == 0 ? "y0" : NULL;
      l.side[3] = nquarter == 1 && h.patch == 1 ? "x0" : NULL;
      st = tni_lattice_build(&l, b);
    }
  }
  tni_arena_clear(&work);
  return st;
}

static const tni_mesh_param hole_params[] = {
    {"size", TNI_PARAM_NUMBERS, 2, 3, 0, 1e9, true, "m", NULL, NULL, "Lengths along x and y (of a quarter: of the quarter), and thickness of a solid."},
    NUMBER("radius", "Radius of the hole."),
    {"cells", TNI_PARAM_COUNTS, 2, 3, 1, 1e6, false, NULL, NULL, NULL, "Cells from the hole outward, around an eighth, and through the thickness of a solid."},
    {"grade", TNI_PARAM_NUMBERS, 0, 1, 1e-3, 1e3, false, NULL, "4", NULL, "Size of the outermost cell over that at the hole."},
    PART, CELL("quad4", "quad4|quad8|tri3|tri6|hex8|hex20|tet4|tet10|wedge6|wedge15")};
const tni_mesh_generator tni_mesh_hole = {"hole", "Plate with a round hole in its middle, flat or solid.", hole_params,
                                          TNI_COUNT(hole_params), "hole, x0, x1, y0, y1, of a solid z0, z1", build_hole};

/* --- shells --- */

typedef struct {
  double radius, angle, length, n[2], from;
} curved;

static void place_panel(const void *user, const double p[3], double x[3]) {
  const curved *k = user;
  bool whole = closes(k->angle);
  double c, s;
  direction(k->angle*(p[1]/k->n[1] - (whole ? 0 : 0.5)), &c, &s);
  x[0] = k->length*p[0]/k->n[0];
  x[1] = k->radius*s;
  x[2] = k->radius*c;
}

static tn_status build_panel(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  curved k = {tni_mesh_number(g, p, "radius", 0), tni_mesh_number(g, p, "angle", 0), tni_mesh_number(g, p, "length", 0), {0}, 0};
  tni_lattice l = {.dim = 2, .cell = tni_mesh_cell_chosen(g, p), .place = place_panel, .user = &k, .side = {"x0", "x1", "y0", "y1"},
                   .corners = true};
  for (int d = 0; d < 2; d++) k.n[d] = l.n[d] = tni_mesh_count(g, p, "cells", d);
  l.wrap[1] = closes(k.angle);
  TN_REQUIRE(tni_mesh_building_ctx(b), !l.wrap[1] || l.n[1] >= 3, TN_ERR_INPUT, "%s: cells: %d around, a closed shell needs 3",
             p->place, l.n[1]);
  return tni_lattice_build(&l, b);
}

static const tni_mesh_param panel_params[] = {
    NUMBER("radius", "Radius."), NUMBER("length", "Length along x, the axis."),
    {"angle", TNI_PARAM_NUMBERS, 1, 1, 0, 6.283185307179587, true, "rad", NULL, NULL,
     "Opening angle, half of it to either side of z; a full turn is a closed tube."},
    COUNTS(2, "Cells along the axis and around."), PLANE_CELLS};
const tni_mesh_generator tni_mesh_panel = {"panel", "Shell: part of a cylinder about x, normals outward.", panel_params,
                                           TNI_COUNT(panel_params), "x0, x1 (curved ends), y0, y1 (straight edges); corners x0y0, ...", build_panel};

static void place_dome(const void *user, const double p[3], double x[3]) {
  const curved *k = user;
  double c, s, cosine, sine;
  direction(k->from + (k->length - k->from)*p[0]/k->n[0], &c, &s);
  direction(k->angle*p[1]/k->n[1], &cosine, &sine);
  x[0] = k->radius*s*cosine;
  x[1] = k->radius*s*sine;
  x[2] = k->radius*c;
}

static tn_status build_dome(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  tn_ctx *ctx = tni_mesh_building_ctx(b);
  const tni_mesh_value *polar = tni_mesh_value_of(g, p, "polar"), *cells = tni_mesh_value_of(g, p, "cells");
  double radius = tni_mesh_number(g, p, "radius", 0), from = polar->number[0], to = polar->number[1];
  int nquarter = quarters(g, p);
  tni_cell cell = tni_mesh_cell_chosen(g, p);
  TN_REQUIRE(ctx, to > from && to < PI, TN_ERR_INPUT, "%s: polar: %g, %g, must rise and stay below pi", p->place, from, to);
  if (from == 0) {
    disk k = {.radius = radius, .n = cells->number[0], .bend = to};
    tni_lattice l = {.dim = 2, .cell = cell, .n = {(int)k.n, (int)k.n}};
    TN_REQUIRE(ctx, cells->n == 1, TN_ERR_INPUT, "%s: cells has %d numbers, a dome with a pole needs 1, along a side of a patch",
               p->place, cells->n);
    TN_TRY(build_patches(&k, &l, nquarter, "rim", "x0", "y0", b));
    add_axis(b, "pole", radius);
    return TN_OK;
  }
  TN_REQUIRE(ctx, cells->n == 2, TN_ERR_INPUT, "%s: cells has %d numbers, needs 2: from the hole to the rim, and around", p->place,
             cells->n);
  curved k = {radius, nquarter == 4 ? 2*PI : PI/2, to, {cells->number[0], cells->number[1]}, from};
  tni_lattice l = {.dim = 2, .n = {(int)k.n[0], (int)k.n[1]}, .cell = cell, .place = place_dome, .user = &k,
                   .side = {"hole", "rim", "y0", "x0"}, .corners = true};
  l.wrap[1] = nquarter == 4;
  TN_REQUIRE(ctx, !l.wrap[1] || l.n[1] >= 3, TN_ERR_INPUT, "%s: cells: %d around, a closed shell needs 3", p->place, l.n[1]);
  return tni_lattice_build(&l, b);
}

static const tni_mesh_param dome_params[] = {
    NUMBER("radius", "Radius."),
    {"polar", TNI_PARAM_NUMBERS, 2, 2, 0, 3.2, false, "rad", NULL, NULL, "Angles from z at which the shell begins (0: at the pole) and ends."},
    {"cells", TNI_PARAM_COUNTS, 1, 2, 1, 1e6, false, NULL, NULL, NULL,
     "With a hole at the pole: cells from it to the rim, and around; otherwise along a side of a patch (a quarter has three)."},
    PART, PLANE_CELLS};
const tni_mesh_generator tni_mesh_dome = {"dome", "Shell: part of a sphere about z, normals outward.", dome_params, TNI_COUNT(dome_params),
                                          "rim, hole or pole, of a quarter x0, y0", build_dome};

/* --- thick sphere: an octant of three patches; directions are bilinear between axis, middles of edges, centre --- */

typedef struct {
  double inner, outer, n, nr;
  int axis;
} ball;

static void place_ball(const void *user, const double p[3], double x[3]) {
  const ball *k = user;
  double u = p[0]/k->n, v = p[1]/k->n, r = k->inner + (k->outer - k->inner)*p[2]/k->nr, h = sqrt(0.5), t = sqrt(1.0/3);
  /* components along this axis, the next one, the one after */
  double d[3] = {(1 - u)*(1 - v) + (u*(1 - v) + (1 - u)*v)*h + u*v*t, u*(1 - v)*h + u*v*t, (1 - u)*v*h + u*v*t};
  double l = sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]);
  for (int i = 0; i < 3; i++) x[(k->axis + i)%3] = r*d[i]/l;
}

static tn_status build_sphere(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  tn_ctx *ctx = tni_mesh_building_ctx(b);
  ball k = {tni_mesh_number(g, p, "radius", 0), tni_mesh_number(g, p, "radius", 1), tni_mesh_count(g, p, "cells", 0),
            tni_mesh_count(g, p, "cells", 1), 0};
  tni_lattice l = {.dim = 3, .n = {(int)k.n, (int)k.n, (int)k.nr}, .cell = tni_mesh_cell_chosen(g, p), .place = place_ball, .user = &k};
  TN_REQUIRE(ctx, k.outer > k.inner, TN_ERR_INPUT, "%s: radius: %g, %g, must be the inner one, then a larger one", p->place, k.inner,
             k.outer);
  tni_arena work;
  tni_arena_init(&work, ctx);
  tn_status st = tni_weld_create(&work, k.outer, &l.weld);
  static const char *const plane[3] = {"x0", "y0", "z0"};
  for (k.axis = 0; st == TN_OK && k.axis < 3; k.axis++) {
    l.side[0] = plane[(k.axis + 1)%3];
    l.side[2] = plane[(k.axis + 2)%3];
    l.side[4] = "inner";
    l.side[5] = "outer";
    st = tni_lattice_build(&l, b);
  }
  tni_arena_clear(&work);
  return st;
}

static const tni_mesh_param sphere_params[] = {
    {"radius", TNI_PARAM_NUMBERS, 2, 2, 0, 1e9, true, "m", NULL, NULL, "Inner and outer radius."},
    COUNTS(2, "Cells along a side of a patch (an octant has three), and through the wall."), SOLID_CELLS};
const tni_mesh_generator tni_mesh_sphere = {"sphere", "Octant x, y, z >= 0 of a hollow sphere.", sphere_params, TNI_COUNT(sphere_params),
                                            "inner, outer, x0, y0, z0", build_sphere};
