/* integrators/list.c - the methods; a new one is one line here
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/integrator.h"

#include <math.h>
#include <string.h>

/* in the order users see them: the default choice first */
#define METHODS(X) \
  X(rk45)            \
  X(rk8)             \
  X(adams)           \
  X(rk4)             \
  X(rosen)           \
  X(sdirk)           \
  X(staggered)       \
  X(energy_momentum) \
  X(infl_sdirk)      \
  X(infl_trap)       \
  X(desc_sdirk)      \
  X(desc_trap)       \
  X(radau)           \
  X(alpha)           \
  X(hht)             \
  X(ida)             \
  X(trap)            \
  X(trapezoidal)     \
  X(state_time)      \
  X(central)

#define X(name) extern const tni_integrator_type tni_integrator_##name;
METHODS(X)
#undef X

#define X(name) &tni_integrator_##name,
const tni_integrator_type *const tni_integrator_types[] = {METHODS(X)};
#undef X
const int tni_integrator_ntype = TNI_COUNT(tni_integrator_types);

const tni_integrator_type *tni_integrator_find(const char *name) {
  for (int i = 0; i < tni_integrator_ntype; i++) {
    if (strcmp(tni_integrator_types[i]->name, name) == 0) return tni_integrator_types[i];
  }
  return NULL;
}

double tni_integrator_share(const tni_integrator_type *type, const tni_data *s, double tolerance) {
  double share = s->relative && type->share_joint > 0 ? type->share_joint : type->share > 0 ? type->share : 1;
  double loose = fmin(fmax(4 + log10(tolerance), 0), 1); /* 0 at 1e-4, 1 at 1e-3 */
  return type->loose > 0 ? share*pow(type->loose, loose) : share;
}

void tni_integrator_destroy(tni_integrator **it) {
  if (!it || !*it) return;
  (*it)->type->destroy(*it);
  *it = NULL;
}
