/* test_metrics.c - a layer's moments as the archive's float32. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "failing_memory.h"
#include "reference_sums.h"
#include "stats/metrics.h"
#include "stats/moments.h"
#include "tap.h"

#define NEURONS 130

static void fill(struct accumulator *a)
{
    for (int p = 0; p < 3; p++)
        for (size_t l = 0; l < a->layers; l++) {
            for (size_t b = 0; b < SERIES_COUNT * a->blocks; b++) {
                struct sums s;
                sums_start(&s);
                for (int lane = 0; lane < SUMS_LANES; lane++) {
                    float x[7];
                    for (int i = 0; i < 7; i++)
                        x[i] = lane == 9 ? -1e-38f : (float)(reference_normal() - 0.4 * lane);
                    if (lane == 3)
                        x[p] = NAN;
                    reference_sums_add(&s, lane, x, 7, 0.1f, 0);
                }
                if (p == 0)
                    s.nonfinite[5] = UINT32_MAX;
                accumulator_block_fold(&a->block[l * SERIES_COUNT * a->blocks + b], &s, 7);
            }
            struct accumulator_extreme offer = {.neuron = (int32_t)l, .value = 2.0f};
            accumulator_extreme_offer(&a->layer[l], &offer);
            accumulator_layer_fold(&a->layer[l], (uint64_t)1 << 33);
        }
}

static bool same(const struct metrics *a, const struct metrics *b)
{
    bool held = a->count == b->count && memcmp(a->extremes, b->extremes, sizeof a->extremes) == 0;
    for (int s = 0; s < SERIES_COUNT; s++) {
        for (int k = 0; k < METRIC_COUNT; k++)
            held &= memcmp(a->value[s][k], b->value[s][k], NEURONS * sizeof(float)) == 0;
        held &= memcmp(a->nonfinite[s], b->nonfinite[s], NEURONS * sizeof(uint32_t)) == 0;
    }
    return held;
}

/* Each array holds the right one of the moments, of the right neuron. */
static bool agree(const struct accumulator *a, size_t layer, const struct metrics *out)
{
    bool held = true;
    for (int s = 0; s < SERIES_COUNT; s++)
        for (size_t i = 0; i < NEURONS; i++) {
            struct moments m;
            moments_of(accumulator_blocks(a, layer, (enum series)s) + i / 64, (int)(i % 64), &a->layer[layer], &m);
            const double wanted[METRIC_COUNT] = {m.mean, m.variance, m.skewness, m.kurtosis, m.min, m.max,
                                                 m.low_activity, m.inactive, m.mean_stderr, m.low_activity_stderr};
            for (int k = 0; k < METRIC_COUNT; k++) {
                float got = out->value[s][k][i], rounded = (float)wanted[k];
                uint32_t bits;
                memcpy(&bits, &got, sizeof bits);
                held &= isnan(rounded) ? bits == 0x7fc00000u : got == rounded && bits != 0x80000000u;
            }
        }
    return held;
}

int main(void)
{
    struct accumulator a;
    struct metrics one, two;
    struct error e;
    if (accumulator_init(&a, 2, NEURONS, &e) != STATUS_OK || metrics_init(&one, NEURONS, &e) != STATUS_OK ||
        metrics_init(&two, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
    fill(&a);
    threads_set(1);
    metrics_compute(&one, &a, 1);
    ok(agree(&a, 1, &one), "each array holds its moment, rounded; NaN has one pattern and zero no sign");
    ok(one.value[SERIES_UP][METRIC_MEAN][9] == 0.0f && !signbit(one.value[SERIES_UP][METRIC_MEAN][9]),
       "a mean that rounds to -0 is +0");
    is_uint(one.count, (uint64_t)3 << 33, "the count is the layer's samples");
    is_uint(one.nonfinite[SERIES_UP][3], 3, "non-finite values are counted a neuron");
    is_uint(one.nonfinite[SERIES_UP][5], UINT32_MAX, "their count goes up to 2^32 - 1");
    is_int(one.extremes[0].neuron, 1, "the layer's extremes are copied");
    a.block[0].nonfinite[5] = (uint64_t)UINT32_MAX + 7;
    metrics_compute(&two, &a, 0);
    is_uint(two.nonfinite[SERIES_GATE][5], UINT32_MAX, "and saturates there");
    threads_set(3);
    metrics_compute(&two, &a, 1);
    ok(same(&one, &two), "threads change nothing");
    metrics_free(&one);
    metrics_free(&two);
    metrics_free(&two);
    accumulator_free(&a);
    ok(failing_memory_held == 0, "freeing twice is allowed");
    bool held = true;
    long n = 0;
    for (;; n++) {
        failing_memory_left = n;
        if (metrics_init(&one, NEURONS, &e) == STATUS_OK)
            break;
        held &= failing_memory_held == 0 && e.status == STATUS_FAILED;
    }
    metrics_free(&one);
    ok(held && n == 35, "each of the %ld allocations may fail and leaves nothing behind", n);
    return tap_done();
}
