/* system/system.h - the waist: what integrators and analyses may ask of a mechanical system
 *
 *   q' = N(q) v                                positions and velocities
 *   M(q) v' + C^T lambda = f(t, q, v)          C = Phi_q N
 *   Phi(t, q) = 0                              holonomic constraints
 *   C v + Phi_t = 0,   Psi: D(q) v + b = 0     velocity level (nonholonomic rows only have this)
 *   C v' = gamma                               acceleration level
 *   z' = power(t, q, v, v', lambda)            quadratures: dissipated and input work
 *
 * Rows of Phi and Psi are one list of m rows; multipliers have the sign above, so the constraint
 * force is -C^T lambda. Two representations answer the same questions: cartesian (six velocities
 * per body, all joints are constraints) and joint (relative coordinates on a spanning tree,
 * constraints only at cut joints). An integrator never knows which one it drives.
 *
 * What never changes is a tni_system; all that does is a tni_data, of which a system may have many: each
 * stands at an instant of its own, and several may be evaluated at the same time by several threads.
 *
 * Everything is allocated by create and by tni_prepare_*; no later call allocates. The arrays handed in are not kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SYSTEM_H
#define TNI_SYSTEM_H

#include "linsolve/kkt.h"
#include "linsolve/saddle.h"
#include "system/layout.h"

enum { TNI_NZ = 2, TNI_Z_DISSIPATED = 0, TNI_Z_INPUT = 1 };

typedef struct tni_system tni_system; /* what never changes */
typedef struct tni_data tni_data;     /* what does: one instant of a system */
typedef struct tni_parts tni_parts;   /* parts of the model: system/parts.h */

/* counters of work, since create */
typedef struct tni_work {
  long naccel;     /* accelerations computed (function evaluations)   */
  long nfactor;    /* factorizations                                  */
  long nproject;   /* projections                                     */
  long nnewton;    /* Newton iterations inside projections            */
  long nrank;      /* changes of the rank of the rows that are used   */
  long nexchange;  /* dropped rows taken for kept ones, rank the same */
} tni_work;

typedef struct tni_system_opts {
  tni_kkt_opts kkt;     /* cartesian                                                           */
  int joint_solver;     /* joint: 0 auto, TNI_JOINT_COMPOSITE_SPARSE, _COMPOSITE_DENSE, _ARTICULATED */
  double rank_tol;      /* 0: 1e-9                                                             */
} tni_system_opts;

/* residuals at the three levels, largest absolute value and the row that has it */
typedef struct tni_residuals {
  double position, velocity, acceleration;
  int position_row, velocity_row, acceleration_row;
} tni_residuals;

typedef struct tni_project_opts {
  bool position, velocity; /* what to project                                                  */
  double tol;              /* residuals left: m, rad; velocities tol too                        */
  bool polish;             /* one correction more, until rounding is left: near a singular position
                              the state moves by a large multiple of the residual               */
  int max_iterations;      /* 0: 20                                                            */
  const double *weight;    /* [nv] or NULL: mass-weighted; else diagonal weights of the change  */
} tni_project_opts;

typedef struct tni_project_report {
  int iterations;
  double correction_q, correction_v; /* largest change made                                    */
  double residual;                   /* largest |Phi| left                                     */
  int worst_row;
} tni_project_report;

/* exact tangents at (t, q, v, a, lambda), dense row-major; any pointer may be NULL */
typedef struct tni_tangent {
  double *M;       /* [nv][nv]                                                       */
  double *C;       /* [m][nv]                                                        */
  double *f_q;     /* [nv][nv]  d f/d delta                                          */
  double *f_v;     /* [nv][nv]                                                       */
  double *f_t;     /* [nv]  explicit time dependence of f                            */
  double *Mv_q;    /* [nv][nv]  d(M a)/d delta                                       */
  double *Ctl_q;   /* [nv][nv]  d(C^T lambda)/d delta                                */
  double *Cv_q;    /* [m][nv]   d(C v + Phi_t)/d delta                               */
  double *Ca_q;    /* [m][nv]   d(C a)/d delta                                       */
  double *gamma_q; /* [m][nv]                                                        */
  double *gamma_v; /* [m][nv]                                                        */
} tni_tangent;

