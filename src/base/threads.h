/* threads.h - the threads of a rank: the only OpenMP outside kernels/.
 *
 * Work is cut into numbered pieces; each thread takes a contiguous range of them,
 * so that a thread keeps to its own neurons (and its own pages) from batch to batch.
 * What a piece computes never depends on which thread has it.
 */
#ifndef PHI3SAT_BASE_THREADS_H
#define PHI3SAT_BASE_THREADS_H

#include <stddef.h>

/* How many threads the next calls use: at least 1. */
void threads_set(int count);
int threads_count(void);

/* Cores that this process may run on: its affinity mask at its start, before OMP_PROC_BIND gave each thread its own. */
int threads_available(void);

/* Calls piece(context, i, thread) for i = 0..pieces-1, thread = 0..threads_count()-1,
 * and returns when all are done. `piece` must not fail or call this again. */
void threads_run(size_t pieces, void (*piece)(void *context, size_t i, int thread), void *context);

/* The same for pieces of unequal or unknown cost that share no pages worth keeping: each
 * thread takes a run of those left, shorter and shorter, so that all end together. */
void threads_run_uneven(size_t pieces, void (*piece)(void *context, size_t i, int thread), void *context);

/* One lock for short, rare sections inside pieces. */
void threads_lock(void);
void threads_unlock(void);

#endif
