/* output/seat.c - lock, temporary and final name of a results file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "output/seat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/h5.h"

#ifdef F_OFD_SETLK
enum { SET_LOCK = F_OFD_SETLK };
#else
enum { SET_LOCK = F_SETLK };
#endif

/* false: another writer has it. Where there are no locks nobody can have one. */
static bool lock(int fd, bool writable) {
  struct flock whole = {.l_type = writable ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
  return fcntl(fd, SET_LOCK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
}

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static tn_status exists(const tni_seat *s) {
  return TN_FAIL(s->ctx, TN_ERR_IO,
                 "results '%s': exists already; choose another name or allow overwriting", s->path);
}

static tn_status system_failure(const tni_seat *s, int error) {
  char reason[TNI_REASON_MAX];
  tni_errno_reason(error, reason);
  return TN_FAIL(s->ctx, TN_ERR_IO, "results '%s': %s", s->path, reason);
}

/* is what lies there open as `old` something that may be replaced? */
static tn_status check_old(const tni_seat *s, bool writable) {
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
  unsigned char head[8] = {0};
  ssize_t n = pread(s->old, head, sizeof(head), 0);
  TN_REQUIRE(s->ctx, n == 0 || memcmp(head, signature, sizeof(head)) == 0, TN_ERR_IO,
             "results '%s': exists and is not a results file; remove it or choose another name",
             s->path);
  TN_REQUIRE(s->ctx, lock(s->old, writable), TN_ERR_IO,
             "results '%s': another run is writing this file; wait for it, or choose another name",
             s->path);
  return TN_OK;
}

/* open and lock what has the final name now, if anything has */
static tn_status hold_old(tni_seat *s) {
  struct stat about;
  bool writable = true;
  if (stat(s->final, &about) != 0) return TN_OK; /* absent; anything else shows on creation */
  TN_REQUIRE(s->ctx, S_ISREG(about.st_mode), TN_ERR_IO, "results '%s': is not a regular file",
             s->path);
  if (!s->overwrite) return exists(s);
  s->old = open(s->final, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (s->old < 0 && errno != ENOENT) {
    writable = false;
    s->old = open(s->final, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  }
  if (s->old < 0) return errno == ENOENT ? TN_OK : system_failure(s, errno);
  return check_old(s, writable);
}

static void release_old(tni_seat *s) {
  if (s->old >= 0) close(s->old);
  s->old = -1;
}

tn_status tni_seat_take(tni_seat *s) {
  s->fd = s->old = -1;
  char *target = realpath(s->path, NULL);
  s->final = tni_arena_strdup(s->arena, target ? target : s->path);
  free(target);
  if (!s->final) return tni_out_of_memory(s->ctx);
  TN_TRY(hold_old(s));
  for (int k = 0; k < 100; k++) {
    s->temporary = tni_arena_printf(s->arena, "%s.%ld-%d.part", s->final, (long)getpid(), k);
    if (!s->temporary) return tni_out_of_memory(s->ctx);
    s->fd = open(s->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (s->fd >= 0) {
      lock(s->fd, true); /* it is new: nobody else can have it */
      return TN_OK;
    }
    if (errno != EEXIST) break;
  }
  s->temporary = NULL;
  return system_failure(s, errno);
}

/* does the final name still belong to the file that is open as `old`? */
static bool old_is_there(const tni_seat *s) {
  struct stat open_one, named;
  return fstat(s->old, &open_one) == 0 && stat(s->final, &named) == 0 &&
         same_file(&open_one, &named);
}

tn_status tni_seat_publish(tni_seat *s) {
  /* more than one round only when others make, replace or remove the file in the same moment */
  for (int round = 0; round < 100; round++) {
    if (s->old >= 0 && !old_is_there(s)) {
      release_old(s);
      TN_TRY(hold_old(s));
    }
    bool linked = s->old < 0 && link(s->temporary, s->final) == 0;
    if (s->old < 0 && !linked && errno == EEXIST) {
      if (!s->overwrite) return exists(s);
      TN_TRY(hold_old(s));
      if (s->old >= 0) continue;
    }
    /* to replace, also a link that leads nowhere, or on a file system without hard links */
    if (linked) unlink(s->temporary);
    else if (rename(s->temporary, s->final) != 0) return system_failure(s, errno);
    s->temporary = NULL;
    release_old(s);
    return TN_OK;
  }
  return exists(s);
}

const char *tni_seat_lost(const tni_seat *s) {
  struct stat named, open_one;
  if (s->temporary || s->fd < 0 || fstat(s->fd, &open_one) != 0) return NULL;
  if (stat(s->final, &named) != 0)
    return errno == ENOENT || errno == ENOTDIR ? "the file was removed while the run wrote it" : NULL;
  return same_file(&open_one, &named)
             ? NULL
             : "the file was replaced by another one while the run wrote it";
}

void tni_seat_leave(tni_seat *s) {
  if (s->temporary) unlink(s->temporary);
  s->temporary = NULL;
  release_old(s);
}
