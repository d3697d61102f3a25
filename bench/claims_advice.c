/* bench/claims_advice.c - operations counted along profiles, and what the advisor of 1990 makes of them: H16, counts of H22 and H27
 *
 *   whole: nodes as the reference programs number them (reversed breadth-first, the booster by rings, the beam by layers), supports not taken
 *          out of the joints; the profile eliminated
 *   domain: its interior first, from the border inwards and then backwards, its border last; the interior eliminated
 *   border: the unknowns of a domain all coupled, the profile eliminated
 *
 *   columns j with first row m_j, rows below n_el eliminated:
 *   C = sum_j [ 2 sum_(i = m_j .. j-1) max(0, min(i, n_el) - max(m_i, m_j)) + 3 max(0, min(j, n_el) - m_j) ]
 *
 * Rates as the paper has them: S(N) = N/(1 + 2 N/b) on shared memory, N on distributed memory with every column sent to all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "claims.h"
#include "mesh/decompose.h"
#include "mesh/generate.h"

/* unknowns of nodes: ndof each, less those that are held */
typedef struct {
  tn_ctx *ctx;
  tni_mesh *m;
  tni_arena arena;
  tni_mesh_graph g;
  int ndof;
  char *held;
} frame;

typedef struct { double flops, words, n, mean, rms; } profile;

static void open_frame(frame *f, tn_ctx *ctx, const char *text, int ndof, const char *held) {
  memset(f, 0, sizeof(*f));
  f->ctx = ctx;
  f->ndof = ndof;
  BENCH_TRY(ctx, tni_mesh_from_text(ctx, text, &f->m));
  tni_arena_init(&f->arena, ctx);
  BENCH_TRY(ctx, tni_mesh_nodes_of_nodes(f->m, &f->arena, &f->g));
  f->held = tni_arena_alloc(&f->arena, (size_t)f->m->nnode, 1);
  int n = 0;
  const int *node;
  if (held) BENCH_TRY(ctx, tni_mesh_group(f->m, held, &f->arena, &n, &node));
  for (int i = 0; i < n; i++) f->held[node[i]] = 1;
}

static void close_frame(frame *f) {
  tni_arena_clear(&f->arena);
  tni_mesh_destroy(&f->m);
}

/* nodes [n] in the order of elimination, the first `inner` of them eliminated; graph g of nodes (numbers of the mesh), only among those listed */
static profile count(const frame *f, const tni_mesh_graph *g, int n, const int *order, int inner) {
  int *place = malloc((size_t)f->m->nnode*sizeof(int)), total = f->ndof*n, eliminated = f->ndof*inner;
  int *first = malloc((size_t)(total + 1)*sizeof(int));
  profile p = {.n = total};
  for (int i = 0; i < f->m->nnode; i++) place[i] = -1;
  for (int i = 0; i < n; i++) place[order[i]] = i;
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int k = g->from[order[i]]; k < g->from[order[i] + 1]; k++) {
      int q = place[g->to[k]];
      if (q >= 0 && q < least) least = q;
    }
    for (int d = 0; d < f->ndof; d++) first[f->ndof*i + d] = f->ndof*least;
  }
  for (int c = 0; c < total; c++) {
    double sum = 0;
    for (int i = first[c]; i < c; i++) {
      int top = first[i] > first[c] ? first[i] : first[c], end = i < eliminated ? i : eliminated;
      if (end > top) sum += end - top;
    }
    int end = c < eliminated ? c : eliminated;
    p.flops += 2*sum + (end > first[c] ? 3.0*(end - first[c]) : 0);
    p.words += c - first[c] + 1;
    p.rms += (double)(c - first[c] + 1)*(c - first[c] + 1);
  }
  p.mean = p.words/total;
  p.rms = sqrt(p.rms/total);
  free(place);
  free(first);
  return p;
}

