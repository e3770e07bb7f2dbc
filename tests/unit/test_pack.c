/* test_pack.c - a packed model is the model: every weight, every vector, every fingerprint. */
#include "failing_memory.h"
#include "model/fingerprint.h"
#include "model/pack.h"
#include "opened_model.h"

static struct network small(void)
{
    return (struct network){.layers = 2, .hidden = 64, .intermediate = 40, .heads = 4, .kv_heads = 2, .head_dim = 16,
                            .rotary = 12, .vocabulary = 20, .context = 128, .original = 32, .base = 10000.0};
}

static struct error e;

static const char *path_of(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", tap_folder(), name);
    return path;
}

static bool same_matrix(const struct weight *a, const struct weight *b)
{
    static float left[128], right[128];
    bool same = a->outputs == b->outputs && a->inputs == b->inputs && a->inputs <= 128 &&
                a->tensor->format == b->tensor->format && !b->pair_head && b->first == 0;
    for (size_t r = 0; r < a->outputs && same; r++) {
        weights_decode(a, r, 0, a->inputs, left);
        weights_decode(b, r, 0, b->inputs, right);
        same = memcmp(left, right, a->inputs * sizeof *left) == 0;
    }
    return same;
}

static bool same_layer(struct weights_layer *a, struct weights_layer *b)
{
    bool same = same_matrix(&a->q, &b->q) && same_matrix(&a->k, &b->k) && same_matrix(&a->v, &b->v) &&
                same_matrix(&a->output, &b->output) && same_matrix(&a->gate, &b->gate) && same_matrix(&a->up, &b->up) &&
                same_matrix(&a->down, &b->down);
    for (size_t i = 0; weights_vector_at(a, i) && same; i++) {
        const struct weights_vector *left = weights_vector_at(a, i), *right = weights_vector_at(b, i);
        same = !left->tensor == !right->tensor && left->count == right->count &&
               (!left->tensor || memcmp(left->values, right->values, left->count * sizeof *left->values) == 0);
    }
    return same;
}

/* What a .knot says of a layer, or of the globals, and what its weights say. */
static bool same_fingerprint(struct opened *o, struct opened *k, size_t layer)
{
    uint64_t source[2], stored[2], made[2];
    bool global = layer == o->weights.layers;
    enum status s = fingerprint_known(o->file, &o->config, &o->weights, layer, source, &e);
    if (s == STATUS_OK)
        s = fingerprint_known(k->file, &k->config, &k->weights, layer, stored, &e);
    if (s == STATUS_OK)
        s = global ? fingerprint_globals(&k->config, &k->weights, made, &e)
                   : fingerprint_layer(&k->config, &k->weights, layer, made, &e);
    return s == STATUS_OK && memcmp(source, stored, sizeof source) == 0 && memcmp(source, made, sizeof source) == 0 &&
           memcmp(model_file_section_at(k->file, global ? 0 : layer + 1)->fingerprint, stored, sizeof stored) == 0;
}

static enum status pack(struct opened *o, const char *name)
{
    struct pack_result result = {0};
    return pack_write(path_of(name), o->file, &o->config, &o->weights, NULL, &result, &e);
}

static void packed(struct network *n, enum network_form form, const char *what)
{
    struct opened o = opened_network(n, form, NULL, "m.gguf"), k;
    bool layers = true, prints = true, sections = true;
    is_int(pack(&o, "m.knot"), STATUS_OK, "%s is packed", what);
    if (opened_try(&k, path_of("m.knot"), &e) != STATUS_OK)
        bail("%s %s", e.sentence, e.where);
    for (size_t i = 0; i < n->layers; i++)
        layers = layers && same_layer(&o.weights.layer[i], &k.weights.layer[i]);
    for (size_t i = 0; i <= n->layers; i++)
        prints = prints && same_fingerprint(&o, &k, i) && model_file_verify(k.file, i, &e) == STATUS_OK;
    ok(layers, "its layers are the same, rows in the order in which they are used");
    ok(prints, "and so are fingerprints, the stored ones and those that its weights have");
    for (size_t i = 0; i < model_file_tensor_count(k.file); i++) {
        const struct model_file_tensor *t = model_file_tensor_at(k.file, i);
        size_t layer = t->name.bytes[0] == 'b' ? (size_t)(t->name.bytes[4] - '0') + 1 : 0;
        const struct model_file_section *s = model_file_section_at(k.file, layer);
        sections = sections && t->position >= s->position && t->position + t->size <= s->position + s->size;
    }
    ok(sections, "each tensor lies in its layer's section");
    opened_close(&k);
    opened_close(&o);
}

/* Packing what was packed gives the same bytes; damage is not given a checksum of its own. */
static void again(struct network *n)
{
    struct opened o = opened_network(n, NETWORK_LLAMA, NULL, "m.gguf"), k;
    if (pack(&o, "m.knot") != STATUS_OK || opened_try(&k, path_of("m.knot"), &e) != STATUS_OK)
        bail("%s", e.sentence);
    is_int(pack(&k, "again.knot"), STATUS_OK, "a .knot is packed again");
    struct mapping a, b;
    if (mapping_open(&b, path_of("again.knot"), &e) != STATUS_OK || mapping_open(&a, path_of("m.knot"), &e) != STATUS_OK)
        bail("%s", e.sentence);
    ok(a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0, "and is the same");
    size_t at = (size_t)k.weights.layer[1].up.tensor->position;
    FILE *f = fopen(path_of("m.knot"), "r+b");
    if (!f || fseek(f, (long)at, SEEK_SET) != 0 || fputc(a.bytes[at] ^ 1, f) == EOF || fclose(f) != 0)
        bail("can't change a file");
    is_int(pack(&k, "again.knot"), STATUS_INPUT, "a damaged one isn't");
    is_string(e.where, "layer 1", "and is told by its layer");
    mapping_close(&a);
    mapping_close(&b);
    opened_close(&k);
    opened_close(&o);
}

static void short_of_memory(struct network *n)
{
    struct opened o = opened_network(n, NETWORK_LLAMA, NULL, "m.gguf");
    enum status s = STATUS_FAILED;
    long held = failing_memory_held;
    int failures = 0;
    for (long left = 0; s != STATUS_OK && left < 300; left++) {
        failing_memory_left = left;
        s = pack(&o, "short.knot");
        failing_memory_left = -1;
        failures += s == STATUS_FAILED;
    }
    ok(s == STATUS_OK && failures > 5, "each of %d allocations may fail", failures);
    is_int(failing_memory_held, held, "and all memory is given back");
    opened_close(&o);
}

int main(void)
{
    struct network n = small();
    network_make(&n);
    network_make_head(&n, false);
    packed(&n, NETWORK_FUSED, "phi3 with fused tensors");
    packed(&n, NETWORK_APART, "phi3 with separate tensors");
    packed(&n, NETWORK_LLAMA, "llama, whose q and k are rotary pairs,");
    again(&n);
    short_of_memory(&n);
    network_free(&n);
    n = small();
    n.biases = true;
    network_make(&n);
    packed(&n, NETWORK_QWEN2, "qwen2 with biases");
    packed(&n, NETWORK_FUSED, "phi3 with fused biases");
    packed(&n, NETWORK_LLAMA, "llama with biases of rotary pairs");
    network_free(&n);
    n = small();
    n.head_norms = true;
    network_make(&n);
    packed(&n, NETWORK_QWEN3, "qwen3 with norms of heads");
    network_free(&n);
    return tap_done();
}
