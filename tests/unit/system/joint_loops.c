/* tests/unit/system/joint_loops.c - cut joints: rank, singular positions, projection, work, memory
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "support/hand_model.h"
#include "system/joint.h"

static const int solvers[3] = {TNI_JOINT_COMPOSITE_SPARSE, TNI_JOINT_COMPOSITE_DENSE,
                               TNI_JOINT_ARTICULATED};

/* parallelogram of two rods and a coupler, all angles at `angle`; planar or not */
static void parallelogram(hand_model *h, bool planar, double angle) {
  hand_start(h);
  if (planar) hand_planar(h);
  double I[9] = {0.02, 0, 0, 0, 0.1, 0, 0, 0, 0.1}, c = cos(angle), s = sin(angle);
  double p[4] = {cos(angle/2), 0, 0, sin(angle/2)}, one[4] = {1, 0, 0, 0};
  double low[2][3] = {{0, 0, 0}, {2, 0, 0}}, high[2][3] = {{c, s, 0}, {2 + c, s, 0}};
  for (int k = 0; k < 2; k++) {
    double r[3] = {low[k][0] + c/2, s/2, 0};
    hand_body(h, 1 + k, I, r, p);
    hand_joint(h, TNI_MOBIL_REVOLUTE, -1, k, low[k], NULL, 0);
  }
  double r[3] = {1 + c, s, 0};
  hand_body(h, 3, I, r, one);
  hand_joint(h, TNI_MOBIL_REVOLUTE, 0, 2, high[0], NULL, 0);
  hand_joint(h, TNI_MOBIL_REVOLUTE, 1, 2, high[1], NULL, 0);
  vec3_set(h->model.gravity, 0, -9.81, 0);
}

static int used_rows(const tni_data *s) {
  const tni_jsys *j = (const tni_jsys *)s;
  int n = 0;
  for (int r = 0; r < s->m; r++) n += j->use[r];
  return n;
}

/* At the dead position a row has nothing to act on; beyond it the row is back, without any call in
 * between, and the accelerations are those of the parallelogram: one angle, T and V closed forms. */
static void rows_leave_and_return_at_a_singular_position(void) {
  hand_model h;
  parallelogram(&h, true, 0.5);
  for (int k = 0; k < 3; k++) {
    tni_data *s;
    tni_system_opts opts = {.joint_solver = solvers[k]};
    CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &opts, &s));
    CHECK_INT(s->nv, 3);
    CHECK_INT(s->m, 2);
    CHECK_INT(s->rank->rank, 2);
    double q[3], v[3], a[3], lambda[2];
    tni_initial(s, q, v);
    const double turn[] = {0.3, -0.1, -0.5, -0.9, -1.5}; /* -0.5: rods in line with the ground */
    for (int i = 0; i < TNI_COUNT(turn); i++) {
      for (int d = 0; d < 3; d++) q[d] = v[d] = 0;
      /* rods turn by the same angle, the coupler against its rod by the opposite */
      const tni_jsys *j = (const tni_jsys *)s;
      for (int d = 0; d < 3; d++) {
        bool coupler = j->tree.link[d].body == 2;
        q[d] = coupler ? -turn[i] : turn[i];
        v[d] = coupler ? -2 : 2;
      }
      CHECK_OK(h.ctx, tni_accel(s, 0, q, v, a, lambda, NULL));
      for (int d = 0; d < 3; d++) CHECK(isfinite(a[d]));
      bool singular = i == 2;
      CHECK_INT(used_rows(s), singular ? 1 : 2);
      if (singular) continue;
      /* (I1 + I2 + m1/4 + m2/4 + m3) angle'' = -g cos(angle) (m1/2 + m2/2 + m3) */
      double want = -9.81*cos(0.5 + turn[i])*(0.5 + 1 + 3)/(0.1 + 0.1 + 0.25 + 0.5 + 3);
      for (int d = 0; d < 3; d++)
        CHECK_NEAR(a[d], j->tree.link[d].body == 2 ? -want : want, 1e-11);
    }
    tni_data_destroy(&s);
  }
  hand_stop(&h);
}

