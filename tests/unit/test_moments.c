/* test_moments.c - moments and their errors against two passes in 113 bits, on awkward data.
 *
 * Each case folds prompts of one neuron by the reference sums and compares with
 * reference_moments over the same float32 values: 1e-9 relative, plus what the grid
 * (moments.h, "The floor") allows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference_sums.h"
#include "stats/moments.h"
#include "tap.h"

#define LANE 37

static struct accumulator_block block;
static struct accumulator_layer layer;
static struct moments m;

static void start(void)
{
    accumulator_block_clear(&block);
    accumulator_layer_clear(&layer);
}

static void fold(const float *x, size_t n)
{
    struct sums s;
    sums_start(&s);
    reference_sums_add(&s, LANE, x, n, 0.1f, 0);
    accumulator_block_fold(&block, &s, n);
    accumulator_layer_fold(&layer, n);
}

/* x[prompts * length] as prompts of one length. */
static void measure(const float *x, size_t prompts, size_t length)
{
    start();
    for (size_t p = 0; p < prompts; p++)
        fold(x + p * length, length);
    moments_of(&block, LANE, &layer, &m);
}

/* ---- one case ----------------------------------------------------------------- */

enum { WITH_SHAPE, WITHOUT_KURTOSIS, WITHOUT_SHAPE };

static double allowed(double wanted, double floor)
{
    return 1e-9 * fabs(wanted) + floor;
}

static void compare(const char *name, const struct reference *r, int shape)
{
    double share = 2.0 * (double)layer.prompts / (double)layer.samples, u[4], mean = fabs(r->mean), v = r->variance;
    for (int k = 0; k < 4; k++)
        u[k] = ldexp(share, -accumulator_scale[k]);
    double e3 = u[2] + 3 * mean * u[1] + 3 * mean * mean * u[0];
    double e4 = u[3] + 4 * mean * u[2] + 6 * mean * mean * u[1] + 4 * mean * mean * mean * u[0];
    is_uint(m.count, r->count, "%s: count", name);
    is_double(m.mean, r->mean, allowed(r->mean, u[0]), "%s: mean", name);
    is_double(m.variance, v, allowed(v, u[1] + 2 * mean * u[0]), "%s: variance", name);
    if (shape == WITHOUT_SHAPE)
        ok(isnan(m.skewness), "%s: skewness is missing", name);
    else
        is_double(m.skewness, r->skewness, allowed(fmax(fabs(r->skewness), 1.0), e3 / (v * sqrt(v))), "%s: skewness",
                  name);
    if (shape != WITH_SHAPE)
        ok(isnan(m.kurtosis), "%s: kurtosis is missing", name);
    else
        is_double(m.kurtosis, r->kurtosis, allowed(r->kurtosis + 3.0, e4 / (v * v)), "%s: kurtosis", name);
}

static void normal(float *x, size_t n, double mean, double deviation)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(mean + deviation * reference_normal());
}

