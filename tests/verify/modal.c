/* verification of motions by modes: one freedom in closed form at any step, all modes of small meshes against steps of an integrator,
 * what modes leave out, bodies that nothing holds
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "system/parts.h"

static const char *const FILE_NAME = "verify_modal.h5";
static const double TWO_PI = 6.283185307179586;
static bool all;
static unsigned seed;
static double draw(void) { /* in -1 .. 1 */
  seed = seed*1664525u + 1013904223u;
  return (double)(seed >> 8)/8388608.0 - 1;
}

/* displacement and velocity of a node in the last row, and the number of rows */
typedef struct {
  int node, rows;
  double u[3], v[3], t;
} seen;

static void look(void *user, tn_sim *sim) {
  static double x[3*1000];
  seen *s = user;
  const tni_part *p = &sim->model->part[0];
  tni_part_at at = tni_parts_at(sim->s, 0);
  s->rows++;
  s->t = sim->at.t;
  for (int i = 0; i < p->nfield; i++) {
    bool place = strcmp(p->field[i].name, "displacement") == 0;
    if (!place && strcmp(p->field[i].name, "velocity") != 0) continue;
    p->ops->fill(p, sim->s->parts->work[0], &at, i, x);
    memcpy(place ? s->u : s->v, x + 3*tni_mesh_node_of(p->mesh, s->node), sizeof(s->u));
  }
}

static tn_summary sum; /* of the last motion; large */

static tn_status motion(const char *text, seen *s, char *message, size_t n) {
  loaded l;
  load_text(&l, text);
  s->rows = 0;
  l.ctx->looked = look;
  l.ctx->looked_user = s;
  tn_status st = tn_run(l.ctx, l.model, &(tn_run_opts){.results = FILE_NAME, .overwrite = true}, &sum);
  if (message) snprintf(message, n, "%s", tn_ctx_message(l.ctx));
  unload(&l);
  return st;
}

/* k u + c u' + m u'' = F (t < t1: F t/t1): from rest, with F/k (1 - ...) of a load that comes at once, and its integral for one that grows */
static double answer(double k, double m, double c, double F, double t1, double t) {
  double w = sqrt(k/m), d = c/(2*m), wd = sqrt(w*w - d*d);
  if (t <= 0) return 0;
  if (t1 == 0) return F/k*(1 - exp(-d*t)*(cos(wd*t) + d/wd*sin(wd*t)));
  double slope = F/(k*t1), lag = 2*d/(w*w); /* slope (t - lag + e^-dt (lag cos + (d lag - 1)/wd sin)) for a ramp without end */
  double up = slope*(t - lag + exp(-d*t)*(lag*cos(wd*t) + (d*lag - 1)/wd*sin(wd*t)));
  if (t <= t1) return up;
  double x = t - t1; /* minus the same ramp, later */
  return up - slope*(x - lag + exp(-d*x)*(lag*cos(wd*x) + (d*lag - 1)/wd*sin(wd*x)));
}

