/* tenon/plot.h - static plots as SVG and PNG
 *
 *   tn_plot_create -> tn_plot_add_panel ... -> tn_plot_add_series ... -> tn_plot_write -> tn_plot_destroy
 *
 * A figure is a grid of panels, filled row by row; a panel has two axes and any number of series.
 * The same input gives the same SVG, byte for byte, on every machine: sizes of texts come from a
 * table, not from the fonts that are installed. Colours can be told apart by colour-blind readers,
 * and lines and markers differ without colour too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_PLOT_H
#define TN_PLOT_H

#include <tenon/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_plot tn_plot;

/* Zero in a field means "library default"; start from {0}. Texts are copied, UTF-8, may be NULL. */
typedef struct {
  const char *title; /* over the whole figure                                                  */
  const char *note;  /* one line under the title, smaller                                      */
  int width;         /* default 860                                                            */
  int panel_height;  /* height of the axes: default 380 for one row, 210 for several           */
  int columns;       /* panels side by side, default 1                                         */
  bool share_x;      /* one column: all panels have the same x axis, written once at the bottom */
  bool shared_legend; /* names of the first panel once, over all panels                         */
  double scale;      /* PNG only: pixels per unit of width, default 2                          */
  bool embedded;     /* SVG only: for a page that brings the colours (tn_plot_css)             */
} tn_plot_opts;

typedef struct {
  const char *title;
  const char *x_label, *x_unit, *y_label, *y_unit; /* "position" "m" gives "position [m]"      */
  bool x_log, y_log;                               /* what is not positive is left out          */
  double x_min, x_max, y_min, y_max;               /* min = max: from the data                  */
  bool equal;                                      /* one unit is as long on x as on y          */
} tn_plot_panel;

typedef enum {
  TN_PLOT_LINE = 0,
  TN_PLOT_POINTS,
  TN_PLOT_LINE_POINTS,
  TN_PLOT_GUIDE, /* thin and grey, does not take a colour and does not stretch the axes */
  TN_PLOT_TICKS  /* the same, marks at the upper edge; y is not used and may be NULL    */
} tn_plot_style;

typedef struct {
  const char *name;   /* in the legend; NULL: not there                            */
  long n;             /* points                                                    */
  const double *x, *y; /* [n], copied; a point that is not finite breaks the line  */
  tn_plot_style style;
  int color;          /* 0: the next free one; k: the k-th of the palette          */
  int dash;           /* 0: by colour (whole lines first); k: the k-th pattern     */
} tn_plot_series;

/* opts may be NULL. Returns TN_ERR_ARGUMENT for sizes outside 100 to 20000. */
TN_API TN_NODISCARD tn_status tn_plot_create(tn_ctx *ctx, const tn_plot_opts *opts, tn_plot **out);
TN_API void tn_plot_destroy(tn_plot **plot);
/* Panels are numbered from 0 in the order they are added. */
TN_API TN_NODISCARD tn_status tn_plot_add_panel(tn_plot *plot, const tn_plot_panel *panel);
TN_API TN_NODISCARD tn_status tn_plot_add_series(tn_plot *plot, int panel,
                                                 const tn_plot_series *series);

/* SVG text, freed with tn_text_free (tenon/context.h). */
TN_API TN_NODISCARD tn_status tn_plot_svg(tn_plot *plot, char **out);
/* Style sheet for pages with embedded figures: light, and dark where the reader prefers it. */
TN_API const char *tn_plot_css(void);
/* Write a file; the name ends in .svg or .png. A failure leaves no half file. TN_ERR_UNSUPPORTED
 * for PNG when the library was built without cairo. */
TN_API TN_NODISCARD tn_status tn_plot_write(tn_plot *plot, const char *path);

#ifdef __cplusplus
}
#endif
#endif
