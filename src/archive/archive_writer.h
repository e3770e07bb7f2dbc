/* archive_writer.h - writes an archive, layer by layer, whole or not at all.
 *
 * Flow: metrics, summary, state (gathered a layer at a time) -> *writer* -> file.
 *
 * The file grows beside its name and is renamed over it by archive_writer_finish.
 * Only one process writes. Not thread-safe: HDF5 isn't.
 */
#ifndef PHI3SAT_ARCHIVE_ARCHIVE_WRITER_H
#define PHI3SAT_ARCHIVE_ARCHIVE_WRITER_H

#include "../stats/summary.h"
#include "archive_facts.h"
#include "prompt_set.h"

struct archive_writer; /* opaque */

/* All there is to say about one layer; everything borrowed. */
struct archive_writer_layer_data {
    const struct metrics *metrics;                        /* with flags and saturated; NULL, like row, in a checkpoint */
    const struct summary_row *row;
    const struct accumulator_block *block[SERIES_COUNT];  /* each [neurons / 64, up]      */
    const struct accumulator_layer *layer;
};

/* Could an archive be written to `path`? For the time before the hours of work;
 * also tries HDF5's file locks. Leaves nothing behind. STATUS_OUTPUT. */
enum status archive_writer_probe(const char *path, struct error *e) ERROR_MUST_USE;

/* Starts an archive of `layers` x `neurons`. *w is NULL on failure; else it ends
 * with archive_writer_finish or archive_writer_abandon. */
enum status archive_writer_open(struct archive_writer **w, const char *path, size_t layers, size_t neurons,
                                struct error *e) ERROR_MUST_USE;

/* The same without compression, for one that is wanted soon and doesn't live long. */
enum status archive_writer_open_quick(struct archive_writer **w, const char *path, size_t layers, size_t neurons,
                                      struct error *e) ERROR_MUST_USE;

/* Writes layer `layer`; each layer once, in any order. STATUS_OUTPUT; then abandon. */
enum status archive_writer_layer(struct archive_writer *w, size_t layer, const struct archive_writer_layer_data *data,
                                 struct error *e) ERROR_MUST_USE;

/* Writes facts, run and prompts (sorted), closes, syncs and renames. `w` is freed in any case;
 * on failure nothing is left and an old file is as it was. */
enum status archive_writer_finish(struct archive_writer *w, const struct archive_facts *facts,
                                  const struct archive_run *run, const struct prompt_set *prompts,
                                  struct error *e) ERROR_MUST_USE;

/* The same for a checkpoint: the state, facts whose prompts are those of `prompts` (sorted, with their layers), and
 * what is left to do. Layers need block and layer only. Not compressed, since it has to be quick. */
enum status archive_writer_open_checkpoint(struct archive_writer **w, const char *path, size_t layers, size_t neurons,
                                           struct error *e) ERROR_MUST_USE;
enum status archive_writer_finish_checkpoint(struct archive_writer *w, const struct archive_facts *facts,
                                             const struct archive_checkpoint *checkpoint, const struct archive_run *run,
                                             const struct prompt_set *prompts, struct error *e) ERROR_MUST_USE;

/* Removes what was written; NULL is allowed. */
void archive_writer_abandon(struct archive_writer *w);

#endif
