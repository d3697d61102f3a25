/* output/plot.c - figures of panels with lines and points
 *
 * Everything about a panel that takes room (numbers and labels of axes, title, legend) is measured
 * first; then the axes get what is left, the same in all panels of a column so that they line up.
 * Long series are thinned to what can be seen: of all points in one pixel column the first, the
 * lowest, the highest and the last.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <tenon/plot.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "output/axis.h"
#include "output/canvas.h"
#include "output/json.h"

/* sizes of texts and distances */
#define SIZE_TITLE 15.0
#define SIZE_PANEL 12.5
#define SIZE_LABEL 12.0
#define SIZE_TICK 11.0
#define MARGIN 14.0
#define SAMPLE 24.0  /* length of a line in the legend        */
#define LEGEND_ROW 18.0
#define ROW_GAP 6.0
#define COLUMN_GAP 18.0
#define LINE_WIDTH 1.8
#define MARKER 3.6   /* radius */
#define TICK 6.0     /* length of a mark at the upper edge    */
enum { LEGEND_ROWS_MAX = 3, THIN_LIMIT = 4 };

typedef struct {
  tn_plot_series s; /* with copies */
  int role, marker;
} series;

typedef struct {
  tn_plot_panel p; /* with copies */
  int nseries, cap, ncolor;
  series *series;
  /* layout */
  tni_axis x, y;
  double left, top, width, height; /* of the axes                     */
  double label_x;                  /* where the label of y is written */
  int legend_rows;
} panel;

struct tn_plot {
  tn_ctx *ctx;
  tni_arena arena;
  tn_plot_opts o;
  int npanel, cap;
  panel *panel;
  double width, height;
  bool legend_right; /* too many names for a few rows over the axes */
  double legend_width, legend_y;
  FILE *file;        /* while one is written           */
  int error;         /* errno of its writing, 0: none  */
};

/* ---- building ------------------------------------------------------------------------------ */

/* A copy that XML and fonts accept: no control characters, U+FFFD for what is no UTF-8. */
static tn_status copy_text(tn_plot *p, const char **text) {
  if (!*text) return TN_OK;
  char *out = tni_arena_alloc(&p->arena, 3*strlen(*text) + 1, 1);
  if (!out) return tni_out_of_memory(p->ctx);
  size_t at = 0;
  for (const char *c = *text; *c;) {
    int n = tni_utf8_length((const unsigned char *)c);
    const char *from = n ? c : "\xEF\xBF\xBD";
    size_t length = n ? (size_t)n : 3;
    if ((unsigned char)*c >= ' ') {
      memcpy(out + at, from, length);
      at += length;
    }
    c += n ? n : 1;
  }
  *text = out;
  return TN_OK;
}

static bool size_is_fine(double value) { return value == 0 || (value >= 100 && value <= 20000); }

tn_status tn_plot_create(tn_ctx *ctx, const tn_plot_opts *opts, tn_plot **out) {
  *out = NULL;
  tn_plot_opts o = {0};
  if (opts) o = *opts;
  TN_REQUIRE(ctx, size_is_fine(o.width) && size_is_fine(o.panel_height), TN_ERR_ARGUMENT,
             "plot of width %d and panels of height %d, allowed 100 to 20000", o.width,
             o.panel_height);
  TN_REQUIRE(ctx, o.columns >= 0 && o.columns <= 8, TN_ERR_ARGUMENT,
             "plot with %d columns, allowed 1 to 8", o.columns);
  TN_REQUIRE(ctx, o.scale >= 0 && o.scale <= 8, TN_ERR_ARGUMENT,
             "plot with %g pixels per unit, allowed up to 8", o.scale);
  tn_plot *p = tni_alloc(ctx, 1, sizeof(*p));
  if (!p) return tni_out_of_memory(ctx);
  p->ctx = ctx;
  p->o = o;
  tni_arena_init(&p->arena, ctx);
  tn_status st = copy_text(p, &p->o.title);
  if (st == TN_OK) st = copy_text(p, &p->o.note);
  if (p->o.width == 0) p->o.width = 860;
  if (p->o.columns == 0) p->o.columns = 1;
  if (p->o.scale == 0) p->o.scale = 2;
  if (st == TN_OK) *out = p;
  else tn_plot_destroy(&p);
  return st;
}

