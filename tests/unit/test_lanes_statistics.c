/* test_lanes_statistics.c - the plain sums of every instruction set against one value at a time, to the bit. */
#include "lane_buffers.h"

#define MOST_ROWS 300

/* What values a column has. */
enum kind { ORDINARY, WILD, TIES, LARGE, TINY, BAD, ZEROS, KINDS };

static float value_of(enum kind kind)
{
    static const float limits[] = {16777216.0f, -16777216.0f, 16777215.0f, -16777215.0f, 16777218.0f,
                                   NAN, INFINITY, -INFINITY, 3e38f, 1.0f};
    switch (kind) {
    case ORDINARY: return (float)reference_normal();
    case WILD: return (float)(reference_normal() * exp(reference_normal() * 8.0));
    case TIES: return (float)((int)(reference_random() % 5) - 2);
    case LARGE: return (float)(1000.0 + 0.1 * reference_normal());
    case TINY: return (float)((int)(reference_random() % 9) - 4) * 0x1p-149f;
    case BAD: return limits[reference_random() % (sizeof limits / sizeof *limits)];
    case ZEROS: return reference_random() % 2 ? 0.0f : -0.0f;
    default: return NAN;
    }
}

static void fill(float *x, size_t rows, size_t stride)
{
    for (size_t i = 0; i < rows * stride; i++)
        x[i] = NAN; /* in the gaps */
    for (int lane = 0; lane < SUMS_LANES; lane++) {
        enum kind kind = (enum kind)((size_t)lane % KINDS);
        for (size_t r = 0; r < rows; r++)
            x[r * stride + (size_t)lane] = value_of(reference_random() % 50 ? kind : BAD);
    }
}

static struct sums wanted_sums(const float *x, size_t rows, size_t stride, float threshold, int32_t position)
{
    static float column[MOST_ROWS];
    struct sums s;
    sums_start(&s);
    for (int lane = 0; lane < SUMS_LANES; lane++) {
        for (size_t r = 0; r < rows; r++)
            column[r] = x[r * stride + (size_t)lane];
        reference_sums_add(&s, lane, column, rows, threshold, position);
    }
    return s;
}

/* The same rows in pieces of any size, empty ones too. */
static void in_pieces(const struct kernels *set, const float *x, size_t rows, size_t stride, float threshold,
                      int32_t position, struct sums *sums)
{
    sums_start(sums);
    for (size_t done = 0; done < rows;) {
        size_t some = reference_random() % (rows - done + 1);
        set->statistics(some, x + done * stride, stride, threshold, position + (int32_t)done, sums);
        done += some;
    }
}

struct guarded {
    float before[16];
    struct sums sums;
    float behind[16];
} __attribute__((aligned(64)));

static bool untouched(const struct guarded *g)
{
    for (int i = 0; i < 16; i++)
        if (g->before[i] != LANE_CANARY || g->behind[i] != LANE_CANARY)
            return false;
    return true;
}

static void against_reference(const struct kernels *set)
{
    static const float thresholds[] = {0.1f, 0.0f, 1.0f, 1e-44f, 3e37f, INFINITY};
    static float block[MOST_ROWS * (SUMS_LANES + 9) + 3];
    static struct guarded got;
    bool same = true, pieces = true, guard = true;
    for (int i = 0; i < 16; i++)
        got.before[i] = got.behind[i] = LANE_CANARY;
    for (int round = 0; round < 40; round++) {
        size_t rows = random_size(0, round % 4 ? MOST_ROWS : 5), stride = SUMS_LANES + random_size(0, 9);
        float *x = block + random_size(0, 3), threshold = thresholds[round % 6];
        int32_t position = (int32_t)random_size(0, 1 << 24);
        fill(x, rows, stride);
        struct sums wanted = wanted_sums(x, rows, stride, threshold, position);
        sums_start(&got.sums);
        set->statistics(rows, x, stride, threshold, position, &got.sums);
        same = same && memcmp(&got.sums, &wanted, sizeof wanted) == 0;
        in_pieces(set, x, rows, stride, threshold, position, &got.sums);
        pieces = pieces && memcmp(&got.sums, &wanted, sizeof wanted) == 0;
        guard = guard && untouched(&got);
    }
    ok(same, "%s: sums, extremes and counts are those of the formulas, to the bit", set->name);
    ok(pieces, "%s: so in pieces", set->name);
    ok(guard, "%s: nothing is written beside the sums", set->name);
}

/* Few values whose answer is known without a formula. */
static void known_answers(const struct kernels *set)
{
    static float x[8][SUMS_LANES];
    static struct sums s __attribute__((aligned(64)));
    const float column[8] = {-0.0f, 3.0f, NAN, -3.0f, 0x1p24f, 0.05f, -INFINITY, -2.0f};
    for (int r = 0; r < 8; r++)
        for (int lane = 0; lane < SUMS_LANES; lane++)
            x[r][lane] = lane == 63 ? NAN : lane == 62 ? -0.0f : column[r];
    sums_start(&s);
    set->statistics(8, x[0], SUMS_LANES, 0.1f, 100, &s);
    double high[4], low[4], small = 0.05f;
    sums_about_zero(&s, 7, 5.0, high, low);
    is_double(high[0], -2.0 + small, 1e-15, "%s: x is summed", set->name);
    is_double(high[1], 22.0 + small * small, 1e-14, "%s: x^2 is summed", set->name);
    is_double(high[3], 178.0 + pow(small, 4.0), 1e-13, "%s: x^4 is summed", set->name);
    ok(s.min[7] == -3.0f && s.max[7] == 3.0f, "%s: least and largest leave out NaN, infinity and 2^24", set->name);
    ok(s.extreme[7] == 3.0f && s.extreme_position[7] == 101, "%s: of two as far from 0 the first is kept", set->name);
    ok(s.low_activity[7] == 2 && s.inactive[7] == 4, "%s: low activity and inactivity are counted", set->name);
    ok(s.nonfinite[7] == 3 && s.nonfinite_position[7] == 102, "%s: what is kept out is counted, the first placed",
       set->name);
    ok(s.nonfinite[63] == 8 && s.min[63] == INFINITY && s.max[63] == -INFINITY && s.extreme_position[63] == -1,
       "%s: a column of NaN leaves the rest empty", set->name);
    ok(!signbit(s.min[62]) && !signbit(s.max[62]) && !signbit(s.extreme[62]) && s.extreme_position[62] == 100,
       "%s: -0 is kept as +0", set->name);
}

int main(void)
{
    for (size_t k = 0; kernels_at(k); k++) {
        against_reference(kernels_at(k));
        known_answers(kernels_at(k));
    }
    return tap_done();
}
