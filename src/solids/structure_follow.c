/* solids/structure_follow.c - section couplings: components of nodes that follow others, by elimination
 *
 *   sum a_i u_i = g(t)          equations, the first free component follows
 *   u_i = u_r + w x (X_i - X_r)  rigid groups (small rotations), w the rotation of node r
 *   u_i = sum N_a(P) u_a        ties: P the foot of node i on a face of the other side
 *
 * Equations are taken in the order of the file. What follows already is replaced in the next one, so that neither order nor
 * circles matter; an equation that has nothing free left either says what the others say, or cannot hold and is refused. In
 * the end followers depend on unknown and prescribed components only: u = B u(leaders) + functions of time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/measures.h"
#include "solids/shape.h"
#include "solids/structure.h"

const tni_key tni_coupling_keys[TNI_NCOUPLING_KEY] = {
    {.name = "structure", .kind = TNI_KIND_NAME, .initial = "the only one", .doc = "Structure, where there are several."},
    {.name = "equation", .kind = TNI_KIND_ANY,
     .doc = "[[group, component, factor], ...]: the sum of factors times displacements is `value`. The first group may have many "
            "nodes, each for itself; the others have one. The first component that is free follows the others."},
    {.name = "value", .kind = TNI_KIND_EXPR, .unit = "m, rad", .initial = "0",
     .doc = "Right side of `equation`: an expression of t."},
    {.name = "rigid", .kind = TNI_KIND_NAME,
     .doc = "Group of nodes that moves with the node `to` as a rigid body; small rotations. For large ones hold the nodes by a body "
            "(`hold` of the structure)."},
    {.name = "tie", .kind = TNI_KIND_NAME, .doc = "Group of nodes that stay where they are on the faces `to`; meshes need not match."},
    {.name = "to", .kind = TNI_KIND_NAME, .doc = "Rigid: group of one node, which gets rotations. Tie: group of faces."},
    {.name = "tolerance", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL, .unit = "m",
     .initial = "a twentieth of the face", .doc = "Tie: how far from its face a node may be."},
};

static const char *const T_NAME[] = {"t"};
static const double NOTHING = 1e-9; /* of the largest factor of an equation: rounding */

typedef struct {
  int key; /* node times ndof plus component */
  double a;
} term;

typedef struct {
  const tni_expr *x[3]; /* and its derivatives */
  double a;
} gift;

/* u(key) = sum of terms + sum of gifts */
typedef struct {
  int key, nterm, ngift;
  term *term;
  gift *gift;
  const tni_item *item;
} rule;

typedef struct {
  tni_builder *b;
  const tni_item *item;
  tni_structure *s;
  tni_arena scratch;
  int *rule_of;         /* [nnode ndof] number of its rule, -1 */
  int *motion_of;       /* [nnode ndof] number in s->motion, -1 */
  double *sum;          /* [nnode ndof] equation being worked on */
  signed char *listed;  /* [nnode ndof] */
  int nlist, list_cap, *list;
  int ngift, gift_cap;
  gift *gift;
  int nrule, rule_cap;
  rule *rule;
} solver;

static const char *const COMPONENT[6] = {"x", "y", "z", "rx", "ry", "rz"};

static bool is_coupling(const tni_item *item) { return strcmp(item->section->name, "couplings") == 0; }

bool tni_couplings_turn(const tni_builder *b) {
  for (int i = 0; i < b->spec->nitem; i++)
    if (is_coupling(b->spec->item[i]) && tni_item_has(b->spec->item[i], "rigid")) return true;
  return false;
}

/* ---- one equation ----------------------------------------------------------------------------------- */

static bool add_term(solver *v, int key, double a) {
  if (!v->listed[key]) {
    void *items = v->list;
    if (!tni_arena_grow(&v->scratch, &items, v->nlist, &v->list_cap, sizeof(int))) return false;
    v->list = items;
    v->list[v->nlist++] = key;
    v->listed[key] = 1;
  }
  v->sum[key] += a;
  return true;
}

