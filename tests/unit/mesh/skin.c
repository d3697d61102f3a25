/* faces, skins, graphs, quality against counts in closed form
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/skin.h"

#include "mesh/generate.h"
#include "mesh/quality.h"
#include "support/check.h"

static tn_ctx *ctx;

static tni_mesh *make(const char *text) {
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_from_text(ctx, text, &m));
  return m;
}

/* a box of a x b x c hexahedra has a b (c + 1) + ... faces, 2 (a b + b c + c a) of them outside */
static void faces_of_a_box(void) {
  tni_mesh *m = make("box size=1,1,1 cells=3,4,5");
  tni_arena arena;
  tni_mesh_faces f;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_mesh_faces_create(m, 3, &arena, &f));
  CHECK_INT(f.n, 3*4*6 + 3*5*5 + 4*5*4);
  int outside = 0;
  for (int i = 0; i < f.n; i++) {
    outside += f.count[i] == 1;
    CHECK(f.count[i] == (f.cell[i][1] < 0 ? 1 : 2));
    if (f.cell[i][1] < 0) continue;
    int a[8], b[8], same = 0; /* the same corners from both sides, the other way round */
    tni_mesh_face(m, f.cell[i][0], f.face[i][0], a);
    tni_mesh_face(m, f.cell[i][1], f.face[i][1], b);
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < 4; j++) same += a[k] == b[j] && a[(k + 1)%4] == b[(j + 3)%4];
    CHECK_INT(same, 4);
  }
  CHECK_INT(outside, 2*(12 + 20 + 15));
  tni_arena_clear(&arena);
  tni_mesh_destroy(&m);
}

/* triangles of the skin keep area and nodes of second order; edges: drawn once, sharp ones are those of the box */
static void skin_of_a_box(void) {
  static const char *const cell[6] = {"hex8", "hex20", "tet4", "tet10", "wedge6", "wedge15"};
  for (int c = 0; c < 6; c++) {
    char text[100];
    snprintf(text, sizeof(text), "box size=1,2,3 cells=3,4,5 cell=%s", cell[c]);
    tni_mesh *m = make(text);
    tni_arena arena;
    tni_skin k;
    tni_arena_init(&arena, ctx);
    CHECK_OK(ctx, tni_skin_create(m, &arena, &k));
    double area = 0;
    for (int t = 0; t < k.ntri; t++) {
      double p[3], q[3], n[3], len = 0;
      for (int i = 0; i < 3; i++) {
        p[i] = m->x[3*k.tri[t][1]+i] - m->x[3*k.tri[t][0]+i];
        q[i] = m->x[3*k.tri[t][2]+i] - m->x[3*k.tri[t][0]+i];
      }
      for (int i = 0; i < 3; i++) {
        n[i] = p[(i+1)%3]*q[(i+2)%3] - p[(i+2)%3]*q[(i+1)%3];
        len += n[i]*n[i];
      }
      area += 0.5*sqrt(len);
      /* out of the box: the normal and the place from the middle on the same side */
      double out = 0, middle[3] = {0.5, 1, 1.5};
      for (int i = 0; i < 3; i++) out += n[i]*(m->x[3*k.tri[t][0]+i] - middle[i]);
      CHECK(out > 0);
    }
    CHECK_NEAR(area, 22, 1e-13);
    int sharp = 0, order = tni_cell_of(m->block[0].cell)->order;
    for (int e = 0; e < k.nedge; e++) sharp += k.sharp[e];
    CHECK_INT(sharp, 4*(3 + 4 + 5)*order);
    int on = 0;
    const double size[3] = {1, 2, 3};
    for (int i = 0; i < m->nnode; i++) {
      bool outside = false;
      for (int d = 0; d < 3; d++) outside = outside || m->x[3*i+d] == 0 || m->x[3*i+d] == size[d];
      on += outside;
    }
    CHECK_INT(k.nnode, on);
    tni_arena_clear(&arena);
    tni_mesh_destroy(&m);
  }
}

