/* tests/unit/system/joint_dynamics.c - the joint representation against the equations of the bodies
 *
 * Reference: Newton-Euler of all bodies with all joints as constraints, one dense matrix, LAPACK.
 * It shares the constraint blocks and the forces with the code under test and nothing else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/hand_model.h"
#include "support/vehicle14.h"
#include "system/joint.h"

#include <lapacke.h>
#undef I /* complex.h takes the name of the inertia */

static const int solvers[3] = {TNI_JOINT_COMPOSITE_SPARSE, TNI_JOINT_COMPOSITE_DENSE,
                               TNI_JOINT_ARTICULATED};
static const double roundoff = 1e-10;

/* ---- the reference ------------------------------------------------------------------------- */

typedef struct reference {
  int n, m;
  double *a;      /* [6 nbody] accelerations of the bodies */
  double *wrench; /* [6 njoint] of the joints on body 1    */
} reference;

/* wrench of the joint on its body 1 at its frame 1 (on body 0 and reversed when that is ground) */
static void joint_wrench(const tn_model *m, const tni_kin *kin, const tni_con *con,
                         const double *J, const double *lambda, double *wrench) {
  const tni_joint *joint = &m->joint[con->joint];
  int end = joint->body[1] < 0 ? 0 : 1, body = joint->body[end];
  double sign = end ? -1 : 1;
  for (int e = 0; e < con->nbody; e++) {
    if (con->body[e] != body) continue;
    double F[3] = {0}, T[3] = {0}, n[3], rho[3], x[3];
    for (int r = 0; r < con->nrow; r++) {
      vec3_addmul(F, sign*lambda[r], J + 6*con->nbody*r + 6*e);
      vec3_addmul(T, sign*lambda[r], J + 6*con->nbody*r + 6*e + 3);
    }
    mat3_vec(n, kin[body + 1].A, T);
    mat3_vec(rho, kin[body + 1].A, joint->frame[end].p);
    vec3_cross(x, rho, F);
    for (int i = 0; i < 3; i++) {
      wrench[6*con->joint + i] += F[i];
      wrench[6*con->joint + 3 + i] += n[i] - x[i];
    }
  }
}

/* the whole system at s->kin; minimum-norm solution, so that redundant rows are no trouble */
static void reference_solve(tni_data *s, double t, reference *ref) {
  const tn_model *m = s->model;
  int rows = 0;
  for (int i = 0; i < m->ncon; i++) rows += m->con[i].nrow;
  int n = 6*m->nbody, N = n + rows;
  ref->n = n;
  ref->m = rows;
  double *K = calloc((size_t)N*(size_t)N, sizeof(double)), *b = calloc((size_t)N, sizeof(double));
  double *sv = calloc((size_t)N, sizeof(double)), *J = calloc((size_t)(16*n + 1), sizeof(double));
  ref->a = calloc((size_t)n + 1, sizeof(double));
  ref->wrench = calloc((size_t)m->njoint*6 + 1, sizeof(double));
  tni_system_forces(s, t, b);
  for (int i = 0; i < m->nbody; i++)
    for (int j = 0; j < 3; j++) {
      K[(6*i + j)*N + 6*i + j] = m->body[i].mass;
      for (int k = 0; k < 3; k++) K[(6*i + 3 + j)*N + 6*i + 3 + k] = m->body[i].I[3*j + k];
    }
  tni_env env = tni_system_env(s, t);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0, row = n; i < m->ncon; i++) {
      const tni_con *con = &m->con[i];
      double phi[16], phi_t[16];
      tni_con_out out = {.phi = phi, .phi_t = phi_t, .gamma = pass ? phi : b + row, .J = J};
      con->ops->eval(con, &env, TNI_C_JACOBIAN | TNI_C_ACCEL, &out);
      if (pass) joint_wrench(m, s->kin, con, J, b + row, ref->wrench);
      for (int r = 0; r < con->nrow && !pass; r++)
        for (int e = 0; e < con->nbody; e++)
          for (int j = 0; j < 6; j++) {
            int col = 6*con->body[e] + j;
            K[(row + r)*N + col] = K[col*N + row + r] = J[6*con->nbody*r + 6*e + j];
          }
      row += con->nrow;
    }
    if (pass) break;
    int rank;
    CHECK(LAPACKE_dgelss(LAPACK_ROW_MAJOR, N, N, 1, K, N, b, 1, sv, 1e-11, &rank) == 0);
    memcpy(ref->a, b, (size_t)n*sizeof(double));
  }
  free(K), free(b), free(sv), free(J);
}

