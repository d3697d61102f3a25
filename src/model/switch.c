/* model/switch.c - words for what switches
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/model.h"

const char *const tni_switch_word[TNI_NSWITCH] = {
    [TNI_SWITCH_TOUCH] = "touch",          [TNI_SWITCH_RELEASE] = "release",
    [TNI_SWITCH_STICK] = "stick",          [TNI_SWITCH_SLIP] = "slip",
    [TNI_SWITCH_REACHED] = "stop reached", [TNI_SWITCH_LEFT] = "stop left",
    [TNI_SWITCH_TAUT] = "taut",            [TNI_SWITCH_SLACK] = "slack",
    [TNI_SWITCH_EDGE] = "road edge",       [TNI_SWITCH_LOCKED] = "locked",
    [TNI_SWITCH_UNLOCKED] = "unlocked",
};
