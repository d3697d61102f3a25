/* linsolve/blas.h - BLAS in one thread
 *
 * OpenBLAS takes as many threads as the machine has cores, and sums in an order that depends on
 * their number: the same model would end in different bits on another machine. Its setting belongs
 * to the process, not to a call, so it is made whenever a system is created and left as it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_BLAS_H
#define TNI_BLAS_H

void tni_blas_one_thread(void);

#endif