/* The same tangents as values on the patterns s->square (nv x nv) and s->rows (m x nv), for the
 * residual r = M a + C^T lambda - f of the equations of motion; any pointer may be NULL. The cost
 * grows with the number of bodies, joints and forces only. */
typedef struct tni_sparse_tangent {
  double *M, *r_q, *r_v; /* [square->nnz]  r_q with d(M a)/d delta and d(C^T lambda)/d delta     */
  double *r_t;           /* [nv]  explicit time dependence of -f                                 */
  double *C, *Cv_q, *Ca_q, *gamma_q, *gamma_v; /* [rows->nnz]                                    */
  bool apart;            /* r_q without elements whose stiffness comes in two parts (mixed)      */
  bool bare;             /* cartesian: r_q of M a + C^T lambda and of structures, no other forces */
  bool elastic;          /* cartesian: r_q of structures and of elements of beams, no other forces */
} tni_sparse_tangent;

/* energies at an instant, and powers of forces there */
typedef struct tni_energies {
  double kinetic, potential;
  double spent;             /* heat that histories tell (plastic structures): not in the quadratures z */
  double dissipated, input; /* [W]                                                              */
} tni_energies;

/* The equations of motion at one state, for constraint techniques that solve them in their own way.
 * All arrays belong to the system and hold until its next call. */
typedef struct tni_terms {
  const tni_kkt *K;          /* M, its inverse and C, block by block; active: independent rows    */
  const double *f;           /* [nv]                                                             */
  const double *phi;         /* [m] 0 for nonholonomic rows                                      */
  const double *phi_t;       /* [m]                                                              */
  const double *gamma;       /* [m]                                                              */
  const bool *nonholonomic;  /* [m]                                                              */
  tni_energies energies;     /* of forces, as they were evaluated for f; none that is kinetic     */
} tni_terms;

/* where a system is asked: time, coordinates, velocities, accelerations, multipliers; NULL means zero, or
 * that nobody asks for what needs them */
typedef struct tni_at {
  double t;
  const double *q, *v, *a, *lambda;
} tni_at;

/* what it is asked for, in one evaluation without a factorization; NULL or false: not asked for */
typedef struct tni_want {
  bool bodies;             /* s stands there, with accelerations of the bodies, zero without a   */
  double *phi;             /* [m] residuals of positions, 0 for nonholonomic rows                */
  double *rate;            /* [m] of velocities, C v + Phi_t                                     */
  double *gap;             /* [m] of accelerations, C a - gamma; with balance only               */
  double *balance;         /* [nv] of the equations of motion, M a + C^T lambda - f              */
  tni_energies *energies;  /* kinetic, potential, spent, powers                                  */
  tni_residuals *residuals; /* the largest of the three kinds; accelerations with a only         */
  double *wrench;          /* [6 njoint] reaction of every joint on its body[1] at the origin of its
                              frame 1: force, torque in ground axes                              */
  tni_terms *terms;        /* where the representation has them                                  */
  const double *v_force;   /* terms: velocities for springs, dampers and actuators, NULL: v      */
} tni_want;

/* What else rotations do, with w, w' at the state, when unknowns x change dq by b x, dv by g x, da by m x: nothing; they are those xi
 * of a step that begins at the state (integrators/partition.h); they move quaternions whose rates are cj times their changes, b = 1,
 * g = cj, m = cj^2: dv = g x + w x x/2 + w (w.x)/(4 cj), da = cj dv. */
typedef enum { TNI_TURNS_NONE, TNI_TURNS_LOCAL, TNI_TURNS_QUATERNION } tni_newton_turns;

/* Elimination along the tree instead of a matrix, where s->recursive; one sparse matrix where s->straight: see tni_newton_at. */
typedef struct tni_newton_ops {
  void (*at)(tni_data *s, const tni_at *at, double *r_t);
  void (*apply)(tni_data *s, const double *dq, const double *dv, const double *da, double *y);
  bool (*factor)(tni_data *s, double m, double g, double b, tni_newton_turns turns);
  void (*solve)(tni_data *s, double *x);
  bool (*factor_complex)(tni_data *s, const double g[2], const double b[2]);
  void (*solve_complex)(tni_data *s, double *x);
} tni_newton_ops;

