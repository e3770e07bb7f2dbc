/* signals.c - see signals.h. The handler calls nothing that isn't async-signal-safe. */
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static const int watched[] = {SIGTERM, SIGINT, SIGUSR1, SIGCONT};
#define WATCHED (sizeof watched / sizeof *watched)

static struct sigaction before[WATCHED]; /* what they did                              */
static sigset_t blocked;                 /* then                                       */
static bool watching;
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
    sigset_t all;
    if (watching)
        return;
    memset(&action, 0, sizeof action);
    sigemptyset(&all);
    for (size_t i = 0; i < WATCHED; i++)
        sigaddset(&all, watched[i]);
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    action.sa_mask = all;
    seen = hint = 0;
    watching = true;
    for (size_t i = 0; i < WATCHED; i++)
        sigaction(watched[i], &action, &before[i]);
    pthread_sigmask(SIG_UNBLOCK, &all, &blocked);
}

void signals_release(void)
{
    int noted = seen;
    if (!watching)
        return;
    for (size_t i = 0; i < WATCHED; i++)
        sigaction(watched[i], &before[i], NULL);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    watching = false;
    noted = noted ? noted : seen; /* while we were at it */
    seen = hint = 0;
    if (noted)
        raise(noted);
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

void signals_refuse_large_files(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

void signals_refuse_closed_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}
