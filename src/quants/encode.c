/* encode.c - which type has which encoder, and the three types without blocks; see encode.h. */
#include "encode.h"

#include "encode_blocks32.h"
#include "encode_superblocks.h"
#include "half.h"

static void encode_f32(const float *weights, size_t count, uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = half_to_bits(weights[i]);
        for (int b = 0; b < 4; b++)
            bytes[4 * i + (size_t)b] = (uint8_t)(bits >> (8 * b));
    }
}

static void encode_f16(const float *weights, size_t count, uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++)
        half_store(bytes + 2 * i, half_from_float(weights[i]));
}

static void encode_bf16(const float *weights, size_t count, uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++)
        half_store(bytes + 2 * i, half_bfloat_from_float(weights[i]));
}

static const struct {
    enum quants_type type;
    encode_function *encode;
    enum quants_type fallback;
} table[] = {
    {QUANTS_F32, encode_f32, QUANTS_F32},
    {QUANTS_F16, encode_f16, QUANTS_F16},
    {QUANTS_BF16, encode_bf16, QUANTS_BF16},
    {QUANTS_Q4_0, encode_blocks32_q4_0, QUANTS_F16},
    {QUANTS_Q4_1, encode_blocks32_q4_1, QUANTS_F16},
    {QUANTS_Q5_0, encode_blocks32_q5_0, QUANTS_F16},
    {QUANTS_Q5_1, encode_blocks32_q5_1, QUANTS_F16},
    {QUANTS_Q8_0, encode_blocks32_q8_0, QUANTS_F16},
    {QUANTS_Q2_K, encode_superblocks_q2_k, QUANTS_Q4_0},
    {QUANTS_Q3_K, encode_superblocks_q3_k, QUANTS_Q4_0},
    {QUANTS_Q4_K, encode_superblocks_q4_k, QUANTS_Q5_0},
    {QUANTS_Q5_K, encode_superblocks_q5_k, QUANTS_Q5_1},
    {QUANTS_Q6_K, encode_superblocks_q6_k, QUANTS_Q8_0},
};

#define COUNT (sizeof table / sizeof *table)

encode_function *encode_find(const struct quants_format *format)
{
    for (size_t i = 0; i < COUNT; i++)
        if ((uint32_t)table[i].type == format->id)
            return table[i].encode;
    return NULL;
}

const struct quants_format *encode_fallback(const struct quants_format *format, uint64_t columns)
{
    for (size_t i = 0; i < COUNT && columns % format->block_elements; i++)
        if ((uint32_t)table[i].type == format->id)
            return encode_fallback(quants_by_id((uint32_t)table[i].fallback), columns);
    return format;
}