typedef enum { TNI_PREPARE_TANGENT, TNI_PREPARE_PATTERN, TNI_PREPARE_STRAIGHT } tni_prepare;
typedef enum { TNI_NAME_ROW, TNI_NAME_VELOCITY } tni_name;

/* What a representation must do. The functions below ask for it; nobody else does. */
typedef struct tni_system_ops {
  const char *name; /* "cartesian" or "joint" */
  bool has_terms;   /* eval knows terms       */
  /* working memory of a new data, whose constants are set; and what its arena does not hold, again */
  tn_status (*begin)(tni_data *s);
  void (*end)(tni_data *s);
  tn_status (*prepare)(tni_data *s, tni_prepare what); /* NULL: nothing to prepare */
  void (*coordinates)(const tni_data *s, const tni_kin *kin, double *q, double *v); /* kin NULL: of the model */
  void (*eval)(tni_data *s, const tni_at *at, const tni_want *want);
  tn_status (*accel)(tni_data *s, double t, const double *q, const double *v, double *a,
                     double *lambda, double *zdot);
  tn_status (*project)(tni_data *s, double t, double *q, double *v, const tni_project_opts *opts,
                       tni_project_report *report);
  void (*tangential)(tni_data *s, bool velocity, double *x);
  tn_status (*tangent)(tni_data *s, const tni_at *at, const tni_tangent *dense,
                       const tni_sparse_tangent *sparse);
  tn_status (*update_rank)(tni_data *s, double t, const double *q, bool follow);
  void (*label)(const tni_data *s, tni_name of, int i, char *out, size_t n);
  void (*describe)(const tni_data *s, char *out, size_t n);
  const tni_newton_ops *newton; /* NULL: none */
} tni_system_ops;

/* Who keeps the constraints in the place of the system: a technique (techniques/technique.h). */
typedef struct tni_hold tni_hold;
struct tni_hold {
  tn_status (*accel)(tni_hold *h, tni_data *s, double t, const double *q, const double *v, double *a,
                     double *lambda, double *zdot);
  bool projects; /* states are projected as usual; false: nobody but it keeps the constraints */
  /* what is stored in its place of the constraints at a state, added to *potential; NULL: nothing is */
  void (*store)(tni_hold *h, tni_data *s, const tni_at *at, double *potential);
};

/* what the forces need of a body, packed */
typedef struct tni_inertia {
  double mass, I[9];
} tni_inertia;

/* The constants stand in `shape`, a data without working memory. Every data begins as a copy of it: the few
 * numbers and pointers are then at hand where the work is done, and what they point to is shared. */
struct tni_system {
  tn_ctx *ctx;
  size_t size;              /* of a data                                                     */
  tni_data *shape;
};

struct tni_data {
  /* constants, the same in all data of a system */
  const tni_system_ops *ops;
  tn_ctx *ctx;
  const tn_model *model;
  const tni_layout *layout; /* of the unknowns; nodes are bodies, in relative coordinates joints */
  int nq, nv, m, nbody;
  bool relative;       /* coordinates of joints, not of bodies                               */
  double paths;        /* so, and factored: squares of the ways to the ground, summed over velocities; 0: articulated bodies */
  bool ode;            /* no constraints: projection only normalizes                         */
  const tni_inertia *inertia; /* [nbody]                                                     */
  int nwatch;          /* forces and constraints with switching functions                    */
  struct tni_watch {
    const tni_force *force; /* or                                                            */
    const tni_con *con;
    int at;            /* first function                                                     */
  } *watch;            /* [nwatch]                                                           */
  int nremember;       /* angles that are counted through turns                              */
  struct tni_remember {
    const tni_scalar *scalar;
    bool packed;       /* then                                                               */
    tni_twist twist;
    int body[2], memory;
  } *remember;         /* [nremember]                                                        */
  int *row_con;             /* [m] constraint block of each row                              */
  tni_parts *parts;    /* NULL: there are none                                               */
  const bool *velocity_only; /* [m] rows without a position level, NULL: no such row         */

