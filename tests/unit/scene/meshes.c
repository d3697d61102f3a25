/* Meshes in scenes: the skin, fields at its nodes, modes, what is left out; fields that a model chooses to store
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>

#include <tenon/tenon.h>

#include "scene/scene.h"
#include "unit/output/sample.h"

static tn_ctx *ctx;

typedef struct {
  unsigned char *s;
  size_t n, cap;
} bytes;

static tn_status keep(void *user, const char *s, size_t n) {
  bytes *b = user;
  if (b->n + n + 1 > b->cap) {
    b->cap = 2*(b->n + n + 1);
    b->s = realloc(b->s, b->cap);
  }
  memcpy(b->s + b->n, s, n);
  b->n += n;
  b->s[b->n] = 0;
  return TN_OK;
}

/* ---- a block of n x n x n bricks of unit size together, numbers of nodes 1000 + 7 i --------------------------------- */

enum { MAXN = 12 };
static double x[3*(MAXN+1)*(MAXN+1)*(MAXN+1)];
static int cell[8*MAXN*MAXN*MAXN];
static unsigned char type[MAXN*MAXN*MAXN];
static int64_t gid[(MAXN+1)*(MAXN+1)*(MAXN+1)];
static int group_node[2*(MAXN+1)*(MAXN+1)];
static int group_first[3];
static const char *const group_name[] = {"bottom", "an/odd name"};
static const char *const xyz[] = {"x", "y", "z"}, *const six[] = {"xx", "yy", "zz", "xy", "yz", "zx"};

static tni_mesh_info block(int n) {
  int m = n + 1, k = 0;
  for (int i = 0; i < m*m*m; i++) {
    x[3*i] = (double)(i % m)/n, x[3*i+1] = (double)(i/m % m)/n, x[3*i+2] = (double)(i/m/m)/n;
    gid[i] = 1000 + 7*(int64_t)i;
  }
  for (int i = 0; i < n*n*n; i++) {
    int a = i % n + m*(i/n % n) + m*m*(i/n/n);
    const int at[8] = {a, a + 1, a + 1 + m, a + m, a + m*m, a + 1 + m*m, a + 1 + m + m*m, a + m + m*m};
    memcpy(cell + 8*i, at, sizeof(at));
    type[i] = 12;
  }
  for (int i = 0; i < m*m; i++) group_node[k++] = i; /* z = 0 */
  group_first[1] = k;
  group_node[k++] = (m*m*m)/2; /* for even n inside */
  group_first[2] = k;
  return (tni_mesh_info){.name = "block", .nnode = m*m*m, .ncell = n*n*n, .x = x, .cell = cell, .type = type, .gid = gid,
                         .ngroup = 2, .group = group_name, .group_first = group_first, .group_node = group_node};
}

static double number(long row, int node, int c) { return sin(0.1*(double)row + 0.01*node) + c; }

