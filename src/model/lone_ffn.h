/* lone_ffn.h - one layer's FFN as the forward pass computes it, without a model around it.
 *
 * Flow: three matrices, rows -> *lone FFN* -> rows. For benchmarks of many rows. Fused is what profile does: gate, up
 * and silu(gate) * up of 64 neurons while they are in the cache. Separate is three products, one after the other, with
 * all of gate and up in memory between them. Both give the same bits: each output is one chain over its inputs.
 */
#ifndef PHI3SAT_MODEL_LONE_FFN_H
#define PHI3SAT_MODEL_LONE_FFN_H

#include "lone_product.h"

/* gate and up are [neurons, inputs]; down is [outputs, down.inputs], down.inputs >= neurons, and meets zeros past the neurons. */
struct lone_ffn_weights {
    struct lone_product_matrix gate, up, down;
};

/* All that a run reads of them. */
double lone_ffn_bytes(const struct lone_ffn_weights *weights);

struct lone_ffn; /* opaque */

/* Makes room for at most `rows` (at least 1) rows on threads_count() threads as set at this call. Fails for want of
 * memory only. Free with lone_ffn_close (NULL allowed). */
enum status lone_ffn_open(struct lone_ffn **ffn, const struct lone_ffn_weights *weights, const struct kernels *kernels,
                          enum kernels_mode mode, size_t rows, struct error *e) ERROR_MUST_USE;
void lone_ffn_close(struct lone_ffn *ffn);

/* y [rows, down.outputs] = the FFN of x [rows, gate.inputs], on threads_count() threads. One caller at a time. */
void lone_ffn_run(struct lone_ffn *ffn, bool fused, size_t rows, const float *x, float *y);

#endif
