/* integrators/descriptor.h - one engine for implicit one-step methods on the whole system
 *
 * No coordinates are eliminated: unknowns are the accelerations of all bodies and all multipliers,
 * the matrices are sparse, and a step costs work proportional to the number of bodies.
 *
 * Within a step the configuration is q = retract(q_0, x): x [nv] are local coordinates around its
 * beginning, a vector space also where rotations do not form one. x' = T^-1(x) v.
 *
 * A method advances (x, v) over a step with the services below and estimates its error; the engine
 * does the rest: tangents, matrix, projection at the end, accelerations and multipliers there, step
 * size, quadratures, dense output, restart.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DESCRIPTOR_H
#define TNI_DESCRIPTOR_H

#include "integrators/control.h"
#include "integrators/quadrature.h"

typedef struct tni_descriptor tni_descriptor;

typedef struct tni_descriptor_formula {
  int order, error_order;   /* the estimate behaves like h^(error_order+1)                       */
  double bodies; /* weight of the error as bodies show it, beside its mean over all components; 0: that alone */
  bool adds_up;  /* errors count more in long runs: tni_adding_up                                */
  double newton; /* part of what Newton's iteration may leave usually; 0: all of it              */
  double mass, gamma, beta; /* matrix mass*M + gamma h D + beta h^2 K                            */
  int nwork, nrows;         /* vectors [nv] and [m] that the formula needs                       */
  int nkeep, nkeep_rows;    /* vectors [nv] and [m] that it keeps from step to step              */
  bool place_error;         /* velocities that are wrong because the place is count in the error    */
  bool is_complex;          /* a second, complex matrix, given by `second`                       */
  double second[2];         /* its gamma; beta is the square                                     */
  const tni_collocation *points; /* where forces balance, which makes `inside.stiff`; or NULL    */
  /* options, constants; may be NULL */
  tn_status (*setup)(tni_descriptor *d);
  /* kept vectors at a start; may be NULL */
  void (*start)(tni_descriptor *d);
  /* x1, v1 and their errors ex, ev from x = 0 and the state at t. An outcome > 0 comes with its
   * cause. */
  tn_status (*advance)(tni_descriptor *d, double h, tni_cause *cause);
  /* the step was accepted with the accelerations a_new at its end; may be NULL */
  void (*accepted)(tni_descriptor *d, double h);
  /* (x, v) at t + theta h inside the last step; NULL: polynomial of the ends */
  void (*dense)(tni_descriptor *d, double h, double theta, double *x, double *v);
} tni_descriptor_formula;

struct tni_descriptor {
  tni_integrator base;
  const tni_descriptor_formula *formula;
  tni_descriptor_formula own; /* a copy, for formulas with parameters                          */
  double parameter[2];        /* what such a formula needs itself                              */
  tni_scale scale;
  int nturn, *turn;      /* rotations: three consecutive components of x each                  */
  double h, err_old;     /* proposal, controller memory                                        */
  bool fresh;            /* tangents are those of the state at t                               */
  bool constant;         /* tangents are the same everywhere (tni_system_is_linear)            */
  bool usable;           /* there are tangents, of this state or a recent one                  */
  double h_factored;     /* step that the factors belong to, 0: none                           */
  bool near;             /* the attempt is made with care, see integrators/near.c              */
  bool followed;         /* tangents are those of an iterate, see tni_descriptor_follow        */
  bool lacks;            /* residuals are what accelerations lack, not forces                  */
  bool tired;            /* all other lengths of the step have been tried                      */
  double kappa;          /* of the tolerance that Newton's iteration may leave                 */
  double noise;          /* corrections that rounding may ask for, in units of the tolerance; 0: few */
  double contraction;    /* slowest of the last attempt                                        */
  bool tree;             /* the system eliminates the matrix itself, and none of these is there   */
  double *scaled;        /* [4][nv] scratch                                                    */
  double t_at, *q_at, *v_at, *a_at; /* state of the tangents of a tree, of domains             */
  double *M, *D, *K;     /* tangents of the residual, on the patterns of the system            */
  double *C, *Cv_q;
  double *W, *Wz;        /* matrix values                                                      */
  tni_saddle *lu, *luz;
  struct tni_rest_cut *cut; /* instead of lu and across: factors by domains; NULL: none         */
  tni_saddle *lu_position; /* without rows that only bind velocities; NULL: no such rows        */
  bool *has_position;      /* [m]                                                              */
  tni_saddle *across;      /* the same for stages with care: columns of the beginning           */
  double *C_stage;         /* rows of such a stage                                             */
  double *a_stage;         /* [nv] its accelerations                                           */
  tni_state old;         /* beginning of the last step                                         */
  double *x1, *v1, *ex, *ev;         /* [nv]                                                   */
  tni_state next;        /* end of an attempt                                                  */
  double zdot_new[TNI_NZ];
  double *q_stage, *b, *bz;          /* scratch; b [nv + m], bz [2 (nv + m)]                   */
  double *work, *rows, *keep, *keep_rows;
  double *r, *phi, *rate, *gap;      /* residuals                                              */
  double *size0, *size1, *dx, *dv;   /* [nv]                                                   */
  double *bend, *alpha, *beta;       /* [nv] dense output                                      */
  bool has_dense;
  bool first;            /* no step yet since the start: nothing kept                          */
  double zdot[TNI_NZ], zdot_middle[TNI_NZ];
  tni_quadrature work_done;
  tni_quadrature_inside inside;
};

