/* nonlinear/rest.c - equilibria of systems with meshes, by one sparse factorization a step
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "nonlinear/rest.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "linsolve/sparse.h"
#include "nonlinear/rest_border.h"
#include "nonlinear/rest_domains.h"
#include "nonlinear/rest_elements.h"
#include "nonlinear/rest_free.h"
#include "system/parts.h"

#include <cblas.h>
#undef I

static const double TOLERANCE = 1e-10;
/* a pivot of the stiffness scaled to unit diagonal that is none */
static const double NO_PIVOT = 1e-14, TINY_PIVOT = 1e-30;
/* |r| below this part of the forces is good enough where it does not fall any more */
static const double STALLED = 1e-7;
/* a correction this much smaller than the displacements is rounding */
static const double SETTLED = 1e-13;
/* large displacements: strains know displacements to so much of the size of the structure, however small they are; what that leaves of the
 * forces is good enough below */
static const double KNOWN = 1e-14, HIDDEN = 1e-4;
/* the same by the places of bodies: rounding, over SETTLED */
static const double PLACES = 5e-3;
static const double NOISE = 1e-12; /* of the loads of bodies: what they leave where they are in balance */
static const double ASYMMETRY = 1e-9;
static const double PART_OF_MEMORY = 0.8;
static const double CONJUGATE = 1e-10; /* residual of conjugate gradients by the right side */
enum { ITERATIONS = 25, CUTS = 12, MODES = 20, KLU_MOST = 1500 };

struct tni_rest {
  tni_arena arena;
  tni_data *s;
  int n, m;
  double *K, *M, *C;        /* tangents on the patterns of the system               */
  double *scale;            /* [n] roots of the diagonal; without constraints K is in units of them once it is factored */
  double *size;             /* [n] with constraints: stiffness that each is measured by */
  double *r, *f_t, *x, *lambda, *zero; /* [n], [n], [n + m], [m], [n]              */
  double *loads;            /* [6 nbody] of bodies                                    */
  double *g;         /* [nevent] */
  int *node;                /* [n]                                                   */
  double *phi;              /* [m]                                                   */
  bool symmetric, decided;
  const char *asked;        /* solver of symmetric matrices, NULL: chosen here      */
  double memory;            /* bytes that factors may take; 0: part of the machine's */
  bool small;               /* they take more                                       */
  char short_of[80];
  bool indefinite;          /* or singular: it has been found so                    */
  bool factored;            /* factors of K are there                               */
  bool hidden;              /* the last correction was of the size of rounding         */
  int negative;             /* eigenvalues of it; -1: not known                     */
  bool shifted;             /* the matrix is K + s M: small pivots mean softness, not freedom */
  tni_sparse_solver *lu;    /* without constraints                                  */
  tni_saddle *saddle;       /* with                                                 */
  tni_rest_cut *cut;        /* instead of both: domains                             */
  tni_rest_border *border;  /* and what is around them; NULL: nothing               */
  bool cut_factored;        /* domains of structures with something around them     */
  bool by_elements;         /* instead of all: conjugate gradients that assemble nothing */
  tni_rest_elements_opts how;
  tni_rest_elements *elements;
  tni_state kept;           /* the last equilibrium                                 */
};

/* unknowns of one body or node of a mesh have one number */
static void number_nodes(tni_rest *w) {
  const tni_data *s = w->s;
  const tni_layout *L = s->layout;
  int at = 0;
  for (int i = 0; i < L->nnode; i++) {
    int node = L->node[i];
    for (int k = 0; k < L->size[node]; k++) w->node[L->vadr[node] + k] = at;
    at++;
  }
  for (int i = 0; s->parts && i < s->parts->n; i++) {
    const tni_part *p = &s->parts->part[i];
    for (int k = 0; k < p->nnode; k++, at++)
      for (int j = p->vadr[k]; j < p->vadr[k+1]; j++) w->node[s->parts->v0 + s->parts->at[i] + j] = at;
  }
}

static tn_status allocate(tni_rest *w) {
  tni_data *s = w->s;
  tni_arena *a = &w->arena;
  TNI_ARENA_NEW(a, w->C, s->rows->nnz);
  TNI_ARENA_NEW(a, w->scale, w->n);
  TNI_ARENA_NEW(a, w->r, w->n);
  TNI_ARENA_NEW(a, w->f_t, w->n);
  TNI_ARENA_NEW(a, w->zero, w->n);
  TNI_ARENA_NEW(a, w->loads, 6*(size_t)w->s->nbody);
  TNI_ARENA_NEW(a, w->g, tni_system_nevent(s));
  if (s->parts) s->parts->still = true;
  TNI_ARENA_NEW(a, w->x, w->n + w->m);
  TNI_ARENA_NEW(a, w->lambda, w->m);
  TNI_ARENA_NEW(a, w->phi, w->m);
  TNI_ARENA_NEW(a, w->node, w->n);
  number_nodes(w);
  return tni_state_create(a, s, &w->kept);
}

/* room for the matrix, which those who assemble none do not need */
static tn_status need_matrix(tni_rest *w) {
  if (!w->K) TNI_ARENA_NEW(&w->arena, w->K, w->s->square->nnz);
  return TN_OK;
}

tn_status tni_rest_create(tni_data *s, tni_rest **out) {
  *out = NULL;
  TN_TRY(tni_prepare_pattern(s));
  tni_rest *w = tni_alloc(s->ctx, 1, sizeof(*w));
  if (!w) return tni_out_of_memory(s->ctx);
  tni_arena_init(&w->arena, s->ctx);
  w->s = s;
  w->n = s->nv;
  w->m = s->m;
  tn_status st = allocate(w);
  if (st != TN_OK) tni_rest_destroy(&w);
  *out = w;
  return st;
}

