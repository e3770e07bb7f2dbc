/* svg.h - pictures out of axes, lines, ribbons and bars: the same code draws pages and files.
 *
 * Flow: numbers -> plots -> *SVG* -> inside a page, or a file of its own for a paper.
 *
 * Shapes carry classes, colours are told once, in svg_style: inside a page as variables that follow light and dark, in a
 * file as plain light colours, since many programs that read SVG know no variables. What a colour says, a dash, a mark or a
 * word says too.
 *
 * A picture is drawn with the unit of its view box; values go to places by a frame.
 */
#ifndef PHI3SAT_REPORT_SVG_H
#define PHI3SAT_REPORT_SVG_H

#include "../base/outfile.h"

/* A picture under way. */
struct svg {
    struct outfile *out;  /* borrowed, open                                           */
    bool file;            /* stands alone: brings its own style and a white ground    */
};

/* Where values are: from `left` to `right` x goes from x_from to x_to, from `bottom` up to `top` y from y_from to y_to. */
struct svg_frame {
    double left, top, right, bottom;
    double x_from, x_to, y_from, y_to;
    bool x_log, y_log;    /* decades; values at or below 0 are drawn at the near edge  */
};

/* The colours as variables (light, and dark where the reader likes it) and what is drawn with them, as CSS. */
void svg_style_page(struct outfile *out);

/* Starts a picture, `label` says in words what it shows (escaped here); svg_close ends it. */
void svg_open(struct svg *s, struct outfile *out, bool file, double width, double height, const char *label);
void svg_close(struct svg *s);

/* Places of values, those outside at the near edge; NaN stays NaN. */
double svg_x(const struct svg_frame *f, double value);
double svg_y(const struct svg_frame *f, double value);

/* The next of 1, 2, 5 times a power of ten that is not below value > 0: where axes end. */
double svg_round_up(double value);

/* Lines across with numbers, and the same down; `unit` ("%", "") follows each number. With decades one a power of ten, or fewer. */
void svg_ticks_y(const struct svg *s, const struct svg_frame *f, const char *unit);
void svg_ticks_x(const struct svg *s, const struct svg_frame *f, const char *unit);
/* Numbers of layers 0 ... layers - 1, each in the middle of its column of a frame from 0 to `layers`. */
void svg_layers(const struct svg *s, const struct svg_frame *f, size_t layers);
/* What an axis is of. */
void svg_caption_x(const struct svg *s, const struct svg_frame *f, const char *text);
void svg_caption_y(const struct svg *s, const struct svg_frame *f, const char *text);

/* Text at a place; anchor: "start", "middle", "end". Escaped here. */
void svg_text(const struct svg *s, double x, double y, const char *anchor, const char *class, const char *format, ...)
    ERROR_PRINTF(6, 7);

/* Lines and areas through places[n]; NaN in y (low or high) makes a gap. A lone point is a short dash. */
void svg_line(const struct svg *s, const char *class, const double *x, const double *y, size_t n);
void svg_band(const struct svg *s, const char *class, const double *x, const double *low, const double *high, size_t n);
/* A straight line. */
void svg_rule(const struct svg *s, const char *class, double x1, double y1, double x2, double y2);
/* A box, with a text that browsers show where the mouse rests (NULL: none; escaped here). */
void svg_box(const struct svg *s, const char *class, double x, double y, double width, double height, const char *title);

/* Marks, told apart by form as well as by colour. */
enum svg_form { SVG_CIRCLE, SVG_SQUARE, SVG_TRIANGLE, SVG_DIAMOND, SVG_FORMS };
void svg_mark(const struct svg *s, enum svg_form form, const char *class, double x, double y, const char *title);

#endif
