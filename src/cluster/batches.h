/* batches.h - one group's share of the prompts through one rank's layers.
 *
 * Flow: schedule -> *batches* -> pipeline, forward, collector. Reports progress as it goes; what it says of other
 * ranks is told from rank 0's share, until batches_finish.
 */
#ifndef PHI3SAT_CLUSTER_BATCHES_H
#define PHI3SAT_CLUSTER_BATCHES_H

#include "checkpoint.h"
#include "grid.h"
#include "orders.h"
#include "partial.h"

struct batches {
    const struct intake *intake;
    const size_t *mine;           /* [count]: items of this rank's group             */
    size_t count;
    size_t batch_tokens;
    size_t layers;                /* of the model                                    */
    size_t hidden;                /* its hidden size                                 */
    size_t skip_first;
    const struct ranks *ranks;
    const struct grid *grid;
    struct orders *orders;
    struct checkpoint *checkpoint; /* its `layers` say what each item has reached    */
    const struct partial *partial;
};

/* All ranks call it, those without items too, and those that have failed before (`before`). Runs the items through the rank's
 * layers, writes checkpoints as ordered and waits until all ranks have run theirs. Fails on the first fault; ends early,
 * with STATUS_OK, when another rank has failed: the ranks have to agree afterwards. STATUS_OK with orders->signal:
 * stopped by it, a checkpoint is left. A periodic checkpoint or a partial archive that can't be written is a warning. */
enum status batches_run(const struct batches *b, struct forward *forward, struct collector *collector,
                        enum status before, struct error *e) ERROR_MUST_USE;

/* The last line of progress, once all ranks have run all prompts in `seconds`. */
void batches_finish(const struct batches *b, double seconds);

#endif
