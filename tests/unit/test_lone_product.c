/* test_lone_product.c - a product without a model is one chain of fused multiply-adds an output, and fails without a leak. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "kernels/kernels.h"
#include "model/lone_product.h"
#include "quants/encode.h"
#include "failing_memory.h"
#include "reference_sums.h"
#include "tap.h"

struct shape {
    enum quants_type type;
    size_t outputs, inputs, rows;
};

static float *numbers(size_t count)
{
    float *x = malloc(count * sizeof *x);
    if (!x)
        bail("no memory for a test");
    for (size_t i = 0; i < count; i++)
        x[i] = (float)reference_normal();
    return x;
}

/* The matrix and its decoded values [outputs, inputs]. */
static struct lone_product_matrix make(const struct shape *s, float **values)
{
    const struct quants_format *format = quants_by_id(s->type);
    const size_t blocks = s->outputs * s->inputs / format->block_elements;
    uint8_t *bytes = malloc(blocks * format->block_bytes);
    *values = numbers(s->outputs * s->inputs);
    if (!bytes)
        bail("no memory for a test");
    encode_find(format)(*values, blocks, bytes);
    format->decode(bytes, blocks, *values);
    return (struct lone_product_matrix){format, bytes, s->outputs, s->inputs};
}

static bool same(const struct shape *s, const struct kernels *kernels, int threads)
{
    struct error e;
    struct lone_product *product;
    float *values, *x = numbers(s->rows * s->inputs), *y = numbers(s->rows * s->outputs);
    struct lone_product_matrix m = make(s, &values);
    bool same = true;
    threads_set(threads);
    if (lone_product_open(&product, &m, kernels, KERNELS_F32, s->rows, &e) != STATUS_OK)
        bail("no memory for a product");
    lone_product_run(product, s->rows, x, y);
    lone_product_run(product, s->rows, x, y); /* again: nothing is left of the first */
    for (size_t r = 0; r < s->rows; r++)
        for (size_t j = 0; j < s->outputs; j++) {
            float sum = 0;
            for (size_t k = 0; k < s->inputs; k++)
                sum = fmaf(x[r * s->inputs + k], values[j * s->inputs + k], sum);
            same = same && memcmp(&sum, &y[r * s->outputs + j], sizeof sum) == 0;
        }
    ok(lone_product_mode(product) == KERNELS_F32, "it computes in the precision asked for");
    lone_product_close(product);
    free(values), free(x), free(y), free((void *)(uintptr_t)m.bytes);
    return same;
}

static void without_memory(void)
{
    const struct shape s = {QUANTS_Q4_K, 17, 256, 5};
    struct error e;
    struct lone_product *product = NULL;
    float *values;
    struct lone_product_matrix m = make(&s, &values);
    enum status status = STATUS_FAILED;
    long left = 0;
    bool clean = true;
    threads_set(2);
    failing_memory_held = 0;
    for (; status != STATUS_OK && left < 100; left++) {
        failing_memory_left = left;
        status = lone_product_open(&product, &m, kernels_at(0), KERNELS_F32, s.rows, &e);
        failing_memory_left = -1;
        clean = clean && (status == STATUS_OK || (product == NULL && failing_memory_held == 0));
    }
    ok(clean && left > 5, "opening fails cleanly, whichever of its allocations does");
    lone_product_close(product);
    lone_product_close(NULL);
    is_int(failing_memory_held, 0, "closing gives all back");
    free(values), free((void *)(uintptr_t)m.bytes);
}

int main(void)
{
    const struct shape shapes[] = {{QUANTS_Q4_K, 17, 256, 1},  {QUANTS_Q4_K, 200, 768, 35}, {QUANTS_Q8_0, 1, 32, 600},
                                   {QUANTS_F32, 65, 37, 9},    {QUANTS_F16, 64, 1100, 16},  {QUANTS_Q6_K, 300, 512, 130}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; kernels_at(k); k++)
            for (int threads = 1; threads <= 3; threads += 2)
                ok(same(&shapes[i], kernels_at(k), threads), "%s: %zu rows of %zu x %zu %s on %d threads are the plain chain",
                   kernels_at(k)->name, shapes[i].rows, shapes[i].outputs, shapes[i].inputs,
                   quants_by_id(shapes[i].type)->name, threads);
    without_memory();
    return tap_done();
}
