/* viewer/bundle.c - make one page of the viewer's files, as HTML or as C source
 *
 *   bundle out.c|out.html page.html style.css third-party.js module.js ...
 *
 * page.html has the marks <!--style--> and <!--script-->. The modules are put one after the other
 * into one function, in the order given (a module after those it imports from); for that, lines that
 * begin with `import ` are left out and the word `export ` at the beginning of a line as well. A
 * module must therefore import by single lines and name its top-level things differently from all
 * other modules, which the browser checks: a name declared twice is a syntax error.
 *
 * Only the C library is needed, so that the page can be built where there is no node and no network.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *s;
  size_t n, cap;
} text;

static void fail(const char *what, const char *name) {
  fprintf(stderr, "bundle: %s '%s'\n", what, name);
  exit(1);
}

static void add(text *t, const char *s, size_t n) {
  if (t->n + n + 1 > t->cap) {
    t->cap = 2*(t->n + n + 1);
    t->s = realloc(t->s, t->cap);
    if (!t->s) fail("out of memory for", "the page");
  }
  memcpy(t->s + t->n, s, n);
  t->n += n;
  t->s[t->n] = 0;
}

static void add_text(text *t, const char *s) { add(t, s, strlen(s)); }

static text slurp(const char *path) {
  text t = {0};
  char block[65536];
  FILE *f = fopen(path, "rb");
  if (!f) fail("cannot read", path);
  add_text(&t, "");
  for (size_t n; (n = fread(block, 1, sizeof(block), f)) > 0;) add(&t, block, n);
  if (ferror(f)) fail("cannot read", path);
  fclose(f);
  return t;
}

/* a script inside a page ends at the first "</script", wherever it stands */
static void check_script(const text *t, const char *path) {
  if (strstr(t->s, "</script")) fail("'</script' must not occur in", path);
}

static void add_module(text *out, const char *path) {
  text t = slurp(path);
  check_script(&t, path);
  for (char *line = t.s; *line;) {
    size_t n = strcspn(line, "\n");
    size_t whole = n + (line[n] == '\n');
    if (strncmp(line, "import ", 7) == 0) add_text(out, "\n");
    else if (strncmp(line, "export ", 7) == 0) add(out, line + 7, whole - 7);
    else add(out, line, whole);
    line += whole;
  }
  add_text(out, "\n");
  free(t.s);
}

/* put what in place of the mark */
static void fill(text *page, const char *mark, const text *what, const char *path) {
  char *at = strstr(page->s, mark);
  if (!at) fail("a mark is missing in", path);
  text t = {0};
  add(&t, page->s, (size_t)(at - page->s));
  add(&t, what->s, what->n);
  add_text(&t, at + strlen(mark));
  free(page->s);
  *page = t;
}

static void write_c(FILE *f, const text *t) {
  fprintf(f, "/* made by viewer/bundle.c */\n#include \"scene/scene.h\"\n\n"
             "const unsigned long tni_page_size = %luul;\nconst char tni_page[] =\n\"",
          (unsigned long)t->n);
  for (size_t i = 0; i < t->n; i++) {
    unsigned char c = (unsigned char)t->s[i];
    if (c == '\n') fputs("\\n\"\n\"", f);
    else if (c == '"' || c == '\\' || c == '?') fprintf(f, "\\%c", c);
    else if (c < 32 || c > 126) fprintf(f, "\\%03o", c);
    else fputc(c, f);
  }
  fputs("\";\n", f);
}

int main(int argc, char **argv) {
  if (argc < 6) fail("usage: bundle out page.html style.css third-party.js module.js ..., got", "less");
  text page = slurp(argv[2]), style = slurp(argv[3]), script = slurp(argv[4]);
  check_script(&script, argv[4]);
  add_text(&script, "\n(() => {\n'use strict';\n");
  for (int i = 5; i < argc; i++) add_module(&script, argv[i]);
  add_text(&script, "})();\n");
  fill(&page, "<!--style-->", &style, argv[2]);
  fill(&page, "<!--script-->", &script, argv[2]);
  size_t n = strlen(argv[1]);
  FILE *f = fopen(argv[1], "wb");
  if (!f) fail("cannot write", argv[1]);
  if (n > 2 && strcmp(argv[1] + n - 2, ".c") == 0) write_c(f, &page);
  else fwrite(page.s, 1, page.n, f);
  if (ferror(f) || fclose(f) != 0) fail("cannot write", argv[1]);
  free(page.s);
  free(style.s);
  free(script.s);
  return 0;
}
