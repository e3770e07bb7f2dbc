/* encode_blocks32.c - see encode_blocks32.h.
 *
 * The scale that is stored is a half; weights are rounded once more with that half, not with
 * the float32 that the search found, so that the error is that of what a reader gets.
 *
 * Q8_0 has 255 levels: the scale that just spans the weights, largest / 127, is taken without a
 * search, as every other program does. Its error is bounded by half a step whatever comes.
 */
#include "encode_blocks32.h"

#include <math.h>
#include <string.h>

#include "blocks32.h"
#include "encode_fit.h"
#include "half.h"

#define N BLOCKS32_ELEMENTS

/* Low four bits of q[32], two a byte: j and j + 16. */
static void pack_nibbles(const int8_t q[N], uint8_t bytes[N / 2])
{
    for (int j = 0; j < N / 2; j++)
        bytes[j] = (uint8_t)((q[j] & 15) | (q[j + N / 2] & 15) << 4);
}

static void pack_fifth(const int8_t q[N], uint8_t high[4])
{
    memset(high, 0, 4);
    for (int i = 0; i < N; i++)
        high[i / 8] = (uint8_t)(high[i / 8] | (q[i] >> 4 & 1) << i % 8);
}

/* q = 0..2 levels - 1, with the format's offset `levels` added; d is stored. */
static void symmetric(const float *w, int levels, uint8_t d[2], int8_t q[N])
{
    uint16_t half = encode_fit_half(encode_fit_symmetric(w, N, levels));
    struct encode_affine grid = {half_to_float(half), 0};
    half_store(d, half);
    encode_fit_round(w, N, grid, -levels, levels - 1, q, NULL);
    for (int i = 0; i < N; i++)
        q[i] = (int8_t)(q[i] + levels);
}

static void affine(const float *w, int top, uint8_t d[2], uint8_t m[2], int8_t q[N])
{
    struct encode_affine grid = encode_fit_affine(w, N, top, false);
    uint16_t scale = encode_fit_half(grid.scale), minimum = encode_fit_half(grid.minimum);
    half_store(d, scale);
    half_store(m, minimum);
    grid = (struct encode_affine){half_to_float(scale), half_to_float(minimum)};
    encode_fit_round(w, N, grid, 0, top, q, NULL);
}

void encode_blocks32_q4_0(const float *w, size_t blocks, uint8_t *bytes)
{
    struct blocks32_q4_0 *out = (struct blocks32_q4_0 *)bytes;
    int8_t q[N];
    for (size_t b = 0; b < blocks; b++) {
        symmetric(w + b * N, 8, out[b].d, q);
        pack_nibbles(q, out[b].q);
    }
}

void encode_blocks32_q4_1(const float *w, size_t blocks, uint8_t *bytes)
{
    struct blocks32_q4_1 *out = (struct blocks32_q4_1 *)bytes;
    int8_t q[N];
    for (size_t b = 0; b < blocks; b++) {
        affine(w + b * N, 15, out[b].d, out[b].m, q);
        pack_nibbles(q, out[b].q);
    }
}

void encode_blocks32_q5_0(const float *w, size_t blocks, uint8_t *bytes)
{
    struct blocks32_q5_0 *out = (struct blocks32_q5_0 *)bytes;
    int8_t q[N];
    for (size_t b = 0; b < blocks; b++) {
        symmetric(w + b * N, 16, out[b].d, q);
        pack_fifth(q, out[b].high);
        pack_nibbles(q, out[b].q);
    }
}

void encode_blocks32_q5_1(const float *w, size_t blocks, uint8_t *bytes)
{
    struct blocks32_q5_1 *out = (struct blocks32_q5_1 *)bytes;
    int8_t q[N];
    for (size_t b = 0; b < blocks; b++) {
        affine(w + b * N, 31, out[b].d, out[b].m, q);
        pack_fifth(q, out[b].high);
        pack_nibbles(q, out[b].q);
    }
}

void encode_blocks32_q8_0(const float *w, size_t blocks, uint8_t *bytes)
{
    struct blocks32_q8_0 *out = (struct blocks32_q8_0 *)bytes;
    for (size_t b = 0; b < blocks; b++) {
        float largest = 0;
        for (int i = 0; i < N; i++)
            largest = fmaxf(largest, fabsf(w[b * N + (size_t)i]));
        uint16_t half = encode_fit_half(largest / 127.0f);
        half_store(out[b].d, half);
        encode_fit_round(w + b * N, N, (struct encode_affine){half_to_float(half), 0}, -127, 127, out[b].q, NULL);
    }
}
