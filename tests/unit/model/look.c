/* tests/unit/model/look.c - triangles from STL and OBJ files, colours
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "model/look.h"

#include <unistd.h>

#include "support/check.h"

static tn_ctx *ctx;
static char folder[200];

static const char *write_file(const char *name, const void *data, size_t n) {
  static char path[300];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0) exit(1);
  return path;
}
static const char *write_text(const char *name, const char *text) {
  return write_file(name, text, strlen(text));
}

/* volume enclosed: sum of a.(b x c)/6, positive when the faces look outwards */
static double volume(const tni_triangles *t) {
  double v = 0;
  for (int i = 0; i < t->nface; i++) {
    const float *a = t->point + 3*t->face[3*i], *b = t->point + 3*t->face[3*i+1];
    const float *c = t->point + 3*t->face[3*i+2];
    v += a[0]*(b[1]*c[2] - b[2]*c[1]) + a[1]*(b[2]*c[0] - b[0]*c[2]) + a[2]*(b[0]*c[1] - b[1]*c[0]);
  }
  return v/6;
}

/* a tetrahedron with volume 1/6 in all formats */
static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int side[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static void read_and_compare(const char *path, int npoint, int nface, double want) {
  tni_arena arena;
  tni_triangles t;
  tni_arena_init(&arena, ctx);
  CHECK_OK(ctx, tni_triangles_read(ctx, &arena, path, &t));
  CHECK_INT(t.npoint, npoint);
  CHECK_INT(t.nface, nface);
  CHECK_NEAR(volume(&t), want, 1e-7);
  tni_arena_clear(&arena);
}

static void all_formats_give_the_same_solid(void) {
  char text[2000] = "solid t\n";
  unsigned char binary[84 + 4*50] = {0};
  for (int i = 0; i < 4; i++) {
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, sizeof(text) - n, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++) {
      const float *p = corner[side[i][k]];
      n += (size_t)snprintf(text + n, sizeof(text) - n, "vertex %g %g %g\n", p[0], p[1], p[2]);
      memcpy(binary + 84 + 50*i + 12 + 12*k, p, 12);
    }
    snprintf(text + n, sizeof(text) - n, "endloop\nendfacet\n");
  }
  binary[80] = 4;
  read_and_compare(write_text("a.stl", text), 4, 4, 1.0/6);
  read_and_compare(write_file("b.STL", binary, sizeof(binary)), 4, 4, 1.0/6);
  read_and_compare(write_text("c.obj", "# t\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\n"
                                       "f 1 3 2\nf 1/1/1 2/2/2 4/4/4\nf 1//1 4//1 3//1\nf -3 -2 -1"),
                   4, 4, 1.0/6);
}

static void faces_of_many_corners_become_fans(void) {
  /* a cube of squares */
  read_and_compare(write_text("d.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\n"
                                       "v 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n"
                                       "f 4 1 5 8\n"), 8, 12, 1);
}

static void wrong_files_are_refused(void) {
  static const struct {
    const char *name, *text, *message;
  } bad[] = {
      {"e.ply", "ply", "ends neither in .stl nor in .obj"},
      {"f.stl", "", "has no triangle"},
      {"g.stl", "solid of nothing\nendsolid", "has no triangle"},
      {"h.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "a face refers to point 4 of 3"},
      {"i.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "a face refers to point 0 of 3"},
      {"j.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a coordinate of point 1 is no number"},
      {"k.obj", "v 0 0\n", "has no triangle"},
  };
  tni_arena arena;
  tni_triangles t;
  tni_arena_init(&arena, ctx);
  for (int i = 0; i < TNI_COUNT(bad); i++) {
    CHECK(tni_triangles_read(ctx, &arena, write_text(bad[i].name, bad[i].text), &t) == TN_ERR_INPUT);
    if (!CHECK(strstr(tn_ctx_message(ctx), bad[i].message) != NULL))
      printf("  %s: %s\n", bad[i].name, tn_ctx_message(ctx));
  }
  CHECK(tni_triangles_read(ctx, &arena, "no/such/file.stl", &t) == TN_ERR_IO);
  CHECK(tni_triangles_read(ctx, &arena, folder, &t) != TN_OK);
  tni_arena_clear(&arena);
}

static void rubbish_does_no_harm(void) {
  uint64_t seed = 7;
  tni_arena arena;
  tni_triangles t;
  tni_arena_init(&arena, ctx);
  for (int k = 0; k < 300; k++) {
    unsigned char junk[600];
    for (size_t i = 0; i < sizeof(junk); i++) {
      static const char often[] = "v f1/-2 0\n.e+vertex";
      double r = check_random(&seed);
      junk[i] = r > 0 ? (unsigned char)often[(int)(r*17)] : (unsigned char)(-255*r);
    }
    memcpy(junk + 80, (unsigned char[]){10, 0, 0, 0}, 4); /* ten triangles: 584 bytes */
    size_t n = k % 2 ? 584 : sizeof(junk);
    tn_status st = tni_triangles_read(ctx, &arena, write_file(k % 3 ? "z.obj" : "z.stl", junk, n), &t);
    if (st != TN_OK) continue;
    for (int i = 0; i < 3*t.nface; i++) CHECK(t.face[i] >= 0 && t.face[i] < t.npoint);
  }
  tni_arena_clear(&arena);
}

static void colors_are_words_or_hexadecimal(void) {
  CHECK(tni_is_color("red") && tni_is_color("#abc") && tni_is_color("#12EF9a"));
  CHECK(!tni_is_color("") && !tni_is_color("#12") && !tni_is_color("#12345g") && !tni_is_color("a b"));
  CHECK(!tni_is_color("red\"") && !tni_is_color("url(x)") && !tni_is_color("re"));
}

int main(void) {
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  const char *place = getenv("TMPDIR");
  snprintf(folder, sizeof(folder), "%s/tenon-look-XXXXXX", place ? place : "/tmp");
  if (!mkdtemp(folder)) return 1;
  RUN(all_formats_give_the_same_solid);
  RUN(faces_of_many_corners_become_fans);
  RUN(wrong_files_are_refused);
  RUN(rubbish_does_no_harm);
  RUN(colors_are_words_or_hexadecimal);
  char command[256];
  snprintf(command, sizeof(command), "rm -rf '%s'", folder);
  if (system(command) != 0) printf("could not remove %s\n", folder);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
