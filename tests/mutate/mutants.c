/* tests/mutate/mutants.c - changes of one place in a source file that a test should notice
 *
 *   mutants list count source-dir room ...        count mutants, evenly over the rooms
 *   mutants apply file line column length text    the file with that place replaced, to stdout
 *
 * A line of the list: room, file, line, column, length, kind, new text, and the line of code with {what is there => new text}
 * in its place, separated by tabs; columns and lines begin at 1. Within a room the lines of code that can be changed are
 * numbered through its files, and lines at equal distances are taken; the place on the line is drawn. DRAW=1, 2, ... in the
 * environment begins elsewhere, at other lines and places. Kinds:
 *
 *   sign       + and - exchanged, += and -= exchanged, a minus in front of something removed
 *   factor     * and / exchanged, a number with a point made half as large again
 *   index      an integer made smaller by one, zero larger
 *   condition  a comparison reversed, && and || exchanged
 *
 * Comments, texts, directives of the preprocessor, sizes of declared arrays, memory sizes, messages and tolerances
 * (numbers with an exponent) are left alone: changing them is not wrong, or not a matter of numbers. Where the place
 * drawn is such a one the next place is taken.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1 << 20, MAX_LINES = 40000, MAX_SITES = 64, MAX_FILES = 200 };

typedef struct {
  int column, length;
  char kind[12], text[32];
  bool idle; /* cannot matter: passed over */
} site;

typedef struct {
  char file[256];
  int line, nsite;
  site at[MAX_SITES];
} mutable_line;

static mutable_line found[MAX_LINES];
static int nfound;
static bool in_message; /* within a statement that makes a message */

static char *read_all(const char *path) {
  static char text[MAX_TEXT];
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(2);
  }
  size_t n = fread(text, 1, MAX_TEXT - 1, f);
  fclose(f);
  text[n] = 0;
  return text;
}

/* spaces in the place of comments, texts and directives, so that columns stay */
static void blank(char *p) {
  bool line_start = true;
  while (*p) {
    if (line_start && *p == '#') {
      while (*p && *p != '\n') {
        if (*p == '\\' && p[1] == '\n') *p++ = ' '; /* goes on in the next line */
        else *p = ' ';
        p++;
      }
    } else if (p[0] == '/' && p[1] == '*') {
      while (*p && !(p[0] == '*' && p[1] == '/')) {
        if (*p != '\n') *p = ' ';
        p++;
      }
      if (*p) p[0] = p[1] = ' ', p += 2;
    } else if (p[0] == '/' && p[1] == '/') {
      while (*p && *p != '\n') *p++ = ' ';
    } else if (*p == '"' || *p == '\'') {
      char end = *p++;
      while (*p && *p != end) {
        if (*p == '\\') *p++ = '_';
        *p++ = '_';
      }
      if (*p) p++;
    } else {
      if (*p == '\n') line_start = true;
      else if (!isspace((unsigned char)*p)) line_start = false;
      p++;
      continue;
    }
    line_start = false;
  }
}

static bool word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void add(mutable_line *l, int column, int length, const char *kind, const char *text) {
  if (l->nsite == MAX_SITES) return;
  site *s = &l->at[l->nsite++];
  s->column = column + 1;
  s->length = length;
  snprintf(s->kind, sizeof(s->kind), "%s", kind);
  snprintf(s->text, sizeof(s->text), "%s", text);
}

/* Is column i between the brackets of an array that the line declares? Its name follows a type or a comma, and what
 * follows the brackets ends a declarator. */
static bool declares_size(const char *line, int i) {
  static const char *const no_type[] = {"return", "else", "case", "sizeof"};
  int open = i, name, before, depth = 0;
  while (open > 0 && line[open] != '[' && line[open] != ']') open--;
  if (line[open] != '[') return false;
  for (name = open; name > 0 && word(line[name-1]); name--) {}
  for (before = name; before > 0 && (line[before-1] == ' ' || line[before-1] == '*'); before--) {}
  if (name == open || before == 0) return false;
  if (word(line[before-1]) && line[before] == ' ') { /* two words beside each other: type and name */
    int begin = before;
    while (begin > 0 && word(line[begin-1])) begin--;
    for (size_t k = 0; k < sizeof(no_type)/sizeof(no_type[0]); k++) {
      int n = (int)strlen(no_type[k]);
      if (before - begin == n && strncmp(line + begin, no_type[k], (size_t)n) == 0) return false;
    }
    return true;
  }
  for (int k = 0; k < name; k++) depth += line[k] == '(' ? 1 : line[k] == ')' ? -1 : 0;
  const char *after = strchr(line + open, ']');
  if (!after || depth != 0 || line[before-1] != ',') return false;
  after += strspn(after, "] ");
  return *after == ',' || *after == ';' || *after == '=';
}