static bool add_gift(solver *v, const tni_expr *const x[3], double a) {
  void *items = v->gift;
  if (!tni_arena_grow(&v->scratch, &items, v->ngift, &v->gift_cap, sizeof(gift))) return false;
  v->gift = items;
  v->gift[v->ngift++] = (gift){{x[0], x[1], x[2]}, a};
  return true;
}

static void begin_equation(solver *v) {
  for (int i = 0; i < v->nlist; i++) v->listed[v->list[i]] = 0, v->sum[v->list[i]] = 0;
  v->nlist = v->ngift = 0;
}

/* what follows is replaced; rules made later may come in, never earlier ones, so that this ends */
static bool substitute(solver *v) {
  for (int i = 0; i < v->nlist; i++) {
    int key = v->list[i], k = v->rule_of[key];
    double a = v->sum[key];
    if (k < 0) continue;
    v->sum[key] = 0;
    v->listed[key] = 0;
    v->list[i--] = v->list[--v->nlist];
    if (a == 0) continue;
    const rule *r = &v->rule[k];
    for (int j = 0; j < r->nterm; j++)
      if (!add_term(v, r->term[j].key, a*r->term[j].a)) return false;
    for (int j = 0; j < r->ngift; j++)
      if (!add_gift(v, r->gift[j].x, a*r->gift[j].a)) return false;
  }
  return true;
}

static tn_status keep_rule(solver *v, int key) {
  void *items = v->rule;
  if (!tni_arena_grow(&v->scratch, &items, v->nrule, &v->rule_cap, sizeof(rule))) return tni_out_of_memory(v->b->ctx);
  v->rule = items;
  rule *r = &v->rule[v->nrule];
  *r = (rule){.key = key, .item = v->item, .ngift = v->ngift};
  r->term = tni_arena_alloc(&v->scratch, (size_t)v->nlist + 1, sizeof(term));
  r->gift = tni_arena_alloc(&v->scratch, (size_t)v->ngift + 1, sizeof(gift));
  if (!r->term || !r->gift) return tni_out_of_memory(v->b->ctx);
  double a = v->sum[key], most = 0;
  for (int i = 0; i < v->nlist; i++) most = fmax(most, fabs(v->sum[v->list[i]]));
  for (int i = 0; i < v->nlist; i++)
    if (v->list[i] != key && fabs(v->sum[v->list[i]]) > 1e-14*most)
      r->term[r->nterm++] = (term){v->list[i], -v->sum[v->list[i]]/a};
  for (int i = 0; i < v->ngift; i++) {
    r->gift[i] = v->gift[i];
    r->gift[i].a *= -1/a;
  }
  v->rule_of[key] = v->nrule++;
  v->s->unknown[key] = TNI_UNKNOWN_NONE;
  return TN_OK;
}

/* is what is left of an equation, prescribed motions and functions of time, zero at all times? */
static bool holds_anyway(const solver *v) {
  static const double when[] = {0, 0.37, 1, 2.61, 17.3};
  for (int k = 0; k < TNI_COUNT(when); k++) {
    double t = when[k], sum = 0, size = 0;
    for (int i = 0; i < v->nlist; i++) {
      int m = v->motion_of[v->list[i]];
      double x = m >= 0 && v->s->motion[m].x[0] ? v->sum[v->list[i]]*tni_expr_eval(v->s->motion[m].x[0], &t) : 0;
      sum += x, size += fabs(x);
    }
    for (int i = 0; i < v->ngift; i++) {
      double x = v->gift[i].a*tni_expr_eval(v->gift[i].x[0], &t);
      sum += x, size += fabs(x);
    }
    if (!(fabs(sum) <= NOTHING*size)) return false;
  }
  return true;
}

