/* solids/structure_nodes.c - section nodes: masses, springs, temperatures and initial velocities of nodes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/measures.h"
#include "solids/structure.h"

const tni_key tni_node_keys[TNI_NNODE_KEY] = {
    {.name = "group", .kind = TNI_KIND_NAME, .flags = TNI_REQUIRED,
     .doc = "Group of the mesh: nodes, or faces or cells, whose nodes are meant; `node 17` is the node of that number."},
    {.name = "structure", .kind = TNI_KIND_NAME, .initial = "the one whose mesh has the group",
     .doc = "Structure, where several have a group of this name."},
    {.name = "mass", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "kg",
     .doc = "Mass at every node of the group."},
    {.name = "inertia", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "kg m^2",
     .doc = "Moment of inertia about every axis, at nodes with rotations."},
    {.name = "stiffness", .kind = TNI_KIND_ANY, .unit = "N/m, N m/rad",
     .doc = "Springs of every node of the group, to the ground or to the node `to`: [x, y, z] or [x, y, z, rx, ry, rz]; one "
            "number: along the line to that node."},
    {.name = "damping", .kind = TNI_KIND_ANY, .unit = "N s/m, N m s/rad", .doc = "Dampers, written as `stiffness`."},
    {.name = "to", .kind = TNI_KIND_NAME, .initial = "the ground", .doc = "Group of one node at the other end of springs and dampers."},
    {.name = "temperature", .kind = TNI_KIND_EXPR, .unit = "K",
     .doc = "Above that of no strain: an expression of x, y, z (places at rest) and t. Of several the last one counts."},
    {.name = "velocity", .kind = TNI_KIND_VEC3, .unit = "m/s", .doc = "Initial velocity, in place of that of the structure."},
};

static const char *const XYZT[] = {"x", "y", "z", "t"};

static tn_status owner_is(tni_builder *b, const tni_item *item, const tni_part *part, bool *mine) {
  int owner;
  *mine = false;
  if (strcmp(item->section->name, "nodes") != 0) return TN_OK;
  TN_TRY(tni_structure_of(b, item, &owner));
  *mine = &b->model->part[owner] == part;
  return TN_OK;
}

/* number or list of three or six, none below 0; n: how many, 0: the key is not there */
static tn_status read_rates(tni_builder *b, const tni_item *item, const char *key, double out[6], int *n) {
  const tni_value *v = tni_item_get(item, key);
  *n = 0;
  if (!v) return TN_OK;
  bool list = v->form == TNI_LIST;
  if ((!list && v->form != TNI_NUMBER) || (list && v->n != 3 && v->n != 6 && v->n != 2))
    return tni_item_fail(b->ctx, item, key, "%s must be a number, [x, y, z] or [x, y, z, rx, ry, rz]", key);
  *n = list ? v->n : 1;
  for (int i = 0; i < *n; i++) {
    const tni_value *x = list ? &v->item[i] : v;
    if (x->form != TNI_NUMBER || !isfinite(x->number) || x->number < 0)
      return tni_place_fail(b->ctx, x->at, item, "%s must be numbers >= 0", key);
    out[i] = x->number;
  }
  return TN_OK;
}

/* a node that has nothing else gets displacements */
static void wake(const tni_structure *s, signed char *active, int node, int least) {
  int d = s->ndof < 3 ? s->ndof : 3;
  if (least > d) d = least;
  if (active[node] < d) active[node] = (signed char)d;
}

static tn_status add_spring(tni_builder *b, tni_structure *s, int *cap, const tni_node_spring *p) {
  void *items = s->spring;
  if (p->k == 0 && p->c == 0) return TN_OK;
  if (!tni_arena_grow(b->arena, &items, s->nspring, cap, sizeof(tni_node_spring))) return tni_out_of_memory(b->ctx);
  s->spring = items;
  s->spring[s->nspring++] = *p;
  return TN_OK;
}

