/* lanes_statistics.c - plain sums of 64 neurons over a prompt's tokens.
 *
 * The formulas and why they are exact enough stand in stats/sums.h. Tokens are taken in the
 * groups that the definition has, so that a group's rows stay in the L1 cache while all lanes
 * pass over them, once: seven float64 operations for half a vector, seven float32 ones for a whole.
 * Lanes are neurons: tokens are added one by one, in order.
 *
 * Two things are rare and are not paid for by each value. A group is summed as if all of it
 * were finite; the sums tell at its end whether it was, and if not, nothing has been stored yet
 * and the careful form does the group again. And where the largest value stands is looked for
 * only in groups that have a new one.
 */
#include <stdbool.h>

#include "lanes.h"
#include "lanes_table.h"

typedef int32_t lanes_half_bits __attribute__((vector_size(2 * LANES_WIDTH)));

/* SUMS_LIMIT's bit pattern: magnitudes compare as their bits do. */
#define LIMIT_BITS 0x4b800000
_Static_assert((int)SUMS_LIMIT == 1 << 24, "LIMIT_BITS is the pattern of 2^24");
_Static_assert((SUMS_GROUP & (SUMS_GROUP - 1)) == 0, "a group's end is found by a mask");

static inline lanes_i load_bits(const void *p)
{
    lanes_i v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store_bits(void *p, lanes_i v)
{
    memcpy(p, &v, sizeof v);
}

/* a < b ? a : b and a > b ? a : b. A NaN in a may stay or go: it is found out otherwise. */
static inline lanes_f least(lanes_f a, lanes_f b)
{
#if defined(__AVX512F__)
    return (lanes_f)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (lanes_f)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__aarch64__)
    return (lanes_f)vminq_f32((float32x4_t)a, (float32x4_t)b);
#else
    return lanes_select(a < b, a, b);
#endif
}

static inline lanes_f greatest(lanes_f a, lanes_f b)
{
#if defined(__AVX512F__)
    return (lanes_f)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (lanes_f)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__aarch64__)
    return (lanes_f)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
#else
    return lanes_select(a > b, a, b);
#endif
}

