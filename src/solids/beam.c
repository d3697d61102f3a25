/* solids/beam.c - beam2: two nodes with rotations, linear in its own axes, corotational for large rotations
 *
 * Local stiffness of a straight beam with shear: bending in x-y, Phi = 12 E I_z/(G A_y L^2), I = I_z,
 *
 *   E I/(L^3 (1 + Phi)) [12 6L -12 6L; 6L (4+Phi)L^2 -6L (2-Phi)L^2; ...],
 *
 * in x-z the same with reversed signs of 6L; E A/L; G J/L. Exact at the nodes for loads at the nodes. Axes: e1 along the
 * beam, e3 = e1 x q with q the mean of the nodes' section axes y. For long, slender, strongly bent beams the geometrically exact ones (`beams:`) need fewer
 * elements; this one is for lattices and for meshes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "solids/core.h"
#include "solids/corotate.h"
#include "solids/list.h"

enum { NN = 2, NV = 12 };

static const char *const options[] = {"corotational", NULL};

static int usual(const tni_matter *matter, bool large, bool explicit_steps) {
  (void)matter, (void)large, (void)explicit_steps;
  return 0;
}

static bool prepare(tni_solid_kind *kind, char *why, size_t n) {
  if (!kind->profile) {
    snprintf(why, n, "beam2 needs a section");
    return false;
  }
  for (int i = 0; i < 6; i++)
    if (!(kind->profile->C[i] > 0) && (i == 0 || i > 2)) {
      snprintf(why, n, "beam2 needs axial, torsional and bending stiffness > 0");
      return false;
    }
  if (!kind->matter->type->linear || kind->matter->type == tni_matter_find("orthotropic")) {
    snprintf(why, n, "beam2 needs a material of type elastic");
    return false;
  }
  kind->plane = TNI_PLANE_NONE;
  kind->ngauss = 1;
  kind->nstate = 0;
  return true;
}

/* columns: along the beam, y, z of the section */
static bool rest_axes(const tni_solid_at *at, double E0[9], double *L) {
  double x[3], y[3], z[3] = {0, 0, 1};
  vec3_sub(x, at->X + 3, at->X);
  *L = vec3_normalize(x, x);
  if (!(*L > 0)) return false;
  if (at->axes) {
    for (int i = 0; i < 3; i++) z[i] = at->axes[3*i + 2];
  } else if (fabs(x[2]) > 0.99999) {
    vec3_set(z, 0, 1, 0);
  }
  vec3_cross(y, z, x);
  if (!(vec3_normalize(y, y) > 1e-9)) return false;
  vec3_cross(z, x, y);
  for (int i = 0; i < 3; i++) E0[3*i] = x[i], E0[3*i + 1] = y[i], E0[3*i + 2] = z[i];
  return true;
}

/* axes now and their spin; false: the nodes have met, or the section has turned to the beam's direction */
static bool axes_now(tni_corotation *c, const tni_solid_at *at, const double *turn, double *l) {
  double x[3], q[3] = {0, 0, 0}, e1[3], e2[3], e3[3], y0[3] = {c->E0[1], c->E0[4], c->E0[7]}, qi[NN][3];
  for (int i = 0; i < 3; i++) x[i] = at->X[3 + i] + at->u[6 + i] - at->X[i] - at->u[i];
  *l = vec3_norm(x);
  if (!(*l > 0)) return false;
  vec3_scale(e1, 1/(*l), x);
  for (int a = 0; a < NN; a++) {
    mat3_vec(qi[a], turn + 9*a, y0);
    vec3_addmul(q, 0.5, qi[a]);
  }
  vec3_cross(e3, e1, q);
  if (!(vec3_normalize(e3, e3) > 1e-9)) return false;
  vec3_cross(e2, e3, e1);
  for (int i = 0; i < 3; i++) c->E[3*i] = e1[i], c->E[3*i + 1] = e2[i], c->E[3*i + 2] = e3[i];
  double qx = vec3_dot(q, e1), qy = vec3_dot(q, e2);
  memset(c->G, 0, sizeof(c->G));
  c->G[1][2] = 1/(*l), c->G[1][6 + 2] = -1/(*l);
  c->G[2][1] = -1/(*l), c->G[2][6 + 1] = 1/(*l);
  for (int a = 0; a < NN; a++) {
    c->G[0][6*a + 3] = vec3_dot(qi[a], e2)/(2*qy);
    c->G[0][6*a + 4] = -vec3_dot(qi[a], e1)/(2*qy);
    c->G[0][6*a + 2] = c->G[1][6*a + 2]*qx/qy;
  }
  return true;
}

