/* compare_page.c - see compare_page.h. */
#include "compare_page.h"

#include <inttypes.h>
#include <math.h>

#include "csv.h"
#include "html.h"
#include "svg.h"

#define WIDTH 960.0
#define PIECE 256
#define SATURATED 3 /* column of the CSV */

/* A curve of layers, in pieces that join. */
static void write_curve(const struct svg *s, const struct svg_frame *f, const struct compare_text *t, const char *line, const char *fill,
                        enum svg_form form, double (*value)(const struct compare_text *, size_t))
{
    double x[PIECE], y[PIECE];
    const size_t marks = t->layers / 40 + 1;
    for (size_t first = 0; first < t->layers; first += PIECE - 1) {
        size_t n = 0;
        for (size_t l = first; l < t->layers && n < PIECE; l++, n++) {
            x[n] = svg_x(f, (double)l + 0.5);
            y[n] = svg_y(f, value(t, l));
            if (l % marks == 0 && !isnan(y[n]))
                svg_mark(s, form, fill, x[n], y[n], NULL);
        }
        svg_line(s, line, x, y, n);
    }
}

static double saturated(const struct compare_text *t, size_t layer, int side)
{
    return 100.0 * t->side[side].rows[layer].saturated;
}

static double saturated_a(const struct compare_text *t, size_t layer)
{
    return saturated(t, layer, 0);
}

static double saturated_b(const struct compare_text *t, size_t layer)
{
    return saturated(t, layer, 1);
}

static double overlap(const struct compare_text *t, size_t layer)
{
    return contrast_overlap(&t->contrast[layer]);
}

static double rank_all(const struct compare_text *t, size_t layer)
{
    return t->contrast[layer].rank_correlation_all;
}

static void write_key(const struct svg *s, double x, const char *line, const char *fill, enum svg_form form, const char *name)
{
    const double ends[2] = {x, x + 34}, at[2] = {14, 14};
    svg_line(s, line, ends, at, 2);
    svg_mark(s, form, fill, x + 17, 14, NULL);
    svg_text(s, x + 41, 18, "start", "", "%s", name);
}

static void plot_shares(struct outfile *out, const struct compare_text *t)
{
    struct svg s;
    struct svg_frame f = {58, 36, WIDTH - 12, 230, 0, (double)t->layers, 0, 10, false, false};
    for (size_t l = 0; l < t->layers; l++)
        f.y_to = fmax(f.y_to, fmax(saturated(t, l, 0), saturated(t, l, 1)));
    f.y_to = fmin(10.0 * ceil(f.y_to / 10.0), 100.0);
    svg_open(&s, out, false, WIDTH, 270, "Saturated neurons of A and of B by layer, per cent");
    write_key(&s, 380, "gate", "gatefill", SVG_CIRCLE, "A");
    write_key(&s, 480, "up", "upfill", SVG_SQUARE, "B");
    svg_ticks_y(&s, &f, "%");
    write_curve(&s, &f, t, "gate", "gatefill", SVG_CIRCLE, saturated_a);
    write_curve(&s, &f, t, "up", "upfill", SVG_SQUARE, saturated_b);
    svg_layers(&s, &f, t->layers);
    svg_caption_x(&s, &f, "layer");
    svg_caption_y(&s, &f, "saturated neurons");
    svg_close(&s);
}

static void write_change(const struct svg *s, const struct svg_frame *f, const struct compare_text *t, size_t l)
{
    const double change = compare_text_change(t, l, SATURATED), each = (f->right - f->left) / (double)t->layers;
    const double middle = svg_x(f, (double)l + 0.5), width = fmin(0.7 * each, 60.0), zero = svg_y(f, 0.0), y = svg_y(f, change);
    char title[80];
    if (isnan(change) || change == 0.0)
        return;
    snprintf(title, sizeof title, "layer %zu: %+.2f points", l, change);
    svg_box(s, change > 0 ? "more" : "less", middle - 0.5 * width, fmin(y, zero), width, fmax(fabs(y - zero), 0.7), title);
}

static void plot_change(struct outfile *out, const struct compare_text *t)
{
    struct svg s;
    struct svg_frame f = {58, 14, WIDTH - 12, 170, 0, (double)t->layers, -1, 1, false, false};
    double most = 0.0;
    for (size_t l = 0; l < t->layers; l++) {
        const double change = compare_text_change(t, l, SATURATED);
        most = isnan(change) ? most : fmax(most, fabs(change));
    }
    f.y_to = most > 0.0 ? svg_round_up(most) : 1.0;
    f.y_from = -f.y_to;
    svg_open(&s, out, false, WIDTH, 210, "Change of the saturated share by layer, B minus A, in points");
    svg_ticks_y(&s, &f, "");
    for (size_t l = 0; l < t->layers; l++)
        write_change(&s, &f, t, l);
    svg_rule(&s, "base", f.left, svg_y(&f, 0.0), f.right, svg_y(&f, 0.0));
    svg_layers(&s, &f, t->layers);
    svg_caption_x(&s, &f, "layer (up: more are saturated in B)");
    svg_caption_y(&s, &f, "points");
    svg_close(&s);
}

