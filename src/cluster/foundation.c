/* foundation.c - see foundation.h.
 *
 * Rank 0 reads; the others get the prompts from it, since they have to leave out the same ones. The state stays
 * on rank 0: merging adds it to what the ranks measure.
 */
#include "foundation.h"

#include <string.h>

#include "../archive/archive_match.h"
#include "../archive/archive_reader.h"
#include "../base/memory.h"

void foundation_free(struct foundation *f)
{
    prompt_set_free(&f->prompts);
    memset(f, 0, sizeof *f);
}

static enum status read_state(struct archive_reader *reader, const struct accumulator *state, struct error *e)
{
    enum status s = STATUS_OK;
    for (size_t layer = 0; layer < state->layers && s == STATUS_OK; layer++) {
        struct accumulator_block *const block[SERIES_COUNT] = {accumulator_blocks(state, layer, SERIES_GATE),
                                                               accumulator_blocks(state, layer, SERIES_UP),
                                                               accumulator_blocks(state, layer, SERIES_FFN)};
        s = archive_reader_state(reader, layer, block, &state->layer[layer], e);
    }
    return s;
}

static enum status read_archive(struct foundation *f, const char *path, const struct archive_facts *own,
                                const struct accumulator *state, struct error *e)
{
    char words[ARCHIVE_MATCH_WORDS];
    struct archive_reader *reader;
    enum status s = archive_reader_open(&reader, path, e);
    if (s != STATUS_OK)
        return s;
    const struct archive_facts *facts = archive_reader_facts(reader);
    if (!archive_match(facts, own, words)) {
        error_set(e, STATUS_INPUT, "can't be appended to by this run: it has %s", words);
        error_advice(e, "append with the model and the options that made the archive");
        s = error_file(e, path);
    }
    if (s == STATUS_OK)
        s = archive_reader_prompts(reader, &f->prompts, e);
    if (s == STATUS_OK)
        s = read_state(reader, state, e);
    f->prompts_cut = facts->prompts_cut;
    archive_reader_close(reader);
    return s;
}

/* Collective: rank 0's prompts to all. */
static enum status share(struct foundation *f, const struct ranks *r, struct error *e)
{
    uint64_t numbers[] = {f->prompts.count, f->prompts_cut};
    ranks_broadcast(numbers, sizeof numbers);
    enum status s = STATUS_OK;
    if (r->rank != 0)
        s = memory_array(&f->prompts.entry, (size_t)numbers[0], sizeof *f->prompts.entry, "the set of prompts", e);
    s = ranks_agree(r, s, e);
    if (s != STATUS_OK)
        return s;
    f->prompts_cut = numbers[1];
    f->prompts.count = (size_t)numbers[0];
    f->prompts.capacity = f->prompts.count > f->prompts.capacity ? f->prompts.count : f->prompts.capacity;
    ranks_broadcast(f->prompts.entry, f->prompts.count * sizeof *f->prompts.entry);
    return STATUS_OK;
}

/* Takes the items away that the foundation holds. */
static enum status leave_out(const struct foundation *f, struct intake *in, struct error *e)
{
    struct prompt_set left = {.entry = NULL};
    bool *held = NULL;
    enum status s = prompt_set_merge(&left, &f->prompts, e);
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

enum status foundation_append(struct foundation *f, const struct ranks *r, const char *path,
                              const struct archive_facts *own, struct intake *in, struct accumulator *state,
                              struct error *e)
{
    memset(f, 0, sizeof *f);
    enum status s = ranks_agree(r, r->rank == 0 ? read_archive(f, path, own, state, e) : STATUS_OK, e);
    if (s == STATUS_OK)
        s = share(f, r, e);
    return s == STATUS_OK ? ranks_agree(r, leave_out(f, in, e), e) : s;
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
