/* hf_tokens.c - see hf_tokens.h. */
#include "hf_tokens.h"

#include <string.h>

#include "../base/memory.h"
#include "hf_json.h"

#define KEY(name) "tokenizer.ggml." name

void hf_tokens_free(struct hf_tokens *t)
{
    memory_free(t->tokens);
    memset(t, 0, sizeof *t);
}

void hf_tokens_refuse(struct hf_tokens *t, struct made_keys *k, const char *sentence)
{
    if (!t->refused)
        made_keys_text(k, "phi3sat.tokenizer_refused", sentence, strlen(sentence));
    t->refused = true;
}

enum status hf_tokens_place(struct hf_tokens *t, uint64_t id, uint64_t most, const struct mapping *map, struct json_value at,
                            struct hf_token **token, struct error *e)
{
    if (id > most) {
        hf_json_refuse(map, at, "tokens", "the id of a token is far beyond the number of tokens", e);
        return error_advice(e, "the file is damaged; download it again");
    }
    if (id >= t->count) {
        const enum status s = id < t->capacity ? STATUS_OK
                                               : memory_grow(&t->tokens, &t->capacity, (size_t)id + 1, sizeof *t->tokens, "tokens", e);
        if (s != STATUS_OK)
            return s;
        t->count = (size_t)id + 1;
    }
    *token = &t->tokens[id];
    return STATUS_OK;
}

/* Whether both spell the same. */
static enum status same_text(const struct hf_token *a, struct json_value text, bool *same, struct error *e)
{
    char *one = NULL, *other = NULL;
    size_t length = 0, other_length = 0;
    enum status s = hf_json_text(text, &other, &other_length, e);
    if (s == STATUS_OK && a->json)
        s = hf_json_text((struct json_value){a->bytes, a->length}, &one, &length, e);
    if (s == STATUS_OK && !a->json)
        length = a->length;
    *same = s == STATUS_OK && length == other_length && memcmp(a->json ? one : a->bytes, other, length) == 0;
    memory_free(one);
    memory_free(other);
    return s;
}

enum status hf_tokens_add(struct hf_tokens *t, uint64_t id, uint64_t most, const struct mapping *map, struct json_value entry,
                          struct error *e)
{
    struct json_value text, value;
    struct hf_token *token;
    bool on, same = true, special = false;
    enum status s = STATUS_OK;
    if (!hf_json_member(entry, "content", JSON_STRING, &text)) {
        hf_json_refuse(map, entry, "added tokens", "an added token has no text", e);
        return error_advice(e, "the file is damaged; download it again");
    }
    s = hf_tokens_place(t, id, most, map, entry, &token, e);
    if (s == STATUS_OK && token->bytes)
        s = same_text(token, text, &same, e);
    if (s != STATUS_OK)
        return s;
    if (!same) {
        hf_json_refuse(map, entry, "added tokens", "an added token has the id of another token", e);
        return error_advice(e, "the file is damaged; download it again");
    }
    if (!token->bytes)
        *token = (struct hf_token){.bytes = text.bytes, .length = text.length, .json = true};
    if (json_find(entry, "special", &value) && hf_json_bool(value, &on))
        special = on;
    if (token->type != HF_UNKNOWN)
        token->type = special ? HF_CONTROL : HF_USER_DEFINED;
    token->strip = 0;
    if (json_find(entry, "lstrip", &value) && hf_json_bool(value, &on) && on)
        token->strip |= 1;
    if (json_find(entry, "rstrip", &value) && hf_json_bool(value, &on) && on)
        token->strip |= 2;
    return STATUS_OK;
}

enum status hf_tokens_find(const struct hf_tokens *t, struct json_value text, int64_t *id, struct error *e)
{
    enum status s = STATUS_OK;
    bool same;
    *id = -1;
    for (size_t i = 0; i < t->count && *id < 0 && s == STATUS_OK; i++) {
        if (!t->tokens[i].bytes || t->tokens[i].type == HF_NORMAL) /* these are added, or SentencePiece's own */
            continue;
        s = same_text(&t->tokens[i], text, &same, e);
        if (same)
            *id = (int64_t)i;
    }
    for (size_t i = 0; i < t->count && *id < 0 && s == STATUS_OK; i++) {
        const struct hf_token *token = &t->tokens[i];
        if (token->bytes && token->json && token->length == text.length && memcmp(token->bytes, text.bytes, text.length) == 0)
            *id = (int64_t)i;
    }
    return s;
}

static void write_token(struct made_keys *k, const struct hf_token *token)
{
    if (!token->bytes)
        made_keys_add_text(k, "", 0);
    else if (token->json)
        made_keys_add_json(k, (struct json_value){token->bytes, token->length});
    else
        made_keys_add_text(k, token->bytes, token->length);
}

void hf_tokens_write(const struct hf_tokens *t, struct made_keys *k)
{
    bool strips = false;
    if (t->refused)
        return;
    made_keys_array(k, KEY("tokens"), MODEL_FILE_STRING);
    for (size_t i = 0; i < t->count; i++) {
        write_token(k, &t->tokens[i]);
        strips |= t->tokens[i].strip != 0;
    }
    made_keys_array_end(k);
    made_keys_array(k, KEY("token_type"), MODEL_FILE_I32);
    for (size_t i = 0; i < t->count; i++)
        made_keys_add_int(k, t->tokens[i].bytes ? t->tokens[i].type : HF_UNUSED);
    made_keys_array_end(k);
    if (t->scored) {
        made_keys_array(k, KEY("scores"), MODEL_FILE_F64);
        for (size_t i = 0; i < t->count; i++)
            made_keys_add_real(k, t->tokens[i].score);
        made_keys_array_end(k);
    }
    /* Without it the rule by the model's name would be asked. */
    made_keys_array(k, "phi3sat.token_strip", MODEL_FILE_I32);
    for (size_t i = 0; strips && i < t->count; i++)
        made_keys_add_int(k, t->tokens[i].strip);
    made_keys_array_end(k);
    /* An id past the last token is none: a missing key would mean the kind's preset. */
    made_keys_uint(k, KEY("bos_token_id"), t->bos >= 0 ? (uint64_t)t->bos : UINT32_MAX);
    made_keys_uint(k, KEY("eos_token_id"), t->eos >= 0 ? (uint64_t)t->eos : UINT32_MAX);
    made_keys_uint(k, KEY("unknown_token_id"), t->unknown >= 0 ? (uint64_t)t->unknown : UINT32_MAX);
    made_keys_bool(k, KEY("add_bos_token"), t->add_bos && t->bos >= 0);
    made_keys_bool(k, KEY("add_eos_token"), t->add_eos && t->eos >= 0);
}
