/* test_fingerprint.c - a model's name follows what it computes, not its file. */
#include "failing_memory.h"
#include "model/fingerprint.h"
#include "opened_model.h"

static struct network small(void)
{
    return (struct network){.layers = 2, .hidden = 64, .intermediate = 40, .heads = 4, .kv_heads = 2, .head_dim = 16,
                            .rotary = 12, .vocabulary = 20, .context = 128, .original = 32, .base = 10000.0};
}

struct hashes {
    uint64_t globals[2], layer[2][2], model[2];
    uint64_t header[2], bytes[3][2]; /* of the file: layers, then the embedding     */
};

static struct hashes hashes_of(const struct network *n, enum network_form form, const struct network_twist *twist)
{
    struct opened o = opened_network(n, form, twist, "model.gguf");
    struct hashes h;
    struct error e;
    if (fingerprint_globals(&o.config, &o.weights, h.globals, &e) != STATUS_OK)
        bail("no memory for a fingerprint");
    for (size_t i = 0; i < 2; i++)
        if (fingerprint_layer(&o.config, &o.weights, i, h.layer[i], &e) != STATUS_OK)
            bail("no memory for a fingerprint");
    fingerprint_model(h.globals, (const uint64_t(*)[2])h.layer, 2, h.model);
    fingerprint_header(o.file, h.header);
    for (size_t i = 0; i < 3; i++)
        fingerprint_bytes(&o.config, &o.weights, i, h.bytes[i]);
    opened_close(&o);
    return h;
}

