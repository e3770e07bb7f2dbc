/* ffn_inputs.h - what FFNs of a model really see: their inputs over a batch of prompts.
 *
 * Flow: prompts -> forward pass up to a layer -> *inputs* -> accuracy of reduced FFNs. Normal numbers won't do: the
 * directions in which real hidden states lie decide what a missing neuron costs.
 */
#ifndef PHI3SAT_BENCH_FFN_INPUTS_H
#define PHI3SAT_BENCH_FFN_INPUTS_H

#include "../model/forward.h"

struct ffn_inputs_model {
    const struct config *config;
    const struct weights *weights;   /* layers [0, first + count) are ready                    */
    const struct kernels *kernels;
};

/* x[i] [rows, hidden], rows = tokens of all prompts: RMSNorm'ed inputs of layer first + i's FFN, i < count, in f32; the caller frees each
 * with memory_free, after a failure too (NULL then). Fails for want of memory only. */
enum status ffn_inputs(const struct ffn_inputs_model *model, const struct forward_prompt *prompts, size_t prompt_count, size_t first,
                       size_t count, float **x, struct error *e) ERROR_MUST_USE;

#endif
