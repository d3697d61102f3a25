/* decomposer, colours, mapper: published counts, properties on random settings
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/decompose.h"

#include "mesh/colour.h"
#include "mesh/generate.h"
#include "mesh/map.h"
#include "support/check.h"

static tn_ctx *ctx;

static tni_mesh *make(const char *text) {
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_from_text(ctx, text, &m));
  return m;
}

static tni_cut_report cut(const tni_mesh *m, tni_cut rule, int nparts, const double *weight, int *part) {
  tni_cut_report r;
  CHECK_OK(ctx, tni_mesh_decompose(m, rule, nparts, weight, part));
  CHECK_OK(ctx, tni_mesh_cut_examine(m, nparts, part, weight, NULL, 3, 1e-6, 1e-9, &r));
  return r;
}

/* the two decompositions that were published for the square of 16 x 16 into 16, and others computed with the same rules */
static void published_counts(void) {
  static int part[8192];
  tni_mesh *m = make("plate size=1,1 cells=16,16");
  tni_cut_report r = cut(m, TNI_CUT_FRONTIER, 16, NULL, part);
  CHECK_INT(r.interface_nodes, 255);
  CHECK_INT(r.most_neighbours, 2);
  CHECK_INT(r.contention, 16);
  r = cut(m, TNI_CUT_GREEDY, 16, NULL, part);
  CHECK_INT(r.interface_nodes, 93);
  CHECK_INT(r.most_neighbours, 8);
  CHECK_INT(r.most_touching, 4);
  CHECK_INT(r.contention, 4);
  CHECK(r.least_cells == 16 && r.most_cells == 16);
  CHECK_NEAR(r.imbalance, 1, 1e-15);
  CHECK_NEAR(r.worst_aspect, 1, 1e-9);
  r = cut(m, TNI_CUT_BISECT, 16, NULL, part);
  CHECK_INT(r.interface_nodes, 93);
  tni_mesh_destroy(&m);
  m = make("plate size=1,1 cells=32,32");
  r = cut(m, TNI_CUT_GREEDY, 16, NULL, part);
  CHECK_INT(r.interface_nodes, 189);
  tni_mesh_destroy(&m);
  m = make("box size=1,1,1 cells=8,8,8");
  r = cut(m, TNI_CUT_GREEDY, 8, NULL, part);
  CHECK_INT(r.interface_nodes, 217);
  CHECK_INT(r.most_neighbours, 7);
  CHECK_INT(r.most_touching, 3);
  r = cut(m, TNI_CUT_BISECT, 8, NULL, part);
  CHECK_INT(r.interface_nodes, 217);
  tni_mesh_destroy(&m);
  m = make("dual_keel"); /* slices of three bays */
  r = cut(m, TNI_CUT_STRIPS, 16, NULL, part);
  CHECK(r.most_neighbours <= 4 && r.interface_nodes <= 200);
  tni_mesh_destroy(&m);
}

/* reference geometries: counts at cuts and profiles that were computed with other programs (rms of rows of the matrix of freedoms:
 * booster 404, its slices 477, both with 6 freedoms a node after reverse Cuthill-McKee) */
static double rows_of_freedoms(double nodes, int ndof) { return ndof*nodes - 0.5*(ndof - 1); } /* freedom k of a node is k shorter at its end */

