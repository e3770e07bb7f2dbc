/* svg.c - see svg.h. */
#include "svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "html.h"

static const struct colour {
    const char *name, *light, *dark;
} colours[] = {
    {"paper", "#ffffff", "#12151a"}, {"ink", "#171a1f", "#e9ecef"},    {"muted", "#58616d", "#a3adb9"},
    {"rule", "#dde1e6", "#333b45"},  {"panel", "#f4f6f8", "#1b2027"},  {"accent", "#1d5c96", "#6cb2f0"},
    {"soft", "#c9dcee", "#2a4763"},  {"gate", "#0068a8", "#5cb8ec"},   {"up", "#b3460a", "#f2a45c"},
    {"ffn", "#00755a", "#45d3a8"},   {"strong", "#7a2a8f", "#d59be8"}, {"warn", "#a02c17", "#ff9c84"},
};

/* $name is a colour. */
static const struct style {
    const char *selector, *rules;
} styles[] = {
    {"text", "fill:$ink;font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"},
    {".num", "fill:$muted;font-size:11px"},
    {".cap", "fill:$muted"},
    {".name", "font-weight:600"},
    {".grid", "stroke:$rule;fill:none"},
    {".base", "stroke:$muted;fill:none"},
    {".bar", "fill:$accent"},
    {".soft", "fill:$soft"},
    {".whisker", "stroke:$ink;stroke-width:1.4;fill:none"},
    {".edge", "stroke:$muted;stroke-dasharray:2 4;fill:none"},
    {".own", "stroke:$strong;stroke-width:1.5;stroke-dasharray:7 3;fill:none"},
    {".owntext", "fill:$strong;font-size:11px"},
    {".zone", "fill:$panel;stroke:$rule"},
    {".here", "fill:$strong;stroke:$paper"},
    {".span", "stroke:$strong;stroke-width:6;stroke-linecap:round;opacity:.55;fill:none"},
    {".line", "fill:none;stroke-width:1.8"},
    {".gate", "stroke:$gate"},
    {".up", "stroke:$up;stroke-dasharray:7 3"},
    {".ffn", "stroke:$ffn;stroke-dasharray:2 3"},
    {".odd", "stroke:$strong;stroke-dasharray:9 3 2 3"},
    {".oddfill", "fill:$strong"},
    {".any", "stroke:$ink;stroke-width:2.6"},
    {".main", "stroke:$accent;stroke-width:2.2"},
    {".gatefill", "fill:$gate"},
    {".upfill", "fill:$up"},
    {".ffnfill", "fill:$ffn"},
    {".anyfill", "fill:$ink"},
    {".outer", "opacity:.2;stroke:none"},
    {".inner", "opacity:.38;stroke:none"},
    {".gateline", "stroke:$gate"},
    {".upline", "stroke:$up"},
    {".ffnline", "stroke:$ffn"},
    {".more", "fill:$up"},
    {".less", "fill:$gate"},
};

static void write_rules(struct outfile *out, const char *rules, bool file)
{
    while (*rules) {
        if (*rules != '$') {
            const size_t plain = strcspn(rules, "$");
            outfile_write(out, rules, plain);
            rules += plain;
            continue;
        }
        const size_t length = strspn(++rules, "abcdefghijklmnopqrstuvwxyz");
        for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
            if (strlen(colours[i].name) == length && strncmp(colours[i].name, rules, length) == 0)
                outfile_print(out, file ? "%s" : "var(--%s)", file ? colours[i].light : colours[i].name);
        rules += length;
    }
}

static void write_styles(struct outfile *out, bool file)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        outfile_print(out, "%s%s{", file ? "" : "svg ", styles[i].selector);
        write_rules(out, styles[i].rules, file);
        outfile_print(out, "}\n");
    }
}

static void write_variables(struct outfile *out, bool dark)
{
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        outfile_print(out, "--%s:%s;", colours[i].name, dark ? colours[i].dark : colours[i].light);
}

void svg_style_page(struct outfile *out)
{
    outfile_print(out, ":root{color-scheme:light dark;");
    write_variables(out, false);
    outfile_print(out, "}\n@media screen and (prefers-color-scheme:dark){:root{");
    write_variables(out, true);
    outfile_print(out, "}}\n");
    write_styles(out, false);
}

