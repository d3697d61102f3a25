/* the unknowns of systems that mix bodies, beams and cables: places, kinds, geometry
 * SPDX-License-Identifier: BSD-3-Clause */
#include "system/cosines.h"
#include "support/loaded.h"
#include "system/system.h"

/* a cable before a body and a beam, so that the order of nodes and that of the unknowns differ */
#define MIXED                                                                                    \
  "gravity: [0, 0, -9.81]\nground: {points: {o: [0, 0, 0]}}\n"                                   \
  "cables: {c: {from: ground.o, to: [1, 0, 0], elements: 3, EA: 100, rhoA: 1}}\n"                \
  "bodies: {b: {mass: 2, inertia: [1, 2, 2.5], at: [0, 1, 0], angular_velocity: [1, 2, 3]}}\n"   \
  "beams: {k: {from: [0, 2, 0], to: [1, 2, 0], elements: 2, EA: 1e4, GA: 1e4, GJ: 10, EI: 10, "  \
  "rhoA: 1, rhoI: 0.01}}\n"

static const char planar[] =
    "planar: true\nground: {points: {o: [0, 0]}}\n"
    "cables: {c: {from: ground.o, to: [1, 0], elements: 3, EA: 100, rhoA: 1}}\n"
    "bodies: {b: {mass: 2, inertia: 1, at: [0, 1]}}\n";

static tni_data *make(loaded *l, const char *text) {
  tni_data *s;
  load_text(l, text);
  CHECK_OK(l->ctx, tni_cartesian_create(l->ctx, l->model, NULL, &s));
  return s;
}

static int body_named(const tni_data *s, const char *name) {
  for (int i = 0; i < s->model->nbody; i++)
    if (strcmp(s->model->body[i].name, name) == 0) return i;
  CHECK(!"found");
  return 0;
}

static void nodes_have_the_velocities_of_their_kind(void) {
  loaded l;
  tni_data *s = make(&l, MIXED);
  /* three moving points of the cable, a body, three nodes of the beam */
  CHECK_INT(s->nv, 3*3 + 6*(1 + 3));
  CHECK_INT(s->nq, 3*3 + 7*(1 + 3));
  CHECK_INT(s->model->body[body_named(s, "c.node[2]")].kind, TNI_NODE_POINT);
  CHECK_INT(s->model->body[body_named(s, "k.node[0]")].kind, TNI_NODE_POSE);
  char name[64];
  int at = s->layout->vadr[body_named(s, "c.node[2]")];
  CHECK(at >= 6*4); /* those that turn come first */
  tni_dof_name(s, at + 1, name, sizeof(name));
  CHECK_TEXT(name, "c.node[2].vy");
  tni_dof_name(s, s->layout->vadr[body_named(s, "b")] + 5, name, sizeof(name));
  CHECK_TEXT(name, "b.wz");
  for (int k = 0; k < s->nv; k++) {
    int i = tni_layout_owner(s->layout, k);
    CHECK(k >= s->layout->vadr[i] && k < s->layout->vadr[i] + s->layout->size[i]);
  }
  tni_data_destroy(&s);
  unload(&l);
  s = make(&l, planar);
  CHECK_INT(s->nv, 2*3 + 3);
  tni_data_destroy(&s);
  unload(&l);
}

/* difference undoes retract, and q' is its rate */
static void geometry_agrees_with_itself(void) {
  static const char *const text[] = {MIXED, planar};
  uint64_t seed = 3;
  for (int n = 0; n < 2; n++) {
    loaded l;
    tni_data *s = make(&l, text[n]);
    double q[64], q1[64], qd[64], v[64], dx[64], back[64];
    tni_initial(s, q, v);
    for (int i = 0; i < s->nv; i++) v[i] = check_random(&seed);
    for (double h = 0.5; h > 1e-7; h *= 1e-6) {
      for (int i = 0; i < s->nv; i++) dx[i] = h*v[i];
      tni_retract(s, q, dx, q1);
      tni_difference(s, q, q1, back);
      for (int i = 0; i < s->nv; i++) CHECK_WITHIN(back[i], dx[i], 1e-14);
      tni_qdot(s, q, v, qd);
      for (int i = 0; i < s->nq && h < 1e-3; i++) CHECK_NEAR((q1[i] - q[i])/h, qd[i], 1e-6);
    }
    tni_data_destroy(&s);
    unload(&l);
  }
}

