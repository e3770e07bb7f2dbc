/* prompt_maker.c - see prompt_maker.h: targets, measuring, and that no two are alike.
 *
 * A composer aims at a target by adding up sentences. Here the whole is measured; of several
 * tries the closest to the target is kept. A text that was made before does not count; its
 * 64-bit hash is remembered, not the text (a false alarm, odds 1 in 10^11 for 10,000 prompts, costs one
 * try).
 */
#include "prompt_maker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "../base/memory.h"
#include "prompt_book.h"
#include "prompt_draft.h"

enum { TRIES = 24, LAST_TRIES = 600 };

/* What streams of a seed are for. */
enum { STREAM_TEXTS, STREAM_TURNS, STREAM_LENGTHS };

static const struct {
    const char *name;
    enum status (*compose)(struct prompt_draft *d, struct error *e);
} domains[PROMPT_BOOK_DOMAINS] = {{"factual", prompt_facts_compose},
                                  {"narrative", prompt_stories_compose},
                                  {"mathematical", prompt_sums_compose}};

/* The lengths shortest .. shortest + span - 1, each once in any `span` calls on end. */
struct lengths {
    size_t shortest, span, step;
};

struct prompt_maker {
    struct prompt_book book;
    struct prompt_draft draft;
    struct lengths lengths;
    uint64_t seed;
    size_t made;
    bool barren[PROMPT_BOOK_DOMAINS]; /* nothing of it fits the context, or nothing new */
    uint64_t *seen; /* [capacity], a power of two; 0: free */
    size_t capacity;
    char text[PROMPT_DRAFT_BYTES]; /* the best so far */
};

