/* integrators/integrator.h - one step of a method at a time, with dense output
 *
 * State y = (q, v, z): positions, velocities, quadratures (work done; carried along, not error
 * controlled). An integrator knows a system, never a joint.
 *
 *   create -> start -> step ... -> destroy
 *
 * `step` advances by one accepted step of the method's own choice; rejected attempts are counted
 * inside. Output times never change the steps: `interpolate` is valid between t_old and t of the
 * last step. After an event the analysis calls `start` again at the event.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_INTEGRATOR_H
#define TNI_INTEGRATOR_H

#include <math.h>

#include "mesh/decompose.h"
#include "system/system.h"

/* independent coordinates of implicit methods (integrators/partition.h) */
typedef enum { TNI_TANGENT_PLANE = 0, TNI_COORDINATES } tni_parametrization;
/* where their matrices come from: exact tangents, the same with columns divided among threads, differences of
 * accelerations; to check these, exact tangents in other ways (partition_ways.c) */
typedef enum {
  TNI_JACOBIAN_EXACT = 0, TNI_JACOBIAN_PARALLEL, TNI_JACOBIAN_NUMERICAL,
  TNI_JACOBIAN_BLOCKS, TNI_JACOBIAN_COMPACT, TNI_JACOBIAN_AUGMENTED
} tni_jacobian;
typedef enum { TNI_FILTER_AUTO = 0, TNI_FILTER_ON, TNI_FILTER_OFF } tni_error_filter;

typedef struct tni_integrator_opts {
  double rtol, atol;  /* local error per step and component, > 0                             */
  double rtol_v, atol_v; /* of velocities; 0: the same as of positions                       */
  double tolerance;   /* of the whole run, of which they are the method's share; 0: not known */
  double h;           /* fixed-step methods: the step; adaptive ones: first step, 0 = choose  */
  double run;         /* length of the run that the tolerance is for; 0: it is that of a step */
  double hmin, hmax;  /* 0: 1e-12 of the interval, unlimited                                 */
  double t_end;       /* end of the run: the last step lands on it                           */
  double grid, grid_from; /* methods that find their step: states at grid_from + k grid are looked at; 0: not known */
  double project_tol; /* 0: min(1e-10, 1e-3*rtol)                                            */
  long max_steps;     /* 0: unlimited                                                        */
  tni_parametrization parametrization; /* implicit methods only                              */
  double rho;         /* alpha, hht: spectral radius at infinite frequency; 0: 0.8             */
  struct tni_technique *technique; /* staggered: how it holds the constraints; borrowed      */
  int resynchronize;  /* staggered: stations after which its chains are brought together; 0: where they
                         part, < 0: never                                                      */
  bool midpoint_rotation; /* staggered: turn by the mid-point rule                            */
  int iterations;     /* trapezoidal: passes of a step; 0: until they converge                */
  bool equal_steps;   /* implicit methods: h whatever the error, which then only stops Newton  */
  double growth;      /* alpha, hht with equal_steps: from the third on steps are as many times as long as the one before, at most hmax;
                         0: they are equal                                                     */
  double soft_start;  /* alpha, hht: accelerations at the start as of an implicit step of this part of h; 0: true ones */
  tni_jacobian jacobian;         /* implicit methods                                         */
  tni_error_filter error_filter; /* implicit methods: damp stiff components of the estimate   */
  double repartition; /* implicit methods, by coordinates: growth of the condition number that asks for others; 0: 1.25 */
  double kappa;       /* implicit methods: part of the tolerance that Newton's method may leave; 0: by the tolerance */
  int max_iterations; /* of Newton's method in a stage; 0: 10                                */
  double newmark_beta, newmark_gamma; /* trap: of Newmark's family; 0: 1/4, 1/2               */
  int nindependent;              /* velocity components to take as independent, 0: choose;    */
  const int *independent;        /* for parametrization by coordinates. Borrowed for create   */
  int points;         /* state_time: Gauss points of an element, 0: 2                        */
  bool radau;         /* state_time: Radau points in place of them                           */
  bool free_orders;   /* state_time: points as the tolerance asks, 2 to 4, begun with `points`  */
  int window;         /* state_time: elements solved together at most, 0: 64                 */
  bool cosines;       /* state_time: in direction cosines (trajectory/cosines.h), with        */
  int force_order;    /* multipliers of this degree, 0: points - 1                           */
  int rule;           /* tested as tni_cosine_rule says                                      */
  bool tree;          /* their linear systems by a tree of merges in time                    */
  tni_cut decomposer; /* how meshes are divided: central, several ranks; and                 */
  int by_domains;     /* 1 + tni_cut_solver: factors of meshes by domains (types that have `domains`); 0: as a whole */
  bool domains_chosen; /* by nobody: where it cannot be, as a whole                           */
  int domains;        /* of them; 0: as usual                                                */
} tni_integrator_opts;

