/* solids/structure_free.c - rigid motions of a mesh that its supports leave
 *
 * Rounding hides them in the factors of a large stiffness, so they are counted by geometry: for every connected piece of
 * the mesh the six rigid motions are looked at where components are prescribed, G = sum b b^T with b the six values at such a component,
 * turns about the middle in units of the size. What G does not see, nothing holds. Pieces that couplings or springs bring together
 * are looked at together, b of a follower less what its leaders give it. Pieces that bodies carry are as free as these are: that is
 * asked of the system.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "mesh/skin.h"
#include "solids/structure.h"

enum { N = 6, MOST_PIECES = 40, GROUPS_LISTED = 4 }; /* pieces that hang together by couplings and springs; with more of them pivots must tell */
static const double UNSEEN = 1e-12; /* of the trace of G */

/* eigenvalues and vectors (columns of V) of a symmetric n x n, by Jacobi rotations */
static void eigen(int n, double *A, double *V) {
  for (int i = 0; i < n*n; i++) V[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, on = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) *(i == j ? &on : &off) += A[n*i + j]*A[n*i + j];
    if (!(off > 1e-32*on)) return;
    for (int p = 0; p < n - 1; p++)
      for (int q = p + 1; q < n; q++) {
        double g = A[n*p + q];
        if (g == 0) continue;
        double theta = 0.5*(A[n*q + q] - A[n*p + p])/g;
        double t = (theta < 0 ? -1 : 1)/(fabs(theta) + hypot(theta, 1)), c = 1/hypot(t, 1), s = t*c;
        for (int k = 0; k < n; k++) {
          double x = A[n*k + p], y = A[n*k + q];
          A[n*k + p] = c*x - s*y, A[n*k + q] = s*x + c*y;
          x = V[n*k + p], y = V[n*k + q];
          V[n*k + p] = c*x - s*y, V[n*k + q] = s*x + c*y;
        }
        for (int k = 0; k < n; k++) {
          double x = A[n*p + k], y = A[n*q + k];
          A[n*p + k] = c*x - s*y, A[n*q + k] = s*x + c*y;
        }
      }
  }
}

/* piece of every node: the smallest node number that elements join it to */
static int find(int *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

static void unite(int *root, int i, int j) {
  int a = find(root, i), b = find(root, j);
  if (a < b) root[b] = a;
  else root[a] = b;
}

static void join(const tni_structure *s, int *root) {
  for (int i = 0; i < s->nnode; i++) root[i] = i;
  for (int k = 0; k < s->nblock; k++)
    for (int e = 0; e < s->block[k].n; e++) {
      const int *node = s->block[k].node + (size_t)e*(size_t)s->block[k].nnode;
      for (int i = 1; i < s->block[k].nnode; i++) unite(root, node[0], node[i]);
    }
  for (int i = 0; i < s->nnode; i++) root[i] = find(root, i);
}

/* pieces [npiece] that couplings or springs bring together; number: of the piece of a root */
static void join_pieces(const tni_structure *s, const int *root, const int *number, int npiece, int *cluster) {
  for (int i = 0; i < npiece; i++) cluster[i] = i;
  for (int i = 0; i < s->nfollower; i++)
    for (int k = s->lead_adr[s->follower[i]]; k < s->lead_adr[s->follower[i]+1]; k++)
      unite(cluster, number[root[s->follower[i]]], number[root[s->lead_node[k]]]);
  for (int i = 0; i < s->nspring; i++)
    if (s->spring[i].node[1] >= 0)
      unite(cluster, number[root[s->spring[i].node[0]]], number[root[s->spring[i].node[1]]]);
  for (int i = 0; i < npiece; i++) cluster[i] = find(cluster, i);
}

typedef struct {
  double middle[3];
  int n;            /* nodes                                  */
  int place;        /* among the pieces of its cluster        */
} piece;

typedef struct {
  int npiece;
  double low[3], high[3], size;
  bool carried;
  double *G, *H;    /* [6 npiece][6 npiece] where components are held; everywhere */
} bunch;

/* row of the six motions of its piece at component c of a node: turns in units of the size, which rotations are measured by too */
static void motion_row(const double x[3], const double x0[3], double size, int c, double b[N]) {
  memset(b, 0, N*sizeof(double));
  b[c] = 1;
  if (c >= 3) return;
  double d[3];
  vec3_sub(d, x, x0);
  vec3_scale(d, 1/size, d);
  int i = (c + 1) % 3, j = (c + 2) % 3; /* (w x d)_c = w_i d_j - w_j d_i */
  b[3 + i] = d[j];
  b[3 + j] = -d[i];
}

typedef struct {
  const tni_structure *s;
  int *root, *number, *cluster;
  piece *piece;
  bunch *bunch;      /* by the cluster of its first piece */
} survey;

/* row += factor times the motion of component c of a node, in lengths */
static void add_row(const survey *v, int node, int c, double factor, double *row) {
  const piece *p = &v->piece[v->number[v->root[node]]];
  const bunch *g = &v->bunch[v->cluster[v->number[v->root[node]]]];
  double b[N];
  motion_row(v->s->mesh->x + 3*(size_t)node, p->middle, g->size, c, b);
  for (int k = 0; k < N; k++) row[N*p->place + k] += factor*b[k];
}

static void add_square(double *A, int n, const double *row) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n && row[i] != 0; k++) A[n*i + k] += row[i]*row[k];
}

