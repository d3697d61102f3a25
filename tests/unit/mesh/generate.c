/* generators: counts, measures in closed form, sets on the outside, Euler characteristic, shapes
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/generate.h"

#include "mesh/quality.h"
#include "mesh/skin.h"
#include "support/check.h"

static tn_ctx *ctx;
static bool all;
static const double PI = 3.14159265358979323846;

static tni_mesh *make(const char *text) {
  tni_mesh *m;
  tn_status st = tni_mesh_from_text(ctx, text, &m);
  if (st != TN_OK) {
    printf("%s: %s\n", text, tn_ctx_message(ctx));
    exit(1);
  }
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

/* triangles of the skin: nodes - edges + triangles, and twice the sum of area vectors (zero when closed) */
static int euler(const tni_mesh *m, double across[3]) {
  tni_arena arena;
  tni_skin k;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_skin_create(m, &arena, &k));
  int nedge = 0, value;
  int *head = calloc((size_t)m->nnode, sizeof(int)), *next = calloc(3*(size_t)k.ntri + 1, sizeof(int));
  int *other = calloc(3*(size_t)k.ntri + 1, sizeof(int));
  char *used = calloc((size_t)m->nnode, 1);
  across[0] = across[1] = across[2] = 0;
  for (int t = 0; t < k.ntri; t++) {
    const double *x[3];
    for (int i = 0; i < 3; i++) {
      int a = k.tri[t][i], b = k.tri[t][(i + 1)%3], lo = a < b ? a : b, hi = a < b ? b : a, e;
      x[i] = m->x + 3*a;
      used[a] = 1;
      for (e = head[lo]; e && other[e] != hi; e = next[e]) {}
      if (e) continue;
      other[++nedge] = hi;
      next[nedge] = head[lo];
      head[lo] = nedge;
    }
    double p[3], q[3];
    for (int i = 0; i < 3; i++) {
      p[i] = x[1][i] - x[0][i];
      q[i] = x[2][i] - x[0][i];
    }
    for (int i = 0; i < 3; i++) across[i] += p[(i+1)%3]*q[(i+2)%3] - p[(i+2)%3]*q[(i+1)%3];
  }
  value = k.ntri - nedge;
  for (int i = 0; i < m->nnode; i++) value += used[i];
  free(head);
  free(next);
  free(other);
  free(used);
  tni_arena_clear(&arena);
  return value;
}

/* what every generator promises: no finding of quality but wanted ones, faces of sets on the outside, nodes of faces in the
 * set of nodes of the same name */
static void sound(const char *text, const tni_mesh *m, int duplicates, double least) {
  tni_mesh_report r;
  CHECK_OK(ctx, tni_mesh_examine(m, &r));
  if (!CHECK(r.ninverted == 0 && r.nunused == 0 && r.npart == 1 && r.nduplicate == duplicates && r.ncollapsed == 0 && r.nbranching == 0 &&
             r.least_jacobian > least)) {
    tni_text t;
    tni_text_init(&t, ctx);
    tni_mesh_report_text(&r, &t);
    printf("%s: least jacobian %g\n%s", text, r.least_jacobian, t.s ? t.s : "");
    tni_text_free(&t);
  }
  CHECK_INT(set_size(m, "all", TNI_SET_NODES), m->nnode);
  CHECK_INT(set_size(m, "all", TNI_SET_CELLS), m->ncell);
  tni_arena arena;
  tni_arena_init(&arena, ctx);
  tni_mesh_faces f[4];
  for (int d = 2; d <= 3; d++) CHECK_OK(ctx, tni_mesh_faces_create(m, d, &arena, &f[d]));
  int *outside = tni_arena_alloc(&arena, 6*(size_t)m->ncell, sizeof(int));
  for (int d = 2; d <= 3; d++)
    for (int i = 0; i < f[d].n; i++)
      if (f[d].count[i] == 1) outside[6*f[d].cell[i][0] + f[d].face[i][0]] = 1;
  char *in = tni_arena_alloc(&arena, (size_t)m->nnode, 1);
  for (int k = 0; k < m->nset; k++) {
    const tni_mesh_set *s = &m->set[k], *nodes = tni_mesh_find_set(m, s->name, TNI_SET_NODES);
    if (!CHECK(s->n > 0)) printf("%s: set %s is empty\n", text, s->name);
    if (s->kind != TNI_SET_FACES) continue;
    bool ok = nodes != NULL;
    memset(in, 0, (size_t)m->nnode);
    for (int i = 0; ok && i < nodes->n; i++) in[nodes->member[i]] = 1;
    for (int i = 0; ok && i < s->n; i++) {
      int node[TNI_CELL_MAXFACENODE];
      const tni_cell_shape *shape = tni_mesh_face(m, s->member[i], s->face[i], node);
      ok = outside[6*s->member[i] + s->face[i]];
      for (int a = 0; a < shape->nnode; a++) {
        ok = ok && in[node[a]];
        if (in[node[a]]) in[node[a]] = 2;
      }
    }
    for (int i = 0; ok && i < nodes->n; i++) ok = in[nodes->member[i]] == 2; /* and no others */
    if (!CHECK(ok)) printf("%s: set %s: faces and nodes do not go together\n", text, s->name);
  }
  tni_arena_clear(&arena);
}

