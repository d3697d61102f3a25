/* verification of reduced bodies (Craig-Bampton): forces and matrices, rigid motions, frequencies, against whole meshes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <unistd.h>

#include "analyses/modes.h"
#include "analyses/statics.h"
#include "mesh/mesh.h"
#include "model/part.h"
#include "solids/reduce.h"
#include "support/loaded.h"
#include "system/parts.h"

static unsigned seed;
static double draw(void) { /* in -1 .. 1 */
  seed = seed*1664525u + 1013904223u;
  return (double)(seed >> 8)/8388608.0 - 1;
}

static double *numbers(size_t n) { return calloc(n, sizeof(double)); }

static tn_status store_nothing(void *user) {
  (void)user;
  return TN_OK;
}

static const char *const BODIES[] = {
    /* three interfaces, one of them a body that was there before, turned */
    "gravity: [0.3, -0.2, -9.81]\n"
    "meshes: {m: {hole: {size: [2, 1, 0.5], radius: 0.2, cells: [2, 2, 2], cell: hex8}}}\n"
    "materials: {a: {type: elastic, E: 1e5, nu: 0.3, density: 2, rayleigh: [0.1, 0.002]}}\n"
    "bodies: {cart: {mass: 3, inertia: [1, 2, 3], at: [1.5, 0.4, 0.3], com: [0.1, 0.2, -0.1], orientation: {axis: [1, 2, 3], angle: 0.7}}}\n"
    "structures: {m: {mesh: m, material: a, reduce: {craig_bampton: {modes: 5, damping: 0.02}}, hold: {hub: x0, cart: x1, third: hole}}}\n"
    "loads:\n  - {group: z1, pressure: 10 + 5*t}\n  - {group: y0, traction: [\"3*t\", 1, 2]}\n"
    "  - {structure: m, body_force: [1, \"t\", 0]}\n",
    /* one held by the ground */
    "gravity: [0.3, -0.2, -9.81]\n"
    "meshes: {m: {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2], cell: hex8}}}\n"
    "materials: {a: {type: elastic, E: 1e5, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, reduce: {craig_bampton: {up_to: 80}}, hold: {ground: x0, tip: x1}}}\n",
    /* a blade on one hub */
    "gravity: [0, 0, -9.81]\n"
    "meshes: {m: {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2], cell: hex8}}}\n"
    "materials: {a: {type: elastic, E: 1e5, nu: 0.3, density: 2}}\n"
    "structures: {m: {mesh: m, material: a, reduce: {craig_bampton: {modes: 4}}, hold: {hub: x0}}}\n",
    /* plane */
    "planar: true\ngravity: [0.5, -9.81]\n"
    "meshes: {m: {plate: {size: [2, 0.4], cells: [8, 2], cell: quad4, distort: 0.1}}}\n"
    "materials: {a: {type: elastic, E: 1e5, nu: 0.3, density: 2, rayleigh: [0.3, 0.01]}}\n"
    "structures: {m: {mesh: m, material: a, plane: strain, reduce: {craig_bampton: {modes: 3}}, hold: {left: x0, right: x1}}}\n"
    "loads: [{group: y1, pressure: 10 + 5*t}, {group: y0, force: [\"3*t\", 1, 0]}]\n",
    /* shell */
    "gravity: [0.5, 1, -9.81]\n"
    "meshes: {m: {plate: {size: [2, 0.4], cells: [6, 2], cell: quad4}}}\n"
    "materials: {a: {type: elastic, E: 1e5, nu: 0.3, density: 200}}\n"
    "structures: {m: {mesh: m, material: a, thickness: 0.05, reduce: {craig_bampton: {modes: 3}}, hold: {left: y0, right: y1}}}\n",
};

/* a state some way off, moving */
static void disturb(tni_data *s, double far, double *q, double *v, double *a) {
  double *q0 = numbers((size_t)s->nq), *dx = numbers((size_t)s->nv);
  tni_initial(s, q0, v);
  for (int i = 0; i < s->nv; i++) {
    dx[i] = far*(i < s->parts->v0 ? 1 : 0.1)*draw();
    v[i] = draw();
    a[i] = draw();
  }
  tni_retract(s, q0, dx, q);
  free(q0), free(dx);
}

/* ---- derivatives ---------------------------------------------------------------------------------- */