static void reference_geometries(void) {
  tni_cut_report r;
  tni_mesh *m = make("booster");
  int *part = malloc((size_t)m->ncell*sizeof(int));
  r = cut(m, TNI_CUT_STRIPS, 4, NULL, part);
  CHECK_INT(r.interface_nodes, 180);
  CHECK_INT(r.most_neighbours, 2);
  CHECK_NEAR(rows_of_freedoms(r.global_profile, 6), 404, 0.01);
  CHECK_NEAR(rows_of_freedoms(r.worst_profile, 6), 477, 0.01);
  /* along the generator: four parts of 15 columns, 608 nodes without the base */
  for (int c = 0; c < m->ncell; c++) {
    double x[20][3], a = 0;
    const tni_cell_shape *s = tni_mesh_places(m, c, x);
    double mean[2] = {0, 0};
    for (int i = 0; i < s->nnode; i++) {
      mean[0] += x[i][0];
      mean[1] += x[i][1];
    }
    a = atan2(mean[1], mean[0]);
    part[c] = (int)floor((a < 0 ? a + 2*3.14159265358979323846 : a)/(0.5*3.14159265358979323846));
  }
  CHECK_OK(ctx, tni_mesh_cut_examine(m, 4, part, NULL, NULL, 6, 1e-6, 1e-9, &r));
  CHECK_INT(r.interface_nodes - 4, 608);
  CHECK_INT(r.most_touching, 2);
  free(part);
  tni_mesh_destroy(&m);
  /* the closed link in four slices of sections: 120, 108, 120, 108 cells, 288 freedoms at the cuts */
  m = make("link");
  part = malloc((size_t)m->ncell*sizeof(int));
  int size[4] = {0};
  for (int c = 0; c < m->ncell; c++) {
    double x[20][3], mean[2] = {0, 0};
    tni_mesh_places(m, c, x);
    for (int i = 0; i < 8; i++) {
      mean[0] += x[i][0];
      mean[1] += x[i][1];
    }
    double a = atan2(mean[1], mean[0])/(2*3.14159265358979323846)*28;
    int section = ((int)floor(a) + 28)%28;
    part[c] = section >= 27 || section < 3 ? 0 : section < 12 ? 1 : section < 18 ? 2 : 3;
    size[part[c]]++;
  }
  CHECK(size[0] == 120 && size[1] == 108 && size[2] == 120 && size[3] == 108);
  CHECK_OK(ctx, tni_mesh_cut_examine(m, 4, part, NULL, NULL, 3, 1e-6, 1e-9, &r));
  CHECK_INT(3*r.interface_nodes, 288);
  free(part);
  tni_mesh_destroy(&m);
  /* the station in 16 parts of three bays */
  m = make("dual_keel");
  part = malloc((size_t)m->ncell*sizeof(int));
  for (int c = 0; c < m->ncell; c++) {
    const int *node = tni_mesh_nodes(m, c, NULL);
    int a = node[0]/8, b = node[1]/8, low = a < b ? a : b; /* sections of eight nodes */
    part[c] = low/3 < 16 ? low/3 : 15;
  }
  CHECK_OK(ctx, tni_mesh_cut_examine(m, 16, part, NULL, NULL, 3, 1e-6, 1e-9, &r));
  CHECK_INT(r.interface_nodes, 120);
  free(part);
  tni_mesh_destroy(&m);
}

/* parts in several pieces, counted apart from the library: cells that share three corners of a solid, two of a plane cell, one of a
 * line are joined */
static int parts_in_pieces(const tni_mesh *m, int nparts, const int *part) {
  int *root = malloc((size_t)m->ncell*sizeof(int)), *pieces = calloc((size_t)nparts, sizeof(int)), several = 0;
  for (int c = 0; c < m->ncell; c++) root[c] = c;
  for (int c = 0; c < m->ncell; c++) {
    for (int d = 0; d < c; d++) {
      const tni_cell_shape *s, *t;
      const int *a = tni_mesh_nodes(m, c, &s), *b = tni_mesh_nodes(m, d, &t);
      int common = 0;
      if (part[c] != part[d]) continue;
      for (int i = 0; i < s->ncorner; i++)
        for (int j = 0; j < t->ncorner; j++) common += a[i] == b[j];
      int p = c, q = d;
      if (common < (s->dim < t->dim ? s->dim : t->dim)) continue;
      while (root[p] != p) p = root[p];
      while (root[q] != q) q = root[q];
      root[p > q ? p : q] = p > q ? q : p;
    }
  }
  for (int c = 0; c < m->ncell; c++)
    if (root[c] == c && ++pieces[part[c]] == 2) several++;
  free(root);
  free(pieces);
  return several;
}

