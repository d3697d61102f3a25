/* meshes put together: volumes, numbers, groups, skins, nodes that become one
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/join.h"

#include "base/vec.h"
#include "mesh/generate.h"
#include "mesh/places.h"
#include "mesh/quality.h"
#include "mesh/skin.h"
#include "support/check.h"

static tn_ctx *ctx;

static tni_mesh *make(const char *text) {
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_from_text(ctx, text, &m));
  return m;
}

static double total(const tni_mesh *m) {
  double sum = 0;
  for (int c = 0; c < m->ncell; c++) sum += tni_mesh_measure(m, c);
  return sum;
}

static int set_size(const tni_mesh *m, const char *name, tni_set_kind kind) {
  const tni_mesh_set *s = tni_mesh_find_set(m, name, kind);
  return s ? s->n : -1;
}

/* area of a set of faces of flat cells, with its normals: sum of area vectors */
static void area(const tni_mesh *m, const char *name, double sum[3]) {
  const tni_mesh_set *s = tni_mesh_find_set(m, name, TNI_SET_FACES);
  sum[0] = sum[1] = sum[2] = 0;
  for (int i = 0; CHECK(s) && i < s->n; i++) {
    int node[TNI_CELL_MAXFACENODE];
    double d[2][3], n[3];
    tni_mesh_face(m, s->member[i], s->face[i], node);
    for (int k = 0; k < 2; k++) vec3_sub(d[k], m->x + 3*node[k+2], m->x + 3*node[k]);
    vec3_cross(n, d[0], d[1]);
    vec3_addmul(sum, 0.5, n);
  }
}

/* a box, and one half as long that stands beside it, turned a quarter about z: y0 of it lies on x1 of the first */
static void join_boxes(const char *first, const char *second, double merge, tni_mesh **out) {
  tni_mesh *a = make(first), *b = make(second);
  tni_mesh_joined part[] = {{"a", a, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}}, {"b", b, {0, -1, 0, 1, 0, 0, 0, 0, 1}, {3, 0, 0}}};
  CHECK_OK(ctx, tni_mesh_join(ctx, "whole", "test", 2, part, merge, out));
  tni_mesh_destroy(&a);
  tni_mesh_destroy(&b);
}

static void parts_keep_what_they_are(void) {
  static const char *const cell[] = {"hex8", "hex20", "tet4", "tet10", "wedge15"};
  for (int k = 0; k < TNI_COUNT(cell); k++)
    for (int welded = 0; welded < 2; welded++) {
      char first[80], second[80];
      double n[3];
      tni_mesh_report r;
      tni_mesh *m;
      snprintf(first, sizeof(first), "box size=2,1,1 cells=4,2,2 cell=%s", cell[k]);
      snprintf(second, sizeof(second), "box size=1,1,1 cells=2,2,2 cell=%s", cell[k]); /* y to -x, from x = 3 to 2 */
      tni_mesh *a = make(first), *b = make(second);
      join_boxes(first, second, welded ? 1e-6 : 0, &m);
      CHECK_NEAR(total(m), 3, 1e-12);
      CHECK_OK(ctx, tni_mesh_examine(m, &r));
      int shared = set_size(a, "x1", TNI_SET_NODES);
      CHECK_INT(m->nnode, a->nnode + b->nnode - (welded ? shared : 0));
      CHECK_INT(r.nduplicate, welded ? 0 : shared);
      CHECK_INT(r.npart, welded ? 1 : 2);
      CHECK_INT(r.ninverted + r.nunused + r.ncollapsed, 0);
      CHECK_INT(set_size(m, "all", TNI_SET_NODES), m->nnode);
      CHECK_INT(set_size(m, "all", TNI_SET_CELLS), a->ncell + b->ncell);
      CHECK_INT(set_size(m, "a", TNI_SET_NODES), a->nnode);
      CHECK_INT(set_size(m, "b", TNI_SET_NODES), b->nnode);
      CHECK_INT(set_size(m, "b", TNI_SET_CELLS), b->ncell);
      CHECK_INT(set_size(m, "b.y1", TNI_SET_NODES), set_size(b, "y1", TNI_SET_NODES));
      CHECK_INT(set_size(m, "b.x0y0z1", TNI_SET_NODES), 1);
      CHECK(!tni_mesh_find_set(m, "x0", TNI_SET_FACES));
      if (strstr(cell[k], "hex")) { /* its x turned to y, its y to -x */
        area(m, "b.x1", n);
        CHECK(fabs(n[0]) < 1e-12 && fabs(n[1] - 1) < 1e-12 && fabs(n[2]) < 1e-12);
        area(m, "a.x1", n);
        CHECK(fabs(n[0] - 1) < 1e-12 && fabs(n[1]) < 1e-12 && fabs(n[2]) < 1e-12);
        area(m, "b.y1", n);
        CHECK(fabs(n[0] + 1) < 1e-12 && fabs(n[1]) < 1e-12 && fabs(n[2]) < 1e-12);
      }
      /* numbers of the first part stay, those of the second follow them */
      for (int i = 0; i < a->nnode; i++) CHECK(tni_mesh_node_of(m, a->gid[i]) == i);
      for (int i = 0; i < b->nnode; i++) {
        int at = tni_mesh_node_of(m, a->gid[a->nnode-1] + b->gid[i]);
        bool met = welded && b->x[3*i+1] == 1;
        if (CHECK(met ? at < 0 : at >= 0) && at >= 0)
          CHECK(fabs(m->x[3*at] - (3 - b->x[3*i+1])) < 1e-12 && fabs(m->x[3*at+1] - b->x[3*i]) < 1e-12);
      }
      CHECK(tni_mesh_cell_of(m, 1) >= 0 && tni_mesh_cell_of(m, a->ncell + b->ncell) >= 0 &&
            tni_mesh_cell_of(m, a->ncell + b->ncell + 1) < 0);
      /* a closed surface, however many parts: its area vectors add up to nothing */
      tni_arena arena;
      tni_skin skin;
      tni_arena_init(&arena, ctx);
      CHECK_OK(ctx, tni_skin_create(m, &arena, &skin));
      double faces = 0;
      for (int t = 0; t < skin.ntri; t++) {
        double p[3], q[3], s[3];
        vec3_sub(p, m->x + 3*skin.tri[t][1], m->x + 3*skin.tri[t][0]);
        vec3_sub(q, m->x + 3*skin.tri[t][2], m->x + 3*skin.tri[t][0]);
        vec3_cross(s, p, q);
        faces += 0.5*vec3_norm(s);
      }
      CHECK_NEAR(faces, welded ? 14 : 16, 1e-12);
      tni_arena_clear(&arena);
      tni_mesh_destroy(&a);
      tni_mesh_destroy(&b);
      tni_mesh_destroy(&m);
    }
}

