/* nodes.c - see nodes.h. */
#include "nodes.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/log.h"
#include "../base/memory.h"

/* ---- one node ---- */

/* Threads of the ranks that are kept to cores of `cores`, and how many ranks those are. */
static uint32_t demand(const struct machine_set *own, const struct nodes_rank *rank, size_t count,
                       const struct machine_set *cores, uint32_t *ranks)
{
    uint32_t threads = 0;
    *ranks = 0;
    for (size_t i = 0; i < count; i++)
        if (machine_within(&own[i], cores)) {
            threads += rank[i].threads;
            ++*ranks;
        }
    return threads;
}

/* The first rank that is crowded by itself, and the first set of cores that ranks share; sets are judged by the ranks that are
 * kept to them, so that one bound rank too many is seen among free ones. own[count]: cores. */
static void judge_cores(struct nodes_report *report, const struct machine_set *own, const struct nodes_rank *rank, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t cores = (uint32_t)machine_count(&own[i]), ranks;
        if (cores == 0) /* not known */
            continue;
        if (rank[i].threads > cores && !report->crowded.cores) {
            report->crowded.rank = rank[i].rank;
            report->crowded.threads = rank[i].threads;
            report->crowded.cores = cores;
        }
        uint32_t threads = demand(own, rank, count, &own[i], &ranks);
        if (ranks > 1 && threads > cores && (!report->shared.cores || ranks > report->shared.ranks)) {
            report->shared.ranks = ranks;
            report->shared.threads = threads;
            report->shared.cores = cores;
        }
    }
}

/* Slurm counts hardware threads where there are several to a core: one of ours for each core is right too. */
static void judge_slurm(struct nodes_report *report, const struct nodes_rank *rank, size_t cores, size_t processors)
{
    size_t a_core = cores && processors > cores ? processors / cores : 1;
    if (!rank->slurm || !rank->counted || rank->counted == rank->slurm || report->slurm.given ||
        rank->counted * a_core == rank->slurm)
        return;
    report->slurm.rank = rank->rank;
    report->slurm.threads = rank->counted;
    report->slurm.given = rank->slurm;
}

/* Sums up; fills own[count] with the cores of each rank's processors. */
static void add_up(struct nodes_report *report, const struct machine *m, const struct nodes_rank *rank, size_t count,
                   struct machine_set *own)
{
    struct machine_set all;
    memset(&all, 0, sizeof all);
    memset(report, 0, sizeof *report);
    report->least_threads = count ? rank[0].threads : 0;
    for (size_t i = 0; i < count; i++) {
        own[i] = machine_cores(m, &rank[i].binding);
        for (size_t k = 0; k < MACHINE_PROCESSORS / 64; k++)
            all.word[k] |= own[i].word[k];
        report->least_threads = report->least_threads < rank[i].threads ? report->least_threads : rank[i].threads;
        report->most_threads = report->most_threads > rank[i].threads ? report->most_threads : rank[i].threads;
    }
    report->ranks = (uint32_t)count;
    report->cores = (uint32_t)machine_count(&all);
    report->domains = (uint32_t)m->domains;
    report->memory = m->memory;
}

enum status nodes_judge(struct nodes_report *report, const struct machine *m, const struct nodes_rank *rank, size_t count,
                        struct error *e)
{
    struct machine_set *own;
    size_t processors = 0;
    enum status s = memory_array(&own, count, sizeof *own, "the nodes", e);
    if (s != STATUS_OK)
        return s;
    add_up(report, m, rank, count, own);
    judge_cores(report, own, rank, count);
    for (size_t i = 0; i < MACHINE_PROCESSORS; i++)
        processors += m->core[i] < m->cores;
    for (size_t i = 0; i < count; i++)
        judge_slurm(report, &rank[i], m->cores, processors);
    memory_free(own);
    return STATUS_OK;
}

/* ---- all nodes ---- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static bool alike(const struct nodes_report *a, const struct nodes_report *b)
{
    return a->ranks == b->ranks && a->least_threads == b->least_threads && a->most_threads == b->most_threads &&
           a->cores == b->cores && a->domains == b->domains && a->memory >> 30 == b->memory >> 30;
}

/* "node3", "node3 node4", "node3 node4 node5 and 61 more". */
static void name_nodes(char *text, size_t size, const struct nodes_report *all, size_t count, const struct nodes_report *kind)
{
    size_t used = 0, named = 0, more = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (!alike(&all[i], kind))
            continue;
        if (named < 4)
            used += (size_t)snprintf(text + used, size - used, "%s%s", named ? " " : "", all[i].host);
        more += named >= 4;
        named++;
    }
    if (more)
        snprintf(text + used, size - used, " and %zu more", more);
}

