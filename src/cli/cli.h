/* cli/cli.h - shared by the subcommands; public headers only
 *
 * Exit codes: 0 done, 1 analysis outcome (did not converge, inconsistent, stopped), 2 wrong input,
 * 3 failure (memory, disk, bug).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef CLI_H
#define CLI_H

#include <stdio.h>
#include <tenon/tenon.h>

enum { EXIT_DONE = 0, EXIT_OUTCOME = 1, EXIT_INPUT = 2, EXIT_FAIL = 3 };

typedef struct {
  tn_ctx *ctx;
  bool quiet, json;
  bool color;    /* standard error is a terminal and NO_COLOR is not set */
  bool terminal; /* standard error is a terminal                         */
  bool answered; /* JSON has been printed                                */
  bool silent;   /* another rank speaks                                  */
  tn_status status; /* the last one that failed                          */
  char error[2048]; /* the last message of an error                      */
} cli;

/* one subcommand; argv[0] is its name */
typedef struct {
  const char *name, *usage, *summary;
  int (*run)(cli *c, int argc, char **argv);
} cli_command;

extern const cli_command cli_check, cli_run, cli_compare, cli_plot, cli_report, cli_view, cli_export,
    cli_info, cli_schema, cli_reference, cli_techniques, cli_decompose, cli_advise, cli_sweep;

/* "tenon: message" on standard error; with --json the command answers with it if with nothing else.
 * Returns the code. */
int cli_error(cli *c, int code, const char *fmt, ...) TN_PRINTF(3, 4);
/* the same with the message of the library; returns the exit code of the status */
int cli_fail(cli *c, tn_status status);
/* the same for a file that the user named: one that cannot be read is wrong input, not a failing disk */
int cli_fail_read(cli *c, tn_status status);
/* the same for wrong arguments: message and usage of the command */
int cli_usage(cli *c, const cli_command *command, const char *fmt, ...) TN_PRINTF(3, 4);

/* ranks.c: with mpirun, processes that run a model together, of which one speaks; false: they could not meet, and that has been said */
bool cli_join_ranks(cli *c);
int cli_leave_ranks(cli *c, int code); /* the code that all end with */

/* Has whoever read our standard output gone away? Then there is nothing to say and nothing failed. */
bool cli_reader_gone(void);
void cli_know_processor(void); /* before anything is computed: processor.c */

/* Read and compile a model; overrides are "name=value". Returns an exit code, 0 when fine. */
int cli_load(cli *c, const char *path, const char *const *overrides, int noverride, tn_spec **spec,
             tn_model **model);

/* Options: `--name value` or `--name=value`. Returns 1 when argv[*i] is the option (value in *out,
 * *i moved on), 0 when not, -1 when its value is missing. */
int cli_option(int argc, char **argv, int *i, const char *name, const char **out);

/* One option of a command; one of text, number, flag, list is not NULL and takes what is given. */
typedef struct {
  const char *name;
  const char **text;
  double *number;      /* positive                        */
  bool *flag;
  const char **list;   /* [max], *nlist of them are taken */
  int *nlist, max;
} cli_opt;

/* All arguments of a command: options, and up to max names that are not options; what: "model". An
 * exit code with a message about the option that is unknown or lacks its value, 0 when fine. */
int cli_parse(cli *c, const cli_command *command, int argc, char **argv, const cli_opt *opt,
              int nopt, const char *what, const char **names, int max, int *n);

/* the candidate that looks most like a word, if any does */
typedef struct {
  const char *word; /* NULL: none */
  int distance;
} cli_nearest;
void cli_nearest_offer(const char *word, const char *candidate, cli_nearest *best);

/* A text file that a command writes (out.c): whole or not at all; over what a link leads to; devices and pipes as they are.
 * source: what the command reads, which must not be written over, or NULL. begin opens o->file; end closes it, and keeps
 * or drops what was written. Exit codes, 0 when fine; end of what is not kept: EXIT_FAIL without a message. */
typedef struct {
  FILE *file;
  const char *path;
  char name[4096], part[4104];
  bool through;
} cli_out;
int cli_out_begin(cli *c, cli_out *o, const char *path, const char *source);
int cli_out_end(cli *c, cli_out *o, bool keep);

/* "rod.position" or, with the component, "rod.position.x"; what it measures: "position" */
void cli_signal_name(tn_results *r, tn_signal g, bool component, char *out, size_t n);
void cli_signal_quantity(tn_results *r, tn_signal g, char *out, size_t n);
/* Its numbers at all stored times, to be freed; NULL: failed, the context has the message unless
 * memory ran out. */
double *cli_signal_read(tn_results *r, tn_signal g);
/* Ticks over the panels of a plot over time where something switched. */
tn_status cli_mark_events(tn_results *r, tn_plot *plot, int npanel);

/* a positive number, or -1 */
double cli_number(const char *text);
/* Open an address in the default browser; false when there is no screen or, if we wait for it, when
 * it failed. */
bool cli_open_browser(const char *address, bool wait);

/* Run a deck (deck.c), or print what it becomes; output: as of run, "" nothing. Exit code. */
int cli_run_deck(cli *c, const char *path, const char *output, bool translate);

/* How often the user has pressed Ctrl-C or the like. */
int cli_signals(void);

/* The page of a run that is going on (live.c). start prints the address, NULL on failure with a
 * line on standard error; stop says how the run ended (1 complete, 2 stopped, 3 failed, 4 complete but
 * doubtful; -1: it never began), waits until a page has got the rest, and sets *live to NULL. */
typedef struct cli_live cli_live;
cli_live *cli_live_start(cli *c);
const tn_watch *cli_live_watch(const cli_live *live);
void cli_live_progress(cli_live *live, double share);
void cli_live_stop(cli *c, cli_live **live, int state);

/* The page of stored results whose fields the page asks for one by one: a scene with fields_apart, which must stay open.
 * start writes the address, NULL on failure; wait returns when the page was closed, or at Ctrl-C; end with
 * cli_live_stop(c, &live, -1). */
bool cli_can_serve(void);
cli_live *cli_serve_start(cli *c, tn_scene *scene, char *address, size_t n);
void cli_serve_wait(cli_live *live);

/* A browser without a window (browser.c). open waits until the page has drawn; NULL on failure with
 * a line on standard error. eval runs a script without double quotes or backslashes; value: its text,
 * may be NULL. picture writes what is seen, as "png" or "jpeg". */
typedef struct cli_browser cli_browser;
cli_browser *cli_browser_open(const char *url, int width, int height);
void cli_browser_close(cli_browser **browser);
bool cli_browser_eval(cli_browser *browser, const char *script, char *value, size_t n);
bool cli_browser_picture(cli_browser *browser, const char *format, FILE *out);
bool cli_has_program(const char *name);

/* Pictures of a scene at some times, each handed over as a stream of PNG (view.c). Exit code. */
int cli_scene_pictures(cli *c, tn_scene *scene, const char *results, const double *t, int n,
                       void (*take)(void *user, FILE *png), void *user);

#endif