  /* its own */
  const tni_system *system;
  const tni_kin *origin; /* [nbody+1] where it began, NULL: as the model does                 */
  tni_system *owned;   /* destroyed with it; NULL: somebody else's                           */
  tni_hold *hold;      /* who keeps the constraints, NULL: the system                        */
  tni_arena arena;
  const void *newton_owner; /* who may use what newton_at left; set by the caller after it   */
  bool recursive;      /* the newton operations serve; after tni_prepare_tangent             */
  bool straight;       /* the real ones do, for linear structures; after tni_prepare_straight */
  long nstraight;      /* factorizations of theirs                                           */
  double *memory;      /* [model->nmemory] discrete state                                    */
  /* Where it was evaluated last. Nobody above `system` reads what follows: whoever wants something of a state asks for it there
   * (tni_look_...), and what the data holds of that state already is not evaluated again. */
  unsigned stands;     /* TNI_STANDS_...: what of it is that of the state                    */
  double stands_t;     /* time of the forces                                                 */
  int stands_nq, stands_nv;
  double *aside_q, *aside_v; /* in their place while somebody looks aside */
  double *stands_q, *stands_v; /* [nq], [nv] without those of parts, which keep their own    */
  double *stands_a;    /* [nv] with which accelerations are those of the bodies, if          */
  bool stands_has_a;   /* it is not zero                                                     */
  tni_kin *kin;        /* [nbody+1] [0] ground                                               */
  double *acc;         /* [6 nbody] (v', angular acceleration in body components)            */
  double *load;        /* [6 nbody] scratch of tni_nodes_loads                               */
  double *force_value; /* [nforce] value reported by each force in the last evaluation       */
  tni_force_out *force_out; /* [nforce] scratch of the force evaluation                      */
  double potential;    /* of the last force evaluation                                       */
  double dissipated, input; /* powers of the last force evaluation                           */
  double spent;        /* heat that histories tell by then (plastic structures): not in z    */
  double least_heat;   /* lowest power of dissipation of a force in any evaluation, below 0; */
  int coldest;         /* whose it was, -1: none                                             */
  double step_heat;    /* the same since somebody has set it to 0                            */
  double pivot;        /* smallest pivot of the constraints over its diagonal in the last    */
                       /* factorization, about the squared distance of a singular position;  */
                       /* 1: no constraints, or the linear solver does not tell              */
  double usual;        /* the same where the rank was found                                  */
  const tni_sparsity *square, *rows; /* patterns of the sparse tangents, NULL: none           */
  const tni_rank *rank;     /* of the constraint rows at the last rank analysis; NULL if m=0 */
  tni_work work;
};

/* Representations. TN_ERR_UNSUPPORTED names what the joint representation cannot treat. The model must outlive
 * the system, the system its data. */
tn_status tni_cartesian_system(tn_ctx *ctx, const tn_model *model, const tni_system_opts *opts,
                               tni_system **out);
tn_status tni_joint_system(tn_ctx *ctx, const tn_model *model, const tni_system_opts *opts,
                           tni_system **out);
void tni_system_destroy(tni_system **s);
/* A new instant of a system. It begins where the model does, or at the bodies kin [nbody+1] with memory [nmemory],
 * which are copied; either may be NULL. */
tn_status tni_data_create(const tni_system *s, tni_data **out);
tn_status tni_data_create_at(const tni_system *s, const tni_kin *kin, const double *memory, tni_data **out);
void tni_data_destroy(tni_data **d);
/* system and its only data in one: both go with tni_data_destroy */
tn_status tni_cartesian_create(tn_ctx *ctx, const tn_model *model, const tni_system_opts *opts,
                               tni_data **out);
tn_status tni_joint_create(tn_ctx *ctx, const tn_model *model, const tni_system_opts *opts,
                           tni_data **out);
/* Multipliers lambda [m] of least norm in a cartesian system for a motion that somebody else has
 * found: q, v, and as tni_data has them acc and the forces f6 on the bodies. held: they carry these
 * forces; false: the rank has changed, look at it again. */
tn_status tni_cartesian_share(tni_data *s, double t, const double *q, const double *v,
                              const double *acc, const double *f6, double *lambda, bool *held);
/* The velocity of a system in relative coordinates that alone moves a coordinate of a joint, wherever the joint stands, and of it nothing else
 * but what is tied to that coordinate (screws); -1: none does, the joint is cut or another motion than the coordinate's carries its body. */
