/* lanes_product.c - register-blocked product of a batch with one packed panel.
 *
 * A tile of LANES_ROWS rows x 16 outputs lives in registers while k runs: one load of the
 * panel's row and one broadcast a row feed the fused multiply-adds. Each output is
 * one chain over k = 0..K-1, so tile shape, batch and blocking along k can't change
 * a bit. Rejected for now: assembly microkernels and packing of x (the kernels issue).
 */
#include "lanes.h"
#include "lanes_table.h"

#define VECTORS (KERNELS_PANEL / LANES_WIDTH) /* registers across a panel */
#if LANES_WIDTH == 16
#define LANES_ROWS 12
#else
#define LANES_ROWS 6
#endif

/* `rows` is a constant in every call: the loops over it unroll and `sum` stays in
 * registers. */
static inline __attribute__((always_inline)) void tile(int rows, size_t inputs, const float *x, size_t x_stride,
                                                       const float *panel, float *y, size_t y_stride, int accumulate)
{
    lanes_f sum[LANES_ROWS][VECTORS];
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
        tile(4, inputs, x, x_stride, panel, y, y_stride, accumulate);
    if (rows == 3)
        tile(3, inputs, x, x_stride, panel, y, y_stride, accumulate);
    else if (rows == 2)
        tile(2, inputs, x, x_stride, panel, y, y_stride, accumulate);
    else if (rows == 1)
        tile(1, inputs, x, x_stride, panel, y, y_stride, accumulate);
}

void LANES(lanes_product)(size_t rows, size_t inputs, const float *x, size_t x_stride, const float *panel, float *y,
                          size_t y_stride, int accumulate)
{
    for (; rows >= LANES_ROWS; rows -= LANES_ROWS, x += LANES_ROWS * x_stride, y += LANES_ROWS * y_stride)
        tile(LANES_ROWS, inputs, x, x_stride, panel, y, y_stride, accumulate);
    rest(rows, inputs, x, x_stride, panel, y, y_stride, accumulate);
}

void LANES(lanes_pack)(size_t inputs, const float *weights, size_t weights_stride, float *panel)
{
    for (size_t k = 0; k < inputs; k++)
        for (size_t j = 0; j < KERNELS_PANEL; j++)
            panel[k * KERNELS_PANEL + j] = weights[j * weights_stride + k];
}
