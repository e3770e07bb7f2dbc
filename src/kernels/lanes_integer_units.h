/* lanes_integer_units.h - one unit of 256 inputs of each block format, LANES_WIDTH rows: quants and scales as stored.
 *
 * Pictures of the formats stand in quants/superblocks.h and quants/blocks32.h. Four neighbouring quants share a dword, so
 * masks and shifts work on four at once.
 */
#ifndef PHI3SAT_KERNELS_LANES_INTEGER_UNITS_H
#define PHI3SAT_KERNELS_LANES_INTEGER_UNITS_H

#include "../quants/blocks32.h"
#include "../quants/superblocks.h"
#include "lanes_integer.h"

#define LOW_NIBBLES 0x0f0f0f0fu
#define LOW_PAIRS 0x03030303u
#define LOW_BITS 0x01010101u

INTEGER_INLINE lanes_i unit_byte(const lanes_u *words, int s)
{
    return (lanes_i)(words[s / 4] >> 8 * (s % 4) & 255);
}

INTEGER_INLINE lanes_i unit_signed_byte(const lanes_u *words, int s)
{
    return (lanes_i)(words[s / 4] << (24 - 8 * (s % 4))) >> 24;
}

/* What Q4_K and Q5_K begin with: d, dmin, and eight scales and minima of 6 bits. */
INTEGER_INLINE void unit_head(const uint8_t *const *row, size_t bytes, struct integer_unit *u)
{
    lanes_u h[4], scale[2], minimum[2];
    lanes_columns(row, bytes, h);
    u->d[0] = lanes_half(h[0] & 0xffff);
    u->m[0] = lanes_half(h[0] >> 16);
    scale[0] = h[1] & 0x3f3f3f3fu;
    minimum[0] = h[2] & 0x3f3f3f3fu;
    scale[1] = (h[3] & LOW_NIBBLES) | (h[1] >> 6 & LOW_PAIRS) << 4;
    minimum[1] = (h[3] >> 4 & LOW_NIBBLES) | (h[2] >> 6 & LOW_PAIRS) << 4;
#pragma GCC unroll 8
    for (int s = 0; s < 8; s++) {
        u->scale[s] = unit_byte(scale, s);
        u->minimum[s] = unit_byte(minimum, s);
    }
}

INTEGER_INLINE void unit_q4_k(const uint8_t *const *row, size_t bytes, struct integer_unit *u)
{
    unit_head(row, bytes, u);
#pragma GCC unroll 8
    for (int c = 0; c < 32; c += 4) { /* dwords of the 128 bytes of quants */
        lanes_u column[4];
        lanes_columns(row, bytes + 16 + 4 * (size_t)c, column);
        for (int i = 0; i < 4; i++) {
            int at = c / 8 * 16 + c % 8 + i;
            u->q[at] = column[i] & LOW_NIBBLES;
            u->q[at + 8] = column[i] >> 4 & LOW_NIBBLES;
        }
    }
}

INTEGER_INLINE void unit_q5_k(const uint8_t *const *row, size_t bytes, struct integer_unit *u)
{
    lanes_u high[8];
    unit_head(row, bytes, u);
    lanes_columns(row, bytes + 16, high);
    lanes_columns(row, bytes + 32, high + 4);
#pragma GCC unroll 8
    for (int c = 0; c < 32; c += 4) {
        lanes_u column[4];
        lanes_columns(row, bytes + 48 + 4 * (size_t)c, column);
        for (int i = 0; i < 4; i++) {
            int at = c / 8 * 16 + c % 8 + i, pair = c / 8;
            lanes_u fifth = high[c % 8 + i] >> 2 * pair;
            u->q[at] = (column[i] & LOW_NIBBLES) | (fifth & LOW_BITS) << 4;
            u->q[at + 8] = (column[i] >> 4 & LOW_NIBBLES) | (fifth >> 1 & LOW_BITS) << 4;
        }
    }
}

INTEGER_INLINE void unit_q6_k(const uint8_t *const *row, size_t bytes, struct integer_unit *u)
{
    lanes_u scales[4];
    u->d[0] = lanes_half(lanes_pairs(row, bytes + 208));
    lanes_columns(row, bytes + 192, scales);
#pragma GCC unroll 16
    for (int s = 0; s < 16; s++)
        u->scale[s] = unit_signed_byte(scales, s);
    for (size_t h = 0; h < 2; h++)
        for (size_t half = 0; half < 2; half++) {
            lanes_u low[2][4], high[4];
            lanes_columns(row, bytes + 64 * h + 16 * half, low[0]);
            lanes_columns(row, bytes + 64 * h + 16 * half + 32, low[1]);
            lanes_columns(row, bytes + 128 + 32 * h + 16 * half, high);
#pragma GCC unroll 4
            for (size_t j = 0; j < 4; j++)
#pragma GCC unroll 4
                for (size_t c = 0; c < 4; c++)
                    u->q[32 * h + 8 * j + 4 * half + c] = (low[j % 2][c] >> j / 2 * 4 & LOW_NIBBLES) |
                                                          (high[c] >> 2 * j & LOW_PAIRS) << 4;
        }
}

