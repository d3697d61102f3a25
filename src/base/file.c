/* base/file.c - whole files into memory, whatever kind of file they are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 5, LOOK = 50 }; /* s to wait for a writer of a pipe; ms between two looks */

typedef struct {
  tn_ctx *ctx;
  int fd;
  char *s;
  size_t n, cap;
} input;

/* room for more than n bytes */
static bool grow(input *in) {
  if (in->n + 1 < in->cap) return true;
  size_t cap = 2*in->cap;
  char *larger = tni_alloc(in->ctx, cap, 1);
  if (!larger) return false;
  memcpy(larger, in->s, in->n);
  tni_free(in->ctx, in->s);
  in->s = larger;
  in->cap = cap;
  return true;
}

/* Read to the end, at most `limit` + 1 bytes. errno, 0 when fine; ENODATA: a pipe that nobody
 * writes to; ECANCELED: interrupted. */
static int read_all(input *in, bool pipe, size_t limit) {
  double begin = tni_wall_time();
  while (in->n <= limit) {
    if (in->ctx->interrupted) return ECANCELED;
    if (!grow(in)) return ENOMEM;
    size_t room = in->cap - 1 - in->n, most = limit + 1 - in->n;
    ssize_t n = read(in->fd, in->s + in->n, room < most ? room : most);
    if (n > 0) {
      in->n += (size_t)n;
    } else if (n == 0 && pipe && in->n == 0) { /* no writer yet */
      if (tni_wall_time() - begin > PATIENCE) return ENODATA;
      nanosleep(&(struct timespec){0, LOOK*1000000L}, NULL);
    } else if (n == 0) {
      return 0;
    } else if (errno == EAGAIN) { /* a writer that has nothing yet */
      struct pollfd p = {.fd = in->fd, .events = POLLIN};
      poll(&p, 1, LOOK);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

static void explain(int error, char why[TNI_WHY_MAX]) {
  if (error == ENODATA) snprintf(why, TNI_WHY_MAX, "a pipe that nobody writes to");
  else if (strerror_r(error, why, TNI_WHY_MAX) != 0) snprintf(why, TNI_WHY_MAX, "error %d", error);
}

tn_status tni_file_read(tn_ctx *ctx, const char *path, size_t limit, char **text, size_t *size,
                        tni_file_id *id, char why[TNI_WHY_MAX]) {
  struct stat about;
  *text = NULL;
  *size = 0;
  input in = {.ctx = ctx, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  int error = in.fd < 0 || fstat(in.fd, &about) != 0 ? errno : 0;
  if (!error) {
    *id = (tni_file_id){(unsigned long long)about.st_dev, (unsigned long long)about.st_ino};
    bool known = S_ISREG(about.st_mode) && about.st_size > 0;
    in.cap = known && (unsigned long long)about.st_size < limit ? (size_t)about.st_size + 2 : 65536;
    in.s = tni_alloc(ctx, in.cap, 1);
    error = in.s ? read_all(&in, S_ISFIFO(about.st_mode), limit) : ENOMEM;
  }
  if (in.fd >= 0) close(in.fd);
  if (!error) {
    in.s[in.n] = 0;
    *text = in.s;
    *size = in.n;
    return TN_OK;
  }
  tni_free(ctx, in.s);
  if (error == ENOMEM) return tni_out_of_memory(ctx);
  if (error == ECANCELED) return TN_FAIL(ctx, TN_INTERRUPTED, "stopped while reading '%s'", path);
  explain(error, why);
  return TN_ERR_IO;
}

tn_status tni_file_place_find(tni_arena *arena, const char *path, tni_file_place *out) {
  struct stat about;
  char *target = realpath(path, NULL);
  *out = (tni_file_place){.name = tni_arena_strdup(arena, target ? target : path)};
  free(target);
  if (!out->name) return tni_out_of_memory(arena->ctx);
  out->through = stat(out->name, &about) == 0 && !S_ISREG(about.st_mode);
  out->part = out->through ? out->name : tni_arena_printf(arena, "%s.part", out->name);
  return out->part ? TN_OK : tni_out_of_memory(arena->ctx);
}

int tni_file_place_close(const tni_file_place *place, bool keep) {
  int error = 0;
  if (place->through) return 0;
  if (keep && rename(place->part, place->name) == 0) return 0;
  if (keep) error = errno;
  remove(place->part);
  return error;
}
