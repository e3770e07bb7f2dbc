/* test_lanes_fold.c - folding in every instruction set against stats/accumulator.c, to the bit. */
#include "lane_buffers.h"

#define MOST_ROWS 200

/* What a neuron's values are. */
enum kind { ORDINARY, WILD, TIES, LARGE, TINY, ZEROS, BAD, MASSIVE_FIRST, NEXT_TO_LIMIT, KINDS };

static float value_of(enum kind kind, size_t row)
{
    switch (kind) {
    case ORDINARY: return (float)reference_normal();
    case WILD: return (float)(reference_normal() * exp(reference_normal() * 8.0));
    case TIES: return (float)((int)(reference_random() % 5) - 2);
    case LARGE: return (float)(1000.0 + 0.1 * reference_normal());
    case TINY: return (float)((int)(reference_random() % 9) - 4) * 0x1p-149f;
    case ZEROS: return reference_random() % 2 ? 0.0f : -0.0f;
    case MASSIVE_FIRST: return row == 0 ? -5000.0f : (float)reference_normal() * 1e-3f;
    case NEXT_TO_LIMIT: return reference_random() % 2 ? 0x1.fffffep23f : -0x1.fffffep23f;
    default: return reference_random() % 2 ? NAN : INFINITY;
    }
}

/* A state as many prompts might have left it, long runs of ones and zeros included. */
static void random_state(struct accumulator_block *block)
{
    uint64_t *limb = &block->sum[0][0][0];
    accumulator_block_clear(block);
    for (size_t i = 0; i < 6 * ACCUMULATOR_LIMBS * SUMS_LANES; i++)
        limb[i] = reference_random() % 3 ? reference_random() : reference_random() % 2 ? UINT64_MAX : 0;
    for (int i = 0; i < SUMS_LANES; i++) {
        block->low_activity[i] = reference_random() >> 20;
        block->inactive[i] = reference_random() >> 20;
        block->nonfinite[i] = reference_random() >> 20;
        block->low_square[i] = reference_random();
        block->low_product[i] = reference_random();
        block->min[i] = (float)reference_normal();
        block->max[i] = block->min[i] + 1.0f;
    }
}

static bool folds_alike(const struct kernels *set, const struct sums *sums, uint64_t samples)
{
    static struct accumulator_block got __attribute__((aligned(64))), wanted;
    random_state(&wanted);
    got = wanted;
    accumulator_block_fold(&wanted, sums, samples);
    set->fold(&got, sums, samples);
    return memcmp(&got, &wanted, sizeof got) == 0;
}

/* Prompts of real values; `kinds` of them a block, so that few of the blocks hold the hugest. */
static bool real_prompts(const struct kernels *set, size_t kinds)
{
    static struct sums sums __attribute__((aligned(64)));
    float column[MOST_ROWS];
    bool same = true;
    for (int round = 0; round < 300; round++) {
        size_t rows = random_size(1, round % 3 ? 12 : MOST_ROWS);
        int32_t position = (int32_t)random_size(0, 100);
        sums_start(&sums);
        for (int lane = 0; lane < SUMS_LANES; lane++) {
            for (size_t r = 0; r < rows; r++)
                column[r] = value_of((enum kind)(reference_random() % 40 ? (size_t)lane % kinds : BAD), r);
            reference_sums_add(&sums, lane, column, rows, 0.1f, position);
        }
        same = same && folds_alike(set, &sums, rows);
    }
    return same;
}

/* Any sign; exponents from below the grid's last bit to its 150th; short mantissas, so that parts lie
 * halfway between two units. */
static double random_part(int scale, int most)
{
    uint64_t bits = reference_random(), keep = reference_random() % 53;
    int exponent = (int)(reference_random() % (unsigned)(most + 8)) - 5 - scale;
    bits = (bits >> keep << keep & 0x800fffffffffffffu) | (uint64_t)(1023 + exponent) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return reference_random() % 30 ? x : x * 0.0;
}

static bool bare_parts(const struct kernels *set)
{
    static struct sums sums __attribute__((aligned(64)));
    bool same = true;
    for (int round = 0; round < 1000; round++) {
        sums_start(&sums);
        for (int lane = 0; lane < SUMS_LANES; lane++) {
            for (int k = 0; k < 4; k++) {
                sums.high[k][lane] = random_part(accumulator_scale[k], 147);
                sums.low[k][lane] = random_part(accumulator_scale[k], round % 2 ? 147 : 60);
            }
            sums.min[lane] = sums.max[lane] = 1.0f;
        }
        same = same && folds_alike(set, &sums, random_size(1, 1000));
    }
    return same;
}

/* The sizes at which the short way ends, from both sides. */
static bool at_the_ends(const struct kernels *set)
{
    static struct sums sums __attribute__((aligned(64)));
    bool same = true;
    for (int exponent = -10; exponent <= 23; exponent++)
        for (uint64_t samples = 1; samples < (uint64_t)1 << 36; samples = samples * 4 - 1) {
            float value = ldexpf(exponent % 2 ? 0x1.fffffep0f : 1.0f, exponent);
            double n = (double)samples;
            sums_start(&sums);
            for (int lane = 0; lane < SUMS_LANES; lane++) { /* all its values are -+value, the first -value */
                double d = lane % 2 ? 2.0 * (double)value : 0.0;
                for (int k = 0; k < 4; k++)
                    sums.high[k][lane] = (n - 1.0) * pow(d, k + 1);
                sums.centre[lane] = sums.min[lane] = -value;
                sums.max[lane] = lane % 2 ? value : -value;
                sums.low_activity[lane] = UINT32_MAX - (uint32_t)lane;
            }
            same = same && folds_alike(set, &sums, samples);
        }
    return same;
}

static void nothing(const struct kernels *set)
{
    static struct accumulator_block got, wanted;
    static struct sums sums __attribute__((aligned(64)));
    sums_start(&sums);
    random_state(&wanted);
    got = wanted;
    set->fold(&got, &sums, 0);
    is_bytes(&got, &wanted, sizeof got, "%s: a prompt without samples changes nothing", set->name);
    ok(folds_alike(set, &sums, 7), "%s: so do lanes without a neuron", set->name);
}

int main(void)
{
    for (size_t k = 0; kernels_at(k); k++) {
        const struct kernels *set = kernels_at(k);
        ok(real_prompts(set, BAD), "%s: prompts are folded as stats does it", set->name);
        ok(real_prompts(set, KINDS), "%s: so are those with massive values and without any", set->name);
        ok(bare_parts(set), "%s: so are pairs of any exponent, halves of a unit too", set->name);
        ok(at_the_ends(set), "%s: so are sums about the largest that the short way takes", set->name);
        nothing(set);
    }
    return tap_done();
}
