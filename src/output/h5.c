/* output/h5.c - quiet HDF5 calls and one-line reasons
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "output/h5.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const tni_h5_column[TNI_COLUMN_NTEXT] = {"group",      "name",  "unit",
                                                     "components", "frame", "note"};

const char *const tni_event_column[TNI_EVENT_NVALUE] = {
    "element",       "kind",         "impulse",          "normal_before",
    "normal_after",  "tangential_before", "tangential_after"};
/* those of a contact; of angles N m s and rad/s */
const char *const tni_event_unit[TNI_EVENT_NVALUE] = {"", "", "N s", "m/s", "m/s", "m/s", "m/s"};

void tni_h5_enter(tni_h5_quiet *quiet) {
  quiet->print = NULL;
  quiet->data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &quiet->print, &quiet->data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void tni_h5_leave(const tni_h5_quiet *quiet) {
  H5Eset_auto2(H5E_DEFAULT, quiet->print, quiet->data);
}

static herr_t take_innermost(unsigned n, const H5E_error2_t *error, void *reason) {
  if (n == 0) snprintf(reason, TNI_REASON_MAX, "%s", error->desc ? error->desc : "");
  return 0;
}

void tni_h5_reason(char reason[TNI_REASON_MAX]) {
  reason[0] = 0;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, reason);
  for (char *c = reason; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  if (!reason[0]) snprintf(reason, TNI_REASON_MAX, "HDF5 gives no reason");
}

void tni_errno_reason(int error, char reason[TNI_REASON_MAX]) {
  if (strerror_r(error, reason, TNI_REASON_MAX) != 0)
    snprintf(reason, TNI_REASON_MAX, "system error %d", error);
}

bool tni_seal_make(int fd, uint64_t head, uint64_t size, tni_seal *out) {
  unsigned char piece[16384];
  uint64_t sum = 14695981039346656037u; /* FNV-1a */
  for (uint64_t at = 0; at < head;) {
    size_t want = head - at < sizeof(piece) ? (size_t)(head - at) : sizeof(piece);
    ssize_t n = pread(fd, piece, want, (off_t)at);
    if (n <= 0) return false;
    for (ssize_t i = 0; i < n; i++) sum = (sum ^ piece[i])*1099511628211u;
    at += (uint64_t)n;
  }
  *out = (tni_seal){.head = head, .sum = sum, .size = size};
  memcpy(out->magic, TNI_SEAL_MAGIC, sizeof(out->magic));
  return true;
}

void tni_h5_close(hid_t *id) {
  if (*id >= 0) H5Idec_ref(*id);
  *id = -1;
}

hid_t tni_h5_text_type(size_t length) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0) return type;
  if (H5Tset_size(type, length ? length : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
      H5Tset_cset(type, H5T_CSET_UTF8) < 0)
    tni_h5_close(&type);
  return type;
}

bool tni_wildcard_match(const char *pattern, const char *text) {
  const char *star = NULL, *resume = NULL; /* last * and where its text may grow from */
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      resume = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star + 1;
      text = ++resume;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == 0;
}
