/* archive_guard.h - HDF5's library in a process of its own, for files that nobody vouches for.
 *
 * Flow: file -> archive_source (there) -> *guard* -> archive_reader (here).
 *
 * HDF5 1.10.8 crashes over, hangs at or allocates without measure for some damaged files. The process that it works in
 * may take memory and time in proportion to the file and has nothing open but it; what it answers is checked like
 * any other input. One process serves all archives that are open; it ends with the last of them. One thread.
 *
 * Rejected: to read on trial in a child and then here, which reads everything twice and trusts that a broken heap
 * breaks the same way again; to start another program, which would have to be found first.
 */
#ifndef PHI3SAT_ARCHIVE_ARCHIVE_GUARD_H
#define PHI3SAT_ARCHIVE_ARCHIVE_GUARD_H

#include "archive_source.h"

/* An archive that is open there. Zeroed: none. */
struct archive_guarded {
    unsigned age;     /* of the process; a later one knows nothing of it    */
    int32_t handle;
    const char *path; /* borrowed                                           */
};

/* Forks the process unless it is there; the same, and it stays though nothing is open (failure shows at the next open);
 * ends it, whatever is open. */
enum status archive_guard_start(struct error *e) ERROR_MUST_USE;
void archive_guard_keep(void);
void archive_guard_end(void);

/* As archive_source_open, ..._piece and ..._stored; STATUS_INPUT also when HDF5 crashed or took too long or too much.
 * `opened` is the caller's, its `run` freed by archive_source_free; `path` must outlive `g`. */
enum status archive_guard_open(struct archive_guarded *g, const char *path, enum schema_kind kind,
                               struct archive_opened *opened, struct error *e) ERROR_MUST_USE;
enum status archive_guard_piece(const struct archive_guarded *g, size_t i, size_t layer, void *flat, size_t size,
                                struct error *e) ERROR_MUST_USE;
enum status archive_guard_stored(const struct archive_guarded *g, size_t i, uint64_t *bytes,
                                 struct error *e) ERROR_MUST_USE;
void archive_guard_close(struct archive_guarded *g);

#endif
