/* output/frames.c - fields with a dataset of their own
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/frames.h"

#include <math.h>

enum { CHUNK_BYTES = 1024*1024 }; /* a frame is a row of chunks, none larger than this */

bool tni_frames_create(hid_t file, const char *path, hid_t links, hid_t list, bool single, tni_frames *f) {
  hid_t type = single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  hsize_t most = CHUNK_BYTES/(f->each*(single ? sizeof(float) : sizeof(double)));
  hsize_t chunk[3] = {1, most < 1 ? 1 : f->nplace < most ? f->nplace : most, f->each};
  hsize_t dims[3] = {0, f->nplace, f->each}, limits[3] = {H5S_UNLIMITED, f->nplace, f->each};
  double fill = NAN;
  hid_t space = H5Screate_simple(3, dims, limits), access = H5Pcreate(H5P_DATASET_ACCESS);
  /* chunks are written whole and once: none needs to be kept */
  bool ok = space >= 0 && access >= 0 && H5Pset_chunk(list, 3, chunk) >= 0 &&
            H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &fill) >= 0 &&
            H5Pset_chunk_cache(access, 7, 2*CHUNK_BYTES, 1.0) >= 0 &&
            (f->set = H5Dcreate2(file, path, type, space, links, list, access)) >= 0;
  tni_h5_close(&access);
  tni_h5_close(&space);
  return ok;
}

bool tni_frames_count(const tni_frames *f, hsize_t *nrow) {
  hsize_t dims[3] = {0, 0, 0};
  hid_t space = H5Dget_space(f->set);
  bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == 3 &&
            H5Sget_simple_extent_dims(space, dims, NULL) == 3;
  tni_h5_close(&space);
  *nrow = dims[0];
  return ok;
}

bool tni_frames_open(hid_t file, const char *path, tni_frames *f, bool *single, bool *fits) {
  hsize_t dims[3] = {0, 0, 0};
  hid_t space = -1, type = -1;
  *fits = *single = false;
  bool ok = (f->set = H5Dopen2(file, path, H5P_DEFAULT)) >= 0 && (space = H5Dget_space(f->set)) >= 0 &&
            (type = H5Dget_type(f->set)) >= 0;
  if (ok && H5Sget_simple_extent_ndims(space) == 3 && H5Sget_simple_extent_dims(space, dims, NULL) == 3) {
    *fits = dims[1] == f->nplace && dims[2] == f->each && H5Tget_class(type) == H5T_FLOAT;
    *single = H5Tget_size(type) == sizeof(float);
  }
  tni_h5_close(&type);
  tni_h5_close(&space);
  return ok;
}

/* frames first..first+n-1 between file and memory */
static bool transfer(const tni_frames *f, hsize_t first, hsize_t n, bool write, double *values) {
  hsize_t start[3] = {first, 0, 0}, count[3] = {n, f->nplace, f->each};
  hid_t space = H5Dget_space(f->set), memory = -1;
  bool ok = space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            (memory = H5Screate_simple(3, count, NULL)) >= 0;
  if (ok && write) ok = H5Dwrite(f->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  else if (ok) ok = H5Dread(f->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  tni_h5_close(&memory);
  tni_h5_close(&space);
  return ok;
}

bool tni_frames_put(const tni_frames *f, hsize_t row, const double *values) {
  hsize_t dims[3] = {row + 1, f->nplace, f->each};
  return H5Dset_extent(f->set, dims) >= 0 && transfer(f, row, 1, true, (double *)values);
}

bool tni_frames_get(const tni_frames *f, hsize_t first, hsize_t n, double *values) {
  return n == 0 || transfer(f, first, n, false, values);
}