void tni_rest_destroy(tni_rest **out) {
  tni_rest *w = out ? *out : NULL;
  if (!w) return;
  tn_ctx *ctx = w->s->ctx;
  tni_sparse_solver_destroy(&w->lu);
  tni_saddle_destroy(&w->saddle);
  tni_rest_border_destroy(&w->border);
  tni_rest_cut_destroy(&w->cut);
  tni_rest_elements_destroy(&w->elements);
  tni_arena_clear(&w->arena);
  tni_free(ctx, w);
  *out = NULL;
}

/* ---- the matrix --------------------------------------------------------------------------------- */

static bool is_symmetric(const tni_rest *w) {
  const tni_sparsity *p = w->s->square;
  for (int r = 0; r < w->n; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++) {
      int c = p->col[k];
      if (c <= r) continue;
      double a = w->K[k], b = w->K[tni_sparsity_find(p, c, r)];
      if (fabs(a - b) > ASYMMETRY*(w->scale[r]*w->scale[c])) return false;
    }
  return true;
}

/* scale := roots of the diagonal */
static void find_scale(tni_rest *w) {
  const tni_sparsity *p = w->s->square;
  for (int r = 0; r < w->n; r++) {
    double d = 0, most = 0;
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++) {
      if (p->col[k] == r) d = fabs(w->K[k]);
      most = fmax(most, fabs(w->K[k]));
    }
    if (!(d > 1e-6*most)) d = most;
    w->scale[r] = d > 0 ? sqrt(d) : 1;
  }
}

/* K in units of its diagonal, in its own place: nobody needs it as it was any more */
static void scale_matrix(tni_rest *w) {
  const tni_sparsity *p = w->s->square;
  for (int r = 0; r < w->n; r++)
    for (int k = p->rowptr[r]; k < p->rowptr[r+1]; k++) w->K[k] /= w->scale[r]*w->scale[p->col[k]];
}

/* A motion that resists less than this in units of its unknowns' own stiffness has none. */
static const double FREE_LEAST = 1e-14;

/* motions without stiffness where LU does not tell of them: with constraints, and of matrices that are not symmetric */
static tn_status find_free(tni_rest *w, double least, tni_rest_report *rep) {
  bool pairs = w->saddle != NULL;
  if (w->cut || w->elements || w->shifted || w->n == 0 || (!pairs && (!w->lu || w->symmetric))) return TN_OK;
  tni_rest_stiffness stiffness = {.s = w->s, .K = w->K, .size = pairs ? w->size : NULL, .scale = w->scale, .apply = tni_rest_apply_many, .solver = w};
  return tni_rest_find_free(&stiffness, least, rep);
}

/* the model is not held, by rep->free, free_names */
static tn_status not_held(const tni_rest *w, const tni_rest_report *rep) {
  return TN_FAIL(w->s->ctx, TN_SINGULAR, "the model is not held: %d motion%s without stiffness: %s; add supports", rep->free, rep->free == 1 ? "" : "s",
                 rep->free_names);
}

static tn_status name_free(tni_rest *w, tni_rest_report *rep) {
  tn_ctx *ctx = w->s->ctx;
  int negative, zero;
  if (!w->lu || !tni_sparse_solver_inertia(w->lu, &negative, &zero) || zero <= 0) {
    int column = w->lu ? tni_sparse_solver_column(w->lu) : -1;
    snprintf(rep->free_names, sizeof(rep->free_names), "an unknown");
    if (column >= 0) tni_dof_name(w->s, column, rep->free_names, sizeof(rep->free_names));
    rep->free = 1; /* at least */
    return TN_FAIL(ctx, TN_SINGULAR, "the model is not held: '%s' moves without force; add supports", rep->free_names);
  }
  double *x = tni_doubles(ctx, (size_t)zero*(size_t)w->n);
  if (!x) return tni_out_of_memory(ctx);
  rep->free = zero;
  if (tni_sparse_solver_null(w->lu, x)) {
    for (size_t i = 0; i < (size_t)zero*(size_t)w->n; i++) x[i] /= w->scale[i % (size_t)w->n];
    tni_rest_list_motions(w->s, zero < 6 ? zero : 6, x, rep->free_names, sizeof(rep->free_names));
  }
  tni_free(ctx, x);
  return not_held(w, rep);
}

/* bytes that factors may take; 0: not known */
static double allowed(const tni_rest *w) {
  if (w->memory > 0) return w->memory;
  return fmax(0, PART_OF_MEMORY*(double)sysconf(_SC_PHYS_PAGES)*(double)sysconf(_SC_PAGESIZE));
}

/* factors that do not fit into the memory there is: conjugate gradients from now on */
static bool exceeds(tni_rest *w) {
  double need = tni_sparse_solver_bytes(w->lu), limit = allowed(w);
  if (w->asked || w->shifted || strcmp(w->lu->backend->name, "fronts") != 0) return false;
  if (!(limit > 0) || need <= limit) return false;
  snprintf(w->short_of, sizeof(w->short_of), "factors need %.4g MB, %.4g are allowed", 1e-6*need, 1e-6*limit);
  w->small = true;
  return true;
}

/* Without constraints. A stiffness is positive definite as a rule: fronts. One that is not, which they notice, goes to mumps, which
 * counts signs and finds what is not held. */
