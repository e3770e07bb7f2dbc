/* lanes_attention.c - causal attention of one head, tile of keys by tile of keys.
 *
 * A block of 48 queries passes the tiles of 64 keys that it sees: scores (queries x keys), softmax with
 * a running maximum (Milakov & Gimelshein 2018; Dao et al. 2022), outputs (probabilities x values). Queries, scores and
 * outputs of a block stay in the L1 cache, and a tile of keys and values is read once for 48 rows, so
 * that long prompts, whose cache is larger than L2, run at the same speed. (Query heads that share a
 * key/value head could share tiles further, but at a byte a cycle there is nothing left to gain.)
 * Tiles lie at absolute positions and a query touches exactly the keys it may see,
 * so neither chunking, batch nor later tokens (a NaN there, say) can change its bits.
 */
#include "lanes_attention_tile.h"
#include "lanes_exp.h"
#include "lanes_table.h"
#include "lanes_transpose.h"

#include <math.h>

#define TILE_VECTORS (KERNELS_TILE / LANES_WIDTH)
#define TILE_PANELS (KERNELS_TILE / KERNELS_PANEL)

static size_t value_panels(size_t head_dim)
{
    return (head_dim + KERNELS_PANEL - 1) / KERNELS_PANEL;
}

/* One block of queries, and its part of the scratch. */
struct block {
    const struct kernels_attention *job;
    size_t row, rows;    /* of the job                                              */
    size_t window;
    float *query;        /* [BLOCK_ROWS / GROUP][head_dim][GROUP]                   */
    float *scores;       /* [BLOCK_ROWS][KERNELS_TILE]; then probabilities           */
    float *output;       /* [value panels][BLOCK_ROWS][KERNELS_PANEL]               */
    float *maximum;      /* [BLOCK_ROWS]: -inf before the first key                 */
    float *sum;          /* [BLOCK_ROWS] of exp(score - maximum)                    */
    float *centre;       /* [BLOCK_ROWS]: what the tile's scores are taken from      */
    float *shrink;       /* [BLOCK_ROWS]: of what was there before the tile         */
    float *of_tile;      /* [BLOCK_ROWS]: the tile's maximum, then its sum           */
};

size_t LANES(lanes_attention_scratch)(size_t head_dim)
{
    return BLOCK_ROWS * (head_dim + KERNELS_TILE + value_panels(head_dim) * KERNELS_PANEL + 5);
}

static struct block block_at(const struct kernels_attention *job, size_t row)
{
    size_t head_dim = job->cache.head_dim, none = job->position + job->rows + BLOCK_ROWS;
    struct block b = {.job = job, .row = row};
    b.rows = job->rows - row < BLOCK_ROWS ? job->rows - row : BLOCK_ROWS;
    b.window = job->window && job->window < none ? job->window : none;
    b.scores = job->scratch;
    b.maximum = b.scores + BLOCK_ROWS * KERNELS_TILE;
    b.sum = b.maximum + BLOCK_ROWS;
    b.centre = b.sum + BLOCK_ROWS;
    b.shrink = b.centre + BLOCK_ROWS;
    b.of_tile = b.shrink + BLOCK_ROWS;
    b.output = b.of_tile + BLOCK_ROWS;
    b.query = b.output + value_panels(head_dim) * KERNELS_PANEL * BLOCK_ROWS;
    return b;
}

/* What `rows` queries from the block's row `first` see of a tile. */
static struct span span_of(const struct block *b, size_t tile, size_t first, size_t rows)
{
    ptrdiff_t high = (ptrdiff_t)(b->job->position + b->row + first + 1) - (ptrdiff_t)(tile * KERNELS_TILE);
    ptrdiff_t last = high + (ptrdiff_t)rows - 1;
    struct span s = {high - (ptrdiff_t)b->window, high, last < KERNELS_TILE ? last : KERNELS_TILE};
    return s;
}

