/* The same bits for any number of threads
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"

#include <cblas.h>

#include <tenon/tenon.h>

/* 320 links on ball joints, every tenth one tied by a rod to the one after the next (32 loops),
 * every link held by a spring and loaded by a force that is switched; with rough above 0 the bodies
 * have to be moved together first, with dense matrices */
static const char chain[] =
    "tenon: 1\n"
    "title: chain with loops and springs\n"
    "gravity: [0, 0, -9.81]\n"
    "params: {n: 320, L: 0.1, rough: 0}\n"
    "repeat:\n"
    "- for: {i: [1, n]}\n"
    "  bodies:\n"
    "    \"link{i}\":\n"
    "      mass: 0.1\n"
    "      shape: {box: [L, 0.02, 0.02]}\n"
    "      at: [L*(i - 0.5), \"rough*sin(i)\", 0]\n"
    "      points: {left: [-L/2, 0, 0], right: [L/2, 0, 0], up: [0, 0, 0.02]}\n"
    "  forces:\n"
    "    \"s{i}\":\n"
    "      type: spring\n"
    "      bodies: [ground, \"link{i}\"]\n"
    "      at1: [L*i, 0.2, 0.3]\n"
    "      at2: [0, 0, 0.01]\n"
    "      stiffness: 5 + 0.1*i\n"
    "      damping: 0.01\n"
    "    \"f{i}\": {type: force, body: \"link{i}\", force: [\"0.01*sin(i + 30*t)\", 0, "
    "\"if(t > 0.002, 0.02, 0)\"]}\n"
    "- for: {i: [2, n]}\n"
    "  joints:\n"
    "    \"b{i}\": {type: spherical, bodies: [\"link{i-1}\", \"link{i}\"], at1: right, at2: left}\n"
    "- for: {i: [10, n - 10, 10]}\n"
    "  joints:\n"
    "    \"d{i}\": {type: distance, bodies: [\"link{i}\", \"link{i+2}\"], at1: up, at2: up}\n"
    "joints:\n"
    "  root: {type: spherical, bodies: [ground, link1], at2: left}\n"
    "analysis: {until: 1, tolerance: 1e-4}\n";

enum { STATE = 13, MOST = 600 };

typedef struct {
  int nbody, njoint;
  double time, energy[4];
  double body[MOST][STATE]; /* position, Euler parameters, velocity, angular velocity */
  double joint[MOST][6];    /* reactions                                               */
} state;

static void look(tn_ctx *ctx, const tn_model *model, tn_sim *sim, state *s) {
  memset(s, 0, sizeof(*s));
  s->nbody = tn_model_nbody(model);
  s->njoint = tn_model_njoint(model);
  s->time = tn_sim_time(sim);
  CHECK_OK(ctx, tn_sim_energy(sim, s->energy));
  for (int i = 0; i < s->nbody; i++) {
    double *b = s->body[i];
    CHECK_OK(ctx, tn_sim_body_pose(sim, i, b, b + 3));
    CHECK_OK(ctx, tn_sim_body_velocity(sim, i, b + 7, b + 10));
  }
  for (int i = 0; i < s->njoint; i++)
    CHECK_OK(ctx, tn_sim_joint_reaction(sim, i, s->joint[i], s->joint[i] + 3));
}

static bool all; /* argument */

