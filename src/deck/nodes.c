/* deck/nodes.c - degrees of freedom of a deck as sums of those of the model
 *
 * A node of the deck may have local axes, be the rotation of a rigid body, or stand for the nodes that it was expanded to: then a
 * displacement is the mean of theirs, a rotation the mean of the angles by which they turn about it. In a knot both are
 * degrees of freedom of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/vec.h"
#include "deck/deck.h"

const tni_expanded *tni_deck_expanded(const tni_deck_model *m, int node) {
  if (!m->expansion || node >= m->expansion->nnode || m->expansion->node[node].n == 0) return NULL;
  return &m->expansion->node[node];
}

int tni_deck_corners(const tni_way *w, int node[4]) {
  if (w->kind == TNI_WAY_BEAM) {
    for (int k = 0; k < 4; k++) node[k] = w->node[k];
    return 4;
  }
  node[0] = w->node[0];
  node[1] = w->node[2];
  return 2;
}

/* the mean angle about an axis by which the corners turn around their middle */
static int mean_rotation(const tni_deck_model *m, const tni_way *w, const double axis[3], tni_deck_term *term) {
  int node[4], n = tni_deck_corners(w, node), count = 0;
  double middle[3] = {0}, c[4][3], mean[3] = {0};
  for (int i = 0; i < n; i++) vec3_addmul(middle, 1.0/n, m->mesh->x + 3*(size_t)node[i]);
  for (int i = 0; i < n; i++) {
    double r[3], far;
    vec3_sub(r, m->mesh->x + 3*(size_t)node[i], middle);
    far = vec3_norm(r);
    vec3_addmul(r, -vec3_dot(r, axis), axis);
    if (vec3_norm(r) < 1e-3*far) return 0;
    vec3_cross(c[i], axis, r);
    vec3_scale(c[i], 1/(n*vec3_dot(r, r)), c[i]);
    vec3_addmul(mean, 1.0/n, c[i]);
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      double a = c[i][k] - mean[k];
      if (fabs(a) > 1e-12*vec3_norm(c[i])) term[count++] = (tni_deck_term){node[i], k, a};
    }
  return count;
}

static int expanded_terms(const tni_deck_model *m, const tni_expanded *e, int dof, const double axis[3], tni_deck_term *term) {
  const tni_way *w = &m->expansion->way[e->first];
  int corner[4], n = tni_deck_corners(w, corner), count = 0;
  if (dof >= 3 && w->kind == TNI_WAY_SHELL) { /* about the normal nothing turns, about other axes that part which lies in the shell */
    double along = vec3_dot(axis, w->n2), within[3];
    if (fabs(along) > 0.999) return 0;
    vec3_copy(within, axis);
    vec3_addmul(within, -along, w->n2);
    vec3_normalize(within, within);
    count = mean_rotation(m, w, within, term);
    for (int i = 0; i < count; i++) term[i].factor /= sqrt(1 - along*along);
    return count;
  }
  if (dof >= 3) return mean_rotation(m, w, axis, term);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      if (fabs(axis[k]) > 1e-14) term[count++] = (tni_deck_term){corner[i], k, axis[k]/n};
  return count;
}

int tni_deck_terms(const tni_deck_model *m, int node, int dof, tni_deck_term *term) {
  const tni_expanded *e = tni_deck_expanded(m, node);
  const double *axes = m->axes[node];
  double axis[3] = {dof % 3 == 0, dof % 3 == 1, dof % 3 == 2};
  int count = 0, at = node, dofs = m->planar ? 2 : 3;
  bool there = m->in_elements[node], plane = e && m->expansion->way[e->first].kind == TNI_WAY_PLANE;
  if (axes) vec3_copy(axis, axes + 3*(dof % 3));
  if (plane && dof >= 2) return 0;
  there = there || plane;
  if (e && !plane && e->turn < 0 && (dof >= 3 || !there)) return expanded_terms(m, e, dof, axis, term);
  if (e && e->turn >= 0 && dof >= 3) {
    at = e->turn;
    there = true;
  } else if (dof >= 3) {
    for (int i = 0; i < m->nrigid; i++)
      if (m->rigid[i].ref == node) term[count++] = (tni_deck_term){node, dof, 1};
    return count > 0;
  }
  for (int i = 0; i < m->nrigid && dof < 3; i++) {
    if (m->rigid[i].rot == node && node != m->rigid[i].ref) {
      term[0] = (tni_deck_term){m->rigid[i].ref, dof + 3, 1};
      return 1;
    }
    there = there || m->rigid[i].ref == node;
  }
  for (int i = 0; i < m->nequation && !there; i++)
    for (int k = 0; k < m->equation[i].n; k++) there = there || m->equation[i].node[k] == node;
  if (!there && !(e && e->turn >= 0)) return 0;
  if (!axes) {
    if (dof % 3 >= dofs) return 0;
    term[0] = (tni_deck_term){at, dof % 3, 1};
    return 1;
  }
  for (int k = 0; k < dofs; k++)
    if (fabs(axis[k]) > 1e-14) term[count++] = (tni_deck_term){at, k, axis[k]};
  return count;
}

