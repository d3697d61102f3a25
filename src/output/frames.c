/* output/frames.c - fields with a dataset of their own
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output/frames.h"

#include <math.h>
#include <string.h>

#include "output/sink.h"

/* A frame is a row of chunks of one size, none larger than a piece (but for places with more numbers than that); so many as are needed, and as small
 * as they can be then, because the last one is stored whole. */
void tni_frames_choose_piece(tni_frames *f) {
  enum { WORTH = 16*1024 }; /* bytes, for a writer of its own */
  size_t place = f->each*(f->single ? sizeof(float) : sizeof(double));
  hsize_t most = TNI_FRAMES_PIECE/place, writers = f->nplace*place/WORTH;
  if (most < 1) most = 1;
  if (writers > (hsize_t)f->writers) writers = (hsize_t)f->writers;
  hsize_t n = (f->nplace + most - 1)/most;
  if (n < writers) n = writers;
  f->piece = n ? (f->nplace + n - 1)/n : 1;
}

bool tni_frames_create(hid_t file, const char *path, hid_t links, hid_t list, bool single, tni_frames *f) {
  hid_t type = single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  f->single = single;
  tni_frames_choose_piece(f);
  hsize_t chunk[3] = {1, f->piece, f->each};
  hsize_t dims[3] = {0, f->nplace, f->each}, limits[3] = {H5S_UNLIMITED, f->nplace, f->each};
  double fill = NAN;
  hid_t space = H5Screate_simple(3, dims, limits), access = H5Pcreate(H5P_DATASET_ACCESS);
  /* chunks are written whole and once: none needs to be kept */
  bool ok = space >= 0 && access >= 0 && H5Pset_chunk(list, 3, chunk) >= 0 &&
            H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &fill) >= 0 &&
            (!f->writers || (H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0)) &&
            H5Pset_chunk_cache(access, 7, 2*TNI_FRAMES_PIECE, 1.0) >= 0 &&
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

static bool read_frames(const tni_frames *f, hsize_t first, hsize_t n, double *values) {
  hsize_t start[3] = {first, 0, 0}, count[3] = {n, f->nplace, f->each};
  hid_t space = H5Dget_space(f->set), memory = -1;
  bool ok = space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            (memory = H5Screate_simple(3, count, NULL)) >= 0;
  ok = ok && H5Dread(f->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  tni_h5_close(&memory);
  tni_h5_close(&space);
  return ok;
}

static void pack(const double *values, size_t n, bool single, unsigned char *to) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  float *narrow = (float *)(void *)to;
  if (!single) memcpy(to, values, n*sizeof(double));
  else for (size_t i = 0; i < n; i++) narrow[i] = (float)values[i];
#else
  size_t size = single ? sizeof(float) : sizeof(double);
  for (size_t i = 0; i < n; i++) {
    float narrow = (float)values[i];
    const unsigned char *from = single ? (const unsigned char *)&narrow : (const unsigned char *)&values[i];
    for (size_t b = 0; b < size; b++) to[i*size + b] = from[size - 1 - b];
  }
#endif
}

void tni_frames_pack(const tni_frames_chunk *c, void *to) {
  size_t filled = c->n*(c->single ? sizeof(float) : sizeof(double));
  pack(c->values, c->n, c->single, to);
  memset((unsigned char *)to + filled, 0, c->bytes - filled);
}

bool tni_frames_reserve(const tni_frames *f, hsize_t row, uint64_t *address) {
  hsize_t dims[3] = {row + 1, f->nplace, f->each}, at[3] = {row, 0, 0};
  bool ok = H5Dset_extent(f->set, dims) >= 0;
  for (; ok && at[1] < f->nplace; at[1] += f->piece) {
    unsigned filters;
    haddr_t where = HADDR_UNDEF;
    hsize_t bytes;
    ok = H5Dget_chunk_info_by_coord(f->set, at, &filters, &where, &bytes) >= 0 && where != HADDR_UNDEF;
    *address++ = where;
  }
  return ok;
}

/* Chunks are handed to the file as they are: HDF5's own way, through its conversions and its cache, copies a frame twice more. It does not look into
 * them, and so need not have their bytes: it finds their place, and the thread puts there what it packs from the numbers themselves. */
static bool put_chunk(const tni_frames *f, const hsize_t *at, const tni_frames_chunk *c, void *buffer, tni_sink *sink) {
  if (sink->behind) {
    tni_sink_lend(sink, buffer, c);
    bool ok = H5Dwrite_chunk(f->set, H5P_DEFAULT, 0, at, c->bytes, buffer) >= 0;
    if (tni_sink_lent(sink) || !ok) return ok;
  }
  tni_frames_pack(c, buffer);
  return H5Dwrite_chunk(f->set, H5P_DEFAULT, 0, at, c->bytes, buffer) >= 0;
}

bool tni_frames_put(const tni_frames *f, hsize_t row, const double *values, void *buffer, tni_sink *sink) {
  hsize_t dims[3] = {row + 1, f->nplace, f->each}, at[3] = {row, 0, 0};
  size_t size = f->single ? sizeof(float) : sizeof(double), whole = (size_t)(f->piece*f->each)*size;
  bool ok = H5Dset_extent(f->set, dims) >= 0;
  for (; ok && at[1] < f->nplace; at[1] += f->piece) {
    hsize_t n = (f->nplace - at[1] < f->piece ? f->nplace - at[1] : f->piece)*f->each;
    ok = put_chunk(f, at, &(tni_frames_chunk){values + at[1]*f->each, (size_t)n, whole, f->single}, buffer, sink);
  }
  return ok;
}

bool tni_frames_get(const tni_frames *f, hsize_t first, hsize_t n, double *values) {
  return n == 0 || read_frames(f, first, n, values);
}
