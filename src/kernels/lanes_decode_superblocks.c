/* lanes_decode_superblocks.c - formats of 256 weights a block, 16 rows at a time, to panels.
 *
 * The formulas and why they are exact stand in quants/superblocks.[ch]: (d * scale) * q is
 * exact, so the subtraction of a minimum may be fused with it.
 */
#include "../quants/superblocks.h"
#include "lanes_columns.h"
#include "lanes_decode.h"

#define STORE(k, value) lanes_store(panel + (size_t)(k) * KERNELS_PANEL, value)

/* What Q4_K and Q5_K begin with: d, dmin, and eight scales and minima of 6 bits, four to a word. */
struct head {
    lanes_f d, dmin;
    lanes_u scale[2], minimum[2];
};

static inline struct head read_head(const uint8_t *const *row, size_t bytes)
{
    lanes_u h[4];
    struct head head;
    lanes_columns(row, bytes, h);
    head.d = lanes_half(h[0] & 0xffff);
    head.dmin = lanes_half(h[0] >> 16);
    head.scale[0] = h[1] & 0x3f3f3f3fu;
    head.minimum[0] = h[2] & 0x3f3f3f3fu;
    head.scale[1] = (h[3] & 0x0f0f0f0fu) | (h[1] >> 6 & 0x03030303u) << 4;
    head.minimum[1] = (h[3] >> 4 & 0x0f0f0f0fu) | (h[2] >> 6 & 0x03030303u) << 4;
    return head;
}

static inline lanes_f byte_number(const lanes_u *words, int s)
{
    return lanes_number(words[s / 4] >> 8 * (s % 4) & 255);
}

static inline void q4_k(const uint8_t *const *row, size_t bytes, float *panel)
{
    struct head head = read_head(row, bytes);
    for (int pair = 0; pair < 4; pair++) {
        lanes_f scale = head.d * byte_number(head.scale, 2 * pair);
        lanes_f minimum = -(head.dmin * byte_number(head.minimum, 2 * pair));
        lanes_f upper_scale = head.d * byte_number(head.scale, 2 * pair + 1);
        lanes_f upper_minimum = -(head.dmin * byte_number(head.minimum, 2 * pair + 1));
        for (int half = 0; half < 2; half++, panel += 16 * KERNELS_PANEL) {
            lanes_u column[4];
            lanes_columns(row, bytes + 16 + 32 * (size_t)pair + 16 * (size_t)half, column);
#pragma GCC unroll 4
            for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
                for (int t = 0; t < 4; t++) {
                    STORE(4 * c + t, lanes_fma(scale, lanes_nibble(column[c], 8 * t), minimum));
                    STORE(32 + 4 * c + t, lanes_fma(upper_scale, lanes_nibble(column[c], 8 * t + 4), upper_minimum));
                }
        }
        panel += 32 * KERNELS_PANEL;
    }
}

static inline void q5_k(const uint8_t *const *row, size_t bytes, float *panel)
{
    struct head head = read_head(row, bytes);
    lanes_u high[8];
    lanes_columns(row, bytes + 16, high);
    lanes_columns(row, bytes + 32, high + 4);
#pragma GCC unroll 4
    for (int pair = 0; pair < 4; pair++) {
        lanes_f scale = head.d * byte_number(head.scale, 2 * pair);
        lanes_f minimum = -(head.dmin * byte_number(head.minimum, 2 * pair));
        lanes_f upper_scale = head.d * byte_number(head.scale, 2 * pair + 1);
        lanes_f upper_minimum = -(head.dmin * byte_number(head.minimum, 2 * pair + 1));
        for (int half = 0; half < 2; half++, panel += 16 * KERNELS_PANEL) {
            lanes_u column[4];
            lanes_columns(row, bytes + 48 + 32 * (size_t)pair + 16 * (size_t)half, column);
#pragma GCC unroll 4
            for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
                for (int t = 0; t < 4; t++) {
                    lanes_u fifth = high[4 * half + c];
                    lanes_u low = (column[c] >> 8 * t & 15) | lanes_sixteen(fifth, 8 * t + 2 * pair);
                    lanes_u upper = (column[c] >> (8 * t + 4) & 15) | lanes_sixteen(fifth, 8 * t + 2 * pair + 1);
                    STORE(4 * c + t, lanes_fma(scale, lanes_number(low), minimum));
                    STORE(32 + 4 * c + t, lanes_fma(upper_scale, lanes_number(upper), upper_minimum));
                }
        }
        panel += 32 * KERNELS_PANEL;
    }
}

/* Weights 16 `half` .. + 15 of each of the four runs of 32 in one half of a Q6_K block. */
static inline void q6_k_run(const uint8_t *const *row, size_t low_at, size_t high_at, const lanes_f scale[4],
                            float *panel)
{
    lanes_u low[2][4], high[4];
    lanes_columns(row, low_at, low[0]);
    lanes_columns(row, low_at + 32, low[1]);
    lanes_columns(row, high_at, high);
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++)
#pragma GCC unroll 4
        for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
            for (int t = 0; t < 4; t++) {
                int top = 8 * t + 2 * j;
                lanes_u q = (low[j % 2][c] >> (8 * t + j / 2 * 4) & 15) |
                            ((top >= 4 ? high[c] >> (top - 4) : high[c] << (4 - top)) & 48);
                STORE(32 * j + 4 * c + t, scale[j] * lanes_number(q - 32));
            }
}