typedef struct {
  const char *text;
  double measure, tolerance; /* of curved geometries the mesh comes from below */
  int nnode, ncell, euler;   /* nnode, ncell -1: not compared */
  double least;
} sample;

static void measures_counts_sets(void) {
  const double q = PI/4;
  const sample list[] = {
      {"bar size=3 cells=7", 3, 1e-14, 8, 7, 0, 0.99},
      {"bar size=3 cells=7 cell=line3 grade=5", 3, 1e-14, 15, 7, 0, 0.99},
      {"plate size=3,2 cells=4,3", 6, 1e-14, 20, 12, 1, 0.99},
      {"plate size=3,2 cells=4,3 cell=quad8", 6, 1e-14, 20 + 31, 12, 1, 0.99},
      {"plate size=3,2 cells=4,3 cell=tri3", 6, 1e-14, 20, 24, 1, 0.5},
      {"plate size=3,2 cells=4,3 cell=tri6 distort=0.2", 6, 1e-14, 63, 24, 1, 0.1},
      {"plate corners=0,0,48,44,48,60,0,44 cells=8,8", 1440, 1e-13, 81, 64, 1, 0.3}, /* Cook's membrane */
      {"box size=1,2,3 cells=2,3,4", 6, 1e-14, 60, 24, 2, 0.99},
      {"box size=1,2,3 cells=2,3,4 cell=hex20 grade=2,1,0.5", 6, 1e-14, 60 + 133, 24, 2, 0.99},
      {"box size=1,2,3 cells=2,3,4 cell=tet4", 6, 1e-14, 60, 144, 2, 0.4},
      {"box size=1,2,3 cells=2,3,4 cell=tet10 distort=0.15", 6, 1e-13, 5*7*9, 144, 2, 0.05},
      {"box size=1,2,3 cells=2,3,4 cell=wedge6 distort=0.2 seed=5", 6, 1e-14, 60, 48, 2, 0.1},
      {"box size=1,2,3 cells=2,3,4 cell=wedge15", 6, 1e-13, 60 + 133 + 30, 48, 2, 0.5},
      {"box size=1,1,1 cells=5,5,5 distort=0.25 seed=9 origin=3,4,5", 1, 1e-13, 216, 125, 2, 0.1},
      {"patch cell=quad4", 100, 1e-14, 8, 5, 1, 0.3},
      {"patch cell=quad8", 100, 1e-14, 20, 5, 1, 0.3},
      {"patch cell=tri6", 100, 1e-14, 8 + 17, 10, 1, 0.1},
      {"patch cell=hex8", 1, 1e-14, 27, 8, 2, 0.5},
      {"patch cell=tet10", 1, 1e-13, 125, 48, 2, 0.2},
      {"patch cell=hex20", 1, 1e-13, 27 + 54, 8, 2, 0.5},
      {"patch cell=wedge15", 1, 1e-13, 27 + 54 + 12, 16, 2, 0.2},
      {"tube radius=1,2 length=3 cells=2,48,3", 9*PI, 0.004, 3*48*4, 288, 0, 0.95},
      {"tube radius=1,2 length=3 cells=2,24,3 cell=hex20", 9*PI, 4e-5, -1, 144, 0, 0.9},
      {"tube radius=1,2 length=3 cells=2,12,3 cell=tet10 angle=1.5707963267948966", 9*q, 4e-5, -1, 432, 2, 0.05},
      {"tube radius=1,2 length=3 cells=2,24,3 cell=wedge15", 9*PI, 4e-5, -1, 288, 0, 0.5},
      {"ring radius=1,2 cells=3,48", 3*PI, 0.004, 192, 144, 0, 0.95},
      {"ring radius=1,2 cells=3,24 cell=tri6 angle=3.141592653589793", 1.5*PI, 4e-5, -1, 144, 1, 0.4},
      {"disk radius=2 cells=8", 4*PI, 0.002, (4*768 + 64)/2 - 768 + 1, 4*192, 1, 0.3},
      {"disk radius=2 cells=4 cell=quad8", 4*PI, 4e-5, -1, 192, 1, 0.3},
      {"disk radius=2 cells=6 cell=tri3 part=quarter", PI, 0.004, 127, 216, 1, 0.1},
      {"cylinder radius=1 length=2 cells=4,3", 2*PI, 0.007, 4*((4*192 + 32)/2 - 192 + 1), 576, 2, 0.3},
      {"cylinder radius=1 length=2 cells=3,3 cell=hex20", 2*PI, 4e-5, -1, 324, 2, 0.3},
      {"cylinder radius=1 length=2 cells=4,5 cell=tet4", 2*PI, 0.007, 6*((4*192 + 32)/2 - 192 + 1), 5760, 2, 0.05},
      {"cylinder radius=1 length=2 cells=2,2 cell=tet10 part=quarter", q*2, 5e-4, -1, 144, 2, 0.05},
      {"cylinder radius=1 length=2 cells=4,5 cell=wedge6 part=quarter", q*2, 0.007, -1, 480, 2, 0.1},
      {"hole size=4,3 radius=1 cells=6,5 part=quarter", 12 - q, 0.002, 77, 60, 1, 0.2},
      {"hole size=8,6 radius=1 cells=6,5 cell=quad8", 48 - PI, 1e-5, -1, 240, 0, 0.2},
      {"hole size=8,6,0.5 radius=1 cells=6,5,2 cell=tet10", 24 - PI/2, 1e-5, -1, 2880, 0, 0.02},
      {"hole size=8,6,0.5 radius=1 cells=4,5,1 cell=hex8", 24 - PI/2, 0.002, 400, 160, 0, 0.1},
      {"panel radius=10 length=13.963 angle=0.6981317007977318 cells=20,10", 13.963*10*40*PI/180, 0.0003, 231, 200, 1, 0.99},
      {"panel radius=1 length=2 angle=6.283185307179586 cells=5,24 cell=quad8", 4*PI, 3e-3, -1, 120, 0, 0.9},
      {"dome radius=2 polar=0.5,1.5 cells=12,48", 8*PI*(cos(0.5) - cos(1.5)), 0.003, 13*48, 576, 0, 0.8},
      {"dome radius=2 polar=0.31415926535897931,1.5707963267948966 cells=8,8 part=quarter cell=quad8", 2*PI*cos(0.1*PI), 3e-3, -1, 64, 1, 0.6},
      {"dome radius=2 polar=0,1.5707963267948966 cells=8", 8*PI, 0.01, -1, 768, 1, 0.2},
      {"sphere radius=1,2 cells=4,3", 7*PI/6, 0.02, -1, 144, 2, 0.6},
      {"sphere radius=1,2 cells=3,3 cell=hex20", 7*PI/6, 3e-4, -1, 81, 2, 0.6},
      {"sphere radius=1,2 cells=3,3 cell=tet10", 7*PI/6, 3e-4, -1, 486, 2, 0.1},
      {"box_truss size=50,5,5 cells=10", -1, 0, 44, 13*11 - 8, 0, 0.99},
      {"dual_keel", -1, 0, 384, 1264, 0, 0.99},
      {"dual_keel sections=288 crossings=28", -1, 0, 2304, 7584, 0, 0.99},
      {"link variant=L0", -1, 0, 852, 456, 0, 0.2},
      {"link", -1, 0, 852, 456, 0, 0.2},
      {"link variant=L2", -1, 0, 6600, 4992, 0, 0.2},
      {"link variant=L3", -1, 0, 13440, 10240, 0, 0.2},
      {"booster", -1, 0, 9180, 10440, 0, 0.99},
      {"tapered_plate", 2.5, 1e-13, 257*33, 8192, 1, 0.9},
      {"composite_beam", 40, 1e-12, 4131, 3200, 2, 0.99},
      {"composite_beam pencils=3", 90, 1e-12, 25857/3, 7200, 2, 0.99},
      {"composite_beam pencils=4", 160, 1e-12, 44217/3, 12800, 2, 0.99},
      {"cracked_plate", 0.02, 1e-13, 81*51 + 19, 4000, 0, 0.99},
      {"foam_bar", -1, 0, 409*27 + 1227, 6528 + 1636, 2, 0.99},
      {"box size=2.04,0.05,0.01 cells=408,10,2", 2.04*0.05*0.01, 1e-12, 13497, 8160, 2, 0.99},
  };
  for (int i = 0; i < TNI_COUNT(list); i++) {
    const sample *s = &list[i];
    int before = check_failures;
    tni_mesh *m = make(s->text);
    double across[3];
    if (s->nnode >= 0) CHECK_INT(m->nnode, s->nnode);
    if (s->ncell >= 0) CHECK_INT(m->ncell, s->ncell);
    if (s->measure >= 0) CHECK_NEAR(total(m), s->measure, s->tolerance);
    if (m->nblock > 0 && tni_cell_of(m->block[0].cell)->dim > 1) {
      CHECK_INT(euler(m, across), s->euler);
      if (tni_cell_of(m->block[0].cell)->dim == 3)
        for (int k = 0; k < 3; k++) CHECK_WITHIN(across[k], 0, 1e-10);
    }
    sound(s->text, m, strncmp(s->text, "cracked", 7) == 0 ? 19 : 0, s->least);
    if (check_failures > before) printf("  of: %s\n", s->text);
    tni_mesh_destroy(&m);
  }
}

