/* footprint.c - cuts a model into stages, and adds up what forward.c and accumulator.c allocate; see footprint.h.
 *
 * The terms stand in the order of the allocations in forward.c, so that the two can be read side by
 * side. Lists that grow with the batch go through memory_grow, which doubles: an array of w
 * elements takes memory_grown(0, w), and while it grows the old half is still there. What holds hidden states, keys
 * and values is as large as the largest batch wants it, and never there twice.
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

/* What a token costs in this tensor. Decoding is no part of it: of the time for a batch of 256 rows and more it takes
 * less than 3 %, and types differ in it by less than that. Attention takes the same in all layers. The last
 * layer's down projection is not run (model/forward.h). */
static uint64_t work_of(const struct model_file_tensor *t, const char *part, size_t length, bool last)
{
    static const char down[] = ".ffn_down.weight";
    bool is_down = length == sizeof down - 1 && memcmp(part, down, length) == 0;
    return t->dims[1] == 1 || (last && is_down) ? 0 : t->dims[0] * t->dims[1];
}

enum status footprint_weights_read(struct footprint_weights *w, const struct model_file *file, size_t layers,
                                   struct error *e)
{
    memset(w, 0, sizeof *w);
    enum status s = memory_array(&w->layer, layers, sizeof *w->layer, "the layers' sizes", e);
    if (s == STATUS_OK)
        s = memory_array(&w->work, layers, sizeof *w->work, "the layers' costs", e);
    if (s != STATUS_OK) {
        footprint_weights_free(w);
        return s;
    }
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
        if (numbered)
            w->work[layer] += work_of(t, name + at, length - at, layer + 1 == layers);
    }
    return STATUS_OK;
}

void footprint_weights_free(struct footprint_weights *w)
{
    memory_free(w->layer);
    memory_free(w->work);
    memset(w, 0, sizeof *w);
}

/* A cut under way: before[l] is the work of layers [0, l). */
struct cut {
    size_t layers;
    uint64_t *before; /* [layers + 1]                                              */
    size_t *need;     /* [layers + 1]: stages that layers [l, layers) take at least, none above the bound */
};

