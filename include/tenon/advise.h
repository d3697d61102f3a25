/* tenon/advise.h - which solver for which structure on which machine: operations counted, rates measured, times and memory predicted
 *
 *   tn_rates rates = tn_rates_usual();
 *   tn_rates_read(ctx, "rates", &rates);            or tn_rates_measure(ctx, &rates): some seconds
 *   tn_advise(ctx, model, &rates, &(tn_advise_opts){.ranks = 16}, &n, row, &best);
 *
 * Operations are those of the patterns of this model, eliminated symbolically in the order that the solvers take; iterations come from
 * formulas, of conjugate gradients on the whole from a few steps of theirs. The same model, rates and options give the same
 * decision.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_ADVISE_H
#define TN_ADVISE_H

#include <tenon/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Operations in a second of one thread; a multiplication and an addition are two. */
typedef struct tn_rates {
  double factor;   /* sparse factorizations by fronts                                             */
  double solve;    /* solutions with such factors, which memory holds up                          */
  double product;  /* products with sparse matrices                                               */
  double skyline;  /* factorizations by active columns                                            */
  double order;    /* entries of patterns ordered and analyzed in a second                        */
  double latency;  /* [s] of a message between ranks                                              */
  double byte;     /* [s] of each of its bytes                                                    */
} tn_rates;

/* where nothing has been measured */
TN_API tn_rates tn_rates_usual(void);
/* on this machine, now: best of three, some seconds. Messages are copied in memory: what a network adds must be written into the file. */
TN_API TN_NODISCARD tn_status tn_rates_measure(tn_ctx *ctx, tn_rates *out);
/* a line `name value` each, # begins a comment; names that are missing keep their value */
TN_API TN_NODISCARD tn_status tn_rates_read(tn_ctx *ctx, const char *path, tn_rates *out);
TN_API TN_NODISCARD tn_status tn_rates_write(tn_ctx *ctx, const char *path, const tn_rates *rates, const char *comment);

enum { TN_ADVICE_MAX = 8 };

typedef struct tn_advice {
  const char *solver;      /* word for `solver`                                                    */
  const char *rule;        /* word for `decomposer`, the best of three; NULL: nothing is cut       */
  int parts;               /* domains                                                              */
  char excluded[240];      /* why it is out; empty: it is possible                                 */
  double setup;            /* operations of the rank with most of them, before the first solution  */
  double each;             /* of an iteration, or of a solution                                    */
  double iterations;       /* expected; 1: direct                                                  */
  double messages, sent;   /* of a rank in an iteration; bytes of all of them                      */
  double seconds;          /* predicted: order, factor and solve once                              */
  double memory;           /* of the rank that needs most [bytes]                                  */
  double measured;         /* [s] of the whole solution here, by one process; 0: not measured      */
} tn_advice;

typedef struct tn_advise_opts {
  int ranks;               /* 0: 1                                                                 */
  int parts;               /* domains; 0: as runs choose them                                      */
  double memory;           /* of a rank [bytes]; 0: four fifths of this machine's, divided by ranks */
  double tolerance;        /* of iterations; 0: 1e-10                                              */
  bool measure;            /* solve by every one, here and by one process                          */
} tn_advise_opts;

typedef struct tn_advised {
  int unknowns, best;      /* best: row to take, -1: none is possible                              */
  double elements;         /* [s] one process needs for the matrices of the elements, beside all of it */
  char run[16];            /* what a run on so many ranks takes whose model names no solver, how many domains (0: the whole), and why */
  int run_parts;
  char run_reason[300];
} tn_advised;

/* Statics of the structures of a model; row [TN_ADVICE_MAX]. TN_ERR_UNSUPPORTED: it has none, or bodies or joints beside them, where
 * there is nothing to choose. */
TN_API TN_NODISCARD tn_status tn_advise(tn_ctx *ctx, const tn_model *model, const tn_rates *rates, const tn_advise_opts *opts, int *n,
                                        tn_advice *row, tn_advised *out);

/* Motions: what `method: auto` has to choose from, by the prices and reasons that it goes by itself. */
enum { TN_METHODS_MAX = 8 };

typedef struct tn_method_advice {
  const char *representation; /* "cartesian", "joint"                                                */
  const char *method;
  char system[256];           /* unknowns, and who solves for accelerations, with the reason         */
  double step;                /* what a step costs before anything is known [s] on the machine where prices were found: compare them */
  double entry;               /* and coming to it from the other representation                      */
} tn_method_advice;

typedef struct tn_methods_advised {
  int first;                  /* row that a run begins with; trials on the way may change it         */
  bool choice;                /* false: there is one method only, that the model or its parts ask for */
  char reason[160];           /* why that one is first                                               */
} tn_methods_advised;

/* Motions of a model; row [TN_METHODS_MAX]. Looks at the state at the beginning, takes no step. TN_ERR_UNSUPPORTED: its analysis is not a motion
 * in steps. */
TN_API TN_NODISCARD tn_status tn_advise_methods(tn_ctx *ctx, const tn_model *model, int *n, tn_method_advice *row, tn_methods_advised *out);

#ifdef __cplusplus
}
#endif

#endif
