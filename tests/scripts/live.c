/* tenon run --live in bad company: foreign hosts, second headers, a hundred connections that say
 * nothing; and it ends within a second when it is told to.
 *   live path/to/tenon
 * Exit code 77: the command was built without a server.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _XOPEN_SOURCE 700
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

static const char model[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: 1, shape: {box: [1, 0.1, 0.1]}, at: [0.5, 0, 0]}}\n"
    "joints: {hinge: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n"
    "analysis: {until: 1e7, tolerance: 1e-6}\n"
    "output: {every: 0.1}\n";

enum { NSTALLED = 100 };

static const char *tenon;
static char folder[200], path[256]; /* path of the page: /token/ */
static pid_t child;
static int port;

static double now(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + 1e-9*(double)ts.tv_nsec;
}

/* start a run of hours and wait for its address; false: no server in this build */
static bool start(void) {
  int said[2];
  if (pipe(said) != 0) exit(1);
  child = fork();
  if (child == 0) {
    dup2(said[1], STDERR_FILENO);
    if (!freopen("/dev/null", "w", stdout)) _exit(1);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    execl(tenon, "tenon", "run", "model.yaml", "--live", "--no-output", (char *)NULL);
    _exit(127);
  }
  close(said[1]);
  FILE *f = fdopen(said[0], "r");
  char line[512];
  while (f && fgets(line, sizeof(line), f)) {
    if (strstr(line, "not in this build")) return false;
    if (sscanf(line, "live http://127.0.0.1:%d%255s", &port, path) == 2) return true;
  }
  printf("no address\n");
  exit(1);
}

static int reach(void) {
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  struct timeval patience = {5, 0};
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (s < 0 || connect(s, (struct sockaddr *)&there, sizeof(there)) != 0) return -1;
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  return s;
}

/* code of the answer to a request with these header lines; 0: none */
static int ask(const char *head) {
  char request[1024], answer[65536] = "";
  int s = reach(), code = 0;
  if (s < 0) return 0;
  snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\n%sConnection: close\r\n\r\n", path, head);
  if (send(s, request, strlen(request), MSG_NOSIGNAL) > 0) {
    ssize_t n = recv(s, answer, sizeof(answer) - 1, MSG_WAITALL);
    if (n > 0) sscanf(answer, "HTTP/1.1 %d", &code);
  }
  close(s);
  return code;
}

static int ask_as(const char *first, const char *second) {
  char head[512];
  snprintf(head, sizeof(head), "%s%s", first, second);
  return ask(head);
}

static void only_our_own_name_is_answered(void) {
  char here[64], origin[80];
  snprintf(here, sizeof(here), "Host: 127.0.0.1:%d\r\n", port);
  snprintf(origin, sizeof(origin), "Origin: http://127.0.0.1:%d\r\n", port);
  CHECK_INT(ask(here), 200);
  CHECK_INT(ask_as(here, origin), 200);
  CHECK_INT(ask("Host: evil.example\r\n"), 403);
  CHECK_INT(ask_as(here, "Origin: http://evil.example\r\n"), 403);
  CHECK_INT(ask_as(here, "Sec-Fetch-Site: cross-site\r\n"), 403);
  /* the library below may refuse these itself, as 400 */
  int code[4] = {ask_as(here, "Host: evil.example\r\n"), ask_as("Host: evil.example\r\n", here),
                 ask_as(here, here), ask("")};
  for (int i = 0; i < 4; i++) CHECK(code[i] == 403 || code[i] == 400);
  char both[200];
  snprintf(both, sizeof(both), "%sOrigin: http://evil.example\r\n", origin);
  CHECK_INT(ask_as(here, both), 403);
}

/* half of them begin a request; then the page is still served, and the run ends when it is told to */
static void silent_connections_stop_nothing(void) {
  int stalled[NSTALLED], reached = 0;
  char here[64];
  snprintf(here, sizeof(here), "Host: 127.0.0.1:%d\r\n", port);
  for (int i = 0; i < NSTALLED; i++) {
    stalled[i] = reach();
    reached += stalled[i] >= 0;
    if (i % 2 && stalled[i] >= 0) CHECK(send(stalled[i], "GET / HTTP/1.1\r\nHost: ", 22, MSG_NOSIGNAL) == 22);
  }
  CHECK_INT(reached, NSTALLED);
  double begin = now();
  CHECK_INT(ask(here), 200);
  CHECK(now() - begin < 2);
  begin = now();
  kill(child, SIGTERM);
  int status;
  waitpid(child, &status, 0);
  double took = now() - begin;
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  if (!CHECK(took < 1)) printf("  ended after %.2f s\n", took);
  for (int i = 0; i < NSTALLED; i++)
    if (stalled[i] >= 0) close(stalled[i]);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  tenon = realpath(argv[1], NULL);
  const char *place = getenv("TMPDIR");
  snprintf(folder, sizeof(folder), "%s/tenon-live-XXXXXX", place ? place : "/tmp");
  if (!tenon || !mkdtemp(folder) || chdir(folder) != 0) return 1;
  FILE *f = fopen("model.yaml", "w");
  if (!f || fputs(model, f) < 0 || fclose(f) != 0) return 1;
  signal(SIGPIPE, SIG_IGN);
  bool server = start();
  if (server) {
    RUN(only_our_own_name_is_answered);
    RUN(silent_connections_stop_nothing);
  }
  remove("model.yaml");
  rmdir(folder);
  return server ? REPORT() : 77;
}
