/* solids/structure_domains.c - a structure cut into domains: their unknowns, matrices, rigid motions and corners
 *
 * A domain is a set of cells of the mesh (mesh/decompose.h). Its matrix is the sum over its own elements, so that those of all
 * domains together are the stiffness of the structure; nothing of the whole is made.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "domains/domains.h"
#include "linsolve/lapack.h"
#include "solids/structure.h"

typedef struct { int block, element; } member;

typedef struct {
  int nelement, nnode;
  member *element;
  int *node;          /* [nnode] of the mesh, with unknowns or not, ascending    */
  int *first;         /* [nnode+1] its first unknown in the domain               */
  int *ptr, *ind;
  double *value;
} piece;

typedef struct {
  tni_domains d;      /* first: what callers see                                 */
  tni_domain *domain;
  piece *piece;
  int *place;         /* [mesh nodes] in the domain under way, -1                */
  int *copies;        /* [mesh nodes] domains that have it                       */
  int begin, end;     /* domains with matrices                                   */
} cut;

/* ---- what can be cut -------------------------------------------------------------------------------- */

static tn_status check(const tni_part *part, const tni_structure *s) {
  const char *why = NULL;
  if (s->lead_adr) why = "couplings tie nodes of it";
  else if (s->nspring > 0) why = "springs act on its nodes";
  for (int i = 0; i < s->nload; i++)
    if (s->load[i].follows || s->load[i].kind == TNI_LOAD_SPIN) why = "loads depend on its displacements";
  TN_REQUIRE(s->ctx, !why, TN_ERR_UNSUPPORTED, "structure '%s' cannot be cut into domains: %s; take another solver", part->name, why);
  return TN_OK;
}

/* ---- cells and nodes of domains --------------------------------------------------------------------- */

static tn_status collect(cut *c, const tni_structure *s, const int *of_cell, tni_arena *arena) {
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 0; b < s->nblock; b++)
      for (int e = 0; e < s->block[b].n; e++) {
        piece *p = &c->piece[of_cell[s->block[b].cell[e]]];
        if (pass) p->element[p->nelement] = (member){b, e};
        p->nelement++;
      }
    if (pass) break;
    for (int k = 0; k < c->d.n; k++) {
      TN_REQUIRE(s->ctx, c->piece[k].nelement > 0, TN_ERR_INPUT, "domain %d has no elements", k);
      TNI_ARENA_NEW(arena, c->piece[k].element, c->piece[k].nelement);
      c->piece[k].nelement = 0;
    }
  }
  return TN_OK;
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* nodes ascending, and where the unknowns of each begin */
static tn_status find_nodes(cut *c, const tni_structure *s, piece *p, tni_arena *arena) {
  int most = 0;
  for (int i = 0; i < p->nelement; i++) most += s->block[p->element[i].block].nnode;
  int *list = tni_ints(s->ctx, (size_t)most);
  if (!list) return tni_out_of_memory(s->ctx);
  for (int i = 0; i < p->nelement; i++) {
    const tni_structure_block *b = &s->block[p->element[i].block];
    for (int a = 0; a < b->nnode; a++) {
      int node = b->node[(size_t)p->element[i].element*(size_t)b->nnode + (size_t)a];
      if (c->place[node] >= 0) continue;
      c->place[node] = 0;
      list[p->nnode++] = node;
    }
  }
  qsort(list, (size_t)p->nnode, sizeof(int), compare_ints);
  p->node = tni_arena_alloc(arena, (size_t)p->nnode, sizeof(int));
  p->first = tni_arena_alloc(arena, (size_t)p->nnode + 1, sizeof(int));
  if (p->node && p->first) memcpy(p->node, list, (size_t)p->nnode*sizeof(int));
  tni_free(s->ctx, list);
  if (!p->node || !p->first) return tni_out_of_memory(s->ctx);
  for (int i = 0; i < p->nnode; i++) {
    int n = 0;
    c->place[p->node[i]] = i;
    for (int k = 0; k < s->ndof; k++) n += s->unknown[(size_t)p->node[i]*(size_t)s->ndof + (size_t)k] >= 0;
    p->first[i + 1] = p->first[i] + n;
  }
  return TN_OK;
}

static void forget_nodes(cut *c, const piece *p) {
  for (int i = 0; i < p->nnode; i++) c->place[p->node[i]] = -1;
}

/* ---- matrices ------------------------------------------------------------------------------------------ */

