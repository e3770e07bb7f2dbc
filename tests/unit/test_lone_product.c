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
    return (struct lone_product_matrix){format, bytes, s->outputs, s->inputs, 0};
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

static size_t between(size_t low, size_t high)
{
    return low + (size_t)(reference_uniform() * (double)(high - low + 1)) % (high - low + 1);
}

/* y of all rows, in batches of at most `most` rows. */
static void in_batches(const struct lone_product_matrix *m, const struct kernels *kernels, enum kernels_mode mode,
                       int threads, size_t rows, size_t most, const float *x, float *y)
{
    struct error e;
    struct lone_product *product;
    threads_set(threads);
    if (lone_product_open(&product, m, kernels, mode, most, &e) != STATUS_OK)
        bail("no memory for a product");
    for (size_t r = 0, some; r < rows; r += some) {
        some = rows - r < most ? rows - r : most;
        lone_product_run(product, some, x + r * m->inputs, y + r * m->outputs);
    }
    lone_product_close(product);
}

/* A random shape: whatever the threads, batches and instruction set, the bits are those of the reference on one
 * thread in one batch. */
static bool splits_alike(enum quants_type type, enum kernels_mode mode, bool large)
{
    const struct quants_format *format = quants_by_id(type);
    size_t block = format->block_elements, deepest = large ? 9000 : 1500, rows = between(1, large ? 600 : 90);
    struct shape s = {type, between(1, 300), between(1, deepest / block) * block, rows};
    size_t count = rows * s.outputs;
    float *values, *x = numbers(rows * s.inputs), *wanted = numbers(count), *got = numbers(count);
    struct lone_product_matrix m = make(&s, &values);
    static const int threads[] = {1, 2, 3, 8, 40};
    bool same = true;
    if (between(0, 3) == 0)
        x[between(0, rows * s.inputs - 1)] *= 1e6f; /* one outlier among ordinary activations */
    in_batches(&m, kernels_at(0), mode, 1, rows, rows, x, wanted);
    for (size_t k = 0; kernels_at(k); k++)
        for (int round = 0; round < 3; round++) {
            int team = threads[between(0, 4)];
            size_t most = round == 0 ? rows : between(1, rows);
            memset(got, 0, count * sizeof *got);
            in_batches(&m, kernels_at(k), mode, team, rows, most, x, got);
            if (memcmp(got, wanted, count * sizeof *got) == 0)
                continue;
            diag("%s mode %d: %s differs, %zu rows in batches of %zu, %zu x %zu, %d threads", format->name, (int)mode,
                 kernels_at(k)->name, rows, most, s.outputs, s.inputs, team);
            same = false;
        }
    free(values), free(x), free(wanted), free(got), free((void *)(uintptr_t)m.bytes);
    return same;
}

static void splits(void)
{
    for (size_t t = 0; t < quants_count(); t++) {
        const struct quants_format *format = quants_at(t);
        if (!encode_find(format)) /* the others are held by tests/cli/profile/types.t */
            continue;
        for (int mode = 0; mode < KERNELS_MODES; mode++) {
            bool same = true;
            for (int round = 0; round < (tap_long() ? 12 : 2); round++)
                same = splits_alike((enum quants_type)format->id, (enum kernels_mode)mode, false) && same;
            for (int round = 0; round < (tap_long() ? 1 : 0); round++)
                same = splits_alike((enum quants_type)format->id, (enum kernels_mode)mode, true) && same;
            ok(same, "%s, precision %d: threads, batches and instruction sets give the same bits", format->name, mode);
        }
    }
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
    splits();
    without_memory();
    return tap_done();
}
