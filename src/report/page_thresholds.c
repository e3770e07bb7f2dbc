/* page_thresholds.c - a curve and a slider for each threshold; see page_parts.h.
 *
 * Without JavaScript there is the curve and its table; the script shows the slider and what hangs on it. The points' numbers are
 * those that phi3sat report gives with that option.
 */
#include <math.h>

#include "html.h"
#include "page_parts.h"

static const char *option_of(int which)
{
    return which == WHAT_IF_SUPER ? "super-ratio" : criteria_table[which].option;
}

static void write_table(struct outfile *out, const struct plots_profile *p, int which)
{
    static const char *const headings[] = {"Threshold", "Saturated%", "Removable%", "Average EstSpeedup", "FFN stack"};
    const struct what_if *w = &p->portrait->what_if;
    float points[WHAT_IF_POINTS];
    const size_t count = what_if_points(w, which, points);
    outfile_print(out, "<details><summary>The same as a table</summary>\n");
    html_table(out, option_of(which), headings, sizeof headings / sizeof *headings);
    for (size_t i = 0; i < count; i++) {
        const struct plots_outcome o = plots_outcome(p, which, points[i]);
        const bool own = points[i] == what_if_own(w, which);
        outfile_print(out, "<tr%s><th scope=\"row\">%.7g%s</th>", own ? " class=\"own-row\"" : "", (double)points[i], own ? " (as it is)" : "");
        html_number(out, 1, 100.0 * o.saturated, "");
        html_number(out, 1, 100.0 * o.removable, "");
        html_number(out, 2, o.speedup, "x");
        html_number(out, 2, o.stack, "x");
        outfile_print(out, "</tr>\n");
    }
    html_table_end(out);
    outfile_print(out, "</details>\n");
}

static void write_knob(struct outfile *out, const struct plots_profile *p, int which)
{
    static const char *const titles[WHAT_IF_COUNT] = {"Variance threshold", "Gradient threshold", "Low-activity ratio", "Super ratio"};
    static const char *const means[WHAT_IF_COUNT] = {
        "Quiet: variance below it. To the right ever more neurons count.", "Quiet: |mean| below it. To the right ever more neurons count.",
        "Quiet: share of small activations above it. To the left ever more neurons count.",
        "Never removed: max |ffn| at least this many times the layer's median."};
    outfile_print(out, "<div class=\"knob\" data-knob=\"%d\">\n<h3>%s</h3>\n<p class=\"says\">%s</p>\n", which, titles[which], means[which]);
    plots_threshold(out, false, p, which);
    outfile_print(out, "<div class=\"live\" hidden>\n<label for=\"slider-%d\">--%s</label>\n<input id=\"slider-%d\" type=\"range\" min=\"0\" "
                       "max=\"1\" step=\"1\" value=\"0\">\n<p class=\"readout\"></p>\n<svg class=\"mini\" role=\"img\" "
                       "aria-label=\"Saturated share by layer at this threshold\"></svg>\n<p><code></code></p>\n</div>\n",
                  which, option_of(which), which);
    write_table(out, p, which);
    outfile_print(out, "</div>\n");
}

static void write_activity(struct outfile *out, const struct plots_profile *p)
{
    outfile_print(out, "<div class=\"knob fixed\">\n<h3>Activity threshold</h3>\n<label for=\"slider-activity\">--activity-threshold %.7g</label>\n"
                       "<input id=\"slider-activity\" type=\"range\" disabled aria-describedby=\"activity-why\">\n<p id=\"activity-why\">Can't be changed "
                       "here: activations below it were counted while the model ran. Another one takes a new run, <code>phi3sat "
                       "--activity-threshold X ...</code></p>\n</div>\n", (double)p->criteria->activity_threshold);
}

void page_thresholds(struct outfile *out, const struct plots_profile *p)
{
    if (p->rule) {
        outfile_print(out, "<p>A criterion of your own decides here, and thresholds have no part in it; run <code>phi3sat report</code> "
                           "with another <code>--criterion</code> to see what it gives.</p>\n");
        return;
    }
    outfile_print(out, "<div class=\"knobs\">\n");
    for (int which = 0; which < WHAT_IF_COUNT; which++)
        write_knob(out, p, which);
    write_activity(out, p);
    outfile_print(out, "</div>\n");
}