/* K, D, r_t and M as matrices against central differences of the balance, accelerations and all */
static void tangents_are_those_of_the_balance(void) {
  for (int k = 0; k < TNI_COUNT(BODIES); k++) {
    loaded l;
    tni_data *s;
    load_text(&l, BODIES[k]);
    CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
    CHECK_OK(l.ctx, tni_prepare_pattern(s));
    size_t nv = (size_t)s->nv, nnz = (size_t)s->square->nnz;
    double *q = numbers((size_t)s->nq), *q1 = numbers((size_t)s->nq), *v = numbers(nv), *v1 = numbers(nv), *a = numbers(nv),
           *a1 = numbers(nv), *x = numbers(nv), *dx = numbers(nv), *y = numbers(nv), *r0 = numbers(nv), *r1 = numbers(nv),
           *r_t = numbers(nv), *K = numbers(nnz), *D = numbers(nnz), *M = numbers(nnz), *dense = numbers(nv*nv),
           *dense_q = numbers(nv*nv), *dense_v = numbers(nv*nv), *extra = numbers(nv*nv), *Z = numbers(nv*nv);
    for (int n = 0; n < 6; n++) {
      seed = 100u*(unsigned)k + (unsigned)n;
      disturb(s, 0.3, q, v, a);
      tni_sparse_tangent out = {.M = M, .r_q = K, .r_v = D, .r_t = r_t};
      CHECK_OK(l.ctx, tni_eval_sparse_tangent(s, 0.3, q, v, a, NULL, &out));
      for (int pass = 0; pass < 4; pass++) {
        double size = 0, off = 0, h = pass == 0 ? 1e-6 : 0.1; /* at most squares of v, lines of a */
        for (size_t i = 0; i < nv; i++) x[i] = draw();
        memset(y, 0, nv*sizeof(double));
        if (pass < 3) tni_sparse_add(s->square, 1, pass == 0 ? K : pass == 1 ? D : M, x, y);
        else memcpy(y, r_t, nv*sizeof(double));
        for (int side = -1; side <= 1; side += 2) {
          for (size_t i = 0; i < nv; i++) {
            dx[i] = pass == 0 ? side*h*x[i] : 0;
            v1[i] = v[i] + (pass == 1 ? side*h*x[i] : 0);
            a1[i] = a[i] + (pass == 2 ? side*h*x[i] : 0);
          }
          tni_retract(s, q, dx, q1);
          tni_eval_balance(s, 0.3 + (pass == 3 ? side*h : 0), q1, v1, a1, NULL, side < 0 ? r0 : r1, NULL, NULL, NULL);
        }
        for (size_t i = 0; i < nv; i++) {
          size = fmax(size, fabs(y[i]));
          off = fmax(off, fabs(y[i] - (r1[i] - r0[i])/(2*h)));
        }
        if (!CHECK(off <= (pass ? 1e-9 : 3e-7)*size + (pass == 3 ? 1e-9 : 0))) printf("  body %d, state %d, pass %d: %.2e of %.2e\n", k, n, pass, off, size);
      }
      /* the dense ones are the same */
      tni_tangent whole = {.M = dense, .f_q = dense_q, .f_v = dense_v, .Mv_q = extra};
      CHECK_OK(l.ctx, tni_eval_tangent(s, 0.3, q, v, a, NULL, &whole));
      double most = 0, off = 0;
      memset(Z, 0, nv*nv*sizeof(double));
      for (size_t i = 0; i < nv; i++)
        for (int e = s->square->rowptr[i]; e < s->square->rowptr[i+1]; e++) Z[i*nv + (size_t)s->square->col[e]] = K[e];
      for (size_t i = 0; i < nv*nv; i++) most = fmax(most, fabs(Z[i])), off = fmax(off, fabs(Z[i] - extra[i] + dense_q[i]));
      CHECK(off <= 1e-13*most);
      /* 1/2 v M v is the kinetic energy */
      double T = 0;
      for (size_t i = 0; i < nv; i++)
        for (int e = s->square->rowptr[i]; e < s->square->rowptr[i+1]; e++) T += 0.5*v[i]*M[e]*v[s->square->col[e]];
      tni_eval_balance(s, 0.3, q, v, a, NULL, r0, NULL, NULL, NULL);
      CHECK_NEAR(tni_system_kinetic(s), T, 1e-12);
    }
    free(q), free(q1), free(v), free(v1), free(a), free(a1), free(x), free(dx), free(y), free(r0), free(r1), free(r_t);
    free(K), free(D), free(M), free(dense), free(dense_q), free(dense_v), free(extra), free(Z);
    tni_data_destroy(&s);
    unload(&l);
  }
}

/* accelerations of the block solvers with coupled mass leave no residual, with joints and without; power of all forces and of
 * the mass that turns is what energies change by */
