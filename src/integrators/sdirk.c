/* integrators/sdirk.c - singly diagonally implicit Runge-Kutta formula of order 4(3), L-stable
 *
 * Unknowns of stage i are the increments z_i of w = (y, y') from the beginning of the step:
 *
 *   z_i = h sum_{j<=i} a_ij W(t_0 + c_j h, z_j),   W = (y', g)
 *   Newton: (al - G) dz = al (sum_{j<i} alpha_ij z_j - z) + W(t_0 + c_i h, z),   al = 1/(gamma h)
 *
 * with alpha = (A - gamma) A^-1 and G of the beginning of the step; the last stage ends the step.
 * Error: r = h dbar_0 W_0 + sum dbar_j z_j, the difference to an embedded formula of order 3, filtered
 * by the engine. That of the source has dbar_0 = 0 and dbar_5 = 1; it cannot see a force that changes
 * suddenly before the first stage, since nothing in the step asks for the derivative at its beginning.
 * The conditions of order 3 leave two free weights. With these a change of g anywhere in the step is
 * seen at no less than a third of the error that it makes.
 * Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section IV.6 (SDIRK4,
 * gamma = 4/15); D. Negrut, PhD thesis, University of Iowa 1998, section 4.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "integrators/implicit.h"

#define GAMMA (4.0/15)
/* Times the contraction that the stages before have shown, which grows with the way: until a stage has
 * shown its own, it counts on that. With 1 errors of Newton's method show in the double pendulum. */
#define TRUST 8
enum { STAGES = 5 };
enum { Z = 0, ZD = STAGES, KNOWN = 2*STAGES, KNOWN_D, B1, B2, YD, SCRATCH, NWORK };

static const double c[STAGES] = {4.0/15, 23.0/30, 17.0/30, 707.0/1931, 1};
static const double alpha[STAGES][STAGES] = {
    {0},
    {15.0/8},
    {1577061.0/922880, -23427.0/115360},
    {647163682356923881.0/2414496535205978880.0, -593512117011179.0/3245291041943520.0,
     559907973726451.0/1886325418129671.0},
    {724545451.0/796538880, -830832077.0/267298560, 30957577.0/2509272,
     -69863904375173.0/6212571137048.0}};
/* error, with the weight of h times the derivative at the beginning of the step */
static const double dbar[STAGES] = {297954480425123.0/139968608532480.0,
                                    98880253665899.0/46969970261760.0, -86277160093.0/4845404232.0,
                                    52295791667163741.0/2826719867356840.0, 577.0/455};
static const double dbar0 = -2.0/15;
/* first guesses from the stages before; the last one is the embedded solution */
static const double guess[STAGES][STAGES] = {
    {0},
    {23.0/8},
    {0.9838473040915402, 0.3969226768377252},
    {0.6563374010466914, 0, 0.3372498196189311},
    {7752107607.0/11393456128.0, -17881415427.0/11470078208.0, 2433277665.0/179459416,
     -96203066666797.0/6212571137048.0}};

/* x = sum over stages before n of f_j z_j, z of positions or of velocities */
static void combine(const tni_implicit *im, int first, const double *f, int n, double *x) {
  int nd = im->p.nd;
  for (int k = 0; k < nd; k++) x[k] = 0;
  for (int j = 0; j < n; j++) {
    const double *z = tni_implicit_work(im, first + j);
    for (int k = 0; k < nd; k++) x[k] += f[j]*z[k];
  }
}

/* One Newton iteration of stage i; *size: its correction in units of the tolerance. The first stage
 * begins where the step does, and there g is known, but for what time alone changes. */
static tn_status iterate(tni_implicit *im, double h, int i, bool known_g, double *size,
                         tni_cause *cause) {
  int nd = im->p.nd;
  double al = 1/(GAMMA*h);
  double *z = tni_implicit_work(im, Z + i), *zd = tni_implicit_work(im, ZD + i);
  double *known = tni_implicit_work(im, KNOWN), *known_d = tni_implicit_work(im, KNOWN_D);
  double *b1 = tni_implicit_work(im, B1), *b2 = tni_implicit_work(im, B2);
  double *yd = tni_implicit_work(im, YD);
  for (int k = 0; k < nd; k++) yd[k] = im->yd0[k] + zd[k];
  im->base.stats.newton++;
  if (known_g) memcpy(b2, im->ydd0, (size_t)nd*sizeof(double));
  else TN_TRY(tni_implicit_eval(im, im->p.t + c[i]*h, z, yd, b2, cause));
  for (int k = 0; k < nd; k++) {
    b1[k] = al*(known[k] - z[k]) + yd[k];
    b2[k] += al*(known_d[k] - zd[k]);
  }
  tni_implicit_solve(im, h, b1, b2, tni_implicit_work(im, SCRATCH));
  *size = tni_implicit_norm(im, b1, b2, &cause->index);
  for (int k = 0; k < nd; k++) {
    z[k] += b1[k];
    zd[k] += b2[k];
  }
  return TN_OK;
}

/* *contraction: over the part of the step, largest of the stages before; 0: none has shown it */
static tn_status solve_stage(tni_implicit *im, double h, int i, double *contraction,
                             tni_cause *cause) {
  tni_newton newton = tni_implicit_newton(im);
  newton.trusted = TRUST**contraction*c[i];
  double size;
  combine(im, Z, alpha[i], i, tni_implicit_work(im, KNOWN));
  combine(im, ZD, alpha[i], i, tni_implicit_work(im, KNOWN_D));
  combine(im, Z, guess[i], i, tni_implicit_work(im, Z + i));
  combine(im, ZD, guess[i], i, tni_implicit_work(im, ZD + i));
  if (i == 0) {
    TN_TRY(iterate(im, h, i, true, &size, cause));
    tni_newton_foresee(&newton, size);
  }
  for (;;) {
    TN_TRY(iterate(im, h, i, false, &size, cause));
    tn_status next = tni_newton_next(&newton, size, cause);
    *contraction = fmax(*contraction, newton.theta/c[i]);
    if (next != TN_NOT_CONVERGED) return next;
  }
}

static tn_status advance(tni_implicit *im, double h, tni_cause *cause) {
  int nd = im->p.nd;
  double near = 0, far = 0; /* contraction at the first stage, next to the beginning, and beyond */
  for (int i = 0; i < STAGES; i++) TN_TRY(solve_stage(im, h, i, i ? &far : &near, cause));
  const double *z = tni_implicit_work(im, Z + STAGES - 1);
  const double *zd = tni_implicit_work(im, ZD + STAGES - 1);
  combine(im, Z, dbar, STAGES, im->ey);
  combine(im, ZD, dbar, STAGES, im->eyd);
  for (int k = 0; k < nd; k++) {
    im->ey[k] += h*dbar0*im->yd0[k];
    im->eyd[k] += h*dbar0*im->ydd0[k];
    im->y1[k] = z[k];
    im->yd1[k] = im->yd0[k] + zd[k];
  }
  return TN_OK;
}

static const tni_implicit_formula formula = {
    .order = 4, .error_order = 3, .bodies = 0.15, .adds_up = true, .nwork = NWORK, .gamma = GAMMA, .beta = GAMMA*GAMMA,
    .filter = true, .advance = advance};

TNI_CREATE_BY(create, tni_implicit_create, sdirk, formula)

const tni_integrator_type tni_integrator_sdirk = {
    .name = "sdirk",
    .summary = "diagonally implicit Runge-Kutta formula of order 4 for stiff mechanisms",
    .order = 4,
    .share = 0.013,
    .loose = 0.5,
    .create = create,
    TNI_IMPLICIT_OPS,
};
