/* schedule.h - who runs which prompt: computed alike by every rank, no messages needed.
 *
 * Flow: intake -> *schedule* -> batches. Longest prompts first, each to the group with the least work
 * (LPT; Graham 1969: at most 4/3 of the best). Where a batch has to pass several stages, a group takes
 *     its work + (stages - 1) * the most that a stage does before it hands any of it on,
 * since all stages but one wait for that on the way in and out, in whatever order batches come (a flow shop; Pinedo,
 * Scheduling, on proportionate ones). It is a chunk, or, of prompts too long for a stage to hold the keys and values of all
 * its layers, all bands of layers but the last (model/band.h). So the longest prompts are put together in few groups, and
 * the others, which are spared the wait, get more of the rest. No rank has to look at another's progress.
 */
#ifndef PHI3SAT_CLUSTER_SCHEDULE_H
#define PHI3SAT_CLUSTER_SCHEDULE_H

#include <stddef.h>

#include "../base/error.h"
#include "../model/band.h"
#include "intake.h"

/* Cost of a prompt in arbitrary units: its tokens times the matrix work, attention's
 * share, which grows with the square, and what its statistics take however short it is. */
struct schedule_cost {
    double token;       /* per token                                               */
    double token_pair;  /* per pair of tokens                                      */
    double prompt;
};

/* Among whom the prompts are shared out, and how they are run. */
struct schedule_terms {
    struct schedule_cost cost;
    size_t groups;       /* at least 1                                              */
    size_t stages;       /* of each group, at least 1                               */
    size_t batch_tokens; /* at least 1                                              */
    size_t layers;       /* of the largest stage; 0 and 1: chunks are handed on at once */
    struct band_shape shape;
};

/* Terms for a model: costs in multiply-adds of a layer. */
struct schedule_terms schedule_terms(const struct config *c, size_t groups, size_t stages, size_t batch_tokens);

/* The items of group `group`, batch by batch, the batch with the longest prompt first: indices into items.
 * The caller frees *mine. Every call with the same arguments gives the same answer. */
enum status schedule_share(const struct intake_item *items, size_t count, const struct schedule_terms *terms,
                           size_t group, size_t **mine, size_t *mine_count, struct error *e) ERROR_MUST_USE;

/* The same for all groups: group g has order[start[g]..start[g + 1]). The caller frees *order [count] and
 * *start [groups + 1]. */
enum status schedule_all(const struct intake_item *items, size_t count, const struct schedule_terms *terms,
                         size_t **order, size_t **start, struct error *e) ERROR_MUST_USE;

/* How many of the items mine[from..count) go into the next batch: at least one, together at
 * most `batch_tokens` tokens, or one longer prompt alone. */
size_t schedule_batch(const struct intake_item *items, const size_t *mine, size_t count, size_t from,
                      size_t batch_tokens);

/* Tokens of the longest item. */
uint64_t schedule_longest(const struct intake_item *items, size_t count);

#endif
