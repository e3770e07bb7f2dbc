/* merge.h - adds up the states of all ranks.
 *
 * Flow: each rank's accumulator -> *Allreduce of integers* -> the same state on all. Exact,
 * so neither the number of ranks nor MPI's order of reduction can be seen in it.
 */
#ifndef PHI3SAT_CLUSTER_MERGE_H
#define PHI3SAT_CLUSTER_MERGE_H

#include "../stats/accumulator.h"

/* All ranks call it; every rank ends with the sum. Layer by layer, so that MPI's own buffers hold one
 * layer's series at most. */
void merge_ranks(struct accumulator *state);

/* The same for one layer, into layer 0 of `into` on rank 0 (elsewhere not looked at, NULL will do), while `state` stays
 * as it is: for checkpoints, in the middle of a run. */
void merge_layer(const struct accumulator *state, size_t layer, struct accumulator *into);

#endif
