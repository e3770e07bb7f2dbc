/* codebook_blocks.c - exact decoders of the IQ1, IQ2 and IQ3 formats; see codebook_blocks.h.
 *
 * How exact: d has 11 significant bits, a scale at most 5 and a magnitude at most 6, so every product is exact in
 * float32 (22 bits), whatever the order; no magnitude and no scale is 0, so a zero comes from d alone and has the sign
 * of d times the weight's. Infinite and NaN scales follow IEEE.
 *
 * A point's levels are unpacked by shifts: the codebooks take 9 KB so, 40 KB as bytes.
 */
#include "codebook_blocks.h"

#include "codebooks.h"
#include "half.h"

static const float iq2_levels[4] = {8, 25, 43, 0};
static const float iq3_xxs_levels[8] = {4, 12, 20, 28, 36, 44, 52, 62};
static const float iq3_s_levels[8] = {1, 3, 5, 7, 9, 11, 13, 15};

static uint32_t load_word(const uint8_t bytes[4])
{
    return (uint32_t)half_load(bytes) | (uint32_t)half_load(bytes + 2) << 16;
}

/* The eighth sign makes the count even. */
static uint8_t eight_signs(uint32_t seven)
{
    seven &= 127;
    return (uint8_t)(seven | (uint32_t)__builtin_parity(seven) << 7);
}

/* Eight weights of a point of 2-bit levels. */
static void put_eight(float *restrict out, float scale, uint16_t point, uint8_t signs)
{
    for (int j = 0; j < 8; j++) {
        float weight = scale * iq2_levels[point >> 2 * j & 3];
        out[j] = signs >> j & 1 ? -weight : weight;
    }
}

/* Four weights of a point of 3-bit levels. */
static void put_four(float *restrict out, float scale, const float levels[8], uint16_t point, unsigned signs)
{
    for (int j = 0; j < 4; j++) {
        float weight = scale * levels[point >> 3 * j & 7];
        out[j] = signs >> j & 1 ? -weight : weight;
    }
}

/* Nibble i of packed bytes. */
static int nibble(const uint8_t *bytes, int i)
{
    return bytes[i / 2] >> (i % 2 * 4) & 15;
}

/* d (s + 1/2) / 4, which is the scale of all IQ2 formats. */
static float iq2_scale(float d, int s)
{
    return d * ((float)(2 * s + 1) * 0.125f);
}

void codebook_blocks_decode_iq2_xxs(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct codebook_blocks_iq2_xxs *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int p = 0; p < 8; p++) {
            uint32_t word = load_word(block->part[p].word);
            float scale = iq2_scale(d, (int)(word >> 28));
            for (int k = 0; k < 4; k++, out += 8)
                put_eight(out, scale, codebooks_iq2_xxs[block->part[p].c[k]], eight_signs(word >> 7 * k));
        }
    }
}

void codebook_blocks_decode_iq2_xs(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct codebook_blocks_iq2_xs *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int b = 0; b < 32; b++, out += 8) {
            unsigned word = half_load(block->word[b]);
            put_eight(out, iq2_scale(d, nibble(block->scales, b / 2)), codebooks_iq2_xs[word & 511], eight_signs(word >> 9));
        }
    }
}

void codebook_blocks_decode_iq2_s(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct codebook_blocks_iq2_s *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int b = 0; b < 32; b++, out += 8) {
            unsigned c = block->c[b] | (block->high[b / 4] >> (b % 4 * 2) & 3u) << 8;
            put_eight(out, iq2_scale(d, nibble(block->scales, b / 2)), codebooks_iq2_s[c], block->signs[b]);
        }
    }
}

void codebook_blocks_decode_iq3_xxs(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct codebook_blocks_iq3_xxs *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int b = 0; b < 32; b++, out += 8) {
            uint32_t word = load_word(block->word[b / 4]);
            float scale = d * ((float)(2 * (word >> 28) + 1) * 0.25f);
            unsigned signs = eight_signs(word >> b % 4 * 7);
            put_four(out, scale, iq3_xxs_levels, codebooks_iq3_xxs[block->c[2 * b]], signs);
            put_four(out + 4, scale, iq3_xxs_levels, codebooks_iq3_xxs[block->c[2 * b + 1]], signs >> 4);
        }
    }
}

void codebook_blocks_decode_iq3_s(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct codebook_blocks_iq3_s *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int j = 0; j < 64; j++, out += 4) {
            unsigned c = block->c[j] | (block->high[j / 8] >> j % 8 & 1u) << 8;
            float scale = d * (float)(2 * nibble(block->scales, j / 8) + 1);
            put_four(out, scale, iq3_s_levels, codebooks_iq3_s[c], block->signs[j / 2] >> j % 2 * 4);
        }
    }
}

/* Eight weights of a point of -1, 0, 1, shifted. */
static void put_shifted(float *restrict out, float scale, uint16_t point, float shift)
{
    const float levels[4] = {-1.0f + shift, shift, 1.0f + shift, 0.0f};
    for (int j = 0; j < 8; j++)
        out[j] = scale * levels[point >> 2 * j & 3];
}

void codebook_blocks_decode_iq1_s(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct codebook_blocks_iq1_s *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        for (int b = 0; b < 32; b++, out += 8) {
            unsigned word = half_load(block->word[b / 4]);
            unsigned c = block->c[b] | (word >> b % 4 * 3 & 7) << 8;
            put_shifted(out, d * (float)(2 * (word >> 12 & 7) + 1), codebooks_iq1[c], word >> 15 ? -0.125f : 0.125f);
        }
    }
}

void codebook_blocks_decode_iq1_m(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct codebook_blocks_iq1_m *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        unsigned half = 0;
        for (int k = 0; k < 4; k++)
            half |= (unsigned)(block->word[k][1] >> 4) << 4 * k;
        float d = half_to_float((uint16_t)half);
        for (int b = 0; b < 32; b++, out += 8) {
            int high = nibble(block->high, b), s = b / 2;
            unsigned c = block->c[b] | (unsigned)(high & 7) << 8;
            int scale = half_load(block->word[s / 4]) >> s % 4 * 3 & 7;
            put_shifted(out, d * (float)(2 * scale + 1), codebooks_iq1[c], high & 8 ? -0.125f : 0.125f);
        }
    }
}
