/* cli/browser.c - a browser without a window, to make pictures and videos of the page
 *
 * Chromium is started with its debugging pipe: it reads commands from file descriptor 3 and answers
 * on 4, JSON texts ended by a zero byte. Of the answers only a few texts are needed; they are found
 * by their keys, which the browser writes without spaces.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

struct cli_browser {
  pid_t child;
  int to, from;
  int id;             /* of the last command              */
  char session[80];
  char profile[256];  /* folder of its own, removed at the end */
  char *s;            /* what has been read               */
  size_t n, cap;
};

enum { PATIENCE = 120000 }; /* milliseconds for an answer; a busy machine may need many */

/* ---- finding and running programs ------------------------------------------------------------ */

static bool on_path(const char *name) {
  const char *path = getenv("PATH");
  char full[4096];
  if (strchr(name, '/')) return access(name, X_OK) == 0;
  while (path && *path) {
    size_t n = strcspn(path, ":");
    snprintf(full, sizeof(full), "%.*s/%s", (int)n, path, name);
    if (access(full, X_OK) == 0) return true;
    path += n + (path[n] == ':');
  }
  return false;
}

static const char *find_browser(void) {
  static const char *const name[] = {"chromium", "chromium-browser", "google-chrome",
                                     "google-chrome-stable"};
  const char *own = getenv("TENON_BROWSER");
  if (own && own[0]) return on_path(own) ? own : NULL;
  for (size_t i = 0; i < sizeof(name)/sizeof(name[0]); i++)
    if (on_path(name[i])) return name[i];
  return NULL;
}

bool cli_has_program(const char *name) { return on_path(name); }

/* the ends of the pipes lie well above 3 and 4, so that dup2 overwrites none of them */
static bool high_pipe(int fd[2]) {
  int low[2];
  if (pipe(low) != 0) return false;
  for (int i = 0; i < 2; i++) {
    fd[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 10);
    close(low[i]);
  }
  return fd[0] >= 0 && fd[1] >= 0;
}

static void run_child(const char *program, int in, int out, const char *profile, int width,
                      int height) {
  char data[300], size[64];
  int null = open("/dev/null", O_RDWR);
  snprintf(data, sizeof(data), "--user-data-dir=%s", profile);
  snprintf(size, sizeof(size), "--window-size=%d,%d", width, height);
  for (int fd = 0; fd < 3; fd++) dup2(null, fd);
  dup2(in, 3);
  dup2(out, 4);
  /* the sandbox needs rights that root in a container does not have; the page is our own */
  const char *sandbox = geteuid() == 0 ? "--no-sandbox" : "--no-first-run";
  execlp(program, program, "--headless=new", "--remote-debugging-pipe", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--hide-scrollbars", "--mute-audio", "--disable-extensions",
         "--disable-background-networking", "--disable-sync", "--disable-dev-shm-usage",
         "--force-color-profile=srgb", "--no-first-run", sandbox, data, size, "about:blank",
         (char *)NULL);
  _exit(127);
}

/* ---- commands and answers --------------------------------------------------------------------- */

