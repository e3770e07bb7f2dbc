/* bytelevel.h - the "gpt2" tokenizer: BPE over bytes written as letters. */
#ifndef PHI3SAT_TEXT_BYTELEVEL_H
#define PHI3SAT_TEXT_BYTELEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../formats/model_file.h"
#include "merges.h"
#include "pair_merge.h"
#include "pretokenize.h"
#include "token_list.h"
#include "vocabulary.h"

/* Read-only once built. */
struct bytelevel {
    const struct vocabulary *vocabulary; /* borrowed                                          */
    struct pretokenize *words;           /* owned                                             */
    bool whole_words;                    /* a word that is a token is taken as it is          */
    int32_t bytes[256];                  /* string of each byte's letter                      */
    bool compose;                        /* text is composed first (NFC)                      */
    struct merges merges;
};

/* Reads `tokenizer.ggml.merges` of `file`. `words` is taken over, also on failure. The strings of
 * `v` grow by what the merges add. `b` is zeroed by the caller and freed by bytelevel_free, also after
 * a failure. STATUS_INPUT: no merges, or one that is not two parts. */
enum status bytelevel_build(struct bytelevel *b, struct vocabulary *v, struct pretokenize *words, bool whole_words,
                            const struct model_file *file, struct error *e) ERROR_MUST_USE;
void bytelevel_free(struct bytelevel *b);

/* Appends the ids of text[length], without special tokens, to `out`; malformed
 * UTF-8 becomes U+FFFD, one a byte. *unknown grows by the bytes that have no token. `m`: work space. */
enum status bytelevel_encode(const struct bytelevel *b, const char *text, size_t length, struct pair_merge *m,
                             struct token_list *out, uint64_t *unknown, struct error *e) ERROR_MUST_USE;

/* Turns the letters of a token's text back into bytes, in place of text[length] (the
 * result is never longer); what is no byte's letter stays as it is. Returns the new length. */
size_t bytelevel_decode(char *text, size_t length);

#endif
