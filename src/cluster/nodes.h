/* nodes.h - what each node runs, and what is wrong with that: cores that ranks share, threads without cores.
 *
 * Flow: bindings, threads, the machine -> *nodes* -> a line for all nodes that are alike, and warnings, when the run begins.
 */
#ifndef PHI3SAT_CLUSTER_NODES_H
#define PHI3SAT_CLUSTER_NODES_H

#include "../base/machine.h"
#include "ranks.h"

/* A rank, to the lowest of its node. */
struct nodes_rank {
    uint32_t rank, threads;
    uint32_t slurm;                  /* processors that Slurm gives each rank; 0: it says nothing */
    uint32_t counted;                /* the environment's OMP_NUM_THREADS, when that is what counts; 0: it isn't */
    struct machine_set binding;      /* processors                                   */
};

/* A node, to rank 0. Zeroed where nothing is wrong. */
struct nodes_report {
    char host[64];
    uint32_t ranks, least_threads, most_threads;
    uint32_t cores, domains;         /* cores that its ranks may use, of any of its domains */
    uint64_t memory;                 /* bytes in the domains; 0: not known            */
    struct {
        uint32_t ranks, threads, cores; /* so many ranks have more threads than the cores that they are kept to */
    } shared;
    struct {
        uint32_t rank, threads, cores; /* a rank with more threads than cores         */
    } crowded;
    struct {
        uint32_t rank, threads, given; /* a rank whose OMP_NUM_THREADS isn't what Slurm gave it */
    } slurm;
};

/* Judges the ranks of one node; `host` is left to the caller. Pure. STATUS_FAILED for want of memory. */
enum status nodes_judge(struct nodes_report *report, const struct machine *m, const struct nodes_rank *rank, size_t count,
                        struct error *e) ERROR_MUST_USE;

/* Collective: says on rank 0 what the nodes run, with `threads` of this rank, `asked` being so by OMP_NUM_THREADS. Fails for
 * want of memory only. */
enum status nodes_tell(const struct ranks *r, size_t threads, bool asked, struct error *e) ERROR_MUST_USE;

#endif
