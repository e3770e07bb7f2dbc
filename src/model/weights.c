/* weights.c - finds a model's tensors and checks them once; see weights.h.
 *
 * Canonical row order of q and k: within a head, dimension d < rotary of the halves form stands
 * in a llama file at row 2 (d mod rotary/2) + d / (rotary/2) (the conversion's permutation).
 */
#include "weights.h"

#include <stdio.h>
#include <string.h>

#include "../base/memory.h"

const uint8_t *weights_row(const struct weight *w, size_t r)
{
    if (w->pair_head) {
        size_t d = r % w->pair_head, half = w->pair_rotary / 2;
        if (d < w->pair_rotary)
            r = r - d + 2 * (d % half) + d / half;
    }
    return w->tensor->bytes + (w->first + r) * w->row_bytes;
}

void weights_decode(const struct weight *w, size_t r, size_t first, size_t count, float *out)
{
    quants_decode_range(w->tensor->format, weights_row(w, r), first, count, out);
}

/* The file, its layer and the error: what every look-up needs. */
struct lookup {
    const struct model_file *file;
    const struct config *config;
    size_t layer;
    struct error *error;
};

struct name {
    char text[96];
};

static struct name layer_name(const struct lookup *l, const char *part)
{
    struct name n;
    snprintf(n.text, sizeof n.text, "blk.%zu.%s", l->layer, part);
    return n;
}

static enum status wrong(const struct lookup *l, const char *name, const char *what)
{
    error_set(l->error, STATUS_INPUT, "%s", what);
    error_where(l->error, "tensor %s", name);
    error_advice(l->error, "the file is damaged or of a kind phi3sat doesn't know");
    return error_file(l->error, model_file_path(l->file));
}

static enum status find(const struct lookup *l, const char *name, size_t outputs, size_t inputs,
                        const struct model_file_tensor **tensor)
{
    char what[160];
    const struct model_file_tensor *t = model_file_find_tensor(l->file, name);
    if (!t)
        return wrong(l, name, "a tensor is missing");
    if (t->dims[0] != inputs || t->dims[1] != outputs || t->dims[2] != 1 || t->dims[3] != 1) {
        snprintf(what, sizeof what, "a tensor has the shape [%llu, %llu], expected [%zu, %zu]",
                 (unsigned long long)t->dims[0], (unsigned long long)t->dims[1], inputs, outputs);
        return wrong(l, name, what);
    }
    if (!t->format->decode) {
        snprintf(what, sizeof what, "tensor type %s can't be decoded by this version", t->format->name);
        wrong(l, name, what);
        return error_advice(l->error, "use a file with types F32, F16, BF16, Q4_0..Q8_0 or Q2_K..Q6_K");
    }
    *tensor = t;
    return STATUS_OK;
}

/* Rows [first, first + outputs) of a tensor that has `all` rows. */
static enum status rows(const struct lookup *l, const char *name, size_t first, size_t outputs, size_t all,
                        size_t inputs, struct weight *w)
{
    uint64_t bytes = 0;
    enum status s = find(l, name, all, inputs, &w->tensor);
    if (s != STATUS_OK)
        return s;
    if (!quants_bytes(w->tensor->format, inputs, &bytes))
        return wrong(l, name, "a row isn't a whole number of blocks");
    w->first = first;
    w->outputs = outputs;
    w->inputs = inputs;
    w->row_bytes = (size_t)bytes;
    return STATUS_OK;
}

static enum status vector(const struct lookup *l, const char *name, size_t count, float **values)
{
    const struct model_file_tensor *t;
    enum status s = find(l, name, 1, count, &t);
    if (s == STATUS_OK)
        s = memory_array(values, count, sizeof **values, name, l->error);
    if (s == STATUS_OK)
        quants_decode_range(t->format, t->bytes, 0, count, *values);
    return s;
}

/* Parts of the graph that we don't run would make the result wrong in silence. */
static enum status refuse_extras(const struct lookup *l)
{
    static const char *const extras[] = {"attn_q.bias", "attn_k.bias", "attn_v.bias", "attn_qkv.bias",
                                         "attn_output.bias", "ffn_up.bias", "ffn_gate.bias", "ffn_down.bias",
                                         "attn_q_norm.weight", "attn_k_norm.weight", "attn_norm.bias",
                                         "ffn_norm.bias", "ffn_gate_inp.weight", "ffn_gate_exps.weight"};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        struct name n = layer_name(l, extras[i]);
        if (model_file_find_tensor(l->file, n.text))
            return wrong(l, n.text, "the model has a part that this version doesn't run");
    }
    return STATUS_OK;
}

static void mark_pairs(const struct config *c, struct weight *w)
{
    if (c->rotary_pairs && c->rotary >= 2) {
        w->pair_head = c->head_dim;
        w->pair_rotary = c->rotary;
    }
}

