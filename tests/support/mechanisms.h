/* tests/support/mechanisms.h - joint lists of the mechanisms that several tests use
 *
 * Ground is body -1. Sources: topology-linear-solver spec, 12.1 (seven-body mechanism, the pin E as
 * a chain or as a hub) and 12.2 (14-body vehicle, reconstructed).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_MECHANISMS_H
#define TN_MECHANISMS_H

typedef struct {
  int body[2]; /* -1: ground */
  int rows;
} mechanism_joint;

/* O F B G A5 H A7 and the three joints of the pin E */
static const mechanism_joint seven_body_chain_pin[10] = {
  {{-1, 0}, 2}, {{0, 1}, 2},  {{-1, 2}, 2}, {{3, 4}, 2}, {{-1, 4}, 2},
  {{5, 6}, 2},  {{-1, 6}, 2}, {{1, 2}, 2},  {{2, 3}, 2}, {{3, 5}, 2},
};
static const mechanism_joint seven_body_hub_pin[10] = {
  {{-1, 0}, 2}, {{0, 1}, 2},  {{-1, 2}, 2}, {{3, 4}, 2}, {{-1, 4}, 2},
  {{5, 6}, 2},  {{-1, 6}, 2}, {{2, 1}, 2},  {{2, 3}, 2}, {{2, 5}, 2},
};

/* body 0 is the chassis, 7 the rack; arms and wheels 1-3, 4-6, 8-10, 11-13 */
static const mechanism_joint vehicle[21] = {
  {{0, 1}, 5},   {{0, 2}, 5},   {{0, 4}, 5},  {{0, 5}, 5},  {{0, 8}, 5},  {{0, 9}, 5},
  {{0, 11}, 5},  {{0, 12}, 5},  {{1, 3}, 3},  {{2, 3}, 3},  {{4, 6}, 3},  {{5, 6}, 3},
  {{8, 10}, 3},  {{9, 10}, 3},  {{11, 13}, 3}, {{12, 13}, 3}, {{7, 3}, 1}, {{7, 6}, 1},
  {{0, 10}, 1},  {{0, 13}, 1},  {{0, 7}, 5},
};

#endif
