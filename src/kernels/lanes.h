/* lanes.h - vectors of the instruction set this file is compiled for.
 *
 * A lane source includes this, is compiled once per set, and names its symbols with
 * LANES(name). Vectors are GCC's portable ones: + - * / are IEEE, elementwise;
 * only fused multiply-add, square root and comparisons need a word here. LANES_WIDTH is 4
 * in the reference: any width gives the same bits, since no sum crosses lanes.
 */
#ifndef PHI3SAT_KERNELS_LANES_H
#define PHI3SAT_KERNELS_LANES_H

#include <stdint.h>
#include <string.h>

#include "kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define LANES_WIDTH 16
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define LANES_WIDTH 8
#elif defined(__aarch64__)
#include <arm_neon.h>
#define LANES_WIDTH 4
#else
#include <math.h>
#define LANES_WIDTH 4
#endif

/* Rows and panels of a tile of lanes_product.c: as many as the registers hold. */
#if LANES_WIDTH == 16
#define LANES_TILE_ROWS 14 /* 14 x 2 sums, 2 weights: 30 of 32 registers; the broadcast may be an operand */
#define LANES_TILE_PANELS 2
#else
#define LANES_TILE_ROWS 6 /* AVX2: 6 x 2 sums, 2 weights, 1 broadcast: 15 of 16 */
#define LANES_TILE_PANELS 1
#endif

#define LANES_JOIN_(a, b) a##_##b
#define LANES_JOIN(a, b) LANES_JOIN_(a, b)
#define LANES(name) LANES_JOIN(name, KERNEL_SET)

typedef float lanes_f __attribute__((vector_size(4 * LANES_WIDTH)));
typedef int32_t lanes_i __attribute__((vector_size(4 * LANES_WIDTH)));
typedef uint32_t lanes_u __attribute__((vector_size(4 * LANES_WIDTH))); /* wraps */
typedef double lanes_d __attribute__((vector_size(4 * LANES_WIDTH))); /* half as many */
typedef float lanes_h __attribute__((vector_size(2 * LANES_WIDTH)));  /* floats for one lanes_d */
#define LANES_DOUBLES (LANES_WIDTH / 2)

static inline lanes_f lanes_load(const float *p)
{
    lanes_f v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void lanes_store(float *p, lanes_f v)
{
    memcpy(p, &v, sizeof v);
}

static inline lanes_d lanes_load_doubles(const double *p)
{
    lanes_d v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void lanes_store_doubles(double *p, lanes_d v)
{
    memcpy(p, &v, sizeof v);
}

static inline lanes_f lanes_all(float x)
{
    return x - (lanes_f){0}; /* not x + 0: that would lose the sign of -0 */
}

/* bits of `yes` where mask is -1, of `no` where it is 0 */
static inline lanes_f lanes_select(lanes_i mask, lanes_f yes, lanes_f no)
{
#if defined(__AVX512F__)
    return (lanes_f)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)mask), (__m512)no, (__m512)yes);
#elif defined(__AVX2__) && defined(__FMA__)
    return (lanes_f)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
    return (lanes_f)((mask & (lanes_i)yes) | (~mask & (lanes_i)no));
#endif
}

/* a < b ? yes : no; NaN is less than nothing */
static inline lanes_f lanes_if_less(lanes_f a, lanes_f b, lanes_f yes, lanes_f no)
{
#if defined(__AVX512F__)
    return (lanes_f)_mm512_mask_blend_ps(_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ), (__m512)no, (__m512)yes);
#else
    return lanes_select(a < b, yes, no);
#endif
}

/* a > b ? a : b, which is b where either is NaN */
static inline lanes_f lanes_greater(lanes_f a, lanes_f b)
{
#if defined(__AVX512F__)
    return (lanes_f)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__) && defined(__FMA__)
    return (lanes_f)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return lanes_if_less(b, a, a, b);
#endif
}

static inline lanes_i lanes_index(void)
{
#if LANES_WIDTH == 16
    return (lanes_i){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif LANES_WIDTH == 8
    return (lanes_i){0, 1, 2, 3, 4, 5, 6, 7};
#else
    return (lanes_i){0, 1, 2, 3};
#endif
}

/* lane i ^ distance in lane i, for a constant power of two below LANES_WIDTH */
static inline __attribute__((always_inline)) lanes_f lanes_swap(lanes_f v, int distance)
{
#if LANES_WIDTH == 16
    if (distance == 8)
        return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    if (distance == 4)
        return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    if (distance == 2)
        return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
#elif LANES_WIDTH == 8
    if (distance == 4)
        return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    if (distance == 2)
        return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
#else
    if (distance == 2)
        return __builtin_shufflevector(v, v, 2, 3, 0, 1);
    return __builtin_shufflevector(v, v, 1, 0, 3, 2);
#endif
}

static inline lanes_f lanes_magnitude(lanes_f x)
{
    return (lanes_f)((lanes_i)x & (0x7fffffff - (lanes_i){0}));
}

/* a * b + c, rounded once */
static inline lanes_f lanes_fma(lanes_f a, lanes_f b, lanes_f c)
{
#if defined(__AVX512F__)
    return (lanes_f)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__) && defined(__FMA__)
    return (lanes_f)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (lanes_f)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    lanes_f r;
    for (int i = 0; i < LANES_WIDTH; i++)
        r[i] = fmaf(a[i], b[i], c[i]);
    return r;
#endif
}

static inline lanes_d lanes_fma_doubles(lanes_d a, lanes_d b, lanes_d c)
{
#if defined(__AVX512F__)
    return (lanes_d)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__) && defined(__FMA__)
    return (lanes_d)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
    return (lanes_d)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    lanes_d r;
    for (int i = 0; i < LANES_DOUBLES; i++)
        r[i] = fma(a[i], b[i], c[i]);
    return r;
#endif
}

static inline lanes_d lanes_widen(lanes_h x)
{
#if defined(__AVX512F__) /* GCC 12 splits the portable form in two */
    return (lanes_d)_mm512_cvtps_pd((__m256)x);
#elif defined(__AVX2__)
    return (lanes_d)_mm256_cvtps_pd((__m128)x);
#else
    return __builtin_convertvector(x, lanes_d);
#endif
}

#endif
