/* waiting.h - waits for others without burning a core that they may need.
 *
 * MPI's own waits ask without a pause. Here the first 20 us are spent so; then each nap is an eighth of what has been
 * waited so far, 2 ms at most: late by an eighth.
 */
#ifndef PHI3SAT_CLUSTER_WAITING_H
#define PHI3SAT_CLUSTER_WAITING_H

#include <mpi.h>
#include <stdbool.h>

/* Until done(context) is true. */
void waiting_until(bool (*done)(void *context), void *context);

/* Until the request is through. */
void waiting_request(MPI_Request *request);

#endif
