/* elements: tangents, balance, rigid motion, patch tests, and what must not depend on the path
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/beams.h"

#include "unit/forces/properties.h"

static const tni_profile profile = {.C = {900, 300, 400, 50, 70, 90}, .rhoA = 1, .rhoI = {2, 1, 1}};
static const tni_section beams = {.name = "beams", .item = "beam"};

/* an element between bodies of the rig; offsets: ends away from the frames of the bodies */
static const tni_force *element(rig *r, const tni_element_type *type, const int *body,
                                bool offset, double damping) {
  static int count;
  char name[16];
  tni_item *item;
  tni_element_in in = {.name = "it", .profile = &profile, .damping = damping};
  snprintf(name, sizeof(name), "e%d", ++count);
  CHECK_OK(r->ctx, tni_spec_add(r->spec, &beams, name, NULL, (tni_place){"rig", 7}, &item));
  in.item = item;
  for (int i = 0; i < type->nend; i++) {
    in.body[i] = body[i];
    mat3_identity(in.frame[i].R);
    if (!offset) continue;
    tni_kin k;
    rig_random_kin(r, &k);
    vec3_scale(in.frame[i].p, 0.3, k.r);
    memcpy(in.frame[i].R, k.A, sizeof(k.A));
  }
  CHECK_OK(r->ctx, type->build(&r->b, &in));
  rig_refresh(r);
  return &r->model.force[r->model.nforce-1];
}

static const tni_element_type *const types[] = {
#define X(name) &tni_element_##name,
    TNI_ELEMENT_LIST(X)
#undef X
};

static void every_element_has_exact_tangents_and_balanced_power(void) {
  for (int n = 0; n < TNI_COUNT(types); n++) {
    static const int plain[3] = {0, 1, 2}, ground[3] = {TNI_GROUND, 2, 1}, held[3] = {2, 0, TNI_GROUND};
    rig r;
    rig_begin(&r);
        properties_hold(&r, element(&r, types[n], plain, false, 0), CONSERVATIVE | INTERNAL);
        properties_hold(&r, element(&r, types[n], plain, true, 0), CONSERVATIVE | INTERNAL);
        properties_hold(&r, element(&r, types[n], ground, true, 0), CONSERVATIVE);
    if (types[n]->nend == 3) properties_hold(&r, element(&r, types[n], held, true, 0), CONSERVATIVE);
        properties_hold(&r, element(&r, types[n], plain, false, 0.3), INTERNAL);
        properties_hold(&r, element(&r, types[n], plain, true, 0.3), INTERNAL);
    rig_end(&r);
  }
}

/* turn and move all bodies of the rig as one */
static void move_rigidly(rig *r) {
  tni_kin k;
  rig_random_kin(r, &k);
  for (int i = 1; i <= RIG_BODIES; i++) {
    double x[3], A[9];
    mat3_vec(x, k.A, r->kin[i].r);
    for (int c = 0; c < 3; c++) r->kin[i].r[c] = x[c] + 5*k.r[c];
    mat3_mul(A, k.A, r->kin[i].A);
    memcpy(r->kin[i].A, A, sizeof(A));
  }
}

static void rigid_motion_of_any_size_gives_no_strain(void) {
  static const int body[3] = {0, 1, 2};
  for (int n = 0; n < TNI_COUNT(types); n++) {
    rig r;
    rig_begin(&r);
    const tni_force *f = element(&r, types[n], body, true, 0);
    for (int s = 0; s < 20; s++) {
      double eps[6], N[6];
      rig_initial_state(&r);
      move_rigidly(&r);
      f->element->resultants(f, &r.env, eps, N);
      for (int i = 0; i < 6; i++) CHECK_NEAR(eps[i], 0, 1e-12);
    }
    rig_end(&r);
  }
}

/* strains of a deformed element do not change when it is moved, whatever the way there */
static void strains_are_objective(void) {
  static const int body[3] = {0, 1, 2};
  for (int n = 0; n < TNI_COUNT(types); n++) {
    rig r;
    rig_begin(&r);
    const tni_force *f = element(&r, types[n], body, false, 0);
    double eps[6], N[6], other[6];
    rig_initial_state(&r);
    for (int i = 0; i < 12; i++) rig_move(&r.kin[1 + i%3], i%6, 0.05*check_random(&r.seed));
    f->element->resultants(f, &r.env, eps, N);
    for (int s = 0; s < 20; s++) {
      move_rigidly(&r);
      f->element->resultants(f, &r.env, other, N);
      for (int i = 0; i < 6; i++) CHECK_NEAR(other[i], eps[i], 1e-12);
    }
    rig_end(&r);
  }
}

int main(void) {
  RUN(every_element_has_exact_tangents_and_balanced_power);
  RUN(rigid_motion_of_any_size_gives_no_strain);
  RUN(strains_are_objective);
  return REPORT();
}
