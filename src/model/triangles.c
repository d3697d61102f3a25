/* model/triangles.c - triangles of STL and OBJ files
 *
 * STL repeats a point in every triangle that uses it; equal points (bit for bit) are joined, which
 * makes the mesh a third as large and lets the viewer compute smooth normals.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "model/look.h"

enum { FILE_MAX = 200*1024*1024 };

typedef struct {
  tn_ctx *ctx;
  tni_arena *arena;
  const char *path;
  char *s; /* the file, 0-terminated */
  size_t n;
  tni_triangles *out;
} reader;

static tn_status load(reader *r) {
  char why[TNI_WHY_MAX] = "";
  tni_file_id id;
  tn_status st = tni_file_read(r->ctx, r->path, FILE_MAX, &r->s, &r->n, &id, why);
  if (st == TN_ERR_IO) return TN_FAIL(r->ctx, st, "cannot read '%s': %s", r->path, why);
  TN_TRY(st);
  TN_REQUIRE(r->ctx, r->n <= FILE_MAX, TN_ERR_IO, "cannot read '%s': above %d MB", r->path,
             FILE_MAX/(1024*1024));
  return TN_OK;
}

static tn_status room(reader *r, size_t npoint, size_t nface) {
  if (nface < 1)
    return TN_FAIL(r->ctx, TN_ERR_INPUT, "'%s' has no triangle; known: STL and OBJ", r->path);
  if (nface > TNI_TRIANGLES_MAX || npoint > 3*(size_t)TNI_TRIANGLES_MAX)
    return TN_FAIL(r->ctx, TN_ERR_INPUT, "'%s' has %zu triangles, at most %d can be shown", r->path,
                   nface, TNI_TRIANGLES_MAX);
  TNI_ARENA_NEW(r->arena, r->out->point, 3*npoint);
  TNI_ARENA_NEW(r->arena, r->out->face, 3*nface);
  return TN_OK;
}

/* number of the point, a new one if it was not there; slot [nslot] holds numbers + 1 */
static int join(tni_triangles *t, int *slot, size_t nslot, const float p[3]) {
  uint32_t bits[3];
  memcpy(bits, p, sizeof(bits));
  size_t h = bits[0]*2654435761u ^ bits[1]*2246822519u ^ bits[2]*3266489917u;
  for (h = (h ^ h >> 15) & (nslot - 1); slot[h]; h = (h + 1) & (nslot - 1))
    if (memcmp(t->point + 3*(slot[h] - 1), p, 3*sizeof(float)) == 0) return slot[h] - 1;
  memcpy(t->point + 3*t->npoint, p, 3*sizeof(float));
  slot[h] = ++t->npoint;
  return t->npoint - 1;
}

/* next corner of a text file; false at the end */
static bool next_vertex(char **s, float p[3]) {
  char *at = strstr(*s, "vertex");
  if (!at) return false;
  at += 6;
  for (int i = 0; i < 3; i++) p[i] = strtof(at, &at);
  *s = at;
  return true;
}

static tn_status read_stl(reader *r) {
  tni_triangles *t = r->out;
  uint32_t count = 0;
  if (r->n >= 84) memcpy(&count, r->s + 80, 4); /* little-endian, as the machines we run on */
  bool binary = r->n >= 84 && r->n == 84 + 50*(size_t)count;
  float p[3];
  size_t nface = count;
  if (!binary) {
    size_t ncorner = 0;
    for (char *s = r->s; next_vertex(&s, p);) ncorner++;
    nface = ncorner/3;
  }
  TN_TRY(room(r, 3*nface, nface));
  size_t nslot = 16;
  while (nslot < 6*nface) nslot *= 2;
  int *slot = tni_ints(r->ctx, nslot);
  if (!slot) return tni_out_of_memory(r->ctx);
  char *s = r->s;
  for (size_t i = 0; i < 3*nface; i++) {
    if (binary) memcpy(p, r->s + 84 + 50*(i/3) + 12 + 12*(i % 3), sizeof(p));
    else next_vertex(&s, p);
    t->face[i] = join(t, slot, nslot, p);
  }
  t->nface = (int)nface;
  tni_free(r->ctx, slot);
  return TN_OK;
}

/* next corner of a face line "f 1/2/3 4/5/6 ..." as the number of a point; false at its end */
static bool next_corner(char **s, long npoint, long *out) {
  char *end;
  long k = strtol(*s, &end, 10); /* what is out of range becomes the end of the range */
  if (end == *s) return false;
  *out = k < 0 ? npoint + k : k - 1; /* negative: counted from the last one */
  *s = end + strcspn(end, " \t\n");
  return true;
}

/* A face of more than three corners becomes a fan. fill: the triangles; else only *nface grows. */
static tn_status read_face(reader *r, char *s, long npoint, bool fill, size_t *nface) {
  tni_triangles *t = r->out;
  long corner[3];
  for (int n = 0; next_corner(&s, t->npoint, &corner[n < 2 ? n : 2]); n++) {
    long last = corner[n < 2 ? n : 2];
    if (fill && (last < 0 || last >= npoint))
      return TN_FAIL(r->ctx, TN_ERR_INPUT, "'%s': a face refers to point %ld of %ld", r->path,
                     last + 1, npoint);
    if (n < 2) continue;
    ++*nface;
    for (int k = 0; k < 3 && fill; k++) t->face[3*t->nface + k] = (int)corner[k];
    t->nface += fill;
    corner[1] = corner[2];
  }
  return TN_OK;
}

static tn_status read_obj(reader *r) {
  tni_triangles *t = r->out;
  size_t npoint = 0, nface = 0;
  /* twice over the file: count, then fill */
  for (int pass = 0; pass < 2; pass++) {
    if (pass) TN_TRY(room(r, npoint, nface));
    for (char *line = r->s; *line;) {
      size_t length = strcspn(line, "\n");
      char *next = line + length + (line[length] == '\n');
      line[length] = 0;
      if (line[0] == 'v' && (line[1] == ' ' || line[1] == '\t')) {
        char *s = line + 1;
        if (!pass) npoint++;
        for (int i = 0; i < 3 && pass; i++) t->point[3*t->npoint+i] = strtof(s, &s);
        t->npoint += pass;
      } else if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t')) {
        TN_TRY(read_face(r, line + 1, (long)npoint, pass == 1, &nface));
      }
      if (next > line + length) line[length] = '\n';
      line = next;
    }
  }
  return TN_OK;
}

tn_status tni_triangles_read(tn_ctx *ctx, tni_arena *arena, const char *path, tni_triangles *out) {
  reader r = {.ctx = ctx, .arena = arena, .path = path, .out = out};
  const char *dot = strrchr(path, '.');
  memset(out, 0, sizeof(*out));
  bool obj = dot && (strcmp(dot, ".obj") == 0 || strcmp(dot, ".OBJ") == 0);
  bool stl = dot && (strcmp(dot, ".stl") == 0 || strcmp(dot, ".STL") == 0);
  if (!obj && !stl)
    return TN_FAIL(ctx, TN_ERR_INPUT, "'%s' ends neither in .stl nor in .obj", path);
  tn_status st = load(&r);
  if (st == TN_OK) st = obj ? read_obj(&r) : read_stl(&r);
  for (int i = 0; st == TN_OK && i < 3*out->npoint; i++)
    if (!(out->point[i] > -1e30f && out->point[i] < 1e30f))
      st = TN_FAIL(ctx, TN_ERR_INPUT, "'%s': a coordinate of point %d is no number", path, i/3 + 1);
  tni_free(ctx, r.s);
  return st;
}
