/* test_layer_ffn.c - every way to compute an FFN gives the same bits, reads nothing past its weights, and is near float64. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/threads.h"
#include "bench/ffn_reference.h"
#include "bench/ffn_weights.h"
#include "bench/layer_ffn.h"
#include "quants/encode.h"
#include "failing_memory.h"
#include "reference_sums.h"
#include "tap.h"

static float *numbers(size_t rows, size_t inputs, size_t padded)
{
    float *x = calloc(rows * padded, sizeof *x);
    if (!x)
        bail("no memory for a test");
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < inputs; k++)
            x[r * padded + k] = (float)reference_normal();
    return x;
}

static void compute(const struct ffn_weights *w, const struct kernels *kernels, enum kernels_mode mode, bool fused, bool few,
                    size_t rows, const float *x, float *y)
{
    struct error e;
    struct layer_ffn *ffn;
    const struct layer_ffn_case c = {.layer = &w->of, .layers = 1, .copies = 2, .kernels = kernels, .mode = mode, .fused = fused,
                                     .few = few ? rows : 0, .many = few ? 0 : rows};
    if (layer_ffn_open(&ffn, &c, &e) != STATUS_OK)
        bail("no memory for an FFN");
    layer_ffn_input(ffn, rows, x);
    layer_ffn_run(ffn);
    layer_ffn_run(ffn); /* the second copy; nothing is left of the first run */
    memcpy(y, layer_ffn_output(ffn), rows * w->hidden * sizeof *y);
    layer_ffn_close(ffn);
}

/* Both ways, both forms, all sets: the bits of the reference, separate, from weights as they stand. */
static bool alike(const struct ffn_weights *w, enum kernels_mode mode, size_t rows)
{
    const size_t count = rows * w->hidden;
    float *x = numbers(rows, w->hidden, w->of.gate.inputs), *wanted = calloc(count, sizeof *wanted), *got = calloc(count, sizeof *got);
    bool same = wanted && got;
    threads_set(1);
    compute(w, kernels_at(0), mode, false, false, rows, x, wanted);
    for (size_t k = 0; kernels_at(k); k++)
        for (int way = 0; way < 4; way++) {
            threads_set(1 + way);
            compute(w, kernels_at(k), mode, way & 1, way & 2, rows, x, got);
            if (memcmp(wanted, got, count * sizeof *got) == 0)
                continue;
            diag("%s, %s, %s: other bits", kernels_at(k)->name, way & 1 ? "fused" : "separate", way & 2 ? "few" : "many");
            same = false;
        }
    free(x), free(wanted), free(got);
    return same;
}

static void same_bits(void)
{
    static const struct {
        enum quants_type type;
        size_t hidden, intermediate, rows;
    } shapes[] = {{QUANTS_Q4_K, 256, 512, 1}, {QUANTS_Q4_K, 300, 333, 3}, {QUANTS_Q8_0, 70, 65, 8}, {QUANTS_Q5_0, 64, 1, 2},
                  {QUANTS_Q6_K, 1, 257, 1}, {QUANTS_F32, 33, 100, 5}, {QUANTS_F16, 129, 64, 7}, {QUANTS_Q4_1, 96, 130, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int mode = 0; mode < KERNELS_MODES; mode++) {
            struct ffn_weights w;
            struct error e;
            if (ffn_weights_synthetic(&w, quants_by_id(shapes[i].type), shapes[i].hidden, shapes[i].intermediate, i, &e) != STATUS_OK)
                bail("no memory for weights");
            ok(alike(&w, (enum kernels_mode)mode, shapes[i].rows), "%s, %zu x %zu, %zu rows, precision %d: fused or not, repacked or not, the same bits",
               w.of.gate.format->name, shapes[i].hidden, shapes[i].intermediate, shapes[i].rows, mode);
            ffn_weights_close(&w);
        }
}

/* A copy of a matrix that ends where memory ends. */
static struct lone_product_matrix at_the_end(const struct lone_product_matrix *m)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = m->outputs * m->row_bytes, whole = (bytes + page - 1) / page * page;
    uint8_t *map = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + whole, page, PROT_NONE) != 0)
        bail("no pages for a test");
    struct lone_product_matrix copy = *m;
    copy.bytes = memcpy(map + whole - bytes, m->bytes, bytes);
    return copy;
}

static void nothing_past_the_end(void)
{
    struct ffn_weights w, half;
    struct error e;
    if (ffn_weights_synthetic(&w, quants_by_id(QUANTS_Q4_K), 300, 333, 1, &e) != STATUS_OK)
        bail("no memory for weights");
    w.of = (struct lone_ffn_weights){at_the_end(&w.of.gate), at_the_end(&w.of.up), at_the_end(&w.of.down)};
    ok(alike(&w, KERNELS_F32, 3), "partial blocks, a page that can't be read behind each matrix: nothing is read there");
    ffn_weights_first(&half, &w, 167);
    ok(alike(&half, KERNELS_F32, 3), "nor by the first half of the neurons");
    ffn_weights_close(&w);
}

