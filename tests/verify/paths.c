/* tests/verify/paths.c - every way to compute accelerations gives the same mechanics
 *
 * At random admissible states of many mechanisms the accelerations of all bodies, the multipliers
 * and the reactions of all joints come from
 *   cartesian: dense LU, sparse LU, reduced matrix with and without hubs and every ordering
 *   joint: articulated bodies, composite inertia sparse and dense
 * and are held against one reference that shares only the constraint rows and the forces with them:
 * the equations M a + C^T lambda = f, C a = gamma of all bodies in one matrix, solved by singular
 * values. Of the multipliers of a redundant model that solution takes those of least norm, which is
 * what all paths promise. Tolerance: 1e-10 relative to the largest component.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"
#include "system/common.h"
#include "verify/models.h"

#include <lapacke.h>
#undef I /* complex.h takes the name of the inertia */

static const double agree = 1e-10;
enum { STATES = 3 };

/* ---- the reference ------------------------------------------------------------------------- */

typedef struct {
  int n, m;        /* body velocities, rows of all blocks (empty ones of planar models too) */
  double *a;       /* [6 nbody] accelerations               */
  double *lambda;  /* [m]                                   */
  double *wrench;  /* [6 njoint] on body 1 at its frame     */
  double *null;    /* [6 njoint] what null multipliers do to the reactions, largest component */
  int rank;
} reference;

static size_t sz(int a, int b) { return (size_t)a*(size_t)b; }
static double *zeros(size_t n) { return calloc(n + 1, sizeof(double)); }

/* reaction of one block for given multipliers, added to wrench */
static void add_wrench(const tn_model *m, const tni_kin *kin, const tni_con *con, const double *J,
                       const double *lambda, double *wrench) {
  const tni_joint *joint = &m->joint[con->joint];
  int end = joint->body[1] == TNI_GROUND ? 0 : 1, body = joint->body[end];
  for (int e = 0; e < con->nbody; e++) {
    if (con->body[e] != body) continue;
    double F[3] = {0}, T[3] = {0}, n[3], rho[3], x[3], sign = end ? -1 : 1;
    for (int r = 0; r < con->nrow; r++) {
      vec3_addmul(F, sign*lambda[r], J + 6*con->nbody*r + 6*e);
      vec3_addmul(T, sign*lambda[r], J + 6*con->nbody*r + 6*e + 3);
    }
    mat3_vec(n, kin[body + 1].A, T);
    /* from the centre of mass to the origin of frame 1, which may be fixed in the ground */
    if (end) mat3_vec(rho, kin[body + 1].A, joint->frame[1].p);
    else vec3_sub(rho, joint->frame[1].p, kin[body + 1].r);
    vec3_cross(x, rho, F);
    for (int i = 0; i < 3; i++) {
      wrench[6*con->joint + i] += F[i];
      wrench[6*con->joint + 3 + i] += n[i] - x[i];
    }
  }
}

/* velocity components that a body of the model has */
static int components(const tn_model *m, const int **dof) {
  static const int spatial[6] = {0, 1, 2, 3, 4, 5}, planar[3] = {0, 1, 5};
  *dof = m->planar ? planar : spatial;
  return m->planar ? 3 : 6;
}

/* all blocks: C [m][n] on the kept velocity components and gamma, or reactions of lambda */
static void visit_blocks(tni_data *s, double t, double *C, double *gamma, const double *lambda,
                         double *wrench) {
  const tn_model *m = s->model;
  tni_env env = tni_system_env(s, t);
  double phi[16], phi_t[16], g[16], J[16*6*TNI_MAXBODY];
  const int *dof;
  int row = 0, ndof = components(m, &dof);
  for (int i = 0; i < m->ncon; i++) {
    const tni_con *con = &m->con[i];
    tni_con_out out = {.phi = phi, .phi_t = phi_t, .gamma = g, .J = J};
    con->ops->eval(con, &env, TNI_C_POSITION | TNI_C_JACOBIAN | TNI_C_ACCEL, &out);
    for (int k = 0; k < con->nrow*6*con->nbody; k++) {
      bool kept = false;
      for (int d = 0; d < ndof; d++) kept |= dof[d] == k % 6;
      if (!kept) J[k] = 0;
    }
    if (wrench) add_wrench(m, s->kin, con, J, lambda + row, wrench);
    for (int r = 0; r < con->nrow && C; r++) {
      bool empty = true;
      for (int e = 0; e < con->nbody; e++)
        for (int d = 0; d < ndof; d++) {
          double x = J[6*con->nbody*r + 6*e + dof[d]];
          C[sz(row + r, ndof*m->nbody) + (size_t)(ndof*con->body[e] + d)] = x;
          if (x != 0) empty = false;
        }
      gamma[row + r] = empty ? 0 : g[r];
    }
    row += con->nrow;
  }
}

