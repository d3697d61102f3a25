/* builder, sets, numbers, measures, second order
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/mesh.h"

#include "support/check.h"

static tn_ctx *ctx;

/* two unit cubes side by side along x, numbers of the file far from 0, a wedge on top of the first */
static tni_mesh *two_cubes(void) {
  tni_mesh_builder *b;
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_begin(ctx, "cubes", "test", &b));
  int at[3][2][2], nodes[8];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2; k++) at[i][j][k] = tni_mesh_add_node(b, 5000000000 + 100*i + 10*j + k, i, j, k);
  int top[2] = {tni_mesh_add_node(b, 17, 0.5, 0, 2), tni_mesh_add_node(b, 9, 0.5, 1, 2)};
  for (int i = 1; i >= 0; i--) {
    int c[8] = {at[i][0][0], at[i+1][0][0], at[i+1][1][0], at[i][1][0], at[i][0][1], at[i+1][0][1], at[i+1][1][1], at[i][1][1]};
    memcpy(nodes, c, sizeof(c));
    int ticket = tni_mesh_add_cell(b, TNI_CELL_HEX8, "C3D8", 40 + i, nodes);
    tni_mesh_add_member(b, tni_mesh_add_set(b, "sides", TNI_SET_FACES), ticket, 4);
    tni_mesh_add_member(b, tni_mesh_add_set(b, "sides", TNI_SET_FACES), ticket, 2);
    tni_mesh_add_member(b, tni_mesh_add_set(b, "sides", TNI_SET_FACES), ticket, 2);
    if (i == 1) {
      int w[6] = {at[0][0][1], at[1][0][1], top[0], at[0][1][1], at[1][1][1], top[1]};
      int swap[6] = {w[0], w[2], w[1], w[3], w[5], w[4]};
      tni_mesh_add_member(b, tni_mesh_add_set(b, "roof", TNI_SET_CELLS),
                          tni_mesh_add_cell(b, TNI_CELL_WEDGE6, NULL, 1, swap), 0);
    }
  }
  for (int k = 7; k >= 0; k--) tni_mesh_add_member(b, tni_mesh_add_set(b, "last", TNI_SET_NODES), nodes[k], 0);
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  CHECK(b == NULL);
  return m;
}

static void blocks_sets_numbers(void) {
  tni_mesh *m = two_cubes();
  CHECK_INT(m->nnode, 14);
  CHECK_INT(m->ncell, 3);
  CHECK_INT(m->dim, 3);
  CHECK_INT(m->nblock, 2);
  CHECK_INT(m->block[1].first, 2); /* the wedge came between, but blocks are contiguous */
  CHECK_TEXT(m->block[0].label, "C3D8");
  CHECK(m->block[1].label == NULL);
  CHECK_INT(tni_mesh_cell_of(m, 41), 0);
  CHECK_INT(tni_mesh_cell_of(m, 40), 1);
  CHECK_INT(tni_mesh_cell_of(m, 1), 2);
  CHECK_INT(tni_mesh_cell_of(m, 2), -1);
  for (int c = 0; c < 3; c++) CHECK_INT(tni_mesh_cell_of(m, tni_mesh_cell_gid(m, c)), c);
  for (int i = 0; i < m->nnode; i++) CHECK_INT(tni_mesh_node_of(m, m->gid[i]), i);
  CHECK_INT(tni_mesh_node_of(m, 5000000003), -1);
  CHECK_INT(tni_mesh_node_of(m, -1), -1);
  const tni_mesh_set *roof = tni_mesh_find_set(m, "roof", TNI_SET_CELLS);
  CHECK(roof && roof->n == 1 && roof->member[0] == 2);
  CHECK(!tni_mesh_find_set(m, "roof", TNI_SET_NODES));
  const tni_mesh_set *sides = tni_mesh_find_set(m, "sides", TNI_SET_FACES);
  const int member[4] = {0, 0, 1, 1}, face[4] = {2, 4, 2, 4};
  CHECK(sides && sides->n == 4);
  for (int i = 0; i < 4; i++) CHECK(sides->member[i] == member[i] && sides->face[i] == face[i]);
  const tni_mesh_set *last = tni_mesh_find_set(m, "last", TNI_SET_NODES);
  CHECK(last && last->n == 8);
  for (int i = 1; i < 8; i++) CHECK(last->member[i] > last->member[i-1]);
  CHECK_NEAR(tni_mesh_measure(m, 0), 1, 1e-15);
  CHECK_NEAR(fabs(tni_mesh_measure(m, 2)), 0.5, 1e-15);
  tni_mesh_destroy(&m);
  CHECK(m == NULL);
  tni_mesh_destroy(&m);
}