static void one_freedom_is_exact_at_any_step(void) {
  seed = 7;
  for (int round = 0; round < 12; round++) {
    double E = 1000*(2 + draw()), rho = 3 + draw(), L = 2 + draw(), zeta = round % 3 ? 0.3*(1.01 + draw()) : 0, alpha = round % 2 ? 2*(1 + draw()) : 0, F = 2 + draw();
    double k = E*0.5/L, m = rho*0.5*L/2, w0 = sqrt(k/m), period = TWO_PI/w0, h = period*pow(10, draw());
    int steps = 1 + (int)(7*(1 + draw()));
    double t1 = round % 4 < 2 ? 0 : h*(1 + steps/3), until = h*steps;
    char text[1500], force[200];
    if (t1 > 0) snprintf(force, sizeof(force), "table(t, 0, 0, %.17g, %.17g, %.17g, %.17g)", t1, F, t1 + 100*until, F);
    else snprintf(force, sizeof(force), "%.17g", F);
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [%.17g, 1, 0.5], cells: [1, 1, 1]}}}\nmaterials: {a: {type: elastic, E: %.17g, nu: 0, density: %.17g, rayleigh: [%.17g, 0]}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}, {group: x1, fix: [y, z]}]\nloads: [{group: x1, force: [\"%s\", 0, 0]}]\n"
             "output: {every: %.17g}\nanalysis: {type: modal, until: %.17g, step: %.17g, modal_damping: %.17g}\n", L, E, rho, alpha, force, h, until, h, zeta);
    seen s = {.node = 2};
    CHECK_OK(NULL, motion(text, &s, NULL, 0));
    CHECK_INT(s.rows, steps + 1);
    CHECK_NEAR(s.t, until, 1e-15);
    double c = alpha*m + 2*zeta*w0*m, size = fabs(F)/k;
    if (c >= 2*sqrt(k*m)*0.99) continue;
    if (!CHECK_WITHIN(s.u[0], answer(k, m, c, F, t1, until), 1e-10*size)) printf("  round %d: %g instead of %g, zeta %g, %d steps, h %g of a period, t1 %g\n", round, s.u[0], answer(k, m, c, F, t1, until), zeta, steps, h/period, t1);
    /* the velocity by a difference of the closed form */
    double e = 1e-5*period, rate = (answer(k, m, c, F, t1, until + e) - answer(k, m, c, F, t1, until - e))/(2*e);
    if (t1 == 0) CHECK_WITHIN(s.v[0], rate, 1e-7*size*w0);
  }
}

#define BAR                                                                                                                                     \
  "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 1, 1], distort: 0.15}}}\n"                                                                    \
  "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2, rayleigh: [0.3, 1e-3]}}\nstructures: {m: {mesh: m, material: a, mass: %s}}\n"   \
  "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0.3, \"table(t, 0, 0, 0.4, 2, 1, -1, 2, 0)\", \"2*t\"]}]\n"

/* with all modes there is nothing that steps of an integrator have and modes have not */
static void all_modes_move_as_steps_do(void) {
  static const char *const mass[] = {"lumped", "consistent"};
  for (int k = all ? 0 : 1; k < 2; k++) {
    char text[2000];
    seen a = {.node = 8}, b = {.node = 8}, c = {.node = 8};
    snprintf(text, sizeof(text), BAR "output: {every: 0.1}\nanalysis: {type: modal, until: 1, step: 0.1, modes: 36}\n", mass[k]);
    CHECK_OK(NULL, motion(text, &a, NULL, 0));
    CHECK_INT(a.rows, 11);
    snprintf(text, sizeof(text), BAR "output: {every: 0.1}\nanalysis: {type: transient, until: 1, method: radau, tolerance: 1e-10}\n", mass[k]);
    CHECK_OK(NULL, motion(text, &b, NULL, 0));
    /* few modes and the static part of the others: near; without it: not so near */
    snprintf(text, sizeof(text), BAR "output: {every: 0.1}\nanalysis: {type: modal, until: 1, step: 0.1, modes: 5}\n", mass[k]);
    CHECK_OK(NULL, motion(text, &c, NULL, 0));
    double size = vec3_norm(b.u), off = 0, plain = 0;
    for (int i = 0; i < 3; i++) {
      CHECK_WITHIN(a.u[i], b.u[i], 1e-6*size);
      CHECK_WITHIN(a.v[i], b.v[i], 1e-5*vec3_norm(b.v));
      off = fmax(off, fabs(c.u[i] - b.u[i]));
    }
    snprintf(text, sizeof(text), BAR "analysis: {type: modal, until: 1, step: 0.1, modes: 5, static_part: false}\n", mass[k]);
    CHECK_OK(NULL, motion(text, &c, NULL, 0));
    for (int i = 0; i < 3; i++) plain = fmax(plain, fabs(c.u[i] - b.u[i]));
    CHECK(off < 0.3*plain && plain < 0.1*size);
  }
}

/* Shapes that reduced integration lets pass in a single row of hex20 have no stiffness: they are counted, and what modes leave to statics has no
 * part in them. (K^-1 f - P P^T f/w^2 was nothing but rounding there.) */
