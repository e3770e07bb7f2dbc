/* product.c - a batch times matrices of any block type.
 *
 * The rows are packed once for all matrices that they meet. A matrix is cut into blocks of 64
 * outputs, each one piece of work for one thread: decode some of its panels, so many inputs at a time that
 * they stay in the cache, and use them for all rows of the chunk. Partial sums wait in a tile (or, where rows
 * are long, in y) and go on from there, so each output remains one chain over k (DESIGN section 5).
 */
#include "forward_state.h"

#include <assert.h>
#include <string.h>

#include "../base/threads.h"
#include "../quants/byte_order.h"
#include "row_product.h"

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

/* What a thread decodes before it multiplies: `panels` panels of `depth` inputs. With many rows, the panels of one
 * tile and as many inputs as the buffer holds: each change of tile costs about 200 cycles, and what the packed
 * rows bring through the cache should push out little. With few, about what the first-level cache
 * holds, since decoding and reading it back is then a good part of the work. */
struct portion {
    size_t panels, depth;
};

#define FEW_ROWS 32
#define FEW_DEPTH 256

/* Inputs are divided at multiples of this: a super-block, and a unit of the integer modes. */
#define WHOLE 256

/* `inputs` in parts of nearly the same size, none of more than `most`; all but the last are whole super-blocks. */
static size_t even_depth(size_t inputs, size_t most)
{
    size_t count = (inputs + most - 1) / most, depth = (inputs + count - 1) / count;
    return (depth + WHOLE - 1) / WHOLE * WHOLE;
}

static struct portion portion_for(const struct kernels_way *way, size_t rows, size_t inputs)
{
    struct portion few = {way->panels, FEW_DEPTH};
    struct portion many = {way->panels, even_depth(inputs, way->depth * FORWARD_PANELS / way->panels)};
    return rows > FEW_ROWS ? many : few;
}

/* One block's outputs [output, output + 16 * panels), and the row tiles that meet them. */
struct stretch {
    const struct weight *weight;
    const struct kernels_way *way;
    size_t output, panels;
    size_t rows;             /* packed in all                                       */
    struct part part;
    float *tile;             /* of the part's first row and of `output`              */
};

/* Bytes of weights that are decoded next, asked for while the ones before them are multiplied. */
struct ahead {
    const struct weight *weight;
    size_t output, end;      /* rows not asked for yet                              */
    size_t from, bytes;      /* of each                                             */
    size_t share;            /* rows to ask for at each call                        */
};

static struct ahead look_ahead(const struct stretch *s, size_t k, size_t depth, size_t calls)
{
    const struct quants_format *format = s->weight->tensor->format;
    struct ahead a = {.weight = s->weight, .output = s->output};
    if (k >= s->part.until) { /* on to the next outputs */
        k = s->part.from;
        a.output += s->panels * KERNELS_PANEL;
    }
    size_t inputs = s->part.until - k < depth ? s->part.until - k : depth;
    a.from = k / format->block_elements * format->block_bytes;
    a.bytes = inputs / format->block_elements * format->block_bytes;
    a.end = a.output + s->panels * KERNELS_PANEL;
    a.end = a.end < s->weight->outputs ? a.end : s->weight->outputs;
    a.share = (s->panels * KERNELS_PANEL + calls - 1) / calls;
    return a;
}

static void ask_for_share(struct ahead *a)
{
    size_t end = a->output + a->share < a->end ? a->output + a->share : a->end;
    for (; a->output < end; a->output++) {
        const uint8_t *row = weights_row(a->weight, a->output) + a->from;
        for (size_t byte = 0; byte < a->bytes; byte += CACHE_LINE)
            __builtin_prefetch(row + byte, 0, 2);
    }
}

/* A big-endian file's rows are turned round some super-block at a time, on their way to the decoder. */
static void decode_swapped(const struct stretch *s, const uint8_t *const row[KERNELS_PANEL], size_t k, size_t depth,
                           uint8_t *panel)
{
    const struct quants_format *format = s->weight->tensor->format;
    uint8_t turned[KERNELS_PANEL][WHOLE * 8]; /* a weight of F64 has 8 bytes, no other as many */
    const uint8_t *from[KERNELS_PANEL];
    for (size_t done = 0; done < depth; done += WHOLE) {
        const size_t blocks = (depth - done < WHOLE ? depth - done : WHOLE) / format->block_elements;
        for (size_t r = 0; r < KERNELS_PANEL; r++) {
            byte_order_swap(format, row[r] + (k + done) / format->block_elements * format->block_bytes, blocks, turned[r]);
            from[r] = turned[r];
        }
        s->way->decode(from, 0, blocks, panel + done / s->way->unit * s->way->panel_bytes);
    }
}