static void accelerations_balance_and_energy_is_kept(void) {
  for (int k = 0; k < 2*TNI_COUNT(BODIES); k++) {
    char text[4096];
    loaded l;
    tni_data *s;
    static const char *const hinge[] = {"cart", "tip", "hub", "left", "right"};
    snprintf(text, sizeof(text), "%s%s", BODIES[k/2], k % 2 ? "joints: {h: {type: revolute, bodies: [ground, " : "");
    if (k % 2) snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s], at: [0.3, 0.1, 0], axis: z}}\n", hinge[k/2]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
    size_t nv = (size_t)s->nv;
    double *q = numbers((size_t)s->nq), *q1 = numbers((size_t)s->nq), *v = numbers(nv), *v1 = numbers(nv), *a = numbers(nv), *dx = numbers(nv),
           *r = numbers(nv), *lambda = numbers((size_t)s->m + 1), z[TNI_NZ], E[2], T[2];
    for (int n = 0; n < 4; n++) {
      seed = 7u + (unsigned)(10*k + n);
      disturb(s, 0.2, q, v, a);
      tni_project_opts po = {.position = true, .velocity = true, .tol = 1e-13};
      if (s->m > 0) {
        CHECK_OK(l.ctx, tni_update_rank(s, 0.3, q));
        CHECK_OK(l.ctx, tni_project(s, 0.3, q, v, &po, NULL));
      }
      CHECK_OK(l.ctx, tni_accel(s, 0.3, q, v, a, lambda, z));
      tni_eval_balance(s, 0.3, q, v, a, s->m ? lambda : NULL, r, NULL, NULL, NULL);
      double most = 0, off = 0, h = 1e-6;
      for (size_t i = 0; i < nv; i++) off = fmax(off, fabs(r[i]));
      tni_eval_balance(s, 0.3, q, v, NULL, NULL, r, NULL, NULL, NULL);
      for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(r[i]));
      CHECK(off <= 1e-9*most);
      for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < nv; i++) {
          dx[i] = (side ? h : -h)*v[i] + 0.5*h*h*a[i];
          v1[i] = v[i] + (side ? h : -h)*a[i];
        }
        tni_retract(s, q, dx, q1);
        tni_eval_balance(s, 0.3 + (side ? h : -h), q1, v1, NULL, NULL, r, NULL, NULL, NULL);
        T[side] = tni_system_kinetic(s);
        E[side] = T[side] + s->potential;
      }
      double power = z[TNI_Z_INPUT] - z[TNI_Z_DISSIPATED], change = (E[1] - E[0])/(2*h);
      if (!CHECK_WITHIN(change, power, 2e-6*(fabs(power) + fabs(T[1] - T[0])/h + 1))) printf("  model %d state %d\n", k, n);
    }
    free(q), free(q1), free(v), free(v1), free(a), free(dx), free(r), free(lambda);
    tni_data_destroy(&s);
    unload(&l);
  }
}

/* ---- rigid motions ------------------------------------------------------------------------------- */

/* the whole moved far and turned: no force, no potential; its kinetic energy is that of the nodes of the mesh */
static void rigid_motions_are_free(void) {
  for (int k = 0; k < 4; k++) {
    if (k == 1) continue; /* held by the ground */
    char text[4096];
    loaded l;
    tni_data *s;
    snprintf(text, sizeof(text), "%s", BODIES[k]);
    char *loads = strstr(text, "loads:");
    if (loads) *loads = 0;
    memcpy(strstr(text, "gravity:"), "#", 1);
    load_text(&l, text);
    CHECK_OK(l.ctx, tni_cartesian_create(l.ctx, l.model, NULL, &s));
    size_t nv = (size_t)s->nv;
    double *q = numbers((size_t)s->nq), *v = numbers(nv), *r = numbers(nv);
    for (int n = 0; n < 5; n++) {
      seed = 3u + (unsigned)(n + 100*k);
      double e[3] = {draw(), draw(), 2*draw()}, p[4], R[9], c[3] = {5*draw(), 5*draw(), 5*draw()}, u[3] = {draw(), draw(), draw()},
             W[3] = {draw(), draw(), draw()};
      if (k == 3) e[0] = e[1] = W[0] = W[1] = u[2] = c[2] = 0;
      quat_from_vector(p, e);
      quat_matrix(R, p);
      for (int b = 0; b < s->nbody; b++) {
        const tni_body *o = &l.model->body[b];
        double x[3], pb[4], v6[6], A[9], g[3];
        mat3_vec(x, R, o->r0);
        vec3_add(x, x, c);
        quat_mul(pb, p, o->p0);
        tni_layout_set_pose(s->layout, b, x, pb, q);
        quat_matrix(A, pb);
        vec3_cross(g, W, x);
        vec3_add(v6, u, g);
        mat3_tvec(v6 + 3, A, W);
        tni_layout_pick(s->layout, b, v6, v);
      }
      const tni_reduced *red = l.model->part[0].data;
      double size = 0, most = 0;
      for (int i = 0; i < 6*red->nb; i++) size = fmax(size, fabs(red->K[i*(6*red->nb + 1)]));
      tni_eval_balance(s, 0, q, r /* zero */, NULL, NULL, r, NULL, NULL, NULL);
      for (size_t i = 0; i < nv; i++) most = fmax(most, fabs(r[i]));
      CHECK(most <= 1e-12*size);
      CHECK(fabs(s->potential) <= 1e-20*size);
      tni_eval_balance(s, 0, q, v, NULL, NULL, r, NULL, NULL, NULL);
      /* nodes that no body carries, and bodies */
      const tni_structure *st = red->s;
      double T = 0;
      for (int i = 0; i < st->nnode; i++) {
        double x[3], g[3];
        if (st->carrier[i] >= 0) continue;
        mat3_vec(x, R, st->mesh->x + 3*i);
        vec3_add(x, x, c);
        vec3_cross(g, W, x);
        vec3_add(g, g, u);
        T += 0.5*st->mass[i]*vec3_dot(g, g);
      }
      for (int b = 0; b < s->nbody; b++) {
        const tni_kin *kin = &s->kin[b + 1];
        double h[3];
        mat3_vec(h, l.model->body[b].I, kin->w);
        T += 0.5*(l.model->body[b].mass*vec3_dot(kin->v, kin->v) + vec3_dot(h, kin->w));
      }
      CHECK_NEAR(tni_system_kinetic(s), T, 1e-11);
      memset(r, 0, nv*sizeof(double));
    }
    free(q), free(v), free(r);
    tni_data_destroy(&s);
    unload(&l);
  }
}

