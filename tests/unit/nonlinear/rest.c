/* unit test of nonlinear/rest.c: what others ask it for beside equilibria, each against K, C of the system or differences of equilibria
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "nonlinear/rest.h"

#include <lapacke.h>
#undef I

#include "nonlinear/rest_domains.h"
#include "nonlinear/rest_elements.h"
#include "nonlinear/rest_path.h"
#include "support/loaded.h"
#include "system/parts.h"

#define MESH(more)                                                                             \
  "meshes: {m: {box: {size: [1.5, 0.6, 0.4], cells: [3, 2, 2], origin: [0.5, -0.3, -0.2], distort: 0.1}}}\n" \
  "materials: {a: {type: elastic, E: 2000, nu: 0.3, density: 3}, r: {type: neo_hooke, E: 2000, nu: 0.3, density: 3}}\n" \
  "structures: {m: {mesh: m, " more "}}\nloads: [{group: x1, traction: [\"1 + t\", 2, \"3*t\"]}]\n"
#define HUB(joints)                                                                              \
  "bodies: {hub: {mass: 2, inertia: [0.3, 0.2, 0.4], at: [0, 0, 0]}}\n"                         \
  "joints: {foot: {type: fixed, bodies: [hub, root], at: [0.5, 0, 0]}" joints "}\n"

/* without constraints, small and large; on a hub with a spring; on a hub that is driven, whose rows move with t */
static const char *const MODEL[] = {
    MESH("material: a") "supports: [{group: x0, fix: all}]\nanalysis: {type: statics}\n",
    MESH("material: r, formulation: large") "supports: [{group: x0, fix: all}]\nanalysis: {type: statics}\n",
    "gravity: [0.2, 0.1, -1]\n" MESH("material: a, hold: {root: x0}") HUB(", pin: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: y}")
    "forces: [{type: torsion_spring, joint: pin, stiffness: 90}]\nanalysis: {type: statics}\n",
    "gravity: [0.2, 0.1, -1]\n" MESH("material: r, formulation: large, hold: {root: x0}")
    HUB(", pin: {type: cylindrical, bodies: [ground, hub], at: [0, 0, 0], axis: y}")
    "drive: [{joint: pin, coordinate: angle, motion: \"0.2*t\"}]\nforces: [{type: spring, bodies: [ground, hub], at1: [0, -1, 0], at2: [0, 0, 0], stiffness: 90, free_length: 1}]\n"
    "analysis: {type: statics}\n"};

static unsigned seed;
static double draw(void) { /* in -1 .. 1 */
  seed = seed*1664525u + 1013904223u;
  return (double)(seed >> 8)/8388608.0 - 1;
}

typedef struct {
  loaded l;
  tn_sim *sim;
  tni_data *s;
  tni_rest *w;
  double *q, *lambda;
  tni_rest_report rep;
} bench;

static void bench_open(bench *b, const char *text, double t) {
  memset(b, 0, sizeof(*b));
  load_text(&b->l, text);
  CHECK_OK(b->l.ctx, tn_sim_create(b->l.ctx, b->l.model, NULL, &b->sim));
  b->s = b->sim->s;
  b->q = b->sim->at.q;
  b->lambda = calloc((size_t)b->s->m + 1, sizeof(double));
  CHECK_OK(b->l.ctx, tni_rest_create(b->s, &b->w));
  tni_rest_opts o = {.tolerance = 1e-13};
  if (t >= 0) CHECK_OK(b->l.ctx, tni_rest_solve(b->w, NULL, t, b->q, b->lambda, &o, &b->rep));
}

static void bench_close(bench *b) {
  tni_rest_destroy(&b->w);
  tn_sim_destroy(&b->sim);
  free(b->lambda);
  unload(&b->l);
}

static double *doubles(int n) { return calloc((size_t)n + 1, sizeof(double)); }

