/* plots.c - verdict, depth, criteria and the list of files; see plots.h. plots_values.c has the rest. */
#include "plots.h"

#include <math.h>
#include <stdio.h>

#include "svg.h"

#define WIDTH 960.0

const char *const plots_series_names[SERIES_COUNT] = {"gate", "up", "ffn"};
const char *const plots_criterion_names[CRITERIA_COUNT + 1] = {"low variance", "zero gradient", "low activity", "any of them"};
const char *const plots_measure_names[PORTRAIT_MEASURES] = {"variance", "mean", "low-activity share"};

static struct sureness_interval interval_of(const struct plots_profile *p, enum sureness_share share, size_t first, size_t end)
{
    return sureness_of(p->sureness, share, first, end, sureness_width(p->facts->prompts));
}

static void write_zones(const struct svg *s, const struct svg_frame *f)
{
    static const double edges[4] = {0, 10, 30, 100};
    static const char *const words[3] = {"LOW: little to gain", "MODERATE", "HIGH: much is saturated"};
    for (int i = 0; i < 3; i++) {
        const double x = svg_x(f, edges[i]), end = svg_x(f, edges[i + 1]);
        svg_box(s, i == 1 ? "zone soft" : "zone", x, f->top, end - x, f->bottom - f->top, NULL);
        svg_text(s, 0.5 * (x + end), f->top + 15, "middle", "", "%s", i == 0 && end - x < 130 ? "LOW" : words[i]);
    }
}

void plots_verdict(struct outfile *out, bool file, const struct plots_profile *p)
{
    struct svg s;
    struct svg_frame f = {20, 8, WIDTH - 20, 62, 0, 100, 0, 1, false, false};
    const struct sureness_interval x = interval_of(p, SURENESS_REMOVABLE, 0, p->layers);
    const bool known = !p->rule && !isnan(x.low);
    struct summary summary;
    summary_of_model(&summary, p->rows, p->layers);
    const double share = 100.0 * summary.removable, high = known ? 100.0 * x.high : share;
    f.x_to = high < 45 ? 50 : 100;
    svg_open(&s, out, file, WIDTH, 86, "The removable share on the scale of the recommendation: low below 10 %, moderate to 30 %, high above");
    svg_ticks_x(&s, &f, "%");
    write_zones(&s, &f);
    if (!isnan(share)) {
        const double at = svg_x(&f, share), y = f.bottom - 16;
        if (known)
            svg_rule(&s, "span", svg_x(&f, 100.0 * x.low), y, svg_x(&f, high), y);
        svg_mark(&s, SVG_DIAMOND, "here", at, y, NULL);
        const bool left = at > 0.82 * WIDTH;
        svg_text(&s, left ? at - 16 : svg_x(&f, high) + 12, y + 4, left ? "end" : "start", "name", "%.1f%%", share);
    }
    svg_close(&s);
}

/* Early, mid and late layers, told above the plot. */
static void write_bands(const struct svg *s, const struct svg_frame *f, const struct summary *summary)
{
    static const char *const name[3] = {"early", "mid", "late"};
    for (int i = 0; i < 3; i++) {
        const struct summary_band *b = &summary->band[i];
        if (b->first == b->end || summary->layers < 4)
            continue;
        const double x = svg_x(f, (double)b->first), end = svg_x(f, (double)b->end);
        svg_rule(s, "base", x + 2, f->top - 18, end - 2, f->top - 18);
        if (isnan(b->saturated))
            svg_text(s, 0.5 * (x + end), f->top - 24, "middle", "cap", "%s: not measured", name[i]);
        else
            svg_text(s, 0.5 * (x + end), f->top - 24, "middle", "cap", "%s: mean %.1f%%", name[i], 100.0 * b->saturated);
    }
}