/* A body so stiff that it is rigid flies and tumbles as a rigid body with the mass and inertia of its nodes does: 3 turns */
static void stiff_reduced_body_tumbles_as_a_rigid_one(void) {
  static const char *const mesh =
      "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [0.4, 0.2, 0.1], cells: [4, 2, 2]}}}\n"
      "materials: {a: {type: elastic, E: 1e9, nu: 0.3, density: 1000, rayleigh: [0, 1e-4]}}\n"
      "structures: {m: {mesh: m, material: a, velocity: [0.2, 0.1, 0.3], angular_velocity: [0.3, 2, 5], "
      "reduce: {craig_bampton: {modes: 4}}, hold: {left: x0, right: x1}}}\n"
      "analysis: {until: 4, method: radau, tolerance: 1e-7}\n";
  loaded l;
  tn_sim *sim = NULL;
  load_text(&l, mesh);
  const tni_structure *st = ((const tni_reduced *)l.model->part[0].data)->s;
  double m = 0, c[3] = {0}, J[9] = {0};
  for (int i = 0; i < st->nnode; i++) m += st->mass[i], vec3_addmul(c, st->mass[i], st->mesh->x + 3*i);
  vec3_scale(c, 1/m, c);
  for (int i = 0; i < st->nnode; i++) {
    double d[3];
    vec3_sub(d, st->mesh->x + 3*i, c);
    for (int r = 0; r < 3; r++)
      for (int k = 0; k < 3; k++) J[3*r + k] += st->mass[i]*((r == k)*vec3_dot(d, d) - d[r]*d[k]);
  }
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 4));
  double left[3], right[3], x[3];
  sim_point(sim, "left", 0, 0, 0, left);
  sim_point(sim, "right", 0, 0, 0, right);
  tn_sim_destroy(&sim);
  unload(&l);
  char text[2048];
  snprintf(text, sizeof(text),
           "gravity: [0, 0, 0]\nbodies: {b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], at: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g], angular_velocity: [0.3, 2, 5]}}\n"
           "analysis: {until: 4, method: rk8, tolerance: 1e-11}\n", m, J[0], J[4], J[8], c[0], c[1], c[2],
           0.2 + 2*c[2] - 5*c[1], 0.1 + 5*c[0] - 0.3*c[2], 0.3 + 0.3*c[1] - 2*c[0]);
  load_text(&l, text);
  CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
  CHECK_OK(l.ctx, tn_sim_advance(sim, 4));
  sim_point(sim, "b", -c[0], 0.1 - c[1], 0.05 - c[2], x);
  for (int i = 0; i < 3; i++) CHECK_WITHIN(left[i], x[i], 2e-5);
  sim_point(sim, "b", 0.4 - c[0], 0.1 - c[1], 0.05 - c[2], x);
  for (int i = 0; i < 3; i++) CHECK_WITHIN(right[i], x[i], 2e-5);
  tn_sim_destroy(&sim);
  unload(&l);
}

/* ---- against the whole mesh ------------------------------------------------------------------------ */

static double *field(tn_sim *sim, const char *name) {
  const tni_part *p = &sim->model->part[0];
  int i = 0;
  while (strcmp(p->field[i].name, name) != 0) i++;
  double *x = numbers((size_t)p->field[i].ncomponent*(size_t)p->mesh->nnode);
  tni_part_at at = tni_parts_at(sim->s, 0);
  p->ops->fill(p, sim->s->parts->work[0], &at, i, x);
  return x;
}

/* Loads at interfaces: static shapes are all there is to the answer, and a mesh of small displacements gives the same numbers,
 * stresses and reactions of all its nodes included. Turned as a whole by 0.8 rad nothing changes but the axes. */