/* derivative of G^T mu by local motions, see corotate.h: of l and of the section axes q_i, dq_i = spin x q_i */
static void spin_slope(const tni_corotation *c, const double mu[3], double *D) {
  double q[NN][3], l = c->xl[1][0] - c->xl[0][0];
  for (int a = 0; a < NN; a++) {
    double p[4], R[9];
    quat_from_vector(p, c->ub + 6*a + 3);
    quat_matrix(R, p);
    for (int i = 0; i < 3; i++) q[a][i] = R[3*i + 1];
  }
  double qx = (q[0][0] + q[1][0])/2, qy = (q[0][1] + q[1][1])/2, A = mu[0]/(2*qy), B = mu[1] + mu[0]*qx/qy;
  for (int b = 0; b < NN; b++) {
    /* x and y of q_b by the spins about x, y, z of node b */
    double dx[3] = {0, q[b][2], -q[b][1]}, dy[3] = {-q[b][2], 0, q[b][0]};
    for (int k = 0; k < 3; k++) {
      int column = 6*b + 3 + k;
      for (int a = 0; a < NN; a++) {
        D[NV*(6*a + 3) + column] += (a == b ? A*dy[k] : 0) - A/qy*q[a][1]*dy[k]/2;
        D[NV*(6*a + 4) + column] += (a == b ? -A*dx[k] : 0) + A/qy*q[a][0]*dy[k]/2;
        D[NV*(6*a + 2) + column] += (a ? -1 : 1)*mu[0]/l*(dx[k]/qy - qx*dy[k]/(qy*qy))/2;
      }
    }
    /* l grows with x of node 1 */
    double dl = b ? 1 : -1;
    for (int a = 0; a < NN; a++) {
      D[NV*(6*a + 2) + 6*b] -= (a ? -1 : 1)*B/(l*l)*dl;
      D[NV*(6*a + 1) + 6*b] += (a ? -1 : 1)*mu[2]/(l*l)*dl;
    }
  }
}

static void put(double *K, int i, int j, double v) { K[NV*i + j] += v, K[NV*j + i] += i == j ? 0 : v; }

static void local_stiffness(const double C[6], double L, double *K) {
  memset(K, 0, NV*NV*sizeof(double));
  double EA = C[0]/L, GJ = C[3]/L;
  put(K, 0, 0, EA), put(K, 6, 6, EA), put(K, 0, 6, -EA);
  put(K, 3, 3, GJ), put(K, 9, 9, GJ), put(K, 3, 9, -GJ);
  for (int plane = 0; plane < 2; plane++) {
    double EI = C[plane ? 4 : 5], GA = C[plane ? 2 : 1], phi = GA > 0 ? 12*EI/(GA*L*L) : 0, k = EI/(L*L*L*(1 + phi));
    double s = plane ? -1 : 1; /* w grows with minus the turn about y */
    int w1 = plane ? 2 : 1, t1 = plane ? 4 : 5, w2 = w1 + 6, t2 = t1 + 6;
    put(K, w1, w1, 12*k), put(K, w2, w2, 12*k), put(K, w1, w2, -12*k);
    put(K, w1, t1, s*6*L*k), put(K, w1, t2, s*6*L*k), put(K, w2, t1, -s*6*L*k), put(K, w2, t2, -s*6*L*k);
    put(K, t1, t1, (4 + phi)*L*L*k), put(K, t2, t2, (4 + phi)*L*L*k), put(K, t1, t2, (2 - phi)*L*L*k);
  }
}

static bool eval(const tni_solid_kind *kind, const tni_solid_at *at, unsigned want, tni_solid_out *out) {
  tni_corotation c;
  double L, l, Kb[NV*NV], fb[NV], energy = 0;
  double still[TNI_COROT_NODES][9];
  bool large = kind->large;
  if (!rest_axes(at, c.E0, &L)) return false;
  tni_corotate_rest(&c, NN, at->X);
  if (large) {
    const double *turn = tni_corotate_turn(NN, at->u, at->turn, still);
    if (!turn || !axes_now(&c, at, turn, &l)) return false;
    tni_corotate_now(&c, at->X, at->u, turn);
  } else {
    tni_corotate_small(&c, at->u);
  }
  local_stiffness(kind->profile->C, L, Kb);
  double warm = at->warm ? kind->matter->expansion*(at->warm[0] + at->warm[1])/2*L : 0;
  c.ub[0] += warm/2, c.ub[6] -= warm/2;
  for (int i = 0; i < NV; i++) {
    fb[i] = 0;
    for (int j = 0; j < NV; j++) fb[i] += Kb[NV*i + j]*c.ub[j];
    energy += fb[i]*c.ub[i]/2;
  }
  out->energy = energy;
  out->dissipated = 0;
  if (want & TNI_SOLID_STRESS) {
    /* in the middle: means of the ends */
    double s[6] = {fb[6], fb[7], fb[8], fb[9], (fb[10] - fb[4])/2, (fb[11] - fb[5])/2};
    for (int i = 0; i < 6; i++) {
      if (out->stress) out->stress[i] = s[i];
      if (out->strain) out->strain[i] = kind->profile->C[i] > 0 ? s[i]/kind->profile->C[i] : 0;
    }
    if (out->equivalent) out->equivalent[0] = 0;
  }
  tni_corotate_back(&c, large, fb, Kb, spin_slope, want & TNI_SOLID_FORCE ? out->f : NULL,
                    want & TNI_SOLID_STIFFNESS ? out->K : NULL);
  return true;
}

