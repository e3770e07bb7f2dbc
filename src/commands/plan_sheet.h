/* plan_sheet.h - a plan on standard output: for people, for programs, or as a job's script. */
#ifndef PHI3SAT_COMMANDS_PLAN_SHEET_H
#define PHI3SAT_COMMANDS_PLAN_SHEET_H

#include "plan_grids.h"
#include "plan_options.h"

/* All that there is to say. */
struct plan_sheet {
    const struct plan_options *options;
    const struct plan_terms *terms;
    const struct plan_grids *grids;
    uint64_t tokens, longest;
    size_t sampled;          /* prompts whose lengths are known; the others are taken to be like them */
    size_t threads;
    const char *prompts;     /* where they come from                                        */
    const char *network;     /* where bandwidth and latency come from                       */
    bool measured;           /* the pace; else --gflops                                      */
};

enum status plan_sheet_print(const struct plan_sheet *sheet, struct error *e) ERROR_MUST_USE;

/* The best grid as a script for sbatch. STATUS_INPUT when no grid fits the memory of a node. */
enum status plan_sheet_script(const struct plan_sheet *sheet, struct error *e) ERROR_MUST_USE;

#endif
