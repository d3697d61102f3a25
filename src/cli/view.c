/* cli/view.c - tenon view: an animated page of a run
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

static tn_status write_bytes(void *user, const char *bytes, size_t n) {
  return fwrite(bytes, 1, n, user) == n ? TN_OK : TN_ERR_IO;
}

/* write the page to a temporary name and rename, so that a failure leaves no half file */
static int write_page(cli *c, tn_scene *scene, const char *path) {
  char temporary[4200];
  snprintf(temporary, sizeof(temporary), "%s.part", path);
  FILE *file = fopen(temporary, "wb");
  if (!file) {
    fprintf(stderr, "tenon: cannot write '%s': %s\n", path, strerror(errno));
    return EXIT_FAIL;
  }
  tn_status st = tn_scene_write_page(scene, write_bytes, file);
  int error = errno;
  bool closed = fclose(file) == 0;
  if (st == TN_OK && closed && rename(temporary, path) == 0) return EXIT_DONE;
  if (st != TN_OK && st != TN_ERR_IO) cli_fail(c, st);
  else fprintf(stderr, "tenon: cannot write '%s': %s\n", path, strerror(st == TN_OK ? errno : error));
  remove(temporary);
  return EXIT_FAIL;
}

bool cli_open_browser(const char *address) {
  const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  if (!(display && display[0]) && !(wayland && wayland[0])) return false;
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
      dup2(null, STDIN_FILENO);
      dup2(null, STDOUT_FILENO);
      dup2(null, STDERR_FILENO);
    }
    execlp("xdg-open", "xdg-open", address, (char *)NULL);
    _exit(127);
  }
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/* a new folder that only the user can read, with a page named after the results */
static bool temporary_page(const char *results, char *path, size_t n) {
  const char *place = getenv("TMPDIR"), *slash = strrchr(results, '/');
  const char *name = slash ? slash + 1 : results, *dot = strrchr(name, '.');
  char folder[2048];
  snprintf(folder, sizeof(folder), "%s/tenon-view-XXXXXX", place && place[0] ? place : "/tmp");
  if (!mkdtemp(folder)) {
    fprintf(stderr, "tenon: cannot make a folder in '%s': %s\n", place ? place : "/tmp", strerror(errno));
    return false;
  }
  int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
  snprintf(path, n, "%s/%.*s.html", folder, length, name);
  return true;
}

static int run_view(cli *c, int argc, char **argv) {
  const char *path = NULL, *html = NULL;
  for (int i = 1; i < argc; i++) {
    int got = cli_option(argc, argv, &i, "--html", &html);
    if (got < 0) return cli_usage(c, &cli_view, "--html needs a file name");
    if (got > 0) continue;
    if (argv[i][0] == '-') return cli_usage(c, &cli_view, "unknown option '%s'", argv[i]);
    if (path) return cli_usage(c, &cli_view, "one results file at a time, got also '%s'", argv[i]);
    path = argv[i];
  }
  if (!path) return cli_usage(c, &cli_view, "no results file given");
  tn_scene *scene;
  tn_status st = tn_scene_open(c->ctx, path, NULL, &scene);
  if (st != TN_OK) return cli_fail(c, st) == EXIT_OUTCOME ? EXIT_OUTCOME : EXIT_INPUT;
  char own[4096];
  int code = EXIT_DONE;
  if (!html && !temporary_page(path, own, sizeof(own))) code = EXIT_FAIL;
  if (code == EXIT_DONE) code = write_page(c, scene, html ? html : own);
  if (code == EXIT_DONE) {
    const tn_scene_info *info = tn_scene_get_info(scene);
    if (!c->quiet && info->note[0]) fprintf(stderr, "note: %s\n", info->note);
    if (html) {
      if (!c->quiet) fprintf(stderr, "wrote %s\n", html);
    } else {
      char address[4200];
      snprintf(address, sizeof(address), "file://%s", own);
      bool opened = cli_open_browser(address);
      printf("%s\n", address);
      if (!opened && !c->quiet)
        fprintf(stderr, "no browser could be opened here: open the address in one, or use --html file.html\n");
    }
  }
  tn_scene_close(&scene);
  return code;
}

const cli_command cli_view = {"view", "results.h5 [--html page.html]",
                              "animate a run in the browser, or as one page to mail", run_view};
