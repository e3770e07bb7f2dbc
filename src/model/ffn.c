/* ffn.c - gate, up and ffn of a chunk, counted while they are in the cache.
 *
 * A piece of work is one block of 64 neurons: both products, silu(gate) * up, the plain sums of
 * each prompt in the chunk, and the block's columns of ffn for the down projection. A long
 * prompt's sums are carried from chunk to chunk and told once, at its end.
 */
#include "forward_state.h"

#include <assert.h>
#include <string.h>

#include "../base/threads.h"
#include "row_product.h"

struct ffn {
    struct forward *forward;
    size_t layer;
    struct chunk chunk;
    const struct forward_observer *observer;
};

/* Positions [position, position + rows) without the first skip_first ones. */
static size_t skipped(const struct forward *f, size_t position, size_t rows)
{
    size_t skip = f->options.skip_first > position ? f->options.skip_first - position : 0;
    return skip < rows ? skip : rows;
}

static void count_segment(const struct ffn *job, size_t block, size_t segment, struct workspace *own)
{
    struct forward *f = job->forward;
    const struct segment *s = &f->segment[segment];
    size_t chunk_end = job->chunk.row + job->chunk.rows, end = s->row + s->length;
    size_t first = s->row > job->chunk.row ? s->row : job->chunk.row, last = end < chunk_end ? end : chunk_end;
    size_t position = first - s->row, rows = last - first, skip = skipped(f, position, rows);
    bool whole = position == 0 && last == end;
    for (int series = 0; series < SERIES_COUNT; series++) {
        struct sums *sums = whole ? &own->sums[series] : &f->carried[(size_t)series * f->blocks + block];
        if (position == 0)
            sums_start(sums);
        const float *x = own->tile[series] + (first - job->chunk.row + skip) * FORWARD_BLOCK;
        f->kernels->statistics(rows - skip, x, FORWARD_BLOCK, f->options.activity_threshold,
                               (int32_t)(position + skip), sums);
        if ((block + 1) * FORWARD_BLOCK > f->config->intermediate)
            sums_start_lanes(sums, f->config->intermediate % FORWARD_BLOCK);
        if (last == end)
            job->observer->sums(job->observer->context, job->layer, (enum series)series, block, segment, sums,
                                s->length - skipped(f, 0, s->length));
    }
}

static void one_block(void *context, size_t block, int thread)
{
    const struct ffn *job = context;
    struct forward *f = job->forward;
    struct workspace *own = &f->workspace[thread];
    const struct weights_layer *w = &f->weights->layer[job->layer];
    size_t rows = job->chunk.rows, stride = f->blocks * FORWARD_BLOCK;
    const struct part gate = product_whole(f, &w->gate, rows), up = product_whole(f, &w->up, rows);
    product_block(f, own, &w->gate, block, &gate, rows, own->tile[SERIES_GATE]);
    product_block(f, own, &w->up, block, &up, rows, own->tile[SERIES_UP]);
    f->kernels->silu_multiply(rows * FORWARD_BLOCK, own->tile[SERIES_GATE], own->tile[SERIES_UP],
                              own->tile[SERIES_FFN]);
    for (size_t s = 0; s < f->segments && job->observer; s++)
        if (f->segment[s].row < job->chunk.row + rows && f->segment[s].row + f->segment[s].length > job->chunk.row)
            count_segment(job, block, s, own);
    for (size_t r = 0; r < rows; r++)
        memcpy(f->ffn + r * stride + block * FORWARD_BLOCK, own->tile[SERIES_FFN] + r * FORWARD_BLOCK,
               FORWARD_BLOCK * sizeof *f->ffn);
}

/* A part of one row or more of `whole`: its ffn. Rows are taken in one stretch, past their neurons too. */
static void multiply_part(void *context, size_t piece, int thread)
{
    const struct ffn *job = context;
    struct forward *f = job->forward;
    (void)thread;
    size_t at = piece * FORWARD_BLOCK * job->chunk.rows;
    f->kernels->silu_multiply(job->chunk.rows * FORWARD_BLOCK, f->whole[0] + at, f->whole[1] + at, f->ffn + at);
}

/* As three products would have it: gate as a whole, then up, then what they make. */
static void run_separately(struct ffn *job, const struct weights_layer *w)
{
    struct forward *f = job->forward;
    size_t stride = f->blocks * FORWARD_BLOCK, hidden = f->config->hidden;
    const struct product_job gate = {&w->gate, f->whole[0], stride, NULL}, up = {&w->up, f->whole[1], stride, NULL};
    product_of(f, &gate, 1, job->chunk.rows, f->normed, hidden, false);
    product_of(f, &up, 1, job->chunk.rows, f->normed, hidden, false);
    threads_run(f->blocks, multiply_part, job);
}

void ffn_run(struct forward *f, size_t layer, struct chunk chunk, const struct forward_observer *observer)
{
    struct ffn job = {f, layer, chunk, observer};
    const struct weights_layer *w = &f->weights->layer[layer];
    assert(!observer || !f->options.head); /* nobody looks at what is decoded: the other ways tell nothing */
    if (f->options.separate) {
        run_separately(&job, w);
        return;
    }
    if (chunk.rows == 1 && w->gate.groups && w->up.groups) {
        row_product_ffn(f, w, f->normed);
        return;
    }
    product_pack(f, (const struct weight *[]){&w->gate, &w->up}, 2, chunk.rows, f->normed, f->config->hidden);
    threads_run(f->blocks, one_block, &job);
}
