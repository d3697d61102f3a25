/* tenon/analysis.h - check a model, run it, step through it
 *
 *   tn_check      what the model is: degrees of freedom, loops, redundant constraints, singularity
 *   tn_run        the analysis of the model file, with a results file and a summary
 *   tn_sim        the same one step at a time, state readable in between
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_ANALYSIS_H
#define TN_ANALYSIS_H

#include <tenon/model.h>
#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- check --------------------------------------------------------------------------------- */

/* plain figures of a check; the report has them in words */
typedef struct {
  int bodies, joints, drives, forces;
  int coordinates;       /* velocity components: 6 (planar 3) per body                        */
  int equations;         /* constraint equations, nonholonomic ones included                  */
  int rank, redundant;   /* independent equations; equations - rank                           */
  int freedom;           /* coordinates - rank                                                */
  int loops;             /* independent closed loops                                          */
  int nonunique;         /* joints whose reactions are not unique                             */
  bool assembled;        /* a consistent position was found                                   */
  bool singular;         /* the rank is higher nearby                                         */
  double position_error; /* largest constraint residual as written in the file                */
} tn_check_info;

typedef struct tn_report tn_report;

/* Check a model. An inconsistent model is a result, not a failure: the report says so. */
TN_API TN_NODISCARD tn_status tn_check(tn_ctx *ctx, const tn_model *model, tn_report **out);
TN_API void tn_report_destroy(tn_report **report);
TN_API const tn_check_info *tn_report_info(const tn_report *report);
TN_API const char *tn_report_text(const tn_report *report); /* readable, several lines */
TN_API const char *tn_report_json(const tn_report *report);

/* ---- cut into domains ------------------------------------------------------------------------- */

/* how good a cut of the mesh of a structure into parts is; parts count from 0 */
typedef struct {
  int parts, cells, nodes;
  int least_cells, most_cells;
  double imbalance;             /* most over mean                                                */
  int interface_nodes;          /* of more than one part                                         */
  double mean_neighbours;       /* parts that share any node                                     */
  int most_neighbours;
  double mean_touching;         /* parts that share a whole face (edge of a plane mesh)          */
  int most_touching;
  double worst_aspect;          /* longest over shortest extent                                  */
  double whole_profile, worst_profile; /* rms bandwidth in nodes: of all, largest of a part      */
  int moved;                    /* cells that changed their part so that each is in one piece    */
  int in_pieces;                /* parts in several pieces because the mesh is                   */
} tn_cut_info;

TN_API const char *tn_decomposer_name(int i); /* rules by which meshes are cut; NULL after the last */
/* Cells of the mesh of a structure; structure NULL: the first one. TN_ERR_ARGUMENT: there is none of that name. */
TN_API TN_NODISCARD tn_status tn_structure_cells(tn_ctx *ctx, const tn_model *model, const char *structure, int *cells);
/* Cut it into parts, as `solver: feti` does; rule NULL: best; parts 0 with the rule file: as many as are written. part [cells] or NULL: of every cell,
 * in the order of the mesh. */
TN_API TN_NODISCARD tn_status tn_decompose(tn_ctx *ctx, const tn_model *model, const char *structure, const char *rule,
                                           int parts, int *part, tn_cut_info *out);

/* ---- run ----------------------------------------------------------------------------------- */

/* Zero in a field means "as the model file says". */
typedef struct {
  const char *results;  /* path of the results file; NULL: the one to continue, or else as the
                           model says; "": none                                                 */
  bool overwrite;       /* replace an existing results file                                     */
  const char *restart;  /* results file to continue from; NULL: start at the beginning. When it is
                           the file of results, too, the run goes on in it                      */
  double restart_time;  /* continue after this stored time, bit for bit; 0: the last row of a file
                           that goes on, else the last checkpoint                               */
  const char *method;   /* "rk45", "adams", "rk4", ...; NULL                                    */
  const char *representation; /* "cartesian", "joint"                                           */
  const char *solver;   /* "reduced", "sparse", "dense", "recursive", ...                       */
  const char *ordering; /* of the reduced solver                                                */
  const char *technique; /* "augmented", "baumgarte", "staggered", ...                          */
  double until, tolerance, step, every;
  bool meet_tolerance;  /* hold the error of the whole run, measured: see tn_meet_tolerance     */
  /* called after every step; may be NULL */
  void (*progress)(void *user, double t, double t_end, double h, long steps);
  void *user;
  const tn_watch *watch; /* who wants to see every stored time as it comes; borrowed; may be NULL */
} tn_run_opts;

/* Constraint techniques by number, from 0 on; NULL: no more. */
TN_API const char *tn_technique_name(int index);

