/* test_contrast.c - classes, sets, ranks and the joined test, on layers small enough to count by hand. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "stats/contrast.h"
#include "tap.h"

#define NEURONS 64

static struct metrics a, b;
static struct criteria c;
static struct contrast_sample sample[2] = {{1e6, 1.0}, {1e6, 1.0}}; /* errors that are known for certain */

/* Busy neurons whose ffn variance is their number + 1; no errors known. */
static void busy(struct metrics *m)
{
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < m->neurons; i++) {
            for (int k = 0; k < METRIC_COUNT; k++)
                m->value[s][k][i] = 1.0f;
            m->value[s][METRIC_VARIANCE][i] = (float)(i + 1);
            m->value[s][METRIC_LOW_ACTIVITY][i] = m->value[s][METRIC_INACTIVE][i] = 0.0f;
            m->value[s][METRIC_MEAN_STDERR][i] = m->value[s][METRIC_LOW_ACTIVITY_STDERR][i] = NAN;
        }
}

static void freeze(struct metrics *m, size_t i, float variance)
{
    for (int s = 0; s < SERIES_COUNT; s++)
        m->value[s][METRIC_VARIANCE][i] = variance;
}

static struct contrast contrast(void)
{
    struct contrast result;
    struct error e;
    if (criteria_apply(&c, &a, &e) != STATUS_OK || criteria_apply(&c, &b, &e) != STATUS_OK ||
        contrast_layer(&result, &a, &b, sample, &e) != STATUS_OK)
        bail("%s", e.sentence);
    return result;
}

static void classes(void)
{
    busy(&a);
    busy(&b);
    struct contrast same = contrast();
    ok(same.confusion[0][0] == NEURONS && same.differing == 0, "a layer against itself: all active, no number differs");
    ok(isnan(contrast_overlap(&same)) && isnan(same.rank_correlation), "no saturated sets: no overlap, no ranks");
    is_double(same.rank_correlation_all, 1.0, 1e-15, "all neurons: the same ranks");
    ok(isnan(contrast_probability(&same.tests)), "without standard errors no probability");
    for (size_t i = 0; i < 6; i++)
        freeze(&a, i, 0.001f + 0.001f * (float)i);
    for (size_t i = 3; i < 7; i++)
        freeze(&b, i, 0.0095f - 0.001f * (float)i);
    b.value[SERIES_FFN][METRIC_MAX][9] = 1e4f;
    struct contrast r = contrast();
    ok(r.confusion[0][0] == NEURONS - 8 && r.confusion[1][0] == 3 && r.confusion[1][1] == 3 && r.confusion[0][1] == 1 &&
           r.confusion[0][2] == 1, "the confusion table counts each neuron once");
    ok(r.first == 6 && r.second == 4 && r.both == 3, "the sets' sizes");
    is_double(contrast_overlap(&r), 3.0 / 7.0, 1e-15, "Jaccard: 3 of 7");
    /* A: 1 2 3 4 5 6, then neuron 6 is 7th; B: 0, 1, 2 are 1, 2, 3 (busy), 3..6 fall: ranks 5 6 7 4 3 2 1 */
    is_double(r.rank_correlation, 1.0 - 6.0 * (16 + 16 + 16 + 0 + 4 + 16 + 36) / (7.0 * 48.0), 1e-14,
              "Spearman's rank correlation over the seven");
    is_uint(r.differing, 8, "eight neurons differ");
    struct contrast sum = {.neurons = 0};
    contrast_add(&sum, &r);
    contrast_add(&sum, &same);
    ok(sum.neurons == 2 * NEURONS && sum.both == 3 && sum.confusion[1][0] == 3 && sum.differing == 8, "layers add up");
}

static void ties(void)
{
    busy(&a);
    busy(&b);
    for (size_t i = 0; i < NEURONS; i++) {
        freeze(&a, i, i < 2 ? 2.0f : 1.0f);
        freeze(&b, i, i < 2 ? 5.0f : 3.0f);
    }
    is_double(contrast().rank_correlation_all, 1.0, 1e-14, "equal values share a rank");
    for (size_t i = 0; i < NEURONS; i++)
        freeze(&b, i, 3.0f);
    ok(isnan(contrast().rank_correlation_all), "all alike: no correlation");
    a.value[SERIES_FFN][METRIC_VARIANCE][0] = NAN;
    busy(&b);
    ok(!isnan(contrast().rank_correlation_all), "a missing value is left out");
}

static double normal(struct random_stream *r)
{
    return sqrt(-2.0 * log(1.0 - random_unit(r))) * cos(2.0 * M_PI * random_unit(r)); /* Box and Muller: tails matter */
}

/* Means with errors of 1; B's are A's plus `shift` plus normal noise of the difference's own size, shared or not. */
static void errors(struct random_stream *r, double shift, bool shared)
{
    busy(&a);
    busy(&b);
    double common = normal(r);
    for (size_t i = 0; i < NEURONS; i++)
        for (int s = 0; s < SERIES_COUNT; s++) {
            double noise = shared ? common : normal(r);
            a.value[s][METRIC_MEAN][i] = 100.0f;
            b.value[s][METRIC_MEAN][i] = (float)(100.0 + shift + sqrt(2.0) * noise);
            a.value[s][METRIC_MEAN_STDERR][i] = b.value[s][METRIC_MEAN_STDERR][i] = 1.0f;
            a.value[s][METRIC_LOW_ACTIVITY_STDERR][i] = b.value[s][METRIC_LOW_ACTIVITY_STDERR][i] = 0.0f;
        }
}