static void reference_free(reference *ref) { free(ref->a), free(ref->wrench); }

/* ---- comparisons --------------------------------------------------------------------------- */

static double size_of(const double *x, int n) {
  double max = 0;
  for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
  return max;
}

static void check_close(const double *got, const double *want, int n, const char *what) {
  double scale = 1 + size_of(want, n), worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(got[i] - want[i])/scale);
  if (!check_near(worst, 0, roundoff, what, __FILE__, __LINE__)) printf("  scale %g\n", scale);
}

typedef struct state {
  double *q, *v, *a, *lambda, *wrench;
} state;

static state state_create(const tni_data *s) {
  state x;
  x.q = calloc((size_t)s->nq + 1, sizeof(double));
  x.v = calloc((size_t)s->nv + 1, sizeof(double));
  x.a = calloc((size_t)s->nv + 1, sizeof(double));
  x.lambda = calloc((size_t)s->m + 1, sizeof(double));
  x.wrench = calloc((size_t)s->model->njoint*6 + 1, sizeof(double));
  return x;
}
static void state_free(state *x) { free(x->q), free(x->v), free(x->a), free(x->lambda), free(x->wrench); }

/* a state away from the initial one, on the constraints */
static void wander(tni_data *s, double t, uint64_t *seed, double step, state *x) {
  double *dx = calloc((size_t)s->nv + 1, sizeof(double));
  tni_initial(s, x->q, x->v);
  for (int i = 0; i < s->nv; i++) {
    dx[i] = step*check_random(seed);
    x->v[i] = 2*check_random(seed);
  }
  tni_retract(s, x->q, dx, x->q);
  free(dx);
  tni_project_opts o = {.position = true, .velocity = true, .tol = 1e-13, .max_iterations = 50};
  CHECK_OK(s->ctx, tni_project(s, t, x->q, x->v, &o, NULL));
}

/* accelerations and reactions of every solver against the reference, at a wandered state */
static void check_against_bodies(hand_model *h, double step, bool unique) {
  for (int k = 0; k < 3; k++) {
    uint64_t seed = 11;
    tni_data *s;
    tni_system_opts opts = {.joint_solver = solvers[k]};
    CHECK_OK(h->ctx, tni_joint_create(h->ctx, &h->model, &opts, &s));
    state x = state_create(s);
    double zdot[TNI_NZ];
    wander(s, 0.3, &seed, step, &x);
    CHECK_OK(h->ctx, tni_accel(s, 0.3, x.q, x.v, x.a, x.lambda, zdot));
    tni_eval_bodies(s, 0.3, x.q, x.v, x.a);
    reference ref;
    reference_solve(s, 0.3, &ref);
    check_close(s->acc, ref.a, ref.n, "accelerations of the bodies");
    tni_eval_reactions(s, 0.3, x.q, x.v, x.a, x.lambda, x.wrench);
    if (unique) check_close(x.wrench, ref.wrench, 6*h->model.njoint, "reactions");
    tni_residuals res;
    tni_eval_residuals(s, 0.3, x.q, x.v, x.a, &res);
    CHECK_NEAR(res.position, 0, 1e-12);
    CHECK_NEAR(res.velocity, 0, 1e-11);
    CHECK_NEAR(res.acceleration, 0, 1e-9*(1 + size_of(ref.a, ref.n)));
    reference_free(&ref);
    state_free(&x);
    tni_data_destroy(&s);
  }
}

/* ---- mechanisms ---------------------------------------------------------------------------- */

/* kind between body0 and body1 at a random place, either way round */
static void random_joint(hand_model *h, tni_mobilizer kind, int body0, int body1, uint64_t *seed) {
  double point[3], R[9];
  for (int i = 0; i < 3; i++) point[i] = check_random(seed);
  if (h->model.planar) point[2] = 0;
  hand_random_rotation(h, seed, R);
  bool swap = check_random(seed) > 0;
  hand_joint(h, kind, swap ? body1 : body0, swap ? body0 : body1, point, R, 0.3);
}

