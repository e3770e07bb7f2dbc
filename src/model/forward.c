/* forward.c - layer by layer, chunk by chunk; see forward.h.
 *
 *   x = embedding(ids)
 *   for each layer:  x += W_o attention(rms_norm(x));   x += W_down (silu(gate) * up)
 *                    gate = W_gate n, up = W_up n, n = rms_norm(x)
 * All chunks of a batch pass a layer before the next layer begins, so that only one layer's
 * keys and values are held. Stages that others wait for let each chunk pass a band of layers (band.h).
 */
#include "forward.h"

#include <assert.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "forward_state.h"

static enum status open_workspace(struct workspace *w, const struct forward *f, struct error *e)
{
    const char *what = "a thread's workspace";
    size_t tile;
    if (!memory_multiply(f->options.batch_tokens, FORWARD_BLOCK, &tile))
        return error_set(e, STATUS_FAILED, "a batch of %zu tokens is too large", f->options.batch_tokens);
    enum status s = memory_array(&w->panels, f->panel_bytes, FORWARD_PANELS, what, e);
    for (int i = 0; i < 3 && s == STATUS_OK; i++)
        s = memory_array(&w->tile[i], tile, sizeof(float), what, e);
    if (s == STATUS_OK)
        s = memory_array(&w->attention, kernels_attention_scratch(f->config->head_dim), sizeof(float), what, e);
    if (s == STATUS_OK)
        s = memory_array(&w->sums, SERIES_COUNT, sizeof *w->sums, what, e);
    return s;
}

/* Layers whose sums a prompt of more than a chunk carries at most: the shortest of these has the largest band. */
static size_t largest_band(const struct forward *f)
{
    const struct band_shape shape = band_shape(f->config);
    bool several = f->options.longest > f->options.batch_tokens;
    return several ? band_layers(&shape, f->options.layers, f->options.longest, f->options.batch_tokens + 1) : 1;
}

static enum status open_chunk(struct forward *f, struct error *e)
{
    const struct config *c = f->config;
    size_t rows = f->options.batch_tokens, kv = c->kv_heads * c->head_dim, q = c->heads * c->head_dim;
    struct {
        float **buffer;
        size_t width;
    } const buffers[] = {{&f->normed, c->hidden}, {&f->query, q}, {&f->key, kv}, {&f->value, kv},
                         {&f->mixed, q}, {&f->ffn, f->blocks * FORWARD_BLOCK}};
    enum status s = STATUS_OK;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && s == STATUS_OK; i++) {
        size_t floats;
        if (!memory_multiply(rows, buffers[i].width, &floats))
            return error_set(e, STATUS_FAILED, "a batch of %zu tokens is too large", rows);
        s = memory_array(buffers[i].buffer, floats, sizeof(float), "a batch's activations", e);
    }
    for (int i = 0; i < 2 && f->options.head && s == STATUS_OK; i++)
        s = memory_array(&f->whole[i], (f->options.separate ? rows : 1) * f->blocks, FORWARD_BLOCK * sizeof(float),
                         "a batch's activations", e);
    if (s == STATUS_OK)
        s = memory_array(&f->carried_all, largest_band(f) * SERIES_COUNT * f->blocks, sizeof *f->carried,
                         "a long prompt's sums", e);
    for (int i = 0; i < KERNELS_PACKINGS && s == STATUS_OK; i++)
        if (f->packed_row_bytes[i])
            s = memory_array(&f->packed[i], rows, f->packed_row_bytes[i], "a batch's packed rows", e);
    return s;
}

static void measure_way(struct forward *f, const struct weight *w)
{
    const struct kernels_way *way = product_way(f, w);
    size_t row = (w->inputs + way->unit - 1) / way->unit * way->row_bytes;
    size_t panel = way->depth / way->unit * way->panel_bytes;
    if (row > f->packed_row_bytes[way->packing])
        f->packed_row_bytes[way->packing] = row;
    if (panel > f->panel_bytes)
        f->panel_bytes = panel;
}

/* What packed rows and panels take at most, over all matrices of the stage. */
static void measure_ways(struct forward *f)
{
    if (f->options.head)
        measure_way(f, &f->options.head->matrix);
    for (size_t i = f->options.first_layer; i < f->options.first_layer + f->options.layers; i++) {
        const struct weights_layer *l = &f->weights->layer[i];
        const struct weight *const all[] = {&l->q, &l->k, &l->v, &l->output, &l->gate, &l->up, &l->down};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            measure_way(f, all[k]);
    }
}

