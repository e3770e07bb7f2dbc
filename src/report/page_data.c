/* page_data.c - the map and the curves for the script, as JSON of numbers and base64; see page_parts.h.
 *
 * A plane is a byte a cell: 0 where there is no value, else 1 to 255 evenly from `lo` to `hi` on its scale:
 *     linear   v                 (low-activity share, from 0 to 1)
 *     log      log10 v           (variance, max |ffn|; 0 and what lies far below the rest is 1)
 *     bend     asinh(v / unit)   (mean: linear near 0, logarithmic far from it)
 * so that hovering tells a value within a few per cent. Criteria are bit planes, eight cells a byte, lowest bit first, and only
 * there where a cell is a neuron.
 */
#include <math.h>
#include <stdio.h>

#include "html.h"
#include "page_parts.h"

#define LOG_DECADES 12.0

struct scale {
    const char *kind;
    double lo, hi, unit;
};

static double scaled(const struct scale *s, double value)
{
    if (*s->kind == 'b')
        return asinh(value / s->unit);
    if (s->kind[1] == 'o')
        return value > 0.0 ? log10(value) : -INFINITY;
    return value;
}

static struct scale scale_of(const struct plots_profile *p, int plane)
{
    const float *values = p->portrait->plane[plane];
    const size_t cells = p->layers * p->portrait->columns;
    const int measure = plane == PORTRAIT_LARGEST ? PORTRAIT_VARIANCE : plane % PORTRAIT_MEASURES;
    const double gradient = (double)p->criteria->threshold[1];
    struct scale s = {"linear", 0.0, 1.0, 1.0};
    if (measure == PORTRAIT_ACTIVITY)
        return s;
    s = (struct scale){measure == PORTRAIT_MEAN ? "bend" : "log", INFINITY, -INFINITY, gradient > 0.0 && isfinite(gradient) ? gradient : 1e-3};
    for (size_t i = 0; i < cells; i++) {
        const double at = scaled(&s, (double)values[i]);
        if (isnan(values[i]) || isinf(at))
            continue;
        s.lo = fmin(s.lo, at);
        s.hi = fmax(s.hi, at);
    }
    if (!(s.lo <= s.hi))
        s.lo = s.hi = 0.0;
    if (measure == PORTRAIT_MEAN) { /* 0 in the middle */
        s.hi = fmax(fabs(s.lo), fabs(s.hi));
        s.lo = -s.hi;
    } else {
        s.lo = fmax(s.lo, s.hi - LOG_DECADES);
    }
    return s;
}

static uint8_t byte_of(const struct scale *s, double value)
{
    if (isnan(value))
        return 0;
    const double at = s->hi > s->lo ? (scaled(s, value) - s->lo) / (s->hi - s->lo) : 1.0;
    return (uint8_t)lrint(1.0 + 254.0 * fmin(fmax(at, 0.0), 1.0));
}

static void write_plane(struct outfile *out, const struct plots_profile *p, int plane)
{
    const struct scale s = scale_of(p, plane);
    const size_t cells = p->layers * p->portrait->columns;
    struct html_base64 to = {.out = out};
    char name[64];
    if (plane == PORTRAIT_LARGEST)
        snprintf(name, sizeof name, "max |ffn|");
    else
        snprintf(name, sizeof name, "%s: %s", plots_series_names[plane / PORTRAIT_MEASURES], plots_measure_names[plane % PORTRAIT_MEASURES]);
    outfile_print(out, "%s{\"name\":\"%s\",\"scale\":\"%s\",\"lo\":%.9g,\"hi\":%.9g,\"unit\":%.9g,\"bytes\":\"", plane ? ",\n" : "", name, s.kind,
                  s.lo, s.hi, s.unit);
    for (size_t i = 0; i < cells; i++) {
        const uint8_t byte = byte_of(&s, (double)p->portrait->plane[plane][i]);
        html_base64_add(&to, &byte, 1);
    }
    html_base64_end(&to);
    outfile_print(out, "\"}");
}

