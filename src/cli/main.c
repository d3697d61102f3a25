/* cli/main.c - the tenon command
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>

#include <tenon/tenon.h>

int main(void) {
  printf("tenon %s\n", tn_version());
  return 0;
}
