/* network.h - small random networks for tests: written as model files of any form.
 *
 * One struct network is one network, whatever form its file has: q and k are held in the
 * order of rotary halves, q, k, v, gate and up apart. network_write makes the bytes of a GGUF
 * file as the conversions do: fused (phi3), apart (phi3 with separate tensors), with q
 * and k rows permuted to pairs (llama), or apart under the names qwen2 and qwen3.
 */
#ifndef PHI3SAT_TESTS_NETWORK_H
#define PHI3SAT_TESTS_NETWORK_H

#include <math.h>
#include <stdlib.h>

#ifndef GGUF_WRITER_BYTES
#define GGUF_WRITER_BYTES (4 << 20)
#endif
#include "gguf_writer.h"
#include "reference_sums.h"

enum network_form { NETWORK_FUSED, NETWORK_APART, NETWORK_LLAMA, NETWORK_QWEN2, NETWORK_QWEN3 };

struct network_layer {
    float *attention_norm, *ffn_norm;  /* [hidden]                       */
    float *q, *k, *v;                  /* [heads or kv * head_dim, hidden] */
    float *output;                     /* [hidden, heads * head_dim]     */
    float *gate, *up, *down;           /* [intermediate, hidden], down [hidden, intermediate] */
    float *q_bias, *k_bias, *v_bias;   /* of their outputs, or NULL      */
    float *q_norm, *k_norm;            /* [head_dim] or NULL             */
};

struct network {
    size_t layers, hidden, intermediate, heads, kv_heads, head_dim, rotary, vocabulary, context, window;
    double base;
    size_t original;       /* context of LongRoPE's short factors; 0: no LongRoPE  */
    float *factors_short, *factors_long; /* [rotary / 2]                 */
    bool always_factors;   /* rope_freqs, as llama 3.1 has: factors_short          */
    bool biases, head_norms; /* of q, k, v; of the heads of q and k (qwen3 only)    */
    float *embedding;      /* [vocabulary, hidden]                       */
    struct network_layer layer[4];
    float *output_norm, *output; /* [hidden], [vocabulary, hidden]: network_make_head; NULL: not written */
};

/* What is wrong or unusual about a file; zero is a good one. */
struct network_twist {
    const char *leave_out; /* a key or tensor of this name               */
    const char *rename, *as;
    const char *reshape;   /* a tensor with one row too few              */
    const char *retype;    /* a tensor of type ...                       */
    uint32_t type;
    const char *number;    /* a key's number (of an integer key)         */
    uint64_t value;
    const char *architecture;
    bool backwards;        /* tensors in the opposite order              */
    void (*more_keys)(void); /* writes `more` further keys               */
    size_t more;
};

static inline float *network_draw(size_t rows, size_t columns, double mean, double deviation)
{
    float *m = malloc(rows * columns * sizeof *m);
    if (!m)
        bail("no memory for a test's network");
    for (size_t i = 0; i < rows * columns; i++)
        m[i] = (float)(mean + deviation * reference_normal());
    return m;
}