/* nodes that share an element; the matrix has a block for each pair */
static tn_status make_pattern(cut *c, const tni_structure *s, piece *p, tni_arena *arena) {
  tn_ctx *ctx = s->ctx;
  int n = p->nnode, entries = 0;
  int *from = tni_ints(ctx, (size_t)n + 2), *of = NULL, *seen = tni_ints(ctx, (size_t)n), *list = tni_ints(ctx, (size_t)n);
  tn_status st = from && seen && list ? TN_OK : tni_out_of_memory(ctx);
  for (int i = 0; i < p->nelement; i++) entries += s->block[p->element[i].block].nnode;
  if (st == TN_OK && !(of = tni_ints(ctx, (size_t)entries))) st = tni_out_of_memory(ctx);
  if (st != TN_OK) goto end;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < p->nelement; i++) {
      const tni_structure_block *b = &s->block[p->element[i].block];
      const int *node = b->node + (size_t)p->element[i].element*(size_t)b->nnode;
      for (int a = 0; a < b->nnode; a++) {
        if (pass) of[from[c->place[node[a]] + 1]++] = i;
        else from[c->place[node[a]] + 2]++;
      }
    }
    if (!pass)
      for (int i = 1; i <= n; i++) from[i + 1] += from[i];
  }
  for (int i = 0; i < n; i++) seen[i] = -1;
  TN_TRY_GOTO(st, (p->ptr = tni_arena_alloc(arena, (size_t)p->first[n] + 1, sizeof(int))) ? TN_OK : tni_out_of_memory(ctx), end);
  for (int pass = 0; pass < 2; pass++) {
    int at = 0;
    for (int i = 0; i < n; i++) seen[i] = -1;
    for (int i = 0; i < n; i++) {
      int m = 0, width = 0;
      for (int k = from[i]; k < from[i + 1]; k++) {
        const tni_structure_block *b = &s->block[p->element[of[k]].block];
        const int *node = b->node + (size_t)p->element[of[k]].element*(size_t)b->nnode;
        for (int a = 0; a < b->nnode; a++) {
          int j = c->place[node[a]];
          if (seen[j] == i) continue;
          seen[j] = i;
          list[m++] = j;
          width += p->first[j + 1] - p->first[j];
        }
      }
      if (pass) qsort(list, (size_t)m, sizeof(int), compare_ints);
      for (int u = p->first[i]; u < p->first[i + 1]; u++) {
        if (pass) {
          int k = at;
          for (int j = 0; j < m; j++)
            for (int v = p->first[list[j]]; v < p->first[list[j] + 1]; v++) p->ind[k++] = v;
        }
        at += width;
        p->ptr[u + 1] = at;
      }
    }
    if (pass) break;
    TN_TRY_GOTO(st, (p->ind = tni_arena_alloc(arena, (size_t)at, sizeof(int))) && (p->value = tni_arena_alloc(arena, (size_t)at, sizeof(double)))
                        ? TN_OK : tni_out_of_memory(ctx), end);
  }
end:
  tni_free(ctx, from);
  tni_free(ctx, of);
  tni_free(ctx, seen);
  tni_free(ctx, list);
  return st;
}

/* column of an unknown: where the row begins that belongs to another, by halving */
static int find(const piece *p, int column, int row) {
  int low = p->ptr[column], high = p->ptr[column + 1];
  while (high - low > 1) {
    int mid = (low + high)/2;
    if (p->ind[mid] <= row) low = mid;
    else high = mid;
  }
  return low;
}

static void add_element(const cut *c, const tni_structure *s, const piece *p, const member *m, double factor, const double *K) {
  const tni_structure_block *b = &s->block[m->block];
  const int *node = b->node + (size_t)m->element*(size_t)b->nnode;
  int own = b->nv/b->nnode;
  for (int a = 0; a < b->nnode; a++) {
    int column = p->first[c->place[node[a]]];
    for (int i = 0; i < own; i++) {
      if (s->unknown[(size_t)node[a]*(size_t)s->ndof + (size_t)i] < 0) continue;
      for (int e = 0; e < b->nnode; e++) {
        int row = p->first[c->place[node[e]]];
        if (p->first[c->place[node[e]] + 1] == row) continue;
        int at = find(p, column, row);
        for (int k = 0; k < own; k++)
          if (s->unknown[(size_t)node[e]*(size_t)s->ndof + (size_t)k] >= 0) p->value[at++] += factor*K[(size_t)(e*own + k)*(size_t)b->nv + (size_t)(a*own + i)];
      }
      column++;
    }
  }
}