/* a piece goes to the part with which it shares most */
static void pieces_go_where_they_touch_most(void) {
  tni_mesh *m = make("plate size=3,5 cells=3,5");
  int part[15] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 0, 2, 2, 2, 2}, moved, pieces;
  CHECK_INT(parts_in_pieces(m, 3, part), 1);
  CHECK_OK(ctx, tni_mesh_repair(m, 3, part, &moved, &pieces));
  CHECK(moved == 1 && pieces == 0 && part[10] == 2);
  tni_mesh_destroy(&m);
}

/* any mesh, any rule, any number: all cells, none empty, in balance; after repair in one piece */
static void every_rule_on_many_meshes(void) {
  static const char *const text[] = {"box size=3,1,1 cells=9,3,3", "box size=1,1,1 cells=4,4,4 cell=tet10", "link", "dual_keel sections=20 crossings=4",
                                     "booster cells=12,20 rings=3", "cylinder radius=1 length=3 cells=3,5", "plate size=4,1 cells=20,5 cell=tri3",
                                     "cracked_plate cells=20,10", "foam_bar cells=20,2,3", "ring radius=1,2 cells=3,24 cell=quad8"};
  static const int count[] = {1, 2, 3, 5, 7, 16};
  for (int k = 0; k < TNI_COUNT(text); k++) {
    tni_mesh *m = make(text[k]);
    int *part = malloc((size_t)m->ncell*sizeof(int)), *again = malloc((size_t)m->ncell*sizeof(int));
    double *weight = malloc((size_t)m->ncell*sizeof(double));
    uint64_t seed = 5;
    double heaviest = 0, total = 0;
    for (int c = 0; c < m->ncell; c++) {
      weight[c] = 2 + check_random(&seed);
      heaviest = fmax(heaviest, weight[c]);
      total += weight[c];
    }
    for (int rule = 0; rule < TNI_NCUT; rule++) {
      for (int i = 0; i < TNI_COUNT(count); i++) {
        int n = count[i], moved, pieces, before = check_failures;
        tni_cut_report r = cut(m, (tni_cut)rule, n, NULL, part);
        CHECK(r.least_cells >= 1);
        bool balances = rule != TNI_CUT_METIS && rule != TNI_CUT_SCOTCH && rule != TNI_CUT_BEST;
        if (balances) CHECK(r.most_cells - r.least_cells <= 1);
        else CHECK(r.imbalance < 1.25);
        CHECK_OK(ctx, tni_mesh_decompose(m, (tni_cut)rule, n, NULL, again)); /* the same again */
        CHECK(memcmp(part, again, (size_t)m->ncell*sizeof(int)) == 0);
        CHECK_OK(ctx, tni_mesh_repair(m, n, part, &moved, &pieces));
        CHECK_OK(ctx, tni_mesh_cut_examine(m, n, part, NULL, NULL, 3, 1e-6, 1e-9, &r));
        CHECK_INT(r.in_pieces, pieces);
        if (m->nblock == 1 && m->ncell < 500) CHECK_INT(parts_in_pieces(m, n, part), pieces);
        if (strncmp(text[k], "foam", 4) != 0 && strncmp(text[k], "booster", 7) != 0) CHECK_INT(pieces, 0);
        CHECK(r.least_cells >= 1);
        for (int c = 0; c < m->ncell; c++) CHECK(part[c] >= 0 && part[c] < n);
        r = cut(m, (tni_cut)rule, n, weight, part);
        CHECK(r.least_cells >= 1);
        if (balances) CHECK(r.imbalance*total/n <= total/n + heaviest*n);
        if (check_failures > before) printf("  of: %s, %s into %d\n", text[k], tni_cut_names[rule], n);
      }
    }
    free(part);
    free(again);
    free(weight);
    tni_mesh_destroy(&m);
  }
  CHECK_INT(tni_cut_named("metis"), TNI_CUT_METIS);
  CHECK_INT(tni_cut_named("magic"), -1);
  tni_mesh *m = make("bar size=1 cells=3");
  int part[3];
  CHECK(tni_mesh_decompose(m, TNI_CUT_GREEDY, 4, NULL, part) == TN_ERR_ARGUMENT);
  tni_mesh_destroy(&m);
}

