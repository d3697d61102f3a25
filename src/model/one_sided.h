/* model/one_sided.h - modes of a spring with damper that acts one way only: ropes, stops, tyres
 *
 * With the elastic load E and the whole load T = E + damper, both counted in the direction that is allowed:
 *
 *   slack    E < 0           nothing is carried, nothing is stored
 *   taut     E > 0, T > 0    T is carried
 *   held     E > 0, T < 0    the damper would act the wrong way: nothing is carried; the energy counts
 *                            as stored until the mode ends, where what is gone has turned to heat
 *
 * Memory: mode, energy stored while it is held. Energy and heat of a mode go on smoothly beyond its ends,
 * so that steps that go past an event count them rightly up to it. Switching functions are shifted by `shift` into the present mode.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_ONE_SIDED_H
#define TNI_ONE_SIDED_H

#include "model/build.h"

typedef enum { TNI_SLACK, TNI_TAUT, TNI_HELD_OFF } tni_one_sided;

enum { TNI_ONE_SIDED_MODE, TNI_ONE_SIDED_KEPT, TNI_ONE_SIDED_NMEMORY };
enum { TNI_ONE_SIDED_NEVENT = 2 };

static inline void tni_one_sided_events(const double *m, double E, double T, double shift,
                                        double g[TNI_ONE_SIDED_NEVENT]) {
  tni_one_sided mode = (tni_one_sided)m[TNI_ONE_SIDED_MODE];
  g[0] = mode == TNI_SLACK ? shift - E : E + shift;
  g[1] = mode == TNI_SLACK ? 1 : mode == TNI_TAUT ? T + shift : shift - T;
}

/* sets the mode; stored: energy of the spring at this state */
static inline void tni_one_sided_switch(double *m, double E, double T, double shift, double stored) {
  double g[TNI_ONE_SIDED_NEVENT];
  tni_one_sided mode = (tni_one_sided)m[TNI_ONE_SIDED_MODE];
  tni_one_sided_events(m, E, T, shift, g);
  if (g[0] < 0) mode = mode == TNI_SLACK ? TNI_TAUT : TNI_SLACK;
  else if (g[1] < 0) mode = mode == TNI_TAUT ? TNI_HELD_OFF : TNI_TAUT;
  if (mode == TNI_HELD_OFF && m[TNI_ONE_SIDED_MODE] != mode) m[TNI_ONE_SIDED_KEPT] = stored;
  m[TNI_ONE_SIDED_MODE] = mode;
}

/* Whether it began or ceased to carry between two memories; rate: at which it is stretched. kind: of the
 * beginning, kind + 1: of the end. */
static inline bool tni_one_sided_record(const double *before, const double *after, double rate,
                                        tni_switch_kind kind, tni_switch *out) {
  bool was = before[TNI_ONE_SIDED_MODE] == TNI_TAUT, is = after[TNI_ONE_SIDED_MODE] == TNI_TAUT;
  if (was == is) return false;
  *out = tni_switch_of(is ? kind : kind + 1);
  out->normal[0] = rate;
  return true;
}

/* memory for it, at the first state */
static inline tn_status tni_one_sided_build(tni_builder *b, double E, double T, double stored, int *memory) {
  int kept;
  TN_TRY(tni_build_memory(b, !(E > 0) ? TNI_SLACK : T > 0 ? TNI_TAUT : TNI_HELD_OFF, memory));
  return tni_build_memory(b, stored, &kept);
}

#endif