/* every generator is in the table above or at least builds; parameters have sentences */
static void tables_are_complete(void) {
  for (int i = 0; tni_mesh_generators[i]; i++) {
    const tni_mesh_generator *g = tni_mesh_generators[i];
    CHECK(tni_mesh_generator_find(g->name) == g && g->doc && g->sets);
    CHECK(g->nparam + TNI_MESH_NCOMMON <= TNI_MESH_MAXPARAM);
    for (int k = 0; k < g->nparam + TNI_MESH_NCOMMON; k++) {
      const tni_mesh_param *p = tni_mesh_param_at(g, k);
      size_t n = strlen(p->doc);
      CHECK(n > 4 && p->doc[n-1] == '.' && p->most <= TNI_MESH_MAXVALUE && p->most >= 1);
      CHECK(p->kind == TNI_PARAM_WORD ? p->choices != NULL : p->min < p->max);
      CHECK_INT(tni_mesh_param_find(g, p->name), k);
      if (strcmp(p->name, "cells") == 0) CHECK(p->kind == TNI_PARAM_COUNTS && p->min >= 1);
    }
  }
  CHECK(tni_mesh_generator_find("torus") == NULL);
}

/* docs/user/meshes.md names every generator and every parameter in the row of it */
static void docs_know_all(void) {
  FILE *f = fopen(TENON_SOURCE_DIR "/docs/user/meshes.md", "r");
  static char text[100000];
  if (!CHECK(f)) return;
  text[fread(text, 1, sizeof(text) - 1, f)] = 0;
  fclose(f);
  for (int i = 0; tni_mesh_generators[i]; i++) {
    const tni_mesh_generator *g = tni_mesh_generators[i];
    char name[60], row[2000] = "";
    snprintf(name, sizeof(name), "\n| `%s`", g->name);
    const char *at = strstr(text, name);
    if (!CHECK(at)) {
      printf("%s is not in docs/user/meshes.md\n", g->name);
      continue;
    }
    snprintf(row, sizeof(row), "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
    for (int k = 0; k < g->nparam + TNI_MESH_NCOMMON; k++) {
      snprintf(name, sizeof(name), "`%s`", tni_mesh_param_at(g, k)->name);
      if (!CHECK(strstr(k < g->nparam ? row : text, name))) printf("%s of %s is not in docs/user/meshes.md\n", name, g->name);
    }
  }
}

/* names of sides mean what they say: places of their nodes */
static void sides_lie_where_they_should(void) {
  static const char *const names[6] = {"x0", "x1", "y0", "y1", "z0", "z1"};
  static const char *const cells[6] = {"hex8", "hex20", "tet4", "tet10", "wedge6", "wedge15"};
  for (int c = 0; c < 6; c++) {
    char text[100];
    snprintf(text, sizeof(text), "box size=1,2,3 cells=2,1,3 cell=%s", cells[c]);
    tni_mesh *m = make(text);
    const double size[3] = {1, 2, 3};
    for (int side = 0; side < 6; side++) {
      double want = side%2 ? size[side/2] : 0, area = 0;
      const tni_mesh_set *s = tni_mesh_find_set(m, names[side], TNI_SET_NODES), *f = tni_mesh_find_set(m, names[side], TNI_SET_FACES);
      int count = 0;
      for (int i = 0; i < m->nnode; i++) count += m->x[3*i+side/2] == want;
      CHECK_INT(s->n, count);
      for (int i = 0; i < s->n; i++) CHECK(m->x[3*s->member[i]+side/2] == want);
      for (int i = 0; i < f->n; i++) { /* outward area */
        int node[8];
        const tni_cell_shape *t = tni_mesh_face(m, f->member[i], f->face[i], node);
        const double *x0 = m->x + 3*node[0], *x1 = m->x + 3*node[1], *x2 = m->x + 3*node[2];
        int d = side/2, u = (d + 1)%3, v = (d + 2)%3;
        double z = (x1[u] - x0[u])*(x2[v] - x0[v]) - (x1[v] - x0[v])*(x2[u] - x0[u]);
        area += z*(t->ncorner == 4 ? 1 : 0.5);
      }
      CHECK_NEAR(area, (side%2 ? 6 : -6)/size[side/2], 1e-14);
    }
    CHECK_INT(set_size(m, "x0y0z1", TNI_SET_NODES), 1);
    CHECK_INT(set_size(m, "x1z0", TNI_SET_NODES), strchr(cells[c], '0') || strchr(cells[c], '5') ? 3 : 2);
    tni_mesh_destroy(&m);
  }
  tni_mesh *m = make("link");
  const tni_mesh_set *clamp = tni_mesh_find_set(m, "clamp", TNI_SET_NODES);
  CHECK_INT(clamp->n, 12*4); /* layers 1 .. 4 of the first section */
  CHECK_INT(set_size(m, "inner", TNI_SET_FACES), 12*28);
  for (int i = 0; i < clamp->n; i++) CHECK(fabs(m->x[3*clamp->member[i]+1]) < 1e-12 && m->x[3*clamp->member[i]] > 0);
  tni_mesh_destroy(&m);
  m = make("booster");
  CHECK_INT(set_size(m, "rings", TNI_SET_CELLS), 1320);
  CHECK_INT(set_size(m, "pressed", TNI_SET_NODES), 39*60); /* rows 76 .. 114 */
  CHECK_INT(set_size(m, "z0", TNI_SET_NODES), 60);
  tni_mesh_destroy(&m);
  m = make("composite_beam");
  CHECK_INT(set_size(m, "fibre", TNI_SET_CELLS), 4*4*50);
  CHECK_INT(set_size(m, "pencil3", TNI_SET_CELLS), 800);
  tni_mesh_destroy(&m);
  m = make("foam_bar");
  CHECK_INT(set_size(m, "foam", TNI_SET_CELLS), 1636);
  CHECK_INT(set_size(m, "fixed", TNI_SET_NODES), 1227);
  tni_mesh_destroy(&m);
  m = make("dual_keel");
  CHECK_INT(set_size(m, "dock", TNI_SET_NODES), 4);
  tni_mesh_destroy(&m);
}

/* Pin-jointed trusses: free motions = 3 nodes - rank of the elongations, by elimination with the largest pivot. The booms and the
 * station are stiff: six. No strut twice. */
static int free_motions(const tni_mesh *m) {
  int n = 3*m->nnode, rank = 0;
  double *A = calloc((size_t)n*(size_t)n, sizeof(double));
  if (!A) exit(1);
  for (int c = 0; c < m->ncell; c++) {
    const int *node = tni_mesh_nodes(m, c, NULL);
    double d[6], l = 0;
    for (int k = 0; k < 3; k++) {
      d[k] = m->x[3*node[0]+k] - m->x[3*node[1]+k];
      d[3+k] = -d[k];
      l += d[k]*d[k];
    }
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) A[(size_t)(3*node[i/3] + i%3)*(size_t)n + (size_t)(3*node[j/3] + j%3)] += d[i]*d[j]/l;
  }
  for (; rank < n; rank++) { /* symmetric: the pivot on the diagonal */
    int p = rank;
    for (int i = rank; i < n; i++)
      if (A[(size_t)i*(size_t)n + (size_t)i] > A[(size_t)p*(size_t)n + (size_t)p]) p = i;
    if (A[(size_t)p*(size_t)n + (size_t)p] < 1e-9) break;
    for (int k = 0; k < n; k++) {
      double t = A[(size_t)rank*(size_t)n + (size_t)k];
      A[(size_t)rank*(size_t)n + (size_t)k] = A[(size_t)p*(size_t)n + (size_t)k];
      A[(size_t)p*(size_t)n + (size_t)k] = t;
    }
    for (int k = 0; k < n; k++) {
      double t = A[(size_t)k*(size_t)n + (size_t)rank];
      A[(size_t)k*(size_t)n + (size_t)rank] = A[(size_t)k*(size_t)n + (size_t)p];
      A[(size_t)k*(size_t)n + (size_t)p] = t;
    }
    for (int i = rank + 1; i < n; i++) {
      double f = A[(size_t)i*(size_t)n + (size_t)rank]/A[(size_t)rank*(size_t)n + (size_t)rank];
      for (int k = rank; f != 0 && k < n; k++) A[(size_t)i*(size_t)n + (size_t)k] -= f*A[(size_t)rank*(size_t)n + (size_t)k];
    }
  }
  free(A);
  return n - rank;
}

