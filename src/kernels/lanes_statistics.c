/* lanes_statistics.c - plain sums of 64 neurons over a prompt's tokens.
 *
 * The formulas and why they are exact enough stand in stats/sums.h. Two passes over
 * columns that are in the cache: float32 for min, max, counts and the extreme, float64
 * pairs for the power sums. Lanes are neurons: tokens are added one by one, in order.
 */
#include "lanes.h"
#include "lanes_table.h"

typedef int32_t lanes_half_bits __attribute__((vector_size(2 * LANES_WIDTH)));

/* SUMS_LIMIT's bit pattern: magnitudes compare as their bits do. */
#define LIMIT_BITS 0x4b800000
_Static_assert((int)SUMS_LIMIT == 1 << 24, "LIMIT_BITS is the pattern of 2^24");

/* One value's worth of a float64 pair: (high, low) += x, by Knuth's two-sum. */
static inline void add_exactly(lanes_d *high, lanes_d *low, lanes_d x)
{
    lanes_d sum = *high + x;
    lanes_d back = sum - *high;
    *low += (*high - (sum - back)) + (x - back);
    *high = sum;
}

static void power_sums(size_t rows, const float *x, size_t x_stride, struct sums *sums, size_t lane)
{
    lanes_d high[4], low[4], rest[2];
    for (int k = 0; k < 4; k++) {
        high[k] = lanes_load_doubles(&sums->high[k][lane]);
        low[k] = lanes_load_doubles(&sums->low[k][lane]);
    }
    for (int k = 0; k < 2; k++)
        rest[k] = lanes_load_doubles(&sums->rest[k][lane]);
    for (size_t r = 0; r < rows; r++) {
        lanes_half_bits bits;
        memcpy(&bits, x + r * x_stride + lane, sizeof bits);
        bits &= (bits & 0x7fffffff) < LIMIT_BITS; /* NaN and huge values add nothing */
        lanes_d one = lanes_widen((lanes_h)bits);
        lanes_d two = one * one;
        lanes_d three = two * one, four = two * two;
        add_exactly(&high[0], &low[0], one);
        add_exactly(&high[1], &low[1], two);
        add_exactly(&high[2], &low[2], three);
        add_exactly(&high[3], &low[3], four);
        rest[0] += lanes_fma_doubles(two, one, -three);
        rest[1] += lanes_fma_doubles(two, two, -four);
    }
    for (int k = 0; k < 4; k++) {
        lanes_store_doubles(&sums->high[k][lane], high[k]);
        lanes_store_doubles(&sums->low[k][lane], low[k]);
    }
    for (int k = 0; k < 2; k++)
        lanes_store_doubles(&sums->rest[k][lane], rest[k]);
}

static lanes_i load_counts(const void *p)
{
    lanes_i v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void store_counts(void *p, lanes_i v)
{
    memcpy(p, &v, sizeof v);
}

/* Comparisons give -1 for true: subtracting a mask counts. */
static void counts_and_extremes(size_t rows, const float *x, size_t x_stride, float threshold, int32_t position,
                                struct sums *sums, size_t lane)
{
    lanes_f min = lanes_load(&sums->min[lane]), max = lanes_load(&sums->max[lane]);
    lanes_f extreme = lanes_load(&sums->extreme[lane]);
    lanes_i where = load_counts(&sums->extreme_position[lane]), low = load_counts(&sums->low_activity[lane]);
    lanes_i inactive = load_counts(&sums->inactive[lane]), bad = load_counts(&sums->nonfinite[lane]);
    lanes_i bad_where = load_counts(&sums->nonfinite_position[lane]);
    for (size_t r = 0; r < rows; r++) {
        lanes_f v = lanes_load(x + r * x_stride + lane) + 0.0f; /* -0 becomes +0 */
        lanes_f magnitude = lanes_magnitude(v);
        lanes_i good = magnitude < SUMS_LIMIT, now = (position + (int32_t)r) - (lanes_i){0};
        lanes_i larger = good & ((magnitude > lanes_magnitude(extreme)) | (where < 0));
        min = lanes_select(good & (v < min), v, min);
        max = lanes_select(good & (v > max), v, max);
        extreme = lanes_select(larger, v, extreme);
        where = (larger & now) | (~larger & where);
        low -= good & (magnitude < threshold);
        inactive -= good & (v < threshold);
        lanes_i first = ~good & (bad_where < 0);
        bad -= ~good;
        bad_where = (first & now) | (~first & bad_where);
    }
    lanes_store(&sums->min[lane], min);
    lanes_store(&sums->max[lane], max);
    lanes_store(&sums->extreme[lane], extreme);
    store_counts(&sums->extreme_position[lane], where);
    store_counts(&sums->low_activity[lane], low);
    store_counts(&sums->inactive[lane], inactive);
    store_counts(&sums->nonfinite[lane], bad);
    store_counts(&sums->nonfinite_position[lane], bad_where);
}

void LANES(lanes_statistics)(size_t rows, const float *x, size_t x_stride, float activity_threshold, int32_t position,
                             struct sums *sums)
{
    for (size_t lane = 0; lane < SUMS_LANES; lane += LANES_WIDTH)
        counts_and_extremes(rows, x, x_stride, activity_threshold, position, sums, lane);
    for (size_t lane = 0; lane < SUMS_LANES; lane += LANES_DOUBLES)
        power_sums(rows, x, x_stride, sums, lane);
}
