/* partial.h - the archive of what a run has done so far, while it goes on.
 *
 * Flow: the ranks' states between batches (drain.h) -> *partial* -> OUTPUT.partial.h5. An archive like another, of the prompts
 * that are through: what one run over just those would have made, `run` apart, which says that it is partial. Gathered as a
 * checkpoint is, layer by layer, and not compressed, so that it takes rank 0 about as long.
 */
#ifndef PHI3SAT_CLUSTER_PARTIAL_H
#define PHI3SAT_CLUSTER_PARTIAL_H

#include "checkpoint.h"

struct partial {
    const char *path;            /* NULL: none are written                            */
    struct checkpoint *of;       /* the run's state and prompts, whether or not it has checkpoints */
    double start;                /* when the run began, by clock_seconds              */
};

/* Collective, all ranks between two batches and each group at one place of its list. Writes nothing where no prompt is
 * through yet, or where prompts that a checkpoint had under way aren't. STATUS_OUTPUT on all ranks alike; what was
 * there before is then as it was. */
enum status partial_write(const struct partial *p, struct error *e) ERROR_MUST_USE;

/* Of a rank's list of items, those that a checkpoint had under way come first, in the order they had: until they are through,
 * there can be no partial archive. The same on all ranks of a group. Fails for want of memory only. */
enum status partial_first(const struct checkpoint *c, size_t *mine, size_t count, struct error *e) ERROR_MUST_USE;

/* Rank 0, when the outputs are there: removes what lies at `path`. */
void partial_remove(const struct partial *p);

#endif
