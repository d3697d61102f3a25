/* nonlinear/rest_domains.h - equilibria of meshes that are cut into domains
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_REST_DOMAINS_H
#define TNI_REST_DOMAINS_H

#include "domains/engine.h"
#include "domains/feti.h"
#include "domains/feti_reduced.h"
#include "domains/pcg.h"
#include "domains/schur.h"
#include "mesh/decompose.h"
#include "model/part.h"
#include "system/system.h"

typedef enum { TNI_CUT_FETI, TNI_CUT_FETI_DP, TNI_CUT_SCHUR, TNI_CUT_SCHUR_CG, TNI_CUT_PCG, TNI_NCUT_SOLVER,
               /* engines of others (domains/engine.h), over processes */
               TNI_CUT_GAMG = TNI_NCUT_SOLVER, TNI_CUT_BDDC, TNI_CUT_MUMPS, TNI_NCUT_ANY } tni_cut_solver;
extern const char *const tni_cut_solver_names[TNI_NCUT_ANY];

typedef struct tni_rest_cut_opts {
  tni_cut_solver solver;
  int domains;
  tni_cut rule;
  double tolerance;
  bool coarse;              /* pcg: two levels                                                           */
  bool motions;             /* feti: motions of domains alone are its coarse problem, means are not       */
  bool fields;              /* feti with few forces, fields along the seams: an approximation            */
  tni_feti_reduced_opts few;
  const char *alone;        /* group of nodes with forces of their own, NULL: none                       */
  bool moving;              /* matrices will have masses in them                                         */
} tni_rest_cut_opts;

typedef struct tni_rest_cut tni_rest_cut;

/* TN_ERR_UNSUPPORTED: what stands against cutting the structures of a system; what they are made of is looked at when they are cut */
TN_NODISCARD tn_status tni_rest_cut_allowed(tni_data *s, tni_cut_solver solver, bool moving);
/* The structures of the system, cut; ranks that work together (ctx->comm) divide the domains among them. All that follow are called by
 * all ranks alike, and give all of them the same. TN_ERR_UNSUPPORTED: what stands against it. */
TN_NODISCARD tn_status tni_rest_cut_create(tni_data *s, const tni_rest_cut_opts *opts, tni_rest_cut **out);
void tni_rest_cut_destroy(tni_rest_cut **c);
/* matrices at a state, factored: the stiffness, or with masses and damping (v NULL: at rest) */
TN_NODISCARD tn_status tni_rest_cut_factor(tni_rest_cut *c, double t, const double *q);
TN_NODISCARD tn_status tni_rest_cut_factor_sum(tni_rest_cut *c, double t, const double *q, const double *v, const tni_part_sum *sum);
/* Eigenvalues of K + sum.M M below zero, by substructuring, whatever the solver is: -1, nobody tells. Factors from before are gone. */
TN_NODISCARD tn_status tni_rest_cut_negative(tni_rest_cut *c, double t, const double *q, const tni_part_sum *sum, int *negative);
/* The rule of that name; NULL, where the model does not say: best, or file where a mesh comes with its parts. */
tni_cut tni_rest_cut_rule(const tni_data *s, const char *name);
/* domains where the model does not say: as many for every rank, a power of two, of some thousand unknowns; of the rule file all that are written */
int tni_rest_cut_usual(const tni_data *s, tni_cut_solver solver, tni_cut rule, int ranks);

/* What a run takes whose model names no solver; the one place where this is decided, for runs, `check` and `advise`. */
typedef enum { TNI_CUT_OF_STATICS, TNI_CUT_OF_MOTIONS, TNI_CUT_OF_MODES } tni_cut_purpose;
typedef struct tni_cut_choice {
  int solver;     /* -1: every rank solves for the whole */
  int domains;
  char why[300];
} tni_cut_choice;
tni_cut_choice tni_rest_cut_choose(tni_data *s, tni_cut_purpose purpose, tni_cut rule, int ranks);
/* The same of the stiffness, at an equilibrium: none where all structures are linear; -1 also where borders are too many for substructuring to be worth
 * it. *counted: factors from before are gone. TN_SINGULAR: one of them is zero. */
TN_NODISCARD tn_status tni_rest_cut_judge(tni_rest_cut *c, double t, const double *q, int *negative, bool *counted);
/* the solver of that name, own ones and engines of others; -1: none of these */
int tni_cut_solver_named(const char *name);
/* can it work here? TN_ERR_UNSUPPORTED: an engine that is not there */
TN_NODISCARD tn_status tni_cut_solver_there(tn_ctx *ctx, tni_cut_solver solver);
/* x [nv] := K^-1 x */
TN_NODISCARD tn_status tni_rest_cut_solve(tni_rest_cut *c, double *x);
bool tni_rest_cut_is_approximate(const tni_rest_cut *c);
long tni_rest_cut_nnz(const tni_rest_cut *c);
void tni_rest_cut_describe(const tni_rest_cut *c, char *out, size_t n);

#endif
