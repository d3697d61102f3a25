/* output/canvas_svg.c - SVG text, the look of plots, and how wide texts are
 *
 * The palette is that of Okabe and Ito (Color Universal Design, 2008), made for readers who cannot
 * tell red from green, without its yellow, which vanishes on white; purple is darker than theirs for
 * the same reason, and brown is added. On dark paper the dark ones are lightened.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdio.h>

#include "output/canvas.h"

/* role, on light paper, on dark paper */
#define PALETTE(X)       \
  X(0, ffffff, 16191d)   \
  X(1, 1f2933, e6e9ec)   \
  X(2, 5a6672, a3acb5)   \
  X(3, 8b96a1, 6b7580)   \
  X(4, e6e9ed, 2a2f36)   \
  X(5, 0072b2, 4aa8e0)   \
  X(6, d55e00, f2853b)   \
  X(7, 009e73, 2cc79b)   \
  X(8, b1579a, d78cc0)   \
  X(9, e69f00, e9ae2e)   \
  X(10, 56b4e9, 8fd0f5)  \
  X(11, 39424d, c3cad1)  \
  X(12, 8c6d46, bf9d74)

const tni_color tni_palette[TNI_NROLE] = {
#define X(role, light, dark) [role] = {0x##light, 0x##dark},
    PALETTE(X)
#undef X
};

const double tni_dash[TNI_NDASH][TNI_DASH_MAX + 1] = {
    {0}, {6, 3, 0}, {1.5, 2.5, 0}, {8, 3, 1.5, 3, 0}};

/* rules: class s<role> draws lines in the colour, f<role> fills with it */
#define SHAPES                                                                               \
  ".tp text{font-family:Inter,\"Helvetica Neue\",Arial,\"DejaVu Sans\",sans-serif}"          \
  ".tp path{stroke-linejoin:round;stroke-linecap:round}.tp .b{font-weight:600}"
#define RULE(role, color) ".tp .s" #role "{stroke:#" #color "}.tp .f" #role "{fill:#" #color "}"
#define LIGHT(role, light, dark) RULE(role, light)
#define DARK(role, light, dark) RULE(role, dark)

static const char light_css[] = SHAPES PALETTE(LIGHT);
const char tni_svg_css[] =
    SHAPES PALETTE(LIGHT) "\n@media (prefers-color-scheme: dark){" PALETTE(DARK) "}\n";

/* thousandths of the size, from ' ' to '~' */
static const unsigned short advance[95] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
enum { OTHER_ADVANCE = 640, SUPERSCRIPT_ADVANCE = 401 };

double tni_text_width(const char *text) {
  double sum = 0;
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if ((*c & 0xC0) == 0x80) continue; /* inside of a character */
    bool superscript = *c == 0xC2 || (*c == 0xE2 && c[1] == 0x81);
    if (*c >= ' ' && *c <= '~') sum += advance[*c - ' '];
    else sum += superscript ? SUPERSCRIPT_ADVANCE : OTHER_ADVANCE;
  }
  return sum/1000;
}

/* ---- text of SVG --------------------------------------------------------------------------- */

/* two decimals are enough for the eye; without zeros at the end */
static void add_number(tni_text *out, double value) {
  char s[64];
  double rounded = rint(value*100)/100;
  int n = snprintf(s, sizeof(s), "%.2f", rounded == 0 ? 0.0 : rounded);
  for (int i = 0; i < n; i++)
    if (s[i] == ',') s[i] = '.'; /* a locale with a decimal comma */
  while (n > 1 && s[n-1] == '0') n--;
  if (n > 1 && s[n-1] == '.') n--;
  tni_text_add(out, "%.*s", n, s);
}

static void add_attribute(tni_text *out, const char *name, double value) {
  tni_text_add(out, " %s=\"", name);
  add_number(out, value);
  tni_text_add(out, "\"");
}

static void add_escaped(tni_text *out, const char *text) {
  for (const char *c = text; *c; c++) {
    switch (*c) {
      case '<': tni_text_add(out, "&lt;"); break;
      case '>': tni_text_add(out, "&gt;"); break;
      case '&': tni_text_add(out, "&amp;"); break;
      case '"': tni_text_add(out, "&quot;"); break;
      default: tni_text_add(out, "%c", *c);
    }
  }
}

static void add_point(tni_svg *s, char command, double x, double y) {
  tni_text_add(&s->path, "%c", command);
  add_number(&s->path, x - s->dx);
  tni_text_add(&s->path, " ");
  add_number(&s->path, y - s->dy);
}

static void svg_move(tni_canvas *c, double x, double y) { add_point(c->user, 'M', x, y); }
static void svg_line(tni_canvas *c, double x, double y) { add_point(c->user, 'L', x, y); }

