/* lanes_fold.c - one prompt's plain sums into the exact state of 64 neurons.
 *
 * The same bits as accumulator_block_fold (stats/accumulator.c), which says what a fold is: sums
 * about zero as float64 pairs, each part rounded half to even to a grid of 192 bits, added there.
 * Shifting mantissas to their places, as it does, suits one neuron at a time. Here a part is cut
 * into three digits of 51 bits by adding and subtracting a large number (Dekker 1971; Demmel & Nguyen
 * 2013 on sums that don't depend on order): with M = 1.5 * 2^(52 + e),
 *     t = x + M;   digit = bits(t) - bits(M);   x -= t - M
 * gives x / 2^e, rounded half to even, as an integer, and what is left of x exactly. M is even and so are
 * the digits above, so the last digit's rounding is the whole part's. Digits of both parts are
 * added, carried once, and joined to limbs:
 *
 *     bit    0           51          64          102         128        153 and its signs
 *            [ digit 0  ][       digit 1        ][         digit 2         ...
 *            [        limb 0         ][        limb 1        ][      limb 2
 *
 * Sums that need more than 151 bits, prompts of 2^31 tokens and the like go to accumulator_block_fold
 * itself. Rejected: digits that stay apart until many prompts are in (a second state beside the first).
 */
#include "../stats/accumulator.h"

#include "lanes.h"
#include "lanes_table.h"

#include <math.h>
#include <stdbool.h>

typedef uint64_t lanes_q __attribute__((vector_size(4 * LANES_WIDTH)));

#define DIGITS 3
#define DIGIT_BITS 51
#define PARTS 6 /* sums of x^1..x^4, s1^2, s1 n */

/* A prompt's six sums as pairs. */
struct pairs {
    double high[PARTS][SUMS_LANES], low[PARTS][SUMS_LANES];
} __attribute__((aligned(64)));

