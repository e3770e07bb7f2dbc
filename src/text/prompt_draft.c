/* prompt_draft.c - see prompt_draft.h. */
#include "prompt_draft.h"

#include <string.h>

#include <xxhash.h>

#include "../base/memory.h"

static enum status count(struct prompt_draft *d, const char *text, size_t length, unsigned flags, size_t *tokens,
                         struct error *e)
{
    d->ids.count = 0;
    enum status s = tokenizer_encode(d->tokenizer, text, length, flags, &d->ids, NULL, e);
    *tokens = d->ids.count;
    return s;
}

enum status prompt_draft_open(struct prompt_draft *d, const struct prompt_book *book,
                              const struct tokenizer *tokenizer, struct error *e)
{
    memset(d, 0, sizeof *d);
    d->book = book;
    d->tokenizer = tokenizer;
    size_t whole = 0;
    enum status s = count(d, ".", 1, TOKENIZER_PLAIN, &d->full_stop, e);
    if (s == STATUS_OK)
        s = count(d, ".", 1, TOKENIZER_ADD_SPECIAL, &whole, e);
    d->around = whole - d->full_stop;
    return s == STATUS_OK ? memory_array(&d->costs, PROMPT_DRAFT_COSTS, sizeof *d->costs, "costs of sentences", e) : s;
}

void prompt_draft_close(struct prompt_draft *d)
{
    token_list_free(&d->ids);
    memory_free(d->costs);
    memset(d, 0, sizeof *d);
}

void prompt_draft_start(struct prompt_draft *d, size_t target)
{
    d->target = target;
    d->used = d->around;
    d->length = 0;
    d->text[0] = '\0';
}

enum status prompt_draft_cost(struct prompt_draft *d, struct grammar_span sentence, size_t *tokens, struct error *e)
{
    char text[GRAMMAR_TEXT + 2] = ". ";
    const size_t length = sentence.length < GRAMMAR_TEXT ? sentence.length : GRAMMAR_TEXT;
    const XXH128_hash_t hash = XXH3_128bits(sentence.text, length);
    struct prompt_draft_memo *memo = &d->costs[hash.low64 % PROMPT_DRAFT_COSTS];
    if (memo->hash[0] == hash.low64 && memo->hash[1] == hash.high64) {
        *tokens = memo->tokens;
        return STATUS_OK;
    }
    memcpy(text + 2, sentence.text, length);
    enum status s = count(d, text, length + 2, TOKENIZER_PLAIN, tokens, e);
    *tokens = *tokens > d->full_stop ? *tokens - d->full_stop : 1;
    if (s == STATUS_OK)
        *memo = (struct prompt_draft_memo){{hash.low64, hash.high64}, *tokens};
    return s;
}

size_t prompt_draft_room(const struct prompt_draft *d)
{
    return d->target > d->used ? d->target - d->used : 0;
}

void prompt_draft_add(struct prompt_draft *d, struct grammar_span sentence, size_t tokens)
{
    if (sentence.length == 0 || sentence.length + 2 > sizeof d->text - d->length)
        return;
    if (d->length > 0)
        d->text[d->length++] = ' ';
    memcpy(d->text + d->length, sentence.text, sentence.length);
    d->length += sentence.length;
    d->text[d->length] = '\0';
    d->used += tokens;
}

enum status prompt_draft_offer(struct prompt_draft *d, struct grammar_span sentence, size_t reserve, bool must,
                               bool *taken, struct error *e)
{
    size_t tokens;
    enum status s = prompt_draft_cost(d, sentence, &tokens, e);
    *taken = s == STATUS_OK && ((must && d->length == 0) || tokens + reserve <= prompt_draft_room(d));
    if (*taken)
        prompt_draft_add(d, sentence, tokens);
    return s;
}

void prompt_draft_shuffle(struct prompt_draft *d, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t other = (size_t)random_below(&d->random, i), kept = items[i - 1];
        items[i - 1] = items[other];
        items[other] = kept;
    }
}

bool prompt_draft_chance(struct prompt_draft *d, uint64_t n)
{
    return random_below(&d->random, n) == 0;
}

enum status prompt_draft_tokens(struct prompt_draft *d, const char *text, size_t length, size_t *tokens,
                                struct error *e)
{
    return count(d, text, length, TOKENIZER_ADD_SPECIAL | TOKENIZER_PARSE_SPECIAL, tokens, e);
}