static void loads_at_interfaces_give_the_stresses_of_the_mesh(void) {
  static const char *const kind[2] = {"", "reduce: {craig_bampton: {modes: 1}}, "};
  double *u[2], *vm[2], *R[2], *sig[2];
  int nnode = 0;
  for (int k = 0; k < 2; k++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [1, 0.2, 0.1], cells: [8, 2, 2], distort: 0.1}}}\n"
             "materials: {a: {type: elastic, E: 1e11, nu: 0.3, density: 1000}}\n"
             "structures: {m: {mesh: m, material: a, %shold: {ground: x0, tip: x1}}}\n"
             "forces: [{type: force, body: tip, force: [0.1, 0.2, 0.3]}, {type: torque, body: tip, torque: [0.01, 0.02, 0.03]}]\n"
             "analysis: {type: statics}\n", kind[k]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    CHECK_OK(l.ctx, tni_statics_run(sim, store_nothing, NULL));
    u[k] = field(sim, "displacement"), vm[k] = field(sim, "von_mises"), R[k] = field(sim, "reaction"), sig[k] = field(sim, "stress");
    nnode = l.model->part[0].mesh->nnode;
    tn_sim_destroy(&sim);
    unload(&l);
  }
  double most[4] = {0}, off[4] = {0};
  for (int i = 0; i < 6*nnode; i++) {
    double *pair[4][2] = {{u[0], u[1]}, {R[0], R[1]}, {vm[0], vm[1]}, {sig[0], sig[1]}};
    for (int k = 0; k < 4; k++) {
      if ((k == 2 && i >= nnode) || (k < 2 && i >= 3*nnode)) continue;
      most[k] = fmax(most[k], fabs(pair[k][0][i]));
      off[k] = fmax(off[k], fabs(pair[k][0][i] - pair[k][1][i]));
    }
  }
  for (int k = 0; k < 4; k++) CHECK(most[k] > 0 && off[k] <= 1e-6*most[k]); /* turns by 1e-7 beside 1 */
  for (int k = 0; k < 2; k++) free(u[k]), free(vm[k]), free(R[k]), free(sig[k]);
}

static tn_summary sum; /* large */

/* lowest elastic frequencies of a free beam, whole, then with more and more modes: from above, ever nearer */
static void free_frequencies_come_down_to_those_of_the_mesh(void) {
  enum { NF = 8 };
  double whole[NF], before[NF];
  static const int modes[] = {0, 4, 8, 16, 32};
  for (int k = 0; k < TNI_COUNT(modes); k++) {
    char text[2048], reduce[100] = "";
    loaded l;
    if (modes[k]) snprintf(reduce, sizeof(reduce), "reduce: {craig_bampton: {modes: %d}}, ", modes[k]);
    snprintf(text, sizeof(text),
             "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [0.2, 0.01, 0.012], cells: [16, 2, 2]}}}\n"
             "materials: {a: {type: elastic, E: 7e10, nu: 0.3, density: 2700}}\n"
             "structures: {m: {mesh: m, material: a, %shold: {left: x0, right: x1}}}\nanalysis: {type: modes, modes: 14}\n", reduce);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    CHECK_INT(sum.modes_rigid, 6);
    for (int i = 0; i < NF; i++) {
      double f = sum.mode[6 + i].frequency;
      if (k == 0) whole[i] = f;
      else CHECK(f >= whole[i]*(1 - 1e-9));
      if (k > 1) CHECK(f <= before[i]*(1 + 1e-9));
      if (modes[k] == 16 && i < 4) CHECK_NEAR(f, whole[i], 2e-3);
      if (modes[k] == 32) CHECK_NEAR(f, whole[i], i < 6 ? 1e-3 : 5e-3);
      before[i] = f;
    }
    unload(&l);
  }
}

static const char *const CRANK[3] = {
    "meshes: {rod: {box: {size: [0.2, 0.01, 0.01], cells: [8, 1, 1], cell: hex20, origin: [0.05, -0.005, -0.005]}}}\n"
    "materials: {alloy: {type: elastic, E: 7e10, nu: 0, density: 2700}}\n"
    "structures: {rod: {mesh: rod, material: alloy, element: full, formulation: large, hold: {eye: x0, pin: x1}}}\n",
    "meshes: {rod: {box: {size: [0.2, 0.01, 0.01], cells: [8, 1, 1], cell: hex20, origin: [0.05, -0.005, -0.005]}}}\n"
    "materials: {alloy: {type: elastic, E: 7e10, nu: 0, density: 2700}}\n"
    "structures: {rod: {mesh: rod, material: alloy, element: full, reduce: {craig_bampton: {modes: 8}}, hold: {eye: x0, pin: x1}}}\n",
    "beams: {rod: {from: [0.05, 0, 0], to: [0.25, 0, 0], elements: 16, section: {rectangle: [0.01, 0.01]}, "
    "material: {E: 7e10, nu: 0, rho: 2700}}}\n"};

/* how far the middle of the rod is off the line between its ends, along z of that line */
static double sag(const double a[3], const double b[3], const double c[3]) {
  double e[3], d[3];
  vec3_sub(e, b, a);
  vec3_sub(d, c, a);
  return (e[0]*d[2] - e[2]*d[0])/vec3_norm(e);
}

/* Its first frequencies with the crank held, by all three: bending in both planes twice, and the slider on the rod as a spring, k = EA/L with a third
 * of the rod's mass, whose next term is below 1e-3. Rows that tie bodies without stiffness must not give way beside the rod. */