/* Queries that go together, from `row` on: a whole or half a group (with rows that nobody
 * will look at), or one. A window narrower than a group leaves no keys that all see. */
static int group_shape(const struct block *b, size_t row)
{
    if (b->window < GROUP || b->rows - row == 1)
        return 1;
    return b->rows - row > HALF_GROUP ? GROUP : HALF_GROUP;
}

/* Query rows [row, row + keep), four at most, of which those past the block's end repeat its last one:
 * their results are not used. `keep` is a constant. */
INLINE void pack_rows(const struct block *b, size_t row, size_t keep)
{
    const struct kernels_attention *job = b->job;
    size_t head_dim = job->cache.head_dim;
    const float *from[4];
    for (size_t i = 0; i < 4; i++) {
        size_t r = row + i < b->rows ? row + i : b->rows - 1;
        from[i] = job->query + (b->row + r) * job->query_stride;
    }
    lanes_turn_rows(from, head_dim, b->query + row / GROUP * GROUP * head_dim + row % GROUP, GROUP, keep);
}

static void pack_queries(const struct block *b)
{
    for (size_t group = 0; group < b->rows; group += GROUP) {
        for (size_t row = group; row + 4 <= group + GROUP; row += 4)
            pack_rows(b, row, 4);
        if (GROUP % 4 > 0)
            pack_rows(b, group + GROUP / 4 * 4, GROUP % 4);
    }
}

static void score_group(const struct block *b, size_t row, int shape, size_t panel, size_t panels)
{
    const struct kernels_cache *c = &b->job->cache;
    const float *query = b->query + row / GROUP * GROUP * c->head_dim + row % GROUP;
    const float *keys = c->keys + panel * c->head_dim * KERNELS_PANEL;
    float *scores = b->scores + row * KERNELS_TILE + panel % TILE_PANELS * KERNELS_PANEL;
    if (panels == PANELS_TOGETHER && shape == GROUP)
        score_tile(GROUP, PANELS_TOGETHER, c->head_dim, query, keys, b->job->scale, scores);
    else
        for (; panels > 0; panels--, keys += c->head_dim * KERNELS_PANEL, scores += KERNELS_PANEL)
            if (shape == GROUP)
                score_tile(GROUP, 1, c->head_dim, query, keys, b->job->scale, scores);
            else if (shape == HALF_GROUP)
                score_tile(HALF_GROUP, 1, c->head_dim, query, keys, b->job->scale, scores);
            else
                score_tile(1, 1, c->head_dim, query, keys, b->job->scale, scores);
}

/* Scores of the panels of a tile that hold visible keys: every group while a panel is in L1. */
static void score(const struct block *b, size_t tile)
{
    for (size_t p = 0; p < TILE_PANELS; p += PANELS_TOGETHER)
        for (size_t row = 0, shape; row < b->rows; row += shape) {
            shape = (size_t)group_shape(b, row);
            struct span s = span_of(b, tile, row, b->rows - row < shape ? b->rows - row : shape);
            size_t first = s.low > 0 ? (size_t)s.low / KERNELS_PANEL : 0, end = p + PANELS_TOGETHER;
            size_t last = s.limit > 0 ? ((size_t)s.limit + KERNELS_PANEL - 1) / KERNELS_PANEL : 0;
            first = first > p ? first : p;
            end = end < last ? end : last;
            if (first < end)
                score_group(b, row, (int)shape, tile * TILE_PANELS + first, end - first);
        }
}

/* Lanes of vector i that hold keys [first, end) of the tile. */
static lanes_i visible_lanes(size_t i, size_t first, size_t end)
{
    lanes_i j = lanes_index() + (int32_t)(i * LANES_WIDTH);
    return (j >= (int32_t)first) & (j < (int32_t)end);
}