int tni_joint_own_velocity(const tni_data *s, int joint, int coord);
/* the linear system of a cartesian system as last evaluated, for benchmarks and tests */
const tni_kkt *tni_cartesian_kkt(const tni_data *s);
enum { TNI_JOINT_COMPOSITE_SPARSE = 1, TNI_JOINT_COMPOSITE_DENSE, TNI_JOINT_ARTICULATED };

/* ---- asking (system/data.c) --------------------------------------------------------------- */

static inline const char *tni_representation(const tni_data *s) { return s->ops->name; }

/* geometry of the coordinates */
static inline void tni_qdot(const tni_data *s, const double *q, const double *v, double *qd) {
  tni_layout_qdot(s->layout, q, v, qd);
}
static inline void tni_retract(const tni_data *s, const double *q, const double *dx, double *q_out) {
  tni_layout_retract(s->layout, q, dx, q_out);
}
/* dx [nv] with retract(q0, dx) = q1, for nearby poses */
static inline void tni_difference(const tni_data *s, const double *q0, const double *q1, double *dx) {
  tni_layout_difference(s->layout, q0, q1, dx);
}
/* Euler parameters to length 1 */
static inline void tni_normalize(const tni_data *s, double *q) { tni_layout_normalize(s->layout, q); }

/* coordinates and velocities of the bodies kin [nbody+1]; what they do that the system cannot do is left out */
void tni_coordinates(const tni_data *s, const tni_kin *kin, double *q, double *v);
/* those where the data began (in the model, not yet consistent) */
void tni_initial(const tni_data *s, double *q, double *v);

/* A state that somebody keeps. A data holds no state but the memory it is evaluated with. q, v, z stand in one
 * array, one after the other (_sized: with room between them). */
typedef struct tni_state {
  double t;
  double *q, *v, *a, *lambda; /* [nq], [nv], [nv], [m]                                          */
  double *z;                  /* [TNI_NZ] quadratures                                           */
  double *memory;             /* [nmemory] discrete: turns, modes of what switches, impulses    */
} tni_state;
/* with a memory of its own; _in: with that of the data, for who carries the data on; _sized: for several data, of
 * which none is larger, without a memory: it has to be pointed to one */
tn_status tni_state_create(tni_arena *arena, const tni_data *s, tni_state *out);
tn_status tni_state_create_in(tni_arena *arena, const tni_data *s, tni_state *out);
tn_status tni_state_create_sized(tni_arena *arena, int nq, int nv, int m, tni_state *out);
/* put in t, q, v, z, which may be its own */
void tni_state_set(tni_state *st, const tni_data *s, double t, const double *q, const double *v, const double *z);
/* all of it; of the memory, where the two do not share one */
void tni_state_copy(tni_state *to, tni_data *s, const tni_state *from);
/* q, v, z, memory as numbers, for files; t is the caller's. Both return the first number after them. */
int tni_state_numbers(const tni_data *s);
double *tni_state_write(const tni_state *st, const tni_data *s, double *to);
const double *tni_state_read(tni_state *st, tni_data *s, const double *from);
/* t, q, v (NULL: at rest) and the memory that s has */
void tni_state_keep(tni_state *st, const tni_data *s, double t, const double *q, const double *v);
static inline int tni_nmemory(const tni_data *s) { return s->model->nmemory; }
/* The discrete memory [nmemory] alone: keep it, put it back, take that of another data of the same model. */
void tni_memory_keep(const tni_data *s, double *out);
void tni_memory_restore(tni_data *s, const double *memory);
void tni_memory_copy(const tni_data *s, double *to, const double *from);
void tni_memory_changed(tni_data *s); /* by somebody who wrote to s->memory himself: forces are no longer those of the state */

void tni_eval(tni_data *s, const tni_at *at, const tni_want *want);
/* The same, one thing at a time; arrays returned are those of the data, and hold until it is evaluated at another state. Accelerations
 * [6 nbody]: v', angular acceleration in body components. (system/look.c) */
static inline tni_at tni_at_state(const tni_state *st) { return (tni_at){st->t, st->q, st->v, st->a, st->lambda}; }
const tni_kin *tni_look_bodies(tni_data *s, const tni_at *at); /* [nbody+1], [0] ground */
const double *tni_look_accelerations(tni_data *s, const tni_at *at);
const tni_force_out *tni_look_forces(tni_data *s, const tni_at *at); /* [nforce] */
double tni_look_kinetic(tni_data *s, const tni_at *at);
void tni_look_energies(tni_data *s, const tni_at *at, tni_energies *out);
/* Loads f [6 nbody] (force ground, torque body) without gyroscopic torques, in both representations; returns the
 * energy of the forces without signs. */
