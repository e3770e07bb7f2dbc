/* synth_shape.c - see synth_shape.h.
 *
 * phi3 stores q, k and v as one matrix and gate and up as another; the others store them apart. The mixes
 * are those of llama.cpp's quantizer as they show in Microsoft's own Phi-3 file: attn_qkv a little finer, some of
 * the ffn_down (first and last eighth of the layers and every third between) and the output Q6_K. A row that
 * is no whole number of blocks falls back to another type (encode_fallback).
 */
#include "synth_shape.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../quants/encode.h"

const char *const synth_shape_archs[] = {"phi3", "llama", "qwen2", "qwen3", NULL};

static const struct synth_mix mixes[] = {
    {"q4_k_m", QUANTS_Q4_K, QUANTS_Q5_K, QUANTS_Q4_K, QUANTS_Q6_K, QUANTS_Q6_K},
    {"q5_k_m", QUANTS_Q5_K, QUANTS_Q6_K, QUANTS_Q5_K, QUANTS_Q6_K, QUANTS_Q6_K},
};

bool synth_shape_mix(const char *name, struct synth_mix *mix)
{
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        if (strcasecmp(name, mixes[i].name) == 0) {
            *mix = mixes[i];
            return true;
        }
    const struct quants_format *format = quants_by_name(name);
    if (!format || !encode_find(format))
        return false;
    enum quants_type type = (enum quants_type)format->id;
    *mix = (struct synth_mix){format->name, type, type, type, type, type};
    return true;
}

enum status synth_shape_check(struct synth_shape *s, struct error *e)
{
    if (s->head_dim ? s->head_dim % 2 : s->heads == 0 || s->hidden % s->heads || s->hidden / s->heads % 2) {
        if (s->head_dim)
            error_set(e, STATUS_USAGE, "--head-dim %zu is odd", s->head_dim);
        else
            error_set(e, STATUS_USAGE, "--hidden %zu and --heads %zu don't fit together", s->hidden, s->heads);
        return error_advice(e, s->head_dim ? "its channels are turned in pairs"
                                           : "each head takes the same, even number of the hidden channels, or --head-dim of them");
    }
    if (s->kv_heads == 0 || s->kv_heads > s->heads || s->heads % s->kv_heads) {
        error_set(e, STATUS_USAGE, "--heads %zu and --kv-heads %zu don't fit together", s->heads, s->kv_heads);
        return error_advice(e, "--heads has to be a multiple of --kv-heads");
    }
    if (s->head_dim == 0)
        s->head_dim = s->hidden / s->heads;
    return STATUS_OK;
}

/* The tensors of a layer in file order. */
struct layer_row {
    const char *name;
    enum synth_part part[SYNTH_PARTS];
    size_t parts;
};

static const struct layer_row phi3_rows[] = {
    {"attn_norm.weight", {SYNTH_ATTENTION_NORM}, 1},
    {"attn_qkv.weight", {SYNTH_Q, SYNTH_K, SYNTH_V}, 3},
    {"attn_output.weight", {SYNTH_ATTENTION_OUTPUT}, 1},
    {"ffn_norm.weight", {SYNTH_FFN_NORM}, 1},
    {"ffn_up.weight", {SYNTH_GATE, SYNTH_UP}, 2},
    {"ffn_down.weight", {SYNTH_DOWN}, 1},
};

/* llama's, of which qwen2 and qwen3 have all, and then some. */
#define APART_ROWS                                                                                                   \
    {"attn_norm.weight", {SYNTH_ATTENTION_NORM}, 1}, {"attn_q.weight", {SYNTH_Q}, 1}, {"attn_k.weight", {SYNTH_K}, 1}, \
    {"attn_v.weight", {SYNTH_V}, 1}, {"attn_output.weight", {SYNTH_ATTENTION_OUTPUT}, 1},                              \
    {"ffn_norm.weight", {SYNTH_FFN_NORM}, 1}, {"ffn_gate.weight", {SYNTH_GATE}, 1}, {"ffn_up.weight", {SYNTH_UP}, 1},  \
    {"ffn_down.weight", {SYNTH_DOWN}, 1}

static const struct layer_row llama_rows[] = {APART_ROWS};
static const struct layer_row qwen2_rows[] = {
    APART_ROWS,
    {"attn_q.bias", {SYNTH_Q_BIAS}, 1},
    {"attn_k.bias", {SYNTH_K_BIAS}, 1},
    {"attn_v.bias", {SYNTH_V_BIAS}, 1},
};
static const struct layer_row qwen3_rows[] = {
    APART_ROWS,
    {"attn_q_norm.weight", {SYNTH_Q_NORM}, 1},
    {"attn_k_norm.weight", {SYNTH_K_NORM}, 1},
};

#define COUNT_OF(rows) (sizeof(rows) / sizeof *(rows))

static const struct {
    const struct layer_row *rows;
    size_t count;
} layers[] = {{phi3_rows, COUNT_OF(phi3_rows)}, {llama_rows, COUNT_OF(llama_rows)}, {qwen2_rows, COUNT_OF(qwen2_rows)},
              {qwen3_rows, COUNT_OF(qwen3_rows)}};

static size_t rows_of(const struct synth_shape *s, enum synth_part part)
{
    switch (part) {
    case SYNTH_EMBEDDING:
    case SYNTH_OUTPUT:
        return s->vocabulary;
    case SYNTH_Q:
        return s->heads * s->head_dim;
    case SYNTH_K:
    case SYNTH_V:
        return s->kv_heads * s->head_dim;
    case SYNTH_GATE:
    case SYNTH_UP:
        return s->intermediate;
    case SYNTH_ATTENTION_OUTPUT:
    case SYNTH_DOWN:
        return s->hidden;
    default:
        return 1; /* a vector */
    }
}