static void write_bar(const struct svg *s, const struct svg_frame *f, const struct plots_profile *p, size_t l)
{
    char title[160];
    const double each = (f->right - f->left) / (double)p->layers, width = fmin(0.74 * each, 70.0);
    const double middle = svg_x(f, (double)l + 0.5), share = 100.0 * p->rows[l].saturated;
    const struct sureness_interval x = interval_of(p, SURENESS_SATURATED, l, l + 1);
    const bool known = !p->rule && !isnan(x.low);
    if (isnan(share)) {
        svg_text(s, middle, f->bottom - 4, "middle", "num", "?");
        return;
    }
    if (known)
        snprintf(title, sizeof title, "layer %zu: %.1f%% saturated (%.1f%% to %.1f%%)", l, share, 100.0 * x.low, 100.0 * x.high);
    else
        snprintf(title, sizeof title, "layer %zu: %.1f%% saturated", l, share);
    const double y = svg_y(f, share), height = fmax(f->bottom - y, share > 0 ? 1.0 : 0.0);
    svg_box(s, "bar", middle - 0.5 * width, f->bottom - height, width, height, title);
    if (known && x.high > x.low)
        svg_rule(s, "whisker", middle, svg_y(f, 100.0 * x.low), middle, svg_y(f, 100.0 * x.high));
    if (each >= 27)
        svg_text(s, middle, svg_y(f, known ? 100.0 * x.high : share) - 5, "middle", "num", share < 9.95 ? "%.1f" : "%.0f", share);
}

void plots_depth_small(struct outfile *out, const struct plots_profile *p)
{
    struct svg s;
    const struct svg_frame f = {0, 2, 320, 58, 0, (double)p->layers, 0, 1, false, false};
    const double each = (f.right - f.left) / (double)p->layers;
    double most = 0.1;
    for (size_t l = 0; l < p->layers; l++)
        most = fmax(most, p->rows[l].removable);
    svg_open(&s, out, false, 320, 76, "Removable share by layer, small; the plot below has the numbers");
    for (size_t l = 0; l < p->layers; l++) {
        const double height = isnan(p->rows[l].removable) ? 0.0 : (f.bottom - f.top) * p->rows[l].removable / most;
        svg_box(&s, "bar", f.left + ((double)l + 0.12) * each, f.bottom - height, 0.76 * each, height, NULL);
    }
    svg_rule(&s, "base", f.left, f.bottom, f.right, f.bottom);
    svg_text(&s, f.left, f.bottom + 15, "start", "num", "layer 0");
    svg_text(&s, f.right, f.bottom + 15, "end", "num", "%zu", p->layers - 1);
    svg_text(&s, 0.5 * f.right, f.bottom + 15, "middle", "num", "up to %.0f%%", 100.0 * most);
    svg_close(&s);
}

void plots_depth(struct outfile *out, bool file, const struct plots_profile *p)
{
    struct svg s;
    struct svg_frame f = {58, 48, WIDTH - 82, 258, 0, (double)p->layers, 0, 10, false, false};
    struct summary summary;
    for (size_t l = 0; l < p->layers; l++) {
        const struct sureness_interval x = interval_of(p, SURENESS_SATURATED, l, l + 1);
        f.y_to = fmax(f.y_to, 100.0 * (p->rule || isnan(x.high) ? p->rows[l].saturated : x.high));
    }
    f.y_to = fmin(10.0 * ceil(f.y_to / 10.0 + 0.05), 100.0);
    summary_of_model(&summary, p->rows, p->layers);
    svg_open(&s, out, file, WIDTH, 302, "Saturated neurons by layer, per cent");
    svg_ticks_y(&s, &f, "%");
    write_bands(&s, &f, &summary);
    for (size_t l = 0; l < p->layers; l++)
        write_bar(&s, &f, p, l);
    for (int i = 0; i < 2; i++) {
        const double edge = i ? 30 : 10, y = svg_y(&f, edge);
        if (edge >= f.y_to)
            continue;
        svg_rule(&s, "edge", f.left, y, f.right + 4, y);
        svg_text(&s, f.right + 7, y + 4, "start", "num", i ? "\342\206\221 high" : "\342\206\221 moderate");
    }
    svg_layers(&s, &f, p->layers);
    svg_caption_x(&s, &f, p->rule || isnan(sureness_width(p->facts->prompts)) ? "layer" : "layer (thin lines: 95% intervals)");
    svg_caption_y(&s, &f, "saturated neurons");
    svg_close(&s);
}

