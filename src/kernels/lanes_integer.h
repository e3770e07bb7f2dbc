/* lanes_integer.h - what the integer precisions share: layouts, forms of the types, dot products.
 *
 * Both cut inputs into units of 256, of all weight types alike. A row's unit is 256 integers and one activation scale
 * (lanes_integer_pack.c); a panel's unit is 16 outputs' quants and scales (lanes_integer_decode.c). Sums of products
 * are integers that can't overflow, so the same whatever an instruction set makes of them; the few float operations
 * of a unit stand in lanes_int16.c and lanes_int8.c. Matrices that end within a unit are padded with quants, scales and
 * activations of 0.
 *
 * A step is what one dword holds: two inputs in 16 bits, or four in 8. Within each four inputs 4c .. 4c + 3
 * the 16-bit steps are (4c, 4c + 2) and (4c + 1, 4c + 3), which is how bytes fall apart with one mask.
 */
#ifndef PHI3SAT_KERNELS_LANES_INTEGER_H
#define PHI3SAT_KERNELS_LANES_INTEGER_H

#include "lanes_columns.h"

#define INTEGER_UNIT 256

/* Dwords of one row's unit, laid out [dword][rows of the tile]. */
enum {
    INT16_STEPS = 128,                    /* 2 activations each                                */
    INT16_SUMS32 = INT16_STEPS,           /* 8 floats: sums of 32 activations                    */
    INT16_SUMS16 = INT16_SUMS32 + 8,      /* 16 floats: sums of 16                             */
    INT16_SCALE = INT16_SUMS16 + 16,      /* float                                             */
    INT16_ROW = INT16_SCALE + 1,
    INT8_STEPS = 64,                      /* 4 activations each                                */
    INT8_PAIRS32 = INT8_STEPS,            /* 4 dwords: 8 sums of 32, 16 bits each                */
    INT8_PAIRS16 = INT8_PAIRS32 + 4,      /* 8 dwords: 16 sums of 16                             */
    INT8_SUMS32 = INT8_PAIRS16 + 8,       /* 8 floats: the sums of 32 once more                  */
    INT8_SCALE = INT8_SUMS32 + 8,         /* float                                             */
    INT8_ROW = INT8_SCALE + 1
};

/* Largest magnitudes of activations. */
#define INT16_LIMIT 32767
#define INT8_LIMIT 127

/* How a type's unit is scaled. Weight = scale * (q - offset) + minimum, with
 *   superblocks:  scale = d * integer, minimum = -dmin * integer, `subs` (8 or 16) of both
 *   blocks of 32: scale and minimum are 8 floats
 *
 * int16: `chunk` inputs' products with the largest |(q - offset) * integer scale| stay below 2^31:
 *   Q4_K 64 * 32767 * 15 * 63; Q5_K 32 * 32767 * 31 * 63; Q6_K 16 * 32767 * 32 * 128 = 2^31 - 2^16;
 *   Q2_K 256 * 32767 * 3 * 15; Q3_K 256 * 32767 * 4 * 32; blocks of 32: 32 * 32767 * 128.
 * int8: `group` steps of AVX2, which sums two of a step's four inputs into each half of a dword, stay below 2^15:
 *   2 * group * 127 * (largest q): Q4 8 steps 30480; Q5 4 steps 31496; Q6_K 2 steps 32004. */
struct integer_form {
    int subs;            /* sub-blocks that have a scale: 8 or 16                         */
    int blocks;          /* 1: a superblock; 8: blocks of 32 with float scales             */
    int offset;          /* subtracted from q                                          */
    int minima;          /* 1: weights have minima                                       */
    int chunk;           /* int16: inputs whose products one 32-bit sum surely holds        */
    int group;           /* int8: steps whose products 16 bits surely hold                  */
};

/* A panel's unit has so many rows of 16 dwords: the steps, then
 *   int16               [blocks] float d, [subs if minima] float minima as they are added
 *   int8, superblock    [subs] scales, [subs / 2] pairs of minima or offsets, float d, float of the pairs
 *   int8, blocks of 32  [8] float d, [8] float minima                                       */
#define INT16_PANEL_ROWS(form) (INT16_STEPS + (form).blocks + ((form).minima ? (form).subs : 0))
#define INT8_PANEL_ROWS(form) (INT8_STEPS + ((form).blocks == 8 ? 16 : (form).subs + (form).subs / 2 + 2))

/* The form of a type, and its rows as constants: members of a constant struct are none in standard C. */
#define INTEGER_FORM(type, subs, blocks, offset, minima, chunk, group)                                                 \
    static const struct integer_form integer_##type = {subs, blocks, offset, minima, chunk, group};                    \
    enum {                                                                                                             \
        INT16_##type##_ROWS = INT16_STEPS + (blocks) + ((minima) ? (subs) : 0),                                        \
        INT8_##type##_ROWS = INT8_STEPS + ((blocks) == 8 ? 16 : (subs) + (subs) / 2 + 2)                               \
    }