static void sampling(void)
{
    struct random_stream r = random_open(7, 0, 0, 0);
    for (int shared = 0; shared < 2; shared++) {
        int found = 0, trials = 2000;
        for (int i = 0; i < trials; i++) {
            errors(&r, 0.0, shared);
            struct contrast x = contrast();
            found += contrast_probability(&x.tests) < 0.05;
        }
        ok(found > 0.03 * trials && found < 0.07 * trials, "no difference, errors %s: called one in %.1f %% of %d trials",
           shared ? "all alike" : "independent", 100.0 * found / trials, trials);
    }
    errors(&r, 8.0, false);
    struct contrast x = contrast();
    ok(contrast_probability(&x.tests) < 1e-4, "a difference of many errors is seen");
    is_uint(x.tests.count, 3 * NEURONS, "equal shares are no tests");
    errors(&r, 0.0, true);
    for (size_t i = 0; i < NEURONS; i++)
        for (int s = 0; s < SERIES_COUNT; s++)
            a.value[s][METRIC_MEAN_STDERR][i] = b.value[s][METRIC_MEAN_STDERR][i] = 0.0f;
    x = contrast();
    ok(contrast_probability(&x.tests) < 1e-100, "constants that differ are told apart for certain");
}

#define PROMPTS 24

/* A mean and its error as archives have them, of prompts whose own means differ by a normal; the true mean is 0. */
static void ratio(struct random_stream *r, const double *length, float *mean, float *error)
{
    double total[PROMPTS], tokens = 0.0, all = 0.0, squares = 0.0;
    for (int p = 0; p < PROMPTS; p++) {
        total[p] = length[p] * normal(r);
        tokens += length[p];
        all += total[p];
    }
    for (int p = 0; p < PROMPTS; p++)
        squares += pow(total[p] - all / tokens * length[p], 2.0);
    *mean = (float)(all / tokens);
    *error = (float)(sqrt(squares * PROMPTS / (PROMPTS - 1)) / tokens);
}

/* The share of tests of no difference below 0.05, in per cent, with what `length` makes of the samples or without. */
static double called(const double *length, bool corrected)
{
    struct random_stream r = random_open(8, 0, 0, 0);
    struct contrast_lengths lengths = {.prompts = 0.0};
    size_t below = 0, tests = 0;
    for (int p = 0; p < PROMPTS; p++)
        contrast_lengths_add(&lengths, (uint64_t)length[p], 1);
    sample[0] = sample[1] = corrected ? contrast_sample(&lengths) : (struct contrast_sample){PROMPTS - 1, 1.0};
    for (int trial = 0; trial < 200; trial++) {
        for (size_t i = 0; i < NEURONS; i++)
            for (int s = 0; s < SERIES_COUNT; s++) {
                ratio(&r, length, &a.value[s][METRIC_MEAN][i], &a.value[s][METRIC_MEAN_STDERR][i]);
                ratio(&r, length, &b.value[s][METRIC_MEAN][i], &b.value[s][METRIC_MEAN_STDERR][i]);
            }
        struct contrast x = contrast();
        below += x.tests.below;
        tests += x.tests.count;
    }
    return 100.0 * (double)below / (double)tests;
}

static void lengths(void)
{
    struct contrast_lengths equal = {.prompts = 0.0}, one = {.prompts = 0.0};
    double length[PROMPTS];
    contrast_lengths_add(&equal, 37, 20);
    contrast_lengths_add(&equal, 37, 5);
    is_double(contrast_sample(&equal).freedom, 24.0, 1e-9, "prompts of one length: P - 1 degrees of freedom");
    is_double(contrast_sample(&equal).factor, 1.0, 1e-12, "and errors as archived");
    contrast_lengths_add(&one, 1000000000, 1);
    ok(contrast_sample(&one).freedom == 0.0, "one prompt: no tests");
    contrast_lengths_add(&one, 1, 1);
    ok(contrast_sample(&one).freedom == 0.0, "one that has all tokens but one: no tests either");
    for (int p = 0; p < PROMPTS; p++)
        length[p] = p < 4 ? 400 : 20 + p;
    double with = called(length, true), without = called(length, false);
    ok(with > 2.5 && with < 6.0, "four long prompts of %d: %.1f %% of tests below 0.05", PROMPTS, with);
    ok(without > 8.0, "with P - 1 degrees of freedom it were %.1f %%", without);
}

int main(void)
{
    struct error e;
    c = criteria_defaults();
    if (metrics_init(&a, NEURONS, &e) != STATUS_OK || metrics_init(&b, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
    classes();
    ties();
    sampling();
    lengths();
    metrics_free(&a);
    metrics_free(&b);
    return tap_done();
}
