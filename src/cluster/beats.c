/* beats.c - the thread and what it hears; see beats.h. Connecting is in beats_connect.c.
 *
 * Rejected: datagrams (firewalls drop them more often, and each would have to be signed), MPI's own messages (only the main
 * thread may send them, and it computes), keepalive of TCP (it rests as long as anything sent is not acknowledged, and knows
 * nothing of a process that is stopped).
 */
#include "beats.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/memory.h"

#define SHORTEST 0.05 /* seconds from beat to beat */
#define LONGEST 5.0
#define STOP 's' /* for listen_to_all: by this process itself */

void beats_init(struct beats *b)
{
    memset(b, 0, sizeof *b);
    b->listener = b->parent.socket = b->stop[0] = b->stop[1] = -1;
    b->parent.timed = true;
}

void beats_forget(struct beats_peer *p)
{
    if (p->socket >= 0)
        close(p->socket);
    p->socket = -1;
}

/* What doesn't fit into the connection's buffer is left out: nobody reads it there. */
static void say(const struct beats_peer *p, char word)
{
    if (p->socket >= 0)
        (void)!send(p->socket, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void beats_spread(const struct beats *b, char word)
{
    for (size_t i = 0; i < b->children; i++)
        say(&b->child[i], word);
}

/* All that has come from a peer; an end that it orders. A connection that breaks makes it silent: the launcher knows of
 * processes that die, and a host that starts anew has lost its ranks. */
static char hear(struct beats_peer *p)
{
    char words[64], order = 0;
    ssize_t count = recv(p->socket, words, sizeof words, MSG_DONTWAIT);
    if (count <= 0) {
        beats_forget(p);
        return 0;
    }
    p->heard = clock_seconds();
    for (ssize_t i = 0; i < count && !order; i++) {
        if (words[i] == 'e' || words[i] == 'd')
            order = words[i];
        else if (words[i] == 'q')
            p->done = true;
        else if (words[i] != 'b') {
            beats_forget(p);
            break;
        }
    }
    return order;
}

static bool is_silent(const struct beats_peer *p, double now, double seconds)
{
    return p->timed && !p->done && now - p->heard > seconds;
}

static const struct beats_peer *find_silent(const struct beats *b, double now, size_t *silent)
{
    const struct beats_peer *first = NULL;
    *silent = 0;
    for (size_t i = 0; i < b->children; i++) {
        *silent += is_silent(&b->child[i], now, b->seconds / 2);
        if (!first && is_silent(&b->child[i], now, b->seconds))
            first = &b->child[i];
    }
    if (!first && is_silent(&b->parent, now, 1.25 * b->seconds)) /* it misses us first, and says who is missing */
        first = &b->parent;
    return first;
}

static void start_anew(struct beats *b, double now)
{
    b->parent.heard = now;
    for (size_t i = 0; i < b->children; i++)
        b->child[i].heard = now;
}

static double pause_of(const struct beats *b)
{
    double pause = b->seconds / 10;
    return pause < SHORTEST ? SHORTEST : pause > LONGEST ? LONGEST : pause;
}

/* Hears who has something to say, until told to stop or until the next beat is due. Only a parent gives orders. */
static char listen_to_all(struct beats *b, double wait)
{
    char order = 0;
    struct pollfd *parent = &b->look[b->children], *stop = parent + 1;
    for (size_t i = 0; i < b->children; i++)
        b->look[i] = (struct pollfd){.fd = b->child[i].socket, .events = POLLIN};
    *parent = (struct pollfd){.fd = b->parent.socket, .events = POLLIN};
    *stop = (struct pollfd){.fd = b->stop[0], .events = POLLIN};
    if (poll(b->look, (nfds_t)b->children + 2, 1 + (int)(1e3 * wait)) <= 0)
        return 0;
    for (size_t i = 0; i < b->children; i++)
        if (b->look[i].revents)
            (void)hear(&b->child[i]);
    if (parent->revents)
        order = hear(&b->parent);
    return stop->revents ? STOP : order;
}

static void beat(const struct beats *b)
{
    beats_spread(b, 'b');
    say(&b->parent, 'b');
}

/* Whoever has been stopped for long (a suspended job) can't judge by the clock: all have their time anew. */
static void *run(void *context)
{
    struct beats *b = context;
    double next = 0.0, now = clock_seconds();
    for (;;) {
        if (now >= next) {
            beat(b);
            next = now + pause_of(b);
        }
        double before = now;
        struct beats_news news = {.word = listen_to_all(b, next - now)};
        now = clock_seconds();
        if (news.word == STOP)
            return NULL;
        if (now - before > b->seconds / 2)
            start_anew(b, now);
        news.peer = news.word ? &b->parent : find_silent(b, now, &news.silent);
        if (news.peer) {
            b->tell(b->context, &news);
            return NULL;
        }
    }
}

/* True if somebody is connected. Who isn't is not missed. */
static bool count_in(struct beats *b)
{
    bool any = b->parent.socket >= 0;
    b->parent.done = !any;
    for (size_t i = 0; i < b->children; i++) {
        b->child[i].done = b->child[i].socket < 0;
        any = any || b->child[i].socket >= 0;
    }
    return any;
}

enum status beats_start(struct beats *b, double seconds, void (*tell)(void *context, const struct beats_news *news),
                        void *context, struct error *e)
{
    sigset_t all, before;
    b->seconds = seconds;
    b->tell = tell;
    b->context = context;
    if (!count_in(b))
        return STATUS_OK;
    start_anew(b, clock_seconds());
    enum status s = memory_array(&b->look, b->children + 2, sizeof *b->look, "the watch over hosts", e);
    if (s != STATUS_OK)
        return s;
    if (pipe(b->stop) != 0)
        return error_set(e, STATUS_FAILED, "the watch over hosts has no pipe to be had");
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    b->runs = pthread_create(&b->thread, NULL, run, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return b->runs ? STATUS_OK : error_set(e, STATUS_FAILED, "the watch over hosts has no thread to be had");
}

void beats_close(struct beats *b)
{
    if (b->runs && write(b->stop[1], "", 1) == 1)
        pthread_join(b->thread, NULL);
    b->runs = false;
    beats_spread(b, 'q');
    say(&b->parent, 'q');
    for (size_t i = 0; i < b->children; i++)
        beats_forget(&b->child[i]);
    beats_forget(&b->parent);
    if (b->listener >= 0)
        close(b->listener);
    for (int i = 0; i < 2; i++)
        if (b->stop[i] >= 0)
            close(b->stop[i]);
    memory_free(b->child);
    memory_free(b->look);
    beats_init(b);
}
