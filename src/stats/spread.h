/* spread.h - how the values of a layer are distributed, in seven numbers.
 *
 * Flow: a metric of a layer's neurons -> *quantiles* -> plots.
 */
#ifndef PHI3SAT_STATS_SPREAD_H
#define PHI3SAT_STATS_SPREAD_H

#include <stddef.h>

enum spread_quantile {
    SPREAD_MIN, SPREAD_5, SPREAD_25, SPREAD_MEDIAN, SPREAD_75, SPREAD_95, SPREAD_MAX, SPREAD_QUANTILES
};

struct spread {
    size_t count;                 /* neurons that have a value                  */
    float value[SPREAD_QUANTILES]; /* NaN when none has                           */
};

/* Quantiles of values[neurons], NaN left out. The share q is element floor(q (n - 1)) of the n sorted ones: of an even
 * number the median is the lower middle one, as everywhere in phi3sat. scratch: [neurons], overwritten. */
void spread_of(struct spread *s, const float *values, size_t neurons, float *scratch);

#endif