static void gid_maps_of_all_kinds(void) {
  enum { N = 500 };
  static tn_gid gid[N];
  for (int kind = 0; kind < 3; kind++) {
    tni_arena arena;
    tni_gid_map *map;
    int twice;
    tni_arena_init(&arena, ctx);
    uint64_t r = 99;
    for (int i = 0; i < N; i++) gid[i] = kind == 0 ? 7 + i : kind == 1 ? 1 + 3*((tn_gid)i*7 % N) : 0;
    for (int i = 0; kind == 2 && i < N; i++) gid[i] = (tn_gid)(1e15*(2 + check_random(&r)));
    CHECK_OK(ctx, tni_gid_map_create(&arena, gid, N, &map, &twice));
    CHECK_INT(twice, -1);
    for (int i = 0; i < N; i++) CHECK_INT(tni_gid_map_find(map, gid[i]), i);
    CHECK_INT(tni_gid_map_find(map, gid[0] + (kind ? 1 : N)), -1);
    CHECK_INT(tni_gid_map_find(map, INT64_MAX), -1);
    CHECK_INT(tni_gid_map_find(map, INT64_MIN), -1);
    gid[300] = gid[20];
    gid[200] = gid[100];
    CHECK_OK(ctx, tni_gid_map_create(&arena, gid, N, &map, &twice));
    CHECK_INT(twice, 200);
    CHECK_INT(tni_gid_map_find(map, gid[300]), 20);
    tni_arena_clear(&arena);
  }
}

static void bad_meshes_are_named(void) {
  tni_mesh_builder *b;
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_begin(ctx, "a", "file.msh", &b));
  tni_mesh_add_node(b, 3, 0, 0, 0);
  tni_mesh_add_node(b, 3, 1, 0, 0);
  CHECK(tni_mesh_finish(&b, &m) == TN_ERR_INPUT && !m && !b);
  CHECK_TEXT(tn_ctx_message(ctx), "file.msh: node 3 is given twice");
  CHECK_OK(ctx, tni_mesh_begin(ctx, "a", "file.msh", &b));
  tni_mesh_add_node(b, 3, 0, NAN, 0);
  CHECK(tni_mesh_finish(&b, &m) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "file.msh: node 3: y = nan, must be a finite number");
  CHECK_OK(ctx, tni_mesh_begin(ctx, "a", "file.msh", &b));
  tni_mesh_add_node(b, 3, 0, 0, 0);
  tni_mesh_add_cell(b, TNI_CELL_LINE2, NULL, 8, (int[]){0, 1});
  CHECK(tni_mesh_finish(&b, &m) == TN_ERR_INPUT);
  CHECK_TEXT(tn_ctx_message(ctx), "file.msh: cell 8 has a node that is not in the mesh");
}

/* an empty mesh is a mesh; many sets stay quick */
static void empty_and_many_sets(void) {
  tni_mesh_builder *b;
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_begin(ctx, NULL, NULL, &b));
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  CHECK(m->nnode == 0 && m->ncell == 0 && m->dim == 3);
  CHECK_INT(tni_mesh_node_of(m, 1), -1);
  tni_mesh_destroy(&m);
  CHECK_OK(ctx, tni_mesh_begin(ctx, "", "", &b));
  tni_mesh_add_node(b, 0, 0, 0, 0);
  char name[20];
  for (int again = 0; again < 2; again++) {
    for (int i = 0; i < 20000; i++) {
      snprintf(name, sizeof(name), "set%d", i);
      tni_mesh_add_member(b, tni_mesh_add_set(b, name, TNI_SET_NODES), 0, 0);
    }
  }
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  CHECK_INT(m->nset, 20000);
  CHECK(tni_mesh_find_set(m, "set19999", TNI_SET_NODES)->n == 1);
  tni_mesh_destroy(&m);
}