/* singular values of C M^-1/2 tell the null multipliers; their effect on the reactions */
static void find_null(tni_data *s, double t, const double *C, reference *ref) {
  const tn_model *m = s->model;
  int rows = ref->m, n = ref->n, low = rows < n ? rows : n;
  double *A = zeros(sz(rows, n)), *sv = zeros((size_t)low), *U = zeros(sz(rows, rows));
  double *Vt = zeros(sz(n, n)), *work = zeros((size_t)low), *w = zeros(sz(6, m->njoint));
  memcpy(A, C, sz(rows, n)*sizeof(double));
  CHECK(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'N', rows, n, A, n, sv, U, rows, Vt, n, work) == 0);
  ref->rank = 0;
  while (ref->rank < low && sv[ref->rank] > 1e-8*sv[0]) ref->rank++;
  double *z = zeros((size_t)rows);
  for (int c = ref->rank; c < rows; c++) {
    memset(w, 0, sz(6, m->njoint)*sizeof(double));
    for (int r = 0; r < rows; r++) z[r] = U[sz(r, rows) + (size_t)c];
    visit_blocks(s, t, NULL, NULL, z, w);
    for (int i = 0; i < 6*m->njoint; i++) ref->null[i] = fmax(ref->null[i], fabs(w[i]));
  }
  free(A), free(sv), free(U), free(Vt), free(work), free(w), free(z);
}

/* at s->kin */
static void reference_solve(tni_data *s, double t, reference *ref) {
  const tn_model *m = s->model;
  const int *dof;
  int rows = 0, d = components(m, &dof);
  for (int i = 0; i < m->ncon; i++) rows += m->con[i].nrow;
  int n = d*m->nbody, N = n + rows;
  *ref = (reference){.n = n, .m = rows, .a = zeros(sz(6, m->nbody)), .lambda = zeros((size_t)rows),
                     .wrench = zeros(sz(6, m->njoint)), .null = zeros(sz(6, m->njoint))};
  double *K = zeros(sz(N, N)), *b = zeros((size_t)N), *sv = zeros((size_t)N);
  double *C = zeros(sz(rows, n)), *f = zeros(sz(6, m->nbody));
  tni_system_forces(s, t, f);
  visit_blocks(s, t, C, b + n, NULL, NULL);
  for (int i = 0; i < m->nbody; i++)
    for (int j = 0; j < d; j++) {
      int J = dof[j];
      b[d*i + j] = f[6*i + J];
      for (int k = 0; k < d; k++) {
        int L = dof[k];
        K[sz(d*i + j, N) + (size_t)(d*i + k)] = J < 3 || L < 3 ? (J == L)*m->body[i].mass
                                                : m->body[i].I[3*(J - 3) + L - 3];
      }
    }
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < n; j++)
      K[sz(n + r, N) + (size_t)j] = K[sz(j, N) + (size_t)(n + r)] = C[sz(r, n) + (size_t)j];
  int rank;
  CHECK(LAPACKE_dgelss(LAPACK_ROW_MAJOR, N, N, 1, K, N, b, 1, sv, 1e-12, &rank) == 0);
  for (int i = 0; i < m->nbody; i++)
    for (int j = 0; j < d; j++) ref->a[6*i + dof[j]] = b[d*i + j];
  memcpy(ref->lambda, b + n, (size_t)rows*sizeof(double));
  visit_blocks(s, t, NULL, NULL, ref->lambda, ref->wrench);
  find_null(s, t, C, ref);
  free(K), free(b), free(sv), free(C), free(f);
}

static void reference_free(reference *ref) {
  free(ref->a), free(ref->lambda), free(ref->wrench), free(ref->null);
}

/* ---- comparison ---------------------------------------------------------------------------- */

static double worst_seen; /* over the whole program, for the last line */

static void close_to(const double *got, const double *want, int n, const char *path,
                     const char *what) {
  char text[200];
  double off = far_apart(got, want, n, 1e-3);
  worst_seen = fmax(worst_seen, off);
  snprintf(text, sizeof(text), "%s: %s, largest difference", path, what);
  check_near(off, 0, agree, text, __FILE__, __LINE__);
}

