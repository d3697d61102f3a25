/* mesh/quality.c - shapes of cells, nodes in one place, loose parts
 *
 * At a corner of a line, triangle, quadrilateral, tetrahedron, wedge or hexahedron as many edges meet as the cell has
 * dimensions. Their tangents t_k (of curved cells J times the edge in the reference cell) give det(t)/prod |t_k| over the same of
 * the perfect cell. Inside, columns of J are taken at the integration points.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/quality.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "mesh/places.h"
#include "mesh/skin.h"

/* dx/dr_k in g[k] */
static void jacobian(tni_cell c, const double (*x)[3], const double r[3], double g[3][3]) {
  const tni_cell_shape *s = tni_cell_of(c);
  double dN[TNI_CELL_MAXNODE][3];
  tni_cell_interpolate(c, r, NULL, dN);
  memset(g, 0, 9*sizeof(double));
  for (int a = 0; a < s->nnode; a++)
    for (int k = 0; k < s->dim; k++) vec3_addmul(g[k], dN[a][k], x[a]);
}

/* volume (dim 3) or area seen along n (dim 2) spanned by t, over the product of lengths; 0 where an edge has none */
static double scaled(int dim, double t[3][3], const double n[3]) {
  double across[3], size = 1;
  for (int k = 0; k < dim; k++) size *= vec3_norm(t[k]);
  if (!(size > 0) || !isfinite(size)) return 0;
  if (dim == 1) return 1;
  vec3_cross(across, t[0], t[1]);
  return vec3_dot(across, dim == 2 ? n : t[2])/size;
}

/* sine of the angle between edges of the perfect cell, times that to the third */
static double perfect(const tni_cell_shape *s) {
  if (s->dim == 2) return s->ncorner == 3 ? sqrt(0.75) : 1;
  if (s->dim == 3) return s->ncorner == 4 ? sqrt(0.5) : s->ncorner == 6 ? sqrt(0.75) : 1;
  return 1;
}

static double at_corner(tni_cell c, const double (*x)[3], int corner, const double n[3]) {
  const tni_cell_shape *s = tni_cell_of(c);
  const double (*ref)[3] = tni_cell_reference(c);
  double g[3][3], t[3][3], d[3][3] = {{0}};
  int m = 0;
  jacobian(c, x, ref[corner], g);
  for (int e = 0; e < s->nedge && m < s->dim; e++) {
    int other = s->edge[e][0] == corner ? s->edge[e][1] : s->edge[e][1] == corner ? s->edge[e][0] : -1;
    if (other < 0) continue;
    vec3_sub(d[m], ref[other], ref[corner]);
    vec3_set(t[m], 0, 0, 0);
    for (int k = 0; k < s->dim; k++) vec3_addmul(t[m], d[m][k], g[k]);
    m++;
  }
  /* edges may come in either order: that of the reference cell decides */
  double z[3] = {0, 0, 1}, side = s->dim == 1 ? 1 : scaled(s->dim, d, z);
  return (side < 0 ? -1 : 1)*scaled(s->dim, t, n)/perfect(s);
}

/* below: a plane mesh is seen from there */
static double cell_jacobian(const tni_mesh *m, int cell, bool below) {
  double x[TNI_CELL_MAXNODE][3], r[TNI_CELL_MAXRULE][3], w[TNI_CELL_MAXRULE], least = 1, g[3][3], n[3] = {0, 0, below ? -1 : 1};
  const tni_cell_shape *s = tni_mesh_places(m, cell, x);
  const double (*at)[3] = (const double (*)[3])x;
  tni_cell c = (tni_cell)(s - tni_cell_shapes);
  if (s->dim == 0) return 1;
  int np = tni_cell_rule(c, r, w);
  if (s->dim == 2 && m->dim == 3) { /* shells: seen along their mean normal */
    double sum[3] = {0}, across[3];
    for (int p = 0; p < np; p++) {
      jacobian(c, at, r[p], g);
      vec3_cross(across, g[0], g[1]);
      vec3_addmul(sum, w[p], across);
    }
    if (vec3_normalize(n, sum) == 0) return 0;
  }
  for (int a = 0; a < s->ncorner; a++) {
    double q = at_corner(c, at, a, n);
    if (q < least) least = q;
  }
  for (int p = 0; p < np; p++) {
    jacobian(c, at, r[p], g);
    double q = scaled(s->dim, g, n)/(s->ncorner == 4 && s->dim == 3 ? sqrt(0.5) : s->ncorner%3 == 0 ? sqrt(0.75) : 1);
    if (q < least) least = q;
  }
  return least;
}

double tni_mesh_cell_jacobian(const tni_mesh *m, int cell) { return cell_jacobian(m, cell, false); }

double tni_mesh_worst_jacobian(const tni_mesh *m, int *cell) {
  double least = 1;
  *cell = -1;
  for (int c = 0; c < m->ncell; c++) {
    double q = tni_mesh_cell_jacobian(m, c);
    if (*cell < 0 || q < least) {
      least = q;
      *cell = c;
    }
  }
  return least;
}

