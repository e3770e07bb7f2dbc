/* metrics.h - one layer's arrays as float32, as the archive holds them.
 *
 * Flow: moments -> *metrics* -> criteria -> summary, archive, report. Filled from
 * the accumulator at the end of a run, or read back from an archive: criteria and
 * summaries are computed from these float32 values alone, so both give the same.
 */
#ifndef PHI3SAT_STATS_METRICS_H
#define PHI3SAT_STATS_METRICS_H

#include "accumulator.h"

/* The float32 arrays of a series, in the archive's order. */
enum metric {
    METRIC_MEAN = 0, METRIC_VARIANCE, METRIC_SKEWNESS, METRIC_KURTOSIS, METRIC_MIN, METRIC_MAX,
    METRIC_LOW_ACTIVITY, METRIC_INACTIVE, METRIC_MEAN_STDERR, METRIC_LOW_ACTIVITY_STDERR, METRIC_COUNT
};

struct metrics {
    size_t neurons;
    uint64_t count;                            /* samples of the layer                */
    float *value[SERIES_COUNT][METRIC_COUNT];  /* each [neurons]; NaN missing         */
    uint32_t *nonfinite[SERIES_COUNT];         /* [neurons]; saturates at UINT32_MAX  */
    uint32_t *flags;                           /* [neurons]; criteria.h               */
    uint8_t *saturated;                        /* [neurons]; 0 or 1                   */
    struct accumulator_extreme extremes[ACCUMULATOR_EXTREMES];
};

/* Arrays for `neurons`, zeroed; owned until metrics_free (zeroed struct allowed). */
enum status metrics_init(struct metrics *m, size_t neurons, struct error *e) ERROR_MUST_USE;
void metrics_free(struct metrics *m);

/* Fills everything but flags and saturated from layer `layer` of the state.
 * Missing values are one canonical quiet NaN, -0 becomes +0. */
void metrics_compute(struct metrics *m, const struct accumulator *a, size_t layer);

#endif