/* displacement, stress, velocity, von_mises of a block over nrow rows; modes: rows are 24 of each mode */
static const char *write_block(int n, long nrow, bool apart, bool modes) {
  static const char *const animation[] = {"mode", "phase"};
  static const double frequency[] = {0, 12.5, 80};
  static const tni_table table = {"modes/frequency", "Hz", 3, 0, frequency, 0};
  static const tni_channel channel[] = {{"energy", "energy", "J", 1, NULL, NULL, NULL},
                                        {"animation", "animation", "1, rad", 2, animation, NULL, NULL}};
  tni_mesh_info mesh = block(n);
  const tni_field field[] = {{0, "displacement", false, 3, xyz, "m", "ground", "a note", 0, apart, false},
                             {0, "stress", false, 6, six, "Pa", "ground", NULL, 0, apart, false},
                             {0, "von_mises", false, 1, NULL, "Pa", "ground", NULL, 0, apart, false},
                             {0, "velocity", false, 3, xyz, "m/s", "ground", NULL, 0, apart, apart}};
  tni_results_info info = {.title = "block", .nchannel = modes ? 2 : 1, .channel = channel, .nmesh = 1, .mesh = &mesh,
                           .nfield = 4, .field = field, .ntable = modes, .table = &table};
  int nchannel = modes ? 3 : 1;
  double *row = malloc((size_t)(nchannel + 13*mesh.nnode)*sizeof(*row));
  const char *path = sample_path("block.h5");
  tni_writer *w;
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  for (long r = 0; r < nrow; r++) {
    double *to = row;
    *to++ = (double)r;
    if (modes) *to++ = (double)(r/24 + 1), *to++ = (double)(r % 24);
    for (int f = 0; f < 4; f++)
      for (int i = 0; i < mesh.nnode; i++)
        for (int c = 0; c < field[f].ncomponent; c++) *to++ = number(r, i, 10*f + c);
    CHECK_OK(ctx, tni_results_append(w, modes ? (double)r/24 : 0.5*(double)r, row));
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  free(row);
  return path;
}

static size_t u32(const unsigned char *s) { return s[0] | (size_t)s[1] << 8 | (size_t)s[2] << 16 | (size_t)s[3] << 24; }
static const unsigned char *data_of(const bytes *b) { return b->s + 16 + u32(b->s + 12); }

/* "key": {"at": 8, "count": 3} */
static const unsigned char *array_of(const bytes *b, const char *key, long *count) {
  char mark[60];
  unsigned long at = 0;
  snprintf(mark, sizeof(mark), "\"%s\": {\"at\": ", key);
  const char *p = strstr((const char *)b->s + 16, mark);
  *count = -1;
  if (CHECK(p != NULL)) CHECK(sscanf(p + strlen(mark), "%lu, \"count\": %ld", &at, count) == 2);
  return data_of(b) + at;
}

static bytes scene_of(const char *path, const tn_scene_opts *o, tn_scene **scene) {
  bytes b = {0};
  CHECK_OK(ctx, tn_scene_open(ctx, path, o, scene));
  CHECK_OK(ctx, tn_scene_write(*scene, keep, &b));
  CHECK_INT(tn_scene_get_info(*scene)->bytes, b.n);
  return b;
}

/* the skin is closed and turned outward: its area is 6, the volume it encloses 1, it has no node inside, and as many edges
 * as Euler's formula says */
static void the_skin_of_a_block_is_its_surface(void) {
  for (int n = 1; n <= 4; n++) {
    tn_scene *s;
    bytes b = scene_of(write_block(n, 2, n % 2 == 0, false), NULL, &s);
    long npoint, nnumber, nface, nedge;
    const float *p = (const float *)(const void *)array_of(&b, "points", &npoint);
    const double *number_of = (const double *)(const void *)array_of(&b, "numbers", &nnumber);
    const uint32_t *face = (const uint32_t *)(const void *)array_of(&b, "faces", &nface);
    const uint32_t *edge = (const uint32_t *)(const void *)array_of(&b, "edges", &nedge);
    int m = n + 1, outside = m*m*m - (n - 1)*(n - 1)*(n - 1), quads = 6*n*n;
    CHECK_INT(npoint, 3*outside);
    CHECK_INT(nnumber, outside);
    CHECK_INT(nface, 3*2*quads);
    CHECK_INT(nedge, 2*(outside + quads - 2));
    char text[60];
    snprintf(text, sizeof(text), "\"sharp\": %d, \"solid\": true", 12*n);
    CHECK(strstr((const char *)b.s + 16, text) != NULL);
    double area = 0, volume = 0;
    for (long i = 0; i < nface; i += 3) {
      const float *a = p + 3*face[i], *c = p + 3*face[i+1], *d = p + 3*face[i+2];
      double u[3], v[3], w[3];
      for (int k = 0; k < 3; k++) u[k] = (double)c[k] - (double)a[k], v[k] = (double)d[k] - (double)a[k];
      for (int k = 0; k < 3; k++) w[k] = u[(k+1)%3]*v[(k+2)%3] - u[(k+2)%3]*v[(k+1)%3];
      area += 0.5*sqrt(w[0]*w[0] + w[1]*w[1] + w[2]*w[2]);
      for (int k = 0; k < 3; k++) volume += (double)a[k]*w[k]/6;
    }
    CHECK_NEAR(area, 6, 1e-6);
    CHECK_NEAR(volume, 1, 1e-6);
    /* an edge runs along an axis and is as long as a brick */
    for (long i = 0; i < nedge; i += 2) {
      double d = 0;
      for (int k = 0; k < 3; k++) d += fabs((double)p[3*edge[i]+(unsigned)k] - (double)p[3*edge[i+1]+(unsigned)k]);
      CHECK_NEAR(d, 1.0/n, 1e-6);
    }
    /* the number of a node says which one it is, and so where it must be */
    for (int i = 0; i < outside; i++) {
      int node = (int)((number_of[i] - 1000)/7);
      for (int k = 0; k < 3; k++) CHECK_NEAR(p[3*i+k], x[3*node+k], 1e-7);
    }
    tn_scene_close(&s);
    free(b.s);
  }
}

/* byte in the data of the field of that name, -1: not in the scene */
static long field_at(const bytes *b, const char *name) {
  char mark[60];
  long at = -1;
  snprintf(mark, sizeof(mark), "{\"mesh\": 0, \"name\": \"%s\"", name);
  const char *p = strstr((const char *)b->s + 16, mark), *end = p ? strchr(p, '}') : NULL;
  const char *q = p ? strstr(p, "\"at\": ") : NULL;
  if (q && q < end) at = strtol(q + 6, NULL, 10);
  return at;
}

static void fields_are_those_of_the_results(void) {
  static const char *const name[] = {"displacement", "stress", "von_mises", "velocity"};
  static const int size[] = {3, 6, 1, 3};
  for (int apart = 0; apart < 2; apart++) {
    tn_scene *s, *served;
    const tn_scene_opts o = {.fields_apart = true};
    bytes b = scene_of(write_block(3, 5, apart, false), NULL, &s), c = scene_of(sample_path("block.h5"), &o, &served);
    const tn_scene_info *info = tn_scene_get_info(s);
    CHECK(info->meshes == 1 && info->fields == 4 && info->faces == 108 && info->frames == 5 && info->bodies == 0);
    CHECK_INT(info->field_bytes, 4*56*13*5);
    long n;
    const double *number_of = (const double *)(const void *)array_of(&b, "numbers", &n);
    CHECK_INT(n, 56);
    for (int f = 0; f < 4; f++) {
      long at = field_at(&b, name[f]);
      CHECK(at >= 0 && field_at(&c, name[f]) == -1);
      CHECK_INT(tn_scene_field_size(served, f), 56*size[f]);
      CHECK_INT(tn_scene_field_components(served, f), size[f]);
      const float *all = (const float *)(const void *)(data_of(&b) + at);
      float one[56*6];
      double low[7], high[7], most = 0, least = HUGE_VAL;
      for (long r = 0; r < 5; r++) {
        CHECK_OK(ctx, tn_scene_read_field(served, f, r, one));
        CHECK(memcmp(one, all + r*56*size[f], sizeof(float)*56*(size_t)size[f]) == 0);
        for (int i = 0; i < 56; i++) {
          double sum = 0;
          for (int k = 0; k < size[f]; k++) {
            double want = number(r, (int)((number_of[i] - 1000)/7), 10*f + k);
            CHECK_NEAR(one[i*size[f] + k], want, 6e-8);
            sum += (double)one[i*size[f] + k]*(double)one[i*size[f] + k];
          }
          most = fmax(most, sqrt(sum));
          least = fmin(least, (double)one[i*size[f]]);
        }
      }
      CHECK_OK(ctx, tn_scene_field_range(served, f, low, high));
      CHECK_NEAR(high[size[f]], most, 1e-12);
      CHECK_NEAR(low[0], least, 0);
    }
    float none[1];
    CHECK(tn_scene_read_field(served, 4, 0, none) == TN_ERR_ARGUMENT);
    CHECK(tn_scene_read_field(served, -1, 0, none) == TN_ERR_ARGUMENT);
    CHECK(tn_scene_read_field(served, 0, 5, none) == TN_ERR_ARGUMENT);
    CHECK(tn_scene_field_size(served, 9) == 0);
    CHECK(strstr((const char *)b.s + 16, "\"note\": \"a note\"") != NULL);
    CHECK(strstr((const char *)b.s + 16, "{\"name\": \"bottom\", \"at\": ") != NULL);
    tn_scene_close(&s);
    tn_scene_close(&served);
    free(b.s);
    free(c.s);
  }
}

/* a group with no node on the skin is not there; one with nodes in and outside has those outside */
static void groups_are_those_of_the_skin(void) {
  tn_scene *s;
  bytes b = scene_of(write_block(2, 1, false, false), NULL, &s);
  CHECK(strstr((const char *)b.s + 16, "an/odd name") == NULL); /* node 13 of 27, in the middle */
  const char *p = strstr((const char *)b.s + 16, "{\"name\": \"bottom\", \"at\": ");
  unsigned long at;
  long n, count = 0;
  CHECK(p && sscanf(p + strlen("{\"name\": \"bottom\", \"at\": "), "%lu, \"count\": %ld", &at, &count) == 2);
  CHECK_INT(count, 9);
  const float *point = (const float *)(const void *)array_of(&b, "points", &n);
  for (int i = 0; i < 9; i++) CHECK_NEAR(point[3*u32(data_of(&b) + at + 4*(size_t)i) + 2], 0, 0);
  tn_scene_close(&s);
  free(b.s);
}

static void modes_have_two_frames_each_and_their_frequencies(void) {
  tn_scene *s;
  bytes b = scene_of(write_block(2, 72, false, true), NULL, &s);
  const tn_scene_info *info = tn_scene_get_info(s);
  CHECK_INT(info->frames, 6);
  CHECK_NEAR(info->t_end, 3, 0);
  CHECK(strstr((const char *)b.s + 16, "\"modes\": [{\"frequency\": 0, \"damping\": null, \"first\": 0, \"frames\": 2}, "
                                       "{\"frequency\": 12.5, \"damping\": null, \"first\": 2, \"frames\": 2}") != NULL);
  /* the shape and its opposite: rows 0 and 12 of each mode */
  const float *u = (const float *)(const void *)(data_of(&b) + field_at(&b, "displacement"));
  for (int f = 0; f < 6; f++) CHECK_NEAR(u[26*3*f], number(12*f, 0, 0), 1e-7);
  tn_scene_close(&s);
  free(b.s);
}

static void large_meshes_lose_fields_then_frames(void) {
  enum { N = 12 };
  tn_scene *s;
  int outside = 13*13*13 - 11*11*11; /* 866 nodes, 52 bytes each in a frame */
  const char *path = write_block(N, 40, true, false);
  size_t frame = 4*(size_t)outside*13, lean = 4*(size_t)outside*4;
  /* a page of eight times this size; room for all of it */
  tn_scene_opts o = {.max_bytes = frame*41/8};
  CHECK_OK(ctx, tn_scene_open(ctx, path, &o, &s));
  CHECK(tn_scene_get_info(s)->fields == 4 && tn_scene_get_info(s)->frames == 40);
  CHECK_TEXT(tn_scene_get_info(s)->note, "");
  tn_scene_close(&s);
  o.max_bytes = frame*39/8;
  CHECK_OK(ctx, tn_scene_open(ctx, path, &o, &s));
  CHECK(tn_scene_get_info(s)->fields == 2 && tn_scene_get_info(s)->frames == 40);
  CHECK_TEXT(tn_scene_get_info(s)->note, "of meshes stress, velocity are left out to keep the file small");
  tn_scene_close(&s);
  o.max_bytes = lean*10/8;
  CHECK_OK(ctx, tn_scene_open(ctx, path, &o, &s));
  CHECK_INT(tn_scene_get_info(s)->frames, 10);
  CHECK_TEXT(tn_scene_get_info(s)->note,
             "10 of 40 stored times are shown, and of meshes stress, velocity are left out to keep the file small");
  CHECK_NEAR(tn_scene_get_info(s)->t_end, 19.5, 0);
  tn_scene_close(&s);
  o.max_bytes = 1; /* two frames and the mesh are always there */
  CHECK_OK(ctx, tn_scene_open(ctx, path, &o, &s));
  CHECK_INT(tn_scene_get_info(s)->frames, 2);
  tn_scene_close(&s);
}

/* ---- what a model chooses to store ------------------------------------------------------------------------------- */

#define BAR "tenon: 1\nmeshes: {bar: {box: {size: [0.1, 0.02, 0.02], cells: [5, 2, 2]}}}\n" \
            "materials: {steel: {type: elastic, E: 210e9, nu: 0.3, density: 7850}}\n"       \
            "structures: {bar: {mesh: bar, material: steel}}\n"                             \
            "supports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [0, 0, 1e6]}]\n" \
            "analysis: {type: statics}\n"

static tn_status run(const char *output, const char *file) {
  char text[1200];
  tn_spec *spec;
  tn_model *m;
  tn_summary sum;
  const tn_run_opts o = {.results = sample_path(file), .overwrite = true};
  snprintf(text, sizeof(text), "%s%s", BAR, output);
  CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", text, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
  tn_status st = tn_run(ctx, m, &o, &sum);
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
  return st;
}

static void chosen_fields_and_groups_have_the_numbers_of_the_whole(void) {
  tni_reader *all, *some;
  CHECK_OK(ctx, run("", "all.h5"));
  CHECK_OK(ctx, run("output: {fields: [von_mises, displacement], groups: [x1, z0], precision: double}\n", "some.h5"));
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("all.h5"), &all));
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("some.h5"), &some));
  const tni_results_info *a = tni_results_get_info(all), *b = tni_results_get_info(some);
  CHECK_INT(a->mesh[0].nnode, 6*3*3);
  CHECK_INT(b->mesh[0].nnode, 9 + 18 - 3);      /* the two faces share an edge of three nodes */
  CHECK_INT(b->mesh[0].ncell, 4 + 10);          /* quads: no brick has all its nodes there */
  CHECK_INT(b->nfield, 2);
  int64_t ga[54], gb[24];
  double xa[3*54], xb[3*24], ua[3*54], ub[3*24];
  CHECK_OK(ctx, tni_results_read_numbers(all, 0, ga));
  CHECK_OK(ctx, tni_results_read_numbers(some, 0, gb));
  CHECK_OK(ctx, tni_results_read_mesh(all, 0, xa));
  CHECK_OK(ctx, tni_results_read_mesh(some, 0, xb));
  for (int f = 0; f < 2; f++) {
    int n = b->field[f].ncomponent, g = 0;
    while (strcmp(a->field[g].name, b->field[f].name) != 0) g++;
    CHECK_OK(ctx, tni_results_read_field(all, g, 0, 1, ua));
    CHECK_OK(ctx, tni_results_read_field(some, f, 0, 1, ub));
    for (int i = 0; i < 24; i++) {
      int k = 0;
      while (k < 53 && ga[k] != gb[i]) k++;
      CHECK(memcmp(xa + 3*k, xb + 3*i, 3*sizeof(double)) == 0);
      CHECK(fabs(xb[3*i] - 0.1) < 1e-12 || fabs(xb[3*i+2]) < 1e-12);
      CHECK(memcmp(ua + n*k, ub + n*i, (size_t)n*sizeof(double)) == 0);
    }
  }
  /* groups that are left have their nodes, counted anew; those without any are gone */
  int node[24], seen = 0;
  for (int g = 0; g < b->mesh[0].ngroup; g++) {
    int n = b->mesh[0].group_first[g+1] - b->mesh[0].group_first[g];
    if (strcmp(b->mesh[0].group[g], "x1") != 0) continue;
    CHECK_INT(n, 9);
    CHECK_OK(ctx, tni_results_read_group(some, 0, g, node));
    for (int i = 0; i < n; i++) CHECK_NEAR(xb[3*node[i]], 0.1, 1e-12);
    seen++;
  }
  CHECK_INT(seen, 1);
  CHECK(tni_results_read_group(some, 0, b->mesh[0].ngroup, node) == TN_ERR_ARGUMENT);
  CHECK(tni_results_read_group(some, 1, 0, node) == TN_ERR_ARGUMENT);
  tni_results_close(&all);
  tni_results_close(&some);
  /* single precision is a dataset of its own, off by rounding alone */
  CHECK_OK(ctx, run("output: {fields: displacement, precision: single}\n", "some.h5"));
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("some.h5"), &some));
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("all.h5"), &all));
  CHECK(tni_results_get_info(some)->field[0].apart && tni_results_get_info(some)->field[0].single);
  CHECK_OK(ctx, tni_results_read_field(all, 0, 0, 1, xa));
  CHECK_OK(ctx, tni_results_read_field(some, 0, 0, 1, ua));
  for (int i = 0; i < 3*54; i++) CHECK_NEAR(ua[i], xa[i], 6e-8);
  tni_results_close(&all);
  tni_results_close(&some);
}

