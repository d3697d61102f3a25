/* mesh/gen_truss.c - lattices of struts: a box boom, two of them as a space station
 *
 * A boom has sections of four nodes, i = 0..3 at (0,0), (w,0), (w,h), (0,h). Per section four sides and one diagonal (i = s mod 2
 * to i + 2), per bay four longerons and four diagonals whose direction alternates: 13 S - 8 struts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "mesh/generators.h"

typedef struct {
  tni_mesh_builder *b;
  int nboom, nsection;
} booms;

static int node_of(const booms *t, int boom, int s, int i) { return (s*t->nboom + boom)*4 + i; }

static void strut(const booms *t, int a, int b, const char *set) {
  int cell = tni_mesh_add_cell(t->b, TNI_CELL_LINE2, NULL, 0, (int[]){a, b});
  tni_mesh_add_member(t->b, tni_mesh_add_set(t->b, set, TNI_SET_CELLS), cell, 0);
}

static void add_nodes(const booms *t, double pitch, double w, double h, double apart) {
  for (int s = 0; s < t->nsection; s++) {
    for (int k = 0; k < t->nboom; k++) {
      for (int i = 0; i < 4; i++) {
        int node = tni_mesh_add_node(t->b, 0, pitch*s, (i == 1 || i == 2 ? w : 0) + apart*k, i >= 2 ? h : 0);
        char name[20];
        snprintf(name, sizeof(name), "boom%d", k);
        tni_mesh_add_member(t->b, tni_mesh_add_set(t->b, name, TNI_SET_NODES), node, 0);
        if (s == 0) tni_mesh_add_member(t->b, tni_mesh_add_set(t->b, "x0", TNI_SET_NODES), node, 0);
        if (s == t->nsection - 1) tni_mesh_add_member(t->b, tni_mesh_add_set(t->b, "x1", TNI_SET_NODES), node, 0);
        if (s == 0 && k == 0) tni_mesh_add_member(t->b, tni_mesh_add_set(t->b, "dock", TNI_SET_NODES), node, 0);
      }
    }
  }
}

static void add_boom(const booms *t, int k) {
  for (int s = 0; s < t->nsection; s++) {
    for (int i = 0; i < 4; i++) strut(t, node_of(t, k, s, i), node_of(t, k, s, (i + 1)%4), "battens");
    strut(t, node_of(t, k, s, s%2), node_of(t, k, s, s%2 + 2), "diagonals");
    for (int i = 0; s < t->nsection - 1 && i < 4; i++) {
      strut(t, node_of(t, k, s, i), node_of(t, k, s + 1, i), "longerons");
      int from = s%2 ? (i + 1)%4 : i, to = s%2 ? i : (i + 1)%4;
      strut(t, node_of(t, k, s, from), node_of(t, k, s + 1, to), "diagonals");
    }
  }
}

static tn_status build_box_truss(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  booms t = {b, 1, tni_mesh_count(g, p, "cells", 0) + 1};
  add_nodes(&t, tni_mesh_number(g, p, "size", 0)/(t.nsection - 1), tni_mesh_number(g, p, "size", 1), tni_mesh_number(g, p, "size", 2), 0);
  add_boom(&t, 0);
  return TN_OK;
}

static const tni_mesh_param box_truss_params[] = {
    {"size", TNI_PARAM_NUMBERS, 3, 3, 0, 1e9, true, "m", NULL, NULL, "Length along x, width along y, height along z."},
    {"cells", TNI_PARAM_COUNTS, 1, 1, 1, 1e6, false, NULL, NULL, NULL, "Number of bays."}};
const tni_mesh_generator tni_mesh_box_truss = {"box_truss", "Boom of struts with a square or rectangular section along x.",
                                               box_truss_params, TNI_COUNT(box_truss_params),
                                               "x0, x1, dock (the first section); cells battens, longerons, diagonals", build_box_truss};

static tn_status build_dual_keel(const tni_mesh_generator *g, const tni_mesh_params *p, tni_mesh_builder *b) {
  booms t = {b, 2, tni_mesh_count(g, p, "sections", 0)};
  int S = t.nsection, crossings = tni_mesh_count(g, p, "crossings", 0);
  TN_REQUIRE(tni_mesh_building_ctx(b), crossings <= S, TN_ERR_INPUT, "%s: crossings: %d, must be at most sections (%d)", p->place,
             crossings, S);
  add_nodes(&t, 5, 5, 5, 15);
  add_boom(&t, 0);
  add_boom(&t, 1);
  for (int q = 0; q < crossings; q++) {
    int s = (int)floor((double)q*(S - 1)/(crossings - 1) + 0.5), next = s < S - 1 ? s + 1 : s - 1;
    strut(&t, node_of(&t, 0, s, 1), node_of(&t, 1, s, 0), "crossings");
    strut(&t, node_of(&t, 0, s, 2), node_of(&t, 1, s, 3), "crossings");
    strut(&t, node_of(&t, 0, s, 1), node_of(&t, 1, s, 3), "crossings");
    strut(&t, node_of(&t, 0, s, 1), node_of(&t, 1, next, 0), "crossings");
  }
  return TN_OK;
}

static const tni_mesh_param dual_keel_params[] = {
    {"sections", TNI_PARAM_COUNTS, 0, 1, 2, 1e6, false, NULL, "48", NULL, "Sections of each boom, 5 m apart."},
    {"crossings", TNI_PARAM_COUNTS, 0, 1, 2, 1e6, false, NULL, "8", NULL, "Places at which the booms are connected."}};
const tni_mesh_generator tni_mesh_dual_keel = {"dual_keel", "Space station: two booms of struts, 5 m wide, 15 m apart, with crossings.",
                                               dual_keel_params, TNI_COUNT(dual_keel_params),
                                               "x0, x1, boom0, boom1, dock; cells battens, longerons, diagonals, crossings", build_dual_keel};