/* shared nodes: both sides list the same ones in the same order; every node of two parts is in a list */
static void shared_lists(void) {
  tni_mesh *m = make("box size=1,1,1 cells=6,6,6");
  int *part = malloc((size_t)m->ncell*sizeof(int));
  for (int i = 0; i < m->nnode; i++) m->gid[i] = 100000 - i; /* order by global number, not by ours */
  tni_cut_report r = cut(m, TNI_CUT_METIS, 10, NULL, part);
  tni_arena arena;
  tni_mesh_part *p;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_mesh_parts_create(m, 10, part, &arena, &p));
  int cells = 0, nodes = 0;
  for (int s = 0; s < 10; s++) {
    cells += p[s].ncell;
    nodes += p[s].nnode - p[s].nshared;
    for (int i = 0; i < p[s].nneighbour; i++) {
      int t = p[s].neighbour[i], j = 0, n = p[s].from[i+1] - p[s].from[i];
      while (j < p[t].nneighbour && p[t].neighbour[j] != s) j++;
      CHECK(j < p[t].nneighbour && p[t].from[j+1] - p[t].from[j] == n && n > 0);
      CHECK(memcmp(p[s].shared + p[s].from[i], p[t].shared + p[t].from[j], (size_t)n*sizeof(int)) == 0);
      for (int k = p[s].from[i] + 1; k < p[s].from[i+1]; k++) CHECK(m->gid[p[s].shared[k]] > m->gid[p[s].shared[k-1]]);
    }
  }
  CHECK_INT(cells, m->ncell);
  CHECK_INT(nodes + r.interface_nodes, m->nnode);
  tni_arena_clear(&arena);
  free(part);
  tni_mesh_destroy(&m);
}

/* parts of one's own, from a text */
static void parts_from_a_file(void) {
  tni_mesh *m = make("bar size=1 cells=4");
  static const struct {
    const char *text, *message;
  } bad[] = {{"0\n1\n", "p:3: 2 parts for the 4 cells of the mesh"},
             {"0\n1\n1\n0\n0\n", "p:5: more parts than the 4 cells of the mesh"},
             {"0\n-1\n", "p:2: part -1, must be from 0 to 3"},
             {"0\n9\n", "p:2: part 9, must be from 0 to 3"},
             {"0\nx\n", "p:2: a part must be a whole number, found 'x'"},
             {"0 1\n", "p:1: one part in a line, found '1'"},
             {"0\n0\n2\n2\n", "p: part 1 has no cell, parts are numbered from 0 to 2"}};
  int part[4], n;
  const char *good = "# mine\n1\n1\n\n0\n 0";
  CHECK_OK(ctx, tni_mesh_parse_parts(m, "p", good, strlen(good), part, &n));
  CHECK(n == 2 && part[0] == 1 && part[1] == 1 && part[2] == 0 && part[3] == 0);
  for (int i = 0; i < TNI_COUNT(bad); i++) {
    CHECK(tni_mesh_parse_parts(m, "p", bad[i].text, strlen(bad[i].text), part, &n) == TN_ERR_INPUT);
    CHECK_TEXT(tn_ctx_message(ctx), bad[i].message);
  }
  CHECK(tni_mesh_read_parts(m, "/nowhere/p", part, &n) == TN_ERR_IO);
  tni_mesh_destroy(&m);
}

