/* topology/tree.c - see tree.h
 *
 * Prim's algorithm with a binary heap of candidate edges, O(njoint log njoint), then a depth-first
 * numbering in which every subtree is a range of links.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "topology/tree.h"

#include <stdlib.h>

/* how far a frame may be from the plane of a planar model and still count as lying in it */
static const double plane_tol = 1e-9;

int tni_mobilizer_dof(tni_mobilizer m) {
  switch (m) {
    case TNI_MOBIL_REVOLUTE:
    case TNI_MOBIL_PRISMATIC:
    case TNI_MOBIL_SCREW: return 1;
    case TNI_MOBIL_CYLINDER:
    case TNI_MOBIL_UNIVERSAL:
    case TNI_MOBIL_POINT2: return 2;
    case TNI_MOBIL_POINT:
    case TNI_MOBIL_SPHERICAL:
    case TNI_MOBIL_PLANAR: return 3;
    case TNI_MOBIL_FREE: return 6;
    default: return 0;
  }
}

int tni_mobilizer_ncoord(tni_mobilizer m) {
  bool quaternion = m == TNI_MOBIL_SPHERICAL || m == TNI_MOBIL_FREE;
  return tni_mobilizer_dof(m) + (quaternion ? 1 : 0);
}

/* What a planar model leaves of a joint: its axis is normal to the plane, in it, or neither. Joints
 * that leave a motion without a mobilizer of its own are cut. */
static tni_mobilizer in_plane(const tni_joint *joint) {
  double z0 = fabs(joint->frame[0].R[8]), z1 = fabs(joint->frame[1].R[8]);
  bool normal = fabs(z0 - 1) < plane_tol && fabs(z1 - 1) < plane_tol;
  bool inside = z0 < plane_tol && z1 < plane_tol;
  switch (joint->mobilizer) {
    case TNI_MOBIL_FIXED:
    case TNI_MOBIL_SPHERICAL: return joint->mobilizer;
    case TNI_MOBIL_REVOLUTE:
      return normal ? TNI_MOBIL_REVOLUTE : inside ? TNI_MOBIL_FIXED : TNI_MOBIL_NONE;
    case TNI_MOBIL_PRISMATIC:
      return inside ? TNI_MOBIL_PRISMATIC : normal ? TNI_MOBIL_FIXED : TNI_MOBIL_NONE;
    case TNI_MOBIL_CYLINDER:
      return normal ? TNI_MOBIL_REVOLUTE : inside ? TNI_MOBIL_PRISMATIC : TNI_MOBIL_NONE;
    case TNI_MOBIL_PLANAR: return normal ? TNI_MOBIL_PLANAR : TNI_MOBIL_NONE;
    default: return TNI_MOBIL_NONE;
  }
}

/* mobilizer of a joint as an edge of the tree, NONE when it cannot be one */
static tni_mobilizer edge_kind(const tn_model *model, const tni_joint *joint) {
  if (joint->cut || joint->is_drive || joint->body[0] == joint->body[1]) return TNI_MOBIL_NONE;
  if (joint->mobilizer == TNI_MOBIL_FREE) return TNI_MOBIL_NONE; /* carries nothing */
  return model->planar ? in_plane(joint) : joint->mobilizer;
}

/* weight of an edge: a ball joint is a hinge in the plane */
static int edge_dof(const tn_model *model, tni_mobilizer kind) {
  return model->planar && kind == TNI_MOBIL_SPHERICAL ? 1 : tni_mobilizer_dof(kind);
}

/* candidate edge: joint that leads from the tree to body */
typedef struct edge {
  int dof, depth, joint, body;
} edge;

static bool edge_before(const edge *a, const edge *b) {
  if (a->dof != b->dof) return a->dof < b->dof;
  if (a->depth != b->depth) return a->depth < b->depth;
  return a->joint < b->joint;
}

static void heap_push(edge *heap, int *n, edge e) {
  int i = (*n)++;
  while (i > 0 && edge_before(&e, &heap[(i - 1)/2])) {
    heap[i] = heap[(i - 1)/2];
    i = (i - 1)/2;
  }
  heap[i] = e;
}

static edge heap_pop(edge *heap, int *n) {
  edge top = heap[0], last = heap[--*n];
  int i = 0;
  for (;;) {
    int c = 2*i + 1;
    if (c >= *n) break;
    if (c + 1 < *n && edge_before(&heap[c + 1], &heap[c])) c++;
    if (!edge_before(&heap[c], &last)) break;
    heap[i] = heap[c];
    i = c;
  }
  heap[i] = last;
  return top;
}

/* candidate for a free joint */
typedef struct root {
  int degree, body;
  double mass;
} root;

