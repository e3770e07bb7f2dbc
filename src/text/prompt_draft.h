/* prompt_draft.h - one prompt while it grows, sentence by sentence, towards its target.
 *
 * Flow: book -> composer -> *draft* -> prompt maker. A sentence costs the tokens that it adds
 * behind a full stop and a space. The sum is a close guess (tokens don't cross
 * sentence ends in practice); the maker measures the whole in the end.
 *
 * Most of the time went into costs of sentences that had been asked for before, above all lines of stories that are
 * weighed and not taken: they are remembered.
 */
#ifndef PHI3SAT_TEXT_PROMPT_DRAFT_H
#define PHI3SAT_TEXT_PROMPT_DRAFT_H

#include "prompt_book.h"
#include "tokenizer.h"

enum { PROMPT_DRAFT_BYTES = 32768, PROMPT_DRAFT_COSTS = 1 << 17 };

/* What a sentence costs, by its hash. */
struct prompt_draft_memo {
    uint64_t hash[2]; /* of 128 bits, so that no two sentences share one; 0, 0: none */
    size_t tokens;
};

struct prompt_draft {
    const struct prompt_book *book;
    const struct tokenizer *tokenizer;
    struct random_stream random;
    size_t target; /* tokens wanted, BOS and EOS included   */
    size_t used;   /* tokens so far, BOS and EOS included   */
    size_t length; /* of text                               */
    char text[PROMPT_DRAFT_BYTES];
    size_t full_stop; /* tokens of "."                         */
    size_t around;    /* tokens that stand around any text: BOS, EOS */
    struct token_list ids;
    struct prompt_draft_memo *costs; /* [PROMPT_DRAFT_COSTS], each where its hash says; a later one takes its place */
};

/* `book` and `tokenizer` are borrowed. Freed by prompt_draft_close. */
enum status prompt_draft_open(struct prompt_draft *d, const struct prompt_book *book,
                              const struct tokenizer *tokenizer, struct error *e) ERROR_MUST_USE;
void prompt_draft_close(struct prompt_draft *d);

/* Begins an empty text. */
void prompt_draft_start(struct prompt_draft *d, size_t target);

/* How many tokens `sentence` would add. */
enum status prompt_draft_cost(struct prompt_draft *d, struct grammar_span sentence, size_t *tokens,
                              struct error *e) ERROR_MUST_USE;

/* Tokens left to the target. */
size_t prompt_draft_room(const struct prompt_draft *d);

/* Appends `sentence` behind a space. Dropped when the text is already as long as any prompt may be. */
void prompt_draft_add(struct prompt_draft *d, struct grammar_span sentence, size_t tokens);

/* Appends it if it fits into the room less `reserve`, or (always) if nothing stands there
 * yet and `must`. */
enum status prompt_draft_offer(struct prompt_draft *d, struct grammar_span sentence, size_t reserve, bool must,
                               bool *taken, struct error *e) ERROR_MUST_USE;

/* Puts items[count] in random order. */
void prompt_draft_shuffle(struct prompt_draft *d, size_t *items, size_t count);

/* True with odds 1 in n. */
bool prompt_draft_chance(struct prompt_draft *d, uint64_t n);

/* Tokens of text[length] as profile would run it, BOS and EOS included. */
enum status prompt_draft_tokens(struct prompt_draft *d, const char *text, size_t length, size_t *tokens,
                                struct error *e) ERROR_MUST_USE;

/* The composers: fill a draft that was started. The texts may end up a little longer or shorter
 * than the target. */
enum status prompt_facts_compose(struct prompt_draft *d, struct error *e) ERROR_MUST_USE;
enum status prompt_stories_compose(struct prompt_draft *d, struct error *e) ERROR_MUST_USE;
enum status prompt_sums_compose(struct prompt_draft *d, struct error *e) ERROR_MUST_USE;

#endif
