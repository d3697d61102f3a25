/* solids/brick.c - solids in space: hex8, hex20, tet4, tet10, wedge6, wedge15
 *
 * hex8      full, bbar, inc, one (Flanagan and Belytschko, kappa 0.01)
 * hex20     full 3 x 3 x 3, reduced 2 x 2 x 2: softer and better, six motions of a single element cost no energy, which
 *           neighbours hold
 * tet4      one point: stiff, a filler
 * tet10     4 points; wedge6 3 x 2 (reduced: 1 x 2), wedge15 3 x 3
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/batch.h"
#include "solids/core.h"
#include "solids/list.h"

static int first_option(const tni_matter *matter, bool large, bool explicit_steps) {
  (void)matter, (void)large, (void)explicit_steps;
  return 0;
}

/* ---- hexahedra ------------------------------------------------------------------------------- */

static const tni_core hex8[] = {
    {TNI_CELL_HEX8, TNI_CORE_PLAIN, TNI_RULE_LOW, TNI_RULE_LOW, true, 0},
    {TNI_CELL_HEX8, TNI_CORE_BBAR, TNI_RULE_LOW, TNI_RULE_LOW, true, 0},
    {TNI_CELL_HEX8, TNI_CORE_INC, TNI_RULE_LOW, TNI_RULE_LOW, true, 0},
    {TNI_CELL_HEX8, TNI_CORE_ONE, TNI_RULE_LOW, TNI_RULE_LOW, true, 0.01},
};
static const char *const hex8_options[] = {"full", "bbar", "inc", "one", NULL};

static int hex8_usual(const tni_matter *matter, bool large, bool explicit_steps) {
  return explicit_steps ? 3 : large || !matter->type->linear ? 1 : 2;
}

TNI_CORE_FUNCTIONS(hex8, hex8)
const tni_solid_type tni_solid_hex8 = {
    .name = "hex8", .doc = "Hexahedron with 8 nodes.", .cell = TNI_CELL_HEX8, .ndof = 3,
    .option = hex8_options, .usual = hex8_usual, .batch = &tni_batch_hex8, TNI_CORE_MEMBERS(hex8)};

static const tni_core hex20[] = {
    {TNI_CELL_HEX20, TNI_CORE_PLAIN, TNI_RULE_HIGH, TNI_RULE_HIGH, false, 0},
    {TNI_CELL_HEX20, TNI_CORE_PLAIN, TNI_RULE_LOW, TNI_RULE_HIGH, false, 0},
};
static const char *const hex20_options[] = {"full", "reduced", NULL};

static int second_option(const tni_matter *matter, bool large, bool explicit_steps) {
  (void)matter, (void)large, (void)explicit_steps;
  return 1;
}

TNI_CORE_FUNCTIONS(hex20, hex20)
const tni_solid_type tni_solid_hex20 = {
    .name = "hex20", .doc = "Hexahedron with 20 nodes.", .cell = TNI_CELL_HEX20, .ndof = 3,
    .option = hex20_options, .usual = second_option, TNI_CORE_MEMBERS(hex20)};

/* ---- tetrahedra and wedges -------------------------------------------------------------------- */

static const char *const only_full[] = {"full", NULL};

static const tni_core tet4[] = {{TNI_CELL_TET4, TNI_CORE_PLAIN, TNI_RULE_1, TNI_RULE_LOW, true, 0}};
TNI_CORE_FUNCTIONS(tet4, tet4)
const tni_solid_type tni_solid_tet4 = {
    .name = "tet4", .doc = "Tetrahedron with 4 nodes: stiff, a filler.", .cell = TNI_CELL_TET4, .ndof = 3,
    .option = only_full, .usual = first_option, TNI_CORE_MEMBERS(tet4)};

static const tni_core tet10[] = {{TNI_CELL_TET10, TNI_CORE_PLAIN, TNI_RULE_LOW, TNI_RULE_HIGH, false, 0}};
TNI_CORE_FUNCTIONS(tet10, tet10)
const tni_solid_type tni_solid_tet10 = {
    .name = "tet10", .doc = "Tetrahedron with 10 nodes.", .cell = TNI_CELL_TET10, .ndof = 3,
    .option = only_full, .usual = first_option, TNI_CORE_MEMBERS(tet10)};

static const tni_core wedge6[] = {{TNI_CELL_WEDGE6, TNI_CORE_PLAIN, TNI_RULE_LOW, TNI_RULE_LOW, true, 0},
                                  {TNI_CELL_WEDGE6, TNI_CORE_PLAIN, TNI_RULE_AXIS, TNI_RULE_LOW, true, 0}};
TNI_CORE_FUNCTIONS(wedge6, wedge6)
const tni_solid_type tni_solid_wedge6 = {
    .name = "wedge6", .doc = "Wedge with 6 nodes.", .cell = TNI_CELL_WEDGE6, .ndof = 3,
    .option = hex20_options, .usual = first_option, TNI_CORE_MEMBERS(wedge6)};

static const tni_core wedge15[] = {{TNI_CELL_WEDGE15, TNI_CORE_PLAIN, TNI_RULE_MID, TNI_RULE_HIGH, false, 0}};
TNI_CORE_FUNCTIONS(wedge15, wedge15)
const tni_solid_type tni_solid_wedge15 = {
    .name = "wedge15", .doc = "Wedge with 15 nodes.", .cell = TNI_CELL_WEDGE15, .ndof = 3,
    .option = only_full, .usual = first_option, TNI_CORE_MEMBERS(wedge15)};
