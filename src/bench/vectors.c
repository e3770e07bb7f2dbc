/* vectors.c - see vectors.h.
 *
 * The instructions' roof. A vector of weights at r rows needs `decode` operations that make numbers of it and r fused
 * multiply-adds (lanes_matvec.h counts them), and no machine does them faster than its loop of that mix, nor the
 * multiply-adds faster than the loop of those. Both loops are measured in turn with the product. In 8 bits, the integer
 * dot products are the roof. What is left out (scales, prefetching, loops) is for the product to lose.
 */
#include "vectors.h"

#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "ffn_reference.h"
#include "repacked.h"

/* Vector operations that make a vector of weights from its words: all of them, and those that are multiply-adds. */
static const struct {
    uint32_t type;
    int all, multiply_adds;
} decoding[] = {{QUANTS_F32, 0, 0},  {QUANTS_F16, 1, 0},  {QUANTS_BF16, 2, 0}, {QUANTS_Q5_0, 3, 1},
                {QUANTS_Q8_0, 4, 1}, {QUANTS_Q4_K, 3, 1}, {QUANTS_Q6_K, 3, 1}};

#define MIX 4 /* operations of the loop that roof.h calls decode, for one vector */

struct vectors {
    struct repacked weights;
    size_t next;                /* copy to read                                         */
    const struct synthetic_matrix *matrix;
    const struct kernels_vector_way *way;
    size_t rows;
    float *x, *y;
};

enum status vectors_open(struct vectors **vectors, const struct synthetic_matrix *matrix, size_t size, struct error *e)
{
    struct vectors *v;
    const struct lone_product_matrix m = {matrix->format, matrix->bytes, matrix->outputs, matrix->padded, matrix->row_bytes};
    enum status s = memory_array(&v, 1, sizeof *v, "a repacked matrix", e);
    *vectors = NULL;
    if (s != STATUS_OK)
        return s;
    v->matrix = matrix;
    const size_t one = matrix->outputs * matrix->row_bytes;
    s = repacked_open(&v->weights, &m, 1, size > one ? (size + one - 1) / one : 1, e);
    if (s != STATUS_OK) {
        vectors_close(v);
        return s;
    }
    *vectors = v;
    return STATUS_OK;
}

void vectors_close(struct vectors *v)
{
    if (!v)
        return;
    repacked_close(&v->weights);
    memory_free(v->x);
    memory_free(v->y);
    memory_free(v);
}

static void run_share(void *context, size_t share, int thread)
{
    const struct vectors *v = context;
    (void)thread;
    repacked_multiply(&v->weights, v->way, v->next, v->rows, v->x, v->y, share);
}

static void run_product(void *context)
{
    struct vectors *v = context;
    threads_run((size_t)threads_count(), run_share, v);
    v->next = (v->next + 1) % v->weights.copies;
}

/* Operations a second that the instructions allow, from the medians of the two loops. */
static double instruction_roof(const struct vectors *v, double mix, double multiply_adds)
{
    const double rows = (double)v->rows;
    for (size_t i = 0; i < sizeof decoding / sizeof *decoding; i++)
        if (decoding[i].type == v->way->type) {
            /* per weight: both loops count 2 operations for each multiply-add of a vector */
            double one = 2 / multiply_adds, any = 2 * 2 / mix / MIX;
            double chain = (rows + decoding[i].multiply_adds) * one, all = (rows + decoding[i].all) * any;
            return 2 * rows / (chain > all ? chain : all);
        }
    return 0;
}

enum { PRODUCT, READING, LOOP, MIXED, SUBJECTS };