static void tell_kind(const struct nodes_report *all, size_t count, const struct nodes_report *kind)
{
    char names[400], threads[48], memory[48] = "";
    size_t nodes = 0;
    for (size_t i = 0; i < count; i++)
        nodes += alike(&all[i], kind);
    name_nodes(names, sizeof names, all, count, kind);
    if (kind->least_threads == kind->most_threads)
        snprintf(threads, sizeof threads, "%u thread%s", (unsigned)kind->most_threads, plural(kind->most_threads));
    else
        snprintf(threads, sizeof threads, "%u to %u threads", (unsigned)kind->least_threads, (unsigned)kind->most_threads);
    if (kind->memory)
        snprintf(memory, sizeof memory, ", %.1f GB", 1e-9 * (double)kind->memory);
    log_line("%zu node%s%s: %u rank%s x %s on %u core%s, %u NUMA domain%s%s: %s", nodes, plural(nodes), nodes == 1 ? "" : ", each",
             (unsigned)kind->ranks, plural(kind->ranks), threads, (unsigned)kind->cores, plural(kind->cores),
             (unsigned)kind->domains, plural(kind->domains), memory, names);
}

/* Each warning once, by the first node that it is about, with how many others there are. */
static const char *others(char *text, size_t size, size_t count)
{
    text[0] = '\0';
    if (count > 1)
        snprintf(text, size, " (and on %zu other node%s)", count - 1, plural(count - 1));
    return text;
}

static void warn(const struct nodes_report *all, size_t count)
{
    const struct nodes_report *shared = NULL, *crowded = NULL, *slurm = NULL;
    size_t sharing = 0, crowding = 0, differing = 0;
    char text[64];
    for (size_t i = count; i-- > 0;) {
        shared = all[i].shared.cores ? &all[i] : shared;
        crowded = all[i].crowded.cores ? &all[i] : crowded;
        slurm = all[i].slurm.given ? &all[i] : slurm;
        sharing += all[i].shared.cores != 0;
        crowding += all[i].crowded.cores != 0;
        differing += all[i].slurm.given != 0;
    }
    if (shared)
        log_warning("ranks share cores: %u ranks on %s have %u threads on %u core%s%s; start fewer, or see to their binding "
                    "(mpirun --report-bindings, srun --cpu-bind=verbose)", (unsigned)shared->shared.ranks, shared->host,
                    (unsigned)shared->shared.threads, (unsigned)shared->shared.cores, plural(shared->shared.cores),
                    others(text, sizeof text, sharing));
    if (crowded)
        log_warning("rank %u on %s has %u threads and is kept to %u core%s%s; bind it to as many (mpirun --map-by slot:PE=%u, "
                    "srun --cpus-per-task=%u), or give --threads %u", (unsigned)crowded->crowded.rank, crowded->host,
                    (unsigned)crowded->crowded.threads, (unsigned)crowded->crowded.cores, plural(crowded->crowded.cores),
                    others(text, sizeof text, crowding), (unsigned)crowded->crowded.threads,
                    (unsigned)crowded->crowded.threads, (unsigned)crowded->crowded.cores);
    if (slurm)
        log_warning("rank %u on %s has OMP_NUM_THREADS=%u, and Slurm gives it %u processors (SLURM_CPUS_PER_TASK)%s",
                    (unsigned)slurm->slurm.rank, slurm->host, (unsigned)slurm->slurm.threads, (unsigned)slurm->slurm.given,
                    others(text, sizeof text, differing));
}

static uint32_t number_in(const char *variable)
{
    const char *value = getenv(variable);
    long number = value ? strtol(value, NULL, 10) : 0;
    return number > 0 && number < 1 << 20 ? (uint32_t)number : 0;
}

/* Collective over a node: what the lowest rank finds. */
static enum status judge_node(const struct ranks *r, size_t threads, bool asked, struct nodes_report *report, struct error *e)
{
    struct nodes_rank own = {.rank = (uint32_t)r->rank, .threads = (uint32_t)threads}, *all = NULL;
    MPI_Comm node;
    own.slurm = number_in("SLURM_CPUS_PER_TASK");
    own.counted = asked ? number_in("OMP_NUM_THREADS") : 0;
    own.binding = machine_binding();
    enum status s = r->node_rank == 0 ? memory_array(&all, (size_t)r->node_size, sizeof *all, "the nodes", e) : STATUS_OK;
    s = ranks_agree(r, s, e);
    if (s == STATUS_OK) {
        MPI_Comm_split(MPI_COMM_WORLD, r->node, r->rank, &node);
        MPI_Gather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, 0, node);
        MPI_Comm_free(&node);
    }
    if (s == STATUS_OK && r->node_rank == 0) {
        s = nodes_judge(report, machine_here(), all, (size_t)r->node_size, e);
        snprintf(report->host, sizeof report->host, "%.63s", r->host);
    }
    memory_free(all);
    return ranks_agree(r, s, e);
}

enum status nodes_tell(const struct ranks *r, size_t threads, bool asked, struct error *e)
{
    struct nodes_report own, *all = NULL;
    size_t count = 0;
    enum status s = judge_node(r, threads, asked, &own, e);
    if (s == STATUS_OK)
        s = ranks_gather(r, &own, r->node_rank == 0, sizeof own, &all, &count, e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        bool told = false;
        for (size_t k = 0; k < i; k++)
            told = told || alike(&all[i], &all[k]);
        if (!told)
            tell_kind(all, count, &all[i]);
    }
    if (s == STATUS_OK)
        warn(all, count);
    memory_free(all);
    return s;
}
