/* hf_tokens.h - the tokens of a Hugging Face tokenizer, whichever file they come from, and their keys.
 *
 * Keys are GGUF's where it has them. Those it lacks:
 *     phi3sat.tokenizer_refused  a sentence: what is not understood; no other key of the tokenizer is there then
 *     phi3sat.merges             as tokenizer.ggml.merges, for tokenizers that write spaces as U+2581
 *     phi3sat.token_strip        a number a token: 1 it eats the white space (Unicode's) before it, 2 behind it, 3 both
 *     phi3sat.space_prefix       "metaspace": not before a space; "first": that, and at the text's start only
 *     phi3sat.split_words        merging doesn't go across a space
 *     phi3sat.whole_words        a word that is a token is taken as it is
 *     phi3sat.normalizer         "nfc": the text is composed first
 */
#ifndef PHI3SAT_FORMATS_HF_TOKENS_H
#define PHI3SAT_FORMATS_HF_TOKENS_H

#include <stdbool.h>

#include "../base/json.h"
#include "../base/mapping.h"
#include "made_keys.h"

/* One token. Its text is a JSON string, or plain bytes of tokenizer.model. */
struct hf_token {
    const char *bytes;  /* NULL: no token of this id                         */
    size_t length;
    bool json;          /* bytes are a JSON string with its quotes            */
    uint8_t type, strip;
    double score;
};

struct hf_tokens {
    struct hf_token *tokens; /* [count], owned                               */
    size_t count, capacity;
    int64_t bos, eos, unknown; /* -1: none                                   */
    bool add_bos, add_eos;
    bool refused;            /* its kind isn't known: no tokens are written   */
    bool scored;
};

/* How far beyond the number of tokens an id may lie: vocabularies leave some out, up to a round number. More would let a small file
 * take much memory. */
#define HF_TOKENS_GAP 8192

/* Token types as GGUF numbers them. */
enum { HF_NORMAL = 1, HF_UNKNOWN, HF_CONTROL, HF_USER_DEFINED, HF_UNUSED, HF_BYTE };

/* tokenizer.json's `root`, and tokenizer.model with what "added_tokens_decoder" of `config` has beside it (no start:
 * nothing). Keys but the tokens' own are added at once. */
enum status hf_tokens_read_json(struct hf_tokens *t, const struct mapping *map, struct json_value root, struct made_keys *k,
                                struct error *e) ERROR_MUST_USE;
enum status hf_tokens_read_model(struct hf_tokens *t, const struct mapping *map, struct json_value added,
                                 const struct mapping *config, struct made_keys *k, struct error *e) ERROR_MUST_USE;
void hf_tokens_free(struct hf_tokens *t);

/* Makes room for token `id` and returns it; ids beyond `most` are refused (STATUS_INPUT, file `map`, place `at`). */
enum status hf_tokens_place(struct hf_tokens *t, uint64_t id, uint64_t most, const struct mapping *map, struct json_value at,
                            struct hf_token **token, struct error *e) ERROR_MUST_USE;

/* Adds one entry of "added_tokens" or "added_tokens_decoder" as token `id`. */
enum status hf_tokens_add(struct hf_tokens *t, uint64_t id, uint64_t most, const struct mapping *map, struct json_value entry,
                          struct error *e) ERROR_MUST_USE;

/* The id of the token with that text; -1 none. */
enum status hf_tokens_find(const struct hf_tokens *t, struct json_value text, int64_t *id, struct error *e) ERROR_MUST_USE;

/* Adds the key that says why the tokenizer can't be used. */
void hf_tokens_refuse(struct hf_tokens *t, struct made_keys *k, const char *sentence);

/* Writes tokens, types, scores, ids and switches. */
void hf_tokens_write(const struct hf_tokens *t, struct made_keys *k);

#endif
