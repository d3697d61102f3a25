/* solids/structure_mass.c - masses that are not diagonal: consistent ones, and T^T M T of components that follow others
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "solids/batch.h"
#include "solids/structure.h"

void tni_structure_apply_mass(const tni_structure *s, bool alpha, double factor, const double *x, double *y) {
  size_t d = (size_t)s->ndof;
  for (int k = 0; k < s->nblock; k++) {
    const tni_structure_block *b = &s->block[k];
    int own = b->nv/b->nnode;
    double a = factor*(alpha ? b->kind.matter->rayleigh[0] : 1);
    for (int e = 0; e < b->n && a != 0; e++) {
      const int *node = b->node + (size_t)e*(size_t)b->nnode;
      double M[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF], X[3*TNI_SOLID_MAXNODE];
      for (int i = 0; i < b->nnode; i++) vec3_copy(X + 3*i, s->mesh->x + 3*(size_t)node[i]);
      b->kind.type->mass(&b->kind, X, false, M);
      for (int i = 0; i < b->nv; i++) {
        double sum = 0;
        for (int j = 0; j < b->nv; j++) sum += M[b->nv*i + j]*x[(size_t)node[j/own]*d + (size_t)(j % own)];
        y[(size_t)node[i/own]*d + (size_t)(i % own)] += a*sum;
      }
    }
  }
}

/* ---- rows on the pattern of neighbours ------------------------------------------------------------------ */

typedef struct {
  const tni_part *part;
  const tni_structure *s;
  size_t *row;      /* [nv+1] first number of a row: columns of all neighbours of its node */
  double *value;
} rows;

/* node with unknowns that an unknown belongs to, by its place in vadr */
static int owner(const tni_part *p, int unknown) {
  int low = 0, high = p->nnode - 1;
  while (low < high) {
    int mid = (low + high + 1)/2;
    if (p->vadr[mid] <= unknown) low = mid;
    else high = mid - 1;
  }
  return low;
}

static void add_entry(const rows *r, int i, int j, double m) {
  const tni_part *p = r->part;
  int ni = owner(p, i), nj = owner(p, j), low = p->near_adr[ni], high = p->near_adr[ni+1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (p->near_node[mid] < nj) low = mid + 1;
    else high = mid;
  }
  r->value[r->row[i] + (size_t)(r->s->near_col[low] + j - p->vadr[nj])] += m;
}

/* unknowns that a component stands for, one after the other; false: no more */
typedef struct {
  int k, c;      /* leader, its component */
  int unknown;
  double factor;
} walk;

static bool next(const tni_structure *s, int node, int component, walk *w) {
  int d = s->ndof, u = s->unknown[node*d + component];
  if (!s->follows || !s->follows[node*d + component]) {
    *w = (walk){.k = w->k + 1, .unknown = u, .factor = 1};
    return w->k == 1 && u >= 0;
  }
  for (;;) {
    if (w->k == 0) w->k = s->lead_adr[node] + 1, w->c = -1; /* k: one more than the leader */
    if (w->k > s->lead_adr[node+1]) return false;
    if (++w->c == d) {
      w->k++, w->c = -1;
      continue;
    }
    w->factor = s->lead_B[((size_t)(w->k - 1)*(size_t)d + (size_t)component)*(size_t)d + (size_t)w->c];
    w->unknown = s->unknown[s->lead_node[w->k - 1]*d + w->c];
    if (w->factor != 0 && w->unknown >= 0) return true;
  }
}

static void add_pair(const rows *r, int n0, int c0, int n1, int c1, double m) {
  if (m == 0) return;
  for (walk a = {0}; next(r->s, n0, c0, &a);)
    for (walk b = {0}; next(r->s, n1, c1, &b);) add_entry(r, a.unknown, b.unknown, a.factor*b.factor*m);
}

