/* accumulator.c - folding prompts into the exact state, and merging states.
 *
 * A float64 pair becomes a 192-bit integer in three steps: each part's mantissa is
 * rounded to the grid (only parts below the last bit are touched), shifted to its
 * place, negated if need be, and added with carries. The two parts are rounded one by one, so a
 * prompt's sum is off by one unit of the grid at most. All of it is
 * integer work, so no instruction set can change a bit. Kernels have a faster form
 * (kernels/lanes_fold.c); this one says what it must give, and does what that leaves out.
 *
 * Rejected: floating-point expansions (order matters), 128 bits (either x^4 of 1e5
 * or the variance of 1e-5 is lost), one exponent a neuron (depends on order).
 */
#include "accumulator.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "../base/memory.h"

const int accumulator_scale[4] = {128, 112, 104, 88};

_Static_assert(sizeof(struct accumulator_block) == 192 * SUMS_LANES, "192 bytes a neuron and series");
_Static_assert(sizeof(struct accumulator_extreme) == 32, "no hidden padding in the state");

enum status accumulator_init(struct accumulator *a, size_t layers, size_t neurons, struct error *e)
{
    memset(a, 0, sizeof *a);
    size_t blocks = (neurons + SUMS_LANES - 1) / SUMS_LANES, total;
    if (!memory_multiply(blocks, layers, &total) || !memory_multiply(total, SERIES_COUNT, &total))
        return error_set(e, STATUS_FAILED, "%zu layers of %zu neurons are too many", layers, neurons);
    enum status status = memory_uninitialised(&a->block, total, sizeof *a->block, "the statistics", e);
    if (status == STATUS_OK)
        status = memory_array(&a->layer, layers, sizeof *a->layer, "the statistics", e);
    if (status != STATUS_OK) {
        accumulator_free(a);
        return status;
    }
    a->layers = layers;
    a->neurons = neurons;
    a->blocks = blocks;
    for (size_t i = 0; i < total; i++)
        accumulator_block_clear(&a->block[i]);
    for (size_t l = 0; l < layers; l++)
        accumulator_layer_clear(&a->layer[l]);
    return STATUS_OK;
}

void accumulator_free(struct accumulator *a)
{
    memory_free(a->block);
    memory_free(a->layer);
    memset(a, 0, sizeof *a);
}

size_t accumulator_bytes(size_t layers, size_t neurons)
{
    size_t blocks = (neurons + SUMS_LANES - 1) / SUMS_LANES;
    return layers * (blocks * SERIES_COUNT * sizeof(struct accumulator_block) + sizeof(struct accumulator_layer));
}

void accumulator_block_clear(struct accumulator_block *block)
{
    memset(block, 0, sizeof *block);
    for (int i = 0; i < SUMS_LANES; i++) {
        block->min[i] = INFINITY;
        block->max[i] = -INFINITY;
    }
}

void accumulator_layer_clear(struct accumulator_layer *layer)
{
    memset(layer, 0, sizeof *layer);
    for (int i = 0; i < ACCUMULATOR_EXTREMES; i++)
        layer->extremes[i].neuron = -1;
}

struct accumulator_block *accumulator_blocks(const struct accumulator *a, size_t layer, enum series series)
{
    return a->block + (layer * SERIES_COUNT + series) * a->blocks;
}

__extension__ typedef unsigned __int128 two_limbs;

/* limbs[0..2] of one lane += three limbs; what leaves the top is lost, as two's
 * complement wants it. */
static inline void add_limbs(uint64_t limbs[][SUMS_LANES], int lane, const uint64_t addend[], uint64_t carry)
{
    two_limbs sum = carry;
    for (int i = 0; i < ACCUMULATOR_LIMBS; i++) {
        sum += (two_limbs)limbs[i][lane] + addend[i];
        limbs[i][lane] = (uint64_t)sum;
        sum >>= 64;
    }
}

