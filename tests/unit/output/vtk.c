/* VTKHDF files: every number where the format says it is, at every time; one time in the older format
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include <hdf5.h>
#include <sys/stat.h>

#include "sample.h"

static tn_ctx *ctx;

/* a body, the beam of the sample, and a mesh of two tetrahedra whose fields lie apart */
enum { NROW = 6, NBEAM = 4, NSOLID = 5, NPOINT = 1 + NBEAM + NSOLID, NCELL = 1 + 3 + 2, NCONNECT = 1 + 6 + 8,
       AT_BEAM = SAMPLE_NCOLUMN, AT_FORCE = AT_BEAM + 3*NBEAM, AT_SOLID = AT_FORCE + 3,
       AT_VELOCITY = AT_SOLID + 3*NSOLID, AT_STRESS = AT_VELOCITY + 3*NSOLID, NALL = AT_STRESS + 2 };
static const double solid_x[3*NSOLID] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static const int solid_cell[8] = {0, 1, 2, 3, 1, 2, 3, 4};
static const unsigned char solid_type[2] = {10, 10};
static tni_mesh_info mesh[2];
static const tni_field field[] = {
  {.mesh = 0, .name = "position", .ncomponent = 3, .component = sample_xyz, .unit = "m"},
  {.mesh = 0, .name = "axial_force", .cells = true, .ncomponent = 1, .unit = "N"},
  {.mesh = 1, .name = "position", .ncomponent = 3, .component = sample_xyz, .unit = "m", .apart = true},
  {.mesh = 1, .name = "velocity", .ncomponent = 3, .component = sample_xyz, .unit = "m/s", .apart = true},
  {.mesh = 1, .name = "stress", .cells = true, .ncomponent = 1, .unit = "Pa", .apart = true, .single = true}};

static double value(long frame, int k) { return sin(1 + 2.1*(double)frame + 0.37*k)*(1 + k); }

