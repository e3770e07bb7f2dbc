/* accumulator.c - folding prompts into the exact state, and merging states.
 *
 * A float64 pair becomes a 192-bit integer in three steps: each part's mantissa is
 * rounded to the grid (only parts below the last bit are touched), shifted to its
 * place, negated if need be, and added with carries. The two parts are rounded one
 * by one, so a prompt's sum is off by one unit of the grid at most. All of it is
 * integer work without branches on data, one lane a neuron, so compilers may
 * vectorise it and no instruction set can change a bit.
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

/* x << n and x >> n for n >= 0; 0 for n >= 64, where C leaves it undefined. */
static inline uint64_t shift_left(uint64_t x, int64_t n)
{
    return n < 64 ? x << (n & 63) : 0;
}

static inline uint64_t shift_right(uint64_t x, int64_t n)
{
    return n < 64 ? x >> (n & 63) : 0;
}

/* limbs[0..2] of one lane += x / 2^-scale, rounded half to even. */
static inline void add_part(uint64_t limbs[][SUMS_LANES], int lane, double x, int scale)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52 & 0x7ff);
    uint64_t mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (exponent ? (uint64_t)1 << 52 : 0);
    int64_t place = (exponent ? exponent : 1) - 1075 + scale; /* of the mantissa's last bit */
    int64_t drop = place < 0 ? -place : 0;                     /* bits below the grid        */
    if (drop > 55)
        drop = 55; /* more rounds to zero all the same: the mantissa has 53 bits */
    uint64_t half = drop ? (uint64_t)1 << ((drop - 1) & 63) : 0;
    uint64_t odd = drop ? mantissa >> drop & 1 : 0;
    mantissa = (mantissa + half - (half ? 1 : 0) + odd) >> drop;
    if (place < 0)
        place = 0;
    uint64_t sign = bits >> 63 ? ~(uint64_t)0 : 0, carry = sign & 1;
    for (int i = 0; i < ACCUMULATOR_LIMBS; i++) {
        int64_t up = place - 64 * i;
        uint64_t part = up >= 0 ? shift_left(mantissa, up) : shift_right(mantissa, -up);
        uint64_t addend = part ^ sign;
        uint64_t sum = limbs[i][lane] + addend;
        uint64_t next = sum < addend;
        sum += carry;
        next |= sum < carry;
        limbs[i][lane] = sum;
        carry = next;
    }
}

static void add_pairs(uint64_t limbs[][SUMS_LANES], const double *high, const double *low, int scale)
{
    for (int lane = 0; lane < SUMS_LANES; lane++) {
        add_part(limbs, lane, high[lane], scale);
        add_part(limbs, lane, low[lane], scale);
    }
}

/* The between-prompt sums: s1^2 and s1 n, as pairs by exact products. */
static void fold_between(struct accumulator_block *block, const struct sums *sums, uint64_t samples)
{
    double high[SUMS_LANES], low[SUMS_LANES];
    for (int i = 0; i < SUMS_LANES; i++) {
        double a = sums->high[0][i], b = sums->low[0][i];
        high[i] = a * a;
        low[i] = fma(a, a, -high[i]) + 2.0 * a * b;
    }
    add_pairs(block->between_square, high, low, ACCUMULATOR_BETWEEN_SCALE);
    for (int i = 0; i < SUMS_LANES; i++) {
        double a = sums->high[0][i], n = (double)samples;
        high[i] = a * n;
        low[i] = fma(a, n, -high[i]) + sums->low[0][i] * n;
    }
    add_pairs(block->between_product, high, low, ACCUMULATOR_BETWEEN_SCALE);
}

void accumulator_block_fold(struct accumulator_block *block, const struct sums *sums, uint64_t samples)
{
    if (samples == 0)
        return;
    for (int k = 0; k < 4; k++)
        add_pairs(block->sum[k], sums->high[k], sums->low[k], accumulator_scale[k]);
    fold_between(block, sums, samples);
    for (int i = 0; i < SUMS_LANES; i++) {
        uint64_t low = sums->low_activity[i];
        block->low_activity[i] += low;
        block->inactive[i] += sums->inactive[i];
        block->nonfinite[i] += sums->nonfinite[i];
        block->low_square[i] += low * low;
        block->low_product[i] += low * samples;
        block->min[i] = sums->min[i] < block->min[i] ? sums->min[i] : block->min[i];
        block->max[i] = sums->max[i] > block->max[i] ? sums->max[i] : block->max[i];
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
    __extension__ unsigned __int128 square = (unsigned __int128)samples * samples;
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
}

static void merge_limbs(uint64_t into[][SUMS_LANES], const uint64_t from[][SUMS_LANES])
{
    for (int lane = 0; lane < SUMS_LANES; lane++) {
        uint64_t carry = 0;
        for (int i = 0; i < ACCUMULATOR_LIMBS; i++) {
            uint64_t sum = into[i][lane] + from[i][lane];
            uint64_t next = sum < from[i][lane];
            sum += carry;
            next |= sum < carry;
            into[i][lane] = sum;
            carry = next;
        }
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
