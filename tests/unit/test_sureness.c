/* test_sureness.c - distances from the line, intervals, and how many prompts would tell, on neurons made to measure. */
#include <math.h>
#include <string.h>

#include "failing_memory.h"
#include "stats/sureness.h"
#include "tap.h"

#define NEURONS 100
#define SAMPLES 10000

static struct metrics m;
static struct criteria c;
static struct sureness sure;
static struct error e;

/* Busy neurons with small errors: variance 1, mean 1, normal in shape, low activity 0.1. */
static void busy(void)
{
    m.count = SAMPLES;
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < NEURONS; i++) {
            for (int k = 0; k < METRIC_COUNT; k++)
                m.value[s][k][i] = 1.0f;
            m.value[s][METRIC_KURTOSIS][i] = 0.0f;
            m.value[s][METRIC_LOW_ACTIVITY][i] = m.value[s][METRIC_INACTIVE][i] = 0.1f;
            m.value[s][METRIC_MEAN_STDERR][i] = 0.01f;         /* independent samples: sqrt(1 / 10000) */
            m.value[s][METRIC_LOW_ACTIVITY_STDERR][i] = 0.003f; /* likewise                             */
        }
}

/* The low-activity share of a series, so many errors above the threshold on the scale of log(p / (1 - p)). */
static void place_series(int s, size_t i, double errors)
{
    double p = 1.0 / (1.0 + 0.25 * exp(-0.025 * errors));
    m.value[s][METRIC_LOW_ACTIVITY][i] = (float)p;
    m.value[s][METRIC_LOW_ACTIVITY_STDERR][i] = (float)(0.025 * p * (1.0 - p));
}

static void place(size_t i, double errors)
{
    for (int s = 0; s < SERIES_COUNT; s++)
        place_series(s, i, errors);
}

static void take(size_t layers)
{
    sureness_free(&sure);
    if (sureness_init(&sure, layers, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
    for (size_t l = 0; l < layers; l++) {
        if (criteria_apply(&c, &m, &e) != STATUS_OK)
            bail("%s", e.sentence);
        sureness_layer(&sure, l, &m, &c);
    }
}

static struct sureness_interval saturated(double z)
{
    return sureness_of(&sure, SURENESS_SATURATED, 0, sure.layers, z);
}

static void is_interval(struct sureness_interval x, double low, double share, double high, const char *claim)
{
    ok(fabs(x.low - low) < 1e-9 && fabs(x.share - share) < 1e-9 && fabs(x.high - high) < 1e-9,
       "%s: %.3f (%.3f to %.3f)", claim, x.share, x.low, x.high);
}

static void lines(void)
{
    busy();
    take(1);
    is_interval(saturated(2.0), 0.0, 0.0, 0.0, "far from every line nothing can change");
    is_uint(sureness_undecided(&sure, 2.0), 0, "and every neuron is decided");
    for (size_t i = 0; i < 20; i++)
        place(i, 0.25 + 0.5 * (double)i); /* saturated, 0.25 to 9.75 errors beyond */
    for (size_t i = 20; i < 30; i++)
        place(i, -0.25 - 0.5 * (double)(i - 20)); /* not, 0.25 to 4.75 before */
    take(1);
    is_interval(saturated(2.0), 0.16, 0.20, 0.24, "two errors either way: four neurons in, four out");
    is_interval(saturated(0.1), 0.20, 0.20, 0.20, "a tenth of an error: none");
    is_uint(sureness_undecided(&sure, 2.0), 8, "eight neurons are undecided");
    m.value[SERIES_FFN][METRIC_MAX][0] = 1e6f;
    take(1);
    is_interval(sureness_of(&sure, SURENESS_REMOVABLE, 0, 1, 2.0), 0.16, 0.19, 0.23, "a super neuron is never removable");
    is_interval(saturated(2.0), 0.16, 0.20, 0.24, "but saturated it is");
    take(3);
    is_interval(saturated(2.0), 0.16, 0.20, 0.24, "layers alike: the same interval, for errors are shared");
}

static void rules(void)
{
    busy();
    for (size_t i = 0; i < 10; i++) {
        place(i, 3.0);
        place_series(SERIES_UP, i, 1.0);
        place_series(SERIES_FFN, i, 5.0);
    }
    c.combine = CRITERIA_ALL;
    take(1);
    is_interval(saturated(2.0), 0.0, 0.1, 0.1, "all: the series that is nearest the line decides");
    c.combine = CRITERIA_ANY;
    take(1);
    is_interval(saturated(4.0), 0.1, 0.1, 0.1, "any: the one that is farthest beyond it");
    is_interval(saturated(6.0), 0.0, 0.1, 0.1, "until that falls too");
    c.combine = CRITERIA_FFN;
    take(1);
    is_interval(saturated(4.0), 0.1, 0.1, 0.1, "ffn: that alone");
    is_interval(sureness_of(&sure, SURENESS_FFN, 0, 1, 6.0), 0.0, 0.1, 0.1, "as the share by ffn alone");
    c.combine = CRITERIA_ALL;
}

/* The error of a variance: m2 sqrt(D (kurtosis + 2) / n), with D from the mean's or the share's clusters. */
static void variances(void)
{
    busy();
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < 50; i++) {
            m.value[s][METRIC_VARIANCE][i] = 0.0099f; /* 0.0001 below; independent samples: error 0.00014 */
            m.value[s][METRIC_MEAN_STDERR][i] = 0.000995f;
        }
    take(1);
    struct sureness_interval x = sureness_of(&sure, SURENESS_LOW_UP, 0, 1, 0.70);
    is_interval(x, 0.5, 0.5, 0.5, "independent samples: 0.71 errors below the line");
    is_interval(sureness_of(&sure, SURENESS_LOW_UP, 0, 1, 0.73), 0.0, 0.5, 0.5, "are 0.71");
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < 50; i++)
            m.value[s][METRIC_MEAN_STDERR][i] = 0.00995f; /* ten times as large: D = 100 */
    take(1);
    is_interval(sureness_of(&sure, SURENESS_LOW_UP, 0, 1, 0.08), 0.0, 0.5, 0.5, "clusters make it ten times as uncertain");
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < 50; i++)
            m.value[s][METRIC_MEAN_STDERR][i] = NAN;
    take(1);
    is_interval(sureness_of(&sure, SURENESS_LOW_UP, 0, 1, 9.0), 0.5, 0.5, 0.5, "where no error is known, flags stay as found");
}

