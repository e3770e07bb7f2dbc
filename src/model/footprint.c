/* footprint.c - adds up what forward.c and accumulator.c allocate; see footprint.h.
 *
 * The terms stand in the order of the allocations in forward.c, so that the two can be read side by
 * side. Buffers that grow with the batch go through memory_grow, which doubles: an array of w
 * elements takes memory_grown(0, w), and while it grows the old half is still there. Prompts
 * come longest first (cluster/schedule.h), so an array grows later on only where batches of
 * several prompts can be larger than the first.
 *
 * Every product and sum is checked (base/memory.h): sizes come from files. A sum that overflows makes
 * the whole one bad, which is looked at once, at the end.
 */
#include "footprint.h"

#include <assert.h>
#include <string.h>

#include "../base/memory.h"
#include "../stats/accumulator.h"
#include "forward_state.h"

#define LINE 64

enum status footprint_weights_read(struct footprint_weights *w, const struct model_file *file, size_t layers,
                                   struct error *e)
{
    memset(w, 0, sizeof *w);
    enum status s = memory_array(&w->layer, layers, sizeof *w->layer, "the layers' sizes", e);
    if (s != STATUS_OK)
        return s;
    w->layers = layers;
    w->long_factors = model_file_find_tensor(file, "rope_factors_long.weight") != NULL ||
                      model_file_find_tensor(file, "rope_freqs.weight") != NULL; /* rotary_init knows no difference */
    for (size_t i = 0; i < model_file_tensor_count(file); i++) {
        const struct model_file_tensor *t = model_file_tensor_at(file, i);
        const char *name = t->name.bytes;
        size_t length = t->name.length, at = 4, layer = 0;
        bool numbered = length > 5 && memcmp(name, "blk.", 4) == 0;
        for (; numbered && at < length && name[at] >= '0' && name[at] <= '9' && layer < layers; at++)
            layer = layer * 10 + (size_t)(name[at] - '0');
        numbered = numbered && at > 4 && at < length && name[at] == '.' && layer < layers;
        bool embedding = length == 17 && memcmp(name, "token_embd.weight", 17) == 0;
        /* a file's tensors don't overlap, so the sums stay below its size */
        *(numbered ? &w->layer[layer] : embedding ? &w->embedding : &w->others) += t->size;
    }
    return STATUS_OK;
}

void footprint_weights_free(struct footprint_weights *w)
{
    memory_free(w->layer);
    memset(w, 0, sizeof *w);
}

struct footprint_stage footprint_split(size_t layers, size_t stages, size_t stage)
{
    assert(stages > 0 && stages <= layers && stage < stages);
    size_t each = layers / stages, more = layers % stages;
    struct footprint_stage s = {stage * each + (stage < more ? stage : more), each + (stage < more)};
    return s;
}

/* A sum under way; `bad` once anything did not fit. */
struct sum {
    size_t bytes;
    bool bad;
};

/* One block of count * size bytes; blocks come in cache lines (base/memory.c). */
static void add(struct sum *sum, size_t count, size_t size)
{
    size_t bytes;
    if (!memory_multiply(count, size, &bytes) || !memory_add(bytes, LINE - 1, &bytes) ||
        !memory_add(sum->bytes, bytes / LINE * LINE, &sum->bytes))
        sum->bad = true;
}

/* An array of count * width elements that memory_grow makes; `again`: it may have to grow once more. */
static void add_grown(struct sum *sum, size_t count, size_t width, size_t size, bool again)
{
    size_t wanted;
    if (!memory_multiply(count, width, &wanted)) {
        sum->bad = true;
        return;
    }
    size_t grown = memory_grown(0, wanted);
    add(sum, grown, size);
    if (again)
        add(sum, grown / 2, size);
}

/* What open_workspace takes. */
static void add_thread(struct sum *sum, const struct config *c, size_t batch_tokens)
{
    struct sum one = {0, false};
    add(&one, 1, sizeof(struct workspace));
    add(&one, (size_t)FORWARD_BLOCK * KERNELS_F32_DEPTH, sizeof(float));
    for (int i = 0; i < SERIES_COUNT; i++)
        add(&one, batch_tokens, FORWARD_BLOCK * sizeof(float));
    add(&one, kernels_attention_scratch(c->head_dim), sizeof(float));
    add(&one, SERIES_COUNT, sizeof(struct sums));
    sum->bad = sum->bad || one.bad;
    add(sum, one.bytes, 1);
}

