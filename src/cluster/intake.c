/* intake.c - see intake.h. */
#include "intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../base/memory.h"
#include "../base/signals.h"
#include "sources.h"

/* Own results while tokenising a share. */
struct share {
    struct intake_item *items;
    size_t count, capacity;
    struct intake_counts counts;
    struct token_list tokens;
};

struct intake_reading {
    struct prompts_reader reader;
    struct text_buffer text;
};

/* Prompts between two looks at the clock. */
#define ITEMS_A_LOOK 16

static enum status encode(const struct intake *in, size_t line, struct token_list *out,
                          struct tokenizer_counts *counts, struct error *e)
{
    struct intake_reading *now = in->reading;
    if (in->options.token_ids)
        return prompts_read_tokens(&now->reader, line, out, e);
    unsigned flags = TOKENIZER_PARSE_SPECIAL | (in->options.no_bos ? 0u : (unsigned)TOKENIZER_ADD_SPECIAL);
    bool bos = !in->options.no_bos && !tokenizer_adds_bos(in->tokenizer); /* written once */
    enum status s = prompts_read(&now->reader, line, in->options.chat, bos, &now->text, e);
    if (s == STATUS_OK)
        s = tokenizer_encode(in->tokenizer, now->text.bytes, now->text.count, flags, out, counts, e);
    return s;
}

static enum status check_ids(const struct intake *in, const struct token_list *tokens, struct error *e)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens->ids[i] < 0 || (size_t)tokens->ids[i] >= in->options.vocabulary) {
            error_set(e, STATUS_INPUT, "token id %d is outside the model's vocabulary of %zu", (int)tokens->ids[i],
                      in->options.vocabulary);
            error_advice(e, "use the model that the ids were made for");
            return prompts_blame(&in->reading->reader, e);
        }
    return STATUS_OK;
}

static enum status add_item(struct share *own, size_t line, size_t first, size_t length, bool cut, struct error *e)
{
    enum status s = memory_grow(&own->items, &own->capacity, own->count + 1, sizeof *own->items, "prompts", e);
    if (s != STATUS_OK)
        return s;
    struct intake_item *item = &own->items[own->count++];
    *item = (struct intake_item){.line = line, .first = first, .length = length, .cut = cut};
    prompts_hash(own->tokens.ids + first, length, item->hash);
    own->counts.tokens += length;
    own->counts.cut += cut;
    if (own->count % ITEMS_A_LOOK == 0)
        log_phase("reading prompts: %zu on rank 0 so far", own->count);
    return STATUS_OK;
}

static enum status too_long(const struct intake *in, size_t length, struct error *e)
{
    error_set(e, STATUS_INPUT, "a prompt of %zu tokens is longer than the context of %zu", length, in->options.context);
    error_advice(e, "use --overlong truncate, split or skip, or a larger --context");
    return prompts_blame(&in->reading->reader, e);
}

/* One line becomes no item, one, or several pieces. */
static enum status take_line(const struct intake *in, size_t line, struct share *own, struct error *e)
{
    size_t context = in->options.context;
    struct tokenizer_counts odd = {0, 0, 0};
    own->tokens.count = 0;
    enum status s = encode(in, line, &own->tokens, &odd, e);
    if (s == STATUS_OK)
        s = check_ids(in, &own->tokens, e);
    if (s != STATUS_OK)
        return s;
    size_t length = own->tokens.count;
    own->counts.malformed += odd.malformed > 0;
    own->counts.unknown += odd.unknown;
    own->counts.double_bos += odd.double_bos;
    if (length == 0) {
        own->counts.empty++;
        return STATUS_OK;
    }
    if (length <= context)
        return add_item(own, line, 0, length, false, e);
    switch (in->options.overlong) {
    case INTAKE_ERROR:
        return too_long(in, length, e);
    case INTAKE_SKIP:
        own->counts.skipped++;
        return STATUS_OK;
    case INTAKE_TRUNCATE:
        return add_item(own, line, 0, context, true, e);
    case INTAKE_SPLIT:
        for (size_t first = 0; first < length && s == STATUS_OK; first += context)
            s = add_item(own, line, first, length - first < context ? length - first : context, first == 0, e);
        return s;
    }
    return STATUS_OK;
}

