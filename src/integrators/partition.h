/* integrators/partition.h - independent coordinates of a step, matrices of implicit methods
 *
 * Within a step the configuration is q = retract(q_0, xi): xi [nv] are local coordinates around the
 * configuration q_0 at its beginning, where xi = 0 and xi' = v. They form a vector space also where
 * rotations do not. A basis splits them into dependent and independent ones,
 *
 *   xi = Z u + P y,   C P = 0, C Z = 1 at q_0,   Phi(t, q_0 (+) xi) = 0 determines u from y
 *
 * where Z moves dependent coordinates only (chosen by elimination of C with full pivoting), or is
 * normal to the tangent plane of the constraints at q_0. What remains is an ordinary differential
 * equation y'' = g(t, y, y') with
 *
 *   Mhat g_y = -M2,   Mhat g_y' = -M1,   Mhat g_t = gt
 *
 * A tree without constraints whose system eliminates its matrices itself (s->recursive), or a linear structure (s->straight), is straight: y = xi, no
 * matrix is formed, and all below costs work proportional to the number of bodies.
 *
 * Nothing allocates after create, but KLU in descriptor form when other coordinates or rows are chosen.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PARTITION_H
#define TNI_PARTITION_H

#include "integrators/common.h"

typedef struct tni_partition {
  tni_data *s;
  tni_parametrization kind;
  bool straight;  /* y = xi, and P, Mhat, M1, M2 are not there                               */
  struct tni_whole *whole; /* M1, M2 are not there but in the matrix of all accelerations and multipliers;
                     NULL: they are                                                          */
  struct tni_ways *ways; /* Mhat, M1, M2 are made otherwise, as `jacobian` says; NULL: as usual */
  int n, r, nd;   /* velocities, independent rows, freedoms nd = n - r                        */
  int *row;       /* [r] rows of C in use                                                     */
  int *dep, *ind; /* [r], [nd] components of xi; coordinates only                             */
  int nturn;      /* rotations: three consecutive components each                             */
  int *turn;      /* [nturn] first component                                                  */
  double cond0;   /* of C_u when the coordinates were chosen                                  */
  double repartition; /* growth of it that asks for others                                    */
  long nchosen;   /* choices of coordinates so far                                            */
  tni_jacobian jacobian;
  bool keep;      /* the next beginning may keep M1, M2, as long as the basis is the same one */
  bool fresh;     /* they are those of this beginning                                         */
  int nforced;    /* components that the user wants independent; they are marked              */
  bool *forced;   /* [n]                                                                      */
  double t, *q, *v, *a; /* beginning of the step                                              */
  double size;    /* of the coordinates and places of bodies there, at least 1                */
  double *P;      /* [n][nd] column k: xi' that y'_k = 1 causes, so that C P = 0              */
  double *Mhat, *M1, *M2; /* [nd][nd] row-major                                               */
  double *gt;     /* [nd]                                                                     */
  double *xi, *xid, *xidd; /* [n] of the state recovered last                                 */
  double tol;     /* of the recovery: corrections below are not made                          */
  long nrefresh;  /* factorizations of C_u inside a step                                      */
  struct tni_partition_work *w;
} tni_partition;

bool tni_partition_is_straight(const tni_data *s, const tni_integrator_opts *opts);

/* whole: for a formula in descriptor form. TN_ERR_UNSUPPORTED: the system has no tangents, or rows on
 * velocities only */
tn_status tni_partition_create(tni_arena *arena, tni_data *s, const tni_scale *scale,
                               const tni_integrator_opts *opts, double tol, bool whole,
                               tni_partition *p);
void tni_partition_destroy(tni_partition *p);

/* gt: not wanted; that of the forces; by differences, where constraints depend on time too */
typedef enum { TNI_TIME_NONE = 0, TNI_TIME_EXACT, TNI_TIME_DIFFERENCES } tni_time_rate;

/* Independent coordinates and matrices at a consistent state. With numerical matrices gt is by
 * differences, too. TN_SINGULAR with a message naming the row. */
tn_status tni_partition_begin(tni_partition *p, double t, const double *q, const double *v,
                              const double *a, const double *lambda, double h, tni_time_rate time);

/* out += f Mhat x + f1 M1 y1 + f2 M2 y2; x, y1, y2 [nd] may be NULL. Scratch is that of p. */
void tni_partition_multiply(tni_partition *p, double f, const double *x, double f1, const double *y1,
                            double f2, const double *y2, double *out);

/* Does it factor its matrices itself? */
static inline bool tni_partition_eliminates(const tni_partition *p) { return p->straight || p->whole; }
/* for those: factors of Mhat + g M1 + b M2, false: singular; x [nd] := their solution */
bool tni_partition_factor(tni_partition *p, double g, double b);
void tni_partition_solve(tni_partition *p, double *x);

/* in descriptor form: x [nd] := Mhat^-1 x */
void tni_partition_solve_mass(const tni_partition *p, double *x);

/* In descriptor form (or straight), with the factors: the changes of all accelerations xi'' [n], multipliers [m] and y''
 * [nd] for residuals r [n], gap [m] of the equations of motion (tni_eval_balance). pull [n]: accelerations that
 * the change of the multipliers would give every coordinate by itself. */
void tni_whole_correct(tni_partition *p, const double *r, const double *gap, double *dxdd,
                       double *dlambda, double *dydd, double *pull);
void tni_whole_describe(const tni_partition *p, char *out, size_t n);

/* coordinates of a vector of the space of xi: y = B2 x */
void tni_partition_extract(const tni_partition *p, const double *x, double *y);
/* x [n] = P y */
void tni_partition_expand(const tni_partition *p, const double *y, double *x);
/* What a change of (y, y') at the beginning of the step does to all positions and velocities: P dy,
 * P dy' + V dy. The second part is the change of velocity ratios with the position. */
void tni_partition_change(tni_partition *p, const double *dy, const double *dyd, double *dx,
                          double *dv);

/* Dependent positions and velocities for given independent ones: q, v, and xi, xid of p. An outcome
 * > 0 comes with its cause. */
tn_status tni_partition_recover(tni_partition *p, double t, const double *y, const double *yd,
                                double *q, double *v, tni_cause *cause);
/* g at the state recovered last; a, xidd of p belong to it. lambda, zdot may be NULL */
tn_status tni_partition_accel(tni_partition *p, double t, const double *q, const double *v,
                              double *a, double *lambda, double *zdot, double *ydd,
                              tni_cause *cause);

/* a [n] of given xi'' at the state recovered last */
void tni_partition_to_accel(const tni_partition *p, const double *xidd, double *a);

/* the local coordinates of a given state: xi, xid, and xidd when a is not NULL */
void tni_partition_locate(tni_partition *p, const double *q, const double *v, const double *a);
/* q, v from xi, xid; false when a rotation exceeds half a turn */
bool tni_partition_place(const tni_partition *p, const double *xi, const double *xid, double *q,
                         double *v);

/* whether constraints change with time, seen at samples of [t0, t1] */
bool tni_partition_rheonomic(tni_partition *p, double t0, double t1, const double *q);

/* stand at q */
void tni_partition_stand(tni_partition *p, const double *q);
/* Forget the choice of coordinates and stand at q. A run that is saved and one that continues it
 * both choose again there, and so stay the same bit for bit. */
void tni_partition_restart(tni_partition *p, const double *q);

#endif
