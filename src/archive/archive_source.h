/* archive_source.h - HDF5's side of reading: what a file says of itself, and its data sets piece by piece.
 *
 * Flow: file -> *source* -> (archive_guard: another process) -> archive_reader -> report, compare, merge, resume.
 *
 * HDF5's library crashes over some damaged files, so archives of strangers are asked in a process that may end
 * (archive_guard.h); the writer's check of its own file needs none. Not thread-safe: HDF5 isn't.
 */
#ifndef PHI3SAT_ARCHIVE_ARCHIVE_SOURCE_H
#define PHI3SAT_ARCHIVE_ARCHIVE_SOURCE_H

#include "archive_facts.h"
#include "archive_reader.h"
#include "schema.h"

#define ARCHIVE_SOURCE_RUN_LIMIT 256 /* attributes of /run */
/* More than any model has, and a layer of it still fits a small machine. */
#define ARCHIVE_SOURCE_LAYERS_LIMIT ((uint64_t)1 << 16)
#define ARCHIVE_SOURCE_NEURONS_LIMIT ((uint64_t)1 << 22)

/* What opening tells. */
struct archive_opened {
    struct archive_facts facts;           /* layer_fingerprint is NULL: a data set like others  */
    struct archive_checkpoint checkpoint; /* of a checkpoint                                    */
    struct schema_sizes sizes;
    struct archive_reader_pair *run;      /* [run_count], <= ARCHIVE_SOURCE_RUN_LIMIT            */
    size_t run_count;
};

struct archive_source; /* opaque */

/* Opens and checks `path`: format, attributes, and each data set's type, shape and chunks. STATUS_INPUT: not there, no
 * HDF5, not ours, of a newer version, or damaged. `own`: this process wrote it under a name that nobody else knows, so
 * that no lock is needed. *r is NULL on failure; archive_source_close allows NULL. */
enum status archive_source_open(struct archive_source **r, const char *path, enum schema_kind kind, bool own,
                                struct error *e) ERROR_MUST_USE;
void archive_source_close(struct archive_source *r);

/* Borrowed; whoever takes `run` away leaves NULL and 0 there. Freed elsewhere by archive_source_free. */
struct archive_opened *archive_source_told(struct archive_source *r);
void archive_source_free(struct archive_opened *told);

/* Layer `layer` of data set i of the schema, or all of it where it has no layers, into flat: [schema_piece_size]. */
enum status archive_source_piece(struct archive_source *r, size_t i, size_t layer, void *flat,
                                 struct error *e) ERROR_MUST_USE;

/* Bytes that data set i takes in the file. */
enum status archive_source_stored(struct archive_source *r, size_t i, uint64_t *bytes, struct error *e) ERROR_MUST_USE;

#endif