static double most_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* where the equilibrium goes with t, and its multipliers: differences of two equilibria, error h^2 */
static void rate_is_that_of_equilibria(void) {
  const double t = 0.4, h = 1e-3;
  for (int k = 0; k < TNI_COUNT(MODEL); k++) {
    bench b, side[2];
    bench_open(&b, MODEL[k], t);
    bench_open(&side[0], MODEL[k], t - h);
    bench_open(&side[1], MODEL[k], t + h);
    int n = b.s->nv, m = b.s->m;
    CHECK(m > 0 || k < 2);
    double *dq = doubles(n), *dl = doubles(m), *moved = doubles(n);
    CHECK_OK(b.l.ctx, tni_rest_rate(b.w, t, b.q, b.lambda, dq, dl));
    tni_difference(b.s, side[0].q, side[1].q, moved);
    double size = most_of(dq, n), force = most_of(dl, m);
    CHECK(size > 1e-3);
    for (int i = 0; i < n; i++) CHECK_WITHIN(moved[i]/(2*h), dq[i], 1e-5*size);
    for (int i = 0; i < m; i++) CHECK_WITHIN((side[1].lambda[i] - side[0].lambda[i])/(2*h), dl[i], 1e-5*force);
    /* a step from one equilibrium to the next one, along the path and at once */
    tni_rest_report rep;
    tni_rest_opts o = {.tolerance = 1e-13};
    CHECK_OK(b.l.ctx, tni_rest_solve(b.w, &t, t + h, b.q, b.lambda, &o, &rep));
    tni_difference(b.s, side[1].q, b.q, moved);
    CHECK_NEAR(most_of(moved, n)/size, 0, 1e-9);
    CHECK(rep.iterations <= 3 && rep.iterations >= 1 && rep.cuts == 0);
    free(dq), free(dl), free(moved);
    for (int i = 0; i < 2; i++) bench_close(&side[i]);
    bench_close(&b);
  }
}

/* x = K^-1 f along the constraints: C x = 0, and K x - f is what constraints take up, of which nothing moves. Several at once are each of them.
 * Rows of joints between bodies give way by 1e-11 of the least stiffness that bodies are measured by, 1e-8 of the largest one there is: by
 * 1e-3 of what the stiffest unknown would give way under the same force, which is 1e-5 of x here. */
static void inverse_is_that_of_the_tangent(void) {
  enum { MANY = 3 };
  seed = 7;
  for (int k = 0; k < TNI_COUNT(MODEL); k++) {
    bench b;
    bench_open(&b, MODEL[k], 0.3);
    int n = b.s->nv, m = b.s->m;
    double *K = doubles(b.s->square->nnz), *C = doubles(m ? b.s->rows->nnz : 0), *x = doubles(MANY*n), *f = doubles(MANY*n), *y = doubles(n + m), *one = doubles(n);
    tni_sparse_tangent tangent = {.r_q = K, .C = m ? C : NULL};
    CHECK_OK(b.l.ctx, tni_rest_rate(b.w, 0.3, b.q, b.lambda, x, y)); /* factors at this state */
    CHECK_OK(b.l.ctx, tni_eval_sparse_tangent(b.s, 0.3, b.q, NULL, NULL, b.lambda, &tangent));
    for (int i = 0; i < MANY*n; i++) x[i] = f[i] = i % n < b.s->parts->v0 ? 0 : draw(); /* on the structure */
    tni_rest_apply_many(b.w, MANY, x);
    for (int j = 0; j < MANY; j++) {
      memcpy(one, f + j*n, (size_t)n*sizeof(double));
      tni_rest_apply(b.w, one);
      double size = most_of(one, n);
      for (int i = 0; i < n; i++) CHECK_WITHIN(x[j*n + i], one[i], 1e-13*size);
      memset(y, 0, (size_t)(n + m)*sizeof(double));
      if (m) tni_sparse_add(b.s->rows, 1, C, one, y);
      CHECK_NEAR(most_of(y, m)/size, 0, 1e-4);
      memset(y, 0, (size_t)n*sizeof(double));
      tni_sparse_add(b.s->square, 1, K, one, y);
      for (int i = 0; i < n && m == 0; i++) CHECK_WITHIN(y[i], f[j*n + i], 1e-9);
      for (int i = 0; i < n; i++) y[i] -= f[j*n + i];
      tni_rest_apply(b.w, y);
      CHECK_NEAR(most_of(y, n)/size, 0, m ? 1e-4 : 1e-9);
    }
    free(K), free(C), free(x), free(f), free(y), free(one);
    bench_close(&b);
  }
}

