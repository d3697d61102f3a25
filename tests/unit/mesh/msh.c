/* Gmsh files: real ones in all variants, round trips through a writer of its own, messages, mutated files
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/generate.h"
#include "mesh/quality.h"
#include "mesh/read.h"
#include "support/check.h"
#include "support/msh_writer.h"
#include "support/mutate.h"

static tn_ctx *ctx;
static bool all;

static tni_mesh *load(const char *file) {
  char path[500];
  tni_mesh *m;
  snprintf(path, sizeof(path), "%s/tests/input/meshes/%s", TENON_SOURCE_DIR, file);
  CHECK_OK(ctx, tni_mesh_read(ctx, "m", path, NULL, &m));
  return m;
}

static double measure_of(const tni_mesh *m, const char *name) {
  const tni_mesh_set *s = tni_mesh_find_set(m, name, TNI_SET_CELLS);
  double sum = 0;
  for (int i = 0; s && i < s->n; i++) sum += tni_mesh_measure(m, s->member[i]);
  return s ? sum : NAN;
}

/* sum of outward area vectors by corners (straight faces); edges: length to the right */
static void outward(const tni_mesh *m, const char *name, double sum[3]) {
  const tni_mesh_set *s = tni_mesh_find_set(m, name, TNI_SET_FACES);
  sum[0] = sum[1] = sum[2] = NAN;
  if (!CHECK(s)) return;
  sum[0] = sum[1] = sum[2] = 0;
  for (int i = 0; i < s->n; i++) {
    int node[8];
    const tni_cell_shape *f = tni_mesh_face(m, s->member[i], s->face[i], node);
    const double *x[4];
    for (int a = 0; a < f->ncorner; a++) x[a] = m->x + 3*node[a];
    if (f->ncorner == 2) {
      sum[0] += x[1][1] - x[0][1];
      sum[1] -= x[1][0] - x[0][0];
      continue;
    }
    double p[3], q[3];
    for (int d = 0; d < 3; d++) {
      p[d] = f->ncorner == 4 ? x[2][d] - x[0][d] : x[1][d] - x[0][d];
      q[d] = f->ncorner == 4 ? x[3][d] - x[1][d] : x[2][d] - x[0][d];
    }
    for (int d = 0; d < 3; d++) sum[d] += 0.5*(p[(d+1)%3]*q[(d+2)%3] - p[(d+2)%3]*q[(d+1)%3]);
  }
}

static int size_of(const tni_mesh *m, const char *name, tni_set_kind kind) {
  const tni_mesh_set *s = tni_mesh_find_set(m, name, kind);
  return s ? s->n : -1;
}

static void sound(const tni_mesh *m) {
  tni_mesh_report r;
  CHECK_OK(ctx, tni_mesh_examine(m, &r));
  CHECK(r.ninverted == 0 && r.ncollapsed == 0 && r.nunused == 0 && r.nduplicate == 0 && r.npart == 1 && r.nbranching == 0);
  for (int c = 0; c < m->ncell; c++) {
    const tni_cell_shape *s;
    const int *n = tni_mesh_nodes(m, c, &s);
    for (int e = 0; s->order == 2 && e < s->nedge; e++)
      for (int d = 0; d < 3; d++)
        CHECK_WITHIN(m->x[3*n[s->edge[e][2]]+d], 0.5*(m->x[3*n[s->edge[e][0]]+d] + m->x[3*n[s->edge[e][1]]+d]), 1e-9);
  }
}

