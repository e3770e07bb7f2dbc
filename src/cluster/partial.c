/* partial.c - see partial.h.
 *
 * Rejected: the state as a checkpoint has it, between any two chunks. A prompt under way counts in some layers and not
 * in others, and sums can't be taken apart again: such an archive would be of no set of prompts. Rejected, too: a
 * second state for what is under way, twice the memory.
 */
#include "partial.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../archive/archive_writer.h"
#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../stats/metrics.h"
#include "../stats/summary.h"
#include "watch.h"

/* What rank 0 makes an archive's layer of. */
struct scratch {
    struct accumulator sum;      /* one layer                                        */
    struct metrics metrics;
    struct archive_writer *writer;
};

/* How many prompts are through; false: some are so in a part of the layers. */
static bool count_whole(const struct checkpoint *c, uint64_t *whole)
{
    *whole = prompt_set_prompts(&c->foundation->prompts);
    for (size_t i = 0; i < c->intake->count; i++) {
        if (c->layers[i] != 0 && c->layers[i] != c->facts->layers)
            return false;
        *whole += c->layers[i] != 0;
    }
    return true;
}

/* The facts and prompts of an archive of what is through. */
static enum status describe(const struct checkpoint *c, struct archive_facts *facts, struct prompt_set *set,
                            struct error *e)
{
    struct prompt_set run = {.entry = NULL};
    enum status s = STATUS_OK;
    *facts = *c->facts;
    for (size_t i = 0; i < c->intake->count && s == STATUS_OK; i++) {
        const struct intake_item *item = &c->intake->items[i];
        struct prompt_set_entry entry = {{item->hash[0], item->hash[1]}, 1, item->length, 0};
        if (c->layers[i])
            s = prompt_set_add(&run, &entry, e);
        else
            facts->prompts_cut -= item->cut;
    }
    prompt_set_sort(&run);
    if (s == STATUS_OK)
        s = prompt_set_merge(set, &c->foundation->prompts, e);
    if (s == STATUS_OK)
        s = prompt_set_merge(set, &run, e);
    prompt_set_free(&run);
    if (s != STATUS_OK)
        return s;
    facts->prompts = prompt_set_prompts(set);
    facts->tokens = prompt_set_tokens(set);
    facts->prompts_repeated = facts->prompts - set->count;
    return prompt_set_fingerprint(set, facts->prompts_fingerprint, e);
}

static enum status open_scratch(struct scratch *w, const struct partial *p, struct error *e)
{
    const struct archive_facts *facts = p->of->facts;
    const size_t neurons = (size_t)facts->intermediate_size;
    enum status s = accumulator_init(&w->sum, 1, neurons, e);
    if (s == STATUS_OK)
        s = metrics_init(&w->metrics, neurons, e);
    return s == STATUS_OK ? archive_writer_open_quick(&w->writer, p->path, (size_t)facts->layers, neurons, e) : s;
}

static void close_scratch(struct scratch *w)
{
    archive_writer_abandon(w->writer);
    metrics_free(&w->metrics);
    accumulator_free(&w->sum);
}

static enum status write_layer(struct scratch *w, const struct partial *p, size_t layer, struct error *e)
{
    struct summary_row row;
    metrics_compute(&w->metrics, &w->sum, 0);
    enum status s = criteria_apply(&p->of->facts->criteria, &w->metrics, e);
    if (s != STATUS_OK)
        return s;
    summary_of_layer(&row, &w->metrics);
    struct archive_writer_layer_data data = {.metrics = &w->metrics, .row = &row, .layer = w->sum.layer};
    for (int i = 0; i < SERIES_COUNT; i++)
        data.block[i] = accumulator_blocks(&w->sum, 0, (enum series)i);
    return archive_writer_layer(w->writer, layer, &data, e);
}

/* Rank 0: the layers are written. */
static enum status finish(struct scratch *w, const struct partial *p, uint64_t whole, struct error *e)
{
    char words[64], now[32];
    struct prompt_set set = {.entry = NULL};
    struct archive_facts facts;
    struct archive_run run = *p->of->run;
    enum status s = describe(p->of, &facts, &set, e);
    snprintf(words, sizeof words, "%llu of %llu prompts", (unsigned long long)whole,
             (unsigned long long)p->of->facts->prompts);
    clock_utc(now, sizeof now);
    run.partial = words;
    run.finished = now;
    run.seconds = clock_seconds() - p->start;
    if (s == STATUS_OK) {
        watch_hold();
        s = archive_writer_finish(w->writer, &facts, &run, &set, e);
        watch_go_on();
        w->writer = NULL;
    }
    prompt_set_free(&set);
    return s;
}

/* Collective; the status counts on rank 0. When it can't write it goes on merging, since the others do. */
static enum status write_all(const struct partial *p, uint64_t whole, struct error *e)
{
    const struct checkpoint *c = p->of;
    const bool writes = c->ranks->rank == 0;
    struct scratch w = {.writer = NULL};
    enum status s = ranks_agree(c->ranks, writes ? open_scratch(&w, p, e) : STATUS_OK, e);
    for (size_t layer = 0; layer < c->facts->layers && (s == STATUS_OK || w.writer); layer++) {
        merge_layer(c->merge, layer, writes ? &w.sum : NULL);
        if (s == STATUS_OK && writes)
            s = write_layer(&w, p, layer, e);
    }
    if (s == STATUS_OK && writes)
        s = finish(&w, p, whole, e);
    close_scratch(&w);
    return s;
}

enum status partial_write(const struct partial *p, struct error *e)
{
    const double start = clock_seconds();
    struct checkpoint *c = p->of;
    uint64_t whole;
    ranks_largest(c->layers, c->intake->count);
    if (!count_whole(c, &whole) || whole == 0)
        return STATUS_OK;
    enum status s = ranks_agree(c->ranks, write_all(p, whole, e), e);
    if (s == STATUS_OK)
        log_line("partial archive: %s, %llu of %llu prompts, written in %.1f s", p->path, (unsigned long long)whole,
                 (unsigned long long)c->facts->prompts, clock_seconds() - start);
    return s;
}

enum status partial_first(const struct checkpoint *c, size_t *mine, size_t count, struct error *e)
{
    size_t *sorted, used = 0;
    enum status s = memory_array(&sorted, count, sizeof *sorted, "the prompts' order", e);
    if (s != STATUS_OK)
        return s;
    for (int later = 0; later < 2; later++)
        for (size_t i = 0; i < count; i++)
            if ((c->layers[mine[i]] == 0) == later)
                sorted[used++] = mine[i];
    memcpy(mine, sorted, count * sizeof *mine);
    memory_free(sorted);
    return STATUS_OK;
}

void partial_remove(const struct partial *p)
{
    if (p->path && access(p->path, F_OK) == 0 && unlink(p->path) != 0)
        log_warning("%s: the partial archive is of no more use and can't be removed", p->path);
}
