/* Figures: where points land, what is refused, what the files are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <tenon/tenon.h>

#include "sample.h"
#include "support/xml.h"

/* fontconfig, which finds the fonts of PNG, keeps its tables until the program ends */
TN_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig"; }

static tn_ctx *ctx;

/* figure with one panel and one line through n points */
static tn_plot *one_line(const tn_plot_panel *panel, long n, const double *x, const double *y) {
  tn_plot *p;
  tn_plot_series s = {.name = "a < b & \"c\"", .n = n, .x = x, .y = y};
  tn_plot_opts o = {.title = "title <&> \x01\xFF\xC3\xA9"};
  CHECK_OK(ctx, tn_plot_create(ctx, &o, &p));
  CHECK_OK(ctx, tn_plot_add_panel(p, panel));
  CHECK_OK(ctx, tn_plot_add_series(p, 0, &s));
  return p;
}

static char *svg_of(tn_plot *p) {
  char *text;
  CHECK_OK(ctx, tn_plot_svg(p, &text));
  return text;
}

/* path data of the thick line of the first colour inside of the axes */
static const char *curve(const char *svg) {
  const char *inner = strstr(svg, "<svg overflow");
  const char *d = inner ? strstr(inner, "stroke-width=\"1.8\"") : NULL;
  d = d ? strstr(d, " d=\"") : NULL;
  return d ? d + 4 : "";
}

static int count(const char *text, char c) {
  int n = 0;
  for (; *text && *text != '"'; text++) n += *text == c;
  return n;
}

static void svg_is_well_formed_and_always_the_same(void) {
  static const double x[] = {0, 1, 2}, y[] = {1e-7, 3e-7, 2e-7};
  tn_plot_panel panel = {.title = "p", .x_label = "t", .x_unit = "s", .y_label = "a",
                         .y_unit = "m/s^2"};
  for (int look = 0; look < 4; look++) {
    panel.y_log = look & 1;
    panel.x_log = look & 2;
    tn_plot *p = one_line(&panel, 3, x, y), *q = one_line(&panel, 3, x, y);
    char *a = svg_of(p), *b = svg_of(q), *again = svg_of(p);
    const char *bad = xml_mistake(a);
    if (!CHECK(bad == NULL)) printf("mistake at: %.60s\n", bad);
    CHECK_TEXT(a, b);
    CHECK_TEXT(a, again);
    CHECK(strstr(a, "title &lt;&amp;&gt; \xEF\xBF\xBD\xC3\xA9") != NULL);
    CHECK(strstr(a, "a &lt; b &amp; &quot;c&quot;") != NULL);
    CHECK(strstr(a, look & 1 ? "a [m/s²]" : "a [10⁻⁹ m/s²]") != NULL);
    tn_text_free(ctx, &a);
    tn_text_free(ctx, &b);
    tn_text_free(ctx, &again);
    tn_plot_destroy(&p);
    tn_plot_destroy(&q);
  }
}

/* with given ranges the corners of the axes are known points, and half way is half way */
static void points_land_where_the_axes_say(void) {
  static const double x[] = {0, 5, 10}, y[] = {1, 10, 100};
  tn_plot_panel panel = {.x_max = 10, .y_min = 1, .y_max = 100, .y_log = true};
  tn_plot *p = one_line(&panel, 3, x, y);
  char *svg = svg_of(p);
  double ax, ay, bx, by, cx, cy, w = 0, h = 0;
  CHECK_INT(sscanf(curve(svg), "M%lf %lfL%lf %lfL%lf %lf", &ax, &ay, &bx, &by, &cx, &cy), 6);
  const char *inner = strstr(svg, "<svg overflow");
  CHECK(sscanf(strstr(inner, "width=\""), "width=\"%lf\" height=\"%lf", &w, &h) == 2);
  /* the inner picture is 5 larger on all sides */
  CHECK_NEAR(ax, 5, 0.01);
  CHECK_NEAR(ay, h - 5, 0.01);
  CHECK_NEAR(cx, w - 5, 0.01);
  CHECK_NEAR(cy, 5, 0.01);
  CHECK_NEAR(bx, 0.5*(ax + cx), 0.01);
  CHECK_NEAR(by, 0.5*(ay + cy), 0.01);
  tn_text_free(ctx, &svg);
  tn_plot_destroy(&p);
}

static void equal_axes_have_one_scale(void) {
  static const double x[] = {0, 1, 1, 0}, y[] = {0, 0, 1, 1};
  tn_plot_panel panel = {.equal = true};
  tn_plot *p = one_line(&panel, 4, x, y);
  char *svg = svg_of(p);
  double ax, ay, bx, by, cx, cy;
  CHECK_INT(sscanf(curve(svg), "M%lf %lfL%lf %lfL%lf %lf", &ax, &ay, &bx, &by, &cx, &cy), 6);
  CHECK(bx - ax > 100);
  CHECK_NEAR(bx - ax, by - cy, 1e-3);
  tn_text_free(ctx, &svg);
  tn_plot_destroy(&p);
}

static void what_is_no_number_breaks_the_line(void) {
  static const double x[] = {0, 1, 2, 3, 4}, y[] = {1, 2, NAN, 2, 1}, z[] = {1, 2, -1, 2, 1};
  tn_plot_panel panel = {0};
  tn_plot *p = one_line(&panel, 5, x, y);
  char *svg = svg_of(p);
  CHECK_INT(count(curve(svg), 'M'), 2);
  CHECK_INT(count(curve(svg), 'L'), 2);
  tn_text_free(ctx, &svg);
  tn_plot_destroy(&p);
  panel.y_log = true; /* and what has no logarithm */
  p = one_line(&panel, 5, x, z);
  svg = svg_of(p);
  CHECK_INT(count(curve(svg), 'M'), 2);
  tn_text_free(ctx, &svg);
  tn_plot_destroy(&p);
}

