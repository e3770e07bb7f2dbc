/* blocks32.c - exact decoders of the 32-weight block formats; see blocks32.h.
 *
 * How exact: d has 11 significant bits and q at most 8, so d * q is exact in
 * float32 (24 bits) and smaller than 2^24 times a half: no rounding, no overflow.
 * Where a minimum m is added, that one addition rounds; a fused multiply-add
 * would give the same bits. Infinite and NaN scales follow IEEE (inf * 0 is
 * NaN), since every weight really is computed by a multiplication.
 *
 * The blocks are structs of bytes, so they may lie at any address. Loops have
 * fixed lengths and separate outputs: compilers vectorise them at -O2.
 */
#include "blocks32.h"

#include "half.h"

void blocks32_decode_q4_0(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct blocks32_q4_0 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += BLOCKS32_ELEMENTS) {
        float d = half_to_float(half_load(block->d));
        for (int j = 0; j < 16; j++)
            out[j] = d * (float)((block->q[j] & 15) - 8);
        for (int j = 0; j < 16; j++)
            out[j + 16] = d * (float)((block->q[j] >> 4) - 8);
    }
}

void blocks32_decode_q4_1(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct blocks32_q4_1 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += BLOCKS32_ELEMENTS) {
        float d = half_to_float(half_load(block->d));
        float m = half_to_float(half_load(block->m));
        for (int j = 0; j < 16; j++)
            out[j] = d * (float)(block->q[j] & 15) + m;
        for (int j = 0; j < 16; j++)
            out[j + 16] = d * (float)(block->q[j] >> 4) + m;
    }
}

/* The fifth bits of a block, spread to one byte a weight holding 0 or 16: each byte
 * of `high` is copied to its eight weights, which then keep one bit of it. A pass
 * of its own keeps the loops over weights free of variable shifts. */
static void spread_high_bits(const uint8_t high[4], uint8_t sixteens[BLOCKS32_ELEMENTS])
{
    static const uint8_t bit[BLOCKS32_ELEMENTS] = {
        1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128,
        1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128,
    };
    uint8_t copies[BLOCKS32_ELEMENTS];
    for (int byte = 0; byte < 4; byte++)
        memset(copies + 8 * byte, high[byte], 8);
    for (int i = 0; i < BLOCKS32_ELEMENTS; i++)
        sixteens[i] = (copies[i] & bit[i]) ? 16 : 0;
}

void blocks32_decode_q5_0(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct blocks32_q5_0 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += BLOCKS32_ELEMENTS) {
        uint8_t sixteens[BLOCKS32_ELEMENTS];
        spread_high_bits(block->high, sixteens);
        float d = half_to_float(half_load(block->d));
        for (int j = 0; j < 16; j++)
            out[j] = d * (float)(((block->q[j] & 15) | sixteens[j]) - 16);
        for (int j = 0; j < 16; j++)
            out[j + 16] = d * (float)(((block->q[j] >> 4) | sixteens[j + 16]) - 16);
    }
}

void blocks32_decode_q5_1(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct blocks32_q5_1 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += BLOCKS32_ELEMENTS) {
        uint8_t sixteens[BLOCKS32_ELEMENTS];
        spread_high_bits(block->high, sixteens);
        float d = half_to_float(half_load(block->d));
        float m = half_to_float(half_load(block->m));
        for (int j = 0; j < 16; j++)
            out[j] = d * (float)((block->q[j] & 15) | sixteens[j]) + m;
        for (int j = 0; j < 16; j++)
            out[j + 16] = d * (float)((block->q[j] >> 4) | sixteens[j + 16]) + m;
    }
}

void blocks32_decode_q8_0(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct blocks32_q8_0 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += BLOCKS32_ELEMENTS) {
        float d = half_to_float(half_load(block->d));
        for (int j = 0; j < 32; j++)
            out[j] = d * (float)block->q[j];
    }
}

void blocks32_decode_q8_1(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct blocks32_q8_1 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += BLOCKS32_ELEMENTS) {
        float d = half_to_float(half_load(block->d));
        for (int j = 0; j < 32; j++)
            out[j] = d * (float)block->q[j];
    }
}