/* Draws what the sizes in *n ask for. */
static inline void network_make(struct network *n)
{
    size_t q = n->heads * n->head_dim, kv = n->kv_heads * n->head_dim, h = n->hidden;
    double scale = 1.0 / sqrt((double)h);
    n->embedding = network_draw(n->vocabulary, h, 0.0, 1.0);
    for (size_t i = 0; i < n->layers; i++)
        n->layer[i] = (struct network_layer){
            .attention_norm = network_draw(1, h, 1.0, 0.1), .ffn_norm = network_draw(1, h, 1.0, 0.1),
            .q = network_draw(q, h, 0.0, scale), .k = network_draw(kv, h, 0.0, scale),
            .v = network_draw(kv, h, 0.0, scale), .output = network_draw(h, q, 0.0, 1.0 / sqrt((double)q)),
            .gate = network_draw(n->intermediate, h, 0.0, scale), .up = network_draw(n->intermediate, h, 0.0, scale),
            .down = network_draw(h, n->intermediate, 0.0, 1.0 / sqrt((double)n->intermediate))};
    for (size_t i = 0; i < n->layers && n->biases; i++) {
        n->layer[i].q_bias = network_draw(1, q, 0.0, 1.0);
        n->layer[i].k_bias = network_draw(1, kv, 0.0, 1.0);
        n->layer[i].v_bias = network_draw(1, kv, 0.0, 1.0);
    }
    for (size_t i = 0; i < n->layers && n->head_norms; i++) {
        n->layer[i].q_norm = network_draw(1, n->head_dim, 1.0, 0.3);
        n->layer[i].k_norm = network_draw(1, n->head_dim, 1.0, 0.3);
    }
    n->factors_short = network_draw(1, n->rotary / 2, 1.1, 0.02);
    n->factors_long = network_draw(1, n->rotary / 2, 3.0, 0.3);
}

/* Draws a head; `tied`: only its norm, the embedding is the matrix. */
static inline void network_make_head(struct network *n, bool tied)
{
    n->output_norm = network_draw(1, n->hidden, 1.0, 0.1);
    n->output = tied ? NULL : network_draw(n->vocabulary, n->hidden, 0.0, 1.0);
}

static inline void network_free(struct network *n)
{
    for (size_t i = 0; i < n->layers; i++) {
        struct network_layer *l = &n->layer[i];
        float *all[] = {l->attention_norm, l->ffn_norm, l->q, l->k, l->v, l->output, l->gate, l->up, l->down,
                        l->q_bias, l->k_bias, l->v_bias, l->q_norm, l->k_norm};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            free(all[j]);
    }
    free(n->embedding), free(n->factors_short), free(n->factors_long), free(n->output_norm), free(n->output);
}

/* A tensor to be written: up to three matrices below each other. */
struct network_tensor {
    char name[64];
    const float *part[3];
    size_t rows[3], columns; /* no rows: a vector */
    bool bias;               /* a vector too, of rows of one column */
    size_t pair_head; /* head_dim when rows become rotary pairs */
};

struct network_list {
    struct network_tensor tensor[96];
    size_t count;
};

static inline struct network_tensor *network_add(struct network_list *list, int layer, const char *name,
                                                 const float *data, size_t rows, size_t columns)
{
    struct network_tensor *t = &list->tensor[list->count++];
    *t = (struct network_tensor){.part = {data}, .rows = {rows}, .columns = columns};
    if (layer < 0)
        snprintf(t->name, sizeof t->name, "%s.weight", name);
    else
        snprintf(t->name, sizeof t->name, "blk.%d.%s.weight", layer, name);
    return t;
}

static inline void network_below(struct network_tensor *t, const float *data, size_t rows)
{
    int i = t->part[1] ? 2 : 1;
    t->part[i] = data;
    t->rows[i] = rows;
}

/* A bias: like a matrix of one column, but its name and shape. */
static inline struct network_tensor *network_add_bias(struct network_list *list, int layer, const char *name,
                                                      const float *data, size_t count)
{
    struct network_tensor *t = network_add(list, layer, name, data, count, 1);
    snprintf(t->name, sizeof t->name, "blk.%d.%s.bias", layer, name);
    t->bias = true;
    return t;
}

static inline void network_list_biases(const struct network *n, enum network_form form, int i, struct network_list *list)
{
    const struct network_layer *l = &n->layer[i];
    size_t q = n->heads * n->head_dim, kv = n->kv_heads * n->head_dim, pairs = form == NETWORK_LLAMA ? n->head_dim : 0;
    if (form == NETWORK_FUSED) {
        struct network_tensor *t = network_add_bias(list, i, "attn_qkv", l->q_bias, q);
        network_below(t, l->k_bias, kv);
        network_below(t, l->v_bias, kv);
        return;
    }
    network_add_bias(list, i, "attn_q", l->q_bias, q)->pair_head = pairs;
    network_add_bias(list, i, "attn_k", l->k_bias, kv)->pair_head = pairs;
    network_add_bias(list, i, "attn_v", l->v_bias, kv);
}

