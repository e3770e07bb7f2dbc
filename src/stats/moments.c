/* moments.c - from exact integers to float64, with no cancellation left to harm.
 *
 * The numerators n^k m_k are formed in integers (formulas in moments.h), converted
 * once and divided; only the last few float64 operations round. What the grid could not
 * hold is missing, by bounds that the state itself gives:
 *     |S1| <= n M,  S2 <= n M^2,  |S3| <= S2 M,  S4 <= S2 M^2,   M = max(|min|, |max|).
 * What lies below the grid's last bit, or below a pair's, says nothing about shape: skewness
 * and kurtosis are missing where the error that struct error_bounds allows is above 2^-20.
 */
#include "moments.h"

#include <math.h>

#include "wide.h"

/* The largest error of a skewness, or relative error of a kurtosis, that is still given. */
#define TOLERANCE 0x1p-20
/* Sums that come this near to their range count as past it: the bounds themselves are rounded. */
#define RANGE_SHARE 0.99

struct exact {
    struct wide s[4]; /* sums of x^k as integers of scale accumulator_scale[k-1] */
    struct wide n;
};

static double range(int k)
{
    return ldexp(RANGE_SHARE, 191 - accumulator_scale[k - 1]);
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

/* How far the state's sums may be off, as the error that follows in a moment. */
struct error_bounds {
    double m2, m3, m4;
};

/* A prompt's two parts are rounded to the grid one by one: one unit, and two are counted. Sums about
 * zero, formed as pairs from sums about a value of the prompt, lose some bits as well, in all
 * 36, 140 and 477 times 2^-106 |m|^k (sums_about_zero's bounds with the binomials of the moment; what
 * is due to deviations from m is below 2^-60 of the moment itself for prompts of 2^22 tokens). */
static struct error_bounds bounds_of(const struct accumulator_layer *layer, double n, double mean)
{
    double unit[4], m = fabs(mean);
    for (int k = 0; k < 4; k++)
        unit[k] = ldexp(2.0 * (double)layer->prompts / n, -accumulator_scale[k]);
    return (struct error_bounds){
        .m2 = unit[1] + 2.0 * m * unit[0] + 0x1p-100 * m * m,
        .m3 = unit[2] + 3.0 * m * unit[1] + 3.0 * m * m * unit[0] + 0x1p-98 * m * m * m,
        .m4 = unit[3] + 4.0 * m * unit[2] + 6.0 * m * m * unit[1] + 4.0 * m * m * m * unit[0] +
              0x1p-97 * m * m * m * m};
}

static void shape_moments(const struct exact *x, int powers, const struct accumulator_layer *layer, double n,
                          struct moments *m)
{
    struct wide numerator = second(x);
    double m2 = numerator.negative ? 0.0 : wide_to_double(&numerator, 256) / n / n;
    struct error_bounds bounds = bounds_of(layer, n, m->mean);
    m->variance = m2;
    if (!(bounds.m2 <= TOLERANCE * m2))
        return;
    if (powers >= 3 && bounds.m3 <= TOLERANCE * m2 * sqrt(m2)) {
        numerator = third(x);
        m->skewness = wide_to_double(&numerator, 384) / n / n / n / (m2 * sqrt(m2));
    }
    if (powers < 4)
        return;
    numerator = fourth(x);
    double m4 = wide_to_double(&numerator, 512) / n / n / n / n;
    if (bounds.m4 <= TOLERANCE * m4)
        m->kurtosis = m4 / (m2 * m2) - 3.0;
}

/* What a ratio estimator over prompts needs: sums over prompts of t^2, t n and n^2, and the
 * total T of t, where t is a prompt's part of T. */
struct clusters {
    struct wide square, product, sizes, total;
    int scale;       /* of square and product */
    int total_scale; /* of total */
};

/* sqrt of P/(P-1) (A - 2 r B + r^2 C) / N^2 with r = T/N put in: N^2 A - 2 N T B + T^2 C, in
 * integers, since the three nearly cancel when prompts agree. It is a sum of squares: below 0
 * is the grid's rounding. */
static double ratio_error(const struct clusters *k, uint64_t samples, uint64_t prompts)
{
    int scale = 2 * k->total_scale;
    struct wide n = wide_from_unsigned(samples);
    struct wide n2 = wide_multiply(&n, &n), nt = wide_multiply(&n, &k->total);
    struct wide t2 = wide_multiply(&k->total, &k->total);
    struct wide a = product(&n2, &k->square, k->scale, scale);
    struct wide b = product(&nt, &k->product, k->scale + k->total_scale, scale);
    struct wide c = wide_multiply(&t2, &k->sizes);
    b = times(&b, 2);
    a = wide_subtract(&a, &b);
    a = wide_add(&a, &c);
    double spread = a.negative ? 0.0 : wide_to_double(&a, scale);
    double size = (double)samples, count = (double)prompts;
    return sqrt(count / (count - 1.0) * spread) / size / size;
}

static void errors(const struct accumulator_block *block, int lane, const struct accumulator_layer *layer,
                   const struct exact *x, double largest, struct moments *m)
{
    if (layer->prompts < 2 || m->nonfinite)
        return;
    const uint64_t sizes[3] = {layer->samples_square[0], layer->samples_square[1], 0};
    struct clusters k = {.square = wide_from_unsigned(block->low_square[lane]),
                         .product = wide_from_unsigned(block->low_product[lane]),
                         .sizes = wide_from_limbs(sizes, 3, 1),
                         .total = wide_from_unsigned(block->low_activity[lane])};
    if (layer->samples_square[1] == 0) /* it bounds low^2 and low n, which have 64 bits */
        m->low_activity_stderr = ratio_error(&k, layer->samples, layer->prompts);
    double n = (double)layer->samples, limit = ldexp(RANGE_SHARE, 191 - ACCUMULATOR_BETWEEN_SCALE);
    if (n * n * fmax(largest, 1.0) * largest >= limit)
        return;
    k.square = wide_from_limbs(&block->between_square[0][lane], ACCUMULATOR_LIMBS, SUMS_LANES);
    k.product = wide_from_limbs(&block->between_product[0][lane], ACCUMULATOR_LIMBS, SUMS_LANES);
    k.total = x->s[0];
    k.scale = ACCUMULATOR_BETWEEN_SCALE;
    k.total_scale = accumulator_scale[0];
    m->mean_stderr = ratio_error(&k, layer->samples, layer->prompts);
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
        shape_moments(&x, powers, layer, n, m);
    errors(block, lane, layer, &x, largest, m);
}
