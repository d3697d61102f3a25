/* mesh/read.c - meshes from files, by the ending of the name
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mesh/read.h"

#include "base/file.h"
#include "mesh/deck.h"

#define LARGEST ((size_t)1 << 33) /* bytes of a file */

static tn_status load(tn_ctx *ctx, const char *path, char **text, size_t *n) {
  char why[TNI_WHY_MAX] = "";
  tni_file_id id;
  tn_status st = tni_file_read(ctx, path, LARGEST, text, n, &id, why);
  if (st == TN_ERR_IO) return TN_FAIL(ctx, st, "cannot read '%s': %s", path, why);
  TN_TRY(st);
  if (*n <= LARGEST) return TN_OK;
  tni_free(ctx, *text);
  return TN_FAIL(ctx, TN_ERR_IO, "cannot read '%s': above %zu GB", path, LARGEST >> 30);
}

tn_status tni_inp_read(tn_ctx *ctx, const char *name, const char *path, tni_mesh **mesh, tni_deck **deck) {
  char *text;
  size_t n;
  *mesh = NULL;
  if (deck) *deck = NULL;
  TN_TRY(load(ctx, path, &text, &n));
  tn_status st = tni_inp_parse(ctx, name, path, text, n, mesh, deck);
  tni_free(ctx, text);
  return st;
}

tn_status tni_mesh_read(tn_ctx *ctx, const char *name, const char *path, const tni_read_options *options, tni_mesh **out) {
  const char *dot = strrchr(path, '.');
  *out = NULL;
  if (dot && strcmp(dot, ".inp") == 0) return tni_inp_read(ctx, name, path, out, NULL);
  TN_REQUIRE(ctx, dot && strcmp(dot, ".msh") == 0, TN_ERR_INPUT, "'%s': known meshes: .msh (Gmsh), .inp (Abaqus, CalculiX)", path);
  char *text;
  size_t n;
  TN_TRY(load(ctx, path, &text, &n));
  tn_status st = tni_msh_parse(ctx, name, path, text, n, options, out);
  tni_free(ctx, text);
  return st;
}
