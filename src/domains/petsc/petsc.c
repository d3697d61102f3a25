/* domains/petsc/petsc.c - engine.h by PETSc: libtenon_petsc.so
 *
 * A matrix is the sum over pieces. gamg and mumps take it by rows, put together; bddc takes that of the process by itself, with the numbers
 * of its unknowns in the whole.
 *
 * PETSc's calls are by all processes together. Where one of them fails in the middle of a call, others may wait for it inside of PETSc, where nothing reaches them: all
 * meet after every call, and one that has failed and meets nobody ends all processes, with its message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <petscksp.h>
#include <petscpc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "domains/engine.h"

enum { MOTIONS = 6, MOST = 20000, PATIENCE = 5 }; /* PATIENCE: seconds */

typedef struct {
  MPI_Comm comm;
  int kind;
  PetscInt n;           /* unknowns of this process, each once                  */
  PetscInt *number;     /* [n] ascending                                        */
  PetscInt nall, *at;   /* numbers in its pieces; [nall] place in number        */
  PetscScalar *mine;    /* [n]                                                  */
  Mat A;
  Vec f, u, here;       /* here: of this process                                */
  VecScatter bring;
  KSP ksp;
} work;

#define TRY(call)                                       \
  do {                                                  \
    PetscErrorCode error = (call);                      \
    if (error) return error;                            \
  } while (0)

static int compare(const void *a, const void *b) {
  PetscInt x = *(const PetscInt *)a, y = *(const PetscInt *)b;
  return x < y ? -1 : x > y;
}

static PetscInt find(const work *w, PetscInt number) {
  const PetscInt *p = bsearch(&number, w->number, (size_t)w->n, sizeof(PetscInt), compare);
  return (PetscInt)(p - w->number);
}

static PetscErrorCode number_unknowns(work *w, const tni_engine_task *t) {
  for (int s = 0; s < t->npiece; s++) w->nall += t->piece[s].n;
  TRY(PetscMalloc1((size_t)w->nall + 1, &w->number));
  TRY(PetscMalloc1((size_t)w->nall + 1, &w->at));
  PetscInt k = 0;
  for (int s = 0; s < t->npiece; s++)
    for (int i = 0; i < t->piece[s].n; i++) w->number[k++] = (PetscInt)t->piece[s].number[i];
  qsort(w->number, (size_t)k, sizeof(PetscInt), compare);
  for (PetscInt i = 0; i < k; i++)
    if (i == 0 || w->number[i] != w->number[i-1]) w->number[w->n++] = w->number[i];
  k = 0;
  for (int s = 0; s < t->npiece; s++)
    for (int i = 0; i < t->piece[s].n; i++) w->at[k++] = find(w, (PetscInt)t->piece[s].number[i]);
  TRY(PetscMalloc1((size_t)w->n + 1, &w->mine));
  return 0;
}

/* entries by row and column, of the whole or of this process; those that are given several times are added up */
static PetscErrorCode fill(const work *w, const tni_engine_task *t, bool whole, Mat A) {
  PetscCount n = 0, k = 0;
  PetscInt *row, *col, from = 0;
  PetscScalar *value;
  for (int s = 0; s < t->npiece; s++) n += t->piece[s].n ? t->piece[s].ptr[t->piece[s].n] : 0;
  TRY(PetscMalloc1((size_t)n + 1, &row));
  TRY(PetscMalloc1((size_t)n + 1, &col));
  TRY(PetscMalloc1((size_t)n + 1, &value));
  for (int s = 0; s < t->npiece; from += t->piece[s].n, s++)
    for (int j = 0; j < t->piece[s].n; j++)
      for (int e = t->piece[s].ptr[j]; e < t->piece[s].ptr[j + 1]; e++, k++) {
        PetscInt r = w->at[from + t->piece[s].ind[e]], c = w->at[from + j];
        row[k] = whole ? w->number[r] : r;
        col[k] = whole ? w->number[c] : c;
        value[k] = t->piece[s].value[e];
      }
  TRY(MatSetPreallocationCOO(A, n, row, col));
  TRY(PetscFree(row));
  TRY(PetscFree(col));
  TRY(MatSetValuesCOO(A, value, INSERT_VALUES));
  TRY(PetscFree(value));
  return 0;
}

