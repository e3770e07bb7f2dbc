/* drain.c - see drain.h.
 *
 * A message of one drain can't be taken for that of the next: each stage takes it before it is ready, and all are ready
 * before the drain ends.
 */
#include "drain.h"

#include <mpi.h>

#define CUT_TAG 13

void drain_begin(struct drain *d, int64_t begun)
{
    const struct grid *g = d->grid;
    d->on = true;
    d->ready = false;
    d->known = g->stage == 0;
    d->cut = begun;
    d->message = begun;
    for (size_t stage = 1; stage < g->stages && d->known; stage++) {
        MPI_Request request;
        MPI_Isend(&d->message, 1, MPI_INT64_T, d->ranks->rank + (int)stage, CUT_TAG, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
}

bool drain_holds(const struct drain *d)
{
    return d->on && d->grid->stage == 0;
}

void drain_look(struct drain *d, int64_t run)
{
    int waiting = 0, first = d->ranks->rank - (int)d->grid->stage;
    if (!d->on || d->ready)
        return;
    if (!d->known) {
        MPI_Iprobe(first, CUT_TAG, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE);
        if (waiting)
            MPI_Recv(&d->cut, 1, MPI_INT64_T, first, CUT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        d->known = waiting;
    }
    if (d->known && run == d->cut) {
        d->ready = true;
        orders_ready(d->orders);
    }
}

void drain_end(struct drain *d)
{
    d->on = false;
}