/* lumped masses and damping by them: what several domains have in equal shares */
static void add_masses(const cut *c, const tni_part *part, const piece *p, const tni_part_sum *sum) {
  const tni_structure *s = part->data;
  for (int i = 0; i < p->nnode; i++) {
    int node = p->node[i], u = p->first[i];
    double damping = s->alpha ? sum->D*s->alpha[node]*s->mass[node] : 0;
    for (int k = 0; k < s->ndof; k++) {
      int unknown = s->unknown[(size_t)node*(size_t)s->ndof + (size_t)k];
      if (unknown < 0) continue;
      for (int e = p->ptr[u]; e < p->ptr[u + 1]; e++)
        if (p->ind[e] == u) p->value[e] += (sum->M*part->mass[unknown] + (k < 3 ? damping : 0))/c->copies[node];
      u++;
    }
  }
}

/* Away from equilibrium rotations do not commute, and moments that are left over make tangents of shells and beams a little unsymmetric: their part is
 * nothing at the end. */
static void make_symmetric(int n, double *K) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) K[i*n + j] = K[j*n + i] = 0.5*(K[i*n + j] + K[j*n + i]);
}

bool tni_structure_cut_tangent(const tni_part *part, void *work, const tni_part_at *at, const tni_part_sum *sum, tni_domains *d) {
  cut *c = (cut *)(void *)d;
  static const tni_part_sum stiffness = {.K = 1};
  if (!sum) sum = &stiffness;
  const tni_structure *s = part->data;
  double K[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF];
  tni_structure_place(part, work, at);
  for (int k = c->begin; k < c->end; k++) {
    piece *p = &c->piece[k];
    memset(p->value, 0, (size_t)p->ptr[p->first[p->nnode]]*sizeof(double));
    for (int i = 0; i < p->nnode; i++) c->place[p->node[i]] = i;
    bool ok = true;
    for (int i = 0; i < p->nelement && ok; i++) {
      ok = tni_structure_stiffness(part, work, at, p->element[i].block, p->element[i].element, K);
      if (ok && s->large && s->ndof > 3) make_symmetric(s->block[p->element[i].block].nv, K);
      double factor = sum->K + sum->D*s->block[p->element[i].block].kind.matter->rayleigh[1];
      if (ok) add_element(c, s, p, &p->element[i], factor, K);
    }
    if (sum->M != 0 || sum->D != 0) add_masses(c, part, p, sum);
    forget_nodes(c, p);
    if (!ok) return false;
  }
  return true;
}

/* ---- rigid motions --------------------------------------------------------------------------------------- */

/* How component k of a node moves in motion m: along x, y, z, about them. In the plane: along x, y, about z. */
static double rigid_component(bool planar, int m, int k, const double x[3]) {
  if (planar) {
    if (m < 2) return k == m;
    return k == 0 ? -x[1] : k == 1 ? x[0] : 0;
  }
  if (m < 3) return k == m;
  int axis = m - 3;
  if (k >= 3) return k - 3 == axis;
  double w[3] = {0}, v[3];
  w[axis] = 1;
  vec3_cross(v, w, x);
  return v[k];
}

/* Motions that no support of the domain resists: combinations of all that vanish where it is held. Lengths in units of its size. */
static tn_status find_rigid(const tni_structure *s, const piece *p, tni_domain *d, tni_arena *arena) {
  bool planar = s->planar;
  int m = planar ? 3 : 6, n = d->n;
  double centre[3] = {0}, size = 0, H[36] = {0}, value[6], work[64];
  for (int i = 0; i < p->nnode; i++) vec3_addmul(centre, 1.0/p->nnode, s->mesh->x + 3*(size_t)p->node[i]);
  for (int i = 0; i < p->nnode; i++) {
    double x[3];
    vec3_sub(x, s->mesh->x + 3*(size_t)p->node[i], centre);
    size = fmax(size, vec3_norm(x));
  }
  if (!(size > 0)) size = 1;
  for (int i = 0; i < p->nnode; i++) {
    double x[3];
    vec3_sub(x, s->mesh->x + 3*(size_t)p->node[i], centre);
    vec3_scale(x, 1/size, x);
    for (int k = 0; k < s->active[p->node[i]]; k++) {
      if (s->unknown[(size_t)p->node[i]*(size_t)s->ndof + (size_t)k] >= 0) continue;
      for (int a = 0; a < m; a++)
        for (int b = 0; b < m; b++) H[a*m + b] += rigid_component(planar, a, k, x)*rigid_component(planar, b, k, x);
    }
  }
  TN_REQUIRE(s->ctx, tni_syev('V', 'L', m, H, m, value, work, TNI_COUNT(work)) == 0, TN_NOT_CONVERGED, "rigid motions of a domain not found");
  double *rigid;
  TNI_ARENA_NEW(arena, rigid, (size_t)m*(size_t)n);
  for (int a = 0; a < m; a++) {
    if (value[a] > 1e-9*fmax(1, value[m - 1])) continue;
    double *r = rigid + (size_t)d->nrigid*(size_t)n;
    for (int i = 0; i < p->nnode; i++) {
      double x[3];
      int u = p->first[i];
      vec3_sub(x, s->mesh->x + 3*(size_t)p->node[i], centre);
      vec3_scale(x, 1/size, x);
      for (int k = 0; k < s->ndof; k++) {
        if (s->unknown[(size_t)p->node[i]*(size_t)s->ndof + (size_t)k] < 0) continue;
        for (int b = 0; b < m; b++) r[u] += H[a*m + b]*rigid_component(planar, b, k, x)*(k >= 3 && !planar ? 1/size : 1);
        u++;
      }
    }
    d->nrigid++;
  }
  d->rigid = rigid;
  return TN_OK;
}

