/* bench/parallel.c - systems cut into domains: how iterations grow with their number and with the mesh, messages, time and memory
 *
 * Cubes of hex8 (nu 0.3), one face clamped, the other pulled along itself, cut into equal cubes. Stop where the projected residual has dropped
 * to 1e-6 of its first value. One process; messages and bytes are those between domains, as many ranks would send them. Then explicit steps.
 *
 *   feti.iterations_8_to_64_parts      as runs have it: Dirichlet preconditioner, means as a second coarse space; 6 elements along a domain: iterations with 4^3 over those with 2^3 domains
 *   feti_dp.iterations_8_to_64_parts   the same with corners and means
 *   feti.h_growth, feti_dp.h_growth    2^3 domains, 16 elements along a domain over 4
 *   feti.messages_per_iteration_64, feti.kilobytes_per_iteration_64, schur.messages_per_iteration_64
 *   cube.direct_vs_feti_dp_memory      numbers in the factors, fronts over feti_dp, 24^3 elements, 64 domains
 *   cube.direct_vs_feti_dp_time        CPU seconds of factoring and solving, likewise, one thread
 *
 *   cube300k.mumps_vs_feti_memory      46^3 bricks, 304,704 unknowns, 2 processes: largest resident set of one of them; gamg, bddc likewise
 *   cube300k.mumps_vs_feti_time        CPU seconds of both processes together, reading and evaluation included; gamg, bddc likewise, with PETSc
 *
 *   explicit.messages_per_step_32, explicit.kilobytes_per_step_32, explicit.sums_per_step    32^3 bricks on 32 virtual ranks: of one rank
 *   explicit.efficiency_1000_ranks     those counts in a machine model, below: 1000 ranks with 100,000 bricks each
 *   explicit.speedup_2_ranks           128,000 bricks: wall time of a step of one process over that of two, with tenon_mpi
 *
 *   io.share_of_disk                   seconds of a plain file over those of a results file of the same bytes, both new and synchronised (parallel_files.c)
 *   io.overlap                         share of writing that computing hides; io.overlap_without_thread: by the system alone
 *
 * Machine model: 2 us a message, 10 GB/s, sums along a binary tree up and down; what a rank sends grows with the surface of its piece; the
 * time of a brick is that of one process here.
 *
 * Usage: bench_parallel build/bench/parallel.json [tenon_mpi folder [side of the cube, 46]]; bench_parallel out.json files folder: io.* alone
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L /* popen */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyses/sim.h"
#include "bench.h"
#include "domains/feti.h"
#include "domains/schur.h"
#include "parallel_files.h"
#include "pieces.h"
#include "parallel/comm.h"

static void make(pieces *c, int side, int parts) {
  char text[1024];
  snprintf(text, sizeof(text),
           "tenon: 1\nmeshes: {m: {box: {size: [1, 1, 1], cells: [%d, %d, %d], cell: hex8}}}\n"
           "materials: {a: {type: elastic, E: 1, nu: 0.3, density: 1}}\nstructures: {m: {mesh: m, material: a}}\n"
           "supports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [0, -1, 0]}]\nanalysis: {type: statics}\n", side, side, side);
  pieces_make(c, text, parts, TNI_CUT_BISECT, NULL);
}

static tni_feti_report solve(int side, int parts, tni_feti_primal primal, double *seconds) {
  pieces c;
  tni_feti *f;
  tni_feti_report r;
  make(&c, side, parts);
  tni_feti_opts o = {.primal = primal, .jump = 1e-6};
  double begin = tni_cpu_time();
  BENCH_TRY(c.ctx, tni_feti_create(c.d, &o, &f));
  BENCH_TRY(c.ctx, tni_feti_solve(f, c.force, c.u, &r));
  *seconds = tni_cpu_time() - begin;
  printf("%2d^3 elements, %2d domains, %-7s %3d iterations, condition %6.2f, %d forces, %d rigid, %d primal, %.2f s, %.1f M numbers\n", side, parts,
         primal ? "feti_dp" : "feti", r.iterations, r.largest/r.least, r.multipliers, r.rigid, r.primal, *seconds, 1e-6*(double)r.nnz);
  tni_feti_destroy(&f);
  pieces_drop(&c);
  return r;
}

/* ---- explicit steps over ranks ------------------------------------------------------------------------ */

enum { SIDE = 32, RANKS = 32, STEPS = 20, ELEMENTS = 100000, MANY = 1000 };
static const double LATENCY = 2e-6, BYTE = 1e-10;

static const char WAVE[] = "tenon: 1\nmeshes: {m: {box: {size: [%g, 1, 1], cells: [%d, %d, %d], cell: hex8}}}\n"
                           "materials: {a: {type: elastic, E: 2e9, nu: 0.3, density: 1000}}\nstructures: {m: {mesh: m, material: a, element: one}}\n"
                           "supports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [0, 0, 1e5]}]\noutput: {every: 1}\n"
                           "analysis: {until: 1, method: central}\n";

typedef struct {
  double messages[RANKS], bytes[RANKS], seconds;
} sent;

