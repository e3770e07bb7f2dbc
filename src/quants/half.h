/* half.h - 16-bit floats to float32 and back, inline, for the inner loops of decoders and encoders.
 *
 *   half      s eeeee mmmmmmmmmm          (-1)^s 2^(e-15) 1.m,  e 0: 2^-14 0.m
 *   bfloat16  s eeeeeeee mmmmmmm          the upper half of a float32
 *   float32   s eeeeeeee mmm mmmmmmmmmmmmmmmmmmmm
 *
 * Every half is a float32 exactly, so no rounding takes place anywhere. The
 * three cases are computed side by side and selected, which compilers turn
 * into vector code; branches would keep an F16 matrix scalar. A subnormal
 * half is an integer times 2^-24: converting the integer needs no float32
 * subnormal, so the bits don't depend on a flush-to-zero mode.
 */
#ifndef PHI3SAT_QUANTS_HALF_H
#define PHI3SAT_QUANTS_HALF_H

#include <stdint.h>
#include <string.h>

static inline float half_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t half_to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* All bits set where `held`: selects by masks, which gcc 12 vectorises at -O2 where it
 * would turn ?: into jumps. */
static inline uint32_t half_mask(int held)
{
    return (uint32_t)-held;
}

static inline float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t rest = half & 0x7fffu;
    uint32_t normal = (rest << 13) + ((127u - 15u) << 23);
    uint32_t subnormal = half_to_bits((float)(int32_t)rest * 0x1p-24f);
    uint32_t special = (rest << 13) | 0x7f800000u | (0x00400000u & half_mask(rest > 0x7c00u));
    uint32_t is_small = half_mask(rest < 0x0400u), is_special = half_mask(rest >= 0x7c00u);
    uint32_t finite = (subnormal & is_small) | (normal & ~is_small);
    return half_from_bits(sign | (special & is_special) | (finite & ~is_special));
}

static inline float half_bfloat_to_float(uint16_t bfloat)
{
    uint32_t quiet = (bfloat & 0x7fffu) > 0x7f80u ? 0x00400000u : 0u;
    return half_from_bits((uint32_t)bfloat << 16 | quiet);
}

/* The nearest half, ties to even; infinity from 65520 on, NaN stays NaN. */
static inline uint16_t half_from_float(float value)
{
    uint32_t bits = half_to_bits(value), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (rest >= 0x477ff000u)
        return (uint16_t)(sign | 0x7c00u);
    if (rest < 0x38800000u) /* below 2^-14: adding 0.5 leaves units of 2^-24 in the last place */
        return (uint16_t)(sign | (half_to_bits(half_from_bits(rest) + 0.5f) - half_to_bits(0.5f)));
    return (uint16_t)(sign | (rest - (112u << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13);
}

/* The nearest bfloat16, ties to even; NaN stays NaN. */
static inline uint16_t half_bfloat_from_float(float value)
{
    uint32_t bits = half_to_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static inline void half_store(uint8_t bytes[2], uint16_t half)
{
    bytes[0] = (uint8_t)half;
    bytes[1] = (uint8_t)(half >> 8);
}

/* Two bytes of a file, little-endian. */
static inline uint16_t half_load(const uint8_t bytes[2])
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

#endif
