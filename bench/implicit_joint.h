/* bench/implicit_joint.h - implicit steps in joint coordinates: chains, matrices, the double pendulum
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_IMPLICIT_JOINT_H
#define BENCH_IMPLICIT_JOINT_H

#include "bench.h"

void joint_coordinates(figures *f);

#endif