static void svg_circle(tni_canvas *c, double x, double y, double r) {
  tni_svg *s = c->user;
  add_point(s, 'M', x - r, y);
  for (int half = 0; half < 2; half++) {
    tni_text_add(&s->path, "a");
    add_number(&s->path, r);
    tni_text_add(&s->path, " ");
    add_number(&s->path, r);
    tni_text_add(&s->path, " 0 1 0 ");
    add_number(&s->path, half ? -2*r : 2*r);
    tni_text_add(&s->path, " 0");
  }
}

/* the path collected, as an element with these classes still to be ended */
static void add_path(tni_svg *s) {
  tni_text_add(s->out, " d=\"%s\"/>\n", s->path.s ? s->path.s : "");
  s->path.n = 0;
  if (s->path.s) s->path.s[0] = 0;
}

static void svg_stroke(tni_canvas *c, int role, double width, int dash) {
  tni_svg *s = c->user;
  tni_text_add(s->out, "<path class=\"s%d\" fill=\"none\"", role);
  add_attribute(s->out, "stroke-width", width);
  if (dash) {
    tni_text_add(s->out, " stroke-dasharray=\"");
    for (int i = 0; tni_dash[dash][i] > 0; i++) {
      if (i) tni_text_add(s->out, " ");
      add_number(s->out, tni_dash[dash][i]);
    }
    tni_text_add(s->out, "\"");
  }
  add_path(s);
}

static void svg_fill(tni_canvas *c, int role, int edge) {
  tni_svg *s = c->user;
  tni_text_add(&s->path, "Z");
  tni_text_add(s->out, "<path class=\"f%d", role);
  if (edge >= 0) tni_text_add(s->out, " s%d", edge);
  tni_text_add(s->out, "\"");
  add_path(s);
}

static void svg_text(tni_canvas *c, double x, double y, const tni_font *font, const char *text) {
  static const char *const anchor[] = {"start", "middle", "end"};
  tni_svg *s = c->user;
  tni_text_add(s->out, "<text class=\"f%d%s\"", font->role, font->bold ? " b" : "");
  add_attribute(s->out, "x", x - s->dx);
  add_attribute(s->out, "y", y - s->dy);
  add_attribute(s->out, "font-size", font->size);
  if (font->anchor != TNI_START)
    tni_text_add(s->out, " text-anchor=\"%s\"", anchor[font->anchor]);
  if (font->upright) {
    tni_text_add(s->out, " transform=\"rotate(-90 ");
    add_number(s->out, x - s->dx);
    tni_text_add(s->out, " ");
    add_number(s->out, y - s->dy);
    tni_text_add(s->out, ")\"");
  }
  tni_text_add(s->out, ">");
  add_escaped(s->out, text);
  tni_text_add(s->out, "</text>\n");
}

/* An inner svg element cuts off what is outside of it and, other than a clip path, needs no name
 * that could collide with one elsewhere on a page. */
static void svg_clip(tni_canvas *c, double x, double y, double w, double h) {
  tni_svg *s = c->user;
  tni_text_add(s->out, "<svg overflow=\"hidden\"");
  add_attribute(s->out, "x", x);
  add_attribute(s->out, "y", y);
  add_attribute(s->out, "width", w);
  add_attribute(s->out, "height", h);
  tni_text_add(s->out, ">\n");
  s->dx = x;
  s->dy = y;
}

static void svg_unclip(tni_canvas *c) {
  tni_svg *s = c->user;
  tni_text_add(s->out, "</svg>\n");
  s->dx = s->dy = 0;
}

void tni_svg_begin(tni_svg *s, tni_text *out, double w, double h, const char *title,
                   bool embedded) {
  memset(s, 0, sizeof(*s));
  s->canvas = (tni_canvas){svg_move, svg_line, svg_circle, svg_stroke, svg_fill,
                           svg_text, svg_clip, svg_unclip, s};
  s->out = out;
  tni_text_init(&s->path, out->ctx);
  tni_text_add(out, "<svg class=\"tp\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ");
  add_number(out, w);
  tni_text_add(out, " ");
  add_number(out, h);
  tni_text_add(out, "\"");
  if (!embedded) {
    add_attribute(out, "width", w);
    add_attribute(out, "height", h);
  }
  tni_text_add(out, ">\n");
  if (title && title[0]) {
    tni_text_add(out, "<title>");
    add_escaped(out, title);
    tni_text_add(out, "</title>\n");
  }
  if (!embedded) tni_text_add(out, "<style>%s</style>\n", light_css);
}

bool tni_svg_end(tni_svg *s) {
  tni_text_add(s->out, "</svg>\n");
  bool ok = !s->path.failed && !s->out->failed;
  tni_text_free(&s->path);
  return ok;
}