/* Means of ffn near zero, `error` off, in `count` neurons whose gate and up are surely inside the window. */
static void near_zero(size_t count, double mean, double error)
{
    busy();
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < count; i++) {
            m.value[s][METRIC_MEAN][i] = s == SERIES_FFN ? (float)(i % 2 ? -mean : mean) : 0.0f;
            m.value[s][METRIC_MEAN_STDERR][i] = s == SERIES_FFN ? (float)error : 1e-6f;
        }
    take(1);
}

/* Means near zero are a window: no error moves the share, but the neurons scatter. */
static void windows(void)
{
    near_zero(7, 0.0, 0.001); /* too few to tell where such means lie: inside with q = P(|normal| < 1) */
    double q = 0.68268949, half = 2.0 * sqrt(7.0 * q * (1.0 - q)) / 100.0;
    struct sureness_interval x = saturated(2.0);
    is_double(x.high, 0.07 + half, 1e-7, "each mean near zero counts by its probability");
    is_double(x.low, fmax(0.07 - half - 0.07 * (1.0 - q), 0.0), 1e-7, "both ways, and by what errors have pushed in");
    is_interval(sureness_of(&sure, SURENESS_LOW_GATE, 0, 1, 2.0), 0.0, 0.0, 0.0, "low variance has no part in it");
    near_zero(24, 0.0, 0.001);
    is_interval(saturated(2.0), 0.24, 0.24, 0.24, "many that are all zero are zero: errors aren't as large as they say");
    near_zero(24, 0.0011, 0.0011);
    x = saturated(2.0);
    ok(x.low == 0.0 && x.share == 0.0 && x.high > 0.23 && x.high < 0.25,
       "many that scatter as their errors do may all lie inside, though none is found there: up to %.3f", x.high);
    near_zero(24, 0.0031, 0.0011);
    x = saturated(2.0);
    ok(x.high < 0.06, "many that scatter more don't: at most %.3f", x.high);
}

static void prompts(void)
{
    ok(isnan(sureness_width(1)) && isnan(sureness_width(0)), "below two prompts nothing is known");
    is_double(sureness_width(2), 12.7062047, 1e-6, "two prompts: 12.7 errors");
    is_double(sureness_width(1000000), 1.959966, 1e-5, "many: 1.96");
    busy();
    for (size_t i = 0; i < 12; i++)
        place(i, 0.75 + 0.1 * (double)i); /* 12 % saturated; the third from the line is 0.95 errors beyond */
    take(1);
    ok(sureness_of(&sure, SURENESS_REMOVABLE, 0, 1, sureness_width(1000)).low < 0.1, "12 %% may be below 10 %%");
    double wanted = (double)sureness_prompts(&sure, 1000), times = pow(1.96 / 0.95, 2.0);
    ok(fabs(wanted / (1000.0 * times) - 1.0) < 0.02, "about %.0f prompts keep it above: an error is to be 0.95 / 1.96 of what it is",
       wanted);
    busy();
    take(1);
    is_uint(sureness_prompts(&sure, 1000), 1000, "a verdict that is sure needs no more");
    for (size_t i = 0; i < 10; i++)
        place(i, 1e-4); /* on the edge of 10 % */
    take(1);
    is_uint(sureness_prompts(&sure, 1000), 0, "on the edge no number will do");
}

static void missing(void)
{
    busy();
    for (size_t i = 0; i < NEURONS; i++)
        for (int k = 0; k < METRIC_COUNT; k++)
            m.value[SERIES_FFN][k][i] = NAN;
    take(2);
    ok(isnan(saturated(2.0).share), "a layer without ffn has no share");
    busy();
    take(1);
    struct sureness_interval x = saturated(NAN);
    ok(x.share == 0.0 && isnan(x.low) && isnan(x.high), "without a width the share stands alone");
    struct sureness other;
    long held = failing_memory_held;
    failing_memory_left = 3;
    enum status s = sureness_init(&other, 4, NEURONS, &e);
    failing_memory_left = -1;
    ok(s == STATUS_FAILED && other.measured == NULL && failing_memory_held == held, "no memory: a failure, and nothing is left");
    is_int(sureness_init(&other, SIZE_MAX, 3, &e), STATUS_FAILED, "sizes that wrap are refused");
}

int main(void)
{
    c = criteria_defaults();
    if (metrics_init(&m, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
    lines();
    rules();
    variances();
    windows();
    prompts();
    missing();
    sureness_free(&sure);
    metrics_free(&m);
    return tap_done();
}
