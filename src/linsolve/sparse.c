/* linsolve/sparse.c - choice of who solves a sparse linear system
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linsolve/sparse.h"

#include <stdio.h>
#include <suitesparse/amd.h>

static const tni_sparse_backend *const backends[] = {&tni_sparse_klu, &tni_sparse_mumps, &tni_sparse_fronts,
                                                   &tni_sparse_pcg, &tni_sparse_skyline};

/* Operations of a factorization from which supernodes pay. Boxes of 27-point neighbours, 3 unknowns a node:
 * 648 unknowns (3e6 operations) klu 4.4 ms, mumps 1.3 ms; 8232 (1e9) 4.0 s and 0.13 s. */
static const double MANY_OPERATIONS = 3e6;
/* and as many for every entry of the factor: a long chain has many in all, but no dense fronts */
static const double DENSE_FRONTS = 40;

/* does a symmetric factorization in the order of minimum degree fill much? */
static bool fills_much(tni_sparse_solver *s) {
  double info[AMD_INFO];
  if (!s->permutation) s->permutation = tni_alloc(s->ctx, (size_t)s->n + 1, sizeof(int));
  if (!s->permutation) return false;
  int st = amd_order(s->n, s->ptr, s->ind, s->permutation, NULL, info);
  double operations = st < AMD_OK ? 0 : info[AMD_NMULTSUBS_LDL];
  return operations > MANY_OPERATIONS && operations > DENSE_FRONTS*info[AMD_LNZ];
}

static tn_status choose(tni_sparse_solver *s) {
  const char *name = s->opts.backend;
  s->backend = NULL;
  s->reason = s->opts.reason ? s->opts.reason : "chosen by the caller";
  for (int i = 0; name && i < TNI_COUNT(backends); i++)
    if (strcmp(backends[i]->name, name) == 0) s->backend = backends[i];
  TN_REQUIRE(s->ctx, !name || s->backend, TN_ERR_ARGUMENT,
             "sparse solver '%s' is unknown, must be klu, mumps, fronts, pcg or skyline", name);
  if (s->backend) return TN_OK;
  bool much = fills_much(s), large = much && !s->opts.is_complex;
  s->backend = large ? &tni_sparse_mumps : &tni_sparse_klu;
  s->reason = !large ? (much ? "complex" : "little fill")
                     : s->opts.symmetric ? "symmetric, with much fill" : "much fill";
  return TN_OK;
}

tn_status tni_sparse_solver_create(tn_ctx *ctx, int n, const int *ptr, const int *ind,
                                   const tni_sparse_opts *opts, tni_sparse_solver **out) {
  *out = NULL;
  tni_sparse_solver *s = tni_alloc(ctx, 1, sizeof(*s));
  if (!s) return tni_out_of_memory(ctx);
  tni_arena_init(&s->arena, ctx);
  s->ctx = ctx;
  s->n = n;
  s->ptr = ptr;
  s->ind = ind;
  s->opts = *opts;
  s->column = s->negative = s->zero = -1;
  tn_status st = choose(s);
  if (st == TN_OK && n > 0) st = s->backend->create(s);
  if (st != TN_OK) {
    tni_sparse_solver_destroy(&s);
    return st;
  }
  *out = s;
  return TN_OK;
}

tn_status tni_sparse_solver_analyze(tni_sparse_solver *s) {
  const tni_sparse_backend *before = s->backend;
  if (s->n == 0) return TN_OK;
  TN_TRY(choose(s));
  s->column = s->negative = s->zero = -1;
  if (s->backend == before && before->analyze) return before->analyze(s);
  if (s->state) before->destroy(s);
  s->state = NULL;
  tni_arena_clear(&s->arena);
  return s->backend->create(s);
}

void tni_sparse_solver_destroy(tni_sparse_solver **out) {
  tni_sparse_solver *s = out ? *out : NULL;
  if (!s) return;
  if (s->backend && s->state) s->backend->destroy(s);
  tni_arena_clear(&s->arena);
  tni_free(s->ctx, s->permutation);
  tni_free(s->ctx, s);
  *out = NULL;
}

tn_status tni_sparse_solver_factor(tni_sparse_solver *s, const double *value) {
  if (s->n == 0) return TN_OK;
  return s->backend->factor(s, value);
}

bool tni_sparse_solver_refactor(tni_sparse_solver *s, const double *value) {
  if (s->n == 0) return true;
  return s->backend->refactor && s->backend->refactor(s, value);
}

void tni_sparse_solver_forget(tni_sparse_solver *s) {
  if (s->n > 0 && s->backend->forget) s->backend->forget(s);
}

double tni_sparse_solver_least(const tni_sparse_solver *s) { return s->least; }
int tni_sparse_solver_column(const tni_sparse_solver *s) { return s->column; }
long tni_sparse_solver_nnz(const tni_sparse_solver *s) { return s->nnz; }
double tni_sparse_solver_flops(const tni_sparse_solver *s) { return s->flops; }
double tni_sparse_solver_bytes(const tni_sparse_solver *s) { return s->bytes; }

void tni_sparse_solver_solve(tni_sparse_solver *s, int nrhs, bool transposed, double *b) {
  if (s->n > 0) s->backend->solve(s, nrhs, transposed, b);
}

bool tni_sparse_solver_inertia(const tni_sparse_solver *s, int *negative, int *zero) {
  *negative = s->negative;
  *zero = s->zero;
  return s->negative >= 0;
}

bool tni_sparse_solver_null(tni_sparse_solver *s, double *x) {
  return s->n > 0 && s->backend->null && s->backend->null(s, x);
}

void tni_sparse_solver_describe(const tni_sparse_solver *s, char *out, size_t n) {
  snprintf(out, n, "%s, order %s: %s%s%s", s->backend->name, s->order ? s->order : "-", s->reason, s->note[0] ? "; " : "", s->note);
}
