/* solids/reduce_file.c - shapes and matrices of a reduced body in a file, so that they are computed once
 *
 *   16 bytes "tenon reduced 1\n", then in the byte order of the machine: a mark of it, digest, sizes, the arrays, a sum of all
 *
 * The digest is that of everything the numbers depend on: nodes, elements, materials, interfaces, what was asked for. A file that
 * has another, or whose sum is wrong, is not used; its numbers are computed again.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "solids/reduce.h"

static const char MAGIC[16] = "tenon reduced 1\n";
static const unsigned long long ORDER = 0x0102030405060708ull;
/* FNV-1a, with a second offset */
static const unsigned long long PRIME = 1099511628211ull, START[2] = {14695981039346656037ull, 0x6c62272e07bb0142ull};

static tni_digest begin(void) { return (tni_digest){{START[0], START[1]}}; }

static void add(tni_digest *d, const void *data, size_t n) {
  const unsigned char *x = data;
  for (size_t i = 0; i < n; i++) {
    d->h[0] = (d->h[0] ^ x[i])*PRIME;
    d->h[1] = (d->h[1] ^ x[i])*(PRIME + 2) + 1;
  }
}

static void add_text(tni_digest *d, const char *text) { add(d, text, strlen(text) + 1); }
static void add_int(tni_digest *d, int i) { add(d, &i, sizeof(i)); }
static void add_number(tni_digest *d, double x) { add(d, &x, sizeof(x)); }

tni_digest tni_reduce_digest(const tni_structure *s, int nb, const int *interface, const tni_reduce_opts *o) {
  tni_digest d = begin();
  add_int(&d, nb);
  add_int(&d, o->modes);
  add_number(&d, o->up_to);
  add_int(&d, s->nnode);
  add_int(&d, s->ndof);
  add_int(&d, s->planar);
  add(&d, s->mesh->x, 3*(size_t)s->nnode*sizeof(double));
  add(&d, interface, (size_t)s->nnode*sizeof(int));
  add(&d, s->mass, (size_t)s->nnode*sizeof(double));
  if (s->turning) add(&d, s->turning, (size_t)s->nnode*sizeof(double));
  for (int k = 0; k < s->nblock; k++) {
    const tni_structure_block *b = &s->block[k];
    double C[36];
    add_text(&d, b->kind.type->name);
    add_int(&d, b->kind.option);
    add_int(&d, (int)b->kind.plane);
    add_number(&d, b->kind.thickness);
    add_number(&d, b->kind.area);
    add_number(&d, b->kind.hourglass);
    if (b->kind.profile) add(&d, b->kind.profile->C, sizeof(b->kind.profile->C));
    if (b->axes) add(&d, b->axes, 9*sizeof(double));
    tni_matter_stiffness(b->kind.matter, b->axes, C);
    add(&d, C, sizeof(C));
    add(&d, b->node, (size_t)b->n*(size_t)b->nnode*sizeof(int));
  }
  return d;
}

typedef struct {
  double *x;
  size_t n;
} piece;

enum { NPIECE = 5 };
static void pieces(const tni_basis *o, piece p[NPIECE]) {
  size_t nd = 6*(size_t)o->nb, n = nd + (size_t)o->nm;
  p[0] = (piece){o->middle, 3*(size_t)o->nb};
  p[1] = (piece){o->K, nd*nd};
  p[2] = (piece){o->M, n*n};
  p[3] = (piece){o->omega2, (size_t)o->nm};
  p[4] = (piece){o->B, (size_t)o->nnode*(size_t)o->ndof*n};
}

typedef struct {
  char magic[16];
  unsigned long long order;
  tni_digest digest;
  int nb, nm, ndof, nnode;
} header;