static inline double *tni_descriptor_work(const tni_descriptor *d, int k) {
  return d->work + (size_t)k*(size_t)d->base.s->nv;
}
static inline double *tni_descriptor_rows(const tni_descriptor *d, int k) {
  return d->rows + (size_t)k*(size_t)d->base.s->m;
}
static inline double *tni_descriptor_keep(const tni_descriptor *d, int k) {
  return d->keep + (size_t)k*(size_t)d->base.s->nv;
}
static inline double *tni_descriptor_keep_rows(const tni_descriptor *d, int k) {
  return d->keep_rows + (size_t)k*(size_t)d->base.s->m;
}

/* xd = T^-1(x) v */
void tni_descriptor_rate(const tni_descriptor *d, const double *x, const double *v, double *xd);

/* q_stage of x; TN_STEP_REJECTED when it is not finite or a rotation exceeds half a turn */
tn_status tni_descriptor_place(tni_descriptor *d, const double *x, tni_cause *cause);

/* residuals r, phi, rate, gap at the state x, v with accelerations a; TN_STEP_REJECTED when a
 * rotation exceeds half a turn */
tn_status tni_descriptor_residual(tni_descriptor *d, double t, const double *x, const double *v,
                                  const double *a, const double *lambda, tni_cause *cause);

/* One stage of a diagonally implicit formula: unknown a, lambda with
 *
 *   v = v_known + gamma h a + cv,   x = x_known + gamma h T^-1(x) v + cx
 *   M a + C^T lambda = f,  C a = gamma,  Phi = 0,  C v + Phi_t = 0     at t
 *
 * cx, cv are across the constraints, along directions that stay the same for the whole step, so
 * that the motion along the constraints follows the formula exactly. All are guesses on entry. */
typedef struct tni_stage {
  const double *x_known, *v_known;
  double *a, *lambda, *cx, *cv;
  double *x, *v, *xd; /* results */
} tni_stage;
tn_status tni_descriptor_stage(tni_descriptor *d, double t, double h, const tni_stage *g,
                               tni_cause *cause);

/* A stage with care (integrators/near.c): x, v are led onto the constraints across them, by dx, dv;
 * a_stage, lambda are the accelerations and multipliers there. */
tn_status tni_descriptor_settle(tni_descriptor *d, double t, double *x, double *v, double *dx,
                                double *dv, double *lambda, tni_cause *cause);
/* right side (M e; C e) of Newton's matrix, e = a_stage - a: f [nv], g [m] */
void tni_descriptor_lack(tni_descriptor *d, const double *a, double *f, double *g);
/* what of dx, dv is along the constraints of the stage settled last */
void tni_descriptor_along(tni_descriptor *d, double *dx, double *dv);