static inline lanes_q load_limbs(const uint64_t *p)
{
    lanes_q v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store_limbs(uint64_t *p, lanes_q v)
{
    memcpy(p, &v, sizeof v);
}

static inline lanes_d widen_floats(const float *p)
{
    lanes_h narrow;
    memcpy(&narrow, p, sizeof narrow);
    return lanes_widen(narrow);
}

/* Do all sums have 151 bits? |x| <= M and |x - c| <= 2 M bound whatever turns up on the way. */
static bool fits(const struct sums *sums, uint64_t samples)
{
    float largest = 0.0f;
    for (int i = 0; i < SUMS_LANES; i++) {
        float here = sums->max[i] > -sums->min[i] ? sums->max[i] : -sums->min[i]; /* -inf: no value */
        largest = here > largest ? here : largest;
    }
    double m = 3.0 * (double)largest, bound = (double)samples;
    bool fit = samples < (uint64_t)1 << 31 && bound * m < 0x1p27;
    for (int k = 0; k < 4; k++) {
        bound *= m;
        fit = fit && bound < ldexp(1.0, 151 - accumulator_scale[k]);
    }
    return fit;
}

/* high += x by Knuth's two-sum; returns what rounding left out. */
static inline lanes_d two_sum(lanes_d *high, lanes_d x)
{
    lanes_d sum = *high + x;
    lanes_d back = sum - *high;
    lanes_d error = (*high - (sum - back)) + (x - back);
    *high = sum;
    return error;
}

/* sums_about_zero for LANES_DOUBLES neurons, operation by operation. */
static inline void about_zero(const struct sums *sums, size_t lane, const double *finite, struct pairs *pairs)
{
    lanes_d c = widen_floats(&sums->centre[lane]), n = lanes_load_doubles(finite + lane);
    lanes_d high[4], low[4];
    for (int k = 0; k < 4; k++) {
        high[k] = lanes_load_doubles(&sums->high[k][lane]);
        low[k] = lanes_load_doubles(&sums->low[k][lane]) +
                 two_sum(&high[k], lanes_load_doubles(&sums->part[k][lane]));
    }
#pragma GCC unroll 4
    for (int pass = 0; pass < 4; pass++)
#pragma GCC unroll 4
        for (int k = 3; k >= pass; k--) {
            lanes_d factor = k ? high[k - 1] : n, rest = k ? low[k - 1] : (lanes_d){0};
            lanes_d product = c * factor;
            lanes_d left = lanes_fma_doubles(c, rest, lanes_fma_doubles(c, factor, -product));
            low[k] += two_sum(&high[k], product);
            low[k] += left;
        }
    for (int k = 0; k < 4; k++) {
        lanes_store_doubles(&pairs->high[k][lane], high[k]);
        lanes_store_doubles(&pairs->low[k][lane], low[k]);
    }
}

/* s1^2 and s1 n, as fold_between of accumulator.c forms them. */
static inline void between(struct pairs *pairs, size_t lane, double samples)
{
    lanes_d a = lanes_load_doubles(&pairs->high[0][lane]), b = lanes_load_doubles(&pairs->low[0][lane]);
    lanes_d n = samples - (lanes_d){0}, square = a * a, product = a * n;
    lanes_store_doubles(&pairs->high[4][lane], square);
    lanes_store_doubles(&pairs->low[4][lane], lanes_fma_doubles(a, a, -square) + 2.0 * a * b);
    lanes_store_doubles(&pairs->high[5][lane], product);
    lanes_store_doubles(&pairs->low[5][lane], lanes_fma_doubles(a, n, -product) + b * n);
}

/* What cuts parts into digits of units 2^-scale, and makes the digits of two parts non-negative:
 * each gets 2 * 2^51 more, of which it hands on 2, and the last keeps 2^52. */
struct grid {
    lanes_d magic[DIGITS];
    lanes_q offset[DIGITS];
};

static inline struct grid grid_of(int scale)
{
    struct grid g;
    for (int j = 0; j < DIGITS; j++) {
        uint64_t bits = (uint64_t)(1023 + 52 + DIGIT_BITS * j - scale) << 52 | (uint64_t)1 << 51;
        uint64_t offset = ((uint64_t)1 << 52) - (j ? 2 : 0) - 2 * bits;
        double magic;
        memcpy(&magic, &bits, sizeof magic);
        g.magic[j] = magic - (lanes_d){0};
        g.offset[j] = offset - (lanes_q){0};
    }
    return g;
}

static inline void cut(const struct grid *g, lanes_d x, lanes_q digit[DIGITS])
{
    for (int j = DIGITS - 1; j >= 0; j--) {
        lanes_d t = x + g->magic[j];
        digit[j] += (lanes_q)t;
        if (j > 0)
            x -= t - g->magic[j];
    }
}

/* limbs[0..2] += the pairs, LANES_DOUBLES neurons at a time. */
static inline void add_pairs(uint64_t limbs[][SUMS_LANES], const double *high, const double *low, int scale)
{
    const struct grid g = grid_of(scale);
    const lanes_q mask = (((uint64_t)1 << DIGIT_BITS) - 1) - (lanes_q){0};
    for (size_t lane = 0; lane < SUMS_LANES; lane += LANES_DOUBLES) {
        lanes_q d[DIGITS] = {g.offset[0], g.offset[1], g.offset[2]};
        cut(&g, lanes_load_doubles(high + lane), d);
        cut(&g, lanes_load_doubles(low + lane), d);
        d[1] += d[0] >> DIGIT_BITS;
        d[2] += d[1] >> DIGIT_BITS;
        lanes_q a = (d[0] & mask) | d[1] << 51;
        lanes_q b = (d[1] & mask) >> 13 | d[2] << 38;
        lanes_q c = (d[2] >> 26) - ((uint64_t)1 << 26);
        lanes_q x = load_limbs(limbs[0] + lane) + a;
        lanes_q y = load_limbs(limbs[1] + lane) + b;
        lanes_q carry = (lanes_q)(x < a); /* -1 */
        lanes_q sum = y - carry;
        c -= (lanes_q)(y < b) + (carry & (lanes_q)(sum == 0));
        store_limbs(limbs[0] + lane, x);
        store_limbs(limbs[1] + lane, sum);
        store_limbs(limbs[2] + lane, load_limbs(limbs[2] + lane) + c);
    }
}

static inline void fold_counts(struct accumulator_block *restrict block, const struct sums *restrict sums,
                               uint32_t samples)
{
    for (int i = 0; i < SUMS_LANES; i++) {
        uint32_t low = sums->low_activity[i];
        block->low_activity[i] += low;
        block->inactive[i] += sums->inactive[i];
        block->nonfinite[i] += sums->nonfinite[i];
        block->low_square[i] += (uint64_t)low * low;
        block->low_product[i] += (uint64_t)low * samples;
    }
    for (size_t lane = 0; lane < SUMS_LANES; lane += LANES_WIDTH) {
        lanes_f min = lanes_load(&sums->min[lane]) + 0.0f, max = lanes_load(&sums->max[lane]) + 0.0f;
        lanes_f least = lanes_load(&block->min[lane]), largest = lanes_load(&block->max[lane]);
        lanes_store(&block->min[lane], lanes_select(min < least, min, least));
        lanes_store(&block->max[lane], lanes_select(max > largest, max, largest));
    }
}

void LANES(lanes_fold)(struct accumulator_block *block, const struct sums *sums, uint64_t samples)
{
    if (samples == 0)
        return;
    if (!fits(sums, samples)) {
        accumulator_block_fold(block, sums, samples);
        return;
    }
    struct pairs pairs;
    double finite[SUMS_LANES];
    for (int i = 0; i < SUMS_LANES; i++)
        finite[i] = (double)((int32_t)samples - (int32_t)sums->nonfinite[i]);
    for (size_t lane = 0; lane < SUMS_LANES; lane += LANES_DOUBLES) {
        about_zero(sums, lane, finite, &pairs);
        between(&pairs, lane, (double)samples);
    }
    for (int k = 0; k < 4; k++)
        add_pairs(block->sum[k], pairs.high[k], pairs.low[k], accumulator_scale[k]);
    add_pairs(block->between_square, pairs.high[4], pairs.low[4], ACCUMULATOR_BETWEEN_SCALE);
    add_pairs(block->between_product, pairs.high[5], pairs.low[5], ACCUMULATOR_BETWEEN_SCALE);
    fold_counts(block, sums, (uint32_t)samples);
}