static void simulate(const char *file, const char *const set[2], const tn_run_opts *o, int threads,
                     int steps, state *s) {
  char path[600];
  tn_ctx_opts co = {.threads = threads};
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
  snprintf(path, sizeof(path), "%s/examples/%s", TENON_SOURCE_DIR, file ? file : "");
  if (!CHECK(tn_ctx_create(&co, &ctx) == TN_OK)) return;
  openblas_set_num_threads(threads); /* as a machine with that many cores would have it */
  if (file) CHECK_OK(ctx, tn_spec_read_file(ctx, path, set, set ? 2 : 0, &spec));
  else CHECK_OK(ctx, tn_spec_read_text(ctx, "chain.yaml", chain, set, 2, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
  CHECK_OK(ctx, tn_sim_create(ctx, model, o, &sim));
  for (int i = 0; i < steps; i++) CHECK_OK(ctx, tn_sim_step(sim));
  look(ctx, model, sim, s);
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
}

static void compare(const char *file, const char *const set[2], const tn_run_opts *o, int steps) {
  static state one, more;
  simulate(file, set, o, 1, steps, &one);
  CHECK(one.nbody <= MOST && one.njoint <= MOST);
  CHECK(one.time > 0);
  CHECK(isfinite(one.energy[0]) && one.energy[0] > 0);
  for (int threads = all ? 2 : 3; threads <= 3; threads++) {
    simulate(file, set, o, threads, steps, &more);
    if (!CHECK(memcmp(&one, &more, sizeof(one)) == 0))
      printf("%s, %s, %s: %d threads differ from 1\n", file ? file : "chain",
             o->representation, o->solver ? o->solver : "auto", threads);
  }
}

static void a_long_chain_moves_alike_on_any_number_of_threads(void) {
  static const char *const set[2] = {"n=320", "rough=0"};
  compare(NULL, set, &(tn_run_opts){.representation = "cartesian", .method = "rk45"}, 15);
  compare(NULL, set, &(tn_run_opts){.representation = "joint", .method = "rk45"}, 8);
}

static void a_chain_is_put_together_alike_on_any_number_of_threads(void) {
  static const char *const set[2] = {"n=100", "rough=0.01"};
  compare(NULL, set, &(tn_run_opts){.representation = "cartesian", .method = "adams"}, 5);
}

/* 99 joints in two pieces */
static void a_chain_in_pieces_moves_alike_on_any_number_of_threads(void) {
  static const char *const set[2] = {"n=100", "rough=0"};
  compare(NULL, set, &(tn_run_opts){.representation = "cartesian", .method = "rk45", .solver = "pieces"}, 5);
}

static void the_vehicle_moves_alike_on_any_number_of_threads(void) {
  static const tn_run_opts opts[] = {
      {.representation = "cartesian", .method = "rk45"},
      {.representation = "joint", .method = "rk8"},
  };
  for (int i = 0; i < (int)(sizeof(opts)/sizeof(opts[0])); i++)
    compare("vehicle/hmmwv14.yaml", NULL, &opts[i], 60);
}

/* 199 bodies: more than a chunk of every loop over bodies, joints, forces, events and groups */
static void the_transporter_moves_alike_on_any_number_of_threads(void) {
  static const char *const set[2] = {"N=33", "drop=-0.02"}; /* stands on its tyres */
  static const tn_run_opts opts[] = {
      {.representation = "cartesian", .technique = "natural"},
      {.representation = "cartesian", .technique = "natural", .solver = "natural_cg"},
      {.representation = "cartesian", .technique = "staggered"},
      {.representation = "cartesian", .technique = "staggered", .solver = "cg"},
  };
  for (int i = 0; i < (int)(sizeof(opts)/sizeof(opts[0])); i += all ? 1 : 3) {
    tn_run_opts o = opts[i];
    o.method = "staggered";
    o.step = 1e-3;
    o.until = 1;
    compare("vehicle/wishbone.yaml", set, &o, 4);
  }
}

/* other users of the process find OpenBLAS as they have set it */
static void threads_of_blas_are_given_back(void) {
  static const char *const set[2] = {"n=3", "rough=0"};
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tn_sim *first, *second;
  openblas_set_num_threads(2);
  if (!CHECK(tn_ctx_create(NULL, &ctx) == TN_OK)) return;
  CHECK_OK(ctx, tn_spec_read_text(ctx, "chain.yaml", chain, set, 2, &spec));
  CHECK_OK(ctx, tn_model_compile(ctx, spec, &model));
  CHECK_OK(ctx, tn_sim_create(ctx, model, NULL, &first));
  CHECK_OK(ctx, tn_sim_create(ctx, model, NULL, &second));
  CHECK(openblas_get_num_threads() == 1);
  tn_sim_destroy(&first);
  CHECK(openblas_get_num_threads() == 1);
  tn_sim_destroy(&second);
  CHECK(openblas_get_num_threads() == 2);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
  openblas_set_num_threads(1);
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(threads_of_blas_are_given_back);
  RUN(a_long_chain_moves_alike_on_any_number_of_threads);
  RUN(a_chain_is_put_together_alike_on_any_number_of_threads);
  RUN(a_chain_in_pieces_moves_alike_on_any_number_of_threads);
  RUN(the_vehicle_moves_alike_on_any_number_of_threads);
  RUN(the_transporter_moves_alike_on_any_number_of_threads);
  return REPORT();
}