/* sum of terms + gifts = 0, `first` follows if it can */
static tn_status close_equation(solver *v, int first) {
  tni_structure *s = v->s;
  int d = s->ndof, best = -1;
  double most = 0, largest = 0;
  for (int i = 0; i < v->nlist; i++) most = fmax(most, fabs(v->sum[v->list[i]]));
  if (!substitute(v)) return tni_out_of_memory(v->b->ctx);
  for (int i = 0; i < v->nlist; i++) {
    int key = v->list[i], node = key/d;
    if (s->carrier[node] >= 0)
      return tni_item_fail(v->b->ctx, v->item, NULL, "node %lld is held by a body, whose turns are not small: couple the body "
                           "instead", (long long)s->mesh->gid[node]);
    bool free = s->carrier[node] == TNI_NOT_CARRIED && v->motion_of[key] < 0;
    if (!free || !(fabs(v->sum[key]) > NOTHING*most)) continue;
    if (key == first) {
      best = key;
      break;
    }
    if (fabs(v->sum[key]) > largest || (fabs(v->sum[key]) == largest && key < best)) largest = fabs(v->sum[key]), best = key;
  }
  if (best >= 0) return keep_rule(v, best);
  if (holds_anyway(v)) return TN_OK;
  return tni_item_fail(v->b->ctx, v->item, NULL, "it cannot hold at node %lld, %s: all that it couples is prescribed or follows "
                       "others already", (long long)s->mesh->gid[first/d], COMPONENT[first % d]);
}

/* ---- what the file may say ---------------------------------------------------------------------------- */

static tn_status read_equation(solver *v) {
  tni_builder *b = v->b;
  const tni_item *item = v->item;
  tni_structure *s = v->s;
  const tni_value *list = tni_item_get(item, "equation"), *value = tni_item_get(item, "value");
  const tni_expr *g[3] = {NULL};
  if (list->form != TNI_LIST || list->n == 0)
    return tni_item_fail(b->ctx, item, "equation", "equation must be a list of [group, component, factor]");
  if (value) {
    TN_TRY(tni_build_expr(b, item, "value", value, T_NAME, 1, &g[0]));
    TN_TRY(tni_expr_derivative(b->arena, g[0], 0, &g[1]));
    TN_TRY(tni_expr_derivative(b->arena, g[1], 0, &g[2]));
    if (!tni_expr_uses(g[0], 0)) g[1] = g[2] = NULL;
  }
  int many = 0, nterm = list->n, *component, *count;
  const int **node;
  double *factor;
  TNI_ARENA_NEW(&v->scratch, component, nterm);
  TNI_ARENA_NEW(&v->scratch, count, nterm);
  TNI_ARENA_NEW(&v->scratch, node, nterm);
  TNI_ARENA_NEW(&v->scratch, factor, nterm);
  for (int i = 0; i < nterm; i++) {
    const tni_value *t = &list->item[i];
    if (t->form != TNI_LIST || t->n != 3 || !t->item[0].text || t->item[1].form != TNI_TEXT || t->item[2].form != TNI_NUMBER)
      return tni_place_fail(b->ctx, t->at, item, "a term of an equation must be [group, component, factor]");
    factor[i] = t->item[2].number;
    if (!isfinite(factor[i]) || (i == 0 && factor[i] == 0))
      return tni_place_fail(b->ctx, t->at, item, "factor %g of '%s' must be finite%s", factor[i], t->item[0].text,
                            i ? "" : " and not 0");
    TN_TRY(tni_structure_group(b, item, s, t->item[0].text, &count[i], &node[i]));
    TN_TRY(tni_structure_component(b, item, "equation", s, t->item[1].text, &component[i]));
    if (component[i] >= 3 && s->large)
      return tni_place_fail(b->ctx, t->at, item, "equations of rotations are there for formulation: small");
    if (i > 0 && count[i] != 1)
      return tni_place_fail(b->ctx, t->at, item, "group '%s' has %d nodes; after the first term one is allowed", t->item[0].text,
                            count[i]);
    for (int k = 0; k < count[i]; k++)
      if (component[i] >= s->active[node[i][k]])
        return tni_place_fail(b->ctx, t->at, item, "node %lld has no component %s", (long long)s->mesh->gid[node[i][k]],
                              COMPONENT[component[i]]);
  }
  many = count[0];
  for (int k = 0; k < many; k++) {
    int first = node[0][k]*s->ndof + component[0];
    begin_equation(v);
    for (int i = 0; i < nterm; i++)
      if (!add_term(v, node[i][i ? 0 : k]*s->ndof + component[i], factor[i])) return tni_out_of_memory(b->ctx);
    if (g[0] && !add_gift(v, g, -1)) return tni_out_of_memory(b->ctx);
    TN_TRY(close_equation(v, first));
  }
  return TN_OK;
}