static size_t divisor(size_t a, size_t b)
{
    while (b != 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct lengths lengths_for(size_t context)
{
    const size_t longest = context < PROMPT_MAKER_LONGEST ? context : PROMPT_MAKER_LONGEST;
    const size_t shortest = longest < PROMPT_MAKER_SHORTEST ? longest : PROMPT_MAKER_SHORTEST;
    struct lengths l = {shortest, longest - shortest + 1, 0};
    l.step = l.span * 618034 / 1000000;
    while (divisor(l.step, l.span) != 1)
        l.step++;
    return l;
}

/* Where prompt `i` of all aims; `domain` is its domain's number. */
static size_t target_of(const struct lengths *l, uint64_t seed, size_t domain, size_t i)
{
    struct random_stream r = random_open(seed, STREAM_LENGTHS, domain, 0);
    const size_t start = (size_t)random_below(&r, l->span);
    return l->shortest + (start + i / PROMPT_BOOK_DOMAINS % l->span * l->step) % l->span;
}

static size_t domain_of(uint64_t seed, size_t i)
{
    uint32_t turn[PROMPT_BOOK_DOMAINS];
    struct random_stream r = random_open(seed, STREAM_TURNS, i / PROMPT_BOOK_DOMAINS, 0);
    random_order(&r, PROMPT_BOOK_DOMAINS, turn);
    return turn[i % PROMPT_BOOK_DOMAINS];
}

/* The place of `hash` in the table, or the free one where it belongs. */
static uint64_t *place(uint64_t *table, size_t capacity, uint64_t hash)
{
    size_t i = (size_t)hash & (capacity - 1);
    while (table[i] != 0 && table[i] != hash)
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static uint64_t hash_of(const char *text, size_t length)
{
    const uint64_t hash = XXH3_64bits(text, length);
    return hash != 0 ? hash : 1;
}

static enum status make_space(struct prompt_maker *m, struct error *e)
{
    uint64_t *larger;
    if (2 * (m->made + 1) < m->capacity)
        return STATUS_OK;
    const size_t capacity = m->capacity > 0 ? 2 * m->capacity : 1024;
    enum status s = memory_array(&larger, capacity, sizeof *larger, "hashes of prompts", e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < m->capacity; i++)
        if (m->seen[i] != 0)
            *place(larger, capacity, m->seen[i]) = m->seen[i];
    memory_free(m->seen);
    m->seen = larger;
    m->capacity = capacity;
    return STATUS_OK;
}

enum status prompt_maker_open(struct prompt_maker **maker, const struct tokenizer *tokenizer, size_t context,
                              uint64_t seed, struct error *e)
{
    enum status s = memory_array(maker, 1, sizeof **maker, "the prompt maker", e);
    if (s != STATUS_OK)
        return s;
    struct prompt_maker *m = *maker;
    m->seed = seed;
    m->lengths = lengths_for(context > 0 ? context : 1);
    s = prompt_book_open(&m->book, e);
    if (s == STATUS_OK)
        s = prompt_draft_open(&m->draft, &m->book, tokenizer, e);
    if (s != STATUS_OK) {
        prompt_maker_close(m);
        *maker = NULL;
    }
    return s;
}

void prompt_maker_close(struct prompt_maker *maker)
{
    if (maker == NULL)
        return;
    prompt_draft_close(&maker->draft);
    prompt_book_close(&maker->book);
    memory_free(maker->seen);
    memory_free(maker);
}

static enum status none_left(const struct prompt_maker *m, struct error *e)
{
    error_set(e, STATUS_INPUT, "no more than %zu different prompts of at most %zu tokens could be made", m->made,
              m->lengths.shortest + m->lengths.span - 1);
    return error_advice(e, "give --prompts FILE, or ask for fewer with --num-prompts");
}

static size_t apart(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* One try: keeps the draft in `best` when it is allowed, new, and closer to `target`. */
static enum status try_once(struct prompt_maker *m, size_t domain, size_t target, struct prompt_maker_prompt *best,
                            struct error *e)
{
    struct prompt_draft *d = &m->draft;
    size_t tokens;
    prompt_draft_start(d, target);
    enum status s = domains[domain].compose(d, e);
    if (s == STATUS_OK)
        s = prompt_draft_tokens(d, d->text, d->length, &tokens, e);
    if (s != STATUS_OK || tokens < m->lengths.shortest || tokens >= m->lengths.shortest + m->lengths.span ||
        d->length == 0 || (best->tokens > 0 && apart(tokens, target) >= apart(best->tokens, target)))
        return s;
    const uint64_t hash = hash_of(d->text, d->length);
    if (*place(m->seen, m->capacity, hash) == hash)
        return s;
    memcpy(m->text, d->text, d->length + 1);
    *best = (struct prompt_maker_prompt){m->text, d->length, domains[domain].name, tokens};
    return s;
}

/* The best of several tries; none found: prompt->tokens is 0. */
static enum status make(struct prompt_maker *m, size_t domain, size_t target, struct prompt_maker_prompt *prompt,
                        struct error *e)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < LAST_TRIES && s == STATUS_OK; i++) {
        s = try_once(m, domain, target, prompt, e);
        if (prompt->tokens > 0 && (i + 1 >= TRIES || apart(prompt->tokens, target) <= 2 + target / 32))
            break;
    }
    m->barren[domain] = prompt->tokens == 0;
    return s;
}

enum status prompt_maker_next(struct prompt_maker *m, struct prompt_maker_prompt *prompt, struct error *e)
{
    const size_t first = domain_of(m->seed, m->made);
    const size_t order[] = {first, PROMPT_BOOK_SUMS, PROMPT_BOOK_FACTS, PROMPT_BOOK_STORIES};
    const size_t target = target_of(&m->lengths, m->seed, first, m->made);
    enum status s = make_space(m, e);
    *prompt = (struct prompt_maker_prompt){.text = NULL};
    m->draft.random = random_open(m->seed, STREAM_TEXTS, m->made, 0);
    for (size_t i = 0; i < sizeof order / sizeof *order && s == STATUS_OK && prompt->tokens == 0; i++)
        if (!m->barren[order[i]])
            s = make(m, order[i], target, prompt, e);
    if (s != STATUS_OK)
        return s;
    if (prompt->tokens == 0)
        return none_left(m, e);
    const uint64_t hash = hash_of(prompt->text, prompt->length);
    *place(m->seen, m->capacity, hash) = hash;
    m->made++;
    return STATUS_OK;
}

/* The bytes of a prompt file while they grow. */
struct file {
    char *bytes;
    size_t size, capacity;
};

static enum status add_line(struct file *f, const char *text, size_t length, struct error *e)
{
    enum status s = memory_grow(&f->bytes, &f->capacity, f->size + length + 1, 1, "made prompts", e);
    if (s != STATUS_OK)
        return s;
    memcpy(f->bytes + f->size, text, length);
    f->size += length;
    f->bytes[f->size++] = '\n';
    return STATUS_OK;
}

static enum status make_texts(const struct tokenizer *tokenizer, size_t context, uint64_t seed, size_t count,
                              struct file *f, struct error *e)
{
    struct prompt_maker *m;
    enum status s = prompt_maker_open(&m, tokenizer, context, seed, e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        struct prompt_maker_prompt prompt;
        s = prompt_maker_next(m, &prompt, e);
        if (s == STATUS_OK)
            s = add_line(f, prompt.text, prompt.length, e);
    }
    prompt_maker_close(m);
    return s;
}

static enum status make_ids(size_t vocabulary, size_t context, uint64_t seed, size_t count, struct file *f,
                            struct error *e)
{
    const struct lengths lengths = lengths_for(context > 0 ? context : 1);
    enum status s = STATUS_OK;
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        struct random_stream r = random_open(seed, STREAM_TEXTS, i, 0);
        const size_t n = target_of(&lengths, seed, domain_of(seed, i), i);
        char line[PROMPT_MAKER_LONGEST * 21];
        size_t used = 0;
        for (size_t k = 0; k < n; k++)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%" PRIu64, k > 0 ? " " : "",
                                     random_below(&r, vocabulary));
        s = add_line(f, line, used, e);
    }
    return s;
}

enum status prompt_maker_file(const struct tokenizer *tokenizer, size_t vocabulary, size_t context, uint64_t seed,
                              size_t count, char **bytes, size_t *size, struct error *e)
{
    struct file f = {NULL, 0, 0};
    enum status s = tokenizer != NULL ? make_texts(tokenizer, context, seed, count, &f, e)
                                      : make_ids(vocabulary, context, seed, count, &f, e);
    if (s != STATUS_OK) {
        memory_free(f.bytes);
        f = (struct file){NULL, 0, 0};
    }
    *bytes = f.bytes;
    *size = f.size;
    return s;
}
