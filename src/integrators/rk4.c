/* integrators/rk4.c - the classical Runge-Kutta formula with fixed steps
 *
 * Order 4, four accelerations a step (the one at the projected end opens the next step). Inside a
 * step the state is the cubic Hermite polynomial through both ends: its error is of order h^4, the
 * same as that of the solution itself.
 * Source: W. Kutta, Z. Math. Phys. 46 (1901).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "integrators/runge_kutta.h"

static const double c[4] = {0, 0.5, 0.5, 1};
static const double a[6] = {0.5, 0, 0.5, 0, 0, 1};
static const double b[4] = {1.0/6, 1.0/3, 1.0/3, 1.0/6};

const tni_rk_table tni_rk4_table = {.nstage = 4, .order = 4, .c = c, .a = a, .b = b};

TNI_CREATE_BY(create, tni_rk_create, rk4, tni_rk4_table)

const tni_integrator_type tni_integrator_rk4 = {
    .name = "rk4",
    .summary = "classical Runge-Kutta formula of order 4 with fixed steps",
    .order = 4,
    .fixed_step = true,
    .create = create,
    TNI_RK_OPS,
};
