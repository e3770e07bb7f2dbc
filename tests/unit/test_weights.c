/* test_weights.c - tensors found in every form of a file, and each fault named. */
#include "failing_memory.h"
#include "opened_model.h"

static struct network small(void)
{
    return (struct network){.layers = 2, .hidden = 64, .intermediate = 40, .heads = 4, .kv_heads = 2, .head_dim = 16,
                            .rotary = 12, .vocabulary = 20, .context = 128, .base = 10000.0};
}

/* Whether all rows of w, whole and in parts, are those of m. */
static bool rows_are(const struct weight *w, const float *m, size_t outputs, size_t inputs)
{
    float row[64], part[64];
    bool same = w->outputs == outputs && w->inputs == inputs;
    for (size_t r = 0; r < outputs && same; r++) {
        weights_decode(w, r, 0, inputs, row);
        weights_decode(w, r, 3, inputs - 7, part);
        same = memcmp(row, m + r * inputs, inputs * sizeof *row) == 0 &&
               memcmp(part, row + 3, (inputs - 7) * sizeof *row) == 0;
    }
    return same;
}

static bool layer_is(const struct weights_layer *w, const struct network *n, size_t i)
{
    const struct network_layer *l = &n->layer[i];
    size_t q = n->heads * n->head_dim, kv = n->kv_heads * n->head_dim, h = n->hidden, inner = n->intermediate;
    return rows_are(&w->q, l->q, q, h) && rows_are(&w->k, l->k, kv, h) && rows_are(&w->v, l->v, kv, h) &&
           rows_are(&w->output, l->output, h, q) && rows_are(&w->gate, l->gate, inner, h) &&
           rows_are(&w->up, l->up, inner, h) && rows_are(&w->down, l->down, h, inner) &&
           memcmp(w->attention_norm.values, l->attention_norm, h * sizeof(float)) == 0 &&
           memcmp(w->ffn_norm.values, l->ffn_norm, h * sizeof(float)) == 0;
}

static void forms(void)
{
    static const char *const name[] = {"fused", "apart", "llama"};
    struct network n = small();
    network_make(&n);
    for (int form = NETWORK_FUSED; form <= NETWORK_LLAMA; form++) {
        struct opened o = opened_network(&n, (enum network_form)form, NULL, "model.gguf");
        ok(o.weights.layers == 2 && layer_is(&o.weights.layer[0], &n, 0) && layer_is(&o.weights.layer[1], &n, 1),
           "%s: every matrix and norm, rotary rows in halves order", name[form]);
        ok(rows_are(&o.weights.embedding, n.embedding, n.vocabulary, n.hidden), "%s: the embedding", name[form]);
        ok(!o.weights.longrope && !o.weights.factors_short && !o.weights.factors_long, "%s: no rotary factors", name[form]);
        is_string(o.weights.types, form == NETWORK_FUSED ? "F32 13" : "F32 19", "%s: tensors counted by type", name[form]);
        opened_close(&o);
    }
    network_free(&n);
}

static bool vector_is(const struct weights_vector *v, const float *m, size_t count)
{
    return v->count == count && v->values && memcmp(v->values, m, count * sizeof *m) == 0;
}

/* Biases follow their rows; a llama file's stand in another order. */
static void biases_and_norms(void)
{
    static const char *const name[] = {"fused", "apart", "llama", "qwen2", "qwen3"};
    for (int form = NETWORK_FUSED; form <= NETWORK_QWEN3; form++) {
        struct network n = small();
        n.biases = true;
        n.head_norms = form == NETWORK_QWEN3;
        network_make(&n);
        struct opened o = opened_network(&n, (enum network_form)form, NULL, "model.gguf");
        bool right = true;
        for (size_t i = 0; i < n.layers; i++) {
            const struct network_layer *l = &n.layer[i];
            const struct weights_layer *w = &o.weights.layer[i];
            right = right && layer_is(w, &n, i) && vector_is(&w->q_bias, l->q_bias, 64) && vector_is(&w->k_bias, l->k_bias, 32) &&
                    vector_is(&w->v_bias, l->v_bias, 32);
            right = right && (n.head_norms ? vector_is(&w->q_norm, l->q_norm, 16) && vector_is(&w->k_norm, l->k_norm, 16)
                                           : !w->q_norm.values && !w->k_norm.tensor);
        }
        ok(right, "%s: biases in the order of halves%s", name[form], n.head_norms ? ", norms of heads" : "");
        opened_close(&o);
        network_free(&n);
    }
}

