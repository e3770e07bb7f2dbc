/* beats_connect.c - who is at the other end of a connection; see beats.h.
 *
 * Everything here waits for a few seconds at most, on the main thread: when the work begins, it is known who is watched.
 * All addresses of the parent are tried at once, since a host may have some that lead nowhere.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "beats.h"

#define HELLO (BEATS_SECRET + 4)
#define GUESTS 64 /* connections that have not said yet who they are; more wait in the kernel */

/* One that is to say something. */
struct guest {
    int socket;              /* -1: none                                            */
    size_t got;              /* bytes of `said`                                     */
    bool asked;              /* our own hello is out                                */
    unsigned char said[HELLO];
};

/* ---- addresses ---- */

static bool take_address(const struct sockaddr *from, unsigned char to[16])
{
    struct in6_addr six;
    if (from && from->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, from, sizeof four);
        memset(to, 0, 10);
        to[10] = to[11] = 0xff;
        memcpy(to + 12, &four.sin_addr, 4);
        return true;
    }
    if (!from || from->sa_family != AF_INET6)
        return false;
    six = ((const struct sockaddr_in6 *)(const void *)from)->sin6_addr;
    memcpy(to, &six, 16);
    return !IN6_IS_ADDR_LINKLOCAL(&six); /* they mean something on one cable only */
}

static void list_addresses(struct beats_addresses *own)
{
    struct ifaddrs *all;
    memset(own, 0, sizeof *own);
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *a = all; a && own->count < BEATS_ADDRESSES; a = a->ifa_next)
        if ((a->ifa_flags & IFF_UP) && !(a->ifa_flags & IFF_LOOPBACK) &&
            take_address(a->ifa_addr, own->address[own->count]))
            own->count++;
    freeifaddrs(all);
}

static bool is_own(const struct beats_addresses *own, const unsigned char address[16])
{
    for (uint32_t i = 0; i < own->count; i++)
        if (memcmp(own->address[i], address, 16) == 0)
            return true;
    return false;
}

/* ---- sockets ---- */

static void prepare(int s)
{
    const int yes = 1;
    fcntl(s, F_SETFL, fcntl(s, F_GETFL) | O_NONBLOCK);
    fcntl(s, F_SETFD, FD_CLOEXEC);
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/* One socket for both families where the kernel knows IPv6, else for IPv4. */
static int listening_socket(uint16_t *port)
{
    const int no = 0;
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any};
    struct sockaddr_in four = {.sin_family = AF_INET};
    socklen_t length = sizeof six;
    int s = socket(AF_INET6, SOCK_STREAM, 0);
    if (s >= 0 && setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) == 0 &&
        bind(s, (const struct sockaddr *)&six, sizeof six) == 0 && listen(s, 4096) == 0 &&
        getsockname(s, (struct sockaddr *)&six, &length) == 0) {
        *port = ntohs(six.sin6_port);
        return s;
    }
    if (s >= 0)
        close(s);
    s = socket(AF_INET, SOCK_STREAM, 0);
    length = sizeof four;
    if (s >= 0 && bind(s, (const struct sockaddr *)&four, sizeof four) == 0 && listen(s, 4096) == 0 &&
        getsockname(s, (struct sockaddr *)&four, &length) == 0) {
        *port = ntohs(four.sin_port);
        return s;
    }
    if (s >= 0)
        close(s);
    return -1;
}

/* A socket on its way to an address; -1: there is no way. */
static int start_connecting(const unsigned char address[16], uint16_t port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    memcpy(&six.sin6_addr, address, 16);
    memcpy(&four.sin_addr, address + 12, 4);
    const bool is_four = IN6_IS_ADDR_V4MAPPED(&six.sin6_addr);
    const struct sockaddr *to = is_four ? (const struct sockaddr *)&four : (const struct sockaddr *)&six;
    int s = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM, 0);
    if (s < 0)
        return -1;
    prepare(s);
    if (connect(s, to, is_four ? sizeof four : sizeof six) == 0 || errno == EINPROGRESS)
        return s;
    close(s);
    return -1;
}

/* Thousands of hosts need as many descriptors. */
static void allow_sockets(size_t more)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > more + 512)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > more + 512 ? more + 512 : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- guests ---- */

static void see_off(struct guest *g)
{
    if (g->socket >= 0)
        close(g->socket);
    *g = (struct guest){.socket = -1};
}

/* Reads what there is of `size` bytes. False: the guest is gone, or has said too much to be ours. */
static bool read_some(struct guest *g, size_t size)
{
    ssize_t got = recv(g->socket, g->said + g->got, size - g->got, MSG_DONTWAIT);
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    g->got += (size_t)got;
    return true;
}

/* In a time that does not tell where the difference is. */
static bool equal(const unsigned char *a, const unsigned char *b, size_t size)
{
    unsigned char differ = 0;
    for (size_t i = 0; i < size; i++)
        differ |= a[i] ^ b[i];
    return differ == 0;
}

