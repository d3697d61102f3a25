/* meshes for finite elements: Gmsh file or Abaqus deck, by the first byte; what is accepted is examined
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fuzz/fuzz.h"
#include "mesh/deck.h"
#include "mesh/quality.h"
#include "mesh/skin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  fuzz_memory memory;
  if (n == 0) return 0;
  tn_ctx *ctx = fuzz_context(&memory);
  tni_mesh *m = NULL;
  tni_deck *deck = NULL;
  char *text = malloc(n); /* exactly: the bytes behind the first, and a zero */
  if (!text) abort();
  memcpy(text, data + 1, n - 1);
  text[n-1] = 0;
  tn_status st = data[0] % 2 ? tni_inp_parse(ctx, "m", "a.inp", text, n - 1, &m, &deck) : tni_msh_parse(ctx, "m", "a.msh", text, n - 1, NULL, &m);
  if ((st == TN_OK) != (m != NULL)) abort();
  if (st == TN_OK) {
    tni_mesh_report report;
    tni_skin skin;
    tni_arena arena;
    tni_arena_init(&arena, ctx);
    st = tni_mesh_examine(m, &report);
    if (st == TN_OK) st = tni_skin_create(m, &arena, &skin);
    tni_arena_clear(&arena);
  }
  tni_mesh_destroy(&m);
  tni_deck_destroy(&deck);
  free(text);
  fuzz_end(ctx, &memory, st);
  return 0;
}
