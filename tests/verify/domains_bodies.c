/* bodies, joints and beams around structures that are cut into domains: the answers and the stability of the whole
 * SPDX-License-Identifier: BSD-3-Clause */
#include "analyses/statics.h"
#include "nonlinear/rest_domains.h"
#include "support/loaded.h"

static bool all;

static tn_status store_nothing(void *user) {
  (void)user;
  return TN_OK;
}

typedef struct {
  int n, unstable, iterations;
  double *q;
  char system[512], why[1024];
} answer;

static answer solve(const char *text) {
  answer out = {0};
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, text);
  tn_status st = tn_sim_create(l.ctx, l.model, NULL, &sim);
  if (st == TN_OK) st = tni_statics_run(sim, store_nothing, NULL);
  if (st == TN_OK) {
    out.n = sim->s->nq;
    out.q = malloc((size_t)out.n*sizeof(double));
    memcpy(out.q, sim->at.q, (size_t)out.n*sizeof(double));
    out.unstable = sim->sum.unstable;
    out.iterations = (int)sim->sum.iterations;
    snprintf(out.system, sizeof(out.system), "%s", sim->sum.system);
  } else {
    snprintf(out.why, sizeof(out.why), "%s", tn_ctx_message(l.ctx));
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return out;
}

static double difference(const answer *a, const answer *b) {
  double most = 0;
  if (!a->q || !b->q || a->n != b->n) return HUGE_VAL;
  for (int i = 0; i < a->n; i++) most = fmax(most, fabs(a->q[i] - b->q[i]));
  return most; /* sizes are about 1 */
}

static unsigned seed;
static double chance(double low, double high) {
  seed = seed*1664525u + 1013904223u;
  return low + (high - low)*(double)(seed >> 8)/(double)(1u << 24);
}
static int pick(int n) { return (int)chance(0, n) % n; }

/* A hub on springs, a beam or a link, a panel that is held at one end or at both, a second panel; joints that repeat each other; keys of the analysis */
static void make(char *text, size_t size, int number, bool large, const char *keys) {
  seed = 1000u + (unsigned)number;
  bool beam = pick(2), both = pick(2), second = pick(2), twice = pick(2);
  double g = chance(-3, 3), k = chance(30, 300), spring = chance(20, 200);
  int nx = 3 + pick(4), ny = 2 + pick(3), nz = 1 + pick(2);
  static const char *const cell[] = {"hex8", "hex20", "tet4"};
  int kind = pick(large ? 1 : 3), n = 0;
#define ADD(...) n += snprintf(text + n, size - (size_t)n, __VA_ARGS__)
  ADD("gravity: [%.3f, 0.4, %.3f]\n", chance(-1, 1), g);
  ADD("meshes:\n  p: {box: {size: [1.2, 0.6, 0.2], cells: [%d, %d, %d], cell: %s, origin: [1, -0.3, -0.1]}}\n", nx, ny, nz, cell[kind]);
  ADD("  s: {box: {size: [0.3, 0.3, 0.8], cells: [2, 2, 4], cell: hex8, origin: [-0.15, -0.15, 0.2]}}\n");
  ADD("materials: {a: {type: %s, E: %g, nu: 0.3, density: 3}}\n", large ? "neo_hooke" : "elastic", chance(2e3, 8e3));
  /* hex20 with eight points would be a mechanism where a cell is alone in its domain */
  ADD("structures:\n  p: {mesh: p, material: a%s, hold: {%s}}\n", large ? ", formulation: large" : kind == 1 ? ", element: full" : "", both ? "root: x0, tip: x1" : "root: x0");
  if (second) ADD("  s: {mesh: s, material: a%s, hold: {foot: z0}}\n", large ? ", formulation: large" : "");
  ADD("bodies:\n  hub: {mass: 2, inertia: [0.3, 0.2, 0.4], at: [0, 0, 0]}\n");
  if (!beam) ADD("  link: {mass: 0.5, inertia: [0.02, 0.05, 0.05], at: [0.5, 0, 0]}\n");
  if (beam) ADD("beams:\n  b: {from: [0, 0, 0], to: [1, 0, 0], elements: 3, element: exact, EA: 1e4, GA: 4e3, EI: 60, GJ: 50, rhoA: 0.5, rhoI: 1e-3}\n");
  ADD("joints:\n  base: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: y}\n");
  if (beam) ADD("  first: {type: fixed, bodies: [hub, b.start], at: [0, 0, 0]}\n  hinge: {type: revolute, bodies: [b.end, root], at: [1, 0, 0], axis: y}\n");
  else ADD("  first: {type: revolute, bodies: [hub, link], at: [0, 0, 0], axis: y}\n  hinge: {type: fixed, bodies: [link, root], at: [1, 0, 0]}\n");
  if (twice) ADD("  again: {type: %s, bodies: [ground, hub], at: [0, 0.3, 0], axis: y}\n", pick(2) ? "revolute" : "cylindrical");
  if (both) ADD("  guide: {type: inplane, bodies: [ground, tip], at: [2.2, 0, 0], axis: z}\n");
  if (second) ADD("  top: {type: fixed, bodies: [hub, foot], at: [0, 0, 0.2]}\n");
  ADD("forces:\n  - {type: torsion_spring, joint: base, stiffness: %.1f}\n  - {type: torsion_spring, joint: %s, stiffness: %.1f}\n", k,
      beam ? "hinge" : "first", spring);
  ADD("analysis: {type: statics, tolerance: 1e-12%s}\n", keys);
#undef ADD
}

