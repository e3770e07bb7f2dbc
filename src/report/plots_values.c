/* plots_values.c - map, ribbons and threshold curves; see plots.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plots.h"
#include "png.h"
#include "svg.h"

#define WIDTH 960.0

/* Pixels of the still map at most. */
#define MAP_COLUMNS 1024
#define MAP_ROWS 512

/* The mean share of cells [first, end) of layers [layer, layer_end), in png_shades' terms. */
static uint8_t shade_of(const struct portrait *q, size_t layer, size_t layer_end, size_t first, size_t end)
{
    double sum = 0.0, count = 0.0;
    for (size_t l = layer; l < layer_end; l++)
        for (size_t c = first; c < end; c++) {
            const uint8_t share = q->share[l * q->columns + c];
            sum += share == 255 ? 0.0 : share;
            count += share != 255;
        }
    if (count == 0.0)
        return 255;
    return (uint8_t)(sum > 0.0 ? fmax(rint(sum / count), 1.0) : 0.0);
}

static void write_image(struct outfile *out, const struct portrait *q)
{
    static uint8_t pixels[MAP_ROWS * MAP_COLUMNS];
    const size_t width = q->columns < MAP_COLUMNS ? q->columns : MAP_COLUMNS, rows = q->layers < MAP_ROWS ? q->layers : MAP_ROWS;
    struct html_base64 to = {.out = out};
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < width; x++)
            pixels[y * width + x] = shade_of(q, y * q->layers / rows, (y + 1) * q->layers / rows, x * q->columns / width,
                                             (x + 1) * q->columns / width);
    outfile_print(out, "data:image/png;base64,");
    png_shades(&to, pixels, width, rows, 0x2a6cab);
}

static void write_layer_numbers(const struct svg *s, const struct svg_frame *f, size_t layers)
{
    const double each = (f->bottom - f->top) / (double)layers;
    const size_t step = each >= 13.0 ? 1 : (size_t)svg_round_up(13.0 / each);
    for (size_t l = 0; l < layers; l += step)
        svg_text(s, f->left - 6, f->top + ((double)l + 0.5) * each + 4, "end", "num", "%zu", l);
}

/* Super neurons are told by their form; of very many the first ones will do. */
static void write_super(const struct svg *s, const struct svg_frame *f, const struct portrait *q)
{
    enum { MOST = 400 };
    const double each = (f->bottom - f->top) / (double)q->layers;
    int shown = 0;
    for (size_t i = 0; i < q->layers * q->columns && shown < MOST; i++)
        if (q->super[i]) {
            svg_mark(s, SVG_TRIANGLE, "here", svg_x(f, ((double)(i % q->columns) + 0.5) * (double)q->group),
                     f->top + ((double)(i / q->columns) + 0.5) * each, NULL);
            shown++;
        }
}

void plots_map(struct outfile *out, bool file, const struct plots_profile *p)
{
    struct svg s;
    const double height = fmin(fmax(14.0 * (double)p->layers, 60.0), 460.0);
    const struct svg_frame f = {58, 10, WIDTH - 12, 10 + height, 0, (double)p->neurons, 0, 1, false, false};
    svg_open(&s, out, file, WIDTH, height + 54, "Map of the saturated neurons: layers down, neurons across");
    svg_box(&s, "zone", f.left, f.top, f.right - f.left, height, NULL);
    outfile_print(out, "<image x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" preserveAspectRatio=\"none\" "
                       "style=\"image-rendering:pixelated\" href=\"", f.left, f.top, f.right - f.left, height);
    write_image(out, p->portrait);
    outfile_print(out, "\"/>\n");
    write_super(&s, &f, p->portrait);
    write_layer_numbers(&s, &f, p->layers);
    svg_ticks_x(&s, &f, "");
    svg_caption_x(&s, &f, "neuron (the denser, the more of the neurons at that place are saturated; triangles: super neurons)");
    svg_caption_y(&s, &f, "layer");
    svg_close(&s);
}

/* --- ribbons --- */

static const char *const fills[SERIES_COUNT] = {"gatefill", "upfill", "ffnfill"};
static const char *const lines[SERIES_COUNT] = {"gateline", "upline", "ffnline"};

