/* summary.h - the numbers of the CSV and of the printed summary.
 *
 * Flow: metrics with flags -> *summary* -> report, archive (group summary). Formulas:
 * DESIGN section 2, docs/methods.
 */
#ifndef PHI3SAT_STATS_SUMMARY_H
#define PHI3SAT_STATS_SUMMARY_H

#include "criteria.h"

/* One layer. Shares are 0..1. NaN where no neuron has a value. */
struct summary_row {
    size_t neurons;
    double low_variance[SERIES_COUNT];   /* share with criterion 1 of that series      */
    double saturated;                    /* share; NaN where ffn has no value at all, like the shares and the speedup below */
    double average_variance[SERIES_COUNT];
    double average_mean[SERIES_COUNT];   /* of the signed means                        */
    double speedup;                      /* 1 / (1 - saturated), at most 20            */
    double ffn_saturated;                /* share by the ffn series alone              */
    double removable;                    /* saturated and not super                    */
    size_t super_neurons;
    uint64_t nonfinite;                  /* values, all series                         */
};

#define SUMMARY_SPEEDUP_LIMIT 20.0

/* Shares are means of quotients: at the edges (10 %, 30 %, a trend of 1 point) what differs
 * by less than this is on the edge. An edge belongs to MODERATE and to FLAT. */
#define SUMMARY_ROUNDING 1e-9

enum summary_trend { SUMMARY_TREND_NONE, SUMMARY_TREND_FLAT, SUMMARY_TREND_INCREASES, SUMMARY_TREND_DECREASES };
enum summary_recommendation { SUMMARY_LOW, SUMMARY_MODERATE, SUMMARY_HIGH };

/* A band of layers [first, end); empty when first == end. */
struct summary_band {
    size_t first, end;
    double saturated; /* mean share; NaN when empty or without values */
};

/* Means are over the layers that have values; NaN when none has. */
struct summary {
    size_t layers;
    size_t unmeasured;           /* layers whose shares are NaN                       */
    double saturated;            /* mean of the layers' shares                        */
    double speedup;              /* mean of the layers' speedups                       */
    double stack_speedup;        /* L / sum(1 / speedup)                               */
    double ffn_saturated;        /* mean share by ffn alone                            */
    double removable;            /* mean share, super neurons left out                 */
    size_t super_neurons;
    uint64_t nonfinite;
    struct summary_band band[3]; /* early, mid, late                                   */
    enum summary_trend trend;
    enum summary_recommendation recommendation; /* by `removable`; of no meaning when that is NaN */
};

/* What a removable share recommends. */
enum summary_recommendation summary_recommend(double removable);

void summary_of_layer(struct summary_row *row, const struct metrics *m);
void summary_of_model(struct summary *s, const struct summary_row *rows, size_t layers);

#endif
