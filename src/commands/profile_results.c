/* profile_results.c - see profile_results.h. */
#include "profile_results.h"

#include "../archive/archive_writer.h"
#include "../base/memory.h"
#include "../report/csv.h"
#include "../report/page.h"
#include "results.h"

struct profile_results_writer {
    struct profile_results plan;
    struct archive_writer *archive;
    struct metrics metrics;            /* of one layer                               */
    struct results results;
};

enum status profile_results_open(struct profile_results_writer **w, const struct profile_results *r, struct error *e)
{
    struct profile_results_writer *fresh;
    enum status s = memory_array(&fresh, 1, sizeof *fresh, "the results", e);
    *w = NULL;
    if (s != STATUS_OK)
        return s;
    fresh->plan = *r;
    s = metrics_init(&fresh->metrics, r->neurons, e);
    if (s == STATUS_OK)
        s = results_init(&fresh->results, r->layers, r->neurons, r->criteria, e);
    fresh->results.plot = r->plot;
    if (s == STATUS_OK && r->html_path)
        s = results_pictures(&fresh->results, e);
    if (s == STATUS_OK)
        s = archive_writer_open(&fresh->archive, r->hdf5_path, r->layers, r->neurons, e);
    if (s != STATUS_OK) {
        profile_results_abandon(fresh);
        return s;
    }
    *w = fresh;
    return STATUS_OK;
}

enum status profile_results_layer(struct profile_results_writer *w, size_t layer, const struct accumulator *state,
                                  size_t at, struct error *e)
{
    metrics_compute(&w->metrics, state, at);
    enum status s = results_layer(&w->results, layer, &w->metrics, e);
    if (s != STATUS_OK)
        return s;
    struct archive_writer_layer_data data = {.metrics = &w->metrics, .row = &w->results.rows[layer],
                                             .layer = &state->layer[at]};
    for (int series = 0; series < SERIES_COUNT; series++)
        data.block[series] = accumulator_blocks(state, at, (enum series)series);
    return archive_writer_layer(w->archive, layer, &data, e);
}

static enum status write_csv_aside(const struct profile_results_writer *w, struct outfile *csv, struct error *e)
{
    enum status s = outfile_open(csv, w->plan.csv_path, e);
    if (s != STATUS_OK)
        return s;
    csv_print(csv, w->results.rows, w->plan.layers);
    s = outfile_settle(csv, e);
    if (s != STATUS_OK)
        outfile_abandon(csv);
    return s;
}

static enum status write_page_aside(const struct profile_results_writer *w, const struct archive_facts *facts,
                                    const struct archive_run *run, struct outfile *page, struct error *e)
{
    const struct plots_profile profile = results_profile(&w->results, facts, run);
    enum status s = outfile_open(page, w->plan.html_path, e);
    if (s != STATUS_OK)
        return s;
    page_write(page, &profile);
    s = outfile_settle(page, e);
    if (s != STATUS_OK)
        outfile_abandon(page);
    return s;
}

/* All files are aside; once all are whole, they replace their old ones: the archive, then what can be made from it. */
static enum status replace_files(struct profile_results_writer *w, const struct archive_facts *facts,
                                 const struct archive_run *run, const struct prompt_set *prompts, struct error *e)
{
    struct outfile csv = {.path = NULL}, page = {.path = NULL};
    enum status s = w->plan.csv_path ? write_csv_aside(w, &csv, e) : STATUS_OK;
    if (s == STATUS_OK && w->plan.html_path)
        s = write_page_aside(w, facts, run, &page, e);
    if (s == STATUS_OK) {
        s = archive_writer_finish(w->archive, facts, run, prompts, e);
        w->archive = NULL;
    }
    if (s == STATUS_OK && w->plan.csv_path)
        s = outfile_commit(&csv, e);
    else
        outfile_abandon(&csv);
    if (s == STATUS_OK && w->plan.html_path)
        return outfile_commit(&page, e);
    outfile_abandon(&page);
    return s;
}

enum status profile_results_finish(struct profile_results_writer *w, const struct archive_facts *facts,
                                   const struct archive_run *run, const struct prompt_set *prompts,
                                   uint64_t *nonfinite, struct error *e)
{
    enum status s = replace_files(w, facts, run, prompts, e);
    if (s == STATUS_OK)
        s = results_print(&w->results, facts, run, nonfinite, e);
    profile_results_abandon(w);
    return s;
}

void profile_results_abandon(struct profile_results_writer *w)
{
    if (!w)
        return;
    archive_writer_abandon(w->archive);
    metrics_free(&w->metrics);
    results_free(&w->results);
    memory_free(w);
}

enum status profile_results_write(const struct profile_results *r, const struct accumulator *state,
                                  const struct archive_facts *facts, const struct archive_run *run,
                                  const struct prompt_set *prompts, uint64_t *nonfinite, struct error *e)
{
    struct profile_results_writer *w;
    enum status s = profile_results_open(&w, r, e);
    for (size_t layer = 0; layer < r->layers && s == STATUS_OK; layer++)
        s = profile_results_layer(w, layer, state, layer, e);
    if (s == STATUS_OK)
        return profile_results_finish(w, facts, run, prompts, nonfinite, e);
    profile_results_abandon(w);
    return s;
}