static double aspect(const tni_mesh *m, int cell) {
  double x[TNI_CELL_MAXNODE][3], longest = 0, shortest = 1e300;
  const tni_cell_shape *s = tni_mesh_places(m, cell, x);
  for (int e = 0; s->dim > 1 && e < s->nedge; e++) {
    double d[3];
    vec3_sub(d, x[s->edge[e][0]], x[s->edge[e][1]]);
    double l = vec3_norm(d);
    if (l > longest) longest = l;
    if (l < shortest) shortest = l;
  }
  return s->dim < 2 ? 1 : shortest > 0 ? longest/shortest : HUGE_VAL;
}

/* sorted into the list of the worst, which grows to its end */
static void keep_worst(tni_mesh_report *r, tn_gid gid, double q) {
  int at = r->nworst < TNI_REPORT_LIST ? r->nworst : TNI_REPORT_LIST - 1;
  if (r->nworst == TNI_REPORT_LIST && q >= r->worst_jacobian[at]) return;
  for (; at > 0 && r->worst_jacobian[at-1] > q; at--) {
    r->worst[at] = r->worst[at-1];
    r->worst_jacobian[at] = r->worst_jacobian[at-1];
  }
  r->worst[at] = gid;
  r->worst_jacobian[at] = q;
  if (r->nworst < TNI_REPORT_LIST) r->nworst++;
}

static void examine_cells(const tni_mesh *m, tni_mesh_report *r, char *used) {
  r->least_jacobian = 1;
  for (int c = 0; c < m->ncell; c++) {
    const tni_cell_shape *s;
    const int *node = tni_mesh_nodes(m, c, &s);
    tn_gid gid = tni_mesh_cell_gid(m, c);
    bool twice = false;
    for (int a = 0; a < s->nnode; a++) {
      used[node[a]] = 1;
      for (int b = 0; b < a; b++) twice = twice || node[a] == node[b];
    }
    if (twice) {
      if (r->ncollapsed < TNI_REPORT_LIST) r->collapsed[r->ncollapsed] = gid;
      r->ncollapsed++;
    }
    double size = tni_mesh_measure(m, c);
    if (s->dim == 1) r->length += size;
    if (s->dim == 2) r->area += fabs(size);
    if (s->dim == 3) r->volume += size;
    bool clockwise = m->dim == 2 && s->dim == 2 && size < 0;
    double q = cell_jacobian(m, c, clockwise), slender = aspect(m, c);
    if (clockwise && r->nclockwise++ < TNI_REPORT_LIST) r->clockwise[r->nclockwise-1] = gid;
    if (s->dim == 1 && q == 0) {
      if (r->nshort < TNI_REPORT_LIST) r->without_length[r->nshort] = gid;
      r->nshort++;
      continue;
    }
    if (q < r->least_jacobian) r->least_jacobian = q;
    if (!(q > 0)) r->ninverted++;
    else if (q < TNI_POOR_JACOBIAN) r->npoor++;
    if (!(q >= TNI_POOR_JACOBIAN)) keep_worst(r, gid, q);
    if (slender > TNI_POOR_ASPECT) r->nslender++;
    if (slender > r->largest_aspect) {
      r->largest_aspect = slender;
      r->largest_aspect_cell = gid;
    }
  }
}

static tn_status examine_places(const tni_mesh *m, tni_arena *work, tni_mesh_report *r) {
  tni_places places;
  double low[3];
  TN_TRY(tni_places_create(work, m->x, m->nnode, 1e-9*tni_places_extent(m->x, m->nnode, low), &places));
  for (int i = 0; i < m->nnode; i++) {
    int twin = tni_places_near(&places, i);
    if (twin < 0) {
      tni_places_enter(&places, i); /* the first stays for the others: one entry per place */
      continue;
    }
    if (r->nduplicate < TNI_REPORT_LIST) {
      r->duplicate[r->nduplicate][0] = m->gid[twin];
      r->duplicate[r->nduplicate][1] = m->gid[i];
    }
    r->nduplicate++;
  }
  return TN_OK;
}

static tn_status examine_parts(const tni_mesh *m, tni_arena *work, tni_mesh_report *r) {
  int *component, *size, *first;
  TNI_ARENA_NEW(work, component, m->ncell);
  TN_TRY(tni_mesh_components(m, work, component, &r->npart));
  TNI_ARENA_NEW(work, size, r->npart);
  TNI_ARENA_NEW(work, first, r->npart);
  for (int c = m->ncell - 1; c >= 0; c--) {
    size[component[c]]++;
    first[component[c]] = c;
  }
  for (int k = 0; k < TNI_REPORT_LIST && k < r->npart; k++) {
    int best = 0;
    for (int i = 1; i < r->npart; i++)
      if (size[i] > size[best]) best = i;
    r->part_cells[k] = size[best];
    r->part_cell[k] = tni_mesh_cell_gid(m, first[best]);
    size[best] = -1;
  }
  tni_mesh_faces faces;
  TN_TRY(tni_mesh_faces_create(m, 3, work, &faces));
  for (int i = 0; i < faces.n; i++) {
    if (faces.count[i] <= 2) continue;
    if (r->nbranching < TNI_REPORT_LIST) r->branching[r->nbranching] = tni_mesh_cell_gid(m, faces.cell[i][0]);
    r->nbranching++;
  }
  return TN_OK;
}