static void plot_agreement(struct outfile *out, const struct compare_text *t)
{
    struct svg s;
    struct svg_frame f = {58, 36, WIDTH - 12, 190, 0, (double)t->layers, 0, 1, false, false};
    for (size_t l = 0; l < t->layers; l++)
        if (rank_all(t, l) < 0.0)
            f.y_from = -1.0;
    svg_open(&s, out, false, WIDTH, 230, "Agreement of A and B by layer: Jaccard overlap of the saturated sets, rank correlation of ffn variance");
    write_key(&s, 230, "ffn", "ffnfill", SVG_TRIANGLE, "overlap of the saturated sets (Jaccard)");
    write_key(&s, 540, "main", "bar", SVG_DIAMOND, "rank correlation of ffn variance, all neurons");
    svg_ticks_y(&s, &f, "");
    write_curve(&s, &f, t, "main", "bar", SVG_DIAMOND, rank_all);
    write_curve(&s, &f, t, "ffn", "ffnfill", SVG_TRIANGLE, overlap);
    svg_layers(&s, &f, t->layers);
    svg_caption_x(&s, &f, "layer (no mark: nothing saturated in either)");
    svg_close(&s);
}

static void draw(struct outfile *out, const struct compare_text *t, void (*plot)(struct outfile *, const struct compare_text *))
{
    outfile_print(out, "<div class=\"plot\" tabindex=\"0\" role=\"group\" aria-label=\"plot\">\n");
    plot(out, t);
    outfile_print(out, "</div>\n");
}

static void write_sides(struct outfile *out, const struct compare_text *t)
{
    static const char *const headings[] = {"Side", "Archive", "Prompts", "Tokens", "Precision", "Saturated, average", "Removable"};
    html_table(out, "The two", headings, sizeof headings / sizeof *headings);
    for (int i = 0; i < 2; i++) {
        const struct archive_facts *f = t->side[i].facts;
        struct summary s;
        summary_of_model(&s, t->side[i].rows, t->layers);
        outfile_print(out, "<tr><th scope=\"row\">%c</th><td class=\"text\">", 'A' + i);
        html_text(out, t->side[i].name);
        if (t->side[i].partial) {
            outfile_print(out, " (partial: ");
            html_text(out, t->side[i].partial);
            outfile_print(out, ")");
        }
        outfile_print(out, "</td>");
        html_count(out, f->prompts);
        html_count(out, f->tokens);
        html_cell(out, f->precision);
        html_number(out, 1, 100.0 * s.saturated, "%");
        html_number(out, 1, 100.0 * s.removable, "%");
        outfile_print(out, "</tr>\n");
    }
    html_table_end(out);
    if (t->difference) {
        outfile_print(out, "<p>B has ");
        html_text(out, t->difference);
        outfile_print(out, "</p>\n");
    }
}

static void write_verdict(struct outfile *out, const struct compare_text *t)
{
    char verdict[COMPARE_TEXT_VERDICT];
    const struct compare_text_tested n = compare_text_tested(t);
    const bool known = compare_text_verdict(verdict, sizeof verdict, t), same = compare_text_same_prompts(t);
    const struct contrast *all = &t->total;
    outfile_print(out, "<p class=\"potential\"><strong>Difference or sampling?</strong> ");
    html_text(out, verdict);
    outfile_print(out, "%s</p>\n<div class=\"cards\">\n<div class=\"card\"><h3>Change class</h3>\n<p class=\"big\">%.2f%%</p>\n<p>%zu of %zu "
                       "neurons</p></div>\n", known ? "." : "", 100.0 * (double)compare_text_changed(all) / (double)all->neurons,
                  compare_text_changed(all), all->neurons);
    outfile_print(out, "<div class=\"card\"><h3>Saturated in both</h3>\n<p class=\"big\">%zu</p>\n<p>of %zu in A and %zu in B", all->both, all->first,
                  all->second);
    if (!isnan(contrast_overlap(all)))
        outfile_print(out, "; overlap (Jaccard) <strong>%.3f</strong>", contrast_overlap(all));
    outfile_print(out, "</p></div>\n<div class=\"card\"><h3>By layer</h3>\n<p>");
    if (same && all->tests.count)
        outfile_print(out, "Of %zu means and activity shares that differ, %.1f%% differ by more than other prompts of this kind would change them "
                           "(5%% level).", all->tests.count, 100.0 * (double)all->tests.below / (double)all->tests.count);
    else if (!same && known)
        outfile_print(out, "%zu of %zu layers exceed what sampling gives; without a difference about %.1f would.", n.exceed, n.tested,
                      t->level * (double)n.tested);
    if (!same && t->shared_prompts)
        outfile_print(out, " %" PRIu64 " prompts are in both; the test takes A and B for independent and sees less than there is.", t->shared_prompts);
    outfile_print(out, "</p></div>\n</div>\n");
}

