/* verification of explicit steps of structures: the energy that central differences keep, heat of plastic work, steps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "analyses/sim.h"
#include "model/part.h"
#include "solids/structure.h"
#include "support/loaded.h"
#include "system/parts.h"

static bool all; /* what make verify asks for */

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

/* many chunks of elements in several colours: the same bits on one, two and four threads, elastic and plastic, in one sweep (2: in strips, 3:
 * in rows that are too short for them) */
static void chunks_give_the_same_bits_on_any_number_of_threads(void) {
  static const char *const matter[] = {"type: elastic", "type: plastic, yield: 3, hardening: 50", "type: elastic", "type: elastic"};
  static const char *const cells[] = {"20, 10, 10", "20, 10, 10", "20, 10, 10", "3, 2, 400"};
  for (int k = 0; k < 4; k++) {
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
      if (k < 2 && threads == (k ? 2 : 4)) continue; /* two for the one, four for the other */
      loaded l;
      tn_sim *sim = NULL;
      char text[1500];
      snprintf(text, sizeof(text), "tenon: 1\nmeshes: {m: {box: {size: [2, 1, 1], cells: [%s], cell: hex8, distort: 0.1}}}\n"
               "materials: {a: {%s, E: 1000, nu: 0.3, density: 1}}\n"
               "structures: {m: {mesh: m, material: a, element: one%s}}\nsupports: [{group: x0, fix: all}]\n"
               "loads: [{group: x1, traction: [0, 0, \"200*t\"]}]\nanalysis: {until: 0.05, method: central}\n", cells[k], matter[k],
               k < 2 ? ", formulation: large" : "");
      load_begin(&l, threads);
      CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
      load_finish(&l);
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
      CHECK_OK(l.ctx, tn_sim_advance(sim, all ? 0.05 : 0.03));
      double energy[4];
      CHECK_OK(l.ctx, tn_sim_energy(sim, energy));
      CHECK((k == 1) == (energy[2] > 0));
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

/* Steps in one sweep and those of everybody: a body that has nothing to do with the mesh turns the sweep off. */
static void steps_in_one_sweep_are_those_of_everybody(void) {
  static const int strips[3][3] = {{13, 4, 20}, {4, 11, 20}, {21, 9, 3}};
  for (int round = 0; round < 9; round++) {
    double *first = NULL;
    size_t n = 0;
    for (int way = 0; way < 2; way++) {
      char text[2000];
      loaded l;
      tn_sim *sim = NULL;
      int cells[3] = {3 + round, 2 + round % 3, 40 + 25*round};
      if (round >= 6) memcpy(cells, strips[round - 6], sizeof(cells));
      snprintf(text, sizeof(text), "gravity: [%d, 0, %d]\n"
               "meshes: {m: {box: {size: [1, 1, 9], cells: [%d, %d, %d], cell: hex8, distort: 0.2}}}\n"
               "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
               "structures: {m: {mesh: m, material: a, element: one, velocity: [0.3, -0.2, 0.1]}}\n"
               "supports: [{group: x0, fix: %s}, {group: y0, fix: [y]}]\n%s"
               "loads: [{group: x1, traction: [0, 3, \"5 + sin(30*t)\"]}, {group: z1, pressure: 4}]\n"
               "analysis: {until: 0.2, method: central}\n", round % 2 ? 2 : 0, round % 2 ? -9 : 0, cells[0], cells[1], cells[2],
               round % 3 ? "[x, z]" : "all", way ? "bodies: {stone: {mass: 1, inertia: [1, 1, 1], at: [50, 0, 0]}}\n" : "");
      load_text(&l, text);
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
      while (sim->it->now.t < sim->set.until) CHECK_OK(l.ctx, tni_sim_advance_step(sim));
      CHECK_OK(l.ctx, tni_sim_look(sim, sim->it->now.t - 0.3*(sim->it->now.t - sim->it->t_old))); /* between steps as well */
      size_t nv = (size_t)l.model->part[0].nv, nq = (size_t)sim->s->nq;
      CHECK(way ? nq == nv + 7 : nq == nv);
      if (!first) {
        n = nv;
        first = calloc(2*n, sizeof(double));
        memcpy(first, sim->at.q, n*sizeof(double));
        memcpy(first + n, sim->at.v, n*sizeof(double));
      } else {
        double off = 0, most = 0;
        for (size_t i = 0; i < n; i++) {
          off = fmax(off, fabs(first[i] - sim->at.q[i + 7]) + 0.01*fabs(first[n + i] - sim->at.v[i + 6]));
          most = fmax(most, fabs(first[i]));
        }
        CHECK(most > 1e-3);
        CHECK_WITHIN(off/most, 0, 1e-12);
      }
      tn_sim_destroy(&sim);
      unload(&l);
    }
    free(first);
  }
}

/* A bushing that elements know nothing of, from a little to far stiffer than their steps allow: the run stops and says why. */
static void vibrations_that_grow_for_ever_stop_the_run(void) {
  static const double stiffness[] = {1e3, 1.2e4, 1.5e4, 1e5, 1e6};
  for (int i = 0; i < TNI_COUNT(stiffness); i++) {
    char text[1500];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text), "meshes: {m: {box: {size: [2, 1, 1], cells: [4, 2, 2], cell: hex8}}}\n"
             "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, element: one, hold: {cap: x1}}}\nsupports: [{group: x0, fix: all}]\n"
             "joints: {j: {type: prismatic, bodies: [ground, cap], at: [2, 0.5, 0.5], axis: x}}\n"
             "forces: {k: {type: bushing, bodies: [ground, cap], at: [2, 0.5, 0.5], stiffness: [%g, 0, 0, 0, 0, 0]}}\n"
             "loads: [{group: z1, pressure: 4}]\nanalysis: {until: 10, method: central}\n", stiffness[i]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    tn_status st = TN_OK;
    while (sim->it->now.t < sim->set.until && st == TN_OK) st = tni_sim_advance_step(sim);
    if (i == 0) {
      CHECK(st == TN_OK);
    } else {
      CHECK(st == TN_NO_PROGRESS);
      CHECK(strstr(tn_ctx_message(l.ctx), "not stable") != NULL);
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* Lumped bars have the limit l/c: what each shorter one gets is known, steps become 0.9 of what was asked for, the balance stays exact, weight is
 * that of the masses as they were, and slow motions hardly notice: the least frequency by the masses themselves. */
static void masses_are_scaled_as_much_as_asked(void) {
  static const char *const model = "gravity: [2, 0, 0]\nmeshes: {m: {bar: {size: 1, cells: 12, grade: 0.02}}}\n"
                                   "materials: {a: {type: elastic, E: 4, nu: 0, density: 1, rayleigh: [%g, 0]}}\n"
                                   "structures: {m: {mesh: m, material: a, area: 0.5%s}}\n"
                                   "supports: [{group: x0, fix: all}, {group: all, fix: [y, z]}]\nanalysis: {until: 20, method: central}\n";
  const double limit = 0.02;
  double added = 0, energy[4], weight[2] = {0};
  long steps[2];
  int scaled = 0;
  for (int k = 0; k < 2; k++) {
    char text[1000];
    loaded l;
    tn_sim *sim;
    tn_summary sum;
    snprintf(text, sizeof(text), model, 0.0, k ? ", mass_scaling: 0.02" : "");
    load_text(&l, text);
    const tni_structure *s = l.model->part[0].data;
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    if (k) {
      const tni_mesh *m = l.model->part[0].mesh;
      for (int e = 0; e < s->nelement; e++) {
        const int *node = s->block[0].node + 2*e;
        double length = fabs(m->x[3*node[1]] - m->x[3*node[0]]), reach = limit*2/length; /* c = 2 */
        if (reach <= 1) continue;
        scaled++;
        added += 0.5*length*(reach*reach - 1);
      }
      CHECK(scaled > 3 && scaled < 12);
      CHECK_NEAR(s->added_mass, added, 1e-12);
      CHECK_NEAR(s->total_mass, 0.5, 1e-12);
    }
    tni_part_at at = tni_parts_at(sim->s, 0);
    double *f = calloc((size_t)sim->s->nv + 1, sizeof(double));
    tni_part_out out = {.f = f};
    l.model->part[0].ops->force(&l.model->part[0], sim->s->parts->work[0], &at, &out);
    for (int i = 0; i < sim->s->nv; i++) weight[k] += f[i];
    free(f);
    CHECK_OK(l.ctx, tn_sim_advance(sim, 20));
    tn_sim_summary(sim, &sum);
    steps[k] = sum.steps;
    tn_sim_destroy(&sim);
    unload(&l);
    CHECK_WITHIN(worst_balance(text, energy), 0, 1e-12);
  }
  CHECK_NEAR(weight[1], weight[0], 1e-13);
  double h = 20.0/(double)steps[1]; /* steps end where rows are stored */
  CHECK(h <= 0.9*limit*(1 + 1e-9) && h > 0.8*limit);
  CHECK((double)steps[0] > 4*(double)steps[1]);
}

/* A block whose sides come nearer at rates -d x: forces outward q/4 of a side at each corner, heat q V d; none where it grows. */
static void viscosity_presses_against_compression(void) {
  static const char *const formulation[] = {"small", "large"}, *const cell[] = {"hex8", "tet4", "wedge6"};
  const double side[3] = {2, 1, 0.5}, E = 100, nu = 0.25, rho = 3, c1 = 0.06, c2 = 1.5;
  const double c = sqrt(E*(1 - nu)/((1 + nu)*(1 - 2*nu))/rho);
  for (int k = 0; k < 6; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      char text[1000];
      loaded l;
      tn_sim *sim;
      double d = 3, most = 0, heat, force[3] = {0};
      snprintf(text, sizeof(text), "meshes: {m: {box: {size: [2, 1, 0.5], cells: [1, 1, 1], cell: %s}}}\n"
               "materials: {a: {type: elastic, E: 100, nu: 0.25, density: 3}}\n"
               "structures: {m: {mesh: m, material: a, formulation: %s, bulk_viscosity: [0.06, 1.5]}}\nanalysis: {until: 1, method: central}\n",
               cell[k/2], formulation[k % 2]);
      load_text(&l, text);
      const tni_part *p = &l.model->part[0];
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
      double *v = calloc((size_t)p->nv, sizeof(double)), *f = calloc((size_t)p->nv, sizeof(double)), *u = calloc((size_t)p->nv, sizeof(double));
      for (int i = 0; i < p->mesh->nnode; i++) v[3*i] = sign*d*p->mesh->x[3*i];
      tni_part_at at = tni_parts_at(sim->s, 0);
      at.u = u;
      at.v = v;
      tni_part_out out = {.f = f};
      CHECK(p->ops->force(p, sim->s->parts->work[0], &at, &out));
      for (int i = 0; i < p->mesh->nnode; i++)
        for (int a = 0; a < 3; a++) {
          if (p->mesh->x[3*i + a] > 0.5*side[a]) force[a] += f[3*i + a];
          most = fmax(most, fabs(f[3*i + a]));
        }
      int n = k/2 == 0 ? 1 : k/2 == 1 ? 6 : 2; /* elements of equal volume */
      double volume = side[0]*side[1]*side[2], L = cbrt(volume/n), q = sign < 0 ? rho*L*d*(c1*c + c2*L*d) : 0;
      heat = q*volume*d;
      for (int a = 0; a < 3; a++) CHECK_NEAR(force[a], q*volume/side[a], 1e-12*fmax(1, most));
      CHECK_NEAR(out.dissipated, heat, 1e-12*fmax(1, heat));
      double damping = 0, reach = p->ops->rate(p, sim->s->parts->work[0], &at, &damping);
      CHECK(reach > 0);
      CHECK_NEAR(damping, sign < 0 ? c1 + c2*L*d/c : c1, 1e-12);
      free(u), free(v), free(f);
      tn_sim_destroy(&sim);
      unload(&l);
    }
}

/* a bar that hits a wall: less vibration behind the front, energies that balance */
static void viscosity_calms_what_is_behind_a_front(void) {
  static const char *const model = "meshes: {m: {box: {size: [10, 0.25, 0.25], cells: [40, 1, 1]}}}\n"
                                   "materials: {a: {type: elastic, E: 100, nu: 0, density: 1}}\n"
                                   "structures: {m: {mesh: m, material: a, velocity: [-0.1, 0, 0]%s}}\n"
                                   "supports: [{group: x0, fix: [x]}, {group: all, fix: [y, z]}]\nanalysis: {until: 0.6, method: central}\n";
  double over[2], energy[4];
  for (int k = 0; k < 2; k++) {
    char text[1000];
    loaded l;
    tn_sim *sim;
    snprintf(text, sizeof(text), model, k ? ", bulk_viscosity: [0.06, 1.5]" : "");
    CHECK_WITHIN(worst_balance(text, energy), 0, k ? 2e-3 : 1e-12);
    CHECK((energy[2] > 0) == (k == 1));
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tn_sim_advance(sim, 0.6));
    /* the front is at 6 of 10: behind it the bar stands still */
    const tni_part *p = &l.model->part[0];
    over[k] = 0;
    for (int i = 0, n = 0; i < p->mesh->nnode; i++) {
      double x = p->mesh->x[3*i];
      if (x == 0) continue;
      if (x < 4.5) over[k] = fmax(over[k], fabs(sim->at.v[n]));
      n++;
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
  CHECK(over[0] > 0.01 && over[1] < 0.5*over[0]);
}

/* elements with rotations and other methods are refused by name */
static void masses_are_not_scaled_for_others(void) {
  static const struct {
    const char *mesh, *key, *how, *says;
  } row[] = {{"plate: {size: [1, 1], cells: [2, 2]}", "thickness: 0.1, mass_scaling: 1", "until: 1, method: central", "elements with rotations (shell4)"},
             {"box: {size: [1, 1, 1], cells: [2, 2, 2]}", "mass_scaling: 1", "until: 1, method: alpha", "for method: central only"},
             {"box: {size: [1, 1, 1], cells: [2, 2, 2]}", "mass_scaling: 1", "type: statics", "for method: central only"},
             {"box: {size: [1, 1, 1], cells: [2, 2, 2]}", "mass_scaling: 1, hold: {hub: x1}", "until: 1, method: central", "'hold' do not go together"},
             {"box: {size: [1, 1, 1], cells: [2, 2, 2]}", "bulk_viscosity: [0.06, 1.5]", "until: 1, method: alpha", "for method: central only"},
             {"box: {size: [1, 1, 1], cells: [2, 2, 2], cell: hex20}", "bulk_viscosity: [0.06, 1.5]", "until: 1, method: central", "not there for hex20"},
             {"plate: {size: [1, 1], cells: [2, 2]}", "thickness: 0.1, bulk_viscosity: [0.06, 1.5]", "until: 1, method: central", "not there for shell4"}};
  for (int i = 0; i < TNI_COUNT(row); i++) {
    char text[800];
    loaded l;
    load_begin(&l, 1);
    snprintf(text, sizeof(text), "tenon: 1\nmeshes: {m: {%s}}\nmaterials: {a: {type: elastic, E: 4, nu: 0, density: 1}}\n"
             "structures: {m: {mesh: m, material: a, %s}}\nsupports: [{group: x0, fix: all}]\nanalysis: {%s}\n", row[i].mesh,
             row[i].key, row[i].how);
    CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
    CHECK_INT(tn_model_compile(l.ctx, l.spec, &l.model), TN_ERR_INPUT);
    check_true(strstr(tn_ctx_message(l.ctx), row[i].says) != NULL, tn_ctx_message(l.ctx), __FILE__, __LINE__);
    unload(&l);
  }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(linear_structures_keep_the_energy_to_rounding);
  RUN(large_displacements_keep_the_energy_closely);
  RUN(heat_of_plastic_work_is_its_closed_form);
  RUN(steps_end_where_states_are_stored);
  RUN(chunks_give_the_same_bits_on_any_number_of_threads);
  RUN(steps_in_one_sweep_are_those_of_everybody);
  RUN(vibrations_that_grow_for_ever_stop_the_run);
  RUN(masses_are_scaled_as_much_as_asked);
  RUN(viscosity_presses_against_compression);
  RUN(viscosity_calms_what_is_behind_a_front);
  RUN(masses_are_not_scaled_for_others);
  return REPORT();
}