void tn_plot_destroy(tn_plot **plot) {
  if (!plot || !*plot) return;
  tn_ctx *ctx = (*plot)->ctx;
  tni_arena_clear(&(*plot)->arena);
  tni_free(ctx, *plot);
  *plot = NULL;
}

tn_status tn_plot_add_panel(tn_plot *p, const tn_plot_panel *given) {
  void *items = p->panel;
  if (!tni_arena_grow(&p->arena, &items, p->npanel, &p->cap, sizeof(panel)))
    return tni_out_of_memory(p->ctx);
  p->panel = items;
  panel *a = &p->panel[p->npanel];
  memset(a, 0, sizeof(*a));
  a->p = *given;
  const char **const text[] = {&a->p.title, &a->p.x_label, &a->p.x_unit, &a->p.y_label,
                               &a->p.y_unit};
  for (int i = 0; i < TNI_COUNT(text); i++) TN_TRY(copy_text(p, text[i]));
  p->npanel++;
  return TN_OK;
}

static bool stays_back(const tn_plot_series *s) {
  return s->style == TN_PLOT_GUIDE || s->style == TN_PLOT_TICKS;
}

tn_status tn_plot_add_series(tn_plot *p, int index, const tn_plot_series *given) {
  TN_REQUIRE(p->ctx, index >= 0 && index < p->npanel, TN_ERR_ARGUMENT,
             "plot: panel %d, there are %d", index, p->npanel);
  TN_REQUIRE(p->ctx, given->n >= 0 && given->color >= 0 && given->dash >= 0, TN_ERR_ARGUMENT,
             "plot: %ld points, colour %d, dash %d, must be >= 0", given->n, given->color,
             given->dash);
  panel *a = &p->panel[index];
  void *items = a->series;
  if (!tni_arena_grow(&p->arena, &items, a->nseries, &a->cap, sizeof(series)))
    return tni_out_of_memory(p->ctx);
  a->series = items;
  series *s = &a->series[a->nseries];
  memset(s, 0, sizeof(*s));
  s->s = *given;
  TN_TRY(copy_text(p, &s->s.name));
  double *x, *y;
  TNI_ARENA_NEW(&p->arena, x, given->n);
  TNI_ARENA_NEW(&p->arena, y, given->n);
  if (given->n) memcpy(x, given->x, (size_t)given->n*sizeof(double));
  if (given->n && given->style != TN_PLOT_TICKS) memcpy(y, given->y, (size_t)given->n*sizeof(double));
  s->s.x = x;
  s->s.y = y;
  if (stays_back(&s->s)) {
    s->role = TNI_AXIS;
    s->s.dash = given->dash ? given->dash - 1 : 1;
  } else {
    int k = given->color ? given->color - 1 : a->ncolor++;
    s->role = TNI_SERIES + k % TNI_NSERIES;
    s->marker = k;
    s->s.dash = (given->dash ? given->dash - 1 : k/TNI_NSERIES) % TNI_NDASH;
  }
  a->nseries++;
  return TN_OK;
}

/* ---- ranges -------------------------------------------------------------------------------- */

static bool visible(const panel *a, double x, double y) {
  return isfinite(x) && isfinite(y) && (!a->p.x_log || x > 0) && (!a->p.y_log || y > 0);
}

/* range of the visible points; guides do not count */
static void data_range(const panel *a, double range[4], bool *points) {
  bool any = false;
  *points = false;
  for (int k = 0; k < a->nseries; k++) {
    const tn_plot_series *s = &a->series[k].s;
    if (stays_back(s)) continue;
    if (s->style != TN_PLOT_LINE) *points = true;
    for (long i = 0; i < s->n; i++) {
      if (!visible(a, s->x[i], s->y[i])) continue;
      if (!any) {
        range[0] = range[1] = s->x[i];
        range[2] = range[3] = s->y[i];
      }
      any = true;
      range[0] = fmin(range[0], s->x[i]);
      range[1] = fmax(range[1], s->x[i]);
      range[2] = fmin(range[2], s->y[i]);
      range[3] = fmax(range[3], s->y[i]);
    }
  }
  if (any) return;
  range[0] = a->p.x_log ? 0.1 : 0;
  range[2] = a->p.y_log ? 0.1 : 0;
  range[1] = range[3] = 1;
}

