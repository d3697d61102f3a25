/* integrators/runge_kutta.h - one engine for all explicit Runge-Kutta methods
 *
 * A method is a table of coefficients; see runge_kutta.c for what is done with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_RUNGE_KUTTA_H
#define TNI_RUNGE_KUTTA_H

#include "integrators/integrator.h"

typedef struct tni_rk_table {
  int nstage;       /* stages k_1..k_s; the derivative at the new state comes after them    */
  int nextra;       /* further stages, evaluated only when dense output is asked for        */
  int ndense;       /* bubbles that dense output adds to the cubic Hermite polynomial       */
  int order;        /* of the advancing formula                                             */
  int error_order;  /* the error estimate behaves like h^(error_order+1)                    */
  const double *c;  /* [nstage]                                                             */
  const double *a;  /* rows 2..nstage of the strictly lower triangle, packed                */
  const double *b;  /* [nstage]                                                             */
  const double *e;  /* [nstage+1] error = h sum e_i k_i, the last one at the new state;
                       NULL: no estimate, fixed steps                                       */
  const double *e2; /* [nstage+1] or NULL: second estimate, of lower order, that steadies e */
  double stable;    /* step times rate beyond which the formula is unstable; the last stage is at
                       the end of the step. 0: stiffness is not watched                     */
  bool adds_up;     /* errors count more in long runs: tni_adding_up */
  double dense_from; /* step times rate from which the error inside a step may exceed that at its end many times;
                       0: it does not                                                       */
  double dense_error; /* error inside a step by the last bubble                              */
  const double *cx; /* [nextra]                                                             */
  const double *ax; /* extra row i has nstage+1+i entries, packed                           */
  const double *d;  /* [ndense][nstage+1+nextra] coefficients of the bubbles                */
} tni_rk_table;

/* the operations of tni_integrator_type, for create bound to the table of a method */
tn_status tni_rk_create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                        const tni_integrator_type *type, const tni_rk_table *table,
                        tni_integrator **out);
void tni_rk_destroy(tni_integrator *it);
tn_status tni_rk_start(tni_integrator *it, double t, const double *q, const double *v,
                       const double *z);
tn_status tni_rk_step(tni_integrator *it);
void tni_rk_interpolate(tni_integrator *it, double t, double *q, double *v, double *z);
int tni_rk_nstate(const tni_integrator *it);
tn_status tni_rk_save(tni_integrator *it, double *state);
tn_status tni_rk_load(tni_integrator *it, const double *state);

#define TNI_RK_OPS                                                                             \
  .destroy = tni_rk_destroy, .start = tni_rk_start, .step = tni_rk_step,                       \
  .interpolate = tni_rk_interpolate, .nstate = tni_rk_nstate, .save = tni_rk_save,             \
  .load = tni_rk_load

/* the tables, for tests of their order conditions */
extern const tni_rk_table tni_rk4_table, tni_rk45_table, tni_rk8_table;

#endif