/* what Gmsh writes of two boxes of 1 x 2 x 3 that meet at x = 1, with groups that overlap */
static void gmsh_two_boxes(void) {
  static const char *const files[5] = {"two_boxes_41.msh", "two_boxes_41b.msh", "two_boxes_22.msh", "two_boxes_22b.msh", "two_boxes_tet10.msh"};
  tni_mesh *first = NULL;
  for (int k = 0; k < 5; k++) {
    int before = check_failures;
    tni_mesh *m = load(files[k]);
    sound(m);
    CHECK_INT(m->nblock, 1); /* triangles, lines and points became sets */
    CHECK_INT(m->block[0].cell, k == 4 ? TNI_CELL_TET10 : TNI_CELL_TET4);
    CHECK_NEAR(measure_of(m, "left"), 6, 1e-12);
    CHECK_NEAR(measure_of(m, "right side"), 6, 1e-12);
    CHECK_NEAR(measure_of(m, "both"), 12, 1e-12);
    CHECK_INT(size_of(m, "both", TNI_SET_CELLS), m->ncell);
    CHECK_INT(size_of(m, "left", TNI_SET_CELLS) + size_of(m, "right side", TNI_SET_CELLS), m->ncell);
    double n[3];
    outward(m, "clamp", n);
    CHECK_NEAR(n[0], -6, 1e-12);
    CHECK_WITHIN(fabs(n[1]) + fabs(n[2]), 0, 1e-12);
    outward(m, "middle", n); /* inside: of one side only, not of both */
    CHECK_NEAR(fabs(n[0]), 6, 1e-12);
    const tni_mesh_set *s = tni_mesh_find_set(m, "clamp", TNI_SET_NODES), *middle = tni_mesh_find_set(m, "middle", TNI_SET_FACES);
    int count = 0, of_left = 0;
    for (int i = 0; i < m->nnode; i++) count += fabs(m->x[3*i]) < 1e-9;
    CHECK_INT(s->n, count);
    const tni_mesh_set *left = tni_mesh_find_set(m, "left", TNI_SET_CELLS);
    for (int i = 0; i < middle->n; i++)
      for (int j = 0; j < left->n; j++) of_left += left->member[j] == middle->member[i];
    CHECK(of_left == 0 || of_left == middle->n);
    s = tni_mesh_find_set(m, "edge", TNI_SET_NODES);
    CHECK(s && s->n > 2);
    for (int i = 0; i < s->n; i++) CHECK(fabs(m->x[3*s->member[i]]) + fabs(m->x[3*s->member[i]+1]) < 1e-9);
    CHECK(!tni_mesh_find_set(m, "edge", TNI_SET_CELLS));
    s = tni_mesh_find_set(m, "tip", TNI_SET_NODES);
    CHECK(s && s->n == 1 && m->x[3*s->member[0]] == 2 && m->x[3*s->member[0]+2] == 3);
    if (k == 0) first = m;
    else if (k < 4) { /* the same mesh in other clothes */
      CHECK(m->nnode == first->nnode && m->ncell == first->ncell);
      for (int i = 0; i < m->nnode; i++) {
        int j = tni_mesh_node_of(first, m->gid[i]);
        CHECK(j >= 0);
        for (int d = 0; d < 3; d++) CHECK_WITHIN(m->x[3*i+d], first->x[3*j+d], 1e-14);
      }
      CHECK_INT(size_of(m, "clamp", TNI_SET_FACES), size_of(first, "clamp", TNI_SET_FACES));
    }
    if (check_failures > before) printf("  of: %s\n", files[k]);
    if (k > 0) tni_mesh_destroy(&m);
  }
  tni_mesh_destroy(&first);
}

/* wedges and hexahedra of second order: their middles lie where the tables say */
static void gmsh_second_order(void) {
  /* the last with nodes inside faces and cells, which are left out */
  static const char *const files[3] = {"prism_41.msh", "prism_22b.msh", "prism_full.msh"};
  for (int k = 0; k < 3; k++) {
    tni_mesh *m = load(files[k]);
    sound(m);
    CHECK_INT(m->nblock, 2);
    CHECK_NEAR(measure_of(m, "wedges"), 6, 1e-12);
    CHECK_NEAR(measure_of(m, "hexes"), 6, 1e-12);
    double n[3];
    outward(m, "bottom", n);
    CHECK_NEAR(n[2], -4, 1e-12);
    outward(m, "top", n);
    CHECK_NEAR(n[2], 4, 1e-12);
    tni_mesh_destroy(&m);
  }
}

