/* analyses/statics.h - equilibrium as an analysis of its own and as the start of others
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_STATICS_H
#define TNI_STATICS_H

#include "analyses/sim.h"

/* Move the assembled q of the cartesian system s to equilibrium at t. *at_rest: v becomes zero or
 * that of the spin, which sets *at_rest; else v is left alone and no longer consistent. Results go
 * into the summary. */
/* TN_ERR_UNSUPPORTED names a sampled controller: `what` does not know what it would do */
tn_status tni_statics_refuse_samples(const tn_sim *sim, const char *what);
tn_status tni_statics_begin(tn_sim *sim, tni_data *s, double t, double *q, double *v,
                            bool *at_rest);

/* Rows that follow each other without a way between them (arc length, structures): doubtful, if on the straight one bodies pass through
 * what contacts keep them out of. _begin: where the first way begins. */
tn_status tni_statics_way_begin(tn_sim *sim);
tn_status tni_statics_way_look(tn_sim *sim);

/* Stores what the simulation shows; called for every equilibrium. */
typedef tn_status (*tni_store_fn)(void *user);
/* The analysis `statics`: equilibrium at `from`, and for load_steps > 0 at so many more times up to
 * `until`. sim->s must be cartesian. */
tn_status tni_statics_run(tn_sim *sim, tni_store_fn store, void *user);

/* lines of the summary of a run at rest */
void tni_statics_text(const tn_summary *sum, tni_text *text);

#endif