/* Where a stage that begins at `from` ends at the latest. */
static size_t reach(const struct cut *c, size_t from, uint64_t bound)
{
    size_t low = from, high = c->layers;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (c->before[middle] - c->before[from] <= bound)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Stages that the whole takes under this bound, which holds every layer. */
static size_t count_stages(const struct cut *c, uint64_t bound)
{
    size_t stages = 0;
    for (size_t at = 0; at < c->layers; at = reach(c, at, bound))
        stages++;
    return stages;
}

/* The least bound under which so many stages will do. */
static uint64_t least_bound(const struct cut *c, size_t stages)
{
    uint64_t low = 0, high = c->before[c->layers];
    for (size_t l = 0; l < c->layers; l++)
        low = c->before[l + 1] - c->before[l] > low ? c->before[l + 1] - c->before[l] : low;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (count_stages(c, middle) <= stages)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The end of a stage from `from` on with `left` stages behind it: the first that takes it to its even share of what is left,
 * as far as the bound and the other stages allow. */
static size_t end_of(const struct cut *c, size_t from, size_t left, uint64_t bound)
{
    uint64_t rest = c->before[c->layers] - c->before[from], share = rest / (left + 1) + (rest % (left + 1) != 0);
    size_t end = from + 1, latest = reach(c, from, bound);
    latest = latest > c->layers - left ? c->layers - left : latest;
    while (end < latest && (c->before[end] - c->before[from] < share || c->need[end] > left))
        end++;
    return end;
}

enum status footprint_cut(struct footprint_stage *stage, const struct footprint_weights *w, size_t stages,
                          struct error *e)
{
    struct cut c = {.layers = w->layers};
    assert(stages > 0 && stages <= w->layers);
    enum status s = memory_array(&c.before, w->layers + 1, sizeof *c.before, "a cut into stages", e);
    if (s == STATUS_OK)
        s = memory_array(&c.need, w->layers + 1, sizeof *c.need, "a cut into stages", e);
    if (s == STATUS_OK) {
        for (size_t l = 0; l < w->layers; l++)
            c.before[l + 1] = c.before[l] + w->work[l];
        uint64_t bound = least_bound(&c, stages);
        for (size_t l = w->layers; l-- > 0;)
            c.need[l] = 1 + c.need[reach(&c, l, bound)];
        for (size_t i = 0, from = 0; i < stages; i++) {
            size_t end = i + 1 == stages ? w->layers : end_of(&c, from, stages - 1 - i, bound);
            stage[i] = (struct footprint_stage){from, end - from};
            from = end;
        }
    }
    memory_free(c.before);
    memory_free(c.need);
    return s;
}

size_t footprint_buffers(size_t layers, struct footprint_stage stage)
{
    return 1 + (stage.first > 0) + (stage.first + stage.count < layers);
}

#define PACKED_INPUTS 256 /* packed rows are counted in pieces of this many inputs */

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

/* The largest that a mode's ways ask for, whatever the types of the weights: sizes are those of the
 * reference in all instruction sets. */
struct ways {
    size_t panel_bytes;                  /* decoded at once                                */
    size_t row_bytes[KERNELS_PACKINGS];  /* of 256 packed inputs                            */
};

static struct ways ways_of(enum kernels_mode mode)
{
    struct ways all = {0, {0}};
    for (size_t t = 0; t < quants_count(); t++) {
        const struct kernels_way *way = kernels_at(0)->way(mode, quants_at(t)->id);
        if (!way)
            continue;
        size_t panel = way->depth / way->unit * way->panel_bytes;
        all.panel_bytes = panel > all.panel_bytes ? panel : all.panel_bytes;
        all.row_bytes[way->packing] = PACKED_INPUTS / way->unit * way->row_bytes;
    }
    return all;
}

/* What open_workspace takes. */
static void add_thread(struct sum *sum, const struct config *c, size_t batch_tokens, const struct ways *ways)
{
    struct sum one = {0, false};
    add(&one, 1, sizeof(struct workspace));
    add(&one, FORWARD_PANELS, ways->panel_bytes);
    for (int i = 0; i < SERIES_COUNT; i++)
        add(&one, batch_tokens, FORWARD_BLOCK * sizeof(float));
    add(&one, kernels_attention_scratch(c->head_dim), sizeof(float));
    add(&one, SERIES_COUNT, sizeof(struct sums));
    sum->bad = sum->bad || one.bad;
    add(sum, one.bytes, 1);
}

/* What open_chunk takes. */
static void add_chunk(struct sum *sum, const struct config *c, size_t batch_tokens, size_t band, const struct ways *ways)
{
    size_t blocks = (c->intermediate + FORWARD_BLOCK - 1) / FORWARD_BLOCK;
    size_t q = c->heads * c->head_dim, kv = c->kv_heads * c->head_dim;
    const size_t width[] = {c->hidden, q, kv, kv, q, blocks * FORWARD_BLOCK};
    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        add(sum, batch_tokens, width[i] * sizeof(float));
    add(sum, band * SERIES_COUNT * blocks, sizeof(struct sums));
    size_t widest = c->hidden > q ? c->hidden : q;
    widest = c->intermediate > widest ? c->intermediate : widest;
    for (int i = 0; i < KERNELS_PACKINGS; i++) /* packed rows */
        add(sum, batch_tokens, (widest + PACKED_INPUTS - 1) / PACKED_INPUTS * ways->row_bytes[i]);
}

/* Keys and values, in floats: of a layer of a batch of several prompts, or of the band of a longer one, whichever is more. */
static size_t most_caches(struct sum *sum, const struct config *c, const struct footprint_load *load, size_t layers)
{
    const struct band_shape shape = band_shape(c);
    size_t prompts = load->batch_tokens / load->shortest, positions, several = 0, alone = 0, twice;
    bool fits = memory_multiply(prompts, KERNELS_PANEL - 1, &positions) &&
                memory_add(positions, load->batch_tokens, &positions) && memory_multiply(positions, shape.cache, &several) &&
                load->longest < SIZE_MAX - KERNELS_PANEL && memory_multiply(2, shape.hidden, &twice) &&
                memory_add(twice, shape.cache, &twice) && memory_multiply(band_capacity(load->longest), twice, &alone);
    size_t whole = 0; /* all layers of the longest */
    if (fits && layers > 1 && memory_multiply(band_capacity(load->longest) * shape.cache, layers, &whole))
        alone = whole < alone ? whole : alone;
    if (fits && layers == 1)
        alone = band_capacity(load->longest) * shape.cache;
    sum->bad = sum->bad || !fits;
    return alone > several ? alone : several;
}

/* What lay_out, make_own and the pipeline take at most. */
static void add_batch(struct sum *sum, const struct config *c, const struct footprint_load *load,
                      struct footprint_stage stage, size_t layers)
{
    const struct band_shape shape = band_shape(c);
    const size_t buffers = footprint_buffers(layers, stage), several = load->batch_tokens / load->shortest;
    const bool alone = buffers == 1, chunks = load->longest > load->batch_tokens;
    size_t rows = chunks ? load->longest : load->batch_tokens, floats;
    const bool own = alone || (chunks && band_layers(&shape, stage.count, load->longest, load->longest) < stage.count);
    if (!memory_multiply(rows, c->hidden, &floats))
        sum->bad = true;
    else
        add(sum, own ? floats : 0, sizeof(float));
    for (size_t i = 0; i < buffers && !alone; i++) /* the pipeline's */
        add(sum, load->batch_tokens, c->hidden * sizeof(float));
    add(sum, most_caches(sum, c, load, alone || !chunks ? 1 : stage.count), sizeof(float));
    add_grown(sum, several ? several : 1, 1, sizeof(struct segment), true);
}

/* Layers of the largest band (forward.c). */
static size_t largest_band(const struct config *c, const struct footprint_load *load, struct footprint_stage stage,
                           size_t layers)
{
    const struct band_shape shape = band_shape(c);
    bool chunks = load->longest > load->batch_tokens && footprint_buffers(layers, stage) > 1;
    return chunks ? band_layers(&shape, stage.count, load->longest, load->batch_tokens + 1) : 1;
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

/* What weights_layers takes for a layer. */
static size_t vectors_of_layer(const struct config *c)
{
    const size_t q = c->biases ? c->heads * c->head_dim : 0, kv = c->biases ? c->kv_heads * c->head_dim : 0;
    const size_t head = c->head_norms ? c->head_dim : 0;
    const size_t count[] = {c->hidden, c->hidden, q, kv, kv, head, head};
    struct sum all = {0, false};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        add(&all, count[i], sizeof(float));
    return all.bytes;
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
    size_t state;
    working.bad = !memory_add(accumulator_bytes(stage.count, c->intermediate), accumulator_bytes(1, c->intermediate), &state);
    f->state = state;
    struct sum thread = {0, false};
    const struct ways ways = ways_of(load->mode);
    add_thread(&thread, c, load->batch_tokens, &ways);
    working.bad = working.bad || thread.bad;
    add(&working, 1, sizeof(struct forward));
    add(&working, load->threads, thread.bytes);
    add_chunk(&working, c, load->batch_tokens, largest_band(c, load, stage, w->layers), &ways);
    add_batch(&working, c, load, stage, w->layers);
    add_rotary(&working, c, load, w->long_factors);
    add(&working, w->layers, sizeof(struct weights_layer));
    add(&working, stage.count, vectors_of_layer(c));
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
    struct footprint_stage *stage = NULL;
    enum status s = memory_array(&stage, stages, sizeof *stage, "a cut into stages", e);
    if (s == STATUS_OK)
        s = footprint_cut(stage, w, stages, e);
    for (size_t i = 0; i < stages && s == STATUS_OK; i++) {
        struct footprint one;
        s = footprint_of(&one, c, w, load, stage[i], e);
        uint64_t all = one.weights + one.state + one.working;
        if (s == STATUS_OK && (i == 0 || all > most)) {
            most = all;
            *f = one;
            *largest = stage[i];
        }
    }
    memory_free(stage);
    return s;
}