/* a plane mesh drawn from below is turned; edges of groups become faces with the normal out of the plate */
static void gmsh_plane(void) {
  tni_mesh *m = load("plate_41.msh");
  sound(m);
  CHECK_INT(m->dim, 2);
  double n[3], round = 0;
  outward(m, "left", n);
  CHECK_NEAR(n[0], -2, 1e-12);
  outward(m, "curve_7", n); /* a group without a name */
  CHECK_NEAR(n[0], 2, 1e-12);
  outward(m, "hole", n);
  CHECK_WITHIN(fabs(n[0]) + fabs(n[1]), 0, 1e-9);
  const tni_mesh_set *hole = tni_mesh_find_set(m, "hole", TNI_SET_FACES);
  for (int i = 0; i < hole->n; i++) {
    int node[8];
    tni_mesh_face(m, hole->member[i], hole->face[i], node);
    const double *a = m->x + 3*node[0], *b = m->x + 3*node[1];
    round += (a[0] - 2)*(b[1] - 1) - (a[1] - 1)*(b[0] - 2); /* clockwise about the middle of the hole: twice its area, negative */
  }
  CHECK(round < 0);
  CHECK_NEAR(measure_of(m, "plate"), 8 + 0.5*round, 1e-12);
  for (int i = 0; i < m->nblock; i++) CHECK_INT(tni_cell_of(m->block[i].cell)->dim, 2);
  tni_mesh_destroy(&m);
}

static void same_mesh(const tni_mesh *a, const tni_mesh *b) {
  CHECK(a->nnode == b->nnode && a->ncell == b->ncell && a->nblock == b->nblock);
  if (a->nnode != b->nnode || a->ncell != b->ncell) return;
  CHECK(memcmp(a->x, b->x, 3*(size_t)a->nnode*sizeof(double)) == 0);
  CHECK(memcmp(a->gid, b->gid, (size_t)a->nnode*sizeof(tn_gid)) == 0);
  for (int k = 0; k < a->nblock; k++) {
    size_t n = (size_t)a->block[k].n*(size_t)tni_cell_of(a->block[k].cell)->nnode;
    CHECK(a->block[k].cell == b->block[k].cell && memcmp(a->block[k].node, b->block[k].node, n*sizeof(int)) == 0);
  }
  for (int k = 0; k < a->nset; k++) {
    const tni_mesh_set *s = &a->set[k], *t = tni_mesh_find_set(b, s->name, s->kind);
    if (s->kind == TNI_SET_NODES && !tni_mesh_find_set(a, s->name, TNI_SET_FACES) && strcmp(s->name, "all") != 0) continue;
    if (!CHECK(t && t->n == s->n)) {
      printf("set %s\n", s->name);
      continue;
    }
    CHECK(memcmp(s->member, t->member, (size_t)s->n*sizeof(int)) == 0);
    if (s->face) CHECK(memcmp(s->face, t->face, (size_t)s->n) == 0);
  }
}

static const char *const shapes[] = {"box size=1,2,3 cells=2,3,2 cell=hex8 distort=0.1", "box size=1,2,3 cells=2,3,2 cell=hex20",
                                     "box size=1,2,3 cells=2,2,2 cell=tet4", "box size=1,2,3 cells=2,1,2 cell=tet10",
                                     "box size=1,2,3 cells=2,3,2 cell=wedge6", "box size=1,2,3 cells=2,1,2 cell=wedge15",
                                     "plate size=1,2 cells=3,3 cell=quad4", "plate size=1,2 cells=3,3 cell=quad8",
                                     "plate size=1,2 cells=3,3 cell=tri3", "plate size=1,2 cells=3,3 cell=tri6",
                                     "panel radius=2 length=3 angle=1 cells=3,4 cell=quad8"};

