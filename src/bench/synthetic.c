/* synthetic.c - see synthetic.h. */
#include "synthetic.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/random.h"
#include "../base/threads.h"
#include "../quants/encode.h"
#include "roof.h"

/* Names of the streams. */
enum { WEIGHTS, ACTIVATIONS };

struct encoding {
    struct synthetic_matrix *matrix;
    encode_function *encode;
    float *row;       /* [threads, padded]                                            */
    uint64_t seed;
};

static void encode_row(void *context, size_t i, int thread)
{
    const struct encoding *job = context;
    const struct synthetic_matrix *m = job->matrix;
    struct random_stream r = random_open(job->seed, WEIGHTS, i, 0);
    float *row = job->row + (size_t)thread * m->padded;
    random_normal(&r, 1 / sqrtf((float)m->inputs), m->inputs, row); /* what pads the row stays 0 before it is encoded */
    job->encode(row, m->padded / m->format->block_elements, m->bytes + i * m->row_bytes);
}

static enum status too_large(const struct synthetic_matrix *m, struct error *e)
{
    error_set(e, STATUS_USAGE, "%zu x %zu weights of type %s don't fit the memory of this machine", m->outputs, m->inputs,
              m->format->name);
    return error_advice(e, "choose a smaller shape");
}

enum status synthetic_open(struct synthetic_matrix *m, const struct quants_format *format, size_t outputs, size_t inputs,
                           uint64_t seed, struct error *e)
{
    const size_t blocks = (inputs + format->block_elements - 1) / format->block_elements;
    struct encoding job = {.matrix = m, .encode = encode_find(format), .seed = seed};
    size_t bytes;
    *m = (struct synthetic_matrix){.format = format, .outputs = outputs, .inputs = inputs};
    if (job.encode == NULL)
        return error_set(e, STATUS_USAGE, "there is no encoder for the type %s", format->name);
    if (!memory_multiply(blocks, format->block_elements, &m->padded) ||
        !memory_multiply(blocks, format->block_bytes, &m->row_bytes) ||
        !memory_multiply(m->row_bytes, outputs, &bytes) || bytes > roof_machine_memory() / 2)
        return too_large(m, e);
    enum status s = memory_uninitialised(&m->bytes, outputs, m->row_bytes, "synthetic weights", e);
    if (s == STATUS_OK)
        s = memory_array(&job.row, (size_t)threads_count() * m->padded, sizeof *job.row, "a row of weights", e);
    if (s == STATUS_OK)
        threads_run(outputs, encode_row, &job);
    memory_free(job.row);
    if (s != STATUS_OK)
        synthetic_close(m);
    return s;
}

void synthetic_close(struct synthetic_matrix *m)
{
    memory_free(m->bytes);
    m->bytes = NULL;
}

enum status synthetic_rows(const struct synthetic_matrix *m, size_t rows, uint64_t seed, float **x, struct error *e)
{
    size_t floats, bytes;
    *x = NULL;
    if (!memory_multiply(rows, m->padded, &floats) || !memory_multiply(floats, sizeof **x, &bytes) ||
        bytes > roof_machine_memory() / 4) {
        error_set(e, STATUS_USAGE, "%zu rows of %zu activations don't fit the memory of this machine", rows, m->inputs);
        return error_advice(e, "choose a smaller shape, or fewer rows");
    }
    const enum status s = memory_array(x, floats, sizeof **x, "synthetic activations", e);
    for (size_t r = 0; r < rows && s == STATUS_OK; r++) {
        struct random_stream stream = random_open(seed, ACTIVATIONS, r, 0);
        random_normal(&stream, 1, m->inputs, *x + r * m->padded);
    }
    return s;
}