static enum status attention_weights(const struct lookup *l, struct weights_layer *w)
{
    const struct config *c = l->config;
    size_t q = c->heads * c->head_dim, kv = c->kv_heads * c->head_dim;
    struct name fused = layer_name(l, "attn_qkv.weight");
    enum status s;
    if (model_file_find_tensor(l->file, fused.text)) {
        s = rows(l, fused.text, 0, q, q + 2 * kv, c->hidden, &w->q);
        if (s == STATUS_OK)
            s = rows(l, fused.text, q, kv, q + 2 * kv, c->hidden, &w->k);
        if (s == STATUS_OK)
            s = rows(l, fused.text, q + kv, kv, q + 2 * kv, c->hidden, &w->v);
    } else {
        s = rows(l, layer_name(l, "attn_q.weight").text, 0, q, q, c->hidden, &w->q);
        if (s == STATUS_OK)
            s = rows(l, layer_name(l, "attn_k.weight").text, 0, kv, kv, c->hidden, &w->k);
        if (s == STATUS_OK)
            s = rows(l, layer_name(l, "attn_v.weight").text, 0, kv, kv, c->hidden, &w->v);
    }
    mark_pairs(c, &w->q);
    mark_pairs(c, &w->k);
    if (s == STATUS_OK)
        s = rows(l, layer_name(l, "attn_output.weight").text, 0, c->hidden, c->hidden, q, &w->output);
    return s;
}

static enum status ffn_weights(const struct lookup *l, struct weights_layer *w)
{
    const struct config *c = l->config;
    struct name gate = layer_name(l, "ffn_gate.weight"), up = layer_name(l, "ffn_up.weight");
    bool separate = model_file_find_tensor(l->file, gate.text) != NULL;
    size_t all = separate ? c->intermediate : 2 * c->intermediate;
    enum status s = rows(l, separate ? gate.text : up.text, 0, c->intermediate, all, c->hidden, &w->gate);
    if (s == STATUS_OK)
        s = rows(l, up.text, separate ? 0 : c->intermediate, c->intermediate, all, c->hidden, &w->up);
    if (s == STATUS_OK)
        s = rows(l, layer_name(l, "ffn_down.weight").text, 0, c->hidden, c->hidden, c->intermediate, &w->down);
    return s;
}

static enum status one_layer(const struct lookup *l, struct weights_layer *w)
{
    enum status s = refuse_extras(l);
    if (s == STATUS_OK)
        s = vector(l, layer_name(l, "attn_norm.weight").text, l->config->hidden, &w->attention_norm);
    if (s == STATUS_OK)
        s = vector(l, layer_name(l, "ffn_norm.weight").text, l->config->hidden, &w->ffn_norm);
    if (s == STATUS_OK)
        s = attention_weights(l, w);
    if (s == STATUS_OK)
        s = ffn_weights(l, w);
    return s;
}

/* LongRoPE's two sets, or llama's one, which always applies. */
static enum status rotary_factors(const struct lookup *l, struct weights *w)
{
    size_t half = l->config->rotary / 2;
    bool is_long = model_file_find_tensor(l->file, "rope_factors_long.weight") != NULL;
    bool is_short = model_file_find_tensor(l->file, "rope_factors_short.weight") != NULL;
    if (is_long != is_short)
        return wrong(l, is_long ? "rope_factors_short.weight" : "rope_factors_long.weight", "a tensor is missing");
    w->longrope = is_long;
    if (is_long) {
        enum status s = vector(l, "rope_factors_long.weight", half, &w->factors_long);
        return s == STATUS_OK ? vector(l, "rope_factors_short.weight", half, &w->factors_short) : s;
    }
    if (!model_file_find_tensor(l->file, "rope_freqs.weight"))
        return STATUS_OK;
    enum status s = vector(l, "rope_freqs.weight", half, &w->factors_short);
    return s == STATUS_OK ? vector(l, "rope_freqs.weight", half, &w->factors_long) : s;
}

/* "Q4_K 81, F32 65": tensors by type, as llama.cpp's loader counts them. */
static void count_types(struct weights *w, const struct model_file *file)
{
    size_t used = 0;
    for (size_t t = 0; t < quants_count(); t++) {
        size_t count = 0;
        for (size_t i = 0; i < model_file_tensor_count(file); i++)
            count += model_file_tensor_at(file, i)->format->id == quants_at(t)->id;
        if (count && used < sizeof w->types)
            used += (size_t)snprintf(w->types + used, sizeof w->types - used, "%s%s %zu", used ? ", " : "",
                                     quants_at(t)->name, count);
    }
}

enum status weights_open(struct weights *w, const struct config *c, const struct model_file *file, struct error *e)
{
    struct lookup l = {file, c, 0, e};
    memset(w, 0, sizeof *w);
    enum status s = memory_array(&w->layer, c->layers, sizeof *w->layer, "the layers' weights", e);
    w->layers = s == STATUS_OK ? c->layers : 0;
    if (s == STATUS_OK)
        s = rows(&l, "token_embd.weight", 0, c->vocabulary, c->vocabulary, c->hidden, &w->embedding);
    for (size_t i = 0; i < c->layers && s == STATUS_OK; i++) {
        l.layer = i;
        s = one_layer(&l, &w->layer[i]);
    }
    if (s == STATUS_OK)
        s = rotary_factors(&l, w);
    count_types(w, file);
    if (s != STATUS_OK)
        weights_free(w);
    return s;
}

void weights_free(struct weights *w)
{
    for (size_t i = 0; i < w->layers; i++) {
        memory_free(w->layer[i].attention_norm);
        memory_free(w->layer[i].ffn_norm);
    }
    memory_free(w->layer);
    memory_free(w->factors_short);
    memory_free(w->factors_long);
    memset(w, 0, sizeof *w);
}
