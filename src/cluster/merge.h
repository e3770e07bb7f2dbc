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

#endif
