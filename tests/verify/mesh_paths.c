/* verification of paths of equilibria of meshes: limit points and the whole path of von Mises' truss in closed form, Euler's column and the
 * elastica behind its bifurcation
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "analyses/statics.h"
#include "support/loaded.h"
#include "system/parts.h"

enum { MOST = 400 };

typedef struct {
  tn_sim *sim;
  int n;
  double load[MOST], x[MOST][2], energy[MOST];
  int unstable[MOST], critical[MOST], component[2];
  int node; /* whose components are kept: by its place */
} seen;

static tn_status keep(void *user) {
  seen *w = user;
  const tni_part *p = &w->sim->model->part[0];
  tni_part_at at = tni_parts_at(w->sim->s, 0);
  static double u[3*20000];
  p->ops->fill(p, w->sim->s->parts->work[0], &at, 0, u);
  if (w->n == MOST) return TN_OK;
  w->load[w->n] = w->sim->load;
  for (int c = 0; c < 2; c++) w->x[w->n][c] = u[3*w->node + w->component[c]];
  w->energy[w->n] = w->sim->s->potential;
  w->unstable[w->n] = w->sim->sum.unstable;
  w->critical[w->n++] = (int)w->sim->critical;
  return TN_OK;
}

static void run(const char *text, const double place[3], seen *w, loaded *l) {
  load_text(l, text);
  const tni_mesh *m = l->model->part[0].mesh;
  w->n = 0;
  w->node = -1;
  for (int i = 0; i < m->nnode; i++) {
    double off = 0;
    for (int c = 0; c < 3; c++) off = fmax(off, fabs(m->x[3*i + c] - place[c]));
    if (off < 1e-9) w->node = i;
  }
  CHECK(w->node >= 0);
  CHECK_OK(l->ctx, tn_sim_create(l->ctx, l->model, NULL, &w->sim));
  CHECK_OK(l->ctx, tni_statics_run(w->sim, keep, w));
}

static void forget(seen *w, loaded *l) {
  tn_sim_destroy(&w->sim);
  unload(l);
}

/* P = E A y (y0^2 - y^2)/L^3 with Green's strain; largest at y = y0/sqrt 3 */
static void truss_snaps(double until) {
  static const char path[] = "mesh_paths_truss.inp";
  const double y0 = 0.2, L = sqrt(1 + y0*y0), EA = 1e4;
  char text[1000];
  loaded l;
  seen w = {.component = {0, 1}};
  FILE *f = fopen(path, "w");
  CHECK(f != NULL);
  fprintf(f, "*NODE\n1, -1, 0, 0\n2, 0, 0.2, 0\n3, 1, 0, 0\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n2, 2, 3\n*NSET, NSET=ENDS\n1, 3\n*NSET, NSET=TOP\n2\n");
  fclose(f);
  snprintf(text, sizeof(text),
           "meshes: {m: {file: %s}}\nmaterials: {a: {type: st_venant, E: 1e6, nu: 0.3, density: 1}}\n"
           "structures: {m: {mesh: m, material: a, area: 0.01, formulation: large}}\n"
           "supports: [{group: ENDS, fix: all}, {group: TOP, fix: [z]}]\nloads: [{group: TOP, force: [0, \"-100*t/%g\", 0]}]\n"
           "analysis: {type: statics, until: %g, load_steps: 20, arc_length: true}\n", path, until, until);
  const double top[3] = {0, y0, 0};
  run(text, top, &w, &l);
  for (int i = 0; i < w.n; i++) w.load[i] /= until;
  double most = 2*EA*y0*y0*y0/(3*sqrt(3)*L*L*L)/100, lowest = 0;
  int limits = 0;
  for (int i = 0; i < w.n; i++) {
    double y = y0 + w.x[i][1], P = EA*y*(y0*y0 - y*y)/(L*L*L)/100;
    check_near(w.load[i], P, 1e-8, "the load that belongs to the place", __FILE__, __LINE__);
    CHECK_NEAR(w.x[i][0], 0, 1e-9);
    lowest = fmin(lowest, w.load[i]);
    if (w.critical[i] == 1) {
      limits++;
      CHECK_NEAR(fabs(w.load[i]), most, 1e-6*most);
      continue;
    }
    /* between the limit points the middle pushes up: unstable. */
    if (fabs(fabs(y) - y0/sqrt(3)) > 1e-3) CHECK_INT(w.unstable[i] > 0, fabs(y) < y0/sqrt(3));
  }
  CHECK_INT(limits, 2);
  CHECK_NEAR(lowest, -most, 1e-3*most);
  CHECK_NEAR(w.load[w.n - 1], 1, 1e-12);
  CHECK(w.n > 15 && w.n < 80);
  CHECK_INT(w.sim->sum.criticals, 2);
  forget(&w, &l);
  remove(path);
}

/* whatever the load is counted in */
static void the_truss_snaps_as_it_must(void) {
  truss_snaps(1);
  truss_snaps(1e4);
}

