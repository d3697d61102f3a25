/* bench/chains.c - forward dynamics of chains and trees, and whole runs of falling chains, beside
 * the figures of other simulators
 *
 * The mechanisms are those of bench/peers (README there): equal links with hinges about y, chain
 * parent(k) = k-1, tree parent(k) = k/2; q_k = 0.3 sin k, u_k = 0.5 cos 2k, alternating with 0.9
 * times this state. The sum of accelerations must be the one the peers found.
 *
 * Usage: bench_chains build/bench
 *   reads build/bench/{simbody,mujoco,dart}.json if they are there, writes peers.json beside them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "bench.h"
#include "analyses/sim.h"
#include "compile/compile.h"

/* ---- figures of the peers -------------------------------------------------------------------- */

static const char *const peers[] = {"simbody", "mujoco", "dart"};
enum { NPEER = TNI_COUNT(peers) };

static char *read_all(const char *folder, const char *peer) {
  char path[600];
  snprintf(path, sizeof(path), "%s/%s.json", folder, peer);
  FILE *f = fopen(path, "r");
  if (!f) return NULL;
  char *text = calloc(1, 1 << 20);
  if (text && fread(text, 1, (1 << 20) - 1, f) == 0) text[0] = 0;
  fclose(f);
  return text;
}

/* number behind "key": in a flat JSON object; NaN if there is none */
static double lookup(const char *json, const char *key) {
  char quoted[128];
  snprintf(quoted, sizeof(quoted), "\"%s\"", key);
  const char *at = json ? strstr(json, quoted) : NULL;
  if (!at || !(at = strchr(at + strlen(quoted), ':'))) return NAN;
  char *end;
  double x = strtod(at + 1, &end);
  return end == at + 1 ? NAN : x;
}

/* ---- forward dynamics ------------------------------------------------------------------------ */

typedef struct {
  tn_ctx *ctx;
  tni_data *s;
  double *q[2], *v[2], *a;
  int turn;
} forward;

static void work_forward(void *user) {
  forward *f = user;
  f->turn = !f->turn;
  BENCH_TRY(f->ctx, tni_accel(f->s, 0, f->q[f->turn], f->v[f->turn], f->a, NULL, NULL));
}

/* the same text for chains and trees: only the parent differs */
static void mechanism(char *out, size_t n, bool tree, int links) {
  snprintf(out, n,
           "tenon: 1\ngravity: [0, 0, -9.81]\nrepeat:\n"
           "  - for: {i: [1, %d]}\n    bodies:\n      \"link{i}\": {mass: 0.1, shape: {box: [0.1, 0.02, "
           "0.02]}, com: [0.05, 0, 0], at: [\"0.1*%s\", 0, 0]}\n"
           "  - for: {i: [2, %d]}\n    joints:\n      \"pin{i}\": {type: revolute, bodies: "
           "[\"link{%s}\", \"link{i}\"], at2: [0, 0, 0], axis: y}\n"
           "joints:\n  pin1: {type: revolute, bodies: [ground, link1], at2: [0, 0, 0], axis: y}\n",
           links, tree ? "floor(log(i + 0.5)/log(2))" : "(i - 1)", links,
           tree ? "floor(i/2)" : "i-1");
}

