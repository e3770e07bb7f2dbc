/* lanes_transpose.h - four rows of four floats, turned in registers.
 *
 * 128-bit vectors in every set: turning is a small part of what it serves, and one form
 * is easier to trust than three.
 */
#ifndef PHI3SAT_KERNELS_LANES_TRANSPOSE_H
#define PHI3SAT_KERNELS_LANES_TRANSPOSE_H

#include "lanes.h"

typedef float lanes_four __attribute__((vector_size(16)));

/* to[i][j] = from[j][first + i] for i, j = 0..3; only j < keep, a constant, is written. */
static inline __attribute__((always_inline)) void lanes_turn(const float *const from[4], size_t first, float *to,
                                                             size_t to_stride, size_t keep)
{
    lanes_four row[4];
    for (int j = 0; j < 4; j++)
        memcpy(&row[j], from[j] + first, sizeof row[j]);
    lanes_four low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    lanes_four high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    lanes_four low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    lanes_four high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    lanes_four column[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                            __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                            __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                            __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (size_t i = 0; i < 4; i++)
        memcpy(to + i * to_stride, &column[i], keep * sizeof *to);
}

/* The same for `depth` floats of each row, any number. */
static inline __attribute__((always_inline)) void lanes_turn_rows(const float *const from[4], size_t depth, float *to,
                                                                  size_t to_stride, size_t keep)
{
    size_t d = 0;
    for (; d + 4 <= depth; d += 4)
        lanes_turn(from, d, to + d * to_stride, to_stride, keep);
    for (; d < depth; d++)
        for (size_t j = 0; j < keep; j++)
            to[d * to_stride + j] = from[j][d];
}

#endif