static void graphs(void) {
  tni_mesh *m = make("box size=1,1,1 cells=3,3,3");
  tni_arena arena;
  tni_mesh_graph g;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_mesh_cells_of_nodes(m, &arena, &g));
  CHECK_INT(g.from[m->nnode], 27*8);
  CHECK_OK(ctx, tni_mesh_nodes_of_nodes(m, &arena, &g));
  CHECK_INT(g.from[m->nnode], 10*10*10 - 64); /* (3 n - 2)^3 pairs with itself */
  for (int v = 0; v < m->nnode; v++)
    for (int i = g.from[v] + 1; i < g.from[v+1]; i++) CHECK(g.to[i] > g.to[i-1]);
  CHECK_OK(ctx, tni_mesh_cells_of_cells(m, 0, &arena, &g));
  CHECK_INT(g.from[m->ncell], 2*54);
  CHECK_OK(ctx, tni_mesh_cells_of_cells(m, 1, &arena, &g));
  CHECK_INT(g.from[m->ncell], 7*7*7 - 27);
  tni_mesh_destroy(&m);
  m = make("plate size=1,1 cells=5,4 cell=quad8"); /* middles must not make neighbours of what shares an edge twice */
  CHECK_OK(ctx, tni_mesh_cells_of_cells(m, 0, &arena, &g));
  CHECK_INT(g.from[m->ncell], 2*(4*4 + 5*3));
  tni_mesh_destroy(&m);
  m = make("booster cells=12,10 rings=2");
  CHECK_OK(ctx, tni_mesh_cells_of_cells(m, 0, &arena, &g));
  int beams = 12*2, shells = 120, ring = 0;
  for (int c = shells; c < shells + beams; c++) ring += g.from[c+1] - g.from[c];
  CHECK_INT(ring, beams*(2 + 2)); /* two shells, two beams */
  tni_mesh_destroy(&m);
  tni_arena_clear(&arena);
}

/* a mesh with one of everything: each is found, counted and named */
static void faults_are_found(void) {
  tni_mesh_builder *b;
  tni_mesh *m;
  tni_mesh_report r;
  CHECK_OK(ctx, tni_mesh_begin(ctx, "bad", "bad.msh", &b));
  int n[2][8], far[4];
  const double (*ref)[3] = tni_cell_reference(TNI_CELL_HEX8);
  for (int k = 0; k < 2; k++)
    for (int a = 0; a < 8; a++) n[k][a] = tni_mesh_add_node(b, 100*(k + 1) + a, ref[a][0] + 2*k, ref[a][1], ref[a][2]); /* not welded */
  for (int a = 0; a < 4; a++) far[a] = tni_mesh_add_node(b, 300 + a, 10 + (a == 1), a == 2, a == 3 ? 0.01 : 0);
  tni_mesh_add_node(b, 999, 50, 50, 50);
  tni_mesh_add_cell(b, TNI_CELL_HEX8, NULL, 1, n[0]);
  int turned[8] = {n[1][4], n[1][5], n[1][6], n[1][7], n[1][0], n[1][1], n[1][2], n[1][3]};
  tni_mesh_add_cell(b, TNI_CELL_HEX8, NULL, 2, turned);
  tni_mesh_add_cell(b, TNI_CELL_TET4, NULL, 3, far);
  int collapsed[8] = {n[0][0], n[0][1], n[0][2], n[0][2], n[0][4], n[0][5], n[0][6], n[0][6]};
  tni_mesh_add_cell(b, TNI_CELL_HEX8, NULL, 4, collapsed);
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  CHECK_OK(ctx, tni_mesh_examine(m, &r));
  CHECK_INT(r.ninverted, 2); /* the turned one and the collapsed one, flat at its edge */
  CHECK_INT(r.worst[0], 2);
  CHECK_INT(r.npoor, 1);
  CHECK_INT(r.ncollapsed, 1);
  CHECK_INT(r.collapsed[0], 4);
  CHECK_INT(r.nduplicate, 4);
  CHECK_INT(r.duplicate[0][0], 101);
  CHECK_INT(r.duplicate[0][1], 200);
  CHECK_INT(r.nunused, 1);
  CHECK_INT(r.unused[0], 999);
  CHECK_INT(r.npart, 3);
  CHECK_INT(r.part_cells[0], 2);
  CHECK_NEAR(r.least_jacobian, -1, 1e-14);
  CHECK(r.largest_aspect == HUGE_VAL && r.largest_aspect_cell == 4);
  tni_text t;
  tni_text_init(&t, ctx);
  tni_mesh_report_text(&r, &t);
  CHECK(strstr(t.s, "2 cells turned inside out or flat: 2, 4\n"));
  CHECK(strstr(t.s, "1 cell of poor shape (scaled jacobian below 0.1, least 0): 3\n"));
  CHECK(strstr(t.s, "1 cell with a node twice: 4\n"));
  CHECK(strstr(t.s, "3 parts that share no node: 2 cells with cell 1, 1 cell with cell 2, 1 cell with cell 3\n"));
  CHECK(strstr(t.s, "4 nodes in the place of another: 101 and 200, 102 and 203, 105 and 204, 106 and 207\n"));
  CHECK(strstr(t.s, "1 node of no cell: 999\n"));
  tni_text_free(&t);
  tni_mesh_destroy(&m);
}