static inline void network_list_layer(const struct network *n, enum network_form form, int i, struct network_list *list)
{
    const struct network_layer *l = &n->layer[i];
    size_t q = n->heads * n->head_dim, kv = n->kv_heads * n->head_dim, h = n->hidden, inner = n->intermediate;
    struct network_tensor *t = network_add(list, i, form == NETWORK_FUSED ? "attn_qkv" : "attn_q", l->q, q, h);
    if (form == NETWORK_FUSED) {
        network_below(t, l->k, kv);
        network_below(t, l->v, kv);
        network_below(network_add(list, i, "ffn_up", l->gate, inner, h), l->up, inner);
    } else {
        size_t pairs = form == NETWORK_LLAMA ? n->head_dim : 0;
        t->pair_head = pairs;
        network_add(list, i, "attn_k", l->k, kv, h)->pair_head = pairs;
        network_add(list, i, "attn_v", l->v, kv, h);
        network_add(list, i, "ffn_gate", l->gate, inner, h);
        network_add(list, i, "ffn_up", l->up, inner, h);
    }
    network_add(list, i, "attn_output", l->output, h, q);
    network_add(list, i, "ffn_down", l->down, h, inner);
    network_add(list, i, "attn_norm", l->attention_norm, 0, h);
    network_add(list, i, "ffn_norm", l->ffn_norm, 0, h);
    if (l->q_bias)
        network_list_biases(n, form, i, list);
    if (l->q_norm) {
        network_add(list, i, "attn_q_norm", l->q_norm, 0, n->head_dim);
        network_add(list, i, "attn_k_norm", l->k_norm, 0, n->head_dim);
    }
}

static inline struct network_list network_tensors(const struct network *n, enum network_form form)
{
    struct network_list list = {.count = 0};
    network_add(&list, -1, "token_embd", n->embedding, n->vocabulary, n->hidden);
    if (n->original) {
        network_add(&list, -1, "rope_factors_short", n->factors_short, 0, n->rotary / 2);
        network_add(&list, -1, "rope_factors_long", n->factors_long, 0, n->rotary / 2);
    }
    if (n->output_norm)
        network_add(&list, -1, "output_norm", n->output_norm, 0, n->hidden);
    if (n->output)
        network_add(&list, -1, "output", n->output, n->vocabulary, n->hidden);
    if (n->always_factors)
        network_add(&list, -1, "rope_freqs", n->factors_short, 0, n->rotary / 2);
    for (size_t i = 0; i < n->layers; i++)
        network_list_layer(n, form, (int)i, &list);
    return list;
}

static inline bool network_is(const char *wanted, const char *name)
{
    return wanted && strcmp(wanted, name) == 0;
}

/* Integer keys that are to be written. */
struct network_keys {
    char text[16][96];
    uint64_t value[16];
    size_t count;
};

static inline void network_key(struct network_keys *keys, const struct network_twist *twist, const char *section,
                               const char *name, uint64_t value)
{
    if (network_is(twist->leave_out, name))
        return;
    snprintf(keys->text[keys->count], sizeof keys->text[0], "%s.%s", section, name);
    keys->value[keys->count++] = network_is(twist->number, name) ? twist->value : value;
}