/* a million points with one outlier: the file stays small and the outlier is still there */
static void long_series_are_thinned_without_losing_extremes(void) {
  enum { N = 1000000 };
  double *x = malloc(N*sizeof(double)), *y = malloc(N*sizeof(double));
  for (int i = 0; i < N; i++) {
    x[i] = 1e-3*i;
    y[i] = sin(1e-4*i);
  }
  y[612345] = 7;
  tn_plot_panel panel = {.y_min = -1, .y_max = 7};
  tn_plot *p = one_line(&panel, N, x, y);
  char *svg = svg_of(p);
  CHECK(strlen(svg) < 100000);
  double top = 1e9, px, py;
  for (const char *c = curve(svg); *c && *c != '"'; c++)
    if ((*c == 'L' || *c == 'M') && sscanf(c + 1, "%lf %lf", &px, &py) == 2) top = fmin(top, py);
  CHECK_NEAR(top, 5, 0.01);
  tn_text_free(ctx, &svg);
  tn_plot_destroy(&p);
  free(x);
  free(y);
}

/* nothing to draw still is a figure */
static void empty_series_give_axes(void) {
  tn_plot_panel panel = {0};
  tn_plot *p = one_line(&panel, 0, NULL, NULL);
  char *svg = svg_of(p);
  CHECK(xml_mistake(svg) == NULL);
  tn_text_free(ctx, &svg);
  tn_plot_destroy(&p);
}

static void many_series_differ_and_fit(void) {
  static const double x[] = {0, 1}, y[] = {0, 1};
  tn_plot *p;
  tn_plot_panel panel = {0};
  CHECK_OK(ctx, tn_plot_create(ctx, NULL, &p));
  CHECK_OK(ctx, tn_plot_add_panel(p, &panel));
  for (int i = 0; i < 40; i++) {
    char name[32];
    snprintf(name, sizeof(name), "series number %d", i);
    tn_plot_series s = {.name = name, .n = 2, .x = x, .y = y, .style = TN_PLOT_LINE_POINTS};
    CHECK_OK(ctx, tn_plot_add_series(p, 0, &s));
  }
  char *svg = svg_of(p);
  CHECK(xml_mistake(svg) == NULL);
  CHECK(strstr(svg, "series number 39") != NULL);
  tn_text_free(ctx, &svg);
  tn_plot_destroy(&p);
}

static void files_are_what_their_names_say(void) {
  static const double x[] = {0, 1}, y[] = {0, 1};
  tn_plot_panel panel = {0};
  tn_plot *p = one_line(&panel, 2, x, y);
  unsigned char head[24] = {0};
  CHECK_OK(ctx, tn_plot_write(p, sample_path("a.svg")));
  FILE *f = fopen(sample_path("a.svg"), "rb");
  CHECK(f && fread(head, 1, 4, f) == 4 && memcmp(head, "<svg", 4) == 0);
  fclose(f);
#ifdef TENON_HAVE_CAIRO
  CHECK_OK(ctx, tn_plot_write(p, sample_path("a.png")));
  f = fopen(sample_path("a.png"), "rb");
  CHECK(f && fread(head, 1, 24, f) == 24 && memcmp(head, "\x89PNG\r\n\x1A\n", 8) == 0);
  CHECK_INT(head[18]*256 + head[19], 2*860); /* width in the header */
  fclose(f);
#else
  CHECK(tn_plot_write(p, sample_path("a.png")) == TN_ERR_UNSUPPORTED);
  CHECK(strstr(tn_ctx_message(ctx), "libcairo2-dev") != NULL);
#endif
  CHECK(tn_plot_write(p, sample_path("a.gif")) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "must end in .svg or .png") != NULL);
  CHECK(tn_plot_write(p, sample_path("no/such/folder.svg")) == TN_ERR_IO);
  CHECK(strstr(tn_ctx_message(ctx), "No such file or directory") != NULL);
  tn_plot_destroy(&p);
}

static void wrong_use_is_refused(void) {
  tn_plot *p = NULL;
  tn_plot_opts wide = {.width = 50}, many = {.columns = 99};
  tn_plot_series s = {.n = -1};
  CHECK(tn_plot_create(ctx, &wide, &p) == TN_ERR_ARGUMENT && !p);
  CHECK(tn_plot_create(ctx, &many, &p) == TN_ERR_ARGUMENT && !p);
  CHECK_OK(ctx, tn_plot_create(ctx, NULL, &p));
  char *svg;
  CHECK(tn_plot_svg(p, &svg) == TN_ERR_ARGUMENT && !svg);
  CHECK(tn_plot_add_series(p, 0, &s) == TN_ERR_ARGUMENT);
  CHECK_TEXT(tn_ctx_message(ctx), "plot: panel 0, there are 0");
  tn_plot_destroy(&p);
  tn_plot_destroy(&p);
}

int main(void) {
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  sample_begin();
  RUN(svg_is_well_formed_and_always_the_same);
  RUN(points_land_where_the_axes_say);
  RUN(equal_axes_have_one_scale);
  RUN(what_is_no_number_breaks_the_line);
  RUN(long_series_are_thinned_without_losing_extremes);
  RUN(empty_series_give_axes);
  RUN(many_series_differ_and_fit);
  RUN(files_are_what_their_names_say);
  RUN(wrong_use_is_refused);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
