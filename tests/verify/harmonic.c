/* verification of harmonic loads: one freedom in closed form, small meshes against the complex equations solved as they are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "system/cartesian.h"
#include "system/parts.h"

#include <complex.h>
#undef I

static const char *const FILE_NAME = "verify_harmonic.h5";
static unsigned seed;
static double draw(void) { /* in -1 .. 1 */
  seed = seed*1664525u + 1013904223u;
  return (double)(seed >> 8)/8388608.0 - 1;
}

static const double TWO_PI = 6.283185307179586;
enum { SAMPLES = 9 };

/* amplitudes and phases of a channel, frequencies; [SAMPLES] */
static void respond(const char *text, const char *channel, double *f, double complex *U, tn_summary *sum) {
  loaded l;
  tn_results *r;
  double value[SAMPLES][2];
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = FILE_NAME, .overwrite = true}, sum));
  CHECK_OK(l.ctx, tn_results_open(l.ctx, FILE_NAME, &r));
  CHECK_INT(tn_results_ntime(r), SAMPLES);
  int c = tn_results_find(r, channel), hertz = tn_results_find(r, "response/frequency");
  if (CHECK(c >= 0 && hertz >= 0)) {
    CHECK_OK(l.ctx, tn_results_read(r, hertz, NULL, f));
    CHECK_OK(l.ctx, tn_results_read(r, c, NULL, &value[0][0]));
    for (int i = 0; i < SAMPLES; i++) U[i] = value[i][0]*cexp(_Complex_I*value[i][1]);
  }
  tn_results_close(&r);
  unload(&l);
}

/* a brick of one element that can only stretch: k = E A/L, half of its mass moves */
static void one_freedom_follows_the_closed_form(void) {
  static tn_summary sum;
  seed = 3;
  for (int round = 0; round < 6; round++) {
    double E = 1000*(2 + draw()), rho = 3 + draw(), L = 2 + draw(), alpha = round % 2 ? 1 + draw() : 0, beta = round % 2 ? 0.01*(1 + draw()) : 0,
           zeta = 0.1*(1.1 + draw()), F = 2 + draw(), f[SAMPLES];
    double k = E*0.5/L, m = rho*0.5*L/2, w0 = sqrt(k/m);
    double complex U[SAMPLES];
    char text[1200];
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [%.17g, 1, 0.5], cells: [1, 1, 1]}}}\nmaterials: {a: {type: elastic, E: %.17g, nu: 0, density: %.17g%s}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}, {group: x1, fix: [y, z]}]\n"
             "loads: [{group: x1, force: [\"%.17g*t\", 0, 0]}]\n"
             "analysis: {type: harmonic, range: [%.17g, %.17g], samples: %d, spacing: %s, modal_damping: %.17g, watch: [[x1, x]]}\n",
             L, E, rho, "", F, 0.2*w0/TWO_PI, 2*w0/TWO_PI, SAMPLES, round % 3 ? "linear" : "logarithmic", zeta);
    if (round % 2) {
      char damped[1400], *at = strstr(text, "}}\nstructures");
      snprintf(damped, sizeof(damped), "%.*s, rayleigh: [%.17g, %.17g]%s", (int)(at - text), text, alpha, beta, at);
      memcpy(text, damped, sizeof(text));
    }
    respond(text, "response/x1.x", f, U, &sum);
    CHECK_NEAR(f[0], 0.2*w0/TWO_PI, 1e-12);
    CHECK_NEAR(f[SAMPLES - 1], 2*w0/TWO_PI, 1e-12);
    for (int i = 0; i < SAMPLES; i++) {
      double w = TWO_PI*f[i];
      double complex want = F/(k - w*w*m + _Complex_I*w*(alpha*m + beta*k + 2*zeta*w0*m));
      if (!CHECK(cabs(U[i] - want) < 1e-9*cabs(want))) printf("  round %d at %g Hz: %g %+gi instead of %g %+gi\n", round, f[i], creal(U[i]), cimag(U[i]),
                                                               creal(want), cimag(want));
    }
  }
}

/* The same brick shaken at its other end, sometimes with springs and dampers between the two ends:
 * (k - w^2 m + i w c) U = (k + i w c) A, where damping by mass is against ground, that of modes is not */