static void write_file(const char *path) {
  tni_results_info info = sample_info;
  tni_writer *w;
  double row[NALL];
  mesh[0] = sample_mesh[0];
  mesh[1] = (tni_mesh_info){.name = "solid", .nnode = NSOLID, .ncell = 2, .x = solid_x, .cell = solid_cell,
                            .type = solid_type};
  info.nmesh = 2;
  info.mesh = mesh;
  info.nfield = TNI_COUNT(field);
  info.field = field;
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  for (long i = 0; i < NROW; i++) {
    for (int k = 0; k < NALL; k++) row[k] = value(i, k);
    CHECK_OK(ctx, tni_results_append(w, sample_time(i), row));
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
}

/* all numbers of a dataset, at most max; how many there are */
static long read_set(hid_t file, const char *path, hid_t type, void *out, long max) {
  hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
  if (set < 0) return -1;
  hid_t space = H5Dget_space(set);
  long n = (long)H5Sget_simple_extent_npoints(space);
  if (n <= max && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) n = -1;
  H5Sclose(space);
  H5Dclose(set);
  return n;
}

static int64_t version_of(hid_t file) {
  int64_t version[2] = {0};
  hid_t a = H5Aopen_by_name(file, "VTKHDF", "Version", H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Aread(a, H5T_NATIVE_INT64, version) >= 0);
  H5Aclose(a);
  return 10*version[0] + version[1];
}

/* points first..first+n-1 of step `frame` are numbers from..from+3n-1 of the row; from -1: NaN */
static void check_part(const double *all, int64_t offset, int first, int n, long frame, int from) {
  for (int k = 0; k < 3*n; k++) {
    double got = all[3*(offset + first) + k];
    if (!CHECK(from < 0 ? isnan(got) : got == value(frame, from + k))) return;
  }
}

static void cells_are_right(hid_t file) {
  int64_t size[3], connect[NCONNECT], begin[NCELL + 1];
  unsigned char type[NCELL];
  int part[NCELL];
  CHECK_INT(read_set(file, "VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, &size[0], 1), 1);
  CHECK_INT(read_set(file, "VTKHDF/NumberOfCells", H5T_NATIVE_INT64, &size[1], 1), 1);
  CHECK_INT(read_set(file, "VTKHDF/NumberOfConnectivityIds", H5T_NATIVE_INT64, &size[2], 1), 1);
  CHECK(size[0] == NPOINT && size[1] == NCELL && size[2] == NCONNECT);
  CHECK_INT(read_set(file, "VTKHDF/Connectivity", H5T_NATIVE_INT64, connect, NCONNECT), NCONNECT);
  CHECK_INT(read_set(file, "VTKHDF/Offsets", H5T_NATIVE_INT64, begin, NCELL + 1), NCELL + 1);
  CHECK_INT(read_set(file, "VTKHDF/Types", H5T_NATIVE_UCHAR, type, NCELL), NCELL);
  CHECK_INT(read_set(file, "VTKHDF/CellData/part", H5T_NATIVE_INT, part, NCELL), NCELL);
  static const int64_t nodes[NCONNECT] = {0, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9};
  static const int64_t starts[NCELL + 1] = {0, 1, 3, 5, 7, 11, 15};
  static const unsigned char kinds[NCELL] = {1, 3, 3, 3, 10, 10};
  static const int owners[NCELL] = {0, 1, 1, 1, 2, 2};
  CHECK(memcmp(connect, nodes, sizeof(nodes)) == 0 && memcmp(begin, starts, sizeof(starts)) == 0);
  CHECK(memcmp(type, kinds, sizeof(kinds)) == 0 && memcmp(part, owners, sizeof(owners)) == 0);
}

static void every_time_is_where_its_step_begins(void) {
  tni_reader *r;
  write_file(sample_path("run.h5"));
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("run.h5"), &r));
  CHECK_OK(ctx, tni_results_export_vtk(r, sample_path("all.vtkhdf"), NULL));
  tni_results_close(&r);
  hid_t file = H5Fopen(sample_path("all.vtkhdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
  CHECK_INT(version_of(file), 20);
  cells_are_right(file);
  static double points[3*NPOINT*NROW], velocity[3*NPOINT*NROW], force[NCELL*NROW], stress[NCELL*NROW], t[NROW];
  int64_t at[6][NROW];
  CHECK_INT(read_set(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, points, 3*NPOINT*NROW), 3*NPOINT*NROW);
  CHECK_INT(read_set(file, "VTKHDF/PointData/velocity", H5T_NATIVE_DOUBLE, velocity, 3*NPOINT*NROW), 3*NPOINT*NROW);
  CHECK_INT(read_set(file, "VTKHDF/CellData/axial_force", H5T_NATIVE_DOUBLE, force, NCELL*NROW), NCELL*NROW);
  CHECK_INT(read_set(file, "VTKHDF/CellData/stress", H5T_NATIVE_DOUBLE, stress, NCELL*NROW), NCELL*NROW);
  CHECK_INT(read_set(file, "VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, t, NROW), NROW);
  static const char *const offsets[6] = {"PointOffsets", "PointDataOffsets/velocity", "CellDataOffsets/axial_force",
                                         "CellDataOffsets/stress", "CellOffsets", "PartOffsets"};
  for (int k = 0; k < 6; k++) {
    char path[100];
    snprintf(path, sizeof(path), "VTKHDF/Steps/%s", offsets[k]);
    CHECK_INT(read_set(file, path, H5T_NATIVE_INT64, at[k], NROW), NROW);
  }
  for (long i = 0; i < NROW; i++) {
    CHECK(t[i] == sample_time(i) && at[4][i] == 0 && at[5][i] == 0);
    check_part(points, at[0][i], 0, 1, i, 0);
    check_part(points, at[0][i], 1, NBEAM, i, AT_BEAM);
    check_part(points, at[0][i], 1 + NBEAM, NSOLID, i, AT_SOLID);
    check_part(velocity, at[1][i], 0, 1, i, 3);
    check_part(velocity, at[1][i], 1, NBEAM, i, -1);
    check_part(velocity, at[1][i], 1 + NBEAM, NSOLID, i, AT_VELOCITY);
    const double *f = force + at[2][i], *s = stress + at[3][i];
    CHECK(isnan(f[0]) && f[1] == value(i, AT_FORCE) && f[3] == value(i, AT_FORCE + 2) && isnan(f[4]));
    CHECK(isnan(s[0]) && isnan(s[3]) && s[4] == (float)value(i, AT_STRESS) && s[5] == (float)value(i, AT_STRESS + 1));
  }
  H5Fclose(file);
}

static void one_time_is_a_plain_grid(void) {
  tni_reader *r;
  double time = sample_time(3) + 0.1, points[3*NPOINT], before = -5;
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("run.h5"), &r));
  CHECK_OK(ctx, tni_results_export_vtk(r, sample_path("one.vtkhdf"), &time));
  hid_t file = H5Fopen(sample_path("one.vtkhdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
  CHECK_INT(version_of(file), 10);
  cells_are_right(file);
  CHECK_INT(read_set(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, points, 3*NPOINT), 3*NPOINT);
  check_part(points, 0, 0, 1, 3, 0);
  check_part(points, 0, 1 + NBEAM, NSOLID, 3, AT_SOLID);
  CHECK(H5Lexists(file, "VTKHDF/Steps", H5P_DEFAULT) == 0);
  H5Fclose(file);
  /* what cannot be is refused, and nothing is left behind */
  CHECK(tni_results_export_vtk(r, sample_path("none.vtkhdf"), &before) == TN_ERR_ARGUMENT);
  CHECK(tni_results_export_vtk(r, sample_path("run.h5"), NULL) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "itself") != NULL);
  CHECK(tni_results_export_vtk(r, sample_path("no/such/folder.vtkhdf"), NULL) == TN_ERR_IO);
  struct stat about;
  CHECK(stat(sample_path("none.vtkhdf"), &about) != 0 && stat(sample_path("none.vtkhdf.part"), &about) != 0);
  tni_results_close(&r);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  sample_begin();
  RUN(every_time_is_where_its_step_begins);
  RUN(one_time_is_a_plain_grid);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
