/* product.c - a batch times matrices of any block type.
 *
 * The rows are packed once for all matrices that they meet. A matrix is cut into blocks of 64
 * outputs, each one piece of work for one thread: decode a block to panels, so many inputs at a time that
 * they stay in the cache, and use them for all rows of the chunk. Partial sums wait in a tile and go
 * on from there, so each output remains one chain over k (DESIGN section 5).
 */
#include "forward_state.h"

#include <string.h>

#include "../base/threads.h"

#define CACHE_LINE 64

struct packing_job {
    const struct kernels_way *way;
    size_t rows, inputs;
    const float *x;
    size_t x_stride;
    uint8_t *packed;
};

/* Tiles of nearly the same size: 512 rows are 82 tiles of 6 and 4 of 5, never a last one of 2. */
static size_t tiles_of(const struct kernels_way *way, size_t rows)
{
    return (rows + way->tile_rows - 1) / way->tile_rows;
}

static size_t tile_start(size_t tile, size_t tiles, size_t rows)
{
    size_t longer = rows % tiles;
    return tile * (rows / tiles) + (tile < longer ? tile : longer);
}

static size_t packed_row_bytes(const struct kernels_way *way, size_t inputs)
{
    return (inputs + way->unit - 1) / way->unit * way->row_bytes;
}

static void pack_tile(void *context, size_t tile, int thread)
{
    const struct packing_job *job = context;
    size_t tiles = tiles_of(job->way, job->rows);
    size_t first = tile_start(tile, tiles, job->rows), end = tile_start(tile + 1, tiles, job->rows);
    (void)thread;
    job->way->pack(end - first, job->inputs, job->x + first * job->x_stride, job->x_stride,
                   job->packed + first * packed_row_bytes(job->way, job->inputs));
}

void product_pack(struct forward *f, const struct weight *const *weights, size_t count, size_t rows, const float *x,
                  size_t x_stride)
{
    bool done[KERNELS_PACKINGS] = {false};
    for (size_t i = 0; i < count; i++) {
        const struct kernels_way *way = product_way(f, weights[i]);
        if (done[way->packing])
            continue;
        struct packing_job job = {way, rows, weights[i]->inputs, x, x_stride, f->packed[way->packing]};
        threads_run(tiles_of(way, rows), pack_tile, &job);
        done[way->packing] = true;
    }
}

const struct kernels_way *product_way(const struct forward *f, const struct weight *w)
{
    return f->kernels->way(f->options.mode, w->tensor->format->id);
}

/* The rows of 16 outputs; past the matrix's end the last one repeats (nobody looks at those outputs). */
static void panel_rows(const struct weight *w, size_t output, const uint8_t *row[KERNELS_PANEL])
{
    for (size_t j = 0; j < KERNELS_PANEL; j++)
        row[j] = weights_row(w, output + j < w->outputs ? output + j : w->outputs - 1);
}

/* Bytes of weights that are decoded next, asked for while the ones before them are multiplied. */
struct ahead {
    const uint8_t *row[FORWARD_BLOCK];
    size_t rows;          /* of them                          */
    size_t bytes;         /* of each                          */
    size_t next;          /* first row not asked for yet      */
};

static struct ahead look_ahead(const struct weight *w, size_t output, size_t k, size_t depth)
{
    const struct quants_format *format = w->tensor->format;
    struct ahead a = {.rows = 0, .next = 0};
    if (k >= w->inputs) { /* on to the next block of outputs */
        k = 0;
        output += FORWARD_BLOCK;
    }
    size_t inputs = w->inputs - k < depth ? w->inputs - k : depth;
    a.bytes = inputs / format->block_elements * format->block_bytes;
    for (; a.rows < FORWARD_BLOCK && output + a.rows < w->outputs; a.rows++)
        a.row[a.rows] = weights_row(w, output + a.rows) + k / format->block_elements * format->block_bytes;
    return a;
}

/* Asks for the next `rows` rows. */
static void ask_for(struct ahead *a, size_t rows)
{
    for (; rows > 0 && a->next < a->rows; rows--, a->next++)
        for (size_t byte = 0; byte < a->bytes; byte += CACHE_LINE)
            __builtin_prefetch(a->row[a->next] + byte, 0, 2);
}

static void decode_panels(const struct kernels_way *way, const struct weight *w, size_t output, size_t k,
                          size_t depth, uint8_t *panels, size_t panel_stride)
{
    const struct quants_format *format = w->tensor->format;
    for (size_t p = 0; p < FORWARD_PANELS && output + p * KERNELS_PANEL < w->outputs; p++) {
        const uint8_t *row[KERNELS_PANEL];
        panel_rows(w, output + p * KERNELS_PANEL, row);
        way->decode(row, k / format->block_elements * format->block_bytes, depth / format->block_elements,
                    panels + p * panel_stride);
    }
}

/* Panels that are multiplied in one call: the widest tile takes two. */
#define PANELS_TOGETHER 2

