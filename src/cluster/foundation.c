/* foundation.c - see foundation.h.
 *
 * Rank 0 reads; the others get the prompts from it, since they have to leave out the same ones. Each layer's state goes to one
 * rank of the stage that has the layer: merging adds it to what the ranks measure.
 */
#include "foundation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../archive/archive_match.h"
#include "../archive/archive_reader.h"
#include "../base/log.h"
#include "../base/memory.h"

void foundation_free(struct foundation *f)
{
    prompt_set_free(&f->prompts);
    memset(f, 0, sizeof *f);
}

static enum status read_layer(struct archive_reader *reader, size_t layer, const struct accumulator *scratch,
                              struct error *e)
{
    struct accumulator_block *const block[SERIES_COUNT] = {accumulator_blocks(scratch, 0, SERIES_GATE),
                                                           accumulator_blocks(scratch, 0, SERIES_UP),
                                                           accumulator_blocks(scratch, 0, SERIES_FFN)};
    return archive_reader_state(reader, layer, block, scratch->layer, e);
}

/* A layer's samples are those of the prompts that it has counted. */
static enum status check_samples(const char *path, size_t layer, uint64_t found, const struct prompt_set *set,
                                 const struct archive_facts *own, struct error *e)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct prompt_set_entry *entry = &set->entry[i];
        if (entry->layers > layer && entry->tokens > own->skip_first)
            samples += entry->multiplicity * (entry->tokens - own->skip_first);
    }
    if (samples == found)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "is damaged: layer %zu has other samples than its prompts", layer);
    error_advice(e, "remove the checkpoint to begin anew");
    return error_file(e, path);
}

/* Collective: the file's state to the ranks that have the layers; `reader` is rank 0's. `checked` NULL, or the prompts that the
 * layers' samples must be those of. After a fault the rest goes round as it is: nobody uses it. */
static enum status hand_out_state(struct archive_reader *reader, const char *path, const struct archive_facts *own,
                                  const struct prompt_set *checked, const struct foundation_ways *ways, struct error *e)
{
    struct accumulator scratch = {.block = NULL};
    const bool reads = ways->ranks->rank == 0;
    enum status s = reads ? accumulator_init(&scratch, 1, (size_t)own->intermediate_size, e) : STATUS_OK;
    s = ranks_agree(ways->ranks, s, e);
    if (s != STATUS_OK)
        return s;
    for (size_t layer = 0; layer < own->layers; layer++) {
        if (reads && s == STATUS_OK)
            s = read_layer(reader, layer, &scratch, e);
        if (reads && s == STATUS_OK && checked)
            s = check_samples(path, layer, scratch.layer->samples, checked, own, e);
        merge_hand_out(ways->merge, layer, reads ? &scratch : NULL);
    }
    accumulator_free(&scratch);
    return ranks_agree(ways->ranks, s, e);
}

static enum status open_archive(struct foundation *f, struct archive_reader **opened, const char *path,
                                const struct archive_facts *own, struct error *e)
{
    char words[ARCHIVE_MATCH_WORDS];
    struct archive_reader *reader;
    enum status s = archive_reader_open(&reader, path, e);
    *opened = reader;
    if (s != STATUS_OK)
        return s;
    const struct archive_facts *facts = archive_reader_facts(reader);
    if (!archive_match(facts, own, words)) {
        error_set(e, STATUS_INPUT, "can't be appended to by this run: it has %s", words);
        error_advice(e, "append with the model and the options that made the archive");
        s = error_file(e, path);
    } else if (archive_reader_run_value(reader, "partial"))
        log_warning("%s is partial: it has %s of its run, which went on", path,
                    archive_reader_run_value(reader, "partial"));
    if (s == STATUS_OK)
        s = archive_reader_prompts(reader, &f->prompts, e);
    f->prompts_cut = facts->prompts_cut;
    return s;
}

