/* byte_order.c - see byte_order.h.
 *
 * Only a converter by hand can have made big-endian files of most types: llama.cpp's own knows the plain types, Q4_0, Q8_0,
 * Q4_K, Q6_K, MXFP4 and NVFP4. For the others, a number is what ggml loads as one on a big-endian machine, so that the file
 * works there: the fifth bits of Q5_0 and Q5_1 are a 32-bit number, the points of IQ2_XXS four bytes, its signs and scale
 * another 32-bit number.
 */
#include "byte_order.h"

#include <string.h>

/* `count` numbers of `width` bytes, the first at byte `at`, each `step` bytes after the one before. */
struct numbers {
    uint8_t at, width, count, step;
};

/* Q8_K's sums lie past byte 255: they are taken from the block's end. No weight depends on them. */
static const struct {
    uint32_t type;
    struct numbers run[2];
} types[] = {
    {QUANTS_F32, {{0, 4, 1, 0}}},
    {QUANTS_F16, {{0, 2, 1, 0}}},
    {QUANTS_BF16, {{0, 2, 1, 0}}},
    {QUANTS_F64, {{0, 8, 1, 0}}},
    {QUANTS_Q4_0, {{0, 2, 1, 0}}},
    {QUANTS_Q4_1, {{0, 2, 2, 2}}},
    {QUANTS_Q5_0, {{0, 2, 1, 0}, {2, 4, 1, 0}}},
    {QUANTS_Q5_1, {{0, 2, 2, 2}, {4, 4, 1, 0}}},
    {QUANTS_Q8_0, {{0, 2, 1, 0}}},
    {QUANTS_Q8_1, {{0, 2, 2, 2}}},
    {QUANTS_Q2_K, {{80, 2, 2, 2}}},
    {QUANTS_Q3_K, {{108, 2, 1, 0}}},
    {QUANTS_Q4_K, {{0, 2, 2, 2}}},
    {QUANTS_Q5_K, {{0, 2, 2, 2}}},
    {QUANTS_Q6_K, {{208, 2, 1, 0}}},
    {QUANTS_Q8_K, {{0, 4, 1, 0}}},
    {QUANTS_IQ2_XXS, {{0, 2, 1, 0}, {6, 4, 8, 8}}},
    {QUANTS_IQ2_XS, {{0, 2, 33, 2}}},
    {QUANTS_IQ2_S, {{0, 2, 1, 0}}},
    {QUANTS_IQ3_XXS, {{0, 2, 1, 0}, {66, 4, 8, 4}}},
    {QUANTS_IQ3_S, {{0, 2, 1, 0}}},
    {QUANTS_IQ1_S, {{0, 2, 1, 0}, {34, 2, 8, 2}}},
    {QUANTS_IQ1_M, {{48, 2, 4, 2}}},
    {QUANTS_IQ4_NL, {{0, 2, 1, 0}}},
    {QUANTS_IQ4_XS, {{0, 2, 2, 2}}},
    {QUANTS_TQ1_0, {{52, 2, 1, 0}}},
    {QUANTS_TQ2_0, {{64, 2, 1, 0}}},
    {QUANTS_MXFP4, {{0}}},
    {QUANTS_NVFP4, {{0}}},
    {QUANTS_Q1_0, {{0, 2, 1, 0}}},
    {QUANTS_Q2_0, {{0, 2, 1, 0}}},
    {QUANTS_F8_E4M3, {{0}}},
    {QUANTS_F8_E5M2, {{0}}},
};

static const struct numbers *numbers_of(const struct quants_format *format)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == format->id)
            return types[i].run;
    return NULL;
}

bool byte_order_known(const struct quants_format *format)
{
    return numbers_of(format) != NULL;
}

static void turn(const uint8_t *in, size_t width, uint8_t *out)
{
    for (size_t i = 0; i < width; i++)
        out[i] = in[width - 1 - i];
}

void byte_order_swap(const struct quants_format *format, const uint8_t *in, size_t blocks, uint8_t *out)
{
    const struct numbers *run = numbers_of(format);
    memcpy(out, in, blocks * format->block_bytes);
    for (; run && blocks; blocks--, in += format->block_bytes, out += format->block_bytes) {
        for (size_t r = 0; r < 2; r++)
            for (size_t i = 0; i < run[r].count; i++)
                turn(in + run[r].at + i * run[r].step, run[r].width, out + run[r].at + i * run[r].step);
        for (size_t i = 0; format->id == QUANTS_Q8_K && i < 16; i++)
            turn(in + 260 + 2 * i, 2, out + 260 + 2 * i);
    }
}

#define PORTION 256                   /* weights turned round at a time */
#define PORTION_BYTES (PORTION * 8)   /* of F64; no block has more a weight */

void byte_order_decode_range(const struct quants_format *format, const uint8_t *row, size_t first, size_t count, float *out)
{
    uint8_t bytes[PORTION_BYTES];
    const size_t width = format->block_elements;
    while (count > 0) {
        const size_t skip = first % width, left = (skip + count + width - 1) / width, most = PORTION / width;
        const size_t blocks = left < most ? left : most, rest = blocks * width - skip, part = rest < count ? rest : count;
        byte_order_swap(format, row + first / width * format->block_bytes, blocks, bytes);
        quants_decode_range(format, bytes, skip, part, out);
        first += part;
        out += part;
        count -= part;
    }
}