static tn_status factor_whole(tni_rest *w, tni_rest_report *rep) {
  tni_data *s = w->s;
  for (;;) {
    const char *who = w->symmetric ? (w->indefinite ? "mumps" : w->small ? "pcg" : "fronts") : w->n > KLU_MOST ? "mumps" : NULL;
    if (w->asked && w->symmetric && !w->shifted) who = w->asked;
    if (w->lu && (w->lu->opts.symmetric != w->symmetric || (who && strcmp(w->lu->backend->name, who) != 0)))
      tni_sparse_solver_destroy(&w->lu);
    if (!w->lu) {
      tni_sparse_opts o = {.backend = who, .symmetric = w->symmetric, .least = w->shifted ? TINY_PIVOT : NO_PIVOT,
                           .reason = !w->symmetric ? "not symmetric" : w->asked && !w->shifted ? "chosen by the caller"
                                     : w->indefinite ? "symmetric" : w->small ? w->short_of : "positive definite",
                           .node = w->node};
      TN_TRY(tni_sparse_solver_create(s->ctx, w->n, s->square->rowptr, s->square->col, &o, &w->lu));
    }
    if (exceeds(w)) continue;
    tn_status st = tni_sparse_solver_factor(w->lu, w->K);
    if (st != TN_SINGULAR) return st;
    const char *by = w->lu->backend->name;
    if (!w->symmetric || w->indefinite || strcmp(by, "mumps") == 0) return name_free(w, rep);
    if (w->asked || w->small) {
      char name[128];
      tni_dof_name(s, tni_sparse_solver_column(w->lu), name, sizeof(name));
      return TN_FAIL(s->ctx, TN_SINGULAR, "the stiffness is not positive definite at '%s', which solver '%s' needs: not held, or unstable; "
                     "'solver: mumps' tells which", name, by);
    }
    w->indefinite = true;
  }
}

/* Unknowns in units of their own stiffness, but for bodies that constraints alone hold: what they have is nothing, or rounding. */
static tn_status measure(tni_rest *w) {
  static const double LEAST = 1e-8;
  const tni_sparsity *p = w->s->square;
  double most = 0;
  if (!w->size) TNI_ARENA_NEW(&w->arena, w->size, w->n);
  for (int i = 0; i < w->n; i++) most = fmax(most, w->size[i] = fabs(w->K[tni_sparsity_find(p, i, i)]));
  for (int i = 0; i < w->n; i++) w->size[i] = fmax(w->size[i], most > 0 ? LEAST*most : 1);
  tni_saddle_measure(w->saddle, w->size);
  return TN_OK;
}

/* a pivot was zero: with a little stiffness everywhere the motions that have none stand out */
static tn_status name_free_with_joints(tni_rest *w, const bool *active, tni_rest_report *rep) {
  static const double LITTLE = 1e-12;
  char message[TNI_MESSAGE_MAX];
  memcpy(message, w->s->ctx->message, sizeof(message));
  for (int i = 0; i < w->n; i++) w->K[tni_sparsity_find(w->s->square, i, i)] += LITTLE*w->size[i];
  tn_status st = tni_saddle_factor(w->saddle, w->K, w->C, active, TNI_SADDLE_REGULAR);
  if (st == TN_OK) st = find_free(w, 10*LITTLE, rep);
  if (st < 0) return st;
  return rep->free ? not_held(w, rep) : TN_FAIL(w->s->ctx, TN_SINGULAR, "%s", message);
}

/* factors of what is in K, C */
static tn_status factor_held(tni_rest *w, tni_rest_report *rep) {
  tni_data *s = w->s;
  rep->factorizations++;
  rep->negative = -1;
  rep->free = 0;
  find_scale(w);
  if (!w->decided) w->symmetric = is_symmetric(w);
  rep->symmetric = w->symmetric;
  if (w->m > 0) {
    if (!w->saddle) TN_TRY(tni_saddle_create(s->ctx, s->square, s->rows, false, &w->saddle));
    TN_TRY(measure(w));
    w->decided = true;
    const bool *active = s->rank ? s->rank->independent : NULL;
    if (w->symmetric) {
      tn_status st = tni_saddle_negative(w->saddle, w->K, w->C, active, &rep->negative);
      if (st < 0) return st;
    }
    tn_status st = tni_saddle_factor(w->saddle, w->K, w->C, active, TNI_SADDLE_REGULAR);
    return st == TN_SINGULAR && !w->shifted ? name_free_with_joints(w, active, rep) : st;
  }
  scale_matrix(w);
  TN_TRY(factor_whole(w, rep));
  int zero;
  if (!tni_sparse_solver_inertia(w->lu, &rep->negative, &zero)) rep->negative = -1;
  return TN_OK;
}

/* Without a factor and without a matrix: what the stiffness of elements must be put into is left of the memory allowed. */
static double bytes_assembled(const tni_rest *w) { return (3*sizeof(double))*(double)w->s->square->nnz + 48.0*w->n; }

/* pcg in the place of factors that do not fit: by elements where the matrix does not fit either, and they can be taken apart */
static tn_status shrink(tni_rest *w) {
  double need, limit = allowed(w);
  if (bytes_assembled(w) <= limit) return TN_OK;
  tni_rest_elements_opts o = {.keeps = true, .tolerance = CONJUGATE};
  tn_status st = tni_rest_elements_expect(w->s, &o, &need);
  if (st == TN_ERR_UNSUPPORTED) return TN_OK;
  TN_TRY(st);
  if (need > limit) o.keeps = false;
  w->how = o;
  w->by_elements = true;
  return TN_OK;
}

/* by elements, if asked for, or by what memory there is */
static tn_status choose_elements(tni_rest *w) {
  double need, factor, flops;
  if (w->by_elements || w->asked || w->lu || w->m > 0 || w->decided || w->indefinite) return TN_OK;
  TN_TRY(tni_rest_expect(w, &need, &factor, &flops));
  if (!exceeds(w)) return TN_OK;
  tni_sparse_solver_destroy(&w->lu);
  return shrink(w);
}

static tn_status factor_elements(tni_rest *w, double t, const double *q, bool rate, tni_rest_report *rep) {
  tni_sparse_tangent tangent = {.r_t = w->f_t};
  rep->factorizations++;
  rep->negative = -1;
  rep->symmetric = w->symmetric = true;
  if (rate) TN_TRY(tni_eval_sparse_tangent(w->s, t, q, NULL, NULL, NULL, &tangent));
  if (!w->elements) TN_TRY(tni_rest_elements_create(w->s, &w->how, &w->elements));
  return tni_rest_elements_factor(w->elements, t, q);
}