/* a little air beyond the data */
static void pad(bool log, double part, double *lo, double *hi) {
  if (log) {
    double f = pow(*hi / *lo, part);
    *lo /= f;
    *hi *= f;
  } else {
    double d = part*(*hi - *lo);
    *lo -= d;
    *hi += d;
  }
}

static void find_ranges(tn_plot *p, double (*range)[4]) {
  double all[2] = {HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < p->npanel; k++) {
    const tn_plot_panel *g = &p->panel[k].p;
    double *r = range[k];
    bool points;
    data_range(&p->panel[k], r, &points);
    if (points || g->equal) pad(g->x_log, 0.05, &r[0], &r[1]);
    pad(g->y_log, 0.06, &r[2], &r[3]);
    if (g->x_max > g->x_min) r[0] = g->x_min, r[1] = g->x_max;
    if (g->y_max > g->y_min) r[2] = g->y_min, r[3] = g->y_max;
    all[0] = fmin(all[0], r[0]);
    all[1] = fmax(all[1], r[1]);
  }
  for (int k = 0; k < p->npanel && p->o.share_x; k++) range[k][0] = all[0], range[k][1] = all[1];
}

/* ---- layout -------------------------------------------------------------------------------- */

static double widest_label(const tni_axis *a) {
  double w = 0;
  for (int i = 0; i < a->ntick; i++) w = fmax(w, tni_text_width(a->label[i])*SIZE_TICK);
  return w;
}

static double entry_width(const char *name) {
  return SAMPLE + 6 + tni_text_width(name)*SIZE_LABEL + 18;
}

/* rows that the legend of a panel takes when it is this wide */
static int count_legend(panel *a, double width) {
  double x = 0;
  int rows = 0;
  for (int k = 0; k < a->nseries; k++) {
    if (!a->series[k].s.name) continue;
    double w = entry_width(a->series[k].s.name);
    if (rows == 0 || x + w > width) {
      rows++;
      x = 0;
    }
    x += w;
  }
  return rows;
}

static bool is_bottom(const tn_plot *p, int k) {
  return !p->o.share_x || k + p->o.columns >= p->npanel;
}

static bool has_text(const char *s) { return s && s[0]; }

/* what stands beside the axes */
typedef struct {
  int ncol, nrow;
  double column;        /* width of a column of panels             */
  double left, width;   /* of the axes inside of it                */
  double height;        /* of the axes                             */
} grid;

/* numbers of the y axes, and many names, take from the width */
static grid measure_grid(tn_plot *p, double (*range)[4]) {
  grid g = {.ncol = p->o.columns < p->npanel ? p->o.columns : p->npanel};
  g.nrow = (p->npanel + g.ncol - 1)/g.ncol;
  g.height = p->o.panel_height ? p->o.panel_height : g.nrow > 1 ? 210 : 380;
  g.column = (p->o.width - 2*MARGIN - (g.ncol - 1)*COLUMN_GAP)/g.ncol;
  for (int k = 0; k < p->npanel; k++) {
    panel *a = &p->panel[k];
    tni_axis_set(&a->y, a->p.y_log, range[k][2], range[k][3], (int)(g.height/38));
    g.left = fmax(g.left, widest_label(&a->y) + 10 + (has_text(a->p.y_label) ? 20 : 0));
  }
  g.width = g.column - g.left - 10;
  p->legend_right = false;
  p->legend_width = 0;
  for (int k = 0; k < p->npanel && !p->o.shared_legend; k++) {
    if (count_legend(&p->panel[k], g.width) > LEGEND_ROWS_MAX) p->legend_right = true;
    for (int i = 0; i < p->panel[k].nseries; i++) {
      const char *name = p->panel[k].series[i].s.name;
      if (name) p->legend_width = fmax(p->legend_width, entry_width(name));
    }
  }
  if (p->legend_right) g.width = fmax(60, g.width - p->legend_width);
  return g;
}

/* one scale for both axes: widen the range of the one that has room left */
static void make_equal(panel *a, double r[4]) {
  double scale = fmax((r[1] - r[0])/a->width, (r[3] - r[2])/a->height);
  double cx = 0.5*(r[0] + r[1]), cy = 0.5*(r[2] + r[3]);
  r[0] = cx - 0.5*scale*a->width, r[1] = cx + 0.5*scale*a->width;
  r[2] = cy - 0.5*scale*a->height, r[3] = cy + 0.5*scale*a->height;
  tni_axis_set(&a->y, false, r[2], r[3], (int)(a->height/38));
}

