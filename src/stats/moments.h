/* moments.h - mean, variance, skewness, kurtosis and errors from exact sums.
 *
 * Flow: accumulator -> *moments* -> metrics -> criteria, archive.
 *
 * With S_k the exact integer sums and n the finite samples, all in wide integers:
 *     n^2 m2 = n S2 - S1^2
 *     n^3 m3 = n^2 S3 - 3 n S1 S2 + 2 S1^3
 *     n^4 m4 = n^3 S4 - 4 n^2 S1 S3 + 6 n S1^2 S2 - 3 S1^4
 * so that no cancellation loses a bit; each is rounded to float64 once.
 *     variance = m2;  skewness = m3 / m2^1.5;  excess kurtosis = m4 / m2^2 - 3
 * Standard errors treat prompts as clusters (ratio estimator; Cochran, Sampling
 * Techniques, 3rd ed., section 6.3): with s_p a prompt's sum, n_p its samples, P
 * prompts, N samples and m = sum s_p / N
 *     se^2 = P/(P-1) * (sum s_p^2 - 2 m sum s_p n_p + m^2 sum n_p^2) / N^2.
 *
 * The floor. With u_k = 2 P / N units of the grid of x^k (accumulator.h), the central moments
 * are off by at most
 *     e2 = u2 + 2 |m| u1 + 2^-100 m^2,   e3 = u3 + 3 |m| u2 + 3 m^2 u1 + 2^-98 |m|^3,
 *     e4 = u4 + 4 |m| u3 + 6 m^2 u2 + 4 |m|^3 u1 + 2^-97 m^4,
 * beside the small share of themselves that sums.h names.
 * Skewness is given where e2 <= 2^-20 m2 and e3 <= 2^-20 m2^1.5, kurtosis where
 * e2 <= 2^-20 m2 and e4 <= 2^-20 m4: a constant has neither.
 */
#ifndef PHI3SAT_STATS_MOMENTS_H
#define PHI3SAT_STATS_MOMENTS_H

#include "accumulator.h"

struct moments {
    uint64_t count;             /* finite samples                                 */
    uint64_t nonfinite;
    /* NaN means missing throughout: */
    double mean;                /* no finite sample                               */
    double variance;            /* population; no finite sample, or out of range   */
    double skewness;            /* ... or not surely known to 2^-20 (below)        */
    double kurtosis;            /* excess; the same                                */
    double min, max;            /* no finite sample                                */
    double low_activity;        /* share                                           */
    double inactive;
    double mean_stderr;         /* fewer than 2 prompts, non-finite samples, range */
    double low_activity_stderr; /* the same                                        */
};

/* Of neuron `lane` (0..63) of a block in a layer with these facts. Pure. */
void moments_of(const struct accumulator_block *block, int lane, const struct accumulator_layer *layer,
                struct moments *m);

#endif