/* ---- borders and corners ------------------------------------------------------------------------------------ */

/* domains of every node of the mesh */
typedef struct { int *from, *who; } sharing;

static tn_status share_nodes(const cut *c, const tni_structure *s, tni_arena *arena, sharing *o) {
  int n = s->nnode;
  TNI_ARENA_NEW(arena, o->from, n + 2);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < c->d.n; k++)
      for (int i = 0; i < c->piece[k].nnode; i++) {
        int node = c->piece[k].node[i];
        if (pass) o->who[o->from[node + 1]++] = k;
        else o->from[node + 2]++;
      }
    if (pass) break;
    for (int i = 1; i <= n; i++) o->from[i + 1] += o->from[i];
    TNI_ARENA_NEW(arena, o->who, o->from[n + 1]);
  }
  return TN_OK;
}

/* nodes of borders, grouped by who shares them */
typedef struct { int node, n; const int *who; } shared_node;

static int compare_shared(const void *a, const void *b) {
  const shared_node *x = a, *y = b;
  if (x->n != y->n) return x->n - y->n;
  for (int i = 0; i < x->n; i++)
    if (x->who[i] != y->who[i]) return x->who[i] - y->who[i];
  return x->node - y->node;
}

static bool same_sharers(const shared_node *x, const shared_node *y) {
  return x->n == y->n && memcmp(x->who, y->who, (size_t)x->n*sizeof(int)) == 0;
}

static double distance(const tni_structure *s, int a, int b) {
  double d[3];
  vec3_sub(d, s->mesh->x + 3*(size_t)a, s->mesh->x + 3*(size_t)b);
  return vec3_norm(d);
}

/* Of what the same domains share: the two nodes that are farthest apart, and one far from the line between them. These hold
 * any domain against motions of its own. Ties between equal distances go to the lower number. */
static void choose_corners(const tni_structure *s, const shared_node *list, int n, bool *corner) {
  int a = 0, b = 0, c = -1;
  double best = -1;
  for (int pass = 0; pass < 2; pass++) { /* farthest from the first, then from that one */
    int from = pass ? b : 0, to = from;
    best = -1;
    for (int i = 0; i < n; i++) {
      double d = distance(s, list[from].node, list[i].node);
      if (d > best*(1 + 1e-9)) best = d, to = i;
    }
    a = from, b = to;
  }
  double e[3], length = distance(s, list[a].node, list[b].node);
  corner[list[a].node] = corner[list[b].node] = true;
  if (!(length > 0) || s->planar) return;
  vec3_sub(e, s->mesh->x + 3*(size_t)list[b].node, s->mesh->x + 3*(size_t)list[a].node);
  vec3_scale(e, 1/length, e);
  best = 1e-6*length;
  for (int i = 0; i < n; i++) {
    double d[3], off[3];
    vec3_sub(d, s->mesh->x + 3*(size_t)list[i].node, s->mesh->x + 3*(size_t)list[a].node);
    vec3_cross(off, e, d);
    if (vec3_norm(off) > best*(1 + 1e-9)) best = vec3_norm(off), c = i;
  }
  if (c >= 0) corner[list[c].node] = true;
}