/* the one node of group `to` */
static tn_status find_to(tni_builder *b, const tni_item *item, const tni_structure *s, int *to) {
  const char *name = tni_item_text(item, "to", NULL);
  int n;
  const int *node;
  if (!name) return tni_item_fail(b->ctx, item, NULL, "'rigid' needs 'to': the node that the group moves with");
  TN_TRY(tni_structure_group(b, item, s, name, &n, &node));
  if (n != 1) return tni_item_fail(b->ctx, item, "to", "group '%s' has %d nodes, must have 1", name, n);
  *to = node[0];
  return TN_OK;
}

static tn_status read_rigid(solver *v) {
  tni_structure *s = v->s;
  int n, to, d = s->ndof;
  const int *node;
  if (s->large)
    return tni_item_fail(v->b->ctx, v->item, "rigid", "'rigid' is for formulation: small; with large displacements hold the group by a "
                         "body (hold of the structure)");
  if (s->planar)
    return tni_item_fail(v->b->ctx, v->item, "rigid", "planar models have no 'rigid'; hold the group by a body (hold of the structure)");
  TN_TRY(tni_structure_group(v->b, v->item, s, tni_item_text(v->item, "rigid", ""), &n, &node));
  TN_TRY(find_to(v->b, v->item, s, &to));
  for (int i = 0; i < n; i++) {
    if (node[i] == to) continue;
    double arm[3], S[9];
    vec3_sub(arm, s->mesh->x + 3*(size_t)node[i], s->mesh->x + 3*(size_t)to);
    mat3_skew(S, arm);
    for (int c = 0; c < s->active[node[i]]; c++) {
      begin_equation(v);
      bool fine = add_term(v, node[i]*d + c, 1) && add_term(v, to*d + c, -1);
      /* w x arm = -arm x w */
      for (int k = 0; k < 3 && c < 3 && fine; k++)
        if (S[3*c + k] != 0) fine = add_term(v, to*d + 3 + k, S[3*c + k]);
      if (!fine) return tni_out_of_memory(v->b->ctx);
      TN_TRY(close_equation(v, node[i]*d + c));
    }
  }
  return TN_OK;
}

/* ---- ties --------------------------------------------------------------------------------------------- */

static void into_cell(tni_cell cell, double xi[3]) {
  if (cell == TNI_CELL_TRI3 || cell == TNI_CELL_TRI6) {
    xi[0] = fmin(fmax(xi[0], 0), 1);
    xi[1] = fmin(fmax(xi[1], 0), 1);
    double over = xi[0] + xi[1] - 1;
    if (over > 0) xi[0] = fmax(0, xi[0] - over/2), xi[1] = fmin(1 - xi[0], fmax(0, xi[1] - over/2));
    return;
  }
  for (int k = 0; k < 2; k++) xi[k] = fmin(fmax(xi[k], -1), 1);
}

