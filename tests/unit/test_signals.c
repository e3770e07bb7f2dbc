/* test_signals.c - signals are noted once watched, and do what they did before once that is over.
 *
 * Each case is a child of its own: what a signal does is the whole process's.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"
#include "tap.h"

/* 0 to 99: what the child came to; 100 + number: what ended it. */
static int child(int (*what)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        _exit(what());
    int state = 0;
    waitpid(pid, &state, 0);
    return WIFSIGNALED(state) ? 100 + WTERMSIG(state) : WEXITSTATUS(state);
}

static void wait_seconds(double seconds)
{
    const struct timespec nap = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&nap, NULL);
}

static int nothing(void)
{
    signals_watch();
    return signals_seen() || signals_hint();
}

static int the_first_counts(void)
{
    signals_watch();
    raise(SIGUSR1);
    raise(SIGTERM);
    raise(SIGTERM);
    return signals_seen();
}

static int second_watch(void)
{
    signals_watch();
    raise(SIGTERM);
    signals_watch();
    return signals_seen();
}

static int hint(void)
{
    signals_watch();
    raise(SIGCONT);
    return signals_hint() && !signals_hint() && signals_seen() == 0 ? 0 : 1;
}

static int echo(void)
{
    signals_watch();
    raise(SIGINT);
    raise(SIGINT);
    return signals_seen();
}

static int impatient(void)
{
    signals_watch();
    raise(SIGINT);
    wait_seconds(SIGNALS_ECHO + 0.1);
    raise(SIGINT);
    return 0;
}

static int pending(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    raise(SIGTERM);
    signals_watch();
    return signals_seen();
}

static int still_pending(void)
{
    sigset_t now;
    (void)pending();
    signals_release();
    sigpending(&now);
    return signals_seen() == 0 && sigismember(&now, SIGTERM) == 1 ? 0 : 1;
}

static int released(void)
{
    signals_watch();
    raise(SIGUSR1);
    signals_release();
    return 0;
}

static int released_before(void)
{
    signals_watch();
    signals_release();
    raise(SIGTERM);
    return 0;
}

static int ignored(void)
{
    signal(SIGTERM, SIG_IGN);
    signals_watch();
    raise(SIGTERM);
    signals_release();
    raise(SIGTERM);
    return signals_seen();
}

int main(void)
{
    is_int(child(nothing), 0, "nothing has come");
    is_int(child(the_first_counts), SIGUSR1, "of several signals the first is noted");
    is_int(child(second_watch), SIGTERM, "watching twice forgets nothing");
    is_int(child(hint), 0, "SIGCONT is a hint, told once, and no signal to end");
    is_int(child(echo), SIGINT, "a second SIGINT at once is an echo");
    is_int(child(impatient), 100 + SIGINT, "a second SIGINT later ends the process");
    is_int(child(pending), SIGTERM, "a signal that was blocked and pending is noted");
    is_int(child(still_pending), 0, "after the watch it is blocked and pending again");
    is_int(child(released), 100 + SIGUSR1, "after the watch what was noted does what it would have done");
    is_int(child(released_before), 100 + SIGTERM, "so does what comes then");
    is_int(child(ignored), 0, "and what was ignored before is ignored again");
    return tap_done();
}