/* panels first..end-1 from y downwards; returns where the row ends */
static double place_row(tn_plot *p, const grid *g, int first, double y, double (*range)[4]) {
  int end = first + g->ncol < p->npanel ? first + g->ncol : p->npanel;
  bool over = !p->legend_right && !p->o.shared_legend; /* names over the axes */
  double head = 0, foot = 0;
  for (int k = first; k < end; k++) {
    panel *a = &p->panel[k];
    a->legend_rows = over ? count_legend(a, g->width) : 0;
    head = fmax(head, 8 + (has_text(a->p.title) ? 20 : 0) + LEGEND_ROW*a->legend_rows);
    foot = fmax(foot, is_bottom(p, k) ? 20 + (has_text(a->p.x_label) ? 20 : 0) : 6);
  }
  for (int k = first; k < end; k++) {
    panel *a = &p->panel[k];
    a->left = MARGIN + (k - first)*(g->column + COLUMN_GAP) + g->left;
    a->label_x = a->left - g->left + 11;
    a->top = y + head;
    a->width = g->width;
    a->height = g->height;
    if (a->p.equal) make_equal(a, range[k]);
    tni_axis_set(&a->x, a->p.x_log, range[k][0], range[k][1], (int)(g->width/70));
    a->x.from = a->left;
    a->x.to = a->left + g->width;
    a->y.from = a->top + g->height;
    a->y.to = a->top;
  }
  return y + head + g->height + foot;
}

static void lay_out(tn_plot *p, double (*range)[4]) {
  grid g = measure_grid(p, range);
  double y = MARGIN + (has_text(p->o.title) ? 22 : 0) + (has_text(p->o.note) ? 18 : 0);
  if (has_text(p->o.title) || has_text(p->o.note)) y += 6;
  if (p->o.shared_legend) {
    p->legend_y = y + 8;
    y += LEGEND_ROW*count_legend(&p->panel[0], p->o.width - 2*MARGIN) + 4;
  }
  for (int row = 0; row < g.nrow; row++) y = place_row(p, &g, row*g.ncol, y, range) + ROW_GAP;
  p->width = p->o.width;
  p->height = ceil(y - ROW_GAP + MARGIN - 4);
}

/* ---- drawing ------------------------------------------------------------------------------- */

static void draw_line(tni_canvas *c, double x0, double y0, double x1, double y1, int role,
                      double width) {
  c->move(c, x0, y0);
  c->line(c, x1, y1);
  c->stroke(c, role, width, 0);
}

/* lines of one pixel are sharp between whole numbers */
static double sharp(double x) { return floor(x) + 0.5; }

static void draw_grid(const tn_plot *p, tni_canvas *c, const panel *a, int k) {
  double x0 = a->left, x1 = a->left + a->width, y0 = a->top + a->height, y1 = a->top;
  tni_font number = {.size = SIZE_TICK, .role = TNI_MUTED, .anchor = TNI_MIDDLE};
  for (int i = 0; i < a->x.ntick; i++) {
    double x = tni_axis_at(&a->x, a->x.tick[i]);
    draw_line(c, sharp(x), y0, sharp(x), y1, TNI_GRID, 1);
    if (is_bottom(p, k)) c->text(c, x, y0 + 16, &number, a->x.label[i]);
  }
  for (int i = 0; i < a->x.nminor; i++) {
    double x = sharp(tni_axis_at(&a->x, a->x.minor[i]));
    draw_line(c, x, y0, x, y0 - 4, TNI_AXIS, 0.8);
  }
  number.anchor = TNI_END;
  for (int i = 0; i < a->y.ntick; i++) {
    double y = tni_axis_at(&a->y, a->y.tick[i]);
    draw_line(c, x0, sharp(y), x1, sharp(y), TNI_GRID, 1);
    c->text(c, x0 - 7, y + 4, &number, a->y.label[i]);
  }
  for (int i = 0; i < a->y.nminor; i++) {
    double y = sharp(tni_axis_at(&a->y, a->y.minor[i]));
    draw_line(c, x0, y, x0 + 4, y, TNI_AXIS, 0.8);
  }
  /* zero deserves a line of its own */
  if (!a->y.log && a->y.lo < 0 && a->y.hi > 0) {
    double y = sharp(tni_axis_at(&a->y, 0));
    draw_line(c, x0, y, x1, y, TNI_AXIS, 0.8);
  }
  c->move(c, sharp(x0), y1);
  c->line(c, sharp(x0), sharp(y0));
  c->line(c, x1, sharp(y0));
  c->stroke(c, TNI_AXIS, 1, 0);
}