INTEGER_INLINE void unit_q2_k(const uint8_t *const *row, size_t bytes, struct integer_unit *u)
{
    lanes_u scales[4], ds = lanes_words(row, bytes + 80);
    u->d[0] = lanes_half(ds & 0xffff);
    u->m[0] = lanes_half(ds >> 16);
    lanes_columns(row, bytes, scales);
#pragma GCC unroll 16
    for (int s = 0; s < 16; s++) {
        u->scale[s] = unit_byte(scales, s) & 15;
        u->minimum[s] = unit_byte(scales, s) >> 4;
    }
    for (size_t h = 0; h < 2; h++)
        for (size_t half = 0; half < 2; half++) {
            lanes_u column[4];
            lanes_columns(row, bytes + 16 + 32 * h + 16 * half, column);
            for (size_t j = 0; j < 4; j++)
                for (size_t c = 0; c < 4; c++)
                    u->q[32 * h + 8 * j + 4 * half + c] = column[c] >> 2 * j & LOW_PAIRS;
        }
}

INTEGER_INLINE void unit_q3_k(const uint8_t *const *row, size_t bytes, struct integer_unit *u)
{
    lanes_u words[3], high[8];
    u->d[0] = lanes_half(lanes_pairs(row, bytes + 108));
    for (size_t w = 0; w < 3; w++)
        words[w] = lanes_words(row, bytes + 96 + 4 * w);
#pragma GCC unroll 16
    for (int s = 0; s < 16; s++) {
        lanes_u low = words[s / 4 % 2] >> (8 * (s % 4) + 4 * (s / 8)) & 15;
        lanes_u top = words[2] >> (8 * (s % 4) + 2 * (s / 4)) & 3;
        u->scale[s] = (lanes_i)(low | top << 4) - 32;
    }
    lanes_columns(row, bytes, high);
    lanes_columns(row, bytes + 16, high + 4);
    for (size_t h = 0; h < 2; h++)
        for (size_t half = 0; half < 2; half++) {
            lanes_u column[4];
            lanes_columns(row, bytes + 32 + 32 * h + 16 * half, column);
            for (size_t j = 0; j < 4; j++)
                for (size_t c = 0; c < 4; c++)
                    u->q[32 * h + 8 * j + 4 * half + c] = (column[c] >> 2 * j & LOW_PAIRS) |
                                                          (high[4 * half + c] >> (4 * h + j) & LOW_BITS) << 2;
        }
}

/* Block b of a unit of 8 blocks of 32; unit_none where the matrix has ended. */

INTEGER_INLINE void unit_none(struct integer_unit *u, size_t b)
{
    u->d[b] = u->m[b] = (lanes_f){0};
    for (size_t c = 0; c < 8; c++)
        u->q[8 * b + c] = (lanes_u){0};
}

INTEGER_INLINE void unit_nibbles(const uint8_t *const *row, size_t bytes, lanes_u *q)
{
    lanes_u column[4];
    lanes_columns(row, bytes, column);
#pragma GCC unroll 4
    for (int c = 0; c < 4; c++) {
        q[c] = column[c] & LOW_NIBBLES;
        q[4 + c] = column[c] >> 4 & LOW_NIBBLES;
    }
}

/* Bits 4c .. 4c + 3 of `high`, each the fifth bit of its byte: times 1 + 2^7 + 2^14 + 2^21 bit t stands at 8t. */
INTEGER_INLINE void unit_fifth_bits(lanes_u high, lanes_u *q)
{
#pragma GCC unroll 8
    for (int c = 0; c < 8; c++)
        q[c] |= ((high >> 4 * c & 15) * 0x00204081u & LOW_BITS) << 4;
}

INTEGER_INLINE void unit_q4_0(const uint8_t *const *row, size_t bytes, struct integer_unit *u, size_t b)
{
    u->d[b] = lanes_half(lanes_pairs(row, bytes));
    unit_nibbles(row, bytes + 2, u->q + 8 * b);
}

INTEGER_INLINE void unit_q4_1(const uint8_t *const *row, size_t bytes, struct integer_unit *u, size_t b)
{
    lanes_u head = lanes_words(row, bytes);
    u->d[b] = lanes_half(head & 0xffff);
    u->m[b] = lanes_half(head >> 16);
    unit_nibbles(row, bytes + 4, u->q + 8 * b);
}

INTEGER_INLINE void unit_q5_0(const uint8_t *const *row, size_t bytes, struct integer_unit *u, size_t b)
{
    u->d[b] = lanes_half(lanes_pairs(row, bytes));
    unit_nibbles(row, bytes + 6, u->q + 8 * b);
    unit_fifth_bits(lanes_words(row, bytes + 2), u->q + 8 * b);
}

INTEGER_INLINE void unit_q5_1(const uint8_t *const *row, size_t bytes, struct integer_unit *u, size_t b)
{
    lanes_u head = lanes_words(row, bytes);
    u->d[b] = lanes_half(head & 0xffff);
    u->m[b] = lanes_half(head >> 16);
    unit_nibbles(row, bytes + 8, u->q + 8 * b);
    unit_fifth_bits(lanes_words(row, bytes + 4), u->q + 8 * b);
}

INTEGER_INLINE void unit_q8_0(const uint8_t *const *row, size_t bytes, struct integer_unit *u, size_t b)
{
    u->d[b] = lanes_half(lanes_pairs(row, bytes));
    lanes_columns(row, bytes + 2, u->q + 8 * b);
    lanes_columns(row, bytes + 18, u->q + 8 * b + 4);
    for (size_t c = 0; c < 8; c++)
        u->q[8 * b + c] ^= 0x80808080u; /* -128 .. 127 become 0 .. 255, with the offset 128 */
}

#endif
