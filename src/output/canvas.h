/* output/canvas.h - paths and texts on paper, whatever the paper is
 *
 * One drawing code, two kinds of paper: SVG text written here, and pixels through cairo. The SVG
 * surface of cairo is not used: it turns text into outlines that nobody can search or copy, its
 * bytes depend on the fonts of the machine, and its names collide when a page holds two figures.
 *
 * Units are CSS pixels, y down. A colour is a role, so that a page can choose another look.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CANVAS_H
#define TNI_CANVAS_H

#include "base/base.h"

enum {
  TNI_PAPER,
  TNI_INK,    /* titles, labels       */
  TNI_MUTED,  /* numbers on axes      */
  TNI_AXIS,
  TNI_GRID,
  TNI_SERIES, /* the first of the palette */
  TNI_NSERIES = 8,
  TNI_NROLE = TNI_SERIES + TNI_NSERIES
};
typedef struct tni_color {
  unsigned light, dark; /* 0xRRGGBB */
} tni_color;
extern const tni_color tni_palette[TNI_NROLE];

enum { TNI_NDASH = 4, TNI_DASH_MAX = 6 };
/* lengths of dashes and gaps, 0 ends; pattern 0 is a whole line */
extern const double tni_dash[TNI_NDASH][TNI_DASH_MAX + 1];

typedef enum { TNI_START, TNI_MIDDLE, TNI_END } tni_anchor;
typedef struct tni_font {
  double size;
  bool bold;
  int role;
  tni_anchor anchor;
  bool upright; /* turned by a quarter to the left, for the label of a y axis */
} tni_font;

typedef struct tni_canvas tni_canvas;
struct tni_canvas {
  /* a path is collected by move, line, circle and ended by one of stroke and fill */
  void (*move)(tni_canvas *c, double x, double y);
  void (*line)(tni_canvas *c, double x, double y);
  void (*circle)(tni_canvas *c, double x, double y, double r);
  void (*stroke)(tni_canvas *c, int role, double width, int dash);
  void (*fill)(tni_canvas *c, int role, int edge); /* closed; outline of 1 in the colour edge, -1: none */
  void (*text)(tni_canvas *c, double x, double y, const tni_font *font, const char *text);
  void (*clip)(tni_canvas *c, double x, double y, double w, double h); /* until unclip */
  void (*unclip)(tni_canvas *c);
  void *user;
};

/* Width of a text of size 1, from a table of DejaVu Sans, one of the wider fonts. */
double tni_text_width(const char *text);

/* SVG: begin, draw, end. embedded: without colours and size; tni_svg_css has the colours. */
typedef struct tni_svg {
  tni_canvas canvas;
  tni_text *out;  /* borrowed                          */
  tni_text path;  /* of the path being collected       */
  double dx, dy;  /* what clip takes off coordinates   */
} tni_svg;
void tni_svg_begin(tni_svg *svg, tni_text *out, double w, double h, const char *title,
                   bool embedded);
bool tni_svg_end(tni_svg *svg); /* false: out of memory */
/* style rules of the classes, with a look for readers who prefer dark pages */
extern const char tni_svg_css[];

/* PNG of w by h units at `scale` pixels each; draw is called once. The bytes go to write. */
tn_status tni_png_draw(tn_ctx *ctx, double w, double h, double scale,
                       void (*draw)(void *user, tni_canvas *c),
                       bool (*write)(void *user, const unsigned char *bytes, size_t n), void *user);

#endif
