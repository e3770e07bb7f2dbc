/* moments.c - from exact integers to float64, with no cancellation left to harm.
 *
 * The numerators n^k m_k are formed in integers (formulas in moments.h), converted
 * once and divided; only the last few float64 operations round. What the grid could not
 * hold is missing, by bounds that the state itself gives:
 *     |S1| <= n M,  S2 <= n M^2,  |S3| <= S2 M,  S4 <= S2 M^2,   M = max(|min|, |max|).
 * A variance that lies below the grid's resolution says nothing about shape:
 * skewness and kurtosis are then missing.
 */
#include "moments.h"

#include <math.h>

#include "wide.h"

/* Below this share of the mean square, or this absolute value, a variance is not told from
 * rounding: a prompt's pairs carry about n 2^-106 of the mean square, and the grid's last bit
 * of x^2 is 2^-112 a prompt. */
#define FLOOR_RELATIVE 0x1p-80
#define FLOOR_ABSOLUTE 0x1p-111

struct exact {
    struct wide s[4]; /* sums of x^k as integers of scale accumulator_scale[k-1] */
    struct wide n;
};

static double range(int k)
{
    return ldexp(1.0, 191 - accumulator_scale[k - 1]);
}

/* Highest power whose sum is surely within its range: 0, 1, 2, 3 or 4. */
static int powers_held(const struct exact *x, double n, double largest)
{
    if (n * largest >= range(1))
        return 0;
    if (n * largest * largest >= range(2))
        return 1;
    double square = wide_to_double(&x->s[1], accumulator_scale[1]);
    if (square * largest >= range(3))
        return 2;
    return square * largest * largest >= range(4) ? 3 : 4;
}

/* a * b, shifted from scale `from` to scale `to`. */
static struct wide product(const struct wide *a, const struct wide *b, int from, int to)
{
    struct wide r = wide_multiply(a, b);
    return wide_shift(&r, to - from);
}

static struct wide times(const struct wide *a, uint64_t factor)
{
    struct wide f = wide_from_unsigned(factor);
    return wide_multiply(a, &f);
}

/* n^2 m2 at scale 256. */
static struct wide second(const struct exact *x)
{
    struct wide a = product(&x->n, &x->s[1], 112, 256);
    struct wide b = wide_multiply(&x->s[0], &x->s[0]);
    return wide_subtract(&a, &b);
}

/* n^3 m3 at scale 384. */
static struct wide third(const struct exact *x)
{
    struct wide n2 = wide_multiply(&x->n, &x->n);
    struct wide a = product(&n2, &x->s[2], 104, 384);
    struct wide ns1 = wide_multiply(&x->n, &x->s[0]);
    struct wide b = product(&ns1, &x->s[1], 240, 384);
    b = times(&b, 3);
    struct wide s1s1 = wide_multiply(&x->s[0], &x->s[0]);
    struct wide c = wide_multiply(&s1s1, &x->s[0]);
    c = times(&c, 2);
    a = wide_subtract(&a, &b);
    return wide_add(&a, &c);
}

/* n^4 m4 at scale 512. */
static struct wide fourth(const struct exact *x)
{
    struct wide n2 = wide_multiply(&x->n, &x->n);
    struct wide n3 = wide_multiply(&n2, &x->n);
    struct wide s1s1 = wide_multiply(&x->s[0], &x->s[0]);
    struct wide a = product(&n3, &x->s[3], 88, 512);
    struct wide n2s1 = wide_multiply(&n2, &x->s[0]);
    struct wide b = product(&n2s1, &x->s[2], 232, 512);
    b = times(&b, 4);
    struct wide ns1s1 = wide_multiply(&x->n, &s1s1);
    struct wide c = product(&ns1s1, &x->s[1], 368, 512);
    c = times(&c, 6);
    struct wide d = wide_multiply(&s1s1, &s1s1);
    d = times(&d, 3);
    a = wide_subtract(&a, &b);
    c = wide_subtract(&c, &d);
    return wide_add(&a, &c);
}

static void shape_moments(const struct exact *x, int powers, double n, struct moments *m)
{
    struct wide numerator = second(x);
    double m2 = numerator.negative ? 0.0 : wide_to_double(&numerator, 256) / n / n;
    double mean_square = wide_to_double(&x->s[1], accumulator_scale[1]) / n;
    m->variance = m2;
    if (m2 <= FLOOR_ABSOLUTE || m2 <= mean_square * FLOOR_RELATIVE)
        return;
    if (powers >= 3) {
        numerator = third(x);
        m->skewness = wide_to_double(&numerator, 384) / n / n / n / (m2 * sqrt(m2));
    }
    if (powers >= 4) {
        numerator = fourth(x);
        m->kurtosis = wide_to_double(&numerator, 512) / n / n / n / n / (m2 * m2) - 3.0;
    }
}

