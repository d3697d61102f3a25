/* solids/structure_work.h - what the files of a structure share while it is evaluated: working memory, nodes, elements, loads
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_STRUCTURE_WORK_H
#define TNI_STRUCTURE_WORK_H

#include "solids/batch.h"
#include "solids/slabs.h"
#include "solids/structure.h"

enum { TNI_STRUCTURE_TOGETHER = 128 }; /* elements whose stiffnesses are evaluated before they are added */

/* of the elements of a slab (slabs.h) */
typedef struct tni_slab_sum {
  double energy, dissipated;
  int bad; /* element without a force, -1: none */
} tni_slab_sum;

typedef struct tni_structure_work {
  double *u, *v;           /* [nnode][ndof] of all nodes                                    */
  double *x;               /* [nnode][3] where they are                                     */
  double *f;               /* [nnode][ndof] what acts on them, internal and external        */
  double *warm, *warm_t;   /* [nnode] temperature now, and its rate; NULL: none, or it stays */
  double *given, *given2, *rate; /* [nnode][ndof] prescribed velocities, accelerations; df/dt by them */
  double *spin;            /* [2][nnode][ndof] arms and what they give, of consistent masses */
  double *fe;              /* [nfe] of elements                                             */
  double *fb;              /* [nnode][3] of elements in batches; NULL: there are none       */
  double *energy, *heat;   /* [nelement]                                                    */
  double *plastic;         /* [nelement] turned into heat since the history was written     */
  double *K;               /* [TNI_STRUCTURE_TOGETHER][nv][nv] of elements                                   */
  tni_slabs *slabs;        /* [nblock] of those in batches                                  */
  tni_slab_sum *sums;          /* [nblock][TNI_SLABS_MOST]                                      */
  double (*parts)[2];      /* [chunks of nodes] of a sum over nodes                          */
  bool *done;              /* [TNI_STRUCTURE_TOGETHER]                                                       */
  double *state;           /* [nmemory] history of the last commit                          */
  double *stress, *stress_u; /* [nnode][6] at nodes, where those were                       */
  bool stressed;
  int stress_round;  /* of pieces: tni_part_share.round it belongs to */
  double *T, *delta;       /* [nnode][9], [nnode][3] large rotations and what is new of them; NULL: none (structure_turn.c) */
  int bad;                 /* element without a force, -1: none                             */
  struct tni_structure_march *march; /* plan of explicit steps in one sweep, NULL: none (structure_march.c) */
} tni_structure_work;

/* what threads are told */
typedef struct tni_structure_job {
  const tni_part *part;
  const tni_structure *s;
  const tni_part_at *at;
  tni_structure_work *w;
  const tni_structure_block *block;
  unsigned want;
  int first;      /* element of the block that a batch begins with */
  const tni_slabs *slabs;
  tni_slab_sum *sums;
  double *f;      /* of the unknowns */
  bool history;   /* write it */
  bool spins;     /* moments are those of spins */
  double least;   /* frequencies of elements below it need not be known */
} tni_structure_job;
/* copies of what the nodes of element e of a block have */
typedef struct tni_structure_local {
  double X[3*TNI_SOLID_MAXNODE], u[TNI_SOLID_MAXDOF], v[TNI_SOLID_MAXDOF], warm[TNI_SOLID_MAXNODE], T[9*8];
  tni_solid_at at;
} tni_structure_local;

/* a function of time, 0 where there is none */
static inline double tni_structure_value(const tni_expr *e, double t) { return e ? tni_expr_eval(e, &t) : 0; }

/* temperatures at t; steady ones only where asked for all (not moving) */
void tni_structure_heat_nodes(const tni_structure *s, double t, bool moving, double *warm);
bool tni_structure_heat_changes(const tni_structure *s);
/* w->warm_t := rates of temperatures at t; *step: time in which the fastest one strains by a small part at that rate. False: all rest. */
bool tni_structure_heat_rates(const tni_structure *s, tni_structure_work *w, double t, double *step);
void tni_structure_heat_add(const tni_structure *s, tni_structure_work *w, double dt); /* w->warm += dt w->warm_t */
void tni_structure_gather(const tni_structure_job *j, int e, tni_structure_local *l);
/* internal forces of all elements into w->f where nodes have been placed; false: w->bad has none */
bool tni_structure_eval_internal(const tni_part *part, tni_structure_work *w, const tni_part_at *at);
/* w->f += what masses, springs and loads do; loads with rate: df/dt in their place, into w->f cleared by the caller */
void tni_structure_add_masses(const tni_structure *s, tni_structure_work *w, tni_part_out *out);
void tni_structure_add_springs(const tni_structure *s, tni_structure_work *w, tni_part_out *out);
void tni_structure_add_loads(const tni_structure *s, tni_structure_work *w, double t, bool rate, double *power);
/* nodes of face k of a load at x; returns how many */
int tni_structure_face_nodes(const tni_structure *s, const tni_load *l, int k, const double *x, tni_cell *cell, int *node, double *at);
/* w->f to unknowns and carriers; spins: moments are those of spins, not of the unknowns of rotation */
void tni_structure_scatter(const tni_part *part, tni_structure_work *w, const tni_kin *kin, bool spins, double *f, double *f6);

/* Bulk viscosity (s->bulk) of an element that was gathered: its forces are added to f [nv], its power to *heat; either may be NULL.
 * Returns its damping in parts of critical. */
double tni_structure_viscosity(const tni_structure *s, const tni_structure_block *b, const tni_structure_local *l, double *f, double *heat);

/* members of tni_structure_ops */
bool tni_structure_tangent(const tni_part *part, void *user, const tni_part_at *at, const tni_part_tangent *out);
void tni_structure_fill(const tni_part *part, void *user, const tni_part_at *at, int i, double *out);
tn_status tni_structure_march_begin(const tni_part *part, void *user, tni_arena *arena, bool *can);
void tni_structure_march_set(const tni_part *part, void *user, const double *q, const double *v, const double *a);
void tni_structure_march_get(const tni_part *part, void *user, double back, double *q, double *v, double *a);
bool tni_structure_march_loads(const tni_part *part, void *user, double t);
bool tni_structure_march(const tni_part *part, void *user, tni_part_march *step);
tn_status tni_structure_elements(const tni_part *part, tni_arena *arena, tni_part_elements *out);
bool tni_structure_element_tangent(const tni_part *part, void *user, const tni_part_at *at, int e, double *K);
bool tni_structure_element_product(const tni_part *part, void *user, const tni_part_at *at, int e, const double *x, double *y);
double tni_structure_doubt(const tni_part *part, void *user, const tni_part_at *at, char *why, size_t n);

#endif
