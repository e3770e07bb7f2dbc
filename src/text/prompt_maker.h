/* prompt_maker.h - prompts of phi3sat's own making, for runs without a prompt file.
 *
 * Flow: seed, tokenizer -> *prompt maker* -> prompts. English texts of three domains,
 * put together from the facts, stories and sums of data/, each 10 to 512 tokens of the model at
 * hand. Domains take turns (each group of three prompts has all of them, in random order); within a
 * domain, lengths follow a golden-ratio sequence over the range, so that any number of prompts is
 * spread evenly. No two are alike. Prompt i depends on the seed, the tokenizer and the prompts before
 * it only: the first 50 of 100 are the 50 that would be made alone. Whole numbers throughout,
 * so the same prompts come out on every machine. Where a context is so short that a domain has nothing
 * (more) to say in it, another one stands in, sums first.
 */
#ifndef PHI3SAT_TEXT_PROMPT_MAKER_H
#define PHI3SAT_TEXT_PROMPT_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "tokenizer.h"

#define PROMPT_MAKER_SHORTEST 10
#define PROMPT_MAKER_LONGEST 512
#define PROMPT_MAKER_COUNT 100 /* made when nobody says how many  */
#define PROMPT_MAKER_SEED 1    /* taken when nobody says which    */

struct prompt_maker; /* not thread-safe */

/* One prompt. */
struct prompt_maker_prompt {
    const char *text;   /* [length] and a NUL, one line; the maker's until the next call */
    size_t length;
    const char *domain; /* "factual", "narrative", "mathematical"                     */
    size_t tokens;      /* as the tokenizer counts them, BOS and EOS included            */
};

/* `context`: the longest prompt that the model takes, in tokens (at least 1; more than 512 is
 * as good as 512). `tokenizer` is borrowed. STATUS_INPUT: the context is too short for any prompt. */
enum status prompt_maker_open(struct prompt_maker **maker, const struct tokenizer *tokenizer, size_t context,
                              uint64_t seed, struct error *e) ERROR_MUST_USE;
void prompt_maker_close(struct prompt_maker *maker);

/* Makes the next prompt. STATUS_INPUT: no further one differs from all before that fits the
 * context (not with 512 tokens and any number of prompts people run). */
enum status prompt_maker_next(struct prompt_maker *maker, struct prompt_maker_prompt *prompt,
                              struct error *e) ERROR_MUST_USE;

/* `count` prompts, a line each, as the bytes of a prompt file: *bytes is freed by the caller with
 * memory_free. Without a tokenizer (NULL) lines of random token ids below `vocabulary` instead, as
 * --tokens takes them, with the same lengths. */
enum status prompt_maker_file(const struct tokenizer *tokenizer, size_t vocabulary, size_t context, uint64_t seed,
                              size_t count, char **bytes, size_t *size, struct error *e) ERROR_MUST_USE;

#endif
