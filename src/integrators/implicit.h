/* integrators/implicit.h - one engine for the implicit one-step methods on independent coordinates
 *
 * A method advances y'' = g(t, y, y') (integrators/partition.h) from y = 0 over one step and
 * estimates its error; the engine does the rest: matrices, recovery at the end, error norm, step
 * size, quadratures, dense output, restart.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_IMPLICIT_H
#define TNI_IMPLICIT_H

#include "integrators/control.h"
#include "integrators/partition.h"
#include "integrators/quadrature.h"

typedef struct tni_implicit tni_implicit;

typedef struct tni_implicit_formula {
  int order, error_order; /* the estimate behaves like h^(error_order+1)                       */
  double bodies; /* weight of the error as bodies show it, beside its mean over all components; 0: that alone */
  bool adds_up;           /* errors count more in long runs: tni_adding_up                     */
  int nwork;              /* vectors of nd numbers that the formula needs                      */
  int nrows;              /* vectors of m numbers likewise                                     */
  double gamma, beta;     /* matrix Pi = Mhat + gamma h M1 + beta h^2 M2, beta = gamma^2       */
  int damped;             /* first steps after a start that are made by a formula that damps   */
  double damped_gamma;    /* gamma of that one                                                 */
  bool filter;            /* the error estimate wants its stiff components damped              */
  bool carries;           /* ydd1 is the acceleration of the formula, to begin the next step   */
  bool time;              /* the formula wants the derivative by time                          */
  bool keeps;             /* matrices of earlier steps serve as long as Newton's method does not
                             need more iterations than with new ones                           */
  bool whole;             /* descriptor form: all accelerations and multipliers are unknowns   */
  /* y1, yd1 and their errors ey, eyd. An outcome > 0 comes with its cause. */
  tn_status (*advance)(tni_implicit *im, double h, tni_cause *cause);
} tni_implicit_formula;

struct tni_implicit {
  tni_integrator base;
  const tni_implicit_formula *formula; /* is own */
  tni_implicit_formula own;
  tni_scale scale;
  tni_partition p;
  double h, err_old;    /* proposal, controller memory                                      */
  bool rheonomic;       /* constraints depend on time                                       */
  bool ready;           /* matrices belong to the state at t                                */
  bool lacks;           /* descriptor form: stages are solved with accelerations of their place, as it was slow otherwise */
  long newton_fresh;    /* iterations of the last step with new M1, M2                      */
  double *Pi;           /* [nd][nd] factored, column-major; straight: with the system       */
  int *pivot;           /* [nd]                                                             */
  double gamma_now, beta_now; /* of this step                                               */
  bool damped_now;      /* it is one of the first after a start                             */
  double *yd0, *ydd0;   /* [nd] at the beginning of the step; y = 0 there                   */
  double *y1, *yd1, *ydd1, *ey, *eyd; /* [nd]                                               */
  double *carry, *carry_new; /* [nv] acceleration that the formula goes on with             */
  double rate, *rate_y, *rate_yd; /* largest rate of the model, and its direction [nd]      */
  double tol_stage, tol_end; /* of the recovery of dependent coordinates                    */
  double *work;         /* [nwork][nv]                                                      */
  tni_state next;       /* end of an attempt                                                */
  double zdot_new[TNI_NZ];
  double *q_stage, *v_stage, *a_stage;
  double *rows, *gap, *dlambda;    /* [nrows][m], [m], [m] descriptor form                  */
  double *dx, *dv, *size0, *size1; /* [nv]                                                  */
  double *unit_x, *unit_v;         /* [nv] inverse tolerances at the beginning of the step  */
  double *xi1, *xid1, *xidd1;      /* [nv] end of the last step in its own coordinates      */
  double *bend, *alpha, *beta;     /* [nv] dense output of the last step                    */
  bool has_dense;                  /* they belong to it                                     */
  double *xi_in, *xid_in;          /* [nv] state inside the step                            */
  double z_old[TNI_NZ];
  double zdot[TNI_NZ];             /* at t                                                  */
  double zdot_middle[TNI_NZ];      /* of the first step                                     */
  long taken;                      /* steps since the start or the last event               */
  tni_quadrature work_done;        /* rates of the quadratures at earlier ends of steps     */
  tni_quadrature_inside inside;
};

/* vector k of the formula */
static inline double *tni_implicit_work(const tni_implicit *im, int k) {
  return im->work + (size_t)k*(size_t)im->base.s->nv;
}

static inline double *tni_implicit_rows(const tni_implicit *im, int k) {
  return im->rows + (size_t)k*(size_t)im->base.s->m;
}

/* q_stage, v_stage of (t, y, y'), and with them a_stage, y'' and, unless NULL, lambda */
tn_status tni_implicit_recover(tni_implicit *im, double t, const double *y, const double *yd, tni_cause *cause);
tn_status tni_implicit_accel(tni_implicit *im, double t, double *lambda, double *ydd, tni_cause *cause);
/* g at (t, y, y') by recovery of the dependent part */
tn_status tni_implicit_eval(tni_implicit *im, double t, const double *y, const double *yd,
                            double *ydd, tni_cause *cause);
/* x := Pi^-1 x */
void tni_implicit_solve_matrix(tni_implicit *im, double *x);
/* Newton's method of a stage */
static inline tni_newton tni_implicit_newton(const tni_implicit *im) {
  return tni_newton_begin(&im->base.opts, im->formula->order, im->formula->error_order);
}

/* (al - G)(p, v) = (b1, b2), al = 1/(gamma h), G = ((0, 1), (g_y, g_y')), with the factors of Pi;
 * b1 becomes p, b2 becomes v */
void tni_implicit_solve(tni_implicit *im, double h, double *b1, double *b2, double *scratch);

/* size of a correction (y, y') in units of the tolerance at the beginning of the step */
double tni_implicit_norm(tni_implicit *im, const double *y, const double *yd, int *worst);

tn_status tni_implicit_create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                              const tni_integrator_type *type, const tni_implicit_formula *formula,
                              tni_integrator **out);
void tni_implicit_destroy(tni_integrator *it);
tn_status tni_implicit_start(tni_integrator *it, double t, const double *q, const double *v,
                             const double *z);
tn_status tni_implicit_step(tni_integrator *it);
void tni_implicit_interpolate(tni_integrator *it, double t, double *q, double *v, double *z);
int tni_implicit_nstate(const tni_integrator *it);
tn_status tni_implicit_save(tni_integrator *it, double *state);
tn_status tni_implicit_load(tni_integrator *it, const double *state);

#define TNI_IMPLICIT_OPS                                                                       \
  .needs_tangent = true, .variants = true, .destroy = tni_implicit_destroy,                    \
  .start = tni_implicit_start,                                                                 \
  .step = tni_implicit_step, .interpolate = tni_implicit_interpolate,                          \
  .nstate = tni_implicit_nstate, .save = tni_implicit_save, .load = tni_implicit_load

#endif
