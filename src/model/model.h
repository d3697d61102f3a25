/* model/model.h - the compiled model: constant while a simulation runs
 *
 * Bodies are rigid; their frame of mechanics has its origin in the centre of mass and the axes of
 * the user's body frame. Joints own constraint blocks; a drive (prescribed motion) is a joint too.
 * The types of joints, forces and constraints are behind operation tables, so that this header
 * knows none of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_MODEL_H
#define TNI_MODEL_H

#include "base/expr.h"
#include "kinematics/scalar.h"
#include "model/look.h"
#include "model/spec.h"

enum { TNI_MAXBODY = 8 }; /* bodies that one constraint block or force may touch */

typedef struct tni_frame {
  double p[3]; /* origin in the body frame of mechanics (from the centre of mass)  */
  double R[9]; /* R_BF: columns are the axes of the frame                          */
} tni_frame;

typedef struct tni_marker {
  const char *name;
  tni_frame frame;
} tni_marker;

/* What a body has of coordinates (system/layout.h). Nodes of cables and trusses are points: nothing turns
 * them and they have no size. */
typedef enum {
  TNI_NODE_POSE,   /* moves and turns             */
  TNI_NODE_FLAT,   /* the same in the plane       */
  TNI_NODE_POINT,  /* moves                       */
  TNI_NODE_POINT2, /* the same in the plane       */
  TNI_NODE_PLAIN,  /* a single number             */
  TNI_NODE_BALL    /* turns: a ball joint         */
} tni_node_kind;

static inline bool tni_node_turns(tni_node_kind kind) {
  return kind == TNI_NODE_POSE || kind == TNI_NODE_FLAT;
}

/* initial values of a body, in the order of tni_body.wrote */
enum tni_written { TNI_AT, TNI_TURN, TNI_VELOCITY, TNI_SPIN, TNI_NWRITTEN };

typedef struct tni_body {
  const char *name;
  const tni_item *item;  /* where the user wrote it                                  */
  tni_node_kind kind;
  double mass;
  double I[9], Iinv[9];  /* about the centre of mass, body axes                      */
  double com[3];         /* centre of mass in the user's body frame                  */
  double r0[3], p0[4];   /* initial centre of mass (ground), Euler parameters        */
  double v0[3], w0[3];   /* initial velocity of it (ground), angular velocity (body) */
  double hold_position, hold_velocity; /* weights of the given values in assembly, 1 = plain */
  bool wrote[4];         /* which of the initial values the user wrote: see tni_written */
  bool spin_in_body;     /* angular velocity written in body axes: it turns with them         */
  bool follows[2];       /* velocity, angular velocity: not held, follows from what is written */
  int nmarker;
  tni_marker *marker;    /* named points and frames                                  */
  int nlook;
  tni_look *look;       /* for pictures; none: derived from shape, joints, inertia  */
} tni_body;

/* What mechanics needs to evaluate anything: kin[body + 1], kin[0] is the ground. */
typedef struct tni_env {
  double t;
  const tni_kin *kin;
  const double *memory; /* [nmemory] discrete state: last angles, curve parameters, modes */
} tni_env;

/* ---- switches ------------------------------------------------------------------------------ */

/* what a change of modes at an event means to somebody who reads the results */
typedef enum {
  TNI_SWITCH_TOUCH, TNI_SWITCH_RELEASE, TNI_SWITCH_STICK, TNI_SWITCH_SLIP, TNI_SWITCH_REACHED,
  TNI_SWITCH_LEFT, TNI_SWITCH_TAUT, TNI_SWITCH_SLACK, TNI_SWITCH_EDGE, TNI_SWITCH_LOCKED,
  TNI_SWITCH_UNLOCKED, TNI_NSWITCH
} tni_switch_kind;
extern const char *const tni_switch_word[TNI_NSWITCH];

/* Speeds of approach (of a coordinate: its rate) and along the surface, before and after. NAN: means
 * nothing here. */
typedef struct tni_switch {
  tni_switch_kind kind;
  double impulse, normal[2], tangential[2];
} tni_switch;

