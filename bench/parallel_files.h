/* bench/parallel_files.h - SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PARALLEL_FILES_H
#define BENCH_PARALLEL_FILES_H

#include "bench.h"

/* io.*: files are made in the folder */
void bench_files(figures *j, const char *folder);

#endif
