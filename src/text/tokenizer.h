/* tokenizer.h - text to token ids with the tokenizer that a model file holds.
 *
 * Flow: prompts -> *tokenizer* -> forward pass. Two kinds are read from a GGUF's
 * `tokenizer.ggml.*` keys: "llama" (SentencePiece BPE with scores and byte
 * fallback) and "gpt2" (byte-level BPE with merges); a folder's "unigram" is a third. Token ids are llama.cpp's,
 * except that a BOS token is never written twice.
 */
#ifndef PHI3SAT_TEXT_TOKENIZER_H
#define PHI3SAT_TEXT_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../formats/model_file.h"
#include "token_list.h"

#define TOKENIZER_NO_TOKEN (-1)

struct tokenizer; /* opaque; read-only once open, so any number of threads may use it */

/* What to do beside cutting the text: or-ed together. */
enum tokenizer_flags {
    TOKENIZER_PLAIN = 0,
    TOKENIZER_ADD_SPECIAL = 1,  /* BOS in front and EOS behind where the file asks for them  */
    TOKENIZER_PARSE_SPECIAL = 2 /* control tokens written out in the text are those tokens    */
};

/* What was odd about the texts; each call adds to it. */
struct tokenizer_counts {
    uint64_t malformed;  /* malformed UTF-8 sequences, tokenised byte for byte or as U+FFFD  */
    uint64_t unknown;    /* bytes the vocabulary has no token for: SentencePiece's unknown token
                            stands for them, byte-level BPE leaves them out                  */
    uint64_t double_bos; /* texts that began with the BOS token where BOS is added: one kept   */
};

/* Reads the tokenizer of `file`. STATUS_INPUT: there is none, its kind or its
 * pre-tokeniser is not known, a key or array is missing, malformed or of another
 * length than the vocabulary; STATUS_FAILED: memory. *tokenizer is NULL on failure, else
 * closed by tokenizer_close (NULL allowed). `file` may be closed before it. */
enum status tokenizer_open(struct tokenizer **tokenizer, const struct model_file *file,
                           struct error *e) ERROR_MUST_USE;
void tokenizer_close(struct tokenizer *tokenizer);

/* Whether `file` holds a tokenizer at all (key tokenizer.ggml.model, and not
 * "none" or "no_vocab"). */
bool tokenizer_present(const struct model_file *file);

/* Appends the ids of bytes[length] (any bytes, NUL too; may be empty) to `out`.
 * `flags`: enum tokenizer_flags. `counts` may be NULL. On failure (memory, or a
 * text of 2 GiB and more) `out` keeps what it held before the call. Thread-safe for
 * distinct `out` and `counts`. Time grows as n log n at worst. */
enum status tokenizer_encode(const struct tokenizer *tokenizer, const char *bytes, size_t length, unsigned flags,
                             struct token_list *out, struct tokenizer_counts *counts,
                             struct error *e) ERROR_MUST_USE;

/* The bytes that token `id` stands for (space for U+2581, one byte for <0x0A>,
 * byte-level letters undone; control tokens as their names), as a fresh
 * NUL-terminated string of *length bytes; the caller frees it with memory_free.
 * STATUS_USAGE when there is no such id. */
enum status tokenizer_piece(const struct tokenizer *tokenizer, int32_t id, char **piece, size_t *length,
                            struct error *e) ERROR_MUST_USE;

size_t tokenizer_vocabulary_size(const struct tokenizer *tokenizer);
int32_t tokenizer_bos(const struct tokenizer *tokenizer); /* TOKENIZER_NO_TOKEN when there is none */
int32_t tokenizer_eos(const struct tokenizer *tokenizer);
/* Tokens that end a generation, at most TOKENIZER_ENDS: EOS, and those that are known by name to end a turn ("<|end|>",
 * "<|eot_id|>"). Returns how many. */
#define TOKENIZER_ENDS 11
size_t tokenizer_ends(const struct tokenizer *tokenizer, int32_t ids[TOKENIZER_ENDS]);
bool tokenizer_adds_bos(const struct tokenizer *tokenizer); /* with TOKENIZER_ADD_SPECIAL */
bool tokenizer_adds_eos(const struct tokenizer *tokenizer);

/* The id of the token whose text is exactly bytes[length] ("<|end|>"), or
 * TOKENIZER_NO_TOKEN. */
int32_t tokenizer_find(const struct tokenizer *tokenizer, const char *bytes, size_t length);

/* "SentencePiece, 32064 tokens" or "byte-level BPE (smollm), 49152 tokens"; lives as long as the
 * tokenizer. */
const char *tokenizer_description(const struct tokenizer *tokenizer);

/* A sentence the user should know ("the file names no pre-tokeniser; ..."), or
 * NULL. Lives as long as the tokenizer. */
const char *tokenizer_note(const struct tokenizer *tokenizer);

#endif