static inline tni_switch tni_switch_of(tni_switch_kind kind) {
  return (tni_switch){kind, NAN, {NAN, NAN}, {NAN, NAN}};
}

/* memory of impulses [N s, N m s]: since the start, of the last touch or lock-up */
enum { TNI_IMPULSE_TOTAL, TNI_IMPULSE_LAST, TNI_IMPULSE_NMEMORY };

/* ---- constraints ------------------------------------------------------------------------- */

enum {
  TNI_C_POSITION = 1, /* phi                                                     */
  TNI_C_JACOBIAN = 2, /* J, and phi_t                                            */
  TNI_C_ACCEL = 4,    /* gamma                                                   */
  TNI_C_TANGENT = 8   /* H (needs lambda), Jw_q (needs w), others if wanted      */
};

/* Results of one constraint block with nb bodies and nr rows, overwritten. Column order of a block
 * row: body 0 of the block (delta_r, delta_theta), body 1, ... : 6 nb columns. Velocity level:
 * J v + phi_t = 0. Acceleration level: J v' = gamma. Nonholonomic blocks have phi = 0. */
typedef struct tni_con_out {
  double *phi;   /* [nr]                                                          */
  double *phi_t; /* [nr]                                                          */
  double *gamma; /* [nr]                                                          */
  double *J;     /* [nr][6 nb]                                                    */
  const double *lambda; /* [nr] in                                                */
  const double *w;      /* [6 nb] in                                              */
  const double *w2;     /* [6 nb] in, NULL: Jw2_q is not wanted                   */
  double *H;       /* [6 nb][6 nb]  d(J^T lambda)/d delta                         */
  double *Jw_q;    /* [nr][6 nb]    d(J w)/d delta                                */
  double *Jw2_q;   /* [nr][6 nb]    the same with w2                              */
  double *phit_q;  /* [nr][6 nb]    d(phi_t)/d delta, 0 for most                  */
  double *gamma_q; /* [nr][6 nb]    NULL: neither this nor gamma_v is wanted       */
  double *gamma_v; /* [nr][6 nb]                                                  */
} tni_con_out;

typedef struct tni_con tni_con;
typedef struct tni_con_ops {
  const char *name;
  void (*eval)(const tni_con *con, const tni_env *env, unsigned what, tni_con_out *out);
  /* after an accepted step (at_event: where a switching function changed sign): write the discrete
   * memory (last angles, whether the rows are in force); NULL if none */
  void (*commit)(const tni_con *con, const tni_env *env, bool at_event, double *memory);
  /* switching functions g [nevent], as those of forces; NULL if none */
  void (*events)(const tni_con *con, const tni_env *env, double *g);
  /* as those of forces */
  int (*switches)(const tni_con *con, const tni_env *env, const double *before, tni_switch *out);
} tni_con_ops;

struct tni_con {
  const tni_con_ops *ops;
  int joint;               /* owner                                                */
  bool nonholonomic;
  int nbody;
  int body[TNI_MAXBODY];   /* moving bodies, distinct                              */
  signed char unit[TNI_MAXBODY]; /* 1, -1: the first three rows are always that times the unit */
                           /* matrix in the translations of the body               */
  int nrow;                /* rows as evaluated (before empty ones are dropped)    */
  const char *const *rowname; /* [nrow] "x", "axis.1" ...                          */
  const char *const *rowunit; /* [nrow] unit of phi: "m", "rad", "1", "m/s"        */
  int mode;                /* 1 + slot of the memory that is 0 while the rows are not in force;
                              0: they always are                                   */
  int impulse;             /* 1 + first slot of its impulses, 0: not kept          */
  int nevent;
  const void *data;
};

static inline bool tni_con_in_force(const tni_con *con, const double *memory) {
  return con->mode == 0 || memory[con->mode - 1] != 0;
}

/* Rows that are not in force are empty: the rank analysis leaves them out, their multipliers are
 * 0. */
