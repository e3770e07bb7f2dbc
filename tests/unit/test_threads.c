/* test_threads.c - every piece once, in contiguous ranges, with any number of threads. */
#include <string.h>

#include "base/threads.h"
#include "tap.h"

#define PIECES 1000

static int calls[PIECES], owner[PIECES];
static long sum;

static void piece(void *context, size_t i, int thread)
{
    calls[i] += 1 + *(int *)context;
    owner[i] = thread;
    threads_lock();
    sum += (long)i;
    threads_unlock();
}

static void run(int threads, size_t pieces)
{
    int nothing = 0;
    bool once = true, ranges = true;
    memset(calls, 0, sizeof calls);
    sum = 0;
    threads_set(threads);
    threads_run(pieces, piece, &nothing);
    for (size_t i = 0; i < PIECES; i++)
        once &= calls[i] == (i < pieces);
    for (size_t i = 0; i < pieces; i++)
        ranges &= owner[i] >= (i ? owner[i - 1] : 0) && owner[i] < threads_count();
    ok(once, "%zu pieces on %d threads: each once", pieces, threads);
    ok(ranges, "%zu pieces on %d threads: a thread has a contiguous range", pieces, threads);
    is_int(sum, (long)(pieces * (pieces - (pieces > 0)) / 2), "the lock keeps a shared sum whole");
}

int main(void)
{
    is_int(threads_count(), 1, "one thread unless told otherwise");
    const size_t pieces[] = {0, 1, 2, 7, PIECES};
    for (size_t p = 0; p < 5; p++)
        for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5)
            run(threads, pieces[p]);
    threads_set(0);
    is_int(threads_count(), 1, "less than one is one");
    ok(threads_available() >= 1, "this process may run somewhere");
    return tap_done();
}