static const tni_mobilizer kinds[8] = {
    TNI_MOBIL_FIXED,     TNI_MOBIL_REVOLUTE,  TNI_MOBIL_PRISMATIC, TNI_MOBIL_CYLINDER,
    TNI_MOBIL_SCREW,     TNI_MOBIL_UNIVERSAL, TNI_MOBIL_SPHERICAL, TNI_MOBIL_PLANAR};

/* joint kinds in turn along a chain, twice, so that each is met both ways round */
static void chain(hand_model *h, int n, uint64_t seed) {
  hand_start(h);
  for (int b = 0; b < n; b++) {
    hand_random_body(h, &seed);
    random_joint(h, kinds[b % 8], b - 1, b, &seed);
  }
}

static void every_joint_alone_matches_the_bodies(void) {
  for (int k = 0; k < 8; k++) {
    for (uint64_t seed = 1; seed < 5; seed++) {
      uint64_t state_seed = seed*7919;
      hand_model h;
      hand_start(&h);
      hand_random_body(&h, &state_seed);
      hand_random_body(&h, &state_seed);
      random_joint(&h, TNI_MOBIL_REVOLUTE, -1, 0, &state_seed);
      random_joint(&h, kinds[k], 0, 1, &state_seed);
      check_against_bodies(&h, 0.7, true);
      hand_stop(&h);
    }
  }
}

static void chains_match_the_bodies(void) {
  for (uint64_t seed = 1; seed < 4; seed++) {
    hand_model h;
    chain(&h, 16, seed*104729);
    check_against_bodies(&h, 0.5, true);
    hand_stop(&h);
  }
}

static void trees_match_the_bodies(void) {
  hand_model h;
  uint64_t seed = 77;
  hand_start(&h);
  for (int b = 0; b < 15; b++) {
    hand_random_body(&h, &seed);
    random_joint(&h, kinds[1 + b % 7], (b + 1)/2 - 1, b, &seed);
  }
  check_against_bodies(&h, 0.5, true);
  hand_stop(&h);
}

/* no joint to the ground at all: two floating parts */
static void floating_trees_match_the_bodies(void) {
  hand_model h;
  uint64_t seed = 5;
  hand_start(&h);
  for (int b = 0; b < 6; b++) hand_random_body(&h, &seed);
  random_joint(&h, TNI_MOBIL_REVOLUTE, 0, 1, &seed);
  random_joint(&h, TNI_MOBIL_SPHERICAL, 1, 2, &seed);
  random_joint(&h, TNI_MOBIL_UNIVERSAL, 1, 3, &seed);
  random_joint(&h, TNI_MOBIL_PRISMATIC, 4, 5, &seed);
  check_against_bodies(&h, 0.5, true);
  hand_stop(&h);
}

/* crank, coupler, rocker in space: revolute, ball, ball, revolute; the ball joint pair spins freely */
static void rssr_loop_matches_the_bodies(void) {
  hand_model h;
  uint64_t seed = 3;
  hand_start(&h);
  for (int b = 0; b < 3; b++) hand_random_body(&h, &seed);
  random_joint(&h, TNI_MOBIL_REVOLUTE, -1, 0, &seed);
  random_joint(&h, TNI_MOBIL_SPHERICAL, 0, 1, &seed);
  random_joint(&h, TNI_MOBIL_SPHERICAL, 1, 2, &seed);
  random_joint(&h, TNI_MOBIL_REVOLUTE, 2, -1, &seed);
  check_against_bodies(&h, 0.2, true);
  hand_stop(&h);
}

/* ring of nine hinges: three degrees of freedom */
static void spatial_ring_matches_the_bodies(void) {
  hand_model h;
  uint64_t seed = 12;
  hand_start(&h);
  for (int b = 0; b < 8; b++) {
    hand_random_body(&h, &seed);
    random_joint(&h, TNI_MOBIL_REVOLUTE, b - 1, b, &seed);
  }
  random_joint(&h, TNI_MOBIL_REVOLUTE, 7, -1, &seed);
  check_against_bodies(&h, 0.1, true);
  hand_stop(&h);
}

