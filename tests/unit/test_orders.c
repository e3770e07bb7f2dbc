/* test_orders.c - all ranks meet the same orders: alone here, and on several ranks by tests/mpi/orders.t.
 *
 * The last rank is the one to which things happen; rank 0 makes the claims.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/signals.h"
#include "cluster/orders.h"
#include "tap.h"

#define PATIENCE 20.0 /* seconds: an order that hasn't come then doesn't come */

static struct ranks ranks;
static bool last;

static void nap(void)
{
    const struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

/* What comes next, looking for it as work does. */
static enum order next(struct orders *o)
{
    double start = clock_seconds();
    enum order order = ORDER_GO_ON;
    while (order == ORDER_GO_ON && clock_seconds() - start < PATIENCE) {
        order = orders_poll(o);
        nap();
    }
    return order;
}

/* Collective: that value on all ranks? Claimed by rank 0. */
static void all_have(int value, int wanted, const char *claim)
{
    struct error e;
    int *all;
    size_t total, right = 0;
    if (ranks_gather(&ranks, &value, 1, sizeof value, &all, &total, &e) != STATUS_OK)
        bail("ranks can't gather");
    for (size_t i = 0; i < total; i++)
        right += all[i] == wanted;
    memory_free(all);
    if (ranks.rank == 0)
        is_uint(right, total, "%s", claim);
}

static void silence(void)
{
    struct orders o;
    int other = 0;
    orders_open(&o, &ranks, 0.0);
    for (int i = 0; i < 50; i++)
        other += orders_poll(&o) != ORDER_GO_ON;
    all_have(other, 0, "where nothing happens, all go on");
}

static void by_time(void)
{
    struct orders o;
    orders_open(&o, &ranks, 0.05);
    all_have((int)next(&o), ORDER_CHECKPOINT, "a checkpoint is ordered when its time has come");
    o.every = 1000.0;
    orders_written(&o);
    all_have((int)orders_poll(&o), ORDER_GO_ON, "and when it is written, the time begins anew");
}

static void by_hint(void)
{
    struct orders o;
    orders_open(&o, &ranks, 0.0);
    if (last)
        raise(SIGCONT);
    all_have((int)next(&o), ORDER_CHECKPOINT, "a hint that one rank gets has all write a checkpoint");
    orders_written(&o);
    all_have((int)orders_poll(&o), ORDER_GO_ON, "which is then answered");
}

static void all_done(void)
{
    struct orders o;
    orders_open(&o, &ranks, 0.0);
    if (!last) {
        orders_report(&o, false);
        for (int i = 0; i < 20; i++, nap())
            if (orders_poll(&o) != ORDER_GO_ON)
                bail("an order before all are done");
    }
    all_have(0, 0, "as long as one works, all wait");
    if (last)
        orders_report(&o, false);
    all_have((int)next(&o), ORDER_END, "when all are done, all end");
    all_have((int)orders_poll(&o), ORDER_END, "and it stays so");
}

static void one_fails(void)
{
    struct orders o;
    orders_open(&o, &ranks, 0.0);
    if (last)
        orders_report(&o, true);
    all_have((int)next(&o), ORDER_END, "when one has failed, all end in the midst of their work");
}

/* Rank 0's time counts; who is ready first, waits. */
static void drained(void)
{
    struct orders o;
    orders_open(&o, &ranks, 0.0);
    o.partial_every = 0.05;
    all_have((int)next(&o), ORDER_DRAIN, "when a partial archive is due, all are to finish their batches");
    o.partial_every = 1000.0;
    int early = 0;
    if (!last) {
        orders_ready(&o);
        for (int i = 0; i < 20; i++, nap())
            early += orders_poll(&o) != ORDER_GO_ON;
    }
    all_have(early, 0, "as long as one works on its batch, the others wait");
    o.every = 0.01;
    all_have((int)next(&o), ORDER_CHECKPOINT, "a checkpoint may come between");
    o.every = 0.0;
    orders_written(&o);
    if (last)
        orders_ready(&o);
    all_have((int)next(&o), ORDER_PARTIAL, "when all are ready, the archive is written");
    orders_partial_written(&o);
    all_have((int)orders_poll(&o), ORDER_GO_ON, "and all go on");
}

/* A signal that is ignored outside the watch can be had twice. */
static void one_is_told(int number, const char *claim)
{
    struct orders o;
    signals_release();
    signals_watch();
    orders_open(&o, &ranks, 0.0);
    if (last)
        raise(number);
    all_have((int)next(&o), ORDER_STOP, claim);
    all_have(o.signal, number, "and know which");
    all_have((int)orders_poll(&o), ORDER_END, "nothing comes after it");
    signals_release();
    signals_watch();
}

static void by_hook(void)
{
    struct orders o;
    setenv("PHI3SAT_TEST_SIGNAL", "0:10:3", 1);
    orders_open(&o, &ranks, 0.0);
    int early = orders_poll(&o) != ORDER_GO_ON || orders_poll(&o) != ORDER_GO_ON;
    all_have(early, 0, "the test hook waits for its poll");
    all_have((int)next(&o), ORDER_STOP, "and then has all stop");
}

int main(int argc, char **argv)
{
    struct error e;
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    signals_watch();
    if (ranks_start(&ranks, &argc, &argv, &e) != STATUS_OK)
        bail("MPI does not start");
    last = ranks.rank == ranks.size - 1;
    silence();
    by_time();
    by_hint();
    all_done();
    one_fails();
    drained();
    one_is_told(SIGTERM, "a signal that one rank gets stops all");
    one_is_told(SIGUSR1, "another likewise");
    by_hook();
    int code = ranks.rank == 0 ? tap_done() : 0;
    ranks_finish();
    return code;
}
