/* sums.h - the plain sums of one prompt: what kernels make and stats folds.
 *
 * Flow: series (gate, up, ffn tiles) -> kernels -> *struct sums* -> accumulator.
 * One struct holds 64 neighbouring neurons of one series for one prompt. Sums are about the
 * prompt's first finite value c, in token order, with d = x - c in float64:
 *     q = d*d;  part1 += d;  part2 += q;  part3 = fma(q, d, part3);  part4 = fma(q, q, part4)
 * Behind each token whose position is SUMS_GROUP - 1 mod SUMS_GROUP the parts are added to
 * `high` by Knuth's two-sum (TAOCP 2, 4.2.2), the rounding errors to `low`, and begin again
 * at 0. Positions are the prompt's own, so nobody sees how its tokens came in calls.
 *
 * Why it is exact enough, with u = 2^-53 and m any centre: each sum is off by (SUMS_GROUP + 4) u
 * sum |d|^k at most, and c is one of the values, so |c - m|^k is a term of sum |x - m|^k.
 * Hence a prompt's central moments are off by 2^-41 of their length in tokens at the very
 * worst (a massive first value, all roundings alike), and by some 2^-50 where the first
 * value is like the others. What cancels, the powers of c, is put back in pairs of float64
 * (sums_about_zero). Rejected: sums about zero as pairs, three times the work a value; one plain
 * sum over the prompt, no better than n u; a centre that moves, which has to round.
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

/* Tokens whose plain sums are added up before they join the pairs. */
#define SUMS_GROUP 64

/* The series in the order of every array that has one. */
enum series { SERIES_GATE = 0, SERIES_UP = 1, SERIES_FFN = 2, SERIES_COUNT = 3 };

struct sums {
    double part[4][SUMS_LANES];         /* sums of d, d^2, d^3, d^4: the group at hand */
    double high[4][SUMS_LANES];         /* of the groups before it: leading part   */
    double low[4][SUMS_LANES];          /* what rounding of `high` left out        */
    float centre[SUMS_LANES];           /* c, never -0; 0 while there is none      */
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

/* The sums of x^k about zero of one lane, k = 1..4, as pairs high[k-1] + low[k-1], from those about
 * its centre: A(k, j) = sum d^(k-j) x^j, and A(k, j+1) = A(k, j) + c A(k-1, j), ten exact
 * products and two-sums. n: its finite values. Off by 3 k (k+1) u^2 sum (|c| + |d|)^k at most,
 * and exact for a prompt of one value. */
void sums_about_zero(const struct sums *s, int lane, double n, double high[4], double low[4]);

#endif
