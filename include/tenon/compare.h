/* tenon/compare.h - every integration method on one model, against a tight reference
 *
 * Each method runs at each tolerance; a run is a row: what error it obtained and what that cost.
 *
 *   error    at ntime equally spaced times the largest over all bodies and components of
 *              |x - x_ref|/(1 + |x_ref|)   positions of the centre of mass [m], velocities [m/s],
 *                                          angular velocities [rad/s], ground axes
 *              angle/2                     of the rotation from the reference to the body [rad]
 *            and the largest of these over the times: the scale in which the tolerance is asked,
 *            with the length 1 of Euler parameters as the size of a rotation.
 *   CPU      time and counters of the steps alone, without setting up and without looking at the
 *            solution at the compared times; short runs are repeated and the fastest counts.
 *
 * A method that cannot treat the model, fails, or takes longer than the limit is a row that says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_COMPARE_H
#define TN_COMPARE_H

#include <tenon/analysis.h>
#include <tenon/plot.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TN_COMPARE_DONE = 0,
  TN_COMPARE_REFUSED, /* the method cannot treat the model; `why` has the reason  */
  TN_COMPARE_FAILED,  /* it gave up; `why` has its message                        */
  TN_COMPARE_CUT      /* limit of CPU time reached at t_end                       */
} tn_compare_outcome;

typedef struct {
  char method[32];
  char representation[16]; /* "cartesian", "joint"; "" when it did not start                    */
  double tolerance;
  double step;           /* fixed-step methods: the step taken [s]; 0: adaptive                 */
  tn_compare_outcome outcome;
  char why[512];         /* reason, or what auto chose; "" when there is nothing to say           */
  double t_end;          /* time reached                                                        */
  double error;          /* the larger of the next two; NaN unless done                         */
  double position_error, velocity_error; /* rotations count as positions, their rates as velocities */
  long steps, rejected, newton, jacobians, factorizations, accelerations;
  double cpu;            /* seconds                                                             */
  long nhistory;         /* accepted steps kept: all, or every second, fourth ... of very many  */
  const double *history_t, *history_h; /* [nhistory] ends and sizes [s]                         */
} tn_compare_row;

/* the run that all others are measured against */
typedef struct {
  char method[32], check[160]; /* check: the run it was compared with, "adams at 1e-08"; of several
                                  the one that agreed best, and who did not                      */
  double tolerance;
  double uncertainty;         /* error between the two; NaN: no second run succeeded             */
  double cpu;
} tn_compare_reference;

/* Zero in a field means "library default"; start from {0}. Nothing is kept after the call. */
typedef struct {
  const char *const *methods; /* NULL: "auto" and all others                                    */
  int nmethod;
  const double *tolerances;   /* NULL: 1e-2, 1e-3 ... 1e-6                                      */
  int ntolerance;
  const char *reference;      /* method of the reference; NULL: chosen by two trial runs         */
  const char *representation; /* as in tn_run_opts                                              */
  double until;               /* end of the runs; 0: as the model says                          */
  double limit;               /* CPU seconds a run may take, default 30; the reference ten times that */
  int ntime;                  /* times compared, default 200                                    */
  /* called before each run and now and then during it, with the time reached */
  void (*progress)(void *user, const char *method, double tolerance, double t, double t_end);
  /* called after each row */
  void (*row)(void *user, const tn_compare_row *row);
  void *user;
} tn_compare_opts;

typedef struct tn_comparison tn_comparison;

/* Compare. TN_INTERRUPTED leaves the rows so far in *out. TN_ERR_ARGUMENT for unknown methods and
 * tolerances outside of (0, 1); what tn_sim_create says when the model cannot run at all;
 * TN_NOT_CONVERGED when no method gave a reference. */
TN_API TN_NODISCARD tn_status tn_compare(tn_ctx *ctx, const tn_model *model,
                                         const tn_compare_opts *opts, tn_comparison **out);
TN_API void tn_comparison_destroy(tn_comparison **comparison);

/* Valid until destroy. An index out of range gives NULL. */
TN_API int tn_comparison_nrow(const tn_comparison *comparison);
TN_API const tn_compare_row *tn_comparison_row(const tn_comparison *comparison, int row);
TN_API const tn_compare_reference *tn_comparison_reference(const tn_comparison *comparison);

/* Readable table, JSON, CSV, and the step histories as CSV; freed with tn_text_free. */
TN_API TN_NODISCARD tn_status tn_comparison_text(const tn_comparison *comparison, char **out);
TN_API TN_NODISCARD tn_status tn_comparison_json(const tn_comparison *comparison, char **out);
TN_API TN_NODISCARD tn_status tn_comparison_csv(const tn_comparison *comparison, char **out);
TN_API TN_NODISCARD tn_status tn_comparison_steps_csv(const tn_comparison *comparison, char **out);

/* Figures; destroyed with tn_plot_destroy. TN_ERR_ARGUMENT when no run was completed. */
TN_API TN_NODISCARD tn_status tn_comparison_plot(const tn_comparison *comparison, tn_plot **out);
TN_API TN_NODISCARD tn_status tn_comparison_plot_steps(const tn_comparison *comparison,
                                                       tn_plot **out);

/* ---- meet a tolerance over a whole run -------------------------------------------------------- */

typedef struct {
  double tolerance;  /* asked of the whole run                                                   */
  double working;    /* what the method has to be given for it: tn_run_opts.tolerance             */
  double error;      /* obtained with it, measured as in a comparison                            */
  bool met;          /* error <= tolerance                                                       */
  int runs;          /* made with the method, the reference not counted                          */
  tn_compare_reference reference;
} tn_accuracy;

/* Find the tolerance with which the error of the whole run, at 200 times, is what opts (or the
 * model) asks. Costs a reference at a hundredth of the tolerance, its check, and one to eight runs;
 * nothing is written. TN_ERR_ARGUMENT for fixed steps and restarts; TN_NOT_CONVERGED when no reference
 * is that accurate, as for chaotic motions, or the method fails. */
TN_API TN_NODISCARD tn_status tn_meet_tolerance(tn_ctx *ctx, const tn_model *model,
                                                const tn_run_opts *opts, tn_accuracy *out);

/* Names of the integration methods; NULL: no more. */
TN_API const char *tn_method_name(int method);

#ifdef __cplusplus
}
#endif
#endif