static void write_confusion(struct outfile *out, const struct contrast *c)
{
    static const char *const headings[] = {"Class", "B active", "B saturated", "B super"}, *const rows[] = {"A active", "A saturated", "A super"};
    html_table(out, "Neurons by class", headings, 1 + CONTRAST_CLASSES);
    for (int i = 0; i < CONTRAST_CLASSES; i++) {
        outfile_print(out, "<tr><th scope=\"row\">%s</th>", rows[i]);
        for (int k = 0; k < CONTRAST_CLASSES; k++)
            if (i == k)
                outfile_print(out, "<td><strong>%zu</strong></td>", c->confusion[i][k]);
            else
                html_count(out, c->confusion[i][k]);
        outfile_print(out, "</tr>\n");
    }
    html_table_end(out);
}

static void write_changes(struct outfile *out, const struct compare_text *t)
{
    const char *headings[1 + CSV_COLUMNS] = {"Layer"};
    for (int c = 0; c < CSV_COLUMNS; c++)
        headings[1 + c] = csv_columns[c].name;
    html_table(out, "Change by layer, B - A (percentages in points)", headings, 1 + CSV_COLUMNS);
    for (size_t l = 0; l < t->layers; l++) {
        outfile_print(out, "<tr><th scope=\"row\">%zu</th>", l);
        for (int c = 0; c < CSV_COLUMNS; c++) {
            const double change = compare_text_change(t, l, c);
            if (isnan(change))
                html_cell(out, "nan");
            else
                outfile_print(out, change == 0.0 ? "<td>=</td>" : "<td>%+.*f</td>", csv_columns[c].decimals, change);
        }
        outfile_print(out, "</tr>\n");
    }
    html_table_end(out);
}

static void write_sets(struct outfile *out, const struct compare_text *t)
{
    static const char *const headings[] = {"Layer", "In A", "In B", "In both", "Jaccard", "Rank corr., saturated", "Rank corr., all",
                                           "Class changes", "p"};
    html_table(out, "Saturated sets by layer", headings, sizeof headings / sizeof *headings);
    for (size_t l = 0; l < t->layers; l++) {
        const struct contrast *c = &t->contrast[l];
        const double p = contrast_probability(&c->tests);
        outfile_print(out, "<tr><th scope=\"row\">%zu</th><td>%zu</td><td>%zu</td><td>%zu</td>", l, c->first, c->second, c->both);
        html_number(out, 3, contrast_overlap(c), "");
        html_number(out, 3, c->rank_correlation, "");
        html_number(out, 3, c->rank_correlation_all, "");
        html_count(out, compare_text_changed(c));
        if (compare_text_same_prompts(t) || isnan(p))
            html_cell(out, "-");
        else
            outfile_print(out, "<td>%.3g</td>", p);
        outfile_print(out, "</tr>\n");
    }
    html_table_end(out);
}

void compare_page_begin(struct outfile *out, const char *title)
{
    html_begin(out, title);
    outfile_print(out, "<header>\n<p class=\"kicker\">phi3sat: archives side by side</p>\n<h1>A: ");
    html_text(out, title);
    outfile_print(out, "</h1>\n</header>\n<main>\n");
}

void compare_page_pair(struct outfile *out, const struct compare_text *t, size_t pair)
{
    outfile_print(out, "<section id=\"pair-%zu\" class=\"first\" aria-labelledby=\"pair-%zu-title\">\n<h2 id=\"pair-%zu-title\">A and ", pair, pair,
                  pair);
    html_text(out, t->side[1].name);
    outfile_print(out, " (B)</h2>\n");
    write_verdict(out, t);
    write_sides(out, t);
    outfile_print(out, "</section>\n<section id=\"shares-%zu\" aria-labelledby=\"shares-%zu-title\">\n<h2 id=\"shares-%zu-title\">By depth</h2>\n", pair,
                  pair, pair);
    draw(out, t, plot_shares);
    draw(out, t, plot_change);
    outfile_print(out, "<details><summary>The same as a table, with all columns of the CSV</summary>\n");
    write_changes(out, t);
    outfile_print(out, "</details>\n</section>\n<section id=\"sets-%zu\" aria-labelledby=\"sets-%zu-title\">\n<h2 id=\"sets-%zu-title\">Do they agree "
                       "on the neurons?</h2>\n<p class=\"says\">Shares can be alike although other neurons make them up. Overlap: saturated in both over "
                       "saturated in either. Super neurons count as super, whatever else they are.</p>\n", pair, pair, pair);
    write_confusion(out, &t->total);
    draw(out, t, plot_agreement);
    outfile_print(out, "<details><summary>The same as a table</summary>\n");
    write_sets(out, t);
    outfile_print(out, "</details>\n</section>\n");
}

void compare_page_end(struct outfile *out)
{
    outfile_print(out, "</main>\n<footer><p>Made by phi3sat compare. docs/report.md says how to read this page, docs/methods.md what the test "
                       "can tell.</p></footer>\n");
    html_end(out, false);
}
