/* analyses/record.h - which numbers of a simulation go into the results file, and in which order
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_RECORD_H
#define TNI_RECORD_H

#include "analyses/sim.h"
#include "output/results.h"

/* what is stored of a structure */
typedef struct tni_stored {
  int nnode;
  const int *node; /* [nnode] of its mesh; NULL: all, in their order */
  int nfield;
  int *field;      /* [nfield] of the fields of the part             */
} tni_stored;

typedef struct tni_record {
  int nchannel, cap;
  tni_channel *channel;
  int ncolumn;    /* numbers of the channels */
  int nplain;     /* bodies that are no nodes of beams */
  int *plain;
  int nmesh, nfield, field_cap;
  tni_mesh_info *mesh;
  tni_field *field;
  tni_stored *stored; /* [structures] */
  double *scratch;    /* of a field of a whole mesh, where a part of it is stored */
  struct tni_crew_share *share; /* [fields apart] which ranks have what while pieces move; NULL: all have all */
  int *part, *part_field;       /* [fields apart] of which part, which of its fields                          */
  double *piece;                /* of a field of a piece                                                      */
  int nvalue;     /* numbers per stored time, fields included */
  size_t *apart;  /* where fields apart begin among them, one after the other; they come last */
  double *value;  /* [nvalue] of the row at hand */
  double *other;  /* [nvalue] of the row before, which the writer may be reading still; NULL: there is one place for all */
  size_t lent, other_lent; /* how far the writer has to come before they may be changed */
} tni_record;

/* Fields: nodes of beams and cables (pose and velocity), stresses of their elements. Channels: other bodies (pose and
 * velocity of the frame), joints (coordinates, rates, reaction),
 * sensors, energy, residuals. */
tn_status tni_record_create(tn_sim *sim, tni_arena *arena, tni_record *out);
/* Are the fields and groups that `output` names there? TN_ERR_INPUT with those that are. */
tn_status tni_record_check(const tn_model *model);
/* fill rec->value from the state last looked at; all but fields of structures; a field apart of a state that is with its pieces, at own nodes (rec->share),
 * NULL: another rank has failed */
void tni_record_fill(tn_sim *sim, tni_record *rec);
void tni_record_fill_columns(tn_sim *sim, tni_record *rec);
void tni_record_fill_structures(tn_sim *sim, tni_record *rec); /* the rest: with pieces it comes together for that */
const double *tni_record_fill_piece(tn_sim *sim, tni_record *rec, int i);

/* Force and torque of a force of the model (nbody > 0) on its first body, about the centre of mass, ground axes. */
void tni_record_force(const tn_model *m, tni_data *s, const tni_at *at, int force, double load[6]);

#endif
