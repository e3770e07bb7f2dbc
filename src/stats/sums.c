/* sums.c - the empty prompt, and sums about zero; see sums.h. */
#include "sums.h"

#include <math.h>
#include <string.h>

void sums_start(struct sums *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < SUMS_LANES; i++) {
        s->min[i] = INFINITY;
        s->max[i] = -INFINITY;
        s->extreme_position[i] = -1;
        s->nonfinite_position[i] = -1;
    }
}

void sums_start_lanes(struct sums *s, size_t first)
{
    for (size_t i = first; i < SUMS_LANES; i++) {
        for (int k = 0; k < 4; k++)
            s->part[k][i] = s->high[k][i] = s->low[k][i] = 0.0;
        s->centre[i] = 0.0f;
        s->min[i] = INFINITY;
        s->max[i] = -INFINITY;
        s->extreme[i] = 0.0f;
        s->extreme_position[i] = s->nonfinite_position[i] = -1;
        s->low_activity[i] = s->inactive[i] = s->nonfinite[i] = 0;
    }
}

/* (high, low) += x; returns what rounding of high left out. */
static double two_sum(double *high, double x)
{
    double sum = *high + x, back = sum - *high;
    double error = (*high - (sum - back)) + (x - back);
    *high = sum;
    return error;
}

void sums_about_zero(const struct sums *s, int lane, double n, double high[4], double low[4])
{
    double c = s->centre[lane];
    for (int k = 0; k < 4; k++) {
        high[k] = s->high[k][lane];
        low[k] = s->low[k][lane] + two_sum(&high[k], s->part[k][lane]);
    }
    for (int pass = 0; pass < 4; pass++)
        for (int k = 3; k >= pass; k--) {
            double factor = k ? high[k - 1] : n, rest = k ? low[k - 1] : 0.0;
            double product = c * factor, left = fma(c, rest, fma(c, factor, -product));
            low[k] += two_sum(&high[k], product);
            low[k] += left;
        }
}
