/* forces/impact.h - a one-sided spring that returns the part e^2 of the energy it takes up
 *
 * With the penetration p and its rate p' (any unit: a distance, an angle beyond a stop):
 *
 *   open                N = 0
 *   loading    p' > 0   N = k p                    stored k p^2/2 - lost; in equilibria, which have no rates, back to open where p < 0
 *   unloading  p' < 0   N = k (p - p0)/e^2         stored k (p - p0)^2/(2 e^2), p0 = (1 - e^2) p_max
 *   apart      p < p0   N = 0, until p < 0 or p > p0 again
 *   resting    N > 0    N = k (p - p0)/e^2 + c p', stored as unloading; after p' changed sign again before release
 *   held       p > p0   N = 0 while the damper of a resting contact would pull, stored as where that began:
 *                       what the spring gives back is counted as heat where it ends
 *
 * so that a free impact returns at e times its speed. The part 1 - e^2 of the stored energy turns to
 * heat at the turn, where the spring stiffens; the analysis counts what a switch makes vanish. A resting
 * contact that is pressed in deeper than p_max goes on loading: what was lost at its turn stays lost.
 * Stored energy then never jumps up, at no switch. The damper of a resting contact has the damping ratio
 * of an oscillator whose rebound would be e; without loss (e = 1) there is none. k is given, or follows
 * at every new contact from the effective mass m_e so that the contact lasts the given time:
 * k = m_e (pi/duration)^2.
 *
 * The branch is in the memory and changes at located events only (integrators/event.h); the switching
 * functions are shifted a little so that a new branch does not end where it begins.
 *
 * Sources: K. C. Park et al., multibody dynamics of flexible space structures, University of
 * Colorado 1988-90 (idea of the time-varying spring that stores and returns impact energy); the law
 * itself is of the Walton-Braun type.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_FORCE_IMPACT_H
#define TNI_FORCE_IMPACT_H

#include "model/build.h"

typedef struct tni_impact {
  double e, k, duration; /* k 0: from the duration   */
  double ratio;          /* damping when resting     */
  double shift;          /* of switching functions of penetrations: far above rounding, far below anything of interest */
} tni_impact;

typedef enum { TNI_OPEN, TNI_LOADING, TNI_UNLOADING, TNI_APART, TNI_RESTING, TNI_HELD } tni_branch;

/* memory of one impact; kept: energy lost at an earlier turn while loading, stored while held; speed: p' where
 * it began; impulse: since then */
enum { TNI_IMPACT_BRANCH, TNI_IMPACT_K, TNI_IMPACT_MASS, TNI_IMPACT_PMAX, TNI_IMPACT_KEPT,
       TNI_IMPACT_SPEED, TNI_IMPACT_IMPULSE, TNI_IMPACT_NMEMORY };

/* at most two ways out of a branch; 1: does not apply */
enum { TNI_IMPACT_NEVENT = 2 };

typedef struct tni_impact_out {
  double N, N_p, N_rate, stored, heat;
  double elastic, elastic_p; /* part of N without its damper, and its slope; goes on while it is held */
} tni_impact_out;

void tni_impact_eval(const tni_impact *d, const double *m, double p, double rate,
                     tni_impact_out *out);
void tni_impact_events(const tni_impact *d, const double *m, double p, double rate,
                       double g[TNI_IMPACT_NEVENT]);
/* Rate of the fast motion that a branch is a part of [1/s]. Loading and unloading have to be followed, else what
 * comes back is not what went in; with `rests` also what comes after, which dies away. 0: nothing. */
double tni_impact_rate(const tni_impact *d, const double *m, bool rests);
/* Sets the branch; mass counts when a contact begins. True: the branch changed. */
bool tni_impact_switch(const tni_impact *d, double p, double rate, double mass, double *m);

/* The two are pressed together: not open, not apart. */
static inline bool tni_impact_pressed(const double *m) {
  return m[TNI_IMPACT_BRANCH] != TNI_OPEN && m[TNI_IMPACT_BRANCH] != TNI_APART;
}
/* Whether a touch began or ended between two memories; kind: of its beginning, kind + 1: of its end. */
bool tni_impact_record(const double *before, const double *after, double rate, tni_switch_kind kind,
                       tni_switch *out);

/* load per penetration while it grows, of bodies with that effective mass */
double tni_impact_stiffness(const tni_impact *d, double mass);

/* From the keys restitution, stiffness, duration. */
tn_status tni_impact_build(tni_builder *b, const tni_item *item, tni_impact *out);

#define TNI_IMPACT_KEYS(stiffness_unit)                                                           \
  {.name = "restitution", .kind = TNI_KIND_NUMBER, .min = 0.05, .max = 1, .initial = "1",         \
   .doc = "Speed of separation over speed of approach in a free impact."},                        \
  {.name = "duration", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL,          \
   .unit = "s", .initial = "1e-3",                                                                \
   .doc = "How long an impact without loss lasts: the stiffness is chosen for it at every new "   \
          "contact, from the masses of the two bodies."},                                         \
  {.name = "stiffness", .kind = TNI_KIND_NUMBER, .flags = TNI_ABOVE_MIN, .max = HUGE_VAL,         \
   .unit = stiffness_unit, .doc = "Load per penetration while it grows, instead of duration."}

#endif