enum status forward_open(struct forward **forward, const struct config *config, const struct weights *weights,
                         const struct kernels *kernels, const struct forward_options *options, struct error *e)
{
    struct forward *f;
    assert(options->batch_tokens > 0);
    enum status s = memory_array(&f, 1, sizeof *f, "the forward pass", e);
    *forward = NULL;
    if (s != STATUS_OK)
        return s;
    f->config = config;
    f->weights = weights;
    f->kernels = kernels;
    f->options = *options;
    if (!f->options.layers)
        f->options.layers = config->layers - options->first_layer;
    f->blocks = (config->intermediate + FORWARD_BLOCK - 1) / FORWARD_BLOCK;
    measure_ways(f);
    s = rotary_init(&f->rotary, config, weights, e);
    if (s == STATUS_OK)
        s = memory_array(&f->workspace, (size_t)threads_count(), sizeof *f->workspace, "workspaces", e);
    f->threads = s == STATUS_OK ? threads_count() : 0;
    for (int t = 0; t < f->threads && s == STATUS_OK; t++)
        s = open_workspace(&f->workspace[t], f, e);
    if (s == STATUS_OK)
        s = open_chunk(f, e);
    if (s != STATUS_OK) {
        forward_close(f);
        return s;
    }
    *forward = f;
    return STATUS_OK;
}

void forward_close(struct forward *f)
{
    if (!f)
        return;
    for (int t = 0; t < f->threads; t++) {
        struct workspace *w = &f->workspace[t];
        memory_free(w->panels);
        for (int i = 0; i < 3; i++)
            memory_free(w->tile[i]);
        memory_free(w->attention);
        memory_free(w->sums);
    }
    void *const blocks[] = {f->workspace, f->segment, f->own, f->caches, f->carried_all, f->normed,
                            f->query, f->key, f->value, f->mixed, f->ffn, f->whole[0], f->whole[1]};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
    for (int i = 0; i < KERNELS_PACKINGS; i++)
        memory_free(f->packed[i]);
    rotary_free(&f->rotary);
    memory_free(f);
}

/* Makes room for `wanted` floats. What was there is dropped, not kept: no batch needs another's, and so nothing is held
 * twice and no more than is needed. */
static enum status make_room(float **block, size_t *capacity, size_t wanted, const char *what, struct error *e)
{
    if (wanted <= *capacity)
        return STATUS_OK;
    memory_free(*block);
    *capacity = 0;
    enum status s = memory_array(block, wanted, sizeof **block, what, e);
    *capacity = s == STATUS_OK ? wanted : 0;
    return s;
}

/* Lays the prompts out one behind the other and makes room for keys and values of `held` layers. */
static enum status lay_out(struct forward *f, const struct forward_prompt *prompts, size_t count, size_t held, struct error *e)
{
    const size_t position = band_shape(f->config).cache;
    size_t caches, longest = 0;
    enum status s = memory_grow(&f->segment, &f->segment_capacity, count, sizeof *f->segment, "a batch's prompts", e);
    f->rows = f->layer_floats = 0;
    f->layers_held = held;
    f->segments = s == STATUS_OK ? count : 0;
    for (size_t i = 0; i < f->segments; i++) {
        struct segment *seg = &f->segment[i];
        *seg = (struct segment){.row = f->rows, .length = prompts[i].length, .cache = f->layer_floats,
                                .capacity = band_capacity(prompts[i].length)};
        f->rows += prompts[i].length;
        f->layer_floats += position * seg->capacity;
        longest = prompts[i].length > longest ? prompts[i].length : longest;
    }
    for (size_t i = 0; i < f->segments && s == STATUS_OK; i++)
        s = rotary_prepare(&f->rotary, f->segment[i].length, &f->segment[i].rotary, e);
    if (s == STATUS_OK && !memory_multiply(f->layer_floats, held, &caches))
        s = error_set(e, STATUS_FAILED, "a prompt of %zu tokens is too long", longest);
    return s == STATUS_OK ? make_room(&f->caches, &f->caches_capacity, caches, "a layer's keys and values", e) : s;
}

/* Room for the hidden states of the batch that is laid out. */
static enum status make_own(struct forward *f, struct error *e)
{
    size_t floats;
    if (!memory_multiply(f->rows, f->config->hidden, &floats))
        return error_set(e, STATUS_FAILED, "a batch of %zu tokens is too large", f->rows);
    return make_room(&f->own, &f->own_capacity, floats, "a batch's hidden states", e);
}

struct embedding {
    struct forward *forward;
    const struct forward_prompt *prompts;
    struct chunk chunk;
};