/* ns per call; *sum: of the accelerations in the first state */
static double forward_ns(tn_ctx *ctx, bool tree, int n, int solver, double *sum) {
  char text[1000];
  tn_spec *spec;
  tn_model *model;
  forward f = {.ctx = ctx};
  mechanism(text, sizeof(text), tree, n);
  BENCH_TRY(ctx, tn_spec_read_text(ctx, "links", text, NULL, 0, &spec));
  BENCH_TRY(ctx, tn_model_compile(ctx, spec, &model));
  tni_system_opts o = {.joint_solver = solver};
  BENCH_TRY(ctx, tni_joint_create(ctx, model, &o, &f.s));
  f.a = tni_doubles(ctx, (size_t)f.s->nv);
  for (int k = 0; k < 2; k++) {
    f.q[k] = tni_doubles(ctx, (size_t)f.s->nq);
    f.v[k] = tni_doubles(ctx, (size_t)f.s->nv);
    for (int i = 0; i < f.s->nv; i++) {
      char name[128];
      tni_dof_name(f.s, i, name, sizeof(name)); /* "pin12.angle" */
      int link = atoi(name + 3);
      f.q[k][i] = (k ? 0.9 : 1)*0.3*sin(link);
      f.v[k][i] = (k ? 0.9 : 1)*0.5*cos(2*link);
    }
  }
  BENCH_TRY(ctx, tni_accel(f.s, 0, f.q[0], f.v[0], f.a, NULL, NULL));
  *sum = 0;
  for (int i = 0; i < f.s->nv; i++) *sum += f.a[i];
  double ns = 1e9*bench_time(work_forward, &f, 0.25, 5);
  for (int k = 0; k < 2; k++) {
    tni_free(ctx, f.q[k]);
    tni_free(ctx, f.v[k]);
  }
  tni_free(ctx, f.a);
  tni_data_destroy(&f.s);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return ns;
}

static void forward_table(tn_ctx *ctx, char *json[NPEER], figures *out) {
  static const int size[] = {10, 100, 1000};
  printf("\nforward dynamics, us per call (least; the packages as Debian builds them)\n");
  printf("  %-10s %10s %10s", "", "tenon", "composite");
  for (int p = 0; p < NPEER; p++) printf(" %10s", peers[p]);
  printf(" %18s\n", "fastest peer/tenon");
  for (int tree = 0; tree < 2; tree++)
    for (int i = 0; i < TNI_COUNT(size); i++) {
      char name[32], key[64];
      double sum, other, least = NAN;
      snprintf(name, sizeof(name), "%s%d", tree ? "tree" : "chain", size[i]);
      double ns = forward_ns(ctx, tree, size[i], TNI_JOINT_ARTICULATED, &sum);
      printf("  %-10s %10.2f", name, 1e-3*ns);
      /* the composite mass matrix of a long chain has N^2 entries: not worth the wait */
      if (tree || size[i] <= 100)
        printf(" %10.2f", 1e-3*forward_ns(ctx, tree, size[i], TNI_JOINT_COMPOSITE_SPARSE, &other));
      else printf(" %10s", "-");
      for (int p = 0; p < NPEER; p++) {
        snprintf(key, sizeof(key), "%s.%s_ns", name, peers[p]);
        double x = lookup(json[p], key);
        if (isfinite(x)) printf(" %10.2f", 1e-3*x);
        else printf(" %10s", "-");
        if (isfinite(x) && !(x >= least)) least = x;
        snprintf(key, sizeof(key), "%s.%s_sum", name, peers[p]);
        double want = lookup(json[p], key);
        if (isfinite(want) && fabs(sum - want) > 1e-7*(1 + fabs(want)))
          printf("\n  WARNING: sum of accelerations %.12g, %s has %.12g\n", sum, peers[p], want);
      }
      if (isfinite(least)) printf(" %18.2f", least/ns);
      printf("\n");
      snprintf(key, sizeof(key), "%s.tenon_ns", name);
      figure(out, key, ns);
      snprintf(key, sizeof(key), "%s.tenon_vs_fastest_peer", name);
      figure(out, key, least/ns);
    }
}

/* ---- falling chains -------------------------------------------------------------------------- */

typedef struct {
  double cpu, error;
  long steps;
} fall;