static double component(int motion, int kind, const double x[3]) {
  if (motion < 3) return kind == motion;
  int axis = motion - 3, a = (axis + 1) % 3, b = (axis + 2) % 3;
  if (kind >= 3) return kind - 3 == axis;
  return kind == b ? x[a] : kind == a ? -x[b] : 0;
}

/* rigid motions of the whole, orthonormal; those that are none in the plane are left out */
static PetscErrorCode tell_motions(work *w, const tni_engine_task *t) {
  Vec v[MOTIONS];
  int n = 0;
  for (int m = 0; m < MOTIONS; m++) {
    PetscReal size;
    TRY(VecDuplicate(w->f, &v[n]));
    for (int s = 0; s < t->npiece; s++)
      for (int i = 0; i < t->piece[s].n; i++)
        TRY(VecSetValue(v[n], (PetscInt)t->piece[s].number[i], component(m, t->piece[s].kind[i], t->piece[s].place + 3*(size_t)i), INSERT_VALUES));
    TRY(VecAssemblyBegin(v[n]));
    TRY(VecAssemblyEnd(v[n]));
    for (int k = 0; k < n; k++) {
      PetscScalar c;
      TRY(VecDot(v[n], v[k], &c));
      TRY(VecAXPY(v[n], -c, v[k]));
    }
    TRY(VecNorm(v[n], NORM_2, &size));
    if (size > 1e-8) {
      TRY(VecScale(v[n], 1/size));
      n++;
    } else {
      TRY(VecDestroy(&v[n]));
    }
  }
  MatNullSpace near;
  TRY(MatNullSpaceCreate(w->comm, PETSC_FALSE, n, v, &near));
  TRY(MatSetNearNullSpace(w->A, near));
  TRY(MatNullSpaceDestroy(&near));
  for (int k = 0; k < n; k++) TRY(VecDestroy(&v[k]));
  return 0;
}

static PetscErrorCode set_up_matrix(work *w, const tni_engine_task *t) {
  PetscInt whole = (PetscInt)t->nwhole;
  if (w->kind == TNI_ENGINE_BDDC) {
    ISLocalToGlobalMapping map;
    Mat own;
    TRY(ISLocalToGlobalMappingCreate(w->comm, 1, w->n, w->number, PETSC_COPY_VALUES, &map));
    TRY(MatCreateIS(w->comm, 1, PETSC_DECIDE, PETSC_DECIDE, whole, whole, map, map, &w->A));
    TRY(MatCreate(PETSC_COMM_SELF, &own));
    TRY(MatSetSizes(own, w->n, w->n, w->n, w->n));
    TRY(MatSetType(own, MATSEQAIJ));
    TRY(fill(w, t, false, own));
    TRY(MatISSetLocalMat(w->A, own));
    TRY(MatAssemblyBegin(w->A, MAT_FINAL_ASSEMBLY));
    TRY(MatAssemblyEnd(w->A, MAT_FINAL_ASSEMBLY));
    TRY(MatDestroy(&own));
    TRY(ISLocalToGlobalMappingDestroy(&map));
  } else {
    TRY(MatCreate(w->comm, &w->A));
    TRY(MatSetSizes(w->A, PETSC_DECIDE, PETSC_DECIDE, whole, whole));
    TRY(MatSetType(w->A, MATMPIAIJ));
    TRY(fill(w, t, true, w->A));
  }
  TRY(MatSetOption(w->A, MAT_SYMMETRIC, PETSC_TRUE));
  TRY(MatSetOption(w->A, MAT_SPD, PETSC_TRUE));
  return MatCreateVecs(w->A, &w->u, &w->f);
}

/* Places of the rows: bddc takes corners by them that hold every domain. Without, it takes what several domains share as it is, and a domain may
 * turn about an edge: factors of it are rounding, and the preconditioner is not definite. */