/* every number of the CSV of a group is that of the results, and every node of it is there once per time */
static void groups_as_csv_have_the_numbers_of_the_results(void) {
  tni_reader *r;
  CHECK_OK(ctx, run("", "all.h5"));
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("all.h5"), &r));
  const tni_results_info *info = tni_results_get_info(r);
  static const char *const names[] = {"von_mises", "disp*"};
  double u[3*54], s[54], place[3*54];
  int64_t number_of[54];
  CHECK_OK(ctx, tni_results_read_numbers(r, 0, number_of));
  CHECK_OK(ctx, tni_results_read_mesh(r, 0, place));
  for (int f = 0; f < info->nfield; f++) {
    if (strcmp(info->field[f].name, "displacement") == 0) CHECK_OK(ctx, tni_results_read_field(r, f, 0, 1, u));
    if (strcmp(info->field[f].name, "von_mises") == 0) CHECK_OK(ctx, tni_results_read_field(r, f, 0, 1, s));
  }
  static const struct {
    const char *group;
    int nodes;
  } of[] = {{"x1", 9}, {"bar/z0", 18}, {"*", 54}, {"bar/*", 54}};
  for (int k = 0; k < TNI_COUNT(of); k++) {
    bytes b = {0};
    CHECK_OK(ctx, tni_results_export_group(r, of[k].group, names, 2, NULL, keep, &b));
    char *line = strtok((char *)b.s, "\n");
    CHECK_TEXT(line, "t [s],mesh,node,x [m],y [m],z [m],displacement.x [m],displacement.y [m],displacement.z [m],von_mises [Pa]");
    int n = 0;
    bool seen[54] = {false};
    for (; (line = strtok(NULL, "\n")); n++) {
      long long id;
      double v[8];
      CHECK(sscanf(line, "%lf,bar,%lld,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &v[0], &id, &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 9);
      int i = 0;
      while (i < 53 && number_of[i] != id) i++;
      CHECK(!seen[i]);
      seen[i] = true;
      CHECK(memcmp(v + 1, place + 3*i, 3*sizeof(double)) == 0 && memcmp(v + 4, u + 3*i, 3*sizeof(double)) == 0 && v[7] == s[i]);
      if (k == 0) CHECK_NEAR(v[1], 0.1, 1e-15);
      if (k == 1) CHECK_NEAR(v[3], 0, 0);
    }
    CHECK_INT(n, of[k].nodes);
    free(b.s);
  }
  static const char *const wrong[] = {"pressure"};
  const double late = 77;
  bytes b = {0};
  CHECK(tni_results_export_group(r, "x9", NULL, 0, NULL, keep, &b) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "no mesh has a group 'x9'") != NULL);
  CHECK(tni_results_export_group(r, "x1", wrong, 1, NULL, keep, &b) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "no field matches 'pressure'") != NULL);
  CHECK(tni_results_export_group(r, "x1", NULL, 0, &late, keep, &b) == TN_ERR_ARGUMENT);
  CHECK(b.n == 0);
  tni_results_close(&r);
}