/* several loops that share links, and rods */
static void linked_loops_match_the_bodies(void) {
  hand_model h;
  uint64_t seed = 21;
  hand_start(&h);
  double p0[3], p1[3];
  for (int b = 0; b < 8; b++) {
    hand_random_body(&h, &seed);
    random_joint(&h, b % 2 ? TNI_MOBIL_UNIVERSAL : TNI_MOBIL_SPHERICAL, b - 1, b, &seed);
  }
  random_joint(&h, TNI_MOBIL_SPHERICAL, 7, -1, &seed);
  random_joint(&h, TNI_MOBIL_SPHERICAL, 5, 1, &seed);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) p0[i] = check_random(&seed), p1[i] = check_random(&seed);
    hand_distance(&h, 2*k, k ? 6 : -1, p0, p1);
  }
  check_against_bodies(&h, 0.1, true);
  hand_stop(&h);
}

/* the plane four-bar in space: three of the five rows of its cut hinge are redundant */
static void redundant_four_bar_matches_the_bodies(void) {
  hand_model h;
  hand_start(&h);
  double I[9] = {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.3}, p[4] = {1, 0, 0, 0};
  double points[4][3] = {{0, 0, 0}, {0.3, 1, 0}, {2, 1.6, 0}, {2.2, 0, 0}};
  for (int b = 0; b < 3; b++) {
    double r[3];
    for (int i = 0; i < 3; i++) r[i] = 0.5*(points[b][i] + points[b + 1][i]);
    hand_body(&h, 1 + b, I, r, p);
    hand_joint(&h, TNI_MOBIL_REVOLUTE, b - 1, b, points[b], NULL, 0);
  }
  hand_joint(&h, TNI_MOBIL_REVOLUTE, 2, -1, points[3], NULL, 0);
  h.model.gravity[1] = -9.81;
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, NULL, &s));
  CHECK_INT(s->nv, 3);
  CHECK_INT(s->m, 5);
  CHECK_INT(s->rank->rank, 2);
  CHECK_INT(s->rank->nnull, 3);
  tni_data_destroy(&s);
  check_against_bodies(&h, 0.1, false);
  hand_stop(&h);
}

/* the same model declared planar: empty rows go, nothing is redundant */
static void planar_four_bar_matches_the_bodies(void) {
  hand_model h;
  hand_start(&h);
  hand_planar(&h);
  double I[9] = {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.3}, p[4] = {1, 0, 0, 0};
  double points[4][3] = {{0, 0, 0}, {0.3, 1, 0}, {2, 1.6, 0}, {2.2, 0, 0}};
  for (int b = 0; b < 3; b++) {
    double r[3];
    for (int i = 0; i < 3; i++) r[i] = 0.5*(points[b][i] + points[b + 1][i]);
    hand_body(&h, 1 + b, I, r, p);
    hand_joint(&h, b == 1 ? TNI_MOBIL_SPHERICAL : TNI_MOBIL_REVOLUTE, b - 1, b, points[b], NULL, 0);
  }
  hand_joint(&h, TNI_MOBIL_REVOLUTE, 2, -1, points[3], NULL, 0);
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, NULL, &s));
  CHECK_INT(s->nv, 3);
  CHECK_INT(s->m, 2);
  CHECK_INT(s->rank->nnull, 0);
  tni_data_destroy(&s);
  check_against_bodies(&h, 0.1, true);
  hand_stop(&h);
}

/* 27 coordinates and 16 cut equations, both solvers of the spec and the articulated one */
static void vehicle_matches_the_bodies(void) {
  hand_model h;
  vehicle14(&h);
  check_against_bodies(&h, 0.02, true);
  hand_stop(&h);
}

/* Operation counts of spec 8.4 and Table 7: 165 off-diagonals, 660 products with symmetric
 * accumulation, T with 174 entries; elimination touches nothing outside the pattern. */