static double complete_integral(double m) {
  double a = 1, b = sqrt(1 - m);
  for (int i = 0; i < 40; i++) {
    double next = 0.5*(a + b);
    b = sqrt(a*b);
    a = next;
  }
  return acos(-1)/(2*a);
}

/* angle at the tip from the load over that of buckling, then its deflection over the length */
static double elastica(double load) {
  double low = 0, high = 1;
  for (int i = 0; i < 80; i++) {
    double k = 0.5*(low + high), p = pow(2*complete_integral(k*k)/acos(-1), 2);
    if (p < load) low = k;
    else high = k;
  }
  return 2*low/complete_integral(low*low);
}

static void the_column_buckles_into_the_elastica(void) {
  const double tip[3] = {10, 0, 0}, euler = acos(-1)*acos(-1)*1e6*0.5*0.4*0.4*0.4/12/400/100;
  static const char model[] =
      "meshes: {m: {box: {size: [10, 0.5, 0.4], cells: [16, 1, 1], cell: hex20}}}\n"
      "materials: {a: {type: st_venant, E: 1e6, nu: 0, density: 1}}\n"
      "structures: {m: {mesh: m, material: a, element: full, formulation: large}}\n"
      "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [\"-100*t\", 0, 0]}]\n"
      "analysis: {type: statics, until: 1, load_steps: 10, arc_length: true%s}\n";
  for (int branch = 0; branch < 2; branch++) {
    char text[1000];
    loaded l;
    seen w = {.component = {1, 2}};
    snprintf(text, sizeof(text), model, branch ? ", branch: switch" : "");
    run(text, tip, &w, &l);
    double found = 0;
    int behind = 0;
    for (int i = 0; i < w.n; i++) {
      if (w.critical[i] == 2 && !found) found = w.load[i];
      if (!(found > 0) || w.load[i] < 1.005*found) continue;
      double want = branch ? 10*elastica(w.load[i]/found) : 0;
      check_near(fabs(w.x[i][1]), want, branch ? 0.01*want : 1e-6, branch ? "elastica" : "straight", __FILE__, __LINE__);
      CHECK_INT(w.unstable[i] > 0, !branch);
      behind++;
    }
    CHECK_NEAR(found, euler, 0.005*euler);
    CHECK(behind > 3);
    CHECK_NEAR(w.load[w.n - 1], 1, 1e-12);
    forget(&w, &l);
  }
}

/* A bar that yields: the last step of the path goes beyond the end of the load, and nothing of that may stay. sigma/E + (sigma - yield)/H */
static void what_yields_beyond_the_end_leaves_no_trace(void) {
  const double corner[3] = {2, 0, 0};
  static const double until[] = {0.7, 1, 1.3, 1.7};
  for (int k = 0; k < TNI_COUNT(until); k++)
    for (int steps = 3; steps <= 8; steps += 5) {
      char text[1000];
      loaded l;
      seen w = {.component = {0, 1}};
      snprintf(text, sizeof(text), "meshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\n"
               "materials: {a: {type: plastic, E: 1000, nu: 0.3, density: 1, yield: 5, hardening: 50}}\nstructures: {m: {mesh: m, material: a}}\n"
               "supports: [{group: x0, fix: [x]}, {group: y0, fix: [y]}, {group: z0, fix: [z]}]\nloads: [{group: x1, traction: [\"10*t\", 0, 0]}]\n"
               "analysis: {type: statics, until: %g, load_steps: %d, arc_length: true}\n", until[k], steps);
      run(text, corner, &w, &l);
      for (int i = 0; i < w.n; i++) {
        double sigma = 10*w.load[i], e = sigma/1000 + fmax(0, sigma - 5)/50;
        CHECK_NEAR(w.x[i][0], 2*e, 1e-6*2*e + 1e-12);
      }
      CHECK_NEAR(w.load[w.n - 1], until[k], 1e-12);
      forget(&w, &l);
    }
}

static void what_cannot_be_is_named(void) {
  loaded l;
  tn_sim *sim;
  load_text(&l, "meshes: {m: {box: {size: [1, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
                "structures: {m: {mesh: m, material: a, formulation: large, hold: {hub: x1}}}\nsupports: [{group: x0, fix: all}]\n"
                "joints: {j: {type: revolute, bodies: [ground, hub], at: [1, 0, 0], axis: z}}\n"
                "analysis: {type: statics, until: 1, arc_length: true}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_INT(tni_statics_run(sim, keep, &(seen){.sim = sim}), TN_ERR_UNSUPPORTED);
  CHECK(strstr(tn_ctx_message(l.ctx), "models without joints") != NULL);
  tn_sim_destroy(&sim);
  unload(&l);
}

int main(void) {
  RUN(the_truss_snaps_as_it_must);
  RUN(the_column_buckles_into_the_elastica);
  RUN(what_yields_beyond_the_end_leaves_no_trace);
  RUN(what_cannot_be_is_named);
  return REPORT();
}
