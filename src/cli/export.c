/* cli/export.c - tenon export: results as CSV or VTKHDF;  tenon info: what is in a results file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static tn_status write_text(void *user, const char *text, size_t n) {
  return fwrite(text, 1, n, user) == n ? TN_OK : TN_ERR_IO;
}

static int export_to(cli *c, tn_results *r, const char *results, const char *path, bool events, const char *group,
                     const double *time, const char *const *names, int n) {
  cli_out o = {.file = stdout};
  bool to_file = strcmp(path, "-") != 0;
  int code = to_file ? cli_out_begin(c, &o, path, results) : EXIT_DONE;
  if (code != EXIT_DONE) return code;
  FILE *file = o.file;
  tn_status st = events ? tn_results_export_events(r, write_text, file)
              : group ? tn_results_export_group(r, group, names, n, time, write_text, file)
                      : tn_results_export_csv(r, names, n, write_text, file);
  if (st != TN_OK && st != TN_ERR_IO) {
    code = cli_fail(c, st);
    if (to_file) cli_out_end(c, &o, false);
  } else if (to_file) {
    code = cli_out_end(c, &o, true);
  } else if (st != TN_OK) {
    code = cli_reader_gone() ? EXIT_DONE : cli_error(c, EXIT_FAIL, "cannot write '%s': %s", path, strerror(errno));
  }
  if (to_file && code == EXIT_DONE && !c->quiet) fprintf(stderr, "wrote %s\n", path);
  return code;
}

static int export_vtk(cli *c, tn_results *r, const char *path, const double *time) {
  tn_status st = tn_results_export_vtk(r, path, time);
  if (st != TN_OK) return cli_fail(c, st);
  if (!c->quiet) fprintf(stderr, "wrote %s\n", path);
  return EXIT_DONE;
}

static int run_export(cli *c, int argc, char **argv) {
  const char *csv = NULL, *vtk = NULL, *at = NULL, *group = NULL, *names[257];
  bool events = false;
  double time = 0;
  char *end = NULL;
  const cli_opt option[] = {{"--csv", .text = &csv}, {"--events", .flag = &events}, {"--vtk", .text = &vtk},
                            {"--time", .text = &at}, {"--group", .text = &group}};
  int n, code = cli_parse(c, &cli_export, argc, argv, option, 5, "results file", names, 257, &n);
  if (code) return code;
  if (n == 0) return cli_usage(c, &cli_export, "no results file given");
  if (!csv && !vtk) return cli_usage(c, &cli_export, "say where to: --csv file.csv or --vtk file.vtkhdf");
  if (csv && vtk) return cli_usage(c, &cli_export, "--csv or --vtk, not both");
  if (vtk && (events || n > 1)) return cli_usage(c, &cli_export, "--vtk writes all bodies and fields; leave out '%s'",
                                                events ? "--events" : names[1]);
  if (group && (vtk || events)) return cli_usage(c, &cli_export, "--group belongs to --csv, without --events");
  if (at && !vtk && !group) return cli_usage(c, &cli_export, "--time belongs to --vtk or --group");
  if (at) time = strtod(at, &end);
  if (at && (end == at || *end || !isfinite(time)))
    return cli_usage(c, &cli_export, "--time = '%s', must be a number of seconds", at);
  if (events && n > 1) return cli_usage(c, &cli_export, "--events writes all events; leave out '%s'", names[1]);
  tn_results *r;
  tn_status st = tn_results_open(c->ctx, names[0], &r);
  if (st != TN_OK) return cli_fail_read(c, st);
  code = vtk ? export_vtk(c, r, vtk, at ? &time : NULL) : export_to(c, r, names[0], csv, events, group, at ? &time : NULL, names + 1, n - 1);
  tn_results_close(&r);
  return code;
}

static int run_info(cli *c, int argc, char **argv) {
  const char *path;
  int n, code = cli_parse(c, &cli_info, argc, argv, NULL, 0, "results file", &path, 1, &n);
  if (code) return code;
  if (n == 0) return cli_usage(c, &cli_info, "give one results file");
  tn_results *r;
  tn_status st = tn_results_open(c->ctx, path, &r);
  if (st != TN_OK) return cli_fail_read(c, st);
  const char *summary = tn_results_summary(r);
  if (c->json) {
    printf("%s", summary[0] ? summary : "{}\n");
  } else {
    long ntime = tn_results_ntime(r);
    double *t = ntime > 0 ? malloc((size_t)ntime*sizeof(*t)) : NULL;
    printf("title       %s\noutcome     %s\n", tn_results_title(r), tn_results_outcome(r));
    if (tn_results_verdict(r)[0]) printf("verdict     %s\n", tn_results_verdict(r));
    if (t && tn_results_read(r, 0, t, NULL) == TN_OK)
      printf("times       %ld, %g to %g s\n", ntime, t[0], t[ntime-1]);
    else printf("times       %ld\n", ntime);
    free(t);
    if (tn_results_nevent(r)) printf("events      %ld\n", tn_results_nevent(r));
    printf("checkpoints %ld\nsettings    %s\nchannels    %d\n", tn_results_ncheckpoint(r),
           tn_results_settings(r), tn_results_nchannel(r));
    for (int i = 0; i < tn_results_nchannel(r); i++) {
      printf("  %-40s", tn_results_channel_name(r, i));
      for (int k = 0; k < tn_results_channel_size(r, i); k++)
        {
        const char *name = tn_results_component_name(r, i, k);
        printf("%s%s", k ? " " : "", name ? name : "");
      }
      if (tn_results_channel_unit(r, i)[0]) printf(" [%s]", tn_results_channel_unit(r, i));
      if (tn_results_channel_note(r, i)[0]) printf("  (%s)", tn_results_channel_note(r, i));
      printf("\n");
    }
  }
  tn_results_close(&r);
  return EXIT_DONE;
}

const cli_command cli_export = {"export", "results.h5 --csv file.csv [channel ... | --events | --group g [field ...]] | --vtk file.vtkhdf [--time s]",
                                "write channels (* is a wildcard), events or fields of a group of nodes as CSV, or bodies and fields for ParaView",
                                run_export};
const cli_command cli_info = {"info", "results.h5", "say what a results file holds", run_info};