static tn_status read_springs(tni_builder *b, const tni_item *item, tni_structure *s, signed char *active, int *cap, int n,
                              const int *node) {
  double k[6] = {0}, c[6] = {0};
  int nk, nc, nto = 0;
  const int *other = NULL;
  TN_TRY(read_rates(b, item, "stiffness", k, &nk));
  TN_TRY(read_rates(b, item, "damping", c, &nc));
  const char *to = tni_item_text(item, "to", NULL);
  if (nk == 0 && nc == 0)
    return to ? tni_item_fail(b->ctx, item, "to", "'to' belongs to 'stiffness' and 'damping'") : TN_OK;
  if (nk && nc && (nk == 1) != (nc == 1))
    return tni_item_fail(b->ctx, item, "damping", "stiffness and damping must both be numbers, or both lists");
  if (to) TN_TRY(tni_structure_group(b, item, s, to, &nto, &other));
  if (to && nto != 1) return tni_item_fail(b->ctx, item, "to", "group '%s' has %d nodes, must have 1", to, nto);
  bool line = nk == 1 || nc == 1;
  if (line && !to)
    return tni_item_fail(b->ctx, item, nk ? "stiffness" : "damping", "one number is a spring along a line and needs 'to'; to the ground "
                         "write [x, y, z]");
  int most = nk > nc ? nk : nc;
  for (int i = 0; i < n; i++) {
    if (to && node[i] == other[0]) continue;
    wake(s, active, node[i], 0);
    if (to) wake(s, active, other[0], 0);
    tni_node_spring p = {.node = {node[i], to ? other[0] : TNI_UNKNOWN_NONE}, .component = {-1, -1}, .k = k[0], .c = c[0]};
    if (line) {
      double d[3];
      vec3_sub(d, s->mesh->x + 3*(size_t)node[i], s->mesh->x + 3*(size_t)other[0]);
      if (!(vec3_norm(d) > 0))
        return tni_item_fail(b->ctx, item, "to", "node %lld is at the place of '%s': there is no line between them",
                             (long long)s->mesh->gid[node[i]], to);
      TN_TRY(add_spring(b, s, cap, &p));
      continue;
    }
    for (int m = 0; m < most; m++) {
      if (k[m] == 0 && c[m] == 0) continue;
      if (m >= active[node[i]] || (to && m >= active[other[0]])) {
        if (m == 2 && s->planar) return tni_item_fail(b->ctx, item, k[m] > 0 ? "stiffness" : "damping", "a planar model has no direction z; write 0 there");
        return tni_item_fail(b->ctx, item, "stiffness", "node %lld has no rotations", (long long)s->mesh->gid[node[i]]);
      }
      if (m >= 3 && s->large) return tni_item_fail(b->ctx, item, "stiffness", "springs of rotations are there for formulation: small");
      p.component[0] = p.component[1] = (signed char)m;
      p.k = k[m], p.c = c[m];
      TN_TRY(add_spring(b, s, cap, &p));
    }
  }
  return TN_OK;
}

static int compare_places(const void *a, const void *b) {
  const double *p = a, *q = b;
  for (int c = 0; c < 3; c++)
    if (p[c] != q[c]) return p[c] < q[c] ? -1 : 1;
  return 0;
}

/* Fronts and sources that travel come to every place at a time of its own: where the nodes are, as far as T depends on that. */
static tn_status note_places(tni_builder *b, const tni_structure *s, const tni_node_heat *h) {
  bool uses[3], any = false;
  double *place;
  for (int c = 0; c < 3; c++) uses[c] = tni_expr_uses(h->T, c), any = any || uses[c];
  if (h->steady || !any || h->n == 0) return TN_OK;
  TNI_ARENA_NEW(b->arena, place, 3*(size_t)h->n);
  for (int i = 0; i < h->n; i++)
    for (int c = 0; c < 3; c++) place[3*i + c] = uses[c] ? s->mesh->x[3*(size_t)h->node[i] + (size_t)c] : 0;
  qsort(place, (size_t)h->n, 3*sizeof(double), compare_places);
  int n = 1;
  for (int i = 1; i < h->n; i++)
    if (compare_places(place + 3*i, place + 3*(n - 1)) != 0) vec3_copy(place + 3*n++, place + 3*i);
  struct tni_timed *t = &b->model->timed[b->model->ntimed - 1];
  t->nplace = n;
  t->place = place;
  return TN_OK;
}