/* whoever searches all of them finds the same */
static void the_nearest_place_is_found(void) {
  enum { N = 400 };
  static double x[3*N];
  uint64_t seed = 11;
  for (int trial = 0; trial < 12; trial++) {
    double tolerance = pow(10, -3 + 0.25*trial);
    for (int i = 0; i < 3*N; i++) x[i] = trial%3 == 1 && i%3 == 2 ? 0.5 : check_random(&seed); /* some in a plane */
    for (int i = 3*N - 90; i < 3*N; i++) x[i] = x[i-300]; /* some twice */
    tni_arena arena;
    tni_places p;
    tni_arena_init(&arena, ctx);
    CHECK_OK(ctx, tni_places_create(&arena, x, N, tolerance, &p));
    int wrong = 0;
    for (int i = 0; i < N; i++) {
      int want = -1;
      double least = tolerance;
      for (int j = 0; j < i; j++) {
        double d[3];
        vec3_sub(d, x + 3*i, x + 3*j);
        if (vec3_norm(d) < least || (vec3_norm(d) == least && want < 0)) {
          least = vec3_norm(d);
          want = j;
        }
      }
      wrong += tni_places_near(&p, i) != want;
      tni_places_enter(&p, i);
    }
    CHECK_INT(wrong, 0);
    tni_arena_clear(&arena);
  }
}

static void meshes_are_moved(void) {
  tni_mesh *m = make("plate size=2,1 cells=2,2");
  const double R[] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, upright[] = {1, 0, 0, 0, 0, -1, 0, 1, 0}, at[] = {1, 2, 0}, none[3] = {0};
  CHECK_INT(m->dim, 2);
  tni_mesh_move(m, 3, R, at);
  CHECK_INT(m->dim, 2);
  CHECK_NEAR(total(m), 18, 1e-12);
  int corner = tni_mesh_find_set(m, "x1y1", TNI_SET_NODES)->member[0];
  CHECK(fabs(m->x[3*corner] - (1 - 3)) < 1e-12 && fabs(m->x[3*corner+1] - (2 + 6)) < 1e-12);
  tni_mesh_move(m, 1, upright, none);
  CHECK_INT(m->dim, 3); /* no longer in a plane z = const */
  tni_mesh_destroy(&m);
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(parts_keep_what_they_are);
  RUN(the_nearest_place_is_found);
  RUN(meshes_are_moved);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