/* limbs[0..2] of one lane += x / 2^-scale, rounded half to even. */
static inline void add_part(uint64_t limbs[][SUMS_LANES], int lane, double x, int scale)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(exponent != 0) << 52;
    int place = (exponent ? exponent : 1) - 1075 + scale; /* of the mantissa's last bit */
    if (place < 0) {
        int drop = place < -55 ? 55 : -place; /* bits below the grid; 54 and more round to zero */
        uint64_t half = (uint64_t)1 << (drop - 1), odd = mantissa >> drop & 1;
        mantissa = (mantissa + half - 1 + odd) >> drop;
        place = 0;
    }
    two_limbs shifted = (two_limbs)mantissa << (place & 63);
    uint64_t low = (uint64_t)shifted, high = (uint64_t)(shifted >> 64), sign = 0 - (bits >> 63);
    int limb = place >> 6;
    uint64_t addend[ACCUMULATOR_LIMBS] = {limb == 0 ? low : 0, limb == 0 ? high : limb == 1 ? low : 0,
                                          limb == 1 ? high : limb == 2 ? low : 0};
    for (int i = 0; i < ACCUMULATOR_LIMBS; i++)
        addend[i] ^= sign; /* -a = ~a + 1 */
    add_limbs(limbs, lane, addend, sign & 1);
}

static void add_parts(uint64_t limbs[][SUMS_LANES], const double *x, int scale)
{
    for (int lane = 0; lane < SUMS_LANES; lane++)
        add_part(limbs, lane, x[lane], scale);
}

static void add_pairs(uint64_t limbs[][SUMS_LANES], const double *high, const double *low, int scale)
{
    add_parts(limbs, high, scale);
    add_parts(limbs, low, scale);
}

/* The between-prompt sums: s1^2 and s1 n, as pairs by exact products of the pair s1. */
static void fold_between(struct accumulator_block *block, const double *s1, const double *s1_low, uint64_t samples)
{
    double high[SUMS_LANES], low[SUMS_LANES];
    for (int i = 0; i < SUMS_LANES; i++) {
        double a = s1[i], b = s1_low[i];
        high[i] = a * a;
        low[i] = fma(a, a, -high[i]) + 2.0 * a * b;
    }
    add_pairs(block->between_square, high, low, ACCUMULATOR_BETWEEN_SCALE);
    for (int i = 0; i < SUMS_LANES; i++) {
        double a = s1[i], n = (double)samples;
        high[i] = a * n;
        low[i] = fma(a, n, -high[i]) + s1_low[i] * n;
    }
    add_pairs(block->between_product, high, low, ACCUMULATOR_BETWEEN_SCALE);
}

static void fold_sums(struct accumulator_block *block, const struct sums *sums, uint64_t samples)
{
    double high[4][SUMS_LANES], low[4][SUMS_LANES], h[4], l[4];
    for (int i = 0; i < SUMS_LANES; i++) {
        sums_about_zero(sums, i, (double)samples - (double)sums->nonfinite[i], h, l);
        for (int k = 0; k < 4; k++) {
            high[k][i] = h[k];
            low[k][i] = l[k];
        }
    }
    for (int k = 0; k < 4; k++)
        add_pairs(block->sum[k], high[k], low[k], accumulator_scale[k]);
    fold_between(block, high[0], low[0], samples);
}

void accumulator_block_fold(struct accumulator_block *block, const struct sums *sums, uint64_t samples)
{
    if (samples == 0)
        return;
    fold_sums(block, sums, samples);
    for (int i = 0; i < SUMS_LANES; i++) {
        uint64_t low = sums->low_activity[i];
        block->low_activity[i] += low;
        block->inactive[i] += sums->inactive[i];
        block->nonfinite[i] += sums->nonfinite[i];
        block->low_square[i] += low * low;
        block->low_product[i] += low * samples;
        float min = sums->min[i] + 0.0f, max = sums->max[i] + 0.0f; /* -0 becomes +0 */
        block->min[i] = min < block->min[i] ? min : block->min[i];
        block->max[i] = max > block->max[i] ? max : block->max[i];
    }
}

static void add_128(uint64_t into[2], uint64_t low, uint64_t high)
{
    into[0] += low;
    into[1] += high + (into[0] < low);
}