/* The signs of K - s M are the number of eigenvalues of K x = w^2 M x below s, with those of LAPACK from the dense matrices */
static void signs_count_eigenvalues(void) {
  for (int k = 0; k < 2; k++) {
    bench b;
    bench_open(&b, MODEL[k], k ? 0.2 : 0);
    int n = b.s->nv, negative;
    double *K = doubles(n*n), *M = doubles(n*n), *value = doubles(n), *full = doubles(b.s->square->nnz);
    const double *mass;
    const tni_sparsity *p = b.s->square;
    tni_sparse_tangent tangent = {.r_q = full};
    CHECK_OK(b.l.ctx, tni_rest_shifted(b.w, 0.2, b.q, NULL, 0, &negative, &mass));
    CHECK_INT(negative, 0);
    CHECK_OK(b.l.ctx, tni_eval_sparse_tangent(b.s, 0.2, b.q, NULL, NULL, NULL, &tangent));
    for (int r = 0; r < n; r++)
      for (int i = p->rowptr[r]; i < p->rowptr[r+1]; i++) K[r*n + p->col[i]] = full[i], M[r*n + p->col[i]] = mass[i];
    CHECK_INT(LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'N', 'L', n, K, n, M, n, value), 0);
    CHECK(value[0] > 0);
    for (int below = 0; below < 12; below += 3) {
      double s = below ? 0.5*(value[below - 1] + value[below]) : 0.5*value[0];
      CHECK_OK(b.l.ctx, tni_rest_shifted(b.w, 0.2, b.q, NULL, -s, &negative, &mass));
      CHECK_INT(negative, below);
      /* and its inverse is one of K - s M */
      double *x = doubles(n), *y = doubles(n);
      for (int i = 0; i < n; i++) x[i] = sin(i + 1);
      tni_rest_apply(b.w, x);
      tni_sparse_add(p, 1, full, x, y);
      tni_sparse_add(p, -s, mass, x, y);
      for (int i = 0; i < n; i++) CHECK_WITHIN(y[i], sin(i + 1), 1e-8);
      free(x), free(y);
    }
    free(K), free(M), free(value), free(full);
    bench_close(&b);
  }
}

static void count_free(const char *text, int want, const char *name) {
  bench b;
  bench_open(&b, text, -1);
  tn_status st = tni_rest_solve(b.w, NULL, 0, b.q, b.lambda, NULL, &b.rep);
  char count[60];
  snprintf(count, sizeof(count), "%d motion%s without stiffness", want, want == 1 ? "" : "s");
  const char *said = st == TN_OK ? b.rep.free_names : tn_ctx_message(b.l.ctx);
  if (st == TN_OK) CHECK_INT(b.rep.free, want);
  else if (!CHECK(st == TN_SINGULAR && strstr(said, count) != NULL)) printf("  %s\n", said);
  if (!CHECK(!want || strstr(said, name) != NULL)) printf("  %s\n", said);
  bench_close(&b);
}

/* What is free is counted and named, also beside constraints: a structure on a hub that may slide along x and z, or not at all, of several shapes and
 * stiffnesses; and a body on its own that may turn. Nothing has to move: the matrix alone tells. */
