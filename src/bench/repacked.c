/* repacked.c - see repacked.h. */
#include "repacked.h"

#include "../base/memory.h"
#include "../base/threads.h"
#include "roof.h"

struct repacking {
    struct repacked *to;
    const struct lone_product_matrix *matrix; /* [parts] */
};

static void repack_group(const struct repacking *job, size_t group, size_t part)
{
    const struct repacked *r = job->to;
    const struct lone_product_matrix *m = &job->matrix[part];
    const uint8_t *row[INTERLEAVE_ROWS];
    for (size_t j = 0; j < INTERLEAVE_ROWS; j++) {
        const size_t output = group * INTERLEAVE_ROWS + j;
        row[j] = output < m->outputs ? m->bytes + output * lone_product_row_bytes(m) : NULL;
    }
    for (size_t copy = 0; copy < r->copies; copy++)
        interleave_group(r->form, row, m->inputs / r->form->weights,
                         r->bytes + ((copy * r->groups + group) * r->parts + part) * r->group_bytes);
}

/* Pages belong near the thread that will read them. */
static void repack_share(void *context, size_t share, int thread)
{
    const struct repacking *job = context;
    const struct repacked_range range = repacked_share(job->to, share, (size_t)threads_count());
    (void)thread;
    for (size_t group = range.first; group < range.end; group++)
        for (size_t part = 0; part < job->to->parts; part++)
            repack_group(job, group, part);
}

enum status repacked_open(struct repacked *r, const struct lone_product_matrix *matrix, size_t parts, size_t copies,
                          struct error *e)
{
    *r = (struct repacked){.form = interleave_form(matrix->format->id), .parts = parts, .outputs = matrix->outputs,
                           .inputs = matrix->inputs, .copies = copies};
    if (!r->form) {
        error_set(e, STATUS_USAGE, "%s has no form for products of a few rows", matrix->format->name);
        return error_advice(e, "name others: F32, F16, BF16, Q5_0, Q8_0, Q4_K, Q6_K");
    }
    r->groups = (matrix->outputs + INTERLEAVE_ROWS - 1) / INTERLEAVE_ROWS;
    r->group_bytes = interleave_bytes(r->form, matrix->inputs / r->form->weights);
    const size_t one = repacked_bytes(r);
    if (copies > roof_machine_memory() / 2 / one) {
        error_set(e, STATUS_USAGE, "%zu MiB of weights are more than half of this machine's memory", copies * (one >> 10) >> 10);
        return error_advice(e, "choose a smaller shape or --memory");
    }
    const enum status s = memory_uninitialised(&r->bytes, copies, one, "repacked matrices", e);
    struct repacking job = {r, matrix};
    if (s == STATUS_OK)
        threads_run((size_t)threads_count(), repack_share, &job);
    return s;
}

void repacked_close(struct repacked *r)
{
    memory_free(r->bytes);
    r->bytes = NULL;
}

size_t repacked_bytes(const struct repacked *r)
{
    return r->groups * r->parts * r->group_bytes;
}

const uint8_t *repacked_group(const struct repacked *r, size_t copy, size_t group, size_t part)
{
    return r->bytes + ((copy * r->groups + group) * r->parts + part) * r->group_bytes;
}

struct repacked_range repacked_share(const struct repacked *r, size_t share, size_t shares)
{
    return (struct repacked_range){r->groups * share / shares, r->groups * (share + 1) / shares};
}

void repacked_multiply(const struct repacked *r, const struct kernels_vector_way *way, size_t copy, size_t rows, const float *x,
                       float *y, size_t share)
{
    const struct repacked_range range = repacked_share(r, share, (size_t)threads_count());
    const size_t output = range.first * INTERLEAVE_ROWS, last = range.end * INTERLEAVE_ROWS;
    if (range.first < range.end)
        way->multiply(rows, r->inputs, x, r->inputs, repacked_group(r, copy, range.first, 0),
                      (last < r->outputs ? last : r->outputs) - output, y + output, r->outputs);
}
