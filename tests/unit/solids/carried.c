/* structures that bodies carry and that move: velocities of nodes on bodies, heat of what is damped and of what is not
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/vec.h"
#include "support/fields.h"
#include "system/common.h"

/* nodes that a spinning body carries move with it, of solids and of shells, whose nodes turn as well */
static void carried_nodes_move_with_their_body(void) {
  static const char *const meshes[] = {"box: {size: [2, 1, 0.5], cells: [3, 2, 1], origin: [1, 0, 0]}", "plate: {size: [2, 1], cells: [3, 2], cell: quad4}"};
  for (int shell = 0; shell < 2; shell++) {
    char text[1000];
    loaded l;
    tn_sim *sim;
    snprintf(text, sizeof(text),
             "meshes: {m: {%s}}\nmaterials: {a: {type: elastic, E: 1e5, nu: 0.3, density: 2}}\n"
             "bodies: {cart: {mass: 3, inertia: [1, 2, 3], at: [0.3, 0.4, 0.1], com: [0.1, 0.2, -0.1], velocity: [1, 2, 3], angular_velocity: [4, -5, 6]}}\n"
             "structures: {m: {mesh: m, material: a, %shold: {cart: x0}}}\nanalysis: {until: 1e-3, method: radau}\n",
             meshes[shell], shell ? "thickness: 0.1, " : "");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, store_nothing(NULL));
    const tni_mesh *m = l.model->part[0].mesh;
    const tni_kin *k = &sim->s->kin[1];
    double *v = field(sim, "velocity"), low = HUGE_VAL;
    int carried = 0;
    for (int i = 0; i < m->nnode; i++) low = fmin(low, m->x[3*i]);
    for (int i = 0; i < m->nnode; i++) {
      double arm[3], want[3];
      if (m->x[3*i] > low + 1e-9) continue;
      vec3_sub(arm, m->x + 3*i, k->r);
      vec3_cross(want, k->W, arm);
      vec3_add(want, want, k->v);
      for (int c = 0; c < 3; c++) CHECK_WITHIN(v[3*i + c], want[c], 1e-12);
      carried++;
    }
    CHECK(carried >= 3 && vec3_norm(k->W) > 1);
    free(v);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* the velocity that a mesh is given is kept, and what is joined to it follows, however heavy it is */
static void written_velocities_of_meshes_are_kept(void) {
  loaded l;
  tn_sim *sim;
  load_text(&l, "meshes: {m: {box: {size: [2, 1, 0.5], cells: [3, 2, 1], origin: [1, 0, 0]}}}\nmaterials: {a: {type: elastic, E: 1e5, nu: 0.3, density: 2}}\n"
                "bodies: {cart: {mass: 300, inertia: [100, 200, 300], at: [0.5, 0.5, 0.25]}}\n"
                "structures: {m: {mesh: m, material: a, hold: {hub: x0}, velocity: [1, 2, 3]}}\n"
                "joints: {j: {type: fixed, bodies: [cart, hub], at: [1, 0.5, 0.25]}}\nanalysis: {until: 1e-3, method: radau}\n");
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  double *v = field(sim, "velocity");
  for (int i = 0; i < l.model->part[0].mesh->nnode; i++)
    for (int c = 0; c < 3; c++) CHECK_WITHIN(v[3*i + c], c + 1, 1e-9);
  for (int b = 0; b < 2; b++)
    for (int c = 0; c < 3; c++) CHECK_WITHIN(sim->s->kin[b + 1].v[c], c + 1, 1e-9);
  free(v);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* What moves in an elastic structure makes no heat; damping by mass makes alpha times twice the kinetic energy of it. */
static void heat_is_that_of_the_damping(void) {
  for (int damped = 0; damped < 2; damped++)
    for (int large = 0; large < 2; large++) {
      char text[1000];
      loaded l;
      tni_data *s;
      tni_terms terms;
      snprintf(text, sizeof(text),
               "meshes: {m: {box: {size: [2, 1, 0.5], cells: [12, 8, 4], distort: 0.1}}}\n"
               "materials: {a: {type: st_venant, E: 1e5, nu: 0.3, density: 2%s}}\nstructures: {m: {mesh: m, material: a, formulation: %s}}\n"
               "supports: [{group: x0, fix: all}]\nanalysis: {until: 1, method: central}\n", damped ? ", rayleigh: [0.3, 0]" : "", large ? "large" : "small");
      load_text(&l, text);
      CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
      double *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc((size_t)s->nv, sizeof(double));
      tni_initial(s, q, v);
      seed = 3;
      for (int i = 0; i < s->nv; i++) v[i] = draw(), q[i] = 1e-3*draw();
      tni_eval_terms(s, 0.2, q, v, v, &terms);
      double kinetic = tni_system_kinetic(s);
      CHECK(kinetic > 0);
      CHECK_WITHIN(terms.energies.dissipated, damped ? 0.3*2*kinetic : 0, 1e-12*kinetic);
      free(q), free(v);
      tni_data_destroy(&s);
      unload(&l);
    }
}

/* bulk viscosity sees the rate of volume and nothing else: none in motions that keep it, turning and shearing elements of any shape, small and
 * large; and only where it falls */
static void bulk_viscosity_sees_volumes_only(void) {
  static const char *const cells[] = {"hex8", "tet4", "wedge6", "quad4", "tri3"};
  seed = 8;
  for (int c = 0; c < TNI_COUNT(cells); c++)
    for (int large = 0; large < 2; large++) {
      bool plane = c > 2;
      int dim = plane ? 2 : 3;
      char text[1000];
      loaded l;
      tni_data *s;
      tni_terms terms;
      snprintf(text, sizeof(text),
               "%smeshes: {m: {%s: {size: [1, 1%s], cells: [3, 2%s], cell: %s, distort: 0.2}}}\nmaterials: {a: {type: st_venant, E: 9, nu: 0.3, density: 1}}\n"
               "structures: {m: {mesh: m, material: a, bulk_viscosity: [0.06, 1.5], formulation: %s%s}}\n"
               "analysis: {until: 1, method: central}\n",
               plane ? "planar: true\n" : "", plane ? "plate" : "box", plane ? "" : ", 1", plane ? "" : ", 2", cells[c], large ? "large" : "small", plane ? ", plane: strain" : "");
      load_text(&l, text);
      CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
      const tni_part *p = &l.model->part[0];
      double *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc((size_t)s->nv, sizeof(double)), heat[6];
      tni_initial(s, q, v);
      CHECK_INT(p->nv, dim*p->mesh->nnode);
      for (int k = 0; k < 6; k++) { /* four that keep the volume, one that shrinks, one that grows */
        double L[9] = {0}, mean = 0;
        for (int i = 0; i < 9; i++) L[i] = i/3 < dim && i % 3 < dim ? draw() : 0;
        for (int i = 0; i < dim; i++) mean += L[4*i]/dim;
        for (int i = 0; i < dim; i++) L[4*i] = k < 4 ? L[4*i] - mean : k == 4 ? -1 : 1;
        memset(v, 0, (size_t)s->nv*sizeof(double));
        for (int u = 0; u < p->nv; u++)
          for (int j = 0; j < 3; j++) v[s->parts->v0 + s->parts->at[0] + u] += L[3*(u % dim) + j]*p->mesh->x[3*(u/dim) + j];
        tni_eval_terms(s, 0, q, v, v, &terms);
        heat[k] = terms.energies.dissipated;
      }
      for (int k = 0; k < 4; k++) CHECK_WITHIN(heat[k], 0, 1e-20);
      CHECK(heat[4] > 1 && heat[5] == 0);
      free(q), free(v);
      tni_data_destroy(&s);
      unload(&l);
    }
}

/* the fastest vibration of a unit cube is that of the specification's annex, and damping is a rate of its own */
static void rates_of_structures_are_those_of_their_elements(void) {
  loaded l;
  tni_data *s;
  double damping = 5;
  load_text(&l, "meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1, nu: 0.3, density: 1}}\n"
                "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: x}]\nanalysis: {until: 1, method: central}\n");
  CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
  double *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc((size_t)s->nv, sizeof(double));
  tni_initial(s, q, v);
  tni_terms terms;
  tni_eval_terms(s, 0, q, v, v, &terms);
  CHECK_NEAR(2/tni_system_rate(s, &damping), 0.63245553203367587, 1e-12);
  CHECK(damping == 0);
  free(q), free(v);
  tni_data_destroy(&s);
  unload(&l);
}

int main(void) {
  RUN(bulk_viscosity_sees_volumes_only);
  RUN(rates_of_structures_are_those_of_their_elements);
  RUN(carried_nodes_move_with_their_body);
  RUN(written_velocities_of_meshes_are_kept);
  RUN(heat_is_that_of_the_damping);
  return REPORT();
}
