/* checkpoint.c - see checkpoint.h.
 *
 * Layers are merged one by one into a scratch layer on rank 0, which writes them: no rank needs its state twice. When
 * rank 0 can't write, it goes on merging, since the others do.
 */
#include "checkpoint.h"

#include <string.h>
#include <unistd.h>

#include "../archive/archive_writer.h"
#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "watch.h"

/* The prompts that the file holds, with their layers. */
static enum status gather_prompts(const struct checkpoint *c, struct prompt_set *set, struct error *e)
{
    const uint64_t all = c->facts->layers;
    struct prompt_set run = {.entry = NULL};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < c->intake->count && s == STATUS_OK; i++) {
        const struct intake_item *item = &c->intake->items[i];
        struct prompt_set_entry entry = {{item->hash[0], item->hash[1]}, 1, item->length, c->layers[i]};
        if (c->layers[i])
            s = prompt_set_add(&run, &entry, e);
    }
    prompt_set_sort(&run);
    if (s == STATUS_OK)
        s = prompt_set_merge(set, &c->foundation->prompts, e);
    for (size_t i = 0; i < set->count && s == STATUS_OK; i++)
        set->entry[i].layers = all;
    if (s == STATUS_OK)
        s = prompt_set_merge(set, &run, e);
    prompt_set_free(&run);
    return s;
}

static struct archive_checkpoint words_of(const struct checkpoint *c, const struct collector_nonfinite *first)
{
    struct archive_checkpoint words = {
        .planned_fingerprint = {c->facts->prompts_fingerprint[0], c->facts->prompts_fingerprint[1]},
        .planned_prompts = c->facts->prompts, .nonfinite_layer = first->layer, .nonfinite_prompt = first->prompt,
        .nonfinite_position = first->position, .nonfinite_series = first->series, .nonfinite_neuron = first->neuron,
        .nonfinite_seen = first->seen};
    return words;
}

/* Rank 0: the layers are in `w`. */
static enum status finish(const struct checkpoint *c, struct archive_writer *w, const struct collector_nonfinite *first,
                          struct error *e)
{
    struct prompt_set set = {.entry = NULL};
    struct archive_facts facts = *c->facts;
    struct archive_checkpoint words = words_of(c, first);
    enum status s = gather_prompts(c, &set, e);
    if (s == STATUS_OK)
        s = prompt_set_fingerprint(&set, facts.prompts_fingerprint, e);
    if (s != STATUS_OK) {
        archive_writer_abandon(w);
        prompt_set_free(&set);
        return s;
    }
    facts.prompts = prompt_set_prompts(&set);
    facts.tokens = prompt_set_tokens(&set);
    watch_hold();
    s = archive_writer_finish_checkpoint(w, &facts, &words, c->run, &set, e);
    watch_go_on();
    prompt_set_free(&set);
    return s;
}

static enum status write_layer(struct archive_writer *w, size_t layer, const struct accumulator *state, struct error *e)
{
    struct archive_writer_layer_data data = {.layer = state->layer};
    for (int s = 0; s < SERIES_COUNT; s++)
        data.block[s] = accumulator_blocks(state, 0, (enum series)s);
    return archive_writer_layer(w, layer, &data, e);
}

/* Collective; the status counts on rank 0. */
static enum status write_all(const struct checkpoint *c, const struct collector_nonfinite *first, struct error *e)
{
    const size_t layers = (size_t)c->facts->layers, neurons = c->collector->state.neurons;
    struct archive_writer *w = NULL;
    struct accumulator sum = {.block = NULL};
    const bool writes = c->ranks->rank == 0;
    enum status s = writes ? accumulator_init(&sum, 1, neurons, e) : STATUS_OK;
    s = ranks_agree(c->ranks, s, e);
    if (s != STATUS_OK)
        return s;
    if (writes)
        s = archive_writer_open_checkpoint(&w, c->path, layers, neurons, e);
    for (size_t layer = 0; layer < layers; layer++) {
        merge_layer(c->merge, layer, writes ? &sum : NULL);
        if (s == STATUS_OK && writes)
            s = write_layer(w, layer, &sum, e);
    }
    if (s == STATUS_OK && writes)
        s = finish(c, w, first, e);
    else
        archive_writer_abandon(w);
    accumulator_free(&sum);
    return s;
}

static enum status first_of_all(const struct checkpoint *c, struct collector_nonfinite *first, struct error *e)
{
    struct collector_nonfinite *all;
    size_t total;
    enum status s = ranks_gather(c->ranks, &c->collector->first, 1, sizeof *all, &all, &total, e);
    memset(first, 0, sizeof *first);
    for (size_t i = 0; i < total && s == STATUS_OK; i++)
        if (collector_earlier(&all[i], first))
            *first = all[i];
    memory_free(all);
    return s;
}

static void tell(const struct checkpoint *c, double seconds)
{
    uint64_t whole = prompt_set_prompts(&c->foundation->prompts);
    for (size_t i = 0; i < c->intake->count; i++)
        whole += c->layers[i] == c->facts->layers;
    log_line("checkpoint: %s, %llu of %llu prompts, written in %.1f s", c->path, (unsigned long long)whole,
             (unsigned long long)c->facts->prompts, seconds);
}

enum status checkpoint_write(struct checkpoint *c, struct error *e)
{
    struct collector_nonfinite first;
    double start = clock_seconds();
    ranks_largest(c->layers, c->intake->count);
    enum status s = first_of_all(c, &first, e);
    if (s == STATUS_OK)
        s = ranks_agree(c->ranks, write_all(c, &first, e), e);
    if (s != STATUS_OK)
        return s;
    c->written = true;
    tell(c, clock_seconds() - start);
    return STATUS_OK;
}

void checkpoint_remove(const struct checkpoint *c)
{
    if (c->written && unlink(c->path) != 0)
        log_warning("%s: the checkpoint is of no more use and can't be removed", c->path);
}