/* shells: the cell itself and turned over, also its middles */
static void sides_of_shells(void) {
  tni_mesh_builder *b;
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_begin(ctx, "s", "s", &b));
  const double (*x)[3] = tni_cell_reference(TNI_CELL_QUAD8);
  int node[8];
  for (int i = 0; i < 8; i++) node[i] = tni_mesh_add_node(b, 0, x[i][0], x[i][1], 3);
  tni_mesh_add_cell(b, TNI_CELL_QUAD8, NULL, 0, node);
  CHECK_OK(ctx, tni_mesh_finish(&b, &m));
  CHECK_INT(m->dim, 2);
  CHECK_NEAR(tni_mesh_measure(m, 0), 4, 1e-14);
  int face[8];
  const tni_cell_shape *s = tni_mesh_face(m, 0, TNI_FACE_NEGATIVE, face);
  CHECK(s == tni_cell_of(TNI_CELL_QUAD8));
  for (int e = 0; e < 4; e++)
    for (int k = 0; k < 3; k++)
      CHECK(m->x[3*face[s->edge[e][2]]+k] == 0.5*(m->x[3*face[s->edge[e][0]]+k] + m->x[3*face[s->edge[e][1]]+k]));
  CHECK(face[0] == 0 && face[1] == 3);
  s = tni_mesh_face(m, 0, 1, face);
  CHECK(s == tni_cell_of(TNI_CELL_LINE3) && face[0] == 1 && face[1] == 2 && face[2] == 5);
  tni_mesh_destroy(&m);
}

static void second_order(void) {
  tni_mesh *m = two_cubes(), *p;
  CHECK_OK(ctx, tni_mesh_promote(m, &p));
  /* edges: 20 of the two cubes, 5 more of the roof */
  CHECK_INT(p->nnode, 14 + 25);
  CHECK_INT(p->block[0].cell, TNI_CELL_HEX20);
  CHECK_INT(p->block[1].cell, TNI_CELL_WEDGE15);
  for (int c = 0; c < 3; c++) {
    CHECK_NEAR(tni_mesh_measure(p, c), tni_mesh_measure(m, c), 1e-13);
    CHECK(tni_mesh_cell_gid(p, c) == tni_mesh_cell_gid(m, c));
    const tni_cell_shape *s;
    const int *n = tni_mesh_nodes(p, c, &s);
    for (int e = 0; e < s->nedge; e++)
      for (int k = 0; k < 3; k++)
        CHECK(p->x[3*n[s->edge[e][2]]+k] == 0.5*(p->x[3*n[s->edge[e][0]]+k] + p->x[3*n[s->edge[e][1]]+k]));
  }
  CHECK_INT(tni_mesh_find_set(p, "last", TNI_SET_NODES)->n, 20);
  CHECK_INT(tni_mesh_find_set(p, "sides", TNI_SET_FACES)->n, 4);
  tni_mesh_destroy(&p);
  tni_mesh_destroy(&m);
}

/* whatever allocation fails: a message, nothing lost (the sanitizer build counts) */
static int countdown;
static void *failing_alloc(void *user, size_t bytes) {
  (void)user;
  return countdown-- > 0 ? malloc(bytes) : NULL;
}
static void failing_release(void *user, void *p) {
  (void)user;
  free(p);
}

static void out_of_memory(void) {
  tn_ctx *keep = ctx;
  for (int k = 1; k < 60; k++) {
    countdown = 1000000;
    tn_ctx_opts o = {.alloc = failing_alloc, .release = failing_release};
    if (tn_ctx_create(&o, &ctx) != TN_OK) exit(1);
    countdown = k;
    tni_mesh_builder *b;
    tni_mesh *m = NULL;
    tn_status st = tni_mesh_begin(ctx, "a", "b", &b);
    if (st == TN_OK) {
      for (int i = 0; i < 100; i++) tni_mesh_add_node(b, 0, i, 0, 0);
      for (int i = 0; i < 99; i++) tni_mesh_add_cell(b, TNI_CELL_LINE2, "x", 0, (int[]){i, i + 1});
      for (int i = 0; i < 99; i++) tni_mesh_add_member(b, tni_mesh_add_set(b, "s", TNI_SET_FACES), i, 0);
      st = tni_mesh_finish(&b, &m);
      CHECK(!b);
    }
    CHECK(st == TN_OK || (st == TN_ERR_MEMORY && !m && tn_ctx_message(ctx)[0]));
    if (k == 59) CHECK(st == TN_OK);
    tni_mesh_destroy(&m);
    tn_ctx_destroy(&ctx);
  }
  ctx = keep;
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(blocks_sets_numbers);
  RUN(gid_maps_of_all_kinds);
  RUN(bad_meshes_are_named);
  RUN(empty_and_many_sets);
  RUN(sides_of_shells);
  RUN(second_order);
  RUN(out_of_memory);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