static void one_freedom_is_shaken(void) {
  static tn_summary sum;
  seed = 5;
  for (int round = 0; round < 6; round++) {
    double E = 1000*(2 + draw()), rho = 3 + draw(), alpha = round % 2 ? 5*(1 + draw()) : 0, beta = 0.05*(1 + draw()), A = 0.02 + 0.01*draw(),
           extra = round % 3 ? 0.1*E*(1 + draw()) : 0, dashpot = round % 3 ? 20*(1 + draw()) : 0, zeta = round > 3 ? 0.1*(1.1 + draw()) : 0, f[SAMPLES];
    double k = E + 4*extra, m = rho/2, w0 = sqrt(k/m), c = beta*E + 4*dashpot + 2*zeta*w0*m;
    double complex U[SAMPLES];
    char text[2000], springs[1000] = "nodes: [";
    for (int node = 1; node < 8; node += 2) /* along x */
      snprintf(springs + strlen(springs), sizeof(springs) - strlen(springs), "{group: node %d, to: node %d, stiffness: [%.17g, 0, 0], damping: [%.17g, 0, 0]}%s",
               node + 1, node, extra, dashpot, node < 7 ? ", " : "]\n");
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
             "materials: {a: {type: elastic, E: %.17g, nu: 0, density: %.17g, rayleigh: [%.17g, %.17g]}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: [y, z], move: {x: \"%.17g*t\"}}, {group: x1, fix: [y, z]}]\n%s"
             "analysis: {type: harmonic, range: [%.17g, %.17g], samples: %d, modal_damping: %.17g, watch: [[x1, x]]}\n",
             E, rho, alpha, beta, A, round % 3 ? springs : "", 0.2*w0/TWO_PI, 3*w0/TWO_PI, SAMPLES, zeta);
    respond(text, "response/x1.x", f, U, &sum);
    for (int i = 0; i < SAMPLES; i++) {
      double w = TWO_PI*f[i];
      double complex want = (k + _Complex_I*w*c)*A/(k - w*w*m + _Complex_I*w*(alpha*m + c));
      if (!CHECK(cabs(U[i] - want) < 1e-9*cabs(want))) printf("  round %d at %g Hz: %g %+gi instead of %g %+gi\n", round, f[i], creal(U[i]), cimag(U[i]),
                                                               creal(want), cimag(want));
    }
  }
}

static const char *const MESH =
    "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 1, 1], distort: 0.15}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2%s}}\nstructures: {m: {mesh: m, material: a, mass: %s}}\n"
    "supports: [{group: x0, %s}]\n%sloads: [{group: x1, force: [\"0.3*t\", 0, \"2*t\"]}, {group: z1, pressure: \"-0.5*t\"}, {group: y1, force: [0, 3, 0]}]\n"
    "analysis: {type: harmonic, range: [0.3, %g], samples: %d, watch: [[node 8, z]]%s}\n";

/* (K - w^2 M + i w D) U = b by elimination, b = -r_t; shake > 0: supports move along z by so much, nothing else acts and damping is by rates of strain
 * alone, so that motions relative to them have b = w^2 M shake instead */
static void direct(const char *text, const double *f, double shake, double complex *U) {
  loaded l;
  tni_data *s;
  load_text(&l, text);
  CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
  CHECK_OK(l.ctx, tni_prepare_pattern(s));
  s->parts->still = true;
  size_t n = (size_t)s->nv, nnz = (size_t)s->square->nnz;
  double *K = calloc(nnz, sizeof(double)), *M = calloc(nnz, sizeof(double)), *D = calloc(nnz, sizeof(double)), *F = calloc(n, sizeof(double)),
         *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc(n, sizeof(double));
  double complex *A = calloc(n*n, sizeof(*A)), *b = calloc(n, sizeof(*b));
  tni_initial(s, q, v);
  tni_sparse_tangent out = {.M = M, .r_q = K, .r_v = D, .r_t = F};
  CHECK_OK(l.ctx, tni_eval_sparse_tangent(s, 0, q, v, NULL, NULL, &out));
  int watched = -1;
  char name[128];
  for (int i = 0; i < s->nv; i++) {
    tni_dof_name(s, i, name, sizeof(name));
    if (strcmp(name, "m.node[8].z") == 0) watched = i;
  }
  CHECK(watched >= 0);
  for (int k = 0; k < SAMPLES; k++) {
    double w = TWO_PI*f[k];
    memset(A, 0, n*n*sizeof(*A));
    for (size_t r = 0; r < n; r++) {
      b[r] = shake > 0 ? 0 : -F[r];
      for (int e = s->square->rowptr[r]; e < s->square->rowptr[r+1]; e++)
        A[r*n + (size_t)s->square->col[e]] = K[e] - w*w*M[e] + _Complex_I*w*D[e];
      tni_dof_name(s, (int)r, name, sizeof(name));
      bool along = strcmp(name + strlen(name) - 2, ".z") == 0;
      if (shake > 0 && along) b[r] = w*w*shake*M[tni_sparsity_find(s->square, (int)r, (int)r)];
    }
    for (size_t c = 0; c < n; c++) { /* symmetric and damped: pivots stay away from zero */
      for (size_t r = c + 1; r < n; r++) {
        double complex x = A[r*n + c]/A[c*n + c];
        for (size_t j = c; j < n && x != 0; j++) A[r*n + j] -= x*A[c*n + j];
        b[r] -= x*b[c];
      }
    }
    for (size_t c = n; c-- > 0;) {
      for (size_t j = c + 1; j < n; j++) b[c] -= A[c*n + j]*b[j];
      b[c] /= A[c*n + c];
    }
    U[k] = watched >= 0 ? b[watched] + shake : 0;
  }
  free(K), free(M), free(D), free(F), free(q), free(v), free(A), free(b);
  tni_data_destroy(&s);
  unload(&l);
}