typedef struct {
  bytes scene;
  int nvalue, nframe;
  double value[4000];
} watcher;

static void on_begin(void *user, const char *scene, size_t n, int nvalue) {
  watcher *w = user;
  CHECK_OK(ctx, keep(&w->scene, scene, n));
  w->nvalue = nvalue;
}

static void on_frame(void *user, double t, const double *value) {
  watcher *w = user;
  (void)t;
  w->nframe++;
  if (w->nvalue <= 4000) memcpy(w->value, value, (size_t)w->nvalue*sizeof(double));
}

/* who watches a run gets the skin, and rows of channels with displacement and stress at its nodes behind them */
static void a_watched_run_shows_its_structures(void) {
  static watcher w;
  tn_spec *spec;
  tn_model *m;
  tn_summary sum;
  const tn_watch watch = {.user = &w, .begin = on_begin, .frame = on_frame};
  const tn_run_opts o = {.results = sample_path("seen.h5"), .overwrite = true, .watch = &watch};
  CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", BAR, NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
  CHECK_OK(ctx, tn_run(ctx, m, &o, &sum));
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("seen.h5"), &r));
  const tni_results_info *info = tni_results_get_info(r);
  int nchannel = 0, skin = 54 - 4, field[2] = {-1, -1};
  for (int i = 0; i < info->nchannel; i++) nchannel += info->channel[i].ncomponent;
  CHECK_INT(w.nvalue, nchannel + 4*skin);
  CHECK_INT(w.nframe, 1);
  long n;
  const double *number_of = (const double *)(const void *)array_of(&w.scene, "numbers", &n);
  CHECK_INT(n, skin);
  CHECK(strstr((const char *)w.scene.s + 16, "\"live\": true") && strstr((const char *)w.scene.s + 16, "\"name\": \"von_mises\""));
  for (int f = 0; f < info->nfield; f++) {
    if (strcmp(info->field[f].name, "displacement") == 0) field[0] = f;
    if (strcmp(info->field[f].name, "von_mises") == 0) field[1] = f;
  }
  double u[3*54], s[54];
  int64_t gids[54];
  CHECK_OK(ctx, tni_results_read_field(r, field[0], 0, 1, u));
  CHECK_OK(ctx, tni_results_read_field(r, field[1], 0, 1, s));
  CHECK_OK(ctx, tni_results_read_numbers(r, 0, gids));
  for (int i = 0; i < skin; i++) {
    int k = 0;
    while (k < 53 && gids[k] != (int64_t)number_of[i]) k++;
    CHECK(memcmp(w.value + nchannel + 3*i, u + 3*k, 3*sizeof(double)) == 0);
    CHECK(w.value[nchannel + 3*skin + i] == s[k]);
  }
  tni_results_close(&r);
  free(w.scene.s);
}

