/* tests/support/h5_blocks.h - the blocks of an HDF5 file that carry a checksum, to damage them with skill
 *
 * HDF5 guards its newer metadata by Jenkins's hash (lookup3). A byte changed at random is caught by it;
 * a test of what lies behind must put the right sum back. The length of a block is not in its head in
 * one way for all kinds: it is found as the length for which the sum is right.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_H5_BLOCKS_H
#define TN_H5_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  size_t at, length; /* with the sum, its last four bytes */
} h5_block;

static inline uint32_t h5_turn(uint32_t x, int k) { return x << k | x >> (32 - k); }

static inline uint32_t h5_sum(const unsigned char *s, size_t n) {
  uint32_t v[3];
  v[0] = v[1] = v[2] = 0xdeadbeef + (uint32_t)n;
  for (; n > 12; s += 12, n -= 12) {
    static const int turn[6] = {4, 6, 8, 16, 19, 4};
    for (int k = 0; k < 12; k++) v[k/4] += (uint32_t)s[k] << 8*(k % 4);
    for (int k = 0; k < 6; k++) {
      /* a -= c, a ^= turn(c), c += b, and so on around */
      uint32_t *a = &v[k % 3], *b = &v[(k + 1) % 3], *c = &v[(k + 2) % 3];
      *a -= *c;
      *a ^= h5_turn(*c, turn[k]);
      *c += *b;
    }
  }
  if (n == 0) return v[2];
  for (size_t k = 0; k < n; k++) v[k/4] += (uint32_t)s[k] << 8*(k % 4);
  static const int last[7] = {14, 11, 25, 16, 4, 14, 24};
  for (int k = 0; k < 7; k++) {
    uint32_t *to = &v[(k + 2) % 3];
    const uint32_t *from = &v[(k + 1) % 3];
    *to ^= *from;
    *to -= h5_turn(*from, last[k]);
  }
  return v[2];
}

static inline void h5_refit(unsigned char *file, const h5_block *b) {
  uint32_t sum = h5_sum(file + b->at, b->length - 4);
  for (int k = 0; k < 4; k++) file[b->at + b->length - 4 + (size_t)k] = (unsigned char)(sum >> 8*k);
}

static inline bool h5_is_block(const unsigned char *file, size_t at, size_t length) {
  const unsigned char *s = file + at + length - 4;
  return h5_sum(file + at, length - 4) ==
         ((uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24);
}

/* blocks of the file, at most `most`; returns how many */
static inline int h5_find_blocks(const unsigned char *file, size_t n, h5_block *out, int most) {
  static const char signature[][5] = {"OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTIN", "BTLF",
                                      "EAHD", "EAIB", "EASB", "EADB", "FAHD", "FADB"};
  int found = 0;
  if (n > 48 && h5_is_block(file, 0, 48)) out[found++] = (h5_block){0, 48}; /* superblock */
  for (size_t at = 8; at + 16 < n && found < most; at++)
    for (size_t k = 0; k < sizeof(signature)/sizeof(signature[0]); k++) {
      if (memcmp(file + at, signature[k], 4) != 0) continue;
      for (size_t length = 12; length <= 4096 && at + length <= n; length++) {
        if (!h5_is_block(file, at, length)) continue;
        out[found++] = (h5_block){at, length};
        break;
      }
    }
  return found;
}

#endif
