/* watch.c - who watches whom, and what follows from a silence; see watch.h.
 *
 * A star of hosts, not a tree: rank 0 hears a byte of each host every few seconds, which thousands of hosts may send, and
 * knows of each by itself. Processes end by _exit: MPI_Abort is the main thread's to call, which waits for the lost host
 * within MPI, and the launcher ends a job when a rank ends without MPI_Finalize.
 */
#include "watch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/memory.h"
#include "beats.h"

#define JOIN_SECONDS 5.0   /* for a connection to rank 0, when the run begins        */
#define HOLD_SECONDS 300   /* for results to get their names: a file server may be slow */
#define LAUNCHER_SECONDS 5 /* for mpirun to end, when all ranks it reaches have       */

/* A host by its lowest rank. */
struct host {
    uint32_t rank;
    char name[64];
    struct beats_addresses at;
};

static struct {
    const struct ranks *ranks;
    const char *advice;
    struct host *host;          /* [hosts], by rank                                  */
    size_t hosts;
    struct beats beats;
    pthread_mutex_t held;
    atomic_int outcome;         /* RUNNING, or how the run has ended                   */
    bool open;
} watch = {.held = PTHREAD_MUTEX_INITIALIZER, .outcome = -1};

#define RUNNING (-1)

/* ---- the end ---- */