static void vehicle_factor_has_no_fill(void) {
  hand_model h;
  uint64_t seed = 5;
  vehicle14(&h);
  tni_data *s;
  tni_system_opts opts = {.joint_solver = TNI_JOINT_COMPOSITE_SPARSE};
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &opts, &s));
  const tni_jsys *j = (const tni_jsys *)s;
  CHECK_INT(s->nv, 27);
  CHECK_INT(s->m, 16);
  CHECK_INT(s->rank->rank, 16);
  long off = 0, products = 0, half = 0;
  for (int v = 0; v < s->nv; v++) {
    off += j->rowlen[v] - 1;
    products += (long)(j->rowlen[v] - 1)*j->rowlen[v]/2;
  }
  for (int i = 0; i < j->ncut; i++) half += (long)j->cut[i].nrow*j->cut[i].ndof;
  CHECK_INT(off, 165);
  CHECK_INT(products, 660);
  CHECK_INT(half, 174);
  CHECK_INT(j->rowadr[s->nv], 165 + 27);

  /* Cholesky of the reversed dense matrix has zeros exactly where the rows store nothing */
  state x = state_create(s);
  wander(s, 0, &seed, 0.02, &x);
  int nv = s->nv;
  double *M = calloc((size_t)(nv*nv), sizeof(double)), *R = calloc((size_t)(nv*nv), sizeof(double));
  tni_joint_kin((tni_jsys *)s, x.q, x.v);
  tni_joint_mass((tni_jsys *)s, M);
  for (int c = 0; c < nv; c++)
    for (int r = c; r < nv; r++) R[(nv - 1 - r)*nv + nv - 1 - c] = M[c*nv + r]; /* lower by columns */
  CHECK(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', nv, R, nv) == 0);
  tni_joint_crb_factor((tni_jsys *)s);
  for (int r = 0; r < nv; r++) {
    const double *row = j->L + j->rowadr[r];
    int up = r;
    for (int c = r; c >= 0; c--) {
      double want = R[(nv - 1 - r)*nv + nv - 1 - c], got = 0;
      if (c == up) {
        got = *row++;
        up = j->up[up];
      }
      /* rounding is that of the whole row, whose length is the root of its diagonal */
      CHECK_WITHIN(got, want, 1e-13*sqrt(M[r*nv + r]));
    }
  }
  free(M), free(R);
  state_free(&x);
  tni_data_destroy(&s);
  hand_stop(&h);
}

/* ---- properties of the passes -------------------------------------------------------------- */

/* half v^T M v is the kinetic energy of the bodies (Corollary 2 of the spec) */
static void mass_matrix_gives_the_kinetic_energy(void) {
  hand_model h;
  uint64_t seed = 9;
  chain(&h, 16, 31337);
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &(tni_system_opts){.joint_solver = 1}, &s));
  tni_jsys *j = (tni_jsys *)s;
  state x = state_create(s);
  double *M = calloc((size_t)(s->nv*s->nv), sizeof(double));
  wander(s, 0, &seed, 1, &x);
  tni_joint_kin(j, x.q, x.v);
  tni_joint_mass(j, M);
  double T = 0;
  for (int c = 0; c < s->nv; c++)
    for (int r = c; r < s->nv; r++) T += (r == c ? 0.5 : 1)*M[c*s->nv + r]*x.v[r]*x.v[c];
  CHECK_NEAR(T, tni_system_kinetic(s), 1e-13);
  free(M);
  state_free(&x);
  tni_data_destroy(&s);
  hand_stop(&h);
}

/* column k of the mass matrix is the inverse dynamics of v' = e_k at rest without forces */
static void mass_matrix_matches_inverse_dynamics(void) {
  hand_model h;
  uint64_t seed = 4;
  chain(&h, 9, 4242);
  vec3_set(h.model.gravity, 0, 0, 0);
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, &(tni_system_opts){.joint_solver = 1}, &s));
  tni_jsys *j = (tni_jsys *)s;
  state x = state_create(s);
  int nv = s->nv;
  double *M = calloc((size_t)(nv*nv), sizeof(double));
  wander(s, 0, &seed, 1, &x);
  tni_joint_kin(j, x.q, NULL);
  tni_joint_mass(j, M);
  for (int k = 0; k < nv; k++) {
    memset(x.a, 0, (size_t)nv*sizeof(double));
    x.a[k] = 1;
    tni_joint_acc(j, x.a);
    /* power of the inertia forces of the bodies in the velocity e_i */
    for (int i = 0; i < nv; i++) {
      double *e = calloc((size_t)nv, sizeof(double)), power = 0;
      e[i] = 1;
      tni_joint_kin(j, x.q, e);
      for (int b = 0; b < h.model.nbody; b++) {
        double L[3];
        mat3_vec(L, h.model.body[b].I, s->acc + 6*b + 3);
        power += h.model.body[b].mass*vec3_dot(s->acc + 6*b, s->kin[b + 1].v) +
                 vec3_dot(L, s->kin[b + 1].w);
      }
      CHECK_WITHIN(power, i >= k ? M[k*nv + i] : M[i*nv + k], 1e-13);
      free(e);
      tni_joint_kin(j, x.q, NULL);
    }
  }
  free(M);
  state_free(&x);
  tni_data_destroy(&s);
  hand_stop(&h);
}

