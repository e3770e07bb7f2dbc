/* vocabulary.h - the tokens of a model file and what the file says about them.
 *
 * The part that both kinds of tokenizer share: texts, kinds of token, special
 * ids and switches. Read once from the untrusted keys, checked, then constant.
 */
#ifndef PHI3SAT_TEXT_VOCABULARY_H
#define PHI3SAT_TEXT_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../formats/model_file.h"
#include "string_table.h"

/* Unigram's texts are those of SentencePiece: spaces are U+2581 there, too. */
enum vocabulary_kind { VOCABULARY_SENTENCEPIECE, VOCABULARY_BYTE_LEVEL, VOCABULARY_UNIGRAM };

/* Where a space is put in front. */
enum vocabulary_prefix {
    VOCABULARY_PREFIX_ALWAYS,  /* of the text and of what follows a special token      */
    VOCABULARY_PREFIX_MISSING, /* the same, unless a space is there                    */
    VOCABULARY_PREFIX_FIRST    /* that, but at the text's start only                   */
};

/* What a token is, from `token_type` and from its text; or-ed. */
enum vocabulary_trait {
    VOCABULARY_NORMAL = 1,
    VOCABULARY_UNKNOWN = 2,
    VOCABULARY_CONTROL = 4,
    VOCABULARY_USER_DEFINED = 8,
    VOCABULARY_UNUSED = 16,
    VOCABULARY_BYTE = 32,
    VOCABULARY_RIGHT_STRIP = 64, /* white space behind it in the text belongs to it */
    VOCABULARY_LEFT_STRIP = 128  /* ... before it */
};

/* Tokens that are looked for in the text before it is cut. */
#define VOCABULARY_SPECIAL (VOCABULARY_UNKNOWN | VOCABULARY_CONTROL | VOCABULARY_USER_DEFINED)

struct vocabulary {
    enum vocabulary_kind kind;
    struct string_table texts; /* string i < count is token i; byte-level adds others behind them */
    size_t count;         /* tokens, 1..INT32_MAX - 1                                        */
    uint8_t *traits;      /* [count] enum vocabulary_trait                                   */
    size_t longest;       /* bytes of the longest token                                      */
    int32_t bos, eos, unknown; /* ids or -1                                                  */
    bool add_bos, add_eos;
    bool add_space_prefix; /* SentencePiece: a space before the text, and after special tokens */
    enum vocabulary_prefix prefix;
    bool split_words;      /* SentencePiece: nothing is joined across a space               */
    bool wide_strip;       /* white space that tokens strip is Unicode's, not ASCII's         */
};

/* Reads `tokenizer.ggml.{model,tokens,token_type,*_token_id,add_*}` of `file`;
 * `add_bos` is the kind's default, which the file's key overrides. STATUS_INPUT as in tokenizer.h.
 * `v` is zeroed by the caller and freed by vocabulary_free, also after a failure. */
enum status vocabulary_read(struct vocabulary *v, const struct model_file *file, bool add_bos,
                            struct error *e) ERROR_MUST_USE;
void vocabulary_free(struct vocabulary *v);

/* The kind that `tokenizer.ggml.model` names; other kinds are refused by name. */
enum status vocabulary_find_kind(const struct model_file *file, enum vocabulary_kind *kind,
                                 struct error *e) ERROR_MUST_USE;

/* Says in an error already set that the value of `key` is to blame: file, key, place and advice. Returns e->status,
 * STATUS_FAILED on NULL. */
enum status vocabulary_blame(const struct model_file *file, const char *key, struct error *e);

/* The token whose text is bytes[length], or -1. */
int32_t vocabulary_find(const struct vocabulary *v, const char *bytes, size_t length);

/* The token "<0x0A>" of byte 10, else the token that is this byte, else -1. */
int32_t vocabulary_byte(const struct vocabulary *v, unsigned char byte);

/* EOS and the tokens that are known by name to end a generation, each once. Returns how many. */
#define VOCABULARY_ENDS 11
size_t vocabulary_ends(const struct vocabulary *v, int32_t ids[VOCABULARY_ENDS]);

#endif
