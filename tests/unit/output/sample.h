/* tests/unit/output/sample.h - a small results file with numbers that are known for every place
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_SAMPLE_H
#define TN_SAMPLE_H

#include <stdlib.h>
#include <unistd.h>

#include "output/results.h"
#include "support/check.h"

static const char *const sample_xyz[] = {"x", "y", "z"};
static const tni_channel sample_channel[] = {
  {"bodies", "rod/position", "m", 3, sample_xyz, "ground", NULL},
  {"bodies", "rod/velocity", "m/s", 3, sample_xyz, "ground", NULL},
  {"joints", "pin/reaction", "N", 3, sample_xyz, "joint", "not unique: redundant constraints"},
  {"joints", "pin/angle", "rad", 1, NULL, NULL, NULL},
  {"energy", "kinetic", "J", 1, NULL, NULL, NULL},
};
enum { SAMPLE_NCHANNEL = 5, SAMPLE_NCOLUMN = 11, SAMPLE_NSTATE = 7 };

static const char *const sample_element[] = {"floor", "a stop with a longer name"};
static const char *const sample_kind[] = {"touch", "release", "slip"};

static const tni_results_info sample_info = {
  .title = "Slider-crank \xC3\xA9",
  .model_text = "tenon: 1\ntitle: Slider-crank\n",
  .model_name = "slider.yaml",
  .settings = "{\"method\": \"rk45\"}",
  .nchannel = SAMPLE_NCHANNEL,
  .channel = sample_channel,
  .nelement = 2,
  .element = sample_element,
  .nkind = 3,
  .kind = sample_kind,
  .ncheckpoint = SAMPLE_NSTATE,
};

/* two meshes: the nodes of the first are bodies but for one, those of the second have no names */
static const double sample_x[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0.5, 0};
static const int sample_cell[] = {0, 1, 1, 2, 2, 3};
static const unsigned char sample_type[] = {3, 3, 3};
static const char *const sample_node[] = {"arm.start", "", "arm.node[2]", "arm.end"};
static const char *const sample_group[] = {"both", "second"};
static const int sample_first[] = {0, 2, 3}, sample_member[] = {0, 1, 1};
static const int64_t sample_gid[] = {17, (int64_t)5000000000};
static const tni_mesh_info sample_mesh[] = {
  {.name = "arm", .nnode = 4, .ncell = 3, .x = sample_x, .cell = sample_cell, .type = sample_type, .body = sample_node},
  {.name = "cloud", .nnode = 2, .ncell = 1, .x = sample_x, .cell = sample_cell, .type = sample_type,
   .gid = sample_gid, .ngroup = 2, .group = sample_group, .group_first = sample_first, .group_node = sample_member}};
static const tni_field sample_field[] = {
  {0, "position", false, 3, sample_xyz, "m", "ground", NULL, 0, false, false},
  {0, "axial_force", true, 1, NULL, "N", NULL, "in the middle of elements", 0, false, false},
  {1, "velocity", false, 3, sample_xyz, "m/s", "ground", NULL, 0, false, false},
};
enum { SAMPLE_NFIELD = 3, SAMPLE_WIDE = SAMPLE_NCOLUMN + 4*3 + 3 + 2*3 };
/* the sample with fields; rows of SAMPLE_WIDE numbers */
static inline tni_results_info sample_with_fields(void) {
  tni_results_info info = sample_info;
  info.nmesh = 2;
  info.mesh = sample_mesh;
  info.nfield = SAMPLE_NFIELD;
  info.field = sample_field;
  return info;
}

/* numbers that use all bits of the mantissa */
static inline double sample_time(long row) { return (double)row/3; }
static inline double sample_value(long row, int column) {
  return sin(1.0 + (double)row + 0.37*column)*pow(10, column - 5);
}
static inline void sample_row(long row, double *values) {
  for (int k = 0; k < SAMPLE_NCOLUMN; k++) values[k] = sample_value(row, k);
}

/* event i: elements and kinds in turn, one number that means nothing */
static inline void sample_event(long i, double *values) {
  for (int k = 0; k < TNI_EVENT_NVALUE; k++) values[k] = sample_value(i, k);
  values[TNI_EVENT_ELEMENT] = (double)(i % 2);
  values[TNI_EVENT_KIND] = (double)(i % 3);
  values[TNI_EVENT_NVALUE - 1] = NAN;
}

/* a new folder and paths in it; removed by sample_clean */
static char sample_folder[200];
static inline void sample_begin(void) {
  const char *place = getenv("TMPDIR");
  snprintf(sample_folder, sizeof(sample_folder), "%s/tenon-output-XXXXXX", place ? place : "/tmp");
  if (!mkdtemp(sample_folder)) {
    printf("cannot make the folder %s\n", sample_folder);
    exit(1);
  }
}
static inline const char *sample_path(const char *name) {
  static char path[4][256];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof(path[turn]), "%s/%s", sample_folder, name);
  return path[turn];
}
static inline void sample_clean(void) {
  char command[256];
  snprintf(command, sizeof(command), "rm -rf '%s'", sample_folder);
  if (system(command) != 0) printf("could not remove %s\n", sample_folder);
}

/* are the first n rows of the file those of the sample, bit for bit? */
static inline bool sample_rows_are_right(tn_ctx *ctx, tni_reader *r, long n) {
  double *t = malloc((size_t)n*sizeof(double) + 1);
  double *values = malloc((size_t)n*SAMPLE_NCOLUMN*sizeof(double) + 1);
  CHECK_OK(ctx, tni_results_read_times(r, 0, n, t));
  CHECK_OK(ctx, tni_results_read_columns(r, 0, SAMPLE_NCOLUMN, 0, n, values));
  bool right = true;
  for (long i = 0; i < n; i++) {
    double want[SAMPLE_NCOLUMN], at = sample_time(i);
    sample_row(i, want);
    if (memcmp(&t[i], &at, sizeof(at)) != 0 ||
        memcmp(values + i*SAMPLE_NCOLUMN, want, sizeof(want)) != 0)
      right = false;
  }
  free(t);
  free(values);
  return right;
}

#endif