/* those of list that are not held, in the order that tni_mesh_order gives them in the graph among themselves */
static int reorder(frame *f, const tni_mesh_graph *g, const char *in, int *order) {
  int *local = malloc((size_t)f->m->nnode*sizeof(int)), *back = malloc((size_t)f->m->nnode*sizeof(int)), n = 0, m = 0;
  for (int i = 0; i < f->m->nnode; i++) {
    local[i] = in[i] ? n : -1;
    if (in[i]) back[n++] = i;
  }
  tni_mesh_graph small = {n, calloc((size_t)n + 1, sizeof(int)), malloc((size_t)(g->from[g->n] + 1)*sizeof(int))};
  for (int i = 0; i < n; i++) {
    for (int k = g->from[back[i]]; k < g->from[back[i] + 1]; k++)
      if (local[g->to[k]] >= 0) small.to[m++] = local[g->to[k]];
    small.from[i + 1] = m;
  }
  BENCH_TRY(f->ctx, tni_mesh_order(&small, &f->arena, order));
  for (int i = 0; i < n; i++) order[i] = back[order[i]];
  free(small.from);
  free(small.to);
  free(local);
  free(back);
  return n;
}

/* as the reference programs number: reversed breadth-first from the node with the fewest neighbours, those with few first */
static int plain_order(const frame *f, int *order) {
  int n = 0, tail = 0, free_nodes = 0;
  const tni_mesh_graph *g = &f->g;
  char *seen = malloc((size_t)f->m->nnode);
  for (int i = 0; i < f->m->nnode; i++) seen[i] = f->held[i], free_nodes += !f->held[i];
  while (tail < free_nodes) {
    int best = -1;
    for (int i = 0; i < f->m->nnode; i++)
      if (!seen[i] && (best < 0 || g->from[i + 1] - g->from[i] < g->from[best + 1] - g->from[best])) best = i;
    seen[best] = 1;
    order[tail++] = best;
    while (n < tail) {
      int v = order[n++], begin = tail;
      for (int k = g->from[v]; k < g->from[v + 1]; k++) {
        int w = g->to[k], at = tail;
        if (seen[w]) continue;
        seen[w] = 1;
        for (; at > begin && g->from[order[at-1] + 1] - g->from[order[at-1]] > g->from[w + 1] - g->from[w]; at--) order[at] = order[at-1];
        order[at] = w;
        tail++;
      }
    }
  }
  for (int i = 0; i < n/2; i++) {
    int v = order[i];
    order[i] = order[n-1-i];
    order[n-1-i] = v;
  }
  free(seen);
  return n;
}

typedef enum { OURS, PLAIN, AS_MADE } numbering;

static profile whole(frame *f, numbering by) {
  char *in = malloc((size_t)f->m->nnode);
  int *order = malloc((size_t)f->m->nnode*sizeof(int)), n = 0;
  for (int i = 0; i < f->m->nnode; i++) in[i] = !f->held[i];
  if (by == OURS) n = reorder(f, &f->g, in, order);
  if (by == PLAIN) n = plain_order(f, order);
  for (int i = 0; i < f->m->nnode && by == AS_MADE; i++)
    if (in[i]) order[n++] = i;
  profile p = count(f, &f->g, n, order, n);
  free(in);
  free(order);
  return p;
}

/* interior nodes of a domain, from the listed border nodes inwards, level by level, then backwards; the rest of the border last */
static profile from_border(frame *f, const tni_mesh_graph *g, int n, const int *node, const char *border, const char *start) {
  int *order = malloc((size_t)n*sizeof(int)), *queue = malloc((size_t)n*sizeof(int)), head = 0, tail = 0, inner = 0, at;
  char *seen = calloc((size_t)f->m->nnode, 1), *in = calloc((size_t)f->m->nnode, 1);
  for (int i = 0; i < n; i++) in[node[i]] = 1, inner += !border[node[i]];
  at = inner;
  for (int i = 0; i < n; i++)
    if (start[node[i]]) queue[tail++] = node[i], seen[node[i]] = 1;
  for (int next = 0;;) {
    while (head < tail) {
      int v = queue[head++];
      if (!border[v]) order[--at] = v;
      for (int k = g->from[v]; k < g->from[v + 1]; k++) {
        int w = g->to[k];
        if (!in[w] || seen[w] || border[w]) continue;
        seen[w] = 1;
        queue[tail++] = w;
      }
    }
    while (next < n && (seen[node[next]] || border[node[next]])) next++;
    if (next == n) break;
    seen[node[next]] = 1;
    queue[tail++] = node[next];
  }
  /* the border in the order in which it is met from the last of the interior */
  int last = inner;
  char *taken = calloc((size_t)f->m->nnode, 1);
  for (int i = 0; i < inner; i++)
    for (int k = g->from[order[i]]; k < g->from[order[i] + 1]; k++) {
      int w = g->to[k];
      if (in[w] && border[w] && !taken[w]) taken[w] = 1, order[last++] = w;
    }
  for (int i = 0; i < n; i++)
    if (border[node[i]] && !taken[node[i]]) order[last++] = node[i];
  profile p = count(f, g, n, order, inner);
  free(order);
  free(queue);
  free(seen);
  free(in);
  free(taken);
  return p;
}

