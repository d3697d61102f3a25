/* analyses/record.h - which numbers of a simulation go into the results file, and in which order
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_RECORD_H
#define TNI_RECORD_H

#include "analyses/sim.h"
#include "output/results.h"

typedef struct tni_record {
  int nchannel, cap;
  tni_channel *channel;
  int ncolumn;    /* numbers of the channels */
  int nplain;     /* bodies that are no nodes of beams */
  int *plain;
  int nmesh, nfield, field_cap;
  tni_mesh_info *mesh;
  tni_field *field;
  int nvalue;     /* numbers per stored time, fields included */
  double *value;  /* [nvalue]                */
} tni_record;

/* Fields: nodes of beams and cables (pose and velocity), stresses of their elements. Channels: other bodies (pose and
 * velocity of the frame), joints (coordinates, rates, reaction),
 * sensors, energy, residuals. */
tn_status tni_record_create(const tn_sim *sim, tni_arena *arena, tni_record *out);
/* fill rec->value from the state last looked at */
void tni_record_fill(tn_sim *sim, tni_record *rec);

/* Force and torque of a force of the model (nbody > 0) on its first body, about the centre of mass, ground axes. */
void tni_record_force(const tn_model *m, const tni_data *s, int force, double load[6]);

#endif