static void bodies_and_joints_around_domains(void) {
  int solved = 0, tried = 0;
  for (int number = 0; number < (all ? 60 : 6); number++)
    for (int large = 0; large < 2; large++) {
      char text[4096], keys[128];
      if (!all && large && number % 3) continue;
      make(text, sizeof(text), number, large, "");
      answer want = solve(text);
      for (int s = 0; s < TNI_NCUT_SOLVER && want.q; s++) {
        int domains = 1 + (number + 3*s) % 5;
        if (s == TNI_CUT_PCG || (!all && (number + s) % 2)) continue;
        snprintf(keys, sizeof(keys), ", solver: %s, domains: %d", tni_cut_solver_names[s], domains);
        make(text, sizeof(text), number, large, keys);
        answer got = solve(text);
        double off = difference(&got, &want);
        tried++;
        solved += got.q != NULL;
        if (!CHECK(off <= 1e-9)) printf("  model %d, large %d%s: %.2e %s\n", number, large, keys, off, got.why);
        CHECK_INT(got.unstable, want.unstable);
        CHECK(!got.q || (strstr(got.system, tni_cut_solver_names[s]) && strstr(got.system, "around them")));
        free(got.q);
      }
      free(want.q);
    }
  CHECK(solved == tried && tried > (all ? 200 : 12));
}

/* a panel on a rod on a pin with a spring; gravity, material, formulation, stiffness, keys */
#define STANDING                                                                                                                \
  "gravity: [%s]\nmeshes: {p: {box: {size: [0.2, 0.2, 1], cells: [2, 2, 6], cell: hex8, origin: [-0.1, -0.1, 0.5]}}}\n"           \
  "materials: {a: {type: %s, nu: 0.3, density: 50}}\nstructures: {p: {mesh: p, material: a, formulation: %s, hold: {root: z0}}}\n" \
  "bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.25]}}\n"                                                        \
  "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}, top: {type: fixed, bodies: [rod, root], at: [0, 0, 0.5]}}\n" \
  "forces: [{type: torsion_spring, joint: pin, stiffness: %g}]\nanalysis: {type: statics%s}\n"

/* keys of solver s, none for -1: by the whole */
static void keys_of(int s, char keys[64]) {
  keys[0] = 0;
  if (s >= 0) snprintf(keys, 64, ", solver: %s, domains: 3", tni_cut_solver_names[s]);
}

