/* accumulator.h - the exact state of a profile: integers, merged in any order.
 *
 * Flow: plain sums of a prompt -> *accumulator* -> merge (MPI, archives) -> moments.
 *
 * Every sum is a signed 192-bit integer in units of 2^-ACCUMULATOR_SCALE[k]
 * (two's complement, three 64-bit limbs, least significant first). The two
 * float64 parts of a prompt's sum about zero are rounded once to that grid, half to even, and
 * from there on integers are added: exact, so the order of prompts, ranks and merges can't show.
 *
 *   sum             unit     holds up to   between prompts      unit    up to
 *   x               2^-128   2^63          s1^2                 2^-96   2^95
 *   x^2             2^-112   2^79          s1 * n               2^-96   2^95
 *   x^3             2^-104   2^87
 *   x^4             2^-88    2^103
 *
 * Where a sum could have passed its range, which n, min, max and the sum of x^2
 * tell exactly (moments.h), the moment is missing, never wrong.
 *
 * Layout: blocks of 64 neurons, lanes side by side, so that folding and merging
 * vectorise and a block is one MPI element. 192 bytes a neuron and series.
 */
#ifndef PHI3SAT_STATS_ACCUMULATOR_H
#define PHI3SAT_STATS_ACCUMULATOR_H

#include <stdint.h>
#include <stddef.h>

#include "../base/error.h"
#include "sums.h"

#define ACCUMULATOR_LIMBS 3
#define ACCUMULATOR_EXTREMES 16

/* Binary places of the grids: x, x^2, x^3, x^4; s1^2 and s1*n. */
extern const int accumulator_scale[4];
#define ACCUMULATOR_BETWEEN_SCALE 96

struct accumulator_block {
    uint64_t sum[4][ACCUMULATOR_LIMBS][SUMS_LANES];          /* sums of x^k            */
    uint64_t between_square[ACCUMULATOR_LIMBS][SUMS_LANES];  /* sum over prompts of s1^2  */
    uint64_t between_product[ACCUMULATOR_LIMBS][SUMS_LANES]; /* ... of s1 * n             */
    uint64_t low_activity[SUMS_LANES];                       /* samples                   */
    uint64_t inactive[SUMS_LANES];
    uint64_t nonfinite[SUMS_LANES];
    uint64_t low_square[SUMS_LANES];                         /* sum over prompts of low^2 */
    uint64_t low_product[SUMS_LANES];                        /* ... of low * n            */
    float min[SUMS_LANES];                                   /* +inf: no sample           */
    float max[SUMS_LANES];
};

/* One entry of a layer's list of largest |ffn|. Order: larger magnitude, then
 * lower neuron, hash (as two numbers, [0] first), position, then the positive value. An unused entry has
 * neuron -1. */
struct accumulator_extreme {
    uint64_t hash[2];   /* prompt                                               */
    float value;        /* signed                                               */
    int32_t neuron;
    int32_t position;   /* token position in the prompt                         */
    int32_t unused;     /* 0: every byte of the state is defined                */
};

/* What a layer knows apart from its neurons. */
struct accumulator_layer {
    uint64_t samples;           /* n: tokens, all prompts                       */
    uint64_t prompts;           /* with at least one sample                     */
    uint64_t samples_square[2]; /* sum over prompts of n^2: 128 bits, low first */
    struct accumulator_extreme extremes[ACCUMULATOR_EXTREMES]; /* best first      */
};

struct accumulator {
    size_t layers;
    size_t neurons;                   /* a layer: the intermediate size           */
    size_t blocks;                    /* a layer and series: neurons / 64, up     */
    struct accumulator_block *block;  /* [layers][SERIES_COUNT][blocks]           */
    struct accumulator_layer *layer;  /* [layers]                                 */
};

/* An empty state: merging it changes nothing. `a` owns its arrays until
 * accumulator_free (zeroed struct allowed). */
enum status accumulator_init(struct accumulator *a, size_t layers, size_t neurons, struct error *e) ERROR_MUST_USE;
void accumulator_free(struct accumulator *a);

/* Bytes that accumulator_init takes, for plans. */
size_t accumulator_bytes(size_t layers, size_t neurons);

/* Makes one block, or one layer's facts, empty. */
void accumulator_block_clear(struct accumulator_block *block);
void accumulator_layer_clear(struct accumulator_layer *layer);

/* The blocks of one layer and series: [blocks]. */
struct accumulator_block *accumulator_blocks(const struct accumulator *a, size_t layer, enum series series);

/* Adds one prompt of `samples` samples (skipped positions not counted, non-finite
 * ones counted). Threads may fold distinct blocks at once. A prompt reaches every
 * block of every series once, and the layer's facts once by
 * accumulator_layer_fold. Nothing happens for 0 samples. */
void accumulator_block_fold(struct accumulator_block *block, const struct sums *sums, uint64_t samples);
void accumulator_layer_fold(struct accumulator_layer *layer, uint64_t samples);

/* Offers one value to the layer's list; keeps one entry a neuron. Not
 * thread-safe. accumulator_extreme_floor is the magnitude below which an offer
 * can't enter. */
void accumulator_extreme_offer(struct accumulator_layer *layer, const struct accumulator_extreme *offer);
float accumulator_extreme_floor(const struct accumulator_layer *layer);

/* into += from, exactly; commutative and associative to the bit. */
void accumulator_block_merge(struct accumulator_block *into, const struct accumulator_block *from);
void accumulator_layer_merge(struct accumulator_layer *into, const struct accumulator_layer *from);
/* All of it; sizes must agree. */
void accumulator_merge(struct accumulator *into, const struct accumulator *from);

#endif
