/* linsolve/blas.h - BLAS in one thread, with its memory
 *
 * OpenBLAS takes as many threads as the machine has cores, and sums in an order that depends on
 * their number: the same model would end in different bits on another machine. Its setting belongs
 * to the process, not to a call. So it is one thread while there is a system, and what it was before
 * when the last one is destroyed, unless somebody else has set it meanwhile. Nothing is set where it is one thread
 * already (OPENBLAS_NUM_THREADS=1, a sequential OpenBLAS, a program that has set it).
 *
 * It also wants a large piece of address space for its own work at the first call that needs one,
 * and asks for it again without end when there is none. We ask first, and then let it take its piece
 * while we know that it is there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_BLAS_H
#define TNI_BLAS_H

#include "base/base.h"

/* One more system: to be released once. TN_ERR_MEMORY with the size when the memory is not there;
 * nothing is to be released then. */
TN_NODISCARD tn_status tni_blas_prepare(tn_ctx *ctx);
void tni_blas_release(void);

#endif