/* Ends of a measure's axis, the same for all series so that they can be compared. */
static void axis_of(const struct plots_profile *p, enum portrait_measure measure, struct svg_frame *f)
{
    double least = INFINITY, most = -INFINITY;
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t l = 0; l < p->layers; l++) {
            const struct spread *of = &p->portrait->spread[measure][s][l];
            const double low = (double)of->value[SPREAD_5], high = (double)of->value[SPREAD_95];
            if (measure != PORTRAIT_VARIANCE || low > 0.0)
                least = fmin(least, low);
            if (measure != PORTRAIT_VARIANCE || high > 0.0)
                most = fmax(most, high);
        }
    if (measure == PORTRAIT_ACTIVITY) {
        f->y_to = 100;
    } else if (measure == PORTRAIT_VARIANCE) {
        f->y_log = true;
        most = isfinite(most) && most > 0.0 ? most : 1.0;
        least = isfinite(least) ? fmin(least, most) : 1e-3 * most;
        f->y_to = pow(10.0, ceil(log10(most) + 1e-9));
        f->y_from = pow(10.0, fmax(floor(log10(least)), log10(f->y_to) - 12.0));
    } else {
        const double far = svg_round_up(fmax(fabs(isfinite(least) ? least : 0.0), fabs(isfinite(most) ? most : 0.0)));
        f->y_from = least < 0.0 ? -far : 0.0;
        f->y_to = most > 0.0 || least >= 0.0 || !isfinite(most) ? far : 0.0;
    }
}

#define PIECE 256

/* Ribbons of layers [first, first + n). */
static void write_ribbons(const struct svg *s, const struct svg_frame *f, const struct spread *of, size_t first, size_t n,
                          double scale, int series)
{
    double x[PIECE], y[SPREAD_QUANTILES][PIECE];
    char class[40];
    for (size_t i = 0; i < n; i++) {
        x[i] = svg_x(f, (double)(first + i) + 0.5);
        for (int k = 0; k < SPREAD_QUANTILES; k++)
            y[k][i] = svg_y(f, scale * (double)of[first + i].value[k]);
    }
    snprintf(class, sizeof class, "outer %s", fills[series]);
    svg_band(s, class, x, y[SPREAD_5], y[SPREAD_95], n);
    snprintf(class, sizeof class, "inner %s", fills[series]);
    svg_band(s, class, x, y[SPREAD_25], y[SPREAD_75], n);
    svg_line(s, lines[series], x, y[SPREAD_MEDIAN], n);
}

static void write_threshold(const struct svg *s, const struct svg_frame *f, const struct plots_profile *p,
                            enum portrait_measure measure, double scale, bool told)
{
    const double t = scale * (double)p->criteria->threshold[measure], y = svg_y(f, t);
    if (p->rule || t <= f->y_from || t >= f->y_to)
        return;
    svg_rule(s, "own", f->left, y, f->right, y);
    if (measure == PORTRAIT_MEAN && -t > f->y_from)
        svg_rule(s, "own", f->left, svg_y(f, -t), f->right, svg_y(f, -t));
    if (told)
        svg_text(s, f->right - 3, y - 4, "end", "owntext", measure == PORTRAIT_ACTIVITY ? "threshold %.4g%%" : "threshold %.4g", t);
}

static void write_panel(const struct svg *s, const struct plots_profile *p, enum portrait_measure measure, int series,
                        double top)
{
    const double left = 64 + 310.0 * series, scale = measure == PORTRAIT_ACTIVITY ? 100.0 : 1.0;
    struct svg_frame f = {left, top, left + 258, top + 150, 0, (double)p->layers, 0, 1, false, false};
    axis_of(p, measure, &f);
    svg_text(s, f.left, top - 8, "start", "name", "%s: %s", plots_series_names[series], plots_measure_names[measure]);
    svg_ticks_y(s, &f, measure == PORTRAIT_ACTIVITY ? "%" : "");
    for (size_t l = 0; l < p->layers; l += PIECE - 1) {
        const size_t n = p->layers - l < PIECE ? p->layers - l : PIECE;
        write_ribbons(s, &f, p->portrait->spread[measure][series], l, n, scale, series);
    }
    write_threshold(s, &f, p, measure, scale, series == 0);
    svg_layers(s, &f, p->layers);
}

void plots_spread(struct outfile *out, bool file, const struct plots_profile *p)
{
    struct svg s;
    svg_open(&s, out, file, WIDTH, 656, "Variance, mean and low-activity share of the neurons by layer: median, middle half, 5 to 95 %");
    for (int k = 0; k < PORTRAIT_MEASURES; k++)
        for (int i = 0; i < SERIES_COUNT; i++)
            write_panel(&s, p, (enum portrait_measure)k, i, 26 + 208.0 * k);
    for (int i = 0; i < SERIES_COUNT; i++)
        svg_text(&s, 64 + 310.0 * i + 129, 648, "middle", "cap", "layer");
    svg_close(&s);
}

/* --- thresholds --- */

