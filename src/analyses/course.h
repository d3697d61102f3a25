/* analyses/course.h - analyses of whole trajectories: solve, look, derive by parameters
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_COURSE_H
#define TNI_COURSE_H

#include "analyses/run.h"
#include "trajectory/trajectory.h"

/* A model with its parameters, and a trajectory of it over [from, until]. */
typedef struct tni_course {
  tn_ctx *ctx;
  tn_sim *sim;          /* no integrator; cartesian; borrowed, or                         */
  tn_spec *spec;        /* read again with other parameters: owned with sim and model      */
  tn_model *model;
  tni_trajectory *tr;   /* NULL: not asked for                                            */
  double *q0, *v0;      /* where it begins, as assembled                                  */
  long solves, sweeps;
} tni_course;

/* keys of all these analyses are `elements` and `order` of every run. TN_ERR_UNSUPPORTED names what switches. */
tn_status tni_course_open(tn_sim *sim, tni_course *out);
void tni_course_close(tni_course *w);
/* Solve from q, v; warm: what there is serves as a guess. TN_NOT_CONVERGED with a message. */
tn_status tni_course_solve(tni_course *w, const double *q, const double *v, bool warm);
/* The simulation shows element boundary e: sensors, reactions, energies. */
tn_status tni_course_show(tni_course *w, int e);
/* Open the results and store rows at output times along the trajectory, of the model that w has now. */
tn_status tni_course_store(tni_run *r, tni_course *w);

/* ---- parameters ---------------------------------------------------------------------------- */

enum { TNI_VARY_POINTS = 5 };

/* One parameter, and the model at neighbouring values of it. */
typedef struct tni_variant {
  const char *name;
  double value, step;
  int n;                       /* neighbours                                         */
  double offset[TNI_VARY_POINTS], weight[TNI_VARY_POINTS]; /* of the formula, in steps */
  tni_course at[TNI_VARY_POINTS];
  tni_slab_desk desk[TNI_VARY_POINTS];
} tni_variant;

typedef struct tni_vary {
  tni_course *base;
  tni_arena arena;
  int n;
  tni_variant *p;
  double *y;       /* [n][2 nv] change of the state where one stands         */
  double *r, *dz;  /* [n][nz]                                                */
} tni_vary;

/* names [n] of parameters of the model of w, which stay borrowed */
tn_status tni_vary_open(tni_course *w, int n, const char *const *names, tni_vary *out);
void tni_vary_close(tni_vary *v);
/* At the beginning of the solved trajectory: v->y is how its state depends on the parameters. Factors the trajectory. */
tn_status tni_vary_begin(tni_vary *v);
/* on to the end of element e */
tn_status tni_vary_advance(tni_vary *v, int e);
/* Derivatives of all sensors there: out [n][nsensor]; e: the boundary where v stands */
tn_status tni_vary_sensors(tni_vary *v, int e, double *out);

/* The model of w at other values of parameters, in its place: everything is made anew, the old trajectory serves as a guess. */
tn_status tni_course_change(tni_course *w, int n, const char *const *names, const double *value);

/* sensor component by its name such as pin.angle, pin.reaction.fx; -1: unknown, with a message */
int tni_course_sensor(const tni_course *w, const tni_item *an, const char *key, const char *name);
/* parameters of key 'free', each once; how many, -1: one is none, with a message */
int tni_course_parameters(tni_course *w, tni_arena *arena, const tni_item *an, const char ***out);

#endif
