/* analyses/sim.h - a running simulation: system, integrator, events, and the state to look at
 *
 * tn_run and tn_sim_* are both made of this. A step is taken, then everything recorded between its
 * ends is read through `tni_sim_look`; only the next step acts on an event that was found.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SIM_H
#define TNI_SIM_H

#include <tenon/analysis.h>

#include "analyses/assemble.h"
#include "analyses/audit.h"
#include "analyses/auto.h"
#include "analyses/passive.h"
#include "analyses/flow.h"
#include "analyses/instants.h"
#include "analyses/passages.h"
#include "analyses/turns.h"
#include "analyses/stall.h"
#include "analyses/switches.h"
#include "integrators/event.h"
#include "techniques/technique.h"

#define TNI_TIGHTEST 1e-12 /* tolerance that double precision allows */

typedef struct tni_run_settings {
  char method[32], representation[32], solver[32], ordering[32], technique[32];
  tni_technique_opts technique_opts;
  int iterations;           /* method trapezoidal: passes of a step, 0 until they converge   */
  bool midpoint_rotation;   /* method staggered                                              */
  int resynchronize;        /* method staggered: 0 auto, < 0 off, stations                   */
  char reason[80];  /* why auto chose the method */
  double from, until, tolerance, step, max_step, min_step, every, checkpoint, rho;
  double growth, soft_start; /* of equal steps, 1 and 0: none */
  double cut;       /* > 1: so many times smaller errors of a step were asked for than rounding allows */
  bool forbid_redundant;
  bool equal_steps; /* no error control */
  const struct tni_analysis *analysis;
  char search[16];  /* downhill, nearest, stable */
  bool from_statics; /* begin at the equilibrium */
  bool undecided;   /* modes: at the equilibrium unless the model moves */
  double spin[3], spin_at[3]; /* steady rotation that counts as rest */
  int load_steps, nmodes;
  bool stressed;    /* modes, buckling: the stresses of small displacements count */
  bool arc_length, switch_branch;
} tni_run_settings;

/* what steps depend on beside the state: length that errors are counted by (0: none), end, time from checkpoint to checkpoint */
typedef struct tni_run_before {
  double length, end, checkpoint;
} tni_run_before;

struct tn_sim {
  tn_ctx *ctx;
  const tn_model *model;  /* as compiled                                                     */
  tni_arena own;          /* what outlives a reset: texts of opts                            */
  tn_run_opts opts;       /* as given, copied                                                */
  bool steps;             /* there is an integrator                                          */
  tni_kin *origin;        /* [nbody+1] the bodies as they are assembled                      */
  const double *origin_parts; /* displacements of structures at the start, NULL: as the model says */
  const double *origin_rates; /* their velocities, likewise                                  */
  double doubt;           /* largest of parts at states that were stored, 1: beyond what they hold for */
  char why_doubt[400];
  tni_system *joint;      /* NULL: not needed                                                */
  tni_arena arena;
  tni_run_settings set;
  tni_data *cartesian;  /* assembly; also the system when that representation is used      */
  tni_data *s;          /* what is integrated                                              */
  tni_integrator *it;     /* NULL: nothing is integrated                                     */
  tni_choice *choice;     /* of auto: owns s and it, which may change before a step; NULL: no choice */
  tni_technique *technique; /* NULL: the system by itself                                    */
  tni_assembly assembly;
  double t_lo, t_hi;      /* the last step, cut at an event                                  */
  tni_run_before earlier; /* the run that a checkpoint was loaded of */
  double follow_until;    /* steps follow what the last switch began up to this time         */
  double follow_rate, follow_after; /* and these are the rates, see tni_integrator_follow    */
  bool with_pieces;       /* the state last looked at is that of `it`, and the ranks have a piece of it each: at.q, at.v, at.a are older */
  bool event;             /* an event ends the last step; handled by the next one            */
  tni_event_finder *finder;
  tni_state begin;        /* q, v, z before the step: it may be taken back                   */
  tni_passive passive;    /* no element without a source gives heat back                     */
  tni_turns turns;        /* no step loses count of turns                                    */
  tni_flow flow;          /* the path of plastic flow is followed within steps                */
  tni_instants instants;  /* no step passes over what a function of time does                */
  tni_passages passages;  /* nor over conditions and pulses that the motion meets             */
  tni_switches switches;  /* what the last event has switched, impulses                      */
  tni_stall stall;        /* whether the steps still lead anywhere                           */
  bool *unique;           /* [njoint] reaction is unique                                     */
  /* joint coordinates with reactions that are not: state, forces, multipliers in `cartesian` */
  bool shares;
  tni_state share;
  double *share_f;
  /* the state last looked at */
  tni_state at;
  double *wrench, *sensor;
  double zdot[TNI_NZ];    /* powers there                                                    */
  double energy0;         /* kinetic + potential at the beginning                            */
  bool begun;             /* it is known                                                     */
  tni_audit audit;
  tni_residuals residuals;
  tni_state start;        /* statics: where a load step began,                               */
  double *end;            /* and ended                                                       */
  double *row_q, *row_delta, *row_part, *row_v; /* of the last row, and to look at the way from there */
  double *before;         /* statics: on the near side of a critical load                    */
  double *value, *value_end; /* eigenvalues of the stiffness there                           */
  struct tni_response *response;  /* harmonic: what it shows                        */
  int ncase, case_factorizations; /* statics: load cases, factorizations for all of them     */
  double *case_energy;            /* [ncase]                                                  */
  double forces_left, forces_met; /* statics: largest residual, largest size of the forces    */
  double load, critical;  /* statics: load parameter, 0 plain 1 limit point 2 bifurcation     */
  double mode, phase;     /* what an animated mode shows, for the recorder                   */
  bool counts;            /* rows are not called by the time of their state, but by          */
  double row;             /* a frequency, the number of a mode or of an equilibrium          */
  tn_summary sum;
  double wall0, cpu0;
};