static void slider_crank_has_the_same_frequencies_by_all_three(void) {
  enum { FIRST = 5 };
  double f[3][FIRST] = {{0}};
  for (int k = 0; k < 3; k++) {
    char text[4096];
    loaded l;
    snprintf(text, sizeof(text),
             "%sbodies:\n  crank: {mass: 0.3, inertia: [1e-5, 2e-4, 2e-4], between: [[0, 0, 0], [0.05, 0, 0]]}\n"
             "  slider: {mass: 0.2, inertia: [1e-5, 1e-5, 1e-5], at: [0.25, 0, 0]}\n"
             "joints:\n  main: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
             "  big: {type: revolute, bodies: [crank, %s], at: [0.05, 0, 0], axis: y}\n"
             "  small: {type: revolute, bodies: [%s, slider], at: [0.25, 0, 0], axis: y}\n"
             "  guide: {type: prismatic, bodies: [ground, slider], at: [0.25, 0, 0], axis: x}\n"
             "drive: [{joint: main, motion: 0}]\nanalysis: {type: modes, modes: 5}\n", CRANK[k], k == 2 ? "rod.start" : "eye",
             k == 2 ? "rod.end" : "pin");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    unload(&l);
    CHECK_INT(sum.modes, FIRST);
    for (int i = 0; i < FIRST && i < sum.modes; i++) f[k][i] = sum.mode[i].frequency;
  }
  for (int i = 0; i < FIRST; i++) {
    printf("  %.6g Hz; reduced %.2g, beams %.2g off\n", f[0][i], f[1][i]/f[0][i] - 1, f[2][i]/f[0][i] - 1);
    CHECK_NEAR(f[1][i], f[0][i], 0.01);
    CHECK_NEAR(f[2][i], f[0][i], 0.01);
  }
  double axial = sqrt(7e10*1e-4/0.2/(0.2 + 2700*0.2*1e-4/3))/6.283185307179586;
  for (int k = 0; k < 3; k++) CHECK_NEAR(f[k][2], axial, 2e-3);
  CHECK_NEAR(f[0][2], f[2][2], 2e-4);
}

/* Slider-crank, the crank driven up to 20 rad/s within a hundredth of a second: whole mesh, reduced and beams */
static void slider_crank_whole_reduced_and_of_beams_agree(void) {
  enum { N = 50 };
  double w[3][N], most = 0, off[3] = {0};
  for (int k = 0; k < 3; k++) {
    char text[4096];
    loaded l;
    tn_sim *sim = NULL;
    const char *eye = k == 2 ? "rod.node[0]" : "eye", *pin = k == 2 ? "rod.node[16]" : "pin";
    snprintf(text, sizeof(text),
             "gravity: [0, 0, 0]\n%sbodies:\n  crank: {mass: 0.3, inertia: [1e-5, 2e-4, 2e-4], between: [[0, 0, 0], [0.05, 0, 0]]}\n"
             "  slider: {mass: 0.2, inertia: [1e-5, 1e-5, 1e-5], at: [0.25, 0, 0]}\n"
             "joints:\n  main: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
             "  big: {type: revolute, bodies: [crank, %s], at: [0.05, 0, 0], axis: y}\n"
             "  small: {type: revolute, bodies: [%s, slider], at: [0.25, 0, 0], axis: y}\n"
             "  guide: {type: prismatic, bodies: [ground, slider], at: [0.25, 0, 0], axis: x}\n"
             "drive: [{joint: main, motion: \"1e9*t^5\"}]\n"
             "analysis: {until: 0.01, method: radau, tolerance: 1e-5}\n", CRANK[k], k == 2 ? "rod.start" : eye, k == 2 ? "rod.end" : pin);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    for (int n = 0; n < N; n++) {
      double a[3], b[3], c[3] = {0, 0, 0};
      CHECK_OK(l.ctx, tn_sim_advance(sim, 0.01*(n + 1)/N));
      sim_point(sim, eye, 0, 0, 0, a);
      sim_point(sim, pin, 0, 0, 0, b);
      if (k == 2) {
        sim_point(sim, "rod.node[8]", 0, 0, 0, c);
      } else {
        double *u = field(sim, "displacement"), count = 0;
        const tni_mesh *m = l.model->part[0].mesh;
        for (int i = 0; i < m->nnode; i++)
          if (fabs(m->x[3*i] - 0.15) < 1e-9) {
            for (int j = 0; j < 3; j++) c[j] += m->x[3*i + j] + u[3*i + j];
            count++;
          }
        vec3_scale(c, 1/count, c);
        free(u);
      }
      w[k][n] = sag(a, b, c);
      if (k == 0) most = fmax(most, fabs(w[0][n]));
      off[k] = fmax(off[k], fabs(w[k][n] - w[0][n]));
    }
    tn_sim_destroy(&sim);
    unload(&l);
  }
  printf("  largest deflection %.4g m; reduced %.2g, beams %.2g of it off the whole mesh\n", most, off[1]/most, off[2]/most);
  CHECK(off[1] <= 0.01*most);
  CHECK(off[2] <= 0.01*most);
}

