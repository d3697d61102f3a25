/* forces computed by the caller
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "forces/callback.h"

#include "properties.h"

/* attraction of two centres of mass that grows with time, and viscous drag on the first one;
 * gain and whether derivatives are handed over come through user */
typedef struct {
  double gain;
  bool exact;
  int calls;
} field;

static void attract(void *user, double t, int nbody, const tn_body_state *body,
                    tn_force_result *out) {
  field *u = user;
  u->calls++;
  if (nbody != 2) return;
  for (int i = 0; i < 3; i++) {
    double pull = u->gain*t*(body[1].r[i] - body[0].r[i]);
    out->f[i] = pull - 0.3*body[0].v[i];
    out->f[6+i] = -pull;
    out->f[3+i] = -0.1*body[0].w[i]*body[0].A[0];
    out->dissipated += 0.3*body[0].v[i]*body[0].v[i];
  }
  out->value = u->gain;
  if (!u->exact || !out->K) return;
  /* A[0] of A exp(~d) changes by A[1] d_z - A[2] d_y */
  for (int i = 0; i < 3; i++) {
    double s = u->gain*t;
    if (out->f_t) out->f_t[i] = u->gain*(body[1].r[i] - body[0].r[i]);
    if (out->f_t) out->f_t[6+i] = -out->f_t[i];
    out->K[12*i+i] = -s, out->K[12*i+6+i] = s;
    out->K[12*(6+i)+i] = s, out->K[12*(6+i)+6+i] = -s;
    out->K[12*(3+i)+5] = -0.1*body[0].w[i]*body[0].A[1];
    out->K[12*(3+i)+4] = 0.1*body[0].w[i]*body[0].A[2];
    out->D[12*i+i] = -0.3;
    out->D[12*(3+i)+3+i] = -0.1*body[0].A[0];
  }
  out->has_tangent = true;
}

static void callback_has_the_properties_of_any_force(void) {
  rig r;
  field u = {2, true, 0};
  rig_begin(&r);
  const tni_force *f = rig_force(&r, "callback", "pull", "bodies: [a, ground, c]");
  CHECK_INT(f->nbody, 2);
  CHECK_OK(r.ctx, tni_force_set_callback(&r.model, 0, attract, &u));
  CHECK_OK(r.ctx, tni_force_check_callbacks(&r.model));
  properties_hold(&r, f, 0);
  rig_out exact, differences;
  rig_eval(&r, f, &exact);
  CHECK_NEAR(exact.o.value, 2, 0);
  u.exact = false;
  u.calls = 0;
  rig_eval(&r, f, &differences);
  CHECK_INT(u.calls, 1 + 24*2 + 2);
  /* error of central differences with the step of cube root of epsilon: 1e-10 of f */
  for (int i = 0; i < 144; i++) {
    CHECK_NEAR(differences.K[i], exact.K[i], 1e-9);
    CHECK_NEAR(differences.D[i], exact.D[i], 1e-9);
  }
  rig_end(&r);
}

static void missing_and_misplaced_functions_are_refused(void) {
  rig r;
  field u = {2, true, 0};
  rig_begin(&r);
  rig_force(&r, "callback", "pull", "bodies: a");
  rig_force(&r, "torque", "turn", "body: a; torque: [1, 0, 0]");
  CHECK_INT(tni_force_check_callbacks(&r.model), TN_ERR_ARGUMENT);
  CHECK_TEXT(tn_ctx_message(r.ctx),
             "force 'pull' is a callback without a function; attach one with "
             "tn_model_set_callback before the run");
  CHECK_INT(tni_force_set_callback(&r.model, 1, attract, &u), TN_ERR_ARGUMENT);
  CHECK_TEXT(tn_ctx_message(r.ctx), "force 'turn' is a torque; only a callback takes a function");
  CHECK_INT(tni_force_set_callback(&r.model, 7, attract, &u), TN_ERR_ARGUMENT);
  rig_end(&r);
  refused("callback", "bodies: [ground]", "rig:7: force 'it': has no moving body");
}

int main(void) {
  RUN(callback_has_the_properties_of_any_force);
  RUN(missing_and_misplaced_functions_are_refused);
  return REPORT();
}
