/* test_accumulator.c - folding against single bits of a 192-bit number, merging in any order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "reference_sums.h"
#include "stats/accumulator.h"
#include "tap.h"

#define BITS 192

/* ---- an independent 192-bit number: one byte a bit --------------------------- */

struct bits {
    uint8_t bit[BITS]; /* least significant first; what passes the top is lost */
};

static void bits_add_power(struct bits *b, int place)
{
    while (place < BITS && b->bit[place])
        b->bit[place++] = 0;
    if (place < BITS)
        b->bit[place] = 1;
}

static void bits_negate(struct bits *b)
{
    for (int i = 0; i < BITS; i++)
        b->bit[i] ^= 1;
    bits_add_power(b, 0);
}

/* b += x * 2^scale, rounded by rint (half to even). */
static void bits_add(struct bits *b, double x, int scale)
{
    int exponent;
    double fraction = frexp(fabs(x), &exponent); /* in [1/2, 1) */
    int place = exponent + scale - 53;
    if (place < 0) {
        fraction = ldexp(rint(ldexp(fraction, 53 + place)), -53);
        place = 0;
    }
    uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    if (x < 0)
        bits_negate(b); /* b - m = -(-b + m) */
    for (int i = 0; i < 53; i++)
        if (mantissa >> i & 1)
            bits_add_power(b, place + i);
    if (x < 0)
        bits_negate(b);
}

static bool bits_equal(const struct bits *b, uint64_t limbs[][SUMS_LANES], int lane)
{
    for (int i = 0; i < BITS; i++)
        if ((limbs[i / 64][lane] >> (i % 64) & 1) != b->bit[i])
            return false;
    return true;
}

