/* falling chains: the tip against references from other programs, and survival of the whip
 *
 * Reference tips: bench/peers/README.md, where two programs that share nothing agree on them. The
 * 100-link chain cracks like a whip at 4.4 s, which breaks fixed-step codes; after that its tip is
 * not defined by the data any more (two runs in quadruple precision part), only energy is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <tenon/tenon.h>

#include "base/vec.h"
#include "support/check.h"

static const char *const methods[] = {"rk45", "adams", "rk8"};
static bool all; /* argument: every method, 200 links, cartesian coordinates through the whip */

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
} run;

static run start(const char *links, const char *method, const char *representation, double tol) {
  run r;
  const char *const set[1] = {links};
  tn_run_opts o = {.method = method, .representation = representation, .tolerance = tol, .until = 5};
  CHECK(tn_ctx_create(NULL, &r.ctx) == TN_OK);
  CHECK_OK(r.ctx, tn_spec_read_file(r.ctx, TENON_SOURCE_DIR "/examples/chain/chain.yaml", set, 1,
                                    &r.spec));
  CHECK_OK(r.ctx, tn_model_compile(r.ctx, r.spec, &r.model));
  CHECK_OK(r.ctx, tn_sim_create(r.ctx, r.model, &o, &r.sim));
  return r;
}

static void stop(run *r) {
  tn_sim_destroy(&r->sim);
  tn_model_destroy(&r->model);
  tn_spec_destroy(&r->spec);
  tn_ctx_destroy(&r->ctx);
}

/* distance of the tip from (x, z) */
static double tip_error(run *r, double x, double z) {
  double p[3], e[4], R[9], half[3] = {0.05, 0, 0}, d[3];
  CHECK_OK(r->ctx, tn_sim_body_pose(r->sim, tn_model_nbody(r->model) - 1, p, e));
  quat_matrix(R, e);
  mat3_vec(d, R, half);
  return hypot(p[0] + d[0] - x, p[2] + d[2] - z);
}

/* the stated tolerance is the error obtained, also after 4 s of 100 swinging links */
static void whip_is_survived_by_every_method(void) {
  const double tol = 1e-4;
  for (int i = all ? 0 : 1; i < (all ? 3 : 2); i++) {
    run r = start("N=100", methods[i], "joint", tol);
    CHECK_OK(r.ctx, tn_sim_advance(r.sim, 4));
    CHECK(tip_error(&r, -6.4007622343727, -4.3192041043039) <= tol);
    CHECK_OK(r.ctx, tn_sim_advance(r.sim, 5));
    tn_summary sum;
    tn_sim_summary(r.sim, &sum);
    /* 490 J is what the chain can give from lying to hanging */
    CHECK(sum.energy_error < 0.1);
    stop(&r);
  }
}

/* all joints as constraints: the same motion, loops or not */
static void whip_is_survived_in_cartesian_coordinates(void) {
  const double tol = 1e-3;
  run r = start("N=100", "rk8", "cartesian", tol);
  CHECK_OK(r.ctx, tn_sim_advance(r.sim, 4));
  CHECK(tip_error(&r, -6.4007622343727, -4.3192041043039) <= tol);
  if (all) CHECK_OK(r.ctx, tn_sim_advance(r.sim, 5));
  tn_summary sum;
  tn_sim_summary(r.sim, &sum);
  CHECK(sum.energy_error < 1);
  CHECK(sum.position_error < 1e-8);
  stop(&r);
}

static void two_hundred_links_end_where_others_say(void) {
  const double tol = 1e-5;
  run r = start("N=200", "rk8", "joint", tol);
  CHECK_OK(r.ctx, tn_sim_advance(r.sim, 5));
  CHECK(tip_error(&r, -17.4558813087558, -5.1884429915097) <= tol);
  stop(&r);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(whip_is_survived_by_every_method);
  RUN(whip_is_survived_in_cartesian_coordinates);
  if (all) RUN(two_hundred_links_end_where_others_say);
  return REPORT();
}
