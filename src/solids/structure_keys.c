/* solids/structure_keys.c - keys of structures, and which elements heed which of them
 *
 * A key that no element heeds is an expectation that would not be met: where answers would depend on it it is refused, else told.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "solids/list.h"
#include "solids/structure_keys.h"

static const tni_key structure_keys[] = {
    {.name = "mesh", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED, .doc = "Mesh of the section `meshes`."},
    {.name = "material", .kind = TNI_KIND_ANY, .flags = TNI_REQUIRED,
     .doc = "Material of the section `materials`, or {group of cells: material, ...} where there are several; in place of a material "
            "{material, element, thickness, area, section, axes} with what differs in the group."},
    {.name = "cells", .kind = TNI_KIND_NAME, .initial = "those of the highest dimension",
     .doc = "Group of cells that the structure is made of."},
    {.name = "formulation", .kind = TNI_KIND_CHOICE, .choices = "small|large", .initial = "small",
     .doc = "Small: displacements and rotations so small that equations hold in the place at rest. Large: any."},
    {.name = "element", .kind = TNI_KIND_TEXT, .initial = "the usual one of the shape and material",
     .doc = "How elements are computed: full, reduced, bbar (mean volume), inc (incompatible modes), one (one point "
            "with hourglass control), as far as the shape knows it; label: as the type in a deck says (C3D20R: reduced)."},
    {.name = "mass", .kind = TNI_KIND_CHOICE, .choices = "lumped|consistent", .initial = "lumped",
     .doc = "Lumped: masses at nodes, which explicit methods need. Consistent: as displacements within elements are; gravity and spin act "
            "likewise."},
    {.name = "bulk_viscosity", .kind = TNI_KIND_NUMBERS, .max = 10, .count = 2, .initial = "none",
     .doc = "Method central: pressure against compression, [linear, quadratic], usually [0.06, 1.5]: vibrations behind fronts of waves die, shocks spread over "
            "some elements. hex8, tet4, wedge6, quad4, tri3; steps become shorter by as much as it damps."},
    {.name = "mass_scaling", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "s", .initial = "no mass is added",
     .doc = "Method central: shortest limit of stability that elements shall have. Those with a shorter one, where they are at rest, get as much more mass as "
            "that takes; how much is said. Gravity and damping by mass do not see it."},
    {.name = "plane", .kind = TNI_KIND_CHOICE, .choices = "stress|strain|axisymmetric", .initial = "stress",
     .doc = "Plane meshes: no stress, or no strain, across the plane; or the half section of a body of revolution about "
            "the y axis."},
    {.name = "thickness", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .initial = "1 in plane models", .doc = "Of plane meshes and shells."},
    {.name = "area", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m^2",
     .doc = "Cross section of bars."},
    {.name = "section", .kind = TNI_KIND_ANY, .unit = "m",
     .doc = "Makes lines of a mesh beams: {rectangle: [width, height]} along y and z of the section, {circle: radius} or {tube: [outer radius, "
            "inner radius]}. z points upwards, of upright beams along y, unless `axes` say otherwise."},
    {.name = "hourglass", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = 1, .initial = "usual of the shape",
     .doc = "Elements with one point: stiffness that holds their shape, in parts of the shear modulus."},
    {.name = "axes", .kind = TNI_KIND_ROTATION, .unit = "rad", .initial = "those of the ground",
     .doc = "Axes of an orthotropic material at rest; z of the sections of beams."},
    {.name = "hold", .kind = TNI_KIND_ANY,
     .doc = "{body: group, ...}: nodes of the group are fixed in the body, which takes their mass; a name that is no body "
            "yet makes one, with the frame in the middle of the group. `ground` holds them for good."},
    {.name = "reduce", .kind = TNI_KIND_ANY,
     .doc = "{craig_bampton: {modes: 20}}: few coordinates in the place of all nodes, for bodies that turn far and bend little. The nodes "
            "that `hold` names are interfaces, the rest follows them and `modes` modes of the mesh with held interfaces, or those "
            "`up_to` a frequency [Hz]. `damping`: of these modes, in parts of critical. `file`: where the result is kept, so that it "
            "is computed once."},
    {.name = "velocity", .kind = TNI_KIND_VEC3, .unit = "m/s", .initial = "[0, 0, 0]", .doc = "Initial velocity."},
    {.name = "angular_velocity", .kind = TNI_KIND_VEC3, .unit = "rad/s", .initial = "[0, 0, 0]",
     .doc = "Initial angular velocity about the origin, added to velocity."},
    {.name = "temperature", .kind = TNI_KIND_NUMBER, .unit = "K", .initial = "0",
     .doc = "Temperature above that of no strain."},
};

tni_section tni_structure_section(int i) {
  switch (i) {
    case 0: /* its keys are put together by the input language: tni_mesh_keys */
      return (tni_section){"meshes", "mesh", "Meshes, from files or generators.", false, false, NULL, 0, NULL, 0};
    case 1:
      return (tni_section){"structures", "structure", "Meshes with a material: finite elements.", false, false,
                           structure_keys, TNI_COUNT(structure_keys), NULL, 0};
    case 2:
      return (tni_section){"supports", "support", "What holds or moves nodes of structures.", false, true,
                           tni_support_keys, TNI_NSUPPORT_KEY, NULL, 0};
    case 4:
      return (tni_section){"couplings", "coupling", "Nodes of structures that follow others: equations, rigid groups, ties.", false, true,
                           tni_coupling_keys, TNI_NCOUPLING_KEY, NULL, 0};
    case 5:
      return (tni_section){"nodes", "nodes", "What nodes of structures have beside their elements: masses, springs, temperatures, initial "
                           "velocities.", false, true, tni_node_keys, TNI_NNODE_KEY, NULL, 0};
    default:
      return (tni_section){"loads", "load", "What acts on structures, beside gravity.", false, true, tni_load_keys,
                           TNI_NLOAD_KEY, NULL, 0};
  }
}

