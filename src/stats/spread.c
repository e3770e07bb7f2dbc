/* spread.c - quantiles by sorting; see spread.h.
 *
 * An order statistic, not an interpolation: each number on a plot is one that a neuron has.
 */
#include "spread.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void spread_of(struct spread *s, const float *values, size_t neurons, float *scratch)
{
    static const double share[SPREAD_QUANTILES] = {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0};
    size_t n = 0;
    for (size_t i = 0; i < neurons; i++)
        if (!isnan(values[i]))
            scratch[n++] = values[i];
    qsort(scratch, n, sizeof *scratch, ascending);
    s->count = n;
    for (int k = 0; k < SPREAD_QUANTILES; k++)
        s->value[k] = n ? scratch[(size_t)(share[k] * (double)(n - 1))] : NAN;
}