static void names_that_are_not_there_are_refused(void) {
  static const struct {
    const char *output, *word;
  } bad[] = {{"output: {fields: [displacement, von_mise]}\n", "m.yaml:8: output: no mesh has a field 'von_mise'; there are displacement"},
             {"output: {fields: von_mise}\n", "did you mean 'von_mises'?"},
             {"output: {groups: [x1, y7]}\n", "no mesh has a group 'y7'; there are x0, x1"}};
  for (int k = 0; k < TNI_COUNT(bad); k++) {
    CHECK(run(bad[k].output, "bad.h5") == TN_ERR_INPUT);
    CHECK(strstr(tn_ctx_message(ctx), bad[k].word) != NULL);
  }
  tn_spec *spec;
  tn_model *m;
  tn_summary sum;
  const tn_run_opts o = {.results = sample_path("bad.h5"), .overwrite = true};
  CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", "tenon: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\noutput: {precision: single}\n", NULL, 0, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &m));
  CHECK(tn_run(ctx, m, &o, &sum) == TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(ctx), "precision is about meshes, and the model has no structures") != NULL);
  tn_model_destroy(&m);
  tn_spec_destroy(&spec);
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  sample_begin();
  RUN(the_skin_of_a_block_is_its_surface);
  RUN(fields_are_those_of_the_results);
  RUN(groups_are_those_of_the_skin);
  RUN(modes_have_two_frames_each_and_their_frequencies);
  RUN(large_meshes_lose_fields_then_frames);
  RUN(chosen_fields_and_groups_have_the_numbers_of_the_whole);
  RUN(groups_as_csv_have_the_numbers_of_the_results);
  RUN(a_watched_run_shows_its_structures);
  RUN(names_that_are_not_there_are_refused);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
