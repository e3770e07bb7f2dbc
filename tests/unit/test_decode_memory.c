/* test_decode_memory.c - what a generation session is said to take against what it takes. */
#include "base/threads.h"
#include "counted_memory.h"
#include "model/decode_memory.h"
#include "opened_model.h"

#define CAPACITY 120

struct model {
    struct opened opened;
    struct weights_head head;
    const struct kernels *kernels;
};

/* The most bytes in use while a text fills the session, which is left open in *d. */
static size_t fill(const struct model *m, const struct decode_options *o, struct decode **d)
{
    static int32_t ids[CAPACITY];
    struct error e;
    const size_t before = counted_memory.now;
    counted_memory.peak = before;
    if (decode_open(d, &m->opened.config, &m->opened.weights, &m->head, m->kernels, o, &e) != STATUS_OK ||
        decode_feed(*d, ids, CAPACITY - 1, NULL, &e) != STATUS_OK || decode_feed(*d, ids, 1, NULL, &e) != STATUS_OK)
        bail("a session can't be filled: %s", e.sentence);
    decode_logits(*d);
    return counted_memory.peak - before;
}

/* Half of a network's weights have half the neurons, as decode_open would have it. */
static struct decode_memory planned(const struct model *m, const struct decode_options *o)
{
    struct decode_memory memory;
    struct config c = m->opened.config;
    struct weights w = m->opened.weights;
    struct weights_layer layer[4];
    struct error e;
    memcpy(layer, w.layer, c.layers * sizeof *layer);
    for (size_t i = 0; i < c.layers && o->half; i++)
        layer[i].gate.outputs = layer[i].up.outputs = layer[i].down.inputs = c.intermediate / 2;
    c.intermediate = o->half ? c.intermediate / 2 : c.intermediate;
    w.layer = layer;
    if (decode_memory_of(&memory, &c, &w, &m->head, m->kernels, o, (size_t)threads_count(), &e) != STATUS_OK)
        bail("no plan: %s", e.sentence);
    return memory;
}

static void compare(const struct model *m, const struct decode_options *o, const char *what)
{
    struct decode *d;
    const struct decode_memory plan = planned(m, o);
    const size_t real = fill(m, o, &d), all = (size_t)(plan.repacked + plan.cache + plan.working);
    decode_close(d);
    diag("%s: %zu bytes, planned %zu", what, real, all);
    ok(real <= all, "%s: no more than planned", what);
    ok((double)all <= 1.5 * (double)real, "%s: not much less either", what);
}

static void sessions(struct model *m)
{
    struct decode_options o = {.capacity = CAPACITY, .batch_tokens = 16, .logit_rows = 5};
    struct decode *whole;
    compare(m, &o, "chunks");
    for (int mode = 0; mode < (int)KERNELS_MODES; mode++) {
        o.mode = (enum kernels_mode)mode;
        o.repack = true;
        compare(m, &o, "repacked");
        o.separate = true;
        compare(m, &o, "gate and up apart");
        o.half = true;
        compare(m, &o, "half the neurons");
        o.half = o.separate = o.repack = false;
    }
    o = (struct decode_options){.capacity = CAPACITY, .batch_tokens = 16, .logit_rows = 1, .repack = true};
    fill(m, &o, &whole);
    o.half = true;
    o.like = whole;
    compare(m, &o, "half, like a whole one");
    decode_close(whole);
    o = (struct decode_options){.capacity = CAPACITY, .batch_tokens = CAPACITY, .logit_rows = CAPACITY};
    compare(m, &o, "one chunk with all its logits");
}

int main(void)
{
    struct network n = {.layers = 3, .hidden = 96, .intermediate = 256, .heads = 6, .kv_heads = 2, .head_dim = 16, .rotary = 16,
                        .vocabulary = 200, .context = 128, .base = 10000.0};
    struct error e;
    network_make(&n);
    network_make_head(&n, false);
    struct model m = {.opened = opened_network(&n, NETWORK_FUSED, NULL, "model.gguf"), .kernels = kernels_at(0)};
    if (weights_head_open(&m.head, &m.opened.config, m.opened.file, &e) != STATUS_OK)
        bail("a good head doesn't open: %s", e.sentence);
    for (int threads = 1; threads <= 2; threads++) {
        threads_set(threads);
        sessions(&m);
    }
    weights_head_free(&m.head);
    opened_close(&m.opened);
    network_free(&n);
    return tap_done();
}