/* Collective: rank 0's prompts to all. */
static enum status share(struct prompt_set *set, const struct ranks *r, struct error *e)
{
    uint64_t count = set->count;
    ranks_broadcast(&count, sizeof count);
    enum status s = STATUS_OK;
    if (r->rank != 0) {
        prompt_set_free(set);
        s = memory_array(&set->entry, (size_t)count, sizeof *set->entry, "the set of prompts", e);
        set->count = set->capacity = (size_t)count;
    }
    s = ranks_agree(r, s, e);
    if (s == STATUS_OK)
        ranks_broadcast(set->entry, set->count * sizeof *set->entry);
    return s;
}

/* Takes the items away that the set holds. */
static enum status leave_out(const struct prompt_set *set, struct intake *in, struct error *e)
{
    struct prompt_set left = {.entry = NULL};
    bool *held = NULL;
    enum status s = prompt_set_merge(&left, set, e);
    if (s == STATUS_OK)
        s = memory_array(&held, in->count, sizeof *held, "prompts", e);
    for (size_t i = 0; i < in->count && s == STATUS_OK; i++)
        held[i] = prompt_set_take(&left, in->items[i].hash);
    if (s == STATUS_OK)
        intake_drop(in, held);
    memory_free(held);
    prompt_set_free(&left);
    return s;
}

enum status foundation_append(struct foundation *f, const struct foundation_ways *ways, const char *path,
                              const struct archive_facts *own, struct intake *in, struct error *e)
{
    const struct ranks *r = ways->ranks;
    struct archive_reader *reader = NULL;
    memset(f, 0, sizeof *f);
    enum status s = ranks_agree(r, r->rank == 0 ? open_archive(f, &reader, path, own, e) : STATUS_OK, e);
    if (s == STATUS_OK)
        s = hand_out_state(reader, path, own, NULL, ways, e);
    archive_reader_close(reader);
    if (s == STATUS_OK)
        s = share(&f->prompts, r, e);
    if (s == STATUS_OK)
        ranks_broadcast(&f->prompts_cut, sizeof f->prompts_cut);
    return s == STATUS_OK ? ranks_agree(r, leave_out(&f->prompts, in, e), e) : s;
}

static enum status other_run(const char *path, const char *words, struct error *e)
{
    error_set(e, STATUS_INPUT, "is the checkpoint of another run: it has %s", words);
    error_advice(e, "go on with the same model, prompts and options, or remove the checkpoint to begin anew");
    return error_file(e, path);
}

/* `first`, zeroed, becomes the first place of values that were kept out, if there are any. */
static enum status open_checkpoint(struct prompt_set *set, struct archive_reader **opened, const char *path,
                                   const struct archive_facts *own, struct collector_nonfinite *first, struct error *e)
{
    char words[ARCHIVE_MATCH_WORDS];
    struct archive_reader *reader;
    enum status s = archive_reader_open_checkpoint(&reader, path, e);
    *opened = reader;
    if (s != STATUS_OK)
        return s;
    const struct archive_checkpoint *about = archive_reader_checkpoint(reader);
    if (!archive_match(archive_reader_facts(reader), own, words))
        s = other_run(path, words, e);
    else if (memcmp(about->planned_fingerprint, own->prompts_fingerprint, sizeof own->prompts_fingerprint) != 0) {
        snprintf(words, sizeof words, "another set of prompts: %" PRIu64 " of them, where %" PRIu64 " are given now",
                 about->planned_prompts, own->prompts);
        s = other_run(path, words, e);
    }
    if (s == STATUS_OK)
        s = archive_reader_prompts(reader, set, e);
    const struct collector_nonfinite told = {about->nonfinite_layer, about->nonfinite_prompt,
                                             about->nonfinite_position, about->nonfinite_series,
                                             about->nonfinite_neuron, about->nonfinite_seen};
    if (told.seen && told.series < SERIES_COUNT && told.layer < own->layers) /* for a message; nobody vouches */
        *first = told;
    return s;
}

/* Splits a checkpoint's prompts into those that are through and those that are under way. */
static enum status split(const struct prompt_set *all, uint64_t layers, struct prompt_set *through,
                         struct prompt_set *under_way, struct error *e)
{
    enum status s = STATUS_OK;
    for (size_t i = 0; i < all->count && s == STATUS_OK; i++) {
        struct prompt_set_entry entry = all->entry[i];
        bool whole = entry.layers == layers;
        if (whole)
            entry.layers = 0;
        s = prompt_set_add(whole ? through : under_way, &entry, e);
    }
    return s; /* both sorted, as `all` was */
}

