/* system/nodes.c - what a system tells of its nodes: masses, names, extent, the loads on them
 *
 * Nodes are those of the layout. Whoever stands above asks here and knows no body.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "model/part.h"
#include "system/system.h"

tni_inertia tni_node_inertia(const tni_data *s, int node) { return s->inertia[node]; }

void tni_node_name(const tni_data *s, int node, char *out, size_t n) {
  snprintf(out, n, "%s", tni_name_of_body(s, node));
}

void tni_node_label(const tni_data *s, int node, char *out, size_t n) {
  snprintf(out, n, "body '%s'", tni_name_of_body(s, node));
}

double tni_nodes_mass(const tni_data *s) {
  double sum = 0;
  for (int i = 0; i < s->layout->nnode; i++) sum += tni_node_inertia(s, i).mass;
  return sum;
}

void tni_component_name(const tni_data *s, int component, char *out, size_t n) {
  static const char *const way[6] = {"along x", "along y", "along z", "about its own x",
                                     "about its own y", "about its own z"};
  char node[128];
  int k = s->layout->role[component];
  tni_node_label(s, tni_layout_owner(s->layout, component), node, sizeof(node));
  snprintf(out, n, "%s %s", node, s->model->planar && k == 5 ? "about z" : way[k]);
}

/* of one body, or of bodies in one place: how large it is, how far from the origin, where points of it and of the ground are */
static double size_without_joints(const tni_data *s, const double *q) {
  const tn_model *m = s->model;
  double size = 0;
  for (int i = 0; i < m->nbody; i++) {
    const tni_body *b = &m->body[i];
    if (b->mass > 0) size = fmax(size, 2*sqrt(fmax(b->I[0], fmax(b->I[4], b->I[8]))/b->mass));
    for (int k = 0; k < b->nmarker; k++) size = fmax(size, vec3_norm(b->marker[k].frame.p));
  }
  for (int i = 0; i < s->layout->nnode; i++) size = fmax(size, vec3_norm(q + s->layout->qadr[i]));
  for (int k = 0; k < m->ground_nmarker; k++) size = fmax(size, vec3_norm(m->ground_marker[k].frame.p));
  return size > 0 ? size : 1;
}

/* of bodies, joints and parts from each other */
static double spread(const tni_data *s, const double *q) {
  const tn_model *m = s->model;
  const tni_layout *L = s->layout;
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  double size = 0;
  for (int i = 0; i < L->nnode; i++)
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], q[L->qadr[i] + k]);
      high[k] = fmax(high[k], q[L->qadr[i] + k]);
    }
  for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
  for (int i = 0; i < m->njoint; i++)
    for (int e = 0; e < 2; e++)
      if (m->joint[i].body[e] != TNI_GROUND) size = fmax(size, vec3_norm(m->joint[i].frame[e].p));
  for (int i = 0; i < m->npart; i++) size = fmax(size, m->part[i].size);
  return size;
}

double tni_nodes_extent(const tni_data *s, const double *q) {
  double size = spread(s, q);
  return size > 0 ? size : size_without_joints(s, q);
}

bool tni_nodes_alone(const tni_data *s, const double *q) { return !(spread(s, q) > 0); }

void tni_nodes_loads(tni_data *s, double t, const double *q, const double *v, double *f, double *size) {
  const tn_model *m = s->model;
  const tni_layout *L = s->layout;
  tni_eval_bodies(s, t, q, v, NULL);
  tni_system_forces(s, t, s->load);
  for (int i = 0; i < m->nbody; i++)
    for (int j = L->vadr[i]; j < L->vadr[i] + L->size[i]; j++) {
      int k = L->role[j];
      f[j] = s->load[6*i + k];
      size[j] = k < 3 ? fabs(s->inertia[i].mass*m->gravity[k]) : 0;
    }
  for (int e = 0; e < m->nforce; e++)
    for (int b = 0; b < m->force[e].nbody; b++) {
      int i = m->force[e].body[b];
      for (int j = L->vadr[i]; j < L->vadr[i] + L->size[i]; j++)
        size[j] += fabs(s->force_out[e].f[6*b + L->role[j]]);
    }
}