static double volume(const tni_solid_kind *kind, const double *X, double *share) {
  double d[3];
  vec3_sub(d, X + 3, X);
  double L = vec3_norm(d);
  for (int a = 0; a < NN && share; a++) share[a] = kind->matter->density*kind->profile->area*L/2;
  return kind->profile->area*L;
}

/* Lumped: turning about every axis has 4 r^2 times the mass, r the larger radius of gyration, so that it does not limit explicit
 * steps of elements longer than 7 r. Consistent: linear between the nodes, turned to the section's axes. */
static void mass(const tni_solid_kind *kind, const double *X, bool lumped, double *M) {
  const tni_profile *p = kind->profile;
  double E0[9], L;
  tni_solid_at at = {.X = X};
  memset(M, 0, (size_t)(lumped ? NV : NV*NV)*sizeof(double));
  if (!rest_axes(&at, E0, &L)) return;
  double m = p->rhoA*L, most = fmax(p->rhoI[1], p->rhoI[2])*L;
  for (int a = 0; a < NN; a++)
    for (int i = 0; i < 3; i++) {
      if (lumped) {
        M[6*a + i] = m/2;
        M[6*a + 3 + i] = 4*most/2;
        continue;
      }
      for (int b = 0; b < NN; b++) {
        double k = a == b ? 1.0/3 : 1.0/6;
        M[NV*(6*a + i) + 6*b + i] = m*k;
        for (int j = 0; j < 3; j++)
          for (int n = 0; n < 3; n++)
            M[NV*(6*a + 3 + i) + 6*b + 3 + j] += k*L*p->rhoI[n]*E0[3*i + n]*E0[3*j + n];
      }
    }
}

static double rate(const tni_solid_kind *kind, const tni_solid_at *at) {
  double K[NV*NV], M[NV];
  tni_solid_out out = {.K = K};
  if (!eval(kind, at, TNI_SOLID_STIFFNESS, &out)) return 0;
  mass(kind, at->X, true, M);
  for (int i = 0; i < NV; i++)
    if (!(M[i] > 0)) return HUGE_VAL;
  for (int i = 0; i < NV; i++)
    for (int j = 0; j <= i; j++) K[i*NV + j] = K[j*NV + i] = (K[i*NV + j] + K[j*NV + i])/2/sqrt(M[i]*M[j]);
  return sqrt(fmax(0, tni_largest_eigenvalue(NV, K)));
}

static void to_nodes(const tni_solid_kind *kind, int n, const double *at_points, double *at_nodes) {
  (void)kind;
  for (int i = 0; i < n; i++) at_nodes[i] = at_nodes[n + i] = at_points[i];
}

/* at the end that is bent more; J/c of torsion: circles exactly, rectangles within 4 percent (b t^2/(3 + 1.8 t/b)) */
static void surface(const tni_solid_kind *kind, const double *X, double s[6]) {
  const tni_profile *p = kind->profile;
  double d[3], cy, cz, twist, worst = 0, E = p->C[0]/p->area, Iy = p->C[4]/E, Iz = p->C[5]/E;
  vec3_sub(d, X + 3, X);
  double half = vec3_norm(d)/2;
  if (p->outline.kind == TNI_OUTLINE_RECTANGLE) {
    double b = fmax(p->outline.size[0], p->outline.size[1]), t = fmin(p->outline.size[0], p->outline.size[1]);
    cy = p->outline.size[0]/2, cz = p->outline.size[1]/2;
    twist = b*t*t/(3 + 1.8*t/b);
  } else {
    cy = cz = p->outline.size[0];
    twist = (Iy + Iz)/cy;
  }
  for (int end = -1; end <= 1; end += 2)
    worst = fmax(worst, fabs(s[4] + end*half*s[2])*cz/Iy + fabs(s[5] - end*half*s[1])*cy/Iz);
  double shear = fabs(s[3])/twist + hypot(s[1], s[2])/p->area, axial = s[0]/p->area;
  memset(s, 0, 6*sizeof(double));
  s[0] = axial + (axial < 0 ? -worst : worst);
  s[3] = shear;
}

const tni_solid_type tni_solid_beam2 = {
    .name = "beam2", .doc = "Beam with 2 nodes, for lattices.", .cell = TNI_CELL_LINE2, .ndof = 6,
    .option = options, .usual = usual, .prepare = prepare, .eval = eval, .mass = mass, .rate = rate,
    .to_nodes = to_nodes, .volume = volume, .surface = surface};
