/* tests/verify/bodies.c - single bodies against closed forms, every method, both representations
 *
 * Free body with principal moments I1 < I2 < I3, started with omega_2 = 0 near the third axis:
 *   omega_1 = a cn(p t),  omega_2 = b sn(p t),  omega_3 = c dn(p t)
 * (Landau and Lifshitz, Mechanics, section 37); the elliptic functions come from descending Landen
 * transformations here. Energy and angular momentum L are constant, and the third axis turns about
 * L at the rate |L| (2 T - I3 omega_3^2)/(|L|^2 - I3^2 omega_3^2), integrated by Simpson's rule.
 *
 * Heavy symmetric top in steady precession W at the inclination th, omega_3 along its axis:
 *   m g d = W (I3 omega_3 - I1 W cos th),   I1 about the support
 *
 * Disk (radius a, moments A across, C along its axis) rolling in a circle, its axis inclined by th
 * against the vertical and turning with W:
 *   (C + m a^2) omega_3 W sin th - A W^2 sin th cos th + m g a cos th = 0
 *
 * Mass on spring and damper: x = x_s + exp(-d t) (...), heat = loss of energy.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "support/loaded.h"

/* Allowed error over the tolerance of the run, relative to the size of the value; for directions
 * and places on a circle relative to the angle turned. */
static const double agree = 1, tol = 1e-8;
static const double pi = 3.14159265358979323846;
static double worst_seen; /* over the whole program, in units of the tolerance */

static const char *const methods[] = {"rk45", "rk8", "adams"};
static const char *const representations[] = {"cartesian", "joint"};

typedef struct {
  loaded l;
  tn_sim *sim;
  char what[60];
} run;

static void begin(run *r, const char *text, int method, int representation, double until) {
  load_text(&r->l, text);
  tn_run_opts o = {.method = methods[method], .representation = representations[representation],
                   .tolerance = tol, .until = until};
  CHECK_OK(r->l.ctx, tn_sim_create(r->l.ctx, r->l.model, &o, &r->sim));
  snprintf(r->what, sizeof(r->what), "%s, %s", methods[method], representations[representation]);
}
static void end(run *r) {
  tn_sim_destroy(&r->sim);
  unload(&r->l);
}
static const tni_kin *at_time(run *r, double t) {
  CHECK_OK(r->l.ctx, tn_sim_advance(r->sim, t));
  return &r->sim->s->kin[1];
}

/* |got - want| of vectors against `scale` */
static void close_to(const run *r, const char *name, const double *got, const double *want, int n,
                     double scale) {
  char text[200];
  double off = 0;
  for (int i = 0; i < n; i++) off = hypot(off, got[i] - want[i]);
  off /= scale*tol;
  worst_seen = fmax(worst_seen, off);
  snprintf(text, sizeof(text), "%s: %s at t = %g s, error over tolerance", r->what, name,
           tn_sim_time(r->sim));
  check_near(off, 0, agree, text, __FILE__, __LINE__);
}

/* u turned about z */
static void turn_z(double out[3], const double u[3], double angle) {
  vec3_set(out, cos(angle)*u[0] - sin(angle)*u[1], sin(angle)*u[0] + cos(angle)*u[1], u[2]);
}

/* ---- free body ----------------------------------------------------------------------------- */

/* sn, cn, dn of (u, k) by Landen: k falls quadratically to 0, where they are sin, cos, 1 */
static void jacobi(double u, double k, double *sn, double *cn, double *dn) {
  enum { MAX = 12 };
  double a[MAX], c[MAX], b = sqrt(1 - k*k);
  int n = 0;
  a[0] = 1;
  c[0] = k;
  while (fabs(c[n]) > 1e-17 && n < MAX - 1) {
    a[n+1] = 0.5*(a[n] + b);
    c[n+1] = 0.5*(a[n] - b);
    b = sqrt(a[n]*b);
    n++;
  }
  double phi = ldexp(a[n]*u, n), before = phi;
  for (int i = n; i > 0; i--) {
    before = phi;
    phi = 0.5*(phi + asin(c[i]/a[i]*sin(phi)));
  }
  *sn = sin(phi);
  *cn = cos(phi);
  *dn = n > 0 ? cos(phi)/cos(before - phi) : 1;
}