tn_status tni_basis_write(tn_ctx *ctx, const char *path, const tni_digest *digest, const tni_basis *basis) {
  header h;
  piece p[NPIECE];
  char temporary[1024];
  memset(&h, 0, sizeof(h));
  memcpy(h.magic, MAGIC, sizeof(h.magic));
  h.order = ORDER;
  h.digest = *digest;
  h.nb = basis->nb, h.nm = basis->nm, h.ndof = basis->ndof, h.nnode = basis->nnode;
  tni_digest sum = begin();
  pieces(basis, p);
  /* whole or not at all: two runs may begin at once */
  if (snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)getpid()) >= (int)sizeof(temporary))
    return TN_FAIL(ctx, TN_ERR_IO, "%s: the name is too long", path);
  FILE *f = fopen(temporary, "wb");
  bool ok = f && fwrite(&h, sizeof(h), 1, f) == 1;
  add(&sum, &h, sizeof(h));
  for (int i = 0; i < NPIECE && ok; i++) {
    ok = p[i].n == 0 || fwrite(p[i].x, sizeof(double), p[i].n, f) == p[i].n;
    add(&sum, p[i].x, p[i].n*sizeof(double));
  }
  ok = ok && fwrite(&sum, sizeof(sum), 1, f) == 1;
  if (f && fclose(f) != 0) ok = false;
  ok = ok && rename(temporary, path) == 0;
  if (!ok && f) remove(temporary);
  if (!ok) return TN_FAIL(ctx, TN_ERR_IO, "%s: the reduced body could not be written", path);
  return TN_OK;
}

static tn_status take(tni_arena *arena, const char *text, size_t size, const tni_digest *digest, tni_basis *out, char *why,
                      size_t n) {
  header h;
  piece p[NPIECE];
  if (size < sizeof(h) + sizeof(tni_digest) || memcmp(text, MAGIC, sizeof(MAGIC)) != 0) {
    snprintf(why, n, "is not the file of a reduced body");
    return TN_OK;
  }
  memcpy(&h, text, sizeof(h));
  if (h.order != ORDER) {
    snprintf(why, n, "was written by another kind of machine");
    return TN_OK;
  }
  if (memcmp(&h.digest, digest, sizeof(*digest)) != 0) {
    snprintf(why, n, "belongs to another mesh, material, interface or number of modes");
    return TN_OK;
  }
  tni_digest sum = begin(), stored;
  add(&sum, text, size - sizeof(sum));
  memcpy(&stored, text + size - sizeof(sum), sizeof(sum));
  double numbers = 6.0*h.nb + h.nm, rest = (double)(size - sizeof(h) - sizeof(sum))/sizeof(double);
  bool sizes = h.nb > 0 && h.nm > 0 && h.ndof > 0 && h.nnode > 0;
  numbers = 3.0*h.nb + 36.0*h.nb*h.nb + numbers*numbers + h.nm + (double)h.nnode*h.ndof*numbers;
  if (!sizes || memcmp(&sum, &stored, sizeof(sum)) != 0 || numbers != rest) {
    snprintf(why, n, "is damaged or cut off");
    return TN_OK;
  }
  *out = (tni_basis){.nb = h.nb, .nm = h.nm, .ndof = h.ndof, .nnode = h.nnode};
  pieces(out, p);
  double **to[NPIECE] = {&out->middle, &out->K, &out->M, &out->omega2, &out->B};
  text += sizeof(h);
  for (int i = 0; i < NPIECE; i++) {
    TNI_ARENA_NEW(arena, *to[i], p[i].n);
    memcpy(*to[i], text, p[i].n*sizeof(double));
    text += p[i].n*sizeof(double);
  }
  return TN_OK;
}

tn_status tni_basis_read(tn_ctx *ctx, tni_arena *arena, const char *path, const tni_digest *digest, tni_basis *out,
                         char *why, size_t n) {
  char *text = NULL, reason[TNI_WHY_MAX];
  size_t size;
  tni_file_id id;
  why[0] = 0;
  tn_status st = tni_file_read(ctx, path, (size_t)1 << 36, &text, &size, &id, reason);
  if (st == TN_ERR_IO) {
    snprintf(why, n, "cannot be read (%s)", reason);
    return TN_OK;
  }
  TN_TRY(st);
  st = take(arena, text, size, digest, out, why, n);
  tni_free(ctx, text);
  return st;
}
