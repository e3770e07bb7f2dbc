/* plan_grids.h - the grids that a number of ranks can form: simulated, weighed, put in order. */
#ifndef PHI3SAT_COMMANDS_PLAN_GRIDS_H
#define PHI3SAT_COMMANDS_PLAN_GRIDS_H

#include "../cluster/simulate.h"
#include "../model/footprint.h"

#define PLAN_GRIDS_MOST 8

/* What all grids have in common. */
struct plan_terms {
    const struct config *config;
    const struct footprint_weights *weights;
    struct footprint_load load;
    struct pace pace;
    struct simulate_machine machine;
    const struct intake_item *items; /* [count]                                            */
    size_t count;
    size_t ranks;
    size_t groups, stages;           /* one grid only; 0: all                               */
    uint64_t memory;                 /* bytes of a node                                    */
    double start;                    /* seconds until the first batch, all grids alike       */
};

struct plan_grid {
    size_t groups, stages;
    struct simulate_result result;
    struct footprint rank;           /* of the stage that takes the most                     */
    uint64_t node;                   /* bytes of the node that takes the most                */
    bool fits;
    double write;                    /* seconds after the merge                            */
    double seconds;                  /* from start to end                                  */
};

struct plan_grids {
    struct plan_grid grid[PLAN_GRIDS_MOST]; /* [count]: those that fit first, then by seconds  */
    size_t count;
};

/* STATUS_USAGE: the one grid asked for has more stages than there are layers. */
enum status plan_grids_make(struct plan_grids *grids, const struct plan_terms *terms, struct error *e) ERROR_MUST_USE;

#endif