/* Shape functions N at the point of a face that is nearest to p; returns the distance. Gauss-Newton within the face. */
static double foot_on_face(tni_cell cell, const double *x, const double p[3], double *N) {
  int nn = tni_shape_nnode(cell), dim = tni_shape_dim(cell);
  bool tri = cell == TNI_CELL_TRI3 || cell == TNI_CELL_TRI6;
  double xi[3] = {tri ? 1.0/3 : 0, tri ? 1.0/3 : 0, 0}, dN[TNI_CELL_MAXFACENODE][3], e[3], best = HUGE_VAL, at[3] = {0};
  for (int it = 0; it < 60; it++) {
    double t[2][3] = {{0}}, y[3] = {0};
    tni_shape(cell, xi, N, dN);
    for (int a = 0; a < nn; a++)
      for (int i = 0; i < 3; i++) {
        y[i] += N[a]*x[3*a + i];
        for (int k = 0; k < dim; k++) t[k][i] += dN[a][k]*x[3*a + i];
      }
    vec3_sub(e, p, y);
    if (vec3_norm(e) < best) best = vec3_norm(e), vec3_copy(at, xi);
    double g0 = vec3_dot(t[0], e), g1 = dim > 1 ? vec3_dot(t[1], e) : 0, a = vec3_dot(t[0], t[0]);
    double b = dim > 1 ? vec3_dot(t[0], t[1]) : 0, c = dim > 1 ? vec3_dot(t[1], t[1]) : 1, det = a*c - b*b;
    if (!(det > 0)) break;
    double old[3], d0 = (c*g0 - b*g1)/det, d1 = (a*g1 - b*g0)/det;
    vec3_copy(old, xi);
    xi[0] += d0, xi[1] += dim > 1 ? d1 : 0;
    into_cell(cell, xi);
    /* on an edge: along it */
    if (fabs(xi[0] - old[0]) + fabs(xi[1] - old[1]) < 1e-14) break;
  }
  tni_shape(cell, at, N, dN);
  return best;
}