/* a load at which the stiffness vanishes in one direction */
typedef struct {
  double load;                /* value of t                                                     */
  const char *kind;           /* "limit point", "bifurcation"                                   */
  char name[96];              /* largest part of the direction: "body 'rod' along x"            */
} tn_critical;
enum { TN_SUMMARY_CRITICAL = 16 };

/* one mode of small motions: exp((re + i im) t) */
typedef struct {
  const char *kind;           /* "rigid", "oscillates", "decays", "grows"                       */
  double frequency, damping;  /* |re + i im|/(2 pi) [Hz]; -re/|re + i im|                       */
  double re, im;              /* [1/s]                                                          */
  bool unstable;
  char name[96];              /* where most of the kinetic energy is: "body 'rod' along x"      */
  double share;               /* of that body in the kinetic energy                             */
  double off_by;              /* relative error of the frequency that rounding may have caused  */
} tn_mode;
enum { TN_SUMMARY_MODES = 64 };

/* what the start of the run made of the values of one kind that stand in the model file */
typedef struct {
  double size;                /* largest change [m, rad, m/s, rad/s]                            */
  double scale;               /* to judge it by: size of the model, 1 rad, largest speeds       */
  int count;                  /* bodies changed by more than rounding                           */
  char body[64];              /* the one changed most                                           */
} tn_correction;
enum { TN_CHANGED_POSITION, TN_CHANGED_ORIENTATION, TN_CHANGED_VELOCITY, TN_CHANGED_SPIN, TN_NCHANGED };

/* What a run watches about itself: the worst that was seen and what it may be, from the tolerance, the
 * method and the scales of the model (docs/theory/audit.md). */
enum {
  TN_AUDIT_BALANCE,           /* of energy [J]                                                  */
  TN_AUDIT_POSITION, TN_AUDIT_VELOCITY, TN_AUDIT_ACCELERATION, /* residuals of constraints       */
  TN_AUDIT_HEAT,              /* energy made by an element without a source [J]                 */
  TN_AUDIT_OVERLAP,           /* of bodies in contact, as the energy it takes [J]               */
  TN_AUDIT_START,             /* moves of bodies to meet the constraints at the start; 1: large */
  TN_AUDIT_TURN,              /* angle by which bodies turn less than their speeds say [rad]     */
  TN_AUDITS
};
typedef struct {
  const char *name;           /* "balance", "position", ...                                     */
  double value, allowed;      /* worst value; infinity: not judged in this run                   */
  double t;                   /* when it was seen                                               */
  char what[96];              /* constraint, force or body; "" if none                          */
} tn_audit;

/* a number that an analysis adds to the summary */
typedef struct {
  char name[48], unit[16];
  double value;
} tn_figure;
enum { TN_SUMMARY_FIGURES = 16 };

/* What happened. A program that was compiled against an older header has a shorter struct: its size goes
 * with every call, and members are only ever added at the end. Energies and residuals are over the times looked at (stored, or asked for); those of the
 * audit also over ends of steps in between. */