/* lambda of the system against the reference, matched by the names of the rows */
static void check_multipliers(tni_data *s, const double *lambda, const reference *ref,
                              const char *path) {
  const tn_model *m = s->model;
  double *want = zeros((size_t)s->m);
  char name[128], other[128];
  int found = 0;
  for (int r = 0; r < s->m; r++) {
    tni_row_name(s, r, name, sizeof(name));
    for (int i = 0, row = 0; i < m->ncon; row += m->con[i++].nrow)
      for (int k = 0; k < m->con[i].nrow; k++) {
        snprintf(other, sizeof(other), "%s.%s", m->joint[m->con[i].joint].name,
                 m->con[i].rowname[k]);
        if (strcmp(name, other) != 0) continue;
        want[r] = ref->lambda[row + k];
        found++;
      }
  }
  CHECK_INT(found, s->m);
  close_to(lambda, want, s->m, path, "multipliers");
  free(want);
}

/* The system at (q, v). In the joint representation the multipliers of a redundant model are the
 * least of the cut joints only, so there only unique reactions can be compared. */
static void check_path(tni_data *s, double t, const double *q, const double *v,
                       const reference *ref, const char *path) {
  const tn_model *m = s->model;
  double *a = zeros((size_t)s->nv), *lambda = zeros((size_t)s->m);
  double *w = zeros(sz(6, m->njoint)), *u = zeros(sz(6, m->njoint));
  CHECK_OK(s->ctx, tni_accel(s, t, q, v, a, lambda, NULL));
  tni_eval_bodies(s, t, q, v, a);
  close_to(s->acc, ref->a, 6*m->nbody, path, "accelerations");
  tni_eval_reactions(s, t, q, v, a, lambda, w);
  bool cartesian = strcmp(tni_representation(s), "cartesian") == 0, unique = true;
  memcpy(u, ref->wrench, sz(6, m->njoint)*sizeof(double));
  for (int i = 0; i < 6*m->njoint; i++)
    if (ref->null[i] > 1e-9) {
      unique = false;
      if (!cartesian) w[i] = u[i] = 0;
    }
  close_to(w, u, 6*m->njoint, path, "reactions");
  if (cartesian || unique) check_multipliers(s, lambda, ref, path);
  free(a), free(lambda), free(w), free(u);
}

/* `there` was made at the state to look at, `here` at the start of the model: what a system keeps
 * from its creation (rank, null multipliers, angles) may not show */
static void check_both(tni_data *there, tni_data *here, double t, const reference *ref,
                       const char *path) {
  char moved[100];
  double *q = zeros((size_t)there->nq), *v = zeros((size_t)there->nv);
  tni_initial(there, q, v);
  check_path(there, t, q, v, ref, path);
  snprintf(moved, sizeof(moved), "%s, moved there", path);
  check_path(here, t, q, v, ref, moved);
  tni_data_destroy(&there);
  tni_data_destroy(&here);
  free(q), free(v);
}

static void check_all_paths(loaded *l, const tni_kin *at, double t, const reference *ref) {
  static const char *const methods[TNI_KKT_NMETHOD] = {
      [TNI_KKT_AUTO] = "auto", [TNI_KKT_DENSE_LU] = "dense", [TNI_KKT_SPARSE_LU] = "sparse",
      [TNI_KKT_REDUCED] = "reduced", [TNI_KKT_HUB] = "hub"};
  static const char *const orders[] = {"auto", "given", "rcm", "gps", "gk", "md"};
  static const char *const solvers[] = {"auto", "composite sparse", "composite dense",
                                        "articulated"};
  char path[64];
  for (int k = 0; k < TNI_KKT_NMETHOD; k++)
    for (int o = 0; o < (k >= TNI_KKT_REDUCED ? TNI_COUNT(orders) : 1); o++) {
      tni_data *there, *here;
      tni_system_opts opts = {.kkt = {.method = (tni_kkt_method)k, .ordering = (tni_ordering)o}};
      snprintf(path, sizeof(path), "cartesian %s %s", methods[k], orders[o]);
      CHECK_OK(l->ctx, tni_cartesian_create(l->ctx, l->model, &opts, &here));
      CHECK_OK(l->ctx, tni_data_create_at(here->system, at, NULL, &there));
      check_both(there, here, t, ref, path);
    }
  for (int k = 0; k < TNI_COUNT(solvers); k++) {
    tni_data *there, *here;
    tni_system_opts opts = {.joint_solver = k};
    snprintf(path, sizeof(path), "joint %s", solvers[k]);
    CHECK_OK(l->ctx, tni_joint_create(l->ctx, l->model, &opts, &here));
    CHECK_OK(l->ctx, tni_data_create_at(here->system, at, NULL, &there));
    check_both(there, here, t, ref, path);
  }
}

