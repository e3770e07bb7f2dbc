/* ffn_weights.h - the three matrices of an FFN: seeded, of a model's layer, or a part of another's neurons.
 *
 * Flow: seed or model file -> *weights* -> fewer neurons (first, chosen) -> ffn, few_rows, lone_ffn.
 */
#ifndef PHI3SAT_BENCH_FFN_WEIGHTS_H
#define PHI3SAT_BENCH_FFN_WEIGHTS_H

#include "../model/lone_ffn.h"
#include "../model/weights.h"

/* Where gate.inputs or down.inputs are more than hidden or intermediate, the last block is padded: what stands there meets zeros. */
struct ffn_weights {
    struct lone_ffn_weights of;
    size_t hidden, intermediate;
    uint8_t *own[3];             /* gate, up, down, or NULL: somebody else's               */
};

/* Normal numbers of deviation 1 / sqrt(inputs), the same for the same seed and shape on every machine (synthetic.h). STATUS_USAGE
 * when the type has no encoder or it doesn't fit the memory. Free with ffn_weights_close (zeroed allowed), like all below. */
enum status ffn_weights_synthetic(struct ffn_weights *w, const struct quants_format *format, size_t hidden,
                                  size_t intermediate, uint64_t seed, struct error *e) ERROR_MUST_USE;

/* Those of a model's layer, which is borrowed. */
void ffn_weights_layer(struct ffn_weights *w, const struct weights_layer *layer);

/* The first `kept` neurons of `from`, without a copy: borrowed from it. 1 <= kept <= from->intermediate. */
void ffn_weights_first(struct ffn_weights *w, const struct ffn_weights *from, size_t kept);

/* Neurons neuron[kept] of `from`, in that order: rows of gate and up as they were; columns of down decoded, put together and encoded again
 * in its type, since they stand in other blocks now (they lose a little by that). STATUS_USAGE: its type has no encoder. */
enum status ffn_weights_chosen(struct ffn_weights *w, const struct ffn_weights *from, const uint32_t *neuron, size_t kept,
                               struct error *e) ERROR_MUST_USE;

void ffn_weights_close(struct ffn_weights *w);

/* Row `output` of a matrix. */
const uint8_t *ffn_weights_row(const struct lone_product_matrix *m, size_t output);

#endif