static inline void tni_con_eval(const tni_con *con, const tni_env *env, unsigned what,
                                tni_con_out *out) {
  con->ops->eval(con, env, what, out);
  if (tni_con_in_force(con, env->memory)) return;
  size_t n = (size_t)(6*con->nbody), nr = (size_t)con->nrow;
  size_t row = nr*sizeof(double), rows = nr*n*sizeof(double);
  if (what & TNI_C_POSITION) memset(out->phi, 0, row);
  if (what & TNI_C_ACCEL) memset(out->gamma, 0, row);
  if (what & TNI_C_JACOBIAN) {
    memset(out->phi_t, 0, row);
    memset(out->J, 0, rows);
  }
  if (!(what & TNI_C_TANGENT)) return;
  memset(out->H, 0, n*n*sizeof(double));
  memset(out->Jw_q, 0, rows);
  if (out->w2) memset(out->Jw2_q, 0, rows);
  memset(out->phit_q, 0, rows);
  if (!out->gamma_q) return;
  memset(out->gamma_q, 0, rows);
  memset(out->gamma_v, 0, rows);
}

/* ---- joints ------------------------------------------------------------------------------ */

/* how a joint can carry a body in the spanning tree: sequence of motions of frame 1 against
 * frame 0 (z is the axis of both) */
typedef enum {
  TNI_MOBIL_NONE = 0,  /* can only be a cut joint                             */
  TNI_MOBIL_FIXED,     /* 0                                                   */
  TNI_MOBIL_REVOLUTE,  /* 1: angle about z                                    */
  TNI_MOBIL_PRISMATIC, /* 1: displacement along z                             */
  TNI_MOBIL_CYLINDER,  /* 2: displacement along z, angle about z              */
  TNI_MOBIL_SCREW,     /* 1: angle about z, displacement pitch*angle/(2 pi)   */
  TNI_MOBIL_UNIVERSAL, /* 2: angle about z of frame 0, angle about y of frame 1 after it */
  TNI_MOBIL_SPHERICAL, /* 3: Euler parameters                                 */
  TNI_MOBIL_PLANAR,    /* 3: displacements along x, y of frame 0, angle about z */
  TNI_MOBIL_FREE,      /* 6: position and Euler parameters                    */
  TNI_MOBIL_POINT,     /* 3: position; of nodes that do not turn              */
  TNI_MOBIL_POINT2     /* 2: the same in the plane                            */
} tni_mobilizer;

typedef struct tni_coord {
  const char *name; /* "angle", "displacement", ...         */
  const char *unit; /* "rad" or "m"                         */
  tni_scalar scalar;
} tni_coord;

enum { TNI_MAXCOORD = 4 };

typedef struct tni_joint {
  const char *name;
  const char *type;
  const tni_item *item;
  int body[2];          /* TNI_GROUND allowed; reactions act on body[1], opposite on body[0] */
  tni_frame frame[2];
  tni_mobilizer mobilizer;
  double pitch;         /* screw [m per turn]                                          */
  bool cut;             /* the user wants it outside the spanning tree                 */
  bool is_drive;        /* prescribed motion: its reaction is the driving force        */
  int ncoord;
  tni_coord coord[TNI_MAXCOORD];
  bool has_initial[TNI_MAXCOORD], has_rate[TNI_MAXCOORD]; /* written by the user         */
  double initial[TNI_MAXCOORD], initial_rate[TNI_MAXCOORD];
  int con0, ncon;       /* its constraint blocks                                       */
} tni_joint;

/* ---- measured quantities ------------------------------------------------------------------ */

typedef enum {
  TNI_MEASURE_SCALAR, /* value of a scalar function                                     */
  TNI_MEASURE_RATE,   /* its time derivative                                            */
  TNI_MEASURE_OMEGA,  /* component of the angular velocity of a body along a fixed axis */
  TNI_MEASURE_SPEED   /* length of the velocity of a point                              */
} tni_measure_kind;

typedef struct tni_measure {
  tni_measure_kind kind;
  tni_scalar scalar;  /* SCALAR, RATE                                  */
  int body;           /* OMEGA, SPEED                                  */
  double axis[3];     /* OMEGA: ground components; SPEED: point in body */
} tni_measure;

