/* orders.c - see orders.h.
 *
 * Rejected: a collective at fixed points (a rank with a long prompt would make all others wait) and one-sided flags
 * (their owner has to make progress, docs/ARCHITECTURE). A poll that finds nothing costs well below a microsecond.
 */
#include "orders.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/signals.h"

#define REPORT_TAG 2
#define ORDER_TAG 3

enum report { REPORT_HINT, REPORT_SIGNAL, REPORT_DONE, REPORT_FAILED, REPORT_READY };

static void read_test_hook(struct orders *o)
{
    const char *text = getenv("PHI3SAT_TEST_SIGNAL");
    int rank, number;
    long long at;
    if (text && sscanf(text, "%d:%d:%lld", &rank, &number, &at) == 3 && rank == o->ranks->rank) {
        o->test_signal = number;
        o->test_at = at;
    }
}

void orders_open(struct orders *o, const struct ranks *r, double every)
{
    memset(o, 0, sizeof *o);
    o->ranks = r;
    o->every = every;
    o->last = o->partial_last = clock_seconds();
    read_test_hook(o);
}

enum buffer { HINT_BUFFER, SIGNAL_BUFFER, END_BUFFER, READY_BUFFER, DRAIN_BUFFER, ORDER_BUFFER };

/* A rank reports a signal once and its end once, and a hint is like another; of an order's buffer nothing is on its way any more when the next is
 * given, since all ranks met in a collective upon the last; upon ORDER_DRAIN they don't, which is why it has its own, and between two of
 * them, or of a rank's reports that it is ready, lies ORDER_PARTIAL. */
static void send(struct orders *o, enum buffer which, int to, int what, int number)
{
    MPI_Request request;
    int *message = o->message[which];
    message[0] = what;
    message[1] = number;
    MPI_Isend(message, 2, MPI_INT, to, which >= DRAIN_BUFFER ? ORDER_TAG : REPORT_TAG, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
}

static bool receive(int from, int tag, int message[2])
{
    int waiting;
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE);
    if (waiting)
        MPI_Recv(message, 2, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return waiting;
}

static void take_report(struct orders *o, enum report what, int number)
{
    o->done += what == REPORT_DONE;
    o->ready += what == REPORT_READY;
    o->failed = o->failed || what == REPORT_FAILED;
    o->hinted = o->hinted || what == REPORT_HINT;
    if (what == REPORT_SIGNAL && o->reported == 0)
        o->reported = number;
}

static void take_reports(struct orders *o)
{
    int message[2];
    while (o->ranks->size > 1 && receive(MPI_ANY_SOURCE, REPORT_TAG, message))
        take_report(o, (enum report)message[0], message[1]);
    if (signals_hint())
        take_report(o, REPORT_HINT, 0);
    if (signals_seen())
        take_report(o, REPORT_SIGNAL, signals_seen());
}

static enum order decide(struct orders *o)
{
    take_reports(o);
    if (o->failed || o->done == o->ranks->size)
        return ORDER_END;
    if (o->reported)
        return ORDER_STOP;
    double now = clock_seconds();
    bool due = o->every > 0.0 && now - o->last >= o->every;
    if (due || o->hinted)
        return ORDER_CHECKPOINT;
    if (o->draining)
        return o->ready == o->ranks->size ? ORDER_PARTIAL : ORDER_GO_ON;
    return o->partial_every > 0.0 && now - o->partial_last >= o->partial_every ? ORDER_DRAIN : ORDER_GO_ON;
}

static enum order give_order(struct orders *o)
{
    enum order order = decide(o);
    if (order == ORDER_GO_ON)
        return order;
    for (int to = 1; to < o->ranks->size; to++)
        send(o, order == ORDER_DRAIN ? DRAIN_BUFFER : ORDER_BUFFER, to, (int)order, o->reported);
    o->draining = order == ORDER_DRAIN || (o->draining && order != ORDER_PARTIAL);
    if (order == ORDER_DRAIN)
        o->ready = 0;
    o->signal = o->reported;
    return order;
}

static enum order take_order(struct orders *o)
{
    int message[2];
    if (signals_seen() && !o->reported) {
        o->reported = signals_seen();
        send(o, SIGNAL_BUFFER, 0, REPORT_SIGNAL, o->reported);
    }
    if (signals_hint())
        send(o, HINT_BUFFER, 0, REPORT_HINT, 0);
    if (!receive(0, ORDER_TAG, message))
        return ORDER_GO_ON;
    o->signal = message[1];
    return (enum order)message[0];
}

enum order orders_poll(struct orders *o)
{
    if (o->over)
        return ORDER_END;
    if (++o->polls == o->test_at)
        raise(o->test_signal);
    enum order order = o->ranks->rank == 0 ? give_order(o) : take_order(o);
    o->over = order == ORDER_STOP || order == ORDER_END;
    return order;
}

void orders_written(struct orders *o)
{
    o->last = clock_seconds();
    if (o->ranks->rank == 0)
        take_reports(o); /* hints that came meanwhile have been answered */
    (void)signals_hint();
    o->hinted = false;
}

void orders_ready(struct orders *o)
{
    if (o->ranks->rank == 0)
        take_report(o, REPORT_READY, 0);
    else
        send(o, READY_BUFFER, 0, REPORT_READY, 0);
}

void orders_partial_written(struct orders *o)
{
    o->partial_last = clock_seconds();
}

void orders_report(struct orders *o, bool failed)
{
    enum report what = failed ? REPORT_FAILED : REPORT_DONE;
    if (o->over)
        return;
    if (o->ranks->rank == 0)
        take_report(o, what, 0);
    else
        send(o, END_BUFFER, 0, (int)what, 0);
}
