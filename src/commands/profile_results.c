/* profile_results.c - see profile_results.h. */
#include "profile_results.h"

#include <stdio.h>
#include <string.h>

#include "../archive/archive_writer.h"
#include "../base/memory.h"
#include "../report/csv.h"
#include "../report/prompt_notes.h"
#include "../report/text_summary.h"

#define SUPER_LISTED 64

/* What is worked out layer by layer. */
struct layers {
    struct metrics metrics;
    struct summary_row *rows; /* [layers] */
    struct text_summary_super super[SUPER_LISTED];
    size_t super_count;
};

static enum status write_layer(const struct profile_results *r, struct archive_writer *w, struct layers *l,
                               size_t layer, struct error *e)
{
    metrics_compute(&l->metrics, r->state, layer);
    enum status s = criteria_apply(&r->facts->criteria, &l->metrics, e);
    if (s != STATUS_OK)
        return s;
    summary_of_layer(&l->rows[layer], &l->metrics);
    l->super_count = text_summary_collect(&l->metrics, layer, l->super, l->super_count, SUPER_LISTED);
    struct archive_writer_layer_data data = {.metrics = &l->metrics, .row = &l->rows[layer],
                                             .layer = &r->state->layer[layer]};
    for (int series = 0; series < SERIES_COUNT; series++)
        data.block[series] = accumulator_blocks(r->state, layer, (enum series)series);
    return archive_writer_layer(w, layer, &data, e);
}

static enum status write_csv_aside(const struct profile_results *r, const struct layers *l, struct outfile *csv,
                                   struct error *e)
{
    enum status s = outfile_open(csv, r->csv_path, e);
    if (s != STATUS_OK)
        return s;
    csv_print(csv, l->rows, r->state->layers);
    s = outfile_settle(csv, e);
    if (s != STATUS_OK)
        outfile_abandon(csv);
    return s;
}

/* Both files aside; once both are whole, both replace their old ones. */
static enum status write_files(const struct profile_results *r, struct layers *l, struct error *e)
{
    struct archive_writer *w;
    struct outfile csv;
    enum status s = archive_writer_open(&w, r->hdf5_path, r->state->layers, r->state->neurons, e);
    for (size_t layer = 0; layer < r->state->layers && s == STATUS_OK; layer++)
        s = write_layer(r, w, l, layer, e);
    if (s == STATUS_OK)
        s = write_csv_aside(r, l, &csv, e);
    if (s != STATUS_OK) {
        archive_writer_abandon(w);
        return s;
    }
    s = archive_writer_finish(w, r->facts, r->run, r->prompts, e);
    if (s == STATUS_OK)
        return outfile_commit(&csv, e);
    outfile_abandon(&csv);
    return s;
}

static enum status tell(const struct profile_results *r, const struct layers *l, uint64_t *nonfinite, struct error *e)
{
    struct summary summary;
    summary_of_model(&summary, l->rows, r->state->layers);
    *nonfinite = summary.nonfinite;
    struct text_summary text = {&summary, &r->facts->criteria, l->super, l->super_count};
    enum status s = text_summary_print(NULL, &text, e);
    return s == STATUS_OK ? prompt_notes_print(NULL, r->facts, r->run, e) : s;
}

enum status profile_results_write(const struct profile_results *r, uint64_t *nonfinite, struct error *e)
{
    struct layers l = {.super_count = 0};
    enum status s = metrics_init(&l.metrics, r->state->neurons, e);
    if (s == STATUS_OK)
        s = memory_array(&l.rows, r->state->layers, sizeof *l.rows, "the summary", e);
    if (s == STATUS_OK)
        s = write_files(r, &l, e);
    if (s == STATUS_OK)
        s = tell(r, &l, nonfinite, e);
    metrics_free(&l.metrics);
    memory_free(l.rows);
    return s;
}