double tni_look_loads(tni_data *s, const tni_at *at, double *f);
/* Largest rate [rad/s] of an angle that is counted through turns; *which: its number in s->remember, -1: all are at rest, or there
 * are none */
double tni_look_turning(tni_data *s, const tni_at *at, int *which);
/* All sensors [tni_system_nsensor]; wrench [6 njoint] as tni_eval_reactions has it. */
int tni_system_nsensor(const tni_data *s); /* sum of components */
void tni_look_sensors(tni_data *s, const tni_state *now, const double *wrench, double *out);
/* Bodies at another state, out [nbody+1]; the data stays where it stands. */
void tni_look_aside(tni_data *s, const tni_at *other, tni_kin *out);
void tni_eval_bodies(tni_data *s, double t, const double *q, const double *v, const double *a);
void tni_eval_phi(tni_data *s, double t, const double *q, double *phi);
void tni_eval_rate(tni_data *s, double t, const double *q, const double *v, double *rate);
void tni_eval_balance(tni_data *s, double t, const double *q, const double *v, const double *a,
                      const double *lambda, double *r, double *phi, double *rate, double *gap);
void tni_eval_residuals(tni_data *s, double t, const double *q, const double *v, const double *a,
                        tni_residuals *out);
void tni_eval_reactions(tni_data *s, double t, const double *q, const double *v, const double *a,
                        const double *lambda, double *wrench);
bool tni_has_terms(const tni_data *s);
void tni_eval_terms(tni_data *s, double t, const double *q, const double *v, const double *v_force,
                    tni_terms *out);

/* v', multipliers and rates of the quadratures; lambda and zdot may be NULL. TN_SINGULAR when
 * the configuration is singular beyond repair. */
tn_status tni_accel(tni_data *s, double t, const double *q, const double *v, double *a,
                    double *lambda, double *zdot);
/* Nearest state on the constraints, in place. TN_NOT_CONVERGED leaves q, v unspecified. */
tn_status tni_project(tni_data *s, double t, double *q, double *v, const tni_project_opts *opts,
                      tni_project_report *report);
/* the same, whoever keeps the constraints: for those who put a state on them */
tn_status tni_project_anyway(tni_data *s, double t, double *q, double *v, const tni_project_opts *opts,
                             tni_project_report *report);
/* Does tni_project project, or does somebody hold the constraints otherwise? */
static inline bool tni_projects(const tni_data *s) { return !s->hold || s->hold->projects; }
/* Take from x [nv], a small change of velocities or of positions, what the projection would take:
 * its part across the constraints, with the factors of the last acceleration; where there are any. */
bool tni_has_tangential(const tni_data *s);
void tni_tangential(tni_data *s, bool velocity, double *x);

/* What tangents need, when it is not there from the beginning; these allocate. prepare_pattern: s->square and
 * s->rows for sparse tangents. */
tn_status tni_prepare_tangent(tni_data *s);
tn_status tni_prepare_pattern(tni_data *s);
tn_status tni_prepare_straight(tni_data *s); /* for methods on independent coordinates */
bool tni_has_tangents(const tni_data *s);
/* v, a, lambda NULL: zero */
tn_status tni_eval_tangent(tni_data *s, double t, const double *q, const double *v, const double *a,
                           const double *lambda, const tni_tangent *out);
tn_status tni_eval_sparse_tangent(tni_data *s, double t, const double *q, const double *v,
                                  const double *a, const double *lambda,
                                  const tni_sparse_tangent *out);
/* Where s->recursive, matrices of an implicit step without a matrix, in work that grows with the number
 * of bodies; where s->straight, of linear structures. newton_at: at a state, with r_t [nv] as in sparse tangents or NULL; holds until the next call
 * of it or of sparse tangents, which take s->newton_owner away: several methods may share a data.
 * newton_apply: y = r_q dq + r_v dv + M da, any of them NULL. newton_factor: m M + g r_v + b r_q;
 * false: singular. */