/* Bit `bit` of each cell's flags, or the super bytes. */
static void write_bits(struct outfile *out, const struct portrait *q, int bit)
{
    const size_t cells = q->layers * q->columns;
    struct html_base64 to = {.out = out};
    uint8_t byte = 0;
    for (size_t i = 0; i < cells; i++) {
        const unsigned set = bit < 0 ? q->super[i] : q->flags[i] >> bit & 1u;
        byte |= (uint8_t)(set << i % 8);
        if (i % 8 == 7 || i + 1 == cells) {
            html_base64_add(&to, &byte, 1);
            byte = 0;
        }
    }
    html_base64_end(&to);
}

static void write_map(struct outfile *out, const struct plots_profile *p)
{
    const struct portrait *q = p->portrait;
    struct html_base64 to = {.out = out};
    outfile_print(out, "\"group\":%zu,\"columns\":%zu,\n\"share\":\"", q->group, q->columns);
    html_base64_add(&to, q->share, p->layers * q->columns);
    html_base64_end(&to);
    outfile_print(out, "\",\n\"super\":\"");
    write_bits(out, q, -1);
    outfile_print(out, "\",\n\"criteria\":[");
    for (int i = 0; i < SERIES_COUNT * CRITERIA_COUNT && q->flags; i++) {
        outfile_print(out, "%s{\"name\":\"%s: %s\",\"bits\":\"", i ? ",\n" : "", plots_series_names[i / CRITERIA_COUNT], plots_criterion_names[i % CRITERIA_COUNT]);
        write_bits(out, q, i);
        outfile_print(out, "\"}");
    }
    outfile_print(out, "],\n\"planes\":[");
    for (int i = 0; i < PORTRAIT_PLANES; i++)
        write_plane(out, p, i);
    outfile_print(out, "]");
}

static void write_counts(struct outfile *out, const struct plots_profile *p, int which, const float *points, size_t count, bool removable)
{
    for (size_t i = 0; i < count; i++) {
        outfile_print(out, i ? ",[" : "[");
        for (size_t l = 0; l < p->layers; l++) {
            const struct what_if_count c = what_if_at(&p->portrait->what_if, which, l, points[i]);
            outfile_print(out, l ? ",%zu" : "%zu", removable ? c.removable : c.saturated);
        }
        outfile_print(out, "]");
    }
}

static void write_knob(struct outfile *out, const struct plots_profile *p, int which)
{
    const struct what_if *w = &p->portrait->what_if;
    float points[WHAT_IF_POINTS];
    const size_t count = what_if_points(w, which, points);
    size_t own = 0;
    while (own < count && points[own] != what_if_own(w, which))
        own++;
    outfile_print(out, "%s{\"option\":\"%s\",\"own\":%zu,\"points\":[", which ? ",\n" : "",
                  which == WHAT_IF_SUPER ? "super-ratio" : criteria_table[which].option, own);
    for (size_t i = 0; i < count; i++)
        outfile_print(out, i ? ",%.7g" : "%.7g", (double)points[i]);
    outfile_print(out, "],\"x\":[");
    for (size_t i = 0; i < count; i++)
        outfile_print(out, i ? ",%.1f" : "%.1f", plots_threshold_x(p, which, points[i]));
    outfile_print(out, "],\"saturated\":[");
    write_counts(out, p, which, points, count, false);
    outfile_print(out, "],\"removable\":[");
    write_counts(out, p, which, points, count, true);
    outfile_print(out, "]}");
}

void page_data(struct outfile *out, const struct plots_profile *p)
{
    outfile_print(out, "<script type=\"application/json\" id=\"data\">{\"layers\":%zu,\"neurons\":%zu,\"measured\":[", p->layers, p->neurons);
    for (size_t l = 0; l < p->layers; l++)
        outfile_print(out, l ? ",%d" : "%d", !isnan(p->rows[l].saturated));
    outfile_print(out, "],\n");
    write_map(out, p);
    outfile_print(out, ",\n\"knobs\":[");
    for (int which = 0; which < WHAT_IF_COUNT && !p->rule; which++)
        write_knob(out, p, which);
    outfile_print(out, "]}</script>\n");
}