static tn_status read_heat(tni_builder *b, const tni_item *item, tni_structure *s, int n, const int *node, int *cap) {
  const tni_value *v = tni_item_get(item, "temperature");
  if (!v) return TN_OK;
  void *items = s->heating;
  if (!tni_arena_grow(b->arena, &items, s->nheat, cap, sizeof(tni_node_heat))) return tni_out_of_memory(b->ctx);
  s->heating = items;
  tni_node_heat *h = &s->heating[s->nheat++];
  *h = (tni_node_heat){.n = n, .node = node};
  TN_TRY(tni_build_expr(b, item, "temperature", v, XYZT, 4, &h->T));
  TN_TRY(tni_expr_derivative(b->arena, h->T, 3, &h->T_t));
  h->steady = !tni_expr_uses(h->T, 3); /* what jumps from one value to another has no rate either */
  return note_places(b, s, h);
}

tn_status tni_structure_nodes(tni_builder *b, const tni_part *part, tni_structure *s, signed char *active) {
  int spring_cap = 0, heat_cap = 0;
  for (int i = 0; i < b->spec->nitem; i++) {
    const tni_item *item = b->spec->item[i];
    bool mine;
    int n;
    const int *node;
    TN_TRY(owner_is(b, item, part, &mine));
    if (!mine) continue;
    static const char *const said[] = {"mass", "inertia", "stiffness", "damping", "temperature", "velocity"};
    bool any = false;
    for (int k = 0; k < TNI_COUNT(said); k++) any = any || tni_item_has(item, said[k]);
    if (!any) return tni_item_fail(b->ctx, item, NULL, "has no mass, inertia, stiffness, damping, temperature or velocity");
    TN_TRY(tni_structure_group(b, item, s, tni_item_text(item, "group", ""), &n, &node));
    double mass = tni_item_number(item, "mass", 0), inertia = tni_item_number(item, "inertia", 0);
    for (int k = 0; k < n && mass > 0; k++) {
      wake(s, active, node[k], 0);
      s->mass[node[k]] += mass;
      s->own_mass[node[k]] += mass;
      s->total_mass += mass;
    }
    for (int k = 0; k < n && inertia > 0; k++) {
      if (active[node[k]] < 6)
        return tni_item_fail(b->ctx, item, "inertia", "node %lld has no rotations", (long long)s->mesh->gid[node[k]]);
      s->turning[node[k]] += inertia;
      s->own_turning[node[k]] += inertia;
    }
    TN_TRY(read_springs(b, item, s, active, &spring_cap, n, node));
    TN_TRY(read_heat(b, item, s, n, node, &heat_cap));
  }
  return TN_OK;
}

tn_status tni_structure_velocities(tni_builder *b, const tni_part *part, const tni_structure *s, double *v0) {
  for (int i = 0; i < b->spec->nitem; i++) {
    const tni_item *item = b->spec->item[i];
    bool mine;
    int n;
    const int *node;
    double v[3];
    TN_TRY(owner_is(b, item, part, &mine));
    if (!mine || !tni_item_vec3(item, "velocity", v)) continue;
    TN_TRY(tni_structure_group(b, item, s, tni_item_text(item, "group", ""), &n, &node));
    for (int k = 0; k < n; k++) {
      if (s->carrier[node[k]] >= 0)
        return tni_item_fail(b->ctx, item, "velocity", "node %lld is held by a body: give the body the velocity",
                             (long long)s->mesh->gid[node[k]]);
      for (int c = 0; c < s->ndof && c < 3; c++) {
        int u = s->unknown[(size_t)node[k]*(size_t)s->ndof + (size_t)c];
        if (u >= 0) v0[u] = v[c];
        else if (s->follows && s->follows[(size_t)node[k]*(size_t)s->ndof + (size_t)c] && v[c] != 0)
          return tni_item_fail(b->ctx, item, "velocity", "node %lld follows others (couplings): give those the velocity",
                               (long long)s->mesh->gid[node[k]]);
      }
    }
  }
  return TN_OK;
}

