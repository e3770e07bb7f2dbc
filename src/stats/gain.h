/* gain.h - what taking neurons out would gain, attention and output matrix counted: Amdahl's law by FLOPs and by bytes.
 *
 * Flow: a model's sizes, the layers' shares -> *costs of a token before and after* -> report.
 *
 * Costs of one token, with H the hidden size, I the neurons of a layer, D heads of d, K heads of keys and values, c keys
 * that attention looks at, V the vocabulary, b bytes a weight:
 *                      FLOPs (a multiply-add is 2)        bytes
 *     FFN, a layer     6 H I                              3 H I b
 *     attention        4 H d (D + K) + 4 c D d            2 H d (D + K) b + 2 c K d 2
 *     output matrix    2 H V                              H V b
 * Bytes are what decoding one token reads: every weight once, keys and values as 2 bytes each.
 */
#ifndef PHI3SAT_STATS_GAIN_H
#define PHI3SAT_STATS_GAIN_H

#include "summary.h"

enum gain_cost { GAIN_FLOPS, GAIN_BYTES_F32, GAIN_BYTES_Q4K };

/* Along I, super-blocks of Q4_K are as wide: a matrix of quantised rows can't be cut in between. */
#define GAIN_BLOCK 256

struct gain_shape {
    size_t layers;
    double hidden, intermediate, heads, kv_heads, head_dimension, vocabulary;
    double context; /* c: keys that attention looks at, on average              */
};

/* Costs of a token in the unit of the gain_cost, [0] as it is, [1] without the neurons. */
struct gain {
    double ffn[2];    /* all FFNs                                               */
    double layers[2]; /* ... and attention                                      */
    double model[2];  /* ... and the output matrix                              */
};

/* Layer l keeps I (1 - rows[l].removable) neurons, rounded up to a multiple of `block` (1: to a neuron), never more than I.
 * A NaN counts as 0. rows: [layers]. */
struct gain gain_of(const struct gain_shape *shape, const struct summary_row *rows, enum gain_cost cost, size_t block);

/* Before over after; 1 where nothing costs anything. */
double gain_speedup(const double cost[2]);

#endif
