/* page_tables.c - the page's tables; see page_parts.h. The layers' table has the CSV's numbers, character by character. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "csv.h"
#include "html.h"
#include "page_parts.h"

void page_layers_table(struct outfile *out, const struct plots_profile *p)
{
    const char *headings[CSV_COLUMNS + 5] = {"Layer", "Neurons"};
    const double z = sureness_width(p->facts->prompts);
    size_t count = 2;
    for (int i = 0; i < CSV_COLUMNS; i++)
        headings[count++] = csv_columns[i].name;
    headings[count++] = "Saturated%, interval";
    headings[count++] = "Removable%";
    headings[count++] = "Super neurons";
    html_table(out, "Saturation by layer: the CSV's table", headings, count);
    for (size_t l = 0; l < p->layers; l++) {
        double values[CSV_COLUMNS];
        const struct sureness_interval x = sureness_of(p->sureness, SURENESS_SATURATED, l, l + 1, z);
        csv_values(&p->rows[l], values);
        outfile_print(out, "<tr><th scope=\"row\">%zu</th>", l);
        html_count(out, p->rows[l].neurons);
        for (int i = 0; i < CSV_COLUMNS; i++)
            html_number(out, csv_columns[i].decimals, values[i], i == CSV_COLUMNS - 1 ? "x" : "");
        if (p->rule || isnan(x.low))
            html_cell(out, "not known");
        else
            outfile_print(out, "<td>%.1f to %.1f</td>", 100.0 * x.low, 100.0 * x.high);
        html_number(out, 1, 100.0 * p->rows[l].removable, "");
        html_count(out, p->rows[l].super_neurons);
        outfile_print(out, "</tr>\n");
    }
    html_table_end(out);
}

static void write_list(struct outfile *out, const struct plots_profile *p, enum portrait_list list)
{
    static const char *const captions[PORTRAIT_LISTS] = {
        [PORTRAIT_FROZEN] = "Frozen: the least variance",
        [PORTRAIT_DEAD] = "Dead: most often near zero, super neurons left out",
        [PORTRAIT_ACTIVE] = "Active: least often near zero",
        [PORTRAIT_SUPER] = "Extreme: the largest max |ffn| beside the layer's median"};
    static const char *const headings[] = {"Layer", "Neuron", "Variance", "Mean", "Low activity", "Max |ffn|", "Times median", "Class"};
    const struct portrait *q = p->portrait;
    html_table(out, captions[list], headings, sizeof headings / sizeof *headings);
    for (size_t i = 0; i < q->listed[list]; i++) {
        const struct portrait_neuron *n = &q->list[list][i];
        outfile_print(out, "<tr><th scope=\"row\">%zu</th><td>%zu</td><td>%.3g</td><td>%.3g</td><td>%.1f%%</td><td>%.4g</td><td>%.*fx</td>"
                           "<td class=\"class\">%s%s</td></tr>\n",
                      n->layer, n->neuron, (double)n->variance, (double)n->mean, 100.0 * (double)n->activity, (double)n->largest,
                      n->ratio < 10.0f ? 2 : 0, (double)n->ratio, n->super ? "super" : n->saturated ? "saturated" : "active",
                      n->super && n->saturated ? ", saturated" : "");
    }
    html_table_end(out);
}

void page_neurons(struct outfile *out, const struct plots_profile *p)
{
    outfile_print(out, "<div class=\"pair\">\n");
    for (int i = 0; i < PORTRAIT_LISTS; i++)
        write_list(out, p, (enum portrait_list)i);
    outfile_print(out, "</div>\n<p class=\"says\">Super neurons (at least %g times the layer's median) are never recommended for removal. "
                       "<code>phi3sat report A.h5 --neuron L/N</code> shows all of one neuron.</p>\n",
                  (double)p->criteria->super_ratio);
}

static void write_rates(struct outfile *out, const struct plots_profile *p, const struct gain_shape *shape)
{
    const struct gain flops = gain_of(shape, p->rows, GAIN_FLOPS, GAIN_BLOCK), bytes = gain_of(shape, p->rows, GAIN_BYTES_Q4K, GAIN_BLOCK);
    if (p->roofs.gflops > 0.0)
        outfile_print(out, "<p>Prompts at %g GFLOP/s: at most %.1f tokens/s, without these neurons %.1f.</p>\n", p->roofs.gflops,
                      1e9 * p->roofs.gflops / flops.model[0], 1e9 * p->roofs.gflops / flops.model[1]);
    if (p->roofs.gbytes > 0.0)
        outfile_print(out, "<p>Generating with Q4_K at %g GB/s: at most %.1f tokens/s, without these neurons %.1f.</p>\n", p->roofs.gbytes,
                      1e9 * p->roofs.gbytes / bytes.model[0], 1e9 * p->roofs.gbytes / bytes.model[1]);
}

void page_gains(struct outfile *out, const struct plots_profile *p)
{
    static const char *const headings[] = {"Counted by", "FFN alone", "Layers", "Whole model"};
    const struct gain_shape shape = gain_text_shape(p->facts);
    html_table(out, "Speedup at most, without the removable neurons", headings, sizeof headings / sizeof *headings);
    for (size_t i = 0; i < GAIN_TEXT_ROWS; i++) {
        const struct gain g = gain_of(&shape, p->rows, gain_text_rows[i].cost, gain_text_rows[i].block);
        outfile_print(out, "<tr><th scope=\"row\">%s</th><td>%.2fx</td><td>%.2fx</td><td>%.2fx</td></tr>\n", gain_text_rows[i].name,
                      gain_speedup(g.ffn), gain_speedup(g.layers), gain_speedup(g.model));
    }
    html_table_end(out);
    const struct gain f32 = gain_of(&shape, p->rows, GAIN_BYTES_F32, 1), q4k = gain_of(&shape, p->rows, GAIN_BYTES_Q4K, GAIN_BLOCK);
    outfile_print(out, "<p>Weights and keys read for a token: %.1f MB of f32 instead of %.1f; %.1f MB of Q4_K instead of %.1f.</p>\n",
                  1e-6 * f32.model[1], 1e-6 * f32.model[0], 1e-6 * q4k.model[1], 1e-6 * q4k.model[0]);
    write_rates(out, p, &shape);
}

static void write_value(struct outfile *out, const void *from, const struct archive_facts_row *row)
{
    const char *field = (const char *)from + row->offset;
    char hash[ARCHIVE_FACTS_HEX];
    switch (row->kind) {
    case ARCHIVE_FACTS_TEXT:
        html_text(out, field);
        break;
    case ARCHIVE_FACTS_POINTER:
        html_text(out, *(const char *const *)field);
        break;
    case ARCHIVE_FACTS_COUNT:
        outfile_print(out, "%" PRIu64, *(const uint64_t *)field);
        break;
    case ARCHIVE_FACTS_REAL:
        outfile_print(out, "%.6g", *(const double *)field);
        break;
    case ARCHIVE_FACTS_HASH:
        archive_facts_hash_text((const uint64_t *)field, hash);
        outfile_print(out, "%s", hash);
        break;
    }
}

/* What isn't said of a run (no text, a count of none) is left out. */
static bool is_said(const void *from, const struct archive_facts_row *row)
{
    const char *field = (const char *)from + row->offset;
    if (row->kind == ARCHIVE_FACTS_POINTER)
        return *(const char *const *)field != NULL;
    if (row->kind == ARCHIVE_FACTS_COUNT)
        return *(const uint64_t *)field != 0;
    return row->kind != ARCHIVE_FACTS_REAL || *(const double *)field != 0.0;
}

