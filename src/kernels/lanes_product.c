/* lanes_product.c - register-blocked float32 product of packed rows with decoded panels.
 *
 * A tile of up to LANES_TILE_ROWS rows x 16 (AVX-512: 32) outputs lives in registers while k runs: loads
 * of the panels' row and one broadcast a row feed the fused multiply-adds. Each output
 * is one chain over k = 0..K-1, so tile shape, batch and blocking along k can't change a bit.
 */
#include "lanes.h"
#include "lanes_table.h"

#define VECTORS (KERNELS_PANEL / LANES_WIDTH) /* registers across a panel */

void LANES(lanes_pack_f32)(size_t rows, size_t inputs, const float *x, size_t x_stride, void *packed)
{
    float *out = packed;
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < inputs; k++)
            out[k * rows + r] = x[r * x_stride + k];
}

/* `rows` and `panels` are constants in every call: the loops over them unroll and `sum` stays
 * in registers. */
static inline __attribute__((always_inline)) void tile(int rows, int panels, size_t inputs, const float *x,
                                                       const float *panel, size_t panel_stride, float *y,
                                                       size_t y_stride, int accumulate)
{
    lanes_f sum[LANES_TILE_ROWS][LANES_TILE_PANELS * VECTORS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < panels * VECTORS; v++)
            sum[r][v] = accumulate ? lanes_load(y + (size_t)r * y_stride + v * LANES_WIDTH) : (lanes_f){0};
#pragma GCC unroll 2
    for (size_t k = 0; k < inputs; k++, x += rows) {
        lanes_f weight[LANES_TILE_PANELS * VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < panels * VECTORS; v++)
            weight[v] = lanes_load(panel + (size_t)(v / VECTORS) * panel_stride + k * KERNELS_PANEL +
                                   v % VECTORS * LANES_WIDTH);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            lanes_f value = lanes_all(x[r]);
#pragma GCC unroll 4
            for (int v = 0; v < panels * VECTORS; v++)
                sum[r][v] = lanes_fma(value, weight[v], sum[r][v]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < panels * VECTORS; v++)
            lanes_store(y + (size_t)r * y_stride + v * LANES_WIDTH, sum[r][v]);
}

#define TILE(n)                                                                                                        \
    case n:                                                                                                            \
        tile(n, panels, inputs, x, panel, panel_stride, y, y_stride, accumulate);                                      \
        break

static inline __attribute__((always_inline)) void tile_of(size_t rows, int panels, size_t inputs, const float *x,
                                                          const float *panel, size_t panel_stride, float *y,
                                                          size_t y_stride, int accumulate)
{
    switch (rows) {
        TILE(1);
        TILE(2);
        TILE(3);
        TILE(4);
        TILE(5);
        TILE(6);
#if LANES_WIDTH == 16
        TILE(7);
        TILE(8);
        TILE(9);
        TILE(10);
        TILE(11);
        TILE(12);
        TILE(13);
        TILE(14);
#endif
    default:
        break;
    }
}

void LANES(lanes_multiply_f32)(size_t rows, size_t inputs, const void *packed, const void *panels, size_t panel_count,
                               size_t panel_bytes, float *y, size_t y_stride, int accumulate)
{
    const float *x = packed, *panel = panels;
    size_t stride = panel_bytes / sizeof(float), p = 0;
    for (; p + LANES_TILE_PANELS <= panel_count; p += LANES_TILE_PANELS)
        tile_of(rows, LANES_TILE_PANELS, inputs, x, panel + p * stride, stride, y + p * KERNELS_PANEL, y_stride, accumulate);
    if (p < panel_count)
        tile_of(rows, 1, inputs, x, panel + p * stride, stride, y + p * KERNELS_PANEL, y_stride, accumulate);
}

/* Rows that are not packed, one panel: attention's form until it has its own. */
#define LOOSE_ROWS 6
/* `rows` is a constant in every call: the loops over it unroll and `sum` stays in
 * registers. */
static inline __attribute__((always_inline)) void loose_tile(int rows, size_t inputs, const float *x, size_t x_stride,
                                                             const float *panel, float *y, size_t y_stride, int accumulate)
{
    lanes_f sum[LOOSE_ROWS][VECTORS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++)
            sum[r][v] = accumulate ? lanes_load(y + (size_t)r * y_stride + v * LANES_WIDTH) : (lanes_f){0};
    for (size_t k = 0; k < inputs; k++) {
        lanes_f weight[VECTORS];
        for (int v = 0; v < VECTORS; v++)
            weight[v] = lanes_load(panel + k * KERNELS_PANEL + v * LANES_WIDTH);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            lanes_f value = lanes_all(x[(size_t)r * x_stride + k]);
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++)
                sum[r][v] = lanes_fma(value, weight[v], sum[r][v]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++)
            lanes_store(y + (size_t)r * y_stride + v * LANES_WIDTH, sum[r][v]);
}

static void rest(size_t rows, size_t inputs, const float *x, size_t x_stride, const float *panel, float *y,
                 size_t y_stride, int accumulate)
{
    for (; rows >= 4; rows -= 4, x += 4 * x_stride, y += 4 * y_stride)
        loose_tile(4, inputs, x, x_stride, panel, y, y_stride, accumulate);
    if (rows == 3)
        loose_tile(3, inputs, x, x_stride, panel, y, y_stride, accumulate);
    else if (rows == 2)
        loose_tile(2, inputs, x, x_stride, panel, y, y_stride, accumulate);
    else if (rows == 1)
        loose_tile(1, inputs, x, x_stride, panel, y, y_stride, accumulate);
}

void LANES(lanes_product)(size_t rows, size_t inputs, const float *x, size_t x_stride, const float *panel, float *y,
                          size_t y_stride, int accumulate)
{
    for (; rows >= LOOSE_ROWS; rows -= LOOSE_ROWS, x += LOOSE_ROWS * x_stride, y += LOOSE_ROWS * y_stride)
        loose_tile(LOOSE_ROWS, inputs, x, x_stride, panel, y, y_stride, accumulate);
    rest(rows, inputs, x, x_stride, panel, y, y_stride, accumulate);
}