static void elliptic_functions_are_right(void) {
  /* derivatives and identities, which the transformation knows nothing of */
  for (int i = 0; i < 40; i++) {
    double u = -3 + 0.17*i, k = 0.02*i + 0.05, s[3], c[3], d[3], h = 1e-5;
    for (int j = 0; j < 3; j++) jacobi(u + (j - 1)*h, k, &s[j], &c[j], &d[j]);
    CHECK_NEAR(s[1]*s[1] + c[1]*c[1], 1, 1e-14);
    CHECK_NEAR(d[1]*d[1] + k*k*s[1]*s[1], 1, 1e-12);
    CHECK_NEAR((s[2] - s[0])/(2*h), c[1]*d[1], 1e-9);
    CHECK_NEAR((c[2] - c[0])/(2*h), -s[1]*d[1], 1e-9);
  }
}

static const double I1 = 0.8, I2 = 1.3, I3 = 1.9, w1 = 1.1, w3 = 1.4;

static const char free_body[] =
    "bodies:\n"
    "  b: {mass: 3, inertia: [0.8, 1.3, 1.9], com: [0.1, -0.2, 0.3], velocity: [0.5, 0.1, -0.2],\n"
    "      angular_velocity: [1.1, 0, 1.4]}\n";

static void free_omega(double t, double w[3]) {
  double E2 = I1*w1*w1 + I3*w3*w3, M2 = I1*I1*w1*w1 + I3*I3*w3*w3;
  double p = sqrt((I3 - I2)*(M2 - E2*I1)/(I1*I2*I3));
  double k = sqrt((I2 - I1)*(E2*I3 - M2)/((I3 - I2)*(M2 - E2*I1)));
  double sn, cn, dn;
  jacobi(p*t, k, &sn, &cn, &dn);
  w[0] = sqrt((E2*I3 - M2)/(I1*(I3 - I1)))*cn;
  w[1] = sqrt((E2*I3 - M2)/(I2*(I3 - I2)))*sn;
  w[2] = sqrt((M2 - E2*I1)/(I3*(I3 - I1)))*dn;
}

/* angle of the third axis about L since the start */
static double free_precession(double t) {
  enum { N = 4000 };
  double L = sqrt(I1*I1*w1*w1 + I3*I3*w3*w3), E2 = I1*w1*w1 + I3*w3*w3, sum = 0;
  for (int i = 0; i <= N; i++) {
    double w[3];
    free_omega(t*i/N, w);
    double rate = L*(E2 - I3*w[2]*w[2])/(L*L - I3*I3*w[2]*w[2]);
    sum += rate*(i == 0 || i == N ? 1 : i % 2 ? 4 : 2);
  }
  return sum*t/N/3;
}

static void check_free_body(run *r, double t) {
  const double L0[3] = {I1*w1, 0, I3*w3}, r0[3] = {0.1, -0.2, 0.3}, u[3] = {0.5, 0.1, -0.2};
  const tni_kin *k = at_time(r, t);
  double w[3], h[3], L[3], where[3], size = vec3_norm(L0);
  free_omega(t, w);
  close_to(r, "angular velocity", k->w, w, 3, sqrt(w1*w1 + w3*w3));
  vec3_set(h, I1*k->w[0], I2*k->w[1], I3*k->w[2]);
  mat3_vec(L, k->A, h);
  close_to(r, "angular momentum", L, L0, 3, size);
  double T = 0.5*vec3_dot(h, k->w), T0 = 0.5*(I1*w1*w1 + I3*w3*w3);
  close_to(r, "kinetic energy", &T, &T0, 1, T0);
  for (int i = 0; i < 3; i++) where[i] = r0[i] + t*u[i];
  close_to(r, "centre of mass", k->r, where, 3, 1 + t);
  /* e3 seen along L: it starts in the plane of L and z, x towards L */
  double n[3] = {L0[0]/size, 0, L0[2]/size}, e1[3] = {-n[2], 0, n[0]}, e2[3];
  double e3[3] = {k->A[2], k->A[5], k->A[8]};
  vec3_cross(e2, n, e1);
  double got = atan2(vec3_dot(e3, e2), vec3_dot(e3, e1)), want = free_precession(t);
  got += 2*pi*round((want - got)/(2*pi));
  close_to(r, "precession", &got, &want, 1, 1 + want);
}

