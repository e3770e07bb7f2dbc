/* forward.h - the forward pass that shows every FFN neuron to an observer.
 *
 * Flow: tokens -> *forward* -> plain sums of each prompt, layer, series -> stats. All layers of
 * a batch of prompts, layer by layer; the last layer ends with its ffn series (no down
 * projection, no lm_head: nobody looks at what would follow).
 *
 * A batch is either several prompts of at most `batch_tokens` tokens together, or one longer prompt,
 * which goes through each layer in chunks of batch_tokens rows. Attention never crosses
 * prompts. Results don't depend on how prompts are packed, chunked or threaded.
 */
#ifndef PHI3SAT_MODEL_FORWARD_H
#define PHI3SAT_MODEL_FORWARD_H

#include "../kernels/kernels.h"
#include "rotary.h"

struct forward_prompt {
    const int32_t *ids;   /* [length], each below config.vocabulary                 */
    size_t length;        /* at least 1                                             */
};

/* What the observer is told. Called from several threads at once, never twice for the
 * same (layer, series, block, prompt). */
struct forward_observer {
    void *context;
    /* The sums of 64 neurons of one series of one layer over all counted positions of batch
     * prompt `prompt`. `samples` of them, 0 when all were skipped. */
    void (*sums)(void *context, size_t layer, enum series series, size_t block, size_t prompt,
                 const struct sums *sums, uint64_t samples);
    /* Asked between chunks, on the calling thread: true ends the run (STATUS_CHECKPOINT). May be NULL. */
    bool (*stop)(void *context);
};

struct forward_options {
    size_t batch_tokens;       /* rows of a chunk                                   */
    size_t skip_first;         /* positions left out of the statistics, each prompt   */
    float activity_threshold;
    size_t window;             /* 0: all; usually config.window                       */
};

struct forward; /* opaque: buffers for one batch at a time */

/* All arguments are borrowed and must outlive *forward. Uses threads_count() threads as set at
 * this call. Free with forward_close (NULL allowed). */
enum status forward_open(struct forward **forward, const struct config *config, const struct weights *weights,
                         const struct kernels *kernels, const struct forward_options *options,
                         struct error *e) ERROR_MUST_USE;
void forward_close(struct forward *forward);

/* Runs one batch. Fails only for want of memory, or STATUS_CHECKPOINT when asked to stop (the
 * observer then has part of the batch and must forget it). */
enum status forward_run(struct forward *forward, const struct forward_prompt *prompts, size_t count,
                        const struct forward_observer *observer, struct error *e) ERROR_MUST_USE;

/* Rows [rows, hidden] of the residual stream after the last run, for tests; NULL before. */
const float *forward_hidden(const struct forward *forward);

#endif