/* An expression of t and measures with its derivatives: variable 0 is t, k+1 is measure k. */
typedef struct tni_function {
  const tni_expr *f, *f_t;
  const tni_expr **f_m; /* [nmeasure] derivative by each measure              */
  int nmeasure;
  tni_measure *measure;
  int nbody;            /* moving bodies that the measures depend on, distinct */
  int body[TNI_MAXBODY];
} tni_function;

/* ---- forces ------------------------------------------------------------------------------- */

enum { TNI_F_FORCE = 1, TNI_F_TANGENT = 2 };

typedef struct tni_force_out {
  double *f;         /* [6 nb] force (ground), torque about the centre of mass (body), overwritten */
  double potential;  /* stored energy [J]                                                 */
  double dissipated; /* power turned into heat [W], >= 0 for dampers                      */
  double input;      /* power put in by actuators and prescribed forces [W]               */
  double value;      /* what the sensor `force(name)` reports: tension, torque ...        */
  double *K;         /* [6 nb][6 nb] d f/d delta, overwritten when TNI_F_TANGENT          */
  double *D;         /* [6 nb][6 nb] d f/d v                                              */
  double *f_t;       /* [6 nb] d f/dt at fixed state, with TNI_F_TANGENT; NULL: not asked */
} tni_force_out;

typedef struct tni_force tni_force;
/* One touch of two shapes: how deep it is pressed in [m], how much that is of the thinner one (0: no side of it can be passed), and the
 * normal in axes of the second body. */
enum { TNI_MAXPRESSED = 8 };
typedef struct tni_pressed {
  double depth, part, n[3];
} tni_pressed;

typedef struct tni_force_ops {
  const char *name;
  void (*eval)(const tni_force *force, const tni_env *env, unsigned what, tni_force_out *out);
  /* Switching functions: g [nevent], >= 0 as long as the modes in the memory are right; the first time at
   * which one is negative is located and `commit` called there, as integrators/event.h says. The branch
   * taken by eval must depend on the memory, not on the sign of g. */
  void (*events)(const tni_force *force, const tni_env *env, double *g);
  /* at the start and at events: set modes; after accepted steps: last angles */
  void (*commit)(const tni_force *force, const tni_env *env, bool at_event, double *memory);
  /* NULL, or the rate [rad/s] of an impact under way, with `rests` also of what follows it and dies away; 0 if
   * there is none. Changes with the modes only. */
  double (*rate)(const tni_force *force, const double *memory, bool rests);
  /* What has switched from the memory `before` to that of env, for the results: out [nevent], returns how
   * many; NULL: nothing worth a record. */
  int (*switches)(const tni_force *force, const tni_env *env, const double *before, tni_switch *out);
  /* NULL, or: add dt times the normal forces of what touches to the impulses in the memory */
  void (*gather)(const tni_force *force, const tni_env *env, double dt, double *memory);
  /* NULL, or whether the memory holds a way that is known to fourth order in the step only */
  bool (*has_way)(const tni_force *force, const double *memory);
  /* NULL, or how far what is open is from touching [m], HUGE_VAL: nothing is open; below 0 it overlaps. Bodies that are moved and not
   * integrated are kept out of each other by it. */
  double (*clearance)(const tni_force *force, const tni_env *env);
  /* NULL, or how its touches are pressed in [TNI_MAXPRESSED]; returns how many there are */
  int (*pressed)(const tni_force *force, const tni_env *env, tni_pressed *out);
  bool samples; /* it acts by what it measured at times of its own: there is no rest, and nothing to linearise */
} tni_force_ops;

/* The stiffness of an element in two parts, -K = B^T F^-1 B - rest: forces are f = -B^T n of its stresses
 * n, which follow a displacement by n' = F^-1 B delta. B and F keep the digits that their product loses
 * where one stress is a million times stiffer than another. */
enum { TNI_MAXSTRESS = 12 };
typedef struct tni_mixed_out {
  double *n;    /* [nstress] stresses as they are                                          */
  double *B;    /* [nstress][6 nb]                                                         */
  double *F;    /* [nstress] > 0                                                           */
  double *rest; /* [6 nb][6 nb] d f/d delta at constant stresses                           */
} tni_mixed_out;