/* "position [m]" */
static void full_label(const char *label, const char *unit, int exponent, char *out, size_t n) {
  char pretty[64], power[TNI_LABEL_MAX] = "";
  tni_pretty_unit(has_text(unit) ? unit : "", pretty, sizeof(pretty));
  if (exponent) tni_power_of_ten(exponent, power);
  if (!exponent && !pretty[0]) snprintf(out, n, "%s", label);
  else snprintf(out, n, "%s [%s%s%s]", label, power, exponent && pretty[0] ? " " : "", pretty);
}

static void draw_labels(const tn_plot *p, tni_canvas *c, const panel *a, int k) {
  char text[512];
  tni_font font = {.size = SIZE_LABEL, .role = TNI_INK, .anchor = TNI_MIDDLE};
  if (has_text(a->p.x_label) && is_bottom(p, k)) {
    full_label(a->p.x_label, a->p.x_unit, a->x.exponent, text, sizeof(text));
    c->text(c, a->left + 0.5*a->width, a->top + a->height + 36, &font, text);
  }
  if (has_text(a->p.y_label)) {
    full_label(a->p.y_label, a->p.y_unit, a->y.exponent, text, sizeof(text));
    font.upright = true;
    c->text(c, a->label_x, a->top + 0.5*a->height, &font, text);
  }
  if (has_text(a->p.title)) {
    tni_font title = {.size = SIZE_PANEL, .bold = true, .role = TNI_INK};
    c->text(c, a->left, a->top - 10 - LEGEND_ROW*a->legend_rows, &title, a->p.title);
  }
}

