/* linsolve/solver.h - what the solvers of the block-structured system share
 *
 * A solver is one file with an operation table; kkt.c lists the tables.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SOLVER_H
#define TNI_SOLVER_H

#include "linsolve/kkt.h"

typedef struct tni_kkt_ops {
  const char *name;
  /* analyze the pattern; sets s->state and s->info, allocates from s->arena */
  tn_status (*create)(tni_kkt_solver *s);
  /* free what is not in the arena; may be NULL. state may be half built or NULL */
  void (*destroy)(tni_kkt_solver *s);
  /* as tni_kkt_factor; sets s->bad_row, s->pivot_ratio */
  tn_status (*factor)(tni_kkt_solver *s);
  /* as tni_kkt_solve without refinement */
  void (*solve)(tni_kkt_solver *s, const double *f, const double *g, double *x, double *lambda);
  /* both in one pass; NULL: one after the other */
  tn_status (*factor_solve)(tni_kkt_solver *s, const double *f, const double *g, double *x,
                            double *lambda);
} tni_kkt_ops;

struct tni_kkt_solver {
  tn_ctx *ctx;
  const tni_kkt *K;
  tni_kkt_opts opts;
  tni_arena arena; /* everything that lives as long as the solver */
  const tni_kkt_ops *ops;
  void *state;
  tni_kkt_info info;
  int bad_row;
  double pivot_ratio;
  double *fx, *gl, *dx, *dl; /* residual and correction of the refinement, NULL without */
};

extern const tni_kkt_ops tni_kkt_dense_lu, tni_kkt_sparse_lu, tni_kkt_reduced, tni_kkt_hub,
    tni_kkt_natural, tni_kkt_natural_cg, tni_kkt_compliance_cg, tni_kkt_pieces;

/* Bodies worth keeping as unknowns in the reduced system (hub.c), their number, and the factor of
 * estimated work that this saves. */
tn_status tni_kkt_choose_hubs(const tni_kkt *K, tni_ordering ordering, tni_arena *arena, int **hub,
                              int *nhub, double *gain);

/* the message that belongs to TN_SINGULAR */
tn_status tni_kkt_singular(tni_kkt_solver *s, int row);

#endif
