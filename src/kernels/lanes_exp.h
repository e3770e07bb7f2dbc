/* lanes_exp.h - exp and silu of a vector, one formula for every instruction set.
 *
 * exp(x) = 2^n exp(r), n = round(x / ln 2), r = x - n ln 2 in two steps (Cody & Waite 1980),
 * exp(r) by its Taylor polynomial of degree 7 (truncation below 0.05 ulp for |r| <= 0.3466), and 2^n
 * applied as two exact powers so that only the last product can round (results in the
 * denormal range round once). What rounding leaves out of r and of the last two sums is kept
 * in `rest`: without it silu is off by up to 3.34 ulp. Over all float32: exp at most 0.93 ulp,
 * silu at most 2.47 (tests/unit/test_kernels looks at a part of them).
 *
 * Each is one chain of some 20 dependent operations, and a processor's scheduler holds
 * about two such chains: written one vector after the other, a core waits more than it works.
 * So `count` vectors go through every step together.
 */
#ifndef PHI3SAT_KERNELS_LANES_EXP_H
#define PHI3SAT_KERNELS_LANES_EXP_H

#include "lanes.h"

#define LANES_TOGETHER 4
#define LANES_EACH(i) for (int i = 0; i < count; i++)

/* exp(x) = (mantissa + rest) * 2^n, |rest| below an ulp of mantissa; x in [-127, 89], or NaN: then n
 * is anything, and mantissa and rest are NaN and stay it. */
struct lanes_power {
    lanes_f mantissa[LANES_TOGETHER], rest[LANES_TOGETHER];
    lanes_i n[LANES_TOGETHER];
};

static inline lanes_f lanes_two_to(lanes_i n)
{
    return (lanes_f)(((lanes_u)n + 127) << 23);
}

/* x * 2^n for n in [-184, 129] and x near 1: only the last product can round */
static inline lanes_f lanes_scale(lanes_f x, lanes_i n)
{
    lanes_i half = n >> 1;
    return x * lanes_two_to(half) * lanes_two_to(n - half);
}

/* 1/2! + r/3! + ... + r^5/7! */
static inline __attribute__((always_inline)) void lanes_exp_series(int count, const lanes_f *r, lanes_f *p)
{
    static const float coefficient[] = {1.0f / 720.0f, 1.0f / 120.0f, 1.0f / 24.0f, 1.0f / 6.0f, 0.5f};
    LANES_EACH(i) p[i] = lanes_all(1.0f / 5040.0f);
#pragma GCC unroll 5
    for (int k = 0; k < 5; k++)
        LANES_EACH(i) p[i] = lanes_fma(p[i], r[i], lanes_all(coefficient[k]));
}

static inline __attribute__((always_inline)) void lanes_exp_parts(int count, const lanes_f *x, struct lanes_power *e)
{
    const lanes_f rounder = lanes_all(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */
    lanes_f shifted[LANES_TOGETHER], whole[LANES_TOGETHER], r1[LANES_TOGETHER], r[LANES_TOGETHER];
    lanes_f r_rest[LANES_TOGETHER], p[LANES_TOGETHER], above[LANES_TOGETHER];
    LANES_EACH(i) shifted[i] = x[i] * 1.44269504f + rounder;
    LANES_EACH(i) whole[i] = shifted[i] - rounder;
    LANES_EACH(i) r1[i] = lanes_fma(whole[i], lanes_all(-0.693359375f), x[i]); /* exact */
    LANES_EACH(i) r[i] = lanes_fma(whole[i], lanes_all(2.12194440e-4f), r1[i]);
    LANES_EACH(i) r_rest[i] = lanes_fma(whole[i], lanes_all(2.12194440e-4f), r1[i] - r[i]);
    lanes_exp_series(count, r, p);
    LANES_EACH(i) p[i] = lanes_fma(p[i], r[i] * r[i], r_rest[i]);
    LANES_EACH(i) above[i] = r[i] + p[i]; /* exp(r) - 1 */
    LANES_EACH(i) e->mantissa[i] = 1.0f + above[i];
    LANES_EACH(i) e->rest[i] = ((1.0f - e->mantissa[i]) + above[i]) + ((r[i] - above[i]) + p[i]);
    LANES_EACH(i) e->n[i] = (lanes_i)((lanes_u)shifted[i] - (lanes_u)rounder);
}

/* x = exp(x) */
static inline __attribute__((always_inline)) void lanes_exp(int count, lanes_f *x)
{
    const lanes_f lowest = lanes_all(-127.0f), highest = lanes_all(89.0f); /* these underflow and overflow */
    struct lanes_power e;
    LANES_EACH(i) x[i] = lanes_if_less(highest, x[i], highest, lanes_greater(lowest, x[i]));
    lanes_exp_parts(count, x, &e);
    LANES_EACH(i) x[i] = lanes_scale(e.mantissa[i], e.n[i]);
}

/* x = exp(x) where x <= 0 or NaN, for softmax: below -86 it is 0, so that one power of two does and
 * nothing is ever denormal. The same bits as lanes_exp from there up. */
static inline __attribute__((always_inline)) void lanes_exp_weight(int count, lanes_f *x)
{
    const lanes_f lowest = lanes_all(-86.0f), zero = lanes_all(0.0f);
    struct lanes_power e;
    lanes_exp_parts(count, x, &e);
    LANES_EACH(i) x[i] = lanes_if_less(x[i], lowest, zero, e.mantissa[i] * lanes_two_to(e.n[i]));
}

/* g = silu(g) = g / (1 + exp(-g)); for g < 0 as g exp(g) / (1 + exp(g)), whose exponential can't overflow and
 * whose power of two is applied last. Below -127 the value is under half the smallest denormal: 0. */
static inline __attribute__((always_inline)) void lanes_silu(int count, lanes_f *g)
{
    const lanes_f zero = lanes_all(0.0f), lowest = lanes_all(-127.0f);
    lanes_f x[LANES_TOGETHER], quotient[LANES_TOGETHER], small[LANES_TOGETHER];
    struct lanes_power e;
    LANES_EACH(i) x[i] = lanes_greater(lowest, -lanes_magnitude(g[i]));
    lanes_exp_parts(count, x, &e);
    LANES_EACH(i)
    {
        lanes_f exponential = lanes_scale(e.mantissa[i], e.n[i]); /* exp(-|g|), at most 1 */
        lanes_f numerator = lanes_fma(g[i], e.mantissa[i], g[i] * e.rest[i]);
        quotient[i] = lanes_if_less(g[i], zero, numerator, g[i]) / (1.0f + exponential);
    }
    LANES_EACH(i) small[i] = lanes_scale(quotient[i], e.n[i]);
    LANES_EACH(i) small[i] = lanes_if_less(g[i], lowest, zero, small[i]);
    LANES_EACH(i) g[i] = lanes_if_less(g[i], zero, small[i], quotient[i]);
}

#endif
