/* verification of plastic flow in motions: along paths that turn the error of every method that chooses its steps is that asked for
 *
 * The reference follows history by one increment a step, in tiny equal steps: of first order, extrapolated from two lengths of them. It shares
 * nothing with the way in which methods that choose their steps follow it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "system/parts.h"

static bool all;

#define PLATE "planar: true\nmeshes: {m: {plate: {size: [1, 1], cells: [1, 1], cell: tri3}}}\n"
#define BEAM "meshes: {m: {box: {size: [0.4, 0.2, 0.2], cells: [2, 1, 1]}}}\n"

static const struct {
  const char *name, *text;
  double until;
} models[] = {
    {"plane", PLATE "materials: {a: {type: plastic, E: 1e7, nu: 0.3, density: 1000, yield: 2e4, hardening: 5e5}}\nstructures: {s: {mesh: m, material: a, thickness: 0.1}}\n"
     "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [3000*sin(60*t), 1500*(1 - cos(100*t)), 0]}]\n", 0.1},
    {"rate form", BEAM "materials: {a: {type: plastic, E: 1e8, nu: 0.3, density: 1000, yield: 3e5, hardening: 5e6}}\nstructures: {s: {mesh: m, material: a, formulation: large}}\n"
     "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0, 3000*sin(60*t), 2000*(1 - cos(100*t))]}]\n", 0.06},
    {"finite", BEAM "materials: {a: {type: plastic_finite, E: 1e8, nu: 0.3, density: 1000, yield: 3e5, hardening: 5e6}}\nstructures: {s: {mesh: m, material: a, formulation: large}}\n"
     "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [0, 3000*sin(60*t), 2000*(1 - cos(100*t))]}]\n", 0.06},
    {"shell", "meshes: {m: {plate: {size: [0.4, 0.3], cells: [2, 1]}}}\nmaterials: {a: {type: plastic, E: 1e9, nu: 0.3, density: 1000, yield: 2e6, hardening: 5e7}}\n"
     "structures: {s: {mesh: m, material: a, thickness: 0.05}}\nsupports: [{group: x0, fix: all}]\n"
     "loads: [{group: x1, force: [10000*sin(100*t), 3000*sin(60*t), 600*(1 - cos(100*t))]}]\n", 0.06},
    {"bars", "meshes: {m: {box_truss: {size: [1, 1, 1], cells: [1]}}}\nmaterials: {a: {type: plastic, E: 1e9, nu: 0.3, density: 1000, yield: 1e6, kinematic: 5e7}}\n"
     "structures: {s: {mesh: m, material: a, area: 1e-3}}\nsupports: [{group: x0, fix: all}]\n"
     "loads: [{group: x1, force: [0, 3000*sin(60*t), 2000*(1 - cos(100*t))]}]\n", 0.1},
};

typedef struct {
  int n;
  double v[200];
  tn_summary sum;
} outcome;

/* velocities at the end of a run */
static void run(int model, const tn_run_opts *o, outcome *out) {
  char text[2000];
  loaded l;
  tn_sim *sim = NULL;
  snprintf(text, sizeof(text), "%sanalysis: {until: %g}\noutput: {every: %g}\n", models[model].text, models[model].until, models[model].until);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, o, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, models[model].until));
  const tni_part *p = &l.model->part[0];
  CHECK(p->nv <= TNI_COUNT(out->v));
  out->n = p->nv;
  memcpy(out->v, sim->s->parts->v, (size_t)p->nv*sizeof(double));
  tn_sim_destroy(&sim);
  CHECK_OK(l.ctx, tn_run(l.ctx, l.model, o, &out->sum));
  unload(&l);
}

/* as tolerances count: relative to what is large, absolute where it is small */
static double apart(const outcome *a, const outcome *b) {
  double most = 0;
  for (int i = 0; i < a->n; i++) most = fmax(most, fabs(a->v[i] - b->v[i])/(1 + fabs(b->v[i])));
  return most;
}

/* 2 v(h/2) - v(h) of rk4 */
static void reference(int model, double h, outcome *out) {
  outcome whole;
  run(model, &(tn_run_opts){.method = "rk4", .step = h, .results = ""}, &whole);
  run(model, &(tn_run_opts){.method = "rk4", .step = h/2, .results = ""}, out);
  for (int i = 0; i < out->n; i++) out->v[i] = 2*out->v[i] - whole.v[i];
}

/* within ten tolerances */
static void tolerance_means_error(void) {
  for (int k = 0; k < TNI_COUNT(models); k++) {
    outcome ref;
    if (!all && k != 0 && k != 4) continue;
    reference(k, all ? 4e-6 : 2e-5, &ref);
    for (int m = 0; m < tni_integrator_ntype; m++) {
      const tni_integrator_type *type = tni_integrator_types[m];
      bool low = type->order > 0 && type->order < 4;
      if (type->fixed_step || type->needs_technique || strcmp(type->name, "central") == 0 || strcmp(type->name, "staggered") == 0) continue;
      if (strcmp(type->name, "energy_momentum") == 0 || strcmp(type->name, "state_time") == 0) continue;
      if (!all && strcmp(type->name, "rk8") != 0 && strcmp(type->name, "radau") != 0 && !(k == 0 && strcmp(type->name, "adams") == 0)) continue;
      outcome now;
      tn_run_opts o = {.method = type->name, .tolerance = low ? 1e-3 : 1e-4, .results = ""};
      run(k, &o, &now);
      double error = apart(&now, &ref);
      if (!CHECK(error <= 10*o.tolerance)) printf("  %s, %s: %g for %g, %ld steps\n", models[k].name, type->name, error, o.tolerance, now.sum.steps);
      if (!CHECK(now.sum.sound)) printf("  %s, %s: %s\n", models[k].name, type->name, now.sum.verdict);
      if (now.sum.steps + now.sum.rejected == 0) printf("  no steps\n");
    }
  }
}

/* errors fall with the tolerance: 1e-6 is 100 times as near as 1e-4, and not ten times as at first order */
static void errors_follow_the_tolerance(void) {
  outcome fine, now[2];
  run(0, &(tn_run_opts){.method = "rk8", .tolerance = 1e-7, .results = ""}, &fine);
  for (int k = 0; k < 2; k++) {
    tn_run_opts o = {.method = "rk8", .tolerance = k ? 1e-6 : 1e-4, .results = ""};
    run(0, &o, &now[k]);
    if (!CHECK(apart(&now[k], &fine) <= 10*o.tolerance)) printf("  %g: %g\n", o.tolerance, apart(&now[k], &fine));
  }
  CHECK(now[1].sum.steps < 20*now[0].sum.steps);
  outcome ref;
  if (!all) return;
  reference(0, 1e-6, &ref);
  if (!CHECK(apart(&fine, &ref) <= 2e-6)) printf("  reference: %g\n", apart(&fine, &ref));
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  RUN(tolerance_means_error);
  RUN(errors_follow_the_tolerance);
  return REPORT();
}
