/* bench/fe.c - finite elements: statics and modes beside other programs, explicit steps beside the machine's limits
 *
 *   cantilever61k          bricks 80 x 15 x 15 (61,440 unknowns), clamped, traction at the end: whole programs from their input file to
 *                          displacements and stresses in a file, CPU seconds (user and system, all threads), the least of several
 *                          runs; the strain energies are compared
 *   cantilever61k_modes20  20 lowest modes of it
 *   craig_bampton          flexible slider-crank, whole mesh and reduced body, at a tolerance where both bend alike to about 1 %
 *   explicit               bricks with one point, elastic: time of a step of method central per element, from 1e3 to 1e6 elements;
 *                          the kernel with the update of the nodes beside the roof
 *   assembly               stiffness matrix per brick
 *   memory                 resident memory of statics per unknown
 *
 * The roof of an element and step is the larger of 280 bytes (nodes 3 x 3 x 8 x 2 and their update, connectivity: each array once)
 * at the rate of STREAM's triad and of the counted operations (870 of an element, 39 of a node: 12 to move it, 27 for acceleration,
 * velocity and sums) at the rate of products and sums in the registers that the kernel is compiled for, both measured here, on as many threads.
 *
 * Peers are used where they are installed: ccx (calculix-ccx), dolfinx (python3-dolfinx).
 * Usage: bench_fe build/bench/fe.json TENON SCRATCH_DIR [statics | modes | craig_bampton | assembly | explicit]
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyses/sim.h"
#include "bench.h"
#include "linsolve/pair.h"
#include "parallel/pool.h"
#include "solids/batch.h"
#include "solids/structure.h"
#include "system/common.h"

enum { NX = 80, NY = 15, NZ = 15, MODES = 20, BYTES = 280, NODE_FLOPS = 39 };
static const double LX = 0.8, LY = 0.15, LZ = 0.15, TRACTION = -1e6;

/* CPU time of the process over its threads: what the work would last on a machine with nothing else to do; waiting that spins is
 * counted, waiting that sleeps is not */
static int nthread = 1;

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return ((double)t.tv_sec + 1e-9*(double)t.tv_nsec)/nthread;
}

/* ---- whole programs -------------------------------------------------------------------------------- */

typedef struct {
  double seconds, bytes; /* CPU, largest resident memory */
  bool done;
} cost;

