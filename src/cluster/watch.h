/* watch.h - ends a job one of whose hosts has vanished, in bounded time and with one line that says which.
 *
 * Flow: ranks, --watch-seconds -> *watch* -> beats. MPI doesn't notice a host that loses its power or its network: its
 * connections wait for minutes. Here the lowest rank of each host is connected to rank 0, and the host's other ranks to it;
 * threads of their own say every few seconds that they are there. Rank 0, missing one for so long, says so, tells all
 * others and ends; they end too. Hosts that hear nothing of rank 0 end by themselves, a quarter of the time later.
 *
 * One watch a process. Nothing is watched with one host, and nothing is at stake where connections are forbidden: the run
 * goes on without.
 */
#ifndef PHI3SAT_CLUSTER_WATCH_H
#define PHI3SAT_CLUSTER_WATCH_H

#include "ranks.h"

/* Collective. Starts watching: `seconds` of silence count, 0: no watch. `advice` says what to do after a loss, and stays the
 * caller's. Hosts that can't be watched are told of by a warning. STATUS_FAILED for want of memory or threads. */
enum status watch_open(const struct ranks *r, double seconds, const char *advice, struct error *e) ERROR_MUST_USE;

/* Between these two a loss ends this process only after them, 5 minutes later at most: while files get their names. */
void watch_hold(void);
void watch_go_on(void);

/* The results are there, or the run has failed and said why: from now on a loss only ends what still waits, with this
 * status. */
void watch_finished(enum status outcome);

/* Ends the watch; without one nothing happens. */
void watch_close(void);

#endif