/* What open_chunk takes. */
static void add_chunk(struct sum *sum, const struct config *c, size_t batch_tokens)
{
    size_t blocks = (c->intermediate + FORWARD_BLOCK - 1) / FORWARD_BLOCK;
    size_t q = c->heads * c->head_dim, kv = c->kv_heads * c->head_dim;
    const size_t width[] = {c->hidden, q, kv, kv, q, blocks * FORWARD_BLOCK};
    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        add(sum, batch_tokens, width[i] * sizeof(float));
    add(sum, SERIES_COUNT * blocks, sizeof(struct sums));
    size_t widest = c->hidden > q ? c->hidden : q;
    widest = c->intermediate > widest ? c->intermediate : widest;
    add(sum, batch_tokens, widest * sizeof(float)); /* packed rows */
}

/* What lay_out takes at most: the longest prompt alone, or a batch of several. */
static void add_batch(struct sum *sum, const struct config *c, const struct footprint_load *load)
{
    size_t panels = (c->head_dim + KERNELS_PANEL - 1) / KERNELS_PANEL;
    size_t cache = c->kv_heads * (c->head_dim + panels * KERNELS_PANEL);
    size_t several = load->batch_tokens / load->shortest, positions, alone;
    bool fits = memory_add(load->longest, KERNELS_PANEL - 1, &alone) &&
                memory_multiply(several, KERNELS_PANEL - 1, &positions) &&
                memory_add(positions, load->batch_tokens, &positions);
    if (!fits) {
        sum->bad = true;
        return;
    }
    alone = alone / KERNELS_PANEL * KERNELS_PANEL;
    bool long_first = load->longest >= load->batch_tokens;
    add_grown(sum, long_first ? load->longest : load->batch_tokens, c->hidden, sizeof(float), !long_first);
    add_grown(sum, alone >= positions ? alone : positions, cache, sizeof(float), alone < positions);
    add_grown(sum, several ? several : 1, 1, sizeof(struct segment), true);
}

/* Factors (weights_open), frequencies (rotary_init), tables (rotary_prepare). */
static void add_rotary(struct sum *sum, const struct config *c, const struct footprint_load *load, bool two)
{
    size_t half = c->rotary / 2, width = half ? half : 1, original = c->original_context;
    size_t first = two && load->longest > original ? original : load->longest;
    for (int i = 0; i < 2; i++) { /* factors and frequencies of both sets; cosines and sines */
        add(sum, two ? half : 0, sizeof(float));
        add(sum, half, sizeof(double));
        add_grown(sum, first, width, sizeof(float), false);
        if (two && load->longest > original)
            add_grown(sum, load->longest, width, sizeof(float), false);
    }
}

enum status footprint_of(struct footprint *f, const struct config *c, const struct footprint_weights *w,
                         const struct footprint_load *load, struct footprint_stage stage, struct error *e)
{
    struct sum working = {0, false};
    assert(load->batch_tokens && load->threads && load->longest && load->shortest);
    assert(stage.count && stage.first + stage.count <= w->layers);
    memset(f, 0, sizeof *f);
    f->weights = stage.first == 0 ? w->embedding : 0;
    for (size_t l = stage.first; l < stage.first + stage.count; l++)
        f->weights += w->layer[l];
    f->state = accumulator_bytes(stage.count, c->intermediate);
    struct sum thread = {0, false};
    add_thread(&thread, c, load->batch_tokens);
    working.bad = thread.bad;
    add(&working, 1, sizeof(struct forward));
    add(&working, load->threads, thread.bytes);
    add_chunk(&working, c, load->batch_tokens);
    add_batch(&working, c, load);
    add_rotary(&working, c, load, w->long_factors);
    struct sum norm = {0, false};
    add(&norm, c->hidden, sizeof(float));
    add(&working, stage.count, sizeof(struct weights_layer));
    add(&working, stage.count, 2 * norm.bytes);
    f->working = working.bytes;
    size_t all;
    if (!working.bad && memory_add(f->weights, f->state, &all) && memory_add(all, f->working, &all))
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "prompts of %zu tokens in batches of %zu need more memory than 64 bits can count",
              load->longest, load->batch_tokens);
    return error_advice(e, "use a smaller --context or --batch-tokens");
}

enum status footprint_largest(struct footprint *f, struct footprint_stage *largest, const struct config *c,
                              const struct footprint_weights *w, const struct footprint_load *load, size_t stages,
                              struct error *e)
{
    uint64_t most = 0;
    enum status s = STATUS_OK;
    for (size_t i = 0; i < stages && s == STATUS_OK; i++) {
        struct footprint_stage stage = footprint_split(w->layers, stages, i);
        struct footprint one;
        s = footprint_of(&one, c, w, load, stage, e);
        uint64_t all = one.weights + one.state + one.working;
        if (s == STATUS_OK && (i == 0 || all > most)) {
            most = all;
            *f = one;
            *largest = stage;
        }
    }
    return s;
}