/* a published example of who shares what: a shell with nodes A B C D, one element a part; the second has A, D, the third D, C */
static void published_exchange(void) {
  tni_mesh_builder *b;
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_begin(ctx, "patch", "patch", &b));
  enum { A, B, C, D, E, F };
  for (int i = 0; i < 6; i++) tni_mesh_add_node(b, 0, i == B || i == C || i == F, i >= C, i >= E);
  tni_mesh_add_cell(b, TNI_CELL_QUAD4, NULL, 0, (int[]){A, B, C, D});
  tni_mesh_add_cell(b, TNI_CELL_LINE2, NULL, 0, (int[]){A, D});
  tni_mesh_add_cell(b, TNI_CELL_QUAD4, NULL, 0, (int[]){D, C, F, E});
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  int part[3];
  part[0] = 0; /* cells of the mesh are by block: the shells come first */
  part[1] = 2;
  part[2] = 1;
  tni_arena arena;
  tni_mesh_part *p;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_mesh_parts_create(m, 3, part, &arena, &p));
  CHECK(p[0].nneighbour == 2 && p[0].neighbour[0] == 1 && p[0].neighbour[1] == 2 && p[0].nshared == 3); /* B with nobody */
  CHECK(p[0].from[1] == 2 && p[0].shared[0] == A && p[0].shared[1] == D);
  CHECK(p[0].from[2] == 4 && p[0].shared[2] == C && p[0].shared[3] == D);
  CHECK(p[1].nneighbour == 2 && p[1].from[2] - p[1].from[1] == 1 && p[1].shared[p[1].from[1]] == D);
  tni_arena_clear(&arena);
  tni_mesh_destroy(&m);
}

/* supports: parts that touch none of them float; exchange by the model */
static void floating_parts(void) {
  tni_mesh *m = make("box size=4,1,1 cells=8,2,2");
  int *part = malloc((size_t)m->ncell*sizeof(int));
  char *held = calloc((size_t)m->nnode, 1);
  const tni_mesh_set *x0 = tni_mesh_find_set(m, "x0", TNI_SET_NODES);
  for (int i = 0; i < x0->n; i++) held[x0->member[i]] = 1;
  CHECK_OK(ctx, tni_mesh_decompose(m, TNI_CUT_STRIPS, 4, NULL, part));
  tni_cut_report r;
  CHECK_OK(ctx, tni_mesh_cut_examine(m, 4, part, NULL, held, 3, 1e-6, 1e-9, &r));
  CHECK_INT(r.floating, 3);
  CHECK_INT(r.interface_nodes, 27);
  CHECK_NEAR(r.exchange, 2e-6 + 8*3*18e-9, 1e-14); /* a slice in the middle: two neighbours, 18 nodes */
  CHECK_NEAR(r.mean_neighbours, 1.5, 1e-15);
  /* rows of the matrix of nodes: slices of 9 nodes; at most a slice and the one before */
  CHECK(r.global_profile > 9 && r.global_profile <= 18 && r.worst_profile <= r.global_profile);
  free(part);
  free(held);
  tni_mesh_destroy(&m);
}

