/* output/canvas_png.c - pixels through cairo
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "output/canvas.h"

#ifndef TENON_HAVE_CAIRO

tn_status tni_png_draw(tn_ctx *ctx, double w, double h, double scale,
                       void (*draw)(void *user, tni_canvas *c),
                       bool (*write)(void *user, const unsigned char *bytes, size_t n),
                       void *user) {
  (void)w, (void)h, (void)scale, (void)draw, (void)write, (void)user;
  return TN_FAIL(ctx, TN_ERR_UNSUPPORTED,
                 "no PNG: this library was built without cairo (Debian: libcairo2-dev); write .svg");
}

#else
#include <cairo.h>

#include "base/late.h"

/* cairo is loaded with the first picture */
#define FUNCTIONS(X) \
  X(arc) X(clip) X(close_path) X(create) X(destroy) X(fill_preserve) X(font_options_create) \
  X(font_options_destroy) X(font_options_set_antialias) X(font_options_set_hint_metrics) \
  X(font_options_set_hint_style) X(image_surface_create) X(line_to) X(move_to) X(new_path) X(new_sub_path) \
  X(rectangle) X(restore) X(rotate) X(save) X(scale) X(select_font_face) X(set_dash) X(set_font_options) \
  X(set_font_size) X(set_line_cap) X(set_line_join) X(set_line_width) X(set_source_rgb) X(show_text) \
  X(status) X(status_to_string) X(stroke) X(stroke_preserve) X(surface_destroy) \
  X(surface_write_to_png_stream) X(text_extents) X(translate)

#define MEMBER(f) __typeof__(cairo_##f) *f;
#define NAME(f) "cairo_" #f,
static struct { FUNCTIONS(MEMBER) } cairo;
static const char *const name[] = {FUNCTIONS(NAME)};
static tni_late library = {.what = "PNG", .file = TENON_CAIRO_FILE, .package = "libcairo2", .n = TNI_COUNT(name),
                           .name = name, .function = (void (**)(void))&cairo};

static void set_color(cairo_t *cr, int role) {
  unsigned rgb = tni_palette[role].light;
  cairo.set_source_rgb(cr, (rgb >> 16)/255.0, (rgb >> 8 & 255)/255.0, (rgb & 255)/255.0);
}

static void png_move(tni_canvas *c, double x, double y) { cairo.move_to(c->user, x, y); }
static void png_line(tni_canvas *c, double x, double y) { cairo.line_to(c->user, x, y); }

static void png_circle(tni_canvas *c, double x, double y, double r) {
  cairo.new_sub_path(c->user);
  cairo.arc(c->user, x, y, r, 0, 2*acos(-1.0));
}

static void png_stroke(tni_canvas *c, int role, double width, int dash) {
  int n = 0;
  while (tni_dash[dash][n] > 0) n++;
  set_color(c->user, role);
  cairo.set_line_width(c->user, width);
  cairo.set_dash(c->user, tni_dash[dash], n, 0);
  cairo.stroke(c->user);
}

static void png_fill(tni_canvas *c, int role, int edge) {
  set_color(c->user, role);
  cairo.fill_preserve(c->user);
  if (edge >= 0) {
    set_color(c->user, edge);
    cairo.set_line_width(c->user, 1);
    cairo.set_dash(c->user, NULL, 0, 0);
    cairo.close_path(c->user);
    cairo.stroke_preserve(c->user);
  }
  cairo.new_path(c->user);
}

static void png_text(tni_canvas *c, double x, double y, const tni_font *font, const char *text) {
  cairo_t *cr = c->user;
  cairo_text_extents_t e;
  cairo.save(cr);
  cairo.select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo.set_font_size(cr, font->size);
  cairo.text_extents(cr, text, &e);
  cairo.translate(cr, x, y);
  if (font->upright) cairo.rotate(cr, -0.5*acos(-1.0));
  set_color(cr, font->role);
  cairo.move_to(cr, -0.5*font->anchor*e.x_advance, 0);
  cairo.show_text(cr, text);
  cairo.restore(cr);
  cairo.new_path(cr);
}

static void png_clip(tni_canvas *c, double x, double y, double w, double h) {
  cairo.save(c->user);
  cairo.rectangle(c->user, x, y, w, h);
  cairo.clip(c->user);
}

static void png_unclip(tni_canvas *c) { cairo.restore(c->user); }

typedef struct {
  bool (*write)(void *user, const unsigned char *bytes, size_t n);
  void *user;
} sink;

static cairo_status_t pass_on(void *closure, const unsigned char *bytes, unsigned n) {
  sink *s = closure;
  return s->write(s->user, bytes, n) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

tn_status tni_png_draw(tn_ctx *ctx, double w, double h, double scale,
                       void (*draw)(void *user, tni_canvas *c),
                       bool (*write)(void *user, const unsigned char *bytes, size_t n),
                       void *user) {
  TN_TRY(tni_late_load(ctx, &library));
  cairo_surface_t *surface =
      cairo.image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(w*scale), (int)ceil(h*scale));
  cairo_t *cr = cairo.create(surface);
  cairo_font_options_t *o = cairo.font_options_create();
  cairo.font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
  cairo.font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
  cairo.font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
  cairo.set_font_options(cr, o);
  cairo.font_options_destroy(o);
  cairo.scale(cr, scale, scale);
  cairo.set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo.set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  tni_canvas canvas = {png_move, png_line, png_circle, png_stroke, png_fill,
                       png_text, png_clip, png_unclip, cr};
  draw(user, &canvas);
  sink s = {write, user};
  cairo_status_t st = cairo.status(cr);
  if (st == CAIRO_STATUS_SUCCESS)
    st = cairo.surface_write_to_png_stream(surface, pass_on, &s);
  cairo.destroy(cr);
  cairo.surface_destroy(surface);
  if (st == CAIRO_STATUS_SUCCESS) return TN_OK;
  if (st == CAIRO_STATUS_NO_MEMORY) return tni_out_of_memory(ctx);
  return TN_FAIL(ctx, TN_ERR_IO, "no PNG of %g by %g: %s", w*scale, h*scale,
                 cairo.status_to_string(st));
}

#endif