static void add_all(const rows *r) {
  const tni_structure *s = r->s;
  for (int i = 0; i < s->nnode; i++) {
    if (s->carrier[i] >= 0) continue;
    for (int c = 0; c < s->active[i]; c++) {
      double all = c < 3 ? s->mass[i] : s->turning[i], own = c < 3 ? s->own_mass[i] : s->own_turning[i];
      add_pair(r, i, c, i, c, s->consistent ? own : all);
    }
  }
  for (int k = 0; k < s->nblock && s->consistent; k++) {
    const tni_structure_block *b = &s->block[k];
    int own = b->nv/b->nnode;
    for (int e = 0; e < b->n; e++) {
      const int *node = b->node + (size_t)e*(size_t)b->nnode;
      double M[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF], X[3*TNI_SOLID_MAXNODE];
      for (int i = 0; i < b->nnode; i++) vec3_copy(X + 3*i, s->mesh->x + 3*(size_t)node[i]);
      b->kind.type->mass(&b->kind, X, false, M);
      for (int i = 0; i < b->nv; i++)
        for (int j = 0; j < b->nv; j++) add_pair(r, node[i/own], i % own, node[j/own], j % own, M[b->nv*i + j]);
    }
  }
}

const char *tni_structure_analysis(const tni_builder *b) {
  const tni_item *a = tni_spec_single(b->spec, "analysis");
  return a ? tni_item_text(a, "type", "transient") : "transient";
}

bool tni_structure_in_time(const tni_builder *b) {
  static const char *const places[] = {"statics", "modes", "buckling"};
  for (int i = 0; i < TNI_COUNT(places); i++)
    if (strcmp(tni_structure_analysis(b), places[i]) == 0) return false;
  return true;
}

/* what is not zero of the rows, and the diagonal */
static tn_status keep(tni_builder *b, tni_part *part, const rows *r, double *diagonal) {
  tni_part_mass *M;
  int *ptr, *ind, n = 0;
  double *value;
  TNI_ARENA_NEW(b->arena, M, 1);
  TNI_ARENA_NEW(b->arena, ptr, part->nv + 1);
  ind = NULL, value = NULL;
  for (int pass = 0; pass < 2; pass++) {
    n = 0;
    for (int i = 0; i < part->nv; i++) {
      int node = owner(part, i);
      size_t at = r->row[i];
      for (int k = part->near_adr[node]; k < part->near_adr[node+1]; k++)
        for (int j = part->vadr[part->near_node[k]]; j < part->vadr[part->near_node[k] + 1]; j++, at++) {
          if (r->value[at] == 0 && j != i) continue;
          if (j == i) diagonal[i] = r->value[at];
          if (pass) ind[n] = j, value[n] = r->value[at];
          n++;
        }
      ptr[i+1] = n;
    }
    if (pass) break;
    TNI_ARENA_NEW(b->arena, ind, n);
    TNI_ARENA_NEW(b->arena, value, n);
  }
  M->ptr = ptr, M->ind = ind, M->value = value;
  M->idle = strcmp(tni_structure_analysis(b), "statics") == 0 || strcmp(tni_structure_analysis(b), "modes") == 0 ||
            strcmp(tni_structure_analysis(b), "modal") == 0;
  part->coupled = M;
  return TN_OK;
}

tn_status tni_structure_mass(tni_builder *b, tni_part *part, const tni_structure *s) {
  double *diagonal = (double *)part->mass;
  size_t d = (size_t)s->ndof;
  if (s->follows || s->consistent) {
    rows r = {.part = part, .s = s};
    tni_arena scratch;
    tni_arena_init(&scratch, b->ctx);
    r.row = tni_arena_alloc(&scratch, (size_t)part->nv + 1, sizeof(size_t));
    tn_status st = r.row ? TN_OK : tni_out_of_memory(b->ctx);
    for (int n = 0; n < part->nnode && st == TN_OK; n++) {
      int last = part->near_adr[n+1] - 1, wide = s->near_col[last] + part->vadr[part->near_node[last] + 1] -
                                                 part->vadr[part->near_node[last]];
      for (int i = part->vadr[n]; i < part->vadr[n+1]; i++) r.row[i+1] = r.row[i] + (size_t)wide;
    }
    if (st == TN_OK) r.value = tni_arena_alloc(&scratch, r.row[part->nv], sizeof(double));
    if (st == TN_OK && !r.value) st = tni_out_of_memory(b->ctx);
    if (st == TN_OK) add_all(&r);
    if (st == TN_OK) st = keep(b, part, &r, diagonal);
    tni_arena_clear(&scratch);
    TN_TRY(st);
  }
  bool rests = strcmp(tni_structure_analysis(b), "statics") == 0;
  for (int i = 0; i < s->nnode; i++)
    for (int c = 0; c < s->active[i]; c++) {
      int u = s->unknown[(size_t)i*d + (size_t)c];
      if (u < 0 || diagonal[u] > 0) continue;
      if (rests) { /* nobody asks for it; gravity has weights of its own */
        diagonal[u] = 1;
        for (int k = part->coupled ? part->coupled->ptr[u] : 0; part->coupled && k < part->coupled->ptr[u+1]; k++)
          if (part->coupled->ind[k] == u) ((double *)part->coupled->value)[k] = 1;
        continue;
      }
      return tni_item_fail(b->ctx, part->item, NULL, "node %lld of mesh '%s' has %s %g %s, must be > 0: give the material a density, "
                           "or the node a mass (nodes: mass, inertia)", (long long)s->mesh->gid[i], s->mesh->name,
                           c < 3 ? "mass" : "moment of inertia", diagonal[u], c < 3 ? "kg" : "kg m^2");
    }
  return TN_OK;
}

