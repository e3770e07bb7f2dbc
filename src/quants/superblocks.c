/* superblocks.c - exact decoders of the 256-weight formats; see superblocks.h.
 *
 * How exact: d has 11 significant bits, a scale at most 7, a weight at most 5, so
 * (d * scale) * q is exact in float32 (23 bits, Q6_K the tightest), and so is
 * dmin * minimum (17 bits). The one subtraction of Q2_K, Q4_K and Q5_K rounds,
 * once; a fused multiply-subtract gives the same bits. So the order of the
 * products can't change a finite weight, apart from the sign of a zero: the
 * order written here, scale first, is the one that decides it. Infinite and NaN
 * scales follow IEEE: inf * 0 is NaN. Q8_K alone has a float32 scale, so its one product rounds.
 *
 * Loops run over 16 or 32 weights of one scale, with a shift that is the same
 * for all of them: compilers vectorise them at -O2.
 */
#include "superblocks.h"

#include "half.h"

void superblocks_decode_q2_k(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct superblocks_q2_k *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        float dmin = half_to_float(half_load(block->dmin));
        for (int s = 0; s < 16; s++, out += 16) {
            const uint8_t *q = block->q + 32 * (s / 8) + 16 * (s % 2);
            int shift = s / 2 % 4 * 2;
            float scale = d * (float)(block->scales[s] & 15);
            float minimum = dmin * (float)(block->scales[s] >> 4);
            for (int l = 0; l < 16; l++)
                out[l] = scale * (float)(q[l] >> shift & 3) - minimum;
        }
    }
}

void superblocks_decode_q3_k(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct superblocks_q3_k *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int s = 0; s < 16; s++, out += 16) {
            const uint8_t *q = block->q + 32 * (s / 8) + 16 * (s % 2);
            const uint8_t *high = block->high + 16 * (s % 2);
            int shift = s / 2 % 4 * 2, bit = s / 2;
            int low_scale = block->scales[s % 8] >> (s / 8 * 4) & 15;
            int high_scale = block->scales[8 + s % 4] >> (s / 4 * 2) & 3;
            float scale = d * (float)((low_scale | high_scale << 4) - 32);
            for (int l = 0; l < 16; l++)
                out[l] = scale * (float)((q[l] >> shift & 3) + (high[l] >> bit & 1) * 4 - 4);
        }
    }
}

void superblocks_unpack_scales(const uint8_t packed[12], uint8_t scales[8], uint8_t minima[8])
{
    for (int s = 0; s < 4; s++) {
        scales[s] = packed[s] & 63;
        minima[s] = packed[s + 4] & 63;
        scales[s + 4] = (uint8_t)((packed[s + 8] & 15) | packed[s] >> 6 << 4);
        minima[s + 4] = (uint8_t)(packed[s + 8] >> 4 | packed[s + 4] >> 6 << 4);
    }
}

void superblocks_decode_q4_k(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct superblocks_q4_k *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        uint8_t scales[8], minima[8];
        superblocks_unpack_scales(block->scales, scales, minima);
        float d = half_to_float(half_load(block->d));
        float dmin = half_to_float(half_load(block->dmin));
        for (int s = 0; s < 8; s++, out += 32) {
            const uint8_t *q = block->q + 32 * (s / 2);
            int shift = s % 2 * 4;
            float scale = d * (float)scales[s], minimum = dmin * (float)minima[s];
            for (int l = 0; l < 32; l++)
                out[l] = scale * (float)(q[l] >> shift & 15) - minimum;
        }
    }
}

void superblocks_decode_q5_k(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct superblocks_q5_k *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        uint8_t scales[8], minima[8];
        superblocks_unpack_scales(block->scales, scales, minima);
        float d = half_to_float(half_load(block->d));
        float dmin = half_to_float(half_load(block->dmin));
        for (int s = 0; s < 8; s++, out += 32) {
            const uint8_t *q = block->q + 32 * (s / 2);
            int shift = s % 2 * 4;
            float scale = d * (float)scales[s], minimum = dmin * (float)minima[s];
            for (int l = 0; l < 32; l++)
                out[l] = scale * (float)((q[l] >> shift & 15) | (block->high[l] >> s & 1) << 4) - minimum;
        }
    }
}

void superblocks_decode_q6_k(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct superblocks_q6_k *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int s = 0; s < 16; s++, out += 16) {
            int h = s / 8, j = s / 2 % 4, half = 16 * (s % 2);
            const uint8_t *low = block->low + 64 * h + 32 * (j % 2) + half;
            const uint8_t *high = block->high + 32 * h + half;
            int low_shift = j / 2 * 4, high_shift = 2 * j;
            float scale = d * (float)block->scales[s];
            for (int l = 0; l < 16; l++)
                out[l] = scale * (float)(((low[l] >> low_shift & 15) | (high[l] >> high_shift & 3) << 4) - 32);
        }
    }
}

void superblocks_decode_q8_k(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct superblocks_q8_k *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += SUPERBLOCKS_ELEMENTS) {
        float d = half_from_bits((uint32_t)half_load(block->d) | (uint32_t)half_load(block->d + 2) << 16);
        for (int i = 0; i < SUPERBLOCKS_ELEMENTS; i++)
            out[i] = d * (float)block->q[i];
    }
}