static void colours(void) {
  static const struct {
    const char *text;
    int want; /* 0: only that it is right */
  } list[] = {{"plate size=1,1 cells=16,16", 4}, {"box size=1,1,1 cells=6,6,6", 8}, {"plate size=1,1 cells=7,9 cell=quad8", 4}, {"link", 8},
              {"box size=1,1,1 cells=3,3,3 cell=tet10", 0}, {"dual_keel", 0}, {"booster", 0}, {"disk radius=1 cells=5", 0}};
  for (int k = 0; k < TNI_COUNT(list); k++) {
    tni_mesh *m = make(list[k].text);
    tni_arena arena;
    tni_mesh_colours c;
    tni_arena_init(&arena, ctx);
    CHECK_OK(ctx, tni_mesh_colour(m, &arena, &c));
    if (list[k].want) CHECK_INT(c.n, list[k].want);
    int *seen = tni_arena_alloc(&arena, (size_t)m->nnode, sizeof(int)), least = m->ncell, most = 0;
    CHECK_INT(c.from[c.n], m->ncell);
    for (int g = 0; g < c.n; g++) {
      int size = c.from[g+1] - c.from[g];
      least = size < least ? size : least;
      most = size > most ? size : most;
      for (int i = c.from[g]; i < c.from[g+1]; i++) {
        const tni_cell_shape *s;
        const int *node = tni_mesh_nodes(m, c.cell[i], &s);
        CHECK(c.colour[c.cell[i]] == g);
        for (int a = 0; a < s->nnode; a++) {
          CHECK(seen[node[a]] != g + 1);
          seen[node[a]] = g + 1;
        }
      }
    }
    CHECK(least > 0 && (list[k].want == 0 || most <= 2*least));
    tni_arena_clear(&arena);
    tni_mesh_destroy(&m);
  }
  /* more than 64 cells at a node: a hub of 200 spokes needs 200 colours */
  tni_mesh_builder *b;
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_begin(ctx, "hub", "hub", &b));
  tni_mesh_add_node(b, 0, 0, 0, 0);
  for (int i = 0; i < 200; i++) tni_mesh_add_cell(b, TNI_CELL_LINE2, NULL, 0, (int[]){0, tni_mesh_add_node(b, 0, cos(i), sin(i), 0)});
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  tni_arena arena;
  tni_mesh_colours c;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_mesh_colour(m, &arena, &c));
  CHECK_INT(c.n, 200);
  tni_arena_clear(&arena);
  tni_mesh_destroy(&m);
}

/* blocks of a square on a hypercube: a grid fits into it with distance 1 between all that share an edge (Gray codes); with
 * corners 2 is the least. Never worse than the naive map; costs are what a plain sum says. */
static void mapping(void) {
  tni_mesh *m = make("plate size=1,1 cells=16,16");
  static int part[256], map[64];
  CHECK_OK(ctx, tni_mesh_decompose(m, TNI_CUT_GREEDY, 16, NULL, part));
  tni_arena arena;
  tni_mesh_part *p;
  tni_part_graph g;
  tni_map_cost cost, naive;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_mesh_parts_create(m, 16, part, &arena, &p));
  CHECK_OK(ctx, tni_part_graph_create(p, 16, 2, &arena, &g));
  CHECK_OK(ctx, tni_map_parts(ctx, &g, 16, tni_distance_hypercube, NULL, NULL, map, &cost, &naive));
  CHECK_NEAR(cost.farthest, 2, 1e-15);
  CHECK(cost.total <= naive.total && cost.farthest < naive.farthest);
  /* 24 sides of 5 nodes, 18 corners of one: with Gray codes 24*5*2*1 + 18*2*2 */
  CHECK(cost.total <= 24*5*2 + 18*2*2 + 1e-9);
  int seen[16] = {0};
  for (int s = 0; s < 16; s++) CHECK(map[s] >= 0 && map[s] < 16 && seen[map[s]]++ == 0);
  double sum = 0;
  for (int s = 0; s < 16; s++)
    for (int i = g.from[s]; i < g.from[s+1]; i++)
      if (g.to[i] > s) sum += g.amount[i]*__builtin_popcount((unsigned)map[s] ^ (unsigned)map[g.to[i]]);
  CHECK_NEAR(cost.total, sum, 1e-12);
  tni_map_opts o = {.total_first = true};
  CHECK_OK(ctx, tni_map_parts(ctx, &g, 16, tni_distance_hypercube, NULL, &o, map, &cost, NULL));
  CHECK(cost.total <= 24*5*2 + 18*2*2 + 1e-9);
  CHECK_OK(ctx, tni_map_parts(ctx, &g, 64, tni_distance_hypercube, NULL, NULL, map, &cost, NULL)); /* more processors than parts */
  CHECK(cost.farthest <= 2);
  CHECK(tni_map_parts(ctx, &g, 8, tni_distance_hypercube, NULL, NULL, map, &cost, NULL) == TN_ERR_ARGUMENT);
  tni_arena_clear(&arena);
  tni_mesh_destroy(&m);
}