/* the least of all starts: every piece of the border, and the whole of it */
static profile domain(frame *f, const tni_mesh_graph *g, int n, const int *node, const char *border) {
  char *start = calloc((size_t)f->m->nnode, 1), *seen = calloc((size_t)f->m->nnode, 1), *in = calloc((size_t)f->m->nnode, 1);
  int *stack = malloc((size_t)n*sizeof(int));
  for (int i = 0; i < n; i++) in[node[i]] = 1, start[node[i]] = border[node[i]];
  profile best = from_border(f, g, n, node, border, start);
  for (int i = 0; i < n; i++) {
    if (!border[node[i]] || seen[node[i]]) continue;
    int top = 0;
    memset(start, 0, (size_t)f->m->nnode);
    stack[top++] = node[i];
    seen[node[i]] = 1;
    while (top > 0) {
      int v = stack[--top];
      start[v] = 1;
      for (int k = g->from[v]; k < g->from[v + 1]; k++) {
        int w = g->to[k];
        if (!in[w] || !border[w] || seen[w]) continue;
        seen[w] = 1;
        stack[top++] = w;
      }
    }
    profile p = from_border(f, g, n, node, border, start);
    if (p.flops < best.flops) best = p;
  }
  free(start);
  free(seen);
  free(in);
  free(stack);
  return best;
}

typedef struct { double most, sum, words, border, unknowns; profile largest; } cut_counts;

static cut_counts cut(frame *f, int nparts, const int *part, bool eliminate_all) {
  tni_mesh_part *p;
  tni_mesh *m = f->m;
  cut_counts out = {0};
  BENCH_TRY(f->ctx, tni_mesh_parts_create(m, nparts, part, &f->arena, &p));
  char *border = calloc((size_t)m->nnode, 1);
  int *node = malloc((size_t)m->nnode*sizeof(int));
  for (int s = 0; s < nparts; s++)
    for (int i = 0; i < p[s].from[p[s].nneighbour]; i++) border[p[s].shared[i]] = !f->held[p[s].shared[i]];
  /* nodes that share a cell of the domain: two border nodes may share one of the neighbour only, but that couples them in the whole as well */
  for (int s = 0; s < nparts; s++) {
    int n = 0;
    for (int i = 0; i < p[s].nnode; i++)
      if (!f->held[p[s].node[i]]) node[n++] = p[s].node[i];
    profile c;
    if (eliminate_all) {
      char *in = calloc((size_t)m->nnode, 1);
      int *order = malloc((size_t)n*sizeof(int));
      for (int i = 0; i < n; i++) in[node[i]] = 1;
      n = reorder(f, &f->g, in, order);
      c = count(f, &f->g, n, order, n);
      free(in);
      free(order);
    } else {
      c = domain(f, &f->g, n, node, border);
    }
    if (c.flops > out.most) out.most = c.flops, out.largest = c;
    out.sum += c.flops;
    out.words += c.words;
  }
  /* the border: nodes of a domain all coupled */
  size_t room = 0;
  for (int s = 0; s < nparts; s++) room += (size_t)p[s].nshared*(size_t)p[s].nshared;
  tni_mesh_graph dense = {m->nnode, calloc((size_t)m->nnode + 1, sizeof(int)), malloc((room + 1)*sizeof(int))};
  int k = 0, nb = 0;
  int *mark = malloc((size_t)m->nnode*sizeof(int));
  for (int i = 0; i < m->nnode; i++) mark[i] = -1;
  for (int v = 0; v < m->nnode; v++) {
    for (int s = 0; s < nparts && border[v]; s++) {
      bool here = false;
      for (int i = 0; i < p[s].nnode; i++) here = here || p[s].node[i] == v;
      for (int i = 0; i < p[s].nnode && here; i++) {
        int w = p[s].node[i];
        if (border[w] && w != v && mark[w] != v) mark[w] = v, dense.to[k++] = w;
      }
    }
    nb += border[v];
    dense.from[v + 1] = k;
  }
  int *order = malloc((size_t)nb*sizeof(int));
  nb = reorder(f, &dense, border, order);
  out.border = count(f, &dense, nb, order, nb).flops;
  out.unknowns = f->ndof*nb;
  free(border);
  free(node);
  free(dense.from);
  free(dense.to);
  free(mark);
  free(order);
  return out;
}