/* is there an operand in front of column i? */
static bool operand_before(const char *line, int i) {
  while (i > 0 && line[i-1] == ' ') i--;
  if (i == 0) return false;
  if (i >= 6 && strncmp(line + i - 6, "return", 6) == 0) return false;
  return word(line[i-1]) || line[i-1] == ')' || line[i-1] == ']';
}

/* a number that begins at i; returns its length */
static int number(mutable_line *l, const char *line, int i, bool declares) {
  char text[32], *end;
  int n = 0;
  bool point = false, other = false;
  while (word(line[i+n]) || line[i+n] == '.' ||
         ((line[i+n] == '-' || line[i+n] == '+') && (line[i+n-1] == 'e' || line[i+n-1] == 'E'))) {
    point |= line[i+n] == '.';
    other |= isalpha((unsigned char)line[i+n]) != 0;
    n++;
  }
  if (other || n > 20) return n;
  if (point) {
    double x = strtod(line + i, &end);
    snprintf(text, sizeof(text), "%.17g", x == 0 ? 1 : 1.5*x);
    if (!strchr(text, '.') && !strchr(text, 'e')) strcat(text, ".0");
    add(l, i, n, "factor", text);
    return n;
  }
  bool initializer = i > 0 && line[i-1] == '{' && line[i+n] == '}';
  if (initializer || (declares && !memchr(line, '=', (size_t)i))) return n;
  long value = strtol(line + i, &end, 10);
  snprintf(text, sizeof(text), "%ld", value > 0 ? value - 1 : 1);
  add(l, i, n, "index", text);
  return n;
}

/* + - * / and what begins with them; returns the length of the operator */
static int arithmetic(mutable_line *l, const char *line, int i) {
  char c = line[i], next = line[i+1];
  bool binary = operand_before(line, i);
  if (next == c || (c == '-' && next == '>')) return 2;
  if (c == '+' || c == '-') {
    const char *turned = c == '+' ? "-" : "+";
    if (next == '=') add(l, i, 2, "sign", c == '+' ? "-=" : "+=");
    else if (binary) add(l, i, 1, "sign", turned);
    else if (c == '-') add(l, i, 1, "sign", "");
  } else if (binary && i > 0 && line[i-1] != ' ') { /* a pointer has a space before its star */
    if (next == '=') add(l, i, 2, "factor", c == '*' ? "/=" : "*=");
    else if (word(next) || next == '(' || next == '-') add(l, i, 1, "factor", c == '*' ? "/" : "*");
  }
  return next == '=' ? 2 : 1;
}

static int comparison(mutable_line *l, const char *line, int i) {
  static const struct {
    const char *from, *to;
  } turned[] = {{"<=", ">"},  {">=", "<"},  {"==", "!="}, {"!=", "=="},
                {"&&", "||"}, {"||", "&&"}, {"<", ">="},  {">", "<="}};
  if (strncmp(line + i, "<<", 2) == 0 || strncmp(line + i, ">>", 2) == 0) return 2;
  for (size_t k = 0; k < sizeof(turned)/sizeof(turned[0]); k++) {
    int n = (int)strlen(turned[k].from);
    if (strncmp(line + i, turned[k].from, (size_t)n) != 0) continue;
    add(l, i, n, "condition", turned[k].to);
    return n;
  }
  return 1;
}

/* memory, messages and what only declares are no numbers of mechanics */
static bool makes_message(const char *line) {
  static const char *const no[] = {"fail(", "snprintf(", "tni_show(", "tni_hint_for(", "tni_text_add(", "TN_FAIL("};
  for (size_t k = 0; k < sizeof(no)/sizeof(no[0]); k++) {
    if (strstr(line, no[k])) return true;
  }
  return false;
}

static bool left_alone(const char *line) {
  static const char *const no[] = {"alloc", "sizeof", "TN_FAIL", "TN_REQUIRE", "printf", "arena", "ARENA", "memset",
                                   "memcpy", "enum ", "typedef", "TNI_COUNT", "TN_TRY_MEM", "tni_text"};
  for (size_t k = 0; k < sizeof(no)/sizeof(no[0]); k++) {
    if (strstr(line, no[k])) return true;
  }
  return false;
}

static bool is_declaration(const char *line) {
  static const char *const type[] = {"double ", "int ", "bool ", "char ", "size_t ", "const ", "static ", "tni_",
                                     "tn_", "struct ", "unsigned ", "uint"};
  while (*line == ' ') line++;
  for (size_t k = 0; k < sizeof(type)/sizeof(type[0]); k++) {
    if (strncmp(line, type[k], strlen(type[k])) == 0) {
      const char *p = line;
      while (word(*p)) p++;
      return *p != '('; /* a call of tni_... is none */
    }
  }
  return false;
}

