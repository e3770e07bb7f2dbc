/* test_low_rank.c - a truncated decomposition is the matrix at full rank, and as far off below it as the dropped singular values say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "bench/factored_ffn.h"
#include "bench/ffn_reference.h"
#include "bench/lapack.h"
#include "bench/layer_ffn.h"
#include "reference_sums.h"
#include "tap.h"

static struct lone_product_matrix f32(size_t outputs, size_t inputs, float **values)
{
    *values = malloc(outputs * inputs * sizeof **values);
    if (!*values)
        bail("no memory for a test");
    for (size_t i = 0; i < outputs * inputs; i++)
        (*values)[i] = (float)reference_normal();
    return (struct lone_product_matrix){quants_by_id(QUANTS_F32), (const uint8_t *)*values, outputs, inputs, 0};
}

/* Squared distance of left times right to the matrix. */
static double distance(const struct low_rank *l, const float *values)
{
    const float *left = (const float *)(const void *)l->left.bytes, *right = (const float *)(const void *)l->right.bytes;
    double off = 0;
    for (size_t i = 0; i < l->left.outputs; i++)
        for (size_t k = 0; k < l->right.inputs; k++) {
            double sum = 0;
            for (size_t r = 0; r < l->left.inputs; r++)
                sum += (double)left[i * l->left.inputs + r] * (double)right[r * l->right.inputs + k];
            sum -= (double)values[i * l->right.inputs + k];
            off += sum * sum;
        }
    return off;
}

static void spectrum_of(size_t outputs, size_t inputs)
{
    float *values;
    struct error e;
    struct low_rank_spectrum s;
    struct low_rank l;
    const struct lone_product_matrix m = f32(outputs, inputs, &values);
    double all = 0, dropped = 0;
    bool descending = true;
    if (low_rank_spectrum_open(&s, &m, &e) != STATUS_OK)
        bail("%s", e.sentence);
    for (size_t i = 0; i < s.size; i++) {
        all += s.square[i];
        dropped += i >= 7 ? s.square[i] : 0;
        descending = descending && (i == 0 || s.square[i] <= s.square[i - 1]);
    }
    ok(descending, "%zu x %zu: singular values descend", outputs, inputs);
    if (low_rank_open(&l, &s, s.size, &e) != STATUS_OK)
        bail("%s", e.sentence);
    ok(distance(&l, values) < 1e-9 * all, "at full rank the product is the matrix");
    low_rank_close(&l);
    if (low_rank_open(&l, &s, 7, &e) != STATUS_OK)
        bail("%s", e.sentence);
    const double off = distance(&l, values);
    ok(fabs(off - dropped) < 1e-5 * all, "at rank 7 it is as far off as the dropped values say (%g, %g)", off, dropped);
    low_rank_close(&l);
    low_rank_spectrum_close(&s);
    free(values);
}

/* At full rank a factored FFN is the FFN. */
static void factored(size_t few)
{
    const size_t hidden = 64, neurons = 96, rows = few ? few : 20;
    float *values[3], *x;
    struct error e;
    struct lone_ffn_weights w = {f32(neurons, hidden, &values[0]), f32(neurons, hidden, &values[1]), f32(hidden, neurons, &values[2])};
    const struct lone_product_matrix *const matrix[] = {&w.gate, &w.up, &w.down};
    struct low_rank_spectrum s[3];
    struct factored_ffn *f;
    struct layer_ffn *whole;
    const struct layer_ffn_case c = {.layer = &w, .layers = 1, .copies = 1, .kernels = kernels_at(0), .few = few, .many = few ? 0 : rows};
    f32(rows, hidden, &x);
    for (int i = 0; i < 3; i++)
        if (low_rank_spectrum_open(&s[i], matrix[i], &e) != STATUS_OK)
            bail("%s", e.sentence);
    if (factored_ffn_open(&f, s, 10, kernels_at(0), KERNELS_F32, few, few ? 0 : rows, 2, &e) != STATUS_OK ||
        layer_ffn_open(&whole, &c, &e) != STATUS_OK)
        bail("%s", e.sentence);
    factored_ffn_input(f, rows, x);
    factored_ffn_run(f);
    factored_ffn_run(f);
    layer_ffn_input(whole, rows, x);
    layer_ffn_run(whole);
    ok(ffn_reference_distance(factored_ffn_output(f), layer_ffn_output(whole), rows * hidden) < 1e-5,
       "a factored FFN of full rank is the FFN, %zu rows", rows);
    is_int((long)factored_ffn_rank(f), 64, "its rank is the shorter side");
    factored_ffn_close(f);
    layer_ffn_close(whole);
    for (int i = 0; i < 3; i++) {
        low_rank_spectrum_close(&s[i]);
        free(values[i]);
    }
    free(x);
}

static void ranks(void)
{
    struct lone_product_matrix m = {quants_by_id(QUANTS_Q4_K), NULL, 8192, 3072, 0};
    is_int((long)low_rank_of(&m, 0.5), 1024, "half the weights of 8192 x 3072 are rank 1117: 4 blocks of 256");
    is_int((long)low_rank_of(&m, 1e-9), 256, "one block at least");
    is_int((long)low_rank_of(&m, 9), 3072, "the shorter side at most");
}

int main(void)
{
    struct error e;
    error_clear(&e);
    threads_set(2);
    ranks();
    setenv("PHI3SAT_LAPACK", "/nowhere/liblapack.so", 1);
    ok(lapack_load(&e) == STATUS_FAILED && strstr(e.sentence, "/nowhere/liblapack.so"), "a library that isn't there is named");
    unsetenv("PHI3SAT_LAPACK");
    if (lapack_load(&e) != STATUS_OK) {
        skip(10, "%s", e.sentence);
        return tap_done();
    }
    spectrum_of(90, 40);
    spectrum_of(40, 90);
    factored(3);
    factored(0);
    return tap_done();
}