static void round_trips(void) {
  for (int i = 0; i < TNI_COUNT(shapes); i++) {
    tni_mesh *m, *back;
    CHECK_OK(ctx, tni_mesh_from_text(ctx, shapes[i], &m));
    for (int v = 0; v < 6; v++) {
      size_t n;
      int before = check_failures;
      char *text = msh_write(m, v%2 ? 22 : 41, v >= 2, v >= 4, &n);
      CHECK_OK(ctx, tni_msh_parse(ctx, "m", "t.msh", text, n, NULL, &back));
      same_mesh(m, back);
      if (check_failures > before) printf("  of: %s, variant %d\n", shapes[i], v);
      tni_mesh_destroy(&back);
      free(text);
    }
    tni_mesh_destroy(&m);
  }
}

/* surface cells that belong to no solid stay; those of a group that is kept too */
static void shells_beams_and_keep(void) {
  static const char text[] =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 5 \"skin\"\n2 6 \"fin\"\n1 7 \"rod\"\n$EndPhysicalNames\n"
      "$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 -1 0 0\n6 -1 0 1\n70 9 9 9\n$EndNodes\n"
      "$Elements\n6\n1 4 2 1 1 1 2 3 4\n2 2 2 5 1 1 3 2\n3 3 2 6 1 1 4 6 5\n4 1 2 7 1 1 2\n5 1 2 7 1 2 6\n6 15 2 0 1 70\n$EndElements\n"
      "$NodeData\n1\n\"x\"\n$EndNodeData\n";
  tni_mesh *m;
  CHECK_OK(ctx, tni_msh_parse(ctx, "m", "t.msh", text, sizeof(text) - 1, NULL, &m));
  CHECK_INT(m->ncell, 3); /* tetrahedron, fin, second rod */
  CHECK_INT(m->nnode, 6);
  CHECK_INT(size_of(m, "fin", TNI_SET_CELLS), 1);
  CHECK_INT(size_of(m, "skin", TNI_SET_FACES), 1);
  CHECK_INT(size_of(m, "skin", TNI_SET_CELLS), -1);
  CHECK_INT(size_of(m, "rod", TNI_SET_CELLS), 1);
  CHECK_INT(size_of(m, "rod", TNI_SET_NODES), 3);
  CHECK_INT(size_of(m, "volume_1", TNI_SET_CELLS), 1);
  tni_mesh_destroy(&m);
  const char *const keep[2] = {"skin", "rod"};
  tni_read_options o = {keep, 2};
  CHECK_OK(ctx, tni_msh_parse(ctx, "m", "t.msh", text, sizeof(text) - 1, &o, &m));
  CHECK_INT(m->ncell, 5);
  CHECK_INT(size_of(m, "skin", TNI_SET_CELLS), 1);
  CHECK_INT(size_of(m, "rod", TNI_SET_CELLS), 2);
  tni_mesh_destroy(&m);
}