/* shapes that differ without colour; the paper shows through every second one */
static void draw_marker(tni_canvas *c, const series *s, double x, double y) {
  static const double square[][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  static const double up[][2] = {{0, -1.25}, {1.15, 0.85}, {-1.15, 0.85}};
  static const double diamond[][2] = {{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}};
  static const double down[][2] = {{0, 1.25}, {1.15, -0.85}, {-1.15, -0.85}};
  static const struct {
    const double (*xy)[2];
    int n;
  } shape[] = {{NULL, 0}, {square, 4}, {up, 3}, {diamond, 4}, {down, 3}};
  int k = s->marker % TNI_COUNT(shape), n = shape[k].n;
  double r = n == 4 && shape[k].xy == square ? 0.88*MARKER : MARKER;
  if (n == 0) c->circle(c, x, y, r);
  for (int i = 0; i < n; i++)
    (i ? c->line : c->move)(c, x + r*shape[k].xy[i][0], y + r*shape[k].xy[i][1]);
  bool hollow = s->marker/TNI_COUNT(shape) % 2;
  c->fill(c, hollow ? TNI_PAPER : s->role, hollow ? s->role : TNI_PAPER);
}

typedef struct {
  tni_canvas *c;
  bool open;    /* a line has been begun          */
  long npoint;  /* in it                          */
} tracer;

static void trace(tracer *t, double x, double y) {
  (t->open ? t->c->line : t->c->move)(t->c, x, y);
  t->open = true;
  t->npoint++;
}

/* points of one pixel column, in their order: first, lowest, highest, last */
static void trace_column(tracer *t, const double (*pt)[2]) {
  bool low_first = pt[1][0] <= pt[2][0];
  trace(t, pt[0][0], pt[0][1]);
  for (int k = 0; k < 2; k++) {
    const double *q = pt[(k == 0) == low_first ? 1 : 2];
    trace(t, q[0], q[1]);
  }
  trace(t, pt[3][0], pt[3][1]);
}

static bool is_long_and_ordered(const tn_plot_series *s, double width) {
  if (s->n < THIN_LIMIT*width) return false;
  for (long i = 1; i < s->n; i++)
    if (!(s->x[i] >= s->x[i-1])) return false;
  return true;
}

static void draw_curve(tni_canvas *c, const panel *a, const series *q) {
  const tn_plot_series *s = &q->s;
  bool thin = is_long_and_ordered(s, a->width);
  tracer t = {.c = c};
  double pt[4][2] = {{0}};
  double column = NAN; /* pixel column being collected */
  for (long i = 0; i <= s->n; i++) {
    bool here = i < s->n && visible(a, s->x[i], s->y[i]);
    double x = here ? tni_axis_at(&a->x, s->x[i]) : NAN;
    double y = here ? tni_axis_at(&a->y, s->y[i]) : NAN;
    if (thin && !isnan(column) && !(floor(x) == column)) {
      trace_column(&t, (const double(*)[2])pt);
      column = NAN;
    }
    if (!here) {
      t.open = false;
    } else if (!thin) {
      trace(&t, x, y);
    } else {
      if (isnan(column))
        for (int k = 0; k < 4; k++) pt[k][0] = x, pt[k][1] = y;
      column = floor(x);
      if (y > pt[1][1]) pt[1][0] = x, pt[1][1] = y;
      if (y < pt[2][1]) pt[2][0] = x, pt[2][1] = y;
      pt[3][0] = x, pt[3][1] = y;
    }
  }
  bool guide = s->style == TN_PLOT_GUIDE;
  if (t.npoint) c->stroke(c, q->role, guide ? 1.0 : LINE_WIDTH, s->dash);
}

/* one for all that share a pixel */
static void draw_ticks(tni_canvas *c, const panel *a, const series *q) {
  double last = NAN;
  bool any = false;
  for (long i = 0; i < q->s.n; i++) {
    if (!visible(a, q->s.x[i], 1)) continue;
    double x = sharp(tni_axis_at(&a->x, q->s.x[i]));
    if (x == last || x < a->left || x > a->left + a->width + 1) continue;
    c->move(c, x, a->top);
    c->line(c, x, a->top + TICK);
    last = x;
    any = true;
  }
  if (any) c->stroke(c, q->role, 1, 0);
}

static void draw_series(tni_canvas *c, const panel *a, const series *q) {
  const tn_plot_series *s = &q->s;
  if (s->style == TN_PLOT_TICKS) {
    draw_ticks(c, a, q);
    return;
  }
  if (s->style != TN_PLOT_POINTS) draw_curve(c, a, q);
  if (s->style != TN_PLOT_POINTS && s->style != TN_PLOT_LINE_POINTS) return;
  for (long i = 0; i < s->n; i++)
    if (visible(a, s->x[i], s->y[i]))
      draw_marker(c, q, tni_axis_at(&a->x, s->x[i]), tni_axis_at(&a->y, s->y[i]));
}

/* names of a panel in rows from x0, y; column: one below the other */
static void draw_names(tni_canvas *c, const panel *a, double x0, double y, double width,
                       bool column) {
  tni_font font = {.size = SIZE_LABEL, .role = TNI_INK};
  double x = x0;
  bool first = true;
  for (int k = 0; k < a->nseries; k++) {
    const series *q = &a->series[k];
    if (!q->s.name) continue;
    double w = entry_width(q->s.name);
    if (!first && (column || x + w > x0 + width)) {
      x = x0;
      y += LEGEND_ROW;
    }
    first = false;
    if (q->s.style == TN_PLOT_TICKS) {
      for (int i = 1; i < 4; i++)
        draw_line(c, sharp(x + 0.25*i*SAMPLE), y - 0.5*TICK, sharp(x + 0.25*i*SAMPLE), y + 0.5*TICK,
                  q->role, 1);
    } else if (q->s.style != TN_PLOT_POINTS) {
      c->move(c, x, y);
      c->line(c, x + SAMPLE, y);
      c->stroke(c, q->role, q->s.style == TN_PLOT_GUIDE ? 1.0 : LINE_WIDTH + 0.2, q->s.dash);
    }
    if (q->s.style == TN_PLOT_POINTS || q->s.style == TN_PLOT_LINE_POINTS)
      draw_marker(c, q, x + 0.5*SAMPLE, y);
    c->text(c, x + SAMPLE + 6, y + 4, &font, q->s.name);
    x += w;
  }
}

static void draw_legend(const tn_plot *p, tni_canvas *c, const panel *a) {
  if (p->o.shared_legend) {
    if (a == p->panel) draw_names(c, a, MARGIN, p->legend_y, p->width - 2*MARGIN, false);
  } else if (p->legend_right) {
    draw_names(c, a, a->left + a->width + 16, a->top + 10, 0, true);
  } else {
    draw_names(c, a, a->left, a->top - 14 - LEGEND_ROW*(a->legend_rows - 1), a->width, false);
  }
}

static void draw(void *user, tni_canvas *c) {
  const tn_plot *p = user;
  c->move(c, 0, 0);
  c->line(c, p->width, 0);
  c->line(c, p->width, p->height);
  c->line(c, 0, p->height);
  c->fill(c, TNI_PAPER, -1);
  double y = MARGIN + 12;
  tni_font title = {.size = SIZE_TITLE, .bold = true, .role = TNI_INK};
  tni_font note = {.size = SIZE_LABEL, .role = TNI_MUTED};
  if (has_text(p->o.title)) {
    c->text(c, MARGIN, y, &title, p->o.title);
    y += 20;
  }
  if (has_text(p->o.note)) c->text(c, MARGIN, y, &note, p->o.note);
  for (int k = 0; k < p->npanel; k++) {
    const panel *a = &p->panel[k];
    draw_grid(p, c, a, k);
    /* the width of a line beyond the axes is allowed */
    c->clip(c, a->left - 5, a->top - 5, a->width + 10, a->height + 10);
    for (int i = 0; i < a->nseries; i++) draw_series(c, a, &a->series[i]);
    c->unclip(c);
    draw_labels(p, c, a, k);
    draw_legend(p, c, a);
  }
}

/* ---- output -------------------------------------------------------------------------------- */

static tn_status prepare(tn_plot *p) {
  TN_REQUIRE(p->ctx, p->npanel > 0, TN_ERR_ARGUMENT, "plot without a panel");
  double(*range)[4] = tni_alloc(p->ctx, (size_t)p->npanel, sizeof(*range));
  if (!range) return tni_out_of_memory(p->ctx);
  find_ranges(p, range);
  lay_out(p, range);
  tni_free(p->ctx, range);
  return TN_OK;
}

tn_status tn_plot_svg(tn_plot *p, char **out) {
  *out = NULL;
  TN_TRY(prepare(p));
  tni_text text;
  tni_svg svg;
  tni_text_init(&text, p->ctx);
  tni_svg_begin(&svg, &text, p->width, p->height, p->o.title, p->o.embedded);
  draw(p, &svg.canvas);
  if (!tni_svg_end(&svg)) {
    tni_text_free(&text);
    return tni_out_of_memory(p->ctx);
  }
  *out = text.s;
  return TN_OK;
}

const char *tn_plot_css(void) { return tni_svg_css; }

static bool write_bytes(void *user, const unsigned char *bytes, size_t n) {
  tn_plot *p = user;
  if (fwrite(bytes, 1, n, p->file) != n) p->error = errno ? errno : EIO;
  return p->error == 0;
}

static tn_status write_svg(tn_plot *p) {
  char *text;
  TN_TRY(tn_plot_svg(p, &text));
  write_bytes(p, (const unsigned char *)text, strlen(text));
  tni_free(p->ctx, text);
  return TN_OK;
}

static bool ends_in(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n > m && strcmp(text + n - m, end) == 0;
}

/* under another name first, so that a failure leaves no half file */
tn_status tn_plot_write(tn_plot *p, const char *path) {
  bool png = ends_in(path, ".png");
  TN_REQUIRE(p->ctx, png || ends_in(path, ".svg"), TN_ERR_ARGUMENT,
             "plot '%s': the name must end in .svg or .png", path);
  TN_TRY(prepare(p));
  tni_file_place place;
  TN_TRY(tni_file_place_find(&p->arena, path, &place));
  p->file = fopen(place.part, "wb");
  TN_REQUIRE(p->ctx, p->file, TN_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  p->error = 0;
  tn_status st = png ? tni_png_draw(p->ctx, p->width, p->height, p->o.scale, draw, write_bytes, p)
                     : write_svg(p);
  if (fclose(p->file) != 0 && !p->error) p->error = errno;
  p->file = NULL;
  int error = tni_file_place_close(&place, st == TN_OK && !p->error);
  if (!p->error) p->error = error;
  return p->error ? TN_FAIL(p->ctx, TN_ERR_IO, "cannot write '%s': %s", path, strerror(p->error)) : st;
}
