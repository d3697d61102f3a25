/* tests/support/ranks.h - statics of a model as one of several ranks, virtual or processes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_TEST_RANKS_H
#define TN_TEST_RANKS_H

#include <stdio.h>
#include <stdlib.h>

#include <tenon/tenon.h>

#include "analyses/sim.h"
#include "analyses/statics.h"
#include "parallel/comm.h"

typedef struct rank_answer {
  double *q; /* malloc */
  int n;
  double energy;
  int unstable; /* -1: not judged */
  char system[400];
} rank_answer;

static inline tn_status rank_store_nothing(void *user) {
  (void)user;
  return TN_OK;
}

/* text without its first line "tenon: 1"; everything that a run does, without a file */
static inline tn_status rank_statics(tn_ctx *ctx, const char *text, rank_answer *out) {
  char whole[8192];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  snprintf(whole, sizeof(whole), "tenon: 1\n%s", text);
  *out = (rank_answer){0};
  tn_status st = tn_spec_read_text(ctx, "test", whole, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(ctx, model, NULL, &sim);
  if (st == TN_OK) st = tni_statics_run(sim, rank_store_nothing, NULL);
  if (st == TN_OK) {
    out->n = sim->s->nq;
    out->q = malloc(((size_t)out->n + 1)*sizeof(double));
    memcpy(out->q, sim->at.q, (size_t)out->n*sizeof(double));
    out->energy = sim->sum.energy_end;
    out->unstable = sim->sum.unstable;
    snprintf(out->system, sizeof(out->system), "%s", sim->sum.system);
  }
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

/* The motion of a model to its end: poses and velocities of its bodies there, 18 numbers each. */
static inline tn_status rank_motion(tn_ctx *ctx, const char *text, rank_answer *out) {
  char whole[8192];
  tn_spec *spec = NULL;
  tn_model *model = NULL;
  tn_sim *sim = NULL;
  snprintf(whole, sizeof(whole), "tenon: 1\n%s", text);
  *out = (rank_answer){0};
  tn_status st = tn_spec_read_text(ctx, "test", whole, NULL, 0, &spec);
  if (st == TN_OK) st = tn_model_compile(ctx, spec, &model);
  if (st == TN_OK) st = tn_sim_create(ctx, model, NULL, &sim);
  if (st == TN_OK) st = tn_sim_advance(sim, sim->set.until);
  if (st == TN_OK) {
    tn_summary sum;
    out->n = 18*sim->s->nbody;
    out->q = malloc(((size_t)out->n + 1)*sizeof(double));
    for (int b = 0; b < sim->s->nbody; b++) {
      const tni_kin *k = &sim->s->kin[b + 1];
      memcpy(out->q + 18*b, k->r, 3*sizeof(double));
      memcpy(out->q + 18*b + 3, k->A, 9*sizeof(double));
      memcpy(out->q + 18*b + 12, k->v, 3*sizeof(double));
      memcpy(out->q + 18*b + 15, k->w, 3*sizeof(double));
    }
    tn_sim_summary(sim, &sum);
    snprintf(out->system, sizeof(out->system), "%s", sum.method);
  }
  tn_sim_destroy(&sim);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  return st;
}

/* Trajectories that ranks divide among them: joints and balls in space, angles that are counted, a loop with rows too many, events that end
 * windows, a window that does not converge at once. */
#define RANK_RODS                                                                                                                \
  "gravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, inertia: [0.02, 0.03, 0.01], at: [0.3, 0, 0]},\n"                             \
  "  b: {mass: 0.5, inertia: [0.01, 0.02, 0.02], at: [0.9, 0.1, 0]}}\n"                                                          \
  "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y, initial_rate: 9}, k: {type: spherical, bodies: [a, b], at: [0.6, 0, 0]}}\n" \
  "forces: {s: {type: torsion_spring, joint: j, stiffness: 0.3, damping: 0.02}}\n"
static const struct {
  const char *text;
  double within; /* of the answer of one rank; 0: its bits */
} RANK_MOTIONS[] = {
    {RANK_RODS "analysis: {until: 2, method: state_time, tolerance: 1e-7}\n", 0},
    {RANK_RODS "analysis: {until: 1, method: state_time, tolerance: 1e-8, orders: adaptive}\n", 0},
    {RANK_RODS "analysis: {until: 1, method: state_time, elements: 50, order: 2, representation: cartesian}\n", 0},
    {RANK_RODS "analysis: {until: 2, method: state_time, elements: 24, order: 3, window: 24, representation: cartesian}\n", 0},
    {RANK_RODS "analysis: {until: 0.4, method: state_time, elements: 20, formulation: direction_cosines, elimination: tree}\n", 1e-9},
    {RANK_RODS "analysis: {until: 0.4, method: state_time, elements: 20, formulation: direction_cosines, rule: literal, elimination: tree}\n", 1e-9},
    {"planar: true\ngravity: [0, -9.81]\nbodies: {a: {mass: 1, inertia: 0.1, at: [0.3, 0]}}\n"
     "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0]}}\n"
     "forces: {wall: {type: stop, joint: j, min: -1, max: 1, stiffness: 1000}}\n"
     "analysis: {until: 2, method: state_time, tolerance: 1e-8}\n", 0}};
enum { RANK_NMOTION = sizeof(RANK_MOTIONS)/sizeof(RANK_MOTIONS[0]) };

/* what is the same for virtual ranks and processes; %s: keys of the analysis */
static const char *const RANK_MODELS[] = {
    "meshes: {m: {box: {size: [2, 1, 1], cells: [8, 4, 4], cell: hex8, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, traction: [1, 2, 3]}, {group: z1, pressure: 0.5}]\nanalysis: {type: statics%s}\n",
    /* two structures of which neither knows the other */
    "meshes:\n  m: {box: {size: [2, 1, 1], cells: [6, 3, 3], cell: hex8}}\n  n: {plate: {size: [1, 1], cells: [7, 7], cell: quad4}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}, b: {type: elastic, E: 1e6, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a}, n: {mesh: n, material: b, thickness: 0.05}}\n"
    "supports: [{structure: m, group: x0, fix: all}, {structure: n, group: x0, fix: all}]\n"
    "loads: [{structure: m, group: x1, traction: [1, 2, 3]}, {structure: n, group: x1, force: [0, 0, 1]}]\nanalysis: {type: statics%s}\n",
    /* a body, joints with their springs, a beam, and a mesh that the last body holds */
    "gravity: [0.3, 0, -2]\nmeshes: {m: {box: {size: [1.2, 0.6, 0.2], cells: [6, 4, 2], cell: hex8, origin: [1, -0.3, -0.1]}}}\n"
    "materials: {a: {type: elastic, E: 4000, nu: 0.3, density: 3}}\nstructures: {m: {mesh: m, material: a, hold: {root: x0}}}\n"
    "bodies: {hub: {mass: 2, inertia: [0.3, 0.2, 0.4]}}\n"
    "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], elements: 3, element: exact, EA: 1e4, GA: 4e3, EI: 60, GJ: 50, rhoA: 0.5, rhoI: 1e-3}}\n"
    "joints:\n  base: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: y}\n  first: {type: fixed, bodies: [hub, b.start], at: [0, 0, 0]}\n"
    "  hinge: {type: revolute, bodies: [b.end, root], at: [1, 0, 0], axis: y}\n"
    "forces: [{type: torsion_spring, joint: base, stiffness: 90}, {type: torsion_spring, joint: hinge, stiffness: 60}]\n"
    "analysis: {type: statics, tolerance: 1e-11%s}\n",
    "planar: true\nmeshes: {m: {plate: {size: [2, 1], cells: [12, 8], cell: quad8, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, plane: stress}}\nsupports: [{group: x0, fix: [x]}, {group: y0, fix: [y]}]\n"
    "loads: [{group: x1, traction: [1, 2, 0]}]\nanalysis: {type: statics%s}\n",
    "meshes: {m: {box: {size: [3, 1, 1], cells: [6, 3, 3], cell: hex8}}}\n"
    "materials: {a: {type: neo_hooke, E: 1000, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, formulation: large}}\nsupports: [{group: x0, fix: all}]\n"
    "loads: [{group: x1, force: [0, 0, \"8*t\"]}]\nanalysis: {type: statics, load_steps: 4%s}\n"};
enum { RANK_NMODEL = sizeof(RANK_MODELS)/sizeof(RANK_MODELS[0]), RANK_LARGE = RANK_NMODEL - 1, RANK_PLANE = RANK_NMODEL - 2, RANK_JOINTS = RANK_NMODEL - 3 };

/* largest difference relative to the largest displacement; HUGE_VAL: not comparable */
static inline double rank_difference(const rank_answer *a, const rank_answer *b) {
  double most = 0, size = 0;
  if (!a->q || !b->q || a->n != b->n) return HUGE_VAL;
  for (int i = 0; i < a->n; i++) {
    size = fmax(size, fabs(b->q[i]));
    if (!(fabs(a->q[i] - b->q[i]) <= most)) most = fabs(a->q[i] - b->q[i]);
  }
  return most/size;
}

#endif
