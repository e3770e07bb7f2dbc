/* row_product.c - see row_product.h.
 *
 * A thread has a range of neighbouring groups of 64 outputs, of all the matrices at hand counted through, so that its
 * weights are few long streams and every thread has as many bytes as the next, however small one of the
 * matrices is.
 */
#include "row_product.h"

#include "../base/memory.h"
#include "../base/threads.h"
#include "../kernels/interleave.h"

#define LINE 64

static size_t groups_of(const struct weight *w)
{
    return (w->outputs + INTERLEAVE_ROWS - 1) / INTERLEAVE_ROWS;
}

static size_t group_bytes(const struct weight *w)
{
    const struct interleave_form *form = interleave_form(w->tensor->format->id);
    return interleave_bytes(form, w->inputs / form->weights);
}

size_t row_product_bytes(const struct weight *w, const struct kernels *kernels, enum kernels_mode mode)
{
    const uint32_t type = w->tensor->format->id;
    size_t bytes;
    if (!interleave_form(type) || !kernels->vector_way(mode, type) || w->tensor->swapped ||
        !memory_multiply(groups_of(w), group_bytes(w), &bytes) || !memory_add(bytes, LINE - 1, &bytes))
        return 0;
    return bytes / LINE * LINE;
}

struct repacking {
    const struct weight *weight;
    uint8_t *groups;
};

/* Groups are written by the thread that will read them. */
static void repack_group(void *context, size_t group, int thread)
{
    const struct repacking *job = context;
    const struct weight *w = job->weight;
    const struct interleave_form *form = interleave_form(w->tensor->format->id);
    const uint8_t *row[INTERLEAVE_ROWS];
    (void)thread;
    for (size_t j = 0; j < INTERLEAVE_ROWS; j++) {
        size_t output = group * INTERLEAVE_ROWS + j;
        row[j] = output < w->outputs ? weights_row(w, output) : NULL;
    }
    interleave_group(form, row, w->inputs / form->weights, job->groups + group * group_bytes(w));
}

void row_product_repack(struct weight *w, uint8_t *groups)
{
    struct repacking job = {w, groups};
    threads_run(groups_of(w), repack_group, &job);
    w->groups = groups;
}

/* Outputs of groups [first, end) of a matrix: y [outputs] = x times them. */
struct range {
    size_t first, end; /* outputs */
};

static struct range multiply_groups(const struct forward *f, const struct weight *w, size_t first, size_t end,
                                    const float *x, float *y)
{
    struct range r = {first * INTERLEAVE_ROWS, end * INTERLEAVE_ROWS};
    r.end = r.end < w->outputs ? r.end : w->outputs;
    f->kernels->vector_way(f->options.mode, w->tensor->format->id)
        ->multiply(1, w->inputs, x, w->inputs, w->groups + first * group_bytes(w), r.end - r.first, y + r.first, w->outputs);
    return r;
}

struct row_products {
    struct forward *forward;
    const struct product_job *job;
    size_t count, groups;
    const float *x;
    bool add;
};

/* One thread's share of all groups. */
static void run_share(void *context, size_t share, int thread)
{
    const struct row_products *all = context;
    const struct forward *f = all->forward;
    const size_t shares = (size_t)threads_count();
    size_t first = all->groups * share / shares, end = all->groups * (share + 1) / shares;
    (void)thread;
    for (size_t i = 0, before = 0; i < all->count && before < end; i++) {
        const struct product_job *job = &all->job[i];
        if (!job->weight->groups)
            continue;
        size_t groups = groups_of(job->weight), from = first > before ? first - before : 0;
        size_t until = end - before < groups ? end - before : groups;
        before += groups;
        if (from >= until)
            continue;
        struct range r = multiply_groups(f, job->weight, from, until, all->x, all->add ? job->partial : job->y);
        if (all->add)
            f->kernels->add(r.end - r.first, job->partial + r.first, job->y + r.first);
    }
}

void row_product_run(struct forward *f, const struct product_job *job, size_t count, const float *x, bool add)
{
    struct row_products all = {f, job, count, 0, x, add};
    for (size_t i = 0; i < count; i++)
        all.groups += job[i].weight->groups ? groups_of(job[i].weight) : 0;
    threads_run((size_t)threads_count(), run_share, &all);
}

struct row_ffn {
    struct forward *forward;
    const struct weights_layer *weights;
    const float *x;
};

static void ffn_share(void *context, size_t share, int thread)
{
    const struct row_ffn *job = context;
    const struct forward *f = job->forward;
    const size_t shares = (size_t)threads_count(), groups = groups_of(&job->weights->gate);
    size_t first = groups * share / shares, end = groups * (share + 1) / shares;
    (void)thread;
    if (first == end)
        return;
    struct range r = multiply_groups(f, &job->weights->gate, first, end, job->x, f->whole[0]);
    multiply_groups(f, &job->weights->up, first, end, job->x, f->whole[1]);
    f->kernels->silu_multiply(r.end - r.first, f->whole[0] + r.first, f->whole[1] + r.first, f->ffn + r.first);
}

void row_product_ffn(struct forward *f, const struct weights_layer *w, const float *x)
{
    struct row_ffn job = {f, w, x};
    threads_run((size_t)threads_count(), ffn_share, &job);
}