static void normal_data(void)
{
    static float x[10000];
    struct reference r;
    const struct {
        const char *name;
        double mean, deviation;
        size_t prompts, length;
        int shape;
    } cases[] = {
        {"mean 1000, variance 1e-2", 1000.0, 0.1, 1, 10000, WITH_SHAPE},
        {"mean 1000, variance 1e-2, prompts of 1", 1000.0, 0.1, 10000, 1, WITH_SHAPE},
        {"mean -1000, variance 1e-2, prompts of 100", -1000.0, 0.1, 100, 100, WITH_SHAPE},
        {"mean 1000, variance 1e-4", 1000.0, 0.01, 10, 1000, WITH_SHAPE},
        {"mean 0.5, variance 1e-8", 0.5, 1e-4, 1, 10000, WITH_SHAPE},
        {"mean 0.5, variance 1e-8, prompts of 1", 0.5, 1e-4, 10000, 1, WITH_SHAPE},
        {"mean 0, deviation 1e-5", 0.0, 1e-5, 1, 10000, WITH_SHAPE},
        {"mean 0, deviation 1e-5, prompts of 1", 0.0, 1e-5, 10000, 1, WITH_SHAPE},
        {"mean 0, deviation 1e-6, prompts of 100", 0.0, 1e-6, 100, 100, WITHOUT_KURTOSIS},
        {"mean 0, deviation 1e-9", 0.0, 1e-9, 1, 10000, WITHOUT_KURTOSIS},
        {"mean 0, deviation 1e-15", 0.0, 1e-15, 100, 100, WITHOUT_SHAPE},
        {"mean 0, deviation 1e5", 0.0, 1e5, 10, 1000, WITH_SHAPE},
        {"mean 1e6, deviation 1", 1e6, 1.0, 10, 1000, WITHOUT_KURTOSIS},
        {"denormals", 0.0, 1e-41, 10, 1000, WITHOUT_SHAPE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = cases[i].prompts * cases[i].length;
        normal(x, n, cases[i].mean, cases[i].deviation);
        r = reference_moments(x, n);
        measure(x, cases[i].prompts, cases[i].length);
        compare(cases[i].name, &r, cases[i].shape);
    }
}

static void constants(void)
{
    static float x[5000];
    const float values[] = {0.0f, 0.1f, -0.1f, 1000.1f, 1e5f, 1e-30f, 1e-12f, 1e-41f, 0x1.fffffep23f};
    const size_t lengths[] = {1, 7, 5000};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
        for (size_t l = 0; l < 3; l++) {
            for (size_t i = 0; i < 5000; i++)
                x[i] = values[v];
            measure(x, 5000 / lengths[l], lengths[l]);
            ok(fabs(m.mean - (double)values[v]) <= 1e-15 * fabs((double)values[v]) + 0x1p-127 && m.variance >= 0.0 &&
                   m.variance <= (fabsf(values[v]) < 1e-9f ? 0x1p-111 : 0.0) && isnan(m.skewness) && isnan(m.kurtosis),
               "constant %g, prompts of %zu: its mean, no variance, no shape", (double)values[v], lengths[l]);
        }
}

static void patterns(void)
{
    static float x[10000];
    struct reference r;
    for (size_t i = 0; i < 10000; i++)
        x[i] = 1e5f;
    x[9999] = 99999.0f;
    r = reference_moments(x, 10000);
    measure(x, 100, 100);
    compare("1e5 all but one", &r, WITHOUT_KURTOSIS);
    for (size_t i = 0; i < 10000; i++)
        x[i] = i % 2 ? 1e5f : -1e5f;
    r = reference_moments(x, 10000);
    measure(x, 1, 10000);
    compare("alternating 1e5", &r, WITH_SHAPE);
    normal(x, 10000, 0.0, 1e-3);
    for (size_t i = 0; i < 10000; i += 1000)
        x[i] = 1e5f + (float)i;
    r = reference_moments(x, 10000);
    measure(x, 10, 1000);
    compare("massive first values", &r, WITH_SHAPE);
    measure(x, 1, 10000);
    compare("the first of them a centre far from all others", &r, WITH_SHAPE);
    for (size_t i = 1; i < 10000; i++)
        x[i] = 0.1f;
    r = reference_moments(x, 10000);
    measure(x, 1, 10000);
    compare("so are constants, whose roundings agree", &r, WITH_SHAPE);
    for (size_t i = 0; i < 10000; i++)
        x[i] = (float)ldexp(reference_normal(), (int)(reference_random() % 40) - 20);
    r = reference_moments(x, 10000);
    measure(x, 100, 100);
    compare("forty binades", &r, WITH_SHAPE);
    x[3] = NAN, x[500] = INFINITY, x[9000] = -INFINITY, x[77] = 0x1p24f, x[78] = -0x1p24f, x[79] = 0x1.fffffep23f;
    r = reference_moments(x, 10000);
    measure(x, 100, 100);
    compare("NaN, infinity and 2^24 kept out", &r, WITH_SHAPE);
    is_uint(m.nonfinite, 5, "and counted");
    ok(m.max == (double)0x1.fffffep23f, "the largest float32 below 2^24 is in");
    ok(isnan(m.mean_stderr) && isnan(m.low_activity_stderr), "standard errors are then missing");
}

/* 1e7 samples are a pattern of 1e4 a thousand times: the moments are the pattern's. */
static void ten_million(void)
{
    enum { PATTERN = 10000, TIMES = 1000 };
    static float x[PATTERN];
    struct reference r;
    struct sums s;
    normal(x, PATTERN, 1000.0, 0.1);
    r = reference_moments(x, PATTERN);
    r.count *= TIMES;
    start();
    sums_start(&s);
    for (int i = 0; i < TIMES; i++)
        reference_sums_add(&s, LANE, x, PATTERN, 0.1f, i * PATTERN);
    accumulator_block_fold(&block, &s, (uint64_t)PATTERN * TIMES);
    accumulator_layer_fold(&layer, (uint64_t)PATTERN * TIMES);
    moments_of(&block, LANE, &layer, &m);
    compare("1e7 samples in one prompt, mean 1000, variance 1e-2", &r, WITH_SHAPE);
    start();
    for (int p = 0; p < PATTERN / 1000; p++) {
        sums_start(&s);
        reference_sums_add(&s, LANE, x + p * 1000, 1000, 0.1f, 0);
        for (int i = 0; i < TIMES; i++) {
            accumulator_block_fold(&block, &s, 1000);
            accumulator_layer_fold(&layer, 1000);
        }
    }
    moments_of(&block, LANE, &layer, &m);
    compare("1e7 samples in 1e4 prompts", &r, WITH_SHAPE);
}

/* Whatever is given is right: deviations from one float32 step up, prompts of all lengths. */
static void never_wrong(void)
{
    static float x[16000];
    bool skewness = true, kurtosis = true;
    int given = 0, missing = 0;
    for (int round = 0; round < 80; round++) {
        size_t length = (size_t)1 << reference_random() % 14, prompts = 1 + reference_random() % (16000 / length);
        size_t n = prompts * length > 16000 ? 16000 / length * length : prompts * length;
        double mean = reference_random() % 4 ? ldexp(1.0 + reference_uniform(), (int)(reference_random() % 30) - 15) : 0;
        double deviation = ldexp(mean ? mean : 1.0, -(int)(reference_random() % 28));
        bool rare = reference_random() % 3 == 0;
        for (size_t i = 0; i < n; i++)
            x[i] = (float)(mean + (!rare || reference_random() % 64 == 0 ? deviation * reference_normal() : 0.0));
        struct reference r = reference_moments(x, n);
        measure(x, n / length, length);
        skewness &= isnan(m.skewness) || fabs(m.skewness - r.skewness) <= 0x1p-20 + 1e-9 * fabs(r.skewness);
        kurtosis &= isnan(m.kurtosis) || fabs(m.kurtosis - r.kurtosis) <= 0x1p-19 * (r.kurtosis + 3.0);
        given += !isnan(m.kurtosis);
        missing += isnan(m.kurtosis);
    }
    ok(skewness, "a skewness that is given is right to 2^-20");
    ok(kurtosis, "a kurtosis that is given is right to 2^-19 relative");
    ok(given > 20 && missing > 20, "both kinds occur (%d given, %d missing)", given, missing);
}

static void few_samples(void)
{
    const float x[2] = {3.5f, 4.5f};
    const float bad[2] = {NAN, INFINITY};
    measure(x, 1, 1);
    ok(m.count == 1 && m.mean == 3.5 && m.variance == 0.0 && isnan(m.skewness) && isnan(m.kurtosis) && m.min == 3.5 &&
           m.max == 3.5,
       "one sample is its mean, without variance and shape");
    ok(isnan(m.mean_stderr) && isnan(m.low_activity_stderr), "one prompt has no standard errors");
    measure(x, 1, 2);
    ok(m.mean == 4.0 && m.variance == 0.25 && m.skewness == 0.0 && m.kurtosis == -2.0, "two samples are exact");
    start();
    moments_of(&block, LANE, &layer, &m);
    ok(m.count == 0 && isnan(m.mean) && isnan(m.variance) && isnan(m.min) && isnan(m.max) && isnan(m.low_activity) &&
           isnan(m.inactive) && isnan(m.mean_stderr),
       "no sample: everything is missing");
    measure(bad, 2, 1);
    ok(m.count == 0 && m.nonfinite == 2 && isnan(m.mean) && isnan(m.low_activity) && isnan(m.low_activity_stderr),
       "only non-finite samples: everything is missing");
}

/* ---- range -------------------------------------------------------------------- */

/* `prompts` of `length` samples of value +-2^24, made without making them: sums are doubled. */
static void huge(int doublings, bool negative)
{
    static float x[64];
    static struct accumulator_block other;
    static struct accumulator_layer facts;
    for (int i = 0; i < 64; i++)
        x[i] = i % 2 ? 0x1.fffffep23f : negative ? -0x1p23f : 0x1p23f;
    start();
    fold(x, 64);
    for (int i = 0; i < doublings; i++) {
        other = block;
        facts = layer;
        accumulator_block_merge(&block, &other);
        accumulator_layer_merge(&layer, &facts);
    }
    moments_of(&block, LANE, &layer, &m);
}

static void ranges(void)
{
    huge(0, false);
    const double a = 0x1p23, b = 0x1.fffffep23, mean = (a + b) / 2, deviation = (b - a) / 2;
    is_double(m.kurtosis, -2.0, 1e-9, "64 values next to 2^24 have all moments");
    huge(1, false);
    ok(!isnan(m.kurtosis), "so have 128");
    huge(2, false);
    ok(isnan(m.kurtosis), "256 of them: the sum of x^4 could have passed 2^103, so kurtosis is missing");
    is_double(m.skewness, 0.0, 1e-9, "the rest is there");
    is_double(m.mean_stderr, 0.0, 1e-9, "equal prompts have no error");
    huge(11, true);
    ok(isnan(m.skewness) && isnan(m.kurtosis), "2^17: the sum of x^3 could have passed 2^87");
    is_double(m.variance, (b + a) * (b + a) / 4, 1e-9 * b * b, "variance is still there");
    huge(24, false);
    is_double(m.mean, mean, 1e-9 * mean, "2^30: the mean is there");
    is_double(m.variance, deviation * deviation, 1e-9 * deviation * deviation, "and the variance");
    huge(26, false);
    ok(isnan(m.variance) && isnan(m.skewness), "2^32: the sum of x^2 could have passed 2^79");
    is_double(m.mean, mean, 1e-9 * mean, "the mean is still there");
    ok(isnan(m.mean_stderr), "but not its error");
    huge(32, false);
    is_double(m.mean, mean, 1e-9 * mean, "2^38: the mean is there");
    huge(34, false);
    ok(isnan(m.mean) && m.max == b, "2^40: only min, max and counts are left");
    layer.samples_square[1] = 1;
    moments_of(&block, LANE, &layer, &m);
    ok(isnan(m.low_activity_stderr), "an error whose sums could have passed 64 bits is missing");
}

/* ---- standard errors --------------------------------------------------------- */

/* The ratio estimator, written as it is defined: residuals t_p - r n_p. */
static double direct_error(const reference_real *t, const size_t *n, size_t prompts)
{
    reference_real total = 0, size = 0, spread = 0;
    for (size_t p = 0; p < prompts; p++) {
        total += t[p];
        size += (reference_real)n[p];
    }
    for (size_t p = 0; p < prompts; p++) {
        reference_real rest = t[p] - total / size * (reference_real)n[p];
        spread += rest * rest;
    }
    return sqrt((double)(spread / (size * size) * (reference_real)prompts / (reference_real)(prompts - 1)));
}

static void standard_error(const char *name, double mean, double between, double within)
{
    enum { PROMPTS = 50 };
    static float x[400];
    reference_real sum[PROMPTS], low[PROMPTS];
    size_t n[PROMPTS];
    start();
    for (int p = 0; p < PROMPTS; p++) {
        double centre = mean + between * reference_normal();
        n[p] = 1 + reference_random() % 400;
        normal(x, n[p], centre, within);
        sum[p] = low[p] = 0;
        for (size_t i = 0; i < n[p]; i++) {
            sum[p] += (reference_real)x[i];
            low[p] += fabsf(x[i]) < 0.1f;
        }
        fold(x, n[p]);
    }
    moments_of(&block, LANE, &layer, &m);
    double wanted = direct_error(sum, n, PROMPTS);
    is_double(m.mean_stderr, wanted, 1e-9 * wanted + 0x1p-48, "%s: error of the mean", name);
    wanted = direct_error(low, n, PROMPTS);
    is_double(m.low_activity_stderr, wanted, 1e-9 * wanted, "%s: error of the low-activity share", name);
}

static void standard_errors(void)
{
    standard_error("ordinary", 0.1, 0.2, 0.5);
    standard_error("mean 1000", 1000.0, 1e-3, 0.1);
    standard_error("prompts that agree", 1000.0, 0.0, 0.0);
    standard_error("small", 0.0, 1e-4, 1e-4);
    standard_error("large", 1e4, 1e5, 1.0);
}

int main(void)
{
    normal_data();
    constants();
    patterns();
    ten_million();
    never_wrong();
    few_samples();
    ranges();
    standard_errors();
    return tap_done();
}