/* Is any lane true? Masks are -1 or 0. */
static inline bool any(lanes_i mask)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask((__m512i)mask) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_ps((__m256)mask) != 0;
#elif defined(__aarch64__)
    return vmaxvq_u32((uint32x4_t)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

/* Rows of 64 neurons inside one group. */
struct tile {
    const float *x;
    size_t rows, stride;
    float threshold;
    int32_t position; /* of the first row */
};

/* One value's worth of a float64 pair: (high, low) += x, by Knuth's two-sum. */
static inline void add_exactly(lanes_d *high, lanes_d *low, lanes_d x)
{
    lanes_d sum = *high + x;
    lanes_d back = sum - *high;
    *low += (*high - (sum - back)) + (x - back);
    *high = sum;
}

/* Half the values of a row, and their sums. */
struct half {
    lanes_d part[4], centre;
};

static inline struct half load_half(const struct sums *sums, size_t lane, lanes_d centre)
{
    struct half h = {.centre = centre};
    for (int k = 0; k < 4; k++)
        h.part[k] = lanes_load_doubles(&sums->part[k][lane]);
    return h;
}

static inline void store_half(struct sums *sums, size_t lane, const struct half *h)
{
    for (int k = 0; k < 4; k++)
        lanes_store_doubles(&sums->part[k][lane], h->part[k]);
}

static inline void add_deviations(struct half *h, lanes_d d)
{
    lanes_d square = d * d;
    h->part[0] += d;
    h->part[1] += square;
    h->part[2] = lanes_fma_doubles(square, d, h->part[2]);
    h->part[3] = lanes_fma_doubles(square, square, h->part[3]);
}

static inline lanes_d widen_half(const float *x)
{
    lanes_h narrow;
    memcpy(&narrow, x, sizeof narrow);
    return lanes_widen(narrow);
}

static inline lanes_d widen_vector(lanes_f v, int half)
{
    lanes_h narrow;
    memcpy(&narrow, (const char *)&v + (size_t)half * sizeof narrow, sizeof narrow);
    return lanes_widen(narrow);
}

/* The first of the tile's values whose magnitude is `largest`, from behind: the last found stays. */
static inline void find_extreme(const struct tile *t, struct sums *sums, size_t lane, lanes_f largest, lanes_i newer)
{
    lanes_f extreme = lanes_load(&sums->extreme[lane]);
    lanes_i where = load_bits(&sums->extreme_position[lane]);
    for (size_t r = t->rows; r-- > 0;) {
        lanes_f v = lanes_load(t->x + r * t->stride + lane);
        lanes_i here = newer & (lanes_magnitude(v) == largest);
        extreme = lanes_select(here, v + 0.0f, extreme);
        where = (lanes_i)lanes_select(here, (lanes_f)(t->position + (int32_t)r - (lanes_i){0}), (lanes_f)where);
    }
    lanes_store(&sums->extreme[lane], extreme);
    store_bits(&sums->extreme_position[lane], where);
}

/* LANES_WIDTH neurons, all of whose values are below SUMS_LIMIT; or false, and nothing is changed. */
static inline bool add_finite(const struct tile *t, struct sums *sums, size_t lane)
{
    const float *x = t->x + lane;
    lanes_i fresh = load_bits(&sums->extreme_position[lane]) < 0; /* no value so far: no centre */
    lanes_f centre = lanes_select(fresh, lanes_load(x) + 0.0f, lanes_load(&sums->centre[lane]));
    struct half a = load_half(sums, lane, widen_vector(centre, 0));
    struct half b = load_half(sums, lane + LANES_DOUBLES, widen_vector(centre, 1));
    lanes_f min = lanes_load(&sums->min[lane]), max = lanes_load(&sums->max[lane]);
    lanes_i low = load_bits(&sums->low_activity[lane]), inactive = load_bits(&sums->inactive[lane]);
    for (size_t r = 0; r < t->rows; r++, x += t->stride) {
        lanes_f v = lanes_load(x);
        min = least(v, min);
        max = greatest(v, max);
        low -= lanes_magnitude(v) < t->threshold;
        inactive -= v < t->threshold;
        add_deviations(&a, widen_half(x) - a.centre);
        add_deviations(&b, widen_half(x + LANES_DOUBLES) - b.centre);
    }
    /* NaN and infinity make a sum NaN or infinite, which differs from itself once infinities cancel. */
    lanes_d odd = (a.part[0] - a.part[0]) + (b.part[0] - b.part[0]);
    if (any((lanes_i)(odd != odd)) || any((min <= -SUMS_LIMIT) | (max >= SUMS_LIMIT)))
        return false;
    min += 0.0f; /* -0 becomes +0 */
    max += 0.0f;
    lanes_store(&sums->centre[lane], centre);
    store_half(sums, lane, &a);
    store_half(sums, lane + LANES_DOUBLES, &b);
    lanes_store(&sums->min[lane], min);
    lanes_store(&sums->max[lane], max);
    store_bits(&sums->low_activity[lane], low);
    store_bits(&sums->inactive[lane], inactive);
    lanes_f largest = greatest(max, -min);
    lanes_i newer = fresh | (largest > lanes_magnitude(lanes_load(&sums->extreme[lane])));
    if (any(newer))
        find_extreme(t, sums, lane, largest, newer);
    return true;
}

/* One row of the careful form: what isn't finite takes part in nothing but its own count. */
static void add_row(struct sums *sums, size_t lane, lanes_f v, float threshold, int32_t position)
{
    lanes_f min = lanes_load(&sums->min[lane]), max = lanes_load(&sums->max[lane]);
    lanes_f extreme = lanes_load(&sums->extreme[lane]);
    lanes_i where = load_bits(&sums->extreme_position[lane]);
    lanes_i bad_where = load_bits(&sums->nonfinite_position[lane]);
    lanes_i good = ((lanes_i)v & 0x7fffffff) < LIMIT_BITS, now = position - (lanes_i){0};
    v = lanes_select(good, v, (lanes_f){0}) + 0.0f;
    lanes_f centre = lanes_select(good & (where < 0), v, lanes_load(&sums->centre[lane]));
    lanes_f shown = lanes_select(good, v, centre); /* deviates by 0: adds nothing */
    for (int i = 0; i < 2; i++) {
        size_t half = lane + (size_t)i * LANES_DOUBLES;
        struct half h = load_half(sums, half, widen_vector(centre, i));
        add_deviations(&h, widen_vector(shown, i) - h.centre);
        store_half(sums, half, &h);
    }
    lanes_i larger = good & ((lanes_magnitude(v) > lanes_magnitude(extreme)) | (where < 0));
    lanes_i first = ~good & (bad_where < 0);
    lanes_store(&sums->centre[lane], centre);
    lanes_store(&sums->min[lane], lanes_select(good & (v < min), v, min));
    lanes_store(&sums->max[lane], lanes_select(good & (v > max), v, max));
    lanes_store(&sums->extreme[lane], lanes_select(larger, v, extreme));
    store_bits(&sums->extreme_position[lane], (larger & now) | (~larger & where));
    store_bits(&sums->low_activity[lane],
                     load_bits(&sums->low_activity[lane]) - (good & (lanes_magnitude(v) < threshold)));
    store_bits(&sums->inactive[lane], load_bits(&sums->inactive[lane]) - (good & (v < threshold)));
    store_bits(&sums->nonfinite[lane], load_bits(&sums->nonfinite[lane]) - ~good);
    store_bits(&sums->nonfinite_position[lane], (first & now) | (~first & bad_where));
}

static void end_group(struct sums *sums)
{
    for (int k = 0; k < 4; k++)
        for (size_t lane = 0; lane < SUMS_LANES; lane += LANES_DOUBLES) {
            lanes_d high = lanes_load_doubles(&sums->high[k][lane]), low = lanes_load_doubles(&sums->low[k][lane]);
            add_exactly(&high, &low, lanes_load_doubles(&sums->part[k][lane]));
            lanes_store_doubles(&sums->high[k][lane], high);
            lanes_store_doubles(&sums->low[k][lane], low);
            lanes_store_doubles(&sums->part[k][lane], (lanes_d){0});
        }
}

void LANES(lanes_statistics)(size_t rows, const float *x, size_t x_stride, float activity_threshold, int32_t position,
                             struct sums *sums)
{
    while (rows > 0) {
        size_t left = SUMS_GROUP - (size_t)position % SUMS_GROUP;
        struct tile t = {x, rows < left ? rows : left, x_stride, activity_threshold, position};
        for (size_t lane = 0; lane < SUMS_LANES; lane += LANES_WIDTH)
            if (!add_finite(&t, sums, lane))
                for (size_t r = 0; r < t.rows; r++)
                    add_row(sums, lane, lanes_load(x + r * x_stride + lane), activity_threshold,
                            position + (int32_t)r);
        if (t.rows == left)
            end_group(sums);
        x += t.rows * x_stride;
        rows -= t.rows;
        position += (int32_t)t.rows;
    }
}
