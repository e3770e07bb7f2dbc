/* signals.h - signals that ask a run to end: noted, and looked at where it suits.
 *
 * Flow: the system, a scheduler, a user -> *signals* -> cluster/orders. After signals_watch the first SIGTERM, SIGINT
 * or SIGUSR1 is noted only, and more of SIGTERM and SIGUSR1 change nothing: launchers and schedulers send them several
 * times, seconds apart, and have SIGKILL for whoever takes too long. A second SIGINT is a user who will not wait:
 * it ends the process at once, unless it follows within SIGNALS_ECHO seconds, as one from a terminal may that
 * reaches launcher and ranks.
 *
 * SIGCONT is a hint that SIGTERM may follow: Open MPI's mpirun, told to end, sends it at once and SIGTERM only after
 * odls_base_sigkill_timeout (1 s), SIGKILL after as long again. Whoever continues a stopped process sends it as well.
 *
 * It is for the first lines of a command: MPI takes seconds to start on many ranks, and leaves these handlers alone (Open
 * MPI's own are for SIGABRT, SIGBUS, SIGFPE and SIGSEGV). A signal that was blocked when the program began comes
 * then, too.
 */
#ifndef PHI3SAT_BASE_SIGNALS_H
#define PHI3SAT_BASE_SIGNALS_H

#include <stdbool.h>

#define SIGNALS_ECHO 0.5

/* Of the whole process, until signals_release; not thread-safe. A second call changes nothing. */
void signals_watch(void);

/* As if there had been no watch: what each signal did before it does again, and one that was noted does it now. */
void signals_release(void);

/* The number of the first signal since signals_watch; 0: none. */
int signals_seen(void);

/* Has SIGCONT come since this was asked last? */
bool signals_hint(void);

/* A write beyond the limit of file sizes (RLIMIT_FSIZE, ulimit -f) fails with EFBIG, an error like others, instead of
 * ending the process by SIGXFSZ with files half written. For good. */
void signals_refuse_large_files(void);

/* Likewise a write to a pipe that nobody reads any more: EPIPE. For runs that are worth more than their notes: `2>&1 | head` must
 * not end them. For good. */
void signals_refuse_closed_pipes(void);

#endif