/* in public functions: a program that has not looked at what create returned */
#define TNI_REQUIRE_SIM(sim) \
  do {                       \
    if (!(sim)) return TN_ERR_ARGUMENT; \
  } while (0)

/* what the model file and the options ask for; TN_ERR_INPUT for contradictions */
tn_status tni_run_settings_read(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts,
                                tni_run_settings *out);
/* the method asks for a constraint technique */
bool tni_settings_by_technique(const tni_run_settings *set);
/* Options of the systems. joint: relative coordinates are asked for; either: so are none; open_tree: they have no
 * constraints. */
tn_status tni_settings_solver(const tni_run_settings *set, const tn_model *model, tni_arena *arena,
                              tni_system_opts *o, bool *joint, bool *either, bool *open_tree);

/* steps: build an integrator; without one, look shows the state in at */
tn_status tni_sim_create(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts, bool steps, tn_sim **out);
/* Bring sim->sum up to date. */
void tni_sim_summarize(tn_sim *sim);
/* A data that begins at the assembled state, of the system of the run in either representation. */
tn_status tni_sim_data(tn_sim *sim, const tni_system_opts *o, bool joint, tni_data **out);

/* One step. TN_OK, TN_NO_PROGRESS ... ; sim->t_lo, t_hi tell the interval. */
tn_status tni_sim_advance_step(tn_sim *sim);
/* velocities meet the constraints at t by an impulse; sim->at */
tn_status tni_sim_meet_constraints(tn_sim *sim, double t);
/* start again at the event that ended the last step */
tn_status tni_sim_pass_event(tn_sim *sim);
/* The last step has been too long: back to sim->begin, where the method starts anew. */
tn_status tni_sim_take_back(tn_sim *sim);
/* At an event, with sim->at and t_hi there: modes of elements until they agree with the state, switches noted, heat of it booked. */
tn_status tni_sim_switch(tn_sim *sim);
/* Full state at t in [t_lo, t_hi]: q, v, z, a, lambda, wrench, sensors, energies, residuals. */
tn_status tni_sim_look(tn_sim *sim, double t);
/* The same where several ranks have a piece of the state each, without bringing it together; where that cannot be, tni_sim_look. For who asks for
 * energies and fields of pieces afterwards: sim->with_pieces. All ranks alike. */
tn_status tni_sim_look_pieces(tn_sim *sim, double t);
tni_at tni_sim_at(const tn_sim *sim); /* the state last looked at, without accelerations where it is with its pieces */

/* what the row of the state that is looked at is called */
static inline double tni_sim_row(const tn_sim *sim) { return sim->counts ? sim->row : sim->at.t; }

/* Multipliers of least norm in sim->cartesian for the bodies at a state of sim->s, with accelerations acc and
 * forces f [6 nbody], as tni_cartesian_share; needs to be prepared. */
tn_status tni_sim_prepare_sharing(tn_sim *sim);
tn_status tni_sim_share(tn_sim *sim, const tni_at *at, const double *acc, const double *f, double *lambda,
                        bool *held);

/* numbers that continue a run bit for bit, taken at the end of a step */
int tni_sim_ncheckpoint(const tn_sim *sim);
tn_status tni_sim_save(tn_sim *sim, double *state);
tn_status tni_sim_load(tn_sim *sim, const double *state);
/* steps from the next one on are those of that run */
void tni_sim_go_on_as(tn_sim *sim, const tni_run_before *run);
/* Act on the event that ended the last step, if one did: what a checkpoint needs. */
tn_status tni_sim_settle(tn_sim *sim);
/* Go on at time t from q, v [nq], [nv] of the system in use, which the constraints may change; work done so
 * far stays, the jump of the energy is nobody's error, and the audit begins anew. */
tn_status tni_sim_place(tn_sim *sim, double t, const double *q, const double *v);
/* Go on from the state of a simulation whose model has other numbers. */
tn_status tni_sim_take_over(tn_sim *sim, const double *state);
/* As it was created. */
tn_status tni_sim_reset(tn_sim *sim);

#endif
