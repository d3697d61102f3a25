/* solids/structure_seams.c - the seams of a structure that is cut into domains (domains/seam.h)
 *
 * Faces of solids and edges of shells and plane cells that lie between two domains are seams. Nodes that domains share without such
 * a face (bars, beams, branches of shells) hang them together by themselves: a path from node to node in lattices, else forces of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "domains/seam.h"
#include "linsolve/lapack.h"
#include "mesh/skin.h"
#include "solids/structure.h"

enum { PATH_LEAST = 4 };

typedef struct { int a, b, dim, cell, face, matter; } between; /* a face between domains; dim 0: node = cell */

typedef struct {
  const tni_structure *s;
  const int *of_cell;
  tni_arena *arena;
  int ndomain;
  between *list;
  int n, room;
  int *from, *who;     /* domains of every node                         */
  int *kind;           /* [cells of the mesh] number of the material, -1 */
  int *place;          /* [nodes of the mesh] in the seam under way, -1  */
  const bool *alone;   /* [nodes of the mesh]                            */
  tni_seam *seam;
  int nseam;
} seams;

static int compare(const void *x, const void *y) {
  const between *p = x, *q = y;
  if (p->a != q->a) return p->a - q->a;
  if (p->b != q->b) return p->b - q->b;
  if (p->dim != q->dim) return p->dim - q->dim;
  return p->cell != q->cell ? p->cell - q->cell : p->face - q->face;
}

static tn_status push(seams *o, between what) {
  if (o->n == o->room) {
    int room = o->room ? 2*o->room : 256;
    between *more = tni_alloc(o->s->ctx, (size_t)room, sizeof(*more));
    if (!more) return tni_out_of_memory(o->s->ctx);
    if (o->n) memcpy(more, o->list, (size_t)o->n*sizeof(*more));
    tni_free(o->s->ctx, o->list);
    o->list = more;
    o->room = room;
  }
  o->list[o->n++] = what;
  return TN_OK;
}

/* ---- faces and edges between domains ------------------------------------------------------------------- */

static tn_status find_faces(seams *o, int dim) {
  const tni_mesh *m = o->s->mesh;
  tni_mesh_faces faces;
  tni_arena scratch;
  tni_arena_init(&scratch, o->s->ctx);
  tn_status st = tni_mesh_faces_create(m, dim, &scratch, &faces);
  for (int i = 0; i < faces.n && st == TN_OK; i++) {
    int c[2] = {faces.cell[i][0], faces.cell[i][1]};
    if (c[1] < 0 || o->kind[c[0]] < 0 || o->kind[c[1]] < 0) continue;
    int first = o->of_cell[c[0]] < o->of_cell[c[1]] ? 0 : 1, a = o->of_cell[c[first]], b = o->of_cell[c[1 - first]];
    if (a == b) continue;
    st = push(o, (between){a, b, dim - 1, c[first], faces.face[i][first], o->kind[c[first]]*o->s->nblock + o->kind[c[1 - first]]});
  }
  tni_arena_clear(&scratch);
  return st;
}

static tn_status share_nodes(seams *o) {
  const tni_structure *s = o->s;
  int *last;
  TNI_ARENA_NEW(o->arena, o->from, s->nnode + 2);
  TNI_ARENA_NEW(o->arena, last, s->nnode);
  tni_mesh_graph g;
  TN_TRY(tni_mesh_cells_of_nodes(s->mesh, o->arena, &g));
  TNI_ARENA_NEW(o->arena, o->who, g.from[s->nnode] + 1);
  int at = 0;
  for (int i = 0; i < s->nnode; i++) {
    o->from[i] = at;
    for (int k = g.from[i]; k < g.from[i + 1]; k++) {
      if (o->kind[g.to[k]] < 0) continue;
      int d = o->of_cell[g.to[k]], j = o->from[i];
      while (j < at && o->who[j] != d) j++;
      if (j == at) o->who[at++] = d;
    }
    for (int j = o->from[i] + 1; j < at; j++) /* ascending; they are few */
      for (int k = j; k > o->from[i] && o->who[k] < o->who[k-1]; k--) {
        int keep = o->who[k];
        o->who[k] = o->who[k-1];
        o->who[k-1] = keep;
      }
  }
  o->from[s->nnode] = at;
  return TN_OK;
}

