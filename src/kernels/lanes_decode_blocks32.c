/* lanes_decode_blocks32.c - formats of 32 weights a block, 16 rows at a time, to panels.
 *
 * The formulas and why they are exact stand in quants/blocks32.c. d * q is exact, so d * q + m
 * may be one fused multiply-add; q - 8 stays apart from it, for the sign of a zero.
 */
#include "../quants/blocks32.h"
#include "lanes_columns.h"
#include "lanes_decode.h"

#define STORE(k, value) lanes_store(panel + (size_t)(k) * KERNELS_PANEL, value)

static inline void q4_0(const uint8_t *const *row, size_t bytes, float *panel)
{
    lanes_f d = lanes_half(lanes_pairs(row, bytes));
    lanes_u column[4];
    lanes_columns(row, bytes + 2, column);
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
        for (int t = 0; t < 4; t++) {
            STORE(4 * c + t, d * (lanes_nibble(column[c], 8 * t) - 8.0f));
            STORE(16 + 4 * c + t, d * (lanes_nibble(column[c], 8 * t + 4) - 8.0f));
        }
}

static inline void q4_1(const uint8_t *const *row, size_t bytes, float *panel)
{
    lanes_u head = lanes_words(row, bytes), column[4];
    lanes_f d = lanes_half(head & 0xffff), m = lanes_half(head >> 16);
    lanes_columns(row, bytes + 4, column);
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
        for (int t = 0; t < 4; t++) {
            STORE(4 * c + t, lanes_fma(d, lanes_nibble(column[c], 8 * t), m));
            STORE(16 + 4 * c + t, lanes_fma(d, lanes_nibble(column[c], 8 * t + 4), m));
        }
}

static inline void q5_0(const uint8_t *const *row, size_t bytes, float *panel)
{
    lanes_f d = lanes_half(lanes_pairs(row, bytes));
    lanes_u high = lanes_words(row, bytes + 2), column[4];
    lanes_columns(row, bytes + 6, column);
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
        for (int t = 0; t < 4; t++) {
            lanes_u low = (column[c] >> 8 * t & 15) | lanes_sixteen(high, 4 * c + t);
            lanes_u upper = (column[c] >> (8 * t + 4) & 15) | lanes_sixteen(high, 16 + 4 * c + t);
            STORE(4 * c + t, d * lanes_number(low - 16));
            STORE(16 + 4 * c + t, d * lanes_number(upper - 16));
        }
}

static inline void q5_1(const uint8_t *const *row, size_t bytes, float *panel)
{
    lanes_u head = lanes_words(row, bytes), high = lanes_words(row, bytes + 4), column[4];
    lanes_f d = lanes_half(head & 0xffff), m = lanes_half(head >> 16);
    lanes_columns(row, bytes + 8, column);
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
        for (int t = 0; t < 4; t++) {
            lanes_u low = (column[c] >> 8 * t & 15) | lanes_sixteen(high, 4 * c + t);
            lanes_u upper = (column[c] >> (8 * t + 4) & 15) | lanes_sixteen(high, 16 + 4 * c + t);
            STORE(4 * c + t, lanes_fma(d, lanes_number(low), m));
            STORE(16 + 4 * c + t, lanes_fma(d, lanes_number(upper), m));
        }
}

static inline void q8_0(const uint8_t *const *row, size_t bytes, float *panel)
{
    lanes_f d = lanes_half(lanes_pairs(row, bytes));
    for (size_t half = 0; half < 2; half++) {
        lanes_u column[4];
        lanes_columns(row, bytes + 2 + 16 * half, column);
#pragma GCC unroll 4
        for (size_t c = 0; c < 4; c++)
#pragma GCC unroll 4
            for (int t = 0; t < 4; t++)
                STORE(16 * half + 4 * c + (size_t)t, d * lanes_signed_byte(column[c], t));
    }
}

LANES_DECODE_BLOCKS(q4_0, sizeof(struct blocks32_q4_0), BLOCKS32_ELEMENTS)
LANES_DECODE_BLOCKS(q4_1, sizeof(struct blocks32_q4_1), BLOCKS32_ELEMENTS)
LANES_DECODE_BLOCKS(q5_0, sizeof(struct blocks32_q5_0), BLOCKS32_ELEMENTS)
LANES_DECODE_BLOCKS(q5_1, sizeof(struct blocks32_q5_1), BLOCKS32_ELEMENTS)
LANES_DECODE_BLOCKS(q8_0, sizeof(struct blocks32_q8_0), BLOCKS32_ELEMENTS)