static inline void network_put_keys(const struct network *n, enum network_form form, const struct network_twist *twist,
                                    size_t tensors)
{
    static struct network_keys keys;
    static const char *const sections[] = {"phi3", "phi3", "llama", "qwen2", "qwen3"};
    const char *own = sections[form];
    bool odd_head = n->head_dim * n->heads != n->hidden;
    keys.count = 0;
    network_key(&keys, twist, own, "block_count", n->layers);
    network_key(&keys, twist, own, "embedding_length", n->hidden);
    network_key(&keys, twist, own, "feed_forward_length", n->intermediate);
    network_key(&keys, twist, own, "attention.head_count", n->heads);
    network_key(&keys, twist, own, "attention.head_count_kv", n->kv_heads);
    network_key(&keys, twist, own, "context_length", n->context);
    network_key(&keys, twist, own, "rope.dimension_count", n->rotary);
    network_key(&keys, twist, own, "attention.sliding_window", n->window);
    if (odd_head) {
        network_key(&keys, twist, own, "attention.key_length", n->head_dim);
        network_key(&keys, twist, own, "attention.value_length", n->head_dim);
    }
    if (n->original)
        network_key(&keys, twist, own, "rope.scaling.original_context_length", n->original);
    bool named = !network_is(twist->leave_out, "general.architecture");
    put_header(3, tensors, keys.count + 1 + named + twist->more);
    if (named)
        put_text_key("general.architecture", twist->architecture ? twist->architecture : own);
    char base[64];
    snprintf(base, sizeof base, "%s.rope.freq_base", own);
    put_key(base, G_F64);
    put_bytes(&n->base, sizeof n->base);
    for (size_t i = 0; i < keys.count; i++)
        put_u32_key(keys.text[i], (uint32_t)keys.value[i]);
    if (twist->more_keys)
        twist->more_keys();
}

/* Row r of a tensor, in the order of the file. */
static inline const float *network_row(const struct network *n, const struct network_tensor *t, size_t r)
{
    if (t->pair_head && r % t->pair_head < n->rotary) {
        size_t d = r % t->pair_head;
        r = r - d + d % 2 * (n->rotary / 2) + d / 2;
    }
    int part = 0;
    while (t->rows[0] && r >= t->rows[part])
        r -= t->rows[part++];
    return t->part[part] + r * t->columns;
}

static inline size_t network_rows(const struct network_tensor *t)
{
    return t->rows[0] ? t->rows[0] + t->rows[1] + t->rows[2] : 1;
}

static inline void network_put_info(const struct network_tensor *t, const struct network_twist *twist, uint64_t offset)
{
    uint32_t type = network_is(twist->retype, t->name) ? twist->type : 0;
    size_t rows = network_rows(t) - network_is(twist->reshape, t->name);
    put_text(network_is(twist->rename, t->name) ? twist->as : t->name);
    put_u32(t->rows[0] && !t->bias ? 2 : 1);
    if (!t->bias)
        put_u64(t->columns);
    if (t->rows[0])
        put_u64(rows);
    put_u32(type);
    put_u64(offset);
}

/* Writes the file and returns its path, valid till the next call. */
static inline const char *network_write(const struct network *n, enum network_form form,
                                        const struct network_twist *twist, const char *name)
{
    static const struct network_twist none = {0};
    static struct network_list list;
    twist = twist ? twist : &none;
    list = network_tensors(n, form);
    size_t count = 0, offset = 0;
    for (size_t i = 0; i < list.count; i++)
        if (!network_is(twist->leave_out, list.tensor[i].name))
            list.tensor[count++] = list.tensor[i];
    for (size_t i = 0; twist->backwards && i < count / 2; i++) {
        struct network_tensor t = list.tensor[i];
        list.tensor[i] = list.tensor[count - 1 - i];
        list.tensor[count - 1 - i] = t;
    }
    network_put_keys(n, form, twist, count);
    for (size_t i = 0; i < count; i++) {
        network_put_info(&list.tensor[i], twist, offset);
        offset += (network_rows(&list.tensor[i]) * list.tensor[i].columns * sizeof(float) + 31) / 32 * 32;
    }
    for (size_t i = 0; i < count; i++) {
        put_data(0, 32);
        for (size_t r = 0; r < network_rows(&list.tensor[i]); r++)
            put_bytes(network_row(n, &list.tensor[i], r), list.tensor[i].columns * sizeof(float));
    }
    put_data(0, 32);
    return save_file(name);
}

#endif
