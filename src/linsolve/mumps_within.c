/* linsolve/mumps_within.c - MUMPS for a program that has its archive within itself
 *
 * Linked into the command alone: a program that is the only user of its BLAS may bring it along. libtenon loads MUMPS when it is needed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dmumps_c.h>

extern void (*const tni_mumps_within)(DMUMPS_STRUC_C *);
void (*const tni_mumps_within)(DMUMPS_STRUC_C *) = dmumps_c;
