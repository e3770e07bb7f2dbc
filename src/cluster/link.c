/* link.c - messages to and fro; see link.h. */
#include "link.h"

#include <mpi.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/memory.h"

#define TAG 2
#define SMALL_TURNS 200
#define LARGE ((size_t)4 << 20)
#define LARGE_TURNS 40
#define LARGE_SECONDS 1.0

/* The best time of a message one way: what disturbs only makes it longer. The first turn wakes up the connection. */
static double bounce(const struct ranks *r, char *bytes, size_t size, int turns, double most)
{
    int peer = r->rank == 0 ? r->size - 1 : 0;
    double best = 1e30, start = clock_seconds();
    char more = 1;
    for (int i = 0; i <= turns && more; i++) {
        double before = clock_seconds();
        if (r->rank == 0) {
            MPI_Send(bytes, (int)size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
            MPI_Recv(bytes, (int)size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            double one_way = 0.5 * (clock_seconds() - before);
            best = i > 0 && one_way < best ? one_way : best;
            more = i < 2 || clock_seconds() - start < most;
            MPI_Send(&more, 1, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        } else {
            MPI_Recv(bytes, (int)size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(bytes, (int)size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
            MPI_Recv(&more, 1, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    return best;
}

enum status link_measure(struct link *l, const struct ranks *r, struct error *e)
{
    char *bytes, last[sizeof r->host];
    memset(l, 0, sizeof *l);
    if (r->size == 1)
        return STATUS_OK;
    enum status s = ranks_agree(r, memory_array(&bytes, LARGE, 1, "a message", e), e);
    memcpy(last, r->host, sizeof last);
    MPI_Bcast(last, (int)sizeof last, MPI_BYTE, r->size - 1, MPI_COMM_WORLD);
    if (s == STATUS_OK && (r->rank == 0 || r->rank == r->size - 1)) {
        l->latency = bounce(r, bytes, 1, SMALL_TURNS, LARGE_SECONDS);
        double seconds = bounce(r, bytes, LARGE, LARGE_TURNS, LARGE_SECONDS) - l->latency;
        l->bandwidth = (double)LARGE / (seconds > 1e-9 ? seconds : 1e-9);
        l->far = strcmp(last, r->host) != 0;
        l->measured = true;
    }
    memory_free(bytes);
    ranks_broadcast(l, sizeof *l);
    return s;
}