static float greatest(const float *scores, size_t first, size_t end)
{
    const lanes_f none = lanes_all(-INFINITY);
    lanes_f most = none;
    if (first == 0 && end == KERNELS_TILE)
        for (size_t i = 0; i < TILE_VECTORS; i++)
            most = lanes_greater(lanes_load(scores + i * LANES_WIDTH), most);
    else
        for (size_t i = first / LANES_WIDTH; i * LANES_WIDTH < end; i++) {
            lanes_f some = lanes_load(scores + i * LANES_WIDTH);
            most = lanes_greater(lanes_select(visible_lanes(i, first, end), some, none), most);
        }
    for (int half = LANES_WIDTH / 2; half > 0; half /= 2)
        most = lanes_greater(lanes_swap(most, half), most);
    return most[0];
}

/* Scores -> probabilities; returns their sum, 64 lanes joined by halving. */
static float soften(float *scores, float centre, size_t first, size_t end)
{
    lanes_f part[TILE_VECTORS];
    if (first == 0 && end == KERNELS_TILE)
        for (size_t i = 0; i < KERNELS_TILE; i += LANES_TOGETHER * LANES_WIDTH) {
            for (size_t v = 0; v < LANES_TOGETHER; v++)
                part[v] = lanes_load(scores + i + v * LANES_WIDTH) - centre;
            lanes_exp_weight(LANES_TOGETHER, part);
            for (size_t v = 0; v < LANES_TOGETHER; v++)
                lanes_store(scores + i + v * LANES_WIDTH, part[v]);
        }
    else {
        size_t from = first / LANES_WIDTH, to = (end + LANES_WIDTH - 1) / LANES_WIDTH;
        memset(scores, 0, from * sizeof *part);
        for (size_t i = from; i < to; i++) {
            lanes_f some = lanes_load(scores + i * LANES_WIDTH) - centre;
            lanes_exp_weight(1, &some);
            lanes_store(scores + i * LANES_WIDTH, lanes_select(visible_lanes(i, first, end), some, lanes_all(0.0f)));
        }
        memset(scores + to * LANES_WIDTH, 0, (TILE_VECTORS - to) * sizeof *part);
    }
    for (size_t i = 0; i < TILE_VECTORS; i++)
        part[i] = lanes_load(scores + i * LANES_WIDTH);
    for (size_t half = TILE_VECTORS / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            part[i] += part[i + half];
    for (int half = LANES_WIDTH / 2; half > 0; half /= 2)
        part[0] += lanes_swap(part[0], half);
    return part[0][0];
}

/* The tile's softmax, all rows: first maxima, then what follows from them for many rows at once. */
static void soften_rows(const struct block *b, size_t tile)
{
    const lanes_f none = lanes_all(-INFINITY), zero = lanes_all(0.0f);
    size_t first[BLOCK_ROWS], end[BLOCK_ROWS];
    for (size_t r = 0; r < b->rows; r++) {
        struct span s = span_of(b, tile, r, 1);
        first[r] = s.low > 0 ? (size_t)s.low : 0;
        end[r] = s.limit > 0 ? (size_t)s.limit : 0;
        b->of_tile[r] = first[r] < end[r] ? greatest(b->scores + r * KERNELS_TILE, first[r], end[r]) : -INFINITY;
    }
    for (size_t r = 0; r < b->rows; r += LANES_WIDTH) {
        lanes_f before = lanes_load(b->maximum + r), now = lanes_greater(lanes_load(b->of_tile + r), before);
        lanes_f centre = lanes_select(now == none, zero, now); /* no finite score yet */
        lanes_f shrink = before - centre;
        lanes_exp_weight(1, &shrink);
        lanes_store(b->shrink + r, lanes_select(before == none, zero, shrink));
        lanes_store(b->maximum + r, now);
        lanes_store(b->centre + r, centre);
    }
    for (size_t r = 0; r < b->rows; r++)
        b->of_tile[r] =
            first[r] < end[r] ? soften(b->scores + r * KERNELS_TILE, b->centre[r], first[r], end[r]) : 0.0f;
    for (size_t r = 0; r < b->rows; r += LANES_WIDTH)
        lanes_store(b->sum + r, lanes_load(b->sum + r) * lanes_load(b->shrink + r) + lanes_load(b->of_tile + r));
}

static void weigh_group(const struct block *b, size_t row, int shape, size_t panel, size_t panels, const float *values,
                        struct span s)
{
    const float *p = b->scores + row * KERNELS_TILE, *shrink = b->shrink + row;
    float *output = b->output + (panel * BLOCK_ROWS + row) * KERNELS_PANEL;
    size_t stride = b->job->cache.capacity * KERNELS_PANEL;
    if (panels == PANELS_TOGETHER && shape == GROUP)
        weigh_tile(GROUP, PANELS_TOGETHER, p, values, stride, shrink, output, s);
    else
        for (; panels > 0; panels--, values += stride, output += BLOCK_ROWS * KERNELS_PANEL)
            if (shape == GROUP)
                weigh_tile(GROUP, 1, p, values, stride, shrink, output, s);
            else if (shape == HALF_GROUP)
                weigh_tile(HALF_GROUP, 1, p, values, stride, shrink, output, s);
            else
                weigh_tile(1, 1, p, values, stride, shrink, output, s);
}

static void weigh(const struct block *b, size_t tile)
{
    const struct kernels_cache *c = &b->job->cache;
    size_t all = value_panels(c->head_dim);
    for (size_t panel = 0; panel < all; panel += PANELS_TOGETHER) {
        const float *values = c->values + (panel * c->capacity + tile * KERNELS_TILE) * KERNELS_PANEL;
        size_t panels = all - panel < PANELS_TOGETHER ? all - panel : PANELS_TOGETHER;
        for (size_t row = 0, shape; row < b->rows; row += shape) {
            shape = (size_t)group_shape(b, row);
            struct span s = span_of(b, tile, row, b->rows - row < shape ? b->rows - row : shape);
            weigh_group(b, row, (int)shape, panel, panels, values, s);
        }
    }
}

static void start(const struct block *b)
{
    pack_queries(b);
    memset(b->output, 0, value_panels(b->job->cache.head_dim) * BLOCK_ROWS * KERNELS_PANEL * sizeof *b->output);
    for (size_t r = 0; r < BLOCK_ROWS; r++) {
        b->maximum[r] = b->of_tile[r] = -INFINITY;
        b->sum[r] = 0.0f;
    }
}

static void finish_row(const struct block *b, size_t r)
{
    size_t head_dim = b->job->cache.head_dim, d = 0;
    const float *from = b->output + r * KERNELS_PANEL;
    float *out = b->job->output + (b->row + r) * b->job->output_stride;
    lanes_f sum = lanes_all(b->sum[r]);
    for (; d + KERNELS_PANEL <= head_dim; d += KERNELS_PANEL, from += BLOCK_ROWS * KERNELS_PANEL)
        for (size_t i = 0; i < KERNELS_PANEL; i += LANES_WIDTH)
            lanes_store(out + d + i, lanes_load(from + i) / sum);
    for (size_t i = 0; d + i < head_dim; i++)
        out[d + i] = from[i] / b->sum[r];
}

void LANES(lanes_attend)(const struct kernels_attention *job)
{
    for (size_t row = 0; row < job->rows; row += BLOCK_ROWS) {
        struct block b = block_at(job, row);
        size_t first = job->position + row, last = first + b.rows - 1;
        size_t low = first + 1 > b.window ? first + 1 - b.window : 0;
        start(&b);
        for (size_t tile = low / KERNELS_TILE; tile <= last / KERNELS_TILE; tile++) {
            score(&b, tile);
            soften_rows(&b, tile);
            weigh(&b, tile);
        }
        for (size_t r = 0; r < b.rows; r++)
            finish_row(&b, r);
    }
}