typedef struct {
  const char *outcome;        /* "complete", "stopped", "failed"                                */
  char error[512];            /* why it stopped or failed, "" if it did not                     */
  char method[128];           /* integration method used, and why                               */
  char system[256];           /* representation and linear solver, and why                      */
  char technique[360];        /* how constraints are kept and what was chosen for it, "" if by the
                                 system itself                                                  */
  char results[512];          /* path, "" if none                                               */
  double t_begin, t_end;      /* time reached                                                   */
  double tolerance;           /* given to the method                                            */
  bool fixed_step;            /* no error control: the tolerance is that of projections          */
  double run_tolerance, run_error; /* asked of the whole run and measured; 0 unless asked        */
  char run_reference[96];     /* what it was measured against                                   */
  long steps, rejected, events, stored;
  long switches;              /* what the events have switched: touch, release, slip, locked ... */
  long switches_stored, switches_left_out; /* in the results; beyond the bounds of the file      */
  long evaluations, factorizations, projections, rank_changes;
  long newton, jacobians, matrices; /* implicit methods: iterations, tangents, factored matrices  */
  long choices;               /* implicit methods: independent coordinates chosen                */
  double stiffness;           /* last step times the largest rate of the model, estimated; or 0 */
  double h_min, h_max;
  double position_error, velocity_error, acceleration_error; /* worst constraint residuals      */
  char worst_constraint[128]; /* of the position error                                          */
  double energy_begin, energy_end; /* kinetic + potential                                       */
  double dissipated, input;   /* work since the beginning                                       */
  double step_limit;          /* beams: explicit steps must be below this; 0: no beams          */
  char step_reason[240];      /* what vibrates so fast                                          */
  char rotary_scaled[240];    /* beams whose rotary inertia is scaled, and by how much          */
  int latches;                /* times that latches locked or opened                            */
  double latch_loss;          /* kinetic energy lost by their impulses                          */
  double energy_error;        /* largest |change of energy + dissipated - input|                */
  double energy_scale;        /* largest of the terms, to judge the error by                    */
  int redundant;              /* equations                                                      */
  int assembly_moved;         /* bodies that had to move to meet the constraints                 */
  char assembly_body[64];     /* the one that moved most, by so many m and rad                   */
  double assembly_distance, assembly_angle;
  double assembly_error;      /* largest residual of a constraint at the written position ...    */
  char assembly_row[128];     /* ... and its name                                                */
  tn_correction changed[TN_NCHANGED]; /* written values that could not be kept                    */
  /* equilibrium: statics, and what starts from it                                              */
  char analysis[16];          /* "transient", "statics", ...                                    */
  int equilibria;             /* found; 0: none was asked for                                   */
  int iterations, iterations_rejected;
  double residual;            /* largest residual relative to the forces                        */
  double residual_force, residual_moment; /* the largest ones left on a body [N], [N m]         */
  char residual_body[64];     /* that body                                                      */
  int unstable;               /* negative eigenvalues of the stiffness, 0: stable, -1: not known */
  bool nonconservative;       /* stiffness not symmetric: its eigenvalues prove nothing         */
  int unstable_left;          /* unstable equilibria that the search passed and left            */
  int free;                   /* directions without stiffness                                   */
  char free_names[256];       /* "body 'cart' along x, ..."                                     */
  int criticals;              /* critical loads; the first TN_SUMMARY_CRITICAL below            */
  tn_critical critical[TN_SUMMARY_CRITICAL];
  /* modes */
  int modes, modes_rigid, modes_unstable; /* all of them; the first TN_SUMMARY_MODES below      */
  double modes_spin[3];       /* angular velocity of the frame in which the motion is steady    */
  double modes_unsteady;      /* how far the motion is from steady, 0: it is                    */
  tn_mode mode[TN_SUMMARY_MODES];
  /* the run about itself */
  bool sound;                 /* every value is allowed                                         */
  char verdict[768];          /* "sound", or "doubtful: what, when, by how much; what to try"    */
  tn_audit audit[TN_AUDITS];
  double wall, cpu;           /* seconds                                                        */
  int figures;                /* of this analysis: "freedom" ...                                */
  tn_figure figure[TN_SUMMARY_FIGURES];
  /* implicit methods, seconds of wall time: tangents and matrices, their factors, accelerations and residuals,
   * dependent coordinates and projections; all steps. 0: not measured */
  double time_matrices, time_factors, time_accelerations, time_recovery, time_steps;
} tn_summary;

/* Run the analysis of the model. An interrupt (tn_ctx_interrupt) that came before the run stops it, too.
 * On TN_INTERRUPTED, TN_NO_PROGRESS and the like the results up to
 * that point are stored and the summary is filled. opts may be NULL. size: of the caller's tn_summary, which
 * tn_run knows; TN_ERR_ARGUMENT for one that is newer than the library. */
TN_API TN_NODISCARD tn_status tn_run_sized(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts,
                                           tn_summary *summary, size_t size);
TN_NODISCARD static inline tn_status tn_run(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts,
                                            tn_summary *summary) {
  return tn_run_sized(ctx, model, opts, summary, sizeof(*summary));
}

/* Summary as JSON text, freed with tn_text_free. */
TN_API TN_NODISCARD tn_status tn_summary_json_sized(tn_ctx *ctx, const tn_summary *summary, size_t size,
                                                    char **out);
TN_NODISCARD static inline tn_status tn_summary_json(tn_ctx *ctx, const tn_summary *summary, char **out) {
  return tn_summary_json_sized(ctx, summary, sizeof(*summary), out);
}

/* The same as lines of text, as `tenon run` prints it; freed with tn_text_free. */
TN_API TN_NODISCARD tn_status tn_summary_text_sized(tn_ctx *ctx, const tn_summary *summary, size_t size,
                                                    char **out);
TN_NODISCARD static inline tn_status tn_summary_text(tn_ctx *ctx, const tn_summary *summary, char **out) {
  return tn_summary_text_sized(ctx, summary, sizeof(*summary), out);
}

/* ---- one step at a time -------------------------------------------------------------------- */

typedef struct tn_sim tn_sim;

/* Assemble the model and get ready; nothing is stored in a file. The model is borrowed. */
TN_API TN_NODISCARD tn_status tn_sim_create(tn_ctx *ctx, const tn_model *model,
                                            const tn_run_opts *opts, tn_sim **out);
TN_API void tn_sim_destroy(tn_sim **sim);
/* One step of the method, or as many as needed to reach time t (state interpolated there). Steps
 * allocate nothing. */