INTEGER_FORM(q4_k, 8, 1, 0, 1, 64, 8);
INTEGER_FORM(q5_k, 8, 1, 0, 1, 32, 4);
INTEGER_FORM(q6_k, 16, 1, 32, 0, 16, 2);
INTEGER_FORM(q2_k, 16, 1, 0, 1, 256, 4);
INTEGER_FORM(q3_k, 16, 1, 4, 0, 256, 4);
INTEGER_FORM(q4_0, 8, 8, 8, 0, 32, 8);
INTEGER_FORM(q4_1, 8, 8, 0, 1, 32, 8);
INTEGER_FORM(q5_0, 8, 8, 16, 0, 32, 4);
INTEGER_FORM(q5_1, 8, 8, 0, 1, 32, 4);
INTEGER_FORM(q8_0, 8, 8, 128, 0, 32, 0); /* int16 only: its quants fill 8 bits */

/* LANES_WIDTH rows of a unit as taken from their blocks. */
struct integer_unit {
    lanes_u q[64];        /* four quants of 0..255 each, inputs 4i .. 4i + 3                 */
    lanes_i scale[16];    /* superblocks: integer scales and minima of the sub-blocks         */
    lanes_i minimum[16];
    lanes_f d[8], m[8];   /* superblocks: d[0] = d, m[0] = dmin; blocks: scales and minima   */
};

#if defined(PLAIN_512) /* on plain vectors every tile unrolled takes a compiler minutes */
#define INTEGER_INLINE static __attribute__((unused))
#else
#define INTEGER_INLINE static inline __attribute__((always_inline))
#endif
#define INTEGER_VECTORS (KERNELS_PANEL / LANES_WIDTH) /* registers across a panel */

typedef int16_t lanes_w __attribute__((vector_size(4 * LANES_WIDTH)));

INTEGER_INLINE lanes_i integer_load(const void *p)
{
    lanes_i v;
    memcpy(&v, p, sizeof v);
    return v;
}

INTEGER_INLINE void integer_store(void *p, lanes_i v)
{
    memcpy(p, &v, sizeof v);
}

INTEGER_INLINE lanes_i integer_all(int32_t x)
{
    return x - (lanes_i){0};
}

INTEGER_INLINE lanes_f integer_floats(lanes_i v)
{
    return __builtin_convertvector(v, lanes_f);
}

/* Inputs of unit n: what pads the matrix's last one is not multiplied. */
INTEGER_INLINE int integer_inputs(size_t inputs, size_t n)
{
    size_t left = inputs - n * INTEGER_UNIT;
    return left < INTEGER_UNIT ? (int)left : INTEGER_UNIT;
}

/* Totals that wait in memory while a loop needs all registers: the compiler would keep them in registers, and spill the
 * loop's own sums. To be called on both sides of the loop. */
INTEGER_INLINE void integer_in_memory(void *totals)
{
    __asm__ volatile("" : : "r"(totals) : "memory");
}

/* sum + a's lower half * b's lower half + a's upper half * b's upper half, in each dword. */
INTEGER_INLINE lanes_i integer_add_pairs(lanes_i sum, lanes_i a, lanes_i b)
{
#if defined(__AVX512VNNI__) && !defined(PLAIN_512)
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b)); /* GCC 12 spills around the intrinsic */
    return sum;
#elif defined(__AVX2__) && LANES_WIDTH == 8
    lanes_i products; /* as one statement: GCC 12 would move products apart from sums until registers run out */
    __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sum), "=&x"(products) : "x"(a), "x"(b));
    return sum;
#elif defined(__aarch64__)
    int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y)), high = vmull_high_s16(x, y);
    return (lanes_i)vaddq_s32((int32x4_t)sum, vpaddq_s32(low, high));
#else
    return sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

/* A group's sum, in the form that the instruction set has for it: 32 bits, or with AVX2 two of 16 bits. */

/* part + a step's four products of quants `q`, 0..127, and signed activations `x`. */
INTEGER_INLINE lanes_i integer_part_add(lanes_i part, lanes_i q, lanes_i x)
{
#if defined(__AVX512VNNI__) && !defined(PLAIN_512)
    __asm__("vpdpbusd %2, %1, %0" : "+v"(part) : "v"(q), "v"(x));
    return part;
#elif defined(__AVX2__) && LANES_WIDTH == 8
    lanes_i products;
    __asm__("vpmaddubsw %3, %2, %1\n\tvpaddw %1, %0, %0" : "+x"(part), "=&x"(products) : "x"(q), "x"(x));
    return part;
#elif defined(__aarch64__)
    int8x16_t a = (int8x16_t)q, b = (int8x16_t)x;
    int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b))), high = vpaddlq_s16(vmull_high_s8(a, b));
    return (lanes_i)vaddq_s32((int32x4_t)part, vpaddq_s32(low, high));
#else
    for (int t = 0; t < 4; t++)
        part += (lanes_i)((lanes_u)q >> 8 * t & 255) * (x << (24 - 8 * t) >> 24);
    return part;
#endif
}

/* What integer_part_total wants for a scale. */
INTEGER_INLINE lanes_i integer_part_scale(lanes_i scale)
{
#if defined(__AVX2__) && LANES_WIDTH == 8
    return (scale & 0xffff) | scale << 16;
#else
    return scale;
#endif
}

/* total + the part's sum * scale */
INTEGER_INLINE lanes_i integer_part_total(lanes_i total, lanes_i part, lanes_i scale)
{
#if defined(__AVX2__) && LANES_WIDTH == 8
    return integer_add_pairs(total, part, scale);
#else
    return total + part * scale;
#endif
}

#endif
