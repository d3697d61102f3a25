/* linsolve/blas.c - BLAS in one thread
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/blas.h"

#include <cblas.h>

void tni_blas_one_thread(void) { openblas_set_num_threads(1); }