static void shapes_without_stiffness_are_modes(void) {
#define ROW(a) "meshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1], cell: hex20, distort: 0.1}}}\n"                    \
  "materials: {a: {type: elastic, E: 1000, nu: 0.2, density: 2, rayleigh: [0.3, 0]}}\n"                                   \
  "structures: {m: {mesh: m, material: a, element: reduced}}\nsupports: [{group: x0, fix: all}]\n"                      \
  "loads: [{group: x1, force_each: [\"0.3*t\", \"-0.2*t\", 0]}]\noutput: {every: 0.25}\nanalysis: {until: 1, " a "}\n"
  static const char *const text[] = {ROW("type: transient, method: radau, tolerance: 1e-9"), ROW("type: modal, step: 0.125, modes: 72"),
                                     ROW("type: modal, step: 0.125, modes: 30"), ROW("type: modes, modes: 8")};
  seen u[4];
  for (int k = 0; k < 4; k++) {
    u[k] = (seen){.node = 11};
    CHECK_OK(NULL, motion(text[k], &u[k], NULL, 0));
  }
  CHECK_INT(sum.modes_rigid, 2);
  for (int i = 0; i < 3; i++) {
    CHECK_WITHIN(u[1].u[i], u[0].u[i], 1e-6*vec3_norm(u[0].u));
    CHECK_WITHIN(u[2].u[i], u[0].u[i], 0.02*vec3_norm(u[0].u));
  }
}

/* a body in space under a constant force: u = F t^2/(2 m) where the force pulls through its middle */
static void what_nothing_holds_flies(void) {
  seen s = {.node = 1};
  CHECK_OK(NULL, motion("meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1e6, nu: 0.3, density: 3}}\n"
                        "structures: {m: {mesh: m, material: a}}\nloads: [{group: all, body_force: [0.6, 0, 0]}]\n"
                        "analysis: {type: modal, until: 2, step: 0.5, modes: 8}\n", &s, NULL, 0));
  CHECK_NEAR(s.u[0], 0.6/3*4/2, 1e-9);
  CHECK_NEAR(s.v[0], 0.6/3*2, 1e-9);
  CHECK_WITHIN(s.u[1], 0, 1e-9);
}

/* Meshes, materials, loads and steps by chance: implicit methods at equal steps come to the exact motion of all modes by the square of their step. Lumped and
 * consistent masses, with and without damping; loads that begin smoothly. */
static void steps_by_chance_approach_the_modes(void) {
  static const char *const method[] = {"hht", "alpha", "trap"}, *const cell[] = {"hex8", "tet4", "wedge6"};
  seed = 11;
  for (int round = 0; round < (all ? 30 : 3); round++) {
    double E = 1000*(2 + draw()), nu = 0.2 + 0.2*draw(), beta = round % 2 ? 1e-3*(1 + draw()) : 0, error[3], size = 0;
    int kind = (int)(1.4999*(1 + draw())), many = 2 + (int)(1.4999*(1 + draw()));
    char model[1200], text[1600];
    snprintf(model, sizeof(model),
             "meshes: {m: {box: {size: [%.4g, 1, 1], cells: [%d, 1, 1], cell: %s, distort: 0.1}}}\nmaterials: {a: {type: elastic, E: %.17g, nu: %.17g, density: 2, rayleigh: [%.4g, %.4g]}}\n"
             "structures: {m: {mesh: m, material: a, mass: %s}}\nsupports: [{group: x0, fix: all}]\n"
             "loads: [{group: x1, force: [\"%.4g*t^3\", \"%.4g*t^3\", \"2*t^3\"]}, {group: z1, pressure: \"%.4g*t^4\"}]\noutput: {every: 1}\n",
             many + 0.3*draw(), many, cell[kind], E, nu, beta*100, beta, round % 3 ? "consistent" : "lumped", draw(), draw(), draw());
    seen exact = {.node = many + 1}, s = {.node = many + 1};
    snprintf(text, sizeof(text), "%sanalysis: {type: modal, until: 1, step: 1e-3, modes: %d}\n", model, 12*many);
    CHECK_OK(NULL, motion(text, &exact, NULL, 0));
    size = vec3_norm(exact.u);
    for (int k = 0; k < 3; k++) {
      double off[3];
      snprintf(text, sizeof(text), "%sanalysis: {type: transient, until: 1, method: %s, steps: equal, step: %.17g}\n", model, method[round % 3], 0.01/(1 << k));
      CHECK_OK(NULL, motion(text, &s, NULL, 0));
      vec3_sub(off, s.u, exact.u);
      error[k] = vec3_norm(off);
    }
    double order = log2(error[1]/error[2]);
    if (!CHECK(error[2] < 1e-2*size && (order > 1.7 || error[2] < 1e-5*size)))
      printf("  round %d: %s on %s: errors %g %g %g of %g, order %.3g\n", round, method[round % 3], cell[kind], error[0], error[1], error[2], size, order);
  }
}