/* where the time of implicit steps goes: tangents and what is made of them, factors of the matrices, accelerations
 * and residuals, dependent coordinates and projections; all of it */
typedef enum {
  TNI_PHASE_MATRICES = 0, TNI_PHASE_FACTORS, TNI_PHASE_ACCEL, TNI_PHASE_RECOVERY, TNI_PHASE_STEPS, TNI_NPHASE
} tni_phase;

typedef struct tni_integrator_stats {
  long steps, rejected;     /* accepted steps, rejected attempts of any kind      */
  long nonconverged;        /* of the rejected: projection or accel failed, not finite */
  long newton;              /* Newton iterations of implicit methods              */
  long jacobians;           /* evaluations of their tangents                      */
  long factorizations;      /* of their matrices                                  */
  double h_last, h_next;    /* size of the last accepted step, proposal for the next */
  double h_min, h_max;      /* extremes of accepted steps                         */
  int order;                /* order of the last step                             */
  long choices;             /* implicit, by coordinates: of independent ones      */
  double stiffness;         /* last step times the largest rate of the model, an estimate; 0: none */
  bool stiff;               /* explicit: stability, not accuracy, has bounded the last steps */
  double seconds[TNI_NPHASE]; /* implicit methods, wall time; 0: not measured      */
} tni_integrator_stats;

typedef struct tni_integrator tni_integrator;

/* Steps taken again are no shorter than this part of the first try: a short one closes the rounding left
 * in the positions within its length, which makes velocities of it. So close to the beginning of a
 * step what is between its ends is good enough. */
#define TNI_SHORTEST_AGAIN 1e-3

typedef struct tni_integrator_type {
  const char *name;    /* as in the model file: "rk45", "adams", "rk4" */
  const char *summary; /* one sentence                                 */
  int order;           /* of the advancing formula; 0: variable        */
  bool fixed_step;     /* needs opts.h                                 */
  bool finds_step;     /* with fixed_step: of models with meshes it finds one by itself */
  /* Part of the error wanted at the end of a run that one step may use, so that the error obtained
   * is the one asked for; measured, docs/theory/tolerances.md. 0: all of it. */
  double share;
  /* Of the share that is left at a tolerance of 1e-3 and more, where steps are so long that the first term of their
   * error does not tell its size; at 1e-4 and below it is the whole share. 0: all of it */
  double loose;
  double share_joint;  /* the same in joint coordinates, whose errors add up on the way to a body; 0: share */
  bool needs_tangent;  /* asks the system for tangents                 */
  bool variants;       /* heeds parametrization, independent, jacobian, error_filter */
  bool newmark;        /* heeds newmark_beta, newmark_gamma            */
  bool domains;        /* heeds by_domains                             */
  bool needs_technique; /* asks for opts.technique; cartesian representation only */
  /* what the method did, for the summary; NULL: its name says it */
  void (*describe)(const tni_integrator *it, char *out, size_t n);
  bool needs_model;    /* works on the model behind a cartesian system  */
  bool own_energy;     /* sets shift                                   */
  bool cayley;         /* a step at w rad/s turns a body by 2 atan(h w/2), not h w: no balance of energy shows it */
  bool needs_data;     /* makes more data of the system                */
  bool divided;        /* the state is in pieces on several ranks, and `bring` has all of them talk */
  tn_status (*create)(tn_ctx *ctx, tni_data *s, const tni_integrator_opts *opts,
                      tni_integrator **out);
  void (*destroy)(tni_integrator *it);
  /* begin at a consistent state; forgets history */
  tn_status (*start)(tni_integrator *it, double t, const double *q, const double *v,
                     const double *z);
  /* one accepted step, not beyond t_end. TN_NO_PROGRESS: step below hmin, with a message naming
   * the row or velocity component with the largest residual or error. */
  tn_status (*step)(tni_integrator *it);
  /* NULL: the state is in `now` after every step. Or: only its time and quadratures are; this brings the rest, and the history. Of types
   * that are divided all ranks call it alike. */
  tn_status (*bring)(tni_integrator *it);
  /* NULL, or: take the last step again from t_old, so that it ends at t. For methods whose states inside
   * a step are worth less than those at its ends. TN_NOT_CONVERGED leaves the step before it was taken. */
  tn_status (*repeat)(tni_integrator *it, double t); /* t_old + TNI_SHORTEST_AGAIN*(t - t_old) or later */
  /* with repeat: the state that such a step would end at, for those who look; changes nothing. False: it
   * could not be found. */
  bool (*peek)(tni_integrator *it, double t, double *q, double *v, double *z);
  /* state at t in [t_old, t]; Euler parameters normalized. Not projected. Any output may be NULL.
   * After a step that failed only the state at t is left. May evaluate accelerations (rk8); never
   * changes the steps. */
  void (*interpolate)(tni_integrator *it, double t, double *q, double *v, double *z);
  /* Everything needed to continue bit for bit after the last step: write to / read from an array
   * of nstate doubles (step proposal, controller memory, last derivative ...). A method that
   * cannot save its history restarts its own history here as well, in save and in load alike;
   * save then ends the dense output of the last step: take what is needed before. */
  int (*nstate)(const tni_integrator *it);
  tn_status (*save)(tni_integrator *it, double *state);
  tn_status (*load)(tni_integrator *it, const double *state);
  /* what the method chose by itself and why, a few words; NULL: nothing to say */
  void (*explain)(const tni_integrator *it, char *out, size_t n);
} tni_integrator_type;