tn_status tni_deck_look_back(tni_deck_model *m, const tni_mesh *flat) {
  TNI_ARENA_NEW(&m->arena, m->in_elements, m->mesh->nnode);
  TNI_ARENA_NEW(&m->arena, m->origin, m->mesh->nnode);
  TNI_ARENA_NEW(&m->arena, m->family, m->mesh->ncell);
  for (int i = 0; i < m->mesh->nnode; i++) m->origin[i] = i;
  for (int i = 0; i < m->mesh->nblock; i++) {
    const tni_mesh_block *b = &m->mesh->block[i];
    for (size_t n = 0; n < (size_t)b->n*(size_t)tni_cell_of(b->cell)->nnode; n++) m->in_elements[b->node[n]] = true;
    for (int k = 0; k < b->n; k++) {
      int in_block;
      const char *label = tni_mesh_cell(flat, tni_mesh_cell_of(flat, b->gid[k]), &in_block)->label;
      bool changed = m->expansion && label && b->label && strcmp(label, b->label) != 0;
      m->family[b->first + k] = !changed ? ' ' : label[0] == 'S' ? 's' : label[0] == 'B' ? 'b' : 'p';
    }
  }
  for (int i = 0; m->expansion && i < m->expansion->nnode; i++)
    for (int k = 0; k < m->expansion->node[i].n; k++)
      for (int a = 0; a < TNI_WAY_NODES; a++) {
        int node = m->expansion->way[m->expansion->node[i].first + k].node[a];
        if (node >= 0) m->origin[node] = i;
      }
  return TN_OK;
}

/* Does an equation, or a support in local axes, which is one, ask for a component of a node? Its mean of both sides holds then. */
static bool is_asked_for(const tni_deck_model *m, int node, int component) {
  size_t n = (size_t)m->mesh->nnode;
  for (int i = 0; i < m->nequation; i++)
    for (int k = 0; k < m->equation[i].n; k++)
      if (m->equation[i].node[k] == node && (m->axes[node] || m->equation[i].dof[k] == component)) return true;
  for (int s = 0; s < m->nstep && m->axes[node]; s++)
    for (int d = 0; d < 3; d++)
      if (m->boundary[((size_t)s*n + (size_t)node)*TNI_DECK_NDOF + (size_t)d].on && fabs(m->axes[node][3*d + component]) > 1e-14) return true;
  return false;
}

/* Where a shell has a middle, a force goes to bottom, middle and top by -1/2, 2, -1/2: so does CalculiX 2.20, found by comparing; its manual
 * says 1/6, 2/3, 1/6. */
int tni_deck_load_terms(const tni_deck_model *m, int node, int dof, tni_deck_term *term) {
  const tni_expanded *e = tni_deck_expanded(m, node);
  const tni_way *w = e ? &m->expansion->way[e->first] : NULL;
  int n = tni_deck_terms(m, node, dof, term);
  if (!e || e->turn >= 0 || w->kind != TNI_WAY_SHELL || w->node[1] < 0 || dof >= 3 || m->in_elements[node]) return n;
  for (int i = 0, half = n/2; i < half; i++) { /* bottom in the first half, top in the second */
    double whole = 2*term[i].factor;
    if (is_asked_for(m, node, term[i].component)) continue;
    term[n++] = (tni_deck_term){w->node[1], term[i].component, 2*whole};
    term[i].factor = term[half + i].factor = -whole/2;
  }
  return n;
}

bool tni_deck_shell_axes(const tni_deck_model *m, int cell, double R[9]) {
  static const tni_cell middle[] = {[TNI_CELL_WEDGE6] = TNI_CELL_TRI3, [TNI_CELL_WEDGE15] = TNI_CELL_TRI6, [TNI_CELL_HEX8] = TNI_CELL_QUAD4, [TNI_CELL_HEX20] = TNI_CELL_QUAD8};
  if (m->family[cell] != 's') return false;
  const tni_cell_shape *s;
  const int *node = tni_mesh_nodes(m->mesh, cell, &s);
  tni_cell flat = middle[s - tni_cell_shapes];
  const tni_cell_shape *f = tni_cell_of(flat);
  double dN[TNI_CELL_MAXNODE][3], d[2][3] = {{0}}, origin[3] = {0};
  tni_cell_interpolate(flat, origin, NULL, dN);
  for (int a = 0; a < f->nnode; a++) /* nodes of the bottom are those of the flat cell: corners, then, after the top's, middles */
    for (int k = 0; k < 2; k++) vec3_addmul(d[k], dN[a][k], m->mesh->x + 3*(size_t)m->origin[node[a < f->ncorner ? a : a + f->ncorner]]);
  double *x = R, *y = R + 3, *n = R + 6, along[3] = {1, 0, 0};
  vec3_cross(n, d[0], d[1]);
  vec3_normalize(n, n);
  if (fabs(n[0]) > cos(0.1*0.017453292519943295)) vec3_set(along, 0, 0, 1);
  vec3_copy(x, along);
  vec3_addmul(x, -vec3_dot(n, along), n);
  vec3_normalize(x, x);
  vec3_cross(y, n, x);
  return true;
}