/* a model that starts in the dead position is told so, and moves off as a parallelogram */
static void singular_start_is_reported(void) {
  hand_model h;
  parallelogram(&h, true, 0);
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, NULL, &s));
  CHECK_INT(s->m, 2);
  CHECK_INT(s->rank->rank, 1);
  double q[3], v[3], a[3];
  tni_initial(s, q, v);
  CHECK_OK(h.ctx, tni_accel(s, 0, q, v, a, NULL, NULL));
  const tni_jsys *j = (const tni_jsys *)s;
  for (int d = 0; d < 3; d++) q[d] = j->tree.link[d].body == 2 ? -0.2 : 0.2;
  CHECK_OK(h.ctx, tni_accel(s, 0, q, v, a, NULL, NULL));
  CHECK_INT(used_rows(s), 2);
  double want = -9.81*cos(0.2)*(0.5 + 1 + 3)/(0.1 + 0.1 + 0.25 + 0.5 + 3);
  for (int d = 0; d < 3; d++) CHECK_NEAR(a[d], j->tree.link[d].body == 2 ? -want : want, 1e-11);
  CHECK_OK(h.ctx, tni_update_rank(s, 0, q));
  CHECK_INT(s->rank->rank, 2);
  tni_data_destroy(&s);
  hand_stop(&h);
}

/* three of the five rows of a cut hinge are redundant in a plane loop: the multipliers are normal
 * to the null vectors of C^T at the present position, not only at the start */
static void multipliers_have_least_norm(void) {
  hand_model h;
  parallelogram(&h, false, 1);
  for (int k = 0; k < 3; k++) {
    tni_data *s;
    tni_system_opts opts = {.joint_solver = solvers[k]};
    CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &opts, &s));
    CHECK_INT(s->m, 5);
    CHECK_INT(s->rank->nnull, 3);
    double q[3], v[3], a[3], lambda[5];
    tni_initial(s, q, v);
    const tni_jsys *j = (const tni_jsys *)s;
    for (int d = 0; d < 3; d++) q[d] += j->tree.link[d].body == 2 ? 0.4 : -0.4;
    CHECK_OK(h.ctx, tni_accel(s, 0, q, v, a, lambda, NULL));
    CHECK_INT(used_rows(s), 2);
    CHECK_OK(h.ctx, tni_update_rank(s, 0, q));
    for (int c = 0; c < s->rank->nnull; c++) {
      double along = 0;
      for (int r = 0; r < 5; r++) along += s->rank->null[5*c + r]*lambda[r];
      CHECK_NEAR(along, 0, 1e-11);
      /* they are null vectors: C^T z = 0 */
      for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (int r = 0; r < 5; r++) sum += j->C[3*r + d]*s->rank->null[5*c + r];
        CHECK_NEAR(sum, 0, 1e-12);
      }
    }
    tni_data_destroy(&s);
  }
  hand_stop(&h);
}

/* lower triangle by columns */
static void mass_matrix(hand_model *h, const double *q, double *M) {
  tni_data *s;
  tni_system_opts opts = {.joint_solver = TNI_JOINT_COMPOSITE_DENSE};
  CHECK_OK(h->ctx, tni_joint_create(h->ctx, &h->model, &opts, &s));
  tni_joint_kin((tni_jsys *)s, q, NULL);
  tni_joint_mass((tni_jsys *)s, M);
  tni_data_destroy(&s);
}

/* The change of a projection is W^-1 C^T mu, W the mass matrix or the given weights, and the state
 * it leads to satisfies the constraints. */
