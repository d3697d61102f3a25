/* Wrong use of the library by a program is refused with a line that says what to do
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"

#include <tenon/tenon.h>

static tn_ctx *ctx;

#define REFUSED(call, status, message)          \
  do {                                          \
    CHECK_INT((call), (status));                \
    CHECK_TEXT(tn_ctx_message(ctx), (message)); \
  } while (0)

static void wrong_words_in_a_spec_are_refused(void) {
  tn_spec *s;
  CHECK_OK(ctx, tn_spec_create(ctx, &s));
  REFUSED(tn_spec_add(s, "bodys", "rod", NULL), TN_ERR_INPUT,
          "unknown section 'bodys'; did you mean 'bodies'?");
  REFUSED(tn_spec_add(s, "bodies", "a.b", NULL), TN_ERR_INPUT,
          "body 'a.b': a name may not contain '.'");
  REFUSED(tn_spec_add(s, "bodies", "", NULL), TN_ERR_INPUT, "a body has an empty name");
  REFUSED(tn_spec_add(s, "bodies", "rod", "box"), TN_ERR_INPUT,
          "body 'rod': a body has no type, got 'box'");
  CHECK_OK(ctx, tn_spec_add(s, "bodies", "rod", NULL));
  REFUSED(tn_spec_add(s, "bodies", "rod", NULL), TN_ERR_INPUT, "body 'rod': is defined twice");
  REFUSED(tn_spec_add(s, "joints", "pin", "revolut"), TN_ERR_INPUT,
          "joint 'pin': unknown type 'revolut'; did you mean 'revolute'?");
  CHECK(tn_spec_add(s, "joints", "pin", NULL) == TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(ctx), "the type is missing; known: fixed, revolute") != NULL);
  REFUSED(tn_spec_set(s, "bodies", "arm", "mass", "1"), TN_ERR_INPUT,
          "no body named 'arm'; add it before setting 'mass'");
  REFUSED(tn_spec_set(s, "", "", "titel", "x"), TN_ERR_INPUT,
          "unknown key 'titel'; did you mean 'title'?");
  REFUSED(tn_spec_set(s, "", "", "repeat", "[]"), TN_ERR_INPUT,
          "key 'repeat' works in files and texts only; add the items one by one");
  tn_spec_destroy(&s);
}

static void an_unfinished_spec_is_not_compiled(void) {
  tn_spec *s;
  tn_model *m;
  REFUSED(tn_model_compile(ctx, NULL, &m), TN_ERR_ARGUMENT, "no spec to compile: was it read?");
  CHECK_OK(ctx, tn_spec_create(ctx, &s));
  REFUSED(tn_model_compile(ctx, s, &m), TN_ERR_INPUT,
          "the model has no bodies; add a 'bodies:' or 'structures:' section");
  CHECK_OK(ctx, tn_spec_add(s, "bodies", "rod", NULL));
  CHECK_OK(ctx, tn_spec_set(s, "bodies", "rod", "inertia", "[1, 1, 1]"));
  REFUSED(tn_model_compile(ctx, s, &m), TN_ERR_INPUT,
          "body 'rod': key 'mass' is missing; must be a number or an expression of parameters");
  CHECK(m == NULL);
  CHECK_OK(ctx, tn_spec_set(s, "", "", "params", "{m: 2, M: 3*m}"));
  CHECK_OK(ctx, tn_spec_set(s, "bodies", "rod", "mass", "M"));
  CHECK_OK(ctx, tn_model_compile(ctx, s, &m));
  tn_model_destroy(&m);
  tn_spec_destroy(&s);
}

static void a_simulation_stays_inside_its_model_and_time(void) {
  tn_spec *s;
  tn_model *m;
  tn_sim *sim;
  tn_report *report;
  tn_summary sum;
  double p[4], q[4];
  REFUSED(tn_sim_create(ctx, NULL, NULL, &sim), TN_ERR_ARGUMENT, "no model: was it compiled?");
  REFUSED(tn_check(ctx, NULL, &report), TN_ERR_ARGUMENT, "no model: was it compiled?");
  REFUSED(tn_run(ctx, NULL, NULL, &sum), TN_ERR_ARGUMENT, "no model: was it compiled?");
  static const char text[] = "tenon: 1\n"
                             "bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n"
                             "joints: {pin: {type: revolute, bodies: [ground, rod], axis: y}}\n";
  CHECK_OK(ctx, tn_spec_read_text(ctx, "m.yaml", text, NULL, 0, &s));
  CHECK_OK(ctx, tn_model_compile(ctx, s, &m));
  CHECK(tn_model_body_name(m, 1) == NULL && tn_model_joint_name(m, -1) == NULL);
  CHECK_INT(tn_model_find_body(m, "rot"), -1);
  CHECK_OK(ctx, tn_sim_create(ctx, m, NULL, &sim));
  REFUSED(tn_sim_body_pose(sim, 1, p, q), TN_ERR_ARGUMENT, "body 1 does not exist, allowed 0 to 0");
  REFUSED(tn_sim_body_velocity(sim, -1, p, q), TN_ERR_ARGUMENT,
          "body -1 does not exist, allowed 0 to 0");
  REFUSED(tn_sim_joint_reaction(sim, 7, p, q), TN_ERR_ARGUMENT,
          "joint 7 does not exist, allowed 0 to 0");
  CHECK_INT(tn_sim_joint_coordinate(sim, 0, 3, p, q), TN_ERR_ARGUMENT);
  REFUSED(tn_sim_advance(sim, 99), TN_ERR_ARGUMENT,
          "time 99 s is outside of what can be reached, 0 to 1 s");
  CHECK_INT(tn_sim_advance(sim, -1), TN_ERR_ARGUMENT);
  CHECK_INT(tn_sim_advance(sim, NAN), TN_ERR_ARGUMENT);
  CHECK_OK(ctx, tn_sim_body_pose(sim, 0, NULL, NULL)); /* what is not wanted */
  CHECK_OK(ctx, tn_sim_body_velocity(sim, 0, p, NULL));
  CHECK_OK(ctx, tn_sim_joint_coordinate(sim, 0, 0, NULL, q));
  CHECK_OK(ctx, tn_sim_joint_reaction(sim, 0, NULL, p));
  REFUSED(tn_sim_energy(sim, NULL), TN_ERR_ARGUMENT, "no place for four energies");
  REFUSED(tn_sim_save(sim, NULL), TN_ERR_ARGUMENT, "no name of a file for the state");
  REFUSED(tn_sim_load(sim, NULL), TN_ERR_ARGUMENT, "no name of a file with a state");
  REFUSED(tn_sim_continue(sim, NULL), TN_ERR_ARGUMENT, "no simulation to go on from");
  REFUSED(tn_sim_set_state(sim, NULL, tn_sim_state_size(sim)), TN_ERR_ARGUMENT, "no state to set");
  REFUSED(tn_sim_create(ctx, m, NULL, NULL), TN_ERR_ARGUMENT, "no place for the simulation");
  tn_sim_coordinates(sim, NULL, NULL);
  /* a program that went on after create has failed */
  CHECK_INT(tn_sim_step(NULL), TN_ERR_ARGUMENT);
  CHECK_INT(tn_sim_advance(NULL, 1), TN_ERR_ARGUMENT);
  CHECK_INT(tn_sim_energy(NULL, p), TN_ERR_ARGUMENT);
  CHECK_INT(tn_sim_body_pose(NULL, 0, p, q), TN_ERR_ARGUMENT);
  CHECK_INT(tn_sim_get_state(NULL, p, 1), TN_ERR_ARGUMENT);
  CHECK_INT(tn_sim_reset(NULL), TN_ERR_ARGUMENT);
  CHECK(tn_sim_state_size(NULL) == 0 && isnan(tn_sim_time(NULL)));
  CHECK_OK(ctx, tn_sim_advance(sim, 1));
  REFUSED(tn_sim_step(sim), TN_ERR_ARGUMENT, "the run has reached its end at 1 s");
  tn_sim_destroy(&sim);
  tn_sim_destroy(&sim); /* NULL by now */
  tn_model_destroy(&m);
  tn_spec_destroy(&s);
}

static void an_allocator_comes_with_its_release(void) {
  tn_ctx_opts o = {.release = NULL, .alloc = (void *(*)(void *, size_t))1};
  tn_ctx *c;
  CHECK_INT(tn_ctx_create(&o, &c), TN_ERR_ARGUMENT);
  CHECK(c == NULL);
  CHECK_TEXT(tn_ctx_message(NULL), "");
  tn_ctx_destroy(&c);
  tn_ctx_destroy(NULL);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(wrong_words_in_a_spec_are_refused);
  RUN(an_unfinished_spec_is_not_compiled);
  RUN(a_simulation_stays_inside_its_model_and_time);
  RUN(an_allocator_comes_with_its_release);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