/* best cuts a cube of 46^3 into 4^3 boxes, though 46/4 is no whole number: halves of equal numbers have steps there */
static void best_goes_between_layers(void) {
  tni_mesh *m = make("box size=1,1,1 cells=46,46,46");
  int *part = malloc((size_t)m->ncell*sizeof(int));
  tni_cut_report r = cut(m, TNI_CUT_BEST, 64, NULL, part), halves = cut(m, TNI_CUT_BISECT, 64, NULL, part);
  CHECK_INT(r.most_touching, 6);
  CHECK_INT(r.most_neighbours, 26);
  CHECK_NEAR(r.mean_touching, 4.5, 1e-15); /* 3*2*4*4*3/64 */
  CHECK(r.imbalance < 1.14 && r.interface_nodes < halves.interface_nodes && halves.most_touching > 6);
  free(part);
  tni_mesh_destroy(&m);
}

/* prisms, every other one as a brick whose edge has collapsed, or as what it is */
static tni_mesh *prisms(bool bricks) {
  enum { NX = 5, NY = 4, NZ = 3 };
  static const int half[2][3] = {{0, 1, 2}, {0, 2, 3}};
  tni_mesh_builder *b;
  tni_mesh *m;
  int node[NX + 1][NY + 1][NZ + 1], id = 0;
  CHECK_OK(ctx, tni_mesh_begin(ctx, "prisms", "prisms", &b));
  for (int i = 0; i <= NX; i++)
    for (int j = 0; j <= NY; j++)
      for (int k = 0; k <= NZ; k++) node[i][j][k] = tni_mesh_add_node(b, ++id, i, j, k);
  for (int kind = 0; kind < 2; kind++) /* both meshes have their cells in one order: a block of each half */
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY; j++)
        for (int k = 0; k < NZ; k++) {
          int c[4][2], corner[4][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}};
          for (int a = 0; a < 4; a++)
            for (int z = 0; z < 2; z++) c[a][z] = node[corner[a][0]][corner[a][1]][k + z];
          const int *h = half[kind];
          int wedge[6] = {c[h[0]][0], c[h[1]][0], c[h[2]][0], c[h[0]][1], c[h[1]][1], c[h[2]][1]};
          int brick[8] = {c[h[0]][0], c[h[1]][0], c[h[2]][0], c[h[2]][0], c[h[0]][1], c[h[1]][1], c[h[2]][1], c[h[2]][1]};
          if (kind && bricks) tni_mesh_add_cell(b, TNI_CELL_HEX8, NULL, ++id, brick);
          else tni_mesh_add_cell(b, TNI_CELL_WEDGE6, NULL, ++id, wedge);
        }
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  return m;
}

/* a node counts once for a cell that has it twice: greedy rules cut collapsed bricks as they cut prisms */
static void collapsed_cells_are_cut_like_what_they_are(void) {
  tni_mesh *m[2] = {prisms(false), prisms(true)};
  CHECK_INT(m[0]->ncell, m[1]->ncell);
  int *part[2] = {malloc((size_t)m[0]->ncell*sizeof(int)), malloc((size_t)m[0]->ncell*sizeof(int))};
  for (int rule = 0; rule < TNI_CUT_BISECT; rule++) {
    for (int n = 2; n <= 7; n++) {
      for (int k = 0; k < 2; k++) cut(m[k], (tni_cut)rule, n, NULL, part[k]);
      if (!CHECK(memcmp(part[0], part[1], (size_t)m[0]->ncell*sizeof(int)) == 0)) printf("  %s, %d parts\n", tni_cut_names[rule], n);
    }
  }
  for (int k = 0; k < 2; k++) free(part[k]), tni_mesh_destroy(&m[k]);
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(published_counts);
  RUN(reference_geometries);
  RUN(pieces_go_where_they_touch_most);
  RUN(every_rule_on_many_meshes);
  RUN(best_goes_between_layers);
  RUN(collapsed_cells_are_cut_like_what_they_are);
  RUN(shared_lists);
  RUN(parts_from_a_file);
  RUN(published_exchange);
  RUN(floating_parts);
  RUN(colours);
  RUN(mapping);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
