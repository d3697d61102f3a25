/* system/parts.h - the parts of a model within a cartesian system
 *
 * Unknowns of parts follow those of bodies, one span after the other. A data keeps the place and velocity at which the
 * parts stand as it keeps those of bodies (s->kin): whoever asks for energies or fields afterwards finds them there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_PARTS_H
#define TNI_PARTS_H

#include "model/part.h"
#include "system/system.h"

struct tni_parts {
  int n;
  const tni_part *part;  /* [n] of the model                                        */
  int q0, v0, nv;        /* first coordinate and velocity of all parts; how many    */
  const int *at;         /* [n+1] first unknown of each, counted from q0 and v0     */
  tni_part_places *places; /* [n] in the pattern, see cartesian_tangent.c           */
  /* of a data */
  double t, *u, *v;      /* [nv] where they stand                                   */
  const double *lent_u, *lent_v; /* where they stand after a step as a whole: u, v are copied when they are asked for; NULL: u, v hold */
  double lent_kinetic;
  double *f;             /* [nv] forces of the last evaluation                      */
  void **work;           /* [n]                                                     */
  double squares;        /* of the forces of their elements: what residuals are judged by */
  bool linear;           /* all of them                                             */
  bool bodies_coupled;   /* one of them has mass that couples unknowns: system/coupled.c */
  const double *start, *start_v; /* [nv] displacements and velocities to begin at, NULL: as the model says */
  bool stressed;         /* tangents have the stiffness of stresses: tni_part_at.stressed */
  bool still;            /* equilibria: what is prescribed in time has a place, no velocity */
  bool unloaded;         /* df/dt is that of what is prescribed, without loads      */
  int failed;            /* part that had no force in the last evaluation, -1: none */
  struct tni_sparse_solver **masses; /* [n] factors of M where it is not diagonal   */
  bool *mass_failed;     /* [n] M has no factor                                     */
  int ahead;             /* unknowns of points before them, which no row touches    */
  double *scratch;       /* [nv]                                                    */
  /* of a data whose parts are pieces, other ranks having the others (system/pieces.h); NULL: they are whole */
  struct tni_comm *comm;
  struct tni_halo_sum *halo; /* [n]                                                 */
  const bool *owned;     /* [nv]                                                    */
  bool failed_elsewhere; /* a piece of another rank had no force                    */
  /* of the whole while pieces move: the state that was lent is brought here when somebody wants to see it, forces where it stands are asked of
   * the pieces (energies only; p->f means nothing), and so is history; NULL: it is all here */
  void (*bring)(void *user);
  void (*ask)(void *user, tni_energies *energies, double *squares);
  void *away;
};

/* constants, once the layout is known; NULL without parts */
tn_status tni_parts_create(tni_arena *arena, const tn_model *m, const tni_layout *L, tni_parts **out);
/* those of a data */
tn_status tni_parts_begin(tni_data *s);
/* coordinates where the parts begin */
void tni_parts_initial(const tni_data *s, double *q, double *v);
/* stand at t, q, v (NULL: at rest) */
void tni_parts_set(tni_data *s, double t, const double *q, const double *v);
/* u, v hold what was lent: before those who lent it change it */
void tni_parts_settle(const tni_data *s);
/* where part i stands, without accelerations */
tni_part_at tni_parts_at(const tni_data *s, int i);
/* Has one of them matter whose history depends on the path? Then: that history, as one increment from `memory` (of the whole model) to where they
 * stand leaves it there. */
bool tni_parts_have_path(const tni_data *s);
void tni_parts_increment(tni_data *s, double *memory);
double tni_parts_norm(const tni_data *s, const double *a); /* |M a| of their own unknowns */
/* s->parts->f, f6 [6 nbody] +=, s->potential, dissipated, input += */
void tni_parts_forces(tni_data *s, double *f6);
double tni_parts_kinetic(const tni_data *s);
/* y [nv of parts] := M x where M is not diagonal; the others stay */
void tni_parts_apply_mass(const tni_parts *p, const double *x, double *y);
/* is M of a part not diagonal? */
bool tni_parts_coupled(const tni_parts *p);
/* x := M^-1 f of those parts: tni_kkt.free_solve */
void tni_parts_solve_mass(void *parts, const double *f, double *x);
void tni_parts_end(tni_data *s);
void tni_parts_commit(tni_data *s);
/* TN_SINGULAR with the reason, where a part has no force */
tn_status tni_parts_trouble(const tni_data *s);
/* part and its unknown of velocity k of the system, -1: it belongs to a body */
int tni_parts_owner(const tni_data *s, int k, int *unknown);

#endif