/* corners of the mesh; pairs of domains that share enough nodes to touch along a face or, in the plane, an edge */
static tn_status find_seams(cut *c, const tni_structure *s, tni_arena *arena, bool **corner) {
  sharing o;
  TN_TRY(share_nodes(c, s, arena, &o));
  TNI_ARENA_NEW(arena, *corner, s->nnode);
  int n = 0, npair = 0, *pair;
  for (int i = 0; i < s->nnode; i++) n += o.from[i + 1] - o.from[i] > 1;
  shared_node *list = tni_alloc(s->ctx, (size_t)n, sizeof(*list));
  if (!list) return tni_out_of_memory(s->ctx);
  n = 0;
  for (int i = 0; i < s->nnode; i++)
    if (o.from[i + 1] - o.from[i] > 1) list[n++] = (shared_node){i, o.from[i + 1] - o.from[i], o.who + o.from[i]};
  qsort(list, (size_t)n, sizeof(*list), compare_shared);
  int ngroup = 0;
  for (int i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && same_sharers(&list[i], &list[j]); j++) {}
    choose_corners(s, list + i, j - i, *corner);
    ngroup += list[i].n == 2;
  }
  /* groups of two domains come first, ascending: those are the pairs */
  pair = tni_arena_alloc(arena, 2*(size_t)ngroup, sizeof(int));
  for (int i = 0, j; pair && i < n && list[i].n == 2; i = j) {
    for (j = i + 1; j < n && same_sharers(&list[i], &list[j]); j++) {}
    pair[2*npair] = list[i].who[0], pair[2*npair + 1] = list[i].who[1];
    npair++;
  }
  tni_free(s->ctx, list);
  c->d.npair = npair;
  c->d.pair = pair;
  return pair ? TN_OK : tni_out_of_memory(s->ctx);
}

/* ---- the whole cut -------------------------------------------------------------------------------------------- */

static tn_status make_domain(cut *c, const tni_structure *s, int k, const bool *corner, tni_arena *arena) {
  piece *p = &c->piece[k];
  int n = p->first[p->nnode], *node;
  long long *number;
  signed char *kind;
  bool *corners;
  double *place = NULL;
  bool own = k >= c->begin && k < c->end;
  for (int i = 0; i < p->nnode; i++) c->place[p->node[i]] = i;
  tn_status st = own ? make_pattern(c, s, p, arena) : TN_OK;
  forget_nodes(c, p);
  TN_TRY(st);
  TNI_ARENA_NEW(arena, node, n);
  TNI_ARENA_NEW(arena, number, n);
  TNI_ARENA_NEW(arena, kind, n);
  TNI_ARENA_NEW(arena, corners, n);
  if (own) TNI_ARENA_NEW(arena, place, 3*(size_t)n);
  for (int i = 0, at = 0; i < p->nnode; i++) {
    for (int q = 0, u = p->first[i]; q < s->ndof; q++) {
      int unknown = s->unknown[(size_t)p->node[i]*(size_t)s->ndof + (size_t)q];
      if (unknown < 0) continue;
      node[u] = at;
      number[u] = unknown;
      kind[u] = (signed char)q;
      if (own) vec3_copy(place + 3*(size_t)u, s->mesh->x + 3*(size_t)p->node[i]);
      corners[u++] = corner[p->node[i]];
    }
    at += p->first[i + 1] > p->first[i];
  }
  for (int u = 1; u < n; u++)
    TN_REQUIRE(s->ctx, number[u] > number[u - 1], TN_ERR_UNSUPPORTED, "unknowns of a domain are not in the order of its nodes");
  c->domain[k] = (tni_domain){.n = n, .ptr = p->ptr, .ind = p->ind, .value = p->value, .number = number, .node = node, .kind = kind,
                              .place = place, .corner = corners};
  return own ? find_rigid(s, p, &c->domain[k], arena) : TN_OK;
}

tn_status tni_structure_cut(const tni_part *part, tni_arena *arena, const int *of_cell, int n, int begin, int end, tni_domains **out) {
  const tni_structure *s = part->data;
  cut *c;
  bool *corner;
  *out = NULL;
  TN_TRY(check(part, s));
  TNI_ARENA_NEW(arena, c, 1);
  TNI_ARENA_NEW(arena, c->domain, n);
  TNI_ARENA_NEW(arena, c->piece, n);
  TNI_ARENA_NEW(arena, c->place, s->nnode);
  TNI_ARENA_NEW(arena, c->copies, s->nnode);
  for (int i = 0; i < s->nnode; i++) c->place[i] = -1;
  c->d = (tni_domains){.ctx = s->ctx, .n = n, .domain = c->domain};
  c->begin = begin;
  c->end = end;
  TN_TRY(collect(c, s, of_cell, arena));
  for (int k = 0; k < n; k++) {
    TN_TRY(find_nodes(c, s, &c->piece[k], arena));
    for (int i = 0; i < c->piece[k].nnode; i++) c->copies[c->piece[k].node[i]]++;
    forget_nodes(c, &c->piece[k]);
  }
  TN_TRY(find_seams(c, s, arena, &corner));
  for (int k = 0; k < n; k++) TN_TRY(make_domain(c, s, k, corner, arena));
  *out = &c->d;
  return TN_OK;
}