tn_status tni_mesh_examine(const tni_mesh *m, tni_mesh_report *out) {
  *out = (tni_mesh_report){.nnode = m->nnode, .ncell = m->ncell};
  tni_arena work;
  tni_arena_init(&work, m->ctx);
  char *used = tni_arena_alloc(&work, (size_t)m->nnode, 1);
  tn_status st = used ? TN_OK : tni_out_of_memory(m->ctx);
  if (st == TN_OK) {
    examine_cells(m, out, used);
    for (int i = 0; i < m->nnode; i++) {
      if (used[i]) continue;
      if (out->nunused < TNI_REPORT_LIST) out->unused[out->nunused] = m->gid[i];
      out->nunused++;
    }
    st = examine_places(m, &work, out);
  }
  if (st == TN_OK) st = examine_parts(m, &work, out);
  tni_arena_clear(&work);
  return st;
}

static void list(tni_text *text, const tn_gid *gid, int n) {
  for (int i = 0; i < n && i < TNI_REPORT_LIST; i++) tni_text_add(text, "%s%lld", i ? ", " : " ", (long long)gid[i]);
  tni_text_add(text, n > TNI_REPORT_LIST ? ", ...\n" : "\n");
}

static const char *s(int n) { return n == 1 ? "" : "s"; }

void tni_mesh_report_text(const tni_mesh_report *r, tni_text *text) {
  int bad = r->ninverted + r->npoor;
  if (r->ninverted) {
    tni_text_add(text, "%d cell%s turned inside out or flat:", r->ninverted, s(r->ninverted));
    list(text, r->worst, r->ninverted);
  }
  if (r->npoor) {
    tni_text_add(text, "%d cell%s of poor shape (scaled jacobian below %g, least %.3g)", r->npoor, s(r->npoor), TNI_POOR_JACOBIAN,
                 r->ninverted ? 0 : r->least_jacobian);
    int from = r->ninverted < TNI_REPORT_LIST ? r->ninverted : TNI_REPORT_LIST;
    if (from < r->nworst) {
      tni_text_add(text, ":");
      list(text, r->worst + from, r->nworst - from + (bad > TNI_REPORT_LIST ? TNI_REPORT_LIST : 0));
    } else {
      tni_text_add(text, "\n");
    }
  }
  if (r->nclockwise) {
    tni_text_add(text, "%d plane cell%s clockwise, which only shells may be:", r->nclockwise, s(r->nclockwise));
    list(text, r->clockwise, r->nclockwise);
  }
  if (r->nshort) {
    tni_text_add(text, "%d line%s of no length:", r->nshort, s(r->nshort));
    list(text, r->without_length, r->nshort);
  }
  if (r->nslender)
    tni_text_add(text, "%d slender cell%s: longest edge over shortest above %g, largest %.3g in cell %lld\n", r->nslender, s(r->nslender),
                 TNI_POOR_ASPECT, r->largest_aspect, (long long)r->largest_aspect_cell);
  if (r->ncollapsed) {
    tni_text_add(text, "%d cell%s with a node twice:", r->ncollapsed, s(r->ncollapsed));
    list(text, r->collapsed, r->ncollapsed);
  }
  if (r->npart > 1) {
    tni_text_add(text, "%d parts that share no node:", r->npart);
    for (int i = 0; i < r->npart && i < TNI_REPORT_LIST; i++)
      tni_text_add(text, "%s %d cell%s with cell %lld", i ? "," : "", r->part_cells[i], s(r->part_cells[i]), (long long)r->part_cell[i]);
    tni_text_add(text, r->npart > TNI_REPORT_LIST ? ", ...\n" : "\n");
  }
  if (r->nduplicate) {
    tni_text_add(text, "%d node%s in the place of another:", r->nduplicate, s(r->nduplicate));
    for (int i = 0; i < r->nduplicate && i < TNI_REPORT_LIST; i++)
      tni_text_add(text, "%s%lld and %lld", i ? ", " : " ", (long long)r->duplicate[i][0], (long long)r->duplicate[i][1]);
    tni_text_add(text, r->nduplicate > TNI_REPORT_LIST ? ", ...\n" : "\n");
  }
  if (r->nunused) {
    tni_text_add(text, "%d node%s of no cell:", r->nunused, s(r->nunused));
    list(text, r->unused, r->nunused);
  }
  if (r->nbranching) {
    tni_text_add(text, "%d face%s shared by more than two solids, at cells:", r->nbranching, s(r->nbranching));
    list(text, r->branching, r->nbranching);
  }
}
