/* sentencepiece.h - the "llama" tokenizer: SentencePiece BPE with byte fallback. */
#ifndef PHI3SAT_TEXT_SENTENCEPIECE_H
#define PHI3SAT_TEXT_SENTENCEPIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../formats/model_file.h"
#include "merges.h"
#include "pair_merge.h"
#include "token_list.h"
#include "vocabulary.h"

/* Read-only once built. */
struct sentencepiece {
    const struct vocabulary *vocabulary; /* borrowed                                               */
    bool listed;                         /* joined by a list of merges, not by scores               */
    struct merges merges;
    uint32_t *ranks;                     /* [tokens] 0 = highest score; equal scores, equal ranks  */
    uint64_t *pairs;                     /* [pair_slots] neighbouring characters that occur inside a
                                            token, as a hash set; 0 = free                         */
    size_t pair_slots;                   /* a power of two                                         */
    size_t pair_count;
};

/* Reads `phi3sat.merges`, whose strings are added to those of `v`, or else `tokenizer.ggml.scores` (all 0 without it; NaN
 * is refused). `s` is zeroed by the caller and freed by sentencepiece_free, also after a failure. */
enum status sentencepiece_build(struct sentencepiece *s, struct vocabulary *v, const struct model_file *file,
                                struct error *e) ERROR_MUST_USE;
void sentencepiece_free(struct sentencepiece *s);

/* Appends the ids of text[length], without special tokens, to `out`; `prefix`: with a
 * space in front. *unknown grows by the bytes that have no token. `m`: work space. */
enum status sentencepiece_encode(const struct sentencepiece *s, const char *text, size_t length, bool prefix,
                                 struct pair_merge *m, struct token_list *out, uint64_t *unknown,
                                 struct error *e) ERROR_MUST_USE;

#endif
