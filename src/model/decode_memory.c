/* decode_memory.c - see decode_memory.h: footprint.c's account of the forward pass, and what a session has besides. */
#include "decode_memory.h"

#include "../base/memory.h"
#include "band.h"
#include "footprint.h"
#include "row_product.h"

/* A sum under way; `bad` once anything did not fit. */
struct total {
    size_t bytes;
    bool bad;
};

static void add(struct total *t, size_t count, size_t size)
{
    size_t bytes;
    if (!memory_multiply(count, size, &bytes) || !memory_add(t->bytes, bytes, &t->bytes))
        t->bad = true;
}

/* `cut`: its rows are read in part, so that its vector form is no part of a whole one's. */
static void add_matrix(struct total *mapped, struct total *repacked, const struct weight *w, bool cut,
                       const struct kernels *kernels, const struct decode_options *o)
{
    add(mapped, w->outputs, w->row_bytes);
    if (o->repack && (cut || !o->like))
        add(repacked, row_product_bytes(w, kernels, o->mode), 1);
}

/* footprint.c's figure for a forward pass of one text in chunks. */
static enum status forward_bytes(uint64_t *bytes, const struct config *c, const struct weights *w,
                                 const struct decode_options *o, size_t threads, struct error *e)
{
    struct footprint_weights sizes = {.layers = c->layers, .long_factors = w->factors_long != NULL};
    const struct footprint_load load = {o->batch_tokens, threads, o->capacity, o->capacity, o->mode};
    struct footprint all;
    enum status s = memory_array(&sizes.layer, c->layers, sizeof *sizes.layer, "the layers' sizes", e);
    if (s == STATUS_OK)
        s = footprint_of(&all, c, &sizes, &load, (struct footprint_stage){0, c->layers}, e);
    memory_free(sizes.layer);
    if (s == STATUS_OK)
        *bytes = all.working;
    return s;
}

enum status decode_memory_of(struct decode_memory *m, const struct config *c, const struct weights *w,
                             const struct weights_head *head, const struct kernels *kernels,
                             const struct decode_options *o, size_t threads, struct error *e)
{
    struct total mapped = {0, false}, repacked = {0, false}, cache = {0, false}, working = {0, false};
    uint64_t forward = 0;
    enum status s = forward_bytes(&forward, c, w, o, threads, e);
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; i < c->layers; i++) {
        const struct weights_layer *l = &w->layer[i];
        const struct weight *const all[] = {&l->q, &l->k, &l->v, &l->output, &l->gate, &l->up, &l->down};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            add_matrix(&mapped, &repacked, all[k], all[k] == &l->down && o->half, kernels, o);
    }
    add_matrix(&mapped, &repacked, &head->matrix, false, kernels, o);
    if (!head->tied)
        add(&mapped, w->embedding.outputs, w->embedding.row_bytes);
    size_t layer;
    cache.bad = o->capacity > SIZE_MAX / 2 || !memory_multiply(band_capacity(o->capacity), band_shape(c).cache, &layer) ||
                !memory_multiply(layer, sizeof(float), &layer);
    if (!cache.bad)
        add(&cache, c->layers, layer);
    add(&working, forward, 1);
    add(&working, o->logit_rows, c->vocabulary * sizeof(float));
    size_t rows = o->separate ? o->batch_tokens : 1; /* gate and up as a whole */
    add(&working, rows, 2 * (c->intermediate + FORWARD_BLOCK) * sizeof(float));
    add(&working, o->batch_tokens, c->hidden * sizeof(float));
    *m = (struct decode_memory){mapped.bytes, repacked.bytes, cache.bytes, working.bytes};
    if (!mapped.bad && !repacked.bad && !cache.bad && !working.bad)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "a text of %zu tokens needs more memory than 64 bits can count", o->capacity);
    return error_advice(e, "use a shorter one");
}

enum status decode_memory_check(const struct decode_memory *m, const struct decode_options *o, struct error *e)
{
    const double mib = 1 << 20;
    const uint64_t own = m->repacked + m->cache + m->working, all = own + m->weights;
    if (o->memory == 0 || all <= o->memory)
        return STATUS_OK;
    error_set(e, STATUS_INPUT,
              "a text of %zu tokens takes %.1f MiB of memory (weights %.1f, repacked %.1f, keys and values %.1f), and %.1f MiB "
              "are left", o->capacity, (double)all / mib, (double)m->weights / mib, (double)m->repacked / mib,
              (double)m->cache / mib, (double)o->memory / mib);
    return error_advice(e, "use a shorter text, a smaller model or a machine with more memory");
}