/* a surface between two solids belongs to the one out of which its own normal points */
static void inner_surface(void) {
  for (int turned = 0; turned < 2; turned++) {
    char text[1000];
    snprintf(text, sizeof(text), "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n$EndNodes\n"
             "$Elements\n3\n1 2 2 7 1 %s\n10 4 2 1 1 1 2 3 4\n20 4 2 1 1 1 3 2 5\n$EndElements\n", turned ? "1 3 2" : "1 2 3");
    tni_mesh *m;
    CHECK_OK(ctx, tni_msh_parse(ctx, "m", "t.msh", text, strlen(text), NULL, &m));
    const tni_mesh_set *s = tni_mesh_find_set(m, "surface_7", TNI_SET_FACES);
    CHECK(s && s->n == 1);
    if (s) CHECK_INT(tni_mesh_cell_gid(m, s->member[0]), turned ? 10 : 20); /* up is out of the lower one */
    double n[3];
    outward(m, "surface_7", n);
    CHECK_NEAR(n[2], turned ? -0.5 : 0.5, 1e-15);
    tni_mesh_destroy(&m);
  }
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"

static void bad_files_are_named(void) {
  static const struct {
    const char *text, *message;
  } list[] = {
      {"", "a.msh:1: this is not a file of Gmsh: it must begin with $MeshFormat"},
      {"solid cube\n", "a.msh:1: this is not a file of Gmsh: it must begin with $MeshFormat, found 'solid'"},
      {"$Nodes\n", "a.msh:1: this is not a file of Gmsh: $MeshFormat must come before $Nodes"},
      {"$MeshFormat\n4 0 8\n", "a.msh:2: version 4 of the format is unknown, known: 2.2 and 4.1 (gmsh -format msh41)"},
      {"$MeshFormat\n2.2 7 8\n", "a.msh:2: file type 7, must be 0 (text) or 1 (binary)"},
      {"$MeshFormat\n2.2 0 16\n", "a.msh:2: data size 16, must be 8"},
      {"$MeshFormat\n2.2 0 8\n", "a.msh:3: $EndMeshFormat is missing, found end of file"},
      {HEAD NODES, "a.msh:10: the file has no $Elements"},
      {HEAD "$Nodes\n2\n1 0 0 0\n2 x 0 0\n", "a.msh:7: place of a node is missing, found 'x'"},
      {HEAD "$Nodes\n2\n1 0 0 0\n2 0 0\n", "a.msh:7: place of a node is missing, found end of line"},
      {HEAD "$Nodes\n2\n1 0 0 0\n2 0 0 0 0\n", "a.msh:7: the node has more than it should: '0'"},
      {HEAD "$Nodes\n2\n1 0 0 0\n2 0 0 1e999\n$EndNodes\n", "a.msh:7: node 2: z = inf, must be a finite number"},
      {HEAD "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", "a.msh:8: node 1 is given twice"},
      {HEAD "$Nodes\n2\n0 0 0 0\n1 0 0 1\n$EndNodes\n", "a.msh:6: number of a node: 0, must be at least 1"},
      {HEAD "$Nodes\n2000000\n1 0 0 0\n", "a.msh:5: number of nodes: 2000000, the rest of the file holds at most 1"},
      {HEAD "$Nodes\n-2\n1 0 0 0\n", "a.msh:5: number of nodes: -2, the rest of the file holds at most 1"},
      {HEAD NODES "$Elements\n1\n1 7 2 0 0 1 2 3 1 2\n$EndElements\n",
       "a.msh:12: element 1 is of type 7, a pyramid of 5 nodes; known: lines, triangles, quadrilaterals, tetrahedra, wedges, hexahedra of "
       "first and second order"},
      {HEAD NODES "$Elements\n1\n1 2 2 0 0 1 2 4\n$EndElements\n", "a.msh:12: element 1 has node 4, which is not in $Nodes"},
      {HEAD NODES "$Elements\n1\n1 2 2 0 0 1 2\n$EndElements\n", "a.msh:12: node of an element is missing, found end of line"},
      {HEAD NODES "$Elements\n1\n1 2 2 0 0 1 2 3 3\n$EndElements\n", "a.msh:12: the element has more than it should: '3'"},
      {HEAD NODES "$Elements\n2\n1 2 2 0 0 1 2 3\n1 2 2 0 0 1 3 2\n$EndElements\n", "a.msh: cell 1 is given twice"},
      {HEAD NODES "$Elements\n0\n$EndElements\n", "a.msh: the file has no elements; gmsh -3 makes them"},
      {HEAD NODES "$Periodic\n0\n", "a.msh:10: $Periodic has no $EndPeriodic"},
      {HEAD4 "$PartitionedEntities\n2\n", "a.msh:4: the mesh is partitioned, its groups would be lost; save it without PartitionMesh"},
      {HEAD NODES NODES, "a.msh:10: $Nodes is given twice"},
      {HEAD "$PhysicalNames\n1\n5 1 \"a\"\n", "a.msh:6: a physical name needs dimension (0 to 3), number and name, found '\"a\"'"},
      {HEAD "$PhysicalNames\n1\n2 1 a\n", "a.msh:6: the physical name must stand in quotes"},
      {HEAD4 "$Nodes\n1 3 1 3\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 1 1\n2 2 2\n3 3 3\n", "a.msh:6: more nodes than the 3 that $Nodes announces"},
      {HEAD4 "$Nodes\n1 3 1 3\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n", "a.msh:11: 2 nodes, $Nodes announces 3"},
      {HEAD4 "$Nodes\n1 2 1 2\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n$Elements\n1 1 1 1\n2 1 1 1\n1 1 2\n$EndElements\n",
       "a.msh:14: elements of dimension 1 on an entity of dimension 2"},
  };
  for (int i = 0; i < TNI_COUNT(list); i++) {
    tni_mesh *m = NULL;
    CHECK(tni_msh_parse(ctx, "m", "a.msh", list[i].text, strlen(list[i].text), NULL, &m) == TN_ERR_INPUT && !m);
    CHECK_TEXT(tn_ctx_message(ctx), list[i].message);
    tni_mesh_destroy(&m);
  }
  tni_mesh *m;
  CHECK(tni_mesh_read(ctx, "m", "/nowhere/a.msh", NULL, &m) == TN_ERR_IO);
  CHECK(tni_mesh_read(ctx, "m", "a.stl", NULL, &m) == TN_ERR_INPUT);
}

static tn_status parse(tn_ctx *c, const char *text, size_t n) {
  tni_mesh *m;
  tni_mesh_report r;
  tn_status st = tni_msh_parse(c, "m", "a.msh", text, n, NULL, &m);
  if (st == TN_OK) st = tni_mesh_examine(m, &r); /* what was accepted can be looked at */
  tni_mesh_destroy(&m);
  return st;
}

/* damaged files of every variant: a mesh or one clear line, nothing lost, never a crash */
static void mutated_files(void) {
  for (int i = 0; i < TNI_COUNT(shapes); i++) {
    tni_mesh *m;
    CHECK_OK(ctx, tni_mesh_from_text(ctx, shapes[i], &m));
    for (int v = 0; v < 6; v++) {
      size_t n;
      char *text = msh_write(m, v%2 ? 22 : 41, v >= 2, v >= 4, &n);
      mutate_many(text, n, all ? 400 : 15, (uint64_t)(6*i + v + 1), parse);
      free(text);
    }
    tni_mesh_destroy(&m);
  }
}

static void little_memory(void) {
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_from_text(ctx, "box size=1,2,3 cells=2,1,2 cell=wedge15", &m));
  for (int v = 0; v < 4; v++) {
    size_t n;
    char *text = msh_write(m, v%2 ? 22 : 41, v >= 2, false, &n);
    starve(text, n, parse);
    free(text);
  }
  tni_mesh_destroy(&m);
}