static void projection_is_the_nearest_point(void) {
  hand_model h;
  parallelogram(&h, true, 0.7);
  for (int k = 0; k < 3; k++) {
    for (int weighted = 0; weighted < 2; weighted++) {
      tni_data *s;
      tni_system_opts opts = {.joint_solver = solvers[k]};
      CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &opts, &s));
      tni_jsys *j = (tni_jsys *)s;
      double q[3], v[3], before[3], W[9] = {0}, change[3], force[3], weight[3] = {1, 20, 3};
      tni_initial(s, q, v);
      for (int d = 0; d < 3; d++) before[d] = v[d] = 1 + d;
      tni_project_opts o = {.velocity = true, .tol = 1e-14, .weight = weighted ? weight : NULL};
      CHECK_OK(h.ctx, tni_project(s, 0, q, v, &o, NULL));
      tni_residuals res;
      tni_eval_residuals(s, 0, q, v, NULL, &res);
      CHECK_NEAR(res.velocity, 0, 1e-13); /* of velocities of size 3 */
      if (weighted)
        for (int d = 0; d < 3; d++) W[4*d] = weight[d];
      else
        mass_matrix(&h, q, W);
      for (int d = 0; d < 3; d++) change[d] = v[d] - before[d];
      for (int r = 0; r < 3; r++) {
        force[r] = 0;
        for (int c = 0; c < 3; c++) force[r] += (r >= c ? W[3*c + r] : W[3*r + c])*change[c];
      }
      /* the freedom of the parallelogram: W change does no work on it */
      double work = 0;
      for (int d = 0; d < 3; d++) work += force[d]*(j->tree.link[d].body == 2 ? -1 : 1);
      CHECK_NEAR(work, 0, 1e-12);

      /* positions from nearby come back to the loop */
      tni_project_report report;
      o = (tni_project_opts){.position = true, .tol = 1e-13, .weight = weighted ? weight : NULL};
      q[0] += 0.05;
      CHECK_OK(h.ctx, tni_project(s, 0, q, v, &o, &report));
      CHECK(report.residual <= 1e-13);
      CHECK(report.iterations >= 2 && report.iterations <= 8);
      CHECK(report.correction_q > 0.01 && report.correction_q < 0.1);
      tni_data_destroy(&s);
    }
  }
  hand_stop(&h);
}

static void loops_that_cannot_close_are_named(void) {
  hand_model h;
  parallelogram(&h, true, 0.7);
  h.model.joint[3].frame[1].p[0] += 5; /* the far end of the coupler is out of reach */
  tni_rowset rows = {0};
  tni_rows_point(&rows, &h.model.joint[3]);
  tni_joint *joint = &h.model.joint[3];
  joint->ncon = 0;
  h.model.njoint = 3; /* the block is that of joint 3 */
  CHECK_OK(h.ctx, tni_rows_close(&h.builder, joint, &rows));
  h.model.njoint = 4;
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, NULL, &s));
  double q[3], v[3];
  tni_initial(s, q, v);
  tni_project_opts o = {.position = true, .tol = 1e-10};
  CHECK(tni_project(s, 0, q, v, &o, NULL) == TN_NOT_CONVERGED);
  CHECK(strstr(tn_ctx_message(h.ctx), "'j3.x'") || strstr(tn_ctx_message(h.ctx), "'j3.y'"));
  tni_data_destroy(&s);
  hand_stop(&h);
}

/* nothing moves: no velocities, six redundant rows, and the weight still arrives at the supports */
static void rigid_structures_have_reactions(void) {
  hand_model h;
  hand_start(&h);
  double I[9] = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}, r[3] = {1, 0, 0}, p[4] = {1, 0, 0, 0};
  double left[3] = {0, 0, 0}, right[3] = {2, 0, 0};
  hand_body(&h, 2, I, r, p);
  hand_joint(&h, TNI_MOBIL_FIXED, -1, 0, left, NULL, 0);
  hand_joint(&h, TNI_MOBIL_FIXED, -1, 0, right, NULL, 0);
  for (int k = 0; k < 3; k++) {
    tni_data *s;
    tni_system_opts opts = {.joint_solver = solvers[k]};
    CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &opts, &s));
    CHECK_INT(s->nv, 0);
    CHECK_INT(s->m, 6);
    CHECK_INT(s->rank->rank, 0);
    double none[1] = {0}, lambda[6], wrench[12];
    CHECK_OK(h.ctx, tni_accel(s, 0, none, none, none, lambda, NULL));
    tni_eval_bodies(s, 0, none, none, none);
    tni_eval_reactions(s, 0, none, none, none, lambda, wrench);
    CHECK_NEAR(wrench[2] + wrench[8], 2*9.81, 1e-13);
    tni_project_opts o = {.position = true, .velocity = true, .tol = 1e-12};
    CHECK_OK(h.ctx, tni_project(s, 0, none, none, &o, NULL));
    tni_data_destroy(&s);
  }
  hand_stop(&h);
}