static bool same(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

static bool all_same(const struct hashes *a, const struct hashes *b)
{
    return same(a->globals, b->globals) && same(a->layer[0], b->layer[0]) && same(a->layer[1], b->layer[1]) &&
           same(a->model, b->model);
}

/* Whether a change of one float, the next number, changes exactly the hash it should. */
static void changes(struct network *n, float *value, int where, const char *what)
{
    enum network_form form = n->head_norms ? NETWORK_QWEN3 : NETWORK_FUSED;
    struct hashes before = hashes_of(n, form, NULL);
    float old = *value;
    *value = nextafterf(old, 10.0f);
    struct hashes after = hashes_of(n, form, NULL);
    *value = old;
    ok(same(before.globals, after.globals) == (where != -1) && same(before.layer[0], after.layer[0]) == (where != 0) &&
           same(before.layer[1], after.layer[1]) == (where != 1) && !same(before.model, after.model),
       "the last bit of one weight of %s shows", what);
    ok(same(before.bytes[2], after.bytes[2]) == (where != -1) && same(before.bytes[0], after.bytes[0]) == (where != 0) &&
           same(before.bytes[1], after.bytes[1]) == (where != 1) && same(before.header, after.header),
       "and among the bytes of the file's tensors, in its place");
}

static void forms(void)
{
    struct network n = small();
    network_make(&n);
    struct hashes fused = hashes_of(&n, NETWORK_FUSED, NULL), apart = hashes_of(&n, NETWORK_APART, NULL);
    ok(all_same(&fused, &apart), "fused and separate tensors of one model have one name");
    struct network_twist backwards = {.backwards = true};
    struct hashes turned = hashes_of(&n, NETWORK_FUSED, &backwards);
    ok(all_same(&fused, &turned), "the order of tensors in the file is nothing");
    struct hashes llama = hashes_of(&n, NETWORK_LLAMA, NULL);
    ok(same(fused.layer[0], llama.layer[0]) && same(fused.layer[1], llama.layer[1]),
       "the layers of a llama file, whose rows stand in another order, have the same names");
    ok(!same(fused.globals, llama.globals), "its architecture is another");
    ok(!same(fused.layer[0], fused.layer[1]), "two layers differ");
    struct network_twist context = {.number = "context_length", .value = 256};
    struct hashes longer = hashes_of(&n, NETWORK_FUSED, &context);
    ok(!same(fused.header, longer.header) && same(fused.bytes[2], longer.bytes[2]), "and has another header");
    ok(!same(fused.globals, longer.globals) && same(fused.layer[0], longer.layer[0]), "another context is another model");
    uint64_t swapped[2][2] = {{fused.layer[1][0], fused.layer[1][1]}, {fused.layer[0][0], fused.layer[0][1]}}, hash[2];
    fingerprint_model(fused.globals, (const uint64_t(*)[2])swapped, 2, hash);
    ok(!same(hash, fused.model), "layers in another order are another model");
    network_free(&n);
}

static void single_weights(void)
{
    struct network n = small();
    network_make(&n);
    changes(&n, &n.embedding[77], -1, "the embedding");
    changes(&n, &n.factors_short[5], -1, "the short factors");
    changes(&n, &n.factors_long[0], -1, "the long factors");
    changes(&n, &n.layer[0].attention_norm[63], 0, "the attention's norm");
    changes(&n, &n.layer[1].ffn_norm[0], 1, "the FFN's norm");
    changes(&n, &n.layer[0].q[100], 0, "q");
    changes(&n, &n.layer[1].k[2047], 1, "k");
    changes(&n, &n.layer[0].v[5], 0, "v");
    changes(&n, &n.layer[1].output[4095], 1, "the attention's output");
    changes(&n, &n.layer[1].gate[2559], 1, "gate");
    changes(&n, &n.layer[0].up[2559], 0, "up");
    changes(&n, &n.layer[0].down[2559], 0, "down");
    network_free(&n);
}

static void biases_and_norms(void)
{
    struct network n = small();
    n.original = 0;
    n.biases = true;
    network_make(&n);
    struct hashes fused = hashes_of(&n, NETWORK_FUSED, NULL), llama = hashes_of(&n, NETWORK_LLAMA, NULL),
                  qwen2 = hashes_of(&n, NETWORK_QWEN2, NULL);
    ok(same(fused.layer[0], llama.layer[0]) && same(fused.layer[1], qwen2.layer[1]) && !same(fused.globals, qwen2.globals),
       "biases in the order of any file have the same name");
    network_free(&n);
    n.head_norms = true;
    network_make(&n);
    changes(&n, &n.layer[0].q_bias[63], 0, "q's biases");
    changes(&n, &n.layer[1].k_bias[0], 1, "k's biases");
    changes(&n, &n.layer[0].v_bias[31], 0, "v's biases");
    changes(&n, &n.layer[1].q_norm[15], 1, "the norm of q's heads");
    changes(&n, &n.layer[0].k_norm[0], 0, "the norm of k's heads");
    network_free(&n);
}

/* Python's xxhash gives the same for the six numbers, little-endian. Old archives hold such names. */
static void pinned(void)
{
    static const uint64_t globals[2] = {1, 2}, layers[2][2] = {{3, 4}, {5, 6}};
    uint64_t hash[2];
    fingerprint_model(globals, layers, 2, hash);
    ok(hash[0] == 0xe5c1652568e2ad91u && hash[1] == 0x4318c25aa0806c63u, "the hash of known layers is what it was: %016llx %016llx",
       (unsigned long long)hash[0], (unsigned long long)hash[1]);
}

static void no_memory(void)
{
    struct network n = small();
    network_make(&n);
    struct opened o = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf");
    struct error e;
    uint64_t hash[2];
    long held = failing_memory_held;
    failing_memory_left = 0;
    enum status layer = fingerprint_layer(&o.config, &o.weights, 0, hash, &e);
    enum status globals = fingerprint_globals(&o.config, &o.weights, hash, &e);
    failing_memory_left = -1;
    ok(layer == STATUS_FAILED && globals == STATUS_FAILED && failing_memory_held == held, "want of memory is told");
    opened_close(&o);
    network_free(&n);
}

int main(void)
{
    forms();
    single_weights();
    biases_and_norms();
    pinned();
    no_memory();
    return tap_done();
}