/* Gives each item that is under way the layers it has reached. */
static bool assign(const struct intake *in, struct prompt_set *under_way, uint32_t *layers)
{
    for (size_t i = 0; i < in->count; i++) {
        struct prompt_set_entry *entry = prompt_set_any(under_way, in->items[i].hash);
        if (!entry)
            continue;
        entry->multiplicity--;
        layers[i] = (uint32_t)entry->layers;
    }
    for (size_t i = 0; i < under_way->count; i++)
        if (under_way->entry[i].multiplicity)
            return false;
    return true;
}

/* What is through leaves the intake: all of the foundation so far, and some of the items. */
static enum status stand_on(struct foundation *f, const struct prompt_set *all, const struct archive_facts *own,
                            const char *path, struct intake *in, uint32_t **layers, struct error *e)
{
    struct prompt_set through = {.entry = NULL}, under_way = {.entry = NULL}, left = {.entry = NULL};
    bool fits = true;
    enum status s = split(all, own->layers, &through, &under_way, e);
    if (s == STATUS_OK)
        s = prompt_set_merge(&left, &through, e);
    for (size_t i = 0; i < f->prompts.count && s == STATUS_OK; i++)
        for (uint64_t k = 0; k < f->prompts.entry[i].multiplicity && fits; k++)
            fits = prompt_set_take(&left, f->prompts.entry[i].hash);
    uint64_t expected = prompt_set_prompts(&left);
    size_t given = in->count;
    if (s == STATUS_OK)
        s = leave_out(&left, in, e);
    if (s == STATUS_OK)
        s = memory_array(layers, in->count, sizeof **layers, "prompts", e);
    if (s == STATUS_OK && (!fits || given - in->count != expected || !assign(in, &under_way, *layers)))
        s = other_run(path, "prompts that are not among those given now", e);
    prompt_set_free(&f->prompts);
    f->prompts = through;
    prompt_set_free(&under_way);
    prompt_set_free(&left);
    return s;
}

enum status foundation_resume(struct foundation *f, const struct foundation_ways *ways, const char *path,
                              const struct archive_facts *own, struct intake *in, struct collector_nonfinite *first,
                              uint32_t **layers, struct error *e)
{
    const struct ranks *r = ways->ranks;
    struct prompt_set all = {.entry = NULL};
    struct archive_reader *reader = NULL;
    enum status s = ranks_agree(r, r->rank == 0 ? open_checkpoint(&all, &reader, path, own, first, e) : STATUS_OK, e);
    if (s == STATUS_OK)
        s = hand_out_state(reader, path, own, &all, ways, e);
    archive_reader_close(reader);
    if (s == STATUS_OK)
        s = share(&all, r, e);
    if (s == STATUS_OK)
        s = ranks_agree(r, stand_on(f, &all, own, path, in, layers, e), e);
    prompt_set_free(&all);
    return s;
}

enum status foundation_facts(const struct foundation *f, const struct intake *in, struct prompt_set *set,
                             struct archive_facts *facts, struct error *e)
{
    struct prompt_set run = {.entry = NULL};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < in->count && s == STATUS_OK; i++) {
        const struct intake_item *item = &in->items[i];
        struct prompt_set_entry entry = {{item->hash[0], item->hash[1]}, 1, item->length, 0};
        s = prompt_set_add(&run, &entry, e);
    }
    prompt_set_sort(&run);
    if (s == STATUS_OK)
        s = prompt_set_merge(set, &f->prompts, e);
    if (s == STATUS_OK)
        s = prompt_set_merge(set, &run, e);
    prompt_set_free(&run);
    if (s != STATUS_OK)
        return s;
    facts->prompts = prompt_set_prompts(set);
    facts->tokens = prompt_set_tokens(set);
    facts->prompts_cut = f->prompts_cut + in->counts.cut;
    facts->prompts_repeated = facts->prompts - set->count;
    return prompt_set_fingerprint(set, facts->prompts_fingerprint, e);
}