static double off_by(const char *material, const char *mass, const char *support, const char *nodes, double last, const char *more) {
  static tn_summary sum;
  char text[2000];
  double f[SAMPLES], off = 0, size = 0;
  double complex U[SAMPLES], want[SAMPLES];
  snprintf(text, sizeof(text), MESH, material, mass, support, nodes, last, SAMPLES, more);
  respond(text, "response/node 8.z", f, U, &sum);
  direct(text, f, 0, want);
  for (int i = 0; i < SAMPLES; i++) off = fmax(off, cabs(U[i] - want[i])), size = fmax(size, cabs(want[i]));
  return off/size;
}

/* all of x0 moves along z: far from it everything is known from motions relative to it */
static void meshes_are_shaken(void) {
  static tn_summary sum;
  char text[1000];
  double f[SAMPLES], off = 0, size = 0;
  double complex U[SAMPLES], want[SAMPLES];
  for (int modes = 36; modes > 0; modes -= 12) {
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 1, 1], distort: 0.15}}}\n"
             "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2, rayleigh: [0, 0.05]}}\nstructures: {m: {mesh: m, material: a}}\n"
             "supports: [{group: x0, fix: [x, y], move: {z: \"0.1*t\"}}]\n"
             "analysis: {type: harmonic, range: [0.3, %g], samples: %d, modes: %d, watch: [[node 8, z]]}\n", modes == 36 ? 8.0 : 2.0, SAMPLES, modes);
    respond(text, "response/node 8.z", f, U, &sum);
    direct(text, f, 0.1, want);
    off = size = 0;
    for (int i = 0; i < SAMPLES; i++) off = fmax(off, cabs(U[i] - want[i])), size = fmax(size, cabs(want[i]));
    CHECK_WITHIN(off/size, 0, modes == 36 ? 1e-9 : modes == 24 ? 1e-3 : 3e-3);
  }
}

static void meshes_follow_the_complex_equations(void) {
  static const char *const rayleigh = ", rayleigh: [0.5, 0.002]", *const dashpot = "nodes: [{group: node 7, damping: [3, 2, 1]}]\n";
  /* all modes: nothing is left out */
  CHECK_WITHIN(off_by(rayleigh, "lumped", "fix: all", "", 8, ", modes: 36"), 0, 1e-9);
  CHECK_WITHIN(off_by(rayleigh, "consistent", "fix: all", "", 8, ", modes: 36"), 0, 1e-9);
  CHECK_WITHIN(off_by(rayleigh, "lumped", "fix: all", dashpot, 8, ", modes: 36"), 0, 1e-9);
  CHECK_WITHIN(off_by("", "lumped", "fix: all", dashpot, 8, ", modes: 36"), 0, 1e-7);
  /* few modes: the static part of the others makes up for them far below the last, to (f/f_last)^2 */
  double few = off_by(rayleigh, "lumped", "fix: all", "", 2, ", modes: 4"), more = off_by(rayleigh, "lumped", "fix: all", "", 2, ", modes: 12");
  CHECK_WITHIN(few, 0, 0.02);
  CHECK_WITHIN(more, 0, 0.002);
  CHECK_WITHIN(off_by(rayleigh, "lumped", "fix: all", "", 2, ""), 0, 0.002); /* as many as the range asks for */
}

static int nwarning;
static void count_warnings(void *user, tn_log_level level, const char *text) {
  (void)user;
  nwarning += level == TN_LOG_WARNING && strstr(text, "narrower than samples") != NULL;
}

