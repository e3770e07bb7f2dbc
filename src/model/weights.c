/* weights.c - finds a model's tensors and checks them once; see weights.h.
 *
 * Canonical row order of q and k: within a head, dimension d < rotary of the halves form stands
 * in a llama file at row 2 (d mod rotary/2) + d / (rotary/2) (the conversion's permutation).
 */
#include "weights.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "../quants/byte_order.h"

#define LEAST_FACTOR 0.015625f /* of rotary factors; models have 1 and more */

/* Where output r stands among the weight's rows. */
static size_t row_of(const struct weight *w, size_t r)
{
    if (w->pair_head) {
        size_t d = r % w->pair_head, half = w->pair_rotary / 2;
        if (d < w->pair_rotary)
            r = r - d + 2 * (d % half) + d / half;
    }
    return r;
}

const uint8_t *weights_row(const struct weight *w, size_t r)
{
    return w->tensor->bytes + (w->first + row_of(w, r)) * w->row_bytes;
}

struct weights_vector *weights_vector_at(struct weights_layer *l, size_t i)
{
    struct weights_vector *const all[] = {&l->attention_norm, &l->ffn_norm, &l->q_bias, &l->k_bias, &l->v_bias,
                                          &l->q_norm, &l->k_norm};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

static void decode_range(const struct model_file_tensor *t, const uint8_t *row, size_t first, size_t count, float *out)
{
    if (t->swapped)
        byte_order_decode_range(t->format, row, first, count, out);
    else
        quants_decode_range(t->format, row, first, count, out);
}

void weights_decode(const struct weight *w, size_t r, size_t first, size_t count, float *out)
{
    decode_range(w->tensor, weights_row(w, r), first, count, out);
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
    error_advice(l->error, "convert or download it again; if it stays so, phi3sat doesn't know this kind of model");
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
        int used = snprintf(what, sizeof what, "a tensor has the shape [%llu, %llu", (unsigned long long)t->dims[0],
                            (unsigned long long)t->dims[1]);
        for (uint32_t d = 2; d < t->dimensions; d++)
            used += snprintf(what + used, sizeof what - (size_t)used, ", %llu", (unsigned long long)t->dims[d]);
        snprintf(what + used, sizeof what - (size_t)used, "], expected [%zu, %zu]", inputs, outputs);
        return wrong(l, name, what);
    }
    if (!t->format->decode) {
        snprintf(what, sizeof what, "a tensor of weights has type %s: integers without a scale", t->format->name);
        wrong(l, name, what);
        return error_advice(l->error, "llama.cpp can't multiply by it either; convert the model again");
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

static enum status decode_vector(struct weights_vector *v, const char *what, struct error *e)
{
    enum status s = memory_array(&v->values, v->count, sizeof *v->values, what, e);
    if (s == STATUS_OK)
        decode_range(v->tensor, v->tensor->bytes, v->first, v->count, v->values);
    return s;
}

/* Elements [first, first + count) of a vector of `all`. */
static enum status elements(const struct lookup *l, const char *name, size_t first, size_t count, size_t all,
                            struct weights_vector *v)
{
    v->first = first;
    v->count = count;
    return find(l, name, 1, all, &v->tensor);
}

static enum status vector(const struct lookup *l, const char *name, size_t count, float **values)
{
    struct weights_vector v = {0};
    enum status s = elements(l, name, 0, count, count, &v);
    if (s == STATUS_OK)
        s = decode_vector(&v, name, l->error);
    *values = v.values;
    return s;
}

static struct name name_of(struct model_file_text text)
{
    struct name n;
    size_t length = text.length < sizeof n.text ? text.length : sizeof n.text - 1;
    memcpy(n.text, text.bytes, length);
    n.text[length] = 0;
    return n;
}

/* Splits "blk.7.ffn_up.weight" into 7 and "ffn_up.weight". */
static bool split(struct model_file_text name, size_t *layer, struct name *part)
{
    size_t i = 4;
    *layer = 0;
    if (name.length < 4 || memcmp(name.bytes, "blk.", 4) != 0)
        return false;
    for (; i < name.length && name.bytes[i] >= '0' && name.bytes[i] <= '9'; i++)
        *layer = *layer < 1000000 ? *layer * 10 + (size_t)(name.bytes[i] - '0') : *layer; /* far past any layer: no need to count on */
    if (i == 4 || i >= name.length || name.bytes[i] != '.')
        return false;
    *part = name_of((struct model_file_text){name.bytes + i + 1, name.length - i - 1});
    return true;
}

static bool among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Whether a layer of this model may have it. */
static bool is_part(const struct config *c, const char *name)
{
    static const char *const always[] = {"attn_norm.weight", "attn_q.weight", "attn_k.weight", "attn_v.weight",
                                         "attn_qkv.weight", "attn_output.weight", "ffn_norm.weight",
                                         "ffn_gate.weight", "ffn_up.weight", "ffn_down.weight",
                                         "attn_rot_embd.weight" /* frequencies, in old files: not needed */};
    static const char *const biases[] = {"attn_q.bias", "attn_k.bias", "attn_v.bias", "attn_qkv.bias"};
    static const char *const norms[] = {"attn_q_norm.weight", "attn_k_norm.weight"};
    return among(always, sizeof always / sizeof *always, name) ||
           (c->biases && among(biases, sizeof biases / sizeof *biases, name)) ||
           (c->head_norms && among(norms, sizeof norms / sizeof *norms, name));
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* NVFP4 (and BitNet) conversions may leave a factor of a whole matrix in a tensor beside it. */
static enum status refuse_scale(const struct lookup *l, const char *name)
{
    wrong(l, name, "a matrix has a factor in a tensor of its own, which this version doesn't apply");
    return error_advice(l->error, "quantize the original model with llama-quantize, which writes none");
}

/* Parts of the graph that we don't run (other biases, further norms, experts) would make the
 * result wrong in silence, and so would layers that the keys don't tell of. */
static enum status refuse_extras(const struct lookup *l)
{
    for (size_t t = 0; t < model_file_tensor_count(l->file); t++) {
        struct model_file_text name = model_file_tensor_at(l->file, t)->name;
        struct name whole = name_of(name), part;
        size_t layer;
        if (ends_in(whole.text, ".scale") || ends_in(whole.text, ".input_scale"))
            return refuse_scale(l, whole.text);
        if (!split(name, &layer, &part))
            continue;
        if (layer >= l->config->layers)
            return wrong(l, whole.text, "a tensor belongs to a layer past the last one");
        if (!is_part(l->config, part.text)) {
            wrong(l, whole.text, "the model has a part that this version doesn't run");
            return error_advice(l->error, "it is a variant of its architecture; profile a model without such tensors");
        }
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

static enum status attention_biases(const struct lookup *l, struct weights_layer *w)
{
    size_t q = w->q.outputs, kv = w->k.outputs;
    struct name fused = layer_name(l, "attn_qkv.bias");
    bool one = model_file_find_tensor(l->file, fused.text) != NULL;
    size_t all = q + 2 * kv;
    enum status s = elements(l, one ? fused.text : layer_name(l, "attn_q.bias").text, 0, q, one ? all : q, &w->q_bias);
    if (s == STATUS_OK)
        s = elements(l, one ? fused.text : layer_name(l, "attn_k.bias").text, one ? q : 0, kv, one ? all : kv, &w->k_bias);
    if (s == STATUS_OK)
        s = elements(l, one ? fused.text : layer_name(l, "attn_v.bias").text, one ? q + kv : 0, kv, one ? all : kv,
                     &w->v_bias);
    return s;
}

static enum status head_norms(const struct lookup *l, struct weights_layer *w)
{
    size_t count = l->config->head_dim;
    enum status s = elements(l, layer_name(l, "attn_q_norm.weight").text, 0, count, count, &w->q_norm);
    return s == STATUS_OK ? elements(l, layer_name(l, "attn_k_norm.weight").text, 0, count, count, &w->k_norm) : s;
}

static enum status ffn_weights(const struct lookup *l, struct weights_layer *w)
{
    const struct config *c = l->config;
    struct name gate = layer_name(l, "ffn_gate.weight"), up = layer_name(l, "ffn_up.weight");
    const struct model_file_tensor *all_up = model_file_find_tensor(l->file, up.text);
    bool separate = model_file_find_tensor(l->file, gate.text) || (all_up && all_up->dims[1] == c->intermediate);
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
    size_t hidden = l->config->hidden;
    enum status s = elements(l, layer_name(l, "attn_norm.weight").text, 0, hidden, hidden, &w->attention_norm);
    if (s == STATUS_OK)
        s = elements(l, layer_name(l, "ffn_norm.weight").text, 0, hidden, hidden, &w->ffn_norm);
    if (s == STATUS_OK)
        s = attention_weights(l, w);
    if (s == STATUS_OK && l->config->biases)
        s = attention_biases(l, w);
    if (s == STATUS_OK && l->config->head_norms)
        s = head_norms(l, w);
    if (s == STATUS_OK)
        s = ffn_weights(l, w);
    return s;
}

/* Factors that frequencies are divided by: angles must stay in elementary_sincos's range. */
static enum status factors(const struct lookup *l, const char *name, float **values)
{
    size_t half = l->config->rotary / 2;
    enum status s = vector(l, name, half, values);
    for (size_t i = 0; i < half && s == STATUS_OK; i++)
        if (!((*values)[i] >= LEAST_FACTOR && (*values)[i] <= FLT_MAX))
            s = wrong(l, name, "a rotary factor is too small or no number");
    return s;
}

/* LongRoPE's two sets, or llama's one, which always applies. */
static enum status rotary_factors(const struct lookup *l, struct weights *w)
{
    static const char *const set[] = {"rope_factors_short.weight", "rope_factors_long.weight"};
    bool is_short = model_file_find_tensor(l->file, set[0]) != NULL;
    bool is_long = model_file_find_tensor(l->file, set[1]) != NULL;
    bool always = !is_short && !is_long;
    w->longrope = is_short && is_long;
    if (is_long != is_short)
        return wrong(l, set[is_short], "a tensor is missing");
    if (always && !model_file_find_tensor(l->file, "rope_freqs.weight"))
        return STATUS_OK;
    enum status s = factors(l, always ? "rope_freqs.weight" : set[0], &w->factors_short);
    return s == STATUS_OK ? factors(l, always ? "rope_freqs.weight" : set[1], &w->factors_long) : s;
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

/* More layers than tensors: one lacks its tensors, so that nothing needs to be allocated for what a key merely claims. */
static enum status check_layers(struct lookup *l)
{
    const size_t layers = l->config->layers;
    if (layers <= model_file_tensor_count(l->file))
        return STATUS_OK;
    for (l->layer = 0; l->layer < layers; l->layer++)
        if (!model_file_find_tensor(l->file, layer_name(l, "attn_norm.weight").text))
            break;
    return wrong(l, layer_name(l, "attn_norm.weight").text, "a tensor is missing");
}

enum status weights_find(struct weights *w, const struct config *c, const struct model_file *file, struct error *e)
{
    struct lookup l = {file, c, 0, e};
    memset(w, 0, sizeof *w);
    enum status s = check_layers(&l);
    if (s != STATUS_OK)
        return s;
    s = memory_array(&w->layer, c->layers, sizeof *w->layer, "the layers' weights", e);
    w->layers = s == STATUS_OK ? c->layers : 0;
    if (s == STATUS_OK)
        s = refuse_extras(&l);
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

/* Biases of rows that are stored as rotary pairs stand in the order of those rows; put them in the canonical one. */
static enum status unpair(const struct weight *w, struct weights_vector *v, struct error *e)
{
    float *canonical;
    if (!v->values || !w->pair_head)
        return STATUS_OK;
    enum status s = memory_array(&canonical, v->count, sizeof *canonical, "a layer's biases", e);
    if (s != STATUS_OK)
        return s;
    for (size_t r = 0; r < v->count; r++)
        canonical[r] = v->values[row_of(w, r)];
    memory_free(v->values);
    v->values = canonical;
    return STATUS_OK;
}

enum status weights_layers(struct weights *w, const struct config *c, size_t first, size_t count, struct error *e)
{
    enum status s = STATUS_OK;
    (void)c;
    for (size_t i = first; i < first + count && s == STATUS_OK; i++) {
        struct weights_layer *l = &w->layer[i];
        for (size_t k = 0; weights_vector_at(l, k) && s == STATUS_OK; k++)
            if (weights_vector_at(l, k)->tensor)
                s = decode_vector(weights_vector_at(l, k), "a layer's norms and biases", e);
        if (s == STATUS_OK)
            s = unpair(&l->q, &l->q_bias, e);
        if (s == STATUS_OK)
            s = unpair(&l->k, &l->k_bias, e);
    }
    return s;
}

enum status weights_open(struct weights *w, const struct config *c, const struct model_file *file, struct error *e)
{
    enum status s = weights_find(w, c, file, e);
    if (s == STATUS_OK)
        s = weights_layers(w, c, 0, c->layers, e);
    if (s != STATUS_OK)
        weights_free(w);
    return s;
}

enum status weights_head_open(struct weights_head *h, const struct config *c, const struct model_file *file,
                              struct error *e)
{
    struct lookup l = {file, c, 0, e};
    memset(h, 0, sizeof *h);
    h->tied = model_file_find_tensor(file, "output.weight") == NULL;
    if (model_file_find_tensor(file, "output.bias"))
        return wrong(&l, "output.bias", "the model has a part that this version doesn't run");
    enum status s = rows(&l, h->tied ? "token_embd.weight" : "output.weight", 0, c->vocabulary, c->vocabulary, c->hidden,
                         &h->matrix);
    if (s == STATUS_OK)
        s = vector(&l, "output_norm.weight", c->hidden, &h->norm);
    return s;
}

void weights_head_free(struct weights_head *h)
{
    memory_free(h->norm);
    memset(h, 0, sizeof *h);
}

void weights_free(struct weights *w)
{
    for (size_t i = 0; i < w->layers; i++)
        for (size_t k = 0; weights_vector_at(&w->layer[i], k); k++)
            memory_free(weights_vector_at(&w->layer[i], k)->values);
    memory_free(w->layer);
    memory_free(w->factors_short);
    memory_free(w->factors_long);
    memset(w, 0, sizeof *w);
}
