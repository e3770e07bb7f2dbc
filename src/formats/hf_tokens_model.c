/* hf_tokens_model.c - SentencePiece's tokenizer.model; see hf_tokens.h.
 *
 * A protobuf message: fields as (number << 3 | wire type), each followed by a varint (0), 8 bytes (1), a length and that many
 * bytes (2), or 4 bytes (5).
 *
 *     ModelProto: 1 pieces {1 text, 2 float32 score, 3 type}..., 2 trainer {3 kind, 35 byte fallback, 40 unknown, 41 BOS,
 *     42 EOS}, 3 normaliser {2 map of characters, 3 space in front, 4 extra spaces removed, 5 spaces escaped}
 *
 * Types of pieces are the numbers that GGUF has taken over. This reader knows no more of protobuf than that: unknown
 * fields are passed over, groups (3, 4) are refused, and a length is compared with what remains.
 */
#include "hf_tokens.h"

#include <stdio.h>
#include <string.h>

#include "../base/cursor.h"
#include "hf_json.h"

#define KEY(name) "tokenizer.ggml." name

/* One field. */
struct field {
    uint64_t number, value; /* varint, or bits                            */
    const uint8_t *bytes;   /* [length], wire type 2; else NULL            */
    uint64_t length;
};

static enum status damaged(const struct cursor *c, struct error *e)
{
    error_set(e, STATUS_INPUT, "is no SentencePiece model that can be read");
    error_advice(e, "the file is damaged; download it again");
    return error_position(e, (int64_t)c->position);
}

static enum status read_varint(struct cursor *c, uint64_t *value, struct error *e)
{
    uint8_t byte = 0x80;
    *value = 0;
    for (unsigned shift = 0; byte & 0x80; shift += 7) {
        enum status s = shift < 64 ? cursor_u8(c, &byte, "a number", e) : damaged(c, e);
        if (s != STATUS_OK)
            return s;
        *value |= (uint64_t)(byte & 0x7F) << shift;
    }
    return STATUS_OK;
}

static enum status next_field(struct cursor *c, struct field *f, struct error *e)
{
    uint64_t tag = 0;
    uint32_t narrow = 0;
    *f = (struct field){0};
    enum status s = read_varint(c, &tag, e);
    if (s != STATUS_OK)
        return s;
    f->number = tag >> 3;
    if (f->number == 0) /* there is no such field; zeros, as a hole in a file has them, would be walked to its end */
        return damaged(c, e);
    switch (tag & 7) {
    case 0:
        return read_varint(c, &f->value, e);
    case 1:
        return cursor_u64(c, &f->value, "a number", e);
    case 2:
        s = read_varint(c, &f->length, e);
        return s == STATUS_OK ? cursor_take(c, f->length, 1, &f->bytes, "a field", e) : s;
    case 5:
        s = cursor_u32(c, &narrow, "a number", e);
        f->value = narrow;
        return s;
    default:
        return damaged(c, e);
    }
}

/* A cursor over the inside of `f`, at its place in the file. */
static struct cursor inside(const struct cursor *c, const struct field *f)
{
    struct cursor inner = *c;
    inner.position = (size_t)(f->bytes - c->bytes);
    inner.size = inner.position + (size_t)f->length;
    return inner;
}

static enum status read_piece(struct hf_tokens *t, const struct mapping *map, const struct cursor *c, const struct field *f,
                              struct error *e)
{
    struct cursor in = inside(c, f);
    struct hf_token piece = {.bytes = "", .type = HF_NORMAL}, *token;
    struct field part;
    enum status s = STATUS_OK;
    while (in.position < in.size && s == STATUS_OK) {
        s = next_field(&in, &part, e);
        if (s != STATUS_OK)
            break;
        if (part.number == 1 && part.bytes) {
            piece.bytes = (const char *)part.bytes;
            piece.length = (size_t)part.length;
        } else if (part.number == 2) {
            const uint32_t bits = (uint32_t)part.value;
            float score;
            memcpy(&score, &bits, sizeof score);
            piece.score = (double)score;
        } else if (part.number == 3) {
            piece.type = part.value >= HF_NORMAL && part.value <= HF_BYTE ? (uint8_t)part.value : HF_NORMAL;
        }
    }
    if (s == STATUS_OK) /* a piece takes 2 bytes, so that the file bounds their number */
        s = hf_tokens_place(t, t->count, INT32_MAX, map, (struct json_value){0}, &token, e);
    if (s == STATUS_OK)
        *token = piece;
    return s;
}