/* sqrt of P/(P-1) (A - 2 r B + r^2 C) / N^2, the ratio estimator's error. The bracket is
 * a sum of squares: below 0 is rounding. */
static double ratio_error(double a, double b, double c, double ratio, double prompts, double samples)
{
    double spread = a - 2.0 * ratio * b + ratio * ratio * c;
    if (!(spread > 0.0))
        spread = 0.0;
    return sqrt(prompts / (prompts - 1.0) * spread) / samples;
}

/* The bracket for the mean, with the ratio r = S1/N put in: N^2 (A - 2 r B + r^2 C)
 * = N^2 A - 2 N S1 B + S1^2 C, in integers, since A, B and C nearly cancel when prompts agree. */
static double mean_error(const struct accumulator_block *block, int lane, const struct accumulator_layer *layer,
                         const struct exact *x)
{
    struct wide a = wide_from_limbs(&block->between_square[0][lane], ACCUMULATOR_LIMBS, SUMS_LANES);
    struct wide b = wide_from_limbs(&block->between_product[0][lane], ACCUMULATOR_LIMBS, SUMS_LANES);
    uint64_t square[3] = {layer->samples_square[0], layer->samples_square[1], 0};
    struct wide c = wide_from_limbs(square, 3, 1);
    struct wide n2 = wide_multiply(&x->n, &x->n), ns1 = wide_multiply(&x->n, &x->s[0]);
    struct wide s1s1 = wide_multiply(&x->s[0], &x->s[0]);
    a = product(&n2, &a, 96, 256);
    b = product(&ns1, &b, 224, 256);
    b = times(&b, 2);
    c = wide_multiply(&s1s1, &c);
    a = wide_subtract(&a, &b);
    a = wide_add(&a, &c);
    double n = (double)layer->samples, prompts = (double)layer->prompts;
    double spread = a.negative ? 0.0 : wide_to_double(&a, 256);
    return sqrt(prompts / (prompts - 1.0) * spread) / n / n;
}

static void errors(const struct accumulator_block *block, int lane, const struct accumulator_layer *layer,
                   const struct exact *x, double largest, struct moments *m)
{
    if (layer->prompts < 2 || m->nonfinite)
        return;
    double n = (double)m->count;
    double squares = ldexp((double)layer->samples_square[1], 64) + (double)layer->samples_square[0];
    m->low_activity_stderr = ratio_error((double)block->low_square[lane], (double)block->low_product[lane], squares,
                                         m->low_activity, (double)layer->prompts, n);
    double limit = ldexp(1.0, 191 - ACCUMULATOR_BETWEEN_SCALE);
    double square_bound = n * n * largest * largest;
    if (square_bound < limit && squares * largest < limit)
        m->mean_stderr = mean_error(block, lane, layer, x);
}

void moments_of(const struct accumulator_block *block, int lane, const struct accumulator_layer *layer,
                struct moments *m)
{
    *m = (struct moments){.count = layer->samples - block->nonfinite[lane], .nonfinite = block->nonfinite[lane],
                          .mean = NAN, .variance = NAN, .skewness = NAN, .kurtosis = NAN, .min = NAN, .max = NAN,
                          .low_activity = NAN, .inactive = NAN, .mean_stderr = NAN, .low_activity_stderr = NAN};
    if (m->count == 0)
        return;
    double n = (double)m->count;
    m->min = block->min[lane];
    m->max = block->max[lane];
    m->low_activity = (double)block->low_activity[lane] / n;
    m->inactive = (double)block->inactive[lane] / n;
    struct exact x = {.n = wide_from_unsigned(m->count)};
    for (int k = 0; k < 4; k++)
        x.s[k] = wide_from_limbs(&block->sum[k][0][lane], ACCUMULATOR_LIMBS, SUMS_LANES);
    double largest = fmax(fabs(m->min), fabs(m->max));
    int powers = powers_held(&x, n, largest);
    if (powers >= 1)
        m->mean = wide_to_double(&x.s[0], accumulator_scale[0]) / n;
    if (powers >= 2)
        shape_moments(&x, powers, n, m);
    errors(block, lane, layer, &x, largest, m);
}