/* Driven from the first instant: nodes of the rod and its ends start with the velocities of a rigid rod, whole or reduced */
static void meshes_start_with_the_velocities_of_their_carriers(void) {
  for (int k = 0; k < 2; k++) {
    char text[4096];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, 0]\n%sbodies:\n  crank: {mass: 0.3, inertia: [1e-5, 2e-4, 2e-4], between: [[0, 0, 0], [0.05, 0, 0]]}\n"
             "  slider: {mass: 0.2, inertia: [1e-5, 1e-5, 1e-5], at: [0.25, 0, 0]}\n"
             "joints:\n  main: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
             "  big: {type: revolute, bodies: [crank, eye], at: [0.05, 0, 0], axis: y}\n"
             "  small: {type: revolute, bodies: [pin, slider], at: [0.25, 0, 0], axis: y}\n"
             "  guide: {type: prismatic, bodies: [ground, slider], at: [0.25, 0, 0], axis: x}\n"
             "drive: [{joint: main, motion: \"80*t\"}]\nanalysis: {until: 0.01, method: radau, tolerance: 1e-5}\n", CRANK[k]);
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    const tni_structure *s = k ? ((const tni_reduced *)l.model->part[0].data)->s : l.model->part[0].data;
    /* the slider stands at its dead point: the rod turns about the pin */
    double T = 0.5*(2e-4 + 0.3*0.025*0.025)*80*80;
    for (int i = 0; i < s->nnode; i++) {
      const double *x = s->mesh->x + 3*i;
      double arm2 = (x[0] - 0.25)*(x[0] - 0.25) + x[2]*x[2];
      T += 0.5*s->mass[i]*arm2*(80*0.05/0.2)*(80*0.05/0.2);
    }
    CHECK_NEAR(tni_system_kinetic(sim->s), T, 1e-7);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* A bar a hundred times as long as thick on a driven hub: it bends more easily than anything else could hold its tip, and still nothing
 * but the spin of the hub may be seen there, whole or reduced. */
static void slender_bars_start_without_bending(void) {
  for (int k = 0; k < 2; k++) {
    char text[2048];
    loaded l;
    tn_sim *sim = NULL;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [1, 0.01, 0.01], cells: [10, 1, 1], cell: hex20, origin: [0.2, 0, 0]}}}\n"
             "materials: {a: {type: elastic, E: 2.1e11, nu: 0.3, density: 7850}}\n"
             "structures: {m: {mesh: m, material: a, element: full%s, hold: {hub: x0, tip: x1}}}\n"
             "joints: {h: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: z}}\n"
             "drive: [{joint: h, motion: \"100*t\"}]\nanalysis: {until: 1e-4, method: radau, tolerance: 1e-4}\n",
             k ? ", reduce: {craig_bampton: {modes: 4}}" : ", formulation: large");
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_sim_create(l.ctx, l.model, NULL, &sim));
    const tni_kin *tip = &sim->s->kin[2];
    CHECK_NEAR(tip->w[2], 100, 1e-6);
    CHECK_NEAR(tip->v[1], 100*tip->r[0], 1e-6);
    CHECK_NEAR(tip->v[0], -100*tip->r[1], 1e-4);
    tn_sim_destroy(&sim);
    unload(&l);
  }
}

/* What spinning does to the stiffness of a reduced bar is left out, and matters beside the lowest frequency that it has when one end is
 * held: 16.7 Hz here by Euler's beam, six times less than in flight. At that spin the tip bends 32 % more under a load than that of the whole mesh. */
static void reduced_bodies_that_spin_fast_are_doubtful(void) {
  double lowest = 3.516*sqrt(2.1e11/7850.0/12)*0.02; /* rad/s */
  for (int k = 0; k < 2; k++) {
    char text[2048];
    loaded l;
    snprintf(text, sizeof(text),
             "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [1, 0.02, 0.02], cells: [8, 1, 1], cell: hex20}}}\n"
             "materials: {a: {type: elastic, E: 2.1e11, nu: 0, density: 7850}}\n"
             "structures: {m: {mesh: m, material: a, element: full, reduce: {craig_bampton: {modes: 4}}, hold: {hub: x0, tip: x1}}}\n"
             "joints: {h: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: z}}\n"
             "drive: [{joint: h, motion: \"%g*t\"}]\nanalysis: {until: 1e-3, method: radau, tolerance: 1e-4}\n", lowest*(k ? 0.11 : 0.09));
    load_text(&l, text);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    CHECK(sum.sound == !k);
    if (!CHECK(!k || strstr(sum.verdict, "turns at 0.11 of its lowest frequency (16.6"))) printf("  %s\n", sum.verdict);
    unload(&l);
  }
}

