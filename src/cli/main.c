/* cli/main.c - the tenon command
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const cli_command *const commands[] = {
    &cli_check, &cli_run, &cli_compare, &cli_techniques, &cli_sweep, &cli_decompose, &cli_advise, &cli_view, &cli_plot, &cli_report, &cli_export, &cli_info,
    &cli_schema, &cli_reference};
enum { NCOMMAND = sizeof(commands)/sizeof(commands[0]) };

static tn_ctx *signal_ctx; /* the only thing a handler may touch */

static volatile sig_atomic_t signals;
int cli_signals(void) { return signals; }

static void on_signal(int sig) {
  signals++;
  tn_ctx_interrupt(signal_ctx);
  /* a second Ctrl-C ends the program at once */
  signal(sig, SIG_DFL);
}

static void on_log(void *user, tn_log_level level, const char *line) {
  const cli *c = user;
  if (!c->quiet)
    fprintf(stderr, "%s%s: %s%s\n", c->color ? "\033[33m" : "",
            level == TN_LOG_WARNING ? "warning" : "note", line, c->color ? "\033[0m" : "");
}

static int exit_code(tn_status status) {
  if (status == TN_OK) return EXIT_DONE;
  if (status > 0) return EXIT_OUTCOME;
  return status == TN_ERR_INPUT || status == TN_ERR_ARGUMENT || status == TN_ERR_UNSUPPORTED
             ? EXIT_INPUT
             : EXIT_FAIL;
}

/* "tenon: text" on standard error, kept for those who read JSON; `where` may be "" */
static void say_error(cli *c, const char *where, const char *fmt, va_list ap) {
  vsnprintf(c->error, sizeof(c->error), fmt, ap);
  if (c->silent) return;
  fprintf(stderr, "%stenon%s%s: %s%s\n", c->color ? "\033[31m" : "", where[0] ? " " : "", where,
          c->error, c->color ? "\033[0m" : "");
}

int cli_error(cli *c, int code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  say_error(c, "", fmt, ap);
  va_end(ap);
  return code;
}

int cli_fail(cli *c, tn_status status) {
  const char *m = tn_ctx_message(c->ctx);
  c->status = status;
  return cli_error(c, exit_code(status), "%s", m[0] ? m : tn_status_text(status));
}

int cli_fail_read(cli *c, tn_status status) {
  int code = cli_fail(c, status);
  return status == TN_ERR_IO ? EXIT_INPUT : code;
}

int cli_usage(cli *c, const cli_command *command, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  say_error(c, command->name, fmt, ap);
  va_end(ap);
  if (!c->silent) fprintf(stderr, "usage: tenon %s %s\n", command->name, command->usage);
  return EXIT_INPUT;
}