static void motions_without_stiffness_are_counted(void) {
  static const char *const joint[] = {", pin: {type: prismatic, bodies: [ground, hub], at: [0, 0, 0], axis: x}",
                                      ", pin: {type: planar, bodies: [ground, hub], at: [0, 0, 0], axis: y}",
                                      ", pin: {type: spherical, bodies: [ground, hub], at: [0, 0, 0]}",
                                      ", pin: {type: fixed, bodies: [ground, hub], at: [0, 0, 0]}"};
  static const int want[] = {1, 3, 3, 0};
  static const char *const name[] = {"along x", "hub.vz", "hub.w", ""};
  static const double size[][3] = {{1.5, 0.6, 0.4}, {2, 0.7, 5}, {0.3, 0.2, 0.2}};
  char text[2000];
  for (int k = 0; k < TNI_COUNT(joint); k++)
    for (int shape = 0; shape < TNI_COUNT(size); shape++) {
      snprintf(text, sizeof(text),
               "meshes: {m: {box: {size: [%g, %g, %g], cells: [3, 2, 2], origin: [0.5, -0.3, -0.2]}}}\n"
               "materials: {a: {type: elastic, E: %g, nu: 0.3, density: 3}}\nstructures: {m: {mesh: m, material: a, hold: {root: x0}}}\n"
               HUB("%s") "analysis: {type: statics}\n", size[shape][0], size[shape][1], size[shape][2], shape ? 2e11/shape : 2000, joint[k]);
      count_free(text, want[k], shape ? "" : name[k]);
    }
  count_free("bodies: {b: {mass: 1, inertia: [1, 1, 1], at: [3, 0, 0]}}\n" MESH("material: a") "supports: [{group: x0, fix: all}]\n"
             "forces: [{type: bushing, bodies: [ground, b], at: [3, 0, 0], stiffness: [90, 90, 90, 0, 0, 0]}]\nanalysis: {type: statics}\n", 3, "b.w");
}

/* the solver that is foreseen, and why: by what is asked for, and by the memory there is */
static void solvers_are_foreseen(void) {
  char why[200];
  bench b;
  bench_open(&b, MODEL[0], -1);
  double bytes, factor, flops;
  CHECK_OK(b.l.ctx, tni_rest_expect(b.w, &bytes, &factor, &flops));
  CHECK(factor > 0 && flops > 0);
  CHECK_NEAR(bytes, factor + 12.0*b.s->square->nnz, 1e-15);
  CHECK_TEXT(tni_rest_foresee(b.w, factor, why, sizeof(why)), "fronts");
  CHECK(strstr(why, "are allowed") && !strstr(why, "matrix"));
  tni_rest_use(b.w, NULL, 0.5*factor, NULL);
  CHECK_TEXT(tni_rest_foresee(b.w, factor, why, sizeof(why)), "pcg");
  tni_rest_use(b.w, "mumps", 0, NULL);
  CHECK_TEXT(tni_rest_foresee(b.w, factor, why, sizeof(why)), "mumps");
  CHECK_TEXT(why, "as written");
  tni_rest_use(b.w, "pcg", 0, &(tni_rest_elements_opts){.keeps = true});
  CHECK_TEXT(tni_rest_foresee(b.w, factor, why, sizeof(why)), "pcg");
  CHECK_TEXT(why, "as written; matrix: elements");
  tni_rest_use(b.w, "pcg", 0, &(tni_rest_elements_opts){.keeps = false});
  CHECK_TEXT(tni_rest_foresee(b.w, factor, why, sizeof(why)), "pcg");
  CHECK_TEXT(why, "as written; matrix: free");
  bench_close(&b);
}

/* domains give the answer of the whole, and count the iterations of all solutions */
static void domains_count_their_iterations(void) {
  for (int solver = 0; solver < TNI_NCUT_SOLVER; solver++) {
    if (solver != TNI_CUT_FETI && solver != TNI_CUT_FETI_DP && solver != TNI_CUT_SCHUR_CG) continue;
    bench b, whole;
    char text[300];
    int count[2] = {0, 0};
    bench_open(&whole, MODEL[0], 0.5);
    bench_open(&b, MODEL[0], -1);
    tni_rest_cut_opts o = {.solver = (tni_cut_solver)solver, .domains = 3, .tolerance = 1e-12};
    CHECK_OK(b.l.ctx, tni_rest_cut_into(b.w, &o));
    for (int k = 0; k < 2; k++) { /* what was found before is a start: the other load first */
      CHECK_OK(b.l.ctx, tni_rest_solve(b.w, NULL, k ? 0.5 : 0.1, b.q, b.lambda, NULL, &b.rep));
      tni_rest_describe(b.w, text, sizeof(text));
      const char *at = strstr(text, " iterations");
      while (at && at > text && at[-1] >= '0' && at[-1] <= '9') at--;
      count[k] = at ? atoi(at) : -1;
    }
    if (!CHECK(count[0] > 1 && count[1] > count[0] && count[1] < 400)) printf("  %s: %d, %d\n", text, count[0], count[1]);
    double size = most_of(whole.q, whole.s->nq);
    for (int i = 0; i < b.s->nq; i++) CHECK_WITHIN(b.q[i], whole.q[i], 1e-8*size);
    bench_close(&b);
    bench_close(&whole);
  }
}