/* changes across the constraints: C cx = -phi, C cv + (C v + Phi_t)_q cx = -rate */
void tni_descriptor_corrections(tni_descriptor *d, const double *phi, const double *rate,
                                double *cx, double *cv);
/* b [nv + m] := W^-1 b, W Newton's matrix with the rows C */
void tni_descriptor_solve(tni_descriptor *d, double *b);
/* the same with the second, complex matrix, b in pairs */
void tni_descriptor_solve_complex(tni_descriptor *d, double *b);
/* y += fK K x + fD D v + fM M a, any of them NULL */
void tni_descriptor_multiply(tni_descriptor *d, double fK, const double *x, double fD, const double *v,
                             double fM, const double *a, double *y);
/* out := -(r + K cx + D cv) */
void tni_descriptor_force(tni_descriptor *d, const double *cx, const double *cv, double *out);

/* size of a change in units of the tolerance at the beginning of the step */
double tni_descriptor_norm(tni_descriptor *d, const double *dx, const double *dv, int *worst);

/* Newton's progress (integrators/control.h), counted, and its contraction watched */
tni_newton tni_descriptor_progress(const tni_descriptor *d);
tn_status tni_descriptor_newton(tni_descriptor *d, tni_newton *n, double size, tni_cause *cause);

/* (1 - gamma h G)^-1 (ex, ev), G the linearised equations of motion on the constraints: the error
 * of stiff components is damped */
void tni_descriptor_filter(tni_descriptor *d, double h, double *ex, double *ev);

/* Error (ex, ev) of a formula of order 2 with the accelerations a1 at its end and v1: a quarter of
 * h (v1 - v0) along the constraints and of h (a1 - a0), as if it were of first order; filtered
 * unless the step is the first, where stiff components really move. */
/* tangents and factors where a stage of a step h has been placed last, for an iteration that does not come on with those of its start;
 * they are not kept for the next step */
tn_status tni_descriptor_follow(tni_descriptor *d, double t, double h, const double *v, const double *a, const double *lambda);
/* a := (M + b s^2 K)^-1 M a with the matrix of a step s = part*h, without damping: fast modes go. Systems without constraints. */
tn_status tni_descriptor_soften(tni_descriptor *d, double h, double part, double *a);
void tni_descriptor_first_order(tni_descriptor *d, double h, const double *a0, const double *a1);

tn_status tni_descriptor_create(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                                const tni_integrator_type *type,
                                const tni_descriptor_formula *formula, tni_integrator **out);
void tni_descriptor_destroy(tni_integrator *it);
tn_status tni_descriptor_start(tni_integrator *it, double t, const double *q, const double *v,
                               const double *z);
tn_status tni_descriptor_step(tni_integrator *it);
/* what dense output needs of the last step, for formulas without one of their own */
void tni_descriptor_make_dense(tni_descriptor *d);
void tni_descriptor_interpolate(tni_integrator *it, double t, double *q, double *v, double *z);
int tni_descriptor_nstate(const tni_integrator *it);
/* matrices, pivots and the smallest step of earlier steps: the next start is as the first one */
void tni_descriptor_forget(tni_integrator *it);
tn_status tni_descriptor_save(tni_integrator *it, double *state);
tn_status tni_descriptor_load(tni_integrator *it, const double *state);
void tni_descriptor_describe(const tni_integrator *it, char *out, size_t n);

/* Largest rate of the model at the state of the last start, an estimate; 0: unknown */
double tni_descriptor_model_rate(tni_integrator *it);

#define TNI_DESCRIPTOR_OPS                                                                     \
  .needs_tangent = true, .destroy = tni_descriptor_destroy, .start = tni_descriptor_start,     \
  .step = tni_descriptor_step, .interpolate = tni_descriptor_interpolate,                      \
  .nstate = tni_descriptor_nstate, .save = tni_descriptor_save, .load = tni_descriptor_load,    \
  .describe = tni_descriptor_describe

#endif