static inline void q6_k(const uint8_t *const *row, size_t bytes, float *panel)
{
    lanes_u scales[4];
    lanes_f d = lanes_half(lanes_pairs(row, bytes + 208));
    lanes_columns(row, bytes + 192, scales);
    for (int h = 0; h < 2; h++)
        for (int half = 0; half < 2; half++) {
            lanes_f scale[4];
            for (int j = 0; j < 4; j++) { /* sub-block 8h + 2j + half */
                lanes_u words = scales[2 * h + j / 2];
                scale[j] = d * (half ? lanes_signed_byte(words, 2 * (j % 2) + 1) : lanes_signed_byte(words, 2 * (j % 2)));
            }
            q6_k_run(row, bytes + 64 * (size_t)h + 16 * (size_t)half, bytes + 128 + 32 * (size_t)h + 16 * (size_t)half,
                     scale, panel + (size_t)(128 * h + 16 * half) * KERNELS_PANEL);
        }
}

static inline void q2_k(const uint8_t *const *row, size_t bytes, float *panel)
{
    lanes_u scales[4], ds = lanes_words(row, bytes + 80);
    lanes_f d = lanes_half(ds & 0xffff), dmin = lanes_half(ds >> 16);
    lanes_columns(row, bytes, scales);
    for (int h = 0; h < 2; h++)
        for (int half = 0; half < 2; half++) {
            lanes_u column[4];
            lanes_columns(row, bytes + 16 + 32 * (size_t)h + 16 * (size_t)half, column);
            for (int j = 0; j < 4; j++) { /* sub-block 8h + 2j + half */
                lanes_u both = scales[2 * h + j / 2] >> 8 * (2 * (j % 2) + half);
                lanes_f scale = d * lanes_number(both & 15), minimum = -(dmin * lanes_number(both >> 4 & 15));
                for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
                    for (int t = 0; t < 4; t++)
                        STORE(128 * h + 32 * j + 16 * half + 4 * c + t,
                              lanes_fma(scale, lanes_number(column[c] >> (8 * t + 2 * j) & 3), minimum));
            }
        }
}

/* The 16 scales of Q3_K, less 32: two rows of tables in 12 bytes; see superblocks.h. */
static inline lanes_f q3_k_scale(const lanes_u words[3], int s)
{
    lanes_u low = words[s / 4 % 2] >> (8 * (s % 4) + 4 * (s / 8)) & 15;
    lanes_u high = words[2] >> (8 * (s % 4) + 2 * (s / 4)) & 3;
    return lanes_number((low | high << 4) - 32);
}

static inline void q3_k(const uint8_t *const *row, size_t bytes, float *panel)
{
    lanes_f d = lanes_half(lanes_pairs(row, bytes + 108));
    lanes_u words[3], high[8];
    for (size_t w = 0; w < 3; w++)
        words[w] = lanes_words(row, bytes + 96 + 4 * w);
    lanes_columns(row, bytes, high);
    lanes_columns(row, bytes + 16, high + 4);
    for (int h = 0; h < 2; h++)
        for (int half = 0; half < 2; half++) {
            lanes_u column[4];
            lanes_columns(row, bytes + 32 + 32 * (size_t)h + 16 * (size_t)half, column);
            for (int j = 0; j < 4; j++) {
                lanes_f scale = d * q3_k_scale(words, 8 * h + 2 * j + half);
                for (int c = 0; c < 4; c++)
#pragma GCC unroll 4
                    for (int t = 0; t < 4; t++) {
                        lanes_u third = high[4 * half + c] >> (8 * t + 4 * h + j) & 1;
                        lanes_u q = (column[c] >> (8 * t + 2 * j) & 3) + (third << 2) - 4;
                        STORE(128 * h + 32 * j + 16 * half + 4 * c + t, scale * lanes_number(q));
                    }
            }
        }
}

LANES_DECODE_BLOCKS(q2_k, sizeof(struct superblocks_q2_k), SUPERBLOCKS_ELEMENTS)
LANES_DECODE_BLOCKS(q3_k, sizeof(struct superblocks_q3_k), SUPERBLOCKS_ELEMENTS)
LANES_DECODE_BLOCKS(q4_k, sizeof(struct superblocks_q4_k), SUPERBLOCKS_ELEMENTS)
LANES_DECODE_BLOCKS(q5_k, sizeof(struct superblocks_q5_k), SUPERBLOCKS_ELEMENTS)
LANES_DECODE_BLOCKS(q6_k, sizeof(struct superblocks_q6_k), SUPERBLOCKS_ELEMENTS)
