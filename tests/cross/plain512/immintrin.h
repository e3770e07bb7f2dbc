/* immintrin.h - the AVX-512 intrinsics that src/kernels uses, in plain vectors.
 *
 * For tests/cross/avx512.t: what the AVX-512 sources compute is seen on machines without AVX-512. Each function does what
 * Intel's Intrinsics Guide says of the one of that name. PLAIN_512 is defined for the few places that would use an
 * instruction by name. Slow; only what is used is here: an intrinsic that is missing does not compile.
 */
#ifndef PLAIN512_IMMINTRIN_H
#define PLAIN512_IMMINTRIN_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../../src/quants/half.h"

#define PLAIN_512 1

typedef float __m512 __attribute__((vector_size(64), may_alias));
typedef double __m512d __attribute__((vector_size(64), may_alias));
typedef long long __m512i __attribute__((vector_size(64), may_alias));
typedef float __m256 __attribute__((vector_size(32), may_alias));
typedef long long __m256i __attribute__((vector_size(32), may_alias));
typedef long long __m256i_u __attribute__((vector_size(32), may_alias, aligned(1)));
typedef long long __m128i __attribute__((vector_size(16), may_alias));
typedef long long __m128i_u __attribute__((vector_size(16), may_alias, aligned(1)));
typedef uint16_t __mmask16;
typedef uint8_t __mmask8;

typedef uint32_t plain512_u32 __attribute__((vector_size(64), may_alias));
typedef int32_t plain512_i32 __attribute__((vector_size(64), may_alias));
typedef uint64_t plain512_u64 __attribute__((vector_size(64), may_alias));
typedef uint16_t plain512_u16 __attribute__((vector_size(32), may_alias));

#define PLAIN static inline __attribute__((unused))

PLAIN __m128i _mm_loadu_si128(const __m128i_u *p)
{
    __m128i v;
    memcpy(&v, p, sizeof v);
    return v;
}

PLAIN __m256i _mm256_loadu_si256(const __m256i_u *p)
{
    __m256i v;
    memcpy(&v, p, sizeof v);
    return v;
}

PLAIN __m512i _mm512_castsi128_si512(__m128i a)
{
    __m512i r = {0};
    memcpy(&r, &a, sizeof a);
    return r;
}

PLAIN __m512i _mm512_inserti32x4(__m512i a, __m128i b, int where)
{
    memcpy((char *)&a + 16 * where, &b, sizeof b);
    return a;
}

PLAIN __m512i plain512_unpack32(__m512i a, __m512i b, int high)
{
    plain512_u32 x = (plain512_u32)a, y = (plain512_u32)b, r = {0};
    for (int lane = 0; lane < 16; lane += 4)
        for (int i = 0; i < 2; i++) {
            r[lane + 2 * i] = x[lane + 2 * high + i];
            r[lane + 2 * i + 1] = y[lane + 2 * high + i];
        }
    return (__m512i)r;
}

PLAIN __m512i plain512_unpack64(__m512i a, __m512i b, int high)
{
    plain512_u64 x = (plain512_u64)a, y = (plain512_u64)b, r = {0};
    for (int lane = 0; lane < 8; lane += 2) {
        r[lane] = x[lane + high];
        r[lane + 1] = y[lane + high];
    }
    return (__m512i)r;
}

#define _mm512_unpacklo_epi32(a, b) plain512_unpack32(a, b, 0)
#define _mm512_unpackhi_epi32(a, b) plain512_unpack32(a, b, 1)
#define _mm512_unpacklo_epi64(a, b) plain512_unpack64(a, b, 0)
#define _mm512_unpackhi_epi64(a, b) plain512_unpack64(a, b, 1)

PLAIN __m512 _mm512_setr_ps(float a, float b, float c, float d, float e, float f, float g, float h, float i, float j, float k,
                            float l, float m, float n, float o, float p)
{
    __m512 r = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};
    return r;
}

PLAIN __m512 _mm512_permutexvar_ps(__m512i index, __m512 a)
{
    plain512_u32 at = (plain512_u32)index;
    __m512 r = a;
    for (int i = 0; i < 16; i++)
        r[i] = a[at[i] & 15];
    return r;
}

PLAIN __m512 _mm512_fmadd_ps(__m512 a, __m512 b, __m512 c)
{
    for (int i = 0; i < 16; i++)
        c[i] = fmaf(a[i], b[i], c[i]);
    return c;
}

PLAIN __m512d _mm512_fmadd_pd(__m512d a, __m512d b, __m512d c)
{
    for (int i = 0; i < 8; i++)
        c[i] = fma(a[i], b[i], c[i]);
    return c;
}

/* The second operand where either is NaN or both are zero. */
PLAIN __m512 _mm512_max_ps(__m512 a, __m512 b)
{
    for (int i = 0; i < 16; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
    return b;
}

PLAIN __m512 _mm512_min_ps(__m512 a, __m512 b)
{
    for (int i = 0; i < 16; i++)
        b[i] = a[i] < b[i] ? a[i] : b[i];
    return b;
}

PLAIN __mmask16 _mm512_movepi32_mask(__m512i a)
{
    plain512_u32 x = (plain512_u32)a;
    unsigned mask = 0;
    for (int i = 0; i < 16; i++)
        mask |= x[i] >> 31 << i;
    return (__mmask16)mask;
}

PLAIN __m512 _mm512_mask_blend_ps(__mmask16 mask, __m512 a, __m512 b)
{
    for (int i = 0; i < 16; i++)
        a[i] = mask >> i & 1 ? b[i] : a[i];
    return a;
}

PLAIN __m512d _mm512_cvtps_pd(__m256 a)
{
    __m512d r = {0};
    for (int i = 0; i < 8; i++)
        r[i] = a[i];
    return r;
}

PLAIN __m256i _mm512_cvtepi32_epi16(__m512i a)
{
    plain512_u32 x = (plain512_u32)a;
    plain512_u16 r = {0};
    for (int i = 0; i < 16; i++)
        r[i] = (uint16_t)x[i];
    return (__m256i)r;
}

PLAIN __m512 _mm512_cvtph_ps(__m256i a)
{
    plain512_u16 x = (plain512_u16)a;
    __m512 r = {0};
    for (int i = 0; i < 16; i++)
        r[i] = half_to_float(x[i]);
    return r;
}

/* Predicates as they are numbered in Intel's manual, volume 2, CMPPS. */
#define _CMP_EQ_OQ 0
#define _CMP_LT_OS 1
#define _CMP_LE_OS 2
#define _CMP_UNORD_Q 3
#define _CMP_LT_OQ 17
#define _CMP_LE_OQ 18
#define _CMP_GE_OQ 29
#define _CMP_GT_OQ 30

PLAIN int plain512_compare(float a, float b, int how)
{
    switch (how) {
    case _CMP_EQ_OQ:
        return a == b;
    case _CMP_LT_OS:
    case _CMP_LT_OQ:
        return a < b;
    case _CMP_LE_OS:
    case _CMP_LE_OQ:
        return a <= b;
    case _CMP_UNORD_Q:
        return isnan(a) || isnan(b);
    case _CMP_GE_OQ:
        return a >= b;
    case _CMP_GT_OQ:
        return a > b;
    default:
        __builtin_trap();
    }
}

PLAIN __mmask16 _mm512_cmp_ps_mask(__m512 a, __m512 b, int how)
{
    unsigned mask = 0;
    for (int i = 0; i < 16; i++)
        mask |= (unsigned)plain512_compare(a[i], b[i], how) << i;
    return (__mmask16)mask;
}

#endif
