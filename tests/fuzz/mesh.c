/* the mesh of a look: STL or OBJ, by the first byte
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fuzz/fuzz.h"
#include "model/look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  fuzz_memory m;
  if (n == 0) return 0;
  tn_ctx *ctx = fuzz_context(&m);
  tni_arena arena;
  tni_triangles t;
  tni_arena_init(&arena, ctx);
  const char *path = fuzz_file(data[0] % 2 ? ".stl" : ".obj", data + 1, n - 1);
  tn_status st = tni_triangles_read(ctx, &arena, path, &t);
  for (int i = 0; st == TN_OK && i < 3*t.nface; i++)
    if (t.face[i] < 0 || t.face[i] >= t.npoint) abort();
  remove(path);
  tni_arena_clear(&arena);
  fuzz_end(ctx, &m, st);
  return 0;
}