static void models_without_bodies_are_systems(void) {
  hand_model h;
  hand_start(&h);
  for (int k = 0; k < 3; k++) {
    tni_data *s;
    tni_system_opts opts = {.joint_solver = solvers[k]};
    CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &opts, &s));
    CHECK_INT(s->nq + s->nv + s->m, 0);
    double none[1] = {0};
    CHECK_OK(h.ctx, tni_accel(s, 0, none, none, none, NULL, NULL));
    tni_data_destroy(&s);
  }
  hand_stop(&h);
}

static const char *const crank =
    "planar: true\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 0.1, between: [[0, 0], [0, 1]]}\n"
    "  rod: {mass: 2, inertia: 0.3, between: [[0, 1], [2, 0]]}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  elbow: {type: revolute, bodies: [crank, rod], at: [0, 1]}\n"
    "  slide: {type: inline, body: rod, point: [2, 0], on: ground, axis: x}\n"
    "drive:\n"
    "  - {joint: pin, motion: \"0.4*sin(3*t) + t\"}\n";

/* what the drive puts in is what the bodies gain beyond what the forces give */
static void drives_work_with_their_multiplier(void) {
  loaded l;
  load_text(&l, crank);
  tni_data *s;
  CHECK_OK(l.ctx, tni_joint_create(l.ctx, l.model, NULL, &s));
  CHECK_INT(s->nv, 2);
  CHECK_INT(s->m, 2);
  double q[2], v[2], a[2], lambda[2], zdot[TNI_NZ], f[12];
  tni_initial(s, q, v);
  tni_project_opts o = {.position = true, .velocity = true, .tol = 1e-13};
  for (int k = 0; k < 4; k++) {
    double t = 0.1*k, gain = 0;
    CHECK_OK(l.ctx, tni_project(s, t, q, v, &o, NULL));
    CHECK_OK(l.ctx, tni_accel(s, t, q, v, a, lambda, zdot));
    tni_eval_bodies(s, t, q, v, a);
    tni_system_forces(s, t, f);
    for (int b = 0; b < 2; b++) {
      const tni_kin *kin = &s->kin[b + 1];
      double L[3];
      mat3_vec(L, l.model->body[b].I, s->acc + 6*b + 3);
      gain += l.model->body[b].mass*vec3_dot(s->acc + 6*b, kin->v) + vec3_dot(L, kin->w);
      gain -= vec3_dot(f + 6*b, kin->v) + vec3_dot(f + 6*b + 3, kin->w);
    }
    CHECK_NEAR(zdot[TNI_Z_INPUT], gain, 1e-11);
    CHECK(fabs(gain) > 0.1);
    CHECK_NEAR(zdot[TNI_Z_DISSIPATED], 0, 0);
  }
  tni_data_destroy(&s);
  unload(&l);
}