typedef struct {
  int n, unstable;
  double t, worst; /* of the last point; how far lengths are from those of a straight path */
} straight;

static tn_status look_at_point(void *user, const tni_path_point *p, const tni_rest_report *r, int worst) {
  straight *w = user;
  (void)worst;
  w->n++;
  w->unstable += r->negative != 0 || p->nnegative != 0;
  w->t = p->t;
  w->worst = fmax(w->worst, fabs(p->length - sqrt(2)*(p->t - 0.25)/0.75));
  return TN_OK;
}

/* The path of a linear structure is straight, measured by the whole load and by what it moves: sqrt 2 long. Its tangent leads along it. */
static void paths_of_linear_structures_are_straight(void) {
  for (int steps = 2; steps < 12; steps += 3) {
    bench b, end;
    straight seen = {0};
    bench_open(&b, MODEL[0], 0.25);
    bench_open(&end, MODEL[0], 1);
    tni_path_report r;
    tni_rest_path_opts o = {.from = 0.25, .until = 1, .steps = steps, .point = look_at_point, .user = &seen, .tolerance = 1e-12};
    CHECK_OK(b.l.ctx, tni_rest_path_follow(b.w, b.s, b.q, &o, &r));
    CHECK(r.ended && r.rejected == 0 && r.points == seen.n && seen.unstable == 0 && seen.t == 1);
    CHECK(seen.n > 2 && seen.n <= steps + 1 && r.iterations <= seen.n);
    CHECK_NEAR(seen.worst, 0, 1e-9);
    double size = most_of(end.q, end.s->nq);
    for (int i = 0; i < b.s->nq; i++) CHECK_WITHIN(b.q[i], end.q[i], 1e-9*size);
    bench_close(&b);
    bench_close(&end);
  }
}

/* a block on a hub, with joints and springs around it, in units of length l, mass m and time s; what: 0 a pin with a spring, 1 two pins in line, one of them
 * redundant, 2 a pin whose spring pushes on, 3 on a rail, driven */
static void hub_text(char *text, size_t size, int what, bool large, double l, double m, double s) {
  static const char *const joint[] = {"pin: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: y}",
                                      "pin: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: y}, twin: {type: revolute, bodies: [ground, hub], at: [0, %.17g, 0], axis: y}",
                                      "pin: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: y}",
                                      "rail: {type: prismatic, bodies: [ground, hub], at: [0, 0, 0], axis: x}"};
  char own[600];
  double force = m*l/(s*s), stiff = force/l, moment = force*l, stress = force/(l*l);
  snprintf(own, sizeof(own), joint[what], 0.1*l);
  snprintf(text, size,
           "gravity: [%.17g, %.17g, %.17g]\n"
           "meshes: {m: {box: {size: [%.17g, %.17g, %.17g], cells: [4, 2, 2], origin: [%.17g, %.17g, %.17g], distort: 0.1}}}\n"
           "materials: {a: {type: %s, E: %.17g, nu: 0.3, density: %.17g}}\n"
           "structures: {m: {mesh: m, material: a, formulation: %s, hold: {root: x0}}}\nloads: [{group: x1, force: [%.17g, %.17g, %.17g]}]\n"
           "bodies: {hub: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], at: [0, 0, 0]}}\n"
           "joints: {foot: {type: fixed, bodies: [hub, root], at: [%.17g, 0, 0]}, %s}\n"
           "%s"
           "forces: [{type: bushing, bodies: [ground, hub], at: [0, 0, 0], stiffness: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}]\nanalysis: {type: statics}\n",
           0.2*l/(s*s), 0.1*l/(s*s), -l/(s*s), 1.5*l, 0.6*l, 0.4*l, 0.5*l, -0.3*l, -0.2*l, large ? "neo_hooke" : "elastic", 2000*stress, 3*m/(l*l*l), large ? "large" : "small",
           0.24*force, 0.5*force, 0.2*force, 2*m, 0.3*m*l*l, 0.2*m*l*l, 0.4*m*l*l, 0.5*l, own,
           what == 3 ? "drive: [{joint: rail, motion: \"t\"}]\n" : "", 9*stiff, 9*stiff, 9*stiff, 40*moment, (what == 2 ? -900 : 90)*moment, 40*moment);
}

