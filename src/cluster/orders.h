/* orders.h - rank 0 says when all ranks checkpoint, stop or are done; nobody waits for an answer.
 *
 * Flow: signals, clock, ranks that are done or failed -> *orders* -> batches. A rank that gets a signal, has run its
 * share or failed reports to rank 0 by a small non-blocking message; rank 0 looks for reports between chunks of work,
 * decides, and tells each rank, which looks likewise. Messages of one sender keep their order, so all ranks meet
 * the same orders in the same order and may go into a collective upon each, wherever in their work they are.
 */
#ifndef PHI3SAT_CLUSTER_ORDERS_H
#define PHI3SAT_CLUSTER_ORDERS_H

#include "ranks.h"

enum order {
    ORDER_GO_ON = 0,
    ORDER_CHECKPOINT, /* write one, then go on                                       */
    ORDER_DRAIN,      /* finish the batch and report orders_ready: no collective yet */
    ORDER_PARTIAL,    /* all ranks are ready: write a partial archive, then go on    */
    ORDER_STOP,       /* write one, then end: a signal came                          */
    ORDER_END         /* all shares are run, or a rank has failed                    */
};

struct orders {
    const struct ranks *ranks;
    double every;     /* seconds between checkpoints; 0: upon signals only. Rank 0's counts */
    double last;      /* when the last was written, or the work began               */
    double partial_every, partial_last; /* the same for partial archives; 0: none    */
    bool draining;    /* rank 0: ORDER_DRAIN was given, ORDER_PARTIAL not yet        */
    int ready;        /* rank 0: ranks that have reported it since                   */
    int signal;       /* after ORDER_STOP: which, on all ranks                       */
    int reported;     /* signal that rank 0 was told of                              */
    int done;         /* rank 0: ranks whose share is run                            */
    bool failed;      /* rank 0: somebody has                                        */
    bool hinted;      /* rank 0: somebody has got SIGCONT, and SIGTERM may follow     */
    bool over;        /* STOP or END was given: nothing more comes                   */
    int message[6][2]; /* reports, orders: each stays while it is on its way         */
    int64_t polls;    /* for the test hook                                           */
    int64_t test_at;  /* PHI3SAT_TEST_SIGNAL: poll at which this rank gets ... ; 0   */
    int test_signal;  /* ... this                                                    */
};

/* Collective in effect: before the work. The test hook PHI3SAT_TEST_SIGNAL=RANK:SIGNAL:N sends that rank the signal
 * of that number at its N-th poll. */
void orders_open(struct orders *o, const struct ranks *r, double every);

/* Between pieces of work: what to do now. */
enum order orders_poll(struct orders *o);

/* After a checkpoint: the time to the next begins now. */
void orders_written(struct orders *o);

/* After ORDER_DRAIN, once: this rank has finished its batch (cluster/drain). */
void orders_ready(struct orders *o);

/* After a partial archive. */
void orders_partial_written(struct orders *o);

/* This rank has run its share, or failed. Then it polls until an order ends it. */
void orders_report(struct orders *o, bool failed);

#endif
