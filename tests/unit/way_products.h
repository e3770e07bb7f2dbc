/* way_products.h - matrices of random bytes, and products with them by a way (kernels.h), as src/model/product.c does them. */
#ifndef PHI3SAT_TESTS_WAY_PRODUCTS_H
#define PHI3SAT_TESTS_WAY_PRODUCTS_H

#include "lane_buffers.h"

/* A matrix of one type: random bytes (so infinite and NaN scales occur when `odd`), its rows at odd addresses
 * with other bytes between them. */
struct matrix {
    const struct quants_format *format;
    size_t outputs, inputs, row_bytes, stride;
    uint8_t *bytes;
    float *values; /* what src/quants decodes: [outputs, inputs] */
};

static inline bool all_finite(const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static inline struct matrix random_matrix(const struct quants_format *format, size_t outputs, size_t inputs, bool odd)
{
    size_t blocks = inputs / format->block_elements;
    struct matrix m = {format, outputs, inputs, blocks * format->block_bytes, 0, NULL, NULL};
    m.stride = m.row_bytes + random_size(0, 9);
    m.bytes = malloc(outputs * m.stride);
    m.values = malloc(outputs * inputs * sizeof *m.values);
    if (!m.bytes || !m.values)
        bail("no memory for a test's matrix");
    for (size_t i = 0; i < outputs * m.stride; i++)
        m.bytes[i] = (uint8_t)reference_random();
    for (size_t j = 0; j < outputs; j++) {
        uint8_t *row = m.bytes + j * m.stride;
        float *values = m.values + j * inputs;
        format->decode(row, blocks, values);
        if (!odd && !all_finite(values, inputs)) { /* exponents below the highest, wherever they stand */
            for (size_t i = 0; i < m.row_bytes; i++)
                row[i] &= 0x3b;
            format->decode(row, blocks, values);
        }
    }
    return m;
}

static inline void free_matrix(struct matrix *m)
{
    free(m->bytes);
    free(m->values);
}

static inline void matrix_rows(const struct matrix *m, size_t output, const uint8_t *row[KERNELS_PANEL])
{
    for (size_t j = 0; j < KERNELS_PANEL; j++)
        row[j] = m->bytes + (output + j < m->outputs ? output + j : m->outputs - 1) * m->stride;
}

/* Panels of the matrix, `depth` inputs at a time, times packed tiles: as src/model/product.c does it. */
static inline void by_way(const struct kernels_way *way, const struct matrix *m, size_t rows, const float *x, size_t x_stride,
                   size_t depth, float *y, size_t y_stride)
{
    size_t panels = (m->outputs + KERNELS_PANEL - 1) / KERNELS_PANEL, units = (m->inputs + way->unit - 1) / way->unit;
    uint8_t *packed = aligned_alloc(64, (units * way->row_bytes * rows + 63) / 64 * 64);
    uint8_t *panel = aligned_alloc(64, depth / way->unit * way->panel_bytes * panels);
    for (size_t k = 0; k < m->inputs; k += depth) {
        size_t count = m->inputs - k < depth ? m->inputs - k : depth;
        size_t stride = (count + way->unit - 1) / way->unit * way->panel_bytes;
        for (size_t p = 0; p < panels; p++) {
            const uint8_t *row[KERNELS_PANEL];
            matrix_rows(m, p * KERNELS_PANEL, row);
            way->decode(row, k / m->format->block_elements * m->format->block_bytes, count / m->format->block_elements,
                        panel + p * stride);
        }
        for (size_t r = 0; r < rows; r += way->tile_rows) {
            size_t some = rows - r < way->tile_rows ? rows - r : way->tile_rows;
            if (k == 0)
                way->pack(some, m->inputs, x + r * x_stride, x_stride, packed + r * units * way->row_bytes);
            way->multiply(some, count, packed + r * units * way->row_bytes + k / way->unit * way->row_bytes * some, panel,
                          panels, stride, y + r * y_stride, y_stride, k > 0);
        }
    }
    free(packed);
    free(panel);
}

#endif
