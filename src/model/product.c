/* product.c - a batch times a matrix of any block type.
 *
 * The matrix is cut into blocks of 64 outputs, each one piece of work for one thread: decode a
 * block's rows to float32, FORWARD_DEPTH inputs at a time, into panels that stay in the cache, and use
 * them for all rows of the chunk. Partial sums wait in a tile and go on from there, so each
 * output remains one chain over k (DESIGN section 5).
 */
#include "forward_state.h"

#include <string.h>

#include "../base/threads.h"

/* Rows that share the four panels before the next ones come: their inputs stay in L1 and L2. */
#define ROWS_TOGETHER 24

static void decode_panels(struct forward *f, struct workspace *own, const struct weight *w, size_t first_output,
                          size_t k, size_t depth)
{
    for (size_t p = 0; p < FORWARD_PANELS; p++) {
        for (size_t j = 0; j < KERNELS_PANEL; j++) {
            size_t output = first_output + p * KERNELS_PANEL + j;
            float *row = own->rows + j * FORWARD_DEPTH;
            if (output < w->outputs)
                weights_decode(w, output, k, depth, row);
            else
                memcpy(row, f->zeros, depth * sizeof *row);
        }
        f->kernels->pack(depth, own->rows, FORWARD_DEPTH, own->panels + p * FORWARD_DEPTH * KERNELS_PANEL);
    }
}

void product_block(struct forward *f, struct workspace *own, const struct weight *w, size_t block, size_t rows,
                   const float *x, size_t x_stride, float *tile)
{
    for (size_t k = 0; k < w->inputs; k += FORWARD_DEPTH) {
        size_t depth = w->inputs - k < FORWARD_DEPTH ? w->inputs - k : FORWARD_DEPTH;
        decode_panels(f, own, w, block * FORWARD_BLOCK, k, depth);
        for (size_t r = 0; r < rows; r += ROWS_TOGETHER) {
            size_t some = rows - r < ROWS_TOGETHER ? rows - r : ROWS_TOGETHER;
            for (size_t p = 0; p < FORWARD_PANELS; p++)
                f->kernels->product(some, depth, x + r * x_stride + k, x_stride,
                                    own->panels + p * FORWARD_DEPTH * KERNELS_PANEL,
                                    tile + r * FORWARD_BLOCK + p * KERNELS_PANEL, FORWARD_BLOCK, k > 0);
        }
    }
}

struct product {
    struct forward *forward;
    const struct weight *weight;
    size_t rows;
    const float *x;
    size_t x_stride;
    float *y;
    size_t y_stride;
    bool add;
};

static void one_block(void *context, size_t block, int thread)
{
    const struct product *job = context;
    struct forward *f = job->forward;
    float *tile = f->workspace[thread].tile[0];
    product_block(f, &f->workspace[thread], job->weight, block, job->rows, job->x, job->x_stride, tile);
    size_t first = block * FORWARD_BLOCK, left = job->weight->outputs - first;
    size_t columns = left < FORWARD_BLOCK ? left : FORWARD_BLOCK;
    for (size_t r = 0; r < job->rows; r++) {
        float *y = job->y + r * job->y_stride + first;
        if (job->add)
            f->kernels->add(columns, tile + r * FORWARD_BLOCK, y);
        else
            memcpy(y, tile + r * FORWARD_BLOCK, columns * sizeof *y);
    }
}

void product_run(struct forward *f, const struct weight *w, size_t rows, const float *x, size_t x_stride, float *y,
                 size_t y_stride, bool add)
{
    struct product job = {f, w, rows, x, x_stride, y, y_stride, add};
    threads_run((w->outputs + FORWARD_BLOCK - 1) / FORWARD_BLOCK, one_block, &job);
}
