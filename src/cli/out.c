/* cli/out.c - text files that commands write: whole or not at all, never over what is read, never in the place of a device
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static bool same_file(const char *a, const char *b) {
  struct stat sa, sb;
  return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

int cli_out_begin(cli *c, cli_out *o, const char *path, const char *source) {
  struct stat about;
  *o = (cli_out){.path = path};
  if (source && same_file(path, source))
    return cli_error(c, EXIT_INPUT, "'%s' is what is read: it must not be written over", path);
  char *target = realpath(path, NULL); /* links stay, what they lead to is written */
  int n = snprintf(o->name, sizeof(o->name), "%s", target ? target : path);
  free(target);
  if (n >= (int)sizeof(o->name)) return cli_error(c, EXIT_FAIL, "cannot write '%.80s...': the name is too long", path);
  o->through = stat(o->name, &about) == 0 && !S_ISREG(about.st_mode);
  snprintf(o->part, sizeof(o->part), o->through ? "%s" : "%s.part", o->name);
  o->file = fopen(o->part, "wb");
  return o->file ? 0 : cli_error(c, EXIT_FAIL, "cannot write '%s': %s", path, strerror(errno));
}

int cli_out_end(cli *c, cli_out *o, bool keep) {
  bool ok = !ferror(o->file);
  int error = errno;
  if (fclose(o->file) != 0 && ok) ok = false, error = errno;
  o->file = NULL;
  if (keep && ok && (o->through || rename(o->part, o->name) == 0)) return 0;
  if (keep && ok) error = errno;
  if (!o->through) remove(o->part);
  return keep ? cli_error(c, EXIT_FAIL, "cannot write '%s': %s", o->path, strerror(error)) : EXIT_FAIL;
}