/* a million tetrahedra below five seconds, text and binary */
static void large_file(void) {
  int side = all ? 55 : 20; /* six tetrahedra each */
  char text[100];
  tni_mesh *m, *back;
  snprintf(text, sizeof(text), "box size=1,1,1 cells=%d,%d,%d cell=tet4", side, side, side);
  CHECK_OK(ctx, tni_mesh_from_text(ctx, text, &m));
  for (int v = 0; v < 4; v++) {
    size_t n;
    char *file = msh_write(m, v%2 ? 22 : 41, v >= 2, false, &n);
    clock_t since = clock();
    CHECK_OK(ctx, tni_msh_parse(ctx, "m", "t.msh", file, n, NULL, &back));
    double s = check_seconds(since);
    if (all) printf("%d tetrahedra, version %s %s, %.0f MB: %.2f s\n", back->ncell, v%2 ? "2.2" : "4.1", v >= 2 ? "binary" : "text", n/1e6, s);
    CHECK(s < (all ? 5 : 1));
    same_mesh(m, back);
    tni_mesh_destroy(&back);
    free(file);
  }
  tni_mesh_destroy(&m);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(gmsh_two_boxes);
  RUN(gmsh_second_order);
  RUN(gmsh_plane);
  RUN(round_trips);
  RUN(shells_beams_and_keep);
  RUN(inner_surface);
  RUN(bad_files_are_named);
  RUN(mutated_files);
  RUN(little_memory);
  RUN(large_file);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
