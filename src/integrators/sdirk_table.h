/* integrators/sdirk_table.h - the formula of infl_sdirk and desc_sdirk: five stages, diagonally implicit, order 4, embedded order 3
 *
 *   stage i at t + c_i h: sum_{j<=i} a_ij y'_j       error h (sum e_i y'_i + e0 y'_0)       guess: of stages before
 *
 * Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, table IV.6.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SDIRK_TABLE_H
#define TNI_SDIRK_TABLE_H

enum { STAGES = 5 };

static const double c[STAGES] = {1.0/4, 3.0/4, 11.0/20, 1.0/2, 1};
static const double a[STAGES][STAGES] = {
    {1.0/4},
    {1.0/2, 1.0/4},
    {17.0/50, -1.0/25, 1.0/4},
    {371.0/1360, -137.0/2720, 15.0/544, 1.0/4},
    {25.0/24, -49.0/48, 125.0/16, -85.0/12, 1.0/4}};
/* b - bhat, with the weight of the derivative at the beginning of the step */
static const double e[STAGES] = {-25.0/16, -49.0/32, 75.0/32, 0, 1.0/4};
static const double e0 = 1.0/2;
/* first guesses of accelerations and multipliers: the polynomial of stages before; the first stage
 * takes those at the beginning */
static const double guess[STAGES][STAGES] = {
    {0}, {1}, {0.4, 0.6}, {1.0/12, -1.0/8, 25.0/24}, {1, 3, 0, -3}};

#endif