/* The rows that the prompt has in the chunk. */
static void embed_prompt(void *context, size_t i, int thread)
{
    const struct embedding *job = context;
    struct forward *f = job->forward;
    const struct segment *s = &f->segment[i];
    size_t hidden = f->config->hidden, end = job->chunk.row + job->chunk.rows;
    size_t first = s->row > job->chunk.row ? s->row : job->chunk.row, last = s->row + s->length < end ? s->row + s->length : end;
    (void)thread;
    for (size_t row = first; row < last; row++)
        weights_decode(&f->weights->embedding, (size_t)job->prompts[i].ids[row - s->row], 0, hidden,
                       job->chunk.x + (row - job->chunk.row) * hidden);
}

static void embed(struct forward *f, const struct forward_prompt *prompts, struct chunk chunk)
{
    struct embedding job = {f, prompts, chunk};
    threads_run(f->segments, embed_prompt, &job);
}

struct norm {
    struct forward *forward;
    const float *x, *weight;
};

static void norm_row(void *context, size_t row, int thread)
{
    const struct norm *job = context;
    struct forward *f = job->forward;
    size_t hidden = f->config->hidden;
    (void)thread;
    f->kernels->rms_norm(1, hidden, job->x + row * hidden, hidden, job->weight, f->config->epsilon,
                         f->normed + row * hidden, hidden);
}

void forward_norm(struct forward *f, size_t rows, const float *x, const float *weight)
{
    struct norm norm = {f, x, weight};
    threads_run(rows, norm_row, &norm);
}

/* x += y times w: back into the residual stream. Nobody needs `normed` any more. */
static void project(struct forward *f, const struct weight *w, size_t rows, const float *y, size_t y_stride, float *x)
{
    const struct product_job job = {w, x, f->config->hidden, f->normed};
    product_of(f, &job, 1, rows, y, y_stride, true);
}

static void step(const struct forward_observer *observer)
{
    if (observer && observer->step)
        observer->step(observer->stop_context);
}

void forward_attention_half(struct forward *f, const struct weights_layer *w, struct chunk chunk,
                            const struct forward_observer *observer)
{
    const struct config *c = f->config;
    size_t kv = c->kv_heads * c->head_dim, q = c->heads * c->head_dim;
    forward_norm(f, chunk.rows, chunk.x, w->attention_norm.values);
    const struct product_job heads[] = {{&w->q, f->query, q, NULL}, {&w->k, f->key, kv, NULL}, {&w->v, f->value, kv, NULL}};
    product_of(f, heads, 3, chunk.rows, f->normed, c->hidden, false);
    step(observer);
    attention_run(f, w, chunk);
    step(observer);
    project(f, &w->output, chunk.rows, f->mixed, q, chunk.x);
}

void forward_ffn_half(struct forward *f, size_t layer, struct chunk chunk, bool down,
                      const struct forward_observer *observer)
{
    const struct weights_layer *w = &f->weights->layer[layer];
    forward_norm(f, chunk.rows, chunk.x, w->ffn_norm.values);
    step(observer);
    ffn_run(f, layer, chunk, observer);
    step(observer);
    if (down)
        project(f, &w->down, chunk.rows, f->ffn, f->blocks * FORWARD_BLOCK, chunk.x);
}

/* A chunk through layers [first, first + count), each with keys, values and carried sums of its own if more chunks come. */
static enum status run_chunk(struct forward *f, struct chunk chunk, size_t first, size_t count,
                             const struct forward_observer *observer, struct error *e)
{
    for (size_t i = 0; i < count; i++) {
        if (observer->stop && observer->stop(observer->stop_context))
            return error_set(e, STATUS_CHECKPOINT, "stopped by a signal");
        size_t own = f->layers_held > 1 ? i : 0;
        f->cache = f->caches + own * f->layer_floats;
        f->carried = f->carried_all + own * SERIES_COUNT * f->blocks;
        forward_attention_half(f, &f->weights->layer[first + i], chunk, observer);
        forward_ffn_half(f, first + i, chunk, first + i + 1 < f->config->layers, observer);
    }
    return STATUS_OK;
}

static struct chunk chunk_at(const struct forward *f, size_t row)
{
    size_t left = f->rows - row;
    struct chunk chunk = {row, left < f->options.batch_tokens ? left : f->options.batch_tokens, NULL};
    chunk.x = f->hidden ? f->hidden + row * f->config->hidden : NULL;
    return chunk;
}