static size_t columns_of(const struct synth_shape *s, enum synth_part part)
{
    switch (part) {
    case SYNTH_DOWN:
        return s->intermediate;
    case SYNTH_ATTENTION_OUTPUT:
    case SYNTH_Q_BIAS:
        return s->heads * s->head_dim;
    case SYNTH_K_BIAS:
    case SYNTH_V_BIAS:
        return s->kv_heads * s->head_dim;
    case SYNTH_Q_NORM:
    case SYNTH_K_NORM:
        return s->head_dim;
    default:
        return s->hidden;
    }
}

static bool is_vector(enum synth_part part)
{
    return part == SYNTH_OUTPUT_NORM || part == SYNTH_ATTENTION_NORM || part == SYNTH_FFN_NORM || part >= SYNTH_Q_BIAS;
}

/* The layers that llama.cpp gives more bits: its use_more_bits. */
static bool finer_layer(const struct synth_shape *s, size_t layer)
{
    size_t eighth = s->layers / 8;
    return layer < eighth || layer >= 7 * s->layers / 8 || (layer - eighth) % 3 == 2;
}

static enum quants_type type_of(const struct synth_shape *s, const struct synth_tensor *t)
{
    switch (t->part[0]) {
    case SYNTH_OUTPUT:
        return s->mix.output;
    case SYNTH_Q:
        return t->parts == 3 ? s->mix.qkv : s->mix.base;
    case SYNTH_V:
        return finer_layer(s, t->layer) ? s->mix.more : s->mix.value;
    case SYNTH_DOWN:
        return finer_layer(s, t->layer) ? s->mix.more : s->mix.base;
    default:
        return t->vector ? QUANTS_F32 : s->mix.base;
    }
}

static void describe(const struct synth_shape *s, struct synth_tensor *t, const struct layer_row *row)
{
    t->parts = row->parts;
    t->rows = 0;
    for (size_t i = 0; i < row->parts; i++) {
        t->part[i] = row->part[i];
        t->part_rows[i] = rows_of(s, row->part[i]);
        t->rows += t->part_rows[i];
    }
    t->columns = columns_of(s, row->part[0]);
    t->vector = is_vector(row->part[0]);
    t->format = encode_fallback(quants_by_id((uint32_t)type_of(s, t)), t->columns);
}

size_t synth_shape_tensors(const struct synth_shape *s)
{
    return 1 + s->layers * layers[s->arch].count + 1 + (s->tied ? 0 : 1);
}

size_t synth_shape_widest(const struct synth_shape *s)
{
    size_t heads = s->heads * s->head_dim, wide = s->hidden > s->intermediate ? s->hidden : s->intermediate;
    return heads > wide ? heads : wide;
}

void synth_shape_tensor(const struct synth_shape *s, size_t i, struct synth_tensor *t)
{
    static const struct layer_row first = {"token_embd.weight", {SYNTH_EMBEDDING}, 1};
    static const struct layer_row last[] = {{"output_norm.weight", {SYNTH_OUTPUT_NORM}, 1},
                                            {"output.weight", {SYNTH_OUTPUT}, 1}};
    size_t each = layers[s->arch].count;
    const struct layer_row *row = &first;
    memset(t, 0, sizeof *t);
    if (i > 0 && i <= s->layers * each) {
        t->layer = (i - 1) / each;
        row = &layers[s->arch].rows[(i - 1) % each];
        snprintf(t->name, sizeof t->name, "blk.%zu.%s", t->layer, row->name);
    } else {
        if (i > 0)
            row = &last[i - 1 - s->layers * each];
        snprintf(t->name, sizeof t->name, "%s", row->name);
    }
    describe(s, t, row);
}

void synth_shape_write(const struct synth_shape *s, struct gguf_writer *w)
{
    const char *arch = synth_shape_archs[s->arch];
    const bool own = s->arch == SYNTH_QWEN3 || s->head_dim * s->heads != s->hidden; /* heads of their own size */
    const struct {
        const char *name;
        size_t value;
    } sizes[] = {{"vocab_size", s->vocabulary}, {"context_length", s->context}, {"embedding_length", s->hidden},
                 {"block_count", s->layers}, {"feed_forward_length", s->intermediate},
                 {"attention.head_count", s->heads}, {"attention.head_count_kv", s->kv_heads},
                 {"rope.dimension_count", s->head_dim}, {"attention.key_length", s->head_dim},
                 {"attention.value_length", s->head_dim}};
    char key[96];
    gguf_writer_key_text(w, "general.architecture", arch);
    gguf_writer_key_text(w, "general.name", "synthetic");
    gguf_writer_key_u32(w, "general.quantization_version", 2);
    for (size_t i = 0; i < COUNT_OF(sizes) - (own ? 0 : 2); i++) {
        snprintf(key, sizeof key, "%s.%s", arch, sizes[i].name);
        gguf_writer_key_u32(w, key, (uint32_t)sizes[i].value);
    }
    snprintf(key, sizeof key, "%s.rope.freq_base", arch);
    gguf_writer_key_f32(w, key, 10000.0f);
    snprintf(key, sizeof key, "%s.attention.layer_norm_rms_epsilon", arch);
    gguf_writer_key_f32(w, key, 1e-5f);
}