TN_API TN_NODISCARD tn_status tn_sim_step(tn_sim *sim);
TN_API TN_NODISCARD tn_status tn_sim_advance(tn_sim *sim, double t);

/* Of all functions of a simulation: TN_ERR_ARGUMENT without one; numbers that are not wanted may be NULL where several are handed out.
 *
 * State at the present time. Positions and velocities are those of the frame origin of the body in
 * ground axes; Euler parameters (e0, e1, e2, e3); angular velocity in ground axes. */
TN_API double tn_sim_time(const tn_sim *sim);
TN_API TN_NODISCARD tn_status tn_sim_body_pose(tn_sim *sim, int body, double position[3],
                                               double euler[4]);
TN_API TN_NODISCARD tn_status tn_sim_body_velocity(tn_sim *sim, int body, double velocity[3],
                                                   double angular[3]);
TN_API TN_NODISCARD tn_status tn_sim_joint_coordinate(tn_sim *sim, int joint, int coordinate,
                                                      double *value, double *rate);
/* force and torque of the joint on its second body at the joint, ground axes */
TN_API TN_NODISCARD tn_status tn_sim_joint_reaction(tn_sim *sim, int joint, double force[3],
                                                    double torque[3]);
/* Values of a sensor [tn_model_sensor_size]. */
TN_API TN_NODISCARD tn_status tn_sim_sensor(tn_sim *sim, int sensor, double *values);
/* What a force of the model does to its first body: force, and torque about the centre of mass, ground axes. */
TN_API TN_NODISCARD tn_status tn_sim_force(tn_sim *sim, int force, double load[3], double torque[3]);
/* kinetic, potential, dissipated, input */
TN_API TN_NODISCARD tn_status tn_sim_energy(tn_sim *sim, double energy[4]);
TN_API TN_NODISCARD tn_status tn_sim_summary_sized(tn_sim *sim, tn_summary *out, size_t size);
static inline void tn_sim_summary(tn_sim *sim, tn_summary *out) {
  tn_status st = tn_sim_summary_sized(sim, out, sizeof(*out));
  (void)st; /* the size is right */
}

/* ---- take, set, save, load ------------------------------------------------------------------
 *
 * One simulation belongs to one thread at a time. Simulations of different contexts run side by side in
 * threads of their own and give the same bits as one after the other; they may share a model. */

/* Everything that the future depends on, at the end of the last step (tn_sim_state_time; it may lie after the
 * time last asked for). A simulation that gets the state back goes on bit for bit, also another one of the same
 * model and options. The numbers mean nothing to others. Taking a state is part of the run, as a checkpoint is:
 * methods that cannot keep their history begin it anew there, in the simulation that goes on, too.
 * Both leave the simulation at tn_sim_state_time. TN_ERR_ARGUMENT: wrong size, numbers that have been changed, or those of another model (names
 * or types differ), method, representation or technique; the simulation stays as it was. */
TN_API size_t tn_sim_state_size(const tn_sim *sim); /* numbers */
TN_API double tn_sim_state_time(const tn_sim *sim);
TN_API TN_NODISCARD tn_status tn_sim_get_state(tn_sim *sim, double *state, size_t size);
TN_API TN_NODISCARD tn_status tn_sim_set_state(tn_sim *sim, const double *state, size_t size);
/* The same in a file, for the same kind of machine; the file is replaced whole. TN_ERR_IO, TN_ERR_INPUT for a
 * file that is damaged or of another model. */
TN_API TN_NODISCARD tn_status tn_sim_save(tn_sim *sim, const char *path);
TN_API TN_NODISCARD tn_status tn_sim_load(tn_sim *sim, const char *path);

/* Coordinates and velocities of the representation in use at the present time: poses of bodies (cartesian), or
 * joint coordinates. Their numbers may change with `method: auto`; ask for a method and a representation. Set:
 * the method begins anew with what meets the constraints nearest to these values. */
TN_API void tn_sim_coordinates(const tn_sim *sim, int *nq, int *nv);
TN_API TN_NODISCARD tn_status tn_sim_get_coordinates(tn_sim *sim, double *q, double *v);
TN_API TN_NODISCARD tn_status tn_sim_set_coordinates(tn_sim *sim, const double *q, const double *v);

/* Go on where another simulation is, whose model has the same bodies, joints and forces but other numbers: so a
 * parameter changes in mid-run (compile the file again with an override, "k=500", and continue). The method
 * begins anew; positions move to meet constraints that have changed. */
TN_API TN_NODISCARD tn_status tn_sim_continue(tn_sim *sim, tn_sim *from);
/* Back to the start, as it was created. After a failure only destroy is left. */
TN_API TN_NODISCARD tn_status tn_sim_reset(tn_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
