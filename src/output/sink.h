/* output/sink.h - where HDF5's bytes go: a file driver that survives a failing disk
 *
 * HDF5 does not recover from a failed write: its caches stay dirty, the file cannot be closed any
 * more and the library complains on stderr when the program ends. Our driver therefore never tells
 * it. The first failed write is remembered in `error`, and from then on writes are kept in memory
 * for HDF5 to read back, so that the file on disk stays exactly as it was at that moment: the same
 * as after kill -9, which the single-writer-multiple-reader order of writes is made for. The caller
 * looks at `error` after each call and closes the file at the first failure, so that little is
 * kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SINK_H
#define TNI_SINK_H

#include <hdf5.h>

typedef struct tni_sink {
  int fd;    /* open for reading and writing; belongs to the caller */
  int error; /* errno of the first failure, 0: none                 */
} tni_sink;

/* Register the driver (close with H5Idec_ref after the file) and select it in the file access
 * list fapl for the given sink, which must outlive the file. Negative on failure. */
hid_t tni_sink_register(void);
herr_t tni_sink_select(hid_t fapl, hid_t driver, tni_sink *sink);

#endif