/* the same of one method on a mesh of some hundred unknowns, against Radau's steps */
static void hht_is_of_order_two_on_larger_meshes(void) {
  char text[1200];
  double error[3];
  seen exact = {.node = 9}, s = {.node = 9};
  static const char *const model = "meshes: {m: {box: {size: [4, 1, 1], cells: [8, 2, 2]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2, rayleigh: [0.1, 1e-3]}}\n"
    "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [\"t^3\", 0, \"2*t^3\"]}]\noutput: {every: 1}\n";
  snprintf(text, sizeof(text), "%sanalysis: {type: transient, until: 1, method: radau, tolerance: 1e-9}\n", model);
  CHECK_OK(NULL, motion(text, &exact, NULL, 0));
  for (int k = 0; k < 3; k++) {
    double off[3];
    snprintf(text, sizeof(text), "%sanalysis: {type: transient, until: 1, method: hht, steps: equal, step: %.17g}\n", model, 0.02/(1 << k));
    CHECK_OK(NULL, motion(text, &s, NULL, 0));
    vec3_sub(off, s.u, exact.u);
    error[k] = vec3_norm(off);
  }
  if (!CHECK(log2(error[1]/error[2]) > 1.8 && log2(error[0]/error[1]) > 1.6)) printf("  errors %g %g %g of %g\n", error[0], error[1], error[2], vec3_norm(exact.u));
}

static void what_modes_do_not_know_is_refused(void) {
  static const struct {
    const char *change, *to, *says;
  } when[] = {{"fix: all}]", "fix: [y, z], move: {x: \"0.1*t\"}}]", "supports of 'm' move in time"},
              {"material: a", "material: a, formulation: large", "formulation: small"},
              {"supports:", "nodes: [{group: node 8, damping: [3, 0, 0]}]\nsupports:", "damping couples modes"},
              {"material: a", "material: a, velocity: [1, 0, 0]", "begins at rest"}};
  for (int k = 0; k < TNI_COUNT(when); k++) {
    char text[2000], whole[2400], message[600];
    seen s = {.node = 8};
    snprintf(text, sizeof(text), BAR "analysis: {type: modal, until: 1, step: 0.1, modes: 5}\n", "lumped");
    char *at = strstr(text, when[k].change);
    snprintf(whole, sizeof(whole), "%.*s%s%s", (int)(at - text), text, when[k].to, at + strlen(when[k].change));
    char *beta = k == 1 ? strstr(whole, "1e-3") : NULL;
    if (beta) memcpy(beta, "0   ", 4); /* large displacements have no damping by stiffness */
    CHECK(motion(whole, &s, message, sizeof(message)) != TN_OK);
    if (!CHECK(strstr(message, when[k].says) != NULL)) printf("  %s\n  instead of %s\n", message, when[k].says);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(one_freedom_is_exact_at_any_step);
  RUN(all_modes_move_as_steps_do);
  RUN(shapes_without_stiffness_are_modes);
  RUN(what_nothing_holds_flies);
  RUN(steps_by_chance_approach_the_modes);
  if (all) RUN(hht_is_of_order_two_on_larger_meshes);
  RUN(what_modes_do_not_know_is_refused);
  remove(FILE_NAME);
  return REPORT();
}
