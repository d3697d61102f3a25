/* mesh/generators.h - the list of generators: one line each
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_GENERATORS_H
#define TNI_GENERATORS_H

#include "mesh/generate.h"

#define TNI_MESH_GENERATOR_LIST(X) \
  X(bar) X(plate) X(box) X(cylinder) X(tube) X(ring) X(disk) X(hole) X(panel) X(dome) X(sphere) X(box_truss) \
  X(patch) X(dual_keel) X(link) X(booster) X(tapered_plate) X(composite_beam) X(cracked_plate) X(foam_bar)

#define X(name) extern const tni_mesh_generator tni_mesh_##name;
TNI_MESH_GENERATOR_LIST(X)
#undef X

#endif
