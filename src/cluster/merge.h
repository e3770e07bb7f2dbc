/* merge.h - the states of all ranks, layer by layer: added up for rank 0, or handed out by it.
 *
 * Flow: each rank's accumulator -> *sum of integers over the groups* -> one layer on rank 0 -> archive or checkpoint. Exact,
 * so neither the grid nor MPI's order of reduction can be seen in it. A rank's state has the layers of its
 * stage only, and nobody ever holds more than that and one layer.
 */
#ifndef PHI3SAT_CLUSTER_MERGE_H
#define PHI3SAT_CLUSTER_MERGE_H

#include "../stats/accumulator.h"
#include "grid.h"

struct merge; /* opaque */

/* Collective. `state` has the layers of this rank's stage, grid->layers; all is borrowed until merge_close (collective too;
 * NULL allowed on all ranks alike). Fails for want of memory, on all ranks. */
enum status merge_open(struct merge **m, const struct ranks *r, const struct grid *g, struct accumulator *state,
                       struct error *e) ERROR_MUST_USE;
void merge_close(struct merge *m);

/* All ranks call it for layer after layer of the model. The sum over the groups comes into layer 0 of `into` on rank 0 (NULL
 * elsewhere); the states stay as they are, so that it may be done in the middle of a run. */
void merge_layer(struct merge *m, size_t layer, struct accumulator *into);

/* The other way round: layer 0 of `from` on rank 0 (NULL elsewhere) becomes that layer's state on one rank of the stage
 * that has it. All ranks call it. */
void merge_hand_out(struct merge *m, size_t layer, const struct accumulator *from);

#endif