static void decode_panels(const struct stretch *s, size_t k, size_t depth, uint8_t *panels, size_t stride)
{
    const struct quants_format *format = s->weight->tensor->format;
    for (size_t p = 0; p < s->panels; p++) {
        const uint8_t *row[KERNELS_PANEL];
        panel_rows(s->weight, s->output + p * KERNELS_PANEL, row);
        if (s->weight->tensor->swapped) {
            decode_swapped(s, row, k, depth, panels + p * stride);
            continue;
        }
        s->way->decode(row, k / format->block_elements * format->block_bytes, depth / format->block_elements,
                       panels + p * stride);
    }
}

/* Inputs [k, k + depth) of the stretch, decoded and multiplied. */
static void multiply_portion(const struct forward *f, uint8_t *panels, const struct stretch *s, size_t k, size_t depth)
{
    const struct kernels_way *way = s->way;
    size_t tiles = tiles_of(way, s->rows), row_bytes = packed_row_bytes(way, s->weight->inputs);
    size_t start = tile_start(s->part.first, tiles, s->rows), left = s->part.until - k;
    size_t stride = ((depth < left ? depth : left) + way->unit - 1) / way->unit * way->panel_bytes;
    size_t calls = (s->part.end - s->part.first) * ((s->panels + way->panels - 1) / way->panels);
    struct ahead ahead = look_ahead(s, k + depth, depth, calls);
    depth = depth < left ? depth : left;
    decode_panels(s, k, depth, panels, stride);
    for (size_t t = s->part.first; t < s->part.end; t++) {
        size_t first = tile_start(t, tiles, s->rows), count = tile_start(t + 1, tiles, s->rows) - first;
        const uint8_t *packed = f->packed[way->packing] + first * row_bytes + k / way->unit * way->row_bytes * count;
        for (size_t p = 0; p < s->panels; p += way->panels) {
            ask_for_share(&ahead);
            way->multiply(count, depth, packed, panels + p * stride,
                          s->panels - p < way->panels ? s->panels - p : way->panels, stride,
                          s->tile + (first - start) * FORWARD_BLOCK + p * KERNELS_PANEL, FORWARD_BLOCK, k > 0);
        }
    }
}

void product_block(struct forward *f, struct workspace *own, const struct weight *w, size_t block, const struct part *part,
                   size_t rows, float *tile)
{
    struct stretch s = {w, product_way(f, w), block * FORWARD_BLOCK, 0, rows, *part, tile};
    struct portion portion = portion_for(s.way, rows, part->until - part->from);
    size_t panels = (w->outputs - s.output + KERNELS_PANEL - 1) / KERNELS_PANEL;
    panels = panels < FORWARD_PANELS ? panels : FORWARD_PANELS;
    for (size_t done = 0; done < panels; done += s.panels) {
        s.panels = panels - done < portion.panels ? panels - done : portion.panels;
        s.output = block * FORWARD_BLOCK + done * KERNELS_PANEL;
        s.tile = tile + done * KERNELS_PANEL;
        for (size_t k = part->from; k < part->until; k += portion.depth)
            multiply_portion(f, own->panels, &s, k, portion.depth);
    }
}

struct part product_whole(const struct forward *f, const struct weight *w, size_t rows)
{
    struct part all = {0, tiles_of(product_way(f, w), rows), 0, w->inputs};
    return all;
}

struct products {
    struct forward *forward;
    const struct product_job *job;
    size_t rows;
    size_t groups;       /* of tiles, each a piece of work of its own                     */
    size_t from, until;  /* the inputs of this go                                         */
    bool add;
};

static size_t blocks_of(const struct weight *w)
{
    return (w->outputs + FORWARD_BLOCK - 1) / FORWARD_BLOCK;
}

