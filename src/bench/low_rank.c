/* low_rank.c - see low_rank.h.
 *
 * The singular vectors of the shorter side are eigenvectors of a Gram matrix, W^T W or W W^T. That squares the singular values,
 * so those below 1e-8 of the largest drown in rounding (float64): far below what a 4-bit type keeps.
 */
#include "low_rank.h"

#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "../quants/encode.h"
#include "ffn_weights.h"
#include "lapack.h"

static bool tall(const struct lone_product_matrix *m)
{
    return m->outputs >= m->inputs;
}

struct decoding {
    const struct lone_product_matrix *matrix;
    float *row;          /* [threads, inputs]                                         */
    double *to, *across; /* [outputs, inputs]; [inputs, outputs] or NULL                 */
};

static void decode_row(void *context, size_t output, int thread)
{
    const struct decoding *d = context;
    const struct lone_product_matrix *m = d->matrix;
    float *row = d->row + (size_t)thread * m->inputs;
    m->format->decode(ffn_weights_row(m, output), m->inputs / m->format->block_elements, row);
    for (size_t k = 0; k < m->inputs; k++)
        d->to[output * m->inputs + k] = (double)row[k];
    for (size_t k = 0; d->across && k < m->inputs; k++)
        d->across[k * m->outputs + output] = (double)row[k];
}

static enum status decode(struct low_rank_spectrum *s, double **across, struct error *e)
{
    const struct lone_product_matrix *m = s->matrix;
    struct decoding d = {.matrix = m};
    size_t count;
    if (!memory_multiply(m->outputs, m->inputs, &count))
        return error_set(e, STATUS_USAGE, "a matrix is too large for a singular value decomposition");
    enum status status = memory_array(&s->weights, count, sizeof *s->weights, "decoded weights", e);
    if (status == STATUS_OK && !tall(m))
        status = memory_array(across, count, sizeof **across, "decoded weights", e);
    if (status == STATUS_OK)
        status = memory_array(&d.row, (size_t)threads_count() * m->inputs, sizeof *d.row, "rows of weights", e);
    if (status == STATUS_OK) {
        d.to = s->weights;
        d.across = *across;
        threads_run(m->outputs, decode_row, &d);
    }
    memory_free(d.row);
    return status;
}

enum status low_rank_spectrum_open(struct low_rank_spectrum *s, const struct lone_product_matrix *matrix, struct error *e)
{
    double *across = NULL;
    *s = (struct low_rank_spectrum){.matrix = matrix, .size = tall(matrix) ? matrix->inputs : matrix->outputs};
    enum status status = decode(s, &across, e);
    if (status == STATUS_OK)
        status = memory_array(&s->vector, s->size, s->size * sizeof *s->vector, "singular vectors", e);
    if (status == STATUS_OK)
        status = memory_array(&s->square, s->size, sizeof *s->square, "singular values", e);
    if (status == STATUS_OK) {
        lapack_gram(tall(matrix) ? matrix->outputs : matrix->inputs, s->size, tall(matrix) ? s->weights : across, s->vector);
        status = lapack_eigenvectors(s->size, s->vector, s->square, e);
    }
    memory_free(across);
    if (status != STATUS_OK)
        low_rank_spectrum_close(s);
    return status;
}

void low_rank_spectrum_close(struct low_rank_spectrum *s)
{
    memory_free(s->weights);
    memory_free(s->vector);
    memory_free(s->square);
    s->weights = s->vector = s->square = NULL;
}

size_t low_rank_of(const struct lone_product_matrix *m, double share)
{
    const size_t block = m->format->block_elements, side = tall(m) ? m->inputs : m->outputs;
    const size_t most = (side + block - 1) / block;
    const double rank = share * (double)m->outputs * (double)m->inputs / ((double)m->outputs + (double)m->inputs);
    size_t blocks = (size_t)(rank / (double)block + 0.5);
    blocks = blocks > 0 ? blocks : 1;
    return (blocks < most ? blocks : most) * block;
}

