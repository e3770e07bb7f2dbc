/* plan_options.h - what `phi3sat plan` can be told. */
#ifndef PHI3SAT_COMMANDS_PLAN_OPTIONS_H
#define PHI3SAT_COMMANDS_PLAN_OPTIONS_H

#include "profile_options.h"

struct plan_options {
    struct profile_options input;    /* model and prompts, as profile has them              */
    uint64_t ranks, ranks_per_node;  /* 0: chosen                                           */
    const char *grid;
    double cores;                    /* of a node; 0: one for each thread                   */
    double memory;                   /* GiB of a node; 0: this machine's                     */
    double gflops;                   /* of a rank; 0: measured                              */
    double bandwidth, latency;       /* GB/s, microseconds; below 0: measured, or assumed     */
    double local;                    /* GB/s between ranks of a node                         */
    double seconds;                  /* for the measurement                                 */
    bool json, sbatch;
    /* worked out by plan_options_read: */
    size_t groups, stages;           /* of --grid; 0: not given                             */
};

extern const struct options_table plan_options_table;

/* Parses and checks; `help` is true when --help was given. STATUS_USAGE. */
enum status plan_options_read(struct plan_options *o, int argc, char **argv, bool *help, struct error *e) ERROR_MUST_USE;

#endif