/* a flat shell may run clockwise, springs may have no length: said, not called broken */
static void clockwise_and_short(void) {
  tni_mesh_builder *b;
  tni_mesh *m;
  tni_mesh_report r;
  CHECK_OK(ctx, tni_mesh_begin(ctx, "m", "m", &b));
  for (int i = 0; i < 4; i++) tni_mesh_add_node(b, 0, i == 1 || i == 2, i >= 2, 0);
  tni_mesh_add_node(b, 0, 1, 1, 0);
  tni_mesh_add_cell(b, TNI_CELL_QUAD4, NULL, 7, (int[]){0, 3, 2, 1});
  tni_mesh_add_cell(b, TNI_CELL_LINE2, NULL, 8, (int[]){2, 4});
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  CHECK_OK(ctx, tni_mesh_examine(m, &r));
  CHECK(r.ninverted == 0 && r.npoor == 0 && r.nclockwise == 1 && r.clockwise[0] == 7 && r.nshort == 1 && r.without_length[0] == 8);
  CHECK_NEAR(r.area, 1, 1e-15);
  CHECK_NEAR(tni_mesh_cell_jacobian(m, 0), -1, 1e-15);
  tni_text t;
  tni_text_init(&t, ctx);
  tni_mesh_report_text(&r, &t);
  CHECK_TEXT(t.s, "1 plane cell clockwise, which only shells may be: 7\n1 line of no length: 8\n1 node in the place of another: 3 and 5\n");
  tni_text_free(&t);
  tni_mesh_destroy(&m);
}

/* scaled jacobian of known shapes: rhombus sin a, stretched box 1, wedge of a right angle */
static void jacobians_in_closed_form(void) {
  const double shear[3] = {0, 0.5, 2};
  for (int k = 0; k < 3; k++) {
    char text[100];
    snprintf(text, sizeof(text), "plate corners=0,0,1,0,%g,1,%g,1 cells=1,1", 1 + shear[k], shear[k]);
    tni_mesh *m = make(text);
    CHECK_NEAR(tni_mesh_cell_jacobian(m, 0), 1/sqrt(1 + shear[k]*shear[k]), 1e-14);
    tni_mesh_destroy(&m);
  }
  tni_mesh *m = make("box size=1,10,100 cells=1,1,1");
  tni_mesh_report r;
  CHECK_NEAR(tni_mesh_cell_jacobian(m, 0), 1, 1e-14);
  CHECK_OK(ctx, tni_mesh_examine(m, &r));
  CHECK_NEAR(r.largest_aspect, 100, 1e-14);
  CHECK_INT(r.nslender, 1);
  CHECK_NEAR(r.volume, 1000, 1e-14);
  tni_mesh_destroy(&m);
  m = make("box size=1,1,1 cells=1,1,1 cell=wedge6"); /* at the sharp corner sin 45 / sin 60 */
  CHECK_NEAR(tni_mesh_cell_jacobian(m, 0), sqrt(0.5)/sqrt(0.75), 1e-14);
  tni_mesh_destroy(&m);
  /* the middle of an edge moved to its quarter: the jacobian vanishes at the corner; beyond it is negative */
  for (int k = 0; k < 2; k++) {
    m = make("box size=1,1,1 cells=1,1,1 cell=hex20");
    int node = tni_mesh_nodes(m, 0, NULL)[8];
    m->x[3*node] = k == 0 ? 0.25 : 0.2;
    double q = tni_mesh_cell_jacobian(m, 0);
    CHECK(k == 0 ? fabs(q) < 1e-12 : q < -0.5);
    tni_mesh_destroy(&m);
  }
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(faces_of_a_box);
  RUN(skin_of_a_box);
  RUN(graphs);
  RUN(faults_are_found);
  RUN(jacobians_in_closed_form);
  RUN(clockwise_and_short);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
