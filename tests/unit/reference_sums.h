/* reference_sums.h - what the statistics are tested against.
 *
 * reference_sums_add fills struct sums by the formulas at the head of stats/sums.h, one lane
 * and one value at a time. struct reference holds the moments of the same float32 values by
 * two passes in __float128 (113 bits; long double elsewhere), which shares no formula with
 * stats/moments.c.
 */
#ifndef PHI3SAT_TESTS_REFERENCE_SUMS_H
#define PHI3SAT_TESTS_REFERENCE_SUMS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/sums.h"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 reference_real;
#else
typedef long double reference_real;
#endif

/* xorshift64*. Seeded, so that a failure comes again. */
static uint64_t reference_state = 88172645463325252u;

static inline uint64_t reference_random(void)
{
    reference_state ^= reference_state >> 12;
    reference_state ^= reference_state << 25;
    reference_state ^= reference_state >> 27;
    return reference_state * 2685821657736338717u;
}

/* Uniform in [0, 1). */
static inline double reference_uniform(void)
{
    return (double)(reference_random() >> 11) * 0x1p-53;
}

/* Nearly normal: mean 0, variance 1. */
static inline double reference_normal(void)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++)
        sum += reference_uniform();
    return sum;
}

static inline void reference_add_exactly(double *high, double *low, double x)
{
    double sum = *high + x, back = sum - *high;
    *low += (*high - (sum - back)) + (x - back);
    *high = sum;
}

/* One finite value, at position `here`. */
static inline void reference_add_value(struct sums *s, int lane, float v, float threshold, int32_t here)
{
    if (s->extreme_position[lane] < 0)
        s->centre[lane] = v;
    double d = (double)v - (double)s->centre[lane], square = d * d;
    s->part[0][lane] += d;
    s->part[1][lane] += square;
    s->part[2][lane] = fma(square, d, s->part[2][lane]);
    s->part[3][lane] = fma(square, square, s->part[3][lane]);
    s->min[lane] = v < s->min[lane] ? v : s->min[lane];
    s->max[lane] = v > s->max[lane] ? v : s->max[lane];
    if (s->extreme_position[lane] < 0 || fabsf(v) > fabsf(s->extreme[lane])) {
        s->extreme[lane] = v;
        s->extreme_position[lane] = here;
    }
    s->low_activity[lane] += fabsf(v) < threshold;
    s->inactive[lane] += v < threshold;
}

/* Adds x[n], tokens position, position + 1, ..., to one lane. */
static inline void reference_sums_add(struct sums *s, int lane, const float *x, size_t n, float threshold,
                                      int32_t position)
{
    for (size_t i = 0; i < n; i++) {
        float v = x[i] + 0.0f;
        int32_t here = position + (int32_t)i;
        if (fabsf(v) < SUMS_LIMIT)
            reference_add_value(s, lane, v, threshold, here);
        else if (s->nonfinite[lane]++ == 0)
            s->nonfinite_position[lane] = here;
        for (int k = 0; here % SUMS_GROUP == SUMS_GROUP - 1 && k < 4; k++) {
            reference_add_exactly(&s->high[k][lane], &s->low[k][lane], s->part[k][lane]);
            s->part[k][lane] = 0.0;
        }
    }
}

struct reference {
    size_t count; /* values below 2^24 in magnitude */
    double mean, variance, skewness, kurtosis;
};

static inline struct reference reference_moments(const float *x, size_t n)
{
    struct reference r = {0};
    reference_real sum = 0, m2 = 0, m3 = 0, m4 = 0;
    for (size_t i = 0; i < n; i++)
        if (fabsf(x[i]) < SUMS_LIMIT) {
            sum += (reference_real)x[i];
            r.count++;
        }
    reference_real count = (reference_real)r.count, mean = sum / count;
    for (size_t i = 0; i < n; i++)
        if (fabsf(x[i]) < SUMS_LIMIT) {
            reference_real d = (reference_real)x[i] - mean, d2 = d * d;
            m2 += d2;
            m3 += d2 * d;
            m4 += d2 * d2;
        }
    m2 /= count;
    r.mean = (double)mean;
    r.variance = (double)m2;
    r.skewness = (double)(m3 / count / m2) / sqrt((double)m2);
    r.kurtosis = (double)(m4 / count / m2 / m2 - 3);
    return r;
}

#endif
