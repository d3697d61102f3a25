/* Fields of meshes: numbers that come back, names of nodes, HDF5 as others see it, what is refused
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include <hdf5.h>
#include <math.h>

#include "sample.h"

static tn_ctx *ctx;

enum { NROW = 70 };

static void write_file(const char *path) {
  tni_results_info info = sample_with_fields();
  tni_writer *w;
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  for (long i = 0; i < NROW; i++) {
    double row[SAMPLE_WIDE];
    for (int k = 0; k < SAMPLE_WIDE; k++) row[k] = sample_value(i, k);
    CHECK_OK(ctx, tni_results_append(w, sample_time(i), row));
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
}

static void fields_come_back_bit_for_bit(void) {
  const char *path = sample_path("fields.h5");
  tni_reader *r;
  write_file(path);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  const tni_results_info *info = tni_results_get_info(r);
  CHECK(info->nmesh == 2 && info->nfield == SAMPLE_NFIELD && info->nvalue == SAMPLE_WIDE);
  int column = SAMPLE_NCOLUMN;
  for (int f = 0; f < info->nfield; f++) {
    const tni_field *got = &info->field[f], *put = &sample_field[f];
    const tni_mesh_info *mesh = &info->mesh[got->mesh];
    CHECK(strcmp(mesh->name, sample_mesh[put->mesh].name) == 0 && strcmp(got->name, put->name) == 0);
    CHECK(got->cells == put->cells && got->ncomponent == put->ncomponent && strcmp(got->unit, put->unit) == 0);
    CHECK((got->component == NULL) == (put->component == NULL));
    CHECK(!got->component || strcmp(got->component[2], "z") == 0);
    int n = tni_field_size(info, got);
    double x[2*64];
    CHECK_OK(ctx, tni_results_read_field(r, f, 31, 2, x));
    for (int k = 0; k < n; k++)
      CHECK(x[k] == sample_value(31, column + k) && x[n + k] == sample_value(32, column + k));
    column += n;
  }
  CHECK(info->mesh[0].nnode == 4 && info->mesh[0].ncell == 3 && info->mesh[1].nnode == 2);
  double place[12];
  CHECK_OK(ctx, tni_results_read_mesh(r, 0, place));
  CHECK(memcmp(place, sample_x, sizeof(place)) == 0);
  int64_t gid[4];
  int node[2];
  CHECK_OK(ctx, tni_results_read_numbers(r, 0, gid));
  CHECK(gid[0] == 0 && gid[3] == 3);
  CHECK_OK(ctx, tni_results_read_numbers(r, 1, gid));
  CHECK(gid[0] == 17 && gid[1] == 5000000000);
  CHECK(info->mesh[0].ngroup == 0 && info->mesh[1].ngroup == 2);
  CHECK(strcmp(info->mesh[1].group[0], "both") == 0 && strcmp(info->mesh[1].group[1], "second") == 0);
  CHECK_OK(ctx, tni_results_read_group(r, 1, 0, node));
  CHECK(node[0] == 0 && node[1] == 1);
  CHECK_OK(ctx, tni_results_read_group(r, 1, 1, node));
  CHECK(node[0] == 1);
  CHECK(tni_results_read_field(r, 3, 0, 1, place) == TN_ERR_ARGUMENT);
  CHECK(tni_results_read_mesh(r, 2, place) == TN_ERR_ARGUMENT);
  tni_results_close(&r);
}

/* nodes that are bodies are found as such, in channels, signals and CSV; others are not listed one by one */
static void nodes_have_their_names(void) {
  tni_reader *r;
  double x[3*NROW];
  tni_signal s[8];
  int n;
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("fields.h5"), &r));
  const tni_results_info *info = tni_results_get_info(r);
  CHECK(info->nchannel == SAMPLE_NCHANNEL + 3 + 1);
  int c = tni_results_find(r, "bodies/arm.node[2]/position");
  CHECK(c >= 0 && info->channel[c].ncomponent == 3);
  CHECK_OK(ctx, tni_results_read_channel(r, c, 0, NROW, x));
  for (long i = 0; i < NROW; i++)
    for (int k = 0; k < 3; k++) CHECK(x[3*i + k] == sample_value(i, SAMPLE_NCOLUMN + 2*3 + k));
  c = tni_results_find(r, "beams/arm/axial_force");
  CHECK(c >= 0 && info->channel[c].ncomponent == 3 && strcmp(info->channel[c].component[1], "1") == 0);
  CHECK_OK(ctx, tni_results_read_channel(r, c, 5, 1, x));
  CHECK(x[1] == sample_value(5, SAMPLE_NCOLUMN + 12 + 1));
  CHECK_OK(ctx, tni_results_select(r, "arm.end.position.y", s, 8, &n));
  CHECK(n == 1 && s[0].component == 1);
  CHECK(tni_results_find(r, "fields/arm/position") < 0);
  tni_results_close(&r);
}