/* With bodies and joints around them domains find the equilibrium, the multipliers and the number of unstable directions of the whole, in any units */
static void domains_between_joints_are_the_whole_in_any_units(void) {
  static const tni_cut_solver solver[] = {TNI_CUT_FETI, TNI_CUT_FETI_DP, TNI_CUT_SCHUR};
  static const double unit[][3] = {{1, 1, 1}, {1e3, 1e3, 1e3}, {1e-3, 50, 0.1}};
  char text[4000];
  for (int what = 0; what < 4; what++)
    for (int large = 0; large < 2; large++) {
      bench whole;
      int round = what + 4*large;
      if (what == 2 && large) continue; /* its equilibrium is unstable: where it is found is by chance */
      hub_text(text, sizeof(text), what, large, 1, 1, 1);
      bench_open(&whole, text, 0);
      CHECK_INT(whole.rep.negative, what == 2 ? 1 : 0);
      double size = most_of(whole.q + whole.s->parts->q0, whole.s->parts->nv);
      CHECK(size > 1e-3);
      for (int k = 0; k < TNI_COUNT(solver); k++) {
        bench b;
        const double *u = unit[(round + k) % TNI_COUNT(unit)];
        hub_text(text, sizeof(text), what, large, u[0], u[1], u[2]);
        bench_open(&b, text, -1);
        tni_rest_cut_opts o = {.solver = solver[k], .domains = 2 + k, .tolerance = 1e-12};
        CHECK_OK(b.l.ctx, tni_rest_cut_into(b.w, &o));
        CHECK_OK(b.l.ctx, tni_rest_solve(b.w, NULL, 0, b.q, b.lambda, NULL, &b.rep));
        CHECK_INT(b.rep.negative, whole.rep.negative);
        if (!CHECK(b.rep.iterations <= whole.rep.iterations)) printf("  %d, %d, solver %d: %d iterations for %d\n", what, large, k, b.rep.iterations, whole.rep.iterations);
        double off = 0, by_force = 0, largest = 0, force = u[1]*u[0]/(u[2]*u[2]);
        for (int i = 0; i < b.s->parts->nv; i++)
          off = fmax(off, fabs(b.q[b.s->parts->q0 + i]/u[0] - whole.q[whole.s->parts->q0 + i]));
        for (int i = 0; i < b.s->m; i++) { /* rows are positions or angles */
          double want = whole.lambda[i], f = b.lambda[i]/force, m = f/u[0];
          largest = fmax(largest, fabs(want));
          by_force = fmax(by_force, fmin(fabs(f - want), fabs(m - want)));
        }
        if (!CHECK(off <= 1e-8*size)) printf("  %d, %d, solver %d: %g of %g\n", what, large, k, off, size);
        if (!CHECK(what == 1 || by_force <= 1e-7*largest)) printf("  %d, %d, solver %d: multipliers %g of %g\n", what, large, k, by_force, largest);
        bench_close(&b);
      }
      bench_close(&whole);
    }
}

int main(void) {
  RUN(rate_is_that_of_equilibria);
  RUN(inverse_is_that_of_the_tangent);
  RUN(signs_count_eigenvalues);
  RUN(motions_without_stiffness_are_counted);
  RUN(domains_count_their_iterations);
  RUN(domains_between_joints_are_the_whole_in_any_units);
  RUN(solvers_are_foreseen);
  RUN(paths_of_linear_structures_are_straight);
  return REPORT();
}