void product_block(struct forward *f, struct workspace *own, const struct weight *w, size_t block, struct tiles range,
                   size_t rows, float *tile)
{
    const struct kernels_way *way = product_way(f, w);
    size_t tiles = tiles_of(way, rows), output = block * FORWARD_BLOCK, row_bytes = packed_row_bytes(way, w->inputs);
    size_t panels = (w->outputs - output + KERNELS_PANEL - 1) / KERNELS_PANEL;
    size_t start = tile_start(range.first, tiles, rows);
    size_t calls = (range.end - range.first) * (FORWARD_PANELS / PANELS_TOGETHER);
    size_t share = (FORWARD_BLOCK + calls - 1) / calls;
    panels = panels < FORWARD_PANELS ? panels : FORWARD_PANELS;
    for (size_t k = 0; k < w->inputs; k += way->depth) {
        size_t depth = w->inputs - k < way->depth ? w->inputs - k : way->depth;
        size_t panel_stride = (depth + way->unit - 1) / way->unit * way->panel_bytes;
        decode_panels(way, w, output, k, depth, own->panels, panel_stride);
        struct ahead ahead = look_ahead(w, output, k + depth, way->depth);
        for (size_t t = range.first; t < range.end; t++) {
            size_t first = tile_start(t, tiles, rows), count = tile_start(t + 1, tiles, rows) - first;
            const uint8_t *packed = f->packed[way->packing] + first * row_bytes + k / way->unit * way->row_bytes * count;
            for (size_t p = 0; p < panels; p += PANELS_TOGETHER) {
                ask_for(&ahead, share);
                way->multiply(count, depth, packed, own->panels + p * panel_stride,
                              panels - p < PANELS_TOGETHER ? panels - p : PANELS_TOGETHER, panel_stride,
                              tile + (first - start) * FORWARD_BLOCK + p * KERNELS_PANEL, FORWARD_BLOCK, k > 0);
            }
        }
    }
}

struct tiles product_tiles(const struct forward *f, const struct weight *w, size_t rows)
{
    struct tiles all = {0, tiles_of(product_way(f, w), rows)};
    return all;
}

struct products {
    struct forward *forward;
    const struct product_job *job;
    size_t count;
    size_t rows;
    size_t groups;    /* of tiles, each a piece of work of its own */
    bool add;
};

static size_t blocks_of(const struct weight *w)
{
    return (w->outputs + FORWARD_BLOCK - 1) / FORWARD_BLOCK;
}

static void store_tile(const struct products *all, const struct product_job *job, size_t block, size_t first,
                       size_t rows, const float *tile)
{
    size_t column = block * FORWARD_BLOCK, left = job->weight->outputs - column;
    size_t columns = left < FORWARD_BLOCK ? left : FORWARD_BLOCK;
    for (size_t r = 0; r < rows; r++) {
        float *y = job->y + (first + r) * job->y_stride + column;
        if (all->add)
            all->forward->kernels->add(columns, tile + r * FORWARD_BLOCK, y);
        else
            memcpy(y, tile + r * FORWARD_BLOCK, columns * sizeof *y);
    }
}

/* Piece = (matrix, block of outputs, group of row tiles), groups innermost. */
static void one_piece(void *context, size_t piece, int thread)
{
    const struct products *all = context;
    struct forward *f = all->forward;
    const struct product_job *job = all->job;
    size_t block = piece / all->groups, group = piece % all->groups;
    for (; block >= blocks_of(job->weight); job++)
        block -= blocks_of(job->weight);
    size_t tiles = tiles_of(product_way(f, job->weight), all->rows);
    struct tiles range = {tile_start(group, all->groups, tiles), tile_start(group + 1, all->groups, tiles)};
    if (range.first == range.end)
        return;
    float *tile = f->workspace[thread].tile[0];
    size_t first = tile_start(range.first, tiles, all->rows), end = tile_start(range.end, tiles, all->rows);
    product_block(f, &f->workspace[thread], job->weight, block, range, all->rows, tile);
    store_tile(all, job, block, first, end - first, tile);
}

/* Rows that are worth decoding a block of weights for once more. */
#define ROWS_WORTH_DECODING 64
/* Pieces a thread should have, so that none waits long for the last one. */
#define PIECES_EACH 4

void product_run(struct forward *f, const struct product_job *job, size_t count, size_t rows, bool add)
{
    struct products all = {f, job, count, rows, 1, add};
    size_t blocks = 0, most = rows / ROWS_WORTH_DECODING;
    for (size_t i = 0; i < count; i++)
        blocks += blocks_of(job[i].weight);
    size_t wanted = ((size_t)threads_count() * PIECES_EACH + blocks - 1) / blocks;
    all.groups = threads_count() == 1 || most < 2 ? 1 : wanted < most ? wanted : most;
    threads_run(blocks * all.groups, one_piece, &all);
}
