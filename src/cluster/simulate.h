/* simulate.h - a run on a cluster that isn't here: the production schedule driven by a model clock.
 *
 * Flow: lengths of prompts, pace, machine -> schedule -> *simulate* -> how long, how well used, what crosses the network.
 * Every batch of every stage is an event, as is every message between stages. Ranks that share a node's cores, and messages
 * that share its network port, run the slower the more of them there are at the time (processor sharing).
 */
#ifndef PHI3SAT_CLUSTER_SIMULATE_H
#define PHI3SAT_CLUSTER_SIMULATE_H

#include "../model/footprint.h"
#include "pace.h"
#include "schedule.h"

/* The machine. Ranks are numbered through the nodes: rank = group * stages + stage. */
struct simulate_machine {
    size_t ranks_per_node;  /* at least 1                                            */
    double cores;           /* of a node, in units of what one rank wants (its threads); > 0 */
    double bandwidth;       /* bytes a second through a node's network port, each way */
    double latency;         /* seconds                                               */
    double local;           /* bytes a second between two ranks of a node             */
};

struct simulate_run {
    struct schedule_terms schedule;
    struct pace pace;
    struct simulate_machine machine;
    const struct footprint_stage *cut; /* [schedule.stages]: layers of each stage     */
    size_t layers, hidden, intermediate;
};

struct simulate_result {
    double prompts;        /* seconds until the last rank has run its last batch      */
    double merge;          /* seconds                                                */
    double work;           /* seconds that one rank alone would compute               */
    double efficiency;     /* work by the ranks (those that have cores) times prompts + merge */
    double hidden_bytes;   /* hidden states that go from node to node, all nodes      */
    double merge_bytes;    /* the same of the merge                                   */
    double busiest_bytes;  /* that leave the node which sends most                    */
    size_t batches;        /* of all groups                                          */
};

/* Simulates the run of items[count], count > 0. Fails for want of memory only. Pure. */
enum status simulate_run(struct simulate_result *result, const struct simulate_run *run,
                         const struct intake_item *items, size_t count, struct error *e) ERROR_MUST_USE;

#endif