/* nodes whose domains are not held together by the seams found so far */
static tn_status find_loose_nodes(seams *o) {
  const tni_structure *s = o->s;
  int nfaces = o->n, *root, total = o->from[s->nnode];
  root = tni_ints(s->ctx, (size_t)total + 1);
  if (!root) return tni_out_of_memory(s->ctx);
  for (int k = 0; k < total; k++) root[k] = k;
  for (int i = 0; i < nfaces; i++) {
    int node[TNI_CELL_MAXFACENODE], n = tni_mesh_face(s->mesh, o->list[i].cell, o->list[i].face, node)->nnode;
    for (int a = 0; a < n; a++) {
      int p = -1, q = -1;
      for (int k = o->from[node[a]]; k < o->from[node[a] + 1]; k++) {
        if (o->who[k] == o->list[i].a) p = k;
        if (o->who[k] == o->list[i].b) q = k;
      }
      if (p < 0 || q < 0) continue;
      while (root[p] != p) p = root[p];
      while (root[q] != q) q = root[q];
      root[p > q ? p : q] = p > q ? q : p;
    }
  }
  tn_status st = TN_OK;
  for (int i = 0; i < s->nnode && st == TN_OK; i++) {
    int before = -1;
    for (int k = o->from[i]; k < o->from[i + 1] && st == TN_OK; k++) {
      if (root[k] != k) continue;
      if (before >= 0) st = push(o, (between){o->who[before], o->who[k], 0, i, 0, 0});
      before = k;
    }
  }
  tni_free(s->ctx, root);
  return st;
}

/* ---- one seam ---------------------------------------------------------------------------------------------- */

/* nodes of a lattice along the axis in which they extend most */
static tn_status order_nodes(const tni_structure *s, int *node, int n) {
  double centre[3] = {0}, H[9] = {0}, value[3], work[64];
  for (int i = 0; i < n; i++) vec3_addmul(centre, 1.0/n, s->mesh->x + 3*(size_t)node[i]);
  for (int i = 0; i < n; i++) {
    double d[3];
    vec3_sub(d, s->mesh->x + 3*(size_t)node[i], centre);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) H[3*a + b] += d[a]*d[b];
  }
  TN_REQUIRE(s->ctx, tni_syev('V', 'L', 3, H, 3, value, work, TNI_COUNT(work)) == 0, TN_NOT_CONVERGED, "axes of a seam not found");
  for (int i = 1; i < n; i++) /* ties keep the order of the nodes */
    for (int k = i; k > 0; k--) {
      double d[3];
      vec3_sub(d, s->mesh->x + 3*(size_t)node[k], s->mesh->x + 3*(size_t)node[k-1]);
      if (vec3_dot(d, H + 6) >= 0) break;
      int keep = node[k];
      node[k] = node[k-1];
      node[k-1] = keep;
    }
  return TN_OK;
}

static tn_status make_seam(seams *o, const between *list, int n, bool lattice) {
  const tni_structure *s = o->s;
  tni_seam *out = &o->seam[o->nseam++];
  int dim = list->dim, nnode = 0, *nodes, *facet = NULL, *matter = NULL, *domains;
  tni_cell *cell = NULL;
  bool *alone;
  double *x;
  long long *number;
  TNI_ARENA_NEW(o->arena, nodes, n*(dim ? TNI_CELL_MAXFACENODE : 1) + 1);
  *out = (tni_seam){.domain = {list->a, list->b}, .nkind = s->ndof};
  if (dim == 0) {
    for (int i = 0; i < n; i++) nodes[nnode++] = list[i].cell;
    if (lattice && n >= PATH_LEAST) {
      TN_TRY(order_nodes(s, nodes, nnode));
      TNI_ARENA_NEW(o->arena, facet, n*TNI_CELL_MAXFACENODE);
      TNI_ARENA_NEW(o->arena, cell, n);
      out->path = true;
      out->nfacet = n - 1;
      for (int i = 0; i + 1 < n; i++) {
        cell[i] = TNI_CELL_LINE2;
        facet[i*TNI_CELL_MAXFACENODE] = i, facet[i*TNI_CELL_MAXFACENODE + 1] = i + 1;
      }
    }
  } else {
    TNI_ARENA_NEW(o->arena, facet, n*TNI_CELL_MAXFACENODE);
    TNI_ARENA_NEW(o->arena, cell, n);
    TNI_ARENA_NEW(o->arena, matter, n);
    out->nfacet = n;
    for (int i = 0; i < n; i++) {
      int node[TNI_CELL_MAXFACENODE];
      const tni_cell_shape *shape = tni_mesh_face(s->mesh, list[i].cell, list[i].face, node);
      cell[i] = (tni_cell)(shape - tni_cell_shapes);
      matter[i] = list[i].matter;
      for (int a = 0; a < shape->nnode; a++) {
        if (o->place[node[a]] < 0) o->place[node[a]] = nnode, nodes[nnode++] = node[a];
        facet[i*TNI_CELL_MAXFACENODE + a] = o->place[node[a]];
      }
    }
  }
  TNI_ARENA_NEW(o->arena, x, 3*nnode);
  TNI_ARENA_NEW(o->arena, number, nnode*s->ndof);
  TNI_ARENA_NEW(o->arena, domains, nnode);
  TNI_ARENA_NEW(o->arena, alone, nnode);
  for (int i = 0; i < nnode; i++) {
    int node = nodes[i];
    o->place[node] = -1;
    memcpy(x + 3*i, s->mesh->x + 3*(size_t)node, 3*sizeof(double));
    domains[i] = o->from[node + 1] - o->from[node];
    alone[i] = o->alone[node];
    for (int k = 0; k < s->ndof; k++) {
      int unknown = s->unknown[(size_t)node*(size_t)s->ndof + (size_t)k];
      number[i*s->ndof + k] = unknown >= 0 ? unknown : k < s->active[node] ? TNI_SEAM_HELD : TNI_SEAM_NONE;
    }
  }
  out->nnode = nnode;
  out->x = x;
  out->number = number;
  out->domains = domains;
  out->alone = alone;
  out->cell = cell;
  out->node = facet;
  out->matter = matter;
  return TN_OK;
}

