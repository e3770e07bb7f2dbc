/* plain.c - decodes F32, F16, BF16, F64 and 8-bit float weights; see plain.h.
 *
 * The bytes are little-endian whatever the machine: they are put together by
 * shifts, which compilers recognise as plain loads. F32 keeps its bits, a
 * signalling NaN included: nothing is computed with it here.
 */
#include "plain.h"

#include "half.h"

void plain_f32(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (blocks)
        memcpy(out, bytes, blocks * sizeof *out);
#else
    for (size_t i = 0; i < blocks; i++)
        out[i] = half_from_bits((uint32_t)half_load(bytes + 4 * i) | (uint32_t)half_load(bytes + 4 * i + 2) << 16);
#endif
}

/* Weights are converted in groups of a fixed size, for which compilers make vector
 * code at -O2, and the rest one by one. */
#define GROUP 32

static void load_group(const uint8_t *bytes, uint16_t halves[GROUP])
{
    for (int i = 0; i < GROUP; i++)
        halves[i] = half_load(bytes + 2 * i);
}

void plain_f16(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    uint16_t halves[GROUP];
    for (; blocks >= GROUP; blocks -= GROUP, bytes += 2 * GROUP, out += GROUP) {
        load_group(bytes, halves);
        for (int i = 0; i < GROUP; i++)
            out[i] = half_to_float(halves[i]);
    }
    for (size_t i = 0; i < blocks; i++)
        out[i] = half_to_float(half_load(bytes + 2 * i));
}

void plain_bf16(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    uint16_t halves[GROUP];
    for (; blocks >= GROUP; blocks -= GROUP, bytes += 2 * GROUP, out += GROUP) {
        load_group(bytes, halves);
        for (int i = 0; i < GROUP; i++)
            out[i] = half_bfloat_to_float(halves[i]);
    }
    for (size_t i = 0; i < blocks; i++)
        out[i] = half_bfloat_to_float(half_load(bytes + 2 * i));
}

void plain_f64(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    for (size_t i = 0; i < blocks; i++) {
        uint64_t bits = 0;
        double value;
        for (int k = 0; k < 4; k++)
            bits |= (uint64_t)half_load(bytes + 8 * i + 2 * k) << 16 * k;
        memcpy(&value, &bits, sizeof value);
        out[i] = (float)value;
    }
}

void plain_f8_e4m3(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    for (size_t i = 0; i < blocks; i++) {
        const uint32_t sign = (uint32_t)(bytes[i] & 0x80u) << 24, rest = bytes[i] & 0x7fu;
        const uint32_t small = half_to_bits((float)(int32_t)rest * 0x1p-9f), normal = (rest << 20) + (120u << 23);
        out[i] = half_from_bits(sign | (rest == 0x7fu ? 0x7fc00000u : rest < 8 ? small : normal));
    }
}

void plain_f8_e5m2(const uint8_t *restrict bytes, size_t blocks, float *restrict out)
{
    for (size_t i = 0; i < blocks; i++)
        out[i] = half_to_float((uint16_t)(bytes[i] << 8));
}