enum status forward_run_stage(struct forward *f, const struct forward_prompt *prompts, size_t count, float *hidden,
                              const struct forward_observer *observer, struct error *e)
{
    const size_t first = f->options.first_layer;
    assert(threads_count() <= f->threads);
    enum status s = lay_out(f, prompts, count, 1, e);
    if (s == STATUS_OK && !hidden)
        s = make_own(f, e);
    f->hidden = hidden ? hidden : f->own;
    if (s == STATUS_OK && first == 0)
        embed(f, prompts, (struct chunk){0, f->rows, f->hidden});
    for (size_t layer = first; layer < first + f->options.layers; layer++)
        for (size_t row = 0; row < f->rows && s == STATUS_OK; row += f->options.batch_tokens)
            s = run_chunk(f, chunk_at(f, row), layer, 1, observer, e);
    return s;
}

/* A batch that passes a stage chunk by chunk. */
struct passage {
    struct forward *forward;
    const struct forward_prompt *prompts;
    const struct forward_ports *ports;
    const struct forward_observer *observer;
    size_t band;
};

/* A chunk's hidden states into the batch's own, before the first of several bands. */
static bool take_in(const struct passage *p, struct chunk chunk)
{
    struct forward *f = p->forward;
    if (f->options.first_layer == 0) {
        embed(f, p->prompts, chunk);
        return true;
    }
    const float *x = p->ports->take(p->ports->context);
    if (!x)
        return false;
    memcpy(chunk.x, x, chunk.rows * f->config->hidden * sizeof *x);
    p->ports->keep(p->ports->context);
    return true;
}

/* And out of them, after the last. */
static bool hand_on(const struct passage *p, struct chunk chunk)
{
    struct forward *f = p->forward;
    if (f->options.first_layer + f->options.layers == f->config->layers)
        return true;
    float *x = p->ports->room(p->ports->context);
    if (!x)
        return false;
    memcpy(x, chunk.x, chunk.rows * f->config->hidden * sizeof *x);
    p->ports->give(p->ports->context);
    return true;
}

static enum status given_up(struct error *e)
{
    return error_set(e, STATUS_CHECKPOINT, "no chunk is to come or to go any more");
}

/* All layers in one band: chunks are run where they lie. */
static enum status pass_through(const struct passage *p, struct error *e)
{
    struct forward *f = p->forward;
    enum status s = STATUS_OK;
    for (size_t row = 0; row < f->rows && s == STATUS_OK; row += f->options.batch_tokens) {
        struct chunk chunk = chunk_at(f, row);
        chunk.x = p->ports->take(p->ports->context);
        if (!chunk.x)
            return given_up(e);
        if (f->options.first_layer == 0)
            embed(f, p->prompts, chunk);
        s = run_chunk(f, chunk, f->options.first_layer, f->options.layers, p->observer, e);
        if (s == STATUS_OK)
            p->ports->give(p->ports->context);
    }
    return s;
}

static enum status pass_in_bands(const struct passage *p, struct error *e)
{
    struct forward *f = p->forward;
    const size_t layers = f->options.layers;
    enum status s = make_own(f, e);
    f->hidden = f->own;
    for (size_t at = 0, width = band_first(layers, p->band); at < layers && s == STATUS_OK; at += width, width = p->band)
        for (size_t row = 0; row < f->rows && s == STATUS_OK; row += f->options.batch_tokens) {
            struct chunk chunk = chunk_at(f, row);
            if (at == 0 && !take_in(p, chunk))
                return given_up(e);
            s = run_chunk(f, chunk, f->options.first_layer + at, width, p->observer, e);
            if (s == STATUS_OK && at + width == layers && !hand_on(p, chunk))
                return given_up(e);
        }
    return s;
}

enum status forward_run_ports(struct forward *f, const struct forward_prompt *prompts, size_t count,
                              const struct forward_ports *ports, const struct forward_observer *observer, struct error *e)
{
    struct passage p = {f, prompts, ports, observer, f->options.layers};
    assert(threads_count() <= f->threads);
    const bool several = count == 1 && prompts[0].length > f->options.batch_tokens; /* chunks */
    const struct band_shape shape = band_shape(f->config);
    if (several)
        p.band = band_layers(&shape, f->options.layers, f->options.longest, prompts[0].length);
    enum status s = lay_out(f, prompts, count, several ? p.band : 1, e);
    f->hidden = NULL;
    if (s != STATUS_OK)
        return s;
    assert(count == 1 || f->rows <= f->options.batch_tokens);
    return p.band == f->options.layers ? pass_through(&p, e) : pass_in_bands(&p, e);
}

enum status forward_run(struct forward *f, const struct forward_prompt *prompts, size_t count,
                        const struct forward_observer *observer, struct error *e)
{
    assert(f->options.first_layer == 0);
    return forward_run_stage(f, prompts, count, NULL, observer, e);
}

const float *forward_hidden(const struct forward *f)
{
    return f->hidden;
}
