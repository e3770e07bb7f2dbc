/* ranks.c - thin words over MPI; see ranks.h.
 *
 * MPI counts are ints: larger messages go in slices. Where one rank may be late, the others nap (waiting.h). */
#include "ranks.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/mapping_guard.h"
#include "../base/memory.h"
#include "waiting.h"

#define SLICE ((size_t)1 << 28) /* bytes a message */
#define LAST_NANOSECONDS 500000000

static bool started(void)
{
    int yes = 0, over = 0;
    MPI_Initialized(&yes);
    MPI_Finalized(&over);
    return yes && !over;
}

/* What makes a host one: its kernel's run, its network, its name. */
struct host_id {
    char boot[40];
    uint64_t network;
    char name[128];
};

/* Not asked of MPI (MPI_COMM_TYPE_SHARED): Open MPI goes by names, and crashes or hangs when two hosts have the same one, as
 * containers and freshly installed machines do. */
static enum status find_node(struct ranks *r, struct error *e)
{
    struct host_id own, *all;
    struct stat about;
    memset(&own, 0, sizeof own);
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)!read(file, own.boot, sizeof own.boot - 1);
        close(file);
    }
    own.network = stat("/proc/self/ns/net", &about) == 0 ? (uint64_t)about.st_ino : 0;
    memcpy(own.name, r->host, sizeof own.name);
    enum status s = ranks_agree(r, memory_array(&all, (size_t)r->size, sizeof *all, "the hosts", e), e);
    if (s == STATUS_OK)
        MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    r->node = r->rank;
    for (int i = 0; i < r->size && s == STATUS_OK; i++) {
        if (memcmp(&all[i], &own, sizeof own) != 0)
            continue;
        r->node = i < r->node ? i : r->node;
        r->node_rank += i < r->rank;
        r->node_size++;
    }
    memory_free(all);
    return s;
}

enum status ranks_start(struct ranks *r, int *argc, char ***argv, struct error *e)
{
    int given, length = 0;
    if (!started() && MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        return error_set(e, STATUS_FAILED, "MPI can't start");
    memset(r, 0, sizeof *r);
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->size);
    mapping_guard_rank(r->rank);
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    MPI_Get_processor_name(name, &length);
    snprintf(r->host, sizeof r->host, "%.*s", (int)sizeof r->host - 1, name);
    return find_node(r, e);
}

static bool finishes_last;

void ranks_finish_last(void)
{
    finishes_last = true;
}

void ranks_finish(void)
{
    const struct timespec moment = {0, LAST_NANOSECONDS};
    int rank = 0, size = 1;
    if (!started())
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Finalize();
    if (finishes_last && rank == 0 && size > 1)
        nanosleep(&moment, NULL);
}

/* The rank by the launcher's environment; NULL: no launcher. */
static const char *launcher_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    const char *value = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !value; i++)
        value = getenv(variables[i]);
    return value;
}

bool ranks_speaks(void)
{
    if (started()) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        return rank == 0;
    }
    const char *value = launcher_rank();
    return !value || strcmp(value, "0") == 0;
}

enum status ranks_fail_together(enum status own, struct error *e)
{
    struct ranks all;
    struct error mpi;
    if (!started() && launcher_rank() && ranks_start(&all, NULL, NULL, &mpi) != STATUS_OK)
        *e = mpi;
    return own;
}

static enum status agree(const struct ranks *r, enum status own, uint64_t place, struct error *e)
{
    uint64_t size = (uint64_t)r->size, first;
    uint64_t failing = own == STATUS_OK ? UINT64_MAX : place * size + (uint64_t)r->rank;
    MPI_Request request; /* one may have work of minutes before it agrees */
    MPI_Iallreduce(&failing, &first, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD, &request);
    waiting_request(&request);
    if (first == UINT64_MAX)
        return STATUS_OK;
    MPI_Bcast(e, (int)sizeof *e, MPI_BYTE, (int)(first % size), MPI_COMM_WORLD);
    return e->status;
}

static void name_rank(const struct ranks *r, struct error *e)
{
    struct error plain = *e;
    if (r->rank != 0)
        snprintf(e->sentence, sizeof e->sentence, "rank %d on %s: %.600s", r->rank, r->host, plain.sentence);
}

enum status ranks_agree(const struct ranks *r, enum status own, struct error *e)
{
    if (own != STATUS_OK)
        name_rank(r, e);
    return agree(r, own, 0, e);
}

enum status ranks_agree_first(const struct ranks *r, enum status own, uint64_t place, struct error *e)
{
    if (own != STATUS_OK && own != STATUS_INPUT)
        name_rank(r, e);
    return agree(r, own, place, e);
}

void ranks_sum(uint64_t *values, size_t count)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    waiting_request(&request);
}

void ranks_largest(uint32_t *values, size_t count)
{
    for (size_t at = 0, slice; at < count; at += slice) {
        slice = count - at < SLICE / sizeof *values ? count - at : SLICE / sizeof *values;
        MPI_Allreduce(MPI_IN_PLACE, values + at, (int)slice, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
    }
}

void ranks_broadcast(void *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += SLICE) {
        size_t slice = size - at < SLICE ? size - at : SLICE;
        MPI_Request request; /* rank 0 may have read a large file first */
        MPI_Ibcast((char *)bytes + at, (int)slice, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
        waiting_request(&request);
    }
}

double ranks_max(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum status ranks_hosts(const struct ranks *r, char **names, struct error *e)
{
    char *all;
    size_t width = sizeof r->host, total;
    *names = NULL;
    enum status s = ranks_gather(r, r->host, 1, width, &all, &total, e);
    if (s != STATUS_OK)
        return s;
    s = memory_array(names, r->rank == 0 ? total : 1, width, "host names", e);
    if (s == STATUS_OK && r->rank == 0) {
        qsort(all, total, width, by_name);
        size_t used = 0;
        for (size_t i = 0; i < total; i++)
            if (i == 0 || strcmp(all + i * width, all + (i - 1) * width) != 0)
                used += (size_t)snprintf(*names + used, total * width - used, "%s%s", used ? " " : "", all + i * width);
    }
    memory_free(all);
    return s;
}

enum status ranks_gather(const struct ranks *r, const void *own, size_t count, size_t size, void *all, size_t *total,
                         struct error *e)
{
    int *counts = NULL, *places = NULL, mine = (int)count, sum = 0;
    void *result = NULL;
    MPI_Datatype record;
    enum status s = memory_array(&counts, (size_t)r->size, sizeof *counts, "a gather", e);
    if (s == STATUS_OK)
        s = memory_array(&places, (size_t)r->size, sizeof *places, "a gather", e);
    s = ranks_agree(r, s, e);
    if (s == STATUS_OK) {
        MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < r->size; i++) {
            places[i] = sum;
            sum += counts[i];
        }
        s = ranks_agree(r, memory_array(&result, (size_t)sum, size, "what was gathered", e), e);
    }
    if (s == STATUS_OK) {
        MPI_Type_contiguous((int)size, MPI_BYTE, &record);
        MPI_Type_commit(&record);
        MPI_Allgatherv(own, mine, record, result, counts, places, record, MPI_COMM_WORLD);
        MPI_Type_free(&record);
    }
    memory_free(counts);
    memory_free(places);
    if (s != STATUS_OK) {
        memory_free(result);
        result = NULL;
    }
    memcpy(all, &result, sizeof result);
    *total = (size_t)sum;
    return s;
}