static void look_at_line(const char *file, int number_of, const char *line) {
  mutable_line *l = &found[nfound];
  *l = (mutable_line){.line = number_of};
  snprintf(l->file, sizeof(l->file), "%s", file);
  in_message = in_message || makes_message(line);
  bool message = in_message;
  if (strchr(line, ';')) in_message = false;
  if (left_alone(line)) return;
  bool declares = is_declaration(line);
  for (int i = 0; line[i];) {
    char c = line[i];
    if (isdigit((unsigned char)c) && (i == 0 || (!word(line[i-1]) && line[i-1] != '.'))) {
      i += number(l, line, i, declares);
    } else if (word(c)) {
      while (word(line[i])) i++;
    } else if (strchr("+-*/", c)) {
      i += arithmetic(l, line, i);
    } else if (strchr("<>=!&|", c)) {
      i += comparison(l, line, i);
    } else {
      i++;
    }
  }
  for (int k = 0; k < l->nsite; k++)
    l->at[k].idle = message || declares_size(line, l->at[k].column - 1);
  if (l->nsite > 0 && nfound < MAX_LINES - 1) nfound++;
}

static void look_at_file(const char *path, const char *name) {
  char *text = read_all(path);
  blank(text);
  int n = 1;
  for (char *line = text; line; n++) {
    char *end = strchr(line, '\n');
    if (end) *end = 0;
    look_at_line(name, n, line);
    line = end ? end + 1 : NULL;
  }
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void look_at_room(const char *source, const char *room) {
  static char names[MAX_FILES][100];
  char path[1024];
  int n = 0;
  snprintf(path, sizeof(path), "%s/src/%s", source, room);
  DIR *dir = opendir(path);
  if (!dir) {
    perror(path);
    exit(2);
  }
  for (struct dirent *e; (e = readdir(dir)) && n < MAX_FILES;) {
    size_t length = strlen(e->d_name);
    if (length > 2 && length < sizeof(names[0]) && (strcmp(e->d_name + length - 2, ".c") == 0 || strcmp(e->d_name, "vec.h") == 0))
      memcpy(names[n++], e->d_name, length + 1);
  }
  closedir(dir);
  qsort(names, (size_t)n, sizeof(names[0]), by_name);
  nfound = 0;
  for (int i = 0; i < n; i++) {
    char name[256];
    snprintf(name, sizeof(name), "src/%.100s/%.100s", room, names[i]);
    snprintf(path, sizeof(path), "%s/%s", source, name);
    look_at_file(path, name);
  }
}

/* the line of code in the file with a place marked, without the spaces around it */
static void show(const char *source, const mutable_line *l, const site *s) {
  char path[1024];
  snprintf(path, sizeof(path), "%s/%s", source, l->file);
  char *p = read_all(path);
  for (int n = 1; n < l->line; n++) p = strchr(p, '\n') + 1;
  int length = (int)strcspn(p, "\n"), first = (int)strspn(p, " "), at = s->column - 1;
  printf("%.*s{%.*s => %s}%.*s\n", at - first, p + first, s->length, p + at, s->text, length - at - s->length, p + at + s->length);
}

static int list(int count, const char *source, char **room, int nroom) {
  const char *text = getenv("DRAW");
  uint64_t draw = text ? (uint64_t)atoi(text) : 0, state = 88172645463325252u + 0x9e3779b97f4a7c15u*draw;
  long shift = (long)(1000 + 1236*draw) % 2000; /* of 2000, from line to line that is taken; 1000: the middle */
  for (int r = 0; r < nroom; r++) {
    look_at_room(source, room[r]);
    int want = count*(r + 1)/nroom - count*r/nroom;
    for (int k = 0; k < want && nfound > 0; k++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      int line = (int)((2000L*k + shift)*nfound/(2000L*want)), at = (int)((state >> 20) % (uint64_t)found[line].nsite);
      while (line < nfound && found[line].at[at].idle) {
        if (++at == found[line].nsite) line++, at = 0;
      }
      if (line == nfound) continue;
      const mutable_line *l = &found[line];
      const site *s = &l->at[at];
      printf("%s\t%s\t%d\t%d\t%d\t%s\t%s\t", room[r], l->file, l->line, s->column, s->length, s->kind,
             s->text[0] ? s->text : "nothing");
      show(source, l, s);
    }
  }
  return 0;
}

static int apply(const char *file, int line, int column, int length, const char *text) {
  char *p = read_all(file), *begin = p;
  for (int n = 1; n < line && p; n++) p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
  if (!p) return 2;
  p += column - 1;
  fwrite(begin, 1, (size_t)(p - begin), stdout);
  if (strcmp(text, "nothing") != 0) fputs(text, stdout);
  fputs(p + length, stdout);
  return 0;
}

int main(int argc, char **argv) {
  if (argc >= 5 && strcmp(argv[1], "list") == 0) return list(atoi(argv[2]), argv[3], argv + 4, argc - 4);
  if (argc == 7 && strcmp(argv[1], "apply") == 0)
    return apply(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]), argv[6]);
  fprintf(stderr, "usage: mutants list count source-dir room ... | mutants apply file line column length text\n");
  return 2;
}