/* all solvers find the weak spring unstable and the strong one not; `without`: a solver that refuses this, or -1 */
static void panel_falls(const char *matter, const char *formulation, double weak, double strong, int without) {
  for (int k = 0; k < 2; k++)
    for (int s = -1; s < TNI_CUT_PCG; s++) {
      char text[2048], keys[64];
      if (s >= 0 && s == without) continue;
      keys_of(s, keys);
      snprintf(text, sizeof(text), STANDING, "0, 0, -9.81", matter, formulation, k ? strong : weak, keys);
      answer got = solve(text);
      if (!CHECK(got.q != NULL)) printf("  %s: %s\n", keys, got.why);
      if (got.q && !CHECK_INT(got.unstable, !k)) printf("  spring %d%s\n", k, keys);
      free(got.q);
    }
}

/* A stiff panel on a rod that stands on a spring falls over where the spring is weaker than m g h = (2 x 1 + 1 x 0.25) 9.81 = 22.07 N m/rad, by the whole
 * and by domains. */
static void what_falls_over_is_called_unstable(void) { panel_falls("neo_hooke, E: 1e8", "large", 21.9, 22.2, -1); }

/* One step of Newton's method is enough here, and begins where constraints carry nothing: what they carry afterwards decides. (What the panel's weight
 * adds is not all of it: formulation: small leaves out what stresses do. So no number, but all agree.) */
static void forces_of_constraints_count_for_stability(void) { panel_falls("elastic, E: 1e6", "small", 8, 15, -1); }

/* A panel of steel on a soft spring: what the body that carries it meets is a difference of numbers 1e9 times as large. It turns by
 * m g h / k = (2 x 1 + 1 x 0.25) 1e-6 / k. */
static void stiff_structures_ride_on_soft_springs(void) {
  double angle = 2.25e-6/20; /* so small that formulation: small does not mind */
  for (int s = -1; s < TNI_CUT_PCG; s++) {
    char text[2048], keys[64];
    keys_of(s, keys);
    snprintf(text, sizeof(text), STANDING, "1e-6, 0, 0", "elastic, E: 2e11", "small", 20.0, keys);
    answer got = solve(text);
    if (!CHECK(got.q != NULL)) printf("  %s: %s\n", keys, got.why);
    if (got.q && !CHECK_NEAR(got.q[0]/0.25, angle, 1e-6)) printf("  %s\n", keys); /* the rod's centre moves along x */
    if (!CHECK(got.iterations <= 3)) printf("  %s: %d iterations\n", keys, got.iterations);
    free(got.q);
  }
}

/* a torque turns a link that nothing holds: refused, whoever solves */
static void what_is_not_held_is_refused(void) {
  static const char model[] =
      "meshes: {p: {box: {size: [1, 0.2, 0.2], cells: [4, 2, 2], cell: hex8}}}\nmaterials: {a: {type: neo_hooke, E: 1e6, nu: 0.3, density: 50}}\n"
      "structures: {p: {mesh: p, material: a, formulation: large, hold: {root: x0}}}\n"
      "bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [-0.5, 0, 0]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, rod], at: [-1, 0, 0], axis: y}, top: {type: fixed, bodies: [rod, root], at: [0, 0, 0]}}\n"
      "forces: [{type: torque, body: rod, torque: [0, 1, 0]}]\nanalysis: {type: statics, solver: %s, domains: 3}\n";
  for (int s = 0; s < TNI_CUT_PCG; s++) {
    char text[2048];
    snprintf(text, sizeof(text), model, tni_cut_solver_names[s]);
    answer got = solve(text);
    CHECK(got.q == NULL);
    if (!CHECK(strstr(got.why, "not held") || strstr(got.why, "no equilibrium"))) printf("  %s: %s\n", tni_cut_solver_names[s], got.why);
    free(got.q);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(bodies_and_joints_around_domains);
  RUN(what_falls_over_is_called_unstable);
  RUN(forces_of_constraints_count_for_stability);
  RUN(stiff_structures_ride_on_soft_springs);
  RUN(what_is_not_held_is_refused);
  return REPORT();
}
