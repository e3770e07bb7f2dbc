/* batch_size.h - how many rows should go through a layer together on this machine. */
#ifndef PHI3SAT_MODEL_BATCH_SIZE_H
#define PHI3SAT_MODEL_BATCH_SIZE_H

#include "../base/caches.h"
#include "config.h"

#define BATCH_SIZE_LEAST 256
#define BATCH_SIZE_USUAL 512 /* where caches aren't known */
#define BATCH_SIZE_MOST 1024
#define BATCH_SIZE_MOST_SHARED 512 /* among several ranks */

/* Rows of a chunk for a rank of `threads` threads; a multiple of 64 in [BATCH_SIZE_LEAST, BATCH_SIZE_MOST].
 * Of `ranks` ranks, where several share a run: stages wait until the first chunk has come to them, and ranks that are
 * through for those that aren't, so that chunks may not be long (BATCH_SIZE_MOST_SHARED).
 * More rows share the cost of decoding a weight (1.5 % of the time with 512); fewer stay in the caches:
 *   - second level: the three tiles of 64 neurons of a chunk, and the decoded panels;
 *   - third level: the packed rows of the down projection, the widest, in the rank's share of the
 *     cache.
 * Speed alone depends on it: results are the same for any number. Pure. */
size_t batch_size(const struct caches *caches, const struct config *c, size_t threads, size_t ranks);

#endif