void tni_newton_at(tni_data *s, double t, const double *q, const double *v, const double *a, double *r_t);
void tni_newton_apply(tni_data *s, const double *dq, const double *dv, const double *da, double *y);
bool tni_newton_factor(tni_data *s, double m, double g, double b, tni_newton_turns turns);
void tni_newton_solve(tni_data *s, double *x);
/* the same with m = 1 and complex g, b, beside the real one; x [nv] pairs */
bool tni_newton_factor_complex(tni_data *s, const double g[2], const double b[2]);
void tni_newton_solve_complex(tni_data *s, double *x);

/* rank again at this configuration; changes which rows are dropped */
tn_status tni_update_rank(tni_data *s, double t, const double *q);
/* At a consistent state between two steps: exchange dropped rows for kept ones that have come
 * nearer to dependence as the mechanism moved, and count it in work.nexchange. The rank stays. */
tn_status tni_follow_rank(tni_data *s, double t, const double *q);
/* "elbow.x" of a constraint row; "rod.wx" or "elbow.angle" of a velocity component */
void tni_row_name(const tni_data *s, int row, char *out, size_t n);
void tni_dof_name(const tni_data *s, int dof, char *out, size_t n);
/* joint that a constraint row belongs to; body i */
const char *tni_row_owner(const tni_data *s, int row);
const char *tni_name_of_body(const tni_data *s, int i);
/* one line: solver, ordering, why */
void tni_describe(const tni_data *s, char *out, size_t n);

/* ---- nodes of the layout, in cartesian systems (system/nodes.c) ---------------------------- */

tni_inertia tni_node_inertia(const tni_data *s, int node); /* a point has mass only */
double tni_nodes_mass(const tni_data *s);                  /* of all */
/* "rod"; "body 'rod'"; of velocity k "body 'rod' about its own z" */
void tni_node_name(const tni_data *s, int node, char *out, size_t n);
void tni_node_label(const tni_data *s, int node, char *out, size_t n);
void tni_component_name(const tni_data *s, int k, char *out, size_t n);
/* Length to which moves are compared: the extent of the nodes at q [m], at least the distance of a joint from
 * one; of a body by itself its own size, and how far it and named points are from the origin. */
double tni_nodes_extent(const tni_data *s, const double *q);
/* it is that of a body by itself: nothing is apart from anything */
bool tni_nodes_alone(const tni_data *s, const double *q);
/* Forces f [nv] at a state without those of constraints, and their sizes [nv] without cancellation between
 * parts. Leaves the bodies there. */
void tni_nodes_loads(tni_data *s, double t, const double *q, const double *v, double *f, double *size);

/* ---- shared by the representations (system/common.c) --------------------------------------- */

/* Applied, gravity and gyroscopic forces on every body from s->kin: f [6 nbody] in (force ground,
 * torque body); fills force_value, potential, dissipated, input, and the forces of parts where they stand. Same bits for
 * any thread count. */
void tni_system_forces(tni_data *s, double t, double *f);
/* TN_SINGULAR: acceleration `dof` is not finite; names the force whose value is not, if there is one */
tn_status tni_system_not_finite(tni_data *s, double t, int dof);
/* Powers put in by the forces just evaluated, again with other velocities in s->kin: fills input, and the
 * loads in force_out of whoever puts something in. */
void tni_system_input(tni_data *s, double t);
/* Largest frequency [rad/s] of the elements of parts where they stand, which bounds that of the system from above; its damping
 * in parts of critical. 0: there are no parts. Does it change as they move? */
double tni_system_rate(tni_data *s, double *damping);
/* Steps of central differences in which parts do everything at once, on a state that they keep. Can they be taken? */
tn_status tni_system_march_begin(tni_data *s, tni_arena *arena, bool *can);
void tni_system_march_set(tni_data *s, const double *q, const double *v, const double *a);
/* the state, or (back > 0) that before the last step, which was as long: a as it was, q and v to rounding */
void tni_system_march_get(tni_data *s, double back, double *q, double *v, double *a);
/* A step of length h to t. The state belongs at q and v of the caller: who evaluates anything there has s->parts->bring write it first.
 * Energies are left out but the kinetic one. Out: forces times accelerations; loads times velocities, times accelerations, and times
 * accelerations at the beginning. */