static int root_order(const void *pa, const void *pb) {
  const root *a = pa, *b = pb;
  if (a->degree != b->degree) return a->degree > b->degree ? -1 : 1;
  if (a->mass != b->mass) return a->mass > b->mass ? -1 : 1;
  return a->body - b->body;
}

/* working arrays; vertex 0 is the ground, body b is vertex b + 1 */
typedef struct work {
  const tn_model *model;
  tni_mobilizer *kind; /* [njoint]                                     */
  int *adr, *adj;      /* joints at a vertex                           */
  int *inboard;        /* [nbody+1] vertex, -1 while not in the tree   */
  int *joint;          /* [nbody+1] joint that carries it, -1 free     */
  int *depth;
  edge *heap;
  root *root;
  int *first, *next;   /* children lists of the vertices               */
  int *stack;
} work;

static tn_status work_create(const tn_model *model, tni_arena *arena, work *w) {
  int nj = model->njoint, nver = model->nbody + 1;
  w->model = model;
  TNI_ARENA_NEW(arena, w->kind, nj);
  TNI_ARENA_NEW(arena, w->adr, nver + 1);
  TNI_ARENA_NEW(arena, w->adj, 2*nj);
  TNI_ARENA_NEW(arena, w->inboard, nver);
  TNI_ARENA_NEW(arena, w->joint, nver);
  TNI_ARENA_NEW(arena, w->depth, nver);
  TNI_ARENA_NEW(arena, w->heap, 2*nj + 1);
  TNI_ARENA_NEW(arena, w->root, nver);
  TNI_ARENA_NEW(arena, w->first, nver);
  TNI_ARENA_NEW(arena, w->next, nver);
  TNI_ARENA_NEW(arena, w->stack, nver);

  for (int j = 0; j < nj; j++) {
    const tni_joint *joint = &model->joint[j];
    w->kind[j] = edge_kind(model, joint);
    if (w->kind[j] == TNI_MOBIL_NONE) continue;
    for (int k = 0; k < 2; k++) w->adr[joint->body[k] + 2]++;
  }
  for (int v = 0; v < nver; v++) w->adr[v + 1] += w->adr[v];
  int *fill = w->stack;
  memcpy(fill, w->adr, (size_t)nver*sizeof(int));
  for (int j = 0; j < nj; j++) {
    if (w->kind[j] == TNI_MOBIL_NONE) continue;
    for (int k = 0; k < 2; k++) w->adj[fill[model->joint[j].body[k] + 1]++] = j;
  }
  return TN_OK;
}

/* add a vertex to the tree and its edges to the candidates */
static void reach(work *w, int vertex, int inboard, int joint, int *nheap) {
  w->inboard[vertex] = inboard;
  w->joint[vertex] = joint;
  w->depth[vertex] = vertex == 0 ? 0 : w->depth[inboard] + 1;
  for (int a = w->adr[vertex]; a < w->adr[vertex + 1]; a++) {
    const tni_joint *edge_joint = &w->model->joint[w->adj[a]];
    int other = edge_joint->body[edge_joint->body[0] + 1 == vertex ? 1 : 0];
    if (w->inboard[other + 1] >= 0) continue;
    edge e = {edge_dof(w->model, w->kind[w->adj[a]]), w->depth[vertex], w->adj[a], other};
    heap_push(w->heap, nheap, e);
  }
}

static void grow(work *w, int *nheap) {
  while (*nheap > 0) {
    edge e = heap_pop(w->heap, nheap);
    if (w->inboard[e.body + 1] >= 0) continue;
    const tni_joint *joint = &w->model->joint[e.joint];
    int from = joint->body[joint->body[0] == e.body ? 1 : 0];
    reach(w, e.body + 1, from + 1, e.joint, nheap);
  }
}

static void span(work *w, tni_tree *tree) {
  int nb = w->model->nbody, nheap = 0;
  for (int v = 0; v <= nb; v++) w->inboard[v] = -1;
  reach(w, 0, 0, -1, &nheap);
  grow(w, &nheap);
  int nroot = 0;
  for (int b = 0; b < nb; b++) {
    if (w->inboard[b + 1] >= 0) continue;
    w->root[nroot++] = (root){w->adr[b + 2] - w->adr[b + 1], b, w->model->body[b].mass};
  }
  if (nroot > 0) qsort(w->root, (size_t)nroot, sizeof(root), root_order);
  for (int i = 0; i < nroot; i++) {
    int vertex = w->root[i].body + 1;
    if (w->inboard[vertex] >= 0) continue;
    reach(w, vertex, 0, -1, &nheap);
    grow(w, &nheap);
    tree->nfree++;
  }
}