static bool write_all(int fd, const char *s, size_t n) {
  while (n) {
    ssize_t k = write(fd, s, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    s += k;
    n -= (size_t)k;
  }
  return true;
}

/* drop the message at the front */
static void drop(cli_browser *b, size_t n) {
  memmove(b->s, b->s + n, b->n - n);
  b->n -= n;
}

/* the next message, 0-terminated at the front of s; false: none in time */
static bool next_message(cli_browser *b, size_t *length) {
  for (;;) {
    char *end = b->n ? memchr(b->s, 0, b->n) : NULL;
    if (end) {
      *length = (size_t)(end - b->s) + 1;
      return true;
    }
    if (b->n + 65536 > b->cap) {
      size_t cap = 2*b->cap + 131072;
      char *s = realloc(b->s, cap);
      if (!s) return false;
      b->s = s;
      b->cap = cap;
    }
    struct pollfd p = {b->from, POLLIN, 0};
    int ready = poll(&p, 1, PATIENCE);
    if (ready < 0 && errno == EINTR) return false; /* Ctrl-C */
    ssize_t k = ready > 0 ? read(b->from, b->s + b->n, 65536) : 0;
    if (k <= 0) return false;
    b->n += (size_t)k;
  }
}

/* Send a command; the answer stays at the front of s until the next one. params: inside of braces. */
static const char *command(cli_browser *b, const char *method, const char *fmt, ...) {
  char params[8192], text[9000], head[32];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(params, sizeof(params), fmt, ap);
  va_end(ap);
  int n = snprintf(text, sizeof(text), "{\"id\":%d,\"method\":\"%s\",\"params\":{%s}", ++b->id, method,
                   params);
  if (b->session[0])
    n += snprintf(text + n, sizeof(text) - (size_t)n, ",\"sessionId\":\"%s\"", b->session);
  n += snprintf(text + n, sizeof(text) - (size_t)n, "}");
  if (!write_all(b->to, text, (size_t)n + 1)) return NULL;
  int nhead = snprintf(head, sizeof(head), "{\"id\":%d,", b->id);
  for (size_t length; next_message(b, &length); drop(b, length))
    if (strncmp(b->s, head, (size_t)nhead) == 0) return b->s;
  return NULL;
}

static void done(cli_browser *b) {
  size_t length;
  if (next_message(b, &length)) drop(b, length);
}

/* the text after "key":" up to the next quote; false: not there */
static bool find_text(const char *answer, const char *key, char *out, size_t n) {
  char mark[64];
  snprintf(mark, sizeof(mark), "\"%s\":\"", key);
  const char *at = answer ? strstr(answer, mark) : NULL;
  if (!at) return false;
  at += strlen(mark);
  size_t length = strcspn(at, "\"");
  if (length >= n) return false;
  memcpy(out, at, length);
  out[length] = 0;
  return true;
}

bool cli_browser_eval(cli_browser *b, const char *script, char *value, size_t n) {
  const char *a = command(b, "Runtime.evaluate", "\"expression\":\"%s\",\"returnByValue\":true,\"awaitPromise\":true", script);
  bool ok = a && !strstr(a, "\"exceptionDetails\"");
  if (ok && value && !find_text(a, "value", value, n)) value[0] = 0;
  if (a) done(b);
  return ok;
}

/* ---- begin and end ----------------------------------------------------------------------------- */

static cli_browser *give_up(cli_browser *b, const char *what) {
  fprintf(stderr, "tenon: %s\n", what);
  cli_browser_close(&b);
  return NULL;
}

static bool open_page(cli_browser *b, const char *url, int width, int height) {
  char target[80], ready[16] = "";
  const char *a = command(b, "Target.createTarget", "\"url\":\"about:blank\"");
  if (!find_text(a, "targetId", target, sizeof(target))) return false;
  done(b);
  a = command(b, "Target.attachToTarget", "\"targetId\":\"%s\",\"flatten\":true", target);
  char session[80];
  if (!find_text(a, "sessionId", session, sizeof(session))) return false;
  done(b);
  memcpy(b->session, session, sizeof(session));
  if (!command(b, "Emulation.setDeviceMetricsOverride",
               "\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false", width, height))
    return false;
  done(b);
  if (!command(b, "Page.navigate", "\"url\":\"%s\"", url)) return false;
  done(b);
  for (int k = 0; k < PATIENCE/50 && !ready[0]; k++) {
    struct timespec pause = {0, 50000000};
    if (!cli_browser_eval(b, "document.documentElement?.dataset.ready || ''", ready, sizeof(ready)))
      return false;
    if (!ready[0] && nanosleep(&pause, NULL) != 0) return false;
  }
  return strcmp(ready, "yes") == 0;
}

cli_browser *cli_browser_open(const char *url, int width, int height) {
  const char *program = find_browser(), *place = getenv("TMPDIR");
  int to[2], from[2];
  if (!program) {
    fprintf(stderr, "tenon: pictures and videos need Chromium, which is not installed; on Debian: "
                    "apt-get install chromium\n");
    return NULL;
  }
  cli_browser *b = calloc(1, sizeof(*b));
  if (!b) return NULL;
  b->to = b->from = -1;
  snprintf(b->profile, sizeof(b->profile), "%s/tenon-browser-XXXXXX", place && place[0] ? place : "/tmp");
  if (!mkdtemp(b->profile)) {
    b->profile[0] = 0;
    return give_up(b, "no room for the browser in the folder for temporary files");
  }
  if (!high_pipe(to) || !high_pipe(from)) return give_up(b, "no pipe to the browser");
  b->child = fork();
  if (b->child == 0) run_child(program, to[0], from[1], b->profile, width, height);
  close(to[0]);
  close(from[1]);
  b->to = to[1];
  b->from = from[0];
  if (b->child < 0 || !open_page(b, url, width, height))
    return give_up(b, "the browser could not show the page");
  return b;
}

static void remove_folder(const char *folder) {
  pid_t child = fork();
  if (child == 0) {
    execlp("rm", "rm", "-rf", folder, (char *)NULL);
    _exit(127);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

void cli_browser_close(cli_browser **browser) {
  cli_browser *b = *browser;
  if (!b) return;
  b->session[0] = 0;
  if (b->child > 0) {
    command(b, "Browser.close", "%s", "");
    waitpid(b->child, NULL, 0);
  }
  if (b->to >= 0) close(b->to);
  if (b->from >= 0) close(b->from);
  if (b->profile[0]) remove_folder(b->profile);
  free(b->s);
  free(b);
  *browser = NULL;
}

/* ---- pictures ---------------------------------------------------------------------------------- */

static int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* decode in place; returns the number of bytes */
static size_t decode_base64(char *s) {
  unsigned x = 0;
  int bits = 0;
  size_t n = 0;
  for (const char *c = s; digit(*c) >= 0; c++) {
    x = x << 6 | (unsigned)digit(*c);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    s[n++] = (char)(x >> bits & 255);
  }
  return n;
}

bool cli_browser_picture(cli_browser *b, const char *format, FILE *out) {
  static const char mark[] = "\"data\":\"";
  const char *a = command(b, "Page.captureScreenshot", "\"format\":\"%s\"%s", format,
                          strcmp(format, "jpeg") == 0 ? ",\"quality\":92" : "");
  char *data = a ? strstr(b->s, mark) : NULL;
  bool ok = data != NULL;
  if (ok) {
    data += sizeof(mark) - 1;
    /* the quote after the data ends the decoding; what follows in the message is not needed */
    size_t length, n;
    next_message(b, &length);
    n = decode_base64(data);
    ok = n > 0 && fwrite(data, 1, n, out) == n;
    drop(b, length);
  } else if (a) {
    done(b);
  }
  return ok;
}
