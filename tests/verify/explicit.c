/* verification of explicit steps of structures: the energy that central differences keep, heat of plastic work, steps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/sim.h"
#include "support/loaded.h"

/* kinetic + potential + heat - work at the end of every step, from that at the start, in parts of the largest term */
static double worst_balance(const char *text, double energy[4]) {
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  double worst = 0, most = 0;
  while (sim->it->now.t < sim->set.until) {
    CHECK_OK(l.ctx, tni_sim_advance_step(sim));
    CHECK_OK(l.ctx, tni_sim_look(sim, sim->it->now.t));
    CHECK_OK(l.ctx, tn_sim_energy(sim, energy));
    double off = energy[0] + energy[1] + sim->it->shift + energy[2] - energy[3] - sim->energy0;
    worst = fmax(worst, fabs(off));
    for (int i = 0; i < 4; i++) most = fmax(most, fabs(energy[i]));
  }
  tn_sim_destroy(&sim);
  unload(&l);
  return worst/most;
}

/* loads that come at once, bodies that begin to move, in batches and one by one: the balance of linear structures is exact */
static void linear_structures_keep_the_energy_to_rounding(void) {
  static const char *const element[] = {"one", "bbar"};
  static const char *const start[] = {"", ", velocity: [0.3, -0.2, 0.1]"};
  for (int e = 0; e < 2; e++)
    for (int k = 0; k < 2; k++)
      for (int step = 0; step < 2; step++) {
        char text[1500];
        double energy[4];
        snprintf(text, sizeof(text), "gravity: [0, 0, -9.81]\n"
                 "meshes: {m: {box: {size: [2, 1, 1], cells: [5, 3, 2], cell: hex8, distort: 0.2}}}\n"
                 "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
                 "structures: {m: {mesh: m, material: a, element: %s%s}}\nsupports: [{group: x0, fix: all}]\n"
                 "loads: [{group: x1, traction: [0, 3, \"5 + sin(30*t)\"]}, {group: z1, pressure: 4}]\n"
                 "analysis: {until: 1, method: central%s}\n", element[e], start[k], step ? ", step: 1.25e-3" : "");
        CHECK_WITHIN(worst_balance(text, energy), 0, 1e-12);
        CHECK(fabs(energy[3]) > 1e-3 && energy[2] == 0);
      }
}

static void large_displacements_keep_the_energy_closely(void) {
  double energy[4];
  const char *text = "meshes: {m: {box: {size: [4, 1, 1], cells: [8, 2, 2], cell: hex8}}}\n"
                     "materials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 1}}\n"
                     "structures: {m: {mesh: m, material: a, element: one, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
                     "loads: [{group: x1, traction: [0, 0, 3]}]\nanalysis: {until: 2, method: central}\n";
  CHECK_WITHIN(worst_balance(text, energy), 0, 1e-5);
}

/* A cube pulled slowly in one direction, perfectly plastic: heat = yield x plastic strain x volume, stored = what elastic strain
 * holds. Inertia and the vibrations it leaves are small. */
static void heat_of_plastic_work_is_its_closed_form(void) {
  static const char *const element[] = {"one", "bbar"};
  for (int e = 0; e < 2; e++) {
    char text[1500];
    double energy[4], E = 1000, yield = 5, strain = 0.02;
    snprintf(text, sizeof(text), "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex8}}}\n"
             "materials: {a: {type: plastic, E: %g, nu: 0.3, yield: %g, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, element: %s}}\n"
             "supports: [{group: x0, fix: x}, {group: y0, fix: y}, {group: z0, fix: z},\n"
             "           {group: x1, move: {x: \"%g*0.5*(1 - cos(pi*t/20))\"}}]\n"
             "analysis: {until: 20, method: central}\n", E, yield, element[e], strain);
    CHECK_WITHIN(worst_balance(text, energy), 0, 1e-6);
    double plastic = strain - yield/E;
    CHECK_NEAR(energy[2], yield*plastic, 1e-3);
    CHECK_NEAR(energy[1], 0.5*yield*yield/E, 2e-3);
    CHECK_NEAR(energy[3], yield*plastic + 0.5*yield*yield/E, 1e-5);
  }
}

/* steps that the method finds end where states are stored: nothing is interpolated */
static void steps_end_where_states_are_stored(void) {
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, "meshes: {m: {box: {size: [2, 1, 1], cells: [6, 3, 3], cell: hex8}}}\n"
                "materials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 1}}\n"
                "structures: {m: {mesh: m, material: a, element: one, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
                "loads: [{group: x1, traction: [0, 0, 8]}]\noutput: {every: 0.037}\nanalysis: {until: 1, method: central}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  int met = 0;
  while (sim->it->now.t < 1) {
    CHECK_OK(l.ctx, tni_sim_advance_step(sim));
    double k = sim->it->now.t/0.037;
    CHECK(fabs(k - round(k)) < 1e-12 || fabs(k - round(k)) > 1e-3);
    met += fabs(k - round(k)) < 1e-12;
  }
  CHECK_INT(met, 27);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* many chunks of elements in several colours: the same bits on one, two and four threads, elastic and plastic */
static void chunks_give_the_same_bits_on_any_number_of_threads(void) {
  static const char *const matter[] = {"type: elastic", "type: plastic, yield: 3, hardening: 50"};
  for (int k = 0; k < 2; k++) {
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
      loaded l;
      tn_sim *sim = NULL;
      char text[1500];
      snprintf(text, sizeof(text), "tenon: 1\nmeshes: {m: {box: {size: [2, 1, 1], cells: [24, 12, 12], cell: hex8, distort: 0.1}}}\n"
               "materials: {a: {%s, E: 1000, nu: 0.3, density: 1}}\n"
               "structures: {m: {mesh: m, material: a, element: one, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
               "loads: [{group: x1, traction: [0, 0, \"20*t\"]}]\nanalysis: {until: 0.15, method: central}\n", matter[k]);
      load_begin(&l, threads);
      CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
      load_finish(&l);
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
      CHECK_OK(l.ctx, tn_sim_advance(sim, 0.15));
      double energy[4];
      CHECK_OK(l.ctx, tn_sim_energy(sim, energy));
      CHECK(k == 0 || energy[2] > 0);
      size_t n = (size_t)sim->s->nq;
      if (!first) {
        first = malloc((n + 4)*sizeof(double));
        memcpy(first, sim->at.q, n*sizeof(double));
        memcpy(first + n, energy, sizeof(energy));
      } else {
        CHECK(memcmp(first, sim->at.q, n*sizeof(double)) == 0);
        CHECK(memcmp(first + n, energy, sizeof(energy)) == 0);
      }
      tn_sim_destroy(&sim);
      unload(&l);
    }
    free(first);
  }
}

int main(void) {
  RUN(linear_structures_keep_the_energy_to_rounding);
  RUN(large_displacements_keep_the_energy_closely);
  RUN(heat_of_plastic_work_is_its_closed_form);
  RUN(steps_end_where_states_are_stored);
  RUN(chunks_give_the_same_bits_on_any_number_of_threads);
  return REPORT();
}