static void rows_and_velocities_have_names(void) {
  loaded l;
  load_text(&l, crank);
  tni_data *s;
  char text[160];
  CHECK_OK(l.ctx, tni_joint_create(l.ctx, l.model, NULL, &s));
  tni_dof_name(s, 0, text, sizeof(text));
  CHECK_TEXT(text, "pin.angle");
  tni_dof_name(s, 1, text, sizeof(text));
  CHECK_TEXT(text, "elbow.angle");
  tni_row_name(s, 0, text, sizeof(text));
  CHECK(strncmp(text, "slide.", 6) == 0);
  tni_row_name(s, -1, text, sizeof(text));
  CHECK_TEXT(text, "none");
  tni_describe(s, text, sizeof(text));
  CHECK(strncmp(text, "joint, 2 coordinates", 20) == 0);
  tni_data_destroy(&s);
  unload(&l);
}

/* everything an integrator or an output calls, many times: the allocator is not asked once */
static void nothing_is_allocated_after_create(void) {
  for (int planar = 0; planar < 2; planar++) {
    for (int k = 0; k < 3; k++) {
      hand_model h;
      parallelogram(&h, planar, 1);
      tni_data *s;
      tni_system_opts opts = {.joint_solver = solvers[k]};
      CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &opts, &s));
      size_t before = tn_ctx_allocations(h.ctx);
      double q[3], v[3], a[3], lambda[5], zdot[TNI_NZ], wrench[24], qd[3];
      tni_residuals res;
      tni_initial(s, q, v);
      tni_project_opts o = {.position = true, .velocity = true, .tol = 1e-12};
      for (int i = 0; i < 3; i++) {
        q[0] += 0.01;
        CHECK_OK(h.ctx, tni_project(s, 0, q, v, &o, NULL));
        CHECK_OK(h.ctx, tni_accel(s, 0, q, v, a, lambda, zdot));
        tni_qdot(s, q, v, qd);
        tni_eval_bodies(s, 0, q, v, a);
        tni_eval_reactions(s, 0, q, v, a, lambda, wrench);
        tni_eval_residuals(s, 0, q, v, a, &res);
        CHECK_OK(h.ctx, tni_update_rank(s, 0, q));
      }
      CHECK_INT(tn_ctx_allocations(h.ctx), before);
      tni_data_destroy(&s);
      hand_stop(&h);
    }
  }
}

/* fails from call number `left` on */
typedef struct {
  long left, live;
} budget;

static void *budget_alloc(void *user, size_t bytes) {
  budget *b = user;
  if (b->left-- <= 0) return NULL;
  b->live++;
  return malloc(bytes);
}
static void budget_release(void *user, void *ptr) {
  if (ptr) ((budget *)user)->live--;
  free(ptr);
}

static void create_survives_every_failed_allocation(void) {
  hand_model h;
  parallelogram(&h, false, 1);
  for (int k = 0; k < 3; k++) {
    tn_status st = TN_ERR_MEMORY;
    for (long n = 0; st != TN_OK && n < 10000; n++) {
      budget b = {.left = 1 << 20};
      tn_ctx_opts o = {.alloc = budget_alloc, .release = budget_release, .user = &b};
      tn_ctx *ctx;
      CHECK(tn_ctx_create(&o, &ctx) == TN_OK);
      long own = b.live;
      b.left = n;
      tni_data *s;
      st = tni_joint_create(ctx, &h.model, &(tni_system_opts){.joint_solver = solvers[k]}, &s);
      if (st != TN_OK) {
        CHECK(st == TN_ERR_MEMORY);
        CHECK(s == NULL);
      }
      tni_data_destroy(&s);
      CHECK_INT(b.live, own);
      tn_ctx_destroy(&ctx);
    }
    CHECK(st == TN_OK);
  }
  hand_stop(&h);
}

int main(void) {
  RUN(rows_leave_and_return_at_a_singular_position);
  RUN(singular_start_is_reported);
  RUN(multipliers_have_least_norm);
  RUN(projection_is_the_nearest_point);
  RUN(loops_that_cannot_close_are_named);
  RUN(rigid_structures_have_reactions);
  RUN(models_without_bodies_are_systems);
  RUN(drives_work_with_their_multiplier);
  RUN(rows_and_velocities_have_names);
  RUN(nothing_is_allocated_after_create);
  RUN(create_survives_every_failed_allocation);
  return REPORT();
}