/* a random state on the constraints, at most `step` away from the assembled one */
static void random_state(tni_data *s, double t, double step, uint64_t *seed, double *q,
                         double *v) {
  tni_arena arena;
  tni_assembly report;
  double *dx = zeros((size_t)s->nv);
  tni_arena_init(&arena, s->ctx);
  tni_initial(s, q, v);
  CHECK_OK(s->ctx, tni_assemble(s->model, s, 0, q, v, &arena, &report));
  for (int i = 0; i < s->nv; i++) {
    dx[i] = step*check_random(seed);
    v[i] += check_random(seed);
  }
  /* along the constraints first, so that the projection has little to do */
  tni_project_opts o = {.velocity = true, .tol = 1e-13};
  CHECK_OK(s->ctx, tni_project(s, 0, q, dx, &o, NULL));
  double big = largest_of(dx, s->nv);
  for (int i = 0; i < s->nv && big > step; i++) dx[i] *= step/big;
  tni_retract(s, q, dx, q);
  o = (tni_project_opts){.position = true, .velocity = true, .tol = 1e-14, .max_iterations = 60};
  CHECK_OK(s->ctx, tni_project(s, t, q, v, &o, NULL));
  tni_arena_clear(&arena);
  free(dx);
}

static void check_mechanism(loaded *l, double step, int redundant) {
  uint64_t seed = 20240607;
  const tn_model *m = l->model;
  for (int k = 0; k < STATES; k++) {
    double t = 0.05*k;
    tni_data *s;
    CHECK_OK(l->ctx, tni_cartesian_create(l->ctx, m, NULL, &s));
    double *q = zeros((size_t)s->nq), *v = zeros((size_t)s->nv);
    reference ref;
    random_state(s, t, step, &seed, q, v);
    tni_eval_bodies(s, t, q, v, NULL);
    reference_solve(s, t, &ref);
    CHECK_INT(s->m - ref.rank, redundant);
    check_all_paths(l, s->kin, t, &ref);
    reference_free(&ref);
    free(q), free(v);
    tni_data_destroy(&s);
  }
  unload(l);
}

static void check_text_model(const char *text, double step, int redundant) {
  loaded l;
  load_text(&l, text);
  check_mechanism(&l, step, redundant);
}

static void check_file_model(const char *path, const char *set, double step, int redundant) {
  loaded l;
  load_file(&l, path, set);
  check_mechanism(&l, step, redundant);
}

/* ---- mechanisms ---------------------------------------------------------------------------- */

static void planar_loop(void) { check_text_model(planar_four_bar, 0.3, 0); }
static void redundant_loop(void) { check_text_model(spatial_four_bar, 0.3, 3); }
static void loop_made_exact(void) { check_text_model(spatial_four_bar_exact, 0.3, 0); }
static void free_slider_crank(void) { check_text_model(slider_crank, 0.3, 0); }
static void crank_and_rocker_with_balls(void) { check_text_model(rssr, 0.3, 0); }
static void chain_of_all_mobilizers(void) { check_text_model(mixed_chain, 0.4, 0); }
static void ring_that_floats(void) { check_text_model(floating_ring, 0.2, 0); }
static void tree_of_hinges(void) { check_text_model(binary_tree, 0.5, 0); }
static void gears_rack_and_coupler(void) { check_text_model(gear_train, 0.3, 0); }
static void rolling_without_slip(void) { check_text_model(rolling, 0.2, 0); }
static void joints_that_are_only_constraints(void) { check_text_model(constraint_zoo, 0.1, 0); }
static void seven_bodies(void) {
  check_file_model("examples/seven-body/seven_body.yaml", NULL, 0.05, 0);
}
static void two_four_bars(void) {
  check_file_model("examples/four-bar/n_four_bar.yaml", NULL, 0.3, 0);
}
static void driven_slider_crank(void) {
  check_file_model("examples/slider-crank/slider_crank.yaml", NULL, 0.3, 1);
}
static void vehicle_14(void) { check_file_model("examples/vehicle/hmmwv14.yaml", NULL, 0.02, 0); }

int main(void) {
  RUN(planar_loop);
  RUN(redundant_loop);
  RUN(loop_made_exact);
  RUN(free_slider_crank);
  RUN(crank_and_rocker_with_balls);
  RUN(chain_of_all_mobilizers);
  RUN(ring_that_floats);
  RUN(tree_of_hinges);
  RUN(gears_rack_and_coupler);
  RUN(rolling_without_slip);
  RUN(joints_that_are_only_constraints);
  RUN(seven_bodies);
  RUN(two_four_bars);
  RUN(driven_slider_crank);
  RUN(vehicle_14);
  printf("largest relative difference %.1e\n", worst_seen);
  return REPORT();
}
