/* integrators/rk45.c - Dormand and Prince 5(4) with error control
 *
 * Advances with the formula of order 5, estimates the error by the difference from an embedded one
 * of order 4; six accelerations a step, because the one at the projected end serves three purposes:
 * error estimate, dense output, first stage of the next step. Dense output of order 4.
 * Source: J. R. Dormand, P. J. Prince, J. Comp. Appl. Math. 6 (1980); dense output by Shampine, as
 * in Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/runge_kutta.h"

static const double c[6] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1};
static const double a[15] = {
    1.0/5,
    3.0/40, 9.0/40,
    44.0/45, -56.0/15, 32.0/9,
    19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729,
    9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656,
};
static const double b[6] = {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84};
/* order 5 minus order 4 */
static const double e[7] = {71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525,
                            -1.0/40};
static const double d[7] = {-12715105075.0/11282082432, 0, 87487479700.0/32700410799,
                            -10690763975.0/1880347072, 701980252875.0/199316789632,
                            -1453857185.0/822651844, 69997945.0/29380423};

const tni_rk_table tni_rk45_table = {
    .nstage = 6, .ndense = 1, .order = 5, .error_order = 4, .stable = 3.25, .adds_up = true,
    .c = c, .a = a, .b = b, .e = e, .d = d,
};

TNI_CREATE_BY(create, tni_rk_create, rk45, tni_rk45_table)

const tni_integrator_type tni_integrator_rk45 = {
    .name = "rk45",
    .summary = "Runge-Kutta 5(4) of Dormand and Prince with error control",
    .share = 0.0135,
    .loose = 0.5,
    .order = 5,
    .create = create,
    TNI_RK_OPS,
};
