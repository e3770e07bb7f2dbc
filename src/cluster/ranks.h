/* ranks.h - the processes of a run: who they are, how they agree and end.
 *
 * Flow: main -> *ranks* -> everything that several processes do together. Without
 * mpirun there is one rank and everything works alike. Only the main thread calls MPI.
 */
#ifndef PHI3SAT_CLUSTER_RANKS_H
#define PHI3SAT_CLUSTER_RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "../base/error.h"

struct ranks {
    int rank, size;
    int node_rank, node_size; /* among the ranks of this host                     */
    int node;                 /* the lowest rank on this host                     */
    char host[128];
};

/* Starts MPI (once) and fills `r`. STATUS_FAILED when MPI can't start. */
enum status ranks_start(struct ranks *r, int *argc, char ***argv, struct error *e) ERROR_MUST_USE;

/* Ends MPI if it was started; all ranks call it. */
void ranks_finish(void);

/* For an exit status that isn't 0 and no failure: all but rank 0 should end with 0, and this makes rank 0 end a moment
 * after them. Open MPI's mpirun, at the first status that isn't 0, ends the ranks that are left, and waits for
 * twice odls_base_sigkill_timeout if there are any. */
void ranks_finish_last(void);

/* True on the one rank that speaks: rank 0, or a process without MPI. A launcher's environment
 * tells the rank before MPI has started. */
bool ranks_speaks(void);

/* For a failure that all ranks have alike before MPI was started: starts it where a launcher would else
 * stop the others, the one that speaks among them, at the first that ends. Returns `own`. */
enum status ranks_fail_together(enum status own, struct error *e) ERROR_MUST_USE;

/* All ranks call it with their own status. If any failed, all get the error of the lowest
 * failing rank, with its rank and host in front unless that is rank 0; else STATUS_OK. */
enum status ranks_agree(const struct ranks *r, enum status own, struct error *e) ERROR_MUST_USE;

/* The same for faults of the input, which any rank may find: all get the error with the least
 * `place` (below 2^40), the same for any number of ranks: STATUS_INPUT names no rank. */
enum status ranks_agree_first(const struct ranks *r, enum status own, uint64_t place, struct error *e) ERROR_MUST_USE;

/* Collectives over all ranks, in place. */
void ranks_sum(uint64_t *values, size_t count);
void ranks_largest(uint32_t *values, size_t count);
void ranks_broadcast(void *bytes, size_t size);
double ranks_max(double value);

/* The distinct host names, sorted, separated by spaces, on rank 0 (others: ""); caller frees. */
enum status ranks_hosts(const struct ranks *r, char **names, struct error *e) ERROR_MUST_USE;

/* Gathers every rank's `count` records of `size` bytes on all ranks, by rank order:
 * *all has *total records, freed by the caller. */
enum status ranks_gather(const struct ranks *r, const void *own, size_t count, size_t size, void *all, size_t *total,
                         struct error *e) ERROR_MUST_USE;

#endif