static void free_body_follows_elliptic_functions(void) {
  for (int m = 0; m < TNI_COUNT(methods); m++)
    for (int p = 0; p < 2; p++) {
      run r;
      begin(&r, free_body, m, p, 20);
      for (int i = 1; i <= 8; i++) check_free_body(&r, 2.5*i);
      end(&r);
    }
}

/* ---- heavy top ----------------------------------------------------------------------------- */

static void top_precesses_steadily(void) {
  const double m = 1.2, d = 0.4, A = 0.03, C = 0.05, g = 9.81, th = 0.7, W = 1.3;
  double I = A + m*d*d, wz = (m*g*d/W + I*W*cos(th))/C, spin = wz - W*cos(th);
  double e3[3] = {sin(th), 0, cos(th)}, omega[3] = {spin*e3[0], 0, W + spin*e3[2]};
  char text[1000];
  snprintf(text, sizeof(text),
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  top: {mass: 1.2, inertia: [0.03, 0.03, 0.05], com: [0, 0, 0.4],\n"
           "        orientation: {axis: y, angle: 0.7}, velocity: [0, %.17g, 0],\n"
           "        angular_velocity: [%.17g, 0, %.17g]}\n"
           "joints:\n"
           "  tip: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}\n",
           W*d*sin(th), omega[0], omega[2]);
  for (int k = 0; k < TNI_COUNT(methods); k++)
    for (int p = 0; p < 2; p++) {
      run r;
      begin(&r, text, k, p, 1.5);
      for (int i = 1; i <= 3; i++) {
        double t = 0.5*i, want[3], mark[3], F[3], T[3];
        const tni_kin *kin = at_time(&r, t);
        double axis[3] = {kin->A[2], kin->A[5], kin->A[8]};
        double x[3] = {kin->A[0], kin->A[3], kin->A[6]};
        turn_z(want, e3, W*t);
        close_to(&r, "axis of the top", axis, want, 3, 1);
        /* a mark on the rim: turned by the spin about the axis, then by the precession */
        double c = cos(spin*t), s = sin(spin*t), still[3] = {c*cos(th), s, -c*sin(th)};
        turn_z(mark, still, W*t);
        close_to(&r, "mark on the rim", x, mark, 3, 1 + spin*t);
        close_to(&r, "spin", &kin->w[2], &wz, 1, wz);
        /* the tip carries the weight and keeps the centre on its circle */
        double in[3] = {-m*d*sin(th)*W*W, 0, m*g};
        turn_z(want, in, W*t);
        CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, 0, F, T));
        /* an acceleration: errors of the state times the spin squared */
        close_to(&r, "force of the tip", F, want, 3, m*g*(1 + spin));
        close_to(&r, "torque of the tip", T, (double[3]){0, 0, 0}, 3, m*g);
      }
      end(&r);
    }
}

/* ---- rolling disk -------------------------------------------------------------------------- */

