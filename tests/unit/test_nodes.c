/* test_nodes.c - ranks with their threads on cores, and what is wrong with them. */
#include "cluster/nodes.h"

#include <string.h>

#include "tap.h"

#define CORES 8

/* Eight cores of two hardware threads: processors 2 c and 2 c + 1. */
static struct machine machine;
static struct nodes_rank rank[16];

static void bind(size_t i, uint32_t threads, uint64_t processors)
{
    rank[i] = (struct nodes_rank){.rank = (uint32_t)i + 100, .threads = threads, .binding = {.word = {processors}}};
}

static struct nodes_report judge(size_t count)
{
    struct nodes_report report;
    struct error e;
    if (nodes_judge(&report, &machine, rank, count, &e) != STATUS_OK)
        bail("no memory");
    return report;
}

/* shared.ranks, shared.threads, shared.cores, crowded.rank, crowded.threads, crowded.cores */
static void finds(size_t count, const uint32_t wanted[6], const char *claim)
{
    struct nodes_report r = judge(count);
    const uint32_t got[6] = {r.shared.ranks, r.shared.threads, r.shared.cores, r.crowded.rank, r.crowded.threads,
                             r.crowded.cores};
    if (!ok(memcmp(got, wanted, sizeof got) == 0, "%s", claim))
        diag("%u %u %u, %u %u %u", got[0], got[1], got[2], got[3], got[4], got[5]);
}

static void cores(void)
{
    static const uint32_t nothing[6] = {0};
    for (size_t i = 0; i < CORES; i++)
        bind(i, 1, (uint64_t)3 << 2 * i);
    finds(8, nothing, "a core a rank");
    bind(7, 1, 0xffff);
    finds(8, nothing, "and one that may run anywhere: there is room for it");
    bind(8, 1, 0xffff);
    finds(9, (const uint32_t[6]){9, 9, 8, 0, 0, 0}, "for two there isn't");
    bind(1, 1, 1);
    finds(2, (const uint32_t[6]){2, 2, 1, 0, 0, 0}, "two hardware threads of a core are one core");
    bind(0, 4, 0xff);
    bind(1, 4, 0xff00);
    finds(2, nothing, "four threads on four cores each");
    bind(1, 4, 0x0ff0);
    finds(2, nothing, "that overlap: not sure to be too many");
    bind(1, 5, 0xff00);
    finds(2, (const uint32_t[6]){0, 0, 0, 101, 5, 4}, "five on four");
    bind(0, 4, 0xffff);
    bind(1, 4, 0xffff);
    bind(2, 4, 0xffff);
    finds(3, (const uint32_t[6]){3, 12, 8, 0, 0, 0}, "unbound ranks with more threads than the node has cores");
    bind(0, 4, 0);
    finds(1, nothing, "a binding that isn't known");
}

static void sums(void)
{
    bind(0, 2, 0x00ff);
    bind(1, 4, 0x0fff);
    struct nodes_report r = judge(2);
    is_uint(r.ranks, 2, "ranks");
    is_uint(r.least_threads, 2, "the fewest threads");
    is_uint(r.most_threads, 4, "the most");
    is_uint(r.cores, 6, "cores of any rank");
    is_uint(r.domains, 2, "domains");
    is_uint(r.memory, 77, "memory");
}

/* OMP_NUM_THREADS and SLURM_CPUS_PER_TASK; 0: not set. */
static bool contradict(uint32_t threads, uint32_t slurm)
{
    bind(0, threads ? threads : 1, 0xffff);
    rank[0].counted = threads;
    rank[0].slurm = slurm;
    return judge(1).slurm.given != 0;
}

static void slurm(void)
{
    ok(!contradict(0, 4) && !contradict(4, 0), "who says nothing contradicts nobody");
    ok(!contradict(4, 4), "the same doesn't either");
    ok(!contradict(4, 8), "nor a thread for each core, Slurm counting two hardware threads");
    ok(contradict(8, 4) && contradict(1, 4) && contradict(2, 8), "anything else does");
}

int main(void)
{
    machine = (struct machine){.cores = CORES, .domains = 2, .memory = 77, .known = true};
    for (size_t i = 0; i < MACHINE_PROCESSORS; i++)
        machine.core[i] = (uint16_t)(i < (size_t)2 * CORES ? i / 2 : CORES);
    cores();
    sums();
    slurm();
    return tap_done();
}
