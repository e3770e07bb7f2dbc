/* gguf_mutate.c - see gguf_mutate.h. */
#include "gguf_mutate.h"

#include <string.h>

#include "fuzz.h"

#define MOST_FIELDS 8192
#define MOST_ENTRIES 1024
#define LARGEST_ENTRY 65536

enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64, TYPES };

enum field_kind { COUNT, LENGTH, KEY_TYPE, VALUE, REAL, ELEMENTS, DIMENSIONS, DIMENSION, TENSOR_TYPE, OFFSET, KINDS };

struct field {
    size_t at;
    uint8_t width;
    enum field_kind kind;
};

struct entry {
    size_t from, to;
    bool tensor;
};

/* What a walk found. */
static struct {
    const uint8_t *data;
    size_t size, at;
    bool big_endian, whole, unseen; /* unseen: fields are passed over */
    struct field field[MOST_FIELDS];
    size_t fields;
    struct entry entry[MOST_ENTRIES];
    size_t entries;
} walk;

static const size_t widths[TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/* Words that mean something to a reader. */
static const char *const words[] = {
    "general.architecture", "general.alignment", "general.name", "phi3", "llama", "qwen2", "qwen3", "gemma", "phi3.block_count",
    "llama.block_count", "phi3.embedding_length", "llama.embedding_length", "llama.attention.head_count", "phi3.attention.head_count",
    "llama.attention.head_count_kv", "llama.attention.key_length", "llama.attention.value_length", "llama.feed_forward_length",
    "llama.context_length", "llama.rope.dimension_count", "llama.rope.freq_base", "llama.rope.scaling.type", "llama.rope.scaling.factor",
    "llama.rope.scaling.original_context_length", "llama.rope.scaling.attn_factor", "phi3.attention.sliding_window",
    "llama.attention.layer_norm_rms_epsilon", "llama.expert_count", "llama.logit_scale", "split.no", "split.count", "split.tensors.count",
    "yarn", "linear", "longrope", "tokenizer.ggml.model", "gpt2", "bert", "unigram", "none", "tokenizer.ggml.pre", "default", "gpt-4o",
    "tokenizer.ggml.tokens", "tokenizer.ggml.scores", "tokenizer.ggml.token_type", "tokenizer.ggml.merges", "tokenizer.ggml.bos_token_id",
    "tokenizer.ggml.eos_token_id", "tokenizer.ggml.unknown_token_id", "tokenizer.ggml.add_bos_token", "tokenizer.ggml.add_space_prefix",
    "tokenizer.chat_template", "phi3sat.merges", "phi3sat.space_prefix", "phi3sat.token_strip", "phi3sat.normalizer", "nfc", "<0x0A>", "<unk>", "<s>",
    "token_embd.weight", "output.weight", "output_norm.weight", "blk.0.attn_q.weight", "blk.0.attn_qkv.weight", "blk.0.ffn_up.weight",
    "blk.1.ffn_up.weight", "blk.0.attn_q.bias", "rope_factors_long.weight", "rope_factors_short.weight", "rope_freqs.weight"};
#define WORDS (sizeof words / sizeof *words)

struct gguf_image gguf_image_of(const uint8_t *data, size_t size)
{
    return (struct gguf_image){.tensors_at = 8, .keys_at = 16, .entries_at = 24, .alignment = 32,
                               .big_endian = size >= 8 && data[4] == 0 && data[7] != 0};
}

/* ---- the walk ----------------------------------------------------------------------------- */

static uint64_t take(size_t width, enum field_kind kind)
{
    if (walk.size - walk.at < width || walk.fields == MOST_FIELDS) {
        walk.whole = false;
        return 0;
    }
    const size_t at = walk.at;
    if (!walk.unseen)
        walk.field[walk.fields++] = (struct field){at, (uint8_t)width, kind};
    walk.at += width;
    return mutate_load(walk.data + at, width, walk.big_endian);
}

static void skip(uint64_t bytes)
{
    if (bytes > walk.size - walk.at)
        walk.whole = false;
    else
        walk.at += (size_t)bytes;
}

static void walk_text(void)
{
    const uint64_t length = take(8, LENGTH);
    if (walk.whole)
        skip(length);
}

static void walk_value(uint64_t type)
{
    if (type >= TYPES || type == ARRAY) {
        walk.whole = false;
    } else if (type == STRING) {
        walk_text();
    } else {
        (void)take(widths[type], type == F32 || type == F64 ? REAL : VALUE);
    }
}

static void walk_array(void)
{
    const uint64_t element = take(4, KEY_TYPE), count = take(8, ELEMENTS);
    /* Long arrays would be all there is to change: the first elements are noted, and of texts a few of the others. */
    for (uint64_t i = 0; i < count && walk.whole; i++) {
        if (i == 4 && element < TYPES && widths[element]) {
            skip(count - i > walk.size ? UINT64_MAX : (count - i) * widths[element]);
            break;
        }
        walk.unseen = i >= 4 && i % 61 != 0;
        walk_value(element);
    }
    walk.unseen = false;
}

static void walk_key(void)
{
    walk_text();
    const uint64_t type = walk.whole ? take(4, KEY_TYPE) : 0;
    if (walk.whole && type == ARRAY)
        walk_array();
    else if (walk.whole)
        walk_value(type);
}

static void walk_tensor(void)
{
    walk_text();
    const uint64_t dimensions = walk.whole ? take(4, DIMENSIONS) : 0;
    for (uint64_t d = 0; d < dimensions && walk.whole; d++)
        (void)take(8, DIMENSION);
    if (walk.whole)
        (void)take(4, TENSOR_TYPE);
    if (walk.whole)
        (void)take(8, OFFSET);
}

static void walk_entries(uint64_t count, bool tensor)
{
    for (uint64_t i = 0; i < count && walk.whole && walk.entries < MOST_ENTRIES; i++) {
        const size_t from = walk.at;
        if (tensor)
            walk_tensor();
        else
            walk_key();
        if (walk.whole)
            walk.entry[walk.entries++] = (struct entry){from, walk.at, tensor};
    }
    walk.whole = walk.whole && walk.entries < MOST_ENTRIES;
}

static void walk_image(const uint8_t *data, size_t size, struct gguf_image image)
{
    walk.data = data;
    walk.size = size;
    walk.big_endian = image.big_endian;
    walk.fields = walk.entries = 0;
    walk.unseen = false;
    walk.at = image.tensors_at;
    walk.whole = image.entries_at <= size && image.tensors_at + 8 <= size && image.keys_at + 8 <= size;
    if (!walk.whole)
        return;
    const uint64_t tensors = take(8, COUNT);
    walk.at = image.keys_at;
    const uint64_t keys = take(8, COUNT);
    walk.at = image.entries_at;
    walk_entries(keys, false);
    if (walk.whole)
        walk_entries(tensors, true);
}

size_t gguf_entries_end(const uint8_t *data, size_t size, struct gguf_image image)
{
    walk_image(data, size, image);
    return walk.whole ? walk.at : 0;
}

/* ---- changes -------------------------------------------------------------------------------- */

static uint64_t odd_real(size_t width, struct mutate_random *r)
{
    static const uint32_t singles[] = {0x7fc00000, 0x7f800000, 0xff800000, 0, 0x80000000, 0xbf800000, 1, 0x7f7fffff, 0x3f800000, 0x3f800001};
    static const uint64_t doubles[] = {0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0, 0x8000000000000000,
                                       0xbff0000000000000, 1, 0x7fefffffffffffff, 0x3ff0000000000000, 0x47efffffffffffff};
    const size_t i = mutate_below(r, 10);
    return width == 4 ? singles[i] : doubles[i];
}

static void change_field(uint8_t *data, size_t size, struct field f, bool big_endian, struct mutate_random *r)
{
    const uint64_t old = mutate_load(data + f.at, f.width, big_endian);
    uint64_t value = mutate_number(old, size, r);
    if (f.kind == REAL && !mutate_one_in(r, 4))
        value = odd_real(f.width, r);
    else if (f.kind == KEY_TYPE && !mutate_one_in(r, 4))
        value = mutate_below(r, TYPES + 1);
    else if (f.kind == TENSOR_TYPE && !mutate_one_in(r, 4))
        value = mutate_below(r, 45);
    else if (f.kind == DIMENSIONS && !mutate_one_in(r, 2))
        value = mutate_below(r, 6);
    else if (f.kind == OFFSET && !mutate_one_in(r, 3))
        value = value / 32 * 32;
    mutate_store(data + f.at, f.width, big_endian, value);
}

/* A kind of fields that there are, and one of them. */
static size_t choose_field(struct mutate_random *r)
{
    size_t chosen = mutate_below(r, walk.fields), found = 0;
    for (int tries = 0; tries < 4 && !found; tries++) {
        const enum field_kind kind = (enum field_kind)mutate_below(r, KINDS);
        for (size_t i = 0; i < walk.fields; i++)
            if (walk.field[i].kind == kind && mutate_one_in(r, ++found))
                chosen = i;
    }
    return chosen;
}

/* A text gets another length or another word, and its length says so. */
static size_t change_text(uint8_t *data, size_t size, size_t max, bool big_endian, struct mutate_random *r)
{
    size_t lengths = 0, chosen = 0;
    for (size_t i = 0; i < walk.fields; i++) /* one of them, all alike */
        if (walk.field[i].kind == LENGTH && mutate_one_in(r, ++lengths))
            chosen = i;
    if (!lengths)
        return size;
    const size_t at = walk.field[chosen].at;
    const uint64_t old = mutate_load(data + at, 8, big_endian);
    if (old > size - at - 8)
        return size;
    const char *word = words[mutate_below(r, WORDS)];
    const bool replace = mutate_one_in(r, 2);
    const size_t length = replace ? strlen(word) : mutate_below(r, mutate_one_in(r, 8) ? 5000 : 40);
    size = replace ? mutate_replace(data, size, max, at + 8, (size_t)old, word, length)
                   : mutate_resize(data, size, max, at + 8, (size_t)old, length, (uint8_t)mutate_next(r));
    mutate_store(data + at, 8, big_endian, length);
    return size;
}

static void add_to_count(uint8_t *data, struct gguf_image image, bool tensor, uint64_t more)
{
    uint8_t *at = data + (tensor ? image.tensors_at : image.keys_at);
    mutate_store(at, 8, image.big_endian, mutate_load(at, 8, image.big_endian) + more);
}

/* An entry is left out, doubled, or takes another's place. */
static size_t change_entries(uint8_t *data, size_t size, size_t max, struct gguf_image image, struct mutate_random *r)
{
    static uint8_t copy[LARGEST_ENTRY];
    if (!walk.entries)
        return size;
    const struct entry e = walk.entry[mutate_below(r, walk.entries)], to = walk.entry[mutate_below(r, walk.entries)];
    const size_t length = e.to - e.from;
    size_t changed = size;
    if (mutate_one_in(r, 3)) {
        changed = mutate_resize(data, size, max, e.from, length, 0, 0);
        add_to_count(data, image, e.tensor, (uint64_t)-1);
    } else if (length <= sizeof copy && e.tensor == to.tensor) {
        const bool instead = mutate_one_in(r, 2);
        memcpy(copy, data + e.from, length);
        changed = mutate_replace(data, size, max, to.from, instead ? to.to - to.from : 0, copy, length);
        if (!instead && changed != size)
            add_to_count(data, image, e.tensor, 1);
    }
    return changed;
}

/* Numbers in the tensors' data: not finite, huge, tiny; one or a stretch. */
static void change_data(uint8_t *data, size_t size, size_t from, struct mutate_random *r)
{
    static const uint16_t halves[] = {0x7c00, 0xfc00, 0x7e00, 0x7bff, 0x0001, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x3c00};
    if (size < from + 8)
        return;
    size_t at = from + mutate_below(r, (size - from) / 4) * 4, count = mutate_one_in(r, 3) ? 1 + mutate_below(r, 64) : 1;
    const uint64_t single = odd_real(4, r), half = halves[mutate_below(r, 10)];
    const bool narrow = mutate_one_in(r, 2);
    for (; count-- && at + 4 <= size; at += 4)
        mutate_store(data + at, narrow ? 2 : 4, false, narrow ? half : single);
}

/* Data stays where the entries' new end puts it. */
static size_t keep_padding(uint8_t *data, size_t size, size_t max, struct gguf_image image, size_t old_end)
{
    const size_t new_end = gguf_entries_end(data, size, image);
    const size_t old_pad = (image.alignment - old_end % image.alignment) % image.alignment;
    const size_t new_pad = (image.alignment - new_end % image.alignment) % image.alignment;
    if (!new_end || new_end + old_pad > size)
        return size;
    return mutate_resize(data, size, max, new_end, old_pad, new_pad, 0);
}

size_t gguf_mutate(uint8_t *data, size_t size, size_t max, struct gguf_image image, struct mutate_random *r)
{
    walk_image(data, size, image);
    const size_t end = walk.whole ? walk.at : 0, kind = mutate_below(r, 12);
    if (!walk.fields || kind == 0)
        return LLVMFuzzerMutate(data, size, max);
    size_t changed = size;
    if (kind == 1)
        change_data(data, size, end, r);
    else if (kind <= 3)
        changed = change_text(data, size, max, image.big_endian, r);
    else if (kind <= 5)
        changed = change_entries(data, size, max, image, r);
    else
        change_field(data, size, walk.field[choose_field(r)], image.big_endian, r);
    return end && !mutate_one_in(r, 8) ? keep_padding(data, changed, max, image, end) : changed;
}