static tn_status read_tie(solver *v) {
  tni_structure *s = v->s;
  tni_builder *b = v->b;
  const char *group = tni_item_text(v->item, "tie", ""), *to = tni_item_text(v->item, "to", NULL);
  const tni_mesh_set *faces = to ? tni_mesh_find_set(s->mesh, to, TNI_SET_FACES) : NULL;
  int n, d = s->ndof;
  const int *node;
  if (s->large) return tni_item_fail(b->ctx, v->item, "tie", "'tie' is for formulation: small");
  if (!to) return tni_item_fail(b->ctx, v->item, NULL, "'tie' needs 'to': a group of faces");
  if (!faces) return tni_item_fail(b->ctx, v->item, "to", "mesh '%s' has no group %s of faces", s->mesh->name, tni_show(to).s);
  TN_TRY(tni_structure_group(b, v->item, s, group, &n, &node));
  for (int i = 0; i < n; i++) {
    const double *p = s->mesh->x + 3*(size_t)node[i];
    double best = HUGE_VAL, N[TNI_CELL_MAXFACENODE] = {0}, limit = 0;
    int at[TNI_CELL_MAXFACENODE], nn = 0;
    bool shared = false;
    for (int k = 0; k < faces->n && !shared; k++) {
      int fn[TNI_CELL_MAXFACENODE];
      double x[3*TNI_CELL_MAXFACENODE], M[TNI_CELL_MAXFACENODE], low[3] = {0}, high[3] = {0}, out2 = 0, size = 0;
      const tni_cell_shape *shape = tni_mesh_face(s->mesh, faces->member[k], faces->face[k], fn);
      for (int a = 0; a < shape->nnode; a++) {
        vec3_copy(x + 3*a, s->mesh->x + 3*(size_t)fn[a]);
        shared = shared || fn[a] == node[i];
        for (int c = 0; c < 3; c++) {
          low[c] = a ? fmin(low[c], x[3*a + c]) : x[3*a + c];
          high[c] = a ? fmax(high[c], x[3*a + c]) : x[3*a + c];
        }
      }
      for (int c = 0; c < 3; c++) {
        double o = fmax(fmax(low[c] - p[c], p[c] - high[c]), 0);
        size = fmax(size, high[c] - low[c]);
        out2 += o*o;
      }
      /* curved faces leave the box of their nodes by less than their size */
      if (shared || sqrt(out2) > best + size) continue;
      double dist = foot_on_face((tni_cell)(shape - tni_cell_shapes), x, p, M);
      if (!(dist < best)) continue;
      best = dist, nn = shape->nnode, limit = 0.05*size;
      memcpy(at, fn, sizeof(at));
      memcpy(N, M, sizeof(N));
    }
    if (shared) continue; /* tied by being the same */
    double most = tni_item_number(v->item, "tolerance", limit);
    if (!(best <= most))
      return tni_item_fail(b->ctx, v->item, "tie", "node %lld is %g m from the faces '%s', at most %g m is allowed; write a larger "
                           "'tolerance' if it shall be tied", (long long)s->mesh->gid[node[i]], best, to, most);
    for (int c = 0; c < s->active[node[i]]; c++) {
      begin_equation(v);
      bool fine = add_term(v, node[i]*d + c, 1), there = true;
      for (int a = 0; a < nn && fine; a++) {
        there = there && c < s->active[at[a]];
        if (fabs(N[a]) > 1e-12) fine = add_term(v, at[a]*d + c, -N[a]);
      }
      if (!fine) return tni_out_of_memory(b->ctx);
      if (there) TN_TRY(close_equation(v, node[i]*d + c));
    }
  }
  return TN_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

/* couplings of a structure one after the other */
static tn_status owner_is(tni_builder *b, const tni_item *item, const tni_part *part, bool *mine) {
  int owner;
  *mine = false;
  if (!is_coupling(item)) return TN_OK;
  TN_TRY(tni_structure_of(b, item, &owner));
  *mine = &b->model->part[owner] == part;
  return TN_OK;
}

tn_status tni_couplings_activate(tni_builder *b, const tni_part *part, const tni_structure *s, signed char *active) {
  for (int i = 0; i < b->spec->nitem; i++) {
    const tni_item *item = b->spec->item[i];
    bool mine;
    int to;
    TN_TRY(owner_is(b, item, part, &mine));
    if (!mine) continue;
    const tni_value *list = tni_item_get(item, "equation");
    /* nodes of equations move, even if no element has them */
    for (int k = 0; list && list->form == TNI_LIST && k < list->n; k++) {
      int n, d = s->ndof < 3 ? s->ndof : 3;
      const int *node;
      const tni_value *t = &list->item[k];
      if (t->form != TNI_LIST || t->n < 1 || !t->item[0].text) continue; /* refused where it is read */
      TN_TRY(tni_structure_group(b, item, s, t->item[0].text, &n, &node));
      for (int a = 0; a < n; a++)
        if (active[node[a]] < d) active[node[a]] = (signed char)d;
    }
    if (!tni_item_has(item, "rigid") || s->ndof < 6) continue;
    TN_TRY(find_to(b, item, s, &to));
    active[to] = 6;
  }
  return TN_OK;
}

/* masses of moving followers belong to nobody: the power of what moves them is not known where forces are evaluated */
static tn_status refuse_moving(const solver *v, const rule *r) {
  bool moves = false;
  for (int i = 0; i < r->ngift; i++) moves = moves || r->gift[i].x[1];
  for (int i = 0; i < r->nterm; i++) {
    int m = v->motion_of[r->term[i].key];
    moves = moves || (m >= 0 && v->s->motion[m].x[1]);
  }
  if (!moves || !tni_structure_in_time(v->b)) return TN_OK;
  return tni_item_fail(v->b->ctx, r->item, NULL, "node %lld, %s follows a prescribed motion in time: that is there for statics only; "
                       "prescribe the node itself (supports: move)", (long long)v->s->mesh->gid[r->key/v->s->ndof],
                       COMPONENT[r->key % v->s->ndof]);
}

static int compare_ints(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* rules with nothing but leaders in them to s->lead_*, s->gift */
static tn_status store(solver *v) {
  tni_structure *s = v->s;
  tni_arena *arena = v->b->arena;
  int d = s->ndof, n = s->nnode, *adr, *follower = NULL, *lead, nlead = 0, ngift = 0;
  signed char *follows;
  double *B;
  for (int i = v->nrule - 1; i >= 0; i--) {
    rule *r = &v->rule[i];
    begin_equation(v);
    for (int k = 0; k < r->nterm; k++)
      if (!add_term(v, r->term[k].key, r->term[k].a)) return tni_out_of_memory(v->b->ctx);
    for (int k = 0; k < r->ngift; k++)
      if (!add_gift(v, r->gift[k].x, r->gift[k].a)) return tni_out_of_memory(v->b->ctx);
    if (!substitute(v)) return tni_out_of_memory(v->b->ctx);
    r->term = tni_arena_alloc(&v->scratch, (size_t)v->nlist + 1, sizeof(term));
    r->gift = tni_arena_alloc(&v->scratch, (size_t)v->ngift + 1, sizeof(gift));
    if (!r->term || !r->gift) return tni_out_of_memory(v->b->ctx);
    r->nterm = 0;
    qsort(v->list, (size_t)v->nlist, sizeof(int), compare_ints);
    for (int k = 0; k < v->nlist; k++)
      if (v->sum[v->list[k]] != 0 && s->carrier[v->list[k]/d] == TNI_NOT_CARRIED)
        r->term[r->nterm++] = (term){v->list[k], v->sum[v->list[k]]};
    r->ngift = v->ngift;
    if (v->ngift) memcpy(r->gift, v->gift, (size_t)v->ngift*sizeof(gift));
    ngift += r->ngift;
    TN_TRY(refuse_moving(v, r));
  }
  if (v->nrule == 0) return TN_OK;
  TNI_ARENA_NEW(arena, follows, (size_t)n*(size_t)d);
  TNI_ARENA_NEW(arena, adr, n + 1);
  TNI_ARENA_NEW(arena, s->gift, ngift);
  TNI_ARENA_NEW(arena, s->gift_factor, ngift);
  for (int i = 0; i < v->nrule; i++) follows[v->rule[i].key] = 1;
  /* leaders of a node, each once */
  int *mark = tni_arena_alloc(&v->scratch, (size_t)n, sizeof(int));
  if (!mark) return tni_out_of_memory(v->b->ctx);
  lead = NULL, B = NULL;
  for (int pass = 0; pass < 2; pass++) {
    memset(mark, 0, (size_t)n*sizeof(int));
    nlead = 0;
    for (int i = 0; i < n; i++) {
      int first = nlead;
      for (int c = 0; c < d; c++) {
        int k = v->rule_of[i*d + c];
        if (k < 0) continue;
        for (int j = 0; j < v->rule[k].nterm; j++) {
          int leader = v->rule[k].term[j].key/d, component = v->rule[k].term[j].key % d;
          if (mark[leader] <= first) {
            if (pass) lead[nlead] = leader;
            mark[leader] = ++nlead;
          }
          if (pass) B[((size_t)(mark[leader] - 1)*(size_t)d + (size_t)c)*(size_t)d + (size_t)component] = v->rule[k].term[j].a;
        }
      }
      adr[i+1] = nlead;
    }
    if (pass) break;
    TNI_ARENA_NEW(arena, lead, nlead);
    TNI_ARENA_NEW(arena, B, (size_t)nlead*(size_t)(d*d));
  }
  s->nfollower = 0;
  for (int pass = 0; pass < 2; pass++) {
    int count = 0;
    for (int i = 0; i < n; i++) {
      bool any = false;
      for (int c = 0; c < d; c++) any = any || follows[i*d + c];
      if (any && pass) follower[count] = i;
      count += any;
    }
    if (!pass) TNI_ARENA_NEW(arena, follower, count);
    s->nfollower = count;
  }
  for (int i = 0; i < v->nrule; i++)
    for (int k = 0; k < v->rule[i].ngift; k++) {
      s->gift_factor[s->ngift] = v->rule[i].gift[k].a;
      tni_node_motion *g = &s->gift[s->ngift++];
      *g = (tni_node_motion){.node = v->rule[i].key/d, .component = v->rule[i].key % d};
      for (int o = 0; o < 3; o++) g->x[o] = v->rule[i].gift[k].x[o];
    }
  s->follows = follows;
  s->lead_adr = adr;
  s->lead_node = lead;
  s->lead_B = B;
  s->follower = follower;
  return TN_OK;
}

static tn_status solve(solver *v, const tni_part *part) {
  tni_structure *s = v->s;
  size_t n = (size_t)s->nnode*(size_t)s->ndof;
  TNI_ARENA_NEW(&v->scratch, v->rule_of, n);
  TNI_ARENA_NEW(&v->scratch, v->motion_of, n);
  TNI_ARENA_NEW(&v->scratch, v->sum, n);
  TNI_ARENA_NEW(&v->scratch, v->listed, n);
  for (size_t i = 0; i < n; i++) v->rule_of[i] = v->motion_of[i] = -1;
  for (int i = 0; i < s->nmotion; i++) v->motion_of[s->motion[i].node*s->ndof + s->motion[i].component] = i;
  for (int i = 0; i < v->b->spec->nitem; i++) {
    bool mine;
    v->item = v->b->spec->item[i];
    TN_TRY(owner_is(v->b, v->item, part, &mine));
    if (!mine) continue;
    bool equation = tni_item_has(v->item, "equation"), rigid = tni_item_has(v->item, "rigid"), tie = tni_item_has(v->item, "tie");
    if (equation + rigid + tie != 1)
      return tni_item_fail(v->b->ctx, v->item, NULL, "has %s of 'equation', 'rigid' and 'tie'; write one",
                           equation + rigid + tie ? "several" : "none");
    if (!equation && tni_item_has(v->item, "value")) return tni_item_fail(v->b->ctx, v->item, "value", "'value' belongs to 'equation'");
    if (equation && tni_item_has(v->item, "to")) return tni_item_fail(v->b->ctx, v->item, "to", "'to' belongs to 'rigid' and 'tie'");
    if (!tie && tni_item_has(v->item, "tolerance")) return tni_item_fail(v->b->ctx, v->item, "tolerance", "'tolerance' belongs to 'tie'");
    TN_TRY(equation ? read_equation(v) : rigid ? read_rigid(v) : read_tie(v));
  }
  return store(v);
}

tn_status tni_structure_couplings(tni_builder *b, const tni_part *part, tni_structure *s) {
  bool any = false;
  for (int i = 0; i < b->spec->nitem; i++) any = any || is_coupling(b->spec->item[i]);
  if (!any) return TN_OK;
  solver v = {.b = b, .s = s};
  tni_arena_init(&v.scratch, b->ctx);
  tn_status st = solve(&v, part);
  tni_arena_clear(&v.scratch);
  return st;
}

/* ---- while it runs ------------------------------------------------------------------------------------ */

void tni_follow_place(const tni_structure *s, double t, int order, double *x) {
  size_t d = (size_t)s->ndof;
  for (int i = 0; i < s->nfollower; i++) {
    int node = s->follower[i];
    double *to = x + (size_t)node*d;
    for (size_t c = 0; c < d; c++)
      if (s->follows[(size_t)node*d + c]) to[c] = 0;
    for (int k = s->lead_adr[node]; k < s->lead_adr[node+1]; k++) {
      const double *B = s->lead_B + (size_t)k*d*d, *from = x + (size_t)s->lead_node[k]*d;
      for (size_t c = 0; c < d; c++) {
        if (!s->follows[(size_t)node*d + c]) continue;
        for (size_t m = 0; m < d; m++)
          if (B[c*d + m] != 0) to[c] += B[c*d + m]*from[m];
      }
    }
  }
  for (int i = 0; i < s->ngift && order >= 0; i++) {
    const tni_node_motion *g = &s->gift[i];
    if (g->x[order]) x[(size_t)g->node*d + (size_t)g->component] += s->gift_factor[i]*tni_expr_eval(g->x[order], &t);
  }
}

void tni_follow_scatter(const tni_structure *s, const double *F, double *f) {
  size_t d = (size_t)s->ndof;
  for (int i = 0; i < s->nfollower; i++) {
    int node = s->follower[i];
    const double *from = F + (size_t)node*d;
    for (int k = s->lead_adr[node]; k < s->lead_adr[node+1]; k++) {
      const double *B = s->lead_B + (size_t)k*d*d;
      for (size_t m = 0; m < d; m++) {
        int n = s->unknown[(size_t)s->lead_node[k]*d + m];
        if (n < 0) continue;
        for (size_t c = 0; c < d; c++)
          if (B[c*d + m] != 0) f[n] += B[c*d + m]*from[c];
      }
    }
  }
}