static PetscErrorCode tell_places(work *w, const tni_engine_task *t, PC pc) {
  PetscInt n;
  PetscReal *place;
  Vec x;
  TRY(VecGetLocalSize(w->f, &n));
  TRY(PetscMalloc1(3*(size_t)n + 1, &place));
  TRY(VecDuplicate(w->f, &x));
  for (int c = 0; c < 3; c++) {
    const PetscScalar *value;
    for (int s = 0; s < t->npiece; s++)
      for (int i = 0; i < t->piece[s].n; i++) TRY(VecSetValue(x, (PetscInt)t->piece[s].number[i], t->piece[s].place[3*(size_t)i + (size_t)c], INSERT_VALUES));
    TRY(VecAssemblyBegin(x));
    TRY(VecAssemblyEnd(x));
    TRY(VecGetArrayRead(x, &value));
    for (PetscInt i = 0; i < n; i++) place[3*i + c] = value[i];
    TRY(VecRestoreArrayRead(x, &value));
  }
  TRY(PCSetCoordinates(pc, 3, n, place));
  TRY(PetscFree(place));
  return VecDestroy(&x);
}

static PetscErrorCode set_up(work *w, const tni_engine_task *t) {
  TRY(number_unknowns(w, t));
  TRY(set_up_matrix(w, t));
  TRY(tell_motions(w, t));
  IS from;
  TRY(VecCreateSeq(PETSC_COMM_SELF, w->n, &w->here));
  TRY(ISCreateGeneral(PETSC_COMM_SELF, w->n, w->number, PETSC_COPY_VALUES, &from));
  TRY(VecScatterCreate(w->u, from, w->here, NULL, &w->bring));
  TRY(ISDestroy(&from));
  PC pc;
  TRY(KSPCreate(w->comm, &w->ksp));
  TRY(KSPSetOperators(w->ksp, w->A, w->A));
  TRY(KSPSetErrorIfNotConverged(w->ksp, PETSC_FALSE));
  TRY(KSPGetPC(w->ksp, &pc));
  if (w->kind == TNI_ENGINE_MUMPS) {
    TRY(KSPSetType(w->ksp, KSPPREONLY));
    TRY(PCSetType(pc, PCCHOLESKY));
    TRY(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  } else {
    TRY(KSPSetType(w->ksp, KSPCG));
    TRY(KSPSetNormType(w->ksp, KSP_NORM_UNPRECONDITIONED));
    TRY(KSPSetTolerances(w->ksp, t->tolerance, 0, 1e10, MOST));
    TRY(PCSetType(pc, w->kind == TNI_ENGINE_GAMG ? PCGAMG : PCBDDC));
    /* PETSc's own factors of domains are ten times slower */
    static const char *const factors[] = {"dirichlet", "neumann", "coarse"};
    for (int i = 0; i < 3 && w->kind == TNI_ENGINE_BDDC; i++) {
      char key[80];
      snprintf(key, sizeof(key), "-pc_bddc_%s_pc_factor_mat_solver_type", factors[i]);
      TRY(PetscOptionsSetValue(NULL, key, "mumps"));
    }
    if (w->kind == TNI_ENGINE_BDDC) {
      TRY(PetscOptionsSetValue(NULL, "-pc_bddc_corner_selection", "true"));
      TRY(tell_places(w, t, pc));
      TRY(PCSetFromOptions(pc));
    }
  }
  return KSPSetUp(w->ksp);
}

static void describe(PetscErrorCode error, const char *doing, char *why, int n) {
  const char *text = NULL;
  PetscErrorMessage(error, &text, NULL);
  snprintf(why, (size_t)n, "PETSc, %s: %s", doing, text ? text : "an error");
}

/* why: of a process that has failed, NULL: it has not */
static void meet(MPI_Comm comm, const char *why) {
  MPI_Request all;
  const struct timespec moment = {0, 100*1000};
  double begin = MPI_Wtime();
  int there = 0;
  if (MPI_Ibarrier(comm, &all) != MPI_SUCCESS) return;
  for (long k = 0; !there; k++) {
    if (MPI_Test(&all, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    if (there) return;
    if (k > 1000) nanosleep(&moment, NULL);
    if (!why || MPI_Wtime() - begin < PATIENCE) continue;
    fprintf(stderr, "tenon: %s, on one process while others wait in PETSc: all are ended\n", why);
    MPI_Abort(comm, 3);
  }
}

static void destroy(void *user) {
  work *w = user;
  if (!w) return;
  KSPDestroy(&w->ksp);
  VecScatterDestroy(&w->bring);
  VecDestroy(&w->here);
  VecDestroy(&w->u);
  VecDestroy(&w->f);
  MatDestroy(&w->A);
  PetscFree(w->number);
  PetscFree(w->at);
  PetscFree(w->mine);
  free(w);
}

static int begin(const tni_engine_task *t, void **out, char *why, int n) {
  PetscBool there;
  *out = NULL;
  PetscInitialized(&there);
  if (!there) {
    PetscErrorCode error = PetscInitializeNoArguments();
    if (error) return describe(error, "beginning", why, n), 1;
    PetscPopSignalHandler(); /* signals are the program's */
  }
  PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  work *w = calloc(1, sizeof(*w));
  if (!w) return snprintf(why, (size_t)n, "no memory"), 1;
  memcpy(&w->comm, t->comm, sizeof(w->comm));
  w->kind = t->kind;
  PetscErrorCode error = set_up(w, t);
  if (error) return describe(error, "set-up", why, n), 1; /* what is half made is left: to destroy it takes all */
  *out = w;
  return 0;
}

static int create(const tni_engine_task *t, void **out, char *why, int n) {
  MPI_Comm comm;
  int failed = begin(t, out, why, n);
  memcpy(&comm, t->comm, sizeof(comm));
  meet(comm, failed ? why : NULL);
  return failed;
}

/* pieces hold shares of forces: added up. */
static PetscErrorCode solve_pieces(work *w, const double *force, double *u, tni_engine_report *report) {
  const PetscScalar *x;
  PetscInt its;
  TRY(VecSet(w->f, 0));
  for (PetscInt i = 0; i < w->n; i++) w->mine[i] = 0;
  for (PetscInt k = 0; k < w->nall; k++) w->mine[w->at[k]] += force[k];
  TRY(VecSetValues(w->f, w->n, w->number, w->mine, ADD_VALUES));
  TRY(VecAssemblyBegin(w->f));
  TRY(VecAssemblyEnd(w->f));
  TRY(KSPSolve(w->ksp, w->f, w->u));
  TRY(VecScatterBegin(w->bring, w->u, w->here, INSERT_VALUES, SCATTER_FORWARD));
  TRY(VecScatterEnd(w->bring, w->u, w->here, INSERT_VALUES, SCATTER_FORWARD));
  TRY(VecGetArrayRead(w->here, &x));
  for (PetscInt k = 0; k < w->nall; k++) u[k] = x[w->at[k]];
  TRY(VecRestoreArrayRead(w->here, &x));
  TRY(KSPGetIterationNumber(w->ksp, &its));
  report->iterations = (int)its;
  report->nnz = report->nnz_most = 0;
  if (w->kind == TNI_ENGINE_MUMPS) {
    PC pc;
    Mat factor;
    PetscInt mine, all;
    TRY(KSPGetPC(w->ksp, &pc));
    TRY(PCFactorGetMatrix(pc, &factor));
    TRY(MatMumpsGetInfo(factor, 27, &mine)); /* entries of the factors of this process, millions where negative */
    TRY(MatMumpsGetInfog(factor, 29, &all));
    report->nnz = all < 0 ? -1e6*all : all;
    report->nnz_most = mine < 0 ? -1e6*mine : mine;
  }
  PetscInt major, minor, patch;
  TRY(PetscGetVersionNumber(&major, &minor, &patch, NULL));
  snprintf(report->version, sizeof(report->version), "PETSc %d.%d.%d", (int)major, (int)minor, (int)patch);
  return 0;
}

static int solve(void *user, const double *force, double *u, tni_engine_report *report, char *why, int n) {
  work *w = user;
  KSPConvergedReason reason;
  PetscErrorCode error = solve_pieces(w, force, u, report);
  if (error) describe(error, "solution", why, n);
  meet(w->comm, error ? why : NULL);
  if (error) return 1;
  KSPGetConvergedReason(w->ksp, &reason);
  if (reason > 0) return 0;
  snprintf(why, (size_t)n, "%s after %d iterations", reason == KSP_DIVERGED_ITS ? "not converged" : reason == KSP_DIVERGED_INDEFINITE_MAT ||
           reason == KSP_DIVERGED_INDEFINITE_PC ? "the matrix is not positive definite" : "the iteration broke down", report->iterations);
  return 1;
}

__attribute__((visibility("default"))) const tni_engine_library *tenon_petsc_library(void) {
  static const tni_engine_library library = {create, solve, destroy};
  return &library;
}