/* Numbers of the trainer and the normaliser, by field. */
static enum status read_numbers(const struct cursor *c, const struct field *f, uint64_t *numbers, uint64_t count, uint64_t *longest,
                                struct error *e)
{
    struct cursor in = inside(c, f);
    struct field part;
    enum status s = STATUS_OK;
    while (in.position < in.size && s == STATUS_OK) {
        s = next_field(&in, &part, e);
        if (s == STATUS_OK && part.number < count && !part.bytes)
            numbers[part.number] = part.value;
        if (s == STATUS_OK && part.number == 2 && part.bytes)
            *longest = part.length;
    }
    return s;
}

enum { TRAINER_KIND = 3, TRAINER_UNKNOWN = 40, TRAINER_BOS = 41, TRAINER_EOS = 42, TRAINER_FIELDS = 43 };
enum { NORMAL_PREFIX = 3, NORMAL_TRIMS = 4, NORMAL_ESCAPES = 5, NORMAL_FIELDS = 6 };
enum { KIND_UNIGRAM = 1, KIND_BPE = 2 };

static int64_t id_of(const struct hf_tokens *t, uint64_t id)
{
    return id < t->count ? (int64_t)id : -1; /* -1 is written as 64 bits of ones */
}

static enum status add_others(struct hf_tokens *t, struct json_value added, const struct mapping *config, struct error *e)
{
    struct json_value key, entry;
    enum status s = STATUS_OK;
    if (!added.bytes)
        return STATUS_OK;
    const uint64_t most = t->count + hf_json_count(added) + HF_TOKENS_GAP;
    struct json_walk walk = json_begin(added);
    while (s == STATUS_OK && json_next(&walk, &key, &entry)) {
        uint64_t id;
        if (key.length < 3 || !hf_json_uint((struct json_value){key.bytes + 1, key.length - 2}, &id)) {
            hf_json_refuse(config, key, "added_tokens_decoder", "the id of an added token is no whole number", e);
            return error_advice(e, "the file is damaged; download it again");
        }
        s = hf_tokens_add(t, id, most, config, entry, e);
    }
    return s;
}

static void write_kind(struct hf_tokens *t, struct made_keys *k, const uint64_t *trainer, const uint64_t *normal, uint64_t map)
{
    const bool unigram = trainer[TRAINER_KIND] == KIND_UNIGRAM;
    if (!unigram && trainer[TRAINER_KIND] != KIND_BPE)
        hf_tokens_refuse(t, k, "tokenizer.model is of a kind that phi3sat doesn't know (BPE and Unigram are)");
    else if (map)
        hf_tokens_refuse(t, k, "tokenizer.model maps characters before it cuts (its normaliser has a table), which phi3sat doesn't do");
    else if (normal[NORMAL_TRIMS])
        hf_tokens_refuse(t, k, "tokenizer.model removes extra spaces before it cuts, which phi3sat doesn't do");
    else if (!normal[NORMAL_ESCAPES])
        hf_tokens_refuse(t, k, "tokenizer.model keeps spaces as they are, which phi3sat doesn't do");
    if (t->refused)
        return;
    made_keys_text(k, KEY("model"), unigram ? "unigram" : "llama", unigram ? 7 : 5);
    made_keys_bool(k, KEY("add_space_prefix"), normal[NORMAL_PREFIX] != 0);
}

enum status hf_tokens_read_model(struct hf_tokens *t, const struct mapping *map, struct json_value added,
                                 const struct mapping *config, struct made_keys *k, struct error *e)
{
    struct cursor c = cursor_over(map->bytes, map->size);
    uint64_t trainer[TRAINER_FIELDS] = {[TRAINER_KIND] = KIND_UNIGRAM, [TRAINER_BOS] = 1, [TRAINER_EOS] = 2};
    uint64_t normal[NORMAL_FIELDS] = {[NORMAL_PREFIX] = 1, [NORMAL_TRIMS] = 1, [NORMAL_ESCAPES] = 1};
    uint64_t characters = 0, ignored = 0;
    struct field f;
    enum status s = STATUS_OK;
    while (c.position < c.size && s == STATUS_OK) {
        s = next_field(&c, &f, e);
        if (s != STATUS_OK || !f.bytes)
            continue;
        if (f.number == 1)
            s = read_piece(t, map, &c, &f, e);
        else if (f.number == 2)
            s = read_numbers(&c, &f, trainer, TRAINER_FIELDS, &ignored, e);
        else if (f.number == 3)
            s = read_numbers(&c, &f, normal, NORMAL_FIELDS, &characters, e);
    }
    if (s == STATUS_OK && t->count == 0)
        s = damaged(&c, e);
    if (s != STATUS_OK)
        return error_file(e, map->path);
    t->scored = true;
    t->unknown = id_of(t, trainer[TRAINER_UNKNOWN]);
    t->bos = id_of(t, trainer[TRAINER_BOS]);
    t->eos = id_of(t, trainer[TRAINER_EOS]);
    t->add_bos = true;
    write_kind(t, k, trainer, normal, characters);
    return t->refused ? STATUS_OK : add_others(t, added, config, e);
}
