/* solids/structure_viscosity.c - bulk viscosity of explicit runs: a pressure against compression, which spreads shocks over some elements
 *
 *   q = rho L |tr D| (c1 c + c2 L |tr D|)   where tr D < 0, with the rate of volume tr D in the middle of the element, L its size, c the
 *                                           speed of the fastest wave
 *
 * as much damping as xi = c1 + c2 L |tr D|/c of critical for the vibration that limits the step. It is no stress of the material: fields
 * do not show it, heat and the balance of energy do.
 *
 * Source: J. von Neumann, R. D. Richtmyer, J. Appl. Phys. 21 (1950) 232.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "solids/shape.h"
#include "solids/structure_work.h"

/* derivatives of the shape functions by place in the middle, x [nnode][3]; false: there are none */
static bool middle_gradients(tni_cell cell, int nnode, const double *x, double (*g)[3]) {
  double centre[3] = {0}, N[TNI_SOLID_MAXNODE], dN[TNI_SOLID_MAXNODE][3], J[9] = {0}, I[9];
  int dim = tni_shape_dim(cell);
  for (int a = 0; a < nnode; a++) {
    double xi[3];
    tni_shape_node(cell, a, xi);
    vec3_addmul(centre, 1.0/nnode, xi);
  }
  tni_shape(cell, centre, N, dN);
  for (int a = 0; a < nnode; a++)
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < dim; c++) J[3*r + c] += x[3*a + r]*dN[a][c];
  if (dim == 2) J[8] = 1;
  double det = J[0]*(J[4]*J[8] - J[5]*J[7]) - J[1]*(J[3]*J[8] - J[5]*J[6]) + J[2]*(J[3]*J[7] - J[4]*J[6]);
  if (!(det > 0)) return false;
  I[0] = (J[4]*J[8] - J[5]*J[7])/det, I[1] = (J[2]*J[7] - J[1]*J[8])/det, I[2] = (J[1]*J[5] - J[2]*J[4])/det;
  I[3] = (J[5]*J[6] - J[3]*J[8])/det, I[4] = (J[0]*J[8] - J[2]*J[6])/det, I[5] = (J[2]*J[3] - J[0]*J[5])/det;
  I[6] = (J[3]*J[7] - J[4]*J[6])/det, I[7] = (J[1]*J[6] - J[0]*J[7])/det, I[8] = (J[0]*J[4] - J[1]*J[3])/det;
  for (int a = 0; a < nnode; a++)
    for (int c = 0; c < 3; c++) {
      g[a][c] = 0;
      for (int r = 0; r < dim; r++) g[a][c] += dN[a][r]*I[3*r + c];
    }
  return true;
}

double tni_structure_viscosity(const tni_structure *s, const tni_structure_block *b, const tni_structure_local *l, double *f, double *heat) {
  const tni_solid_kind *k = &b->kind;
  double x[3*TNI_SOLID_MAXNODE], g[TNI_SOLID_MAXNODE][3], rate = 0, rest = tni_solid_volume(k, l->X, NULL), volume = rest;
  int own = b->nv/b->nnode, dim = tni_shape_dim(k->type->cell);
  memcpy(x, l->X, 3*(size_t)b->nnode*sizeof(double));
  for (int a = 0; a < b->nnode && k->large; a++)
    for (int c = 0; c < own && c < 3; c++) x[3*a + c] += l->u[own*a + c];
  if (k->large) volume = tni_solid_volume(k, x, NULL);
  if (!(volume > 0) || !middle_gradients(k->type->cell, b->nnode, x, g)) return s->bulk[0];
  for (int a = 0; a < b->nnode; a++)
    for (int c = 0; c < own && c < 3; c++) rate += g[a][c]*l->v[own*a + c];
  double c = sqrt(tni_matter_wave(k->matter, s->planar && s->plane == TNI_PLANE_STRESS)/k->matter->density);
  double size = dim == 3 ? cbrt(volume) : sqrt(volume/(k->thickness > 0 ? k->thickness : 1));
  if (!(rate < 0)) return s->bulk[0];
  double q = k->matter->density*rest/volume*size*-rate*(s->bulk[0]*c - s->bulk[1]*size*rate);
  for (int a = 0; a < b->nnode && f; a++)
    for (int i = 0; i < own && i < 3; i++) f[own*a + i] -= q*volume*g[a][i];
  if (heat) *heat += q*volume*-rate;
  return s->bulk[0] - s->bulk[1]*size*rate/c;
}

/* an element that it is not there for, NULL: there is none */
static const char *not_there_for(const tni_structure *s) {
  static const tni_cell can[] = {TNI_CELL_HEX8, TNI_CELL_TET4, TNI_CELL_WEDGE6, TNI_CELL_QUAD4, TNI_CELL_TRI3};
  for (int i = 0; i < s->nblock; i++) {
    const tni_solid_type *t = s->block[i].kind.type;
    bool found = false;
    for (int k = 0; k < TNI_COUNT(can); k++) found = found || (t->cell == can[k] && t->ndof <= 3);
    if (!found || s->plane == TNI_PLANE_AXISYMMETRIC) return t->name;
  }
  return NULL;
}

tn_status tni_structure_read_viscosity(tni_builder *b, const tni_item *item, tni_structure *s, bool explicit_steps) {
  const tni_value *v = tni_item_get(item, "bulk_viscosity");
  double *bulk;
  if (!v) return TN_OK;
  if (!explicit_steps)
    return tni_item_fail(b->ctx, item, "bulk_viscosity", "bulk_viscosity is there for method: central only; write that into 'analysis', or leave this away");
  const char *none = not_there_for(s);
  if (none) return tni_item_fail(b->ctx, item, "bulk_viscosity", "bulk_viscosity is not there for %s%s; known: hex8, tet4, wedge6, quad4, tri3", none,
                                 s->plane == TNI_PLANE_AXISYMMETRIC ? ", axisymmetric" : "");
  TNI_ARENA_NEW(b->arena, bulk, 2);
  for (int i = 0; i < 2; i++) bulk[i] = v->item[i].number;
  s->bulk = bulk;
  return TN_OK;
}