/* ---- groups of cells ------------------------------------------------------------------------------- */

/* keys that groups of cells may have of their own, in the map of materials */
static const char *const group_keys[] = {"material", "element", "thickness", "area", "section", "axes"};

static const tni_key *key_of(const char *name) {
  for (int i = 0; i < TNI_COUNT(structure_keys); i++)
    if (strcmp(structure_keys[i].name, name) == 0) return &structure_keys[i];
  return NULL;
}

tn_status tni_structure_check_group(tn_ctx *ctx, const tni_item *item, const char *group, const tni_value *v) {
  for (int i = 0; i < v->n; i++) {
    bool known = false;
    for (int k = 0; k < TNI_COUNT(group_keys); k++) known = known || strcmp(group_keys[k], v->key[i]) == 0;
    if (!known)
      return tni_place_fail(ctx, v->item[i].at, item, "material of '%s': unknown key %s%s", group, tni_show(v->key[i]).s,
                            tni_hint_for(v->key[i], group_keys, TNI_COUNT(group_keys)).s);
    if (strcmp(v->key[i], "material") != 0) TN_TRY(tni_value_check(ctx, item, key_of(v->key[i]), &v->item[i]));
  }
  return TN_OK;
}

/* ---- what heeds a key ------------------------------------------------------------------------------- */

static bool is_plane_or_shell(const tni_solid_kind *k) {
  return tni_cell_of(k->type->cell)->dim == 2 && k->plane != TNI_PLANE_AXISYMMETRIC;
}
static bool is_bar(const tni_solid_kind *k) { return k->type == &tni_solid_truss2; }
static bool is_beam(const tni_solid_kind *k) { return k->type == &tni_solid_beam2; }
static bool has_axes(const tni_solid_kind *k) { return is_beam(k) || k->matter->type == tni_matter_find("orthotropic"); }
static bool has_one_point(const tni_solid_kind *k) { return strcmp(k->type->option[k->option], "one") == 0; }

static const struct {
  const char *key;
  bool (*heeds)(const tni_solid_kind *kind);
  bool refused; /* else a warning: the answer is the same with any value */
  const char *of;
} heeded[] = {
    {"thickness", is_plane_or_shell, true, "shells and plane stress or strain; solids have it in their mesh, bars need 'area', beams 'section'"},
    {"area", is_bar, true, "bars"},
    {"section", is_beam, true, "beams, which are lines of the mesh"},
    {"axes", has_axes, false, "materials of type orthotropic, and beams"},
    {"hourglass", has_one_point, false, "elements with one point ('element: one')"},
};

/* elements of the structure that are made of the k-th material, -1: of any; does one heed the key? `name`: of the first one */
static bool any_heeds(const tni_structure *s, const tni_matter *matter, int key, const char **name) {
  *name = NULL;
  for (int i = 0; i < s->nblock; i++) {
    const tni_solid_kind *kind = &s->block[i].kind;
    if (matter && kind->matter != matter) continue;
    if (heeded[key].heeds(kind)) return true;
    if (!*name) *name = kind->type->name;
  }
  return !*name;
}

static tn_status tell(tni_builder *b, const tni_item *item, tni_place at, int key, const char *group, const char *element) {
  char of[120] = "";
  if (group) snprintf(of, sizeof(of), " of group '%.80s'", group);
  if (heeded[key].refused)
    return tni_place_fail(b->ctx, at, item, "'%s' means nothing to elements %s%s: it is for %s", heeded[key].key, element, of, heeded[key].of);
  tni_log(b->ctx, TN_LOG_WARNING, "%s:%d: structure '%s': '%s' does nothing to elements %s%s: it is for %s", at.file, at.line, item->name,
          heeded[key].key, element, of, heeded[key].of);
  return TN_OK;
}

tn_status tni_structure_check_keys(tni_builder *b, const tni_item *item, const tni_structure *s, const tni_matter *matter) {
  const tni_value *map = tni_item_get(item, "material");
  const char *element;
  for (int i = 0; i < TNI_COUNT(heeded); i++) {
    const tni_value *v = tni_item_get(item, heeded[i].key);
    if (v && !any_heeds(s, NULL, i, &element)) TN_TRY(tell(b, item, v->at, i, NULL, element));
    for (int k = 0; map->form == TNI_MAP && k < map->n; k++) {
      const tni_value *own = &map->item[k];
      for (int e = 0; own->form == TNI_MAP && e < own->n; e++)
        if (strcmp(own->key[e], heeded[i].key) == 0 && !any_heeds(s, &matter[k], i, &element))
          TN_TRY(tell(b, item, own->item[e].at, i, map->key[k], element));
    }
  }
  return TN_OK;
}