static double shared_memory(int np, double b) { return np/(1 + 2*np/b); }

static int *parts_by(const tni_mesh *m, int (*rule)(const double x[3])) {
  int *part = malloc((size_t)m->ncell*sizeof(int));
  for (int c = 0; c < m->ncell; c++) {
    double x[TNI_CELL_MAXNODE][3], middle[3] = {0};
    const tni_cell_shape *s = tni_mesh_places(m, c, x);
    for (int i = 0; i < s->nnode; i++)
      for (int d = 0; d < 3; d++) middle[d] += x[i][d]/s->nnode;
    part[c] = rule(middle);
  }
  return part;
}

static const double PI = 3.14159265358979323846;

static int link_slices(const double x[3]) {
  int s = ((int)floor(atan2(x[1], x[0])/(2*PI)*28) + 28)%28;
  return s >= 27 || s < 3 ? 0 : s < 12 ? 1 : s < 18 ? 2 : 3;
}
static int elbow_slices(const double x[3]) {
  int s = (int)floor(atan2(x[1], x[0])/(PI/2)*24);
  return s < 3 ? 0 : s < 11 ? 1 : s < 20 ? 2 : 3;
}
static int along_booster(const double x[3]) { return x[2] >= 37 ? 3 : (int)(x[2]/37*4 + 1e-9); }
static int around_booster(const double x[3]) {
  double a = atan2(x[1], x[0]);
  return (int)floor((a < 0 ? a + 2*PI : a)/(PI/2));
}

static void print_decision(figures *j, const char *name, const char *key, const char *what, const char *there, bool same, const char *says) {
  char text[400];
  snprintf(text, sizeof(text), "%s: %s", what, there);
  claim(j, name, text, claim_is(same), "%s", says);
  claim_figure(j, name, key, same);
}