/* what is fixed to a node of a cable makes it a body; loads and springs in its middle do not */
static void what_turns_a_node_makes_it_a_body(void) {
  static const struct {
    const char *text;
    tni_node_kind kind;
  } cases[] = {
      {"forces: {f: {type: force, body: \"c.node[2]\", force: [0, 0, 1]}}\n", TNI_NODE_POINT},
      {"forces: {f: {type: spring, points: [\"c.node[2]\", b], stiffness: 1}}\n", TNI_NODE_POINT},
      {"forces: {f: {type: force, body: b, force: [0, 0, \"x('c.node[2]')\"]}}\n", TNI_NODE_POINT},
      {"forces: {f: {type: torque, body: \"c.node[2]\", torque: [0, 0, 1]}}\n", TNI_NODE_POSE},
      {"forces: {f: {type: force, body: \"c.node[2]\", point: [0.1, 0, 0], force: [0, 0, 1]}}\n", TNI_NODE_POSE},
      {"forces: {f: {type: bushing, bodies: [\"c.node[2]\", b], at: [0, 1, 0], stiffness: [9, 9, 9, 1, 1, 1]}}\n", TNI_NODE_POSE},
      {"joints: {j: {type: spherical, bodies: [\"c.node[2]\", b], at: [0.6, 0, 0]}}\n", TNI_NODE_POSE},
  };
  for (int i = 0; i < TNI_COUNT(cases); i++) {
    char text[2000];
    loaded l;
    snprintf(text, sizeof(text), "%s%s", MIXED, cases[i].text);
    tni_data *s = make(&l, text);
    if (!CHECK_INT(s->model->body[body_named(s, "c.node[2]")].kind, cases[i].kind))
      printf("  %s\n", cases[i].text);
    CHECK_INT(s->model->body[body_named(s, "c.node[1]")].kind, TNI_NODE_POINT);
    tni_data_destroy(&s);
    unload(&l);
  }
}

/* what has no directions cannot be written in direction cosines: the first such node is named */
static void points_have_no_direction_cosines(void) {
  loaded l;
  tni_arena arena;
  tni_cosine_model m;
  tni_data *s = make(&l, "cables: {t: {from: ground, to: [1, 0, 0], elements: 1, EA: 9, rhoA: 1}}\n");
  tni_arena_init(&arena, l.ctx);
  CHECK_INT(s->nbody, 1);
  CHECK_INT(tni_cosine_model_create(s, 0, false, &arena, &m), TN_ERR_UNSUPPORTED);
  CHECK(strstr(tn_ctx_message(l.ctx), "'t.end' is a point") || strstr(tn_ctx_message(l.ctx), "'t.node[1]' is a point"));
  tni_arena_clear(&arena);
  tni_data_destroy(&s);
  unload(&l);
}

/* accelerations of both representations, and of both with the linear solvers that exist */
static void representations_agree(void) {
  static const char *const text[] = {MIXED, planar};
  uint64_t seed = 5;
  for (int n = 0; n < 2; n++) {
    loaded l;
    tni_data *s = make(&l, text[n]), *j;
    CHECK_OK(l.ctx, tni_joint_create(l.ctx, l.model, NULL, &j));
    CHECK_INT(j->nv, s->nv);
    double q[64], v[64], a[64], qj[64], vj[64], aj[64];
    tni_initial(s, q, v);
    tni_initial(j, qj, vj);
    for (int i = 0; i < s->nv; i++) v[i] += 0.3*check_random(&seed);
    tni_retract(s, q, v, q);
    /* the same places: bodies of the joint system are free or points */
    tni_eval_bodies(s, 0, q, v, NULL);
    for (int i = 0; i < l.model->nbody; i++) {
      tni_body *b = &((tn_model *)l.model)->body[i];
      const tni_kin *k = &s->kin[i + 1];
      vec3_copy(b->r0, k->r);
      quat_from_matrix(b->p0, k->A);
      vec3_copy(b->v0, k->v);
      vec3_copy(b->w0, k->w);
    }
    tni_initial(j, qj, vj);
    CHECK_OK(l.ctx, tni_accel(s, 0, q, v, a, NULL, NULL));
    CHECK_OK(l.ctx, tni_accel(j, 0, qj, vj, aj, NULL, NULL));
    tni_eval_bodies(s, 0, q, v, a);
    tni_eval_bodies(j, 0, qj, vj, aj);
    for (int i = 0; i < 6*l.model->nbody; i++)
      CHECK_NEAR(j->acc[i], s->acc[i], 1e-11*(1 + fabs(s->acc[i])));
    tni_data_destroy(&s);
    tni_data_destroy(&j);
    unload(&l);
  }
}

int main(void) {
  RUN(nodes_have_the_velocities_of_their_kind);
  RUN(geometry_agrees_with_itself);
  RUN(what_turns_a_node_makes_it_a_body);
  RUN(points_have_no_direction_cosines);
  RUN(representations_agree);
  return REPORT();
}