/* what elements of beams and trusses answer besides */
typedef struct tni_element_ops {
  /* strains and stress resultants in the middle, in the order of materials/section.h */
  void (*resultants)(const tni_force *force, const tni_env *env, double eps[6], double n[6]);
  /* Forces over a step of length h from env0 to env1 that do exactly the work of the change of the
   * potential and of `dissipated`; mid is halfway with the mean velocities. With TNI_F_TANGENT their
   * derivatives by the poses of mid (K), its velocities (D) and the poses of env1 (K1). NULL: none.
   * See system/discrete.h. */
  void (*discrete)(const tni_force *force, const tni_env *env0, const tni_env *env1,
                   const tni_env *mid, double h, unsigned what, tni_force_out *out, double *K1);
  bool adds_up; /* strains are added up from step to step: the result depends on the path */
  /* The two parts of the stiffness, `rest` at the stresses given (NULL: as they are). nstress 0: none */
  int nstress;
  void (*mixed)(const tni_force *force, const tni_env *env, const double *stress, tni_mixed_out *out);
} tni_element_ops;

/* Two bodies that a law sees turned against each other by less than half a turn: A_0^T A_1 R */
typedef struct tni_turned {
  int body[2]; /* TNI_GROUND allowed */
  double R[9];
} tni_turned;

struct tni_force {
  const char *name;
  const char *type;
  const tni_item *item;
  const tni_force_ops *ops;
  int nbody;
  int body[TNI_MAXBODY]; /* moving bodies, distinct: those loaded and those measured  */
  unsigned central;      /* bit e: on body[e] it never acts by a torque, nor asks how it has turned */
  int nevent;
  int impulse;           /* 1 + first slot of its impulses, 0: none                   */
  const tni_element_ops *element; /* internal force of a beam or truss; NULL: written by the user */
  const void *data;
  /* where it acts, ground coordinates; NULL: at points fixed on bodies */
  void (*where)(const tni_force *force, const tni_env *env, double x[3]);
  /* of contacts: the deepest overlap [m or rad] and the energy that pressing so deep takes; NULL: none */
  void (*overlap)(const tni_force *force, const tni_env *env, double *depth, double *energy);
  int nturned;           /* turns that must stay below half a turn: the law begins anew there   */
  const tni_turned *turned; /* [nturned]                                              */
  int nend;              /* points it acts at, for pictures: 0, 1, or 2 (a line)      */
  int end_body[2];       /* TNI_GROUND allowed                                        */
  double end[2][3];      /* in the body frame of mechanics                            */
};

/* ---- beams and trusses --------------------------------------------------------------------- */

/* outline of a section, x along the beam */
typedef struct tni_outline {
  enum { TNI_OUTLINE_UNKNOWN, TNI_OUTLINE_RECTANGLE, TNI_OUTLINE_CIRCLE, TNI_OUTLINE_TUBE } kind;
  double size[2];    /* extent along y and z; radius; outer and inner radius                */
} tni_outline;

/* A chain of nodes joined by elements. Nodes are bodies; an end may also be fixed in a body that
 * the user wrote, or in the ground. Elements are forces. */
typedef struct tni_beam {
  const char *name;
  const tni_item *item;
  int nnode;
  int *node;         /* [nnode] body, TNI_GROUND allowed at the ends                        */
  tni_frame *frame;  /* [nnode] section (x along the beam) in the body                      */
  double *arc;       /* [nnode] length along the beam at rest                               */
  double *share;     /* [nnode] length that a node stands for: sums to the whole            */
  int element0, nelement; /* its forces                                                     */
  const struct tni_profile *profile; /* stiffness, inertia and size (materials/section.h)   */
  bool bends;        /* false: truss or cable                                               */
  tni_outline outline; /* of the section, for pictures                                      */
} tni_beam;

/* ---- parts ------------------------------------------------------------------------------- */

typedef struct tni_part tni_part; /* what has unknowns of its own beside bodies: model/part.h */

/* ---- sensors ------------------------------------------------------------------------------ */

