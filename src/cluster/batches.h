/* batches.h - one rank's share of the prompts through the forward pass.
 *
 * Flow: schedule -> *batches* -> forward, collector. Reports progress as it goes; what it says of other
 * ranks is told from rank 0's share, until batches_finish.
 */
#ifndef PHI3SAT_CLUSTER_BATCHES_H
#define PHI3SAT_CLUSTER_BATCHES_H

#include "collector.h"
#include "intake.h"

struct batches {
    const struct intake *intake;
    const size_t *mine;           /* [count]: items of this rank                     */
    size_t count;
    size_t batch_tokens;
    size_t layers;                /* of the model, for the progress                  */
    size_t skip_first;
    const struct ranks *ranks;
};

/* Runs them all. Fails on the first fault; the collector then holds part of a batch. Ends early, with
 * STATUS_OK, when another rank has failed: the ranks have to agree afterwards. */
enum status batches_run(const struct batches *b, struct forward *forward, struct collector *collector,
                        struct error *e) ERROR_MUST_USE;

/* The last line of progress, once all ranks have run all prompts in `seconds`. */
void batches_finish(const struct batches *b, double seconds);

#endif
