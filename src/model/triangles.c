/* model/triangles.c - triangles of STL and OBJ files
 *
 * STL repeats a point in every triangle that uses it; equal points (bit for bit) are joined, which
 * makes the mesh a third as large and lets the viewer compute smooth normals.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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
  FILE *f = fopen(r->path, "rb");
  if (!f) return TN_FAIL(r->ctx, TN_ERR_IO, "cannot read '%s': %s", r->path, strerror(errno));
  long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  tn_status st = TN_OK;
  if (size < 0 || size > FILE_MAX || fseek(f, 0, SEEK_SET) != 0) {
    st = TN_FAIL(r->ctx, TN_ERR_IO, "cannot read '%s': no plain file, or above 200 MB", r->path);
  } else if (!(r->s = tni_alloc(r->ctx, (size_t)size + 1, 1))) {
    st = tni_out_of_memory(r->ctx);
  } else if (fread(r->s, 1, (size_t)size, f) != (size_t)size) {
    st = TN_FAIL(r->ctx, TN_ERR_IO, "cannot read '%s': it is shorter than it was", r->path);
  }
  r->n = (size_t)size;
  fclose(f);
  return st;
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

/* corners of a face line "f 1/2/3 4/5/6 ...", as point numbers; returns how many */
static int face_corners(char *s, int npoint, int *out, int cap) {
  int n = 0;
  while (n < cap) {
    char *end;
    long k = strtol(s, &end, 10);
    if (end == s) break;
    out[n++] = (int)(k < 0 ? npoint + k : k - 1); /* negative: counted from the last one */
    s = end;
    while (*s && *s != ' ' && *s != '\t' && *s != '\n') s++;
  }
  return n;
}

static tn_status read_obj(reader *r) {
  enum { CORNERS = 64 };
  tni_triangles *t = r->out;
  size_t npoint = 0, nface = 0;
  int corner[CORNERS];
  /* twice over the file: count, then fill; faces of more corners become fans */
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
        int n = face_corners(line + 1, t->npoint, corner, CORNERS);
        if (!pass && n > 2) nface += (size_t)n - 2;
        for (int i = 2; i < n && pass; i++) {
          int f[3] = {corner[0], corner[i-1], corner[i]};
          for (int k = 0; k < 3; k++)
            if (f[k] < 0 || f[k] >= (int)npoint)
              return TN_FAIL(r->ctx, TN_ERR_INPUT, "'%s': a face refers to point %d of %zu", r->path,
                             f[k] + 1, npoint);
          memcpy(t->face + 3*t->nface++, f, sizeof(f));
        }
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