/* runs in dir, output to dir/log */
static cost run(const char *dir, const char *const *argv) {
  cost c = {0};
  pid_t child = fork();
  if (child == 0) {
    if (chdir(dir) != 0) _exit(126);
    int log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(log, 1);
    dup2(log, 2);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
  }
  int status = -1;
  struct rusage u;
  if (child < 0 || wait4(child, &status, 0, &u) < 0) return c;
  c.done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  c.seconds = (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec + 1e-6*(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
  c.bytes = 1024.0*(double)u.ru_maxrss;
  return c;
}

static cost least(const char *dir, const char *const *argv, int times) {
  cost best = {.seconds = HUGE_VAL};
  for (int i = 0; i < times; i++) {
    cost c = run(dir, argv);
    if (!c.done) return c;
    if (c.seconds < best.seconds) best = c;
  }
  return best;
}

static FILE *file(const char *dir, const char *name, const char *mode) {
  char path[1200];
  snprintf(path, sizeof(path), "%s/%s", dir, name);
  FILE *f = fopen(path, mode);
  if (!f) {
    fprintf(stderr, "cannot open %s\n", path);
    exit(3);
  }
  return f;
}

/* the number after `key` in the log of the last run; occurrence: which one */
static double logged(const char *dir, const char *name, const char *key) {
  FILE *f = file(dir, name, "r");
  char line[1000];
  double value = NAN;
  while (isnan(value) && fgets(line, sizeof(line), f)) {
    const char *at = strstr(line, key);
    if (at) value = strtod(at + strlen(key), NULL);
  }
  fclose(f);
  return value;
}

static void write_model(const char *dir, const char *name, bool modes) {
  FILE *f = file(dir, name, "w");
  fprintf(f, "tenon: 1\ntitle: Cantilever\nmeshes:\n"
          "  beam: {box: {size: [%g, %g, %g], cells: [%d, %d, %d], cell: hex8}}\n"
          "materials:\n  steel: {type: elastic, E: 210e9, nu: 0.3, density: 7850}\n"
          "structures:\n  beam: {mesh: beam, material: steel, element: full}\n"
          "supports:\n  - {group: x0, fix: [x, y, z]}\n", LX, LY, LZ, NX, NY, NZ);
  if (modes) fprintf(f, "analysis: {type: modes, modes: %d}\n", MODES);
  else fprintf(f, "loads:\n  - {group: x1, traction: [0, 0, %g]}\nanalysis: {type: statics}\n", TRACTION);
  fclose(f);
}

static int node(int i, int j, int k) { return 1 + i + (NX + 1)*(j + (NY + 1)*k); }
static double edge(int j, int n) { return j == 0 || j == n ? 0.5 : 1; }
static double load_at(int j, int k) { return TRACTION*LY/NY*LZ/NZ*edge(j, NY)*edge(k, NZ); }

static void write_deck(const char *dir, const char *name, bool modes) {
  FILE *f = file(dir, name, "w");
  fprintf(f, "*NODE, NSET=ALL\n");
  for (int k = 0; k <= NZ; k++)
    for (int j = 0; j <= NY; j++)
      for (int i = 0; i <= NX; i++)
        fprintf(f, "%d, %.15g, %.15g, %.15g\n", node(i, j, k), LX*i/NX, LY*j/NY, LZ*k/NZ);
  fprintf(f, "*ELEMENT, TYPE=C3D8, ELSET=E\n");
  for (int k = 0, e = 1; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++, e++)
        fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", e, node(i, j, k), node(i+1, j, k), node(i+1, j+1, k), node(i, j+1, k),
                node(i, j, k+1), node(i+1, j, k+1), node(i+1, j+1, k+1), node(i, j+1, k+1));
  fprintf(f, "*NSET, NSET=X0\n");
  for (int k = 0; k <= NZ; k++)
    for (int j = 0; j <= NY; j++) fprintf(f, "%d\n", node(0, j, k));
  fprintf(f, "*MATERIAL, NAME=M\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n*SOLID SECTION, ELSET=E, MATERIAL=M\n*BOUNDARY\nX0, 1, 3\n");
  if (modes) {
    fprintf(f, "*STEP\n*FREQUENCY\n%d\n*NODE FILE\nU\n*EL FILE\nS\n*END STEP\n", MODES);
  } else {
    fprintf(f, "*STEP\n*STATIC\n*CLOAD\n");
    for (int k = 0; k <= NZ; k++)
      for (int j = 0; j <= NY; j++) fprintf(f, "%d, 3, %.15g\n", node(NX, j, k), load_at(j, k));
    fprintf(f, "*NODE FILE\nU, RF\n*EL FILE\nS\n*END STEP\n");
  }
  fclose(f);
}

/* half the work of the loads by the displacements in CalculiX' results */
static double deck_energy(const char *dir, const char *name) {
  FILE *f = file(dir, name, "r");
  char line[1000];
  double sum = 0;
  bool on = false;
  while (fgets(line, sizeof(line), f)) {
    if (strstr(line, "DISP")) on = true;
    if (on && strncmp(line, " -3", 3) == 0) break;
    if (!on || strncmp(line, " -1", 3) != 0) continue;
    char number[16] = "", value[16] = "";
    memcpy(number, line + 3, 10);
    memcpy(value, line + 37, 12);
    int n = atoi(number) - 1, i = n % (NX + 1), j = n/(NX + 1) % (NY + 1), k = n/((NX + 1)*(NY + 1));
    if (i == NX) sum += 0.5*load_at(j, k)*strtod(value, NULL);
  }
  fclose(f);
  return sum;
}

/* the last frequency of the table in CalculiX' .dat */
static double deck_frequency(const char *dir, const char *name, int mode) {
  FILE *f = file(dir, name, "r");
  char line[1000];
  double value = NAN;
  while (isnan(value) && fgets(line, sizeof(line), f)) {
    double a, b, c;
    int n;
    if (sscanf(line, "%d %lf %lf %lf", &n, &a, &b, &c) == 4 && n == mode) value = c;
  }
  fclose(f);
  return value;
}

static double model_frequency(const char *dir, const char *name, int mode) {
  FILE *f = file(dir, name, "r");
  char line[1000];
  double value = NAN;
  while (isnan(value) && fgets(line, sizeof(line), f)) {
    double a;
    int n;
    if (sscanf(line, "%d %lf", &n, &a) == 2 && n == mode) value = a;
  }
  fclose(f);
  return value;
}

static bool same(figures *out, const char *key, double a, double b, double allowed) {
  double off = fabs(a - b)/fabs(b);
  figure(out, key, off);
  if (off <= allowed) return true;
  fprintf(stderr, "%s: %.9g against %.9g: not the same result, no ratio\n", key, a, b);
  return false;
}

static void statics(figures *out, const char *tenon, const char *dir) {
  write_model(dir, "cantilever.yaml", false);
  const char *own[] = {tenon, "run", "cantilever.yaml", "--output", "cantilever.h5", NULL};
  cost t = least(dir, own, 3);
  if (!t.done) {
    fprintf(stderr, "tenon did not run: see %s/log\n", dir);
    exit(3);
  }
  double energy = logged(dir, "log", "potential"), unknowns = 3.0*NX*(NY + 1)*(NZ + 1);
  printf("cantilever, %.0f unknowns: tenon %.2f s CPU, %.0f MB, energy %.9g J\n", unknowns, t.seconds, 1e-6*t.bytes, energy);
  figure(out, "cantilever61k.tenon_seconds", t.seconds);
  figure(out, "memory.bytes_per_dof", t.bytes/unknowns);
  write_deck(dir, "cantilever.inp", false);
  const char *ccx[] = {"ccx", "cantilever", NULL};
  cost c = least(dir, ccx, 2);
  if (!c.done) {
    printf("CalculiX (ccx) not found, left out: apt-get install calculix-ccx\n");
  } else {
    double e = deck_energy(dir, "cantilever.frd");
    printf("  CalculiX %.2f s CPU, %.0f MB, energy %.9g J\n", c.seconds, 1e-6*c.bytes, e);
    figure(out, "cantilever61k.calculix_seconds", c.seconds);
    if (same(out, "cantilever61k.calculix_energy_off", e, energy, 1e-5))
      figure(out, "cantilever61k.calculix_vs_tenon", c.seconds/t.seconds);
  }
  char script[1200], size[6][32];
  snprintf(script, sizeof(script), "%s/bench/peers/cantilever_dolfinx.py", TENON_SOURCE_DIR);
  const double number[] = {NX, NY, NZ, LX, LY, LZ};
  for (int i = 0; i < 6; i++) snprintf(size[i], sizeof(size[i]), "%g", number[i]);
  const char *fenics[] = {"/usr/bin/python3", script, size[0], size[1], size[2], size[3], size[4], size[5], "-1e6", "dolfinx.xdmf",
                          NULL};
  cost d = least(dir, fenics, 3); /* the first run compiles its forms */
  if (!d.done) {
    printf("dolfinx not found, left out: apt-get install python3-dolfinx\n");
  } else {
    double e = logged(dir, "log", "energy");
    printf("  dolfinx %.2f s CPU, %.0f MB, energy %.9g J\n", d.seconds, 1e-6*d.bytes, e);
    figure(out, "cantilever61k.dolfinx_seconds", d.seconds);
    if (same(out, "cantilever61k.dolfinx_energy_off", e, energy, 1e-5))
      figure(out, "cantilever61k.dolfinx_vs_tenon", d.seconds/t.seconds);
  }
}

static void modes(figures *out, const char *tenon, const char *dir) {
  write_model(dir, "modes.yaml", true);
  const char *own[] = {tenon, "run", "modes.yaml", "--output", "modes.h5", NULL};
  cost t = least(dir, own, 2);
  if (!t.done) return;
  double last = model_frequency(dir, "log", MODES);
  printf("20 modes of it: tenon %.2f s CPU, the last %.6g Hz\n", t.seconds, last);
  figure(out, "cantilever61k_modes20.tenon_seconds", t.seconds);
  write_deck(dir, "modes.inp", true);
  const char *ccx[] = {"ccx", "modes", NULL};
  cost c = run(dir, ccx);
  if (!c.done) return;
  double own_last = deck_frequency(dir, "modes.dat", MODES);
  printf("  CalculiX %.2f s CPU, the last %.6g Hz\n", c.seconds, own_last);
  figure(out, "cantilever61k_modes20.calculix_seconds", c.seconds);
  /* consistent masses there, lumped ones here: the highest of twenty differs by about a percent */
  if (same(out, "cantilever61k_modes20.calculix_frequency_off", own_last, last, 0.02))
    figure(out, "cantilever61k_modes20.calculix_vs_tenon", c.seconds/t.seconds);
}

enum { ROWS = 101, CHANNELS = 6 };

/* How far the rod's end at the crank turns against the line between its ends, at every stored row; returns how many. */
static int slopes(const char *dir, const char *tenon, double out[ROWS]) {
  static const char *const name[CHANNELS] = {"eye/position.x", "eye/position.z", "pin/position.x", "pin/position.z", "eye/orientation.e0", "eye/orientation.e2"};
  const char *own[] = {tenon, "export", "crank.h5", "--csv", "crank.csv", "eye/*", "pin/*", NULL};
  char line[20000];
  int column[CHANNELS] = {0}, n = 0;
  if (!run(dir, own).done) return 0;
  FILE *f = file(dir, "crank.csv", "r");
  for (int row = -1; n < ROWS && fgets(line, sizeof(line), f); row++) {
    double x[CHANNELS] = {0};
    char *at = line;
    for (int k = 0; at; k++, at = strchr(at, ','), at = at ? at + 1 : NULL)
      for (int c = 0; c < CHANNELS; c++) {
        if (row < 0 && strncmp(at, name[c], strlen(name[c])) == 0) column[c] = k;
        if (row >= 0 && column[c] == k) x[c] = strtod(at, NULL);
      }
    if (row >= 0) out[n++] = 2*atan2(x[5], x[4]) - atan2(x[1] - x[3], x[2] - x[0]);
  }
  fclose(f);
  return n;
}

/* Slider-crank with an elastic rod of bricks of second order, 12 x 2 x 2 (about 1700 unknowns), whole and reduced to its two ends and
 * eight modes, which are computed anew in every run: whole runs at the same tolerance. The start of the drive sends waves through the rod that eight
 * modes do not have: at tolerances below what the reduced body is wrong by, the whole mesh follows them with steps of less than a microsecond. */
static void reduced(figures *out, const char *tenon, const char *dir) {
  static const char *const kind[2] = {"formulation: large", "reduce: {craig_bampton: {modes: 8}}"};
  static const char *const name[2] = {"crank_whole.yaml", "crank_reduced.yaml"};
  cost c[2];
  static double slope[2][ROWS];
  double off = 0, most = 0;
  int n[2];
  for (int k = 0; k < 2; k++) {
    FILE *f = file(dir, name[k], "w");
    fprintf(f, "tenon: 1\ngravity: [0, 0, -9.81]\n"
            "meshes: {rod: {box: {size: [0.2, 0.01, 0.01], cells: [12, 2, 2], cell: hex20, origin: [0.05, -0.005, -0.005]}}}\n"
            "materials: {alloy: {type: elastic, E: 7e10, nu: 0.3, density: 2700}}\n"
            "structures: {rod: {mesh: rod, material: alloy, element: full, %s, hold: {eye: x0, pin: x1}}}\n"
            "bodies:\n  crank: {mass: 0.3, inertia: [1e-5, 2e-4, 2e-4], between: [[0, 0, 0], [0.05, 0, 0]]}\n"
            "  slider: {mass: 0.2, inertia: [1e-5, 1e-5, 1e-5], at: [0.25, 0, 0]}\n"
            "joints:\n  main: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
            "  big: {type: revolute, bodies: [crank, eye], at: [0.05, 0, 0], axis: y}\n"
            "  small: {type: revolute, bodies: [pin, slider], at: [0.25, 0, 0], axis: y}\n"
            "  guide: {type: prismatic, bodies: [ground, slider], at: [0.25, 0, 0], axis: x}\n"
            "drive: [{joint: main, motion: \"2000*t^2\"}]\n"
            "analysis: {until: 0.005, method: radau, tolerance: 1e-2}\n", kind[k]);
    fclose(f);
    const char *own[] = {tenon, "run", name[k], "--output", "crank.h5", NULL};
    c[k] = least(dir, own, k ? 3 : 1);
    if (!c[k].done) return;
    n[k] = slopes(dir, tenon, slope[k]);
  }
  if (n[0] < 2 || n[0] != n[1]) return;
  for (int i = 0; i < n[0]; i++) {
    off = fmax(off, fabs(slope[0][i] - slope[1][i]));
    most = fmax(most, fabs(slope[0][i]));
  }
  printf("slider-crank with an elastic rod: whole %.2f s CPU, reduced %.2f s; slope of the rod's end up to %.3g, they part by %.2g of it\n", c[0].seconds,
         c[1].seconds, most, off/most);
  if (!same(out, "craig_bampton.slope_off", most + off, most, 0.01)) return;
  figure(out, "craig_bampton.full_seconds", c[0].seconds);
  figure(out, "craig_bampton.reduced_seconds", c[1].seconds);
  figure(out, "craig_bampton.cost_vs_full", c[0].seconds/c[1].seconds);
}

/* ---- limits of the machine -------------------------------------------------------------------------- */

typedef double four __attribute__((vector_size(32)));
typedef double eight __attribute__((vector_size(64)));

typedef struct {
  double *a, *b, *c;
  long n;
} arrays;

static void triad(void *user, int begin, int end) {
  const arrays *x = user;
  double *restrict a = x->a;
  const double *b = x->b, *c = x->c;
  for (long i = (long)begin*4096; i < (long)end*4096; i++) a[i] = b[i] + 3*c[i];
}

/* bytes per second on the threads of ctx */
static double stream(tn_ctx *ctx) {
  arrays x = {.n = 32 << 20};
  double best = 0;
  x.a = tni_doubles(ctx, (size_t)x.n), x.b = tni_doubles(ctx, (size_t)x.n), x.c = tni_doubles(ctx, (size_t)x.n);
  for (int r = 0; r < 4; r++) {
    enum { TIMES = 8 };
    double t = seconds_now();
    for (int k = 0; k < TIMES; k++) tni_parallel_for(ctx, (int)(x.n/4096), 64, triad, &x);
    t = seconds_now() - t;
    best = fmax(best, 24.0*TIMES*(double)x.n/t);
  }
  tni_free(ctx, x.a), tni_free(ctx, x.b), tni_free(ctx, x.c);
  return best;
}

enum { LONG = 60000000, CHAINS = 8 }; /* a tenth of a second: the clock of the process knows of what its other threads do some milliseconds late */

/* products and sums in equal numbers, none waiting for another, in the registers of the kernel */
#define CALCULATE(wide)                                                                            \
  wide p[CHAINS], s[CHAINS];                                                                       \
  const wide m = (wide){0} + 1.0000001, d = (wide){0} + 1e-9;                                      \
  for (int i = 0; i < CHAINS; i++) p[i] = s[i] = (wide){0} + seed;                                 \
  for (int k = 0; k < LONG; k++)                                                                   \
    for (int i = 0; i < CHAINS; i++) p[i] = p[i]*m, s[i] = s[i] + d;                               \
  for (int i = 1; i < CHAINS; i++) p[0] += p[i] + s[i];                                            \
  return p[0][0] + p[0][1]

WIDE_ROWS static double calculate(double seed) { CALCULATE(four); }

/* eight at once, where batch_eight.c does so */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target("arch=x86-64-v4"))) static double calculate_eight(double seed) { CALCULATE(eight); }
static bool has_eight(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }
#else
static double calculate_eight(double seed) { return seed; }
static bool has_eight(void) { return false; }
#endif