static bunch *bunch_of(const survey *v, int node) { return &v->bunch[v->cluster[v->number[v->root[node]]]]; }

/* H of every component, G of those that are held: prescribed, followers (against their leaders), ends of springs */
static void look_at_components(const survey *v, double *row) {
  const tni_structure *s = v->s;
  size_t d = (size_t)s->ndof;
  for (int i = 0; i < s->nnode; i++) {
    if (!s->active[i]) continue;
    bunch *g = bunch_of(v, i);
    int n = N*g->npiece;
    for (int c = 0; c < s->active[i] && g->G; c++) {
      memset(row, 0, (size_t)n*sizeof(double));
      add_row(v, i, c, 1, row);
      add_square(g->H, n, row);
      size_t key = (size_t)i*d + (size_t)c;
      if (s->unknown[key] >= 0 || s->carrier[i] >= 0) continue;
      for (int k = s->follows && s->follows[key] ? s->lead_adr[i] : 0; s->follows && s->follows[key] && k < s->lead_adr[i+1]; k++)
        for (int m = 0; m < s->ndof; m++) {
          double a = s->lead_B[((size_t)k*d + (size_t)c)*d + (size_t)m];
          /* a rotation leads a displacement by an arm, and the other way round */
          double unit = (c < 3) == (m < 3) ? 1 : c < 3 ? 1/g->size : g->size;
          if (a != 0) add_row(v, s->lead_node[k], m, -a*unit, row);
        }
      add_square(g->G, n, row);
    }
  }
  for (int i = 0; i < s->nspring; i++) {
    const tni_node_spring *p = &s->spring[i];
    bunch *g = bunch_of(v, p->node[0]);
    if (!g->G || !(p->k > 0)) continue;
    double line[3] = {0};
    memset(row, 0, (size_t)(N*g->npiece)*sizeof(double));
    if (p->component[0] < 0) {
      vec3_sub(line, s->mesh->x + 3*(size_t)p->node[1], s->mesh->x + 3*(size_t)p->node[0]);
      vec3_scale(line, 1/vec3_norm(line), line);
    }
    for (int e = 0; e < 2 && p->node[e] >= 0; e++) {
      if (p->component[0] >= 0) add_row(v, p->node[e], p->component[e], e ? -1 : 1, row);
      for (int c = 0; c < 3 && p->component[0] < 0; c++) add_row(v, p->node[e], c, e ? line[c] : -line[c], row);
    }
    add_square(g->G, N*g->npiece, row);
  }
}

static const char *const AXIS[3] = {"x", "y", "z"};

static void name_motion(const double v[N], char *out, size_t n) {
  double move = vec3_norm(v), turn = vec3_norm(v + 3);
  int c = 0, t = 3;
  for (int k = 1; k < 3; k++) {
    if (fabs(v[k]) > fabs(v[c])) c = k;
    if (fabs(v[3 + k]) > fabs(v[t])) t = 3 + k;
  }
  if (turn < 1e-6*move || (move > turn && fabs(v[c]) > 0.9*move)) snprintf(out, n, "along %s", AXIS[c]);
  else snprintf(out, n, "turning about %s", AXIS[t - 3]);
}