static uint32_t number_of(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---- the parent's side ---- */

enum status beats_listen(struct beats *b, size_t children, struct beats_addresses *own, struct error *e)
{
    enum status s = memory_array(&b->child, children, sizeof *b->child, "the watch over hosts", e);
    list_addresses(own);
    if (s != STATUS_OK)
        return s;
    b->children = children;
    for (size_t i = 0; i < children; i++)
        b->child[i].socket = -1;
    if (children == 0)
        return STATUS_OK;
    allow_sockets(children + GUESTS);
    b->listener = listening_socket(&own->port);
    if (b->listener >= 0)
        prepare(b->listener);
    else
        own->port = 0;
    return STATUS_OK;
}

/* A guest that has said all it is to say: a child that is awaited stays. Children are few or asked in order. */
static size_t judge(struct beats *b, struct guest *g)
{
    size_t joined = 0;
    uint32_t number = number_of(g->said + BEATS_SECRET);
    if (equal(g->said, b->secrets.child, BEATS_SECRET))
        for (size_t i = 0; i < b->children && !joined; i++)
            if (b->child[i].number == number && b->child[i].socket < 0 &&
                send(g->socket, b->secrets.parent, BEATS_SECRET, MSG_NOSIGNAL | MSG_DONTWAIT) == BEATS_SECRET) {
                b->child[i].socket = g->socket;
                g->socket = -1;
                joined = 1;
            }
    see_off(g);
    return joined;
}

/* Lets one in, if there is a free place: *turn is the next to give way when all are taken, so that strangers who say nothing
 * don't keep others out. */
static void let_in(struct beats *b, struct guest *guest, size_t *turn)
{
    int s = accept(b->listener, NULL, NULL);
    if (s < 0)
        return;
    prepare(s);
    for (size_t i = 0; i < GUESTS; i++)
        if (guest[i].socket < 0) {
            guest[i].socket = s;
            return;
        }
    see_off(&guest[*turn]);
    guest[*turn].socket = s;
    *turn = (*turn + 1) % GUESTS;
}

size_t beats_accept(struct beats *b, double seconds)
{
    struct guest guest[GUESTS];
    struct pollfd look[GUESTS + 1];
    double end = clock_seconds() + seconds, left = seconds;
    size_t missing = b->children, turn = 0;
    for (size_t i = 0; i < GUESTS; i++)
        guest[i] = (struct guest){.socket = -1};
    for (; missing && b->listener >= 0 && left > 0.0; left = end - clock_seconds()) {
        for (size_t i = 0; i < GUESTS; i++)
            look[i] = (struct pollfd){.fd = guest[i].socket, .events = POLLIN};
        look[GUESTS] = (struct pollfd){.fd = b->listener, .events = POLLIN};
        if (poll(look, GUESTS + 1, 1 + (int)(1e3 * left)) <= 0)
            continue;
        for (size_t i = 0; i < GUESTS; i++) {
            if (!look[i].revents)
                continue;
            if (!read_some(&guest[i], HELLO))
                see_off(&guest[i]);
            else if (guest[i].got == HELLO)
                missing -= judge(b, &guest[i]);
        }
        if (look[GUESTS].revents)
            let_in(b, guest, &turn);
    }
    for (size_t i = 0; i < GUESTS; i++)
        see_off(&guest[i]);
    if (b->listener >= 0)
        close(b->listener);
    b->listener = -1;
    return missing;
}

/* ---- the child's side ---- */

/* Moves one try on; true: it is the parent. */
static bool try(const struct beats *b, struct guest *g, uint32_t number)
{
    unsigned char hello[HELLO];
    if (!g->asked) {
        int fault = 0;
        socklen_t size = sizeof fault;
        memcpy(hello, b->secrets.child, BEATS_SECRET);
        for (int i = 0; i < 4; i++)
            hello[BEATS_SECRET + i] = (unsigned char)(number >> 8 * i);
        g->asked = getsockopt(g->socket, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0 &&
                   send(g->socket, hello, HELLO, MSG_NOSIGNAL | MSG_DONTWAIT) == HELLO;
        if (!g->asked)
            see_off(g);
        return false;
    }
    if (!read_some(g, BEATS_SECRET)) {
        see_off(g);
        return false;
    }
    if (g->got < BEATS_SECRET)
        return false;
    if (equal(g->said, b->secrets.parent, BEATS_SECRET))
        return true;
    see_off(g);
    return false;
}

static size_t start_all(struct guest *guest, const struct beats_addresses *at, bool here)
{
    static const unsigned char loopback[16] = {[10] = 0xff, 0xff, 127, 0, 0, 1};
    struct beats_addresses own;
    size_t count = 0;
    list_addresses(&own);
    for (uint32_t i = 0; i < (here ? 1 : at->count) && i < BEATS_ADDRESSES; i++) {
        if (!here && is_own(&own, at->address[i]))
            continue;
        int s = start_connecting(here ? loopback : at->address[i], at->port);
        if (s >= 0)
            guest[count++] = (struct guest){.socket = s};
    }
    return count;
}

bool beats_connect(struct beats *b, const struct beats_addresses *at, bool here, uint32_t number, double seconds)
{
    struct guest guest[BEATS_ADDRESSES];
    struct pollfd look[BEATS_ADDRESSES];
    double end = clock_seconds() + seconds, left = seconds;
    size_t count = at->port ? start_all(guest, at, here) : 0, open = count;
    b->parent.timed = !here;
    for (; open && b->parent.socket < 0 && left > 0.0; left = end - clock_seconds()) {
        for (size_t i = 0; i < count; i++)
            look[i] = (struct pollfd){.fd = guest[i].socket, .events = guest[i].asked ? POLLIN : POLLOUT};
        (void)poll(look, (nfds_t)count, 1 + (int)(1e3 * left));
        for (size_t i = 0; i < count && b->parent.socket < 0; i++)
            if (look[i].revents && try(b, &guest[i], number)) {
                b->parent.socket = guest[i].socket;
                guest[i].socket = -1;
            }
        open = 0;
        for (size_t i = 0; i < count; i++)
            open += guest[i].socket >= 0;
    }
    for (size_t i = 0; i < count; i++)
        see_off(&guest[i]);
    return b->parent.socket >= 0;
}
