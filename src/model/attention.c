/* attention.c - rotary embedding, the layer's cache, attention head by head.
 *
 * Keys and values of a prompt lie in panels (kernels.h) in one cache for the layer at
 * hand; the next layer overwrites it. Pieces of work are (prompt, head): a head's cache
 * is written by the piece that reads it, so no two threads meet.
 */
#include "forward_state.h"

#include <math.h>
#include <string.h>

#include "../base/threads.h"

static size_t value_panels(const struct config *c)
{
    return (c->head_dim + KERNELS_PANEL - 1) / KERNELS_PANEL;
}

static size_t head_floats(const struct config *c, size_t capacity)
{
    return capacity * (c->head_dim + value_panels(c) * KERNELS_PANEL);
}

size_t attention_cache_floats(const struct forward *f, size_t capacity)
{
    return f->config->kv_heads * head_floats(f->config, capacity);
}

static struct kernels_cache cache_of(const struct forward *f, const struct segment *s, size_t kv_head)
{
    const struct config *c = f->config;
    float *keys = f->cache + s->cache + kv_head * head_floats(c, s->capacity);
    struct kernels_cache cache = {keys, keys + s->capacity * c->head_dim, s->capacity, c->head_dim};
    return cache;
}

/* Row `r` of the chunk becomes position `p` of the cache. */
static void remember(const struct forward *f, const struct kernels_cache *cache, size_t kv_head, size_t r, size_t p)
{
    const struct config *c = f->config;
    size_t stride = c->kv_heads * c->head_dim;
    const float *key = f->key + r * stride + kv_head * c->head_dim;
    const float *value = f->value + r * stride + kv_head * c->head_dim;
    float *keys = cache->keys + p / KERNELS_PANEL * c->head_dim * KERNELS_PANEL + p % KERNELS_PANEL;
    for (size_t d = 0; d < c->head_dim; d++)
        keys[d * KERNELS_PANEL] = key[d];
    for (size_t panel = 0; panel < value_panels(c); panel++) {
        size_t first = panel * KERNELS_PANEL, left = c->head_dim - first;
        size_t count = left < KERNELS_PANEL ? left : KERNELS_PANEL;
        float *to = cache->values + (panel * cache->capacity + p) * KERNELS_PANEL;
        memcpy(to, value + first, count * sizeof *to);
        memset(to + count, 0, (KERNELS_PANEL - count) * sizeof *to);
    }
}

struct attention {
    struct forward *forward;
    struct chunk chunk;
    size_t first_segment; /* of those that have rows in the chunk */
};

/* The rows of a segment that lie in the chunk, counted from the chunk's start, and the position of
 * the first. */
struct overlap {
    size_t row, rows, position;
};

static struct overlap overlap_of(const struct segment *s, struct chunk chunk)
{
    size_t first = s->row > chunk.row ? s->row : chunk.row;
    size_t end = s->row + s->length < chunk.row + chunk.rows ? s->row + s->length : chunk.row + chunk.rows;
    struct overlap o = {first - chunk.row, end > first ? end - first : 0, first - s->row};
    return o;
}

/* All query heads of one key/value head of one prompt. */
static void one_head(void *context, size_t piece, int thread)
{
    const struct attention *job = context;
    struct forward *f = job->forward;
    const struct config *c = f->config;
    const struct segment *s = &f->segment[job->first_segment + piece / c->kv_heads];
    size_t kv_head = piece % c->kv_heads, group = c->heads / c->kv_heads, stride = c->heads * c->head_dim;
    struct overlap o = overlap_of(s, job->chunk);
    struct kernels_cache cache = cache_of(f, s, kv_head);
    for (size_t r = 0; r < o.rows; r++)
        remember(f, &cache, kv_head, o.row + r, o.position + r);
    for (size_t h = kv_head * group; h < (kv_head + 1) * group; h++) {
        struct kernels_attention head = {
            .query = f->query + o.row * stride + h * c->head_dim, .query_stride = stride,
            .output = f->mixed + o.row * stride + h * c->head_dim, .output_stride = stride,
            .rows = o.rows, .position = o.position, .window = f->options.window,
            .scale = (float)(1.0 / sqrt((double)c->head_dim)), .cache = cache,
            .scratch = f->workspace[thread].attention};
        f->kernels->attend(&head);
    }
}

static void rotate_row(void *context, size_t row, int thread)
{
    const struct attention *job = context;
    struct forward *f = job->forward;
    const struct config *c = f->config;
    size_t s = job->first_segment, batch_row = job->chunk.row + row;
    (void)thread;
    while (batch_row >= f->segment[s].row + f->segment[s].length)
        s++;
    size_t at = (batch_row - f->segment[s].row) * f->rotary.half;
    const float *cosine = f->segment[s].rotary->cosine + at, *sine = f->segment[s].rotary->sine + at;
    f->kernels->rotate(c->heads, c->head_dim, c->rotary, cosine, sine, f->query + row * c->heads * c->head_dim);
    f->kernels->rotate(c->kv_heads, c->head_dim, c->rotary, cosine, sine, f->key + row * c->kv_heads * c->head_dim);
}

void attention_run(struct forward *f, struct chunk chunk)
{
    struct attention job = {f, chunk, 0};
    while (f->segment[job.first_segment].row + f->segment[job.first_segment].length <= chunk.row)
        job.first_segment++;
    size_t end = job.first_segment;
    while (end < f->segments && f->segment[end].row < chunk.row + chunk.rows)
        end++;
    threads_run(chunk.rows, rotate_row, &job);
    threads_run((end - job.first_segment) * f->config->kv_heads, one_head, &job);
}