/* inverse dynamics of the accelerations found asks for no generalized force */
static void forward_and_inverse_dynamics_agree(void) {
  hand_model h;
  uint64_t seed = 8;
  chain(&h, 24, 99);
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, NULL, &s));
  state x = state_create(s);
  wander(s, 0, &seed, 1, &x);
  CHECK_OK(h.ctx, tni_accel(s, 0, x.q, x.v, x.a, NULL, NULL));
  tni_eval_bodies(s, 0, x.q, x.v, x.a);
  tni_eval_reactions(s, 0, x.q, x.v, x.a, x.lambda, x.wrench);
  const tni_jsys *j = (const tni_jsys *)s;
  double scale = size_of(x.wrench, 6*h.model.njoint);
  for (int k = 0; k < j->nlink; k++) {
    const tni_link *t = &j->tree.link[k];
    double w[6];
    memcpy(w, x.wrench + 6*t->joint, sizeof(w));
    if (t->reversed) {
      /* given on the inboard body at its frame; what counts is the body at its P */
      double e[3], y[3], c[3];
      const tni_kin *k0 = &s->kin[j->link[k].kin0], *k1 = &s->kin[t->body + 1];
      mat3_vec(e, k0->A, t->frame[0].p);
      mat3_vec(c, k1->A, t->frame[1].p);
      for (int i = 0; i < 3; i++) y[i] = (k1->r[i] + c[i]) - (k0->r[i] + e[i]);
      double cross[3];
      vec3_cross(cross, y, w);
      for (int i = 0; i < 3; i++) w[i] = -w[i], w[i + 3] = -w[i + 3] + cross[i];
    }
    for (int i = 0; i < j->link[k].nv; i++) {
      const double *S = j->S + 6*(j->link[k].vadr + i);
      CHECK_NEAR((vec3_dot(S, w) + vec3_dot(S + 3, w + 3))/scale, 0, 1e-12);
    }
  }
  state_free(&x);
  tni_data_destroy(&s);
  hand_stop(&h);
}

/* velocities and accelerations of the bodies are the derivatives of their poses along a motion */
static void kinematics_match_finite_differences(void) {
  hand_model h;
  uint64_t seed = 6;
  chain(&h, 16, 555);
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, NULL, &s));
  state x = state_create(s);
  wander(s, 0, &seed, 1, &x);
  int nb = h.model.nbody, nv = s->nv;
  for (int i = 0; i < nv; i++) x.a[i] = check_random(&seed);
  tni_eval_bodies(s, 0, x.q, x.v, x.a);
  tni_kin *k0 = calloc((size_t)nb + 1, sizeof(tni_kin));
  double *acc = calloc((size_t)nb*6, sizeof(double)), *dx = calloc((size_t)nv, sizeof(double));
  double *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc((size_t)nv, sizeof(double));
  memcpy(k0, s->kin, ((size_t)nb + 1)*sizeof(tni_kin));
  memcpy(acc, s->acc, (size_t)nb*6*sizeof(double));
  const double step = 1e-5; /* error of central differences: 1e-10 of third derivatives, 1e-11 rounding */
  double diff[2][256][9];
  for (int side = 0; side < 2; side++) {
    double e = side ? step : -step;
    for (int i = 0; i < nv; i++) {
      dx[i] = e*(x.v[i] + 0.5*e*x.a[i]);
      v[i] = x.v[i] + e*x.a[i];
    }
    tni_retract(s, x.q, dx, q);
    tni_eval_bodies(s, 0, q, v, NULL);
    for (int b = 0; b < nb; b++) {
      memcpy(diff[side][b], s->kin[b + 1].r, 3*sizeof(double));
      memcpy(diff[side][b] + 3, s->kin[b + 1].v, 3*sizeof(double));
      memcpy(diff[side][b] + 6, s->kin[b + 1].W, 3*sizeof(double));
    }
  }
  for (int b = 0; b < nb; b++) {
    double alpha[3];
    mat3_vec(alpha, k0[b + 1].A, acc + 6*b + 3);
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR((diff[1][b][i] - diff[0][b][i])/(2*step), k0[b + 1].v[i], 1e-7);
      CHECK_NEAR((diff[1][b][3 + i] - diff[0][b][3 + i])/(2*step), acc[6*b + i], 1e-7);
      CHECK_NEAR((diff[1][b][6 + i] - diff[0][b][6 + i])/(2*step), alpha[i], 1e-7);
    }
  }
  free(k0), free(acc), free(dx), free(q), free(v);
  state_free(&x);
  tni_data_destroy(&s);
  hand_stop(&h);
}