/* motions that G does not see, added to the count and the names */
static void count_unseen(bunch *g, double *V, tni_part *part, char *names, size_t nnames, size_t *at) {
  int n = N*g->npiece;
  double trace = 0;
  /* motions that move no node, those of plane models across the plane and of bars about their line, are none */
  for (int i = 0; i < n; i++) trace += g->H[(n + 1)*i];
  eigen(n, g->H, V);
  for (int i = 0; i < n; i++)
    for (int r = 0; r < n*n && !(g->H[(n + 1)*i] > UNSEEN*trace); r++) g->G[r] += trace*V[n*(r/n) + i]*V[n*(r % n) + i];
  trace = 0;
  for (int i = 0; i < n; i++) trace += g->G[(n + 1)*i];
  eigen(n, g->G, V);
  for (int i = 0; i < n; i++) {
    double v[N] = {0}, best = -1;
    char name[40];
    if (g->G[(n + 1)*i] > UNSEEN*trace) continue;
    for (int p = 0; p < g->npiece; p++) { /* by the piece that moves most */
      double own[N], size = 0;
      for (int r = 0; r < N; r++) own[r] = V[n*(N*p + r) + i], size += own[r]*own[r];
      if (size > best) best = size, memcpy(v, own, sizeof(v));
    }
    name_motion(v, name, sizeof(name));
    part->nfree++;
    if (*at < nnames) *at += (size_t)snprintf(names + *at, nnames - *at, "%s%s", *at ? ", " : "", name);
  }
}

/* Where a mesh has several pieces: those that move, by groups that have nodes of these alone */
static tn_status name_groups(const survey *v, const bunch *g, tni_arena *scratch, char *names, size_t nnames, size_t *at) {
  const tni_mesh *m = v->s->mesh;
  int listed = 0, nodes = 0;
  for (int i = 0; i < m->nset; i++) {
    int seen = 0, n, own = 0;
    const int *node;
    while (seen < i && strcmp(m->set[seen].name, m->set[i].name) != 0) seen++;
    if (seen < i) continue;
    TN_TRY(tni_mesh_group(m, m->set[i].name, scratch, &n, &node));
    for (int k = 0; k < n; k++) own += v->s->active[node[k]] && bunch_of(v, node[k]) == g;
    if (n == 0 || own < n || listed == GROUPS_LISTED || *at >= nnames) continue;
    *at += (size_t)snprintf(names + *at, nnames - *at, "%s%s", listed++ ? ", " : " (groups ", m->set[i].name);
  }
  for (int i = 0; i < v->s->nnode; i++) nodes += v->s->active[i] && bunch_of(v, i) == g;
  if (*at < nnames) *at += listed ? (size_t)snprintf(names + *at, nnames - *at, ")")
                                  : (size_t)snprintf(names + *at, nnames - *at, " (a piece of %d nodes without a group)", nodes);
  return TN_OK;
}