/* structures by domains, bodies and joints around them */
static tn_status factor_around(tni_rest *w, double t, const double *q, const double *lambda, tni_sparse_tangent *tangent, tni_rest_report *rep) {
  tni_data *s = w->s;
  TN_TRY(need_matrix(w));
  tangent->r_q = w->K;
  TN_TRY(tni_eval_sparse_tangent(s, t, q, NULL, NULL, lambda, tangent));
  find_scale(w);
  if (!w->decided) w->symmetric = is_symmetric(w);
  w->decided = true;
  rep->symmetric = w->symmetric;
  /* linear structures are factored once, and directions of earlier solutions serve later ones */
  bool linear = true;
  for (int i = 0; i < s->parts->n; i++) linear = linear && s->parts->part[i].linear;
  if (!linear || !w->cut_factored) TN_TRY(tni_rest_cut_factor(w->cut, t, q));
  w->cut_factored = true;
  return tni_rest_border_factor(w->border, w->cut, w->K, w->C, s->rank ? s->rank->independent : NULL, w->symmetric, &rep->negative);
}

static tn_status factor(tni_rest *w, double t, const double *q, const double *lambda, bool rate, tni_rest_report *rep) {
  tni_data *s = w->s;
  tni_sparse_tangent tangent = {.r_t = rate ? w->f_t : NULL, .C = w->m ? w->C : NULL};
  if (w->border) {
    rep->factorizations++;
    return factor_around(w, t, q, lambda, &tangent, rep);
  }
  if (w->cut) {
    rep->factorizations++;
    rep->negative = -1; /* judged at the end */
    rep->symmetric = true;
    if (rate) TN_TRY(tni_eval_sparse_tangent(s, t, q, NULL, NULL, lambda, &tangent));
    return tni_rest_cut_factor(w->cut, t, q);
  }
  TN_TRY(choose_elements(w));
  if (w->by_elements) return factor_elements(w, t, q, rate, rep);
  TN_TRY(need_matrix(w));
  tangent.r_q = w->K;
  TN_TRY(tni_eval_sparse_tangent(s, t, q, NULL, NULL, lambda, &tangent));
  return factor_held(w, rep);
}

/* rows are handed over as columns: the transposed matrix is meant */
void tni_rest_apply_many(tni_rest *w, int k, double *x) {
  size_t n = (size_t)w->n;
  if (w->saddle) {
    for (int r = 0; r < k; r++) {
      memcpy(w->x, x + (size_t)r*n, n*sizeof(double));
      memset(w->x + n, 0, (size_t)w->m*sizeof(double));
      tni_saddle_solve(w->saddle, 1, w->x);
      memcpy(x + (size_t)r*n, w->x, n*sizeof(double));
    }
    return;
  }
  for (size_t i = 0; i < (size_t)k*n; i++) x[i] /= w->scale[i % n];
  tni_sparse_solver_solve(w->lu, k, true, x);
  for (size_t i = 0; i < (size_t)k*n; i++) x[i] /= w->scale[i % n];
}

void tni_rest_apply(tni_rest *w, double *x) { tni_rest_apply_many(w, 1, x); }

tn_status tni_rest_shifted(tni_rest *w, double t, const double *q, const double *lambda, double shift, int *negative,
                           const double **M) {
  tni_rest_report rep = {0};
  size_t nnz = (size_t)w->s->square->nnz;
  TN_TRY(need_matrix(w));
  if (!w->M) TNI_ARENA_NEW(&w->arena, w->M, nnz);
  tni_sparse_tangent tangent = {.M = w->M, .r_q = w->K, .C = w->m ? w->C : NULL};
  TN_TRY(tni_eval_sparse_tangent(w->s, t, q, NULL, NULL, lambda, &tangent));
  for (size_t k = 0; k < nnz && shift != 0; k++) w->K[k] += shift*w->M[k];
  w->decided = false;
  w->indefinite = shift < 0;
  if (!w->shifted) tni_sparse_solver_destroy(&w->lu);
  w->shifted = true;
  tn_status st = factor_held(w, &rep);
  *negative = rep.negative;
  *M = w->M;
  return st;
}

/* ---- iterations --------------------------------------------------------------------------------- */

typedef struct {
  double norm, size; /* |r|, and the forces it is judged by */
  double gap;        /* largest |Phi|                       */
} state;

static double loads_of_bodies(tni_rest *w, double t, const double *q) {
  tni_at at = {.t = t, .q = q, .v = w->zero};
  double sum = 0;
  if (w->s->nbody == 0) return 0;
  tni_look_loads(w->s, &at, w->loads);
  for (int i = 0; i < 6*w->s->nbody; i++) sum += w->loads[i]*w->loads[i];
  return sqrt(sum);
}

static bool evaluate(tni_rest *w, double t, const double *q, const double *lambda, state *out) {
  tni_data *s = w->s;
  tni_eval_balance(s, t, q, w->zero, NULL, w->m ? lambda : NULL, w->r, w->m ? w->phi : NULL, NULL, NULL);
  double sum = 0;
  out->gap = 0;
  for (int i = 0; i < w->n; i++) sum += w->r[i]*w->r[i];
  for (int i = 0; i < w->m; i++) out->gap = fmax(out->gap, fabs(w->phi[i]));
  out->norm = sqrt(sum);
  out->size = s->parts ? sqrt(s->parts->squares) : 0;
  if (out->size == 0) { /* nothing is strained yet: loads count, however small they are */
    double bodies = loads_of_bodies(w, t, q);
    out->size = out->norm > NOISE*bodies ? out->norm : bodies;
  }
  return isfinite(out->norm) && isfinite(out->gap);
}