static const char *const curve_class[CRITERIA_COUNT + 1] = {"gate", "up", "ffn", "any"};
static const char *const curve_fill[CRITERIA_COUNT + 1] = {"gatefill", "upfill", "ffnfill", "anyfill"};

/* Few points along the curve carry the criterion's mark. */
static void write_curve(const struct svg *s, const struct svg_frame *f, const struct plots_profile *p, const double *met, int k)
{
    enum { PIECE = 256 };
    double x[PIECE], y[PIECE];
    const size_t marks = p->layers / 8 ? p->layers / 8 : 1;
    for (size_t first = 0; first < p->layers; first += PIECE - 1) {
        size_t n = 0;
        for (size_t l = first; l < p->layers && n < PIECE; l++, n++) {
            x[n] = svg_x(f, (double)l + 0.5);
            y[n] = svg_y(f, 100.0 * met[l]);
            if (k < CRITERIA_COUNT && l % marks == (size_t)k % marks && !isnan(y[n]))
                svg_mark(s, (enum svg_form)k, curve_fill[k], x[n], y[n], NULL);
        }
        svg_line(s, curve_class[k], x, y, n);
    }
}

static void write_key(const struct svg *s, double x, double y)
{
    for (int k = 0; k <= CRITERIA_COUNT; k++, x += 150) {
        const double line[2] = {x, x + 34}, at[2] = {y, y};
        svg_line(s, curve_class[k], line, at, 2);
        if (k < CRITERIA_COUNT)
            svg_mark(s, (enum svg_form)k, curve_fill[k], x + 17, y, NULL);
        svg_text(s, x + 41, y + 4, "start", "", "%s", plots_criterion_names[k]);
    }
}

void plots_criteria(struct outfile *out, bool file, const struct plots_profile *p)
{
    struct svg s;
    svg_open(&s, out, file, WIDTH, 290, "Neurons that meet each criterion, per cent, by layer: gate, up, ffn");
    write_key(&s, 180, 14);
    for (int i = 0; i < SERIES_COUNT; i++) {
        const struct svg_frame f = {58 + 304.0 * i, 58, 58 + 304.0 * i + 276, 244, 0, (double)p->layers, 0, 100, false, false};
        svg_text(&s, f.left, f.top - 10, "start", "name", "%s", plots_series_names[i]);
        svg_ticks_y(&s, &f, i ? "" : "%");
        for (int k = CRITERIA_COUNT; k >= 0; k--)
            write_curve(&s, &f, p, p->portrait->met[i][k], k);
        svg_layers(&s, &f, p->layers);
        svg_caption_x(&s, &f, "layer");
        if (i == 0)
            svg_caption_y(&s, &f, "neurons that meet it");
    }
    svg_close(&s);
}

const char *plots_file_name(size_t i)
{
    static const char *const names[PLOTS_FILES] = {
        "verdict.svg", "depth.svg", "criteria.svg", "map.svg", "spread.svg", "variance-threshold.svg", "gradient-threshold.svg",
        "low-activity-ratio.svg", "super-ratio.svg"};
    return names[i];
}

bool plots_file_wanted(const struct plots_profile *p, size_t i)
{
    return i < 5 || !p->rule;
}

void plots_file_draw(struct outfile *out, const struct plots_profile *p, size_t i)
{
    static void (*const draw[5])(struct outfile *, bool, const struct plots_profile *) = {
        plots_verdict, plots_depth, plots_criteria, plots_map, plots_spread};
    if (i < 5)
        draw[i](out, true, p);
    else
        plots_threshold(out, true, p, (int)i - 5);
}
