/* solids/meshes.h - section meshes of a model file: read from a file, or made by a generator
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MESHES_H
#define TNI_MESHES_H

#include "mesh/mesh.h"
#include "model/build.h"

/* Keys of an item: file and what goes with it, then one for every generator. key NULL: how many there are. */
int tni_mesh_keys(tni_key *key);

/* The mesh of that name, read or made when first asked for; the model owns it. */
tn_status tni_mesh_of(tni_builder *b, const tni_item *item, const char *key, const char *name, const tni_mesh **out);

#endif
