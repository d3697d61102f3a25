/* tests/support/stand_in_petsc.c - stands in for the library of PETSc's engines (domains/engine.h): all pieces of one process,
 * put together by the numbers of their unknowns and eliminated without pivots
 *
 * A task whose tolerance is negative is refused, and so is a load with a number that is none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/engine.h"

int stand_in_alive; /* made and not yet destroyed */

typedef struct {
  int n, npiece, kind;
  tni_engine_piece piece[16];
  double *A, *b;
} work;

static int create(const tni_engine_task *task, void **out, char *why, int n) {
  work *w = calloc(1, sizeof(*w));
  *out = w;
  stand_in_alive++;
  if (task->tolerance < 0 || !task->comm) {
    snprintf(why, (size_t)n, "no tolerance below 0");
    return 1;
  }
  w->n = (int)task->nwhole;
  w->npiece = task->npiece;
  w->kind = task->kind;
  memcpy(w->piece, task->piece, (size_t)task->npiece*sizeof(task->piece[0]));
  w->A = calloc((size_t)(w->n*w->n), sizeof(double));
  w->b = calloc((size_t)w->n, sizeof(double));
  for (int s = 0; s < w->npiece; s++) {
    const tni_engine_piece *p = &w->piece[s];
    for (int j = 0; j < p->n; j++)
      for (int k = p->ptr[j]; k < p->ptr[j+1]; k++) w->A[p->number[p->ind[k]]*w->n + p->number[j]] += p->value[k];
  }
  return 0;
}

static int solve(void *user, const double *force, double *u, tni_engine_report *report, char *why, int nwhy) {
  work *w = user;
  int n = w->n;
  double *A = malloc((size_t)(n*n)*sizeof(double));
  memcpy(A, w->A, (size_t)(n*n)*sizeof(double));
  memset(w->b, 0, (size_t)n*sizeof(double));
  for (int s = 0, at = 0; s < w->npiece; at += w->piece[s++].n)
    for (int i = 0; i < w->piece[s].n; i++) w->b[w->piece[s].number[i]] += force[at + i];
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double f = A[i*n + k]/A[k*n + k];
      for (int j = k; j < n; j++) A[i*n + j] -= f*A[k*n + j];
      w->b[i] -= f*w->b[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) w->b[i] -= A[i*n + j]*w->b[j];
    w->b[i] /= A[i*n + i];
  }
  free(A);
  for (int s = 0, at = 0; s < w->npiece; at += w->piece[s++].n)
    for (int i = 0; i < w->piece[s].n; i++) u[at + i] = w->b[w->piece[s].number[i]];
  *report = (tni_engine_report){.iterations = 7 + w->kind, .nnz = n*n, .nnz_most = n};
  if (isfinite(w->b[0])) return 0;
  snprintf(why, (size_t)nwhy, "no number");
  return 1;
}

static void destroy(void *user) {
  work *w = user;
  free(w->A);
  free(w->b);
  free(w);
  stand_in_alive--;
}

const tni_engine_library *tenon_petsc_library(void);
const tni_engine_library *tenon_petsc_library(void) {
  static const tni_engine_library library = {create, solve, destroy};
  return &library;
}
