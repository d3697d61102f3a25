/* domains/engine.h - engines of others for systems in pieces, over processes: PETSc, and MUMPS through it
 *
 *   gamg    conjugate gradients with smoothed aggregation, told the rigid motions
 *   bddc    conjugate gradients with balancing by constraints; the pieces of a process are one domain
 *   mumps   factors that all processes share
 *
 * They are in a library of their own, libtenon_petsc.so, which lies beside libtenon_mpi.so where PETSc was there when that was made, and is
 * loaded when one of them is asked for. Nothing of PETSc is known outside of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ENGINE_H
#define TNI_ENGINE_H

#include "domains/domains.h"

typedef enum { TNI_ENGINE_GAMG, TNI_ENGINE_BDDC, TNI_ENGINE_MUMPS, TNI_NENGINE } tni_engine_kind;
extern const char *const tni_engine_names[TNI_NENGINE];

typedef struct tni_engine_report {
  int iterations;
  double nnz, nnz_most; /* numbers in the factors of mumps, 0: none; of one process at most        */
  char version[80];
} tni_engine_report;

typedef struct tni_engine tni_engine;

/* TN_OK: it can be asked for here. TN_ERR_UNSUPPORTED: why not: one process, virtual ranks, no PETSc. */
TN_NODISCARD tn_status tni_engine_there(tn_ctx *ctx, const tni_comm *comm, tni_engine_kind kind);
/* d with `place`; all ranks together. nwhole: unknowns of the whole, numbered from 0. */
TN_NODISCARD tn_status tni_engine_create(const tni_domains *d, tni_engine_kind kind, long long nwhole, double tolerance, tni_engine **out);
void tni_engine_destroy(tni_engine **e);
/* force, u: vectors in pieces, as of feti.h */
TN_NODISCARD tn_status tni_engine_solve(tni_engine *e, const double *force, double *u, tni_engine_report *report);

/* ---- what the library offers; plain C, so that neither side needs the other's headers ------------------- */

typedef struct tni_engine_piece {
  int n;
  const int *ptr, *ind;
  const double *value;
  const long long *number;
  const double *place;      /* [n][3]                    */
  const signed char *kind;
} tni_engine_piece;

typedef struct tni_engine_task {
  int kind;
  const void *comm;         /* MPI_Comm                  */
  long long nwhole;
  double tolerance;
  int npiece;
  const tni_engine_piece *piece;
} tni_engine_task;

typedef struct tni_engine_library {
  int (*create)(const tni_engine_task *task, void **out, char *why, int n); /* 0: done                  */
  int (*solve)(void *w, const double *force, double *u, tni_engine_report *report, char *why, int n); /* of all pieces, one after the other */
  void (*destroy)(void *w);
} tni_engine_library;

#define TNI_ENGINE_ENTRY "tenon_petsc_library" /* const tni_engine_library *(void) */

#endif