struct encoding {
    const double *from; /* row by row                                                */
    size_t stride, known; /* known: columns that are there; zeros follow              */
    struct lone_product_matrix *to;
    uint8_t *bytes;
    encode_function *encode;
    float *row;         /* [threads, inputs]                                         */
};

static void encode_row(void *context, size_t output, int thread)
{
    const struct encoding *j = context;
    float *row = j->row + (size_t)thread * j->to->inputs;
    for (size_t k = 0; k < j->to->inputs; k++)
        row[k] = k < j->known ? (float)j->from[output * j->stride + k] : 0;
    j->encode(row, j->to->inputs / j->to->format->block_elements, j->bytes + output * j->to->row_bytes);
}

/* Rows past `rows` are zeros. */
static enum status encode(struct low_rank *l, size_t part, const double *from, size_t rows, size_t stride, size_t known, struct error *e)
{
    struct lone_product_matrix *to = part ? &l->right : &l->left;
    struct encoding j = {from, stride, known, to, NULL, encode_find(to->format), NULL};
    if (!j.encode)
        return error_set(e, STATUS_USAGE, "there is no encoder for the type %s", to->format->name);
    to->row_bytes = to->inputs / to->format->block_elements * to->format->block_bytes;
    enum status s = memory_array(&l->own[part], to->outputs, to->row_bytes, "factors of a matrix", e);
    if (s == STATUS_OK)
        s = memory_array(&j.row, (size_t)threads_count() * to->inputs, sizeof *j.row, "rows of weights", e);
    to->bytes = j.bytes = l->own[part];
    if (s == STATUS_OK)
        threads_run(rows < to->outputs ? rows : to->outputs, encode_row, &j);
    memory_free(j.row);
    return s;
}

/* The vectors [size, size] as columns of the first `rank`: [size, rank]. */
static void transpose(const struct low_rank_spectrum *s, size_t rank, double *to)
{
    for (size_t i = 0; i < s->size; i++)
        for (size_t r = 0; r < rank; r++)
            to[i * rank + r] = s->vector[r * s->size + i];
}

enum status low_rank_open(struct low_rank *l, const struct low_rank_spectrum *s, size_t rank, struct error *e)
{
    const struct lone_product_matrix *m = s->matrix;
    const size_t known = rank < s->size ? rank : s->size;
    double *columns = NULL, *product = NULL;
    *l = (struct low_rank){.left = {m->format, NULL, m->outputs, rank, 0}, .right = {m->format, NULL, rank, m->inputs, 0}};
    enum status status = memory_array(&columns, s->size, known * sizeof *columns, "singular vectors", e);
    if (status == STATUS_OK)
        status = memory_array(&product, known, (tall(m) ? m->outputs : m->inputs) * sizeof *product, "factors of a matrix", e);
    if (status == STATUS_OK && tall(m)) { /* W = (W V) V^T */
        transpose(s, known, columns);
        lapack_multiply(m->outputs, m->inputs, known, s->weights, columns, product);
        status = encode(l, 0, product, m->outputs, known, known, e);
        if (status == STATUS_OK)
            status = encode(l, 1, s->vector, known, s->size, m->inputs, e);
    } else if (status == STATUS_OK) { /* W = U (U^T W) */
        transpose(s, known, columns);
        lapack_multiply(known, m->outputs, m->inputs, s->vector, s->weights, product);
        status = encode(l, 0, columns, m->outputs, known, known, e);
        if (status == STATUS_OK)
            status = encode(l, 1, product, known, m->inputs, m->inputs, e);
    }
    memory_free(columns);
    memory_free(product);
    if (status != STATUS_OK)
        low_rank_close(l);
    return status;
}

void low_rank_close(struct low_rank *l)
{
    memory_free(l->own[0]);
    memory_free(l->own[1]);
    l->own[0] = l->own[1] = NULL;
}
