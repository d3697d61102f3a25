/* techniques/technique.h - how the constraints of a system are kept during a run
 *
 *   M v' + C^T lambda = f,   Phi = 0 / Psi = 0
 *
 * A technique turns the terms of the equations of motion at one state into multipliers and
 * accelerations v' = M^-1 (f - C^T lambda) for whoever integrates. It sees vectors and
 * blocks only (tni_terms), never a joint, and all techniques share the one evaluation of the
 * constraints by the system. A new one is one file and one line in list.c.
 *
 *   create -> install -> { solve ... } -> destroy
 *
 * install lets the technique hold the constraints of a data (tni_hold): whoever asks for accelerations then
 * gets those of the technique, so that every explicit method runs with it unchanged. The two-stage method (integrators/staggered.c) calls solve
 * itself, because there a technique may look back at the station before.
 *
 * Source: Park and Chiou, JGCD 11 (1988) 365; Park, Chiou, Downer, JGCD 13 (1990) 562; Chiou, Park,
 * Farhat (1990); signs and factors corrected, docs/theory/techniques.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_TECHNIQUE_H
#define TNI_TECHNIQUE_H

#include "system/system.h"

typedef enum { TNI_BAUMGARTE_SECOND = 0, TNI_BAUMGARTE_INTEGRAL } tni_baumgarte_form;

/* Zero in a field means the default. */
typedef struct tni_technique_opts {
  double eta;              /* staggered: softness, part of the diagonal of C M^-1 C^T; 0.05        */
  double epsilon;          /* staggered: one number for all rows in place of eta, as published; 0: eta   */
  bool acceleration_level; /* staggered: (3.8) of the papers, for nonholonomic rows                    */
  double alpha;            /* baumgarte: half the factor of the rate [1/s]; 0: from h              */
  double beta;             /* baumgarte: factor of the residual [1/s^2]; 0: alpha^2                */
  tni_baumgarte_form form;
  double penalty;          /* penalty: frequency of a constraint on its own [rad/s]; 0: from h      */
  tni_kkt_method solver;   /* of the linear system, 0: choose                                      */
  double h;                /* step of the method [s], 0: not fixed                                 */
} tni_technique_opts;

/* where a technique is asked: one station of the two-stage method, or just a state */
typedef struct tni_station {
  double t;
  double delta;                /* time since the station before; 0: a state without a past         */
  bool begins;                 /* the first one: history starts here. Other questions, of output or
                                  estimates, leave the technique as it was                        */
  const double *v;             /* [nv] velocities at the station                                   */
  const double *v_before;      /* [nv] at the station before; delta = 0: the same as v             */
  const double *v_lagged;      /* [nv] for what dissipates: those, carried on to the station       */
  const double *v_known;       /* [nv] implicit rules, else NULL: what the velocities are without the
                                  accelerations asked for, v = v_known + delta v'; (q, v) is an iterate */
  bool final;                  /* implicit rules: the iterate is accepted, history goes on         */
  const double *lambda_before; /* [m] at the station before; delta = 0: a guess or NULL            */
} tni_station;

typedef struct tni_technique tni_technique;

typedef struct tni_technique_type {
  const char *name;    /* as in the model file */
  const char *summary; /* one sentence         */
  bool projects;       /* explicit methods project their states; else only the technique acts      */
  bool native;         /* what the system does by itself: nothing to install                       */
  bool soft;           /* residuals are what carries the loads: they are never projected away      */
  bool needs_past;     /* means nothing without the station before                                 */
  tn_status (*create)(tn_ctx *ctx, tni_data *s, const tni_technique_opts *opts,
                      tni_technique **out);
  void (*destroy)(tni_technique *tq);
  /* lambda [m] and v' = M^-1 (f - C^T lambda) [nv]. TN_SINGULAR with the name of the row. What stands for the constraints and stores
   * or dissipates energy is added to terms->energies. */
  tn_status (*solve)(tni_technique *tq, tni_terms *terms, const tni_station *at,
                     double *lambda, double *a);
  /* the energy that is stored in the place of constraints at a state, added to *potential; NULL: none is */
  void (*store)(tni_technique *tq, const tni_at *at, double *potential);
  /* one line: parameters and where they come from */
  void (*describe)(const tni_technique *tq, char *out, size_t n);
} tni_technique_type;

/* the part that all have; their own structs begin with it */
struct tni_technique {
  const tni_technique_type *type;
  tn_ctx *ctx;
  tni_data *s;
  tni_technique_opts opts;
  tni_arena arena;
  tni_hold hold;               /* of the data after install                                        */
  tni_kkt K;                   /* of the system, possibly with a shift; for solvers of its own     */
  double *x, *g, *lambda, *f_lambda; /* [nv], [m], [m], [nv] work                                  */
  double *state;               /* [nstate] history of its own, saved with the method; may be NULL  */
  int nstate;
};

extern const tni_technique_type *const tni_technique_types[];
extern const int tni_technique_ntype;
const tni_technique_type *tni_technique_find(const char *name); /* NULL: unknown */

/* The accelerations of the data become those of the technique, until it is destroyed. */
void tni_technique_install(tni_technique *tq);
void tni_technique_destroy(tni_technique **tq);

/* ---- for the techniques -------------------------------------------------------------------- */

/* common part: sizes, arrays, K as the system has it at (t, q) of its initial state */
tn_status tni_technique_init(tni_technique *tq, const tni_technique_type *type, tn_ctx *ctx,
                             tni_data *s, const tni_technique_opts *opts);
/* diagonal of C M^-1 C^T, [m] */
void tni_technique_diagonal(const tni_kkt *K, double *diagonal);
/* v' = M^-1 (f - C^T lambda); lambda NULL: 0 */
void tni_technique_accelerate(tni_technique *tq, const double *f, const double *lambda, double *a);
/* C v + phi_t */
void tni_technique_rate(const tni_terms *terms, const double *v, double *rate);
/* TN_SINGULAR: the rows have no solution here; says which row and what helps */
tn_status tni_technique_singular(tni_technique *tq, double t, int row);

#endif
