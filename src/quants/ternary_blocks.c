/* ternary_blocks.c - exact decoders of Q1_0, Q2_0, TQ1_0 and TQ2_0; see ternary_blocks.h.
 *
 * How exact: d times -1, 0, 1 or 2 never rounds. The product is really computed, so that an infinite d gives NaN where
 * the weight is 0; Q1_0 has no product, only a sign.
 */
#include "ternary_blocks.h"

#include "half.h"

void ternary_blocks_decode_q1_0(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct ternary_blocks_q1_0 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += 128) {
        float d = half_to_float(half_load(block->d));
        for (int i = 0; i < 128; i++)
            out[i] = block->q[i / 8] >> i % 8 & 1 ? d : -d;
    }
}

void ternary_blocks_decode_q2_0(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct ternary_blocks_q2_0 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += 64) {
        float d = half_to_float(half_load(block->d));
        for (int i = 0; i < 64; i++)
            out[i] = d * (float)((block->q[i / 4] >> i % 4 * 2 & 3) - 1);
    }
}

/* Digits 0 .. digits - 1 of each of `count` bytes, digit by digit. */
static float *put_digits(float *restrict out, float d, const uint8_t *restrict q, int count, int digits)
{
    static const uint8_t power[5] = {1, 3, 9, 27, 81};
    for (int n = 0; n < digits; n++, out += count)
        for (int j = 0; j < count; j++) {
            uint8_t x = (uint8_t)(q[j] * power[n]);
            out[j] = d * (float)((x * 3 >> 8) - 1);
        }
    return out;
}

void ternary_blocks_decode_tq1_0(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct ternary_blocks_tq1_0 *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        out = put_digits(out, d, block->q, 32, 5);
        out = put_digits(out, d, block->q + 32, 16, 5);
        out = put_digits(out, d, block->tail, 4, 4);
    }
}

void ternary_blocks_decode_tq2_0(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct ternary_blocks_tq2_0 *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int g = 0; g < 8; g++, out += 32) {
            const uint8_t *q = block->q + 32 * (g / 4);
            for (int l = 0; l < 32; l++)
                out[l] = d * (float)((q[l] >> g % 4 * 2 & 3) - 1);
        }
    }
}