typedef enum {
  TNI_SENSOR_FUNCTION, /* expression of t and measures                                 */
  TNI_SENSOR_POINT,    /* position, velocity or acceleration of a point, 3 components  */
  TNI_SENSOR_TURN,     /* angular velocity or acceleration of a body, 3 components     */
  TNI_SENSOR_REACTION, /* force and torque of a joint, 6 components                    */
  TNI_SENSOR_FORCE,    /* value reported by a force element                            */
  TNI_SENSOR_ENERGY,   /* kinetic, potential, dissipated, input, total                 */
  TNI_SENSOR_ELEMENT,  /* strains or stress resultants of an element, 6 components     */
  TNI_SENSOR_STRAIN_ENERGY, /* of a beam                                               */
  TNI_SENSOR_IMPULSE,  /* of a contact, stop or latch: since the start, the last       */
  TNI_SENSOR_EFFORT    /* force and torque that a joint would need, 6 components       */
} tni_sensor_kind;

typedef struct tni_sensor {
  const char *name;
  const tni_item *item;
  tni_sensor_kind kind;
  int ncomponent;
  const char *const *component; /* [ncomponent] "x", "y", ... */
  const char *unit;
  tni_function function;
  int body;        /* POINT, TURN; REACTION, EFFORT: body[1] of the joint               */
  const bool *beyond; /* [nbody] EFFORT: bodies on that side of the joint               */
  int index;       /* REACTION, EFFORT: joint; FORCE, ELEMENT: force; ENERGY: which of the five, -1 all;
                      STRAIN_ENERGY: beam; IMPULSE: slot of the memory                  */
  double point[3]; /* POINT: in the body frame of mechanics                             */
  double R[9];     /* axes of the components in the body (in_body)                      */
  int level;       /* POINT, TURN: 0 position, 1 velocity, 2 acceleration; ELEMENT: 0 strain,
                      1 resultant                                                       */
  bool in_body;    /* components in the body frame (REACTION, EFFORT: joint frame 1)    */
} tni_sensor;

/* ---- the model ---------------------------------------------------------------------------- */

typedef struct tn_model tn_model;
struct tn_model {
  tn_ctx *ctx;
  tni_arena arena;
  tni_arena hot;        /* what every evaluation touches, packed: pages count in long chains */
  const tn_spec *spec;  /* borrowed: must outlive the model                                */
  const char *title;
  bool planar;          /* bodies move in x, y and rotate about z                          */
  double gravity[3];
  int nbody, njoint, ncon, nforce, nsensor, nmemory, nevent;
  int nelement;         /* of the forces: those of beams                                   */
  int nbeam;
  tni_beam *beam;
  int npart, nmesh;
  tni_part *part;
  struct tni_mesh **mesh; /* of its parts, destroyed with it                              */
  tni_body *body;
  tni_joint *joint;
  tni_con *con;
  tni_force *force;
  tni_sensor *sensor;
  double *memory0;      /* [nmemory] initial discrete state                                */
  int ntimed;           /* expressions of time that act on the motion                      */
  struct tni_timed {
    const tni_expr *f;
    int variable;       /* that is t                                                       */
    int nmeasure;
    const tni_measure *measure; /* [nmeasure] variables 1 ...; 0: time alone, or nothing that is known here */
    int nplace;
    const double *place; /* [nplace][variable] values of the variables before t; 0: there are none */
  } *timed;
  int ground_nmarker;
  tni_marker *ground_marker;
  int ground_nlook;
  tni_look *ground_look; /* for pictures                                                  */
};

static inline const char *tni_body_name(const tn_model *m, int body) {
  return body == TNI_GROUND ? "ground" : m->body[body].name;
}

/* s by its bodies at the environment; memory looked up */
static inline void tni_scalar_at(const tni_scalar *s, const tni_env *env, unsigned what,
                                 tni_scalar_out *out) {
  tni_scalar_eval(s, &env->kin[s->body[0] + 1], &env->kin[s->body[1] + 1],
                  s->memory >= 0 ? env->memory[s->memory] : 0, what, out);
}

/* The beam that has made this body as a node of its own, NULL: it is no node. */
static inline const tni_beam *tni_beam_of(const tn_model *m, int body) {
  for (int i = 0; i < m->nbeam; i++)
    if (m->beam[i].item == m->body[body].item) return &m->beam[i];
  return NULL;
}

#endif
