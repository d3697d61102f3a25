/* forces/beam_load.c - force and moment per length along a beam
 *
 * Lumped like the mass: a node carries the load of the length it stands for. What falls on an end
 * that is fixed in the ground is carried there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/load.h"

static tn_status beam_load_build(tni_builder *b, const tni_item *item) {
  const tn_model *m = b->model;
  const char *name = tni_item_text(item, "beam", ""), *near = NULL;
  int beam = -1;
  for (int i = 0; i < m->nbeam; i++) {
    if (strcmp(m->beam[i].name, name) == 0) beam = i;
    if (!near && tni_nearest(name, &m->beam[i].name, 1) == 0) near = m->beam[i].name;
  }
  if (beam < 0)
    return tni_item_fail(b->ctx, item, "beam", "unknown beam '%s'%s%s%s", name,
                         near ? "; did you mean '" : "; beams are named in 'beams:'",
                         near ? near : "", near ? "'?" : "");
  if (!tni_item_has(item, "force") && !tni_item_has(item, "moment"))
    return tni_item_fail(b->ctx, item, NULL, "has neither 'force' nor 'moment'");
  const tni_beam *o = &m->beam[beam];
  for (int i = 0; i < o->nnode; i++) {
    if (o->node[i] == TNI_GROUND) continue;
    TN_TRY(tni_load_node(b, item, o->node[i], o->frame[i].p, o->frame[i].R, o->share[i]));
    tni_force *f = &b->model->force[m->nforce-1];
    f->name = tni_arena_printf(b->arena, "%s[%d]", item->name, i);
    if (!f->name) return tni_out_of_memory(b->ctx);
  }
  return TN_OK;
}

static const tni_key beam_load_keys[] = {
    {.name = "beam", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED,
     .doc = "The beam, truss or cable."},
    {.name = "force", .kind = TNI_KIND_EXPR3, .unit = "N/m",
     .doc = "Force per length: expressions of t and measured quantities."},
    {.name = "moment", .kind = TNI_KIND_EXPR3, .unit = "N", .doc = "Moment per length."},
    {.name = "frame", .kind = TNI_KIND_CHOICE, .choices = "ground|section", .initial = "ground",
     .doc = "Axes of the components: those of the ground, or those of the sections (they follow)."},
};

const tni_force_type tni_force_beam_load = {
    {"beam_load", "Distributed load on a beam, truss or cable.", beam_load_keys,
     TNI_COUNT(beam_load_keys)},
    beam_load_build};
