/* methods on real mechanisms: the same motion with every method and solver
 * SPDX-License-Identifier: BSD-3-Clause */
#include "integrators/integrator.h"
#include "support/hand_model.h"

static const double PI = 3.141592653589793;
enum { LINKS = 6, METHODS = 4 };
static const char *const methods[METHODS] = {"rk45", "rk8", "adams", "rk4"};

/* zigzag of slender links in the plane xz, hinges and balls in turn; closed: both ends held */
static void chain(hand_model *h, bool closed) {
  double I[9] = {0.002, 0, 0, 0, 0.02, 0, 0, 0, 0.021};
  double about_y[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0}, half = 0.5*sqrt(0.5);
  hand_start(h);
  for (int b = 0; b <= LINKS; b++) {
    double at[3] = {2*half*b, 0, b % 2 ? 2*half : 0};
    if (b < LINKS) {
      double r[3] = {at[0] + half, 0, half}, turn[3] = {0, b % 2 ? 0.25*PI : -0.25*PI, 0}, p[4];
      quat_from_vector(p, turn);
      hand_body(h, 1, I, r, p);
      hand_joint(h, b % 2 ? TNI_MOBIL_SPHERICAL : TNI_MOBIL_REVOLUTE, b - 1, b, at, about_y, 0);
    } else if (closed) {
      hand_joint(h, TNI_MOBIL_SPHERICAL, b - 1, TNI_GROUND, at, NULL, 0);
    }
  }
}

/* centre of mass of every link after t_end; *drift: worst position residual at the steps */
static void run(hand_model *h, int solver, const char *method, double tol, double t_end, double *r,
                double *drift) {
  tni_data *s;
  tni_system_opts so = {.joint_solver = solver};
  CHECK_OK(h->ctx, tni_joint_create(h->ctx, &h->model, &so, &s));
  double *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc((size_t)s->nv, sizeof(double));
  double z[TNI_NZ] = {0};
  tni_initial(s, q, v);
  tni_integrator_opts o = {.rtol = tol, .atol = tol, .t_end = t_end};
  const tni_integrator_type *type = tni_integrator_find(method);
  if (type->fixed_step) o.h = 1e-3;
  tni_integrator *it;
  CHECK_OK(h->ctx, type->create(h->ctx, s, &o, &it));
  CHECK_OK(h->ctx, type->start(it, 0, q, v, z));
  size_t before = tn_ctx_allocations(h->ctx);
  *drift = 0;
  while (it->now.t < t_end) {
    tni_residuals res;
    CHECK_OK(h->ctx, type->step(it));
    tni_eval_residuals(s, it->now.t, it->now.q, it->now.v, NULL, &res);
    *drift = fmax(*drift, fmax(res.position, res.velocity));
  }
  CHECK_INT(tn_ctx_allocations(h->ctx), before);
  tni_eval_bodies(s, it->now.t, it->now.q, it->now.v, NULL);
  for (int b = 0; b < h->model.nbody; b++) vec3_copy(r + 3*b, s->kin[b+1].r);
  if (getenv("TN_TOL_SCALE")) {
    printf("%s %s: %ld steps, %ld rejected, %ld accelerations, %ld projections, %ld Newton\n",
           tni_representation(s), method, it->stats.steps, it->stats.rejected, s->work.naccel,
           s->work.nproject, s->work.nnewton);
  }
  tni_integrator_destroy(&it);
  tni_data_destroy(&s);
  free(q);
  free(v);
}

static void all_agree(bool closed, double t_end, double tol, double allowed) {
  hand_model h;
  double want[3*LINKS], got[3*LINKS], drift;
  chain(&h, closed);
  run(&h, TNI_JOINT_COMPOSITE_DENSE, "rk8", 1e-3*tol, t_end, want, &drift);
  for (int k = 0; k < 2*METHODS; k++) {
    int solver = k % 2 ? TNI_JOINT_COMPOSITE_SPARSE : TNI_JOINT_ARTICULATED;
    run(&h, solver, methods[k/2], tol, t_end, got, &drift);
    double worst = 0;
    for (int i = 0; i < 3*LINKS; i++) worst = fmax(worst, fabs(got[i] - want[i]));
    if (!CHECK(worst < allowed)) printf("%s %d: off by %.3g m\n", methods[k/2], k % 2, worst);
    CHECK(drift <= 1e-9);
  }
  hand_stop(&h);
}

/* the error of a run is some ten tolerances; this chain doubles an error every tenth of a second */
static void open_chain_moves_alike(void) { all_agree(false, 1, 1e-8, 1e-5); }
static void closed_chain_moves_alike(void) { all_agree(true, 1, 1e-8, 1e-5); }

int main(void) {
  RUN(open_chain_moves_alike);
  RUN(closed_chain_moves_alike);
  return REPORT();
}
