/* test_products.c - decoded panels and products of every weight type and instruction set, to the bit. */
#include <stdlib.h>

#include "lane_buffers.h"
#include "way_products.h"

/* y = start + x times the decoded weights [16 * panels, inputs], one chain an output. */
static void plain_product(size_t rows, size_t inputs, size_t outputs, const float *x, size_t x_stride,
                          const float *weights, float *y, size_t y_stride, bool accumulate)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < outputs; j++) {
            float sum = accumulate ? y[r * y_stride + j] : 0.0f;
            for (size_t k = 0; k < inputs; k++)
                sum = fmaf(x[r * x_stride + k], weights[j * inputs + k], sum);
            y[r * y_stride + j] = sum;
        }
}

static bool one_decode(const struct kernels *set, const struct quants_format *format, bool odd)
{
    size_t blocks = random_size(1, format->block_elements == 1 ? 90 : 4), first = random_size(0, 3);
    size_t weights = blocks * format->block_elements, skipped = first * format->block_elements;
    struct matrix m = random_matrix(format, random_size(1, KERNELS_PANEL), weights + skipped, odd);
    struct lane_array got = lane_array(weights * KERNELS_PANEL, 0), wanted = lane_array(weights * KERNELS_PANEL, 0);
    const uint8_t *row[KERNELS_PANEL];
    matrix_rows(&m, 0, row);
    for (size_t k = 0; k < weights; k++)
        for (size_t j = 0; j < KERNELS_PANEL; j++)
            wanted.data[k * KERNELS_PANEL + j] = m.values[(j < m.outputs ? j : m.outputs - 1) * m.inputs + skipped + k];
    set->way(KERNELS_F32, format->id)->decode(row, first * format->block_bytes, blocks, got.data);
    bool same = lane_same(&got, &wanted);
    if (!same)
        diag("%s: %zu blocks from %zu on, %zu outputs", format->name, blocks, first, m.outputs);
    free(got.block), free(wanted.block), free_matrix(&m);
    return same;
}

static bool one_product(const struct kernels *set, const struct quants_format *format, bool odd)
{
    const struct kernels_way *way = set->way(KERNELS_F32, format->id);
    size_t block = format->block_elements, rows = random_size(1, 40);
    size_t inputs = block == 1 ? random_size(1, 700) : random_size(1, 900 / block) * block;
    size_t panels = random_size(1, 4), outputs = panels * KERNELS_PANEL - random_size(0, 15);
    size_t x_stride = inputs + random_size(0, 9), y_stride = panels * KERNELS_PANEL + random_size(0, 9);
    struct lane_array x = spread(rows, inputs, x_stride, odd);
    struct lane_array got = lane_array(rows * y_stride, 0), wanted = lane_array(rows * y_stride, 0);
    struct matrix m = random_matrix(format, outputs, inputs, odd);
    plain_product(rows, inputs, outputs, x.data, x_stride, m.values, wanted.data, y_stride, false);
    for (size_t r = 0; r < rows; r++) /* what stands past the last output is the last one's, again */
        for (size_t j = outputs; j < panels * KERNELS_PANEL; j++)
            wanted.data[r * y_stride + j] = wanted.data[r * y_stride + outputs - 1];
    by_way(way, &m, rows, x.data, x_stride, 256 * random_size(1, 3), got.data, y_stride);
    bool same = lane_same(&got, &wanted);
    if (!same)
        diag("%s: rows %zu inputs %zu outputs %zu strides %zu %zu", format->name, rows, inputs, outputs, x_stride, y_stride);
    free(x.block), free(got.block), free(wanted.block), free_matrix(&m);
    return same;
}

int main(void)
{
    int rounds = tap_long() ? 60 : 8;
    for (size_t k = 0; kernels_at(k); k++)
        for (size_t t = 0; t < quants_count(); t++) {
            const struct kernels *set = kernels_at(k);
            const struct quants_format *format = quants_at(t);
            bool decode = true, product = true, odd = true;
            if (!format->decode) {
                ok(!set->way(KERNELS_F32, format->id), "%s: there is no way for %s", set->name, format->name);
                continue;
            }
            for (int round = 0; round < rounds; round++) {
                decode = one_decode(set, format, round % 2) && decode;
                product = one_product(set, format, false) && product;
                odd = one_product(set, format, true) && odd;
            }
            ok(decode, "%s: %s panels hold what src/quants decodes", set->name, format->name);
            ok(product, "%s: %s products are one fmaf chain an output, and write nothing else", set->name, format->name);
            ok(odd, "%s: so with denormals, infinities and NaN", set->name);
        }
    return tap_done();
}
