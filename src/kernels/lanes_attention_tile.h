/* lanes_attention_tile.h - the two products of attention, register by register.
 *
 * score: queries x keys, weigh: probabilities x values. A group of GROUP queries and one or two panels lives
 * in registers while the sum runs; each result is one chain of fused multiply-adds. All
 * operands lie in small arrays of fixed strides (queries [d][GROUP], probabilities [rows][64],
 * values [64][16]), so that a broadcast is one load with a constant offset and nothing in the L1 cache
 * gets in another's way, as rows of a batch do that are 12 KiB apart.
 */
#ifndef PHI3SAT_KERNELS_LANES_ATTENTION_TILE_H
#define PHI3SAT_KERNELS_LANES_ATTENTION_TILE_H

#include "lanes.h"

/* 12 x 32 results in 24 of 32 registers, 6 x 16 in 12 of 16 (24 of 32 on ARM). */
#if LANES_WIDTH == 16
#define GROUP 12
#define PANELS_TOGETHER 2
#else
#define GROUP 6
#define PANELS_TOGETHER 1
#endif
#define HALF_GROUP (GROUP / 2)
#define BLOCK_ROWS 48 /* queries that share a tile of keys while it is in the cache: whole groups */
#define VECTORS (KERNELS_PANEL / LANES_WIDTH)
#define INLINE static inline __attribute__((always_inline))

/* What a group of neighbouring queries sees of a tile, counted from the tile's start: row r sees keys
 * [low + r, high + r), both cut to [0, limit). limit is the end for the last row that exists. */
struct span {
    ptrdiff_t low, high, limit;
};

typedef lanes_f group_sums[GROUP][PANELS_TOGETHER * VECTORS];

/* sum[r] += factor[r * stride] * row of the panels, for r in [from, to). */
INLINE void add_row(int from, int to, int panels, const float *factor, size_t stride, const float *panel,
                    size_t panel_stride, group_sums sum)
{
    lanes_f row[PANELS_TOGETHER * VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < panels * VECTORS; v++)
        row[v] = lanes_load(panel + (size_t)(v / VECTORS) * panel_stride + (size_t)(v % VECTORS) * LANES_WIDTH);
#pragma GCC unroll 16
    for (int r = from; r < to; r++) {
        lanes_f one = lanes_all(factor[(size_t)r * stride]);
#pragma GCC unroll 8
        for (int v = 0; v < panels * VECTORS; v++)
            sum[r][v] = lanes_fma(one, row[v], sum[r][v]);
    }
}

/* scores[r][0..16 panels) = scale * (query r . key), the chain from d = 0 up. */
INLINE void score_tile(int rows, int panels, size_t head_dim, const float *query, const float *keys, float scale,
                       float *scores)
{
    group_sums sum;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int v = 0; v < panels * VECTORS; v++)
            sum[r][v] = (lanes_f){0};
    for (size_t d = 0; d < head_dim; d++)
        add_row(0, rows, panels, query + d * GROUP, 1, keys + d * KERNELS_PANEL, head_dim * KERNELS_PANEL, sum);
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int v = 0; v < panels * VECTORS; v++)
            lanes_store(scores + r * KERNELS_TILE + v * LANES_WIDTH, sum[r][v] * scale);
}

/* output[r] = output[r] * shrink[r] + sum of p[r][j] * values[j] over the keys that row r sees, j ascending. A
 * key that some rows don't see must not touch them (0 * inf is NaN): the two slanted ends of
 * the range are written out row by row. Needs high - low >= rows - 1. */
INLINE void weigh_tile(int rows, int panels, const float *p, const float *values, size_t panel_stride,
                       const float *shrink, float *output, struct span s)
{
    group_sums sum;
    ptrdiff_t all = s.low + rows - 1 > 0 ? s.low + rows - 1 : 0, end = s.high < s.limit ? s.high : s.limit;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int v = 0; v < panels * VECTORS; v++)
            sum[r][v] = shrink[r] * lanes_load(output + ((size_t)(v / VECTORS) * BLOCK_ROWS + (size_t)r) * KERNELS_PANEL +
                                               v % VECTORS * LANES_WIDTH);
    if (all > 0)
#pragma GCC unroll 16
        for (int t = 0; t < rows - 1; t++) {
            ptrdiff_t j = s.low + t;
            if (j >= 0 && j < s.limit)
                add_row(0, t + 1, panels, p + j, KERNELS_TILE, values + j * KERNELS_PANEL, panel_stride, sum);
        }
    for (ptrdiff_t j = all; j < end; j++)
        add_row(0, rows, panels, p + j, KERNELS_TILE, values + j * KERNELS_PANEL, panel_stride, sum);
    if (end < s.limit)
#pragma GCC unroll 16
        for (int t = 0; t < rows - 1; t++) {
            ptrdiff_t j = s.high + t;
            if (j >= 0 && j < s.limit)
                add_row(t + 1, rows, panels, p + j, KERNELS_TILE, values + j * KERNELS_PANEL, panel_stride, sum);
        }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int v = 0; v < panels * VECTORS; v++)
            lanes_store(output + ((size_t)(v / VECTORS) * BLOCK_ROWS + (size_t)r) * KERNELS_PANEL +
                            v % VECTORS * LANES_WIDTH,
                        sum[r][v]);
}

#endif
