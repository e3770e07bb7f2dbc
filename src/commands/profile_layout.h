/* profile_layout.h - threads, rows of a batch and the grid of a run: how it is laid out on what there is.
 *
 * Flow: options, ranks, sizes of model and prompts -> *layout* -> forward pass, schedule.
 */
#ifndef PHI3SAT_COMMANDS_PROFILE_LAYOUT_H
#define PHI3SAT_COMMANDS_PROFILE_LAYOUT_H

#include "../cluster/grid.h"
#include "profile_options.h"

/* Collective. Sets the threads of this process and o->batch_tokens where it is 0, the same on all ranks, and chooses
 * the grid. STATUS_USAGE: --grid doesn't suit. */
enum status profile_layout_choose(struct grid *g, struct profile_options *o, const struct ranks *r, const struct config *c,
                                  const struct model_file *file, const struct intake *in, struct error *e) ERROR_MUST_USE;

/* What is said of it at the start, on rank 0. */
void profile_layout_tell(const struct grid *g, const struct ranks *r);

/* The most that any rank holds now, and which one. */
struct profile_layout_memory {
    uint64_t own, mapped;        /* bytes (base/resources.h)                         */
    int own_rank, mapped_rank;
};

/* Collective. */
enum status profile_layout_memory(struct profile_layout_memory *most, const struct ranks *r, struct error *e) ERROR_MUST_USE;

#endif