/* run to 5 s, keeping nothing but the tip at the end */
static fall run_chain(tn_ctx *ctx, const char *method, const char *representation,
                      double tolerance) {
  /* reference: bench/peers/README.md, two programs that share nothing */
  const double tip[2] = {-17.4558813087558, -5.1884429915097};
  const char *set[1] = {"N=200"};
  tn_spec *spec;
  tn_model *model;
  tn_sim *sim;
  tn_run_opts o = {.method = method, .representation = representation, .tolerance = tolerance,
                   .until = 5};
  fall r = {0};
  BENCH_TRY(ctx, tn_spec_read_file(ctx, TENON_SOURCE_DIR "/examples/chain/chain.yaml", set, 1, &spec));
  BENCH_TRY(ctx, tn_model_compile(ctx, spec, &model));
  BENCH_TRY(ctx, tn_sim_create(ctx, model, &o, &sim));
  double begin = tni_cpu_time();
  BENCH_TRY(ctx, tn_sim_advance(sim, 5));
  r.cpu = tni_cpu_time() - begin;
  double p[3], e[4], R[9], half[3] = {0.05, 0, 0}, d[3];
  BENCH_TRY(ctx, tn_sim_body_pose(sim, 199, p, e));
  quat_matrix(R, e);
  mat3_vec(d, R, half);
  r.error = hypot(p[0] + d[0] - tip[0], p[2] + d[2] - tip[1]);
  r.steps = sim->it->stats.steps;
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return r;
}

/* CPU seconds for an error of 1e-3, by interpolation in log-log between the two runs around it */
static double at_error(const double *error, const double *cpu, int n, double wanted) {
  for (int i = 0; i + 1 < n; i++) {
    if (!(error[i] >= wanted && error[i+1] <= wanted)) continue;
    double w = log(error[i]/wanted)/log(error[i]/error[i+1]);
    return exp((1 - w)*log(cpu[i]) + w*log(cpu[i+1]));
  }
  /* already the loosest run is good enough: its cost is an upper bound */
  return error[0] < wanted ? cpu[0] : NAN;
}

static void fall_table(tn_ctx *ctx, char *json[NPEER], figures *out) {
  static const double tolerance[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  static const char *const methods[] = {"rk45", "rk8", "adams"};
  enum { N = TNI_COUNT(tolerance) };
  double best = HUGE_VAL;
  printf("\nfalling chain of 200 links, 5 s: CPU s, error of the tip [m], steps\n");
  for (int k = 0; k < TNI_COUNT(methods); k++) {
    double error[N], cpu[N];
    for (int i = 0; i < N; i++) {
      fall r = run_chain(ctx, methods[k], "joint", tolerance[i]);
      error[i] = r.error;
      cpu[i] = r.cpu;
      printf("  %-8s tolerance %.0e  %8.3f s  error %.1e  %ld steps\n", methods[k], tolerance[i],
             r.cpu, r.error, r.steps);
    }
    double c = at_error(error, cpu, N, 1e-3);
    if (c < best) best = c;
  }
  double error[8], cpu[8];
  int n = 0;
  for (int a = 2; a <= 8; a++) {
    char key[64];
    snprintf(key, sizeof(key), "chain200_run.simbody.acc1e-%d.error", a);
    double e = lookup(json[0], key);
    snprintf(key, sizeof(key), "chain200_run.simbody.acc1e-%d.cpu", a);
    double c = lookup(json[0], key);
    if (!isfinite(e) || !isfinite(c)) continue;
    printf("  simbody  accuracy  1e-%02d  %8.3f s  error %.1e\n", a, c, e);
    error[n] = e;
    cpu[n++] = c;
  }
  printf("  at an error of 1e-3: tenon %.3f s", best);
  figure(out, "chain200_run.tenon_cpu", best);
  if (n > 1) {
    double peer = at_error(error, cpu, n, 1e-3);
    printf(", simbody %.3f s, ratio %.2f", peer, peer/best);
    figure(out, "chain200_run.simbody_cpu", peer);
    figure(out, "chain200_run.tenon_vs_simbody", peer/best);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : ".";
  char path[600], *json[NPEER];
  figures out;
  tn_ctx *ctx;
  snprintf(path, sizeof(path), "%s/peers.json", folder);
  if (!figures_open(&out, path)) return 3;
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 3;
  for (int p = 0; p < NPEER; p++) {
    json[p] = read_all(folder, peers[p]);
    if (!json[p]) printf("%s: no figures in %s, skipped\n", peers[p], folder);
  }
  forward_table(ctx, json, &out);
  fall_table(ctx, json, &out);
  for (int p = 0; p < NPEER; p++) free(json[p]);
  tn_ctx_destroy(&ctx);
  figures_close(&out);
  return 0;
}