/* retract and difference undo each other; qdot is the derivative of retract */
static void coordinates_move_consistently(void) {
  hand_model h;
  uint64_t seed = 2;
  chain(&h, 8, 17);
  hand_random_body(&h, &seed);
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, NULL, &s));
  state x = state_create(s);
  wander(s, 0, &seed, 1, &x);
  double *dx = calloc((size_t)s->nv, sizeof(double)), *back = calloc((size_t)s->nv, sizeof(double));
  double *q = calloc((size_t)s->nq, sizeof(double)), *qd = calloc((size_t)s->nq, sizeof(double));
  for (int i = 0; i < s->nv; i++) dx[i] = 0.6*check_random(&seed);
  tni_retract(s, x.q, dx, q);
  tni_difference(s, x.q, q, back);
  for (int i = 0; i < s->nv; i++) CHECK_NEAR(back[i], dx[i], 1e-14);
  const double step = 1e-6;
  for (int i = 0; i < s->nv; i++) dx[i] = step*x.v[i];
  tni_retract(s, x.q, dx, q);
  for (int i = 0; i < s->nv; i++) dx[i] = -step*x.v[i];
  tni_retract(s, x.q, dx, qd);
  double *rate = calloc((size_t)s->nq, sizeof(double));
  tni_qdot(s, x.q, x.v, rate);
  for (int i = 0; i < s->nq; i++) CHECK_WITHIN((q[i] - qd[i])/(2*step), rate[i], 1e-9);
  free(dx), free(back), free(q), free(qd), free(rate);
  state_free(&x);
  tni_data_destroy(&s);
  hand_stop(&h);
}

/* initial coordinates and velocities give back poses and velocities that the joints allow */
static void initial_state_is_recovered(void) {
  hand_model h;
  uint64_t seed = 15;
  chain(&h, 16, 808);
  tni_data *s;
  CHECK_OK(h.ctx, tni_joint_create(h.ctx, &h.model, NULL, &s));
  state x = state_create(s);
  wander(s, 0, &seed, 1.5, &x);
  tni_eval_bodies(s, 0, x.q, x.v, NULL);
  for (int b = 0; b < h.model.nbody; b++) {
    const tni_kin *k = &s->kin[b + 1];
    tni_body *body = &h.model.body[b];
    vec3_copy(body->r0, k->r);
    quat_from_matrix(body->p0, k->A);
    vec3_copy(body->v0, k->v);
    vec3_copy(body->w0, k->w);
  }
  double *q = calloc((size_t)s->nq, sizeof(double)), *v = calloc((size_t)s->nv, sizeof(double));
  double *dx = calloc((size_t)s->nv, sizeof(double));
  tni_initial(s, q, v);
  tni_difference(s, x.q, q, dx);
  for (int i = 0; i < s->nv; i++) {
    CHECK_NEAR(dx[i], 0, 1e-12);
    CHECK_NEAR(v[i], x.v[i], 1e-12);
  }
  free(q), free(v), free(dx);
  state_free(&x);
  tni_data_destroy(&s);
  hand_stop(&h);
}

int main(void) {
  RUN(kinematics_match_finite_differences);
  RUN(coordinates_move_consistently);
  RUN(initial_state_is_recovered);
  RUN(mass_matrix_gives_the_kinetic_energy);
  RUN(mass_matrix_matches_inverse_dynamics);
  RUN(every_joint_alone_matches_the_bodies);
  RUN(chains_match_the_bodies);
  RUN(trees_match_the_bodies);
  RUN(floating_trees_match_the_bodies);
  RUN(forward_and_inverse_dynamics_agree);
  RUN(rssr_loop_matches_the_bodies);
  RUN(spatial_ring_matches_the_bodies);
  RUN(linked_loops_match_the_bodies);
  RUN(redundant_four_bar_matches_the_bodies);
  RUN(vehicle_matches_the_bodies);
  RUN(vehicle_factor_has_no_fill);
  RUN(planar_four_bar_matches_the_bodies);
  return REPORT();
}