static int by_line(const void *a, const void *b)
{
    const struct intake_item *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_hash(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    for (int i = 1; i >= 0; i--)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Prompts beyond the first of their hash. */
static enum status count_repeated(struct intake *in, struct error *e)
{
    uint64_t (*hashes)[2];
    enum status s = memory_array(&hashes, in->count, sizeof *hashes, "prompt hashes", e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < in->count; i++)
        memcpy(hashes[i], in->items[i].hash, sizeof hashes[i]);
    qsort(hashes, in->count, sizeof *hashes, by_hash);
    for (size_t i = 1; i < in->count; i++)
        in->counts.repeated += by_hash(hashes[i], hashes[i - 1]) == 0;
    memory_free(hashes);
    return STATUS_OK;
}

/* Collective. */
static enum status tokenize_share(struct intake *in, const struct ranks *r, struct share *own, struct error *e)
{
    enum status s = STATUS_OK;
    size_t turn = 0, line = 0, size = (size_t)r->size, all = in->source.count / in->options.shards;
    in->stride = in->options.sample ? (all + in->options.sample - 1) / in->options.sample : 1;
    in->stride += in->stride == 0;
    for (; line < in->source.count && s == STATUS_OK; line++) {
        if (signals_seen()) { /* noted only by whoever knows what to do then */
            s = error_set(e, STATUS_CHECKPOINT, "stopped by a signal");
            break;
        }
        if (line % in->options.shards != in->options.shard)
            continue;
        size_t here = turn++; /* of the shard */
        if (here % in->stride == 0 && here / in->stride % size == (size_t)r->rank)
            s = take_line(in, line, own, e);
    }
    return ranks_agree_first(r, s, line, e);
}

static enum status nothing_left(const struct intake *in, struct error *e)
{
    char shard[64] = "";
    if (in->options.shards > 1)
        snprintf(shard, sizeof shard, " in shard %zu/%zu", in->options.shard, in->options.shards);
    error_set(e, STATUS_INPUT, "holds no prompts to run%s", shard);
    error_where(e, "%llu lines read, %llu blank, %llu empty after tokenising, %llu too long",
                (unsigned long long)in->source.counts.lines, (unsigned long long)in->counts.blank,
                (unsigned long long)in->counts.empty, (unsigned long long)in->counts.skipped);
    error_advice(e, in->source.count < in->options.shards ? "use fewer shards" : "give at least one line of text");
    return error_file(e, in->options.path);
}

static enum status gather_shares(struct intake *in, const struct ranks *r, struct share *own, struct error *e)
{
    uint64_t *sums = (uint64_t *)&own->counts;
    enum status s = ranks_gather(r, own->items, own->count, sizeof *own->items, &in->items, &in->count, e);
    if (s != STATUS_OK)
        return s;
    qsort(in->items, in->count, sizeof *in->items, by_line);
    ranks_sum(sums, sizeof own->counts / sizeof *sums);
    in->counts = own->counts;
    in->counts.blank = in->source.counts.blank;
    if (in->count == 0)
        return nothing_left(in, e);
    return ranks_agree(r, count_repeated(in, e), e);
}

enum status intake_open(struct intake *in, const struct ranks *r, const struct intake_options *options,
                        const struct tokenizer *tokenizer, struct error *e)
{
    struct share own = {.items = NULL};
    memset(in, 0, sizeof *in);
    in->options = *options;
    in->tokenizer = tokenizer;
    struct prompts_options reading = prompts_defaults();
    reading.wish = options->token_ids ? RECOGNISE_AS_TOKENS : options->format;
    reading.limit = options->limit;
    reading.vocabulary = options->vocabulary;
    enum status s = options->in_memory
        ? sources_open_bytes(&in->source, r, options->bytes, options->size, options->path, &reading, e)
        : sources_open(&in->source, r, options->path, &reading, e);
    in->options.bytes = NULL; /* copied */
    if (s != STATUS_OK)
        goto done; /* agreed already */
    s = memory_array(&in->reading, 1, sizeof *in->reading, "reading", e);
    s = ranks_agree(r, s, e);
    if (s != STATUS_OK)
        goto done;
    in->reading->reader = prompts_reader_begin(&in->source);
    s = tokenize_share(in, r, &own, e);
    if (s == STATUS_OK)
        s = gather_shares(in, r, &own, e);
done:
    memory_free(own.items);
    token_list_free(&own.tokens);
    if (s != STATUS_OK)
        intake_close(in);
    return s;
}

void intake_close(struct intake *in)
{
    if (in->reading) {
        prompts_reader_close(&in->reading->reader);
        text_buffer_free(&in->reading->text);
    }
    memory_free(in->reading);
    prompts_close(&in->source);
    memory_free(in->items);
    memset(in, 0, sizeof *in);
}

void intake_drop(struct intake *in, const bool *held)
{
    size_t kept = 0;
    for (size_t i = 0; i < in->count; i++) {
        if (held[i]) {
            in->counts.tokens -= in->items[i].length;
            in->counts.cut -= in->items[i].cut;
        } else
            in->items[kept++] = in->items[i];
    }
    in->count = kept;
}

size_t intake_line(const struct intake *in, uint64_t index)
{
    struct prompts_reader *reader = &in->reading->reader;
    struct error ignored;
    return prompts_reader_go(reader, (size_t)index, &ignored) == STATUS_OK ? reader->record.line : 0;
}

enum status intake_tokens(const struct intake *in, const struct intake_item *item, struct token_list *out,
                          struct error *e)
{
    size_t start = out->count;
    enum status s = encode(in, (size_t)item->line, out, NULL, e);
    if (s != STATUS_OK)
        return s;
    memmove(out->ids + start, out->ids + start + item->first, (size_t)item->length * sizeof *out->ids);
    out->count = start + (size_t)item->length;
    return STATUS_OK;
}