void svg_open(struct svg *s, struct outfile *out, bool file, double width, double height, const char *label)
{
    *s = (struct svg){out, file};
    outfile_print(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\"", width, height);
    if (file)
        outfile_print(out, " width=\"%g\" height=\"%g\"", width, height);
    outfile_print(out, " role=\"img\" aria-label=\"");
    html_text(out, label);
    outfile_print(out, "\">\n");
    if (!file)
        return;
    outfile_print(out, "<title>");
    html_text(out, label);
    outfile_print(out, "</title>\n<style>\n");
    write_styles(out, true);
    outfile_print(out, "</style>\n<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n", width, height);
}

void svg_close(struct svg *s)
{
    outfile_print(s->out, "</svg>\n");
}

static double place(double value, double from, double to, bool log)
{
    if (isnan(value) || from == to)
        return isnan(value) ? NAN : 0.0;
    if (log)
        value = value > from ? (log10(value) - log10(from)) / (log10(to) - log10(from)) : 0.0;
    else
        value = (value - from) / (to - from);
    return fmin(fmax(value, 0.0), 1.0);
}

double svg_x(const struct svg_frame *f, double value)
{
    return f->left + (f->right - f->left) * place(value, f->x_from, f->x_to, f->x_log);
}

double svg_y(const struct svg_frame *f, double value)
{
    return f->bottom - (f->bottom - f->top) * place(value, f->y_from, f->y_to, f->y_log);
}

double svg_round_up(double value)
{
    static const double steps[] = {1, 2, 5, 10};
    if (!(value > 0.0) || isinf(value))
        return 1.0;
    const double power = pow(10.0, floor(log10(value)));
    for (size_t i = 0; i < 4; i++)
        if (steps[i] * power >= value * (1.0 - 1e-12))
            return steps[i] * power;
    return 10.0 * power;
}

/* Ticks of an axis: at most `most` values, evenly. */
struct ticks {
    double first, step; /* of log axes in decades */
    int count;
};

static struct ticks ticks_of(double from, double to, bool log, int most)
{
    struct ticks t = {.count = 0};
    if (log) {
        from = log10(from);
        to = log10(to);
    }
    if (!(to > from))
        return t;
    t.step = svg_round_up((to - from) / most);
    if (log)
        t.step = fmax(ceil(t.step), 1.0);
    t.first = ceil(from / t.step - 1e-9) * t.step;
    t.count = (int)floor((to - t.first) / t.step + 1e-9) + 1;
    return t;
}

static double tick_at(const struct ticks *t, int i, bool log)
{
    const double value = t->first + i * t->step;
    if (log)
        return pow(10.0, value);
    return fabs(value) < 1e-9 * t->step ? 0.0 : value;
}

void svg_ticks_y(const struct svg *s, const struct svg_frame *f, const char *unit)
{
    const int most = (int)fmax((f->bottom - f->top) / 34.0, 2.0);
    const struct ticks t = ticks_of(f->y_from, f->y_to, f->y_log, most);
    for (int i = 0; i < t.count; i++) {
        const double value = tick_at(&t, i, f->y_log), y = svg_y(f, value);
        svg_rule(s, "grid", f->left, y, f->right, y);
        svg_text(s, f->left - 6, y + 4, "end", "num", "%.6g%s", value, unit);
    }
}

void svg_ticks_x(const struct svg *s, const struct svg_frame *f, const char *unit)
{
    const int most = (int)fmax((f->right - f->left) / 60.0, 2.0);
    const struct ticks t = ticks_of(f->x_from, f->x_to, f->x_log, most);
    for (int i = 0; i < t.count; i++) {
        const double value = tick_at(&t, i, f->x_log), x = svg_x(f, value);
        svg_rule(s, "grid", x, f->top, x, f->bottom);
        svg_text(s, x, f->bottom + 16, "middle", "num", "%.6g%s", value, unit);
    }
}

