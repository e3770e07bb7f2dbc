/* few_rows.c - see few_rows.h. */
#include "few_rows.h"

#include "../base/memory.h"
#include "../base/threads.h"

bool few_rows_possible(const struct lone_ffn_weights *w, const struct kernels *kernels, enum kernels_mode mode)
{
    return w->gate.format == w->up.format && kernels->vector_way(mode, w->gate.format->id) != NULL;
}

enum status few_rows_open(struct few_rows *f, const struct lone_ffn_weights *w, const struct kernels *kernels,
                          enum kernels_mode mode, bool fused, size_t most_rows, size_t copies, struct error *e)
{
    const struct lone_product_matrix both[] = {w->gate, w->up};
    *f = (struct few_rows){.kernels = kernels, .fused = fused, .neurons = w->gate.outputs, .stride = w->down.inputs};
    f->way = kernels->vector_way(mode, w->gate.format->id);
    f->down_way = kernels->vector_way(mode, w->down.format->id);
    enum status s = repacked_open(&f->gate, both, fused ? 2 : 1, copies, e);
    if (s == STATUS_OK && !fused)
        s = repacked_open(&f->up, &w->up, 1, copies, e);
    if (s == STATUS_OK && f->down_way)
        s = repacked_open(&f->down, &w->down, 1, copies, e);
    else if (s == STATUS_OK)
        s = lone_product_open(&f->product, &w->down, kernels, mode, most_rows, e);
    return s;
}

void few_rows_close(struct few_rows *f)
{
    repacked_close(&f->gate);
    repacked_close(&f->up);
    repacked_close(&f->down);
    lone_product_close(f->product);
    f->product = NULL;
}

static void gate_share(void *context, size_t share, int thread)
{
    const struct few_rows *f = context;
    (void)thread;
    repacked_multiply(&f->gate, f->way, f->copy, f->rows, f->x, f->gate_rows, share);
}

static void up_share(void *context, size_t share, int thread)
{
    const struct few_rows *f = context;
    (void)thread;
    repacked_multiply(&f->up, f->way, f->copy, f->rows, f->x, f->up_rows, share);
}

static void down_share(void *context, size_t share, int thread)
{
    const struct few_rows *f = context;
    (void)thread;
    repacked_multiply(&f->down, f->down_way, f->copy, f->rows, f->gated, f->y, share);
}

/* Neurons of a share, all rows. */
static void gated_share(void *context, size_t share, int thread)
{
    const struct few_rows *f = context;
    const struct repacked_range range = repacked_share(&f->gate, share, (size_t)threads_count());
    const size_t first = range.first * INTERLEAVE_ROWS, last = range.end * INTERLEAVE_ROWS;
    const size_t end = last < f->neurons ? last : f->neurons;
    (void)thread;
    for (size_t r = 0; r < f->rows && first < end; r++)
        f->kernels->silu_multiply(end - first, f->gate_rows + r * f->neurons + first, f->up_rows + r * f->neurons + first,
                                  f->gated + r * f->stride + first);
}

/* Gate, up and silu(gate) * up of 64 neurons, which never leave the first cache. */
static void fused_group(const struct few_rows *f, size_t group)
{
    float gate[KERNELS_VECTOR_ROWS * INTERLEAVE_ROWS], up[KERNELS_VECTOR_ROWS * INTERLEAVE_ROWS];
    const size_t first = group * INTERLEAVE_ROWS, left = f->neurons - first;
    const size_t neurons = left < INTERLEAVE_ROWS ? left : INTERLEAVE_ROWS;
    f->way->multiply(f->rows, f->gate.inputs, f->x, f->gate.inputs, repacked_group(&f->gate, f->copy, group, 0), neurons, gate,
                     INTERLEAVE_ROWS);
    f->way->multiply(f->rows, f->gate.inputs, f->x, f->gate.inputs, repacked_group(&f->gate, f->copy, group, 1), neurons, up,
                     INTERLEAVE_ROWS);
    for (size_t r = 0; r < f->rows; r++)
        f->kernels->silu_multiply(neurons, gate + r * INTERLEAVE_ROWS, up + r * INTERLEAVE_ROWS, f->gated + r * f->stride + first);
}

static void fused_share(void *context, size_t share, int thread)
{
    const struct few_rows *f = context;
    const struct repacked_range range = repacked_share(&f->gate, share, (size_t)threads_count());
    (void)thread;
    for (size_t group = range.first; group < range.end; group++)
        fused_group(f, group);
}

void few_rows_run(struct few_rows *f)
{
    const size_t shares = (size_t)threads_count();
    if (f->fused)
        threads_run(shares, fused_share, f);
    else {
        threads_run(shares, gate_share, f);
        threads_run(shares, up_share, f);
        threads_run(shares, gated_share, f);
    }
    if (f->down_way)
        threads_run(shares, down_share, f);
    else
        lone_product_run(f->product, f->rows, f->gated, f->y);
}
