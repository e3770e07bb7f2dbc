/* drain.h - brings all ranks to a place between two batches, where every layer has counted the same prompts.
 *
 * Flow: ORDER_DRAIN -> *drain* -> orders_ready -> ORDER_PARTIAL. The first stage of a group runs its batch to the end, takes no
 * other and tells the stages behind it how many batches that makes; each of them is there once it has run as many. A rank
 * that is there waits, and follows whatever other orders come: a checkpoint, a signal, the end. One that waits for a chunk
 * inside a batch has not run it; one that waits for a batch's first chunk has counted nothing of it. It costs the wait for
 * the rank that is last, one batch's time at most, and as many more as a group has stages behind one another.
 */
#ifndef PHI3SAT_CLUSTER_DRAIN_H
#define PHI3SAT_CLUSTER_DRAIN_H

#include "grid.h"
#include "orders.h"

struct drain {
    const struct ranks *ranks;
    const struct grid *grid;
    struct orders *orders;
    bool on;            /* from ORDER_DRAIN to ORDER_PARTIAL                          */
    bool known, ready;  /* `cut` has come; rank 0 was told that we are there           */
    int64_t cut;        /* batches of this group that the archive is to have          */
    int64_t message;    /* the first stage's: the same on its way to the others        */
};

/* Zeroed but for ranks, grid and orders: no drain. */

/* Upon ORDER_DRAIN; `begun` batches, the one under way among them, will be run. */
void drain_begin(struct drain *d, int64_t begun);

/* Before a batch: must this rank wait? (Stages but the first wait for their batch anyway.) */
bool drain_holds(const struct drain *d);

/* Again and again while this rank waits, for a batch, for a chunk or for all; `run` batches are behind it. */
void drain_look(struct drain *d, int64_t run);

/* Upon ORDER_PARTIAL, after the collective. */
void drain_end(struct drain *d);

#endif
