/* tests/support/ranks_explicit.h - explicit runs of a model as one of several ranks, virtual or processes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_TEST_RANKS_EXPLICIT_H
#define TN_TEST_RANKS_EXPLICIT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

#include "analyses/sim.h"
#include "parallel/comm.h"

typedef struct explicit_answer {
  double *x; /* malloc: q, v, history at the end */
  int n;
  double energy[4], error; /* kinetic, potential, heat, work; of the balance, in parts of the largest */
  long steps;
  char system[400];
} explicit_answer;

typedef struct explicit_job {
  const char *text;    /* without its first line "tenon: 1"                                        */
  double between;      /* > 0: look there on the way, inside a step                                */
  double *save;        /* malloc by the run: state at half the time; NULL: not asked               */
  const double *load;  /* such a state to begin at; NULL: none                                     */
} explicit_job;

static inline tn_status explicit_go(tn_sim *sim, explicit_job *j) {
  double end = sim->set.until;
  if (j->load) TN_TRY(tni_sim_load(sim, j->load));
  if (j->between > 0 && !j->load) TN_TRY(tn_sim_advance(sim, j->between));
  if (j->save) {
    while (sim->t_hi < 0.5*end) TN_TRY(tni_sim_advance_step(sim));
    TN_TRY(tni_sim_save(sim, j->save));
  }
  return tn_sim_advance(sim, end);
}

static inline tn_status explicit_run(tn_ctx *ctx, explicit_job *j, explicit_answer *out) {
  char whole[8192];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  snprintf(whole, sizeof(whole), "tenon: 1\n%s", j->text);
  *out = (explicit_answer){0};
  tn_status st = tn_spec_read_text(ctx, "test", whole, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(ctx, model, NULL, &sim);
  if (st == TN_OK) st = explicit_go(sim, j);
  if (st == TN_OK) st = tn_sim_energy(sim, out->energy);
  if (st == TN_OK) {
    int nq = sim->s->nq, nv = sim->s->nv, nm = sim->model->nmemory;
    out->n = nq + nv + nm;
    out->x = malloc(((size_t)out->n + 1)*sizeof(double));
    memcpy(out->x, sim->at.q, (size_t)nq*sizeof(double));
    memcpy(out->x + nq, sim->at.v, (size_t)nv*sizeof(double));
    if (nm) memcpy(out->x + nq + nv, sim->s->memory, (size_t)nm*sizeof(double));
    out->steps = sim->it->stats.steps;
    out->error = sim->sum.energy_error/sim->sum.energy_scale;
    snprintf(out->system, sizeof(out->system), "%s", sim->sum.system);
  }
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

/* What explicit steps meet: elements many at once with and without history, one by one; loads of every kind, gravity, damping, supports that
 * move, heat, shells that turn, several structures. */
static const char *const EXPLICIT_MODELS[] = {
    "gravity: [0, 1, -9.81]\nmeshes: {m: {box: {size: [2, 1, 1], cells: [8, 4, 4], cell: hex8, distort: 0.2}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
    "structures: {m: {mesh: m, material: a, element: one, velocity: [0.3, -0.2, 0.1]}}\nsupports: [{group: x0, fix: [x, y]}]\n"
    "loads: [{group: x1, traction: [0, 3, \"5 + sin(30*t)\"]}, {group: z1, pressure: 4}]\n"
    "analysis: {until: 0.4, method: central%s}\n",
    "gravity: [0, 0, -9.81]\nmeshes: {m: {box: {size: [2, 1, 1], cells: [8, 4, 3], cell: hex8, distort: 0.1}}}\n"
    "materials: {a: {type: plastic, E: 1000, nu: 0.3, yield: 3, hardening: 50, density: 1}}\n"
    "structures: {m: {mesh: m, material: a, element: one, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, traction: [0, 0, \"30*t\"]}]\nanalysis: {until: 0.3, method: central%s}\n",
    "meshes: {m: {box: {size: [2, 1, 1], cells: [4, 2, 2], cell: tet4}}}\n"
    "materials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 1}}\n"
    "structures: {m: {mesh: m, material: a, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, pressure: \"-60*t\", follow: true}]\nanalysis: {until: 0.3, method: central%s}\n",
    "meshes: {m: {plate: {size: [1, 1], cells: [6, 6], cell: quad4}}}\n"
    "materials: {a: {type: elastic, E: 1e5, nu: 0.3, density: 10}}\n"
    "structures: {m: {mesh: m, material: a, thickness: 0.05, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, force: [0, 0, 3]}]\nanalysis: {until: 0.05, method: central%s}\n",
    "planar: true\ngravity: [0, -1, 0]\nmeshes: {m: {plate: {size: [2, 1], cells: [10, 6], cell: quad4, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2, rayleigh: [3, 1e-4]}}\n"
    "structures: {m: {mesh: m, material: a, plane: strain}}\n"
    "supports: [{group: y0, fix: [y]}, {group: x0, move: {x: \"0.01*(1 - cos(20*t))\"}}]\n"
    "loads: [{group: x1, traction: [1, 2, 0]}]\nanalysis: {until: 0.5, method: central%s}\n",
    "gravity: [0, 0, -1]\nmeshes:\n  m: {box: {size: [2, 1, 1], cells: [6, 3, 3], cell: hex8}}\n  n: {box: {size: [1, 1, 1], cells: [1, 1, 2], cell: hex8}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2, expansion: 1e-3}, b: {type: elastic, E: 2000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a}, n: {mesh: n, material: b}}\n"
    "supports: [{structure: m, group: x0, fix: all}, {structure: n, group: x0, fix: all}]\n"
    "nodes: [{structure: m, group: x1, temperature: \"10*x*sin(20*t)\"}, {structure: m, group: x1, mass: 0.1}]\n"
    "loads: [{structure: m, spin: 2, axis: [0, 0, 1]}, {structure: n, group: x1, force: [0, 0, 1]}]\nanalysis: {until: 0.5, method: central%s}\n"};
enum { EXPLICIT_NMODEL = sizeof(EXPLICIT_MODELS)/sizeof(EXPLICIT_MODELS[0]), EXPLICIT_PLASTIC = 1 };

/* largest difference relative to the largest number of each kind is not told apart: states of one size */
static inline double explicit_difference(const explicit_answer *a, const explicit_answer *b) {
  double most = 0, size = 0, energies = 0;
  if (!a->x || !b->x || a->n != b->n || a->steps != b->steps) return HUGE_VAL;
  for (int i = 0; i < a->n; i++) {
    size = fmax(size, fabs(b->x[i]));
    if (!(fabs(a->x[i] - b->x[i]) <= most)) most = fabs(a->x[i] - b->x[i]);
  }
  for (int i = 0; i < 4; i++) energies = fmax(energies, fabs(b->energy[i]));
  for (int i = 0; i < 4; i++)
    if (!(fabs(a->energy[i] - b->energy[i])/energies <= most/size)) most = fabs(a->energy[i] - b->energy[i])/energies*size;
  return most/size;
}

#endif
