/* sums.h - the plain sums of one prompt: what kernels make and stats folds.
 *
 * Flow: series (gate, up, ffn tiles) -> kernels -> *struct sums* -> accumulator.
 * One struct holds 64 neighbouring neurons of one series for one prompt. Sums
 * are float64 pairs (high + low) about zero, added in token order:
 *     x2 = x*x, exact in float64;  x3 = x2*x and x4 = x2*x2 as two-products;
 *     each is added to `high` by Knuth's two-sum, the rounding errors to `low`;
 *     the two-products' own errors, of x^3 and x^4, are summed apart in `rest`
 * (Knuth, TAOCP 2, 4.2.2; Ogita, Rump & Oishi 2005, algorithm Sum2). For values of a
 * few neighbouring binades, where moments cancel most, `low` is then a sum of few-bit
 * multiples of one unit and exact up to 2^26 tokens; so are the sums of x, x^2 and x^3,
 * and that of x^4 is off by n 2^-106 of itself at most. 1e7 tokens around a mean of
 * 1000 with variance 1e-2 keep their kurtosis to 1e-13 (2e-8 with `rest` inside `low`,
 * at the same number of operations). Rejected: sums about the prompt's first value: a
 * massive first activation (NOTES section 1) makes it a poor centre.
 *
 * A value that isn't below 2^24 in magnitude (NaN and infinity included) counts
 * as non-finite: the exact grid of accumulator.h can't promise to hold it.
 */
#ifndef PHI3SAT_STATS_SUMS_H
#define PHI3SAT_STATS_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* Neurons a struct: 64 float32 are four cache lines, and a panel of the matrix
 * product. The last block of a layer may be partly used; spare lanes stay as
 * sums_start leaves them. */
#define SUMS_LANES 64

/* Values of this magnitude or more are non-finite to the statistics (2^24). */
#define SUMS_LIMIT 16777216.0f

/* The series in the order of every array that has one. */
enum series { SERIES_GATE = 0, SERIES_UP = 1, SERIES_FFN = 2, SERIES_COUNT = 3 };

struct sums {
    double high[4][SUMS_LANES];         /* sums of x, x^2, x^3, x^4: leading part  */
    double low[4][SUMS_LANES];          /* what rounding of the sums left out      */
    double rest[2][SUMS_LANES];         /* ... of the products x^3 and x^4         */
    float min[SUMS_LANES];              /* of finite values; +inf when none         */
    float max[SUMS_LANES];              /* -inf when none; never -0                 */
    float extreme[SUMS_LANES];          /* the first value of largest magnitude     */
    int32_t extreme_position[SUMS_LANES];   /* its token position in the prompt     */
    uint32_t low_activity[SUMS_LANES];  /* finite values with |x| < threshold       */
    uint32_t inactive[SUMS_LANES];      /* finite values with x < threshold         */
    uint32_t nonfinite[SUMS_LANES];     /* values kept out                          */
    int32_t nonfinite_position[SUMS_LANES]; /* of the first of them; -1 none        */
};

/* An empty prompt: zero sums, min +inf, max -inf, extreme 0 at position -1. */
void sums_start(struct sums *s);

/* The same for lanes [first, 64) alone: those past a layer's last neuron. */
void sums_start_lanes(struct sums *s, size_t first);

#endif
