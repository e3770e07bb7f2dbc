/* unigram.h - the Unigram tokenizer: of all ways to cut a text into tokens the likeliest. */
#ifndef PHI3SAT_TEXT_UNIGRAM_H
#define PHI3SAT_TEXT_UNIGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../formats/model_file.h"
#include "token_list.h"
#include "vocabulary.h"

/* Read-only once built. */
struct unigram {
    const struct vocabulary *vocabulary; /* borrowed                                        */
    double *scores;                      /* [tokens] logarithms of probabilities             */
    double unknown;                      /* of a character that is no token                 */
    bool fallback;                       /* there is a token for every byte                  */
};

/* Reads `tokenizer.ggml.scores` of `file`. `u` is zeroed by the caller and freed by unigram_free, also after a failure.
 * STATUS_INPUT: no scores, or one that is not finite. */
enum status unigram_build(struct unigram *u, const struct vocabulary *v, const struct model_file *file,
                          struct error *e) ERROR_MUST_USE;
void unigram_free(struct unigram *u);

/* Appends the ids of text[length], without special tokens, to `out`; `prefix`: with a space in front. *unknown grows by
 * the bytes that have no token. */
enum status unigram_encode(const struct unigram *u, const char *text, size_t length, bool prefix, struct token_list *out,
                           uint64_t *unknown, struct error *e) ERROR_MUST_USE;

#endif
