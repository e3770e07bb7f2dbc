/* alike.h - what has to be the same on all hosts: the program, the model's file, and the folder of the outputs.
 *
 * Flow: ranks, their files -> *alike* -> one message that names the first rank with another one, before the work. Nothing is
 * compared where all ranks are on one host.
 */
#ifndef PHI3SAT_CLUSTER_ALIKE_H
#define PHI3SAT_CLUSTER_ALIKE_H

#include "../model/fingerprint.h"
#include "grid.h"
#include "ranks.h"

/* Collective. `build` is this program's: STATUS_FAILED where another one runs than on rank 0. */
enum status alike_build(const struct ranks *r, const char *build, struct error *e) ERROR_MUST_USE;

/* Collective. The header of each rank's file, and its size: STATUS_INPUT. */
enum status alike_header(const struct ranks *r, const struct model_file *file, struct error *e) ERROR_MUST_USE;

/* Collective. The bytes of the weights: on each host the ranks of a stage share its layers out, so that each is read once,
 * into the cache that the run needs it in. STATUS_INPUT. */
enum status alike_weights(const struct ranks *r, const struct grid *g, const struct config *config, const struct weights *w,
                          const char *path, struct error *e) ERROR_MUST_USE;

/* Collective. Whether a file that rank 0 makes beside `path` is seen by all hosts; if not, *stranger is a rank that doesn't see it
 * and `host` [64] its host, else *stranger is 0. STATUS_OUTPUT: it can't be made. */
enum status alike_folder(const struct ranks *r, const char *path, int *stranger, char host[64], struct error *e) ERROR_MUST_USE;

#endif
