/* beats.h - processes that hear of each other every few seconds over TCP connections of their own.
 *
 * Flow: watch -> *beats* -> a peer that is silent, to watch. Each process has at most one parent and any number of
 * children. A thread of its own sends and hears beats, whatever the rest of the process does: ranks compute for minutes
 * without a look at MPI. Knows nothing of MPI.
 *
 * Bytes on the wire, the network not being trusted: a child sends BEATS_SECRET bytes and its number (4 bytes, lowest first), is
 * answered by BEATS_SECRET other bytes, and from then on each side sends single bytes:
 *
 *     b  a beat          q  I end well, don't miss me
 *     e  end: failed     d  end: the results are there
 *
 * Both secrets are drawn anew for each run. Who says anything else is dropped. Nobody is accepted after the start.
 */
#ifndef PHI3SAT_CLUSTER_BEATS_H
#define PHI3SAT_CLUSTER_BEATS_H

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

#define BEATS_SECRET 32
#define BEATS_ADDRESSES 16

struct beats_secrets {
    unsigned char child[BEATS_SECRET], parent[BEATS_SECRET]; /* said by           */
};

/* Addresses of this host that others may reach, IPv4 ones as IPv6 has them. */
struct beats_addresses {
    unsigned char address[BEATS_ADDRESSES][16];
    uint32_t count;
    uint16_t port;                 /* of the listening socket; 0: it listens nowhere */
};

/* One connection. */
struct beats_peer {
    uint32_t number;               /* the other's                                    */
    bool timed;                    /* its silence counts                             */
    int socket;                    /* -1: not connected, or no more                  */
    bool done;                     /* it has ended well, or never was there           */
    double heard;                  /* when, last                                     */
};

/* Why beats end: told by whom. */
struct beats_news {
    char word;                     /* 'e' or 'd': the parent says so; 0: a peer is silent */
    const struct beats_peer *peer; /* the silent one; the parent, or one of child[]   */
    size_t silent;                 /* how many are: heard of last for more than half the time */
};

struct beats {
    struct beats_secrets secrets;
    struct beats_peer parent;
    struct beats_peer *child;      /* [children], owned                              */
    size_t children;
    int listener;                  /* -1: none                                       */
    double seconds;                /* of silence that count; a parent's a quarter more */
    void (*tell)(void *context, const struct beats_news *news); /* by the thread, at most once */
    void *context;
    pthread_t thread;
    bool runs;
    int stop[2];                   /* a pipe that tells the thread to                */
    struct pollfd *look;           /* [children + 2], the thread's                   */
};

/* Nothing is connected; beats_close may follow. */
void beats_init(struct beats *b);

/* Makes `child` (numbers and `timed` are the caller's to fill in) and listens for them; *own says where, or has port 0 where
 * no socket is to be had. STATUS_FAILED for want of memory. */
enum status beats_listen(struct beats *b, size_t children, struct beats_addresses *own, struct error *e) ERROR_MUST_USE;

/* Waits until all children are there, `seconds` at most, and stops listening. How many are missing. */
size_t beats_accept(struct beats *b, double seconds);

/* Connects to the parent at the first of the addresses that answers, `seconds` at most; addresses of this host itself are left
 * out unless that is where the parent is (`here`). */
bool beats_connect(struct beats *b, const struct beats_addresses *at, bool here, uint32_t number, double seconds);

/* Ends a connection, if there is one. Before the start: it is not missed. A parent may have let a child in that gave up
 * just then: the two have to compare. */
void beats_forget(struct beats_peer *p);

/* Starts the thread, if anybody is connected. STATUS_FAILED: it can't be started. */
enum status beats_start(struct beats *b, double seconds, void (*tell)(void *context, const struct beats_news *news),
                        void *context, struct error *e) ERROR_MUST_USE;

/* By the thread, in `tell`: says `word` to all children. */
void beats_spread(const struct beats *b, char word);

/* Says that this process ends well and frees everything. */
void beats_close(struct beats *b);

#endif