/* the part every method shares; the methods' own structs begin with it */
struct tni_integrator {
  const tni_integrator_type *type;
  tn_ctx *ctx;
  tni_data *s;
  tni_integrator_opts opts;
  tni_integrator_stats stats;
  tni_arena arena;
  double t_old;       /* beginning of the last step                                       */
  double way, ways;   /* length and number of the steps since it began                    */
  tni_state now;      /* its end: q, v, z in one array; a, lambda after tni_integrator_accel; the memory is that of s */
  double *motion;     /* [nv] scratch of projections                                    */
  tni_kin *seen;      /* [nbody + 1] bodies at the end of an attempt, and                */
  double *q_seen, *v_seen; /* [nq], [nv] a state beside it: tni_error_of_bodies; NULL: no bodies */
  bool has_accel;     /* they are those of the present state */
  double shift_old, shift; /* what the method's own energy is above that of its states at t_old and t: see central.c; 0: nothing */
  int careful;        /* steps still to be taken with care, see common.h */
  /* limits of steps: by the options, by what is followed, by turns, by pulses, by plastic flow; opts.hmax is the least of them */
  double hmax_given, hmax_followed, hmax_turning, hmax_passing, hmax_flowing;
  double wall;        /* functions of time jump or bend here: stages of this step must not look beyond; DBL_MAX: none */
};

/* a and lambda of the state at t. Runge-Kutta methods have them after every step; the others are
 * spared the evaluation unless somebody asks. */
tn_status tni_integrator_accel(tni_integrator *it);

/* what type->bring says, where there is one */
static inline tn_status tni_integrator_bring(tni_integrator *it) { return it->type->bring ? it->type->bring(it) : TN_OK; }

/* From the next step on a motion with this rate [rad/s] is followed as closely as the tolerance asks: an impact,
 * which is shorter and smaller than tolerances see, but leaves its mark on all that comes after. A motion of
 * the rate `after`, which dies away, is followed a radian at a time, so that what is between the ends of a
 * step can be trusted. 0: none; TNI_LET_GO: what there is may be stepped over, which explicit methods do not
 * heed: they would only go to the limit of their stability, where a resting contact trembles by the tolerance.
 * Methods with fixed steps do not heed any of it. */
#define TNI_LET_GO (-1.0)
void tni_integrator_follow(tni_integrator *it, double rate, double after);

/* Largest step from the next one on for the sake of angles that are counted through turns; DBL_MAX: any. */
void tni_integrator_limit_turning(tni_integrator *it, double hmax);

/* Largest step for the sake of what steps would pass over; DBL_MAX: any. */
void tni_integrator_limit_passing(tni_integrator *it, double hmax);
/* Largest step for the sake of the path of plastic flow; DBL_MAX: any. */
void tni_integrator_limit_flowing(tni_integrator *it, double hmax);

/* of a stage whose formula asks for t */
static inline double tni_integrator_stage_time(const tni_integrator *it, double t) { return fmin(t, it->wall); }

/* shift at t in [t_old, t] */
static inline double tni_integrator_shift(const tni_integrator *it, double t) {
  double h = it ? it->now.t - it->t_old : 0;
  if (!it || !(h > 0)) return it ? it->shift : 0;
  double x = fmin(fmax((t - it->t_old)/h, 0), 1);
  return (1 - x)*it->shift_old + x*it->shift;
}

/* the list of methods; a new one is one file and one line there (integrators/list.c) */
extern const tni_integrator_type *const tni_integrator_types[];
extern const int tni_integrator_ntype;
const tni_integrator_type *tni_integrator_find(const char *name); /* NULL: unknown */
/* share in the coordinates of the system at the tolerance of a run, 1 where the type has none */
double tni_integrator_share(const tni_integrator_type *type, const tni_data *s, double tolerance);
void tni_integrator_destroy(tni_integrator **it);

/* `create` of a method that is a formula or a table for an engine: tni_rk_create, tni_implicit_create, tni_descriptor_create */
#define TNI_CREATE_BY(function, engine, method, formula)                                            \
  extern const tni_integrator_type tni_integrator_##method;                                         \
  static tn_status function(tn_ctx *ctx, tni_data *system, const tni_integrator_opts *opts,         \
                            tni_integrator **out) {                                                 \
    return engine(ctx, system, opts, &tni_integrator_##method, &formula, out);                      \
  }

#endif
