/* quants.c - the table of type ids, and what can be said from it; see quants.h.
 *
 * One row a type: sizes, name, decoder. A reader, the help and the tests follow
 * from the rows; a new block format is a row and a decoder (docs/HACKING).
 * Integers stand here too, without a decoder, so that a file holding them can be
 * listed, bounds-checked and refused by name where weights are needed: they are data beside the
 * weights (llama.cpp multiplies by none of them). Ids that ggml removed (4, 5, 31-33, 36-38) have no row: no
 * program writes them any more and their sizes differed between versions.
 */
#include "quants.h"

#include <string.h>
#include <strings.h>

#include "blocks32.h"
#include "codebook_blocks.h"
#include "half.h"
#include "level_blocks.h"
#include "plain.h"
#include "superblocks.h"
#include "ternary_blocks.h"

static const struct quants_format table[] = {
    {0, "F32", 1, 4, plain_f32},
    {1, "F16", 1, 2, plain_f16},
    {2, "Q4_0", 32, 18, blocks32_decode_q4_0},
    {3, "Q4_1", 32, 20, blocks32_decode_q4_1},
    {6, "Q5_0", 32, 22, blocks32_decode_q5_0},
    {7, "Q5_1", 32, 24, blocks32_decode_q5_1},
    {8, "Q8_0", 32, 34, blocks32_decode_q8_0},
    {9, "Q8_1", 32, 36, blocks32_decode_q8_1},
    {10, "Q2_K", 256, 84, superblocks_decode_q2_k},
    {11, "Q3_K", 256, 110, superblocks_decode_q3_k},
    {12, "Q4_K", 256, 144, superblocks_decode_q4_k},
    {13, "Q5_K", 256, 176, superblocks_decode_q5_k},
    {14, "Q6_K", 256, 210, superblocks_decode_q6_k},
    {15, "Q8_K", 256, 292, superblocks_decode_q8_k},
    {16, "IQ2_XXS", 256, 66, codebook_blocks_decode_iq2_xxs},
    {17, "IQ2_XS", 256, 74, codebook_blocks_decode_iq2_xs},
    {18, "IQ3_XXS", 256, 98, codebook_blocks_decode_iq3_xxs},
    {19, "IQ1_S", 256, 50, codebook_blocks_decode_iq1_s},
    {20, "IQ4_NL", 32, 18, level_blocks_decode_iq4_nl},
    {21, "IQ3_S", 256, 110, codebook_blocks_decode_iq3_s},
    {22, "IQ2_S", 256, 82, codebook_blocks_decode_iq2_s},
    {23, "IQ4_XS", 256, 136, level_blocks_decode_iq4_xs},
    {24, "I8", 1, 1, NULL},
    {25, "I16", 1, 2, NULL},
    {26, "I32", 1, 4, NULL},
    {27, "I64", 1, 8, NULL},
    {28, "F64", 1, 8, plain_f64},
    {29, "IQ1_M", 256, 56, codebook_blocks_decode_iq1_m},
    {30, "BF16", 1, 2, plain_bf16},
    {34, "TQ1_0", 256, 54, ternary_blocks_decode_tq1_0},
    {35, "TQ2_0", 256, 66, ternary_blocks_decode_tq2_0},
    {39, "MXFP4", 32, 17, level_blocks_decode_mxfp4},
    {40, "NVFP4", 64, 36, level_blocks_decode_nvfp4},
    {41, "Q1_0", 128, 18, ternary_blocks_decode_q1_0},
    {42, "Q2_0", 64, 18, ternary_blocks_decode_q2_0},
    {1000, "F8_E4M3", 1, 1, plain_f8_e4m3},
    {1001, "F8_E5M2", 1, 1, plain_f8_e5m2},
};

#define LARGEST_BLOCK 256
_Static_assert(LARGEST_BLOCK >= SUPERBLOCKS_ELEMENTS && LARGEST_BLOCK >= BLOCKS32_ELEMENTS,
               "a part of a block is decoded through a buffer of one block");

size_t quants_count(void)
{
    return sizeof table / sizeof table[0];
}

const struct quants_format *quants_at(size_t i)
{
    return i < quants_count() ? &table[i] : NULL;
}

const struct quants_format *quants_by_id(uint32_t id)
{
    for (size_t i = 0; i < quants_count(); i++)
        if (table[i].id == id)
            return &table[i];
    return NULL;
}

const struct quants_format *quants_by_name(const char *name)
{
    for (size_t i = 0; i < quants_count(); i++)
        if (strcasecmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

bool quants_bytes(const struct quants_format *format, uint64_t elements, uint64_t *bytes)
{
    uint64_t product;
    if (elements % format->block_elements ||
        __builtin_mul_overflow(elements / format->block_elements, (uint64_t)format->block_bytes, &product))
        return false;
    *bytes = product;
    return true;
}

void quants_decode_range(const struct quants_format *format, const uint8_t *row, size_t first, size_t count,
                         float *out)
{
    size_t width = format->block_elements, skip = first % width;
    float block[LARGEST_BLOCK];
    const uint8_t *bytes = row + first / width * format->block_bytes;
    if (skip && count) {
        size_t part = width - skip < count ? width - skip : count;
        format->decode(bytes, 1, block);
        memcpy(out, block + skip, part * sizeof *out);
        bytes += format->block_bytes;
        out += part;
        count -= part;
    }
    size_t whole = count / width;
    format->decode(bytes, whole, out);
    if (count % width) {
        format->decode(bytes + whole * format->block_bytes, 1, block);
        memcpy(out + whole * width, block, count % width * sizeof *out);
    }
}

float quants_half(uint16_t bits)
{
    return half_to_float(bits);
}

float quants_bfloat(uint16_t bits)
{
    return half_bfloat_to_float(bits);
}