static void disk_rolls_in_a_circle(void) {
  const double m = 2, a = 0.3, A = 0.045, C = 0.09, g = 9.81, th = 1.2, W = 1.1;
  double w3_ = cos(th)*(A*W*W*sin(th) - m*g*a)/((C + m*a*a)*W*sin(th));
  /* frame of the steady motion: e1 horizontal, e2 up in the disk, e3 its axis */
  double e1[3] = {0, -1, 0}, e2[3] = {cos(th), 0, sin(th)}, e3[3] = {-sin(th), 0, cos(th)};
  double w[3], v[3], centre[3], rho[3], r0[3] = {0, 0, a*sin(th)};
  for (int i = 0; i < 3; i++) {
    w[i] = W*sin(th)*e2[i] + w3_*e3[i];
    v[i] = -a*w3_*e1[i];
  }
  vec3_set(rho, v[1]/W, -v[0]/W, 0);
  vec3_sub(centre, r0, rho);
  char text[1200];
  snprintf(text, sizeof(text),
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  disk: {mass: 2, inertia: [0.045, 0.045, 0.09], at: [0, 0, %.17g],\n"
           "         orientation: {x: [0, -1, 0], z: [%.17g, 0, %.17g]},\n"
           "         velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n"
           "joints:\n"
           "  edge: {type: rolling_disk, bodies: [ground, disk], at: [0, 0, %.17g],\n"
           "         axis: [%.17g, 0, %.17g], radius: 0.3}\n",
           r0[2], e3[0], e3[2], v[0], v[1], v[2], w[0], w[1], w[2], r0[2], e3[0], e3[2]);
  for (int k = 0; k < TNI_COUNT(methods); k++)
    for (int p = 0; p < 2; p++) {
      run r;
      begin(&r, text, k, p, 6);
      for (int i = 1; i <= 3; i++) {
        double t = 2*i, want[3], F[3], T[3];
        const tni_kin *kin = at_time(&r, t);
        double axis[3] = {kin->A[2], kin->A[5], kin->A[8]};
        turn_z(want, e3, W*t);
        close_to(&r, "axis of the disk", axis, want, 3, 1 + W*t);
        turn_z(want, rho, W*t);
        vec3_add(want, want, centre);
        close_to(&r, "centre of the disk", kin->r, want, 3, vec3_norm(rho)*(1 + W*t));
        CHECK_OK(r.l.ctx, tn_sim_joint_reaction(r.sim, 0, F, T));
        double in[3] = {-m*W*W*rho[0], -m*W*W*rho[1], m*g};
        turn_z(want, in, W*t);
        close_to(&r, "force of the ground", F, want, 3, m*g*(1 + fabs(w3_)));
      }
      end(&r);
    }
}

/* ---- mass, spring, damper ------------------------------------------------------------------ */

static void mass_on_spring_and_damper(void) {
  const double m = 2, k = 90, c = 3, F = 12, x0 = 0.3, v0 = -1.5;
  static const char text[] =
      "bodies:\n"
      "  b: {mass: 2, inertia: [1, 1, 1], at: [0.3, 0, 0], velocity: [-1.5, 0, 0]}\n"
      "joints:\n"
      "  rail: {type: prismatic, bodies: [ground, b], at1: [0, 0, 0], at2: [0, 0, 0], axis1: x,\n"
      "         axis2: x, x1: y, x2: y}\n"
      "forces:\n"
      "  s: {type: spring, bodies: [ground, b], at1: [-2, 0, 0], at2: [0, 0, 0], stiffness: 90,\n"
      "      damping: 3, free_length: 2}\n"
      "  push: {type: joint_force, joint: rail, force: 12}\n";
  double xs = F/k, d = c/(2*m), w = sqrt(k/m - d*d), E0 = 0.5*(m*v0*v0 + k*x0*x0);
  for (int n = 0; n < TNI_COUNT(methods); n++)
    for (int p = 0; p < 2; p++) {
      run r;
      begin(&r, text, n, p, 4);
      for (int i = 1; i <= 8; i++) {
        double t = 0.5*i, e[4];
        const tni_kin *kin = at_time(&r, t);
        double a = x0 - xs, b = (v0 + d*a)/w, fade = exp(-d*t), C = cos(w*t), S = sin(w*t);
        double x = xs + fade*(a*C + b*S), v = fade*((b*w - d*a)*C - (a*w + d*b)*S);
        close_to(&r, "position", &kin->r[0], &x, 1, 1);
        close_to(&r, "velocity", &kin->v[0], &v, 1, w);
        CHECK_OK(r.l.ctx, tn_sim_energy(r.sim, e));
        double T = 0.5*m*v*v, V = 0.5*k*x*x, input = F*(x - x0), heat = E0 + input - T - V;
        const double want[4] = {T, V, heat, input};
        close_to(&r, "energies", e, want, 4, E0);
      }
      end(&r);
    }
}

int main(void) {
  RUN(elliptic_functions_are_right);
  RUN(free_body_follows_elliptic_functions);
  RUN(top_precesses_steadily);
  RUN(disk_rolls_in_a_circle);
  RUN(mass_on_spring_and_damper);
  printf("largest error over the tolerance %.2g\n", worst_seen);
  return REPORT();
}