bool cli_reader_gone(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

/* A command that ends without an answer in JSON answers with its error. */
static int end(cli *c, int code) {
  if (!c->json || c->answered || c->silent || code == EXIT_DONE) return code;
  printf("{\n  \"outcome\": \"failed\",\n  \"exit_code\": %d,\n  \"error\": \"", code);
  for (const char *s = c->error[0] ? c->error : "see standard error"; *s; s++) {
    unsigned char ch = (unsigned char)*s;
    if (ch == '"' || ch == '\\') printf("\\%c", ch);
    else if (ch < 32) printf("\\u%04x", ch);
    else putchar(ch);
  }
  printf("\"\n}\n");
  return code;
}

int cli_load(cli *c, const char *path, const char *const *overrides, int noverride, tn_spec **spec,
             tn_model **model) {
  *spec = NULL;
  *model = NULL;
  tn_status st = tn_spec_read_file(c->ctx, path, overrides, noverride, spec);
  if (st == TN_OK) st = tn_model_compile(c->ctx, *spec, model);
  if (st == TN_OK) return 0;
  int code = cli_fail_read(c, st);
  tn_spec_destroy(spec);
  return code;
}

static void help(FILE *out) {
  fprintf(out, "tenon %s - simulate mechanisms and structures\n\nusage: tenon <command> ...\n\n",
          tn_version());
  for (int i = 0; i < NCOMMAND; i++)
    fprintf(out, "  %-9s %-52s %s\n", commands[i]->name, commands[i]->usage, commands[i]->summary);
  fprintf(out,
          "\nfor all:   --quiet     only errors\n"
          "           --json      machine-readable output on standard output\n"
          "           --threads n worker threads; results do not depend on it\n"
          "           NO_COLOR in the environment switches colour off\n"
          "exit code: 0 done, 1 analysis outcome, 2 wrong input, 3 failure\n");
}

/* take the options that every command knows out of argv; returns the new argc, -1 on error */
static int common_options(cli *c, int argc, char **argv, int *threads) {
  int n = 0;
  bool bad = false; /* told after --json has been seen */
  for (int i = 0; i < argc; i++) {
    const char *value;
    int got = cli_option(argc, argv, &i, "--threads", &value);
    if (got) {
      *threads = got > 0 ? atoi(value) : 0;
      if (*threads < 1 || *threads > 1024) bad = true;
    } else if (strcmp(argv[i], "--quiet") == 0) {
      c->quiet = true;
    } else if (strcmp(argv[i], "--json") == 0) {
      c->json = true;
    } else {
      argv[n++] = argv[i];
    }
  }
  return bad ? -1 : n;
}

static int unknown_command(cli *c, const char *word) {
  cli_nearest best = {NULL, 0};
  for (int i = 0; i < NCOMMAND; i++) {
    cli_nearest_offer(word, commands[i]->name, &best);
    /* two letters are enough to guess: there are few commands */
    if (!best.word && strncmp(word, commands[i]->name, 2) == 0) best.word = commands[i]->name;
  }
  if (best.word)
    return cli_error(c, EXIT_INPUT, "unknown command '%s'; did you mean '%s'?", word, best.word);
  return cli_error(c, EXIT_INPUT, "unknown command '%s'; 'tenon help' lists them", word);
}

/* OpenBLAS starts threads when it is loaded, one per core. We never use them, each takes 128 MB of
 * address space, and where that is not to be had they ask for it without end, or the program dies before
 * main. The only way to have none is the environment that it finds, and the one place that comes before
 * the libraries is here, where only system calls may be made. There is no room for another variable: one
 * that no library asks for while it is loaded lends its place until main. Where there is none, the
 * program starts itself again, which takes as long as loading the libraries once more. */
extern char **environ;
static char blas_setting[] = "OPENBLAS_NUM_THREADS=1", *lent;

static void start_again(char **argv, char **envp) {
  enum { MOST = 4096 };
  static char *env[MOST + 2];
  int n = 0;
  for (; envp[n]; n++) {
    if (n == MOST) return; /* with threads, then */
    env[n] = envp[n];
  }
  env[n] = blas_setting;
  execve("/proc/self/exe", argv, env);
}

static void without_blas_threads(int argc, char **argv, char **envp) {
  static const char *const lender[] = {"OPENBLAS_NUM_THREADS=", "_=", "OLDPWD=", "SHLVL=", "PWD="};
  (void)argc;
  for (int i = 0; i < (int)(sizeof(lender)/sizeof(lender[0])); i++) {
    for (char **e = envp; *e; e++) {
      if (strncmp(*e, lender[i], strlen(lender[i])) != 0) continue;
      lent = *e;
      *e = blas_setting;
      return;
    }
  }
  start_again(argv, envp);
}

/* what was lent, back in its place: programs that this one starts find what was there */
static void give_back(void) {
  for (char **e = environ; lent && *e; e++)
    if (*e == blas_setting) *e = lent;
}
#ifndef __SANITIZE_ADDRESS__ /* whose runtime is not ready so early */
__attribute__((section(".preinit_array"), used)) static void (*before_libraries)(
    int, char **, char **) = without_blas_threads;
#endif

/* Leave without the exit handlers of libraries: nothing is left for them to do, and with little memory
 * some do not return. */
static void leave(int code) {
  fflush(NULL);
  _exit(code);
}

static int command_line(int argc, char **argv) {
  cli c = {0};
  int threads = 1;
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  c.terminal = isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
  c.color = c.terminal && !(no_color && no_color[0]);
  int n = common_options(&c, argc - 1, argv + 1, &threads);
  if (n < 0) return end(&c, cli_error(&c, EXIT_INPUT, "--threads needs a number from 1 to 1024"));
  char **args = argv + 1;
  if (n == 0 || strcmp(args[0], "help") == 0 || strcmp(args[0], "--help") == 0 ||
      strcmp(args[0], "-h") == 0) {
    help(n == 0 ? stderr : stdout);
    return n == 0 ? EXIT_INPUT : EXIT_DONE;
  }
  if (strcmp(args[0], "--version") == 0 || strcmp(args[0], "version") == 0) {
    printf("tenon %s\n", tn_version());
    return EXIT_DONE;
  }
  const cli_command *command = NULL;
  for (int i = 0; i < NCOMMAND; i++)
    if (strcmp(args[0], commands[i]->name) == 0) command = commands[i];
  if (!command) return end(&c, unknown_command(&c, args[0]));
  for (int i = 1; i < n; i++) {
    if (strcmp(args[i], "--help") != 0 && strcmp(args[i], "-h") != 0) continue;
    printf("usage: tenon %s %s\n%s\n", command->name, command->usage, command->summary);
    return EXIT_DONE;
  }
  tn_ctx_opts o = {.log = on_log, .user = &c, .threads = threads};
  if (tn_ctx_create(&o, &c.ctx) != TN_OK)
    return end(&c, cli_error(&c, EXIT_FAIL, "out of memory"));
  signal_ctx = c.ctx;
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  if (command == &cli_run && !cli_join_ranks(&c)) return end(&c, EXIT_FAIL);
  int code = command->run(&c, n, args);
  if (command == &cli_run) code = cli_leave_ranks(&c, code);
  code = end(&c, code);
  if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE && !cli_reader_gone()) {
    fprintf(stderr, "tenon: cannot write to standard output: %s\n", strerror(errno));
    code = EXIT_FAIL;
  }
  tn_ctx_destroy(&c.ctx);
  return code;
}

int main(int argc, char **argv) {
  give_back();
  cli_know_processor();
  /* both become errors of the write that caused them */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  leave(command_line(argc, argv));
}