static void write_facts(struct outfile *out, const char *caption, const void *from, const struct archive_facts_row *row, bool all)
{
    static const char *const headings[] = {"Attribute", "Value", "What it is"};
    html_table(out, caption, headings, 3);
    for (; row->name; row++) {
        if (!all && !is_said(from, row))
            continue;
        outfile_print(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">", row->name);
        write_value(out, from, row);
        outfile_print(out, "</td><td class=\"text\">%s</td></tr>\n", row->meaning);
    }
    html_table_end(out);
}

static void write_choices(struct outfile *out, const struct plots_profile *p)
{
    static const char *const headings[] = {"Choice", "Value"};
    const struct criteria *c = p->criteria;
    html_table(out, "What saturated means here", headings, 2);
    for (int k = 0; k < CRITERIA_COUNT; k++)
        outfile_print(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">--%s %.7g: %s</td></tr>\n", plots_criterion_names[k],
                      criteria_table[k].option, (double)c->threshold[k], criteria_table[k].help);
    outfile_print(out, "<tr><th scope=\"row\">activity</th><td class=\"text\">--activity-threshold %.7g, %s</td></tr>\n"
                       "<tr><th scope=\"row\">series combined</th><td class=\"text\">--combine %s</td></tr>\n"
                       "<tr><th scope=\"row\">super neurons</th><td class=\"text\">--super-ratio %.7g</td></tr>\n",
                  (double)c->activity_threshold, c->activity_signed ? "x below it (signed)" : "|x| below it",
                  criteria_combine_name(c->combine), (double)c->super_ratio);
    if (p->rule) {
        outfile_print(out, "<tr><th scope=\"row\">criterion of your own, instead of the combination</th><td class=\"text\">");
        html_text(out, p->rule);
        outfile_print(out, "</td></tr>\n");
    }
    html_table_end(out);
}

void page_provenance(struct outfile *out, const struct plots_profile *p)
{
    write_choices(out, p);
    write_facts(out, "What was measured", p->facts, archive_facts_table, true);
    write_facts(out, "How the run went", p->run, archive_facts_run_table, false);
}
