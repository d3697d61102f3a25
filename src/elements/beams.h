/* elements/beams.h - the sections beams, trusses and cables of a model file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_BEAMS_H
#define TNI_BEAMS_H

#include "elements/element.h"

enum { TNI_NBEAM_SECTION = 3 };
/* beams, trusses, cables: name, word, summary and keys */
extern const tni_section tni_beam_sections[TNI_NBEAM_SECTION];

/* Is this one of them? */
bool tni_is_beam(const tni_item *item);
/* Bodies that the item may add at most. */
int tni_beam_nbody(const tni_item *item);
/* Nodes of one item. model->body has room for tni_beam_nbody more. Bodies that hold an end get
 * their mass, which moves their centres of mass: elements come when all nodes are there. */
tn_status tni_beam_nodes(tni_builder *b, const tni_item *item);
/* Elements of a beam of the model. */
tn_status tni_beam_elements(tni_builder *b, int beam);

#endif
