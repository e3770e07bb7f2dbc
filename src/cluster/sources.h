/* sources.h - one prompt source on all ranks.
 *
 * Flow: path -> *sources* -> intake. Rank 0 opens it, judges it and makes the index; the others get
 * that. A plain file each rank then opens for itself. What had to be copied (a pipe, a
 * compressed file, a folder) rank 0 sends to the other hosts once, where one rank keeps it
 * in a temporary file that the ranks of that host share. No rank holds the texts.
 */
#ifndef PHI3SAT_CLUSTER_SOURCES_H
#define PHI3SAT_CLUSTER_SOURCES_H

#include "../text/prompts.h"
#include "ranks.h"

/* Collective; fails alike on all ranks, and `source` is then closed. Ended by prompts_close. */
enum status sources_open(struct prompt_source *source, const struct ranks *r, const char *path,
                         const struct prompts_options *options, struct error *e) ERROR_MUST_USE;

/* The same of bytes[size] that rank 0 has in memory (the others give NULL) and may free afterwards. `name` is
 * for messages. */
enum status sources_open_bytes(struct prompt_source *source, const struct ranks *r, const char *bytes, size_t size,
                               const char *name, const struct prompts_options *options,
                               struct error *e) ERROR_MUST_USE;

#endif
