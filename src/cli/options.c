/* cli/options.c - options of the commands, read in one way
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { WORD_MAX = 64 };

/* letters to change, add or drop to get from a to b (Levenshtein); WORD_MAX when a is too long */
static int distance(const char *a, const char *b) {
  int row[WORD_MAX + 1], na = (int)strlen(a), nb = (int)strlen(b);
  if (na > WORD_MAX || nb > WORD_MAX) return WORD_MAX;
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int change = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = change < step ? change : step;
    }
  }
  return row[nb];
}

void cli_nearest_offer(const char *word, const char *candidate, cli_nearest *best) {
  size_t n = strlen(word);
  int d = distance(word, candidate);
  if (n > 3 && strncmp(word, candidate, n) == 0) d = 1; /* cut short */
  if (best->word && best->distance <= d) return;
  /* a word of which more than a third is different is another word */
  if (3*d > (int)strlen(candidate)) return;
  best->word = candidate;
  best->distance = d;
}

static int unknown(cli *c, const cli_command *command, const char *word, const cli_opt *opt,
                   int nopt) {
  static const char *const common[] = {"--quiet", "--json", "--threads", "--help"};
  cli_nearest best = {NULL, 0};
  char name[WORD_MAX];
  snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
  for (int i = 0; i < nopt; i++) cli_nearest_offer(name, opt[i].name, &best);
  for (int i = 0; i < 4; i++) cli_nearest_offer(name, common[i], &best);
  if (best.word)
    return cli_usage(c, command, "unknown option '%s'; did you mean '%s'?", word, best.word);
  return cli_usage(c, command, "unknown option '%s'", word);
}

int cli_option(int argc, char **argv, int *i, const char *name, const char **out) {
  size_t n = strlen(name);
  if (strncmp(argv[*i], name, n) != 0) return 0;
  if (argv[*i][n] == '=') {
    *out = argv[*i] + n + 1;
    return 1;
  }
  if (argv[*i][n] != 0) return 0;
  /* a value that looks like an option is one whose own value was forgotten */
  if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0) return -1;
  *out = argv[++*i];
  return 1;
}

/* the value of one option; an exit code, 0 when fine */
static int take(cli *c, const cli_command *command, const cli_opt *o, const char *value) {
  if (!*value) return cli_usage(c, command, "%s: its value is empty", o->name);
  if (o->text) *o->text = value;
  if (o->number && (*o->number = cli_number(value)) < 0)
    return cli_usage(c, command, "%s = '%s', must be a positive number", o->name, value);
  if (!o->list) return 0;
  if (*o->nlist == o->max) return cli_usage(c, command, "more than %d times %s", o->max, o->name);
  o->list[(*o->nlist)++] = value;
  return 0;
}

int cli_parse(cli *c, const cli_command *command, int argc, char **argv, const cli_opt *opt,
              int nopt, const char *what, const char **names, int max, int *n) {
  *n = 0;
  for (int i = 1; i < argc; i++) {
    int got = 0, code = 0;
    for (int k = 0; k < nopt && got == 0; k++) {
      const char *value;
      if (opt[k].flag) {
        got = strcmp(argv[i], opt[k].name) == 0;
        if (got) *opt[k].flag = true;
        continue;
      }
      got = cli_option(argc, argv, &i, opt[k].name, &value);
      if (got < 0 && i + 1 < argc)
        return cli_usage(c, command, "%s needs a value, got the option '%s'; for a value like that "
                         "write %s=value", opt[k].name, argv[i + 1], opt[k].name);
      if (got < 0) return cli_usage(c, command, "%s needs a value", opt[k].name);
      if (got > 0) code = take(c, command, &opt[k], value);
    }
    if (code) return code;
    if (got) continue;
    if (argv[i][0] == '-' && argv[i][1]) return unknown(c, command, argv[i], opt, nopt);
    if (*n == max && max == 1)
      return cli_usage(c, command, "one %s at a time, got also '%s'", what, argv[i]);
    if (max == 0) return cli_usage(c, command, "takes no names, got '%s'", argv[i]);
    if (*n == max) return cli_usage(c, command, "more than %d names", max);
    names[(*n)++] = argv[i];
  }
  return 0;
}

double cli_number(const char *text) {
  char *end;
  double x = strtod(text, &end);
  return *text && *end == 0 && x > 0 && x < 1e300 ? x : -1;
}
