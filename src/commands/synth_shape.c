/* synth_shape.c - see synth_shape.h.
 *
 * phi3 stores q, k and v as one matrix and gate and up as another; llama stores them apart. The mixes
 * are those of llama.cpp's quantizer as they show in Microsoft's own Phi-3 file: attn_qkv a little finer, some of
 * the ffn_down (first and last eighth of the layers and every third between) and the output Q6_K. A row that
 * is no whole number of blocks falls back to another type (encode_fallback).
 */
#include "synth_shape.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../quants/encode.h"

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
    if (s->heads == 0 || s->hidden % s->heads || s->hidden / s->heads % 2) {
        error_set(e, STATUS_USAGE, "--hidden %zu and --heads %zu don't fit together", s->hidden, s->heads);
        return error_advice(e, "each head takes the same, even number of the hidden channels");
    }
    if (s->kv_heads == 0 || s->kv_heads > s->heads || s->heads % s->kv_heads) {
        error_set(e, STATUS_USAGE, "--heads %zu and --kv-heads %zu don't fit together", s->heads, s->kv_heads);
        return error_advice(e, "--heads has to be a multiple of --kv-heads");
    }
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
    {"attn_norm", {SYNTH_ATTENTION_NORM}, 1},
    {"attn_qkv", {SYNTH_Q, SYNTH_K, SYNTH_V}, 3},
    {"attn_output", {SYNTH_ATTENTION_OUTPUT}, 1},
    {"ffn_norm", {SYNTH_FFN_NORM}, 1},
    {"ffn_up", {SYNTH_GATE, SYNTH_UP}, 2},
    {"ffn_down", {SYNTH_DOWN}, 1},
};

static const struct layer_row llama_rows[] = {
    {"attn_norm", {SYNTH_ATTENTION_NORM}, 1},
    {"attn_q", {SYNTH_Q}, 1},
    {"attn_k", {SYNTH_K}, 1},
    {"attn_v", {SYNTH_V}, 1},
    {"attn_output", {SYNTH_ATTENTION_OUTPUT}, 1},
    {"ffn_norm", {SYNTH_FFN_NORM}, 1},
    {"ffn_gate", {SYNTH_GATE}, 1},
    {"ffn_up", {SYNTH_UP}, 1},
    {"ffn_down", {SYNTH_DOWN}, 1},
};

#define COUNT_OF(rows) (sizeof(rows) / sizeof *(rows))

static size_t rows_of(const struct synth_shape *s, enum synth_part part)
{
    switch (part) {
    case SYNTH_EMBEDDING:
    case SYNTH_OUTPUT:
        return s->vocabulary;
    case SYNTH_K:
    case SYNTH_V:
        return s->kv_heads * s->head_dim;
    case SYNTH_GATE:
    case SYNTH_UP:
        return s->intermediate;
    case SYNTH_OUTPUT_NORM:
    case SYNTH_ATTENTION_NORM:
    case SYNTH_FFN_NORM:
        return 1;
    default:
        return s->hidden;
    }
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
    t->columns = row->part[0] == SYNTH_DOWN ? s->intermediate : s->hidden;
    t->vector = row->part[0] == SYNTH_OUTPUT_NORM || row->part[0] == SYNTH_ATTENTION_NORM ||
                row->part[0] == SYNTH_FFN_NORM;
    t->format = encode_fallback(quants_by_id((uint32_t)type_of(s, t)), t->columns);
}

static size_t tensors_a_layer(const struct synth_shape *s)
{
    return s->arch == SYNTH_PHI3 ? COUNT_OF(phi3_rows) : COUNT_OF(llama_rows);
}

size_t synth_shape_tensors(const struct synth_shape *s)
{
    return 1 + s->layers * tensors_a_layer(s) + 1 + (s->tied ? 0 : 1);
}

void synth_shape_tensor(const struct synth_shape *s, size_t i, struct synth_tensor *t)
{
    static const struct layer_row first = {"token_embd.weight", {SYNTH_EMBEDDING}, 1};
    static const struct layer_row last[] = {{"output_norm.weight", {SYNTH_OUTPUT_NORM}, 1},
                                            {"output.weight", {SYNTH_OUTPUT}, 1}};
    size_t each = tensors_a_layer(s);
    const struct layer_row *row = &first;
    memset(t, 0, sizeof *t);
    if (i > 0 && i <= s->layers * each) {
        t->layer = (i - 1) / each;
        row = s->arch == SYNTH_PHI3 ? &phi3_rows[(i - 1) % each] : &llama_rows[(i - 1) % each];
        snprintf(t->name, sizeof t->name, "blk.%zu.%s.weight", t->layer, row->name);
    } else {
        if (i > 0)
            row = &last[i - 1 - s->layers * each];
        snprintf(t->name, sizeof t->name, "%s", row->name);
    }
    describe(s, t, row);
}

void synth_shape_write(const struct synth_shape *s, struct gguf_writer *w)
{
    const char *arch = s->arch == SYNTH_PHI3 ? "phi3" : "llama";
    const struct {
        const char *name;
        size_t value;
    } sizes[] = {{"vocab_size", s->vocabulary}, {"context_length", s->context}, {"embedding_length", s->hidden},
                 {"block_count", s->layers}, {"feed_forward_length", s->intermediate},
                 {"attention.head_count", s->heads}, {"attention.head_count_kv", s->kv_heads},
                 {"rope.dimension_count", s->head_dim}};
    char key[96];
    gguf_writer_key_text(w, "general.architecture", arch);
    gguf_writer_key_text(w, "general.name", "synthetic");
    gguf_writer_key_u32(w, "general.quantization_version", 2);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        snprintf(key, sizeof key, "%s.%s", arch, sizes[i].name);
        gguf_writer_key_u32(w, key, (uint32_t)sizes[i].value);
    }
    snprintf(key, sizeof key, "%s.rope.freq_base", arch);
    gguf_writer_key_f32(w, key, 10000.0f);
    snprintf(key, sizeof key, "%s.attention.layer_norm_rms_epsilon", arch);
    gguf_writer_key_f32(w, key, 1e-5f);
}