void claims_of_advice(figures *j, tn_ctx *ctx) {
  frame f;
  char says[300];
  open_frame(&f, ctx, "link", 3, NULL);
  profile all = whole(&f, PLAIN);
  int *part = parts_by(f.m, link_slices), *layer = malloc((size_t)f.m->ncell*sizeof(int));
  cut_counts slices = cut(&f, 4, part, false);
  BENCH_TRY(ctx, tni_mesh_decompose(f.m, TNI_CUT_GREEDY, 4, NULL, layer));
  cut_counts greedy = cut(&f, 4, layer, false);
  double S = shared_memory(4, all.mean), one = (slices.sum + slices.border)/all.flops;
  snprintf(says, sizeof(says), "profile %.0f (rms %.0f), %.3g; slices %.3g + %.3g: %.2f, substructuring", all.mean, all.rms, all.flops, slices.sum, slices.border, one);
  print_decision(j, "H16", "joint_1", "joint, 1 processor", "substructuring; 6.87e7 against 5.10e7 + 5.8e6, 0.83",
                 one < 1 && claim_near(all.flops, 6.87e7, 0.15) && claim_near(slices.sum, 5.10e7, 0.15) && claim_near(slices.border, 5.8e6, 0.15), says);
  double sub = slices.most + slices.border/S, direct = all.flops/S;
  snprintf(says, sizeof(says), "%.3g against %.3g: substructuring", direct, sub);
  print_decision(j, "H16", "joint_4", "joint, 4 processors with shared memory", "substructuring; 1.80e7 against 1.51e7",
                 sub < direct && claim_near(direct, 1.80e7, 0.15) && claim_near(sub, 1.51e7, 0.15), says);
  snprintf(says, sizeof(says), "%.3g + %.3g: whole", greedy.sum, greedy.border);
  print_decision(j, "H16", "joint_greedy", "joint cut by `greedy` alone", "whole; 1.10e8 + 4.4e7",
                 greedy.sum + greedy.border > all.flops && claim_near(greedy.sum, 1.10e8, 0.15) && claim_near(greedy.border, 4.4e7, 0.15), says);
  free(part);
  free(layer);
  close_frame(&f);

  open_frame(&f, ctx, "link variant=L0", 3, NULL);
  all = whole(&f, PLAIN);
  profile own = whole(&f, OURS);
  part = parts_by(f.m, elbow_slices);
  slices = cut(&f, 4, part, false);
  S = shared_memory(4, all.mean);
  sub = slices.most + slices.border/S, direct = all.flops/S;
  snprintf(says, sizeof(says), "%.3g against %.3g + %.3g; %.3g against %.3g: whole. Our own numbering of the whole: %.3g", all.flops, slices.sum, slices.border,
           direct, sub, own.flops);
  print_decision(j, "H16", "elbow", "open elbow, 1 and 4 processors", "whole; 4.80e7 against 4.62e7 + 1.9e6, 1.28e7 against 1.41e7",
                 slices.sum + slices.border > 0.99*all.flops && sub > direct && claim_near(all.flops, 4.80e7, 0.15) && claim_near(slices.sum, 4.62e7, 0.15) &&
                 claim_near(slices.border, 1.9e6, 0.15), says);
  free(part);
  close_frame(&f);

  open_frame(&f, ctx, "booster", 6, "z0");
  all = whole(&f, AS_MADE);
  part = parts_by(f.m, along_booster);
  slices = cut(&f, 4, part, false);
  S = shared_memory(4, all.mean);
  direct = all.flops/S;
  snprintf(says, sizeof(says), "rms %.0f, %.3g against %.3g + %.3g: whole", all.rms, direct, slices.most, slices.border/S);
  print_decision(j, "H16", "booster", "booster, 4 processors, slices", "whole; 1.95e9 against 7.08e9 + 0.06e9",
                 slices.most + slices.border/S > direct && claim_near(direct, 1.95e9, 0.15) && claim_near(slices.most, 7.08e9, 0.15), says);
  free(part);
  part = parts_by(f.m, around_booster);
  cut_counts around = cut(&f, 4, part, true);
  double N = 283, few = around.sum + 8*N*around.words/4 + N*N*N/3, slow = around.sum + 8*N*around.words/4/0.75 + N*N*N/3;
  claim(j, "H27", "booster with 283 forces between 4 long parts: half the time of the skyline (20.18 against 39 s); operations 0.51, at slower solutions 0.66",
        claim_is(few/all.flops <= 0.6), "%.3g against %.3g operations: %.2f, %.2f", few, all.flops, few/all.flops, slow/all.flops);
  claim_figure(j, "H27", "operations", few/all.flops);
  free(part);
  close_frame(&f);

  open_frame(&f, ctx, "dual_keel", 6, NULL);
  all = whole(&f, OURS);
  part = malloc((size_t)f.m->ncell*sizeof(int));
  for (int c = 0; c < f.m->ncell; c++) {
    const int *node = tni_mesh_nodes(f.m, c, NULL);
    int a = node[0]/8, b = node[1]/8, low = a < b ? a : b;
    part[c] = low/3 < 16 ? low/3 : 15;
  }
  slices = cut(&f, 16, part, false);
  const double MESSAGE = 475, HOPS = 4;
  direct = all.flops/16 + all.n*HOPS*MESSAGE;
  sub = slices.most + slices.border/16 + slices.unknowns*HOPS*MESSAGE;
  snprintf(says, sizeof(says), "%.2g + %.2g against %.2g + %.2g + %.2g: %.2f, substructuring", all.flops/16, all.n*HOPS*MESSAGE, slices.most, slices.border/16,
           slices.unknowns*HOPS*MESSAGE, sub/direct);
  print_decision(j, "H16", "station", "station, 16 processors, a message 475 multiplications", "substructuring; 4.5e5 + 4.4e6 against 6.8e5 + 2.3e5 + 1.4e6, 0.47",
                 sub < direct && claim_near(direct, 4.85e6, 0.15) && claim_near(sub, 2.31e6, 0.15), says);
  free(part);
  close_frame(&f);

  /* the paper's own words and iterations: C = words^2/n, a solution 4 words at 0.75 of the factor's rate */
  static const double n[3] = {13000, 28000, 48000}, cholesky[3] = {3.6e6, 16e6, 50e6}, feti[3] = {1.6e6, 4.5e6, 9.5e6}, iterations[3] = {130, 210, 300};
  double ratio[3];
  for (int i = 0; i < 3; i++) ratio[i] = (feti[i]*feti[i]/n[i] + iterations[i]*4*feti[i]/0.75)/(cholesky[i]*cholesky[i]/n[i]);
  snprintf(says, sizeof(says), "%.2f, %.2f, %.2f from the paper's words and iterations", ratio[0], ratio[1], ratio[2]);
  print_decision(j, "H22", "advice", "composite beam of 4, 9, 16 pencils, FETI over Cholesky", "1.31, 0.63, 0.33: Cholesky, FETI, FETI",
                 fabs(ratio[0] - 1.31) < 0.01 && fabs(ratio[1] - 0.63) < 0.01 && fabs(ratio[2] - 0.33) < 0.01, says);
  static const double want[3] = {3.4e6, 1.43e7, 4.1e7};
  double words[3], torn[3] = {0};
  bool held = true;
  for (int p = 2; p <= 4; p++) {
    char text[80];
    snprintf(text, sizeof(text), "composite_beam pencils=%d", p);
    open_frame(&f, ctx, text, 3, "z0");
    words[p-2] = whole(&f, AS_MADE).words;
    held = held && claim_near(words[p-2], want[p-2], 0.15);
    part = malloc((size_t)f.m->ncell*sizeof(int));
    for (int many = 0; many < 2; many++) {
      int side = many ? p : 2;
      if (p == 3 || (p == 2 && many)) continue;
      for (int c = 0; c < f.m->ncell; c++) {
        double x[TNI_CELL_MAXNODE][3], middle[2] = {0};
        const tni_cell_shape *s = tni_mesh_places(f.m, c, x);
        for (int i = 0; i < s->nnode; i++)
          for (int d = 0; d < 2; d++) middle[d] += x[i][d]/s->nnode;
        part[c] = (int)(middle[0]*side/p) + side*(int)(middle[1]*side/p);
      }
      torn[p == 2 ? 0 : 1 + many] = cut(&f, side*side, part, true).words;
    }
    free(part);
    close_frame(&f);
  }
  claim(j, "H22", "numbers kept: Cholesky 50 M, FETI 9.5 M at 48,000 unknowns; profiles of our beam 3.4, 14.3, 41 M, torn 1.5 (4 parts), 13.7 (4), 5.9 M (16)",
        claim_is(held && claim_near(torn[0], 1.5e6, 0.15) && claim_near(torn[1], 1.37e7, 0.15) && claim_near(torn[2], 5.9e6, 0.15)),
        "%.2f, %.1f, %.1f M; %.2f, %.1f, %.1f M", 1e-6*words[0], 1e-6*words[1], 1e-6*words[2], 1e-6*torn[0], 1e-6*torn[1], 1e-6*torn[2]);
}