static void near_float64(void)
{
    struct ffn_weights w;
    struct error e;
    double *y = NULL;
    if (ffn_weights_synthetic(&w, quants_by_id(QUANTS_Q4_K), 512, 700, 1, &e) != STATUS_OK)
        bail("no memory for weights");
    float *x = numbers(4, w.hidden, w.of.gate.inputs), *got = calloc(4 * w.hidden, sizeof *got);
    if (!got || ffn_reference(&w, 4, x, &y, &e) != STATUS_OK)
        bail("no memory for a reference");
    for (int mode = 0; mode < KERNELS_MODES; mode++) {
        static const double least[] = {1e-8, 1e-6, 1e-4}, most[] = {2e-6, 3e-4, 5e-2};
        compute(&w, kernels_at(0), (enum kernels_mode)mode, true, true, 4, x, got);
        const double off = ffn_reference_error(got, y, 4 * w.hidden);
        ok(off > least[mode] && off < most[mode], "precision %d is %.1e off float64", mode, off);
    }
    got[3] = NAN;
    ok(isnan(ffn_reference_error(got, y, 4 * w.hidden)), "a NaN is no small error");
    free(x), free(got);
    memory_free(y);
    ffn_weights_close(&w);
}

/* All neurons in another order are the same sum in another order; the first half chosen is the first half. */
static void chosen(void)
{
    struct ffn_weights w, first, some;
    struct error e;
    uint32_t neuron[512];
    double *a, *b;
    if (ffn_weights_synthetic(&w, quants_by_id(QUANTS_F32), 64, 512, 1, &e) != STATUS_OK)
        bail("no memory for weights");
    float *x = numbers(2, 64, 64), *y = calloc(128, sizeof *y);
    for (uint32_t i = 0; i < 512; i++)
        neuron[i] = 511 - i;
    if (!y || ffn_weights_chosen(&some, &w, neuron, 512, &e) != STATUS_OK || ffn_reference(&w, 2, x, &a, &e) != STATUS_OK ||
        ffn_reference(&some, 2, x, &b, &e) != STATUS_OK)
        bail("no memory for weights");
    bool same = true;
    for (size_t i = 0; i < 128; i++)
        same = same && fabs(a[i] - b[i]) < 1e-12;
    ok(same, "all neurons in another order give the same sums");
    ffn_weights_close(&some);
    memory_free(a), memory_free(b);
    for (uint32_t i = 0; i < 512; i++)
        neuron[i] = i;
    ffn_weights_first(&first, &w, 200);
    if (ffn_weights_chosen(&some, &w, neuron, 200, &e) != STATUS_OK || ffn_reference(&first, 2, x, &a, &e) != STATUS_OK ||
        ffn_reference(&some, 2, x, &b, &e) != STATUS_OK)
        bail("no memory for weights");
    ok(memcmp(a, b, 128 * sizeof *a) == 0, "the first 200, chosen one by one, are the first 200");
    ffn_weights_close(&some);
    memory_free(a), memory_free(b), free(x), free(y);
    ffn_weights_close(&w);
}

static void without_memory(void)
{
    struct ffn_weights w;
    struct layer_ffn *ffn = NULL;
    struct error e;
    enum status status = STATUS_FAILED;
    bool clean = true;
    long left = 0;
    if (ffn_weights_synthetic(&w, quants_by_id(QUANTS_Q4_K), 256, 256, 1, &e) != STATUS_OK)
        bail("no memory for weights");
    const struct layer_ffn_case c = {.layer = &w.of, .layers = 1, .copies = 1, .kernels = kernels_at(0), .few = 1, .many = 9};
    threads_set(2);
    const long held = failing_memory_held;
    for (; status != STATUS_OK && left < 100; left++) {
        failing_memory_left = left;
        status = layer_ffn_open(&ffn, &c, &e);
        failing_memory_left = -1;
        clean = clean && (status == STATUS_OK || (ffn == NULL && failing_memory_held == held));
    }
    ok(clean && left > 5, "opening fails cleanly, whichever of its allocations does");
    layer_ffn_close(ffn);
    layer_ffn_close(NULL);
    is_int(failing_memory_held, held, "closing gives all back");
    ffn_weights_close(&w);
}

int main(void)
{
    same_bits();
    nothing_past_the_end();
    near_float64();
    chosen();
    without_memory();
    return tap_done();
}
