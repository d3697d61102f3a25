/* verification of equal implicit steps of linear structures: one matrix serves a whole run, and its answer is that of explicit methods
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "analyses/sim.h"
#include "support/check.h"
#include "support/loaded.h"

static bool all; /* what make verify asks for */

/* all that a linear structure may have: damping of both kinds, a support that shakes, springs and dampers, couplings, loads of time */
static const char *const MODEL =
    "meshes: {m: {box: {size: [2, 1, 1], cells: [3, 2, 1]%s}}}\n"
    "materials: {a: {type: elastic, E: 100, nu: 0.3, density: 2, rayleigh: [0.3, 2e-3]}}\n"
    "structures: {m: {mesh: m, material: a%s}}\n"
    "supports: [{group: x0, fix: [x, y]}, %s]\n"
    "couplings: [{equation: [[x1y1z0, z, 1], [x1y0z0, z, -1]]}]\n"
    "nodes: [{group: x1y1z1, stiffness: [0, 1, 3], damping: [0, 0, 0.1]}]\n"
    "loads: [{group: x1, force: [0, \"0.2*cos(5*t)\", \"t*t\"]}]\n"
    "analysis: {type: transient, until: 1, %s}\n";

typedef struct {
  const char *method;
  int matrices; /* trap begins with two steps of another formula; radau has a complex one beside the real one */
  double order;
} expected;

static const expected METHOD[] = {{"alpha", 1, 2}, {"hht", 1, 2}, {"infl_trap", 1, 2}, {"trap", 2, 2}, {"desc_trap", 2, 2},
                                  {"sdirk", 1, 4}, {"infl_sdirk", 1, 4}, {"desc_sdirk", 1, 4}, {"radau", 2, 5}};

static double *end_of_run(int round, const char *how, tn_summary *sum) {
  static const char *const cell[] = {"", ", cell: tet4", ""}, *const more[] = {"", "", ", mass: consistent"};
  const char *moves = round == 2 ? "{group: x0, fix: [z]}" : "{group: x0, move: {z: \"0.02*sin(9*t)^3\"}}";
  char text[1400];
  loaded l;
  tn_sim *sim;
  snprintf(text, sizeof(text), MODEL, cell[round], more[round], moves, how);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 1));
  tn_sim_summary(sim, sum);
  double *q = malloc((size_t)sim->s->nq*sizeof(double) + 1);
  memcpy(q, sim->at.q, (size_t)sim->s->nq*sizeof(double));
  sum->stored = sim->s->nq;
  tn_sim_destroy(&sim);
  unload(&l);
  return q;
}

static double apart(const double *x, const double *y, long n) {
  double sum = 0, size = 0;
  for (long i = 0; i < n; i++) sum += (x[i] - y[i])*(x[i] - y[i]), size += y[i]*y[i];
  return sqrt(sum/size);
}

static void one_matrix_serves_all_steps(void) {
  for (int round = 0; round < 3; round++) {
    char how[100];
    tn_summary sum;
    double *exact = end_of_run(round, "method: rk8, tolerance: 1e-9", &sum);
    long n = sum.stored;
    for (int k = 0; k < TNI_COUNT(METHOD); k += round == 0 || all ? 1 : 4) {
      double off[2];
      char name[100];
      for (int fine = 0; fine < 2; fine++) {
        snprintf(how, sizeof(how), "method: %s, steps: equal, step: %g", METHOD[k].method, fine ? 0.0025 : 0.005);
        double *q = end_of_run(round, how, &sum);
        off[fine] = apart(q, exact, n);
        free(q);
        snprintf(name, sizeof(name), "%s, %d: steps", METHOD[k].method, round);
        check_near((double)sum.steps, fine ? 400 : 200, 0, name, __FILE__, __LINE__);
        snprintf(name, sizeof(name), "%s, %d: tangents", METHOD[k].method, round);
        check_near((double)sum.jacobians, 1, 0, name, __FILE__, __LINE__);
        snprintf(name, sizeof(name), "%s, %d: matrices", METHOD[k].method, round);
        check_near((double)sum.matrices, METHOD[k].matrices, 0, name, __FILE__, __LINE__);
        snprintf(name, sizeof(name), "%s, %d: factorizations", METHOD[k].method, round);
        check_near((double)sum.factorizations, METHOD[k].matrices, 0, name, __FILE__, __LINE__);
      }
      snprintf(name, sizeof(name), "%s, %d: order by %.3g and %.3g", METHOD[k].method, round, off[0], off[1]);
      double order = log2(off[0]/off[1]);
      check_true(off[1] < 1e-8 || fabs(order - METHOD[k].order) < (METHOD[k].order > 2 ? 1 : 0.2), name, __FILE__, __LINE__);
      check_true(off[1] < (METHOD[k].order > 2 ? 1e-5 : 3e-3), name, __FILE__, __LINE__);
    }
    free(exact);
  }
}

/* a last step that is shorter has a matrix of its own, no other has */
static void a_step_that_is_cut_has_its_own(void) {
  char how[100];
  tn_summary sum;
  for (int k = 0; k < TNI_COUNT(METHOD); k++) {
    snprintf(how, sizeof(how), "method: %s, steps: equal, step: 0.0049", METHOD[k].method);
    free(end_of_run(0, how, &sum));
    CHECK_INT(sum.steps, 205);
    CHECK_INT(sum.jacobians, 1);
    CHECK_INT(sum.matrices, METHOD[k].matrices + (strcmp(METHOD[k].method, "radau") == 0 ? 2 : 1));
  }
}

/* what is not linear is not taken for it: pressure that follows a surface of formulation small, cables that go slack, plastic materials */
static void what_is_not_linear_is_not_taken_for_it(void) {
  static const struct {
    const char *mesh, *material, *how, *load;
    bool linear;
  } row[] = {{"box: {size: [1, 1, 1], cells: [2, 1, 1]}", "type: elastic", "", "pressure: 5", true},
             {"box: {size: [1, 1, 1], cells: [2, 1, 1]}", "type: elastic", "", "pressure: 5, follow: true", false},
             {"box: {size: [1, 1, 1], cells: [2, 1, 1]}", "type: elastic", ", formulation: large", "pressure: 5, follow: false", false},
             {"box: {size: [1, 1, 1], cells: [2, 1, 1]}", "type: plastic, yield: 5", "", "pressure: 5", false},
             {"bar: {size: 1, cells: 2}", "type: elastic", ", area: 1", "force: [1, 0, 0]", true},
             {"bar: {size: 1, cells: 2}", "type: elastic", ", area: 1, element: cable", "force: [1, 0, 0]", false}};
  for (int i = 0; i < TNI_COUNT(row); i++) {
    char text[800];
    loaded l;
    tn_sim *sim;
    snprintf(text, sizeof(text), "meshes: {m: {%s}}\nmaterials: {a: {%s, E: 100, nu: 0.3, density: 2}}\nstructures: {m: {mesh: m, material: a%s}}\n"
             "supports: [{group: x0, fix: all}]\nloads: [{group: x1, %s}]\n"
             "analysis: {type: transient, until: 1, method: alpha, step: 0.01, steps: equal}\n", row[i].mesh, row[i].material, row[i].how, row[i].load);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    check_true(tni_system_is_linear(sim->s) == row[i].linear, row[i].how, __FILE__, __LINE__);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(one_matrix_serves_all_steps);
  RUN(a_step_that_is_cut_has_its_own);
  RUN(what_is_not_linear_is_not_taken_for_it);
  return REPORT();
}
