/* Take the state of a simulation, try two futures, change a parameter, start again.
 * Build: cc restart.c $(pkg-config --cflags --libs tenon) -lm
 * Expect: both futures end alike, the stiffer spring swings faster, and the reset begins at 0 s.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>

static const char text[] =
    "tenon: 1\n"
    "params: {k: 9}\n"
    "bodies: {cart: {mass: 1, inertia: [1, 1, 1], at: [0.5, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0, 0], axis: x}}\n"
    "forces: {s: {type: spring, bodies: [ground, cart], at1: [-10, 0, 0], at2: [0, 0, 0], stiffness: k, free_length: 10}}\n"
    "analysis: {until: 10, tolerance: 1e-9, method: rk8}\n";

#define TRY(call) do { if ((st = (call)) != TN_OK) goto done; } while (0)

int main(void) {
  const char *const stiffer[] = {"k=25"};
  tn_ctx *ctx = NULL;
  tn_spec *spec[2] = {NULL, NULL};
  tn_model *model[2] = {NULL, NULL};
  tn_sim *sim = NULL, *changed = NULL;
  double *state = NULL, a[3], b[3], euler[4], force[3], torque[3];
  tn_status st;
  TRY(tn_ctx_create(NULL, &ctx));
  for (int i = 0; i < 2; i++) {
    TRY(tn_spec_read_text(ctx, "cart", text, stiffer, i, &spec[i]));
    TRY(tn_model_compile(ctx, spec[i], &model[i]));
  }
  TRY(tn_sim_create(ctx, model[0], NULL, &sim));
  TRY(tn_sim_create(ctx, model[1], NULL, &changed));

  /* one state, twice the same future */
  TRY(tn_sim_advance(sim, 1));
  size_t n = tn_sim_state_size(sim);
  state = malloc(n*sizeof(double));
  if (!state) return 1;
  TRY(tn_sim_get_state(sim, state, n));
  TRY(tn_sim_advance(sim, 3));
  TRY(tn_sim_body_pose(sim, 0, a, euler));
  TRY(tn_sim_set_state(sim, state, n));
  TRY(tn_sim_advance(sim, 3));
  TRY(tn_sim_body_pose(sim, 0, b, euler));
  printf("x = %.6f m, again %.6f m, %s\n", a[0], b[0], a[0] == b[0] ? "the same bits" : "DIFFERENT");

  /* from the same state with another spring */
  TRY(tn_sim_set_state(sim, state, n));
  TRY(tn_sim_continue(changed, sim));
  TRY(tn_sim_advance(changed, 3));
  TRY(tn_sim_body_pose(changed, 0, b, euler));
  TRY(tn_sim_force(changed, tn_model_find_force(model[1], "s"), force, torque));
  printf("with k = 25 N/m: x = %.6f m, the spring pulls by %.6f N\n", b[0], -force[0]);

  TRY(tn_sim_reset(sim));
  TRY(tn_sim_body_pose(sim, 0, b, euler));
  printf("reset: t = %g s, x = %.6f m\n", tn_sim_time(sim), b[0]);
done:
  if (st != TN_OK) fprintf(stderr, "%s\n", ctx ? tn_ctx_message(ctx) : tn_status_text(st));
  free(state);
  tn_sim_destroy(&sim);
  tn_sim_destroy(&changed);
  for (int i = 0; i < 2; i++) {
    tn_model_destroy(&model[i]);
    tn_spec_destroy(&spec[i]);
  }
  tn_ctx_destroy(&ctx);
  return st == TN_OK ? 0 : 1;
}
