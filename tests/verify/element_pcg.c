/* verification of conjugate gradients on the matrices of elements: the answer of factors, in less memory, by fewer iterations with EBE
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/rest_elements.h"
#include "support/fields.h"

static const char *const MODEL =
    "meshes: {m: {%s}}\n"
    "materials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2, expansion: 1e-3}}\n"
    "structures: {m: {mesh: m, material: a%s}}\n"
    "supports: [{group: x0, fix: all}, {group: x1, move: {%s}}]\n"
    "nodes: [{group: %s, stiffness: [20, 30, 40]}, {group: all, temperature: \"5*x\"}]\n"
    "loads: [{group: %s, traction: [0.3, 1, %s]%s}]\n"
    "analysis: {type: statics%s}\n";

typedef struct {
  const char *mesh, *more, *move, *corner, *face, *third, *load;
} kind;

static const kind KIND[] = {
    {"box: {size: [2, 1, 1], cells: [6, 4, 4], distort: 0.1}", "", "x: 0.01", "x1y1z1", "z1", "2", ""},   /* few of them have a matrix that is kept */
    {"box: {size: [2, 1, 1], cells: [4, 3, 2], distort: 1e-4}", "", "x: 0.01", "x1y1z1", "z1", "2", ""}, /* nearly equal is not equal */
    {"box: {size: [2, 1, 1], cells: [4, 2, 2], cell: tet10}", "", "z: 0.02", "x1y1z1", "z1", "2", ""},
    {"box: {size: [2, 1, 1], cells: [3, 2, 2], cell: hex20}", ", element: reduced", "x: 0.01", "x1y1z1", "z1", "2", ""},
    {"box: {size: [2, 1, 1], cells: [4, 3, 2], cell: wedge6}", "", "y: 0.01", "x1y1z1", "z1", "2", ""},
    {"box: {size: [2, 1, 1], cells: [4, 2, 2]}", ", formulation: large", "z: 0.02", "x1y1z1", "z1", "2", ", follow: false"},
    {"plate: {size: [2, 1], cells: [6, 4]}", ", thickness: 0.1", "z: 0.01", "x1y1", "y1", "0.1", ""},
};

typedef struct {
  double *u;
  size_t n;
  int iterations;
  char solver[256];
} answer;

static void run(const kind *k, const char *how, answer *a) {
  char text[1600];
  loaded l;
  tn_sim *sim;
  snprintf(text, sizeof(text), MODEL, k->mesh, k->more, k->move, k->corner, k->face, k->third, k->load, how);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tni_statics_run(sim, store_nothing, NULL));
  const tni_part *p = &sim->model->part[0];
  a->u = field(sim, "displacement");
  a->n = (size_t)p->mesh->nnode*(size_t)p->field[field_of(p, "displacement")].ncomponent;
  snprintf(a->solver, sizeof(a->solver), "%s", sim->sum.system);
  const char *at = strstr(a->solver, " iterations");
  while (at && at > a->solver && at[-1] >= '0' && at[-1] <= '9') at--;
  a->iterations = at ? atoi(at) : 0;
  tn_sim_destroy(&sim);
  unload(&l);
}

static double apart(const answer *x, const answer *y) {
  double size = 0, off = 0;
  for (size_t i = 0; i < x->n; i++) {
    size = fmax(size, fabs(y->u[i]));
    off = fmax(off, fabs(x->u[i] - y->u[i]));
  }
  return off/size;
}

static void the_answer_is_that_of_factors(void) {
  static const char *const how[] = {", solver: pcg", ", solver: pcg, matrix: elements", ", solver: pcg, matrix: free",
                                    ", solver: pcg, matrix: elements, preconditioner: elements", ", solver: pcg, matrix: free, preconditioner: elements"};
  for (int k = 0; k < TNI_COUNT(KIND); k++) {
    answer exact, a[5];
    run(&KIND[k], ", solver: mumps", &exact);
    CHECK(strstr(exact.solver, "mumps") != NULL);
    for (int i = 0; i < TNI_COUNT(how); i++) {
      char name[100];
      run(&KIND[k], how[i], &a[i]);
      snprintf(name, sizeof(name), "mesh %d, way %d", k, i);
      check_near(apart(&a[i], &exact), 0, 1e-8, name, __FILE__, __LINE__);
      check_true(a[i].iterations > 0, name, __FILE__, __LINE__);
    }
    CHECK(strstr(a[1].solver, "matrices of elements, preconditioner diagonal") != NULL);
    CHECK(strstr(a[2].solver, "no matrix, preconditioner diagonal") != NULL);
    int matrices = 0, alike = 0, all = 0;
    const char *at = strstr(a[2].solver, "; ");
    CHECK(at && sscanf(at, "; %d matrices are those of %d elements of %d", &matrices, &alike, &all) == 3);
    if (k == 0) CHECK(matrices == 64 && alike == 64 && all > 64);
    else CHECK(alike == all && (k == 1 || k == 5 ? matrices == all : matrices < all)); /* 5: large displacements, no two elements strained alike */
    CHECK(strstr(a[4].solver, "no matrix, preconditioner of elements") != NULL);
    /* the same method in another form: as many iterations but for rounding */
    CHECK(abs(a[1].iterations - a[0].iterations) <= 2 + a[0].iterations/20 && abs(a[2].iterations - a[1].iterations) <= 2 + a[1].iterations/20);
    CHECK(abs(a[4].iterations - a[3].iterations) <= 2 + a[3].iterations/20);
    /* EBE pays by iterations */
    CHECK(a[3].iterations < a[1].iterations);
    for (int i = 0; i < TNI_COUNT(how); i++) free(a[i].u);
    free(exact.u);
  }
}