/* frames of the link of a body, seen from its inboard side */
static void set_frames(const work *w, tni_link *link) {
  const tn_model *model = w->model;
  if (link->joint < 0) {
    bool turns = tni_node_turns(model->body[link->body].kind);
    link->mobilizer = model->planar ? (turns ? TNI_MOBIL_PLANAR : TNI_MOBIL_POINT2)
                                    : (turns ? TNI_MOBIL_FREE : TNI_MOBIL_POINT);
    for (int k = 0; k < 2; k++) mat3_identity(link->frame[k].R);
    return;
  }
  const tni_joint *joint = &model->joint[link->joint];
  link->mobilizer = w->kind[link->joint];
  link->pitch = joint->pitch;
  link->reversed = joint->body[0] == link->body;
  link->frame[0] = joint->frame[link->reversed ? 1 : 0];
  link->frame[1] = joint->frame[link->reversed ? 0 : 1];
  if (model->planar && link->mobilizer == TNI_MOBIL_SPHERICAL) {
    link->mobilizer = TNI_MOBIL_REVOLUTE; /* about the normal of the plane, which all bodies share */
    for (int k = 0; k < 2; k++) mat3_identity(link->frame[k].R);
  }
}

/* depth-first numbers; children in the order of the model's bodies */
static void number(work *w, tni_tree *tree) {
  int nb = w->model->nbody, top = 0, n = 0;
  for (int v = 0; v <= nb; v++) w->first[v] = -1;
  for (int v = 1; v <= nb; v++) { /* lists fall, so that the stack gives the lowest first */
    w->next[v] = w->first[w->inboard[v]];
    w->first[w->inboard[v]] = v;
  }
  for (int v = w->first[0]; v >= 0; v = w->next[v]) w->stack[top++] = v;
  while (top > 0) {
    int vertex = w->stack[--top];
    tni_link *link = &tree->link[n];
    link->body = vertex - 1;
    link->parent = w->inboard[vertex] == 0 ? TNI_GROUND : tree->of_body[w->inboard[vertex] - 1];
    link->depth = w->depth[vertex];
    link->joint = w->joint[vertex];
    set_frames(w, link);
    tree->of_body[vertex - 1] = n++;
    tree->nv += tni_mobilizer_dof(link->mobilizer);
    if (link->depth > tree->depth) tree->depth = link->depth;
    for (int v = w->first[vertex]; v >= 0; v = w->next[v]) w->stack[top++] = v;
  }
  for (int k = n - 1; k >= 0; k--) {
    tni_link *link = &tree->link[k];
    if (link->end < k + 1) link->end = k + 1;
    if (link->parent >= 0 && tree->link[link->parent].end < link->end)
      tree->link[link->parent].end = link->end;
  }
}

static int find_set(int *set, int v) {
  while (set[v] != v) v = set[v] = set[set[v]];
  return v;
}

/* joints that join vertices which are already connected close one loop each */
static int count_loops(const tn_model *model, int *set) {
  int nloop = 0;
  for (int v = 0; v <= model->nbody; v++) set[v] = v;
  for (int j = 0; j < model->njoint; j++) {
    const tni_joint *joint = &model->joint[j];
    if (joint->is_drive || joint->ncon == 0 || joint->body[0] == joint->body[1]) continue;
    int a = find_set(set, joint->body[0] + 1), b = find_set(set, joint->body[1] + 1);
    if (a == b)
      nloop++;
    else
      set[a] = b;
  }
  return nloop;
}

tn_status tni_tree_build(const tn_model *model, tni_arena *arena, tni_tree *out) {
  tni_tree tree = {.nlink = model->nbody};
  work w = {0};
  TNI_ARENA_NEW(arena, tree.link, model->nbody);
  TNI_ARENA_NEW(arena, tree.of_body, model->nbody);
  TNI_ARENA_NEW(arena, tree.cut, model->njoint);
  tni_arena scratch;
  tni_arena_init(&scratch, arena->ctx);
  tn_status status = work_create(model, &scratch, &w);
  if (status == TN_OK) {
    span(&w, &tree);
    number(&w, &tree);
    bool *in_tree = tni_arena_alloc(&scratch, (size_t)model->njoint, sizeof(bool));
    if (in_tree) {
      for (int k = 0; k < tree.nlink; k++)
        if (tree.link[k].joint >= 0) in_tree[tree.link[k].joint] = true;
      for (int j = 0; j < model->njoint; j++)
        if (!in_tree[j]) tree.cut[tree.ncut++] = j;
      tree.nloop = count_loops(model, w.stack);
      *out = tree;
    } else {
      status = tni_out_of_memory(arena->ctx);
    }
  }
  tni_arena_clear(&scratch);
  return status;
}