/* nodes with forces of their own: forces on single nodes, and those of a group */
static tn_status mark_alone(seams *o, const char *group) {
  const tni_structure *s = o->s;
  bool *alone;
  TNI_ARENA_NEW(o->arena, alone, s->nnode);
  for (int i = 0; i < s->nload; i++)
    for (int k = 0; s->load[i].kind == TNI_LOAD_NODES && k < s->load[i].n; k++) alone[s->load[i].node[k]] = true;
  if (group) {
    int n;
    const int *node;
    TN_TRY(tni_mesh_group(s->mesh, group, o->arena, &n, &node));
    TN_REQUIRE(s->ctx, n >= 0, TN_ERR_INPUT, "multiplier_nodes: the mesh has no group '%s'", group);
    for (int i = 0; i < n; i++) alone[node[i]] = true;
  }
  o->alone = alone;
  return TN_OK;
}

static tn_status find_all(seams *o, const char *group) {
  const tni_structure *s = o->s;
  const tni_mesh *m = s->mesh;
  bool has[4] = {false};
  TNI_ARENA_NEW(o->arena, o->kind, m->ncell);
  TNI_ARENA_NEW(o->arena, o->place, s->nnode);
  for (int i = 0; i < s->nnode; i++) o->place[i] = -1;
  for (int i = 0; i < m->ncell; i++) o->kind[i] = -1;
  for (int b = 0; b < s->nblock; b++) {
    int same = 0;
    while (s->block[same].kind.matter != s->block[b].kind.matter) same++;
    for (int e = 0; e < s->block[b].n; e++) {
      const tni_cell_shape *shape;
      tni_mesh_nodes(m, s->block[b].cell[e], &shape);
      o->kind[s->block[b].cell[e]] = same;
      has[shape->dim] = true;
    }
  }
  TN_TRY(mark_alone(o, group));
  TN_TRY(share_nodes(o));
  if (has[3]) TN_TRY(find_faces(o, 3));
  if (has[2]) TN_TRY(find_faces(o, 2));
  TN_TRY(find_loose_nodes(o));
  qsort(o->list, (size_t)o->n, sizeof(*o->list), compare);
  TNI_ARENA_NEW(o->arena, o->seam, o->n + 1);
  for (int i = 0, j; i < o->n; i = j) {
    for (j = i + 1; j < o->n && o->list[j].a == o->list[i].a && o->list[j].b == o->list[i].b && o->list[j].dim == o->list[i].dim; j++) {}
    TN_TRY(make_seam(o, o->list + i, j - i, !has[2] && !has[3]));
  }
  return TN_OK;
}

tn_status tni_structure_seams(const tni_part *part, tni_arena *arena, const int *of_cell, int n, const char *group, tni_seam **out, int *nseam) {
  const tni_structure *s = part->data;
  seams o = {.s = s, .of_cell = of_cell, .arena = arena, .ndomain = n};
  tn_status st = find_all(&o, group);
  tni_free(s->ctx, o.list);
  *out = o.seam;
  *nseam = o.nseam;
  return st;
}
