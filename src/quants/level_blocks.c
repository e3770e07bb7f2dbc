/* level_blocks.c - exact decoders of IQ4_NL, IQ4_XS, MXFP4 and NVFP4; see level_blocks.h.
 *
 * How exact: d has at most 11 significant bits, a scale 5 (32 is a power of two) and a level 7, so no product rounds
 * (23 bits); the smallest of MXFP4, 2^-128, is a subnormal with bits to spare, its largest times 2 and more is
 * infinite by IEEE. The order, scale first, decides the sign of a zero only.
 */
#include "level_blocks.h"

#include "half.h"

static const float iq4_levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static const float fp4_levels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/* 2 `count` weights: the low nibbles of q[count], then the high ones. */
static void put_levels(float *restrict out, float scale, const float levels[16], const uint8_t *restrict q, int count)
{
    for (int j = 0; j < count; j++) {
        out[j] = scale * levels[q[j] & 15];
        out[j + count] = scale * levels[q[j] >> 4];
    }
}

void level_blocks_decode_iq4_nl(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct level_blocks_iq4_nl *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += 32)
        put_levels(out, half_to_float(half_load(block->d)), iq4_levels, block->q, 16);
}

void level_blocks_decode_iq4_xs(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct level_blocks_iq4_xs *block = (const void *)bytes;
    for (; blocks; blocks--, block++) {
        float d = half_to_float(half_load(block->d));
        unsigned high = half_load(block->high);
        for (int s = 0; s < 8; s++, out += 32) {
            int scale = (block->low[s / 2] >> s % 2 * 4 & 15) | (int)(high >> 2 * s & 3) << 4;
            put_levels(out, d * (float)(scale - 32), iq4_levels, block->q[s], 16);
        }
    }
}

void level_blocks_decode_mxfp4(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct level_blocks_mxfp4 *block = (const void *)bytes;
    for (; blocks; blocks--, block++, out += 32) {
        /* 2^(e - 128) by its bits: subnormal for e = 0 and 1 */
        uint32_t bits = block->e < 2 ? 0x00200000u << block->e : (uint32_t)(block->e - 1) << 23;
        put_levels(out, half_from_bits(bits), fp4_levels, block->q, 16);
    }
}

/* Half of an unsigned E4M3 number. */
static float half_of_e4m3(uint8_t byte)
{
    int e = byte >> 3 & 15, m = byte & 7;
    if (byte == 0x7f)
        return 0.0f;
    return e ? half_from_bits((uint32_t)(e - 8 + 127) << 23 | (uint32_t)m << 20) : (float)m * 0x1p-10f;
}

void level_blocks_decode_nvfp4(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    const struct level_blocks_nvfp4 *block = (const void *)bytes;
    for (; blocks; blocks--, block++)
        for (int s = 0; s < 4; s++, out += 16)
            put_levels(out, half_of_e4m3(block->d[s]), fp4_levels, block->q[s], 8);
}
