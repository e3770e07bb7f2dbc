/* results.c - see results.h. */
#include "results.h"

#include <string.h>

#include "../base/memory.h"
#include "../report/prompt_notes.h"
#include "../report/sure_text.h"

enum status results_init(struct results *r, size_t layers, size_t neurons, const struct criteria *criteria,
                         struct error *e)
{
    memset(r, 0, sizeof *r);
    r->layers = layers;
    r->neurons = neurons;
    r->criteria = criteria;
    enum status s = memory_array(&r->rows, layers, sizeof *r->rows, "the summary", e);
    if (s == STATUS_OK)
        s = memory_array(&r->cells, layers, sizeof *r->cells, "a plot", e);
    return s == STATUS_OK ? sureness_init(&r->sureness, layers, neurons, e) : s;
}

void results_free(struct results *r)
{
    memory_free(r->rows);
    memory_free(r->cells);
    sureness_free(&r->sureness);
    portrait_free(&r->portrait);
    memset(r, 0, sizeof *r);
}

enum status results_pictures(struct results *r, struct error *e)
{
    enum status s = portrait_init(&r->portrait, r->layers, r->neurons, r->criteria, r->rule != NULL, e);
    r->pictures = s == STATUS_OK;
    return s;
}

struct plots_profile results_profile(const struct results *r, const struct archive_facts *facts, const struct archive_run *run)
{
    return (struct plots_profile){.layers = r->layers, .neurons = r->neurons, .rows = r->rows, .criteria = r->criteria,
                                  .sureness = &r->sureness, .portrait = &r->portrait, .facts = facts, .run = run,
                                  .rule = r->rule ? r->rule_text : NULL, .roofs = r->roofs};
}

enum status results_layer(struct results *r, size_t layer, struct metrics *m, struct error *e)
{
    enum status s = criteria_apply(r->criteria, m, e);
    if (s == STATUS_OK && r->rule)
        s = expression_apply(r->rule, m, e);
    if (s != STATUS_OK)
        return s;
    summary_of_layer(&r->rows[layer], m);
    plot_text_cells(m, r->cells[layer]);
    sureness_layer(&r->sureness, layer, m, r->criteria);
    r->super_count = text_summary_collect(m, layer, r->super, r->super_count, RESULTS_SUPER);
    return r->pictures ? portrait_layer(&r->portrait, layer, m, e) : STATUS_OK;
}

enum status results_print(const struct results *r, const struct archive_facts *facts, const struct archive_run *run,
                          uint64_t *nonfinite, struct error *e)
{
    struct summary summary;
    summary_of_model(&summary, r->rows, r->layers);
    *nonfinite = summary.nonfinite;
    struct text_summary text = {&summary, r->criteria, r->super, r->super_count, r->rule_text};
    enum status s = text_summary_print(NULL, &text, e);
    if (s == STATUS_OK && r->plot) {
        const struct plot_text plot = {r->rows, (const float (*)[PLOT_TEXT_CELLS])r->cells, r->layers, r->neurons};
        s = plot_text_print(NULL, &plot, plot_text_blocks(), e);
    }
    if (s == STATUS_OK && !r->rule)
        s = sure_text_print(NULL, &r->sureness, &summary, facts->prompts, e);
    if (s == STATUS_OK)
        s = gain_text_print(NULL, facts, r->rows, &r->roofs, e);
    return s == STATUS_OK ? prompt_notes_print(NULL, facts, run, e) : s;
}