void accumulator_layer_fold(struct accumulator_layer *layer, uint64_t samples)
{
    if (samples == 0)
        return;
    two_limbs square = (two_limbs)samples * samples;
    layer->samples += samples;
    layer->prompts++;
    add_128(layer->samples_square, (uint64_t)square, (uint64_t)(square >> 64));
}

static int better(const struct accumulator_extreme *a, const struct accumulator_extreme *b)
{
    float x = fabsf(a->value), y = fabsf(b->value);
    if (x != y)
        return x > y;
    if (a->neuron != b->neuron)
        return a->neuron < b->neuron;
    for (int i = 0; i < 2; i++)
        if (a->hash[i] != b->hash[i])
            return a->hash[i] < b->hash[i];
    if (a->position != b->position)
        return a->position < b->position;
    return a->value > b->value;
}

float accumulator_extreme_floor(const struct accumulator_layer *layer)
{
    const struct accumulator_extreme *last = &layer->extremes[ACCUMULATOR_EXTREMES - 1];
    return last->neuron < 0 ? 0.0f : fabsf(last->value);
}

void accumulator_extreme_offer(struct accumulator_layer *layer, const struct accumulator_extreme *offer)
{
    struct accumulator_extreme *list = layer->extremes;
    assert(offer->neuron >= 0 && isfinite(offer->value));
    int hole = ACCUMULATOR_EXTREMES - 1; /* the entry that goes: the neuron's old one, or the last */
    for (int i = 0; i < ACCUMULATOR_EXTREMES; i++)
        if (list[i].neuron == offer->neuron)
            hole = i;
    if (list[hole].neuron >= 0 && !better(offer, &list[hole]))
        return;
    while (hole > 0 && (list[hole - 1].neuron < 0 || better(offer, &list[hole - 1]))) {
        list[hole] = list[hole - 1];
        hole--;
    }
    list[hole] = *offer;
    list[hole].value += 0.0f; /* -0 becomes +0 */
    list[hole].unused = 0;
}

static void merge_limbs(uint64_t into[][SUMS_LANES], const uint64_t from[][SUMS_LANES])
{
    for (int lane = 0; lane < SUMS_LANES; lane++) {
        const uint64_t addend[ACCUMULATOR_LIMBS] = {from[0][lane], from[1][lane], from[2][lane]};
        add_limbs(into, lane, addend, 0);
    }
}

void accumulator_block_merge(struct accumulator_block *into, const struct accumulator_block *from)
{
    for (int k = 0; k < 4; k++)
        merge_limbs(into->sum[k], from->sum[k]);
    merge_limbs(into->between_square, from->between_square);
    merge_limbs(into->between_product, from->between_product);
    for (int i = 0; i < SUMS_LANES; i++) {
        into->low_activity[i] += from->low_activity[i];
        into->inactive[i] += from->inactive[i];
        into->nonfinite[i] += from->nonfinite[i];
        into->low_square[i] += from->low_square[i];
        into->low_product[i] += from->low_product[i];
        into->min[i] = from->min[i] < into->min[i] ? from->min[i] : into->min[i];
        into->max[i] = from->max[i] > into->max[i] ? from->max[i] : into->max[i];
    }
}

void accumulator_layer_merge(struct accumulator_layer *into, const struct accumulator_layer *from)
{
    into->samples += from->samples;
    into->prompts += from->prompts;
    add_128(into->samples_square, from->samples_square[0], from->samples_square[1]);
    for (int i = 0; i < ACCUMULATOR_EXTREMES; i++)
        if (from->extremes[i].neuron >= 0)
            accumulator_extreme_offer(into, &from->extremes[i]);
}

void accumulator_merge(struct accumulator *into, const struct accumulator *from)
{
    assert(into->layers == from->layers && into->neurons == from->neurons);
    for (size_t i = 0; i < into->layers * SERIES_COUNT * into->blocks; i++)
        accumulator_block_merge(&into->block[i], &from->block[i]);
    for (size_t l = 0; l < into->layers; l++)
        accumulator_layer_merge(&into->layer[l], &from->layer[l]);
}
