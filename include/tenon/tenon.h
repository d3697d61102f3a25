/* tenon/tenon.h - everything
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_TENON_H
#define TN_TENON_H

#include <tenon/context.h>
#include <tenon/force.h>
#include <tenon/types.h>

#endif
