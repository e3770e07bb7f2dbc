/* merge_run.h - what the group `run` of a merged archive says of the runs that it came from.
 *
 * Flow: the archives' `run` groups -> *one of them* -> writer, printed notes.
 */
#ifndef PHI3SAT_COMMANDS_MERGE_RUN_H
#define PHI3SAT_COMMANDS_MERGE_RUN_H

#include "../archive/archive_sum.h"

/* The texts that `run` borrows; zeroed: none. */
struct merge_run {
    struct archive_run run;
    char **text;        /* [count], owned                                            */
    size_t count, capacity;
};

/* Texts become the distinct ones, in order, joined; counts of prompts, ranks and seconds are added; what a source
 * has in itself (blank lines, ...) is added once for each distinct source, since shards of one source count it
 * all alike; threads and batch_tokens are the largest. The merge's own facts are left to the caller. Freed by
 * merge_run_free. Fails for want of memory only. */
enum status merge_run_collect(struct merge_run *m, const struct archive_sum *sum, struct error *e) ERROR_MUST_USE;
void merge_run_free(struct merge_run *m);

#endif
