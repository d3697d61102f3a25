/* a results file: the input is a list of changes, four bytes each, to the file of a finished run without
 * its seal, or of one that was killed
 *
 * HDF5 itself crashes on some files whose blocks contradict each other under right checksums
 * (tests/unit/output/mutated.c); the sums are therefore left as they are here, so that the target finds
 * what is ours.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700
#include "fuzz/fuzz.h"

#include <math.h>
#include <sys/wait.h>

#include "output/results.h"

enum { MOST = 1 << 20, SEAL = 32 };
static unsigned char seed[2][MOST];
static size_t nseed[2];

static void write_seed(const char *path, bool finish) {
  static const char *const xyz[] = {"x", "y", "z"};
  static const char *const names[] = {"floor"};
  static const tni_channel channel[] = {
      {"bodies", "rod/position", "m", 3, xyz, "ground", NULL},
      {"joints", "pin/angle", "rad", 1, NULL, NULL, "a note"},
  };
  const tni_results_info info = {.title = "seed", .model_text = "tenon: 1\n", .model_name = "a.yaml",
                                 .settings = "{}", .scene = "{}", .nchannel = 2, .channel = channel,
                                 .nelement = 1, .element = names, .nkind = 1, .kind = names,
                                 .ncheckpoint = 3};
  tn_ctx *ctx;
  tni_writer *w;
  if (tn_ctx_create(NULL, &ctx) != TN_OK) abort();
  tn_status st = tni_results_create(ctx, path, true, &info, &w);
  for (int i = 0; i < 60 && st == TN_OK; i++) {
    double row[4] = {i, 2*i, 3*i, 4*i};
    st = tni_results_append(w, 0.1*i, row);
    if (st == TN_OK) st = tni_results_add_step(w, 0.1*i, 0.1);
    if (st == TN_OK) st = tni_results_add_event(w, 0.1*i, (const double[TNI_EVENT_NVALUE]){0});
    if (st == TN_OK && i % 20 == 10) st = tni_results_checkpoint(w, 0.1*i, row);
  }
  if (st == TN_OK) st = finish ? tni_results_finish(w, "complete", "{}") : tni_results_flush(w);
  if (st != TN_OK) abort();
  if (!finish) _exit(0);
  tni_results_destroy(&w);
  tn_ctx_destroy(&ctx);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  for (int k = 0; k < 2; k++) {
    const char *path = fuzz_file(".h5", "", 0);
    remove(path);
    pid_t child = k ? fork() : 0;
    if (child == 0) write_seed(path, k == 0);
    if (k) waitpid(child, NULL, 0);
    FILE *f = fopen(path, "rb");
    nseed[k] = f ? fread(seed[k], 1, MOST, f) : 0;
    if (f) fclose(f);
    remove(path);
    if (nseed[k] < 1000) abort();
  }
  nseed[0] -= SEAL;
  return 0;
}

static tn_status swallow(void *user, const char *text, size_t n) {
  (void)user, (void)text, (void)n;
  return TN_OK;
}

static void ask_everything(tni_reader *r) {
  double t, *state = calloc((size_t)tni_results_get_info(r)->ncheckpoint + 1, sizeof(double));
  double *steps = calloc((size_t)tni_results_nstep(r) + 1, sizeof(double));
  tn_status st = tni_results_export_csv(r, NULL, 0, swallow, NULL);
  st = tni_results_export_events(r, swallow, NULL);
  if (state) st = tni_results_read_checkpoint(r, HUGE_VAL, &t, state);
  if (steps) st = tni_results_read_steps(r, NULL, steps);
  st = tni_results_refresh(r);
  (void)st;
  free(state);
  free(steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  static unsigned char file[MOST];
  fuzz_memory m;
  if (n < 5) return 0;
  int which = data[0] & 1;
  size_t size = nseed[which];
  memcpy(file, seed[which], size);
  for (size_t i = 1; i + 4 <= n; i += 4) {
    size_t at = (size_t)data[i] | (size_t)data[i+1] << 8 | (size_t)data[i+2] << 16;
    file[at % size] ^= data[i+3];
  }
  if (data[0] & 2) size = size*(data[0] >> 2)/64 + 1;
  tn_ctx *ctx = fuzz_context(&m);
  tni_reader *r;
  const char *path = fuzz_file(".h5", file, size);
  tn_status st = tni_results_open(ctx, path, &r);
  if (st == TN_OK) ask_everything(r);
  tni_results_close(&r);
  remove(path);
  fuzz_end(ctx, &m, st);
  return 0;
}