struct plots_outcome plots_outcome(const struct plots_profile *p, int which, float threshold)
{
    struct plots_outcome o = {0, 0, 0, 0};
    double inverse = 0.0, count = 0.0, neurons = (double)p->neurons;
    for (size_t l = 0; l < p->layers; l++) {
        const struct what_if_count c = what_if_at(&p->portrait->what_if, which, l, threshold);
        const double share = (double)c.saturated / neurons, speedup = share < 1.0 ? fmin(1.0 / (1.0 - share), SUMMARY_SPEEDUP_LIMIT)
                                                                                     : SUMMARY_SPEEDUP_LIMIT;
        if (isnan(p->rows[l].saturated))
            continue;
        o.saturated += share;
        o.removable += (double)c.removable / neurons;
        o.speedup += speedup;
        inverse += 1.0 / speedup;
        count += 1.0;
    }
    if (count == 0.0)
        return (struct plots_outcome){NAN, NAN, NAN, NAN};
    return (struct plots_outcome){o.saturated / count, o.removable / count, o.speedup / count, count / inverse};
}

struct curve {
    struct svg_frame share, speedup;
    float point[WHAT_IF_POINTS];
    size_t points;
};

static struct curve curve_of(const struct plots_profile *p, int which)
{
    struct curve c = {.share = {52, 20, 466, 160, 0, 1, 0, 100, false, false}, .speedup = {52, 190, 466, 250, 0, 1, 1, 2, false, false}};
    c.points = what_if_points(&p->portrait->what_if, which, c.point);
    const float first = c.point[0], last = c.point[c.points - 1];
    c.share.x_log = first > 0.0f && (which == WHAT_IF_SUPER || criteria_table[which].predicate != CRITERIA_ABOVE);
    c.share.x_from = (double)first;
    c.share.x_to = last > first ? (double)last : (double)first + 1.0;
    c.speedup.x_log = c.share.x_log;
    c.speedup.x_from = c.share.x_from;
    c.speedup.x_to = c.share.x_to;
    return c;
}

double plots_threshold_x(const struct plots_profile *p, int which, float threshold)
{
    const struct curve c = curve_of(p, which);
    return svg_x(&c.share, (double)threshold);
}

static void write_curves(const struct svg *s, struct curve *c, const struct plots_profile *p, int which)
{
    double x[WHAT_IF_POINTS], share[WHAT_IF_POINTS], removable[WHAT_IF_POINTS], speedup[WHAT_IF_POINTS], most = 1.0;
    for (size_t i = 0; i < c->points; i++) {
        const struct plots_outcome o = plots_outcome(p, which, c->point[i]);
        x[i] = svg_x(&c->share, (double)c->point[i]);
        share[i] = svg_y(&c->share, 100.0 * o.saturated);
        removable[i] = svg_y(&c->share, 100.0 * o.removable);
        speedup[i] = o.stack;
        most = fmax(most, o.stack);
    }
    c->speedup.y_to = most < 2.0 ? 2.0 : ceil(most);
    for (size_t i = 0; i < c->points; i++)
        speedup[i] = svg_y(&c->speedup, speedup[i]);
    svg_ticks_y(s, &c->share, "%");
    svg_ticks_y(s, &c->speedup, "x");
    svg_ticks_x(s, &c->speedup, "");
    svg_line(s, "main", x, share, c->points);
    if (which == WHAT_IF_SUPER) /* nothing else changes with it */
        svg_line(s, "up", x, removable, c->points);
    svg_line(s, "main", x, speedup, c->points);
}

void plots_threshold(struct outfile *out, bool file, const struct plots_profile *p, int which)
{
    struct svg s;
    struct curve c = curve_of(p, which);
    char label[160];
    const char *name = which == WHAT_IF_SUPER ? "super-ratio" : criteria_table[which].option;
    const double own = svg_x(&c.share, (double)what_if_own(&p->portrait->what_if, which));
    snprintf(label, sizeof label, "Saturated share and speedup of the FFN stack by --%s", name);
    svg_open(&s, out, file, 480, 292, label);
    write_curves(&s, &c, p, which);
    for (int i = 0; i < 2; i++) {
        svg_rule(&s, "edge", c.share.left, svg_y(&c.share, i ? 30 : 10), c.share.right, svg_y(&c.share, i ? 30 : 10));
        svg_rule(&s, "own", own, i ? c.share.top : c.speedup.top, own, i ? c.share.bottom : c.speedup.bottom);
    }
    svg_text(&s, c.share.left, c.share.top - 7, "start", "num", which == WHAT_IF_SUPER ? "share of neurons saturated; dashed: removable" : "share of neurons saturated");
    svg_text(&s, c.speedup.left, c.speedup.top - 7, "start", "num", "speedup of the FFN stack");
    svg_caption_x(&s, &c.speedup, name);
    if (!file)
        outfile_print(out, "<path class=\"cursor\" d=\"M0 %.1fV%.1f\" transform=\"translate(%.1f 0)\"/>\n", c.share.top, c.speedup.bottom, own);
    svg_close(&s);
}