static void trusses_are_stiff(void) {
  static const char *const text[] = {"box_truss size=10,1,2 cells=5", "dual_keel sections=9 crossings=3", "dual_keel sections=2 crossings=2"};
  for (int t = 0; t < TNI_COUNT(text); t++) {
    tni_mesh *m = make(text[t]);
    CHECK_INT(free_motions(m), 6);
    for (int c = 0; c < m->ncell; c++) {
      for (int d = 0; d < c; d++) {
        const int *a = tni_mesh_nodes(m, c, NULL), *b = tni_mesh_nodes(m, d, NULL);
        bool same = (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
        if (!same) continue;
        CHECK(!same);
      }
    }
    tni_mesh_destroy(&m);
  }
}

/* second order made directly and by promotion of the linear mesh: the same mesh, nodes in another order */
static void promotion_agrees_with_second_order(void) {
  static const char *const pair[][2] = {{"hex8", "hex20"}, {"tet4", "tet10"}, {"wedge6", "wedge15"}};
  for (int k = 0; k < 3; k++) {
    char text[100];
    snprintf(text, sizeof(text), "box size=1,2,3 cells=2,3,2 cell=%s", pair[k][0]);
    tni_mesh *linear = make(text), *up;
    snprintf(text, sizeof(text), "box size=1,2,3 cells=2,3,2 cell=%s", pair[k][1]);
    tni_mesh *direct = make(text);
    CHECK_OK(ctx, tni_mesh_promote(linear, &up));
    CHECK_INT(up->nnode, direct->nnode);
    CHECK_INT(up->nset, direct->nset);
    for (int i = 0; i < up->nset; i++) {
      const tni_mesh_set *s = tni_mesh_find_set(direct, up->set[i].name, up->set[i].kind);
      CHECK(s && s->n == up->set[i].n);
    }
    for (int c = 0; c < up->ncell; c++) {
      double a[20][3], b[20][3];
      const tni_cell_shape *s = tni_mesh_places(up, c, a);
      CHECK(tni_mesh_places(direct, c, b) == s);
      for (int i = 0; i < s->nnode; i++)
        for (int d = 0; d < 3; d++) CHECK_WITHIN(a[i][d], b[i][d], 1e-14);
    }
    tni_mesh_destroy(&linear);
    tni_mesh_destroy(&direct);
    tni_mesh_destroy(&up);
  }
}

/* the same seed gives the same mesh, another one another; the outside stays */
static void distortion_is_repeatable(void) {
  tni_mesh *a = make("box size=1,1,1 cells=4,4,4 distort=0.2 seed=3"), *b = make("box size=1,1,1 cells=4,4,4 distort=0.2 seed=3");
  tni_mesh *c = make("box size=1,1,1 cells=4,4,4 distort=0.2 seed=4"), *d = make("box size=1,1,1 cells=4,4,4");
  CHECK(memcmp(a->x, b->x, 3*(size_t)a->nnode*sizeof(double)) == 0);
  int moved = 0, differs = 0;
  double most = 0;
  for (int i = 0; i < a->nnode; i++) {
    bool inside = true, same = true;
    for (int k = 0; k < 3; k++) {
      double x = d->x[3*i+k];
      inside = inside && x > 0 && x < 1;
      same = same && a->x[3*i+k] == x;
      most = fmax(most, fabs(a->x[3*i+k] - x));
      differs += a->x[3*i+k] != c->x[3*i+k];
    }
    CHECK(inside != same);
    moved += !same;
  }
  CHECK_INT(moved, 27);
  CHECK_INT(differs, 81);
  CHECK(most > 0.03 && most <= 0.05);
  tni_mesh_destroy(&a);
  tni_mesh_destroy(&b);
  tni_mesh_destroy(&c);
  tni_mesh_destroy(&d);
}

/* thick sphere of the plasticity test: inner and outer surfaces have their radius, planes are planes */
static void sphere_surfaces(void) {
  tni_mesh *m = make("sphere radius=1,2 cells=4,5 cell=hex20");
  const char *name[5] = {"inner", "outer", "x0", "y0", "z0"};
  for (int k = 0; k < 5; k++) {
    const tni_mesh_set *s = tni_mesh_find_set(m, name[k], TNI_SET_NODES);
    for (int i = 0; i < s->n; i++) {
      const double *x = m->x + 3*s->member[i];
      if (k < 2) CHECK_NEAR(sqrt(x[0]*x[0] + x[1]*x[1] + x[2]*x[2]), k + 1, 1e-14);
      else CHECK(fabs(x[k-2]) < 1e-15);
    }
  }
  tni_mesh_destroy(&m);
}

/* random parameters: a sound mesh or one clear line */
static void random_parameters(void) {
  uint64_t r = 11;
  int made = 0, refusals = 0;
  for (int i = 0; tni_mesh_generators[i]; i++) {
    const tni_mesh_generator *g = tni_mesh_generators[i];
    for (int trial = 0; trial < (all ? 300 : 20); trial++) {
      tni_mesh_params p = {.name = "random"};
      char words[TNI_MESH_MAXPARAM][40], shown[1000] = "";
      size_t used = 0;
      for (int k = 0; k < g->nparam + TNI_MESH_NCOMMON; k++) {
        const tni_mesh_param *t = tni_mesh_param_at(g, k);
        tni_mesh_value *v = &p.value[k];
        if (t->least <= 0 && check_random(&r) < 0.2 && strcmp(t->name, "cells") != 0) continue;
        if (t->kind == TNI_PARAM_WORD) {
          int n = 1, pick;
          for (const char *c = t->choices; *c; c++) n += *c == '|';
          pick = (int)(0.5*(1 + check_random(&r))*n);
          const char *c = t->choices;
          for (; pick > 0; pick--) c = strchr(c, '|') + 1;
          snprintf(words[k], sizeof(words[k]), "%.*s", (int)strcspn(c, "|"), c);
          v->word = words[k];
          v->n = 1;
          used += (size_t)snprintf(shown + used, sizeof(shown) - used, " %s=%s", t->name, v->word);
          continue;
        }
        int least = t->least > 0 ? t->least : t->least < 0 ? -t->least : t->most;
        v->n = least + (int)(0.5*(1 + check_random(&r))*(t->most - least + 1));
        if (strcmp(t->name, "collars") == 0) v->n = 3;
        for (int e = 0; e < v->n; e++) {
          double x = pow(10, 0.7*check_random(&r));
          if (t->kind == TNI_PARAM_COUNTS) x = floor(1 + 3*(1 + check_random(&r)));
          if (strcmp(t->name, "distort") == 0) x = 0.1*(1 + check_random(&r));
          if (strcmp(t->name, "angle") == 0) x = 0.1 + 3*(1 + check_random(&r));
          if (e > 0 && strcmp(t->name, "radius") == 0) x += v->number[e-1];
          v->number[e] = x;
          used += (size_t)snprintf(shown + used, sizeof(shown) - used, "%s%s%.17g", e ? "," : " ", e ? "" : t->name, x);
        }
      }
      (void)used;
      tni_mesh *m;
      tn_status st = tni_mesh_generate(ctx, g, &p, &m);
      if (st != TN_OK) {
        refusals++;
        CHECK(st == TN_ERR_INPUT && !m && strncmp(tn_ctx_message(ctx), g->name, strlen(g->name)) == 0);
        continue;
      }
      made++;
      int before = check_failures;
      tni_mesh_report q;
      CHECK_OK(ctx, tni_mesh_examine(m, &q));
      CHECK(q.ninverted == 0 && q.nclockwise == 0 && q.nunused == 0 && q.npart == 1 && q.ncollapsed == 0 && q.nbranching == 0);
      CHECK(q.nduplicate == (strcmp(g->name, "cracked_plate") == 0 ? set_size(m, "crack1", TNI_SET_NODES) : 0));
      sound(g->name, m, q.nduplicate, 0);
      if (check_failures > before) printf("  of: %s%s\n", g->name, shown);
      tni_mesh_destroy(&m);
    }
  }
  CHECK(made > 200 && refusals > 10);
  if (all) printf("%d meshes, %d refusals\n", made, refusals);
}

static void refused(const char *text, const char *message) {
  tni_mesh *m = NULL;
  tn_status st = tni_mesh_from_text(ctx, text, &m);
  CHECK(st == TN_ERR_INPUT && !m);
  CHECK_TEXT(tn_ctx_message(ctx), message);
  tni_mesh_destroy(&m);
}

static void bad_parameters_are_named(void) {
  refused("torus", "there is no generator 'torus'");
  refused("box colour=3", "box has no parameter 'colour'");
  refused("box size=1,2,3", "box: cells is missing: Cells along x, y and z; a hexahedron is cut into two wedges or six tetrahedra.");
  refused("box size=1,2 cells=1,1,1", "box: size has 2 numbers, needs 3");
  refused("hole size=1 radius=1 cells=1,1", "hole: size has 1 numbers, needs 2 to 3");
  refused("box size=1,-2,3 cells=1,1,1", "box: size: -2, must be above 0 and at most 1e+09");
  refused("box size=1,nan,3 cells=1,1,1", "box: size: nan, must be above 0 and at most 1e+09");
  refused("box size=1,2,3 cells=1,1.5,1", "box: cells: 1.5, must be a whole number");
  refused("box size=1,2,3 cells=1,1,1 cell=hex27", "box: cell: 'hex27' is unknown, allowed: hex8|hex20|tet4|tet10|wedge6|wedge15");
  refused("box size=1,2,3 cells=1,1,1 cell=hex", "box: cell: 'hex' is unknown, allowed: hex8|hex20|tet4|tet10|wedge6|wedge15");
  refused("plate cells=1,1", "plate: size is missing: give size or corners");
  refused("plate corners=0,0,1,0,0,1,1,1 cells=1,1", "plate: plate: cell 1 is turned inside out by these dimensions");
  refused("tube radius=2,1 length=1 cells=1,8,1", "tube: radius: 2, 1, must be the inner one, then a larger one");
  refused("hole size=4,3 radius=2 cells=2,2 part=whole", "hole: radius: 2, must be below 1.5, where the plate ends");
  refused("cracked_plate cells=81,50", "cracked_plate: cells: 81 along x, must be even: the crack lies in the middle");
  refused("box size=1,1,1 cells=1e6,1e6,1e6", "too many cells: 1000000 x 1000000 x 1000000, at most about 107374182 nodes");
  tni_mesh *m;
  CHECK(tni_mesh_from_text(ctx, "box size=1,1,1 cells=6,6,6 cell=tet4 distort=0.5", &m) == TN_ERR_INPUT);
  CHECK(strncmp(tn_ctx_message(ctx), "box: distort: 0.5 turns cell ", 29) == 0);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(measures_counts_sets);
  RUN(tables_are_complete);
  RUN(docs_know_all);
  RUN(sides_lie_where_they_should);
  RUN(trusses_are_stiff);
  RUN(promotion_agrees_with_second_order);
  RUN(distortion_is_repeatable);
  RUN(sphere_surfaces);
  RUN(random_parameters);
  RUN(bad_parameters_are_named);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