void svg_layers(const struct svg *s, const struct svg_frame *f, size_t layers)
{
    const double each = (f->right - f->left) / (double)layers;
    const size_t step = each >= 20.0 ? 1 : (size_t)svg_round_up(24.0 / each);
    for (size_t l = 0; l < layers; l += step)
        svg_text(s, svg_x(f, (double)l + 0.5), f->bottom + 16, "middle", "num", "%zu", l);
    svg_rule(s, "base", f->left, f->bottom, f->right, f->bottom);
}

void svg_caption_x(const struct svg *s, const struct svg_frame *f, const char *text)
{
    svg_text(s, 0.5 * (f->left + f->right), f->bottom + 34, "middle", "cap", "%s", text);
}

void svg_caption_y(const struct svg *s, const struct svg_frame *f, const char *text)
{
    outfile_print(s->out, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", f->left - 44, 0.5 * (f->top + f->bottom));
    svg_text(s, 0, 0, "middle", "cap", "%s", text);
    outfile_print(s->out, "</g>\n");
}

void svg_text(const struct svg *s, double x, double y, const char *anchor, const char *class, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    const locale_t users = uselocale(s->out->locale);
    vsnprintf(text, sizeof text, format, arguments);
    uselocale(users);
    va_end(arguments);
    outfile_print(s->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, class);
    html_text(s->out, text);
    outfile_print(s->out, "</text>\n");
}

void svg_line(const struct svg *s, const char *class, const double *x, const double *y, size_t n)
{
    outfile_print(s->out, "<path class=\"line %s\" d=\"", class);
    for (size_t i = 0; i < n; i++) {
        const bool begins = i == 0 || isnan(y[i - 1]), ends = i + 1 == n || isnan(y[i + 1]);
        if (isnan(y[i]))
            continue;
        if (begins && ends)
            outfile_print(s->out, "M%.1f %.1fh6", x[i] - 3.0, y[i]);
        else
            outfile_print(s->out, "%s%.1f %.1f", begins ? "M" : "L", x[i], y[i]);
    }
    outfile_print(s->out, "\"/>\n");
}

static void write_stretch(const struct svg *s, const double *x, const double *low, const double *high, size_t first, size_t end)
{
    if (end == first + 1) {
        outfile_print(s->out, "M%.1f %.1fh6V%.1fh-6z", x[first] - 3.0, high[first], low[first]);
        return;
    }
    for (size_t i = first; i < end; i++)
        outfile_print(s->out, "%s%.1f %.1f", i == first ? "M" : "L", x[i], high[i]);
    for (size_t i = end; i > first; i--)
        outfile_print(s->out, "L%.1f %.1f", x[i - 1], low[i - 1]);
    outfile_print(s->out, "z");
}

void svg_band(const struct svg *s, const char *class, const double *x, const double *low, const double *high, size_t n)
{
    outfile_print(s->out, "<path class=\"%s\" d=\"", class);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && !isnan(low[end]) && !isnan(high[end]))
            end++;
        if (end > i)
            write_stretch(s, x, low, high, i, end);
        i = end + 1;
    }
    outfile_print(s->out, "\"/>\n");
}

void svg_rule(const struct svg *s, const char *class, double x1, double y1, double x2, double y2)
{
    outfile_print(s->out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x1, y1, x2, y2);
}

static void write_title(const struct svg *s, const char *element, const char *title)
{
    if (!title) {
        outfile_print(s->out, "/>\n");
        return;
    }
    outfile_print(s->out, "><title>");
    html_text(s->out, title);
    outfile_print(s->out, "</title></%s>\n", element);
}

void svg_box(const struct svg *s, const char *class, double x, double y, double width, double height, const char *title)
{
    outfile_print(s->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", class, x, y, width, height);
    write_title(s, "rect", title);
}

void svg_mark(const struct svg *s, enum svg_form form, const char *class, double x, double y, const char *title)
{
    static const char *const forms[SVG_FORMS] = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "m-4-4h8v8h-8z", "m0-5l5 9h-10z",
                                                 "m0-5l5 5l-5 5l-5-5z"};
    outfile_print(s->out, "<path class=\"%s\" d=\"M%.1f %.1f%s\"", class, x, y, forms[form]);
    write_title(s, "path", title);
}