/* Any exponent, both signs; many short mantissas, so that ties occur. */
static double random_double(void)
{
    uint64_t bits = reference_random(), keep = reference_random() % 53;
    bits = bits >> keep << keep;
    uint64_t exponent = reference_random() % 4 ? 1023 - 200 + reference_random() % 400 : reference_random() % 2047;
    bits = (bits & 0x800fffffffffffffu) | exponent << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void fold_against_bits(void)
{
    static struct accumulator_block block;
    static struct bits wanted[4];
    struct sums s;
    const int lane = 41;
    bool held[4] = {true, true, true, true}, others = true;
    accumulator_block_clear(&block);
    for (int round = 0; round < 4000; round++) {
        sums_start(&s);
        for (int k = 0; k < 4; k++) {
            s.high[k][lane] = random_double(); /* about centre 0: the sums about zero already */
            s.low[k][lane] = random_double();
            bits_add(&wanted[k], s.high[k][lane], accumulator_scale[k]);
            bits_add(&wanted[k], s.low[k][lane], accumulator_scale[k]);
        }
        s.high[0][lane + 1] = -0.0;
        accumulator_block_fold(&block, &s, 1);
        for (int k = 0; k < 4; k++)
            held[k] &= bits_equal(&wanted[k], block.sum[k], lane);
    }
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            others &= !block.sum[k][i][lane - 1] && !block.sum[k][i][lane + 1];
    for (int k = 0; k < 4; k++)
        ok(held[k], "the parts of the sum of x^%d are rounded half to even and added, for all exponents", k + 1);
    ok(others, "other lanes stay zero");
    ok(accumulator_scale[0] == 128 && accumulator_scale[1] == 112 && accumulator_scale[2] == 104 &&
           accumulator_scale[3] == 88 && ACCUMULATOR_BETWEEN_SCALE == 96,
       "the grids are those that archives hold");
}

static void fold_carries(void)
{
    static struct accumulator_block block;
    struct sums s;
    accumulator_block_clear(&block);
    sums_start(&s);
    s.high[0][0] = -0x1p-128;
    accumulator_block_fold(&block, &s, 1);
    ok(block.sum[0][0][0] == UINT64_MAX && block.sum[0][1][0] == UINT64_MAX && block.sum[0][2][0] == UINT64_MAX,
       "minus one unit is all ones");
    s.high[0][0] = 0x1p-127;
    accumulator_block_fold(&block, &s, 1);
    ok(block.sum[0][0][0] == 1 && !block.sum[0][1][0] && !block.sum[0][2][0], "adding two carries through all limbs");
    static struct accumulator_block ones, one;
    accumulator_block_clear(&ones);
    accumulator_block_clear(&one);
    for (int i = 0; i < 3; i++)
        ones.sum[3][i][63] = UINT64_MAX;
    one.sum[3][0][63] = 1;
    accumulator_block_merge(&ones, &one);
    ok(!ones.sum[3][0][63] && !ones.sum[3][1][63] && !ones.sum[3][2][63], "so does merging");
}

static void fold_facts(void)
{
    static struct accumulator_block block, before;
    struct sums s;
    const float x[5] = {-0.0f, 0.05f, -3.0f, NAN, 2.0f};
    accumulator_block_clear(&block);
    before = block;
    sums_start(&s);
    accumulator_block_fold(&block, &s, 0);
    is_bytes(&block, &before, sizeof block, "a prompt without samples changes nothing");
    reference_sums_add(&s, 5, x, 5, 0.1f, 0);
    s.min[7] = s.max[7] = -0.0f;
    accumulator_block_fold(&block, &s, 5);
    accumulator_block_fold(&block, &s, 5);
    is_uint(block.low_activity[5], 4, "low activity is counted");
    is_uint(block.inactive[5], 6, "inactive is counted");
    is_uint(block.nonfinite[5], 2, "non-finite values are counted");
    is_uint(block.low_square[5], 8, "squares of a prompt's low activity are added");
    is_uint(block.low_product[5], 20, "products of low activity and samples are added");
    ok(block.min[5] == -3.0f && block.max[5] == 2.0f, "min and max are kept");
    ok(!signbit(block.min[7]) && !signbit(block.max[7]), "-0 becomes +0");
    struct bits square = {{0}}, product = {{0}};
    double sum = (double)0.05f - 1.0;
    for (int i = 0; i < 2; i++) {
        bits_add(&square, sum * sum, ACCUMULATOR_BETWEEN_SCALE);
        bits_add(&square, fma(sum, sum, -sum * sum), ACCUMULATOR_BETWEEN_SCALE);
        bits_add(&product, sum * 5.0, ACCUMULATOR_BETWEEN_SCALE);
        bits_add(&product, fma(sum, 5.0, -sum * 5.0), ACCUMULATOR_BETWEEN_SCALE);
    }
    ok(bits_equal(&square, block.between_square, 5), "squares of prompts' sums are exact products");
    ok(bits_equal(&product, block.between_product, 5), "products of prompts' sums and samples too");
    sums_start(&s);
    s.high[0][6] = 3.0;
    s.low[0][6] = -0x1p-60;
    accumulator_block_fold(&block, &s, 5);
    memset(&square, 0, sizeof square);
    memset(&product, 0, sizeof product);
    bits_add(&square, 9.0, ACCUMULATOR_BETWEEN_SCALE);
    bits_add(&square, -0x6p-60, ACCUMULATOR_BETWEEN_SCALE);
    bits_add(&product, 15.0, ACCUMULATOR_BETWEEN_SCALE);
    bits_add(&product, -0x5p-60, ACCUMULATOR_BETWEEN_SCALE);
    ok(bits_equal(&square, block.between_square, 6) && bits_equal(&product, block.between_product, 6),
       "the low part of a prompt's sum takes part");
    struct accumulator_layer layer;
    accumulator_layer_clear(&layer);
    accumulator_layer_fold(&layer, 0);
    accumulator_layer_fold(&layer, (uint64_t)1 << 33);
    accumulator_layer_fold(&layer, UINT64_MAX >> 20);
    is_uint(layer.prompts, 2, "prompts with samples are counted");
    is_uint(layer.samples, ((uint64_t)1 << 33) + (UINT64_MAX >> 20), "samples are counted");
    __extension__ unsigned __int128 wanted = (unsigned __int128)1 << 66;
    wanted += (unsigned __int128)(UINT64_MAX >> 20) * (UINT64_MAX >> 20);
    ok(layer.samples_square[0] == (uint64_t)wanted && layer.samples_square[1] == (uint64_t)(wanted >> 64),
       "squares of samples have 128 bits");
}

/* ---- merging ------------------------------------------------------------------ */

#define LAYERS 2
#define NEURONS 70
#define PROMPTS 24

/* Values over sixty binades, some NaN, some next to the limit. */
static void add_wild(struct sums *s, int lane, size_t length)
{
    float x[9];
    for (size_t t = 0; t < length; t++) {
        double wild = ldexp(reference_normal(), (int)(reference_random() % 60) - 40);
        x[t] = reference_random() % 50 ? (float)wild : reference_random() % 2 ? NAN : 0x1.fffffep23f;
    }
    reference_sums_add(s, lane, x, length, 0.1f, 0);
}

/* Prompt `p` into a state: all its values follow from the seed p. Extremes have few values,
 * so that they tie in all ways. */
static void fold_prompt(struct accumulator *a, int p)
{
    reference_state = 1000003u * (uint64_t)(p + 1);
    size_t length = 1 + reference_random() % 9;
    struct accumulator_extreme offer = {.hash = {reference_random() % 3, reference_random() % 2}};
    for (size_t l = 0; l < LAYERS; l++) {
        for (size_t b = 0; b < SERIES_COUNT * a->blocks; b++) {
            struct sums s;
            sums_start(&s);
            for (size_t i = b % a->blocks * SUMS_LANES, lane = 0; i < NEURONS && lane < SUMS_LANES; i++, lane++)
                add_wild(&s, (int)lane, length);
            accumulator_block_fold(accumulator_blocks(a, l, SERIES_GATE) + b, &s, length);
        }
        for (offer.neuron = 0; offer.neuron < NEURONS; offer.neuron++) {
            offer.value = (float)((int)(reference_random() % 9) - 4);
            offer.position = (int32_t)(reference_random() % 2);
            accumulator_extreme_offer(&a->layer[l], &offer);
        }
        accumulator_layer_fold(&a->layer[l], length);
    }
}

static void start(struct accumulator *a)
{
    struct error e;
    if (accumulator_init(a, LAYERS, NEURONS, &e) != STATUS_OK)
        bail("%s", e.sentence);
}

static bool equal(const struct accumulator *a, const struct accumulator *b)
{
    return memcmp(a->block, b->block, LAYERS * SERIES_COUNT * a->blocks * sizeof *a->block) == 0 &&
           memcmp(a->layer, b->layer, LAYERS * sizeof *a->layer) == 0;
}

/* All prompts, in random order, into random groups, merged in random order and grouping. */
static void shuffled(struct accumulator *result)
{
    enum { GROUPS = 5 };
    struct accumulator group[GROUPS];
    int order[PROMPTS];
    uint64_t seed = reference_state;
    for (int i = 0; i < PROMPTS; i++) {
        int j = (int)(reference_random() % (unsigned)(i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    uint64_t chosen[PROMPTS];
    for (int i = 0; i < PROMPTS; i++)
        chosen[i] = reference_random() % GROUPS;
    for (int g = 0; g < GROUPS; g++)
        start(&group[g]);
    for (int i = 0; i < PROMPTS; i++)
        fold_prompt(&group[chosen[i]], order[i]);
    reference_state = seed * 7 + 1;
    for (int left = GROUPS; left > 1; left--) {
        int into = (int)(reference_random() % (unsigned)left), from = (int)(reference_random() % (unsigned)(left - 1));
        from += from >= into;
        accumulator_merge(&group[into], &group[from]);
        accumulator_free(&group[from]);
        group[from] = group[left - 1];
        if (into == left - 1)
            into = from;
    }
    *result = group[0];
}

static void merge_any_order(void)
{
    struct accumulator wanted, got, empty;
    start(&wanted);
    start(&empty);
    for (int p = 0; p < PROMPTS; p++)
        fold_prompt(&wanted, p);
    bool held = true;
    for (int round = 0; round < 40; round++) {
        reference_state = 12345u + (unsigned)round * 7919u;
        shuffled(&got);
        held &= equal(&got, &wanted);
        accumulator_free(&got);
    }
    ok(held, "any order and any grouping of prompts and merges gives the same bytes");
    start(&got);
    accumulator_merge(&got, &wanted);
    ok(equal(&got, &wanted), "merging into the empty state gives the other state");
    accumulator_merge(&got, &empty);
    ok(equal(&got, &wanted), "merging nothing changes nothing");
    accumulator_free(&got);
    accumulator_free(&wanted);
    accumulator_free(&empty);
}

/* ---- the largest values ------------------------------------------------------ */

#define OFFERS 300

static int by_rule(const void *a, const void *b)
{
    const struct accumulator_extreme *x = a, *y = b;
    if (fabsf(x->value) != fabsf(y->value))
        return fabsf(x->value) > fabsf(y->value) ? -1 : 1;
    if (x->neuron != y->neuron)
        return x->neuron < y->neuron ? -1 : 1;
    if (x->hash[0] != y->hash[0])
        return x->hash[0] < y->hash[0] ? -1 : 1;
    if (x->hash[1] != y->hash[1])
        return x->hash[1] < y->hash[1] ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return (x->value < y->value) - (x->value > y->value);
}

static void extremes(void)
{
    static struct accumulator_extreme offers[OFFERS];
    bool held = true, floors = true;
    for (int round = 0; round < 200; round++) {
        struct accumulator_layer layer;
        struct accumulator_extreme wanted[ACCUMULATOR_EXTREMES];
        int count = (int)(reference_random() % OFFERS), neurons = 1 + (int)(reference_random() % 40), listed = 0;
        accumulator_layer_clear(&layer);
        floors &= accumulator_extreme_floor(&layer) == 0.0f;
        for (int i = 0; i < count; i++) {
            memset(&offers[i], 0, sizeof offers[i]);
            offers[i].hash[0] = reference_random() % 2;
            offers[i].hash[1] = reference_random() % 2;
            offers[i].value = (float)((int)(reference_random() % 13) - 6);
            offers[i].neuron = (int32_t)(reference_random() % (unsigned)neurons);
            offers[i].position = (int32_t)(reference_random() % 3);
            accumulator_extreme_offer(&layer, &offers[i]);
        }
        qsort(offers, (size_t)count, sizeof offers[0], by_rule);
        for (int i = 0; i < count && listed < ACCUMULATOR_EXTREMES; i++) {
            bool known = false;
            for (int j = 0; j < listed; j++)
                known |= wanted[j].neuron == offers[i].neuron;
            if (!known)
                wanted[listed++] = offers[i];
        }
        held &= memcmp(wanted, layer.extremes, (size_t)listed * sizeof wanted[0]) == 0;
        if (listed < ACCUMULATOR_EXTREMES)
            held &= layer.extremes[listed].neuron == -1;
        else
            floors &= accumulator_extreme_floor(&layer) == fabsf(wanted[listed - 1].value);
    }
    ok(held, "the list is the sixteen largest, one a neuron, ties by neuron, hash, position, sign");
    ok(floors, "the floor is the last entry's magnitude, 0 while the list is not full");
    struct accumulator_layer layer;
    struct accumulator_extreme offer = {.value = -0.0f, .neuron = 3, .unused = 9};
    accumulator_layer_clear(&layer);
    accumulator_extreme_offer(&layer, &offer);
    ok(!signbit(layer.extremes[0].value) && layer.extremes[0].unused == 0, "no stray bits get into the list");
}

static void allocation(void)
{
    struct accumulator a;
    struct error e;
    is_int(accumulator_init(&a, SIZE_MAX / 2, SIZE_MAX / 2, &e), STATUS_FAILED, "a size past size_t is refused");
    for (long n = 0; n < 2; n++) {
        failing_memory_left = n;
        ok(accumulator_init(&a, 2, 70, &e) == STATUS_FAILED && !a.block && !a.layer && failing_memory_held == 0,
           "allocation %ld failing leaves nothing behind", n + 1);
    }
    failing_memory_left = -1;
    is_uint(accumulator_bytes(32, 8192), 32 * (3 * 128 * 12288 + sizeof(struct accumulator_layer)),
            "bytes are 192 a neuron and series");
    ok(accumulator_init(&a, 2, 64, &e) == STATUS_OK && a.blocks == 1, "64 neurons are one block");
    ok(accumulator_blocks(&a, 1, SERIES_UP) == a.block + 4, "blocks lie by layer, series, block");
    accumulator_free(&a);
    accumulator_free(&a);
    ok(failing_memory_held == 0, "freeing twice is allowed");
}

int main(void)
{
    fold_against_bits();
    fold_carries();
    fold_facts();
    merge_any_order();
    extremes();
    allocation();
    return tap_done();
}