/* C = W^1/2 prod L prod D prod L^T W^1/2 of one element that has all unknowns to itself is 1 + W^-1/2 (K - diag K) W^-1/2 between roots
 * of W, which is K: one iteration */
static void one_element_is_factored_exactly(void) {
  kind one = {"box: {size: [1, 1, 1], cells: [1, 1, 1]}", "", "x: 0.01", "x1y1z1", "z1", "2", ""};
  char text[1600];
  loaded l;
  tn_sim *sim;
  snprintf(text, sizeof(text),
           "meshes: {m: {%s}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\nstructures: {m: {mesh: m, material: a}}\n"
           "supports: [{group: x0, fix: all}]\nloads: [{group: x1, force: [1, 2, 3]}]\n"
           "analysis: {type: statics, solver: pcg, matrix: elements, preconditioner: elements}\n", one.mesh);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tni_statics_run(sim, store_nothing, NULL));
  CHECK(strstr(sim->sum.system, ": 1 iterations") != NULL);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* less and less memory: factors, the assembled matrix, those of elements, none */
static void memory_that_is_allowed_decides(void) {
  static const struct {
    const char *how, *who, *also;
  } row[] = {{", memory: 1000", "fronts", "positive definite"}, {", memory: 3.6", "pcg, order given", "are allowed"},
             {", memory: 2.4", "matrices of elements", "are allowed"}, {", memory: 0.5", "no matrix", "are allowed"}};
  kind box = {"box: {size: [1, 1, 1], cells: [8, 8, 8]}", "", "x: 0.01", "x1y1z1", "z1", "2", ""};
  answer exact, a;
  run(&box, ", solver: mumps", &exact);
  for (int i = 0; i < TNI_COUNT(row); i++) {
    run(&box, row[i].how, &a);
    check_true(strstr(a.solver, row[i].who) && strstr(a.solver, row[i].also), a.solver, __FILE__, __LINE__);
    check_near(apart(&a, &exact), 0, 1e-8, row[i].how, __FILE__, __LINE__);
    free(a.u);
  }
  free(exact.u);
}

/* same bits on any number of threads */
static void threads_change_nothing(void) {
  for (int k = 0; k < 2; k++) {
    double *u[2];
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
      char text[1600];
      loaded l;
      tn_sim *sim;
      const kind *box = &KIND[k];
      snprintf(text, sizeof(text), MODEL, box->mesh, box->more, box->move, box->corner, box->face, box->third, box->load,
               ", solver: pcg, matrix: elements, preconditioner: elements");
      char whole[1700];
      snprintf(whole, sizeof(whole), "tenon: 1\n%s", text);
      load_begin(&l, i ? 4 : 1);
      CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", whole, NULL, 0, &l.spec));
      load_finish(&l);
      CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
      CHECK_OK(l.ctx, tni_statics_run(sim, store_nothing, NULL));
      u[i] = field(sim, "displacement");
      n = 3*(size_t)sim->model->part[0].mesh->nnode;
      tn_sim_destroy(&sim);
      unload(&l);
    }
    CHECK(memcmp(u[0], u[1], n*sizeof(double)) == 0);
    free(u[0]), free(u[1]);
  }
}

/* what cannot be taken apart is named */
static void what_cannot_be_is_named(void) {
  static const struct {
    const char *lines, *how, *says;
  } row[] = {
      {"couplings: [{rigid: x1, to: x1y0z0}]\n", ", solver: pcg, matrix: free", "it has couplings"},
      {"", ", solver: fronts, matrix: free", "'matrix' is for 'solver: pcg'"},
      {"", ", solver: pcg, preconditioner: elements", "needs 'matrix: elements' or 'free'"},
  };
  for (int i = 0; i < TNI_COUNT(row); i++) {
    char text[1000];
    loaded l;
    tn_sim *sim;
    snprintf(text, sizeof(text),
             "meshes: {m: {box: {size: [2, 1, 1], cells: [2, 1, 1]}}}\nmaterials: {a: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
             "structures: {m: {mesh: m, material: a}}\nsupports: [{group: x0, fix: all}]\n%sloads: [{group: z1, pressure: 1}]\n"
             "analysis: {type: statics%s}\n", row[i].lines, row[i].how);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    tn_status st = tni_statics_run(sim, store_nothing, NULL);
    CHECK(st < 0);
    check_true(strstr(tn_ctx_message(l.ctx), row[i].says) != NULL, tn_ctx_message(l.ctx), __FILE__, __LINE__);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

int main(void) {
  (void)draw;
  RUN(the_answer_is_that_of_factors);
  RUN(one_element_is_factored_exactly);
  RUN(memory_that_is_allowed_decides);
  RUN(threads_change_nothing);
  RUN(what_cannot_be_is_named);
  return REPORT();
}
