/* lanes_exp.h - exp and silu of a vector, one formula for every instruction set.
 *
 * exp(x) = 2^n exp(r), n = round(x / ln 2), r = x - n ln 2 in two steps (Cody & Waite 1980),
 * exp(r) by its Taylor polynomial of degree 7 (truncation below 0.05 ulp for |r| <= 0.3466), and 2^n
 * applied as two exact powers so that only the last product can round (results in the
 * denormal range round once). What rounding leaves out of r and of the last two sums is kept
 * in `rest`: without it silu is off by up to 3.34 ulp. Over all float32: exp at most 0.93 ulp,
 * silu at most 2.47 (tests/unit/test_kernels looks at a part of them).
 */
#ifndef PHI3SAT_KERNELS_LANES_EXP_H
#define PHI3SAT_KERNELS_LANES_EXP_H

#include "lanes.h"

/* exp(x) = (mantissa + rest) * first * second, |rest| below an ulp of mantissa; x in [-127, 89]
 * or NaN. */
struct lanes_power {
    lanes_f mantissa, rest, first, second;
};

static inline lanes_f lanes_two_to(lanes_i n)
{
    return (lanes_f)((n + 127) << 23);
}

static inline struct lanes_power lanes_exp_parts(lanes_f x)
{
    const lanes_f rounder = lanes_all(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */
    lanes_f shifted = x * 1.44269504f + rounder;
    lanes_i n = (lanes_i)shifted - (lanes_i)rounder;
    lanes_f whole = shifted - rounder;
    lanes_f r1 = lanes_fma(whole, lanes_all(-0.693359375f), x); /* exact */
    lanes_f r = lanes_fma(whole, lanes_all(2.12194440e-4f), r1);
    lanes_f r_rest = lanes_fma(whole, lanes_all(2.12194440e-4f), r1 - r);
    lanes_f p = lanes_all(1.0f / 5040.0f);
    p = lanes_fma(p, r, lanes_all(1.0f / 720.0f));
    p = lanes_fma(p, r, lanes_all(1.0f / 120.0f));
    p = lanes_fma(p, r, lanes_all(1.0f / 24.0f));
    p = lanes_fma(p, r, lanes_all(1.0f / 6.0f));
    p = lanes_fma(p, r, lanes_all(0.5f));
    p = lanes_fma(p, r * r, r_rest);
    lanes_f above = r + p, sum = 1.0f + above; /* exp(r) - 1, exp(r) */
    lanes_f rest = ((1.0f - sum) + above) + ((r - above) + p);
    n = (lanes_i)lanes_select(x == x, (lanes_f)n, (lanes_f)(n - n)); /* NaN: no power, sum is NaN */
    lanes_i half = n >> 1;
    struct lanes_power parts = {sum, rest, lanes_two_to(half), lanes_two_to(n - half)};
    return parts;
}

static inline lanes_f lanes_exp(lanes_f x)
{
    x = lanes_select(x > 89.0f, lanes_all(89.0f), x);     /* overflows to infinity  */
    x = lanes_select(x < -127.0f, lanes_all(-127.0f), x); /* underflows to zero     */
    struct lanes_power e = lanes_exp_parts(x);
    return e.mantissa * e.first * e.second;
}

/* g / (1 + exp(-g)); for g < 0 as g exp(g) / (1 + exp(g)), whose exponential can't overflow and
 * whose power of two is applied last. Below -127 the value is under half the smallest denormal: 0. */
static inline lanes_f lanes_silu(lanes_f g)
{
    lanes_f magnitude = lanes_magnitude(g);
    lanes_f x = -lanes_select(magnitude > 127.0f, lanes_all(127.0f), magnitude);
    struct lanes_power e = lanes_exp_parts(x);
    lanes_f exponential = e.mantissa * e.first * e.second; /* exp(-|g|), at most 1 */
    lanes_i negative = g < 0.0f;
    lanes_f numerator = lanes_select(negative, lanes_fma(g, e.mantissa, g * e.rest), g);
    lanes_f quotient = numerator / (1.0f + exponential);
    lanes_f small = quotient * e.first * e.second;
    small = lanes_select(g < -127.0f, lanes_all(0.0f), small);
    return lanes_select(negative, small, quotient);
}

#endif