static void calculate_part(void *user, int begin, int end) {
  for (int i = begin; i < end; i++) ((double *)user)[8*i] = has_eight() ? calculate_eight(1 + i) : calculate(1 + i);
}

/* operations per second */
static double arithmetic(tn_ctx *ctx, int threads) {
  double sink[8*64], best = 0;
  for (int r = 0; r < 6; r++) {
    double t = seconds_now();
    tni_parallel_for(ctx, threads, 1, calculate_part, sink);
    t = seconds_now() - t;
    best = fmax(best, (double)threads*LONG*CHAINS*(has_eight() ? 16.0 : 8.0)/t);
  }
  return best;
}

/* ---- explicit steps ---------------------------------------------------------------------------------- */

typedef struct {
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
} loaded;

static loaded prepare(int n, int threads, const char *analysis, const char *method) {
  loaded l = {0};
  char text[1200];
  tn_ctx_opts co = {.threads = threads};
  snprintf(text, sizeof(text), "tenon: 1\nmeshes: {b: {box: {size: [1, 1, 1], cells: [%d, %d, %d], cell: hex8}}}\n"
           "materials: {steel: {type: elastic, E: 210e9, nu: 0.3, density: 7850}}\n"
           "structures: {b: {mesh: b, material: steel, element: %s}}\n"
           "supports: [{group: x0, fix: [x, y, z]}]\nloads: [{group: x1, traction: [0, 0, -1e6]}]\nanalysis: %s\n", n, n, n,
           method ? "one" : "full", analysis);
  BENCH_TRY(NULL, tn_ctx_create(&co, &l.ctx));
  BENCH_TRY(l.ctx, tn_spec_read_text(l.ctx, "bench", text, NULL, 0, &l.spec));
  BENCH_TRY(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
  tn_run_opts o = {.method = method, .until = 1};
  if (method) BENCH_TRY(l.ctx, tn_sim_create(l.ctx, l.model, &o, &l.sim));
  return l;
}

static void unload(loaded *l) {
  tn_sim_destroy(&l->sim);
  tn_model_destroy(&l->model);
  tn_spec_destroy(&l->spec);
  tn_ctx_destroy(&l->ctx);
}

/* seconds of a step of the method, the looks of the audit included (one in 48 steps), per element; the least of rounds */
static double step_time(int n, int threads, int steps) {
  loaded l = prepare(n, threads, "{method: central}", "central");
  double best = HUGE_VAL;
  for (int r = 0; r < 4; r++) {
    double t = seconds_now();
    for (int i = 0; i < steps; i++) BENCH_TRY(l.ctx, tni_sim_advance_step(l.sim));
    best = fmin(best, (seconds_now() - t)/steps);
  }
  unload(&l);
  return best/((double)n*n*n);
}

static double fastest(int n, int threads, int steps, int rounds) {
  double best = HUGE_VAL;
  for (int r = 0; r < rounds; r++) best = fmin(best, step_time(n, threads, steps));
  return best;
}

static void explicit_steps(figures *out) {
  double share = HUGE_VAL;
  for (int threads = 1; threads <= 2; threads++) {
    tn_ctx *ctx;
    tn_ctx_opts co = {.threads = threads};
    nthread = threads;
    BENCH_TRY(NULL, tn_ctx_create(&co, &ctx));
    double bandwidth = stream(ctx), rate = arithmetic(ctx, threads);
    tn_ctx_destroy(&ctx);
    double roof = fmax(BYTES/bandwidth, (tni_batch_hex8.flops + NODE_FLOPS)/rate), t = fastest(100, threads, 48, 1);
    char key[80];
    printf("explicit, %d thread%s: STREAM %.1f GB/s, arithmetic %.1f Gflop/s, roof %.1f ns, step %.1f ns an element: %.2f of the roof\n",
           threads, threads > 1 ? "s" : "", 1e-9*bandwidth, 1e-9*rate, 1e9*roof, 1e9*t, roof/t);
    snprintf(key, sizeof(key), "explicit.hex8_share_of_roof_%d", threads);
    figure(out, key, roof/t);
    snprintf(key, sizeof(key), "explicit.roof_ns_%d", threads);
    figure(out, key, 1e9*roof);
    snprintf(key, sizeof(key), "explicit.hex8_ns_per_element_step_%d", threads);
    figure(out, key, 1e9*t);
    if (threads == 1) figure(out, "explicit.hex8_ns_per_element_step", 1e9*t);
    share = fmin(share, roof/t);
  }
  figure(out, "explicit.hex8_share_of_roof", share); /* the smaller one */
  nthread = 1;
  double few = fastest(10, 1, 480, 3), many = fastest(100, 1, 48, 1);
  printf("  1e3 elements %.1f ns, 1e6 elements %.1f ns an element and step\n", 1e9*few, 1e9*many);
  figure(out, "explicit.per_element_growth", many/few);
}

/* ---- stiffness matrices ------------------------------------------------------------------------------- */

typedef struct {
  tni_data *s;
  double *q, *K;
  tn_ctx *ctx;
} matrix;

static void assemble(void *user) {
  matrix *m = user;
  tni_sparse_tangent t = {.r_q = m->K};
  BENCH_TRY(m->ctx, tni_eval_sparse_tangent(m->s, 0, m->q, NULL, NULL, NULL, &t));
}

static void assembly(figures *out) {
  enum { SIDE = 24 };
  loaded l = prepare(SIDE, 1, "{type: statics}", NULL);
  matrix m = {.ctx = l.ctx};
  BENCH_TRY(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &m.s));
  BENCH_TRY(l.ctx, tni_prepare_pattern(m.s));
  m.q = tni_doubles(l.ctx, (size_t)m.s->nq);
  m.K = tni_doubles(l.ctx, (size_t)m.s->square->nnz);
  double t = bench_time(assemble, &m, 0.2, 5)/((double)SIDE*SIDE*SIDE);
  printf("stiffness of a brick, made and added: %.0f ns\n", 1e9*t);
  figure(out, "assembly.hex8_ns_per_element", 1e9*t);
  tni_free(l.ctx, m.q), tni_free(l.ctx, m.K);
  tni_data_destroy(&m.s);
  unload(&l);
}

int main(int argc, char **argv) {
  figures out;
  if (argc != 4 && argc != 5) {
    fprintf(stderr, "usage: bench_fe FIGURES.json TENON SCRATCH_DIR [PART]\n");
    return 2;
  }
  if (!figures_open(&out, argv[1])) return 3;
  char tenon[1200];
  if (!realpath(argv[2], tenon)) {
    fprintf(stderr, "cannot find %s\n", argv[2]);
    return 3;
  }
  const char *part = argv[4];
  if (!part || strcmp(part, "statics") == 0) statics(&out, tenon, argv[3]);
  if (!part || strcmp(part, "modes") == 0) modes(&out, tenon, argv[3]);
  if (!part || strcmp(part, "craig_bampton") == 0) reduced(&out, tenon, argv[3]);
  if (!part || strcmp(part, "assembly") == 0) assembly(&out);
  if (!part || strcmp(part, "explicit") == 0) explicit_steps(&out);
  figures_close(&out);
  return 0;
}