static void nap(double seconds)
{
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

/* The daemons that mpirun starts on other hosts count if wanted: Open MPI 4's, which serve one job. */
static bool is_launcher(pid_t process, bool or_daemon)
{
    static const char *const names[] = {"orted", "mpirun", "mpiexec", "orterun", "prterun"};
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, name, sizeof name - 1);
    if (file >= 0)
        close(file);
    name[size > 0 ? (size_t)size : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    for (size_t i = !or_daemon; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Open MPI's mpirun waits for the lost host's daemon for ever, deaf to SIGTERM or broken by it, and the job's script with
 * it; so does the daemon on the other side of the cut for mpirun, until TCP gives up, for many minutes. A process that
 * outlives us ends it, if it is our parent and hasn't ended after a while. A daemon that mpirun still reaches is left. */
static void see_to_launcher(bool cut_off)
{
    const pid_t launcher = getppid();
    if (!is_launcher(launcher, cut_off) || fork() != 0)
        return;
    setsid();
    for (int fd = 0; fd < 4096; fd++) /* the launcher waits for our outputs' end */
        close(fd);
    nap(LAUNCHER_SECONDS);
    if (is_launcher(launcher, cut_off))
        kill(launcher, SIGKILL);
    _exit(0);
}

static const struct host *host_of(uint32_t rank)
{
    size_t i = 0;
    while (i + 1 < watch.hosts && watch.host[i].rank != rank)
        i++;
    return &watch.host[i];
}

/* Rank 0 speaks; where it is rank 0 that is missing, the second host. */
static void speak(const struct beats_news *news, bool finished, double seconds)
{
    const struct host *lost = host_of(news->peer->number);
    struct error e;
    char others[64] = "";
    const bool speaks = watch.ranks->rank == 0 || (news->peer == &watch.beats.parent && watch.hosts > 1 &&
                                                   watch.host[1].rank == (uint32_t)watch.ranks->rank);
    if (news->silent > 1)
        snprintf(others, sizeof others, ", nor of %zu other host%s", news->silent - 1, news->silent > 2 ? "s" : "");
    error_set(&e, STATUS_FAILED, "rank %u on %s has not been heard of for %.3g s%s: the host or its network is gone",
              (unsigned)lost->rank, lost->name, seconds, others);
    error_advice(&e, "%s", watch.advice);
    if (!speaks)
        return;
    if (finished)
        log_warning("%s; the run was over already", e.sentence);
    else
        log_error(&e);
}

/* On the watch's thread; the main thread may be anywhere. */
static void end(void *context, const struct beats_news *news)
{
    const bool told = news->word != 0;
    struct timespec last;
    (void)context;
    clock_gettime(CLOCK_REALTIME, &last);
    last.tv_sec += HOLD_SECONDS;
    (void)pthread_mutex_timedlock(&watch.held, &last);
    int outcome = atomic_load(&watch.outcome);
    if (outcome == RUNNING && news->word == 'd')
        outcome = STATUS_OK;
    if (!told)
        speak(news, outcome != RUNNING,
              news->peer == &watch.beats.parent ? 1.25 * watch.beats.seconds : watch.beats.seconds);
    beats_spread(&watch.beats, told ? news->word : outcome == RUNNING ? 'e' : 'd');
    if (watch.ranks->node_rank == 0)
        see_to_launcher(!told && news->peer == &watch.beats.parent);
    nap(0.5); /* for what was said to leave the host */
    _exit(outcome == RUNNING ? STATUS_FAILED : outcome);
}

void watch_hold(void)
{
    pthread_mutex_lock(&watch.held);
}

void watch_go_on(void)
{
    pthread_mutex_unlock(&watch.held);
}

void watch_finished(enum status outcome)
{
    atomic_store(&watch.outcome, (int)outcome);
}

/* ---- the beginning ---- */

/* Ranks of this host but the lowest, whose children they are; of rank 0 the other hosts' lowest too. */
static size_t children_of(const struct ranks *r, size_t hosts)
{
    return r->node_rank != 0 ? 0 : (size_t)r->node_size - 1 + (r->rank == 0 ? hosts - 1 : 0);
}

/* How many hosts there are, and on the lowest rank of each the numbers of its children. */
static enum status list_children(const struct ranks *r, uint32_t **number, size_t *hosts, struct error *e)
{
    const struct {
        int32_t node, first;
    } own = {r->node, r->node_rank == 0}, *all;
    void *gathered;
    size_t total, count = 0;
    *number = NULL;
    *hosts = 0;
    enum status s = ranks_gather(r, &own, 1, sizeof own, &gathered, &total, e);
    all = gathered;
    for (size_t i = 0; i < total && s == STATUS_OK; i++)
        *hosts += all[i].first != 0;
    if (s == STATUS_OK)
        s = memory_array(number, children_of(r, *hosts), sizeof **number, "the watch over hosts", e);
    for (size_t i = 0; i < total && s == STATUS_OK && r->node_rank == 0; i++)
        if ((int)i != r->rank && (all[i].node == r->node || (r->rank == 0 && all[i].first)))
            (*number)[count++] = (uint32_t)i;
    memory_free(gathered);
    return ranks_agree(r, s, e);
}

/* A test wants others to look for rank 0 where it isn't, as behind a firewall. */
static void read_test_hook(struct beats_addresses *at)
{
    static const unsigned char four[12] = {[10] = 0xff, 0xff};
    const char *address = getenv("PHI3SAT_TEST_WATCH");
    if (!address || inet_pton(AF_INET, address, at->address[0] + sizeof four) != 1)
        return;
    memcpy(at->address[0], four, sizeof four);
    at->count = 1;
}

static enum status listen_at(const struct ranks *r, struct host *own, struct error *e)
{
    uint32_t *number;
    size_t hosts;
    enum status s = list_children(r, &number, &hosts, e);
    if (s != STATUS_OK)
        return s;
    snprintf(own->name, sizeof own->name, "%.63s", r->host);
    own->rank = (uint32_t)r->rank;
    s = beats_listen(&watch.beats, children_of(r, hosts), &own->at, e);
    for (size_t i = 0; i < watch.beats.children && s == STATUS_OK; i++)
        watch.beats.child[i].number = number[i];
    memory_free(number);
    read_test_hook(&own->at);
    return ranks_agree(r, s, e);
}

/* Everybody to the parent, level by level. Collective. Parents forget children that had given up when they were let in. */
static enum status join_all(const struct ranks *r, struct error *e)
{
    struct beats *b = &watch.beats;
    const bool here = r->node_rank != 0;
    const struct host *parent = here ? host_of((uint32_t)r->node) : &watch.host[0];
    uint32_t joined = 1, *all;
    size_t total;
    b->parent.number = parent->rank;
    if (r->rank != 0)
        joined = beats_connect(b, &parent->at, here, (uint32_t)r->rank, here ? 3 * JOIN_SECONDS : JOIN_SECONDS);
    (void)beats_accept(b, JOIN_SECONDS);
    enum status s = ranks_gather(r, &joined, 1, sizeof joined, &all, &total, e);
    for (size_t i = 0; i < b->children && s == STATUS_OK; i++)
        if (!all[b->child[i].number])
            beats_forget(&b->child[i]);
    memory_free(all);
    for (size_t i = 0; i < b->children; i++) /* ranks of one's own host can't vanish alone */
        for (size_t k = 1; k < watch.hosts && r->rank == 0; k++)
            b->child[i].timed = b->child[i].timed || b->child[i].number == watch.host[k].rank;
    return s;
}

static void tell_missing(const struct ranks *r)
{
    const struct beats *b = &watch.beats;
    const char *first = "";
    size_t missing = 0;
    for (size_t i = 0; i < b->children; i++)
        if (b->child[i].timed && b->child[i].socket < 0) {
            first = missing ? first : host_of(b->child[i].number)->name;
            missing++;
        }
    if (missing && missing + 1 == watch.hosts)
        log_warning("no watch over hosts: they can't connect to %s (a firewall?); should one vanish, the job may hang",
                    r->host);
    else if (missing)
        log_warning("no watch over %zu of %zu hosts, %s the first: no connection to %s (a firewall?); should one of them "
                    "vanish, the job may hang", missing, watch.hosts, first, r->host);
}

/* Collective. */
static enum status draw_secrets(const struct ranks *r, struct error *e)
{
    struct beats_secrets *secrets = &watch.beats.secrets;
    enum status s = STATUS_OK;
    if (r->rank == 0 && getrandom(secrets, sizeof *secrets, 0) != (ssize_t)sizeof *secrets)
        s = error_set(e, STATUS_FAILED, "the system has no random numbers for the watch over hosts");
    s = ranks_agree(r, s, e);
    if (s == STATUS_OK)
        ranks_broadcast(secrets, sizeof *secrets);
    return s;
}

enum status watch_open(const struct ranks *r, double seconds, const char *advice, struct error *e)
{
    struct host own = {.rank = 0};
    if (seconds <= 0.0 || r->node_size == r->size) /* the same on all ranks */
        return STATUS_OK;
    beats_init(&watch.beats);
    watch.ranks = r;
    watch.advice = advice;
    watch.open = true;
    enum status s = draw_secrets(r, e);
    if (s == STATUS_OK)
        s = listen_at(r, &own, e);
    if (s == STATUS_OK)
        s = ranks_gather(r, &own, r->node_rank == 0, sizeof own, &watch.host, &watch.hosts, e);
    if (s == STATUS_OK)
        s = join_all(r, e);
    if (s != STATUS_OK)
        return s;
    tell_missing(r);
    return ranks_agree(r, beats_start(&watch.beats, seconds, end, NULL, e), e);
}

void watch_close(void)
{
    if (!watch.open)
        return;
    beats_close(&watch.beats);
    memory_free(watch.host);
    watch.host = NULL;
    watch.open = false;
}