static void factors(void)
{
    struct network n = small();
    n.original = 32;
    network_make(&n);
    size_t bytes = n.rotary / 2 * sizeof(float);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    ok(o.weights.longrope && memcmp(o.weights.factors_short, n.factors_short, bytes) == 0 &&
           memcmp(o.weights.factors_long, n.factors_long, bytes) == 0, "LongRoPE's factors are read");
    opened_close(&o);
    n.original = 0;
    n.always_factors = true;
    o = opened_network(&n, NETWORK_LLAMA, NULL, "model.gguf");
    ok(!o.weights.longrope && memcmp(o.weights.factors_short, n.factors_short, bytes) == 0 &&
           memcmp(o.weights.factors_long, n.factors_short, bytes) == 0, "rope_freqs hold for every prompt");
    opened_close(&o);
    network_free(&n);
}

static void refused(const struct network *n, enum network_form form, const struct network_twist *twist,
                    const char *tensor, const char *says)
{
    struct opened o;
    struct error e;
    bool right = opened_try(&o, network_write(n, form, twist, "model.gguf"), &e) == STATUS_INPUT;
    ok(right && strstr(e.where, tensor) && strstr(e.sentence, says) && strstr(e.file, "model.gguf") && e.advice[0],
       "%s: '%s' (%s)", tensor, e.sentence, e.where);
}

static void missing(void)
{
    static const char *const fused[] = {"blk.0.attn_norm.weight", "blk.1.ffn_norm.weight", "blk.1.attn_output.weight",
                                        "blk.0.ffn_up.weight", "blk.1.ffn_down.weight", "rope_factors_short.weight",
                                        "rope_factors_long.weight"};
    static const char *const apart[] = {"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.1.attn_v.weight",
                                        "blk.1.ffn_gate.weight", "blk.0.ffn_up.weight"};
    struct network n = small();
    n.original = 32;
    network_make(&n);
    for (size_t i = 0; i < sizeof fused / sizeof *fused; i++) {
        struct network_twist twist = {.leave_out = fused[i]};
        refused(&n, NETWORK_FUSED, &twist, fused[i], "a tensor is missing");
    }
    n.original = 0;
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        struct network_twist twist = {.leave_out = apart[i]};
        refused(&n, NETWORK_LLAMA, &twist, apart[i], "a tensor is missing");
    }
    network_free(&n);
}

/* Parts that an architecture, or the first layer, calls for. */
static void missing_parts(void)
{
    struct network n = small();
    network_make(&n);
    refused(&n, NETWORK_QWEN2, NULL, "blk.0.attn_q.bias", "a tensor is missing");
    refused(&n, NETWORK_QWEN3, NULL, "blk.0.attn_q_norm.weight", "a tensor is missing");
    network_free(&n);
    n = small();
    n.biases = n.head_norms = true;
    network_make(&n);
    struct network_twist twist = {.leave_out = "blk.1.attn_v.bias"};
    refused(&n, NETWORK_QWEN3, &twist, "blk.1.attn_v.bias", "a tensor is missing");
    twist.leave_out = "blk.1.attn_k_norm.weight";
    refused(&n, NETWORK_QWEN3, &twist, "blk.1.attn_k_norm.weight", "a tensor is missing");
    twist = (struct network_twist){.reshape = "blk.1.attn_qkv.bias"};
    n.head_norms = false;
    for (size_t i = 0; i < n.layers; i++) {
        free(n.layer[i].q_norm), free(n.layer[i].k_norm);
        n.layer[i].q_norm = n.layer[i].k_norm = NULL;
    }
    refused(&n, NETWORK_FUSED, &twist, "blk.1.attn_qkv.bias", "has the shape [127, 1], expected [128, 1]");
    twist = (struct network_twist){.leave_out = "blk.0.attn_q.bias"};
    refused(&n, NETWORK_LLAMA, &twist, "bias", "a part that this version doesn't run");
    network_free(&n);
}

