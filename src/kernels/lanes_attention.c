/* lanes_attention.c - causal attention of one head, tile of keys by tile of keys.
 *
 * Keys and values lie in panels of 16, so that scores (query x keys) and outputs
 * (probabilities x values) are both products of lanes_product.c's kind: one chain of fused
 * multiply-adds an output. The softmax keeps a running maximum (Milakov & Gimelshein 2018; Dao et al. 2022).
 * Tiles lie at absolute positions and a query touches exactly the keys it may see,
 * so neither chunking, batch nor later tokens (a NaN there, say) can change its bits.
 */
#include "lanes_exp.h"
#include "lanes_table.h"

#include <math.h>

#define ATTENTION_ROWS 12 /* queries that share a tile of keys while it is in the cache */

size_t LANES(lanes_attention_scratch)(size_t head_dim)
{
    size_t padded = (head_dim + KERNELS_PANEL - 1) / KERNELS_PANEL * KERNELS_PANEL;
    return ATTENTION_ROWS * (KERNELS_TILE + padded);
}

/* What a query has seen so far. */
struct running {
    float maximum; /* -inf before the first key */
    float sum;
};

/* Keys [first, end) of the tile that the query at `position` sees. */
struct visible {
    size_t first, end;
};

static struct visible visible_in(size_t tile, size_t position, size_t window)
{
    size_t low = window && position + 1 > window ? position + 1 - window : 0;
    size_t base = tile * KERNELS_TILE;
    struct visible v = {low > base ? low - base : 0, position + 1 - base};
    if (v.first > KERNELS_TILE)
        v.first = KERNELS_TILE;
    if (v.end > KERNELS_TILE)
        v.end = KERNELS_TILE;
    return v;
}

static float sum_of_tile(float *p)
{
    float part[KERNELS_TILE];
    memcpy(part, p, sizeof part);
    for (int half = KERNELS_TILE / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            part[i] += part[i + half];
    return part[0];
}

/* Scores -> probabilities, in place; returns by how much the old output shrinks. */
static float soften(float *scores, struct visible v, float scale, struct running *state)
{
    float maximum = state->maximum;
    for (size_t j = v.first; j < v.end; j++) {
        scores[j] *= scale;
        if (scores[j] > maximum)
            maximum = scores[j];
    }
    float centre = maximum == -INFINITY ? 0.0f : maximum; /* no finite score yet */
    for (size_t j = 0; j < KERNELS_TILE; j++)
        scores[j] = j >= v.first && j < v.end ? scores[j] - centre : -INFINITY;
    for (size_t j = 0; j < KERNELS_TILE; j += LANES_WIDTH)
        lanes_store(scores + j, lanes_exp(lanes_load(scores + j)));
    lanes_f shrink = lanes_exp(lanes_all(state->maximum - centre));
    float factor = state->maximum == -INFINITY ? 0.0f : shrink[0];
    state->sum = state->sum * factor + sum_of_tile(scores);
    state->maximum = maximum;
    return factor;
}

/* Scores of `rows` queries against the panels of a tile that hold visible keys. */
static void score(const struct kernels_attention *job, size_t row, size_t rows, size_t tile, size_t keys, float *scores)
{
    size_t head_dim = job->cache.head_dim;
    for (size_t p = 0; p * KERNELS_PANEL < keys; p++) {
        size_t panel = tile * (KERNELS_TILE / KERNELS_PANEL) + p;
        LANES(lanes_product)(rows, head_dim, job->query + row * job->query_stride, job->query_stride,
                             job->cache.keys + panel * head_dim * KERNELS_PANEL, scores + p * KERNELS_PANEL,
                             KERNELS_TILE, 0);
    }
}

/* output += probabilities x values for `rows` queries that see the same keys of the tile. */
static void weigh(const struct kernels_attention *job, size_t rows, size_t tile, struct visible v,
                  const float *probabilities, float *output, size_t padded)
{
    for (size_t d = 0; d < padded; d += KERNELS_PANEL) {
        const float *values = job->cache.values +
                              (d / KERNELS_PANEL * job->cache.capacity + tile * KERNELS_TILE + v.first) * KERNELS_PANEL;
        LANES(lanes_product)(rows, v.end - v.first, probabilities + v.first, KERNELS_TILE, values, output + d, padded, 1);
    }
}

/* One tile for the block's rows [from, rows): those before `from` have no key in it. */
static void one_tile(const struct kernels_attention *job, size_t row, size_t rows, size_t tile, struct running *state,
                     float *scores, float *output, size_t padded)
{
    struct visible v[ATTENTION_ROWS];
    size_t keys = visible_in(tile, job->position + row + rows - 1, job->window).end, same = 0;
    score(job, row, rows, tile, keys, scores);
    for (size_t r = 0; r < rows; r++) {
        size_t position = job->position + row + r;
        v[r] = (struct visible){0, 0};
        if (position >= tile * KERNELS_TILE)
            v[r] = visible_in(tile, position, job->window);
        if (v[r].first >= v[r].end)
            continue;
        float factor = soften(scores + r * KERNELS_TILE, v[r], job->scale, &state[r]);
        for (size_t d = 0; d < padded; d++)
            output[r * padded + d] *= factor;
        same += v[r].first == 0 && v[r].end == KERNELS_TILE;
    }
    if (same == rows) {
        weigh(job, rows, tile, v[0], scores, output, padded);
        return;
    }
    for (size_t r = 0; r < rows; r++)
        if (v[r].first < v[r].end)
            weigh(job, 1, tile, v[r], scores + r * KERNELS_TILE, output + r * padded, padded);
}

static void block_of_rows(const struct kernels_attention *job, size_t row, size_t rows)
{
    size_t head_dim = job->cache.head_dim;
    size_t padded = (head_dim + KERNELS_PANEL - 1) / KERNELS_PANEL * KERNELS_PANEL;
    float *scores = job->scratch, *output = scores + ATTENTION_ROWS * KERNELS_TILE;
    struct running state[ATTENTION_ROWS];
    size_t first = job->position + row, last = first + rows - 1;
    size_t low = job->window && first + 1 > job->window ? first + 1 - job->window : 0;
    for (size_t r = 0; r < rows; r++)
        state[r] = (struct running){-INFINITY, 0.0f};
    memset(output, 0, rows * padded * sizeof *output);
    memset(scores, 0, rows * KERNELS_TILE * sizeof *scores);
    for (size_t tile = low / KERNELS_TILE; tile <= last / KERNELS_TILE; tile++)
        one_tile(job, row, rows, tile, state, scores, output, padded);
    for (size_t r = 0; r < rows; r++)
        for (size_t d = 0; d < head_dim; d++)
            job->output[(row + r) * job->output_stride + d] = output[r * padded + d] / state[r].sum;
}

void LANES(lanes_attend)(const struct kernels_attention *job)
{
    for (size_t row = 0; row < job->rows; row += ATTENTION_ROWS) {
        size_t rows = job->rows - row < ATTENTION_ROWS ? job->rows - row : ATTENTION_ROWS;
        block_of_rows(job, row, rows);
    }
}