/* Rows [first, first + rows) of a block's columns: sums over the inputs before this go's. */
static void load_tile(const struct products *all, const struct product_job *job, size_t block, size_t first,
                      size_t rows, float *tile)
{
    size_t column = block * FORWARD_BLOCK, left = job->weight->outputs - column;
    size_t columns = left < FORWARD_BLOCK ? left : FORWARD_BLOCK;
    const float *from = (all->add ? job->partial : job->y) + first * job->y_stride + column;
    for (size_t r = 0; r < rows; r++) {
        memcpy(tile + r * FORWARD_BLOCK, from + r * job->y_stride, columns * sizeof *tile);
        memset(tile + r * FORWARD_BLOCK + columns, 0, (FORWARD_BLOCK - columns) * sizeof *tile);
    }
}

static void store_tile(const struct products *all, const struct product_job *job, size_t block, size_t first,
                       size_t rows, const float *tile)
{
    size_t column = block * FORWARD_BLOCK, left = job->weight->outputs - column;
    size_t columns = left < FORWARD_BLOCK ? left : FORWARD_BLOCK;
    bool add = all->add && all->until == job->weight->inputs;
    float *to = (all->add && !add ? job->partial : job->y) + first * job->y_stride + column;
    for (size_t r = 0; r < rows; r++, to += job->y_stride) {
        if (add)
            all->forward->kernels->add(columns, tile + r * FORWARD_BLOCK, to);
        else
            memcpy(to, tile + r * FORWARD_BLOCK, columns * sizeof *to);
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
    struct part part = {tile_start(group, all->groups, tiles), tile_start(group + 1, all->groups, tiles), all->from,
                        all->until};
    if (part.first == part.end)
        return;
    float *tile = f->workspace[thread].tile[0];
    size_t first = tile_start(part.first, tiles, all->rows), end = tile_start(part.end, tiles, all->rows);
    if (all->from > 0)
        load_tile(all, job, block, first, end - first, tile);
    product_block(f, &f->workspace[thread], job->weight, block, &part, all->rows, tile);
    store_tile(all, job, block, first, end - first, tile);
}

/* Rows that are worth decoding a block of weights for once more. */
#define ROWS_WORTH_DECODING 64
/* Pieces a thread should have, so that none waits long for the last one. */
#define PIECES_EACH 4
/* Packed rows that one go should read at most: it reads them again for each tile of outputs, from a cache that
 * cores (and on hired machines, neighbours) share. */
#define PACKED_BYTES_OF_A_GO ((size_t)6 << 20)

/* Inputs of one go. */
static size_t inputs_of_a_go(const struct kernels_way *way, size_t rows, size_t inputs)
{
    size_t most = PACKED_BYTES_OF_A_GO / rows / way->row_bytes * way->unit;
    size_t least = way->depth > WHOLE ? way->depth : WHOLE;
    return even_depth(inputs, most > least ? most : least);
}

void product_run(struct forward *f, const struct product_job *job, size_t count, size_t rows, bool add)
{
    struct products all = {f, job, rows, 1, 0, 0, add};
    size_t blocks = 0, most = rows / ROWS_WORTH_DECODING, inputs = job->weight->inputs, depth = inputs;
    for (size_t i = 0; i < count; i++) {
        size_t one = inputs_of_a_go(product_way(f, job[i].weight), rows, inputs);
        blocks += blocks_of(job[i].weight);
        depth = one < depth ? one : depth;
    }
    size_t wanted = ((size_t)threads_count() * PIECES_EACH + blocks - 1) / blocks;
    all.groups = threads_count() == 1 || most < 2 ? 1 : wanted < most ? wanted : most;
    for (all.from = 0; all.from < inputs; all.from = all.until) {
        all.until = inputs - all.from > depth ? all.from + depth : inputs;
        threads_run(blocks * all.groups, one_piece, &all);
    }
}

void product_of(struct forward *f, const struct product_job *job, size_t count, size_t rows, const float *x,
                size_t x_stride, bool add)
{
    struct product_job packed[PRODUCT_JOBS];
    const struct weight *weights[PRODUCT_JOBS];
    size_t packs = 0;
    assert(count <= PRODUCT_JOBS);
    for (size_t i = 0; i < count; i++)
        if (rows > 1 || !job[i].weight->groups) {
            weights[packs] = job[i].weight;
            packed[packs++] = job[i];
        }
    if (packs > 0) {
        product_pack(f, weights, packs, rows, x, x_stride);
        product_run(f, packed, packs, rows, add);
    }
    if (packs < count)
        row_product_run(f, job, count, x, add);
}
