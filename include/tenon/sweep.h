/* tenon/sweep.h - one model with many values of its parameters
 *
 * Every combination of the values is a case: the model file is read with them as overrides, compiled and run as tn_run does, several
 * cases at a time on the threads of the context, each on one thread. The numbers of a case do not depend on how many run beside it.
 * A case that fails is a row that says why; the others go on.
 *
 *   columns   the varied parameters; then, of every component of every sensor (those of `record:` too), its value at the last stored
 *             time, its smallest and its largest at all of them; then figures of the analysis: frequencies of modes, critical
 *             loads, figures of the summary
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_SWEEP_H
#define TN_SWEEP_H

#include <tenon/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *name;    /* of `params:` in the model file */
  const double *value; /* [n]                            */
  int n;
} tn_sweep_param;

/* Zero in a field means "library default"; start from {0}. Nothing is kept after the call. */
typedef struct {
  const tn_sweep_param *param;
  int nparam;
  bool paired;                  /* the first values together, the second ones ...; otherwise all combinations, the last
                                   parameter changing fastest                                                           */
  const char *const *overrides; /* "name=value", the same in every case                                                 */
  int noverride;
  tn_run_opts run;              /* method, tolerance, until ...; no results, no restart, no watch, no progress           */
  /* called now and then by the thread that called, and at the end */
  void (*progress)(void *user, int done, int total);
  void *user;
} tn_sweep_opts;

typedef struct {
  tn_status status;    /* of reading, compiling and running                                  */
  bool ran;            /* the run began; if not, `why` is about the model                    */
  const char *outcome; /* "complete", "stopped", "failed", "refused", "not begun"            */
  bool sound;          /* complete, and nothing to doubt                                     */
  const char *why;     /* verdict of a run that ended, message of one that did not, ""       */
  int warnings;        /* given while the case was read and run                              */
  const char *warning; /* the first of them, ""                                              */
  long steps;
  double cpu;          /* seconds of its thread                                              */
} tn_sweep_case;

typedef struct tn_sweep tn_sweep;

/* Run all cases. TN_ERR_INPUT, TN_ERR_ARGUMENT: the file cannot be read with the first values, or the options make no
 * sense; *out is NULL. TN_INTERRUPTED leaves in *out the cases that were done. */
TN_API TN_NODISCARD tn_status tn_sweep_file(tn_ctx *ctx, const char *path, const tn_sweep_opts *opts, tn_sweep **out);
TN_API void tn_sweep_destroy(tn_sweep **sweep);

TN_API int tn_sweep_ncase(const tn_sweep *sweep);
TN_API const tn_sweep_case *tn_sweep_get_case(const tn_sweep *sweep, int i); /* NULL: no such case */
TN_API int tn_sweep_ncolumn(const tn_sweep *sweep); /* parameters first */
TN_API const char *tn_sweep_column_name(const tn_sweep *sweep, int column); /* "k", "tip.z end"; NULL: no such column */
TN_API const char *tn_sweep_column_unit(const tn_sweep *sweep, int column); /* "" without a unit or of a parameter    */
/* NaN: the case has no such number */
TN_API double tn_sweep_value(const tn_sweep *sweep, int i, int column);

/* Freed with tn_text_free. Text shows so many columns of numbers at most; CSV and JSON have all. */
TN_API TN_NODISCARD tn_status tn_sweep_text(const tn_sweep *sweep, int columns, char **out);
TN_API TN_NODISCARD tn_status tn_sweep_csv(const tn_sweep *sweep, char **out);
TN_API TN_NODISCARD tn_status tn_sweep_json(const tn_sweep *sweep, char **out);

#ifdef __cplusplus
}
#endif
#endif
