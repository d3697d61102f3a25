/* solids/plane.c - plane solids: quad4, quad8, tri3, tri6 in plane stress, plane strain, axisymmetric
 *
 * Axisymmetric: x is the radius, y the axis; forces and masses are those of the whole ring. quad4 has the options of hex8
 * (kappa of its hourglasses 0.1); bbar is full in plane stress, where the volume is free.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/core.h"
#include "solids/list.h"

static const tni_core quad4[] = {
    {TNI_CELL_QUAD4, TNI_CORE_PLAIN, TNI_RULE_LOW, TNI_RULE_LOW, true, 0},
    {TNI_CELL_QUAD4, TNI_CORE_BBAR, TNI_RULE_LOW, TNI_RULE_LOW, true, 0},
    {TNI_CELL_QUAD4, TNI_CORE_INC, TNI_RULE_LOW, TNI_RULE_LOW, true, 0},
    {TNI_CELL_QUAD4, TNI_CORE_ONE, TNI_RULE_LOW, TNI_RULE_LOW, true, 0.1},
};
static const char *const quad4_options[] = {"full", "bbar", "inc", "one", NULL};

static int quad4_usual(const tni_matter *matter, bool large, bool explicit_steps) {
  return explicit_steps ? 3 : large || !matter->type->linear ? 1 : 2;
}

TNI_CORE_FUNCTIONS(quad4, quad4)
const tni_solid_type tni_solid_quad4 = {
    .name = "quad4", .doc = "Plane quadrilateral with 4 nodes.", .cell = TNI_CELL_QUAD4, .ndof = 2,
    .option = quad4_options, .usual = quad4_usual, TNI_CORE_MEMBERS(quad4)};

static const tni_core quad8[] = {
    {TNI_CELL_QUAD8, TNI_CORE_PLAIN, TNI_RULE_HIGH, TNI_RULE_HIGH, false, 0},
    {TNI_CELL_QUAD8, TNI_CORE_PLAIN, TNI_RULE_LOW, TNI_RULE_HIGH, false, 0},
};
static const char *const quad8_options[] = {"full", "reduced", NULL};

static int second_option(const tni_matter *matter, bool large, bool explicit_steps) {
  (void)matter, (void)large, (void)explicit_steps;
  return 1;
}

static int first_option(const tni_matter *matter, bool large, bool explicit_steps) {
  (void)matter, (void)large, (void)explicit_steps;
  return 0;
}

TNI_CORE_FUNCTIONS(quad8, quad8)
const tni_solid_type tni_solid_quad8 = {
    .name = "quad8", .doc = "Plane quadrilateral with 8 nodes.", .cell = TNI_CELL_QUAD8, .ndof = 2,
    .option = quad8_options, .usual = second_option, TNI_CORE_MEMBERS(quad8)};

static const char *const only_full[] = {"full", NULL};

static const tni_core tri3[] = {{TNI_CELL_TRI3, TNI_CORE_PLAIN, TNI_RULE_1, TNI_RULE_LOW, true, 0}};
TNI_CORE_FUNCTIONS(tri3, tri3)
const tni_solid_type tni_solid_tri3 = {
    .name = "tri3", .doc = "Plane triangle with 3 nodes: stiff, a filler.", .cell = TNI_CELL_TRI3, .ndof = 2,
    .option = only_full, .usual = first_option, TNI_CORE_MEMBERS(tri3)};

static const tni_core tri6[] = {{TNI_CELL_TRI6, TNI_CORE_PLAIN, TNI_RULE_LOW, TNI_RULE_HIGH, false, 0}};
TNI_CORE_FUNCTIONS(tri6, tri6)
const tni_solid_type tni_solid_tri6 = {
    .name = "tri6", .doc = "Plane triangle with 6 nodes.", .cell = TNI_CELL_TRI6, .ndof = 2,
    .option = only_full, .usual = first_option, TNI_CORE_MEMBERS(tri6)};