typedef struct tni_march {
  double t, h;
  const double *q, *v;
  double along, power, more, less;
} tni_march;
typedef enum { TNI_MARCH_DONE = 0, TNI_MARCH_NOT, TNI_MARCH_LOST } tni_marched; /* NOT: loads are not finite, the state is as it was */
tni_marched tni_system_march(tni_data *s, tni_march *m);
void tni_system_march_end(tni_data *s);
/* Numbers of pieces added up over ranks (system/pieces.h); of whole parts they stay. */
void tni_system_sum(const tni_data *s, int n, double *x);
/* of parts, at the last evaluation of forces: loads . x and forces . x, x [nv]; of pieces their share */
double tni_system_loads_along(const tni_data *s, const double *x);
double tni_system_forces_along(const tni_data *s, const double *x);
bool tni_system_rate_changes(const tni_data *s);
/* Structures of small displacements and nothing else: M, df/dq and df/dv are the same, bit for bit, at every state and time. */
bool tni_system_is_linear(const tni_data *s);
double tni_system_kinetic(const tni_data *s); /* where bodies and parts stand; above `system`: tni_look_kinetic */
/* switching functions of all forces at a state, g [model->nevent]; leaves the bodies there */
void tni_system_events(tni_data *s, double t, const double *q, const double *v, double *g);
/* the same of the force or joint alone that function i belongs to: fills its part of g; returns g[i] */
double tni_system_event(tni_data *s, double t, const double *q, const double *v, int i, double *g);
/* largest rate of an impact under way, with `rests` also of what follows it; 0: none; *which: the force */
double tni_system_impact_rate(const tni_data *s, bool rests, const tni_force **which);
/* Whether a force remembers a way that is known to fourth order in the step only, whatever the method. */
bool tni_system_has_way(const tni_data *s);
/* force or joint that function i belongs to */
void tni_system_event_name(const tni_data *s, int i, char *out, size_t n);
/* What has switched at a state since the memory was `before` [nmemory], for the results. out, who
 * [model->nevent]: switches and the number in s->watch of the element; returns how many. */
int tni_system_switches(tni_data *s, double t, const double *q, const double *v, const double *before,
                        tni_switch *out, int *who);
const char *tni_system_watch_name(const tni_data *s, int watch);
/* dt times the normal forces of what touches at a state, added to the impulses in memory [nmemory] */
void tni_system_gather(tni_data *s, double t, const double *q, const double *v, double dt, double *memory);
/* At the state after an accepted step (at_event: where a switching function changed sign): remember angles,
 * set modes. Leaves the bodies there. True: other constraints are in force than before, so that the
 * rank has to be looked at again and the velocities change by an impulse. */
bool tni_system_commit(tni_data *s, double t, const double *q, const double *v, bool at_event);
/* While an equilibrium is looked for: forces as at events, but no latch locks or opens, wherever the search leads. Once it is found, the
 * refusal of one that would have since a memory was kept [nmemory], which is changed. */
/* History of matter alone, as an increment from `memory` to this state leaves it there; the data's own memory is not touched. */
void tni_system_increment(tni_data *s, double t, const double *q, const double *v, double *memory);
void tni_system_commit_rest(tni_data *s, double t, const double *q, const double *v);
int tni_system_nevent(const tni_data *s); /* switching functions */
/* Sets modes of forces that are wrong at a state, and nothing else; the name of the first of them, NULL: all are right. g [nevent] scratch. */
const char *tni_system_settle(tni_data *s, double t, const double *q, const double *v, double *g);
/* Smallest clearance of all open touches (tni_force_ops.clearance) and whose it is; HUGE_VAL: none is open */
bool tni_system_has_clearance(const tni_data *s);
double tni_system_clearance(tni_data *s, double t, const double *q, const double *v, const char **name);
tn_status tni_system_refuse_latches(tni_data *s, double t, const double *q, const double *v, double *memory);
/* For messages (conflict.c): do prescribed motions contradict each other or the joints at (t, q), or
 * from there within dt? Then a sentence with their names and by how much. Takes the rank anew. */
bool tni_system_conflict(tni_data *s, double t, double dt, const double *q, char *out, size_t n);
/* rows that are not in force now: latches that are open */
int tni_system_idle_rows(const tni_data *s);
bool tni_system_row_idle(const tni_data *s, int row);
#endif