/* ---- longer explicit steps --------------------------------------------------------------------------- */

static double rate_at_rest(const tni_builder *b, const tni_part *part, const tni_structure *s, const tni_structure_block *x, int e) {
  double X[3*TNI_SOLID_MAXNODE], u[TNI_SOLID_MAXDOF] = {0};
  const int *node = x->node + (size_t)e*(size_t)x->nnode;
  tni_batch_in in = {.kind = &x->kind, .node = x->node, .X = s->mesh->x};
  if (x->batched && !x->kind.large) return x->kind.type->batch->rate(&in, e, e + 1);
  for (int a = 0; a < x->nnode; a++) vec3_copy(X + 3*a, s->mesh->x + 3*(size_t)node[a]);
  tni_solid_at at = {.X = X, .u = u, .axes = x->axes,
                     .state0 = x->kind.nstate ? b->model->memory0 + part->memory + x->state + (size_t)e*(size_t)x->kind.nstate : NULL};
  return x->kind.type->rate(&x->kind, &at);
}

tn_status tni_structure_scale_masses(tni_builder *b, const tni_part *part, tni_structure *s, double limit) {
  double *scaling, *weight, *alpha = NULL;
  int n = 0;
  TNI_ARENA_NEW(b->arena, scaling, s->nelement);
  TNI_ARENA_NEW(b->arena, weight, s->nnode);
  memcpy(weight, s->mass, (size_t)s->nnode*sizeof(double));
  for (int k = 0; k < s->nblock; k++) {
    const tni_structure_block *x = &s->block[k];
    int own = x->kind.type->ndof;
    if (own > 3) return tni_item_fail(b->ctx, part->item, "mass_scaling", "elements with rotations (%s) cannot have it", x->kind.type->name);
    for (int e = 0; e < x->n; e++) {
      const int *node = x->node + (size_t)e*(size_t)x->nnode;
      double M[TNI_SOLID_MAXDOF], X[3*TNI_SOLID_MAXNODE], reach = 0.5*limit*rate_at_rest(b, part, s, x, e);
      scaling[x->first + e] = fmax(1, reach*reach);
      if (reach <= 1) continue;
      for (int a = 0; a < x->nnode; a++) vec3_copy(X + 3*a, s->mesh->x + 3*(size_t)node[a]);
      x->kind.type->mass(&x->kind, X, true, M);
      n++;
      for (int a = 0; a < x->nnode; a++) {
        s->mass[node[a]] += (reach*reach - 1)*M[own*a];
        s->added_mass += (reach*reach - 1)*M[own*a];
      }
    }
  }
  if (n == 0) return TN_OK;
  s->scaling = scaling;
  s->weight = weight;
  if (s->alpha) {
    TNI_ARENA_NEW(b->arena, alpha, s->nnode);
    for (int i = 0; i < s->nnode; i++) alpha[i] = s->mass[i] > 0 ? s->alpha[i]*weight[i]/s->mass[i] : 0;
    s->alpha = alpha;
  }
  static const double MUCH = 0.05;
  tni_log(b->ctx, s->added_mass > MUCH*s->total_mass ? TN_LOG_WARNING : TN_LOG_INFO,
          "structure '%s': %d of %d elements got %.4g kg more for steps that %g s are the limit of, %.3g %% of its mass%s", part->name, n,
          s->nelement, s->added_mass, limit, 100*s->added_mass/s->total_mass,
          s->added_mass > MUCH*s->total_mass ? ": what moves fast is slower than it is" : "");
  return TN_OK;
}
