/* page.c - see page.h.
 *
 * From the answer to the evidence: verdict, depth, criteria, map, distributions, thresholds, neurons, gains, provenance. Each
 * picture has its numbers in a table below it, folded away on a screen.
 */
#include "page.h"

#include "html.h"
#include "page_parts.h"

static void section(struct outfile *out, const char *id, const char *title, const char *says)
{
    outfile_print(out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n<p class=\"says\">%s</p>\n", id, id,
                  id, title, says);
}

static void end_section(struct outfile *out)
{
    outfile_print(out, "</section>\n");
}

/* On a narrow screen a plot is scrolled, by keys too. */
static void draw(struct outfile *out, const struct plots_profile *p, void (*plot)(struct outfile *, bool, const struct plots_profile *))
{
    outfile_print(out, "<div class=\"plot\" tabindex=\"0\" role=\"group\" aria-label=\"plot\">\n");
    plot(out, false, p);
    outfile_print(out, "</div>\n");
}

static void write_depth(struct outfile *out, const struct plots_profile *p)
{
    section(out, "depth", "By depth",
            "Each bar is the share of a layer's neurons that are saturated. Thin lines show within what other prompts of this kind "
            "would leave it.");
    draw(out, p, plots_depth);
    outfile_print(out, "<details class=\"printed\"><summary>The same as a table, with all columns of the CSV</summary>\n");
    page_layers_table(out, p);
    outfile_print(out, "</details>\n");
    end_section(out);
}

static void write_table_of_criteria(struct outfile *out, const struct plots_profile *p)
{
    static const char *const headings[] = {"Layer", "gate: low variance", "zero gradient", "low activity", "any",
                                           "up: low variance", "zero gradient", "low activity", "any",
                                           "ffn: low variance", "zero gradient", "low activity", "any"};
    html_table(out, "Neurons that meet each criterion, by layer", headings, sizeof headings / sizeof *headings);
    for (size_t l = 0; l < p->layers; l++) {
        outfile_print(out, "<tr><th scope=\"row\">%zu</th>", l);
        for (int s = 0; s < SERIES_COUNT; s++)
            for (int k = 0; k <= CRITERIA_COUNT; k++)
                html_number(out, 1, 100.0 * p->portrait->met[s][k][l], "%");
        outfile_print(out, "</tr>\n");
    }
    html_table_end(out);
}

static void write_criteria(struct outfile *out, const struct plots_profile *p)
{
    section(out, "criteria", "Why: the criteria, one by one",
            "How many neurons meet each criterion in each series. A series is quiet when it meets any of the three.");
    draw(out, p, plots_criteria);
    outfile_print(out, "<details><summary>The same as a table</summary>\n");
    write_table_of_criteria(out, p);
    outfile_print(out, "</details>\n");
    end_section(out);
}

static void write_map(struct outfile *out, const struct plots_profile *p)
{
    section(out, "map", "Every neuron",
            "Layers from top to bottom, neurons from left to right; the denser, the more of the neurons at that place are saturated. "
            "Columns that stand out are neighbours, nothing more: the order of neurons has no meaning of its own.");
    outfile_print(out, "<div id=\"map-still\">\n");
    draw(out, p, plots_map);
    outfile_print(out, "</div>\n<div id=\"map-live\" hidden></div>\n");
    end_section(out);
}

static void write_table_of_spread(struct outfile *out, const struct plots_profile *p)
{
    static const char *const headings[] = {"Layer", "Series", "Of", "Least", "5%", "25%", "Median", "75%", "95%", "Largest"};
    html_table(out, "Quantiles of the neurons by layer and series", headings, sizeof headings / sizeof *headings);
    for (int k = 0; k < PORTRAIT_MEASURES; k++)
        for (int s = 0; s < SERIES_COUNT; s++)
            for (size_t l = 0; l < p->layers; l++) {
                outfile_print(out, "<tr><th scope=\"row\">%zu</th><td>%s</td><td>%s</td>", l, plots_series_names[s], plots_measure_names[k]);
                for (int q = 0; q < SPREAD_QUANTILES; q++)
                    if (p->portrait->spread[k][s][l].count)
                        outfile_print(out, "<td>%.4g</td>", (double)p->portrait->spread[k][s][l].value[q]);
                    else
                        html_number(out, 0, (double)p->portrait->spread[k][s][l].value[q], "");
                outfile_print(out, "</tr>\n");
            }
    html_table_end(out);
}

static void write_spread(struct outfile *out, const struct plots_profile *p)
{
    section(out, "spread", "How neurons are distributed",
            "The line is the layer's median neuron, the dark ribbon the middle half of them, the light one all but the outer 5% on "
            "either side. Dashed: the threshold. The three panels of a row share one scale.");
    draw(out, p, plots_spread);
    outfile_print(out, "<details><summary>The same as a table</summary>\n");
    write_table_of_spread(out, p);
    outfile_print(out, "</details>\n");
    end_section(out);
}

void page_write(struct outfile *out, const struct plots_profile *p)
{
    html_begin(out, page_name(p));
    page_first(out, p);
    write_depth(out, p);
    write_criteria(out, p);
    write_map(out, p);
    write_spread(out, p);
    section(out, "thresholds", "What if a threshold were another",
            "What other thresholds would give, one changed at a time and the others left as they are. The violet dashed line is where "
            "the threshold stands.");
    page_thresholds(out, p);
    end_section(out);
    section(out, "neurons", "Neurons that stand out",
            "All numbers are those of ffn, the product that goes into the down projection.");
    page_neurons(out, p);
    end_section(out);
    section(out, "gains", "What it would gain",
            "Speedup without the removable neurons, attention and output matrix counted: by FLOPs where prompts are read, by bytes where "
            "tokens are generated. Upper bounds: nothing was timed.");
    page_gains(out, p);
    end_section(out);
    section(out, "provenance", "Where it comes from", "What was measured, and how the run went, as the archive has it.");
    page_provenance(out, p);
    end_section(out);
    outfile_print(out, "</main>\n<footer><p>Made by phi3sat from an archive. Thresholds are absolute; quiet on these prompts is not "
                       "the same as useless. docs/report.md says how to read this page, docs/methods.md how its numbers come "
                       "about.</p></footer>\n");
    page_data(out, p);
    html_end(out, true);
}
