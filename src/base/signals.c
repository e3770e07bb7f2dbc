/* signals.c - see signals.h. The handler calls nothing that isn't async-signal-safe. */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static const int watched[] = {SIGTERM, SIGINT, SIGUSR1, SIGCONT};
static volatile sig_atomic_t seen, hint;
static struct timespec when; /* of the first; written before `seen`, by a handler that the others don't interrupt */

static double seconds_since_first(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - when.tv_sec) + 1e-9 * (double)(now.tv_nsec - when.tv_nsec);
}

static void note(int number)
{
    int kept = errno;
    if (number == SIGCONT) {
        hint = 1;
    } else if (seen == 0) {
        clock_gettime(CLOCK_MONOTONIC, &when);
        seen = number;
    } else if (number == SIGINT && seconds_since_first() > SIGNALS_ECHO) {
        signal(number, SIG_DFL); /* blocked until we return: then it ends us */
        raise(number);
    }
    errno = kept;
}

void signals_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        sigaddset(&action.sa_mask, watched[i]);
    seen = hint = 0;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        sigaction(watched[i], &action, NULL);
}

int signals_seen(void)
{
    return seen;
}

bool signals_hint(void)
{
    bool come = hint;
    hint = 0;
    return come;
}