static void peaks_between_samples_are_warned_of(void) {
  static const struct {
    const char *analysis;
    int warned;
  } when[] = {{"range: [1, 5], samples: 9, modal_damping: 0.3", 0}, {"range: [1, 5], samples: 9", 1}, {"range: [1, 5], samples: 9, modal_damping: 0.02", 1},
              {"range: [1, 5], samples: 400, modal_damping: 0.02", 0}, {"range: [0.1, 0.5], samples: 9", 0}};
  for (int k = 0; k < TNI_COUNT(when); k++) { /* one freedom, between 1 and 5 Hz */
    static tn_summary sum;
    loaded l = {0};
    char text[1000];
    nwarning = 0;
    CHECK_OK(NULL, tn_ctx_create(&(tn_ctx_opts){.threads = 1, .log = count_warnings}, &l.ctx));
    snprintf(text, sizeof(text), "tenon: 1\nmeshes: {m: {box: {size: [2, 1, 1], cells: [1, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0, density: 4}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}, {group: x1, fix: [y, z]}, {group: node 4, fix: [x]}, "
             "{group: node 6, fix: [x]}, {group: node 8, fix: [x]}]\nloads: [{group: x1, force: [\"t\", 0, 0]}]\n"
             "analysis: {type: harmonic, watch: [[node 2, x]], %s}\n", when[k].analysis);
    CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
    load_finish(&l);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = FILE_NAME, .overwrite = true}, &sum));
    CHECK_INT(nwarning, when[k].warned);
    unload(&l);
  }
}

static void masses_that_supports_shake_are_refused(void) {
  static const char *const when[][2] = {
      {"supports: [{group: x0, fix: [x, y], move: {z: \"t\"}}]", "supports that move in time"},
      {"supports: [{group: x0, fix: all}]\ncouplings: [{equation: [[node 3, z, 1], [node 6, z, -1]], value: \"0.1*t\"}]", "follows a prescribed motion in time"},
  };
  for (int k = 0; k < TNI_COUNT(when); k++)
    for (int type = 0; type < 2; type++) {
      loaded l;
      char text[1000];
      load_begin(&l, 1);
      snprintf(text, sizeof(text), "tenon: 1\nmeshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0, density: 2}}\n"
               "structures: {m: {mesh: m, material: a, mass: %s}}\n%s\nanalysis: {%s}\n", k ? "lumped" : "consistent", when[k][0],
               type ? "type: periodic, period: 1" : "type: harmonic, range: [1, 5], watch: [[x1, z]]");
      CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
      tn_status st = tn_model_compile(l.ctx, l.spec, &l.model);
      if (!CHECK(st < 0) || !CHECK(strstr(tn_ctx_message(l.ctx), when[k][1]) != NULL)) printf("  %s\n", tn_ctx_message(l.ctx));
      unload(&l);
    }
}

static void what_cannot_be_is_named(void) {
  static const struct {
    const char *loads, *analysis, *says;
  } when[] = {
      {"\"2*t\"", "range: [1, 5]", "'watch' must name what moves"},
      {"\"2*t\"", "watch: [[x1, z]]", "'range' is missing"},
      {"\"2*t\"", "range: [5, 1], watch: [[x1, z]]", "must grow"},
      {"\"2*t\"", "range: [0, 1], spacing: logarithmic, watch: [[x1, z]]", "must grow from above 0"},
      {"\"2*t\"", "range: [1, 5], watch: [[nowhere, z]]", "no mesh has a group or node 'nowhere'"},
      {"\"2*t\"", "range: [1, 5], watch: [[x1, rz]]", "have no component 'rz'"},
      {"\"2*t\"", "range: [1, 5], watch: [[x0, z]]", "is held, moved or led"},
      {"2", "range: [1, 5], watch: [[x1, z]]", "loads of a frequency response are amplitudes times t"},
  };
  for (int k = 0; k < TNI_COUNT(when); k++) {
    static tn_summary sum;
    loaded l;
    char text[1000];
    snprintf(text, sizeof(text), "meshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0, density: 2}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0, 0, %s]}]\n"
             "analysis: {type: harmonic, %s}\n", when[k].loads, when[k].analysis);
    load_text(&l, text);
    tn_status st = tn_run(l.ctx, l.model, &(tn_run_opts){.results = FILE_NAME, .overwrite = true}, &sum);
    if (!CHECK(st < 0) || !CHECK(strstr(tn_ctx_message(l.ctx), when[k].says) != NULL))
      printf("  %s\n  instead of %s\n", tn_ctx_message(l.ctx), when[k].says);
    unload(&l);
  }
}

int main(void) {
  RUN(one_freedom_follows_the_closed_form);
  RUN(one_freedom_is_shaken);
  RUN(meshes_are_shaken);
  RUN(meshes_follow_the_complex_equations);
  RUN(peaks_between_samples_are_warned_of);
  RUN(masses_that_supports_shake_are_refused);
  RUN(what_cannot_be_is_named);
  remove(FILE_NAME);
  return REPORT();
}