/* ---- while it runs ------------------------------------------------------------------------------------ */

void tni_spring_eval(const tni_structure *s, const tni_node_spring *p, const double *u, const double *v, const double *x,
                     tni_spring_now *out) {
  size_t d = (size_t)s->ndof, a = (size_t)p->node[0], b = (size_t)p->node[1];
  double way = 0, speed = 0;
  memset(out, 0, sizeof(*out));
  if (p->component[0] >= 0) {
    size_t c = (size_t)p->component[0];
    out->S[0][c] = 1;
    way = u[a*d + c], speed = v[a*d + c];
    if (p->node[1] >= 0) {
      c = (size_t)p->component[1];
      out->S[1][c] = -1;
      way -= u[b*d + c], speed -= v[b*d + c];
    }
  } else {
    double D[3], L, du[3] = {0}, dv[3] = {0};
    vec3_sub(D, s->mesh->x + 3*b, s->mesh->x + 3*a);
    L = vec3_norm(D);
    for (size_t c = 0; c < d && c < 3; c++) du[c] = u[b*d + c] - u[a*d + c], dv[c] = v[b*d + c] - v[a*d + c];
    if (s->large) {
      vec3_sub(out->n, x + 3*b, x + 3*a);
      out->l = vec3_norm(out->n);
      /* l - L without the difference of large numbers */
      way = (2*vec3_dot(D, du) + vec3_dot(du, du))/(out->l + L);
      if (out->l > 0) vec3_scale(out->n, 1/out->l, out->n);
    } else {
      vec3_scale(out->n, 1/L, D);
      out->l = L;
      way = vec3_dot(out->n, du);
    }
    speed = vec3_dot(out->n, dv);
    vec3_copy(out->across, dv);
    vec3_addmul(out->across, -speed, out->n);
    for (int c = 0; c < 3; c++) out->S[0][c] = -out->n[c], out->S[1][c] = out->n[c];
  }
  out->f = p->k*way + p->c*speed;
  out->energy = 0.5*p->k*way*way;
  out->heat = p->c*speed*speed;
}

/* ---- places of forces ----------------------------------------------------------------------------- */

/* forces of elements that come together at a node, in the order of the elements */
tn_status tni_structure_list_places(tni_structure *s, tni_arena *arena) {
  size_t *adr, *at, *next;
  TNI_ARENA_NEW(arena, adr, s->nnode + 1);
  TNI_ARENA_NEW(arena, next, s->nnode + 1);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < s->nblock; k++) {
      const tni_structure_block *b = &s->block[k];
      int own = b->kind.type->ndof;
      for (int e = 0; e < b->n && !b->batched; e++)
        for (int a = 0; a < b->nnode; a++) {
          int node = b->node[(size_t)e*(size_t)b->nnode + (size_t)a];
          if (pass == 0) adr[node + 1]++;
          else
            at[next[node]++] = 8*(b->fe + (size_t)e*(size_t)b->nv + (size_t)(own*a)) + (size_t)own;
        }
    }
    if (pass) break;
    for (int i = 0; i < s->nnode; i++) adr[i+1] += adr[i];
    memcpy(next, adr, (size_t)s->nnode*sizeof(size_t));
    TNI_ARENA_NEW(arena, at, adr[s->nnode]);
  }
  s->in_adr = adr;
  s->in_at = at;
  return TN_OK;
}