/* x := step from residual w->r (and w->phi), with the factors as they are */
static tn_status newton(tni_rest *w, double *size) {
  *size = NAN;
  if (w->border) {
    for (int i = 0; i < w->n; i++) w->x[i] = -w->r[i];
    for (int i = 0; i < w->m; i++) w->x[w->n + i] = -w->phi[i];
    TN_TRY(tni_rest_border_solve(w->border, w->cut, w->x));
  } else if (w->cut || w->by_elements) {
    for (int i = 0; i < w->n; i++) w->x[i] = -w->r[i];
    TN_TRY(w->cut ? tni_rest_cut_solve(w->cut, w->x) : tni_rest_elements_solve(w->elements, w->x));
  } else if (w->saddle) {
    for (int i = 0; i < w->n; i++) w->x[i] = -w->r[i];
    for (int i = 0; i < w->m; i++) w->x[w->n + i] = -w->phi[i];
    tni_saddle_solve(w->saddle, 1, w->x);
  } else {
    for (int i = 0; i < w->n; i++) w->x[i] = -w->r[i]/w->scale[i];
    tni_sparse_solver_solve(w->lu, 1, true, w->x);
    for (int i = 0; i < w->n; i++) w->x[i] /= w->scale[i];
  }
  *size = 0;
  for (int i = 0; i < w->n; i++) {
    if (!isfinite(w->x[i])) { /* fmax would pass over it */
      *size = NAN;
      break;
    }
    *size = fmax(*size, fabs(w->x[i]));
  }
  return TN_OK;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* The size that displacements have had. Where bodies carry nodes, displacements are differences of places, whose rounding is
 * that of the places. */
static double moved(const tni_rest *w, const double *q) {
  const tni_parts *p = w->s->parts;
  double size = 0;
  for (int i = 0; p && i < p->n; i++)
    if (p->part[i].ncarrier > 0) size = fmax(size, p->part[i].size);
  for (int i = 0; size > 0 && i < w->s->nbody; i++) size = fmax(size, largest(q + w->s->layout->qadr[i], 3));
  return p ? fmax(largest(q + p->q0, p->nv), PLACES*size) : 0;
}

/* extent of the largest part whose strains are differences of places */
static double extent_of_large(const tni_data *s) {
  double size = 0;
  for (int i = 0; s->parts && i < s->parts->n; i++)
    if (!s->parts->part[i].linear) size = fmax(size, s->parts->part[i].size);
  return size;
}

static tn_status refuse_free(const tni_data *s);

tn_status tni_rest_factor(tni_rest *w, const double *A, bool indefinite, int *negative) {
  tni_rest_report rep = {0};
  TN_TRY(need_matrix(w));
  memcpy(w->K, A, (size_t)w->s->square->nnz*sizeof(double));
  w->decided = w->symmetric = true;
  w->indefinite = indefinite;
  if (w->shifted != indefinite) tni_sparse_solver_destroy(&w->lu);
  w->shifted = indefinite;
  tn_status st = factor_held(w, &rep);
  *negative = rep.negative;
  return st;
}

tn_status tni_rest_rate(tni_rest *w, double t, const double *q, const double *lambda, double *dq, double *dlambda) {
  tni_rest_report rep = {0};
  double size;
  TN_TRY(refuse_free(w->s));
  TN_TRY(factor(w, t, q, lambda, true, &rep));
  memcpy(w->r, w->f_t, (size_t)w->n*sizeof(double));
  if (w->m > 0) tni_eval_rate(w->s, t, q, w->zero, w->phi);
  newton(w, &size);
  memcpy(dq, w->x, (size_t)w->n*sizeof(double));
  if (w->m > 0) memcpy(dlambda, w->x + w->n, (size_t)w->m*sizeof(double));
  return isfinite(size) ? TN_OK : TN_FAIL(w->s->ctx, TN_SINGULAR, "the equilibrium at t = %g has no direction in which it moves on", t);
}

bool tni_rest_residual(tni_rest *w, double t, const double *q, double *norm, double *size) {
  state now;
  bool fine = evaluate(w, t, q, NULL, &now);
  *norm = now.norm;
  *size = now.size;
  return fine;
}

tn_status tni_rest_linearize(tni_rest *w, double t, const double *q, tni_rest_report *rep) {
  memset(rep, 0, sizeof(*rep));
  rep->worst = -1;
  TN_TRY(factor(w, t, q, NULL, true, rep));
  for (int i = 0; i < w->n; i++)
    if (fabs(w->r[i]) > rep->largest) rep->largest = fabs(w->r[i]), rep->worst = i;
  TN_REQUIRE(w->s->ctx, w->lu, TN_ERR_UNSUPPORTED, "arc_length needs factors of the whole stiffness: solver fronts or mumps, and memory for them");
  return TN_OK;
}

tn_status tni_rest_solutions(tni_rest *w, double *a, double *b) {
  size_t bytes = (size_t)w->n*sizeof(double);
  double size;
  TN_TRY(newton(w, &size));
  memcpy(a, w->x, bytes);
  memcpy(b, w->f_t, bytes);
  tni_rest_apply(w, b);
  for (int i = 0; i < w->n; i++) b[i] = -b[i];
  return TN_OK;
}

const double *tni_rest_load_rate(const tni_rest *w) { return w->f_t; }

/* (K + e W + P) v_k + C^T l = e W v_k-1 + P z_k,   C v_k = -Phi_t
 * W: of what may change. Once is not enough: bending of a slender bar resists less than e W. Every round takes e/(e + k) of what strains
 * away, k the stiffness of that motion by W, and leaves alone what strains nothing. P holds what is given, and z_k, what was given and
 * all that has been missed so far, brings it there. */
static tn_status least_strain(tni_rest *w, double t, const double *q, const double *weight, const bool *given, double *v, double *strain) {
  static const double LIGHT = 1e-9; /* of the stiffness */
  static const double SETTLED_V = 1e-12, NEARLY = 1e-9, FIRM = 100;
  enum { ROUNDS = 200 };
  tni_data *s = w->s;
  tni_rest_report rep = {0};
  double most = 0, *K, *v0, *hold, *y;
  TN_TRY(need_matrix(w));
  TNI_ARENA_NEW(&w->arena, K, s->square->nnz);
  TNI_ARENA_NEW(&w->arena, v0, w->n);
  TNI_ARENA_NEW(&w->arena, hold, w->n);
  TNI_ARENA_NEW(&w->arena, y, w->n);
  tni_sparse_tangent tangent = {.r_q = w->K, .C = w->m ? w->C : NULL, .elastic = true};
  TN_TRY(tni_eval_sparse_tangent(s, t, q, NULL, NULL, NULL, &tangent));
  memcpy(K, w->K, (size_t)s->square->nnz*sizeof(double));
  memcpy(v0, v, (size_t)w->n*sizeof(double));
  tni_sparse_add(s->square, 1, K, v, y);
  double before = cblas_ddot(w->n, v, 1, y, 1);
  for (int i = 0; i < w->n; i++)
    if (weight[i] > 0) most = fmax(most, fabs(w->K[tni_sparsity_find(s->square, i, i)])/weight[i]);
  double e = LIGHT*(most > 0 ? most : 1);
  for (int i = 0; i < w->n; i++) {
    double *d = &w->K[tni_sparsity_find(s->square, i, i)];
    hold[i] = given[i] ? FIRM*fmax(fabs(*d), e*weight[i]) : e*weight[i];
    *d += hold[i];
  }
  w->shifted = true;
  TN_TRY(factor_held(w, &rep));
  if (w->m > 0) tni_eval_rate(s, t, q, w->zero, w->phi);
  double size, change = HUGE_VAL, *z = w->f_t;
  memcpy(z, v0, (size_t)w->n*sizeof(double));
  for (int k = 0; k < ROUNDS; k++) {
    double last = change;
    for (int i = 0; i < w->n; i++) w->r[i] = -hold[i]*(given[i] ? z[i] : v[i]);
    newton(w, &size);
    if (!isfinite(size)) return TN_SINGULAR;
    change = 0;
    for (int i = 0; i < w->n; i++) {
      change = fmax(change, fabs(w->x[i] - (given[i] ? v0[i] : v[i])));
      if (given[i]) z[i] += v0[i] - w->x[i];
    }
    memcpy(v, w->x, (size_t)w->n*sizeof(double));
    if (change <= SETTLED_V*size || (k > 2 && change > 0.9*last && change <= NEARLY*size)) break; /* the rest is rounding */
  }
  if (change > 1e3*NEARLY*size) return TN_SINGULAR; /* pressed structures: some motion lowers the energy */
  for (int i = 0; i < w->n; i++)
    if (given[i]) v[i] = v0[i];
  memset(y, 0, (size_t)w->n*sizeof(double));
  tni_sparse_add(s->square, 1, K, v, y);
  *strain = before > 0 ? sqrt(fmax(cblas_ddot(w->n, v, 1, y, 1), 0)/before) : 0;
  return TN_OK;
}

tn_status tni_rest_velocities(tni_data *s, double t, const double *q, const double *weight, const bool *given, double *v, double *strain) {
  tni_rest *w;
  bool still = s->parts && s->parts->still;
  TN_TRY(tni_rest_create(s, &w));
  tn_status st = least_strain(w, t, q, weight, given, v, strain);
  tni_rest_destroy(&w);
  if (s->parts) s->parts->still = still;
  return st;
}

/* One step was enough, and the factors are those of its beginning, where constraints had no forces yet: stability is judged with them. */
static tn_status judge(tni_rest *w, double t, const double *q, const double *lambda, tni_rest_report *rep) {
  tn_status st = factor(w, t, q, lambda, false, rep);
  w->factored = st == TN_OK;
  w->negative = rep->negative;
  if (st == TN_SINGULAR) rep->negative = -1; /* neither stable nor unstable: the equilibrium is there all the same, rep->free tells */
  return st == TN_SINGULAR ? TN_OK : st;
}

/* Iterations by domains say nothing of signs: a column beyond its critical load has its equilibrium, by domains that are stable each. */
static tn_status judge_domains(tni_rest *w, double t, const double *q, tni_rest_report *rep) {
  int own;
  bool counted;
  tn_status st = tni_rest_cut_judge(w->cut, t, q, &own, &counted);
  if (counted) w->cut_factored = false;
  if (st == TN_SINGULAR) own = -1; /* neither stable nor unstable */
  else TN_TRY(st);
  if (!w->border) rep->negative = own;
  else if (own < 0) rep->negative = -1;
  else if (rep->negative >= 0) rep->negative += own;
  return TN_OK;
}

/* Newton's method at t from q, lambda in place. first: the factors at q are there, and this step is taken at once. */
static tn_status iterate(tni_rest *w, double t, double *q, double *lambda, const tni_rest_opts *o, bool factored,
                         tni_rest_report *rep, bool *done) {
  tni_data *s = w->s;
  state now;
  double before = HUGE_VAL, step = HUGE_VAL, first = 0;
  int most = o->max_iterations ? o->max_iterations : ITERATIONS, poor = 0;
  double tol = o->tolerance > 0 ? o->tolerance : TOLERANCE;
  bool linear = tni_system_is_linear(s);
  *done = false;
  for (int k = 0;; k++) {
    if (!evaluate(w, t, q, lambda, &now)) return TN_OK;
    if (k == 0) first = now.size;
    double relative = now.size > 0 ? now.norm/now.size : now.norm;
    bool stays = k > 2 && now.norm > 0.5*before;
    w->hidden = step <= KNOWN*extent_of_large(s);
    bool settled = step <= SETTLED*fmax(moved(w, q), DBL_MIN) || (stays && relative <= (w->hidden ? HIDDEN : STALLED));
    /* what warms up freely ends without forces of elements: it began with them */
    settled = settled || (stays && w->hidden && now.norm <= tol*first);
    if ((now.gap <= 1e-9 && (relative <= tol || settled)) || now.norm == 0) {
      rep->residual = relative;
      rep->largest = 0;
      rep->worst = -1;
      for (int i = 0; i < w->n; i++)
        if (fabs(w->r[i]) > rep->largest) rep->largest = fabs(w->r[i]), rep->worst = i;
      *done = true;
      if (k == 0 ? !w->factored && !w->cut : k == 1 && w->m > 0 && !linear) TN_TRY(judge(w, t, q, lambda, rep)); /* nothing to do: as stable as it is */
      if (w->cut) TN_TRY(judge_domains(w, t, q, rep));
      return w->factored ? find_free(w, FREE_LEAST, rep) : TN_OK;
    }
    if (k == most) return TN_OK;
    poor = now.norm > before ? poor + 1 : 0;
    if (poor > 3) return TN_OK;
    before = now.norm;
    if (!factored || (k > 0 && !linear)) {
      tn_status st = factor(w, t, q, lambda, false, rep);
      if (st == TN_SINGULAR && k > 0) return TN_OK;
      TN_TRY(st);
      factored = w->factored = true;
      w->negative = rep->negative;
    }
    tn_status solved = newton(w, &step);
    if (solved == TN_NOT_CONVERGED && k > 0) return TN_OK; /* a shorter step of the load may do */
    TN_TRY(solved);
    if (!isfinite(step)) return TN_OK;
    rep->iterations++;
    tni_retract(s, q, w->x, q);
    for (int i = 0; i < w->m; i++) lambda[i] += w->x[w->n + i];
    if (s->ctx->interrupted) return TN_FAIL(s->ctx, TN_INTERRUPTED, "stopped while looking for an equilibrium");
  }
}

/* along the path from t0 to t with the tangent there, then Newton's method; *done: arrived */
static tn_status step_to(tni_rest *w, const double *from, double t, double *q, double *lambda, const tni_rest_opts *o,
                         tni_rest_report *rep, bool *done) {
  tni_data *s = w->s;
  bool linear = tni_system_is_linear(s);
  if (!from && o->keep_factors && linear && w->factored) {
    rep->negative = w->negative;
    rep->symmetric = w->symmetric;
    return iterate(w, t, q, lambda, o, true, rep, done);
  }
  if (!from) return iterate(w, t, q, lambda, o, false, rep, done);
  state now;
  double size;
  *done = false;
  TN_TRY(factor(w, *from, q, lambda, true, rep));
  if (!evaluate(w, *from, q, lambda, &now)) return TN_OK;
  for (int i = 0; i < w->n; i++) w->r[i] += w->f_t[i]*(t - *from);
  if (w->m > 0) {
    tni_eval_rate(s, *from, q, w->zero, w->phi);
    for (int i = 0; i < w->m; i++) w->phi[i] *= t - *from;
  }
  TN_TRY(newton(w, &size));
  if (!isfinite(size)) return TN_OK;
  rep->iterations++;
  tni_retract(s, q, w->x, q);
  for (int i = 0; i < w->m; i++) lambda[i] += w->x[w->n + i];
  /* of a linear structure the factors are good everywhere */
  return iterate(w, t, q, lambda, o, linear, rep, done);
}

/* A linear structure by domains that fit in the mean only: one solution from rest, whose residual is what it is. */
static tn_status approximate(tni_rest *w, double t, double *q, tni_rest_report *rep) {
  tni_data *s = w->s;
  state now;
  double size;
  memset(q + s->parts->q0, 0, (size_t)s->parts->nv*sizeof(double));
  TN_REQUIRE(s->ctx, evaluate(w, t, q, NULL, &now), TN_NOT_CONVERGED, "the forces at t = %g are not finite", t);
  TN_TRY(factor(w, t, q, NULL, false, rep));
  TN_TRY(newton(w, &size));
  rep->iterations++;
  tni_retract(s, q, w->x, q);
  TN_REQUIRE(s->ctx, isfinite(size) && evaluate(w, t, q, NULL, &now), TN_NOT_CONVERGED, "no equilibrium found at t = %g", t);
  rep->residual = now.size > 0 ? now.norm/now.size : now.norm;
  for (int i = 0; i < w->n; i++)
    if (fabs(w->r[i]) > rep->largest) rep->largest = fabs(w->r[i]), rep->worst = i;
  TN_TRY(judge_domains(w, t, q, rep));
  const char *wrong = tni_system_settle(s, t, q, w->zero, w->g);
  TN_REQUIRE(s->ctx, !wrong, TN_ERR_UNSUPPORTED, "force '%s' switches as the load comes on, which a solver with few forces between domains does "
             "not follow; take solver feti, or mumps", wrong);
  tni_system_commit_rest(s, t, q, w->zero);
  return TN_OK;
}

/* what geometry says is free, before rounding can hide it */
static tn_status refuse_free(const tni_data *s) {
  for (int i = 0; s->parts && i < s->parts->n; i++) {
    const tni_part *p = &s->parts->part[i];
    if (p->nfree > 0)
      return TN_FAIL(s->ctx, TN_SINGULAR, "structure '%s' is not held: %d rigid motion%s: %s; add supports", p->name, p->nfree,
                     p->nfree == 1 ? "" : "s", p->free_names);
  }
  return TN_OK;
}

tn_status tni_rest_solve(tni_rest *w, const double *from, double t, double *q, double *lambda,
                         const tni_rest_opts *opts, tni_rest_report *rep) {
  static const tni_rest_opts usual = {0};
  tni_data *s = w->s;
  size_t nq = (size_t)s->nq*sizeof(double), m = (size_t)w->m*sizeof(double);
  const tni_rest_opts *o = opts ? opts : &usual;
  int most = o->max_cuts ? o->max_cuts : CUTS, cuts = 0;
  double at = from ? *from : t, h = t - at;
  bool start = from != NULL;
  memset(rep, 0, sizeof(*rep));
  rep->worst = rep->negative = -1;
  TN_TRY(refuse_free(s));
  if (w->cut && tni_rest_cut_is_approximate(w->cut)) return approximate(w, t, q, rep);
  for (;;) {
    double to = start ? at + h : t;
    bool done;
    if (start && fabs(t - to) < 1e-9*fabs(t - *from)) to = t;
    tni_state_keep(&w->kept, s, at, q, NULL);
    if (m) memcpy(w->lambda, lambda, m);
    tn_status st = step_to(w, start ? &at : NULL, to, q, lambda, o, rep, &done);
    if (st != TN_OK) return st;
    /* one-sided springs, stops and contacts were what they are at the beginning: from here on with those that are right here */
    for (int k = 0; done && tni_system_settle(s, to, q, w->zero, w->g); k++) {
      done = false;
      w->factored = false;
      if (k < MODES) TN_TRY(step_to(w, NULL, to, q, lambda, o, rep, &done));
    }
    if (done) {
      tni_system_commit_rest(s, to, q, w->zero);
      TN_TRY(tni_system_refuse_latches(s, to, q, w->zero, w->kept.memory));
      if (!start || to == t) return TN_OK;
      at = to;
      if (cuts > 0 && rep->iterations < 8) h *= 2, cuts--;
      if ((t - at)*h < 0 || fabs(h) > fabs(t - at)) h = t - at;
      continue;
    }
    memcpy(q, w->kept.q, nq);
    if (m) memcpy(lambda, w->lambda, m);
    tni_memory_restore(s, w->kept.memory);
    TN_TRY(tni_parts_trouble(s) == TN_SINGULAR && (!start || cuts == most) ? TN_NOT_CONVERGED : TN_OK);
    if (!start || cuts == most)
      return TN_FAIL(s->ctx, TN_NOT_CONVERGED, "no equilibrium found at t = %g%s", to,
                     w->hidden ? ": it moves the structure by so little that rounding of places hides it; 'formulation: small' knows no places"
                     : start ? ": the load may be beyond what the structure carries; 'arc_length: true' goes past limit points"
                           : "; apply the load in steps: 'load_steps', with loads that grow with t");
    cuts++;
    rep->cuts++;
    h *= 0.5;
  }
}

tn_status tni_rest_expect(tni_rest *w, double *bytes, double *factor, double *flops) {
  tni_data *s = w->s;
  *bytes = *factor = *flops = 0;
  if (w->m > 0) return TN_OK;
  if (!w->lu) {
    tni_sparse_opts o = {.backend = "fronts", .symmetric = true, .least = NO_PIVOT, .reason = "positive definite", .node = w->node};
    TN_TRY(tni_sparse_solver_create(s->ctx, w->n, s->square->rowptr, s->square->col, &o, &w->lu));
  }
  *factor = tni_sparse_solver_bytes(w->lu);
  *flops = tni_sparse_solver_flops(w->lu);
  /* pattern and K */
  if (*factor > 0) *bytes = *factor + (sizeof(int) + sizeof(double))*(double)s->square->nnz;
  return TN_OK;
}

const char *tni_rest_foresee(tni_rest *w, double factor, char *why, size_t n) {
  double limit = allowed(w);
  bool fits = !(limit > 0) || factor <= limit;
  static const char *const matrix[] = {"", "; matrix: elements", "; matrix: free"};
  if (!w->asked && !fits && !w->by_elements && shrink(w) != TN_OK) w->by_elements = false;
  const char *of = matrix[!w->by_elements ? 0 : w->how.keeps ? 1 : 2];
  if (w->asked) snprintf(why, n, "as written%s", of);
  else snprintf(why, n, "factors need %.4g MB, %.4g are allowed%s", 1e-6*factor, 1e-6*limit, of);
  return w->asked ? w->asked : fits ? "fronts" : "pcg";
}

tn_status tni_rest_cut_into(tni_rest *w, const tni_rest_cut_opts *opts) {
  tni_rest_border_destroy(&w->border);
  tni_rest_cut_destroy(&w->cut);
  w->cut_factored = false;
  if (!opts) return TN_OK;
  TN_TRY(tni_rest_cut_create(w->s, opts, &w->cut));
  return tni_rest_border_create(w->s, &w->border);
}

void tni_rest_use(tni_rest *w, const char *solver, double memory, const tni_rest_elements_opts *elements) {
  w->asked = solver;
  w->memory = memory;
  w->by_elements = elements != NULL;
  if (!elements) return;
  w->how = *elements;
  w->how.tolerance = CONJUGATE;
}

void tni_rest_describe(const tni_rest *w, char *out, size_t n) {
  if (w->cut) {
    tni_rest_cut_describe(w->cut, out, n);
    size_t at = strlen(out);
    int unknowns, solutions;
    if (!w->border || at >= n) return;
    tni_rest_border_sizes(w->border, &unknowns, &solutions);
    snprintf(out + at, n - at, "; around them %d unknowns of bodies and joints, %d of which touch", unknowns, solutions);
    return;
  }
  if (w->elements) {
    tni_rest_elements_describe(w->elements, out, n);
    size_t at = strlen(out);
    if (w->small && at < n) snprintf(out + at, n - at, "; %s", w->short_of);
    return;
  }
  if (w->saddle) tni_saddle_describe(w->saddle, out, n);
  else if (w->lu) tni_sparse_solver_describe(w->lu, out, n);
  else snprintf(out, n, "nothing to solve");
}

long tni_rest_nnz(const tni_rest *w) {
  if (w->cut) return tni_rest_cut_nnz(w->cut);
  return w->saddle ? tni_saddle_nnz(w->saddle) : w->lu ? tni_sparse_solver_nnz(w->lu) : 0;
}