static tn_status step_pieces(tni_comm *c, void *user) {
  sent *out = user;
  char text[1024];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  snprintf(text, sizeof(text), WAVE, 1.0, SIDE, SIDE, SIDE);
  tn_status st = tn_spec_read_text(c->ctx, "wave", text, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(c->ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(c->ctx, model, NULL, &sim);
  if (st == TN_OK) st = sim->it->type->step(sim->it);
  long messages = c->messages, bytes = c->bytes;
  double begin = tni_cpu_time();
  for (int i = 0; i < STEPS && st == TN_OK; i++) st = sim->it->type->step(sim->it);
  if (c->rank == 0) out->seconds = (tni_cpu_time() - begin)/STEPS;
  out->messages[c->rank] = (double)(c->messages - messages)/STEPS;
  out->bytes[c->rank] = (double)(c->bytes - bytes)/STEPS;
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

static void model_of_many_ranks(figures *j) {
  static sent one, many;
  tn_ctx *ctx;
  tn_ctx_opts o = {.threads = 1};
  double messages = 0, bytes = 0, sums = 2;
  BENCH_TRY(NULL, tn_ctx_create(&o, &ctx));
  BENCH_TRY(ctx, tni_comm_run_local(ctx, 1, step_pieces, &one, NULL, NULL));
  BENCH_TRY(ctx, tni_comm_run_local(ctx, RANKS, step_pieces, &many, NULL, NULL));
  for (int r = 0; r < RANKS; r++) {
    messages = fmax(messages, many.messages[r]);
    bytes = fmax(bytes, many.bytes[r]);
  }
  double brick = one.seconds/(SIDE*SIDE*SIDE), work = ELEMENTS*brick;
  double surface = pow((double)ELEMENTS*RANKS/(SIDE*SIDE*SIDE), 2.0/3);
  double talk = messages*LATENCY + bytes*surface*BYTE + sums*2*ceil(log2(MANY))*LATENCY;
  printf("explicit, %d virtual ranks: at most %.1f messages and %.1f kB a step of a rank, %.0f ns a brick of one; %d ranks with %d bricks: %.3g ms of work, "
         "%.3g ms of messages a step\n", RANKS, messages, 1e-3*bytes, 1e9*brick, MANY, ELEMENTS, 1e3*work, 1e3*talk);
  figure(j, "explicit.messages_per_step_32", messages);
  figure(j, "explicit.kilobytes_per_step_32", 1e-3*bytes);
  figure(j, "explicit.sums_per_step", sums);
  figure(j, "explicit.efficiency_1000_ranks", work/(work + talk));
  tn_ctx_destroy(&ctx);
}

/* wall seconds of a run of tenon_mpi; 0: it failed */
static double wall_of(const char *command, const char *folder, int ranks, double until) {
  char line[2048], text[65536];
  snprintf(line, sizeof(line), "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n %d %s run %s/wave.yaml --until %g --no-output "
           "--json 2> /dev/null", ranks, command, folder, until);
  FILE *f = popen(line, "r");
  if (!f) return 0;
  size_t n = fread(text, 1, sizeof(text) - 1, f);
  text[n] = 0;
  const char *at = strstr(text, "\"wall\":");
  return pclose(f) == 0 && at ? atof(at + strlen("\"wall\":")) : 0;
}

static void speedup(figures *j, const char *command, const char *folder) {
  enum { ROUNDS = 3 };
  static const double SHORT = 1e-3, LONG = 5e-3; /* steps of 10 us, set-up drops out */
  char path[600];
  double best[2] = {HUGE_VAL, HUGE_VAL};
  snprintf(path, sizeof(path), "%.500s/wave.yaml", folder);
  FILE *f = fopen(path, "w");
  if (!f) return;
  fprintf(f, WAVE, 2.0, 80, 40, 40);
  fclose(f);
  for (int k = 0; k < ROUNDS; k++)
    for (int ranks = 1; ranks <= 2; ranks++) {
      double few = wall_of(command, folder, ranks, SHORT), many = wall_of(command, folder, ranks, LONG);
      if (!(few > 0 && many > few)) {
        printf("explicit, %d ranks: tenon_mpi did not run\n", ranks);
        return;
      }
      best[ranks - 1] = fmin(best[ranks - 1], many - few);
    }
  printf("explicit, 128,000 bricks: %.2f s of one process, %.2f s of two\n", best[0], best[1]);
  figure(j, "explicit.speedup_2_ranks", best[0]/best[1]);
}

/* ---- our own and other engines on 300,000 unknowns ----------------------------------------------------------- */

typedef struct { double cpu, wall, bytes; bool done; } spent;

/* a command and all that it starts; the resident set is that of the largest process */
static spent spend(const char *line) {
  spent s = {0};
  int ends[2];
  fflush(stdout);
  if (pipe(ends) != 0) return s;
  pid_t child = fork();
  if (child == 0) {
    double begin = tni_wall_time();
    s.done = system(line) == 0;
    s.wall = tni_wall_time() - begin;
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    s.cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6*(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    s.bytes = 1024.0*(double)u.ru_maxrss;
    ssize_t n = write(ends[1], &s, sizeof(s));
    _exit(n == sizeof(s) ? 0 : 1);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &s, sizeof(s)) != sizeof(s)) s.done = false;
  close(ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
  return s;
}

static void engines(figures *j, const char *command, const char *folder, int side) {
  static const char *const solver[] = {"feti", "mumps", "gamg", "bddc"};
  spent s[TNI_COUNT(solver)];
  char path[600], line[2048], key[80];
  for (int k = 0; k < TNI_COUNT(solver); k++) {
    snprintf(path, sizeof(path), "%.500s/cube_%s.yaml", folder, solver[k]);
    FILE *f = fopen(path, "w");
    if (!f) return;
    fprintf(f, "tenon: 1\nmeshes: {m: {box: {size: [1, 1, 1], cells: [%d, %d, %d], cell: hex8}}}\n"
            "materials: {a: {type: elastic, E: 1, nu: 0.3, density: 1}}\nstructures: {m: {mesh: m, material: a}}\n"
            "supports: [{group: x0, fix: all}]\nloads: [{group: x1, traction: [0, -1, 0]}]\nanalysis: {type: statics, solver: %s}\n", side, side, side, solver[k]);
    fclose(f);
    snprintf(line, sizeof(line), "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 2 %s run %s --no-output > %s/cube_%s.log 2>&1",
             command, path, folder, solver[k]);
    s[k] = spend(line);
    if (!s[k].done) {
      printf("cube of %d^3, 2 processes, %s: did not run, see %s/cube_%s.log\n", side, solver[k], folder, solver[k]);
      if (k == 0) return;
      continue;
    }
    printf("cube of %d^3, 2 processes, %-5s: %.1f s of CPU, %.1f s by the clock, %.0f MB\n", side, solver[k], s[k].cpu, s[k].wall, 1e-6*s[k].bytes);
    if (k == 0) continue;
    snprintf(key, sizeof(key), "cube300k.%s_vs_feti_time", solver[k]);
    figure(j, key, s[k].cpu/s[0].cpu);
    snprintf(key, sizeof(key), "cube300k.%s_vs_feti_memory", solver[k]);
    figure(j, key, s[k].bytes/s[0].bytes);
  }
}

int main(int argc, char **argv) {
  figures j;
  if (!figures_open(&j, argc > 1 ? argv[1] : "parallel.json")) return 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 3 && strcmp(argv[2], "files") == 0) {
    bench_files(&j, argv[3]);
    figures_close(&j);
    return 0;
  }
  bench_files(&j, argc > 3 ? argv[3] : ".");
  model_of_many_ranks(&j);
  if (argc > 3) speedup(&j, argv[2], argv[3]);
  if (argc > 3) engines(&j, argv[2], argv[3], argc > 4 ? atoi(argv[4]) : 46);
  double t, seconds = 0;
  for (int dp = 0; dp < 2; dp++) {
    tni_feti_primal primal = dp ? TNI_PRIMAL_MEANS : TNI_PRIMAL_NONE;
    const char *name = dp ? "feti_dp" : "feti";
    char key[80];
    tni_feti_report few = solve(12, 8, primal, &t), many = solve(24, 64, primal, &seconds);
    tni_feti_report coarse = solve(8, 8, primal, &t), fine = solve(32, 8, primal, &t);
    snprintf(key, sizeof(key), "%s.iterations_8_to_64_parts", name);
    figure(&j, key, (double)many.iterations/few.iterations);
    snprintf(key, sizeof(key), "%s.h_growth", name);
    figure(&j, key, (double)fine.iterations/coarse.iterations);
    if (dp) {
      pieces c;
      make(&c, 24, 1);
      tni_sparse_solver *lu;
      const tni_domain *d = &c.d->domain[0];
      tni_sparse_opts o = {.backend = "fronts", .symmetric = true, .node = d->node};
      double begin = tni_cpu_time();
      BENCH_TRY(c.ctx, tni_sparse_solver_create(c.ctx, d->n, d->ptr, d->ind, &o, &lu));
      BENCH_TRY(c.ctx, tni_sparse_solver_factor(lu, d->value));
      tni_sparse_solver_solve(lu, 1, false, c.force);
      t = tni_cpu_time() - begin;
      printf("24^3 elements, direct: %.2f s, %.1f M numbers\n", t, 1e-6*(double)tni_sparse_solver_nnz(lu));
      figure(&j, "cube.direct_vs_feti_dp_memory", (double)tni_sparse_solver_nnz(lu)/(double)many.nnz);
      figure(&j, "cube.direct_vs_feti_dp_time", t/seconds);
      tni_sparse_solver_destroy(&lu);
      pieces_drop(&c);
    } else {
      figure(&j, "feti.messages_per_iteration_64", (double)many.messages);
      figure(&j, "feti.kilobytes_per_iteration_64", 1e-3*(double)many.bytes);
    }
  }
  figures_close(&j);
  return 0;
}
