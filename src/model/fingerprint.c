/* fingerprint.c - hashes decoded weights row by row; see fingerprint.h. */
#include "fingerprint.h"

#include <stdio.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* XXH3_state_t on the stack */
#include <xxhash.h>

#include "../base/memory.h"

static void finish(const XXH3_state_t *state, uint64_t hash[2])
{
    XXH128_hash_t h = XXH3_128bits_digest(state);
    hash[0] = h.low64;
    hash[1] = h.high64;
}

static void add_name(XXH3_state_t *state, const char *name, size_t outputs, size_t inputs)
{
    char text[96];
    int length = snprintf(text, sizeof text, "%s %zu %zu\n", name, outputs, inputs);
    XXH3_128bits_update(state, text, (size_t)length);
}

/* float32 in memory is little-endian on every machine that phi3sat supports. */
static void add_matrix(XXH3_state_t *state, const char *name, const struct weight *w, float *row)
{
    add_name(state, name, w->outputs, w->inputs);
    for (size_t r = 0; r < w->outputs; r++) {
        weights_decode(w, r, 0, w->inputs, row);
        XXH3_128bits_update(state, row, w->inputs * sizeof *row);
    }
}

static void add_vector(XXH3_state_t *state, const char *name, const float *values, size_t count)
{
    add_name(state, name, 1, count);
    XXH3_128bits_update(state, values, count * sizeof *values);
}

static enum status begin(XXH3_state_t **state, float **row, size_t width, struct error *e)
{
    *row = NULL;
    *state = XXH3_createState();
    if (!*state)
        return error_set(e, STATUS_FAILED, "no memory for a hash");
    XXH3_128bits_reset(*state);
    enum status s = memory_array(row, width, sizeof **row, "a row of weights", e);
    if (s != STATUS_OK)
        XXH3_freeState(*state);
    return s;
}

enum status fingerprint_layer(const struct config *c, const struct weights *w, size_t layer, uint64_t hash[2],
                              struct error *e)
{
    const struct weights_layer *l = &w->layer[layer];
    const struct {
        const char *name;
        const struct weight *weight;
    } matrices[] = {{"attn_q", &l->q}, {"attn_k", &l->k}, {"attn_v", &l->v}, {"attn_output", &l->output},
                    {"ffn_gate", &l->gate}, {"ffn_up", &l->up}, {"ffn_down", &l->down}};
    XXH3_state_t *state;
    float *row;
    size_t width = c->hidden > c->intermediate ? c->hidden : c->intermediate;
    if (width < l->output.inputs)
        width = l->output.inputs;
    enum status s = begin(&state, &row, width, e);
    if (s != STATUS_OK)
        return s;
    const struct {
        const char *name;
        const struct weights_vector *vector;
    } more[] = {{"attn_q_bias", &l->q_bias}, {"attn_k_bias", &l->k_bias}, {"attn_v_bias", &l->v_bias},
                {"attn_q_norm", &l->q_norm}, {"attn_k_norm", &l->k_norm}};
    add_vector(state, "attn_norm", l->attention_norm.values, c->hidden);
    add_vector(state, "ffn_norm", l->ffn_norm.values, c->hidden);
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        add_matrix(state, matrices[i].name, matrices[i].weight, row);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) /* nothing where there is none, so that other models keep their names */
        if (more[i].vector->values)
            add_vector(state, more[i].name, more[i].vector->values, more[i].vector->count);
    finish(state, hash);
    XXH3_freeState(state);
    memory_free(row);
    return STATUS_OK;
}

enum status fingerprint_globals(const struct config *c, const struct weights *w, uint64_t hash[2], struct error *e)
{
    char text[512];
    XXH3_state_t *state;
    float *row;
    enum status s = begin(&state, &row, c->hidden, e);
    if (s != STATUS_OK)
        return s;
    int length = snprintf(text, sizeof text, "%s %zu %zu %zu %zu %zu %zu %zu %zu %zu %zu %.17g %.17g %.17g %.17g\n",
                          c->architecture, c->layers, c->hidden, c->intermediate, c->heads, c->kv_heads, c->head_dim,
                          c->rotary, c->vocabulary, c->context, c->original_context, c->epsilon, c->rope_base,
                          c->rope_divisor, c->attention_factor);
    if (c->yarn)
        length += snprintf(text + length, sizeof text - (size_t)length, "yarn %.17g %.17g\n", c->yarn_fast, c->yarn_slow);
    XXH3_128bits_update(state, text, (size_t)length);
    add_matrix(state, "token_embd", &w->embedding, row);
    if (w->factors_short)
        add_vector(state, "rope_factors_short", w->factors_short, c->rotary / 2);
    if (w->factors_long)
        add_vector(state, "rope_factors_long", w->factors_long, c->rotary / 2);
    finish(state, hash);
    XXH3_freeState(state);
    memory_free(row);
    return STATUS_OK;
}

enum status fingerprint_known(const struct model_file *file, const struct config *c, const struct weights *w, size_t layer,
                              uint64_t hash[2], struct error *e)
{
    uint32_t version = 0;
    if (model_file_section_count(file, &version) == w->layers + 1 && version == FINGERPRINT_VERSION) {
        const struct model_file_section *s = model_file_section_at(file, layer == w->layers ? 0 : layer + 1);
        memcpy(hash, s->fingerprint, sizeof s->fingerprint);
        return STATUS_OK;
    }
    return layer == w->layers ? fingerprint_globals(c, w, hash, e) : fingerprint_layer(c, w, layer, hash, e);
}

void fingerprint_header(const struct model_file *file, uint64_t hash[2])
{
    XXH3_state_t state;
    uint64_t size;
    const uint8_t *header = model_file_header(file, &size);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, header, (size_t)size);
    for (size_t i = 0; i < model_file_part_count(file); i++) {
        size = model_file_part(file, i)->size;
        XXH3_128bits_update(&state, &size, sizeof size);
    }
    finish(&state, hash);
}

static void add_bytes(XXH3_state_t *state, const struct weight *w)
{
    XXH3_128bits_update(state, w->tensor->bytes + w->first * w->row_bytes, w->outputs * w->row_bytes);
}

void fingerprint_bytes(const struct config *c, const struct weights *w, size_t layer, uint64_t hash[2])
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    if (layer == w->layers) {
        add_bytes(&state, &w->embedding);
        if (w->factors_short)
            add_vector(&state, "short", w->factors_short, c->rotary / 2);
        if (w->factors_long)
            add_vector(&state, "long", w->factors_long, c->rotary / 2);
    } else {
        const struct weights_layer *l = &w->layer[layer];
        const struct weight *const matrix[] = {&l->q, &l->k, &l->v, &l->output, &l->gate, &l->up, &l->down};
        for (size_t i = 0; weights_vector_at(&w->layer[layer], i); i++) {
            const struct model_file_tensor *t = weights_vector_at(&w->layer[layer], i)->tensor;
            if (t)
                XXH3_128bits_update(&state, t->bytes, (size_t)t->size);
        }
        for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++)
            add_bytes(&state, matrix[i]);
    }
    finish(&state, hash);
}

void fingerprint_model(const uint64_t globals[2], const uint64_t (*layer)[2], size_t count, uint64_t hash[2])
{
    XXH3_state_t state; /* XXH3 asks for 64-byte alignment; the type has it */
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, globals, 2 * sizeof *globals);
    XXH3_128bits_update(&state, layer, count * sizeof *layer);
    finish(&state, hash);
}