/* a field of cells takes as many columns as there are cells: what comes behind it is found */
static void nodes_behind_cells_have_their_columns(void) {
  enum { WIDE = SAMPLE_NCOLUMN + 3 + 4*3 };
  const char *path = sample_path("cells.h5");
  tni_field field[2] = {sample_field[1], sample_field[0]};
  tni_results_info info = sample_with_fields();
  tni_writer *w;
  tni_reader *r;
  double row[WIDE], x[3];
  info.nfield = 2;
  info.field = field;
  for (int k = 0; k < WIDE; k++) row[k] = sample_value(0, k);
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  CHECK_OK(ctx, tni_results_append(w, 0, row));
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  int c = tni_results_find(r, "bodies/arm.node[2]/position");
  CHECK(c >= 0);
  CHECK_OK(ctx, tni_results_read_channel(r, c, 0, 1, x));
  CHECK(memcmp(x, row + SAMPLE_NCOLUMN + 3 + 2*3, sizeof(x)) == 0);
  tni_results_close(&r);
}

/* as other programs see it: /fields/<mesh>/<field> [row][node][component] */
static void others_see_three_dimensions(void) {
  hid_t file = H5Fopen(sample_path("fields.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "/fields/arm/position", H5P_DEFAULT), space = H5Dget_space(set);
  hsize_t dims[3] = {0};
  static double x[NROW][4][3];
  int cell[6] = {0};
  CHECK(H5Sget_simple_extent_ndims(space) == 3 && H5Sget_simple_extent_dims(space, dims, NULL) == 3);
  CHECK(dims[0] == NROW && dims[1] == 4 && dims[2] == 3);
  CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  CHECK(x[40][2][1] == sample_value(40, SAMPLE_NCOLUMN + 2*3 + 1));
  CHECK(H5Aexists(set, "unit") > 0 && H5Aexists(set, "components") > 0 && H5Aexists(set, "on") > 0);
  H5Sclose(space);
  H5Dclose(set);
  set = H5Dopen2(file, "/meshes/arm/cells", H5P_DEFAULT);
  CHECK(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, cell) >= 0);
  CHECK(memcmp(cell, sample_cell, sizeof(cell)) == 0);
  H5Dclose(set);
  CHECK(H5Lexists(file, "/meshes/arm/gid", H5P_DEFAULT) > 0 && H5Lexists(file, "/meshes/arm/types", H5P_DEFAULT) > 0);
  H5Fclose(file);
}

static void a_copy_has_the_fields(void) {
  tni_reader *r;
  tni_writer *w;
  long n;
  double x[12];
  tni_results_info info = sample_with_fields();
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("fields.h5"), &r));
  CHECK_OK(ctx, tni_results_create(ctx, sample_path("copy.h5"), true, &info, &w));
  CHECK_OK(ctx, tni_results_copy(w, r, sample_time(20), &n));
  CHECK(n == 21);
  tni_results_close(&r);
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("copy.h5"), &r));
  CHECK(tni_results_ntime(r) == 21);
  CHECK_OK(ctx, tni_results_read_field(r, 0, 20, 1, x));
  for (int k = 0; k < 12; k++) CHECK(x[k] == sample_value(20, SAMPLE_NCOLUMN + k));
  tni_results_close(&r);
}

static void wrong_fields_are_refused(void) {
  static const struct {
    tni_field f;
    const char *why;
  } wrong[] = {{{5, "position", false, 3, sample_xyz, "m", NULL, NULL, 0, false, false}, "empty"},
               {{0, "", false, 3, sample_xyz, "m", NULL, NULL, 0, false, false}, "empty"},
               {{0, "a/b", false, 3, sample_xyz, "m", NULL, NULL, 0, false, false}, "'/'"},
               {{0, "position", false, 3, NULL, "m", NULL, NULL, 0, false, false}, "without names"},
               {{0, "position", false, 0, NULL, "m", NULL, NULL, 0, false, false}, "no component"}};
  tni_writer *w;
  for (int i = 0; i < TNI_COUNT(wrong); i++) {
    tni_results_info info = sample_with_fields();
    info.nfield = 1;
    info.field = &wrong[i].f;
    CHECK(tni_results_create(ctx, sample_path("wrong.h5"), true, &info, &w) == TN_ERR_ARGUMENT);
    CHECK(strstr(tn_ctx_message(ctx), wrong[i].why) != NULL);
  }
  tni_field twice[2] = {sample_field[0], sample_field[0]};
  tni_results_info info = sample_with_fields();
  info.nfield = 2;
  info.field = twice;
  CHECK(tni_results_create(ctx, sample_path("wrong.h5"), true, &info, &w) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "twice") != NULL);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  sample_begin();
  RUN(fields_come_back_bit_for_bit);
  RUN(nodes_have_their_names);
  RUN(nodes_behind_cells_have_their_columns);
  RUN(others_see_three_dimensions);
  RUN(a_copy_has_the_fields);
  RUN(wrong_fields_are_refused);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