static tn_status survey_pieces(tni_builder *b, tni_arena *scratch, tni_part *part, survey *v) {
  const tni_structure *s = v->s;
  int npiece = 0;
  TNI_ARENA_NEW(scratch, v->root, s->nnode);
  TNI_ARENA_NEW(scratch, v->number, s->nnode);
  join(s, v->root);
  for (int i = 0; i < s->nnode; i++)
    if (v->root[i] == i && s->active[i]) v->number[i] = npiece++;
  TNI_ARENA_NEW(scratch, v->piece, npiece);
  TNI_ARENA_NEW(scratch, v->bunch, npiece);
  TNI_ARENA_NEW(scratch, v->cluster, npiece);
  join_pieces(s, v->root, v->number, npiece, v->cluster);
  for (int i = 0; i < npiece; i++) v->piece[i].place = v->bunch[v->cluster[i]].npiece++;
  for (int i = 0, seen; i < s->nnode; i++) {
    if (!s->active[i]) continue;
    piece *p = &v->piece[v->number[v->root[i]]];
    bunch *g = bunch_of(v, i);
    const double *x = s->mesh->x + 3*(size_t)i;
    seen = g->size > 0;
    for (int c = 0; c < 3; c++) {
      g->low[c] = seen ? fmin(g->low[c], x[c]) : x[c];
      g->high[c] = seen ? fmax(g->high[c], x[c]) : x[c];
      p->middle[c] += x[c];
    }
    g->size = 1; /* for now: seen */
    p->n++;
    if (s->carrier[i] >= 0) g->carried = true;
  }
  int most = 0;
  for (int i = 0; i < npiece; i++) {
    bunch *g = &v->bunch[i];
    double size = 0;
    vec3_scale(v->piece[i].middle, 1.0/v->piece[i].n, v->piece[i].middle);
    for (int c = 0; c < 3; c++) size = fmax(size, g->high[c] - g->low[c]);
    g->size = size > 0 ? size : 1;
    if (g->npiece == 0 || g->npiece > MOST_PIECES || g->carried) continue;
    size_t n = (size_t)(N*g->npiece);
    TNI_ARENA_NEW(scratch, g->G, n*n);
    TNI_ARENA_NEW(scratch, g->H, n*n);
    most = g->npiece > most ? g->npiece : most;
  }
  double *row, *V;
  TNI_ARENA_NEW(scratch, row, N*(most + 1));
  TNI_ARENA_NEW(scratch, V, (size_t)(N*most)*(size_t)(N*most) + 1);
  look_at_components(v, row);
  /* of a body of revolution only the motion along its axis strains nothing */
  for (int i = 0; i < npiece && s->plane == TNI_PLANE_AXISYMMETRIC; i++)
    for (int k = 0, n = N*v->bunch[i].npiece; v->bunch[i].G && k < n; k++)
      if (k % N != 1) v->bunch[i].G[(n + 1)*k] += 1;
  char names[300] = "";
  size_t at = 0;
  for (int i = 0; i < npiece; i++) {
    int before = part->nfree;
    if (v->bunch[i].G) count_unseen(&v->bunch[i], V, part, names, sizeof(names), &at);
    if (part->nfree > before && npiece > 1) TN_TRY(name_groups(v, &v->bunch[i], scratch, names, sizeof(names), &at));
  }
  if (part->nfree == 0) return TN_OK;
  part->free_names = tni_arena_strdup(b->arena, names);
  return part->free_names ? TN_OK : tni_out_of_memory(b->ctx);
}

tn_status tni_structure_count_free(tni_builder *b, tni_part *part, const tni_structure *s) {
  tni_arena scratch;
  survey v = {.s = s};
  tni_arena_init(&scratch, b->ctx);
  tn_status st = survey_pieces(b, &scratch, part, &v);
  tni_arena_clear(&scratch);
  return st;
}

/* Bricks of 20 nodes with 8 points, one beside the other in a single row: a shape without strain at the points passes from each
 * to the next, whatever holds the ends. */
tn_status tni_structure_warn_of_rows(tni_builder *builder, const tni_item *item, const tni_structure *s) {
  static const signed char opposite[6] = {1, 0, 4, 5, 2, 3}; /* S1 S2, S3 S5, S4 S6 */
  tni_arena arena;
  tni_mesh_faces f;
  bool any = false;
  for (int k = 0; k < s->nblock; k++)
    any = any || (s->block[k].kind.type->cell == TNI_CELL_HEX20 && strcmp(s->block[k].kind.type->option[s->block[k].kind.option], "reduced") == 0);
  if (!any) return TN_OK;
  tni_arena_init(&arena, builder->ctx);
  tn_status st = tni_mesh_faces_create(s->mesh, 3, &arena, &f);
  unsigned char *open = st == TN_OK ? tni_arena_alloc(&arena, (size_t)s->mesh->ncell, 1) : NULL;
  if (st == TN_OK && !open) st = tni_out_of_memory(builder->ctx);
  for (int i = 0; i < f.n && st == TN_OK; i++)
    if (f.cell[i][1] < 0) open[f.cell[i][0]] |= (unsigned char)(1u << f.face[i][0]);
  for (int k = 0; k < s->nblock && st == TN_OK; k++) {
    const tni_structure_block *b = &s->block[k];
    int rows = 0;
    if (b->kind.type->cell != TNI_CELL_HEX20 || strcmp(b->kind.type->option[b->kind.option], "reduced") != 0) continue;
    for (int e = 0; e < b->n; e++) {
      int pairs = 0;
      for (int i = 0; i < 6; i++) pairs += (open[b->cell[e]] >> i & 1) && (open[b->cell[e]] >> opposite[i] & 1);
      rows += pairs >= 4;
    }
    if (rows > 0)
      tni_log(builder->ctx, TN_LOG_WARNING, "%s:%d: structure '%s': %d elements hex20 with reduced integration stand in a single row: a shape "
              "without stiffness passes through it; 'element: full', or two elements across, does not let it", item->at.file,
              item->at.line, item->name, rows);
  }
  tni_arena_clear(&arena);
  return st;
}
