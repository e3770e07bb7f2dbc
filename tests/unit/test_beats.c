/* test_beats.c - processes that hear of each other, here within one: silence, orders, and strangers at the door. */
#include "cluster/beats.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

/* What a thread has told; 0: nothing. */
struct told {
    atomic_int word; /* 's': silent                                                  */
    atomic_int number;
};

static void tell(void *context, const struct beats_news *news)
{
    struct told *t = context;
    atomic_store(&t->number, (int)news->peer->number);
    atomic_store(&t->word, news->word ? news->word : 's');
}

static void nap(double seconds)
{
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

/* Waits for a word, 20 s at most. */
static int word_of(struct told *t)
{
    for (int i = 0; i < 2000 && atomic_load(&t->word) == 0; i++)
        nap(0.01);
    return atomic_load(&t->word);
}

/* A parent and two children, 7 and 9, on threads that connect while the parent accepts. */
static struct beats parent, child[2];
static struct beats_addresses at;
static const uint32_t number[2] = {7, 9};

static void secrets(struct beats *b)
{
    memset(b->secrets.child, 1, BEATS_SECRET);
    memset(b->secrets.parent, 2, BEATS_SECRET);
}

static void *join(void *context)
{
    size_t i = context == &child[1];
    return beats_connect(&child[i], &at, true, number[i], 10.0) ? context : NULL;
}

/* True: both are there. */
static bool connect_all(bool timed)
{
    struct error e;
    pthread_t thread[2];
    bool joined = true;
    beats_init(&parent);
    secrets(&parent);
    if (beats_listen(&parent, 2, &at, &e) != STATUS_OK || at.port == 0)
        bail("no socket to listen at");
    for (size_t i = 0; i < 2; i++) {
        parent.child[i].number = number[i];
        parent.child[i].timed = timed;
        beats_init(&child[i]);
        secrets(&child[i]);
        if (pthread_create(&thread[i], NULL, join, &child[i]) != 0)
            bail("no thread");
    }
    size_t missing = beats_accept(&parent, 10.0);
    for (size_t i = 0; i < 2; i++) {
        void *result;
        pthread_join(thread[i], &result);
        joined = joined && result;
        child[i].parent.timed = timed;
        child[i].parent.number = 1;
    }
    return joined && missing == 0;
}

static void start(struct beats *b, double seconds, struct told *t)
{
    struct error e;
    atomic_store(&t->word, 0);
    if (beats_start(b, seconds, tell, t, &e) != STATUS_OK)
        bail("no thread: %s", e.sentence);
}

static void silence(void)
{
    struct told up, down[2];
    ok(connect_all(true), "a parent and two children find each other");
    start(&parent, 2.0, &up);
    start(&child[0], 2.0, &down[0]);
    start(&child[1], 2.0, &down[1]);
    nap(3.0);
    ok(!atomic_load(&up.word) && !atomic_load(&down[0].word) && !atomic_load(&down[1].word),
       "while all beat, nobody is missed");
    beats_close(&child[0]);
    nap(3.0);
    ok(!atomic_load(&up.word), "one that says it ends is not missed");
    beats_close(&child[1]);
    beats_close(&parent);

    ok(connect_all(true), "anew");
    start(&parent, 0.5, &up);
    start(&child[0], 0.5, &down[0]);
    is_int(word_of(&up), 's', "one that says nothing is missed");
    is_int(atomic_load(&up.number), 9, "and known");
    is_int(word_of(&down[0]), 's', "so is a parent that says nothing any more");
    is_int(atomic_load(&down[0].number), 1, "and known");
    for (size_t i = 0; i < 2; i++)
        beats_close(&child[i]);
    beats_close(&parent);
}

static void orders(void)
{
    struct told down[2];
    ok(connect_all(false), "where time doesn't count");
    start(&child[0], 0.1, &down[0]);
    start(&child[1], 0.1, &down[1]);
    nap(1.0);
    ok(!atomic_load(&down[0].word), "silence says nothing");
    beats_spread(&parent, 'e');
    is_int(word_of(&down[0]), 'e', "a parent's order arrives");
    is_int(word_of(&down[1]), 'e', "at all children");
    for (size_t i = 0; i < 2; i++)
        beats_close(&child[i]);
    beats_close(&parent);
}

/* A connection that says `size` bytes and stays; its socket. */
static int stranger(const unsigned char *bytes, size_t size)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(at.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0 || connect(s, (const struct sockaddr *)&to, sizeof to) != 0)
        bail("a stranger can't connect");
    if (size && send(s, bytes, size, MSG_NOSIGNAL) < 0)
        bail("a stranger can't speak");
    return s;
}

static void *join_late(void *context)
{
    nap(0.5);
    return beats_connect(context, &at, true, number[0], 10.0) ? context : NULL;
}

static void strangers(void)
{
    unsigned char noise[BEATS_SECRET + 4];
    struct error e;
    pthread_t thread;
    void *joined;
    int s[200];
    beats_init(&parent);
    beats_init(&child[0]);
    secrets(&parent);
    secrets(&child[0]);
    if (beats_listen(&parent, 1, &at, &e) != STATUS_OK)
        bail("no socket to listen at");
    parent.child[0].number = number[0];
    for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
        memset(noise, i % 4 == 0 ? 1 : (int)i, sizeof noise); /* the right secret, but a number that nobody has */
        s[i] = stranger(noise, i % 3 == 0 ? 0 : i % 3 == 1 ? sizeof noise : 5);
    }
    pthread_create(&thread, NULL, join_late, &child[0]);
    is_uint(beats_accept(&parent, 10.0), 0, "200 strangers before it, silent, noisy or cut short, don't keep a child out");
    pthread_join(thread, &joined);
    ok(joined != NULL, "which knows that it has been let in");
    is_int(parent.listener, -1, "then the door is shut");
    for (size_t i = 0; i < sizeof s / sizeof *s; i++)
        close(s[i]);
    beats_close(&child[0]);
    beats_close(&parent);
}

static void refused(void)
{
    struct error e;
    struct beats_addresses none = {.count = 0};
    beats_init(&parent);
    beats_init(&child[0]);
    secrets(&parent);
    secrets(&child[0]);
    if (beats_listen(&parent, 1, &at, &e) != STATUS_OK)
        bail("no socket to listen at");
    parent.child[0].number = 5;
    ok(!beats_connect(&child[0], &at, true, 5, 0.3), "a parent that doesn't answer is given up");
    is_uint(beats_accept(&parent, 0.3), 0, "though the greeting is found later: the caller has to compare");
    ok(!beats_connect(&child[0], &none, false, 5, 10.0), "where there is no address, nothing is tried");
    struct told t;
    start(&child[0], 1.0, &t);
    ok(!child[0].runs, "and without connections there is no thread");
    beats_close(&child[0]);
    beats_close(&parent);
    ok(!beats_connect(&child[0], &at, true, 5, 5.0), "a closed port is given up at once");
}

int main(void)
{
    silence();
    orders();
    strangers();
    refused();
    return tap_done();
}