static void wrong_ones(void)
{
    struct network n = small();
    network_make(&n);
    struct network_twist twist = {.reshape = "blk.1.attn_qkv.weight"};
    refused(&n, NETWORK_FUSED, &twist, "blk.1.attn_qkv.weight", "has the shape [64, 127], expected [64, 128]");
    twist.reshape = "blk.0.ffn_up.weight";
    refused(&n, NETWORK_FUSED, &twist, "blk.0.ffn_up.weight", "has the shape [64, 79], expected [64, 80]");
    twist.reshape = "blk.0.attn_k.weight";
    refused(&n, NETWORK_LLAMA, &twist, "blk.0.attn_k.weight", "has the shape [64, 31], expected [64, 32]");
    twist = (struct network_twist){.number = "block_count", .value = 3};
    refused(&n, NETWORK_FUSED, &twist, "blk.2.attn_norm.weight", "a tensor is missing");
    twist.value = 1;
    refused(&n, NETWORK_FUSED, &twist, "blk.1.", "a layer past the last one");
    twist = (struct network_twist){.retype = "blk.1.ffn_down.weight", .type = 26};
    refused(&n, NETWORK_FUSED, &twist, "blk.1.ffn_down.weight", "a tensor of weights has type I32: integers");
    network_free(&n);
}

/* A number of layers that the file can't hold is refused before anything is allocated for them. */
static void claimed_layers(void)
{
    struct network n = small();
    struct network_twist twist = {.number = "block_count", .value = 4096};
    struct model_file *file = NULL;
    struct config config;
    struct weights w;
    struct error e;
    error_clear(&e);
    network_make(&n);
    bool opened = model_file_open(&file, network_write(&n, NETWORK_FUSED, &twist, "model.gguf"), &e) == STATUS_OK &&
                  config_read(&config, file, &e) == STATUS_OK;
    failing_memory_left = 0;
    enum status s = opened ? weights_open(&w, &config, file, &e) : STATUS_FAILED;
    failing_memory_left = -1;
    ok(s == STATUS_INPUT && strstr(e.where, "blk.2.attn_norm.weight") && strstr(e.sentence, "a tensor is missing"),
       "4096 layers in a file of 2: '%s' (%s), and no memory was taken", e.sentence, e.where);
    model_file_close(file);
    network_free(&n);
}

/* Parts of other graphs in a tensor's place. */
static void extras(void)
{
    static const char *const parts[] = {"attn_q.bias", "attn_qkv.bias", "attn_q_norm.weight", "ffn_gate_inp.weight",
                                        "post_attention_norm.weight", "ffn_up_shexp.weight"};
    struct network n = small();
    n.layers = 3;
    network_make(&n);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[64];
        snprintf(name, sizeof name, "blk.1.%s", parts[i]);
        struct network_twist twist = {.rename = "blk.2.attn_norm.weight", .as = name};
        refused(&n, NETWORK_FUSED, &twist, name, "a part that this version doesn't run");
    }
    struct network_twist twist = {.rename = "blk.2.attn_norm.weight", .as = "blk.1.ffn_up.scale"};
    refused(&n, NETWORK_FUSED, &twist, "blk.1.ffn_up.scale", "a matrix has a factor in a tensor of its own");
    network_free(&n);
}

static void bad_factors(void)
{
    static const float values[] = {0.0f, -1.0f, NAN, INFINITY, 0.001f};
    struct network n = small();
    n.original = 32;
    network_make(&n);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        float *set = i % 2 ? n.factors_long : n.factors_short, before = set[3];
        set[3] = values[i];
        refused(&n, NETWORK_FUSED, NULL, i % 2 ? "rope_factors_long.weight" : "rope_factors_short.weight",
                "a rotary factor is too small or no number");
        set[3] = before;
    }
    network_free(&n);
}

static void no_memory(void)
{
    struct network n = small();
    n.original = 32;
    network_make(&n);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct weights w;
    struct error e;
    bool failed = true;
    enum status s = STATUS_FAILED;
    long count = 0, held = failing_memory_held;
    for (; s != STATUS_OK && count < 100; count++) {
        failing_memory_left = count;
        s = weights_open(&w, &o.config, o.file, &e);
        failing_memory_left = -1;
        failed = failed && (s == STATUS_OK || (s == STATUS_FAILED && failing_memory_held == held && !w.layer));
    }
    ok(failed, "each failing allocation is told, and nothing stays behind");
    is_int(count, 8, "seven allocations were tried");
    weights_free(&w);
    is_int(failing_memory_held, held, "all is given back");
    weights_free(&w);
    opened_close(&o);
    network_free(&n);
}

int main(void)
{
    forms();
    biases_and_norms();
    factors();
    missing();
    missing_parts();
    wrong_ones();
    claimed_layers();
    extras();
    bad_factors();
    no_memory();
    return tap_done();
}