static void fill_result(const struct vectors *v, const struct products_case *c, struct timing_subject *subjects,
                        const struct roof_memory *memory, const struct roof_run *loop, const struct roof_run *mix,
                        struct vectors_result *r)
{
    double median[SUBJECTS];
    for (int i = 0; i < SUBJECTS; i++)
        median[i] = timing_spread(subjects[i].seconds, subjects[i].count).median;
    const double bytes = (double)repacked_bytes(&v->weights);
    const double work = 2.0 * (double)c->rows * (double)c->matrix->outputs * (double)c->matrix->inputs;
    r->computed = v->way->mode;
    r->seconds = timing_spread(subjects[PRODUCT].seconds, subjects[PRODUCT].count);
    r->rate = timing_rate(r->seconds, work);
    r->bytes_rate = bytes / median[PRODUCT];
    r->bytes_peak = roof_memory_work(memory) / median[READING];
    r->memory = work / (bytes / r->bytes_peak);
    const double peak = roof_work(loop, c->threads) / median[LOOP];
    r->instructions = r->computed == KERNELS_F32 ? instruction_roof(v, roof_work(mix, c->threads) / median[MIXED], peak) : peak;
    r->share = r->rate.median / (r->instructions > 0 && r->instructions < r->memory ? r->instructions : r->memory);
}

static enum status make_rows(struct vectors *v, size_t rows, struct error *e)
{
    memory_free(v->x);
    memory_free(v->y);
    v->x = v->y = NULL;
    v->rows = rows;
    enum status s = synthetic_rows(v->matrix, rows, 1, &v->x, e);
    return s == STATUS_OK ? memory_array(&v->y, rows, v->matrix->outputs * sizeof *v->y, "a product's outputs", e) : s;
}

enum status vectors_time(struct vectors *v, const struct products_case *c, const struct timing_plan *plan,
                         struct vectors_result *result, struct error *e)
{
    struct timing_subject *subjects = NULL;
    struct roof_memory memory = {.bytes = NULL};
    v->way = c->kernels->vector_way(c->mode, v->matrix->format->id);
    if (!v->way) {
        error_set(e, STATUS_USAGE, "%s has no products of a few rows in this precision", v->matrix->format->name);
        return error_advice(e, "use f32, or Q4_K");
    }
    threads_set(c->threads);
    enum status s = make_rows(v, c->rows, e);
    if (s == STATUS_OK)
        s = roof_memory_open(&memory, c->kernels, v->weights.copies * repacked_bytes(&v->weights), e);
    if (s == STATUS_OK)
        s = memory_array(&subjects, SUBJECTS, sizeof *subjects, "a benchmark's samples", e);
    if (s == STATUS_OK) {
        struct roof_run loop = {roof_loop(c->kernels, roof_of_mode(v->way->mode))}, mix = {roof_loop(c->kernels, ROOF_DECODE)};
        struct timing_subject *all[SUBJECTS];
        for (int i = 0; i < SUBJECTS; i++)
            all[i] = &subjects[i];
        subjects[PRODUCT].run = run_product;
        subjects[PRODUCT].context = v;
        roof_memory_subject(&subjects[READING], &memory);
        roof_subject(&subjects[LOOP], &loop);
        roof_subject(&subjects[MIXED], &mix);
        timing_alternate(plan, all, SUBJECTS);
        fill_result(v, c, subjects, &memory, &loop, &mix, result);
    }
    roof_memory_close(&memory);
    memory_free(subjects);
    return s;
}

enum status vectors_error(struct vectors *v, const struct synthetic_matrix *plain, const struct kernels *kernels, double *error,
                          struct error *e)
{
    const struct lone_product_matrix m = {plain->format, plain->bytes, plain->outputs, plain->padded, plain->row_bytes};
    struct lone_product *product = NULL;
    float *x = NULL, *y = NULL;
    enum status s = memory_array(&x, v->rows, plain->padded * sizeof *x, "activations", e);
    if (s == STATUS_OK)
        s = memory_array(&y, v->rows, plain->outputs * sizeof *y, "a product's outputs", e);
    if (s == STATUS_OK)
        s = lone_product_open(&product, &m, kernels, KERNELS_F32, v->rows, e);
    if (s == STATUS_OK) {
        for (size_t r = 0; r < v->rows; r++)
            memcpy(x + r * plain->padded, v->x + r * v->matrix->padded, plain->inputs * sizeof *x);
        lone_product_run(product, v->rows, x, y);
        *error = ffn_reference_distance(v->y, y, v->rows * plain->outputs);
    }
    lone_product_close(product);
    memory_free(x);
    memory_free(y);
    return s;
}
