/* schedule.h - who runs which prompt: computed alike by every rank, no messages needed.
 *
 * Flow: intake -> *schedule* -> batches. Longest prompts first, each to the group with the least work
 * (LPT; Graham 1969: at most 4/3 of the best). No rank has to look at another's progress.
 */
#ifndef PHI3SAT_CLUSTER_SCHEDULE_H
#define PHI3SAT_CLUSTER_SCHEDULE_H

#include <stddef.h>

#include "../base/error.h"
#include "intake.h"

/* Cost of a prompt in arbitrary units: its tokens times the matrix work, plus attention's
 * share, which grows with the square. */
struct schedule_cost {
    double token;       /* per token                                               */
    double token_pair;  /* per pair of tokens                                      */
};

/* The items of group `group` of `groups`, longest first: indices into items. The caller frees
 * *mine. Every call with the same arguments gives the same answer. */
enum status schedule_share(const struct intake_item *items, size_t count, struct schedule_cost cost, size_t groups,
                           size_t group, size_t **mine, size_t *mine_count, struct error *e) ERROR_MUST_USE;

/* How many of the items mine[from..count) go into the next batch: at least one, together at
 * most `batch_tokens` tokens, or one longer prompt alone. */
size_t schedule_batch(const struct intake_item *items, const size_t *mine, size_t count, size_t from,
                      size_t batch_tokens);

#endif