/* a small formulation that is turned, a reduced body bent too far: both are doubtful, and say why */
static void equations_that_do_not_hold_are_doubtful(void) {
  static const char *const text[2] = {
      "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [1, 0.1, 0.1], cells: [6, 1, 1]}}}\n"
      "materials: {a: {type: elastic, E: 1e9, nu: 0.3, density: 1000}}\n"
      "structures: {m: {mesh: m, material: a, hold: {hub: x0}}}\n"
      "joints: {h: {type: revolute, bodies: [ground, hub], at: [0, 0.05, 0.05], axis: y}}\n"
      "drive: [{joint: h, motion: \"20*t^2\"}]\nanalysis: {until: 0.1, method: radau, tolerance: 1e-3}\n",
      "gravity: [0, 0, 0]\nmeshes: {m: {box: {size: [1, 0.1, 0.1], cells: [6, 1, 1]}}}\n"
      "materials: {a: {type: elastic, E: 1e9, nu: 0.3, density: 1000}}\n"
      "structures: {m: {mesh: m, material: a, reduce: {craig_bampton: {modes: 2}}, hold: {ground: x0, tip: x1}}}\n"
      "forces: [{type: force, body: tip, force: [0, 0, 9000]}]\nanalysis: {type: statics}\n"};
  static const char *const why[2] = {"doubtful: structure 'm' has turned by", "doubtful: reduced body 'm' bends its interfaces"};
  for (int k = 0; k < 2; k++) {
    loaded l;
    load_text(&l, text[k]);
    CHECK_OK(l.ctx, tn_run(l.ctx, l.model, &(tn_run_opts){.results = ""}, &sum));
    CHECK(!sum.sound);
    if (!CHECK(strncmp(sum.verdict, why[k], strlen(why[k])) == 0)) printf("  %s\n", sum.verdict);
    unload(&l);
  }
}

static char said[1024];
static void listen(void *user, tn_log_level level, const char *text) {
  (void)user;
  if (level == TN_LOG_WARNING) snprintf(said, sizeof(said), "%s", text);
}

/* compile with a file for the reduced body; what was said, and a number of it */
static double from_file(const char *path, int modes, int cells) {
  char text[2048];
  loaded l = {0};
  tn_ctx_opts o = {.threads = 1, .log = listen};
  said[0] = 0;
  snprintf(text, sizeof(text),
           "tenon: 1\nmeshes: {m: {box: {size: [1, 0.1, 0.1], cells: [%d, 1, 1]}}}\n"
           "materials: {a: {type: elastic, E: 1e9, nu: 0.3, density: 1000}}\n"
           "structures: {m: {mesh: m, material: a, reduce: {craig_bampton: {modes: %d, file: \"%s\"}}, hold: {left: x0, right: x1}}}\n",
           cells, modes, path);
  CHECK_OK(NULL, tn_ctx_create(&o, &l.ctx));
  CHECK_OK(l.ctx, tn_spec_read_text(l.ctx, "test", text, NULL, 0, &l.spec));
  CHECK_OK(l.ctx, tn_model_compile(l.ctx, l.spec, &l.model));
  const tni_reduced *r = l.model->part[0].data;
  double sum_of = r->lowest + r->K[0];
  unload(&l);
  return sum_of;
}

/* computed once; another mesh, another number of modes, any damaged byte and any cut: computed again with a word, the same numbers */
static void files_are_used_when_they_fit(void) {
  char path[128];
  snprintf(path, sizeof(path), "/tmp/tenon_reduced_%ld.cb", (long)getpid());
  remove(path);
  double first = from_file(path, 3, 6);
  CHECK(said[0] == 0);
  CHECK(from_file(path, 3, 6) == first && said[0] == 0);
  from_file(path, 4, 6);
  CHECK(strstr(said, "belongs to another") != NULL);
  from_file(path, 4, 7);
  CHECK(strstr(said, "belongs to another") != NULL);
  from_file(path, 3, 6);
  static char bytes[1 << 20];
  FILE *f = fopen(path, "rb");
  size_t n = fread(bytes, 1, sizeof(bytes), f);
  fclose(f);
  CHECK(n > 1000 && n < sizeof(bytes));
  for (int k = 0; k < 60; k++) {
    seed = 11u + (unsigned)k;
    size_t at = (size_t)(0.5*(draw() + 1)*(double)n), size = k % 3 == 0 ? at : n;
    if (at >= n) at = n - 1;
    char kept = bytes[at];
    bytes[at] = (char)(kept ^ (1 << k % 8));
    f = fopen(path, "wb");
    fwrite(bytes, 1, size, f);
    fclose(f);
    bytes[at] = kept;
    CHECK(from_file(path, 3, 6) == first);
    CHECK(strstr(said, "computed again") != NULL);
  }
  remove(path);
}

int main(void) {
  RUN(tangents_are_those_of_the_balance);
  RUN(accelerations_balance_and_energy_is_kept);
  RUN(rigid_motions_are_free);
  RUN(stiff_reduced_body_tumbles_as_a_rigid_one);
  RUN(loads_at_interfaces_give_the_stresses_of_the_mesh);
  RUN(free_frequencies_come_down_to_those_of_the_mesh);
  RUN(slider_crank_has_the_same_frequencies_by_all_three);
  RUN(slider_crank_whole_reduced_and_of_beams_agree);
  RUN(meshes_start_with_the_velocities_of_their_carriers);
  RUN(slender_bars_start_without_bending);
  RUN(reduced_bodies_that_spin_fast_are_doubtful);
  RUN(equations_that_do_not_hold_are_doubtful);
  RUN(files_are_used_when_they_fit);
  return REPORT();
}
