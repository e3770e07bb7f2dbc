/* attention.c - rotary embedding, the layer's cache, attention block by block.
 *
 * Keys and values of a prompt lie in panels (kernels.h) in the cache of the layer at
 * hand (band.h says how many layers have one of their own). First all rows are turned by their angles and join
 * the cache, one panel of 16 positions a piece; then (head, block of queries) are the pieces,
 * so that one long prompt with few heads keeps many threads busy, and many short ones
 * don't make many small pieces.
 */
#include "forward_state.h"

#include <math.h>

#include "../base/threads.h"

static size_t value_panels(const struct config *c)
{
    return (c->head_dim + KERNELS_PANEL - 1) / KERNELS_PANEL;
}

static size_t head_floats(const struct config *c, size_t capacity)
{
    return capacity * (c->head_dim + value_panels(c) * KERNELS_PANEL);
}

static struct kernels_cache cache_of(const struct forward *f, const struct segment *s, size_t kv_head)
{
    const struct config *c = f->config;
    float *keys = f->cache + s->cache + kv_head * head_floats(c, s->capacity);
    struct kernels_cache cache = {keys, keys + s->capacity * c->head_dim, s->capacity, c->head_dim};
    return cache;
}

struct attention {
    struct forward *forward;
    const struct weights_layer *layer;
    struct chunk chunk;
    size_t windows; /* of QUERY_ROWS rows in the chunk */
};

/* Rows of the chunk that make a piece of attention: what kernels.attend takes at a time. */
#define QUERY_ROWS 48

/* A run of neighbouring positions of one prompt, and where they are in the chunk. */
struct run {
    const struct segment *segment;
    size_t row, rows, position;
};

/* The segment of a row of the batch. */
static const struct segment *segment_of(const struct forward *f, size_t batch_row)
{
    size_t low = 0, high = f->segments; /* it is in [low, high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->segment[middle].row <= batch_row)
            low = middle;
        else
            high = middle;
    }
    return &f->segment[low];
}

/* The chunk is cut where a prompt begins and, within a prompt, at positions that are multiples of
 * `step` (aligned) or that many rows behind its first row in the chunk. The first
 * run that begins at or behind `row`; no rows when the chunk has none. */
static struct run run_from(const struct attention *job, size_t row, size_t step, bool aligned)
{
    const struct forward *f = job->forward;
    struct run run = {NULL, row, 0, 0};
    while (run.row < job->chunk.rows) {
        const struct segment *s = segment_of(f, job->chunk.row + run.row);
        size_t end = s->row + s->length - job->chunk.row, start = s->row > job->chunk.row ? s->row - job->chunk.row : 0;
        size_t origin = aligned ? (job->chunk.row + start - s->row) % step : 0;
        end = end < job->chunk.rows ? end : job->chunk.rows;
        size_t behind = run.row > start ? (run.row - start + origin + step - 1) / step * step - origin : 0;
        if (start + behind >= end) {
            run.row = end;
            continue;
        }
        size_t most = step - (behind + origin) % step;
        run.segment = s;
        run.row = start + behind;
        run.rows = end - run.row < most ? end - run.row : most;
        run.position = job->chunk.row + run.row - s->row;
        break;
    }
    return run;
}

/* What some architectures do with a row of the products before it is turned: biases, added to the finished sums, and an
 * RMSNorm of each head. */
static void complete(const struct forward *f, const struct weights_layer *w, size_t row)
{
    const struct config *c = f->config;
    const size_t d = c->head_dim, kv = c->kv_heads * d, q = c->heads * d;
    float *query = f->query + row * q, *key = f->key + row * kv;
    if (w->q_bias.values) {
        f->kernels->add(q, w->q_bias.values, query);
        f->kernels->add(kv, w->k_bias.values, key);
        f->kernels->add(kv, w->v_bias.values, f->value + row * kv);
    }
    if (w->q_norm.values) {
        f->kernels->rms_norm(c->heads, d, query, d, w->q_norm.values, c->epsilon, query, d);
        f->kernels->rms_norm(c->kv_heads, d, key, d, w->k_norm.values, c->epsilon, key, d);
    }
}

/* Completes and turns the queries and keys of the positions that share a panel, and puts the panel into the cache. */
static void remember(struct forward *f, const struct weights_layer *w, const struct run *run)
{
    const struct config *c = f->config;
    size_t kv = c->kv_heads * c->head_dim, q = c->heads * c->head_dim;
    for (size_t r = 0; r < run->rows; r++) {
        complete(f, w, run->row + r);
        size_t at = (run->position + r) * f->rotary.half;
        const float *cosine = run->segment->rotary->cosine + at, *sine = run->segment->rotary->sine + at;
        f->kernels->rotate(c->heads, c->head_dim, c->rotary, cosine, sine, f->query + (run->row + r) * q);
        f->kernels->rotate(c->kv_heads, c->head_dim, c->rotary, cosine, sine, f->key + (run->row + r) * kv);
    }
    for (size_t h = 0; h < c->kv_heads; h++) {
        struct kernels_cache cache = cache_of(f, run->segment, h);
        size_t at = run->row * kv + h * c->head_dim;
        f->kernels->remember(run->rows, f->key + at, f->value + at, kv, run->position, &cache);
    }
}

/* The panels that begin in 16 rows of the chunk. */
static void one_panel(void *context, size_t piece, int thread)
{
    const struct attention *job = context;
    size_t end = (piece + 1) * KERNELS_PANEL;
    (void)thread;
    for (struct run run = run_from(job, piece * KERNELS_PANEL, KERNELS_PANEL, true); run.row < end && run.rows > 0;
         run = run_from(job, run.row + run.rows, KERNELS_PANEL, true))
        remember(job->forward, job->layer, &run);
}

static void attend(struct forward *f, const struct run *run, size_t head, int thread)
{
    const struct config *c = f->config;
    size_t stride = c->heads * c->head_dim, at = run->row * stride + head * c->head_dim;
    struct kernels_attention job = {
        .query = f->query + at, .query_stride = stride, .output = f->mixed + at, .output_stride = stride,
        .rows = run->rows, .position = run->position, .window = f->options.window,
        .scale = (float)(1.0 / sqrt((double)c->head_dim)),
        .cache = cache_of(f, run->segment, head / (c->heads / c->kv_heads)),
        .scratch = f->workspace[thread].attention};
    f->kernels->attend(&job);
}

/* The blocks of queries that begin in QUERY_ROWS rows of the chunk, of one head; a long prompt's last
 * blocks, which see most, come first, so that no thread ends late. */
static void one_window(void *context, size_t piece, int thread)
{
    const struct attention *job = context;
    size_t window = job->windows - 1 - piece % job->windows, end = (window + 1) * QUERY_ROWS;
    for (struct run run = run_from(job, window * QUERY_ROWS, QUERY_ROWS, false); run.row < end && run.rows > 0;
         run = run_from(job, run.row + run.rows, QUERY_ROWS, false))
        attend(job->forward, &run, piece / job->windows, thread);
}

void attention_run(struct forward *f, const struct weights_layer *w, struct chunk chunk)
{
    struct attention job = {f, w, chunk, (chunk.rows + QUERY_ROWS - 1) / QUERY_ROWS};
    threads_run((chunk.rows + KERNELS_PANEL - 1) / KERNELS_PANEL, one_panel, &job);
    threads_run_uneven(f->config->heads * job.windows, one_window, &job);
}
